"""What is known of a document, by whom, and which of it counts."""

import pytest

from scholarmind.errors import QueryError
from scholarmind.library.descriptions import by_hand, explained, facts_of, parse_correction, settled, spoken
from scholarmind.model import BibEntry, Document, Fact


def document(**fields: object) -> Document:
    return Document(**{"id": "a", "title": "Bert", "year": 2018, "origin": "/p/bert.pdf", **fields})  # type: ignore[arg-type]


def fact(field: str, value: object, sure: float, by: str = "file", source: str = "first page") -> Fact:
    return Fact(field=field, value=value, source=source, sure=sure, by=by)  # type: ignore[arg-type]


def entry(**fields: object) -> BibEntry:
    said = {
        "id": "devlin2019",
        "title": "BERT",
        "authors": ("Jacob Devlin",),
        "year": 2019,
        "kind": "inproceedings",
        **fields,
    }
    return BibEntry(key="devlin2019", line=12, document=Document(origin="/p/library.bib", **said))  # type: ignore[arg-type]


def test_the_surest_fact_of_each_field_counts() -> None:
    facts = [
        fact("title", "bert_final_v2", 0.2),
        fact("title", "BERT", 0.8),
        fact("authors", ("J. Devlin",), 0.6),
        fact("authors", ("Jacob Devlin",), 0.8),
        fact("doi", "10.1/1", 0.9),
        fact("year", 2018, 0.3),
        fact("year", 2019, 0.95, "bibliography"),
    ]
    found = settled(document(), facts)
    assert (found.title, found.authors, found.year, found.metadata) == (
        "BERT",
        ("Jacob Devlin",),
        2019,
        {"doi": "10.1/1"},
    )
    assert (found.id, found.origin) == ("a", "/p/bert.pdf")


def test_of_two_that_are_as_sure_the_first_counts_unless_the_other_came_from_outside() -> None:
    facts = [fact("title", "first", 0.8), fact("title", "second", 0.8)]
    assert settled(document(), facts).title == "first"
    assert settled(document(), facts[::-1]).title == "second"
    assert settled(document(), [*facts, fact("title", "listed", 0.8, "bibliography")]).title == "listed"


@pytest.mark.parametrize(("sure", "title"), [(0.95, "BERT"), (0.8, "Bert")])
def test_a_matched_bibliography_counts_more_than_front_matter_and_a_doubtful_match_less(
    sure: float, title: str
) -> None:
    assert settled(document(), facts_of(entry(), "DOI", sure)).title == title


def test_a_first_page_counts_less_than_a_doubtful_match() -> None:
    facts = [fact("title", "Bert", 0.6), *facts_of(entry(), "file", 0.8)]
    assert settled(document(), facts).title == "BERT"


def test_by_hand_counts_most_and_can_empty_a_field() -> None:
    said = document(authors=("A",), kind="paper", source="x", language="en", metadata={"doi": "10.1/1", "note": "n"})
    emptied = [by_hand(field, None) for field in ("title", "authors", "year", "kind", "source", "language", "doi")]
    found = settled(said, [*facts_of(entry(), "file", 0.95), *emptied])
    assert found == Document(id="a", title="", origin="/p/bert.pdf", metadata={"note": "n"})


def test_fields_that_nobody_speaks_of_stay_as_they_are() -> None:
    said = document(language="en", metadata={"tags": ("a", "b"), "rank": 3})
    assert settled(said, ()) == said


