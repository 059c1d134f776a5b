"""Columns of a literature table, read from what somebody writes: presets by name, questions, and a type where that is wished.

`task; layers (number) = How many layers does the model have?; Who funded it?` are three columns. Presets are in `columns.json`, with a
name for each in English and Chinese; a name that is none becomes the question what that is.
"""

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import cast, get_args

from scholarmind.errors import QueryError
from scholarmind.tables import CellKind, TableColumn
from scholarmind.text.analysis import fold, terms
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import check_question, uncontrolled
from scholarmind.writing.answer_type import answer_type_of

MOST_COLUMNS = 40
_LONGEST_NAME = 60
_PRESETS = Path(__file__).with_name("columns.json")
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


def preset_names() -> tuple[str, ...]:
    """Return the names of the presets."""
    return tuple(_presets())


def is_columns(text: str) -> bool:
    """Tell whether a text is columns rather than the name of a table: several, a question, or a preset."""
    return bool(
        _BETWEEN.search(text) or _ASKS.search(text) or _NAMED.fullmatch(text) or fold(text.strip()) in _by_name()
    )


def column_named(columns: Sequence[TableColumn], name: str) -> TableColumn:
    """Return the column that is meant: by its name, another name of its preset, or the beginning of either."""
    wanted = fold(name.strip())
    preset = _by_name().get(wanted)
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
def _presets() -> dict[str, TableColumn]:
    told = json.loads(_PRESETS.read_text(encoding="utf-8"))
    return {
        name: TableColumn(
            name=name,
            key=name,
            kind=each.get("kind", "text"),
            questions=tuple(each.get("questions", ())),
            chinese=tuple(each.get("chinese", ())),
            field=each.get("field", ""),
        )
        for name, each in told.items()
    }


@cache
def _by_name() -> dict[str, str]:
    told = json.loads(_PRESETS.read_text(encoding="utf-8"))
    return {fold(other): name for name, each in told.items() for other in (name, *each["names"])}


def _column(text: str) -> TableColumn:
    """Return one column."""
    named = None if re.search(r"[?？].*[=＝]", text) else _NAMED.fullmatch(text)
    name, question = (named["name"], named["question"].strip()) if named else (text, "")
    typed = _TYPED.fullmatch(name.strip())
    kind = _kind(typed["kind"], text) if typed else None
    name = uncontrolled(" ".join((typed["name"] if typed else name).split()))
    if not name or (question and not terms(question)):
        raise QueryError(f"the column {text!r} asks nothing; write NAME, a question, or NAME (TYPE) = QUESTION")
    preset = "" if question else _by_name().get(fold(name))
    if preset:
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
