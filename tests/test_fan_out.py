"""Parts that are carried out for each item of a list, and searches in the other languages of a library, through the whole engine."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Answer, Engine, Filter, Library, Options, Plan, Settings, SubQuestion
from scholarmind.calls import Request
from scholarmind.errors import ModelUnavailableError
from scholarmind.events import Event, PartEvidence, Planned
from scholarmind.llm.language_models import Models
from scholarmind.plan import Translation
from scholarmind.planning.rule_planner import direct
from scholarmind.record import answer_record, plan_of, plan_record
from scholarmind.testing import MemoryJournal, ScriptedModel

pytestmark = pytest.mark.anyio

TEXTS = {
    "Otter": "Otter was trained on the datasets RiverBank, LakeBook and PondWeb.",
    "RiverBank": "RiverBank has a size of 40 gigabytes.",
    "LakeBook": "LakeBook has a size of 7 gigabytes.",
    "PondWeb": "PondWeb was collected by students.",
}
QUESTION = "What is the size of each dataset used by Otter?"
PLANNED = [
    {"id": 1, "question": "Which datasets did Otter use?"},
    {"id": 2, "question": "What is the size of #1?", "depends_on": [1], "each": 1},
]
LIST = "Which datasets was Otter trained on?"


async def search(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find what is named; if nothing is, all."""
    del filter
    named = [name for name in TEXTS if name in question]
    return [
        {"id": name, "text": TEXTS[name], "title": name, "score": 0.9 if name in named else 0.1}
        for name in (*named, *(name for name in TEXTS if name not in named))
    ][:k]


def plan_for_each(**more: Any) -> Plan:
    fields: dict[str, Any] = {"id": 2, "text": "What is the size of #1?", "depends_on": (1,), "each": 1, **more}
    size = SubQuestion(**fields)
    parts = (SubQuestion(id=1, text=LIST), size)
    return Plan(question=QUESTION, parts=parts, complexity="composite", reason="", decided_by="user")


def rows(answer: Answer) -> list[tuple[str, str]]:
    return [(row.id, row.text) for row in answer.review.rows]


SIZES = [
    ("2.1", "What is the size of RiverBank?"),
    ("2.2", "What is the size of LakeBook?"),
    ("2.3", "What is the size of PondWeb?"),
]


