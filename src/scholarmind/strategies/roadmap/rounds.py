"""Rounds for one sub-goal: search, filter, decide; until the decision maker says [LLM], or a limit stops it. Start at `Rounds.gather`."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from scholarmind.errors import ScholarMindError
from scholarmind.events import Decided, Filtered, OnEvent
from scholarmind.llm.metering import Meter
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Lexicon, Names
from scholarmind.ranking import Key, key_of
from scholarmind.steps.gather import Gathered, Gatherer
from scholarmind.steps.options import Roadmap
from scholarmind.steps.progress_events import shown
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.decision_maker import Decision, DecisionState, decided, normal
from scholarmind.strategies.roadmap.information_filter import Filtering, FilterState, by_rules, filtered
from scholarmind.strategies.roadmap.memory import found_nothing
from scholarmind.strategies.roadmap.router import Asked, Route, route
from scholarmind.strategies.roadmap.worth import Worth, worth_of

_TOLD = 600  # characters of a passage, in events
_LAST_RESORT = 3  # passages that are looked at all the same where the filter kept none


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """What all sub-goals of one run share. `routed` are routes that are known already, by question."""

    options: Roadmap
    report: OnEvent
    names: Names | None = None
    lexicon: Lexicon | None = None
    meter: Meter | None = None
    routed: dict[str, Route] = field(default_factory=dict[str, Route])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """A gatherer around the unchanged one, for the rows of one part. `in_vain` are queries that earlier parts found nothing for.

    What it does rests on the part and on those that it waited for alone: parts that run side by side do not change each
    other's prompts, so that a resumed run asks the same.
    """

    crew: Crew
    gathering: Gatherer
    plan: Plan
    part: int
    documents: int  # that may be gathered
    until: float  # by time.monotonic
    in_vain: Sequence[str] = ()
    asking: Asking | None = None

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Route the sub-goal, then search in rounds; return what was kept, best first."""
        way = await self._routed(question)
        walk = _Walk(self, question, label, hop=hop, worth=await worth_of(question, self.crew.lexicon))
        walk.notes += way.notes
        if way.action.verb == "No Retrieval":
            walk.note(
                f"part {self.part} would need no retrieval; it was searched once: answers rest on the library alone"
            )
        once = way.action.verb == "No Retrieval" or (way.action.verb == "Retrieval" and self._is_alone)
        await walk.go(way.action.query or question, once=once)
        return walk.gathered()

    @property
    def _is_alone(self) -> bool:
        return sum(len(part.rows) for part in self.plan.parts if part.role == "find") == 1

    @property
    def is_spent(self) -> bool:
        """Whether there is a model that nothing is left for."""
        meter = self.crew.meter
        return self.asking is not None and (self.asking.is_spent or (meter is not None and meter.exhausted))

    async def _routed(self, question: str) -> Route:
        """Return the route of a sub-goal; one that is the whole question has been routed."""
        if (known := self.crew.routed.get(question)) is not None:
            return known
        began = time.monotonic()
        names = (await self.crew.names.names([question]))[0] if self.crew.names else ()
        asked = Asked(question=question, names=names, whole=self.plan.question, part=self.part)
        way = await route(asked, self.asking)
        self.crew.report(way.event(asked, time.monotonic() - began))
        return way


