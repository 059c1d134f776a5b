// What there is to be said of a sentence of a draft: its verdict, what speaks against it, the words of its sources, what else says it.

import { html } from "../kit.js";
import { t } from "../language.js";
import { openSource } from "../ask/source.js";
import { placeOfCitation } from "../pure/columns.js";

/** Show a remark. */
export function Remark({ id, claim, here }) {
  const { verdict, objections, missing, unknown, citations, suggestions } = claim;
  const other = verdict === "uncited" ? "draft.could" : "draft.instead";
  return html`<section class="remark" id=${id} data-verdict=${verdict} data-here=${here ? "true" : undefined}>
    <strong>${t(`draft.${verdict}`)}</strong>
    ${[...new Set(objections.map((each) => each.says))].map((each) => html`<p>${each}</p>`)}
    ${missing.map((key) => html`<p>${key in unknown ? t("draft.key", { key }) : t("draft.missing", { key })}${unknown[key] ? ` ${t("draft.nearest", { key: unknown[key] })}` : ""}</p>`)}
    <${Quotes} said=${t("draft.source")} citations=${citations} from=${id} />
    <${Quotes} said=${t(other)} citations=${suggestions} from=${`${id}-other`} />
    ${claim.by_model && html`<p class="hush">${t("draft.by-model")}</p>`}
  </section>`;
}

function Quotes({ said, citations, from }) {
  const places = citations.map(placeOfCitation);
  return places.map(
    (place, index) => html`<button class="said-there" onClick=${(event) => openSource(places, index, `${from}.${index}`, event.currentTarget)}>
      <span class="hush">${[said, place.key, place.page ? t("page.n", { n: place.page }) : place.section.at(-1)].filter(Boolean).join(" · ")}</span>“${place.quote}”</button>`,
  );
}
