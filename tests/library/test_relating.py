"""What the graph of papers knows for a question: counts with their proofs, passages that prove edges, and nothing that a filter hides."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.filters import Filter, parse_filter
from scholarmind.library.relating.graph_answers import LibraryRelations
from scholarmind.library.relating.lineage import chain_of
from scholarmind.library.retrieval import LibraryRetriever, Retrieval
from scholarmind.model import NO_EMBEDDER, Document, Entry, Passage
from scholarmind.relations import Edge, Extracted, Node, Related, Relation, Statement, Thing

pytestmark = pytest.mark.anyio

ALPHA = "Alpha reaches 80.5 F1 on Herons. Alpha was written in a hurry."
BETA = "Beta builds on Alpha. Beta reaches 85.0 F1 on Herons, against 79.9 F1 for Alpha."
GAMMA = "Gamma builds on Beta. We study the migration of cranes, and the migration of cranes is long."


def entry(id: str, title: str, text: str, year: int, collection: str = "default") -> Entry:
    document = Document(id=id, title=title, year=year, collection=collection)
    passages = (Passage(text=text, start=0, end=len(text), position=0),)
    return Entry(document=document, text=text, passages=passages, hash=text)


def method(name: str) -> Thing:
    return Thing(kind="method", name=name)


def states(id: str, title: str, own: str, *more: Statement, authors: tuple[str, ...], year: int) -> Extracted:
    paper = Thing(kind="paper", name=title, scope=id)
    statements = [
        edge("PROPOSES", paper, method(own)),
        edge("PUBLISHED_IN", paper, Thing(kind="year", name=str(year))),
        *(edge("AUTHORED_BY", paper, Thing(kind="author", name=name)) for name in authors),
        *more,
    ]
    return Extracted(collection="default", document=id, statements=tuple(statements), version="1")


def edge(relation: Relation, source: Thing, target: Thing, span: tuple[int, int] = (0, 0)) -> Statement:
    by = "rules" if span[1] else "metadata"
    return Statement(relation=relation, source=source, target=target, confidence=0.9, by=by, start=span[0], end=span[1])


def report(name: str, value: str, span: tuple[int, int]) -> Statement:
    return Statement(
        relation="REPORTS",
        source=method(name),
        target=Thing(kind="dataset", name="Herons"),
        confidence=0.9,
        start=span[0],
        end=span[1],
        metric="F1",
        value=value,
        number=float(value),
    )


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[LocalStore]:
    """Three papers, each building on the one before; Ann wrote two of them."""
    with LocalStore(tmp_path / "library", fingerprint=NO_EMBEDDER) as store:
        await store.put(
            [
                entry("a", "Alpha: the first", ALPHA, 2019),
                entry("b", "Beta: the second", BETA, 2021),
                entry("c", "Gamma: the third", GAMMA, 2023),
            ]
        )
        await store.graph.put(
            [
                states(
                    "a", "Alpha: the first", "Alpha", report("Alpha", "80.5", (0, 31)), authors=("Ann Lee",), year=2019
                ),
                states(
                    "b",
                    "Beta: the second",
                    "Beta",
                    edge("IMPROVES_ON", method("Beta"), method("Alpha"), (0, 21)),
                    report("Beta", "85.0", (22, 83)),
                    report("Alpha", "79.9", (22, 83)),
                    authors=("Ann Lee", "Bo Chen"),
                    year=2021,
                ),
                states(
                    "c",
                    "Gamma: the third",
                    "Gamma",
                    edge("IMPROVES_ON", method("Gamma"), method("Beta"), (0, 21)),
                    edge("IMPROVES_ON", method("Alpha"), method("Gamma")),
                    authors=("Cy Dunn",),
                    year=2023,
                ),
            ]
        )
        yield store


async def related(store: LocalStore, question: str, kind: str = "factual", within: Filter | None = None) -> Related:
    retriever = LibraryRetriever(retrieval=Retrieval(store=store, embedder=None), mode="keyword", within=within)
    relations = LibraryRelations(graph=store.graph, retriever=retriever, now=2024, within=within)
    return await relations.related(question, kind, 10)  # type: ignore[arg-type]


def items(found: Related) -> tuple[str, ...]:
    return found.tally.items if found.tally else ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many papers did Ann Lee write?", ("2",)),
        ("Ann Lee写了几篇论文？", ("2",)),
        ("How many papers did Ann Lee write since 2020?", ("1",)),
        ("Which author has published the most papers?", ("Ann Lee",)),
        ("Which methods improve on Alpha?", ("Beta",)),
        ("What does Beta build on?", ("Alpha",)),
        ("Who proposed the method that Gamma builds on?", ("Ann Lee", "Bo Chen")),
        ("Which papers did Bo Chen write?", ("Beta",)),
        ("What is the first paper by Ann Lee?", ("Alpha",)),
        ("What is the latest paper?", ("Gamma",)),
        ("What is the first paper on the migration of cranes?", ("Gamma",)),
        ("What F1 does Beta reach on Herons?", ("85.0",)),
        ("How do the methods perform on Herons?", ("Beta", "Alpha")),
        ("Which method has the highest F1 on Herons?", ("Beta",)),
        ("How many papers are there per year?", ("2019", "2021", "2023")),
        ("Which papers by Ann Lee are not by Bo Chen?", ("Alpha",)),
        ("Which papers by Ann Lee are there except Alpha?", ("Beta",)),
        ("How many papers do not use Herons?", ("1",)),
        ("Who published the most papers except Ann Lee since 2022?", ("Cy Dunn",)),
        ("How many papers by Ann Lee are there except those by Omega Omegason?", ()),
        ("How much does Beta improve performance?", ("85.0",)),
        ("Alpha 的性能提升是多少？", ("80.5", "79.9")),
        ("Which authors do Alpha and Beta have in common?", ("Ann Lee",)),
        ("Where do papers contradict each other on Herons?", ("Alpha", "Beta")),
        ("Gamma的演进脉络是怎样的？", ("Gamma", "Beta", "Alpha")),
        ("What was built on Alpha?", ("Beta", "Gamma")),
        ("Alpha的后代有哪些？", ("Beta", "Gamma")),
        ("What do Beta and Gamma both build on?", ("Alpha",)),
        ("Which common ancestors do Gamma and Beta have?", ("Alpha",)),
        ("Which papers did Ann Lee and Bo Chen write together?", ("Beta",)),
        ("Papers by Bo Chen or Cy Dunn", ("Beta", "Gamma")),
        ("Which papers were published between 2020 and 2022?", ("Beta",)),
        ("2020年以后有哪些论文？", ("Beta", "Gamma")),
        ("Which year had the most papers by Bo Chen?", ("2021",)),
        ("Which authors have more than one paper?", ("Ann Lee",)),
        ("How many authors have at least one paper?", ("3",)),
        ("Which papers do Ann Lee and Bo Chen have in common?", ("Beta",)),
        ("Which methods improve on Omega?", ()),
        ("How many papers are there on the history of opera?", ()),
    ],
)
async def test_a_structured_question_is_counted(store: LocalStore, question: str, expected: tuple[str, ...]) -> None:
    assert items(await related(store, question)) == expected


async def test_the_authors_of_the_one_paper_that_is_described_are_told(store: LocalStore) -> None:
    await store.put(
        [
            entry("d", "Mason bees in orchards of apples", "Fruit set rose.", 2017),
            entry("e", "Honey bees in winter", "Mason bees were not seen in orchards.", 2018),
            entry("f", "油菜授粉中壁蜂的效率", "壁蜂的效率高于蜜蜂。", 2020),
        ]
    )
    await store.graph.put(
        [
            states("d", "Mason bees in orchards of apples", "Masonry", authors=("Ada Fitz", "Eve Byrne"), year=2017),
            states("e", "Honey bees in winter", "Wintering", authors=("Ola Nord",), year=2018),
            states("f", "油菜授粉中壁蜂的效率", "授粉法", authors=("陈建国",), year=2020),
        ]
    )
    for question, expected in (
        ("Who wrote the paper on mason bees in apple orchards?", ("Ada Fitz", "Eve Byrne")),
        ("Who are the authors of the study of mason bees?", ("Ada Fitz", "Eve Byrne")),
        ("谁写了关于壁蜂授粉效率的论文？", ("陈建国",)),
        ("Who wrote the paper on bees?", ()),
        ("Who wrote the paper on the rise of fruit?", ()),  # said in passing
        ("Who wrote the paper on wasps in apple orchards?", ()),
        ("Who funded the paper on mason bees in apple orchards?", ()),
    ):
        assert items(await related(store, question)) == expected, question


async def test_every_line_has_its_proof(store: LocalStore) -> None:
    found = await related(store, "Which methods improve on Alpha?")

    assert found.tally is not None
    ((proof,),) = [row.proofs for row in found.tally.rows]
    assert BETA[proof.start : proof.end] == "Beta builds on Alpha."
    assert [item.document.id for item in found.evidence] == ["b"]
    assert (found.relations, found.nodes) == (("IMPROVES_ON",), ("Alpha",))
    assert found.tally.said == "In the library, Beta builds on Alpha."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many papers did Ann Lee write since 2020?", "The library has 1 paper by Ann Lee since 2020."),
        ("Who proposed Beta?", "Beta was proposed by Ann Lee and Bo Chen."),
        ("Beta是谁提出的？", "Beta由Ann Lee和Bo Chen提出。"),
        ("What does Beta build on?", "Beta builds on Alpha."),
        ("On which datasets was Beta evaluated?", "Beta was evaluated on Herons."),
        ("Beta在哪些数据集上做了评测？", "Beta在Herons上做过评测。"),
        ("哪些方法改进了Alpha？", "库中基于Alpha改进的方法有：Beta。"),
        ("What is the first paper by Ann Lee?", "The library's earliest paper by Ann Lee is Alpha: the first (2019)."),
        ("Ann Lee最早的论文是哪一篇？", "库中Ann Lee最早的论文是《Alpha: the first》（2019年）。"),
        ("Which author has published the most papers?", "Ann Lee has the most papers in the library: 2."),
        ("Trace the lineage of Gamma.", "In the library, Gamma goes back to Alpha: Alpha → Beta → Gamma."),
        ("Gamma的演进脉络是怎样的？", "Gamma的演进脉络：Alpha → Beta → Gamma。"),
        ("What F1 does Beta reach on Herons?", "The library gives this result for Beta on Herons: 85.0."),
        ("Alpha的性能如何？", "库中Alpha的结果：Herons 80.5和Herons 79.9。"),
        ("Who proposed the method that Gamma builds on?", "The method that Gamma builds on (Beta) was proposed by Ann Lee and Bo Chen."),
        ("Which authors do Alpha and Beta have in common?", "Alpha and Beta have this author in common: Ann Lee."),
        ("Which authors of Alpha also wrote Beta?", "Alpha and Beta have this author in common: Ann Lee."),
        ("Which papers use Herons in 2021?", "The library has one paper of 2021 that uses Herons: Beta: the second."),
        ("What is the latest paper that uses Herons?", "The library's latest paper that uses Herons is Beta: the second (2021)."),
        ("What was built on Alpha?", "In the library, these 2 methods build on Alpha, 1 of them directly: Beta and Gamma."),
        ("Alpha的后代有哪些？", "库中由Alpha发展而来的方法共2个，其中1个直接基于它：Beta和Gamma。"),
        ("Which common ancestors do Gamma and Beta have?", "Gamma and Beta both go back to Alpha."),
        ("Beta和Gamma都基于什么？", "Beta和Gamma都源自Alpha。"),
        ("Which method has the highest F1 on Herons?", "The highest F1 on Herons in the library is that of Beta (F1 85.0)."),
        (
            "How many papers by Ann Lee are not by Bo Chen?",
            "The library has 1 paper by Ann Lee (not counting those by Bo Chen).",
        ),
        ("Which authors have more than one paper?", "Ann Lee has at least 2 papers in the library."),
        ("哪些作者有两篇以上的论文？", "库中有至少2篇论文的作者有：Ann Lee。"),
        ("Which year had the most papers by Bo Chen?", "2021 has the most papers in the library by Bo Chen: 1."),
        ("What was the first paper that proposed cranes?", "The library's earliest paper on cranes is Gamma: the third (2023)."),
    ],
)  # fmt: skip
async def test_what_was_counted_is_a_plain_sentence(store: LocalStore, question: str, said: str) -> None:
    found = await related(store, question)

    assert found.tally is not None
    assert found.tally.said == said


async def test_the_results_of_a_method_are_told_by_data_set(store: LocalStore) -> None:
    found = await related(store, "What results does Alpha report?")

    assert found.tally is not None
    assert found.tally.columns == ("data set", "metric", "value", "setting")
    told = [(row.cells[:3], [proof.evidence.document.id for proof in row.proofs]) for row in found.tally.rows]
    assert told == [(("Herons", "F1", "80.5"), ["a"]), (("Herons", "F1", "79.9"), ["b"])], "its own paper's first"


async def test_what_came_of_a_method_is_a_tree_with_the_proof_of_each_step(store: LocalStore) -> None:
    await store.put([entry("d", "Delta: the fourth", "Delta builds on Alpha and Beta.", 2024)])
    again = edge("IMPROVES_ON", method("Delta"), method("Alpha"), (0, 21))
    nearer = edge("IMPROVES_ON", method("Delta"), method("Beta"), (0, 30))
    await store.graph.put([states("d", "Delta: the fourth", "Delta", again, nearer, authors=("Di Eck",), year=2024)])

    found = await related(store, "What are the descendants of Alpha?")

    assert found.tally is not None
    assert found.tally.columns == ("method", "year", "builds on", "also")
    told = [(row.depth, row.cells, row.proofs[0].evidence.document.id) for row in found.tally.rows]
    assert told == [
        (1, ("Beta", "2021", "Alpha", ""), "b"),
        (2, ("Gamma", "2023", "Beta", ""), "c"),
        (2, ("Delta", "2024", "Beta", "Alpha"), "d"),
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which papers cite Lee & Chen, 2021?", ("Gamma",)),
        ("Which papers cite Lee and Chen (2021)?", ("Gamma",)),
        ("How many papers cite Lee et al. 2021?", ("1",)),
        ("哪些论文引用了Lee与Chen（2021）？", ("Gamma",)),
        ("Which papers cite 王与赵（2011）?", ("Epsilon",)),
        ("有多少篇论文引用了王等人（2011）？", ("1",)),
        ("Which papers cite Lee 2019?", ("Beta",)),
        ("Which papers cite Lee et al. 2020?", ()),  # of another year
        ("Which papers cite Chen and Lee (2021)?", ()),  # in another order
    ],
)
async def test_authors_with_a_year_name_a_work(store: LocalStore, question: str, expected: tuple[str, ...]) -> None:
    await store.put(
        [
            entry("d", "Delta: the oldest", "It was long ago.", 2011),
            entry("e", "Epsilon: the newest", "Epsilon builds on Delta.", 2024),
        ]
    )
    for id, title, authors, year in (
        ("d", "Delta: the oldest", ("王小明", "赵刚"), 2011),
        ("e", "Epsilon: the newest", ("Di Ray",), 2024),
    ):
        await store.graph.put([states(id, title, title.partition(":")[0], authors=authors, year=year)])
    assert items(await related(store, question)) == expected


async def test_who_cites_a_paper_without_lists_of_references_is_who_names_it_later(store: LocalStore) -> None:
    names = [
        edge(
            "MENTIONS",
            Thing(kind="paper", name=name, scope=id),
            Thing(kind="paper", name="Beta: the second", scope="b"),
        )
        for id, name in (("a", "Alpha: the first"), ("c", "Gamma: the third"))
    ]
    for id, title, own, year, named in (
        ("a", "Alpha: the first", "Alpha", 2019, names[0]),
        ("c", "Gamma: the third", "Gamma", 2023, names[1]),
    ):
        await store.graph.put([states(id, title, own, named, authors=("Ann Lee",), year=year)])

    found = await related(store, "Which papers cite Beta?")
    theirs = [await related(store, f"Which papers by {name} cite Beta?") for name in ("Ann Lee", "Bo Chen")]

    assert items(found) == ("Gamma",)
    assert [items(each) for each in theirs] == [("Gamma",), ()]
    assert found.tally is not None
    assert found.tally.notes == ("1 of these names it in the text, without a list of references",)


async def test_a_result_of_another_method_is_no_use_of_its_data_set(store: LocalStore) -> None:
    """Beta's paper quotes a number of Alpha; what counts is that it has one of its own."""
    await store.put([entry("d", "Delta: the fourth", "Alpha reaches 80.5 F1 on Herons.", 2024)])
    await store.graph.put(
        [states("d", "Delta: the fourth", "Delta", report("Alpha", "80.5", (0, 31)), authors=("Di Eck",), year=2024)]
    )

    assert items(await related(store, "Which papers use Herons?")) == ("Alpha", "Beta")


