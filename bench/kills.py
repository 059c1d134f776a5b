"""Kill every command that writes, at random moments: afterwards the library is sound, nothing is lost, and the same command ends well.

python bench/kills.py                300 kills, as a table
python bench/kills.py --limit 40     a sample
python bench/kills.py --limit 40 --only "runs prune" --only "graph merge"
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import tantivy  # noqa: F401  (loaded once, for all children)
from click import ClickException

from scholarmind.cli import (  # noqa: F401
    add_commands,
    ask_command,
    library_commands,
    run_commands,
    structure_commands,
)
from scholarmind.cli.main import group

_QUESTION = "Which methods improve on BERT, and on which datasets?"
_MAY_WAIT = {"vectors", "graph", "tree"}  # what is kept over the documents follows with the next command
Command = Sequence[str]


def commands(notes: Path, run: str) -> dict[str, Command]:
    """Return every command that writes, by the name that the table has for it."""
    return {
        "add": ("add", str(notes)),
        "add --prune": ("add", str(notes), "--prune"),
        "add to a collection": ("add", str(notes), "--collection", "other"),
        "remove": ("remove", "m01", "m02", "m03"),
        "remove --where": ("remove", "--where", "year < 2012", "--yes"),
        "set": ("set", "m04", "year=1999", "title=Another name for it"),
        "graph build": ("graph", "build", "--again"),
        "graph merge": ("graph", "merge", "M05Net", "M06Net", "--kind", "method"),
        "graph split": ("graph", "split", "M07Net", "--kind", "method"),
        "tree build": ("tree", "build", "--again"),
        "doctor --mend": ("doctor", "--mend"),
        "ask": ("ask", _QUESTION),
        "ask --conversation": ("ask", _QUESTION, "--conversation", "one"),
        "runs rate": ("runs", "rate", run, "good"),
        "runs prune": ("runs", "prune", "--keep", "1"),
    }


def write(notes: Path, numbers: Sequence[int], word: str) -> None:
    notes.mkdir(exist_ok=True)
    for number in numbers:
        name = f"M{number:02}Net"
        (notes / f"m{number:02}.md").write_text(
            f"---\nid: m{number:02}\ntitle: {name}\nauthors: [Jacob Devlin, Wei Wang]\nyear: {2010 + number % 12}\n---\n"
            f"We propose {name}, which improves on BERT. {name} reaches an accuracy of 9{number % 10}.1 on GLUE.\n\n"
            f"The limit of {name} is its {word} cost. Attention is sparse and efficient.\n"
        )


def forked(command: Command, library: Path, output: Path, delay: float | None = None) -> int | None:
    """Carry a command out in a fork of this process; kill it after so many seconds. Return its exit code, None if it was killed."""
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        with output.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        code = 1
        try:
            group.main([*command, "--library", str(library)], standalone_mode=False)
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        except ClickException as error:
            error.show()
        except BaseException:  # noqa: BLE001  (what no user may ever see; the caller looks for it)
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def bad(library: Path, output: Path) -> list[str]:
    """Return what doctor does not like."""
    forked(("doctor", "--json"), library, output)
    try:
        checks = json.loads(output.read_text())
    except ValueError:
        return [f"doctor: {output.read_text()[-300:]}"]
    return [f"{check['name']}: {check['seen']}" for check in checks if not check["ok"] and check["name"] != "disk"]


def held(library: Path) -> dict[str, str]:
    """Return the text of each document, the turns of conversations, and the runs that are done."""
    found: dict[str, str] = {}
    with closing(sqlite3.connect(library / "library.db")) as database:
        sql = "SELECT c.name || '/' || d.id, d.title || d.year || t.text FROM documents d JOIN texts t ON t.document = d.number "
        found |= dict(database.execute(sql + "JOIN collections c ON c.number = d.collection"))
    with closing(sqlite3.connect(library / "runs.db")) as database:
        found |= {
            f"run {id}": status for id, status in database.execute("SELECT id, status FROM runs WHERE status = 'done'")
        }
    return found


def made(top: Path) -> tuple[Path, str]:
    """Make the library that every trial has a copy of."""
    library, output = top / "library", top / "output"
    write(top / "notes", range(24), "first")
    assert forked(("add", str(top / "notes")), library, output) == 0, output.read_text()
    assert forked(("graph", "merge", "M07Net", "M08Net", "--kind", "method"), library, output) == 0, output.read_text()
    for asked in (_QUESTION, "Who proposed M03Net?", "What is the limit of M09Net?"):
        assert forked(("ask", asked, "--conversation", "one"), library, output) == 0, output.read_text()
    with closing(sqlite3.connect(library / "runs.db")) as database:
        (run,) = database.execute("SELECT id FROM runs ORDER BY started DESC").fetchone()
    write(top / "notes", range(12, 40), "second")
    for number in range(4):
        (top / "notes" / f"m{number:02}.md").unlink()
    return library, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=300, help="kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="a command, by its name in the table")
    arguments = parser.parse_args()
    seeded, results, problems = random.Random(arguments.seed), Counter[tuple[str, str]](), list[str]()  # noqa: S311
    os.environ["SCHOLARMIND_EMBEDDER"] = "none"
    with tempfile.TemporaryDirectory(prefix="scholarmind-kills-") as folder:
        top = Path(folder)
        base, run = made(top)
        output, copy = top / "output", top / "copy"
        known = {name: each for name, each in commands(top / "notes", run).items() if name in (arguments.only or name)}
        before, after, took = held(base), dict[str, dict[str, str]](), dict[str, float]()
        for name, command in known.items():  # undisturbed: how long it takes, and what it leaves
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(base, copy)
            start = time.perf_counter()
            if forked(command, copy, output):
                problems.append(f"{name} does not end well by itself: {output.read_text()[-300:]}")
            took[name], after[name] = time.perf_counter() - start, held(copy)
        for number in range(arguments.limit):
            name = list(known)[number % len(known)]
            shutil.rmtree(copy)
            shutil.copytree(base, copy)
            killed = forked(known[name], copy, output, seeded.uniform(0, 1.05 * took[name])) is None
            results[name, "killed" if killed else "was done"] += 1
            wrong = [
                told
                for told in bad(copy, output)
                if told.split(":")[0] not in _MAY_WAIT or ("wait" not in told and "anew" not in told)
            ]
            now = held(copy)
            # whatever was there is there as it was, or as the command leaves it
            wrong += [
                f"lost {key}" for key, value in before.items() if now.get(key) not in {value, after[name].get(key)}
            ]
            code = forked(known[name], copy, output)
            if code and "no document" not in output.read_text() and "is no name of several" not in output.read_text():
                wrong.append(f"again: {output.read_text()[-300:]}")
            if name.startswith(("add", "remove", "graph build", "tree build", "doctor")):
                wrong += [f"after it again: {told}" for told in bad(copy, output)]
            same = {key for key in after[name] if key.startswith(("default/", "other/"))}
            wrong += [f"not as undisturbed: {key}" for key in same if held(copy).get(key) != after[name][key]]
            results[name, "wrong"] += bool(wrong)
            print(f"{number + 1}: {name} {wrong or 'ok'}", file=sys.stderr, flush=True)
            problems += [f"{name}, kill {number}: {told}" for told in wrong]
    print(f"{'command':<22}{'killed':>8}{'was done':>10}{'wrong':>7}{'seconds':>9}")
    for name in known:
        row = [results[name, what] for what in ("killed", "was done", "wrong")]
        print(f"{name:<22}{row[0]:>8}{row[1]:>10}{row[2]:>7}{took[name]:>9.2f}")
    print(f"{'all':<22}{sum(count for (_, what), count in results.items() if what == 'killed'):>8}")
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
