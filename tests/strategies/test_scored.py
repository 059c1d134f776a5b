"""The strategy `scored`: sub-questions, similarity on absolute scales, scores by a model, and what each parameter does."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from scholarmind import Engine, Filter, Options, connect
from scholarmind.answer import Retrieved
from scholarmind.calls import Budget, LanguageModel, Request
from scholarmind.errors import ModelUnavailableError, SettingsError
from scholarmind.filters import AnyOf, Compare
from scholarmind.llm.language_models import Models
from scholarmind.model import Judged
from scholarmind.steps.options import PRESETS, Scored
from scholarmind.steps.search_function import SearchFunction
from scholarmind.testing import Call, ScriptedModel, ScriptedServer

pytestmark = pytest.mark.anyio
QUESTION = "Who proposed BERT, and who proposed GPT-2?"
BERT, GPT = "Who proposed BERT?", "Who proposed GPT-2?"
COSINES: dict[str, dict[str, float]] = {  # by what is asked: each passage's
    BERT: {"a": 0.75, "b": 0.6, "c": 0.1},
    GPT: {"b": 0.8, "d": 0.5},
    QUESTION: {"a": 0.7, "d": 0.65},
}
SCORES = {"a": 8, "b": 10, "d": 2}
PASSAGE = re.compile(r"<passage \w+ (P\d+)> (\w+)")
OWN_SPLIT = "Take {original_query} apart into {max_count} for our archive."
OWN_RATING = "Rate {chunk_text} for {query}."


class Source:
    """Somebody's own search with absolute scores; it remembers what it was asked."""

    def __init__(self, cosines: Mapping[str, Mapping[str, float]] = COSINES) -> None:
        self.asked: list[tuple[str, int, Filter | None]] = []
        self._cosines = cosines

    async def __call__(self, question: str, k: int, filter: Filter | None) -> Iterable[Any]:
        self.asked.append((question, k, filter))
        found = self._cosines.get(question, self._cosines[QUESTION])
        return [{"id": id, "title": id, "text": f"passage {id}", "score": score} for id, score in found.items()]


def reply(request: Request) -> Any:
    """Take apart, score, and write, as is asked."""
    shown = PASSAGE.findall("\n".join(message.text for message in request.messages))
    if request.purpose == "plan":
        return {"reason": "two makers", "sub_questions": [BERT, GPT]}
    if request.purpose == "relevance":
        scores = [{"passage": key, "reason": f"direct: {id}", "score": SCORES[id]} for key, id in shown]
        return scores[0] if request.prompt.startswith("custom") else {"scores": scores}
    return "Passage a [P1].\n=== PARTS ===\n1: answered\n2: answered"


def engine(model: LanguageModel | None = None, source: SearchFunction | None = None, **scored: Any) -> Engine:
    """Return an engine that compares by the source's scores alone, unless told otherwise."""
    chosen = Scored(**{"keywords_similarity_weight": 0.0, **scored})
    models = None if model is None else Models(model=model, names={"generation": "scripted"})
    return Engine(retriever=source or Source(), models=models, options=Options(strategy="scored", scored=chosen))


async def found(model: ScriptedModel | None = None, **scored: Any) -> Retrieved:
    """Retrieve for the question with a model that behaves well."""
    return await engine(model or ScriptedModel(reply), **scored).find(QUESTION)


def ids(retrieved: Retrieved) -> list[str]:
    """Return what was kept, in order."""
    return [item.document.id for item in retrieved.evidence]


def by_id(retrieved: Retrieved) -> dict[str, Judged]:
    """Return what was scored."""
    return {item.evidence.document.id: item for item in retrieved.judged}


def texts(retrieved: Retrieved) -> list[str]:
    """Return the sub-questions."""
    return [part.text for part in retrieved.plan.parts]