async def test_one_name_may_be_that_of_a_venue_and_of_a_data_set(store: LocalStore) -> None:
    venue = edge(
        "PUBLISHED_IN", Thing(kind="paper", name="Delta: the fourth", scope="d"), Thing(kind="venue", name="Herons")
    )
    await store.put([entry("d", "Delta: the fourth", "Delta is new.", 2024)])
    await store.graph.put([states("d", "Delta: the fourth", "Delta", venue, authors=("Di Eck",), year=2024)])

    assert items(await related(store, "How many papers were published at Herons?")) == ("1",)


async def test_institutions_whose_names_begin_alike_are_told_apart_and_left_out_together(store: LocalStore) -> None:
    for id, title, own, year, group in (
        ("a", "Alpha: the first", "Alpha", 2019, "Crane"),
        ("b", "Beta: the second", "Beta", 2021, "Crane Research"),
    ):
        paper = Thing(kind="paper", name=title, scope=id)
        at = edge("AFFILIATED_WITH", paper, Thing(kind="institution", name=group))
        await store.graph.put([states(id, title, own, at, authors=("Ann Lee",), year=year)])

    theirs = await related(store, "How many papers are from Crane?")
    others = await related(store, "How many papers are not from Crane?")

    assert (items(theirs), items(others)) == (("1",), ("1",))
    assert theirs.tally is not None
    assert theirs.tally.notes == ("not counted with it: Crane Research",)


