"""Carry out a plan: each part starts the moment that its own dependencies are done, and one part's failure is data.

Then once more: which weak parts are taken up again, what an answer lacks as new parts, and what the rounds come to together. Meanwhile
somebody may steer single parts. Nothing here knows how a part is researched.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path
from traceback import format_exception_only
from typing import Any, Literal

from scholarmind.answer import Answer, Finding
from scholarmind.errors import PlanError, ScholarMindError
from scholarmind.events import OnEvent, PartAnswered, PartFailed, PartStarted, ignore
from scholarmind.plan import Plan, SubQuestion, described
from scholarmind.ranking import key_of, merged
from scholarmind.text.analysis import terms
from scholarmind.text.language import lazy_regex

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
    """Return the part's text (or one of its asks) with each `#N` filled in: by the answer, or where there is none by what was asked for."""
    told = {n: one.answer or described(one.question) or f"({one.question.rstrip(' ?？')})" for n, one in given.items()}
    return part.resolve(told, text)


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


# -- weak parts once more

_KEPT_FIRST = 5  # passages of the first round that stay before those of the next
_CANDIDATES = 3


def taken_up_again(plan: Plan, findings: Sequence[Finding], weak: Sequence[int]) -> frozenset[int]:
    """Return the weak parts, those that went on without a failed one of them, and what puts any of these together."""
    again = set(weak)
    renewed = {finding.part.id for finding in findings if finding.error} & again
    for number in TopologicalSorter({part.id: part.depends_on for part in plan.parts}).static_order():
        part = plan.part(number)
        if renewed & set(part.depends_on):
            renewed.add(number)
            again.add(number)
        elif part.role != "find" and again & set(part.depends_on):
            again.add(number)
    return frozenset(again)


def together(first: Sequence[Finding], second: Sequence[Finding]) -> list[Finding]:
    """Return one finding for each part: what the first round found, and what the second found beyond it."""
    failed = {finding.part.id for finding in second if finding.error}
    return [_better(old, new, failed) for old, new in zip(first, second, strict=True)]


def _better(old: Finding, new: Finding, failed: set[int]) -> Finding:
    if new is old:
        return old
    if new.part.role != "find":
        return new
    if not new.error and new.part.row_ids != old.part.row_ids:  # what it is for each of is known only now
        return new
    notes = (*(note for note in old.notes if not _is_out_of_date(note, new, failed)), *new.notes)
    if new.error:
        told = () if old.error else (f"searching further for part {old.part.id} failed: {new.error}",)
        return replace(old, notes=tuple(dict.fromkeys((*notes, *told))))
    counted = bool(new.tallies) and not old.tallies
    # what was made up gives way to what was read, and that to what was counted
    surer = (new, old) if counted or (old.lacks and not new.lacks) else (old, new)
    candidates = tuple(dict.fromkeys(answer for one in surer for answer in one.candidates))[:_CANDIDATES]
    return replace(
        new,
        evidence=tuple(merged((old.evidence[:_KEPT_FIRST], new.evidence, old.evidence)).values()),
        candidates=candidates,
        answer=candidates[0] if candidates else "",
        items=surer[0].items or surer[1].items,
        lacks=surer[0].lacks,
        tallies=new.tallies or old.tallies,
        notes=tuple(dict.fromkeys(notes)),
    )


def _is_out_of_date(note: str, new: Finding, failed: set[int]) -> bool:
    """Tell whether a note says that a part failed which has succeeded since."""
    return any(note.startswith(f"part {number} failed (") for number in new.part.depends_on if number not in failed)


# -- new parts for what is missing

_ASKS = lazy_regex(r"\S[?？]\s*$")
_TRIED = 10  # of the passages that a part is judged by; if all of them are known, nothing new was found
_FIRST = 5  # passages of the new part that come before those that its row had


def extended(answer: Answer, most: int) -> tuple[Plan, tuple[int, ...]]:
    """Return the plan with a part for what is missing in each row, and the numbers of these parts; at most so many."""
    plan = answer.plan
    asked = {frozenset(terms(part.text)) for part in plan.parts}
    number = max(part.id for part in plan.parts)
    added: list[SubQuestion] = []
    for row in answer.review.rows:
        part = plan.part(row.part)
        if row.id not in answer.missing or part.role != "find" or part.extends or len(added) >= most:
            continue
        text = _question(row.text, answer.missing[row.id])
        if frozenset(terms(text)) in asked:
            continue
        asked.add(frozenset(terms(text)))
        number += 1
        added.append(SubQuestion(id=number, text=text, kind=part.kind, extends=part.id))
    return replace(plan, parts=(*plan.parts, *added)), tuple(part.id for part in added)


