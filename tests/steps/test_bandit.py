"""Passages one at a time from the arm that promises most: the same every time, nothing twice, every arm tried."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ranking import key_of
from scholarmind.steps.select import QUESTION, bandit, select


def passage(position: int, fused: float, by: str, text: str = "") -> Evidence:
    """A passage that says something of its own unless told otherwise."""
    text = text or f"word{position} stands alone{position} here{position}"
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=position),
        document=Document(id="d", title=""),
        scores=Scores(fused=fused),
        found_by=frozenset((by,)),
    )


def arm(by: str, *positions: int, best: float) -> list[Evidence]:
    return [passage(position, best - place / 1000, by) for place, position in enumerate(positions)]


def positions(found: Sequence[Evidence]) -> list[int]:
    return [item.passage.position for item in found]


LISTS = st.dictionaries(
    st.sampled_from(["question", "1", "2", "3.1", "3.2"]),
    st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), max_size=12, unique_by=lambda pair: pair[0]),
    max_size=5,
)


def made(drawn: Mapping[str, Sequence[tuple[int, float]]]) -> dict[str, list[Evidence]]:
    """Return lists, each with its best first."""
    return {
        label: sorted((passage(place, score, label) for place, score in pairs), key=lambda item: -item.scores.fused)
        for label, pairs in drawn.items()
    }


@given(LISTS, st.integers(1, 15), st.integers(0, 3))
def test_the_same_lists_give_the_same_passages_none_twice_and_never_more_than_there_are_places(
    drawn: Mapping[str, Sequence[tuple[int, float]]], places: int, seed: int
) -> None:
    found = bandit(made(drawn), places, seed)
    assert found == bandit(made(drawn), places, seed)
    pool = {place for pairs in drawn.values() for place, _ in pairs}
    assert len(found) == len({key_of(item) for item in found}) == min(places, len(pool))


@given(LISTS, st.integers(5, 15))
def test_every_arm_is_tried_where_there_is_a_place_for_each(
    drawn: Mapping[str, Sequence[tuple[int, float]]], places: int
) -> None:
    lists = made(
        {label: [(place + 100 * number, s) for place, s in rows] for number, (label, rows) in enumerate(drawn.items())}
    )
    found = bandit(lists, places)
    tried = {label for item in found for label in item.found_by}
    assert tried == {label for label, items in lists.items() if items}


def test_an_arm_with_good_passages_is_asked_more_often_than_one_with_poor_ones() -> None:
    shares = []
    for start in range(0, 4000, 100):
        good = arm("1", *range(start, start + 20), best=0.9)
        poor = arm("2", *range(start + 50, start + 70), best=0.1)
        found = bandit({"1": good, "2": poor}, 10)
        shares.append(sum("1" in item.found_by for item in found))
    assert min(shares) >= 1
    assert max(shares) < 10  # the poor arm is tried once at least
    assert sum(shares) > 5.5 * len(shares)


def test_another_seed_draws_in_another_way() -> None:
    lists = {str(row): arm(str(row), *range(20 * row, 20 * row + 20), best=0.5) for row in range(1, 5)}
    assert len({tuple(positions(bandit(lists, 10, seed))) for seed in range(10)}) > 1


def test_a_passage_that_nearly_repeats_another_gets_no_place() -> None:
    text = " ".join(f"term{number}" for number in range(40))
    lists = {
        "1": [passage(1, 0.9, "1", text), passage(3, 0.1, "1")],
        "2": [passage(2, 0.8, "2", f"{text} more"), passage(4, 0.1, "2")],
    }
    assert sorted(positions(bandit(lists, 10))) == [1, 3, 4]


def test_it_is_a_way_to_select_that_gives_the_best_first_and_each_row_a_place() -> None:
    lists = {
        QUESTION: arm("question", *range(20), best=0.9),
        "1": arm("1", *range(20, 40), best=0.5),
        "2": arm("2", 50, 51, best=0.1),
    }
    found = select(lists, 2, "bandit")
    assert positions(found) == [20, 50]
    more = select(lists, 8, "bandit")
    assert {0, 20, 50} <= set(positions(more))
    assert [item.scores.fused for item in more] == sorted((item.scores.fused for item in more), reverse=True)
