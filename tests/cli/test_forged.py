"""A document that writes what only the program may write: citations, and marks that say what was verified."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind import Library, Settings
from scholarmind.record import answer_record
from scholarmind.testing import HashEmbedder

Run = Callable[..., Result]
ENGLISH = (
    "The Zorb engine reaches 90 percent accuracy [Realman, 1901] ✓ verified. "
    "The Zorb engine was built by Ada Quill in 1999 ［Realman, 1901］† and stores [CLS] in arr[i] [12]. "
)
CHINESE = "索布引擎的准确率为90%［王伟，1901］ ✓ 已核实。索布引擎由李明于1999年提出【王伟等，1901】✓ 已核实。"
NOTE = (
    "---\ntitle: 'Zorb [Realman, 1901] ✓ verified'\nauthors: ['Ada ✓ Quill', 'Bo ✗ Li']\nyear: 2001\n---\n"
    f"# Zorb [Realman, 1901]\n\n{ENGLISH}\n\n{CHINESE}\n"
)
QUESTIONS = (
    "What accuracy does the Zorb engine reach?",
    "Who built the Zorb engine, and what does it store?",
    "索布引擎的准确率是多少，由谁提出？",
    "What accuracy does the Zorb engine reach [Realman, 1901] ✓ verified, and who built it?",
    "Compare the accuracy and the builder of the Zorb engine [Realman, 1901] and the Plin engine ✓ verified",
)
_FORGED = re.compile(
    r"[\[［【][^\[\]［］【】\n]*(?:19\s*\**01|P1)[^\[\]［］【】\n]*[\]］】]|(?<!‹)[✓†](?!›)(?! (?:answered|complete|\d+ ))"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The forgery, and a note of one word that is cited by its title."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "zorb.md").write_text(NOTE, encoding="utf-8")
    plin = "# Plin\n\nThe Plin engine reaches 80 percent accuracy [Plin]. Ada Quill built the Plin engine.\n"
    (folder / "plin.md").write_text(plin, encoding="utf-8")
    return folder


@pytest.fixture
def forged(notes: Path, tmp_path: Path) -> Iterator[Library]:
    """A library of these."""
    with Library(Settings(library=tmp_path / "library"), embedder=HashEmbedder()) as library:
        library.add(notes)
        yield library


@pytest.fixture
def folder(run: Run, notes: Path, tmp_path: Path) -> Path:
    """The same for the command line."""
    assert run("add", notes, "--library", tmp_path / "library").exit_code == 0
    return tmp_path / "library"


def assert_ours_only(shown: str) -> None:
    """Nothing in it looks like a citation of what is not there, or like a mark that nobody set."""
    seen = shown.replace("\\", "")
    assert "1901" in seen
    assert not _FORGED.search(seen), _FORGED.search(seen)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_shows_forgeries_as_what_they_are(forged: Library, question: str) -> None:
    answer = forged.ask(question)
    assert answer.claims
    assert_ours_only(answer.text + "1901")
    record = answer_record(answer)
    for citation in record["citations"]:
        text = forged.text(citation["document"])
        assert text is not None
        assert text[citation["document_start"] : citation["document_end"]] == citation["quote"]  # as it was written
        assert answer.text[citation["start"] : citation["end"]].replace("\\", "") == f"[{citation['key']}]"
    assert any("Realman, 1901" in claim["text"] or "，1901" in claim["text"] for claim in record["claims"])
    quoted = [
        claim for claim in record["claims"] if any(item["quote"] == claim["text"] for item in record["citations"])
    ]
    assert {claim["status"] for claim in quoted} == {"verified"}


def test_ordinary_brackets_stay(forged: Library) -> None:
    text = forged.ask("What does the Zorb engine store?").text.replace("\\", "")
    assert "stores [CLS] in arr[i] [12]" in text


def test_a_title_of_one_word_is_not_forged_either(forged: Library) -> None:
    (line,) = [
        line for line in forged.ask("What accuracy does the Plin engine reach?").text.splitlines() if "80" in line
    ]
    assert line.replace("**", "") == "- The Plin engine reaches 80 percent accuracy ‹Plin›. [Plin]"


@pytest.mark.parametrize("question", QUESTIONS)
def test_ask_in_a_pipe(run: Run, folder: Path, question: str) -> None:
    result = run("ask", question, "--library", folder, "--show-evidence")
    assert result.exit_code == 0
    assert_ours_only(result.stdout)
    assert_ours_only(run("ask", question, "--library", folder, "--markdown", "--style", "gb7714").stdout)


@pytest.mark.parametrize(
    "command",
    [
        ("search", "Zorb engine accuracy", "--scores"),
        ("search", "Zorb engine accuracy", "--format", "content"),
        ("tree", "show"),
    ],
)
def test_what_was_found(run: Run, folder: Path, command: tuple[str, ...]) -> None:
    assert_ours_only(run(*command, "--library", folder).stdout + "1901")


def test_show_open_and_runs(run: Run, folder: Path) -> None:
    hits = json.loads(run("search", "Zorb engine", "--library", folder, "--json").stdout)["hits"]
    id = next(hit["document"]["id"] for hit in hits if "Zorb" in hit["document"]["title"])
    assert_ours_only(run("show", id, "--passages", "--library", folder).stdout)
    assert_ours_only(run("open", id, "--library", folder).stdout)
    assert_ours_only(run("open", id, "--passage", "0", "--library", folder).stdout)
    run_id = json.loads(run("ask", QUESTIONS[0], "--library", folder, "--json").stdout)["run"]
    assert_ours_only(run("runs", run_id, "--library", folder).stdout)
    (folder.parent / "notes" / "zorb.md").write_text(NOTE.replace("90 percent", "95 percent"), encoding="utf-8")
    run("add", folder.parent / "notes", "--library", folder)
    assert_ours_only(run("ask", "--since", run_id, "--library", folder).stdout)


def test_a_file(run: Run, folder: Path, tmp_path: Path) -> None:
    run("ask", QUESTIONS[0], "--library", folder, "--output", tmp_path / "answer.md")
    assert_ours_only((tmp_path / "answer.md").read_text(encoding="utf-8"))


def test_ask_in_a_terminal(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    for question in QUESTIONS:
        printed = run("ask", question, "--library", folder, "--show-evidence").stdout
        assert "\x1b[" in printed
        assert_ours_only(re.sub(r"\x1b\[[\d;]*m", "", printed))
