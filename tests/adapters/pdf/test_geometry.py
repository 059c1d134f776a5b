"""Characters, words and lines of a page: what pdfium gives, put right."""

from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf.extract import Pages, extract, read_glyphs
from scholarmind.adapters.readers.pdf.lines import as_read, plain
from scholarmind.adapters.readers.pdf.page import TextPage

WIDTH, HEIGHT = 400, 600


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., TextPage]:
    def made(
        draw: Callable[[Canvas], object], size: tuple[float, float] = (WIDTH, HEIGHT), **options: object
    ) -> TextPage:
        path = tmp_path / "page.pdf"
        canvas = Canvas(str(path), pagesize=size, **options)
        canvas.setFont("Times-Roman", 10)
        draw(canvas)
        canvas.showPage()
        canvas.save()
        document = pdfium.PdfDocument(path)
        try:
            return extract(document, 0)
        finally:
            document.close()

    return made


def texts(page: TextPage) -> list[str]:
    return [line.text for line in page.lines]


def test_box_size_and_style_of_a_line(page):
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Bold", 14)
        canvas.drawString(50, 500, "Heading")
        canvas.setFont("Times-Italic", 10)
        canvas.drawString(50, 480, "slanted words")

    heading, words = page(draw).lines
    assert (heading.text, heading.size, heading.bold, heading.italic) == ("Heading", 14, True, False)
    assert (words.text, words.size, words.bold, words.italic) == ("slanted words", 10, False, True)
    assert (heading.left, round(heading.right)) == (50, 101)
    assert heading.top < HEIGHT - 500 < heading.bottom < words.top < HEIGHT - 480 < words.bottom


def test_spaces_come_from_distance_where_the_file_has_none(page):
    def draw(canvas: Canvas) -> None:
        x = 50.0
        for word in "words without any spaces between".split():
            canvas.drawString(x, 500, word)
            x += canvas.stringWidth(word) + 2.2

    assert texts(page(draw)) == ["words without any spaces between"]


def test_words_drawn_in_any_order_are_read_from_left_to_right(page):
    def draw(canvas: Canvas) -> None:
        for x, word in ((150, "third"), (50, "first"), (100, "second")):
            canvas.drawString(x, 500, word)

    assert texts(page(draw)) == ["first second third"]


def test_letters_set_apart_are_one_word(page):
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "ABSTRACT", charSpace=3)
        canvas.drawString(50, 480, "RELATED WORK", charSpace=2)

    assert texts(page(draw)) == ["ABSTRACT", "RELATED WORK"]


def test_superscripts_and_subscripts_stay_in_their_line(page):
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "shown before")
        canvas.setFont("Times-Roman", 6)
        canvas.drawString(101, 503.5, "12")
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(112, 500, "and x")
        canvas.setFont("Times-Roman", 6)
        canvas.drawString(134, 498, "i")

    (line,) = page(draw).lines
    assert line.text == "shown before12 and xi"
    assert [line.text[start:end] for start, end in line.raised] == ["12"]


def test_a_large_initial_begins_its_word(page):
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 30)
        canvas.drawString(50, 488, "T")
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(69, 500, "HIS text begins with an initial")
        canvas.drawString(69, 488, "that is two lines high and then")
        canvas.drawString(50, 476, "goes on below it as any other.")

    assert texts(page(draw)) == [
        "THIS text begins with an initial",
        "that is two lines high and then",
        "goes on below it as any other.",
    ]


def test_a_lowered_letter_of_a_large_title_stays_in_it(page):
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 24)
        canvas.drawString(50, 540, "T")
        canvas.drawString(62, 535, "E")
        canvas.drawString(75, 540, "X by hand")
        canvas.setFont("Times-Roman", 10)
        for number in range(5):
            canvas.drawString(50, 500 - 12 * number, "a paragraph of usual text below the title")

    assert texts(page(draw))[0] == "TEX by hand"


def test_text_printed_over_itself_is_read_once(page):
    def draw(canvas: Canvas) -> None:
        for shift in (0, 0.25, 0.5):
            canvas.drawString(50 + shift, 500, "bold bookkeeper")

    assert texts(page(draw)) == ["bold bookkeeper"]


def test_what_is_outside_of_the_crop_box_is_not_there_and_boxes_count_from_it(page):
    def draw(canvas: Canvas) -> None:
        canvas.setCropBox((40, 100, 400, 560))
        canvas.drawString(50, 500, "inside")
        canvas.drawString(50, 580, "above")
        canvas.drawString(5, 500, "left")

    found = page(draw)
    assert texts(found) == ["inside"]
    assert (found.width, found.height, found.lines[0].left) == (360, 460, 10)
    assert found.lines[0].top < 60 < found.lines[0].bottom


