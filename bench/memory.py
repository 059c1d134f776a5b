# ruff: noqa: S311
"""Add one large file in a real process, and tell how much memory that process takes at most for each byte of the file.

python bench/memory.py --megabytes 86
Kinds: text (sentences), line (one line), chinese, records (JSON lines of a thousand bytes), record (one JSON line). The peak is that of the
process that stores, not of the children that read, as Linux keeps it; idle is the same process after an empty library was opened.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

MEGABYTE = 1_000_000
ADDING = """
import re, sys
from pathlib import Path
from scholarmind import Library
def peak(name="VmHWM"):
    return int(re.search(rf"{name}:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
with Library.open(sys.argv[1], create=True, **eval(sys.argv[3])) as library:
    library.search("nothing")
    idle = peak("VmRSS")
    report = library.add(sys.argv[2])
    print(idle, peak(), report.added, report.passages, [problem.reason for problem in report.problems])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=86)
    parser.add_argument("--kind", action="append", choices=[*KINDS], help="all of them, if not given")
    parser.add_argument("--structures", action="store_true", help="also build the graph and the tree")
    arguments = parser.parse_args()
    for kind in arguments.kind or KINDS:
        with tempfile.TemporaryDirectory(prefix="scholarmind-memory-") as folder:
            print(
                json.dumps(measured(Path(folder), kind, arguments.megabytes, structures=arguments.structures)),
                flush=True,
            )


def measured(folder: Path, kind: str, megabytes: int, *, structures: bool) -> dict[str, object]:
    suffix, pieces = KINDS[kind]
    path = folder / f"large{suffix}"
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for piece in pieces(megabytes * MEGABYTE):
            size += file.write(piece)
    size = path.stat().st_size
    settings = {"embedder": "none", "max_file_megabytes": 2 * megabytes, "reading_megabytes": 6_000}
    settings |= {} if structures else {"graph": False, "tree": False}
    command = [sys.executable, "-c", ADDING, str(folder / "library"), str(path), repr(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    idle, peak, added, passages, problems = done.stdout.split(maxsplit=4)
    return {
        "kind": kind,
        "megabytes": round(size / MEGABYTE, 1),
        "idle_megabytes": round(int(idle) / MEGABYTE),
        "peak_megabytes": round(int(peak) / MEGABYTE),
        "above_idle_for_each_byte": round((int(peak) - int(idle)) / size, 2),
        "documents": int(added),
        "passages": int(passages),
        "problems": problems.strip(),
    }


def sentences(size: int, *, end: str = "\n") -> Iterator[str]:
    chance = random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(20_000)]
    while size > 0:
        piece = " ".join(" ".join(chance.choices(words, k=12)).capitalize() + "." for _ in range(100)) + end
        size -= len(piece)
        yield piece


def chinese(size: int) -> Iterator[str]:
    chance = random.Random(1)
    characters = [chr(number) for number in range(0x4E00, 0x5E00)]
    while size > 0:
        piece = "".join("".join(chance.choices(characters, k=30)) + "。" for _ in range(100)) + "\n"
        size -= 3 * len(piece)
        yield piece


def records(size: int) -> Iterator[str]:
    for number, piece in enumerate(sentences(size)):
        yield json.dumps({"id": f"r{number}", "text": piece}) + "\n"


def record(size: int) -> Iterator[str]:
    yield '{"id": "one", "text": "'
    yield from sentences(size, end=" ")
    yield '"}\n'


KINDS: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "text": (".txt", sentences),
    "line": (".txt", lambda size: sentences(size, end=" ")),
    "chinese": (".txt", chinese),
    "records": (".jsonl", records),
    "record": (".jsonl", record),
}


if __name__ == "__main__":
    main()
