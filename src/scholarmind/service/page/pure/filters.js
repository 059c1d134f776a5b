// What is chosen in the library, in the notation that the service has for filters.

const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** Return a filter: every word stands in the title or among the authors, and the fields are as they are chosen. */
export function filterOf(words, { from, to, language, kind } = {}) {
  const told = words
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 12)
    .map((word) => `(title ~ ${quoted(word)} or author ~ ${quoted(word)})`);
  if (/^\d{4}$/.test(from ?? "")) told.push(`year >= ${from}`);
  if (/^\d{4}$/.test(to ?? "")) told.push(`year <= ${to}`);
  if (language) told.push(`language = ${quoted(language)}`);
  if (kind) told.push(`kind = ${quoted(kind)}`);
  return told.join(" and ");
}
