"""The gate's classifier: its shipped weights, and how they are put to use."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.planning.gate_features import SIZE, features
from scholarmind.planning.gate_model import GateModel, Head
from scholarmind.planning.gate_text import gate_text

WORDS = Head(counted=(0.0,) * SIZE, bias=0.0)
MEANING = Head(counted=(0.0,) * SIZE, bias=0.0, vector=(100, -50, 0), scale=0.01)
SMALL = GateModel(words=WORDS, meaning=MEANING, fingerprint="tiny", families=("a", "b"))


def test_the_shipped_weights_fit_the_features_and_the_vectors() -> None:
    model = GateModel.load()
    lengths = [len(model.words.counted), len(model.meaning.counted), len(model.words.vector), len(model.meaning.vector)]
    assert lengths == [SIZE, SIZE, 0, 384]


def test_families_that_are_reported_as_composite_are_not_trained_on() -> None:
    reported = {"musique_100", "hotpotqa_100", "multihop_rag_tune", "dragonball_tune"}
    assert reported.isdisjoint(GateModel.load().families)


@pytest.mark.parametrize(
    ("several", "one"),
    [
        (
            "Which singer of a band founded in Leeds wrote the song that was used in a film by Loach?",
            "Who wrote Hamlet?",
        ),
        ("出生于绍兴的作家所写的小说改编成的电影是在哪一年由谁执导的？", "张三是谁？"),
    ],
)
def test_the_shipped_model_knows_several_from_one(several: str, one: str) -> None:
    model = GateModel.load()
    assert model.probability(several, None) > 0.5 > model.probability(one, None)


def test_a_vector_counts_where_it_fits() -> None:
    chances = [round(SMALL.probability("Who?", vector), 3) for vector in ([1.0, 0, 0], [0, 1.0, 0], [1.0], None)]
    assert chances == [0.731, 0.378, 0.5, 0.5]


def test_weights_are_read_as_they_were_written() -> None:
    assert GateModel.parse(SMALL.dump()) == SMALL


@settings(deadline=None)
@given(st.text(max_size=400))
def test_every_text_has_its_features(text: str) -> None:
    numbers = features(gate_text(text))
    assert len(numbers) == SIZE
    assert all(0 <= number < 10 for number in numbers)


@settings(deadline=None)
@given(st.text(max_size=400), st.lists(st.floats(-1, 1), min_size=384, max_size=384))
def test_a_probability_is_one(text: str, vector: list[float]) -> None:
    assert 0 < GateModel.load().probability(text, vector) < 1
