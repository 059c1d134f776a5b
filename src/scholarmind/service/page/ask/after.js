// What can be done with an answer: taken away, judged, asked again; and what it cost.

import { dress, html, useEffect, useSignal } from "../kit.js";
import { seconds, t } from "../language.js";
import { ask, get, send } from "../api.js";
import { go, to } from "../router.js";
import { copy, say, sayTrouble } from "../notes.js";
import { isOver } from "../pure/progress.js";
import { asMarkdown, asText } from "../pure/copying.js";
import { Icon } from "../icons.js";
import { Downloads } from "../downloads.js";
import { NextWorks } from "./next.js";
import { rate, ratingsOf } from "./ratings.js";
import { Waterfall } from "./waterfall.js";

const FORMS = ["tex", "pandoc.md", "html", "docx", "pdf", "bib", "ris", "csl.json", "obsidian.zip"];

/** Buttons for a run that goes on, or that can be taken up again. */
export function RunButtons({ run, again }) {
  const busy = useSignal(false);
  const act = async (what) => {
    busy.value = true;
    try {
      await send("POST", `/runs/${run.id}/${what}`);
      await again();
    } catch (error) {
      sayTrouble(error);
    } finally {
      busy.value = false;
    }
  };
  if (!isOver(run.state) && run.question)
    return html`<p class="row"><button class="quiet" disabled=${busy.value} onClick=${() => act("cancel")}><${Icon} name="stop" />${t("stop")}</button></p>`;
  if (["failed", "cancelled", "interrupted"].includes(run.state))
    return html`<p class="row"><button class="main" disabled=${busy.value} onClick=${() => act("resume")}><${Icon} name="again" />${t("resume")}</button></p>`;
  return null;
}

/** What can be done with an answer. */
export function After({ run }) {
  const rated = ratingsOf(run.id).value?.find((each) => each.part === 0)?.good;
  const [details, next] = [useSignal(false), useSignal(false)];
  const { answer } = run;
  const take = async (kind) => {
    try {
      if (kind === "bibtex") await copy(await (await ask(`/runs/${run.id}/file?format=bib`)).text(), t("copied.bibtex"));
      else if (kind === "link") await copy(location.href, t("copied.link"));
      else await copy((kind === "text" ? asText : asMarkdown)(run.question, answer, t), t("copied"));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const judge = async (good) => {
    try {
      await rate(run.id, { good });
      say(t("rated"));
    } catch (error) {
      sayTrouble(error);
    }
  };
  const again = async () => {
    try {
      go(to("run", (await send("POST", `/runs/${run.id}/again`)).id));
    } catch (error) {
      sayTrouble(error);
    }
  };
  return html`<footer class="after">
    <div class="row wrap">
      <span class="group" role="group" aria-label=${t("copy")}><${Icon} name="copy" />
        ${["text", "markdown", "bibtex", "link"].map((kind) => html`<button class="quiet small" onClick=${() => take(kind)}>${t(`copy.${kind}`)}</button>`)}</span>
      <span class="group" role="group" aria-label=${t("rate")}>
        <button class="quiet small" aria-pressed=${rated === true} onClick=${() => judge(true)}>${t("rate.good")}</button>
        <button class="quiet small" aria-pressed=${rated === false} onClick=${() => judge(false)}>${t("rate.bad")}</button></span>
      <button class="quiet small" onClick=${again}><${Icon} name="again" />${t("again")}</button>
      <${Downloads} forms=${FORMS} path=${(form) => `/runs/${run.id}/file?format=${form}`} />
      <button class="quiet small" aria-expanded=${next.value} onClick=${() => (next.value = !next.value)}><${Icon} name=${next.value ? "up" : "down"} />${t("next")}</button>
      <${Follow} run=${run} />
      <span class="grow"></span>
      <button class="quiet small" aria-expanded=${details.value} onClick=${() => (details.value = !details.value)}>${t("details")}<${Icon} name=${details.value ? "up" : "down"} /></button>
    </div>
    ${run.fallbacks.length > 0 && html`<div class="banner"><p>${t("fallbacks")}</p><ul>${run.fallbacks.map((each) => html`<li>${each}</li>`)}</ul></div>`}
    ${next.value && html`<${NextWorks} run=${run.id} />`}
    ${details.value && html`<${Details} run=${run} />`}
  </footer>`;
}

/** Have a question asked again whenever documents came; where that is so already, lead to its news. */
function Follow({ run }) {
  const followed = useSignal(false);
  useEffect(() => {
    dress("research");
    get("/watched?limit=200").then((found) => (followed.value = found.items.some((each) => each.question === run.answer.question)), () => {});
  }, []);
  const follow = async () => {
    try {
      await send("POST", "/watched", { run: run.id });
      followed.value = true;
      say(t("watched.begun"));
    } catch (error) {
      sayTrouble(error);
    }
  };
  if (followed.value) return html`<a class="quiet small" href=${to("watched")}><${Icon} name="bell" />${t("watched.is")}</a>`;
  return html`<button class="quiet small" onClick=${follow}><${Icon} name="bell" />${t("watched.follow")}</button>`;
}

function Details({ run }) {
  const { spent, answer } = run;
  const told = [
    [t("cost.time"), seconds(spent.seconds)],
    [t("cost.searches"), spent.searches],
    [t("cost.rounds"), spent.rounds],
    [t("cost.calls"), spent.llm_calls],
    [t("cost.tokens"), spent.tokens],
    [t("cost.money"), spent.cost == null ? null : spent.cost.toFixed(4)],
    [t("written-by"), answer.written_by || t("written-by.code")],
    [t("run"), run.id],
  ].filter(([, value]) => value != null && value !== "");
  return html`<div class="details">
    <dl>${told.map(([name, value]) => html`<div><dt>${name}</dt><dd>${typeof value === "number" ? value.toLocaleString() : value}</dd></div>`)}</dl>
    <${Waterfall} run=${run} />
  </div>`;
}
