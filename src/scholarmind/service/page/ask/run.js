// A question that was asked: followed while it is answered, read when it is done, taken up again by its link.

import { batch, html, signal, useEffect, useMemo, useSignal } from "../kit.js";
import { percent, seconds, t, when } from "../language.js";
import { follow, get, newId, Trouble } from "../api.js";
import { to } from "../router.js";
import { sayTrouble, troubleText } from "../notes.js";
import { isOver, nothing, step, withRecord } from "../pure/progress.js";
import { waves } from "../pure/plan.js";
import { Icon, StatusMark } from "../icons.js";
import { Answer } from "./answer.js";
import { After, RunButtons } from "./after.js";
import { AskBox, askedHere, askQuestion } from "./box.js";
import { Changes, NewDocuments } from "./changes.js";
import { PlanEditor } from "./editor.js";
import { PlanDrawing } from "./drawing.js";
import { Source, openPlaces } from "./source.js";
import { Completeness } from "./table.js";
import { Popover } from "./popover.js";

/** Return a signal of a run that stays true while the run goes on, until `stop`. */
export function watched(id, stop) {
  const run = signal(nothing(id));
  const trouble = signal("");
  let waiting = [];
  const take = (event) => {
    waiting.push(event);
    if (waiting.length === 1) setTimeout(flush, 60); // many events, one drawing
  };
  const flush = () => {
    const events = waiting;
    waiting = [];
    run.value = events.reduce(step, run.value);
  };
  const load = async () => {
    trouble.value = "";
    try {
      for (;;) {
        const record = await get(`/runs/${encodeURIComponent(id)}`, { stop });
        flush();
        run.value = withRecord(run.value, record);
        if (isOver(record.state)) return;
        const end = await follow(id, run.value.last, take, stop);
        if (!end) return;
      }
    } catch (error) {
      if (!stop.aborted) trouble.value = error instanceof Trouble && error.status === 404 ? t("run.none") : troubleText(error);
    }
  };
  load();
  return { run, trouble, load };
}

/** Show a run, with the earlier turns of its conversation above it. */
export function RunPlace({ id }) {
  const stop = useMemo(() => new AbortController(), []);
  const { run: live, trouble, load } = useMemo(() => watched(id, stop.signal), []);
  const filled = useMemo(() => signal(""), []);
  const earlier = useSignal([]);
  useEffect(
    () => () => {
      stop.abort();
      openPlaces.value = null;
    },
    [],
  );
  const run = live.value;
  useEffect(() => {
    if (!run.conversation) return;
    get("/runs?limit=100", { stop: stop.signal }).then(
      (found) => (earlier.value = found.items.filter((each) => each.conversation === run.conversation && each.created < run.created).reverse()),
      () => {},
    );
  }, [run.conversation]);
  useEffect(() => void (run.question && (document.title = `${run.question} · ScholarMind`)), [run.question]);
  if (trouble.value)
    return html`<div class="empty"><h1>${trouble.value}</h1><p><a href=${to("")}>${t("nav.ask")}</a></p></div>`;
  const over = isOver(run.state);
  const proposed = run.state === "awaiting_plan";
  return html`<div class=${openPlaces.value ? "run-place reading" : "run-place"}>
    <article class="thread" aria-busy=${!over}>
      ${earlier.value.map((each) => html`<${EarlierTurn} key=${each.id} line=${each} />`)}
      <${Question} run=${run} />
      ${run.changes ? html`<${Changes} changes=${run.changes} />` : html`<${NewDocuments} run=${run} />`}
      ${run.state === "failed" && html`<div class="banner trouble" role="alert"><p><strong>${t("run.failed")}</strong> ${run.error}</p></div>`}
      ${run.state === "cancelled" && html`<div class="banner"><p>${t("run.cancelled")}</p></div>`}
      ${proposed ? html`<${PlanEditor} run=${run} again=${load} />` : html`<${PlanSection} run=${run} />`}
      ${!proposed && html`<${Answer} run=${run} />`}
      <${RunButtons} run=${run} again=${load} />
      ${run.answer && html`<${After} run=${run} />`}
      ${run.answer && html`<${AskBox} name=${`follow.${id}`} compact conversation=${run.conversation} placeholder=${t("follow.placeholder")} filled=${filled} />`}
    </article>
    <aside class="beside">
      ${openPlaces.value ? html`<${Source} />` : html`<${Completeness} run=${run} filled=${filled} />`}
    </aside>
    <${Popover} />
  </div>`;
}

