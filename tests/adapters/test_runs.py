"""The file of the runs: what is written is there, what cannot be written is told and harms nobody."""

import asyncio
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scholarmind.adapters.runs import Runs
from scholarmind.errors import LibraryMismatchError, LibraryStorageError
from scholarmind.ports import Run

pytestmark = pytest.mark.anyio


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """An empty file."""
    with Runs(tmp_path / "runs.db") as opened:
        yield opened


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Look into the file as anybody may."""
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def change(path: Path, sql: str) -> None:
    """Change the file as anybody may."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql)
    connection.close()


class TestRuns:
    async def test_a_run_from_its_beginning_to_its_end(self, runs: Runs) -> None:
        assert await runs.begin("r1", "Who proposed BERT?", plan="{}", settings='{"k": 5}', library="7") == 0
        found = await runs.find("r1")
        assert found is not None
        began = found.started
        assert found == Run(
            id="r1",
            question="Who proposed BERT?",
            plan="{}",
            settings='{"k": 5}',
            library="7",
            status="running",
            started=began,
        )
        await runs.finish("r1", "done", '{"verdict": "complete"}')
        ended = await runs.find("r1")
        assert ended is not None
        assert ended == replace(found, status="done", finished=ended.finished, answer='{"verdict": "complete"}')
        assert ended.finished is not None
        assert ended.finished >= began
        assert runs.problem("r1") == ""

    async def test_a_run_that_goes_on_keeps_what_it_had(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?", settings="{}")
        await runs.begin("r1", "Q?", plan='{"parts": []}')
        runs.append_event("r1", 1, "one")
        await runs.finish("r1", "cancelled")
        assert await runs.begin("r1", "Q?", library="8") == 1
        found = await runs.find("r1")
        assert found is not None
        assert (found.plan, found.settings, found.library) == ('{"parts": []}', "{}", "8")
        assert (found.status, found.finished) == ("running", None)

    async def test_the_latest_come_first(self, runs: Runs) -> None:
        for number in range(5):
            await runs.begin(f"r{number}", "Q?")
        assert [run.id for run in await runs.latest(3)] == ["r4", "r3", "r2"]
        assert len(await runs.latest()) == 5

    async def test_a_run_whose_process_is_no_more_was_interrupted(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        await runs.begin("r2", "Q?")
        change(runs.path, "UPDATE runs SET process = '0x@' || substr(process, instr(process, '@') + 1) WHERE id = 'r1'")
        assert [run.status for run in await runs.latest()] == ["running", "interrupted"]

    async def test_an_unknown_run_is_none(self, runs: Runs) -> None:
        assert await runs.find("r1") is None
        assert await runs.latest() == []
        assert await runs.events("r1") == []

    async def test_looking_makes_no_file(self, runs: Runs) -> None:
        await runs.latest()
        assert await runs.journal.get("r1", "a") is None
        assert not runs.path.exists()


class TestEvents:
    async def test_they_are_followed_from_any_number(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        for number in range(1, 51):
            runs.append_event("r1", number, json.dumps({"number": number}))
        runs.append_event("r2", 1, "of another run")
        assert [json.loads(record)["number"] for record in await runs.events("r1")] == list(range(1, 51))
        assert [json.loads(record)["number"] for record in await runs.events("r1", 48)] == [49, 50]
        assert await runs.begin("r1", "Q?") == 50

    async def test_what_happened_is_never_written_over(self, runs: Runs) -> None:
        runs.append_event("r1", 1, "first")
        runs.append_event("r1", 1, "second")
        assert await runs.events("r1") == ["first"]

    async def test_another_process_or_thread_sees_them(self, runs: Runs) -> None:
        runs.append_event("r1", 1, "one")
        await runs.begin("r1", "Q?")
        with Runs(runs.path) as other:
            assert await other.events("r1") == ["one"]
            runs.append_event("r1", 2, "two")
            await runs.finish("r1", "done")
            assert await other.events("r1", 1) == ["two"]

    async def test_closing_writes_what_is_still_to_be_written(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db") as runs:
            for number in range(200):
                runs.append_event("r1", number, "x")
        assert rows(tmp_path / "runs.db", "SELECT count(*) FROM events") == [(200,)]


class TestRemoving:
    async def test_old_runs_go_with_all_that_is_theirs(self, runs: Runs) -> None:
        for run in ("old", "new"):
            await runs.begin(run, "Q?")
            runs.append_event(run, 1, "x" * 500_000)
            await runs.journal.put(run, "a", "part 1", "1")
            await runs.finish(run, "done")
        change(runs.path, "UPDATE runs SET started = started - 86400 WHERE id = 'old'")
        change(runs.path, "PRAGMA wal_checkpoint(TRUNCATE)")
        before = runs.path.stat().st_size
        assert await runs.remove_before(datetime.now(UTC) - timedelta(hours=1)) == 1
        assert [run.id for run in await runs.latest()] == ["new"]
        for table in ("journal", "events"):
            assert rows(runs.path, f"SELECT run FROM {table}") == [("new",)]  # noqa: S608
        change(runs.path, "PRAGMA wal_checkpoint(TRUNCATE)")
        assert runs.path.stat().st_size < before - 400_000

    async def test_a_run_at_work_stays(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        assert await runs.remove_before(datetime.now(UTC) + timedelta(days=1)) == 0
        assert await runs.find("r1") is not None

    async def test_nothing_to_remove(self, runs: Runs) -> None:
        assert await runs.remove_before(datetime.now(UTC)) == 0
        assert not runs.path.exists()


class TestTrouble:
    async def assert_harmless(self, path: Path, told: str) -> None:
        """A run can be begun, written and ended; nothing is there, and it is said why."""
        with Runs(path) as runs:
            assert await runs.begin("r1", "Q?", plan="{}") == 0
            runs.append_event("r1", 1, "one")
            await runs.journal.put("r1", "a", "part 1", "1")
            assert await runs.journal.get("r1", "a") is None
            await runs.finish("r1", "done")
            assert told in runs.problem("r1")
            assert str(path) in runs.problem("r1")

    async def test_no_folder(self, tmp_path: Path) -> None:
        await self.assert_harmless(tmp_path / "none" / "runs.db", "unable to open database file")
        assert not (tmp_path / "none").exists()

    async def test_not_a_database(self, tmp_path: Path) -> None:
        (tmp_path / "runs.db").write_text("Not what you think. " * 200)
        await self.assert_harmless(
            tmp_path / "runs.db", "move the file away: nothing but past runs, conversations and ratings is in it"
        )
        with Runs(tmp_path / "runs.db") as runs, pytest.raises(LibraryStorageError, match="move the file away"):
            await runs.latest()

    async def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "runs.db").mkdir()
        await self.assert_harmless(tmp_path / "runs.db", "check who may write there")

    async def test_a_table_that_is_gone(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        change(runs.path, "DROP TABLE journal")
        await runs.journal.put("r1", "a", "part 1", "1")
        assert await runs.journal.get("r1", "a") is None
        assert "no such table: journal" in runs.problem("r1")

    async def test_a_newer_layout(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        runs.close()
        change(runs.path, "PRAGMA user_version = 9")
        await self.assert_harmless(runs.path, "have layout 9, this version reads 1")
        with Runs(runs.path) as newer, pytest.raises(LibraryMismatchError):
            await newer.find("r1")

    async def test_somebody_who_keeps_it_locked_is_waited_for_once(self, runs: Runs) -> None:
        await runs.begin("r0", "Q?")
        other = sqlite3.connect(runs.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await self.assert_harmless(runs.path, "see who keeps it locked")
        other.execute("ROLLBACK")
        other.close()
        assert [run.id for run in await runs.latest()] == ["r0"]

    async def test_who_is_cancelled_while_it_is_locked_waits_for_what_is_being_written(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        other = sqlite3.connect(runs.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(runs.journal.put("r1", "a", "part 1", "1"))
        await asyncio.sleep(0.05)
        writing.cancel()
        await asyncio.sleep(0.05)
        assert not writing.done()
        other.execute("ROLLBACK")
        other.close()
        await asyncio.wait([writing])
        assert writing.cancelled()
        assert rows(runs.path, "SELECT value FROM journal") == [("1",)]

    async def test_the_next_run_tries_again(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "later" / "runs.db") as runs:
            await runs.begin("r1", "Q?")
            (tmp_path / "later").mkdir()
            runs.append_event("r1", 1, "one")
            await runs.begin("r2", "Q?")
            assert runs.problem("r1") != ""
            assert runs.problem("r2") == ""
            assert [run.id for run in await runs.latest()] == ["r2"]
            assert await runs.events("r1") == []

    async def test_half_characters_are_replaced(self, runs: Runs) -> None:
        await runs.begin("r1", "What is \udce4?")
        found = await runs.find("r1")
        assert found is not None
        assert (found.question, runs.problem("r1")) == ("What is ??", "")

    async def test_two_that_make_the_file_at_once(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db") as one, Runs(tmp_path / "runs.db") as other:
            await asyncio.gather(*(runs.begin(f"r{n}", "Q?") for n, runs in enumerate([one, other] * 10)))
            assert [runs.problem(f"r{n}") for n, runs in enumerate([one, other] * 10)] == [""] * 20
            assert len(await one.latest()) == 20

    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_on_both_sides_of_a_fork(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db") as runs:
            asyncio.run(runs.begin("parent", "Q?"))
            child = os.fork()
            if not child:
                in_child(runs)
            asyncio.run(runs.begin("parent 2", "Q?"))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert {run.id for run in asyncio.run(runs.latest())} == {"parent", "parent 2", "child"}
        assert rows(tmp_path / "runs.db", "PRAGMA integrity_check") == [("ok",)]


def in_child(runs: Runs) -> None:
    """End with 0 if no connection came along, and a run can be begun."""
    code = 1
    try:
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        inherited = any("runs.db" in str(link.readlink()) for link in links)
        asyncio.run(runs.begin("child", "Q?"))
        code = 2 if inherited else 3 if runs.problem("child") else 0
    finally:
        os._exit(code)
