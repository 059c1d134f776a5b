"""`scholarmind status` and `scholarmind collections`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


def test_status(filled: Run, tmp_path: Path) -> None:
    first, *rest = filled("status").stdout.splitlines()
    assert first.startswith(f"library   {tmp_path}/data/scholarmind/library (0.")
    assert first.endswith(" MB)")
    assert rest[0] == "embedder  none"
    assert rest[1].startswith("graph     ")
    assert rest[1].endswith(" edges of 2 documents")
    assert rest[2:5] == ["tree      1 summary of 2 passages", "", "default"]
    assert rest[5].startswith("  2 documents, 2 passages; ")


def test_status_tells_what_the_structures_lack(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPH", "TREE"):
        monkeypatch.setenv(f"SCHOLARMIND_{name}", "false")
    run("add", notes)
    lines = run("status").stdout.splitlines()
    assert "graph     0 nodes, 0 edges of 0 documents, 2 documents still to be read: " in "\n".join(lines)
    assert "tree      0 summaries of 0 passages, 2 passages still to come: " in "\n".join(lines)


def test_without_an_embedder_nothing_is_still_to_come(filled: Run) -> None:
    assert "'scholarmind add' goes on with them" not in filled("status").stdout


def test_status_as_json(filled: Run, tmp_path: Path) -> None:
    told = json.loads(filled("status", "--json").stdout)
    assert told.pop("bytes") > 1000
    assert told.pop("graph")["documents"] == 2
    assert told.pop("tree") == {"levels": {"1": 1}, "passages": 2, "waiting": 0, "by_model": 0}
    assert told == {
        "library": f"{tmp_path}/data/scholarmind/library",
        "embedder": "none",
        "writer": "",
        "cache": {},
        "multilingual": None,
        "collections": {"default": {"documents": 2, "passages": 2, "vectors": 0, "unsuited": 0, "waiting": 2}},
        "problems": [],
        "matches": {},
    }


def test_a_cache_that_cannot_be_used_is_told_with_its_reason(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "data" / "scholarmind" / "library" / "responses.db").mkdir()
    (line,) = [line for line in filled("status").stdout.splitlines() if line.startswith("cache ")]
    assert line.startswith("cache     replies cannot be kept in ")
    assert line.endswith("unable to open database file")


def test_status_of_an_empty_library(run: Run) -> None:
    run("add")
    assert run("status").stdout.endswith("\nempty; fill it with: scholarmind add FILES\n")


def test_status_changes_nothing(filled: Run, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.rglob("*"))
    filled("status")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_status_without_a_library_makes_none(run: Run, tmp_path: Path) -> None:
    result = run("status", "--library", tmp_path / "none")
    assert (result.exit_code, result.stdout) == (1, "")
    assert not (tmp_path / "none").exists()


def test_collections(filled: Run, notes: Path) -> None:
    filled("add", notes / "gpt.md", "--collection", "other")
    assert filled("collections").stdout == ("default  (2 documents, 2 passages)\nother  (1 documents, 1 passages)\n")
    assert json.loads(filled("collections", "--json").stdout) == [
        {"name": "default", "documents": 2, "passages": 2, "vectors": 0, "unsuited": 0},
        {"name": "other", "documents": 1, "passages": 1, "vectors": 0, "unsuited": 0},
    ]


def test_a_collection_that_was_emptied_is_gone(filled: Run) -> None:
    filled("remove", "bert", "gpt")
    assert filled("collections").stdout == ""
