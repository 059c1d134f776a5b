// The words of the page, in English and Chinese, and numbers and times as each says them.

import { computed, effect, keptSignal, signal } from "./kit.js";
import { english } from "./texts/english.js";

const texts = signal({ en: english });
const first = typeof navigator !== "undefined" && navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en";

export const language = keptSignal("language", first);
const locale = computed(() => (language.value === "zh" ? "zh-CN" : "en-GB"));

/** Return a text of the page with its places filled in. `{n|one|many}` chooses by a number. */
export function t(key, values = {}) {
  const text = texts.value[language.value]?.[key] ?? english[key] ?? key;
  return filled(text, values);
}

/** Fetch the words of the language that is chosen, if they are not here. */
export async function fetchTexts() {
  if (language.value !== "zh" || texts.peek().zh) return;
  const { chinese } = await import("./texts/chinese.js");
  texts.value = { ...texts.peek(), zh: chinese };
}

/** Return a text with its places filled in. */
export function filled(text, values) {
  return text
    .replace(/\{(\w+)\|([^|{}]*)\|([^|{}]*)\}/g, (_, name, one, many) => (Number(values[name]) === 1 ? one : many))
    .replace(/\{(\w+)\}/g, (_, name) => shown(values[name] ?? ""));
}

const shown = (value) => (typeof value === "number" ? value.toLocaleString(locale.value) : String(value));

/** Return a number of seconds as people say it. */
export function seconds(value) {
  if (value == null) return "";
  if (value < 0.95) return t("seconds", { n: value.toLocaleString(locale.value, { maximumFractionDigits: 2 }) });
  if (value < 60) return t("seconds", { n: value.toLocaleString(locale.value, { maximumFractionDigits: 1 }) });
  return t("minutes", { m: Math.floor(value / 60), s: Math.round(value % 60) });
}

/** Return when something was, given in seconds since 1970: the time of a day, else the day. */
export function when(value) {
  if (!value) return "";
  const date = new Date(value * 1000);
  const today = new Date().toDateString() === date.toDateString();
  return date.toLocaleString(locale.value, today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", year: "numeric" });
}

/** Return a share as percent. */
export const percent = (value) => (value == null ? "" : value.toLocaleString(locale.value, { style: "percent", maximumFractionDigits: 0 }));

if (typeof document !== "undefined") effect(() => void (document.documentElement.lang = language.value === "zh" ? "zh-Hans" : "en"));
