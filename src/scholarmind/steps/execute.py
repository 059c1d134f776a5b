"""Carry out a plan: each part starts the moment that its own dependencies are done, and one part's failure is data."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from traceback import format_exception_only
from typing import Any

from scholarmind.answer import Finding
from scholarmind.errors import ScholarMindError
from scholarmind.events import OnEvent, PartAnswered, PartFailed, PartStarted, ignore
from scholarmind.plan import Plan, SubQuestion

Investigate = Callable[[SubQuestion, Mapping[int, Finding]], Awaitable[Finding]]
_GRACE_SECONDS = 1.0  # for a part that was told to stop
_LONGEST_ERROR = 500


async def execute(
    plan: Plan,
    investigate: Investigate,
    *,
    part_seconds: float | None = None,
    run_seconds: float | None = None,
    known: Mapping[int, Finding] | None = None,
    on_event: OnEvent = ignore,
) -> list[Finding]:
    """Return one finding per part, in the plan's order. Parts that are `known` are not researched again.

    Whatever `investigate` raises becomes the error of its part's finding; so does the end of `part_seconds` or, counted from now, of
    `run_seconds`. Cancelling this cancels every part and waits until it has ended.
    """
    known, tasks = known or {}, dict[int, asyncio.Task[Finding]]()
    clock = asyncio.get_running_loop().time
    limits = _Limits(part_seconds, run_seconds, clock)

    async def run(part: SubQuestion) -> Finding:
        if part.id in known:
            return known[part.id]
        await asyncio.sleep(0)  # every task is there then, even in a loop that starts tasks before they are all made
        if part.depends_on:
            await asyncio.wait([tasks[number] for number in part.depends_on])
        given = {number: tasks[number].result() for number in part.depends_on}
        question = resolved(part, given)
        on_event(PartStarted(part=part.id, question=question, waited_for=part.depends_on))
        began = clock()
        finding = await _attempted(part, question, limits, lambda: investigate(part, given))
        notes = _missing(given) + finding.notes
        finding = replace(finding, notes=notes, seconds=finding.seconds or clock() - began)
        on_event(_told(finding, clock() - began))
        return finding

    tasks |= {part.id: asyncio.create_task(run(part), name=f"part {part.id}") for part in plan.parts}
    try:
        done, _ = await asyncio.wait(tasks.values(), return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()  # what is raised here is no part's failure: somebody's `on_event`, or an interruption
        return [tasks[part.id].result() for part in plan.parts]
    finally:
        await _ended(tasks.values())


def resolved(part: SubQuestion, given: Mapping[int, Finding], text: str | None = None) -> str:
    """Return the part's text (or one of its asks) with each `#N` filled in: by the answer, or where there is none by what was asked."""
    return part.resolve({number: _known_of(finding) for number, finding in given.items()}, text)


def _known_of(finding: Finding) -> str:
    return finding.answer or f"({finding.question.rstrip(' ?？')})"


def _missing(given: Mapping[int, Finding]) -> tuple[str, ...]:
    return tuple(
        f"part {number} failed ({finding.error}); this part went on without its answer"
        for number, finding in given.items()
        if finding.error
    )


class _Limits:
    """How long a part may take."""

    def __init__(self, part: float | None, run: float | None, clock: Callable[[], float]) -> None:
        self._part = part
        self._run = run
        self._clock = clock
        self._began = clock()

    def now(self) -> tuple[float | None, str]:
        """Return the seconds that a part which starts now may take, and what to say if it takes longer."""
        left: float | None = None
        told = ""
        if self._part is not None:
            left, told = self._part, f"not answered within {self._part:g} s"
        if self._run is not None:
            rest = max(0.0, self._began + self._run - self._clock())
            if left is None or rest < left:
                left, told = rest, "the time for the whole question was over before it was answered"
        return left, told


async def _attempted(
    part: SubQuestion, question: str, limits: _Limits, work: Callable[[], Awaitable[Finding]]
) -> Finding:
    """Do the work as a task of its own, so that what somebody's search function raises can be looked at, not caught."""

    async def call() -> Finding:
        return await work()

    left, too_late = limits.now()
    if left == 0:
        return Finding(part=part, question=question, error=too_late)
    task = asyncio.create_task(call(), name=f"work on part {part.id}")
    try:
        await asyncio.wait([task], timeout=left)
        late = not task.done()
    finally:
        await _ended([task])
    if late and not _has_result(task):
        return Finding(part=part, question=question, error=too_late)
    if task.cancelled():  # from within: a cancellation of ours has left through `asyncio.wait`
        return Finding(part=part, question=question, error="its search was cancelled by something else than this run")
    if isinstance(error := task.exception(), Exception):
        return Finding(part=part, question=question, error=_described(error))
    return task.result()


def _has_result(task: asyncio.Task[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _described(error: Exception) -> str:
    """Return what was raised: our own messages say it all, others need their type and the place that raised it."""
    if isinstance(error, ScholarMindError):
        return str(error)
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({Path(place.tb_frame.f_code.co_filename).name}, line {place.tb_lineno})" if place else ""
    words = " ".join(format_exception_only(error)).strip()  # bears with errors that cannot be told
    return words[:_LONGEST_ERROR] + where


def _told(finding: Finding, seconds: float) -> PartAnswered | PartFailed:
    part, question = finding.part.id, finding.question
    if finding.error:
        return PartFailed(part=part, question=question, error=finding.error, seconds=seconds, notes=finding.notes)
    return PartAnswered(
        part=part,
        question=question,
        answer=finding.answer,
        passages=len(finding.evidence),
        seconds=seconds,
        notes=finding.notes,
    )


async def _ended(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel what still runs and wait for its end, however often we are cancelled ourselves meanwhile.

    Something that does not stop when told to is left alone after a moment: it must not hold up the answer.
    """
    clock = asyncio.get_running_loop().time
    pending = {task for task in tasks if not task.done()}
    for task in pending:
        task.cancel()
    interruption: asyncio.CancelledError | None = None
    deadline = clock() + _GRACE_SECONDS
    while pending and clock() < deadline:
        try:
            _, pending = await asyncio.wait(pending, timeout=deadline - clock())
        except asyncio.CancelledError as error:
            interruption = error
    for task in tasks:
        task.add_done_callback(_taken_note_of)
    if interruption is not None:
        raise interruption


def _taken_note_of(task: asyncio.Task[Any]) -> None:
    """Nobody else will ask for the error of a task that was stopped; asyncio would complain about that."""
    if not task.cancelled():
        task.exception()
