"""A library of Zotero, read from its database or from Zotero while it runs, as documents."""

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scholarmind.adapters.readers.bibliography.bibliography_text import untagged
from scholarmind.errors import QueryError, ReadError
from scholarmind.identity import OPEN_PDF, SELECT
from scholarmind.model import Problem
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import storable

if TYPE_CHECKING:
    import httpx2

# -- what Zotero holds, and what becomes of it here: items of a bibliography, files, and notes as records

OWN_KEY = "zotero_key"  # of the metadata: which object of Zotero a document is
Data = Mapping[str, Any]

_TYPES = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "conferencePaper": "paper-conference",
    "presentation": "speech",
    "book": "book",
    "bookSection": "chapter",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "thesis": "thesis",
    "report": "report",
    "preprint": "article",
    "webpage": "webpage",
    "blogPost": "post-weblog",
    "forumPost": "post",
    "manuscript": "manuscript",
    "dataset": "dataset",
    "computerProgram": "software",
    "patent": "patent",
    "standard": "standard",
    "statute": "legislation",
}

_FIELDS = {  # of CSL, and Zotero's names for it in items of one type and another
    "title": "title caseName nameOfAct subject",
    "title-short": "shortTitle",
    "container-title": "publicationTitle proceedingsTitle bookTitle encyclopediaTitle dictionaryTitle websiteTitle blogTitle forumTitle",
    "collection-title": "series seriesTitle",
    "event-title": "conferenceName meetingName",
    "publisher": "publisher university institution repository company label distributor",
    "publisher-place": "place",
    "volume": "volume",
    "issue": "issue",
    "number": "number reportNumber archiveID patentNumber publicLawNumber",
    "page": "pages",
    "edition": "edition",
    "genre": "thesisType reportType genre",
    "archive": "archive",
    "archive_location": "archiveLocation",
    "DOI": "DOI",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "URL": "url",
    "language": "language",
    "abstract": "abstractNote",
}

_AUTHORS = frozenset(
    "author presenter programmer inventor artist cartographer composer director interviewee performer podcaster sponsor".split()
)
_NO_ITEMS = frozenset({"attachment", "note", "annotation"})
_EXTRA_KEY = re.compile(r"^\s*citation[ -]?key\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_EXTRA_DOI = re.compile(r"^\s*DOI\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_PAPERS = (".pdf", ".epub")  # go before saved web pages of the same item
_LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroContents:
    """What was found in Zotero: all objects that belong together, and the keys that Better BibTeX has for items.

    An attachment has the path of its file under `file`, '' where none is known.
    """

    name: str  # of the collection, or of the whole library
    collection: str = ""  # its key, '' for the whole library
    home: str = "library"  # or groups/123
    objects: tuple[Data, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict[str, str])  # by the key of the item


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroDocuments:
    """What the library takes in. `titles` names every object that is in it, by its own key."""

    bibliography: tuple[dict[str, Any], ...] = ()
    records: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])  # the own key of the object that each is of
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: frozenset[str] = frozenset()  # files that are named and are not there now
    problems: tuple[Problem, ...] = ()


def documents_of(contents: ZoteroContents, suffixes: Iterable[str]) -> ZoteroDocuments:
    """Return what becomes of the objects; files with other endings than these cannot be read."""
    return _Translation(contents, frozenset(suffixes)).documents()


