"""Scores without a model: rare words count for more, neighbours together for more, and the title and the cosine count too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rated_passages import Broken, Rare, passage

from scholarmind.model import Evidence
from scholarmind.ports import Lexicon
from scholarmind.reranking.local_features import LocalFeatures

pytestmark = pytest.mark.anyio

QUESTION = "the batch size of transformer training"


async def rate(question: str, *evidence: Evidence, lexicon: Lexicon | None = None) -> list[float]:
    rated = await LocalFeatures(lexicon).rate(question, evidence)
    return [score for score in rated.scores if score is not None]


async def test_what_has_every_word_in_order_is_perfect_and_what_has_none_is_nothing() -> None:
    everything = passage(
        "batch size of the transformer in training", title="Transformer training batch size", vector=1.0
    )
    assert await rate(QUESTION, everything, passage("a garden of roses", vector=-0.2)) == [pytest.approx(1.0), 0.0]


async def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    rare, common = passage("about transformer"), passage("about size")
    with_rare, with_common = await rate(QUESTION, rare, common, lexicon=Rare("transform"))
    assert with_rare > 3 * with_common
    assert len(set(await rate(QUESTION, rare, common))) == 1  # nothing is known of any word


async def test_words_that_stand_together_count_for_more_than_the_same_ones_far_apart() -> None:
    far = " filler words between them that are many more than three".join(["batch", "size", "transformer", "training"])
    together, apart = await rate(QUESTION, passage("batch size, transformer training"), passage(far))
    assert together > apart


async def test_a_title_has_words_too() -> None:
    with_title, without = await rate(
        QUESTION, passage("it was 4096", title="Transformer training"), passage("it was 4096")
    )
    assert with_title > without == 0.0


async def test_the_cosine_counts_where_there_is_one() -> None:
    text = "batch size"
    high, low, none = await rate(QUESTION, passage(text, vector=0.9), passage(text, vector=0.1), passage(text))
    assert high > none > low


async def test_chinese_is_scored_by_pairs_of_characters() -> None:
    right, wrong = await rate(
        "深度学习的训练方法", passage("这篇论文讨论深度学习和训练方法。"), passage("公园里有很多花。")
    )
    assert right > 0.5 > wrong == 0.0


async def test_a_question_without_words_scores_nothing() -> None:
    assert await rate("?!", passage("anything")) == [0.0]
    assert await rate("anything") == []


async def test_a_lexicon_that_fails_is_told_and_done_without() -> None:
    evidence = [passage("batch size"), passage("roses")]
    rated = await LocalFeatures(Broken()).rate(QUESTION, evidence)
    assert rated.scores == (await LocalFeatures().rate(QUESTION, evidence)).scores
    assert len(rated.notes) == 1
    assert "the disk is gone" in rated.notes[0]


async def test_the_reasons_tell_the_features() -> None:
    rated = await LocalFeatures().rate("batch size", [passage("batch size", vector=0.25)])
    assert rated.reasons == ("words 1.00, pairs 1.00, title 0.00, cosine 0.25",)


async def test_many_passages_are_scored_as_few_are() -> None:
    many = [passage(f"batch number {n} of size", n, vector=n / 200) for n in range(120)]
    at_once = (await LocalFeatures(Rare("batch")).rate(QUESTION, many)).scores
    assert at_once == tuple([(await LocalFeatures(Rare("batch")).rate(QUESTION, [item])).scores[0] for item in many])


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=80), st.none() | st.floats(-1, 1)), max_size=5))
async def test_scores_are_between_0_and_1(question: str, texts: list[tuple[str, float | None]]) -> None:
    evidence = [passage(text, vector=vector, title=text[:10]) for text, vector in texts]
    scores = await rate(question, *evidence, lexicon=Rare())
    assert len(scores) == len(evidence)
    assert all(0 <= score <= 1 + 1e-9 for score in scores)
