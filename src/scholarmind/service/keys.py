"""Keys: who may call, what they may do, where, how often, and what it may cost."""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.errors import QueryError
from scholarmind.filters import AnyOf, Compare, Filter, both, collections_of
from scholarmind.service.service_file import ServiceFile

Scope = Literal["ask", "search", "ingest", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
LOCAL = "local"  # who calls from this machine where no key is needed
_PREFIX = "sm"
_TOKEN = re.compile(rf"{_PREFIX}_([0-9a-z]{{8}})_([A-Za-z0-9_-]{{43}})")
_NOBODY = hashlib.sha256(b"").digest()
_PERIODS = {"s": 1, "sec": 1, "min": 60, "h": 3600, "hour": 3600, "day": 86_400}
_SESSION_SECONDS = 12 * 3600
_RATE = re.compile(r"([1-9]\d{0,6})\s*/\s*(s|sec|min|h|hour|day)")
_BUDGET = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*/\s*(day|month)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: a key, or somebody on this machine. No collections (None) means all of them."""

    id: str
    scopes: frozenset[str]
    collections: tuple[Any, ...] | None = None
    rate: str = ""
    budget: str = ""
    name: str = ""
    cookie: bool = False  # known by a session of the page, not by a key in the request

    def may(self, scope: str) -> bool:
        """Tell whether a scope is among those of this caller."""
        return scope in self.scopes

    def sees(self, collection: str) -> bool:
        """Tell whether a collection is one that this caller has."""
        return self.collections is None or collection in self.collections

    def sees_all_of(self, filter: Filter | None) -> bool:
        """Tell whether all that passes a filter is in collections that this caller has."""
        if self.collections is None:
            return True
        names = collections_of(filter)
        return names is not None and all(map(self.sees, names))

    def within(self, chosen: Collection[str] = (), also: Filter | None = None) -> Filter | None:
        """Return the filter that every query for this caller goes through, narrowed to chosen collections."""
        if self.collections is None and not chosen:
            return also
        names = [name for name in (chosen or self.collections or ()) if self.sees(name)]
        return both(AnyOf(tuple(Compare("collection", "=", name) for name in names)), also)


THIS_MACHINE = Caller(id=LOCAL, scopes=frozenset(SCOPES), name="this machine")


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key as its owner may look at it: what it may do, and what it has used."""

    id: str
    name: str
    scopes: list[str]
    collections: list[str] | None
    rate: str
    budget: str
    created: float
    revoked: float | None
    requests: int
    questions: int
    tokens: int
    cost: float


class Keys:
    """The keys of a service. Of a key only a hash is kept: its 256 bits are random, so that nothing slower is needed."""

    def __init__(self, file: ServiceFile) -> None:
        self._file = file

    def create(
        self,
        scopes: Collection[str],
        collections: Collection[str] | None = None,
        *,
        name: str = "",
        rate: str = "",
        budget: str = "",
    ) -> str:
        """Make a key and return it. It is shown this once."""
        if unknown := sorted(set(scopes) - set(SCOPES)):
            raise QueryError(f"{unknown[0]!r} is no scope; known: {', '.join(SCOPES)}")
        if not scopes:
            raise QueryError(f"a key needs a scope; known: {', '.join(SCOPES)}")
        if rate:
            per_second(rate)
        if budget:
            amount_of(budget)
        id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        values = (
            id,
            _hash(secret),
            name,
            json.dumps(sorted(set(scopes))),
            json.dumps(None if collections is None else sorted(set(collections))),
            rate,
            budget,
            time.time(),
        )
        self._file.do(lambda connection: connection.execute("INSERT INTO keys VALUES (?,?,?,?,?,?,?,?,NULL)", values))
        return f"{_PREFIX}_{id}_{secret}"

    def revoke(self, id: str) -> bool:
        """Make a key worthless, with its sessions; tell whether it was not already."""

        def work(connection: DatabaseConnection) -> bool:
            connection.execute("DELETE FROM sessions WHERE key = ?", (id,))
            sql = "UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL"
            return connection.execute(sql, (time.time(), id)).rowcount > 0

        return self._file.do(work)

    def listed(self) -> "list[KnownKey]":
        """Return every key with what it may do and what it has used, without anything that opens a door."""

        def work(connection: DatabaseConnection) -> list[KnownKey]:
            sql = (
                "SELECT id, name, scopes, collections, rate, budget, created, revoked, "
                "coalesce(sum(requests), 0), coalesce(sum(questions), 0), coalesce(sum(tokens), 0), coalesce(sum(cost), 0) "
                "FROM keys LEFT JOIN usage ON usage.key = keys.id GROUP BY keys.id ORDER BY created"
            )
            return [
                KnownKey(id, name, json.loads(scopes), json.loads(collections), *rest)
                for id, name, scopes, collections, *rest in connection.execute(sql)
            ]

        return self._file.do(work)

    def exist(self) -> bool:
        """Tell whether there is a key that opens anything."""
        sql = "SELECT 1 FROM keys WHERE revoked IS NULL LIMIT 1"
        return self._file.do(lambda connection: connection.execute(sql).fetchone() is not None)

    async def caller(self, token: str) -> Caller | None:
        """Return whose key this is. Wrong ones take as long as right ones."""
        found = _TOKEN.fullmatch(token)
        id, secret = (found[1], found[2]) if found else ("", "")
        row = await self._file.read(lambda connection: _key(connection, id))
        is_right = hmac.compare_digest(row[1] if row else _NOBODY, _hash(secret))
        return _caller(row) if row and is_right else None

    # -- sessions of the page

    async def begin_session(self, caller: Caller) -> str:
        """Return what a cookie holds from now on for this caller."""
        secret, now = secrets.token_urlsafe(32), time.time()

        def work(connection: DatabaseConnection) -> None:
            connection.execute("DELETE FROM sessions WHERE expires < ?", (now,))
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?)", (_hash(secret), caller.id, now + _SESSION_SECONDS)
            )

        await self._file.done(work)
        return secret

    async def session(self, secret: str) -> Caller | None:
        """Return whose session this is."""

        def work(connection: DatabaseConnection) -> tuple[Any, ...] | None:
            sql = "SELECT key FROM sessions WHERE hash = ? AND expires > ?"
            found = connection.execute(sql, (_hash(secret), time.time())).fetchone()
            return _key(connection, found[0]) if found else None

        row = await self._file.read(work)
        return _caller(row, cookie=True) if row else None

    async def end_session(self, secret: str) -> None:
        """Forget a session."""
        await self._file.done(
            lambda connection: connection.execute("DELETE FROM sessions WHERE hash = ?", (_hash(secret),))
        )

    # -- use

    async def note(self, uses: "dict[str, int]") -> None:
        """Add up requests by key."""
        rows = [(key, _today(), count, 0, 0, 0.0) for key, count in uses.items()]
        await self._file.done(lambda connection: connection.executemany(_ADD, rows))

    async def spent(self, caller: Caller) -> tuple[float, float]:
        """Return what a caller has spent in the period of its budget, and the seconds until that is over."""
        now = datetime.now(UTC)
        _, period = amount_of(caller.budget)
        since = f"{now:%Y-%m-%d}" if period == "day" else f"{now:%Y-%m}-01"
        sql = "SELECT coalesce(sum(cost), 0) FROM usage WHERE key = ? AND day >= ?"
        row = await self._file.read(lambda connection: connection.execute(sql, (caller.id, since)).fetchone())
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        left = 86_400 - (now - midnight).total_seconds()
        return float(row[0]), left if period == "day" else max(left, 86_400.0)


