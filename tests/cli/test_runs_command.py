"""`scholarmind runs`."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scholarmind import Library
from scholarmind.adapters.runs import Runs
from scholarmind.cli.run_commands import runs_command
from scholarmind.events import FirstLook, to_record

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run the command on a library of our own."""

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(runs_command, [*arguments, "--library", str(tmp_path)], catch_exceptions=False)

    return invoke


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """Two runs in that library."""

    async def fill(opened: Runs) -> None:
        await opened.begin(
            "20260101-101010-abcd2345", "Who\nproposed BERT?", plan='{"parts": []}', settings="{}", library="7"
        )
        opened.append_event(
            "20260101-101010-abcd2345", 1, json.dumps(to_record(FirstLook(passages=3, seconds=0.1), 1, 0.1))
        )
        await opened.finish("20260101-101010-abcd2345", "done", '{"answer": "Devlin \\u001b[31met al."}')
        await opened.begin("20260101-101011-efgh2345", "x" * 300)
        await opened.finish("20260101-101011-efgh2345", "cancelled")

    with Runs(tmp_path / "runs.db") as opened:
        asyncio.run(fill(opened))
        yield opened


def test_none_yet(call: Call, tmp_path: Path) -> None:
    Library.open(tmp_path, create=True, embedder="none").close()
    there = sorted(tmp_path.iterdir())
    assert call().stdout == "no runs yet; ask something with: scholarmind ask QUESTION\n"
    assert json.loads(call("--json").stdout) == []
    assert json.loads(call("prune", "--json").stdout)["removed"] == []
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.usefixtures("runs")
def test_the_list(call: Call) -> None:
    latest, first = call().stdout.splitlines()
    assert latest.startswith("20260101-101011-efgh2345  20")
    assert latest.endswith("  cancelled      " + "x" * 100 + "…")
    assert first.endswith("  done           Who proposed BERT?")
    assert len(call("--limit", "1").stdout.splitlines()) == 1


@pytest.mark.usefixtures("runs")
def test_the_list_as_json(call: Call) -> None:
    latest, first = json.loads(call("--json").stdout)
    assert {name: first[name] for name in ("id", "question", "plan", "settings", "library", "status")} == {
        "id": "20260101-101010-abcd2345",
        "question": "Who\nproposed BERT?",
        "plan": {"parts": []},
        "settings": {},
        "library": "7",
        "status": "done",
    }
    assert first["started"] <= first["finished"]
    assert first["started"].endswith("+00:00")
    assert (latest["plan"], latest["status"]) == (None, "cancelled")
    assert "answer" not in first


@pytest.mark.usefixtures("runs")
def test_one_run(call: Call, tmp_path: Path) -> None:
    told = call("20260101-101010-abcd2345").stdout
    assert "Who\nproposed BERT?" in told
    assert "first look" in told
    assert told.endswith("\nDevlin \ufffd[31met al.\n")
    assert call("20260101-101011-efgh2345").stdout.endswith(
        f"go on with it: scholarmind ask --run 20260101-101011-efgh2345 --library {tmp_path}\n"
    )


@pytest.mark.usefixtures("runs")
def test_one_run_as_json(call: Call) -> None:
    told = json.loads(call("20260101-101010-abcd2345", "--json").stdout)
    assert told["answer"] == {"answer": "Devlin \x1b[31met al."}
    assert [event["type"] for event in told["events"]] == ["first_look"]


@pytest.mark.usefixtures("runs")
def test_an_unknown_run(call: Call) -> None:
    result = call("nope")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: there is no run 'nope'; 'scholarmind runs' lists those that there are\n"


def test_pruning(call: Call, runs: Runs) -> None:
    assert call("prune", "--older-than", "30").stdout.startswith("0 removed")
    first, cancelled = "20260101-101010-abcd2345", "20260101-101011-efgh2345"
    told = json.loads(call("prune", "--older-than", "0", "--dry-run", "--json").stdout)
    assert (told["removed"], told["dry_run"], told["bytes"] > 0) == ([first], True, True)
    assert json.loads(call("prune", "--keep", "2", "--json").stdout)["removed"] == []
    assert json.loads(call("prune", "--older-than", "0", "--json").stdout)["removed"] == [first]
    assert [run.id for run in asyncio.run(runs.latest())] == [cancelled]  # which can still go on
    assert call("prune", "--keep", "-1").exit_code == 2
    assert "--older-than" in call("prune", "--help").stdout