class _Translation:
    """Objects of Zotero on their way here."""

    def __init__(self, contents: ZoteroContents, suffixes: frozenset[str]) -> None:
        self._contents = contents
        self._suffixes = suffixes
        self._by_key = {str(data["key"]): data for data in contents.objects}
        self._children: dict[str, list[Data]] = {}
        for data in sorted(contents.objects, key=lambda data: str(data["key"])):
            self._children.setdefault(str(data.get("parentItem") or ""), []).append(data)
        self._files: dict[str, str] = {}
        self._problems: list[Problem] = []

    def documents(self) -> ZoteroDocuments:
        items: list[dict[str, Any]] = []
        records: list[dict[str, Any]] = []
        titles: dict[str, str] = {}
        for data in self._children.get("", []):
            kind = data.get("itemType")
            own = self._own_key(data)
            if kind == "attachment":
                if self._take_files(own, [data]):
                    titles[own] = _title(data)
            elif kind not in _NO_ITEMS:
                titles[own] = _title(data)
                items.append(self._item(data))
        for data in self._contents.objects:
            record = self._record(data)
            if record is not None:
                records.append(record)
                titles[self._own_key(data)] = record["title"]
        return ZoteroDocuments(
            bibliography=tuple(items),
            records=tuple(sorted(records, key=lambda record: str(record["id"]))),
            files=self._files,
            titles=titles,
            missing=frozenset(problem.where for problem in self._problems),
            problems=tuple(self._problems),
        )

    def _own_key(self, data: Data) -> str:
        return f"{self._contents.home}/{data['key']}"

    def _select(self, data: Data) -> str:
        return f"zotero://select/{self._contents.home}/items/{data['key']}"

    def _item(self, data: Data) -> dict[str, Any]:
        """Return an item as CSL-JSON, with its files."""
        attachments = [one for one in self._children.get(str(data["key"]), []) if one.get("itemType") == "attachment"]
        files = self._take_files(self._own_key(data), attachments)
        # the key that the user cites the item by: a native field, the line in `extra`, Better BibTeX's own, else Zotero's
        extra = _EXTRA_KEY.search(_text(data, "extra"))
        told = (_text(data, "citationKey"), extra[1] if extra else "", self._contents.keys.get(str(data["key"]), ""))
        found: dict[str, Any] = {
            "id": next(filter(None, told), str(data["key"])),
            "type": _TYPES.get(str(data.get("itemType")), "document"),
        }
        for name, theirs in _FIELDS.items():
            if value := next((_text(data, their) for their in theirs.split() if _text(data, their)), ""):
                found[name] = value
        if "DOI" not in found and (doi := _EXTRA_DOI.search(_text(data, "extra"))):
            found["DOI"] = doi[1]
        creators = [cast("Data", one) for one in data.get("creators") or ()]
        for role, wanted in (("author", _AUTHORS), ("editor", {"editor"})):
            if people := [_person(one) for one in creators if one.get("creatorType") in wanted]:
                found[role] = people
        if date := _text(data, "date"):
            found["issued"] = {"raw": date}
        if files:
            found["file"] = [str(self._path(one)) for one in files]
        custom: dict[str, Any] = {SELECT: self._select(data), OWN_KEY: self._own_key(data)}
        if pdf := next((one for one in files if self._path(one).suffix.lower() == ".pdf"), None):
            custom[OPEN_PDF] = f"zotero://open-pdf/{self._contents.home}/items/{pdf['key']}"
        return found | {"custom": custom | _tags(data)}

    def _take_files(self, own: str, attachments: Iterable[Data]) -> list[Data]:
        """Return the attachments whose files are taken in; of an item with a PDF not the saved web pages too."""
        readable = [one for one in attachments if one.get("file") and self._path(one).suffix.lower() in self._suffixes]
        papers = [one for one in readable if self._path(one).suffix.lower() in _PAPERS]
        taken: list[Data] = []
        for one in papers or readable:
            path = self._path(one)
            if path.is_file():
                self._files.setdefault(str(path), own)
                taken.append(one)
                continue
            reason = f"the file of {_title(self._parent(one) or one)!r} is not there"
            self._problems.append(
                Problem(
                    where=storable(str(path)),
                    reason=reason,
                    advice="let Zotero fetch it, or say with --storage or --attachments where files are",
                    lasting=True,
                )
            )
        return taken

    def _path(self, attachment: Data) -> Path:
        return Path(str(attachment.get("file") or ""))

    def _parent(self, data: Data) -> Data | None:
        return self._by_key.get(str(data.get("parentItem") or ""))

    def _record(self, data: Data) -> dict[str, Any] | None:
        """Return a note or a highlight as a record, which is a document of the user's own; None for what has no words."""
        parent = self._parent(data)
        if data.get("itemType") == "note":
            from scholarmind.adapters.readers.html import compose  # noqa: PLC0415
            from scholarmind.adapters.readers.web_pages import parse  # noqa: PLC0415

            note = _text(data, "note")  # as HTML
            text = compose(note, parse(f"<html><body>{note}</body></html>")).text.strip() if note.strip() else ""
            first = next(iter(text.splitlines()), "")[:_LONGEST_TITLE]
            title = _named(parent, "note", "") if parent else first
            link = {SELECT: self._select(data)}
        elif data.get("itemType") == "annotation" and parent is not None:
            item = self._parent(parent) or parent
            said, comment = (untagged(_text(data, name)).strip() for name in ("annotationText", "annotationComment"))
            mark = "批注：" if language_of(comment) == "zh" else "Comment: "
            text = "\n\n".join(filter(None, (said, f"{mark}{comment}" if said and comment else comment)))
            label = _text(data, "annotationPageLabel")
            title = _named(item, "highlight" if said else "note", label)
            page = f"?page={number}&annotation={data['key']}" if (number := _page_number(data)) else ""
            opened = f"zotero://open-pdf/{self._contents.home}/items/{parent['key']}{page}"
            link = {SELECT: self._select(item), OPEN_PDF: opened}
        else:
            return None
        if not text.strip():
            return None
        author = _text(data, "annotationAuthorName")
        fields: dict[str, Any] = {"kind": "note", OWN_KEY: self._own_key(data), **link, **_tags(data)}
        if author:
            fields["authors"] = [author]
        return {"id": f"zotero-{data['key']}", "title": title, "text": text, "meta": fields}


