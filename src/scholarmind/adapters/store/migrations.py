"""The layout of a library brought up and down with all that is in it: one step at a time, each a transaction of its own.

A step is written once for both databases, in the words of `databases`. It is taken by hand (`scholarmind migrate`), with nobody else at
work: processes of another version would read what they do not know.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scholarmind.adapters.databases import DatabaseConnection
from scholarmind.adapters.store.database import SCHEMA, Database, check_is_whole
from scholarmind.errors import LibraryMismatchError


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutStep:
    """From one layout to the next, and back. Each is handed the connection, within a transaction."""

    before: str
    after: str
    up: Callable[[DatabaseConnection], None]
    down: Callable[[DatabaseConnection], None]


STEPS: Sequence[LayoutStep] = ()  # layout 4 is the first that both databases have; the next layout adds the first step


def migrate(database: Database, layout: str = SCHEMA, steps: Sequence[LayoutStep] = STEPS) -> list[str]:
    """Bring a library to this layout; return the layouts that it went through. The caller holds the writer's lock."""
    found = database.about("schema") or ""
    check_is_whole(str(database.path.parent), found)
    ways = (
        {step.before: (step.after, step.up) for step in steps},
        {step.after: (step.before, step.down) for step in steps},
    )
    for way in ways:
        passed = [found]
        while passed[-1] != layout and passed[-1] in way:
            passed.append(way[passed[-1]][0])
        if passed[-1] == layout:
            for before, after in itertools.pairwise(passed):
                with database.transaction() as connection:
                    way[before][1](connection)
                    connection.execute("UPDATE about SET value = ? WHERE key = 'schema'", (after,))
            return passed
    known = sorted({SCHEMA, *ways[0], *ways[1]})
    raise LibraryMismatchError(
        f"no way is known from layout {found!r} to {layout!r} (known: {', '.join(known)}); use the version of scholarmind that knows both"
    )
