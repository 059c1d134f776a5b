"""Edges of the graph as people see them, and the graph as GraphML and as JSON-LD. Pure.

An edge is shown with what it says, the sentence that proves it, and where that stands. GraphML is for programs such as Gephi, yEd and
networkx, and is written line by line, so that a large graph needs no memory. JSON-LD is in the words of schema.org, where it has them;
what it lacks are words of our own. The page with a picture is in `picture`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from scholarmind.identity import headings_below
from scholarmind.model import Evidence
from scholarmind.relations import Edge, Node
from scholarmind.text.analysis import sentences
from scholarmind.text.untrusted import escaped, uncontrolled

# -- an edge as people see it

_LONGEST = 500  # characters of a proof


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEdge:
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
        parts = [
            self.title or self.edge.document,
            " › ".join(headings_below(self.title, self.section)),
            f"p. {self.page}" if self.page else "",
        ]
        return " · ".join(part for part in parts if part)


def shown(edge: Edge, evidence: Evidence | None) -> ShownEdge:
    """Return an edge with the sentences around the characters that prove it."""
    if evidence is None:
        return ShownEdge(edge=edge)
    passage = evidence.passage
    start, end = edge.start - passage.start, min(edge.end, passage.end) - passage.start
    if edge.position is None or not 0 <= start < end:
        return ShownEdge(edge=edge, title=evidence.document.title, text="")
    return ShownEdge(
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


# -- GraphML

# what XML cannot hold, escaped or not, beside what steers a terminal
_NO_XML = re.compile("[\ufffe\uffff]")

_OF_NODES = {"kind": "string", "name": "string", "names": "string", "collection": "string", "document": "string"}
_OF_EDGES = {
    "relation": "string",
    "confidence": "double",
    "by": "string",
    "year": "int",
    "metric": "string",
    "value": "string",
    "number": "double",
    "setting": "string",
    "stated_in": "string",
    "page": "int",
    "proof": "string",
}

GRAPHML_TAIL = "</graph>\n</graphml>\n"


def graphml_head() -> Iterator[str]:
    """Yield what stands before the nodes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, fields in (("node", _OF_NODES), ("edge", _OF_EDGES)):
        for name, kind in fields.items():
            yield f'<key id="{owner}-{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph id="papers" edgedefault="directed">\n'


def graphml_node(node: Node) -> str:
    """Return a node."""
    told = {
        "kind": node.kind,
        "name": node.name,
        "names": "; ".join(node.names),
        "collection": node.collection,
        "document": node.document,
    }
    return f'<node id="n{node.number}">{_graphml_data("node", told)}</node>\n'


def graphml_edges(edges: Iterable[ShownEdge]) -> Iterator[str]:
    """Yield edges; both nodes of each stand before them."""
    for shown in edges:
        ends = f'source="n{shown.edge.source.number}" target="n{shown.edge.target.number}"'
        yield f"<edge {ends}>{_graphml_data('edge', _edge_fields(shown))}</edge>\n"


def _edge_fields(shown: ShownEdge) -> dict[str, object]:
    edge = shown.edge
    return {
        "relation": edge.relation,
        "confidence": round(edge.confidence, 4),
        "by": edge.by,
        "year": edge.year,
        "metric": edge.metric,
        "value": edge.value,
        "number": edge.number,
        "setting": edge.setting,
        "stated_in": f"{edge.collection}/{edge.document}",
        "page": shown.page,
        "proof": shown.text,
    }


def _graphml_data(owner: str, values: Mapping[str, object]) -> str:
    told = (
        (name, _NO_XML.sub("\ufffd", uncontrolled(str(value))))
        for name, value in values.items()
        if value not in (None, "")
    )
    return "".join(f"<data key={quoteattr(f'{owner}-{name}')}>{escape(value)}</data>" for name, value in told)


# -- JSON-LD

_OWN = "urn:scholarmind:"
_CONTEXT = {"@vocab": "https://schema.org/", "sm": _OWN}
_TYPES: dict[str, str | list[str]] = {
    "paper": "ScholarlyArticle",
    "author": "Person",
    "institution": "Organization",
    "dataset": "Dataset",
    "method": ["DefinedTerm", "sm:Method"],
    "metric": ["DefinedTerm", "sm:Metric"],
    "task": ["DefinedTerm", "sm:Task"],
    "venue": "Periodical",
}

