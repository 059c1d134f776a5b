"""Groups of vectors that are alike, and trees that grow: even, deterministic, and never without an end."""

from collections.abc import Sequence

import numpy as np
import pytest

from scholarmind.text.analysis import terms
from scholarmind.tree.growing import OF_NODES, OF_PASSAGES, Growth, cosine, grouped, halves, vector_of


def topics(count: int, of_each: int, seed: int = 1) -> np.ndarray:
    """Vectors of so many topics that are far apart, one topic after the other."""
    chance = np.random.default_rng(seed)
    centres = np.eye(count, 32, dtype=np.float32)
    noise = chance.normal(size=(count * of_each, 32)) * 0.05
    return (np.repeat(centres, of_each, axis=0) + noise).astype(np.float32)


def planted(vectors: np.ndarray) -> Growth:
    growth = Growth({}, lambda _: {}, 1)
    growth.plant(np.arange(1, len(vectors) + 1), vectors)
    return growth


def grown(vectors: np.ndarray, order: Sequence[int]) -> Growth:
    growth = Growth({}, lambda _: {}, 1)
    for row in order:
        growth.add(row + 1, vectors[row])
    return growth


def check(growth: Growth, passages: set[int]) -> None:
    """Whatever happened to it: sums, counts and parents agree, no node is too full, every passage has one place."""
    assert passages == {passage for passage in growth.placed if growth.placed[passage] in growth.branches}
    roots = [branch for branch in growth.branches.values() if branch.parent is None]
    assert len(roots) == bool(passages)
    assert [True] * len(roots) == [branch.level == 1 or len(branch.below) > 1 for branch in roots]
    for number, branch in growth.branches.items():
        if branch.level == 1:
            vectors = list(growth.leaves(number).values())
            assert branch.passages == len(vectors) <= OF_PASSAGES.most
            assert np.allclose(np.sum(vectors, axis=0), branch.sums, atol=1e-4)
            assert all(growth.placed[passage] == number for passage in growth.leaves(number))
        else:
            below = [growth.branches[child] for child in branch.below]
            assert 0 < len(below) <= OF_NODES.most
            assert {number} == {child.parent for child in below}
            assert {branch.level - 1} == {child.level for child in below}
            assert branch.passages == sum(child.passages for child in below)
            assert np.allclose(np.sum([child.sums for child in below], axis=0), branch.sums, atol=1e-3)


