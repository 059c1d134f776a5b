// Which passages stand behind which brackets and which sentence of an answer.

import { unitsOf } from "./units.js";

/** Return an answer's claims and citations with places as JavaScript counts them, and the keys that are cited. */
export function placed(answer) {
  const units = unitsOf(answer.answer);
  const at = (item) => ({ ...item, start: item.start == null ? null : units(item.start), end: item.end == null ? null : units(item.end) });
  const claims = answer.claims.map(at).sort((a, b) => (a.start ?? 1e9) - (b.start ?? 1e9));
  const citations = answer.citations.map((each) => ({
    ...at(each),
    placeStart: each.document_start,
    placeEnd: each.document_end,
  }));
  return { claims, citations, keys: new Set(citations.map((each) => each.key)) };
}

/** Return the claim that brackets at this place belong to: the one that ends last before them, with nothing but brackets between. */
export function claimBefore(text, claims, place) {
  const near = claims.filter((claim) => claim.end != null && claim.end <= place).at(-1);
  if (!near) return null;
  return /^(?:\s|[.,;:。，；：)）*_]|\[[^\]]*\])*$/u.test(text.slice(near.end, place)) ? near : null;
}

/**
 * Return the places that a click on these brackets opens, its own first: all that support the sentence, and which of them is meant.
 * What stands behind brackets by their very place comes before what has the same key.
 */
export function placesFor(text, { claims, citations }, piece) {
  const claim = claimBefore(text, claims, piece.start);
  const exact = citations.filter((each) => each.key === piece.key && each.start === piece.start);
  const alike = citations.filter((each) => each.key === piece.key);
  const own = exact.length ? exact : alike;
  const others = claim ? claim.citations.filter((key) => key !== piece.key) : [];
  const beside = others.flatMap((key) => {
    const known = citations.filter((each) => each.key === key);
    const here = known.filter((each) => each.start != null && each.start >= claim.end && each.start - claim.end < 400);
    return here.length ? here : known.slice(0, 1);
  });
  const all = unique([...own, ...beside]).sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  const first = all.findIndex((each) => each.key === piece.key && each.quote) ;
  return { places: all.map(placeOf), index: Math.max(0, first), claim };
}

const placeOf = (each) => ({
  key: each.key,
  document: each.document,
  collection: each.collection,
  title: each.title,
  year: each.year,
  section: each.section ?? [],
  page: each.page,
  start: each.placeStart,
  end: each.placeEnd,
  quote: each.quote,
});

function unique(citations) {
  const known = new Map();
  for (const each of citations) {
    const place = `${each.collection}\n${each.document}\n${each.placeStart}\n${each.placeEnd}`;
    if (!known.has(place)) known.set(place, each);
  }
  const all = [...known.values()];
  return all.some((each) => each.quote) ? all.filter((each) => each.quote) : all;
}

/** Return text pieces cut where claims begin and end, each with the claim that it is part of. */
export function withClaims(pieces, claims) {
  return pieces.flatMap((piece) => {
    if (piece.kind !== "text" || piece.text.length !== piece.end - piece.start)
      return [{ ...piece, claim: piece.kind === "text" ? claims.find((claim) => covers(claim, piece.start)) : undefined }];
    const cuts = claims.flatMap((claim) => [claim.start, claim.end]).filter((cut) => cut != null && cut > piece.start && cut < piece.end);
    const ends = [piece.start, ...[...new Set(cuts)].sort((a, b) => a - b), piece.end];
    return ends.slice(1).map((end, index) => {
      const start = ends[index];
      const text = piece.text.slice(start - piece.start, end - piece.start);
      return { ...piece, text, start, end, claim: claims.find((claim) => covers(claim, start)) };
    });
  });
}

const covers = (claim, place) => claim.start != null && claim.start <= place && place < claim.end;

/** Return how many sentences are of which kind. */
export function counted(claims) {
  const counts = {};
  for (const claim of claims) counts[claim.status] = (counts[claim.status] ?? 0) + 1;
  return counts;
}

/** Return each cited work once, in the order in which they are cited. */
export function worksOf(citations) {
  const works = new Map();
  for (const each of citations) {
    const id = `${each.collection}\n${each.document}`;
    if (!works.has(id)) works.set(id, { ...placeOf(each), authors: each.authors });
  }
  return [...works.values()];
}

const NUMBER = /\d+(?:[.,]\d+)*(?:\s?%)?/g;

/** Return the rows that sources disagree on, with what each source says, its numbers apart. */
export function disagreements(answer, { claims, citations }) {
  return answer.parts.flatMap((row) => {
    if (row.status !== "conflicting") return [];
    const said = claims.filter((claim) => claim.part === row.id && claim.citations.length);
    const named = said.filter((claim) => claim.citations.some((key) => row.missing?.includes(key)));
    const sides = (named.length > 1 ? named : said).flatMap((claim) => {
      const own = citations.filter((each) => each.key === claim.citations[0]);
      const from = own.find((each) => each.start != null && each.start >= (claim.end ?? 0)) ?? own[0];
      return from ? [{ place: placeOf(from), pieces: numbersIn(claim.text) }] : [];
    });
    return sides.length > 1 ? [{ row, sides }] : [];
  });
}

/** Return a text in pieces: its numbers, and what is between them. */
export function numbersIn(text) {
  const pieces = [];
  let last = 0;
  for (const found of text.matchAll(NUMBER)) {
    if (found.index > last) pieces.push({ text: text.slice(last, found.index), number: false });
    pieces.push({ text: found[0], number: true });
    last = found.index + found[0].length;
  }
  if (last < text.length) pieces.push({ text: text.slice(last), number: false });
  return pieces;
}
