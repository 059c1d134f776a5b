"""What work comes to: calls and levels are added up, tokens follow from sizes, money where prices are known."""

from dataclasses import replace

import pytest

from scholarmind.calls import Estimate
from scholarmind.llm.language_models import EstimatedCalls, Models, PriceList, estimate, tokens_of
from scholarmind.testing import ScriptedModel

MODELS = Models(
    model=ScriptedModel(),
    names={"routing": "r", "extraction": "e", "generation": "g"},
    prices=PriceList(prices={"r": (1.0, 1.0), "e": (1.0, 2.0), "g": (10.0, 20.0)}, currency="EUR"),
)
SHORT = EstimatedCalls(prompt="short", calls=3, levels=2, shown=2, reply=100)
ANSWER = EstimatedCalls(prompt="answer", shown=5, told=300, reply=1_500)


def test_calls_levels_tokens_and_money_are_added_up() -> None:
    short, answer = (3 * (500 + 2 * 400), 3 * 100), (500 + 300 + 5 * 400, 1_500)
    assert estimate([SHORT, ANSWER], MODELS) == Estimate(
        calls=4,
        levels=3,
        prompt_tokens=short[0] + answer[0],
        completion_tokens=short[1] + answer[1],
        cost=pytest.approx((short[0] * 1 + short[1] * 2 + answer[0] * 10 + answer[1] * 20) / 1e6),
        currency="EUR",
    )


def test_no_work_costs_nothing() -> None:
    nothing = Estimate(calls=0, levels=0, prompt_tokens=0, completion_tokens=0, cost=0, currency="EUR")
    assert estimate([], MODELS) == nothing
    assert estimate([replace(SHORT, calls=0)], MODELS) == nothing


def test_an_unknown_price_makes_the_whole_unknown_if_it_is_needed() -> None:
    models = replace(MODELS, prices=PriceList(prices={"g": (1.0, 1.0)}))
    assert estimate([ANSWER], models).cost is not None
    assert estimate([SHORT, ANSWER], models).cost is None
    assert estimate([replace(SHORT, calls=0), ANSWER], models).cost is not None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("a" * 401, 101), ("什么是机器学习", 7), ("Что это", 4), ("GPT是什么", 4)],
)
def test_tokens_are_counted_by_script(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens
