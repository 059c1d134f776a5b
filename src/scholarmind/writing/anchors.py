"""Where the sentences of an answer and its citations stand in its text: invisible marks around them, taken out when it is composed.

The marks are private-use characters, which are removed from all words of documents, questions and models before they come in here.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from scholarmind.answer import Citation, Claim, Draft
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.quoted import BRACKETS
from scholarmind.writing.wording import bracketed

_BEGINS, _ENDS, _CITED, _CITED_ENDS = "\ue002", "\ue003", "\ue004", "\ue005"
_DIGITS = {ord("0") + digit: 0xE010 + digit for digit in range(10)}
_NUMBERS = {other: digit for digit, other in _DIGITS.items()}
ANCHOR = lazy_regex(rf"[{_BEGINS}{_ENDS}][\ue010-\ue019]+|[{_CITED}{_CITED_ENDS}]")
RESERVED = dict.fromkeys(
    range(0xE000, 0xE020)
)  # for `str.translate`: nobody else writes these, nor the marks of `citing_stream`
_EDGE = " \t\n"
_ESCAPE = "\\"
_QUOTED = re.compile(rf"\\?{BRACKETS.pattern}")

Place = tuple[int, int]


def claimed(number: int, markdown: str) -> str:
    """Return the words of a claim, by its place among the claims of the draft, in marks that say so."""
    return begun(number, ended(number, markdown))


def begun(number: int, markdown: str) -> str:
    """Return words that a claim begins with."""
    return f"{_BEGINS}{str(number).translate(_DIGITS)}{markdown}"


def ended(number: int, markdown: str) -> str:
    """Return words that a claim ends with."""
    return f"{markdown}{_ENDS}{str(number).translate(_DIGITS)}"


def cite(key: str) -> str:
    """Return a citation in its brackets, in marks that say so."""
    return f"{_CITED}{bracketed(key)}{_CITED_ENDS}"


def unanchored(markdown: str) -> str:
    """Return the text as people see it."""
    return ANCHOR.sub("", markdown)


def renumbered(markdown: str, numbers: Mapping[int, int]) -> str:
    """Return the text with its claims numbered in another way; those that have no new number are none any more."""

    def changed(match: re.Match[str]) -> str:
        if match[0] in (_CITED, _CITED_ENDS):
            return match[0]
        number = numbers.get(_number(match[0]))
        return "" if number is None else match[0][0] + str(number).translate(_DIGITS)

    return ANCHOR.sub(changed, markdown)


def placed(draft: Draft) -> Draft:
    """Return the draft without marks, each claim and citation with its place in the text; what is not shown has none.

    A citation's place is that of its first brackets in or behind a claim that rests on it, before the next claim begins.
    """
    keys = {citation.key: bracketed(citation.key) for citation in _citations(draft)}
    text, claims, marks = _read(_without_keys(draft.text, keys.values()))
    begins = sorted(start for start, _ in claims.values())
    found: dict[Citation, Place] = {}
    for number in sorted(claims, key=lambda number: claims[number]):
        start, end = claims[number]
        following = bisect_left(begins, end)
        stop = begins[following] if following < len(begins) else len(text)
        for citation in draft.claims[number].citations:
            places = marks.get(keys[citation.key], [])
            first = bisect_left(places, (start, start))
            if citation not in found and first < len(places) and places[first][0] < stop:
                found[citation] = places[first]

    def with_place(citation: Citation) -> Citation:
        start, end = found.get(citation, (None, None))
        return replace(citation, start=start, end=end)

    def shown(number: int, claim: Claim) -> Claim:
        start, end = claims.get(number, (None, None))
        return replace(claim, start=start, end=end, citations=tuple(map(with_place, claim.citations)))

    return replace(
        draft,
        text=text,
        claims=tuple(shown(number, claim) for number, claim in enumerate(draft.claims)),
        citations=tuple(map(with_place, draft.citations)),
    )


def moved(draft: Draft, by: int) -> Draft:
    """Return a draft whose text will stand so many characters further behind."""

    def there(place: int | None) -> int | None:
        return None if place is None else place + by

    def cited(citation: Citation) -> Citation:
        return replace(citation, start=there(citation.start), end=there(citation.end))

    claims = tuple(
        replace(claim, start=there(claim.start), end=there(claim.end), citations=tuple(map(cited, claim.citations)))
        for claim in draft.claims
    )
    return replace(draft, claims=claims, citations=tuple(map(cited, draft.citations)))


def _citations(draft: Draft) -> Iterator[Citation]:
    yield from draft.citations
    for claim in draft.claims:
        yield from claim.citations


def _without_keys(markdown: str, keys: Iterable[str]) -> str:
    """Return the text in which no quoted bracket holds just what one of its own citations is called, such as the title of a note."""
    known = {_folded(key[1:-1]) for key in keys}

    def changed(match: re.Match[str]) -> str:
        ours = match[0].startswith("[")
        return match[0] if ours or _folded(match[1]) not in known else f"‹{match[1].strip().removesuffix(_ESCAPE)}›"

    return _QUOTED.sub(changed, markdown)


def _folded(key: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", unanchored(key)).removesuffix(_ESCAPE).casefold().split())


def _read(markdown: str) -> tuple[str, dict[int, Place], dict[str, list[Place]]]:
    """Return the text, the place of each claim by its number, and those of all citations by what stands in the text."""
    pieces: list[str] = []
    length = last = open_citation = 0
    open_claims: dict[int, int] = {}
    claims: dict[int, Place] = {}
    marks: list[Place] = []
    for match in ANCHOR.finditer(markdown):
        pieces.append(markdown[last : match.start()])
        length, last = length + match.start() - last, match.end()
        if match[0] == _CITED:
            open_citation = length
        elif match[0] == _CITED_ENDS:
            marks.append((open_citation, length))
        elif match[0][0] == _BEGINS:
            open_claims[_number(match[0])] = length
        elif (number := _number(match[0])) in open_claims:
            claims.setdefault(number, (open_claims.pop(number), length))
    text = "".join((*pieces, markdown[last:]))
    citations = {end: start for start, end in marks}
    by_key: dict[str, list[Place]] = {}
    for start, end in marks:
        by_key.setdefault(text[start:end], []).append((start, end))
    return (
        text,
        {number: trimmed for number, place in claims.items() if (trimmed := _trimmed(text, place, citations))},
        by_key,
    )


def _trimmed(text: str, place: Place, citations: Mapping[int, int]) -> Place | None:
    """Return the place without white space, and without citations at its end."""
    start, end = place
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and (text[end - 1] in _EDGE or end in citations):
        end = citations.get(end, end - 1)
    return (start, end) if start < end else None


def _number(anchor: str) -> int:
    return int(anchor[1:].translate(_NUMBERS))
