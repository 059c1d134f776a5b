"""Connections to PostgreSQL that are used as SQLite's are, and its errors in our words.

What is only read is asked again over a new connection when the old one is lost: a database that is started again, or another one that took
over for it, goes unnoticed. A transaction that was under way is lost as a whole, and says so.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.resources import files
from itertools import count, islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.adapt import Loader
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import NumericBinaryLoader

from scholarmind.adapters.databases import dialect
from scholarmind.errors import LibraryStorageError, LibraryUnreachableError, SettingsError

_SCHEMA = "scholarmind"
_WAIT_SECONDS = 5.0  # for a database that answers us for the first time
_WAIT_AGAIN_SECONDS = 90.0  # for one that did before: it is started again, or another takes over
_PAUSE_SECONDS = 0.25
# A process that is stopped, or whose machine is gone, must not keep others waiting for what it holds.
_SERIAL = (
    "-c idle_in_transaction_session_timeout=5s -c lock_timeout=20s -c tcp_keepalives_idle=5 -c tcp_keepalives_count=3"
)
_ANY = "-c idle_in_transaction_session_timeout=600s -c tcp_keepalives_idle=10 -c tcp_keepalives_count=3"
_MOST_PARAMETERS = 60_000
_MOST_ROWS = 500
_cursors = count()
_TABLES = """
    SELECT c.relname::text, a.attname::text, coalesce(a.attnum = ANY (i.indkey::smallint[]), false), a.attidentity <> ''
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum
"""


_answered: set[str] = set()  # the databases that this process has spoken with


class Address:
    """Where a database is: what libpq connects to, the schema of the library in it, and how both are named to people."""

    def __init__(self, url: str) -> None:
        self.given = url
        parts = urlsplit(url)
        if parts.scheme not in {"postgresql", "postgres"}:
            raise SettingsError(
                f"the database is given as {parts.scheme!r}, which is none that is known; write it like: postgresql://user@host:5432/name"
            )
        options = dict(parse_qsl(parts.query))
        self.schema = options.pop("schema", _SCHEMA)
        if not self.schema.isidentifier() or not self.schema.islower():
            raise SettingsError(f"the schema {self.schema!r} is no plain name; write it in small letters")
        self.url = urlunsplit(parts._replace(scheme="postgresql", query=urlencode(options)))
        place = parts.netloc.rpartition("@")[2] or options.get("host", "")
        user = parts.username or ""
        asked = urlencode({name: value for name, value in parse_qsl(parts.query) if name != "password"})
        self.named = urlunsplit(
            parts._replace(netloc=f"{user}@{place}" if parts.netloc else "", query=asked)
        )  # but for the password
        self.shown = f"postgresql://{place}{parts.path}" + (f" ({self.schema})" if self.schema != _SCHEMA else "")


class PostgresCursor(psycopg.Cursor[tuple[Any, ...]]):
    """A cursor that knows the number of the row that it inserted, as SQLite's do."""

    lastrowid: int | None = None


class _Whole(NumericBinaryLoader):
    """Sums of whole numbers are whole numbers."""

    def load(self, data: Any) -> Any:
        found = super().load(data)
        return int(found) if found == found.to_integral_value() else float(found)


_ZERO = (
    "\ufdd0"  # stands for the character of number zero, which PostgreSQL's texts cannot have; no text has it for itself
)


class _Text(Loader):
    """Text as it was written."""

    format = Format.BINARY

    def load(self, data: Any) -> str:
        text = bytes(data).decode()
        return text.replace(_ZERO, "\0") if _ZERO in text else text


class _Bytes(Loader):
    """Text as its bytes."""

    format = Format.BINARY

    def load(self, data: Any) -> bytes:
        return bytes(data)


