// The plan as a drawing: waves from left to right, what waits for what, and how far each part is. On narrow screens, a list.

import { html, useMemo } from "../kit.js";
import { t } from "../language.js";
import { drawn, waves } from "../pure/plan.js";
import { reached } from "../pure/progress.js";
import { send } from "../api.js";
import { say, sayTrouble } from "../notes.js";
import { Icon, StatusMark } from "../icons.js";

const STOPPED = "stopped before it was answered"; // as the engine says it
const WIDTHS = [0, 420, 320, 226]; // of a part, by how many waves there are
const sizeFor = (columns) => ({ wide: WIDTHS[columns] ?? 208, high: 76, across: 56, between: 12 });

/** Draw the plan of a run. */
export function PlanDrawing({ run }) {
  const { parts } = run.plan;
  const listed = waves(parts).flat();
  const size = sizeFor(waves(parts).length);
  const { places, lines, width, height } = useMemo(() => drawn(parts, size), [parts]);
  const busy = (id) => run.parts[id]?.state === "searching";
  return html`<div class="drawing-frame" tabindex="0" role="group" aria-label=${t("plan.drawing")}>
    <div class="drawing" style=${{ width: `${width}px`, height: `${height}px` }}>
      <svg width=${width} height=${height} aria-hidden="true">
        ${lines.map(
          (line) => html`<path class=${["answered", "failed"].includes(run.parts[line.from]?.state) ? (busy(line.to) ? "line flowing" : "line done") : "line"} d=${line.path} />`,
        )}
      </svg>
      <ol>${listed.map((part) => {
        const { x, y } = places.get(part.id);
        return html`<${Part} key=${part.id} run=${run} part=${part} style=${{ left: `${x}px`, top: `${y}px`, width: `${size.wide}px`, height: `${size.high}px` }} />`;
      })}</ol>
    </div>
  </div>`;
}

/** Return how a part stands: by the rows that were judged, else by how far it is. */
function standing(run, part) {
  const known = run.parts[part.id] ?? { state: "waiting" };
  const rows = run.reviewed ? run.rows.filter((row) => row.part === part.id) : [];
  if (!rows.length) return reached(known);
  const states = new Set(rows.map((row) => row.status));
  return states.size === 1 ? rows[0].status : states.has("conflicting") ? "conflicting" : "partial";
}

function Part({ run, part, style }) {
  const known = run.parts[part.id] ?? { state: "waiting" };
  const state = standing(run, part);
  const found = (known.error === STOPPED ? t("part.stopped") : known.error) || known.answer || known.counted || "";
  const below =
    known.state === "searching"
      ? t("part.searching")
      : known.state === "waiting"
        ? part.depends_on.length
          ? t("part.waits", { parts: part.depends_on.join(", ") })
          : t("part.waiting")
        : found || t("part.passages", { n: known.passages ?? 0 });
  const goesOn = run.state === "running" && !run.selected;
  return html`<li class="part" data-status=${state} style=${style} title=${[known.question || part.text, found].filter(Boolean).join("\n")}>
    <span class="part-number">${part.id}</span>
    <span class="part-text">${known.question || part.text}</span>
    <span class="part-found">${below}</span>
    <${StatusMark} status=${state} /><span class="unseen">${t(`status.${state}`)}</span>
    ${goesOn && html`<${Steering} run=${run} part=${part} state=${known.state} />`}
  </li>`;
}

/** Buttons to stop a part, or to ask it again, while the question is researched. */
function Steering({ run, part, state }) {
  const steer = async (what) => {
    try {
      await send("POST", `/runs/${run.id}/parts/${part.id}/${what}`);
      say(t(`part.${what}.told`, { n: part.id }));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const open = state === "waiting" || state === "searching" || state === "found";
  return html`<span class="steering">
    ${open && html`<button class="quiet tiny" aria-label=${t("part.stop", { n: part.id })} title=${t("part.stop", { n: part.id })} onClick=${() => steer("stop")}><${Icon} name="stop" /></button>`}
    ${state !== "waiting" && html`<button class="quiet tiny" aria-label=${t("part.again", { n: part.id })} title=${t("part.again", { n: part.id })} onClick=${() => steer("again")}><${Icon} name="again" /></button>`}
  </span>`;
}
