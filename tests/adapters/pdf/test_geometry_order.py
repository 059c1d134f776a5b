"""Reading order: whatever order a file draws its words in, sentences come out one after the other."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf.extract import extract
from scholarmind.adapters.readers.pdf.page import TextPage

WORDS = "the of a model for text which learning results network we show evaluation different method is and large data".split()
WIDTH, HEIGHT = 612, 792
FONT, SIZE, LEADING = "Times-Roman", 10, 12

Word = tuple[float, float, str]


class Paper:
    """Numbered words (every fifth is "w17") set in columns, justified, and drawn in random order."""

    def __init__(self) -> None:
        self.chance = random.Random(7)
        self.words: list[Word] = []
        self.number = 0

    def column(self, left: float, top: float, width: float, lines: int, *, size: float = SIZE) -> None:
        for line in range(lines):
            words = list(self._line(width, size))
            last = line == lines - 1
            room = width - sum(stringWidth(word, FONT, size) for word in words)
            space = 0.25 * size if last else room / (len(words) - 1)
            x = left
            for word in words:
                self.words.append((x, HEIGHT - top - line * LEADING, word))
                x += stringWidth(word, FONT, size) + space

    def _line(self, width: float, size: float) -> Iterator[str]:
        used = 0.0
        while True:
            self.number += 1
            word = f"w{self.number}" if self.number % 5 == 0 else self.chance.choice(WORDS)
            used += stringWidth(word, FONT, size) + 0.25 * size
            if used > width:
                self.number -= 1
                return
            yield word

    def read(self, folder: Path, extra: Sequence[Word] = (), size: tuple[float, float] = (WIDTH, HEIGHT)) -> TextPage:
        path = folder / "paper.pdf"
        canvas = Canvas(str(path), pagesize=size)
        canvas.setFont(FONT, SIZE)
        words = [*self.words, *extra]
        self.chance.shuffle(words)
        for x, y, word in words:
            canvas.drawString(x, y, word)
        canvas.save()
        document = pdfium.PdfDocument(path)
        try:
            return extract(document, 0)
        finally:
            document.close()

    @property
    def tags(self) -> list[str]:
        return [word for _, _, word in self.words if word[1:].isdigit()]


def tags(page: TextPage) -> list[str]:
    return [word for line in page.lines for word in line.text.split() if word[0] == "w" and word[1:].isdigit()]


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.mark.parametrize("gutter", [10, 18, 40])
@pytest.mark.parametrize("shift", [0, 4.7])
def test_two_columns(paper, tmp_path, gutter, shift):
    width = (WIDTH - 108 - gutter) / 2
    paper.column(54, 72, width, 50)
    paper.column(54 + width + gutter, 72 + shift, width, 50)
    assert tags(paper.read(tmp_path)) == paper.tags


@pytest.mark.parametrize("lines", [1, 3, 20])
def test_a_short_last_column(paper, tmp_path, lines):
    paper.column(54, 72, 240, 50)
    paper.column(318, 72, 240, lines)
    assert tags(paper.read(tmp_path)) == paper.tags


def test_three_columns(paper, tmp_path):
    for left in (54, 228, 402):
        paper.column(left, 72, 156, 52)
    assert tags(paper.read(tmp_path)) == paper.tags


def test_columns_of_different_widths(paper, tmp_path):
    paper.column(54, 72, 330, 50)
    paper.column(402, 75, 156, 50)
    assert tags(paper.read(tmp_path)) == paper.tags


def test_full_width_blocks_between_columns(paper, tmp_path):
    paper.column(54, 72, 504, 4)
    paper.column(54, 150, 240, 15)
    paper.column(318, 150, 240, 15)
    paper.column(54, 360, 504, 3)
    for left in (54, 228, 402):
        paper.column(left, 420, 156, 20)
    page = paper.read(tmp_path)
    assert tags(page) == paper.tags
    assert [line.block for line in page.lines] == sorted(line.block for line in page.lines)
    assert len({line.block for line in page.lines}) == 7


def test_two_pages_on_a_sheet(paper, tmp_path):
    for left in (40, 440):
        paper.column(left, 250, 360, 4)
        for column in (0, 190):
            paper.column(left + column, 320, 170, 36)
    assert tags(paper.read(tmp_path, size=(842, 595))) == paper.tags


def test_lists_of_references_on_two_pages_of_a_sheet(paper, tmp_path):
    for left in (40, 460):
        for line in range(40):
            paper.column(left, 240 + line * LEADING, 160 if line % 2 else 342, 1)
    assert tags(paper.read(tmp_path, size=(842, 595))) == paper.tags


@pytest.mark.parametrize("heading", [(), ((290, HEIGHT - 290, "Results"),)])
def test_columns_end_and_begin_anew_below_a_blank_with_a_paragraph(paper, tmp_path, heading):
    for column in (54, 228, 402):
        paper.column(column, 72, 156, 15)
        paper.column(column, 72 + 15 * LEADING, 90, 1)
    for place, column in enumerate((54, 228, 402)):
        paper.column(column + (0 if place else 10), 320, 146, 1)
        paper.column(column, 320 + LEADING, 156, 15)
    page = paper.read(tmp_path, heading)
    assert tags(page) == paper.tags
    words = [word for line in page.lines for word in line.text.split()]
    below = next(word for x, y, word in paper.words if y == HEIGHT - 320 and word[1:].isdigit())
    assert all(words.index("Results") < words.index(below) for _ in heading)


def test_notes_on_the_margin_are_apart(paper, tmp_path):
    paper.column(54, 72, 380, 50)
    notes = [(450, HEIGHT - 103 - 9 * line, text) for line, text in enumerate(("see also", "the other", "chapter"))]
    page = paper.read(tmp_path, notes)
    assert tags(page) == paper.tags
    assert [line.text for line in page.lines[-3:]] == ["see also", "the other", "chapter"]


def test_a_table_keeps_its_rows(paper, tmp_path):
    cells = [
        (80 + 120 * column, HEIGHT - 400 - 12 * row, f"cell {row}.{column}") for row in range(12) for column in range(4)
    ]
    paper.column(54, 72, 504, 20)
    page = paper.read(tmp_path, cells)
    assert [line.text for line in page.lines[20:]] == [
        " ".join(f"cell {row}.{column}" for column in range(4)) for row in range(12)
    ]
    assert {len(line.cells) for line in page.lines[20:]} == {4}


def test_a_table_within_a_column(paper, tmp_path):
    paper.column(54, 72, 240, 20)
    cells = [(70 + 80 * column, HEIGHT - 330 - 12 * row, f"{row}.{column}7") for row in range(8) for column in range(3)]
    paper.column(54, 450, 240, 20)
    paper.column(318, 72, 240, 50)
    page = paper.read(tmp_path, cells)
    assert tags(page) == paper.tags
    assert [line.text for line in page.lines[20:28]] == [f"{row}.07 {row}.17 {row}.27" for row in range(8)]


def test_a_table_over_both_columns_whose_cells_leave_the_gutter_blank(paper, tmp_path):
    caption = [
        (
            54,
            HEIGHT - 60,
            "Table 1: what was measured, of which there is a table that is as wide as the page and has a caption",
        )
    ]
    cells = [(54 + 84 * column, HEIGHT - 78 - 11 * row, f"{row}{column}.25") for row in range(6) for column in range(6)]
    for left in (54, 318):
        paper.column(left, 170, 240, 45)
    page = paper.read(tmp_path, [*caption, *cells])
    assert [[line.text[cell.start : cell.end] for cell in line.cells] for line in page.lines[1:7]] == [
        [f"{row}{column}.25" for column in range(6)] for row in range(6)
    ]
    assert tags(page) == paper.tags


def test_tables_side_by_side_stay_in_their_columns(paper, tmp_path):
    cells = [
        (left + 70 * column, HEIGHT - 78 - 11 * row, f"{row}{column}.25")
        for row in range(6)
        for left in (60, 324)
        for column in range(3)
    ]
    for left in (54, 318):
        paper.column(left, 170, 240, 45)
    page = paper.read(tmp_path, cells)
    assert [len(line.cells) for line in page.lines[:6]] == [3] * 6
    assert tags(page) == paper.tags


def test_stretched_lines_have_no_cells_and_no_gutter(paper, tmp_path):
    paper.column(54, 72, 240, 6)
    stretched = (("network", "evaluation", "different", "results"), ("learning", "data", "evaluation", "the"))
    for number, words in enumerate(stretched):
        x, y = 54.0, HEIGHT - 72 - LEADING * (6 + number)
        space = (240 - sum(stringWidth(word, FONT, SIZE) for word in words)) / 3
        for word in words:
            paper.words.append((x, y, word))
            x += stringWidth(word, FONT, SIZE) + space
    paper.column(54, 72 + 8 * LEADING, 240, 40)
    paper.column(318, 72, 240, 48)
    page = paper.read(tmp_path)
    assert tags(page) == paper.tags
    assert [line.text for line in page.lines[6:8]] == [" ".join(words) for words in stretched]
    assert {len(line.cells) for line in page.lines} == {1}


def test_gaps_that_happen_to_stand_below_each_other_in_two_stretched_lines_are_no_gutter(paper, tmp_path):
    paper.column(54, 72, 240, 6)
    for left, width in ((54, 112), (178, 116)):
        for line in (6, 7):
            paper.column(left, 72 + line * LEADING, width, 1)
    paper.column(54, 72 + 8 * LEADING, 240, 10)
    assert len({line.block for line in paper.read(tmp_path).lines}) == 1


def test_authors_side_by_side_stay_above_the_columns(paper, tmp_path):
    authors = [
        (x - stringWidth(text, FONT, SIZE) / 2, HEIGHT - y, text)
        for x, texts in (
            (200, ("Ada One", "First University", "ada@one.edu")),
            (412, ("Bo Two", "Second Institute", "bo@two.org")),
        )
        for y, text in zip((72, 84, 96), texts, strict=True)
    ]
    paper.column(54, 140, 240, 40)
    paper.column(318, 140, 240, 40)
    page = paper.read(tmp_path, authors)
    assert [line.text for line in page.lines[:3]] == [
        "Ada One Bo Two",
        "First University Second Institute",
        "ada@one.edu bo@two.org",
    ]
    assert tags(page) == paper.tags


def test_labels_stay_with_their_items(paper, tmp_path):
    paper.column(80, 72, 478, 30)
    labels = [(54, HEIGHT - 72 - 3 * LEADING * item, f"[{item}]") for item in range(10)]
    page = paper.read(tmp_path, labels)
    assert [line.text.split()[0] for line in page.lines[::3]] == [f"[{item}]" for item in range(10)]


def test_a_running_head_does_not_hide_the_columns(paper, tmp_path):
    head = [(54, HEIGHT - 40, "Smith et al."), (546, HEIGHT - 40, "12"), (300, 30, "99")]
    paper.column(54, 72, 240, 50)
    paper.column(318, 72, 240, 50)
    page = paper.read(tmp_path, head)
    assert tags(page) == paper.tags
    assert (page.lines[0].text, page.lines[-1].text) == ("Smith et al. 12", "99")


def test_line_numbers_are_a_block_of_their_own(paper, tmp_path):
    paper.column(80, 72, 478, 40)
    numbers = [(54, HEIGHT - 72 - LEADING * line, f"{line:03}") for line in range(40)]
    page = paper.read(tmp_path, numbers)
    assert tags(page) == paper.tags
    assert not any(line.text[:3].isdigit() for line in page.lines if len(line.text) > 3)
