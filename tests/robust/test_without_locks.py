"""A file system without locks: nothing is written where two could write at once, it is said why, and reading goes on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from robustly import Corpus, files_of, opened

from scholarmind import Library

_COMPILER = shutil.which("gcc") or shutil.which("cc")
_SCRIPT = Path(sys.executable).with_name("scholarmind")
_NO_LOCKS = {
    "flock": """
        #include <errno.h>
        int flock(int file, int operation) { errno = ENOLCK; return -1; }
    """,
    "fcntl": """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        static int locked(const char *real, int file, int command, va_list arguments) {
            int (*next)(int, int, ...) = dlsym(RTLD_NEXT, real);
            if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) { errno = EOPNOTSUPP; return -1; }
            return next(file, command, va_arg(arguments, void *));
        }
        int fcntl(int file, int command, ...) { va_list a; va_start(a, command); return locked("fcntl", file, command, a); }
        int fcntl64(int file, int command, ...) { va_list a; va_start(a, command); return locked("fcntl64", file, command, a); }
    """,
}

pytestmark = pytest.mark.skipif(_COMPILER is None, reason="there is no C compiler to take the locks away with")


def _without(locks: str, folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run a command on a system whose files cannot be locked in this way."""
    library = folder / f"no_{locks}.so"
    if not library.exists():
        source = library.with_suffix(".c")
        source.write_text(_NO_LOCKS[locks])
        subprocess.run([str(_COMPILER), "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    environment = os.environ | {"LD_PRELOAD": str(library), "SCHOLARMIND_EMBEDDER": "none"}
    command = [str(_SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Return a few documents."""
    made = Corpus(tmp_path / "documents")
    made.add(5)
    return made


def test_library_without_file_locks(tmp_path: Path, corpus: Corpus) -> None:
    """Whatever writes says what is wrong and what to do; what only reads does its work; doctor knows."""
    folder = tmp_path / "library"
    made = _without("flock", tmp_path, "add", corpus.folder, "--library", folder)
    assert (made.returncode, made.stdout) == (1, "")
    with Library.open(folder, embedder="none") as library:
        library.add(corpus.folder)
        first = library.documents()[0].id
    corpus.add(1)
    before = {name: state[2] for name, state in files_of(folder).items() if "-shm" not in name}
    for arguments in (
        ("add", corpus.folder),
        ("remove", first),
        ("set", first, "year=2001"),
        ("graph", "build", "--again"),
        ("tree", "build", "--again"),
        ("doctor", "--mend", "--json"),
    ):
        told = _without("flock", tmp_path, *arguments, "--library", folder)
        assert told.returncode == 1, arguments
        assert "Traceback" not in told.stderr
        assert f"'{folder}' is on a file system without file locks" in told.stdout + told.stderr
        assert "keep it on a local disk (--library or SCHOLARMIND_LIBRARY)" in told.stdout + told.stderr
    assert before == {name: state[2] for name, state in files_of(folder).items() if "-shm" not in name}
    for arguments in (("search", "common"), ("ask", "What is common?"), ("status",), ("show", first)):
        told = _without("flock", tmp_path, *arguments, "--library", folder)
        assert (told.returncode, told.stderr) == (0, ""), arguments
    (bad,) = [
        check
        for check in json.loads(_without("flock", tmp_path, "doctor", "--json", "--library", folder).stdout)
        if not check["ok"] and check["name"] not in {"disk", "embedder"}
    ]
    assert bad["name"] == "writer"
    assert "without file locks" in bad["seen"]


@pytest.mark.parametrize("arguments", [("add", "{documents}"), ("search", "common"), ("doctor",)])
def test_database_without_file_locks(tmp_path: Path, corpus: Corpus, arguments: tuple[str, ...]) -> None:
    """SQLite needs locks of another kind, also to read: its error is told in words."""
    folder = tmp_path / "library"
    with opened(folder) as library:
        library.add(corpus.folder)
    corpus.add(1)
    given = [part.format(documents=corpus.folder) for part in arguments]
    told = _without("fcntl", tmp_path, *given, "--library", folder)
    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    assert "keep it on a local disk" in told.stdout + told.stderr
