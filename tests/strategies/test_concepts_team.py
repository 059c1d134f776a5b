"""The strategy as a whole, through the engine and a library: lists, fusion, time, calls, made-up passages."""

import asyncio
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Engine, Library, Options, Settings, wiring_models
from scholarmind.answer import Finding
from scholarmind.calls import Request
from scholarmind.errors import ModelUnavailableError
from scholarmind.filters import Filter
from scholarmind.llm.language_models import Models
from scholarmind.model import Document, Evidence, Found, Passage, Scores
from scholarmind.plan import Plan, SubQuestion
from scholarmind.ports import Look, Rated
from scholarmind.steps.options import Concepts
from scholarmind.strategies.concepts_team import RankFusion, fused_by_rank
from scholarmind.testing import HashEmbedder, ScriptedModel, ScriptedServer
from scholarmind.testing.model_servers import Call

pytestmark = pytest.mark.anyio
QUESTION = "Compare chunking and reranking"
TWO = ["chunking", "reranking"]
NOTES = {
    "Chunking": "Chunking cuts long documents into passages. Sliding windows overlap by forty tokens.",
    "Reranking": "Reranking puts passages into a new order. A cross-encoder reads question and passage together.",
    "Weather": "The weather in Bergen is wet. It rains on two hundred days of the year.",
}


def evidence(position: int, fused: float = 0.5, *labels: str) -> Evidence:
    return Evidence(
        passage=Passage(text=f"text {position}", start=0, end=6, position=position),
        document=Document(id="d", title=""),
        scores=Scores(fused=fused),
        found_by=frozenset(labels),
    )


def positions(found: Sequence[Evidence]) -> list[int]:
    return [item.passage.position for item in found]


class Fixed:
    """Finds these positions by the text of the search; some searches hang. It remembers what it was asked."""

    def __init__(self, found: Mapping[str, Sequence[int]], hanging: Sequence[str] = ()) -> None:
        self.asked: list[tuple[str, int]] = []
        self._found = found
        self._hanging = hanging

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        assert filter is None
        self.asked.append((question, k))
        if question in self._hanging:
            await asyncio.Event().wait()
        places = self._found.get(question, ())[:k]
        return Found(evidence=tuple(evidence(position, 1 / rank) for rank, position in enumerate(places, 1)))


LISTS = {"chunking": (1, 2, 3), "reranking": (4, 2, 5), QUESTION: (6, 1)}


def engine(retriever: Any, model: ScriptedModel | None = None, effort: Any = "standard", **concepts: Any) -> Engine:
    models = Models(model=model, names={"generation": "scripted"}) if model else None
    options = Options(strategy="concepts", concepts=Concepts(**concepts), effort=effort)
    return Engine(retriever=retriever, models=models, options=options)


def named(request: Request) -> Any:
    """Name two concepts, write a passage on each, and answer."""
    if request.purpose == "concepts":
        return {"reason": "two techniques", "concepts": TWO}
    if request.purpose.startswith("hypothetical"):
        return f"a passage on {request.purpose.rpartition(' ')[2]}"
    return "Chunking cuts [P1].\n=== PARTS ===\n1: answered\n2: answered"


def purposes(model: ScriptedModel) -> list[str]:
    return [request.purpose for request in model.requests]


