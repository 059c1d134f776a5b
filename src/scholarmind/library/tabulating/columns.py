"""Columns of a literature table, read from what somebody writes, and what their cells say in one form: numbers with units, years, names."""

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

from scholarmind.errors import QueryError
from scholarmind.judge.amounts import Amount, amounts
from scholarmind.library.tabulating.stated import Signs
from scholarmind.model import Document
from scholarmind.tables import CellKind, LiteratureTable, TableCell, TableColumn, TableRow
from scholarmind.text.analysis import each_once, fold, items_of, terms
from scholarmind.text.language import language_of, lazy_regex
from scholarmind.text.untrusted import check_question, uncontrolled
from scholarmind.writing.answer_type import answer_type_of, counted_by, counted_in

MOST_COLUMNS = 40
_LONGEST_NAME = 60
_PRESETS = Path(__file__).with_name("columns.toml")
_BETWEEN = re.compile(r"[;；\n]")
_NAMED = re.compile(r"(?P<name>[^=＝]*?)\s*[=＝]\s*(?P<question>.+)", re.DOTALL)
_TYPED = re.compile(r"(?P<name>.*?)\s*[(（](?P<kind>[^()（）]*)[)）]", re.DOTALL)
_KINDS: dict[str, CellKind] = {
    **{kind: kind for kind in cast("tuple[CellKind, ...]", get_args(CellKind))},
    "文本": "text",
    "列表": "list",
    "数字": "number",
    "数值": "number",
    "年份": "year",
}
_PIECES = re.compile(r"\s*[/／、,，]\s*|\s+(?:or|and|&)\s+|[或和及与]")
# what a column says of the paper, beside what it asks
_SAID_OF_IT = re.compile(
    r"^(?:the |main |key |主要的?)(?=\w)|\s(?:of|used|in|by|from) (?:the |this |each )?(?:study|paper|data|work|authors?|research)$"
    r"|\sused$|^(?:本文|论文|该研究|研究)的"
)
_ASKS = re.compile(
    r"[?？]\s*$|^(?:what|which|who|whose|where|when|why|how|does|did|is|are|was|were|on which|in which)\b",
    re.IGNORECASE,
)


def parse_columns(text: str) -> tuple[TableColumn, ...]:
    """Return the columns that somebody wrote, each name once."""
    columns = tuple(map(_column, split_columns(text)))
    if not columns:
        raise QueryError(f"{text!r} names no columns; write them like 'task; data sets; best result; Who funded it?'")
    if len(columns) > MOST_COLUMNS:
        raise QueryError(f"{len(columns)} columns are too many for one table; at most {MOST_COLUMNS} make sense")
    check_once(columns)
    return columns


def split_columns(text: str) -> list[str]:
    """Return the pieces of a text that stand for one column each."""
    return [piece.strip() for piece in _BETWEEN.split(text) if piece.strip()]


def check_once(columns: Sequence[TableColumn]) -> None:
    """Refuse columns of one name, or that ask the same."""
    for field in ("name", "key"):
        seen: set[str] = set()
        for column in columns:
            value = fold(getattr(column, field))
            if value in seen:
                raise QueryError(
                    f"the column {column.name!r} is there twice; leave one out, or give it another question"
                )
            seen.add(value)


def is_columns(text: str) -> bool:
    """Tell whether a text is columns rather than the name of a table: several, a question, or a preset."""
    return bool(_BETWEEN.search(text) or _ASKS.search(text) or _NAMED.fullmatch(text) or preset_named(text))


def column_named(columns: Sequence[TableColumn], name: str) -> TableColumn:
    """Return the column that is meant: by its name, another name of its preset, or the beginning of either."""
    wanted = fold(name.strip())
    preset = preset_named(name)
    for column in columns:
        if wanted in {fold(column.name), fold(column.key)} or (preset and column.key == preset):
            return column
    begun = [column for column in columns if wanted and fold(column.name).startswith(wanted)]
    if len(begun) == 1:
        return begun[0]
    near = get_close_matches(wanted, [fold(column.name) for column in columns], 1, 0.6)
    told = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(column.name for column in columns)}"
    raise QueryError(f"the table has no column {name!r}; {told}")


@cache
def _told() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_PRESETS.read_text(encoding="utf-8"))


@cache
def _presets() -> dict[str, TableColumn]:
    return {
        name: TableColumn(
            name=name,
            key=name,
            kind=each.get("kind", "text"),
            questions=tuple(filter(None, (each.get("question", {}).get("en"),))),
            chinese=tuple(filter(None, (each.get("question", {}).get("zh"),))),
            field=each.get("field", ""),
        )
        for name, each in _told().items()
    }


@cache
def _by_name() -> dict[str, str]:
    return {fold(other): name for name, each in _told().items() for other in (name, *each["names"])}


