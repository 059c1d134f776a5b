"""The command line as a user runs it: in this process where that is enough, as the installed script where it is not."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scholarmind.cli.main import group

Run = Callable[..., Result]
Script = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def _no_model_and_a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough for most of these tests, and tables are easier to read uncut."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def run() -> Run:
    """Run a command and return what it printed; any error but our own comes through."""

    def invoke(*arguments: str | Path, typed: str | None = None) -> Result:
        return CliRunner().invoke(group, [str(part) for part in arguments], input=typed, catch_exceptions=False)

    return invoke


@pytest.fixture
def script() -> Script:
    """Run the installed `scholarmind`."""

    def call(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        command = [Path(sys.executable).with_name("scholarmind"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", check=False, timeout=60, env=os.environ
        )

    return call


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with two notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "bert.md").write_text(
        "---\nid: bert\ntitle: BERT\nauthors: [Jacob Devlin, Ming-Wei Chang]\nyear: 2019\nlanguage: en\nkind: paper\n"
        "source: ACL\n---\n# Masks\nBERT hides words and attends to both sides.\n"
    )
    (folder / "gpt.md").write_text(
        "---\nid: gpt\ntitle: GPT\nyear: 2018\nlanguage: de\n---\nGPT attends to the left side only.\n"
    )
    return folder


@pytest.fixture
def filled(run: Run, notes: Path) -> Run:
    """Run commands on a library that holds the two notes."""
    assert run("add", notes).exit_code == 0
    return run
