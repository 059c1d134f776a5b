"""Text of a page that is only a picture: rendered, and read by the `tesseract` program where that is installed.

Tesseract finds columns and lines itself. What it gives is made into the same lines as the geometry of a written page gives.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, cast

from scholarmind.adapters.readers.composition import clean
from scholarmind.adapters.readers.pdf.page import Cell, TextLine
from scholarmind.errors import ReadError

if TYPE_CHECKING:
    from pypdfium2 import PdfBitmap, PdfDocument, PdfPage  # pyright: ignore[reportMissingTypeStubs]

WANTED = "eng+chi_sim"
_POINTS = 72
_MOST_PIXELS = (
    30_000_000  # of a picture; a page of A4 at 300 dots an inch has 8.7 million. Posters are rendered coarser
)
_LEAST_CONFIDENCE = 30  # of 100: below that it is a drawing which was taken for letters
_CELL_GAP = 1.6  # of the letters' size: words farther apart stand in different cells of a table
_ASKING = 20  # seconds for tesseract to tell which languages it has
_WORD = 5  # level of the table's rows that are words
_COLUMNS = 12
_HAN = "\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}]) (?=[{_HAN}])")
_TALL, _DEEP = re.compile(rf"[A-Z0-9bdfhklt(\[{_HAN}]"), re.compile(rf"[gjpqy,;(\[{_HAN}]")
# how much of the letters' size the ink of a line takes, by whether something rises above and hangs below the small letters
_INK = {(True, True): 0.92, (True, False): 0.7, (False, True): 0.68, (False, False): 0.47}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A word in pixels; `place` counts block, paragraph and line."""

    place: tuple[int, int, int]
    left: int
    top: int
    right: int
    bottom: int
    confidence: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tesseract:
    """The program, and how it is used: `seconds` is the longest that one page may take."""

    program: str
    languages: str = WANTED
    seconds: float = 60
    dpi: int = 300

    @classmethod
    def find(cls, languages: str = WANTED) -> "Tesseract | None":
        """Return tesseract with those of the languages that are installed, or None where there is nothing to read with."""
        program = shutil.which("tesseract")
        known = _installed(program) if program else []
        chosen = [language for language in languages.split("+") if language in known] or known[:1]
        return cls(program=program, languages="+".join(chosen)) if program and chosen else None

    def lines(self, document: "PdfDocument", index: int) -> list[TextLine]:
        """Return the lines of the page with this index (from 0), in tesseract's reading order."""
        picture, scale = _rendered(document, index, self.dpi)
        table = self._read(picture, round(scale * _POINTS), f"page {index + 1}")
        return list(_lines(list(_words(table)), scale))

    def _read(self, picture: bytes, dpi: int, page: str) -> str:
        command = [self.program, "stdin", "stdout", "-l", self.languages, "--dpi", str(dpi), "tsv"]
        try:
            done = subprocess.run(  # noqa: S603  (a program found on the path, and no words of the document)
                command,
                input=picture,
                capture_output=True,
                timeout=self.seconds,
                check=False,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # we read pages in parallel ourselves
            )
        except subprocess.TimeoutExpired:
            raise ReadError(
                f"tesseract did not read {page} within {self.seconds:g} seconds",
                "leave the page out, or scan it at a lower resolution",
            ) from None
        except OSError as error:
            raise ReadError(
                f"tesseract could not be started: {error}", f"check that {self.program!r} can be run"
            ) from None
        if done.returncode != 0:
            told = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gave no reason"]
            raise ReadError(
                f"tesseract failed on {page} with code {done.returncode}: {told[-1]!r}",
                f"check that `tesseract --list-langs` lists {self.languages.replace('+', ' and ')}",
            )
        return done.stdout.decode("utf-8", "replace")


