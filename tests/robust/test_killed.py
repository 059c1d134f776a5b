"""A process that is killed at any moment loses nothing that it reported, and leaves nothing half done."""

import json
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from robustly import (
    Corpus,
    assert_same_rankings,
    assert_sound,
    contents,
    expect,
    opened,
    rankings,
    start,
    stored,
    tell,
)

from scholarmind import Library

_KILLS = 12
_WAITING = ("vectors", "graph", "tree")  # may wait to be brought up to date

_ADDING = """
library, documents = sys.argv[1:]
def report(event):
    if isinstance(event, Progress):
        say(json.dumps([event.stage, event.done, event.total, event.passages]))
say("ready")
sys.stdin.readline()
with opened(library, stored_at_once=75) as adding:  # more transactions, so more moments to be killed at
    adding.add(documents, prune=True, on_event=report)
say('["end", 0, 0, 0]')
"""


def test_nothing_reported_is_lost_and_nothing_is_half_done(tmp_path: Path) -> None:
    """Add a changing folder again and again, each time killed somewhere; then finish, and compare."""
    seeded = random.Random(2024)
    corpus, folder = Corpus(tmp_path / "documents"), tmp_path / "library"
    corpus.add(60)
    before: dict[str, str] = {}
    cut_short, longest = 0, 0.9
    child = start(_ADDING, folder, corpus.folder)
    for _ in range(_KILLS):
        delay = seeded.uniform(0, longest)
        reports = _killed_after(delay, child)
        child = start(_ADDING, folder, corpus.folder)  # its interpreter starts while we look
        if reports and reports[-1][0] == "end":
            longest = min(longest, 1.1 * delay)
        else:
            cut_short += 1
        with opened(folder) as library:
            _assert_reported_is_stored(library, corpus, before, reports)
            assert_sound(library, but=_WAITING)
            before = stored(library)
        corpus.remove(3)
        corpus.change(25)
        corpus.add(5)
    _killed_after(0, child)
    assert cut_short >= _KILLS / 4
    _assert_like_an_undisturbed_one(folder, corpus, tmp_path / "undisturbed")


def _killed_after(delay: float, child: subprocess.Popen[str]) -> list[tuple[str, int, int, int]]:
    """Let the child work for so long, and return what it reported."""
    expect(child, "ready")
    tell(child)
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    output, errors = child.communicate()
    assert errors == ""
    return [tuple(json.loads(line)) for line in output.splitlines() if line.endswith("]")]  # the last may be cut


def _assert_like_an_undisturbed_one(folder: Path, corpus: Corpus, other: Path) -> None:
    with opened(folder) as library, opened(other) as undisturbed:
        for one in (library, undisturbed):
            one.add(corpus.folder, prune=True)
            assert_sound(one)
        assert contents(library) == contents(undisturbed)
        assert stored(library) == corpus.texts
        for one in (library, undisturbed):
            one.rebuild()  # until then, what was removed has a small influence on keyword scores
        assert_same_rankings(library, rankings(undisturbed))


def _assert_reported_is_stored(
    library: Library, corpus: Corpus, before: dict[str, str], reports: list[tuple[str, int, int, int]]
) -> None:
    now = stored(library)
    names = sorted(corpus.texts)
    read = max((done for stage, done, _, _ in reports if stage == "read"), default=0)
    # so many files as were reported are stored; which ones they are depends on which child was first
    assert sum(now.get(name) == corpus.texts[name] for name in names) >= read
    # a document is as it was or as it is to be, and nothing else
    for name in names:
        assert now.get(name) in {before.get(name), corpus.texts[name]}, name
    for name in now.keys() - corpus.texts.keys():
        assert now[name] == before[name]
    embedded = [(done, total) for stage, done, total, _ in reports if stage == "embed"]
    if embedded:
        done, total = embedded[-1]
        assert sum(counts.waiting for counts in library.counts().values()) <= total - done
    if reports and reports[-1][0] == "end":
        assert now == corpus.texts
        assert sum(counts.waiting for counts in library.counts().values()) == 0


@pytest.mark.parametrize("stage", ["read", "embed"])
def test_killed_right_after_a_report(tmp_path: Path, stage: str) -> None:
    """The moment at which a report is read is the hardest: what it says must be on disk by then."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(120)
    child = start(_ADDING, tmp_path / "library", corpus.folder)
    expect(child, "ready")
    tell(child)
    reports = []
    while not reports or reports[-1][0] != stage:
        reports.append(tuple(json.loads(child.stdout.readline())))
    child.send_signal(signal.SIGKILL)
    child.wait()
    with opened(tmp_path / "library") as library:
        _assert_reported_is_stored(library, corpus, {}, reports)
        assert_sound(library, but=_WAITING)
        library.add(corpus.folder)
        assert_sound(library)


def test_leftovers_of_a_killed_commit(tmp_path: Path) -> None:
    """tantivy has written the files of a commit and is killed before the commit: a mere search gets over them."""
    corpus, folder, twin = Corpus(tmp_path / "documents"), tmp_path / "library", tmp_path / "twin"
    corpus.add(20)
    with opened(folder) as library:
        library.add(corpus.folder)
    corpus.change(5)
    shutil.copytree(folder, twin)
    with opened(twin) as library:
        library.add(corpus.folder)
    # the truth after the commit, the index before it, and what the commit would have added
    shutil.copy(twin / "library.db", folder / "library.db")
    leftovers = [path for path in (twin / "keyword").iterdir() if not (folder / "keyword" / path.name).exists()]
    assert any(path.suffix == ".del" for path in leftovers)
    for path in leftovers:
        shutil.copy(path, folder / "keyword")
    with opened(folder) as library:
        assert_sound(library)
        assert stored(library) == corpus.texts
