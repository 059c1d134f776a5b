"""A text as it grows out of paragraphs, headings, rows of tables and regions, with the offsets of all of them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scholarmind.adapters.readers.decode import clean
from scholarmind.model import Region, RegionKind, Section

# -- rows of tables as lines, wherever the table is from


@dataclass(frozen=True, slots=True)
class GridCell:
    """A place in a table. A wide or high cell fills several; only the first one across is told."""

    text: str
    is_header: bool = False
    width: int = 1
    is_first: bool = True


Row = Sequence[GridCell]


def column_names(rows: Sequence[Row]) -> list[str]:
    """Return the name of each column under these rows of headers, from the widest group down."""
    columns = max(map(len, rows), default=0)
    names: list[str] = []
    for place in range(columns):
        told = [row[place].text for row in rows if place < len(row) and row[place].text and row[place].width < columns]
        names.append(" ".join(dict.fromkeys(told)))
    return names


def line_of(row: Row, names: Sequence[str]) -> str:
    """Return a row as `Header: value; ...` where the headers are known, else the cells with bars between them."""
    told = [(place, cell) for place, cell in enumerate(row) if cell.text and cell.is_first]
    if len(told) < 2:
        return told[0][1].text if told else ""
    if any(names):
        parts = [(names[place] if place < len(names) else "", cell.text) for place, cell in told]
        return "; ".join(f"{name}: {text}" if name else text for name, text in parts)
    first, *others = (cell for _, cell in told)
    if first.is_header and not any(cell.is_header for cell in others):
        return f"{first.text}: {' | '.join(cell.text for cell in others)}"
    return " | ".join(cell.text for _, cell in told)


# -- the text

_HAN = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"  # with its signs, and kana
_HAN_BREAK = re.compile(rf"(?<={_HAN})[ \t\r\f\v]*\n\s*(?={_HAN})")
_SPACES = re.compile(r"(?! \S)\s+")  # all but single spaces
_LONG = 1_000_000
_LONGEST_HEADING = 1_000


class Composition:
    """Takes the blocks of a document in order; `sections` and `regions` then hold for `text`."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.regions: list[Region] = []
        self._parts: list[str] = []
        self._length = 0
        self._path: dict[int, str] = {}
        self._open: tuple[RegionKind, int, int] | None = None  # kind, where its first block begins, end of its last

    @property
    def text(self) -> str:
        """The whole text so far."""
        return "".join(self._parts)

    def __len__(self) -> int:
        """Return the length of the text so far."""
        return self._length

    def heading(self, level: int, title: str) -> None:
        """Add a heading; a small level is a high rank. What was open is closed."""
        self.close()
        title = flowed(clean(title))[:_LONGEST_HEADING].strip()
        if not title:
            return
        self._path = {depth: name for depth, name in self._path.items() if depth < level} | {level: title}
        start = self._add(title)
        self.sections.append(Section(heading=start, start=self._length, path=tuple(self._path.values())))

    def paragraph(self, text: str) -> None:
        """Add running prose, which may have been broken into lines."""
        self.block(flowed(text))

    def lines(self, lines: Iterable[str], kind: RegionKind | None = None) -> None:
        """Add what stands one a line: the items of a list, the rows of a table, references."""
        self.block("\n".join(line for line in map(flowed, lines) if line), kind)

    def block(self, text: str, kind: RegionKind | None = None) -> None:
        """Add a text as it is, code for instance. A kind of its own makes it a region, and closes what was open."""
        text = clean(text).strip("\n").rstrip()
        if not text.strip():
            return
        if kind is not None:
            self.close()
        start = self._add(text)
        if kind is not None:
            self.regions.append(Region(start=start, end=self._length, kind=kind))
        elif self._open is not None:
            first = self._open[1]
            self._open = (self._open[0], start if first < 0 else first, self._length)

    def open(self, kind: RegionKind) -> None:
        """Begin a region that holds the blocks from here to the next heading, or until it is closed."""
        self.close()
        self._open = (kind, -1, -1)

    def close(self) -> None:
        """End the region that is open, if one is."""
        if self._open is not None and self._open[1] >= 0:
            self.regions.append(Region(start=self._open[1], end=self._open[2], kind=self._open[0]))
        self._open = None

    def _add(self, text: str) -> int:
        start = self._length + (2 if self._parts else 0)
        self._parts += ["\n\n", text] if self._parts else [text]
        self._length = start + len(text)
        return start


def flowed(text: str) -> str:
    """Return text in one line: broken lines are joined by a space, and by nothing between two Chinese characters."""
    if "\n" in text:
        text = _HAN_BREAK.sub("", text)
    # a list of all words of a long text takes ten times its memory
    return " ".join(text.split()) if len(text) < _LONG else _SPACES.sub(" ", text).strip()
