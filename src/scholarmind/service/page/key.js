// Who comes without a session says who they are.

import { html, useSignal } from "./kit.js";
import { t } from "./language.js";
import { begin } from "./api.js";
import { refresh } from "./session.js";
import { troubleText } from "./notes.js";

/** Ask for a key. */
export function KeyPlace() {
  const key = useSignal("");
  const wrong = useSignal("");
  const submit = async (event) => {
    event.preventDefault();
    wrong.value = "";
    try {
      await begin(key.value.trim());
      await refresh();
    } catch (error) {
      wrong.value = error.status === 401 ? t("key.wrong") : troubleText(error);
    }
  };
  return html`<form class="key-place" onSubmit=${submit}>
    <h1>${t("key.title")}</h1>
    <p>${t("key.why")}</p>
    <label class="field"><span>${t("key")}</span>
      <input type="password" autocomplete="current-password" required value=${key.value} aria-invalid=${wrong.value ? "true" : undefined}
        aria-describedby="key-wrong" placeholder="sm_…" onInput=${(event) => (key.value = event.target.value)} /></label>
    <p id="key-wrong" class="trouble" role="alert">${wrong.value}</p>
    <button class="main" type="submit">${t("key.begin")}</button>
  </form>`;
}
