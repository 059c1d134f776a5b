"""Word files: paragraphs and tables as somebody who reads the page sees them, in sections by the styles of headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.composition import Composition, GridCell, Row, column_names, line_of
from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.note_head import NoteHead, read_below
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

# -- the text of paragraphs and tables

_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_UNSEEN = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr", "footnoteRef", "endnoteRef"})
_NOTES = frozenset({"footnoteReference", "endnoteReference"})
_RAISED = re.compile(r"\d{1,3}(?:[,–-]\s?\d{1,3})*")
_MOST_COLUMNS = 500


def _text_of(paragraph: Any, notes: list[str] | None = None) -> str:
    """Return the text of a paragraph without what was deleted; ids of notes that it refers to are added to `notes`."""
    return "".join(_pieces(paragraph, notes))


def _pieces(element: Any, notes: list[str] | None) -> Iterator[str]:
    # without recursion: whoever made the file decides how deep it is
    waiting = [element]
    while waiting:
        item = waiting.pop()
        name = local(item)
        if name in _UNSEEN or (name == "p" and item is not element and _within_box(item)):
            continue
        if name == "t":
            yield _raised(item) or item.text or ""
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _NOTES and notes is not None:
            notes.append(f"{name}:{attribute(item, 'id')}")
        waiting.extend(reversed(item))


def _raised(item: Any) -> str:
    """Return a number that is set as a superscript with its sign, so that it does not become part of the word before it; '' else."""
    properties = first(item.getparent(), "rPr") if item.getparent() is not None else None
    raised = first(properties, "vertAlign") if properties is not None else None
    is_raised = raised is not None and attribute(raised, "val") == "superscript"
    text = item.text or "" if is_raised else ""
    return (f"^{text}" if text.isdigit() else f"^{text}^") if _RAISED.fullmatch(text) else ""


def _within_box(paragraph: Any) -> bool:
    """Tell whether a paragraph stands in a text box, which floats beside this one."""
    above = paragraph.getparent()
    return above is not None and local(above) == "txbxContent"


def _boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the paragraphs in text boxes that hang on this one, each once though two versions of a box are stored."""
    for content in paragraph.iter("{*}txbxContent"):
        if not any(local(above) == "Fallback" for above in content.iterancestors()):
            yield from children(content, "p")


def _table_lines(table: Any) -> Iterator[str]:
    """Yield the rows of a table as lines; those marked as header, or else the first one, name the columns."""
    rows = [_row(row) for row in _rows(table)]
    marked = [_is_header(row) for row in _rows(table)]
    heads = next((place for place, is_header in enumerate(marked) if not is_header), 0)
    if not heads and len(rows) > 1 and _looks_like_header(rows):
        heads = 1
    names = column_names(rows[:heads])
    lines = (line_of(row, names) for row in rows[heads:])
    yield from (line for line in lines if line)


def _rows(table: Any) -> Iterator[Any]:
    for child in children(table, "tr", "sdt"):
        if local(child) == "tr":
            yield child
        else:
            content = first(child, "sdtContent")
            yield from children(content, "tr") if content is not None else ()


def _row(row: Any) -> list[GridCell]:
    cells: list[GridCell] = []
    for cell in row.iter("{*}tc"):
        if cell.getparent() is not row and local(cell.getparent()) != "sdtContent":
            continue  # of a table within this one
        properties = first(cell, "tcPr")
        merged = first(properties, "vMerge") if properties is not None else None
        span = first(properties, "gridSpan") if properties is not None else None
        width = min(_MOST_COLUMNS, max(1, _number(attribute(span, "val"), 1) if span is not None else 1))
        goes_on = merged is not None and attribute(merged, "val", "continue") == "continue"
        text = " ".join(" ".join(_text_of(item) for item in cell.iter("{*}p")).split())
        cells += [GridCell("" if goes_on else text, width=width, is_first=not place) for place in range(width)]
        if len(cells) > _MOST_COLUMNS:
            break
    return cells


def _is_header(row: Any) -> bool:
    properties = first(row, "trPr")
    return properties is not None and first(properties, "tblHeader") is not None


def _looks_like_header(rows: Sequence[Row]) -> bool:
    """Tell whether the first row names columns: words all over, and numbers below."""
    head = [cell.text for cell in rows[0] if cell.is_first]
    below = [cell.text for row in rows[1:4] for cell in row if cell.is_first]
    if len(head) < 2 or not all(head[1:]) or any(map(_is_number, head)):
        return False
    return len(set(head)) == len(head) and (any(map(_is_number, below)) or len(rows) > 2)


def _is_number(text: str) -> bool:
    return text.lstrip("-+±<>~≈$€£¥( ")[:1].isdigit() and sum(map(str.isalpha, text)) <= 2


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else otherwise


# -- the reader

_MAIN = "word/document.xml"
_HEADING = re.compile(r"(?:heading|标题|überschrift|titre|título|titolo|заголовок)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|titel|titre", re.IGNORECASE)
_CAPTION = re.compile(r"caption|题注|beschriftung|légende", re.IGNORECASE)
_DEEPEST_STYLE = 20
_SURE_OF_TITLE = 0.8
_SURE_OF_HEADING = 0.5  # that it is the title, where it is the first thing in the text


