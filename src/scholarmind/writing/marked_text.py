"""A text with marks for citations, taken apart into lines and sentences, and put together again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.citing_stream import CLOSE, MARK, OPEN
from scholarmind.writing.safe_markdown import unmarked

_STOPS, _CLOSERS = ".!?。！？…；;", "\"'”’)）*"
_MARKS = rf"(?:[ \t]*{OPEN}[^{OPEN}{CLOSE}]*{CLOSE})++"
_MOVED = lazy_regex(rf"(?<![{_STOPS}])([{_STOPS}]++[{_CLOSERS}]*+)({_MARKS})([.。]?)")
_PREFIX = lazy_regex(r"^[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+|>[ \t]*)+|^[ \t]+")
_HEADING = lazy_regex(r"^[ \t]*#{1,6}[ \t]|^[ \t]*(?:\*{2,3}|__)[^*_]{1,120}(?:\*{2,3}|__)[:：]?[ \t]*$")
_RULE = lazy_regex(r"^[ \t]*(?:[-*_=][ \t]*){3,}$")
_SEPARATOR = lazy_regex(r"^[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_NO_LETTERS = lazy_regex(r"[\W_]*")
_ACCORDING = lazy_regex(
    rf"(?<!\w)(?:according to|as \w+ (?:in|by)|根据|据)[ \t]*{MARK.pattern}(?:所述)?[,，]?[ \t]*", re.IGNORECASE
)
_ITEM = lazy_regex(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_EMPTY_CELL = " — "
_LONGEST_NAME = 200  # of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence, a bullet point or the cell of a table: as it was marked, its plain words, and the passages that it cites."""

    marked: str
    text: str
    keys: tuple[str, ...]

    def with_keys(self, keys: Sequence[str]) -> str:
        """Return it marked with these passages, in the place of what it cites now."""
        if tuple(keys) == self.keys:
            return self.marked
        mark = f"{OPEN}{','.join(keys)}{CLOSE}"
        first = MARK.search(self.marked)
        if first is None:
            place = len(self.marked.rstrip(" \t").rstrip(f"{_CLOSERS}_").rstrip(f"{_STOPS},，:："))
            return f"{self.marked[:place]}{mark}{self.marked[place:]}"
        rest = MARK.sub("", self.marked[first.end() :])
        return f"{self.marked[: first.start()]}{mark}{rest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the text. A heading or rule has no sentences; the cells of a table are sentences, but for names of rows."""

    kind: Literal["text", "row", "fixed", "empty"]
    marked: str
    sentences: tuple[Sentence, ...] = ()
    places: tuple[tuple[int, int], ...] = ()  # of the sentences in what is marked

    @property
    def is_heading(self) -> bool:
        """Whether it stands above others."""
        return self.kind == "fixed" and is_heading(self.marked)

    @property
    def is_item(self) -> bool:
        """Whether it is an item of a list."""
        return _ITEM.match(self.marked) is not None

    def written(self, texts: Sequence[str | None]) -> str | None:
        """Return the line with each sentence replaced by a text, or left out; None if nothing is left of it."""
        if not self.sentences:
            return self.marked
        if all(text is None for text in texts):
            return None
        pieces: list[str] = []
        end = 0
        for (start, stop), text in zip(self.places, texts, strict=True):
            pieces.append(self.marked[end:start])
            pieces.append(text if text is not None else _EMPTY_CELL if self.kind == "row" else "")
            end = stop
        return re.sub(r"(?<=\S) {2,}", " ", "".join((*pieces, self.marked[end:]))).rstrip()


def lines(marked: str) -> list[Line]:
    """Take a text apart. A citation behind a full stop belongs to the sentence before it."""
    raw = [_moved(line) for line in marked.split("\n")]
    return [_line(line, raw[place + 1] if place + 1 < len(raw) else "") for place, line in enumerate(raw)]


def is_heading(line: str) -> bool:
    """Tell whether a line is a heading, or a short text that is bold as a whole."""
    return _HEADING.match(line) is not None


def whole(line: str) -> tuple[Sequence[Sentence], int]:
    """Return the sentences of an open line that nothing can be added to any more, for another has begun behind them, and where that is."""
    found = _line(_moved(line), "")
    if found.kind != "text":
        return (), 0
    return found.sentences[:-1], found.places[-1][0]


def _moved(line: str) -> str:
    """Return the line with citations before the full stops that they stand behind; as long as it was, also where a stop is too many."""
    return _MOVED.sub(lambda match: f"{match[2]}{match[1]}{' ' * len(match[3])}", line)


def _line(line: str, following: str) -> Line:
    if not line.strip():
        return Line(kind="empty", marked="")
    if _RULE.match(line) or _SEPARATOR.match(line):
        return Line(kind="fixed", marked=line)
    if _is_row(line):
        if "|" in following and _SEPARATOR.match(following):
            return Line(kind="fixed", marked=line)
        found = list(_cells(line))
        return _of(line, "row", found)
    if _HEADING.match(line):
        return Line(kind="fixed", marked=MARK.sub("", line))
    prefix = _PREFIX.match(line)
    return _of(
        line, "text", [(start, end, line[start:end]) for start, end in sentences(line, prefix.end() if prefix else 0)]
    )


def _of(line: str, kind: Literal["text", "row"], found: Sequence[tuple[int, int, str]]) -> Line:
    every = [
        (start, end, Sentence(marked=line[start:end], text=_plain(said), keys=_keys(line[start:end])))
        for start, end, said in found
        if not _NO_LETTERS.fullmatch(MARK.sub("", line[start:end]))
    ]
    kept = [one for one in every if one[2].text]
    if not kept:
        return Line(kind="fixed", marked=MARK.sub("", line))
    made = tuple(sentence for _, _, sentence in kept)
    return Line(kind=kind, marked=line, sentences=made, places=tuple((start, end) for start, end, _ in kept))


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|") and line.count("|") > 1


def _cells(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each cell with what it says of its row: what the first cell names, and its own words."""
    name = ""
    begin = line.index("|") + 1
    while begin < len(line):
        end = line.find("|", begin)
        end = len(line) if end < 0 else end
        cell = line[begin:end]
        if not name and not MARK.search(cell):
            name = _plain(cell)[:_LONGEST_NAME] or " "
        elif cell.strip():
            yield begin, end, f"{name}: {cell}" if name.strip() else cell
        begin = end + 1


def _plain(marked: str) -> str:
    marked = _ACCORDING.sub("", marked)
    return re.sub(r" +(?=[.,;:!?，。；：！？])", "", unmarked(MARK.sub(" ", marked)))


def _keys(marked: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for match in MARK.finditer(marked) for key in match[1].split(",") if key))
