// What became of an answer after the library changed, and a word that it may have.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { may } from "../session.js";
import { sayTrouble } from "../notes.js";
import { Icon } from "../icons.js";

/** Say that documents came after this answer was written, if they did, and offer to look what that changes. */
export function NewDocuments({ run }) {
  const more = useSignal(0);
  useEffect(() => {
    if (run.state !== "done" || !may("ingest")) return;
    get("/jobs?limit=20").then(
      ({ items }) => {
        const later = items.filter((job) => job.state === "done" && job.finished > (run.finished ?? run.created));
        more.value = later.reduce((sum, job) => sum + job.report.added + job.report.replaced + job.report.removed, 0);
      },
      () => {},
    );
  }, [run.state]);
  const again = async () => {
    try {
      go(to("run", (await send("POST", `/runs/${run.id}/again`)).id));
    } catch (error) {
      sayTrouble(error);
    }
  };
  if (!more.value) return null;
  return html`<div class="banner row"><p>${t("newer.documents", { n: more.value })}</p><span class="grow"></span>
    <button class="quiet" onClick=${again}><${Icon} name="again" />${t("newer.look")}</button></div>`;
}

/** Show what changed from an earlier answer to this one. */
export function Changes({ changes }) {
  const { rows, documents, run } = changes;
  const added = changes.new;
  const same = !rows.length && !added.length && !changes.gone.length;
  return html`<section class="banner changes" aria-labelledby="changes-title">
    <h2 id="changes-title">${same ? t("changes.none") : t("changes")}</h2>
    <p class="hush"><a href=${to("run", run)}>${t("changes.before")}</a></p>
    ${rows.length > 0 && html`<ul>${rows.map((row) => html`<li>${row.text}: ${named(row.before)} → <strong>${named(row.after)}</strong></li>`)}</ul>`}
    ${added.length > 0 && html`<h3>${t("changes.new")}</h3><ul>${added.map((each) => html`<li>${each.text} <span class="faint">${each.citations.join("; ")}</span></li>`)}</ul>`}
    ${changes.gone.length > 0 && html`<h3>${t("changes.gone")}</h3><ul>${changes.gone.map((each) => html`<li><del>${each.text}</del></li>`)}</ul>`}
    ${documents.length > 0 && html`<h3>${t("changes.documents")}</h3><ul>${documents.map((each) => html`<li><a href=${to("document", each.collection, each.document)}>${each.title}</a> <span class="faint">${t(`changes.${each.what}`)}</span></li>`)}</ul>`}
  </section>`;
}

const named = (status) => (status ? t(`status.${status}`) : "–");
