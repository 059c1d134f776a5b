"""`scholarmind tree`: look at the summaries, build them, and have a model write them, whatever becomes of it."""

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
PASSAGE = re.compile(r"<passage (\w+) (P\d+)>[^\n]*\n(.*?)\n</passage \1>", re.DOTALL)
SUBJECTS = {
    "bee": "Bees dance to show the others where flowers are. A hive of bees stores honey for the winter.",
    "whale": "Whales sing songs that travel through the ocean. A whale breathes air at the surface of the sea.",
    "owl": "Owls hunt mice at night in silence. The feathers of an owl make no sound in flight.",
}


def well(call: Call) -> Any:
    """Write the last sentence of each of the first passages that are shown."""
    if not call.chat:
        return None
    shown = [*PASSAGE.finditer(call.text)][:3]
    return {"sentences": [{"text": match[3].split(". ")[-1], "passages": [match[2]]} for match in shown]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A model that summarises well, in the settings."""
    with ScriptedServer(answer=well) as opened:
        monkeypatch.setenv("SCHOLARMIND_LLM_BASE_URL", opened.base_url)
        monkeypatch.setenv("SCHOLARMIND_LLM_MODEL", "scripted")
        yield opened


@pytest.fixture
def many(run: Run, tmp_path: Path) -> Run:
    """Run commands on thirty notes on three subjects."""
    lines = [
        {"id": f"{name}{number}", "text": f"{text} Observation {number} of the {name} was made in {1980 + number}."}
        for number in range(10)
        for name, text in SUBJECTS.items()
    ]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert run("add", tmp_path / "notes.jsonl").exit_code == 0
    return run


def record(run: Run, *arguments: str | Path) -> Any:
    """Return what a command prints for programs."""
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def flat(outlines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all nodes of an outline."""
    return [node for outline in outlines for node in (outline, *flat(outline["below"]))]


def nodes(run: Run) -> list[dict[str, Any]]:
    """Return all summaries of the library."""
    return flat(record(run, "tree", "show", "--depth", "9"))


def chats(server: ScriptedServer) -> int:
    """Return how often the model was asked."""
    return sum(call.chat for call in server.requests)


# -- without a model


def test_the_outline_says_where_each_sentence_stands(filled: Run) -> None:
    (line, *sentences) = filled("tree", "show").stdout.splitlines()
    assert re.fullmatch(r"\d+  .+  \[level 1; 2 passages of 2 documents, 2018-2019\]", line)
    assert "    BERT hides words and attends to both sides. (BERT)" in sentences
    (node,) = record(filled, "tree", "show")
    assert (node["level"], node["by"], node["passages"], node["years"], node["below"]) == (
        1,
        "extractive",
        2,
        [2018, 2019],
        [],
    )
    told = {place["document"]: place for sentence in node["summary"] for place in sentence["passages"]}
    assert told["bert"] == {"document": "bert", "title": "BERT", "position": 0, "page": None}
    assert record(filled, "tree", "show", str(node["number"])) == [node]


def test_a_summary_that_there_is_not(filled: Run) -> None:
    result = filled("tree", "show", "4711")
    assert (result.exit_code, "there is no summary 4711" in result.stderr) == (1, True)


def test_a_collection_that_there_is_not(filled: Run) -> None:
    result = filled("tree", "show", "--collection", "nope")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no collection 'nope'; there are: default" in result.stderr
    assert filled("tree", "show", "--collection", "default").stdout == filled("tree", "show").stdout


def test_of_a_library_that_was_emptied_it_says_so(filled: Run) -> None:
    assert filled("remove", "bert", "gpt").exit_code == 0
    nothing = "there are no passages here; fill the library with: scholarmind add FILES\n"
    assert [filled("tree", command).stdout for command in ("show", "status", "build")] == [nothing] * 3


def test_a_library_without_a_tree_gets_one(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_TREE", "false")
    run("add", notes)
    assert run("tree", "show").stdout == "no summaries yet; make them with: scholarmind tree build\n"
    assert "2 still to find their place" in run("tree", "status").stdout
    expected = "summaries  1 (1 at level 1)\npassages   2\nby a model 0 of 1\n"
    assert run("tree", "build").stdout == expected
    assert run("tree", "status").stdout == expected


def test_building_anew_makes_the_same_tree(many: Run) -> None:
    before = nodes(many)
    assert many("tree", "build", "--again").exit_code == 0
    after = nodes(many)
    assert [node["number"] for node in after] != [node["number"] for node in before]
    assert [node["summary"] for node in after] == [node["summary"] for node in before]


# -- with a model


def test_nobody_is_asked_without_a_word(many: Run, server: ScriptedServer) -> None:
    assert many("tree", "build", "--again").exit_code == 0
    assert chats(server) == 0
    assert many("tree", "build", "--max-calls", "3").exit_code == 2


def test_what_it_would_come_to_is_told_before_and_asked(many: Run, server: ScriptedServer) -> None:
    total = len(nodes(many))
    result = many("tree", "build", "--llm", typed="n\n")
    assert (result.exit_code, chats(server)) == (1, 0)
    told = (
        rf"{total} summaries for the model; at most about {total} calls, [\d,]+ tokens, price unknown, \d+ (?:s|min)\n"
    )
    assert re.match(told, result.stderr)
    found = record(many, "tree", "build", "--llm")
    assert (found["outlook"]["things"], found["worked"], chats(server)) == (total, None, 0)
    result = many("tree", "build", "--llm", f"{server.base_url}#scripted", typed="y\n")
    assert result.stdout.startswith(f"{total} summaries by the model, {total} calls, ")
    assert {node["by"] for node in nodes(many)} == {"model"}
    assert many("tree", "build", "--llm", "--yes").stdout == (
        "the model has done all of its work: no summaries are left for it\n"
    )
    assert f"{total} by a language model" in many("status").stdout


def test_at_a_limit_it_stops_and_the_same_command_goes_on(many: Run, server: ScriptedServer) -> None:
    total = len(nodes(many))
    result = many("tree", "build", "--llm", "--yes", "--max-calls", "2")
    assert result.exit_code == 0
    left = rf"stopped: max_calls = 2 is reached; [^\n]*; {total - 2} (?:summary|summaries) left; the same command goes on\n"
    assert re.search(left, result.stdout)
    assert record(many, "tree", "build", "--llm", "--yes")["worked"]["done"] == total - 2
    assert chats(server) == total


@pytest.mark.parametrize(
    "fault",
    [
        Fault("garbage", matching="Owls hunt"),
        Fault("server_error", matching="Owls hunt"),
        Fault("rate_limit", matching="Owls hunt"),
        Fault("hang", matching="Owls hunt"),
        Fault("wrong_schema", matching="Owls hunt"),
        Fault("empty", matching="Owls hunt"),
        Fault("cut_stream", matching="Owls hunt"),
    ],
    ids=lambda fault: fault.kind,
)
def test_a_model_that_fails_in_the_middle_leaves_those_summaries_as_they_were(
    many: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setenv("SCHOLARMIND_LLM_READ_SECONDS", "0.3")
    monkeypatch.setenv("SCHOLARMIND_LLM_CALL_SECONDS", "1.0")
    before = {node["number"]: node for node in nodes(many)}
    server.play(fault)
    worked = record(many, "tree", "build", "--llm", "--yes")["worked"]
    after = nodes(many)
    kept = [node for node in after if node["by"] != "model"]
    assert (worked["done"], worked["kept"], worked["left"]) == (len(after) - len(kept), len(kept), 0)
    assert 0 < len(kept) < len(after)
    for node in kept:
        assert node["summary"] == before[node["number"]]["summary"]
        assert [note[:31] for note in node["notes"]] == ["no summary came from the model:"]
    assert f"{len(kept)} stayed extractive: no summary came from the model" in many("tree", "status").stdout
    server.play()
    assert record(many, "tree", "build", "--llm", "--yes")["worked"]["done"] == len(kept)


def test_what_was_paid_for_is_not_paid_again_after_a_kill(
    many: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLARMIND_LLM_CONCURRENCY", "1")
    total = len(nodes(many))
    server.answer = lambda call: well(call) if chats(server) < total - 1 else Fault("hang")
    command = [Path(sys.executable).with_name("scholarmind"), "tree", "build", "--llm", "--yes"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ) as process:
        while chats(server) < total - 1 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    server.answer = well
    assert sum(node["by"] == "model" for node in nodes(many)) == total - 2
    assert record(many, "tree", "build", "--llm", "--yes")["worked"]["done"] == 2
    assert {node["by"] for node in nodes(many)} == {"model"}
    assert chats(server) == total + 1  # the call that was under way is asked again
