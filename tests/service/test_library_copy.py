"""`scholarmind copy` from folder to folder: interrupted anywhere it goes on, and nothing that somebody needs is replaced."""

import json
import sqlite3
from pathlib import Path

import pytest
from tests.service.copied_library import fill, make_indexes_anew, place, run, what_it_says

from scholarmind.errors import LibraryError, LibraryMismatchError
from scholarmind.events import Event
from scholarmind.service.library_copy import Home, copy_library


@pytest.fixture(autouse=True)
def _no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")


@pytest.fixture
def source(tmp_path: Path) -> Home:
    """A library with something in all tables."""
    home = Home(folder=tmp_path / "library")
    fill(home, tmp_path / "notes")
    return home


def test_the_copy_says_the_same_and_counts_on(source: Home, tmp_path: Path) -> None:
    target = Home(folder=tmp_path / "copy")
    printed = json.loads(run("copy", "--to", target.folder, *place(source), "--json").stdout)
    assert (printed["from"], printed["to"]) == (str(source.folder), str(target.folder))
    rows = {table["table"]: table["rows"] for table in printed["tables"]}
    expected = {
        "documents": 2,
        "runs": 3,
        "turns": 2,
        "ratings": 1,
        "keys": 1,
        "watched_questions": 1,
        "literature_tables": 1,
    }
    assert {name: rows[name] for name in expected} == expected
    assert rows["graph_edges"] > 0 < rows["tree_members"]
    assert what_it_says(target) == what_it_says(source)
    checks = json.loads(run("doctor", "--json", *place(target)).stdout)
    assert [check["name"] for check in checks if not check["ok"]] == []
    numbers = [_numbers(home) for home in (source, target)]
    assert numbers[0] == numbers[1]


def _numbers(home: Home) -> list[tuple[str, int]]:
    with sqlite3.connect(home.folder / "library.db") as connection:
        return connection.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name").fetchall()


def _triggers(home: Home) -> list[str]:
    with sqlite3.connect(home.folder / "library.db") as connection:
        return connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()


def test_interrupted_it_is_not_opened_and_goes_on(source: Home, tmp_path: Path) -> None:
    target, seen = Home(folder=tmp_path / "copy"), 0

    def interrupt(_: Event) -> None:
        nonlocal seen
        seen += 1
        if seen in {3, 40, 60}:  # each time somewhere else, as each attempt goes through all tables again
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            copy_library(source, target, on_event=interrupt)
        assert "is not whole yet" in run("status", *place(target), succeeds=False).output
    with pytest.raises(LibraryError, match="has half a copy of"):
        copy_library(source, target, origin="another")
    copied = copy_library(source, target)
    assert copied == copy_library(source, Home(folder=tmp_path / "at once"))
    assert _triggers(target) == _triggers(source)
    assert what_it_says(target) == what_it_says(source)


def test_what_came_since_is_brought_over_as_long_as_nobody_used_the_copy(source: Home, tmp_path: Path) -> None:
    target, notes = Home(folder=tmp_path / "copy"), tmp_path / "notes"
    first = copy_library(source, target)
    (notes / "gpt.md").write_text("---\nid: gpt\ntitle: GPT\n---\nGPT was changed.\n")
    run("add", notes, *place(source))
    make_indexes_anew(source)
    second = copy_library(source, target)
    assert first != second
    assert what_it_says(target)["search"] == what_it_says(source)["search"]  # which leaves a run in both
    with pytest.raises(LibraryError, match=r"was used since it was made \(.*runs\.runs"):
        copy_library(source, target)


def test_another_library_is_not_replaced(source: Home, tmp_path: Path) -> None:
    other, notes = Home(folder=tmp_path / "other"), tmp_path / "others"
    notes.mkdir()
    (notes / "own.md").write_text("# Mine\nNobody replaces this.\n")
    run("add", notes, *place(other))
    before = (other.folder / "library.db").read_bytes()
    assert "there is another library" in run("copy", "--to", other.folder, *place(source), succeeds=False).output
    assert (other.folder / "library.db").read_bytes() == before
    copy_library(source, Home(folder=tmp_path / "copy"))
    with pytest.raises(LibraryError, match="has a copy of"):
        copy_library(other, Home(folder=tmp_path / "copy"))
    with pytest.raises(LibraryError, match="is the library itself"):
        copy_library(source, source)
    with pytest.raises(LibraryError, match="there is no library in"):
        copy_library(Home(folder=tmp_path / "nothing"), Home(folder=tmp_path / "empty"))
    with sqlite3.connect(other.folder / "library.db") as connection:
        connection.execute("UPDATE about SET value = '3' WHERE key = 'schema'")
    connection.close()
    with pytest.raises(LibraryMismatchError, match="has layout '3'"):
        copy_library(other, Home(folder=tmp_path / "empty"))


def test_a_range_that_was_damaged_is_written_anew(source: Home, tmp_path: Path) -> None:
    target = Home(folder=tmp_path / "copy")
    done = 0

    def interrupt(_: Event) -> None:
        nonlocal done
        done += 1
        if done == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_library(source, target, on_event=interrupt)
    with sqlite3.connect(target.folder / "library.db") as connection:
        assert connection.execute("UPDATE passages SET text = 'other' WHERE number = 1").rowcount == 1
        connection.execute("INSERT INTO texts VALUES (1000, 'of nobody')")
    connection.close()
    copy_library(source, target)
    assert what_it_says(target)["search"] == what_it_says(source)["search"]
