"""A question put to a library as a run: it has an id, its events are written down, and it can be taken up again after an interruption."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast, get_args

from scholarmind.answer import Answer
from scholarmind.calls import Effort
from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.events import Done, Event, Numbered, OnEvent, RunStarted, RunStatus, numbered, plain, to_record
from scholarmind.filters import Filter
from scholarmind.plan import Plan
from scholarmind.ports import Run, RunLog, Turn
from scholarmind.record import answer_record, filter_of, filter_record
from scholarmind.settings import Settings
from scholarmind.steps.journal import decode, encode, new_run
from scholarmind.text.untrusted import check_question

if TYPE_CHECKING:
    from scholarmind.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run is about: taken from its arguments, or from what was written down when it began."""

    run: str
    question: str
    plan: Plan | None = None
    within: Filter | None = None
    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A plan that waits, under the id of its run, for somebody to look at it; `library.ask(run=...)` carries it out."""

    run: str
    plan: Plan


def asked(
    question: str, plan: Plan | None, run: str, known: Run | None, within: Filter | None = None, conversation: str = ""
) -> RunRequest:
    """Return what to ask: a run that is known goes on with its own question, plan and filter, unless others are given."""
    question = question if question.strip() else plan.question if plan else ""
    if run and known is None and not question:
        raise QueryError(f"there is no run {run!r} in this library; 'scholarmind runs' lists those that there are")
    kept = decode(Plan, known.plan) if known is not None and known.plan and not plan else None
    goes_on = known is not None and (not question or known.question == question or _is_plan_of(plan, known))
    text = known.question if known is not None and goes_on else question
    if known is not None and goes_on:
        within = _within(known) if within is None else within
        conversation = conversation or str(settings_of(known).get("conversation") or "")
        plan = plan or kept
    check_question(text)
    return RunRequest(run=run or new_run(), question=text, plan=plan, within=within, conversation=conversation)


def _is_plan_of(plan: Plan | None, known: Run) -> bool:
    """Tell whether a plan that was edited is that of this run: a follow-up's plan has another question than was typed."""
    kept = decode(Plan, known.plan) if plan and known.plan else None
    return plan is not None and kept is not None and kept.question == plan.question


def settings_of(run: Run) -> Mapping[str, Any]:
    """Return what a run was asked with; nothing, where that cannot be read."""
    try:
        settings = json.loads(run.settings or "{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", settings) if isinstance(settings, dict) else {}


def _within(run: Run) -> Filter | None:
    """Return the filter that a run was asked with; one that cannot be read must not silently become none."""
    try:
        record = json.loads(run.settings or "{}").get("within")
        return None if record is None else filter_of(record)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise QueryError(
            f"the filter of run {run.id!r} cannot be read; ask its question anew: {run.question!r}"
        ) from error


def earlier(known: Run | None, run: str) -> tuple[Run, Mapping[str, Any]]:
    """Return a run that is to be compared with, and its answer."""
    if known is None:
        raise QueryError(f"there is no run {run!r} in this library; 'scholarmind runs' lists those that there are")
    try:
        answer: Any = json.loads(known.answer or "null")
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not {"claims", "citations", "parts", "verdict"} <= answer.keys():
        raise QueryError(f"run {run!r} ({known.status}) has no answer to compare with; go on with it by --run {run}")
    return known, cast("dict[str, Any]", answer)


def settings_again(run: Run) -> dict[str, Any]:
    """Return the settings that a run was asked with, as they are given anew."""
    kept = settings_of(run)
    options: Any = kept.get("options")
    if not isinstance(options, dict):  # of an earlier version: as text
        return {}
    known = {item.name for item in fields(Settings)}
    found = {name: value for name, value in {**kept, **cast("dict[str, Any]", options)}.items() if name in known}
    budget: Any = found.pop("budget", None) or cast("dict[str, Any]", options).get("budget") or {}
    found |= {f"max_{name}": value for name, value in budget.items() if value}
    if kept.get("effort") in get_args(Effort):
        found["effort"] = kept["effort"]
    return {name: value for name, value in found.items() if value is not None}


async def carry_out(
    engine: "Engine",
    wanted: RunRequest,
    log: RunLog,
    settings: Mapping[str, Any],
    on_event: OnEvent,
    turns: Sequence[Turn] = (),
) -> Answer:
    """Ask the engine, writing down what happens; a run that is cut short stays as it was and can go on."""
    async with written(engine, wanted, log, settings, on_event) as report:
        answer = await engine.ask(wanted.question, plan=wanted.plan, run=wanted.run, turns=turns, on_event=report)
    if problem := log.problem(wanted.run):
        answer = replace(answer, fallbacks=(*answer.fallbacks, problem))
    await log.finish(wanted.run, "done", json.dumps(answer_record(answer), ensure_ascii=False))
    return answer


async def propose(
    engine: "Engine",
    wanted: RunRequest,
    log: RunLog,
    settings: Mapping[str, Any],
    on_event: OnEvent,
    turns: Sequence[Turn] = (),
) -> Proposal:
    """Plan, write the plan down, and stop: the run waits, for days if need be, until somebody has it carried out."""
    async with written(engine, wanted, log, settings, on_event) as report:
        plan = wanted.plan or await engine.plan(wanted.question, run=wanted.run, turns=turns, on_event=report)
        await log.begin(wanted.run, wanted.question, plan=encode(plan))
        report(Done(run=wanted.run, status="awaiting_plan"))
    await log.finish(wanted.run, "awaiting_plan")
    if problem := log.problem(wanted.run):
        raise QueryError(f"the plan cannot wait, since runs cannot be written down: {problem}")
    return Proposal(run=wanted.run, plan=plan)


@asynccontextmanager
async def written(
    engine: "Engine", wanted: RunRequest, log: RunLog, settings: Mapping[str, Any], on_event: OnEvent
) -> AsyncGenerator[OnEvent]:
    """Give what writes every event down; what ends the work before its time is written down as the end of the run."""
    begun = await log.begin(
        wanted.run,
        wanted.question,
        plan=encode(wanted.plan) if wanted.plan else "",
        settings=json.dumps(asked_with(engine, wanted, settings)),
        library=engine.basis.library,
    )

    def take(item: Numbered) -> None:
        log.append_event(wanted.run, item.number, json.dumps(to_record(item.event, item.number, item.at)))
        on_event(item.event)

    count = numbered(take, time.monotonic, first=begun + 1)

    def report(event: Event) -> None:
        count(replace(event, resumed=begun > 0) if isinstance(event, RunStarted) else event)

    status: RunStatus = "failed"
    try:
        yield report
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


def asked_with(engine: "Engine", wanted: RunRequest, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run is asked with, as JSON knows it."""
    effort = engine.effort  # what is spent, which tells more than what may be
    told: dict[str, Any] = {name: plain(value) for name, value in settings.items()}
    options = cast("dict[str, Any]", told.get("options") or {})
    told["options"] = {name: value for name, value in options.items() if name != "effort"}
    told |= {"effort": effort, "writer": "" if effort == "keyless" else engine.writer_name}
    told["models"] = dict(engine.rests_on.models)
    told |= {"within": filter_record(wanted.within), "conversation": wanted.conversation}
    return json.loads(json.dumps(told, default=str))


def _told(error: BaseException | None) -> str:
    if error is None or isinstance(error, asyncio.CancelledError):
        return ""
    return str(error) if isinstance(error, ScholarMindError) else f"{type(error).__name__}: {error}"
