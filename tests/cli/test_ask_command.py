"""`scholarmind ask`: what it prints, what it writes, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
Script = Callable[..., "subprocess.CompletedProcess[str]"]
TWO = "Which words does BERT hide, and to which side does GPT attend?"
HIDES = "BERT hides words and attends to both sides."
LEFT = "GPT attends to the left side only."


def test_an_answer_in_a_pipe_is_markdown(filled: Run) -> None:
    result = filled("ask", TWO)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"# {TWO}\n\n*Quoted from your documents; no model wrote any of it.*\n")
    assert f"- {HIDES} [Devlin & Chang, 2019]\n" in result.stdout
    assert f"- {LEFT} [GPT]\n" in result.stdout
    assert "**complete · 2 of 2 parts answered**\n\n- ✓ 1 Which words does BERT hide?\n" in result.stdout
    assert "## Plan" not in result.stdout
    assert "\n## Sources\n\n- \\[Devlin \\& Chang, 2019\\] Devlin, J., & Chang, M.-W. (2019). BERT.\n" in result.stdout
    assert filled("ask", TWO, "--markdown").stdout == result.stdout
    details = filled("ask", TWO, "--details").stdout
    assert "| 1 | Which words does BERT hide? | ✓ answered |" in details
    assert "\n## Plan\n\n- 1\\. Which words does BERT hide? (factual)\n" in details


def test_a_ratio_is_no_picture(run: Run, tmp_path: Path) -> None:
    note, library = tmp_path / "note.md", tmp_path / "library"
    note.write_text("# Sampling\n\nThe sampling ratio of the classes was 1:100:5 in training.")
    assert run("add", note, "--library", library).exit_code == 0
    told = run("ask", "What was the sampling ratio of the classes?", "--library", library).stdout
    assert ":100:5 in training" in told


def test_words_of_a_question_need_no_quotes(filled: Run) -> None:
    assert filled("ask", "Which", "words", "does", "BERT", "hide?").stdout.startswith("# Which words does BERT hide?\n")


def test_an_answer_as_json(filled: Run) -> None:
    result = filled("ask", TWO, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    record = json.loads(result.stdout)
    assert [(part["id"], part["status"]) for part in record["parts"]] == [("1", "answered"), ("2", "answered")]
    assert record["verdict"] == "complete"
    assert [claim["status"] for claim in record["claims"]] == ["verified"] * len(record["claims"])
    assert json.loads(filled("runs", record["run"], "--json").stdout)["answer"] == record


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("apa", "Devlin, J., & Chang, M.-W. (2019). BERT."),
        ("gb7714", "DEVLIN J"),
        ("numeric", "J. Devlin"),
    ],
)
def test_the_style_of_the_sources(filled: Run, style: str, expected: str) -> None:
    assert expected in filled("ask", TWO, "--style", style).stdout


def test_the_evidence_of_each_part(filled: Run) -> None:
    told = filled("ask", TWO, "--show-evidence").stdout
    assert "\n### 1. Which words does BERT hide?\n" in told
    assert "characters" in told.partition("\n### 1. Which words does BERT hide?\n")[2]


def test_all_around_a_chinese_answer_is_chinese(filled: Run) -> None:
    told = filled("ask", "BERT用了多少数据？ALBERT是谁提出的？", "--details").stdout
    assert "| | 部分 | 状态 | 把握 | 缺少什么 |" in told
    assert "结论: **" in told
    assert "(事实)" in told
    assert not re.search(r"\b(?:part|status|sure|missing|Verdict|factual|answered|not in the library)\b", told)


def test_only_some_documents(filled: Run) -> None:
    for options in (["--where", "year = 2018"], ["--where", "title = GPT", "--collection", "default"]):
        record = json.loads(filled("ask", TWO, "--json", *options).stdout)
        assert {hit["document"] for part in record["parts"] for hit in part["evidence"]} == {"gpt"}
    nothing = json.loads(filled("ask", TWO, "--json", "--collection", "other").stdout)
    assert nothing["verdict"] == "not in the library"


# -- files


def test_the_answer_in_a_file(filled: Run, tmp_path: Path) -> None:
    for name in ("answer.md", "answer.json", "answer.bib"):
        result = filled("ask", TWO, "--output", tmp_path / name)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"written to {tmp_path / name}\n")
    assert (tmp_path / "answer.md").read_text() == filled("ask", TWO, "--markdown", "--details").stdout
    assert json.loads((tmp_path / "answer.json").read_text())["question"] == TWO
    works = (tmp_path / "answer.bib").read_text()
    assert works.count("\n@") + works.startswith("@") == 2
    assert "Devlin" in works


def test_the_answer_in_a_file_and_on_the_screen(filled: Run, tmp_path: Path) -> None:
    result = filled("ask", TWO, "--json", "--output", tmp_path / "answer.md")
    assert json.loads(result.stdout)["question"] == TWO
    assert HIDES in (tmp_path / "answer.md").read_text()


def test_a_place_that_does_not_exist_is_told_before_the_work(filled: Run, tmp_path: Path) -> None:
    result = filled("ask", TWO, "--output", tmp_path / "none" / "answer.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"there is no folder '{tmp_path / 'none'}'; make it first" in result.stderr
    assert json.loads(filled("runs", "--json").stdout) == []


def test_a_file_that_cannot_be_written(filled: Run) -> None:
    result = filled("ask", TWO, "--output", "/dev/full")
    assert (result.exit_code, result.stdout) == (1, "")
    (run,) = json.loads(filled("runs", "--json").stdout)
    assert (
        f"cannot be written: No space left on device; the answer is in: scholarmind runs {run['id']}" in result.stderr
    )


def test_a_trace(filled: Run, tmp_path: Path) -> None:
    result = filled("ask", TWO, "--trace", tmp_path / "trace.jsonl", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["question"] == TWO
    assert "first look" in result.stderr
    records = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert [record["number"] for record in records] == list(range(1, len(records) + 1))
    assert (records[0]["type"], records[-1]["type"]) == ("run_started", "done")


def test_a_trace_that_cannot_be_written(filled: Run, tmp_path: Path) -> None:
    result = filled("ask", TWO, "--trace", tmp_path / "none" / "trace.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the trace cannot be written there: No such file or directory" in result.stderr


# -- plans


def test_a_plan_from_a_file(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(b"\xef\xbb\xbf" + filled("plan", TWO, "--json").stdout.encode())  # as some editors save it
    record = json.loads(filled("ask", "--plan", file, "--json").stdout)
    assert record["question"] == TWO
    assert record["plan"]["decided_by"] == "user"
    assert [part["status"] for part in record["parts"]] == ["answered", "answered"]


def test_a_plan_and_another_question(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"parts": [{"text": "Which words does BERT hide?"}]}')
    record = json.loads(filled("ask", "What does BERT do?", "--plan", file, "--json").stdout)
    assert (record["question"], record["plan"]["original_query"]) == ("What does BERT do?", "What does BERT do?")
    assert [part["text"] for part in record["parts"]] == ["Which words does BERT hide?"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not json", "is not JSON: Expecting value"),
        (b"\xff\xfe\x00", "is not JSON: 'utf-8' codec can't decode"),
        (b"[" * 100_000, "is not JSON: maximum recursion depth exceeded"),
        (b"[1, 2]", "a plan is '[1, 2]', not an object as 'scholarmind plan --json' prints it"),
        (b'{"parts": []}', "a plan needs at least one part"),
        (b'{"parts": [{"text": "A?"}]}', "names no question; add `original_query`, or give the question as well"),
        (
            b'{"original_query": "?", "parts": [{"text": "A?", "depends_on": [2]}, {"text": "B?", "depends_on": [1]}]}',
            "parts wait for each other: ",
        ),
    ],
)
def test_a_file_that_is_no_plan(filled: Run, tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    result = filled("ask", "--plan", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr
    assert len(result.stderr) < 500


def test_a_plan_that_is_not_there(filled: Run, tmp_path: Path) -> None:
    result = filled("ask", "--plan", tmp_path / "none.json")
    assert (result.exit_code, result.stderr) == (
        1,
        f"Error: '{tmp_path / 'none.json'}' cannot be read: No such file or directory\n",
    )


def test_a_plan_that_is_changed_before_it_runs(filled: Run) -> None:
    result = filled("ask", "-i", "--json", TWO, typed="- 2\n+ Who wrote about BERT?\n\n")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert [part["text"] for part in record["parts"]] == ["Which words does BERT hide?", "Who wrote about BERT?"]
    assert record["plan"]["decided_by"] == "user"
    assert "`help` lists how it can be changed" in result.stderr
    assert "+ QUESTION" not in result.stderr


def test_how_a_plan_can_be_changed(filled: Run) -> None:
    for word in ("help", "?"):
        result = filled("ask", "-i", "--json", TWO, typed=f"{word}\n\n")
        assert result.exit_code == 0
        assert "+ QUESTION" in result.stderr
        assert "not done" not in result.stderr


def test_a_plan_that_is_given_up(filled: Run) -> None:
    result = filled("ask", "-i", TWO, typed="q\n")
    assert result.exit_code != 0
    assert result.stdout == ""
    assert json.loads(filled("runs", "--json").stdout) == []


# -- runs


def test_a_run_is_gone_on_with(filled: Run) -> None:
    first = json.loads(filled("ask", TWO, "--where", "year >= 2000", "--json").stdout)
    again = json.loads(filled("ask", "--run", first["run"], "--json").stdout)
    assert again["spent"]["searches"] == 0
    for changing in (first, again):
        del changing["spent"]
        del changing["plan"]["milliseconds"]
    assert again == first


def test_an_unknown_run(filled: Run) -> None:
    result = filled("ask", "--run", "nope")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr
        == "Error: there is no run 'nope' in this library; 'scholarmind runs' lists those that there are\n"
    )


# -- what cannot be asked


@pytest.mark.parametrize("words", [[], [""], ["  ", "\t"]])
def test_an_empty_question(filled: Run, words: list[str]) -> None:
    result = filled("ask", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: ask something, such as: scholarmind ask " in result.stderr


def test_changing_a_run_that_goes_on(filled: Run) -> None:
    result = filled("ask", "-i", "--run", "any")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--interactive needs a question, --plan FILE, or a run that waits" in result.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "library=elsewhere"), "which library it is says --library"),
        (("--strategy", "scored", "--set", "strategy=concepts"), "strategy=concepts says other than --strategy"),
        (("--max-calls", "3", "--set", "max_calls=5"), "max_calls=5 says other than --max-calls"),
        (("--no-cache", "--set", "cache=semantic"), "cache=semantic says other than --no-cache"),
        (("--form", "table", "--set", "form=prose"), "form=prose says other than --form"),
        (("--library-only", "--set", "library_only=no"), "library_only=no says other than --library-only"),
    ],
)
def test_what_is_set_twice_in_two_ways(filled: Run, options: tuple[str, ...], told: str) -> None:
    result = filled("ask", "Who hides words?", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"Error: Invalid value for --set: {told}\n")


@pytest.mark.parametrize("name", ["form", "length"])
def test_what_has_an_option_can_be_set_by_name_too(filled: Run, name: str) -> None:
    result = filled("ask", "Who hides words?", "--set", f"{name}=verse")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {name} = 'verse' is not one of ")


def test_the_same_said_twice_is_no_contradiction(filled: Run) -> None:
    assert filled("ask", "thanks!", "--form", "table", "--set", "form=table").exit_code == 0


def test_small_talk(filled: Run) -> None:
    result = filled("ask", "thanks!")
    assert (result.exit_code, result.stdout) == (0, "# thanks!\n\nYou are welcome.\n")


def test_a_missing_library(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    result = run("ask", TWO, "--library", tmp_path / "none", "--trace", trace)
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(tmp_path / "none") in result.stderr
    assert "scholarmind add" in result.stderr
    assert not trace.exists()
    assert not (tmp_path / "none").exists()


def test_a_filter_that_cannot_be_read(filled: Run) -> None:
    result = filled("ask", TWO, "--where", "year >=")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: the filter 'year >=' needs a value after year >=")


def test_a_document_cannot_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text("BERT hides words \x1b[31mand rings\x07 the bell for everybody.\n")
    run("add", tmp_path / "evil.md")
    for options in ([], ["--markdown"], ["--show-evidence"]):
        told = run("ask", "Which words does BERT hide?", *options).stdout
        assert "rings" in told
        assert "\x1b" not in told
        assert "\x07" not in told


# -- the real program


def test_the_script(script: Script, notes: Path) -> None:
    assert script("add", notes).returncode == 0
    done = script("ask", TWO)
    assert (done.returncode, done.stderr) == (0, "")
    assert HIDES in done.stdout
    assert script("ask").returncode == 2
    assert script("ask", "--run", "nope").returncode == 1


SLOW = """
import asyncio, sys
from scholarmind import wiring
from scholarmind.cli.main import main
from scholarmind.testing import HashEmbedder

