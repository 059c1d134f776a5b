"""Research one part in rounds, with all else (chains, rows, short answers) as the investigator does it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scholarmind.answer import Finding
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Evidence
from scholarmind.plan import SubQuestion
from scholarmind.steps.investigate import Investigator
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.memory import found_nothing, in_vain
from scholarmind.strategies.roadmap.rounds import Crew, Rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapInvestigator:
    """Gives each part rounds of its own: so many seconds, its share of the documents, and what the parts before it asked in vain."""

    default: Investigator
    crew: Crew
    seconds: float
    assistant: Assistant | None = None

    async def __call__(self, part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        """Return what was found for a part, given what the parts that it depends on found."""
        if part.role != "find":
            return await self.default(part, given)
        vain, seconds = in_vain(given.values()), self._seconds_left()
        rounds = Rounds(
            crew=self.crew,
            gathering=self.default.gathering,
            plan=self.default.plan,
            part=part.id,
            documents=self._share,
            until=time.monotonic() + seconds,
            in_vain=vain,
            asking=Asking(self.assistant, seconds) if self.assistant else None,
        )
        finding = await replace(self.default, gathering=rounds)(part, given)
        notes = dict.fromkeys(
            (*finding.notes, *map(found_nothing, vain))
        )  # those that come after the next part read them too
        return replace(finding, evidence=self._within_share(finding), notes=tuple(notes))

    @property
    def _share(self) -> int:
        """How many documents each row may gather: the same for all, so that no part waits for what the others leave."""
        rows = sum(len(part.rows) for part in self.default.plan.parts if part.role == "find")
        return max(1, self.crew.options.max_documents // max(1, rows))

    def _seconds_left(self) -> float:
        """Return the seconds of the rounds: not more than half of what is left of the run."""
        left = self.crew.meter.left() if self.crew.meter else None
        return self.seconds if left is None else max(0.0, min(self.seconds, left / 2))

    def _within_share(self, finding: Finding) -> tuple[Evidence, ...]:
        """Return no more of the evidence than its rows may gather: several readings of a row have gathered each for itself."""
        return finding.evidence[: self._share * max(1, len(finding.rows))]
