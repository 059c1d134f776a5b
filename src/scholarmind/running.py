"""A question put to a library as a run: it has an id, its events are written down, and it can be taken up again after an interruption."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scholarmind.answer import Answer
from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.events import Done, Event, Numbered, OnEvent, RunStarted, RunStatus, numbered, to_record
from scholarmind.filters import Filter
from scholarmind.plan import Plan
from scholarmind.ports import Run, RunLog
from scholarmind.record import answer_record, filter_of, filter_record
from scholarmind.steps.journal import decode, encode, new_run

if TYPE_CHECKING:
    from scholarmind.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a run is about: taken from its arguments, or from what was written down when it began."""

    run: str
    question: str
    plan: Plan | None = None
    within: Filter | None = None


def asked(question: str, plan: Plan | None, run: str, known: Run | None, within: Filter | None = None) -> Asked:
    """Return what to ask: a run that is known goes on with its own question, plan and filter, unless others are given."""
    question = question or (plan.question if plan else "")
    if run and known is None and not question:
        raise QueryError(f"there is no run {run!r} in this library; 'scholarmind runs' lists those that there are")
    kept = decode(Plan, known.plan) if known is not None and known.plan and not plan else None
    text = question or (known.question if known else "")
    same = known is not None and known.question == text
    if known is not None and same and within is None:
        within = _within(known)
    return Asked(run=run or new_run(), question=text, plan=plan or (kept if same else None), within=within)


def _within(run: Run) -> Filter | None:
    """Return the filter that a run was asked with; one that cannot be read must not silently become none."""
    try:
        settings = json.loads(run.settings or "{}")
        record = settings.get("within")
        return None if record is None else filter_of(record)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise QueryError(
            f"the filter of run {run.id!r} cannot be read; ask its question anew: {run.question!r}"
        ) from error


async def carry_out(
    engine: "Engine", wanted: Asked, log: RunLog, settings: Mapping[str, Any], on_event: OnEvent
) -> Answer:
    """Ask the engine, writing down what happens; a run that is cut short stays as it was and can go on."""
    library = engine.basis.library
    begun = await log.begin(
        wanted.run,
        wanted.question,
        plan=encode(wanted.plan) if wanted.plan else "",
        settings=json.dumps({**settings, "within": filter_record(wanted.within)}, default=str),
        library=library,
    )

    def take(item: Numbered) -> None:
        log.append_event(wanted.run, item.number, json.dumps(to_record(item.event, item.number, item.at)))
        on_event(item.event)

    count = numbered(take, time.monotonic, first=begun + 1)

    def report(event: Event) -> None:
        count(replace(event, resumed=begun > 0) if isinstance(event, RunStarted) else event)

    status: RunStatus = "failed"
    try:
        answer = await engine.ask(wanted.question, plan=wanted.plan, run=wanted.run, on_event=report)
        status = "done"
    except asyncio.CancelledError:
        status = "cancelled"
        raise
    finally:
        if status != "done":
            try:
                report(Done(run=wanted.run, status=status, error=_told(sys.exception())))
            finally:  # whatever the listener makes of it
                await log.finish(wanted.run, status)
    if problem := log.problem(wanted.run):
        answer = replace(answer, fallbacks=(*answer.fallbacks, problem))
    await log.finish(wanted.run, status, json.dumps(answer_record(answer), ensure_ascii=False))
    return answer


def _told(error: BaseException | None) -> str:
    if error is None or isinstance(error, asyncio.CancelledError):
        return ""
    return str(error) if isinstance(error, ScholarMindError) else f"{type(error).__name__}: {error}"
