// The keys of the service: made, shown once, listed with what they have used, and revoked.

import { html, useEffect, useSignal } from "../kit.js";
import { t, when } from "../language.js";
import { sure } from "../dialogs.js";
import { ask, get, send } from "../api.js";
import { collections } from "../session.js";
import { copy, sayTrouble, troubleText } from "../notes.js";
import { Icon } from "../icons.js";

const SCOPES = ["ask", "search", "ingest", "admin"];
const EMPTY = { name: "", scopes: ["ask", "search"], collections: [], rate: "", budget: "" };

/** Show the keys. */
export function Keys() {
  const [keys, made, open, trouble] = [useSignal(null), useSignal(null), useSignal(false), useSignal("")];
  const load = () => get("/keys").then((all) => (keys.value = all), (error) => (trouble.value = troubleText(error)));
  useEffect(() => void load(), []);
  const revoke = async (key) => {
    if (!(await sure(t("keys.revoke.sure", { name: key.name || key.id }), t("keys.revoke")))) return;
    try {
      await ask(`/keys/${encodeURIComponent(key.id)}`, { method: "DELETE" });
      await load();
    } catch (error) {
      sayTrouble(error);
    }
  };
  const done = async (created) => {
    made.value = created;
    open.value = false;
    await load();
  };
  return html`<section class="admin" aria-labelledby="keys-title">
    <div class="section-head"><h2 id="keys-title">${t("keys")}</h2><span class="grow"></span>
      <button class="quiet" aria-expanded=${open.value} onClick=${() => (open.value = !open.value)}><${Icon} name="plus" />${t("keys.new")}</button></div>
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    ${made.value && html`<div class="banner" role="status"><p><strong>${t("keys.made")}</strong> ${t("keys.once")}</p>
      <p class="row wrap"><code class="key-shown">${made.value.key}</code><button class="quiet" onClick=${() => copy(made.value.key, t("copied"))}><${Icon} name="copy" />${t("copy")}</button>
        <button class="quiet" onClick=${() => (made.value = null)}>${t("close")}</button></p></div>`}
    ${open.value && html`<${NewKey} done=${done} />`}
    ${keys.value?.length === 0 && html`<p class="hush">${t("keys.none")}</p>`}
    <ul class="keys">${keys.value?.map(
      (key) => html`<li data-revoked=${Boolean(key.revoked)}>
        <div><p><strong>${key.name || t("keys.nameless")}</strong> <code>${key.id}</code>${key.revoked ? html` <span class="faint">${t("keys.revoked")}</span>` : ""}</p>
          <p class="hush">${[key.scopes.map((scope) => t(`scope.${scope}`)).join(t("comma")), key.collections ? key.collections.join(t("comma")) : t("collection.all"), key.rate, key.budget, when(key.created)].filter(Boolean).join(" · ")}</p>
          <p class="faint">${t("keys.used", { requests: key.requests, questions: key.questions, tokens: key.tokens })}</p></div>
        ${!key.revoked && html`<button class="quiet danger" onClick=${() => revoke(key)}>${t("keys.revoke")}</button>`}</li>`,
    )}</ul>
  </section>`;
}

function NewKey({ done }) {
  const [wanted, trouble, busy] = [useSignal(EMPTY), useSignal(""), useSignal(false)];
  const set = (more) => (wanted.value = { ...wanted.value, ...more });
  const toggle = (name, value) => set({ [name]: wanted.value[name].includes(value) ? wanted.value[name].filter((each) => each !== value) : [...wanted.value[name], value] });
  const create = async (event) => {
    event.preventDefault();
    busy.value = true;
    trouble.value = "";
    const { collections: some, ...rest } = wanted.value;
    try {
      await done(await send("POST", "/keys", { ...rest, collections: some.length ? some : null }));
    } catch (error) {
      trouble.value = troubleText(error);
    } finally {
      busy.value = false;
    }
  };
  const chips = (name, all, label) => html`<div class="waits" role="group" aria-label=${label}><span class="hush">${label}</span>${all.map(
    ([value, text]) => html`<button type="button" class="chip" aria-pressed=${wanted.value[name].includes(value)} onClick=${() => toggle(name, value)}>${text}</button>`,
  )}</div>`;
  const field = (name, hint) => html`<label class="field"><span>${t(`keys.${name}`)}</span><input value=${wanted.value[name]} placeholder=${hint} maxlength="100" onInput=${(event) => set({ [name]: event.target.value })} /></label>`;
  return html`<form class="edit new-key" onSubmit=${create}>
    ${field("name", "")}
    ${chips("scopes", SCOPES.map((scope) => [scope, t(`scope.${scope}`)]), t("keys.scopes"))}
    ${(collections.value?.length ?? 0) > 1 && chips("collections", collections.value.map((each) => [each.name, each.name]), t("keys.collections"))}
    <div class="row wrap">${field("rate", "60/min")}${field("budget", "5.00/month")}</div>
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
    <p><button class="main" type="submit" disabled=${!wanted.value.scopes.length || busy.value}>${t("keys.create")}</button></p>
  </form>`;
}
