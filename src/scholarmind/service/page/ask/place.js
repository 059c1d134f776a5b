// Where one begins: the box, questions that this library could be asked, and what was asked lately.

import { html, signal, useEffect, useSignal } from "../kit.js";
import { language, t, when } from "../language.js";
import { get } from "../api.js";
import { to } from "../router.js";
import { collections, documentsIn, may, session } from "../session.js";
import { examples } from "../pure/examples.js";
import { StatusMark } from "../icons.js";
import { Adding, DropZone } from "../library/adding.js";
import { AskBox } from "./box.js";

const known = signal([]);
const filled = signal("");

/** Show the place where one begins. */
export function AskPlace() {
  const turn = useSignal(0);
  const recent = useSignal([]);
  const names = (collections.value ?? []).filter((each) => each.documents).map((each) => each.name).join("\n");
  useEffect(() => {
    if (!names || known.value.length) return;
    get(`/collections/${encodeURIComponent(names.split("\n")[0])}/documents?limit=60`).then((found) => (known.value = found.items), () => {});
  }, [names]);
  useEffect(() => {
    if (may("ask")) get("/runs?limit=5").then((found) => (recent.value = found.items), () => {});
  }, [session.value]);
  void language.value;
  const empty = collections.value && !documentsIn("");
  if (empty)
    return html`<div class="begin"><h1>${t("begin.empty")}</h1><p class="lead">${t("begin.empty.how")}</p><${DropZone} collection="default" large /><${Adding} /></div>`;
  const offered = examples(known.value, t, turn.value);
  return html`<div class="begin">
    <h1>${t("begin")}</h1>
    <p class="lead">${collections.value ? t("begin.lead", { n: documentsIn("") }) : " "}</p>
    <${Adding} />
    <${AskBox} name="first" placeholder=${t("ask.placeholder")} filled=${filled} />
    ${offered.length > 0 && html`<section class="examples" aria-labelledby="examples-title">
      <h2 id="examples-title">${t("examples")}</h2>
      <ul>${offered.map((each) => html`<li><button class="example" onClick=${() => (filled.value = each)}>${each}</button></li>`)}</ul>
      ${known.value.length > 5 && html`<button class="quiet small" onClick=${() => (turn.value += 1)}>${t("examples.other")}</button>`}
    </section>`}
    ${recent.value.length > 0 && html`<section class="recent" aria-labelledby="recent-title">
      <h2 id="recent-title">${t("recent")}</h2>
      <ul>${recent.value.map(
        (each) => html`<li><a href=${to("run", each.id)}><${StatusMark} status=${STATES[each.state] ?? "waiting"} /><span class="clip">${each.question}</span>
          <span class="faint">${each.state === "done" ? when(each.created) : t(`state.${each.state}`)}</span></a></li>`,
      )}</ul>
    </section>`}
  </div>`;
}

const STATES = { done: "done", failed: "failed", cancelled: "not in the library", awaiting_plan: "partial" };
