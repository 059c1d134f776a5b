"""Whether a text says a sentence, by the network that ships; the sentences are of no text that it was trained on."""

import numpy as np
import pytest

from scholarmind.adapters.e5.reader import E5Entailment, E5Reader

LIBRARY = (
    "Opening hours of the reading room The reading room is open from nine to five on weekdays and closes at noon on Saturdays. "
    "Bags have to be left in the lockers beside the entrance, which take a one-euro coin. Photographs may be taken without a flash."
)
MUSEUM = "博物馆参观须知 博物馆每周一闭馆，其余日子上午九点开门。馆内可以拍照，但禁止使用闪光灯和三脚架。十二岁以下儿童免费。"


@pytest.fixture(scope="module")
def says() -> E5Entailment:
    return E5Entailment(E5Reader())


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (LIBRARY, "Pictures are allowed as long as no flash is used.", "Pictures are allowed only with a permit."),
        (LIBRARY, "Visitors must put their bags into a locker.", "Visitors may take their bags inside."),
        (MUSEUM, "星期一不能参观。", "星期二不能参观。"),
        (MUSEUM, "馆内允许拍照。", "馆内允许吸烟。"),
        (MUSEUM, "The museum is closed on Mondays.", "The museum has a new director."),
    ],
)
def test_what_a_text_says_has_better_odds_than_what_it_does_not(
    says: E5Entailment, text: str, right: str, wrong: str
) -> None:
    odds = [says(text, sentence) for sentence in (right, wrong)]
    assert odds[0] is not None
    assert odds[1] is not None
    assert odds[0] > odds[1]


def test_something_else_is_not_said(says: E5Entailment) -> None:
    odds = says(LIBRARY, "The third edition of the atlas was printed in Leipzig.")
    assert odds is not None
    assert odds < -1


def test_the_same_pair_has_the_same_odds_whatever_was_read_between(says: E5Entailment) -> None:
    first = E5Entailment(E5Reader())(LIBRARY, "Flashes are forbidden.")
    says(MUSEUM, "馆内可以拍照。")
    assert says(LIBRARY, "Flashes are forbidden.") == first


def test_letters_that_nobody_here_reads_have_no_odds(says: E5Entailment) -> None:
    assert says(LIBRARY, "ᎣᏏᏲ ᏙᎯᏧ ᎣᏍᏓ ᎤᏙᎯᏳ ᎢᎦ") is None


def test_eight_bits_are_close_to_all() -> None:
    reader = E5Reader()
    sentence = "The lockers need a coin."
    found = [E5Entailment(reader, int8=int8)(LIBRARY, sentence) for int8 in (True, False)]
    assert found[0] == pytest.approx(found[1], abs=0.5)


@pytest.mark.parametrize("text", ["", " ", "x" * 50_000, "。" * 3_000])
def test_any_text_is_read(says: E5Entailment, text: str) -> None:
    odds = says(text, "The lockers need a coin.")
    assert odds is not None
    assert np.isfinite(odds)
