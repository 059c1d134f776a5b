"""Asking by turns: every question in all ways before the next, each time another way first; what depends on ranks is of ten places."""

from typing import Any

import pytest

from scholarmind.evaluation.experiments import DatasetQuery, Way, ask_by_turns, places_of
from scholarmind.events import Progress
from scholarmind.model import Document, Evidence, Found, Passage, Scores
from scholarmind.steps.options import Concepts, Options, Scored


def evidence(id: str) -> Evidence:
    """Return a passage of a record."""
    passage = Passage(text=f"It is said of {id}.", start=0, end=1, position=0)
    return Evidence(document=Document(id=id, title=id.upper()), passage=passage, scores=Scores(fused=1.0))


class Listening:
    """A library that notes who asks it what, and always finds the same."""

    def __init__(self, name: str, heard: list[tuple[str, str]], found: str = "") -> None:
        self._name = name
        self._heard = heard
        self._found = tuple(map(evidence, found))

    def search(self, question: str, k: int, *, mode: str) -> Found:
        """Note the question."""
        self._heard.append((self._name, question))
        return Found(evidence=self._found[:k], notices=("no vectors: none",))


def way(name: str, heard: list[tuple[str, str]], found: str = "") -> Way:
    """Return a way that is one search in such a library."""
    library: Any = Listening(name, heard, found)
    return Way(name=name, library=library, options=None)


def queries(*texts: str) -> list[DatasetQuery]:
    """Return questions that need records a and b, and a sentence."""
    return [
        DatasetQuery(id=text, question=text, type="all", evidence=frozenset("ab"), references=("said of b",))
        for text in texts
    ]


def test_the_order_turns() -> None:
    heard: list[tuple[str, str]] = []
    ask_by_turns([way("A", heard), way("B", heard)], queries("1", "2", "3"), (5,), lambda _: None)
    warm, asked = heard[:2], heard[2:]
    assert warm == [("A", "1"), ("B", "1")]
    assert asked == [("A", "1"), ("B", "1"), ("B", "2"), ("A", "2"), ("A", "3"), ("B", "3")]


def test_one_way_alone_needs_no_warming_up() -> None:
    heard: list[tuple[str, str]] = []
    ask_by_turns([way("A", heard)], queries("1", "2"), (5,), lambda _: None)
    assert heard == [("A", "1"), ("A", "2")]


def test_what_was_found_is_noted_for_each_number_of_places() -> None:
    (asked,) = ask_by_turns([way("A", [], "xab")], queries("1"), (2, 3), lambda _: None)
    assert asked.found == [
        {2: frozenset("a"), 3: frozenset({"a", "b", "said of b"}), 10: frozenset({"a", "b", "said of b"})}
    ]
    assert asked.titles == {"a": "A", "b": "B"}
    assert asked.rows[0]["recall@2"] == 0.5
    assert (asked.rows[0]["complete@2"], asked.rows[0]["complete@3"], asked.rows[0]["mrr@10"]) == (0.0, 1.0, 0.5)
    assert asked.notices == {"no vectors": 1}
    assert len(asked.seconds) == 1


def test_progress_is_by_question() -> None:
    told: list[Any] = []
    ask_by_turns([way("A", []), way("B", [])], queries("1", "2"), (5,), told.append, "tune")
    assert told == [Progress(stage="tune", done=done, total=2, unit="questions") for done in (1, 2)]


@pytest.mark.parametrize(
    ("options", "places"),
    [
        (Options(places=7), 7),
        (Options(strategy="roadmap", places=7), 7),
        (Options(strategy="concepts", concepts=Concepts(top_k=9), places=7), 9),
        (Options(strategy="scored", scored=Scored(top_n=6), places=7), 6),
    ],
)
def test_how_many_a_strategy_keeps_by_itself(options: Options, places: int) -> None:
    assert places_of(options) == places
