"""`scholarmind set`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind.settings import READING_HERE

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small bibliographies need no process of their own, which would take longer than all the rest."""
    monkeypatch.setenv("SCHOLARMIND_READING_HERE", f"{READING_HERE} .bib")


BIB = "@article{lovelace1843, title = {Notes upon the Analytical Engine of Mr Babbage}, author = {Lovelace, Ada}, year = {1843}}\n"


def document(run: Run, id: str, *options: str) -> dict[str, object]:
    """Return a document as `show --json` has it."""
    return json.loads(run("show", id, "--json", *options).stdout)["document"]


def test_a_field_is_corrected_and_told(filled: Run) -> None:
    result = filled("set", "bert", "year=2018", "authors=Ada Lovelace; Alan Turing", "venue=NAACL")
    assert (result.exit_code, result.stdout) == (0, "bert: BERT · Ada Lovelace, Alan Turing · 2018\n")
    told = document(filled, "bert")
    assert (told["year"], told["authors"]) == (2018, ["Ada Lovelace", "Alan Turing"])
    assert told["metadata"]["venue"] == "NAACL"  # type: ignore[index]


def test_it_survives_that_the_file_is_read_again(filled: Run, notes: Path) -> None:
    filled("set", "bert", "year=2001")
    path = notes / "bert.md"
    path.write_text(path.read_text() + "And more.\n")
    assert filled("add", notes).stdout.startswith("0 added, 1 replaced")
    assert document(filled, "bert")["year"] == 2001
    assert filled("add", notes).stdout.startswith("0 added, 0 replaced, 2 unchanged")


def test_an_empty_value_takes_it_back(filled: Run) -> None:
    before = document(filled, "bert")
    filled("set", "bert", "year=2001", "venue=Nowhere")
    assert filled("set", "bert", "year=", "venue=").stdout == "bert: BERT · Jacob Devlin, Ming-Wei Chang · 2019\n"
    assert document(filled, "bert") == before


def test_taking_back_what_was_never_set_changes_nothing(filled: Run) -> None:
    before = document(filled, "bert")
    assert filled("set", "bert", "year=", "nothing=").exit_code == 0
    assert document(filled, "bert") == before


def test_it_comes_before_a_bibliography_that_comes_later(filled: Run, notes: Path, tmp_path: Path) -> None:
    filled("set", "bert", "year=2001")
    bib = tmp_path / "l.bib"
    bib.write_text(
        "@article{devlin, title = {BERT: Pre-training}, author = {Devlin, Jacob}, year = {2018}, file = {bert.md}}"
    )
    assert filled("add", notes, "--bibliography", bib).stdout.count("1 of 1 entry matched a file") == 1
    told = document(filled, "bert")
    assert (told["title"], told["year"]) == ("BERT: Pre-training", 2001)
    filled("set", "bert", "year=")
    assert document(filled, "bert")["year"] == 2018


def test_what_was_corrected_before_is_found_by_filters_and_search(filled: Run) -> None:
    filled("set", "gpt", "year=1999", "title=Generative Pretraining")
    found = json.loads(filled("search", "attends", "--where", "year < 2000", "--json").stdout)
    assert [item["document"]["title"] for item in found["hits"]] == ["Generative Pretraining"]


def test_an_entry_without_a_file_can_be_corrected(run: Run, tmp_path: Path) -> None:
    bib = tmp_path / "l.bib"
    bib.write_text(BIB)
    run("add", bib)
    assert run("set", "lovelace1843", "year=1842", "journal=Scientific Memoirs").exit_code == 0
    bib.write_text(BIB + "@misc{other, title = {Something else that is new here}}\n")
    run("add", bib)
    told = document(run, "lovelace1843")
    assert (told["year"], told["metadata"]["journal"]) == (1842, "Scientific Memoirs")  # type: ignore[index]
    again = run("add", bib)
    assert "\n0 added, 0 replaced" in again.stdout


def test_an_entry_that_was_corrected_is_not_stored_again(run: Run, tmp_path: Path) -> None:
    bib = tmp_path / "l.bib"
    bib.write_text(BIB)
    run("add", bib)
    run("set", "lovelace1843", "year=1842")
    assert "\n0 added, 0 replaced" in run("add", bib).stdout


def test_collections(run: Run, notes: Path) -> None:
    run("add", notes, "--collection", "one")
    run("add", notes, "--collection", "two")
    assert run("set", "bert", "year=2001", "--collection", "two").exit_code == 0
    assert document(run, "bert", "--collection", "one")["year"] == 2019
    assert document(run, "bert", "--collection", "two")["year"] == 2001
    assert run("set", "bert", "year=2001").exit_code == 1


def test_json(filled: Run) -> None:
    result = filled("set", "gpt", "authors=Alec Radford", "--json")
    told = json.loads(result.stdout)
    assert told == document(filled, "gpt")
    assert (told["id"], told["authors"], told["collection"]) == ("gpt", ["Alec Radford"], "default")


def test_of_an_unknown_document(filled: Run) -> None:
    result = filled("set", "nobody", "year=2001")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: there is no document 'nobody' in 'default'; 'scholarmind search' shows ids\n"


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ("year=soon", "year = 'soon' is no year"),
        ("year=99999", "year = '99999' is no year"),
        ("year", "'year' is no correction"),
        ("=2001", "'=2001' is no correction"),
        ("id=other", "'id' cannot be corrected"),
        ("collection=other", "'collection' cannot be corrected"),
        ("doi=elsewhere", "doi = 'elsewhere' is no DOI"),
        ("a b=c", "'a b' is no name of a field"),
        ("authors=;;", "authors = ';;' names nobody"),
        ("note=" + "x" * 10_001, "the value of 'note' has 10,001 characters"),
    ],
)
def test_what_is_no_correction_changes_nothing(filled: Run, correction: str, said: str) -> None:
    before = document(filled, "bert")
    result = filled("set", "bert", "venue=NAACL", correction)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {said}")
    assert document(filled, "bert") == before


def test_a_library_that_is_not_there(run: Run, tmp_path: Path) -> None:
    result = run("set", "bert", "year=2001", "--library", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert not (tmp_path / "nowhere").exists()
