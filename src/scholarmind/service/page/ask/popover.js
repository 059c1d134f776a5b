// The words behind a citation, shown beside it while it is pointed at or has the focus.

import { html, signal, useEffect, useLayoutEffect, useRef } from "../kit.js";
import { t } from "../language.js";
import { prepare } from "./source.js";

const pointed = signal(null);
let leaving = 0;

/** Show what stands behind a citation. */
export function point(element, place, count) {
  clearTimeout(leaving);
  pointed.value = { element, place, count };
  prepare(place);
}

/** Stop showing it, at once or after a while in which it may be pointed at itself. */
export function hide(after = 0) {
  clearTimeout(leaving);
  if (after) leaving = setTimeout(() => (pointed.value = null), after);
  else pointed.value = null;
}

/** Show the words of the citation that is pointed at. */
export function Popover() {
  const box = useRef(null);
  const now = pointed.value;
  useLayoutEffect(() => {
    if (!now || !box.current) return;
    const at = now.element.getClientRects()[0];
    const { offsetWidth: wide, offsetHeight: high } = box.current;
    if (!at) return;
    const left = Math.max(8, Math.min(at.left, innerWidth - wide - 8));
    const below = at.bottom + 6 + high < innerHeight; // above it stands the sentence, which one wants to compare
    box.current.style.left = `${left}px`;
    box.current.style.top = `${below ? at.bottom + 6 : Math.max(60, at.top - high - 6)}px`;
    now.element.setAttribute("aria-describedby", "cited-words");
    return () => now.element.removeAttribute("aria-describedby");
  }, [now]);
  useEffect(() => {
    const away = (event) => event.key === "Escape" && hide();
    const follow = () => {
      const place = pointed.value?.element.getBoundingClientRect();
      if (place && (place.bottom < 56 || place.top > innerHeight)) hide();
      else if (place) pointed.value = { ...pointed.value };
    };
    addEventListener("keydown", away);
    addEventListener("scroll", follow, { passive: true });
    return () => {
      removeEventListener("keydown", away);
      removeEventListener("scroll", follow);
      pointed.value = null;
    };
  }, []);
  if (!now) return null;
  const { place, count } = now;
  const where = [place.section.at(-1), place.page && t("page.n", { n: place.page })].filter(Boolean).join(" · ");
  return html`<div class="popover" role="tooltip" id="cited-words" ref=${box} onMouseEnter=${() => clearTimeout(leaving)} onMouseLeave=${() => hide()}>
    <p class="popover-title">${place.title}</p>
    ${place.quote ? html`<blockquote>${place.quote}</blockquote>` : html`<p class="hush">${t("source.stated")}</p>`}
    <p class="hush">${where}${count > 1 ? html`<span>${where && " · "}${t("places.n", { n: count })}</span>` : ""}</p>
  </div>`;
}