class TestGroups:
    def test_what_is_alike_is_together(self) -> None:
        groups = grouped(topics(10, 8))
        assert list(range(80)) == sorted(row for rows in groups for row in rows.tolist())
        assert [1] * len(groups) == [len({row // 8 for row in rows.tolist()}) for rows in groups]

    def test_no_group_is_too_big_and_few_are_too_small(self) -> None:
        chance = np.random.default_rng(3)
        vectors = chance.normal(size=(5_000, 16)).astype(np.float32)
        for wanted in (OF_PASSAGES, OF_NODES):
            sizes = [len(rows) for rows in grouped(vectors, wanted)]
            assert sum(sizes) == 5_000
            assert max(sizes) <= wanted.most
            assert sum(size < wanted.fewest for size in sizes) < len(sizes) / 20

    @pytest.mark.parametrize("count", [7, 13, 14, 23, 40, 200])
    def test_no_group_is_too_small_where_nothing_is_alike(self, count: int) -> None:
        for wanted in (OF_PASSAGES, OF_NODES):
            sizes = [len(rows) for rows in grouped(np.eye(count, dtype=np.float32), wanted)]
            assert sum(sizes) == count
            assert (min(sizes) >= wanted.fewest, max(sizes) <= wanted.most) == (True, True)

    @pytest.mark.parametrize("count", [0, 1, 2, 12, 13])
    def test_a_few_vectors(self, count: int) -> None:
        groups = grouped(topics(1, count) if count else np.empty((0, 32), np.float32))
        assert count == sum(map(len, groups))
        assert (count > 0) + (count > OF_PASSAGES.most) == len(groups)

    def test_five_thousand_times_the_same(self) -> None:
        assert sum(map(len, grouped(np.ones((5_000, 8), np.float32)))) == 5_000
        assert sum(map(len, grouped(np.zeros((5_000, 8), np.float32)))) == 5_000

    def test_neither_half_is_small(self) -> None:
        one_apart = np.concatenate([topics(1, 12), -topics(1, 1)])
        assert 3 <= np.count_nonzero(halves(one_apart)) <= 10


class TestGrowth:
    def test_built_at_once_it_is_sound_and_the_same_each_time(self) -> None:
        vectors = topics(30, 12)
        growth = planted(vectors)
        check(growth, set(range(1, 361)))
        assert growth.placed == planted(vectors).placed

    def test_one_by_one_it_is_nearly_as_good(self) -> None:
        vectors = topics(30, 12)
        order = np.random.default_rng(5).permutation(len(vectors)).tolist()
        growth = grown(vectors, order)
        check(growth, set(range(1, 361)))
        assert purity(growth) >= 0.97 * purity(planted(vectors))

    def test_adding_touches_only_its_path(self) -> None:
        vectors = topics(30, 12)
        growth = planted(vectors)
        growth.touched.clear()
        home = growth.placed[1]
        growth.leaves(home).popitem()  # make room
        growth.mend(home)
        growth.touched.clear()
        growth.moved.clear()
        growth.add(1_000, vectors[0])
        path, at = set[int](), growth.placed[1_000]
        while at is not None:
            path.add(at)
            at = growth.branches[at].parent
        assert path == growth.touched
        assert growth.moved == set()

    def test_every_tree_has_one_root_that_rises_and_sinks_with_it(self) -> None:
        vectors = topics(12, 12)
        growth, levels = grown(vectors, range(12)), list[int]()
        for row in range(12, 144):
            growth.add(row + 1, vectors[row])
            levels.append(max(branch.level for branch in growth.branches.values()))
        assert levels[:2] == [2, 2]
        assert levels == sorted(levels)
        assert levels[-1] >= 3
        for passage in range(13, 145):
            home = growth.placed.pop(passage)
            del growth.leaves(home)[passage]
            growth.mend(home)
            levels.append(max(branch.level for branch in growth.branches.values()))
        assert levels[132:] == sorted(levels[132:], reverse=True)
        check(growth, set(range(1, 13)))

    def test_what_is_below_a_node_that_is_moved_needs_no_other_summary(self) -> None:
        vectors = topics(8, 12)
        growth = planted(vectors[:72])
        growth.touched.clear()
        growth.moved.clear()
        for row in range(72, 96):
            growth.add(row + 1, vectors[row])
        assert growth.moved - growth.touched
        assert {growth.branches[number].level for number in growth.moved - growth.touched} == {1}

    def test_what_loses_its_passages_is_mended_up_to_nothing(self) -> None:
        vectors = topics(12, 12)
        growth = planted(vectors)
        left = set(range(1, 145))
        for passage in np.random.default_rng(2).permutation(np.arange(1, 145)).tolist():
            home = growth.placed.pop(passage)
            left.remove(passage)
            del growth.leaves(home)[passage]
            growth.mend(home)
            check(growth, left)
        assert growth.branches == {}
        growth.add(7, vectors[0])
        check(growth, {7})

    def test_a_node_that_lost_its_passages_is_counted_anew_when_one_comes_to_it(self) -> None:
        vectors = topics(2, 12)
        before = planted(vectors)
        empty = before.placed[1]
        growth = Growth(before.branches, lambda node: {} if node == empty else before.leaves(node), 100)
        growth.add(1_000, vectors[0])
        assert growth.placed == {1_000: empty}
        assert growth.branches.keys() == before.branches.keys()
        (root,) = (branch for branch in growth.branches.values() if branch.parent is None)
        assert (growth.branches[empty].passages, root.passages) == (1, 13)

    def test_five_thousand_times_the_same_one_by_one(self) -> None:
        growth = grown(np.ones((5_000, 4), np.float32), range(5_000))
        check(growth, set(range(1, 5_001)))

    def test_a_passage_between_two_nodes_belongs_to_both(self) -> None:
        vectors = topics(2, 8)
        between = (vectors[:8].sum(axis=0) + vectors[8:].sum(axis=0)) / 16
        growth = planted(np.concatenate([vectors, between[None]]))
        seconds = growth.seconds({17: between, 1: vectors[0]})
        assert {growth.placed[1], growth.placed[9]} == {growth.placed[17], seconds[17]}
        assert seconds[1] is None


class TestWords:
    def test_texts_that_share_words_are_alike_in_any_script(self) -> None:
        texts = [terms(text) for text in ("深度学习与图像识别", "图像识别中的深度学习方法", "水稻产量与施肥")]
        one, alike, other = (vector_of(words, {}) for words in texts)
        assert one @ alike > 0.5
        assert abs(one @ other) < 0.2
        assert cosine(texts[0], texts[1], {}) == pytest.approx(float(one @ alike), abs=0.1)
        assert cosine(texts[0], texts[2], {}) == 0
        assert cosine([], texts[2], {}) == 0
        assert not vector_of([], {}).any()

    def test_a_rare_word_in_common_counts_more(self) -> None:
        rarity = {"electra": 6.0}
        assert cosine(["electra"], ["electra", "model"], rarity) > cosine(["model"], ["electra", "model"], rarity)


def purity(growth: Growth) -> float:
    """The mean likeness of passages with the centre of their node."""
    found: list[float] = []
    for number, branch in growth.branches.items():
        if branch.level == 1:
            centre = branch.sums / np.linalg.norm(branch.sums)
            found += [float(vector @ centre / np.linalg.norm(vector)) for vector in growth.leaves(number).values()]
    return float(np.mean(found))
