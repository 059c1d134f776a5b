"""What is kept of earlier questions is kept under the version of the rules that made it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scholarmind
from scholarmind import wiring

ASK = """
import json, sys
from scholarmind import Library

with Library.open(sys.argv[1], embedder="none") as library:
    library.add(sys.argv[2])
    found = []
    for _ in range(2):
        library.ask("Who proposed BERT, and who proposed GPT?")
        found.append(library.cache_counts()["plans"][0])
print(json.dumps(found))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, without weights, whose rules can be changed."""
    source = Path(scholarmind.__file__).parent
    shutil.copytree(
        source, tmp_path / "copy" / "scholarmind", ignore=shutil.ignore_patterns("weights", "__pycache__", "notes")
    )
    return tmp_path / "copy" / "scholarmind"


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("planning/structured/english.txt", True),
        ("planning/question_gate.py", True),
        ("writing/answer_type.py", True),
        ("steps/select.py", True),
        ("judge/claims.json", True),
        ("text/glossary.tsv", True),
        ("adapters/e5/trained.npz", True),
        ("new_rules.py", True),
        ("cli/ask_command.py", False),
        ("testing/scripted.py", False),
        ("evaluation/report.css", False),
    ],
)
def test_a_changed_rule_is_another_version(package: Path, file: str, counts: bool) -> None:
    wiring.release.cache_clear()
    before = wiring.release(package)
    with (package / file).open("ab") as changed:
        changed.write(b"\n")
    wiring.release.cache_clear()
    assert (wiring.release(package) != before) is counts


def test_what_is_compiled_or_copied_is_the_same_version(package: Path, tmp_path: Path) -> None:
    before = wiring.release(package)
    shutil.copytree(package, tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "planning" / "__pycache__").mkdir()
    (tmp_path / "elsewhere" / "planning" / "__pycache__" / "gate.pyc").write_bytes(b"anything")
    assert wiring.release(tmp_path / "elsewhere") == before


def test_what_old_rules_planned_is_not_served(package: Path, tmp_path: Path) -> None:
    (tmp_path / "bert.md").write_text(
        "# BERT\n\nBERT was proposed by Jacob Devlin. GPT was proposed by Alec Radford.\n"
    )
    environment = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": ""}

    def hits() -> list[int]:
        """Ask twice in a process of its own, and return how often a plan was found again after each."""
        command = [sys.executable, "-c", ASK, str(tmp_path / "library"), str(tmp_path / "bert.md")]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60).stdout)

    first, second = hits()
    assert second > first == 0
    with (package / "planning" / "rule_planner.py").open("a") as rules:
        rules.write("\n# a changed rule\n")
    third, fourth = hits()
    assert fourth > third == second
