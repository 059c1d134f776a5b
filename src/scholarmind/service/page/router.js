// Where on the page one is: the part of the address behind `#`, so that every place has a link.

import { signal } from "./kit.js";

const PLACES = [
  ["ask", /^\/?$/, []],
  ["run", /^\/run\/([^/]+)$/, ["id"]],
  ["library", /^\/library(?:\/([^/]+))?$/, ["collection"]],
  ["document", /^\/document\/([^/]+)\/([^/]+)$/, ["collection", "id"]],
  ["read", /^\/read\/([^/]+)\/([^/]+)$/, ["collection", "id"]],
  ["service", /^\/service$/, []],
  ["runs", /^\/runs$/, []],
  ["compare", /^\/compare\/([^/]+)\/([^/]+)$/, ["id", "other"]],
  ["tables", /^\/tables$/, []],
  ["table", /^\/tables\/([^/]+)$/, ["id"]],
  ["drafts", /^\/drafts$/, []],
  ["draft", /^\/drafts\/([^/]+)$/, ["id"]],
  ["watched", /^\/watched$/, []],
  ["graph", /^\/graph\/([^/]+)(?:\/([^/]+))?$/, ["collection", "name"]],
  ["tree", /^\/tree\/([^/]+)(?:\/([^/]+))?$/, ["collection", "node"]],
];

/** Return what an address means: {place, ...its names, query}. */
export function placeOf(hash) {
  const [path, search = ""] = hash.replace(/^#/, "").split("?");
  for (const [place, pattern, given] of PLACES) {
    const found = pattern.exec(path);
    if (found) return { place, query: new URLSearchParams(search), ...Object.fromEntries(given.map((name, index) => [name, decoded(found[index + 1])])) };
  }
  return { place: "nowhere", query: new URLSearchParams() };
}

function decoded(text) {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return text;
  }
}

/** Return the address of a place. */
export const to = (...parts) => `#/${parts.filter((part) => part !== "").map((part) => encodeURIComponent(part)).join("/")}`;

export const route = signal(typeof location === "undefined" ? placeOf("") : placeOf(location.hash));

/** Go somewhere; `instead` leaves no step to go back to. */
export function go(address, { instead = false } = {}) {
  if (instead) {
    history.replaceState({ seen: true }, "", address);
    route.value = placeOf(address);
  } else location.hash = address;
}

if (typeof window !== "undefined") {
  const heights = new Map(); // how far down each place was read
  const returnTo = (height, tries = 60) => {
    window.scrollTo(0, height);
    if (tries && Math.abs(window.scrollY - height) > 2) requestAnimationFrame(() => returnTo(height, tries - 1)); // what is there may still come
  };
  history.scrollRestoration = "manual";
  history.replaceState({ seen: true }, "");
  window.addEventListener("hashchange", (event) => {
    heights.set(new URL(event.oldURL).hash, window.scrollY);
    const back = history.state?.seen; // whoever goes back finds the place as it was left
    history.replaceState({ seen: true }, "");
    route.value = placeOf(location.hash);
    returnTo(back ? (heights.get(location.hash) ?? 0) : 0);
  });
}
