"""`scholarmind check`: what it prints, writes and ends with, over two notes with their bibliography."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from click.testing import Result

from scholarmind import Library
from scholarmind.judge import document_claims
from scholarmind.testing import Call, ScriptedServer

Run = Callable[..., Result]
BIBLIOGRAPHY = """@book{calder1934, author={Calder, Inga}, title={The Arnholm Bridge and Its Builders}, year={1934}}
@book{weiss1990, author={Weiss, Aron}, title={Ferries of the Northern Islands}, year={1990}}
@book{gone2001, author={Gone, Ada}, title={A Book That Nobody Kept Here}, year={2001}}
"""
RIGHT = "The Arnholm bridge is 412 metres long"
WRONG = "The Arnholm bridge is 512 metres long"
DRAFT = f"""# History

{RIGHT} [@calder1934]. {WRONG} [@calder1934, p. 4].

Ferries cross the northern strait every hour in summer. The tower was painted green by hand [@gone2001].
Ferries cross the strait every hour [@weiss1991]. We describe our own method below.
"""


@pytest.fixture
def checking(run: Run, tmp_path: Path) -> Run:
    """Run commands on a library with two notes; beside it are a draft and its bibliography."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "bridge.md").write_text(
        "---\ntitle: The Arnholm Bridge and Its Builders\nauthors: [Inga Calder]\nyear: 1934\n---\n# Size\n"
        "The Arnholm bridge is 412 metres long and carries two tracks. It was opened in 1934.\n"
    )
    (notes / "ferry.md").write_text(
        "---\ntitle: Ferries of the Northern Islands\nauthors: [Aron Weiss]\nyear: 1990\n---\n"
        "Ferries cross the northern strait every hour in summer and twice a day in winter.\n"
    )
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "draft.md").write_text(DRAFT)
    assert run("add", notes).exit_code == 0
    return run


def verdicts(result: Result) -> list[tuple[str, str]]:
    return [(claim["text"], claim["verdict"]) for claim in json.loads(result.stdout)["claims"]]


