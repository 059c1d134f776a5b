"""Tables that are files of their own: Excel, and text with comma, semicolon, tab or bar between the values.

Each row is a line with the names of its columns; each sheet of Excel is a section.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.composition import Composition, GridCell, line_of
from scholarmind.adapters.readers.containers import Archive
from scholarmind.adapters.readers.decode import read_text
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.office.package import facts_of, warnings
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.untrusted import printable

# -- rows as lines

_MOST_ROWS = 200_000
_LOOKED_AT = 5


def _lines_of(rows: Iterable[Sequence[str]], where: str, problems: list[Problem]) -> Iterator[str]:
    """Yield each row as a line; the first one names the columns if it looks like it. What is beyond the limit is told."""
    filled = (row for row in rows if any(row))
    head = list(islice(filled, _LOOKED_AT))
    names = list(head[0]) if _names_columns(head) else []
    for number, row in enumerate(chain(head[1 if names else 0 :], filled)):
        if number >= _MOST_ROWS:
            problems.append(
                Problem(
                    where=where,
                    reason=f"it has more than {_MOST_ROWS:,} rows; the first ones were read",
                    advice="split it, or add the rows that matter",
                    lasting=True,
                )
            )
            return
        yield line_of([GridCell(value) for value in row], names)


def _names_columns(head: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row holds names: words, all different, one for nearly each column."""
    if len(head) < 2:
        return False
    names = [name for name in head[0] if name]
    columns = max(sum(map(bool, row)) for row in head)
    words = all(any(map(str.isalpha, name)) for name in names)
    return len(names) > 1 and words and len(set(names)) == len(names) and len(names) >= columns - 1


# -- tables as text

_SAMPLE = 50_000
_SIGNS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Each row is a line that can be read by itself: with the names of its columns."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the table."""
        text = read_text(path, self.max_bytes)
        problems: list[Problem] = []
        composition = Composition()
        csv.field_size_limit(self.max_bytes)
        rows = csv.reader(text.splitlines(keepends=True), _dialect(text, path))
        try:
            composition.lines(_lines_of(_stripped(rows), printable(path), problems), "table")
        except csv.Error as error:
            raise ReadError(
                f"it is no table, or a broken one: {error}, line {rows.line_num}", "mend that line"
            ) from error
        if not len(composition):
            raise ReadError("it has no values", "nothing to do, unless it should not be")
        facts = with_file_name((), path)
        yield Reading(
            document=document_of(facts, path, "table"),
            text=composition.text,
            regions=tuple(composition.regions),
            facts=facts,
        )
        yield from problems


def _stripped(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    return ([" ".join(value.split()) for value in row] for row in rows)


def _dialect(text: str, path: Path) -> type[csv.Dialect]:
    if path.suffix.lower() == ".tsv":
        return csv.excel_tab
    try:
        return csv.Sniffer().sniff(_sample(text), _SIGNS)
    except csv.Error:
        return csv.excel


def _sample(text: str) -> str:
    """Return whole lines from the beginning: half a line misleads, and so does a very long one."""
    return text[:_SAMPLE].rpartition("\n")[0] or text[:_SAMPLE]


# -- Excel

_DAMAGE = (
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    SyntaxError,
    OSError,
)  # openpyxl's, of a broken file

_MOST_COLUMNS = 500


@dataclass(frozen=True, slots=True)
class XlsxReader:
    """Values as they were last computed, in the way in which they are shown: dates as dates, shares in percent."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the workbook, and what it would have had a program do."""
        where = printable(path)
        with Archive(path, self.max_bytes) as archive:
            for name in archive.names():  # what unpacks to more than it may is found here
                if name.endswith((".xml", ".rels")) and b"<!ENTITY" in archive.read(name):
                    raise ReadError("its XML declares entities, which can multiply without end", "leave it out")
            properties = list(facts_of(archive))
            told = list(warnings(archive, where))
        composition = Composition()
        try:
            _sheets(path.read_bytes(), where, composition, told)
        except _DAMAGE as error:
            reason = f"it is broken: {type(error).__name__}: {str(error)[:200]}"
            raise ReadError(reason, "save it again with the program that made it, or as CSV") from error
        if not composition.regions:
            raise ReadError("it has no values", "nothing to do, unless it should not be")
        facts = with_file_name(properties, path)
        yield Reading(
            document=document_of(facts, path, "table"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts,
        )
        yield from told


def _sheets(content: bytes, where: str, composition: Composition, problems: list[Problem]) -> None:
    import openpyxl  # noqa: PLC0415

    book = cast("Any", openpyxl).load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        composition.heading(1, sheet.title)
        rows = ([_shown(cell) for cell in row] for row in sheet.iter_rows(max_col=_MOST_COLUMNS))
        composition.lines(_lines_of(rows, f"{where}, sheet {sheet.title}", problems), "table")


def _shown(cell: Any) -> str:
    """Return a value as the sheet shows it, nearly."""
    value = cell.value
    match value:
        case None:
            shown = ""
        case bool():
            shown = "yes" if value else "no"
        case float() | int() if "%" in (cell.number_format or ""):
            shown = f"{value * 100:.6g} %"
        case float():
            shown = f"{value:.10g}"
        case datetime():
            shown = value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case date():
            shown = value.isoformat()
        case _:
            shown = " ".join(str(value).split())
    return shown
