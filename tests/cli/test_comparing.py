"""`scholarmind evaluate DIR --compare a.toml b.toml`: the same questions in the way of each file, by turns.

Of each pair that a question names, one search finds four records of the first before any of the other; the reading path finds one each.
"""

import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.llm import prompts
from scholarmind.testing import ScriptedServer

Run = Callable[..., Result]
NAMES = "Alvin Borka Celda Dorim Evrat Fenol Gusta Halor".split()
HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31m & 'quoted' \"twice\""


def lines(records: list[dict[str, Any]]) -> str:
    """Write one JSON object a line."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


def named(name: str) -> list[dict[str, Any]]:
    """Return four records on one name."""
    told = f"{name} reports yield and yield of wheat. Wheat wheat yield {name}."
    return [
        {"id": f"{name.lower()}{place}", "title": f"{name} Study", "text": f"{told} Field {place}."}
        for place in range(4)
    ]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Seven questions on two names each, of two types; and one on which nothing is known."""
    folder = tmp_path / "wheat"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines([record for name in NAMES for record in named(name)]))
    questions = [
        {
            "id": f"q{place}",
            "question": f"Compare {first} Study and {other} Study on wheat yield",
            "type": "even" if place % 2 == 0 else "odd",
            "evidence": [{"id": f"{first.lower()}0"}, {"id": f"{other.lower()}0"}],
        }
        for place, (first, other) in enumerate(pairwise(NAMES))
    ]
    (folder / "queries.jsonl").write_text(lines([*questions, {"id": "none", "question": "What is wheat?"}]))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """One search, and the reading path."""
    plain, path = tmp_path / "plain.toml", tmp_path / "path.toml"
    plain.write_text('[options]\nplain = true\nmode = "keyword"\n')
    path.write_text('max_parts = 4\n[options]\nmode = "keyword"\n')
    return [plain, path]


@pytest.fixture
def compared(run: Run, dataset: Path, files: list[Path]) -> Callable[..., dict[str, Any]]:
    """Compare the two and return what is printed for programs."""

    def told(*options: str | Path, with_files: list[Path] = files) -> dict[str, Any]:
        result = run("evaluate", dataset, "--compare", *with_files, "--at", "2", "--json", *options)
        assert (result.exit_code, result.stderr) == (0, "")
        return json.loads(result.stdout)

    return told


def test_every_figure(compared: Callable[..., dict[str, Any]]) -> None:
    found = compared()
    assert (found["dataset"], found["questions"], found["metric"]) == ("wheat", 8, "recall@2")
    plain, path = found["ways"]["plain"], found["ways"]["path"]
    assert (plain["n"], plain["without_evidence"]) == (7, 1)
    assert (plain["metrics"]["recall@2"], path["metrics"]["recall@2"]) == (0.5, 1.0)
    assert (plain["metrics"]["all@2"], path["metrics"]["all@2"]) == (0.0, 1.0)
    (beside,) = found["comparisons"]
    assert (beside["from"], beside["to"]) == ("plain", "path")
    sure = {"mean": 0.5, "low": 0.5, "high": 0.5, "helped": 7, "hurt": 0, "verdict": "better"}
    nothing = {"mean": 0.0, "low": 0.0, "high": 0.0, "helped": 0, "hurt": 0, "verdict": "same"}
    assert (beside["difference"]["recall@2"], beside["difference"]["hits@4"]) == (sure, nothing)
    assert found["settings"] == {
        "max_parts": {"plain": 5, "path": 4},
        "options.plain": {"plain": True, "path": False},
    }
    assert beside["summary"].startswith(
        "path is better than plain on recall@2 by 0.500 [+0.500, +0.500], all@2 by 1.000 [+1.000, +1.000]"
    )
    assert beside["summary"].endswith("; on hits@4, mrr@10 no question came out differently.")


def test_few_questions_prove_nothing(compared: Callable[..., dict[str, Any]]) -> None:
    (beside,) = compared("--limit", "5")["comparisons"]
    assert beside["difference"]["recall@2"]["helped"] == 5
    assert beside["summary"] == (
        "On recall@2, all@2, map@10 no difference can be told; on hits@4, mrr@10 no question came out differently."
    )


