"""What every store keeps of bibliographies and of corrections by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scholarmind.library_ports import Listed, Store
from scholarmind.model import BibEntry, Document, Entry, Passage

pytestmark = pytest.mark.anyio


def listed(key: str, line: int = 1, **match: str) -> Listed:
    """An entry of a bibliography with everything that one can have."""
    document = Document(
        id=f"id-{key}",
        title=f"On {key}",
        collection="papers",
        authors=("Ada Lovelace", "张三"),
        year=2020,
        source="Journal",
        origin="/papers/library.bib",
        language="en",
        kind="article",
        metadata={"doi": "10.1234/x", "keywords": ("a", "b"), "volume": 3, "score": 1.5, "open": False},
    )
    entry = BibEntry(key=key, line=line, document=document, abstract="What it says.", files=("a.pdf", "b/c.pdf"))
    return Listed(entry=entry, **match)


def bare(key: str) -> Listed:
    """An entry that says next to nothing."""
    return Listed(entry=BibEntry(key=key, line=0, document=Document(id=key, title="")))


class TestBibliographies:
    async def test_entries_are_kept_as_they_are_and_in_their_order(self, open_store: Callable[[], Store]) -> None:
        store = open_store()
        assert await store.listed("papers") == {}
        first = [listed("zebra", 3, document="a", how="DOI"), listed("ant", 9, how="no file; add one"), bare("ant")]
        second = [listed("zebra", 1, document="b", how="title")]
        await store.keep("papers", "/z.bib", first)
        await store.keep("papers", "/a.ris", second)
        await store.keep("other", "/z.bib", [bare("x")])
        for opened in (store, open_store()):
            assert await opened.listed("papers") == {"/z.bib": first, "/a.ris": second}
            assert await opened.listed("other") == {"/z.bib": [bare("x")]}
            assert await opened.listed("nothing") == {}

    async def test_keeping_replaces_what_was_there_of_the_file(self, store: Store) -> None:
        await store.keep("papers", "/a.bib", [listed("one"), listed("two"), listed("three")])
        await store.keep("papers", "/b.bib", [listed("one")])
        rematched = [replace(listed("two"), document="d", how="file")]
        await store.keep("papers", "/a.bib", rematched)
        assert await store.listed("papers") == {"/a.bib": rematched, "/b.bib": [listed("one")]}
        await store.keep("papers", "/a.bib", [])
        await store.keep("papers", "/never.bib", [])
        assert await store.listed("papers") == {"/b.bib": [listed("one")]}

    async def test_a_match_outlives_its_document(self, store: Store) -> None:
        passages = (Passage(text="words", start=0, end=5, position=0),)
        document = Document(id="a", title="A", collection="papers")
        await store.put([Entry(document=document, text="words", passages=passages, hash="x")])
        kept = [listed("one", document="a", how="DOI")]
        await store.keep("papers", "/a.bib", kept)
        await store.remove("papers", ["a"])
        assert await store.listed("papers") == {"/a.bib": kept}

    async def test_strings_that_are_no_text(self, store: Store) -> None:
        odd, kept = "a\0b\ud800", "a\0b?"

        def entry(text: str) -> Listed:
            document = Document(id=text, title=text, authors=(text,), metadata={text: text, "list": (text,)})
            read = BibEntry(key=text, line=1, document=document, abstract=text, files=(text,))
            return Listed(entry=read, document=text, how=text)

        await store.keep(odd, odd, [entry(odd)])
        await store.keep(odd, odd, [entry(odd)])
        assert await store.listed(odd) == await store.listed(kept) == {kept: [entry(kept)]}

    async def test_10_000_entries(self, store: Store) -> None:
        entries = [listed(f"key{n}", n, document=f"d{n}", how="file") for n in range(10_000)]
        await store.keep("papers", "/large.bib", entries)
        await store.keep("papers", "/large.bib", entries)
        found = await store.listed("papers")
        assert found == {"/large.bib": entries}


class TestCorrections:
    @pytest.mark.parametrize("value", ["A title", "", "题目", 2020, 1.5, True, False, 0, ("Ada", "Bob"), (), 2**70])
    async def test_every_value(self, open_store: Callable[[], Store], value: Any) -> None:
        store = open_store()
        await store.correct("papers", "a", "field", value)
        for opened in (store, open_store()):
            (found,) = (await opened.corrected("papers"))["a"].values()
            assert (found, type(found)) == (value, type(value))

    async def test_they_are_told_by_document_and_field(self, store: Store) -> None:
        assert await store.corrected("papers") == {}
        await store.correct("papers", "b", "year", 1999)
        await store.correct("papers", "a", "title", "First")
        await store.correct("papers", "b", "authors", ("Ada",))
        await store.correct("papers", "b", "year", 2000)
        await store.correct("other", "b", "year", 3000)
        assert await store.corrected("papers") == {"a": {"title": "First"}, "b": {"authors": ("Ada",), "year": 2000}}
        await store.correct("papers", "b", "year", None)
        await store.correct("papers", "a", "title", None)
        await store.correct("papers", "nobody", "title", None)
        assert await store.corrected("papers") == {"b": {"authors": ("Ada",)}}
        assert await store.corrected("other") == {"b": {"year": 3000}}

    async def test_they_outlive_their_document(self, store: Store) -> None:
        passages = (Passage(text="words", start=0, end=5, position=0),)
        document = Document(id="a", title="A")
        entry = Entry(document=document, text="words", passages=passages, hash="x")
        await store.put([entry])
        await store.correct("default", "a", "title", "Corrected")
        await store.remove("default", ["a"])
        await store.put([entry])
        assert await store.corrected("default") == {"a": {"title": "Corrected"}}
        assert await store.documents() == [document]

    async def test_strings_that_are_no_text(self, store: Store) -> None:
        odd, kept = "a\0b\ud800", "a\0b?"
        await store.correct(odd, odd, odd, odd)
        assert await store.corrected(odd) == await store.corrected(kept) == {kept: {kept: kept}}
        await store.correct(odd, odd, odd, None)
        assert await store.corrected(odd) == {}
