"""Documents of office programs: what is read of them, and what hostile ones cannot do."""

import io
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from scholarmind.adapters.readers.office import CsvReader, DocxReader, OdtReader, PptxReader, RtfReader, XlsxReader
from scholarmind.errors import ReadError
from scholarmind.library.references import with_lists
from scholarmind.model import Problem, Reading

LIMIT = 20_000_000
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def read(reader: Any, path: Path) -> tuple[Reading, list[str]]:
    """Return the one document and the reasons of the problems."""
    items = list(reader.read(path))
    readings = [item for item in items if isinstance(item, Reading)]
    assert len(readings) == 1
    assert all(item.lasting for item in items if isinstance(item, Problem))
    return readings[0], [item.reason for item in items if isinstance(item, Problem)]


def regions(reading: Reading, kind: str) -> list[str]:
    """Return the texts of the regions of a kind."""
    return [reading.text[region.start : region.end] for region in reading.regions if region.kind == kind]


def zipped(path: Path, parts: dict[str, str | bytes]) -> Path:
    """Write an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


# -- Word


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A Word file with everything that papers have."""
    document = docx.Document()
    document.core_properties.title = "Sparse retrieval in practice"
    document.core_properties.author = "Ada Lovelace; Alan Turing"
    document.add_paragraph("Sparse retrieval in practice", style="Title")
    document.add_heading("Introduction", 1)
    document.add_paragraph("Inverted lists are old. They are fast.")
    document.add_heading("Data", 2)
    document.add_paragraph("first item", style="List Bullet")
    document.add_paragraph("second item", style="List Bullet")
    document.add_paragraph("Table 1: Scores of models.", style="Caption")
    table = document.add_table(rows=3, cols=3)
    for row, values in enumerate((("Model", "F1", "Year"), ("BM25", "61.2", "1994"), ("SPLADE", "68.0", "2021"))):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    document.add_heading("References", 1)
    document.add_paragraph("[1] S. Robertson. Okapi at TREC-3. 1994.")
    path = tmp_path / "paper.docx"
    document.save(str(path))
    return path


def test_headings_lists_tables_captions_and_references_of_a_word_file(paper: Path) -> None:
    reading, told = read(DocxReader(LIMIT), paper)
    assert told == []
    assert [section.path for section in reading.sections] == [
        ("Introduction",),
        ("Introduction", "Data"),
        ("References",),
    ]
    assert "Inverted lists are old. They are fast." in reading.text
    assert "- first item\n- second item" in reading.text
    assert regions(reading, "table") == ["Model: BM25; F1: 61.2; Year: 1994\nModel: SPLADE; F1: 68.0; Year: 2021"]
    assert regions(reading, "caption") == ["Table 1: Scores of models."]
    assert regions(with_lists(reading), "references") == ["[1] S. Robertson. Okapi at TREC-3. 1994."]


def test_who_wrote_a_word_file_is_in_its_properties(paper: Path) -> None:
    reading, _ = read(DocxReader(LIMIT), paper)
    assert (reading.document.title, reading.document.authors) == (
        "Sparse retrieval in practice",
        ("Ada Lovelace", "Alan Turing"),
    )
    assert {(fact.field, fact.source) for fact in reading.facts if fact.field in {"title", "authors"}} == {
        ("title", "first page"),
        ("title", "document properties"),
        ("title", "file name"),
        ("authors", "document properties"),
    }


def word(tmp_path: Path, body: str, more: dict[str, str | bytes] | None = None) -> Path:
    """Write a Word file by hand."""
    content = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return zipped(tmp_path / "hand.docx", {"word/document.xml": content, **(more or {})})


