"""How alike a question and a passage are: the words that count, the cosine, and what stands for it."""

from pathlib import Path
from typing import Any

import pytest

from scholarmind import Document, Evidence, Library, Options, Passage, Scores
from scholarmind.steps.options import Scored
from scholarmind.strategies.scored_team import Similarity

RARITY = {"bert": 3.0, "hide": 1.0}
QUESTION = "What does BERT hide?"


def passage(text: str, title: str = "", **scores: Any) -> Evidence:
    """A passage with these scores; those of a library, unless only a fused one is given."""
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id=text, title=title),
        scores=Scores(**{"fused": 0.9, **scores}),
    )


def similarity(*items: Evidence, question: str = QUESTION, weight: float = 0.3, **rarity: Any) -> list[float]:
    """Return how similar the passages are, in the order in which they are given."""
    rated = Similarity.to(question, rarity, weight).rated(items)
    by_text = {item.passage.text: item.scores.fused for item in rated}
    return [by_text[item.passage.text] for item in items]


def test_words_and_cosine_are_weighed() -> None:
    (found,) = similarity(passage("BERT sees both sides", vector=0.5), **RARITY)
    assert found == pytest.approx(0.3 * 3 / 4 + 0.7 * 0.5)


@pytest.mark.parametrize(("weight", "expected"), [(0, 0.5), (1, 0.75)])
def test_the_weight_of_words(weight: float, expected: float) -> None:
    assert similarity(passage("BERT", vector=0.5), weight=weight, **RARITY) == pytest.approx([expected])


@pytest.mark.parametrize(("vector", "expected"), [(-0.2, 0.0), (1.0000002, 1.0)])
def test_a_cosine_counts_between_0_and_1(vector: float, expected: float) -> None:
    assert similarity(passage("other words", vector=vector), weight=0.0) == [expected]


def test_what_has_no_vector_is_compared_by_words_alone() -> None:
    assert similarity(passage("BERT", keyword=7.0), **RARITY) == [0.75]


def test_where_nothing_is_known_of_words_all_count_the_same() -> None:
    assert similarity(passage("BERT", keyword=7.0)) == [0.5]
    assert similarity(passage("BERT", keyword=7.0), bert=0.1, hide=0.5) == [0.5]


def test_the_title_belongs_to_the_passage() -> None:
    assert similarity(passage("It sees both sides", title="BERT", keyword=7.0), **RARITY) == [0.75]


def test_a_word_in_the_other_language_is_the_same_word() -> None:
    ours = similarity(passage("The attention mechanism", keyword=1.0), question="什么是注意力？")
    other = similarity(passage("A list of birds", keyword=1.0), question="什么是注意力？")
    assert ours == pytest.approx([2 / 3])  # beside the two pairs of the word stands one with the verb before it
    assert other == [0.0]


def test_somebody_elses_scores_between_0_and_1_stand_for_cosines() -> None:
    assert similarity(passage("one", fused=0.8), passage("two", fused=0.3), weight=0.5) == [0.4, 0.15]


@pytest.mark.parametrize("scores", [(12.5, 3.0), (1.0, 0.5)])
def test_scores_that_tell_only_the_order_do_not(scores: tuple[float, float]) -> None:
    found = similarity(passage("BERT", fused=scores[0]), passage("birds", fused=scores[1]), **RARITY)
    assert found == [0.75, 0.0]


def test_the_most_similar_comes_first() -> None:
    rated = Similarity.to(QUESTION, RARITY, 0.0).rated([passage("one", vector=0.2), passage("two", vector=0.6)])
    assert [item.passage.text for item in rated] == ["two", "one"]


def test_a_question_without_words_is_compared_by_the_cosine() -> None:
    assert similarity(passage("BERT", vector=0.5), question="???") == pytest.approx([0.35])


QUESTION_OF_NOTES = "Which otter note is about zebrafish in rivers?"


@pytest.fixture
def notes(library: Library, tmp_path: Path) -> Library:
    """More notes than the vectors of a search bring; one has a rare word of the question, and a vector that is far away."""
    for number in range(130):
        (tmp_path / f"{number}.md").write_text(f"Otter note {number} about rivers.")
    (tmp_path / "far.md").write_text("Zebrafish. " + " ".join(f"word{number}" for number in range(150)))
    library.add([tmp_path])
    return library


def found_in(library: Library, **scored: Any) -> list[Evidence]:
    """Return the candidates for the question, as they are compared with it."""
    chosen = Scored(similarity_threshold=0, top_k=20, enable_decomposition=False, **scored)
    return [*library.retrieve(QUESTION_OF_NOTES, (100,), options=Options(strategy="scored", scored=chosen))[100]]


def test_what_only_its_words_found_has_its_cosine_in_a_library(notes: Library) -> None:
    plain = notes.search(QUESTION_OF_NOTES, 20).evidence
    assert "far" in [item.document.title for item in plain if item.scores.vector is None]
    (far,) = (item for item in found_in(notes) if item.document.title == "far")
    assert far.scores.vector == pytest.approx(0, abs=0.2)
    assert far.scores.vector_rank is None


def test_only_the_collections_that_are_named_are_searched(notes: Library, tmp_path: Path) -> None:
    notes.add([tmp_path / "0.md"], collection="one")
    notes.add([tmp_path / "1.md"], collection="two")
    several = found_in(notes, collections=("one", "two"))
    assert sorted(item.document.collection for item in several) == ["one", "two"]
    assert [item.document.collection for item in found_in(notes, collections=("two",))] == ["two"]
    assert found_in(notes, collections=("nowhere",)) == []
