"""`scholarmind remove`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


def left(run: Run) -> int:
    """Return how many documents the library still holds."""
    collections = json.loads(run("collections", "--json").stdout)
    return sum(collection["documents"] for collection in collections)


def test_by_id(filled: Run) -> None:
    result = filled("remove", "bert")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "1 removed\n", "")
    assert left(filled) == 1


def test_an_unknown_id_beside_a_known_one(filled: Run) -> None:
    result = filled("remove", "bert", "nobody")
    assert (result.exit_code, result.stdout) == (0, "1 removed\n")
    assert result.stderr == "no document 'nobody' in collection 'default'\n"


def test_only_unknown_ids_are_a_failure(filled: Run) -> None:
    assert filled("remove", "nobody").exit_code == 1
    assert filled("remove", "bert", "--collection", "other").exit_code == 1
    assert left(filled) == 2


@pytest.mark.parametrize(
    ("answer", "code", "after"),
    [pytest.param("y\n", 0, 1, id="yes"), pytest.param("n\n", 1, 2, id="no"), pytest.param("", 1, 2, id="no answer")],
)
def test_a_filter_asks_back(filled: Run, answer: str, code: int, after: int) -> None:
    result = filled("remove", "--where", "year < 2019", typed=answer)
    assert result.exit_code == code
    assert "  gpt  GPT\n" in result.stderr
    assert left(filled) == after


def test_yes_does_not_ask_back(filled: Run) -> None:
    assert filled("remove", "--where", "year > 0", "--yes").stdout == "2 removed\n"


def test_a_filter_that_nothing_passes(filled: Run) -> None:
    result = filled("remove", "--where", "year = 1999")
    assert (result.exit_code, result.stdout) == (0, "0 removed\n")


def test_a_filter_stays_within_the_collection(filled: Run, notes: Path) -> None:
    filled("add", notes, "--collection", "other")
    assert filled("remove", "--where", "year > 0", "--yes", "--collection", "other").stdout == "2 removed\n"
    assert left(filled) == 2


def test_json(filled: Run) -> None:
    assert json.loads(filled("remove", "bert", "nobody", "--json").stdout) == {"removed": 1, "missing": ["nobody"]}


@pytest.mark.parametrize("arguments", [[], ["bert", "--where", "year = 2019"]])
def test_either_ids_or_a_filter(filled: Run, arguments: list[str]) -> None:
    assert filled("remove", *arguments).exit_code == 2
    assert left(filled) == 2


def test_the_files_themselves_stay(filled: Run, notes: Path) -> None:
    filled("remove", "bert")
    assert (notes / "bert.md").is_file()