def paragraph(text: str) -> str:
    """Return a paragraph of one run."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_what_was_deleted_is_gone_and_what_was_inserted_is_there(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>It is </w:t></w:r><w:del><w:r><w:delText>bad</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>good</w:t></w:r></w:ins><w:r><w:tab/><w:t>now.</w:t></w:r></w:p>"
    )
    reading, _ = read(DocxReader(LIMIT), word(tmp_path, body))
    assert reading.text == "It is good now."


def test_a_raised_number_stands_apart_from_its_word(tmp_path: Path) -> None:
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'
    numbers = [raised.format(number) for number in ("3", "1,2", "st")]
    body = f"<w:p><w:r><w:t>As shown</w:t></w:r>{numbers[0]}<w:r><w:t>, often</w:t></w:r>{numbers[1]}{numbers[2]}</w:p>"
    reading, _ = read(DocxReader(LIMIT), word(tmp_path, body))
    assert reading.text == "As shown^3, often^1,2^st"


def test_who_wrote_a_word_file_stands_below_its_title(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.author = ""
    document.add_heading("Why there are firms", 1)
    document.add_paragraph("By Peter Quinn and Hana Suzuki")
    document.add_paragraph("3 June 2012")
    document.add_paragraph("Prices steer well, and still there are firms.")
    document.save(str(tmp_path / "firms.docx"))
    reading, _ = read(DocxReader(LIMIT), tmp_path / "firms.docx")
    found = reading.document
    assert (found.title, found.authors, found.year) == ("Why there are firms", ("Peter Quinn", "Hana Suzuki"), 2012)
    assert regions(reading, "front") == ["By Peter Quinn and Hana Suzuki\n\n3 June 2012"]


def test_footnotes_stand_behind_their_paragraph(tmp_path: Path) -> None:
    body = '<w:p><w:r><w:t>A claim.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' + paragraph("More.")
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:type="separator" w:id="0">{paragraph("---")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("Its proof.")}</w:footnote></w:footnotes>'
    )
    listed = (
        f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/footnotes" Target="footnotes.xml"/>'
        "</Relationships>"
    )
    path = word(tmp_path, body, {"word/footnotes.xml": notes, "word/_rels/document.xml.rels": listed})
    reading, _ = read(DocxReader(LIMIT), path)
    assert reading.text == "A claim.\n\nIts proof.\n\nMore."
    assert regions(reading, "footnote") == ["Its proof."]


def test_merged_cells_are_told_once(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    wide, begins, goes_on = "<w:gridSpan w:val='2'/>", "<w:vMerge w:val='restart'/>", "<w:vMerge/>"
    marked = "<w:trPr><w:tblHeader/></w:trPr>"
    rows = (
        (marked, cell("Model"), cell("Score", wide)),
        (marked, cell(""), cell("dev"), cell("test")),
        (cell("BERT", begins), cell("1"), cell("2")),
        (cell("BERT", goes_on), cell("3"), cell("4")),
    )
    body = f"<w:tbl>{''.join(f'<w:tr>{chr(10).join(row)}</w:tr>' for row in rows)}</w:tbl>"
    reading, _ = read(DocxReader(LIMIT), word(tmp_path, body))
    assert regions(reading, "table") == ["Model: BERT; Score dev: 1; Score test: 2\nScore dev: 3; Score test: 4"]


def test_macros_are_not_run_and_places_outside_not_fetched(tmp_path: Path, paper: Path) -> None:
    with zipfile.ZipFile(paper) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    parts["word/vbaProject.bin"] = b"\xd0\xcf\x11\xe0"
    parts["word/_rels/settings.xml.rels"] = (
        f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/attachedTemplate" '
        'Target="http://192.0.2.1/template.dotm" TargetMode="External"/>'
        f'<Relationship Id="r2" Type="{OFFICE}/hyperlink" Target="http://192.0.2.1/" TargetMode="External"/></Relationships>'
    )
    reading, told = read(DocxReader(LIMIT), zipped(tmp_path / "macros.docm", parts))
    assert "Inverted lists are old." in reading.text
    assert told == ["it holds macros", "it refers to 1 thing outside of itself"]


def test_text_boxes_are_read_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>"
    both = f"<AlternateContent><Choice>{box}</Choice><Fallback>{box}</Fallback></AlternateContent>"
    reading, _ = read(DocxReader(LIMIT), word(tmp_path, f"<w:p><w:r>{both}<w:t>Beside it.</w:t></w:r></w:p>"))
    assert reading.text == "In the box.\n\nBeside it."


def test_deep_nesting_and_entities_in_a_word_file_are_refused(tmp_path: Path) -> None:
    nested = "<w:sdt><w:sdtContent>" * 5_000 + paragraph("x") + "</w:sdtContent></w:sdt>" * 5_000
    with pytest.raises(ReadError, match="XML is broken"):
        list(DocxReader(LIMIT).read(word(tmp_path, nested)))
    laughs = (
        '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:document xmlns:w="w"><w:body>&b;</w:body></w:document>'
    )
    with pytest.raises(ReadError, match="entities"):
        list(DocxReader(LIMIT).read(zipped(tmp_path / "laughs.docx", {"word/document.xml": laughs})))


# -- PowerPoint


def slide(*shapes: str) -> str:
    """Return a slide."""
    return (
        f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>{"".join(shapes)}</p:spTree></p:cSld></p:sld>'
    )


def shape(text: str, place: str = "") -> str:
    """Return a shape with a paragraph for each line."""
    holder = f'<p:nvSpPr><p:nvPr><p:ph type="{place}"/></p:nvPr></p:nvSpPr>' if place else ""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp>{holder}<p:txBody>{lines}</p:txBody></p:sp>"


def show(tmp_path: Path, *slides: str, notes: str = "") -> Path:
    """Write a PowerPoint file whose slides are stored in another order than they are shown."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(slides)))
    listed = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/slide" Target="slides/slide{len(slides) - n}.xml"/>'
        for n in range(len(slides))
    )
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{RELATIONS}">{listed}</Relationships>',
    }
    parts |= {f"ppt/slides/slide{len(slides) - n}.xml": content for n, content in enumerate(slides)}
    if notes:
        parts["ppt/notesSlides/notesSlide1.xml"] = slide(shape(notes, "body"), shape("1", "sldNum"))
        parts[f"ppt/slides/_rels/slide{len(slides)}.xml.rels"] = (
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/notesSlide" '
            'Target="../notesSlides/notesSlide1.xml"/></Relationships>'
        )
    return zipped(tmp_path / "show.pptx", parts)


