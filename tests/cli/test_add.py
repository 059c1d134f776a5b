"""`scholarmind add`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind.testing import EmbeddingServer, ServerReply

Run = Callable[..., Result]


def test_what_was_done_is_told_in_a_line(run: Run, notes: Path) -> None:
    (notes / "data.xyz").write_text("x")
    result = run("add", notes)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "2 added, 0 replaced, 0 unchanged, 0 removed; 2 new passages, 0 embedded; 1 files of other kinds passed over\n"
    )


def test_the_second_time_and_after_a_change(filled: Run, notes: Path) -> None:
    assert filled("add", notes).stdout.startswith("0 added, 0 replaced, 2 unchanged, 0 removed; 0 new passages")
    (notes / "gpt.md").write_text("changed")
    assert filled("add", notes).stdout.startswith("1 added, 0 replaced, 1 unchanged, 0 removed; 1 new passages")


def test_prune(filled: Run, notes: Path) -> None:
    (notes / "gpt.md").unlink()
    assert filled("add", notes, "--prune").stdout.startswith("0 added, 0 replaced, 1 unchanged, 1 removed")


def test_prune_refuses_to_remove_all_of_a_folder_that_is_empty(filled: Run, notes: Path) -> None:
    for path in notes.iterdir():
        path.unlink()
    result = filled("add", notes, "--prune")
    assert result.exit_code == 1
    assert "0 unchanged, 0 removed, 2 kept although their folder is missing or empty;" in result.stdout
    assert "it is empty, as where a drive is not mounted; 2 documents are kept" in result.stderr
    assert "say --prune --really" in result.stderr
    told = json.loads(filled("add", notes, "--prune", "--json").stdout)
    assert (told["removed"], told["kept"]) == (0, 2)
    assert filled("add", notes, "--prune", "--really").stdout.startswith("0 added, 0 replaced, 0 unchanged, 2 removed;")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--really"], "--really goes with --prune\n"),
        (["--prune", "--really", "--watch"], "--really goes with --prune, and never with --watch\n"),
    ],
)
def test_really_is_for_prune(run: Run, notes: Path, options: list[str], told: str) -> None:
    result = run("add", notes, *options)
    assert (result.exit_code, result.stderr.endswith(told)) == (2, True)


def test_links_that_lead_out_of_the_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Nobody may read this.")
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    told = json.loads(run("add", notes, "--json").stdout)
    assert told["added"] == 2
    (problem,) = told["problems"]
    assert problem["reason"] == f"it is a link out of '{notes}', to '{tmp_path / 'secret.md'}': left out"
    assert "--follow-links" in problem["advice"]
    assert run("add", notes, "--follow-links").stdout.startswith("1 added")


def test_what_could_not_be_used_is_told_and_the_rest_is_taken(run: Run, notes: Path) -> None:
    (notes / "broken.md").write_bytes(b"\0\1\2\3" * 50)
    result = run("add", notes, "/nowhere.md")
    assert result.exit_code == 0
    assert result.stdout.startswith("2 added")
    assert result.stdout.rstrip().endswith("2 of 3 files left out (see above)")
    before, after = result.stderr.split("1 left out or used in part\n")[1:]
    assert "/nowhere.md" in before, "what is not there is told before anything is read"
    assert "broken.md" in after
    cells = [[cell.strip() for cell in line.split("│")] for line in result.stderr.splitlines() if "│" in line]
    assert [row[1:4] for row in cells] == [
        ["/nowhere.md", "there is no such file or folder", "check the path"],
        [
            f"{notes}/broken.md",
            "it holds binary data",
            "it may have the wrong suffix; convert it to text, or leave it out",
        ],
    ]


def test_nothing_that_could_be_read_is_a_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("")
    assert run("add", tmp_path / "empty.md").exit_code == 1


def test_of_very_many_problems_some_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "good", "text": "x"}\n' + "{}\n" * 60)
    result = run("add", tmp_path / "r.jsonl")
    assert result.exit_code == 0
    assert result.stderr.startswith("60 left out or used in part\n")
    assert result.stderr.count("'text' is missing or empty") == 50
    assert result.stderr.endswith("... and 10 more; --json lists them all\n")


def test_names_of_files_are_neither_markup_nor_commands(run: Run, tmp_path: Path) -> None:
    for name in ("[bold red]x.md", "esc\x1b[31m.md", "two\nlines.md"):
        (tmp_path / name).write_text("")
    shown = run("add", tmp_path).stderr
    assert f"{tmp_path}/[bold red]x.md" in shown
    assert f"{tmp_path}/esc\ufffd[31m.md" in shown
    assert f"{tmp_path}/two lines.md" in shown
    assert "\x1b" not in shown


def test_json(run: Run, notes: Path) -> None:
    (notes / "broken.md").write_text("")
    result = run("add", notes, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "files": 3,
        "added": 2,
        "replaced": 0,
        "unchanged": 0,
        "removed": 0,
        "kept": 0,
        "duplicates": 0,
        "passages": 2,
        "embedded": 0,
        "unsuited": 0,
        "ignored": 0,
        "enriched": 0,
        "problems": [
            {
                "where": f"{notes}/broken.md",
                "reason": "it is empty",
                "advice": "nothing to do, unless it should not be",
                "lasting": False,
            }
        ],
        "matches": None,
    }


@pytest.mark.parametrize("by", ["option", "environment", "default"])
def test_where_the_library_is(run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    places = {
        "option": tmp_path / "option",
        "environment": tmp_path / "environment",
        "default": tmp_path / "data" / "scholarmind" / "library",
    }
    if by != "default":
        monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "environment"))
    assert run("add", notes, *(["--library", places["option"]] if by == "option" else [])).exit_code == 0
    assert {name for name, place in places.items() if (place / "library.db").is_file()} == {by}


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_an_embedder_that_refuses_is_told_and_the_text_is_kept(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddingServer(replies=[ServerReply(status=401, body=b"wrong key")]) as server:
        monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "openai")
        monkeypatch.setenv("SCHOLARMIND_EMBEDDING_BASE_URL", server.base_url)
        monkeypatch.setenv("SCHOLARMIND_EMBEDDING_MODEL", "m")
        failed = run("add", notes)
        assert failed.exit_code == 1
        assert "check SCHOLARMIND_EMBEDDING_API_KEY" in failed.stderr
        assert "Traceback" not in failed.stderr
        assert run("add").stdout.endswith("0 new passages, 2 embedded\n")
