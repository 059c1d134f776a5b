"""Rounds of search, filter and decision for one sub-goal: what is asked, what is remembered, and what stops them."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from roadmap_models import BRIDGE, ONE, but, engine, fenced, kind, nothing, purposes, shown

from scholarmind import Engine, Filter
from scholarmind.calls import Budget, Request
from scholarmind.errors import LibraryError
from scholarmind.events import Decided, Event, Filtered
from scholarmind.plan import Plan, SubQuestion

pytestmark = pytest.mark.anyio
MANY = [
    f"Finding {number} on the Kestrel probe: its antenna turned by {number} degrees in 2021." for number in range(1, 41)
]
GOAL = "How far did the antenna of the Kestrel probe turn?"


async def many(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find many passages, the same for every question but for its length: the first ones differ."""
    del filter
    first = len(question) % 3
    texts = [*MANY[first:], *MANY[:first]]
    return [
        {"id": text[:12], "text": text, "title": text[:12], "score": 1 - place / 50} for place, text in enumerate(texts)
    ][:k]


def planned(*goals: str) -> Plan:
    """A plan of independent sub-goals; with one more that nobody asks about, so that it is a roadmap."""
    parts = tuple(SubQuestion(id=number, text=text) for number, text in enumerate(goals, 1))
    return Plan(question=" ".join(goals), parts=parts, complexity="composite", reason="", decided_by="user")


async def walked(asking: Engine, *goals: str) -> tuple[list[tuple[str, int, int]], list[str], Any]:
    """Carry out a roadmap; return query, kept and dropped of each round of the first sub-goal, its actions, and the answer."""
    events: list[Event] = []
    plan = planned(*(goals or (GOAL, "Who founded Google?")))
    answer = await asking.ask(plan.question, plan=plan, on_event=events.append)
    filters = [event for event in events if isinstance(event, Filtered) and event.part == 1]
    decisions = [event.action for event in events if isinstance(event, Decided) and event.part == 1]
    return [(one.query, len(one.kept), len(one.dropped)) for one in filters], decisions, answer


def of_first(said: Any, otherwise: Any) -> Any:
    """Say something to the calls for the first part, something else to all others; a list is said in turn."""
    left = list(said) if isinstance(said, list) else [said]

    def answer(request: Request) -> Any:
        if request.part != 1:
            return otherwise
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


