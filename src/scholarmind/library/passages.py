"""Cut a text into passages of about so many tokens, on the borders of sentences, never across a heading or into a table."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scholarmind import languages
from scholarmind.model import NO_EVIDENCE, Entry, Passage, Reading, Region, Section
from scholarmind.text.analysis import sentences
from scholarmind.text.language import language_of, lazy_regex, share_of_words

_VERSION = 5  # part of every entry's hash: a change here means that documents are cut again
_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
# about one piece for each token of a language model: eight letters, one Chinese character, one sign
_PIECE = lazy_regex(rf"[{_HAN}]|[^\W_{_HAN}]{{1,8}}|[^\w\s]|_")
_WORD = lazy_regex(rf"[{_HAN}]{{1,2}}|[^\W\d_{_HAN}]{{2,}}")
_FEWEST_WORDS = 4
_LEAST_WORDS = 0.2  # share of signs that stand in words
_HAN_CHARACTER = lazy_regex(rf"[{_HAN}]")
_LINE = lazy_regex(r"[^\s][^\n]*")
_NUMBER = lazy_regex(r"^[\d.\s]+|^[一二三四五六七八九十]+[、．.]")
_ABOUT_AUTHORS = tuple(languages.pattern(code, "paper.about_authors") for code in ("en", "zh"))
_LONGEST_MATTER = (
    3_000  # characters of a section of which nothing is evidence: what is longer may hide another without a heading
)
_SHORT_TAIL = 0.2  # a rest smaller than this share of a passage joins the one before it

Span = tuple[int, int]
Place = tuple[tuple[str, ...], str]  # the headings down to it, and the kind of region
_NOWHERE: Place = ((), "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """How long a passage is, and how much of its end the next one repeats, in tokens."""

    tokens: int = 200
    overlap: int = 40


def enter(reading: Reading, cutting: Cutting) -> Entry:
    """Return the reading cut into passages, with the hash that tells whether it has to be stored again."""
    if not reading.document.language:
        document = replace(reading.document, language=language_of(reading.text))
        reading = replace(reading, document=document)
    told = (_VERSION, cutting, reading.document, reading.sections, reading.whole, reading.regions, reading.facts)
    digest = hashlib.sha256(repr(told).encode("utf-8", "replace"))
    digest.update(reading.text.encode("utf-8", "surrogatepass"))
    digest.update(b"" if reading.layout is None else reading.layout.pack())
    return Entry(
        document=reading.document,
        text=reading.text,
        passages=tuple(cut(reading, cutting)),
        hash=digest.hexdigest(),
        layout=reading.layout,
        facts=reading.facts,
    )


def cut(reading: Reading, cutting: Cutting) -> Iterator[Passage]:
    """Yield the passages in order. A text that has anything in it has at least one."""
    text = reading.text
    if reading.whole and count_tokens(text) <= cutting.tokens:
        spans = [(span, _NOWHERE) for span in _trimmed(text)]
    else:
        # a text that is nothing but headings is cut as if they were its body
        spans = list(_cut_sections(reading, reading.sections, cutting)) or list(_cut_sections(reading, (), cutting))
        if (
            reading.layout is not None
        ):  # crumbs of formulas, numbers at axes, names of towns: printed, and evidence of nothing
            spans = [(span, place) for span, place in spans if _says_something(text[slice(*span)], place[1])] or spans
    for position, ((start, end), (path, kind)) in enumerate(spans):
        body = text[start:end]
        yield Passage(
            text=body,
            start=start,
            end=end,
            position=position,
            section=path,
            language=language_of(body),
            kind=kind,
            page=None if reading.layout is None else reading.layout.page_at(start),
            turns=() if reading.layout is None else reading.layout.turns(start, end),
        )


def _says_something(body: str, kind: str) -> bool:
    """Tell a passage from what is left of one: it has a few words, and they make up much of it, unless it is a table."""
    words = len(_WORD.findall(body))
    return words >= _FEWEST_WORDS and (kind == "table" or share_of_words(body) >= _LEAST_WORDS)


def count_tokens(text: str, start: int = 0, end: int | None = None) -> int:
    """Return about how many tokens a language model would see."""
    return len(_PIECE.findall(text, start, len(text) if end is None else end))


def _cut_sections(reading: Reading, sections: Sequence[Section], cutting: Cutting) -> Iterator[tuple[Span, Place]]:
    text = reading.text
    borders = [Section(heading=0, start=0, path=()), *sections]
    for number, section in enumerate(borders):
        end = borders[number + 1].heading if number + 1 < len(borders) else len(text)
        matter = section.path != () and _is_about_authors(section.path[-1])
        for start, stop, kind in _stretches(section.start, end, reading.regions):
            if matter and kind in {"text", "footnote"} and stop - start < _LONGEST_MATTER:
                continue
            units = _lines(text, start, stop) if kind == "table" else sentences(text, start, stop)
            for span in _pack(text, units, cutting):
                yield span, (section.path, kind)


def _is_about_authors(heading: str) -> bool:
    bare = _NUMBER.sub("", heading).strip(" .:：*_")
    return any(pattern.fullmatch(bare) for pattern in _ABOUT_AUTHORS)


def _stretches(start: int, end: int, regions: Sequence[Region]) -> Iterator[tuple[int, int, str]]:
    """Yield what is to be cut by itself: each region, and the prose between them."""
    for place in range(bisect_right(regions, start, key=_end_of), len(regions)):
        region = regions[place]
        if region.start >= end:
            break
        yield start, region.start, "text"
        if region.kind not in NO_EVIDENCE:
            yield max(start, region.start), min(region.end, end), region.kind
        start = region.end
    yield start, end, "text"


def _end_of(region: Region) -> int:
    return region.end


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    for line in _LINE.finditer(text, start, end):
        yield line.span()


def _pack(text: str, whole: Iterable[Span], cutting: Cutting) -> Iterator[Span]:
    """Fill passages with whole sentences or rows; each begins with the end of the one before, if that is short."""
    packed: list[Span] = []
    sizes: list[tuple[Span, int]] = []
    total = 0
    for span, size in _units(text, whole, cutting.tokens):
        if sizes and total + size > cutting.tokens:
            packed.append((sizes[0][0][0], sizes[-1][0][1]))
            sizes = _tail(sizes, min(cutting.overlap, cutting.tokens - size))
            total = sum(n for _, n in sizes)
        sizes.append((span, size))
        total += size
    if sizes:
        last = (sizes[0][0][0], sizes[-1][0][1])
        new = sum(n for (first, _), n in sizes if not packed or first >= packed[-1][1])
        if packed and new < _SHORT_TAIL * cutting.tokens:
            packed[-1] = (packed[-1][0], last[1])
        else:
            packed.append(last)
    yield from packed


def _tail(sizes: list[tuple[Span, int]], budget: int) -> list[tuple[Span, int]]:
    kept: list[tuple[Span, int]] = []
    for span, size in reversed(sizes[1:]):
        if size > budget:
            break
        budget -= size
        kept.insert(0, (span, size))
    return kept


def _units(text: str, whole: Iterable[Span], limit: int) -> Iterator[tuple[Span, int]]:
    """Yield sentences with their sizes; one longer than a passage comes in pieces."""
    for first, last in whole:
        size = count_tokens(text, first, last)
        if size <= limit:
            yield (first, last), size
            continue
        begin, count, stop = first, 0, first
        for piece in _PIECE.finditer(text, first, last):
            if count >= limit and (_breaks(text, piece.start()) or count >= 2 * limit):
                yield (begin, stop), count
                begin, count = piece.start(), 0
            count, stop = count + 1, piece.end()
        yield (begin, last), count


def _breaks(text: str, position: int) -> bool:
    """Tell whether a long sentence may be cut here: never inside a word."""
    before, after = text[position - 1], text[position]
    return not (before.isalnum() and after.isalnum()) or _HAN_CHARACTER.match(after) is not None


def _trimmed(text: str) -> list[Span]:
    body = text.strip()
    start = len(text) - len(text.lstrip())
    return [(start, start + len(body))] if body else []
