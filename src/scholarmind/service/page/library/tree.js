// The tree of summaries: what the library is about, from the whole down to its passages.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get } from "../api.js";
import { to } from "../router.js";
import { troubleText } from "../notes.js";

/** Show what is at the top of the tree, or below one of its summaries. */
export function TreePlace({ collection, node }) {
  const [found, trouble] = [useSignal(null), useSignal("")];
  useEffect(() => {
    found.value = null;
    trouble.value = "";
    const below = (number) => get(`/collections/${encodeURIComponent(collection)}/tree${number ? `?node=${encodeURIComponent(number)}` : ""}`);
    const load = async () => {
      const all = await below(node);
      const only = !node && all.children.filter((each) => each.summary);
      found.value = only.length === 1 ? await below(only[0].number) : all; // one summary of everything is begun with
    };
    load().catch((error) => (trouble.value = troubleText(error)));
  }, [collection, node]);
  const now = found.value;
  return html`<div class="library"><div class="library-main">
    <header class="place-head"><h1>${t("nav.tree")}</h1><a class="quiet" href=${node ? to("tree", collection) : to("library", collection)}>${node ? t("tree.top") : collection}</a></header>
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    ${now?.node && html`<${Summary} node=${now.node} collection=${collection} open />`}
    ${now && html`<ul class="summaries">${now.children.filter((each) => each.summary).map((each) => html`<li><${Summary} node=${each} collection=${collection} /></li>`)}</ul>`}
    ${now && !now.node && now.children.length === 0 && html`<div class="empty"><p>${t("tree.none")}</p></div>`}
  </div></div>`;
}

function Summary({ node, collection, open }) {
  const lines = open ? node.summary : node.summary.slice(0, 2);
  return html`<section class=${open ? "summary open" : "summary"}>
    <h2>${open ? node.title : html`<a href=${to("tree", collection, String(node.number))}>${node.title}</a>`}</h2>
    <p class="faint">${t("tree.size", { documents: node.documents, passages: node.passages })}${node.first ? ` · ${node.first}–${node.last}` : ""}</p>
    ${lines.map((line) => html`<p class="passage">${line.text}</p>`)}
  </section>`;
}
