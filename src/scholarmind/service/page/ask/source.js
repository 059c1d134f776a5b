// A source beside the answer, open at the words that a sentence rests on: the page as it looks, or its text.

import { html, signal, useEffect, useLayoutEffect, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";
import { address, get, ofDocument } from "../api.js";
import { to } from "../router.js";
import { troubleText } from "../notes.js";
import { markIn } from "../pure/units.js";
import { Icon } from "../icons.js";

export const openPlaces = signal(null); // {places, index, from, opener}
const shownAs = signal("page"); // page, text, file: as it was chosen last
const WIDTH = 1100;
const known = new Map(); // what was fetched for a place, so that it is there when it is opened

/** Open passages beside the answer; `opener` gets the focus back. */
export function openSource(places, index, from, opener) {
  openPlaces.value = { places, index, from, opener };
}

export function closeSource() {
  const was = openPlaces.value;
  openPlaces.value = null;
  was?.opener?.focus();
}

/** Fetch what a place needs, before it is opened. */
export function prepare(place) {
  const id = `${place.collection}\n${place.document}\n${place.start}\n${place.quote}`;
  if (!known.has(id)) {
    if (known.size > 60) known.delete(known.keys().next().value);
    known.set(id, Promise.all([pagesOf(place), passagesAt(place)]).then(([pages, passages]) => ({ pages, passages })));
    known.get(id).catch(() => known.delete(id));
  }
  return known.get(id);
}

async function pagesOf(place) {
  if (!place.page || !place.quote) return null;
  const sizes = await get(ofDocument(place, "/pages"));
  if (!sizes.length) return null;
  const boxes = await get(ofDocument(place, `/boxes?start=${place.start}&end=${place.end}`));
  const number = boxes[0]?.page ?? place.page;
  if (!sizes.some((each) => each.number === number)) return null;
  const picture = address(ofDocument(place, `/pages/${number}?width=${WIDTH}`));
  const image = new Image();
  image.src = picture;
  return { number, sizes, boxes, image };
}

/** Return passages around a place: those before it and after it too, of long documents. */
export async function passagesAt(place) {
  const path = ofDocument(place, "/passages");
  const near = (items) => items.findIndex((each) => markIn(each, place));
  const first = await get(`${path}?limit=40`);
  if (!first.next || near(first.items) >= 0) return first.items;
  const words = place.quote.replace(/\s+/g, " ").trim().slice(0, 160);
  const found = words && (await get(`${path}?limit=1&containing=${encodeURIComponent(words)}`)).items[0];
  if (!found) return first.items;
  return (await get(`${path}?limit=40&cursor=${Math.max(0, found.position - 8)}`)).items;
}

/** Show the source that is open. */
export function Source() {
  const { places, index } = openPlaces.value;
  const place = places[index];
  const [found, trouble] = [useSignal(null), useSignal("")];
  const pane = useRef(null);
  useEffect(() => pane.current.focus({ preventScroll: true }), []);
  useEffect(() => {
    let mine = true;
    found.value = null;
    trouble.value = "";
    prepare(place).then(
      (all) => mine && (found.value = all),
      (error) => mine && (trouble.value = troubleText(error)),
    );
    return () => (mine = false);
  }, [place]);
  const turn = (by) => (openPlaces.value = { ...openPlaces.value, index: (index + by + places.length) % places.length });
  const key = (event) => {
    if (event.key === "Escape") closeSource();
    else if (event.key === "ArrowRight" && places.length > 1 && event.target === pane.current) turn(1);
    else if (event.key === "ArrowLeft" && places.length > 1 && event.target === pane.current) turn(-1);
  };
  const pages = found.value?.pages;
  return html`<section class="source" tabindex="-1" ref=${pane} onKeyDown=${key} aria-labelledby="source-title">
    <header>
      <div class="row">
        ${place.key !== place.title && html`<span class="source-key">${place.key}</span>`}<span class="grow"></span>
        ${places.length > 1 && html`<button class="quiet square" aria-label=${t("source.before")} onClick=${() => turn(-1)}><${Icon} name="before" /></button>
          <span class="faint" aria-live="polite">${t("source.of", { n: index + 1, all: places.length })}</span>
          <button class="quiet square" aria-label=${t("source.after")} onClick=${() => turn(1)}><${Icon} name="after" /></button>`}
        <button class="quiet square" aria-label=${t("close")} onClick=${closeSource}><${Icon} name="close" /></button>
      </div>
      <h2 id="source-title"><a href=${to("document", place.collection, place.document)}>${place.title}</a></h2>
      <div class="row">
        <span class="hush clip">${[place.section.at(-1), place.page && t("page.n", { n: place.page })].filter(Boolean).join(" · ")}</span><span class="grow"></span>
        ${pages && html`<div class="switch" role="group" aria-label=${t("source.as")}>${["page", "text", "file"].map(
          (each) => html`<button aria-pressed=${shownAs.value === each} onClick=${() => (shownAs.value = each)}>${t(`source.${each}`)}</button>`,
        )}</div>`}
      </div>
    </header>
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    ${!place.quote && html`<p class="banner">${t("source.stated")}</p>`}
    ${!found.value && !trouble.value && html`<div class="reading-frame" aria-busy="true"><p class="hush">${t("loading")}</p></div>`}
    ${found.value && shown(pages, place, found.value.passages)}
  </section>`;
}

function shown(pages, place, passages) {
  if (!pages || shownAs.value === "text") return html`<${Text} key=${place} passages=${passages} place=${place} />`;
  if (shownAs.value === "page") return html`<${Picture} key=${place} pages=${pages} place=${place} />`;
  return html`<${File} key=${place} place=${place} />`;
}

/** The file itself, which PDF.js shows: its text can be selected and found, its pages zoomed. */
function File({ place }) {
  const Reader = useSignal(null);
  useEffect(() => void import("../reader/reader.js").then((found) => (Reader.value = found.Reader)), []);
  if (!Reader.value) return html`<p class="hush">${t("loading")}</p>`;
  return html`<${Reader.value} place=${place} />`;
}

function Picture({ pages, place }) {
  const { number, sizes, boxes, image } = pages;
  const size = sizes.find((each) => each.number === number);
  const frame = useRef(null);
  const failed = useSignal(false);
  const there = useSignal(image.complete);
  const here = boxes.filter((box) => box.page === number);
  const share = (part, whole) => `${(100 * part) / whole}%`;
  useLayoutEffect(() => {
    const first = here[0];
    if (!first || !frame.current) return;
    const high = frame.current.firstElementChild.offsetHeight;
    frame.current.scrollTop = Math.max(0, (first.top / size.height) * high - frame.current.clientHeight / 3);
  }, [pages]);
  if (failed.value) return html`<p class="banner">${t("source.no-picture")}</p>`;
  return html`<div class="reading-frame" ref=${frame} tabindex="0" role="group" aria-label=${t("page.n", { n: number })}>
    <div class="sheet" style=${{ aspectRatio: `${size.width} / ${size.height}` }}>
      ${!there.value && html`<p class="hush drawing-page">${t("source.drawing")}</p>`}
      <img src=${image.src} onLoad=${() => (there.value = true)} alt=${t("page.of", { n: number, title: place.title })} onError=${() => (failed.value = true)} />
      ${there.value && here.map((box) => html`<i class="mark-box" style=${{
        left: share(box.left, size.width),
        top: share(box.top, size.height),
        width: share(box.right - box.left, size.width),
        height: share(box.bottom - box.top, size.height),
      }}></i>`)}
    </div>
    <p class="unseen">${place.quote}</p>
  </div>`;
}

function Text({ passages, place }) {
  const mark = useRef(null);
  useLayoutEffect(() => {
    const frame = mark.current?.closest(".reading-frame");
    if (frame) frame.scrollTop = mark.current.offsetTop - frame.clientHeight / 3;
  }, [passages]);
  let first = true;
  const marked = passages.map((passage) => ({ passage, found: markIn(passage, place) }));
  const placed = marked.some(({ found }) => found);
  return html`<div class="reading-frame" tabindex="0" role="group" aria-label=${place.title}>
    ${place.quote && !placed && html`<p class="banner">${t("source.unplaced")}</p>`}
    ${marked.map(({ passage, found }, index) => {
      const reference = found && first ? ((first = false), mark) : null;
      const heading = passage.section.at(-1) !== passages[index - 1]?.section.at(-1) && passage.section.at(-1);
      return html`${heading && html`<h3>${heading}</h3>`}<p class=${passage.kind === "table" ? "passage pre" : "passage"}>${
        found
          ? html`${passage.text.slice(0, found[0])}<mark ref=${reference}>${passage.text.slice(...found)}</mark>${passage.text.slice(found[1])}`
          : passage.text
      }</p>`;
    })}
  </div>`;
}
