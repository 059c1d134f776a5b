"""Each list in the order of its own question's scores; what is not scored keeps its place; nothing is scored twice."""

from collections.abc import Sequence

import pytest
from rated_passages import Told, passage

from scholarmind import Engine, Options
from scholarmind.answer import Finding
from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Look
from scholarmind.ranking import Key, key_of
from scholarmind.reranking import Opinion, RerankingSelector, reordered
from scholarmind.steps.select import RuleSelector

pytestmark = pytest.mark.anyio

ONE, TWO = SubQuestion(id=1, text="Who proposed A?"), SubQuestion(id=2, text="Where is #1 from?", depends_on=(1,))
PLAN = Plan(
    question="Where is who proposed A from?", parts=(ONE, TWO), complexity="composite", reason="", decided_by="rules"
)


def found(text: str, fused: float, by: str) -> Evidence:
    return passage(text, int.from_bytes(text.encode()), fused=fused, by=by)


LOOK = Look(evidence=(found("q1", 0.9, "question"), found("q2", 0.5, "question"), found("both", 0.1, "question")))
FINDINGS = (
    Finding(part=ONE, question=ONE.text, rows=(ONE.text,), evidence=(found("a1", 0.9, "1"), found("a2", 0.8, "1"))),
    Finding(
        part=TWO,
        question="Where is Ada from?",
        rows=("Where is Ada from?",),
        evidence=(found("b1", 0.9, "2"), found("both", 0.7, "2"), found("b2", 0.6, "2")),
    ),
)
SCORES = {"q1": 0.2, "q2": 0.6, "both": 0.95, "a1": 0.1, "a2": 0.5, "b1": 0.3, "b2": 0.4}


def texts(evidence: Sequence[Evidence]) -> list[str]:
    return [item.passage.text for item in evidence]


def scores_of(items: Sequence[Evidence], *scores: float | None) -> dict[Key, Opinion]:
    return {key_of(item): Opinion(score=score) for item, score in zip(items, scores, strict=True)}


class TestReordered:
    def test_the_best_score_comes_first(self) -> None:
        items = [found("a", 0.9, "1"), found("b", 0.5, "1"), found("c", 0.1, "1")]
        new = reordered(items, scores_of(items, 0.1, 0.2, 0.7))
        assert [(item.passage.text, item.scores.fused) for item in new] == [("c", 0.7), ("b", 0.2), ("a", 0.1)]

    def test_what_has_no_score_keeps_its_place_and_stands_between_its_neighbours(self) -> None:
        items = [found("a", 0.9, "1"), found("b", 0.5, "1"), found("c", 0.4, "1"), found("d", 0.3, "1")]
        new = reordered(items, scores_of(items, 0.1, None, 0.8, None))
        assert texts(new) == ["c", "b", "a", "d"]
        fused = [item.scores.fused for item in new]
        assert fused == [0.8, 0.5, 0.1, 0.1]

    def test_without_any_score_nothing_changes(self) -> None:
        items = [found("a", 0.9, "1"), found("b", 0.5, "1")]
        assert reordered(items, {}) == items

    def test_the_search_before_keeps_its_share(self) -> None:
        items = [found("a", 1.0, "1"), found("b", 0.0, "1")]
        (first, second) = reordered(items, scores_of(items, 0.2, 0.6), weight=0.25)
        assert (first.passage.text, first.scores.fused) == ("a", pytest.approx(0.8))
        assert (second.passage.text, second.scores.fused) == ("b", pytest.approx(0.15))


async def test_each_list_is_scored_against_what_it_asks() -> None:
    told = Told(SCORES)
    chosen = await RerankingSelector(told, weight=1.0).select(PLAN, LOOK, FINDINGS, 10)
    assert told.asked == [
        (PLAN.question, ("q1", "q2", "both")),
        ("Who proposed A?", ("a1", "a2")),
        ("Where is Ada from?", ("b1", "both", "b2")),
    ]
    assert texts(chosen.evidence) == ["both", "q2", "a2", "b2", "q1", "b1", "a1"]
    assert chosen.considered == 7


async def test_every_row_keeps_its_places() -> None:
    chosen = await RerankingSelector(Told(SCORES), weight=1.0).select(PLAN, LOOK, FINDINGS, 2)
    assert texts(chosen.evidence) == ["both", "a2"]


async def test_a_passage_counts_by_its_best_score_and_tells_who_asked() -> None:
    class Two(Told):
        async def rate(self, question: str, evidence: Sequence[Evidence]):
            self.scores = {**SCORES, "both": 0.9 if "Ada" in question else 0.3}
            return await super().rate(question, evidence)

    chosen = await RerankingSelector(Two({}, reason="says it"), weight=1.0).select(PLAN, LOOK, FINDINGS, 3)
    (judged,) = [each for each in chosen.judged if each.evidence.passage.text == "both"]
    assert (judged.relevance, judged.reason, judged.evidence.scores.fused) == (0.9, "says it", 0.9)
    assert (judged.best, judged.similarity) == (0.7, pytest.approx(0.4))
    assert judged.asked == (PLAN.question, "Where is Ada from?")
    assert [each.relevance for each in chosen.judged] == sorted(
        (each.relevance for each in chosen.judged), reverse=True
    )


async def test_selecting_again_scores_nothing_again() -> None:
    told = Told(SCORES)
    selector = RerankingSelector(told)
    await selector.select(PLAN, LOOK, FINDINGS, 10)
    await selector.select(PLAN, LOOK, FINDINGS, 5)
    assert len(told.asked) == 3
    more = (FINDINGS[0], Finding(part=TWO, question="Where is Ada from?", evidence=(found("new", 0.9, "2"),)))
    await selector.select(PLAN, LOOK, more, 5)
    assert told.asked[3:] == [("Where is Ada from?", ("new",))]


async def test_lists_that_ask_the_same_are_scored_together() -> None:
    part = SubQuestion(id=1, text="What is q?")
    plan = Plan(question="What is q?", parts=(part,), complexity="simple", reason="", decided_by="rules")
    finding = Finding(
        part=part, question=part.text, rows=(part.text,), evidence=(found("q1", 0.9, "1"), found("x", 0.1, "1"))
    )
    told = Told(SCORES)
    await RerankingSelector(told).select(plan, LOOK, [finding], 5)
    assert told.asked == [("What is q?", ("q1", "q2", "both", "x"))]


async def test_a_reranker_that_scores_nothing_leaves_everything_as_it_was() -> None:
    by_rules = await RuleSelector().select(PLAN, LOOK, FINDINGS, 5)
    chosen = await RerankingSelector(Told({})).select(PLAN, LOOK, FINDINGS, 5)
    assert chosen.evidence == by_rules.evidence


async def test_an_engine_selects_with_the_reranker_that_it_is_made_of() -> None:
    async def search(question: str, k: int, filter: object) -> list[dict[str, object]]:
        return [
            {"id": name, "text": f"{name} is about engines", "title": name, "score": 0.9 - place / 10}
            for place, name in enumerate(("first", "second", "third"))
        ]

    told = Told({"third is about engines": 0.9, "first is about engines": 0.2, "second is about engines": 0.1})
    engine = Engine(retriever=search, reranker=told, options=Options(rerank_weight=1.0))
    retrieved = await engine.find("What are engines?", 3)
    assert [item.document.id for item in retrieved.evidence] == ["third", "first", "second"]
    assert [each.relevance for each in retrieved.judged] == [0.9, 0.2, 0.1]
    plain = await Engine(retriever=search).find("What are engines?", 3)
    assert [item.document.id for item in plain.evidence] == ["first", "second", "third"]
