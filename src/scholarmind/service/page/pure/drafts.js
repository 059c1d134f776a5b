// The text of a draft, cut where its claims begin and end. Places count code points, as the service does.

import { unitsOf } from "./units.js";

/** Return the pieces of a paragraph in order, each with the claim that it is, if it is one. */
export function pieces(text, claims) {
  const at = unitsOf(text);
  const found = [];
  let place = 0;
  for (const claim of [...claims].sort((a, b) => a.start - b.start)) {
    const [start, end] = [Math.max(place, at(claim.start)), at(claim.end)];
    if (end <= start) continue;
    if (start > place) found.push({ text: text.slice(place, start) });
    found.push({ text: text.slice(start, end), claim });
    place = end;
  }
  if (place < text.length) found.push({ text: text.slice(place) });
  return found;
}
