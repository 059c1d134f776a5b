"""What the robustness tests share: a corpus that changes, child processes, and what makes a library sound."""

import random
import subprocess
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scholarmind import Library, Settings
from scholarmind.adapters.store.health import examine
from scholarmind.library.passages import Cutting, cut
from scholarmind.model import Mode, Reading
from scholarmind.testing import HashEmbedder

Rankings = dict[
    tuple[str, Mode], dict[tuple[str, int], tuple[float, ...]]
]  # (question, mode) -> (id, position) -> scores

TOKENS, OVERLAP = 20, 5
DIMENSION = 512  # wide enough that no two of our words share a place
EVERYTHING = 30_000  # asks for all passages, so that no tie at the end of a list decides what is in it
WORDS = [
    f"{first}{second}{third}" for first in "bdfg" for second in ("alo", "emi", "iru", "osa") for third in "knprtvxz"
]
QUESTIONS = ("balok demir gosax", "common fosav dirun bemip galot", "gemix", "nothing has these words but common")
MODES: tuple[Mode, ...] = ("keyword", "vector", "hybrid")

# what the small programs of these tests begin with
PRELUDE = f"""
import json, os, signal, socket, sys, threading, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from scholarmind import Library, Progress, Settings
from scholarmind.errors import LibraryError, LibraryLockedError, LibraryMismatchError, LibraryStorageError
from scholarmind.testing import HashEmbedder

def opened(folder, create=True, embedder=None, **settings):
    settings = Settings(library=Path(folder), passage_tokens={TOKENS}, passage_overlap={OVERLAP}, **settings)
    return Library(settings, create=create, embedder=embedder or HashEmbedder({DIMENSION}))

def titles(library, question, k=1000, **options):
    return sorted(item.document.title for item in library.search(question, k=k, **options).evidence)

def say(*words):
    print(*words, flush=True)
"""


def opened(folder: Path, *, embedder: HashEmbedder | None = None, create: bool = True, **settings: Any) -> Library:
    """Open a library with small passages, as the programs do."""
    made = Settings(library=folder, **{"passage_tokens": TOKENS, "passage_overlap": OVERLAP, **settings})
    return Library(made, create=create, embedder=embedder or HashEmbedder(DIMENSION))


# -- programs


_launched: list[subprocess.Popen[str]] = []


def launch(command: Sequence[object], **options: Any) -> subprocess.Popen[str]:
    """Start a command that can be written to and read from. It ends with the test, if not before."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([str(part) for part in command], text=True, **{**pipes, **options})
    _launched.append(process)
    return process


def end_all() -> None:
    """Kill what still runs, and close what is still open."""
    while _launched:
        process = _launched.pop()
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        process.wait()


def start(program: str, *arguments: object, wrapper: Sequence[str] = (), **options: Any) -> subprocess.Popen[str]:
    """Start one of the small programs."""
    return launch([*wrapper, sys.executable, "-c", PRELUDE + program, *arguments], **options)


def finish(process: subprocess.Popen[str], timeout: float = 60) -> list[str]:
    """Wait for a program's end, which must be a good one, and return what it printed."""
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        pytest.fail(f"still running after {timeout} s\n{output}\n{errors}")
    if process.returncode:
        pytest.fail(f"ended with {process.returncode} after {output!r}\n{errors[-1500:]}", pytrace=False)
    return output.splitlines()


def run(program: str, *arguments: object, timeout: float = 60, **options: Any) -> list[str]:
    """Run a program to its end and return the lines that it printed."""
    return finish(start(program, *arguments, **options), timeout)


def expect(process: subprocess.Popen[str], line: str) -> None:
    """Read the next line, which must be this one."""
    found = process.stdout.readline()
    if found.strip() != line:
        process.kill()
        pytest.fail(f"expected {line!r}, found {found!r}; {process.stderr.read()}")


def tell(process: subprocess.Popen[str], line: str = "go") -> None:
    """Write a line to the program."""
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


# -- documents


@dataclass
class Corpus:
    """A folder of small texts, and what each of them says now. Every sentence has the word `common`."""

    folder: Path
    seed: int = 7
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._random = random.Random(self.seed)
        self._made = 0

    def add(self, count: int) -> None:
        """Write new files."""
        for _ in range(count):
            self._made += 1
            sentences = [self.sentence() for _ in range(self._random.randint(6, 14))]
            self._write(f"note{self._made:04}.txt", " ".join(sentences))

    def change(self, count: int) -> None:
        """Write another sentence in place of one of each of so many files."""
        for name in self._random.sample(sorted(self.texts), count):
            sentences = self.texts[name].split(". ")
            sentences[self._random.randrange(len(sentences))] = self.sentence().rstrip(".")
            self._write(name, ". ".join(sentences).rstrip(".") + ".")

    def remove(self, count: int) -> None:
        """Remove so many files."""
        for name in self._random.sample(sorted(self.texts), count):
            (self.folder / name).unlink()
            del self.texts[name]

    def sentence(self) -> str:
        """Return some words."""
        return " ".join(["Common", *self._random.choices(WORDS, k=self._random.randint(5, 11))]) + "."

    def _write(self, name: str, text: str) -> None:
        self.texts[name] = text
        (self.folder / name).write_text(text, encoding="utf-8")


def stored(library: Library) -> dict[str, str]:
    """Return the text of every stored document by the name of its file."""
    return {
        Path(document.origin).name: library.text(document.id, collection=document.collection) or ""
        for document in library.documents()
    }


# -- what must hold


