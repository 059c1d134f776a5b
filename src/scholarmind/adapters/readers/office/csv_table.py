"""Tables as text: comma, semicolon, tab or bar between the values."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scholarmind.adapters.readers.composition import Composition
from scholarmind.adapters.readers.decode import read_text
from scholarmind.adapters.readers.facts import document_of, with_file_name
from scholarmind.adapters.readers.office.rows import lines_of
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable

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
            composition.lines(lines_of(_stripped(rows), printable(path), problems), "table")
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
