"""A whole library taken from one home to another, a folder, a database or a file: all that is true of it, and nothing that is derived.

Three parts, of which each has its tables in a file of the folder, and all of them theirs in one schema of the database: the documents and
what was made of them, the runs, and the service. Each part is read as of one moment, so that nobody who writes has to wait; the target
cannot be opened before all of it is there and was compared.
"""

import json
import re
import shutil
import tarfile
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.databases.copying import (
    Content,
    CopiedTable,
    Row,
    copy_table,
    counters,
    set_counters,
    table_of,
    tables_in,
    with_checks,
    without_checks,
)
from scholarmind.adapters.runs import RATINGS, TURNS
from scholarmind.adapters.runs.runs_file import RunFile, text_of
from scholarmind.adapters.store.access import WriterLock
from scholarmind.adapters.store.database import BEING_COPIED, SCHEMA, Database, check_is_whole, errors_of, script
from scholarmind.adapters.store.multilingual import ASKED
from scholarmind.errors import LibraryError, LibraryMismatchError, LibraryStorageError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.service.service_file import ServiceFile
from scholarmind.settings import Settings, folder_for

if TYPE_CHECKING:
    from scholarmind.adapters.databases.postgres import Address

_SCRIPTS = ("schema.sql", "sums.sql", "multilingual.sql", "graph.sql", "tree.sql", "tables.sql", "watched.sql")
_RUNS = ("runs", "journal", "events", "archive", "turns", "ratings")
_SERVICE = ("keys", "sessions", "usage", "jobs", "requests")
_PACKED = ("plan", "settings", "answer")  # columns of runs that a folder may hold compressed
_OWN = ("schema", "identity", "copying", "copied")  # what `about` says of one home, and not of the library
_DERIVED = ("keyword", "vectors", "multilingual")
_FILES = ("uploads", "zotero")
_CREATED = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)")
_LOCK_WAIT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a library is: a folder, or a database and the folder of what this machine derives from it."""

    folder: Path
    database: str = ""

    @property
    def shown(self) -> str:
        """What it is called to people."""
        return self._address().shown if self.database else str(self.folder.resolve())

    def check_is_there(self) -> None:
        """Refuse a folder without a library, in which opening one would make it."""
        if not self.database and not (self.folder / "library.db").exists():
            raise LibraryError(f"there is no library in {str(self.folder)!r}; name it with --library or --database")

    def open(self) -> tuple[Database, WriterLock]:
        """Return its database and its lock, without looking at what is in it."""
        if not self.database:
            database = Database(self.folder / "library.db")
            return database, WriterLock(self.folder / "writer.lock")
        from scholarmind.adapters.store.postgres_store import DatabaseLock, PostgresDatabase  # noqa: PLC0415

        of_postgres = PostgresDatabase(self._address(), self.folder)
        return of_postgres, DatabaseLock(of_postgres, WriterLock(self.folder / "writer.lock"))

    def runs(self) -> RunFile:
        """Return what has its runs."""
        if not self.database:
            return RunFile(self.folder / "runs.db")
        from scholarmind.adapters.runs.database_runs import DatabaseRuns  # noqa: PLC0415

        return DatabaseRuns(self.database, self.folder)

    def service(self) -> ServiceFile:
        """Return what its service keeps."""
        return ServiceFile(self.folder / "service.db", self.database)

    def has(self, file: str, table: str, database: Database) -> bool:
        """Tell whether a part is there, without making it."""
        if not self.database:
            return (self.folder / file).is_file() and (self.folder / file).stat().st_size > 0
        return table in {name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _address(self) -> "Address":
        from scholarmind.adapters.databases.postgres import Address  # noqa: PLC0415

        return Address(self.database)


def home_of(settings: Settings) -> Home:
    """Return where the library of these settings is."""
    return Home(folder=settings.library, database=settings.database)


def home_at(place: str) -> Home:
    """Return what a database's address or a folder stands for."""
    if "://" in place:
        return Home(folder=folder_for(place), database=place)
    return Home(folder=Path(place).expanduser())


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A table that is the same on both sides."""

    part: str
    table: str
    rows: int
    sum: str


def copy_library(source: Home, target: Home, *, origin: str = "", on_event: OnEvent = ignore) -> list[Copied]:
    """Bring the target to what the source is, from wherever it was interrupted; `origin` names the source, if not its place does."""
    origin = origin or source.shown
    if source.shown == target.shown:
        raise LibraryError(f"{target.shown} is the library itself; name another place to copy it to")
    source.check_is_there()
    with errors_of(target.folder / "library.db"):
        target.folder.mkdir(parents=True, exist_ok=True)
    read, _ = source.open()
    written, lock = target.open()
    with closing(read), closing(written):
        if not read.has_layout():
            raise LibraryError(f"there is no library in {source.shown}; name it with --library or --database")
        layout = read.about("schema")
        check_is_whole(source.shown, layout)
        if layout != SCHEMA:
            raise LibraryMismatchError(
                f"the library in {source.shown} has layout {layout!r}, and {SCHEMA!r} can be copied; "
                "bring it up with: scholarmind doctor --mend"
            )
        written.check_writable()
        lock.acquire(_LOCK_WAIT)
        try:
            return _copy(source, target, read, written, origin, on_event)
        finally:
            lock.release()


def _copy(
    source: Home, target: Home, read: Database, written: Database, origin: str, on_event: OnEvent
) -> list[Copied]:
    _prepare(target, written, origin)
    done: list[Copied] = []
    with ExitStack() as stack:
        connection = stack.enter_context(read.snapshot())
        into = stack.enter_context(_writing(written))
        parts = [_library_part(connection, into, written)]
        if source.has("runs.db", "runs", read):
            parts.append(_part_of_runs(stack, source.runs(), target.runs()))
        if source.has("service.db", "jobs", read):
            parts.append(_part_of_service(stack, source.service(), target.service()))
        total = sum(part.count() for part in parts)
        at_all = 0
        for part in parts:
            for copied, rows in part.copied():
                on_event(Progress(stage="copy", done=at_all + rows, total=total, unit="rows"))
                if copied is not None:
                    done.append(copied)
                    at_all += rows
        numbers = counters(connection)
        _finish(into, written, [table.name for table in parts[0].tables], numbers, done)
        for part in parts[1:]:
            with _transaction(part.target):
                set_counters(part.target, [table.name for table in part.tables], {})
    _copy_files(source.folder, target.folder)
    return done


@dataclass(frozen=True, slots=True, kw_only=True)
class _CopiedPart:
    name: str
    source: DatabaseConnection
    target: DatabaseConnection
    tables: Sequence[CopiedTable]

    def count(self) -> int:
        return sum(
            self.source.execute(f"SELECT count(*) FROM {table.name} WHERE {table.where}").fetchone()[0]  # noqa: S608
            for table in self.tables
        )

    def copied(self) -> Iterator[tuple[Copied | None, int]]:
        """Copy and compare table by table; yield how many rows are there, and with the last of a table what it has."""
        for table in self.tables:
            found = Content()
            for found in copy_table(self.source, self.target, table):
                yield None, found.rows
            if (there := table.content(self.target)) != found:
                raise LibraryStorageError(
                    f"the table {table.name!r} is not the same on both sides ({found} and {there}: rows, and their sum); "
                    "if nobody else writes there, give the same command again, which writes anew what differs"
                )
            yield Copied(part=self.name, table=table.name, rows=found.rows, sum=f"{found.sum:032x}"), found.rows


def _library_part(source: DatabaseConnection, target: DatabaseConnection, written: Database) -> _CopiedPart:
    """Lay out what the source has, and see to it that rows may come in any order."""
    there = tables_in(source)
    with _transaction(target):
        names: list[str] = []
        for name in _SCRIPTS:
            created = _CREATED.findall(script(name))
            if there.issuperset(created):
                names += created
                if not tables_in(target).issuperset(created):
                    written.lay_out(target, name)
        state = json.loads(target.execute("SELECT value FROM about WHERE key = 'copying'").fetchone()[0])
        state["references"] += without_checks(target)
        target.execute("UPDATE about SET value = ? WHERE key = 'copying'", (json.dumps(state),))
    tables = [table_of(source, name) for name in names]
    own = ", ".join(f"'{key}'" for key in _OWN)
    return _CopiedPart(
        name="library",
        source=source,
        target=target,
        tables=[replace(table, where=f"key NOT IN ({own})") if table.name == "about" else table for table in tables],
    )


def _part_of_runs(stack: ExitStack, source: RunFile, target: RunFile) -> _CopiedPart:
    part = _opened_part(stack, "runs", source, target, _RUNS, (TURNS, RATINGS))

    def unpacked(table: CopiedTable) -> Callable[[Row], Row]:
        places = {table.columns.index(column) for column in _PACKED}
        return lambda row: tuple(text_of(value) if place in places else value for place, value in enumerate(row))

    return replace(
        part,
        tables=[replace(table, plain=unpacked(table)) if table.name == "runs" else table for table in part.tables],
    )


def _part_of_service(stack: ExitStack, source: ServiceFile, target: ServiceFile) -> _CopiedPart:
    return _opened_part(stack, "service", source, target, _SERVICE, ())


def _opened_part(
    stack: ExitStack,
    name: str,
    source: RunFile | ServiceFile,
    target: RunFile | ServiceFile,
    tables: Sequence[str],
    made_later: Sequence[str],
) -> _CopiedPart:
    for one in (source, target):
        stack.callback(one.close)
    with errors_of(source.path):
        read, written = (stack.enter_context(closing(one.connect())) for one in (source, target))
    stack.enter_context(errors_of(target.path))
    there = tables_in(read)
    for statement in made_later:
        if there.issuperset(_CREATED.findall(statement)):
            written.execute(statement)
    read.execute(_reading(source))
    stack.callback(read.execute, "ROLLBACK")
    return _CopiedPart(
        name=name,
        source=read,
        target=written,
        tables=[table_of(read, table, in_order=table == "journal") for table in tables if table in there],
    )


def _reading(part: RunFile | ServiceFile) -> str:
    in_database = bool(part.database) if isinstance(part, ServiceFile) else not part.packs
    return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if in_database else "BEGIN"


# -- the target: nobody opens it while it is half there, and nothing in it is lost


def _prepare(target: Home, written: Database, origin: str) -> None:
    """Make the target, or see that it may be gone on with: it is empty, half a copy of the same, or a whole one that nobody used."""
    if not written.has_layout():
        written.create()
    layout = written.about("schema")
    if layout == BEING_COPIED:
        begun = json.loads(written.about("copying") or "{}").get("origin")
        if begun != origin:
            raise LibraryError(
                f"{target.shown} has half a copy of {begun}; finish that, or name another place for the copy of {origin}"
            )
        return
    if layout != SCHEMA:
        raise LibraryMismatchError(
            f"the library in {target.shown} has layout {layout!r}, and {SCHEMA!r} is copied; name another place"
        )
    if (copied := written.about("copied")) is not None:
        _check_unused(target, written, json.loads(copied), origin)
    elif written.last_change():
        raise LibraryError(
            f"there is another library in {target.shown} already, which a copy would replace; name an empty place"
        )
    else:
        for name in _DERIVED:
            shutil.rmtree(target.folder / name, ignore_errors=True)
    with written.transaction() as connection:
        connection.execute("UPDATE about SET value = ? WHERE key = 'schema'", (BEING_COPIED,))
        connection.execute(
            "INSERT INTO about VALUES ('copying', ?)", (json.dumps({"origin": origin, "references": []}),)
        )


def _check_unused(target: Home, written: Database, copied: dict[str, str], origin: str) -> None:
    """Refuse a whole copy that is of something else, or that somebody has worked with since."""
    if (of := copied.pop("origin")) != origin:
        raise LibraryError(
            f"{target.shown} has a copy of {of}, which that of {origin} would replace; name an empty place"
        )
    changed = [name for name, found in _contents(target, written, copied) if copied[name] != found]
    if changed:
        raise LibraryError(
            f"the copy in {target.shown} was used since it was made ({', '.join(changed)}), which would be lost; name an empty place"
        )


def _contents(target: Home, written: Database, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    with ExitStack() as stack:
        stack.enter_context(errors_of(target.folder / "library.db"))
        connections = {"library": stack.enter_context(written.in_use()) or written.connection()}
        for part, opened in (("runs", target.runs()), ("service", target.service())):
            if any(name.startswith(f"{part}.") for name in names):
                stack.callback(opened.close)
                connections[part] = stack.enter_context(closing(opened.connect()))
        own = ", ".join(f"'{key}'" for key in _OWN)
        for name in names:
            part, _, table_name = name.partition(".")
            table = table_of(connections[part], table_name, in_order=table_name == "journal")
            if table_name == "about":
                table = replace(table, where=f"key NOT IN ({own})")
            yield name, str(table.content(connections[part]))


@contextmanager
def _writing(database: Database) -> Generator[DatabaseConnection]:
    with errors_of(database.path), database.in_use():
        connection = database.connection()
        if type(database) is Database:
            connection.execute("PRAGMA foreign_keys = OFF")
        else:  # the last transaction waits until the disk has all of them
            connection.execute("SELECT set_config('synchronous_commit', 'off', false)")
        yield connection


@contextmanager
def _transaction(connection: DatabaseConnection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _finish(
    connection: DatabaseConnection,
    written: Database,
    names: Sequence[str],
    numbers: dict[str, int],
    done: Sequence[Copied],
) -> None:
    """Check what refers to what, count on from where the source was, and let the copy be opened."""
    if type(written) is not Database:
        connection.execute("SELECT set_config('synchronous_commit', 'on', false)")
    with _transaction(connection):
        state = json.loads(connection.execute("SELECT value FROM about WHERE key = 'copying'").fetchone()[0])
        with_checks(connection, state["references"])
        for name in _SCRIPTS:
            if (
                type(written) is Database
                and "CREATE TRIGGER" in script(name)
                and set(_CREATED.findall(script(name))) <= set(names)
            ):
                written.lay_out(connection, name)
        set_counters(connection, names, numbers)
        copied = {f"{one.part}.{one.table}": str(Content(rows=one.rows, sum=int(one.sum, 16))) for one in done}
        sql = "INSERT OR REPLACE INTO about VALUES ('copied', ?)"
        connection.execute(sql, (json.dumps({"origin": state["origin"], **copied}),))
        connection.execute("UPDATE about SET value = ? WHERE key = 'schema'", (SCHEMA,))
        connection.execute("DELETE FROM about WHERE key = 'copying'")


def _copy_files(source: Path, target: Path) -> None:
    """Take along what was sent to the service, and what is noted by a file alone."""
    with errors_of(target / "library.db"):
        for name in _FILES:
            if (source / name).is_dir():
                shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        if (source / ASKED).exists():
            (target / ASKED).touch()


# -- a whole library in one file, and back: a copy into a folder, packed with the sums of its tables

_MANIFEST = "backup.json"  # the first of the file, so that it is told what it is without unpacking it
_LITTLE_PACKED = 1  # vectors hardly get smaller, and texts do at once
_FORMAT = 1


def back_up(source: Home, file: Path, *, on_event: OnEvent = ignore) -> list[Copied]:
    """Write the library as it is at this moment into a file, whole or not at all."""
    if file.exists():
        raise LibraryError(f"{str(file)!r} is there already; name another file, or remove it")
    with errors_of(file), tempfile.TemporaryDirectory(prefix=".backup-", dir=file.absolute().parent) as made:
        folder, packed = Path(made) / "library", Path(made) / "packed"
        copied = copy_library(source, Home(folder=folder), on_event=on_event)
        (folder / "writer.lock").unlink()
        manifest = {
            "format": _FORMAT,
            "id": str(uuid.uuid4()),
            "made_by": version("scholarmind"),
            "from": source.shown,
            "tables": [asdict(table) for table in copied],
        }
        (Path(made) / _MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
        with tarfile.open(packed, "w:gz", compresslevel=_LITTLE_PACKED) as archive:
            archive.add(Path(made) / _MANIFEST, _MANIFEST)
            archive.add(folder, "library")
        packed.replace(file)
    return copied


def restore(file: Path, target: Home, *, on_event: OnEvent = ignore) -> list[Copied]:
    """Make a library of what was backed up, and hold it against what was written down then; interrupted, it goes on."""
    with errors_of(target.folder / "library.db"):
        target.folder.mkdir(parents=True, exist_ok=True)
    with errors_of(file), tempfile.TemporaryDirectory(prefix=".restore-", dir=target.folder) as made:
        manifest = _unpacked(file, Path(made))
        source = Home(folder=Path(made) / "library")
        copied = copy_library(source, target, origin=f"backup {manifest['id']}", on_event=on_event)
        shutil.rmtree(source.folder)
    if [asdict(table) for table in copied] != manifest["tables"]:
        raise LibraryStorageError(
            f"what was restored from {str(file)!r} is not what was backed up: the file is damaged; take another backup"
        )
    return copied


def _unpacked(file: Path, folder: Path) -> dict[str, Any]:
    try:
        with tarfile.open(file, "r:gz") as archive:
            archive.extractall(folder, filter="data")
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        known = (
            manifest["format"] == _FORMAT and isinstance(manifest["id"], str) and isinstance(manifest["tables"], list)
        )
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, FileNotFoundError) as error:
        raise LibraryStorageError(f"{str(file)!r} is no backup of a library, or is damaged ({error})") from error
    if not known:
        raise LibraryStorageError(
            f"{str(file)!r} was made by another version ({manifest.get('made_by')!r}); restore it with that one"
        )
    return manifest
