"""The engine with a language model, however badly that behaves: what is spent, what is believed, and what stands behind it."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind import Answer, Engine, Filter, Options, Plan, SubQuestion
from scholarmind.calls import Budget, Request
from scholarmind.errors import BudgetError, ContextOverflowError, ModelReplyError, ModelUnavailableError
from scholarmind.events import AnswerPiece, Event, ModelCalled, Planned, RoundStarted, Routed, Understood
from scholarmind.llm.language_models import Models, PriceList
from scholarmind.ports import Turn
from scholarmind.testing import MemoryJournal, ScriptedModel

pytestmark = pytest.mark.anyio

TEXTS = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019.",
    "Google": "Google was founded by Larry Page and Sergey Brin in September 1998.",
    "OpenAI": "OpenAI was founded by Sam Altman and others in December 2015.",
}
TWO = "Who proposed BERT, and who proposed GPT-2?"
BRIDGE = "Who founded the company at which BERT was proposed?"
PLANS = {
    TWO: [{"id": 1, "question": "Who proposed BERT?"}, {"id": 2, "question": "Who proposed GPT-2?"}],
    BRIDGE: [
        {"id": 1, "question": "At which company was BERT proposed?"},
        {"id": 2, "question": "Who founded #1?", "depends_on": [1]},
    ],
}
PASSAGE = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)
DOUBTFUL = (
    "BERT was proposed by Jacob Devlin [P1]. GPT-2 was proposed by Alec Radford [P2]. "
    "Jacob Devlin, who proposed BERT, was at Google [P1].\n"
    "=== PARTS ===\n1: answered\n2: answered"
)
Rule = Callable[[Request], Any]


async def search(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find what is named; if nothing is, the first two."""
    del filter
    named = [name for name in TEXTS if name in question]
    rest = [] if named else [*TEXTS][:2]
    return [
        {"id": name, "text": TEXTS[name], "title": name, "score": 0.9 if name in named else 0.2, "authors": [name]}
        for name in (*named, *rest)
    ][:k]


class Rare:
    """A lexicon that knows every word, and none too well."""

    async def rarity(self, words: Sequence[str]) -> dict[str, float]:
        return dict.fromkeys(words, 2.0)


def well_behaved(request: Request) -> Any:
    """Plan as above, answer bridges, and quote what answers."""
    text = "\n".join(message.text for message in request.messages)
    shown = [(match["key"], match["text"]) for match in PASSAGE.finditer(text)]
    if request.purpose == "plan":
        parts = next(plan for question, plan in PLANS.items() if question in text)
        return {"complexity": "composite", "needs_retrieval": True, "reason": "two things", "parts": parts}
    if request.purpose.startswith("part"):
        answer = "Google" if "At which company" in text else shown[0][1]
        return {"answer": answer, "passages": ["P1"], "nothing_found": False}
    if request.purpose == "check":
        return {"checks": []}
    told = " ".join(f"{text.rstrip('.')} [{key}]." for key, text in shown)
    return f"{told}\n=== PARTS ===\n1: answered\n2: answered"


def but(purpose: str, *replies: Any) -> Rule:
    """Behave well, but say these in turn to calls for this purpose, the last again and again."""
    left = list(replies)

    def answer(request: Request) -> Any:
        if not request.purpose.startswith(purpose):
            return well_behaved(request)
        said = left.pop(0) if len(left) > 1 else left[0]
        return said(request) if callable(said) else said

    return answer


def engine(rule: Rule = well_behaved, **options: Any) -> tuple[Engine, ScriptedModel]:
    """Return an engine with a scripted model."""
    model = ScriptedModel(rule)
    models = Models(model=model, names={"generation": "scripted"})
    return Engine(retriever=search, models=models, options=Options(**options)), model


def purposes(model: ScriptedModel) -> list[str]:
    """Return what the model was called for, in order."""
    return [request.purpose for request in model.requests]


