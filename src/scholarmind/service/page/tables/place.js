// Literature tables: those that there are, and a new one.

import { dress, html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { sure } from "../dialogs.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { collections, may } from "../session.js";
import { sayTrouble, troubleText } from "../notes.js";
import { Icon } from "../icons.js";
import { toggled } from "../pure/columns.js";

/** Show the saved tables. */
export function TablesPlace() {
  const [items, making] = [useSignal(null), useSignal(false)];
  useEffect(() => {
    dress("research");
    get("/tables?limit=200").then(
      (found) => (items.value = found.items),
      (error) => (sayTrouble(error), (items.value = [])),
    );
  }, []);
  if (!items.value) return html`<div class="empty" aria-busy="true"></div>`;
  const none = !items.value.length;
  const forget = async (table) => {
    if (!(await sure(t("tables.forget.sure", { name: table.name }), t("forget.do")))) return;
    try {
      await send("DELETE", `/tables/${encodeURIComponent(table.name)}`);
      items.value = items.value.filter((each) => each !== table);
    } catch (error) {
      sayTrouble(error);
    }
  };
  return html`<div class="runs">
    <header class="place-head"><h1>${t("nav.tables")}</h1><span class="grow"></span>
      ${may("ask") && !none && html`<button class="main" aria-expanded=${making.value} onClick=${() => (making.value = !making.value)}><${Icon} name="plus" />${t("tables.new")}</button>`}</header>
    ${none && html`<p class="lead">${t("tables.lead")}</p>`}
    ${may("ask") && (none || making.value) && html`<${NewTable} />`}
    <ul class="run-list">${items.value.map(
      (table) => html`<li key=${table.name}>
        <a href=${to("tables", table.name)}><${Icon} name="table" /><span class="clip run-question">${table.name}</span>
          <span class="faint clip">${table.columns.map((column) => column.name).join(" · ")}${table.where ? ` — ${table.where}` : ""}</span></a>
        ${may("ask") && html`<span class="run-tools"><button class="quiet square" aria-label=${t("tables.forget", { name: table.name })} onClick=${() => forget(table)}><${Icon} name="close" /></button></span>`}
      </li>`,
    )}</ul>
  </div>`;
}

function NewTable() {
  const [columns, filter, name, within, wrong] = [useSignal(t("tables.columns.first")), useSignal(""), useSignal(""), useSignal(""), useSignal("")];
  const busy = useSignal(false);
  const all = collections.value ?? [];
  const make = async (event) => {
    event.preventDefault();
    [busy.value, wrong.value] = [true, ""];
    try {
      const body = { columns: columns.value, filter: filter.value.trim(), name: name.value.trim(), collections: within.value ? [within.value] : [] };
      go(to("tables", (await send("POST", "/tables", body)).name));
    } catch (error) {
      wrong.value = troubleText(error);
    } finally {
      busy.value = false;
    }
  };
  const typed = (into) => (event) => (into.value = event.target.value);
  return html`<form class="new-table" onSubmit=${make}>
    <label class="field"><span>${t("tables.columns")}</span><textarea rows="2" required value=${columns.value} onInput=${typed(columns)} aria-describedby="columns-how"></textarea></label>
    <p class="hush" id="columns-how">${t("tables.columns.how")}</p>
    <div class="chosen" role="group" aria-label=${t("tables.presets")}>${t("tables.presets.all").split(/\s*[;；]\s*/).map((each) => {
      const { there, text } = toggled(columns.value, each);
      return html`<button type="button" class="chip" aria-pressed=${there} onClick=${() => (columns.value = text)}>${each}</button>`;
    })}</div>
    <div class="fields-row">
      <label class="field"><span>${t("tables.filter")}</span><input value=${filter.value} placeholder="year >= 2022" onInput=${typed(filter)} /></label>
      ${all.length > 1 && html`<label class="field"><span>${t("collection")}</span><select value=${within.value} onChange=${typed(within)}>
        <option value="">${t("collection.all")}</option>${all.map((each) => html`<option value=${each.name}>${each.name}</option>`)}</select></label>`}
      <label class="field"><span>${t("tables.name")}</span><input value=${name.value} maxlength="60" placeholder="table-1" onInput=${typed(name)} /></label>
    </div>
    ${wrong.value && html`<p class="trouble" role="alert">${wrong.value}</p>`}
    <div class="row"><button class="main" type="submit" disabled=${busy.value}>${t("tables.make")}</button></div>
  </form>`;
}
