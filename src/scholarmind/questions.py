"""The questions that are put to a library: answered, planned, proposed, or only searched for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from scholarmind import wiring, wiring_models
from scholarmind.answer import Answer, Retrieved
from scholarmind.batch import BatchQuestion, BatchResult, questions_of, results
from scholarmind.blocking import Series, Stream, both
from scholarmind.calls import ResponseCache
from scholarmind.errors import QueryError
from scholarmind.events import Event, OnEvent, ignore
from scholarmind.filters import Filter, parse_filter
from scholarmind.filters import both as passing
from scholarmind.library.filtering import check_fields, without_vectors
from scholarmind.library.retrieval import LibraryRetriever
from scholarmind.model import Evidence, Mode
from scholarmind.plan import Plan
from scholarmind.ports import Embedder, Journal, Reranker, Turn, turn_of
from scholarmind.record import answer_record
from scholarmind.running import (
    Proposal,
    RunRequest,
    asked,
    asked_with,
    carry_out,
    earlier,
    propose,
    settings_of,
)
from scholarmind.settings import Settings
from scholarmind.steps.execute import Steer, Steering
from scholarmind.steps.journal import new_run
from scholarmind.steps.options import Options
from scholarmind.steps.run_caches import Nothing

if TYPE_CHECKING:
    from scholarmind.adapters.e5.second_embedder import Side
    from scholarmind.adapters.responses import Responses
    from scholarmind.adapters.runs import Runs
    from scholarmind.adapters.store import LocalStore
    from scholarmind.changes import Changes
    from scholarmind.engine import Engine  # its rules take a while to be read, and only questions need them
    from scholarmind.library.reading_list import ReadingList
    from scholarmind.llm.language_models import Models


class Questions:
    """What a library can be asked. Every method can be called or, as `library.ask.aio(...)`, awaited."""

    settings: Settings
    runs: "Runs"
    _steered: dict[str, Steering]
    _embedder: Embedder | None
    _has_second: bool
    if TYPE_CHECKING:

        @cached_property
        def store(self) -> "LocalStore": ...

    @cached_property
    def models(self) -> "Models | None":
        """The language models that may be asked; another one may be put in their place."""
        return wiring_models.models(self.settings, cache=self.cache)

    @cached_property
    def cache(self) -> "Responses | None":
        """What is kept of earlier questions for those to come."""
        return wiring.cache(self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        """Who scores passages anew, if anybody does; another one may be put in its place."""
        return wiring.reranker(self.settings)

    @cached_property
    def plans(self) -> ResponseCache:
        """The plans that were made before."""
        return self.cache.of("plans") if self.cache else Nothing()

    @property
    def basis(self) -> str:
        """What answers rest on beside the documents: which library it is, the settings that count, and the models."""
        engine = self._engine()
        return repr((self.settings.library.resolve(), engine.basis.settings, dict(engine.rests_on.models)))

    @both
    async def ask(
        self,
        question: str = "",
        *,
        plan: Plan | None = None,
        run: str = "",
        filter: Filter | str | None = None,
        conversation: str | Sequence[Turn] = "",
        on_event: OnEvent = ignore,
    ) -> Answer:
        """Return a cited answer, checked part by part. `plan` is carried out as it is; `run` goes on with one that was cut short.

        In a `conversation` (any name, or its turns so far) a follow-up is understood from what was asked before.
        """
        name, turns = (conversation, ()) if isinstance(conversation, str) else ("", conversation)
        wanted = await self._asked(question, plan, run, filter, name)
        standing = await self._standing(wanted.question)
        steering = self._steered[wanted.run] = Steering()
        engine = self._engine(filter=wanted.within, journal=self.runs.journal, standing=standing)
        turns = turns or await self._turns(wanted)
        try:
            engine = replace(engine, steering=steering)
            answer = await carry_out(engine, wanted, self.runs, engine.basis.settings, on_event, turns)
        finally:
            self._steered.pop(wanted.run, None)
        if wanted.conversation and answer.source != "talk":
            turn = turn_of(answer.asked or answer.question, answer.plan, answer.answers)
            await self.runs.conversations.add_turn(wanted.conversation, wanted.run, turn)
        return answer

    def steer(self, run: str, part: int, what: Steer) -> None:
        """Stop a part of a run that this library is answering now, or ask it again; a part that is done, wider, before the writing."""
        if (steering := self._steered.get(run)) is None:
            raise QueryError(f"run {run!r} is not being answered here now")
        steering.steer(part, what)

    @both
    async def ask_once(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        filter: Filter | str | None = None,
        on_event: OnEvent = ignore,
    ) -> Answer:
        """Return the answer that `ask` gives, and keep nothing of it: no run, no plan, no search."""
        within = await self._checked(filter)
        engine = self._engine(mode=mode, filter=within, remember=False, standing=await self._standing(question))
        return await engine.ask(question, on_event=on_event)

    @both
    async def propose(
        self,
        question: str,
        *,
        plan: Plan | None = None,
        run: str = "",
        filter: Filter | str | None = None,
        conversation: str = "",
        on_event: OnEvent = ignore,
    ) -> Proposal:
        """Plan, and let the plan wait under the id of a run until `ask(run=...)` carries it out, changed or as it is."""
        wanted = await self._asked(question, plan, run, filter, conversation)
        engine = self._engine(filter=wanted.within, journal=self.runs.journal)
        turns = await self._turns(wanted)
        return await propose(engine, wanted, self.runs, engine.basis.settings, on_event, turns)

    def stream(
        self,
        question: str,
        *,
        plan: Plan | None = None,
        run: str = "",
        filter: Filter | str | None = None,
        conversation: str = "",
    ) -> Stream[Event, Answer]:
        """Ask, and go through what happens with `for` or `async for`; `result` is the answer when that ends."""
        return Stream(
            lambda report: self.ask.aio(
                question, plan=plan, run=run, filter=filter, conversation=conversation, on_event=report
            )
        )

    def ask_many(
        self, questions: Iterable[str | BatchQuestion], *, concurrency: int = 4, filter: Filter | str | None = None
    ) -> Series[BatchResult]:
        """Ask so many at a time, and go through the results in the order of the questions, with `for` or `async for`.

        A question that fails has an error in place of an answer. The filter holds for all, beside those of their own.
        """
        within = parsed(filter)

        async def answer(question: BatchQuestion) -> Answer:
            chosen = passing(question.filter, within)
            return await self.ask.aio(
                question.question, run=question.run, filter=chosen, conversation=question.conversation
            )

        return Series(lambda: results(questions_of(questions), answer, concurrency))

    @both
    async def ask_again(
        self, run: str, *, filter: Filter | str | None = None, on_event: OnEvent = ignore
    ) -> "tuple[Answer | None, Changes]":
        """Ask the question of an earlier run of the library as it is now, with its filter, and return what changed and why.

        Where nothing changed that an answer rests on, nothing is asked, and there is no answer.
        """
        from scholarmind.changes import LibraryChange, compare, differing, gone, nothing_changed, used  # noqa: PLC0415

        known, before = earlier(await self.runs.find(run), run)
        wanted = replace(asked("", None, run, known, parsed(filter)), run=new_run())
        engine = self._engine(filter=wanted.within, journal=self.runs.journal)
        since = await self.store.since(int(known.library or 0))
        other = differing(settings_of(known), asked_with(engine, wanted, engine.basis.settings))
        if not (since.documents or since.removals or since.vectors or other):
            return None, nothing_changed(before)
        turns = await self._turns(replace(wanted, run=run))
        wanted = replace(wanted, conversation="")  # it is said again for comparison, and no turn of its own
        answer = await carry_out(engine, wanted, self.runs, engine.basis.settings, on_event, turns)
        there = await self.store.documents(wanted.within) if since.removals or wanted.within else ()
        lost = gone(used(before), there) if since.removals else frozenset[tuple[str, str]]()
        seen = {(document.collection, document.id) for document in there}
        came = tuple(item for item in since.documents if not wanted.within or (item.collection, item.id) in seen)
        return answer, compare(before, answer_record(answer), LibraryChange(came=came, gone=lost), other)

    @both
    async def reading_list(
        self,
        question: str = "",
        *,
        run: str = "",
        limit: int = 10,
        filter: Filter | str | None = None,
        on_event: OnEvent = ignore,
    ) -> "ReadingList":
        """Return which works to read next for a question: cited near the words that answer it, and not in the library.

        `run` takes the answer of an earlier run instead of asking.
        """
        from scholarmind.library.reading_list import reading_list  # noqa: PLC0415

        if run and not question.strip():
            _, record = earlier(await self.runs.find(run), run)
        else:
            record = answer_record(await self.ask.aio(question, filter=filter, on_event=on_event))
        return await reading_list(self.store, record, limit)

    @both
    async def plan(
        self,
        question: str,
        *,
        filter: Filter | str | None = None,
        conversation: str = "",
        on_event: OnEvent = ignore,
    ) -> Plan:
        """Return how a question would be taken apart."""
        turns = await self._turns(RunRequest(run="", question=question, conversation=conversation))
        within = await self._checked(filter)
        return await self._engine(filter=within).plan(question, turns=turns, on_event=on_event)

    @both
    async def find(
        self,
        question: str,
        places: int | None = None,
        *,
        mode: Mode = "hybrid",
        filter: Filter | str | None = None,
        on_event: OnEvent = ignore,
    ) -> Retrieved:
        """Return the passages that an answer would be written from, by the strategy of the settings, and nothing written."""
        within = await self._checked(filter)
        return await self._engine(mode=mode, filter=within).find(question, places, on_event=on_event)

    @both
    async def retrieve(
        self,
        question: str,
        places: Sequence[int] = (10,),
        *,
        mode: Mode = "hybrid",
        options: Options | None = None,
        on_event: OnEvent = ignore,
    ) -> dict[int, tuple[Evidence, ...]]:
        """Return the passages that an answer would be written from, for each number of places."""
        engine = self._engine(mode=mode, options=options, remember=False)
        return await engine.retrieve(question, places, on_event=on_event)

    @both
    async def cache_counts(self) -> dict[str, tuple[int, int]]:
        """Return, by what is kept of earlier questions, how often it was found and not found."""
        if self.cache is None or not self.cache.path.exists():
            return {}
        return await self.cache.counts()

    def engine(self, *, filter: Filter | str | None = None) -> "Engine":
        """Return the engine that answers from this library, with the journal of its runs, for who carries out its steps."""
        return self._engine(filter=filter, journal=self.runs.journal)

    def _second(self, side: "Side") -> Embedder | None:
        """Return the embedder for what the built-in one cannot read; what somebody brought along stands alone."""
        return wiring.second_embedder(self.settings, side) if self._has_second else None

    def _engine(
        self,
        *,
        filter: Filter | str | None = None,
        mode: Mode = "hybrid",
        options: Options | None = None,
        journal: Journal | None = None,
        remember: bool = True,
        standing: tuple[str, ...] = (),
    ) -> "Engine":
        retrieval = wiring.retrieval(self.settings, self.store, self._embedder, self._second("query"))
        cache = self.cache if remember else None
        within = parsed(filter)
        retriever = LibraryRetriever(
            retrieval=retrieval, mode=mode, within=within, catalog=self.store, standing=standing
        )
        models = self.models and replace(self.models, rights=repr(within) if within else "")
        made = wiring.engine(self.settings, self.store, retriever, models=models, journal=journal, chosen=options)
        before = wiring.asked_before(self.settings, self._embedder, cache, within)
        return replace(
            made,
            asked_before=before,
            plans=self.plans if remember else Nothing(),
            reranker=self._reranker(made.options),
        )

    def _reranker(self, chosen: Options) -> Reranker | None:
        """Return who scores passages anew; options may say otherwise than the settings."""
        if chosen.rerank == self.settings.rerank:
            return self.reranker
        return wiring.reranker(replace(self.settings, rerank=chosen.rerank))

    async def _asked(
        self, question: str, plan: Plan | None, run: str, filter: Filter | str | None, conversation: str
    ) -> RunRequest:
        known = await self.runs.find(run) if run else None
        return asked(question, plan, run, known, await self._checked(filter), conversation)

    async def _standing(self, question: str) -> tuple[str, ...]:
        """Return what is to be said of every search now: that vectors are still to come."""
        return () if self._embedder is None else await without_vectors(self.store, question)

    async def checked_filter(self, filter: Filter | str | None) -> Filter | None:
        """Return a filter that may be written as text, on fields that there are."""
        return await self._checked(filter)

    async def _checked(self, filter: Filter | str | None) -> Filter | None:
        """Return a filter that may be written as text, on fields that there are."""
        made = parsed(filter)
        await check_fields(self.store, made)
        return made

    async def _turns(self, wanted: RunRequest) -> list[Turn]:
        """Return the turns of a conversation before this run."""
        if not wanted.conversation:
            return []
        return await self.runs.conversations.turns(wanted.conversation, before=wanted.run)


def parsed(filter: Filter | str | None) -> Filter | None:
    """Return a filter that may be written as text."""
    return parse_filter(filter) if isinstance(filter, str) else filter
