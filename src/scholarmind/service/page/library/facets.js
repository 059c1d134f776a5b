// What the documents of a collection may be narrowed to, with how many each choice would leave: years, venues, authors, languages, kinds.

import { html, names, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get } from "../api.js";
import { FIELDS, filterOf, yearsOf } from "../pure/filters.js";
import { Icon } from "../icons.js";

const LISTED = ["venue", "author", "language", "kind"];
const SHOWN = 7;

/** Show what is chosen, and the choices where they are asked for. `within` says how the words narrow the documents, if they do. */
export function Facets({ name, fields, words }) {
  const open = useSignal(false);
  const found = useSignal(null);
  const filter = filterOf(words, fields.value);
  useEffect(() => {
    if (!open.value) return undefined;
    let mine = true;
    get(`/collections/${encodeURIComponent(name)}/facets?filter=${encodeURIComponent(filter)}`).then((all) => mine && (found.value = all), () => {});
    return () => (mine = false);
  }, [open.value, name, filter]);
  const set = (more) => (fields.value = { ...fields.value, ...more });
  const chosen = FIELDS.filter((field) => fields.value[field]);
  return html`<button class="quiet" aria-expanded=${open.value} aria-controls="facets" onClick=${() => (open.value = !open.value)}>${t("facets")}<${Icon} name=${open.value ? "up" : "down"} /></button>
    ${chosen.length > 0 && html`<ul class="chosen" aria-label=${t("facets.chosen")}>${chosen.map(
      (field) => html`<li><button class="chip" aria-pressed="true" aria-label=${t("facets.without", { value: said(field, fields.value[field]) })} onClick=${() => set({ [field]: "" })}>
        ${said(field, fields.value[field])}<${Icon} name="close" /></button></li>`,
    )}</ul>`}
    ${open.value && html`<div class="facets" id="facets" role="group" aria-label=${t("facets")}>
      <section><h2>${t("field.year")}</h2>
        ${found.value && html`<${Years} values=${found.value.year} fields=${fields} set=${set} />`}
        <p class="row">${["from", "to"].map(
          (end) => html`<label class="choice"><span>${t(`year.${end}`)}</span><input class="year" inputmode="numeric" maxlength="4" value=${fields.value[end]}
            onInput=${(event) => set({ [end]: event.target.value.replace(/\D/g, "") })} /></label>`,
        )}</p></section>
      ${found.value && LISTED.map((field) => html`<${Values} key=${field} field=${field} values=${found.value[field]} chosen=${fields.value[field]} set=${set} />`)}
    </div>`}`;
}

const said = (field, value) => {
  if (field === "language" && ["en", "zh"].includes(value)) return t(`language.${value}`);
  return ["from", "to"].includes(field) ? `${t(`year.${field}`)} ${value}` : value;
};

function Values({ field, values, chosen, set }) {
  const all = useSignal(false);
  if (values.length === 0 || (values.length === 1 && !chosen)) return null; // nothing to choose
  const shown = all.value ? values : values.slice(0, SHOWN);
  return html`<section><h2>${t(`field.${field}`)}</h2><ul>${shown.map(
    ({ value, documents }) => html`<li><button class="facet" aria-pressed=${chosen === value} onClick=${() => set({ [field]: chosen === value ? "" : value })}>
      <span class="clip">${said(field, value)}</span><span class="faint">${documents}</span></button></li>`,
  )}</ul>
  ${values.length > SHOWN && !all.value && html`<button class="quiet small" onClick=${() => (all.value = true)}>${t("more")}</button>`}</section>`;
}

/** How many documents each year has, as bars: one of them chosen narrows to it. */
function Years({ values, fields, set }) {
  const years = yearsOf(values);
  const most = Math.max(1, ...years.map(({ documents }) => documents));
  return html`<div class="years">${years.map(({ year, documents }) => {
    const only = fields.value.from === year && fields.value.to === year;
    const label = t("facets.year", { year, n: documents });
    return html`<button class=${names("year-bar", !documents && "none")} aria-pressed=${only} disabled=${!documents} aria-label=${label} title=${label}
      onClick=${() => set(only ? { from: "", to: "" } : { from: year, to: year })}><i style=${{ height: `${Math.max(documents ? 8 : 2, (100 * documents) / most)}%` }}></i></button>`;
  })}</div>`;
}
