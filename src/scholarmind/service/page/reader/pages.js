// The pages of a PDF, one below the other: those in sight are drawn, what is looked for in them is marked, and so are cited words.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";
import { piecesOf } from "../pure/finding.js";
import { drawPage } from "./document.js";

const MARKS = typeof CSS !== "undefined" && CSS.highlights ? { found: new Highlight(), current: new Highlight() } : null;
if (MARKS) for (const [name, marks] of Object.entries(MARKS)) CSS.highlights.set(name, marks);

/** Show all pages. `sizes` are those of each page in points, `boxes` what is cited, `hits` what was found and `hit` which of it is meant. */
export function Pages({ opened, sizes, boxes, scale, hits, hit, frame }) {
  return html`<div class="pdf-pages">${sizes.map(
    (size, index) => html`<${Page} key=${index} opened=${opened} number=${index + 1} size=${size} scale=${scale} frame=${frame}
      boxes=${boxes.filter((box) => box.page === index + 1)} hits=${hits.filter((each) => each.page === index + 1)} hit=${hit} />`,
  )}</div>`;
}

function Page({ opened, number, size, scale, boxes, hits, hit, frame }) {
  const [sheet, canvas, layer] = [useRef(null), useRef(null), useRef(null)];
  const seen = useSignal(false);
  const drawn = useSignal(null);
  useEffect(() => {
    const watching = new IntersectionObserver((all) => (seen.value = all.at(-1).isIntersecting), { root: frame.current, rootMargin: "600px 0px" });
    watching.observe(sheet.current);
    return () => watching.disconnect();
  }, []);
  useEffect(() => {
    drawn.value = null;
    if (!seen.value) {
      canvas.current.width = 0; // what is out of sight keeps no picture
      layer.current.replaceChildren();
      return undefined;
    }
    let mine = true;
    drawPage(opened, number, { canvas: canvas.current, layer: layer.current, scale }).then(
      (divs) => mine && (drawn.value = divs),
      () => {}, // it was scrolled past, or zoomed, while it was being drawn
    );
    return () => (mine = false);
  }, [seen.value, scale]);
  useLayoutEffect(() => {
    if (!drawn.value || !MARKS || !hits.length) return undefined;
    const made = hits.flatMap((each) => rangesOf(each, drawn.value).map((range) => [each === hit ? "current" : "found", range]));
    for (const [name, range] of made) MARKS[name].add(range);
    if (hits.includes(hit)) made.find(([name]) => name === "current")?.[1].startContainer.parentElement.scrollIntoView({ block: "center" });
    return () => made.forEach(([name, range]) => MARKS[name].delete(range));
  }, [drawn.value, hits, hit]);
  const share = (part, whole) => `${(100 * part) / whole}%`;
  return html`<div class="sheet pdf-page" data-page=${number} ref=${sheet} style=${{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }}>
    <canvas ref=${canvas} role="img" aria-label=${t("page.n", { n: number })}></canvas>
    ${boxes.map((box) => html`<i class="mark-box" style=${{
      left: share(box.left, size.width),
      top: share(box.top, size.height),
      width: share(box.right - box.left, size.width),
      height: share(box.bottom - box.top, size.height),
    }}></i>`)}
    <div class="text-layer" ref=${layer}></div>
  </div>`;
}

/** Return where found words stand in the layer of a page. */
function rangesOf(found, divs) {
  return piecesOf(found.items, found.starts, found.place).flatMap(({ item, from, to }) => {
    const text = divs[item]?.firstChild;
    if (!text || text.length < to) return [];
    const range = new Range();
    range.setStart(text, from);
    range.setEnd(text, to);
    return [range];
  });
}
