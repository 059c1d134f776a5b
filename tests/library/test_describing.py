"""What documents are taken for, when several speak of them: corrections, bibliographies, links between documents, duplicates."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from scholarmind import Library, Settings
from scholarmind.errors import ModelUnavailableError, QueryError
from scholarmind.library.descriptions import explained
from scholarmind.model import Search
from scholarmind.ports import Embeddings
from scholarmind.testing import HashEmbedder

TITLE = "Burrowing Habits of Plateau Porcupines"
CITING = "A Survey of Mammals in Cold Regions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for files."""
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def paper(folder: Path) -> Path:
    """A paper with front matter."""
    path = folder / "p.md"
    path.write_text(f"---\nid: p\ntitle: {TITLE}\nyear: 2018\n---\nThe paper itself.\n")
    return path


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    """A bibliography that has the paper."""
    path = tmp_path / "library.bib"
    path.write_text(
        f"@article{{k, title = {{{TITLE}}}, author = {{Lovelace, Ada}}, year = {{2019}}, journal = {{Mountains}}}}\n"
    )
    return path


def field(library: Library, name: str, id: str = "p") -> tuple[object, str, list[tuple[object, str]]]:
    """Return the value of a field, who said so, and what others say."""
    entry = library.entry(id)
    assert entry is not None
    (found,) = [item for item in explained(entry.document, entry.facts) if item.field == name]
    return found.value, found.source, [(other.value, other.source) for other in found.others]


def web_page(path: Path, title: str, body: str, **meta: str) -> Path:
    """Write a page as publishers do."""
    head = "".join(
        f'<meta name="citation_{name}" content="{value}">' for name, value in {"title": title, **meta}.items()
    )
    path.write_text(f'<html lang="en"><head>{head}</head><body><article>{body}</article></body></html>')
    return path


def id_of(library: Library, path: Path) -> str:
    """Return the id of the document of a file."""
    (found,) = [document.id for document in library.documents() if document.origin == str(path)]
    return found


# -- corrections


def test_a_correction_outlives_everything(library: Library, folder: Path, paper: Path, bib: Path) -> None:
    library.add(folder)
    library.correct("p", ["year=2001", "journal=Valleys"])
    assert field(library, "year") == (2001, "by hand", [(2018, "the file")])
    library.add(folder, bibliographies=bib)
    assert field(library, "year")[0] == 2001
    assert field(library, "journal") == ("Valleys", "by hand", [("Mountains", "library.bib, line 1 (by title)")])
    paper.write_text(paper.read_text() + "And more.\n")
    library.add(folder)
    assert field(library, "year")[:2] == (2001, "by hand")
    bib.write_text(bib.read_text().replace("2019", "2017"))
    library.add(folder, bibliographies=bib)
    value, _, others = field(library, "year")
    assert (value, sorted(others)) == (2001, [(2017, "library.bib, line 1 (by title)"), (2018, "the file")])


def test_what_is_taken_back_leaves_what_the_others_say_now(
    library: Library, folder: Path, paper: Path, bib: Path
) -> None:
    library.add(folder)
    library.correct("p", ["year=2001", "venue=Nowhere"])
    library.add(folder, bibliographies=bib)
    document = library.correct("p", ["year=", "venue="])
    assert (document.year, "venue" in document.metadata) == (2019, False)
    bib.write_text("@article{other, title = {Of quite another thing altogether}}\n")
    library.add(folder, bibliographies=bib)
    assert field(library, "year")[0] == 2018


def test_a_correction_changes_neither_text_nor_vectors(library: Library, folder: Path, paper: Path) -> None:
    library.add(folder)
    before = library.entry("p")
    library.correct("p", ["year=2001", "source=Annals"])
    after = library.entry("p")
    assert before is not None
    assert after is not None
    assert (after.text, after.passages, after.references) == (before.text, before.passages, before.references)
    assert library.counts()["default"].waiting == 0
    report = library.add(folder)
    assert (report.replaced, report.unchanged) == (0, 1)


TEXT = "The porcupine digs a burrow below the snow of the plateau, and lines it with dry grass for the winter. " * 3


def _vectors(library: Library) -> list[tuple[bytes]]:
    sql = "SELECT v.vector FROM vectors v JOIN passages p ON p.number = v.passage ORDER BY p.document, p.position"
    return library.store.database.rows(sql)


