"""Searches are remembered for as long as a new one would find the same: a change costs those that rest on it, and no others."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from scholarmind import Library, Settings, parse_filter
from scholarmind.library.retrieval import Recalling, Retrieval
from scholarmind.model import Found
from scholarmind.ports import Embeddings
from scholarmind.steps.run_caches import Recent
from scholarmind.testing import HashEmbedder

QUESTION = "What does the heron eat in winter?"
NOTES = {
    "heron": "The heron eats fish and frogs. In winter the heron eats voles, which it hunts on meadows far from water.",
    "winter": "In winter many birds eat less. Some of them, the heron too, stay where the water does not freeze.",
    "swift": "The swift spends its life in the air and flies to Africa in August.",
}


class CountingEmbedder(HashEmbedder):
    """Counts the questions that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        self.asked += [text for text in texts if text.endswith("?")]
        return await super().embed(texts)


class Birds:
    """A library of notes on birds, and a search with a memory that outlives what is opened anew."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.library = Library(Settings(library=folder / "library"), embedder=HashEmbedder())
        self.embedder = CountingEmbedder()
        self.cache = Recent()
        self.searches = 0
        for name, text in NOTES.items():
            self.write(name, text)
        for number in range(30):
            self.write(f"fill{number}", f"In note {number} a bird is seen in winter near stone number {number * 7}.")
        self.library.add(self.notes)

    def write(self, name: str, text: str) -> None:
        (self.notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")

    def change(self, name: str, text: str) -> None:
        self.write(name, text)
        self.library.add(self.notes)

    def search(self, question: str = QUESTION, k: int = 3, where: str = "", basis: str = "") -> Found:
        """Search as a process does that was just started."""
        retrieval = Retrieval(store=self.library.store, embedder=self.embedder)
        recalling = Recalling(retrieval=retrieval, store=self.library.store, cache=self.cache, basis=basis)
        before = len(self.embedder.asked)
        found = asyncio.run(recalling.search(question, k, filter=parse_filter(where) if where else None))
        self.searches = len(self.embedder.asked) - before
        return found


@pytest.fixture
def birds(tmp_path: Path) -> Iterator[Birds]:
    """The library on birds."""
    found = Birds(tmp_path)
    yield found
    found.library.close()


def test_the_second_time_nothing_is_embedded_or_searched(birds: Birds) -> None:
    first = birds.search()
    assert birds.searches == 1
    assert birds.search() == first
    assert birds.searches == 0
    assert [item.document.title for item in first.evidence][:1] == ["heron"]


@pytest.mark.parametrize(
    "other", [{"k": 4}, {"question": "What does the swift eat?"}, {"where": "title = heron"}, {"basis": "another"}]
)
def test_another_search_is_not_taken_for_it(birds: Birds, other: dict[str, object]) -> None:
    birds.search()
    birds.search(**other)  # type: ignore[arg-type]
    assert birds.searches == 1


def test_a_change_elsewhere_costs_it_nothing(birds: Birds) -> None:
    first = birds.search()
    birds.change("swift", "The swift sleeps in the air, they say, and drinks there too.")
    birds.change("whale", "The whale sings below the sea.")
    birds.library.remove([birds.library.documents()[-1].id])
    again = birds.search()
    assert birds.searches == 0
    assert again == first
    assert birds.search() == first, "it is as if it were found now"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("winter", "In winter the pond freezes.", id="what was found is changed"),
        pytest.param("new", "In winter the heron does eat bread: what the heron eats in winter.", id="something comes"),
    ],
)
def test_a_change_of_what_it_rests_on_makes_it_anew(birds: Birds, name: str, text: str) -> None:
    first = birds.search()
    birds.change(name, text)
    again = birds.search()
    assert again != first
    fresh = asyncio.run(birds.library.search.aio(QUESTION, 3))
    assert [item.passage for item in again.evidence] == [item.passage for item in fresh.evidence]


def test_what_is_removed_is_not_found_any_more(birds: Birds) -> None:
    first = birds.search()
    birds.library.remove([first.evidence[0].document.id])
    again = birds.search()
    assert birds.searches == 1
    assert first.evidence[0].document.id not in [item.document.id for item in again.evidence]


@pytest.mark.parametrize(
    "damage", ["", "{", '{"moment": [1]}', '{"moment": [1, 2], "notices": [], "vector": "?", "found": [1]}']
)
def test_what_is_damaged_is_searched_anew(birds: Birds, damage: str) -> None:
    first = birds.search()
    for address in list(birds.cache._values):
        birds.cache._values[address] = damage
    assert birds.search() == first
    assert birds.searches == 1
