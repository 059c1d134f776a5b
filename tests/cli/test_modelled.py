"""Work that a model does on a whole library, by the example of the graph: told before, asked, bounded, checked."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.testing import Call, ScriptedServer

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
Run = Callable[..., Result]
BETTER = {
    "relation": "IMPROVES_ON",
    "source": "Otterine",
    "target": "Badgerine",
    "passage": "P1",
    "quote": "Otterine leaves Badgerine behind",
}


def reading(call: Call) -> Any:
    """Say what is better, once as it is written and once as it is not."""
    return {"statements": [BETTER, {**BETTER, "target": "Unicorn"}]} if call.chat else None


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model that reads."""
    with ScriptedServer(answer=reading) as opened:
        yield opened


@pytest.fixture
def otters(run: Run, tmp_path: Path) -> Run:
    """Run commands on one note."""
    (tmp_path / "otter.md").write_text("# Otters\nIn all that we measured, Otterine leaves Badgerine behind by far.")
    assert run("add", tmp_path / "otter.md").exit_code == 0
    return run


def shown(run: Run) -> str:
    """Return what is known of a name."""
    return run("graph", "show", "Badgerine").stdout


def test_a_model_is_asked_after_a_yes_and_told_of(otters: Run, server: ScriptedServer) -> None:
    llm = f"{server.base_url}#scripted"
    result = otters("graph", "build", "--llm", llm, typed="n\n")
    assert (result.exit_code, len(server.requests)) == (1, 0)
    told = r"1 document for the model; at most about 1 call, [\d,]+ tokens, price unknown, \d+ s\n"
    assert re.match(told, result.stderr)
    result = otters("graph", "build", "--llm", llm, "--yes")
    assert (result.exit_code, len(server.requests)) == (0, 1)
    assert re.fullmatch(
        r"1 document by the model, 1 call, [\d,]+ tokens, price unknown\n"
        r"note: 1 left out that the model said: a name that is not in the passage\n",
        result.stdout,
    )
    assert "Otterine" in shown(otters)
    assert otters("graph", "build", "--llm", llm).stdout == (
        "the model has done all of its work: no documents are left for it\n"
    )


def test_without_a_model_nothing_is_asked(otters: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_LLM_BASE_URL", server.base_url)
    for command in (["build"], ["build", "--again"], ["build", "--llm", "none"]):
        assert otters("graph", *command).exit_code == 0
    assert len(server.requests) == 0


def test_as_json_only_yes_spends(otters: Run, server: ScriptedServer) -> None:
    llm = f"{server.base_url}#scripted"
    found = json.loads(otters("graph", "build", "--llm", llm, "--json").stdout)
    assert (found["outlook"]["things"], found["worked"], len(server.requests)) == (1, None, 0)
    found = json.loads(otters("graph", "build", "--llm", llm, "--json", "--yes").stdout)
    assert (found["worked"]["done"], found["worked"]["left"], len(server.requests)) == (1, 0, 1)


def test_a_limit_of_money_needs_a_price(otters: Run, server: ScriptedServer, tmp_path: Path) -> None:
    limited = ["graph", "build", "--llm", f"{server.base_url}#scripted", "--yes", "--max-cost", "0.5"]
    result = otters(*limited)
    assert "stopped: max_cost = 0.5 cannot be kept: the price of 'scripted' is unknown" in result.stdout
    assert len(server.requests) == 0


def test_without_a_server_it_says_what_to_set(otters: Run) -> None:
    result = otters("graph", "build", "--llm", "--yes")
    assert (result.exit_code, "no language model is set" in result.stderr) == (1, True)


def test_limits_are_for_a_model(otters: Run) -> None:
    result = otters("graph", "build", "--yes")
    assert (result.exit_code, "are for --llm" in result.stderr) == (2, True)