def test_slides_come_in_the_order_of_the_show_with_their_notes(tmp_path: Path) -> None:
    path = show(
        tmp_path,
        slide(shape("Sparse attention", "ctrTitle"), shape("A survey"), shape("7", "sldNum")),
        slide(shape("Why", "title"), shape("It is cheap\nIt is local")),
        notes="Say hello first.",
    )
    reading, _ = read(PptxReader(LIMIT), path)
    assert reading.text == "Sparse attention\n\nA survey\n\nSay hello first.\n\nWhy\n\nIt is cheap\nIt is local"
    assert [section.path for section in reading.sections] == [("Sparse attention",), ("Why",)]
    assert reading.document.title == "Sparse attention"


def test_a_table_on_a_slide_is_read_row_by_row(tmp_path: Path) -> None:
    def row(*values: str) -> str:
        cells = "".join(f"<a:tc><a:txBody><a:p><a:r><a:t>{v}</a:t></a:r></a:p></a:txBody></a:tc>" for v in values)
        return f"<a:tr>{cells}</a:tr>"

    table = f"<p:graphicFrame><a:tbl>{row('Model', 'F1')}{row('BERT', '93')}</a:tbl></p:graphicFrame>"
    reading, _ = read(PptxReader(LIMIT), show(tmp_path, slide(shape("Results", "title"), table)))
    assert regions(reading, "table") == ["Model: BERT; F1: 93"]


def test_a_show_of_pictures_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no text"):
        list(PptxReader(LIMIT).read(show(tmp_path, slide(), slide())))


# -- Excel and plain tables


def workbook(tmp_path: Path, fill: Callable[[Any], None]) -> Path:
    """Write an Excel file."""
    book = openpyxl.Workbook()
    fill(book)
    path = tmp_path / "book.xlsx"
    book.save(path)
    return path


