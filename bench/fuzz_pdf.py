"""Read thousands of damaged PDFs, each batch in a child process, and count how that ends. Seeded: the same damage every time.

python bench/fuzz_pdf.py --mutations 2000
Outcomes: read, ReadError, problems (read in part, and told), crash (a signal), hang (over the time limit), memory, escaped (any other
exception: a defect). The exit status is 1 where there was one that escaped.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from papers import make
from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading

SECONDS = 20  # for one file: more than a hundred times what a sound one takes
BATCH = 100
MEMORY = 2 << 30
KINDS = ("two-column", "chinese", "rotated", "latex", "mixed")
BUILT = 1_000_000  # numbers from here on are files that are built to do harm
NUMBERS = [b"0", b"-1", b"1", b"65536", b"99999999999", b"1e40", b"-2147483648", b"nan"]


class TooLongError(Exception):
    """A file took longer than it may."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="keep the files there that crashed, hung or escaped")
    parser.add_argument("--child", nargs=2, metavar=("FOLDER", "NUMBERS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(Path(arguments.child[0]), [int(number) for number in arguments.child[1].split(",")], arguments.seed)
        return
    with tempfile.TemporaryDirectory(prefix="scholarmind-fuzz-") as folder:
        originals(Path(folder))
        start = time.perf_counter()
        outcomes = dict(run(Path(folder), arguments.mutations, arguments.seed))
        if arguments.save:
            keep(arguments.save, Path(folder), outcomes, arguments.seed)
    told = {
        "mutations": len(outcomes),
        "outcomes": dict(Counter(outcome for outcome, _ in outcomes.values()).most_common()),
        "seconds": round(time.perf_counter() - start, 1),
        "examples": examples(outcomes),
    }
    print(json.dumps(told, indent=1, ensure_ascii=False))
    sys.exit(any(outcome == "escaped" for outcome, _ in outcomes.values()))


def originals(folder: Path) -> None:
    """Write the sound files: two pages, as reportlab packs them and with everything in the open."""
    for kind in KINDS:
        paper = make(folder, kind, 2, 1, cited=4)
        if paper:
            paper.path.rename(folder / f"{kind}.pdf")
    from reportlab import rl_config  # noqa: PLC0415

    rl_config.pageCompression = 0
    plain = make(folder, "three-column", 2, 2, cited=4)
    if plain:
        unpacked = plain.path.read_bytes()
        (folder / "open.pdf").write_bytes(unpacked)
        plain.path.unlink()


def run(folder: Path, mutations: int, seed: int) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the outcome of each damaged file. A child that dies or hangs is replaced; the file it was at is known."""
    waiting = [*range(mutations), *(BUILT + place for place in range(len(harmful())))]
    while waiting:
        batch = waiting[:BATCH]
        done = list(one_child(folder, batch, seed))
        yield from done
        finished = {number for number, _ in done}
        waiting = [number for number in waiting if number not in finished]


def one_child(folder: Path, numbers: Sequence[int], seed: int) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield what a child tells of its files, and for the one that it ended at, how it ended."""
    command = [sys.executable, __file__, "--seed", str(seed), "--child", str(folder), ",".join(map(str, numbers))]
    at = numbers[0]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        watch = Watch(process)
        assert process.stdout
        for line in process.stdout:
            told = json.loads(line)
            watch.feed()
            if "at" in told:
                at = told["at"]
            else:
                yield at, (told["outcome"], told["why"])
                at = -1
        watch.stop()
    if at >= 0:
        code = process.returncode
        hung = code in {-signal.SIGKILL, -signal.SIGALRM}
        yield at, ("hang" if hung else "crash", f"the child ended with {code}")


class Watch:
    """Kills a child that has told nothing for too long, even where it is deep in foreign code and hears no alarm."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.feed()

    def feed(self) -> None:
        signal.signal(signal.SIGALRM, self._kill)
        signal.alarm(SECONDS + 10)

    def stop(self) -> None:
        signal.alarm(0)

    def _kill(self, _number: int, _frame: FrameType | None) -> None:
        self.process.kill()


# --- in the child ---


def child(folder: Path, numbers: Sequence[int], seed: int) -> None:
    """Read the damaged files one by one, telling before and after each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _stop)
    path = folder / f"damaged-{os.getpid()}.pdf"
    for number in numbers:
        path.write_bytes(damaged(folder, number, seed))
        print(json.dumps({"at": number}), flush=True)
        signal.alarm(SECONDS)
        outcome, why = outcome_of(path)
        signal.alarm(0)
        print(json.dumps({"outcome": outcome, "why": why}), flush=True)
    path.unlink(missing_ok=True)


def outcome_of(path: Path) -> tuple[str, str]:
    try:
        items = list(PdfReader(max_bytes=50_000_000).read(path))
    except ReadError as error:
        return "ReadError", error.reason
    except TooLongError:
        return "hang", "heard the alarm"
    except MemoryError:
        return "memory", f"over {MEMORY >> 20} MB"
    except Exception as error:  # noqa: BLE001 - to find these is what this is for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return (
            "escaped",
            f"{type(error).__name__}: {error} ({Path(frame.filename).name}, {frame.name}, line {frame.lineno})",
        )
    whole = [item for item in items if isinstance(item, Reading)]
    if not whole:
        return "escaped", "neither a reading nor an error"
    problems = [item.reason for item in items if isinstance(item, Problem)]
    return ("problems", problems[0]) if problems else ("read", "")


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError


