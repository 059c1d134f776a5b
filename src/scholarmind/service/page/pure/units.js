// Places in texts: the service counts characters as Python does, browsers count halves of some of them.

/** Return what turns a place counted in characters into one that JavaScript's strings have. */
export function unitsOf(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (place) => place;
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return (place) => units[Math.min(place, units.length - 1)];
}

/** Return a text as it is compared: white space is one space. */
export const flat = (text) => text.replace(/\s+/g, " ").trim();

/** Return where quoted words stand in a text, whatever spaces are between them; null where they do not. */
export function findQuote(text, quote) {
  const words = quote.split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const found = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), "u").exec(text);
  return found && [found.index, found.index + found[0].length];
}

/**
 * Return which stretch of a passage a citation means, in JavaScript's places: by the characters of the document, if the words there are
 * the quoted ones, else by the words alone. Null where neither is so: then nothing is marked.
 */
export function markIn(passage, place) {
  if (!place.quote?.trim()) return null;
  const units = unitsOf(passage.text);
  const [from, to] = [Math.max(place.start, passage.start), Math.min(place.end, passage.end)];
  if (from < to) {
    const [start, end] = [units(from - passage.start), units(to - passage.start)];
    const said = flat(passage.text.slice(start, end));
    if (said && flat(place.quote).includes(said)) return [start, end];
  }
  return findQuote(passage.text, place.quote);
}
