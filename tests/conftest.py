"""Fixtures that every test may use: a library in a temporary folder, and an embedder that needs no model."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scholarmind import Library, Settings
from scholarmind.settings import READING_HERE
from scholarmind.testing import HashEmbedder

# The same examples each time, so that a run never fails by chance; HYPOTHESIS_PROFILE=search draws new ones, and more of them
# and never by the clock: other programs may keep the machine busy
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, **_PATIENT)
settings.register_profile("search", max_examples=2_000, **_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


# a shell that starts a job in the background makes it ignore Ctrl-C, and all that it starts
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no process is left with it at the end while the others wait."""
    items.sort(key=lambda item: "robust" not in item.path.parts)


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, which is what the product runs on."""
    return "asyncio"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's own data, cache or settings is seen or touched."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [name for name in os.environ if name.startswith(("SCHOLARMIND_", "OPENAI_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library with a predictable embedder. It reads small bibliographies itself: a process would take longer than the rest."""
    settings = Settings(library=tmp_path / "library", reading_here=f"{READING_HERE} .bib .ris .json .html")
    with Library(settings, embedder=HashEmbedder()) as opened:
        yield opened
