"""A LangGraph graph over a library that is killed at any moment goes on in another process: each answer is its own question's."""

import json
import os
import random
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from robustly import launch, tell

from scholarmind import Library, Settings
from scholarmind.testing import Call, ScriptedServer

pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph is not installed; `make guests` tests with it")

pytestmark = pytest.mark.enable_socket

_KILLS = 20
_TEXTS = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019.",
    "Google": "Google was founded by Larry Page and Sergey Brin in September 1998.",
    "OpenAI": "OpenAI was founded by Sam Altman and others in December 2015.",
}
_QUESTION = "Who founded the companies at which BERT and GPT-2 were proposed, and when?"
_ANSWERS = {
    "At which company was BERT proposed?": "Google",
    "At which company was GPT-2 proposed?": "OpenAI",
    "Who founded Google?": "Larry Page",
    "Who founded OpenAI?": "Sam Altman",
    "When did Larry Page found it?": "1998",
}
_PLAN = [
    {"id": 1, "question": "At which company was BERT proposed?"},
    {"id": 2, "question": "At which company was GPT-2 proposed?"},
    {"id": 3, "question": "Who founded #1?", "depends_on": [1]},
    {"id": 4, "question": "Who founded #2?", "depends_on": [2]},
    {"id": 5, "question": "When did #3 found it?", "depends_on": [3]},
]
_PURPOSES = {
    "You plan how": "plan",
    **{f"{re.escape(question)}\n</question": f"part {number}" for number, question in enumerate(_ANSWERS, 1)},
    "You find the words of a source": "check",
    "^You answer a question": "answer",
}
_PARTS = [f"part {number}" for number in range(1, 6)]
_BEFORE = {  # by call: those that must have been answered before it is made
    "part 1": ["plan"],
    "part 2": ["plan"],
    "part 3": ["part 1"],
    "part 4": ["part 2"],
    "part 5": ["part 3"],
    "answer": _PARTS,
}
# The slow imports are done once; each `go` is carried out by a child of its own
_PROGRAM = """
import json, os, sqlite3, sys
from pathlib import Path
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from scholarmind import Library, Settings
from scholarmind.langgraph import build_decomposition_graph
import h11, httpcore2, tantivy
import scholarmind.adapters.store, scholarmind.adapters.openai.structured, scholarmind.adapters.runs
import scholarmind.engine, scholarmind.library.relating

folder, server, question = Path(sys.argv[1]), *sys.argv[2:4]

def graph_of(thread):
    settings = Settings(
        library=folder / "library", embedder="none", llm_base_url=server, llm_model="m", effort="deep", cache="none"
    )
    with Library(settings) as library:
        connection = sqlite3.connect(folder / "checkpoints.db", check_same_thread=False)
        saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        graph = build_decomposition_graph(library, checkpointer=saver)
        config = {"configurable": {"thread_id": thread}}
        kept = graph.get_state(config)
        if not kept.values.get("complete"):  # it may have been killed when all was done
            graph.invoke(None if kept.next else {"original_query": question}, config)
        state = graph.get_state(config).values
        (folder / f"{thread}.json").write_text(json.dumps(state))

for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            graph_of(line.strip())
        finally:
            sys.stderr.flush()
            os._exit(int(sys.exception() is not None))
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def _said(call: Call) -> Any:
    if call.purpose == "plan":
        return {"complexity": "composite", "needs_retrieval": True, "reason": "five things", "parts": _PLAN}
    if call.purpose.startswith("part"):
        answer = list(_ANSWERS.values())[int(call.purpose[-1]) - 1]
        return {"answer": answer, "passages": ["P1"], "nothing_found": False}
    if call.purpose == "check":
        return {"checks": []}
    return "BERT was proposed at Google [P1].\n\n=== PARTS ===\n" + "\n".join(
        f"{number}: answered" for number in range(1, 6)
    )


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer=_said, purposes=_PURPOSES, latency=0.04) as served:
        yield served


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in _TEXTS.items():
        (notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        library.add(notes)
    return tmp_path


def _journalled(folder: Path, number: int) -> set[str]:
    """Return the calls whose replies are in the journal of this run, in the order in which they began."""
    path = folder / "library" / "runs.db"
    if not path.exists():
        return set()
    connection = sqlite3.connect(path)
    try:
        steps = connection.execute(
            "SELECT step FROM journal WHERE run = (SELECT id FROM runs ORDER BY started LIMIT 1 OFFSET ?)",
            (number - 1,),
        ).fetchall()
    except sqlite3.OperationalError:  # killed before there was a table
        return set()
    finally:
        connection.close()
    return {step for (step,) in steps}


def _wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def _is_over(process: int) -> bool:
    """Tell whether a child of a child of ours has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_killed_twenty_times_at_any_moment(folder: Path, server: ScriptedServer) -> None:
    """What is in the journal is never asked again, whatever of the checkpoint was written; every thread comes to its end."""
    seeded, kills, number = random.Random(5), 0, 0
    program = launch([sys.executable, "-c", _PROGRAM, folder, server.base_url, _QUESTION])
    while kills < _KILLS or number == 0:
        number += 1
        thread = f"thread {number}"
        server.clear()
        while True:
            kept, before = _journalled(folder, number), len(server.log)
            tell(program, thread)
            child = int(program.stdout.readline())
            if kills < _KILLS:
                calls = before + seeded.randint(0, 2)
                _wait_until(lambda child=child, calls=calls: len(server.log) >= calls or _is_over(child))
                time.sleep(seeded.uniform(0, 0.15))
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            status = int(program.stdout.readline())
            assert status in (0, 9), program.stderr.read()
            kills += status == 9
            asked = [call.purpose for call in server.log[before:]]
            assert set(asked).isdisjoint(kept)
            assert len(asked) == len(set(asked))
            if status == 0:
                break
            answered = {earlier for call in server.log for earlier in _BEFORE.get(call.purpose, ())}
            assert answered <= _journalled(folder, number)
        state = json.loads((folder / f"{thread}.json").read_text())
        results = {result["id"]: result for result in state["sub_results"]}
        assert len(state["sub_results"]) == len(results) == 5
        assert [results[part]["question"] for part in range(1, 6)] == list(_ANSWERS)
        assert state["complete"]
        assert {call.purpose for call in server.log} >= {"plan", "answer", *_PARTS}
    program.stdin.close()
    assert program.wait() == 0
    assert kills == _KILLS