class TestFusion:
    def test_known_lists_give_known_numbers(self) -> None:
        fused = fused_by_rank([[evidence(1), evidence(2), evidence(3)], [evidence(4), evidence(2)]], 60)
        assert positions(fused) == [2, 1, 4, 3]
        assert [item.scores.fused for item in fused] == pytest.approx([2 / 62, 1 / 61, 1 / 61, 1 / 63])

    def test_a_small_k_tells_first_places_from_the_others(self) -> None:
        fused = fused_by_rank([[evidence(1), evidence(2), evidence(3)], [evidence(4), evidence(2)]], 1)
        assert [(item.passage.position, item.scores.fused) for item in fused] == [
            (2, pytest.approx(2 / 3)),
            (1, 0.5),
            (4, 0.5),
            (3, 0.25),
        ]

    async def test_what_found_a_passage_is_kept(self) -> None:
        found = await engine(Fixed(LISTS)).find(QUESTION)
        assert {item.passage.position: sorted(item.found_by) for item in found.evidence} == {
            1: ["1"], 2: ["1", "2"], 3: ["1"], 4: ["2"], 5: ["2"]
        }  # fmt: skip
        assert found.evidence[0].scores.fused == pytest.approx(2 / 62)

    async def test_the_order_of_the_search_counts_not_its_scores(self) -> None:
        part = SubQuestion(id=1, text="chunking")
        plan = Plan(question="q", parts=(part,), complexity="simple", reason="", decided_by="user")
        finding = Finding(part=part, question="chunking", evidence=(evidence(1, 0.1, "1"), evidence(2, 0.9, "1")))
        chosen = await RankFusion(options=Concepts()).select(plan, Look(), [finding], 5)
        assert (positions(chosen.evidence), chosen.considered) == ([1, 2], 2)


class TestSearching:
    async def test_each_concept_is_searched_for_plainly_and_the_question_is_not(self) -> None:
        retriever = Fixed(LISTS)
        found = await engine(retriever, top_k=3).find(QUESTION)
        assert sorted(retriever.asked) == [("chunking", 3), ("reranking", 3)]
        assert positions(found.evidence) == [2, 1, 4]
        assert (found.plan.strategy, found.notes, found.spent["searches"]) == ("concepts", (), 2)

    async def test_more_passages_than_usual_are_kept(self) -> None:
        wide = Fixed({"chunking": range(100), "reranking": range(100, 200)})
        assert len((await engine(wide, top_k=80).find(QUESTION, 200)).evidence) == 160

    async def test_the_list_of_the_question_joins_if_it_is_wanted(self) -> None:
        found = await engine(Fixed(LISTS), original=True).find(QUESTION)
        assert {item.passage.position: sorted(item.found_by) for item in found.evidence[:4]} == {
            1: ["1", "question"], 2: ["1", "2"], 4: ["2"], 6: ["question"]
        }  # fmt: skip

    async def test_a_simple_question_is_searched_for_as_it_stands(self) -> None:
        retriever = Fixed({"What is chunking?": (7, 8)})
        assert positions((await engine(retriever).find("What is chunking?")).evidence) == [7, 8]
        assert retriever.asked == [("What is chunking?", 10)]

    async def test_for_a_concept_that_is_late_the_question_stands_in(self) -> None:
        found = await engine(Fixed(LISTS, hanging=["reranking"]), seconds=0.02).find(QUESTION)
        assert positions(found.evidence) == [1, 6, 2, 3]
        assert found.notes == (
            "'reranking' was not found within 0.02 s; what the whole question finds stands in for it",
        )

    async def test_what_comes_late_but_before_its_stand_in_is_used(self) -> None:
        awake = asyncio.Event()

        class Waking(Fixed):
            """An embedder that starts when the third search is asked for."""

            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                if question == QUESTION:
                    awake.set()
                    await asyncio.sleep(0.05)
                await awake.wait()
                return await super().search(question, k, filter)

        found = await engine(Waking(LISTS), seconds=0.02).find(QUESTION)
        assert (positions(found.evidence), found.notes) == ([2, 1, 4, 3, 5], ())

    async def test_a_time_out_of_the_search_itself_is_the_failure_of_its_part(self) -> None:
        class Late(Fixed):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                if question == "reranking":
                    raise TimeoutError("the search server is slow")
                return await super().search(question, k, filter)

        answer = await engine(Late(LISTS)).ask(QUESTION)
        assert ["the search server is slow" in finding.error for finding in answer.findings] == [False, True]

    async def test_a_plan_that_is_given_is_carried_out(self) -> None:
        parts = (SubQuestion(id=1, text="chunking"), SubQuestion(id=2, text="x", role="compare", depends_on=(1,)))
        plan = Plan(question=QUESTION, parts=parts, complexity="composite", reason="", decided_by="user")
        answer = await engine(Fixed(LISTS)).ask(QUESTION, plan=plan)
        assert positions(answer.evidence) == [1, 2, 3]


