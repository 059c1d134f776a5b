"""The stores that the contract is run over, and must pass unchanged: SQLite, and PostgreSQL where `make scale-test` has one running.

That one is searched by local indexes (`postgres`), and in the database itself (`database`).
"""

import os
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal

import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.library_ports import Store

OpenStore = Callable[[], Store]


def _local(folder: Path) -> LocalStore:
    return LocalStore(folder / "library", fingerprint="contract")


def _postgres(folder: Path, search_in: Literal["here", "database"] = "here") -> LocalStore:
    from scholarmind.adapters.store.postgres_store import PostgresStore

    mark = folder / "schema"
    if not mark.exists():
        mark.write_text(f"contract_{uuid.uuid4().hex[:12]}")
    return PostgresStore(
        f"{DATABASE}?schema={mark.read_text()}", folder / "library", fingerprint="contract", search_in=search_in
    )


def _searched_in_database(folder: Path) -> LocalStore:
    return _postgres(folder, "database")


DATABASE = os.environ.get("SCHOLARMIND_TEST_DATABASE", "")
STORES: dict[str, Callable[[Path], LocalStore]] = {"local": _local} | (
    {"postgres": _postgres, "database": _searched_in_database} if DATABASE else {}
)


@pytest.fixture(params=STORES.values(), ids=STORES.keys())
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OpenStore]:
    """Opens the same library as often as it is called; closes what was opened."""
    opened: list[LocalStore] = []

    def open_another() -> Store:
        opened.append(request.param(tmp_path))
        return opened[-1]

    yield open_another
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    """An empty store."""
    return open_store()
