"""RIS as publishers, reference managers and Chinese databases write it."""

from pathlib import Path

import pytest

from scholarmind.adapters.readers.bibliography.ris_and_csl import RisReader
from scholarmind.citing.citation_styles import people, work_of
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem

JOURNAL = """TY  - JOUR
AU  - Müller, Jürgen
AU  - van der Berg, Jan
A1  - SMITH, JOHN, Jr.
TI  - Deep <i>learning</i> &amp; more
T2  - Journal of Things
J2  - J. Thing.
PY  - 2019/05/03/
VL  - 12
IS  - 3
SP  - 101
EP  - 120
DO  - https://doi.org/10.1000/ABC.1
UR  - https://example.org/a
SN  - 1234-5678
KW  - learning
KW  - networks
AB  - The first line
 goes on here.
L1  - file:///home/x/Zotero/storage/AB/p.pdf
ID  - mueller2019
ER  -
"""


def read(folder: Path, content: str | bytes) -> list[BibEntry | Problem]:
    """Write the file and return all that its reader gives."""
    path = folder / "list.ris"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(RisReader(10_000_000).entries(path))


def entries(folder: Path, content: str | bytes) -> list[BibEntry]:
    """Return the entries."""
    return [item for item in read(folder, content) if isinstance(item, BibEntry)]


def problems(folder: Path, content: str | bytes) -> list[tuple[str, str]]:
    """Return the line and the reason of each problem."""
    return [
        (item.where.rpartition(", ")[2], item.reason) for item in read(folder, content) if isinstance(item, Problem)
    ]


def test_an_article(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, JOURNAL)
    assert isinstance(entry, BibEntry)
    assert (entry.key, entry.line, entry.abstract) == ("mueller2019", 1, "The first line goes on here.")
    assert entry.files == ("/home/x/Zotero/storage/AB/p.pdf",)
    assert entry.document.title == "Deep learning & more"
    assert entry.document.metadata["keywords"] == ("learning", "networks")
    work = work_of(entry.document)
    assert (work.form, work.venue, work.volume, work.number, work.pages) == (
        "journal",
        "Journal of Things",
        "12",
        "3",
        "101–120",
    )
    assert (work.doi, work.url, work.year) == ("10.1000/ABC.1", "https://example.org/a", "2019")
    assert [(person.family, person.given, person.suffix) for person in people(entry.document.authors)[0]] == [
        ("Müller", "Jürgen", ""),
        ("van der Berg", "Jan", ""),
        ("Smith", "John", "Jr."),
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("TY  - CONF\nT2  - Proceedings of X", ("conference", "Proceedings of X", "")),
        ("TY  - CPAPER\nC3  - Proceedings of Y\nT2  - Y 2019", ("conference", "Proceedings of Y", "")),
        ("TY  - CHAP\nBT  - Handbook\nPB  - Springer", ("chapter", "Handbook", "Springer")),
        ("TY  - BOOK\nPB  - MIT Press\nCY  - Cambridge", ("book", "", "MIT Press")),
        ("TY  - THES\nPB  - ETH Zürich\nM3  - PhD Thesis", ("thesis", "", "ETH Zürich")),
        ("TY  - RPRT\nPB  - NASA", ("report", "", "NASA")),
        ("TY  - ELEC\nUR  - http://a.org", ("web", "", "")),
        ("TY  - GEN\nUR  - http://arxiv.org/abs/1810.04805\nPB  - arXiv\nM1  - arXiv:1810.04805", ("preprint", "", "")),
        ("TY  - JOUR\nJO  - Short J.\nJF  - Full Journal", ("journal", "Full Journal", "")),
    ],
)
def test_kinds(tmp_path: Path, lines: str, expected: tuple[str, str, str]) -> None:
    (entry,) = entries(tmp_path, f"{lines}\nTI  - Title\nAU  - A, B\nER  - \n")
    work = work_of(entry.document)
    assert (work.form, work.venue, work.publisher or work.institution) == expected


