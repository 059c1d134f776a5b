"""The command line as a user runs it: in this process where that is enough, as the installed script where it is not."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scholarmind.cli.main import group
from scholarmind.testing import Call, ScriptedServer

Run = Callable[..., Result]
Script = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def _no_model_and_a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough for most of these tests, and tables are easier to read uncut."""
    for name in os.environ:
        if name.startswith(("SCHOLARMIND_LLM", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def run() -> Run:
    """Run a command and return what it printed; any error but our own comes through."""

    def invoke(*arguments: str | Path, typed: str | bytes | None = None) -> Result:
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


_PASSAGE = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)
_PLANS: dict[str, list[dict[str, Any]]] = {
    "Which words does BERT hide, and": [
        {"question": "Which words does BERT hide?"},
        {"question": "To which side does GPT attend?"},
    ],
    "the model that hides words": [
        {"question": "Which model hides words?"},
        {
            "question": "To which side does #1 attend?",
            "depends_on": [1],
        },
    ],
}


def well_behaved(call: Call) -> Any:
    """Plan as above, answer bridges with BERT, and write down every sentence that is shown."""
    if not call.chat:
        return None
    wanted = (call.schema or {}).get("properties", {})
    if "parts" in wanted:
        asked = call.text.rpartition("<question")[2]
        parts = next((parts for words, parts in _PLANS.items() if words in asked), [])
        return {"own_answer": "6 times 7 is 42." if "times" in asked else "", "parts": parts}
    if "nothing_found" in wanted:
        return {"answer": "BERT", "passages": ["P1"], "nothing_found": False}
    if call.schema is not None:
        return None  # the check: the least that its schema allows
    told = [f"{match['text'].splitlines()[-1].rstrip('.')} [{match['key']}]." for match in _PASSAGE.finditer(call.text)]
    return f"{' '.join(told)}\n\n=== PARTS ===\n1: answered\n2: answered"


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    """A language model for the two notes."""
    with ScriptedServer(answer=well_behaved) as server:
        yield server


@pytest.fixture
def asking(filled: Run, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands on the two notes, with that model in the settings."""
    monkeypatch.setenv("SCHOLARMIND_LLM_BASE_URL", model.base_url)
    monkeypatch.setenv("SCHOLARMIND_LLM_MODEL", "scripted")
    return filled
