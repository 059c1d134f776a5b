"""One question on its way through the engine: what each step does, what it reports, and what it cost."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from scholarmind.answer import Answer, Draft, Finding, Review
from scholarmind.errors import ScholarMindError
from scholarmind.events import (
    ClaimChecked,
    Done,
    FirstLook,
    OnEvent,
    Planned,
    Reviewed,
    RoundStarted,
    Routed,
    RunStarted,
    Selected,
    ignore,
)
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.keyless import KeylessPlanner
from scholarmind.ports import Journal, Lexicon, Links, Look, Names, Planner, Retriever, Reviewer, Writer
from scholarmind.ranking import merged
from scholarmind.steps.execute import execute
from scholarmind.steps.gather import Gathering
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.journal import Basis, Investigate, remembered
from scholarmind.steps.options import Options
from scholarmind.steps.own import SearchFunction, as_retriever
from scholarmind.steps.remember import Remembering
from scholarmind.steps.rounds import taken_up_again, together
from scholarmind.steps.select import QUESTION, select, with_the_whole
from scholarmind.text.analysis import terms
from scholarmind.text.names import storable
from scholarmind.writing.extractive import ExtractiveWriter, KeylessReviewer

_TITLES = 5
_TELLING = (
    0.7  # a library of one passage tells nothing of how rare a word is, or one of which each passage has all words
)
_SHARE = re.compile(r"\d+(?=%)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an engine is made of. What is None is done without."""

    retriever: Retriever | SearchFunction
    planner: Planner = field(default_factory=KeylessPlanner)
    writer: Writer = field(default_factory=ExtractiveWriter)
    reviewer: Reviewer = field(default_factory=KeylessReviewer)
    names: Names | None = None
    links: Links | None = None
    lexicon: Lexicon | None = None
    journal: Journal | None = None
    basis: Basis = field(default_factory=lambda: Basis(library=""))
    options: Options = field(default_factory=Options)


