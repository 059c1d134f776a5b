// The box that questions are typed into, and how they are to be answered.

import { html, kept, keep, useEffect, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";
import { ask, newId, send } from "../api.js";
import { go, to } from "../router.js";
import { collections, session } from "../session.js";
import { troubleText } from "../notes.js";
import { Icon } from "../icons.js";

const EFFORTS = ["fast", "standard", "deep"];
const PAUSE_MS = 700; // of typing, after which it is looked up what the question would cost

export const askedHere = new Set(); // runs whose beginning was seen

/** Ask a question; its run is opened. */
export async function askQuestion(body) {
  const run = await send("POST", "/runs", body);
  askedHere.add(run.id);
  go(to("run", run.id));
  return run;
}

/** A box for a question. What is typed is kept under `name` until it is asked. */
export function AskBox({ name, conversation, placeholder, filled, compact }) {
  const text = useSignal(kept(`draft.${name}`, ""));
  const chosen = useSignal(kept("asking", { collection: "", effort: "", propose: false }));
  const asking = useSignal(false);
  const trouble = useSignal("");
  const box = useRef(null);
  const set = (value) => {
    text.value = value;
    keep(`draft.${name}`, value);
  };
  const choose = (more) => {
    chosen.value = { ...chosen.value, ...more };
    keep("asking", chosen.value);
  };
  useEffect(() => {
    if (filled?.value) {
      set(filled.value);
      filled.value = "";
      box.current.focus();
    }
  }, [filled?.value]);
  useEffect(() => {
    const area = box.current;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 320)}px`;
  }, [text.value]);
  const submit = async (event) => {
    event?.preventDefault();
    const question = text.value.trim();
    if (!question || asking.value) return;
    asking.value = true;
    trouble.value = "";
    const { collection, effort, propose } = chosen.value;
    const there = collections.value?.some((each) => each.name === collection);
    try {
      await askQuestion({
        question,
        conversation: conversation || newId(),
        propose,
        ...(collection && there ? { collections: [collection] } : {}),
        ...(effort && session.value?.model ? { effort } : {}),
        ...(chosen.value.language && session.value?.model ? { language: chosen.value.language } : {}),
      });
      set("");
    } catch (error) {
      trouble.value = troubleText(error);
    } finally {
      asking.value = false;
    }
  };
  const model = session.value?.model && !compact;
  const expected = useExpected(model ? text.value : "", chosen.value.collection);
  const costs = (effort) => expected.value[effort] && t("effort.calls", { n: expected.value[effort].calls });
  const coming = model && expected.value[chosen.value.effort || session.value.effort];
  const key = (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && submit(event);
  return html`<form class=${compact ? "ask-box compact" : "ask-box"} onSubmit=${submit}>
    <textarea ref=${box} data-ask rows=${compact ? 1 : 2} value=${text.value} maxlength="100000" aria-label=${placeholder} placeholder=${placeholder}
      aria-describedby=${trouble.value ? `trouble-${name}` : undefined} onInput=${(event) => set(event.target.value)} onKeyDown=${key}></textarea>
    <div class="ask-foot">
      ${(collections.value?.length ?? 0) > 1 && !compact && html`<${Choice} label=${t("collection")} value=${chosen.value.collection}
        options=${[["", t("collection.all")], ...collections.value.map((each) => [each.name, each.name])]} take=${(collection) => choose({ collection })} />`}
      ${model && html`<${Choice} label=${t("effort")} value=${chosen.value.effort}
        options=${[["", t("effort.auto")], ...EFFORTS.map((each) => [each, [t(`effort.${each}`), costs(each)].filter(Boolean).join(" · ")])]} take=${(effort) => choose({ effort })} />`}
      ${model && html`<${Choice} label=${t("answer.language")} value=${chosen.value.language ?? ""}
        options=${[["", t("answer.language.question")], ["en", t("language.en")], ["zh", t("language.zh")]]} take=${(language) => choose({ language })} />`}
      <label class="check"><input type="checkbox" checked=${chosen.value.propose} onChange=${(event) => choose({ propose: event.target.checked })} />
        ${t("propose")}</label>
      <span class="grow"></span>
      <button class="main send" type="submit" disabled=${!text.value.trim() || asking.value} aria-busy=${asking.value}>
        <span>${t("ask")}</span><${Icon} name="send" /></button>
    </div>
    ${coming && html`<p class="expected hush" aria-live="polite">${costText(coming)}</p>`}
    ${trouble.value && html`<p class="trouble" role="alert" id=${`trouble-${name}`}>${trouble.value}</p>`}
  </form>`;
}

/** Return a signal of what a question would cost at each effort, which follows what is typed. */
function useExpected(question, collection) {
  const found = useSignal({});
  useEffect(() => {
    const there = collections.peek()?.some((each) => each.name === collection);
    const stop = new AbortController();
    const look = async () => {
      try {
        const body = { question: question.trim(), ...(collection && there ? { collections: [collection] } : {}) };
        found.value = await (await ask("/estimate", { method: "POST", body, stop: stop.signal })).json();
      } catch {
        if (!stop.signal.aborted) found.value = {}; // nothing is said where nothing is known
      }
    };
    if (question.trim().length < 8) found.value = {};
    const timer = question.trim().length < 8 ? 0 : setTimeout(look, PAUSE_MS);
    return () => (clearTimeout(timer), stop.abort());
  }, [question, collection]);
  return found;
}

/** Return what a question is expected to cost, in words. */
export function costText({ calls, tokens, cost, currency }) {
  const price = cost == null ? "" : t("estimate.price", { price: cost.toFixed(cost < 0.1 ? 4 : 2), currency });
  return t("estimate", { calls, tokens }) + price;
}

function Choice({ label, value, options, take }) {
  return html`<label class="choice"><span>${label}</span>
    <select value=${value} onChange=${(event) => take(event.target.value)}>
      ${options.map(([each, said]) => html`<option value=${each} selected=${each === value}>${said}</option>`)}
    </select></label>`;
}
