"""Parts that are stopped or asked again while others are researched: seen through the engine, as whoever asks sees it."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from scholarmind import Answer, Engine, Filter, Library, Options, Plan, Settings, SubQuestion
from scholarmind.errors import PlanError, QueryError
from scholarmind.events import Event, RoundStarted
from scholarmind.steps.execute import Steering

pytestmark = pytest.mark.anyio

BERT = "BERT was proposed by Jacob Devlin at Google in October 2018."
GPT = "GPT-2 was proposed by Alec Radford at OpenAI in February 2019."
PARTS = (
    SubQuestion(id=1, text="Who proposed BERT?"),
    SubQuestion(id=2, text="Who proposed GPT-2?"),
    SubQuestion(id=3, text="Where is GPT-2 from?"),
)
PLAN = Plan(question="Who proposed BERT and GPT-2?", parts=PARTS, complexity="composite", reason="", decided_by="user")


class SlowSearch:
    """A search that keeps questions with a word waiting; `asked` counts them, and `begun` is set by the first."""

    def __init__(self, word: str, times: int = 1) -> None:
        self.asked = 0
        self.begun = asyncio.Event()
        self._word = word
        self._times = times

    async def __call__(self, question: str, k: int, filter: Filter | None) -> Iterable[Any]:
        """Return the two texts."""
        del k, filter
        if question.startswith("Who") and self._word in question and "and" not in question:
            self.asked += 1
            self.begun.set()
            if self.asked <= self._times:
                await asyncio.sleep(60)
        return [BERT, GPT]


async def answered(search: SlowSearch, steer: Callable[[Steering], None]) -> tuple[Answer, list[Event]]:
    """Ask, do something as soon as the slow part is begun, and return the answer with what happened."""
    events: list[Event] = []
    steering = Steering()
    engine = Engine(retriever=search, steering=steering, options=Options(run_seconds=20))
    asking = asyncio.create_task(engine.ask("", plan=PLAN, on_event=events.append))
    await search.begun.wait()
    await asyncio.sleep(0.05)  # the others are done
    steer(steering)
    return await asking, events


async def test_a_part_that_is_stopped_says_so_and_the_others_go_on() -> None:
    search = SlowSearch("GPT-2", times=9)
    answer, events = await answered(search, lambda steering: steering.steer(2, "stop"))
    first, second, _ = answer.findings
    assert first.evidence
    assert not second.evidence
    assert second.error == "stopped before it was answered"
    assert [row.status for row in answer.review.rows][:2] == ["answered", "failed"]
    assert search.asked == 1  # nor is it taken up in a further round
    assert not [each for each in events if isinstance(each, RoundStarted) and 2 in each.parts]


async def test_a_part_that_hangs_is_begun_anew() -> None:
    search = SlowSearch("GPT-2")
    answer, _ = await answered(search, lambda steering: steering.steer(2, "again"))
    assert search.asked >= 2
    assert answer.findings[1].evidence
    assert not answer.findings[1].error


async def test_a_part_that_is_done_is_taken_up_before_the_answer_is_written() -> None:
    def steer(steering: Steering) -> None:
        steering.steer(1, "again")
        steering.steer(2, "stop")

    answer, events = await answered(SlowSearch("GPT-2", times=9), steer)
    (taken,) = [each for each in events if isinstance(each, RoundStarted) and "asked again" in each.reason]
    assert taken.parts == (1,)
    assert answer.findings[0].evidence


async def test_a_part_that_was_stopped_can_be_asked_after_all() -> None:
    search = SlowSearch("GPT-2")

    def steer(steering: Steering) -> None:
        steering.steer(2, "stop")
        steering.steer(2, "again")

    answer, _ = await answered(search, steer)
    assert answer.findings[1].evidence
    assert not answer.findings[1].error


async def test_what_cannot_be_is_refused() -> None:
    def steer(steering: Steering) -> None:
        with pytest.raises(PlanError, match="no part 9; its parts are 1, 2, 3"):
            steering.steer(9, "stop")
        with pytest.raises(PlanError, match="part 1 is done already"):
            steering.steer(1, "stop")
        steering.steer(2, "stop")

    await answered(SlowSearch("GPT-2", times=9), steer)
    with pytest.raises(PlanError, match="no part is being researched now"):
        Steering().steer(1, "stop")


def test_a_run_that_is_not_going_on_is_told_by_name(tmp_path: Any) -> None:
    with (
        Library(Settings(library=tmp_path, embedder="none")) as library,
        pytest.raises(QueryError, match="'20260101-x' is not being answered"),
    ):
        library.steer("20260101-x", 1, "stop")
