"""Cut a text into passages of about so many tokens, on the borders of sentences and never across a heading."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scholarmind.model import Entry, Passage, Reading, Section
from scholarmind.text.language import language_of
from scholarmind.text.sentences import sentences

_VERSION = 1  # part of every entry's hash: a change here means that documents are cut again
_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
# about one piece for each token of a language model: eight letters, one Chinese character, one sign
_PIECE = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]{{1,8}}|[^\w\s]|_")
_HAN_CHARACTER = re.compile(rf"[{_HAN}]")
_SHORT_TAIL = 0.2  # a rest smaller than this share of a passage joins the one before it

Span = tuple[int, int]


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
    told = repr((_VERSION, cutting, reading.document, reading.sections, reading.whole))
    digest = hashlib.sha256(told.encode("utf-8", "replace"))
    digest.update(reading.text.encode("utf-8", "surrogatepass"))
    return Entry(
        document=reading.document,
        text=reading.text,
        passages=tuple(cut(reading, cutting)),
        hash=digest.hexdigest(),
    )


def cut(reading: Reading, cutting: Cutting) -> Iterator[Passage]:
    """Yield the passages in order. A text that has anything in it has at least one."""
    text = reading.text
    if reading.whole and count_tokens(text) <= cutting.tokens:
        spans = [(span, ()) for span in _trimmed(text)]
    else:
        # a text that is nothing but headings is cut as if they were its body
        spans = list(_cut_sections(text, reading.sections, cutting)) or list(_cut_sections(text, (), cutting))
    for position, ((start, end), path) in enumerate(spans):
        body = text[start:end]
        language = language_of(body)
        yield Passage(text=body, start=start, end=end, position=position, section=path, language=language)


def count_tokens(text: str, start: int = 0, end: int | None = None) -> int:
    """Return about how many tokens a language model would see."""
    return len(_PIECE.findall(text, start, len(text) if end is None else end))


def _cut_sections(text: str, sections: Sequence[Section], cutting: Cutting) -> Iterator[tuple[Span, tuple[str, ...]]]:
    borders = [Section(heading=0, start=0, path=()), *sections]
    for number, section in enumerate(borders):
        end = borders[number + 1].heading if number + 1 < len(borders) else len(text)
        for span in _pack(text, section.start, end, cutting):
            yield span, section.path


def _pack(text: str, start: int, end: int, cutting: Cutting) -> Iterator[Span]:
    """Fill passages with whole sentences; each begins with the end of the one before, if that is short."""
    packed: list[Span] = []
    sizes: list[tuple[Span, int]] = []
    total = 0
    for span, size in _units(text, start, end, cutting.tokens):
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


def _units(text: str, start: int, end: int, limit: int) -> Iterator[tuple[Span, int]]:
    """Yield sentences with their sizes; one longer than a passage comes in pieces."""
    for first, last in sentences(text, start, end):
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
