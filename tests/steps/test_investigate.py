"""Chains over earlier answers, rows of merged parts, and earlier parts that found nothing."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from scholarmind.answer import Finding
from scholarmind.filters import Filter
from scholarmind.model import Document, Evidence, Found, Passage, Scores
from scholarmind.plan import Ask, Complexity, Plan, SubQuestion
from scholarmind.ports import Short
from scholarmind.ranking import key_of
from scholarmind.steps.execute import execute
from scholarmind.steps.gather import Gathering
from scholarmind.steps.investigate import Investigator

pytestmark = pytest.mark.anyio


def evidence(
    text: str, fused: float = 0.5, *, vector: float | None = None, title: str = "", document: str = ""
) -> Evidence:
    """A passage of a document of its own."""
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id=document or text, title=title or text),
        scores=Scores(fused=fused, vector=vector),
    )


class Answers:
    """A retriever that knows what to find for each question; whatever else is asked finds nothing."""

    def __init__(self, found: Mapping[str, Sequence[Evidence]], linked: Sequence[Evidence] = ()) -> None:
        self.asked: list[str] = []
        self.hops: list[str] = []
        self._found, self._linked = found, linked

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        self.asked.append(question)
        return Found(evidence=tuple(self._found.get(question, ())))

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        self.hops.append(question)
        return Found(evidence=tuple(self._linked))


class FirstPassages:
    """The short answers are the first passages themselves, for several rows the first of each."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short:
        self.asked.append((part.id, question))
        rows = [[item.passage.text for item in evidence if label in item.found_by] for label in part.row_ids]
        if len(rows) == 1:
            return Short(candidates=tuple(rows[0][:3]), lacks="" if rows[0] else "anything", notes=("looked",))
        together = ", ".join(dict.fromkeys(row[0] for row in rows if row))
        return Short(candidates=(together,) if together else ())


def part(id: int, text: str, *depends_on: int, **fields: Any) -> SubQuestion:
    """A part of a plan."""
    return SubQuestion(id=id, text=text, depends_on=depends_on, **fields)


def plan_of(*parts: SubQuestion) -> Plan:
    """A composite plan."""
    return Plan(question="all of it?", parts=parts, complexity="composite", reason="", decided_by="test")


def answered(part: SubQuestion, *candidates: str, **fields: Any) -> Finding:
    """What an earlier part found."""
    return Finding(
        part=part, question=part.text, answer=candidates[0] if candidates else "", candidates=candidates, **fields
    )


def investigator(plan: Plan, answers: Answers, **fields: Any) -> Investigator:
    """Research with these answers."""
    gathering = Gathering(retriever=answers, links=answers)
    return Investigator(**{"plan": plan, "gathering": gathering, "answerer": FirstPassages(), **fields})


def texts(finding: Finding) -> list[str]:
    """Return the passages in their order."""
    return [item.passage.text for item in finding.evidence]


PROPOSER, DATASET = part(1, "Who proposed BERT?"), part(2, "What did #1 train on?", 1)
CHAIN = plan_of(PROPOSER, DATASET)


