"""OpenDocument texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.composition import Composition, GridCell, column_names, line_of
from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.office.package import attribute, children, first, local
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading

_CONTENT = "content.xml"
_META = "meta.xml"
_UNSEEN = frozenset({"note", "annotation", "tracked-changes", "sequence-decls", "forms", "frame", "ruby-text"})
_HOLDS_MORE = frozenset({"section", "text", "index-body", "bibliography", "numbered-paragraph"})
_SIGNS = {"tab": " ", "line-break": "\n", "s": " "}
_MOST_COLUMNS = 500
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class OdtReader:
    """Headings, lists, tables, footnotes; what was deleted with changes recorded is left out."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document."""
        composition = Composition()
        with Archive(path, self.max_bytes) as archive:
            body = next(parse_xml(archive.read(_CONTENT)).iter("{*}body"), None)
            text = first(body, "text") if body is not None else None
            if text is None:
                raise ReadError("it is no text document", "save it as .odt, or convert it to PDF")
            _tell(text, composition)
            properties = list(_facts(archive))
        if not len(composition):
            raise ReadError("it has no text", "if it is a scan, convert it to PDF and add that with --ocr")
        facts = with_file_name(properties, path)
        yield Reading(
            document=document_of(facts, path, "document"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts,
        )


def _tell(body: Any, composition: Composition) -> None:
    waiting = list(reversed(body))
    while waiting:
        item = waiting.pop()
        match local(item):
            case "h":
                title = _text(item)
                level = attribute(item, "outline-level", "1")
                composition.heading(int(level) if level in set("123456789") else 1, title)
            case "p":
                _paragraph(item, composition)
            case "list":
                composition.lines(f"- {_text(entry)}" for entry in item.iter("{*}p"))
            case "table":
                composition.lines(_table(item), "table")
            case name if name in _HOLDS_MORE:
                waiting.extend(reversed(item))
            case _:
                pass


def _paragraph(item: Any, composition: Composition) -> None:
    composition.paragraph(_text(item))
    for box in item.iter("{*}text-box"):
        for paragraph in children(box, "p"):
            composition.paragraph(_text(paragraph))
    for note in item.iter("{*}note-body"):
        composition.block(" ".join(_text(note).split()), "footnote")


def _table(table: Any) -> Iterator[str]:
    heads = [_row(row) for group in children(table, "table-header-rows") for row in children(group, "table-row")]
    rows = [_row(row) for row in table.iter("{*}table-row") if local(row.getparent()) != "table-header-rows"]
    if not heads and len(rows) > 1:
        heads, rows = rows[:1], rows[1:]
    names = column_names(heads)
    yield from (line for row in rows if (line := line_of(row, names)))


def _row(row: Any) -> list[GridCell]:
    cells: list[GridCell] = []
    for cell in children(row, "table-cell", "covered-table-cell"):
        repeated = attribute(cell, "number-columns-repeated", "1")
        times = (
            min(int(repeated), _MOST_COLUMNS) if repeated.isascii() and repeated.isdigit() and len(repeated) < 6 else 1
        )
        text = " ".join(_text(cell).split())
        cells += [GridCell(text) for _ in range(times)]
        if len(cells) > _MOST_COLUMNS:
            break
    return cells


def _text(element: Any) -> str:
    """Return the text below an element, without notes and comments, and without recursion."""
    parts: list[str] = [element.text or ""]
    waiting = [(child, True) for child in reversed(element)]
    while waiting:
        item, is_new = waiting.pop()
        name = local(item)
        if not is_new:
            parts.append(item.tail or "")
            continue
        waiting.append((item, False))
        if name in _UNSEEN:
            continue
        if name == "p" and parts[-1:] != [""]:
            parts.append(" ")
        parts.append(_SIGNS.get(name, item.text or ""))
        waiting.extend((child, True) for child in reversed(item))
    return "".join(parts)


def _facts(archive: Archive) -> Iterator[Fact]:
    if _META not in archive:
        return
    told = {local(item): (item.text or "").strip() for item in parse_xml(archive.read(_META)).iter() if item.text}
    author = told.get("initial-creator") or told.get("creator")
    if told.get("title"):
        yield Fact(field="title", value=told["title"], source="document properties", sure=_SURE)
    if author:
        yield Fact(field="authors", value=(author,), source="document properties", sure=_SURE)
    if told.get("creation-date", "")[:4].isdigit():
        yield Fact(field="created", value=int(told["creation-date"][:4]), source="document properties", sure=_SURE)
