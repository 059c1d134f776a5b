"""A list of references, taken apart into works: authors, year, title, DOI, arXiv id."""

import re
from collections.abc import Sequence

from scholarmind.library.references.marks import arxiv_of, doi_of, year_in
from scholarmind.library.references.names import HAN, YEAR, Head, head_of, is_body
from scholarmind.library.references.split import Item, items
from scholarmind.library.references.titles import quoted, title_in
from scholarmind.model import Reference

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐]\n\s*(?=[a-zà-ÿ])|\u00ad\s*")
_NO_YEAR = r"in press|forthcoming|to appear|n\.\s?d\.?|submitted"
_YEAR_BEHIND = re.compile(
    rf"\s*[.,，．]?\s*(?:[(（\[]\s*(?:({YEAR})[a-z]?|{_NO_YEAR})[^()（）\[\]]{{0,24}}[)）\]]|(?:({YEAR})[a-z]?|{_NO_YEAR})(?=[.,:，．。\s]|$))",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?:[—–_-]{2,}|―+)\s*[.,]?\s*")
_BODY = re.compile(
    rf"((?:[^\s.]|\.(?!\s)|\s){{2,90}}?)\s*[.,]?\s*(?:[(（]\s*({YEAR})[a-z]?[^()（）]{{0,24}}[)）]|(?<=\.)\s({YEAR})[a-z]?\.)"
)
_NATIVE_BODY = re.compile(rf"([{HAN}]{{3,30}})[.．。,，]\s*")
_ORGANISATION = re.compile(r"([A-Z][\w&.’' -]{1,80}?)(?:\s\([^()]{1,80}\))?([.:,])\s+(?=\S)")
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z]|[A-Z]{2,8}")
_SMALL = frozenset("and at de der des do for für im in la of on the und".split())
_LONGEST = 4_000


def parse(text: str, start: int, end: int) -> list[Reference]:
    """Return the works that the list between `start` and `end` names, in order."""
    found: list[Reference] = []
    for item in items(text, max(0, start), min(len(text), end)):
        found.append(_reference(text, item, found))
    return found


def _reference(text: str, item: Item, before: Sequence[Reference]) -> Reference:
    raw = text[item.body : min(item.end, item.body + _LONGEST)]
    body = re.sub(r"\s+", " ", _HYPHEN.sub("", raw).replace("-\n", "-"))
    authors, year, title = _fields(body, before)
    arxiv = arxiv_of(body)
    if year is None and re.match(r"\d{4}\.", arxiv):
        year = 2000 + int(arxiv[:2])
    return Reference(
        text=text[item.start : item.end],
        start=item.start,
        end=item.end,
        label=item.label,
        authors=authors,
        year=year,
        title=title,
        doi=doi_of(body),
        arxiv=arxiv,
    )


def _fields(body: str, before: Sequence[Reference]) -> tuple[tuple[str, ...], int | None, str]:
    again = _AGAIN.match(body)
    head = head_of(body)
    if again and before:
        head = Head(authors=before[-1].authors, end=again.end(), kind="period")
    head = head or _body(body)
    if head is None:
        opening = quoted(body)
        title, end = title_in(body[opening or 0 :], "period")
        return (), year_in(body[(opening or 0) + end :]) or year_in(body), title
    return head.authors, *_dated(body, head)


def _dated(body: str, head: Head) -> tuple[int | None, str]:
    """Return the year and the title behind the authors, in the order that they have there."""
    behind = _YEAR_BEHIND.match(body, head.end)
    if behind:
        title, _ = title_in(body[behind.end() :], "period")
        year = behind[1] or behind[2]
        return (int(year) if year else None), title
    rest = body[head.end :]
    title, end = title_in(rest, head.kind)
    return year_in(rest[end:]) or year_in(rest), title


def _body(body: str) -> Head | None:
    """Return an organisation as the author: before a year, or where its name says what it is."""
    match = _BODY.match(body)
    if match and _may_be_body(match[1]):
        return Head(authors=(match[1].strip(" .,"),), end=match.end(1), kind="year")
    if native := _NATIVE_BODY.match(body):
        return Head(authors=(native[1],), end=native.end(1), kind="period")
    named = _ORGANISATION.match(body)
    if named and (is_body(named[1]) or _ACRONYM.fullmatch(named[1])):
        kind = {":": "colon", ",": "comma"}.get(named[2], "period")
        return Head(authors=(named[1],), end=named.start(2), kind=kind)
    return None


def _may_be_body(name: str) -> bool:
    words = name.split()
    capital = all(not word[0].islower() or word in _SMALL for word in words)
    return capital and len(words) <= 9 and not re.search(r"[“\"?!]|\.\s", name)
