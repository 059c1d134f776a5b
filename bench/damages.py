"""Damage library folders at random: each is recognised with a clear error, or mended, or answers rightly all the same.

Never is there a traceback, and never a silent wrong.

python bench/damages.py               100 folders, as a table
python bench/damages.py --limit 10    a sample
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from kills import forked, held, write

_QUESTION = "Which methods improve on BERT, and on which datasets?"
_ASKED = (
    ("search", "sparse attention", "-k", "50", "--json"),
    ("ask", _QUESTION, "--json", "--no-cache"),
    ("runs", "--json"),
)
_CLEAR = ("restore", "backup", "doctor", "move", "check who may", "there is no library", "scholarmind add")


def flip(path: Path, seeded: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(seeded.choice((1, 3, 30))):
        content[seeded.randrange(len(content))] ^= 1 << seeded.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, seeded: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: seeded.randrange(len(content))])


def empty(path: Path, _seeded: random.Random) -> None:
    path.write_bytes(b"")


def delete(path: Path, _seeded: random.Random) -> None:
    path.unlink()


def make_older(path: Path, _seeded: random.Random) -> None:
    older = (
        path.parents[len(path.parts) - path.parts.index("copy") - 2].parent
        / "older"
        / Path(*path.parts[path.parts.index("copy") + 1 :])
    )
    if older.exists():
        shutil.copy(older, path)


def make_unreadable(path: Path, _seeded: random.Random) -> None:
    path.unlink()
    path.mkdir()  # which no rights help against, not even those of root


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "bytes flipped": flip,
    "truncated": truncate,
    "emptied": empty,
    "removed": delete,
    "older copy": make_older,
    "unreadable": make_unreadable,
}


def said(output: str) -> object:
    """Return what an answer says, without what differs from time to time."""
    try:
        told = json.loads(output)
    except ValueError:
        return output
    if isinstance(told, list):
        return sorted(str(item.get("id")) for item in told)
    if "hits" in told:
        return sorted((hit["document"]["id"], hit["passage"]["text"]) for hit in told["hits"])
    return sorted(claim["text"] for claim in told["claims"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=100, help="folders")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seeded, results, problems = random.Random(arguments.seed), Counter[tuple[str, str]](), list[str]()  # noqa: S311
    os.environ["SCHOLARMIND_EMBEDDER"] = "none"
    with tempfile.TemporaryDirectory(prefix="scholarmind-damages-") as folder:
        top = Path(folder)
        base, copy, output = top / "library", top / "copy", top / "output"
        write(top / "notes", range(20), "first")
        forked(("add", str(top / "notes")), base, output)
        forked(_ASKED[1], base, output)
        shutil.copytree(base, top / "older")
        write(top / "notes", range(10, 30), "second")
        forked(("add", str(top / "notes")), base, output)
        shutil.copytree(base, top / "fresh")
        rightly = {asked: (forked(asked, base, output), said(output.read_text()))[1] for asked in _ASKED[:2]}
        truth = {key: value for key, value in held(base).items() if not key.startswith("run ")}
        shutil.rmtree(base)
        shutil.copytree(top / "fresh", base)
        files = sorted(path.relative_to(base) for path in base.rglob("*") if path.is_file() and path.stat().st_size)
        weighty = [Path("library.db")] * 3 * len(files) + [Path("runs.db")] * (len(files) // 3)
        for number in range(arguments.limit):
            damage = list(DAMAGES)[number % len(DAMAGES)]
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(base, copy)
            damaged = seeded.choice([*files, *weighty[: len(files)]])
            DAMAGES[damage](copy / damaged, seeded)
            outcome, wrong = set[str](), list[str]()
            restored = damage == "older copy" and damaged.name == "library.db"  # a sound library of an earlier day
            for asked in _ASKED:
                code, told = forked(asked, copy, output), output.read_text()
                if "Traceback" in told:
                    wrong.append(f"{asked[0]}: {told[-400:]}")
                elif code or "is damaged (" in told:  # an answer tells what it had to do without
                    outcome.add("recognised")
                    if not any(word in told for word in _CLEAR):
                        wrong.append(f"{asked[0]} is not clear: {told[-300:]}")
                elif asked in rightly and said(told) != rightly[asked] and not restored:
                    wrong.append(f"{asked[0]} says something else")
            code, told = forked(("doctor", "--json"), copy, output), output.read_text()
            if "Traceback" in told:
                wrong.append(f"doctor: {told[-400:]}")
            elif any(not check["ok"] and check["name"] != "disk" for check in json.loads(told)):
                outcome.add("recognised")
            forked(("doctor", "--mend", "--json"), copy, output)
            if "Traceback" in output.read_text():
                wrong.append(f"doctor --mend: {output.read_text()[-400:]}")
            elif not outcome and not wrong and damaged.name == "library.db" and not restored:
                now = held(copy)
                wrong += [f"silently other: {key}" for key, value in truth.items() if now.get(key) != value]
            what = "wrong" if wrong else "recognised" if outcome else "right all the same"
            results[damage, what] += 1
            print(f"{number + 1}: {damaged} {damage}, {what}", file=sys.stderr, flush=True)
            problems += [f"{damage}, {damaged}, folder {number}: {each}" for each in wrong]
    print(f"{'damage':<16}{'recognised':>12}{'right all the same':>20}{'wrong':>7}")
    for damage in DAMAGES:
        row = [results[damage, what] for what in ("recognised", "right all the same", "wrong")]
        print(f"{damage:<16}{row[0]:>12}{row[1]:>20}{row[2]:>7}")
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