def test_types_and_questions(compared: Callable[..., dict[str, Any]]) -> None:
    (beside,) = compared()["comparisons"]
    assert [(kind, row["n"], row["verdict"]) for kind, row in beside["by_type"].items()] == [
        ("even", 4, "unsure"),
        ("odd", 3, "unsure"),
    ]
    assert ([row["id"] for row in beside["helped"]], beside["hurt"]) == ([f"q{place}" for place in range(7)], [])
    first = beside["helped"][0]
    assert (first["values"], first["change"], first["type"]) == ({"plain": 0.5, "path": 1.0}, 0.5, "even")
    assert {item["needed"]: item["found_by"] for item in first["evidence"]} == {
        "alvin0": ["plain", "path"],
        "borka0": ["path"],
    }
    assert {item["title"] for item in first["evidence"]} == {"Alvin Study", "Borka Study"}


def test_a_file_may_be_called_as_anything_that_is_told(
    compared: Callable[..., dict[str, Any]], files: list[Path]
) -> None:
    named = [file.rename(file.with_name(name)) for file, name in zip(files, ("id.toml", "change.toml"), strict=True)]
    (beside,) = compared(with_files=named)["comparisons"]
    first = beside["helped"][0]
    assert (first["id"], first["change"], first["values"]) == ("q0", 0.5, {"id": 0.5, "change": 1.0})


def test_turned_round_the_helped_are_hurt(compared: Callable[..., dict[str, Any]], files: list[Path]) -> None:
    (beside,) = compared(with_files=files[::-1])["comparisons"]
    assert (len(beside["hurt"]), beside["helped"]) == (7, [])
    assert beside["summary"].startswith("plain is worse than path on recall@2 by 0.500 [-0.500, -0.500]")


def test_the_same_run_tells_the_same(compared: Callable[..., dict[str, Any]]) -> None:
    def steady() -> dict[str, Any]:
        found = compared("--metric", "map@10")
        for way in found["ways"].values():
            del way["latency"]
        for beside in found["comparisons"]:
            del beside["milliseconds"]
        del found["conditions"]["date"]
        return found

    found = steady()
    assert found == steady()
    assert found["metric"] == "map@10"


def test_more_than_two_are_each_beside_the_first(
    compared: Callable[..., dict[str, Any]], files: list[Path], tmp_path: Path
) -> None:
    third = tmp_path / "third.toml"
    third.write_text('[options]\nmode = "keyword"\nquotas = false\nfilters = false\ndecompose = false\n')
    found = compared(with_files=[*files, third])
    assert [(one["from"], one["to"]) for one in found["comparisons"]] == [("plain", "path"), ("plain", "third")]
    assert found["settings"]["options.decompose"] == {"plain": True, "path": True, "third": False}


def test_settings_that_are_about_reading_have_a_library_each(
    compared: Callable[..., dict[str, Any]], tmp_path: Path, dataset: Path
) -> None:
    long = [{"id": "alvin0", "title": "Alvin Study", "text": "Wheat and yield of wheat. " * 60}]
    (dataset / "corpus.jsonl").write_text(lines(long))
    short, usual = tmp_path / "short.toml", tmp_path / "usual.toml"
    short.write_text("passage_tokens = 40\npassage_overlap = 0\n")
    usual.write_text("")
    found = compared(with_files=[usual, short])
    small, large = sorted(found["conditions"]["passages"])
    assert small < large
    assert found["settings"]["passage_tokens"] == {"usual": 200, "short": 40}