class Watched:
    """Counts how much of each kind runs at once."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self._now: dict[str, int] = {}

    async def during(self, kind: str) -> None:
        self._now[kind] = self._now.get(kind, 0) + 1
        self.most[kind] = max(self.most.get(kind, 0), self._now[kind])
        await asyncio.sleep(0.01)
        self._now[kind] -= 1

    async def search(self, question: str, k: int, filter: Filter | None) -> Iterable[Any]:
        await self.during("search" if question != QUESTION else "first look")
        return await Source()(question, k, filter)


class WatchedModel(ScriptedModel):
    def __init__(self, watched: Watched) -> None:
        super().__init__(reply)
        self._watched = watched

    async def complete(self, request: Request) -> Any:
        await self._watched.during(request.purpose)
        return await super().complete(request)


class TestArithmetic:
    async def test_eight_of_ten_and_three_quarters_make_785(self) -> None:
        judged = by_id(await found())["a"]
        assert (judged.relevance, judged.similarity) == (0.8, 0.75)
        assert judged.evidence.scores.fused == pytest.approx(0.785)

    async def test_a_passage_that_two_sub_questions_find_has_the_mean_of_both(self) -> None:
        judged = by_id(await found())["b"]
        assert judged.similarity == pytest.approx(0.7)
        assert judged.best == 0.8
        assert judged.evidence.scores.fused == pytest.approx(0.7 * 1.0 + 0.3 * 0.7)
        assert judged.asked == (BERT, GPT)
        assert judged.evidence.found_by == {"1", "2"}

    async def test_the_final_score_alone_makes_the_order(self) -> None:
        retrieved = await found()
        assert ids(retrieved) == ["b", "a", "d"]
        assert [item.evidence for item in retrieved.judged] == list(retrieved.evidence)
        assert [item.reason for item in retrieved.judged] == ["direct: b", "direct: a", "direct: d"]

    async def test_equals_stay_in_the_order_in_which_they_were_found(self) -> None:
        source = Source({BERT: {"z": 0.5, "y": 0.5}, GPT: {"x": 0.5}, QUESTION: {}})
        model = ScriptedModel(
            lambda request: ModelUnavailableError("down") if request.purpose != "plan" else reply(request)
        )
        assert ids(await engine(model, source).find(QUESTION)) == ["z", "y", "x"]

    async def test_words_and_meaning_are_weighed(self) -> None:
        source = Source({BERT: {"bert": 0.5, "c": 0.5}, GPT: {}, QUESTION: {}})
        model = ScriptedModel(
            lambda request: ModelUnavailableError("down") if request.purpose != "plan" else reply(request)
        )
        retrieved = await engine(model, source, keywords_similarity_weight=0.4).find(QUESTION)
        similarities = {id: item.similarity for id, item in by_id(retrieved).items()}
        assert similarities == pytest.approx({"bert": 0.4 * 1 / 2 + 0.6 * 0.5, "c": 0.6 * 0.5})


class TestParameters:
    async def test_without_decomposition_the_question_is_searched_for_as_it_stands(self) -> None:
        source, model = Source(), ScriptedModel(reply)
        retrieved = await engine(model, source, enable_decomposition=False).find(QUESTION)
        assert [asked for asked, *_ in source.asked] == [QUESTION]
        assert [request.purpose for request in model.requests] == ["relevance"]
        assert texts(retrieved) == [QUESTION]

    @pytest.mark.parametrize(
        ("most", "expected"), [(1, [QUESTION]), (2, [BERT, GPT]), (4, [BERT, GPT, "Three?", "Four?"])]
    )
    async def test_there_are_never_more_sub_questions_than_that(self, most: int, expected: list[str]) -> None:
        many = [BERT, GPT, "Three?", "Four?", "Five?"]
        model = ScriptedModel(lambda request: {"sub_questions": many} if request.purpose == "plan" else reply(request))
        assert texts(await found(model, max_decomposition_count=most)) == expected

    @pytest.mark.parametrize(("weight", "expected"), [(1, 0.8), (0.7, 0.785), (0, 0.75)])
    async def test_the_weight_is_that_of_the_models_score(self, weight: float, expected: float) -> None:
        final = by_id(await found(score_fusion_weight=weight))["a"].evidence.scores.fused
        assert final == pytest.approx(expected)

    @pytest.mark.parametrize(("concurrent", "searches", "calls"), [(True, 2, 3), (False, 1, 1)])
    async def test_searches_and_batches_run_side_by_side_or_in_turn(
        self, concurrent: bool, searches: int, calls: int
    ) -> None:
        watched = Watched()
        asking = engine(WatchedModel(watched), watched.search, enable_concurrency=concurrent, batch=1)
        await asking.find(QUESTION)
        assert (watched.most["search"], watched.most["relevance"]) == (searches, calls)

    async def test_a_decomposition_prompt_of_ones_own_takes_the_place_of_ours(self) -> None:
        model = ScriptedModel(reply)
        assert texts(await found(model, decomposition_prompt=OWN_SPLIT)) == [BERT, GPT]
        assert model.requests[0].messages[1].text == f"Take {QUESTION} apart into 2 for our archive."

    async def test_a_reranking_prompt_of_ones_own_is_asked_for_each_passage(self) -> None:
        model = ScriptedModel(reply)
        retrieved = await found(model, reranking_prompt=OWN_RATING)
        asked = [request.messages[1].text for request in model.requests if request.purpose == "relevance"]
        assert len(asked) == 3
        assert all(text.startswith("Rate <passage ") and text.endswith(f" for {QUESTION}.") for text in asked)
        assert ids(retrieved) == ["b", "a", "d"]

    @pytest.mark.parametrize(("settings", "calls"), [({}, 1), ({"per_passage": True}, 3), ({"batch": 2}, 2)])
    async def test_one_call_scores_a_batch_or_a_passage(self, settings: dict[str, Any], calls: int) -> None:
        model = ScriptedModel(reply)
        assert ids(await found(model, **settings)) == ["b", "a", "d"]
        assert [request.purpose for request in model.requests].count("relevance") == calls

    @pytest.mark.parametrize(("count", "expected"), [(1, ["b"]), (2, ["b", "a"]), (8, ["b", "a", "d"])])
    async def test_so_many_are_kept(self, count: int, expected: list[str]) -> None:
        retrieved = await found(top_n=count)
        assert ids(retrieved) == expected
        assert len(retrieved.judged) == 3

    async def test_a_search_that_asks_for_a_number_of_places_gets_it(self) -> None:
        assert ids(await engine(ScriptedModel(reply), top_n=1).find(QUESTION, 2)) == ["b", "a"]

    async def test_so_many_candidates_are_asked_for_with_each_sub_question(self) -> None:
        source = Source()
        await engine(ScriptedModel(reply), source, top_k=7).find(QUESTION)
        assert {(asked, k) for asked, k, _ in source.asked} >= {(BERT, 7), (GPT, 7)}

    @pytest.mark.parametrize(("limit", "expected"), [(0, "a b c d"), (0.2, "a b d"), (0.6, "a b"), (0.9, "")])
    async def test_the_threshold_filters_what_is_scored_at_all(self, limit: float, expected: str) -> None:
        model = ScriptedModel(
            lambda request: reply(request) if request.purpose == "plan" else ModelUnavailableError("down")
        )
        retrieved = await found(model, similarity_threshold=limit)
        assert sorted(by_id(retrieved)) == expected.split()

    async def test_the_threshold_does_not_filter_the_final_score(self) -> None:
        retrieved = await found(similarity_threshold=0.5)
        final = by_id(retrieved)["d"].evidence.scores.fused
        assert final == pytest.approx(0.7 * 0.2 + 0.3 * 0.5)
        assert "d" in ids(retrieved)

    async def test_a_sub_question_of_which_nothing_is_left_is_told(self) -> None:
        retrieved = await found(similarity_threshold=0.78)
        assert retrieved.notes == (
            "nothing that was found for 'Who proposed BERT?' is similar enough: 0.75 at best, similarity_threshold is 0.78",
        )

    @pytest.mark.parametrize(
        ("names", "filter"),
        [
            ((), None),
            (("one",), Compare("collection", "=", "one")),
            (("one", "two"), AnyOf((Compare("collection", "=", "one"), Compare("collection", "=", "two")))),
        ],
    )
    async def test_only_the_collections_that_are_named_are_searched(
        self, names: tuple[str, ...], filter: Filter | None
    ) -> None:
        source = Source()
        await engine(ScriptedModel(reply), source, collections=names).find(QUESTION)
        assert {within for asked, _, within in source.asked if asked in {BERT, GPT}} == {filter}

    async def test_collections_in_which_nothing_at_all_is_found_are_told(self) -> None:
        async def search(question: str, k: int, filter: Filter | None) -> list[str]:
            return [] if filter else [f"{question} {k}"]

        options = Options(strategy="scored", scored=Scored(collections=("one", "tow")))
        retrieved = await Engine(retriever=search, options=options).find(QUESTION)
        told = "nothing at all was found within scored.collections = 'one', 'tow': is that how they are written?"
        assert retrieved.notes == (told,)

    @pytest.mark.parametrize(
        ("name", "value", "within"),
        [
            ("max_decomposition_count", 0, "1 and 10"),
            ("max_decomposition_count", 11, "1 and 10"),
            ("score_fusion_weight", -0.1, "0 and 1"),
            ("score_fusion_weight", 1.1, "0 and 1"),
            ("score_fusion_weight", float("nan"), "0 and 1"),
            ("batch", 0, "1 and 16"),
            ("batch", 17, "1 and 16"),
            ("top_n", 0, "1 and 1024"),
            ("top_n", 1025, "1 and 1024"),
            ("top_k", 0, "1 and 1024"),
            ("top_k", 1025, "1 and 1024"),
            ("similarity_threshold", -1, "0 and 1"),
            ("similarity_threshold", 1.01, "0 and 1"),
            ("keywords_similarity_weight", -1, "0 and 1"),
            ("keywords_similarity_weight", 2, "0 and 1"),
        ],
    )
    def test_a_value_out_of_range_is_an_error_that_names_the_range(self, name: str, value: Any, within: str) -> None:
        with pytest.raises(SettingsError) as told:
            Scored(**{name: value})
        assert str(told.value) == f"scored.{name} = {value!r} is not between {within}"

    @pytest.mark.parametrize("name", ["max_decomposition_count", "batch", "top_n", "top_k"])
    def test_a_count_is_a_whole_number(self, name: str) -> None:
        with pytest.raises(SettingsError, match=rf"scored\.{name} = 2\.5 is no whole number"):
            Scored(**{name: 2.5})

    @pytest.mark.parametrize(
        ("name", "text", "lacking"),
        [
            ("decomposition_prompt", "Split {original_query}", "{max_count}"),
            ("decomposition_prompt", "Split", "{original_query} and {max_count}"),
            ("reranking_prompt", "Rate {chunk_text}", "{query}"),
            ("reranking_prompt", "Rate {query}", "{chunk_text}"),
        ],
    )
    def test_a_prompt_that_lacks_a_placeholder_is_an_error(self, name: str, text: str, lacking: str) -> None:
        with pytest.raises(SettingsError) as told:
            Scored(**{name: text})
        assert str(told.value) == f"scored.{name} lacks {lacking}, without which it cannot work"


class TestPresets:
    @pytest.mark.parametrize(
        ("preset", "weight", "threshold", "most", "kept"),
        [
            ("precision", 0.9, 0.3, 3, 5),
            ("recall", 0.3, 0.1, 3, 15),
            ("balanced", 0.7, 0.2, 3, 8),
            ("research", 0.9, 0.2, 4, 10),
            ("fast", 0.7, 0.2, 2, 5),
        ],
    )
    def test_their_values(self, preset: Any, weight: float, threshold: float, most: int, kept: int) -> None:
        made = Scored.of(preset)
        assert (made.score_fusion_weight, made.similarity_threshold) == (weight, threshold)
        assert (made.max_decomposition_count, made.top_n) == (most, kept)

    def test_balanced_is_the_default(self) -> None:
        assert replace(Scored.of("balanced"), preset="") == Scored()

    def test_what_is_given_beside_one_comes_first(self) -> None:
        made = Scored.of("precision", top_n=3)
        assert (made.top_n, made.score_fusion_weight) == (3, 0.9)

    def test_one_whose_values_are_all_given_is_none(self) -> None:
        assert Scored.of("fast", **dict.fromkeys(PRESETS["fast"], 3)).preset == ""

    def test_a_name_without_its_values_is_an_error(self) -> None:
        with pytest.raises(SettingsError, match=r"write Scored\.of\('precision'\)"):
            Scored(preset="precision")

    def test_an_unknown_one_is_an_error(self) -> None:
        with pytest.raises(SettingsError, match="'best' is not one of precision, recall"):
            Scored.of("best")  # type: ignore[arg-type]


class TestCalls:
    @pytest.mark.parametrize(("unique", "batches"), [(1, 1), (16, 1), (17, 2), (40, 3)])
    async def test_one_call_takes_apart_and_one_scores_sixteen(self, unique: int, batches: int) -> None:
        model = ScriptedModel(lambda request: reply(request) if request.purpose == "plan" else None)
        source = Source({BERT: {f"p{n}": 0.5 for n in range(unique)}, GPT: {"p0": 0.9}, QUESTION: {}})
        await engine(model, source).find(QUESTION)
        assert [request.purpose for request in model.requests] == ["plan"] + ["relevance"] * batches

    @pytest.mark.allow_hosts(["127.0.0.1"])
    @pytest.mark.enable_socket
    async def test_the_batches_of_all_passages_are_one_level(self) -> None:
        source = Source({BERT: {f"p{n}": 0.5 for n in range(40)}, GPT: {"p0": 0.9}, QUESTION: {}})

        def answer(call: Call) -> Any:
            wanted = (call.schema or {}).get("properties", {})
            return {"sub_questions": [BERT, GPT]} if "sub_questions" in wanted else None

        with ScriptedServer(answer=answer, latency=0.05) as server:
            models = connect(server.base_url + "#scripted")
            asking = replace(engine(source=source), models=models)
            await asking.find(QUESTION)
            assert (len(server.log), server.levels()) == (1 + 3, 2)
            server.clear()
            await asking.ask(QUESTION)
            assert (len(server.log), server.levels()) == (1 + 3 + 1, 3)
            await models.close()

    async def test_select_is_asked_twice_and_scores_once(self) -> None:
        model = ScriptedModel(reply)
        ranked = await engine(model).retrieve(QUESTION, (1, 2, 3))
        assert [request.purpose for request in model.requests] == ["plan", "relevance"]
        assert [item.document.id for item in ranked[3]] == ["b", "a", "d"]

    async def test_an_answer_takes_one_more_and_rests_on_what_was_kept(self) -> None:
        model = ScriptedModel(reply)
        answer = await engine(model, top_n=2).ask(QUESTION)
        assert [request.purpose for request in model.requests] == ["plan", "relevance", "answer"]
        assert [item.document.id for item in answer.evidence] == ["b", "a"]
        assert [item.evidence.document.id for item in answer.judged] == ["b", "a", "d"]

    @pytest.mark.parametrize(("calls", "asked"), [(1, ["plan"]), (2, ["plan", "relevance"])])
    async def test_where_nothing_is_written_the_whole_budget_is_for_finding(self, calls: int, asked: list[str]) -> None:
        model = ScriptedModel(reply)
        limited = engine(model)
        limited = replace(limited, options=replace(limited.options, budget=Budget(calls=calls)))
        await limited.find(QUESTION)
        assert [request.purpose for request in model.requests] == asked

    async def test_a_simple_question_is_not_taken_apart(self) -> None:
        model = ScriptedModel(reply)
        retrieved = await engine(model).find("What is BERT?")
        assert [request.purpose for request in model.requests] == ["relevance"]
        assert texts(retrieved) == ["What is BERT?"]
        assert retrieved.plan.strategy == "scored"

    @pytest.mark.parametrize("effort", ["keyless", "fast"])
    async def test_with_little_effort_rules_take_apart_and_score(self, effort: Any) -> None:
        model = ScriptedModel(reply)
        asking = engine(model)
        retrieved = await replace(asking, options=replace(asking.options, effort=effort)).find(QUESTION)
        assert model.requests == []
        assert texts(retrieved) == [BERT, GPT]
        assert retrieved.notes == ("no language model scored the passages: they are in the order of their similarity",)


class TestFailures:
    async def test_what_is_not_scored_keeps_its_similarity_and_says_so(self) -> None:
        def without_a(request: Request) -> Any:
            if request.purpose == "plan":
                return reply(request)
            scores = [one for one in reply(request)["scores"] if "direct: a" not in one["reason"]]
            return {"scores": scores}

        retrieved = await found(ScriptedModel(without_a))
        judged = by_id(retrieved)["a"]
        assert (judged.relevance, judged.evidence.scores.fused) == (None, 0.75)
        assert retrieved.notes == (
            "1 of 3 passages were not scored: the model gave no score",
            "1 of 3 passages keep their similarity as their score",
        )

    async def test_without_a_score_at_all_the_similarity_makes_the_order(self) -> None:
        model = ScriptedModel(
            lambda request: reply(request) if request.purpose == "plan" else ModelUnavailableError("down")
        )
        retrieved = await found(model)
        assert ids(retrieved) == ["a", "b", "d"]
        assert retrieved.notes == (
            "3 of 3 passages were not scored: down",
            "3 of 3 passages keep their similarity as their score",
        )

    async def test_rules_take_apart_where_the_model_does_not(self) -> None:
        model = ScriptedModel(
            lambda request: ModelUnavailableError("down") if request.purpose == "plan" else reply(request)
        )
        retrieved = await found(model)
        assert (texts(retrieved), retrieved.plan.decided_by) == ([BERT, GPT], "rules")
        assert retrieved.notes == ("the sub-questions were made by rules: down",)

    @pytest.mark.parametrize(
        ("given", "kept", "told"),
        [
            ([BERT, BERT.upper(), GPT], [BERT, GPT], "asked for 2 sub-questions and gave 3, of which 2 can be used"),
            ([BERT, "Who wrote #1?"], [QUESTION], "asked for 2 sub-questions and gave 2, of which 1 can be used"),
            ([BERT], [QUESTION], "asked for 2 sub-questions and gave 1, of which 1 can be used"),
            (["", " "], [QUESTION], "asked for 2 sub-questions and gave 2, of which 0 can be used"),
        ],
    )
    async def test_a_wrong_number_of_sub_questions_is_told(self, given: list[str], kept: list[str], told: str) -> None:
        model = ScriptedModel(lambda request: {"sub_questions": given} if request.purpose == "plan" else reply(request))
        retrieved = await found(model)
        assert texts(retrieved) == kept
        assert retrieved.notes == (f"the model was {told}",)

    async def test_a_budget_that_is_spent_costs_the_scores_and_not_the_passages(self) -> None:
        asking = engine(ScriptedModel(reply))
        options = replace(asking.options, budget=Budget(calls=1))
        retrieved = await replace(asking, options=options).find(QUESTION)
        assert ids(retrieved) == ["a", "b", "d"]
        assert retrieved.notes[-1] == "3 of 3 passages keep their similarity as their score"
