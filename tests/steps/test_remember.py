"""One search for one question, however many ask; a failure is tried again; nothing is left running."""

import asyncio
from collections.abc import Sequence

import pytest

from scholarmind.filters import Compare, Filter
from scholarmind.model import Document, Evidence, Found, Passage, Scores
from scholarmind.steps.run_caches import Remembering

pytestmark = pytest.mark.anyio
EVIDENCE = Evidence(
    passage=Passage(text="words", start=0, end=5, position=0),
    document=Document(id="d", title=""),
    scores=Scores(fused=1),
)
FOUND = Found(evidence=(EVIDENCE,))


class Counting:
    """A retriever that notes what it is asked, waits until it may go on, and fails as often as it is told to."""

    def __init__(self, failures: int = 0, *, waits: bool = False) -> None:
        self.asked: list[tuple[str, int, Filter | None]] = []
        self.failures = failures
        self.gate = asyncio.Event()
        self.ended = 0
        if not waits:
            self.gate.set()

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        self.asked.append((question, k, filter))
        try:
            await self.gate.wait()
            if self.failures:
                self.failures -= 1
                raise LookupError(question)
            return FOUND
        finally:
            self.ended += 1

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        return Found(evidence=tuple(seeds)[:k], notices=(question,))


class Stubborn(Counting):
    """Goes on when it is told to stop, until it may."""

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        while not self.gate.is_set():
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.ended += 1
        return FOUND


async def a_moment() -> None:
    """Let every task go as far as it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_each_search_is_made_once() -> None:
    retriever = Counting()
    memory = Remembering(retriever)
    found = [
        await memory.search(*asked)
        for asked in [("a", 5), ("b", 5), ("a", 5), ("a", 6), ("a", 5, Compare("year", "=", 1))]
    ]
    assert found == [FOUND] * 5
    assert retriever.asked == [("a", 5, None), ("b", 5, None), ("a", 6, None), ("a", 5, Compare("year", "=", 1))]
    assert memory.count == 4
    await memory.close()


async def test_those_who_ask_at_the_same_moment_share_one() -> None:
    retriever = Counting(waits=True)
    memory = Remembering(retriever)
    waiting = [asyncio.create_task(memory.search("a", 5)) for _ in range(9)]
    await a_moment()
    retriever.gate.set()
    assert await asyncio.gather(*waiting) == [FOUND] * 9
    assert (len(retriever.asked), memory.count) == (1, 1)
    await memory.close()


async def test_one_who_gives_up_does_not_end_it_for_the_others() -> None:
    retriever = Counting(waits=True)
    memory = Remembering(retriever)
    first, second = (asyncio.create_task(memory.search("a", 5)) for _ in range(2))
    await a_moment()
    first.cancel()
    await a_moment()
    retriever.gate.set()
    assert await second == FOUND
    assert first.cancelled()
    await memory.close()


async def test_a_failure_is_everybodys_and_is_tried_again_later() -> None:
    retriever = Counting(failures=1, waits=True)
    memory = Remembering(retriever)
    waiting = [asyncio.create_task(memory.search("a", 5)) for _ in range(3)]
    await a_moment()
    retriever.gate.set()
    failed = await asyncio.gather(*waiting, return_exceptions=True)
    assert [str(error) for error in failed] == ["a"] * 3
    assert await memory.search("a", 5) == FOUND
    assert (len(retriever.asked), memory.count) == (2, 2)
    await memory.close()


async def test_nothing_runs_on_after_the_end() -> None:
    before = asyncio.all_tasks()
    retriever = Counting(waits=True)
    memory = Remembering(retriever)
    waiting = [asyncio.create_task(memory.search(text, 5)) for text in "abc"]
    await a_moment()
    await memory.close()
    assert retriever.ended == 3
    assert all(
        isinstance(found, asyncio.CancelledError) for found in await asyncio.gather(*waiting, return_exceptions=True)
    )
    assert asyncio.all_tasks() == before


async def test_a_search_that_does_not_stop_does_not_hold_up_the_end() -> None:
    retriever = Stubborn(waits=True)
    memory = Remembering(retriever)
    waiting = asyncio.create_task(memory.search("a", 5))
    await a_moment()
    await memory.close()
    assert (retriever.ended, waiting.done()) == (1, False)
    retriever.gate.set()
    assert await waiting == FOUND


async def test_a_failure_that_nobody_waited_for_is_taken_note_of() -> None:
    retriever = Counting(failures=1, waits=True)
    memory = Remembering(retriever)
    waiting = asyncio.create_task(memory.search("a", 5))
    await a_moment()
    waiting.cancel()
    await a_moment()
    retriever.gate.set()
    await a_moment()
    await memory.close()
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    del memory, waiting
    await a_moment()
    assert (retriever.ended, complaints) == (1, [])


async def test_an_end_without_searches() -> None:
    await Remembering(Counting()).close()


async def test_links_are_passed_on() -> None:
    assert await Remembering(Counting()).linked("a", [EVIDENCE], 5) == Found(evidence=())
    counting = Counting()
    assert await Remembering(counting, counting).linked("a", [EVIDENCE], 5) == Found(
        evidence=(EVIDENCE,), notices=("a",)
    )
