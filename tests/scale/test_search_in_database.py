"""A store that searches in the database: every process sees what was committed, in one with it, and keeps nothing on its machine."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import psycopg
import pytest

from scholarmind.adapters.store.postgres_store import PostgresStore
from scholarmind.errors import LibraryLockedError, LibraryStorageError, SettingsError
from scholarmind.library_ports import Waiting
from scholarmind.model import Document, Entry, Passage, Search
from scholarmind.settings import Settings

Open = Callable[..., PostgresStore]


def address(postgres_address: str, user: str = "", database: str = "") -> str:
    known = dict(part.split("=", 1) for part in postgres_address.split())
    return f"postgresql://{user or known['user']}@/{database or known['dbname']}?host={quote(known['host'], safe='')}"


@pytest.fixture
def open_store(postgres_address: str, tmp_path: Path) -> Iterator[Open]:
    """Opens one library, each time as another process with a folder of its own."""
    url = f"{address(postgres_address)}&schema=searched_{uuid.uuid4().hex[:12]}"
    opened: list[PostgresStore] = []

    def another(search_in: str = "database") -> PostgresStore:
        folder = tmp_path / f"process {len(opened)}"
        opened.append(PostgresStore(url, folder, fingerprint="test", search_in=search_in))  # pyright: ignore[reportArgumentType]
        return opened[-1]

    yield another
    for store in opened:
        store.close()


def entry(id: str, text: str) -> Entry:
    return Entry(
        document=Document(id=id, title=id),
        text=text,
        passages=[Passage(text=text, start=0, end=len(text), position=0)],
        hash=text,
    )


async def found(store: PostgresStore, text: str, vector: Any = None) -> list[str]:
    return [hit.document.id for hit in await store.search(Search(text=text, vector=vector, k=5))]


pytestmark = pytest.mark.anyio


async def test_another_process_sees_it_with_the_commit(open_store: Open) -> None:
    writer, reader = open_store(), open_store()
    assert await found(reader, "hidden words") == []
    await writer.put([entry("bert", "hidden words on both sides"), entry("gpt", "the left side only")])
    assert await found(reader, "hidden words") == ["bert"]
    waiting: list[Waiting] = await writer.waiting(10)
    await writer.fill({each.number: np.eye(4, dtype=np.float32)[place] for place, each in enumerate(waiting)})
    assert await found(reader, "unheard", np.eye(4, dtype=np.float32)[1]) == ["gpt", "bert"]
    await writer.remove("default", ["bert"])
    assert await found(reader, "hidden words") == []
    assert [path.name for path in reader.folder.iterdir() if path.is_dir()] == []


async def test_the_index_is_one_with_the_documents(open_store: Open) -> None:
    store = open_store()
    await store.put([entry("bert", "hidden words")])
    states = "SELECT name, change FROM search_states ORDER BY name"
    change = store.database.last_change()
    assert store.database.rows(states) == [("vectors", change), ("words", change)]
    assert store.derived.behind() == 0
    with pytest.raises(LibraryStorageError):
        _half_of_a_change(store)
    assert store.database.rows(states) == [("vectors", change), ("words", change)]


def _half_of_a_change(store: PostgresStore) -> None:
    with store.database.transaction() as connection:
        connection.execute("INSERT INTO changes (kind, document) VALUES ('remove', 1)")
        connection.execute("SELECT no_such_function()")


async def test_what_was_written_without_it_is_brought_up(open_store: Open) -> None:
    here = open_store("here")
    await here.put([entry(f"note {n}", f"word{n} and more") for n in range(5)])
    there = open_store()
    assert (here.derived.behind(), there.derived.behind()) == (0, 5)
    assert await found(there, "word3") == ["note 3"]
    await here.put([entry("late", "later than that")])
    assert await found(here, "later") == ["late"]
    here.close()  # while it has the writer's lock, others search what there is, as over local indexes
    assert await found(there, "later") == ["late"]
    await there.rebuild()
    assert await found(there, "word3") == ["note 3"]


def test_without_the_extension_it_says_what_to_run(postgres_address: str, tmp_path: Path) -> None:
    with psycopg.connect(address(postgres_address), autocommit=True) as connection:
        connection.execute("CREATE ROLE plain LOGIN")
        connection.execute("CREATE DATABASE without OWNER plain")
    url = address(postgres_address, "plain", "without")
    with pytest.raises(LibraryStorageError, match="run there: CREATE EXTENSION vector SCHEMA public"):
        PostgresStore(url, tmp_path, fingerprint="test", search_in="database")
    PostgresStore(url, tmp_path, fingerprint="test").close()


def test_it_needs_a_database() -> None:
    with pytest.raises(SettingsError, match="needs a database"):
        Settings(search_in="database")


async def test_a_writer_whose_connection_was_lost_does_not_write_beside_another(
    open_store: Open, postgres_address: str
) -> None:
    first, second = open_store("here"), open_store("here")
    async with first.writing():
        await first.put([entry("one", "Some words.")])
        with psycopg.connect(postgres_address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 0 AND granted"
            )
        async with second.writing():
            await second.put([entry("two", "Other words.")])
            with pytest.raises(LibraryLockedError, match="another process writes by now"):
                await first.put([entry("three", "More words.")])
    assert [document.id for document in await second.documents()] == ["one", "two"]
