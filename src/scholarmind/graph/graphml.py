"""The graph as GraphML, for programs such as Gephi, yEd and networkx. Line by line, so that a large one needs no memory."""

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from scholarmind.graph.shown import Shown
from scholarmind.relations import Node
from scholarmind.text.names import uncontrolled

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
TAIL = "</graph>\n</graphml>\n"


def head() -> Iterator[str]:
    """Yield what stands before the nodes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, fields in (("node", _OF_NODES), ("edge", _OF_EDGES)):
        for name, kind in fields.items():
            yield f'<key id="{owner}-{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph id="papers" edgedefault="directed">\n'


def node_line(node: Node) -> str:
    """Return a node."""
    told = {
        "kind": node.kind,
        "name": node.name,
        "names": "; ".join(node.names),
        "collection": node.collection,
        "document": node.document,
    }
    return f'<node id="n{node.number}">{_data("node", told)}</node>\n'


def edge_lines(edges: Iterable[Shown]) -> Iterator[str]:
    """Yield edges; both nodes of each stand before them."""
    for shown in edges:
        ends = f'source="n{shown.edge.source.number}" target="n{shown.edge.target.number}"'
        yield f"<edge {ends}>{_data('edge', _edge(shown))}</edge>\n"


def _edge(shown: Shown) -> dict[str, object]:
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


def _data(owner: str, values: Mapping[str, object]) -> str:
    told = (
        (name, _NO_XML.sub("\ufffd", uncontrolled(str(value))))
        for name, value in values.items()
        if value not in (None, "")
    )
    return "".join(f"<data key={quoteattr(f'{owner}-{name}')}>{escape(value)}</data>" for name, value in told)
