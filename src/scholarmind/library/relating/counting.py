"""Lines that were counted in the graph of papers, and how they become a table with its proofs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scholarmind.library.relating import noting
from scholarmind.library.relating.paper_sets import Paper
from scholarmind.library.relating.saying import said
from scholarmind.library.relating.sighting import Proofs, Sight, Subject
from scholarmind.library.relating.words import columns_of
from scholarmind.model import Evidence
from scholarmind.naming import short_name
from scholarmind.planning.words import is_chinese
from scholarmind.relations import Edge, Node, Proof, Query, Tally, TallyRow

_PROOFS = 4  # of one line, beside the papers that are counted in it
_MOST_ROWS = 200


@dataclass(slots=True, kw_only=True)
class Line:
    """A line of what was counted, before it has its proofs: its first cell, the others, and what they rest on."""

    name: str
    cells: tuple[str, ...] = ()
    edges: list[Edge] = field(default_factory=list[Edge])
    papers: list[Paper] = field(default_factory=list[Paper])
    node: Node | None = None
    depth: int = 0

    @property
    def sure(self) -> float:
        """How sure the surest of what it rests on is."""
        return max((*(edge.confidence for edge in self.edges), *(paper.sure for paper in self.papers)), default=0.7)


@dataclass(slots=True, kw_only=True)
class Counted:
    """What a question came to: its lines, those that are its answer, and what there is to say about them."""

    lines: list[Line]
    items: tuple[str, ...]
    heads: tuple[str, ...]
    subjects: Sequence[Subject] = ()
    left_out: Sequence[Subject] = ()
    notes: list[str] = field(default_factory=list[str])
    best: int = 0  # the largest count, or the year
    told: tuple[str, ...] = ()  # how the items are called in a sentence, if otherwise
    meant: Query | None = None  # the question that was answered, if it was another: what they all go back to

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the answer."""
        return [line.node for line in self.lines if line.node is not None]

    @property
    def edges(self) -> list[Edge]:
        """All that it rests on."""
        of_papers = (edge for line in self.lines for paper in line.papers for edge in paper.edges)
        return [*(edge for line in self.lines for edge in line.edges), *of_papers]


async def tallied(query: Query, counted: Counted, sight: Sight) -> Tally | None:
    """Return the table of what was counted. A line that nothing proves any more is left out, and so is a table without lines."""
    query = counted.meant or query
    lines = counted.lines[:_MOST_ROWS]
    proofs = await sight.proofs(_resting_on(lines))
    rows = [
        TallyRow(cells=(line.name, *line.cells), proofs=found, depth=line.depth)
        for line in lines
        if (found := _proofs(line, proofs))
    ]
    if not rows:
        return None
    chinese = is_chinese(query.text)
    left = len(counted.lines) - len(rows)
    notes = [*counted.notes, *(noting.cut_short(edges, chinese=chinese) for edges in sight.cut)]
    notes += [noting.not_shown(left, chinese=chinese)] if left else []
    documents = {
        (proof.evidence.document.collection, proof.evidence.document.id) for row in rows for proof in row.proofs
    }
    items, by_one = counted.told or counted.items, len(documents) == 1
    return Tally(
        row="",
        form=query.form,
        said=said(query, items, counted.subjects, counted.left_out, best=counted.best, by_one=by_one),
        columns=columns_of(counted.heads, chinese=chinese),
        rows=tuple(rows),
        items=_for_short(counted.items, rows) if query.wanted == "paper" else counted.items,
        confidence=round(sum(line.sure for line in lines) / len(lines), 3),
        notes=tuple(dict.fromkeys(notes)),
    )


def _for_short(items: Sequence[str], rows: Sequence[TallyRow]) -> tuple[str, ...]:
    """Return what papers are called for short, where that tells them apart: later parts ask about them by these names."""
    works = [proof.evidence.document for row in rows for proof in row.proofs]
    short = {work.title: short_name(work) for work in works}
    alike = Counter(short.values())
    return tuple(short[item] if item in short and alike[short[item]] == 1 else item for item in items)


def evidence_of(tally: Tally) -> list[Evidence]:
    """Return the passages of a table, the first of each line first."""
    in_turn: list[Evidence] = []
    deepest = max((len(row.proofs) for row in tally.rows), default=0)
    for place in range(deepest):
        in_turn += [row.proofs[place].evidence for row in tally.rows if place < len(row.proofs)]
    return in_turn


def best_first(edges: Iterable[Edge]) -> list[Edge]:
    """Return edges that a passage proves before those that metadata do, the surest first."""
    return sorted(edges, key=lambda edge: (edge.position is None, -edge.confidence))


def _resting_on(lines: Iterable[Line]) -> list[Edge]:
    found: list[Edge] = []
    for line in lines:
        found += best_first(line.edges)[:_PROOFS]
        for paper in line.papers:
            found += best_first(paper.edges)[:1]
    return found


def _proofs(line: Line, known: Proofs) -> tuple[Proof, ...]:
    found = [proof for edge in best_first(line.edges)[:_PROOFS] if (proof := known.of(edge))]
    for paper in line.papers:
        best = next((proof for edge in best_first(paper.edges)[:1] if (proof := known.of(edge))), None)
        if best is None and paper.evidence is not None:
            best = Proof(evidence=paper.evidence)
        found += [best] if best else []
    places = {
        (proof.evidence.document.collection, proof.evidence.document.id, proof.evidence.passage.position): proof
        for proof in reversed(found)
    }
    return tuple(reversed(places.values()))
