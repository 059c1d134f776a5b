"""A library kept in step with a Zotero: from its database, read from a copy."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from zotero_folder import Zotero, print_pdf

from scholarmind.api import Library
from scholarmind.errors import QueryError, ReadError
from scholarmind.library.report import Report
from scholarmind.zotero.sync import SyncReport, sync
from scholarmind.zotero.zotero_library import ZoteroDatabase

Open = Callable[[], Library]


def synced(library: Library, zotero: Zotero, collection: str = "Shores", *, remove: bool = False) -> SyncReport:
    return sync(library, ZoteroDatabase(path=zotero.database).read(collection), into="zotero", remove=remove)


def test_items_files_notes_and_highlights_come_in(zotero: Zotero, opened: Open) -> None:
    library = opened()
    found = synced(library, zotero)
    assert (found.name, found.items, found.files, found.notes, found.left) == ("Shores", 2, 1, 2, ())
    by_title = {document.title: document for document in library.documents()}
    assert set(by_title) == {
        "Tides in Narrow Bays",
        "A Short History of Harbours",
        "Note on “Tides in Narrow Bays”",
        "Highlight (p. 2) on “Tides in Narrow Bays”",
    }
    paper = by_title["Tides in Narrow Bays"]
    assert (paper.authors, paper.year) == (("Berg, Anna", "{Shore Watch}"), 2021)
    assert paper.metadata["tags"] == ("to read", "潮汐")
    assert paper.metadata["zotero"] == "zotero://select/library/items/TIDES001"
    assert paper.metadata["zotero_pdf"] == "zotero://open-pdf/library/items/TIDESPDF"
    highlight = by_title["Highlight (p. 2) on “Tides in Narrow Bays”"]
    assert highlight.kind == "note"
    assert highlight.metadata["zotero_pdf"] == "zotero://open-pdf/library/items/TIDESPDF?page=2&annotation=MARKED01"
    assert "Comment: Compare with our buoys." in (library.text(highlight.id, collection="zotero") or "")
    note = by_title["Note on “Tides in Narrow Bays”"]
    assert library.text(note.id, collection="zotero") == "Doubts\n\nThe buoy of 2019 was broken for six weeks."


def test_keys_are_those_of_the_user(zotero: Zotero, opened: Open) -> None:
    library = opened()
    zotero.item(
        "NATIVE01", "book", title="A Book with a Native Key", citationKey="native2024", extra="Citation Key: other"
    )
    synced(library, zotero, "")
    keys = library.citation_keys(library.documents())
    assert set(keys.values()) == {"bergTides2021", "moor1998harbours", "native2024", "OTHER001"}


def test_tags_filter(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    assert [one.title for one in library.documents('tags = "to read"')] == ["Tides in Narrow Bays"]
    assert [one.title for one in library.documents('tags = "潮汐"')] == ["Tides in Narrow Bays"]


def test_an_answer_cites_the_page_and_links_back(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    answer = library.ask("What was the highest tide of the northern bay?", filter='kind != "note"')
    assert [(citation.title, citation.page) for citation in answer.citations] == [("Tides in Narrow Bays", 2)]


def test_the_same_again_costs_nothing_and_a_change_costs_only_itself(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)

    def told(report: Report) -> tuple[int, int, int]:
        return report.added, report.replaced, report.removed

    assert told(synced(library, zotero).report) == (0, 0, 0)
    zotero.change("UPDATE itemDataValues SET value = 'Tides of Narrow Bays' WHERE value = 'Tides in Narrow Bays'")
    zotero.change("UPDATE itemNotes SET note = '<p>The buoy was fine.</p>'")
    added, replaced, removed = told(synced(library, zotero).report)
    assert (added, removed) == (0, 0)
    assert replaced == 3  # the paper, and the note and the highlight, which are called after it
    assert "Tides of Narrow Bays" in {document.title for document in library.documents()}


def test_what_changed_is_counted_alone_and_named(zotero: Zotero, opened: Open) -> None:
    library = opened()
    zotero.item("AHEAD001", "book", title="A Book before the Others")
    zotero.note("AHEADNOT", None, "<p>A note before the others.</p>")
    assert synced(library, zotero, "").changed == ()
    for tag, item in enumerate(("AHEAD001", "AHEADNOT"), 100):
        zotero.change("INSERT INTO tags VALUES (?, ?)", tag, f"tag {tag}")
        zotero.change("INSERT INTO itemTags SELECT itemID, ?, 0 FROM items WHERE key = ?", tag, item)
        found = synced(library, zotero, "")
        assert (found.report.added, found.report.replaced, found.report.removed) == (0, 1, 0)
    assert found.changed == ("A note before the others.",)
    zotero.change("INSERT INTO deletedItems SELECT itemID, 0 FROM items WHERE key = 'AHEAD001'")
    found = synced(library, zotero, "", remove=True)
    assert (found.report.replaced, found.report.removed, found.changed) == (0, 1, ())
    assert found.left == ("A Book before the Others",)


def test_markup_is_no_part_of_titles_and_words(zotero: Zotero, opened: Open) -> None:
    library = opened()
    marked = 'Tides of <i>Fucus</i> in <span class="nocase">H<sub>2</sub>O</span> &amp; Air'
    zotero.change("UPDATE itemDataValues SET value = ? WHERE value = 'Tides in Narrow Bays'", marked)
    zotero.change("UPDATE itemAnnotations SET text = 'The <i>highest</i> tide', comment = 'p < 0.05 in <b>all</b>'")
    synced(library, zotero)
    plain = "Tides of Fucus in H2O & Air"
    titles = {document.title: document for document in library.documents()}
    assert {plain, f"Note on “{plain}”", f"Highlight (p. 2) on “{plain}”"} <= set(titles)
    highlight = titles[f"Highlight (p. 2) on “{plain}”"]
    assert library.text(highlight.id, collection="zotero") == "The highest tide\n\nComment: p < 0.05 in all"
    zotero.change("INSERT INTO deletedItems SELECT itemID, 0 FROM items WHERE key = 'TIDES001'")
    assert plain in synced(library, zotero).left


def test_what_left_is_told_and_only_removed_if_that_is_wanted(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    zotero.change("DELETE FROM collectionItems WHERE itemID = (SELECT itemID FROM items WHERE key = 'BOOK0001')")
    zotero.change("INSERT INTO deletedItems (itemID) SELECT itemID FROM items WHERE key = 'MARKED01'")
    for _ in range(2):  # as long as it is kept it is told
        found = synced(library, zotero)
        assert found.left == ("A Short History of Harbours", "Highlight (p. 2) on “Tides in Narrow Bays”")
        assert (found.items, found.notes, len(library.documents())) == (1, 1, 4)
    found = synced(library, zotero, remove=True)
    assert (found.removed, found.report.removed) == (2, 2)
    assert {document.title for document in library.documents()} == {
        "Tides in Narrow Bays",
        "Note on “Tides in Narrow Bays”",
    }
    assert synced(library, zotero).left == ()


def test_a_paper_that_left_takes_its_file_along(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    zotero.change("DELETE FROM collectionItems WHERE itemID = (SELECT itemID FROM items WHERE key = 'TIDES001')")
    assert synced(library, zotero, remove=True).removed == 3
    assert [document.title for document in library.documents()] == ["A Short History of Harbours"]
    zotero.change(
        "INSERT INTO collectionItems SELECT collectionID, itemID, 0 FROM collections, items "
        "WHERE collections.key = 'SHORES01' AND items.key = 'TIDES001'"
    )
    assert synced(library, zotero).report.added == 3


def test_nothing_is_removed_where_everything_is_gone(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    zotero.change("DELETE FROM collectionItems")
    with pytest.raises(QueryError, match="nothing is removed"):
        synced(library, zotero, remove=True)
    assert len(library.documents()) == 4


def test_a_file_that_was_renamed_is_not_kept_twice(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    folder = zotero.folder / "storage" / "TIDESPDF"
    (folder / "Berg 2021.pdf").rename(folder / "Berg - Tides.pdf")
    zotero.change("UPDATE itemAttachments SET path = 'storage:Berg - Tides.pdf'")
    synced(library, zotero)
    papers = [document for document in library.documents() if document.title == "Tides in Narrow Bays"]
    assert [Path(paper.origin).name for paper in papers] == ["Berg - Tides.pdf"]


def test_a_file_that_is_not_there_is_told_and_what_was_read_of_it_stays(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    (zotero.folder / "storage").rename(zotero.folder / "unmounted")
    found = synced(library, zotero)
    assert [problem.reason for problem in found.report.problems] == ["the file of 'Tides in Narrow Bays' is not there"]
    assert len([one for one in library.documents() if one.origin.endswith(".pdf")]) == 1


def test_a_paper_gets_its_file_later(zotero: Zotero, opened: Open) -> None:
    library = opened()
    synced(library, zotero)
    print_pdf(zotero.folder / "Moor.pdf", "Harbours\nThe first harbour of the town had two piers of oak.")
    book = "(SELECT itemID FROM items WHERE key = 'BOOK0001')"
    item = zotero.attachment("BOOKPDF1", None, str(zotero.folder / "Moor.pdf"), "linked_file")
    zotero.change(f"UPDATE itemAttachments SET parentItemID = {book} WHERE itemID = ?", item)  # noqa: S608
    found = synced(library, zotero)
    assert found.files == 2
    [document] = [one for one in library.documents() if one.title == "A Short History of Harbours"]
    assert Path(document.origin).name == "Moor.pdf"
    assert library.citation_keys([document]) == {("zotero", document.id): "moor1998harbours"}


def test_a_folder_of_linked_attachments(zotero: Zotero, opened: Open, tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "papers").mkdir(parents=True)
    print_pdf(base / "papers" / "linked.pdf", "Linked\nA lighthouse stood on the rock since 1755.")
    zotero.attachment("LINKED01", None, "attachments:papers/linked.pdf", "linked_file", title="Linked")
    zotero.attachment("ESCAPES1", None, "attachments:../../etc/passwd.pdf", "linked_file", title="Escapes")
    contents = ZoteroDatabase(path=zotero.database, attachments=base).read()
    sync(opened(), contents, into="zotero")
    origins = {Path(document.origin).name for document in opened().documents()}
    assert "linked.pdf" in origins
    assert not any("passwd" in origin for origin in origins)


def test_what_a_running_zotero_has_just_written_is_there(zotero: Zotero, opened: Open) -> None:
    with closing(sqlite3.connect(zotero.database)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("UPDATE itemDataValues SET value = 'Tides Rewritten' WHERE value = 'Tides in Narrow Bays'")
        running.commit()  # into the journal, and not into the file
        before = zotero.database.read_bytes()
        contents = ZoteroDatabase(path=zotero.database).read("Shores")
        assert "Tides Rewritten" in {data.get("title") for data in contents.objects}
        running.execute("BEGIN EXCLUSIVE")
        ZoteroDatabase(path=zotero.database).read("Shores")  # though it is locked
        running.rollback()
        assert zotero.database.read_bytes() == before


def test_collections_are_found_by_name_path_and_key(zotero: Zotero) -> None:
    database = ZoteroDatabase(path=zotero.database)
    for named in ("Harbours", "Shores/Harbours", "HARBOUR1"):
        assert [data["key"] for data in database.read(named).objects] == ["BOOK0001"]
    with pytest.raises(QueryError, match="no collection 'Harbour'; it has 'Others', 'Shores', 'Shores/Harbours'"):
        database.read("Harbour")
    zotero.collect("Shores", key="SHORES02")
    with pytest.raises(QueryError, match="several collections 'Shores'"):
        database.read("Shores")


def test_the_library_of_a_group(zotero: Zotero, opened: Open) -> None:
    zotero.item("GROUP001", "book", title="Of the Lab", library="2")
    library = opened()
    sync(library, ZoteroDatabase(path=zotero.database).read(group="Lab"), into="zotero")
    [document] = library.documents()
    assert document.metadata["zotero"] == "zotero://select/groups/4711/items/GROUP001"
    with pytest.raises(QueryError, match="no group 'lab'; it has 'Lab'"):
        ZoteroDatabase(path=zotero.database).read(group="lab")


def test_what_is_no_database_of_zotero(tmp_path: Path, zotero: Zotero) -> None:
    with pytest.raises(ReadError, match="there is no file"):
        ZoteroDatabase(path=tmp_path / "nothing.sqlite").read()
    (tmp_path / "text.sqlite").write_text("no database at all, but some words that are long enough for a header " * 40)
    with pytest.raises(ReadError, match="cannot be read"):
        ZoteroDatabase(path=tmp_path / "text.sqlite").read()
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE items (itemID INTEGER)")
    with pytest.raises(ReadError, match="no database of Zotero"):
        ZoteroDatabase(path=tmp_path / "other.sqlite").read()


def test_a_broken_database_of_better_bibtex_costs_only_its_keys(zotero: Zotero, opened: Open) -> None:
    (zotero.folder / "better-bibtex.sqlite").write_text("broken " * 200)
    library = opened()
    synced(library, zotero)
    assert set(library.citation_keys(library.documents()).values()) == {"TIDES001", "moor1998harbours"}
