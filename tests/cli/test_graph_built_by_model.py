"""`scholarmind graph build --llm` over a server that behaves badly: nothing is lost, all is told, and the same command goes on."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.testing import Call, Fault, ScriptedServer

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
Run = Callable[..., Result]
BETTER = {"ant": "Antine", "bee": "Beeline", "cat": "Catine", "dog": "Dogine"}
_SHOWN = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)
_SAID = re.compile(r"(\w+) leaves (\w+) behind")


def reading(call: Call) -> Any:
    """Say what is better than what."""
    said = [(shown["key"], found) for shown in _SHOWN.finditer(call.text) for found in _SAID.finditer(shown["text"])]
    return {
        "statements": [
            {"relation": "IMPROVES_ON", "source": found[1], "target": found[2], "passage": key, "quote": found[0]}
            for key, found in said
        ]
    }


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A model that reads, of which nobody waits long for anything."""
    monkeypatch.setenv("SCHOLARMIND_LLM_READ_SECONDS", "5")
    monkeypatch.setenv("SCHOLARMIND_LLM_CALL_SECONDS", "20")
    with ScriptedServer(answer=reading) as opened:
        monkeypatch.setenv("SCHOLARMIND_LLM_BASE_URL", opened.base_url)
        yield opened


@pytest.fixture
def animals(run: Run, tmp_path: Path) -> Run:
    """Run commands of the group on four notes, each with something that only a model understands."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for id, name in BETTER.items():
        text = f"---\nid: {id}\ntitle: A note on {name}\nauthors: [Ada]\n---\nBy far, {name} leaves Weaseline behind.\n"
        (folder / f"{id}.md").write_text(text)
    assert run("add", folder).exit_code == 0
    return lambda *arguments: run("graph", *arguments)


def chats(server: ScriptedServer) -> int:
    """Return how often the model was asked."""
    return sum(call.chat for call in server.requests)


def better(animals: Run) -> set[str]:
    """Return what is known to be better than Weaseline."""
    result = animals("show", "Weaseline", "--relation", "improves_on", "--json")
    found: Any = json.loads(result.stdout) if result.exit_code == 0 else {"edges": [], "nodes": []}
    names = {node["number"]: node["name"] for node in found["nodes"]}
    return {names[edge["source"]] for edge in found["edges"]}


def without_edges_of_models(animals: Run) -> dict[str, int]:
    """Return how many edges the graph has of each kind that no model adds."""
    return {kind: count for kind, count in counts(animals)["edges"].items() if kind != "IMPROVES_ON"}


def counts(animals: Run) -> Any:
    """Return how much there is."""
    return json.loads(animals("status", "--json").stdout)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault("garbage", matching="Catine"), "not JSON"),
        (Fault("wrong_schema", matching="Catine"), "statements"),
        (Fault("empty", matching="Catine"), "replied"),
        (Fault("server_error", matching="Catine"), "500"),
        (Fault("rate_limit", matching="Catine", seconds=30), "429"),
        (Fault("hang", matching="Catine"), "127.0.0.1"),
        (Fault("cut_stream", matching="Catine"), "127.0.0.1"),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else "",
)
def test_what_goes_wrong_with_one_document_is_told_and_done_the_next_time(
    animals: Run, server: ScriptedServer, fault: Fault, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault.kind == "hang":
        monkeypatch.setenv("SCHOLARMIND_LLM_READ_SECONDS", "2")
    before = without_edges_of_models(animals)
    server.play(fault)
    result = animals("build", "--llm", "--yes")
    told = result.stdout.splitlines()
    assert (result.exit_code, told[0][:43]) == (0, "3 documents by the model, 1 stays as it was")
    (note,) = [line for line in told if line.startswith("note: ")]
    assert note.startswith("note: cat: passage 1 could not be read by the model, rules alone did: ")
    assert why in note
    assert better(animals) == {"Antine", "Beeline", "Dogine"}
    assert (without_edges_of_models(animals), counts(animals)["waiting"]) == (before, 0)
    server.play()
    server.requests.clear()
    assert animals("build", "--llm", "--yes").stdout.startswith("1 document by the model, 1 call, ")
    assert (better(animals), chats(server)) == (set(BETTER.values()), 1)


def test_a_moment_of_too_many_requests_is_waited_out(animals: Run, server: ScriptedServer) -> None:
    server.play(Fault("rate_limit", times=2, seconds=0.01), Fault("server_error", times=1))
    assert animals("build", "--llm", "--yes").stdout.startswith("4 documents by the model, ")
    assert better(animals) == set(BETTER.values())


def test_nobody_waits_for_a_server_that_is_gone(run: Run, animals: Run, server: ScriptedServer, tmp_path: Path) -> None:
    for number in range(20):
        note = f"# More {number}\nBy far, More{number}x leaves Others behind."
        (tmp_path / "notes" / f"more{number}.md").write_text(note)
    run("add", tmp_path / "notes")
    before = counts(animals)
    server.play(Fault("server_error"))
    result = animals("build", "--llm", "--yes")
    assert (result.exit_code, counts(animals)) == (0, before)
    stopped = re.search(
        r"^stopped: (\d+) calls in a row were not answered: .*; (\d+) documents left", result.stdout, re.MULTILINE
    )
    assert stopped is not None
    assert (int(stopped[1]) >= 8, 0 < int(stopped[2]) <= 16) == (True, True)
    server.play()
    assert animals("build", "--llm", "--yes").stdout.startswith("24 documents by the model, ")


def test_ctrl_c_keeps_what_was_read(animals: Run, server: ScriptedServer) -> None:
    """One document hangs while the others are stored; what was paid for stays, and the same command asks for the one that is left."""
    server.play(Fault("hang", matching="Catine"))
    environment = {**os.environ, "SCHOLARMIND_LLM_READ_SECONDS": "600", "SCHOLARMIND_LLM_CALL_SECONDS": "600"}
    command = [Path(sys.executable).with_name("scholarmind"), "graph", "build", "--llm", "--yes"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while better(animals) != {"Antine", "Beeline", "Dogine"} and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, better(animals)) == (130, {"Antine", "Beeline", "Dogine"})
    assert errors.strip().endswith("everything reported as done is stored, and the same command goes on from there")
    server.play()
    server.requests.clear()
    assert animals("build", "--llm", "--yes").stdout.startswith("1 document by the model, 1 call, ")
    assert (better(animals), chats(server)) == (set(BETTER.values()), 1)
