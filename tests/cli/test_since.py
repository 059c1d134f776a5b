"""`scholarmind ask --since`: what changed in an answer, and which documents caused it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
QUESTION = "Which words does BERT hide, and who proposed Zebra-Net?"


def asked(run: Run, *more: str) -> dict[str, Any]:
    """Ask, and return the answer."""
    return json.loads(run("ask", QUESTION, "--json", *more).stdout)


def since(run: Run, before: dict[str, Any], *more: str) -> dict[str, Any]:
    """Ask again, and return what changed."""
    result = run("ask", "--since", before["run"], "--json", *more)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def note(folder: Path, name: str, title: str, text: str, year: int = 2024) -> None:
    """Write a note."""
    (folder / f"{name}.md").write_text(f"---\nid: {name}\ntitle: {title}\nyear: {year}\n---\n{text}\n")


def test_where_nothing_changed_nothing_is_asked(filled: Run) -> None:
    before = asked(filled)
    told = since(filled, before)
    assert (told["answer"], told["changes"]["asked"], told["changes"]["any"]) == (None, False, False)
    assert len(json.loads(filled("runs", "--json").stdout)) == 1
    text = filled("ask", "--since", before["run"]).stdout
    assert f"Nothing changed since run {before['run']}: no document and no setting." in text


def test_a_new_document_that_answers_what_was_open(filled: Run, notes: Path) -> None:
    before = asked(filled)
    note(notes, "zebra", "Zebra-Net", "Zebra-Net was proposed by Ada Quux.")
    filled("add", notes)
    told = since(filled, before)
    changes = told["changes"]
    assert changes["any"] is True
    assert [(row["before"], row["after"]) for row in changes["rows"]] == [("not in the library", "answered")]
    (claim,) = changes["new"]
    assert "Ada Quux" in claim["text"]
    assert claim["because"] == ["Zebra-Net"]
    assert changes["gone"] == []
    assert [claim["because"] for claim in changes["kept"]] == [[]]
    assert [(item["document"], item["what"], item["after"]) for item in changes["documents"]] == [
        ("zebra", "new", "cited")
    ]
    assert (changes["run"], changes["again"]) == (before["run"], told["answer"]["run"])
    assert changes["verdict"] == [before["verdict"], told["answer"]["verdict"]]
    text = filled("ask", "--since", before["run"], "--markdown").stdout
    assert text.startswith(f"# {QUESTION}\n\nVerdict: {before['verdict']} → complete")
    assert "## Documents\n- Zebra-Net (zebra): new, or changed since; cited now\n" in text
    assert "— because of: Zebra-Net" in text


def test_a_document_that_says_something_else_now(filled: Run, notes: Path) -> None:
    before = asked(filled)
    text = (notes / "bert.md").read_text()
    (notes / "bert.md").write_text(text.replace("BERT hides words", "BERT hides 15 % of all words"))
    filled("add", notes)
    changes = since(filled, before)["changes"]
    assert [(item["document"], item["what"], item["before"], item["after"]) for item in changes["documents"]] == [
        ("bert", "changed", "cited", "cited")
    ]
    assert ["15 %" in claim["text"] for claim in changes["new"]] == [True]
    assert [claim["because"] for claim in changes["gone"]] == [["BERT"]]


def test_a_document_that_is_gone(filled: Run) -> None:
    before = asked(filled)
    filled("remove", "bert", "--yes")
    changes = since(filled, before)["changes"]
    assert [(item["document"], item["what"], item["before"]) for item in changes["documents"]] == [
        ("bert", "removed", "cited")
    ]
    assert [row["after"] for row in changes["rows"]] == ["not in the library"]
    assert (changes["new"], changes["cited_no_more"]) == ([], [before["citations"][0]["key"]])


def test_a_document_that_has_nothing_to_do_with_it(filled: Run, notes: Path) -> None:
    before = asked(filled)
    note(notes, "soup", "Soup", "Cooking soup takes an hour.")
    filled("add", notes)
    changes = since(filled, before)["changes"]
    assert (changes["asked"], changes["any"], changes["documents"], changes["other_documents"]) == (True, False, [], 1)
    text = filled("ask", "--since", before["run"]).stdout
    assert "The answer is what it was in run" in text
    assert "1 other document changed; neither answer rests on them." in text


def test_the_filter_and_the_settings_of_then_hold_unless_others_are_given(filled: Run, notes: Path) -> None:
    before = asked(filled, "--where", "year = 2018", "--set", "places=3")
    assert since(filled, before)["changes"]["asked"] is False
    changes = since(filled, before, "--set", "places=4")["changes"]
    assert (changes["asked"], changes["settings"]) == (True, ["places"])
    other = since(filled, before, "--where", "year = 2019")["changes"]
    assert other["settings"] == ["filter"]
    assert other["any"] is True


def test_written_to_a_file(filled: Run, tmp_path: Path) -> None:
    before = asked(filled)
    result = filled("ask", "--since", before["run"], "--output", tmp_path / "changes.md")
    assert (result.stdout, result.stderr) == ("", f"written to {tmp_path / 'changes.md'}\n")
    assert (tmp_path / "changes.md").read_text().startswith(f"# {QUESTION}\n")


@pytest.mark.parametrize("more", [("Which words?",), ("--run", "r"), ("--interactive",), ("--plan", "p.json")])
def test_it_goes_with_no_question_of_its_own(filled: Run, more: tuple[str, ...]) -> None:
    assert filled("ask", "--since", "r1", *more).exit_code == 2


def test_a_run_that_cannot_be_compared_with(filled: Run) -> None:
    assert "there is no run 'nope' in this library" in filled("ask", "--since", "nope").stderr


def test_what_is_written_is_what_the_name_of_the_file_says(filled: Run, tmp_path: Path) -> None:
    before = asked(filled)
    told = since(filled, before, "--output", str(tmp_path / "changes.json"))
    assert json.loads((tmp_path / "changes.json").read_text()) == told
    filled("ask", "--since", before["run"], "--output", tmp_path / "changes.md")
    assert (tmp_path / "changes.md").read_text().startswith(f"# {QUESTION}")
