"""One question on its way through the engine: what each step does, what it reports, and what it cost.

`Research` is the searching: the first look, the parts of a plan, and how rare words are. `Inquiry` has a method for each line of
`Engine.ask`, in one place: longer than other modules, so that the reading path is read in two.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from scholarmind.answer import Answer, Draft, Finding, Retrieved, Review
from scholarmind.calls import Estimate
from scholarmind.components import Parts, Team
from scholarmind.errors import ScholarMindError
from scholarmind.events import (
    AnswerPiece,
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
    Understood,
    ignore,
)
from scholarmind.model import Evidence, Name
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Chosen, Look, Material, Turn
from scholarmind.ranking import merged
from scholarmind.steps.execute import Steering, execute, extended, put_together, says_more, taken_up_again, together
from scholarmind.steps.gather import Gathering, Widening
from scholarmind.steps.investigate import Investigator, expanded, for_each
from scholarmind.steps.journal import Investigate, new_run, remembered
from scholarmind.steps.progress_events import DraftPieces, Notes, PassageRanking, passages_found_event, titles
from scholarmind.steps.run_caches import Remembering
from scholarmind.steps.search_function import as_retriever
from scholarmind.steps.select import QUESTION
from scholarmind.strategies import composition
from scholarmind.text.analysis import terms
from scholarmind.text.untrusted import check_question, storable

# -- the searching: the first look, the parts of a plan, and what is known of the words

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
            basis = replace(basis, settings={**basis.settings, "round": self.round, "background": plan.background})
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


# -- what is really asked: a follow-up made to stand alone, and the words in which the same was asked before


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """The question that is worked on, what there is to tell of how it came to be that, and to note."""

    question: str
    events: tuple[Understood, ...] = ()
    notes: tuple[str, ...] = ()


async def understanding(parts: Parts, team: Team, typed: str, turns: Sequence[Turn]) -> Understanding:
    """Return what is asked by what was typed."""
    question, events = typed, list[Understood]()
    if turns:
        alone = team.stand_alone(typed, turns, await names_in(parts, typed))
        if alone.became != typed:
            question = alone.became
            events.append(Understood(question=typed, became=question, reason=alone.reason))
    if parts.asked_before is None:
        return Understanding(question=question, events=tuple(events))
    # what is kept of a question is found by its words: take over those in which the same was asked before
    same = await parts.asked_before.same(question, await names_in(parts, question))
    if same is None:
        return Understanding(question=question, events=tuple(events))
    reason = f"asked before in these words (similarity {same.likeness:.3f})"
    events.append(Understood(question=question, became=same.question, reason=reason))
    note = f"answered as {same.question!r}, {reason}; --no-cache asks it as it stands"
    return Understanding(question=same.question, events=tuple(events), notes=(note,))


async def names_in(parts: Parts, text: str) -> tuple[Name, ...]:
    """Return the names in a text that the library knows."""
    return (await parts.names.names([text]))[0] if parts.names else ()


# -- the steps


class Inquiry:
    """Each step of the reading path, and what they share."""

    def __init__(
        self,
        parts: Parts,
        question: str,
        run: str,
        on_event: OnEvent,
        turns: Sequence[Turn] = (),
        *,
        writes: bool = True,
    ) -> None:
        """Begin; where nothing is to be written in the end, nothing of the budget is kept back for that."""
        check_question(question)
        self.question = self._typed = storable(question.strip())
        self.run = run
        self._parts = parts
        self._options = parts.options
        self._turns = tuple(turns)
        self._writes = writes
        self._report = on_event
        self._research = Research(parts, run, on_event)
        self._notes = Notes()
        self._repairs = 0
        self._pieces = DraftPieces(on_event)
        self._asked_again: tuple[int, ...] = ()
        self._estimate: Estimate | None = None
        self._standing = PassageRanking(on_event)
        self._composition = composition()
        self._team = self._composition.rules_of(parts)

    def talk(self, plan: Plan | None = None) -> Answer | None:
        """Reply at once to what is no question; a plan that is given will be carried out, whatever it is about."""
        library = self._parts.basis.library
        self._report(RunStarted(run=self.run, question=self.question, effort=self._parts.effort, library=library))
        reply = "" if plan else self._team.planner.talk(self.question)
        self._report(Routed(route="talk" if reply else "library"))
        if not reply:
            return None
        review = Review(rows=(), verdict="complete", confidence=1.0)
        self._report(AnswerPiece(text=reply))
        return self.done(self._answer(reply, self._whole(1, "no question"), review, source="talk"))

    async def look(self) -> Look:
        """Understand the question, and retrieve it as it stands; what that finds stays in the pool to the end."""
        began = time.monotonic()
        await self._understand()
        if not self._team.looks:
            return Look(names=await names_in(self._parts, self.question))
        found, names, rarity = await asyncio.gather(
            self._research.first_look(self._whole(0, "the first look")),
            names_in(self._parts, self.question),
            self._research.rarity([self.question]),
        )
        notes = (*found.notes, *([f"the first look failed: {found.error}"] if found.error else ()))
        self._notes.take(notes)
        seconds = time.monotonic() - began
        self._report(
            FirstLook(passages=len(found.evidence), documents=titles(found.evidence), seconds=seconds, notes=notes)
        )
        self._report(passages_found_event(found, seconds=seconds))
        self._standing.take(found.evidence, "the first look")
        return Look(names=names, evidence=found.evidence, rarity=rarity)

    async def plan(self, look: Look, *, only: bool = False) -> Plan:
        """Take the question apart. Where that is `only` a proposal, the estimate is of what is still to come."""
        plan = await self._team.planner.plan(self.question, look)
        return self.take(plan, planned=only or plan.decided_by != "model")

    def take(self, plan: Plan, *, planned: bool = True) -> Plan:
        """Go by this plan, and tell what it will cost; what was `planned` costs no call any more."""
        self._notes.take(plan.notes)
        if plan.strategy not in {"plan", self._options.strategy}:
            self._notes.take([f"a plan of the strategy {plan.strategy!r} is carried out by {self._options.strategy!r}"])
        if translator := self._team.translator:
            self._notes.take(translator.know(plan))
        self._estimate = self._team.estimate(plan, planned=planned)
        seconds = plan.milliseconds / 1e3
        self._report(Planned(plan=plan, estimate=self._estimate, seconds=seconds, notes=plan.notes))
        return plan

    def own_knowledge(self, plan: Plan) -> Answer | None:
        """Reply without the library to what needs none, if that is allowed, and say so."""
        allowed = not self._options.library_only
        if plan.retrieval or (allowed and not plan.own_answer.strip()):
            self._notes.take(
                [] if plan.retrieval else ["the plan holds no answer of its own: the library was searched"]
            )
            return None
        self._report(Routed(route="own knowledge", reason=plan.reason))
        text, review = self._team.own_knowledge(plan, allowed=allowed)
        self._report(AnswerPiece(text=text))
        by = self._parts.writer_name if plan.strategy == "roadmap" else self._parts.planner_name
        return self.done(self._answer(text, plan, review, source="model", written_by=by))

    async def research(self, plan: Plan, known: Mapping[int, Finding] | None = None) -> list[Finding]:
        """Research every part that is not known, each as soon as those that it depends on are done."""
        return await self._research.carry_out(plan, self._team, known or {})

    def expanded(self, plan: Plan, findings: Sequence[Finding]) -> Plan:
        """Go by the plan with the rows that its parts were carried out for: one for each item of a list that was found."""
        if not self._options.injection:
            return plan
        wider, notes = expanded(plan, findings, self._options.max_items)
        self._notes.take(notes)
        if wider is not plan:
            self._report(Planned(plan=wider, estimate=self._estimate, notes=notes))
        return wider

    async def worth_another_round(self, plan: Plan, findings: Sequence[Finding]) -> tuple[int, ...]:
        """Return the parts that somebody asked again, else those that are too weak, while there are rounds and seconds left."""
        steering = self._parts.steering
        if steering is not None and (asked := steering.taken()):
            self._asked_again = asked
            return asked
        if self._research.round >= self._team.rounds:
            return ()
        rarity = await self._rarity_of(findings)
        review = await asyncio.to_thread(self._team.reviewer.review, plan, findings, None, rarity)
        unsure = {row.part for row in review.rows if row.confidence <= self._options.confidence}
        stopped = steering.stopped if steering is not None else set[int]()
        weak = tuple(part.id for part in plan.parts if part.id in unsure - stopped and part.role == "find")
        if weak and self._research.is_late:
            self._notes.take([f"no time was left to search further for part {', '.join(map(str, weak))}"])
            return ()
        return weak

    async def research_again(self, plan: Plan, findings: Sequence[Finding], weak: Sequence[int]) -> list[Finding]:
        """Research the weak parts with a wider search: beyond what they name, and one mention further."""
        why = "these parts were asked again" if weak == self._asked_again else "not sure enough of these parts"
        self._begin_round(weak, f"{why}: searching beyond what they name")
        again = taken_up_again(plan, findings, weak)
        known = {finding.part.id: finding for finding in findings if finding.part.id not in again}
        return together(findings, await self._research.carry_out(plan, self._team, known, beyond=True))

    async def compose(self, plan: Plan, look: Look, findings: Sequence[Finding]) -> Answer:
        """Select, write, and check what was written; by now no part can be stopped or asked again."""
        began = time.monotonic()
        if self._parts.steering is not None:
            self._parts.steering.close()
        chosen = await self._selected(plan, look, findings, self._team.places)
        shown = await self._shown(plan, look, findings) if self._team.meter else chosen.evidence
        rarity = await self._rarity_of(findings)
        material = Material(plan=plan, findings=findings, evidence=shown, rarity=rarity)
        self._pieces.anew()
        draft = await self._team.writer.write(material, self._pieces.take)
        if not draft.by_model:  # it comes whole, in place of what a model may have begun
            self._pieces.anew()
            self._pieces.take(draft.text, 1)
        self._pieces.flush()
        # what a count rests on is shown beside what was selected, and may be cited
        cited = {(one.collection, one.document) for one in draft.citations}
        beside = [item for item in shown if (item.document.collection, item.document.id) in cited]
        evidence = tuple(merged((chosen.evidence, beside)).values())
        return await self._reviewed(plan, findings, draft, replace(chosen, evidence=evidence), began)

    async def repair(self, answer: Answer, look: Look) -> Answer | None:
        """Research what a model says is missing as new parts and write anew; None if that is not worth it, or brought nothing."""
        if not answer.missing or self._repairs >= self._team.repairs:
            return None
        plan, added = extended(answer, self._options.max_parts)
        lacking = ", ".join(str(plan.part(number).extends) for number in added)
        if not added:
            return None
        if self._research.is_late or (self._team.meter and self._team.meter.exhausted):
            self._notes.take([f"nothing was left to search for what part {lacking} lacks"])
            return None
        self._repairs += 1
        self._begin_round(added, "the answer lacks something: searching for it as parts of its own")
        known = {finding.part.id: finding for finding in answer.findings}
        findings = await self._research.carry_out(plan, self._team, known)
        findings, news = put_together(findings, added)
        if not news:
            self._notes.take([f"nothing new was found for what part {lacking} lacks"])
            return None
        self._report(Planned(plan=plan))
        anew = await self.compose(plan, look, findings)
        if says_more(anew, answer):
            return anew
        self._notes.take([f"written anew for what part {lacking} lacks, the answer held less; it stays as it was"])
        self._told(answer.draft, answer.review, 0.0)  # who listens was told of the other one since
        return None

    async def examine(self, answer: Answer) -> Answer:
        """Settle what is in doubt of what a model wrote; where most of it stays unconfirmed, quote below it."""
        if not answer.written_by:
            return answer
        began, draft = time.monotonic(), answer.draft
        if self._team.examiner is not None:
            draft = await self._team.examiner.examine(answer.plan, draft)
        draft = replace(draft, claims=tuple(replace(claim, doubt=None) for claim in draft.claims))
        rarity = await self._rarity_of(answer.findings)
        material = Material(plan=answer.plan, findings=answer.findings, evidence=answer.evidence, rarity=rarity)
        draft, below = await asyncio.to_thread(self._team.quote_below, draft, material)
        self._pieces.append(f"\n\n{below}" if below else "")
        if draft == answer.draft:
            return answer
        chosen = Chosen(evidence=answer.evidence, considered=0, judged=answer.judged)
        return await self._reviewed(answer.plan, answer.findings, draft, chosen, began)

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int | None = None) -> Retrieved:
        """Choose the passages that count: so many and no more, or as many as the strategy keeps."""
        for finding in findings:
            failed = (f"part {finding.part.id} failed: {finding.error}",) if finding.error else ()
            self._notes.take((*finding.notes, *failed))
        chosen = await self._selected(plan, look, findings, self._team.places if places is None else places)
        return Retrieved(
            question=plan.question,
            plan=plan,
            evidence=chosen.evidence[:places],  # an answer has a place for each row, however few places there are
            judged=chosen.judged,
            notes=(*self._notes.all, *self._team.notes),
            spent=self._spent(),
        )

    def done(self, answer: Answer) -> Answer:
        """Add up, and say that it is over."""
        for finding in answer.findings:
            self._notes.take(finding.notes)
        self._notes.take((*answer.fallbacks, *self._team.notes))
        spent = self._spent()
        calls = self._team.meter.calls if self._team.meter else ()
        answer = replace(answer, fallbacks=self._notes.all, spent=spent, calls=calls, estimate=self._estimate)
        verdict, fallbacks = answer.review.verdict, answer.fallbacks
        self._report(Done(run=self.run, verdict=verdict, fallbacks=fallbacks, spent=spent, seconds=spent["seconds"]))
        return answer

    async def close(self) -> None:
        """Leave nothing running."""
        await self._research.close()

    async def _understand(self) -> None:
        """Find out what is asked, and call together who will work on it."""
        found = await understanding(self._parts, self._team, self._typed, self._turns)
        self.question = found.question
        for event in found.events:
            self._report(event)
        self._notes.take(found.notes)
        typed = self._typed if self.question != self._typed else ""
        if self._parts.models and self._parts.effort != "keyless":
            await self._parts.models.named(self._options.run_seconds / 4)
        run = self.run or new_run()
        self._team = self._composition.team_of(
            self._parts, run, self._report, self._research.began, (self._turns, typed), writes=self._writes
        )
        if self._team.translator is not None:
            self._notes.take(await self._team.translator.settle(self.question))

    def _answer(self, text: str, plan: Plan, review: Review, **more: Any) -> Answer:
        typed = self._typed if self._typed != plan.question else ""
        return Answer(question=plan.question, text=text, plan=plan, review=review, run=self.run, asked=typed, **more)

    async def _reviewed(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft, chosen: Chosen, began: float
    ) -> Answer:
        rarity = await self._rarity_of(findings)
        review = await asyncio.to_thread(self._team.reviewer.review, plan, findings, draft, rarity)
        self._told(draft, review, time.monotonic() - began)
        return self._answer(
            draft.text,
            plan,
            review,
            findings=tuple(findings),
            evidence=chosen.evidence,
            judged=chosen.judged,
            claims=draft.claims,
            citations=draft.citations,
            answers=draft.answers,
            conflicts=draft.conflicts,
            missing=draft.missing,
            written_by=self._parts.writer_name if draft.by_model else "",
            fallbacks=draft.notes,
        )

    async def _selected(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen:
        """Choose the passages that count, and report it."""
        chosen = await self._team.selector.select(plan, look, findings, places)
        self._notes.take(chosen.notes)
        counts = {
            part.id: sum(not item.found_by.isdisjoint(part.row_ids) for item in chosen.evidence)
            for part in plan.parts
            if part.role == "find"
        }
        self._standing.take(chosen.evidence, f"chosen in round {self._research.round}")
        self._report(Selected(passages=len(chosen.evidence), considered=chosen.considered, parts=counts))
        return chosen

    async def _shown(self, plan: Plan, look: Look, findings: Sequence[Finding]) -> tuple[Evidence, ...]:
        """Return the passages that a model writes from."""
        ranked = await self._team.selector.select(plan, look, findings, self._team.pool)
        return await asyncio.to_thread(self._team.show, plan, findings, ranked.evidence, self._team.evidence_tokens)

    def _spent(self) -> dict[str, float]:
        meter = self._team.meter
        return {
            "seconds": round(time.monotonic() - self._research.began, 4),
            "searches": self._research.searches,
            "rounds": self._research.round,
            **(meter.spent if meter else {"llm_calls": 0, "tokens": 0}),
        }

    def _begin_round(self, parts: Sequence[int], reason: str) -> None:
        self._research.round += 1
        self._report(RoundStarted(round=self._research.round, parts=tuple(parts), reason=reason))

    def _whole(self, number: int, reason: str) -> Plan:
        """Return the question as a plan of one part."""
        part = SubQuestion(id=number, text=self.question or "…")
        return Plan(question=self.question, parts=(part,), complexity="simple", reason=reason, decided_by="rules")

    async def _rarity_of(self, findings: Sequence[Finding]) -> dict[str, float]:
        return await self._research.rarity([self.question, *(row for finding in findings for row in finding.rows)])

    def _told(self, draft: Draft, review: Review, seconds: float) -> None:
        for claim in draft.claims:
            keys = tuple(citation.key for citation in claim.citations)
            self._report(ClaimChecked(text=claim.text, status=claim.status, citations=keys, row=claim.row))
        self._report(Reviewed(verdict=review.verdict, confidence=review.confidence, rows=review.rows, seconds=seconds))
