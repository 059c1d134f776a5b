"""What is kept of earlier questions: the same answer comes back for less, and nothing old is told of a library that has changed."""

import shutil
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scholarmind import Answer, Library, Settings
from scholarmind.events import Event, Understood
from scholarmind.ports import Embeddings
from scholarmind.record import answer_record
from scholarmind.testing import HashEmbedder

QUESTION = "Who proposed BERT, and what GLUE score does BERT-Large obtain?"


class Counting(HashEmbedder):
    """Counts what it was given; takes two wordings that it is told of for one."""

    def __init__(self, same: Sequence[str] = ()) -> None:
        super().__init__()
        self.given: list[str] = []
        self._same = same

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        self.given += texts
        told = [self._same[0] if text in self._same else text for text in texts]
        found = await super().embed(told)
        return Embeddings(vectors=np.asarray(found.vectors), unknown=found.unknown)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the demo notes."""
    path = tmp_path_factory.mktemp("demo") / "library"
    with (
        Library(Settings(library=path), embedder=HashEmbedder()) as library,
        as_file(files("scholarmind.demo") / "notes") as notes,
    ):
        library.add(notes)
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path / "library")
    return tmp_path / "library"


def asked(folder: Path, question: str, embedder: Counting, **settings: Any) -> tuple[Answer, list[Event]]:
    """Ask as a process does that was just started."""
    events: list[Event] = []
    with Library(Settings(library=folder, **settings), embedder=embedder) as library:
        return library.ask(question, on_event=events.append), events


def told(answer: Answer) -> dict[str, Any]:
    record = answer_record(answer)
    varying = ("run", "spent", "plan")
    return {name: value for name, value in record.items() if name not in varying}


def test_the_same_question_is_planned_once(folder: Path) -> None:
    embedder = Counting()
    first, _ = asked(folder, QUESTION, embedder)
    again, _ = asked(folder, QUESTION, embedder)
    assert told(again) == told(first)
    with Library(Settings(library=folder), embedder=embedder) as library:
        counts = library.cache_counts()
    assert counts["plans"] == (1, 1)


def test_without_a_cache_everything_is_done_again(folder: Path) -> None:
    embedder = Counting()
    asked(folder, QUESTION, embedder, cache="none")
    count = len(embedder.given)
    asked(folder, QUESTION, embedder, cache="none")
    assert len(embedder.given) == 2 * count
    assert not (folder / "responses.db").exists()


def test_a_changed_document_changes_the_answer(folder: Path, tmp_path: Path) -> None:
    embedder = Counting()
    asked(folder, "Who proposed BERT?", embedder)
    note = tmp_path / "new.md"
    note.write_text("---\ntitle: BERT revisited\n---\nBERT was proposed by Zebulon Quux, says this note of 2024.\n")
    with Library(Settings(library=folder), embedder=embedder) as library:
        library.add(note)
    answer, _ = asked(folder, "Who proposed BERT?", embedder)
    assert "Zebulon Quux" in answer.text


def test_on_request_another_wording_is_answered_as_the_first_one(folder: Path) -> None:
    other = "Who proposed BERT, and what is the GLUE score that BERT-Large obtains?"
    embedder = Counting((QUESTION, other))
    first, _ = asked(folder, QUESTION, embedder, cache="semantic")
    again, events = asked(folder, other, embedder, cache="semantic")
    assert [(event.question, event.became) for event in events if isinstance(event, Understood)] == [(other, QUESTION)]
    assert (again.text, again.asked, again.question) == (first.text, other, QUESTION)
    assert any(QUESTION in note for note in again.fallbacks)
    plain, _ = asked(folder, other, embedder)
    assert plain.question == other
