"""Layouts go up and down with their data, wholly or not at all; the step here is made up, as those to come will be written."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.service.copied_library import fill, run

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.migrations import LayoutStep, migrate
from scholarmind.errors import LibraryMismatchError, LibraryStorageError
from scholarmind.service.library_copy import Home


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """The database of a library with something in it."""
    fill(Home(folder=tmp_path / "library"), tmp_path / "notes")
    with closing(Database(tmp_path / "library" / "library.db")) as opened:
        yield opened


def up(connection: DatabaseConnection) -> None:
    """Count the passages of each document where it stands, and keep a table of them."""
    connection.execute("ALTER TABLE documents ADD COLUMN counted INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "UPDATE documents SET counted = (SELECT count(*) FROM passages p WHERE p.document = documents.number)"
    )
    connection.execute("CREATE TABLE long_documents (document INTEGER PRIMARY KEY, passages INTEGER NOT NULL)")
    connection.execute("INSERT INTO long_documents SELECT number, counted FROM documents WHERE counted > 0")


def down(connection: DatabaseConnection) -> None:
    """Take both away again."""
    connection.execute("DROP TABLE long_documents")
    connection.execute("ALTER TABLE documents DROP COLUMN counted")


def fails(connection: DatabaseConnection) -> None:
    """Fail when half is done."""
    connection.execute("CREATE TABLE half_done (number INTEGER PRIMARY KEY)")
    connection.execute("SELECT of_nobody FROM documents")


STEPS = (
    LayoutStep(before="4", after="five", up=up, down=down),
    LayoutStep(before="five", after="six", up=lambda _: None, down=lambda _: None),
    LayoutStep(before="six", after="seven", up=fails, down=lambda _: None),
)


def goes_up_and_down(database: Database) -> None:
    """Bring it up by two steps and down again."""
    documents = "SELECT number, id, title FROM documents ORDER BY number"
    before = database.rows(documents)
    assert migrate(database, "six", STEPS) == ["4", "five", "six"]
    assert database.rows("SELECT counted FROM documents ORDER BY number") == [(1,), (1,)]
    assert len(database.rows("SELECT * FROM long_documents")) == 2
    with pytest.raises(LibraryStorageError):
        migrate(database, "seven", STEPS)
    assert database.about("schema") == "six"
    assert not database.rows("SELECT 1 FROM sqlite_master WHERE name = 'half_done'")
    with pytest.raises(LibraryMismatchError, match="has layout 'six'"):
        database.check_layout()
    with pytest.raises(LibraryMismatchError, match="no way is known from layout 'six' to 'zero'"):
        migrate(database, "zero", STEPS)
    assert migrate(database, steps=STEPS) == ["six", "five", "4"]
    assert database.rows(documents) == before
    database.check_layout()


def test_up_and_down_with_data(database: Database, tmp_path: Path) -> None:
    goes_up_and_down(database)
    assert migrate(database) == ["4"]
    assert run("migrate", "--library", tmp_path / "library").stdout == "the library has layout 4\n"
    assert "no way is known" in run("migrate", "--to", "3", "--library", tmp_path / "library", succeeds=False).output
