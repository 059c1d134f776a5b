"""`scholarmind export --training`: what runs show, as lines to train on, with nothing in them that belongs to somebody."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
BOTH = "What does BERT hide, and what does GPT attend to?"
ONE = "What does GPT attend to?"


def asked(run: Run, question: str, *more: str) -> str:
    """Ask, and return the id of the run."""
    return json.loads(run("ask", question, "--json", *more).stdout)["run"]


def exported(run: Run, role: str, *more: str) -> list[dict[str, Any]]:
    """Return the lines of an export."""
    result = run("export", "--training", role, *more)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def labels(run: Run, *more: str) -> dict[str, str]:
    """Return the label of a router by question."""
    return {question_of(line): line["label"] for line in exported(run, "router", *more)}


def question_of(line: dict[str, Any]) -> str:
    """Return the question that a line is about."""
    return line["messages"][1]["content"].rpartition("<question ")[2].split("\n")[1]


def test_a_line_is_a_chat_with_our_own_prompt(filled: Run) -> None:
    asked(filled, ONE)
    (line,) = exported(filled, "router")
    assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant"]
    assert line["messages"][0]["content"].startswith("You are the router of a program")
    assert question_of(line) == ONE
    assert (line["label"], line["messages"][2]["content"]) == ("Retrieval", f"[Retrieval] {ONE}")
    assert 0 < line["weight"] <= 1
    assert {name: line["meta"][name] for name in ("strategy", "effort", "rating", "verdict")} == {
        "strategy": "plan",
        "effort": "keyless",
        "rating": "",
        "verdict": "complete",
    }


class TestRouter:
    def test_talk_needs_no_retrieval(self, filled: Run) -> None:
        asked(filled, "Hello!")
        assert labels(filled) == {"Hello!": "No Retrieval"}

    def test_the_simplest_way_that_served_counts(self, filled: Run, tmp_path: Path) -> None:
        planned = asked(filled, BOTH)
        filled("runs", "rate", planned, "good")
        assert labels(filled) == {BOTH: "Retrieval"}  # the first search had found all that is cited
        plan = tmp_path / "plan.json"
        plan.write_text(json.dumps({"original_query": BOTH, "parts": [{"id": 1, "text": BOTH}]}))
        single = json.loads(filled("ask", "--plan", plan, "--json").stdout)["run"]
        filled("runs", "rate", single, "bad")
        assert labels(filled) == {BOTH: "Planning"}  # but a single search was tried, and did not serve
        filled("runs", "rate", single, "good")
        assert labels(filled) == {BOTH: "Retrieval"}

    def test_where_people_disagree_nothing_is_learnt(self, filled: Run) -> None:
        for judgement in ("good", "bad"):
            filled("runs", "rate", asked(filled, ONE), judgement)
        result = filled("export", "--training", "router")
        assert result.stderr == "0 examples\nleft out: 2 (people disagree about the way that served)\n"

    def test_what_nothing_served_is_left_out(self, filled: Run) -> None:
        run = asked(filled, "Who painted the Mona Lisa?")
        result = filled("export", "--training", "router")
        assert result.stdout == ""
        assert result.stderr == "0 examples\nleft out: 1 (no way served the question)\n"
        filled("runs", "rate", run, "good")
        assert labels(filled) == {"Who painted the Mona Lisa?": "Retrieval"}

    def test_what_people_found_bad_served_nobody(self, filled: Run) -> None:
        run = asked(filled, ONE)
        filled("runs", "rate", run, "bad")
        assert exported(filled, "router") == []
        filled("runs", "rate", run, "good")
        (line,) = exported(filled, "router")
        assert (line["weight"] > 1, line["meta"]["rating"]) == (True, "good")


class TestPlanner:
    def test_the_plan_of_an_answer_that_served(self, filled: Run) -> None:
        run = asked(filled, BOTH)
        filled("runs", "rate", run, "good")
        (line,) = exported(filled, "planner")
        said = json.loads(line["messages"][2]["content"])
        assert [part["question"] for part in said["parts"]] == ["What does BERT hide?", "What does GPT attend to?"]
        assert (line["label"], said["own_answer"]) == ("composite", "")

    def test_a_bad_part_leaves_it_out(self, filled: Run) -> None:
        run = asked(filled, BOTH)
        filled("runs", "rate", run, "good")
        filled("runs", "rate", run, "bad", "--part", "2")
        result = filled("export", "--training", "planner")
        assert (result.stdout, result.stderr) == ("", "0 examples\nleft out: 1 (people found it bad)\n")

    def test_a_model_is_shown_no_passages_unless_that_is_wanted(self, filled: Run) -> None:
        asked(filled, ONE)
        (line,) = exported(filled, "planner")
        assert "left side" not in json.dumps(line)
        (line,) = exported(filled, "planner", "--include-passages")
        assert "GPT attends to the left side only." in line["messages"][1]["content"]


class TestRounds:
    @pytest.fixture
    def roadmap(self, filled: Run) -> Run:
        """A run of the strategy that filters and decides."""
        asked(filled, BOTH, "--strategy", "roadmap")
        return filled

    def test_what_a_filter_should_have_kept(self, roadmap: Run) -> None:
        lines = exported(roadmap, "filter")
        assert lines
        for line in lines:
            said = json.loads(line["messages"][2]["content"])
            assert (line["label"], said["none_useful"]) == (("keep", False) if said["keep"] else ("none", True))
            shown = line["messages"][1]["content"]
            assert all(f" {key}> " in shown for key in said["keep"])
            assert "left side" not in shown
        kept = [
            title
            for line in exported(roadmap, "filter", "--include-passages")
            for key in json.loads(line["messages"][2]["content"])["keep"]
            for title in [line["messages"][1]["content"].split(f" {key}> ")[1].split("\n")[1]]
        ]
        assert set(kept) <= {"BERT hides words and attends to both sides.", "GPT attends to the left side only."}

    def test_what_a_decision_maker_should_have_said(self, roadmap: Run) -> None:
        lines = exported(roadmap, "decision")
        assert lines
        for line in lines:
            said = line["messages"][2]["content"]
            assert said.startswith(f"[{line['label']}]")
            assert line["meta"]["strategy"] == "roadmap"
            assert line["meta"]["part"] in {1, 2}

    def test_a_run_without_rounds_has_none(self, filled: Run) -> None:
        asked(filled, ONE)
        result = filled("export", "--training", "filter")
        assert result.stderr == "0 examples\nleft out: 1 (nothing of the kind happened in it)\n"


class TestRights:
    def test_only_runs_that_rest_on_chosen_documents(self, filled: Run) -> None:
        asked(filled, ONE, "--where", "year = 2018")
        asked(filled, "Which words does BERT hide?", "--where", "year = 2019")
        assert list(labels(filled)) == [ONE, "Which words does BERT hide?"]
        assert list(labels(filled, "--where", "year = 2018")) == [ONE]
        assert list(labels(filled, "--collection", "other")) == []
        filled("remove", "gpt", "--yes")
        assert list(labels(filled, "--collection", "default")) == ["Which words does BERT hide?"]

    def test_only_runs_that_were_rated_or_that_are_new(self, filled: Run) -> None:
        run = asked(filled, ONE)
        asked(filled, "Which words does BERT hide?")
        filled("runs", "rate", run, "good")
        assert list(labels(filled, "--rated-only")) == [ONE]
        assert len(labels(filled, "--since", "2020-01-01")) == 2
        assert labels(filled, "--since", "2999-01-01") == {}

    def test_ids_are_hashed_and_the_order_is_that_of_the_runs(self, filled: Run, tmp_path: Path) -> None:
        ids = [asked(filled, ONE), asked(filled, "Which words does BERT hide?")]
        filled("export", "--training", "router", "--output", tmp_path / "one.jsonl")
        filled("export", "--training", "router", "--output", tmp_path / "two.jsonl")
        text = (tmp_path / "one.jsonl").read_text()
        assert text == (tmp_path / "two.jsonl").read_text()
        assert not any(run in text for run in ids)
        assert [question_of(json.loads(line)) for line in text.splitlines()] == [ONE, "Which words does BERT hide?"]

    def test_what_belongs_to_somebody_is_masked(self, filled: Run) -> None:
        run = asked(filled, "What does GPT attend to? Write to ada.quux@example.org or +49 30 1234567.")
        filled("runs", "rate", run, "good")
        (line,) = exported(filled, "router")
        told = json.dumps(line)
        assert "ada.quux" not in told
        assert "1234567" not in told
        assert "[e-mail]" in question_of(line)


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("ragas", ("user_input", "response", "retrieved_contexts")),
        ("deepeval", ("input", "actual_output", "retrieval_context")),
    ],
)
def test_answers_for_programs_that_measure_them(filled: Run, program: str, names: tuple[str, ...]) -> None:
    answer = json.loads(filled("ask", BOTH, "--json").stdout)
    result = filled("export", "--evaluation", program)
    (line,) = map(json.loads, result.stdout.splitlines())
    question, response, passages = (line.pop(name) for name in names)
    assert not line
    assert (question, response) == (BOTH, answer["answer"])
    assert {item["text"] for row in answer["parts"] for item in row["evidence"]} == set(passages)
    assert len(passages) == len(set(passages)) > 1


@pytest.mark.parametrize(
    "more", [(), ("--training", "router", "--evaluation", "ragas"), ("--evaluation", "ragas", "--include-passages")]
)
def test_lines_are_for_one_thing(filled: Run, more: tuple[str, ...]) -> None:
    assert filled("export", *more).exit_code == 2


def test_what_was_left_out_as_json(filled: Run, tmp_path: Path) -> None:
    asked(filled, ONE)
    asked(filled, "Who painted the Mona Lisa?")
    told = '{"examples": 1, "left_out": {"no way served the question": 1}}\n'
    assert filled("export", "--training", "router", "--json").stderr == told
    result = filled("export", "--training", "router", "--json", "--output", tmp_path / "router.jsonl")
    assert (result.stdout, result.stderr) == (told, "")


def test_what_is_wrong_costs_no_earlier_export(filled: Run, tmp_path: Path) -> None:
    output = tmp_path / "router.jsonl"
    output.write_text("before")
    assert filled("export", "--training", "router", "--where", "year >", "--output", output).exit_code == 1
    assert (output.read_text(), list(tmp_path.glob(".router*"))) == ("before", [])


def test_a_device_that_is_full(filled: Run) -> None:
    asked(filled, ONE)
    result = filled("export", "--training", "router", "--output", "/dev/full")
    assert result.exit_code == 1
    assert "'/dev/full': cannot be written: No space left on device" in result.stderr
    assert Path("/dev/full").is_char_device()


def test_a_planner_can_be_trained_on_a_plan(filled: Run) -> None:
    asked(filled, BOTH)
    (line,) = exported(filled, "planner")
    assert json.loads(line["messages"][2]["content"])["parts"][0]["question"]
