// Rows of which somebody said that what they ask is not in the library, as the note of a rating has them.

const SAID = "confirmed: not in the library";

/** Return the note that says so of some rows. */
export const absentNote = (rows) => `${SAID}: ${[...new Set(rows)].join(", ")}`;

/** Return the rows that ratings say this of, of one part or of all. */
export function absentRows(ratings, part) {
  return ratings
    .filter((each) => (part == null || each.part === part) && each.note.startsWith(`${SAID}: `))
    .flatMap((each) => each.note.slice(SAID.length + 2).split(", "));
}
