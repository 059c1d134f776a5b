// Questions that are followed: asked again whenever documents came, and what became of their answers.

import { dress, html, useEffect, useSignal } from "../kit.js";
import { t, when } from "../language.js";
import { sure } from "../dialogs.js";
import { get, send } from "../api.js";
import { to } from "../router.js";
import { say, sayTrouble } from "../notes.js";
import { Icon, StatusMark } from "../icons.js";
import { Downloads } from "../downloads.js";
import { openPlaces, openSource, Source } from "../ask/source.js";
import { placeOfCitation } from "../pure/columns.js";

const LOOK_MS = 800;
const seconds = (iso) => Date.parse(iso) / 1000;

/** Show the questions that are followed, each with its news. */
export function WatchedPlace() {
  const [items, news] = [useSignal(null), useSignal([])];
  const load = async () => {
    try {
      const [found, told] = await Promise.all([get("/watched?limit=200"), get("/news?limit=200")]);
      [items.value, news.value] = [found.items, told];
    } catch (error) {
      sayTrouble(error);
      items.value ??= [];
    }
  };
  useEffect(() => {
    dress("research");
    load();
    return () => (openPlaces.value = null);
  }, []);
  if (!items.value) return html`<div class="empty" aria-busy="true"></div>`;
  return html`<div class=${openPlaces.value ? "library reading" : "runs"}><div class="library-main">
    <p class="crumbs"><a href=${to("runs")}>${t("nav.runs")}</a></p>
    <header class="place-head"><h1>${t("nav.watched")}</h1><span class="grow"></span>
      ${news.value.length > 0 && html`<${Downloads} forms=${["atom", "mail", "text"]} path=${(form) => `/news?format=${form}`} />`}</header>
    <p class="lead">${t("watched.lead")}</p>
    ${!items.value.length && html`<div class="empty"><p>${t("watched.none")}</p><a class="main" href=${to("")}>${t("nav.ask")}</a></div>`}
    <ul class="followed">${items.value.map((each) => html`<${Followed} key=${each.id} watched=${each} news=${news.value.filter((remark) => remark.name === each.name)} load=${load} />`)}</ul>
  </div>${openPlaces.value && html`<aside class="beside"><${Source} /></aside>`}</div>`;
}

function Followed({ watched, news, load }) {
  const busy = useSignal(false);
  const answered = watched.parts.filter((part) => part.status === "answered").length;
  const renew = async () => {
    busy.value = true;
    try {
      let job = await send("POST", `/watched/${watched.id}/renew`);
      while (!["done", "failed", "cancelled"].includes(job.state)) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        job = await get(`/jobs/${job.id}`);
      }
      const failed = job.report?.failed[watched.name] ?? job.error;
      say(failed || t("watched.renewed", { n: job.report.news }), failed ? "trouble" : "note");
      await load();
    } catch (error) {
      sayTrouble(error);
    } finally {
      busy.value = false;
    }
  };
  const forget = async () => {
    if (!(await sure(t("watched.forget.sure", { question: watched.question }), t("watched.forget")))) return;
    await send("DELETE", `/watched/${watched.id}`).then(load, sayTrouble);
  };
  return html`<li>
    <div class="row"><${StatusMark} status=${answered === watched.parts.length ? "answered" : "partial"} /><h2>${watched.question}</h2></div>
    <p class="row wrap"><span class="faint">${[t("rows.of", { n: answered, all: watched.parts.length }), t("watched.asked", { when: when(seconds(watched.asked)) }), watched.waits && t("watched.waits")].filter(Boolean).join(" · ")}</span><span class="grow"></span>
      <button class="quiet small" disabled=${busy.value} onClick=${renew}><${Icon} name="again" />${t("watched.renew")}</button>
      <button class="quiet small" onClick=${forget}>${t("watched.forget")}</button></p>
    ${news.length ? html`<ul class="news">${news.map((remark) => html`<${News} remark=${remark} />`)}</ul>` : html`<p class="hush">${t("watched.quiet")}</p>`}
  </li>`;
}

function News({ remark }) {
  const places = remark.quotes.map(placeOfCitation);
  const sources = [...new Set(remark.quotes.slice(0, remark.fresh || undefined).map((each) => each.key))].join("; ");
  return html`<li><p><strong>${t(`news.${remark.kind}`, { sources })}</strong> ${remark.row} <span class="faint">${when(seconds(remark.at))}</span></p>
    ${remark.kind === "counted" && html`<p class="hush">${remark.before || "–"} → ${remark.after || "–"}</p>`}
    ${["answered", "conflict", "settled", "lost"].includes(remark.kind) && remark.said && html`<p>${remark.said}</p>`}
    ${places.map((place, index) => html`<button class="said-there" onClick=${(event) => openSource(places, index, `${remark.id}.${index}`, event.currentTarget)}>
      <span class="hush">${[place.key, place.page ? t("page.n", { n: place.page }) : place.section.at(-1)].filter(Boolean).join(" · ")}</span>${place.quote ? `“${place.quote}”` : place.title}</button>`)}
  </li>`;
}
