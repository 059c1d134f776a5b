"""PowerPoint files: a section for each slide, with its notes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.composition import Composition, GridCell, column_names, line_of
from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.office.package import (
    attribute,
    children,
    facts_of,
    first,
    local,
    main_part,
    relations,
    warnings,
)
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading
from scholarmind.text.untrusted import printable

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr"})
_SURE_OF_TITLE = 0.7


@dataclass(frozen=True, slots=True)
class PptxReader:
    """Slides in the order of the show; hidden ones too."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and what it would have had a program do."""
        composition = Composition()
        titles: list[str] = []
        with Archive(path, self.max_bytes) as archive:
            for number, part in enumerate(_slides(archive), 1):
                titles.append(_slide(archive, part, number, composition))
            properties = list(facts_of(archive))
            told = list(warnings(archive, printable(path)))
        if not any(titles) and len(composition) <= sum(len(f"Slide {n}") + 2 for n in range(1, len(titles) + 1)):
            raise ReadError("it has no text", "if its slides are pictures, convert it to PDF and add that with --ocr")
        first_title = next((title for title in titles[:1] if title), "")
        own = [Fact(field="title", value=first_title, source="first page", sure=_SURE_OF_TITLE)] if first_title else []
        facts = with_file_name((*own, *properties), path)
        yield Reading(
            document=document_of(facts, path, "slides"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts,
        )
        yield from told


def _slides(archive: Archive) -> Iterator[str]:
    """Yield the names of the slides in the order of the show."""
    name = main_part(archive, _MAIN)
    targets = relations(archive, name)
    listed = first(parse_xml(archive.read(name)), "sldIdLst")
    for item in listed if listed is not None else ():
        ids = [value for key, value in item.attrib.items() if key.endswith("}id")]
        _, target = targets.get(ids[0] if ids else "", ("", ""))
        if target in archive:
            yield target


def _slide(archive: Archive, part: str, number: int, composition: Composition) -> str:
    """Add a slide; return its title."""
    shapes = list(_shapes(parse_xml(archive.read(part))))
    title = next((" ".join(_text(shape).split()) for shape in shapes if _place(shape) in _TITLES), "")
    composition.heading(1, title or f"Slide {number}")
    for shape in shapes:
        if _place(shape) not in _TITLES | _FURNITURE:
            _add(shape, composition)
    for kind, target in relations(archive, part).values():
        if kind.endswith("/notesSlide") and target in archive:
            notes = [shape for shape in _shapes(parse_xml(archive.read(target))) if _place(shape) == "body"]
            composition.paragraph(" ".join(_text(shape) for shape in notes))
    return title


def _shapes(root: Any) -> Iterator[Any]:
    """Yield the shapes and tables of a slide, also those within groups, without second versions for older programs."""
    for item in root.iter("{*}sp", "{*}graphicFrame"):
        if not any(local(above) == "Fallback" for above in item.iterancestors()):
            yield item


def _place(shape: Any) -> str:
    """Return what a shape is a placeholder for, or ''."""
    found = next(shape.iter("{*}ph"), None)
    return "" if found is None else attribute(found, "type", "body")


def _add(shape: Any, composition: Composition) -> None:
    table = next(shape.iter("{*}tbl"), None)
    if table is not None:
        rows = [_row(row) for row in children(table, "tr")]
        names = column_names(rows[:1]) if len(rows) > 1 else []
        composition.lines((line_of(row, names) for row in rows[1 if names else 0 :]), "table")
        return
    composition.lines(_paragraphs(shape))


def _row(row: Any) -> list[GridCell]:
    merged = ("hMerge", "vMerge")
    return [
        GridCell("" if any(attribute(cell, name) == "1" for name in merged) else " ".join(_text(cell).split()))
        for cell in children(row, "tc")
    ]


def _text(shape: Any) -> str:
    return " ".join(_paragraphs(shape))


def _paragraphs(shape: Any) -> Iterator[str]:
    for paragraph in shape.iter("{*}p"):
        parts = (" " if local(item) == "br" else item.text or "" for item in paragraph.iter("{*}t", "{*}br"))
        yield "".join(parts)
