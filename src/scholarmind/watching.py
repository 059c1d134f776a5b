"""The watched questions of a library: kept, asked again after the documents changed, and what became of their answers.

Each is asked as a run, under an id made of the question, its turn and the version of the library: one that was killed goes on, one that
ended and was not noted is not asked again, and of several processes only one tells what changed.
"""

import hashlib
import re
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scholarmind.blocking import both
from scholarmind.changes import LibraryChange, Place, compare, gone, used
from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import Filter
from scholarmind.news import remarks_on
from scholarmind.questions import Questions
from scholarmind.record import answer_record, filter_of, filter_record
from scholarmind.remarks import Remark, WatchedQuestion, compared_part, marks_of
from scholarmind.running import earlier
from scholarmind.steps.journal import new_run
from scholarmind.text.language import HAN
from scholarmind.text.untrusted import check_question, storable

if TYPE_CHECKING:
    from scholarmind.library_ports import LibraryChanges

AskedWith = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Questions]]
_LONGEST_NAME = 60
_WORDS_OF_NAME = 5
_WORD = re.compile(r"[^\W_]+")
_MOST_TRIES = 5  # of a question that others answer at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """What asking again brought: the remarks that were stored, how many questions were asked, and why others could not be."""

    remarks: tuple[Remark, ...] = ()
    asked: int = 0
    failed: Mapping[str, str]  # by name