class PostgresConnection:
    """A connection for one thread at a time. `serial`: what writes under this name waits for each other (BEGIN IMMEDIATE)."""

    def __init__(
        self, address: Address, *, serial: str = "", name: str = "scholarmind", extensions: bool = False
    ) -> None:
        self.address = address
        self._path = f"{address.schema}, public" if extensions else address.schema
        self._serial = serial
        self._name = name
        self._raw: psycopg.Connection[Any] | None = None
        self._tables: Mapping[str, dialect.TableLayout] = {}
        self.text_factory: Any = str
        self._was_in_transaction = False
        self._guard = threading.RLock()

    @property
    def in_transaction(self) -> bool:
        """Tell whether one is under way."""
        return self._raw is not None and not self._raw.closed and self._status() is not TransactionStatus.IDLE

    @property
    def is_open(self) -> bool:
        """Tell whether the connection is there, as far as is known."""
        return self._raw is not None and not self._raw.closed

    def execute(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = (), /) -> PostgresCursor:
        """Carry out one statement."""
        return self._asked_again(sql, lambda: self._executed(sql, parameters))

    def execute_own(self, sql: str, parameters: Sequence[Any] = (), /) -> PostgresCursor:
        """Carry out one statement that is in PostgreSQL's own words, but for ? where parameters are."""
        return self._asked_again(sql, lambda: self._executed_own(sql, parameters))

    def _asked_again(self, sql: str, work: Callable[[], PostgresCursor]) -> PostgresCursor:
        """Carry out a statement, over a new connection if the old one is lost and it only reads."""
        with self._guard:
            try:
                return work()
            except psycopg.OperationalError as error:
                if self.is_open or not sql.lstrip().startswith(("SELECT", "WITH", "BEGIN")) or self._was_in_transaction:
                    raise storage_error(error, self.address) from error
            except psycopg.Error as error:
                raise storage_error(error, self.address) from error
            try:
                return work()
            except psycopg.Error as error:
                raise storage_error(error, self.address) from error

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> PostgresCursor:
        """Carry out a statement for each of these, many rows at once where that is possible."""
        rows, cursor = iter(parameters), None
        with self._guard:
            try:
                while some := list(islice(rows, _MOST_ROWS)):
                    cursor = self._many(sql, [tuple(map(_storable, row)) for row in some])
            except psycopg.Error as error:
                raise storage_error(error, self.address) from error
            if cursor is None:
                return PostgresCursor(self._opened())
            return cursor

    def run(self, sql: str) -> None:
        """Carry out a script of PostgreSQL's own words."""
        with self._guard:
            try:
                self._opened().execute(sql.encode())
            except psycopg.Error as error:
                raise storage_error(error, self.address) from error

    def lay_out(self, table: str, statements: Iterable[str]) -> None:
        """Make the schema, and these tables in it, unless `table` is there."""
        if self._has(table):
            return
        self.execute("BEGIN")
        try:
            self.execute("SELECT pg_advisory_xact_lock(hashtext(?))", (f"{self.address.schema} layout",))
            self.execute(f"CREATE SCHEMA IF NOT EXISTS {self.address.schema}")
            if not self._has("sqlite_master"):
                self.run(files("scholarmind.adapters.databases").joinpath("postgres.sql").read_text("utf-8"))
            if not self._has(table):
                for statement in statements:
                    self.execute(statement)
            self.execute("COMMIT")
        finally:
            if self.in_transaction:
                self.execute("ROLLBACK")

    def _has(self, table: str) -> bool:
        found = self.execute("SELECT to_regclass(?) IS NOT NULL", (f"{self.address.schema}.{table}",)).fetchone()
        return bool(found and found[0])

    def stream(self, sql: str, parameters: Sequence[Any], page: int) -> Iterator[list[Any]]:
        """Yield the rows of a query some at a time, as they were when it began; no more of them are ever held.

        Within a transaction they are what it sees, and otherwise read over a connection of their own.
        """
        try:
            with ExitStack() as stack:
                if self.in_transaction:
                    raw = self._opened()
                else:
                    raw = stack.enter_context(self._connect())
                    stack.enter_context(raw.transaction())
                cursor = stack.enter_context(raw.cursor(f"rows_{next(_cursors)}", binary=True))
                cursor.execute(dialect.statement(sql).encode(), parameters)
                while rows := cursor.fetchmany(page):
                    yield rows
        except psycopg.Error as error:
            raise storage_error(error, self.address) from error

    def close(self) -> None:
        """Let go of it."""
        with self._guard:
            if self._raw is not None:
                self._raw.close()
                self._raw = None

    def _executed(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any]) -> PostgresCursor:
        raw = self._opened()
        self._was_in_transaction = self.in_transaction
        table = self.table(dialect.inserted_into(sql))
        cursor: Any = raw.cursor(binary=True)
        values = (
            {name: _storable(value) for name, value in parameters.items()}
            if isinstance(parameters, Mapping)
            else [_storable(value) for value in parameters]
        )
        if self.text_factory is bytes:
            cursor.adapters.register_loader("text", _Bytes)
        cursor.execute(dialect.statement(sql, table), values)
        if table is not None and table.numbered:
            cursor.lastrowid = row[0] if (row := cursor.fetchone()) else None
        if self._serial and sql.startswith("BEGIN IMMEDIATE"):
            raw.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (f"{self.address.schema} {self._serial}",))
        return cursor

    def _executed_own(self, sql: str, parameters: Sequence[Any]) -> PostgresCursor:
        raw = self._opened()
        self._was_in_transaction = self.in_transaction
        cursor: Any = raw.cursor(binary=True)
        cursor.execute(sql.replace("%", "%%").replace("?", "%s"), [_storable(value) for value in parameters])
        return cursor

    def _many(self, sql: str, rows: list[tuple[Any, ...]]) -> PostgresCursor:
        raw = self._opened()
        cursor: Any = raw.cursor(binary=True)
        together = dialect.several_rows(sql, len(rows))
        if together is not None and len(rows) * len(rows[0]) < _MOST_PARAMETERS:
            cursor.execute(dialect.statement(together), [value for row in rows for value in row])
        else:
            table = self.table(dialect.inserted_into(sql))
            unnumbered = table and dialect.TableLayout(columns=table.columns, key=table.key)
            cursor.executemany(dialect.statement(sql, unnumbered), rows)
        return cursor

    def table(self, name: str) -> dialect.TableLayout | None:
        """Return a table as it is in the database."""
        if name and name not in self._tables:
            self._tables = dialect.tables_of(self._opened().execute(_TABLES).fetchall())
        return self._tables.get(name)

    def _status(self) -> TransactionStatus:
        return self._opened().info.transaction_status

    def _opened(self) -> psycopg.Connection[Any]:
        if self._raw is None or self._raw.closed:
            wait = _WAIT_AGAIN_SECONDS if self.address.url in _answered else _WAIT_SECONDS
            deadline = time.monotonic() + wait
            while True:
                try:
                    self._raw = self._connect()
                    break
                except psycopg.OperationalError as error:
                    if time.monotonic() > deadline or not _may_pass(error):
                        raise
                    time.sleep(_PAUSE_SECONDS)
        return self._raw

    def _connect(self) -> psycopg.Connection[Any]:
        raw = psycopg.connect(
            self.address.url,
            autocommit=True,
            cursor_factory=PostgresCursor,
            options=f"-c search_path={self._path.replace(' ', '')} -c jit=off {_SERIAL if self._serial else _ANY}",
            application_name=self._name,
            connect_timeout=5,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=15_000,
        )
        _answered.add(self.address.url)
        raw.adapters.register_loader("numeric", _Whole)
        raw.adapters.register_loader("text", _Text)
        return raw


