"""Books in EPUB, whole and broken."""

import zipfile
from pathlib import Path

import pytest

from scholarmind.adapters.readers.html import EpubReader
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading

LIMIT = 10_000_000
CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
METADATA = """<dc:title>On Machines</dc:title><dc:creator>Ada Müller</dc:creator><dc:creator>王伟</dc:creator>
<dc:date>2015-03-02</dc:date><dc:language>en-GB</dc:language><dc:publisher>Test Press</dc:publisher>
<dc:identifier>urn:isbn:978-3-16-148410-0</dc:identifier>"""
CHAPTERS = {
    "one.xhtml": "<h1>1. The Start</h1><p>First words.</p><h2>Deeper</h2><p>More words.</p>",
    "sub/two.xhtml": "<p>Second chapter.</p>",
}
NAV = """<nav epub:type="toc"><ol><li><a href="one.xhtml">1. The Start</a><ol><li><a href="one.xhtml#d">Deeper</a></li></ol></li>
<li><a href="sub/two.xhtml">The <i>End</i></a></li></ol></nav>"""
NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>1. The Start</text></navLabel>
<content src="one.xhtml"/></navPoint><navPoint><navLabel><text>The End</text></navLabel>
<content src="sub/two.xhtml"/></navPoint></navMap></ncx>"""


def page(body: str) -> str:
    """Return a chapter with this body."""
    return f"""<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<head><title/></head><body>{body}</body></html>"""


def package(chapters: dict[str, str], nav: str = "", ncx: str = "", metadata: str = METADATA) -> str:
    """Return the file that lists the files of a book."""
    items = [f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)]
    items += ['<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'] if nav else []
    items += ['<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'] if ncx else []
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return f"""<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{metadata}</metadata>
<manifest>{"".join(items)}</manifest><spine>{'<itemref idref="nav"/>' if nav else ""}{spine}</spine></package>"""


def book(folder: Path, chapters: dict[str, str], nav: str = "", ncx: str = "", **others: str) -> Path:
    """Write a book; `others` replaces files by their names."""
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(chapters, nav, ncx),
        **{f"OEBPS/{name}": page(body) for name, body in chapters.items()},
    }
    files |= {"OEBPS/nav.xhtml": page(nav)} if nav else {}
    files |= {"OEBPS/toc.ncx": ncx} if ncx else {}
    files |= others
    path = folder / "book.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def read(path: Path) -> tuple[Reading, list[Problem]]:
    """Return the book, and what was wrong with it."""
    first, *others = EpubReader(LIMIT).read(path)
    assert isinstance(first, Reading)
    return first, [item for item in others if isinstance(item, Problem)]


@pytest.mark.parametrize("toc", [{"nav": NAV}, {"ncx": NCX}, {"nav": NAV, "ncx": NCX}, {"nav": "<nav/>", "ncx": NCX}])
def test_chapters_stand_under_the_titles_of_the_table_of_contents(tmp_path: Path, toc: dict[str, str]) -> None:
    found, problems = read(book(tmp_path, CHAPTERS, **toc))
    assert problems == []
    assert found.text == "1. The Start\n\nFirst words.\n\nDeeper\n\nMore words.\n\nThe End\n\nSecond chapter."
    assert [section.path for section in found.sections] == [("1. The Start",), ("1. The Start", "Deeper"), ("The End",)]
    assert [found.text[section.heading : section.start] for section in found.sections] == [
        "1. The Start",
        "Deeper",
        "The End",
    ]


def test_without_a_table_of_contents_the_headings_do(tmp_path: Path) -> None:
    found, _ = read(book(tmp_path, CHAPTERS))
    assert [section.path for section in found.sections] == [("1. The Start",), ("1. The Start", "Deeper")]


def test_metadata(tmp_path: Path) -> None:
    document = read(book(tmp_path, CHAPTERS))[0].document
    assert (document.title, document.authors, document.year) == ("On Machines", ("Ada Müller", "王伟"), 2015)
    assert (document.source, document.language, document.kind) == ("Test Press", "en", "book")
    assert document.metadata == {"isbn": "9783161484100"}


def test_the_order_is_that_of_the_spine(tmp_path: Path) -> None:
    swapped = (
        package(CHAPTERS)
        .replace('idref="c0"', 'idref="x"')
        .replace('idref="c1"', 'idref="c0"')
        .replace('idref="x"', 'idref="c1"')
    )
    found, _ = read(book(tmp_path, CHAPTERS, **{"OEBPS/book.opf": swapped}))
    assert found.text.startswith("Second chapter.")


def test_a_book_without_its_container_file(tmp_path: Path) -> None:
    assert "First words." in read(book(tmp_path, CHAPTERS, **{"META-INF/container.xml": "<container/>"}))[0].text


def encryption(algorithm: str) -> str:
    """Return the file that says how the first chapter is encrypted."""
    return f"""<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">
<EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="OEBPS/one.xhtml"/></CipherData></EncryptedData></encryption>"""


def test_protected_books_are_refused(tmp_path: Path) -> None:
    path = book(
        tmp_path, CHAPTERS, **{"META-INF/encryption.xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    )
    with pytest.raises(ReadError, match="copy protection"):
        list(EpubReader(LIMIT).read(path))


def test_disguised_fonts_are_no_protection(tmp_path: Path) -> None:
    path = book(tmp_path, CHAPTERS, **{"META-INF/encryption.xml": encryption("http://www.idpf.org/2008/embedding")})
    assert "First words." in read(path)[0].text


def test_a_broken_chapter_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    path = book(tmp_path, {**CHAPTERS, "gone.xhtml": "x"}, **{"OEBPS/one.xhtml": "%PDF-1.4"})
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if "gone" not in name}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in kept.items():
            archive.writestr(name, content)
    found, problems = read(path)
    assert found.text == "Second chapter."
    assert [problem.where.rpartition(", ")[2] for problem in problems] == ["OEBPS/one.xhtml", "OEBPS/gone.xhtml"]
    assert all(problem.lasting for problem in problems)


@pytest.mark.parametrize(
    "others",
    [
        {"OEBPS/book.opf": '<!DOCTYPE p [<!ENTITY a "b">]><package/>'},
        {"OEBPS/book.opf": "<package"},
        {"OEBPS/book.opf": "<package/>"},
        {
            "META-INF/container.xml": CONTAINER.replace("OEBPS/book.opf", "../../etc/passwd"),
            "OEBPS/book.opf": "<package/>",
        },
        {"OEBPS/one.xhtml": " " * 9_000_000},
    ],
)
def test_hostile_books(tmp_path: Path, others: dict[str, str]) -> None:
    with pytest.raises(ReadError) as error:
        list(EpubReader(LIMIT).read(book(tmp_path, {"one.xhtml": "x"}, **others)))
    assert error.value.advice


def test_links_that_lead_out_of_the_book_are_found_nowhere(tmp_path: Path) -> None:
    path = book(tmp_path, CHAPTERS, **{"OEBPS/book.opf": package({"../../../../etc/passwd": "", "sub/two.xhtml": ""})})
    found, problems = read(path)
    assert found.text == "Second chapter."
    assert len(problems) == 1


def test_a_zip_that_is_no_book(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(ReadError, match="no list of its contents"):
        list(EpubReader(LIMIT).read(path))