# --- damage ---


def damaged(folder: Path, number: int, seed: int) -> bytes:
    """Return the damaged file of this number."""
    if number >= BUILT:
        return harmful()[number - BUILT]()
    chance = random.Random(f"{seed} {number}")  # noqa: S311 - the same again, not secret
    sound = sorted(path for path in folder.glob("*.pdf") if not path.name.startswith("damaged"))
    content = bytearray(sound[number % len(sound)].read_bytes())
    for _ in range(chance.choice([1, 1, 2, 4])):
        chance.choice(DAMAGE)(content, chance)
    return bytes(content)


def flip(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 4, 30])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def delete(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    del content[start : start + chance.choice([1, 20, 2000])]


def double(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    content[start:start] = content[start : start + chance.choice([1, 20, 2000])]


def cut(content: bytearray, chance: random.Random) -> None:
    del content[max(9, chance.randrange(len(content))) :]


def move(content: bytearray, chance: random.Random) -> None:
    start, end = chance.randrange(len(content)), chance.randrange(len(content))
    piece = content[start : start + 200]
    content[end : end + 200] = piece


def renumber(content: bytearray, chance: random.Random) -> None:
    _replace(content, chance, rb"(?<![\w.])-?\d+(?:\.\d+)?", NUMBERS)


def refer(content: bytearray, chance: random.Random) -> None:
    """Let a reference point at another object, perhaps at the one that it stands in."""
    _replace(content, chance, rb"\d+ 0 R", [b"%d 0 R" % number for number in range(1, 12)])


def rename(content: bytearray, chance: random.Random) -> None:
    names = [
        b"/Page",
        b"/Pages",
        b"/FlateDecode",
        b"/Type3",
        b"/Identity-H",
        b"/Kids",
        b"/ToUnicode",
        b"/Font",
        b"/Length",
    ]
    _replace(content, chance, rb"/[A-Za-z]\w+", names)


def _replace(content: bytearray, chance: random.Random, pattern: bytes, others: Sequence[bytes]) -> None:
    found = list(re.finditer(pattern, bytes(content)))
    if found:
        place = chance.choice(found).span()
        content[place[0] : place[1]] = chance.choice(others)


DAMAGE: list[Callable[[bytearray, random.Random], None]] = [flip, delete, double, cut, move, renumber, refer, rename]


# --- harm ---


def harmful() -> list[Callable[[], bytes]]:
    """Return what builds a gigabyte of blanks, the same in three wrappings, and a form that draws itself twice."""
    return [lambda: _page(_blanks(1)), lambda: _page(_blanks(3)), lambda: _page(b"/X Do", b"", b"/X Do /X Do")]


def _blanks(layers: int) -> tuple[bytes, bytes]:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(1000)) + packer.flush()
    for _ in range(layers - 1):
        packed = zlib.compress(packed, 9)
    return packed, b"/Filter [" + b"/FlateDecode " * layers + b"]"


def _page(content: bytes | tuple[bytes, bytes], entries: bytes = b"", form: bytes = b"") -> bytes:
    """Return a PDF of one page; readers find its objects without a table of where they are."""
    body, entries = content if isinstance(content, tuple) else (content, entries)
    resources = b"/Resources << /XObject << /X 5 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 400] /Contents 4 0 R %s >>" % resources,
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(body), entries, body),
        b"<< /Length %d /Type /XObject /Subtype /Form /BBox [0 0 9 9] %s >>\nstream\n%s\nendstream"
        % (len(form), resources, form),
    ]
    written = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + written + b"trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n"


# --- telling ---


def examples(outcomes: dict[int, tuple[str, str]]) -> dict[str, list[str]]:
    """Return for each outcome the reasons, the most frequent first, each with the number of a file."""
    told: dict[str, list[str]] = {}
    for outcome in sorted({outcome for outcome, _ in outcomes.values()} - {"read"}):
        reasons = Counter(why for kind, why in outcomes.values() if kind == outcome)
        numbers = {why: number for number, (kind, why) in outcomes.items() if kind == outcome}
        told[outcome] = [f"{count} x {why} (such as {numbers[why]})" for why, count in reasons.most_common(12)]
    return told


def keep(save: Path, folder: Path, outcomes: dict[int, tuple[str, str]], seed: int) -> None:
    save.mkdir(parents=True, exist_ok=True)
    for number, (outcome, _) in outcomes.items():
        if outcome in {"crash", "hang", "memory", "escaped"}:
            (save / f"{outcome}-{number}.pdf").write_bytes(damaged(folder, number, seed))


if __name__ == "__main__":
    main()