class TestOnePart:
    async def test_question_row_evidence_and_answers(self) -> None:
        answers = Answers(
            {
                "Who proposed BERT?": [
                    evidence("Devlin", 0.9),
                    evidence("Chang", 0.8),
                    evidence("Lee", 0.7),
                    evidence("Toutanova", 0.6),
                ]
            }
        )
        finding = await investigator(CHAIN, answers)(PROPOSER, {})
        assert (finding.question, finding.rows) == ("Who proposed BERT?", ("Who proposed BERT?",))
        assert texts(finding) == ["Devlin", "Chang", "Lee", "Toutanova"]
        assert (finding.answer, finding.candidates) == ("Devlin", ("Devlin", "Chang", "Lee"))
        assert {item.found_by for item in finding.evidence} == {frozenset("1")}

    async def test_it_is_searched_with_what_was_told_beside_it(self) -> None:
        plan = replace(plan_of(part(1, "Is it free?")), background="I scratched my Meridian lens.")
        answers = Answers({"I scratched my Meridian lens. Is it free?": [evidence("Scratches are not covered.")]})
        finding = await investigator(plan, answers)(plan.parts[0], {})
        assert (finding.rows, texts(finding)) == (("Is it free?",), ["Scratches are not covered."])

    async def test_a_part_that_names_nothing_is_searched_with_the_names_of_the_question(self) -> None:
        parts = part(1, "How did churches help Samoa?"), part(2, "What else was changed?"), part(3, "Who led #1?", 1)
        plan = replace(plan_of(*parts), known_entities=("Samoa",))
        answers = Answers({})
        await execute(plan, investigator(plan, answers))
        assert answers.asked == [
            "How did churches help Samoa?",
            "Samoa What else was changed?",
            "Who led (How did churches help Samoa)?",
        ]

    async def test_nothing_found(self) -> None:
        finding = await investigator(CHAIN, Answers({}))(PROPOSER, {})
        assert (finding.evidence, finding.answer, finding.candidates, finding.error) == ((), "", (), "")

    async def test_only_who_is_waited_for_is_asked_for_a_short_answer(self) -> None:
        answerer, found = FirstPassages(), {"Who proposed BERT?": [evidence("Devlin")]}
        research = investigator(CHAIN, Answers(found), answerer=answerer)
        finding = await research(PROPOSER, {})
        assert (finding.lacks, finding.notes) == ("", ("looked",))
        await research(DATASET, {1: answered(PROPOSER, "Devlin")})
        assert answerer.asked == [(1, "Who proposed BERT?")]

    async def test_what_an_answerer_misses_is_kept(self) -> None:
        finding = await investigator(CHAIN, Answers({}))(PROPOSER, {})
        assert finding.lacks == "anything"

    async def test_a_narrator_answers_the_others_but_no_part_that_was_added(self) -> None:
        answerer, narrator = FirstPassages(), FirstPassages()
        research = investigator(CHAIN, Answers({}), answerer=answerer, narrator=narrator)
        await research(DATASET, {1: answered(PROPOSER, "Devlin")})
        await research(part(3, "On how many words?", extends=2), {})
        assert (answerer.asked, narrator.asked) == ([], [(2, "What did Devlin train on?")])

    async def test_what_is_known_already_is_not_asked(self) -> None:
        answerer = FirstPassages()
        known = part(1, "Who proposed BERT?", known="Devlin", known_from=("bert@0",))
        research = investigator(plan_of(known, DATASET), Answers({}), answerer=answerer)
        finding = await research(known, {})
        assert (finding.answer, finding.candidates, answerer.asked) == ("Devlin", ("Devlin",), [])

    @pytest.mark.parametrize("complexity", ["simple", "composite"])
    async def test_mentions_are_followed_unless_switched_off(self, complexity: Complexity) -> None:
        plan = Plan(question="", parts=(PROPOSER,), complexity=complexity, reason="", decided_by="test")
        for hops, expected in ((True, ["Who proposed BERT?"]), (False, [])):
            answers = Answers({"Who proposed BERT?": [evidence("Devlin")]}, linked=[evidence("linked")])
            finding = await investigator(plan, answers, hops=hops)(PROPOSER, {})
            assert answers.hops == expected
            assert ("linked" in texts(finding)) is hops


