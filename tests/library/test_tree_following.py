"""The tree follows the library: it grows with it, shrinks with it, and whoever dies on the way leaves a whole one behind."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.events import Event, Progress
from scholarmind.filters import Compare
from scholarmind.library.followers import TreeFollowing
from scholarmind.model import NO_EMBEDDER, Document, Entry, Passage, Search
from scholarmind.relations import Summary, SummaryTask, TreeNode
from scholarmind.testing import HashEmbedder
from scholarmind.tree.summarising import Extractive

pytestmark = pytest.mark.anyio
EMBEDDER = HashEmbedder(dimension=64)
TOPICS = ("gradient descent converges", "protein folding pathways", "medieval trade routes", "volcanic ash layers")
CHINESE = ("掩码语言模型的预训练方法", "水稻产量与氮肥施用量")


def entry(id: str, *texts: str, collection: str = "default") -> Entry:
    starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    passages = tuple(
        Passage(text=text, start=start, end=start + len(text), position=number)
        for number, (text, start) in enumerate(zip(texts, starts, strict=True))
    )
    document = Document(id=id, title=id, collection=collection)
    return Entry(document=document, text="\n".join(texts), passages=passages, hash=id)


def papers(count: int, first: int = 0, collection: str = "default") -> list[Entry]:
    """Papers of four passages on one of the topics."""
    return [
        entry(
            f"p{number}",
            *(f"Study {number} finds in part {part} that {TOPICS[number % 4]} as expected." for part in range(4)),
            collection=collection,
        )
        for number in range(first, first + count)
    ]


class Following:
    """A store that is embedded and followed, with what was told of it."""

    def __init__(self, store: LocalStore) -> None:
        self.store = store
        self.events: list[Event] = []

    async def add(self, *entries: Entry) -> None:
        await self.store.put(entries)
        await self.follow()

    async def follow(self) -> None:
        self.events.clear()
        while self.store.fingerprint != NO_EMBEDDER and (waiting := await self.store.waiting(200)):
            known = {
                item.number: None if "的" in item.text or "与" in item.text else EMBEDDER.vector(item.text)
                for item in waiting
            }
            await self.store.fill(known)
        await TreeFollowing(store=self.store, tree=self.store.tree).follow(self.events.append)

    async def nodes(self, collection: str = "default") -> list[TreeNode]:
        found, waiting = list[TreeNode](), await self.store.tree.roots(collection)
        while waiting:
            found.append(waiting.pop())
            waiting += await self.store.tree.children(found[-1].number)
        return found

    async def is_whole(self, passages: int) -> bool:
        """Every passage has its place, every node its summary, and every sentence stands in its passages."""
        counts = await self.store.tree.counts()
        nodes = [node for name in ("default", "other") for node in await self.nodes(name)]
        on = [(one.text, number) for node in nodes for one in node.summary for number in one.passages]
        evidence = await self.store.tree.evidence([number for _, number in on])
        stands = all(text in evidence[number].passage.text for text, number in on)
        return stands and all(node.summary for node in nodes) and (counts.passages, counts.waiting) == (passages, 0)


@pytest.fixture
async def open_store(tmp_path: Path) -> AsyncIterator[Callable[..., Following]]:
    stores: list[LocalStore] = []

    def opened(fingerprint: str = "hash", folder: str = "library") -> Following:
        stores.append(LocalStore(tmp_path / folder, fingerprint=fingerprint))
        return Following(stores[-1])

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
async def following(open_store: Callable[..., Following]) -> Following:
    return open_store()


class TestGrowing:
    async def test_an_empty_library_gets_no_tables(self, following: Following) -> None:
        await following.follow()
        assert following.events == []
        assert following.store.database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'tree%'") == []

    async def test_one_passage_is_a_tree(self, following: Following) -> None:
        await following.add(entry("one", "A single passage says that gradient descent converges."))
        (root,) = await following.store.tree.roots()
        assert (root.level, root.passages, root.text) == (
            1,
            1,
            "A single passage says that gradient descent converges.",
        )

    async def test_progress_is_told_and_then_there_is_nothing_to_do(self, following: Following) -> None:
        await following.add(*papers(40))
        assert {("tree", "summaries")} == {
            (event.stage, event.unit) for event in following.events if isinstance(event, Progress)
        }
        last = following.events[-1]
        assert isinstance(last, Progress)
        assert (last.done, last.total) == (len(await following.nodes()), len(await following.nodes()))
        assert await following.is_whole(160)
        await following.follow()
        assert following.events == []

    async def test_the_same_documents_make_the_same_tree(self, open_store: Callable[..., Following]) -> None:
        one, other = open_store(folder="one"), open_store(folder="other")
        for following in (one, other):
            await following.add(*papers(30))
        assert await one.nodes() == await other.nodes()

    async def test_few_new_passages_take_their_place_in_the_tree_as_it_is(self, following: Following) -> None:
        await following.add(*papers(40))
        before = {node.number: node for node in await following.nodes()}
        await following.add(*papers(1, first=100))
        after = {node.number: node for node in await following.nodes()}
        assert await following.is_whole(164)
        untouched = [number for number in before if after.get(number) == before[number]]
        assert len(untouched) > len(before) / 2

    async def test_many_make_a_new_tree_and_the_old_one_serves_until_it_is_whole(self, following: Following) -> None:
        await following.add(*papers(10))
        old = await following.nodes()
        seen: list[list[TreeNode]] = []

        class Watching(Extractive):
            async def summarise(self, tasks: Sequence[SummaryTask]) -> list[Summary]:
                seen.append(await following.nodes())
                return await super().summarise(tasks)

        await following.store.put(papers(30, first=10))
        while waiting := await following.store.waiting(200):
            await following.store.fill({item.number: EMBEDDER.vector(item.text) for item in waiting})
        await TreeFollowing(store=following.store, tree=following.store.tree, summariser=Watching()).follow()
        assert [old] * len(seen) == seen
        assert {node.number for node in old}.isdisjoint(node.number for node in await following.nodes())
        assert await following.is_whole(160)
        assert following.store.database.value("SELECT count(*) FROM trees") == 1

    async def test_passages_that_wait_for_their_vectors_wait_for_their_place(self, following: Following) -> None:
        await following.add(*papers(5))
        await following.store.put(papers(1, first=5))
        await TreeFollowing(store=following.store, tree=following.store.tree).follow()
        assert (await following.store.tree.counts()).passages == 20
        await following.follow()
        assert await following.is_whole(24)

    async def test_the_same_passage_many_times(self, following: Following) -> None:
        await following.add(
            *(entry(f"d{n}", *["Volcanic ash layers date the sediments of lakes."] * 50) for n in range(12))
        )
        assert await following.is_whole(600)
        await following.add(
            *(entry(f"e{n}", *["Volcanic ash layers date the sediments of lakes."] * 50) for n in range(2))
        )
        assert await following.is_whole(700)

    async def test_two_that_follow_at_once_make_one_tree(self, following: Following) -> None:
        await following.store.put(papers(30))
        while waiting := await following.store.waiting(200):
            await following.store.fill({item.number: EMBEDDER.vector(item.text) for item in waiting})
        follow = TreeFollowing(store=following.store, tree=following.store.tree).follow
        await asyncio.gather(follow(), follow())
        assert await following.is_whole(120)
        assert following.store.database.rows("SELECT state, passages FROM trees") == [("whole", 120)]


class TestShrinking:
    async def test_removed_documents_leave_nothing_behind(self, following: Following) -> None:
        await following.add(*papers(24))
        await following.store.remove("default", [f"p{n}" for n in range(24) if n % 4 == 1])
        await following.follow()
        assert await following.is_whole(72)
        assert [node for node in await following.nodes() if "protein" in f"{node.title} {node.text}"] == []
        await following.store.remove("default", [f"p{n}" for n in range(24)])
        await following.follow()
        assert (await following.nodes(), (await following.store.tree.counts()).passages) == ([], 0)
        assert following.store.database.value("SELECT count(*) FROM tree_nodes") == 0
        await following.add(*papers(3))
        assert await following.is_whole(12)

    async def test_more_nodes_lose_passages_than_are_mended_at_once(self, following: Following) -> None:
        await following.add(*papers(1_500))
        nodes = following.store.database.value("SELECT count(*) FROM tree_nodes WHERE level = 1")
        assert nodes > 256
        await following.store.remove("default", [f"p{n}" for n in range(1_500) if n % 5])
        await following.follow()
        assert await following.is_whole(1_200)
        sql = (
            "SELECT n.passages, count(m.passage) FROM tree_nodes n LEFT JOIN tree_members m ON m.node = n.number "
            "WHERE n.level = 1 GROUP BY n.number"
        )
        counted = following.store.database.rows(sql)
        assert [kept for kept, _ in counted] == [found for _, found in counted]
        assert sum(found for _, found in counted) == 1_200

    async def test_a_replaced_document_is_placed_anew(self, following: Following) -> None:
        await following.add(*papers(8))
        await following.add(entry("p1", "Medieval trade routes crossed the mountains in winter."))
        assert await following.is_whole(29)


class TestBetweenTwoNodes:
    async def test_a_node_tells_nothing_of_a_passage_that_is_near_to_it_no_longer(self, following: Following) -> None:
        """A passage is nearly as near to a second node, until passages like it make a node of their own."""
        one, other = np.eye(2, 64, dtype=np.float32)
        between = 0.707 * one + 0.703 * other
        given = {"one": [one] * 6, "other": [other] * 8, "between": [between], "like": [between] * 7}

        async def add(*names: str) -> None:
            for name in names:
                await following.store.put(
                    [entry(f"{name}{n}", f"Text {name}{n} tells of {name} things.") for n in range(len(given[name]))]
                )
                waiting = await following.store.waiting(100)
                await following.store.fill(
                    {item.number: vector for item, vector in zip(waiting, given[name], strict=True)}
                )
            await TreeFollowing(store=following.store, tree=following.store.tree).follow()

        async def beside(word: str) -> set[str]:
            """What else the nodes of level 1 tell of that tell of this."""
            told = [node.text for node in await following.nodes() if node.level == 1 and word in node.text]
            return {name for name in given for text in told if f"of {name} things" in text} - {word}

        await add("one", "other", "between")
        assert await beside("between") == {"one", "other"}
        await add("like")
        assert await beside("between") == {"like"}


class TestSpaces:
    async def test_collections_have_trees_of_their_own(self, following: Following) -> None:
        await following.add(*papers(8), *papers(8, collection="other"))
        assert {"default"} == {node.collection for node in await following.nodes()}
        assert {"other"} == {node.collection for node in await following.nodes("other")}
        found = await following.store.tree.near(
            Search(text="trade", vector=EMBEDDER.vector("trade")), 50, filter=Compare("collection", "=", "other")
        )
        assert {"other"} == {one.node.collection if one.node else one.evidence.document.collection for one in found}

    async def test_what_the_embedder_makes_no_sense_of_is_told_apart_by_words(self, following: Following) -> None:
        chinese = [entry(f"zh{n}", *(f"第{part}项研究介绍了{CHINESE[n % 2]}。" for part in range(6))) for n in range(6)]
        await following.add(*papers(8), *chinese)
        assert await following.is_whole(68)
        assert {(node.collection, node.space) for node in await following.nodes()} == {
            ("default", "vector"),
            ("default", "words"),
        }
        assert following.store.database.rows("SELECT space, passages FROM trees ORDER BY space") == [
            ("vector", 32),
            ("words", 36),
        ]
        found = await following.store.tree.near(Search(text="水稻产量与氮肥"), 3, levels=(1,))
        assert [True] * len(found) == [one.node is not None and CHINESE[1] in one.node.text for one in found]
        assert found

    async def test_a_library_without_an_embedder_has_a_tree_of_words(
        self, open_store: Callable[..., Following]
    ) -> None:
        following = open_store(NO_EMBEDDER)
        await following.add(*papers(12))
        assert await following.is_whole(48)
        found = await following.store.tree.near(Search(text="protein folding"), 1, levels=(1,))
        assert [one.node is not None and "protein" in one.node.text for one in found] == [True]

    async def test_another_embedder_makes_another_tree(self, open_store: Callable[..., Following]) -> None:
        following = open_store()
        await following.add(*papers(12))
        following.store.close()
        other = open_store("another")
        await other.store.forget_vectors()
        assert await other.store.tree.near(Search(text="x", vector=[1.0] * 32), 5, levels=(1,)) == []
        await other.follow()
        assert await other.is_whole(48)
        (made,) = other.store.database.rows("SELECT DISTINCT fingerprint FROM trees")
        assert made[0].endswith("another")

    async def test_a_tree_of_another_shape_serves_until_it_is_built_anew(self, following: Following) -> None:
        await following.add(*papers(12))
        before = {node.number for node in await following.nodes()}
        with following.store.database.transaction() as connection:
            connection.execute("UPDATE trees SET fingerprint = '1:hash'")
        assert before == {node.number for node in await following.nodes()}
        await following.follow()
        after = {node.number for node in await following.nodes()}
        assert await following.is_whole(48)
        assert (bool(after), before & after) == (True, set())


_DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from scholarmind.adapters.store import LocalStore
from scholarmind.library.followers import TreeFollowing

folder, statement, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def die(said):
    global times
    if said.lstrip().startswith(statement):
        times -= 1
        if not times:
            os.kill(os.getpid(), signal.SIGKILL)

async def main():
    with LocalStore(folder, fingerprint="hash") as store:
        await store.tree.write(lambda connection: connection.set_trace_callback(die))
        await TreeFollowing(store=store, tree=store.tree).follow()

asyncio.run(main())
"""
_DEATHS = [
    ("INSERT INTO tree_members", 50),  # in the middle of planting
    ("UPDATE tree_nodes SET title", 1),
    ("UPDATE tree_nodes SET title", 14),  # some summaries are there
    ("UPDATE trees SET state = 'whole'", 1),
    ("DELETE FROM trees", 1),  # the new tree serves already
]


@pytest.mark.parametrize(("statement", "times"), _DEATHS)
async def test_killed_anywhere_it_goes_on(
    open_store: Callable[..., Following], tmp_path: Path, statement: str, times: int
) -> None:
    following = open_store()
    await following.add(*papers(6))
    old = await following.nodes()
    await following.store.put(papers(18, first=6))
    while waiting := await following.store.waiting(200):
        await following.store.fill({item.number: EMBEDDER.vector(item.text) for item in waiting})
    following.store.close()
    assert await asyncio.to_thread(died, tmp_path / "library", statement, times) == -signal.SIGKILL
    again = open_store()
    assert (await again.nodes() == old) is not statement.startswith("DELETE")
    await again.follow()
    assert await again.is_whole(96)
    twin = open_store(folder="twin")
    await twin.add(*papers(24))
    assert await shape(again) == await shape(twin)


def died(folder: Path, statement: str, times: int) -> int:
    command = [sys.executable, "-c", _DYING, str(folder), statement, str(times)]
    return subprocess.run(command, env=dict(os.environ), capture_output=True, check=False).returncode


async def shape(following: Following) -> list[tuple[int, int, str, str]]:
    return sorted((node.level, node.passages, node.title, node.text) for node in await following.nodes())