@cache
def _asked() -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(each["asks"].values())) for name, each in _told().items() if "asks" in each}


@cache
def signs_of(key: str) -> Signs | None:
    """Return how papers state the column of a key; None where it is no preset that papers state."""
    each = _told().get(key.rpartition(": ")[2], {})
    if "parts" not in each:
        return None

    def patterns(of: str) -> dict[str, re.Pattern[str]]:
        return {
            language: lazy_regex(pattern.replace("\n", ""), re.IGNORECASE)
            for language, pattern in each.get(of, {}).items()
        }

    return Signs(
        form=each.get("form", "clause"),
        sure=patterns("sure"),
        likely=patterns("likely"),
        denied=patterns("denied"),
        headings=patterns("headings"),
        parts=each.get("parts", {}),
        within=each.get("within", {}),
        late=each.get("late", 0.0),
    )


def _column(text: str) -> TableColumn:
    """Return one column."""
    named = None if re.search(r"[?？].*[=＝]", text) else _NAMED.fullmatch(text)
    name, question = (named["name"], named["question"].strip()) if named else (text, "")
    typed = _TYPED.fullmatch(name.strip())
    kind = _kind(typed["kind"], text) if typed else None
    name = uncontrolled(" ".join((typed["name"] if typed else name).split()))
    if not name or (question and not terms(question)):
        raise QueryError(f"the column {text!r} asks nothing; write NAME, a question, or NAME (TYPE) = QUESTION")
    if preset := preset_named(question or name):
        known = _presets()[preset]
        return TableColumn(
            name=name,
            key=preset if kind in {None, known.kind} else f"{kind}: {preset}",
            kind=kind or known.kind,
            questions=known.questions,
            chinese=known.chinese,
            field=known.field,
        )
    return _asking(name, question or (name if _ASKS.search(name) else ""), kind)


def preset_named(text: str) -> str:
    """Return the preset that a name means, whole or in a piece ("place/region"), or whose question a text asks; '' if none."""
    bare = _SAID_OF_IT.sub("", fold(text).strip(" ?？。"))
    found = {_by_name().get(piece.strip(), "") for piece in (bare, *_PIECES.split(bare))} - {""}
    if (whole := _by_name().get(fold(text).strip(" ?？"), "")) or len(found) != 1:
        return whole or next((name for name, asked in _asked().items() if asked.fullmatch(bare)), "")
    return found.pop()


def _asking(name: str, question: str, kind: CellKind | None) -> TableColumn:
    """Return a column of somebody's own question, or of a name, which is asked what it is."""
    if not question:
        question = f"{name}是什么？" if language_of(name) == "zh" else f"What is the {name}?"
        named_so = True
    else:
        named_so = False
    check_question(question)
    asked = answer_type_of(question)
    by_question: CellKind = "number" if asked.kind == "number" else "year" if asked.kind == "date" else "text"
    kind = kind or ("list" if asked.many and not named_so and by_question == "text" else by_question)
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    return TableColumn(name=short, key=f"{kind}: {fold(question)}", kind=kind, questions=(question,))


def _kind(written: str, text: str) -> CellKind:
    found = _KINDS.get(fold(written.strip()))
    if found is None:
        raise QueryError(
            f"the column {text!r} has an unknown type {written!r}; types are {', '.join(get_args(CellKind))}"
        )
    return found


# -- what cells say, in one form

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_SPAN = re.compile(
    r"(?<!\d)(?P<first>(?:1[5-9]|20)\d\d)(?!\d)年?(?:\d{1,2}月(?:\d{1,2}日)?)?\s?(?:[-–—~～至到]|to|until|through|and)+\s?"
    r"(?:[A-Z][a-z]{2,8}\.? )?(?P<last>(?:1[5-9]|20)\d\d)(?!\d)"
)
_JOINTS = re.compile(r"[\s\-_./’'\"“”《》()]+")


def amount_in(text: str) -> Amount | None:
    """Return the first amount of a text that is surely one, and no year."""
    found = [one for one in amounts(text) if one.exact and one.unit not in {"year", "decade"}]
    return found[0] if found else None


def year_in(text: str) -> int | None:
    """Return the first year of a text."""
    match = _YEAR.search(text)
    return int(match[0]) if match else None


def began_in(text: str, year: int | None) -> int | None:
    """Return the first year of the span in a text that a year ends: 2016 of "March 2016 to January 2018"."""
    for span in _SPAN.finditer(text):
        if year == int(span["last"]) > int(span["first"]):
            return int(span["first"])
    return year


def with_unit(text: str, amount: Amount) -> str:
    """Return an amount as it stands in a text, with the words that say what it counts behind it."""
    stands = text[amount.start : amount.end].strip(" -")
    counted = "" if amount.unit else counted_by(text, amount)
    return f"{stands} {counted}".strip() if counted.isascii() else stands + counted


