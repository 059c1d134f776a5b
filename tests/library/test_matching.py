"""Which entry of a bibliography a document is, and what the report says of it."""

from pathlib import Path

import pytest

from scholarmind.library.matching import Match, Matcher
from scholarmind.library.report import outcome, remarks, report, without_entry
from scholarmind.model import BibEntry, Document, Fact

BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
RESNET = "Deep Residual Learning for Image Recognition"
BIBLIOGRAPHY = "/home/ada/library.bib"


def entry(
    key: str, title: str = "", *, files: tuple[str, ...] = (), origin: str = BIBLIOGRAPHY, **fields: object
) -> BibEntry:
    own = {name: fields.pop(name) for name in ("authors", "year") if name in fields}
    line = 1 + 10 * (sum(map(ord, key)) % 100)
    said = Document(id=key, title=title, origin=origin, metadata=fields, **own)  # type: ignore[arg-type]
    return BibEntry(key=key, line=line, document=said, files=files)


def document(title: str = "", *, id: str = "d", **fields: object) -> Document:
    own = {name: fields.pop(name) for name in ("authors", "year") if name in fields}
    return Document(id=id, title=title, metadata=fields, **own)  # type: ignore[arg-type]


def matched(
    entries: list[BibEntry], said: Document, path: str = "/home/ada/papers/scan.pdf", facts: tuple[Fact, ...] = ()
) -> tuple[str, str] | None:
    match = Matcher(entries).match(said, facts, Path(path))
    return (match.entry.key, match.how) if match else None


def fact(field: str, value: object, sure: float = 0.8) -> Fact:
    return Fact(field=field, value=value, source="first page", sure=sure)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "named",
    [
        "/home/ada/papers/Müller 2019.pdf",
        "papers/Müller 2019.pdf",
        "./papers/../papers/Müller 2019.pdf",
        "papers/M%C3%BCller%202019.pdf",
        "papers/Mu\u0308ller 2019.pdf",
        "file:///home/ada/papers/M%C3%BCller%202019.pdf",
        "C:\\Users\\ada\\Zotero\\storage\\ABCD\\Müller 2019.pdf",
        "C\\:/Users/ada/papers/Müller 2019.pdf",
        "/C:/Users/ada/papers/Müller 2019.pdf",
        "\\\\server\\share\\MÜLLER 2019.PDF",
        "/Volumes/stick/papers/Müller 2019.pdf",
        "Müller 2019.pdf",
    ],
)
def test_the_file_field_names_the_file(named: str) -> None:
    entries = [entry("other", files=("papers/Other.pdf",)), entry("a", "Anything", files=(named,))]
    assert matched(entries, document("A title that was read wrongly"), "/home/ada/papers/Müller 2019.pdf") == (
        "a",
        "file",
    )


def test_a_name_that_two_entries_have_is_told_apart_by_its_folders_or_not_at_all() -> None:
    entries = [
        entry("a", files=("C:\\z\\storage\\AAAA\\Full Text.pdf",)),
        entry("b", files=("C:\\z\\storage\\BBBB\\Full Text.pdf",)),
    ]
    assert matched(entries, document(), "/home/ada/storage/BBBB/Full Text.pdf") == ("b", "file")
    assert matched(entries, document(), "/home/ada/Full Text.pdf") is None


@pytest.mark.parametrize(
    ("said", "path", "entries", "how"),
    [
        ({"doi": "https://doi.org/10.18653/V1/N19-1423"}, "scan.pdf", {"doi": "10.18653/v1/n19-1423"}, "DOI"),
        ({"doi": "10.18653/v1/N19-1423."}, "scan.pdf", {"url": "https://doi.org/10.18653/v1/N19-1423"}, "DOI"),
        ({"arxiv": "1810.04805v2"}, "scan.pdf", {"eprint": "1810.04805", "archiveprefix": "arXiv"}, "arXiv"),
        ({"arxiv": "1810.04805"}, "scan.pdf", {"journal": "arXiv preprint arXiv:1810.04805"}, "arXiv"),
        ({"arxiv": "1810.04805"}, "scan.pdf", {"journal": "CoRR", "volume": "abs/1810.04805"}, "arXiv"),
        ({"arxiv": "1810.04805"}, "scan.pdf", {"doi": "10.48550/arXiv.1810.04805"}, "arXiv"),
        ({"doi": "10.48550/arXiv.1810.04805"}, "scan.pdf", {"url": "http://arxiv.org/abs/1810.04805v1"}, "arXiv"),
        ({}, "1810.04805v2.pdf", {"eprint": "1810.04805"}, "arXiv"),
        ({}, "arXiv-1810.04805 - BERT.pdf", {"eprint": "1810.04805"}, "arXiv"),
        ({}, "hep-th9901001.pdf", {"eprint": "hep-th/9901001"}, "arXiv"),
    ],
)
def test_identifiers(said: dict[str, str], path: str, entries: dict[str, str], how: str) -> None:
    found = matched(
        [entry("other", doi="10.1000/2", eprint="1706.03762"), entry("a", **entries)], document(**said), f"/p/{path}"
    )
    assert found == ("a", how)


