// Numbers that disagree, side by side: what each source says, with its numbers set off, so that one sees at once which is which.

import { html, useMemo } from "../kit.js";
import { t } from "../language.js";
import { disagreements } from "../pure/citations.js";
import { openSource } from "./source.js";

/** Show what the sources of an answer disagree on, if they do. */
export function Disagreements({ answer, known }) {
  const found = useMemo(() => disagreements(answer, known), [answer]);
  return found.map(
    ({ row, sides }) => html`<section class="disagree" aria-labelledby=${`disagree-${row.id}`}>
      <h3 id=${`disagree-${row.id}`}>${t("disagree", { text: row.text })}</h3>
      <ul>${sides.map(
        ({ place, pieces }, index) => html`<li><button onClick=${(event) => openSource(sides.map((side) => side.place), index, `disagree.${row.id}.${index}`, event.currentTarget)}>
          <span class="source-key">${place.key}${place.year && !place.key.includes(String(place.year)) ? `, ${place.year}` : ""}</span>
          <span class="said">${pieces.map((piece) => (piece.number ? html`<strong>${piece.text}</strong>` : piece.text))}</span></button></li>`,
      )}</ul>
    </section>`,
  );
}
