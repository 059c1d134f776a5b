"""`scholarmind demo`, with the embedder that is built in."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind import Library
from scholarmind.cli.service_commands import QUESTIONS

Run = Callable[..., Result]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _built_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The model, and a library of the user's own that must not be touched."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "minilm")
    monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "mine"))


def test_the_demo_answers_both_questions(run: Run, tmp_path: Path) -> None:
    result = run("demo", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    english, chinese = json.loads(result.stdout)
    assert (english["question"], chinese["question"]) == QUESTIONS

    asked = [row["text"] for row in english["parts"]]
    assert [sum(name in text for text in asked) for name in ("BERT", "GPT-2", "GLUE", "attention", "propose")] == [
        4, 4, 3, 2, 2,
    ]  # fmt: skip
    assert english["plan"]["shape"] == "parallel"
    assert [row["status"] for row in english["parts"] if "propose" in row["text"]] == ["answered", "answered"]
    assert all(words in english["answer"] for words in ("Jacob Devlin", "Alec Radford", "80.5"))
    assert any(
        words in english["answer"] for words in ("NO GLUE score", "Any GLUE number attached to GPT-2 comes from later")
    )
    assert english["verdict"] in {"complete", "with caveats"}

    kinds = [part["kind"] for part in chinese["plan"]["parts"]]
    assert kinds == ["global", "factual", "factual"]
    assert [part["depends_on"] for part in chinese["plan"]["parts"]] == [[], [1], []]
    assert "近3年" in chinese["plan"]["parts"][2]["text"]
    assert all(
        words in chinese["answer"]
        for words in ("基于Transformer改进的方法有", "FlashAttention-2的速度约为FlashAttention的2倍")
    )
    gains = {
        row["text"].partition(" ")[0]: row["status"] for row in chinese["parts"] if "性能提升是多少" in row["text"]
    }
    assert gains["FlashAttention-2"] == "answered"
    assert "的结果：" not in chinese["answer"], "a result is no gain"

    with Library.open(tmp_path / "data" / "scholarmind" / "demo") as library:
        for citation in english["citations"] + chinese["citations"]:
            text = library.text(citation["document"], collection=citation["collection"])
            assert text is not None
            assert text[citation["document_start"] : citation["document_end"]] == citation["quote"]
    assert {claim["status"] for claim in english["claims"] + chinese["claims"]} == {"verified"}
    assert not (tmp_path / "mine").exists(), "it must be kept apart from the user's own library"


def test_a_question_of_ones_own(run: Run, tmp_path: Path) -> None:
    told = run("demo", "--question", "Who proposed Longformer?").stdout
    assert told.startswith("The demo library holds 40 notes in ")
    assert "\n? Who proposed Longformer?\n" in told
    assert "Longformer was proposed by Iz Beltagy, Matthew E. Peters and Arman Cohan. [Beltagy et al., 2020]" in told
    assert "\n**✓ complete**\n" in told
    assert f"scholarmind ask --library {tmp_path}/data/scholarmind/demo" in told
    record = json.loads(run("demo", "--question", "Who proposed Longformer?", "--json").stdout)
    assert (record["question"], record["verdict"]) == ("Who proposed Longformer?", "complete")


def test_a_demo_library_that_cannot_be_used_any_more_is_made_anew(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    run("demo", "--question", "Who proposed Longformer?")
    folder = tmp_path / "data" / "scholarmind" / "demo"
    with sqlite3.connect(folder / "library.db") as database:
        database.execute("UPDATE about SET value = '2' WHERE key = 'schema'")
    database.close()
    result = run("demo", "--question", "Who proposed Longformer?")
    assert result.stderr.startswith(f"The demo library is made anew: the library '{folder}' has layout '2'")
    assert "Longformer was proposed by Iz Beltagy" in result.stdout

    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "minilm")
    run("demo", "--question", "Who proposed Longformer?")
    monkeypatch.setenv("SCHOLARMIND_EMBEDDING_PRECISION", "int8")
    assert "was embedded with 'all-MiniLM-L6-v2/384/fp32'" in run("demo", "--question", "Who proposed it?").stderr


def test_the_notes_of_another_installation_are_not_there_twice(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    other = tmp_path / "another installation"
    other.mkdir()
    (other / "bert.md").write_text("# BERT\n\nAn older note on BERT.\n")
    folder = tmp_path / "data" / "scholarmind" / "demo"
    with Library.open(folder, effort="keyless") as library:
        library.add(other)
    result = run("demo", "--question", "Who proposed BERT?")
    assert "has the notes of another installation" in result.stderr
    (other / "bert.md").rename(other / "mine.md")
    with Library.open(folder, effort="keyless") as library:
        assert library.counts()["default"].documents == 40
        library.add(other)
    run("demo", "--question", "Who proposed BERT?")
    with Library.open(folder, effort="keyless") as library:
        assert library.counts()["default"].documents == 41, "what somebody else added stays"
