// The library: its documents, found by their names or by their words, and more of them.

import { html, useEffect, useMemo, useSignal } from "../kit.js";
import { t } from "../language.js";
import { nameFor } from "../dialogs.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { collections, documentsIn, may } from "../session.js";
import { troubleText } from "../notes.js";
import { Icon } from "../icons.js";
import { Popover } from "../ask/popover.js";
import { openPlaces, openSource, Source } from "../ask/source.js";
import { Adding, arrived, DropZone } from "./adding.js";
import { lazyList, Rows } from "./rows.js";
import { authorsIn } from "../pure/authors.js";
import { FIELDS, filterOf } from "../pure/filters.js";
import { Facets } from "./facets.js";

const HIGH = 64;

/** Show a collection, the first that has something if none is named. */
export function LibraryPlace({ collection, query }) {
  const all = collections.value;
  const first = all?.find((each) => each.documents)?.name ?? all?.[0]?.name ?? "default";
  const name = collection || first;
  const words = useSignal(query.get("q") ?? "");
  const asked = useSignal(query.get("q") ?? "");
  const within = useSignal(query.get("in") === "passages" ? "passages" : "documents");
  const fields = useSignal(Object.fromEntries(FIELDS.map((field) => [field, query.get(field) ?? ""])));
  const adding = useSignal(query.has("add"));
  useEffect(() => {
    const timer = setTimeout(() => (asked.value = words.value), within.value === "passages" ? 350 : 180);
    return () => clearTimeout(timer);
  }, [words.value, within.value]);
  useEffect(() => {
    const told = asked.value ? { q: asked.value, in: within.value } : {};
    for (const field of FIELDS) if (fields.value[field]) told[field] = fields.value[field];
    const search = new URLSearchParams(told).toString();
    go(`${to("library", name)}${search ? `?${search}` : ""}`, { instead: true });
  }, [asked.value, within.value, name, fields.value]);
  useEffect(() => () => (openPlaces.value = null), []);
  if (!all) return html`<div class="empty" aria-busy="true"></div>`;
  const count = documentsIn(name);
  const open = adding.value || !count;
  const begin = async () => {
    const named = await nameFor(t("collection.name"), t("collection"), t("collection.new"));
    if (named) go(to("library", named));
  };
  const body = { name, words: asked.value, fields: fields.value };
  return html`<div class=${openPlaces.value ? "library reading" : "library"}>
    <div class="library-main">
    <header class="place-head">
      <h1>${t("nav.library")}</h1>
      ${all.length > 1 && html`<label class="choice"><span>${t("collection")}</span><select value=${name} onChange=${(event) => go(to("library", event.target.value))}>
        ${[...new Set([...all.map((each) => each.name), name])].map((each) => html`<option value=${each} selected=${each === name}>${each} (${documentsIn(each)})</option>`)}</select></label>`}
      <span class="faint">${t("documents.n", { n: count })}</span><span class="grow"></span>
      <a class="quiet" href=${to("graph", name)}>${t("nav.graph")}</a>
      <a class="quiet" href=${to("tree", name)}>${t("nav.tree")}</a>
      ${may("ingest") && count > 0 && html`<button class="main" aria-expanded=${open} onClick=${() => (adding.value = !adding.value)}><${Icon} name="plus" />${t("add")}</button>`}
    </header>
    ${open && may("ingest") && html`<${DropZone} collection=${name} large=${!count} />
      <p class="row"><button class="quiet small" onClick=${begin}><${Icon} name="plus" />${t("collection.new")}</button></p>`}
    <${Adding} />
    ${count > 0 && html`<div class="finder" role="search">
      <label class="search"><${Icon} name="search" /><span class="unseen">${t("search")}</span>
        <input type="search" value=${words.value} placeholder=${t(`search.${within.value}`)} onInput=${(event) => (words.value = event.target.value)} /></label>
      <div class="switch" role="group" aria-label=${t("search.in")}>${["documents", "passages"].map(
        (each) => html`<button aria-pressed=${within.value === each} onClick=${() => (within.value = each)}>${t(`in.${each}`)}</button>`,
      )}</div>
      <${Facets} name=${name} fields=${fields} words=${within.value === "documents" ? asked.value : ""} />
    </div>
    ${within.value === "passages" ? html`<${Passages} ...${body} />` : html`<${Documents} key=${`${name} ${asked.value} ${JSON.stringify(fields.value)} ${arrived.value}`} ...${body} count=${count} />`}`}
    </div>
    ${openPlaces.value && html`<aside class="beside"><${Source} /></aside>`}
    <${Popover} />
  </div>`;
}

function Documents({ name, words, fields, count }) {
  const trouble = useSignal("");
  const filter = filterOf(words, fields);
  const list = useMemo(
    () =>
      lazyList(
        (start) =>
          get(`/collections/${encodeURIComponent(name)}/documents?limit=200&cursor=${start}&filter=${encodeURIComponent(filter)}`).catch((error) => {
            trouble.value = troubleText(error);
            throw error;
          }),
        filter ? null : count,
      ),
    [],
  );
  if (trouble.value) return html`<p class="trouble" role="alert">${trouble.value}</p>`;
  return html`<${Rows} list=${list} high=${HIGH} label=${t("documents")} empty=${t("search.none")} row=${(each) => html`<${DocumentRow} document=${each} />`} />`;
}

function DocumentRow({ document }) {
  const { authors } = document;
  const by = authorsIn(authors, 3);
  return html`<a class="document-row" href=${to("document", document.collection, document.id)}>
    <span class="clip document-title" lang=${document.language || undefined}>${document.title || document.id}</span>
    <span class="document-year">${document.year ?? ""}</span>
    <span class="clip faint document-by">${by || t("authors.none")}</span>
    <span class="faint document-kind">${document.metadata.venue ?? document.kind}</span>
  </a>`;
}

function Passages({ name, words, fields }) {
  const found = useSignal(null);
  const trouble = useSignal("");
  const filter = filterOf("", fields);
  useEffect(() => {
    if (!words.trim()) {
      found.value = null;
      return undefined;
    }
    const stop = new AbortController();
    trouble.value = "";
    send("POST", "/search", { question: words, limit: 30, collections: [name], filter }).then(
      (all) => !stop.signal.aborted && (found.value = all),
      (error) => !stop.signal.aborted && (trouble.value = troubleText(error)),
    );
    return () => stop.abort();
  }, [words, name, filter]);
  if (trouble.value) return html`<p class="trouble" role="alert">${trouble.value}</p>`;
  if (!words.trim()) return html`<div class="empty"><p>${t("search.how")}</p></div>`;
  if (!found.value) return html`<div class="empty" aria-busy="true"><p class="hush">${t("loading")}</p></div>`;
  if (!found.value.passages.length) return html`<div class="empty"><p>${t("search.none")}</p></div>`;
  const places = found.value.passages.map((each) => ({ ...each, key: each.title, quote: each.text }));
  return html`${found.value.notices.map((each) => html`<p class="banner">${each}</p>`)}
    <ol class="found">${places.map((each, index) => html`<li><button onClick=${(event) => openSource(places, index, `found.${index}`, event.currentTarget)}>
      <span class="found-title clip">${each.title}</span>
      <span class="faint clip">${[each.section.at(-1), each.page && t("page.n", { n: each.page })].filter(Boolean).join(" · ")}</span>
      <span class="found-text">${each.text}</span></button></li>`)}</ol>`;
}
