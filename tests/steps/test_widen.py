"""What the graph of papers and the tree of summaries add to what a search found, and what they leave where it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Kind, SubQuestion
from scholarmind.relations import Related, Surveyed, Tally
from scholarmind.steps.gather import Gathered, Widening

pytestmark = pytest.mark.anyio
QUESTION = "What improves on BERT?"


def evidence(position: int, fused: float) -> Evidence:
    """A passage with its score."""
    return Evidence(
        passage=Passage(text=f"text {position}", start=0, end=6, position=position),
        document=Document(id="d", title=""),
        scores=Scores(fused=fused),
    )


@dataclass(frozen=True)
class Structures:
    """A graph and a tree that know the same for every question."""

    relations: Related = field(default_factory=Related)
    summaries: Surveyed = field(default_factory=Surveyed)

    async def related(self, question: str, kind: Kind, k: int) -> Related:
        return self.relations

    async def survey(self, question: str, k: int, found: Sequence[Evidence] = ()) -> Surveyed:
        return self.summaries


async def widened(found: Sequence[Evidence], structures: Structures, kind: Kind = "factual") -> list[int]:
    """Return the passages in their order."""
    part = SubQuestion(id=1, text=QUESTION, kind=kind)
    widening = Widening(overview=structures, relations=structures)
    evidence = (await widening.widen(part, QUESTION, "1", Gathered(evidence=tuple(found)))).evidence
    return [item.passage.position for item in evidence]


FOUND = [evidence(place, 0.6 - place / 20) for place in range(8)]


async def test_what_proves_an_edge_shares_the_places_behind_the_first_five() -> None:
    proofs = tuple(evidence(20 + place, 0.9) for place in range(2))
    found = await widened(FOUND, Structures(Related(evidence=proofs)))
    assert found[:6] == [0, 1, 2, 3, 4, 5]
    assert found == [0, 1, 2, 3, 4, 5, 20, 6, 21, 7]


async def test_an_edge_does_not_move_what_the_search_found() -> None:
    proofs = tuple(evidence(place, 0.9) for place in reversed(range(8)))
    assert await widened(FOUND, Structures(Related(evidence=proofs))) == list(range(8))


async def test_where_the_search_found_little_proofs_come_last() -> None:
    assert await widened(FOUND[:1], Structures(Related(evidence=(evidence(20, 0.9),)))) == [0, 20]
    assert await widened([], Structures(Related(evidence=(evidence(20, 0.9),)))) == [20]


async def test_what_a_count_rests_on_comes_second() -> None:
    tally = Tally(row="1", form="list", said="two of them", columns=(), rows=())
    counted = Related(evidence=(evidence(20, 0.9), evidence(21, 0.88)), tally=tally)
    assert await widened(FOUND, Structures(counted)) == [0, 20, 21, 1, 2, 3, 4, 5, 6, 7]


async def test_the_tree_is_asked_for_the_whole_alone_and_stands_by_its_scores() -> None:
    structures = Structures(summaries=Surveyed(evidence=(evidence(30, 0.7),)))
    assert (await widened(FOUND, structures, "global"))[:2] == [30, 0]
    assert await widened(FOUND, structures, "reasoning") == list(range(8))
