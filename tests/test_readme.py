"""The programs of the README and of the guide run as they stand there, one after another in one folder."""

import os
import re
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

PROGRAMS = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_programs_run(tmp_path: Path) -> None:
    """One asks a model that is not there; what it prints is quoted then."""
    with as_file(files("scholarmind.demo") / "notes") as notes:
        copytree(notes, tmp_path / "notes")
    root = Path(__file__).parents[1]
    programs = [
        program
        for page in ("README.md", "docs/GUIDE.md")
        for program in PROGRAMS.findall((root / page).read_text(encoding="utf-8"))
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
