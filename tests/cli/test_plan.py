"""`scholarmind plan`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
TWO = "Who proposed BERT, and how many layers does GPT have?"
FIELDS = {
    "background",
    "complexity",
    "core_intent",
    "decided_by",
    "execution_plan",
    "known_entities",
    "milliseconds",
    "notes",
    "original_query",
    "own_answer",
    "parts",
    "reason",
    "retrieval",
    "shape",
    "steps",
    "strategy",
    "translations",
    "unknown_entities",
}


def test_a_plan_for_people(filled: Run) -> None:
    result = filled("plan", TWO)
    assert (result.exit_code, result.stderr) == (0, "")
    first, *parts = result.stdout.splitlines()
    assert first.startswith("composite, parallel (decided by rules: ")
    assert parts == [
        "  1. Who proposed BERT? (factual, counted in the graph: list)",
        "  2. How many layers does GPT have? (factual)",
    ]


def test_a_plan_whose_parts_wait(filled: Run) -> None:
    told = filled("plan", "Who proposed the model that BERT builds on?").stdout
    assert "(factual, after 1, counted in the graph: list)" in told
    assert "to find out first: " in told


def test_the_parts_of_a_part_stand_below_it(filled: Run) -> None:
    told = filled("plan", "Compare BERT and GPT in depth; compare T5 and BART in speed.").stdout
    assert told.splitlines()[1:] == [
        "  1. Compare BERT and GPT in depth. (reasoning, after 2, 3)",
        "      2. BERT in depth (factual)",
        "      3. GPT in depth (factual)",
        "  4. Compare T5 and BART in speed. (reasoning, after 5, 6)",
        "      5. T5 in speed (factual)",
        "      6. BART in speed (factual)",
    ]


def test_merged_parts_show_their_questions(filled: Run) -> None:
    names = ["BERT", "GPT", "T5", "XLNet", "ALBERT", "BART", "LLaMA"]
    told = filled("plan", " ".join(f"Who proposed {name}?" for name in names)).stdout
    assert all(f"Who proposed {name}?" in told for name in names)
    assert ".1 Who proposed " in told


def test_a_plan_for_programs(filled: Run) -> None:
    result = filled("plan", TWO, "--json")
    record = json.loads(result.stdout)
    assert set(record) == FIELDS | {"estimate"}
    assert record["estimate"] is None, "no model, no costs"
    assert (record["original_query"], record["complexity"], record["shape"]) == (TWO, "composite", "parallel")
    assert [(part["id"], part["text"], part["kind"], part["depends_on"]) for part in record["parts"]] == [
        (1, "Who proposed BERT?", "factual", []),
        (2, "How many layers does GPT have?", "factual", []),
    ]
    assert record["known_entities"] == ["BERT", "GPT"]


def test_planning_leaves_no_run(filled: Run) -> None:
    filled("plan", TWO)
    assert json.loads(filled("runs", "--json").stdout) == []


# -- many


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    """A file with three questions, one of which holds what other programs take for a line break."""
    lines = [
        {"id": 7, "question": TWO, "more": "is passed over"},
        {"id": {"set": "a"}, "question": "What is BERT?\u2028And GPT?\x85And T5?"},
        {"question": "BERT有多少层，由谁提出？"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_bytes(
        b"\xef\xbb\xbf" + "\r\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode() + b"\n"
    )
    return file


def test_a_batch_needs_no_library(run: Run, batch: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    result = run("plan", "--batch", batch)
    assert (result.exit_code, "there is no library" in result.stderr) == (0, True)
    assert [len(json.loads(line)["parts"]) for line in result.stdout.split("\n")[:-1]] == [2, 3, 2]


def test_a_batch_prints_a_line_of_json_for_each(filled: Run, batch: Path) -> None:
    result = filled("plan", "--batch", batch)
    assert (result.exit_code, result.stderr) == (0, "")
    records = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    assert [record["id"] for record in records] == [7, {"set": "a"}, None]
    assert [set(record) for record in records] == [FIELDS | {"id"}] * 3
    assert [len(record["parts"]) for record in records] == [2, 3, 2]
    for record in records:
        assert record["milliseconds"] >= 0
        assert {"id", "text", "kind", "depends_on"} <= set(record["parts"][0])
    assert "提出" in result.stdout, "Chinese must stay readable"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{not json", "Expecting property name"),
        ("[]", 'not {"id": ..., "question": ...}'),
        ('{"id": 1}', "KeyError('question')"),
        ('{"question": null}', 'not {"id": ..., "question": ...}'),
        ('{"question": ["Who?"]}', 'not {"id": ..., "question": ...}'),
        ('{"question": " \\n"}', "the question is empty"),
        ("[" * 100_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_bad_line_is_named_before_anything_is_printed(filled: Run, tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f'{{"id": 1, "question": "What is BERT?"}}\n\n{line}\n')
    result = filled("plan", "--batch", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"'{file}', line 3: " in result.stderr
    assert told in result.stderr


def test_a_batch_may_be_plain_questions(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Who proposed BERT?\n\n5 papers on Mamba\n")
    records = [json.loads(line) for line in filled("plan", "--batch", file).stdout.splitlines()]
    assert [(record["id"], record["original_query"]) for record in records] == [
        (1, "Who proposed BERT?"),
        (3, "5 papers on Mamba"),
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_an_empty_batch(filled: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.jsonl").write_bytes(content)
    result = filled("plan", "--batch", tmp_path / "empty.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_batch_that_cannot_be_read(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe")
    for name in ("none.jsonl", "bad.jsonl"):
        result = filled("plan", "--batch", tmp_path / name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"'{tmp_path / name}' cannot be read: " in result.stderr


def test_half_characters_do_not_end_a_batch(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "half.jsonl").write_text('{"id": "\\ud800", "question": "Who proposed \\ud800 BERT?"}\n')
    result = filled("plan", "--batch", tmp_path / "half.jsonl")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["original_query"] == "Who proposed ? BERT?"


# -- what cannot be planned


@pytest.mark.parametrize("arguments", [[], [""], ["  "], ["Who?", "--batch", "x.jsonl"]])
def test_either_a_question_or_a_batch(filled: Run, arguments: list[str]) -> None:
    result = filled("plan", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give either a question or --batch FILE" in result.stderr


def test_a_missing_library(run: Run, tmp_path: Path) -> None:
    result = run("plan", TWO, "--library", tmp_path / "none")
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(tmp_path / "none") in result.stderr
