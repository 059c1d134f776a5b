"""The plug-in, as pytest runs it for somebody else's tests in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from scholarmind.testing import ScriptedServer

pytestmark = pytest.mark.enable_socket

THEIRS = """
from scholarmind import connect

def test_library_and_server(scholarmind_library, scholarmind_server, tmp_path):
    (tmp_path / "note.md").write_text("# BERT\\n\\nBERT was proposed by Jacob Devlin.")
    assert scholarmind_library.settings.max_parts == 5
    scholarmind_library.add(tmp_path / "note.md")
    assert "Jacob Devlin" in scholarmind_library.ask("Who proposed BERT?").text
    scholarmind_server.canned = [("", "BERT was proposed by Jacob Devlin [P1].")]
    scholarmind_library.models = connect(scholarmind_server.base_url + "#m")
    assert scholarmind_library.ask("Who proposed BERT, and when?").written_by == "m"

def test_tape(scholarmind_library, scholarmind_tape, tmp_path):
    (tmp_path / "note.md").write_text("# BERT\\n\\nBERT was proposed by Jacob Devlin.")
    scholarmind_library.add(tmp_path / "note.md")
    scholarmind_library.models = connect("ADDRESS#m", transport=scholarmind_tape)
    answer = scholarmind_library.ask("Who proposed BERT?")
    assert answer.written_by == "m", answer.fallbacks
"""


def run_pytest(folder: Path, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_theirs.py"]
    return subprocess.run(command, cwd=folder, env=environment or None, capture_output=True, text=True, check=False)


def test_their_tests_get_a_library_a_server_and_a_tape(tmp_path: Path) -> None:
    with ScriptedServer(canned=[("", "BERT was proposed by Jacob Devlin [P1].")]) as server:
        (tmp_path / "test_theirs.py").write_text(THEIRS.replace("ADDRESS", server.base_url), encoding="utf-8")
        missing = run_pytest(tmp_path)
        assert "run it once with --scholarmind-record" in missing.stdout
        recorded = run_pytest(tmp_path, "--scholarmind-record")
        assert "2 passed" in recorded.stdout, recorded.stdout
        asked = len(server.log)
        assert asked > 0
    replayed = run_pytest(tmp_path)  # the server is gone
    assert "2 passed" in replayed.stdout, replayed.stdout
    assert [path.name for path in (tmp_path / "tapes").iterdir()] == ["test_theirs.test_tape.jsonl"]


def test_it_costs_nothing_where_it_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(
        "import sys\ndef test_nothing():\n    assert not {'numpy', 'httpx2', 'scholarmind.api'} & set(sys.modules)\n"
    )
    assert "1 passed" in run_pytest(tmp_path).stdout
