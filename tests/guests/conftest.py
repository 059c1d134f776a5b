"""What the guests' tests share: a library of the notes of `founders`, and its model."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from founders import NOTES, PURPOSES, Opened, said

from scholarmind import Library, Settings
from scholarmind.testing import HashEmbedder, ScriptedServer


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with the notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return folder


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """The model, as a server."""
    with ScriptedServer(answer=said, purposes=PURPOSES) as served:
        yield served


@pytest.fixture
def opened(tmp_path: Path, notes: Path) -> Iterator[Opened]:
    """Open a library of the notes, always the same one, with these settings."""
    libraries: list[Library] = []

    def made(**settings: Any) -> Library:
        library = Library(Settings(library=tmp_path / "library", **settings), embedder=HashEmbedder())
        libraries.append(library)
        library.add(notes)
        return library

    yield made
    for library in libraries:
        library.close()


@pytest.fixture
def library(opened: Opened) -> Library:
    """The library without a model."""
    return opened()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A shell of IPython, with nothing of the user's own; afterwards there is none again."""
    shells = pytest.importorskip(
        "IPython.core.interactiveshell", reason="IPython is not installed; `make guests` tests with it"
    )
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setattr(sys, "displayhook", sys.displayhook)
    made = shells.InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    yield made
    made.reset(new_session=False)
    made.restore_sys_module_state()
    shells.InteractiveShell.clear_instance()