@pytest.mark.parametrize("path", ["2019.12345.pdf", "1234.56789.pdf", "report 1810.04805.pdf"])
def test_other_numbers_in_names_of_files_are_no_arxiv_ids(path: str) -> None:
    assert (
        matched(
            [entry("a", eprint="2019.12345"), entry("b", eprint="1234.56789"), entry("c", eprint="1810.04805")],
            document(),
            path,
        )
        is None
    )


def test_the_order_is_file_then_doi_then_arxiv_then_title() -> None:
    said = document(BERT, year=2019, doi="10.1000/1", arxiv="1810.04805")
    by_file, by_doi = entry("a", files=("papers/bert.pdf",)), entry("b", doi="10.1000/1")
    by_arxiv, by_title = entry("c", eprint="1810.04805"), entry("d", BERT, year=2019)
    rest = [by_title, by_arxiv, by_doi, by_file]
    found: list[tuple[str, str] | None] = []
    while rest:
        found.append(matched(rest, said, "/home/ada/papers/bert.pdf"))
        rest.pop()
    assert found == [("a", "file"), ("b", "DOI"), ("c", "arXiv"), ("d", "title")]


def test_facts_give_further_titles_and_identifiers() -> None:
    entries = [entry("a", BERT, year=2019), entry("b", doi="10.1000/7")]
    facts = (fact("title", "Microsoft Word - final.doc", 0.6), fact("title", BERT, 0.3))
    assert matched(entries, document("Microsoft Word - final.doc", year=2019), facts=facts) == ("a", "title")
    assert matched(entries, document("x"), facts=(fact("doi", "10.1000/7", 0.9),)) == ("b", "DOI")
    assert matched(entries, document("x"), facts=(fact("doi", "10.1000/7", 0.3),)) is None


@pytest.mark.parametrize(
    ("year", "other", "found"),
    [
        (2019, 2019, True),
        (2018, 2019, True),
        (2017, 2019, False),
        (2021, 2019, False),
        (None, 2019, True),
        (2017, None, True),
    ],
)
def test_a_title_alone_is_not_believed_where_years_differ_by_more_than_one(
    year: int | None, other: int | None, found: bool
) -> None:
    assert (matched([entry("a", BERT, year=other)], document(BERT, year=year)) == ("a", "title")) == found


def test_a_year_that_is_only_a_guess_does_not_count() -> None:
    said = document(BERT, year=2023)
    assert matched([entry("a", BERT, year=2019)], said, facts=(fact("year", 2023, 0.3),)) == ("a", "title")
    assert matched([entry("a", BERT, year=2019)], said, facts=(fact("year", 2023, 0.8),)) is None


@pytest.mark.parametrize(
    ("title", "found"),
    [
        (BERT.upper(), True),
        ("Pre-training of Deep Bidirectional Transformers for Language Understanding", True),
        ("Pretraining of deep bidirectional trans-\nformers for language understanding", True),
        ("BERT:Pre-trainingofDeepBidirectionalTransforrnersforLanguageUnderstanding", True),
        ("Pre-training of Deep Unidirectional Transformers for Image Understanding", False),
        ("Reply to: " + BERT, False),
        ("BERT", False),
    ],
)
def test_titles_that_were_read_badly(title: str, found: bool) -> None:
    entries = [entry("a", BERT, year=2019), entry("b", RESNET, year=2019)]
    assert matched(entries, document(title, year=2019)) == (("a", "title") if found else None)


@pytest.mark.parametrize("title", ["Introduction", "Annual report", "Editorial", "引言"])
def test_titles_that_many_works_have_are_not_believed(title: str) -> None:
    assert (
        matched(
            [entry("a", title, year=2019, authors=("A. Person",))], document(title, year=2019, authors=("A. Person",))
        )
        is None
    )


