"""A small typesetter for test papers: frames, rows, floats, furniture. It knows the true reading order, because it makes it.

Text is drawn as papers draw it: hyphenated and justified; ligatures and one text object a word where the font is DejaVu,
one object a line with word spacing where it is Times. Nothing here knows what the words mean.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

TRUETYPE = Path("/usr/share/fonts/truetype")
LIGATURES = (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"))
HAN = "\u2e80-\u9fff\uff00-\uffef\u3000-\u303f"
GUTTER = 18  # points between columns
RAISED = "\ue000-\ue009"  # digits that are set as superscripts
_RUN = re.compile(rf"[{HAN}]+|[{RAISED}]+|[^{HAN}{RAISED}]+")
_DIGITS = {0xE000 + digit: str(digit) for digit in range(10)}
_SMALL, _LIFT = 0.65, 0.36
_UNBREAKABLE = "，。、；：？！）》”"
TIMES = {"r": "Times-Roman", "b": "Times-Bold", "i": "Times-Italic", "s": "Helvetica"}
DEJAVU = {"r": "DejaVuSerifCondensed", "b": "DejaVuSerifCondensed-Bold", "i": "DejaVuSerifCondensed-Italic"}
DEJAVU["s"] = DEJAVU["r"]


@dataclass(frozen=True, slots=True)
class Face:
    """A family of fonts: `embedded` ones have ligatures, accents of every kind and no spaces between their words."""

    embedded: bool
    han: str  # name of the font for Chinese

    def name(self, style: str) -> str:
        return (DEJAVU if self.embedded else TIMES)[style]

    def runs(self, text: str, style: str) -> list[tuple[str, str]]:
        """Return the pieces of a text, each with the font that has its characters."""
        found: list[tuple[str, str]] = []
        for run in _RUN.findall(text):
            if re.match(rf"[{HAN}]", run):
                found.append((run, self.han))
            else:
                found.extend(self._latin(run, style))
        return found

    def _latin(self, run: str, style: str) -> list[tuple[str, str]]:
        if self.embedded:
            for letters, ligature in LIGATURES:
                run = run.replace(letters, ligature)
        foreign = not self.embedded and not _western(run)
        if not foreign:
            return [(run, self.name(style))]
        if not _has_dejavu():
            return [(run.encode("cp1252", "replace").decode("cp1252"), self.name(style))]
        pieces = re.findall(r"[\x00-\x7f]+|[^\x00-\x7f]+", run)
        return [(piece, self.name(style) if _western(piece) else DEJAVU[style]) for piece in pieces]

    def width(self, text: str, style: str, size: float) -> float:
        return _width(self, text, style) * size


def face(*, embedded: bool, han_embedded: bool) -> Face:
    """Return a family that this machine has."""
    _register()
    droid = han_embedded and (TRUETYPE / "droid/DroidSansFallbackFull.ttf").exists()
    return Face(embedded=embedded and _has_dejavu(), han="Droid" if droid else "STSong-Light")


@lru_cache(1)
def _register() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    for name in set(DEJAVU.values()) if _has_dejavu() else ():
        pdfmetrics.registerFont(TTFont(name, str(TRUETYPE / f"dejavu/{name}.ttf")))
    if (TRUETYPE / "droid/DroidSansFallbackFull.ttf").exists():
        pdfmetrics.registerFont(TTFont("Droid", str(TRUETYPE / "droid/DroidSansFallbackFull.ttf")))


@lru_cache(1)
def _has_dejavu() -> bool:
    return all((TRUETYPE / f"dejavu/{name}.ttf").exists() for name in DEJAVU.values())


@lru_cache(20_000)
def _width(family: Face, text: str, style: str) -> float:
    return sum(
        pdfmetrics.stringWidth(run, font, 1000) / 1000 * (_SMALL if "\ue000" <= run <= "\ue009" else 1)
        for run, font in family.runs(text, style)
    )


def _western(text: str) -> bool:
    return text.encode("cp1252", "ignore").decode("cp1252") == text


@dataclass(slots=True)
class Mark:
    """One thing drawn on a page: a text (baseline from the lower left), or a rule or box where `text` is ''."""

    x: float
    y: float
    text: str = ""
    font: str = ""
    size: float = 10
    spacing: float = 0  # between words, beyond the font's own
    angle: float = 0
    width: float = 0
    height: float = 0


@dataclass(slots=True)
class Row:
    """A line of a column: its height, and its marks relative to the column's left edge and its baseline."""

    height: float
    marks: list[Mark]
    keep: int = 0  # how many further lines must fit below it
    after: Callable[["Press"], None] | None = None


