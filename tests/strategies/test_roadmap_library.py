"""Roadmaps over a real library, without a key, in English and Chinese."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scholarmind import Library, Settings
from scholarmind.events import Event, Filtered, Routed
from scholarmind.testing import HashEmbedder

TEXTS = {
    "Otter": "Otter is a retrieval system that was built by Mira Falk at the Lund Institute in 2019.",
    "Heron": "Heron is a retrieval system that was built by Jonas Brandt at the Basel Institute in 2021.",
    "Lund Institute": "The Lund Institute was founded by Astrid Holm in 1974 and has four laboratories.",
    "水獭": "水獭系统是米拉在隆德研究所于2019年开发的检索系统。",
    "苍鹭": "苍鹭系统是约纳斯在巴塞尔研究所于2021年开发的检索系统。",
}


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Library]:
    """A library of a few notes, asked by roadmaps."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in TEXTS.items():
        (notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with Library(Settings(library=tmp_path / "library", strategy="roadmap"), embedder=HashEmbedder()) as library:
        library.add(notes)
        yield library


@pytest.mark.parametrize(
    ("question", "ways", "held"),
    [
        ("Who built Otter?", ["Single-pass"], ["Mira Falk"]),
        (
            "Who built Otter, and who built Heron?",
            ["Multi-Step", "Single-pass", "Single-pass"],
            ["Mira Falk", "Jonas Brandt"],
        ),
        (
            "Who founded the institute at which Otter was built?",
            ["Multi-Step", "Single-pass", "Single-pass"],
            ["Astrid Holm"],
        ),
        ("水獭系统是谁开发的？", ["Single-pass"], ["米拉"]),
        ("水獭系统是谁开发的，苍鹭系统是谁开发的？", ["Multi-Step", "Single-pass", "Single-pass"], ["米拉", "约纳斯"]),
        ("What is 3 * 4?", ["Direct Answering"], []),
    ],
)
def test_questions_are_routed_searched_and_found(
    filled: Library, question: str, ways: list[str], held: list[str]
) -> None:
    events: list[Event] = []
    found = filled.find(question, on_event=events.append)
    assert found.plan.strategy == "roadmap"
    routed = [event for event in events if isinstance(event, Routed) and event.action]
    assert list({event.part: event.route for event in routed}.values()) == ways
    text = " ".join(item.passage.text for item in found.evidence)
    assert [name for name in held if name not in text] == []
    assert [event.by for event in events if isinstance(event, Filtered) and event.by != "rules"] == []


def test_a_filter_tells_what_it_dropped(filled: Library) -> None:
    events: list[Event] = []
    filled.find("At which institute was Otter built?", on_event=events.append)
    (filtered,) = [event for event in events if isinstance(event, Filtered)]
    assert filtered.kept[0].title == "Otter"
    assert TEXTS["Otter"] in filtered.kept[0].text
    assert {one.title for one in filtered.dropped}.isdisjoint({one.title for one in filtered.kept})


def test_a_whole_answer_is_cited_and_checked(filled: Library) -> None:
    answer = filled.ask("Who built Otter, and who built Heron?")
    assert [(row.id, row.status) for row in answer.review.rows] == [("1", "answered"), ("2", "answered")]
    assert {citation.title for citation in answer.citations} == {"Otter", "Heron"}
    assert answer.plan.strategy == "roadmap"
    again = filled.ask("Who built Otter, and who built Heron?", run=answer.run)
    assert again.text == answer.text