def test_a_short_title_needs_a_year_or_an_author() -> None:
    entries = [entry("a", "Word vectors", year=2019, authors=("Ada Lovelace",))]
    assert matched(entries, document("Word vectors")) is None
    assert matched(entries, document("Word vectors", authors=("A. Lovelace",))) == ("a", "title")
    assert matched(entries, document("Word vectors", year=2020)) == ("a", "title")
    assert matched(entries, document("Word vectors", year=2019, authors=("Alan Turing",))) is None


def test_of_two_that_fit_equally_well_none_is_taken() -> None:
    entries = [entry("a", BERT, year=2019), entry("b", BERT, year=2019), entry("c", RESNET)]
    matcher = Matcher(entries)
    assert matcher.match(document(BERT, year=2019), (), Path("/home/ada/papers/bert.pdf")) is None
    assert matcher.misses["d"].reason == "the entries 'a' and 'b' fit it equally well"
    listed = outcome(entries, {}, matcher.misses)
    assert [item.how for item in listed[:2]] == [
        "the entries 'a' and 'b' fit it equally well (papers/bert.pdf); add file = {papers/bert.pdf} to the right one"
    ] * 2
    assert "no file has its DOI" in listed[2].how


def test_the_year_decides_between_preprint_and_publication() -> None:
    entries = [entry("preprint", BERT, year=2018), entry("published", BERT, year=2019)]
    assert matched(entries, document(BERT, year=2019)) == ("published", "title")
    assert matched(entries, document(BERT, year=2018)) == ("preprint", "title")


def test_a_work_that_is_listed_twice_is_matched_under_both_keys() -> None:
    entries = [
        entry("a", BERT, doi="10.1000/1"),
        entry("b", BERT, doi="10.1000/1"),
        entry("c", BERT, origin="/home/ada/other.bib"),
        entry("d", RESNET),
    ]
    match = Matcher(entries).match(document(BERT, doi="10.1000/1"), (), Path("x.pdf"))
    assert match
    assert [item.document for item in outcome(entries, {"d": match})] == ["d", "d", "", ""]
    twice = [entry("a", BERT), entry("c", BERT, origin="/home/ada/other.bib")]
    match = Matcher(twice).match(document(BERT), (), Path("x.pdf"))
    assert match
    assert [item.document for item in outcome(twice, {"d": match})] == ["d", "d"]


def test_contradicting_evidence_is_less_sure_and_told() -> None:
    a, b = entry("a", BERT, files=("papers/x.pdf",), doi="10.1000/1"), entry("b", RESNET, doi="10.1000/2")
    sure = Matcher([a, b]).match(document(BERT, doi="10.1000/1"), (), Path("/home/ada/papers/x.pdf"))
    other_title = Matcher([a, b]).match(document("Protein folding on lattices"), (), Path("/home/ada/papers/x.pdf"))
    doubtful = Matcher([a, b]).match(document(RESNET, doi="10.1000/2"), (), Path("/home/ada/papers/x.pdf"))
    assert sure
    assert other_title
    assert doubtful
    assert (sure.sure, other_title.sure, doubtful.sure) == (0.95, 0.95, 0.8)
    assert (doubtful.entry.key, doubtful.how) == ("a", "file")
    assert doubtful.remark == "its file field names this file, but the title and the DOI are others"


def test_the_bare_name_of_a_file_counts_less_than_its_doi_or_title_if_they_contradict() -> None:
    entries = [entry("a", BERT, files=("D:\\old\\paper.pdf",)), entry("b", RESNET, doi="10.1000/2", year=2016)]
    assert matched(entries, document(RESNET, doi="10.1000/2"), "/home/ada/new/paper.pdf") == ("b", "DOI")
    assert matched(entries, document(RESNET, year=2016), "/home/ada/new/paper.pdf") == ("b", "title")
    assert matched(entries, document(BERT), "/home/ada/new/paper.pdf") == ("a", "file")
    match = Matcher(entries).match(document("Protein folding on lattices"), (), Path("/home/ada/new/paper.pdf"))
    assert match
    assert (match.how, match.sure) == ("file", 0.8)


def test_a_doi_whose_title_is_another_is_doubtful() -> None:
    match = Matcher([entry("a", BERT, doi="10.1000/1")]).match(
        document("Protein folding on lattices", doi="10.1000/1"), (), Path("x.pdf")
    )
    assert match
    assert (match.sure, match.remark) == (0.8, "the DOI agrees, but the title is another")