class Inquiry:
    """Each step of the reading path, and what they share."""

    def __init__(self, parts: Parts, question: str, run: str, on_event: OnEvent) -> None:
        self.question = storable(question.strip())
        self.run = run
        self._parts = parts
        self._options = parts.options
        self._report = on_event
        self._began = time.monotonic()
        self._rounds = 1
        self._fallbacks: dict[str, str] = {}
        self._memory = Remembering(as_retriever(parts.retriever), parts.links)
        self._gathering = Gathering(
            retriever=self._memory,
            names=parts.names,
            links=self._memory if parts.links and parts.options.hops else None,
            now=datetime.now(UTC).year,
            filters=parts.options.filters,
        )

    def talk(self, plan: Plan | None = None) -> Answer | None:
        """Reply at once to what is no question; a plan that is given will be carried out, whatever it is about."""
        self._report(RunStarted(run=self.run, question=self.question, library=self._parts.basis.library))
        reply = "" if plan else self._parts.planner.talk(self.question)
        self._report(Routed(route="talk" if reply else "library"))
        if not reply:
            return None
        answer = Answer(
            question=self.question,
            text=reply,
            plan=self._whole(1, "no question"),
            review=Review(rows=(), verdict="complete", confidence=1.0),
            run=self.run,
        )
        return self.done(answer)

    async def look(self) -> Look:
        """Retrieve the original question; what it finds stays in the pool to the end."""
        began = time.monotonic()
        found = await self._first_look()
        names = (await self._parts.names.names([self.question]))[0] if self._parts.names else ()
        rarity = await self._rarity([self.question])
        notes = (*found.notes, *([f"the first look failed: {found.error}"] if found.error else ()))
        self._note(notes)
        titles = _titles(found.evidence)
        seconds = time.monotonic() - began
        self._report(FirstLook(passages=len(found.evidence), documents=titles, seconds=seconds, notes=notes))
        return Look(names=names, evidence=found.evidence, rarity=rarity)

    async def plan(self, look: Look) -> Plan:
        """Take the question apart."""
        return self.take(await self._parts.planner.plan(self.question, look))

    def take(self, plan: Plan) -> Plan:
        """Go by this plan."""
        self._report(Planned(plan=plan, seconds=plan.milliseconds / 1e3))
        return plan

    async def research(self, plan: Plan) -> list[Finding]:
        """Research every part, each as soon as those that it depends on are done."""
        return await self._execute(plan, {}, self._gathering)

    async def worth_another_round(self, plan: Plan, findings: Sequence[Finding]) -> tuple[int, ...]:
        """Return the parts that are too weak, while there are rounds and seconds left."""
        if self._rounds >= self._options.rounds:
            return ()
        review = self._parts.reviewer.review(plan, findings, None, await self._rarity_of(findings))
        unsure = {row.part for row in review.rows if row.confidence <= self._options.confidence}
        weak = tuple(part.id for part in plan.parts if part.id in unsure and part.role == "find")
        if weak and time.monotonic() - self._began > self._options.run_seconds / 2:
            self._note([f"no time was left to search further for part {', '.join(map(str, weak))}"])
            return ()
        return weak

    async def research_again(self, plan: Plan, findings: Sequence[Finding], weak: Sequence[int]) -> list[Finding]:
        """Research the weak parts with a wider search: beyond what they name, and one mention further."""
        self._rounds += 1
        reason = "not sure enough of these parts: searching beyond what they name"
        self._report(RoundStarted(round=self._rounds, parts=tuple(weak), reason=reason))
        again = taken_up_again(plan, findings, weak)
        known = {finding.part.id: finding for finding in findings if finding.part.id not in again}
        return together(findings, await self._execute(plan, known, replace(self._gathering, filters=False)))

    async def compose(self, plan: Plan, look: Look, findings: Sequence[Finding]) -> Answer:
        """Select, write, and check what was written."""
        began = time.monotonic()
        selected = self.select(plan, look, findings)
        rarity = await self._rarity_of(findings)
        draft = self._parts.writer.write(plan, findings, rarity)
        review = self._parts.reviewer.review(plan, findings, draft, rarity)
        self._told(draft, review, time.monotonic() - began)
        return Answer(
            question=self.question,
            text=draft.text,
            plan=plan,
            findings=tuple(findings),
            evidence=selected,
            claims=draft.claims,
            citations=draft.citations,
            answers=draft.answers,
            review=review,
            run=self.run,
        )

    def select(
        self, plan: Plan, look: Look, findings: Sequence[Finding], places: int | None = None
    ) -> tuple[Evidence, ...]:
        """Choose the passages that count: every row keeps its places."""
        lists: dict[str, Sequence[Evidence]] = {QUESTION: look.evidence}
        finding_parts = [finding for finding in findings if finding.part.role == "find"]
        for finding in finding_parts:
            for label in finding.part.row_ids:
                own = [item for item in finding.evidence if label in item.found_by]
                independent = not finding.part.depends_on and len(finding_parts) > 1
                lists[label] = with_the_whole(own, look.evidence) if independent else own
        places = places or self._options.places
        chosen = select(lists, places, self._options.selection, reserve=self._options.quotas and len(plan.parts) > 1)
        counts = {
            part.id: sum(not item.found_by.isdisjoint(part.row_ids) for item in chosen)
            for part in plan.parts
            if part.role == "find"
        }
        self._report(Selected(passages=len(chosen), considered=len(merged(lists.values())), parts=counts))
        return chosen

    def done(self, answer: Answer) -> Answer:
        """Add up, and say that it is over."""
        for finding in answer.findings:
            self._note(finding.notes)
        seconds = time.monotonic() - self._began
        spent = {
            "seconds": round(seconds, 4),
            "searches": self._memory.count,
            "rounds": self._rounds,
            "llm_calls": 0,
            "tokens": 0,
        }
        answer = replace(answer, fallbacks=tuple(self._fallbacks.values()), spent=spent)
        self._report(
            Done(
                run=self.run,
                verdict=answer.review.verdict,
                fallbacks=answer.fallbacks,
                spent=answer.spent,
                seconds=seconds,
            )
        )
        return answer

    async def close(self) -> None:
        """Leave nothing running."""
        await self._memory.close()

    async def _execute(self, plan: Plan, known: dict[int, Finding], gathering: Gathering) -> list[Finding]:
        investigate = Investigator(
            plan=plan,
            gathering=gathering,
            short_answers=self._parts.writer.short_answers,
            lexicon=self._parts.lexicon,
            injection=self._options.injection,
        )
        return await self._carry_out(plan, investigate, known, self._report)

    async def _first_look(self) -> Finding:
        """Retrieve the original question as if it were a part: with a limit of time, an error that is data, and a memory.

        What we raise ourselves comes through: no part could do better without its library, or with a filter that cannot be read.
        """
        ours: list[ScholarMindError] = []

        async def gather(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
            del given
            try:
                found = await self._gathering.gather(self.question, QUESTION, hop=False)
            except ScholarMindError as error:
                ours.append(error)
                raise
            return Finding(part=part, question=self.question, evidence=found.evidence, notes=found.notes)

        (finding,) = await self._carry_out(self._whole(0, "the first look"), gather, {}, ignore)
        if ours:
            raise ours[0]
        return finding

    async def _carry_out(
        self, plan: Plan, step: Investigate, known: Mapping[int, Finding], on_event: OnEvent
    ) -> list[Finding]:
        if self._parts.journal is not None:
            basis = replace(self._parts.basis, settings={**self._parts.basis.settings, "round": self._rounds})
            step = remembered(step, self._parts.journal, self.run, basis=basis, on_event=on_event)
        left = self._options.run_seconds - (time.monotonic() - self._began)
        return await execute(
            plan,
            step,
            part_seconds=self._options.part_seconds,
            run_seconds=max(0.001, left),
            known=known,
            on_event=on_event,
        )

    def _whole(self, number: int, reason: str) -> Plan:
        """Return the question as a plan of one part."""
        part = SubQuestion(id=number, text=self.question or "…")
        return Plan(question=self.question, parts=(part,), complexity="simple", reason=reason, decided_by="rules")

    async def _rarity_of(self, findings: Sequence[Finding]) -> dict[str, float]:
        return await self._rarity([self.question, *(row for finding in findings for row in finding.rows)])

    async def _rarity(self, texts: Sequence[str]) -> dict[str, float]:
        if self._parts.lexicon is None:
            return {}
        rarity = await self._parts.lexicon.rarity(list(dict.fromkeys(w for text in texts for w in terms(text))))
        return dict(rarity) if max(rarity.values(), default=0.0) > _TELLING else {}

    def _told(self, draft: Draft, review: Review, seconds: float) -> None:
        for claim in draft.claims:
            keys = tuple(citation.key for citation in claim.citations)
            self._report(ClaimChecked(text=claim.text, status=claim.status, citations=keys, row=claim.row))
        self._report(Reviewed(verdict=review.verdict, confidence=review.confidence, rows=review.rows, seconds=seconds))

    def _note(self, notes: Sequence[str]) -> None:
        """Remember what was done in another way, once: two notes that differ in a share tell the same."""
        for note in notes:
            self._fallbacks.setdefault(_SHARE.sub("", note), note)


def _titles(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.document.title or item.document.id for item in evidence))[:_TITLES]
