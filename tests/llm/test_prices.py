"""What models cost: by name, by the name without its date, by what the user says; and unknown where nobody says."""

from pathlib import Path

import pytest

from scholarmind.calls import Usage
from scholarmind.errors import SettingsError
from scholarmind.llm.language_models import cost, price_list, price_of

KNOWN = {"gpt-4o": (2.5, 10.0), "gpt-4o-mini": (0.15, 0.6), "qwen*": (0.0, 0.0), "qwen-max*": (1.0, 2.0)}


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o", (2.5, 10.0)),
        ("GPT-4o", (2.5, 10.0)),
        ("gpt-4o-2024-11-20", (2.5, 10.0)),
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("gpt-4o-latest", (2.5, 10.0)),
        ("openai/gpt-4o-mini", (0.15, 0.6)),
        ("openai/gpt-4o-20241120", (2.5, 10.0)),
        ("gpt-4o-audio", None),
        ("gpt-4o-mini-tts", None),
        ("gpt-4", None),
        ("my-gpt-4o", None),
        ("qwen3:8b", (0.0, 0.0)),
        ("qwen-max-2025-01-25", (1.0, 2.0)),
        ("", None),
    ],
)
def test_a_name_stands_for_its_dated_versions_and_for_no_other_model(
    model: str, price: tuple[float, float] | None
) -> None:
    assert price_of(model, KNOWN) == price


def test_cost_is_that_of_what_went_in_and_came_out() -> None:
    assert cost(Usage(2_000_000, 100_000), "gpt-4o", KNOWN) == 6.0
    assert cost(Usage(5, 5), "qwen3", KNOWN) == 0.0
    assert cost(Usage(5, 5), "other", KNOWN) is None


def test_our_own_prices_say_of_when_they_are() -> None:
    ours = price_list()
    assert (ours.currency, ours.as_of) == ("USD", "2026-03")
    assert ours.prices["gpt-4o-mini"] == (0.15, 0.6)
    assert price_of("claude-haiku-4-5-20251001", ours.prices) == (1.0, 5.0)
    assert all(0 < money_in < money_out for money_in, money_out in ours.prices.values())


def test_a_file_of_the_users_goes_before_ours(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('as_of = "today"\n[models]\n"gpt-4o" = { in = 1, out = 2 }\n"local" = { in = 0, out = 0 }\n')
    found = price_list(own)
    assert (found.prices["gpt-4o"], found.prices["local"], found.as_of) == ((1.0, 2.0), (0.0, 0.0), "today")
    assert found.prices["gpt-4o-mini"] == price_list().prices["gpt-4o-mini"]


def test_prices_in_two_currencies_are_not_mixed(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('currency = "CNY"\n[models]\n"qwen-plus" = { in = 0.8, out = 2 }\n')
    found = price_list(own)
    assert (found.currency, dict(found.prices)) == ("CNY", {"qwen-plus": (0.8, 2.0)})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[models", "cannot be read"),
        ('model = "x"', r"has 'model'; known are currency, as_of and the table \[models\]"),
        ("models = 5", r"\[models\] must be a table"),
        ('[models]\n"a" = 5', r"the price of 'a' must be like \{ in = 0.5, out = 2 \}"),
        ('[models]\n"a" = { in = 1 }', "the price of 'a' must be"),
        ('[models]\n"a" = { in = 1, out = -1 }', "the price of 'a' must be"),
        ('[models]\n"a" = { in = 1, out = "2" }', "the price of 'a' must be"),
        ('[models]\n"a" = { in = 1, out = nan }', "the price of 'a' must be"),
        ('[models]\n"a" = { in = 1, out = 1, off = 1 }', "the price of 'a' must be"),
    ],
)
def test_a_file_that_cannot_be_meant_is_an_error(tmp_path: Path, text: str, told: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)
    with pytest.raises(SettingsError, match=told):
        price_list(own)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the prices in '.*none.toml' cannot be read"):
        price_list(tmp_path / "none.toml")