@dataclass(slots=True)
class Frame:
    left: float
    top: float
    right: float
    bottom: float


@dataclass(slots=True)
class Style:
    """How a paragraph is set."""

    style: str = "r"
    size: float = 9.5
    leading: float = 11.2
    justify: bool = True
    hyphenate: bool = True
    first: float = 10  # indent of the first line
    rest: float = 0  # of the others
    centre: bool = False
    before: float = 0


def rows(family: Face, text: str, width: float, style: Style, chance: random.Random) -> list[Row]:
    """Break a paragraph into lines."""
    found: list[Row] = []
    for words, last in _broken(family, text, width, style, chance):
        indent = style.rest if found else style.first
        marks = _set(family, words, width - indent, style, last=last)
        found.append(Row(style.leading, [_moved(mark, indent) for mark in marks]))
    if found:
        found[0].height += style.before
    return found


def _moved(mark: Mark, x: float) -> Mark:
    mark.x += x
    return mark


def _broken(
    family: Face, text: str, width: float, style: Style, chance: random.Random
) -> Iterator[tuple[list[str], bool]]:
    words, line, room = list(reversed(_words(text))), [], width - style.first
    while words:
        word = words.pop()
        need = family.width("".join([*line, word]).strip(), style.style, style.size)
        if need <= room or not line:
            line.append(word)
            continue
        left = room - family.width("".join(line), style.style, style.size)
        head, tail = _split(family, word, left, style, chance) if style.hyphenate else ("", word)
        if word in _UNBREAKABLE:  # hangs over the edge: a line never begins with it
            head, tail = word, ""
        yield [*line, head] if head else line, False
        line, room = [], width - style.rest
        if tail.strip():
            words.append(tail.lstrip())
    yield line, True


def _words(text: str) -> list[str]:
    """Return what may be parted by a line end: words with the space before them, Chinese characters one by one, parts of addresses."""
    return re.findall(rf"\s*(?:[{HAN}]|https?://|[^\s{HAN}/]*/(?=\w)|[^\s{HAN}]+)", text)


def _split(family: Face, word: str, room: float, style: Style, chance: random.Random) -> tuple[str, str]:
    """Return a word's part that still fits, with its hyphen, and the rest. Tags, numbers and names stay whole."""
    at = word.rfind("-", 3, -3) + 1
    if at and family.width(word[:at], style.style, style.size) <= room:
        return word[:at], word[at:]
    letters = word.strip()
    if not re.fullmatch(r"[a-z]{7,}[,.]?", letters) or letters.startswith("tag") or chance.random() < 0.3:
        return "", word
    hyphen = "\u00ad" if family.embedded and chance.random() < 0.1 else "-"
    for cut in range(len(word) - 4, len(word) - len(letters) + 2, -1):
        if word[cut - 2 : cut + 2] not in {"ffi", "ffl"} and word[cut - 1 : cut + 1] not in {"ff", "fi", "fl"}:
            head = word[:cut] + hyphen
            if family.width(head, style.style, style.size) <= room:
                return head, word[cut:]
    return "", word


def _set(family: Face, words: list[str], width: float, style: Style, *, last: bool) -> list[Mark]:
    """Place a line: as one object a word where the font is embedded or Chinese stands in it, else as one object."""
    text = "".join(words).strip()
    natural = family.width(text, style.style, style.size)
    x = (width - natural) / 2 if style.centre else 0.0
    gaps = text.count(" ")
    extra = (width - natural) / gaps if style.justify and not last and gaps and width > natural else 0.0
    extra = extra if extra < style.size else 0.0
    pieces = text.split(" ") if family.embedded or re.search(rf"[{HAN}{RAISED}]", text) else [text]
    marks: list[Mark] = []
    space = family.width(" ", style.style, style.size) + extra
    for piece in pieces:
        for run, font in family.runs(piece, style.style):
            mark = Mark(x, 0, run, font, style.size, extra if len(pieces) == 1 else 0.0)
            if "\ue000" <= run <= "\ue009":
                mark.text, mark.size, mark.y = run.translate(_DIGITS), style.size * _SMALL, style.size * _LIFT
            marks.append(mark)
            x += pdfmetrics.stringWidth(mark.text, font, mark.size) + run.count(" ") * mark.spacing
        x += space
    return marks