def test_what_a_file_says_comes_before_everything(
    compared: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLARMIND_MAX_PARTS", "2")
    assert compared("--set", "max_parts=3")["settings"]["max_parts"] == {"plain": 3, "path": 4}


def test_prompts_differ_by_their_versions(
    compared: Callable[..., dict[str, Any]], run: Run, dataset: Path, files: list[Path], tmp_path: Path
) -> None:
    ours = Path(prompts.__file__).parent / "prompts" / "short.en.md"
    own = tmp_path / "own" / "short.en.md"
    own.parent.mkdir()
    own.write_text(f"Take your time.\n{ours.read_text()}")
    other = tmp_path / "other.toml"
    other.write_text('llm_prompts = "own"\n[options]\nmode = "keyword"\n')
    differing = compared(with_files=[files[1], other])["settings"]
    assert set(differing) == {"llm_prompts", "max_parts", "prompt short.en.md"}
    assert differing["llm_prompts"]["other"] == str(own.parent)
    own.write_text("no border")
    result = run("evaluate", dataset, "--compare", files[1], other)
    assert (result.exit_code, f"the prompt '{own}' needs a line '---'" in result.stderr) == (1, True)


def test_files_of_one_name_are_told_apart(
    compared: Callable[..., dict[str, Any]], files: list[Path], tmp_path: Path
) -> None:
    other = tmp_path / "other" / "plain.toml"
    other.parent.mkdir()
    other.write_text("")
    assert list(compared(with_files=[files[0], other])["ways"]) == [str(files[0]), str(other)]


def test_nothing_differs(run: Run, dataset: Path, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.toml").write_text("")
    told = run("evaluate", dataset, "--compare", tmp_path / "a.toml", tmp_path / "b.toml").stdout
    assert "these files ask for the same; only times can differ" in told
    assert told.endswith(
        "\nOn recall@5, all@5, recall@10, all@10, hits@4, mrr@10, map@10 no question came out differently.\n"
    )


def test_what_people_see(run: Run, dataset: Path, files: list[Path]) -> None:
    told = run("evaluate", dataset, "--compare", *files, "--at", "2").stdout
    assert told.startswith("wheat, 8 questions, by turns\n")
    assert "\nmax_parts: 5 (plain), 4 (path)\noptions.plain: True (plain), False (path)\n" in told
    assert "\n  helped +0.50 recall@2: Compare Alvin Study and Borka Study on wheat yield (q0)\n" in told
    assert told.endswith("\n  ... and 2 more helped; --report and --json have them all\n")


# -- with a model


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
def test_what_models_took_is_told_for_each(
    compared: Callable[..., dict[str, Any]], files: list[Path], tmp_path: Path
) -> None:
    with ScriptedServer() as model:
        modelled = tmp_path / "modelled.toml"
        modelled.write_text(f'llm = "{model.base_url}#scripted"\n[options]\nmode = "keyword"\n')
        found = compared(with_files=[files[1], modelled])
        asked = sum(call.chat for call in model.requests)
    assert "models" not in found["ways"]["path"]
    spent = found["ways"]["modelled"]["models"]
    assert (spent["calls"], set(spent["names"].values())) == (asked, {"scripted"})
    assert spent["tokens"] > asked > 0


# -- the report


class Page(HTMLParser):
    """Notes every element, and the text that is shown."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.shown = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.shown += data


@pytest.fixture
def page(compared: Callable[..., dict[str, Any]], tmp_path: Path, dataset: Path) -> Page:
    """The report of a dataset that somebody wrote to do harm."""
    corpus = (dataset / "corpus.jsonl").read_text().replace('Study"', 'Study<b>"')
    (dataset / "corpus.jsonl").write_text(corpus)
    queries = [json.loads(line) for line in (dataset / "queries.jsonl").read_text().splitlines()]
    queries[0] |= {"question": f"{queries[0]['question']} <i>&lt;", "type": HOSTILE, "id": HOSTILE}
    (dataset / "queries.jsonl").write_text(lines(queries))
    compared("--report", tmp_path / "report.html", "--metric", "all@2")
    return Page(tmp_path / "report.html")


def test_nothing_of_a_document_becomes_markup(page: Page) -> None:
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "b", "i", "link", "iframe", "object"}
    assert page.shown.count(HOSTILE.replace("\x1b", "\ufffd")) == 3
    assert "on wheat yield <i>&lt;" in page.shown
    assert "Alvin Study<b> found by both" in page.shown


def test_the_page_needs_nothing_beside_it(page: Page, tmp_path: Path) -> None:
    attributes = {name for _, attributes in page.elements for name in attributes}
    assert not attributes & {"src", "href", "onclick", "onload", "onerror", "style", "srcset", "action"}
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"url\(|@import|https?://", text)
    policies = [attributes["content"] for tag, attributes in page.elements if attributes.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert "prefers-color-scheme: dark" in text
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in [one for _, one in page.elements]


def test_the_page_tells_what_was_measured(page: Page) -> None:
    assert "path is better than plain on recall@2 by 0.500" in page.shown
    assert "Helped in all@2: 7 questions" in page.shown
    assert "Borka Study<b> found by path only" in page.shown
    assert "options.plain" in page.shown
    assert sum(tag == "svg" for tag, _ in page.elements) == 3
    assert "seed7" in page.shown


def test_what_was_there_is_replaced_whole_or_not_at_all(
    run: Run, dataset: Path, files: list[Path], tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    report.write_text("before")
    broken = tmp_path / "broken.toml"
    broken.write_text("dense_weight = 7")
    assert run("evaluate", dataset, "--compare", files[0], broken, "--report", report).exit_code == 1
    assert report.read_text() == "before"
    assert run("evaluate", dataset, "--compare", *files, "--report", report).exit_code == 0
    assert report.read_text().startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir() if "report" in file.name] == ["report.html"]


# -- what cannot be compared


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("dense_wait = 1", "unknown setting 'dense_wait'; did you mean 'dense_weight'?", id="unknown"),
        pytest.param("dense_weight = 7", "dense_weight = 7.0 is not between 0 and 1", id="out of range"),
        pytest.param("dense_weight = ", "cannot be read as TOML", id="no TOML"),
        pytest.param("[scored]\ntop_m = 3", "unknown setting of 'scored' 'top_m'; did you mean 'top_n'?", id="table"),
        pytest.param("[options]\nquota = true", "unknown switch in the table 'options' 'quota'", id="switch"),
        pytest.param(
            "[options]\nplaces = 3", "'places' is a setting: write it above the table 'options'", id="misplaced"
        ),
        pytest.param("options = 3", "options = 3 is not a table of switches", id="no table"),
        pytest.param('[options]\nquotas = "maybe"', "quotas = 'maybe' is not one of true, false", id="switch value"),
        pytest.param('llm_prompts = "nowhere"', "nowhere' is no folder", id="no prompts"),
        pytest.param('effort = "deep"', "needs a language model", id="no model"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    run: Run, dataset: Path, files: list[Path], tmp_path: Path, text: str, told: str
) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text(text)
    result = run("evaluate", dataset, "--compare", files[0], broken)
    assert (result.exit_code, result.stdout, told in result.stderr) == (1, "", True)
    assert (str(broken) in result.stderr) == (text != 'effort = "deep"')


def test_files_that_are_no_comparison(run: Run, dataset: Path, files: list[Path], tmp_path: Path) -> None:
    def told(*arguments: str | Path) -> str:
        result = run("evaluate", dataset, "--compare", *arguments)
        assert (result.exit_code == 0, result.stdout) == (False, "")
        return result.stderr.splitlines()[-1]

    assert told(files[0]) == "Error: a comparison needs two files of settings or more, such as --compare a.toml b.toml"
    assert told() == told(files[0])
    assert told(files[0], files[0]) == "Error: the same file is named twice; a comparison needs different ones"
    assert "missing.toml' cannot be read as TOML: " in told(files[0], tmp_path / "missing.toml")
    assert told(*files, "--decompose", "on") == "Error: --decompose does not go with --compare: say it in the files"
    assert told(*files, "--metric", "luck@5").startswith("Error: 'luck@5' was not measured; known here: recall@5, ")
    assert "no report can be written to" in told(*files, "--report", tmp_path / "no" / "report.html")
    (dataset / "queries.jsonl").write_text(lines([{"question": "What is wheat?"}]))
    assert told(*files).startswith("Error: none of the questions names evidence or references")
    (dataset / "queries.jsonl").write_text("")
    assert told(*files).endswith("queries.jsonl' holds no question")


def test_a_report_does_not_take_the_place_of_a_device(run: Run, dataset: Path, files: list[Path]) -> None:
    result = run("evaluate", dataset, "--compare", *files, "--report", os.devnull)
    assert (result.exit_code, Path(os.devnull).is_char_device()) == (1, True)
    assert "no report can be written to '/dev/null'" in result.stderr
