"""`scholarmind tune`: values of one setting on some of the questions, the best of them on the others.

Of the pair that a question names, only a share of the passages can be kept; how many that should be is what is tuned.
"""

import json
import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
NAMES = "Alvin Borka Celda Dorim Evrat Fenol".split()


def lines(records: list[dict[str, Any]]) -> str:
    """Write one JSON object a line."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Thirty questions on two names each; of each name four records tell the same, and one of them is needed."""
    folder = tmp_path / "wheat"
    folder.mkdir()
    told = "{0} reports yield and yield of wheat. Wheat wheat yield {0}. Field {1}."
    (folder / "corpus.jsonl").write_text(
        lines(
            [
                {"id": f"{name}{place}", "title": f"{name} Study", "text": told.format(name, place)}
                for name in NAMES
                for place in range(4)
            ]
        )
    )
    questions = [
        {
            "id": f"{first}{other}",
            "question": f"Compare {first} Study and {other} Study on wheat yield",
            "evidence": [{"id": f"{first}0"}, {"id": f"{other}0"}],
        }
        for first, other in permutations(NAMES, 2)
    ]
    (folder / "queries.jsonl").write_text(lines(questions))
    return folder


@pytest.fixture
def tuned(run: Run, dataset: Path) -> Callable[..., dict[str, Any]]:
    """Tune and return what is printed for programs."""

    def told(setting: str, values: str, *options: str | Path) -> dict[str, Any]:
        asked = ("tune", dataset, "--setting", setting, "--values", values, "--mode", "keyword", "--json")
        result = run(*asked, *options)
        assert (result.exit_code, result.stderr) == (0, "")
        return json.loads(result.stdout)

    return told


