"""A library goes from a folder to PostgreSQL and back, is interrupted on the way, and says the same in all three places."""

import json
import uuid
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.service.copied_library import fill, place, run, what_it_says
from tests.service.test_migrations import goes_up_and_down

from scholarmind.errors import LibraryError
from scholarmind.events import Event
from scholarmind.service.library_copy import Copied, Home, copy_library


@pytest.fixture(autouse=True)
def _no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")


@pytest.fixture
def in_database(postgres_address: str, tmp_path: Path) -> Home:
    """A schema of its own."""
    known = dict(part.split("=", 1) for part in postgres_address.split())
    schema = f"copy_{uuid.uuid4().hex[:12]}"
    url = f"postgresql://{known['user']}@/{known['dbname']}?host={quote(known['host'], safe='')}&schema={schema}"
    return Home(folder=tmp_path / "derived", database=url)


def test_there_and_back(in_database: Home, tmp_path: Path) -> None:
    source, back = Home(folder=tmp_path / "library"), Home(folder=tmp_path / "back")
    fill(source, tmp_path / "notes")
    there = _with_interruptions(source, in_database)
    again = _with_interruptions(in_database, back)
    assert _sums(there) == _sums(again) == _sums(copy_library(source, Home(folder=tmp_path / "third")))
    said = what_it_says(source)
    assert what_it_says(in_database) == said
    assert what_it_says(back) == said
    assert _not_well(back) == []
    assert _not_well(in_database) == ["server"]  # of the tests, which need not outlive a power cut
    with pytest.raises(LibraryError, match="was used since"):
        copy_library(source, in_database)


def test_both_copies_go_on(in_database: Home, tmp_path: Path) -> None:
    source, back = Home(folder=tmp_path / "library"), Home(folder=tmp_path / "back")
    fill(in_database, tmp_path / "notes")
    copy_library(in_database, back)
    (tmp_path / "notes" / "elmo.md").write_text(
        "---\nid: elmo\ntitle: ELMo\n---\nELMo attends to nothing. BERT improves on ELMo.\n"
    )
    for home in (in_database, back):
        run("add", tmp_path / "notes", *place(home))
        run("remove", "gpt", "--yes", *place(home))
        assert set(_not_well(home)) <= {"server"}
    left, right = copy_library(in_database, source), copy_library(back, Home(folder=tmp_path / "last"))
    same = {
        "documents",
        "passages",
        "changes",
        "graph_names",
        "graph_edges",
        "graph_versions",
        "trees",
        "tree_members",
        "texts",
        "terms",
    }
    assert {name: found for name, found in _sums(left).items() if name in same} == {
        name: found for name, found in _sums(right).items() if name in same
    }


def test_another_library_in_a_database_is_not_replaced(in_database: Home, tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("# Mine\nNobody replaces this.\n")
    run("add", tmp_path / "own.md", *place(in_database))
    source = Home(folder=tmp_path / "library")
    run("add", tmp_path / "own.md", *place(source))
    assert (
        "there is another library" in run("copy", "--to", in_database.database, *place(source), succeeds=False).output
    )


def _with_interruptions(source: Home, target: Home) -> list[Copied]:
    seen = 0

    def interrupt(_: Event) -> None:
        nonlocal seen
        seen += 1
        if seen in {10, 60}:
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            copy_library(source, target, on_event=interrupt)
        assert "is not whole yet" in run("status", *place(target), succeeds=False).output
    return copy_library(source, target, on_event=interrupt)


def _not_well(home: Home) -> list[str]:
    told = run("doctor", "--json", *place(home), succeeds=not home.database).stdout
    return [check["name"] for check in json.loads(told) if not check["ok"]]


def _sums(copied: list[Copied]) -> dict[str, tuple[int, str]]:
    return {one.table: (one.rows, one.sum) for one in copied}


def test_layouts_go_up_and_down(in_database: Home, tmp_path: Path) -> None:
    source = Home(folder=tmp_path / "library")
    fill(source, tmp_path / "notes")
    copy_library(source, in_database)
    database, _ = in_database.open()
    with closing(database):
        goes_up_and_down(database)
    assert run("migrate", *place(in_database)).stdout == "the library has layout 4\n"
