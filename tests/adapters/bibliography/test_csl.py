"""CSL-JSON as Zotero, pandoc and Crossref write it."""

import json
from pathlib import Path
from typing import Any

import pytest

from scholarmind.adapters.readers.bibliography.ris_and_csl import CslReader
from scholarmind.citing.citation_styles import Person, people, work_of
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem

ARTICLE: dict[str, Any] = {
    "id": "http://zotero.org/users/1/items/ABCD1234",
    "type": "article-journal",
    "abstract": "<jats:p>One.</jats:p><jats:p>Two &lt; three.</jats:p>",
    "container-title": "Journal of Things",
    "DOI": "https://doi.org/10.1000/x.1",
    "issue": 3,
    "page": "101-120",
    "title": "Deep <i>learning</i> &amp; more",
    "volume": "12",
    "author": [
        {"family": "Müller", "given": "Jürgen"},
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
        {"family": "Humboldt", "given": "Alexander", "dropping-particle": "von"},
        {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
        {"literal": "The ATLAS Collaboration"},
        {"family": "王", "given": "小明"},
    ],
    "issued": {"date-parts": [["2019", 5, 3]]},
    "keyword": "learning; networks",
    "language": "en-US",
}


def read(folder: Path, content: Any) -> list[BibEntry | Problem]:
    """Write the file and return all that its reader gives."""
    path = folder / "list.json"
    text = content if isinstance(content, (str, bytes)) else json.dumps(content, ensure_ascii=False, indent=2)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(CslReader(10_000_000).entries(path))


def entry(folder: Path, **fields: Any) -> BibEntry:
    """Return the one entry that these fields make."""
    (found,) = read(folder, [{"id": "a", "title": "T", "type": "book", **fields}])
    assert isinstance(found, BibEntry)
    return found


def test_an_article(tmp_path: Path) -> None:
    (found,) = read(tmp_path, [ARTICLE])
    assert isinstance(found, BibEntry)
    assert (found.key, found.line, found.abstract) == ("ABCD1234", 2, "One.\n\nTwo < three.")
    document = found.document
    assert (document.title, document.year, document.language, document.kind) == (
        "Deep learning & more",
        2019,
        "en",
        "article",
    )
    assert document.metadata["keywords"] == ("learning", "networks")
    work = work_of(document)
    assert (work.form, work.venue, work.volume, work.number, work.pages) == (
        "journal",
        "Journal of Things",
        "12",
        "3",
        "101–120",
    )
    assert work.doi == "10.1000/x.1"
    assert people(document.authors)[0] == (
        Person(family="Müller", given="Jürgen"),
        Person(family="van der Berg", given="Jan"),
        Person(family="von Humboldt", given="Alexander"),
        Person(family="King", given="Martin Luther", suffix="Jr."),
        Person(family="The ATLAS Collaboration", body=True),
        Person(family="王", given="小明", native=True),
    )


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        ({"literal": "清华大学"}, "清华大学"),
        ({"literal": "others"}, "others"),
        ({"name": "OpenAI", "sequence": "first"}, "{OpenAI}"),
        ({"given": "Plato"}, "{Plato}"),
        ({"family": "Arc", "given": "Jeanne", "dropping-particle": "d’"}, "d’Arc, Jeanne"),
        ({"family": "SMITH", "given": "J. K."}, "Smith, J. K."),
        ("Someone", "{Someone}"),
        ({"family": "山田", "given": "太郎"}, "山田, 太郎"),
    ],
)
def test_names(tmp_path: Path, person: Any, expected: str) -> None:
    assert entry(tmp_path, author=[person]).document.authors == (expected,)


@pytest.mark.parametrize("authors", [None, [], {}, "x", [None, 3, [], {}, {"family": ""}], [{"family": {"a": 1}}]])
def test_authors_that_are_none(tmp_path: Path, authors: Any) -> None:
    assert entry(tmp_path, author=authors).document.authors == ()


@pytest.mark.parametrize(
    ("issued", "expected"),
    [
        ({"date-parts": [[2019, 5]]}, 2019),
        ({"date-parts": [["2019"]]}, 2019),
        ({"date-parts": [[2019], [2020]]}, 2019),
        ({"date-parts": [[None]], "raw": "May 2018"}, 2018),
        ({"literal": "c. 1998"}, 1998),
        ("2017-01-01", 2017),
        (2016, 2016),
        ({"raw": "in press"}, None),
        ({"date-parts": []}, None),
        (None, None),
        ({"date-parts": [[True]]}, None),
    ],
)
def test_years(tmp_path: Path, issued: Any, expected: int | None) -> None:
    assert entry(tmp_path, issued=issued).document.year == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "paper-conference", "container-title": "Proceedings of X"}, ("conference", "Proceedings of X", "")),
        (
            {"type": "chapter", "container-title": "Handbook", "publisher": "Springer"},
            ("chapter", "Handbook", "Springer"),
        ),
        ({"type": "book", "publisher": "MIT Press"}, ("book", "", "MIT Press")),
        ({"type": "thesis", "publisher": "ETH", "genre": "PhD thesis"}, ("thesis", "", "ETH")),
        ({"type": "report", "publisher": "NASA"}, ("report", "", "NASA")),
        ({"type": "webpage", "URL": "http://a.org"}, ("web", "", "")),
        ({"type": "article", "publisher": "arXiv", "number": "arXiv:1810.04805"}, ("preprint", "", "")),
        ({"type": "journal-article", "container-title": ["Nature"]}, ("journal", "Nature", "")),
    ],
)
def test_kinds(tmp_path: Path, fields: dict[str, Any], expected: tuple[str, str, str]) -> None:
    work = work_of(entry(tmp_path, **fields).document)
    assert (work.form, work.venue, work.publisher or work.institution) == expected


