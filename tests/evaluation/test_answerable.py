"""Every question is asked with its evidence shown and hidden; the figures against values that were worked out by hand."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from scholarmind.answer import Answer, Review, Row, Verdict
from scholarmind.errors import QueryError
from scholarmind.evaluation.dataset_evaluation import (
    AnswerabilityTrial,
    answerability_figures,
    auc,
    cached_library,
    calibration_error,
    evaluate_answerable,
    lowest_confidence,
)
from scholarmind.evaluation.experiments import is_answerable
from scholarmind.events import Progress
from scholarmind.plan import Plan, SubQuestion
from scholarmind.settings import Settings

CORPUS = {
    "kestrel": "The kestrel breeds in old barns and lays five eggs in April.",
    "heron": "The heron breeds in tall alders and lays three eggs in March.",
    "otter": "The otter sleeps in hollow banks and swims in winter.",
}
QUESTIONS: list[dict[str, Any]] = [
    {"question": "How many eggs does the kestrel lay in April?", "evidence": [{"id": "kestrel"}]},
    {"question": "Where does the otter sleep?", "evidence": [{"id": "otter"}, {"id": "not in the corpus"}]},
    {"question": "How many eggs do the kestrel and the heron lay?", "evidence": [{"id": "kestrel"}, {"id": "heron"}]},
    {"question": "Where does the heron winter?", "evidence": [{"id": "heron"}], "answer": {"is_impossible": True}},
    {"question": "Where does the wolf sleep?", "evidence": [{"id": "not in the corpus"}]},
    {"question": "Where does the badger sleep?"},
    {"question": "Who saw the heron?", "evidence": [{"id": "heron"}], "type": "Irrelevant Unsolvable Question"},
    {"question": "Who saw the otter?", "evidence": [{"id": "otter"}], "type": "NULL_query"},
]


def write(path: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


@pytest.fixture(autouse=True)
def _cache_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three notes on animals, three questions that can be asked both ways, and five that cannot."""
    folder = tmp_path / "animals"
    folder.mkdir()
    write(folder / "corpus.jsonl", [{"id": id, "title": id.title(), "text": text} for id, text in CORPUS.items()])
    write(folder / "queries.jsonl", QUESTIONS)
    return folder


@pytest.fixture
def settings() -> Settings:
    """Words alone, and no model."""
    return Settings(library=Path("unused"), embedder="none", effort="keyless")


@pytest.fixture
def measured(dataset: Path, settings: Settings) -> Callable[..., dict[str, Any]]:
    """Evaluate, and return the figures."""

    def evaluate(on_event: Callable[[Any], None] = lambda _: None, limit: int | None = None) -> dict[str, Any]:
        return evaluate_answerable(dataset, settings, on_event, mode="hybrid", limit=limit)

    return evaluate


def test_what_is_hidden_is_told_from_what_is_shown(measured: Callable[..., dict[str, Any]]) -> None:
    found = measured()
    assert {name: found[name] for name in ("dataset", "n", "skipped")} == {"dataset": "animals", "n": 3, "skipped": 5}
    assert found["false_missing"] == 0.0
    assert found["auc"] == 1.0
    assert found["by"]["hidden"]["not in the library"] > 0
    assert [sum(verdicts.values()) for verdicts in found["by"].values()] == [3, 3]


def test_with_all_of_its_passages_hidden_nothing_is_found(
    dataset: Path, measured: Callable[..., dict[str, Any]]
) -> None:
    """What an answer rested on would be found again: its records are all that there is."""
    write(dataset / "corpus.jsonl", [{"id": id, "text": text} for id, text in CORPUS.items() if id != "otter"])
    write(dataset / "queries.jsonl", [{**QUESTIONS[2], "evidence": [{"id": "kestrel"}, {"id": "heron"}]}])
    found = measured()
    assert found["by"]["hidden"] == {
        "complete": 0,
        "with caveats": 0,
        "incomplete": 0,
        "conflicting": 0,
        "not in the library": 1,
    }
    assert (found["false_answered"], found["auc"]) == (0.0, 1.0)


def test_nothing_is_kept_of_what_is_asked(
    dataset: Path, settings: Settings, measured: Callable[..., dict[str, Any]]
) -> None:
    measured()
    library = cached_library(dataset / "corpus.jsonl", settings)
    assert library.is_dir()
    assert not [file.name for file in library.iterdir() if file.name.startswith(("runs", "responses"))]


def test_progress_is_by_question_that_is_asked(measured: Callable[..., dict[str, Any]]) -> None:
    told: list[Any] = []
    measured(told.append)
    asked = [event for event in told if isinstance(event, Progress) and event.stage == "ask"]
    assert asked == [Progress(stage="ask", done=done, total=3, unit="questions") for done in (1, 2, 3)]


def test_only_the_first_questions_are_looked_at(measured: Callable[..., dict[str, Any]]) -> None:
    found = measured(limit=4)
    assert (found["n"], found["skipped"]) == (3, 1)


