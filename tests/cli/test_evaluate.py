"""`scholarmind evaluate` on a dataset whose figures were worked out by hand.

Searching `alpha` by keywords finds the records a, b, c in this order, because they are of one length and say it 3, 2 and 1 times;
`gamma` finds d.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.testing import ScriptedServer

Run = Callable[..., Result]

CORPUS = {
    "a": "Alpha alpha alpha filler.",
    "b": "Alpha alpha filler filler.",
    "c": "Alpha filler filler filler.",
    "d": "Gamma filler filler filler.",
}
QUESTIONS = [
    {"question": "alpha", "type": "one", "evidence": [{"id": "b"}]},
    {"question": "alpha", "type": "two", "evidence": [{"id": "a"}, {"id": "c"}]},
    {"question": "gamma", "type": "two", "evidence": [{"id": "d"}, {"id": "not in the corpus"}]},
    {"question": "nothing", "type": "two", "evidence": [{"id": "a"}]},
    {"question": "alpha", "type": "texts", "references": ["alpha, ALPHA; alpha", "alpha filler filler"]},
    {"question": "alpha", "type": "none"},
]


def lines(records: list[dict[str, Any]]) -> str:
    """Write one JSON object a line."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """The folder of the dataset."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines([{"id": id, "text": text} for id, text in CORPUS.items()]))
    (folder / "queries.jsonl").write_text(lines(QUESTIONS))
    return folder


@pytest.fixture
def figures(run: Run, dataset: Path) -> Callable[..., dict[str, Any]]:
    """Evaluate and return the figures."""

    def measured(*options: str) -> dict[str, Any]:
        result = run("evaluate", dataset, "--mode", "keyword", "--json", *options)
        assert (result.exit_code, result.stderr) == (0, "")
        return json.loads(result.stdout)

    return measured


def test_every_figure(figures: Callable[..., dict[str, Any]]) -> None:
    found = figures("--at", "1,2,3")
    assert set(found.pop("latency")) == {"p50_ms", "p95_ms"}
    assert found == {
        "dataset": "tiny",
        "mode": "keyword",
        "decompose": "off",
        "n": 5,
        "without_evidence": 1,
        "documents": 4,
        "passages": 4,
        "problems": 0,
        "notices": {},
        "metrics": {
            "recall@1": 0.25,  # 0, 1/2, 1/2, 0
            "all@1": 0.0,
            "recall@2": 0.5,  # 1, 1/2, 1/2, 0
            "all@2": 0.25,  # 1, 0, 0, 0
            "recall@3": 0.625,  # 1, 1, 1/2, 0
            "all@3": 0.5,  # 1, 1, 0, 0
            "hits@4": 0.75,  # 1, 1, 1, 0
            "mrr@10": 0.625,  # 1/2, 1, 1, 0
            "map@10": 0.4583,  # 1/2, (1/1 + 2/3) / 2, (1/1) / 2, 0
            "complete@1": 0.0,  # the second sentence is only in b
            "complete@2": 1.0,
            "complete@3": 1.0,
        },
        "by_type": {
            "one": {
                "n": 1,
                "metrics": {
                    "recall@1": 0.0,
                    "all@1": 0.0,
                    "recall@2": 1.0,
                    "all@2": 1.0,
                    "recall@3": 1.0,
                    "all@3": 1.0,
                    "hits@4": 1.0,
                    "mrr@10": 0.5,
                    "map@10": 0.5,
                },
            },
            "texts": {"n": 1, "metrics": {"complete@1": 0.0, "complete@2": 1.0, "complete@3": 1.0}},
            "two": {
                "n": 3,
                "metrics": {
                    "recall@1": 0.3333,
                    "all@1": 0.0,
                    "recall@2": 0.3333,
                    "all@2": 0.0,
                    "recall@3": 0.5,
                    "all@3": 0.3333,
                    "hits@4": 0.6667,
                    "mrr@10": 0.6667,
                    "map@10": 0.4444,
                },
            },
        },
    }


