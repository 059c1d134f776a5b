"""An edge as people see it: what it says, the sentence that proves it, and where that stands. Pure."""

from dataclasses import dataclass

from scholarmind.model import Evidence
from scholarmind.relations import Edge, Node
from scholarmind.text.sentences import sentences

_LONGEST = 500  # characters of a proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An edge with its proof: the words of the document, '' where its metadata say so."""

    edge: Edge
    title: str = ""  # of the document
    section: tuple[str, ...] = ()
    page: int | None = None
    text: str = ""

    @property
    def verb(self) -> str:
        """The relation in words: "improves on"."""
        return self.edge.relation.lower().replace("_", " ")

    @property
    def result(self) -> str:
        """What was measured, for an edge that reports something: "F1 93.2 (test set)"."""
        edge = self.edge
        setting = f"({edge.setting})" if edge.setting else ""
        return " ".join(filter(None, (edge.metric, edge.value, setting)))

    @property
    def place(self) -> str:
        """Where the proof stands, for people."""
        parts = [self.title or self.edge.document, " › ".join(self.section), f"p. {self.page}" if self.page else ""]
        return " · ".join(part for part in parts if part)


def shown(edge: Edge, evidence: Evidence | None) -> Shown:
    """Return an edge with the sentences around the characters that prove it."""
    if evidence is None:
        return Shown(edge=edge)
    passage = evidence.passage
    start, end = edge.start - passage.start, min(edge.end, passage.end) - passage.start
    if edge.position is None or not 0 <= start < end:
        return Shown(edge=edge, title=evidence.document.title, text="")
    return Shown(
        edge=edge,
        title=evidence.document.title,
        section=passage.section,
        page=passage.page_at(edge.start),
        text=_around(passage.text, start, end),
    )


def _around(text: str, start: int, end: int) -> str:
    """Return the whole sentences that these characters are part of, in one line."""
    spans = [span for span in sentences(text) if span[0] < end and start < span[1]]
    begin, stop = (spans[0][0], spans[-1][1]) if spans else (start, end)
    told = " ".join(text[begin:stop].split())
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def named(node: Node) -> str:
    """Return the name of a node in one line."""
    return " ".join(node.name.split())
