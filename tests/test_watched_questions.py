"""Watched questions over a library: asked again when the documents changed, told once, whoever is killed on the way."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scholarmind import Library, Models, Progress, Settings
from scholarmind.errors import QueryError
from scholarmind.testing import ScriptedModel

QUESTION = "Which words does BERT hide, and who proposed Zebra-Net?"


def note(folder: Path, name: str, title: str, text: str) -> None:
    (folder / f"{name}.md").write_text(f"---\nid: {name}\ntitle: {title}\nyear: 2024\n---\n{text}\n")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with a note."""
    folder = tmp_path / "notes"
    folder.mkdir()
    note(folder, "bert", "BERT", "BERT hides words and attends to both sides.")
    return folder


@pytest.fixture
def library(tmp_path: Path, notes: Path) -> Iterator[Library]:
    """A library of that note."""
    with Library.open(tmp_path / "library", embedder="none") as opened:
        opened.add(notes)
        yield opened


def zebra(library: Library, notes: Path) -> None:
    """Add what answers the other half of the question."""
    note(notes, "zebra", "Zebra-Net", "Zebra-Net was proposed by Ada Quux.")
    library.add(notes)


def test_nothing_changed_nothing_asked_nothing_told(library: Library, notes: Path) -> None:
    watched = library.watched.add(QUESTION, name="z")
    assert [row["status"] for row in watched.answer["parts"]] == ["answered", "not in the library"]
    assert library.watched.renew().asked == 0
    note(notes, "soup", "Soup", "Cooking soup takes an hour.")
    library.add(notes)
    assert [one.name for one in library.watched.waiting()] == ["z"]
    renewed = library.watched.renew()
    assert (renewed.asked, renewed.remarks, library.watched.waiting()) == (1, (), [])


def test_what_changed_is_told_once(library: Library, notes: Path) -> None:
    library.watched.add(QUESTION, name="z")
    zebra(library, notes)
    (remark,) = library.watched.renew().remarks
    assert (remark.kind, remark.row, remark.name) == ("answered", "Who proposed Zebra-Net?", "z")
    assert "Ada Quux" in remark.quotes[0].quote
    assert library.watched.renew("z").remarks == ()
    assert [one.id for one in library.watched.news()] == [remark.id]
    assert library.watched.news(since=remark.at + 1) == []


def test_names_are_made_and_taken_once(library: Library) -> None:
    names = [library.watched.add(QUESTION).name for _ in range(2)]
    assert names == ["which-words-does-bert-hide", "which-words-does-bert-hide-2"]
    with pytest.raises(QueryError, match="is watched already"):
        library.watched.add(QUESTION, name=names[0])
    library.watched.remove(names[0])
    assert [one.name for one in library.watched.all()] == names[1:]
    with pytest.raises(QueryError, match="no question 'x' is watched"):
        library.watched.remove("x")


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"llm_api_key": "k"}, "is not kept in a library"), ({"embedder": "none"}, "the library's own")],
)
def test_keys_and_what_is_the_librarys_are_refused(library: Library, settings: dict[str, str], told: str) -> None:
    with pytest.raises(QueryError, match=told):
        library.watched.add(QUESTION, settings=settings)


def test_what_asks_nothing_is_not_watched(library: Library) -> None:
    with pytest.raises(QueryError, match="asks nothing of the documents"):
        library.watched.add("hello")


def test_a_filter_and_settings_hold_each_time(library: Library, notes: Path) -> None:
    library.watched.add(QUESTION, name="z", filter="year < 2000", settings={"places": 3})
    zebra(library, notes)
    assert library.watched.renew().remarks == ()
    run = asyncio.run(library.runs.find(library.watched.find("z").answer["run"]))
    assert run is not None
    assert json.loads(run.settings)["options"]["places"] == 3


def test_a_model_is_asked_only_where_that_was_said(tmp_path: Path, notes: Path) -> None:
    model = ScriptedModel()
    settings = Settings(library=tmp_path / "library", embedder="none")
    with Library(settings, models=Models(model=model)) as library:
        library.add(notes)
        library.watched.add(QUESTION, name="keyless")
        assert model.requests == []
        library.watched.add(QUESTION, name="fast", settings={"effort": "fast"})
        assert model.requests != []


def test_two_who_ask_at_once_tell_once(tmp_path: Path, library: Library, notes: Path) -> None:
    library.watched.add(QUESTION, name="z")
    zebra(library, notes)

    async def both_at_once() -> list[int]:
        with Library.open(tmp_path / "library", embedder="none") as other:
            renewed = await asyncio.gather(library.watched.renew.aio(), other.watched.renew.aio())
        return sorted(len(one.remarks) for one in renewed)

    assert asyncio.run(both_at_once()) == [0, 1]
    assert len(library.watched.news()) == 1


def test_who_is_killed_in_the_middle_loses_and_repeats_nothing(tmp_path: Path, library: Library, notes: Path) -> None:
    for name in ("one", "two"):
        library.watched.add(QUESTION, name=name)
    zebra(library, notes)
    program = (
        "import os, sys\nfrom scholarmind import Library\n"
        "def take(event):\n"
        "    if getattr(event, 'stage', '') == 'watch' and event.done == 1:\n        os.kill(os.getpid(), 9)\n"
        "Library.open(sys.argv[1], embedder='none').watched.renew(on_event=take)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "library")]
    assert subprocess.run(command, check=False, env=os.environ).returncode == -9
    assert [one.name for one in library.watched.waiting()] == ["two"]
    renewed = library.watched.renew()
    assert len(renewed.remarks) == 1
    assert sorted(remark.name for remark in library.watched.news()) == ["one", "two"]


def test_one_that_cannot_be_asked_waits_and_the_others_are_asked(library: Library, notes: Path) -> None:
    library.watched.add(QUESTION, name="bad", filter="year > 1")
    library.watched.add(QUESTION, name="good")
    with library.store.database.transaction() as connection:
        sql = "UPDATE watched_questions SET record = replace(record, ?, ?), sum = 0 WHERE name = 'bad'"
        connection.execute(sql, ('"field": "year"', '"field": "nofield"'))
        from scholarmind.adapters.store.checksums import sum_of_row

        (record,) = connection.execute("SELECT record FROM watched_questions WHERE name = 'bad'").fetchone()
        connection.execute("UPDATE watched_questions SET sum = ? WHERE name = 'bad'", (sum_of_row((record,)),))
    zebra(library, notes)
    seen: list[Progress] = []
    renewed = library.watched.renew(on_event=lambda event: isinstance(event, Progress) and seen.append(event))
    assert (renewed.asked, [remark.name for remark in renewed.remarks]) == (1, ["good"])
    assert "nofield" in renewed.failed["bad"]
    assert [one.name for one in library.watched.waiting()] == ["bad"]
    assert [event.done for event in seen if event.stage == "watch"] == [0, 1, 2]


def test_a_library_without_watched_questions_is_read_as_it_is(library: Library) -> None:
    assert (library.watched.all(), library.watched.news(), library.watched.renew().asked) == ([], [], 0)
    tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('watched_questions', 'remarks')"
    assert library.store.database.value(tables) == 0