def test_invisible_text_is_read(page):
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(50, 500)
        text.setTextRenderMode(3)
        text.textLine("seen by a scanner")
        canvas.drawText(text)

    assert texts(page(draw)) == ["seen by a scanner"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_with_a_rotation_is_read_as_it_is_shown(page, turn):
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(turn)  # reportlab exchanges the sides of the page for 90 and 270
        if turn == 90:
            canvas.translate(HEIGHT, 0)
        elif turn == 180:
            canvas.translate(WIDTH, HEIGHT)
        else:
            canvas.translate(0, WIDTH)
        canvas.rotate(turn if turn != 270 else -90)
        canvas.drawString(50, 500, "first line")
        canvas.drawString(50, 480, "second line")

    found = page(draw)
    assert texts(found) == ["first line", "second line"]
    assert (found.width, found.height, found.turned) == (WIDTH, HEIGHT, 0)
    assert round(found.lines[0].left) == 50
    assert found.lines[0].top < 100 < found.lines[0].bottom


def test_a_page_that_lies_on_its_side_is_turned_upright(page):
    def draw(canvas: Canvas) -> None:
        canvas.translate(HEIGHT, 0)
        canvas.rotate(90)
        canvas.drawString(50, 500, "lying as it is shown")
        canvas.drawString(50, 480, "and read like any other")

    found = page(draw, (HEIGHT, WIDTH))
    assert texts(found) == ["lying as it is shown", "and read like any other"]
    assert (found.width, found.height, found.turned) == (WIDTH, HEIGHT, 1)


def test_a_stamp_on_the_margin_is_one_line_at_the_end(page):
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(20, 200)
        canvas.rotate(90)
        canvas.drawString(0, 0, "arXiv:1234.56789v1  [cs.CL]  1 Apr 2020")
        canvas.restoreState()
        for number in range(6):
            canvas.drawString(50, 500 - 12 * number, f"line {number} of a paper")

    found = page(draw)
    stamp = found.lines[-1]
    assert (stamp.text, stamp.turned) == ("arXiv:1234.56789v1 [cs.CL] 1 Apr 2020", True)
    assert stamp.left < 20 < stamp.right < 30
    assert round(stamp.bottom) == HEIGHT - 200
    assert stamp.block not in {line.block for line in found.lines[:-1]}


def test_text_askew_is_kept(page):
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "upright")
        canvas.translate(200, 200)
        canvas.rotate(45)
        canvas.drawString(0, 0, "DRAFT copy")

    assert texts(page(draw)) == ["upright", "DRAFT copy"]


def test_accents_drawn_by_themselves_are_put_on_their_letters(page):
    def draw(canvas: Canvas) -> None:
        canvas.drawString(50, 500, "G odel")
        canvas.drawString(50 + canvas.stringWidth("G ") + 0.8, 500, "\u00a8")
        canvas.drawString(50, 480, "`code` ^ ~ stays")

    assert texts(page(draw)) == ["G ödel", "`code` ^ ~ stays"]


def test_rows_of_a_table_are_lines_with_cells(page):
    def draw(canvas: Canvas) -> None:
        for row, cells in enumerate((("Model", "Score", "Time"), ("Large one", "91.2", "12"))):
            for column, cell in enumerate(cells):
                canvas.drawString(50 + 90 * column, 500 - 12 * row, cell)

    lines = page(draw).lines
    assert [[line.text[cell.start : cell.end] for cell in line.cells] for line in lines] == [
        ["Model", "Score", "Time"],
        ["Large one", "91.2", "12"],
    ]
    assert [cell.left for cell in lines[1].cells] == [50, 140, 230]


def test_han_characters_have_no_spaces_between(page):
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        canvas.setFont("STSong-Light", 10)
        for place, character in enumerate("本文提出一种方法"):
            canvas.drawString(50 + 11.5 * place, 500, character)

    found = texts(page(draw))
    if not found:  # such a font is not in the file: it is the system's
        pytest.skip("no font of this system has Chinese characters; 'make debian' installs one")
    assert found == ["本文提出一种方法"]


def test_share_of_pictures(page):
    def draw(canvas: Canvas) -> None:
        from PIL import Image

        canvas.drawImage(ImageReader(Image.new("RGB", (4, 4), "red")), 0, 0, WIDTH / 2, HEIGHT / 2)

    assert page(draw).pictures == 0.25


def test_an_empty_page_has_no_lines(page):
    found = page(lambda canvas: canvas.line(0, 0, 9, 9))
    assert (found.lines, found.unreadable, found.cut) == ([], 0.0, False)


def test_more_characters_than_are_read_are_cut_and_told(page, tmp_path):
    assert page(lambda canvas: canvas.drawString(50, 500, "abcdefgh")).cut is False
    with pdfium.PdfDocument(tmp_path / "page.pdf") as document:
        text = document[0].get_textpage()
        found = read_glyphs(text.raw, most=4)
        text.close()
    assert ("".join(map(chr, found.code)), found.cut) == ("abcd", True)


def test_a_page_of_more_characters_than_are_asked_about_at_once(page):
    rows = [f"{number:03} " + "many small words on a large sheet " * 4 for number in range(80)]

    def draw(canvas: Canvas) -> None:
        for number, text in enumerate(rows):
            canvas.drawString(50, 1100 - 12 * number, text.strip())

    assert texts(page(draw, (900, 1200))) == [text.strip() for text in rows]


def test_pages_of_a_document(tmp_path):
    path = tmp_path / "two.pdf"
    canvas = Canvas(str(path))
    for number in (1, 2):
        canvas.drawString(50, 500, f"page {number}")
        canvas.showPage()
    canvas.save()
    document = pdfium.PdfDocument(path)
    with Pages(document) as pages:
        found = [pages.extract(index) for index in (0, 1)]
    document.close()
    assert [(page.number, texts(page)) for page in found] == [(1, ["page 1"]), (2, ["page 2"])]


def test_right_to_left_lines_are_read_from_the_right():
    seen = list("123 :" + "שלום עולם"[::-1])
    assert "".join(as_read(seen, leftwards=True)) == "שלום עולם: 123"


def test_words_of_the_other_direction_keep_their_order():
    seen = [*"the word ", *"שלום"[::-1], *" means peace"]
    assert "".join(as_read(seen, leftwards=False)) == "the word שלום means peace"


def test_letters_are_composed_and_shapes_are_letters():
    assert plain("o\u0308 \ufb03 \ufefb \u2f08 \u2edd\u2ee2") == "ö ffi لا 人 食马"
