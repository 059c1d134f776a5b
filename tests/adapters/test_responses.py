"""The file of replies: what is kept is there, the oldest go first, and whatever is wrong with the file costs a reply, never an error."""

import asyncio
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from scholarmind.adapters.responses import Responses

pytestmark = pytest.mark.anyio


@pytest.fixture
def responses(tmp_path: Path) -> Responses:
    """An empty file, which is made by the first reply."""
    return Responses(tmp_path / "responses.db", megabytes=1)


async def kept(responses: Responses, names: list[str]) -> list[str]:
    return [name for name in names if await responses.get(name) is not None]


async def test_what_is_kept_is_there_also_for_the_next_process(responses: Responses) -> None:
    await responses.put("a", "text 一")
    await responses.put("b", "other")
    await responses.put("b", "newer")
    await responses.close()
    again = Responses(responses.path, megabytes=1)
    assert [await again.get(name) for name in ("a", "b", "c")] == ["text 一", "newer", None]
    assert again.problem == ""


async def test_asking_makes_an_empty_file_and_no_more(responses: Responses) -> None:
    assert not responses.path.exists()
    assert await responses.get("a") is None
    assert responses.problem == ""


async def test_half_characters_are_kept_as_question_marks(responses: Responses) -> None:
    await responses.put("a", "x\ud800y")
    assert await responses.get("a") == "x?y"


async def test_clearing_forgets_everything_and_gives_the_room_back(responses: Responses) -> None:
    empty = await responses.size()
    for number in range(50):
        await responses.put(str(number), "x" * 10_000)
    assert await responses.size() > 500_000
    assert responses.path.stat().st_size == await responses.size()
    await responses.clear()
    assert await responses.size() == empty
    assert responses.path.stat().st_size < 50_000
    assert await kept(responses, ["0", "49"]) == []


async def test_the_least_recently_used_go_first(responses: Responses) -> None:
    names = [str(number) for number in range(9)]
    for name in names:
        await responses.put(name, name * 100_000)
    assert await kept(responses, ["0"]) == ["0"]  # and so it is the last one used
    for name in ("new", "newer", "newest"):
        await responses.put(name, "n" * 100_000)
    assert await kept(responses, [*names, "new", "newer", "newest"]) == ["0", *names[4:], "new", "newer", "newest"]
    assert await responses.size() <= 1_000_000


async def test_the_file_never_grows_beyond_its_limit(responses: Responses) -> None:
    for number in range(300):
        await responses.put(str(number), "x" * (number * 100))
    assert responses.path.stat().st_size <= 1_000_000
    assert await kept(responses, ["0", "299"]) == ["299"]


async def test_what_is_larger_than_the_limit_is_not_kept(responses: Responses) -> None:
    await responses.put("small", "s")
    await responses.put("large", "x" * 1_000_001)
    assert await kept(responses, ["small", "large"]) == ["small"]


async def test_many_at_the_same_time(responses: Responses) -> None:
    names = [str(number) for number in range(100)]
    await asyncio.gather(*(responses.put(name, name) for name in names))
    assert await asyncio.gather(*(responses.get(name) for name in names)) == names
    assert responses.problem == ""


