"""Where a question goes: no retrieval, one retrieval, or a roadmap; by rules, and by a model."""

from typing import Any

import pytest
from roadmap_models import BRIDGE, ONE, but, engine, purposes

from scholarmind import Engine
from scholarmind.errors import ModelUnavailableError
from scholarmind.events import Event, Routed
from scholarmind.model import Name
from scholarmind.strategies.roadmap_router import is_general, query_of, weigh

GERMAN = Name(text="Germany", start=0, end=7, field="title", value="Germany", documents=1)


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("What is the capital of France?", "[No Retrieval]"),
        ("What is the population of Paris in 2023?", "[Retrieval] population of Paris 2023"),
        (
            "How does the economic policy of Country A affect its trade relations with Country B?",
            "[Planning]",
        ),
        ("法国的首都是哪里？", "[No Retrieval]"),
        ("2023年巴黎的人口是多少？", "[Retrieval] 2023年巴黎的人口"),
        ("A国的经济政策如何影响它与B国的贸易关系？", "[Planning]"),
        ("What is 12 * (3 + 4)?", "[No Retrieval]"),
        ("请计算 12 加 5", "[No Retrieval]"),
        ("Hello there!", "[No Retrieval]"),
        ("How many days are in a leap year?", "[No Retrieval]"),
        ("Who proposed BERT, and who proposed GPT-2?", "[Planning]"),
        ("Give an overview of retrieval methods for long documents", "[Planning]"),
        ("transformers", "[Planning]"),
        ("How does it work?", "[Planning]"),
        ("When was the company Acme Robotics founded?", "[Retrieval] company Acme Robotics founded"),
        ("What was the revenue of Acme in 2020 - 2021?", "[Retrieval] revenue of Acme 2020 - 2021"),
    ],
)
def test_rules_weigh_what_is_asked(question: str, action: str) -> None:
    assert str(weigh(question).action) == action


def test_what_the_library_has_a_name_of_is_no_general_knowledge() -> None:
    question = "What is the capital of Germany?"
    assert is_general(question)
    assert not is_general(question, [GERMAN])
    assert str(weigh(question, [GERMAN]).action) == "[Retrieval] capital of Germany"


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Who played in The Who in 1975?", "played in The Who 1975"),
        ("How many layers does BERT-large have?", "many layers BERT-large"),
        ("Who are they?", "Who are they"),
        ("请问谁提出了BERT？", "提出了BERT"),
        ("哪些", "哪些"),
    ],
)
def test_a_query_has_no_words_that_only_ask(question: str, query: str) -> None:
    assert query_of(question) == query


async def routes(asking: Engine, question: str) -> list[tuple[str, str, str, int]]:
    """Return how a question and its sub-goals are routed."""
    events: list[Event] = []
    await asking.ask(question, on_event=events.append)
    told = [event for event in events if isinstance(event, Routed) and event.action]
    return [(event.route, event.action, event.by, event.part) for event in told]


