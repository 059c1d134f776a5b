"""What every store's graph of papers does: keeps what documents state, goes with them, and shows nothing that a filter hides."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.adapters.store.postgres_store import PostgresDatabase
from scholarmind.errors import LibraryError
from scholarmind.filters import parse_filter
from scholarmind.library_ports import Graph
from scholarmind.model import Document, Entry, Passage, Pointer, Reference, Search
from scholarmind.relations import Edge, Extracted, GraphCounts, Merged, Neighbourhood, Node, NodeKind, Statement, Thing

pytestmark = pytest.mark.anyio
DEEP = "Deep contextualized word representations"
BIDIRECTIONAL = "Pre-training of deep bidirectional transformers"


@pytest.fixture
def store(open_store: Any) -> LocalStore:
    return open_store()


@pytest.fixture
def graph(store: LocalStore) -> Graph:
    return store.graph


def paper(id: str, title: str, *texts: str, cites: Sequence[str] = (), **fields: Any) -> Entry:
    """A document whose passages are these texts, one a line; its first passage points at every work that it cites."""
    whole = "\n".join(texts)
    starts = [sum(len(text) + 1 for text in texts[:place]) for place in range(len(texts))]
    passages = tuple(
        Passage(text=text, start=start, end=start + len(text), position=place)
        for place, (text, start) in enumerate(zip(texts, starts, strict=True))
    )
    references = tuple(Reference(text=title, start=len(whole), end=len(whole), title=title) for title in cites)
    pointers = (Pointer(start=0, end=1, references=tuple(range(len(cites)))),) if cites else ()
    document = Document(id=id, title=title, **{"collection": "papers", "year": 2020, **fields})
    return Entry(document=document, text=whole, passages=passages, hash=id, references=references, pointers=pointers)


def thing(kind: NodeKind, name: str, scope: str = "") -> Thing:
    return Thing(kind=kind, name=name, scope=scope)


def says(relation: Any, source: Thing, target: Thing, start: int = 0, end: int = 0, **said: Any) -> Statement:
    return Statement(relation=relation, source=source, target=target, confidence=0.9, start=start, end=end, **said)


def improves(better: str, worse: str) -> Statement:
    return says("IMPROVES_ON", thing("method", better), thing("method", worse))


def states(document: str, *statements: Statement, collection: str = "papers") -> Extracted:
    return Extracted(collection=collection, document=document, statements=statements, version="1")


async def add(store: LocalStore, entry: Entry, *statements: Statement) -> None:
    """Store a document, and put it into the graph."""
    await store.put([entry])
    await store.graph.put([states(entry.document.id, *statements, collection=entry.document.collection)])


async def node(graph: Graph, name: str, *kinds: NodeKind) -> Node:
    (found,) = await graph.find(name, kinds)
    return found


async def triples(graph: Graph, **options: Any) -> set[tuple[str, str, str]]:
    return {(edge.source.name, edge.relation, edge.target.name) for edge in await graph.edges(**options)}


class TestWithout:
    async def test_a_library_without_a_graph_answers_nothing_and_has_no_tables_of_it(
        self, store: LocalStore, graph: Graph
    ) -> None:
        await store.put([paper("a", DEEP, "ELMo.")])
        assert await graph.find("ELMo") == await graph.mentioned("ELMo?") == await graph.edges() == []
        assert await graph.nodes() == await graph.ranked({1: 1.0}) == await graph.merges() == []
        assert await graph.neighbourhood([1]) == Neighbourhood(nodes=(), edges=())
        assert await graph.counts() == GraphCounts(waiting=1)
        assert await graph.waiting("1", 10) == [("papers", "a")]
        assert store.database.value("SELECT count(*) FROM sqlite_master WHERE name LIKE 'graph%'") == 0


class TestPut:
    async def test_a_statement_is_an_edge_with_its_proof(self, store: LocalStore, graph: Graph) -> None:
        reports = says(
            "REPORTS",
            thing("method", "BERT-Large"),
            thing("dataset", "GLUE"),
            12,
            30,
            metric="score",
            value="80.5%",
            number=80.5,
            setting="test set",
        )
        await add(store, paper("bert", BIDIRECTIONAL, "We do it.", "BERT-Large reaches 80.5% on GLUE."), reports)
        (edge,) = await graph.edges()
        assert edge == Edge(
            relation="REPORTS",
            source=await node(graph, "BERT-Large"),
            target=await node(graph, "GLUE"),
            collection="papers",
            document="bert",
            confidence=0.9,
            by="rules",
            year=2020,
            position=1,
            start=12,
            end=30,
            metric="score",
            value="80.5%",
            number=80.5,
            setting="test set",
            said_as=("BERT-Large", "GLUE"),
        )
        (proof,) = await graph.proofs([edge])
        assert (proof.document.id, proof.passage.text) == ("bert", "BERT-Large reaches 80.5% on GLUE.")

    async def test_the_paper_of_a_statement_is_the_document_itself(self, store: LocalStore, graph: Graph) -> None:
        author = says("AUTHORED_BY", thing("paper", DEEP, "elmo"), thing("author", "Matthew Peters", "elmo"))
        await add(
            store, paper("elmo", DEEP, "ELMo."), author, says("PROPOSES", thing("paper", DEEP), thing("method", "ELMo"))
        )
        (found,) = await graph.nodes(("paper",))
        assert (found.name, found.collection, found.document, found.edges) == (DEEP, "papers", "elmo", 2)
        (proof,) = await graph.proofs(await graph.edges(relations=("AUTHORED_BY",)))
        assert proof.passage.position == 0  # metadata prove it: the document's first passage stands for them

    async def test_reading_a_document_again_replaces_what_it_stated(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("A1", "B1"))
        await graph.put([states("a", improves("A1", "C1")), states("gone", improves("X1", "Y1"))])
        assert await triples(graph) == {("A1", "IMPROVES_ON", "C1")}
        assert (await graph.counts()).nodes == {"method": 2}
        assert await graph.find("B1") == []

    async def test_what_a_document_states_goes_with_it(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("A1", "B1"))
        await add(store, paper("b", BIDIRECTIONAL, "Text."), improves("A1", "C1"))
        await store.put([paper("a", DEEP, "Another text.")])  # in its place: waits to be read
        assert await triples(graph) == {("A1", "IMPROVES_ON", "C1")}
        assert await graph.waiting("1", 10) == [("papers", "a")]
        await store.remove("papers", ["a", "b"])
        assert await graph.counts() == GraphCounts()
        assert await graph.nodes() == await graph.find("A1") == await graph.mentioned("Is A1 good?") == []

    async def test_a_put_that_is_killed_leaves_what_was_there(
        self, store: LocalStore, graph: Graph, open_store: Callable[[], LocalStore]
    ) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("A1", "B1"))
        await store.put([paper("b", BIDIRECTIONAL, "Text.")])
        url = store.database.address.given if isinstance(store.database, PostgresDatabase) else ""
        store.close()
        killed = await anyio.run_process([sys.executable, "-c", _KILLED, str(store.folder), url], check=False)
        assert killed.returncode == -9
        again = open_store()
        assert await triples(again.graph) == {("A1", "IMPROVES_ON", "B1")}
        assert await again.graph.waiting("1", 10) == [("papers", "b")]
        await again.graph.put([states("b", improves("C1", "B1"))])
        assert (await again.graph.counts()).edges == {"IMPROVES_ON": 2}


_KILLED = """
import asyncio, os, pathlib, signal, sys
from scholarmind.adapters.store import LocalStore
from scholarmind.adapters.store.postgres_store import PostgresStore
from scholarmind.relations import Extracted, Statement, Thing