async def test_a_tie_counts_those_that_are_tied(store: LocalStore) -> None:
    found = await related(store, "Who are the top 2 authors by number of papers?")

    assert found.tally is not None
    assert (found.tally.items, found.tally.notes) == (("Ann Lee", "Bo Chen", "Cy Dunn"), ("2 are tied with 1 each",))


async def test_documents_without_metadata_are_papers_of_the_library_too(store: LocalStore) -> None:
    await store.put([entry("d", "Delta", "A note on herons.", 2023)])
    await store.graph.put([Extracted(collection="default", document="d", statements=(), version="1")])

    whole = await related(store, "How many papers are in the library?")
    within = await related(store, "How many papers are in the library?", within=parse_filter("year<2021"))

    assert (items(whole), items(within)) == (("4",), ())
    assert whole.tally is not None
    assert whole.tally.notes == ("1 of these states neither authors nor year, and is not listed",)


async def test_notes_are_in_the_language_of_the_question(store: LocalStore) -> None:
    await store.put([entry("e", "Eta: the last", "Eta is new.", 2023)])
    await store.graph.put([states("e", "Eta: the last", "Eta", authors=("Di Eck",), year=2023)])

    found = [await related(store, question) for question in ("What is the latest paper?", "最新的论文是哪一篇？")]

    assert [each.tally.notes if each.tally else () for each in found] == [
        ("2 are of the same year, and nothing here tells which came first",),
        ("其中 2 篇同年，无从判断先后",),
    ]


