"""`scholarmind table`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def tabled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A library of two papers, one of them in Chinese."""
    monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "library"))
    notes = tmp_path / "papers"
    notes.mkdir()
    head = "---\nid: {}\ntitle: {}\nauthors: [{}]\nyear: {}\nlanguage: {}\n---\n"
    obedience = head.format("obedience", "Obedience", "Stanley Milgram", 1963, "en")
    (notes / "a.md").write_text(f"{obedience}The sample size was 40 men.\n", encoding="utf-8")
    malaria = head.format("malaria", "青蒿素的发现", "屠呦呦", 2011, "zh")
    (notes / "b.md").write_text(f"{malaria}首次临床试验的样本量是21例病人。\n", encoding="utf-8")
    assert run("add", notes).exit_code == 0
    return run


def test_a_table_is_made_shown_again_corrected_and_forgotten(tabled: Run) -> None:
    made = tabled("table", "sample size; funding", "--name", "survey")
    assert made.exit_code == 0, made.output
    assert "40 men" in made.stdout
    assert "not stated" in made.stdout
    assert "survey" in tabled("table").stdout
    corrected = tabled("table", "survey", "--set", "obedience/funding=National Science Foundation")
    assert "National Science Foundation" in corrected.stdout
    assert "1 by hand" in corrected.stderr
    assert "‡ by hand" in corrected.stdout
    wrong = tabled("table", "survey", "--set", "obedience/sample size=abc")
    assert wrong.exit_code
    assert "does not fit the column 'sample size'" in wrong.stderr
    assert "forgotten" in tabled("table", "survey", "--remove").stdout
    assert "no table is saved" in tabled("table").stdout


def test_chinese_columns_have_chinese_words(tabled: Run) -> None:
    shown = tabled("table", "样本量; 资助", "--where", "year >= 2000").stdout
    assert "未提及" in shown
    assert "21" in shown


def test_json_has_every_cell_with_its_place(tabled: Run) -> None:
    record = json.loads(tabled("table", "sample size", "--json").stdout)
    (cell,) = [row["cells"]["sample size"] for row in record["rows"] if row["document"] == "obedience"]
    assert (cell["number"], cell["source"]["text"]) == (40, "The sample size was 40 men.")


@pytest.mark.parametrize("suffix", [".md", ".csv", ".xlsx", ".tex", ".html", ".json"])
def test_every_format_is_written(tabled: Run, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"out{suffix}"
    assert tabled("table", "sample size", "--output", output).exit_code == 0
    assert output.stat().st_size > 100


def test_the_users_own_key_names_a_paper_and_stands_in_files(tabled: Run, tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    tabled("table", "sample size", "--name", "sizes", "--output", plain)
    assert plain.read_text(encoding="utf-8").startswith("Paper,id,")
    (tmp_path / "own.bib").write_text(
        "@article{milgram63, title = {Obedience}, year = {1963}, author = {Stanley Milgram}}\n"
    )
    assert tabled("add", tmp_path / "papers", "--bibliography", tmp_path / "own.bib").exit_code == 0
    assert "by hand" in tabled("table", "sizes", "--set", "milgram63/sample size=41 men").stderr
    written = {suffix: tmp_path / f"sizes.{suffix}" for suffix in ("csv", "tex", "json")}
    for path in written.values():
        assert tabled("table", "sizes", "--output", path).exit_code == 0
    text = {suffix: path.read_text(encoding="utf-8") for suffix, path in written.items()}
    assert text["csv"].splitlines()[0].startswith("Paper,Key,id,")
    assert '"Milgram, 1963",milgram63,obedience,' in text["csv"]
    assert r"Milgram, 1963~\cite{milgram63} & 41 men" in text["tex"]
    assert sorted(row["key"] for row in json.loads(text["json"])["rows"]) == ["", "milgram63"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "there is no table 'nothing'"),
        (["task", "--output", "x.pdf"], "'.pdf' is not written"),
        (["task", "--output", "x"], "a name that ends in"),
        (["--sort", "year"], "--sort is for one table"),
        (["task", "--where", "year >"], "year >"),
        (["task", "--set", "obedience"], "PAPER/COLUMN=VALUE"),
        (["task", "--sort", "colour"], "no column 'colour'"),
        (["task", "--yes"], "--llm"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(tabled: Run, arguments: list[str], told: str) -> None:
    result = tabled("table", *arguments)
    assert result.exit_code != 0
    assert told in result.stderr


def test_an_empty_table_says_why(tabled: Run) -> None:
    result = tabled("table", "task", "--where", "year > 3000")
    assert (result.exit_code, "there is no paper that passes" in result.stderr) == (0, True)
