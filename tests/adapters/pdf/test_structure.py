"""Structure from hand-made lines: what a page of a paper looks like to the geometry, and what has to come out."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from scholarmind.adapters.readers.pdf.assemble import Text
from scholarmind.adapters.readers.pdf.page import Cell, TextLine, TextPage
from scholarmind.adapters.readers.pdf.structure import structured

WIDTH, HEIGHT, LEFT, RIGHT = 612.0, 792.0, 72.0, 540.0
WORDS = "model result layer network method sample measure vector token reduce improve increase evidence question reader".split()


class Sheet:
    """Writes lines down a page, as the geometry reports them."""

    def __init__(self, number: int = 1, block: int = 0) -> None:
        self.page = TextPage(number=number, width=WIDTH, height=HEIGHT, lines=[])
        self.top = 72.0
        self.block = block

    def line(
        self, text: str, *, size: float = 10, gap: float = 0, left: float = LEFT, right: float = RIGHT, **more: object
    ) -> TextLine:
        self.top += gap
        made = TextLine(
            text=text, left=left, top=self.top, right=right, bottom=self.top + size, size=size, block=self.block
        )
        made.cells = [Cell(start=0, end=len(text), left=left, right=right)]
        for name, value in more.items():
            setattr(made, name, value)
        self.page.lines.append(made)
        self.top += 1.2 * size
        return made

    def row(self, *cells: str, bold: bool = False, gap: float = 0) -> None:
        text = " ".join(cells)
        made = self.line(text, size=9, gap=gap, right=LEFT + 90 * len(cells), bold=bold)
        start, made.cells = 0, []
        for place, cell in enumerate(cells):
            left = LEFT + 90 * place
            made.cells.append(Cell(start=start, end=start + len(cell), left=left, right=left + 5 * len(cell)))
            start += len(cell) + 1

    def paragraph(self, text: str, *, lines: int = 3, gap: float = 0) -> None:
        """Write the words in so many lines, the first indented, the last short."""
        words = text.split()
        share = -(-len(words) // lines)
        parts = [" ".join(words[at : at + share]) for at in range(0, len(words), share)]
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            self.line(
                part, left=LEFT + (15 if place == 0 else 0), right=300 if last else RIGHT, gap=gap if place == 0 else 0
            )

    def at(self, text: str, *, top: float, size: float = 8, left: float = LEFT, right: float = RIGHT) -> None:
        """Write at the edge of the page, in a block of its own."""
        cells = [Cell(start=0, end=len(text), left=left, right=right)]
        line = TextLine(text=text, left=left, top=top, right=right, bottom=top + size, size=size, block=99, cells=cells)
        self.page.lines.append(line) if top > 400 else self.page.lines.insert(0, replace(line, block=-1))


def prose(seed: int, words: int = 40) -> str:
    chance = random.Random(seed)
    return f"Sentence{seed} " + " ".join(chance.choices(WORDS, k=words)) + "."


def read(*sheets: Sheet, title: str = "") -> Text:
    return structured([sheet.page for sheet in sheets], None, title)


def paragraphs(text: Text) -> list[str]:
    return text.text.split("\n\n")


def regions(text: Text, kind: str) -> list[str]:
    return [text.text[region.start : region.end] for region in text.regions if region.kind == kind]


def headings(text: Text) -> list[tuple[str, ...]]:
    return [section.path for section in text.sections]


def pages(count: int, head: str = "", foot: str = "") -> list[Sheet]:
    made: list[Sheet] = []
    for number in range(1, count + 1):
        sheet = Sheet(number)
        for place in range(4):
            sheet.paragraph(prose(10 * number + place), gap=4)
        if head:
            sheet.at(head.format(n=number, side=("left", "right")[number % 2]), top=40)
        if foot:
            sheet.at(foot.format(n=number), top=755)
        made.append(sheet)
    return made


def body(count: int) -> list[str]:
    return [prose(10 * number + place) for number in range(1, count + 1) for place in range(4)]


# --- furniture ---


def test_heads_and_page_numbers_go_and_the_text_stays():
    for head, foot in (
        ("A. Smith / Some Journal 12 (2020) 1-20", "{n}"),
        ("Running title on {side} pages", "Page {n} of 6"),
        ("{n} Journal of Words", "- {n} -"),
        ("第 {n} 页 学报", ""),
    ):
        assert paragraphs(read(*pages(6, head, foot))) == body(6)


def test_heads_that_change_with_the_section_go_where_they_count_the_pages():
    sheets = pages(8)
    for sheet, name in zip(
        sheets, ["Introduction"] * 2 + ["Method"] + ["Results"] * 3 + ["Outlook", "Notes"], strict=True
    ):
        sheet.at(f"{name} {sheet.page.number + 411}", top=40)
    assert paragraphs(read(*sheets)) == body(8)


def test_roman_numbers_of_a_preface_go():
    sheets = pages(4)
    for sheet, number in zip(sheets, ["i", "ii", "iii", "iv"], strict=True):
        sheet.at(number, top=755, left=300, right=306)
    assert paragraphs(read(*sheets)) == body(4)


def test_a_page_number_goes_that_stands_below_on_the_first_page_and_above_on_the_others():
    sheets = pages(5)
    for sheet in sheets:
        sheet.at(str(2000 + sheet.page.number), top=755 if sheet.page.number == 1 else 40, left=300, right=320)
    assert paragraphs(read(*sheets)) == body(5)


def test_a_document_of_two_pages_loses_its_heads_too():
    assert paragraphs(read(*pages(2, "Letters of the Society", "{n}"))) == body(2)


def test_the_same_heading_on_top_of_some_pages_stays():
    sheets: list[Sheet] = []
    for number in range(1, 7):
        sheet = Sheet(number)
        if number in {2, 4}:
            sheet.line("Exercises", size=14, bold=True, right=160)
        for place in range(4):
            sheet.paragraph(prose(10 * number + place), gap=4)
        sheets.append(sheet)
    assert headings(read(*sheets)) == [("Exercises",), ("Exercises",)]


def test_a_heading_on_top_of_the_page_of_its_own_number_stays():
    names = {2: "2 Method", 3: "3 Data", 5: "5 Outlook"}
    for head, foot in (("", "{n}"), ("", ""), ("A journal {n}", "")):
        sheets = pages(8, head, foot)
        for number, name in names.items():
            lines = sheets[number - 1].page.lines
            look = {"top": 56.0, "bottom": 68.0, "size": 12.0, "bold": True, "right": 160.0, "block": 0}
            lines.insert(1 if head else 0, replace(lines[1], text=name, **look))
        assert headings(read(*sheets)) == [("2 Method",), ("3 Data",), ("5 Outlook",)]


def test_a_document_that_comes_twice_in_one_file_stays_whole():
    sheets = [*pages(6, "A head", "{n}"), *pages(6, "A head", "{n}")]
    for number, sheet in enumerate(sheets, 1):
        sheet.page.number = number
    assert paragraphs(read(*sheets)) == body(6) * 2


def test_numbers_that_end_the_text_of_a_page_stay():
    sheets = pages(5)
    for sheet, year in zip(sheets, (1987, 1990, 1999, 2003, 2010), strict=True):
        sheet.line(f"and so it was in {year}", right=200)
    text = read(*sheets).text
    assert [year for year in (1987, 1990, 1999, 2003, 2010) if f"so it was in {year}" in text] == [
        1987,
        1990,
        1999,
        2003,
        2010,
    ]


def test_line_numbers_of_a_manuscript_go():
    sheets = pages(3)
    count = 0
    for sheet in sheets:
        numbers: list[TextLine] = []
        for line in sheet.page.lines:
            count += 1
            cell = [Cell(start=0, end=3, left=40, right=50)]
            numbers.append(
                TextLine(
                    text=str(count), left=40, top=line.top, right=50, bottom=line.bottom, size=6, block=50, cells=cell
                )
            )
        sheet.page.lines += numbers
    assert paragraphs(read(*sheets)) == body(3)


def test_a_stamp_up_the_margin_goes():
    sheets = pages(1)
    stamp = TextLine(
        text="arXiv:2101.00001v2 [cs.CL]", left=12, top=200, right=32, bottom=560, size=20, block=9, turned=True
    )
    sheets[0].page.lines.append(stamp)
    assert paragraphs(read(*sheets)) == body(1)


def test_a_publishers_notice_at_the_foot_of_the_first_page_goes():
    sheets = pages(2)
    sheets[0].at("Proceedings of the 9th Conference on Words, pages 1-9. ©2020 The Society", top=740)
    assert paragraphs(read(*sheets)) == body(2)


# --- paragraphs ---


def test_lines_become_paragraphs_by_indent_and_by_gap():
    sheet = Sheet()
    for seed, gap in ((1, 0), (2, 0), (3, 8)):
        sheet.paragraph(prose(seed), gap=gap)
    assert paragraphs(read(sheet)) == [prose(1), prose(2), prose(3)]


def test_a_paragraph_goes_on_behind_a_float_a_footnote_and_the_end_of_the_page():
    one, two = Sheet(1), Sheet(2)
    one.paragraph(prose(1))
    words = prose(2, 60).split()
    one.line(" ".join(words[:20]), left=LEFT + 15)
    one.line(" ".join(words[20:40]))
    one.top = 700
    one.line("1 A note that explains it.", size=8, gap=20, raised=[(0, 1)], right=200)
    two.line("Figure 1: What it looks like.", size=9, right=250)
    two.line(" ".join(words[40:]), gap=30, right=400)
    two.paragraph(prose(3))
    text = read(one, two)
    assert paragraphs(text) == [
        prose(1),
        prose(2, 60),
        "1 A note that explains it.",
        "Figure 1: What it looks like.",
        prose(3),
    ]
    assert regions(text, "footnote") == ["1 A note that explains it."]
    assert regions(text, "caption") == ["Figure 1: What it looks like."]


def test_a_new_paragraph_on_the_next_page_stays_one():
    one, two = Sheet(1), Sheet(2)
    one.paragraph(prose(1))
    two.paragraph(prose(2))
    assert paragraphs(read(one, two)) == [prose(1), prose(2)]


def test_hyphens_at_the_end_of_lines():
    cases = {
        ("the net-", "work grows"): "the network grows",
        ("a state-of-the-", "art model"): "a state-of-the-art model",
        ("from Jean-", "Paul himself"): "from Jean-Paul himself",
        ("the COVID-", "19 data"): "the COVID-19 data",
        ("a 3-", "dimensional space"): "a 3-dimensional space",
        ("of BERT-", "based models"): "of BERT-based models",
        ("some self-", "attention here"): "some self-attention here",
        ("soft\u00ad", "ware and hard\u00adware"): "software and hardware",
        ("see https://example.org/a-", "b/c for it"): "see https://example.org/a-b/c for it",
        ("and so —", "it was"): "and so — it was",
        ("unglei-", "chung ist"): "ungleichung ist",
    }
    for (above, below), expected in cases.items():
        sheet = Sheet()
        sheet.line("A network has a state-of-the-art layer and attention everywhere in it,")
        sheet.line(above)
        sheet.line(below, right=200)
        assert read(sheet).text == f"A network has a state-of-the-art layer and attention everywhere in it, {expected}"


def test_chinese_lines_are_joined_without_a_space():
    sheet = Sheet()
    for text in ("本文提出一种基于知识的检索", "方法，并在 BERT", "上进行了实验。"):
        sheet.line(text)
    assert read(sheet).text == "本文提出一种基于知识的检索方法，并在 BERT 上进行了实验。"


def test_items_stand_one_a_line():
    sheet = Sheet()
    sheet.paragraph("There are two things that we do in this work here and now:", lines=2)
    sheet.line("• The first of them is long and needs", gap=3, left=90)
    sheet.line("two lines.", left=100, right=150)
    sheet.line("• The second.", gap=3, left=90, right=170)
    sheet.paragraph(prose(1), gap=5)
    intro = "There are two things that we do in this work here and now:"
    assert paragraphs(read(sheet)) == [
        intro,
        "• The first of them is long and needs two lines.\n• The second.",
        prose(1),
    ]


# --- tables, captions ---


def test_rows_read_with_the_names_of_their_columns():
    sheet = Sheet()
    sheet.line("Table 1. Scores on two tasks.", size=9, right=260)
    sheet.row("Model", "Accuracy", "F1", gap=4)
    sheet.row("BERT", "84.1", "79.2")
    sheet.row("Ours", "90.3", "88.8")
    sheet.paragraph(prose(1), gap=20)
    text = read(sheet)
    assert regions(text, "caption") == ["Table 1. Scores on two tasks."]
    rows = "Model | Accuracy | F1\nModel: BERT; Accuracy: 84.1; F1: 79.2\nModel: Ours; Accuracy: 90.3; F1: 88.8"
    assert regions(text, "table") == [rows]
    assert paragraphs(text)[-1] == prose(1)


def test_a_sentence_about_a_figure_is_no_caption():
    sheet = Sheet()
    sheet.paragraph("Figure 3 shows that the measure goes up with every token that is read by it.", lines=2)
    sheet.line("图1展示了结果。", gap=10, right=200)
    text = read(sheet)
    assert regions(text, "caption") == []


def test_captions_in_many_styles():
    for caption in (
        "Fig. 3. A view.",
        "TABLE IV",
        "Table S2 | More.",
        "图 1 系统结构",
        "Algorithm 2: Search",
        "Figure A.1: More.",
    ):
        sheet = Sheet()
        sheet.paragraph(prose(1))
        sheet.line(caption, size=9, gap=14, right=220)
        sheet.paragraph(prose(2), gap=14)
        assert regions(read(sheet), "caption") == [caption]


# --- the text and its places ---


def test_every_character_points_at_its_line():
    sheets = pages(3, "A head {n}")
    lines = {(sheet.page.number, line.top): line for sheet in sheets for line in sheet.page.lines}
    text = read(*sheets)
    assert len(text.layout.lines) == len(lines) - 3  # without the heads
    for line in text.layout.lines:
        shown = lines[line.box.page, line.box.top]
        assert (text.text[line.start : line.end], line.box.left, line.box.right) == (
            shown.text,
            shown.left,
            shown.right,
        )


def test_a_broken_word_belongs_to_its_first_line_up_to_the_hyphen():
    sheet = Sheet()
    sheet.line("We know what a network is, and so this net-")
    sheet.line("work is one.", right=150)
    text = read(sheet)
    assert [text.text[line.start : line.end] for line in text.layout.lines] == [
        "We know what a network is, and so this net",
        "work is one.",
    ]


def test_pages_begin_where_their_text_begins():
    sheets = pages(3)
    sheets.insert(1, Sheet(2))
    for number, sheet in enumerate(sheets, 1):
        sheet.page.number = number
    text = read(*sheets)
    starts = [page.start for page in text.layout.pages]
    assert [text.text[start:].split()[0] for start in starts] == [
        "Sentence10",
        "Sentence20",
        "Sentence20",
        "Sentence30",
    ]


def test_no_page_gives_no_text():
    assert read().text == ""
    assert read(Sheet()).text == ""


def ordered(spans: Sequence[tuple[int, int]]) -> bool:
    return all(one[1] <= other[0] for one, other in pairwise(spans))


def test_whatever_the_lines_nothing_is_lost_but_furniture_and_all_is_in_order():
    chance = random.Random(7)
    beginnings = [
        "",
        "1 ",
        "• ",
        "Table 1: ",
        "[3] ",
        "References",
        "Contents",
        "Abstract",
        "A.1 ",
        "图 2 ",
        "—",
        "1: ",
    ]
    for _ in range(60):
        sheets: list[Sheet] = []
        for number in range(1, chance.randint(2, 5)):
            sheet = Sheet(number)
            for _ in range(chance.randint(0, 25)):
                text = chance.choice(beginnings) + " ".join(chance.choices(WORDS, k=chance.randint(0, 9)))
                sheet.block += chance.random() < 0.2
                more = {"size": chance.choice([7, 10, 10, 10, 14]), "bold": chance.random() < 0.2}
                sheet.line(text, gap=chance.choice([0, 0, 0, 9]), right=chance.randint(100, 540), **more)
            sheets.append(sheet)
        text = read(*sheets)
        assert ordered([(region.start, region.end) for region in text.regions])
        assert ordered([(line.start, line.end) for line in text.layout.lines])
        assert ordered([(section.heading, section.start) for section in text.sections])
        assert all(0 <= line.start < line.end <= len(text.text) for line in text.layout.lines)
        assert "\n\n\n" not in text.text
