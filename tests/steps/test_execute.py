"""Parts run as soon as they can, whatever goes wrong stays in its part, and nothing is left behind."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.answer import Finding
from scholarmind.errors import QueryError
from scholarmind.events import Event, PartAnswered, PartFailed, PartStarted
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.steps.execute import execute, resolved

pytestmark = pytest.mark.anyio
Given = Mapping[int, Finding]


def plan_of(*parts: SubQuestion) -> Plan:
    """A plan of these parts."""
    return Plan(question="Q?", parts=parts, complexity="composite", reason="", decided_by="test")


def part(id: int, *depends_on: int, text: str = "") -> SubQuestion:
    """A part that asks for its number."""
    return SubQuestion(id=id, text=text or f"question {id}", depends_on=depends_on)


def answer_of(part: SubQuestion, given: Given) -> Finding:
    """Answer with the part's number and what it was given, so that no answer can be mistaken for another."""
    known = ",".join(given[number].answer for number in sorted(given))
    return Finding(part=part, question=resolved(part, given), answer=f"A{part.id}[{known}]")


async def at_once(part: SubQuestion, given: Given) -> Finding:
    """Answer without delay."""
    return answer_of(part, given)


async def leftovers() -> list[str]:
    """Names of the tasks of parts that still run."""
    await asyncio.sleep(0)
    names = [task.get_name() for task in asyncio.all_tasks()]
    return [name for name in names if name.removeprefix("work on ").startswith("part ")]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any plan of up to eight parts, listed in any order, with numbers that have gaps."""
    numbers = draw(st.lists(st.integers(1, 99), min_size=1, max_size=8, unique=True))
    parts = [
        part(number, *(draw(st.lists(st.sampled_from(numbers[:place]), unique=True, max_size=3)) if place else ()))
        for place, number in enumerate(numbers)
    ]
    return plan_of(*draw(st.permutations(parts)))


def expected_answers(plan: Plan) -> dict[int, str]:
    """Return the answers that follow from the dependencies alone."""
    answers: dict[int, str] = {}
    while len(answers) < len(plan.parts):
        for item in plan.parts:
            if set(item.depends_on) <= answers.keys():
                answers[item.id] = f"A{item.id}[{','.join(answers[number] for number in sorted(item.depends_on))}]"
    return answers


class TestOrder:
    @settings(max_examples=300, deadline=None)
    @given(plan=plans(), data=st.data())
    def test_every_part_waits_for_its_own_dependencies_and_has_its_own_answer(
        self, plan: Plan, data: st.DataObject
    ) -> None:
        turns = {item.id: data.draw(st.integers(0, 5)) for item in plan.parts}
        done: list[int] = []

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            assert tuple(given) == part.depends_on
            assert set(part.depends_on) <= set(done)
            for _ in range(turns[part.id]):
                await asyncio.sleep(0)
            done.append(part.id)
            return answer_of(part, given)

        findings = asyncio.run(execute(plan, investigate))
        assert [finding.part for finding in findings] == list(plan.parts)
        assert {finding.part.id: finding.answer for finding in findings} == expected_answers(plan)
        assert sorted(done) == sorted(item.id for item in plan.parts)

    async def test_a_slow_part_holds_up_nobody_but_those_that_wait_for_it(self) -> None:
        slow, order = asyncio.Event(), []

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            if part.id == 1:
                await slow.wait()
            order.append(part.id)
            if part.id == 4:
                slow.set()
            return answer_of(part, given)

        await execute(plan_of(part(1), part(2), part(3, 2), part(4, 3), part(5, 1, 4)), investigate)
        assert order == [2, 3, 4, 1, 5]

    async def test_parts_that_are_known_are_not_researched_again(self) -> None:
        plan, asked = plan_of(part(1), part(2, 1, text="what of #1?")), []
        known = {1: Finding(part=plan.part(1), question="question 1", answer="BERT")}

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            asked.append(part.id)
            return answer_of(part, given)

        first, second = await execute(plan, investigate, known=known)
        assert asked == [2]
        assert (first, second.answer, second.question) == (known[1], "A2[BERT]", "what of BERT?")


class TestResolved:
    def test_an_answer_takes_the_place_of_its_number(self) -> None:
        known = {1: Finding(part=part(1), question="Which model?", answer="BERT")}
        asked = SubQuestion(id=2, text="How large is #1, #2 or #12?", depends_on=(1,), asks=(Ask(text="Who made #1?"),))
        assert resolved(asked, known) == "How large is BERT, #2 or #12?"
        assert resolved(asked, known, "Who made #1?") == "Who made BERT?"

    def test_without_an_answer_the_question_stands_for_it(self) -> None:
        known = {
            1: Finding(part=part(1), question="Who proposed BERT?", error="no"),
            2: Finding(part=part(2), question="谁提出了 BERT？"),
        }
        assert resolved(part(3, 1, 2, text="Where did #1 study, and #2?"), known) == (
            "Where did (Who proposed BERT) study, and (谁提出了 BERT)?"
        )


class StrangeError(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


ERRORS = [
    (QueryError("the question is empty"), "the question is empty"),
    (KeyError("text"), "KeyError: 'text' (test_execute.py, line "),
    (TimeoutError(), "TimeoutError (test_execute.py, line "),
    (ExceptionGroup("two", [ValueError("a"), OSError("b")]), "ExceptionGroup: two (2 sub-exceptions) (test_execute.py"),
    (StrangeError(), "StrangeError: <exception str() failed>"),
    (asyncio.CancelledError(), "its search was cancelled by something else than this run"),
    (StopIteration(), "RuntimeError: coroutine raised StopIteration"),
    (AssertionError("x" * 10_000), "AssertionError: xxx"),
]


class TestFailures:
    @pytest.mark.parametrize(("error", "told"), ERRORS, ids=[type(error).__name__ for error, _ in ERRORS])
    async def test_whatever_is_raised_is_the_error_of_its_part_only(self, error: BaseException, told: str) -> None:
        async def investigate(part: SubQuestion, given: Given) -> Finding:
            if part.id == 1:
                raise error
            return answer_of(part, given)

        first, second, third = await execute(plan_of(part(1), part(2), part(3, 1, 2)), investigate)
        assert told in first.error
        assert len(first.error) < 600
        assert (first.part.id, first.question, first.answer) == (1, "question 1", "")
        assert (second.answer, second.error, second.notes) == ("A2[]", "", ())
        assert (third.answer, third.error) == ("A3[,A2[]]", "")
        assert third.notes == (f"part 1 failed ({first.error}); this part went on without its answer",)
        assert await leftovers() == []

    @pytest.mark.parametrize("wrong", [lambda *_: 1 / 0, lambda *_: None])
    async def test_a_function_that_is_not_even_async(self, wrong: Callable[..., Any]) -> None:
        (only,) = await execute(plan_of(part(1)), wrong)
        assert only.error.split(":")[0] in {"ZeroDivisionError", "TypeError"}

    @settings(max_examples=300, deadline=None)
    @given(plan=plans(), data=st.data())
    def test_failures_are_data_in_any_plan(self, plan: Plan, data: st.DataObject) -> None:
        failing = data.draw(st.sets(st.sampled_from([item.id for item in plan.parts])))

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            await asyncio.sleep(0)
            if part.id in failing:
                raise ValueError(part.id)
            return answer_of(part, given)

        findings = asyncio.run(execute(plan, investigate))
        assert [finding.part for finding in findings] == list(plan.parts)
        assert {finding.part.id for finding in findings if finding.error} == failing
        for finding in findings:
            assert len(finding.notes) == len(failing & set(finding.part.depends_on))

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
    def test_an_interruption_passes(self, error: type[BaseException]) -> None:
        async def investigate(part: SubQuestion, given: Given) -> Finding:
            await asyncio.sleep(0)
            raise error

        with pytest.raises(error):
            asyncio.run(execute(plan_of(part(1), part(2)), investigate))

    async def test_an_error_of_the_listener_is_not_a_part_that_failed(self) -> None:
        def on_event(event: Event) -> None:
            raise BrokenPipeError("nobody reads")

        with pytest.raises(BrokenPipeError, match="nobody reads"):
            await execute(plan_of(part(1), part(2, 1)), at_once, on_event=on_event)
        assert await leftovers() == []


async def hanging(part: SubQuestion, given: Given) -> Finding:
    """Answer all parts but the first."""
    if part.id == 1:
        await asyncio.Event().wait()
    return answer_of(part, given)


class TestTime:
    async def test_a_part_that_hangs_is_given_up(self) -> None:
        first, second, third = await execute(plan_of(part(1), part(2), part(3, 1)), hanging, part_seconds=0.05)
        assert (first.error, second.error, third.error) == ("not answered within 0.05 s", "", "")
        assert third.notes == ("part 1 failed (not answered within 0.05 s); this part went on without its answer",)
        assert await leftovers() == []

    async def test_the_end_of_the_run_ends_every_part(self) -> None:
        first, second, third = await execute(
            plan_of(part(1), part(2), part(3, 1)), hanging, part_seconds=60, run_seconds=0.3
        )
        over = "the time for the whole question was over before it was answered"
        assert (first.error, second.error, third.error) == (over, "", over)
        assert await leftovers() == []

    async def test_an_answer_given_while_told_to_stop_counts(self) -> None:
        async def investigate(part: SubQuestion, given: Given) -> Finding:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return answer_of(part, given)
            raise AssertionError

        (only,) = await execute(plan_of(part(1)), investigate, part_seconds=0.01)
        assert (only.answer, only.error) == ("A1[]", "")

    async def test_an_error_raised_while_told_to_stop_is_still_a_time_out(self) -> None:
        async def investigate(part: SubQuestion, given: Given) -> Finding:
            try:
                return await asyncio.Event().wait()
            finally:
                raise OSError("connection lost")

        (only,) = await execute(plan_of(part(1)), investigate, part_seconds=0.01)
        assert only.error == "not answered within 0.01 s"

    async def test_what_does_not_stop_holds_up_nobody(self) -> None:
        free = asyncio.Event()

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            while not free.is_set():
                try:
                    await free.wait()
                except asyncio.CancelledError:
                    continue
            return answer_of(part, given)

        (only,) = await execute(plan_of(part(1)), investigate, part_seconds=0.01)
        assert only.error == "not answered within 0.01 s"
        free.set()
        await asyncio.sleep(0)
        assert await leftovers() == []


class TestCancelling:
    @settings(max_examples=300, deadline=None)
    @given(plan=plans(), turns=st.integers(0, 12), again=st.booleans())
    def test_it_reaches_every_part_and_leaves_no_task(self, plan: Plan, turns: int, again: bool) -> None:
        begun: list[int] = []
        ended: list[int] = []

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            begun.append(part.id)
            try:
                if part.id % 2:
                    await asyncio.Event().wait()
                return answer_of(part, given)
            finally:
                ended.append(part.id)
                await asyncio.sleep(0)

        async def main() -> list[str]:
            running = asyncio.create_task(execute(plan, investigate))
            for _ in range(turns):
                await asyncio.sleep(0)
            cancelled = running.cancel()
            if again:
                await asyncio.sleep(0)
                running.cancel()
            await asyncio.wait([running])
            assert running.cancelled() or not cancelled or not any(item.id % 2 for item in plan.parts)
            return await leftovers()

        assert asyncio.run(main()) == []
        assert sorted(begun) == sorted(ended)

    async def test_a_time_out_of_the_caller_comes_out_as_one(self) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await execute(plan_of(part(1), part(2, 1)), hanging)
        assert await leftovers() == []


async def test_events_tell_what_every_part_asked_and_brought() -> None:
    seen: list[Event] = []

    async def investigate(part: SubQuestion, given: Given) -> Finding:
        if part.id == 3:
            raise ValueError("no")
        return replace(answer_of(part, given), answer="BERT", notes=("widened",), seconds=9.0)

    await execute(plan_of(part(1), part(2, 1, text="and #1?"), part(3, 2)), investigate, on_event=seen.append)
    started, answered, *_ = seen
    assert [(type(event), event.part) for event in seen] == [
        (kind, number)
        for number, end in ((1, PartAnswered), (2, PartAnswered), (3, PartFailed))
        for kind in (PartStarted, end)
    ]
    assert started == PartStarted(part=1, question="question 1")
    assert seen[2] == PartStarted(part=2, question="and BERT?", waited_for=(1,))
    assert (answered.answer, answered.passages, answered.notes) == ("BERT", 0, ("widened",))
    assert seen[5].error.startswith("ValueError: no")
