// What became of an answer after the library changed, and a word that it may have.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { sayTrouble } from "../notes.js";
import { Icon } from "../icons.js";

/** Say that documents came after this answer was written, if they did, and offer to look what that changes. */
export function NewDocuments({ run }) {
  const since = useSignal(null);
  useEffect(() => {
    if (run.state !== "done") return undefined;
    const look = () => get(`/runs/${run.id}/since`).then((found) => (since.value = found), () => {}); // it is said only where it is known
    const seen = () => document.visibilityState === "visible" && look();
    look();
    document.addEventListener("visibilitychange", seen); // whoever comes back may have added some meanwhile
    return () => document.removeEventListener("visibilitychange", seen);
  }, [run.state]);
  const again = async () => {
    try {
      go(to("run", (await send("POST", `/runs/${run.id}/again`)).id));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const { documents, removed } = since.value ?? { documents: [], removed: 0 };
  if (!documents.length && !removed) return null;
  const named = documents.slice(0, 3).map((each) => each.title || each.document).join(" · ");
  return html`<div class="banner row newer"><div><p><strong>${t("newer.question")}</strong> ${t("newer.documents", { n: documents.length + removed })}</p>
      ${named && html`<p class="hush clip">${named}${documents.length > 3 ? " …" : ""}</p>`}</div>
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
