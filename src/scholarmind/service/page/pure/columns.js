// Columns as they are written, and what stands in a table's cells.

const BETWEEN = /\s*[;；\n]\s*/;

/** Return whether a column stands in a text of columns, and the text with it the other way round. */
export function toggled(text, column) {
  const pieces = text.split(BETWEEN).filter((each) => each.trim());
  const plain = (each) => each.trim().toLowerCase();
  const there = pieces.some((each) => plain(each) === plain(column));
  const rest = there ? pieces.filter((each) => plain(each) !== plain(column)) : [...pieces, column];
  const between = /[；\u4e00-\u9fff]/.test(text + column) ? "；" : "; ";
  return { there, text: rest.map((each) => each.trim()).join(between) };
}

/** Return the order that a click on the head of a column asks for: rising, falling, none. */
export const nextOrder = (sort, column) => (sort === column ? `-${column}` : sort === `-${column}` ? "" : column);

/** Return what a cell is: "open", "none", "hand", "meta" or "said". */
export function stateOfCell(cell) {
  if (!cell) return "open";
  if (cell.by === "hand") return "hand";
  if (!cell.stated) return "none";
  return cell.by === "metadata" ? "meta" : "said";
}

/** Return where a cell's words stand, as the source beside it opens them; null where it has none. */
export function placeOfCell(row, cell) {
  const words = cell?.source ?? cell?.nearest;
  if (!words) return null;
  const { document, collection, title, year } = row;
  return { key: row.paper, document, collection, title, year, section: words.section, page: words.page, start: words.start, end: words.end, quote: words.text };
}

/** Return the place of a citation, as the source beside it opens it. */
export const placeOfCitation = (each) => ({
  key: each.key,
  document: each.document,
  collection: each.collection,
  title: each.title,
  year: each.year,
  section: each.section ?? [],
  page: each.page,
  start: each.document_start,
  end: each.document_end,
  quote: each.quote,
});
