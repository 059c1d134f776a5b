"""Zotero's own database, read from a copy: nothing is locked, and nothing of Zotero's is ever written.

`zotero.sqlite` is copied with its journal, so that what a running Zotero has just written is in it. Tables and columns are those that
Zotero has had since version 5, annotations since 6; a native citation key is a field like any other. Better BibTeX keeps its keys in a
file beside it.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any, TypeVar

from scholarmind.errors import QueryError, ReadError
from scholarmind.zotero.items import ZoteroContents

_JOURNALS = ("-journal", "-wal")  # -shm is made anew
_MODES = {0: "imported_file", 1: "imported_url", 2: "linked_file", 3: "linked_url", 4: "embedded_image"}
_ANNOTATIONS = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
_KEPT_BY_BETTER_BIBTEX = ("better-bibtex.sqlite", "better-bibtex.migrated")
_NEEDED = "items itemTypes itemData itemDataValues fields itemAttachments itemNotes collections collectionItems".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroDatabase:
    """A database on disk: where its files are, and the folder that `attachments:` paths begin in."""

    path: Path
    storage: Path | None = None  # beside the database, unless it is said
    attachments: Path | None = None

    def read(self, collection: str = "", group: str = "") -> ZoteroContents:
        """Return what a collection holds, with those below it; without a name the whole library, the user's own or a group's."""
        if not self.path.is_file():
            raise ReadError(
                f"there is no file {str(self.path)!r}",
                "give the path of zotero.sqlite; Zotero names its folder under Settings, Advanced, Files and Folders",
            )
        try:
            with _copied(self.path) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if missing := [name for name in _NEEDED if name not in tables]:
                    raise ReadError(
                        f"{str(self.path)!r} is no database of Zotero 5 or newer: it has no table {missing[0]!r}",
                        "give the path of zotero.sqlite",
                    )
                library, home = _library(connection, group)
                name, key, members = _members(connection, library, collection)
                objects = _ZoteroObjects(connection, library, tables)
                found = objects.read(members)
                files = [
                    data | ({"file": self._file(data)} if data["itemType"] == "attachment" else {}) for data in found
                ]
        except sqlite3.DatabaseError as error:
            raise ReadError(
                f"{str(self.path)!r} cannot be read: {error}", "close Zotero, copy the file anew, and try again"
            ) from error
        keys = self._better_bibtex(library)
        return ZoteroContents(name=name, collection=key, home=home, objects=tuple(files), keys=keys)

    def _file(self, attachment: Mapping[str, Any]) -> str:
        """Return where the file of an attachment is, '' where there is none on this machine."""
        path, mode = str(attachment.get("path") or ""), attachment.get("linkMode")
        if path.startswith("storage:"):
            name = path.removeprefix("storage:")
            storage = self.storage or self.path.parent / "storage"
            return "" if _leads_away(name) else str(storage / str(attachment["key"]) / name)
        if path.startswith("attachments:"):
            name = path.removeprefix("attachments:")
            return str(self.attachments / name) if self.attachments and not _leads_away(name) else ""
        return path if mode == "linked_file" else ""

    def _better_bibtex(self, library: int) -> Mapping[str, str]:
        """Return the keys that Better BibTeX keeps beside the database, by those of Zotero; none where it is not used, or broken."""
        for name in _KEPT_BY_BETTER_BIBTEX:
            path = self.path.parent / name
            if not path.is_file():
                continue
            try:
                with _copied(path) as connection:
                    sql = "SELECT itemKey, citationKey FROM citationkey WHERE libraryID = ?"
                    return {str(key): str(own) for key, own in connection.execute(sql, (library,)) if own}
            except sqlite3.DatabaseError:  # of an older version, which wrote its keys into `extra` too
                continue
        return {}


Id = TypeVar("Id", int, str)


def _leads_away(name: str) -> bool:
    return not name or Path(name).is_absolute() or PureWindowsPath(name).is_absolute() or ".." in Path(name).parts


@contextmanager
def _copied(path: Path) -> Generator[sqlite3.Connection]:
    """Open a copy of a database, with its journal."""
    with tempfile.TemporaryDirectory(prefix="scholarmind-zotero-") as folder:
        copy = Path(folder) / "copy.sqlite"
        try:
            shutil.copyfile(path, copy)
            for journal in _JOURNALS:
                beside = path.with_name(path.name + journal)
                if beside.is_file():
                    shutil.copyfile(beside, copy.with_name(copy.name + journal))
        except OSError as error:
            raise ReadError(f"{str(path)!r} cannot be copied: {error.strerror}", "see who may read it") from error
        with closing(sqlite3.connect(copy)) as connection:  # writes a journal into the copy, and nowhere else
            connection.text_factory = _decoded
            yield connection


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _library(connection: sqlite3.Connection, group: str) -> tuple[int, str]:
    """Return the number of a library, and how links name it."""
    if not group:
        row = connection.execute("SELECT libraryID FROM libraries WHERE type = 'user'").fetchone()
        return (row[0] if row else 1), "library"
    groups = connection.execute("SELECT libraryID, groupID, name FROM groups").fetchall()
    for number, key, name in groups:
        if group in {name, str(key)}:
            return number, f"groups/{key}"
    known = ", ".join(repr(name) for _, _, name in groups) or "none"
    raise QueryError(f"Zotero has no group {group!r}; it has {known}")


def _members(connection: sqlite3.Connection, library: int, collection: str) -> tuple[str, str, set[int] | None]:
    """Return the name and key of a collection and the ids of what is in it and below it; None for a whole library."""
    if not collection:
        return "My Library", "", None
    sql = "SELECT collectionID, collectionName, parentCollectionID, key FROM collections WHERE libraryID = ?"
    rows = connection.execute(sql, (library,)).fetchall()
    id = named_collection(collection, {row[0]: (row[1], row[2], row[3]) for row in rows})
    below = {id}
    while more := {row[0] for row in rows if row[2] in below} - below:
        below |= more
    name, key = next((row[1], row[3]) for row in rows if row[0] == id)
    members = connection.execute("SELECT collectionID, itemID FROM collectionItems").fetchall()
    return name, key, {item for held, item in members if held in below}


def named_collection(wanted: str, known: Mapping[Id, tuple[str, "Id | None", str]]) -> Id:
    """Return the one collection that is meant: by its key, its name, or names from the top with `/` between them."""

    def path(id: Id) -> str:
        name, parent, _ = known[id]
        return f"{path(parent)}/{name}" if parent in known and parent is not None else name

    found = [id for id, (name, _, key) in known.items() if wanted in {key, name, path(id)}]
    exact = [id for id in found if wanted in {known[id][2], path(id)}]
    chosen = exact if len(exact) == 1 else found
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        paths = ", ".join(repr(path(id)) for id in chosen)
        raise QueryError(f"Zotero has several collections {wanted!r}; say which: {paths}")
    paths = ", ".join(sorted(repr(path(id)) for id in known)[:20]) or "none"
    raise QueryError(f"Zotero has no collection {wanted!r}; it has {paths}")


class _ZoteroObjects:
    """The objects of a library, put together from the tables."""

    def __init__(self, connection: sqlite3.Connection, library: int, tables: set[str]) -> None:
        self._connection = connection
        self._tables = tables
        sql = (
            "SELECT i.itemID, i.key, t.typeName FROM items i JOIN itemTypes t ON t.itemTypeID = i.itemTypeID "
            "WHERE i.libraryID = ? AND i.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY i.itemID"
        )
        self._found: dict[int, dict[str, Any]] = {
            id: {"key": key, "itemType": kind} for id, key, kind in connection.execute(sql, (library,))
        }

    def read(self, members: set[int] | None) -> list[dict[str, Any]]:
        """Return the members and what hangs on them, in the order of their ids; without members, everything."""
        self._fields()
        self._people()
        parents = self._attachments() | self._notes() | self._annotations()
        for item, tag in self._rows("SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, name"):
            self._found[item].setdefault("tags", []).append({"tag": tag})
        for item, parent in parents.items():
            if parent in self._found:
                self._found[item]["parentItem"] = self._found[parent]["key"]
        kept: list[dict[str, Any]] = []
        for item, data in self._found.items():
            top = item
            while parents.get(top) is not None and parents[top] != top:
                top = int(parents[top] or 0)
            if top in self._found and (
                members is None or top in members
            ):  # what hangs on something deleted is gone too
                kept.append(data)
        return kept

    def _rows(self, sql: str) -> Iterable[Any]:
        return (row for row in self._connection.execute(sql) if row[0] in self._found)

    def _fields(self) -> None:
        sql = (
            "SELECT d.itemID, f.fieldName, v.value FROM itemData d "
            "JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID"
        )
        for item, name, value in self._rows(sql):
            self._found[item][name] = value

    def _people(self) -> None:
        sql = (
            "SELECT c.itemID, t.creatorType, p.firstName, p.lastName, p.fieldMode FROM itemCreators c "
            "JOIN creators p ON p.creatorID = c.creatorID JOIN creatorTypes t ON t.creatorTypeID = c.creatorTypeID "
            "ORDER BY c.itemID, c.orderIndex"
        )
        for item, role, first, last, single in self._rows(sql):
            name = {"name": last} if single else {"firstName": first or "", "lastName": last or ""}
            self._found[item].setdefault("creators", []).append({"creatorType": role, **name})

    def _attachments(self) -> dict[int, int | None]:
        sql = "SELECT itemID, parentItemID, linkMode, contentType, path FROM itemAttachments"
        parents: dict[int, int | None] = {}
        for item, parent, mode, kind, path in self._rows(sql):
            parents[item] = parent
            self._found[item] |= {"linkMode": _MODES.get(mode, ""), "contentType": kind or "", "path": path or ""}
        return parents

    def _notes(self) -> dict[int, int | None]:
        parents: dict[int, int | None] = {}
        for item, parent, note in self._rows("SELECT itemID, parentItemID, note FROM itemNotes"):
            parents[item] = parent
            self._found[item]["note"] = note or ""
        return parents

    def _annotations(self) -> dict[int, int | None]:
        if "itemAnnotations" not in self._tables:
            return {}
        sql = "SELECT itemID, parentItemID, type, authorName, text, comment, pageLabel, position FROM itemAnnotations"
        parents: dict[int, int | None] = {}
        for item, parent, kind, author, text, comment, page, position in self._rows(sql):
            parents[item] = parent
            self._found[item] |= {
                "annotationType": _ANNOTATIONS.get(kind, ""),
                "annotationAuthorName": author or "",
                "annotationText": text or "",
                "annotationComment": comment or "",
                "annotationPageLabel": page or "",
                "annotationPosition": position or "",
            }
        return parents