def test_the_first_questions_only(figures: Callable[..., dict[str, Any]]) -> None:
    found = figures("--limit", "1", "--at", "2")
    assert (found["n"], found["metrics"]["recall@2"], list(found["by_type"])) == (1, 1.0, ["one"])


def test_the_table(run: Run, dataset: Path) -> None:
    result = run("evaluate", dataset, "--mode", "keyword", "--at", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line]
    assert result.stdout.startswith("tiny, keyword\n")
    assert rows == [
        ["one", "1", "1.000", "1.000", "1.000", "0.500", "0.500", ""],
        ["texts", "1", "", "", "", "", "", "1.000"],
        ["two", "3", "0.333", "0.000", "0.667", "0.667", "0.444", ""],
        ["all", "5", "0.500", "0.250", "0.750", "0.625", "0.458", "1.000"],
    ]
    assert "4 records, 4 passages; a search takes " in result.stdout
    assert "1 questions name no evidence and were asked but not measured" in result.stdout


def test_the_library_is_used_again_until_the_records_change(
    figures: Callable[..., dict[str, Any]], dataset: Path, tmp_path: Path
) -> None:
    def libraries() -> int:
        return len(list((tmp_path / "cache" / "scholarmind" / "evaluate").iterdir()))

    figures()
    figures()
    assert libraries() == 1
    with (dataset / "corpus.jsonl").open("a") as file:
        file.write('{"id": "e", "text": "Alpha."}\n{broken\n')
    found = figures()
    assert (libraries(), found["documents"], found["problems"]) == (2, 5, 1)


def test_numbers_as_ids(figures: Callable[..., dict[str, Any]], dataset: Path) -> None:
    (dataset / "corpus.jsonl").write_text(lines([{"id": 0, "text": "Alpha."}, {"id": 1, "text": "Gamma."}]))
    (dataset / "queries.jsonl").write_text(lines([{"question": "alpha", "evidence": [{"id": 0}]}]))
    assert figures()["metrics"]["recall@5"] == 1.0


def test_blank_lines_and_a_mark_are_no_questions(figures: Callable[..., dict[str, Any]], dataset: Path) -> None:
    (dataset / "queries.jsonl").write_text(f"\ufeff{lines(QUESTIONS[:1])}\n\n", encoding="utf-8")
    assert figures()["n"] == 1


def test_names_of_a_dataset_are_not_markup(run: Run, dataset: Path) -> None:
    odd = [
        {"question": "alpha", "type": name, "evidence": [{"id": "a"}]}
        for name in ("[bold]x[/bold]", "[/y]", "\x1b[31m")
    ]
    (dataset / "queries.jsonl").write_text(lines(odd))
    folder = dataset.rename(dataset.with_name("[red]tiny"))
    result = run("evaluate", folder, "--mode", "keyword")
    assert result.exit_code == 0
    assert result.stdout.startswith("[red]tiny, keyword\n")
    assert "[bold]x[/bold]" in result.stdout
    assert "[/y]" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("at", ["", "0", "5,", "x", "1001", "-1"])