def put_together(findings: Sequence[Finding], added: Sequence[int]) -> tuple[list[Finding], bool]:
    """Give each part what the part that extends it found, and tell whether any of that is new to it."""
    extensions = [finding for finding in findings if finding.part.id in added and not finding.error]
    news = False
    together: list[Finding] = []
    for finding in findings:
        known = {key_of(item) for item in finding.evidence[:_TRIED]}
        more = [
            item.rated(item.scores.fused, item.found_by | {_row_of(finding, extension)})
            for extension in extensions
            if extension.part.extends == finding.part.id
            for item in extension.evidence[:_FIRST]
        ]
        news = news or any(key_of(item) not in known for item in more)
        evidence = tuple(merged((more, finding.evidence)).values())
        together.append(replace(finding, evidence=evidence) if more else finding)
    return together, news


def _row_of(finding: Finding, extension: Finding) -> str:
    """Return the row of a finding that an extension was made for: it has the words of that row, or of what was missing in it."""
    asked = set(terms(extension.question))
    texts = finding.rows or tuple(ask.text for ask in finding.part.rows)
    shared = [len(asked & set(terms(text))) for text in texts]
    return finding.part.row_ids[shared.index(max(shared))]


def says_more(new: Answer, old: Answer) -> bool:
    """Tell whether an answer that was written anew says as much for sure as the one before: nothing must be lost."""
    return bool(new.written_by) and _confirmed(new) >= _confirmed(old)


def _confirmed(answer: Answer) -> int:
    return len({claim.row for claim in answer.claims if claim.status != "unsupported"})


def _question(row: str, missing: str) -> str:
    """Return what to look for: the question that the model says would find it, else what it misses with the row that it belongs to."""
    return missing if _ASKS.search(missing) else f"{row.rstrip(' ?？')} ({missing})"


# -- what is asked of single parts meanwhile: to stop one, or to ask it again; a part that is stopped is a finding with an error

Steer = Literal["stop", "again"]
_STOPPED = "stopped before it was answered"


class Steering:
    """Takes what is asked of the parts of one run, from whichever thread."""

    def __init__(self) -> None:
        self.stopped: set[int] = set()
        self._again: set[int] = set()
        self._parts = frozenset[int]()
        self._closed = False
        self._done: set[int] = set()
        self._working: dict[int, asyncio.Task[Finding]] = {}

    def steer(self, part: int, what: Steer) -> None:
        """Stop a part, or ask it again: at once if it is being researched, else when the others are done."""
        if self._closed or not self._parts:
            raise PlanError("no part is being researched now; when the answer is there, ask about the part by itself")
        if part not in self._parts:
            raise PlanError(f"the plan has no part {part!r}; its parts are {', '.join(map(str, sorted(self._parts)))}")
        if what == "stop" and part in self._done:
            raise PlanError(f"part {part} is done already; it can be asked again")
        if what == "stop":
            self.stopped.add(part)
        else:
            self.stopped.discard(part)
            if part in self._done:
                self._again.add(part)
        if work := self._working.get(part):
            work.get_loop().call_soon_threadsafe(work.cancel)

    def taken(self) -> tuple[int, ...]:
        """Return the parts that are to be researched once more, and forget that."""
        again, self._again = tuple(sorted(self._again)), set()
        return again

    def close(self) -> None:
        """Take nothing more: what was found is being written up."""
        self._closed = True

    def steered(self, step: Investigate, plan: Plan, renew: Callable[[], None]) -> Investigate:
        """Return the same step, which ends or begins anew where that is asked for; `renew` is called before the latter."""
        self._parts = frozenset(part.id for part in plan.parts)

        async def investigate(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
            self._done.discard(part.id)
            try:
                return await self._attempted(step, part, given, renew)
            finally:
                self._done.add(part.id)

        return investigate

    async def _attempted(
        self, step: Investigate, part: SubQuestion, given: Mapping[int, Finding], renew: Callable[[], None]
    ) -> Finding:
        while part.id not in self.stopped:
            work = asyncio.ensure_future(step(part, given))
            self._working[part.id] = work
            try:
                return await work
            except asyncio.CancelledError:
                if not _is_steered(work):
                    raise
                renew()
            finally:
                work.cancel()
                del self._working[part.id]
        return Finding(part=part, question=resolved(part, given), error=_STOPPED)


def _is_steered(work: asyncio.Task[Finding]) -> bool:
    """Tell whether only the work was cancelled, and not whoever waits for it."""
    waiting = asyncio.current_task()
    return work.cancelled() and waiting is not None and not waiting.cancelling()
