"""`scholarmind zotero sync`, and what it says where something is wrong."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]


def test_one_source_is_needed(run: Run, tmp_path: Path) -> None:
    for arguments in ((), ("--database", tmp_path / "a", "--api", "http://localhost:23119/api")):
        told = run("zotero", "sync", *arguments)
        assert told.exit_code == 2
        assert "give one of them" in told.output
    told = run("zotero", "sync", "--api", "http://localhost:23119/api", "--storage", tmp_path)
    assert "go with --database" in told.output


def test_a_database_that_is_not_there_is_one_line(run: Run, tmp_path: Path) -> None:
    told = run("zotero", "sync", "--database", tmp_path / "zotero.sqlite")
    assert told.exit_code == 1
    assert told.output.startswith("Error: there is no file")
    assert told.output.count("\n") == 1
