// What whoever runs the service looks after: the keys that open it, and the language model.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { session } from "../session.js";
import { troubleText } from "../notes.js";
import { StatusMark } from "../icons.js";
import { Keys } from "./keys.js";

/** Show it. */
export function ServicePlace() {
  return html`<div class="library"><div class="library-main">
    <header class="place-head"><h1>${t("nav.service")}</h1></header>
    <${Keys} />
    <${Model} />
  </div></div>`;
}

/** The language model: what is set, and whether it works. */
function Model() {
  const [settings, checks, trouble, busy] = [useSignal(null), useSignal(null), useSignal(""), useSignal(false)];
  useEffect(() => void get("/settings").then((all) => (settings.value = all), () => {}), []);
  const test = async () => {
    busy.value = true;
    trouble.value = "";
    checks.value = null;
    try {
      checks.value = await send("POST", "/model/test");
    } catch (error) {
      trouble.value = troubleText(error);
    } finally {
      busy.value = false;
    }
  };
  const set = settings.value && (settings.value.llm || settings.value.llm_base_url);
  return html`<section class="admin" aria-labelledby="model-title">
    <h2 id="model-title">${t("model")}</h2>
    ${set
      ? html`<p><strong>${[settings.value.llm_model, settings.value.llm_base_url].filter(Boolean).join(" · ") || settings.value.llm}</strong></p>`
      : html`<p class="hush">${t("model.none")}</p>`}
    ${session.value?.model && html`<p><button class="quiet" disabled=${busy.value} aria-busy=${busy.value} onClick=${test}>${busy.value ? t("model.testing") : t("model.test")}</button></p>`}
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    ${checks.value && html`<ul class="checks" aria-live="polite">${checks.value.map(
      (each) => html`<li><${StatusMark} status=${each.ok ? "answered" : "failed"} /><div><p><strong>${each.name}</strong> ${each.seen}</p>${each.mend && html`<p class="hush">${each.mend}</p>`}</div></li>`,
    )}</ul>`}
  </section>`;
}
