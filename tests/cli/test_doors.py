"""What is wrong at a door: a folder without a library, a question that asks nothing or is a book, an ending that nothing is written as."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind import Engine, Library
from scholarmind.errors import LibraryError, QueryError

Run = Callable[..., Result]
EMPTY = ("", "   ", "\n\t")
LONG = "Who proposed BERT? " * 6_000


def test_reading_a_library_that_is_not_there_makes_nothing(run: Run, notes: Path, tmp_path: Path) -> None:
    assert run("add", notes, "--library", tmp_path / "papers").exit_code == 0
    for command in (
        ("ask", "Which words does BERT hide?"), ("plan", "Which words does BERT hide?"), ("search", "words"), ("status",), ("runs",),
        ("runs", "x"), ("runs", "rate", "x", "good"), ("conversations",), ("collections",), ("show", "bert"), ("tree", "show"),
        ("graph", "show", "BERT"), ("ask", "--since", "x"), ("remove", "bert"), ("export", "--training", "planner"),
    ):  # fmt: skip
        result = run(*command, "--library", tmp_path / "papper")
        assert result.exit_code == 1, command
        assert f"there is no library in '{tmp_path}/papper'; the nearest one is in '{tmp_path}/papers'" in result.stderr
        assert f"scholarmind add FILES --library {tmp_path}/papper" in result.stderr
        assert not (tmp_path / "papper").exists()
    deep = run("status", "--library", tmp_path / "no" / "such" / "folder").stderr
    assert f"the nearest one is in '{tmp_path}/papers'" in deep
    lonely = tmp_path / "empty" / "folder"
    lonely.mkdir(parents=True)
    assert f"nor is one in '{tmp_path}/empty'" in run("status", "--library", lonely).stderr


def test_a_library_opened_by_mistake_stays_unmade_until_something_is_added(notes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mistyped"
    with Library.open(folder, embedder="none") as library:
        for read in (
            lambda: library.search("words"),
            lambda: library.ask("Who hides words?"),
            library.counts,
            library.documents,
        ):
            with pytest.raises(LibraryError, match=r"there is no library in .*mistyped"):
                read()
        assert not folder.exists()
        assert library.add(notes).added == 2
        assert library.search("words").evidence
    with Library.open(folder, create=False, embedder="none") as library:
        assert library.counts()["default"].documents == 2


def test_a_library_can_be_made_or_demanded_at_once(tmp_path: Path) -> None:
    with Library.open(tmp_path / "new", create=True, embedder="none") as library:
        assert library.counts() == {}
    with pytest.raises(LibraryError, match=r"the nearest one is in '.*/new'"):
        Library.open(tmp_path / "knew", create=False, embedder="none")


@pytest.mark.parametrize("question", EMPTY)
def test_an_empty_question_is_an_error(filled: Run, tmp_path: Path, question: str) -> None:
    with Library.open(embedder="none") as library:
        for put in (
            library.ask,
            library.plan,
            library.search,
            library.find,
            library.propose,
            library.ask_once,
            library.retrieve,
        ):
            with pytest.raises(QueryError, match=r"the question '.*' is empty; ask something"):
                put(question)
        with pytest.raises(QueryError, match="is empty"):
            list(library.stream(question))
        (result,) = library.ask_many([question])
        assert "is empty" in result.error
    for command in ("ask", "plan", "search"):
        assert filled(command, question).exit_code in {1, 2}
    assert "is empty" in filled("search", question).stderr
    assert json.loads(filled("runs", "--json").stdout) == []  # no run is left of it


def test_a_question_as_long_as_a_book_is_an_error(filled: Run) -> None:
    with Library.open(embedder="none") as library:
        for put in (library.ask, library.plan, library.search):
            with pytest.raises(QueryError, match="has 114,000 characters, and 100,000 at most can be asked"):
                put(LONG)
    result = filled("ask", LONG)
    assert result.exit_code == 1
    assert len(result.stderr) < 500
    assert json.loads(filled("runs", "--json").stdout) == []


def test_an_engine_refuses_the_same() -> None:
    async def search(question: str, k: int, filter: object) -> list[str]:
        return ["BERT was proposed by Jacob Devlin."]

    for question in ("", LONG):
        with pytest.raises(QueryError):
            asyncio.run(Engine(retriever=search).ask(question))


@pytest.mark.parametrize(
    ("command", "name", "known"),
    [
        (
            ("ask", "Which words does BERT hide?"),
            "answer.odt",
            ".md, .markdown, .json, .pandoc.md, .csl.json, .tex, .html, .htm, .docx, .pdf, .ris or .bib",
        ),
        (("ask", "--since", "x"), "answer.bib", ".md, .markdown or .json"),
        (("ask", "--batch", "questions.jsonl"), "answers.csv", ".jsonl or .ndjson"),
        (("export", "--training", "planner"), "runs.csv", ".jsonl or .ndjson"),
        (("graph", "export"), "graph.pdf", ".graphml, .jsonld or .html"),
    ],
)
def test_an_unknown_ending_of_the_output_is_an_error(
    filled: Run, tmp_path: Path, command: tuple[str, ...], name: str, known: str
) -> None:
    result = filled(*command, "--output", tmp_path / name)
    assert result.exit_code == 2
    assert (
        f"'{tmp_path / name}': '{Path(name).suffix}' is not written; give a name that ends in {known}" in result.stderr
    )
    assert not (tmp_path / name).exists()


def test_endings_in_capitals_and_none_are_known(filled: Run, tmp_path: Path) -> None:
    question = "Which words does BERT hide?"
    for name in ("a.JSON", "a.BIB", "a.MD", "a"):
        assert filled("ask", question, "--output", tmp_path / name).exit_code == 0
    assert json.loads((tmp_path / "a.JSON").read_text())["question"] == question
    assert (tmp_path / "a.BIB").read_text().startswith("@")
    assert (tmp_path / "a").read_text().startswith("# ")
