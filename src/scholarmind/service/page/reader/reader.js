// A PDF to be read: its text selected, its pages zoomed, its words looked for; cited words are marked on it.

import { dress, html, useEffect, useRef, useSignal } from "../kit.js";
import { percent, t } from "../language.js";
import { address, get, ofDocument } from "../api.js";
import { findAll, textOf } from "../pure/finding.js";
import { Icon } from "../icons.js";
import { openPdf, piecesOn } from "./document.js";
import { Pages } from "./pages.js";

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
const MOST_HITS = 500;

/** Show the file of a document. `place` may name a page, and characters that are marked on it. */
export function Reader({ place }) {
  const [opened, sizes, boxes, trouble] = [useSignal(null), useSignal([]), useSignal([]), useSignal("")];
  const [scale, words, hits, at, page] = [useSignal(0), useSignal(""), useSignal([]), useSignal(0), useSignal(place.page || 1)];
  const frame = useRef(null);
  useEffect(() => {
    dress("reader");
    let mine = true;
    let own = null;
    const begin = async () => {
      own = await openPdf(address(ofDocument(place, "/file")));
      if (!mine) return own.close();
      const first = (await own.pdf.getPage(1)).getViewport({ scale: 1 });
      const known = await get(ofDocument(place, "/pages"));
      const cited = place.quote ? await get(ofDocument(place, `/boxes?start=${place.start}&end=${place.end}`)) : [];
      sizes.value = Array.from({ length: own.pdf.numPages }, (_, index) => known.find((each) => each.number === index + 1) ?? first);
      boxes.value = cited;
      const { clientWidth } = frame.current;
      scale.value = Math.min(2, (clientWidth - 24) / Math.max(...sizes.value.slice(0, 20).map((size) => size.width)));
      opened.value = own;
      requestAnimationFrame(() => goTo(cited[0]?.page ?? place.page ?? 1, cited[0]));
      return undefined;
    };
    begin().catch(() => mine && (trouble.value = t("reader.none")));
    return () => {
      mine = false;
      own?.close();
    };
  }, [place]);
  const goTo = (number, box) => {
    const sheet = frame.current?.querySelector(`[data-page="${number}"]`);
    if (!sheet) return;
    frame.current.scrollTop = sheet.offsetTop + (box ? box.top * scale.value - frame.current.clientHeight / 3 : -12);
  };
  useEffect(() => {
    if (!opened.value || words.value.trim().length < 2) {
      hits.value = [];
      return undefined;
    }
    let mine = true;
    const look = async () => {
      const found = [];
      for (let number = 1; mine && number <= sizes.value.length && found.length < MOST_HITS; number += 1) {
        const items = await piecesOn(opened.value.pdf, number);
        const { text, starts } = textOf(items);
        found.push(...findAll(text, words.value).map((each) => ({ page: number, place: each, items, starts })));
      }
      if (!mine) return;
      hits.value = found;
      show(0);
    };
    const timer = setTimeout(look, 200);
    return () => {
      mine = false;
      clearTimeout(timer);
    };
  }, [words.value, opened.value]);
  const show = (index) => {
    const all = hits.value;
    if (!all.length) return;
    at.value = (index + all.length) % all.length;
    const sheet = frame.current.querySelector(`[data-page="${all[at.value].page}"]`);
    if (sheet) frame.current.scrollTop = sheet.offsetTop - 12; // the words themselves are gone to when the page is drawn
  };
  const zoom = (by) => {
    const next = by > 0 ? ZOOMS.find((each) => each > scale.value + 0.01) : ZOOMS.findLast((each) => each < scale.value - 0.01);
    if (!next) return;
    const share = frame.current.scrollTop / Math.max(1, frame.current.scrollHeight);
    scale.value = next;
    requestAnimationFrame(() => (frame.current.scrollTop = share * frame.current.scrollHeight));
  };
  const key = (event) => {
    if (event.key === "Enter") show(at.value + (event.shiftKey ? -1 : 1));
    else if (event.key === "Escape" && words.value) (event.stopPropagation(), (words.value = ""));
  };
  const scrolled = () => {
    const sheets = [...frame.current.querySelectorAll(".pdf-page")];
    const middle = frame.current.scrollTop + frame.current.clientHeight / 2;
    page.value = Math.max(1, sheets.filter((sheet) => sheet.offsetTop <= middle).length);
  };
  if (trouble.value) return html`<p class="banner">${trouble.value}</p>`;
  return html`<div class="reader">
    <div class="reader-bar row wrap" role="toolbar" aria-label=${t("reader")}>
      <label class="search"><${Icon} name="search" /><span class="unseen">${t("reader.find")}</span>
        <input type="search" value=${words.value} placeholder=${t("reader.find")} onInput=${(event) => (words.value = event.target.value)} onKeyDown=${key} /></label>
      ${words.value.trim().length > 1 && html`<span class="faint" aria-live="polite">${hits.value.length ? t("source.of", { n: at.value + 1, all: hits.value.length }) : t("reader.not-found")}</span>
        <button class="quiet square" aria-label=${t("reader.before")} disabled=${!hits.value.length} onClick=${() => show(at.value - 1)}><${Icon} name="up" /></button>
        <button class="quiet square" aria-label=${t("reader.after")} disabled=${!hits.value.length} onClick=${() => show(at.value + 1)}><${Icon} name="down" /></button>`}
      <span class="grow"></span>
      ${sizes.value.length > 0 && html`<span class="faint">${t("source.of", { n: page.value, all: sizes.value.length })}</span>`}
      <span class="row"><button class="quiet square" aria-label=${t("reader.smaller")} onClick=${() => zoom(-1)}><${Icon} name="missing" /></button>
        <span class="faint zoom">${scale.value ? percent(scale.value) : ""}</span>
        <button class="quiet square" aria-label=${t("reader.larger")} onClick=${() => zoom(1)}><${Icon} name="plus" /></button></span>
    </div>
    <div class="reading-frame pdf-frame" ref=${frame} tabindex="0" role="group" aria-label=${place.title || t("reader")} onScroll=${scrolled}>
      ${opened.value
        ? html`<${Pages} opened=${opened.value} sizes=${sizes.value} boxes=${boxes.value} scale=${scale.value} hits=${hits.value} hit=${hits.value[at.value]} frame=${frame} />`
        : html`<p class="hush">${t("loading")}</p>`}
    </div>
  </div>`;
}
