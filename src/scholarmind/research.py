"""The searching of one question: the first look, the parts of its plans, and what is known of its words."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from scholarmind.answer import Finding
from scholarmind.errors import ScholarMindError
from scholarmind.events import OnEvent, ignore
from scholarmind.parts import Parts
from scholarmind.plan import Plan, SubQuestion
from scholarmind.steps.execute import execute
from scholarmind.steps.gather import Gathering, Widening
from scholarmind.steps.investigate import Investigator, for_each
from scholarmind.steps.journal import Investigate, remembered
from scholarmind.steps.run_caches import Remembering
from scholarmind.steps.search_function import as_retriever
from scholarmind.steps.select import QUESTION
from scholarmind.steps.steering import Steering
from scholarmind.team import Team
from scholarmind.text.analysis import terms

_TELLING = (
    0.7  # a library of one passage tells nothing of how rare a word is, or one of which each passage has all words
)


class Research:
    """Searches through one memory, journals what it finds, and stops when the time of the run is over."""

    def __init__(self, parts: Parts, run: str, on_event: OnEvent) -> None:
        self.began = time.monotonic()
        self.round = 1
        self._parts = parts
        self._options = parts.options
        self._run = run
        self._report = on_event
        self._rarity: dict[str, float] = {}
        self._memory = Remembering(as_retriever(parts.retriever), parts.links)
        self._gathering = Gathering(
            retriever=self._memory,
            names=parts.names,
            links=self._memory if parts.links else None,
            now=datetime.now(UTC).year,
            filters=parts.options.filters,
        )

    @property
    def searches(self) -> int:
        """How many searches there were."""
        return self._memory.count

    @property
    def is_late(self) -> bool:
        """Whether so much of the time is over that nothing more should be begun."""
        return time.monotonic() - self.began > self._options.run_seconds / 2

    async def close(self) -> None:
        """Leave nothing running."""
        await self._memory.close()

    async def first_look(self, whole: Plan) -> Finding:
        """Retrieve the original question as if it were a part: with a limit of time, an error that is data, and a memory.

        What we raise ourselves comes through: no part could do better without its library, or with a filter that cannot be read.
        """
        ours: list[ScholarMindError] = []

        async def gather(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
            del given
            try:
                found = await self._gathering.gather(whole.question, QUESTION, hop=False)
            except ScholarMindError as error:
                ours.append(error)
                raise
            return Finding(part=part, question=whole.question, evidence=found.evidence, notes=found.notes)

        (finding,) = await self._carry_out(whole, gather, {}, ignore)
        if ours:
            raise ours[0]
        return finding

    async def carry_out(
        self, plan: Plan, team: Team, known: Mapping[int, Finding], *, beyond: bool = False
    ) -> list[Finding]:
        """Research every part that is not known, each as soon as those that it depends on are done.

        `beyond` what they name: with a wider search, and one mention further.
        """
        gathering = replace(self._gathering, filters=False) if beyond else self._gathering
        investigator = Investigator(
            plan=plan,
            gathering=team.gatherer(gathering),
            answerer=team.answerer,
            narrator=team.narrator,
            hops=self._options.hops,
            injection=self._options.injection,
            widening=self._widening(),
            on_event=self._report,
        )
        return await self._carry_out(plan, team.investigator(investigator), known, self._report, self._parts.steering)

    def _widening(self) -> Widening:
        """Return the structures over the library, which only `plan` knows of: the other strategies keep to their designs."""
        if self._options.strategy != "plan":
            return Widening()
        return Widening(
            overview=self._parts.overview if self._options.tree else None,
            relations=self._parts.relations if self._options.graph else None,
            on_event=self._report,
        )

    async def rarity(self, texts: Sequence[str]) -> dict[str, float]:
        """Return how rare the words of these texts are, if the library is large enough to tell."""
        if self._parts.lexicon is None:
            return {}
        words = list(dict.fromkeys(word for text in texts for word in terms(text)))
        if unknown := [word for word in words if word not in self._rarity]:
            self._rarity |= await self._parts.lexicon.rarity(unknown)
        rarity = {word: self._rarity[word] for word in words if word in self._rarity}
        return rarity if max(rarity.values(), default=0.0) > _TELLING else {}

    async def _carry_out(
        self,
        plan: Plan,
        step: Investigate,
        known: Mapping[int, Finding],
        on_event: OnEvent,
        steering: Steering | None = None,
    ) -> list[Finding]:
        if self._parts.journal is not None:
            basis = self._parts.rests_on
            basis = replace(basis, settings={**basis.settings, "round": self.round})
            step = remembered(step, self._parts.journal, self._run, basis=basis, on_event=on_event)
        if self._options.injection:
            step = for_each(step, plan, self._options.max_items)
        if steering is not None:
            step = steering.steered(step, plan, self._memory.renew)
        left = self._options.run_seconds - (time.monotonic() - self.began)
        return await execute(
            plan,
            step,
            part_seconds=self._options.part_seconds,
            run_seconds=max(0.001, left),
            known=known,
            on_event=on_event,
        )
