// The neighbourhood of a thing as a drawing; all of it stands in the lists below.

import { html, useMemo } from "../kit.js";
import { t } from "../language.js";
import { to } from "../router.js";
import { drawnAround } from "../pure/around.js";

const SIZE = { wide: 216, high: 46, across: 72, between: 8 };

/** Draw what is around a node; `prove` opens the words of a tie. */
export function Neighbourhood({ centre, kinds, collection, prove }) {
  const found = useMemo(() => drawnAround(kinds, SIZE), [kinds]);
  if (!found.boxes.length) return null;
  const at = ({ x, y }) => ({ left: `${x}px`, top: `${y}px`, width: `${SIZE.wide}px`, height: `${SIZE.high}px` });
  return html`<div class="drawing-frame neighbourhood" tabindex="0" role="group" aria-label=${t("graph.drawing", { name: centre.name })}>
    <div class="drawing" style=${{ width: `${found.width}px`, height: `${found.height}px` }}>
      <svg width=${found.width} height=${found.height} aria-hidden="true">${found.boxes.map((box) => html`<path class="line" d=${box.path} />`)}</svg>
      <p class="around-centre" style=${at(found.centre)}><strong class="clip">${centre.name}</strong></p>
      <ul>${found.boxes.map(({ other, edges, kind, ...place }) => html`<li class="around-box" style=${at(place)}>
        <button class="quiet" title=${t("graph.proofs", { n: edges.length })} onClick=${(event) => prove(edges, event.currentTarget)}>${t(`relation.${kind}`)} · ${t("graph.proofs", { n: edges.length })}</button>
        <a class="clip" title=${other.name} href=${other.document ? to("document", other.collection || collection, other.document) : to("graph", collection, other.name)}>${other.name}</a></li>`)}</ul>
    </div>
    ${found.more > 0 && html`<p class="hush">${t("graph.more", { n: found.more })}</p>`}
  </div>`;
}
