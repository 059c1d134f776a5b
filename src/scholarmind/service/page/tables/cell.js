// A cell of a table beside it: what it says, where that is said, and what is right if it is wrong.

import { html, useEffect, useRef, useSignal } from "../kit.js";
import { percent, t } from "../language.js";
import { ask } from "../api.js";
import { may } from "../session.js";
import { say, troubleText } from "../notes.js";
import { stateOfCell } from "../pure/columns.js";
import { Icon } from "../icons.js";
import { openPlaces, Source } from "../ask/source.js";

/** Show a cell, with its words in the source below. */
export function CellPane({ chosen, path, corrected, close }) {
  const { row, column, place } = chosen;
  const cell = row.cells[column.name];
  const state = stateOfCell(cell);
  const [value, wrong, editing] = [useSignal(cell?.value ?? ""), useSignal(""), useSignal(false)];
  const pane = useRef(null);
  useEffect(() => {
    if (!place) pane.current.focus({ preventScroll: true });
  }, []);
  const put = async (text) => {
    try {
      const { collection, document } = row;
      const reply = await ask(`${path}/cells`, { method: "PUT", body: { collection, document, column: column.name, value: text } });
      corrected(await reply.json());
      editing.value = false;
      say(t("saved"));
    } catch (error) {
      wrong.value = troubleText(error);
    }
  };
  const submit = (event) => {
    event.preventDefault();
    put(value.value.trim() || t("tables.none.word"));
  };
  const key = (event) => event.key === "Escape" && close();
  return html`<section class="cell-pane" tabindex="-1" ref=${pane} onKeyDown=${key} aria-labelledby="cell-title">
    <div class="row"><h2 id="cell-title" class="clip">${column.name}</h2><span class="grow"></span>
      ${!place && html`<button class="quiet square" aria-label=${t("tables.close")} onClick=${close}><${Icon} name="close" /></button>`}</div>
    <p class="hush">${column.questions.slice(0, 1).join("")}</p>
    ${editing.value
      ? html`<form class="row wrap" onSubmit=${submit}><label class="field grow"><span>${t("tables.right")}</span><input value=${value.value} onInput=${(event) => (value.value = event.target.value)} /></label>
          <button class="main" type="submit">${t("save")}</button><button class="quiet" type="button" onClick=${() => (editing.value = false)}>${t("cancel")}</button></form>`
      : html`<p class="cell-value">${cell?.value || t("tables.none")}</p>
          <p class="row wrap"><span class="hush">${saidBy(state, cell)}</span><span class="grow"></span>
            ${may("ingest") && state === "hand" && html`<button class="quiet small" onClick=${() => put("")}>${t("tables.back")}</button>`}
            ${may("ingest") && html`<button class="quiet small" onClick=${() => ((value.value = cell?.value ?? ""), (editing.value = true))}>${t("tables.correct")}</button>`}</p>`}
    ${wrong.value && html`<p class="trouble" role="alert">${wrong.value}</p>`}
    ${state === "none" && place && html`<p class="banner">${t("tables.nearest")}</p>`}
    ${place && openPlaces.value && html`<${Source} />`}
  </section>`;
}

function saidBy(state, cell) {
  if (state === "hand") return t("tables.by.hand");
  if (state === "meta") return t("tables.by.meta");
  if (state === "none") return t("tables.by.none");
  return t(cell.by === "model" ? "tables.by.model" : "tables.by.rules", { sure: percent(cell.sure) });
}
