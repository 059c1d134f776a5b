// A document: what it says of itself, put right where it is wrong, its sections and passages, what it cites and who cites it.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { sure } from "../dialogs.js";
import { address, ask, get, ofDocument } from "../api.js";
import { go, to } from "../router.js";
import { may, refresh } from "../session.js";
import { sayTrouble, troubleText } from "../notes.js";
import { authorsIn } from "../pure/authors.js";
import { Correction, Known } from "./fields.js";

/** Show a document. */
export function DocumentPlace({ collection, id }) {
  const place = { collection, document: id };
  const [document, tag, trouble, editing] = [useSignal(null), useSignal(""), useSignal(""), useSignal(false)];
  const load = async () => {
    try {
      const reply = await ask(ofDocument(place));
      tag.value = reply.headers.get("etag");
      document.value = await reply.json();
    } catch (error) {
      trouble.value = troubleText(error);
    }
  };
  useEffect(() => void load(), [collection, id]);
  if (trouble.value) return html`<div class="empty"><h1>${trouble.value}</h1><p><a href=${to("library", collection)}>${t("nav.library")}</a></p></div>`;
  const found = document.value;
  if (!found) return html`<div class="empty" aria-busy="true"></div>`;
  const remove = async () => {
    if (!(await sure(t("remove.sure", { title: found.title }), t("remove")))) return;
    try {
      await ask(ofDocument(place), { method: "DELETE" });
      await refresh();
      go(to("library", collection));
    } catch (error) {
      sayTrouble(error);
    }
  };
  return html`<article class="document">
    <p class="crumbs"><a href=${to("library", collection)}>${t("nav.library")}</a> / ${collection}</p>
    ${editing.value
      ? html`<${Correction} found=${found} place=${place} tag=${tag.value} done=${() => ((editing.value = false), load())} />`
      : html`<header><h1 lang=${found.language || undefined}>${found.title || found.id}</h1>
          <p class="byline">${authorsIn(found.authors) || t("authors.none")}${found.year ? ` · ${found.year}` : ""}</p>
          <div class="row wrap">
            ${may("ingest") && html`<button class="quiet" onClick=${() => (editing.value = true)}>${t("edit")}</button>`}
            ${found.file?.toLowerCase().endsWith(".pdf") && html`<a class="quiet" href=${to("read", collection, id)}>${t("reader.open")}</a>`}
            ${found.file && html`<a class="quiet" href=${address(ofDocument(place, "/file"))} download=${found.file}>${t("file.get")}</a>`}
            ${may("ingest") && html`<button class="quiet danger" onClick=${remove}>${t("remove")}</button>`}
          </div></header>`}
    <div class="document-body">
      <${Passages} place=${place} />
      <aside>
        <${Known} key=${tag.value} place=${place} />
        <${References} place=${place} />
      </aside>
    </div>
  </article>`;
}

function Passages({ place }) {
  const [items, next, trouble] = [useSignal([]), useSignal("0"), useSignal("")];
  const more = async () => {
    try {
      const found = await get(ofDocument(place, `/passages?limit=60&cursor=${next.value}`));
      items.value = [...items.value, ...found.items];
      next.value = found.next;
    } catch (error) {
      trouble.value = troubleText(error);
    }
  };
  useEffect(() => void more(), []);
  const sections = items.value.map((each) => each.section.at(-1) ?? "").filter((each, index, all) => each && each !== all[index - 1]);
  const jump = (name) => window.document.querySelector(`[data-section="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "start" });
  return html`<section class="passages" aria-labelledby="text-title">
    <h2 id="text-title" class="unseen">${t("source.text")}</h2>
    ${sections.length > 2 && html`<nav class="sections" aria-label=${t("sections")}>${[...new Set(sections)].slice(0, 40).map((each) => html`<button class="chip" onClick=${() => jump(each)}>${each}</button>`)}</nav>`}
    ${items.value.map((each, index) => {
      const name = each.section.at(-1);
      const heading = name && name !== items.value[index - 1]?.section.at(-1);
      return html`${heading && html`<h3 data-section=${name}>${name}</h3>`}<p class=${each.kind === "table" ? "passage pre" : "passage"}>${each.text}${each.page ? html` <span class="faint page-mark">${t("page.n", { n: each.page })}</span>` : ""}</p>`;
    })}
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    ${next.value !== null && items.value.length > 0 && html`<button class="quiet" onClick=${more}>${t("more")}</button>`}
  </section>`;
}

function References({ place }) {
  const found = useSignal(null);
  useEffect(() => void get(ofDocument(place, "/references")).then((all) => (found.value = all), () => {}), []);
  if (!found.value) return null;
  const list = (name, all) =>
    all.length > 0 &&
    html`<section><h2>${t(name)} <span class="faint">${all.length}</span></h2><ul class="references">${all.map(
      (each) => html`<li>${each.document ? html`<a href=${to("document", place.collection, each.document)}>${each.title}</a>` : each.title}${each.year ? html` <span class="faint">${each.year}</span>` : ""}</li>`,
    )}</ul></section>`;
  return html`${list("cited-by", found.value.cited_by)}${list("cites", found.value.cites)}`;
}
