"""What the tests of the service share: a small library of two collections, and servers as a user starts them, one a module."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import httpx2
import pytest

from scholarmind import Library, Settings
from scholarmind.service.keys import Keys
from scholarmind.service.service_file import ServiceFile

QUESTION = "Who proposed BERT, and what GLUE score does BERT-Large obtain?"
NOTES = ("bert", "gpt-2", "transformer", "roberta", "xlnet")
CANARY = "Quixotron"  # in the collection `secret`, and nowhere else
SECRET = f"""---
title: The {CANARY} Programme
authors: [Zebulon Wexford]
year: 2024
aliases: [{CANARY}]
---
# What it is

{CANARY} was proposed by Zebulon Wexford at the Institute of Hidden Things. It obtains a GLUE score of 99.9 with BERT-Large inside.
"""


@dataclass(frozen=True, kw_only=True)
class Served:
    """A service that runs: where, over which library, and its process."""

    address: str
    library: Path
    process: subprocess.Popen[str]

    def client(self, key: str = "", **more: Any) -> httpx2.Client:
        """Return a client, with a key if there is one."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return httpx2.Client(base_url=self.address, headers=headers, timeout=30, **more)

    def key(self, *scopes: str, collections: Sequence[str] | None = None, **more: str) -> str:
        """Make a key."""
        with ServiceFile(self.library / "service.db") as file:
            return Keys(file).create(scopes, collections, **more)


def start(library: Path, *arguments: str, wait: bool = True, **environment: str) -> Served:
    """Start a service, and wait until it is ready."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("SCHOLARMIND_", "OPENAI_"))}
    with (library.parent / "service.log").open("a") as log:
        process = subprocess.Popen(
            [Path(sys.executable).parent / "scholarmind", "serve", "--port", "0", "--library", library, *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**known, "SCHOLARMIND_EMBEDDER": "none", **environment},
            cwd=library.parent,
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("serving "), (library.parent / "service.log").read_text()
    served = Served(address=line.split()[-1], library=library, process=process)
    if wait:
        with served.client() as client:
            until(lambda: client.get("/readyz").status_code == 200)
    return served


def until(holds: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until something holds, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
    return found


def stop(served: Served) -> None:
    """End a service as a user does, if it has not ended."""
    served.process.terminate()
    try:
        served.process.wait(30)
    except subprocess.TimeoutExpired:
        served.process.kill()
        served.process.wait()
    if served.process.stdout is not None:
        served.process.stdout.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of some notes in `default`, and of one in `secret`."""
    folder = tmp_path_factory.mktemp("template")
    with Library(Settings(library=folder / "library", embedder="none")) as library:
        with as_file(files("scholarmind.demo") / "notes") as notes:
            library.add([notes / f"{name}.md" for name in NOTES])
        (folder / "secret.md").write_text(SECRET)
        library.add(folder / "secret.md", collection="secret")
    return folder / "library"


@pytest.fixture(scope="module")
def folder(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of that library for one module."""
    return Path(shutil.copytree(template, tmp_path_factory.mktemp("served") / "library"))


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service over that copy, open to this machine."""
    running = start(folder)
    yield running
    stop(running)


@pytest.fixture
def client(served: Served) -> Iterator[httpx2.Client]:
    """A client of it without a key."""
    with served.client() as found:
        yield found