function Question({ run }) {
  const parts = run.plan?.parts.length ?? 0;
  const told = [
    run.created && when(run.created),
    parts > 1 && t("plan.size", { parts, waves: waves(run.plan.parts).length }),
    run.spent.seconds && seconds(run.spent.seconds),
    run.attempts > 1 && t("run.taken-up", { n: run.attempts - 1 }),
  ].filter(Boolean);
  return html`<header class="question">
    <h1 class=${run.question.length > 160 ? "long" : ""}>${run.question || " "}</h1>
    ${run.understood && html`<p class="understood">${t("understood")} <q>${run.understood}</q></p>`}
    <p class="meta">
      <span class="state" data-state=${run.state}>${!isOver(run.state) && html`<span class="pulse"></span>`}${stateText(run)}</span>
      ${told.map((each) => html`<span>${each}</span>`)}
    </p>
  </header>`;
}

function stateText(run) {
  if (run.state === "done" && run.verdict) return t("verdict.with", { verdict: t(`verdict.${run.verdict}`), confidence: percent(run.confidence) });
  if (run.state === "running") {
    if (run.text) return t("state.checking");
    if (run.selected) return t("state.writing");
    if (run.plan) return t("state.searching");
    return t("state.planning");
  }
  return t(`state.${run.state}`);
}

function PlanSection({ run }) {
  const folded = useSignal(null);
  const over = isOver(run.state);
  const opened = useMemo(() => ({ over: null }), []);
  if (opened.over === null && run.question) opened.over = over && !askedHere.has(run.id); // a run that is opened when it is done begins with its answer
  const parts = run.plan?.parts ?? [];
  if (parts.length < 2 && over) return null;
  const shut = folded.value ?? opened.over;
  const open = parts.filter((part) => !["answered", "failed"].includes(run.parts[part.id]?.state)).length;
  const change = async () => {
    try {
      await askQuestion({ question: run.question, propose: true, plan: run.plan, conversation: newId() }); // a run of its own: this answer stays
    } catch (error) {
      sayTrouble(error);
    }
  };
  return html`<section class=${shut ? "plan folded" : "plan"} aria-labelledby="plan-title">
    <div class="section-head">
      <h2 id="plan-title">${t("plan")}</h2>
      ${run.plan && html`<span class="faint">${open && !over ? t("plan.open", { n: open }) : t("plan.by", { who: t(`by.${["model", "user"].includes(run.plan.decided_by) ? run.plan.decided_by : "rules"}`) })}</span>`}
      <span class="grow"></span>
      ${run.state === "done" && run.plan?.parts.length > 0 && html`<button class="quiet small" onClick=${change}>${t("plan.change")}</button>`}
      ${run.plan && html`<button class="quiet small" aria-expanded=${!shut} aria-controls="plan-body" onClick=${() => (folded.value = !shut)}>
        ${shut ? t("show") : t("hide")}<${Icon} name=${shut ? "down" : "up"} /></button>`}
    </div>
    ${!shut && html`<div id="plan-body">
      ${run.plan ? html`<${PlanDrawing} run=${run} />` : html`<p class="hush">${run.look ? t("look", run.look) : t("plan.coming")}</p>`}
      ${run.rounds.map((each) => html`<p class="hush round">${t("round", { n: each.round, parts: each.parts.join(", ") })}</p>`)}
    </div>`}
  </section>`;
}

function EarlierTurn({ line }) {
  const run = useSignal(null);
  const toggle = async (event) => {
    if (!event.target.open || run.value) return;
    const record = await get(`/runs/${line.id}`);
    batch(() => (run.value = withRecord(nothing(line.id), record)));
  };
  return html`<details class="earlier" onToggle=${toggle}>
    <summary><${StatusMark} status=${line.state === "done" ? "done" : "waiting"} /><span class="clip">${line.question}</span></summary>
    ${run.value && html`<${Answer} run=${run.value} name=${line.question} /><p class="faint"><a href=${to("run", line.id)}>${t("run.open")}</a></p>`}
  </details>`;
}
