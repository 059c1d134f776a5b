"""What a plan comes to: the calls and levels of the table in the design, tokens from sizes, money where prices are known."""

from dataclasses import replace

import pytest

from scholarmind.calls import Effort, Estimate
from scholarmind.llm.estimate import Sizes, bridges, estimate, tokens_of
from scholarmind.llm.models import Models
from scholarmind.llm.prices import PriceList
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.testing import ScriptedModel

SIZES = Sizes(
    places=5,
    plan_shown=6,
    part_shown=8,
    passage=100,
    prompt=500,
    plan=1_000,
    short=300,
    part=700,
    answer=1_500,
    opinion=400,
)
MODELS = Models(
    model=ScriptedModel(),
    names={"routing": "r", "extraction": "e", "generation": "g"},
    prices=PriceList(prices={"r": (1.0, 1.0), "e": (1.0, 2.0), "g": (10.0, 20.0)}, currency="EUR"),
)


def part(number: int, text: str = "What?", *on: int, **more: object) -> SubQuestion:
    return SubQuestion(id=number, text=text, depends_on=on, **more)  # type: ignore[arg-type]


def plan(*parts: SubQuestion) -> Plan:
    return Plan(question="Q?", parts=parts, complexity="composite", reason="", decided_by="test")


ONE = plan(part(1))
THREE = plan(part(1), part(2), part(3), part(4, "Compare", 1, 2, 3, role="compare"))
BRIDGE = plan(part(1), part(2, "Where is #1?", 1))
CHAIN = plan(part(1), part(2, "Where is #1?", 1), part(3, "When was #2?", 2), part(4))
FORK = plan(part(1), part(2), part(3, "Is #1 in #2?", 1, 2), part(4, "conclude from #3", 3, role="conclude"))
KNOWN = plan(part(1, known="Devlin", known_from=("p",)), part(2, "Where is #1?", 1))
CONTEXT = plan(part(1), part(2, "What else?", 1))


@pytest.mark.parametrize(
    ("made", "standard", "deep"),
    [
        (ONE, (2, 2), (4, 4)),
        (THREE, (2, 2), (6, 4)),
        (BRIDGE, (3, 3), (5, 5)),
        (CHAIN, (4, 4), (7, 6)),
        (FORK, (5, 4), (6, 6)),
        (KNOWN, (2, 2), (5, 4)),
        (CONTEXT, (2, 2), (5, 4)),
    ],
)
def test_calls_and_levels_are_those_of_the_design(made: Plan, standard: tuple[int, int], deep: tuple[int, int]) -> None:
    """2 + b calls on 2 + d levels, n + 3 on 4 + d; and always 0 without a key, 1 on 1 where it is to be fast."""
    expected: dict[Effort, tuple[int, int]] = {"keyless": (0, 0), "fast": (1, 1), "standard": standard, "deep": deep}
    for effort, (calls, levels) in expected.items():
        found = estimate(made, effort, MODELS)
        assert (effort, found.calls, found.levels) == (effort, calls, levels)
    for effort in ("standard", "deep"):
        found = estimate(made, effort, MODELS, planned=True)
        assert (found.calls, found.levels) == (expected[effort][0] - 1, expected[effort][1] - 1)


def test_bridges_are_the_parts_that_others_wait_for() -> None:
    assert bridges(CHAIN) == (frozenset({1, 2}), 2)
    assert bridges(FORK) == (frozenset({1, 2, 3}), 2)
    assert bridges(KNOWN) == (frozenset(), 0)


def test_tokens_and_money_follow_from_the_sizes() -> None:
    plan_call, short, answer = (1_100, 1_000), (1_300, 300), (1_000, 1_500)
    assert estimate(BRIDGE, "standard", MODELS, sizes=SIZES) == Estimate(
        calls=3,
        levels=3,
        prompt_tokens=plan_call[0] + short[0] + answer[0],
        completion_tokens=plan_call[1] + short[1] + answer[1],
        cost=pytest.approx((1_100 + 2_000 + 1_300 + 600 + 10_000 + 30_000) / 1e6),
        currency="EUR",
    )
    deep = estimate(THREE, "deep", MODELS, sizes=SIZES)
    assert deep.prompt_tokens == 1_100 + 3 * 1_300 + (1_000 + 2_100) + (1_000 + 1_500)
    assert deep.completion_tokens == 1_000 + 3 * 700 + 1_500 + 400
    assert estimate(THREE, "keyless", MODELS).cost == 0


def test_more_rows_than_places_show_more_passages() -> None:
    rows = plan(part(1, asks=tuple(Ask(text=f"aspect {number}?") for number in range(9))))
    more = (
        estimate(rows, "fast", MODELS, sizes=SIZES).prompt_tokens
        - estimate(ONE, "fast", MODELS, sizes=SIZES).prompt_tokens
    )
    assert more == 400


def test_an_unknown_price_makes_the_whole_unknown_if_it_is_needed() -> None:
    models = replace(MODELS, prices=PriceList(prices={"g": (1.0, 1.0)}))
    assert estimate(ONE, "standard", models).cost is None
    assert estimate(ONE, "fast", models).cost is not None
    assert estimate(ONE, "standard", models, planned=True).cost is not None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("a" * 401, 101), ("什么是机器学习", 7), ("Что это", 4), ("GPT是什么", 4)],
)
def test_tokens_are_counted_by_script(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens
