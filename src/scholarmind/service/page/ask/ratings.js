// What was thought of an answer and its parts, as the service keeps it: another browser knows it, too.

import { signal } from "../kit.js";
import { get, send } from "../api.js";
import { absentRows, absentNote } from "../pure/absent.js";

const known = new Map(); // a signal of ratings by run

/** Return a signal of the ratings of a run; null until they are known. */
export function ratingsOf(run) {
  if (!known.has(run)) {
    const ratings = signal(null);
    if (known.size > 20) known.delete(known.keys().next().value);
    known.set(run, ratings);
    get(`/runs/${run}/ratings`).then((all) => (ratings.value = all), () => known.delete(run));
  }
  return known.get(run);
}

/** Rate an answer, or a part of it. */
export async function rate(run, rating) {
  await send("PUT", `/runs/${run}/rating`, rating);
  const ratings = ratingsOf(run);
  ratings.value = [...(ratings.value ?? []).filter((each) => each.part !== (rating.part ?? 0)), { part: 0, note: "", ...rating }];
}

/** Note of a row that what it asks is not in the library, beside other rows of its part that this was noted of. */
export function markAbsent(run, row) {
  const rows = absentRows(ratingsOf(run).value ?? [], row.part);
  return rate(run, { good: true, part: row.part, note: absentNote([...rows, row.id]) });
}
