"""Excel files: each sheet a section, each row a line with the names of its columns."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.archive import Archive
from scholarmind.adapters.readers.composition import Composition
from scholarmind.adapters.readers.facts import document_of, with_file_name
from scholarmind.adapters.readers.office.package import facts_of, warnings
from scholarmind.adapters.readers.office.rows import lines_of
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable

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
        composition.lines(lines_of(rows, f"{where}, sheet {sheet.title}", problems), "table")


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
