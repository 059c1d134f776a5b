"""A question in other words is known again; one that asks something else is not, however alike the words are."""

import math

import numpy as np
import pytest

from scholarmind.errors import ModelUnavailableError
from scholarmind.planning.plan_cache import WordingCache, signature
from scholarmind.ports import Embeddings
from scholarmind.steps.run_caches import Recent

pytestmark = pytest.mark.anyio


class Foreign:
    """Knows no word."""

    fingerprint = "foreign"

    async def embed(self, texts: list[str]) -> Embeddings:
        return Embeddings(vectors=np.ones((len(texts), 1), np.float32), unknown=[1.0] * len(texts))


class Broken:
    fingerprint = "broken"

    async def embed(self, texts: list[str]) -> Embeddings:
        raise ModelUnavailableError("gone")


class Fixed:
    """All texts are the same to it."""

    fingerprint = "fixed"

    async def embed(self, texts: list[str]) -> Embeddings:
        return Embeddings(vectors=np.ones((len(texts), 1), np.float32), unknown=[0.0] * len(texts))


def before(embedder: object, scope: str = "", cache: Recent | None = None) -> WordingCache:
    return WordingCache(cache=cache or Recent(), embedder=embedder, scope=scope)  # type: ignore[arg-type]


async def test_the_first_wording_is_the_one_that_counts() -> None:
    asked = before(Fixed())
    assert await asked.same("Who proposed BERT?", ()) is None
    again = await asked.same("Who was it that proposed BERT?", ())
    assert again is not None
    assert again.question == "Who proposed BERT?"
    assert await asked.same("Who proposed BERT?", ()) is None


@pytest.mark.parametrize(("cosine", "expected"), [("0.971", True), ("0.969", False)])
async def test_vectors_must_nearly_agree(cosine: str, expected: bool) -> None:
    class Angle:
        fingerprint = "angle"
        calls = 0

        async def embed(self, texts: list[str]) -> Embeddings:
            self.calls += 1
            value = 1.0 if self.calls == 1 else float(cosine)
            return Embeddings(vectors=np.array([[value, math.sqrt(1 - value**2)]], np.float32), unknown=[0.0])

    asked = before(Angle())
    assert await asked.same("Who proposed BERT?", ()) is None
    assert (await asked.same("who was it that proposed BERT?", ()) is not None) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Did BERT beat GPT-2 on GLUE?", "Did GPT-2 beat BERT on GLUE?"),
        ("Which model is the best on GLUE?", "Which model is the worst on GLUE?"),
        ("What was published before 2019?", "What was published before 2020?"),
        ("Is attention needed?", "Is attention not needed?"),
        ("Who proposed BERT?", "When was BERT proposed?"),
        ("How does BERT perform on SQuAD?", "How does BERT perform on MNLI?"),
        ("What are the advantages of dropout?", "What are the disadvantages of dropout?"),
        ("What helps after two weeks of treatment?", "What helps after three weeks of treatment?"),
        ("how does adam decay weights?", "how does adamw decay weights?"),
        ("哪个模型的得分最高？", "哪个模型的得分最低？"),
        ("BERT是否使用了掩码？", "BERT是否没有使用掩码？"),
    ],
)
async def test_what_asks_something_else_is_another_question(one: str, other: str) -> None:
    assert signature(one) != signature(other)
    asked = before(Fixed())
    await asked.same(one, ())
    assert await asked.same(other, ()) is None


async def test_other_rights_know_nothing_of_it() -> None:
    cache = Recent()
    await before(Fixed(), "mine", cache).same("Who proposed BERT?", ())
    assert await before(Fixed(), "theirs", cache).same("Who has proposed BERT?", ()) is None
    assert await before(Fixed(), "mine", cache).same("Who has proposed BERT?", ()) is not None


@pytest.mark.parametrize("embedder", [Broken(), Foreign()])
async def test_without_a_vector_every_question_is_new(embedder: object) -> None:
    asked = before(embedder)
    for question in ("Who proposed BERT?", "Who has proposed BERT?"):
        assert await asked.same(question, ()) is None


async def test_what_is_damaged_is_forgotten() -> None:
    class Damaged(Recent):
        async def get(self, address: str) -> str | None:
            return '[["only a text"]]'

    assert await before(Fixed(), cache=Damaged()).same("Who proposed BERT?", ()) is None