_ADD = """
INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key, day) DO UPDATE SET requests = usage.requests + excluded.requests, questions = usage.questions + excluded.questions,
    tokens = usage.tokens + excluded.tokens, cost = usage.cost + excluded.cost
"""


def charge(connection: DatabaseConnection, owner: str, tokens: int, cost: float) -> None:
    """Put a question that was answered on its owner's account."""
    connection.execute(_ADD, (owner, _today(), 0, 1, tokens, cost))


def per_second(rate: str) -> tuple[int, float]:
    """Return how many requests at once, and how many a second in the long run: "60/min" is 60 and 1."""
    found = _RATE.fullmatch(rate.strip())
    if found is None:
        raise QueryError(f"the rate {rate!r} cannot be read; write it like: 60/min")
    count = int(found[1])
    return count, count / _PERIODS[found[2]]


def amount_of(budget: str) -> tuple[float, str]:
    """Return the money and the period of a budget: "5.00/month"."""
    found = _BUDGET.fullmatch(budget.strip())
    if found is None:
        raise QueryError(f"the budget {budget!r} cannot be read; write it like: 5.00/month, or 0.50/day")
    return float(found[1]), found[2]


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def _key(connection: DatabaseConnection, id: str) -> tuple[Any, ...] | None:
    sql = "SELECT id, hash, name, scopes, collections, rate, budget FROM keys WHERE id = ? AND revoked IS NULL"
    return connection.execute(sql, (id,)).fetchone()


def _caller(row: tuple[Any, ...], *, cookie: bool = False) -> Caller:
    id, _, name, scopes, collections, rate, budget = row
    chosen = json.loads(collections)
    return Caller(
        id=id,
        name=name,
        scopes=frozenset(json.loads(scopes)),
        collections=None if chosen is None else tuple(chosen),
        rate=rate,
        budget=budget,
        cookie=cookie,
    )
