"""The file of the runs: what is written is there, what cannot be written is told and harms nobody."""

import asyncio
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scholarmind.adapters.runs import RunLimits, Runs
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
    async def test_a_run_is_forgotten_with_all_that_is_its(self, runs: Runs) -> None:
        for run in ("r1", "r2"):
            await runs.begin(run, "Who proposed BERT?")
            runs.append_event(run, 1, '{"number": 1}')
            await runs.finish(run, "done", "{}")
            await runs.rate(run, good=True)
        assert await runs.forget("r1")
        assert not await runs.forget("r1")
        assert [run.id for run in await runs.latest()] == ["r2"]
        assert await runs.events("r1") == []
        assert [rating.run for rating in await runs.ratings()] == ["r2"]

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
            runs.append_event(run, 1, secrets.token_hex(500_000))
            await runs.journal.put(run, "a", "part 1", "1")
            await runs.finish(run, "done")
        change(runs.path, "UPDATE runs SET started = started - 86400 WHERE id = 'old'")
        change(runs.path, "PRAGMA wal_checkpoint(TRUNCATE)")
        before = runs.path.stat().st_size
        assert (await runs.prune(older_than=1 / 24)).runs == ("old",)
        assert [run.id for run in await runs.latest()] == ["new"]
        assert rows(runs.path, "SELECT run FROM archive") == [("new",)]
        change(runs.path, "PRAGMA wal_checkpoint(TRUNCATE)")
        assert runs.path.stat().st_size < before - 400_000

    async def test_a_run_at_work_stays(self, runs: Runs) -> None:
        await runs.begin("r1", "Q?")
        assert (await runs.prune(older_than=0)).runs == ()
        assert await runs.find("r1") is not None

    async def test_nothing_to_remove(self, runs: Runs) -> None:
        assert (await runs.prune(older_than=0)).runs == ()
        assert not runs.path.exists()


PASSAGE = json.dumps({"text": "What BERT hides are words, " * 40})
LAYOUT_1 = """
PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
CREATE TABLE runs (id TEXT PRIMARY KEY, question TEXT NOT NULL, plan TEXT NOT NULL, settings TEXT NOT NULL, library TEXT NOT NULL,
    status TEXT NOT NULL, started REAL NOT NULL, finished REAL, answer TEXT NOT NULL, process TEXT NOT NULL);
CREATE INDEX runs_by_start ON runs (started);
CREATE TABLE journal (run TEXT NOT NULL, address TEXT NOT NULL, step TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, address));
CREATE TABLE events (run TEXT NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (run, number));
PRAGMA user_version = 1;
"""


async def asked(runs: Runs, run: str, status: str = "done") -> None:
    """Write a run down that found the same passages for each of its parts."""
    await runs.begin(run, f"Q {run}?", plan="{}", settings='{"k": 5}', library="7")
    for number in range(1, 31):
        runs.append_event(run, number, PASSAGE)
        await runs.journal.put(run, f"a{number}", f"part {number}", f"{number} {PASSAGE}")
    await runs.finish(run, status, f'{{"answer": "{run}"}}' if status == "done" else "")


async def assert_whole(runs: Runs, run: str) -> None:
    """All that `asked` wrote down can be read."""
    found = await runs.find(run)
    assert found is not None
    assert (found.question, found.plan, found.settings, found.answer) == (
        f"Q {run}?", "{}", '{"k": 5}', f'{{"answer": "{run}"}}'
    )  # fmt: skip
    assert await runs.events(run) == [PASSAGE] * 30
    assert len(await runs.events(run, after=20)) == 10


