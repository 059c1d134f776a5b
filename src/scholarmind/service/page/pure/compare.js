// Two answers held side by side: their parts, and the works that they rest on.

import { worksOf } from "./citations.js";
import { flat } from "./units.js";

const same = (text) => flat(text).toLowerCase().replace(/[?？.。!！]+$/u, "");

/** Return the parts of two answers, those of the same words in one row: {text, states: [of the first, of the second]}, null where it has none. */
export function partsOfBoth(first, second) {
  const rest = new Map(second.parts.map((row) => [same(row.text), row]));
  const rows = first.parts.map((row) => {
    const other = rest.get(same(row.text));
    rest.delete(same(row.text));
    return { text: row.text, states: [row.status, other?.status ?? null] };
  });
  return [...rows, ...[...rest.values()].map((row) => ({ text: row.text, states: [null, row.status] }))];
}

/** Return the works that two answers cite, each once, and which of the two do: {work, cited: [first, second]}. What both cite comes first. */
export function worksOfBoth(first, second) {
  const id = (work) => `${work.collection}\n${work.document}`;
  const [ours, theirs] = [first, second].map((answer) => new Map(worksOf(answer.citations.map((each) => ({ ...each, placeStart: 0, placeEnd: 0 }))).map((work) => [id(work), work])));
  const all = [...new Map([...ours, ...theirs])].map(([key, work]) => ({ work, cited: [ours.has(key), theirs.has(key)] }));
  return all.sort((a, b) => b.cited.filter(Boolean).length - a.cited.filter(Boolean).length);
}