def test_an_entry_of_two_files_goes_to_the_stronger_match() -> None:
    entries = [entry("a", BERT, files=("papers/bert.pdf",), doi="10.1000/1")]
    matcher = Matcher(entries)
    matches: dict[str, Match] = {}
    for id, name in (("supplement", "bert-supplement.pdf"), ("main", "bert.pdf")):
        match = matcher.match(document(BERT, id=id, doi="10.1000/1"), (), Path("/home/ada/papers") / name)
        assert match
        matches[id] = match
    assert [item.document for item in outcome(entries, matches)] == ["main"]
    [told] = remarks(matches)
    assert told == (
        f"/home/ada/papers/bert-supplement.pdf: matched with library.bib, line {entries[0].line}, key a too, "
        "which /home/ada/papers/bert.pdf is by stronger evidence"
    )


def test_the_report_counts_and_gives_a_line_to_fix_for_each_entry_without_a_file() -> None:
    entries = [
        entry("a", files=("papers/a.pdf",)),
        entry("b", doi="10.1000/b"),
        entry("c", RESNET, year=2016),
        entry("near", "Pre-training of Deep Transformers for Language Understanding", year=2019),
        entry("gone", "Protein folding on lattices", files=("papers/gone.pdf",)),
        entry("none", "Grammatical evolution of compilers"),
        entry("old", "Attention and its history in the brain sciences", year=1998),
    ]
    files = {
        "a": (document("A"), "papers/a.pdf"),
        "b": (document("B", doi="10.1000/b"), "papers/b.pdf"),
        "c": (document(RESNET, year=2016), "papers/c.pdf"),
        "near": (document("Pre-training of Deep Tensors for Language Understanding", year=2019), "papers/bert.pdf"),
        "old": (document("Attention and its history in the brain sciences", year=2011), "papers/attention.pdf"),
    }
    matcher = Matcher(entries)
    matches: dict[str, Match] = {}
    for id, (said, name) in files.items():
        if match := matcher.match(
            Document(id=id, title=said.title, year=said.year, metadata=said.metadata), (), Path("/home/ada") / name
        ):
            matches[id] = match
    told = report(
        outcome(entries, matches, matcher.misses),
        without=without_entry(matcher.misses.values()),
        remarks=remarks(matches),
    )
    lines = told.lines()
    assert lines[0] == (
        "3 of 7 entries matched a file (1 by file field, 1 by DOI, 1 by title); 4 have none and are kept as entries"
    )
    score = max(near.likeness for near in matcher.misses["near"].near)
    assert 0.6 < score < 0.9
    reasons = [
        f"title {score:.2f} like papers/bert.pdf (2019); add file = {{papers/bert.pdf}}",
        "its file 'papers/gone.pdf' is not among those added; add it, or mend the file field",
        "no file has its DOI, arXiv id or title; add the file, or leave it as it is",
        (
            "title 1.00 like papers/attention.pdf (2011), but the file is of 2011, the entry of 1998; "
            "add file = {papers/attention.pdf} if it is the same work"
        ),
    ]
    assert lines[1:] == [
        *(
            f"{BIBLIOGRAPHY}, line {one.line}, key {one.key}: {why}"
            for one, why in zip(entries[3:], reasons, strict=True)
        ),
        "no entry: /home/ada/papers/bert.pdf (no entry has its DOI, arXiv id or title)",
        "no entry: /home/ada/papers/attention.pdf (no entry has its DOI, arXiv id or title)",
    ]
    assert told.lines(most=1)[1:3] == [lines[1], "... and 3 more entries"]


def test_what_is_kept_makes_the_same_report() -> None:
    entries = [entry("a", files=("papers/a.pdf",)), entry("b")]
    match = Matcher(entries).match(document(), (), Path("/home/ada/papers/a.pdf"))
    assert match
    assert report(outcome(entries, {"d": match})).lines()[0] == (
        "1 of 2 entries matched a file (1 by file field); 1 has none and is kept as an entry"
    )
    assert report([]).lines() == ["0 of 0 entries matched a file"]


def test_a_file_that_is_matched_later_is_no_miss_any_more() -> None:
    matcher = Matcher([entry("a", BERT, year=2019)])
    assert matcher.match(document("Something else entirely"), (), Path("a.pdf")) is None
    assert [*matcher.misses] == ["d"]
    assert matcher.match(document(BERT, year=2019), (), Path("a.pdf"))
    assert matcher.misses == {}


def test_entries_without_anything_match_nothing() -> None:
    entries = [entry("a"), entry("b", "", files=("", "/", ".", "..", "%")), entry("c", "?!")]
    assert matched(entries, document()) is None
    assert matched(entries, document(BERT, year=2019), "/") is None
    assert matched([], document(BERT)) is None