def test_settling_again_changes_nothing_and_what_lost_can_be_taken_up_again() -> None:
    said = document(metadata={"note": "n"})
    facts = spoken(said, facts_of(entry(), "file", 0.95))
    once = settled(said, facts)
    assert (once.title, settled(once, facts)) == ("BERT", once)
    assert {fact.field for fact in facts if fact.by == "file"} == {"title", "year", "note"}
    assert settled(once, [fact for fact in facts if fact.by == "file"]).title == "Bert"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (fact("year", "2019", 0.95), ("year", 2019)),
        (fact("year", "n.d.", 0.95), ("year", 2018)),
        (fact("year", 19, 0.95), ("year", 2018)),
        (fact("authors", "Jacob Devlin", 0.95), ("authors", ("Jacob Devlin",))),
        (fact("authors", ("A", " "), 0.95), ("authors", ("A",))),
        (fact("title", 1984, 0.95), ("title", "1984")),
        (fact("id", "other", 1), ("id", "a")),
        (fact("origin", "/etc/passwd", 1), ("origin", "/p/bert.pdf")),
    ],
)
def test_a_value_gets_the_form_of_its_field_or_says_nothing(given: Fact, expected: tuple[str, object]) -> None:
    found = settled(document(), [given])
    assert getattr(found, expected[0]) == expected[1]
    assert dict(found.metadata) == {}


def test_an_entry_says_its_fields_and_where_it_stands() -> None:
    metadata = {
        "journal": "J",
        "doi": "10.1/1",
        "file": "x.pdf",
        "timestamp": "2020",
        "abstract": "long",
        "bdsk-url-1": "u",
    }
    facts = facts_of(entry(metadata=metadata), "DOI", 0.95)
    assert {fact.field for fact in facts} == {"title", "authors", "year", "kind", "journal", "doi"}
    assert {(fact.source, fact.sure, fact.by) for fact in facts} == {("library.bib, line 12", 0.95, "bibliography")}
    assert {fact.source for fact in facts_of(entry(), "title", 0.8)} == {"library.bib, line 12 (by title)"}


def test_each_field_is_explained() -> None:
    facts = [fact("title", "Bert!", 0.8), *facts_of(entry(), "DOI", 0.95), by_hand("note", "read")]
    noted = document(metadata={"note": "new"})
    told = {item.field: item for item in explained(noted, spoken(noted, facts))}
    assert [*told] == ["title", "authors", "year", "kind", "note"]
    assert (told["title"].value, told["title"].source, told["title"].sure) == ("BERT", "library.bib, line 12", 0.95)
    assert [(other.value, other.source) for other in told["title"].others] == [("Bert!", "first page")]
    assert [(other.value, other.source, other.sure) for other in told["year"].others] == [(2018, "the file", 0.9)]
    assert (told["note"].value, told["note"].source) == ("read", "by hand")
    assert [other.value for other in told["note"].others] == ["new"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year=2019", ("year", 2019)),
        (" Year = 2019 ", ("year", 2019)),
        ("year=", ("year", None)),
        ("title=A = B", ("title", "A = B")),
        ("title=  two\n lines ", ("title", "two lines")),
        ("authors=Ada Lovelace; Alan Turing;", ("authors", ("Ada Lovelace", "Alan Turing"))),
        ("author=王小明；李四", ("authors", ("王小明", "李四"))),
        ("authors=", ("authors", None)),
        ("Language=ZH", ("language", "zh")),
        ("type=article", ("kind", "article")),
        ("volume=12", ("volume", "12")),
        ("doi=10.1000/182", ("doi", "10.1000/182")),
        ("自定义=值", ("自定义", "值")),
        ("title=\udcff", ("title", "?")),
    ],
)
def test_a_correction_is_a_field_and_its_value(text: str, expected: tuple[str, object]) -> None:
    assert parse_correction(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("year", "write field=value"),
        ("=2019", "write field=value"),
        ("", "write field=value"),
        ("year=19", "four digits between 1000 and 2199"),
        ("year=999", "four digits"),
        ("year=2200", "four digits"),
        ("year=2019a", "'2019a'"),
        ("year=-500", "four digits"),
        ("authors=;;", "separate names by ';'"),
        ("id=x", "'id' cannot be corrected"),
        ("collection=x", "cannot be corrected"),
        ("my field=x", "is no name of a field"),
        ("1st=x", "is no name of a field"),
        ("doi=about:blank", "10.1000/182"),
        ("title=" + "x" * 10_001, "10,001 characters"),
    ],
)
def test_what_is_no_correction_is_told_with_what_would_be(text: str, told: str) -> None:
    with pytest.raises(QueryError, match=told):
        parse_correction(text)