def test_another_title_is_found_by_meaning_at_once(library: Library, folder: Path, paper: Path, tmp_path: Path) -> None:
    paper.write_text(f"---\nid: p\ntitle: {TITLE}\n---\n{TEXT}\n")
    library.add(folder)
    before = _vectors(library)
    library.correct("p", ["title=Of Porcupines in Snow"])
    assert library.counts()["default"].waiting == 0
    (found,) = library.search("Of Porcupines in Snow", mode="vector").evidence
    assert (found.document.id, found.document.title) == ("p", "Of Porcupines in Snow")
    paper.write_text(paper.read_text().replace(TITLE, "Of Porcupines in Snow"))
    with Library(Settings(library=tmp_path / "fresh"), embedder=HashEmbedder()) as fresh:
        fresh.add(folder)
        assert _vectors(library) == _vectors(fresh) != before
    library.correct("p", ["title="])
    assert _vectors(library) == before


class _Gone(HashEmbedder):
    """An embedder whose server does not answer any more."""

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        raise ModelUnavailableError(f"the server does not answer, asked for {len(texts)} texts")


def test_a_title_that_cannot_be_embedded_changes_nothing(library: Library, folder: Path, paper: Path) -> None:
    paper.write_text(f"---\nid: p\ntitle: {TITLE}\n---\n{TEXT}\n")
    library.add(folder)
    before = library.documents()
    with Library(library.settings, embedder=_Gone()) as other:
        with pytest.raises(ModelUnavailableError):
            other.correct("p", ["title=Of Porcupines in Snow"])
        other.correct("p", ["year=2001"])  # which no embedder is shown
    assert [(document.title, document.year) for document in library.documents()] == [(TITLE, 2001)]
    assert [document.title for document in before] == [TITLE]
    assert library.search("porcupine burrow", mode="vector").evidence
    library.correct("p", ["title=Of Porcupines in Snow"])
    assert library.counts()["default"].waiting == 0


def test_taking_everything_back_is_as_if_nothing_had_been(
    library: Library, folder: Path, paper: Path, bib: Path
) -> None:
    library.add(folder, bibliographies=bib)
    before = library.documents()
    library.correct("p", ["year=2001", "venue=Nowhere", "title=Other"])
    library.correct("p", ["year=", "venue=", "title="])
    assert library.documents() == before
    assert library.add(folder, bibliographies=bib).replaced == 0


def test_a_correction_of_an_entry_without_a_file_goes_to_nobody_else(library: Library, folder: Path, bib: Path) -> None:
    library.add(bibliographies=bib)
    library.correct("k", ["year=1999"])
    assert library.add(bibliographies=bib).replaced == 0
    assert [document.year for document in library.documents()] == [1999]
    library.remove(["k"])
    library.add(bibliographies=bib)
    assert [document.year for document in library.documents()] == [1999]


def test_nothing_is_corrected_where_one_of_several_is_wrong(library: Library, folder: Path, paper: Path) -> None:
    library.add(folder)
    before = library.documents()
    with pytest.raises(QueryError, match="is no year"):
        library.correct("p", ["venue=X", "year=x"])
    with pytest.raises(QueryError, match="there is no document 'q'"):
        library.correct("q", ["year=2001"])
    with pytest.raises(QueryError, match="there is no document 'p' in 'other'"):
        library.correct("p", ["year=2001"], collection="other")
    assert library.documents() == before


def test_a_corrected_title_is_what_an_entry_is_matched_with(library: Library, folder: Path, bib: Path) -> None:
    """Someone whose file says a wrong title mends that; the entry still goes with the file, by what the file says or by file field."""
    path = folder / "q.md"
    path.write_text("---\nid: q\ntitle: scan 0001\n---\nThe paper itself.\n")
    library.add(folder)
    library.correct("q", ["doi=10.1234/abc"])
    assert library.documents()[0].metadata["doi"] == "10.1234/abc"


# -- documents that hang together


def test_references_of_a_page_lead_to_a_paper_and_back(library: Library, folder: Path) -> None:
    cited = web_page(
        folder / "cited.html",
        TITLE,
        "<h1>Burrows</h1><p>Every porcupine of the plateau digs three burrows.</p>",
        author="Lovelace, Ada",
        publication_date="2019",
    )
    citing = web_page(
        folder / "citing.html",
        CITING,
        "<h1>Survey</h1><p>Zoologists disagree about mammals. Digging was measured before [1], and engines too [2].</p>"
        f"<h2>References</h2><ol><li>A. Lovelace. {TITLE}. Journal of Mountains, 2019.</li>"
        "<li>C. Babbage. On calculating engines of another kind. London, 1832.</li></ol>",
    )
    library.add(folder)
    first, second = id_of(library, cited), id_of(library, citing)
    assert library.citing(first) == [second]
    assert [item.document for item in library.references(second)] == [first, ""]
    assert [item.reference.year for item in library.references(second)] == [2019, 1832]
    entry = library.entry(second)
    assert entry is not None
    assert [entry.text[pointer.start : pointer.end] for pointer in entry.pointers] == ["[1]", "[2]"]
    assert library.search("Babbage calculating engines", mode="keyword").evidence == () or all(
        "Babbage" not in hit.passage.text for hit in library.search("Babbage calculating engines").evidence
    )
    library.remove([first])
    assert [item.document for item in library.references(second)] == ["", ""]