def test_an_arxiv_id_is_found(tmp_path: Path) -> None:
    (entry,) = entries(
        tmp_path, "TY  - GEN\nTI  - T\nUR  - http://arxiv.org/abs/1810.04805v2\nM1  - arXiv:1810.04805\nER  - "
    )
    assert (work_of(entry.document).arxiv, work_of(entry.document).number) == ("1810.04805", "")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(JOURNAL.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\ufeff" + JOURNAL, id="BOM"),
        pytest.param(JOURNAL.encode("utf-16"), id="UTF-16"),
        pytest.param(JOURNAL.encode("latin-1"), id="Latin-1"),
        pytest.param(JOURNAL.replace("  - ", " - "), id="one space"),
        pytest.param(JOURNAL.replace("ER  -\n", ""), id="no end"),
        pytest.param("Provider: X\nDatabase: Y\n\n" + JOURNAL, id="text before"),
    ],
)
def test_variants_of_the_format(tmp_path: Path, content: str | bytes) -> None:
    (entry,) = read(tmp_path, content)
    assert isinstance(entry, BibEntry)
    assert (entry.document.authors[0], entry.document.year, len(entry.document.authors)) == ("Müller, Jürgen", 2019, 3)


def test_a_chinese_database(tmp_path: Path) -> None:
    text = "TY  - JOUR\nA1  - 王小明;李四;\nT1  - 基于深度学习的文本分类方法研究综述\nJO  - 计算机学报\nPY  - 2019\nSP  - 1-12\nER  - \n"
    (entry,) = entries(tmp_path, text.encode("gbk"))
    assert entry.document.authors == ("王小明", "李四")
    assert (work_of(entry.document).venue, work_of(entry.document).pages) == ("计算机学报", "1–12")
    assert entry.key == "2019"  # nothing in it has Latin letters


def test_keys_are_made_from_author_year_and_title(tmp_path: Path) -> None:
    record = "TY  - JOUR\nAU  - Gödel, Kurt\nTI  - On formally undecidable propositions\nPY  - 1931\nER  - \n\n"
    found = read(tmp_path, record * 2)
    assert [item.key for item in found if isinstance(item, BibEntry)] == ["godel1931formally", "godel1931formally-2"]
    assert [item.line for item in found if isinstance(item, BibEntry)] == [1, 7]
    assert problems(tmp_path, record * 2) == []


def test_broken_borders_are_told_and_the_rest_is_used(tmp_path: Path) -> None:
    text = "AU  - Lost, One\nER  - \nTY  - JOUR\nTI  - First\nAU  - A, B\nTY  - JOUR\nTI  - Second\nER  - \nTY  - JOUR\nER  - \n"
    assert [entry.document.title for entry in entries(tmp_path, text)] == ["First", "Second"]
    assert [(where, reason.split(";")[0]) for where, reason in problems(tmp_path, text)] == [
        ("line 1", "the lines from here on belong to no record, for none begins with 'TY  - '"),
        ("line 3", "the record has no end ('ER  - ')"),
        ("line 9", "the entry has neither a title nor authors"),
    ]


def test_the_same_key_twice(tmp_path: Path) -> None:
    assert len(entries(tmp_path, JOURNAL * 2)) == 1
    assert problems(tmp_path, JOURNAL * 2) == [
        ("line 23", "the key 'mueller2019' is taken by the entry in line 1; the one in line 23 is not used")
    ]


@pytest.mark.parametrize(
    "content", ["", "   \n", "<html><body>TY</body></html>", "@article{a, title={T}}", '[{"id": 1}]']
)
def test_what_is_no_ris(tmp_path: Path, content: str) -> None:
    with pytest.raises(ReadError):
        read(tmp_path, content)


def test_huge_records(tmp_path: Path) -> None:
    text = (
        "TY  - JOUR\nTI  - T\n"
        + "AU  - Name, A.\n" * 6_000
        + "AB  - "
        + "word " * 200_000
        + "\n"
        + "more\n" * 100_000
        + "ER  - \n"
    )
    (entry,) = entries(tmp_path, text)
    assert (len(entry.document.authors), entry.document.authors[-1], len(entry.abstract)) == (5_001, "others", 50_000)
    assert len(problems(tmp_path, text)) == 2


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "list.ris"
    path.write_text(JOURNAL)
    with pytest.raises(ReadError, match="the limit is"):
        list(RisReader(100).entries(path))
