// A literature table: cells that fill while it works, each with its words in the source; sorted, widened, corrected, taken away.

import { dress, html, useEffect, useMemo, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, send } from "../api.js";
import { go, to } from "../router.js";
import { may } from "../session.js";
import { sayTrouble, troubleText } from "../notes.js";
import { nextOrder, placeOfCell, stateOfCell } from "../pure/columns.js";
import { Icon } from "../icons.js";
import { Downloads } from "../downloads.js";
import { closeSource, openPlaces, openSource } from "../ask/source.js";
import { CellPane } from "./cell.js";

const FORMS = ["xlsx", "csv", "md", "tex", "html", "json"];
const AT_A_TIME = 100;
const LOOK_MS = 1000;
const isOver = (job) => !job || ["done", "failed", "cancelled"].includes(job.state);

/** Show a table. */
export function TablePlace({ id, query }) {
  const path = `/tables/${encodeURIComponent(id)}`;
  const [table, trouble, chosen, widening] = [useSignal(null), useSignal(""), useSignal(null), useSignal(false)];
  const [sort, shown] = [useSignal(query.get("sort") ?? ""), useSignal(AT_A_TIME)];
  const stop = useMemo(() => new AbortController(), []);
  const took = useRef(0);
  const load = async () => {
    const began = Date.now();
    try {
      const ordered = `&sort=${encodeURIComponent(sort.peek())}`;
      let found = await get(`${path}?limit=${Math.min(200, shown.peek())}${ordered}`, { stop: stop.signal });
      while (found.next && found.rows.length < shown.peek()) {
        const more = await get(`${path}?limit=200&cursor=${found.next}${ordered}`, { stop: stop.signal });
        found = { ...more, rows: [...found.rows, ...more.rows] };
      }
      took.current = Date.now() - began;
      table.value = found;
    } catch (error) {
      if (!stop.signal.aborted) trouble.value = troubleText(error);
    }
  };
  useEffect(() => {
    dress("research");
    return () => (stop.abort(), (openPlaces.value = null));
  }, []);
  useEffect(() => {
    go(`${to("tables", id)}${sort.value ? `?sort=${encodeURIComponent(sort.value)}` : ""}`, { instead: true });
    load();
  }, [sort.value, shown.value]);
  const over = isOver(table.value?.job);
  useEffect(() => {
    if (!table.value || over) return undefined;
    const timer = setTimeout(load, LOOK_MS + 4 * took.current); // a large table is not looked at all the time
    return () => clearTimeout(timer);
  }, [table.value]);
  useEffect(() => {
    if (!openPlaces.value && chosen.value?.place) chosen.value = null; // the source was closed, and what is beside it
  }, [openPlaces.value]);
  if (trouble.value) return html`<div class="empty"><h1>${trouble.value}</h1><p><a href=${to("tables")}>${t("nav.tables")}</a></p></div>`;
  if (!table.value) return html`<div class="empty" aria-busy="true"></div>`;
  const { job, rows, columns, where, papers, waiting } = table.value;
  const act = (what) => async () => {
    try {
      await what();
      await load();
    } catch (error) {
      sayTrouble(error);
    }
  };
  const open = (row, column, opener) => {
    const place = placeOfCell(row, row.cells[column.name]);
    chosen.value = { row, column, place, opener };
    if (place) openSource([place], 0, `${row.collection} ${row.document} ${column.name}`, opener);
    else openPlaces.value = null;
  };
  const close = () => {
    const was = chosen.value?.opener;
    chosen.value = null;
    closeSource();
    was?.focus();
  };
  const corrected = (row) => {
    table.value = { ...table.value, rows: rows.map((each) => (each.document === row.document && each.collection === row.collection ? row : each)) };
    chosen.value = { ...chosen.value, row };
  };
  return html`<div class=${chosen.value ? "library table-place reading" : "library table-place"}>
    <div class="library-main">
      <p class="crumbs"><a href=${to("tables")}>${t("nav.tables")}</a></p>
      <header class="place-head"><h1>${table.value.name}</h1><span class="faint">${[t("tables.papers", { n: papers }), where].filter(Boolean).join(" · ")}</span><span class="grow"></span>
        ${may("ask") && html`<button class="quiet" aria-expanded=${widening.value} onClick=${() => (widening.value = !widening.value)}><${Icon} name="plus" />${t("tables.widen")}</button>`}
        ${may("ask") && over && waiting > 0 && html`<button class="main" onClick=${act(() => send("POST", `${path}/fill`))}><${Icon} name="again" />${t("tables.fill", { n: waiting })}</button>`}
        <${Downloads} forms=${FORMS} path=${(form) => `${path}/file?format=${form}&sort=${encodeURIComponent(sort.value)}`} /></header>
      ${widening.value && html`<${Widen} done=${act(() => undefined)} path=${path} close=${() => (widening.value = false)} />`}
      ${!over && html`<${Filling} job=${job} stop=${act(() => send("POST", `/jobs/${job.id}/cancel`))} />`}
      ${job?.state === "failed" && html`<p class="banner trouble" role="alert">${job.error}</p>`}
      ${rows.length ? html`<${Grid} table=${table.value} sort=${sort} open=${open} chosen=${chosen.value} />` : html`<div class="empty"><p>${t("tables.no-papers")}</p></div>`}
      ${papers > rows.length && html`<p class="row"><button class="quiet" onClick=${() => (shown.value = rows.length + AT_A_TIME)}>${t("more")}</button></p>`}
      ${rows.length > 0 && html`<p class="hush">${t("tables.how")} ${columns.length > 1 ? t("tables.how.sort") : ""}</p>`}
    </div>
    ${chosen.value && html`<aside class="beside"><${CellPane} key=${`${chosen.value.row.document} ${chosen.value.column.name}`} chosen=${chosen.value} path=${path} corrected=${corrected} close=${close} /></aside>`}
  </div>`;
}

