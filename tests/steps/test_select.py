"""Places for every row, the best of all for the rest, and no passage twice."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ranking import key_of
from scholarmind.steps.select import QUESTION, select
from scholarmind.text.analysis import terms

Lists = Mapping[str, Sequence[Evidence]]
HOW = ("coverage", "rrf", "original-only")


def passage(position: int, fused: float, by: str, text: str = "", document: str = "d") -> Evidence:
    """A passage that says something of its own unless told otherwise."""
    text = text or f"word{position}{document} stands alone{position}{document} here{position}{document}"
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=position),
        document=Document(id=document, title=""),
        scores=Scores(fused=fused),
        found_by=frozenset((by,)),
    )


def ranked(by: str, *positions: int, best: float = 0.9, step: float = 0.01) -> list[Evidence]:
    """A list in which each passage is a little worse than the one before."""
    return [passage(position, best - place * step, by) for place, position in enumerate(positions)]


def positions(found: Sequence[Evidence]) -> list[int]:
    """Return which passages were chosen."""
    return [item.passage.position for item in found]


class TestCoverage:
    def test_a_weak_row_keeps_its_places(self) -> None:
        lists = {
            QUESTION: ranked("question", *range(20)),
            "1": ranked("1", *range(20, 40)),
            "2": ranked("2", 50, 51, best=0.1),
        }
        found = select(lists, 5)
        assert sorted(positions(found)) == [0, 20, 21, 50, 51]
        assert sorted(positions(select(lists, 5, reserve=False))) == [0, 1, 2, 20, 21]

    def test_what_answers_the_question_too_comes_first(self) -> None:
        lists = {QUESTION: ranked("question", 3, 2), "1": ranked("1", 1, 2), "2": ranked("2", 3, 4, best=0.95)}
        assert positions(select(lists, 10)) == [3, 2, 4, 1]

    def test_more_rows_than_places_make_places(self) -> None:
        lists = {
            QUESTION: ranked("question", 0),
            **{str(row): ranked(str(row), row, best=0.01 * row) for row in range(1, 9)},
        }
        assert sorted(positions(select(lists, 3))) == list(range(1, 9))

    def test_a_passage_that_two_rows_found_takes_one_place_and_tells_both(self) -> None:
        lists = {QUESTION: [], "1": ranked("1", 7, 1), "2": ranked("2", 7, 2, best=0.95)}
        found = select(lists, 3)
        assert positions(found) == [7, 2, 1]
        assert (found[0].found_by, found[0].scores.fused) == (frozenset("12"), 0.95)

    def test_near_duplicates_take_one_place(self) -> None:
        text = " ".join(f"term{number}" for number in range(40))
        lists = {
            QUESTION: [],
            "1": [passage(1, 0.9, "1", text), passage(2, 0.8, "1", f"{text} more"), passage(3, 0.1, "1")],
            "2": [passage(9, 0.7, "2", f"{text} else", document="copy"), passage(4, 0.05, "2")],
        }
        assert positions(select(lists, 10)) == [1, 3, 4]

    def test_texts_without_words_are_no_duplicates(self) -> None:
        lists = {QUESTION: [], "1": [passage(1, 0.9, "1", "?!"), passage(2, 0.8, "1", "…")]}
        assert positions(select(lists, 10)) == [1, 2]

    def test_the_best_come_first_and_equals_by_their_place(self) -> None:
        lists = {QUESTION: [], "1": [passage(3, 0.5, "1"), passage(1, 0.5, "1"), passage(2, 0.7, "1")]}
        assert positions(select(lists, 10)) == [2, 1, 3]

    @pytest.mark.parametrize("how", HOW)
    def test_nothing_to_choose_from(self, how: str) -> None:
        assert select({}, 10, how) == select({QUESTION: [], "1": []}, 10, how) == ()  # type: ignore[arg-type]


OVERLAPPING: Lists = {
    QUESTION: [*ranked("question", 1, 2, 3), passage(1, 0.5, "question")],
    "1": ranked("1", 3, 4),
    "2": ranked("2", 5, 4, 5, 5, 5),
}


class TestOthers:
    def test_original_only(self) -> None:
        found = select(OVERLAPPING, 10, "original-only")
        assert positions(found) == [1, 2, 3]
        assert found[2].found_by == frozenset(("question", "1"))

    def test_rank_fusion_counts_a_passage_once_a_list(self) -> None:
        # 3: 1/63 + 1/61, 4: 1/62 + 1/62, 1 and 5: 1/61 however often it is repeated
        assert positions(select(OVERLAPPING, 10, "rrf")) == [3, 4, 1, 5, 2]
        assert positions(select(OVERLAPPING, 2, "rrf")) == [3, 4]


@st.composite
def any_lists(draw: st.DrawFn) -> Lists:
    """Lists that share passages and documents, repeat them, and say nearly the same."""
    texts = ["", "same words in each of these", "Same words, in each of these!", "注意力机制很有用", "?"]

    def item(position: int, fused: float, document: str) -> Evidence:
        return passage(position, fused, "x", texts[position % len(texts)], document)

    items = st.builds(item, st.integers(0, 9), st.floats(0, 1), st.sampled_from("de"))
    labels = draw(st.lists(st.sampled_from(["1", "2", "3.1", "3.2", "4"]), unique=True))
    return {
        QUESTION: draw(st.lists(items, max_size=12)),
        **{label: draw(st.lists(items, max_size=12)) for label in labels},
    }


class TestAnyLists:
    @settings(max_examples=400)
    @given(lists=any_lists(), places=st.integers(1, 12), how=st.sampled_from(HOW), reserve=st.booleans())
    def test_no_passage_twice_no_place_too_many_and_always_the_same(
        self, lists: Lists, places: int, how: str, reserve: bool
    ) -> None:
        found = select(lists, places, how, reserve=reserve)  # type: ignore[arg-type]
        keys = [key_of(item) for item in found]
        assert len(keys) == len(set(keys)) <= max(places, len(lists) - 1)
        assert set(keys) <= {key_of(item) for items in lists.values() for item in items}
        assert found == select(lists, places, how, reserve=reserve)  # type: ignore[arg-type]

    @settings(max_examples=400)
    @given(lists=any_lists(), places=st.integers(1, 12))
    def test_every_row_with_evidence_is_there_by_itself_or_by_the_same_words(self, lists: Lists, places: int) -> None:
        found = select(lists, places)
        keys, said = {key_of(item) for item in found}, [set(terms(item.passage.text)) for item in found]
        for label, items in lists.items():
            if label != QUESTION and items:
                here = any(key_of(item) in keys for item in items)
                assert here or any(set(terms(item.passage.text)) in said for item in items)

    @given(lists=any_lists(), places=st.integers(1, 12))
    def test_the_best_by_their_own_score_and_that_for_the_question_come_first(self, lists: Lists, places: int) -> None:
        whole: dict[object, float] = {}
        for item in lists[QUESTION]:
            whole[key_of(item)] = max(item.scores.fused, whole.get(key_of(item), 0.0))
        scores = [item.scores.fused + whole.get(key_of(item), 0.0) for item in select(lists, places)]
        assert scores == sorted(scores, reverse=True)
