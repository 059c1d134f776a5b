"""A Zotero of our own: its tables as version 7 has them, files, and Better BibTeX's database."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from reportlab.pdfgen.canvas import Canvas

TABLES = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL, filesEditable INT NOT NULL,
  version INT NOT NULL DEFAULT 0, storageVersion INT NOT NULL DEFAULT 0, lastSync INT NOT NULL DEFAULT 0,
  archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT NOT NULL,
  version INT NOT NULL);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, dateAdded TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  dateModified TIMESTAMP DEFAULT CURRENT_TIMESTAMP, clientDateModified TIMESTAMP DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL,
  key TEXT NOT NULL, version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT, PRIMARY KEY (itemID, fieldID));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, charsetID INT, path TEXT,
  syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT, lastProcessedModificationTime INT, lastRead INT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL, authorName TEXT, text TEXT,
  comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1,
  orderIndex INT NOT NULL DEFAULT 0);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT DEFAULT NULL,
  clientDateModified TIMESTAMP DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0,
  synced INT NOT NULL DEFAULT 0);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
INSERT INTO version VALUES ('userdata', 123);
INSERT INTO libraries (libraryID, type, editable, filesEditable) VALUES (1, 'user', 1, 1), (2, 'group', 1, 1);
INSERT INTO groups VALUES (4711, 2, 'Lab', '', 1);
INSERT INTO creatorTypes VALUES (8, 'author'), (10, 'editor');
"""
_ANNOTATIONS = {"highlight": 1, "note": 2}
_MODES = {"imported_file": 0, "imported_url": 1, "linked_file": 2}


def _connected(path: Path) -> sqlite3.Connection:
    """Open a database that need not outlive a power cut."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


class Zotero:
    """A folder as Zotero has one, which a test fills and changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "zotero.sqlite"
        folder.mkdir(parents=True)
        with closing(_connected(self.database)) as connection:
            connection.executescript(TABLES)

    def change(self, sql: str, *values: Any) -> None:
        """Change the database behind Zotero's back."""
        with closing(_connected(self.database)) as connection, connection:
            connection.execute(sql, values)

    def item(
        self,
        key: str,
        kind: str,
        *,
        authors: tuple[tuple[str, str], ...] = (),
        tags: tuple[str, ...] = (),
        **fields: str,
    ) -> int:
        """Put an object in; the user's own, unless `library` says otherwise."""
        with closing(_connected(self.database)) as connection, connection:
            type_id = self._number(connection, "itemTypes", "itemTypeID", "typeName", kind)
            sql = "INSERT INTO items (itemTypeID, libraryID, key) VALUES (?, ?, ?)"
            item = connection.execute(sql, (type_id, int(fields.pop("library", "1")), key)).lastrowid
            for name, value in fields.items():
                field = self._number(connection, "fields", "fieldID", "fieldName", name)
                held = self._number(connection, "itemDataValues", "valueID", "value", value)
                connection.execute("INSERT INTO itemData VALUES (?, ?, ?)", (item, field, held))
            for order, (first, last) in enumerate(authors):
                sql = "INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)"
                creator = connection.execute(sql, (first, last, int(not first))).lastrowid
                connection.execute("INSERT INTO itemCreators VALUES (?, ?, 8, ?)", (item, creator, order))
            for tag in tags:
                number = self._number(connection, "tags", "tagID", "name", tag)
                connection.execute("INSERT INTO itemTags VALUES (?, ?, 0)", (item, number))
        assert item is not None
        return item

    def attachment(self, key: str, parent: int | None, path: str, mode: str = "imported_file", **more: str) -> int:
        """Put an attachment in; its file is somebody else's."""
        item = self.item(key, "attachment", **more)
        sql = "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path) VALUES (?, ?, ?, ?, ?)"
        kind = "application/pdf" if path.endswith(".pdf") else "text/html"
        self.change(sql, item, parent, _MODES[mode], kind, path)
        return item

    def pdf(self, key: str, parent: int | None, name: str, *pages: str) -> int:
        """Put a PDF into the storage."""
        folder = self.folder / "storage" / key
        folder.mkdir(parents=True)
        print_pdf(folder / name, *pages)
        return self.attachment(key, parent, f"storage:{name}")

    def note(self, key: str, parent: int | None, html: str) -> int:
        """Put a note in."""
        item = self.item(key, "note")
        self.change("INSERT INTO itemNotes VALUES (?, ?, ?, '')", item, parent, html)
        return item

    def highlight(self, key: str, parent: int, page: int, text: str, comment: str = "") -> int:
        """Put a highlight in."""
        item = self.item(key, "annotation")
        sql = "INSERT INTO itemAnnotations VALUES (?, ?, ?, NULL, ?, ?, '#ffd400', ?, '00003|000001|00001', ?, 0)"
        position = json.dumps({"pageIndex": page - 1, "rects": [[1, 2, 3, 4]]})
        kind = _ANNOTATIONS["highlight" if text else "note"]
        self.change(sql, item, parent, kind, text or None, comment or None, str(page), position)
        return item

    def collect(self, name: str, *items: int, below: int | None = None, key: str = "") -> int:
        """Make a collection of items."""
        with closing(_connected(self.database)) as connection, connection:
            sql = "INSERT INTO collections (collectionName, parentCollectionID, libraryID, key) VALUES (?, ?, 1, ?)"
            made = connection.execute(sql, (name, below, key or f"COLL{len(name):04}")).lastrowid
            for item in items:
                connection.execute("INSERT INTO collectionItems VALUES (?, ?, 0)", (made, item))
        assert made is not None
        return made

    def better_bibtex(self, keys: dict[str, str], name: str = "better-bibtex.sqlite") -> None:
        """Write the database of Better BibTeX."""
        with closing(_connected(self.folder / name)) as connection, connection:
            connection.execute("CREATE TABLE citationkey (itemID, itemKey, libraryID, citationKey, pinned)")
            rows = [(number, key, 1, own, 0) for number, (key, own) in enumerate(keys.items())]
            connection.executemany("INSERT INTO citationkey VALUES (?, ?, ?, ?, ?)", rows)

    @staticmethod
    def _number(connection: sqlite3.Connection, table: str, id: str, column: str, value: str) -> int:
        row = connection.execute(f"SELECT {id} FROM {table} WHERE {column} = ?", (value,)).fetchone()  # noqa: S608
        if row is None:
            made = connection.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (value,))  # noqa: S608
            assert made.lastrowid is not None
            return made.lastrowid
        return int(row[0])


def print_pdf(path: Path, *pages: str) -> None:
    """Print a PDF, a text a page."""
    canvas = Canvas(str(path), invariant=1)
    for page in pages:
        text = canvas.beginText(72, 720)
        text.setFont("Helvetica", 11)
        for line in page.split("\n"):
            text.textLine(line)
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
