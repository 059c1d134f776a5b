"""Documents of office programs: Word, PowerPoint, Excel, OpenDocument and RTF, and tables as plain text."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.composition import Composition, GridCell, Row, clean, column_names, line_of, read_text
from scholarmind.adapters.readers.containers import (
    Archive,
    attribute,
    children,
    facts_of,
    first,
    local,
    main_part,
    parse_xml,
    relations,
    warnings,
)
from scholarmind.adapters.readers.file_metadata import NoteHead, document_of, read_below, with_file_name
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading
from scholarmind.text.untrusted import printable

# -- word: paragraphs and tables as somebody who reads the page sees them, in sections by the styles of headings

# -- the text of paragraphs and tables

_WORD_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_WORD_UNSEEN = frozenset(
    {"del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr", "footnoteRef", "endnoteRef"}
)
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
        if name in _WORD_UNSEEN or (name == "p" and item is not element and _within_box(item)):
            continue
        if name == "t":
            yield _raised(item) or item.text or ""
        elif name in _WORD_SIGNS:
            yield _WORD_SIGNS[name]
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
    rows = [_word_row(row) for row in _rows(table)]
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


def _word_row(row: Any) -> list[GridCell]:
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

_WORD_MAIN = "word/document.xml"
_HEADING = re.compile(r"(?:heading|标题|überschrift|titre|título|titolo|заголовок)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|标题|titel|titre", re.IGNORECASE)
_CAPTION = re.compile(r"caption|题注|beschriftung|légende", re.IGNORECASE)
_DEEPEST_STYLE = 20
_SURE_OF_WORD_TITLE = 0.8
_SURE_OF_HEADING = 0.5  # that it is the title, where it is the first thing in the text


@dataclass(frozen=True, slots=True)
class DocxReader:
    """Headings by style or outline level; tables, captions, footnotes and the list of references apart."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and what it would have had a program do."""
        with Archive(path, self.max_bytes) as archive:
            name = main_part(archive, _WORD_MAIN)
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
            yield Fact(field="title", value=self.title, source="first page", sure=_SURE_OF_WORD_TITLE)
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
        if _TITLE_STYLE.fullmatch(style.name) and not self.title and not self.composition.sections:
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


# -- OpenDocument texts

_CONTENT = "content.xml"
_META = "meta.xml"
_ODT_UNSEEN = frozenset({"note", "annotation", "tracked-changes", "sequence-decls", "forms", "frame", "ruby-text"})
_HOLDS_MORE = frozenset({"section", "text", "index-body", "bibliography", "numbered-paragraph"})
_ODT_SIGNS = {"tab": " ", "line-break": "\n", "s": " "}
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
            waiting = list(reversed(text))
            while waiting:
                item = waiting.pop()
                match local(item):
                    case "h":
                        title = _odt_text(item)
                        level = attribute(item, "outline-level", "1")
                        composition.heading(int(level) if level in set("123456789") else 1, title)
                    case "p":
                        _paragraph(item, composition)
                    case "list":
                        composition.lines(f"- {_odt_text(entry)}" for entry in item.iter("{*}p"))
                    case "table":
                        composition.lines(_table(item), "table")
                    case name if name in _HOLDS_MORE:
                        waiting.extend(reversed(item))
                    case _:
                        pass
            properties = list(_odt_facts(archive))
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


def _paragraph(item: Any, composition: Composition) -> None:
    composition.paragraph(_odt_text(item))
    for box in item.iter("{*}text-box"):
        for paragraph in children(box, "p"):
            composition.paragraph(_odt_text(paragraph))
    for note in item.iter("{*}note-body"):
        composition.block(" ".join(_odt_text(note).split()), "footnote")


def _table(table: Any) -> Iterator[str]:
    heads = [_odt_row(row) for group in children(table, "table-header-rows") for row in children(group, "table-row")]
    rows = [_odt_row(row) for row in table.iter("{*}table-row") if local(row.getparent()) != "table-header-rows"]
    if not heads and len(rows) > 1:
        heads, rows = rows[:1], rows[1:]
    names = column_names(heads)
    yield from (line for row in rows if (line := line_of(row, names)))


def _odt_row(row: Any) -> list[GridCell]:
    cells: list[GridCell] = []
    for cell in children(row, "table-cell", "covered-table-cell"):
        repeated = attribute(cell, "number-columns-repeated", "1")
        times = (
            min(int(repeated), _MOST_COLUMNS) if repeated.isascii() and repeated.isdigit() and len(repeated) < 6 else 1
        )
        text = " ".join(_odt_text(cell).split())
        cells += [GridCell(text) for _ in range(times)]
        if len(cells) > _MOST_COLUMNS:
            break
    return cells


def _odt_text(element: Any) -> str:
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
        if name in _ODT_UNSEEN:
            continue
        if name == "p" and parts[-1:] != [""]:
            parts.append(" ")
        parts.append(_ODT_SIGNS.get(name, item.text or ""))
        waiting.extend((child, True) for child in reversed(item))
    return "".join(parts)


def _odt_facts(archive: Archive) -> Iterator[Fact]:
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


# -- RTF, as far as its text goes

_RTF_TITLE = re.compile(r"\{\\title ([^{}\\]{1,300})\}")
_AUTHOR = re.compile(r"\{\\author ([^{}\\]{1,300})\}")
_RTF_DAMAGE = (
    ValueError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    LookupError,
)  # striprtf's, of a broken file
_HEAD = 20_000


