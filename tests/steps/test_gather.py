"""Evidence for one question: by its words, within what it names, one mention further; with retrievers that misbehave."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.filters import Compare, Filter
from scholarmind.model import Document, Evidence, Found, Name, Passage, Scores
from scholarmind.ranking import key_of
from scholarmind.steps.gather import Gathered, Gathering
from scholarmind.steps.run_caches import Remembering

pytestmark = pytest.mark.anyio
BERT, GPT = Compare("called", "=", "bert"), Compare("called", "=", "gpt")


def evidence(position: int, fused: float = 0.5, *, document: str = "d", language: str = "", **legs: float) -> Evidence:
    """A passage that another search has marked as its own."""
    return Evidence(
        passage=Passage(text=f"text {position}", start=0, end=6, position=position, language=language),
        document=Document(id=document, title=""),
        scores=Scores(fused=fused, **legs),  # type: ignore[arg-type]
        found_by=frozenset(("somebody else",)),
    )


class Fixed:
    """Finds what it was given, by filter; knows the names it was given; links what it was given."""

    def __init__(
        self,
        found: Mapping[Filter | None, Sequence[Evidence]],
        names: Sequence[str] = (),
        linked: Sequence[Evidence] = (),
        notices: tuple[str, ...] = (),
    ) -> None:
        self.asked: list[tuple[str, Filter | None]] = []
        self.seeds: list[list[tuple[str, str, int]]] = []
        self._found, self._names, self._linked, self._notices = found, names, linked, notices

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        self.asked.append((question, filter))
        return Found(evidence=tuple(self._found.get(filter, ()))[:k], notices=self._notices)

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        self.seeds.append([key_of(seed) for seed in seeds])
        return Found(evidence=tuple(self._linked)[:k])

    async def names(self, texts: Sequence[str]) -> list[tuple[Name, ...]]:
        return [
            tuple(
                Name(text=name, start=start, end=start + len(name), field="title", value=name.lower(), documents=1)
                for name in self._names
                if (start := text.find(name)) >= 0
            )
            for text in texts
        ]


async def gathered(fixed: Fixed, question: str = "size", *, hop: bool = False, filters: bool = True) -> Gathered:
    """Gather for one row."""
    return await Gathering(retriever=fixed, names=fixed, links=fixed, now=2026, filters=filters).gather(
        question, "1", hop=hop
    )


def order(found: Gathered) -> list[int]:
    """Return the passages in their order."""
    return [item.passage.position for item in found.evidence]


class TestWide:
    async def test_the_order_of_one_search_stays_and_everything_is_marked_as_ours(self) -> None:
        fixed = Fixed({None: [evidence(3, 0.9), evidence(1, 0.8), evidence(2, 0.7)]}, notices=("by words only",))
        found = await gathered(fixed)
        assert order(found) == [3, 1, 2]
        assert {item.found_by for item in found.evidence} == {frozenset(("1",))}
        assert (found.notes, fixed.seeds) == (("by words only",), [])

    async def test_repeated_passages_count_once(self) -> None:
        twice = await gathered(Fixed({None: [evidence(3, 0.5), evidence(3, 0.2), evidence(1, 0.45), evidence(2, 0.1)]}))
        once = await gathered(Fixed({None: [evidence(3, 0.5), evidence(1, 0.45), evidence(2, 0.1)]}))
        assert twice == once

    @pytest.mark.parametrize(
        "scores",
        [
            (12.5, 7.0, 3.0, 0.5),
            (-0.1, -0.5, -0.9, -3.0),
            (1e300, 1.0, 0.5, 0.0),
            (9.0, 9.0, 9.0, 9.0),
            (float("inf"), 3.0, 2.0, 1.0),
            (float("nan"), 3.0, 2.0, 1.0),
        ],
        ids=str,
    )
    async def test_scores_on_any_scale_keep_their_order(self, scores: Sequence[float]) -> None:
        found = await gathered(Fixed({None: [evidence(9 - place, score) for place, score in enumerate(scores)]}))
        fused = [item.scores.fused for item in found.evidence]
        assert order(found) == [9, 8, 7, 6]
        assert 1 >= fused[0] > fused[1] > fused[2] >= fused[3] >= 0 or fused == sorted(fused, reverse=True)

    async def test_nothing(self) -> None:
        assert await gathered(Fixed({}), hop=True) == Gathered(evidence=())

    async def test_without_names_and_links(self) -> None:
        found = await Gathering(retriever=Fixed({None: [evidence(1)]})).gather("近3年 BERT", "1", hop=True)
        assert order(found) == [1]
        assert found.notes == ("a filter on 'the time asked for' found nothing and was dropped",)


class TestWithinNames:
    async def test_what_is_named_comes_first(self) -> None:
        fixed = Fixed({None: [evidence(1, 1.0), evidence(2, 0.9)], BERT: [evidence(5, 0.8, document="bert")]}, ["BERT"])
        found = await gathered(fixed, "size of BERT")
        assert order(found) == [5, 1, 2]
        assert fixed.asked == [("size of BERT", None), ("size of", BERT)]
        assert [name.text for name in found.names] == ["BERT"]
        assert found.notes == ()

    async def test_a_filter_that_finds_nothing_is_dropped_and_told(self) -> None:
        found = await gathered(Fixed({None: [evidence(1)]}, ["BERT"]), "size of BERT")
        assert (order(found), found.notes) == ([1], ("a filter on 'BERT' found nothing and was dropped",))

    async def test_a_filter_that_finds_nothing_is_loosened_and_told(self) -> None:
        fixed = Fixed({None: [evidence(1)], BERT: [evidence(5, document="bert")]}, ["BERT"])
        found = await gathered(fixed, "size of BERT since 2024")
        assert order(found) == [5, 1]
        assert found.notes == ("a filter on 'BERT' found nothing and was loosened",)

    async def test_filters_can_be_switched_off(self) -> None:
        fixed = Fixed({None: [evidence(1)], BERT: [evidence(5)]}, ["BERT"])
        assert order(await gathered(fixed, "size of BERT", filters=False)) == [1]

    async def test_a_passage_within_two_names_is_raised_once(self) -> None:
        both = evidence(1, 0.4, document="both")
        single = {None: [both, evidence(2, 0.3)], BERT: [both], GPT: [evidence(7, 0.1)]}
        double = {**single, GPT: [both, evidence(7, 0.1)]}
        first, second = [
            {
                item.passage.position: item.scores.fused
                for item in (await gathered(Fixed(found, ["BERT", "GPT"]), "BERT or GPT size")).evidence
            }
            for found in (single, double)
        ]
        assert first == second

    async def test_the_order_of_the_names_changes_nothing(self) -> None:
        found = {
            None: [evidence(1, 0.9)],
            BERT: [evidence(1, 0.2), evidence(3, 0.9)],
            GPT: [evidence(1, 0.8), evidence(4, 0.9)],
        }
        first = await gathered(Fixed(found, ["BERT", "GPT"]), "BERT GPT size")
        second = await gathered(Fixed(found, ["GPT", "BERT"]), "GPT BERT size")
        assert first.evidence == second.evidence


class TestOneMentionOn:
    async def test_linked_passages_rise_by_what_they_say(self) -> None:
        wide = [evidence(n, 1 - n / 10, vector=1 - n / 10, keyword=10.0 - n) for n in range(10)]
        linked = [evidence(20, vector=0.9, keyword=9.0), evidence(21, vector=0.1, keyword=1.0)]
        fixed = Fixed({None: wide}, linked=linked)
        found = await gathered(fixed, hop=True)
        assert order(found)[:3] == [0, 1, 20]
        assert order(found).index(21) > 3
        assert fixed.seeds == [[("default", "d", 0), ("default", "d", 1)]]

    async def test_seeds_are_the_best_of_each_name_first_and_each_once(self) -> None:
        fixed = Fixed({None: [evidence(5), evidence(2)], BERT: [evidence(5)], GPT: [evidence(6)]}, ["BERT", "GPT"])
        await gathered(fixed, "BERT GPT size", hop=True)
        assert fixed.seeds == [[("default", "d", 5), ("default", "d", 6), ("default", "d", 2)]]

    async def test_nothing_found_links_nothing(self) -> None:
        fixed = Fixed({}, linked=[evidence(1)])
        assert (await gathered(fixed, hop=True), fixed.seeds) == (Gathered(evidence=()), [])

    async def test_repeated_links_count_once(self) -> None:
        wide = [evidence(n, 1 - n / 5, keyword=5.0 - n) for n in range(5)]
        once = await gathered(Fixed({None: wide}, linked=[evidence(9, keyword=2.0)]), hop=True)
        thrice = await gathered(Fixed({None: wide}, linked=[evidence(9, keyword=2.0)] * 3), hop=True)
        assert once == thrice


class TestLanguages:
    async def test_equals_in_the_language_of_the_question_come_first(self) -> None:
        wide = [evidence(n, 0.9, language=language) for n, language in enumerate(["", "", "zh", "en", ""])]
        english = order(await gathered(Fixed({None: wide}), "What is the size of it?"))
        chinese = order(await gathered(Fixed({None: wide}), "它有多大？"))
        assert english.index(3) < english.index(2)
        assert chinese.index(2) < chinese.index(3)


class TestRetrieversThatMisbehave:
    async def test_one_that_raises_while_another_hangs_leaves_nothing_running(self) -> None:
        class Failing(Fixed):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                if filter is None:
                    raise LookupError("no index")
                await asyncio.Event().wait()
                return Found(evidence=())

        before = asyncio.all_tasks()
        fixed = Failing({}, ["BERT"])
        memory = Remembering(fixed)
        with pytest.raises(LookupError, match="no index"):
            await Gathering(retriever=memory, names=fixed).gather("size of BERT", "1", hop=True)
        await memory.close()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    async def test_one_that_hangs_can_be_given_up(self) -> None:
        class Hanging(Fixed):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                await asyncio.Event().wait()
                return Found(evidence=())

        before = asyncio.all_tasks()
        memory = Remembering(Hanging({}))
        task = asyncio.create_task(Gathering(retriever=memory).gather("size", "1", hop=True))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await memory.close()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    async def test_the_searches_of_a_question_run_side_by_side(self) -> None:
        running = 0
        most = 0

        class Slow(Fixed):
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                nonlocal running, most
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1
                return await super().search(question, k, filter)

        fixed = Slow({None: [evidence(1)], BERT: [evidence(2)], GPT: [evidence(3)]}, ["BERT", "GPT"])
        await Gathering(retriever=fixed, names=fixed).gather("BERT GPT size", "1", hop=False)
        assert most == 3

    async def test_a_question_of_20_000_characters_takes_a_handful_of_searches(self) -> None:
        text = ("Is BERT since 2020 larger than GPT? " * 600)[:20_000]
        fixed = Fixed({None: [evidence(1)]}, ["BERT", "GPT"])
        await gathered(fixed, text, hop=True)
        assert len(fixed.asked) <= 1 + 2 * 4


ITEMS = st.lists(
    st.builds(
        evidence,
        st.integers(0, 9),
        st.floats(0, 1) | st.floats(-5, 50) | st.floats(),
        document=st.sampled_from("de"),
        language=st.sampled_from(["", "en", "zh"]),
        vector=st.floats(-1, 1),
    ),
    max_size=10,
)


class TestAnyEvidence:
    @settings(max_examples=300, deadline=None)
    @given(
        wide=ITEMS,
        bert=ITEMS,
        gpt=ITEMS,
        linked=ITEMS,
        question=st.sampled_from(["", "BERT", "GPT 2020-2021 BERT", "近3年 GPT", "🤖"]),
    )
    def test_each_passage_once_between_0_and_1_best_first(
        self, wide: Any, bert: Any, gpt: Any, linked: Any, question: str
    ) -> None:
        def gather() -> Gathered:
            return asyncio.run(
                gathered(Fixed({None: wide, BERT: bert, GPT: gpt}, ["BERT", "GPT"], linked), question, hop=True)
            )

        found = gather()
        keys = [key_of(item) for item in found.evidence]
        scores = [item.scores.fused for item in found.evidence]
        assert len(keys) == len(set(keys))
        assert {key_of(item) for item in wide} <= set(keys)
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert repr(found) == repr(gather())
