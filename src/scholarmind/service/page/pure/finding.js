// Words looked for in a page of a PDF, whose text comes in pieces: where they stand, and in which pieces.

/** Return the text of a page, and where each of its pieces begins in it. A line's end is a space, as a reader takes it. */
export function textOf(items) {
  const starts = [];
  let text = "";
  for (const item of items) {
    starts.push(text.length);
    text += item.str;
    if (item.hasEOL && !/\s$/.test(text)) text += "\n";
  }
  return { text, starts };
}

/** Return where words stand in a text, whatever their case and whatever spaces are between them: [start, end] each. */
export function findAll(text, words) {
  const sought = words.trim().split(/\s+/).filter(Boolean);
  if (!sought.length) return [];
  const pattern = sought.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  return [...text.matchAll(new RegExp(pattern, "giu"))].map((found) => [found.index, found.index + found[0].length]);
}

/** Return what of each piece belongs to a stretch of the text: {item, from, to}. */
export function piecesOf(items, starts, [start, end]) {
  return items.flatMap((item, index) => {
    const from = Math.max(0, start - starts[index]);
    const to = Math.min(item.str.length, end - starts[index]);
    return from < to ? [{ item: index, from, to }] : [];
  });
}
