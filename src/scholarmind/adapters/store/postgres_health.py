"""What `doctor` sees of a PostgreSQL server: can it be written to, do replicas follow, is all there that the library needs of it."""

from collections.abc import Iterator
from typing import Protocol

from scholarmind.model import Check


class AskedDatabase(Protocol):
    """A database that can be asked."""

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        ...


BYTES = (
    "SELECT CAST(sum(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class "
    "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
)
_OLDEST, _OLDEST_NAME = 140_000, "14"
_FAR_BEHIND = 100_000_000  # bytes of the log: what is read there is minutes old, or the replica is away
_SERVER = (
    "SELECT current_setting('server_version'), CAST(current_setting('server_version_num') AS BIGINT), "
    "current_setting('server_encoding'), pg_is_in_recovery(), current_setting('fsync')"
)
_UNCHECKED = (  # what an interrupted hand left switched off
    "SELECT (SELECT count(*) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND NOT convalidated) "
    "+ (SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = current_schema()::regnamespace "
    "AND tgenabled = 'D')"
)
_REPLICAS = (
    "SELECT coalesce(application_name, ''), state, sync_state, "
    "CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) AS BIGINT) FROM pg_stat_replication ORDER BY 1"
)
_OF_REPLICA = (
    "SELECT CAST(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS BIGINT), "
    "CAST(extract(epoch FROM now() - pg_last_xact_replay_timestamp()) AS REAL)"
)
_EXTENSION = (
    "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
    "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector')"
)
MAKE_EXTENSION = "CREATE EXTENSION vector SCHEMA public"


def examine(database: AskedDatabase) -> Iterator[Check]:
    """Yield what is found. Nothing is changed."""
    [(version, number, encoding, is_replica, fsync)] = database.rows(_SERVER)
    wrong = [
        *([f"older than {_OLDEST_NAME}"] if int(str(number)) < _OLDEST else []),
        *([f"texts are kept in {encoding}, not in UTF8"] if encoding != "UTF8" else []),
        *(["fsync is off: a power cut may destroy it"] if fsync == "off" else []),
    ]
    seen = f"PostgreSQL {version}" + (", a replica" if is_replica else "")
    mend = f"PostgreSQL {_OLDEST_NAME} or later, a database made with ENCODING 'UTF8', and fsync = on"
    yield Check(name="server", ok=not wrong, seen="; ".join([seen, *wrong]), mend=mend)
    [(unchecked,)] = database.rows(_UNCHECKED)
    yield Check(
        name="rules",
        ok=not unchecked,
        seen=f"{unchecked} references or triggers are switched off" if unchecked else "all references are checked",
        mend="ALTER TABLE ... ENABLE TRIGGER USER, and VALIDATE CONSTRAINT; or copy the library to a new schema (scholarmind copy)",
    )
    yield _replicas(database, is_replica=bool(is_replica))
    [(installed, available)] = database.rows(_EXTENSION)
    seen = (
        f"vector {installed} is there for search in the database"
        if installed
        else f"search in the database (search_in) would need: {MAKE_EXTENSION}"
        if available
        else "search in the database (search_in) would need pgvector on the server"
    )
    yield Check(name="extension", ok=True, seen=seen)


def _replicas(database: AskedDatabase, *, is_replica: bool) -> Check:
    if is_replica:
        [(behind, seconds)] = database.rows(_OF_REPLICA)
        seen = f"{behind or 0:,} bytes are received and not applied; the last change is {seconds or 0:,.0f} s old"
        return Check(
            name="replicas", ok=int(str(behind or 0)) < _FAR_BEHIND, seen=seen, mend="see the log of this replica"
        )
    rows = database.rows(_REPLICAS)
    if not rows:
        return Check(name="replicas", ok=True, seen="nobody follows this server")
    if all(state is None for _, state, _, _ in rows):
        seen = f"{len(rows)} follow; how far they are may be seen by members of pg_monitor"
        return Check(name="replicas", ok=True, seen=seen)
    told = [f"{name or '?'} ({state}, {kind}) {lag or 0:,} bytes behind" for name, state, kind, lag in rows]
    late = any(state != "streaming" or int(str(lag or 0)) > _FAR_BEHIND for _, state, _, lag in rows)
    return Check(name="replicas", ok=not late, seen=", ".join(told), mend="see the log of the replica that is behind")
