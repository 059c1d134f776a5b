"""The reader of PDF, over files that reportlab writes."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf.page import Cell, TextLine
from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader
from scholarmind.errors import ReadError
from scholarmind.model import Headway, Problem, Reading

WIDTH, HEIGHT = 612, 792
READER = PdfReader(max_bytes=10_000_000)
SENTENCE = "The measure of a method is what it says about samples that nobody has seen before, and little else. "


def written(path: Path, *pages: Callable[[Canvas], None], encrypt: StandardEncryption | None = None) -> Path:
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), encrypt=encrypt)
    canvas.setTitle("A Study of Small Samples")
    canvas.setAuthor("Ada Lovelace")
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def text(*lines: str, top: float = 72) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        for place, line in enumerate(lines):
            canvas.setFont("Helvetica", 10)
            canvas.drawString(72, HEIGHT - top - 12 * place, line)

    return draw


def scan(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.new("L", (200, 260), 128)), 0, 0, WIDTH, HEIGHT)


def blank(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)


def paper(canvas: Canvas) -> None:
    """One column of a paper with all that papers have."""
    top = HEIGHT - 80.0

    def put(words: str, size: float = 10, bold: bool = False, gap: float = 0, left: float = 72) -> None:
        nonlocal top
        top -= gap + 1.2 * size
        canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        canvas.drawString(left, top, words)

    put("A Study of Small Samples", 18, left=190)
    put("Ada Lovelace", 12, gap=6, left=260)
    put("Abstract", 12, bold=True, gap=12)
    for _ in range(4):
        put(SENTENCE)
    put("1 Introduction", 12, bold=True, gap=10)
    for _ in range(4):
        put(SENTENCE)
    put("References", 12, bold=True, gap=10)
    put("[1] C. Babbage. On engines. Journal of Engines, 1837.", 9)
    put("[2] G. Boole. The laws of thought. Walton, 1854.", 9)


def only(path: Path, reader: PdfReader = READER) -> Reading:
    found = [one for one in reader.read(path) if not isinstance(one, Headway)]
    assert [type(one) for one in found] == [Reading]
    assert isinstance(found[0], Reading)
    return found[0]


def problems(path: Path, reader: PdfReader = READER) -> list[Problem]:
    return [found for found in reader.read(path) if isinstance(found, Problem)]


def refused(path: Path, reader: PdfReader = READER) -> str:
    with pytest.raises(ReadError) as caught:
        list(reader.read(path))
    return caught.value.reason


def test_a_paper_is_read_with_its_sections_facts_and_places(tmp_path: Path):
    reading = only(written(tmp_path / "paper.pdf", paper))
    document = reading.document
    assert (document.title, document.authors, document.kind) == ("A Study of Small Samples", ("Ada Lovelace",), "paper")
    assert document.id.startswith("paper-")
    assert document.origin == str(tmp_path / "paper.pdf")
    assert [section.path for section in reading.sections] == [("Abstract",), ("1 Introduction",), ("References",)]
    assert [(region.kind, reading.text[region.start : region.end].count("\n")) for region in reading.regions] == [
        ("references", 1)
    ]
    assert reading.layout is not None
    place = reading.text.index("[2] G. Boole")
    box = reading.layout.boxes(place, place + 10)[0]
    assert (reading.layout.page_at(place), round(box.left)) == (1, 72)
    assert {fact.source for fact in reading.facts} >= {"first page", "document properties"}


def test_what_is_no_paper_is_a_document(tmp_path: Path):
    assert only(written(tmp_path / "letter.pdf", text(SENTENCE, SENTENCE))).document.kind == "document"


def test_pages_without_text_need_ocr(tmp_path: Path):
    path = written(tmp_path / "mixed.pdf", text(SENTENCE * 1, SENTENCE), scan, scan, text(SENTENCE, SENTENCE), scan)
    assert [(problem.reason, problem.lasting) for problem in problems(path)] == [
        ("pages 2-3, 5 have no text: they need OCR", True)
    ]
    assert "--ocr" in problems(path)[0].advice


def test_one_page_without_text_needs_ocr(tmp_path: Path):
    path = written(tmp_path / "mixed.pdf", text(SENTENCE, SENTENCE), scan)
    assert [problem.reason for problem in problems(path)] == ["page 2 has no text: it needs OCR"]


def test_a_file_of_scans_is_refused_and_not_empty(tmp_path: Path):
    assert refused(written(tmp_path / "scan.pdf", scan, scan)) == "it needs OCR: none of its 2 pages has text"


def test_a_scan_with_a_stamp_on_it_is_still_a_scan(tmp_path: Path):
    def stamped(canvas: Canvas) -> None:
        scan(canvas)
        text("Scanned 2004")(canvas)

    path = written(tmp_path / "stamped.pdf", text(SENTENCE, SENTENCE), stamped)
    assert [problem.reason for problem in problems(path)] == ["page 2 has no text: it needs OCR"]


def test_a_blank_page_is_no_problem(tmp_path: Path):
    reading = only(written(tmp_path / "blank.pdf", text(SENTENCE, SENTENCE), blank, text(SENTENCE, SENTENCE)))
    assert reading.layout is not None
    assert [page.number for page in reading.layout.pages] == [1, 2, 3]


class Eyes:
    """Recognises the same words on every page."""

    def lines(self, document: object, index: int) -> list[TextLine]:
        words = f"Seen on page {index + 1}."
        cells = [Cell(start=0, end=len(words), left=72, right=200)]
        return [TextLine(text=words, left=72, top=200, right=200, bottom=210, size=10, cells=cells)]


def test_scans_are_recognised_where_that_is_wanted(tmp_path: Path):
    path = written(tmp_path / "mixed.pdf", text(SENTENCE, SENTENCE), scan)
    reading = only(path, PdfReader(max_bytes=10_000_000, ocr=Eyes()))  # type: ignore[arg-type]
    assert reading.text.endswith("Seen on page 2.")
    assert reading.layout is not None
    assert reading.layout.page_at(reading.text.index("Seen")) == 2


class Blind:
    def lines(self, document: object, index: int) -> list[TextLine]:
        raise ReadError("tesseract said no", "look at the page")


def test_a_page_that_cannot_be_recognised_is_told_and_the_rest_is_read(tmp_path: Path):
    path = written(tmp_path / "mixed.pdf", text(SENTENCE, SENTENCE), scan)
    found = problems(path, PdfReader(max_bytes=10_000_000, ocr=Blind()))  # type: ignore[arg-type]
    assert [(problem.where, problem.reason) for problem in found] == [
        (f"{path}, page 2", "not read: tesseract said no")
    ]


def test_more_pages_than_allowed_are_told(tmp_path: Path):
    words = ("first", "second", "third", "fourth", "fifth")
    path = written(tmp_path / "long.pdf", *[text(SENTENCE, f"So ends the {word} of them.") for word in words])
    reader = PdfReader(max_bytes=10_000_000, max_pages=3)
    assert [(problem.reason, problem.lasting) for problem in problems(path, reader)] == [
        ("it has 5 pages, the first 3 were read", True)
    ]
    reading = next(found for found in reader.read(path) if isinstance(found, Reading))
    assert "So ends the third" in reading.text
    assert "fourth" not in reading.text
    assert "SCHOLARMIND_MAX_PAGES" in problems(path, reader)[0].advice


def test_how_far_it_is_is_told_page_by_page(tmp_path: Path):
    path = written(tmp_path / "long.pdf", *[text(SENTENCE, f"So ends page {word}.") for word in ("one", "two", "six")])
    found = list(READER.read(path))
    assert [one for one in found if isinstance(one, Headway)] == [Headway(done=done, total=3) for done in range(4)]
    assert isinstance(found[-1], Reading)


def test_an_encrypted_file_says_so(tmp_path: Path):
    path = written(tmp_path / "secret.pdf", text(SENTENCE), encrypt=StandardEncryption("open sesame", strength=128))
    assert refused(path) == "it is encrypted and needs a password"


def test_a_file_that_is_encrypted_without_a_password_is_read(tmp_path: Path):
    path = written(
        tmp_path / "free.pdf", text(SENTENCE), encrypt=StandardEncryption("", ownerPassword="mine", canPrint=0)
    )
    assert only(path).text == SENTENCE.strip()


def test_broken_files_say_what_they_are(tmp_path: Path):
    whole = written(tmp_path / "whole.pdf", text(SENTENCE)).read_bytes()
    cases = {
        "cut.pdf": (whole[:200], "it is broken or cut short"),
        "page.pdf": (b"<html><body>Not found</body></html>", "it is not a PDF"),
        "empty.pdf": (b"", "it is empty"),
    }
    for name, (content, reason) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert refused(path).startswith(reason), name


def sized(path: Path, share: float, whole: bytes) -> Path:
    """Write the beginning of a file, as a download that broke off leaves it."""
    path.write_bytes(whole[: int(len(whole) * share)])
    return path


def numbered(count: int) -> list[Callable[[Canvas], None]]:
    return [text(SENTENCE, f"Here page {number} ends at word {number * 7919}.") for number in range(1, count + 1)]


def test_a_file_without_its_end_is_read_as_far_as_it_goes(tmp_path: Path):
    path = written(tmp_path / "whole.pdf", *numbered(30))
    whole, complete = path.read_bytes(), only(path).text
    pages: list[int] = []
    for share in (0.995, 0.97, 0.9, 0.8, 0.7, 0.6):
        found = list(READER.read(sized(tmp_path / "cut.pdf", share, whole)))
        problem = next(one for one in found if isinstance(one, Problem))
        reading = next(one for one in found if isinstance(one, Reading))
        told = re.fullmatch(r"it is cut short; (\d+) pages could be read", problem.reason)
        assert told, share
        assert problem.lasting
        pages.append(int(told[1]))
        assert reading.text.count("Here page") in {pages[-1], pages[-1] - 1}  # half of the last may be lost
        assert complete.startswith(reading.text[: reading.text.rindex("Here page")])
    assert pages == sorted(pages, reverse=True)
    assert (pages[0], pages[-1] < 20) == (30, True)


def test_a_file_without_its_end_is_read_right_or_not_at_all(tmp_path: Path):
    """In what pdfTeX writes, the fonts come last: a text without them would be another one."""
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex")
    leaves = "\\newpage ".join(f"Here efficient page {number} is official and filed." for number in range(1, 9))
    (tmp_path / "a.tex").write_text(rf"\documentclass{{article}}\begin{{document}}{leaves}\end{{document}}")
    subprocess.run(["pdflatex", "-interaction=batchmode", "a.tex"], cwd=tmp_path, check=True, capture_output=True)
    whole, complete = (tmp_path / "a.pdf").read_bytes(), only(tmp_path / "a.pdf").text
    texts: list[str] = []
    reasons: set[str] = set()
    for share in (0.9985, 0.98, 0.9, 0.5, 0.2):
        try:
            found = list(READER.read(sized(tmp_path / "cut.pdf", share, whole)))
            texts += [one.text for one in found if isinstance(one, Reading)]
        except ReadError as error:
            reasons.add(error.reason.partition(" (")[0])
    assert (set(texts), reasons) == ({complete}, {"it is broken or cut short"})


def test_a_locked_file_without_its_end_is_refused(tmp_path: Path):
    whole = written(tmp_path / "locked.pdf", *numbered(9), encrypt=StandardEncryption("", strength=128)).read_bytes()
    assert refused(sized(tmp_path / "cut.pdf", 0.97, whole)).startswith("it is broken or cut short")


def test_a_file_without_pages_is_refused(tmp_path: Path):
    empty = pypdfium2.PdfDocument.new()
    empty.save(tmp_path / "none.pdf")
    empty.close()
    assert refused(tmp_path / "none.pdf") == "it has no pages"


def test_a_file_over_the_limit_is_refused(tmp_path: Path):
    path = written(tmp_path / "large.pdf", text(SENTENCE))
    assert refused(path, PdfReader(max_bytes=100)).startswith("it has 0 MB, the limit is 0 MB")


def test_names_that_are_not_utf8_are_read(tmp_path: Path):
    path = written(tmp_path / "plain.pdf", text(SENTENCE)).rename(tmp_path / "na\udcffme.pdf")
    assert only(path).text == SENTENCE.strip()


def test_the_outline_of_a_file_makes_headings(tmp_path: Path):
    def page(canvas: Canvas) -> None:
        text(
            *[SENTENCE] * 3, "Of quiet things", *[SENTENCE] * 3, "On loud ones", *[SENTENCE] * 3, "To the end", SENTENCE
        )(canvas)
        for place, name in enumerate(("Of quiet things", "On loud ones", "To the end")):
            canvas.bookmarkPage(str(place))
            canvas.addOutlineEntry(name, str(place), level=min(place, 1))

    reading = only(written(tmp_path / "outline.pdf", page))
    assert [section.path for section in reading.sections] == [
        ("Of quiet things",),
        ("Of quiet things", "On loud ones"),
        ("Of quiet things", "To the end"),
    ]


def test_mutilated_files_end_as_text_or_as_a_reason(tmp_path: Path):
    whole = bytearray(written(tmp_path / "whole.pdf", paper, scan).read_bytes())
    path = tmp_path / "mutilated.pdf"
    reasons: list[str] = []
    kinds: set[type] = set()
    for place in range(0, len(whole), max(1, len(whole) // 80)):
        content = bytearray(whole)
        content[place : place + 8] = b"\xff\x00<<[9 0 "
        path.write_bytes(content)
        try:
            found = list(READER.read(path))
        except ReadError as error:
            reasons.append(error.reason)
        else:
            kinds |= {type(one) for one in found}
    assert kinds == {Headway, Reading, Problem}
    assert all(reasons)


def test_the_first_page_of_a_manuscript_is_read_without_its_line_numbers(tmp_path: Path) -> None:
    rows = [("Walkers and Deer in the Hills", 16), ("Mairi Stenhouse, Olaf Brandvik", 11), *[(SENTENCE[:80], 10)] * 20]

    def numbered(canvas: Canvas) -> None:
        for place, (words, size) in enumerate(rows):
            top = HEIGHT - 72 - 20 * place
            canvas.setFont("Helvetica", 7)
            canvas.drawString(50, top, str(place + 1))
            canvas.setFont("Helvetica", size)
            canvas.drawString(80, top, words)

    path = tmp_path / "manuscript.pdf"
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    numbered(canvas)
    canvas.save()
    (found,) = (item for item in READER.read(path) if isinstance(item, Reading))
    assert found.document.title == "Walkers and Deer in the Hills"
    assert found.document.authors == ("Mairi Stenhouse", "Olaf Brandvik")