def normalised(cell: TableCell, column: TableColumn) -> TableCell:
    """Return a cell with what can be compared of its value, by the type of its column."""
    if not cell.value:
        return cell
    if column.kind == "number":
        amount = amount_in(cell.value)
        return replace(
            cell, number=amount and amount.value, unit=_unit_of(cell.value, amount, column) if amount else ""
        )
    if column.kind == "year":
        year = year_in(cell.value)
        return replace(cell, number=None if year is None else float(year))
    if column.kind == "list" and cell.by in {"hand", "model"}:  # else its items are known, or it is a sentence
        return replace(cell, items=each_once(items_of(cell.value)))
    return cell


def check_fits(value: str, column: TableColumn) -> None:
    """Refuse a value of another type than its column has."""
    fits = {"year": year_in(value) is not None, "number": bool(amounts(value))}
    if not fits.get(column.kind, True):
        such = {"year": "a year, such as 2019", "number": "a number, such as 128 or 1,465 patients"}[column.kind]
        raise QueryError(f"{value!r} does not fit the column {column.name!r}, which takes {such}, or 'not stated'")


def _unit_of(value: str, amount: Amount, column: TableColumn) -> str:
    """Return the unit of an amount, else what it counts, where the column asks for just that."""
    if amount.unit:
        return amount.unit
    said = counted_by(value, amount)
    asked = {term for question in (*column.questions, *column.chinese) for term in terms(counted_in(question))}
    return said if asked.intersection(terms(said)) else ""


def measure_of(cell: TableCell) -> str:
    """Return the unit that parts a number from others: of what is counted there is none, so that "58" stands among "31 colonies"."""
    amount = amount_in(cell.value)
    return amount.unit if amount else ""


# -- names


def with_one_spelling(table: LiteratureTable) -> LiteratureTable:
    """Return a table in whose lists a name that differs in case, spaces and hyphens only is written in one way, the most frequent."""
    spelled = _spellings(
        item for row in table.rows for cell in row.cells if cell and cell.by != "hand" for item in cell.items
    )

    def told(cell: TableCell | None) -> TableCell | None:
        if cell is None or not cell.items or cell.by == "hand":
            return cell
        items = tuple(dict.fromkeys(spelled.get(_squeezed(item), item) for item in cell.items))
        return replace(cell, items=items, value=", ".join(items))

    return replace(table, rows=tuple(replace(row, cells=tuple(map(told, row.cells))) for row in table.rows))


def _spellings(items: Iterable[str]) -> Mapping[str, str]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        found[_squeezed(item)][item] += 1
    return {key: min(counts, key=lambda item: (-counts[item], item)) for key, counts in found.items()}


def _squeezed(item: str) -> str:
    return _JOINTS.sub("", fold(item).removeprefix("the ")) or item


# -- order

_OF_PAPERS: Mapping[str, Callable[[Document], tuple[bool, float, str]]] = {
    "year": lambda document: (document.year is None, document.year or 0, ""),
    "title": lambda document: (False, 0, fold(document.title)),
    "paper": lambda document: (False, 0, fold(" ".join(document.authors) or document.title)),
}


def arranged(table: LiteratureTable, sort: str = "", columns: str = "") -> LiteratureTable:
    """Return a table ordered by a column (`-COLUMN`: falling), or by year, title or authors, with these columns only."""
    own, rows = table.table.columns, table.rows
    falling, name = sort.strip().startswith("-"), sort.strip().lstrip("-").strip()
    if name:
        try:
            rows = in_order(rows, own.index(column_named(own, name)), falling=falling)
        except QueryError:
            if fold(name) not in _OF_PAPERS:
                raise
            known = _OF_PAPERS[fold(name)]
            rows = tuple(sorted(rows, key=lambda row: known(row.document), reverse=falling))
    if columns.strip():
        wanted = list(dict.fromkeys(own.index(column_named(own, each)) for each in split_columns(columns)))
        rows = tuple(replace(row, cells=tuple(row.cells[place] for place in wanted)) for row in rows)
        table = replace(table, table=replace(table.table, columns=tuple(own[place] for place in wanted)))
    return replace(table, rows=rows)


def in_order(rows: Sequence[TableRow], place: int, *, falling: bool) -> tuple[TableRow, ...]:
    """Return rows by the cells of a column: numbers of one unit together, what is not stated last whichever way."""
    stated = [row for row in rows if (cell := row.cells[place]) and cell.value]
    stated.sort(key=lambda row: _rank(row.cells[place]), reverse=falling)
    return (*stated, *(row for row in rows if not ((cell := row.cells[place]) and cell.value)))


def _rank(cell: TableCell | None) -> tuple[bool, str, float, str]:
    number = cell.number if cell and cell.number is not None else math.inf
    return number == math.inf, measure_of(cell) if cell else "", number, fold(cell.value if cell else "")
