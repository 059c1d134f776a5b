// The names of one thing: what else it is called and why, a name taken out, and another one taken for the same.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { may } from "../session.js";
import { say, troubleText } from "../notes.js";
import { Icon } from "../icons.js";

/** Show the names of a node; `again` is called when they have changed. */
export function Names({ node, again }) {
  const [why, typed, trouble, busy] = [useSignal(new Map()), useSignal(""), useSignal(""), useSignal(false)];
  useEffect(() => void get(`/graph/merges?name=${encodeURIComponent(node.name)}`).then((all) => (why.value = new Map(all.map((each) => [each.name, each]))), () => {}), [node]);
  const others = node.names.filter((name) => name !== node.name);
  const act = async (path, body, told) => {
    busy.value = true;
    trouble.value = "";
    try {
      await send("POST", path, body);
      say(told);
      typed.value = "";
      again();
    } catch (error) {
      trouble.value = troubleText(error);
    } finally {
      busy.value = false;
    }
  };
  const split = (name) => act("/graph/split", { name, kind: node.kind }, t("names.split.done", { name }));
  const merge = (event) => {
    event.preventDefault();
    const name = typed.value.trim();
    if (name) act("/graph/merge", { names: [name], into: node.number > 0 ? `#${node.number}` : node.name, kind: node.kind }, t("names.merged", { name, into: node.name }));
  };
  if (!others.length && !may("ingest")) return null;
  return html`<div class="names-of">
    ${others.length > 0 && html`<p class="hush">${t("names.also")}</p><ul class="chosen">${others.map((name) => {
      const known = why.value.get(name);
      return html`<li class="chip" title=${known?.reason ?? ""}>${name}${may("ingest") && html`<button class="quiet tiny" disabled=${busy.value} aria-label=${t("names.split", { name })} title=${t("names.split", { name })} onClick=${() => split(name)}>
        <${Icon} name="close" /></button>`}</li>`;
    })}</ul>`}
    ${may("ingest") && html`<form class="row" onSubmit=${merge}><label class="choice"><span>${t("names.same")}</span>
      <input value=${typed.value} maxlength="300" onInput=${(event) => (typed.value = event.target.value)} /></label>
      <button class="quiet" type="submit" disabled=${!typed.value.trim() || busy.value}>${t("names.merge")}</button></form>`}
    ${trouble.value && html`<p class="trouble" role="alert">${trouble.value}</p>`}
  </div>`;
}
