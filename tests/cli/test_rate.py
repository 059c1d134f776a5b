"""`scholarmind runs rate`: what people say of answers is kept, shown, and can be taken back."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scholarmind.adapters.runs import Runs
from scholarmind.cli.run_commands import runs_command
from scholarmind.ports import Rating

Call = Callable[..., Result]
_ANSWER = json.dumps({"answer": "Devlin.", "plan": {"parts": [{"id": 1}, {"id": 2}]}})


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run the command on a library with two runs, one with an answer of two parts, one without a plan."""

    async def fill() -> None:
        with Runs(tmp_path / "runs.db") as runs:
            await runs.begin("r1", "Who proposed BERT, and when?")
            await runs.finish("r1", "done", _ANSWER)
            await runs.begin("r2", "Why?")
            await runs.finish("r2", "cancelled")

    asyncio.run(fill())
    return lambda *arguments: CliRunner().invoke(runs_command, [*arguments, "--library", str(tmp_path)])


def kept(folder: Path, run: str = "") -> list[Rating]:
    """Return what is in the file, without the times."""

    async def read() -> list[Rating]:
        with Runs(folder / "runs.db") as runs:
            return [
                Rating(run=item.run, part=item.part, good=item.good, note=item.note) for item in await runs.ratings(run)
            ]

    return asyncio.run(read())


def test_an_answer_and_one_of_its_parts(call: Call, tmp_path: Path) -> None:
    assert call("rate", "r1", "good").stdout == "rated good\n"
    told = call("rate", "r1", "bad", "--part", "2", "--note", "the year is\x1b wrong").stdout
    assert told == "rated good\nrated bad in part 2: the year is\ufffd wrong\n"
    call("rate", "r2", "bad")
    assert kept(tmp_path) == [
        Rating(run="r1", good=True),
        Rating(run="r1", good=False, part=2, note="the year is\x1b wrong"),
        Rating(run="r2", good=False),
    ]
    assert kept(tmp_path, "r2") == [Rating(run="r2", good=False)]


def test_the_later_word_counts(call: Call, tmp_path: Path) -> None:
    call("rate", "r1", "bad", "--note", "no")
    call("rate", "r1", "good")
    assert kept(tmp_path) == [Rating(run="r1", good=True)]


def test_everything_can_be_taken_back(call: Call, tmp_path: Path) -> None:
    call("rate", "r1", "bad")
    call("rate", "r1", "bad", "--part", "1")
    call("rate", "r2", "good")
    assert call("rate", "r1", "--clear").stdout == "taken back\n"
    assert kept(tmp_path) == [Rating(run="r2", good=True)]


def test_it_is_shown_wherever_runs_are(call: Call) -> None:
    call("rate", "r1", "good", "--note", "complete")
    call("rate", "r1", "bad", "--part", "2")
    assert [line.partition("  · ")[2] for line in call().stdout.splitlines()] == ["", "rated good and bad"]
    assert call("r1").stdout.endswith("Devlin.\n\nrated good: complete\nrated bad in part 2\n")
    (first,) = [run for run in json.loads(call("--json").stdout) if run["id"] == "r1"]
    one = json.loads(call("r1", "--json").stdout)
    assert one["ratings"] == first["ratings"]
    assert [(item["part"], item["good"], item["note"]) for item in one["ratings"]] == [
        (0, True, "complete"),
        (2, False, ""),
    ]
    assert [item["at"].endswith("+00:00") for item in one["ratings"]] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nope", "good"), "there is no run 'nope'"),
        (("nope", "--clear"), "there is no run 'nope'"),
        (("r1", "good", "--part", "7"), "run 'r1' has no part 7; its parts are 1, 2"),
        (("r2", "good", "--part", "1"), "run 'r2' has no part 1; it has no plan yet"),
        (("r1",), "say good or bad"),
        (("r1", "good", "--clear"), "say good or bad"),
        (("r1", "fine"), "'fine' is not one of 'good', 'bad'"),
    ],
)
def test_what_cannot_be_rated(call: Call, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    result = call("rate", *arguments)
    assert result.exit_code != 0
    assert told in result.stderr + str(result.exception)
    assert kept(tmp_path) == []


def test_a_run_that_is_rated_is_not_forgotten(call: Call, tmp_path: Path) -> None:
    call("rate", "r1", "good")
    assert call("prune", "--older-than", "0").exit_code == 0
    assert [rating.run for rating in kept(tmp_path)] == ["r1"]
    assert call("r1").exit_code == 0


def test_a_file_without_ratings_has_no_table_of_them(call: Call, tmp_path: Path) -> None:
    assert call().exit_code == 0
    connection = sqlite3.connect(tmp_path / "runs.db")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    assert tables == {"runs", "journal", "events", "archive"}