def _installed(program: str) -> list[str]:
    """Return the languages that tesseract has data for; `osd` is none, it only tells which way up a page is."""
    try:
        told = subprocess.run(  # noqa: S603  (a program found on the path)
            [program, "--list-langs"], capture_output=True, timeout=_ASKING, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    names = told.stdout.decode("utf-8", "replace").splitlines()[1:]
    return [name.strip() for name in names if name.strip() not in {"", "osd"}]


def _rendered(document: "PdfDocument", index: int, dpi: int) -> tuple[bytes, float]:
    """Return the page as a grey picture in the PGM format, upright, and its pixels to a point."""
    from pypdfium2 import PdfiumError  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    try:
        page = document[index]
        try:
            return _picture(page, dpi)
        finally:
            page.close()
    except (PdfiumError, MemoryError, ValueError) as error:
        raise ReadError(
            f"page {index + 1} could not be turned into a picture: {error}",
            "open the file in a viewer and save it anew",
        ) from None


def _picture(page: "PdfPage", dpi: int) -> tuple[bytes, float]:
    width, height = page.get_size()
    if not (0 < width < float("inf") and 0 < height < float("inf")):
        raise ValueError(f"it is {width:g} by {height:g} points large")
    scale = min(dpi / _POINTS, (_MOST_PIXELS / (width * height)) ** 0.5)
    render = cast("Callable[..., PdfBitmap]", page.render)  # as the package has it: without types
    bitmap = render(scale=scale, grayscale=True)
    across, down, stride = map(int, (bitmap.width, bitmap.height, bitmap.stride))
    rows = bytes(cast("bytes", bitmap.buffer))
    if stride != across:
        rows = b"".join(rows[at : at + across] for at in range(0, stride * down, stride))
    return b"P5 %d %d 255\n" % (across, down) + rows, scale


def _words(table: str) -> Iterator[_Word]:
    """Yield the words of tesseract's table: level, page, block, paragraph, line, word, left, top, width, height, confidence, text."""
    for row in table.splitlines()[1:]:
        cells = row.split("\t", _COLUMNS - 1)
        if len(cells) < _COLUMNS or not cells[-1].strip() or cells[0] != str(_WORD):
            continue
        block, paragraph, line, _, left, top, width, height = map(int, cells[2:10])
        yield _Word(
            place=(block, paragraph, line),
            left=left,
            top=top,
            right=left + width,
            bottom=top + height,
            confidence=float(cells[10]),
            text=clean(cells[-1]).strip(),
        )


def _lines(words: Sequence[_Word], scale: float) -> Iterator[TextLine]:
    """Yield a line for each that is surely text. Paragraphs have one size of letters: that of a single line is a guess."""
    for _, paragraph in groupby(words, key=lambda word: word.place[:2]):
        lines = [list(line) for _, line in groupby(paragraph, key=lambda word: word.place)]
        sure = [line for line in lines if sum(word.confidence for word in line) >= _LEAST_CONFIDENCE * len(line)]
        size = median(map(_size, sure)) / scale if sure else 0.0
        for line in sure:
            yield _line(line, scale, size)


def _line(words: Sequence[_Word], scale: float, size: float) -> TextLine:
    text = _joined(words[0].text, words[1:])
    return TextLine(
        text=text,
        left=min(word.left for word in words) / scale,
        top=min(word.top for word in words) / scale,
        right=max(word.right for word in words) / scale,
        bottom=max(word.bottom for word in words) / scale,
        size=size,
        block=words[0].place[0] - 1,
        cells=list(_cells(words, scale, size)),
    )


def _joined(text: str, words: Sequence[_Word]) -> str:
    """Return words as one text: with spaces, but none between two Chinese characters."""
    return _BETWEEN_HAN.sub("", " ".join([text, *(word.text for word in words)]))


def _cells(words: Sequence[_Word], scale: float, size: float) -> Iterator[Cell]:
    """Yield the stretches of a line between wide gaps, by their places in the line's text."""
    first = 0
    for number in range(1, len(words) + 1):
        if number < len(words) and words[number].left - words[number - 1].right < _CELL_GAP * size * scale:
            continue
        end = len(_joined(words[0].text, words[1:number]))
        start = end - len(_joined(words[first].text, words[first + 1 : number]))
        yield Cell(start=start, end=end, left=words[first].left / scale, right=words[number - 1].right / scale)
        first = number


def _size(words: Sequence[_Word]) -> float:
    """Return the letters' size in pixels, by the height of the ink and by which letters it is."""
    text = "".join(word.text for word in words)
    height = max(word.bottom for word in words) - min(word.top for word in words)
    return height / _INK[bool(_TALL.search(text)), bool(_DEEP.search(text))]