def statements(last):
    for number in range(500):
        source, target = Thing(kind="method", name=f"M{number}"), Thing(kind="method", name="N1")
        yield Statement(relation="USES", source=source, target=target, confidence=1)
    if last:
        os.kill(os.getpid(), signal.SIGKILL)

folder, url = pathlib.Path(sys.argv[1]), sys.argv[2]
store = PostgresStore(url, folder, fingerprint="contract") if url else LocalStore(folder, fingerprint="contract")
extracted = [Extracted(collection="papers", document=id, statements=statements(id == "b"), version="1") for id in "ab"]
asyncio.run(store.graph.put(extracted))
"""


class TestCitations:
    async def test_a_cited_work_is_the_document_once_there_is_one_and_a_work_again_when_it_goes(
        self, store: LocalStore, graph: Graph
    ) -> None:
        await add(store, paper("bert", BIDIRECTIONAL, "[1] is older.", cites=(DEEP,)))
        assert (await node(graph, DEEP)).document == ""
        await add(store, paper("elmo", DEEP, "ELMo."))
        known = await node(graph, DEEP)
        assert (known.document, known.edges) == ("elmo", 1)
        (edge,) = await graph.edges([known.number], into=True)
        assert (edge.relation, edge.source.document, edge.position, edge.by) == ("CITES", "bert", 0, "references")
        await store.remove("papers", ["elmo"])
        assert await node(graph, DEEP) == Node(number=known.number, kind="paper", name=DEEP, names=(DEEP,), edges=1)
        await add(store, paper("elmo", DEEP, "ELMo, again."))
        assert await node(graph, DEEP) == known

    async def test_papers_that_cite_each_other_and_themselves(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", DEEP, "[1]", cites=(BIDIRECTIONAL, DEEP)))
        await add(store, paper("b", BIDIRECTIONAL, "[1]", cites=(DEEP, BIDIRECTIONAL, DEEP.upper())))
        assert await triples(graph) == {(DEEP, "CITES", BIDIRECTIONAL), (BIDIRECTIONAL, "CITES", DEEP)}
        first = await node(graph, DEEP)
        around = await graph.neighbourhood([first.number], hops=5)
        assert ([each.document for each in around.nodes], len(around.edges), around.cut) == (["a", "b"], 2, False)
        assert len(await graph.ranked({first.number: 1.0})) == 2

    async def test_of_several_documents_of_a_title_the_one_of_its_year_is_cited(
        self, store: LocalStore, graph: Graph
    ) -> None:
        report = "Report on the state of the world"
        await store.put([paper("2019", report, "Bad.", year=2019), paper("2021", report, "Worse.", year=2021)])
        citing = paper("a", DEEP, "[1]", cites=(report,))
        (reference,) = citing.references
        whole = Reference(text=report, start=0, end=1, title=report, year=2021)
        assert reference.year is None
        await add(
            store, Entry(document=citing.document, text="[1]", passages=citing.passages, hash="a", references=(whole,))
        )
        (edge,) = await graph.edges()
        assert edge.target.document == "2021"

    async def test_documents_of_another_collection_are_other_works(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("elmo", DEEP, "ELMo.", collection="others"))
        await add(store, paper("bert", BIDIRECTIONAL, "[1]", cites=(DEEP,)))
        (edge,) = await graph.edges()
        assert (edge.target.name, edge.target.document) == (DEEP, "")


class TestNames:
    async def test_names_in_every_script(self, store: LocalStore, graph: Graph) -> None:
        names = ("悟道", "Модель-2", "مودل", "Μέθοδος", "모델", "मॉडल", "Beyoncé-3", "モデル")
        await add(store, paper("a", DEEP, "Text."), *(improves(name, "BERT") for name in names))
        for name in names:
            (found,) = await graph.find(name)
            assert [mention.node for mention in await graph.mentioned(f"Is {name} (2020) better?")] == [found]
        (mention,) = await graph.mentioned("哪些方法比悟道更好？")
        assert (mention.text, mention.start, mention.end) == ("悟道", 5, 7)

    async def test_the_longest_name_counts_and_small_letters_only_of_those_who_write_all_so(
        self, store: LocalStore, graph: Graph
    ) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("RoBERTa", "BERT"), improves("Sentence BERT", "BERT"))
        asked = [
            [mention.text for mention in await graph.mentioned(text)]
            for text in (
                "Is Sentence BERT better than BERT?",
                "is sentence bert better than roberta?",
                "Which people named Roberta wrote about bert?",
            )
        ]
        assert asked == [["Sentence BERT", "BERT"], ["sentence bert", "roberta"], ["Roberta"]]

    async def test_a_coined_word_in_small_letters_is_a_method(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", "Longform", "Text."), improves("Longformer", "Adam"))
        asked = ("who wrote longformer?", "Who wrote longformer at Google?", "is adam a person?", "a longform text")
        assert [[mention.node.name for mention in await graph.mentioned(text)] for text in asked] == [
            ["Longformer"],
            [],
            [],
            [],
        ]

    async def test_a_title_of_one_common_word_is_not_every_use_of_it(self, store: LocalStore, graph: Graph) -> None:
        await add(
            store, paper("a", "Attention", "Text."), says("USES", thing("paper", "Attention"), thing("method", "GRU"))
        )
        asked = ("Attention is what?", "How does attention work?", "Who wrote Attention?", "attention")
        assert [len(await graph.mentioned(text)) for text in asked] == [0, 0, 1, 0]

    async def test_authors_of_one_name_are_two_until_they_are_merged(self, store: LocalStore, graph: Graph) -> None:
        for id, title in (("a", DEEP), ("b", BIDIRECTIONAL)):
            await add(
                store,
                paper(id, title, "x"),
                says("AUTHORED_BY", thing("paper", title, id), thing("author", "张伟", id)),
            )
        assert [mention.text for mention in await graph.mentioned("张伟写了什么？")] == ["张伟", "张伟"]
        merged = Merged(
            kind="author",
            name="张伟",
            scope="papers/b",
            into="张伟",
            into_scope="papers/a",
            by="rules",
            reason="one group",
        )
        await graph.merge([merged])
        one = await node(graph, "张伟")
        assert (one.edges, await graph.merges(one.number)) == (2, [merged])
        other = await graph.split(one.number, "张伟", "papers/b")
        assert (other.edges, await graph.merges()) == (1, [])
        await graph.merge([merged])
        assert len(await graph.find("张伟")) == 2  # told apart by hand: no rule makes them one again

    async def test_merges_by_hand_outlive_a_rebuild_and_those_by_rules_do_not(
        self, store: LocalStore, graph: Graph
    ) -> None:
        statements = (
            improves("BERT-base", "ELMo"),
            improves("Bidirectional Encoder", "ELMo"),
            improves("B-17", "ELMo"),
        )
        await add(store, paper("a", DEEP, "Text."), *statements)
        into = {"into": "BERT-base", "into_scope": "", "scope": ""}
        await graph.merge([Merged(kind="method", name="Bidirectional Encoder", by="hand", **into)])
        await graph.merge([Merged(kind="method", name="B-17", by="rules", **into)])
        assert (await node(graph, "B-17")).names == ("BERT-base", "Bidirectional Encoder", "B-17")
        await graph.forget()
        assert await graph.waiting("1", 10) == [("papers", "a")]
        await graph.put([states("a", *reversed(statements))])
        assert set((await node(graph, "BERT-base")).names) == {"BERT-base", "Bidirectional Encoder"}
        assert (await node(graph, "B-17")).names == ("B-17",)

    async def test_every_change_makes_another_version_and_asking_makes_none(
        self, store: LocalStore, graph: Graph
    ) -> None:
        versions = [store.graph.version()]
        await add(store, paper("a", DEEP, "Text."), improves("A1", "X1"))
        versions.append(store.graph.version())
        await graph.put([states("a", improves("A1", "X1"))])
        versions.append(store.graph.version())
        merged = Merged(kind="method", name="A1", scope="", into="X1", into_scope="", by="hand", reason="told")
        await graph.merge([merged])
        versions.append(store.graph.version())
        await graph.split((await node(graph, "A1")).number, "A1")
        versions.append(store.graph.version())
        await store.remove("papers", ["a"])
        versions.append(store.graph.version())
        assert len(set(versions)) == len(versions)
        await graph.mentioned("What improves on X1?")
        assert (versions[0], versions[-1]) == ("", store.graph.version())

    async def test_edges_of_several_nodes_come_node_by_node_those_that_begin_there_first(
        self, store: LocalStore, graph: Graph
    ) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("C1", "A1"), improves("A1", "B1"), improves("B1", "D1"))
        numbers = [(await node(graph, name)).number for name in ("B1", "A1", "B1")]
        assert [(edge.source.name, edge.target.name) for edge in await graph.edges(numbers)] == [
            ("B1", "D1"),
            ("A1", "B1"),
            ("C1", "A1"),
        ]

    async def test_what_was_split_by_hand_stays_apart_until_a_person_says_otherwise(
        self, store: LocalStore, graph: Graph
    ) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("A1", "X1"), improves("B1", "X1"), improves("C1", "X1"))
        merges = [
            Merged(kind="method", name=name, scope="", into="A1", into_scope="", by="rules") for name in ("B1", "C1")
        ]
        await graph.merge(merges)
        alone = await graph.split((await node(graph, "A1")).number, "B1")
        assert alone.names == ("B1",)
        assert set((await node(graph, "A1")).names) == {"A1", "C1"}
        await graph.forget()
        await graph.put([states("a", improves("A1", "X1"), improves("B1", "X1"), improves("C1", "X1"))])
        await graph.merge(merges)
        assert (await node(graph, "B1")).names == ("B1",)
        await graph.merge([Merged(kind="method", name="B1", scope="", into="C1", into_scope="", by="hand")])
        assert set((await node(graph, "B1")).names) == {"A1", "B1", "C1"}

    async def test_a_name_that_is_not_there_or_alone_cannot_be_split_off(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", DEEP, "Text."), improves("A1", "X1"))
        number = (await node(graph, "A1")).number
        with pytest.raises(LibraryError, match="no name 'B1'"):
            await graph.split(number, "B1")
        with pytest.raises(LibraryError, match="only name"):
            await graph.split(number, "A1")


class TestWalks:
    async def test_a_paper_of_5000_authors_is_shown_in_part_and_given_whole(
        self, store: LocalStore, graph: Graph
    ) -> None:
        own = thing("paper", DEEP, "a")
        authors = [says("AUTHORED_BY", own, thing("author", f"Author N{number}", "a")) for number in range(5000)]
        await add(store, paper("a", DEEP, "Text."), *authors, says("PROPOSES", own, thing("method", "ELMo")))
        number = (await node(graph, DEEP, "paper")).number
        around = await graph.neighbourhood([number], most=100)
        assert around.cut
        assert len(around.nodes) <= 100
        assert "ELMo" in {each.name for each in around.nodes}  # one relation cannot crowd the others out
        assert len(await graph.edges([number], relations=("AUTHORED_BY",), limit=10_000)) == 5000
        assert len(await graph.edges([number], limit=7)) == 7

    async def test_hops_and_directions(self, store: LocalStore, graph: Graph) -> None:
        await add(store, paper("a", DEEP, "x"), improves("A1", "B1"), improves("B1", "C1"), improves("C1", "D1"))
        middle = (await node(graph, "B1")).number
        assert await triples(graph, nodes=[middle], into=True) == {("A1", "IMPROVES_ON", "B1")}
        assert await triples(graph, nodes=[middle], into=False) == {("B1", "IMPROVES_ON", "C1")}
        assert await triples(graph, nodes=[middle], relations=("USES",)) == set()
        near = await graph.neighbourhood([middle], hops=1)
        assert {each.name for each in near.nodes} == {"A1", "B1", "C1"}
        assert {each.name for each in (await graph.neighbourhood([middle])).nodes} == {"A1", "B1", "C1", "D1"}

    async def test_what_lies_between_the_seeds_ranks_before_what_hangs_on_a_hub(
        self, store: LocalStore, graph: Graph
    ) -> None:
        used = [says("USES", thing("method", f"M{number}"), thing("dataset", "GLUE")) for number in range(50)]
        link = (says("USES", thing("method", "BERT"), thing("dataset", "SWAG")), improves("ELMo", "BERT"))
        on_hub = [says("USES", thing("method", name), thing("dataset", "GLUE")) for name in ("BERT", "ELMo")]
        await add(store, paper("a", DEEP, "Text."), *used, *on_hub, *link)
        seeds = {(await node(graph, name)).number: 1.0 for name in ("BERT", "ELMo")}
        ranked = await graph.ranked(seeds, k=4)
        first, _ = ranked[0]
        assert (first.source.name, first.target.name) == ("ELMo", "BERT")
        assert {edge.source.name for edge, _ in ranked} == {"BERT", "ELMo"}
        assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
        assert await graph.ranked(seeds, k=4) == ranked

    async def test_many_edges_between_two_nodes_do_not_crowd_the_others_out(
        self, store: LocalStore, graph: Graph
    ) -> None:
        results = [replace(improves("BERT", "ELMo"), value=str(number)) for number in range(9)]
        await add(
            store, paper("a", DEEP, "Text."), *results, says("USES", thing("method", "BERT"), thing("dataset", "SWAG"))
        )
        ranked = await graph.ranked({(await node(graph, "BERT")).number: 1.0}, k=3)
        assert {edge.target.name for edge, _ in ranked} == {"ELMo", "SWAG"}


class TestFilters:
    async def test_nothing_of_a_hidden_document_is_seen(self, store: LocalStore, graph: Graph) -> None:
        """A secret document: its edges, its spelling of names, its title where others cite or name it, its place in the library."""
        hidden = "The secret title of Project Bluebird"
        await add(store, paper("open", DEEP, f"See {hidden}.", cites=(hidden.lower(),)), improves("ELMo", "GloVe"))
        await add(store, paper("hidden", hidden, "Text."), improves("Elmo", "GloVe"), improves("Secretron", "ELMo"))
        allowed = parse_filter("id = 'open'")
        elmo = (await node(graph, "ELMo")).number
        assert len(await graph.edges()) == 5
        seen = await graph.edges(filter=allowed)
        assert {edge.relation for edge in seen} == {"IMPROVES_ON", "CITES"}
        cited = next(edge.target for edge in seen if edge.relation == "CITES")
        assert (cited.name, cited.document, cited.collection) == (hidden.lower(), "", "")
        around = await graph.neighbourhood([elmo], hops=4, filter=allowed)
        assert {name for each in around.nodes for name in each.names} == {"ELMo", "GloVe"}
        assert [edge.document for edge, _ in await graph.ranked({elmo: 1.0}, filter=allowed)] == ["open"]
        assert [mention.node.names for mention in await graph.mentioned("Secretron, ELMo", allowed)] == [("ELMo",)]
        assert [len(await graph.mentioned(text)) for text in ("Secretron, ELMo",)] == [2]


class TestLinks:
    LIBRARY = (
        paper(
            "bert", "BERT: a model of language", "It is like ELMo of Shirley Temple.", "And Attention.", cites=(DEEP,)
        ),
        paper("elmo", "ELMo", "Named after a doll.", "Attention is not used, BERT is later."),
        paper("temple", "Shirley Temple", "She acted in films with ELMo."),
        paper("attention", "Attention", "Pay attention to bert: a model of language."),
        paper("deep", DEEP, "We speak of Shirley Temple and of 电影 and ELMo."),
        paper("film", "电影", "看电影的人 know ELMo."),
    )

    async def linked(self, store: LocalStore) -> dict[tuple[str, int], list[tuple[str, int]]]:
        """What is one hop from each passage of the library."""
        found = await store.search(Search(text="elmo bert temple attention 电影 language speak doll films", k=50))
        hops: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for seed in found:
            linked = await store.linked([seed], Search(text="elmo temple attention 电影 bert language", k=50))
            hops[seed.document.id, seed.passage.position] = [
                (item.document.id, item.passage.position) for item in linked
            ]
        return hops

    async def test_stored_links_lead_where_looking_for_them_does(self, store: LocalStore, graph: Graph) -> None:
        await store.put(self.LIBRARY)
        live = await self.linked(store)
        await graph.put([states(entry.document.id) for entry in self.LIBRARY])
        assert await self.linked(store) == live
        assert len(live) == 8
        named = {
            (edge.source.document, edge.position, edge.target.document)
            for edge in await graph.edges(relations=("MENTIONS",))
        }
        assert ("bert", 0, "temple") in named
        assert ("attention", 0, "bert") in named  # in small letters, found from BERT only
        assert ("attention", 0, "attention") not in named

    async def test_documents_that_come_change_and_go_keep_the_links_right(
        self, store: LocalStore, graph: Graph
    ) -> None:
        for entry in self.LIBRARY:
            await add(store, entry)
        await add(store, paper("elmo", "ELMo", "Sings with Shirley Temple now."))
        await store.remove("papers", ["film"])
        await add(store, paper("later", "Attention", "BERT is meant."))
        stored = await self.linked(store)
        await graph.forget()  # links are looked for again
        assert await self.linked(store) == stored
        assert len(stored) == 7
        await graph.put([states(document.id) for document in await store.documents()])
        assert await self.linked(store) == stored