function Filling({ job, stop }) {
  const { done = 0, total = 0 } = job.progress;
  const said = total ? t("tables.filling", { done, total }) : t("tables.begins");
  return html`<div class="filling" role="status"><p class="row"><span class="pulse"></span>${said}<span class="grow"></span>
    ${may("ask") && html`<button class="quiet small" onClick=${stop}><${Icon} name="stop" />${t("stop")}</button>`}</p>
    <progress max=${total || 1} value=${total ? done : undefined} aria-label=${said}></progress></div>`;
}

function Widen({ path, done, close }) {
  const [columns, wrong] = [useSignal(""), useSignal("")];
  const submit = async (event) => {
    event.preventDefault();
    try {
      await send("POST", `${path}/columns`, { columns: columns.value });
      close();
      await done();
    } catch (error) {
      wrong.value = troubleText(error);
    }
  };
  return html`<form class="row wrap widen" onSubmit=${submit}>
    <label class="field grow"><span>${t("tables.columns")}</span><input required value=${columns.value} placeholder=${t("tables.columns.example")} onInput=${(event) => (columns.value = event.target.value)} /></label>
    <button class="main" type="submit">${t("tables.widen")}</button>
    ${wrong.value && html`<p class="trouble" role="alert">${wrong.value}</p>`}</form>`;
}

/** The cells. Arrows lead from one to the next. */
function Grid({ table, sort, open, chosen }) {
  const heads = [["paper", t("tables.paper")], ...table.columns.map((column) => [column.name, column.name])];
  const order = (name) => (sort.value === name ? "ascending" : sort.value === `-${name}` ? "descending" : undefined);
  const move = (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const cell = event.target.closest("td, th");
    if (!by || !cell) return;
    const line = [...cell.parentElement.parentElement.children][cell.parentElement.rowIndex - 1 + by[0]];
    const next = line?.children[cell.cellIndex + by[1]]?.querySelector("button, a");
    if (next) (event.preventDefault(), next.focus());
  };
  return html`<div class="table-frame matrix" tabindex="0" role="group" aria-label=${table.name}><table>
    <thead><tr>${heads.map(([name, said]) => html`<th scope="col" aria-sort=${order(name)}><button class="quiet small" onClick=${() => (sort.value = nextOrder(sort.value, name))}>${said}
      ${order(name) && html`<${Icon} name=${order(name) === "ascending" ? "up" : "down"} />`}</button></th>`)}</tr></thead>
    <tbody onKeyDown=${move}>${table.rows.map(
      (row) => html`<tr key=${`${row.collection} ${row.document}`}>
        <th scope="row"><a href=${to("document", row.collection, row.document)} title=${row.title}>${row.paper}</a></th>
        ${table.columns.map((column) => {
          const cell = row.cells[column.name];
          const state = stateOfCell(cell);
          const here = chosen && chosen.row.document === row.document && chosen.row.collection === row.collection && chosen.column.name === column.name;
          return html`<td data-state=${state}><button aria-pressed=${here ? "true" : undefined} disabled=${state === "open"} title=${cell?.source?.text} onClick=${(event) => open(row, column, event.currentTarget)}><span>${
            { open: "…", none: t("tables.none") }[state] ?? (cell.value || t("tables.none"))}
            ${state === "said" && cell.source?.page ? html` <span class="faint">${t("page.n", { n: cell.source.page })}</span>` : ""}
            ${state === "hand" && html` <span class="faint">${t("tables.hand")}</span>`}</span></button></td>`;
        })}</tr>`,
    )}</tbody></table></div>`;
}