@dataclass(frozen=True, slots=True)
class DocxReader:
    """Headings by style or outline level; tables, captions, footnotes and the list of references apart."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and what it would have had a program do."""
        with Archive(path, self.max_bytes) as archive:
            name = main_part(archive, _MAIN)
            body = first(parse_xml(archive.read(name)), "body")
            if body is None:
                raise ReadError("it has no body", "save it again with the program that made it")
            story = _Story(archive, name)
            story.tell(body)
            properties = list(facts_of(archive))
            told = list(warnings(archive, printable(path)))
        if not len(story.composition):
            raise ReadError("it has no text", "if it is a scan, convert it to PDF and add that with --ocr")
        head = story.head()
        facts = with_file_name((*story.facts(), *head.facts, *properties), path)
        yield Reading(
            document=document_of(facts, path, "document"),
            text=story.composition.text,
            sections=tuple(story.composition.sections),
            regions=(*head.regions, *story.composition.regions),
            facts=facts,
        )
        yield from told


@dataclass
class _Style:
    """What a style makes of a paragraph."""

    name: str = ""
    level: int = 0  # of a heading, from 1
    is_list: bool = False


@dataclass
class _Story:
    """A document as it is told, from top to bottom."""

    archive: Archive
    part: str
    composition: Composition = field(default_factory=Composition)
    title: str = ""
    _items: list[str] = field(default_factory=list[str])
    _styles: dict[str, _Style] = field(default_factory=dict[str, _Style])
    _notes: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        targets = {kind.rpartition("/")[2]: target for kind, target in relations(self.archive, self.part).values()}
        self._styles = self._read_styles(targets.get("styles", ""))
        for kind in ("footnote", "endnote"):
            self._notes |= self._read_notes(targets.get(f"{kind}s", ""), kind)

    def tell(self, body: Any) -> None:
        """Tell paragraphs and tables in order, also those within content controls and insertions."""
        waiting = list(reversed(body))
        while waiting:
            item = waiting.pop()
            match local(item):
                case "p":
                    self._paragraph(item)
                case "tbl":
                    self._flush()
                    self.composition.lines(_table_lines(item), "table")
                case "sdt" | "sdtContent" | "ins" | "smartTag" | "customXml" | "moveTo":
                    waiting.extend(reversed(item))
                case _:
                    pass
        self._flush()

    def facts(self) -> Iterator[Fact]:
        """Yield what the text says of itself."""
        if self.title:
            yield Fact(field="title", value=self.title, source="first page", sure=_SURE_OF_TITLE)
        elif self.composition.sections and not self.composition.sections[0].heading:
            title = self.composition.sections[0].path[-1]
            yield Fact(field="title", value=title, source="first page", sure=_SURE_OF_HEADING)

    def head(self) -> NoteHead:
        """Return what stands below the title."""
        return read_below(self.composition.text, self.composition.sections, self.title)

    def _paragraph(self, paragraph: Any) -> None:
        notes: list[str] = []
        text = _text_of(paragraph, notes)
        for box in _boxes(paragraph):
            self._flush()
            self.composition.paragraph(_text_of(box))
        if not text.strip():
            return
        style = self._style_of(paragraph)
        if style.is_list and not style.level:
            self._items.append(f"- {text}")
        else:
            self._flush()
            self._block(text, style)
        for note in notes:
            if self._notes.get(note):
                self._flush()
                self.composition.block(" ".join(self._notes[note].split()), "footnote")

    def _block(self, text: str, style: _Style) -> None:
        if _TITLE.fullmatch(style.name) and not self.title and not self.composition.sections:
            self.title = " ".join(text.split())
        elif style.level:
            self.composition.heading(style.level, text)
        elif _CAPTION.match(style.name):
            self.composition.block(" ".join(text.split()), "caption")
        else:
            self.composition.paragraph(text)

    def _flush(self) -> None:
        if self._items:
            self.composition.lines(self._items)
            self._items = []

    def _style_of(self, paragraph: Any) -> _Style:
        properties = first(paragraph, "pPr")
        if properties is None:
            return _Style()
        named = first(properties, "pStyle")
        style = self._styles.get(attribute(named, "val"), _Style()) if named is not None else _Style()
        outline = first(properties, "outlineLvl")
        level = _level(attribute(outline, "val")) if outline is not None else style.level
        return _Style(style.name, level, style.is_list or first(properties, "numPr") is not None)

    def _read_styles(self, part: str) -> dict[str, _Style]:
        if part not in self.archive:
            return {}
        listed = {attribute(item, "styleId"): item for item in children(parse_xml(self.archive.read(part)), "style")}
        return {id: _style(id, listed) for id in listed}

    def _read_notes(self, part: str, kind: str) -> dict[str, str]:
        if part not in self.archive:
            return {}
        notes = children(parse_xml(self.archive.read(part)), kind)
        return {
            f"{kind}Reference:{attribute(note, 'id')}": " ".join(_text_of(item) for item in note.iter("{*}p"))
            for note in notes
            if not attribute(note, "type")  # separators are notes too
        }


def _style(id: str, listed: dict[str, Any]) -> _Style:
    """Return what a style makes of a paragraph, by itself or by the styles that it is based on."""
    found = _Style()
    for _ in range(_DEEPEST_STYLE):
        item = listed.get(id)
        if item is None:
            break
        named, properties, based = first(item, "name"), first(item, "pPr"), first(item, "basedOn")
        name = attribute(named, "val") if named is not None else ""
        found.name = found.name or name
        heading = _HEADING.fullmatch(name)
        if heading and not found.level:
            found.level = int(heading[1])
        if properties is not None:
            outline = first(properties, "outlineLvl")
            found.level = found.level or (_level(attribute(outline, "val")) if outline is not None else 0)
            found.is_list = found.is_list or first(properties, "numPr") is not None
        id = attribute(based, "val") if based is not None else ""
    return found


def _level(text: str) -> int:
    """Return the level of a heading from an outline level; 9 says that it is body text."""
    return int(text) + 1 if text in set("012345678") else 0