class _Walk:
    """The rounds of one sub-goal, and what they have brought so far."""

    def __init__(self, rounds: Rounds, question: str, label: str, *, hop: bool, worth: Worth) -> None:
        self.notes: list[str] = []
        self._rounds = rounds
        self._question = question
        self._label = label
        self._hop = hop
        self._worth = worth
        self._kept: dict[Key, Evidence] = {}
        self._seen: dict[Key, Evidence] = {}
        self._searched: list[str] = []
        self._in_vain = list(rounds.in_vain)
        self._fruitless = 0  # rounds, one after another
        self._found: list[Gathered] = []

    def note(self, text: str) -> None:
        """Say what was done in another way, or why it ended."""
        if text not in self.notes:
            self.notes.append(text)

    async def go(self, query: str, *, once: bool) -> None:
        """Search, filter, decide, and again; `once` if nothing needs to be decided as long as something is found."""
        options = self._rounds.crew.options
        for number in range(1, options.max_rounds + 1):
            page = await self._page(query, first=number == 1)
            if page is None:
                return
            await self._take(query, page)
            if (once and self._kept) or self._stopped():
                return
            decision = await self._decision(number)
            if decision.action.verb == "LLM" or self._stopped():
                return
            query = decision.action.query
            if number == options.max_rounds:
                self.note(f"part {self._rounds.part} stopped after {number} rounds, as many as it may have")

    def gathered(self) -> Gathered:
        """Return what was kept, best first; where that is nothing, the best of what was found, and a note."""
        kept = list(self._kept.values())
        if not kept and self._seen:
            ranked = sorted(by_rules([*self._seen.values()], self._worth).kept, key=_place)
            kept = ranked[: min(_LAST_RESORT, self._rounds.documents)]
            self.note(
                f"the filter kept nothing for part {self._rounds.part}; the best {len(kept)} were looked at all the same"
            )
        names = {name.text: name for found in self._found for name in found.names}
        notes = dict.fromkeys((*(note for found in self._found for note in found.notes), *self.notes))
        return Gathered(evidence=tuple(sorted(kept, key=_place)), names=tuple(names.values()), notes=tuple(notes))

    async def _page(self, query: str, *, first: bool) -> tuple[Evidence, ...] | None:
        """Return the next passages for a query: none that was looked at before. None: there is no going on."""
        self._searched.append(query)
        if normal(query) in set(map(normal, self._in_vain)):
            return ()
        left = None if first else max(0.0, self._rounds.until - time.monotonic())
        try:
            async with asyncio.timeout(left):
                found = await self._rounds.gathering.gather(query, self._label, hop=self._hop)
        except (ScholarMindError, TimeoutError) as error:
            if first:
                raise
            why = str(error) or "it took too long"
            self.note(f"part {self._rounds.part} went no further than round {len(self._searched) - 1}: {why}")
            return None
        self._found.append(found)
        new = [item for item in found.evidence if key_of(item) not in self._seen]
        return tuple(new[: self._rounds.crew.options.top_k])

    async def _take(self, query: str, page: Sequence[Evidence]) -> None:
        """Filter what a search brought, keep what is useful, and remember what brought nothing."""
        filtering = await self._filtered(query, page) if page else Filtering(kept=(), dropped=(), by="rules")
        self._seen |= {key_of(item): item for item in page}
        room = max(0, self._rounds.documents - len(self._kept))
        self._kept |= {key_of(item): item for item in filtering.kept[:room]}
        self._fruitless = 0 if filtering.kept else self._fruitless + 1
        if not filtering.kept:
            self._in_vain.append(query)
            self.note(found_nothing(query))

    async def _filtered(self, query: str, page: Sequence[Evidence]) -> Filtering:
        rounds = self._rounds
        state = FilterState(
            question=rounds.plan.question, documents=page, objective=self._question, query=query, part=rounds.part
        )
        filtering = await filtered(state, self._worth, rounds.asking)
        self.notes += filtering.notes
        rounds.crew.report(
            Filtered(
                part=rounds.part,
                objective=self._question,
                query=query,
                kept=tuple(shown(item, _TOLD) for item in filtering.kept),
                dropped=tuple(shown(item, _TOLD) for item in filtering.dropped),
                by=filtering.by,
                reason=filtering.reason,
            )
        )
        return filtering

    def _stopped(self) -> bool:
        """Tell whether a limit is reached, and say which."""
        rounds, options = self._rounds, self._rounds.crew.options
        told = ""
        if len(self._kept) >= rounds.documents:
            told = f"with {len(self._kept)} passages, its share of the {options.max_documents} of the whole question"
        elif self._fruitless >= options.stagnation:
            told = f"after {self._fruitless} rounds that brought nothing new"
        elif rounds.is_spent:
            told = "since the budget is spent"
        elif time.monotonic() >= rounds.until:
            told = "since no time was left for another round"
        if told:
            self.note(f"part {rounds.part} stopped {told}")
        return bool(told)

    async def _decision(self, number: int) -> Decision:
        """Return what to do next; a query that was in vain is not asked again."""
        rounds = self._rounds
        state = DecisionState(
            question=rounds.plan.question,
            documents=sorted(self._kept.values(), key=_place),
            roadmap="\n".join(f"{part.id}. {part.text}" for part in rounds.plan.parts),
            objective=self._question,
            searched=self._searched,
            in_vain=self._in_vain,
            part=rounds.part,
        )
        decision = await decided(state, self._worth, rounds.asking)
        self.notes += decision.notes
        rounds.crew.report(_told(decision, rounds.part, number))
        return decision


def _told(decision: Decision, part: int, number: int) -> Decided:
    return Decided(part=part, action=str(decision.action), round=number, by=decision.by, reason=decision.reason)


def _place(item: Evidence) -> tuple[float, Key]:
    return -item.scores.fused, key_of(item)
