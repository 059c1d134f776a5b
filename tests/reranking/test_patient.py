"""A reranker that is slow, broken or wrong costs its scores and nothing else."""

import asyncio
from collections.abc import Sequence
from math import inf, nan

import pytest
from rated_passages import Told, passage

from scholarmind.errors import ModelUnavailableError
from scholarmind.model import Evidence
from scholarmind.ports import Rated
from scholarmind.reranking import TimedReranker

pytestmark = pytest.mark.anyio

FIVE = [passage(str(number), number) for number in range(5)]


class Odd:
    """Hangs on one text and fails on another; it remembers whether it was let go."""

    name = "odd"

    def __init__(self) -> None:
        self.let_go = False

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        texts = [item.passage.text for item in evidence]
        if "hang" in texts:
            try:
                await asyncio.Event().wait()
            finally:
                self.let_go = True
        if "fail" in texts:
            raise ModelUnavailableError("the server is gone")
        return Rated(scores=(0.7,) * len(texts), reasons=("fits",) * len(texts))


class Fixed:
    """Says always the same."""

    name = "fixed"

    def __init__(self, *scores: float | None) -> None:
        self._scores = scores

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        return Rated(scores=self._scores)


async def test_passages_go_in_batches_and_come_back_in_their_order() -> None:
    told = Told({str(number): number / 10 for number in range(5)}, reason="why")
    rated = await TimedReranker(told, batch=2).rate("q", FIVE)
    assert rated == Rated(scores=(0.0, 0.1, 0.2, 0.3, 0.4), reasons=("why",) * 5)
    assert [texts for _, texts in told.asked] == [("0", "1"), ("2", "3"), ("4",)]


async def test_a_batch_that_hangs_is_let_go_and_one_that_fails_is_passed_over() -> None:
    odd = Odd()
    evidence = [passage("fine", 1), passage("hang", 2), passage("fail", 3), passage("well", 4)]
    rated = await TimedReranker(odd, batch=1, seconds=0.05).rate("q", evidence)
    assert (rated.scores, rated.reasons) == ((0.7, None, None, 0.7), ("fits", "", "", "fits"))
    assert [note.partition(":")[0] for note in rated.notes] == [
        "the reranker took longer than 0.05 seconds",
        "the reranker failed (the server is gone)",
    ]
    assert odd.let_go


async def test_scores_that_are_none_of_0_to_1_are_brought_there_or_left_out() -> None:
    rated = await TimedReranker(Fixed(1.5, -0.2, nan, inf, None)).rate("q", FIVE)
    assert rated.scores == (1.0, 0.0, None, None, None)


async def test_a_reranker_that_counts_wrong_is_not_believed() -> None:
    rated = await TimedReranker(Fixed(0.1, 0.2)).rate("q", FIVE)
    assert rated.scores == (None,) * 5
    assert "2 scores for 5 passages" in rated.notes[0]


async def test_cancelling_reaches_who_is_at_work() -> None:
    odd = Odd()
    task = asyncio.create_task(TimedReranker(odd, seconds=60).rate("q", [passage("hang")]))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert odd.let_go


async def test_nothing_is_rated_as_nothing() -> None:
    assert await TimedReranker(Odd()).rate("q", []) == Rated(scores=())
