"""Scans: pages that are nothing but a picture. Read with the tesseract of this machine, or not at all."""

import dataclasses
import io
import shutil
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf.ocr import Tesseract
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.errors import ReadError

WIDTH, HEIGHT = 420, 300
DROID = Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf")
found = Tesseract.find()
pytestmark = pytest.mark.skipif(found is None, reason="tesseract is not installed")


@pytest.fixture
def tesseract() -> Tesseract:
    assert found is not None
    return found


class Sheet:
    """A page that is written, and then kept as a picture of itself only."""

    def __init__(self) -> None:
        self.file = io.BytesIO()
        self.canvas = Canvas(self.file, pagesize=(WIDTH, HEIGHT))

    def write(self, x: float, down: float, text: str, size: float = 10, font: str = "Times-Roman") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, HEIGHT - down, text)

    def scanned(self, path: Path, rotate: int = 0) -> pypdfium2.PdfDocument:
        self.canvas.showPage()  # reportlab leaves out a page that has nothing on it
        self.canvas.save()
        with pypdfium2.PdfDocument(self.file.getvalue()) as written:
            picture = written[0].render(scale=200 / 72, rotation=-rotate % 360).to_pil()
        size = (HEIGHT, WIDTH) if rotate else (WIDTH, HEIGHT)
        scan = Canvas(str(path), pagesize=size)
        scan.setPageRotation(rotate)
        scan.drawImage(ImageReader(picture), 0, 0, *size)
        scan.save()
        return pypdfium2.PdfDocument(path)


def texts(lines: list[TextLine]) -> list[str]:
    return [line.text for line in lines]


def test_lines_of_a_scan_come_with_their_boxes_in_points(tesseract: Tesseract, tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.write(40, 60, "Measured rainfall in the northern valleys")
    sheet.write(40, 75, "was higher than in any year before.")

    lines = tesseract.lines(sheet.scanned(tmp_path / "scan.pdf"), 0)

    assert texts(lines) == ["Measured rainfall in the northern valleys", "was higher than in any year before."]
    assert [round(line.left) for line in lines] == [40, 40]
    right = 40 + pdfmetrics.stringWidth("Measured rainfall in the northern valleys", "Times-Roman", 10)
    assert lines[0].right == pytest.approx(right, abs=1.5)
    assert 50 < lines[0].top < lines[0].bottom < 65
    assert lines[0].size == pytest.approx(10, abs=1)
    assert [(cell.start, cell.end) for cell in lines[0].cells] == [(0, len(lines[0].text))]


def test_a_scan_that_the_file_turns_is_read_upright(tesseract: Tesseract, tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.write(40, 60, "Measured rainfall in the northern valleys")

    lines = tesseract.lines(sheet.scanned(tmp_path / "turned.pdf", rotate=90), 0)

    assert texts(lines) == ["Measured rainfall in the northern valleys"]
    assert (round(lines[0].left), round(lines[0].bottom)) == (40, 62)


def test_two_columns_are_two_blocks_one_after_the_other(tesseract: Tesseract, tmp_path: Path) -> None:
    sheet = Sheet()
    left = [
        "The first column tells of rivers",
        "that flow to the north through",
        "hills and woods until they meet.",
    ] * 4
    right = ["The second column goes on with", "lakes that lie in the south and", "are fed by rain alone."] * 4
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        sheet.write(40, 40 + 12 * number, one)
        sheet.write(220, 40 + 12 * number, other)

    lines = tesseract.lines(sheet.scanned(tmp_path / "columns.pdf"), 0)

    assert texts(lines) == left + right
    blocks = [line.block for line in lines]
    assert blocks == sorted(blocks)
    assert blocks[11] < blocks[12]


def test_a_heading_is_larger_than_its_text(tesseract: Tesseract, tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.write(40, 50, "Results", 16, "Times-Bold")
    for number in range(4):
        sheet.write(40, 80 + 12 * number, "a plain line of text about the weather in the hills")

    lines = tesseract.lines(sheet.scanned(tmp_path / "heading.pdf"), 0)

    assert lines[0].text == "Results"
    assert lines[0].size > 1.3 * lines[-1].size


def test_cells_of_a_table_are_told_apart(tesseract: Tesseract, tmp_path: Path) -> None:
    sheet = Sheet()
    for number, row in enumerate([("Model", "Recall"), ("baseline", "41.25"), ("improved", "57.80")]):
        sheet.write(40, 60 + 14 * number, row[0])
        sheet.write(130, 60 + 14 * number, row[1])

    lines = tesseract.lines(sheet.scanned(tmp_path / "table.pdf"), 0)

    words = [line.text[cell.start : cell.end] for line in lines for cell in line.cells]
    assert sorted(words) == sorted(["Model", "Recall", "baseline", "41.25", "improved", "57.80"])


@pytest.mark.skipif(not DROID.exists(), reason="no Chinese font to write the page with")
def test_chinese_is_read_without_spaces_between_characters(tesseract: Tesseract, tmp_path: Path) -> None:
    if "chi_sim" not in tesseract.languages:
        pytest.skip("tesseract has no chi_sim")
    pdfmetrics.registerFont(TTFont("Droid", str(DROID)))
    sheet = Sheet()
    sheet.write(40, 60, "机器翻译的质量在过去十年中有了很大的提高", 14, "Droid")

    lines = tesseract.lines(sheet.scanned(tmp_path / "chinese.pdf"), 0)

    assert texts(lines) == ["机器翻译的质量在过去十年中有了很大的提高"]


def test_an_empty_page_has_no_lines(tesseract: Tesseract, tmp_path: Path) -> None:
    assert tesseract.lines(Sheet().scanned(tmp_path / "empty.pdf"), 0) == []


def test_too_long_a_page_is_an_error_with_advice(tesseract: Tesseract, tmp_path: Path) -> None:
    hasty = dataclasses.replace(tesseract, seconds=0.001)

    with pytest.raises(ReadError, match=r"did not read page 1 within 0\.001 seconds"):
        hasty.lines(Sheet().scanned(tmp_path / "page.pdf"), 0)


def test_a_language_that_is_missing_is_an_error_with_advice(tesseract: Tesseract, tmp_path: Path) -> None:
    wrong = dataclasses.replace(tesseract, languages="xyz")

    with pytest.raises(ReadError, match="lists xyz"):
        wrong.lines(Sheet().scanned(tmp_path / "page.pdf"), 0)


def test_a_program_that_is_gone_is_an_error_with_advice(tesseract: Tesseract, tmp_path: Path) -> None:
    gone = dataclasses.replace(tesseract, program=str(tmp_path / "tesseract"))

    with pytest.raises(ReadError, match="could not be started"):
        gone.lines(Sheet().scanned(tmp_path / "page.pdf"), 0)


def test_a_page_that_is_not_there_is_an_error(tesseract: Tesseract, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="page 3 could not be turned into a picture"):
        tesseract.lines(Sheet().scanned(tmp_path / "page.pdf"), 2)


def test_only_installed_languages_are_used() -> None:
    some = Tesseract.find("tlh+eng")

    assert some is not None
    assert some.languages == "eng"


def test_without_the_program_there_is_nothing_to_find(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert shutil.which("tesseract") is None
    assert Tesseract.find() is None
