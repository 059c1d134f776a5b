// A question that the page asks before it does what cannot be taken back, or a name that it needs: one at a time, over everything.

import { html, signal, useEffect, useRef, useSignal } from "./kit.js";
import { t } from "./language.js";

const open = signal(null); // {text, action, typed, resolve}

/** Ask whether something is to be done; `action` is what the button says. */
export const sure = (text, action) => new Promise((resolve) => (open.value = { text, action, resolve }));

/** Ask for a name; null where nobody gave one. */
export const nameFor = (text, label, action) => new Promise((resolve) => (open.value = { text, label, action, resolve }));

/** Show the question that is open. */
export const Dialogs = () => open.value && html`<${Asking} key=${open.value.text} ...${open.value} />`;

function Asking({ text, label, action, resolve }) {
  const [box, typed] = [useRef(null), useSignal("")];
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.isConnected && before.focus();
  }, []);
  const close = (said) => {
    open.value = null;
    resolve(said);
  };
  const submit = (event) => {
    event.preventDefault();
    if (!label) close(true);
    else if (typed.value.trim()) close(typed.value.trim());
  };
  return html`<dialog class="asking" ref=${box} aria-labelledby="asking-text" onCancel=${(event) => (event.preventDefault(), close(null))}>
    <form onSubmit=${submit}>
      <p id="asking-text" class="pre">${text}</p>
      ${label && html`<label class="field"><span>${label}</span><input maxlength="100" value=${typed.value} onInput=${(event) => (typed.value = event.target.value)} /></label>`}
      <div class="row"><span class="grow"></span>
        <button class="quiet" type="button" onClick=${() => close(null)}>${t("cancel")}</button>
        <button class=${label ? "main" : "main warning"} type="submit" disabled=${label && !typed.value.trim()}>${action}</button></div>
    </form></dialog>`;
}
