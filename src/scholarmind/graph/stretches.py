"""The sentences and tables of a document's passages, each once although passages overlap. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scholarmind.model import Entry, Passage
from scholarmind.text.sentences import sentences

LONGEST_SENTENCE = 1_500  # characters; what is longer is no sentence, and only so much of it is read
_TABLE = re.compile(
    r"^[ \t]*\|.*\|[ \t]*$(?:\n[ \t]*\|.*\|?[ \t]*$)+"
    r"|^[^|\n]{1,60}[^|\n ] ?(?:\|[^|\n]{0,60}){2,}$(?:\n[^|\n]{1,60}(?:\|[^|\n]{0,60}){2,}$)+",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sentence, or a whole table, and the headings that it stands under."""

    start: int
    end: int
    heading: str = ""
    is_table: bool = False


def stretches_of(entry: Entry) -> Iterator[Stretch]:
    """Yield the sentences and tables of what may be quoted of a document, in order."""
    done = 0
    for start, end, passage in _joined(entry):
        heading = " / ".join(passage.section[1:] or passage.section)
        if passage.kind == "table":
            yield Stretch(max(start, done), end, heading, is_table=True)
        else:
            yield from _of_prose(entry.text, max(start, done), end, heading)
        done = max(done, end)


def _joined(entry: Entry) -> Iterator[tuple[int, int, Passage]]:
    """Yield passages with those that go on with them: of one section and kind, nothing but white space in between."""
    start, end, first = 0, 0, None
    for passage in entry.passages:
        goes_on = (
            first is not None
            and (passage.section, passage.kind) == (first.section, first.kind)
            and (passage.start <= end or not entry.text[end : passage.start].strip())
        )
        if goes_on:
            end = max(end, passage.end)
            continue
        if first is not None:
            yield start, end, first
        start, end, first = passage.start, passage.end, passage
    if first is not None:
        yield start, end, first


def _of_prose(text: str, start: int, end: int, heading: str) -> Iterator[Stretch]:
    place = start
    for table in _TABLE.finditer(text, start, end):
        yield from _of_sentences(text, place, table.start(), heading)
        yield Stretch(*table.span(), heading, is_table=True)
        place = table.end()
    yield from _of_sentences(text, place, end, heading)


def _of_sentences(text: str, start: int, end: int, heading: str) -> Iterator[Stretch]:
    for begin, stop in sentences(text, start, end):
        yield Stretch(begin, min(stop, begin + LONGEST_SENTENCE), heading)