def assert_whole_documents(library: Library) -> None:
    """Every stored document has exactly the passages that its text gives."""
    sql = (
        'SELECT p.text, p.start, p."end", p.position FROM passages p JOIN documents d ON d.number = p.document '
        "WHERE d.id = ? ORDER BY p.number"
    )
    for document in library.documents():
        text = library.text(document.id, collection=document.collection)
        expected = cut(Reading(document=document, text=text), Cutting(tokens=TOKENS, overlap=OVERLAP))
        assert library.store.database.rows(sql, (document.id,)) == [
            (p.text, p.start, p.end, p.position) for p in expected
        ]


def assert_sound_truth(library: Library) -> None:
    """SQLite finds nothing wrong, nothing hangs in the air, and each passage waits or has its answer, never both."""
    database = library.store.database
    assert database.rows("PRAGMA integrity_check") == [("ok",)]
    assert database.rows("PRAGMA foreign_key_check") == []
    sql = (
        "SELECT count(*) FROM passages p LEFT JOIN vectors v ON v.passage = p.number LEFT JOIN backlog b ON b.passage = p.number "
        "WHERE (v.passage IS NULL) = (b.passage IS NULL)"
    )
    assert database.value(sql) == 0


def assert_derived_agree(library: Library) -> None:
    """Both indexes hold exactly the passages of the truth, and the matrix its vectors. Needs `common` in each passage."""
    database, derived = library.store.database, library.store.derived
    passages = {row[0] for row in database.rows("SELECT number FROM passages")}
    assert set(derived.keyword.search(["common"], EVERYTHING).passages.tolist()) == passages
    vectors = dict(database.rows("SELECT passage, vector FROM vectors WHERE vector IS NOT NULL"))
    probe = HashEmbedder(DIMENSION).vector("galot common bemip")
    hits = derived.matrix.search(probe, EVERYTHING)
    assert sorted(hits.passages.tolist()) == sorted(vectors)
    assert derived.matrix.alive == len(vectors)
    expected = [float(np.frombuffer(vectors[number], np.float32) @ probe) for number in hits.passages.tolist()]
    assert hits.scores.tolist() == pytest.approx(expected, abs=1e-5)


def assert_sound(library: Library, *, but: Collection[str] = ()) -> None:
    """All of the above after one search, and `examine` finds everything well, but for the checks of these names."""
    library.search(QUESTIONS[0])
    assert_sound_truth(library)
    assert_whole_documents(library)
    assert_derived_agree(library)
    told = [check for check in examine(library.store) if not check.ok and check.name not in but]
    assert told == []


# -- comparing libraries


def rankings(library: Library, questions: Sequence[str] = QUESTIONS) -> Rankings:
    """Return all that is found for each question in each mode, in order, with its scores."""
    found = {}
    for question in questions:
        for mode in MODES:
            evidence = library.search(question, k=EVERYTHING, mode=mode).evidence
            fused = [item.scores.fused for item in evidence]
            assert fused == sorted(fused, reverse=True)
            found[question, mode] = {
                (item.document.id, item.passage.position): (
                    item.scores.fused,
                    item.scores.vector or 0.0,
                    item.scores.keyword or 0.0,
                )
                for item in evidence
            }
    return found


def differences(found: Rankings, expected: Rankings) -> str:
    """Tell where something else is found, or with other scores (and so in another order); '' if nowhere."""
    assert all(expected.values())
    for key, wanted in expected.items():
        if found[key].keys() != wanted.keys():
            lost, extra = wanted.keys() - found[key].keys(), found[key].keys() - wanted.keys()
            return f"{key}: {len(lost)} of {len(wanted)} not found, {len(extra)} in excess"
        hits = list(wanted)
        apart = np.abs(np.array([found[key][hit] for hit in hits]) - np.array([wanted[hit] for hit in hits]))
        if apart.max() > 1e-5:
            return f"{key}: scores of {np.count_nonzero(apart.max(axis=1) > 1e-5)} of {len(hits)} differ, by up to {apart.max():.4f}"
    return ""


def assert_same_rankings(library: Library, expected: Rankings) -> None:
    """The same passages with the same scores, and so in the same order (equals among themselves in any)."""
    assert differences(rankings(library), expected) == ""


def contents(library: Library) -> dict[str, Any]:
    """Return all that a library says, without the numbers that depend on the order in which it came."""
    database = library.store.database
    passages = (
        'SELECT d.id, p.position, p.text, p.start, p."end", p.section, p.language, v.vector FROM passages p '
        "JOIN documents d ON d.number = p.document LEFT JOIN vectors v ON v.passage = p.number ORDER BY d.id, p.position"
    )
    terms = "SELECT d.id, t.field, t.value, t.number FROM terms t JOIN documents d ON d.number = t.document ORDER BY 1, 2, 3"
    return {
        "documents": sorted(library.documents(), key=lambda document: document.id),
        "texts": stored(library),
        "passages": database.rows(passages),
        "terms": database.rows(terms),
        "sources": database.rows("SELECT collection, path, hash FROM sources ORDER BY collection, path"),
        "counts": library.counts(),
    }


def files_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return everything about the files of a folder that must not change when it is only read."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


UNSHARED = ("unshare", "--map-root-user", "--mount")


@cache
def can_mount() -> bool:
    """Tell whether a program run by `UNSHARED` can mount something, which vanishes with it."""
    try:
        command = [*UNSHARED, "mount", "-t", "tmpfs", "none", "/mnt"]
        return not subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        return False


needs_mount = pytest.mark.skipif(not can_mount(), reason="mounting in a namespace of one's own is not allowed here")