def test_depths_that_are_not_understood(run: Run, dataset: Path, at: str) -> None:
    result = run("evaluate", dataset, f"--at={at}")
    assert result.exit_code == 1
    assert result.stderr == f"Error: --at {at!r} is not a list of depths between 1 and 1000, such as 5,10\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("{broken", "line 2: not a question (JSONDecodeError", id="not JSON"),
        pytest.param("[]", "line 2: not a question (", id="a list"),
        pytest.param("7", "line 2: not a question (", id="a number"),
        pytest.param('{"text": "x"}', "line 2: not a question (KeyError('question')", id="no question"),
        pytest.param('{"question": "x", "evidence": ["a"]}', "line 2: not a question (", id="evidence without id"),
        pytest.param('{"question": "x", "evidence": 7}', "line 2: not a question (", id="evidence is a number"),
    ],
)
def test_a_wrong_question_is_told_by_its_line(run: Run, dataset: Path, line: str, told: str) -> None:
    (dataset / "queries.jsonl").write_text(f"{lines(QUESTIONS[:1])}{line}\n")
    result = run("evaluate", dataset)
    assert result.exit_code == 1
    assert told in result.stderr


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ('{"question": "café"}'.encode("latin-1"), "line 1: not a question (UnicodeEncodeError"),
        (b"[" * 100_000, "line 1: not a question (RecursionError"),
        (b'{"question": null}', "question = None is not text"),
        (b'{"question": "alpha", "references": "alpha"}', "references is a list of sentences"),
    ],
    ids=["latin", "deep", "none", "one reference"],
)
def test_a_question_that_is_none_is_not_guessed(run: Run, dataset: Path, raw: bytes, told: str) -> None:
    (dataset / "queries.jsonl").write_bytes(raw)
    result = run("evaluate", dataset)
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr


@pytest.mark.parametrize("raw", ["", "not JSON\n"])
def test_records_that_are_none_are_told(run: Run, dataset: Path, raw: str) -> None:
    (dataset / "corpus.jsonl").write_text(raw)
    result = run("evaluate", dataset)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "corpus.jsonl' holds no record that can be searched" in result.stderr


def test_half_a_character_can_be_printed(run: Run, dataset: Path) -> None:
    (dataset / "queries.jsonl").write_text('{"question": "alpha", "type": "\\ud800", "evidence": [{"id": "a"}]}')
    assert run("evaluate", dataset, "--mode", "keyword").exit_code == 0


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_told(run: Run, dataset: Path, name: str) -> None:
    (dataset / name).unlink()
    result = run("evaluate", dataset)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: '{dataset}/{name}' is missing; ")


def test_no_questions_is_told(run: Run, dataset: Path) -> None:
    (dataset / "queries.jsonl").write_text("\n")
    assert run("evaluate", dataset).stderr == f"Error: '{dataset}/queries.jsonl' holds no question\n"


# -- taking the questions apart

COMPOSITE = [
    {"question": "Compare Alpha Note and Gamma Note on filler", "type": "pair", "evidence": [{"id": "a"}, {"id": "d"}]},
    {"question": "What is alpha?", "type": "one", "evidence": [{"id": "a"}], "references": ["alpha alpha"]},
    {"question": "?", "type": "odd", "evidence": [{"id": "a"}]},
    {"question": "thanks", "type": "odd", "evidence": [{"id": "a"}]},
    {"question": "🤖?!", "type": "odd", "evidence": [{"id": "a"}]},
    {"question": "#1 以及 #2 since 2020, and what is the gamma of alpha?", "type": "odd", "evidence": [{"id": "d"}]},
    {"question": "no evidence", "type": "none"},
]
MEASURES = {"recall@5", "all@5", "recall@10", "all@10", "hits@4", "mrr@10", "map@10", "complete@5", "complete@10"}


@pytest.fixture
def composite(dataset: Path) -> Path:
    """The same records with titles, and questions that want more than one of them."""
    records = [
        {"id": id, "title": f"{text.split()[0]} Note", "text": f"{text} It says {id}1 {id}2 {id}3."}
        for id, text in CORPUS.items()
    ]
    (dataset / "corpus.jsonl").write_text(lines(records))
    (dataset / "queries.jsonl").write_text(lines(COMPOSITE))
    return dataset