def statuses(answer: Answer) -> list[tuple[str, str]]:
    """Return the rows in short."""
    return [(row.id, row.status) for row in answer.review.rows]


class TestEffort:
    @pytest.mark.parametrize(
        ("effort", "question", "expected"),
        [
            ("keyless", TWO, []),
            ("fast", TWO, ["answer"]),
            ("standard", TWO, ["answer"]),
            ("standard", BRIDGE, ["plan", "part 1", "answer"]),
            ("deep", TWO, ["part 1", "part 2", "answer"]),
            ("deep", BRIDGE, ["plan", "part 1", "part 2", "answer"]),
        ],
    )
    async def test_no_more_is_asked_than_the_effort_allows(
        self, effort: Any, question: str, expected: list[str]
    ) -> None:
        asking, model = engine(effort=effort)
        answer = await asking.ask(question)
        assert purposes(model) == expected
        assert answer.spent["llm_calls"] == len(expected)
        assert [call.purpose for call in answer.calls] == expected
        assert answer.written_by == ("scripted" if expected else "")
        assert answer.fallbacks == ()

    @pytest.mark.parametrize(("effort", "asked"), [("fast", False), ("standard", True), ("deep", True)])
    async def test_what_code_leaves_in_doubt_is_checked_with_one_call(self, effort: Any, asked: bool) -> None:
        asking, model = engine(but("answer", DOUBTFUL), effort=effort)
        answer = await asking.ask(TWO)
        assert purposes(model).count("check") == asked
        assert purposes(model)[-1] == ("check" if asked else "answer")
        assert [claim.doubt for claim in answer.claims] == [None] * len(answer.claims)
        assert answer.claims[2].status == "unsupported"

    @pytest.mark.parametrize(("words", "verdict"), [("Jacob Devlin at Google", "complete"), ("yes", "with caveats")])
    async def test_only_words_of_the_source_settle_a_doubt(self, words: str, verdict: str) -> None:
        def rule(request: Request) -> Any:
            checks = {"checks": [{"claim": 3, "words": words}]}
            return checks if request.purpose == "check" else but("answer", DOUBTFUL)(request)

        asking, _ = engine(rule)
        answer = await asking.ask(TWO)
        assert answer.claims[2].status == ("paraphrase" if verdict == "complete" else "unsupported")
        assert answer.review.verdict == verdict

    async def test_a_budget_without_a_call_for_the_check_leaves_it_out_and_says_so(self) -> None:
        asking, model = engine(but("answer", DOUBTFUL), budget=Budget(calls=1))
        answer = await asking.ask(TWO)
        assert purposes(model) == ["answer"]
        assert answer.review.verdict == "with caveats"
        assert any(note.startswith("1 sentence could not be checked by the model") for note in answer.fallbacks)

    async def test_a_simple_question_that_one_passage_covers_needs_no_plan(self) -> None:
        asking, model = engine()
        answer = await replace(asking, lexicon=Rare()).ask("Who was BERT proposed by?")
        assert purposes(model) == ["answer"]
        assert answer.plan.decided_by != "model"

    async def test_a_plan_that_is_given_is_not_asked_for(self) -> None:
        asking, model = engine()
        parts = (SubQuestion(id=1, text="Who proposed BERT?"), SubQuestion(id=2, text="Who proposed GPT-2?"))
        plan = Plan(question=TWO, parts=parts, complexity="composite", reason="", decided_by="user")
        await asking.ask(TWO, plan=plan)
        assert purposes(model) == ["answer"]

    async def test_what_it_costs_is_told_before_and_after(self) -> None:
        events: list[Event] = []
        model = ScriptedModel(well_behaved)
        prices = PriceList(prices={"scripted": (1.0, 2.0)})
        models = Models(
            model=model, names=dict.fromkeys(("generation", "extraction", "routing"), "scripted"), prices=prices
        )
        answer = await Engine(retriever=search, models=models).ask(BRIDGE, on_event=events.append)
        (planned,) = [event for event in events if isinstance(event, Planned)]
        assert planned.estimate == answer.estimate
        assert answer.estimate is not None
        assert (answer.estimate.calls, answer.estimate.levels) == (4, 4)  # a check, which was not needed
        assert [event.call for event in events if isinstance(event, ModelCalled)] == list(answer.calls)
        paid = sum(call.usage.prompt * 1e-6 + call.usage.completion * 2e-6 for call in answer.calls)
        assert answer.spent["cost"] == pytest.approx(paid)
        assert answer.estimate.cost is not None
        assert answer.spent["cost"] <= answer.estimate.cost

    async def test_an_unknown_price_is_no_price(self) -> None:
        asking, _ = engine()
        answer = await asking.ask(TWO)
        assert "cost" not in answer.spent
        assert {call.cost for call in answer.calls} == {None}


