"""Conversations in the file of the runs: what was said is there, once a run, and goes with its run."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scholarmind.adapters.runs import Runs
from scholarmind.ports import Turn

pytestmark = pytest.mark.anyio
FIRST = Turn(
    question="Who proposed BERT?",
    asked="Who proposed BERT?",
    answer="Jacob Devlin",
    entities=("BERT", "Jacob Devlin"),
    aspects=("proposed",),
)
SECOND = Turn(question="RoBERTa是谁提出的？", asked="RoBERTa呢？", entities=("RoBERTa",))


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """An empty file."""
    with Runs(tmp_path / "runs.db") as opened:
        yield opened


def change(path: Path, sql: str) -> None:
    """Change the file as anybody may."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql)
    connection.close()


async def test_turns_come_back_as_they_were_in_their_order(runs: Runs) -> None:
    await runs.conversations.add_turn("models", "r1", FIRST)
    await runs.conversations.add_turn("models", "r2", SECOND)
    await runs.conversations.add_turn("others", "r3", replace(FIRST, asked="And here?"))

    assert await runs.conversations.turns("models") == [FIRST, SECOND]
    with Runs(runs.path) as again:
        assert await again.conversations.turns("models") == [FIRST, SECOND]


async def test_a_run_that_is_resumed_has_one_turn_in_its_old_place(runs: Runs) -> None:
    await runs.conversations.add_turn("models", "r1", FIRST)
    await runs.conversations.add_turn("models", "r2", SECOND)
    better = replace(FIRST, answer="Jacob Devlin, Ming-Wei Chang, Kenton Lee and Kristina Toutanova")
    await runs.conversations.add_turn("models", "r1", better)

    assert await runs.conversations.turns("models") == [better, SECOND]


async def test_a_run_that_is_resumed_sees_the_turns_before_its_own(runs: Runs) -> None:
    for run, turn in (("r1", FIRST), ("r2", SECOND), ("r3", FIRST)):
        await runs.conversations.add_turn("models", run, turn)

    assert await runs.conversations.turns("models", before="r2") == [FIRST]
    assert await runs.conversations.turns("models", before="r1") == []
    assert await runs.conversations.turns("models", before="new") == [FIRST, SECOND, FIRST]


async def test_all_conversations_the_last_spoken_in_first(runs: Runs) -> None:
    before = datetime.now(UTC).timestamp()
    for run, (name, turn) in enumerate([("models", FIRST), ("others", FIRST), ("models", SECOND)]):
        await runs.conversations.add_turn(name, f"r{run}", turn)

    found = await runs.conversations.all()
    assert [(each.name, each.turns, each.last) for each in found] == [
        ("models", 2, "RoBERTa呢？"),
        ("others", 1, "Who proposed BERT?"),
    ]
    assert found[0].when >= found[1].when >= before


async def test_a_name_that_is_new_has_no_turns_and_makes_no_file(runs: Runs) -> None:
    assert await runs.conversations.turns("new") == []
    assert await runs.conversations.all() == []
    assert not runs.path.exists()


async def test_a_file_from_before_there_were_conversations(runs: Runs) -> None:
    await runs.begin("r1", "Q?")
    assert await runs.conversations.turns("models") == []
    assert (await runs.prune(older_than=1)).runs == ()
    await runs.conversations.add_turn("models", "r1", FIRST)

    assert await runs.conversations.turns("models") == [FIRST]
    assert runs.problem("r1") == ""


async def test_a_file_that_can_only_be_read_still_tells(tmp_path: Path) -> None:
    with Runs(tmp_path / "runs.db") as runs:
        await runs.conversations.add_turn("models", "r1", FIRST)
    (tmp_path / "runs.db").chmod(0o400)
    with Runs(tmp_path / "runs.db") as runs:
        assert await runs.conversations.turns("models") == [FIRST]


async def test_what_cannot_be_written_is_told_and_harms_nobody(tmp_path: Path) -> None:
    with Runs(tmp_path / "none" / "runs.db") as runs:
        await runs.conversations.add_turn("models", "r1", FIRST)

        assert "unable to open database file" in runs.problem("r1")
        assert await runs.conversations.turns("models") == []


async def test_turns_go_with_their_runs(runs: Runs) -> None:
    for run, turn in (("old", FIRST), ("new", SECOND)):
        await runs.begin(run, turn.asked)
        await runs.conversations.add_turn("models", run, turn)
        await runs.finish(run, "done")
    change(runs.path, "UPDATE runs SET started = started - 86400 WHERE id = 'old'")

    assert (await runs.prune(older_than=1 / 24)).runs == ("old",)
    assert await runs.conversations.turns("models") == [SECOND]


async def test_what_a_later_version_notes_beside_is_left_out(runs: Runs) -> None:
    await runs.conversations.add_turn("models", "r1", FIRST)
    change(runs.path, "UPDATE turns SET record = json_set(record, '$.mood', 'curious')")

    assert await runs.conversations.turns("models") == [FIRST]
