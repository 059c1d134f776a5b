"""The graph follows the library: who is whom, what goes with its document, and whoever dies on the way can go on."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Library
from scholarmind.adapters.store import LocalStore
from scholarmind.events import Event, Progress
from scholarmind.library import followers
from scholarmind.library.followers import GraphFollowing
from scholarmind.model import NO_EMBEDDER, Document, Entry, Passage, Reference, Value
from scholarmind.relations import Extracted, Merged, Statement, Thing

pytestmark = pytest.mark.anyio


def paper(id: str, *authors: str, title: str = "", text: str = "", cites: str = "", **metadata: Value) -> Entry:
    text = text or f"Nothing is said in {id}."
    document = Document(id=id, title=title or f"A study of {id}", authors=authors, year=2020, metadata=metadata)
    passages = (Passage(text=text, start=0, end=len(text), position=0),)
    references = (Reference(text=cites, start=0, end=len(text), title=cites),) if cites else ()
    return Entry(document=document, text=text, passages=passages, hash=text, references=references)


class Following:
    """A store with a graph that follows it."""

    def __init__(self, store: LocalStore) -> None:
        self.store = store
        self.events: list[Event] = []

    async def add(self, *entries: Entry) -> None:
        await self.store.put(entries)
        await self.follow()

    async def remove(self, *ids: str) -> None:
        await self.store.remove("default", ids)
        await self.follow()

    async def follow(self, graph: Any = None, **options: Any) -> None:
        await GraphFollowing(store=self.store, graph=graph or self.store.graph, **options).follow(self.events.append)

    async def split(self, name: str, id: str) -> None:
        """Tell the author of a paper apart."""
        for node in await self.store.graph.find(name, ("author",)):
            edges = await self.store.graph.edges((node.number,), into=True)
            if id in {edge.document for edge in edges}:
                await self.store.graph.split(node.number, name, f"default/{id}")

    async def people(self, name: str) -> list[list[str]]:
        """Return the papers of each person of this name."""
        people: list[list[str]] = []
        for node in await self.store.graph.find(name, ("author",)):
            edges = await self.store.graph.edges((node.number,), relations=("AUTHORED_BY",), into=True)
            people.append(sorted(edge.document for edge in edges))
        return sorted(people)

    async def merged(self, by: str) -> list[tuple[str, str]]:
        return sorted((each.name, each.into) for each in await self.store.graph.merges() if each.by == by)


@pytest.fixture
async def following(tmp_path: Path) -> AsyncIterator[Following]:
    with LocalStore(tmp_path / "library", fingerprint=NO_EMBEDDER) as store:
        yield Following(store)


class TestPeople:
    async def test_two_of_one_name_are_two_until_a_third_paper_proves_them_one(self, following: Following) -> None:
        await following.add(paper("a", "张伟", "李娜"), paper("b", "张伟", "王芳"))
        assert await following.people("张伟") == [["a"], ["b"]]
        await following.add(paper("c", "张伟", "李娜", "王芳"))
        assert await following.people("张伟") == [["a", "b", "c"]]

    async def test_what_a_paper_proved_goes_with_it(self, following: Following) -> None:
        await following.add(*(paper(id, "张伟", other) for id, other in (("a", "李娜"), ("d", "李娜"), ("b", "王芳"))))
        await following.add(paper("c", "张伟", "李娜", "王芳"))
        await following.remove("c")
        assert await following.people("张伟") == [["a", "d"], ["b"]]

    async def test_a_paper_that_is_corrected_proves_what_it_says_now(self, following: Following) -> None:
        await following.add(paper("a", "Wei Zhang", "Ada Lovelace"), paper("b", "Wei Zhang", "Ada Lovelace"))
        assert await following.people("Wei Zhang") == [["a", "b"]]
        await following.add(paper("b", "Wei Zhang", "Marie Curie"))
        assert await following.people("Wei Zhang") == [["a"], ["b"]]

    async def test_papers_that_cite_each_other_are_no_endless_story(self, following: Following) -> None:
        first, second = "The long title of the first study", "The long title of the second study"
        await following.add(
            paper("a", "Wei Zhang", title=first, cites=second), paper("b", "Wei Zhang", title=second, cites=first)
        )
        assert await following.people("Wei Zhang") == [["a", "b"]]
        assert [each.reason for each in await following.store.graph.merges()] == ["one builds on the other"]

    async def test_whom_somebody_told_apart_no_rule_makes_one_again(self, following: Following) -> None:
        await following.add(paper("a", "张伟", "李娜"), paper("b", "张伟", "李娜"))
        node = (await following.store.graph.find("张伟"))[0]
        await following.store.graph.split(node.number, "张伟", "default/b")
        await following.add(paper("c", "张伟", "李娜"))
        await following.store.graph.forget()
        await following.follow()
        assert ["b"] in await following.people("张伟")
        assert await following.people("李娜") == [["a", "b", "c"]]

    async def test_who_is_told_apart_takes_nobody_else_along(self, following: Following) -> None:
        """All of them were found to be one by way of the first."""
        await following.add(*(paper(id, "张伟", "李娜") for id in "abc"))
        await following.split("张伟", "a")
        assert await following.people("张伟") == [["a"], ["b", "c"]]

    async def test_what_somebody_merged_goes_back_to_what_it_was(self, following: Following) -> None:
        await following.add(
            *(paper(id, "张伟", other) for id, other in zip("abcd", ("李娜", "李娜", "王芳", "王芳"), strict=True))
        )
        before = sorted((each.name, each.into_scope) for each in await following.store.graph.merges())
        one, other = ({"scope": "default/d", "into_scope": "default/a"}, {"name": "张伟", "into": "张伟"})
        await following.store.graph.merge([Merged(kind="author", by="hand", **one, **other)])
        assert await following.people("张伟") == [["a", "b", "c", "d"]]
        await following.split("张伟", "d")
        assert await following.people("张伟") == [["a", "b"], ["c", "d"]]
        assert sorted((each.name, each.into_scope) for each in await following.store.graph.merges()) == before
        await following.add(paper("e", "张伟", "李娜", "王芳"))
        assert len(await following.people("张伟")) == 2
        await following.split("张伟", "d")  # now it is the rules that are wrong
        assert ["d"] in await following.people("张伟")

    async def test_five_thousand_authors_are_known_again(self, following: Following) -> None:
        await following.store.put([paper(id) for id in ("a", "b", "c")])
        crowd = [f"Given Family{number}" for number in range(5000)]
        written = {"a": crowd, "b": crowd[100:], "c": [crowd[0], crowd[1]]}
        await following.store.graph.put([_extracted(id, names) for id, names in written.items()])
        while await following.store.graph.settle(2):
            pass
        assert len(await following.store.graph.merges()) == 4900 + 2
        assert await following.people("Given Family200") == [["a", "b"]]


def _extracted(id: str, authors: list[str]) -> Extracted:
    source = Thing(kind="paper", name=f"A study of {id}", scope=id)
    said = (
        Statement(relation="AUTHORED_BY", source=source, target=Thing(kind="author", name=name, scope=id), confidence=1)
        for name in authors
    )
    return Extracted(collection="default", document=id, statements=tuple(said), version=followers.VERSION)


class TestVariants:
    async def test_a_size_is_the_model_until_a_paper_has_its_name(self, following: Following) -> None:
        await following.add(paper("a", aliases=("GLaD",), methods=("GLaD-base", "GLaD-2")))
        assert await following.merged("rules") == [("GLaD-base", "GLaD")]
        await following.add(paper("b", aliases=("GLaD-base",)))
        assert await following.merged("rules") == []
        assert len(await following.store.graph.find("GLaD-base", ("method",))) == 1

    async def test_what_somebody_merged_outlives_a_rebuild(self, following: Following) -> None:
        await following.add(paper("a", methods=("Quick Net", "QN", "QN-large")))
        by_hand = Merged(kind="method", name="QN", scope="", into="Quick Net", into_scope="", by="hand")
        await following.store.graph.merge([by_hand])
        await following.store.graph.forget()
        await following.follow()
        assert await following.merged("hand") == [("QN", "Quick Net")]
        assert [set(node.names) for node in await following.store.graph.find("QN")] == [{"QN", "Quick Net", "QN-large"}]


class TestAliases:
    async def defined(self, following: Following, id: str, *pairs: tuple[str, str]) -> None:
        """Put a paper in that uses the longer names and defines the shorter ones."""
        await following.store.put([paper(id)])
        things = [(Thing(kind="method", name=short), Thing(kind="method", name=long)) for short, long in pairs]
        source = Thing(kind="paper", name=f"A study of {id}", scope=id)
        said = tuple(Statement(relation="USES", source=source, target=long, confidence=1) for _, long in things)
        version = followers.VERSION
        extracted = Extracted(
            collection="default", document=id, statements=said, version=version, aliases=tuple(things)
        )
        await following.store.graph.put([extracted])
        await following.follow()

    async def test_what_a_text_defines_is_one_in_both_languages(self, following: Following) -> None:
        pairs = (("MLA", "多头潜在注意力"), ("多头潜在注意力", "multi-head latent attention"))
        await self.defined(following, "a", *pairs, ("MLA", "multi-head latent attention"))
        found = [await following.store.graph.find(name) for name in ("MLA", "多头潜在注意力")]
        assert found[0] == found[1]
        assert [node.name for node in found[0]] == ["multi-head latent attention"]

    async def test_an_abbreviation_of_two_things_is_neither(self, following: Following) -> None:
        await self.defined(following, "a", ("SSD", "state space duality"))
        assert await following.merged("rules") == [("SSD", "state space duality")]
        await self.defined(following, "b", ("SSD", "single shot detector"))
        assert await following.merged("rules") == []
        await following.remove("a")
        await self.defined(following, "c", ("SSD", "single shot detector"))
        assert await following.merged("rules") == [("SSD", "single shot detector")]

    async def test_a_definition_goes_with_the_last_text_that_gives_it(self, following: Following) -> None:
        for id in "ab":
            await self.defined(following, id, ("SSD", "state space duality"))
        await following.remove("a")
        assert await following.merged("rules") == [("SSD", "state space duality")]
        await following.remove("b")
        assert await following.merged("rules") == []


class Dying:
    """A graph that fails once, in the middle of the work."""

    def __init__(self, graph: Any, step: str, calls: int) -> None:
        self._graph, self._step, self._calls = graph, step, calls

    def __getattr__(self, name: str) -> Any:
        if name == self._step:
            self._calls -= 1
            if self._calls < 0:
                raise InterruptedError(name)
        return getattr(self._graph, name)


class TestFollowing:
    async def test_an_empty_library_gets_no_tables(self, following: Following) -> None:
        await following.follow()
        assert following.events == []
        assert following.store.database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'graph%'") == []

    @pytest.mark.parametrize(("step", "calls"), [("put", 0), ("put", 1), ("settle", 0), ("settle", 1), ("settle", 2)])
    async def test_who_dies_on_the_way_leaves_it_to_the_next(self, following: Following, step: str, calls: int) -> None:
        await following.store.put([paper(id, "张伟", "李娜") for id in "abcde"])
        with pytest.raises(InterruptedError):
            await following.follow(Dying(following.store.graph, step, calls), at_once=2)
        await following.follow()
        assert await following.people("张伟") == [["a", "b", "c", "d", "e"]]
        assert (await following.store.graph.counts()).waiting == 0

    async def test_it_tells_how_far_it_is_and_nothing_when_there_is_nothing_to_do(self, following: Following) -> None:
        await following.add(paper("a"), paper("b"))
        assert following.events == [Progress(stage="graph", done=2, total=2, unit="documents")]
        await following.follow()
        assert len(following.events) == 1

    async def test_another_version_reads_again(self, following: Following) -> None:
        await following.add(paper("a", "Wei Zhang"), paper("b", "Wei Zhang"))
        await following.follow(version="rules of tomorrow")
        assert [event.total for event in following.events if isinstance(event, Progress)] == [2, 2]
        assert await following.people("Wei Zhang") == [["a"], ["b"]]


async def test_a_library_follows_every_change(library: Library, tmp_path: Path) -> None:
    note = "---\ntitle: {0}\nid: {0}\nauthors: [Wei Zhang, Ada Lovelace]\n---\nSomething is said."
    for id in ("one", "two"):
        (tmp_path / f"{id}.md").write_text(note.format(id))
    await library.add.aio(tmp_path)
    assert len(await library.graph.find.aio("Wei Zhang")) == 1
    await library.correct.aio("two", ["authors=Wei Zhang; Marie Curie"])
    assert len(await library.graph.find.aio("Wei Zhang")) == 2
    await library.remove.aio(["two"])
    assert (await library.graph.counts.aio()).documents == 1


async def test_without_the_graph_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("Something is said.")
    with Library.open(tmp_path / "library", embedder="none", graph=False, tree=False) as library:
        await library.add.aio(tmp_path / "one.md")
        assert library.store.database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'graph%'") == []