class TestChains:
    async def test_the_candidate_with_the_best_evidence_wins(self) -> None:
        answers = Answers(
            {
                "What did Chang train on?": [evidence("Books", 0.4, vector=0.9)],
                "What did Devlin train on?": [evidence("Toys", 0.9, vector=0.2)],
                "What did Lee train on?": [evidence("Cars", 0.9, vector=0.3)],
            }
        )
        given = {1: answered(PROPOSER, "Devlin", "Chang", "Lee", "Nobody")}
        finding = await investigator(CHAIN, answers)(DATASET, given)
        assert finding.question == "What did Chang train on?"
        assert (finding.rows, answers.asked.count("What did Nobody train on?")) == (("What did Chang train on?",), 0)
        assert set(texts(finding)) == {"Books", "Toys", "Cars"}

    async def test_where_no_candidate_fits_it_is_asked_in_the_words_of_the_question(self) -> None:
        answers = Answers(
            {
                "Who is the builder of the mill?": [evidence("a clock"), evidence("a road")],
                "Where did a clock live?": [evidence("Clocks tick.", vector=0.3)],
                "Where did a road live?": [evidence("Roads wind.", vector=0.3)],
                "Where did the builder of the mill live?": [evidence("He lived in Delft.", vector=0.8)],
            }
        )
        first, second = part(1, "Who is the builder of the mill?"), part(2, "Where did #1 live?", 1)
        findings = await execute(plan_of(first, second), investigator(plan_of(first, second), answers))
        assert (findings[1].question, texts(findings[1])[0]) == (
            "Where did the builder of the mill live?",
            "He lived in Delft.",
        )

    async def test_of_equals_the_first_candidate_wins(self) -> None:
        found = {f"What did {who} train on?": [evidence(who, 0.5, vector=0.5)] for who in ("Devlin", "Chang")}
        finding = await investigator(CHAIN, Answers(found))(DATASET, {1: answered(PROPOSER, "Devlin", "Chang")})
        assert finding.question == "What did Devlin train on?"
        assert texts(finding) == ["Devlin", "Chang"]

    async def test_without_vectors_the_first_candidate_wins(self) -> None:
        found = {"What did Chang train on?": [evidence("Books", 0.9)]}
        finding = await investigator(CHAIN, Answers(found))(DATASET, {1: answered(PROPOSER, "Devlin", "Chang")})
        assert (finding.question, texts(finding)) == ("What did Devlin train on?", ["Books"])

    async def test_a_passage_of_several_chains_is_there_once(self) -> None:
        same = evidence("Books", 0.9, vector=0.5)
        found = {f"What did {who} train on?": [same] for who in ("Devlin", "Chang", "Lee")}
        finding = await investigator(CHAIN, Answers(found))(DATASET, {1: answered(PROPOSER, "Devlin", "Chang", "Lee")})
        assert texts(finding) == ["Books"]

    @pytest.mark.parametrize("error", ["", "no index"])
    async def test_a_bridge_that_found_nothing_leaves_its_question(self, error: str) -> None:
        answers = Answers({"What did (Who proposed BERT) train on?": [evidence("Books")]})
        finding = await investigator(CHAIN, answers)(DATASET, {1: answered(PROPOSER, error=error)})
        assert (finding.question, texts(finding)) == ("What did (Who proposed BERT) train on?", ["Books"])
        assert answers.asked == ["What did (Who proposed BERT) train on?"]

    async def test_one_of_two_bridges_found_nothing(self) -> None:
        last = part(3, "Is #1 larger than #2?", 1, 2)
        other = part(2, "Which model is it?")
        plan = plan_of(PROPOSER, other, last)
        answers = Answers({})
        finding = await investigator(plan, answers)(last, {1: answered(PROPOSER), 2: answered(other, "GPT", "T5")})
        assert answers.asked == ["Is (Who proposed BERT) larger than GPT?", "Is (Who proposed BERT) larger than T5?"]
        assert finding.question == "Is (Who proposed BERT) larger than GPT?"

    async def test_without_injection_no_answer_is_filled_in(self) -> None:
        answers = Answers({})
        given = {1: answered(PROPOSER, "Devlin", "Chang")}
        finding = await investigator(CHAIN, answers, injection=False)(DATASET, given)
        assert answers.asked == ["What did (Who proposed BERT) train on?"]
        assert finding.question == "What did (Who proposed BERT) train on?"

    async def test_a_number_typed_by_the_user_stays(self) -> None:
        only = part(1, "What is issue #1 and #7?")
        finding = await investigator(plan_of(only), Answers({}))(only, {})
        assert finding.question == "What is issue #1 and #7?"

    async def test_answers_are_text_whatever_is_in_them(self) -> None:
        answers = Answers({})
        await investigator(CHAIN, answers)(DATASET, {1: answered(PROPOSER, r"\1 #2 {0} %s \g<0>")})
        assert answers.asked == [r"What did \1 #2 {0} %s \g<0> train on?"]


MERGED = part(1, "BERT and GPT on GLUE?", asks=(Ask(text="BERT on GLUE?"), Ask(text="GPT on GLUE?")))