_PROPERTIES = {
    "AUTHORED_BY": "author",
    "CITES": "citation",
    "MENTIONS": "mentions",
    "ADDRESSES": "about",
    "PROPOSES": "sm:proposes",
    "IMPROVES_ON": "sm:improvesOn",
    "EVALUATED_ON": "sm:evaluatedOn",
    "USES": "sm:uses",
}

JSONLD_HEAD = f'{{\n"@context": {json.dumps(_CONTEXT)},\n"@graph": [\n'
JSONLD_TAIL = "\n]\n}\n"


def jsonld_things(nodes: Iterable[Node], leaving: Iterable[ShownEdge]) -> Iterator[str]:
    """Yield a thing for each node, and one for each proof of the edges that leave them; commas go between them."""
    edges = list(leaving)
    of: dict[int, list[Edge]] = {}
    for shown in edges:
        of.setdefault(shown.edge.source.number, []).append(shown.edge)
    for node in nodes:
        if node.kind != "year":
            yield escaped(json.dumps(_thing(node, of.get(node.number, ())), ensure_ascii=False))
    for shown in edges:
        if shown.edge.relation == "REPORTS":
            yield escaped(json.dumps(_observation(shown), ensure_ascii=False))
        elif shown.text:
            yield escaped(json.dumps(_claim(shown), ensure_ascii=False))


def _thing(node: Node, edges: Sequence[Edge]) -> dict[str, Any]:
    """Return a node with the properties that its edges give it, each value once."""
    others = [name for name in node.names if name != node.name]
    told: dict[str, Any] = {"@id": _id(node), "@type": _TYPES[node.kind], "name": node.name}
    if others:
        told["alternateName"] = others
    if node.document:
        told["identifier"] = f"{node.collection}/{node.document}"
    for edge in edges:
        name, value = _property(edge)
        values = told.setdefault(name, []) if name else None
        if values is not None and value not in values:
            values.append(value)
    return told


def _property(edge: Edge) -> tuple[str, Any]:
    """Return the property that an edge is, and its value; '' for what stands by itself."""
    if edge.relation == "PUBLISHED_IN":
        if edge.target.kind == "year":
            return "datePublished", edge.target.name
        return "isPartOf", {"@id": _id(edge.target)}
    if edge.relation == "AFFILIATED_WITH":
        return "affiliation" if edge.source.kind == "author" else "sourceOrganization", {"@id": _id(edge.target)}
    return _PROPERTIES.get(edge.relation, ""), {"@id": _id(edge.target)}


def _observation(shown: ShownEdge) -> dict[str, Any]:
    """Return a result: what was measured of a method on a data set."""
    edge = shown.edge
    told = {
        "@type": "Observation",
        "observationAbout": {"@id": _id(edge.source)},
        "sm:dataset": {"@id": _id(edge.target)},
        "measuredProperty": edge.metric,
        "value": edge.value if edge.number is None else edge.number,
        "measurementQualifier": edge.setting,
    }
    return {name: value for name, value in told.items() if value != ""} | _proof(shown)


def _claim(shown: ShownEdge) -> dict[str, Any]:
    """Return the sentence that proves an edge, and what it proves."""
    edge = shown.edge
    return {
        "@type": "Claim",
        "sm:source": {"@id": _id(edge.source)},
        "sm:relation": _OWN + edge.relation,
        "sm:target": {"@id": _id(edge.target)},
    } | _proof(shown)


def _proof(shown: ShownEdge) -> dict[str, Any]:
    edge = shown.edge
    told: dict[str, Any] = {
        "text": shown.text,
        "sm:statedIn": f"{edge.collection}/{edge.document}",
        "pagination": str(shown.page or ""),
    }
    kept = {name: value for name, value in told.items() if value}
    return kept | {"sm:confidence": round(edge.confidence, 4), "sm:by": edge.by}


def _id(node: Node) -> str:
    return f"{_OWN}node:{node.number}"