def test_a_dataset_without_any_such_question_is_told(dataset: Path, measured: Callable[..., dict[str, Any]]) -> None:
    write(dataset / "queries.jsonl", QUESTIONS[3:])
    with pytest.raises(QueryError, match=r"none of the 5 questions of .*animals' can be asked"):
        measured()


@pytest.mark.parametrize(
    ("record", "answerable"),
    [
        ({}, True),
        ({"answer": None}, True),
        ({"answer": "impossible"}, True),
        ({"answer": {"answers": ["five"], "is_impossible": False}}, True),
        ({"answer": {"is_impossible": True}}, False),
        ({"type": None}, True),
        ({"type": "Factual Question"}, True),
        ({"type": "Irrelevant Unsolvable Question"}, False),
        ({"type": "Null_Query"}, False),
    ],
)
def test_which_questions_have_an_answer(record: dict[str, Any], answerable: bool) -> None:
    assert is_answerable(record) is answerable


@pytest.mark.parametrize(
    ("right", "wrong", "area"),
    [
        pytest.param([0.9, 0.8], [0.1], 1.0, id="apart"),
        pytest.param([0.1], [0.9, 0.8], 0.0, id="the wrong way round"),
        pytest.param([0.5, 0.5], [0.5, 0.5], 0.5, id="all alike"),
        pytest.param([0.9, 0.4], [0.4, 0.2], 0.875, id="a tie is half"),  # 1 + 1 + 1/2 + 1 of 4
        pytest.param([0.7, 0.3, 0.1], [0.5, 0.2], 0.5, id="mixed"),  # 2 + 1 + 0 of 6
        pytest.param([], [0.5], None, id="none right"),
        pytest.param([0.5], [], None, id="none wrong"),
    ],
)
def test_area_under_the_curve(right: list[float], wrong: list[float], area: float | None) -> None:
    assert auc([True] * len(right) + [False] * len(wrong), [*right, *wrong]) == area


@pytest.mark.parametrize(
    ("right", "confidences", "error"),
    [
        pytest.param([True, False], [1.0, 0.0], 0.0, id="sure and right"),
        pytest.param([False, True], [1.0, 0.0], 1.0, id="sure and wrong"),
        pytest.param([True, False], [0.5, 0.5], 0.0, id="one bin, as often right as told"),
        pytest.param([True, True, False], [0.55, 0.57, 0.05], (2 * 0.44 + 0.05) / 3, id="bins by their size"),
        pytest.param([True, True], [0.95, 1.0], 0.025, id="1 is in the last bin"),
    ],
)
def test_calibration(right: list[bool], confidences: list[float], error: float) -> None:
    assert calibration_error(right, confidences) == pytest.approx(error)


def test_every_figure_of_some_askings() -> None:
    def asking(verdict: Verdict, confidence: float, *, shown: bool) -> AnswerabilityTrial:
        return AnswerabilityTrial(shown=shown, verdict=verdict, confidence=confidence)

    found = answerability_figures(
        [
            asking("complete", 0.95, shown=True),
            asking("with caveats", 0.65, shown=True),
            asking("incomplete", 0.35, shown=True),
            asking("conflicting", 0.95, shown=True),
            asking("complete", 0.95, shown=False),
            asking("not in the library", 0.05, shown=False),
            asking("not in the library", 0.05, shown=False),
            asking("incomplete", 0.35, shown=False),
        ]
    )
    assert found == {
        "auc": 0.7812,  # 3 1/2, 3, 2 1/2 and 3 1/2 of 16
        "false_answered": 0.25,
        "false_missing": 0.5,
        "ece": 0.2,  # three at .95 off by .2833, one at .65 by .35, two at .35 by .15, two at .05 by .05
        "by": {
            "shown": {"complete": 1, "with caveats": 1, "incomplete": 1, "conflicting": 1, "not in the library": 0},
            "hidden": {"complete": 1, "with caveats": 0, "incomplete": 1, "conflicting": 0, "not in the library": 2},
        },
    }


def test_the_weakest_row_that_searches_counts() -> None:
    parts = (
        SubQuestion(id=1, text="A?"),
        SubQuestion(id=2, text="B?"),
        SubQuestion(id=3, text="A or B?", role="compare", depends_on=(1, 2)),
    )
    rows = tuple(
        Row(id=str(part), part=part, text="", status="answered", confidence=confidence)
        for part, confidence in ((1, 0.8), (2, 0.6), (3, 0.1))
    )
    plan = Plan(question="A or B?", complexity="composite", reason="two things", parts=parts, decided_by="rules")

    def answer(rows: tuple[Row, ...]) -> Answer:
        review = Review(rows=rows, verdict="complete", confidence=0.7)
        return Answer(question="A or B?", text="", plan=plan, review=review)

    assert [lowest_confidence(answer(some)) for some in (rows, rows[2:], ())] == [0.6, 0.7, 0.7]
