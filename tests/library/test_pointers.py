"""Where a text points at its references."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.library.references import parse, pointers
from scholarmind.model import Reference

NUMBERED = [Reference(text=f"[{number}] x", start=0, end=1, label=str(number)) for number in range(1, 31)]
LETTERED = [
    Reference(text="x", start=0, end=1, label=label)
    for label in ("DCLT19", "VSP+17", "Knu84a", "Devlin et al., 2019", "Liu, 2020")
]
NAMED_LIST = """\
Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training. NAACL.
Devlin, J., & Chang, M.-W. (2019a). A first work of two. ACL.
Devlin, J., & Chang, M.-W. (2019b). A second work of two. ACL.
Liu, Y., Ott, M., & Goyal, N. (2019). RoBERTa. arXiv:1907.11692.
van der Maaten, L., & Hinton, G. (2008). Visualizing data using t-SNE. JMLR, 9, 2579–2605.
Turing, A. M. (1950). Computing machinery and intelligence. Mind, 59, 433–460.
Turing, A. M. (1936). On computable numbers. Proceedings of the LMS, 42, 230–265.
World Health Organization. (2020). Global status report. Author.
García Márquez, G. (1967). Cien años de soledad. Sudamericana.
Spärck Jones, K. (1972). A statistical interpretation of term specificity. Journal of Documentation, 28, 11–21.
张伟, 李娜, 王芳（2020）. 文本分类研究. 计算机学报.
欧阳明, 李小娜（2018）. 知识图谱. 软件学报.
O'Neill, P., & Ngo, T. (2021). One more work. ACL.
Smith, A. (2015). The one work. ACL.
Smith, B. (2015). The other work. ACL.
"""
NAMED = parse(NAMED_LIST, 0, len(NAMED_LIST))


def found(
    text: str, references: list[Reference], skip: list[tuple[int, int]] | None = None
) -> list[tuple[str, tuple[int, ...]]]:
    """Return what the pointers of a text read, and at what they point."""
    return [
        (text[pointer.start : pointer.end], pointer.references) for pointer in pointers(text, references, skip or [])
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("As shown in [12].", [("[12]", (11,))]),
        ("Several [3, 5-7] agree.", [("[3, 5-7]", (2, 4, 5, 6))]),
        ("Several [3–5] agree.", [("[3–5]", (2, 3, 4))]),
        ("Both [1], [2] and [3].", [("[1]", (0,)), ("[2]", (1,)), ("[3]", (2,))]),
        ("All of [1]–[4].", [("[1]–[4]", (0, 1, 2, 3))]),
        ("Both [1][2].", [("[1]", (0,)), ("[2]", (1,))]),
        ("See [12, p. 5] for it.", [("[12, p. 5]", (11,))]),
        ("See [12, Theorem 3.1].", [("[12, Theorem 3.1]", (11,))]),
        ("张伟等[3]提出了一种方法【4】。", [("[3]", (2,)), ("【4】", (3,))]),
        ("Devlin et al.[3] say so.", [("[3]", (2,))]),
        ("BERT (base) [3] and (large)[4].", [("[3]", (2,)), ("[4]", (3,))]),
        ("the array x[1] and f(x)[2]", []),
        ("the matrix A[1, 2] and a_[3]", []),
        ("in the interval [1, 5] or x ∈ [2, 3]", []),
        ("x = [1, 2]", []),
        ("a value in [0, 1]", []),
        ("the year [2019] and page [31]", []),
        ("nothing ] [ here [a] [1a]", []),
        ("the range [1, 100]", []),
    ],
)
def test_numbers(text: str, wanted: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text, NUMBERED) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("BERT [DCLT19] is one.", [("[DCLT19]", (0,))]),
        ("Both [DCLT19, VSP+17].", [("[DCLT19, VSP+17]", (0, 1))]),
        ("Both [DCLT19; Knu84a].", [("[DCLT19; Knu84a]", (0, 2))]),
        ("See [Knu84a, p. 12].", [("[Knu84a, p. 12]", (2,))]),
        ("As [Devlin et al., 2019] say.", [("[Devlin et al., 2019]", (3,))]),
        ("As [Devlin et al., 2019; Liu, 2020] say.", [("[Devlin et al., 2019; Liu, 2020]", (3, 4))]),
        ("Not [Dev19] nor [1].", []),
    ],
)
def test_letters(text: str, wanted: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text, LETTERED) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It is so (Devlin et al., 2019).", [("(Devlin et al., 2019)", (0,))]),
        ("Devlin et al. (2019) say so.", [("Devlin et al. (2019)", (0,))]),
        ("Devlin and colleagues (2019) say so.", [("Devlin and colleagues (2019)", (0,))]),
        (
            "It is so (Devlin and Chang, 2019a; Liu et al., 2019).",
            [("(Devlin and Chang, 2019a; Liu et al., 2019)", (1, 3))],
        ),
        ("It is so (Devlin & Chang 2019b).", [("(Devlin & Chang 2019b)", (2,))]),
        ("Devlin and Chang (2019a,b) say so.", [("Devlin and Chang (2019a,b)", (1, 2))]),
        ("Devlin and Chang (2019) are two.", []),
        ("It is so (Devlin, Chang, Lee, and Toutanova, 2019).", [("(Devlin, Chang, Lee, and Toutanova, 2019)", (0,))]),
        ("van der Maaten and Hinton (2008) draw.", [("van der Maaten and Hinton (2008)", (4,))]),
        ("Turing (1936, 1950) asked.", [("Turing (1936, 1950)", (6, 5))]),
        ("Turing’s (1950) question.", [("Turing’s (1950)", (5,))]),
        ("It is so (see Turing, 1950, p. 433).", [("(see Turing, 1950, p. 433)", (5,))]),
        ("It is so (e.g., Turing, 1950; Liu et al., 2019).", [("(e.g., Turing, 1950; Liu et al., 2019)", (5, 3))]),
        ("It is so [Turing, 1950].", [("[Turing, 1950]", (5,))]),
        ("As reported (World Health Organization, 2020).", [("(World Health Organization, 2020)", (7,))]),
        ("As García Márquez (1967) wrote.", [("García Márquez (1967)", (8,))]),
        ("As Spärck Jones (1972) wrote.", [("Spärck Jones (1972)", (9,))]),
        ("As O’Neill and Ngo (2021) wrote.", [("O’Neill and Ngo (2021)", (12,))]),
        ("已有研究（张伟等，2020）表明。", [("（张伟等，2020）", (10,))]),
        ("如张伟等(2020)所述。", [("张伟等(2020)", (10,))]),
        ("张氏（2020）统计了全国的桥。", [("张氏（2020）", (10,))]),
        ("王氏（2020）统计了全国的桥。", []),
        ("欧阳明和李小娜（2018）提出。", [("欧阳明和李小娜（2018）", (11,))]),
        ("研究表明（张伟等，2020；欧阳明和李小娜，2018）。", [("（张伟等，2020；欧阳明和李小娜，2018）", (10, 11))]),
        ("Nobody (2019) knows, and In 2019 Devlin left.", []),
        ("Smith (2015) may be either.", []),
        ("Devlin and Chang, as of 2019, and May 2019.", []),
        ("Turing, 1951, is no reference.", []),
    ],
)
def test_names_and_years(text: str, wanted: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text, NAMED) == wanted


def test_the_list_itself_points_at_nothing() -> None:
    text = "As in [1].\n\n[1] J. Doe, “See [2],” 2001.\n[2] Doe and Devlin et al. (2019)."
    assert found(text, NUMBERED, [(12, len(text))]) == [("[1]", (0,))]
    assert found(text, [], []) == []


def test_a_list_and_its_text_together() -> None:
    text = "Transformers [1] and BERT [2]; both are large [1, 2].\n\n[1] A. Vaswani, “Attention,” 2017.\n[2] J. Devlin, “BERT,” 2019.\n"
    begin = text.index("[1] A.")
    references = parse(text, begin, len(text))
    assert found(text, references, [(begin, len(text))]) == [("[1]", (0,)), ("[2]", (1,)), ("[1, 2]", (0, 1))]


@pytest.mark.parametrize(
    "text",
    [
        "[1, " * 25_000,
        "[" * 100_000,
        "Smith " * 16_000,
        "Smith, " * 14_000,
        "Smith and " * 10_000,
        "van der " * 12_000,
        "2019 " * 20_000,
        "Devlin et al. " * 7_000,
        "(Turing, 1950; " * 6_500,
        "张" * 100_000,
        "张伟、" * 33_000,
        " " * 100_000,
        "A" * 100_000,
    ],
    ids=lambda text: text[:14],
)
@pytest.mark.timeout(120)
def test_no_text_holds_it_up(text: str) -> None:
    for references in (NUMBERED, LETTERED, NAMED):
        for pointer in pointers(text, references, []):
            assert 0 <= pointer.start < pointer.end <= len(text)


_PIECES = st.sampled_from(
    [
        "[1]",
        "[2, 3]",
        "[",
        "]",
        "(",
        ")",
        "Devlin",
        " et al.",
        " and ",
        "Chang",
        ", ",
        "2019",
        "2019a",
        ";",
        "张伟等",
        "，",
        "2020",
        "x",
        " ",
        "Turing",
        "1950",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_PIECES, max_size=30).map("".join), st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=3)
)
def test_pointers_are_ordered_and_outside_of_what_is_skipped(text: str, skip: list[tuple[int, int]]) -> None:
    references = [*NUMBERED[:3], *NAMED]
    places = pointers(text, references, [(min(pair), max(pair)) for pair in skip])
    borders = [0, *(border for place in places for border in (place.start, place.end)), len(text)]
    assert borders == sorted(borders)
    for place in places:
        assert place.references
        assert all(0 <= number < len(references) for number in place.references)
        assert not any(max(place.start, min(pair)) < min(place.end, max(pair)) for pair in skip)
