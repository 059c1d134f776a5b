"""What a document, a file's name, a question or a model says cannot steer a terminal: not from text, not from JSON, not from a file."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scholarmind.cli.main import group
from scholarmind.text.untrusted import escaped, uncontrolled

Run = Callable[..., Result]
# written out here, and not taken from the package: what no output may hold
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff]"
)
CONTROLS = "\x1b\x07\x7f\x85\x9b\x9d\u061c\u200e\u200f\u2028\u202a\u202e\u2066\u2069\ufff9"
TITLE = f"Zorb{CONTROLS}Engine".replace("\x85", "").replace(
    "\u2028", ""
)  # which are spaces, and readers make one of them
TEXT = f"The Zorb engine reaches 90 percent{CONTROLS} accuracy. Ada Quill built the Zorb engine in 1999 at Plin University."
RECORD = {
    "id": f"zorb{CONTROLS}",
    "title": TITLE,
    "text": TEXT,
    "meta": {"authors": [f"Ada{CONTROLS} Quill"], "year": 1999, "methods": [f"Zorb{CONTROLS}Net"], "note": CONTROLS},
}
QUESTION = f"What accuracy does the Zorb{CONTROLS} engine reach, and who built it?"


def assert_harmless(result: Result) -> None:
    """Nothing that it printed steers a terminal."""
    for shown in (result.stdout_bytes, result.stderr_bytes):
        assert not _STEERING.search(shown.decode("utf-8", "surrogatepass")), shown


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    """A library of a document that is full of them, a file with such a name, and one that cannot be read."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "zorb.jsonl").write_text(json.dumps(RECORD) + "\n" + '{"id": "\x9b31m"}\n', encoding="utf-8")
    (notes / f"plin{CONTROLS.replace(chr(0x2028), '')}.md").write_text(
        f"# Plin {CONTROLS}\n\n{TEXT}\n", encoding="utf-8"
    )
    (notes / "broken\x9b\u202e.pdf").write_bytes(b"%PDF-1.4 nothing")
    result = run("add", notes, "--library", tmp_path / "library")
    assert result.exit_code == 0
    assert_harmless(result)
    return tmp_path / "library"


def test_no_command_prints_what_steers_a_terminal(run: Run, folder: Path, tmp_path: Path) -> None:
    def shown(*arguments: Any, exits: int | None = 0) -> str:
        result = run(*arguments, "--library", folder)
        assert_harmless(result)
        assert exits is None or result.exit_code == exits, result.output
        return result.stdout

    asked = json.loads(shown("ask", QUESTION, "--json", "--conversation", CONTROLS))
    name = asked["run"]
    shown("runs", "rate", name, "good", "--note", CONTROLS)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": CONTROLS, "question": QUESTION}) + "\n")
    batch = tmp_path / "questions.jsonl"
    for command in (
        ("ask", QUESTION, "--show-evidence"),
        ("ask", QUESTION, "--markdown", "--show-evidence", "--trace", tmp_path / "trace.jsonl"),
        ("ask", "--since", name),
        ("ask", "--batch", batch),
        ("plan", QUESTION),
        ("plan", "--batch", batch),
        ("plan", QUESTION, "--hold"),
        ("search", "Zorb accuracy", "--scores"),
        ("search", "Zorb accuracy", "--format", "content"),
        ("search", QUESTION, "--strategy", "scored", "--scores"),
        ("show", RECORD["id"], "--passages"),
        ("open", RECORD["id"]),
        ("open", RECORD["id"], "--passage", "0"),
        ("set", RECORD["id"], f"note={CONTROLS}"),
        ("runs",),
        ("runs", name),
        ("conversations",),
        ("conversations", CONTROLS),
        ("status",),
        ("collections",),
        ("graph", "show", f"Zorb{CONTROLS}Net"),
        ("graph", "merges"),
        ("graph", "export", "--format", "html"),
        ("graph", "export", "--format", "graphml"),
        ("graph", "export", "--format", "jsonld"),
        ("tree", "show"),
        ("tree", "status"),
        ("doctor",),
        ("export", "--training", "planner"),
    ):
        shown(*command, exits=None)
        if (
            command[0] != "export"
            and "--batch" not in command
            and "--markdown" not in command
            and "export" not in command
        ):
            json.loads(shown(*command, "--json", exits=None) or "null")
    for ending in ("md", "json", "bib"):
        shown("ask", QUESTION, "--output", tmp_path / f"answer.{ending}")
    for ending in ("html", "graphml", "jsonld"):
        shown("graph", "export", "-o", tmp_path / f"graph.{ending}")
    for file in [*tmp_path.glob("answer.*"), *tmp_path.glob("graph.*"), tmp_path / "trace.jsonl"]:
        written = file.read_text(encoding="utf-8")
        assert written
        assert not _STEERING.search(written), file


def test_errors_print_nothing_that_steers_a_terminal(run: Run, folder: Path, tmp_path: Path) -> None:
    strange = f"no{CONTROLS}thing"
    for command in (
        ("ask", "who?", "--where", strange),
        ("ask", "who?", "--plan", strange),
        ("ask", "who?", "--output", f"{tmp_path}/{strange}/a.md"),
        ("ask", "who?", f"--{strange}"),
        ("ask", "--batch", strange),
        ("ask", "--run", strange),
        ("ask", "--since", strange),
        ("show", strange),
        ("open", strange),
        ("set", strange, "year=1"),
        ("remove", strange),
        ("runs", strange),
        ("conversations", strange),
        ("graph", "show", strange),
        ("add", strange),
        (strange,),
    ):
        result = run(*command, *(("--library", folder) if len(command) > 1 else ()))
        assert_harmless(result)
    assert_harmless(run("search", "zorb", "--library", f"{tmp_path}/{strange}"))


def test_json_says_exactly_what_a_document_says(run: Run, folder: Path) -> None:
    hits = json.loads(run("search", "Zorb accuracy", "--json", "--library", folder).stdout)["hits"]
    known = [hit for hit in hits if hit["document"]["id"] == RECORD["id"]]
    assert known
    assert known[0]["document"]["title"] == TITLE
    assert "".join(sorted(set(CONTROLS))) == "".join(sorted(set(CONTROLS) & set(known[0]["passage"]["text"])))


@given(text=st.text(), nested=st.text(st.sampled_from(CONTROLS + '"\\\n\t ab'), min_size=1))
def test_escaped_json_is_harmless_and_exact(text: str, nested: str) -> None:
    value = {text: [nested, text + nested]}
    written = escaped(json.dumps(value, ensure_ascii=False, indent=2))
    assert not _STEERING.search(written)
    assert json.loads(written) == value
    assert not _STEERING.search(uncontrolled(text + nested))
    assert uncontrolled(uncontrolled(text)) == uncontrolled(text)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_document_holds_search_and_show_are_harmless(tmp_path: Path, data: st.DataObject) -> None:
    text = data.draw(st.text(st.one_of(st.sampled_from(CONTROLS), st.characters()), max_size=30))
    notes, library = tmp_path / "drawn.jsonl", tmp_path / "drawn"
    record = {"id": f"d{text}", "title": f"Zorb {text}", "text": f"The {text} zorb engine {text} was built in 1999."}
    notes.write_text(json.dumps(record) + "\n", encoding="utf-8")
    for command in (
        ("add", str(notes)),
        ("search", "zorb engine"),
        ("search", "zorb engine", "--json"),
        ("show", record["id"].encode("utf-8", "replace").decode()),
        ("ask", "When was the zorb engine built?"),
    ):
        assert_harmless(CliRunner().invoke(group, [*command, "--library", str(library)]))
