// The service: asked, waited for while it is away, and followed.

import { signal } from "./kit.js";
import { reader } from "./pure/sse.js";

const BASE = "/api/v1";
const AWAY_MS = 1000;

/** "here", "away" (waited for), or "key" (somebody must say who they are). */
export const service = signal("here");

/** Why a request was not carried out; `status` 0 where the service could not be reached. */
export class Trouble extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const pause = (ms, stop) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    stop?.addEventListener("abort", () => (clearTimeout(timer), reject(stop.reason)), { once: true });
  });

/** Send a request that may be sent again, and return its reply. While the service is away, it is waited for. */
export async function ask(path, { method = "GET", body, headers = {}, stop } = {}) {
  const sent = { method, headers: { ...headers }, signal: stop, cache: "no-store" };
  if (body !== undefined) {
    sent.body = JSON.stringify(body);
    sent.headers["content-type"] = "application/json";
  }
  for (;;) {
    let reply;
    try {
      reply = await fetch(BASE + path, sent);
    } catch (error) {
      if (stop?.aborted) throw error;
      service.value = "away";
      await pause(AWAY_MS, stop);
      continue;
    }
    if (reply.status === 503 || (reply.status === 429 && method === "GET")) {
      if (reply.status === 503) service.value = "away";
      await pause(1000 * Math.min(10, Number(reply.headers.get("retry-after")) || 1), stop);
      continue;
    }
    service.value = reply.status === 401 ? "key" : "here";
    if (!reply.ok) throw await troubleOf(reply);
    return reply;
  }
}

async function troubleOf(reply) {
  const told = await reply.json().catch(() => ({}));
  return new Trouble(reply.status, told.detail || told.title || `${reply.status}`);
}

/** Get data. */
export const get = async (path, more) => (await ask(path, more)).json();

/** Send data, and return what comes back. What has a key of its own is carried out once, however often it is sent. */
export async function send(method, path, body, headers = {}) {
  const once = method === "POST" ? { "idempotency-key": newId() } : {};
  const reply = await ask(path, { method, body, headers: { ...once, ...headers } });
  return reply.status === 204 ? null : reply.json();
}

/** Return a name that nothing else has. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Follow a run: `take` gets its events in order, each once; the promise is kept when there are no more. */
export async function follow(run, after, take, stop) {
  let last = after;
  while (!stop.aborted) {
    try {
      const reply = await ask(`/runs/${encodeURIComponent(run)}/events`, { headers: { "last-event-id": String(last) }, stop });
      const read = reader();
      const decoder = new TextDecoder();
      let end = null;
      for await (const bytes of chunks(reply.body, stop)) {
        for (const event of read(decoder.decode(bytes, { stream: true }))) {
          if (event.event === "end") end = JSON.parse(event.data);
          if (["end", "ending"].includes(event.event)) continue; // the service closes the stream
          const told = JSON.parse(event.data);
          last = told.number;
          take(told);
        }
      }
      if (end) return end;
    } catch (error) {
      if (stop.aborted || error instanceof Trouble) throw error;
    }
    service.value = "away";
    await pause(AWAY_MS, stop);
  }
  return null;
}

async function* chunks(body, stop) {
  const from = body.getReader();
  stop.addEventListener("abort", () => from.cancel().catch(() => {}), { once: true });
  for (;;) {
    const { done, value } = await from.read();
    if (done) return;
    yield value;
  }
}

/** Send files, with how much of them is gone; returns what reads them. */
export function upload(path, files, onProgress) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const file of files) form.append("files", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", BASE + path);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / Math.max(1, event.total)));
    request.addEventListener("load", () => {
      let told = {};
      try {
        told = JSON.parse(request.responseText);
      } catch {
        told = { detail: request.statusText };
      }
      if (request.status === 202) resolve(told);
      else reject(new Trouble(request.status, told.detail));
    });
    request.addEventListener("error", () => reject(new Trouble(0, "")));
    request.send(form);
  });
}

/** Have the browser keep a file that the service makes. */
export async function download(path) {
  const reply = await ask(path);
  const name = /filename\*=utf-8''([^;]+)/.exec(reply.headers.get("content-disposition") ?? "")?.[1] ?? "file";
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(await reply.blob()), download: decodeURIComponent(name) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), AWAY_MS);
}

/** Take a key for a session of this browser. */
export async function begin(key) {
  const reply = await fetch(`${BASE}/session`, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  if (!reply.ok) throw await troubleOf(reply);
  service.value = "here";
}

/** Return the address of something that a document has. */
export const ofDocument = (place, what = "") =>
  `/collections/${encodeURIComponent(place.collection)}/documents/${encodeURIComponent(place.document ?? place.id)}${what}`;
export const address = (path) => BASE + path;
