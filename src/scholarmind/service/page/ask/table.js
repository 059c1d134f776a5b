// The table of completeness: every part of the question, how it stands, and what to do about what is missing.

import { html } from "../kit.js";
import { percent, t } from "../language.js";
import { to } from "../router.js";
import { may, session } from "../session.js";
import { say, sayTrouble } from "../notes.js";
import { absentRows } from "../pure/absent.js";
import { isOver, stateOf } from "../pure/progress.js";
import { StatusMark } from "../icons.js";
import { askQuestion } from "./box.js";
import { markAbsent, ratingsOf } from "./ratings.js";

/** Show how complete an answer is, or how far it is. */
export function Completeness({ run, filled }) {
  const { rows } = run;
  const answered = rows.filter((row) => row.status === "answered").length;
  const over = isOver(run.state);
  const shown = run.reviewed || over ? answered : rows.filter((row) => stateOf(run, row) === "found").length;
  return html`<section class="completeness" aria-labelledby="completeness-title">
    <div class="section-head"><h2 id="completeness-title">${t("completeness")}</h2>
      ${rows.length > 0 && html`<span class="faint" aria-live="polite">${t(run.reviewed || over ? "rows.of" : "rows.found", { n: shown, all: rows.length })}</span>`}</div>
    ${rows.length > 0 && html`<div class="meter" aria-hidden="true">${rows.map((row) => html`<i data-status=${stateOf(run, row)}></i>`)}</div>`}
    ${rows.length === 0 && html`<p class="hush">${over ? t("rows.none") : t("rows.coming")}</p>`}
    <ul class="rows">${rows.map((row) => html`<${Row} key=${row.id} run=${run} row=${row} filled=${filled} over=${over} />`)}</ul>
  </section>`;
}

function Row({ run, row, filled, over }) {
  const state = stateOf(run, row);
  const owed = over && run.state !== "awaiting_plan" && row.status !== "answered" && state !== "found"; // also of what was stopped
  return html`<li class="row-item" data-status=${state}>
    <${StatusMark} status=${state} />
    <div>
      <p class="row-text"><span class="row-id">${row.id}</span> ${row.text}</p>
      <p class="row-state">${t(`status.${state}`)}${row.status === "answered" && row.confidence != null ? html` <span title=${t("confidence")}>· ${percent(row.confidence)}</span>` : ""}</p>
      ${row.missing && html`<p class="row-missing">${row.missing}</p>`}
      ${owed && html`<${Owed} run=${run} row=${row} filled=${filled} />`}
    </div>
  </li>`;
}

/** What can be done about a row that is not answered. */
function Owed({ run, row, filled }) {
  const ratings = ratingsOf(run.id).value;
  const asked = run.parts[row.part]?.question && run.rows.filter((each) => each.part === row.part).length === 1 ? run.parts[row.part].question : row.text;
  const wider = async () => {
    const more = session.value?.model ? { effort: "deep" } : { strategy: "concepts" };
    try {
      await askQuestion({ question: asked, conversation: run.conversation, ...more });
    } catch (error) {
      sayTrouble(error);
    }
  };
  const mark = async () => {
    try {
      await markAbsent(run.id, row);
      say(t("owed.marked"));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const change = () => (filled.value = asked);
  if (absentRows(ratings ?? []).includes(row.id)) return html`<p class="hush">${t("owed.marked")}</p>`;
  return html`<div class="owed" role="group" aria-label=${t("owed", { text: row.text })}>
    <button class="chip" onClick=${wider}>${t("owed.wider")}</button>
    <button class="chip" onClick=${change}>${t("owed.change")}</button>
    ${row.status && row.status !== "conflicting" && html`<button class="chip" onClick=${mark}>${t("owed.absent")}</button>`}
    ${may("ingest") && html`<a class="chip" href=${`${to("library")}?add=1`}>${t("owed.add")}</a>`}
  </div>`;
}
