"""Reading on nodes that notes where and when, in the file `READ_LOG`: nodes import it from the folder of these tests."""

import os
from pathlib import Path

from scholarmind.library.workers import Workers
from scholarmind.nodes import read_file


def read_and_note(release: str, workers: Workers, name: str, content: bytes) -> bytes:
    """Do as `read_file`, between two notes."""
    _note("began", name)
    messages = read_file(release, workers, name, content)
    _note("ended", name)
    return messages


def _note(what: str, name: str) -> None:
    with Path(os.environ["READ_LOG"]).open("ab", buffering=0) as log:  # a line at once, whoever else writes
        log.write(f"{os.environ['RAY_TEST_NODE']} {what} {name}\n".encode())
