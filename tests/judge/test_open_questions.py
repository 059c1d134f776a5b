"""Sentences that state no answer, since what could bear it is a question that is unknown or disputed."""

import pytest

from scholarmind.judge.open_questions import asks_what_is_open, leaves_open


@pytest.mark.parametrize(
    "text",
    [
        "It remains unknown which gut bacteria, if any, protect bumblebees against Crithidia bombi.",
        "Whether robbing harms bean set is disputed [3].",
        "However, whether robbing harms bean set is still hotly debated.",
        "How glaciers slide is not yet well understood.",
        "The question of whether tea lowers blood pressure remains open.",
        "We do not know why the bridge fell.",
        "It is unclear how; what it costs is not known.",
        "目前尚不清楚哪种肠道细菌能保护熊蜂。",
        "盗蜜是否降低坐果率仍有争议。",
        "其作用机制是什么尚有待进一步研究。",
    ],
)
def test_embedded_questions_that_are_open_state_nothing(text: str) -> None:
    assert leaves_open(text)


@pytest.mark.parametrize(
    "text",
    [
        "Whether robbing harms bean set is disputed, but in our fields it did not.",
        "It is known which bacteria protect bumblebees.",
        "Whether robbing harms bean set is not disputed.",
        "When flowers are open, bees visit them.",
        "How far bees fly was measured by radar.",
        "What protects bumblebees is Gilliamella apicola.",
        "We asked whether robbing reduces bean set; it did not.",
        "The disputed border is 40 km long.",
        "坐果率是否降低取决于天气。",
        "作用机制尚不清楚，但坐果率提高了18%。",
    ],
)
def test_what_states_something_does_not(text: str) -> None:
    assert not leaves_open(text)


def test_the_clause_that_could_answer_decides() -> None:
    text = "It remains unknown which bacteria protect bees; Koch gave a first hint."
    assert leaves_open(text, "Which bacteria protect bees?")
    assert not leaves_open(text, "Who gave a first hint?")


def test_a_question_may_ask_for_what_is_open() -> None:
    assert asks_what_is_open("What is still unknown about gut bacteria?")
    assert not asks_what_is_open("Which bacterium protects bumblebees?")