def test_arxiv_in_the_number(tmp_path: Path) -> None:
    work = work_of(entry(tmp_path, type="article", publisher="arXiv", number="arXiv:1810.04805").document)
    assert (work.arxiv, work.number) == ("1810.04805", "")


@pytest.mark.parametrize(
    "content",
    [
        {"items": [{"id": "a", "title": "T"}]},
        {"references": [{"id": "a", "title": "T"}]},
        {"id": "a", "title": "T"},
        '\ufeff[{"id": "a", "title": "T"}]',
        '[{"id": "a", "title": ["T"]},]',
        '[\r\n{"id": "a",\r\n"title": "T"}\r\n]',
        '[{"id": "a", "title": "T\n"}]',
        '[{"id": "a", "title": "T"}]'.encode("utf-16"),
    ],
)
def test_variants_of_the_format(tmp_path: Path, content: Any) -> None:
    (found,) = read(tmp_path, content)
    assert isinstance(found, BibEntry)
    assert (found.key, found.document.title) == ("a", "T")


def test_a_broken_item_costs_only_itself(tmp_path: Path) -> None:
    text = '[\n{"id": "a", "title": "A"},\n{"id": "b", "title": "B" "type": "book",\n "x": 1},\n{"id": "c", "title": "C"},\n{"x": 1}\n]'
    found = read(tmp_path, text)
    assert [(item.key, item.line) for item in found if isinstance(item, BibEntry)] == [("a", 2), ("c", 5)]
    assert [
        (item.where.rpartition(", ")[2], item.reason, item.lasting) for item in found if isinstance(item, Problem)
    ] == [
        ("line 3", "an item cannot be read: Expecting ',' delimiter (line 3, column 26); it is not used", True),
        ("line 6", "an item has neither a type nor a title; it is not used", True),
    ]


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    found = read(tmp_path, '[\n{"id": "a", "title": "A"},\n{"id": "b", "title": "B')
    assert [item.key for item in found if isinstance(item, BibEntry)] == ["a"]
    assert [item.where.rpartition(", ")[2] for item in found if isinstance(item, Problem)] == ["line 3"]


def test_duplicates_and_missing_keys(tmp_path: Path) -> None:
    items = [
        {"id": "a", "title": "A"},
        {"id": "a", "title": "B"},
        {"title": "Something", "author": [{"family": "Doe", "given": "J."}]},
    ]
    found = read(tmp_path, items)
    assert [item.key for item in found if isinstance(item, BibEntry)] == ["a", "doesomething"]
    assert [item.reason for item in found if isinstance(item, Problem)] == [
        "the key 'a' is taken by the entry in line 2; the one in line 6 is not used",
        "the entry has no key; it is used as 'doesomething'",
    ]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "[1, 2]", "null", '"text"', '{"a": 1}', "@article{a,}", '[{"family": "x"}]', "[[[["]
)
def test_what_is_no_bibliography(tmp_path: Path, content: str) -> None:
    with pytest.raises(ReadError):
        read(tmp_path, content)


def test_hostile_json(tmp_path: Path) -> None:
    deep = '[{"id": "a", "title": ' + "[" * 200_000 + "]" * 200_000 + '},\n{"id": "b", "title": "B"}]'
    found = read(tmp_path, deep)
    assert [item.key for item in found if isinstance(item, BibEntry)] == ["b"]
    assert [item.reason for item in found if isinstance(item, Problem)] == [
        "an item cannot be read: it is nested too deeply; it is not used"
    ]
    many = read(tmp_path, '[{"id": "a", "title": "A", "volume": ' + "9" * 10_000 + "}]")
    assert len(many) == 1


def test_huge_fields_are_cut_and_told(tmp_path: Path) -> None:
    names = [{"family": f"Name{number}", "given": "A."} for number in range(6_000)]
    found = read(tmp_path, [{"id": "a", "title": "x" * 1_000_000, "abstract": "word " * 200_000, "author": names}])
    assert [item.reason.split(";")[0] for item in found if isinstance(item, Problem)] == [
        "the title of entry 'a' is too long",
        "the abstract of entry 'a' is too long",
        "entry 'a' has more than 5,000 authors, or names of 300 characters",
    ]


def test_what_csl_has_no_place_for_is_kept_as_it_is_named(tmp_path: Path) -> None:
    custom = {
        "tags": ["to read", "潮汐", 3],
        "shelf": "A 4",
        "Not A Name": "x",
        "zotero-key": "dropped",
        "deep": {"a": 1},
    }
    [entry] = read(tmp_path, [{"id": "a", "title": "A", "volume": "7", "custom": {**custom, "volume": "8"}}])
    assert isinstance(entry, BibEntry)
    known = entry.document.metadata
    assert (known["tags"], known["shelf"], known["volume"]) == (("to read", "潮汐", "3"), "A 4", "7")
    assert not {"Not A Name", "zotero-key", "deep"} & known.keys()
    [bare] = read(tmp_path, [{"id": "a", "title": "A", "custom": "none"}])
    assert isinstance(bare, BibEntry)