class WatchedQuestions:
    """The questions of one library that are asked again. Every method can be called or, as `watched.renew.aio(...)`, awaited."""

    def __init__(self, library: Questions, asked_with: AskedWith) -> None:
        """Take the library, and what gives it with other settings for as long as a question is asked."""
        self._library = library
        self._asked_with = asked_with

    @both
    async def add(
        self,
        question: str,
        *,
        name: str = "",
        filter: Filter | str | None = None,
        settings: Mapping[str, Any] | None = None,
        on_event: OnEvent = ignore,
    ) -> WatchedQuestion:
        """Answer a question and watch it from now on. Without a model or an effort in its settings it is asked keyless."""
        question = storable(" ".join(question.split()))
        check_question(question)
        taken = {known.name for known in await self.all.aio()}
        name = storable(" ".join(name.split())) or _name_for(question, taken)
        if len(name) > _LONGEST_NAME:
            raise QueryError(f"the name {name!r} has {len(name)} characters; {_LONGEST_NAME} are the most")
        if name in taken:
            raise QueryError(f"a question {name!r} is watched already; give another --name, or remove that one first")
        within = filter_record(await self._library.checked_filter(filter))
        watched = WatchedQuestion(
            name=name, question=question, id=str(uuid.uuid4()), settings=_kept(settings or {}), within=within
        )
        change, answer = await self._answer(watched, on_event)
        if answer["source"] == "talk":
            raise QueryError(f"{question!r} asks nothing of the documents, so that nothing can change in its answer")
        now = time.time()
        watched = replace(watched, added=now, asked=now, first=change, change=change, turn=1, seen=marks_of(answer))
        watched = replace(watched, answer=compared_part(answer))
        await self._library.store.watched.watch(watched)
        return watched

    @both
    async def all(self) -> list[WatchedQuestion]:
        """Return the questions that are watched, the oldest first."""
        return await self._library.store.watched.questions()

    @both
    async def find(self, name: str) -> WatchedQuestion:
        """Return the question of this name."""
        found = await self._library.store.watched.questions(name)
        if not found:
            raise _unknown(name)
        return found[0]

    @both
    async def remove(self, name: str) -> None:
        """Forget a question, and all that was remarked on it."""
        if not await self._library.store.watched.unwatch(name):
            raise _unknown(name)

    @both
    async def waiting(self) -> list[WatchedQuestion]:
        """Return the questions whose answers do not know the latest changes of the documents."""
        return [one for one in await self.all.aio() if await self._since(one.change)]

    @both
    async def renew(self, name: str = "", *, on_event: OnEvent = ignore) -> Renewed:
        """Ask again what waits for it, or the question of this name in any case, and store what became of its answer.

        Stopped anywhere it goes on there the next time. A question that cannot be answered waits, and the others are asked.
        """
        chosen = [await self.find.aio(name)] if name else await self.waiting.aio()
        remarks: list[Remark] = []
        failed: dict[str, str] = {}
        for done, watched in enumerate(chosen):
            on_event(Progress(stage="watch", done=done, total=len(chosen), unit="questions"))
            try:
                remarks += await self._renewed(watched, on_event, always=bool(name))
            except ScholarMindError as error:
                failed[watched.name] = str(error)
        if chosen:
            on_event(Progress(stage="watch", done=len(chosen), total=len(chosen), unit="questions"))
        return Renewed(remarks=tuple(remarks), asked=len(chosen) - len(failed), failed=failed)

    @both
    async def news(self, name: str = "", *, since: float = 0.0, limit: int = 100) -> list[Remark]:
        """Return what was remarked on a question, or on all, since a moment; the latest first."""
        if name:
            await self.find.aio(name)
        return await self._library.store.watched.remarks(name, since, limit)

    @both
    async def feed(self, name: str = "") -> str:
        """Return the UUID by which readers of feeds know the remarks on a question, or on all."""
        if name:
            return (await self.find.aio(name)).id
        return await self._library.store.watched.feed() or str(uuid.uuid5(uuid.NAMESPACE_URL, "scholarmind:news"))

    async def _renewed(self, watched: WatchedQuestion, on_event: OnEvent, *, always: bool) -> list[Remark]:
        """Answer a question until the answer is of the library as it is, and return the remarks that were stored by us."""
        stored: list[Remark] = []
        for _ in range(_MOST_TRIES):
            since = await self._since(watched.change)
            if since is None and not always:
                break
            always = False
            change, answer = await self._answer(watched, on_event)
            new = await self._library.store.since(watched.first)
            there = await self._library.store.documents() if since and since.removals else ()
            lost = gone(used(watched.answer), there) if since and since.removals else frozenset[Place]()
            changes = compare(watched.answer, answer, LibraryChange(came=since.documents if since else (), gone=lost))
            came = {(document.collection, document.id) for document in new.documents}
            now = time.time()
            remarks = [replace(one, at=now) for one in remarks_on(watched, answer, changes, came)]
            renewed = replace(watched, asked=now, change=change, turn=watched.turn + 1, answer=compared_part(answer))
            renewed = replace(renewed, seen=watched.seen | marks_of(answer))
            if await self._library.store.watched.renew(renewed, remarks):
                stored += remarks
            known = await self._library.store.watched.questions(watched.name)
            if not known:  # removed meanwhile
                break
            watched = known[0]
        return stored

    async def _answer(self, watched: WatchedQuestion, on_event: OnEvent) -> tuple[int, dict[str, Any]]:
        """Return an answer as JSON, and the change of the library that it knows; what a killed process asked is not asked again."""
        change = await self._library.store.last_change()
        content = f"{watched.id}\n{watched.turn}\n{change}\n{watched.question}"
        run = f"watch-{hashlib.sha256(content.encode()).hexdigest()[:16]}"
        known = await self._library.runs.find(run)
        if known is not None and known.status == "done":
            return change, dict(earlier(known, run)[1])
        if known is not None and known.status == "running":  # by another process: both ask, and one of them tells
            run = new_run()
        within = filter_of(watched.within) if watched.within else None
        async with self._asked_with(watched.settings) as library:
            answer = await library.ask.aio(watched.question, run=run, filter=within, on_event=on_event)
        return change, answer_record(answer)

    async def _since(self, change: int) -> "LibraryChanges | None":
        """Return what changed since then that an answer may rest on; None for nothing."""
        since = await self._library.store.since(change)
        return since if since.documents or since.removals or since.vectors else None


def _kept(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a question is kept with: no keys, and nothing that belongs to the library."""
    given = {name: value for name, value in settings.items() if value is not None}
    for name in given:
        if name.endswith("_key"):
            raise QueryError(f"{name} is not kept in a library; set SCHOLARMIND_{name.upper()} where `add` is run")
        if name == "library" or name.startswith("embed"):
            raise QueryError(f"{name} is the library's own, and cannot be set for one question")
    return given if "llm" in given or "effort" in given else given | {"effort": "keyless"}


def _name_for(question: str, taken: set[str]) -> str:
    """Return a name made of the first words of a question, with a number if it is taken."""
    words = _WORD.findall(question.casefold())
    base = "-".join(words[:_WORDS_OF_NAME])
    if HAN.search(base):  # words are not told apart there
        base = "".join(words)[:12]
    base = base[: _LONGEST_NAME - 4].strip("-") or "question"
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(name for name in numbered if name not in taken)


def _unknown(name: str) -> QueryError:
    return QueryError(f"no question {name!r} is watched; 'scholarmind watch-question list' names those that are")
