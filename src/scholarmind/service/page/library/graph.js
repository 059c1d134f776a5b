// The graph of papers: what is around a method, a data set, an author or a paper, with the words that prove each tie.

import { html, useEffect, useMemo, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, ofDocument, Trouble } from "../api.js";
import { go, to } from "../router.js";
import { sayTrouble, troubleText } from "../notes.js";
import { tiesOf } from "../pure/around.js";
import { nameOf } from "../pure/examples.js";
import { Icon } from "../icons.js";
import { Names } from "./names.js";
import { Neighbourhood } from "./neighbourhood.js";
import { openPlaces, openSource, Source } from "../ask/source.js";

const MOST = 120;

/** Show what is around a name. */
export function GraphPlace({ collection, name }) {
  const [typed, found, trouble, turn] = [useSignal(name), useSignal(null), useSignal(""), useSignal(0)];
  useEffect(() => {
    typed.value = name;
    found.value = null;
    trouble.value = "";
    openPlaces.value = null;
    if (!name) return;
    get(`/collections/${encodeURIComponent(collection)}/graph?name=${encodeURIComponent(name)}&hops=1&most=${MOST}`).then(
      (all) => (found.value = all),
      (error) => (trouble.value = error instanceof Trouble && error.status === 404 ? t("graph.nothing", { name }) : troubleText(error)),
    );
  }, [collection, name, turn.value]);
  useEffect(() => () => (openPlaces.value = null), []);
  const submit = (event) => {
    event.preventDefault();
    if (typed.value.trim()) go(to("graph", collection, typed.value.trim()));
  };
  return html`<div class=${openPlaces.value ? "library reading" : "library"}><div class="library-main">
    <header class="place-head"><h1>${t("nav.graph")}</h1><a class="quiet" href=${to("library", collection)}>${collection}</a></header>
    <form class="finder" role="search" onSubmit=${submit}><label class="search"><${Icon} name="search" /><span class="unseen">${t("graph.name")}</span>
      <input type="search" value=${typed.value} placeholder=${t("graph.name")} onInput=${(event) => (typed.value = event.target.value)} /></label>
      <button class="main" type="submit">${t("show")}</button></form>
    ${trouble.value && html`<p class="banner" role="alert">${trouble.value}</p>`}
    ${!name && html`<${Suggestions} collection=${collection} />`}
    ${found.value && html`<${Around} found=${found.value} collection=${collection} again=${() => (turn.value += 1)} />`}
  </div>${openPlaces.value && html`<aside class="beside"><${Source} /></aside>`}</div>`;
}

/** Where nothing is typed: names of this collection's own documents. */
function Suggestions({ collection }) {
  const names = useSignal([]);
  useEffect(() => void get(`/collections/${encodeURIComponent(collection)}/documents?limit=60`).then(({ items }) => (names.value = [...new Set(items.map(nameOf).filter(Boolean))].slice(0, 24)), () => {}), [collection]);
  return html`<div class="empty"><p>${t("graph.how")}</p>
    ${names.value.length > 0 && html`<ul class="chosen" aria-label=${t("graph.try")}>${names.value.map((each) => html`<li><a class="chip" href=${to("graph", collection, each)}>${each}</a></li>`)}</ul>`}</div>`;
}

function Around({ found, collection, again }) {
  const [centre] = found.nodes;
  const kinds = useMemo(() => tiesOf(found), [found]);
  return html`<section class="around"><h2>${centre.name} <span class="faint">${t(`node.${centre.kind}`)}</span></h2>
    <${Names} key=${centre.number} node=${centre} again=${again} />
    <${Neighbourhood} centre=${centre} kinds=${kinds} collection=${collection} prove=${prove} />
    ${kinds.map(({ kind, ties }) => html`<section key=${kind}><h3>${t(`relation.${kind}`)} <span class="faint">${ties.length}</span></h3>
      <ul>${ties.map(({ other, edges }) => html`<li>
        <a href=${other.document ? to("document", other.collection || collection, other.document) : to("graph", collection, other.name)}>${other.name}</a>
        ${values(edges)}
        <button class="chip" onClick=${(event) => prove(edges, event.currentTarget)}>${t("graph.proofs", { n: edges.length })}</button></li>`)}</ul></section>`)}
  </section>`;
}

const values = (edges) => {
  const told = [...new Set(edges.filter((edge) => edge.value).map((edge) => [edge.metric, edge.value].filter(Boolean).join(" ")))];
  return told.length > 0 && html`<span class="faint">${told.slice(0, 4).join(" · ")}</span>`;
};

/** Open the words that ties rest on; a tie that a document states of itself has none. */
async function prove(edges, opener) {
  try {
    openSource(await Promise.all(edges.slice(0, 20).map(proof)), 0, "graph", opener);
  } catch (error) {
    sayTrouble(error);
  }
}

async function proof(edge) {
  const document = await get(ofDocument(edge));
  const stated = edge.position == null;
  const [passage] = stated ? [] : (await get(ofDocument(edge, `/passages?limit=1&cursor=${edge.position}`))).items;
  const words = passage && edge.end > edge.start ? [...passage.text].slice(Math.max(0, edge.start - passage.start), edge.end - passage.start).join("") : "";
  return { ...edge, key: document.title, title: document.title, section: passage?.section ?? [], page: passage?.page, quote: words };
}
