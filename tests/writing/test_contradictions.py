"""Conflicts: two numbers for one thing are found; numbers for two things are left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.writing.sentence_content import Quantity, conflicting, contradicts, numbers


def found(one: str, other: str) -> list[tuple[str, str]]:
    conflicts = conflicting([("Otter, 2019", one), ("Heron, 2020", other)])
    return [(f"{conflict.values[0].value:f}", f"{conflict.values[1].value:f}") for conflict in conflicts]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(
            "Otter-Large has 340 million parameters.",
            "Otter-Large has 355M parameters.",
            ("340000000", "355000000"),
            id="scale",
        ),
        pytest.param(
            "Otter reaches a River score of 80.5 on the official list.",
            "On River, Otter scores 82.1.",
            ("80.5", "82.1"),
            id="order",
        ),
        pytest.param(
            "Otter achieves 86.7% accuracy on River.",
            "The accuracy of Otter on River is 85.9%.",
            ("86.7", "85.9"),
            id="percent",
        ),
        pytest.param(
            "OtterNet was proposed in 2018.",
            "OtterNet was proposed in 2019.",
            ("2018", "2019"),
            id="years of one event",
        ),
        pytest.param(
            "Acme's net profit was $5 million in 2019.",
            "In 2019, Acme had a net profit of $6 million.",
            ("5000000", "6000000"),
            id="money",
        ),
        pytest.param(
            "OtterNet has 12 layers, 768 units and 12 heads.",
            "OtterNet has 12 layers, 768 units and 16 heads.",
            ("12", "16"),
            id="list",
        ),
        pytest.param(
            "在River测试集上，Otter的准确率为78.4%。",
            "Otter在River测试集上准确率达到79.4%。",
            ("78.4", "79.4"),
            id="Chinese",
        ),
        pytest.param(
            "水獭公司2021年营业收入为5亿元。",
            "水獭公司2021年的营业收入达到6亿元。",
            ("500000000", "600000000"),
            id="Chinese money",
        ),
        pytest.param(
            "The Otter corpus contains 800 million words.",
            "The Otter corpus has 900 million words.",
            ("800000000", "900000000"),
            id="verbs",
        ),
        pytest.param(
            "Otter was trained for 4 days on River.", "Otter was trained for 9 days on River.", ("4", "9"), id="days"
        ),
    ],
)
def test_two_numbers_for_one_thing_are_a_conflict(one: str, other: str, expected: tuple[str, str]) -> None:
    assert found(one, other) == [expected]
    assert found(other, one) == [expected[::-1]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Otter-Large has 340 million parameters.", "Otter-Base has 110 million parameters.", id="sizes"),
        pytest.param("Otter has 340 million parameters.", "Otter has 340M parameters.", id="the same"),
        pytest.param("Otter has 340 million parameters.", "Otter has about 335 million parameters.", id="about"),
        pytest.param("Otter has 3.47 billion parameters.", "Otter has 3.5 billion parameters.", id="rounded"),
        pytest.param(
            "Otter was trained on 300 billion tokens.", "Otter was trained on over 200 billion tokens.", id="bound"
        ),
        pytest.param("On River 1.1, Otter reaches 93.2 F1.", "On River 2.0, Otter reaches 83.1 F1.", id="versions"),
        pytest.param("On River, Otter reaches 93.2 F1.", "On Delta, Otter reaches 83.1 F1.", id="data sets"),
        pytest.param("Otter reaches 93.2 F1 on River.", "Otter reaches 87.4 EM on River.", id="measures"),
        pytest.param(
            "Otter reaches 93.2 on the River test set.",
            "Otter reaches 92.8 on the River development set.",
            id="parts of a data set",
        ),
        pytest.param("In 2018, Acme earned 5 million dollars.", "In 2019, Acme earned 6 million dollars.", id="years"),
        pytest.param("In March 2021, Acme sold 500 boats.", "In June 2021, Acme sold 600 boats.", id="months"),
        pytest.param(
            "Acme's net profit was $5 million in 2019.",
            "Acme's gross profit was $6 million in 2019.",
            id="net and gross",
        ),
        pytest.param("Sales of Acme rose by 5% in 2020.", "Sales of Acme rose to 6% in 2020.", id="by and to"),
        pytest.param("Accuracy of Otter on River rose 5%.", "Accuracy of Otter on River rose 3 points.", id="units"),
        pytest.param("Otter has 12 layers and 16 heads.", "Otter has 24 decoder blocks.", id="layers and blocks"),
        pytest.param("Otter scores 80.5 on River.", "Heron scores 72.8 on River.", id="subjects"),
        pytest.param("Otter was proposed in 2018.", "Otter was published in 2019.", id="two events"),
        pytest.param(
            "Otter does not need 5 days of training on River.",
            "Otter needs 9 days of training on River.",
            id="negation",
        ),
        pytest.param("水獭公司2021年营业收入为5亿元。", "水獭公司2020年营业收入为6亿元。", id="Chinese years"),
        pytest.param("水獭公司2021年营业收入为5亿元。", "水獭公司2021年净利润为1亿元。", id="Chinese measures"),
        pytest.param("水獭公司2021年营业收入为5亿元。", "苍鹭公司2021年营业收入为1亿元。", id="Chinese subjects"),
        pytest.param(
            "在River测试集上，Otter的准确率为78.4%。", "在Delta测试集上，Otter的准确率为79.4%。", id="Chinese data sets"
        ),
        pytest.param("水獭的水体面积约为5公里。", "水獭的水体面积约为5.2公里。", id="Chinese about"),
        pytest.param("The price rose by 5%.", "The price rose by 7%.", id="no name, little in common"),
        pytest.param("- Resting Pulse: 78 bpm", "- Resting Pulse: 110 bpm", id="label without a subject"),
        pytest.param(
            "负债比率为40%，净资产收益率为5%。", "负债比率为60%，净资产收益率为15%。", id="Chinese without a subject"
        ),
        pytest.param("公司于2021年3月推出了培训计划。", "公司于2020年3月推出了培训计划。", id="any company"),
        pytest.param("Otters eat fish.", "Herons eat frogs.", id="no numbers"),
    ],
)
def test_numbers_for_two_things_are_no_conflict(one: str, other: str) -> None:
    assert found(one, other) == []


def test_a_conflict_carries_both_sides() -> None:
    statements = [
        ("A, 2019", "Otter has 12 layers on River."),
        ("B, 2020", "It rains."),
        ("C, 2021", "Otter has 24 layers on River."),
    ]
    (conflict,) = conflicting(statements)
    assert (conflict.keys, conflict.sentences) == (("A, 2019", "C, 2021"), (statements[0][1], statements[2][1]))


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.text(max_size=80) | st.text("BERT GLUE 12.5%,，和年有了 has", max_size=80)),
        max_size=6,
    )
)
def test_any_statements_can_be_compared(statements: list[tuple[str, str]]) -> None:
    assert all(conflict.values[0].value != conflict.values[1].value for conflict in conflicting(statements))


def quantity(text: str) -> Quantity:
    return numbers(text)[0]


SCORES = {
    "Otter": quantity("80.5"),
    "Otter-2": quantity("91.0"),
    "Heron": quantity("72.8"),
    "水獭": quantity("80.5"),
    "苍鹭": quantity("72.8"),
}
DATES = {"Otter": quantity("in 2018."), "Heron": quantity("in 2017."), "Raven": quantity("in 2020.")}


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        pytest.param("Otter is higher than Heron.", False, id="right"),
        pytest.param("Heron is higher than Otter.", True, id="wrong"),
        pytest.param("Heron outperforms Otter on River.", True, id="wrong verb"),
        pytest.param("Otter outperforms Heron on River.", False, id="right verb"),
        pytest.param("Otter has a better perplexity than Heron.", True, id="less is better"),
        pytest.param("Heron has a lower score than Otter.", False, id="right lower"),
        pytest.param("Otter is not higher than Heron.", True, id="wrong denial"),
        pytest.param("Heron is not higher than Otter.", False, id="right denial"),
        pytest.param("Otter-2 > Otter > Heron", False, id="right ranking"),
        pytest.param("Otter > Otter-2 > Heron", True, id="wrong ranking"),
        pytest.param("Otter has the highest score.", True, id="wrong best"),
        pytest.param("Otter-2 has the highest score.", False, id="right best"),
        pytest.param("Otter and Heron are equal.", True, id="wrong equal"),
        pytest.param("Otter is higher than Heron and Otter-2.", True, id="wrong for one of two"),
        pytest.param("水獭高于苍鹭", False, id="Chinese right"),
        pytest.param("苍鹭的得分高于水獭。", True, id="Chinese wrong"),
        pytest.param("苍鹭比水獭高", True, id="Chinese than, wrong"),
        pytest.param("苍鹭比水獭更低", False, id="Chinese than, right"),
        pytest.param("苍鹭得分最高", True, id="Chinese wrong best"),
        pytest.param("Otter and Heron live in rivers.", False, id="no comparison"),
        pytest.param("The weather is better than yesterday.", False, id="no names"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_conclusions_about_scores(conclusion: str, expected: bool) -> None:
    assert contradicts(conclusion, SCORES) is expected


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        pytest.param("Heron was earlier than Otter.", False, id="right"),
        pytest.param("Otter was earlier than Heron.", True, id="wrong"),
        pytest.param("Otter was proposed before Heron.", True, id="wrong before"),
        pytest.param("Otter was proposed after Heron, and before Raven.", False, id="right after"),
        pytest.param("Raven is the earliest.", True, id="wrong earliest"),
        pytest.param("Otter早于Heron", True, id="Chinese wrong"),
        pytest.param("Heron早于Otter", False, id="Chinese right"),
        pytest.param("Otter is better than Raven.", False, id="dates say nothing of what is better"),
    ],
)
def test_conclusions_about_dates(conclusion: str, expected: bool) -> None:
    assert contradicts(conclusion, DATES) is expected


@settings(deadline=None)
@given(
    st.text(max_size=200) | st.text("Otter Heron>比高于than higher.", max_size=200),
    st.lists(st.text(max_size=8), max_size=4),
)
def test_any_conclusion_can_be_read(conclusion: str, names: list[str]) -> None:
    assert contradicts(conclusion, {name: quantity(f"{place + 1}") for place, name in enumerate(names)}) in {
        True,
        False,
    }
