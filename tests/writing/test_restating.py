"""Sentences in a model's own words: what code confirms of honest ones, and that it confirms none with one thing wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paraphrases import ACROSS, CHINESE, ENGLISH, INVENTED, MORE, sections

from scholarmind.writing.check import support
from scholarmind.writing.restating import judged

OTTER = (
    "Otter-Large has 24 layers and 340 million parameters; Otter-Base has 12 layers and 110 million parameters. "
    "Otter was proposed by Mira Falk. On the River benchmark, Otter-Large obtains 80.5, against 72.8 for Heron. "
    "Otter does not generate text. Training costs fell by 42.5%."
)


def confirmed(sentences: list[tuple[str, str]]) -> list[str]:
    """Return those of (section, sentence) that are confirmed."""
    return [sentence for section, sentence in sentences if judged(sentence, sections(section)) != "unsupported"]


@pytest.mark.parametrize(
    ("examples", "least"), [(ENGLISH, 14), (CHINESE, 14), (MORE, 14)], ids=["English", "Chinese", "more"]
)
def test_most_honest_sentences_are_confirmed_and_no_wrong_one(
    examples: tuple[tuple[str, str, str, str], ...], least: int
) -> None:
    assert confirmed([(section, wrong) for section, _, wrong, _ in examples]) == []
    honest = [(section, honest) for section, honest, _, _ in examples]
    assert len(confirmed(honest)) >= least
    assert len(confirmed(honest)) > sum(support(text, sections(name)) != "unsupported" for name, text in honest)


def test_sentences_in_another_language_are_confirmed_by_numbers_and_names() -> None:
    assert confirmed([(section, wrong) for section, _, wrong in ACROSS]) == []
    assert len(confirmed([(section, honest) for section, honest, _ in ACROSS])) >= 9


def test_what_is_only_on_the_subject_is_not_confirmed() -> None:
    # "document rotation is the best kind of damage": all its words are there, and nothing that code could hold against it
    assert len(confirmed(list(INVENTED))) <= 1


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("Otter-Large has 24 layers and 340 million parameters", "verified", id="quote"),
        pytest.param("The 24 layers of Otter-Large hold 340 million parameters.", "paraphrase", id="other words"),
        pytest.param(
            "The 12 layers of Otter-Large hold 340 million parameters.", "unsupported", id="number of a sibling"
        ),
        pytest.param("With 80.5, Otter-Large is ahead of Heron, which gets 72.8 on River.", "paraphrase", id="order"),
        pytest.param("With 72.8, Otter-Large is behind Heron, which gets 80.5 on River.", "unsupported", id="swapped"),
        pytest.param("Heron and Otter-Large get 80.5 and 72.8 on River.", "unsupported", id="respectively, swapped"),
        pytest.param("The cost of training fell by 42.5%.", "paraphrase", id="fall"),
        pytest.param("The cost of training rose by 42.5%.", "unsupported", id="rise for fall"),
        pytest.param("Otter generates text.", "unsupported", id="negation left out"),
        pytest.param("Otter was proposed by Anna Falk.", "unsupported", id="other name"),
        pytest.param("Otters eat fish and live in rivers.", "unsupported", id="something else"),
        pytest.param("Otter-Large有24层、3.4亿参数。", "paraphrase", id="Chinese"),
        pytest.param("Otter-Large有12层、1.1亿参数。", "unsupported", id="Chinese, of a sibling"),
        pytest.param("Otter不能生成文本。", "paraphrase", id="Chinese, by words of the glossary"),
        pytest.param("Otter能生成文本。", "unsupported", id="Chinese, negation left out"),
        pytest.param("Otter深受欢迎。", "unsupported", id="Chinese, nothing to go by"),
        pytest.param("", "unsupported", id="nothing"),
    ],
)
def test_a_sentence_is_judged_by_numbers_names_and_words(claim: str, expected: str) -> None:
    assert judged(claim, [OTTER]) == expected


def test_names_of_the_document_may_be_used() -> None:
    claim = "Zhenzhong Lan shows that Otter-Large has 340 million parameters."
    assert judged(claim, [OTTER]) == "unsupported"
    assert judged(claim, [OTTER], about="Otter, by Zhenzhong Lan") == "paraphrase"


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_judged(claim: str, quote: str) -> None:
    assert judged(claim, [quote, OTTER]) in ("verified", "paraphrase", "unsupported")
    assert judged(claim, []) == "unsupported"