def _text(data: Data, name: str) -> str:
    value: Any = data.get(name)
    return storable(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _title(data: Data) -> str:
    names = (*_FIELDS["title"].split(), "filename")
    # a text without the tags that Zotero has for slanted, bold, raised and small letters
    return next(
        (title for name in names if (title := " ".join(untagged(_text(data, name)).split()))), str(data.get("key", ""))
    )


def _person(creator: Data) -> dict[str, str]:
    family, given = _text(creator, "lastName"), _text(creator, "firstName")
    if family and given:
        return {"family": family, "given": given}
    return {"literal": _text(creator, "name") or family or given}


def _tags(data: Data) -> dict[str, list[str]]:
    tags = [_text(cast("Data", tag), "tag") for tag in data.get("tags") or () if isinstance(tag, dict)]
    return {"tags": list(filter(None, tags))} if any(tags) else {}


def _named(parent: Data, kind: str, page: str) -> str:
    """Return what a note or highlight is called: where it is from first, since long titles are cut at their end."""
    title = _title(parent)
    if language_of(title) == "zh":
        where = f"（第 {page} 页）" if page else ""
        return f"{'划线' if kind == 'highlight' else '笔记'}{where}：《{title}》"
    where = f" (p. {page})" if page else ""
    return f"{kind.capitalize()}{where} on “{title}”"


def _page_number(data: Data) -> int | None:
    """Return the number of the page in the file, from 1: what is printed on it may be another."""
    import json  # noqa: PLC0415

    try:
        position: Any = json.loads(_text(data, "annotationPosition") or "{}")
    except ValueError:
        return None
    place: Any = cast("dict[str, Any]", position).get("pageIndex") if isinstance(position, dict) else None
    return place + 1 if isinstance(place, int) and 0 <= place < 100_000 else None


# -- Zotero's own database, read from a copy: nothing is locked, and nothing of it is ever written

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
        sql = (
            "SELECT d.itemID, f.fieldName, v.value FROM itemData d "
            "JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID"
        )
        for item, name, value in self._rows(sql):
            self._found[item][name] = value
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


# -- a running Zotero, asked at its local address: it has to be allowed there: Settings, Advanced, "Allow other applications ..."

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_AT_ONCE = 1_000  # objects a page
_SECONDS = 60.0
_HEADERS = {"Zotero-API-Version": "3"}
_FILES = frozenset({"imported_file", "imported_url", "linked_file"})
_ADVICE = "start Zotero 7 or newer, and allow other applications to communicate with it (Settings, Advanced)"


@dataclass(frozen=True, slots=True)
class ZoteroLocalApi:
    """The address of a Zotero on this machine, such as http://localhost:23119/api."""

    address: str

    def read(self, collection: str = "", group: str = "") -> ZoteroContents:
        """Return what a collection holds, with those below it; without a name the whole library, the user's own or a group's."""
        import httpx2  # noqa: PLC0415

        if urlsplit(self.address).hostname not in _HERE:
            raise QueryError(f"{self.address!r} is not on this machine; give such as http://localhost:23119/api")
        try:
            with httpx2.Client(headers=_HEADERS, timeout=_SECONDS, trust_env=False) as client:
                return self._read(client, collection, group)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise ReadError(f"Zotero does not answer at {self.address!r}: {error}", _ADVICE) from error

    def _read(self, client: "httpx2.Client", collection: str, group: str) -> ZoteroContents:
        home = self._home(client, group) if group else "library"
        place = home if group else "users/0"
        name, key, wanted = "My Library", "", set[str]()
        if collection:
            found = {str(one["key"]): one for one in self._data(client, f"{place}/collections")}
            parents = {key: str(one.get("parentCollection") or "") or None for key, one in found.items()}
            key = named_collection(collection, {key: (str(found[key]["name"]), parents[key], key) for key in found})
            name, wanted = str(found[key]["name"]), {key}
            while more := {one for one, parent in parents.items() if parent in wanted} - wanted:
                wanted |= more
        objects = _belonging(self._data(client, f"{place}/items"), wanted)
        if not any(
            one.get("itemType") == "annotation" for one in objects
        ):  # which this Zotero tells of below their files only
            files = [one for one in objects if one.get("contentType") == "application/pdf"]
            objects += [one for file in files for one in self._data(client, f"{place}/items/{file['key']}/children")]
        with_files = [self._with_file(client, place, one) for one in objects]
        items = [
            str(one["key"]) for one in with_files if one.get("itemType") not in {"attachment", "note", "annotation"}
        ]
        return ZoteroContents(
            name=name, collection=key, home=home, objects=tuple(with_files), keys=self._better_bibtex(client, items)
        )

    def _home(self, client: "httpx2.Client", group: str) -> str:
        groups = self._data(client, "users/0/groups")
        for one in groups:
            if group in {str(one.get("name")), str(one.get("id"))}:
                return f"groups/{one['id']}"
        known = ", ".join(repr(one.get("name")) for one in groups) or "none"
        raise QueryError(f"Zotero has no group {group!r}; it has {known}")

    def _data(self, client: "httpx2.Client", path: str) -> list[dict[str, Any]]:
        """Return all objects of a kind, however many pages they fill; an attachment with the address of its file."""
        found: list[dict[str, Any]] = []
        while True:
            parameters = {"start": str(len(found)), "limit": str(_AT_ONCE), "sort": "dateAdded", "direction": "asc"}
            answer = client.get(f"{self.address.rstrip('/')}/{path}", params=parameters)
            page = self._checked(answer)
            for one in page:
                data = dict(cast("Mapping[str, Any]", one.get("data") or one))
                links = cast("dict[str, Any]", one.get("links") or {})
                data["address"] = str(cast("dict[str, Any]", links.get("enclosure") or {}).get("href") or "")
                data.setdefault("key", str(one.get("key") or ""))
                found.append(data)
            total = answer.headers.get("Total-Results", "")
            if not page or not total.isdigit() or len(found) >= int(total):
                return found

    def _checked(self, answer: "httpx2.Response") -> list[dict[str, Any]]:
        if answer.status_code != 200:
            raise ReadError(
                f"Zotero answers {answer.status_code} at {str(answer.url)!r}: {answer.text[:200]!r}", _ADVICE
            )
        try:
            page: Any = answer.json()
        except ValueError as error:
            raise ReadError(f"what answers at {str(answer.url)!r} is not Zotero: {error}", _ADVICE) from error
        if not isinstance(page, list):
            raise ReadError(f"what answers at {str(answer.url)!r} is not Zotero: no list of objects", _ADVICE)
        return [cast("dict[str, Any]", one) for one in cast("list[Any]", page) if isinstance(one, dict)]

    def _with_file(self, client: "httpx2.Client", place: str, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("itemType") != "attachment" or data.get("linkMode") not in _FILES:
            return data
        address = str(data["address"])
        if not address.startswith("file:"):
            answer = client.get(f"{self.address.rstrip('/')}/{place}/items/{data['key']}/file/view/url")
            address = answer.text.strip() if answer.status_code == 200 else ""
        path = url2pathname(urlsplit(address).path) if address.startswith("file:") else ""
        return data | {"file": path}

    def _better_bibtex(self, client: "httpx2.Client", items: Sequence[str]) -> Mapping[str, str]:
        """Return the keys that Better BibTeX has for items, where it is installed."""
        parts = urlsplit(self.address)
        asked = {"jsonrpc": "2.0", "id": 1, "method": "item.citationkey", "params": [list(items)]}
        answer = client.post(f"{parts.scheme}://{parts.netloc}/better-bibtex/json-rpc", json=asked)
        try:
            body: Any = answer.json() if answer.status_code == 200 else {}
        except ValueError:
            return {}
        keys: Any = cast("dict[str, Any]", body).get("result") if isinstance(body, dict) else None
        found = cast("dict[str, Any]", keys) if isinstance(keys, dict) else {}
        return {item: key for item, key in found.items() if isinstance(key, str) and key}


def _belonging(objects: Sequence[dict[str, Any]], collections: set[str]) -> list[dict[str, Any]]:
    """Return the objects that stand in one of these collections, with what hangs on them; without collections, all."""
    by_key = {str(one["key"]): one for one in objects}
    kept: list[dict[str, Any]] = []
    for one in objects:
        top = one
        for _ in range(4):
            top = by_key.get(str(top.get("parentItem") or ""), top)
        orphan = bool(top.get("parentItem")) or top.get("deleted")
        if not orphan and (not collections or collections & set(map(str, top.get("collections") or ()))):
            kept.append(one)
    return kept
