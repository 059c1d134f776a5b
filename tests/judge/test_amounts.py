"""Amounts in digits and in words, and what follows from two of them."""

import pytest

from scholarmind.judge.amounts import amounts, is_derived


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("six weeks", "42 days"),
        ("2.5 billion people", "2,500 million people"),
        ("a fifth of a second", "200 milliseconds"),
        ("twenty centimetres", "0.2 m"),
        ("减少四成", "减少40%"),
        ("百分之五", "5%"),
        ("两万三千人", "2.3万人"),
        ("一百二十八米", "128 metres"),
        ("twenty-five ships", "25 ships"),
        ("one hundred and forty-three sherds", "143 sherds"),
        ("two thousand five hundred letters", "2,500 letters"),
        ("three hundred million letters", "300,000,000 letters"),
        ("1 268名学生", "1268名学生"),
    ],
)
def test_the_same_amount_in_other_words(one: str, other: str) -> None:
    assert amounts(one)[0].same(amounts(other)[0])


@pytest.mark.parametrize(
    ("one", "other"), [("5 %", "5 percentage points"), ("1957", "1975"), ("3 km", "3 m"), ("1.2万", "12万")]
)
def test_different_amounts(one: str, other: str) -> None:
    assert not amounts(one)[0].same(amounts(other)[0])


def test_digits_of_names_are_no_amounts() -> None:
    assert amounts("GPT-2, KL-19b, BM25 and the 7th") == ()


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("eight years", "from 1838 to 1846"),
        ("1,700 runners", "14,600 runners, up from 12,900 runners"),
        ("four times", "0.8 °C, but 0.2 °C"),
        ("1749年", "始建于1743年，历时六年"),
    ],
)
def test_what_follows_from_two_amounts(wanted: str, given: str) -> None:
    assert is_derived(amounts(wanted)[0], amounts(given))