class TestPacking:
    async def test_what_is_done_takes_little_room_and_says_the_same(self, runs: Runs) -> None:
        await asked(runs, "r1")
        await assert_whole(runs, "r1")
        assert rows(runs.path, "SELECT count(*) FROM events UNION ALL SELECT count(*) FROM journal") == [(0,), (0,)]
        assert rows(runs.path, "SELECT length(content) FROM archive")[0][0] < 2_000  # type: ignore[operator]
        assert [run.answer for run in await runs.latest()] == ['{"answer": "r1"}']

    async def test_a_run_that_goes_on_has_its_journal_again(self, runs: Runs) -> None:
        await asked(runs, "r1")
        assert await runs.begin("r1", "Q r1?") == 30
        assert await runs.journal.get("r1", "a7") == f"7 {PASSAGE}"
        runs.append_event("r1", 31, "more")
        await runs.finish("r1", "done", "{}")
        assert await runs.events("r1", after=29) == [PASSAGE, "more"]

    async def test_what_can_go_on_stays_as_it_is(self, runs: Runs) -> None:
        for status in ("failed", "cancelled", "awaiting_plan"):
            await asked(runs, status, status)
        assert rows(runs.path, "SELECT count(*) FROM archive") == [(0,)]
        assert await runs.journal.get("cancelled", "a1") == f"1 {PASSAGE}"

    async def test_a_file_of_the_version_before_opens_and_is_packed_without_loss(self, tmp_path: Path) -> None:
        connection = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
        connection.executescript(LAYOUT_1)
        for number in range(25):
            run = f"r{number}"
            values = (
                run,
                f"Q {run}?",
                "{}",
                '{"k": 5}',
                "7",
                "done",
                1000.0 + number,
                2.0,
                f'{{"answer": "{run}"}}',
                "1@a",
            )
            connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 10)})", values)  # noqa: S608
            connection.executemany("INSERT INTO events VALUES (?, ?, ?)", [(run, n, PASSAGE) for n in range(1, 31)])
            journal = [(run, f"a{n}", f"part {n}", f"{n} {PASSAGE}") for n in range(1, 31)]
            connection.executemany("INSERT INTO journal VALUES (?, ?, ?, ?)", journal)
        connection.close()
        before = (tmp_path / "runs.db").stat().st_size
        with Runs(tmp_path / "runs.db") as runs:
            await assert_whole(runs, "r24")
            assert (await runs.prune(dry_run=True, whole=True)).packed == 25
            assert (await runs.prune(whole=True)).packed == 25
            for number in range(25):
                await assert_whole(runs, f"r{number}")
        change(tmp_path / "runs.db", "PRAGMA wal_checkpoint(TRUNCATE)")
        assert (tmp_path / "runs.db").stat().st_size < before / 10

    async def test_a_file_of_the_version_before_can_be_read_where_nothing_may_be_written(self, tmp_path: Path) -> None:
        connection = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
        connection.executescript(LAYOUT_1.replace("PRAGMA journal_mode = WAL;", ""))
        connection.execute("INSERT INTO events VALUES ('r1', 1, 'one')")
        connection.close()
        (tmp_path / "runs.db").chmod(0o400)
        with Runs(tmp_path / "runs.db") as runs:
            assert await runs.events("r1") == ["one"]

    async def test_damage_is_told(self, runs: Runs) -> None:
        await asked(runs, "r1")
        await asked(runs, "r2")
        await runs.latest()
        change(runs.path, "UPDATE archive SET content = x'00' WHERE run = 'r1'")
        change(runs.path, "UPDATE runs SET answer = x'00' WHERE id = 'r1'")
        for reading in (runs.events("r1"), runs.find("r1")):
            with pytest.raises(LibraryStorageError, match=r"move runs\.db away"):
                await reading
        await runs.begin("r1", "Q r1?")
        assert "damaged" in runs.problem("r1")
        await assert_whole(runs, "r2")


class TestLimits:
    async def test_the_oldest_finished_ones_make_room(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db", RunLimits(megabytes=0.5)) as runs:
            for run, status in (("rated", "done"), ("waits", "awaiting_plan"), ("cut", "cancelled"), ("old", "done")):
                await asked(runs, run, status)
            await runs.rate("rated", good=True)
            for number in range(12):
                run = f"r{number}"
                await runs.begin(run, "Q?")
                runs.append_event(run, 1, secrets.token_hex(50_000))
                await runs.finish(run, "done")
            kept = {run.id for run in await runs.latest(100)}
            assert {"rated", "waits", "cut", "r11", "r10"} <= kept
            assert not {"old", "r0", "r1"} & kept
            assert rows(runs.path, "SELECT count(*) FROM archive WHERE run = 'r0'") == [(0,)]

    async def test_age(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db", RunLimits(days=30)) as runs:
            for run in ("old", "rated", "new"):
                await asked(runs, run)
            await runs.rate("rated", good=False)
            change(runs.path, "UPDATE runs SET started = started - 31 * 86400 WHERE id != 'new'")
            await asked(runs, "latest")
            assert {run.id for run in await runs.latest()} == {"rated", "new", "latest"}

    async def test_a_limit_is_never_so_small_that_nothing_is_left(self, tmp_path: Path) -> None:
        with Runs(tmp_path / "runs.db", RunLimits(megabytes=0.001)) as runs:
            await asked(runs, "r1")
            await asked(runs, "r2")
            assert [run.id for run in await runs.latest()] == ["r2"]


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
        await self.assert_harmless(runs.path, "have layout 9, this version reads 2")
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