class Backwards:
    """Rates what stands last best; the first it cannot rate."""

    name = "backwards"

    def __init__(self) -> None:
        self.calls = 0

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        assert question == QUESTION
        self.calls += 1
        return Rated(scores=tuple(place / 10 for place in range(len(evidence))), notes=("rated",))


class TestEffort:
    @pytest.mark.parametrize(
        ("effort", "expected"),
        [("keyless", []), ("fast", ["answer"]), ("standard", ["concepts", "answer"]), ("deep", ["concepts", "answer"])],
    )
    async def test_no_part_is_asked_about_by_itself(self, effort: str, expected: list[str]) -> None:
        model = ScriptedModel(named)
        answer = await engine(Fixed(LISTS), model, effort=effort).ask(QUESTION)
        assert [purpose for purpose in purposes(model) if purpose != "check"] == expected
        assert answer.spent["rounds"] == 1

    async def test_nothing_is_taken_apart_where_that_is_switched_off(self) -> None:
        asking = engine(Fixed(LISTS), model := ScriptedModel(named))
        found = await replace(asking, options=replace(asking.options, decompose=False)).find(QUESTION)
        assert (positions(found.evidence), model.requests) == ([6, 1], [])


class TestReranking:
    async def test_the_fused_list_is_put_into_order_once(self) -> None:
        reranker = Backwards()
        ranking = replace(engine(Fixed(LISTS), rerank=True), reranker=reranker)
        found = await ranking.retrieve(QUESTION, (2, 5))
        assert {places: positions(items) for places, items in found.items()} == {2: [5, 3], 5: [5, 3, 4, 1, 2]}
        assert reranker.calls == 1

    async def test_what_was_rated_is_told(self) -> None:
        found = await replace(engine(Fixed(LISTS), rerank=True), reranker=Backwards()).find(QUESTION, 1)
        assert [(item.evidence.passage.position, item.relevance) for item in found.judged] == [
            (5, 0.4), (3, 0.3), (4, 0.2), (1, 0.1), (2, 0.0)
        ]  # fmt: skip
        assert found.notes == ("rated",)

    async def test_a_language_model_scores_the_fused_list_where_it_is_to_rerank(self) -> None:
        scores = [{"passage": f"P{place}", "score": place} for place in range(1, 6)]
        model = ScriptedModel(lambda request: {"scores": scores} if request.purpose == "relevance" else named(request))
        asking = engine(Fixed(LISTS), model, rerank=True)
        found = await replace(asking, options=replace(asking.options, rerank="llm", rerank_weight=1.0)).find(QUESTION)
        assert (positions(found.evidence), found.notes) == ([5, 3, 4, 1, 2], ())
        assert purposes(model) == ["concepts", "relevance"]

    async def test_without_a_reranker_the_ranks_decide_and_a_note_says_so(self) -> None:
        found = await engine(Fixed(LISTS), rerank=True).find(QUESTION)
        assert positions(found.evidence) == [2, 1, 4, 3, 5]
        assert found.notes == (
            "the passages stand in the order of their ranks: there is no reranker; set one (rerank)",
        )

    async def test_a_reranker_that_is_there_is_not_used_unasked(self) -> None:
        found = await replace(engine(Fixed(LISTS)), reranker=Backwards()).find(QUESTION)
        assert positions(found.evidence) == [2, 1, 4, 3, 5]