class TestLoops:
    async def test_the_same_query_again_and_again_pages_deeper_until_there_are_no_more_rounds(self) -> None:
        rule = but(decision=of_first("[Retrieval] antenna", "[LLM]"), route="[Retrieval] antenna")
        asking, _ = engine(rule, many, roadmap={"top_k": 4, "max_documents": 100})
        rounds, decisions, answer = await walked(asking)
        assert rounds == [("antenna", 4, 0)] * 4
        assert decisions == ["[Retrieval] antenna"] * 4
        assert len(answer.findings[0].evidence) == 16
        assert "part 1 stopped after 4 rounds, as many as it may have" in answer.fallbacks

    async def test_no_passage_is_looked_at_twice_whatever_the_query_is(self) -> None:
        seen: list[str] = []

        def noting(request: Request) -> Any:
            if request.part == 1:
                seen.extend(shown(request).values())
            return {"keep": list(shown(request))}

        decisions = ["[Retrieval] antenna of it", "[Retrieval] the turn", "[LLM]"]
        asking, _ = engine(
            but(filter=noting, decision=of_first(decisions, "[LLM]")), many, roadmap={"max_documents": 100}
        )
        await walked(asking)
        assert len(seen) == 24
        assert len(set(seen)) == 24

    async def test_documents_are_shared_by_all_sub_goals(self) -> None:
        asking, _ = engine(but(decision="[Retrieval] antenna"), many, roadmap={"max_documents": 12})
        rounds, _, answer = await walked(asking)
        assert [kept for _, kept, _ in rounds] == [8]
        assert [len(finding.evidence) for finding in answer.findings] == [6, 6]
        assert "part 1 stopped with 6 passages, its share of the 12 of the whole question" in answer.fallbacks

    async def test_rounds_that_bring_nothing_new_are_given_up(self) -> None:
        rule = but(
            filter=of_first({"keep": [], "none_useful": True, "reason": "none"}, {"keep": ["P1"]}),
            decision=of_first(["[Retrieval] one", "[Retrieval] two", "[Retrieval] three"], "[LLM]"),
        )
        asking, _ = engine(rule, many)
        rounds, decisions, answer = await walked(asking)
        assert [kept for _, kept, _ in rounds] == [0, 0]
        assert decisions == ["[Retrieval] one"]
        assert "part 1 stopped after 2 rounds that brought nothing new" in answer.fallbacks
        assert 'nothing found for "one"' in answer.fallbacks
        assert "the filter kept nothing for part 1; the best 3 were looked at all the same" in answer.fallbacks
        assert len(answer.findings[0].evidence) == 3

    async def test_what_nothing_was_found_for_is_not_searched_again(self) -> None:
        searched: list[str] = []

        async def noting(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
            searched.append(question)
            return await nothing(question, k, filter)

        rule = but(route="[Retrieval] Kestrel", decision="[Retrieval] kestrel?")
        asking, _ = engine(rule, noting, roadmap={"stagnation": 4})
        await walked(asking)
        assert [text for text in searched if text.lower().startswith("kestrel")] == ["Kestrel"]

    async def test_the_decision_maker_is_told_what_was_in_vain(self) -> None:
        rule = but(route="[Retrieval] Kestrel", decision=["[Retrieval] probe", "[LLM]"])
        asking, model = engine(rule, nothing)
        await walked(asking, GOAL)
        told = [fenced(request, "searched") for request in model.requests if kind(request) == "decision"]
        assert told == ["- Kestrel (nothing found)"]

    async def test_later_sub_goals_know_what_earlier_ones_asked_in_vain(self) -> None:
        useless = {"keep": [], "none_useful": True}
        rule = but(filter=of_first(useless, {"keep": ["P1"]}), decision=of_first("[Retrieval] Google Inc", "[LLM]"))
        asking, model = engine(rule)
        await asking.ask(BRIDGE)
        (told,) = [fenced(one, "searched") for one in model.requests if one.purpose == "decision on part 2"]
        assert "- At which company was BERT proposed (nothing found)" in told.split("\n")


class TestStops:
    async def test_a_single_pass_decides_nothing_where_something_was_kept(self) -> None:
        asking, model = engine()
        await asking.ask(ONE)
        assert "decision on part 1" not in purposes(model)

    async def test_it_goes_on_where_nothing_was_kept(self) -> None:
        asking, model = engine(
            but(filter=[{"keep": [], "none_useful": True}, {"keep": ["P1"]}], decision=["[Retrieval] OpenAI", "[LLM]"])
        )
        answer = await asking.ask(ONE)
        assert purposes(model) == ["route", "filter of part 1", "decision on part 1", "filter of part 1", "answer"]
        assert 'nothing found for "Who proposed BERT"' in answer.fallbacks

    async def test_a_spent_budget_ends_the_rounds(self) -> None:
        rule = but(decision="[Retrieval] antenna")
        asking, _ = engine(rule, many, budget=Budget(calls=5), roadmap={"max_documents": 1000})
        rounds, _, answer = await walked(asking)
        assert len(rounds) == 1
        assert "part 1 stopped since the budget is spent" in answer.fallbacks
        assert any("max_calls = 5" in note for note in answer.fallbacks)
        assert answer.written_by == "scripted"

    async def test_a_search_that_fails_later_costs_nothing_of_what_was_found(self) -> None:
        async def failing(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
            if question == "disk":
                raise LibraryError("the disk is gone")
            return await many(question, k, filter)

        asking, _ = engine(but(decision=of_first("[Retrieval] disk", "[LLM]")), failing)
        _, _, answer = await walked(asking)
        assert len(answer.findings[0].evidence) == 8
        assert answer.findings[0].error == ""
        assert "part 1 went no further than round 1: the disk is gone" in answer.fallbacks

    async def test_the_filter_cannot_drop_everything_by_garbage(self) -> None:
        asking, _ = engine(but(filter={"keep": [], "none_useful": False}), many)
        rounds, _, answer = await walked(asking)
        assert rounds[0][1] > 0
        note = "passages of part 1 were filtered by rules: the model named no passage that it was shown"
        assert note in answer.fallbacks


class TestByRules:
    async def test_what_is_missing_is_searched_for_by_its_names(self) -> None:
        goal = "Who founded Google, and which telescope did Kestrel use?"

        async def half(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
            del k, filter
            found = (
                "Kestrel used the telescope Argos."
                if "Kestrel" in question and "founded" not in question
                else "Google was founded by Larry Page."
            )
            return [{"id": found, "text": found, "title": found[:6], "score": 0.9}]

        asking, _ = engine(None, half)
        rounds, decisions, _ = await walked(asking, goal, GOAL)
        assert decisions[0].startswith("[Retrieval] Google ")
        assert "telescope" in decisions[0]
        assert "Kestrel" in decisions[0]
        assert [kept for _, kept, _ in rounds] == [1, 1]

    async def test_enough_is_enough(self) -> None:
        asking, _ = engine(None)
        rounds, decisions, answer = await walked(asking, ONE, "Who founded Google?")
        assert decisions == ["[LLM]"]
        assert len(rounds) == 1
        assert [row.status for row in answer.review.rows] == ["answered", "answered"]

    async def test_passages_on_something_else_are_dropped(self) -> None:
        async def mixed(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
            del question, k, filter
            texts: Sequence[tuple[str, float]] = (
                ("The antenna of the Kestrel probe did turn far.", 0.9),
                ("A turn of the antenna of Kestrel took an hour.", 0.8),
                ("Bread is baked from flour.", 0.1),
            )
            return [{"id": text, "text": text, "title": text[:5], "score": score} for text, score in texts]

        asking, _ = engine(None, mixed)
        rounds, _, answer = await walked(asking)
        assert rounds[0][1:] == (2, 1)
        assert "Bread" not in " ".join(item.passage.text for item in answer.findings[0].evidence)
