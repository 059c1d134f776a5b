"""Bytes that changed within a stored document: no page of SQLite is broken, and yet it is noticed, named, and read again."""

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from robustly import Corpus, assert_sound_truth, files_of, opened, stored

from scholarmind import Library
from scholarmind.cli.main import group
from scholarmind.errors import LibraryStorageError

Run = Callable[..., Result]

_PAPER = """---
id: bert
title: BERT of the plains
authors: [Jacob Devlin, Ming-Wei Chang]
year: 2019
venue: NAACL
---
# Masks

We propose BERT, which hides words and attends to both sides of each of them, as far as they go [1].

BERT reaches an accuracy of 93.2 on SQuAD 1.1. It outperforms ELMo by many points.

# References

[1] Vaswani, A. (2017). Attention is all you need. NIPS.
"""

# each changes one thing that is stored, and leaves a sound database
_DAMAGES = {
    "text": "UPDATE texts SET text = replace(text, 'hides', 'hidas') WHERE document = 1",
    "no text any more": "UPDATE texts SET text = CAST(replace(text, 'hides', x'ff6464') AS TEXT) WHERE document = 1",
    "passage": "UPDATE passages SET text = replace(text, 'hides', 'hidas') WHERE document = 1",
    "no passage any more": "UPDATE passages SET text = CAST(x'ff' || text AS TEXT) WHERE document = 1",
    "page of a passage": "UPDATE passages SET page = 77 WHERE document = 1",
    "section": "UPDATE passages SET section = '[\"Mosks\"]' WHERE document = 1",
    "lost passage": "DELETE FROM passages WHERE number = (SELECT max(number) FROM passages WHERE document = 1)",
    "title": "UPDATE documents SET title = 'BERT of the plaims' WHERE number = 1",
    "authors": "UPDATE documents SET authors = '[\"Jacob Devlin\"' WHERE number = 1",
    "year": "UPDATE documents SET year = 2018 WHERE number = 1",
    "metadata": "UPDATE documents SET metadata = replace(metadata, 'NAACL', 'NABCL') WHERE number = 1",
    "term": "UPDATE terms SET value = 'nabcl' WHERE document = 1 AND field = 'venue'",
    "name": "DELETE FROM names WHERE document = 1",
    "vector": "UPDATE vectors SET vector = CAST(x'00000001' || substr(vector, 5) AS BLOB) WHERE passage = 1",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a library with a paper and two notes."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "bert.md").write_text(_PAPER)
    Corpus(tmp_path / "documents").add(2)
    with opened(tmp_path / "library") as library:
        library.add(tmp_path / "documents" / "bert.md")
        library.add(tmp_path / "documents")
    return tmp_path / "library"


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command on that library; any error but our own comes through."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(group, [*map(str, arguments), "--library", str(folder)], catch_exceptions=False)

    return invoke


def _spoil(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "library.db")
    connection.execute("PRAGMA foreign_keys = ON")
    assert connection.execute(statement).rowcount > 0
    connection.commit()
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def _documents(run: Run) -> dict[str, str]:
    return {check["name"]: check for check in json.loads(run("doctor", "--json").stdout)}["documents"]


@pytest.mark.parametrize("damage", _DAMAGES)
def test_damaged_document(folder: Path, tmp_path: Path, run: Run, damage: str) -> None:
    """Doctor names it; told to mend, it lets its file be read again; then all is as it was."""
    with opened(folder) as library:
        entry, texts = library.entry("bert"), stored(library)
    assert _documents(run)["seen"] == "3 are as they were written"
    _spoil(folder, _DAMAGES[damage])
    found = _documents(run)
    assert not found["ok"]
    assert "'bert' of 'default'" in found["seen"]
    assert f"scholarmind add {tmp_path}/documents/bert.md --library {folder}" in found["mend"]
    with opened(folder) as library, pytest.raises(LibraryStorageError, match=r"'bert' .*library\.db"):
        library.entry("bert")
    assert not _documents(lambda *given: run(*given, "--mend"))["ok"]
    with opened(folder) as library:
        report = library.add(tmp_path / "documents")
        assert (report.replaced, report.unchanged, report.problems) == (1, 2, [])
        assert library.entry("bert") == entry
        assert stored(library) == texts
        assert_sound_truth(library)
    assert _documents(run)["ok"]


@pytest.mark.parametrize("damage", ["passage", "no passage any more", "title", "authors", "section"])
def test_what_is_damaged_is_not_cited(folder: Path, run: Run, damage: str) -> None:
    """A search that comes upon it says which document it is, and what to do; others are found."""
    _spoil(folder, _DAMAGES[damage])
    with opened(folder) as library:
        with pytest.raises(LibraryStorageError, match=r"damaged|'bert' .* is not as it was written") as caught:
            library.search("BERT hides words", mode="keyword")
        assert "backup" in str(caught.value)
        assert library.search("common", mode="keyword").evidence
        with pytest.raises(LibraryStorageError):
            library.ask("What hides BERT?")
        assert library.remove(["bert"]) == 1
        assert library.search("BERT hides words", mode="keyword").evidence == ()


@pytest.mark.parametrize("table", ["passages", "documents"])
def test_what_a_broken_page_has_lost_is_not_passed_over(folder: Path, table: str) -> None:
    """The index finds a passage whose row is gone, with none of what goes with it when it is removed."""
    with opened(folder) as library:
        assert library.search("BERT hides words", mode="keyword").evidence
    connection = sqlite3.connect(folder / "library.db")
    connection.execute(f"DELETE FROM {table} WHERE number = 1")  # noqa: S608
    connection.commit()
    connection.close()
    with opened(folder) as library:
        with pytest.raises(LibraryStorageError, match=r"is damaged \(passage \d+ cannot be read any more\).*backup"):
            library.search("BERT hides words", mode="keyword")
        assert library.search("common", mode="keyword").evidence


def test_flipped_bytes_in_pages(folder: Path, run: Run) -> None:
    """Wherever a byte of a text flips, doctor sees it."""
    path = folder / "library.db"
    content = path.read_bytes()
    begin, seeded = content.index(b"We propose BERT, which hides"), random.Random(8)
    for _ in range(12):
        flipped = bytearray(content)
        flipped[begin + seeded.randrange(60)] ^= 1 << seeded.randrange(8)
        path.write_bytes(flipped)
        assert run("doctor").exit_code == 1
        assert "bert" in _documents(run)["seen"]
    path.write_bytes(content)
    assert _documents(run)["ok"]


def test_library_of_the_layout_before(folder: Path, tmp_path: Path, run: Run) -> None:
    """It is read as it is; the first write gives it its checksums, and nothing of it changes."""
    connection = sqlite3.connect(folder / "library.db")
    connection.executescript(
        "DROP TABLE sums; DROP TABLE passage_sums; UPDATE about SET value = '3' WHERE key = 'schema'"
    )
    connection.close()
    before = {name: state for name, state in files_of(folder).items() if name == "library.db"}
    with opened(folder) as library:
        found = [item.document.id for item in library.search("BERT hides words").evidence]
        entry, texts = library.entry("bert"), stored(library)
    assert "bert" in found
    assert (
        _documents(run)["seen"]
        == "0 are as they were written, 3 have no checksums yet; the next 'scholarmind add' writes them"
    )
    assert {name: state for name, state in files_of(folder).items() if name == "library.db"} == before
    with opened(folder) as library, opened(folder) as other:
        assert other.documents()
        assert library.add(tmp_path / "documents").unchanged == 3
        assert library.entry("bert") == other.entry("bert") == entry
        assert stored(library) == texts
    assert _documents(run)["seen"] == "3 are as they were written"
    with Library(library.settings) as again:
        assert again.store.database.about("schema") == "4"
