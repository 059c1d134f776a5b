"""Many questions put to one library: read from a file, asked a few at a time, and answered in their order."""

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from scholarmind.answer import Answer
from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.filters import Filter, parse_filter
from scholarmind.record import filter_record

_AHEAD = 4  # for each question that is worked on, so many may wait for a slower one before them
_MOST_TOLD = 20
_FIELDS = ("id", "question", "filter", "conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchQuestion:
    """A question of a batch. Those of one conversation are asked one after another; a `run` that was begun goes on."""

    id: str
    question: str
    filter: Filter | None = None
    conversation: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The answer to a question of a batch, or why there is none."""

    question: BatchQuestion
    answer: Answer | None = None
    error: str = ""


Ask = Callable[[BatchQuestion], Awaitable[Answer]]


async def results(questions: Iterable[BatchQuestion], ask: Ask, concurrency: int) -> AsyncGenerator[BatchResult]:
    """Ask so many at a time, and yield the results in the order of the questions, each as soon as that allows.

    No more questions are taken than needed, so that memory does not grow with their number.
    """
    slots = asyncio.Semaphore(concurrency)
    latest: dict[str, asyncio.Task[Answer]] = {}  # of each conversation
    begun: deque[tuple[BatchQuestion, asyncio.Task[Answer]]] = deque()

    async def answer(question: BatchQuestion, before: "asyncio.Task[Answer] | None") -> Answer:
        if before is not None:
            await asyncio.wait([before])
        async with slots:
            return await ask(question)

    try:
        for question in questions:
            task = asyncio.create_task(answer(question, latest.get(question.conversation)))
            if question.conversation:
                latest[question.conversation] = task
            begun.append((question, task))
            if len(begun) >= concurrency * _AHEAD:
                yield await _result(*begun[0])
                begun.popleft()
        while begun:
            yield await _result(*begun[0])
            begun.popleft()
    finally:
        await _stop([task for _, task in begun])


async def _stop(tasks: Sequence["asyncio.Task[Answer]"]) -> None:
    """Who stops listening wants no more answers; but what was begun is put in order first."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def _result(question: BatchQuestion, task: "asyncio.Task[Answer]") -> BatchResult:
    """Wait for an answer. Whatever went wrong with one question must not cost the others theirs."""
    await asyncio.wait([task])
    if task.cancelled():
        raise asyncio.CancelledError
    error = task.exception()
    if error is None:
        return BatchResult(question=question, answer=task.result())
    if not isinstance(error, Exception):
        raise error
    told = str(error) if isinstance(error, ScholarMindError) else f"{type(error).__name__}: {error}"
    return BatchResult(question=question, error=told)


def questions_of(questions: Iterable[str | BatchQuestion]) -> Iterator[BatchQuestion]:
    """Yield questions, numbering those that are only text."""
    for number, question in enumerate(questions, 1):
        yield BatchQuestion(id=str(number), question=question) if isinstance(question, str) else question


def with_runs(questions: Iterable[BatchQuestion], batch: str) -> list[BatchQuestion]:
    """Give each question the id of the run that it always has in this batch: asked again, it goes on where it was."""
    return [replace(question, run=f"batch-{_digest(batch)}-{_digest(*_content(question))}") for question in questions]


def _content(question: BatchQuestion) -> tuple[str, ...]:
    within = json.dumps(filter_record(question.filter), sort_keys=True, default=str)
    return question.id, question.question, within, question.conversation


def _digest(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:12]


# -- the file


def read_questions(lines: Iterable[str], name: str) -> tuple[list[BatchQuestion], list[int]]:
    """Read a question from each line of JSON, and return them with the numbers of the lines that are empty.

    All that is wrong is one error, before anything is asked.
    """
    questions: dict[str, BatchQuestion] = {}
    empty: list[int] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            empty.append(number)
            continue
        try:
            question = _question(line)
        except QueryError as error:
            wrong.append(f"line {number}: {error}")
            continue
        if question.id in questions:
            wrong.append(f"line {number}: the id {question.id!r} is that of an earlier line")
        questions.setdefault(question.id, question)
    if wrong:
        more = [f"and {len(wrong) - _MOST_TOLD} more"] if len(wrong) > _MOST_TOLD else []
        raise QueryError(
            f"nothing was asked: {name!r} has to be mended first\n  " + "\n  ".join(wrong[:_MOST_TOLD] + more)
        )
    if not questions:
        raise QueryError(f"there is no question in {name!r}; a line is such as: " + '{"id": "1", "question": "..."}')
    return list(questions.values()), empty


def _question(line: str) -> BatchQuestion:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"this is not JSON ({error})") from error
    if not isinstance(found, dict):
        raise QueryError('this is not an object such as {"id": "1", "question": "..."}')
    known = cast("dict[str, Any]", found)
    if other := sorted(known.keys() - set(_FIELDS)):
        raise QueryError(f"{other[0]!r} is none of {', '.join(_FIELDS)}")
    identifier = known.get("id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        known["id"] = str(identifier)
    texts = {name: known.get(name) or "" for name in _FIELDS}
    if odd := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise QueryError(f"{odd[0]} = {texts[odd[0]]!r} is not text")
    if missing := [name for name in ("id", "question") if not texts[name].strip()]:
        raise QueryError(f"there is no {missing[0]}")
    within = parse_filter(texts["filter"]) if texts["filter"] else None
    return BatchQuestion(id=texts["id"], question=texts["question"], filter=within, conversation=texts["conversation"])
