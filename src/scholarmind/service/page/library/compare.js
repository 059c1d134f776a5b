// Two answers side by side: how complete each is, what each rests on, what each cost, and what each says.

import { html, useEffect, useSignal } from "../kit.js";
import { percent, seconds, t, when } from "../language.js";
import { get } from "../api.js";
import { to } from "../router.js";
import { troubleText } from "../notes.js";
import { partsOfBoth, worksOfBoth } from "../pure/compare.js";
import { nothing, withRecord } from "../pure/progress.js";
import { StatusMark } from "../icons.js";
import { Answer } from "../ask/answer.js";
import { Popover } from "../ask/popover.js";
import { openPlaces, Source } from "../ask/source.js";

/** Show them. */
export function ComparePlace({ id, other }) {
  const [runs, trouble] = [useSignal(null), useSignal("")];
  useEffect(() => {
    Promise.all([id, other].map(async (each) => withRecord(nothing(each), await get(`/runs/${encodeURIComponent(each)}`)))).then(
      (both) => (both.every((run) => run.answer) ? (runs.value = both) : (trouble.value = t("compare.none"))),
      (error) => (trouble.value = error.status === 404 ? t("run.none") : troubleText(error)),
    );
    return () => (openPlaces.value = null);
  }, [id, other]);
  if (trouble.value) return html`<div class="empty"><h1>${trouble.value}</h1><p><a href=${to("runs")}>${t("nav.runs")}</a></p></div>`;
  if (!runs.value) return html`<div class="empty" aria-busy="true"></div>`;
  return html`<div class=${openPlaces.value ? "library reading" : "library"}><div class="library-main">
    <p class="crumbs"><a href=${to("runs")}>${t("nav.runs")}</a></p>
    <header class="place-head"><h1>${t("compare.title")}</h1></header>
    <${Figures} runs=${runs.value} />
    <div class="two-answers">${runs.value.map((run, index) => html`<section><h2>${run.question} <span class="faint">${when(run.created)}</span></h2><${Answer} run=${run} name=${`${t(index ? "compare.second" : "compare.first")}: ${run.question}`} /></section>`)}</div>
  </div>${openPlaces.value && html`<aside class="beside"><${Source} /></aside>`}<${Popover} /></div>`;
}

function Figures({ runs }) {
  const [first, second] = runs.map((run) => run.answer);
  const line = (name, of) => {
    const values = runs.map(of);
    return values.some((value) => value) && html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td>${value || "–"}</td>`)}</tr>`;
  };
  const works = worksOfBoth(first, second);
  return html`<div class="table-frame compared" tabindex="0" role="group" aria-label=${t("compare.title")}><table>
    <thead><tr><td></td>${runs.map((run) => html`<th scope="col"><a href=${to("run", run.id)}>${run.question}</a> <span class="faint">${when(run.created)}</span></th>`)}</tr></thead>
    <tbody>
      ${line(t("completeness"), (run) => t(`verdict.${run.verdict}`))}
      ${line(t("confidence"), (run) => percent(run.confidence))}
      ${line(t("cost.time"), (run) => seconds(run.spent.seconds))}
      ${line(t("cost.calls"), (run) => run.spent.llm_calls)}
      ${line(t("cost.tokens"), (run) => run.spent.tokens?.toLocaleString())}
      ${line(t("cost.money"), (run) => run.spent.cost?.toFixed(4))}
      ${partsOfBoth(first, second).map(({ text, states }) => html`<tr><th scope="row">${text}</th>${states.map(
        (state) => html`<td>${state ? html`<span class="row"><${StatusMark} status=${state} />${t(`status.${state}`)}</span>` : "–"}</td>`,
      )}</tr>`)}
      ${works.map(({ work, cited }) => html`<tr><th scope="row"><a href=${to("document", work.collection, work.document)}>${work.title}</a></th>${cited.map((yes) => html`<td>${yes ? t("compare.cited") : "–"}</td>`)}</tr>`)}
    </tbody></table></div>`;
}
