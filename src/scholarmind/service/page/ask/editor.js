// A plan that waits for approval: its parts reworded, added, removed, put in another order, and told what to wait for.

import { html, keep, kept, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { send } from "../api.js";
import { sayTrouble } from "../notes.js";
import { added, moved, reworded, waitingFor, waves, without, wouldCircle } from "../pure/plan.js";
import { nothing } from "../pure/progress.js";
import { Icon } from "../icons.js";
import { costText } from "./box.js";
import { PlanDrawing } from "./drawing.js";

/** Show a plan to be changed and approved. */
export function PlanEditor({ run, again }) {
  const name = `plan.${run.id}`;
  const begun = run.plan?.parts ?? [];
  const parts = useSignal(kept(name, begun)); // a browser that was closed comes back to what was changed
  const sending = useSignal(false);
  const changed = JSON.stringify(parts.value) !== JSON.stringify(begun);
  useEffect(() => keep(name, changed ? parts.value : ""), [parts.value]);
  const whole = parts.value.length > 0 && parts.value.every((part) => part.text.trim());
  const approve = async (event) => {
    event.preventDefault();
    if (!whole) return;
    sending.value = true;
    try {
      await send("POST", `/runs/${run.id}/approve`, changed ? { plan: { ...run.plan, parts: parts.value } } : {});
      keep(name, "");
      await again();
    } catch (error) {
      sayTrouble(error);
    } finally {
      sending.value = false;
    }
  };
  const add = () => {
    parts.value = added(parts.value);
    requestAnimationFrame(() => document.querySelector(".editor li:last-child textarea")?.focus());
  };
  return html`<form class="plan editor" onSubmit=${approve} aria-labelledby="editor-title">
    <div class="section-head"><h2 id="editor-title">${t("editor")}</h2></div>
    <p class="hush">${t("editor.how", { waves: waves(parts.value).length })}</p>
    ${parts.value.length > 1 && html`<${PlanDrawing} run=${{ ...nothing(run.id), plan: { parts: parts.value } }} />`}
    <ol>${parts.value.map((part, index) => html`<${PartFields} key=${part.id} part=${part} index=${index} parts=${parts} />`)}</ol>
    ${run.estimate && html`<p class="hush">${costText({ ...run.estimate, tokens: run.estimate.prompt_tokens + run.estimate.completion_tokens })}</p>`}
    <div class="row">
      <button class="quiet" type="button" onClick=${add}><${Icon} name="plus" />${t("editor.add")}</button>
      <span class="grow"></span>
      ${changed && html`<button class="quiet" type="button" onClick=${() => (parts.value = begun)}>${t("editor.reset")}</button>`}
      <button class="main" type="submit" disabled=${!whole || sending.value}>${changed ? t("editor.approve.changed") : t("editor.approve")}</button>
    </div>
  </form>`;
}

function PartFields({ part, index, parts }) {
  const all = parts.value;
  const set = (next) => (parts.value = next);
  const others = all.filter((each) => each.id !== part.id);
  const name = t("part.name", { n: part.id });
  return html`<li>
    <span class="part-number">${part.id}</span>
    <div class="part-fields">
      <textarea rows="1" aria-label=${name} value=${part.text} maxlength="2000" onInput=${(event) => set(reworded(all, part.id, event.target.value))}></textarea>
      ${others.length > 0 && html`<div class="waits" role="group" aria-label=${t("part.waits-for", { n: part.id })}><span class="hush">${t("waits-for")}</span>
        ${others.map((other) => {
          const on = part.depends_on.includes(other.id);
          return html`<button type="button" class="chip" aria-pressed=${on} disabled=${!on && wouldCircle(all, part.id, other.id)}
            onClick=${() => set(waitingFor(all, part.id, other.id, !on))}>${other.id}</button>`;
        })}</div>`}
    </div>
    <div class="part-tools">
      <button type="button" class="quiet square" aria-label=${t("part.up", { n: part.id })} disabled=${index === 0} onClick=${() => set(moved(all, part.id, -1))}><${Icon} name="up" /></button>
      <button type="button" class="quiet square" aria-label=${t("part.down", { n: part.id })} disabled=${index === all.length - 1} onClick=${() => set(moved(all, part.id, 1))}><${Icon} name="down" /></button>
      <button type="button" class="quiet square" aria-label=${t("part.remove", { n: part.id })} onClick=${() => set(without(all, part.id))}><${Icon} name="close" /></button>
    </div>
  </li>`;
}
