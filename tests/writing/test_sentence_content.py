"""Numbers in text: their values, and one unit for all its spellings."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.writing.sentence_content import numbers


def read(text: str) -> list[tuple[str, str]]:
    return [(f"{number.value:f}", number.unit) for number in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1,000 or 1000", [("1000", ""), ("1000", "")], id="thousands"),
        pytest.param("80.5 or 80.50", [("80.5", ""), ("80.5", "")], id="trailing zero"),
        pytest.param("2.5 billion or 2,500 million", [("2500000000", ""), ("2500000000", "")], id="scales"),
        pytest.param("1.5B, 110M and 10k", [("1500000000", ""), ("110000000", ""), ("10000", "")], id="letters"),
        pytest.param(
            "3.4亿、2500万、1.2万亿", [("340000000", ""), ("25000000", ""), ("1200000000000", "")], id="Chinese scales"
        ),
        pytest.param("80.5%, 80.5 percent, 80.5 per cent, 百分之80.5", [("80.5", "%")] * 4, id="percent"),
        pytest.param("2 points, 2 percentage points, 2个百分点", [("2", "points")] * 3, id="points"),
        pytest.param("$5 million, 5 million dollars, 500万美元", [("5000000", "USD")] * 3, id="dollars"),
        pytest.param("5亿元, ￥5亿, 5亿人民币", [("500000000", "CNY")] * 3, id="yuan"),
        pytest.param("-3.5%, −3.5%, 为-3.5%, minus 3.5%", [("-3.5", "%")] * 4, id="negative"),
        pytest.param(
            "3-5, 3–5 and 10%-20%", [("3", ""), ("5", ""), ("3", ""), ("5", ""), ("10", "%"), ("20", "%")], id="ranges"
        ),
        pytest.param(
            "in 2019, 2018-2020, 2019年",
            [("2019", "year"), ("2018", "year"), ("2020", "year"), ("2019", "year")],
            id="years",
        ),
        pytest.param("2019 passages, 近3年来", [("2019", ""), ("3", "")], id="no years"),
        pytest.param("GPT-2 and BM25 in 3D, F1, top-5, v1.5, ResNet-50", [], id="names"),
        pytest.param("３．５％", [("3.5", "%")], id="full width"),
        pytest.param("5x faster, 5 times, 5倍", [("5", "times")] * 3, id="times"),
        pytest.param("90 minutes, 4 days, 12小时", [("90", "min"), ("4", "day"), ("12", "h")], id="time"),
        pytest.param("recall of .843", [("0.843", "")], id="no zero in front"),
        pytest.param("1,2,3", [("1", ""), ("2", ""), ("3", "")], id="list"),
        pytest.param("none at all", [], id="none"),
    ],
)
def test_numbers(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


def test_a_quantity_knows_its_place() -> None:
    text = "It has 110 million parameters."
    (found,) = numbers(text)
    assert (text[found.start : found.end], found.amount) == ("110 million", (Decimal(110_000_000), ""))


@given(st.text(max_size=200) | st.text("0123456789.,-%$ kMB亿万年元百分之", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    places = [(number.start, number.end) for number in numbers(text)]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.integers(0, 10**12))
def test_a_number_is_read_with_and_without_commas(number: int) -> None:
    assert [found.value for found in numbers(f"{number:,} is {number} .")] == [number, number]
