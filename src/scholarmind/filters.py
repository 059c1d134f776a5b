"""Filters over documents: a small typed expression, and its one-line notation for people.

    year >= 2019 and (author = "Devlin" or title ~ attention) and not language = zh

A comparison names a field (collection, id, title, author, year, source, language, kind, or any key of the metadata), an operator and a
value: `=` and `!=` compare folded text or numbers, `<` `<=` `>` `>=` numbers, `~` looks for a piece of text. No SQL is ever made from a
user's words: stores take the values as parameters.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast, get_args

from scholarmind.errors import QueryError

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]
_ORDER = {"<", "<=", ">", ">="}
_LONGEST = 10_000
_DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?: (?P<open>\() | (?P<close>\)) | (?P<operator><=|>=|!=|=|<|>|~)
        | "(?P<double>(?:[^"\\]|\\.)*)" | '(?P<single>(?:[^'\\]|\\.)*)' | (?P<word>[^\s()<>=!~"']+) )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Compare:
    """A document passes if one of its values for `field` compares so with `value`."""

    field: str
    operator: Operator
    value: str | int | float

    def __post_init__(self) -> None:
        if self.operator not in get_args(Operator):
            raise QueryError(f"unknown operator {self.operator!r} in a filter; known: {' '.join(get_args(Operator))}")
        if self.operator in _ORDER and isinstance(self.value, str):
            raise QueryError(f"{self.field!r} {self.operator} needs a number, not {self.value!r}")


@dataclass(frozen=True, slots=True)
class AllOf:
    """Passes if every part does."""

    parts: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Passes if one part does."""

    parts: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """Passes if the part does not."""

    part: "Filter"


Filter = Compare | AllOf | AnyOf | Not


def both(*filters: Filter | None) -> Filter | None:
    """Return the filter that asks for all of those given, leaving out each None."""
    parts = tuple(part for part in filters if part is not None)
    return AllOf(parts) if len(parts) > 1 else (parts[0] if parts else None)


def parse_filter(text: str) -> Filter:
    """Read the notation in the docstring of this module."""
    if len(text) > _LONGEST:
        raise QueryError(f"the filter has {len(text):,} characters; at most {_LONGEST:,} are read")
    return _Parser(text).parse()


def written(filter: Filter) -> str:
    """Return a filter in the notation that `parse_filter` reads."""
    match filter:
        case AllOf(parts):
            return f"({' and '.join(map(written, parts))})" if parts else "(all)"
        case AnyOf(parts):
            return f"({' or '.join(map(written, parts))})" if parts else "(none)"
        case Not(part):
            return f"not {written(part)}"
        case Compare(field, operator, value):
            return f"{field} {operator} {_quoted(value)}"


def _quoted(value: str | int | float) -> str:
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if isinstance(value, str) else str(value)


def fields_of(filter: Filter | None) -> frozenset[str]:
    """Return the names of the fields that a filter looks at."""
    match filter:
        case None:
            return frozenset()
        case Compare(field):
            return frozenset({field})
        case Not(part):
            return fields_of(part)
        case AllOf(parts) | AnyOf(parts):
            return frozenset[str]().union(*map(fields_of, parts))


def collections_of(filter: Filter | None) -> frozenset[str] | None:
    """Return the collections that all which passes a filter is in; None where it may be in any."""
    match filter:
        case Compare("collection", "=", value):
            return frozenset({str(value)})
        case AllOf(parts):
            known = [found for part in parts if (found := collections_of(part)) is not None]
            return known[0].intersection(*known[1:]) if known else None
        case AnyOf(parts):
            every = [collections_of(part) for part in parts]
            known = [found for found in every if found is not None]
            return frozenset[str]().union(*known) if len(known) == len(every) else None
        case _:
            return None


class _Parser:
    """One pass, left to right; `or` binds loosest, `not` tightest."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._next = 0
        self._depth = 0

    def parse(self) -> Filter:
        found = self._any()
        if self._next < len(self._tokens):
            raise self._error(f"did not expect {self._tokens[self._next][1]!r}")
        return found

    def _any(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"is nested more than {_DEEPEST} deep")
        parts = [self._all()]
        while self._take("or"):
            parts.append(self._all())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Filter:
        parts = [self._one()]
        while self._take("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _one(self) -> Filter:
        negated = False
        while self._take("not"):
            negated = not negated
        found = self._group() if self._peek()[0] == "open" else self._compare()
        return Not(found) if negated else found

    def _group(self) -> Filter:
        self._next += 1
        found = self._any()
        if self._peek()[0] != "close":
            raise self._error("lacks a closing ')'")
        self._next += 1
        return found

    def _compare(self) -> Filter:
        field = self._word("the name of a field")
        kind, operator = self._peek()
        if kind != "operator":
            raise self._error(f"needs = != < <= > >= or ~ after {field!r}")
        self._next += 1
        quoted = self._peek()[0] == "quoted"
        value = self._word(f"a value after {field} {operator}")
        # `arxiv = 1810.04800` and `code = 007` are texts; only an order needs a number
        number = _number(value) if operator in _ORDER and not quoted else None
        return Compare(field, cast("Operator", operator), value if number is None else number)

    def _word(self, wanted: str) -> str:
        kind, value = self._peek()
        if kind not in {"word", "quoted"}:
            raise self._error(f"needs {wanted}" + (f", found {value!r}" if value else ""))
        self._next += 1
        return value

    def _take(self, keyword: str) -> bool:
        kind, value = self._peek()
        if kind == "word" and value.lower() == keyword:
            self._next += 1
            return True
        return False

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("end", "")

    def _error(self, what: str) -> QueryError:
        return QueryError(f"the filter {self._text!r} {what}; write it like: year >= 2019 and author = Devlin")


def _tokens(text: str) -> "list[tuple[str, str]]":
    tokens: list[tuple[str, str]] = []
    position = 0
    stripped = text.rstrip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None or match.lastgroup is None:
            raise QueryError(
                f"the filter {text!r} cannot be read from character {position + 1}: a quote is not closed?"
            )
        value = match[match.lastgroup]
        if match.lastgroup in {"double", "single"}:
            tokens.append(("quoted", re.sub(r"\\(.)", r"\1", value)))
        else:
            tokens.append((match.lastgroup, value))
        position = match.end()
    return tokens


def _number(text: str) -> int | float | None:
    try:
        return (
            int(text)
            if re.fullmatch(r"[+-]?\d{1,18}", text)
            else float(text)
            if re.fullmatch(r"[+-]?\d+\.\d+", text)
            else None
        )
    except ValueError:
        return None
