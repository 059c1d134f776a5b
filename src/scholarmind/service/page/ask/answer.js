// The answer: its text as it comes, every sentence with what it rests on, and how sure each is.

import { html, useMemo, useRef } from "../kit.js";
import { language, t } from "../language.js";
import { parse, plainOf } from "../pure/markdown.js";
import { counted, placed, placesFor, withClaims } from "../pure/citations.js";
import { isOver } from "../pure/progress.js";
import { Disagreements } from "./disagree.js";
import { openPlaces, openSource } from "./source.js";
import { hide, point } from "./popover.js";

const KINDS = ["verified", "paraphrase", "conclusion", "unsupported"];

/** Show the answer of a run, as far as it is there; `name` tells it from others beside it. */
export function Answer({ run, name }) {
  const known = useMemo(() => (run.answer ? placed(run.answer) : { claims: [], citations: [], keys: new Set() }), [run.answer]);
  const blocks = useMemo(() => parse(run.text, run.answer ? known.keys : keysIn(run.text)), [run.text, run.answer]);
  const drawn = useRef([]);
  const over = isOver(run.state);
  if (!run.text) return over || !run.selected ? null : html`<section class="answer"><h2 class="unseen">${t("answer")}</h2><p class="writing hush">${t("state.writing")}</p></section>`;
  const about = { text: run.text, known, run };
  const drawBlock = (block, index) => {
    const said = `${language.value}${run.text.slice(block.start, block.end)}`;
    const was = drawn.current[index];
    if (was?.said === said && was.answer === run.answer) return was.node; // while the answer streams, only its end is drawn anew
    const node = html`<${Block} key=${index} block=${block} about=${about} />`;
    drawn.current[index] = { said, answer: run.answer, node };
    return node;
  };
  return html`<section class=${over ? "answer" : "answer streaming"} aria-labelledby=${`answer-${run.id}`}>
    <h2 class="unseen" id=${`answer-${run.id}`}>${name ?? t("answer")}</h2>
    <div class="prose">${blocks.map(drawBlock)}</div>
    ${run.answer && html`<${Disagreements} answer=${run.answer} known=${known} />`}
    ${run.answer && known.claims.length > 0 && html`<${Legend} claims=${known.claims} />`}
  </section>`;
}

/** Return what looks like citations in a text that is still being written. */
const keysIn = (text) => new Set([...text.matchAll(/\[([^[\]]*\d{4}[a-z]?)\]/g)].map((found) => found[1]));

function Block({ block, about }) {
  const inline = (pieces) => html`<${Inline} pieces=${pieces} about=${about} />`;
  switch (block.kind) {
    case "heading":
      return html`<h3 class=${`level-${block.level}`}>${inline(block.inline)}</h3>`;
    case "list": {
      const items = block.items.map((item) => html`<li data-depth=${item.depth}>${inline(item.inline)}</li>`);
      return block.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table":
      return html`<div class="table-frame" tabindex="0" role="group" aria-label=${t("table")}><table>
        <thead><tr>${block.head.map((cell) => (plainOf(cell).trim() ? html`<th scope="col">${inline(cell)}</th>` : html`<td></td>`))}</tr></thead>
        <tbody>${block.rows.map((row) => html`<tr>${row.map((cell, index) => (index ? html`<td>${inline(cell)}</td>` : html`<th scope="row">${inline(cell)}</th>`))}</tr>`)}</tbody>
      </table></div>`;
    case "quote":
      return html`<blockquote>${inline(block.inline)}</blockquote>`;
    default:
      return html`<p class=${block.inline.every((piece) => piece.style === "emphasis" || !piece.text?.trim()) ? "aside-note" : undefined}>${inline(block.inline)}</p>`;
  }
}

function Inline({ pieces, about }) {
  return withClaims(pieces, about.known.claims).map((piece, index) => {
    if (piece.kind === "cite") return html`<${Cite} key=${index} piece=${piece} about=${about} />`;
    const inner = { strong: html`<strong>${piece.text}</strong>`, emphasis: html`<em>${piece.text}</em>`, code: html`<code>${piece.text}</code>` }[piece.style] ?? piece.text;
    const { claim } = piece;
    if (!claim || claim.status === "verified") return inner;
    return html`<span class=${`claim ${claim.status}`} title=${t(`claim.${claim.status}.why`)}>${inner}</span>`;
  });
}

function Cite({ piece, about }) {
  const { text, known } = about;
  const behind = useMemo(() => placesFor(text, known, piece), [text, known, piece]);
  if (!behind.places.length) return html`<span class="cite pending">${piece.key}</span>`;
  const open = openPlaces.value;
  const here = open && open.from === `${about.run.id}.${piece.start}`;
  const show = (event) => point(event.currentTarget, behind.places[behind.index], behind.places.length);
  const click = (event) => {
    hide();
    openSource(behind.places, behind.index, `${about.run.id}.${piece.start}`, event.currentTarget);
  };
  return html`<button class="cite" aria-pressed=${here ? "true" : undefined} aria-label=${t("cite.open", { key: piece.key })}
    onMouseEnter=${show} onMouseLeave=${() => hide(120)} onFocus=${show} onBlur=${() => hide()} onClick=${click}>${piece.key}</button>`;
}

function Legend({ claims }) {
  const counts = counted(claims);
  return html`<ul class="legend" aria-label=${t("legend")}>${KINDS.filter((kind) => counts[kind]).map(
    (kind) => html`<li><span class=${`claim ${kind}`}>${t(`claim.${kind}`, { n: counts[kind] })}</span><span class="hush">${t(`claim.${kind}.why`)}</span></li>`,
  )}</ul>`;
}
