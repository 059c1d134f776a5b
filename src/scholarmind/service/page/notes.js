// Short messages that come and go, and are read out by screen readers.

import { html, signal } from "./kit.js";
import { t } from "./language.js";
import { Trouble } from "./api.js";

const SHOWN_MS = 6000;
const WHY = { 403: "forbidden", 409: "trouble.now", 413: "trouble.large", 415: "trouble.kind", 422: "trouble.meaning", 429: "trouble.much", 500: "trouble.ours", 502: "trouble.model" };
const notes = signal([]);

/** Say something for a while. */
export function say(text, kind = "note") {
  const note = { text, kind };
  notes.value = [...notes.value.slice(-2), note];
  setTimeout(() => (notes.value = notes.value.filter((each) => each !== note)), SHOWN_MS);
}

/** Return what went wrong, in words. */
export const troubleText = (error) => {
  if (!(error instanceof Trouble)) throw error;
  if (error.status === 0) return t("unreachable");
  return error.status in WHY ? t(WHY[error.status], { detail: error.message }) : error.message;
};

/** Say what went wrong. */
export const sayTrouble = (error) => say(troubleText(error), "trouble");

/** Show them. */
export const Notes = () =>
  html`<div class="notes" role="status" aria-live="polite">${notes.value.map((note) => html`<p class=${`note ${note.kind}`}>${note.text}</p>`)}</div>`;

/** Copy a text, and say so. */
export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea"); // without the right to write there, or without TLS
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(said);
}