async def test_nothing_is_counted_that_a_filter_hides(store: LocalStore) -> None:
    within = parse_filter("year<2021")

    found = [
        await related(store, question, within=within)
        for question in ("How many papers did Ann Lee write?", "Which methods improve on Alpha?", "Who proposed Beta?")
    ]

    assert [items(each) for each in found] == [("1",), (), ()]
    assert {item.document.id for each in found for item in each.evidence} == {"a"}


async def test_a_named_method_and_the_relation_in_the_words_bring_the_passages_that_prove_it(store: LocalStore) -> None:
    found = await related(store, "Is the performance of Beta a surprise?")

    assert found.tally is None
    assert found.relations == ("REPORTS",)
    assert [(item.document.id, item.scores.fused <= 0.5) for item in found.evidence] == [("b", True)]


async def test_a_question_of_reasons_walks_the_graph(store: LocalStore) -> None:
    reasons = await related(store, "Why is Gamma slow?", "reasoning")
    facts = await related(store, "When was Gamma slow?")

    assert reasons.evidence[0].document.id == "c"
    assert {item.document.id for item in reasons.evidence} > {"b"}
    assert facts == Related()


async def test_a_library_without_a_graph_knows_nothing(tmp_path: Path) -> None:
    with LocalStore(tmp_path / "other", fingerprint=NO_EMBEDDER) as store:
        await store.put([entry("a", "Alpha: the first", ALPHA, 2019)])

        assert await related(store, "Which methods improve on Alpha?", "reasoning") == Related()


async def test_a_line_of_methods_is_no_circle() -> None:
    one, two = (Node(number=number, kind="method", name=name) for number, name in enumerate(("One", "Two")))

    async def edges_of(nodes: object) -> list[Edge]:
        pairs = ((one, two), (two, one))
        return [
            Edge(
                relation="IMPROVES_ON",
                source=source,
                target=target,
                collection="",
                document="",
                confidence=1,
                by="rules",
            )
            for source, target in pairs
            if nodes == [source]
        ]

    steps = await chain_of(one, edges_of, back=True)

    assert [step.node.name for step in steps] == ["One", "Two"]
