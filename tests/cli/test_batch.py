"""`scholarmind ask --batch`: in order, resumable, and no failure ends it."""

import fcntl
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind import Library
from scholarmind.events import Event, PartEvidence

Run = Callable[..., Result]
QUESTIONS = [
    "Which words does BERT hide?",
    "To which side does GPT attend?",
    "Compare BERT and GPT on attention.",
    "Who painted the Mona Lisa?",
    "What does BERT attend to?",
]


def lines_of(text: str) -> list[dict[str, Any]]:
    """Read lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of five questions."""
    path = tmp_path / "questions.jsonl"
    write(path, [{"id": f"q{number}", "question": text} for number, text in enumerate(QUESTIONS, 1)])
    return path


def write(path: Path, records: list[Any]) -> None:
    """Write lines of JSON; text is a line as it is."""
    path.write_text("".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in records))


def test_a_line_for_each_in_the_order_of_the_file(filled: Run, file: Path) -> None:
    result = filled("ask", "--batch", file, "--concurrency", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    found = lines_of(result.stdout)
    assert [(line["id"], line["question"]) for line in found] == [
        (f"q{number}", text) for number, text in enumerate(QUESTIONS, 1)
    ]
    assert "BERT hides words" in found[0]["answer"]
    assert found[3]["verdict"] == "not in the library"


def test_what_is_in_the_output_stays_and_a_half_written_line_is_mended(filled: Run, file: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    assert filled("ask", "--batch", file, "--output", output).exit_code == 0
    whole = output.read_bytes().splitlines(keepends=True)
    kept = whole[0].replace(b'"id"', b'"seen": true, "id"')
    output.write_bytes(kept + whole[1] + whole[2][:40])
    result = filled("ask", "--batch", file, "--output", output)
    assert result.stderr == f"2 of 5 were there already\nwritten to {output}\n"
    again = output.read_bytes().splitlines(keepends=True)
    assert again[:2] == [kept, whole[1]]
    told = [{name: line[name] for name in ("id", "answer", "run")} for line in map(json.loads, again[1:])]
    assert told == [{name: line[name] for name in ("id", "answer", "run")} for line in map(json.loads, whole[1:])]
    assert filled("ask", "--batch", file, "--output", output).stderr.startswith("5 of 5 were there already\n")
    assert output.read_bytes().splitlines(keepends=True) == again


def test_another_batch_does_not_write_into_these_results(filled: Run, file: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    filled("ask", "--batch", file, "--output", output)
    before = output.read_bytes()
    for more in (("--set", "places=3"), ("--where", "year = 2019")):
        result = filled("ask", "--batch", file, "--output", output, *more)
        assert result.exit_code == 1
        assert "is no result of this batch with these settings" in result.stderr
    assert output.read_bytes() == before


def test_filters_and_conversations_of_single_lines(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    write(
        file,
        [
            {"id": 1, "question": "What does it attend to?", "filter": "year = 2018"},
            {"id": "2", "question": "Which words does BERT hide?", "conversation": "c"},
            {"id": "3", "question": "And GPT?", "conversation": "c"},
        ],
    )
    first, second, third = lines_of(filled("ask", "--batch", file).stdout)
    assert {item["document"] for item in first["citations"]} == {"gpt"}
    assert second["asked"] == second["question"]
    assert (third["asked"], third["question"] != "And GPT?") == ("And GPT?", True)
    turns = json.loads(filled("conversations", "c", "--json").stdout)
    assert [turn["asked"] for turn in turns] == ["Which words does BERT hide?", "And GPT?"]


def test_all_that_is_wrong_is_told_before_anything_is_asked(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    write(
        file,
        [
            {"id": "a", "question": "Which words?"},
            "",
            {"id": "a", "question": "Which side?"},
            "{not json",
            '["a"]',
            {"id": "b"},
            {"question": "Which side?"},
            {"id": "c", "question": "Which?", "filter": "year >"},
            {"id": "d", "question": "Which?", "fliter": "year = 2019"},
            {"id": "e", "question": ["Which?"]},
        ],
    )
    result = filled("ask", "--batch", file)
    assert (result.exit_code, result.stdout) == (1, "")
    told = [line.strip().partition(":")[0] for line in result.stderr.splitlines()[1:]]
    assert told == [f"line {number}" for number in (3, 4, 5, 6, 7, 8, 9, 10)]
    assert "line 3: the id 'a' is that of an earlier line" in result.stderr
    assert json.loads(filled("runs", "--json").stdout) == []


def test_an_empty_line_is_told_of_and_harms_nobody(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    write(file, [{"id": "a", "question": QUESTIONS[0]}, " ", {"id": "b", "question": QUESTIONS[1]}, "", ""])
    result = filled("ask", "--batch", file)
    assert result.stderr == f"{file}: line 2 is empty\n"
    assert [line["id"] for line in lines_of(result.stdout)] == ["a", "b"]
    write(file, ["", ""])
    assert "there is no question in" in filled("ask", "--batch", file).stderr


def test_it_goes_with_no_question_of_its_own(filled: Run, file: Path) -> None:
    for more in (("Which words?",), ("--run", "r1"), ("--since", "r1"), ("--interactive",)):
        assert filled("ask", "--batch", file, *more).exit_code == 2


def test_what_failed_stays_until_it_is_to_be_asked_again(filled: Run, file: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    filled("ask", "--batch", file, "--output", output)
    whole = lines_of(output.read_text())
    failed = {name: whole[1][name] for name in ("id", "question", "run")} | {"error": "the server was away"}
    write(output, [whole[0], failed, *whole[2:]])
    result = filled("ask", "--batch", file, "--output", output)
    assert result.exit_code == 1
    assert result.stderr.endswith("1 of 5 failed; the same command with --retry asks them again\n")
    assert lines_of(output.read_text())[1] == failed
    again = filled("ask", "--batch", file, "--output", output, "--retry")
    assert (again.exit_code, again.stderr.partition("\n")[0]) == (0, "1 of 5 were there already")
    assert [line["answer"] for line in lines_of(output.read_text())] == [line["answer"] for line in whole]


def test_who_stops_it_is_told_how_to_go_on(
    filled: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "answers.jsonl"
    whole = Library.ask_many

    def stopped(*arguments: Any, **options: Any) -> Iterator[Any]:
        for number, result in enumerate(whole(*arguments, **options)):
            if number == 2:
                raise KeyboardInterrupt
            yield result

    with monkeypatch.context() as patched:
        patched.setattr(Library, "ask_many", stopped)
        result = filled("ask", "--batch", file, "--output", output)
    assert result.exit_code == 130
    assert result.stderr == "\nstopped; 2 of 5 are done; the same command goes on from there\n"
    assert [line["id"] for line in lines_of(output.read_text())] == ["q1", "q2"]
    assert filled("ask", "--batch", file, "--output", output).exit_code == 0
    assert [line["id"] for line in lines_of(output.read_text())] == ["q1", "q2", "q3", "q4", "q5"]


class TestInPython:
    """`Library.ask_many`."""

    @pytest.fixture
    def two(self, library: Library, notes: Path) -> Library:
        """The library of two notes."""
        library.add(notes)
        return library

    def test_results_come_in_order_whatever_they_take(self, two: Library) -> None:
        found = list(two.ask_many(QUESTIONS, concurrency=2))
        assert [result.question.question for result in found] == QUESTIONS
        assert [result.question.id for result in found] == ["1", "2", "3", "4", "5"]
        assert [result.error for result in found] == [""] * 5

    def test_one_that_fails_costs_the_others_nothing(self, two: Library) -> None:
        from scholarmind.batch import BatchQuestion

        asked = [
            BatchQuestion(id="a", question=QUESTIONS[0]),
            BatchQuestion(id="b", question="", run="nobody"),
            BatchQuestion(id="c", question=QUESTIONS[1]),
        ]
        first, second, third = two.ask_many(asked)
        assert second.answer is None
        assert second.error.startswith("there is no run 'nobody'")
        assert (first.error, third.error) == ("", "")
        assert first.answer is not None
        assert third.answer is not None

    def test_no_more_are_taken_than_needed(self, two: Library) -> None:
        taken: list[int] = []

        def many() -> Iterator[str]:
            for number in range(1000):
                taken.append(number)
                yield f"Which words does model {number} hide?"

        results = iter(two.ask_many(many(), concurrency=2))
        for _ in range(5):
            next(results)
        results.close()  # type: ignore[attr-defined]
        assert len(taken) <= 5 + 2 * 4

    @pytest.mark.anyio
    async def test_it_can_be_awaited(self, two: Library) -> None:
        found = [result.question.question async for result in two.ask_many(QUESTIONS[:2])]
        assert found == QUESTIONS[:2]

    def test_what_was_begun_is_not_asked_again(self, two: Library) -> None:
        from scholarmind.batch import BatchQuestion, with_runs

        questions = with_runs([BatchQuestion(id="a", question=QUESTIONS[2])], "mine")
        assert questions == with_runs([BatchQuestion(id="a", question=QUESTIONS[2])], "mine")
        assert questions != with_runs([BatchQuestion(id="a", question=QUESTIONS[2])], "another")
        (first,) = two.ask_many(questions)
        (again,) = two.ask_many(questions)
        assert first.answer is not None
        assert again.answer is not None
        assert again.answer.text == first.answer.text
        assert (first.answer.spent["searches"] > 0, again.answer.spent["searches"]) == (True, 0)
        events: list[Event] = []
        two.ask(run=questions[0].run, on_event=events.append)
        assert all(event.remembered for event in events if isinstance(event, PartEvidence) and event.part)


@pytest.mark.parametrize("text", ["all that I noted, in one line", '{"id": "q11", "question"', '{"error": "mine"}\n'])
def test_a_file_that_is_something_else_is_left_alone(filled: Run, file: Path, tmp_path: Path, text: str) -> None:
    output = tmp_path / "notes.jsonl"
    output.write_text(text)
    result = filled("ask", "--batch", file, "--output", output, "--retry")
    assert (result.exit_code, output.read_text()) == (1, text)
    assert "line 1 of" in result.stderr
    assert "is no result of this batch" in result.stderr


def test_the_questions_are_not_written_over(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "q1", "question": "Which words does BERT hide?"}')
    result = filled("ask", "--batch", file, "--output", file)
    assert (result.exit_code, file.read_text()) == (2, '{"id": "q1", "question": "Which words does BERT hide?"}')
    assert "--output is the file of the questions" in result.stderr


def test_a_device_that_is_full_is_told_of_in_a_line(filled: Run, file: Path) -> None:
    result = filled("ask", "--batch", file, "--output", "/dev/full")
    assert result.exit_code == 1
    assert "'/dev/full': cannot be written: No space left on device" in result.stderr


def test_questions_that_are_not_utf_8_are_not_guessed(filled: Run, tmp_path: Path) -> None:
    raw = '{"id": "1", "question": "café?"}\n'.encode("latin-1")
    file = tmp_path / "latin.jsonl"
    file.write_bytes(raw)
    for name, stdin in ((file, b""), ("-", raw)):
        result = filled("ask", "--batch", name, typed=stdin)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "is not UTF-8, at byte 28; save it as UTF-8" in result.stderr


def test_a_mark_of_utf_8_at_the_start_of_the_input_is_no_fault(filled: Run) -> None:
    line = b'\xef\xbb\xbf{"id": "1", "question": "Which words does BERT hide?"}\r\n'
    assert "BERT hides words" in lines_of(filled("ask", "--batch", "-", typed=line).stdout)[0]["answer"]


def test_two_do_not_write_to_one_output(filled: Run, file: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    with output.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        result = filled("ask", "--batch", file, "--output", output)
    assert (result.exit_code, output.read_bytes()) == (1, b"")
    assert f"another command is writing to '{output}'" in result.stderr
    assert filled("ask", "--batch", file, "--output", output).exit_code == 0