class TestRows:
    async def test_each_row_is_searched_and_marked_and_none_comes_after_all_of_another(self) -> None:
        answers = Answers(
            {
                "BERT on GLUE?": [evidence(f"b{n}", 0.9 - n / 100) for n in range(8)],
                "GPT on GLUE?": [evidence("g0", 0.3), evidence("b7", 0.2), evidence("g1", 0.1)],
            }
        )
        plan = plan_of(MERGED, part(2, "Is #1 much?", 1))
        finding = await investigator(plan, answers)(MERGED, {})
        assert (finding.question, finding.rows) == ("BERT and GPT on GLUE?", ("BERT on GLUE?", "GPT on GLUE?"))
        assert texts(finding) == ["b0", "g0", "b1", "b7", "b2", "g1", "b3", "b4", "b5", "b6"]
        by = {item.passage.text: item.found_by for item in finding.evidence}
        assert (by["b0"], by["g0"], by["b7"]) == ({"1.1"}, {"1.2"}, {"1.1", "1.2"})
        assert finding.answer == "b0, g0"

    async def test_a_row_that_found_nothing_hides_no_other(self) -> None:
        plan = plan_of(MERGED, part(2, "Is #1 much?", 1))
        finding = await investigator(plan, Answers({"GPT on GLUE?": [evidence("g0")]}))(MERGED, {})
        assert (texts(finding), finding.answer, len(finding.rows)) == (["g0"], "g0", 2)

    async def test_what_puts_together_takes_the_best_of_every_part_and_searches_nothing(self) -> None:
        plan = plan_of(MERGED, part(2, "Why?"), part(3, "Compare them", 1, 2, role="compare"))
        answers = Answers(
            {
                "BERT on GLUE?": [evidence(f"b{n}") for n in range(9)],
                "GPT on GLUE?": [evidence("g0")],
                "Why?": [evidence("w0")],
            }
        )
        research = investigator(plan, answers)
        given = {1: await research(plan.parts[0], {}), 2: await research(plan.parts[1], {})}
        before = len(answers.asked)
        finding = await research(plan.parts[2], given)
        assert (len(answers.asked), finding.rows) == (before, ("Compare them",))
        assert {"b0", "g0", "w0"} <= set(texts(finding))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans with every kind of part, bridge and row."""
    parts: list[SubQuestion] = []
    for id in range(1, draw(st.integers(1, 6)) + 1):
        earlier = tuple(draw(st.lists(st.integers(1, id - 1), unique=True, max_size=3))) if id > 1 else ()
        bridges = " ".join(f"#{number}" for number in range(1, 8) if draw(st.booleans()))
        asks = tuple(Ask(text=f"ask {n} {bridges}") for n in range(draw(st.integers(0, 3))))
        role = draw(st.sampled_from(["find", "compare", "conclude"]))
        kind = draw(st.sampled_from(["factual", "reasoning", "global"]))
        parts.append(part(id, f"part {id} {bridges}", *earlier, role=role, kind=kind, asks=asks))
    return plan_of(*parts)


class TestAnyPlan:
    @settings(max_examples=200, deadline=None)
    @for_all(plan=plans(), data=st.data(), injection=st.booleans(), hops=st.booleans())
    def test_every_part_is_answered_from_what_its_own_rows_found(
        self, plan: Plan, data: st.DataObject, injection: bool, hops: bool
    ) -> None:
        class Anything(Answers):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                return Found(evidence=tuple(pool[: len(question) % 7]))

        numbers = st.none() | st.floats(-1, 1)
        pool = [evidence(f"p{n}", data.draw(st.floats(0, 1)), vector=data.draw(numbers)) for n in range(6)]
        research = investigator(plan, Anything({}, linked=pool[3:]), injection=injection, hops=hops)
        findings = asyncio.run(execute(plan, research))
        for finding in findings:
            keys = [key_of(item) for item in finding.evidence]
            assert (finding.error, len(keys)) == ("", len(set(keys)))
            assert finding.rows
            if finding.part.role == "find":
                assert len(finding.rows) == len(finding.part.row_ids)
                assert all(item.found_by and item.found_by <= set(finding.part.row_ids) for item in finding.evidence)

    async def test_a_retriever_that_fails_for_one_part_fails_that_part(self) -> None:
        class Failing(Answers):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                if question == PROPOSER.text:
                    raise LookupError("no index")
                return await super().search(question, k, filter)

        answers = Failing({"What did (Who proposed BERT) train on?": [evidence("Books")]})
        first, second = await execute(CHAIN, investigator(CHAIN, answers))
        assert first.error.startswith("LookupError: no index (")
        assert (second.error, texts(second)) == ("", ["Books"])
        assert second.notes[0].startswith("part 1 failed (LookupError: no index")

    async def test_a_retriever_that_hangs_for_one_part_fails_that_part(self) -> None:
        class Hanging(Answers):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                if question == "Why?":
                    await asyncio.Event().wait()
                return await super().search(question, k, filter)

        plan = plan_of(part(1, "Why?"), part(2, "Where?"))
        answers = Hanging({"Where?": [evidence("here")]})
        first, second = await execute(plan, investigator(plan, answers), part_seconds=0.05)
        assert (first.error, texts(second)) == ("not answered within 0.05 s", ["here"])