def test_sheets_are_sections_and_rows_name_their_columns(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        sheet.title = "Scores"
        sheet.append(["Model", "Date", "Share", "Open", "Score"])
        sheet.append(["BERT", date(2019, 5, 24), 0.125, True, 93.2])
        sheet["C2"].number_format = "0.0%"
        book.create_sheet("Costs").append(["GPU hours", 64])

    reading, told = read(XlsxReader(LIMIT), workbook(tmp_path, fill))
    assert told == []
    assert reading.text == (
        "Scores\n\nModel: BERT; Date: 2019-05-24; Share: 12.5 %; Open: yes; Score: 93.2\n\nCosts\n\nGPU hours | 64"
    )
    assert [section.path for section in reading.sections] == [("Scores",), ("Costs",)]


def test_an_excel_file_of_nothing_and_a_broken_one_are_refused(tmp_path: Path) -> None:
    empty = workbook(tmp_path, lambda book: book.active.title)
    with pytest.raises(ReadError, match="no values"):
        list(XlsxReader(LIMIT).read(empty))
    broken = zipped(tmp_path / "broken.xlsx", {"xl/workbook.xml": "<workbook>"})
    with pytest.raises(ReadError, match="broken"):
        list(XlsxReader(LIMIT).read(broken))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("model,f1\nBERT,93\nGPT,88\n", "model: BERT; f1: 93\nmodel: GPT; f1: 88"),
        ("模型;得分\n文心;91\n通义;92\n", "模型: 文心; 得分: 91\n模型: 通义; 得分: 92"),
        ("1,2\n3,4\n", "1 | 2\n3 | 4"),
        ('name,note\nA,"two\nlines; and a sign"\nB,x\n', "name: A; note: two lines; and a sign\nname: B; note: x"),
    ],
)
def test_plain_tables(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    reading, told = read(CsvReader(LIMIT), path)
    assert (regions(reading, "table"), told) == ([expected], [])


def test_a_table_with_too_many_rows_is_read_in_part(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    path.write_text("n\tv\n" + "1\t2\n" * 200_010)
    reading, told = read(CsvReader(LIMIT), path)
    assert told == ["it has more than 200,000 rows; the first ones were read"]
    assert reading.text.count("\n") == 200_000 - 1


# -- OpenDocument and RTF


def test_an_opendocument_text(tmp_path: Path) -> None:
    names = 'xmlns:office="o" xmlns:text="t" xmlns:table="b"'
    body = (
        '<text:h text:outline-level="1">Method</text:h>'
        "<text:p>We <text:span>index</text:span><text:s/>all.<text:note><text:note-body><text:p>Nearly.</text:p></text:note-body>"
        "</text:note></text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>K</text:p></table:table-cell><table:table-cell><text:p>V</text:p>"
        "</table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>"
    )
    content = f"<office:doc {names}><office:body><office:text>{body}</office:text></office:body></office:doc>"
    meta = '<m xmlns:dc="d"><dc:title>Indexing</dc:title><dc:creator>Ada Lovelace</dc:creator></m>'
    reading, _ = read(OdtReader(LIMIT), zipped(tmp_path / "a.odt", {"content.xml": content, "meta.xml": meta}))
    assert reading.text == "Method\n\nWe index all.\n\nNearly.\n\n- one\n\nK: a; V: 1"
    assert (reading.document.title, reading.document.authors) == ("Indexing", ("Ada Lovelace",))


def test_rtf(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_text(
        r"{\rtf1\ansi{\info{\title On lists}{\author Ada Lovelace}}First \b bold\b0  words.\par Caf\'e9.\par}"
    )
    reading, _ = read(RtfReader(LIMIT), path)
    assert reading.text == "First bold words.\n\nCafé."
    assert (reading.document.title, reading.document.authors) == ("On lists", ("Ada Lovelace",))


# -- whatever is given


@pytest.mark.parametrize("reader", [DocxReader, PptxReader, XlsxReader, OdtReader, RtfReader, CsvReader])
@pytest.mark.parametrize(
    "content",
    [b"", b"no such thing \x00\x01\x02" * 50, b"PK\x03\x04" + b"\xff" * 200],
    ids=["empty", "junk", "cut off"],
)
def test_what_is_no_such_file_is_refused_in_words(tmp_path: Path, reader: Any, content: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(ReadError) as error:
        list(reader(LIMIT).read(path))
    assert error.value.reason
    assert error.value.advice


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        (DocxReader, "word/document.xml"),
        (PptxReader, "ppt/presentation.xml"),
        (OdtReader, "content.xml"),
        (XlsxReader, "xl/a.xml"),
    ],
)
def test_a_zip_bomb_is_refused(tmp_path: Path, reader: Any, name: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b" " * 30_000_000)
    path = tmp_path / "bomb"
    path.write_bytes(buffer.getvalue())
    with pytest.raises(ReadError, match="unpacks to more than 200 times"):
        list(reader(LIMIT).read(path))
