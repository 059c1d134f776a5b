"""The command line with a language model: what is asked of it, what is shown, what it may cost, and what stands behind it."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.testing import Fault, ScriptedServer

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
Run = Callable[..., Result]
TWO = "Which words does BERT hide, and to which of its sides does GPT attend?"
BRIDGE = "To which side does the model that hides words attend?"
HIDES = "BERT hides words and attends to both sides [Devlin & Chang, 2019]."
LEFT = "GPT attends to the left side only [GPT]."
NUMBERS = re.compile(r"\d[\d,]*(?:\.\d+)?")


def chats(model: ScriptedServer) -> int:
    """Return how often the model was asked."""
    return sum(call.chat for call in model.requests)


def asked(model: ScriptedServer, words: str) -> str:
    """Return what the model was told in the last call that holds these words."""
    return next(call.text for call in reversed(model.requests) if words in call.text)


def record(run: Run, *arguments: str | Path) -> Any:
    """Return what a command prints for programs."""
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def without_numbers(text: str) -> str:
    """Return a text in which every number is N: tokens and seconds are another matter."""
    return NUMBERS.sub("N", text)


# -- answers


def test_an_answer_that_a_model_wrote(asking: Run, model: ScriptedServer) -> None:
    result = asking("ask", TWO)
    assert (result.exit_code, result.stderr, chats(model)) == (0, "", 2)
    assert result.stdout.startswith(f"# {TWO}\n\n{HIDES} {LEFT}\n\n**complete · 2 of 2 parts answered**\n")
    note = result.stdout.partition("\n## Notes\n\n")[2]
    assert re.fullmatch(
        r"- written by a language model: 2 calls to scripted, [\d,]+ tokens, price unknown, [\d.]+ s\n", note
    )


@pytest.mark.parametrize(
    ("effort", "purposes", "at_most"),
    [
        ("keyless", [], None),
        ("fast", ["answer"], 1),
        ("standard", ["plan", "answer"], 3),
        (
            "deep",
            ["plan", "part 1", "part 2", "answer"],
            5,
        ),  # all is confirmed, so there is nothing to check
    ],
)
def test_efforts(asking: Run, model: ScriptedServer, effort: str, purposes: list[str], at_most: int | None) -> None:
    found = record(asking, "ask", TWO, "--effort", effort)
    assert sorted(call["purpose"] for call in found["calls"]) == sorted(purposes)
    assert (chats(model), found["spent"]["llm_calls"]) == (len(purposes), len(purposes))
    assert found["written_by"] == ("scripted" if purposes else "")
    assert (found["estimate"] and found["estimate"]["calls"]) == at_most
    assert found["verdict"] == "complete"


def test_a_model_that_is_named(filled: Run, model: ScriptedServer) -> None:
    assert record(filled, "ask", TWO, "--llm", f"{model.base_url}#scripted")["written_by"] == "scripted"


def test_nobody_is_asked_where_none_is_named(
    asking: Run, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLARMIND_EFFORT", "deep")
    assert record(asking, "ask", TWO, "--llm", "none")["calls"] == []
    assert chats(model) == 0


def test_form_and_length_reach_the_model(asking: Run, model: ScriptedServer) -> None:
    wanted = {
        ("--form", "bullets"): "Write bullet points",
        ("--form", "table"): "Write one Markdown table",
        ("--form", "report"): "Write a short report",
        ("--length", "short"): "Be brief",
        ("--length", "long"): "Be thorough",
    }
    for options, words in wanted.items():
        assert asking("ask", TWO, *options).exit_code == 0
        assert words in asked(model, "=== PARTS ===")


def test_a_sentence_that_is_not_confirmed_is_marked(asking: Run, model: ScriptedServer) -> None:
    rumour = "Librarians prefer BERT to every other model that they have met"
    model.answer = lambda _: (
        f"BERT hides words and attends to both sides [P1]. {rumour} [P1].\n\n=== PARTS ===\n1: answered\n2: answered"
    )
    result = asking("ask", TWO, "--effort", "fast")
    assert (
        f"{rumour} [Devlin & Chang, 2019].†\n\n† not confirmed: the passages that were read were not found to say this"
        in result.stdout
    )
    assert result.stdout.count("†") == 2
    assert [claim["status"] for claim in record(asking, "ask", TWO, "--effort", "fast")["claims"]] == [
        "verified",
        "unsupported",
    ]


def test_own_knowledge_is_marked_or_refused(asking: Run) -> None:
    told = asking("ask", "What is 6 times 7?").stdout
    assert "*From the model's own knowledge, not your library:*\n\n6 times 7 is 42.\n" in told
    refused = record(asking, "ask", "What is 6 times 7?", "--library-only")
    assert (refused["source"], "42" in refused["answer"], refused["verdict"]) == ("model", False, "not in the library")


def test_what_was_asked_before_is_not_paid_again_unless_wanted(asking: Run, model: ScriptedServer) -> None:
    asking("ask", TWO)
    told = asking("ask", TWO).stdout
    assert chats(model) == 2
    assert "- written by a language model: 0 calls to scripted, 0 tokens, 0.00 USD, 2 remembered, " in told
    asking("ask", TWO, "--no-cache")
    assert chats(model) == 4


# -- limits


@pytest.mark.parametrize(
    ("limits", "calls", "told"),
    [
        (["--max-calls", "1"], 1, "the plan was made by rules: max_calls = 1 is reached; there was no call for plan"),
        (["--max-tokens", "10"], 0, "the answer is quoted, not written: max_tokens = 10 is reached; there was no call for answer"),
        (["--max-cost", "0.01"], 0, "max_cost = 0.01 cannot be kept: the price of 'scripted' is unknown; add it to a file of prices"),
    ],
)  # fmt: skip
def test_limits(asking: Run, model: ScriptedServer, limits: list[str], calls: int, told: str) -> None:
    found = record(asking, "ask", TWO, *limits)
    assert (chats(model), found["spent"]["llm_calls"]) == (calls, calls)
    assert any(told in note for note in found["fallbacks"])
    assert "BERT hides words and attends to both sides" in found["answer"]


def test_a_model_that_hangs_ends_with_the_time(asking: Run, model: ScriptedServer) -> None:
    model.play(Fault("hang"))
    found = record(asking, "ask", TWO, "--max-seconds", "1.5")
    assert (found["written_by"], found["verdict"]) == ("", "complete")
    assert any(note.startswith("the answer is quoted, not written: ") for note in found["fallbacks"])


def test_money_by_ones_own_prices(asking: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('currency = "CNY"\n[models]\nscripted = { in = 1000, out = 1000 }\n')
    monkeypatch.setenv("SCHOLARMIND_LLM_PRICES", str(prices))
    found = record(asking, "ask", TWO)
    assert found["spent"]["cost"] == pytest.approx(found["spent"]["tokens"] / 1000)
    assert " 0.00 CNY, 2 remembered, " in asking("ask", TWO).stdout
    assert " CNY" in asking("plan", TWO).stdout


# -- conversations


def test_a_follow_up_and_what_it_became(asking: Run) -> None:
    asking("ask", "To which side does GPT attend?", "--conversation", "sides")
    told = asking("ask", "And BERT?", "--conversation", "sides").stdout
    became = "To which side does BERT attend?"
    assert told.startswith(f"# {became}\n\nunderstood as: {became} (asked: And BERT?)\n")
    listed = asking("conversations").stdout
    assert re.fullmatch(r"sides  \d{4}-\d\d-\d\d \d\d:\d\d    2 turns  And BERT\?\n", listed)
    shown = asking("conversations", "sides").stdout
    assert shown.startswith("1. To which side does GPT attend?\n   ")
    assert f"\n2. And BERT?\n   understood as: {became}\n   " in shown
    turns = record(asking, "conversations", "sides")
    assert [(turn["asked"], turn["question"]) for turn in turns] == [
        ("To which side does GPT attend?", "To which side does GPT attend?"),
        ("And BERT?", became),
    ]
    (one,) = record(asking, "conversations")
    assert (one["name"], one["turns"], one["last"]) == ("sides", 2, "And BERT?")


def test_a_follow_up_needs_no_model(filled: Run) -> None:
    filled("ask", "To which side does GPT attend?", "--conversation", "sides")
    assert (
        filled("plan", "And BERT?", "--conversation", "sides").stdout.splitlines()[1]
        == "  1. To which side does BERT attend? (factual)"
    )


def test_no_conversation(filled: Run) -> None:
    assert (
        filled("conversations").stdout
        == "no conversations yet; begin one with: scholarmind ask QUESTION --conversation NAME\n"
    )
    result = filled("conversations", "none")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr
        == "Error: there is no conversation 'none'; 'scholarmind conversations' lists those that there are\n"
    )


# -- plans


def test_a_plan_tells_what_it_costs(asking: Run, model: ScriptedServer) -> None:
    result = asking("plan", BRIDGE)
    assert (result.exit_code, result.stderr, chats(model)) == (0, "", 1)
    assert without_numbers(result.stdout).splitlines()[1:] == [
        "  N. Which model hides words? (factual)",
        "  N. To which side does #N attend? (factual, after N)",
        "to find out first: Which model hides words",
        "estimated: N calls, one after another, about N tokens, price unknown",
    ]
    estimate = record(asking, "plan", TWO, "--effort", "deep")["estimate"]
    assert (estimate["calls"], estimate["levels"]) == (4, 3)
    assert ", 3 of them one after another, " in asking("plan", TWO, "--effort", "deep").stdout


def test_a_plan_that_is_looked_at_first(asking: Run, model: ScriptedServer) -> None:
    result = asking("ask", "-i", "--json", TWO, "--effort", "deep", typed="- 2\n\n")
    assert [row["text"] for row in json.loads(result.stdout)["parts"]] == ["Which words does BERT hide?"]
    told = [without_numbers(line) for line in result.stderr.splitlines() if line.startswith("estimated: ")]
    assert told == [
        "estimated: N calls, N of them one after another, about N tokens, price unknown",
        "estimated: N calls, one after another, about N tokens, price unknown",
    ], "before and after the change"
    assert "plan" not in [call["purpose"] for call in json.loads(result.stdout)["calls"]]
    assert chats(model) == 3


def test_a_plan_from_a_file_needs_no_call_for_it(asking: Run, model: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(asking("plan", TWO, "--json", "--effort", "keyless").stdout)
    found = record(asking, "ask", "--plan", tmp_path / "plan.json")
    assert ([call["purpose"] for call in found["calls"]], chats(model)) == (["answer"], 1)


def test_a_plan_that_waits(asking: Run, model: ScriptedServer, tmp_path: Path) -> None:
    held = asking("plan", TWO, "--hold", "--effort", "deep", "--max-calls", "9").stdout
    match = re.search(
        r"^it waits; carry it out with: scholarmind ask --run (\S+) --effort deep --max-calls 9$", held, re.MULTILINE
    )
    assert match is not None
    run = match[1]
    assert f"{run}  " in asking("runs").stdout
    assert "  awaiting_plan  " + TWO in asking("runs").stdout
    shown = asking("runs", run).stdout
    assert (
        "\n  1. Which words does BERT hide? (factual)\n  2. To which side does GPT attend? (factual)\nestimated: 4 calls, "
        in shown
    )
    assert shown.endswith(
        f"\ncarry it out with: scholarmind ask --run {run}\nchange it before: scholarmind ask --run {run} --interactive\n"
        f"or in an editor: scholarmind runs {run} --plan > plan.json; scholarmind ask --run {run} --plan plan.json\n"
    )
    assert chats(model) == 1
    plan = json.loads(asking("runs", run, "--plan").stdout)
    plan["parts"][1]["text"] = "To which side does BERT attend?"
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    found = record(asking, "ask", "--run", run, "--plan", tmp_path / "plan.json")
    assert (found["run"], [row["text"] for row in found["parts"]]) == (
        run,
        ["Which words does BERT hide?", "To which side does BERT attend?"],
    )
    assert [call["purpose"] for call in found["calls"]] == ["answer"]
    assert asking("runs").stdout.partition("  done ")[2].strip() == TWO


def test_a_plan_that_waits_is_changed_at_the_prompt(asking: Run) -> None:
    run = record(asking, "plan", TWO, "--hold")["run"]
    result = asking("ask", "-i", "--run", run, "--json", typed="- 1\n\n")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["run"], [row["text"] for row in found["parts"]]) == (run, ["To which side does GPT attend?"])


def test_a_plan_that_waits_is_carried_out_as_it_is(asking: Run, model: ScriptedServer) -> None:
    run = record(asking, "plan", TWO, "--hold")["run"]
    assert record(asking, "ask", "--run", run)["verdict"] == "complete"
    assert chats(model) == 2


def test_the_plan_of_a_run(asking: Run) -> None:
    found = record(asking, "ask", TWO)
    assert json.loads(asking("runs", found["run"], "--plan").stdout) == found["plan"]
    assert asking("runs", "--plan").exit_code == 2


# -- what the calls were


def test_the_calls_of_a_run(asking: Run) -> None:
    run = record(asking, "ask", TWO)["run"]
    lines = asking("runs", run).stdout.partition("calls to language models:\n")[2].splitlines()
    assert [" ".join(without_numbers(line).split()) for line in lines[:3]] == [
        "plan scripted N + N tokens N s price unknown",
        "answer scripted N + N tokens N s price unknown",
        "together N calls, N tokens, price unknown",
    ]
    again = record(asking, "ask", TWO)["run"]
    lines = asking("runs", again).stdout.partition("calls to language models:\n")[2].splitlines()
    assert [" ".join(without_numbers(line).split()) for line in lines[:3]] == [
        "plan scripted from the cache N s",
        "answer scripted from the cache N s",
        "together N calls, N tokens, N USD",
    ]


def test_the_trace_shows_the_calls(asking: Run, model: ScriptedServer, tmp_path: Path) -> None:
    result = asking("ask", BRIDGE, "--trace", tmp_path / "trace.jsonl", "--set", "confidence=1")
    lines = [line for line in result.stderr.splitlines() if line.startswith("  model: ")]
    purposes = dict.fromkeys(line.split("  ")[1] for line in lines)  # a part that is not sure enough is asked twice
    assert list(purposes) == ["model: plan", "model: part 1", "model: answer"]
    told = [re.sub(r"^.* ms  ", "", line).partition(", scr")[0] for line in lines]
    assert set(map(without_numbers, told)) == {"N + N tokens", "from the journal"}
    events = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert sum(event["call"]["calls"] for event in events if event["type"] == "model_called") == chats(model) == 3
    assert "answer_piece" in {event["type"] for event in events}


# -- doctor


def test_what_works_of_a_model(asking: Run, model: ScriptedServer) -> None:
    result = asking("doctor", "--llm")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        ["ok", "server"],
        ["ok", "chat"],
        ["ok", "typed"],
        ["ok", "streaming"],
        ["ok", "embeddings"],
    ]
    checks = record(asking, "doctor", "--llm", f"{model.base_url}#scripted")
    assert [check["name"] for check in checks] == ["server", "chat", "typed replies", "streaming", "embeddings"]


def test_a_wrong_key_is_one_line_that_names_the_setting(
    asking: Run, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.key = "the-right-key"
    monkeypatch.setenv("SCHOLARMIND_LLM_API_KEY", "a-wrong-key")
    result = asking("doctor", "--llm")
    (line,) = result.stdout.splitlines()
    assert (result.exit_code, line.startswith("BAD server "), line.endswith("; check SCHOLARMIND_LLM_API_KEY")) == (
        1,
        True,
        True,
    )
    assert "wrong-key" not in result.stdout
    found = record(asking, "ask", TWO)
    assert (found["written_by"], found["verdict"]) == ("", "complete")
    assert found["fallbacks"][-1].endswith("; check SCHOLARMIND_LLM_API_KEY")


@pytest.mark.parametrize(
    "arguments",
    [["doctor", "--llm"], ["ask", TWO, "--effort", "standard"], ["plan", TWO, "--effort", "deep", "--llm", "none"]],
)
def test_without_a_model_the_error_is_one_line_that_names_the_settings(filled: Run, arguments: list[str]) -> None:
    result = filled(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.endswith("or set SCHOLARMIND_LLM_BASE_URL and SCHOLARMIND_LLM_API_KEY\n")


def test_a_preset_that_there_is_not(filled: Run) -> None:
    result = filled("ask", TWO, "--llm", "olama/qwen3")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "did you mean 'ollama/qwen3'?" in result.stderr


# -- who is asked when nobody said so


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Questions on two records."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    texts = {"BERT": "BERT hides words.", "GPT": "GPT attends to the left side only."}
    records = [{"id": name.lower(), "title": name, "text": text} for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    (folder / "queries.jsonl").write_text(json.dumps({"question": TWO, "evidence": [{"id": "bert"}, {"id": "gpt"}]}))
    return folder


def test_evaluating_asks_a_model_only_if_told_to(asking: Run, model: ScriptedServer, dataset: Path) -> None:
    found = record(asking, "evaluate", dataset, "--mode", "keyword", "--decompose", "on")
    assert (chats(model), "models" in found) == (0, False)
    found = record(asking, "evaluate", dataset, "--mode", "keyword", "--decompose", "both", "--effort", "standard")
    spent = found["models"]
    assert (chats(model), spent["calls"], spent["remembered"], spent["failed"], spent["cost"]) == (1, 1, 0, 0, None)
    assert spent["tokens"] > 0
    told = asking(
        "evaluate", dataset, "--mode", "keyword", "--decompose", "on", "--llm", f"{model.base_url}#scripted"
    ).stdout
    assert told.endswith("\n0 calls to scripted, 0 tokens, 0.00 USD; 1 replies remembered, 0 calls failed\n")


def test_a_model_has_nothing_to_do_where_nothing_is_taken_apart(asking: Run, dataset: Path) -> None:
    result = asking("evaluate", dataset, "--effort", "standard")
    assert (result.exit_code, "give --decompose on or both" in result.stderr) == (2, True)


def test_the_demo_asks_no_model(asking: Run, model: ScriptedServer) -> None:
    assert asking("demo", "--question", "Who proposed Longformer?").exit_code == 0
    assert model.requests == []


# -- in a terminal


def in_a_terminal(*arguments: str) -> str:
    """Return all that the installed `scholarmind` writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [Path(sys.executable).with_name("scholarmind"), *arguments]
    environment = {**os.environ, "COLUMNS": "100", "LINES": "30", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as program:
        os.close(theirs)
        written = bytearray()
        while piece := _read(ours):
            written += piece
        assert program.wait(60) == 0
    os.close(ours)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the program has closed its end
        return b""


@pytest.mark.usefixtures("asking")
def test_the_tree_fills_and_the_answer_streams_below_it(model: ScriptedServer) -> None:
    model.token_rate = 20
    written = in_a_terminal("ask", TWO)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written)
    assert "Plan: parallel, decided by model" in plain
    assert plain.count("BERT hides words") > 1, "as it was written, and at the end"
    last = plain.rpartition("Plan: parallel, decided by model")[2]
    assert last.count("BERT hides words") == 1, "the tree goes, and the answer stays, once"
    assert "complete · 2 of 2 parts answered" in last
    assert re.search(r"2 calls to scripted, [\d,]+ tokens, price unknown · estimated: 3 calls", " ".join(last.split()))
