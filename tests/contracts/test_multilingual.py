"""Second vectors: who gets one and when, what becomes of them, and what is found by them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.adapters.store.health import examine, let_damaged_be_read_again
from scholarmind.library.followers import MultilingualFollowing
from scholarmind.library_ports import Reach
from scholarmind.model import Document, Entry, Passage, Search, text_to_embed
from scholarmind.ports import Embeddings
from scholarmind.testing import HashEmbedder

pytestmark = pytest.mark.anyio
OpenLocal = Callable[[], LocalStore]
FIRST = HashEmbedder(dimension=32)


class Second(HashEmbedder):
    """Counts what it is given, and stops after so many texts."""

    def __init__(self, name: str = "second") -> None:
        super().__init__(dimension=128, unknown=lambda text: 1.0 * ("???" in text))
        self.fingerprint = name
        self.texts: list[str] = []
        self.texts_left = 1_000

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        if len(self.texts) + len(texts) > self.texts_left:
            raise InterruptedError
        self.texts += texts
        return await super().embed(texts)


@pytest.fixture
def store(open_store: OpenLocal) -> LocalStore:
    return open_store()


def entry(id: str, *texts: str, language: str = "en", title: str = "") -> Entry:
    passages = tuple(
        Passage(text=text, start=0, end=len(text), position=place, language=language)
        for place, text in enumerate(texts)
    )
    document = Document(id=id, title=title or id, language=language)
    return Entry(document=document, text="\n".join(texts), passages=passages, hash=f"{id} {texts}")


async def put(store: LocalStore, *entries: Entry) -> None:
    """Store documents; the first embedder knows English only."""
    await store.put(entries)
    while waiting := await store.waiting(100):
        await store.fill({one.number: FIRST.vector(one.text) if one.text.isascii() else None for one in waiting})


async def follow(store: LocalStore, second: Second) -> Reach:
    await MultilingualFollowing(store=store, space=store.multilingual, embedder=second).follow()
    return await store.multilingual.reach(second.fingerprint)


async def ids(store: LocalStore, text: str, **options: object) -> list[str]:
    search = Search(text=text, multilingual=Second().vector(text), **options)  # type: ignore[arg-type]
    return [found.document.id for found in await store.search(search)]


ENGLISH = entry("en", "Attention weighs every word.", "A kiln is starved of air.")
CHINESE = entry("zh", "注意力机制。", language="zh")


async def test_an_english_library_has_none(store: LocalStore) -> None:
    second = Second()
    await put(store, ENGLISH)
    assert await follow(store, second) == Reach()
    assert second.texts == []
    assert not (store.folder / "multilingual").exists()
    assert await ids(store, "kiln") == ["en"], "by its words: there is nothing to compare the vector with"


async def test_a_few_words_of_another_language_in_an_english_document_alone_get_one(store: LocalStore) -> None:
    await put(store, ENGLISH, entry("quotes", "注意力。"))
    assert await follow(store, second := Second()) == Reach(vectors=1)
    assert second.texts == ["注意力。"]


async def test_all_passages_get_one_once_a_document_is_in_another_language(store: LocalStore) -> None:
    await put(store, ENGLISH)
    await follow(store, second := Second())
    await put(store, CHINESE)
    assert await follow(store, second) == Reach(vectors=3, is_for_all=True)
    assert [text.splitlines()[-1] for text in second.texts] == [
        one.text for one in (*CHINESE.passages, *ENGLISH.passages)
    ]
    assert await store.multilingual.waiting(second.fingerprint, 10) == []
    assert await ids(store, "kiln", mode="vector", k=1) == ["en"]


async def test_all_passages_get_one_once_somebody_asked_in_another_language(store: LocalStore) -> None:
    await put(store, ENGLISH)
    store.multilingual.ask_for_all()
    assert await store.multilingual.reach("second") == Reach(missing=2, is_for_all=True)
    assert (await follow(store, Second())).is_whole


async def test_what_was_stopped_goes_on_where_it_was(open_store: OpenLocal) -> None:
    store, second = open_store(), Second()
    texts = [f"word{number}" for number in range(150)]
    await put(store, entry("long", *texts), CHINESE)
    second.texts_left = 70
    with pytest.raises(InterruptedError):
        await follow(store, second)
    reached = await store.multilingual.reach(second.fingerprint)
    assert 0 < reached.vectors < 151
    assert reached.missing == 151 - reached.vectors
    store.close()
    second.texts_left = 1_000
    store = open_store()
    assert await follow(store, second) == Reach(vectors=151, is_for_all=True)
    assert len(second.texts) == len(set(second.texts)) == 151
    assert await ids(store, "word149", mode="vector", k=1) == ["long"]


async def test_they_go_with_their_document_and_stay_with_what_did_not_change(store: LocalStore) -> None:
    second = Second()
    await put(store, ENGLISH, CHINESE)
    await follow(store, second)
    await put(store, entry("en", ENGLISH.passages[0].text, "A glaze holds iron."))
    assert await store.multilingual.reach(second.fingerprint) == Reach(vectors=2, missing=1, is_for_all=True)
    await follow(store, second)
    assert second.texts[-1] == "en\nA glaze holds iron."
    assert len(second.texts) == 4
    await store.remove("default", ["en", "zh"])
    assert (await store.multilingual.reach(second.fingerprint)).vectors == 0
    assert await ids(store, "glaze") == []


async def test_another_embedder_makes_its_own(store: LocalStore) -> None:
    await put(store, ENGLISH, CHINESE)
    await follow(store, Second())
    assert (await store.multilingual.reach("newer")).vectors == 0
    assert await follow(store, Second("newer")) == Reach(vectors=3, is_for_all=True)
    assert (await store.multilingual.reach("second")).vectors == 0


async def test_what_not_even_the_second_embedder_knows_is_not_asked_again(store: LocalStore) -> None:
    second = Second()
    await put(store, CHINESE, entry("odd", "ﬀ ???", language="xx"))
    assert await follow(store, second) == Reach(vectors=1, is_for_all=True)
    await follow(store, second)
    assert len(second.texts) == 2
    assert set(await ids(store, "注意力 ???")) == {"zh"}


async def test_forgetting_the_vectors_forgets_these_too(store: LocalStore) -> None:
    await put(store, CHINESE)
    await follow(store, Second())
    await store.forget_vectors()
    assert (await store.multilingual.reach("second")).vectors == 0
    assert await ids(store, "注意力") == ["zh"]


async def test_the_matrix_can_be_thrown_away(open_store: OpenLocal) -> None:
    store = open_store()
    await put(store, ENGLISH, CHINESE)
    await follow(store, Second())
    if not (store.folder / "multilingual").exists():  # it is in the database
        with store.database.transaction() as connection:
            connection.execute("UPDATE search_states SET change = 0, passages = 0 WHERE name = 'multilingual'")
            connection.execute("DELETE FROM search_multilingual")
    store.close()
    for file in (store.folder / "multilingual").glob("*"):
        file.unlink()
    assert await ids(open_store(), "注意力", mode="vector", k=1) == ["zh"]


async def test_a_flipped_byte_is_noticed_and_mended(store: LocalStore) -> None:
    await put(store, CHINESE)
    await follow(store, second := Second())
    with store.database.transaction() as connection:
        connection.execute("UPDATE multilingual SET vector = ?", (np.zeros(128, np.float32).tobytes(),))
    checks = {check.name: check for check in examine(store)}
    assert "bytes of 1 vectors changed" in checks["second vectors"].seen
    let_damaged_be_read_again(store)
    assert await follow(store, second) == Reach(vectors=1, is_for_all=True)
    assert all(check.ok for check in examine(store) if check.name.startswith("second"))


async def test_a_document_that_went_meanwhile_is_left_alone(store: LocalStore) -> None:
    await put(store, CHINESE)
    (waiting,) = await store.multilingual.waiting("second", 10)
    await store.remove("default", ["zh"])
    await store.multilingual.fill("second", {waiting.number: Second().vector(waiting.text)})
    assert await store.multilingual.reach("second") == Reach()


class TestForeign:
    """A question in one language, and passages that say it in the other."""

    @pytest.fixture
    async def mixed(self, store: LocalStore, tmp_path: Path) -> LocalStore:
        second = Second()
        native = entry("native", "Which words do glaze and kiln share with iron and its air?")
        await put(store, native, replace(CHINESE, document=replace(CHINESE.document, id="foreign")))
        await follow(store, second)
        return store

    async def test_what_has_none_of_its_words_is_found_by_meaning(self, mixed: LocalStore) -> None:
        meaning = Second().vector(text_to_embed("foreign", CHINESE.passages[0]))
        search = Search(text="Which words describe the glow?", multilingual=meaning)
        found = await mixed.search(search)
        assert [one.document.id for one in found] == ["foreign", "native"]

    async def test_where_the_question_was_translated_words_count_more(self, mixed: LocalStore) -> None:
        meaning = Second().vector("foreign 注意力机制。")
        words = Search(text="Which words?", multilingual=meaning, translations=(("Which words", ("釉",)),))
        assert [one.document.id for one in await mixed.search(words)] == ["native", "foreign"]
