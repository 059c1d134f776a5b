"""How questions are split for tuning."""

import pytest

from scholarmind.errors import QueryError
from scholarmind.evaluation.dataset_evaluation import split
from scholarmind.evaluation.experiments import DatasetQuery


def queries(**types: int) -> list[DatasetQuery]:
    """Return so many questions of each type."""
    return [
        DatasetQuery(id=f"{kind}{number}", question="?", type=kind, evidence=frozenset("a"), references=())
        for kind, count in types.items()
        for number in range(count)
    ]


def counts(side: list[DatasetQuery]) -> dict[str, int]:
    """Return how many there are of each type."""
    return {kind: sum(query.type == kind for query in side) for kind in sorted({query.type for query in side})}


@pytest.mark.parametrize(
    ("share", "tried"),
    [(0.5, {"one": 5, "three": 15, "two": 10}), (0.2, {"one": 2, "three": 6, "two": 4}), (0.01, {"two": 1})],
)
def test_every_type_has_its_share(share: float, tried: dict[str, int]) -> None:
    known = queries(one=10, two=20, three=30)
    for_tuning, others = split(known, share, 7)
    assert counts(for_tuning) == tried
    assert sorted(query.id for query in for_tuning + others) == sorted(query.id for query in known)


def test_types_of_one_question_are_shared_out_too() -> None:
    for_tuning, others = split(queries(**{f"t{number}": 1 for number in range(10)}), 0.5, 7)
    assert (len(for_tuning), len(others)) == (5, 5)


def test_a_question_stays_on_its_side_whatever_the_order() -> None:
    known = queries(one=10, two=11)
    there, back = (split(order, 0.5, 7)[0] for order in (known, known[::-1]))
    assert {query.id for query in there} == {query.id for query in back}
    assert {query.id for query in there} != {query.id for query in split(known, 0.5, 8)[0]}


def test_questions_of_one_id_are_all_asked() -> None:
    twice = queries(one=1) * 4
    for_tuning, others = split(
        [DatasetQuery(**{name: getattr(one, name) for name in one.__slots__}) for one in twice], 0.5, 7
    )
    assert (len(for_tuning), len(others)) == (2, 2)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_to_split(count: int) -> None:
    with pytest.raises(QueryError, match=f"{count} measurable questions cannot be split in two"):
        split(queries(one=count), 0.5, 7)
