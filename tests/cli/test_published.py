"""`ask --output` in the formats that people write in, and `ask --obsidian`."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]

QUESTION = "To which sides does BERT attend?"


def test_the_keys_of_a_bibliography(run: Run, notes: Path, tmp_path: Path) -> None:
    works = tmp_path / "works.bib"
    works.write_text(
        "@inproceedings{mine:2019, title={BERT}, author={Devlin, Jacob}, year=2019, file={notes/bert.md}}\n"
    )
    assert run("add", notes, "--bibliography", works).exit_code == 0
    answer, library = tmp_path / "answer.tex", tmp_path / "answer.bib"
    assert run("ask", QUESTION, "--output", answer).exit_code == 0
    assert r"\cite{mine:2019}" in answer.read_text()
    run_id = run("runs").output.split()[0]
    assert run("ask", "--run", run_id, "--output", library).exit_code == 0  # the same answer again
    assert library.read_text().startswith("@inproceedings{mine:2019,")


def test_a_vault(filled: Run, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    told = filled("ask", QUESTION, "--obsidian", vault)
    assert told.exit_code == 1
    assert "no such folder" in told.output
    vault.mkdir()
    assert filled("ask", QUESTION, "--obsidian", vault).exit_code == 0
    [note] = (vault / "Answers").iterdir()
    assert "[[Works/devlin2019bert" in note.read_text()
    told = filled("ask", "--batch", tmp_path / "q.jsonl", "--obsidian", vault)
    assert "--obsidian goes with a question" in told.output


def test_names_that_say_nothing_known(filled: Run, tmp_path: Path) -> None:
    told = filled("ask", QUESTION, "--output", tmp_path / "answer.odt")
    assert told.exit_code == 2
    assert "'.odt' is not written" in told.output
    assert ".tex" in told.output
