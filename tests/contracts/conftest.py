"""The stores that the contract is run over. A second engine adds a line to STORES and must pass everything unchanged."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from scholarmind.adapters.store import LocalStore
from scholarmind.library_ports import Store

OpenStore = Callable[[], Store]


def _local(folder: Path) -> LocalStore:
    return LocalStore(folder / "library", fingerprint="contract")


STORES: dict[str, Callable[[Path], LocalStore]] = {"local": _local}


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