def test_references_of_a_pdf_lead_to_an_entry_without_a_file(library: Library, tmp_path: Path, bib: Path) -> None:
    path = tmp_path / "survey.pdf"
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(72, 740, CITING)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 690, "Zoologists disagree about the mammals of cold regions and their food.")
    canvas.drawString(72, 676, "The digging of burrows was measured before [1] on a frozen plateau.")
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(72, 640, "References")
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 620, f"[1] A. Lovelace. {TITLE}. Mountains, 2019.")
    canvas.drawString(72, 606, "[2] C. Babbage. On calculating engines of another kind. London, 1832.")
    canvas.save()
    library.add(path, bibliographies=bib)
    assert library.citing("k") == [id_of(library, path)]
    cited = library.references(id_of(library, path))
    assert [(item.document, item.reference.label) for item in cited] == [("k", "1"), ("", "2")]
    boxes = library.boxes(id_of(library, path), cited[0].reference.start, cited[0].reference.end)
    assert {box.page for box in boxes} == {1}
    assert all(205 < box.top < 225 for box in boxes)


@pytest.mark.anyio
async def test_a_link_leads_from_the_passage_that_points_to_the_work(library: Library, folder: Path) -> None:
    cited = web_page(
        folder / "cited.html",
        TITLE,
        "<h1>Depth</h1><p>They measured a mean depth of 240 centimetres.</p>",
        author="Lovelace, Ada",
        publication_date="2019",
    )
    citing = web_page(
        folder / "citing.html",
        CITING,
        "<h1>Survey</h1><p>Zoologists of cold regions praise one measurement of holes in the ground [1].</p>"
        f"<h2>References</h2><ol><li>A. Lovelace. {TITLE}. Journal of Mountains, 2019.</li>"
        "<li>C. Babbage. On calculating engines of another kind. London, 1832.</li></ol>",
    )
    (folder / "other.md").write_text(
        "Nothing of the kind is told in this note, only of ships, sails and their depth.\n"
    )
    await library.add.aio(folder)
    origins = {document.origin: document.id for document in await library.documents.aio()}
    found = await library.search.aio("Zoologists praise one measurement", mode="keyword")
    seeds = [hit for hit in found.evidence if hit.document.id == origins[str(citing)]]
    linked = await library.store.linked(seeds, Search(text="mean depth"))
    assert [hit.document.id for hit in linked] == [origins[str(cited)]]


def test_preprint_and_publication_are_told_in_either_order(library: Library, folder: Path) -> None:
    one, other = folder / "a.md", folder / "b.md"
    preprint = f"---\nid: {{}}\ntitle: {TITLE}\nyear: 2018\nkind: preprint\narxiv: '1904.01234'\n---\nFirst words.\n"
    published = f"---\nid: {{}}\ntitle: {TITLE}\nyear: 2019\ndoi: 10.1234/abc\njournal: Mountains\nkind: article\n---\nLast words.\n"
    for first, second in ((preprint, published), (published, preprint)):
        for ids in (("x", "y"), ("y", "x")):
            one.write_text(first.format(ids[0]))
            other.write_text(second.format(ids[1]))
            told = library.add(folder, collection=f"{ids}{first == preprint}")
            assert [problem.reason.count("is the preprint of") for problem in told.problems] == [1]
            assert told.added == 2


def test_a_duplicate_that_comes_later_is_told_once(library: Library, folder: Path, paper: Path) -> None:
    paper.write_text(paper.read_text().replace("id: p", "id: p\nkind: article"))
    library.add(folder)
    (folder / "q.md").write_text(f"---\nid: q\nkind: article\ntitle: {TITLE}\nyear: 2018\n---\nA second copy.\n")
    (problem,) = library.add(folder).problems
    assert "has the same title as" in problem.reason
    assert problem.advice.startswith("both are kept; remove one with: scholarmind remove ")
    assert library.add(folder).problems == []


def test_a_file_with_the_same_content_is_told_and_kept_once(library: Library, folder: Path, paper: Path) -> None:
    (folder / "copy.md").write_text(paper.read_text())
    report = library.add(folder)
    assert (report.added, report.duplicates) == (1, 1)
    assert [problem.reason for problem in report.problems] == [f"it has the same content as {folder}/copy.md"]
