"""The text of paragraphs and tables of a Word file, as a reader of the page would see it."""

from collections.abc import Iterator, Sequence
from typing import Any

from scholarmind.adapters.readers.grid import Cell, Row, column_names, line_of
from scholarmind.adapters.readers.office.package import attribute, children, first, local

_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_UNSEEN = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr", "footnoteRef", "endnoteRef"})
_NOTES = frozenset({"footnoteReference", "endnoteReference"})
_MOST_COLUMNS = 500


def text_of(paragraph: Any, notes: list[str] | None = None) -> str:
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
            yield item.text or ""
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _NOTES and notes is not None:
            notes.append(f"{name}:{attribute(item, 'id')}")
        waiting.extend(reversed(item))


def _within_box(paragraph: Any) -> bool:
    """Tell whether a paragraph stands in a text box, which floats beside this one."""
    above = paragraph.getparent()
    return above is not None and local(above) == "txbxContent"


def boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the paragraphs in text boxes that hang on this one, each once though two versions of a box are stored."""
    for content in paragraph.iter("{*}txbxContent"):
        if not any(local(above) == "Fallback" for above in content.iterancestors()):
            yield from children(content, "p")


def table_lines(table: Any) -> Iterator[str]:
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


def _row(row: Any) -> list[Cell]:
    cells: list[Cell] = []
    for cell in row.iter("{*}tc"):
        if cell.getparent() is not row and local(cell.getparent()) != "sdtContent":
            continue  # of a table within this one
        properties = first(cell, "tcPr")
        merged = first(properties, "vMerge") if properties is not None else None
        span = first(properties, "gridSpan") if properties is not None else None
        width = min(_MOST_COLUMNS, max(1, _number(attribute(span, "val"), 1) if span is not None else 1))
        goes_on = merged is not None and attribute(merged, "val", "continue") == "continue"
        text = " ".join(" ".join(text_of(item) for item in cell.iter("{*}p")).split())
        cells += [Cell("" if goes_on else text, width=width, is_first=not place) for place in range(width)]
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