@dataclass(slots=True)
class Press:
    """Pours rows into frames, page after page. `frames` gives the frames of a page, `furnish` draws what repeats."""

    width: float
    height: float
    frames: Callable[[int], list[Frame]]  # by the number of the page, from 0
    furnish: Callable[["Press"], None]
    pages: list[list[Mark]] = field(default_factory=list)
    wide: list[tuple[float, list[Row], bool]] = field(
        default_factory=list
    )  # floats over all columns: height, rows, at the foot
    narrow: list[list[Row]] = field(default_factory=list)  # floats of one column, for the next one's head
    notes: list[list[Row]] = field(default_factory=list)  # footnotes, for the next column's foot
    _left: list[Frame] = field(default_factory=list)
    frame: Frame = field(default_factory=lambda: Frame(0, 0, 0, 0))
    y: float = 0

    @property
    def room(self) -> float:
        return self.y - self.frame.bottom

    def pour(self, lines: Sequence[Row]) -> None:
        """Set rows one below the other, going on in the next column where this one is full."""
        for row in lines:
            while self.room < row.height + row.keep * 11.2 and (not self.pages or self.y < self.frame.top):
                self.turn()
            self._draw(row)

    def turn(self) -> None:
        """Go to the next column, and to a new page after the last."""
        if not self._left:
            self.new_page()
        self.frame = self._left.pop(0)
        self.y = self.frame.top
        if self.narrow:
            for row in self.narrow.pop(0):
                self._draw(row)
        if self.notes:
            self._foot(self.notes.pop(0))

    def new_page(self) -> None:
        self.pages.append([])
        self._left = self.frames(len(self.pages) - 1)
        self.furnish(self)
        if self.wide:
            self._float(*self.wide.pop(0))

    def set_frames(self, frames: list[Frame]) -> None:
        """Divide what is left of the page anew."""
        self._left = frames
        self.turn()

    def put(self, mark: Mark) -> None:
        self.pages[-1].append(mark)

    def rest_of_page(self) -> list[Frame]:
        return [self.frame, *self._left]

    def _draw(self, row: Row) -> None:
        self.y -= row.height
        self._at(row.marks, self.frame.left, self.y)
        if row.after:
            row.after(self)

    def _at(self, marks: list[Mark], x: float, y: float) -> None:
        for mark in marks:
            mark.x, mark.y = mark.x + x, mark.y + y
            self.put(mark)

    def _foot(self, lines: list[Row]) -> None:
        y = self.frame.bottom = self.frame.bottom + sum(row.height for row in lines) + 6
        self.put(Mark(self.frame.left, y - 4, width=60))
        y -= 5
        for row in lines:
            y -= row.height
            self._at(row.marks, self.frame.left, y)

    def _float(self, height: float, lines: list[Row], foot: bool) -> None:
        left = min(frame.left for frame in self._left)
        edge = min(f.bottom for f in self._left) + height if foot else max(f.top for f in self._left)
        for frame in self._left:
            if foot:
                frame.bottom += height + 10
            else:
                frame.top -= height + 10
        for row in lines:
            edge -= row.height
            self._at(row.marks, left, edge)


def draw(canvas: Canvas, marks: Sequence[Mark]) -> None:
    """Write marks to a page in the order given."""
    for mark in marks:
        if not mark.text:
            canvas.rect(mark.x, mark.y, mark.width, mark.height) if mark.height else canvas.line(
                mark.x, mark.y, mark.x + mark.width, mark.y
            )
            continue
        canvas.saveState()
        canvas.translate(mark.x, mark.y)
        canvas.rotate(mark.angle)
        text = canvas.beginText(0, 0)
        text.setFont(mark.font, mark.size)
        text.setWordSpace(mark.spacing)
        text.textOut(mark.text)
        canvas.drawText(text)
        canvas.restoreState()


def by_word(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks with every text of several words as one mark a word."""
    found: list[Mark] = []
    for mark in marks:
        x = mark.x
        for word in mark.text.split(" ") if mark.text and not mark.angle else [mark.text]:
            found.append(Mark(x, mark.y, word, mark.font, mark.size, 0, mark.angle, mark.width, mark.height))
            if mark.font:
                x += pdfmetrics.stringWidth(word + " ", mark.font, mark.size) + mark.spacing
    return found


def columns_of(left: float, right: float, top: float, bottom: float, count: int) -> list[Frame]:
    """Divide a stretch of a page into columns."""
    width = (right - left - GUTTER * (count - 1)) / count
    return [Frame(left + n * (width + GUTTER), top, left + n * (width + GUTTER) + width, bottom) for n in range(count)]
