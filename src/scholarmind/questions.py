"""The questions that are put to a library: answered, planned, proposed, or only searched for."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from scholarmind import wiring
from scholarmind.answer import Answer, Retrieved
from scholarmind.blocking import Stream, both
from scholarmind.conversations import Turn
from scholarmind.events import Event, OnEvent, ignore
from scholarmind.filters import Filter, parse_filter
from scholarmind.library.retriever import LibraryRetriever
from scholarmind.model import Evidence, Mode
from scholarmind.plan import Plan
from scholarmind.planning.followup import turn_of
from scholarmind.ports import Embedder, Journal
from scholarmind.running import Asked, Proposal, asked, carry_out, propose
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

if TYPE_CHECKING:
    from scholarmind.adapters.local import LocalStore
    from scholarmind.adapters.runs import Runs
    from scholarmind.engine import Engine  # its rules take a while to be read, and only questions need them
    from scholarmind.llm.models import Models


class Questions:
    """What a library can be asked. Every method can be called or, as `library.ask.aio(...)`, awaited."""

    settings: Settings
    store: "LocalStore"
    runs: "Runs"
    _embedder: Embedder | None

    @cached_property
    def models(self) -> "Models | None":
        """The language models that may be asked; another one may be put in their place."""
        return wiring.models(self.settings)

    @both
    async def ask(
        self,
        question: str = "",
        *,
        plan: Plan | None = None,
        run: str = "",
        filter: Filter | str | None = None,
        conversation: str = "",
        on_event: OnEvent = ignore,
    ) -> Answer:
        """Return a cited answer, checked part by part. `plan` is carried out as it is; `run` goes on with one that was cut short.

        In a `conversation` (any name) a follow-up is understood from what was asked before.
        """
        wanted = await self._asked(question, plan, run, filter, conversation)
        engine = self._engine(filter=wanted.within, journal=self.runs.journal)
        turns = await self._turns(wanted)
        answer = await carry_out(engine, wanted, self.runs, engine.basis.settings, on_event, turns)
        if wanted.conversation and answer.source != "talk":
            turn = turn_of(answer.asked or answer.question, answer.plan, answer.answers)
            await self.runs.conversations.add_turn(wanted.conversation, wanted.run, turn)
        return answer

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
        turns = await self._turns(Asked(run="", question=question, conversation=conversation))
        return await self._engine(filter=filter).plan(question, turns=turns, on_event=on_event)

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
        return await self._engine(mode=mode, filter=filter).find(question, places, on_event=on_event)

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
        return await self._engine(mode=mode, options=options).retrieve(question, places, on_event=on_event)

    def _engine(
        self,
        *,
        filter: Filter | str | None = None,
        mode: Mode = "hybrid",
        options: Options | None = None,
        journal: Journal | None = None,
    ) -> "Engine":
        retrieval = wiring.retrieval(self.settings, self.store, self._embedder)
        retriever = LibraryRetriever(retrieval=retrieval, mode=mode, within=parsed(filter))
        return wiring.engine(self.settings, self.store, retriever, models=self.models, journal=journal, chosen=options)

    async def _asked(
        self, question: str, plan: Plan | None, run: str, filter: Filter | str | None, conversation: str
    ) -> Asked:
        known = await self.runs.find(run) if run else None
        return asked(question, plan, run, known, parsed(filter), conversation)

    async def _turns(self, wanted: Asked) -> list[Turn]:
        """Return the turns of a conversation before this run."""
        if not wanted.conversation:
            return []
        return await self.runs.conversations.turns(wanted.conversation, before=wanted.run)


def parsed(filter: Filter | str | None) -> Filter | None:
    """Return a filter that may be written as text."""
    return parse_filter(filter) if isinstance(filter, str) else filter
