"""What every store does, whatever it is made of: put, remove, search, filter, fill, and tell what there is."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scholarmind.errors import ScholarMindError
from scholarmind.filters import AllOf, AnyOf, Compare, Filter, Not
from scholarmind.library_ports import Source, Store
from scholarmind.model import Counts, Document, Entry, Passage, Pointer, Problem, Reference, Search, text_to_embed
from scholarmind.testing import HashEmbedder

pytestmark = pytest.mark.anyio
EMBEDDER = HashEmbedder(dimension=256)


def entry(id: str, *texts: str, **fields: Any) -> Entry:
    """A document whose passages are these texts, one a line."""
    whole = "\n".join(texts)
    passages: list[Passage] = []
    start = 0
    for position, text in enumerate(texts):
        end = start + len(text)
        passages.append(
            Passage(text=text, start=start, end=end, position=position, section=("Part", str(position)), language="en")
        )
        start = end + 1
    document = Document(**{"id": id, "title": f"Title {id}", **fields})
    return Entry(document=document, text=whole, passages=tuple(passages), hash=f"{id}:{whole}")


def embedded(id: str, text: str) -> str:
    """What is embedded of a document of one passage."""
    return text_to_embed(f"Title {id}", entry(id, text).passages[0])


async def fill(store: Store) -> None:
    """Give every waiting passage the vector of its text."""
    while waiting := await store.waiting(100):
        await store.fill({item.number: EMBEDDER.vector(item.text) for item in waiting})


async def ids(store: Store, text: str, **options: Any) -> list[str]:
    """Search and return the ids of the documents in order."""
    options = {"vector": EMBEDDER.vector(text), **options}
    return [found.document.id for found in await store.search(Search(text=text, **options))]


class TestPutAndSearch:
    async def test_what_was_put_is_found_with_everything_that_was_said_of_it(self, store: Store) -> None:
        document = Document(
            id="bert",
            title="BERT",
            collection="papers",
            authors=("Jacob Devlin", "Ming-Wei Chang"),
            year=2019,
            source="NAACL",
            origin="/notes/bert.md",
            language="en",
            kind="note",
            metadata={"pages": 16, "score": 80.5, "open": True, "tags": ("encoder", "masked")},
        )
        await store.put([replace(entry("bert", "Masked language modelling.", "Results on GLUE."), document=document)])
        (found,) = await store.search(Search(text="glue", k=1))
        assert found.document == document
        assert found.passage == Passage(
            text="Results on GLUE.", start=27, end=43, position=1, section=("Part", "1"), language="en"
        )
        assert (found.scores.keyword_rank, found.scores.vector_rank, found.scores.vector) == (1, None, None)
        assert await store.text("papers", "bert") == "Masked language modelling.\nResults on GLUE."

    async def test_where_a_passage_is_from_is_found_with_it(self, store: Store) -> None:
        whole = entry("a", "plain words", "a table of words")
        first, second = whole.passages
        passages = (replace(first, page=3), replace(second, kind="table"))
        await store.put([replace(whole, passages=passages)])
        await fill(store)
        found = await store.search(Search(text="words", vector=EMBEDDER.vector("words")))
        assert sorted((item.passage for item in found), key=lambda passage: passage.start) == list(passages)

    async def test_an_empty_store_finds_nothing(self, store: Store) -> None:
        assert await store.search(Search(text="anything", vector=EMBEDDER.vector("anything"))) == []
        assert await store.counts() == {}
        assert await store.documents() == []
        assert await store.text("default", "none") is None

    async def test_a_document_with_a_known_id_takes_its_place(self, store: Store) -> None:
        await store.put([entry("a", "old words", "more old words")])
        await store.put([entry("a", "new words")])
        assert await ids(store, "old") == []
        assert await ids(store, "new") == ["a"]
        assert (await store.counts())["default"].passages == 1

    async def test_one_id_in_two_collections_is_two_documents(self, store: Store) -> None:
        await store.put([entry("a", "shared words", collection="one"), entry("a", "shared words", collection="two")])
        assert await store.remove("one", ["a"]) == 1
        (found,) = await store.search(Search(text="shared"))
        assert found.document.collection == "two"

    async def test_removing_tells_how_many_there_were(self, store: Store) -> None:
        await store.put([entry("a", "one"), entry("b", "two")])
        assert await store.remove("default", ["a", "nobody"]) == 1
        assert await ids(store, "one") == []
        assert await store.counts() == {"default": Counts(documents=1, passages=1)}

    async def test_all_of_a_batch_is_stored_or_nothing(self, store: Store) -> None:
        broken = replace(entry("b", "words"), document=Document(id="b", title="b", metadata={"bad": object()}))  # type: ignore[dict-item]
        with pytest.raises((ScholarMindError, TypeError)):
            await store.put([entry("a", "words"), broken])
        assert await ids(store, "words") == []
        await store.put([entry("c", "words")])
        assert await ids(store, "words") == ["c"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "   ",
            "the of and",
            "?!…",
            "title:x AND (",
            "a\0b",
            "'; DROP TABLE documents; --",
            "x" * 50_000,
            "why " * 12_500,
        ],
    )
    async def test_any_question_is_plain_words(self, store: Store, text: str) -> None:
        await store.put([entry("a", "some words on drop tables")])
        await fill(store)
        await store.search(Search(text=text, vector=EMBEDDER.vector(text)))
        assert await ids(store, "words") == ["a"]

    async def test_k_limits_the_passages(self, store: Store) -> None:
        await store.put([entry(f"d{n}", f"common word number{n}") for n in range(30)])
        assert [len(await ids(store, "common", k=k)) for k in (1, 7, 100)] == [1, 7, 30]


class TestLegs:
    @pytest.fixture
    async def filled(self, store: Store) -> Store:
        await store.put([entry(f"d{n}", f"apple {'pear ' * n} item{n}", f"banana item{n}") for n in range(8)])
        await fill(store)
        return store

    async def test_each_leg_alone_and_both(self, filled: Store) -> None:
        for mode, legs in (("vector", (True, False)), ("keyword", (False, True)), ("hybrid", (True, True))):
            found = await filled.search(
                Search(text="banana item3", vector=EMBEDDER.vector("banana item3"), k=1, mode=mode)
            )  # type: ignore[arg-type]
            assert found[0].document.id == "d3"
            assert (found[0].scores.vector_rank is not None, found[0].scores.keyword_rank is not None) == legs

    async def test_vector_scores_are_exact_and_ordered(self, filled: Store) -> None:
        query = EMBEDDER.vector("apple pear")
        found = await filled.search(Search(text="apple pear", vector=query, k=16, mode="vector"))
        expected = [float(EMBEDDER.vector(text_to_embed(item.document.title, item.passage)) @ query) for item in found]
        assert [item.scores.vector for item in found] == pytest.approx(expected, abs=1e-6)
        assert [item.scores.vector_rank for item in found] == list(range(1, 17))
        assert expected == pytest.approx(sorted(expected, reverse=True), abs=1e-6)

    async def test_the_weight_decides_between_the_legs(self, filled: Store) -> None:
        vector = EMBEDDER.vector("item5")  # the vector says item5, the words say item2
        firsts = [
            (await filled.search(Search(text="item2", vector=vector, k=1, dense_weight=weight)))[0].document.id
            for weight in (0.0, 1.0)
        ]
        assert firsts == ["d2", "d5"]

    async def test_passages_of_one_document_can_be_limited(self, filled: Store) -> None:
        found = await ids(filled, "item4 apple banana", k=8, per_document=1)
        assert len(found) == len(set(found)) == 8
        assert found[0] == "d4"

    async def test_the_limit_holds_when_one_document_fills_the_first_places(self, store: Store) -> None:
        await store.put(
            [
                entry("long", *(f"needle needle line{n}" for n in range(500))),
                entry("short", "a needle in much hay and straw"),
            ]
        )
        assert await ids(store, "needle", k=2, per_document=1) == ["long", "short"]


class TestFilters:
    @pytest.fixture
    async def papers(self, store: Store) -> Store:
        rows = [
            entry(
                "a",
                "common words",
                year=2017,
                authors=("Ashish Vaswani", "Noam Shazeer"),
                language="en",
                kind="note",
                title="Attention Is All You Need",
            ),
            entry(
                "b", "common words", year=2019, authors=("Jacob Devlin",), source="NAACL", language="en", kind="paper"
            ),
            entry(
                "c",
                "common words",
                year=2024,
                authors=("Jianlin Su",),
                language="zh",
                metadata={"venue": "Neurocomputing", "score": 9.5, "tags": ("rope", "position")},
            ),
            entry("d", "common words", collection="other", metadata={"score": 3}),
        ]
        await store.put(rows)
        await fill(store)
        return store

    @pytest.mark.parametrize(
        ("filter", "expected"),
        [
            (Compare("collection", "=", "other"), "d"),
            (Compare("collection", "!=", "other"), "abc"),
            (Compare("id", "=", "a"), "a"),
            (Compare("title", "~", "attention is"), "a"),
            (Compare("title", "=", "ATTENTION  is all you need"), "a"),
            (Compare("author", "=", "devlin"), "b"),
            (Compare("author", "=", "Noam Shazeer"), "a"),
            (Compare("author", "=", "Noam"), ""),
            (Compare("year", ">=", 2019), "bc"),
            (Compare("year", "=", 2019), "b"),
            (AllOf((Compare("year", ">", 2017), Compare("year", "<", 2024))), "b"),
            (Compare("source", "=", "naacl"), "b"),
            (Compare("language", "=", "zh"), "c"),
            (Compare("kind", "!=", "note"), "bcd"),
            (Compare("venue", "=", "neurocomputing"), "c"),
            (Compare("score", "<=", 9.5), "cd"),
            (Compare("score", "=", 3.0), "d"),
            (Compare("tags", "=", "position"), "c"),
            (AnyOf((Compare("id", "=", "a"), Compare("id", "=", "d"))), "ad"),
            (Not(Compare("language", "=", "en")), "cd"),
            (Compare("nothing", "=", "x"), ""),
            (Compare("title", "=", "x' OR '1'='1"), ""),
            (Compare("x' OR 1=1 --", "=", "x"), ""),
        ],
        ids=str,
    )
    async def test_every_leg_sees_only_what_passes(self, papers: Store, filter: Filter, expected: str) -> None:
        for mode in ("keyword", "vector", "hybrid"):
            assert sorted(await ids(papers, "common words", mode=mode, filter=filter)) == list(expected)
        assert sorted(document.id for document in await papers.documents(filter)) == list(expected)

    async def test_a_narrow_filter_still_gives_the_true_best(self, store: Store) -> None:
        # the best of the filtered ones come far behind hundreds of others
        texts = [
            (f"d{n}", f"word {'word ' * (n % 7)} filler{n} {'rare' if n % 50 == 0 else 'usual'}") for n in range(600)
        ]
        await store.put(
            [entry(id, text, metadata={"pick": id[-1] == "0" and int(id[1:]) % 50 == 0}) for id, text in texts]
        )
        await fill(store)
        query = EMBEDDER.vector("word filler100")
        picked = [(id, text) for id, text in texts if int(id[1:]) % 50 == 0]
        exact = sorted(picked, key=lambda item: (-float(EMBEDDER.vector(embedded(*item)) @ query), int(item[0][1:])))
        search = Search(text="word filler100", vector=query, k=5, mode="vector", filter=Compare("pick", "=", "true"))
        assert [found.document.id for found in await store.search(search)] == [id for id, _ in exact[:5]]
        assert len(await ids(store, "word", mode="keyword", k=12, filter=Compare("pick", "=", "true"))) == 12

    async def test_filters_follow_changes(self, papers: Store) -> None:
        recent = Compare("year", ">=", 2020)
        assert await ids(papers, "common", filter=recent) == ["c"]
        await papers.put([entry("e", "common words", year=2025)])
        assert sorted(await ids(papers, "common", filter=recent)) == ["c", "e"]
        await papers.remove("default", ["c"])
        assert await ids(papers, "common", filter=recent) == ["e"]


class TestVectors:
    async def test_passages_wait_until_they_are_filled(self, store: Store) -> None:
        await store.put([entry("a", "one", "two", "three")])
        waiting = await store.waiting(2)
        assert [item.text for item in waiting] == ["one", "two"]
        await store.fill({waiting[0].number: EMBEDDER.vector("one"), waiting[1].number: None})
        assert await store.counts() == {"default": Counts(documents=1, passages=3, vectors=1, unsuited=1)}
        assert [item.text for item in await store.waiting(10)] == ["three"]

    async def test_unsuited_passages_are_found_by_words_only(self, store: Store) -> None:
        await store.put([entry("a", "甲骨文字"), entry("b", "other words")])
        waiting = await store.waiting(10)
        await store.fill({waiting[0].number: None, waiting[1].number: EMBEDDER.vector("x")})
        assert await ids(store, "甲骨文", k=1) == ["a"]
        assert await ids(store, "甲骨文", mode="vector") == ["b"]

    async def test_unchanged_passages_keep_their_vectors(self, store: Store) -> None:
        await store.put([entry("a", "stays", "goes")])
        await fill(store)
        await store.put([entry("a", "stays", "comes")])
        assert [item.text for item in await store.waiting(10)] == ["comes"]
        assert await ids(store, "stays", mode="vector", vector=EMBEDDER.vector("stays"), k=1) == ["a"]

    async def test_filling_what_is_gone_changes_nothing(self, store: Store) -> None:
        await store.put([entry("a", "one")])
        (item,) = await store.waiting(10)
        await store.remove("default", ["a"])
        await store.fill({item.number: EMBEDDER.vector("one")})
        assert await store.counts() == {}
        assert await ids(store, "one", mode="vector") == []

    async def test_vectors_of_another_length_are_refused(self, store: Store) -> None:
        await store.put([entry("a", "one"), entry("b", "two")])
        first, second = await store.waiting(10)
        await store.fill({first.number: np.ones(4, np.float32) / 2})
        with pytest.raises(ScholarMindError, match="4 and 8"):
            await store.fill({second.number: np.ones(8, np.float32)})

    async def test_removed_documents_leave_both_legs(self, store: Store) -> None:
        await store.put([entry(f"d{n}", f"word{n} shared") for n in range(20)])
        await fill(store)
        await store.remove("default", [f"d{n}" for n in range(0, 20, 2)])
        for mode in ("vector", "keyword"):
            assert sorted(await ids(store, "shared", mode=mode, k=50)) == sorted(f"d{n}" for n in range(1, 20, 2))


class TestLedger:
    async def test_it_remembers_files_and_documents(self, store: Store) -> None:
        await store.put([entry("a", "one", origin="/x.md")])
        await store.note("default", [Source(path="/x.md", hash="hash"), Source(path="/y.md", hash="other")])
        await store.note("default", [Source(path="/y.md", hash=None)])
        known = await store.known("default")
        assert known.sources == {"/x.md": "hash"}
        assert known.documents == {"a": ("a:one", "/x.md")}
        assert (await store.known("elsewhere")).documents == {}

    async def test_it_tells_what_became_of_each_file(self, open_store: Callable[[], Store]) -> None:
        problems = (
            Problem(where="/b.pdf, page 3", reason="it is a scan", advice="run text recognition", lasting=True),
            Problem(where="/b.pdf", reason="坏了", advice="repair it"),
        )
        broken = Source(path="/b.pdf", hash=None, read=1.5e9, seconds=0.25, bytes=2**40, problems=problems)
        sound = Source(path="/a.md", hash="one", read=1.6e9, seconds=2.5, bytes=10)
        other = Source(path="/a.md", hash="two")
        store = open_store()
        assert await store.sources() == []
        await store.note("papers", [broken, sound])
        await store.note("more", [other])
        await store.note("papers", [])
        reader = open_store()
        assert await reader.sources() == [("more", other), ("papers", sound), ("papers", broken)]
        assert await reader.sources("papers") == [("papers", sound), ("papers", broken)]
        assert await reader.sources("nothing") == []
        assert (await reader.known("papers")).sources == {"/a.md": "one"}
        mended = Source(path="/b.pdf", hash="three", read=1.7e9)
        await store.note("papers", [replace(mended, hash="before"), mended])
        assert await reader.sources("papers") == [("papers", sound), ("papers", mended)]

    async def test_a_file_is_forgotten_with_its_document(self, store: Store) -> None:
        await store.put([entry("a", "one", origin="/x.md"), entry("b", "two", origin="/y.md")])
        files = [Source(path=path, hash="hash") for path in ("/x.md", "/y.md", "/z.md")]
        await store.note("default", files)
        await store.note("other", files)
        await store.remove("default", ["a"])
        assert await store.sources("default") == [("default", files[1]), ("default", files[2])]
        await store.put([entry("b", "something else", origin="/y.md")])
        assert await store.sources("default") == [("default", files[2])]
        assert len(await store.sources("other")) == 3

    async def test_a_file_whose_document_is_only_described_anew_is_still_known(self, store: Store) -> None:
        await store.put([entry("a", "one", origin="/x.md")])
        await store.note("default", [Source(path="/x.md", hash="hash")])
        await store.put([replace(entry("a", "one", origin="/x.md", title="Better", year=2020), hash="described")])
        assert (await store.known("default")).sources == {"/x.md": "hash"}
        await store.put([entry("a", "one", origin="/moved.md")])
        assert (await store.known("default")).sources == {}

    async def test_it_remembers_where_drives_are_mounted(self, open_store: Callable[[], Store]) -> None:
        store = open_store()
        assert await store.mounts() == frozenset()
        await store.note_mounts(["/media/b", "/media/a"])
        await store.note_mounts(["/media/a", "/c\udfff"])
        assert await open_store().mounts() == {"/media/a", "/media/b", "/c?"}

    async def test_names_of_files_that_are_no_text(self, store: Store) -> None:
        odd = Source(path="/a\0b\ud800.md", hash="hash", problems=(Problem(where="\udc80", reason="\0", advice=""),))
        await store.note("c\udfff", [odd])
        await store.note("c\udfff", [odd])
        expected = replace(odd, path="/a\0b?.md", problems=(Problem(where="?", reason="\0", advice=""),))
        assert await store.sources("c\udfff") == await store.sources() == [("c?", expected)]
        assert (await store.known("c\udfff")).sources == {"/a\0b?.md": "hash"}


class TestSharing:
    async def test_another_opening_sees_every_commit(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        await writer.put([entry("a", "first words")])
        assert await ids(reader, "first") == ["a"]
        await fill(writer)
        assert await ids(reader, "first", mode="vector") == ["a"]
        await writer.put([entry("b", "second words")])
        await writer.remove("default", ["a"])
        assert await ids(reader, "words", mode="keyword") == ["b"]
        assert await ids(reader, "words", mode="vector") == []

    async def test_many_writes_in_one_hold(self, open_store: Callable[[], Store]) -> None:
        store = open_store()
        async with store.writing():
            for number in range(20):
                await store.put([entry(f"d{number}", "common words")])
            assert len(await ids(store, "common", k=50)) == 20
        assert len(await ids(open_store(), "common", k=50)) == 20


async def named(store: Store, text: str) -> list[tuple[str, str, str, int]]:
    """Return the names in a text: as it stands there, its field, what a filter compares, and how many documents have it."""
    (found,) = await store.names([text])
    assert [name.text for name in found] == [text[name.start : name.end] for name in found]
    return [(name.text, name.field, name.value, name.documents) for name in found]


class TestNames:
    @pytest.fixture
    async def papers(self, store: Store) -> Store:
        await store.put(
            [
                entry("bert", "words", title="BERT: Pre-training", authors=("Jacob Devlin",), source="ACL"),
                entry("wwm", "words", title="BERT-wwm", metadata={"aliases": ("全词掩码", "wwm2")}, source="ACL"),
                entry("ernie", "words", title="知识增强（ERNIE）", metadata={"date": "2023-11-24"}),
                entry(
                    "rate", "words", title="Moody's Analytics", metadata={"dataset": "Web 2.0", "date": "2023-11-02"}
                ),
            ]
        )
        return store

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("How large is BERT?", [("BERT", "title", "bert", 1)]),
            ("HOW LARGE IS BERT?", [("BERT", "title", "bert", 1)]),
            ("how large is bert?", []),
            ("BERT's size", [("BERT", "title", "bert", 1)]),
            ("“BERT”的大小", [("BERT", "title", "bert", 1)]),
            ("is bert-wwm larger?", [("bert-wwm", "title", "bert wwm", 1)]),
            ("BERT: Pre-training of what", [("BERT: Pre-training", "title", "bert pre training", 1)]),
            (
                "全词掩码和知识增强",
                [("全词掩码", "aliases", "全 词 掩 码", 1), ("知识增强", "title", "知 识 增 强", 1)],
            ),
            (
                "🤖BERT🤖wwm2🤖",
                [("BERT", "title", "bert", 1), ("wwm2", "aliases", "wwm2", 1)],
            ),
            (
                "MOODY'S ANALYTICS and moody’s analytics",
                [
                    ("MOODY'S ANALYTICS", "title", "moody analytics", 1),
                    ("moody’s analytics", "title", "moody analytics", 1),
                ],
            ),
            ("by Jacob Devlin at ACL", [("Jacob Devlin", "author", "jacob devlin", 1), ("ACL", "source", "acl", 2)]),
            ("the web 2.0 data", [("web 2.0", "dataset", "web 2 0", 1)]),
            ("on November 24, 2023", [("November 24, 2023", "date", "2023 11 24", 1)]),
            ("2023年11月的报告", [("2023年11月", "date", "2023 11", 2)]),
            ("a score of 11.24 or 2023 11", []),
            ("November 25, 2023", []),
            ("", []),
            ("the of and ?! 🤖", []),
        ],
        ids=str,
    )
    async def test_names_in_a_text(self, papers: Store, text: str, expected: list[Any]) -> None:
        assert await named(papers, text) == expected

    async def test_the_same_words_in_several_fields(self, store: Store) -> None:
        await store.put([entry("a", "words", title="Orion"), entry("b", "words", authors=("Orion",), source="Orion")])
        found = await named(store, "What is Orion?")
        assert sorted(field for _, field, _, _ in found) == ["author", "source", "title"]

    async def test_names_do_not_overlap_and_the_longest_is_kept(self, store: Store) -> None:
        await store.put(
            [
                entry("a", "words", title="May 2020 Report", metadata={"date": "2020-05-01"}),
                entry("b", "words", title="May"),
            ]
        )
        assert [text for text, *_ in await named(store, "the May 2020 Report, in May 2020 and May")] == [
            "May 2020 Report",
            "May 2020",
            "May",
        ]

    async def test_several_texts_at_once(self, papers: Store) -> None:
        found = await papers.names(["BERT", "", "ERNIE and 知识增强"])
        assert [[name.text for name in names] for names in found] == [["BERT"], [], ["知识增强"]]
        assert await papers.names([]) == []

    async def test_they_follow_changes(self, store: Store) -> None:
        text = "Alpha, Beta and Gamma"
        await store.put([entry("a", "words", title="Alpha"), entry("b", "words", title="Beta")])
        assert [name for name, *_ in await named(store, text)] == ["Alpha", "Beta"]
        await store.put([entry("a", "words", title="Gamma")])
        assert [name for name, *_ in await named(store, text)] == ["Beta", "Gamma"]
        await store.remove("default", ["b"])
        assert [name for name, *_ in await named(store, text)] == ["Gamma"]

    async def test_another_opening_sees_them(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        assert await named(reader, "Alpha") == []
        await writer.put([entry("a", "words", title="Alpha")])
        assert await named(reader, "Alpha") == [("Alpha", "title", "alpha", 1)]

    @pytest.mark.parametrize("piece", ["BERT ", "a ", "全词掩码", "2023-11-24 ", "’s", "May ", " ", "é", "'"])
    async def test_long_texts(self, papers: Store, piece: str) -> None:
        text = (piece * 20_000)[:20_000]
        found = await named(papers, text)
        assert len(found) <= len(text) // len(piece)
        assert {name for name, *_ in found} <= {piece.strip()}


class TestCalled:
    @pytest.fixture
    async def papers(self, store: Store) -> Store:
        await store.put(
            [
                entry("a", "common words", title="BERT: Pre-training", authors=("Jacob Devlin",)),
                entry("b", "common words", title="Other", metadata={"aliases": ("BERT", "知识增强")}),
                entry("c", "common words", title="More", authors=("BERT",), metadata={"date": "2023-11-24"}),
            ]
        )
        return store

    @pytest.mark.parametrize(
        ("field", "value", "expected"),
        [
            ("called", "BERT", "ab"),
            ("called", "bert", "ab"),
            ("called", "BERT: Pre-training", "a"),
            ("called", "知识增强", "b"),
            ("called", "Jacob Devlin", ""),
            ("called", "BER", ""),
            ("called", "", ""),
            ("called", "x' OR '1'='1", ""),
            ("called.author", "bert", "c"),
            ("called.author", "Jacob Devlin", "a"),
            ("called.aliases", "BERT", "b"),
            ("called.date", "2023 11 24", "c"),
            ("called.date", "2023 11", "c"),
            ("called.nothing", "BERT", ""),
        ],
    )
    async def test_every_leg_sees_only_what_is_called_so(
        self, papers: Store, field: str, value: str, expected: str
    ) -> None:
        for mode in ("keyword", "hybrid"):
            assert sorted(await ids(papers, "common words", mode=mode, filter=Compare(field, "=", value))) == list(
                expected
            )
        assert sorted(item.id for item in await papers.documents(Compare(field, "!=", value))) == sorted(
            {"a", "b", "c"} - set(expected)
        )

    async def test_every_name_that_is_found_is_a_filter(self, papers: Store) -> None:
        (found,) = await papers.names(["BERT by Jacob Devlin, 知识增强, November 24"])
        assert len(found) >= 4
        for name in found:
            own = name.field in {"title", "aliases"}
            field = "called" if own else f"called.{name.field}"
            passed = await papers.documents(Compare(field, "=", name.value))
            assert len(passed) >= name.documents

    async def test_they_follow_changes(self, papers: Store) -> None:
        bert = Compare("called", "=", "BERT")
        await papers.put([entry("a", "common words", title="Something else")])
        await papers.put([entry("d", "common words", title="BERT (2)")])
        assert sorted(await ids(papers, "common", filter=bert)) == ["b", "d"]


class TestLinked:
    @pytest.fixture
    async def notes(self, store: Store) -> Store:
        await store.put(
            [
                entry("alpha", "This builds on Omega and more.", "Another passage on speed.", title="Alpha", year=2020),
                entry("omega", "A base for others, with speed.", title="Omega", year=2010),
                entry("user", "We compare with Alpha here.", "Here nobody is named.", title="User", year=2022),
                entry("far", "No word of them.", title="Far", year=2024),
            ]
        )
        await fill(store)
        return store

    async def seeds(self, store: Store, id: str) -> list[Any]:
        return await store.search(
            Search(text="passage words", k=10, filter=Compare("id", "=", id), vector=EMBEDDER.vector("x"))
        )

    async def links(self, store: Store, id: str, text: str = "speed", **options: Any) -> set[tuple[str, int]]:
        options = {"vector": EMBEDDER.vector(text), "k": 50, **options}
        found = await store.linked(await self.seeds(store, id), Search(text=text, **options))
        assert len(found) == len({(item.document.id, item.passage.position) for item in found})
        return {(item.document.id, item.passage.position) for item in found}

    async def test_both_directions(self, notes: Store) -> None:
        assert await self.links(notes, "alpha") == {("omega", 0), ("user", 0)}
        assert await self.links(notes, "omega") == {("alpha", 0)}
        assert await self.links(notes, "user") == {("alpha", 0), ("alpha", 1)}
        assert await self.links(notes, "far") == set()

    async def test_the_best_for_the_question_come_first(self, notes: Store) -> None:
        seeds = await self.seeds(notes, "user")
        for text, expected in (("speed of another", 1), ("builds on Omega", 0)):
            found = await notes.linked(seeds, Search(text=text, k=1, vector=EMBEDDER.vector(text)))
            assert [item.passage.position for item in found] == [expected]

    async def test_only_what_the_filter_lets_pass(self, notes: Store) -> None:
        recent = Compare("year", ">=", 2015)
        assert await self.links(notes, "alpha", filter=recent) == {("user", 0)}
        assert await self.links(notes, "alpha", filter=Compare("year", ">", 3000)) == set()

    @pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
    async def test_in_every_mode(self, notes: Store, mode: str) -> None:
        assert await self.links(notes, "user", "another passage builds", mode=mode) == {("alpha", 0), ("alpha", 1)}

    async def test_no_seeds_link_nothing(self, notes: Store) -> None:
        assert await notes.linked([], Search(text="speed", vector=EMBEDDER.vector("speed"))) == []

    async def test_an_empty_store_and_a_seed_that_is_gone(self, notes: Store) -> None:
        seeds = await self.seeds(notes, "omega")
        await notes.remove("default", ["alpha", "omega", "user", "far"])
        assert await notes.linked(seeds, Search(text="speed", vector=EMBEDDER.vector("speed"))) == []

    @pytest.mark.parametrize(
        ("title", "text"),
        [
            ("知识增强：一种方法", "我们采用知识增强的办法。"),
            ("知识增强", "比较知识增强和其他。"),
            ("Web 2.0", "All of the Web 2.0 data."),
            ("O'Reilly Media", "Printed by O’Reilly Media again."),
            ("Moody's", "What MOODY'S says."),
            ("GPT-3.5", "Beside GPT-3.5, others."),
            ("C++", "Written in C++ by hand."),
            ("美的集团", "买美的集团的空调。"),
            ("R&D Ltd.", "The R&D of others."),
        ],
    )
    async def test_a_name_in_a_passage_links_both_ways(self, store: Store, title: str, text: str) -> None:
        await store.put([entry("named", "its own words", title=title), entry("naming", text, title="Zzz")])
        await fill(store)
        assert await self.links(store, "named") == {("naming", 0)}
        assert await self.links(store, "naming") == {("named", 0)}

    async def test_small_letters_and_parts_of_names_link_nothing(self, store: Store) -> None:
        await store.put(
            [
                entry("attention", "its own words", title="Attention"),
                entry("long", "its own words", title="Long Range Arena"),
                entry("plain", "we pay attention to a Long Range", title="Plain"),
            ]
        )
        await fill(store)
        assert await self.links(store, "attention") == await self.links(store, "plain") == set()

    @pytest.mark.parametrize(("count", "linked"), [(20, True), (21, False)])
    async def test_a_name_that_many_share_links_nothing(self, store: Store, count: int, linked: bool) -> None:
        await store.put([entry(f"d{n}", f"words {n}", title="Report") for n in range(count)])
        await store.put([entry("user", "As the Report says.", title="User")])
        await fill(store)
        assert await self.links(store, "user") == ({(f"d{n}", 0) for n in range(count)} if linked else set())
        assert await self.links(store, "d0") == ({("user", 0)} if linked else set())

    async def test_they_follow_changes(self, notes: Store) -> None:
        await notes.put([entry("omega", "A base.", title="Renamed"), entry("new", "Beside Alpha.", title="New")])
        await fill(notes)
        assert await self.links(notes, "alpha") == {("user", 0), ("new", 0)}


def citing(id: str, texts: tuple[str, ...], pointed: dict[str, tuple[int, ...]], *titles: str, **fields: Any) -> Entry:
    """A document with these references by title, and pointers where these words stand in its text."""
    whole = entry(id, *texts, **fields)
    references = tuple(Reference(text=title, start=0, end=0, title=title) for title in titles)
    places = [(whole.text.index(words), words, positions) for words, positions in pointed.items()]
    pointers = tuple(Pointer(start=at, end=at + len(words), references=positions) for at, words, positions in places)
    return replace(whole, references=references, pointers=pointers)


class TestLinkedByReferences:
    seeds, links = TestLinked.seeds, TestLinked.links
    BASE, OTHER, SURVEY = "a base of many methods", "another method for speed", "a survey of such methods"

    @pytest.fixture
    async def papers(self, store: Store) -> Store:
        texts = ("we use it [1] with speed", "nothing here", "as did others [2, 3]")
        pointed: dict[str, tuple[int, ...]] = {"[1]": (0,), "[2, 3]": (1, 2)}
        await store.put(
            [
                citing("survey", texts, pointed, self.BASE, self.OTHER, "nowhere to be found here", title=self.SURVEY),
                entry("base", "first of it", "second of it", title=self.BASE),
                citing("other", ("it is built on [1]", "with speed"), {"[1]": (0,)}, self.BASE, title=self.OTHER),
                citing("listing", ("no pointers",), {}, self.BASE, self.SURVEY, title="only lists it"),
            ]
        )
        await fill(store)
        return store

    async def test_what_a_seed_points_at(self, papers: Store) -> None:
        (first, silent, last) = sorted(await self.seeds(papers, "survey"), key=lambda item: item.passage.position)
        search = Search(text="speed", vector=EMBEDDER.vector("speed"), k=50)

        async def linked(seed: Any) -> set[tuple[str, int]]:
            return {(item.document.id, item.passage.position) for item in await papers.linked([seed], search)}

        assert await linked(first) == {("base", 0), ("base", 1)}
        assert await linked(silent) == set()
        assert await linked(last) == {("other", 0), ("other", 1)}

    async def test_what_points_at_a_seed(self, papers: Store) -> None:
        assert await self.links(papers, "base") == {("survey", 0), ("other", 0)}
        assert await self.links(papers, "other") == {("survey", 2), ("base", 0), ("base", 1)}

    async def test_references_and_the_filter(self, papers: Store) -> None:
        assert await self.links(papers, "base", filter=Compare("id", "!=", "survey")) == {("other", 0)}
        assert await self.links(papers, "other", filter=Compare("id", "=", "base")) == {("base", 0), ("base", 1)}

    @pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
    async def test_references_in_every_mode(self, papers: Store, mode: str) -> None:
        assert await self.links(papers, "base", "use built speed", mode=mode) == {("survey", 0), ("other", 0)}

    async def test_references_follow_changes(self, papers: Store) -> None:
        await papers.remove("default", ["base"])
        assert await self.links(papers, "other") == {("survey", 2)}
        await papers.put([entry("again", "it came back", title=self.BASE)])
        await papers.put([entry("survey", "rewritten without references", title=self.SURVEY)])
        await fill(papers)
        assert await self.links(papers, "again") == {("other", 0)}
        assert await self.links(papers, "other") == {("again", 0)}

    async def test_a_pointer_to_no_reference_links_nothing(self, store: Store) -> None:
        texts = ("see [9] and [1]",)
        await store.put(
            [citing("a", texts, {"[9]": (8, -1), "[1]": ()}, self.BASE), entry("base", "x", title=self.BASE)]
        )
        await fill(store)
        assert await self.links(store, "a") == await self.links(store, "base") == set()

    @pytest.mark.parametrize(("count", "linked"), [(20, True), (21, False)])
    async def test_a_work_that_many_claim_to_be_links_nothing(self, store: Store, count: int, linked: bool) -> None:
        await store.put([entry(f"d{n}", f"words {n}", title="a report on all of it") for n in range(count)])
        await store.put([citing("user", ("as [1] has it",), {"[1]": (0,)}, "a report on all of it", title="user")])
        await fill(store)
        assert await self.links(store, "user") == ({(f"d{n}", 0) for n in range(count)} if linked else set())


class TestRarity:
    async def test_the_rarer_the_higher(self, store: Store) -> None:
        await store.put([entry(f"d{n}", f"common item{n}") for n in range(9)])
        found = await store.rarity(["common", "item3", "absent"])
        expected = {"common": np.log(10 / 10), "item3": np.log(10 / 2), "absent": np.log(10 / 1)}
        assert found == pytest.approx(expected)

    async def test_an_empty_store_and_no_words(self, store: Store) -> None:
        assert await store.rarity(["word"]) == {"word": 0.0}
        assert await store.rarity([]) == {}

    async def test_it_follows_what_is_added(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        await writer.put([entry("a", "one two")])
        before = await reader.rarity(["one"])
        await writer.put([entry(f"b{n}", "two") for n in range(8)])
        assert before["one"] < (await reader.rarity(["one"]))["one"] == pytest.approx(np.log(10 / 2))


class TestTranslations:
    @pytest.fixture
    async def bilingual(self, store: Store) -> Store:
        await store.put(
            [
                entry("en", "attention is a mechanism"),
                entry("zh", "注意力机制很有用"),
                entry("other", "nothing of that"),
            ]
        )
        return store

    async def test_words_are_found_in_the_other_language(self, bilingual: Store) -> None:
        english = (("注意力", ("attention",)),)
        chinese = (("attention", ("注意力",)),)
        assert await ids(bilingual, "注意力", mode="keyword") == ["zh"]
        assert sorted(await ids(bilingual, "注意力", mode="keyword", translations=english)) == ["en", "zh"]
        assert sorted(await ids(bilingual, "attention", mode="keyword", translations=chinese)) == ["en", "zh"]

    async def test_the_words_themselves_come_first(self, bilingual: Store) -> None:
        found = await ids(bilingual, "attention", mode="keyword", translations=(("attention", ("注意力",)),))
        assert found[0] == "en"

    @pytest.mark.parametrize(
        "translations", [(("注意力", ()),), (("注意力", ("absent words",)),), (("x", ("",)),), (("", ("?",)),)]
    )
    async def test_translations_that_nothing_has_change_nothing(self, bilingual: Store, translations: Any) -> None:
        assert await ids(bilingual, "注意力", mode="keyword", translations=translations) == ["zh"]

    async def test_filters_hold_for_them_too(self, bilingual: Store) -> None:
        translations = (("注意力", ("attention",)),)
        only = Compare("id", "=", "en")
        assert await ids(bilingual, "注意力", mode="keyword", translations=translations, filter=only) == ["en"]


class TestLanguages:
    async def test_passages_are_counted_by_the_language_of_their_documents(self, store: Store) -> None:
        await store.put([entry("a", "one", "two", language="en"), entry("b", "三", language="zh"), entry("c", "?")])
        assert await store.languages() == {"en": 2, "zh": 1}

    async def test_an_empty_store_speaks_none(self, store: Store) -> None:
        assert await store.languages() == {}

    async def test_it_follows_what_is_added_and_removed(self, open_store: Callable[[], Store]) -> None:
        writer, reader = open_store(), open_store()
        await writer.put([entry("a", "one", language="en")])
        assert await reader.languages() == {"en": 1}
        await writer.put([entry("b", "二", "三", language="zh")])
        assert await reader.languages() == {"en": 1, "zh": 2}
        await writer.remove("default", ["a"])
        assert await reader.languages() == {"zh": 2}
