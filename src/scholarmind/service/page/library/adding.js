// Files that are added: dropped or chosen, sent with progress, read by the service, and the reason of each that was not taken.

import { html, signal, useEffect, useRef, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, upload } from "../api.js";
import { may, refresh, session } from "../session.js";
import { say, troubleText } from "../notes.js";
import { filesOf, otherProblems } from "../pure/adding.js";
import { Icon, StatusMark } from "../icons.js";

const AT_A_TIME = 20;
const SHOWN = 8; // files that are shown without being asked for
const OVER = ["done", "failed", "cancelled"];
export const adding = signal([]); // {id, names, sizes, sent, job, trouble}
let looked = false; // whether it is seen to what was being added before this page was opened
export const arrived = signal(0); // grows when documents came

/** Send files to a collection and watch them being read. Each batch goes by itself, so that one that is refused keeps none back. */
export async function add(collection, files) {
  const all = [...files];
  for (let from = 0; from < all.length; from += AT_A_TIME) await addSome(collection, all.slice(from, from + AT_A_TIME));
}

async function addSome(collection, files) {
  const id = begin(files.map((file) => file.name), files.map((file) => file.size), null);
  try {
    await watch(id, await upload(`/collections/${encodeURIComponent(collection)}/documents`, files, (sent) => change(id, { sent })));
  } catch (error) {
    if (error.status === 415 && files.length > 1) {
      adding.value = adding.value.filter((each) => each.id !== id); // one of them is of no kind that is read: the others need not suffer
      say(t("add.one-by-one"));
      for (const file of files) await addSome(collection, [file]);
    } else change(id, { trouble: troubleText(error) });
  }
}

function begin(names, sizes, job) {
  const id = Math.random();
  adding.value = [{ id, names, sizes, sent: 0, job, trouble: "" }, ...adding.value].slice(0, 12);
  return id;
}

const change = (id, more) => (adding.value = adding.value.map((each) => (each.id === id ? { ...each, ...more } : each)));

/** Watch files being read. */
async function watch(id, begun) {
  let job = begun;
  while (!OVER.includes(job.state)) {
    change(id, { sent: 1, job });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { read = 0 } = job.progress;
    job = await get(`/jobs/${job.id}`);
    if ((job.progress.read ?? 0) > read) {
      await refresh(); // what was read is there already
      arrived.value += 1;
    }
  }
  change(id, { sent: 1, job });
  await refresh();
  arrived.value += 1;
}

/** Take up what is being added since before this page was opened. */
async function lookBack() {
  looked = true;
  const { items } = await get("/jobs?limit=20");
  for (const job of items.filter((each) => !OVER.includes(each.state) && !adding.value.some((batch) => batch.job?.id === each.id))) {
    const id = begin(job.files, null, job);
    watch(id, job).catch((error) => change(id, { trouble: troubleText(error) }));
  }
}

/** A place that documents of a collection are dropped on, or chosen by. */
export const DropZone = ({ collection, large }) => html`<${Drop} take=${(files) => add(collection, files)} large=${large} what=${t("drop")} kinds=${t("drop.kinds")} />`;

/** A place that files are dropped on, or chosen by; `take` gets them. */
export function Drop({ take, large, what, kinds }) {
  const over = useSignal(false);
  const input = useRef(null);
  const drop = (event) => {
    event.preventDefault();
    over.value = false;
    take(event.dataTransfer.files);
  };
  const choose = (event) => {
    take([...event.target.files]);
    event.target.value = "";
  };
  return html`<div class=${large ? "drop large" : "drop"} data-over=${over.value} onDragOver=${(event) => (event.preventDefault(), (over.value = true))}
      onDragLeave=${() => (over.value = false)} onDrop=${drop}>
      <${Icon} name="upload" />
      <p>${what} <button class="inline" onClick=${() => input.current.click()}>${t("drop.choose")}</button></p>
      <p class="hush">${kinds}</p>
      <input ref=${input} type="file" multiple hidden aria-label=${t("drop.choose")} onChange=${choose} />
    </div>`;
}

/** How far files are that were sent; it stays when the place for them has gone, since the collection is empty no more. */
export function Adding() {
  useEffect(() => void (!looked && may("ingest") && lookBack().catch(() => (looked = false))), [session.value]);
  if (!adding.value.length) return null;
  return html`<ul class="adding" aria-label=${t("adding")}>${adding.value.map((each) => html`<${Batch} key=${each.id} batch=${each} />`)}</ul>`;
}

/** How a bibliography and files went together: what has no file yet is told, so that it can be found. */
function Matches({ matches }) {
  const { entries, matched, unmatched } = matches;
  const found = Object.values(matched).reduce((sum, count) => sum + count, 0);
  return html`<details class="problems"><summary>${t("matched", { n: found, all: entries })}</summary>
    <ul tabindex="0">${unmatched.slice(0, 200).map((each) => html`<li><strong>${each.key}</strong> ${each.reason}</li>`)}</ul></details>`;
}

/** Each file by itself, where there are several, or one was left out. */
function Files({ batch }) {
  const files = filesOf(batch);
  if (files.length === 1 && !files[0].reason) return null;
  const left = files.filter((each) => each.reason);
  return html`<details class="problems" open=${left.length > 0 || files.length <= SHOWN}><summary>${left.length ? t("add.remarks", { n: left.length, all: files.length }) : t("add.each", { n: files.length })}</summary>
    <ul tabindex="0">${[...left, ...files.filter((each) => !each.reason)].map(
      (each) => html`<li class="row"><${StatusMark} status=${each.state} /><span><strong>${each.name}</strong> ${each.reason || t(`file.${each.state}`)}</span></li>`,
    )}</ul></details>`;
}

/** Say how far the reading of files is, or what follows on it. */
function reached({ progress }, n) {
  const { stage = "read", done = 0, total = 0, read = 0 } = progress;
  if (stage === "read" || !total) return [t("add.reading", { done: read, n }), n && read / n];
  return [t(stage === "embed" ? "add.embedding" : "add.following", { done, n: total }), done / total];
}

function Batch({ batch }) {
  const { job, names, sent, trouble } = batch;
  const others = otherProblems(batch);
  const report = job?.report;
  const state = trouble || job?.state === "failed" ? "failed" : report ? (report.problems.length && !report.added ? "partial" : "answered") : "searching";
  const [told, share] = job ? reached(job, names.length) : [t("add.sending"), sent];
  const said = trouble || job?.error || (report ? t("added", report) : told);
  return html`<li>
    <${StatusMark} status=${state} />
    <div><p class="clip">${names.length === 1 ? names[0] : t("add.files", { n: names.length, name: names[0] })}</p>
      <p class=${trouble ? "trouble" : "hush"} role=${trouble ? "alert" : undefined}>${said}</p>
      ${!report && !trouble && html`<progress max="1" value=${share || undefined} aria-label=${said}></progress>`}
      ${report?.matches && html`<${Matches} matches=${report.matches} />`}
      ${others.length > 0 && html`<ul class="problems">${others.slice(0, 50).map((each) => html`<li><strong>${each.where}</strong> ${each.reason} ${each.advice}</li>`)}</ul>`}
      <${Files} batch=${batch} />
    </div>
  </li>`;
}

