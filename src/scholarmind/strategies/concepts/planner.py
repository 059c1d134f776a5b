"""The planner of concepts: a gate by rules, then one small call to a model, or rules where there is none."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scholarmind.plan import Plan, SubQuestion, is_open
from scholarmind.planning.question_words import content
from scholarmind.planning.rule_planner import direct
from scholarmind.ports import Look, Planner
from scholarmind.steps.options import Concepts
from scholarmind.strategies.concepts.gate import several
from scholarmind.strategies.concepts.modelled import Named, Namer, Unnamed
from scholarmind.strategies.concepts.rules import concepts_of

MOST = 5  # concepts of one question, whoever finds them
_ONE_STEP = "one question about one thing, answered in one step"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptPlanner:
    """Plans a part for each concept; the parts wait for nothing. None or one concept: the question as it stands."""

    talker: Planner
    options: Concepts
    namer: Namer | None = None  # a model; without one the concepts are found by rules
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.talker.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the concepts of a question as the parts of a plan."""
        started = time.perf_counter()
        plan = await self._plan(question, look)
        return replace(plan, strategy="concepts", milliseconds=round((time.perf_counter() - started) * 1000, 3))

    async def _plan(self, question: str, look: Look) -> Plan:
        if not self.decompose or self.options.max_concepts == 1:
            return direct(question, "taking apart is switched off", "setting")
        composite, reason = several(question, look.names)
        if not composite:
            return direct(question, reason, "rules")
        if self.namer is None:
            found = Named(concepts=concepts_of(question, look.names), reason=reason)
        else:
            named = await self.namer.name(question)
            if isinstance(named, Unnamed):
                return replace(direct(question, reason, "rules"), notes=(named.why,))
            found = named
        return self._of(question, found, "rules" if self.namer is None else "model")

    def _of(self, question: str, found: Named, decided_by: str) -> Plan:
        """Return the plan that these concepts make."""
        closed = [concept for concept in found.concepts if not is_open(concept) or is_open(question)]
        concepts = distinct(question, closed)
        most = min(MOST, self.options.max_concepts + 1)
        kept, cut = concepts[:most], concepts[most:]
        notes = [f"only {most} concepts are searched for; left out: {', '.join(cut)}"] if cut else []
        if waiting := [concept for concept in found.concepts if concept not in closed]:
            notes.append(f"concepts wait for nothing; left out: {', '.join(waiting)}")
        if len(kept) < 2:
            return replace(direct(question, found.reason or _ONE_STEP, decided_by), notes=tuple(notes))
        return replace(
            direct(question, found.reason or "about several concepts", decided_by),
            parts=tuple(SubQuestion(id=number, text=concept) for number, concept in enumerate(kept, 1)),
            complexity="composite",
            known_entities=kept,
            notes=tuple(notes),
        )


def distinct(question: str, concepts: Iterable[str]) -> list[str]:
    """Return each concept once, without one that is the question itself."""
    kept: dict[Sequence[str], str] = {}
    for concept in concepts:
        words = content(concept) or (concept.lower(),)
        if words != content(question):
            kept.setdefault(words, concept)
    return list(kept.values())
