"""One order out of several lists, and one scale for passages that were found in different ways."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ranking import Foreign, fuse, key_of, merged, on_scale_of


def evidence(position: int, fused: float = 0.5, by: str = "", **scores: float | None) -> Evidence:
    """A passage of one document."""
    return Evidence(
        passage=Passage(text=f"text {position}", start=0, end=6, position=position),
        document=Document(id="d", title="D"),
        scores=Scores(fused=fused, **scores),  # type: ignore[arg-type]
        found_by=frozenset({by} - {""}),
    )


LISTS = st.lists(
    st.lists(
        st.builds(
            evidence, st.integers(0, 5), st.floats(0, 1), st.sampled_from("abc"), vector=st.none() | st.floats(-1, 1)
        ),
        max_size=8,
    ),
    max_size=4,
)


class TestMerged:
    def test_each_passage_once_at_its_first_place_with_its_best_score_and_all_that_found_it(self) -> None:
        lists = [[evidence(2, 0.1, "a"), evidence(1, 0.9, "a")], [evidence(3, 0.2, "b"), evidence(2, 0.8, "b")]]
        found = list(merged(lists).values())
        assert [(item.passage.position, item.scores.fused, sorted(item.found_by)) for item in found] == [
            (2, 0.8, ["a", "b"]),
            (1, 0.9, ["a"]),
            (3, 0.2, ["b"]),
        ]

    def test_passages_of_other_documents_and_collections_are_others(self) -> None:
        one = evidence(1)
        other = replace(one, document=Document(id="e", title="E"))
        third = replace(one, document=Document(id="d", title="D", collection="c"))
        assert list(merged([[one, other], [third, one]])) == [("default", "d", 1), ("default", "e", 1), ("c", "d", 1)]

    def test_nothing(self) -> None:
        assert merged([]) == merged([[], []]) == {}

    @given(LISTS)
    def test_nothing_is_lost_and_nothing_is_worse(self, lists: list[list[Evidence]]) -> None:
        found = merged(lists)
        every = [item for items in lists for item in items]
        assert list(found) == list(dict.fromkeys(map(key_of, every)))
        for key, item in found.items():
            same = [other for other in every if key_of(other) == key]
            assert item.scores.fused == max(other.scores.fused for other in same)
            assert item.found_by == frozenset().union(*(other.found_by for other in same))


class TestOnScaleOf:
    KNOWN = (evidence(0, 1.0, vector=0.8, keyword=10.0), evidence(1, 0.0, vector=0.4, keyword=2.0))

    @pytest.mark.parametrize(
        ("vector", "keyword", "expected"),
        [
            (0.8, 10.0, 1.0),
            (0.4, 2.0, 0.0),
            (0.6, 2.0, 0.3),
            (0.4, 6.0, 0.2),
            (0.9, 99.0, 1.0),  # better than the best is as good as the best
            (-1.0, 0.0, 0.0),
            (None, 10.0, 0.4),
            (0.8, None, 0.6),
            (None, None, 0.0),
        ],
    )
    def test_a_place_among_the_known(self, vector: float | None, keyword: float | None, expected: float) -> None:
        (found,) = on_scale_of(self.KNOWN, [evidence(9, 0.123, vector=vector, keyword=keyword)])
        assert found.scores.fused == pytest.approx(expected)

    def test_with_one_leg_that_leg_is_all(self) -> None:
        known = [evidence(0, 1.0, keyword=10.0), evidence(1, 0.0, keyword=2.0)]
        (found,) = on_scale_of(known, [evidence(9, keyword=6.0, vector=0.9)])
        assert found.scores.fused == pytest.approx(0.5)

    def test_one_known_passage(self) -> None:
        others = [evidence(8, vector=0.5), evidence(9, vector=0.4)]
        assert [item.scores.fused for item in on_scale_of([evidence(0, vector=0.5)], others)] == [1.0, 0.0]

    def test_without_legs_or_known_ones_everything_stays(self) -> None:
        others = [evidence(8, 0.7, vector=0.5), evidence(9, 0.2)]
        assert on_scale_of([], others) == on_scale_of([evidence(0)], others) == others
        assert on_scale_of(self.KNOWN, []) == []

    @given(LISTS)
    def test_always_between_0_and_1(self, lists: list[list[Evidence]]) -> None:
        for known in lists:
            for others in lists:
                found = on_scale_of(known, others)
                assert [key_of(item) for item in found] == [key_of(item) for item in others]
                assert all(0 <= item.scores.fused <= 1 for item in found)

    def test_the_known_ones_keep_the_scores_of_their_search(self) -> None:
        vector, keyword = [(1, 0.9), (2, 0.5), (3, 0.1)], [(2, 8.0), (3, 4.0), (1, 1.0)]
        known = [replace(evidence(passage), scores=scores) for passage, scores in fuse(vector, keyword, 0.6)]
        again = on_scale_of(known, known)
        assert [item.scores.fused for item in again] == pytest.approx([item.scores.fused for item in known])


class TestForeign:
    """Passages in another language than the question."""

    VECTOR = ((1, 0.9), (2, 0.5), (3, 0.1))
    KEYWORD = ((3, 9.0), (2, 1.0))

    def test_without_a_translation_the_vector_stands_for_the_words(self) -> None:
        foreign = Foreign(passages={1})
        found = dict(fuse(self.VECTOR, self.KEYWORD, 0.4, (), foreign))
        assert found[1].fused == pytest.approx(0.4 + 0.6 * 0.9)
        assert found[3].fused == pytest.approx(0.6)
        assert next(iter(found)) == 1

    def test_with_one_its_vector_counts_half(self) -> None:
        foreign = Foreign(passages={1}, is_translated=True)
        found = dict(fuse(self.VECTOR, self.KEYWORD, 0.4, (), foreign))
        assert found[1].fused == pytest.approx(0.2)
        assert next(iter(found)) == 3

    def test_what_only_words_found_keeps_what_they_say(self) -> None:
        found = dict(fuse(self.VECTOR[:1], self.KEYWORD, 0.4, (), Foreign(passages={3})))
        assert found[3].fused == pytest.approx(0.6)
