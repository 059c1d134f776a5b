// What is known of a document, field by field: who said so, what others say, and what is put right by hand.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { ask, get, ofDocument, Trouble } from "../api.js";
import { say, troubleText } from "../notes.js";

const CORRECTED = ["title", "authors", "year", "venue", "doi", "source", "language"];
const NAMED = [...CORRECTED, "kind"]; // fields that have a name in both languages
const SPEAKERS = {
  "the file": "says.file",
  "by hand": "says.hand",
  "first page": "says.page",
  "document properties": "says.properties",
  "file name": "says.name",
  "creation date": "says.created",
  "front matter": "says.matter",
};

const nameOf = (field) => (NAMED.includes(field) ? t(`field.${field}`) : field.replaceAll("_", " "));
const speaker = (source) => (source in SPEAKERS ? t(SPEAKERS[source]) : source);
const shown = (value) => (value == null || value === "" ? "–" : Array.isArray(value) ? value.join(" · ") : String(value));

/** Show every field with who said so, and what others say that is not the same. */
export function Known({ place }) {
  const fields = useSignal([]);
  useEffect(() => void get(ofDocument(place, "/fields")).then((all) => (fields.value = all), () => {}), []);
  if (!fields.value.length) return null;
  return html`<section><h2>${t("fields")}</h2><dl class="fields">${fields.value.map(({ field, value, source, others }) => {
    const unlike = others.filter((each) => shown(each.value) !== shown(value));
    return html`<div><dt>${nameOf(field)}</dt><dd>${shown(value)}</dd><dd class="faint">${t("says.from", { source: speaker(source) })}</dd>
      ${unlike.map((each) => html`<dd class="hush">${t("says.other", { value: shown(each.value), source: speaker(each.source) })}</dd>`)}</div>`;
  })}</dl></section>`;
}

/** Fields to be put right. What was typed stays when it could not be saved. */
export function Correction({ found, place, tag, done }) {
  const before = Object.fromEntries(CORRECTED.map((name) => [name, text(found[name] ?? found.metadata[name])]));
  const values = useSignal(before);
  const wrong = useSignal("");
  const save = async (event) => {
    event.preventDefault();
    const changed = CORRECTED.filter((name) => values.value[name].trim() !== before[name]);
    if (!changed.length) return done();
    try {
      const fields = Object.fromEntries(changed.map((name) => [name, meant(name, values.value[name].trim())]));
      await ask(ofDocument(place), { method: "PATCH", body: { fields }, headers: { "if-match": tag } });
      say(t("saved"));
      return done();
    } catch (error) {
      wrong.value = error instanceof Trouble && error.status === 412 ? t("edit.meanwhile") : troubleText(error);
      return undefined;
    }
  };
  return html`<form class="edit" onSubmit=${save}>
    ${CORRECTED.map((name) => html`<label class="field"><span>${t(`field.${name}`)}</span>
      <input value=${values.value[name]} inputmode=${name === "year" ? "numeric" : undefined} onInput=${(event) => (values.value = { ...values.value, [name]: event.target.value })} /></label>`)}
    <p class="hush">${t("edit.how")}</p>
    ${wrong.value && html`<p class="trouble" role="alert">${wrong.value}</p>`}
    <div class="row"><button class="main" type="submit">${t("save")}</button><button class="quiet" type="button" onClick=${done}>${t("cancel")}</button></div>
  </form>`;
}

const text = (value) => (Array.isArray(value) ? value.join("; ") : String(value ?? ""));

/** Return what is sent of a field: null takes a correction back. */
function meant(name, value) {
  if (!value) return null;
  if (name === "authors") return value.split(/\s*[;；]\s*/).filter(Boolean);
  return name === "year" ? Number(value) || value : value;
}
