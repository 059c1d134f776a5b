"""Answers in each format, read back by the programs that are for it where they are installed."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from scholarmind.adapters.readers.bibliography.ris_and_csl import CslReader, RisReader
from scholarmind.answer import Answer, Citation
from scholarmind.errors import MissingExtraError
from scholarmind.model import BibEntry
from scholarmind.publishing.formats import Publication, check_format, format_of
from scholarmind.record import answer_of, answer_record

OWN = {("default", "tides"): "bergTides2021", ("default", "harbours"): "wang1998"}


@pytest.fixture
def published(answer: Answer) -> Publication:
    return Publication(answer, "apa", OWN)


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.tex", ".tex"),
        ("A.PANDOC.MD", ".pandoc.md"),
        ("a.md", ""),
        ("a.csl.json", ".csl.json"),
        ("a.json", ""),
        ("pandoc.md", ""),
        (".tex", ""),
        ("答案.docx", ".docx"),
    ],
)
def test_the_name_says_the_format(name: str, ending: str) -> None:
    assert format_of(Path(name)) == ending


def test_latex(published: Publication) -> None:
    text = published.content(".tex").decode()
    assert r"11.3 m, x\_1 {[}12{]} and 5 \% of A\&B \cite[p.~4]{bergTides2021}" in text
    assert r"\cite[p.~7]{bergTides2021} \cite{wang1998}" in text
    assert r"\bibitem[{Berg \& Moor, 2021}]{bergTides2021}" in text
    assert "\\end{itemize}\n\n\\subsubsection*{2. Where?}" in text
    assert r"\textdagger" in text
    assert r"\href{zotero://select/library/items/TIDES001}{Zotero}" in text
    assert "javascript:" not in text


def test_latex_compiles(published: Publication, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "answer.tex").write_bytes(published.content(".tex"))
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "answer.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2_000:]
    assert (tmp_path / "answer.pdf").stat().st_size > 1_000


def test_pandoc_markdown(published: Publication) -> None:
    text = published.content(".pandoc.md").decode()
    assert r"and 5 % of A&B [@bergTides2021, p. 4]" in text
    assert "[@bergTides2021, p. 7; @wang1998]" in text
    assert "\n\n### 2. Where?\n\n|" in text
    assert "- id: bergTides2021\n  type: article-journal" in text
    assert "| 1 | How high? | partial | 0.50 | why \\| how |" in text


def test_a_trip_through_pandoc(published: Publication, tmp_path: Path) -> None:
    program = shutil.which("pandoc")
    if program is None:
        pytest.skip("pandoc is not installed")
    (tmp_path / "answer.pandoc.md").write_bytes(published.content(".pandoc.md"))
    command = [program, "--citeproc", "--wrap=none", "-t", "plain", "answer.pandoc.md"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "(Berg and Moor 2021, 4)" in done.stdout.replace("\u00a0", " ")
    assert "Tides & Bays" in done.stdout
    (tmp_path / "answer.tex").write_bytes(published.content(".tex"))
    command = [program, "-t", "markdown", "answer.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "@bergTides2021" in done.stdout


class Outline(HTMLParser):
    """Tags, and whatever would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        known = dict(attrs)
        assert "src" not in known
        self.links += [known["href"] or ""] if "href" in known else []
        self.ids += [known["id"] or ""] if "id" in known else []
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_one_sound_file_that_fetches_nothing(published: Publication) -> None:
    text = published.content(".html").decode()
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert not {"script", "link", "img", "iframe"} & set(outline.tags)
    within = [link for link in outline.links if link.startswith("#")]
    assert within
    assert {link[1:] for link in within} <= set(outline.ids)
    assert "zotero://select/library/items/TIDES001" in outline.links
    assert "zotero://open-pdf/library/items/TIDESPDF?page=4" in outline.links
    assert not [link for link in outline.links if not link.startswith(("#", "https://", "zotero://"))]
    assert "11.3 m &lt;script&gt;" in text


def test_word(published: Publication) -> None:
    with ZipFile(io.BytesIO(published.content(".docx"))) as archive:
        document = archive.read("word/document.xml").decode()
        relations = archive.read("word/_rels/document.xml.rels").decode()
    words = "".join(ElementTree.fromstring(document).itertext())  # noqa: S314
    assert "x_1 [12] and 5 % of A&B [Berg & Moor, 2021, p. 4]" in words
    assert "Harbours float. [王, 1998]†" in words
    assert "with caveats" in words
    anchors = set(re.findall(r'w:anchor="(\w+)"', document))
    assert anchors == {"source1", "source2"}
    assert anchors <= set(re.findall(r'w:bookmarkStart[^>]*w:name="(\w+)"', document))
    assert "zotero://open-pdf/library/items/TIDESPDF?page=4" in relations


def test_pdf(published: Publication) -> None:
    import pypdfium2

    with pypdfium2.PdfDocument(published.content(".pdf")) as file:
        words = "\n".join(page.get_textpage().get_text_range() for page in file)
    flat = " ".join(words.split())
    assert "and 5 % of A&B [Berg & Moor, 2021, p. 4]" in flat
    assert "港口简史" in flat
    assert "Moor, J. Ł." in flat
    assert "with caveats" in flat
    assert published.content(".pdf") == published.content(".pdf")


def test_ris_and_csl_are_read_back(published: Publication, tmp_path: Path) -> None:
    for ending, reader in ((".ris", RisReader(10**6)), (".csl.json", CslReader(10**6))):
        file = tmp_path / f"works{ending}"
        file.write_bytes(published.content(ending))
        entries = [entry for entry in reader.entries(file) if isinstance(entry, BibEntry)]
        assert [entry.key for entry in entries] == ["bergTides2021", "wang1998"]
        tides = entries[0].document
        assert (tides.title, tides.year, tides.metadata["doi"]) == (
            "Tides & Bays: 100% of {them}",
            2021,
            "10.1000/tides",
        )
        assert tides.authors == ("Berg, Anna", "Moor, Jo Łukasz")
        assert tides.metadata["journal"] == "Journal of Shores"
    items = json.loads(published.content(".csl.json"))
    assert items[1]["author"] == [{"family": "王", "given": "伟"}]


def test_bib_has_the_own_keys(published: Publication) -> None:
    assert re.findall(r"@\w+\{([^,]+),", published.content(".bib").decode()) == ["bergTides2021", "wang1998"]


def test_without_the_extra_an_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    check_format(".docx")
    check_format(".tex")
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "docx", raising=False)
    sys.path_importer_cache.clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'scholarmind\[documents\]'"):
        check_format(".docx")


@pytest.mark.parametrize("ending", [".tex", ".pandoc.md", ".html", ".bib", ".ris", ".csl.json"])
def test_an_answer_that_is_read_back_is_written_alike(answer: Answer, ending: str) -> None:
    claims = tuple(claim for claim in answer.claims if not claim.text.startswith("north"))  # which cites words again
    behind = dict[tuple[str, str], Citation]()  # each with the place of its brackets, as answers have it
    for claim in claims:
        for one in claim.citations:
            place = answer.text.index(f"[{one.key}]", (claim.end or 0) - 1)
            behind.setdefault((one.key, one.quote), replace(one, start=place))
    assert max(Counter(key for key, _ in behind).values()) > 1  # two quotations of one work
    answer = replace(answer, claims=claims, citations=tuple(behind.values()))
    record = json.loads(json.dumps(answer_record(answer)))
    again = answer_of(record, answer.sources)
    assert Publication(again, "apa", {}).content(ending) == Publication(answer, "apa", {}).content(ending)
