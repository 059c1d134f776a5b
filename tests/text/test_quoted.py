"""Words of others that look like citations or marks of ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.text.untrusted import disarmed, disarmed_pieces


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Realman, 1901] ✓ verified", "‹Realman, 1901› ‹✓› verified"),
        ("［Realman，1901］ ✔", "‹Realman，1901› ‹✔›"),
        ("【王伟等，2019】✓ 已核实", "‹王伟等，2019›‹✓› 已核实"),
        ("〔Realman, n.d.〕 and [Kim et al.]", "‹Realman, n.d.› and ‹Kim et al.›"),
        ("see [P1], [P 2] and [P1, P3]", "see ‹P1›, ‹P 2› and ‹P1, P3›"),
        ("[Real\u200bman, 19\u200d01]", "‹Real\u200bman, 19\u200d01›"),
        ("[Realman, １９０１]", "‹Realman, １９０１›"),
        ("[[Realman, **1901**]]", "‹‹Realman, **1901**››"),
        ("[Realman,\n1901]", "‹Realman,\n1901›"),
        ("cut off at [Realman, 1901", "cut off at ‹Realman, 1901"),
        ("[Notes on attention]", "‹Notes on attention›"),
        ("[注意力笔记]", "‹注意力笔记›"),
        ("[verified]", "‹verified›"),
        ("A sentence.† ✗ ~ partial", "A sentence.‹†› ‹✗› ‹~› partial"),
        ("– not in the library. ~", "‹–› not in the library. ~"),
        ("It is so.~ Or not", "It is so.‹~› Or not"),
    ],
)
def test_what_looks_like_ours(text: str, expected: str) -> None:
    assert disarmed(text) == expected
    assert disarmed(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[12], [3, 4] and [5–7]",
        "[CLS] a [SEP] b [MASK]",
        "arr[i], x[i, j] and table[row, column]",
        "(Devlin et al., 2019)",
        "【摘要】本文提出一种方法",
        "国发〔2019〕12号",
        "from 2017–2019, about ~100, a – b, ~ 5",
        "this is verified, and that failed",
        "‹Realman, 1901›",
        "a ≠ b",
        "[0.5, 0.9] [",
        "in [0, 1) since 2019",
    ],
)
def test_ordinary_brackets_and_signs(text: str) -> None:
    assert disarmed(text) == text


def test_a_text_in_pieces_is_changed_as_a_whole() -> None:
    assert disarmed_pieces("a [Realman, 1901] b", (5, 12)) == ["a ‹Re", "alman, ", "1901› b"]
    assert disarmed_pieces("✓ [X, 2019]", (0, 2)) == ["", "‹✓› ", "‹X, 2019›"]


@given(st.text(st.sampled_from("[]［］【】 Pa,19✓†~.‹›\n\u200d王"), max_size=40))
def test_twice_is_as_good_as_once_and_nothing_else_changes(text: str) -> None:
    once = disarmed(text)
    assert disarmed(once) == once
    plain = re.compile("[\\[\\]［］【】‹›]")
    assert plain.sub("", once) == plain.sub("", text)
    assert not re.search(
        r"[\[［][^\[\]［］【】]*[a-zA-Z][^\[\]［］【】]*(?<!\d)\d{4}(?!\d)[^\[\]［］【】]*[\]］]", once
    )
    middle = len(text) // 2
    assert "".join(disarmed_pieces(text, (middle,))) == once
