// What is chosen in the library, in the notation that the service has for filters.

const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const EXACT = ["language", "kind", "author", "venue"];
const MOST_YEARS = 40;

export const FIELDS = ["from", "to", ...EXACT];

/** Return a filter: every word stands in the title or among the authors, and the fields are as they are chosen. */
export function filterOf(words, fields = {}) {
  const told = words
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 12)
    .map((word) => `(title ~ ${quoted(word)} or author ~ ${quoted(word)})`);
  if (/^\d{4}$/.test(fields.from ?? "")) told.push(`year >= ${fields.from}`);
  if (/^\d{4}$/.test(fields.to ?? "")) told.push(`year <= ${fields.to}`);
  for (const field of EXACT) if (fields[field]) told.push(`${field} = ${quoted(fields[field])}`);
  return told.join(" and ");
}

/** Return how many documents each year has, without a gap from the first to the last: {year, documents}. */
export function yearsOf(values) {
  const counts = new Map(values.map(({ value, documents }) => [Number(value), documents]));
  const known = [...counts.keys()].filter(Number.isInteger).sort((a, b) => a - b);
  if (!known.length) return [];
  const last = known.at(-1);
  const first = Math.max(known[0], last - MOST_YEARS + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => ({ year: String(first + index), documents: counts.get(first + index) ?? 0 }));
}
