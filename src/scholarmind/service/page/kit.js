// What every part of the page is made with.

import { h, render, Fragment } from "./vendor/preact.js";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
import { batch, computed, effect, signal, useComputed, useSignal } from "./vendor/signals.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { h, render, Fragment, batch, computed, effect, signal };
export { useComputed, useEffect, useId, useLayoutEffect, useMemo, useRef, useSignal, useState };

/** Return class names, of those that hold. */
export const names = (...all) => all.filter(Boolean).join(" ");

/** Put looks into the page that few places need, once. */
export function dress(name) {
  if (document.querySelector(`link[data-looks="${name}"]`)) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href: new URL(`style/${name}.css`, import.meta.url).href });
  link.dataset.looks = name;
  document.head.append(link);
}

/** Return something kept in this browser, or what stands for it. */
export function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`scholarmind.${name}`)) ?? otherwise;
  } catch {
    return otherwise; // private windows keep nothing
  }
}

/** Keep something in this browser. */
export function keep(name, value) {
  try {
    if (value === "") localStorage.removeItem(`scholarmind.${name}`);
    else localStorage.setItem(`scholarmind.${name}`, JSON.stringify(value));
  } catch {
    // then it is as it was at the next visit
  }
}

/** Return a signal whose value is kept in this browser. */
export function keptSignal(name, otherwise) {
  const found = signal(kept(name, otherwise));
  effect(() => keep(name, found.value));
  return found;
}
