"""`scholarmind open`."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from reportlab.pdfgen.canvas import Canvas

Run = Callable[..., Result]


@pytest.fixture
def pages(run: Run, tmp_path: Path) -> Path:
    """A library that holds a PDF of three pages, the second without text."""
    path = tmp_path / "three.pdf"
    canvas = Canvas(str(path))
    canvas.setTitle("Three pages of porcupines")
    canvas.drawString(72, 720, "Porcupines sleep in burrows during the day.")
    canvas.drawString(72, 700, "At night they look for lichen.")
    canvas.showPage()
    canvas.showPage()
    canvas.drawString(72, 720, "Owls are no porcupines, whatever people say.")
    canvas.save()
    assert run("add", path).exit_code == 0
    return path


def id_of(run: Run) -> str:
    """Return the id of the only document."""
    found = json.loads(run("search", "porcupines", "--json").stdout)
    return found["hits"][0]["document"]["id"]


def test_a_page_is_shown_as_it_was_read(run: Run, pages: Path) -> None:
    result = run("open", id_of(run), "--page", "3")
    assert result.exit_code == 0
    head, *body = result.stdout.splitlines()
    assert head.endswith("page 3 of 3")
    assert " ".join(body) == "Owls are no porcupines, whatever people say."


def test_the_first_page_is_shown_if_none_is_named(run: Run, pages: Path) -> None:
    result = run("open", id_of(run))
    assert "page 1 of 3" in result.stdout
    assert "lichen" in result.stdout
    assert "Owls" not in result.stdout


def test_a_passage_is_marked_on_its_page(run: Run, pages: Path) -> None:
    id = id_of(run)
    shown = json.loads(run("show", id, "--json").stdout)
    last = shown["passages"][-1]
    told = json.loads(run("open", id, "--passage", str(last["position"]), "--json").stdout)
    assert (told["id"], told["page"], told["pages"]) == (id, last["page"], 3)
    assert {box["page"] for box in told["boxes"]} <= {1, 2, 3}
    assert told["boxes"]
    box = told["boxes"][0]
    assert 60 < box["left"] < 80 < box["right"] < 500
    assert 0 < box["top"] < box["bottom"] < 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--page", "4"), "there is no page 4; the last one is 3"),
        (("--page", "2"), "nothing was read on page 2"),
        (("--passage", "99"), "there is no passage 99"),
    ],
)
def test_what_is_not_there(run: Run, pages: Path, options: tuple[str, ...], said: str) -> None:
    result = run("open", id_of(run), *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {said}")


@pytest.mark.parametrize("page", ["0", "-1", "x"])
def test_a_page_that_is_none(filled: Run, page: str) -> None:
    assert filled("open", "bert", "--page", page).exit_code == 2


def test_what_has_no_pages_is_shown_whole(filled: Run) -> None:
    result = filled("open", "bert")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "BERT")
    assert "BERT hides words and attends to both sides." in result.stdout
    told = json.loads(filled("open", "bert", "--json").stdout)
    assert (told["page"], told["pages"], told["boxes"]) == (None, 0, [])


def test_a_page_of_what_has_no_pages_is_refused(filled: Run) -> None:
    result = filled("open", "bert", "--page", "7")
    assert result.exit_code == 1
    assert "has no pages" in result.stderr


def test_of_an_unknown_document(filled: Run) -> None:
    result = filled("open", "nobody")
    assert result.exit_code == 1
    assert result.stderr == "Error: there is no document 'nobody' in 'default'; 'scholarmind search' shows ids\n"
    assert filled("open", "bert", "--collection", "other").exit_code == 1


def test_a_document_cannot_command_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("---\nid: x\n---\nRing \x1b[31m the bell\x07 now." + " And then some more." * 50)
    run("add", tmp_path / "x.md")
    shown = run("open", "x").stdout
    assert ("bell" in shown, "\x1b" in shown, "\x07" in shown) == (True, False, False)


def _viewer(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Put a program where the computer's own would be."""
    folder.mkdir()
    path = folder / "xdg-open"
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")


def test_the_file_is_handed_to_the_computers_own_program(
    filled: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _viewer(tmp_path / "bin", monkeypatch, f'echo "$1" > {tmp_path}/opened')
    assert filled("open", "bert", "--viewer").exit_code == 0
    assert (tmp_path / "opened").read_text() == f"{notes}/bert.md\n"


def test_a_program_that_fails_is_told(filled: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _viewer(tmp_path / "bin", monkeypatch, "exit 3")
    result = filled("open", "bert", "--viewer")
    assert (result.exit_code, "Error:" in result.stderr) == (1, True)


def test_no_program_and_no_file(filled: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "no program to open files was found" in filled("open", "bert", "--viewer").stderr
    (notes / "bert.md").unlink()
    assert "is gone" in filled("open", "bert", "--viewer").stderr
