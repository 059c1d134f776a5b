"""Which group a number is said of, and which side of a comparison has more; sentences made up for this."""

import pytest

from scholarmind.judge.groups import given_to_another, is_reversed, is_turned
from scholarmind.judge.wording import read

TRIAL = "12个月后，干预组服药依从率为81.3%，对照组为58.8%；"
MOSS = "Moss cover reached 46% on planted plots and 11% on unplanted ones."
PRICES = "A wheel barometer cost three guineas, a portable barometer seven."


@pytest.mark.parametrize(
    ("sentence", "source", "expected"),
    [
        ("对照组的服药依从率为81.3%。", TRIAL, [("81.3%", "58.8%")]),
        ("干预组的服药依从率达到81.3%。", TRIAL, []),
        ("On unplanted plots moss cover reached 46%.", MOSS, [("46%", "11%")]),
        ("On planted plots moss cover reached 46%, on unplanted ones 11%.", MOSS, []),
        ("A wheel barometer cost seven guineas.", PRICES, [("seven", "three")]),
        ("A portable barometer cost seven guineas.", PRICES, []),
        ("On Squad 2.0 moss stays below fern.", "On Squad 2.0 moss reaches 89.2 points, and fern below it 89.4.", []),
    ],
)
def test_a_number_is_held_against_its_group(sentence: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert list(given_to_another(read(sentence), read(source))) == expected


@pytest.mark.parametrize(
    ("sentence", "source", "expected"),
    [
        ("Bogs need longer than fens until then.", "Fens needed longer than bogs.", ("longer", "longer")),
        ("Fens need longer than bogs until then.", "Fens needed longer than bogs.", None),
        ("Bogs took less time than fens.", "Fens needed longer than bogs.", None),
        ("防霜扇的回收期比喷灌短。", "喷灌的回收期比防霜扇短。", ("短", "短")),
        ("夯土墙的传热系数高于砖墙。", "夯土墙的传热系数为1.35，砖墙为2.04。", ("高", "1.35 : 2.04")),
        ("夯土墙的传热系数低于砖墙。", "夯土墙的传热系数为1.35，砖墙为2.04。", None),
        (
            "Collars with sedge emitted less methane than collars without it.",
            "Collars with sedge emitted three times as much methane as collars without it.",
            ("less", "as"),
        ),
    ],
)
def test_a_comparison_has_two_sides(sentence: str, source: str, expected: tuple[str, str] | None) -> None:
    assert is_turned(read(sentence), read(source)) == expected


def test_what_rises_first_and_falls_then_is_no_fall_and_rise() -> None:
    source = read("The number of clubs rose until 1809 and fell afterwards.")
    assert is_reversed(read("The number of clubs fell until 1809 and rose afterwards."), source) == (
        "fell, rose",
        "rose, fell",
    )
    assert is_reversed(read("The number of clubs rose until 1809 and fell afterwards."), source) is None
