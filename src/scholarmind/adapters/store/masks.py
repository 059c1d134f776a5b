"""Filters as tables of truth, one boolean for each document number, and the hits that a leg finds under one.

Every leg of a search applies a mask for free.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.store.database import Database
from scholarmind.filters import AllOf, AnyOf, Compare, Filter, Not
from scholarmind.naming import KEY_TOKENS, TITLES, tokens
from scholarmind.text.analysis import fold
from scholarmind.text.untrusted import storable

# -- hits

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Passages by falling score, with the documents that they belong to."""

    passages: Integers
    documents: Integers
    scores: npt.NDArray[np.float32]

    def __getitem__(self, rows: Any) -> "Hits":
        return Hits(passages=self.passages[rows], documents=self.documents[rows], scores=self.scores[rows])

    def ranked(self) -> list[tuple[int, float]]:
        """Return (passage, score) pairs."""
        return list(zip(self.passages.tolist(), self.scores.tolist(), strict=True))


NOTHING = Hits(passages=np.empty(0, np.int64), documents=np.empty(0, np.int64), scores=np.empty(0, np.float32))


def passing(mask: Mask, documents: Integers) -> Mask:
    """Tell for each document number whether the mask lets it pass; numbers beyond its end do not."""
    return mask[np.minimum(documents, len(mask) - 1)] & (documents < len(mask))


# -- masks

_REMEMBERED = 64
_BY_NUMBER = {
    "<": "SELECT document FROM terms WHERE field = ? AND number < ?",
    "<=": "SELECT document FROM terms WHERE field = ? AND number <= ?",
    ">": "SELECT document FROM terms WHERE field = ? AND number > ?",
    ">=": "SELECT document FROM terms WHERE field = ? AND number >= ?",
}


class Masks:
    """Answers filters from the truth, and remembers the answers until the library changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: OrderedDict[tuple[Filter, int], Mask] = OrderedDict()

    def mask(self, filter: Filter, change: int) -> Mask:
        """Return the documents that pass, as they were at this change or later; numbers beyond its end do not."""
        key = (filter, change)
        found = self._remembered.get(key)
        if found is None:
            size = 1 + (self._database.value("SELECT max(number) FROM documents") or 0)
            found = self._evaluate(filter, size)
            self._remembered[key] = found
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return found

    def _evaluate(self, filter: Filter, size: int) -> Mask:
        match filter:
            case AllOf(parts):
                return np.logical_and.reduce([np.ones(size, np.bool_), *(self._evaluate(part, size) for part in parts)])
            case AnyOf(parts):
                return np.logical_or.reduce([np.zeros(size, np.bool_), *(self._evaluate(part, size) for part in parts)])
            case Not(part):
                return self._table("SELECT number FROM documents", (), size) & ~self._evaluate(part, size)
            case Compare():
                return self._compare(filter, size)

    def _compare(self, compare: Compare, size: int) -> Mask:
        if compare.operator == "!=":
            return self._evaluate(Not(Compare(compare.field, "=", compare.value)), size)
        sql, parameters = _query(compare)
        return self._table(sql, parameters, size)

    def _table(self, sql: str, parameters: tuple[Any, ...], size: int) -> Mask:
        numbers = np.fromiter((row[0] for row in self._database.rows(sql, parameters)), np.int64)
        mask = np.zeros(size, np.bool_)
        mask[numbers[numbers < size]] = True
        return mask


def _query(compare: Compare) -> tuple[str, tuple[Any, ...]]:
    """Return constant SQL and the user's words as its parameters."""
    if compare.operator in _BY_NUMBER:
        return _BY_NUMBER[compare.operator], (storable(compare.field), float(compare.value))
    if compare.field == "collection":
        sql = "SELECT documents.number FROM documents JOIN collections ON collections.number = collection WHERE "
        return sql + ("instr(name, ?) > 0" if compare.operator == "~" else "name = ?"), (storable(str(compare.value)),)
    if compare.field == "id":
        sql = "SELECT number FROM documents WHERE "
        return sql + ("instr(id, ?) > 0" if compare.operator == "~" else "id = ?"), (storable(str(compare.value)),)
    if compare.field.partition(".")[0] == "called":
        return _called(compare)
    if compare.operator == "~":
        return "SELECT document FROM terms WHERE field = ? AND instr(value, ?) > 0", (
            compare.field,
            fold_value(compare.value),
        )
    return "SELECT document FROM terms WHERE field = ? AND value = ?", (
        storable(compare.field),
        fold_value(compare.value),
    )


def _called(compare: Compare) -> tuple[str, tuple[Any, ...]]:
    """Return the documents with this title or alias, or that have the name in the field after the dot."""
    spelled = [token.text for token in tokens(str(compare.value))]
    name = (" ".join(spelled[:KEY_TOKENS]), " ".join(spelled))
    field = compare.field.partition(".")[2]
    if field:
        return "SELECT document FROM names WHERE key = ? AND name = ? AND field = ?", (*name, storable(field))
    return f"SELECT document FROM names WHERE key = ? AND name = ? AND field IN {TITLES}", name  # noqa: S608


def fold_value(value: object) -> str:
    """Return the form in which values are compared: no case, no accents, single spaces; 2019.0 is 2019."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(fold(storable(str(value))).split())
