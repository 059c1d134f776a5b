// What was asked: how it stands, taken up again, asked again, forgotten.

import { html, useEffect, useSignal } from "../kit.js";
import { seconds, t, when } from "../language.js";
import { sure } from "../dialogs.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { sayTrouble } from "../notes.js";
import { Icon, StatusMark } from "../icons.js";

const STATES = { done: "done", failed: "failed", interrupted: "failed", cancelled: "not in the library", awaiting_plan: "partial" };

/** Show all runs, the latest first. */
export function RunsPlace() {
  const [items, next, held] = [useSignal(null), useSignal(""), useSignal(null)];
  const more = async () => {
    try {
      const found = await get(`/runs?limit=50&cursor=${encodeURIComponent(next.value ?? "")}`);
      items.value = [...(items.value ?? []), ...found.items];
      next.value = found.next;
    } catch (error) {
      sayTrouble(error);
      items.value ??= [];
    }
  };
  useEffect(() => void more(), []);
  if (!items.value) return html`<div class="empty" aria-busy="true"></div>`;
  const forget = async (run) => {
    if (!(await sure(t("forget.sure", { question: run.question }), t("forget.do")))) return;
    try {
      await send("DELETE", `/runs/${run.id}`);
      items.value = items.value.filter((each) => each.id !== run.id);
    } catch (error) {
      sayTrouble(error);
    }
  };
  const act = async (run, what) => {
    try {
      go(to("run", (await send("POST", `/runs/${run.id}/${what}`)).id));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const compare = (run) => {
    if (!held.value) held.value = run;
    else if (held.value.id === run.id) held.value = null;
    else go(to("compare", ...[held.value, run].sort((a, b) => a.created - b.created).map((each) => each.id)));
  };
  const done = items.value.filter((run) => run.state === "done");
  return html`<div class="runs">
    <header class="place-head"><h1>${t("nav.runs")}</h1><span class="grow"></span><a class="quiet" href=${to("watched")}><${Icon} name="bell" />${t("nav.watched")}</a></header>
    ${items.value.length === 0 && html`<div class="empty"><p>${t("runs.none")}</p><a class="main" href=${to("")}>${t("nav.ask")}</a></div>`}
    ${held.value && html`<p class="banner" role="status">${t("compare.other", { question: held.value.question })}</p>`}
    <ul class="run-list">${items.value.map(
      (run) => html`<li key=${run.id}>
        <a href=${to("run", run.id)}><${StatusMark} status=${STATES[run.state] ?? "searching"} />
          <span class="clip run-question">${run.question}</span>
          <span class="faint">${[t(`state.${run.state}`), when(run.created), run.finished && seconds(run.finished - run.created)].filter(Boolean).join(" · ")}</span></a>
        <span class="run-tools">
          ${["failed", "cancelled", "interrupted"].includes(run.state) && html`<button class="quiet small" onClick=${() => act(run, "resume")}>${t("resume")}</button>`}
          ${run.state === "done" && done.length > 1 && html`<button class="quiet small" aria-pressed=${held.value?.id === run.id} onClick=${() => compare(run)}>${t(held.value && held.value.id !== run.id ? "compare.with" : "compare")}</button>`}
          ${run.state === "done" && html`<button class="quiet small" onClick=${() => act(run, "again")}>${t("again")}</button>`}
          <button class="quiet square" aria-label=${t("forget", { question: run.question })} onClick=${() => forget(run)}><${Icon} name="close" /></button>
        </span></li>`,
    )}</ul>
    ${next.value && html`<button class="quiet" onClick=${more}>${t("more")}</button>`}
  </div>`;
}
