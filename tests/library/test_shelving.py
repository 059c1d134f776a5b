"""Bibliographies and files going together: through `Library.add`, as people use it."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from docx import Document as Docx
from openpyxl import Workbook
from reportlab.pdfgen.canvas import Canvas

from scholarmind import Counts, Library, Settings
from scholarmind.library.report import MatchReport
from scholarmind.ports import Embeddings
from scholarmind.testing import HashEmbedder

ABSTRACT = "Porcupines of the high plateau dig burrows under frozen lichen."
TITLES = {
    "burrow": "Burrowing Habits of Plateau Porcupines",
    "lichen": "Lichen Growth under Permanent Snow Cover",
    "osmosis": "Osmotic Pressure in Alpine Root Systems",
}


class CountingEmbedder(HashEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        self.texts += texts
        return await super().embed(texts)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """An empty folder for papers."""
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    """Where the bibliography will be."""
    return tmp_path / "library.bib"


def entry(key: str, **fields: object) -> str:
    """Return an entry of a BibTeX file."""
    told = {"title": TITLES.get(key, f"A study called {key} of nothing else"), "author": "Lovelace, Ada", **fields}
    told = {"year": 2019, **told}
    return f"@article{{{key},\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in told.items()) + "}\n\n"


def note(folder: Path, name: str, text: str = "Words about something.", **front: object) -> Path:
    """Write a Markdown file with front matter."""
    path = folder / name
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    path.write_text(f"---\n{head}---\n{text}\n" if head else f"{text}\n")
    return path


def titles(library: Library) -> list[str]:
    """Return the titles of all documents."""
    return sorted(document.title for document in library.documents())


def by_origin(library: Library, path: Path) -> dict[str, object]:
    """Return the fields of the document of a file."""
    (document,) = [document for document in library.documents() if document.origin == str(path)]
    return dataclasses.asdict(document)


def matched(library: Library, collection: str = "default") -> MatchReport:
    """Return the report that is kept."""
    found = library.matches(collection)
    assert found is not None
    return found


def ids(library: Library) -> list[str]:
    """Return the ids of all documents."""
    return sorted(document.id for document in library.documents())


# -- matching


def test_entries_describe_files_by_file_field_doi_arxiv_and_title(library: Library, papers: Path, bib: Path) -> None:
    files = {
        "file": note(papers, "scan0001.md", title="scan"),
        "doi": note(papers, "b.md", title="Osmotic pressure of roots", doi="10.1234/abc"),
        "arxiv": note(papers, "1904.01234v2.md", title="A study called eprint"),
        "title": note(papers, "t.md", title=TITLES["lichen"].lower(), year=2019),
    }
    bib.write_text(
        entry("burrow", file=f":{files['file']}:text")
        + entry("osmosis", doi="https://doi.org/10.1234/ABC")
        + entry("eprint", eprint="1904.01234", archiveprefix="arXiv")
        + entry("lichen", journal="Snow")
    )
    report = library.add(papers, bibliographies=bib)
    assert report.problems == []
    assert report.matches is not None
    assert report.matches.matched == matched(library).matched
    assert (report.added, report.files) == (4, 5)
    assert dict(report.matches.matched) == {"file": 1, "DOI": 1, "arXiv": 1, "title": 1}
    assert report.matches.unmatched == ()
    assert (
        report.matches.lines()[:1]
        == matched(library).lines()
        == ["4 of 4 entries matched a file (1 by file field, 1 by DOI, 1 by arXiv, 1 by title)"]
    )
    assert titles(library) == sorted([*TITLES.values(), "A study called eprint of nothing else"])
    told = by_origin(library, files["title"])
    assert (told["authors"], told["year"]) == (("Lovelace, Ada",), 2019)


def test_an_entry_without_a_file_is_found_by_its_abstract(library: Library, bib: Path) -> None:
    bib.write_text(entry("burrow", abstract=ABSTRACT, journal="Mountains"))
    report = library.add(bibliographies=bib)
    assert (report.added, report.passages, report.embedded) == (1, 1, 1)
    assert report.matches is not None
    assert report.matches.lines()[0] == "0 of 1 entry matched a file; 1 has none and is kept as an entry"
    (hit,) = library.search("frozen lichen").evidence
    assert (hit.passage.text, hit.document.title, hit.document.year) == (ABSTRACT, TITLES["burrow"], 2019)
    assert hit.document.origin == str(bib)
    again = library.add(bibliographies=bib)
    assert (again.added, again.replaced, again.unchanged, again.passages) == (0, 0, 1, 0)
    assert library.counts()["default"].documents == 1


def test_without_an_abstract_its_title_is_what_is_found(library: Library, bib: Path) -> None:
    bib.write_text(entry("osmosis"))
    library.add(bib)
    assert [hit.passage.text for hit in library.search("alpine root").evidence] == [TITLES["osmosis"]]


def test_the_document_of_an_entry_goes_when_its_file_comes(library: Library, papers: Path, bib: Path) -> None:
    bib.write_text(entry("burrow", abstract=ABSTRACT) + entry("lichen", abstract="Snow."))
    library.add(bibliographies=bib)
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"], year=2019, kind="paper")
    report = library.add(papers, bibliographies=bib)
    assert (report.added, report.replaced, report.removed) == (0, 1, 0), "the entry became its file"
    assert report.problems == [], "there are no two of it"
    assert titles(library) == sorted([TITLES["burrow"], TITLES["lichen"]])
    assert by_origin(library, path)["authors"] == ("Lovelace, Ada",)
    assert library.search("frozen", mode="keyword").evidence == ()


def test_an_entry_whose_file_another_collection_has_is_no_document_of_its_own(
    library: Library, papers: Path, bib: Path
) -> None:
    bib.write_text(entry("burrow") + entry("lichen"))
    note(papers, "p.md", "The paper itself.", title=TITLES["burrow"], year=2019, kind="paper")
    library.add(papers, collection="papers")
    library.add(bibliographies=bib)
    assert titles(library) == sorted([TITLES["burrow"], TITLES["lichen"]])


def test_it_comes_back_when_the_file_goes(library: Library, papers: Path, bib: Path) -> None:
    bib.write_text(entry("burrow", abstract=ABSTRACT))
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"], year=2019)
    library.add(papers, bibliographies=bib)
    path.unlink()
    library.add(papers, bibliographies=bib, prune="really")  # the folder is empty now
    assert [document.origin for document in library.documents()] == [str(bib)]
    assert matched(library).lines()[0].startswith("0 of 1 entry")


def test_a_file_may_have_the_id_of_the_entry_that_stood_for_it(library: Library, papers: Path, bib: Path) -> None:
    bib.write_text(entry("burrow", abstract=ABSTRACT))
    library.add(bibliographies=bib)
    (before,) = ids(library)
    path = note(papers, "p.md", "The paper itself.", id=before, title=TITLES["burrow"], year=2019)
    report = library.add(papers, bibliographies=bib)
    assert report.problems == []
    assert [document.origin for document in library.documents()] == [str(path)]


# -- again, after changes


def test_a_changed_bibliography_describes_files_again_that_are_not_read(
    tmp_path: Path, papers: Path, bib: Path
) -> None:
    embedder = CountingEmbedder()
    path = note(papers, "p.md", "The paper itself. " * 20, title=TITLES["burrow"])
    other = note(papers, "q.md", "Another one. " * 20, title=TITLES["lichen"])
    bib.write_text(entry("burrow", journal="Old") + entry("lichen"))
    with Library(Settings(library=tmp_path / "counted"), embedder=embedder) as library:
        library.add(papers, bibliographies=bib)
        embedder.texts.clear()
        bib.write_text(entry("burrow", year=2020, journal="New") + entry("lichen"))
        report = library.add(papers, bibliographies=bib)
        assert (report.added, report.replaced, report.unchanged) == (0, 1, 1)
        assert by_origin(library, path)["year"] == 2020
        assert by_origin(library, path)["metadata"]["journal"] == "New"  # type: ignore[index]
        assert by_origin(library, other)["year"] == 2019
        assert embedder.texts == []
        assert library.counts()["default"].waiting == 0


def test_an_entry_that_was_taken_out_describes_nothing_any_more(library: Library, papers: Path, bib: Path) -> None:
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib.write_text(entry("burrow", journal="Mountains") + entry("lichen"))
    library.add(papers, bibliographies=bib)
    assert by_origin(library, path)["metadata"]["journal"] == "Mountains"  # type: ignore[index]
    bib.write_text(entry("lichen"))
    library.add(papers, bibliographies=bib)
    told = by_origin(library, path)
    assert (told["title"], told["year"], told["authors"]) == (TITLES["burrow"], None, ())
    assert "journal" not in told["metadata"]  # type: ignore[operator]
    assert matched(library).entries == 1


@pytest.mark.parametrize(
    "place",
    [
        "named",
        "folder",
    ],
)
def test_the_document_of_an_entry_that_was_taken_out_goes_with_prune(
    library: Library, papers: Path, bib: Path, place: str
) -> None:
    bib = bib if place == "named" else papers / "library.bib"
    bib.write_text(entry("burrow", abstract=ABSTRACT) + entry("lichen"))
    library.add(papers, bibliographies=[bib])
    bib.write_text(entry("lichen"))
    library.add(papers, bibliographies=[bib], prune=True)
    assert titles(library) == [TITLES["lichen"]]


def test_a_bibliography_that_is_gone_takes_its_entries_along_with_prune(library: Library, papers: Path) -> None:
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib = papers / "library.bib"
    bib.write_text(entry("burrow") + entry("lichen"))
    library.add(papers)
    assert by_origin(library, path)["year"] == 2019
    bib.unlink()
    library.add(papers, prune=True)
    assert [document.origin for document in library.documents()] == [str(path)]
    assert library.matches() is None


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param("", id="empty"),
        pytest.param("\0\1\2" * 100, id="binary"),
        pytest.param("nothing that would be an entry", id="prose"),
    ],
)
def test_a_broken_bibliography_loses_nothing_known_before(
    library: Library, papers: Path, bib: Path, broken: str
) -> None:
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib.write_text(entry("burrow") + entry("lichen", abstract=ABSTRACT))
    library.add(papers, bibliographies=bib)
    before = library.documents()
    bib.write_text(broken)
    report = library.add(papers, bibliographies=bib, prune=True)
    assert [problem.where.startswith(str(bib)) for problem in report.problems] == [True]
    assert library.documents() == before
    assert matched(library).entries == 2
    assert by_origin(library, path)["year"] == 2019


def test_a_bibliography_that_is_gone_for_now_loses_nothing(library: Library, papers: Path, bib: Path) -> None:
    note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib.write_text(entry("burrow") + entry("lichen", abstract=ABSTRACT))
    library.add(papers, bibliographies=bib)
    before = library.documents()
    bib.unlink()
    report = library.add(papers, bibliographies=bib)
    assert [problem.reason for problem in report.problems] == ["there is no such file or folder"]
    assert library.documents() == before


def test_one_broken_entry_costs_itself(library: Library, bib: Path) -> None:
    bib.write_text(entry("burrow") + "@article{broken,\n title = {No end,\n year = 2001\n\n" + entry("lichen"))
    report = library.add(bibliographies=bib)
    assert {TITLES["burrow"], TITLES["lichen"]} <= set(titles(library))
    assert [problem.where.startswith(f"{bib}, line ") for problem in report.problems] == [True]
    assert [p for _, source in library.sources() for p in source.problems] == report.problems
    again = library.add(bibliographies=bib)
    assert (again.added, again.replaced, again.removed) == (0, 0, 0)


def test_later_without_the_bibliography_files_stay_described(library: Library, papers: Path, bib: Path) -> None:
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib.write_text(entry("burrow", journal="Mountains"))
    library.add(papers, bibliographies=bib)
    path.write_text(path.read_text() + "And more.\n")
    new = note(papers, "q.md", "A new file.", title="Something else altogether and so on")
    report = library.add(papers)
    assert (report.added, report.replaced) == (1, 1)
    assert by_origin(library, path)["metadata"]["journal"] == "Mountains"  # type: ignore[index]
    assert by_origin(library, new)["year"] is None
    assert dict(matched(library).matched) == {"title": 1}


def test_a_file_that_comes_later_is_matched_with_what_is_remembered(library: Library, papers: Path, bib: Path) -> None:
    bib.write_text(entry("burrow", abstract=ABSTRACT))
    library.add(bibliographies=bib)
    path = note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    library.add(papers)
    assert [document.origin for document in library.documents()] == [str(path)]
    assert by_origin(library, path)["year"] == 2019


def test_the_advice_is_still_told_the_next_time(library: Library, papers: Path, bib: Path) -> None:
    note(papers, "p.md", "The paper itself.", title=TITLES["burrow"], year=2001)
    bib.write_text(entry("burrow"))
    first = library.add(papers, bibliographies=bib).matches
    assert first is not None
    assert "but the file is of 2001, the entry of 2019" in first.unmatched[0].reason
    library.add(papers, bibliographies=bib)
    assert matched(library).unmatched == first.unmatched


# -- several


def test_two_bibliographies(library: Library, papers: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.bib", tmp_path / "two.ris"
    one.write_text(entry("burrow") + entry("lichen"))
    two.write_text(f"TY  - JOUR\nTI  - {TITLES['osmosis']}\nAU  - Curie, Marie\nPY  - 2001\nID  - osmosis\nER  - \n")
    path = note(papers, "p.md", "The paper itself.", title=TITLES["osmosis"])
    report = library.add(papers, bibliographies=[one, two])
    assert report.matches is not None
    assert (report.matches.entries, report.added) == (3, 3)
    assert by_origin(library, path)["authors"] == ("Curie, Marie",)
    one.write_text(entry("burrow"))
    library.add(bibliographies=one)
    assert {item.bibliography for item in matched(library).unmatched} == {str(one)}
    assert matched(library).entries == 2


def test_the_same_key_in_two_bibliographies(library: Library, tmp_path: Path) -> None:
    one, two = tmp_path / "one.bib", tmp_path / "two.bib"
    one.write_text(entry("smith2019", title="On the colours of beetles in spring", abstract="Beetles shine."))
    two.write_text(entry("smith2019", title="Of taxes on salt in medieval towns", abstract="Salt was dear."))
    library.add(bibliographies=[one, two])
    assert len(titles(library)) == 2
    assert [hit.passage.text for hit in library.search("salt", mode="keyword").evidence] == ["Salt was dear."]
    again = library.add(bibliographies=[one, two])
    assert (again.added, again.replaced, again.removed) == (0, 0, 0)


def test_an_entry_does_not_take_the_id_of_another_document(library: Library, papers: Path, tmp_path: Path) -> None:
    bib = tmp_path / "one.bib"
    bib.write_text(entry("burrow", abstract=ABSTRACT))
    library.add(bibliographies=bib)
    (taken,) = ids(library)
    library.remove([taken])
    note(papers, "p.md", "Of something else.", id=taken, title="A title of quite another work")
    library.add(papers, collection="default")
    library.add(papers, bibliographies=bib)
    assert "A title of quite another work" in titles(library)


def test_of_two_files_for_one_entry_the_better_one_has_it(library: Library, papers: Path, bib: Path) -> None:
    paper = note(papers, "paper.md", "The paper itself.", title=TITLES["burrow"], doi="10.1234/abc")
    other = note(papers, "paper-supplement.md", "Its supplement.", title=f"{TITLES['burrow']} supplement", year=2019)
    bib.write_text(entry("burrow", doi="10.1234/abc", journal="Mountains"))
    report = library.add(papers, bibliographies=bib)
    assert report.matches is not None
    assert dict(report.matches.matched) == {"DOI": 1}
    assert by_origin(library, paper)["metadata"]["journal"] == "Mountains"  # type: ignore[index]
    assert by_origin(library, other)["title"] == f"{TITLES['burrow']} supplement"
    before = library.documents()
    assert library.add(papers, bibliographies=bib).replaced == 0
    assert library.documents() == before


def test_a_second_file_that_comes_later_is_told_with_the_first_ones_name(
    library: Library, papers: Path, bib: Path
) -> None:
    paper = note(papers, "paper.md", "The paper itself.", title="Draft", doi="10.1234/abc")
    bib.write_text(entry("burrow", doi="10.1234/abc"))
    library.add(papers, bibliographies=bib)
    other = note(papers, "zweitens.md", "Another copy of it.", title="Draft", doi="10.1234/abc")
    report = library.add(papers, bibliographies=bib)
    assert report.matches is not None
    (remark,) = report.matches.remarks
    assert (str(other) in remark, str(paper) in remark) == (True, True)


def test_collections_keep_their_bibliographies_apart(library: Library, papers: Path, bib: Path) -> None:
    note(papers, "p.md", "The paper itself.", title=TITLES["burrow"])
    bib.write_text(entry("burrow") + entry("lichen"))
    library.add(papers, collection="one", bibliographies=bib)
    library.add(papers, collection="two")
    assert {name: counts.documents for name, counts in library.counts().items()} == {"one": 2, "two": 1}
    assert (library.matches("two"), matched(library, "one").entries) == (None, 2)
    assert {d.year for d in library.documents('collection = "two"')} == {None}


def test_pruning_a_folder_leaves_entries_of_named_bibliographies(library: Library, papers: Path, bib: Path) -> None:
    path = note(papers, "p.md", "The paper itself.", title="Of something else altogether, again")
    bib.write_text(entry("burrow", abstract=ABSTRACT))
    library.add(papers, bibliographies=bib)
    path.unlink()
    assert library.add(papers, prune="really").removed == 1  # the folder is empty now
    assert titles(library) == [TITLES["burrow"]]


# -- files of every kind


def test_files_of_every_kind_are_found_in_a_folder(library: Library, papers: Path) -> None:
    body = "Porcupines sleep in burrows during the day, and at night they look for lichen."
    plain = {
        "a.md": body,
        "b.txt": body + " A",
        "c.rst": body + " B",
        "d.jsonl": json.dumps({"id": "d", "text": body}),
        "e.html": f"<html><body><p>{body}</p></body></html>",
        "f.tex": f"\\documentclass{{article}}\\begin{{document}}{body}\\end{{document}}",
        "g.ipynb": json.dumps(
            {"cells": [{"cell_type": "markdown", "metadata": {}, "source": [body]}], "metadata": {}, "nbformat": 4}
        ),
        "h.eml": f"From: ada@example.org\nSubject: Porcupines\nContent-Type: text/plain\n\n{body}\n",
        "i.csv": f"animal,habit\nporcupine,{body.replace(',', '')}\n",
        "j.tsv": f"animal\thabit\nporcupine\t{body}\n",
        "k.rtf": f"{{\\rtf1\\ansi {body}\\par}}",
        "l.bib": entry("burrow", abstract=body),
        "m.ris": f"TY  - JOUR\nTI  - {TITLES['lichen']}\nAB  - {body}\nER  - \n",
    }
    for name, text in plain.items():
        (papers / name).write_text(text)
    docx, xlsx = Docx(), Workbook()
    docx.add_paragraph(body)
    docx.save(str(papers / "n.docx"))
    xlsx.active.append(["animal", "habit"])
    xlsx.active.append(["porcupine", body])
    xlsx.save(papers / "o.xlsx")
    canvas = Canvas(str(papers / "p.pdf"))
    canvas.drawString(72, 700, body)
    canvas.save()
    (papers / "q.json").write_text("{}")
    report = library.add(papers)
    assert (report.problems, report.ignored, report.files) == ([], 1, 16)
    found = library.search("porcupines burrows lichen", 50, mode="keyword", per_document=1).evidence
    assert len({hit.document.origin for hit in found}) == 16


def test_bibliographies_in_a_folder_are_found_and_json_only_where_it_is_named(library: Library, papers: Path) -> None:
    (papers / "deep").mkdir()
    (papers / "deep" / "library.bib").write_text(entry("burrow"))
    listed = papers / "list.json"
    listed.write_text(
        '[{"id": "lichen", "type": "article-journal", "title": "' + TITLES["lichen"] + '",'
        ' "author": [{"family": "Curie", "given": "Marie"}], "issued": {"date-parts": [[2001]]}}]'
    )
    report = library.add(papers)
    assert (report.added, report.ignored, report.problems) == (1, 1, [])
    assert library.add(papers, bibliographies=listed).added == 1
    assert titles(library) == sorted([TITLES["burrow"], TITLES["lichen"]])


def test_a_bibliography_that_is_in_the_folder_and_named_is_read_once(library: Library, papers: Path) -> None:
    bib = papers / "library.bib"
    bib.write_text(entry("burrow"))
    report = library.add(papers, bibliographies=bib)
    assert (report.files, report.added) == (1, 1)
    assert library.counts() == {"default": Counts(documents=1, passages=1, vectors=1)}
