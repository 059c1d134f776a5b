"""The programs of the README and of the guide run as they stand there, one after another in one folder; links lead somewhere."""

import os
import re
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_programs_run(tmp_path: Path) -> None:
    """One asks a model that is not there; what it prints is quoted then."""
    with as_file(files("scholarmind.demo") / "notes") as notes:
        copytree(notes, tmp_path / "notes")
    programs = [
        program
        for page in ("README.md", "docs/GUIDE.md")
        for program in PROGRAMS.findall((ROOT / page).read_text(encoding="utf-8"))
    ]
    printed = []
    for number, program in enumerate(programs):
        script = tmp_path / f"program_{number}.py"
        script.write_text(program, encoding="utf-8")
        environment = {**os.environ, "SCHOLARMIND_EMBEDDER": "none"}
        done = subprocess.run(
            [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), program
        printed.append(done.stdout)
    assert len(programs) == 5
    assert ["Jacob Devlin" in text for text in printed] == [True] * len(programs)


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of a page."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_something_that_exists(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    broken = [
        (path, anchor)
        for path, anchor in links
        for target in (page.parent / path if path else page,)
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]
    assert broken == []
