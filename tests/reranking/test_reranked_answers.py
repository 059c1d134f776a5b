"""Rerankers in the whole reading path: by settings, by a language model, and in a run that is taken up again."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rated_passages import Told

from scholarmind import Engine, Library, Options, Settings
from scholarmind.calls import Request
from scholarmind.llm.language_models import Models
from scholarmind.testing import HashEmbedder, MemoryJournal, ScriptedModel

pytestmark = pytest.mark.anyio

QUESTION = "What are engines?"
NAMES = ("first", "second", "third")
FENCED = re.compile(r"<passage \w+ (P\d+)>[^\n]*\n(\w+) is about engines")


async def search(question: str, k: int, filter: object) -> list[dict[str, object]]:
    """Find the three passages in the order of their names."""
    return [
        {"id": name, "text": f"{name} is about engines", "title": name, "score": 0.9 - place / 10}
        for place, name in enumerate(NAMES)
    ][:k]


def preferring(name: str) -> Told:
    return Told({f"{other} is about engines": 0.9 if other == name else 0.1 for other in NAMES})


def third_is_best(request: Request) -> Any:
    """Score what is shown; the third is the best."""
    if request.purpose != "relevance":
        return "Engines are things [P1]."
    text = "\n".join(message.text for message in request.messages)
    return {
        "scores": [
            {"passage": key, "score": 9 if name == "third" else 3, "reason": f"about {name}"}
            for key, name in FENCED.findall(text)
        ]
    }


def engine(rule: Callable[[Request], Any] = third_is_best, **options: Any) -> tuple[Engine, ScriptedModel]:
    model = ScriptedModel(rule)
    models = Models(model=model, names={"generation": "scripted"})
    return Engine(retriever=search, models=models, options=Options(rerank="llm", rerank_weight=1.0, **options)), model


async def test_a_language_model_reranks_at_standard() -> None:
    made, model = engine()
    retrieved = await made.find(QUESTION, 3)
    assert [item.document.id for item in retrieved.evidence] == ["third", "first", "second"]
    assert [(each.relevance, each.reason) for each in retrieved.judged] == [
        (0.9, "about third"),
        (0.3, "about first"),
        (0.3, "about second"),
    ]
    assert [request.purpose for request in model.requests].count("relevance") == 1


async def test_a_language_model_does_not_rerank_at_fast_and_the_answer_says_so() -> None:
    made, model = engine(effort="fast")
    answer = await made.ask(QUESTION)
    assert [item.document.id for item in answer.evidence] == [*NAMES]
    assert "relevance" not in [request.purpose for request in model.requests]
    assert any("rerank = 'llm'" in note for note in answer.fallbacks)


async def test_without_a_language_model_the_order_stays_and_the_notes_say_so() -> None:
    retrieved = await Engine(retriever=search, options=Options(rerank="llm")).find(QUESTION, 3)
    assert [item.document.id for item in retrieved.evidence] == [*NAMES]
    assert any("rerank = 'llm'" in note for note in retrieved.notes)


async def test_a_run_that_is_taken_up_with_another_reranker_selects_anew() -> None:
    journal = MemoryJournal()
    options = Options(rerank_weight=1.0)
    asked = [
        await Engine(retriever=search, journal=journal, reranker=preferring(name), options=options).ask(
            QUESTION, run="20260101-000000-abcdefgh"
        )
        for name in ("third", "second")
    ]
    assert [answer.evidence[0].document.id for answer in asked] == ["third", "second"]


def test_a_library_reranks_by_its_settings_and_by_nothing_else(tmp_path: Any) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in {
        "long": "Batch size matters. " * 8,
        "right": "The batch size of the transformer was 4096.",
    }.items():
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    plain = Settings(library=tmp_path / "library", effort="keyless")
    with Library(plain, embedder=HashEmbedder()) as library:
        library.add(tmp_path / "notes")
        assert library.reranker is None
        assert library.find("batch size of the transformer", 2).judged == ()
    other = Settings(library=tmp_path / "library", effort="keyless", rerank="cross-encoder", rerank_model="nowhere")
    with Library(other, embedder=HashEmbedder()) as library:
        assert library.reranker is not None
        assert library.retrieve("batch size of the transformer", (2,), options=Options())[2] != ()


@pytest.mark.parametrize(("name", "value"), [("rerank_weight", 1.5), ("rerank_seconds", 0)])
def test_settings_have_bounds(name: str, value: float) -> None:
    with pytest.raises(Exception, match=f"{name} = .* is not between"):
        Settings(**{name: value})  # type: ignore[arg-type]