def test_on_gives_the_same_figures_as_off(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    off, on = figures("--decompose", "off"), figures("--decompose", "on")
    assert (off["decompose"], on["decompose"]) == ("off", "on")
    assert off.keys() == on.keys()
    assert set(off["metrics"]) == set(on["metrics"]) == MEASURES
    assert (on["n"], on["without_evidence"], on["documents"]) == (6, 1, 4)
    assert (on["by_type"]["pair"]["metrics"]["all@5"], on["by_type"]["one"]["metrics"]["mrr@10"]) == (1.0, 1.0)
    assert not {"off", "on", "difference", "ablation"} & on.keys()


def test_both_are_compared(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    found = figures("--decompose", "both")
    alone = {decompose: figures("--decompose", decompose) for decompose in ("off", "on")}
    assert (found["decompose"], "metrics" in found) == ("both", False)
    assert list(found["difference"]) == list(found["off"]["metrics"]) == list(found["on"]["metrics"])
    for name, changed in found["difference"].items():
        assert set(changed) == {"mean", "low", "high", "helped", "hurt"}
        before, after = (found[side]["metrics"][name] for side in ("off", "on"))
        assert (before, after) == (alone["off"]["metrics"][name], alone["on"]["metrics"][name])
        assert changed["mean"] == pytest.approx(after - before, abs=2e-4)
        assert changed["low"] <= changed["mean"] <= changed["high"]
        assert 0 <= changed["helped"] + changed["hurt"] <= found["off"]["n"]


def test_what_each_thing_is_worth(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    found = figures("--ablate", "--at", "1,2")
    assert list(found["ablation"]) == [
        "all",
        "no filters",
        "no hops",
        "no quotas",
        "no injection",
        "no tree",
        "no graph",
        "no parts",
        "rrf",
        "original-only",
    ]
    assert set(found["off"]["metrics"]) >= {"recall@1", "all@2", "mrr@10", "complete@1"}
    for run in found["ablation"].values():
        assert run.keys() == {"metrics", "difference"}
        assert list(run["metrics"]) == list(run["difference"]) == list(found["off"]["metrics"])
    assert "metrics" not in found


def table(text: str) -> dict[str, list[str]]:
    """Return the cells of each row by its first; lines without a first cell belong to the row above."""
    rows: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if "│" in line:
            first, *cells = (cell.strip() for cell in line.split("│")[1:-1])
            name = first or name
            rows.setdefault(name, []).extend(cells)
    return rows


def test_the_table_of_both(run: Run, composite: Path, figures: Callable[..., dict[str, Any]]) -> None:
    result = run("evaluate", composite, "--mode", "keyword", "--decompose", "both")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("tiny, keyword, 6 questions\n")
    rows, found = table(result.stdout), figures("--decompose", "both")
    assert list(rows) == ["off", "on"]
    assert rows["off"] == [f"{value:.3f}" for name, value in found["off"]["metrics"].items() if name != "hits@4"]
    changed = found["difference"]["recall@5"]
    assert f"{found['on']['metrics']['recall@5']:.3f}" in rows["on"]
    assert f"{changed['low']:+.3f} {changed['high']:+.3f}" in rows["on"]
    assert f"+{changed['helped']} -{changed['hurt']}" in rows["on"]


def test_the_table_of_what_each_thing_is_worth(run: Run, composite: Path) -> None:
    result = run("evaluate", composite, "--mode", "keyword", "--ablate", "--limit", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("tiny, keyword, 2 questions\n")
    names = [
        "off",
        "all",
        "no filters",
        "no hops",
        "no quotas",
        "no injection",
        "no tree",
        "no graph",
        "no parts",
        "rrf",
        "original-only",
    ]
    assert list(table(result.stdout)) == names


@pytest.mark.parametrize("options", [("--decompose", "both"), ("--ablate",), ("--decompose", "on")])
def test_questions_without_evidence_measure_nothing(run: Run, composite: Path, options: tuple[str, ...]) -> None:
    (composite / "queries.jsonl").write_text(lines(COMPOSITE[-1:]))
    result = run("evaluate", composite, "--mode", "keyword", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(run("evaluate", composite, "--mode", "keyword", "--json", *options).stdout)
    assert found.get("metrics", found.get("difference", {})) == {}


def test_one_way_of_asking_that_there_is_not(run: Run, composite: Path) -> None:
    result = run("evaluate", composite, "--decompose", "maybe")
    assert result.exit_code == 2
    assert "'maybe' is not one of 'on', 'off', 'both'" in result.stderr


# -- strategies and settings


def test_settings_count_without_a_model_too(figures: Callable[..., dict[str, Any]], dataset: Path) -> None:
    long = {"id": "a", "text": "Alpha filler. " * 100}
    (dataset / "corpus.jsonl").write_text(lines([long]))
    assert figures()["passages"] == 2
    assert figures("--set", "passage_tokens=50", "--set", "passage_overlap=0")["passages"] > 4


def test_a_strategy_is_asked_through_the_reading_path(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    plan, concepts = (figures("--strategy", name, "--at", "2") for name in ("plan", "concepts"))
    assert plan["decompose"] == concepts["decompose"] == "on"
    assert plan["metrics"] == figures("--decompose", "on", "--at", "2")["metrics"] != concepts["metrics"]


def test_settings_of_the_reading_path_count(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    usual, narrow = (
        figures("--strategy", "concepts", "--set", f"concepts.top_k={one}", "--at", "1,2") for one in (10, 1)
    )
    assert usual["metrics"] != narrow["metrics"]


def test_strategies_in_one_table(figures: Callable[..., dict[str, Any]], run: Run, composite: Path) -> None:
    found = figures("--strategies", "all", "--at", "2")
    assert list(found["strategies"]) == ["plan", "concepts", "roadmap", "scored"]
    assert [name for name, one in found["strategies"].items() if "difference" in one] == [
        "concepts",
        "roadmap",
        "scored",
    ]
    plan, concepts = found["strategies"]["plan"], found["strategies"]["concepts"]
    assert plan["metrics"] == figures("--strategy", "plan", "--at", "2")["metrics"]
    for name, changed in concepts["difference"].items():
        assert changed["mean"] == pytest.approx(concepts["metrics"][name] - plan["metrics"][name], abs=2e-4)
    told = run("evaluate", composite, "--mode", "keyword", "--strategies", "concepts", "--decompose", "both")
    assert list(table(told.stdout)) == ["off", "plan", "concepts"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param(("--strategy", "scored", "--decompose", "off"), "no strategy has a part in", id="plain search"),
        pytest.param(("--strategy", "plan", "--strategies", "all"), "give one of the two", id="one and several"),
        pytest.param(("--strategies", "all", "--ablate"), "--ablate does not go with --strategies", id="ablate"),
        pytest.param(("--strategies", "magic"), "'magic' is not one of", id="unknown"),
        pytest.param(("--report", "x.html"), "need --compare", id="a report of one way"),
        pytest.param(("a.toml",), "files of settings come after --compare", id="a file without --compare"),
        pytest.param(("--set", "dense"), "'dense' is not NAME=VALUE", id="no value"),
    ],
)
def test_what_does_not_go_together(run: Run, composite: Path, options: tuple[str, ...], told: str) -> None:
    result = run("evaluate", composite, *options)
    assert (result.exit_code, told in " ".join(result.stderr.split())) == (2, True)


def test_an_unknown_setting_is_told(run: Run, composite: Path) -> None:
    result = run("evaluate", composite, "--set", "dense_wait=1")
    assert (result.exit_code, result.stderr) == (
        1,
        "Error: unknown argument 'dense_wait'; did you mean 'dense_weight'?\n",
    )


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
def test_what_each_strategy_took_of_a_model(figures: Callable[..., dict[str, Any]], composite: Path) -> None:
    with ScriptedServer() as model:
        options = ("--strategies", "all", "--decompose", "both", "--llm", f"{model.base_url}#scripted", "--no-cache")
        found = figures(*options, "--limit", "1")
        asked = sum(call.chat for call in model.requests)
    calls = {name: one["models"]["calls"] for name, one in found["strategies"].items()}
    assert (calls["off"], min(calls[name] for name in ("concepts", "scored", "roadmap")) > 0) == (0, True)
    assert sum(calls.values()) == found["models"]["calls"] <= asked


def test_figures_are_not_cut_where_there_is_no_terminal(
    run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    told = run("evaluate", dataset, "--mode", "keyword").stdout
    assert "complete@10" in told
    assert "…" not in told


# -- answerable or not

ANSWERABLE = [
    {"question": "What does Gamma Note say?", "evidence": [{"id": "d"}]},
    {"question": "What does Alpha Note say?", "evidence": [{"id": "a"}, {"id": "b"}, {"id": "c"}]},
    {"question": "What does Delta Note say?", "evidence": [{"id": "a"}], "answer": {"is_impossible": True}},
]


@pytest.fixture
def answerable(composite: Path) -> Path:
    """Two questions that can be answered while their records are shown, and one that never can."""
    (composite / "queries.jsonl").write_text(lines(ANSWERABLE))
    return composite


def test_each_question_with_its_evidence_shown_and_hidden(run: Run, answerable: Path) -> None:
    result = run("evaluate", answerable, "--answerable", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert list(found) == ["dataset", "n", "auc", "false_answered", "false_missing", "ece", "by", "skipped"]
    assert (found["dataset"], found["n"], found["skipped"]) == ("tiny", 2, 1)
    for name in ("auc", "false_answered", "false_missing", "ece"):
        assert 0.0 <= found[name] <= 1.0
    verdicts = ["complete", "with caveats", "incomplete", "conflicting", "not in the library"]
    assert {side: (list(row), sum(row.values())) for side, row in found["by"].items()} == {
        "shown": (verdicts, 2),
        "hidden": (verdicts, 2),
    }
    assert json.loads(run("evaluate", answerable, "--answerable", "--limit", "1", "--json").stdout)["n"] == 1
    assert run("evaluate", answerable, "--answerable", "--mode", "keyword").exit_code == 0


def test_the_table_of_answerable_or_not(run: Run, answerable: Path) -> None:
    found = json.loads(run("evaluate", answerable, "--answerable", "--json").stdout)
    result = run("evaluate", answerable, "--answerable")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("tiny, 2 questions, each with its evidence shown and hidden\n")
    assert table(result.stdout) == {
        side: [str(count) for count in verdicts.values()] for side, verdicts in found["by"].items()
    }
    assert f"answered although hidden {found['false_answered']:.1%}" in result.stdout
    assert f"AUC {found['auc']:.3f}, expected calibration error {found['ece']:.3f}" in result.stdout
    assert "1 questions were skipped" in result.stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--compare", "a.toml", "b.toml"),
        ("a.toml",),
        ("--metric", "mrr@10"),
        ("--report", "x.html"),
        ("--strategies", "all"),
        ("--ablate",),
        ("--decompose", "on"),
        ("--at", "5"),
    ],
    ids=lambda options: options[0],
)
def test_answerable_goes_with_nothing_that_measures_passages(
    run: Run, answerable: Path, options: tuple[str, ...]
) -> None:
    result = run("evaluate", answerable, "--answerable", *options)
    told = f"{options[0]} does not go with --answerable" if options[0] != "a.toml" else "'a.toml' does not go with"
    assert (result.exit_code, told in " ".join(result.stderr.split())) == (2, True)


def test_nothing_that_can_be_asked_both_ways_is_told(run: Run, answerable: Path) -> None:
    (answerable / "queries.jsonl").write_text(lines(ANSWERABLE[2:]))
    result = run("evaluate", answerable, "--answerable")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "can be asked with and without its evidence" in result.stderr


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
def test_what_a_model_took_to_tell_answerable_from_not(run: Run, answerable: Path) -> None:
    with ScriptedServer() as model:
        options = ("--answerable", "--llm", f"{model.base_url}#scripted", "--no-cache", "--limit", "1")
        found = json.loads(run("evaluate", answerable, *options, "--json").stdout)
        told = run("evaluate", answerable, *options).stdout
    assert found["models"]["calls"] > 0
    assert " to scripted, " in " ".join(told.split())
