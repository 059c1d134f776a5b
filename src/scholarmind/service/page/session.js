// Who one is here, what may be done, and what the library holds; shared by all places of the page.

import { signal } from "./kit.js";
import { get } from "./api.js";

export const session = signal(null);
export const collections = signal(null);

/** Tell whether something may be done. */
export const may = (scope) => session.value?.scopes.includes(scope) ?? false;

/** Look again at who is here and what there is. */
export async function refresh() {
  const [who, found] = await Promise.all([get("/session"), get("/collections")]);
  session.value = who;
  collections.value = found;
}

/** Return how many documents there are, in one collection or all. */
export const documentsIn = (name) => (collections.value ?? []).filter((each) => !name || each.name === name).reduce((sum, each) => sum + each.documents, 0);
