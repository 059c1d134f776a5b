"""`scholarmind backup` and `restore`: what was in a library is in the next one, and a damaged file is refused."""

import json
from pathlib import Path

import pytest
from tests.service.copied_library import fill, place, run, what_it_says

from scholarmind.errors import LibraryStorageError
from scholarmind.events import Event
from scholarmind.service.library_copy import Home, restore


@pytest.fixture(autouse=True)
def _no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")


def test_there_and_back(tmp_path: Path) -> None:
    source, target, file = (
        Home(folder=tmp_path / "library"),
        Home(folder=tmp_path / "restored"),
        tmp_path / "backup.tar.gz",
    )
    fill(source, tmp_path / "notes")
    (source.folder / "uploads").mkdir()
    (source.folder / "uploads" / "sent.pdf").write_bytes(b"sent to the service")
    made = json.loads(run("backup", file, "--json", *place(source)).stdout)
    assert "is there already" in run("backup", file, *place(source), succeeds=False).output

    def interrupt(_: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(file, target, on_event=interrupt)
    assert "is not whole yet" in run("status", *place(target), succeeds=False).output
    again = json.loads(run("restore", file, "--json", *place(target)).stdout)
    assert again["tables"] == made["tables"]
    assert (target.folder / "uploads" / "sent.pdf").read_bytes() == b"sent to the service"
    assert what_it_says(target) == what_it_says(source)
    assert "was used since" in run("restore", file, *place(target), succeeds=False).output
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []

    raw = bytearray(file.read_bytes())
    file.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(LibraryStorageError, match="is damaged"):
        restore(file, Home(folder=tmp_path / "third"))
    file.write_bytes(b"something else")
    assert "is no backup" in run("restore", file, "--library", tmp_path / "third", succeeds=False).output