def test_each_claim_gets_a_verdict_with_the_words_of_its_source(checking: Run, tmp_path: Path) -> None:
    result = checking("check", tmp_path / "draft.md", "--bibliography", tmp_path / "refs.bib", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert verdicts(result) == [
        (f"{RIGHT}.", "supported"),
        (f"{WRONG}.", "contradicted"),
        ("Ferries cross the northern strait every hour in summer.", "uncited"),
        ("The tower was painted green by hand.", "not in the library"),
        ("Ferries cross the strait every hour.", "not in the library"),
    ]
    wrong = told["claims"][1]
    objection = wrong["objections"][0]
    assert (wrong["locators"], objection["own"], objection["other"]) == (["p. 4"], "512 metres", "412 metres")
    assert wrong["citations"][0]["quote"].startswith("The Arnholm bridge is 412 metres long")
    assert told["claims"][2]["suggestions"][0]["title"] == "Ferries of the Northern Islands"
    assert told["keys"]["weiss1991"]["nearest"] == "weiss1990"
    assert told["left_out"] == {"about the draft itself": 1}


def test_the_table_fits_80_columns_and_a_sound_draft_ends_with_0(checking: Run, tmp_path: Path) -> None:
    result = checking("check", tmp_path / "draft.md", "--bibliography", tmp_path / "refs.bib")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "the draft has “512 metres”, the source “412 metres”" in result.stdout
    (tmp_path / "sound.md").write_text(f"{RIGHT} [@calder1934].\n")
    result = checking("check", tmp_path / "sound.md", "--bibliography", tmp_path / "refs.bib", "--all")
    assert (result.exit_code, RIGHT in result.stdout) == (0, True)


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_reports_say_what_is_wrong_and_escape_what_they_quote(checking: Run, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "draft.md").write_text(f"{WRONG} <img> | [@calder1934].\n")
    output = tmp_path / f"out{suffix}"
    checking("check", tmp_path / "draft.md", "--bibliography", tmp_path / "refs.bib", "--output", output)
    told = output.read_text()
    assert "contradicted" in told
    assert "412 metres" in told
    assert suffix == ".json" or "<img>" not in told


def test_a_copy_of_a_latex_draft_has_todos(checking: Run, tmp_path: Path) -> None:
    draft, output = tmp_path / "draft.tex", tmp_path / "out.tex"
    draft.write_text(
        "\\documentclass{article}\n\\begin{document}\n"
        f"{WRONG}~\\cite{{calder1934}}. {RIGHT}~\\cite{{calder1934}}.\n\\bibliography{{refs}}\n\\end{{document}}\n"
    )
    assert checking("check", draft, "--output", output).exit_code == 1
    told = output.read_text()
    assert told.count(r"\usepackage{todonotes}") == told.count(r"\todo{") == 1
    assert rf"{WRONG}~\cite{{calder1934}}.\todo{{contradicted" in told


def test_chinese_words_of_a_source_stay_in_a_latex_copy_with_a_note(checking: Run, tmp_path: Path) -> None:
    (tmp_path / "zh").mkdir()
    (tmp_path / "zh" / "bridge.md").write_text(
        "---\nid: qiao\ntitle: 桥\nauthors: [王伟]\nyear: 1990\n---\nArnholm桥长412米，于1934年建成。\n",
        encoding="utf-8",
    )
    assert checking("add", tmp_path / "zh").exit_code == 0
    draft, output = tmp_path / "draft.tex", tmp_path / "out.tex"
    draft.write_text(
        "\\documentclass{article}\n\\begin{document}\nThe Arnholm bridge is 99 metres long~\\cite{qiao}.\n\\end{document}\n"
    )
    (tmp_path / "zh.bib").write_text("@article{qiao, title={桥}, author={王伟}, year={1990}}\n", encoding="utf-8")
    done = checking("check", draft, "--bibliography", tmp_path / "zh.bib", "--output", output)
    told = output.read_text(encoding="utf-8")
    assert "Arnholm桥长412米" in told
    assert "??" not in told
    assert "XeLaTeX or LuaLaTeX" in told
    assert "note: the sources that are quoted have Chinese" in done.stderr


def test_a_copy_of_a_word_draft_has_comments(checking: Run, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph(f"{WRONG} (Calder, 1934). {RIGHT} (Calder, 1934).")
    document.save(str(tmp_path / "draft.docx"))
    output = tmp_path / "out.docx"
    result = checking("check", tmp_path / "draft.docx", "--bibliography", tmp_path / "refs.bib", "--output", output)
    assert result.exit_code == 1
    assert [one.text.splitlines()[0] for one in docx.Document(str(output)).comments] == ["contradicted"]


def test_only_a_part_of_the_library_counts(checking: Run, tmp_path: Path) -> None:
    command = ("check", tmp_path / "draft.md", "--bibliography", tmp_path / "refs.bib", "--json")
    late = dict(verdicts(checking(*command, "--where", "year > 1950")))
    assert late[f"{RIGHT}."] == late[f"{WRONG}."] == "not in the library"
    assert late["Ferries cross the northern strait every hour in summer."] == "uncited"
    assert dict(verdicts(checking(*command, "--collection", "default")))[f"{RIGHT}."] == "supported"
    none = checking(*command, "--collection", "nothing")
    assert none.exit_code == 2
    assert "no document passes" in none.stderr


def test_keys_are_put_right_in_a_copy(checking: Run, tmp_path: Path) -> None:
    draft, output = tmp_path / "draft.md", tmp_path / "fixed.md"
    options = ("--bibliography", tmp_path / "refs.bib", "--fix-keys")
    shown = checking("check", draft, *options)
    assert (shown.exit_code, "weiss1991 -> weiss1990" in shown.stdout) == (1, True)
    assert checking("check", draft, *options, "--write", output).exit_code == 0
    assert draft.read_text() == DRAFT
    assert output.read_text() == DRAFT.replace("weiss1991", "weiss1990")
    assert "every key is known" in checking("check", output, *options).stdout


def test_what_was_checked_before_is_not_checked_again(
    checking: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remembered(name: str) -> int:
        result = checking("check", tmp_path / name, "--bibliography", tmp_path / "refs.bib", "--json")
        return int(json.loads(result.stdout)["remembered"])

    (tmp_path / "begun.md").write_text(DRAFT.partition("\n\nFerries")[0])
    assert [remembered("begun.md"), remembered("draft.md"), remembered("draft.md")] == [0, 2, 5]
    monkeypatch.setattr("scholarmind.drafts.checking.VERSION", document_claims.VERSION + 1)
    assert remembered("draft.md") == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gone.md",), "there is no draft 'gone.md'"),
        (("draft.md", "--bibliography", "gone.bib"), "there is no bibliography 'gone.bib'"),
        (("draft.md", "--bibliography", "draft.md"), "is no bibliography"),
        (("draft.md", "--output", "out.docx"), "would be a copy of a .docx draft"),
        (("draft.md", "--output", "out.pdf"), "'.pdf' is not written"),
        (("draft.md", "--write", "out.md"), "--write is for --fix-keys"),
        (("broken.docx",), "cannot be read"),
        (("empty.md",), "it is empty"),
    ],
)
def test_bad_input_ends_in_one_clear_line(
    checking: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "empty.md").write_text("")
    result = checking("check", *arguments)
    assert (result.exit_code, words in result.stderr, "Traceback" in result.stderr) == (2, True, False)


def test_an_empty_library_says_so(run: Run, tmp_path: Path) -> None:
    with Library.open(create=True):
        pass
    (tmp_path / "draft.md").write_text(DRAFT)
    result = run("check", tmp_path / "draft.md")
    assert (result.exit_code, "the library is empty" in result.stderr) == (2, True)


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("words", "verdict"),
    [("carries two tracks. It was opened in 1934", "supported"), ("", "not said")],
)
def test_a_model_points_at_words_and_numbers_are_settled_by_code(
    checking: Run, tmp_path: Path, words: str, verdict: str
) -> None:
    def answer(call: Call) -> Any:
        if not call.chat:
            return None
        numbers = map(int, re.findall(r"<claim (\d+)", call.text))
        return {"checks": [{"claim": number, "words": words} for number in numbers]}

    text = f"In 1934 the bridge was opened, with a pair of tracks [@calder1934]. {WRONG} [@calder1934].\n"
    (tmp_path / "draft.md").write_text(text)
    with ScriptedServer(answer=answer) as server:
        result = checking(
            "check", tmp_path / "draft.md", "--bibliography", tmp_path / "refs.bib",
            "--llm", f"{server.base_url}#scripted", "--json",
        )  # fmt: skip
    assert [found for _, found in verdicts(result)] == [verdict, "contradicted"]