def _storable(value: Any) -> Any:
    return value.replace("\0", _ZERO) if isinstance(value, str) and "\0" in value else value


def _may_pass(error: psycopg.OperationalError) -> bool:
    """Tell whether waiting may help: nobody listens, or the database starts or stops; not a wrong password or name."""
    words = str(error)
    return not any(
        sign in words
        for sign in (
            "authentication failed",
            "does not exist",
            "no password",
            "pg_hba",
            "could not translate host",
            "getaddrinfo",
        )
    )


def storage_error(error: psycopg.Error, address: Address) -> LibraryStorageError:
    """Say what went wrong, and what to do."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    state = error.sqlstate or ""
    if state == "53100":
        return LibraryStorageError(
            f"there is no room left for the database {address.shown} ({first}); nothing is lost: make room and try again"
        )
    if state == "25006":
        return LibraryStorageError(
            f"the database {address.shown} can be read only ({first}); name the one that takes writes, with target_session_attrs=read-write"
        )
    if state == "42501":
        return LibraryStorageError(
            f"the database {address.shown} does not let this user do it ({first}); grant the rights on its schema"
        )
    if isinstance(error, psycopg.OperationalError) and (not state or state[:2] in {"08", "57"}):
        return LibraryUnreachableError(
            f"the database {address.shown} cannot be reached, or ended what was under way ({first}); nothing half done is kept: "
            "check that it runs, and its address, and try again"
        )
    return LibraryStorageError(
        f"the database {address.shown} could not do it ({first}); 'scholarmind doctor' looks closer"
    )
