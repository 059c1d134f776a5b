"""The graph as a file: what comes from documents can be no markup, a picture shows 200 nodes at most, and nothing is asked of anybody."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree

import numpy as np

from scholarmind.graph import graph_formats
from scholarmind.graph.graph_formats import ShownEdge, picture, placed, shown
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.relations import Edge, Node, NodeKind, Relation
from scholarmind.text.untrusted import uncontrolled

EVIL = "</script></title><script>alert(1)</script><img src=x onerror=alert(2)> ]]> & \x00\x1b[2J \u202eevil"
PAPER = "{http://graphml.graphdrawing.org/xmlns}"


def node(number: int, kind: NodeKind = "method", name: str = "", document: str = "") -> Node:
    name = name or f"Method {number}"
    return Node(number=number, kind=kind, name=name, names=(name,), edges=1, collection="default", document=document)


def edge(
    source: Node, target: Node, relation: Relation = "IMPROVES_ON", text: str = "It says so.", **more: str
) -> ShownEdge:
    stated = Edge(
        relation=relation,
        source=source,
        target=target,
        collection="default",
        document="bert",
        confidence=0.9,
        by="rules",
        year=2019,
        position=0,
        **more,
    )
    return ShownEdge(edge=stated, title="BERT", page=3, text=text)


class Page(HTMLParser):
    """Counts the tags of a page, and keeps its policy, its scripts and its styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self.inside: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        known = dict(attrs)
        self.addresses += [
            name for name in known if name in {"src", "href", "style", "action"} or name.startswith("on")
        ]
        if tag == "meta" and known.get("http-equiv"):
            self.policy = known["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in {"script", "style"} and self.tags[-1] not in self.inside:
            self.inside[self.tags[-1]] = data


class TestPicture:
    def test_a_title_is_no_markup(self) -> None:
        first, second = node(1, name=EVIL), node(2, "paper", EVIL)
        page = Page(picture([first, second], [edge(second, first, text=EVIL, setting=EVIL)], start=first))
        assert page.tags.count("script") == 1
        assert "img" not in page.tags
        assert page.addresses == []

    def test_only_its_own_style_and_script_may_run(self) -> None:
        page = Page(picture([node(1), node(2)], [edge(node(1), node(2))]))
        hashes = {
            kind: f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
            for kind, text in page.inside.items()
        }
        assert (
            page.policy
            == f"default-src 'none'; {hashes['style']}; {hashes['script']}; base-uri 'none'; form-action 'none'"
        )

    def test_of_many_nodes_the_start_and_the_most_connected_are_shown(self) -> None:
        hub, start = node(500), node(900)
        nodes = [node(number) for number in range(1, 400)] + [hub, start]
        page = picture(nodes, [edge(one, hub) for one in nodes[:399]], start=start)
        shown_nodes = set(re.findall(r'data-node="(\d+)" data-names', page))
        assert len(shown_nodes) == 200
        assert {"500", "900"} <= shown_nodes
        assert "There is more than is shown." in page

    def test_it_says_where_each_edge_is_proven(self) -> None:
        page = picture([node(1), node(2)], [edge(node(1), node(2), "REPORTS", metric="F1", value="93.2")])
        assert "Method 1 reports Method 2: F1 93.2" in page
        assert "<blockquote>It says so.</blockquote>" in page
        assert "2019 · BERT · p. 3 · 0.90 sure, by rules" in page

    def test_it_is_the_same_each_time_also_of_a_cycle_or_of_nothing(self) -> None:
        nodes = [node(1), node(2), node(3)]
        cycle = [edge(nodes[0], nodes[1]), edge(nodes[1], nodes[2]), edge(nodes[2], nodes[0]), edge(nodes[1], nodes[0])]
        assert picture(nodes, cycle) == picture(nodes, cycle)
        assert "0 nodes, 0 edges." in picture([], [])


def test_no_label_stands_over_another() -> None:
    sizes = [(40.0 + 7 * (number % 20), 28.0) for number in range(200)]
    spots = placed(sizes, [(number, number * number % 7) for number in range(200)])
    boxes = np.asarray(sizes)
    over = [
        pair
        for pair in combinations(range(200), 2)
        if (np.abs(spots[pair[0]] - spots[pair[1]]) < (boxes[pair[0]] + boxes[pair[1]]) / 2).all()
    ]
    assert over == []


def test_graphml_can_be_read_whatever_a_document_says() -> None:
    first, second = node(1, name=EVIL), node(2)
    lines = (*graph_formats.graphml_head(), graph_formats.graphml_node(first), graph_formats.graphml_node(second))
    root = ElementTree.fromstring(  # noqa: S314 (our own)
        "".join((*lines, *graph_formats.graphml_edges([edge(first, second, text=EVIL)]), graph_formats.GRAPHML_TAIL))
    )
    told = {data.get("key"): data.text for data in root.iter(f"{PAPER}data")}
    assert [item.get("id") for item in root.iter(f"{PAPER}node")] == ["n1", "n2"]
    assert told["edge-relation"] == "IMPROVES_ON"
    assert told["edge-proof"] == uncontrolled(EVIL)


def test_jsonld_speaks_the_words_of_schema_org() -> None:
    paper, author, year = (
        node(1, "paper", "BERT: Pre-training", "bert"),
        node(2, "author", "张伟"),
        node(3, "year", "2019"),
    )
    method, data = node(4, name="BERT"), node(5, "dataset", "SQuAD")
    edges = [
        edge(paper, author, "AUTHORED_BY", text=""),
        edge(paper, year, "PUBLISHED_IN", text=""),
        edge(paper, method, "PROPOSES", text=EVIL),
        edge(method, data, "REPORTS", metric="F1", value="93.2%"),
    ]
    told = (
        graph_formats.JSONLD_HEAD
        + ",\n".join(graph_formats.jsonld_things([paper, author, year, method, data], edges))
        + graph_formats.JSONLD_TAIL
    )
    graph = {item.get("@id", item["@type"]): item for item in json.loads(told)["@graph"]}
    assert graph["urn:scholarmind:node:1"]["author"] == [{"@id": "urn:scholarmind:node:2"}]
    assert graph["urn:scholarmind:node:1"]["datePublished"] == ["2019"]
    assert graph["urn:scholarmind:node:2"]["@type"] == "Person"
    assert graph["Claim"]["text"] == EVIL
    assert graph["Observation"]["measuredProperty"] == "F1"
    assert "urn:scholarmind:node:3" not in graph


def test_a_proof_is_the_whole_sentence_and_its_page() -> None:
    text = "BERT is new. It beats ELMo\nby 4 points. The end."
    passage = Passage(text=text, start=100, end=100 + len(text), position=0, page=7, turns=(120,))
    evidence = Evidence(passage=passage, document=Document(id="bert", title="BERT"), scores=Scores(fused=1))
    stated = edge(node(1), node(2)).edge
    begin = 100 + text.index("ELMo")
    placed_edge = Edge(
        **{name: getattr(stated, name) for name in ("relation", "source", "target", "collection", "document")},
        confidence=0.9,
        by="rules",
        position=0,
        start=begin,
        end=begin + 4,
    )
    found = shown(placed_edge, evidence)
    assert (found.text, found.page) == ("It beats ELMo by 4 points.", 8)