def last_draft(events: list[Event]) -> str:
    """Return the text of the draft that was begun last, as who listens puts it together."""
    drafts: dict[int, str] = {}
    for event in events:
        if isinstance(event, AnswerPiece):
            drafts[event.draft] = drafts.get(event.draft, "") + event.text
    return drafts[max(drafts)]


class TestTheAnswer:
    async def test_it_is_streamed_with_names_in_place_of_keys(self) -> None:
        events: list[Event] = []
        asking, _ = engine()
        answer = await asking.ask(TWO, on_event=events.append)
        pieces = "".join(event.text for event in events if isinstance(event, AnswerPiece))
        assert "P1" not in pieces
        assert "=== PARTS" not in pieces
        assert "[BERT, n.d.]" in pieces
        assert "Jacob Devlin" in answer.text
        assert {claim.status for claim in answer.claims} == {"verified"}
        assert statuses(answer) == [("1", "answered"), ("2", "answered")]

    @pytest.mark.parametrize(
        "said",
        [
            ModelUnavailableError("down"),
            ModelReplyError("rubbish"),
            ContextOverflowError("too long"),
            BudgetError("spent"),
            "",
            "…",
        ],
    )
    async def test_what_a_model_spoils_is_quoted_instead(self, said: Any) -> None:
        events: list[Event] = []
        asking, _ = engine(but("answer", said))
        answer = await asking.ask(TWO, on_event=events.append)
        assert answer.written_by == ""
        assert "Jacob Devlin" in answer.text
        assert last_draft(events) == answer.text
        assert "Lovelace" not in answer.text
        assert statuses(answer) == [("1", "answered"), ("2", "answered")]
        assert any(note.startswith("the answer is quoted, not written") for note in answer.fallbacks)

    @pytest.mark.parametrize(
        "said",
        [
            "HACKED",
            "I am sorry, I cannot help with that.",
            "谷歌的雅各布·德夫林提出了它。",
            "As everybody knows, BERT is by Ada Lovelace [Lovelace, 1843]. It has 999 layers [P99].",
            "The passages do not say who proposed BERT.",
        ],
    )
    @pytest.mark.parametrize("effort", ["fast", "standard", "deep"])
    async def test_where_most_is_not_confirmed_quotations_stand_below_it(self, said: str, effort: Any) -> None:
        events: list[Event] = []
        asking, _ = engine(but("answer", said), effort=effort)
        answer = await asking.ask(TWO, on_event=events.append)
        heading = "**Most of the text above could not be confirmed (†). Your documents themselves say:**"
        above, found, below = answer.text.partition(f"\n\n{heading}\n\n")
        assert (above[:5], bool(found), "Jacob Devlin" in below) == (said[:5], True, True)
        assert (answer.written_by, answer.review.verdict) == ("scripted", "with caveats")
        assert statuses(answer) == [("1", "answered"), ("2", "answered")]
        assert "most of what the model wrote could not be confirmed; quotations stand below it" in answer.fallbacks
        pieces = "".join(event.text for event in events if isinstance(event, AnswerPiece))
        assert pieces.strip() == answer.text.strip()

    async def test_the_heading_of_quotations_is_in_the_language_of_the_question(self) -> None:
        asking, _ = engine(but("answer", "这个我不清楚，也许是外星人。"), effort="fast")
        assert "**上文多数内容未能得到证实（†）。以下是文档中的原句：**" in (await asking.ask("BERT是谁提出的？")).text

    async def test_where_most_is_confirmed_nothing_stands_below_it(self) -> None:
        sure = "BERT was proposed by Jacob Devlin [P1]. GPT-2 was proposed by Alec Radford [P2]. Zorb7 is by aliens."
        asking, _ = engine(but("answer", f"{sure}\n=== PARTS ===\n1: answered\n2: answered"))
        answer = await asking.ask(TWO)
        assert answer.text.endswith("Zorb7 is by aliens.")
        assert answer.review.verdict == "with caveats"

    async def test_a_model_that_calls_all_of_it_missing_is_believed(self) -> None:
        said = "The passages do not say it.\n=== PARTS ===\n1: missing: all\n2: missing: all"
        asking, _ = engine(but("answer", said))
        assert (await asking.ask(TWO)).text == "The passages do not say it."

    async def test_a_model_that_says_answered_of_what_nothing_was_found_for_is_not_believed(self) -> None:
        question = "Who proposed BERT, and who discovered the Higgs boson in Geneva?"
        parts = [
            {"id": 1, "question": "Who proposed BERT?"},
            {"id": 2, "question": "Who discovered the Higgs boson in Geneva?"},
        ]

        def lying(request: Request) -> Any:
            if request.purpose == "plan":
                return {"complexity": "composite", "parts": parts}
            return "BERT was proposed by Jacob Devlin [P1]. Peter Higgs discovered it [P1].\n=== PARTS ===\n1: answered\n2: answered"

        for effort in ("fast", "standard", "deep"):
            asking, _ = engine(lying, effort=effort)
            answer = await asking.ask(question)
            assert answer.review.rows[-1].status == "not in the library"
            assert answer.review.verdict == "incomplete"

    async def test_only_our_notes_and_no_exception_come_of_a_model_that_fails_always(self) -> None:
        asking, model = engine(but("", ModelUnavailableError("SCHOLARMIND_LLM_API_KEY is wrong")), effort="deep")
        answer = await asking.ask(BRIDGE)
        assert answer.review.verdict in {"complete", "with caveats", "incomplete"}
        assert any("SCHOLARMIND_LLM_API_KEY is wrong" in note for note in answer.fallbacks)
        assert answer.spent["llm_calls"] == len(model.requests)


