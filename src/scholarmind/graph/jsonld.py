"""The graph as JSON-LD in the words of schema.org, where it has them; what it lacks are words of our own."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scholarmind.graph.shown import Shown
from scholarmind.relations import Edge, Node
from scholarmind.text.names import escaped

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


HEAD = f'{{\n"@context": {json.dumps(_CONTEXT)},\n"@graph": [\n'
TAIL = "\n]\n}\n"


def things(nodes: Iterable[Node], leaving: Iterable[Shown]) -> Iterator[str]:
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


def _observation(shown: Shown) -> dict[str, Any]:
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


def _claim(shown: Shown) -> dict[str, Any]:
    """Return the sentence that proves an edge, and what it proves."""
    edge = shown.edge
    return {
        "@type": "Claim",
        "sm:source": {"@id": _id(edge.source)},
        "sm:relation": _OWN + edge.relation,
        "sm:target": {"@id": _id(edge.target)},
    } | _proof(shown)


def _proof(shown: Shown) -> dict[str, Any]:
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
