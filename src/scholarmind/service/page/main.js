// The page: its head, the place that one is at, and what lies over all places.

import "./trust.js";
import { computed, effect, html, keptSignal, render, useEffect, useSignal } from "./kit.js";
import { fetchTexts, language, t } from "./language.js";
import { go, placeOf, route, to } from "./router.js";
import { ask, service } from "./api.js";
import { may, refresh, session } from "./session.js";
import { Dialogs } from "./dialogs.js";
import { Icon } from "./icons.js";
import { Notes } from "./notes.js";
import { AskPlace } from "./ask/place.js";
import { KeyPlace } from "./key.js";

const theme = keptSignal("theme", "auto");
effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

const LATER = {
  run: () => import("./ask/run.js").then((found) => found.RunPlace),
  library: () => import("./library/place.js").then((found) => found.LibraryPlace),
  document: () => import("./library/document.js").then((found) => found.DocumentPlace),
  runs: () => import("./library/runs.js").then((found) => found.RunsPlace),
  compare: () => import("./library/compare.js").then((found) => found.ComparePlace),
  graph: () => import("./library/graph.js").then((found) => found.GraphPlace),
  read: () => import("./reader/place.js").then((found) => found.ReadPlace),
  service: () => import("./admin/place.js").then((found) => found.ServicePlace),
  tables: () => import("./tables/place.js").then((found) => found.TablesPlace),
  table: () => import("./tables/table.js").then((found) => found.TablePlace),
  drafts: () => import("./drafts/place.js").then((found) => found.DraftsPlace),
  draft: () => import("./drafts/draft.js").then((found) => found.DraftPlace),
  watched: () => import("./library/watched.js").then((found) => found.WatchedPlace),
  tree: () => import("./library/tree.js").then((found) => found.TreePlace),
};
const AT_ONCE = { ask: AskPlace };
const ONE_EACH = ["run", "table", "draft"]; // of these places, each id is a place of its own
const loaded = {};

async function load(place) {
  if (loaded[place]) return;
  try {
    loaded[place] = await LATER[place]();
  } catch {
    loaded[place] = null; // the service has a newer page, of which these files are no part
  }
}

const title = computed(() => {
  const { place } = route.value;
  return place === "ask" ? "ScholarMind" : `${t(`nav.${place in LATER ? place : "ask"}`)} · ScholarMind`;
});
effect(() => (document.title = title.value));

function Head() {
  const at = route.value.place;
  const current = (...places) => (places.includes(at) ? "page" : undefined);
  const asks = !session.value || may("ask");
  const next = { auto: "light", light: "dark", dark: "auto" };
  useEffect(() => {
    const link = document.querySelector(".head nav [aria-current]");
    if (!link) return;
    const [nav, here] = [link.parentElement, link.getBoundingClientRect()];
    nav.scrollLeft += here.left + here.width / 2 - (nav.getBoundingClientRect().left + nav.clientWidth / 2); // where not all of it is seen
  }, [at, !!session.value]);
  return html`<header class="head">
    <a class="skip" href="#content" onClick=${skip}>${t("skip")}</a>
    <a class="wordmark" href=${to("")} aria-label=${t("home")}>
      <svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true"
        ><path d="M4 5.500h4c4 0 4 6.500 8 6.500M4 12h12M4 18.500h4c4 0 4-6.500 8-6.500" /><circle cx="18.500" cy="12" r="2.600"
      /></svg>
      <span>ScholarMind</span>
    </a>
    <nav aria-label=${t("nav")} onPointerOver=${foresee} onFocusIn=${foresee}>
      ${asks && html`<a href=${to("")} aria-current=${current("ask", "run")}>${t("nav.ask")}</a>`}
      <a href=${to("library")} aria-current=${current("library", "document", "read", "graph", "tree")}>${t("nav.library")}</a>
      ${asks && html`<a href=${to("runs")} aria-current=${current("runs", "watched", "compare")}>${t("nav.runs")}</a>`}
      <a href=${to("tables")} aria-current=${current("tables", "table")}>${t("nav.tables")}</a>
      ${asks && html`<a href=${to("drafts")} aria-current=${current("drafts", "draft")}>${t("nav.drafts")}</a>`}
      ${may("admin") && html`<a href=${to("service")} aria-current=${current("service")}><span class="nav-word">${t("nav.service")}</span><${Icon} name="key" /></a>`}
    </nav>
    <div class="head-tools">
      ${session.value && !session.value.local && html`<button class="quiet" title=${session.value.name} onClick=${signOut}>${t("sign-out")}</button>`}
      <button class="quiet" lang=${language.value === "zh" ? "en" : "zh-Hans"} onClick=${() => (language.value = language.value === "zh" ? "en" : "zh")}
        ><span class="nav-word">${language.value === "zh" ? "English" : "中文"}</span><span class="nav-short" aria-hidden="true">${language.value === "zh" ? "EN" : "中"}</span></button>
      <button class="quiet square" aria-label=${t("theme", { now: t(`theme.${theme.value}`) })} title=${t("theme", { now: t(`theme.${theme.value}`) })}
        onClick=${() => (theme.value = next[theme.value])}><${Icon} name=${theme.value} /></button>
    </div>
  </header>`;
}

/** Fetch what a place needs while somebody points at its link. */
function foresee(event) {
  const { place } = placeOf(event.target.closest("a")?.hash ?? "");
  if (place in LATER) load(place);
}

/** Give the key back that this browser was opened with. */
async function signOut() {
  await ask("/session", { method: "DELETE" });
  location.reload();
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}

function Away() {
  return service.value === "away" && html`<div class="away" role="status"><span class="pulse"></span>${t("away")}</div>`;
}

function Place() {
  const { place } = route.value;
  const shown = useSignal(0);
  useEffect(() => void (place in LATER && load(place).then(() => (shown.value += 1))), [place]);
  void shown.value;
  if (service.value === "key") return html`<${KeyPlace} />`;
  const Found = AT_ONCE[place] ?? loaded[place];
  if (Found) return html`<${Found} key=${ONE_EACH.includes(place) ? `${place} ${route.value.id}` : place} ...${route.value} />`;
  if (place in LATER && loaded[place] === null) return html`<div class="empty"><p>${t("newer")}</p><button class="main" onClick=${() => location.reload()}>${t("reload")}</button></div>`;
  if (place in LATER) return html`<div class="empty" aria-busy="true"></div>`;
  return html`<div class="empty"><h1>${t("nowhere")}</h1><p><a href=${to("")}>${t("nav.ask")}</a></p></div>`;
}

function App() {
  useEffect(() => {
    const key = (event) => {
      const typing = /^(?:input|textarea|select)$/i.test(event.target.tagName);
      if (event.key !== "/" || typing || event.metaKey || event.ctrlKey || event.altKey) return;
      const box = document.querySelector("[data-ask]");
      if (!box) return;
      event.preventDefault();
      box.focus();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, []);
  return html`<${Head} /><main id="content" tabindex="-1"><${Place} /></main><${Away} /><${Notes} /><${Dialogs} />`;
}

effect(() => void fetchTexts());
await fetchTexts(); // so that nobody sees a language that is not theirs
render(html`<${App} />`, document.getElementById("page"));
(window.requestIdleCallback ?? setTimeout)(() => load("run")); // the next step of most people
effect(() => {
  if (service.value === "here" && !session.peek()) refresh().catch(() => {});
});
effect(() => {
  if (session.value && !may("ask") && route.value.place === "ask") go(to("library"), { instead: true }); // who may only read begins there
});
