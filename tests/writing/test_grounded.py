"""Whether a short answer stands in the passages, and what must never count as standing there."""

import pytest

from scholarmind.writing.attribution import is_drawn_from, is_yes_or_no, stands_in

OTTER = "Otter. Mira Falk, 2019.\n\nOtter-Large, released on 5 May 2018, has 24 layers and 340 million parameters; accuracy rose by 3.5%."
HERON = "Heron.\n\nHeron was trained on BooksCorpus. Its three encoders predict masked words. It is a member of the IT group."
WATER = "水獭模型由北京的李雷团队于2021年5月提出，共有三层，参数量为3.4亿。"


@pytest.mark.parametrize(
    "answer",
    [
        "Mira Falk",
        "mira falk",
        "Otter-Large",
        "24",
        "24 layers",
        "340M parameters",
        "3.5 %",
        "3.5",
        "2018",
        "May 2018",
        "2018-05-05",
        "May 5, 2018",
        "2018年5月5日",
        "3 encoders",
        "Three encoders",
        "IT",
        "by predicting masked words",
        "BooksCorpus and Mira Falk",
        "Otter, Heron, BooksCorpus",
        "Yes, since May 2018",
        "李雷",
        "北京、李雷",
        "3.4亿",
        "340,000,000 参数量",
        "3层",
        "2021年5月",
    ],
)
def test_what_the_passages_say_in_the_same_or_in_another_form(answer: str) -> None:
    assert stands_in(answer, [OTTER, HERON, WATER])


@pytest.mark.parametrize(
    "answer",
    [
        "Jonas Weil",
        "Mira Weil",
        "Reading",
        "12",
        "12 layers",
        "before May 2018",
        "40 million parameters",
        "3.5 points",
        "-3.5%",
        "2017",
        "6 May 2018",
        "June 2018",
        "4 encoders",
        "four encoders",
        "Wikipedia",
        "BooksCorpus and Wikipedia",
        "by reading many newspapers",
        "王雷",
        "上海",
        "海中",
        "US",
        "北京、上海",
        "4层",
        "2021年6月",
        "…",
    ],
)
def test_what_they_do_not_say(answer: str) -> None:
    assert not stands_in(answer, [OTTER, HERON, WATER])


def test_words_of_several_passages_are_no_one_answer() -> None:
    assert not stands_in("Heron has 24 layers", [OTTER, HERON])
    assert stands_in("Heron has 24 layers", [OTTER + HERON])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes", True),
        ("no.", True),
        ("是的。", True),
        ("没有", True),
        ("No evidence", False),
        ("有三种", False),
        ("Norway", False),
    ],
)
def test_yes_and_no(answer: str, expected: bool) -> None:
    assert is_yes_or_no(answer) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Overall, Otter-Large has 24 layers. However, Heron was trained on BooksCorpus.", True, id="two passages"
        ),
        pytest.param("Both rose by 3.5 %. Otter dates from May 2018.", True, id="openers, other forms"),
        pytest.param("Otter-Large has 24 layers. It is by Jonas Weil.", False, id="a name"),
        pytest.param("Otter-Large has 25 layers.", False, id="a number"),
        pytest.param("It was released on 6 May 2018.", False, id="a date"),
        pytest.param("It learns quickly.", True, id="nothing to hold it to"),
        pytest.param("水獭模型共有3层。", True, id="zh"),
        pytest.param("水獭模型共有4层。", False, id="zh number"),
    ],
)
def test_sentences_hold_no_name_number_or_date_of_their_own(text: str, expected: bool) -> None:
    assert is_drawn_from(text, [OTTER, HERON, WATER]) is expected
