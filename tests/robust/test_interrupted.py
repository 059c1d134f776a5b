"""Ctrl-C: the command ends in good order, says so, and the same command goes on from there."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from robustly import Corpus, launch

from scholarmind import Library
from scholarmind.adapters.store.health import examine

_SCRIPT = Path(sys.executable).with_name("scholarmind")


def _start(folder: Path, documents: Path, embedder: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "SCHOLARMIND_EMBEDDER": embedder, "SCHOLARMIND_PASSAGE_TOKENS": "20"}
    return launch([_SCRIPT, "add", documents, "--library", folder], env=environment)


def _wait_for(folder: Path, sql: str, process: subprocess.Popen[str]) -> None:
    """Wait until the library gives something but zero for this query."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            connection = sqlite3.connect(f"file:{folder}/library.db?mode=ro", uri=True)
            try:
                if connection.execute(sql).fetchone()[0]:
                    return
            finally:
                connection.close()
        except sqlite3.OperationalError:  # not there yet
            pass
        time.sleep(0.01)
    pytest.fail(f"the command did not get there: {process.poll()}")


def _assert_sound(folder: Path, embedder: str, *, finished: bool) -> None:
    with Library.open(folder, embedder=embedder) as library:
        library.search("common")
        assert library.store.lock.is_free()
        told = [check for check in examine(library.store) if not check.ok]
        assert [check.name for check in told if check.name not in {"vectors", "graph", "tree"}] == []
        if finished and embedder != "none":
            assert told == []


@pytest.mark.parametrize(
    ("embedder", "moment", "count"),
    [
        ("none", "SELECT count(*) FROM documents", 2000),
        ("none", "SELECT 1", 600),
        ("minilm", "SELECT count(*) FROM vectors", 60),
    ],
)
def test_interrupted_add(tmp_path: Path, embedder: str, moment: str, count: int) -> None:
    """At the start, after the first documents, after the first vectors."""
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(count)
    process = _start(folder, corpus.folder, embedder)
    _wait_for(folder, moment, process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=200)
    assert (process.returncode, output) == (130, "")
    assert (
        errors.splitlines()[-1]
        == "stopped; everything reported as done is stored, and the same command goes on from there"
    )
    _assert_sound(folder, embedder, finished=False)
    with Library.open(folder, embedder=embedder) as library:
        stored = len(library.documents())
        vectors = sum(counts.vectors for counts in library.counts().values())
    second = _start(folder, corpus.folder, embedder)
    output, errors = second.communicate(timeout=200)
    assert second.returncode == 0
    assert re.fullmatch(r"(?:(?:read|embed|graph|tree): .+ left(?:; .+)?\n)*", errors), errors  # how far it is
    told = re.match(
        r"(\d+) added, 0 replaced, (\d+) unchanged, 0 removed; [\d,]+ new passages, ([\d,]+) embedded", output
    )
    assert told is not None, output
    assert (int(told[1]), int(told[2])) == (count - stored, stored)
    _assert_sound(folder, embedder, finished=True)
    with Library.open(folder, embedder=embedder) as library:
        counts = library.counts()["default"]
        assert counts.documents == count
        if embedder == "minilm":
            assert vectors > 0
            assert int(told[3].replace(",", "")) == counts.passages - vectors - counts.unsuited
            assert counts.waiting == 0


def test_interrupted_twice(tmp_path: Path) -> None:
    """Somebody impatient presses Ctrl-C again at once: the library is sound all the same."""
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(2000)
    process = _start(folder, corpus.folder, "none")
    _wait_for(folder, "SELECT count(*) FROM documents", process)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, errors = process.communicate(timeout=200)
    assert process.returncode in {130, -signal.SIGINT}
    assert "Traceback" not in errors
    _assert_sound(folder, "none", finished=False)
    second = _start(folder, corpus.folder, "none")
    second.communicate(timeout=200)
    assert second.returncode == 0
    with Library.open(folder, embedder="none") as library:
        assert library.counts()["default"].documents == 2000
    _assert_sound(folder, "none", finished=True)
