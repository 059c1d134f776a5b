"""Where a text lists the works that it cites, whatever it was read from: below a heading, behind a line, in footnotes, at its end.

What stands there must look like works: people who can be asked and pages of a manual are called references, too. PDFs, LaTeX and web
pages tell by their looks or marks where a list is; of a page that is believed unless nothing in it is a work.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from scholarmind.library.references.reference_list import parse_references
from scholarmind.model import Reading, Reference, Region
from scholarmind.text.section_names import lines_of_references, may_name_references, names_references

Span = tuple[int, int]

_LIKELY, _CLEAR = 0.5, 0.65  # share of items that must be works: below a sure heading, and elsewhere
_MOST_LINES, _MOST_NOTES = 200, 2_000  # that are looked behind
_SAMPLE = 12_000  # characters that tell whether a longer stretch is worth being read
_BEGINNING = 2_000  # characters of a paragraph that tell whether it is an entry
_MARKS = re.compile(r"^[\s*_#>]+|[\s*_#]+$")
_ENDS_LIST = re.compile(
    r"^[ \t*_#\d.]*(?:appendi(?:x|ces)|annex|supplement\w*|about the authors?|acknowledge?ments?|anhang|"
    r"附\s*录|作者简介|致\s*谢)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_FOOTNOTE = re.compile(r"^\[\^[^\]\s]{1,60}\]:[ \t]*\S[^\n]*(?:\n(?:[ \t]+\S|(?!\[\^)[^\s#>|-])[^\n]*)*", re.MULTILINE)
_FIRST_LABEL = re.compile(r"^[ \t]*(?:[-*+][ \t]+|\.\.[ \t]+)?\\?\[1\\?\]:?[ \t]", re.MULTILINE)
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+•]|\.\.|\\?[\[［【(]?[\d@^\w+-]{1,40}\\?[\]］】)]|\d{1,3}[.)])[ \t:]*\S|.*(?:https?://|\b10\.\d{4,9}/)"
)
_KIND_MARK = re.compile(r"[\[［](?:[JCMDRNPSAGZ]|EB|DB|CP)(?:\s?/\s?(?:OL|CD|MT))?[\]］]")
_PERSON = re.compile(r"[\w.]@\w|(?<!\d)\+\d{1,3}[ \d(/-]{6,}")  # somebody who can be written to or called
_PUBLISHED = re.compile(  # what works have, and remarks that begin with a name and a year have not
    r"[“\"«„《*_]|\d\s?[(:]\s?\d|\bpp?\.|\d\s?[-–]\s?\d|[^\W\d_]: [^\W\d_]|\b(?:press|verlag|universi|journal|proc|vol)|"
    r"出版社|书[店局馆]|学报|https?:",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://\S")
_FEWEST = 2


def with_lists(reading: Reading) -> Reading:
    """Return a reading whose lists of references are regions."""
    told = [region for region in reading.regions if region.kind == "references"]
    lists = [(region.start, region.end) for region in told]
    if reading.layout is None:
        lists = [span for span in lists if _holds_works(reading.text, span, 0)]
    if not told:
        lists = list(_found(reading))
    kept = [region for region in reading.regions if region.kind != "references" and not _within(region, lists)]
    regions = [*kept, *(Region(start=start, end=end, kind="references") for start, end in lists)]
    return replace(reading, regions=tuple(sorted(regions, key=lambda region: region.start)))


def _within(region: Region, lists: Sequence[Span]) -> bool:
    return any(start < region.end and region.start < end for start, end in lists)


def _found(reading: Reading) -> Iterator[Span]:
    """Yield the lists of a text in which nothing marks them."""
    text = reading.text
    found: list[Span] = []
    for start, end, is_sure in (*_below_headings(reading), *_behind_lines(reading)):
        sample = _entries(text, start, min(end, start + _SAMPLE))
        if end - start > _SAMPLE and not (sample and _holds_works(text, sample, _LIKELY / 2)):
            continue
        span = _entries(text, start, end)
        clear = span and not any(span[0] < stop and begin < span[1] for begin, stop in found)
        if span and clear and _holds_works(text, span, _LIKELY if is_sure else _CLEAR):
            found.append(span)
    if not found:
        found = list(_footnotes(text)) or list(_at_the_end(text))
    yield from sorted(found)


def _below_headings(reading: Reading) -> Iterator[tuple[int, int, bool]]:
    """Yield what stands below a heading that names references, each section below it by itself, and whether its name is sure."""
    ends = [*(section.heading for section in reading.sections[1:]), len(reading.text)]
    for section, end in zip(reading.sections, ends, strict=False):
        named = [name for name in section.path if may_name_references(_MARKS.sub("", name))]
        if named:
            yield section.start, end, any(map(names_references, named))


def _behind_lines(reading: Reading) -> Iterator[tuple[int, int, bool]]:
    """Yield what stands behind a line that says nothing but that references follow, up to the next heading."""
    headings = [section.heading for section in reading.sections]
    end = len(reading.text)
    lines = [line for line in lines_of_references(reading.text) if line[0] not in set(headings)]
    for (start, stop, is_sure), (following, _, _) in pairwise([*lines[:_MOST_LINES], (end, end, False)]):
        place = bisect_left(headings, stop)
        yield start, min(following, headings[place] if place < len(headings) else end), is_sure


def _entries(text: str, start: int, end: int) -> Span | None:
    """Return the stretch from the first to the last paragraph that can hold an entry, with the line that announces them."""
    over = _ENDS_LIST.search(text, start, end)
    blocks = [block.span() for block in _BLOCK.finditer(text, start, over.start() if over else end)]
    held = [block for block in blocks if _ENTRY.match(text, *block) or _has_work(text, *block)]
    if held and may_name_references(_MARKS.sub("", text[start : held[0][0]].partition("\n")[0])):
        return start, held[-1][1]
    return (held[0][0], held[-1][1]) if held else None


def _has_work(text: str, start: int, end: int) -> bool:
    return any(map(is_work, parse_references(text, start, min(end, start + _BEGINNING))))


def _holds_works(text: str, span: Span, share: float) -> bool:
    """Tell whether so large a share of the items in a stretch are works, or links, which lists of references have among them."""
    items = parse_references(text, *span)
    works = sum(is_work(item) and (share <= _LIKELY or _PUBLISHED.search(item.text) is not None) for item in items)
    links = sum(_LINK.search(item.text) is not None and not is_work(item) for item in items)
    if not share:
        return bool(works + links) or not items
    return bool(items) and works + (links if share <= _LIKELY else 0) >= share * len(items)


def is_work(reference: Reference) -> bool:
    """Tell whether what was taken apart reads as a work that was published."""
    if _PERSON.search(reference.text):
        return False
    named = bool(reference.doi or reference.arxiv or _KIND_MARK.search(reference.text))
    return named or bool(reference.authors and reference.year)


def _footnotes(text: str) -> Iterator[Span]:
    """Yield runs of footnotes of Markdown that are works; others stay part of the text."""
    run: list[Span] = []
    for note in islice(_FOOTNOTE.finditer(text), _MOST_NOTES):
        if not _has_work(text, *note.span()):
            continue
        if run and text[run[-1][1] : note.start()].strip():
            yield run[0][0], run[-1][1]
            run = []
        run.append(note.span())
    if run:
        yield run[0][0], run[-1][1]


def _at_the_end(text: str) -> Iterator[Span]:
    """Yield a list without a heading: labels from [1] on that go on to the end of the text."""
    for first in list(_FIRST_LABEL.finditer(text))[-1:]:
        span = first.start(), len(text.rstrip())
        if not _has_work(text, *span):
            continue
        items = parse_references(text, *span)
        if len(items) >= _FEWEST and all(item.label for item in items) and _holds_works(text, span, _CLEAR):
            yield span