class TestRounds:
    async def test_what_is_missing_becomes_a_part_and_the_answer_is_written_anew(self) -> None:
        missing = "BERT was proposed by Jacob Devlin [P1].\n=== PARTS ===\n1: answered\n2: missing: who founded OpenAI"

        def whole(request: Request) -> Any:
            return well_behaved(request) + "\n3: answered"

        events: list[Event] = []
        asking, model = engine(but("answer", missing, whole), evidence_tokens=200, rounds=1)
        answer = await asking.ask(TWO, on_event=events.append)
        assert purposes(model) == ["answer", "answer"]
        assert [event.parts for event in events if isinstance(event, RoundStarted)] == [(3,)]
        added = answer.plan.part(3)
        assert added.extends == 2
        assert "who founded OpenAI" in added.text
        assert [row.id for row in answer.review.rows] == ["1", "2", "3"]

    @pytest.mark.parametrize(
        ("lacking", "asked"),
        [
            ("Who founded OpenAI?", "Who founded OpenAI?"),
            ("no passage says who founded OpenAI", "Who proposed GPT-2 (no passage says who founded OpenAI)"),
        ],
        ids=["a question", "a complaint"],
    )
    async def test_what_is_missing_is_searched_for_as_the_model_asks_it(self, lacking: str, asked: str) -> None:
        missing = f"BERT was proposed by Jacob Devlin [P1].\n=== PARTS ===\n1: answered\n2: missing: {lacking}"
        asking, _ = engine(but("answer", missing, well_behaved), evidence_tokens=200, rounds=1)
        assert (await asking.ask(TWO)).plan.part(3).text == asked

    async def test_nothing_is_written_anew_if_nothing_new_was_found(self) -> None:
        told = "BERT was proposed by Jacob Devlin [P1]. GPT-2 was proposed by Alec Radford [P2]."
        text = f"{told}\n=== PARTS ===\n1: answered\n2: missing: the weather in Rome"
        asking, model = engine(but("answer", text), rounds=1)
        answer = await asking.ask(TWO)
        assert purposes(model) == ["answer"]
        assert [row.id for row in answer.review.rows] == ["1", "2"]
        assert answer.review.rows[1].status == "partial"
        assert "the weather in Rome" in answer.review.rows[1].missing


