"""Which number of a sentence is the one that a question asks for."""

import pytest

from scholarmind.writing.answer_type import asked_number

REARED = "Control colonies reared 13.8 new queens on average, and colonies at 5 parts per billion 4.0."
GAINED = "After six weeks control colonies gained 412 g, colonies at 1 part per billion 405 g, and colonies at 5 parts 297 g."
GRAINS = "壁蜂单次访花在柱头上留下的花粉粒数为87粒，蜜蜂为52粒。"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How many new queens did colonies at 5 parts per billion rear?", REARED, "4.0"),
        ("How many new queens did control colonies rear?", REARED, "13.8"),
        ("How many grams did colonies at 1 part per billion gain?", GAINED, "405 g"),
        ("How many grams did control colonies gain?", GAINED, "412 g"),
        ("How many hives were of wood?", "There were 31 hives of polystyrene and 27 of wood.", "27"),
        ("What share of the nests did observers find?", "Dogs found 88% of the nests, observers 54%.", "54%"),
        ("How many grains do bees leave?", "Flies and bees left 87 and 52 grains, respectively.", "52"),
        ("How many colonies were used?", "We tagged 1,850 workers from 6 colonies.", "6"),
        ("How many dogs were fed?", "We fed 36 dogs with 0, 1 or 5 cups for six weeks.", "36"),
        (
            "How long did trips last in controls?",
            "Trips lasted 46 minutes in controls and 63 minutes at 5 cups.",
            "46 minutes",
        ),
        ("采样持续了多久？", "在3个地点采样持续了6周。", "6周"),
        ("How many ships sank?", "10 to 20 ships sank.", "10 to 20"),
        ("壁蜂单次访花的花粉粒数是多少？", GRAINS, "87"),
        ("蜜蜂单次访花的花粉粒数是多少？", GRAINS, "52"),
        ("蜜蜂留下多少粒花粉？", "壁蜂和蜜蜂留下的花粉粒数分别为87粒和52粒。", "52"),
    ],
)
def test_the_number_whose_clause_holds_most_of_the_question(question: str, text: str, expected: str) -> None:
    number = asked_number(question, text)
    assert number
    assert text[number.start : number.end].strip() == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many colonies were used?", "We tagged 1,850 workers in June."),
        ("How many colonies were there?", "Hives were of plastic (31 colonies) or of wood (27 colonies)."),
        ("How many queens are reared at 5 parts per billion?", "Colonies at 5 parts per billion rear few queens."),
        ("How many grains do flies leave?", "Bees and wasps left 87 and 52 grains, respectively."),
        ("竣蜓的分布海拔高度记录是多少？", "竣蜓的分布海拔高度记录分别为3200米和3500米。"),
    ],
)
def test_no_number_where_two_could_be_or_none_is_of_what_is_asked(question: str, text: str) -> None:
    assert asked_number(question, text) is None