class TestKeyless:
    async def test_each_item_has_its_row_its_evidence_and_its_answer(self) -> None:
        events: list[Event] = []
        answer = await Engine(retriever=search).ask(QUESTION, plan=plan_for_each(), on_event=events.append)
        assert rows(answer) == [("1", LIST), *SIZES]
        assert [ask.entity for ask in answer.plan.part(2).asks] == ["RiverBank", "LakeBook", "PondWeb"]
        for (label, _), name in zip(SIZES[:2], ("RiverBank", "LakeBook"), strict=True):
            assert answer.answers[label] == TEXTS[name].partition("size of ")[2].rstrip(".")
            assert any(item.document.id == name and label in item.found_by for item in answer.evidence)
        assert "**What is the size of LakeBook?**" in answer.text
        assert [len(event.plan.part(2).rows) for event in events if isinstance(event, Planned)] == [1, 3]

    async def test_what_is_missing_is_named_item_by_item(self) -> None:
        answer = await Engine(retriever=search).ask(QUESTION, plan=plan_for_each())
        status = {row.id: row.status for row in answer.review.rows}
        assert (status["2.1"], status["2.2"], status["2.3"] == "answered") == ("answered", "answered", False)

    async def test_the_rules_plan_it_so(self) -> None:
        answer = await Engine(retriever=search).ask(QUESTION)
        assert rows(answer)[1:] == SIZES

    async def test_at_most_so_many_items_and_the_rest_is_named(self) -> None:
        answer = await Engine(retriever=search, options=Options(max_items=2)).ask(QUESTION, plan=plan_for_each())
        assert rows(answer)[1:] == SIZES[:2]
        assert "part 2 was carried out for 2 of 3 items of part 1, not for PondWeb" in answer.fallbacks

    async def test_without_a_list_it_is_asked_once(self) -> None:
        plan = plan_for_each()
        plan = replace(plan, parts=(SubQuestion(id=1, text="Who collected PondWeb?"), plan.parts[1]))
        answer = await Engine(retriever=search).ask(QUESTION, plan=plan)
        assert [id for id, _ in rows(answer)] == ["1", "2"]
        assert "part 1 gave no list: part 2 was carried out once, for its answer" in answer.fallbacks

    async def test_what_depends_on_it_is_given_the_answers_of_all_rows(self) -> None:
        plan = plan_for_each()
        last = SubQuestion(id=3, text="Which of #2 is more?", depends_on=(2,))
        answer = await Engine(retriever=search).ask(QUESTION, plan=replace(plan, parts=(*plan.parts, last)))
        assert "40 gigabytes" in answer.findings[2].question
        assert "7 gigabytes" in answer.findings[2].question

    async def test_a_comparison_of_it_has_a_line_for_each_of_the_items(self) -> None:
        plan = plan_for_each()
        last = SubQuestion(id=3, text="Compare the sizes.", depends_on=(2,), role="compare")
        answer = await Engine(retriever=search).ask(QUESTION, plan=replace(plan, parts=(*plan.parts, last)))
        lines = [line for line in answer.text.partition("### 3.")[2].splitlines() if line.startswith("- **")]
        assert [line.split("**")[1] for line in lines] == [
            "RiverBank",
            "LakeBook",
            "PondWeb",
        ]

    async def test_a_part_that_runs_out_of_time_fails_for_each_item(self) -> None:
        async def slow(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
            if "size of R" in question:
                raise RuntimeError("gone")
            return await search(question, k, filter)

        answer = await Engine(retriever=slow, options=Options(rounds=1)).ask(QUESTION, plan=plan_for_each())
        assert [(row.id, row.status) for row in answer.review.rows][1:] == [(id, "failed") for id, _ in SIZES]

    async def test_a_run_that_is_taken_up_again_has_the_same_rows_and_searches_nothing(self) -> None:
        engine = Engine(retriever=search, journal=MemoryJournal(), options=Options(rounds=1))
        first = await engine.ask(QUESTION, plan=plan_for_each(), run="one")
        for plan in (plan_for_each(), first.plan):
            events: list[Event] = []
            again = await engine.ask(QUESTION, plan=plan, run="one", on_event=events.append)
            assert (rows(again), again.text, again.plan) == (rows(first), first.text, first.plan)
            assert {event.part for event in events if isinstance(event, PartEvidence) and event.remembered} == {1, 2}

    async def test_the_found_passages_are_those_of_all_items(self) -> None:
        engine = Engine(retriever=search)
        found = await engine.find(QUESTION, 4)
        assert [len(part.rows) for part in found.plan.parts] == [1, 3]
        assert {item.document.id for item in found.evidence} == set(TEXTS)

    async def test_switched_off_with_injection(self) -> None:
        answer = await Engine(retriever=search, options=Options(injection=False)).ask(QUESTION, plan=plan_for_each())
        assert [id for id, _ in rows(answer)] == ["1", "2"]

    async def test_json_has_it_and_brings_it_back(self) -> None:
        answer = await Engine(retriever=search).ask(QUESTION, plan=plan_for_each())
        record = answer_record(answer)
        assert [row["id"] for row in record["parts"]] == ["1", "2.1", "2.2", "2.3"]
        assert plan_of(plan_record(plan_for_each())).part(2).each == 1


def replies(**said: Any) -> tuple[Engine, ScriptedModel]:
    """An engine whose model plans as above, lists three datasets of which one is made up, and quotes."""

    def answer(request: Request) -> Any:
        if request.purpose in said:
            return said[request.purpose]
        if request.purpose == "plan":
            return {"complexity": "composite", "reason": "a list", "parts": PLANNED}
        if request.purpose == "part 1":
            items = ["RiverBank", "LakeBook", "SeaShelf"]
            return {"answer": "RiverBank, LakeBook", "passages": ["P1"], "items": items}
        return "RiverBank has a size of 40 gigabytes [P1].\n=== PARTS ===\n1: answered\n2.1: answered\n2.2: answered"

    model = ScriptedModel(answer)
    return Engine(retriever=search, models=Models(model=model, names={"generation": "m"})), model


class TestWithAModel:
    async def test_its_items_are_the_rows_and_what_stands_nowhere_is_none(self) -> None:
        engine, model = replies()
        answer = await engine.ask(QUESTION)
        assert rows(answer)[1:] == SIZES[:2]
        assert [request.purpose for request in model.requests][:2] == ["plan", "part 1"]
        assert "part 2" not in [request.purpose for request in model.requests]
        told = "1 of 3 items that the model listed for part 1 stand in no passage that it was shown; they were left out"
        assert told in answer.fallbacks

    async def test_a_plain_reference_to_a_list_is_one_row_an_item(self) -> None:
        engine, _ = replies(
            plan={"complexity": "composite", "parts": [PLANNED[0], {**PLANNED[1], "each": 0}]},
        )
        answer = await engine.ask("What datasets did Otter use and what is their size?")
        assert rows(answer)[1:] == SIZES[:2]


CHINESE = {
    "Which sparse attention pattern reads long documents?": "哪种稀疏注意力模式读取长文档？",
    "Who proposed it in 2020?": "2020年由谁提出？",
}
ASKED = "Which curious creature drinks ink in 2020?"
PASSAGE = re.compile(r"<passage \w+ (P\d+)>[^\n]*\n[^<]*墨猴")
TRANSLATED = "2020年哪种奇怪的生物喝墨水？"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(8):
        text = f"A plant number {number} of the garden drinks water, and in 2020 it stood in the shade of the wall."
        (folder / f"e{number}.md").write_text(f"# Note {number}\n\n{text}", encoding="utf-8")
    (folder / "z.md").write_text(
        "# 墨猴\n\n墨猴是一种奇怪的小生物，它在2020年仍然喝墨水，住在书桌上的笔筒里。", encoding="utf-8"
    )
    return folder


@pytest.fixture
def bilingual(notes: Path, tmp_path: Path) -> Iterator[tuple[Library, list[Request], dict[str, Any]]]:
    """A library of two languages, what its model was asked, and what that says in Chinese."""
    said: dict[str, Any] = {"translate": {"translations": [{"id": 1, "language": "zh", "text": TRANSLATED}]}}

    def answer(request: Request) -> Any:
        if request.purpose == "translate":
            return said["translate"]
        if request.purpose == "plan":
            return {"parts": [{"question": ASKED}]}
        key = PASSAGE.search(request.messages[-1].text)
        return f"In 2020 the 墨猴 still drank ink (墨水) [{key[1]}].\n=== PARTS ===\n1: answered" if key else "Nothing."

    model = ScriptedModel(answer)
    models = Models(model=model, names={"generation": "m"})
    with Library(Settings(library=tmp_path / "library", embedder="none"), models=models) as library:
        library.add(notes)
        yield library, model.requests, said


def found(answer: Answer, count: int = 1) -> list[str]:
    return [Path(item.document.origin).name for item in answer.evidence[:count]]


class TestOtherLanguages:
    def test_what_stands_only_in_the_other_language_is_found_and_cited_in_its_words(
        self, bilingual: tuple[Library, list[Request], Mapping[str, Any]]
    ) -> None:
        library, requests, _ = bilingual
        answer = library.ask(ASKED)
        assert "z.md" in found(answer, 3)
        assert [request.purpose for request in requests] == ["plan", "translate", "answer", "check"]
        assert "zh (Chinese)" in requests[1].messages[0].text
        assert answer.text.startswith("In 2020 the 墨猴 still drank ink")
        assert ["墨猴是一种奇怪的小生物" in citation.quote for citation in answer.citations] == [True]

    def test_a_plan_that_is_given_is_translated_in_one_call(
        self, bilingual: tuple[Library, list[Request], Mapping[str, Any]]
    ) -> None:
        library, requests, _ = bilingual
        answer = library.ask(ASKED, plan=direct(ASKED, "one part", "user"))
        assert "z.md" in found(answer, 3)
        assert [request.purpose for request in requests] == ["translate", "answer", "check"]

    def test_what_a_plan_brings_along_is_searched_with(
        self, bilingual: tuple[Library, list[Request], Mapping[str, Any]]
    ) -> None:
        library, requests, _ = bilingual
        said = Translation(asked=ASKED, language="zh", said=TRANSLATED)
        plan = plan_of(plan_record(replace(direct(ASKED, "one part", "user"), translations=(said,))))
        assert "z.md" in found(library.ask(ASKED, plan=plan), 3)
        assert [request.purpose for request in requests] == ["answer", "check"]

    def test_where_the_own_language_has_the_words_nothing_is_translated(
        self, bilingual: tuple[Library, list[Request], Mapping[str, Any]]
    ) -> None:
        library, requests, _ = bilingual
        question = "Which plant of the garden stood in the shade of the wall in 2020?"
        answer = library.ask(question, plan=direct(question, "one part", "user"))
        assert "translate" not in [request.purpose for request in requests]
        assert not any("Chinese" in note or "embedder" in note for note in answer.fallbacks)

    def test_it_can_be_switched_off(self, bilingual: tuple[Library, list[Request], Mapping[str, Any]]) -> None:
        library, requests, _ = bilingual
        library.settings = replace(library.settings, translate=False)
        plain = library.ask(ASKED)
        assert "translate" not in [request.purpose for request in requests]
        assert "z.md" not in found(plain, 3)

    @pytest.mark.parametrize("reply", [ModelUnavailableError("gone"), {"translations": []}])
    def test_without_a_translation_it_searches_as_before_and_says_so(
        self, bilingual: tuple[Library, list[Request], dict[str, Any]], reply: object
    ) -> None:
        library, _, said = bilingual
        said["translate"] = reply
        answer = library.ask(ASKED, plan=direct(ASKED, "one part", "user"))
        assert "z.md" not in found(answer, 3)
        assert any("searched for in Chinese" in note for note in answer.fallbacks)