@dataclass(frozen=True, slots=True)
class RtfReader:
    """Paragraphs and cells; headings are not marked in RTF in any way that lasts."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document."""
        from striprtf import striprtf  # noqa: PLC0415

        size = path.stat().st_size
        if size > self.max_bytes:
            raise ReadError(
                f"it has {size / 1e6:,.0f} MB, the limit is {self.max_bytes / 1e6:,.0f} MB",
                "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
            )
        source = path.read_bytes().decode("latin-1")
        if not source.lstrip().startswith("{\\rtf"):
            raise ReadError("it is not RTF", "it may have the wrong suffix; save it again as RTF or DOCX")
        try:
            text = clean(str(cast("Any", striprtf).rtf_to_text(source, errors="replace")))
        except _RTF_DAMAGE as error:
            reason = f"it is broken: {type(error).__name__}: {str(error)[:200]}"
            raise ReadError(reason, "save it again with the program that made it, or as DOCX") from error
        composition = Composition()
        for line in text.split("\n"):
            composition.paragraph(line.strip("| ").replace("|", " | "))
        if not len(composition):
            raise ReadError("it has no text", "nothing to do, unless it should not be")
        facts = with_file_name(_rtf_facts(source), path)
        yield Reading(document=document_of(facts, path, "document"), text=composition.text, facts=facts)


def _rtf_facts(source: str) -> Iterator[Fact]:
    head = source[:_HEAD]
    if title := _RTF_TITLE.search(head):
        yield Fact(field="title", value=title[1].strip(), source="document properties", sure=_SURE)
    if author := _AUTHOR.search(head):
        yield Fact(field="authors", value=(author[1].strip(),), source="document properties", sure=_SURE)


# -- powerPoint: a section for each slide, with its notes

_SLIDES_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr"})
_SURE_OF_SLIDE_TITLE = 0.7


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
                # add a slide; return its title
                shapes = list(_shapes(parse_xml(archive.read(part))))
                title = next((" ".join(_shape_text(shape).split()) for shape in shapes if _place(shape) in _TITLES), "")
                composition.heading(1, title or f"Slide {number}")
                for shape in shapes:
                    if _place(shape) not in _TITLES | _FURNITURE:
                        _add(shape, composition)
                for kind, target in relations(archive, part).values():
                    if kind.endswith("/notesSlide") and target in archive:
                        notes = [shape for shape in _shapes(parse_xml(archive.read(target))) if _place(shape) == "body"]
                        composition.paragraph(" ".join(_shape_text(shape) for shape in notes))
                titles.append(title)
            properties = list(facts_of(archive))
            told = list(warnings(archive, printable(path)))
        if not any(titles) and len(composition) <= sum(len(f"Slide {n}") + 2 for n in range(1, len(titles) + 1)):
            raise ReadError("it has no text", "if its slides are pictures, convert it to PDF and add that with --ocr")
        first_title = next((title for title in titles[:1] if title), "")
        own = (
            [Fact(field="title", value=first_title, source="first page", sure=_SURE_OF_SLIDE_TITLE)]
            if first_title
            else []
        )
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
    name = main_part(archive, _SLIDES_MAIN)
    targets = relations(archive, name)
    listed = first(parse_xml(archive.read(name)), "sldIdLst")
    for item in listed if listed is not None else ():
        ids = [value for key, value in item.attrib.items() if key.endswith("}id")]
        _, target = targets.get(ids[0] if ids else "", ("", ""))
        if target in archive:
            yield target


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
        rows = [_slide_row(row) for row in children(table, "tr")]
        names = column_names(rows[:1]) if len(rows) > 1 else []
        composition.lines((line_of(row, names) for row in rows[1 if names else 0 :]), "table")
        return
    composition.lines(_paragraphs(shape))


def _slide_row(row: Any) -> list[GridCell]:
    merged = ("hMerge", "vMerge")
    return [
        GridCell("" if any(attribute(cell, name) == "1" for name in merged) else " ".join(_shape_text(cell).split()))
        for cell in children(row, "tc")
    ]


def _shape_text(shape: Any) -> str:
    return " ".join(_paragraphs(shape))


def _paragraphs(shape: Any) -> Iterator[str]:
    for paragraph in shape.iter("{*}p"):
        parts = (" " if local(item) == "br" else item.text or "" for item in paragraph.iter("{*}t", "{*}br"))
        yield "".join(parts)


# -- tables that are files of their own: Excel, and text with comma, semicolon, tab or bar between the values

# Each row is a line with the names of its columns; each sheet of Excel is a section.

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
_DELIMITERS = ",;\t|"


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
            stripped = ([" ".join(value.split()) for value in row] for row in rows)
            composition.lines(_lines_of(stripped, printable(path), problems), "table")
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


def _dialect(text: str, path: Path) -> type[csv.Dialect]:
    if path.suffix.lower() == ".tsv":
        return csv.excel_tab
    try:
        return csv.Sniffer().sniff(_sample(text), _DELIMITERS)
    except csv.Error:
        return csv.excel


def _sample(text: str) -> str:
    """Return whole lines from the beginning: half a line misleads, and so does a very long one."""
    return text[:_SAMPLE].rpartition("\n")[0] or text[:_SAMPLE]


# -- Excel

_XLSX_DAMAGE = (
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    SyntaxError,
    OSError,
)  # openpyxl's, of a broken file


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
        except _XLSX_DAMAGE as error:
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
