"""`scholarmind watch-question`, and what `add` tells of it."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]
QUESTION = "Which words does BERT hide, and who proposed Zebra-Net?"


def zebra(folder: Path, title: str = "Zebra-Net") -> None:
    (folder / "zebra.md").write_text(
        f"---\nid: zebra\ntitle: {title}\nyear: 2024\n---\n{title} was proposed by Ada Quux.\n"
    )


def test_from_the_first_question_to_the_mail(filled: Run, notes: Path, tmp_path: Path) -> None:
    added = filled("watch-question", "add", QUESTION, "--name", "z")
    assert (added.exit_code, added.stdout.splitlines()[0]) == (0, f"watching 'z': {QUESTION}")
    again = filled("add", notes)
    assert ("asking" in again.stderr, again.stdout.count("\n")) == (False, 1)
    zebra(notes)
    told = filled("add", notes)
    assert "asking 1 watched question again" in told.stderr
    assert "  Answered now: Who proposed Zebra-Net?\n    not in the library → answered\n" in told.stdout
    assert "“Zebra-Net was proposed by Ada Quux.” [Zebra-Net" in told.stdout
    for name, begin in (("news.atom", b"<?xml"), ("news.eml", b"From: "), ("news.json", b"["), ("news.txt", b"Which")):
        written = filled("watch-question", "news", "--output", tmp_path / name)
        assert written.stderr == f"1 remark written to {tmp_path / name}\n"
        assert (tmp_path / name).read_bytes().startswith(begin)
    assert "Ada Quux" in filled("watch-question", "show", "z").stdout
    assert filled("watch-question", "remove", "z").stdout == "'z' is watched no longer\n"
    assert "no question is watched" in filled("watch-question", "list").stderr


def test_nothing_new_writes_no_mail_and_an_empty_feed(filled: Run, tmp_path: Path) -> None:
    filled("watch-question", "add", QUESTION)
    result = filled("watch-question", "news", "-o", tmp_path / "news.eml")
    assert (result.stdout, result.stderr, (tmp_path / "news.eml").exists()) == ("", "nothing new\n", False)
    filled("watch-question", "news", "-o", tmp_path / "news.xml")
    assert b"<entry>" not in (tmp_path / "news.xml").read_bytes()
    assert filled("watch-question", "news", "-o", tmp_path / "news.doc").exit_code == 2
    assert filled("watch-question", "news", "--since", "yesterday").exit_code == 2


def test_left_for_later_and_in_json(filled: Run, notes: Path) -> None:
    filled("watch-question", "add", QUESTION, "--name", "z")
    zebra(notes)
    assert "watched" not in json.loads(filled("add", notes, "--no-watch", "--json").stdout)
    assert "waits to be asked again" in filled("watch-question", "list").stdout
    ran = json.loads(filled("watch-question", "run", "--json").stdout)
    assert (ran["asked"], [one["kind"] for one in ran["news"]], ran["failed"]) == (1, ["answered"], {})
    filled("remove", "zebra", "--yes")
    told = json.loads(filled("add", "--json").stdout)["watched"]
    assert [one["kind"] for one in told["news"]] == ["lost"]
    checks = json.loads(filled("doctor", "--json").stdout)
    assert [check["seen"] for check in checks if check["name"] == "watched"] == ["1 questions, 2 remarks"]


def test_a_chinese_question_is_told_in_chinese(filled: Run, notes: Path) -> None:
    filled("watch-question", "add", "Zebra-Net 是谁提出的？", "--name", "斑马")
    zebra(notes)
    told = filled("add", notes).stdout
    assert "现在有了答案：Zebra-Net 是谁提出的？" in told
    assert "文档库中没有 → 已回答" in told


def test_what_is_not_there_is_one_line(filled: Run) -> None:
    for arguments in (("show", "x"), ("remove", "x"), ("run", "x")):
        result = filled("watch-question", *arguments)
        assert (result.exit_code, result.stderr.startswith("Error: no question 'x' is watched")) == (1, True)
