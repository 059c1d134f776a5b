"""A library with something in each of its tables that a copy has to take along, and what it has to answer afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from scholarmind import Library, Settings
from scholarmind.cli.main import group
from scholarmind.service.keys import Keys
from scholarmind.service.library_copy import Home
from scholarmind.service.service_file import ServiceFile

QUESTION = "Which words does BERT hide, and to which side does GPT attend?"
Run = Callable[..., Result]


def run(*arguments: object, succeeds: bool = True) -> Result:
    """Run a command as a user does."""
    environment = {  # put back afterwards
        "SCHOLARMIND_DATABASE": None,
        "SCHOLARMIND_EMBEDDER": "none",
        "COLUMNS": "300",
    }
    result = CliRunner(env=environment).invoke(group, [str(part) for part in arguments], catch_exceptions=False)
    assert (result.exit_code == 0) is succeeds, result.output
    return result


def place(home: Home) -> tuple[str, ...]:
    """Return the options that name a home."""
    return (
        ("--database", home.database, "--library", str(home.folder))
        if home.database
        else ("--library", str(home.folder))
    )


def fill(home: Home, notes: Path) -> None:
    """Fill a library: notes with a graph, a tree and a table, a watched question, runs of a conversation, a rating and a key."""
    notes.mkdir()
    for name, text in {
        "bert": "title: BERT\nauthors: [Jacob Devlin]\nyear: 2019\n---\n# Masks\nBERT hides words and attends to both sides. "
        "BERT improves on GPT. BERT obtains a GLUE score of 80.5.\n",
        "gpt": "title: GPT\nauthors: [Alec Radford]\nyear: 2018\n---\nGPT attends to the left side only.\n",
        "masken": "title: Masken\nlanguage: de\n---\nMasken verbergen Wörter \U0001f3ad vor dem Modell.\n",
    }.items():
        (notes / f"{name}.md").write_text(f"---\nid: {name}\n{text}", encoding="utf-8")
    at = place(home)
    run("add", notes, *at)
    run("remove", "masken", "--yes", *at)  # numbers that are never used again
    run("table", "year; task; metric", "--name", "scores", *at)
    run("watch-question", "add", QUESTION, "--name", "hidden", *at)
    run("ask", QUESTION, "--conversation", "masks", *at)
    run("ask", "And GPT?", "--conversation", "masks", *at)
    [first, *_] = json.loads(run("runs", "--json", *at).stdout)
    run("runs", "rate", first["id"], "good", *at)
    with ServiceFile(home.folder / "service.db", home.database) as file:
        Keys(file).create(("ask",), None, name="a reader")
    make_indexes_anew(home)


def make_indexes_anew(home: Home) -> None:
    """Make the indexes anew: tantivy's scores count what was removed until it merges."""
    with Library(Settings(library=home.folder, database=home.database, embedder="none")) as library:
        library.rebuild()


def what_it_says(home: Home) -> dict[str, Any]:
    """Return what a library says to those who use it, but for what is of its place."""
    at = place(home)
    runs = json.loads(run("runs", "--json", *at).stdout)
    status = json.loads(run("status", "--json", *at).stdout)
    answer = json.loads(run("ask", QUESTION, "--json", *at).stdout)
    with ServiceFile(home.folder / "service.db", home.database) as file:
        keys = [key.name for key in Keys(file).listed()]
    return {
        "status": {name: status[name] for name in ("embedder", "collections", "graph", "tree", "matches", "problems")},
        "search": [
            (hit["document"]["id"], hit["passage"]["text"])
            for hit in json.loads(run("search", "attends to both sides", "--json", *at).stdout)["hits"]
        ],
        "ask": answer["answer"],
        "table": run("table", "scores", *at).stdout,
        "watched": run("watch-question", "show", "hidden", *at).stdout,
        "conversations": json.loads(run("conversations", "--json", *at).stdout),
        "runs": runs,
        "run": json.loads(run("ask", "--run", runs[-1]["id"], "--json", *at).stdout)["answer"],
        "keys": keys,
    }
