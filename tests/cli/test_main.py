"""The command group: help, exit codes, and what happens when somebody presses Ctrl-C."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind.testing import EmbeddingServer, ServerReply

Run = Callable[..., Result]
Script = Callable[..., "subprocess.CompletedProcess[str]"]

COMMANDS = (
    "add ask plan search check table show open set next watch-question runs conversations status remove collections graph tree zotero "
    "copy backup restore migrate doctor serve keys mcp evaluate tune export demo"
).split()
GROUPS = {
    "keys": "create list revoke".split(),
    "graph": "show build status merge split merges".split(),
    "tree": "show build status".split(),
    "zotero": ["sync"],
    "watch-question": "add list show remove run news".split(),
}
WHOLE = [
    *(name for name in COMMANDS if name not in GROUPS),
    *(f"{name} {part}" for name in GROUPS for part in GROUPS[name]),
]
SCRIPT = Path(sys.executable).with_name("scholarmind")


def test_help_lists_the_commands_in_the_order_of_a_first_session(run: Run) -> None:
    listed = run("--help").stdout.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.strip().splitlines()] == COMMANDS


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", WHOLE)
def test_every_command_has_help(run: Run, command: str, option: str) -> None:
    result = run(*command.split(), option)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: group {command} [OPTIONS]")
    assert "--json" in result.stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout.strip().endswith(f"version {version('scholarmind')}")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([], 2, id="no command"),
        pytest.param(["find"], 2, id="unknown command"),
        pytest.param(["search"], 2, id="no question"),
        pytest.param(["search", "x", "-k", "0"], 2, id="impossible value"),
        pytest.param(["search", "x", "--mode", "psychic"], 2, id="unknown choice"),
        pytest.param(["add", "--prun"], 2, id="unknown option"),
        pytest.param(["remove"], 2, id="nothing to remove"),
        pytest.param(["evaluate", "/nowhere"], 2, id="no such folder"),
        pytest.param(["status"], 1, id="no library"),
        pytest.param(["search", "x", "--where", "year >="], 1, id="wrong filter"),
        pytest.param(["add", "/nowhere.md"], 1, id="nothing could be read"),
        pytest.param(["add"], 0, id="nothing to do"),
        pytest.param(["--version"], 0, id="version"),
    ],
)
def test_exit_codes_of_the_script(script: Script, arguments: list[str], code: int) -> None:
    done = script(*arguments)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_our_errors_are_one_line(script: Script, tmp_path: Path) -> None:
    done = script("status", "--library", tmp_path / "none")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Error: there is no library in '{tmp_path}/none'; nor is one in '{tmp_path}'; "
        f"make one with 'scholarmind add FILES --library {tmp_path}/none'\n"
    )


@pytest.mark.parametrize("value", ["unknown-embedder", "openai"])
def test_a_wrong_setting_is_told(script: Script, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", value)
    done = script("add")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: embedder = ")


def test_a_home_of_nobody_is_told(script: Script) -> None:
    done = script("status", "--library", "~nobody-of-this-name/x")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: library = '~nobody-of-this-name/x'")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["search", b"\xffattends"], id="question"),
        pytest.param(["search", "attends", "--where", b"title = \xff"], id="filter"),
        pytest.param(["search", "attends", "--collection", b"\xff"], id="collection"),
        pytest.param(["remove", b"\xff"], id="id"),
        pytest.param(["add", b"/nowhere/\xff.md"], id="path"),
    ],
)
def test_arguments_that_are_not_utf8_are_harmless(filled: Run, script: Script, arguments: list[bytes | str]) -> None:
    done = script(*arguments)
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1}


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_is_no_error(filled: Run, options: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [SCRIPT, "search", "attends", *options], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode in {0, 1}


class StuckServer(EmbeddingServer):
    """Keeps the one who asks waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.released = threading.Event(), threading.Event()

    def answer(self, path: str, key: str, content: bytes) -> ServerReply:
        self.asked.set()
        self.released.wait(30)
        return super().answer(path, key, content)


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_ctrl_c_says_that_nothing_is_lost(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StuckServer() as server:
        monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "openai")
        monkeypatch.setenv("SCHOLARMIND_EMBEDDING_BASE_URL", server.base_url)
        monkeypatch.setenv("SCHOLARMIND_EMBEDDING_MODEL", "m")
        process = subprocess.Popen([SCRIPT, "add", notes], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert server.asked.wait(30)
            process.send_signal(2)
            stdout, stderr = process.communicate(timeout=30)
        finally:
            process.kill()
            server.released.set()
        assert (process.returncode, stdout) == (130, "")
        assert stderr.strip() == (
            "stopped; everything reported as done is stored, and the same command goes on from there"
        )
        assert "2 documents, 2 passages; vectors for 0, 2 still to come" in run("status").stdout
        assert "0 added, 0 replaced, 2 unchanged, 0 removed; 0 new passages, 2 embedded" in run("add", notes).stdout


@pytest.mark.parametrize("arguments", [["plan", "--batch"], ["ask", "--batch"]])
def test_where_nothing_more_can_be_written_a_line_says_so(run: Run, notes: Path, arguments: list[str]) -> None:
    run("add", notes)
    file = notes.parent / "questions.jsonl"
    file.write_text('{"id": "1", "question": "Which words does BERT hide?"}\n')
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([SCRIPT, *arguments, file], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: no space is left where the output goes")