class TestBudget:
    @pytest.mark.parametrize("effort", ["fast", "standard", "deep"])
    async def test_at_the_cap_the_answer_is_written_from_what_is_there(self, effort: Any) -> None:
        asking, model = engine(effort=effort, budget=Budget(calls=1))
        answer = await asking.ask(BRIDGE)
        assert purposes(model) == ["answer"]
        assert answer.written_by == "scripted"
        if effort != "fast":
            assert any("max_calls = 1 is reached" in note for note in answer.fallbacks)

    async def test_tokens(self) -> None:
        asking, model = engine(budget=Budget(tokens=10))
        answer = await asking.ask(TWO)
        assert purposes(model) == []
        assert any("max_tokens = 10 is reached" in note for note in answer.fallbacks)
        assert statuses(answer) == [("1", "answered"), ("2", "answered")]

    async def test_a_plan_that_takes_too_long_is_made_by_rules(self) -> None:
        async def never() -> None:
            await asyncio.Event().wait()

        class Slow(ScriptedModel):
            async def complete(self, request: Request) -> Any:
                if request.purpose == "plan":
                    await never()
                return await super().complete(request)

        models = Models(model=Slow(well_behaved))
        answer = await Engine(retriever=search, models=models, options=Options(plan_seconds=0.05)).ask(BRIDGE)
        assert any("no plan came from the model within 0.05 s" in note for note in answer.fallbacks)
        assert answer.plan.decided_by != "model"

    async def test_a_call_that_hangs_leaves_time_to_write(self) -> None:
        class Stuck(ScriptedModel):
            async def complete(self, request: Request) -> Any:
                del request
                await asyncio.Event().wait()

        models = Models(model=Stuck(well_behaved), names={"generation": "scripted"})
        answer = await Engine(retriever=search, models=models, options=Options(run_seconds=2)).ask(BRIDGE)
        assert any("no plan came from the model within 0.5 s" in note for note in answer.fallbacks)
        assert answer.written_by == "scripted"


class TestOwnKnowledge:
    RULE = staticmethod(but("plan", {"needs_retrieval": False, "own_answer": "Seventeen.", "parts": []}))
    QUESTION = "Compute eight plus nine, and then say it in words?"

    async def test_it_is_marked_and_counts_as_not_in_the_library(self) -> None:
        events: list[Event] = []
        asking, model = engine(self.RULE)
        answer = await asking.ask(self.QUESTION, on_event=events.append)
        assert purposes(model) == ["plan"]
        assert answer.source == "model"
        assert answer.text == "*From the model's own knowledge, not your library:*\n\nSeventeen."
        assert (answer.review.verdict, answer.claims) == ("not in the library", ())
        assert [event.route for event in events if isinstance(event, Routed)] == ["library", "own knowledge"]

    async def test_it_can_be_refused(self) -> None:
        asking, _ = engine(self.RULE, library_only=True)
        answer = await asking.ask(self.QUESTION)
        assert "Seventeen" not in answer.text
        assert answer.review.verdict == "not in the library"


