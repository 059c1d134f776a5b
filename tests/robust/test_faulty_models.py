"""However a language model or its server fails or lies, every question ends in an answer that claims nothing of what is not in the library.

A sample of what `bench/faults.py` asks, which also counts time and memory.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faults import EFFORTS, FAULTS, Outcome, demo_library, resources, tried
from faulty_cases import LIES, Case, cases
from faulty_servers import Trial, free_port
from scholarmind import Library
from scholarmind.testing import Fault, ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

_SLOW = {"rate_limit", "server_error", "html_error", "hang", "garbage", "slow_drip", "cut_stream"}  # with their tries
_PLANTED = Case(question="What are the limits of BERT?", parts=(("What are the limits of BERT?", ()),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with demo_library(tmp_path_factory.mktemp("faults"), embedder="none") as made:
        yield made


async def _asked(folder: Path, name: str, some: list[Case], seconds: float = 30.0, **trial: Any) -> list[Outcome]:
    """Ask the same questions at all efforts; whatever is wrong with an answer fails the test."""
    trials = [Trial(name=name, effort=effort, cases=some, **trial) for effort in EFFORTS]
    settings = {"embedder": "none", "run_seconds": seconds}
    told = await asyncio.gather(*(tried(folder, one, **settings) for one in trials))
    outcomes = [outcome for each in told for outcome in each]
    wrong = [(one.trial.effort, one.case.question, one.error, one.problems) for one in outcomes]
    assert [one for one in wrong if one[2] or set(one[3]) - {"late"}] == []  # what is late, the bench tells
    return outcomes


def _notes(outcomes: list[Outcome]) -> list[str]:
    return [note for one in outcomes for note in one.answer.fallbacks]


def _wait_until(reached: Callable[[], object]) -> None:
    while not reached():
        time.sleep(0.005)


@pytest.mark.parametrize("place", range(len(FAULTS)), ids=[fault.kind for fault in FAULTS])
async def test_a_fault_at_every_call(folder: Path, place: int) -> None:
    fault = FAULTS[place]
    some = cases(26, seed=place)[place % 12 :: 12]
    await _asked(folder, fault.kind, some, 2.0 if fault.kind in _SLOW else 30.0, faults=[fault])


async def test_all_faults_at_some_calls(folder: Path) -> None:
    outcomes = await _asked(folder, "all at 30 %", cases(13, seed=99)[::2], 4.0, faults=FAULTS, rate=0.3)
    assert any(one.answer.written_by for one in outcomes)


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie(folder: Path, lie: str) -> None:
    await _asked(folder, lie, [_PLANTED, *cases(13, seed=5)[6::3]], lie=lie)


async def test_what_the_library_does_not_hold_is_told_beside_what_a_model_makes_up(folder: Path) -> None:
    """The model says `answered` of all rows, with confident sentences; and the rows that can be answered are."""
    outcomes = await _asked(folder, "lies", cases(13, seed=11))
    rows = [(one.case.is_withheld(row.text), row.status) for one in outcomes for row in one.answer.review.rows]
    assert (True, "not in the library") in rows
    assert (False, "answered") in rows
    written = [one.answer for one in outcomes if not one.case.withheld]
    why_not = re.compile("was counted|in another language")  # the model repeats what it is shown, whatever its language
    assert all(answer.written_by or why_not.search(" ".join(answer.fallbacks)) for answer in written)
    assert any(answer.written_by for answer in written)


async def test_no_server(folder: Path) -> None:
    some = cases(13, seed=5)[6::3]  # not all of it is counted by code
    outcomes = await _asked(folder, "refused", some, address=f"http://127.0.0.1:{free_port()}/v1")
    assert all("and that the server runs" in " ".join(one.answer.fallbacks) for one in outcomes)
    assert not any(one.answer.written_by for one in outcomes)


async def test_a_page_in_place_of_a_model(folder: Path) -> None:
    outcomes = await _asked(folder, "proxy page", cases(1), address="proxy page")
    assert "a web page 'Please log in'" in " ".join(_notes(outcomes))


async def test_a_wrong_key(folder: Path) -> None:
    """One line names the setting, and the key itself is told to nobody."""
    key = "sk-this-is-not-the-key"
    outcomes = await _asked(folder, "wrong key", cases(3), key=key)
    for one in outcomes:
        (told,) = [note for note in one.answer.fallbacks if note.startswith("the answer is quoted, not written")]
        assert told.endswith("check SCHOLARMIND_LLM_API_KEY")
        assert key not in repr(one.answer)


async def test_a_server_that_dies_within_the_run(folder: Path) -> None:
    outcomes = await _asked(folder, "dies", cases(2), 6.0, dies_after=1)
    assert any(note for note in _notes(outcomes) if "broke" in note or "did not answer" in note or "closed" in note)


async def test_nothing_is_left_behind(folder: Path) -> None:
    """No task, and when the library is closed no file and no socket."""
    await _asked(folder, "before", cases(1), 2.0, faults=FAULTS[:1])
    tasks, before = asyncio.all_tasks(), resources()["files"]
    await _asked(folder, "all at 60 %", cases(10, seed=3), 3.0, faults=FAULTS, rate=0.6)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == tasks
    assert resources()["files"] <= before


async def test_a_question_that_is_given_up_closes_its_connection(folder: Path) -> None:
    with ScriptedServer(faults=[Fault("hang")]) as server:
        settings: dict[str, Any] = {"llm": f"{server.base_url}#m", "embedder": "none", "cache": "none"}
        with Library.open(folder, create=False, **settings) as library:
            asking = asyncio.create_task(library.ask.aio("How does Performer approximate softmax attention?"))
            await asyncio.to_thread(_wait_until, lambda: server.log)
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
            await asyncio.to_thread(_wait_until, lambda: server.log[0].end)
        assert [call.gone for call in server.log] == [True]