class TestMadeUpPassages:
    async def test_they_are_searched_for_in_place_of_the_concepts(self) -> None:
        model, plain = ScriptedModel(named), Fixed(LISTS)
        meaning = Fixed({"a passage on chunking": (7,), "a passage on reranking": (8,)})
        asking = replace(engine(plain, model, hyde=True), meaning=meaning)
        assert positions((await asking.find(QUESTION)).evidence) == [7, 8]
        assert plain.asked == []
        assert purposes(model) == ["concepts", *(f"hypothetical passage on {concept}" for concept in TWO)]

    async def test_without_a_search_by_vectors_they_are_searched_for_as_they_stand(self) -> None:
        retriever = Fixed({"a passage on chunking": (7,), "a passage on reranking": (8,)})
        found = await engine(retriever, ScriptedModel(named), hyde=True).find(QUESTION)
        assert positions(found.evidence) == [7, 8]
        assert found.notes == ("there is no search by vectors alone: made-up passages were searched for as they stand",)

    @pytest.mark.parametrize("said", ["", ModelUnavailableError("the server is gone")])
    async def test_where_none_is_written_the_concept_itself_is_searched_for(self, said: Any) -> None:
        def answer(request: Request) -> Any:
            return named(request) if request.purpose == "concepts" else said

        asking = engine(Fixed(LISTS), ScriptedModel(answer), hyde=True)
        found = await replace(asking, meaning=Fixed({})).find(QUESTION)
        assert positions(found.evidence) == [2, 1, 4, 3, 5]
        why = str(said) or "the model wrote nothing on it"
        assert found.notes == tuple(f"{concept!r} itself was searched for: {why}" for concept in TWO)

    async def test_a_writer_that_hangs_costs_its_time_and_no_concept(self) -> None:
        class Slow(ScriptedModel):
            async def complete(self, request: Request) -> Any:
                if request.purpose.startswith("hypothetical"):
                    await asyncio.Event().wait()
                return await super().complete(request)

        found = await engine(Fixed(LISTS), Slow(named), hyde=True, hyde_seconds=0.02).find(QUESTION)
        assert positions(found.evidence) == [2, 1, 4, 3, 5]
        assert found.notes == tuple(
            f"{concept!r} itself was searched for: no passage on it was written within 0.02 s" for concept in TWO
        )


class Rare:
    """A lexicon in which every other word is common."""

    async def rarity(self, words: Sequence[str]) -> dict[str, float]:
        return {word: 5.0 if word.startswith("zebra") else 0.1 for word in words}


