// A draft that is checked: its text, and beside each sentence what there is to be said of it, with the words of the source.

import { dress, html, useEffect, useMemo, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { to } from "../router.js";
import { sayTrouble, troubleText } from "../notes.js";
import { Icon } from "../icons.js";
import { Downloads } from "../downloads.js";
import { openPlaces, Source } from "../ask/source.js";
import { pieces } from "../pure/drafts.js";
import { Remark } from "./remark.js";

const LOOK_MS = 1000;
const OVER = ["done", "failed", "cancelled"];

/** Show a draft. */
export function DraftPlace({ id }) {
  const [draft, trouble, every, chosen] = [useSignal(null), useSignal(""), useSignal(false), useSignal(null)];
  const load = () =>
    get(`/drafts/${encodeURIComponent(id)}`).then(
      (found) => (draft.value = found),
      (error) => (trouble.value = error.status === 404 ? t("drafts.nowhere") : troubleText(error)),
    );
  useEffect(() => {
    dress("research");
    load();
    return () => (openPlaces.value = null);
  }, []);
  const over = OVER.includes(draft.value?.state);
  useEffect(() => {
    if (!draft.value || over) return undefined;
    const timer = setTimeout(load, LOOK_MS);
    return () => clearTimeout(timer);
  }, [draft.value]);
  const stop = () => send("POST", `/drafts/${id}/cancel`).then(load, sayTrouble);
  if (trouble.value) return html`<div class="empty"><h1>${trouble.value}</h1><p><a href=${to("drafts")}>${t("nav.drafts")}</a></p></div>`;
  if (!draft.value) return html`<div class="empty" aria-busy="true"></div>`;
  const { name, progress, report, error, state, forms } = draft.value;
  const { done = 0, total = 0 } = progress;
  const said = total ? t("drafts.progress", { done, total }) : t("drafts.reading");
  return html`<div class=${openPlaces.value ? "library reading" : "library"}>
    <article class="library-main">
      <p class="crumbs"><a href=${to("drafts")}>${t("nav.drafts")}</a></p>
      <header class="place-head"><h1>${name}</h1><span class="grow"></span>
        ${report && html`<div class="switch" role="group" aria-label=${t("drafts.show")}>${[false, true].map(
          (each) => html`<button aria-pressed=${every.value === each} onClick=${() => (every.value = each)}>${t(each ? "drafts.all" : "drafts.flagged")}</button>`,
        )}</div><${Downloads} forms=${forms} path=${(form) => `/drafts/${id}/file?format=${form}`} />`}</header>
      ${!over && html`<div class="filling" role="status"><p class="row"><span class="pulse"></span>${said}<span class="grow"></span>
        <button class="quiet small" onClick=${stop}><${Icon} name="stop" />${t("stop")}</button></p>
        <progress max=${total || 1} value=${total ? done : undefined} aria-label=${said}></progress></div>`}
      ${state === "failed" && html`<p class="banner trouble" role="alert">${error}</p>`}
      ${state === "cancelled" && html`<p class="banner">${t("drafts.cancelled")}</p>`}
      ${report && html`<${Checked} report=${report} every=${every.value} chosen=${chosen} />`}
    </article>
    ${openPlaces.value && html`<aside class="beside"><${Source} /></aside>`}
  </div>`;
}

function Checked({ report, every, chosen }) {
  const { counts, claims, paragraphs, notes } = report;
  const lines = useMemo(() => paragraphs.map((paragraph, index) => ({ paragraph, claims: claims.filter((claim) => claim.paragraph === index) })), [report]);
  const flagged = claims.filter((claim) => claim.flagged).length;
  let heading = "";
  return html`<ul class="draft-counts" aria-label=${t("drafts.counts")}>${Object.entries(counts).map(
      ([verdict, count]) => html`<li data-verdict=${verdict}>${count} ${t(`draft.${verdict}`)}</li>`,
    )}</ul>
    ${notes.length > 0 && html`<div class="banner"><ul>${notes.map((each) => html`<li>${each}</li>`)}</ul></div>`}
    ${!claims.length && html`<p class="banner">${t("drafts.nothing")}</p>`}
    ${claims.length > 0 && !flagged && html`<p class="banner">${t("drafts.fine")}</p>`}
    <div class="draft-text">${lines.map(({ paragraph, claims: own }, index) => {
      const section = paragraph.section.at(-1) ?? "";
      const head = section && section !== heading ? html`<h2>${section}</h2>` : null;
      heading = section;
      const shown = own.filter((claim) => claim.flagged || (every && claim.verdict !== "nothing found"));
      return html`${head}<div class="draft-line" key=${index}><p>${pieces(paragraph.text, own).map(({ text, claim }) =>
        claim && shown.includes(claim)
          ? html`<button class="draft-claim" data-verdict=${claim.verdict} aria-pressed=${chosen.value === claim ? "true" : undefined} aria-describedby=${idOf(claim)}
              onClick=${() => ((chosen.value = claim), document.getElementById(idOf(claim))?.scrollIntoView({ block: "nearest" }))}>${text}</button>`
          : text,
      )}</p><div>${shown.map((claim) => html`<${Remark} key=${idOf(claim)} id=${idOf(claim)} claim=${claim} here=${chosen.value === claim} />`)}</div></div>`;
    })}</div>`;
}

const idOf = (claim) => `remark-${claim.paragraph}-${claim.start}`;
