"""The planner of concepts: what a model names, however badly it behaves, and what is remembered of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scholarmind.calls import Reply, Request
from scholarmind.errors import LibraryStorageError, ModelUnavailableError
from scholarmind.llm.prompts import Assistant, Prompts
from scholarmind.model import Name
from scholarmind.plan import Plan
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Look
from scholarmind.steps.options import Concepts
from scholarmind.steps.run_caches import Recent
from scholarmind.strategies.concepts_team import ConceptPlanner, Namer
from scholarmind.testing import ScriptedModel

pytestmark = pytest.mark.anyio
QUESTION = "How do chunking strategies affect reranking in RAG?"
CHINESE = "分块策略如何影响RAG中的重排序？"
THREE = ["chunking strategies", "reranking methods", "RAG pipeline"]


class Hanging(ScriptedModel):
    """Never replies."""

    async def complete(self, request: Request) -> Reply:
        """Wait for ever."""
        self.requests.append(request)
        await asyncio.Event().wait()
        raise AssertionError


class Broken:
    """A memory that cannot be used."""

    async def get(self, address: str) -> str | None:
        raise LibraryStorageError(address)

    async def put(self, address: str, value: str) -> None:
        raise LibraryStorageError(value or address)


def says(concepts: list[str], reason: str = "three things") -> Callable[[Request], Any]:
    return lambda _: {"reason": reason, "concepts": concepts}


def planner(model: ScriptedModel | None, memory: Any = None, **options: Any) -> ConceptPlanner:
    chosen = Concepts(**options)
    if model is None:
        return ConceptPlanner(talker=KeylessPlanner(), options=chosen)
    namer = Namer(
        assistant=Assistant(model=model, marker="m4rk"),
        memory=memory or Recent(),
        most=chosen.max_concepts,
        seconds=chosen.seconds,
    )
    return ConceptPlanner(talker=KeylessPlanner(), options=chosen, namer=namer)


async def planned(concepts: list[str], question: str = QUESTION, **options: Any) -> Plan:
    return await planner(ScriptedModel(says(concepts)), **options).plan(question, Look())


def texts(plan: Plan) -> list[str]:
    return [part.text for part in plan.parts]


class TestWithAModel:
    async def test_concepts_are_parts_that_wait_for_nothing(self) -> None:
        plan = await planned(THREE)
        assert [(part.id, part.text, part.kind, part.role, part.depends_on) for part in plan.parts] == [
            (number, text, "factual", "find", ()) for number, text in enumerate(THREE, 1)
        ]
        assert (plan.strategy, plan.shape, plan.complexity, plan.decided_by, plan.reason, plan.notes) == (
            "concepts", "parallel", "composite", "model", "three things", ()
        )  # fmt: skip

    @pytest.mark.parametrize(
        "concepts", [[], ["reranking"], ["", "  "], [QUESTION, "reranking"], ["Reranking", "the reranking"]]
    )
    async def test_none_or_one_is_the_question_as_it_stands(self, concepts: list[str]) -> None:
        plan = await planned(concepts)
        assert (texts(plan), plan.complexity, plan.reason) == ([QUESTION], "simple", "three things")

    async def test_five_are_accepted_and_more_are_cut_with_a_note(self) -> None:
        six = ["chunking", "reranking", "retrieval", "generation", "pipelines", "splitters"]
        assert (texts(await planned(six[:5])), (await planned(six[:5])).notes) == (six[:5], ())
        plan = await planned(six)
        assert (texts(plan), plan.notes) == (six[:5], ("only 5 concepts are searched for; left out: splitters",))
        assert texts(await planned(six, max_concepts=2)) == six[:3]

    async def test_a_concept_that_waits_for_another_is_left_out_with_a_note(self) -> None:
        plan = await planner(ScriptedModel(says([*THREE, "the authors of #1"]))).plan(QUESTION, Look())
        assert [part.text for part in plan.parts] == THREE
        assert plan.notes == ("concepts wait for nothing; left out: the authors of #1",)

    async def test_what_says_the_same_is_one_concept(self) -> None:
        assert texts(await planned(["Chunking strategies", "the chunking strategies", "reranking"])) == [
            "Chunking strategies",
            "reranking",
        ]

    async def test_a_concept_is_one_clean_line_without_the_marker(self) -> None:
        assert texts(await planned(["chunk\u0000ing\n strategies m4rk", "reranking"])) == [
            "chunk ing strategies",
            "reranking",
        ]

    async def test_a_chinese_question_is_asked_about_in_chinese(self) -> None:
        model = ScriptedModel(says(["分块策略", "重排序"]))
        plan = await planner(model).plan(CHINESE, Look())
        assert texts(plan) == ["分块策略", "重排序"]
        (request,) = model.requests
        assert (request.prompt.split("@")[0], request.purpose, request.task) == (
            "concepts.zh.md", "concepts", "extraction"
        )  # fmt: skip
        assert f"<question m4rk>\n{CHINESE}\n</question m4rk>" in request.messages[1].text

    async def test_a_simple_question_costs_no_call(self) -> None:
        model = ScriptedModel(says(THREE))
        plan = await planner(model).plan("What is retrieval-augmented generation?", Look())
        assert (texts(plan), plan.complexity, model.requests) == (
            ["What is retrieval-augmented generation?"], "simple", []
        )  # fmt: skip

    async def test_one_concept_allowed_costs_no_call(self) -> None:
        model = ScriptedModel(says(THREE))
        plan = await planner(model, max_concepts=1).plan(QUESTION, Look())
        assert (texts(plan), plan.decided_by, model.requests) == ([QUESTION], "setting", [])


class TestWhereTheModelFails:
    async def test_a_model_that_hangs(self) -> None:
        plan = await planner(Hanging(), seconds=0.02).plan(QUESTION, Look())
        assert (texts(plan), plan.decided_by, plan.strategy) == ([QUESTION], "rules", "concepts")
        assert plan.notes == (
            "the question was searched for as it stands: no concepts came from the model within 0.02 s",
        )

    @pytest.mark.parametrize("said", ["no JSON at all", "[[[", ModelUnavailableError("the server is gone")])
    async def test_garbage_and_errors(self, said: Any) -> None:
        plan = await planner(ScriptedModel(lambda _: said)).plan(QUESTION, Look())
        assert (texts(plan), plan.decided_by) == ([QUESTION], "rules")
        (note,) = plan.notes
        assert note.startswith("the question was searched for as it stands: ")

    async def test_a_failure_is_not_remembered(self) -> None:
        replies: list[Any] = [ModelUnavailableError("gone"), {"reason": "", "concepts": THREE}]
        asked = planner(ScriptedModel(lambda _: replies.pop(0)))
        assert texts(await asked.plan(QUESTION, Look())) == [QUESTION]
        assert texts(await asked.plan(QUESTION, Look())) == THREE


class TestMemory:
    async def test_the_same_question_is_not_asked_about_again(self) -> None:
        model, memory = ScriptedModel(says(THREE)), Recent()
        first = await planner(model, memory).plan(QUESTION, Look())
        again = await planner(model, memory).plan(f"  {QUESTION.upper()} ", Look())
        assert (texts(again), again.reason, len(model.requests)) == (texts(first), first.reason, 1)
        assert again.question == f"  {QUESTION.upper()} "

    async def test_another_question_or_number_is_asked_about_anew(self) -> None:
        model, memory = ScriptedModel(says(THREE)), Recent()
        for asked, options in ((QUESTION, {}), (QUESTION, {"max_concepts": 3}), (QUESTION[:-1], {})):
            await planner(model, memory, **options).plan(asked, Look())
        assert len(model.requests) == 3

    async def test_so_is_the_same_with_another_model_or_prompt(self, tmp_path: Path) -> None:
        (tmp_path / "concepts.en.md").write_text("Data in $marker.\n---\n$most $question", encoding="utf-8")
        model, memory = ScriptedModel(says(THREE)), Recent()
        for name, prompts in (("one", Prompts()), ("two", Prompts()), ("two", Prompts(tmp_path))):
            assistant = Assistant(model=model, marker="m4rk", prompts=prompts)
            await Namer(assistant=assistant, memory=memory, most=4, seconds=2, rests_on=(name,)).name(QUESTION)
        assert len(model.requests) == 3

    async def test_a_memory_that_fails_costs_a_call_and_nothing_else(self) -> None:
        model = ScriptedModel(says(THREE))
        for _ in range(2):
            assert texts(await planner(model, Broken()).plan(QUESTION, Look())) == THREE
        assert len(model.requests) == 2


class TestWithoutAModel:
    async def test_concepts_by_rules(self) -> None:
        plan = await planner(None).plan(QUESTION, Look())
        assert texts(plan) == ["chunking strategies", "reranking", "RAG"]
        assert (plan.decided_by, plan.reason) == ("rules", "shows an effect or a relation")

    async def test_names_of_the_library_stay_whole(self) -> None:
        question = "Compare Rank and Fuse and Mira Falk"
        name = Name(text="Rank and Fuse", start=8, end=21, field="title", value="Rank and Fuse", documents=1)
        assert texts(await planner(None).plan(question, Look(names=(name,)))) == ["Rank and Fuse", "Mira Falk"]

    async def test_more_than_five_are_cut_with_a_note(self) -> None:
        plan = await planner(None).plan("Compare Otter, Heron, Swift, Robin, Finch, Raven and Crane", Look())
        assert texts(plan) == ["Otter", "Heron", "Swift", "Robin", "Finch"]
        assert plan.notes == ("only 5 concepts are searched for; left out: Raven, Crane",)