class Slow(HashEmbedder):
    async def embed(self, texts):
        if sys.argv[1] == "ask" and "--run" not in sys.argv and "GPT attend" in texts[0] and "BERT" not in texts[0]:
            await asyncio.sleep(2)  # until the other part is done
            print("waiting", flush=True)
            await asyncio.sleep(600)
        return await super().embed(texts)

wiring.embedder = lambda settings: Slow()
main()
"""


def test_ctrl_c_stops_the_run_and_tells_how_to_go_on(notes: Path) -> None:
    def program(*arguments: str | Path) -> list[str | Path]:
        return [sys.executable, "-c", SLOW, *arguments]

    def printed(*arguments: str | Path) -> str:
        return subprocess.run(program(*arguments), capture_output=True, text=True, check=True, timeout=60).stdout

    printed("add", notes)
    with subprocess.Popen(
        program("ask", TWO, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    (run,) = json.loads(printed("runs", "--json"))
    assert (process.returncode, output) == (130, "")
    assert errors == f"\nstopped; go on with it: scholarmind ask --run {run['id']}\n"
    assert run["status"] == "cancelled"
    record = json.loads(printed("ask", "--run", run["id"], "--json"))
    assert (record["question"], record["verdict"]) == (TWO, "complete")
    told = json.loads(printed("runs", run["id"], "--json"))
    assert told["status"] == "done"
    remembered = [event["part"] for event in told["events"] if event["type"] == "part_evidence" and event["remembered"]]
    assert remembered == [1]
