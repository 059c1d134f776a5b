// What is known of a run: made from its events as they come, or from its record when it is over.

import { rowsOf } from "./plan.js";

/** Return a run of which nothing is known but its id. */
export const nothing = (id) => ({
  id,
  question: "",
  state: "waiting",
  error: "",
  created: 0,
  understood: "",
  plan: null,
  parts: {},
  rows: [],
  reviewed: false,
  text: "",
  draft: 0,
  answer: null,
  changes: null,
  verdict: "",
  confidence: null,
  estimate: null,
  calls: [],
  fallbacks: [],
  spent: {},
  look: null,
  selected: null,
  round: 1,
  rounds: [],
  library: "",
  effort: "",
  conversation: "",
  spans: [],
  last: 0,
});

/** Return a run with an event taken in. An event that came before, or of a kind that is not known, changes nothing. */
export function step(run, event) {
  if (event.number <= run.last) return run;
  const change = STEPS[event.type];
  const next = { ...run, last: event.number, spans: spansWith(run, event) };
  return change ? { ...next, ...change(next, event) } : next;
}

const part = (run, event, more) => ({
  parts: { ...run.parts, [event.part]: { ...run.parts[event.part], ...more } },
});

const STEPS = {
  run_started: (run, event) => ({
    question: event.question || run.question,
    state: "running",
    library: event.library,
    effort: event.effort,
    error: "",
    ...(event.resumed ? { text: "", draft: 0 } : {}),
  }),
  understood: (_, event) => ({ understood: event.became }),
  first_look: (_, event) => ({ look: { passages: event.passages, documents: event.documents } }),
  planned: (run, event) => planned(run, event.plan, event.estimate),
  part_started: (run, event) => part(run, event, { state: "searching", question: event.question, round: run.round }),
  part_evidence: (run, event) =>
    event.part ? part(run, event, { state: "found", passages: event.passages, documents: event.documents, best: event.best }) : {},
  consulted: (run, event) => (event.counted ? part(run, event, { counted: event.counted }) : {}),
  part_answered: (run, event) =>
    part(run, event, { state: "answered", answer: event.answer, passages: event.passages, seconds: event.seconds, notes: event.notes }),
  part_failed: (run, event) => part(run, event, { state: "failed", error: event.error, seconds: event.seconds }),
  round_started: (run, event) => ({ round: event.round, rounds: [...run.rounds, { round: event.round, parts: event.parts, reason: event.reason }] }),
  selected: (_, event) => ({ selected: { passages: event.passages, considered: event.considered } }),
  answer_piece: (run, event) => ({
    draft: event.draft,
    text: event.draft === run.draft ? run.text + event.text : event.text,
  }),
  model_called: (run, event) => ({ calls: [...run.calls, event.call] }),
  reviewed: (_, event) => ({ rows: event.rows, verdict: event.verdict, confidence: event.confidence, reviewed: true }),
  done: (run, event) => ({
    state: event.status,
    error: event.error,
    fallbacks: event.fallbacks,
    spent: event.spent,
    verdict: event.verdict ?? run.verdict,
  }),
};

function planned(run, plan, estimate) {
  const parts = {};
  for (const each of plan.parts) parts[each.id] = run.parts[each.id] ?? { state: "waiting" };
  return { plan, parts, rows: rowsOf(plan.parts), reviewed: false, estimate: estimate ?? run.estimate };
}

/** Return the steps of a run with how long they took, as a waterfall shows them. */
function spansWith(run, event) {
  const seconds = event.type === "model_called" ? event.call.seconds : event.seconds;
  if (event.type === "done" || !(seconds > 0.0005)) return run.spans;
  const span = {
    type: event.type,
    part: event.part ?? event.call?.part ?? 0,
    start: Math.max(0, event.at - seconds),
    end: event.at,
    about: event.call?.purpose ?? event.question ?? "",
  };
  return [...run.spans, span];
}

/** Return a run with its record taken in: how far it is, and the answer if there is one. */
export function withRecord(run, record) {
  const next = {
    ...run,
    question: record.question,
    state: record.state,
    error: record.error,
    created: record.created,
    finished: record.finished,
    attempts: record.attempts,
    conversation: record.conversation,
    changes: record.changes ?? null,
  };
  if (record.plan && !run.plan) Object.assign(next, planned(next, record.plan, null));
  const { answer } = record;
  if (!answer) return next;
  const rows = answer.parts.map((row) => ({ ...row, part: Number(String(row.id).split(".")[0]) }));
  const parts = { ...next.parts };
  for (const row of rows) {
    const known = parts[row.part] ?? {};
    const passages = known.passages ?? row.evidence.length;
    parts[row.part] = { ...known, state: row.status === "failed" ? "failed" : "answered", passages, answer: known.answer || row.answer };
  }
  for (const each of answer.plan?.parts ?? []) parts[each.id] = { state: "answered", ...parts[each.id] };
  for (const id of Object.keys(parts)) if (["waiting", "searching", "found"].includes(parts[id].state)) parts[id] = { ...parts[id], state: "answered" };
  return {
    ...next,
    plan: answer.plan ?? next.plan,
    parts,
    rows,
    reviewed: true,
    text: answer.answer,
    answer,
    verdict: answer.verdict,
    confidence: answer.confidence,
    estimate: answer.estimate ?? next.estimate,
    calls: answer.calls,
    fallbacks: answer.fallbacks,
    spent: answer.spent,
    understood: answer.asked && answer.asked !== answer.question ? answer.question : next.understood,
  };
}

/** Tell whether nothing more will come of a run by itself. */
export const isOver = (state) => ["done", "failed", "cancelled", "interrupted", "awaiting_plan"].includes(state);

/** Return how far a part is: "empty" where it was looked for, and nothing came of it. */
export const reached = (part) => (part?.state === "answered" && part.passages === 0 && !part.answer && !part.counted ? "empty" : (part?.state ?? "waiting"));

/** Return how a row stands for people: its status once it is judged, before that how far its part is. */
export function stateOf(run, row) {
  if (row.status) return row.status;
  const found = reached(run.parts[row.part]);
  return found === "answered" ? "found" : found;
}
