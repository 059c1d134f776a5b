"""The words of the literature matrix: columns that ask, cells that answer with a place, saved tables. Plain frozen data."""

from dataclasses import dataclass
from typing import Literal

from scholarmind.model import Document

CellKind = Literal["text", "list", "number", "year"]
CellBy = Literal["rules", "model", "metadata", "hand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """What is asked of every paper. Questions are asked in turn until one is answered; a `field` is read off the metadata."""

    name: str
    key: str  # what its cells and corrections are kept under, in whatever table
    kind: CellKind = "text"
    questions: tuple[str, ...] = ()
    chinese: tuple[str, ...] = ()  # of documents in Chinese; the same questions where there are none
    field: str = ""

    def asked(self, language: str) -> tuple[str, ...]:
        """Return the questions to a document in this language."""
        return self.chinese if language == "zh" and self.chinese else self.questions


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSource:
    """The words of a document that a cell is from; `start` and `end` count in the document's text."""

    text: str
    start: int
    end: int
    page: int | None = None
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """The shortest answer that is supported, or '' where the paper does not state it; then `nearest` may be no answer at all."""

    value: str = ""
    items: tuple[str, ...] = ()  # of a list
    number: float | None = None  # in the unit below: 2.5 million is 2,500,000, two weeks are 1,209,600 s
    unit: str = ""
    source: CellSource | None = None
    nearest: CellSource | None = None
    sure: float = 0.0
    by: CellBy = "rules"
    version: str = ""  # of what it was asked with

    @property
    def is_stated(self) -> bool:
        """Whether there is an answer."""
        return bool(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTable:
    """A table as it is saved: its columns, and the filter that papers pass ('' for all)."""

    name: str
    columns: tuple[TableColumn, ...]
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A paper with its cells, in the order of the columns; None is not asked yet."""

    document: Document
    cells: tuple[TableCell | None, ...]
    key: str = ""  # by which the user's own bibliography cites it


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteratureTable:
    """A saved table with a row for each paper that passes its filter."""

    table: SavedTable
    rows: tuple[TableRow, ...]

    @property
    def waiting(self) -> int:
        """How many papers have cells that were not asked yet."""
        return sum(None in row.cells for row in self.rows)