def test_a_better_value_is_recommended(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("places", "2,4,20")
    assert (found["dataset"], found["setting"], found["metric"]) == ("wheat", "places", "f1@kept")
    assert (found["default"], found["best"], found["recommended"]) == ("10", "2", "2")
    assert (found["tuning"]["n"], found["others"]["n"]) == (15, 15)
    assert [row["value"] for row in found["tuning"]["values"]] == ["10", "2", "4", "20"]
    means = {row["value"]: row["mean"] for row in found["tuning"]["values"]}
    assert means["2"] == 1.0 > means["4"] > means["10"] >= means["20"]
    assert (found["others"]["2"], found["others"]["difference"]["helped"]) == (1.0, 15)
    assert found["why"].startswith("2 is better than 10 also on questions that it was not chosen by: +")


def test_no_value_is_better(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("places", "10,20")
    assert (found["best"], found["recommended"], set(found["others"])) == ("10", "10", {"n", "10"})
    assert found["why"] == "no value did better than 10, which is set, on the questions for tuning"


def test_what_is_noise_is_not_recommended(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("places", "2", "--limit", "8")
    assert (found["best"], found["others"]["difference"]["helped"], found["recommended"]) == ("2", 4, "10")
    assert found["why"].startswith("on questions that it was not chosen by, the difference of 2 is noise: +")


def test_the_default_is_what_is_set(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("places", "2,10", "--set", "places=4")
    assert found["default"] == "4"


def test_switches_and_settings_of_strategies(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("plain", "true", "--metric", "all@2")
    assert (found["default"], [row["value"] for row in found["tuning"]["values"]]) == ("false", ["false", "true"])
    assert found["tuning"]["values"][1]["difference"]["helped"] + found["tuning"]["values"][1]["difference"]["hurt"] > 0
    found = tuned("scored.top_n", "2", "--strategy", "scored")
    assert (found["default"], found["metric"]) == ("8", "f1@kept")


def test_a_setting_that_is_about_reading(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("passage_overlap", "0,10", "--metric", "recall@5", "--limit", "6")
    assert found["default"] == "40"


def test_another_share_and_seed(tuned: Callable[..., dict[str, Any]]) -> None:
    found = tuned("places", "2", "--share", "0.2", "--seed", "3")
    assert (found["tuning"]["n"], found["others"]["n"]) == (6, 24)
    assert (found["conditions"]["share"], found["conditions"]["seed"]) == (0.2, 3)


def test_the_same_run_tells_the_same(tuned: Callable[..., dict[str, Any]]) -> None:
    first, second = tuned("places", "2,4"), tuned("places", "2,4")
    for found in (first, second):
        del found["conditions"]["date"]
    assert first == second


def test_what_people_see(run: Run, dataset: Path, tmp_path: Path) -> None:
    report = tmp_path / "tuned.html"
    asked = ("tune", dataset, "--setting", "places", "--values", "2,4", "--mode", "keyword", "--report", report)
    told = run(*asked).stdout
    assert told.startswith("places on wheat: f1@kept on 15 questions for tuning\n")
    assert "│ 10 (set)" in told
    assert "│ 2 (best)" in told
    assert "\non the 15 other questions: " in told
    assert told.endswith("\nrecommended: places = 2\n")
    tags = re.findall(r"<(\w+)", report.read_text(encoding="utf-8"))
    assert (tags.count("svg"), tags.count("circle"), tags.count("table"), "script" in tags) == (1, 3, 3, False)
    assert "Recommended: places = 2: 2 is better than 10" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--setting", "place", "--values", "2"), "unknown setting 'place'; did you mean 'places'?"),
        (("--setting", "places", "--values", "0"), "places = 0 is not between 1 and 200"),
        (("--setting", "places", "--values", "two"), "places = 'two' is not a int"),
        (("--setting", "places", "--values", "10"), "there is nothing to compare: places is 10 already"),
        (("--setting", "places", "--values", ","), "there is nothing to compare: places is 10 already"),
        (("--setting", "scored.top_n", "--values", "2"), "scored.top_n changes nothing with strategy 'plan'"),
        (("--setting", "places", "--values", "2", "--metric", "luck"), "--metric 'luck' is not understood"),
        (("--setting", "places", "--values", "2", "--metric", "recall@0"), "--metric 'recall@0' is not understood"),
        (("--setting", "places", "--values", "2", "--metric", "complete@5"), "0 measurable questions cannot be split"),
        (("--setting", "places", "--values", "2", "--limit", "1"), "1 measurable questions cannot be split"),
        (("--setting", "places", "--values", "2", "--report", "/nowhere/x"), "no report can be written to"),
    ],
)
def test_what_cannot_be_tuned(run: Run, dataset: Path, arguments: tuple[str, ...], told: str) -> None:
    result = run("tune", dataset, *arguments)
    assert (result.exit_code, result.stdout, told in result.stderr) == (1, "", True)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "give a folder with questions, or --runs"),
        (("DATASET", "--runs"), "give a folder with questions, or --runs"),
        (("DATASET", "--library", "x"), "--library goes with --runs"),
        (("DATASET", "--share", "1"), "is not in the range 0<x<1"),
    ],
)
def test_what_does_not_go_together(run: Run, dataset: Path, more: tuple[str, ...], told: str) -> None:
    given = [dataset if word == "DATASET" else word for word in more]
    result = run("tune", *given, "--setting", "places", "--values", "2")
    assert (result.exit_code, told in " ".join(result.stderr.split())) == (2, True)


# -- by what people said of answers


def asked(run: Run, question: str) -> str:
    """Ask and return the id of the run."""
    return json.loads(run("ask", question, "--json").stdout)["run"]


def test_rated_runs_are_questions(filled: Run) -> None:
    for question in ("Which words does BERT hide?", "To which side does GPT attend?", "Who hides words?"):
        filled("runs", "rate", asked(filled, question), "good")
    filled("runs", "rate", asked(filled, "What attends to both sides?"), "bad")
    result = filled("tune", "--runs", "--setting", "places", "--values", "1,2", "--metric", "recall@kept", "--json")
    assert (result.exit_code, result.stderr) == (0, "1 rated runs left out: nothing was found good\n")
    found = json.loads(result.stdout)
    assert (found["dataset"], found["tuning"]["n"] + found["others"]["n"]) == ("rated runs", 3)
    assert found["tuning"]["values"][0]["mean"] == 1.0


def test_too_few_rated_runs(filled: Run) -> None:
    result = filled("tune", "--runs", "--setting", "places", "--values", "1,2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "Error: 0 of the rated runs can be used, and two are the least; rate answers with: "
    )


def test_a_library_is_not_read_anew_for_its_rated_runs(filled: Run) -> None:
    for question in ("Which words does BERT hide?", "To which side does GPT attend?"):
        filled("runs", "rate", asked(filled, question), "good")
    result = filled("tune", "--runs", "--setting", "passage_tokens", "--values", "50")
    assert result.exit_code == 1
    assert "passage_tokens is about how documents are read" in result.stderr
