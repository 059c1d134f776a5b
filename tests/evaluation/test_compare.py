"""Two ways of asking the same questions: the mean difference, how sure it is, and whom it helped and hurt."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.evaluation.experiments import difference, interval, verdict

SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def one(off: list[float], on: list[float]) -> dict[str, float]:
    """Compare a single measure."""
    return difference([{"m": value} for value in off], [{"m": value} for value in on])["m"]


def test_mean_helped_and_hurt() -> None:
    found = one([0, 0, 1, 0.5], [1, 0, 0.5, 1])
    assert (found["mean"], found["helped"], found["hurt"]) == (0.25, 2, 1)
    assert found["low"] < 0.25 < found["high"]


def test_no_change() -> None:
    assert one([0, 1, 0.5], [0, 1, 0.5]) == {"mean": 0, "low": 0, "high": 0, "helped": 0, "hurt": 0}


def test_the_same_change_everywhere_is_sure() -> None:
    assert one([0, 0.5, 0.25], [0.5, 1, 0.75]) == {"mean": 0.5, "low": 0.5, "high": 0.5, "helped": 3, "hurt": 0}


def test_what_is_only_rounding_is_no_change() -> None:
    found = one([0.1 + 0.2], [0.3])
    assert (found["helped"], found["hurt"]) == (0, 0)


def test_more_questions_are_surer() -> None:
    few, many = (one([0, 0, 0, 1] * times, [1, 0, 0, 1] * times) for times in (5, 100))
    assert few["mean"] == many["mean"] == 0.25
    assert few["low"] < many["low"] < many["high"] < few["high"]


def test_the_interval_of_a_share_is_the_one_of_the_textbook() -> None:
    # 25 of 100 helped: 1.96 standard errors of a mean of 0.25 are 0.085
    found = one([0] * 100, [1] * 25 + [0] * 75)
    assert (found["low"], found["high"]) == pytest.approx((0.165, 0.335), abs=0.015)


def test_questions_without_a_measure_do_not_count_for_it() -> None:
    off = [{"a": 0.0}, {"b": 1.0}, {}, {"a": 0.5, "b": 0.0}]
    on = [{"a": 1.0}, {"b": 1.0}, {}, {"a": 0.5, "b": 0.0}]
    found = difference(off, on)
    assert list(found) == ["a", "b"]
    assert [(row["mean"], row["helped"]) for row in found.values()] == [(0.5, 1), (0.0, 0)]


def test_a_measure_that_only_one_side_has_is_left_out() -> None:
    assert difference([{"a": 1.0}, {"b": 1.0}], [{"a": 1.0, "c": 1.0}, {}]).keys() == {"a"}


def test_nothing_to_compare() -> None:
    assert difference([], []) == difference([{}], [{}]) == {}


def test_other_questions_are_no_comparison() -> None:
    with pytest.raises(ValueError, match="zip"):
        difference([{"a": 1.0}], [])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30))
def test_turned_round_it_is_the_opposite(pairs: list[tuple[float, float]]) -> None:
    off, on = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    there, back = one(off, on), one(on, off)
    assert there == one(off, on)
    assert (there["helped"], there["hurt"]) == (back["hurt"], back["helped"])
    assert there["mean"] == pytest.approx(-back["mean"], abs=1e-4)
    assert -1 <= there["low"] <= there["mean"] <= there["high"] <= 1
    assert there["low"] == pytest.approx(-back["high"], abs=1e-3)


# -- what a difference allows to say


@pytest.mark.parametrize(
    ("off", "on", "said"),
    [
        pytest.param([0] * 6, [1] * 6, "better", id="six of six"),
        pytest.param([1] * 6, [0] * 6, "worse", id="six of six, the other way"),
        pytest.param([0] * 5, [1] * 5, "unsure", id="five of five are chance once in sixteen times"),
        pytest.param([0] * 100, [1] * 5 + [0] * 95, "unsure", id="five changed, and the interval leaves out 0"),
        pytest.param([0, 1] * 20, [1, 0] * 20, "unsure", id="as many helped as hurt"),
        pytest.param([0, 1] * 20, [0, 1] * 20, "same", id="nothing changed"),
    ],
)
def test_verdicts(off: list[float], on: list[float], said: str) -> None:
    assert verdict(one(off, on)) == said


def test_another_seed_draws_other_questions() -> None:
    off, on = [{"m": 0.0}] * 40, [{"m": place**2 / 1600} for place in range(40)]
    seven, eight = difference(off, on, 7)["m"], difference(off, on, 8)["m"]
    assert seven == difference(off, on)["m"] == difference(off, on, 7)["m"]
    assert seven["mean"] == eight["mean"]
    assert (seven["low"], seven["high"]) != (eight["low"], eight["high"])


def test_the_interval_of_a_mean() -> None:
    low, high = interval([0.0, 1.0] * 50)
    assert (low, high) == pytest.approx((0.402, 0.598), abs=0.02)
    assert interval([0.25] * 3) == (0.25, 0.25)
