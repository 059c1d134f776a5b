"""What every store gives back of a document, and what it tells of the ways in which documents hang together."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.identity import keys_of
from scholarmind.layout import Box, Layout, Line, Page
from scholarmind.library_ports import Cited, Store
from scholarmind.model import Document, Entry, Fact, Passage, Pointer, Reference, Search
from scholarmind.testing import HashEmbedder

pytestmark = pytest.mark.anyio
EMBEDDER = HashEmbedder(dimension=64)

TEXT = "Title of it\n\nWe use attention [1, 2].\n\nReferences\n\n[1] One work.\n\n[2] Another work."
LAYOUT = Layout(
    pages=(Page(number=1, width=595.3, height=841.9, start=0), Page(number=2, width=841.9, height=595.3, start=40)),
    lines=(
        Line(start=0, end=11, box=Box(page=1, left=72.1, top=70.0, right=300.5, bottom=84.2)),
        Line(start=13, end=38, box=Box(page=1, left=72.0, top=90.3, right=310.0, bottom=101.7)),
        Line(start=52, end=65, box=Box(page=2, left=0.0, top=-3.5, right=150.0, bottom=12.0)),
    ),
)
PAPER = Entry(
    document=Document(
        id="paper",
        title="Title of a paper with attention",
        collection="papers",
        authors=("Ada Lovelace", "张三"),
        year=2020,
        source="Venue",
        origin="/papers/paper.pdf",
        language="en",
        kind="paper",
        metadata={"doi": "10.1234/paper", "pages": 12, "tags": ("a", "b"), "open": True},
    ),
    text=TEXT,
    passages=(
        Passage(text=TEXT[:11], start=0, end=11, position=0, section=("Part",), language="en", page=1),
        Passage(text=TEXT[13:38], start=13, end=38, position=1, kind="caption"),
    ),
    hash="digest",
    layout=LAYOUT,
    facts=(
        Fact(field="title", value="Title of it", source="first page", sure=0.8),
        Fact(field="year", value=2020, source="file name", sure=0.2),
        Fact(
            field="authors", value=("Ada Lovelace", "张三"), source="library.bib, line 3", sure=0.95, by="bibliography"
        ),
        Fact(field="open", value=True, source="by hand", sure=1.0, by="hand"),
        Fact(field="title", value=None, source="OpenAlex", sure=0.5, by="catalogue"),
    ),
    references=(
        Reference(
            text="[1] One work.",
            start=52,
            end=65,
            label="1",
            authors=("Hopper, Grace", "李四"),
            year=1952,
            title="One work on compilers",
            doi="10.1234/ONE",
            arxiv="1706.03762v3",
        ),
        Reference(text="[2] Another work.", start=67, end=84),
    ),
    pointers=(Pointer(start=30, end=36, references=(0, 1)), Pointer(start=30, end=36, references=())),
)
ODD = "a\0b\ud800"
STORED = "a\0b?"


def plain(id: str, *, title: str = "", cites: Sequence[Reference] = (), **fields: Any) -> Entry:
    """A document of one passage with these references."""
    document = Document(**{"id": id, "title": title or id, **fields})
    passages = (Passage(text="words", start=0, end=5, position=0),)
    return Entry(document=document, text="words", passages=passages, hash=id, references=tuple(cites))


def cite(title: str = "", **fields: Any) -> Reference:
    """A reference to a work."""
    return Reference(**{"text": "", "start": 0, "end": 0, "title": title, **fields})


async def meant(store: Store, id: str, collection: str = "default") -> list[str]:
    """The documents that the references of a document mean."""
    return [cited.document for cited in await store.references(collection, id)]


class TestEntry:
    async def test_a_document_comes_back_as_it_was_put(self, open_store: Callable[[], Store]) -> None:
        store = open_store()
        await store.put([PAPER, plain("bare")])
        for opened in (store, open_store()):
            assert await opened.entry("papers", "paper") == PAPER
            assert await opened.entry("default", "bare") == plain("bare")
            assert await opened.layout("papers", "paper") == LAYOUT
            assert await opened.layout("default", "bare") is None
            assert await opened.facts("papers") == {"paper": PAPER.facts}
            assert await opened.facts("default") == {}
            assert await opened.references("papers", "paper") == [Cited(reference=item) for item in PAPER.references]

    async def test_an_empty_store_has_none_of_it(self, store: Store) -> None:
        assert await store.entry("papers", "paper") is None
        assert await store.layout("papers", "paper") is None
        assert await store.facts("papers") == {}
        assert await store.references("papers", "paper") == []
        assert await store.citing("papers", "paper") == []
        assert await store.same("papers", ["doi:10.1234/paper"]) == []
        assert await store.same("papers", []) == []

    async def test_everything_goes_with_its_document(self, store: Store) -> None:
        await store.put([PAPER, plain("user", collection="papers", cites=[cite(doi="10.1234/paper")])])
        await store.remove("papers", ["paper"])
        assert await store.entry("papers", "paper") is None
        assert await store.layout("papers", "paper") is None
        assert await store.facts("papers") == {}
        assert await store.references("papers", "paper") == []
        assert await store.same("papers", list(keys_of(PAPER.document))) == []
        assert await meant(store, "user", "papers") == [""]
        await store.put([PAPER])
        assert await store.entry("papers", "paper") == PAPER
        assert await meant(store, "user", "papers") == ["paper"]

    async def test_what_is_put_in_its_place_is_all_there_is(self, store: Store) -> None:
        await store.put([PAPER])
        shorter = plain("paper", collection="papers")
        await store.put([shorter])
        assert await store.entry("papers", "paper") == shorter
        assert await store.layout("papers", "paper") is None
        assert await store.facts("papers") == {}
        assert await store.references("papers", "paper") == []

    async def test_a_document_is_described_anew_without_its_file(self, store: Store) -> None:
        await store.put([PAPER])
        vectors = {item.number: EMBEDDER.vector(item.text) for item in await store.waiting(10)}
        await store.fill(vectors)
        entry = await store.entry("papers", "paper")
        assert entry is not None
        described = replace(
            entry, document=replace(entry.document, title="Another name for the very same thing", year=2021)
        )
        await store.put([described])
        assert await store.entry("papers", "paper") == described
        assert await store.waiting(10) == []
        query = EMBEDDER.vector(TEXT[13:38])
        (best,) = await store.search(Search(text="", vector=query, k=1, mode="vector"))
        assert (best.document.year, best.passage) == (2021, PAPER.passages[1])

    async def test_a_new_short_title_is_embedded_with_the_passages_it_is_shown_with(self, store: Store) -> None:
        entry = replace(PAPER, passages=(replace(PAPER.passages[0], text="long " * 100, end=500), PAPER.passages[1]))
        await store.put([entry])
        await store.fill({item.number: EMBEDDER.vector(item.text) for item in await store.waiting(10)})
        await store.put([replace(entry, document=replace(entry.document, title="Short"))])
        assert [item.text for item in await store.waiting(10)] == ["Short\n" + "long " * 100]

    async def test_one_id_in_two_collections(self, store: Store) -> None:
        other = replace(PAPER, document=replace(PAPER.document, collection="other"), facts=(), layout=None)
        await store.put([PAPER, other])
        assert await store.entry("other", "paper") == other
        await store.remove("papers", ["paper"])
        assert await store.entry("other", "paper") == other

    async def test_strings_that_are_no_text(self, store: Store) -> None:
        reference = cite(ODD * 9, text=ODD, label=ODD, authors=(ODD,), doi=f"10.1234/{ODD}", arxiv=ODD)
        odd = replace(plain("odd"), facts=(Fact(field=ODD, value=(ODD,), source=ODD, sure=1),), references=(reference,))
        await store.put([odd])
        assert await store.facts("default") == {"odd": (Fact(field=STORED, value=(STORED,), source=STORED, sure=1),)}
        kept = cite(STORED * 9, text=STORED, label=STORED, authors=(STORED,), doi=f"10.1234/{STORED}", arxiv=STORED)
        assert await store.references("default", "odd") == [Cited(reference=kept)]
        assert await store.same(ODD, [ODD, f"doi:{ODD}"]) == []
        assert await store.entry(ODD, ODD) is await store.layout(ODD, ODD) is None
        assert await store.references(ODD, ODD) == await store.citing(ODD, ODD) == []
        assert await store.facts(ODD) == {}

    @pytest.mark.parametrize("value", [0, -1.5, 1e300, 2**70, "", (), ("a", 1, 2.5, False), True, None, "行\n\t'\""])
    async def test_every_value_of_a_fact(self, store: Store, value: Any) -> None:
        facts = (Fact(field="x", value=value, source="s", sure=0.25),)
        await store.put([replace(plain("a"), facts=facts)])
        (found,) = (await store.facts("default"))["a"]
        assert (found, type(found.value)) == (facts[0], type(value))

    async def test_an_entry_is_of_one_moment_while_it_is_replaced(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        versions = [
            replace(
                plain("a", title=f"Version {number}", cites=[cite(f"Work number {number}")] * 50),
                facts=(Fact(field="n", value=number, source="s", sure=1),) * 20,
                hash=str(number),
            )
            for number in range(12)
        ]
        await writer.put(versions[:1])
        done = asyncio.Event()

        async def write() -> None:
            for version in versions:
                await writer.put([version])
            done.set()

        task = asyncio.create_task(write())
        seen = 0
        while not done.is_set():
            assert await reader.entry("default", "a") in versions
            seen += 1
        await task
        assert seen > 3


class TestCitations:
    async def test_references_mean_documents_by_any_key(self, store: Store) -> None:
        works = [
            plain("doi", metadata={"doi": "10.1234/ABC"}),
            plain("arxiv", metadata={"arxiv": "1706.03762"}),
            plain("title", title="Attention: is it all you need?"),
        ]
        cites = [
            cite(doi="https://doi.org/10.1234/abc"),
            cite(arxiv="arXiv:1706.03762v5"),
            cite("ATTENTION is it\nall you need"),
            cite("nobody wrote this one"),
            cite(),
        ]
        await store.put([*works, plain("user", cites=cites)])
        assert await meant(store, "user") == ["doi", "arxiv", "title", "", ""]
        assert [await store.citing("default", entry.document.id) for entry in works] == [["user"]] * 3
        assert await store.citing("default", "user") == []

    async def test_they_follow_changes_whatever_comes_first(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        await writer.put(
            [plain("one", cites=[cite("the work of a life")]), plain("two", cites=[cite("the work of a life")])]
        )
        assert await meant(reader, "one") == [""]
        await writer.put([plain("work", title="The work of a life")])
        assert await meant(reader, "one") == ["work"]
        assert await reader.citing("default", "work") == ["one", "two"]
        await writer.put([plain("work", title="Renamed by hand"), plain("one")])
        assert await meant(reader, "two") == [""]
        assert await reader.citing("default", "work") == []

    async def test_collections_are_kept_apart(self, store: Store) -> None:
        await store.put(
            [
                plain("work", title="the work of a life"),
                plain("user", collection="other", cites=[cite("the work of a life")]),
            ]
        )
        assert await meant(store, "user", "other") == [""]
        assert await store.citing("default", "work") == await store.citing("other", "work") == []

    async def test_a_document_does_not_cite_itself(self, store: Store) -> None:
        await store.put([plain("work", title="the work of a life", cites=[cite("the work of a life")])])
        assert (await meant(store, "work"), await store.citing("default", "work")) == ([""], [])

    async def test_numbers_come_before_titles_and_the_year_tells_titles_apart(self, store: Store) -> None:
        await store.put(
            [
                plain("old", title="a report on all of it", year=2001),
                plain("new", title="a report on all of it", year=2002),
                plain("third", metadata={"doi": "10.1234/third"}),
            ]
        )
        cites = [cite("a report on all of it", year=year) for year in (2001, 2002, 1999, None)]
        await store.put([plain("user", cites=[*cites, cite("a report on all of it", doi="10.1234/third")])])
        assert await meant(store, "user") == ["old", "new", "old", "old", "third"]
        for id in ("old", "new", "third"):
            assert await store.citing("default", id) == ["user"]

    async def test_a_work_cited_twice_is_cited_once(self, store: Store) -> None:
        twice = [cite("the work of a life", doi="10.1234/life")] * 2
        await store.put(
            [plain("work", title="the work of a life", metadata={"doi": "10.1234/life"}), plain("u", cites=twice)]
        )
        assert (await meant(store, "u"), await store.citing("default", "work")) == (["work", "work"], ["u"])


class TestSame:
    async def test_documents_by_their_keys(self, store: Store) -> None:
        one = plain("one", title="the work of a life", metadata={"doi": "10.1234/life"})
        two = plain("two", title="The Work of a Life")
        await store.put([one, two, plain("three", collection="other", title="the work of a life")])
        keys = list(keys_of(one.document))
        assert keys == ["doi:10.1234/life", "title:theworkofalife"]
        expected = [(keys[1], "one"), (keys[1], "two"), (keys[0], "one")]
        assert await store.same("default", [keys[1], "doi:none", keys[0], keys[1]]) == expected
        await store.remove("default", ["one"])
        assert await store.same("default", keys) == [(keys[1], "two")]

    async def test_many_keys_at_once(self, store: Store) -> None:
        await store.put([plain(f"d{n}", metadata={"doi": f"10.1234/{n}"}) for n in range(50)])
        keys = [f"doi:10.1234/{n}" for n in range(70_000)]
        assert await store.same("default", keys) == [(f"doi:10.1234/{n}", f"d{n}") for n in range(50)]


async def test_5_000_references_and_10_000_lines(store: Store) -> None:
    references = tuple(
        cite(f"the work of a life, part {n}", text="[…] " * 30, authors=(f"Author {n}",), year=2000, doi=f"10.1234/{n}")
        for n in range(5_000)
    )
    pointers = tuple(Pointer(start=n, end=n + 1, references=(n, (n + 1) % 5_000)) for n in range(5_000))
    box = Box(page=1, left=72.0, top=72.0, right=300.0, bottom=84.0)
    lines = tuple(Line(start=n * 10, end=n * 10 + 9, box=replace(box, page=1 + n // 50)) for n in range(10_000))
    layout = Layout(pages=(Page(number=1, width=600.0, height=800.0, start=0),), lines=lines)
    long = replace(plain("long"), references=references, pointers=pointers, layout=layout)
    works = [plain(f"w{n}", metadata={"doi": f"10.1234/{n}"}) for n in range(0, 5_000, 100)]
    await store.put([long])
    assert await store.entry("default", "long") == long
    await store.put(works)
    found = await store.references("default", "long")
    assert [(at, cited.document) for at, cited in enumerate(found) if cited.document] == [
        (n, f"w{n}") for n in range(0, 5_000, 100)
    ]
    await store.remove("default", ["long"])