class Killed(BaseException):
    """The end of the process, as far as a test can play it."""


class TestMemory:
    async def test_a_resumed_run_pays_nothing_twice(self) -> None:
        journal = MemoryJournal()
        asking, model = engine(effort="deep")
        first = await replace(asking, journal=journal).ask(BRIDGE, run="r1")
        paid = len(model.requests)
        again = await replace(asking, journal=journal).ask(BRIDGE, run="r1")
        assert len(model.requests) == paid
        assert again.text == first.text
        assert (again.spent["llm_calls"], again.spent["tokens"]) == (0, 0)

    async def test_a_run_that_was_killed_anywhere_goes_on_from_there(self) -> None:
        whole = len(["plan", "part 1", "part 2", "answer"])
        for died_at in range(whole):
            journal, calls = MemoryJournal(), list[str]()

            def dying(request: Request, calls: list[str] = calls, died_at: int = died_at) -> Any:
                if len(calls) == died_at:
                    raise Killed
                calls.append(request.purpose)
                return well_behaved(request)

            asking, _ = engine(dying, effort="deep")
            task = asyncio.create_task(replace(asking, journal=journal).ask(BRIDGE, run="r"))
            with pytest.raises(Killed):
                await task
            resumed, model = engine(effort="deep")
            await replace(resumed, journal=journal).ask(BRIDGE, run="r")
            assert sorted([*calls, *purposes(model)]) == sorted(["plan", "part 1", "part 2", "answer"])


class TestConversations:
    TURNS = (
        Turn(question="Who proposed BERT?", asked="Who proposed BERT?", answer="Jacob Devlin", entities=("BERT",)),
    )

    async def test_a_follow_up_stands_alone_without_a_model(self) -> None:
        events: list[Event] = []
        answer = await Engine(retriever=search).ask("and GPT-2?", turns=self.TURNS, on_event=events.append)
        assert [event.became for event in events if isinstance(event, Understood)] == ["Who proposed GPT-2?"]
        assert (answer.question, answer.asked) == ("Who proposed GPT-2?", "and GPT-2?")
        assert "Alec Radford" in answer.text

    async def test_a_model_is_shown_the_turns(self) -> None:
        plan = {"standalone": "Who proposed GPT-2?", "parts": [{"id": 1, "question": "Who proposed GPT-2?"}]}
        asking, model = engine(but("plan", plan))
        answer = await asking.ask("and GPT-2?", turns=self.TURNS)
        assert (answer.question, answer.asked) == ("Who proposed GPT-2?", "and GPT-2?")
        assert "Who proposed BERT?" in json.dumps([message.text for message in model.requests[0].messages])


class TestNames:
    async def test_the_name_of_an_only_model_is_found_out_before_anything_is_looked_up_by_it(self) -> None:
        journal, names = MemoryJournal(), {"generation": "", "extraction": "", "routing": ""}

        async def settle() -> None:
            names.update(dict.fromkeys(names, "found out"))

        for _ in range(2):
            names.update(dict.fromkeys(names, ""))
            model = ScriptedModel(well_behaved)
            models = Models(model=model, names=names, settle=settle)
            await Engine(retriever=search, models=models, journal=journal).ask(TWO, run="r")
        assert purposes(model) == []

    async def test_a_server_that_does_not_say_is_asked_nevertheless(self) -> None:
        async def settle() -> None:
            raise ModelUnavailableError("no list of models")

        model = ScriptedModel(well_behaved)
        await Engine(retriever=search, models=Models(model=model, names={"generation": ""}, settle=settle)).ask(TWO)
        assert purposes(model) == ["answer"]