class TestFeedback:
    async def test_the_rare_words_of_the_first_passages_are_added(self) -> None:
        asked: list[str] = []

        async def search(question: str, k: int, filter: Filter | None) -> list[dict[str, Any]]:
            del k, filter
            asked.append(question)
            return [{"id": "one", "text": "Chunking of Zebras and other things"}]

        found = await replace(engine(search, hyde=True), lexicon=Rare()).find(QUESTION)
        assert asked[:2] == TWO
        assert [text.startswith(f"{concept} Zebras ") for concept, text in zip(TWO, asked[2:], strict=True)] == [
            True,
            True,
        ]
        assert "Chunking" not in asked[2].removeprefix("chunking")
        assert found.notes == ()

    async def test_where_rarity_is_not_known_a_note_says_so(self) -> None:
        found = await engine(Fixed(LISTS), hyde=True).find(QUESTION)
        assert positions(found.evidence) == [2, 1, 4, 3, 5]
        assert found.notes == ("no words were added to the concepts: it is not known how rare words are",)

    async def test_fast_leaves_the_model_to_the_answer(self) -> None:
        model = ScriptedModel(named)
        answer = await engine(Fixed(LISTS), model, effort="fast", hyde=True).ask(QUESTION)
        assert purposes(model) == ["answer"]
        assert [part.text for part in answer.plan.parts] == TWO


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of the notes."""
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with Library(Settings(library=folder / "library"), embedder=HashEmbedder()) as library:
        library.add([folder / f"{name}.md" for name in NOTES])
    return folder / "library"


@pytest.fixture
def notes(made: Path, tmp_path: Path) -> Path:
    """A copy of it, which remembers nothing."""
    return shutil.copytree(made, tmp_path / "copy")


@pytest.fixture
def library(notes: Path) -> Iterator[Library]:
    """That library, opened with the strategy."""
    with Library(Settings(library=notes, strategy="concepts"), embedder=HashEmbedder()) as opened:
        yield opened


class TestALibrary:
    def test_without_a_key(self, library: Library) -> None:
        plan = library.plan(QUESTION)
        assert (plan.strategy, [part.text for part in plan.parts]) == ("concepts", TWO)
        found = library.find(QUESTION, 2)
        assert {item.document.title for item in found.evidence} == {"Chunking", "Reranking"}
        answer = library.ask(QUESTION)
        assert {citation.title for citation in answer.citations} >= {"Chunking", "Reranking"}
        assert (answer.spent["llm_calls"], answer.spent["rounds"]) == (0, 1)

    def test_a_question_in_chinese(self, library: Library) -> None:
        found = library.find("Chunking和Reranking的区别是什么？", 2)
        assert [part.text for part in found.plan.parts] == ["Chunking", "Reranking"]
        assert {item.document.title for item in found.evidence} == {"Chunking", "Reranking"}

    def test_an_open_library_remembers_its_plans(self, notes: Path) -> None:
        model = ScriptedModel(named)
        models = Models(model=model, names={"generation": "scripted"})
        settings = Settings(library=notes, strategy="concepts")
        with Library(settings, embedder=HashEmbedder(), models=models) as library:
            assert [library.plan(text).reason for text in (QUESTION, QUESTION.lower())] == ["two techniques"] * 2
        assert purposes(model) == ["concepts"]

    @pytest.mark.parametrize("hyde", [False, True])
    def test_made_up_passages_are_searched_for_by_their_vectors(self, notes: Path, *, hyde: bool) -> None:
        def answer(request: Request) -> Any:
            return "rain in Bergen" if request.purpose.startswith("hypothetical") else named(request)

        settings = Settings(library=notes, strategy="concepts", concepts=Concepts(hyde=hyde))
        models = Models(model=ScriptedModel(answer), names={"generation": "scripted"})
        with Library(settings, embedder=HashEmbedder(), models=models) as library:
            found = library.find(QUESTION, 3)
        ranks = [(item.scores.vector_rank is not None, item.scores.keyword_rank is not None) for item in found.evidence]
        assert (set(ranks) == {(True, False)}) == hyde
        assert found.notes == ()


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
class TestCallsAndLevels:
    """Against a server, which sees what runs side by side."""

    @pytest.mark.parametrize(
        ("method", "hyde", "expected"),
        [("find", False, (1, 1)), ("ask", False, (2, 2)), ("find", True, (3, 2)), ("ask", True, (4, 3))],
    )
    def test_no_more_than_promised(self, notes: Path, method: str, hyde: Any, expected: tuple[int, int]) -> None:
        def answer(call: Call) -> Any:
            concepts = {"reason": "two techniques", "concepts": TWO}
            if "concepts" in (call.schema or {}).get("properties", {}):
                return concepts
            return "Chunking cuts [P1].\n\n=== PARTS ===\n1: answered\n2: answered" if call.schema is None else None

        with ScriptedServer(answer=answer, latency=0.05) as server:
            settings = Settings(
                library=notes, strategy="concepts", concepts=Concepts(hyde=hyde, seconds=30, hyde_seconds=30), llm_base_url=server.base_url,
                llm_model="scripted", effort="standard",
            )  # fmt: skip
            with Library(settings, embedder=HashEmbedder(), models=wiring_models.models(settings)) as library:
                getattr(library, method)(QUESTION)
            calls = [call for call in server.log if call.path.endswith("/chat/completions")]
            assert (len(calls), server.levels()) == expected
