"""Documents that are the same work: what is told, and what is better not."""

import pytest

from scholarmind.library.ingest import duplicates
from scholarmind.model import Document

BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"


def document(
    id: str,
    title: str = BERT,
    *,
    year: int | None = 2019,
    authors: tuple[str, ...] = (),
    kind: str = "",
    **metadata: str,
) -> Document:
    return Document(id=id, title=title, year=year, authors=authors, kind=kind, metadata=metadata)


def told(one: Document, other: Document) -> list[str]:
    return [str(found) for found in duplicates(one, [other])]


@pytest.mark.parametrize(
    "preprint",
    [
        {"arxiv": "1810.04805"},
        {"journal": "arXiv preprint arXiv:1810.04805"},
        {"journal": "CoRR", "volume": "abs/1810.04805"},
        {"publisher": "arXiv"},
        {"doi": "10.1101/2020.01.01.000001"},
        {"kind": "posted-content"},
    ],
)
@pytest.mark.parametrize("published", [{"booktitle": "NAACL"}, {"doi": "10.18653/v1/N19-1423"}])
def test_preprint_and_publication(preprint: dict[str, str], published: dict[str, str]) -> None:
    first, second = document("a", year=2018, **preprint), document("b", BERT.upper(), **published)
    expected = [f"a ({BERT}, 2018) is the preprint of b ({BERT.upper()}, 2019); cite the publication"]
    assert told(first, second) == expected
    assert told(second, first) == expected


def test_an_arxiv_id_tells_even_if_the_title_changed() -> None:
    first, second = (
        document("a", "An older name", arxiv="1810.04805"),
        document("b", arxiv="1810.04805v2", booktitle="NAACL"),
    )
    assert [found.kind for found in duplicates(first, [second])] == ["preprint"]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ({"doi": "10.1000/1"}, {"doi": "https://doi.org/10.1000/1"}, "DOI"),
        ({"arxiv": "1810.04805v1"}, {"arxiv": "1810.04805v2"}, "arXiv"),
        ({}, {}, "title"),
    ],
)
def test_the_same_identifier_or_title(one: dict[str, str], other: dict[str, str], kind: str) -> None:
    [found] = duplicates(document("a", **one), [document("b", **other)])
    assert found.kind == kind
    assert f"has the same {kind} as b ({BERT}, 2019)" in str(found)


def test_the_same_content() -> None:
    [found] = duplicates(document("a", "x"), [document("b", "y", year=None), document("c", "z")], same_content={"b"})
    assert str(found) == "a (x, 2019) has the same content as b (y); one of them can go"


@pytest.mark.parametrize(
    "title", ["Introduction", "Editorial", "Annual report", "Annual Report 2019", "Letters to the Editor", "引言"]
)
def test_titles_that_many_works_have_are_not_told(title: str) -> None:
    assert told(document("a", title, arxiv="1810.04805"), document("b", title, booktitle="NAACL")) == []
    assert told(document("a", title), document("b", title)) == []


@pytest.mark.parametrize(
    ("year", "authors", "expected"),
    [
        (2021, (), 1),
        (2022, (), 0),
        (2022, ("Alan Turing",), 0),
        (2022, ("Lovelace, Ada",), 1),
        (None, ("Alan Turing",), 1),
    ],
)
def test_the_same_title_after_years_needs_an_author_in_common(
    year: int | None, authors: tuple[str, ...], expected: int
) -> None:
    title = "State of the research library and its users"
    first, second = document("a", title, authors=("Ada Lovelace",)), document("b", title, year=year, authors=authors)
    assert len(told(first, second)) == expected


def test_the_same_title_with_two_publications_needs_an_author_in_common() -> None:
    first = document("a", doi="10.1000/1", authors=("Ada Lovelace",))
    assert told(first, document("b", doi="10.1000/2", authors=("Alan Turing",))) == []
    assert told(first, document("b", doi="10.1000/2", authors=("A. Lovelace",))) != []


def test_other_works_and_the_document_itself_are_not_told() -> None:
    said = document("a", doi="10.1000/1")
    assert duplicates(said, [said, document("b", "Deep residual learning", doi="10.1000/2"), document("c", "")]) == ()