async def test_two_processes_write_at_the_same_time(responses: Responses) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from scholarmind.adapters.responses import Responses\n"
        "async def main():\n"
        "    responses = Responses(Path(sys.argv[1]), 1)\n"
        "    for number in range(50): await responses.put(f'theirs {number}', 'x')\n"
        "asyncio.run(main())"
    )
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(responses.path))
    for number in range(50):
        await responses.put(f"ours {number}", "x")
    assert await other.wait() == 0
    assert await kept(responses, ["ours 0", "ours 49", "theirs 0", "theirs 49"]) == [
        "ours 0",
        "ours 49",
        "theirs 0",
        "theirs 49",
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_a_thread_of_its_own(responses: Responses) -> None:
    asyncio.run(responses.put("a", "before"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if asyncio.run(responses.get("a")) == "before" else 2
            asyncio.run(responses.put("a", "after"))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert asyncio.run(responses.get("a")) == "after"


def aside(responses: Responses) -> bytes | None:
    """What was moved out of the way."""
    path = responses.path.with_name("responses.db.damaged")
    return path.read_bytes() if path.exists() else None


class TestHarm:
    @pytest.mark.parametrize("text", [b"this is no database", b"SQLite format 3\x00" + b"\xff" * 5_000])
    async def test_a_file_that_is_no_database_is_set_aside(self, responses: Responses, text: bytes) -> None:
        responses.path.write_bytes(text)
        assert await responses.get("a") is None
        assert responses.problem.startswith(f"replies cannot be kept in {str(responses.path)!r}")
        await responses.put("a", "x")
        assert await responses.get("a") == "x"
        assert responses.problem == ""
        assert aside(responses) == text

    async def test_a_damaged_file_costs_what_was_in_it(self, responses: Responses) -> None:
        for number in range(100):
            await responses.put(str(number), "x" * 2_000)
        held = bytearray(responses.path.read_bytes())
        held[2_000:-1] = b"\xff" * (len(held) - 2_001)
        responses.path.write_bytes(held)
        for number in range(100):
            await responses.get(str(number))
        await responses.put("new", "y")
        assert await responses.get("new") == "y"

    async def test_a_file_of_another_version_is_left_alone(self, responses: Responses) -> None:
        connection = sqlite3.connect(responses.path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        await responses.put("a", "x")
        assert await responses.get("a") is None
        assert "it has layout 99, this version reads 2" in responses.problem
        assert aside(responses) is None

    async def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        responses = Responses(tmp_path / "none" / "responses.db", 1)
        await responses.put("a", "x")
        assert (await responses.get("a"), await responses.size()) == (None, 0)
        assert "unable to open database file" in responses.problem

    async def test_a_file_that_is_locked_gives_what_it_has(self, responses: Responses) -> None:
        await responses.put("a", "x")
        connection = sqlite3.connect(responses.path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")  # whoever holds this lets others read
        try:
            assert await responses.get("a") == "x"
            await responses.put("b", "y")
            assert "locked" in responses.problem
        finally:
            connection.close()
        assert await kept(responses, ["a", "b"]) == ["a"]

    async def test_who_waited_for_nothing_does_not_wait_at_every_question_again(
        self, responses: Responses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await responses.put("a", "x")
        waits: list[float] = []
        connect = sqlite3.connect

        def connecting(path: Path, *, timeout: float, **more: Any) -> sqlite3.Connection:
            waits.append(timeout)
            return connect(path, timeout=timeout, **more)

        monkeypatch.setattr(sqlite3, "connect", connecting)
        other = connect(responses.path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            assert [await responses.get("a"), await responses.get("a"), await responses.get("a")] == [None] * 3
        finally:
            other.close()
        assert waits == [0.2, 0.0, 0.0]
        assert await responses.get("a") == "x"

    async def test_after_closing_it_opens_again(self, responses: Responses) -> None:
        await responses.put("a", "x")
        await responses.close()
        await responses.close()
        assert await responses.get("a") == "x"


async def test_each_kind_is_counted_by_itself_and_never_mistaken_for_another(responses: Responses) -> None:
    plans, searches = responses.of("plans"), responses.of("searches")
    await plans.put("a", "a plan")
    assert [await plans.get("a"), await searches.get("a"), await plans.get("b"), await responses.get("a")] == [
        "a plan",
        None,
        None,
        None,
    ]
    assert await responses.counts() == {"plans": (1, 1), "replies": (0, 1), "searches": (0, 1)}


async def test_a_file_of_an_older_layout_is_begun_anew(responses: Responses) -> None:
    with sqlite3.connect(responses.path) as connection:
        connection.execute("CREATE TABLE replies (address TEXT PRIMARY KEY, value TEXT, used INTEGER)")
        connection.execute("INSERT INTO replies VALUES ('a', 'old', 1)")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert await responses.get("a") is None
    await responses.put("a", "new")
    assert (await responses.get("a"), responses.problem) == ("new", "")
