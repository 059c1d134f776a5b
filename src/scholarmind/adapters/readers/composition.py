"""A text as it grows: from bytes, whatever their encoding, out of paragraphs, headings, rows of tables and regions with their offsets."""

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholarmind.errors import ReadError
from scholarmind.model import Region, RegionKind, Section

# -- from bytes to text; from any string to one that can be stored

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY_SHARE = 0.02
_DAMAGED_SHARE = 0.1
_WIDE_SHARE = 0.7
_MOST_ZEROS = 0.6
_LONGEST_CHARACTER = 4
_WIDE_LETTERS = frozenset(
    "big5 big5hkscs cp932 cp949 cp950 euc_jis_2004 euc_jisx0213 euc_jp euc_kr gb18030 gb2312 gbk hz iso2022_jp iso2022_kr "
    "johab shift_jis shift_jis_2004 shift_jisx0213 utf_7 utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le".split()
)
_WESTERN = frozenset("äöüÄÖÜßéèêëÉÈàâáãåÀçÇîïíìôóòõøûùúñÑœæÆØÅ“”‘’–—…€°§«»·©®²³µ")
_WESTERN_SHARE = 0.9
_FOREIGN_SHARE = 0.2
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_text(path: Path, max_bytes: int, decoded: Callable[[bytes], str] | None = None) -> str:
    """Return the text of a file, or say why it is none; `decoded` knows more of its encoding than `decode` does."""
    size = path.stat().st_size
    if size > max_bytes:
        raise ReadError(
            f"it has {size / 1e6:,.0f} MB, the limit is {max_bytes / 1e6:,.0f} MB",
            "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", "check who may read it") from error
    text = (decoded or decode)(content)
    if not text.strip():
        raise ReadError("it is empty", "nothing to do, unless it should not be")
    return text


def decode(content: bytes) -> str:
    """Return the text in these bytes: by its mark, as UTF-8 (perhaps a little damaged), or by what its bytes look like."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _checked(content.decode(encoding, "replace"))
    if (wide := _wide(content)) is not None:
        return _checked(content.decode(wide, "replace"))
    try:
        return _checked(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        first = error.start
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return _checked(text if damaged <= _DAMAGED_SHARE * foreign else _guess(content, first))


def _wide(content: bytes) -> str | None:
    """Recognise UTF-16 without its mark: Western text has a zero in every other byte."""
    sample = content[:_SAMPLE]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) > _WIDE_SHARE * len(zeros) and sample.count(0) < _MOST_ZEROS * len(sample):
            return encoding
    return None


def clean(text: str) -> str:
    """Return the text as it can be stored: line ends as one character, no NUL, no half characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", text.replace("\0", " "))


def _guess(content: bytes, first: int) -> str:
    """Guess from the neighbourhood of the first byte that is not UTF-8."""
    import charset_normalizer  # noqa: PLC0415  (only for files that are not UTF-8)

    start = max(0, first - _SAMPLE // 2)
    sample = content[start : start + _SAMPLE]
    for cut in range(_LONGEST_CHARACTER):  # the sample may end inside a character
        best = charset_normalizer.from_bytes(sample[: len(sample) - cut]).best()
        if best is not None:
            break
    else:
        raise ReadError("it is not text in any known encoding", "save it as UTF-8 text, or leave it out")
    # the codes of one byte a letter look alike in short texts, and most such files are Western European
    encoding = "cp1252" if best.encoding not in _WIDE_LETTERS and _is_western(sample) else best.encoding
    return content.decode(encoding, "replace")


def _is_western(sample: bytes) -> bool:
    """Tell whether the letters beyond ASCII are few, and common in Western European text."""
    text = sample.decode("cp1252", "replace")
    foreign = [letter for letter in text if not letter.isascii()]
    common = sum(letter in _WESTERN for letter in foreign)
    return len(foreign) <= _FOREIGN_SHARE * len(text) and common >= _WESTERN_SHARE * len(foreign)


def _checked(text: str) -> str:
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise ReadError("it holds binary data", "it may have the wrong suffix; convert it to text, or leave it out")
    return clean(text)


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
