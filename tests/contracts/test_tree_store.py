"""What every store of trees does: it grows, is read whole, and shows nothing of what a filter does not let pass."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.filters import Compare, Filter
from scholarmind.library.followers import TreeFollowing
from scholarmind.library_ports import Growing, Standing, Store, Tree
from scholarmind.model import Document, Entry, Passage, Search
from scholarmind.relations import Summary, SummarySentence, TreeNode
from scholarmind.testing import HashEmbedder

pytestmark = pytest.mark.anyio
EMBEDDER = HashEmbedder(dimension=128)
TOPICS = {
    "bert": "Masked language models such as BERT learn from unlabelled text",
    "wheat": "Wheat yields rise with nitrogen and irrigation in dry fields",
    "stars": "Neutron stars emit pulses while their magnetic field decays",
}


def entry(id: str, topic: str, passages: int, **fields: Any) -> Entry:
    """A document with so many passages on a topic, each with a sentence of its own."""
    texts = [f"{TOPICS[topic]}. The {id} report counts {number} more cases of it." for number in range(passages)]
    starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(passages)]
    document = replace(Document(id=id, title=f"Report {id}"), **fields)
    cut = tuple(
        Passage(text=text, start=start, end=start + len(text), position=number, language="en")
        for number, (text, start) in enumerate(zip(texts, starts, strict=True))
    )
    return Entry(document=document, text="\n".join(texts), passages=cut, hash=id)


async def fill(store: Store) -> None:
    while waiting := await store.waiting(100):
        await store.fill({item.number: EMBEDDER.vector(item.text) for item in waiting})


async def grow(store: Any) -> Tree:
    """Embed what waits and bring the tree up."""
    await fill(store)
    await TreeFollowing(store=store, tree=store.tree).follow()
    return store.tree


def search(text: str, k: int = 10, filter: Filter | None = None) -> Search:
    return Search(text=text, vector=EMBEDDER.vector(text), k=k, filter=filter)


def nodes(standings: Sequence[Standing]) -> list[TreeNode]:
    return [standing.node for standing in standings if standing.node is not None]


@pytest.fixture
async def planted(store: Any) -> Any:
    """A store with three papers on each of three topics, and its tree."""
    await store.put([entry(f"{topic}{n}", topic, 8, year=2000 + n) for topic in TOPICS for n in range(3)])
    await grow(store)
    return store


@pytest.fixture
async def half_quoted(store: Any) -> Any:
    """A store whose paper `quiet` writes of one topic in a way that no summary quotes; it stands beside another paper there."""
    quoted, as_it_is = entry("quiet", "wheat", 8), entry("bert", "bert", 12)
    unquoted = tuple(
        replace(passage, text=passage.text.lower(), position=8 + passage.position) for passage in as_it_is.passages
    )
    quiet = replace(quoted, passages=(*quoted.passages, *unquoted))
    await store.put([quiet, *(entry(topic, topic, 12) for topic in TOPICS)])
    await grow(store)
    return store


async def test_without_a_tree_everything_is_empty(store: Any) -> None:
    await store.put([entry("a", "bert", 2)])
    await fill(store)
    tree: Tree = store.tree
    assert await tree.near(search(TOPICS["bert"]), 5) == []
    assert await tree.under(1, search("text"), 5) == []
    assert (await tree.roots(), await tree.children(1), await tree.node(1)) == ([], [], None)
    counts = await tree.counts()
    assert (counts.levels, counts.passages, counts.waiting) == ({}, 0, 2)


class TestNear:
    async def test_the_summaries_nearest_to_a_question_come_first(self, planted: Any) -> None:
        for topic, text in TOPICS.items():
            found = await planted.tree.near(search(text), 3, levels=(1,))
            assert [topic] * 3 == [
                node.title and next(t for t in TOPICS if TOPICS[t] in node.text) for node in nodes(found)
            ]
            assert [0 < standing.score <= 1 for standing in found] == [True] * 3

    async def test_levels_and_passages_stand_in_one_order(self, planted: Any) -> None:
        found = await planted.tree.near(search(TOPICS["stars"]), 20)
        assert [standing.score for standing in found] == sorted((s.score for s in found), reverse=True)
        assert {standing.node is None for standing in found} == {True, False}
        passages = await planted.tree.near(search(TOPICS["stars"]), 20, levels=(0,))
        assert [standing.evidence is not None for standing in passages] == [True] * 20
        assert max(node.level for node in nodes(await planted.tree.near(search("report"), 50))) == 3

    async def test_counts_and_years_of_what_is_below(self, planted: Any) -> None:
        (root,) = await planted.tree.roots()
        assert (root.passages, root.documents, root.first, root.last) == (72, 9, 2000, 2002)

    async def test_children_and_what_they_stand_on(self, planted: Any) -> None:
        for root in await planted.tree.roots():
            for child in await planted.tree.children(root.number):
                assert (child.parent, child.level) == (root.number, root.level - 1)
                assert await planted.tree.node(child.number) == child
            evidence = await planted.tree.evidence([n for sentence in root.summary for n in sentence.passages])
            for sentence in root.summary:
                assert [True] * len(sentence.passages) == [
                    sentence.text in evidence[number].passage.text for number in sentence.passages
                ]

    async def test_beyond_the_nearest_there_is_the_best_of_each_level(self, planted: Any) -> None:
        async def near(k: int, levels: Sequence[int] = (), *, best_of_each: bool = False) -> list[object]:
            found = await planted.tree.near(search(TOPICS["stars"]), k, levels=levels, best_of_each=best_of_each)
            return [one.node.number if one.node else one.evidence.passage.text for one in found]

        found = await near(2, best_of_each=True)
        assert await near(2) == found[:2]
        assert {one for level in range(4) for one in await near(1, (level,))} | {*found[:2]} == {*found}
        assert [*dict.fromkeys(found)] == found


class TestUnder:
    async def test_only_passages_below_a_node_best_first(self, planted: Any) -> None:
        question = search(f"{TOPICS['wheat']} wheat1")
        (node,) = nodes(await planted.tree.near(question, 1, levels=(1,)))
        found = await planted.tree.under(node.number, question, 4)
        assert len(found) == 4
        assert [TOPICS["wheat"] in item.passage.text for item in found] == [True] * 4
        scores = [item.scores for item in found]
        assert [score.fused for score in scores] == sorted((score.fused for score in scores), reverse=True)
        assert [score.vector is not None and 0 <= score.fused <= 1 for score in scores] == [True] * 4
        assert len(await planted.tree.under(node.number, question, 100)) == node.passages

    async def test_of_a_node_that_is_gone(self, planted: Any) -> None:
        assert await planted.tree.under(99_999, search("wheat"), 5) == []


class TestFilters:
    async def test_nothing_of_a_document_that_may_not_be_seen(self, planted: Any) -> None:
        only = Compare("id", "=", "bert1")
        for given, asked in ((only, None), (None, only)):
            found = await planted.tree.near(search("report cases of it", filter=given), 50, filter=asked)
            assert found
            told = " ".join(f"{node.title} {node.text}" for node in nodes(found))
            assert [word in told for word in ("wheat", "Neutron", "bert0 report")] == [False] * 3
            assert {(1, 2001, 2001)} == {(node.documents, node.first, node.last) for node in nodes(found)}
            assert {"bert1"} == {one.evidence.document.id for one in found if one.evidence is not None}

    async def test_nodes_of_which_nothing_passes_are_left_out(self, planted: Any) -> None:
        found = await planted.tree.near(search(TOPICS["wheat"]), 50, levels=(1, 2), filter=Compare("id", "~", "stars"))
        assert nodes(found)
        assert [False] * len(found) == ["Wheat" in node.text for node in nodes(found)]
        assert await planted.tree.near(search("wheat"), 5, filter=Compare("id", "=", "nobody")) == []

    async def test_passages_below_a_node_and_by_number(self, planted: Any) -> None:
        only = Compare("year", "=", 2001)
        for root in await planted.tree.roots():
            found = await planted.tree.under(root.number, search("report"), 100, filter=only)
            assert {2001} >= {item.document.year for item in found}
        evidence = await planted.tree.evidence(range(1, 73), only)
        assert {2001} == {item.document.year for item in evidence.values()}
        assert len(evidence) == 24

    async def test_summaries_of_which_nothing_may_be_seen_take_no_place(self, half_quoted: Any) -> None:
        question = search(TOPICS["bert"], filter=Compare("id", "=", "quiet"))
        found = nodes(await half_quoted.tree.near(question, 1, levels=(1,)))
        assert ["The quiet report" in node.text for node in found] == [True]

    async def test_no_title_names_what_is_removed_even_before_the_tree_is_mended(self, half_quoted: Any) -> None:
        async def titles() -> list[str]:
            found = nodes(await half_quoted.tree.near(search("report"), 100))
            return [node.title for node in found if "Report quiet" in node.title]

        assert await titles()
        await half_quoted.remove("default", ["quiet"])
        assert await titles() == []

    async def test_what_is_removed_is_not_seen_even_before_the_tree_is_mended(self, planted: Any) -> None:
        await planted.remove("default", [f"wheat{n}" for n in range(3)])
        found = await planted.tree.near(search(TOPICS["wheat"]), 100)
        assert [one for one in found if one.node is not None and "heat" in f"{one.node.title} {one.node.text}"] == []
        await grow(planted)
        assert [node for node in nodes(await planted.tree.near(search("wheat"), 100)) if "heat" in node.text] == []


class TestSummaries:
    async def test_a_summary_is_replaced_and_kept_until_its_node_is_touched(self, planted: Any) -> None:
        growing: Growing = planted.tree
        (node,) = nodes(await planted.tree.near(search(TOPICS["wheat"]), 1, levels=(1,)))
        task = await growing.task(node.number)
        assert task is not None
        assert (task.node, [True] * len(task.texts)) == (node, [TOPICS["wheat"] in text.text for text in task.texts])
        said = SummarySentence(text="Nitrogen matters.", passages=task.texts[0].passages)
        await growing.summarise(
            {node.number: Summary(title="Nitrogen", sentences=(said,), by="model", notes=("one left out",))}
        )
        await grow(planted)
        kept = await planted.tree.node(node.number)
        assert kept is not None
        assert (kept.title, kept.summary, kept.by, kept.notes) == ("Nitrogen", (said,), "model", ("one left out",))
        assert (await planted.tree.counts()).by_model == 1
        gone = (await planted.tree.evidence(said.passages))[said.passages[0]].document.id
        await planted.remove("default", [gone])
        await grow(planted)
        assert (await planted.tree.counts()).by_model == 0

    async def test_it_comes_with_what_is_known_of_the_documents(self, store: Any) -> None:
        fields = {"authors": ("Ada Frost",), "metadata": {"aliases": ("HerbBERT",), "keywords": ("botany",)}}
        one = entry("bert7", "bert", 3, **fields)
        headed = tuple(replace(passage, section=("Report bert7", "Data")) for passage in one.passages)
        await store.put([replace(one, passages=headed), entry("bert8", "bert", 2)])
        tree = await grow(store)
        for root in await tree.roots():
            sources = (await store.tree.task(root.number)).sources
            assert (sources.names, sources.headings) == ({"HerbBERT": 3, "Report bert8": 2}, {"Data": 3})
            assert (sources.subjects, sources.aside) == ({"botany": {1}}, {"ada", "frost"})

    async def test_above_level_1_it_is_made_from_those_below(self, planted: Any) -> None:
        root = (await planted.tree.roots())[0]
        task = await planted.tree.task(root.number)
        below = {child.number: child for child in await planted.tree.children(root.number)}
        assert {text.child for text in task.texts} == below.keys()
        for text in task.texts:
            assert SummarySentence(text=text.text, passages=text.passages) in below[text.child].summary


async def test_another_reader_sees_what_was_written(open_store: Callable[[], Any]) -> None:
    writer, reader = open_store(), open_store()
    assert await reader.tree.roots() == []
    await writer.put([entry("a", "bert", 3)])
    await grow(writer)
    assert [root.passages for root in await reader.tree.roots()] == [3]
    await writer.remove("default", ["a"])
    assert await reader.tree.near(search("bert"), 5, levels=(1,)) == []
