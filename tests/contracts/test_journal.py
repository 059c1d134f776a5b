"""What every journal does: keep for each run what was put under an address, and nothing else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from scholarmind.adapters.runs import Runs
from scholarmind.ports import Journal
from scholarmind.testing import MemoryJournal

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    """Each of our journals, empty."""
    if request.param == "memory":
        yield MemoryJournal()
        return
    with Runs(tmp_path / "runs.db") as runs:
        yield runs.journal


async def test_what_was_put_is_there(journal: Journal) -> None:
    await journal.put("run", "a1", "part 1", '{"answer": "BERT"}')
    await journal.put("run", "a2", "part 2", '{"answer": "GPT"}')
    assert await journal.get("run", "a1") == '{"answer": "BERT"}'
    assert await journal.get("run", "a2") == '{"answer": "GPT"}'


async def test_nothing_is_under_another_address_or_run(journal: Journal) -> None:
    await journal.put("run", "a1", "part 1", "1")
    assert await journal.get("run", "a2") is None
    assert await journal.get("other", "a1") is None


async def test_what_is_put_again_takes_the_place_of_the_first(journal: Journal) -> None:
    await journal.put("run", "a1", "part 1", "1")
    await journal.put("run", "a1", "part 1", "2")
    assert await journal.get("run", "a1") == "2"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "'; DROP TABLE journal; --",
        "注意力\n\t\u2028 \U0001f600",
        pytest.param("x" * 3_000_000, id="3 million characters"),
    ],
)
async def test_any_text_comes_back_as_it_was(journal: Journal, value: str) -> None:
    await journal.put("run", "a1", "part 1", value)
    assert await journal.get("run", "a1") == value


async def test_many_at_once(journal: Journal) -> None:
    await asyncio.gather(*(journal.put(f"run {n % 3}", f"a{n}", "part", str(n)) for n in range(100)))
    found = await asyncio.gather(*(journal.get(f"run {n % 3}", f"a{n}") for n in range(100)))
    assert found == [str(n) for n in range(100)]


async def test_what_was_put_survives_the_cancelling_of_its_writer(journal: Journal) -> None:
    """The answer is paid for: that nobody waits any more is no reason to lose it."""
    writing = asyncio.create_task(journal.put("run", "a1", "part 1", "1"))
    await asyncio.sleep(0)
    writing.cancel()
    await asyncio.wait([writing])
    assert await journal.get("run", "a1") == "1"