@pytest.mark.anyio
class TestInTheEngine:
    async def test_one_fact_is_routed_once(self) -> None:
        asking, model = engine()
        assert await routes(asking, ONE) == [("Single-pass", "[Retrieval] Who proposed BERT", "model", 0)]
        assert purposes(model) == ["route", "filter of part 1", "answer"]

    async def test_every_sub_goal_is_routed_again(self) -> None:
        asking, _ = engine()
        assert await routes(asking, BRIDGE) == [
            ("Multi-Step", "[Planning]", "model", 0),
            ("Single-pass", "[Retrieval] At which company was BERT proposed", "model", 1),
            ("Single-pass", "[Retrieval] Who founded Google", "model", 2),
        ]

    async def test_without_a_model_rules_route(self) -> None:
        asking, model = engine(None)
        assert await routes(asking, ONE) == [("Single-pass", "[Retrieval] proposed BERT", "rules", 0)]
        assert model.requests == []

    async def test_a_malformed_action_is_mended_once(self) -> None:
        asking, model = engine(but(route=["I think that one search will do.", "[Retrieval] BERT author"]))
        assert await routes(asking, ONE) == [("Single-pass", "[Retrieval] BERT author", "model", 0)]
        assert purposes(model)[:2] == ["route", "route"]
        told = model.requests[1].messages
        assert [message.role for message in told] == ["system", "user", "assistant", "user"]
        assert "there is no action in it" in told[-1].text

    async def test_then_rules_decide_and_say_so(self) -> None:
        asking, model = engine(but(route="banana"))
        answer = await asking.ask(ONE)
        assert purposes(model)[:3] == ["route", "route", "filter of part 1"]
        (note,) = [note for note in answer.fallbacks if note.startswith("the question was routed by rules")]
        assert "nor could the mended one" in note
        assert answer.review.verdict == "complete"

    async def test_a_composite_question_is_not_searched_for_as_one(self) -> None:
        question = "How does the economic policy of Google affect its trade relations with OpenAI?"
        asking, _ = engine(but(route="[Retrieval] policy", plan={"sub_goals": []}))
        answer = await asking.ask(question)
        assert len(answer.plan.parts) > 1
        assert "the model saw one question where the rules are sure of several: a roadmap was drawn" in answer.fallbacks


@pytest.mark.anyio
class TestDirectAnswering:
    async def test_a_model_answers_what_needs_no_documents(self) -> None:
        events: list[Event] = []
        asking, model = engine(but(route="[No Retrieval]", answer="Paris."))
        answer = await asking.ask("What is the capital of France?", on_event=events.append)
        assert purposes(model) == ["route", "answer"]
        assert (answer.source, answer.review.verdict) == ("model", "not in the library")
        assert answer.text == "*From the model's own knowledge, not your library:*\n\nParis."
        assert answer.plan.strategy == "roadmap"
        assert answer.written_by == "scripted", "the model that writes, not the one that plans"
        assert [event.route for event in events if isinstance(event, Routed)][1:] == [
            "Direct Answering",
            "own knowledge",
        ]

    async def test_in_chinese_too(self) -> None:
        asking, model = engine(but(route="【无需检索】", answer="法国的首都是巴黎。"))
        answer = await asking.ask("法国的首都是哪里？")
        assert answer.text == "*以下来自模型自身的知识，不是您的资料库：*\n\n法国的首都是巴黎。"
        assert "你是一个程序的路由器" in model.requests[0].messages[0].text

    async def test_where_only_the_library_may_be_used_nobody_is_asked_for_it(self) -> None:
        asking, model = engine(but(route="[No Retrieval]"), library_only=True)
        answer = await asking.ask("What is the capital of France?")
        assert purposes(model) == ["route"]
        assert answer.text.startswith("*This needs no documents")

    @pytest.mark.parametrize("said", ["", "法国的首都是巴黎。", ModelUnavailableError("down")])
    async def test_an_answer_of_no_use_leaves_the_search(self, said: Any) -> None:
        asking, _ = engine(but(route="[No Retrieval]", answer=said))
        answer = await asking.ask("What is the capital of France?")
        assert answer.source == "library"
        assert any("the library was searched all the same" in note for note in answer.fallbacks)

    async def test_without_a_model_the_library_is_searched_and_a_note_says_so(self) -> None:
        asking, _ = engine(None)
        answer = await asking.ask("What is the capital of France?")
        assert answer.source == "library"
        note = "it needs no documents, but there is no model that knows; the library was searched all the same"
        assert note in answer.fallbacks

    async def test_a_sub_goal_that_needs_no_documents_is_searched_once_and_a_note_says_so(self) -> None:
        asking, model = engine(but(route=["[Planning]", "[No Retrieval]"]))
        answer = await asking.ask(BRIDGE)
        assert [purpose for purpose in purposes(model) if purpose.startswith("decision")] == []
        notes = [note for note in answer.fallbacks if "would need no retrieval" in note]
        assert notes == [
            f"part {number} would need no retrieval; it was searched once: answers rest on the library alone"
            for number in (1, 2)
        ]
