// A list of any length: only what is seen is on the page, and what is not there yet is fetched when it is scrolled to.

import { html, signal, useEffect, useMemo, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";

const PIECE = 200;
const BESIDE = 8; // rows beyond the edges, so that quick eyes see none of them come

/** Items that are fetched piece by piece: `fetchPiece(start)` gives {items, next}. */
export function lazyList(fetchPiece, total) {
  const pieces = new Map();
  const news = signal(0);
  const length = signal(total ?? PIECE);
  const known = signal(total != null);
  const need = (start) => {
    if (pieces.has(start)) return;
    pieces.set(start, null);
    fetchPiece(start).then(
      ({ items, next }) => {
        pieces.set(start, items);
        if (next === null) {
          length.value = start + items.length;
          known.value = true;
        } else if (!known.value) length.value = Math.max(length.value, start + 2 * PIECE);
        news.value += 1;
      },
      () => pieces.delete(start),
    );
  };
  const at = (index) => {
    const start = index - (index % PIECE);
    need(start);
    return pieces.get(start)?.[index - start];
  };
  need(0);
  return { at, length, known, news };
}

/** Show the rows of a list that are seen; `row(item)` draws one of them. */
export function Rows({ list, high, row, label, empty }) {
  const frame = useRef(null);
  const seen = useSignal({ from: 0, to: 40 });
  const look = useMemo(() => {
    let asked = 0;
    return () => {
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        const { top } = frame.current?.getBoundingClientRect() ?? { top: 0 };
        const from = Math.max(0, Math.floor(-top / high) - BESIDE);
        const to = from + Math.ceil(innerHeight / high) + 2 * BESIDE;
        if (from !== seen.value.from || to !== seen.value.to) seen.value = { from, to };
      });
    };
  }, []);
  useEffect(() => {
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  void list.news.value;
  const all = list.length.value;
  const { from } = seen.value;
  const to = Math.min(all, seen.value.to);
  const shown = [];
  for (let index = from; index < to; index += 1) shown.push([index, list.at(index)]);
  if (list.known.value && all === 0) return html`<div class="empty"><p>${empty}</p></div>`;
  return html`<ul class="list" ref=${frame} aria-label=${label} style=${{ height: `${all * high}px` }}>
    ${shown.map(
      ([index, item]) => html`<li key=${index} aria-setsize=${list.known.value ? all : -1} aria-posinset=${index + 1} style=${{ top: `${index * high}px`, height: `${high}px` }}>
        ${item ? row(item) : html`<span class="coming"><span class="unseen">${t("loading")}</span></span>`}
      </li>`,
    )}
  </ul>`;
}
