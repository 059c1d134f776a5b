"""Writes the tree of a page out as paragraphs, sections and regions. Walks: however deep a page is, nothing calls itself."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from scholarmind.adapters.readers.composition import Composition, GridCell, column_names, flowed, line_of
from scholarmind.adapters.readers.containers import etree
from scholarmind.identity import letters_of
from scholarmind.model import RegionKind
from scholarmind.text.section_names import names_abstract, names_references

# -- running text: what signs, formulas, marks and notes are in plain characters

_SILENT = frozenset(
    "script style noscript template svg iframe object embed video audio canvas button select input textarea dialog map rt rp head "
    "title meta link base colgroup".split()
)

_SILENT_CLASSES = frozenset(
    "headerlink mw-editsection katex-html MathJax MathJax_Preview MathJax_Display MathJax_SVG anchor-link ltx_rule ltx_note_mark "
    "mwe-math-fallback-image-inline mwe-math-fallback-image-display anchorjs-link hash-link".split()
)

_WITH_SPACE = frozenset("br p div li td th tr dt dd h1 h2 h3 h4 h5 h6 section ul ol table blockquote".split())
_DISPLAY_STYLE = re.compile(r"\{\\displaystyle\s*(.*)\}", re.DOTALL)
_TO_REFERENCE = re.compile(r"#.*(?:ref|bib|cit|cr)[-_.:]?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d[\d,\s–-]*")
_LONGEST_MARK = 3  # characters of a footnote's mark
_POWER = re.compile(r"[\w+−-]{1,4}")


def words_of(element: Any) -> str:
    """Return the text of a whole element in one line."""
    return flowed("".join(_pieces_of(element)))


def _pieces_of(element: Any) -> Iterator[str]:
    """Yield the text of an element as it comes, without the text behind it."""
    walker = etree().iterwalk(element, events=("start", "end"))
    for event, inner in walker:
        if event == "start":
            special = _special_text(inner)
            if special is None:
                yield f" {inner.text or ''}" if inner.tag in _WITH_SPACE else inner.text or ""
            else:
                walker.skip_subtree()
                yield special
        else:
            yield " " if inner.tag in _WITH_SPACE else ""
            yield (inner.tail or "") if inner is not element else ""


def _special_text(element: Any) -> str | None:
    """Return what stands for an element that is not read by its children: '' if nothing does. None for all others."""
    tag = element.tag.rpartition(":")[2]
    if tag == "math":
        return _math(element)
    if tag == "script" and (element.get("type") or "").startswith("math/"):
        return element.text or ""
    if tag in _SILENT or not _SILENT_CLASSES.isdisjoint((element.get("class") or "").split()):
        return ""
    if tag == "sup":
        return _raised(element)
    if tag == "img":
        return _image(element)
    return None


def _math(element: Any) -> str:
    """Return the formula as its author wrote it, where the page still knows that."""
    text = element.get("alttext") or ""
    if not text:
        for note in element.iter("annotation", "m:annotation"):
            if "tex" in (note.get("encoding") or "").lower():
                text = note.text or ""
    text = flowed(text.replace("%\n", "")) or " ".join("".join(element.itertext()).split())
    display = _DISPLAY_STYLE.fullmatch(text)
    return display[1].strip() if display else text


def _raised(element: Any) -> str | None:
    """Return a power with its sign, a mark of a reference in brackets, and no mark of a footnote."""
    text = "".join(element.itertext()).strip()
    link = next(element.iter("a"), None)
    if link is not None:
        return _raised_link(text, link)
    before = element.getprevious()
    said = (
        (element.getparent().text if before is None else before.tail) or "" if element.getparent() is not None else ""
    )
    if _POWER.fullmatch(text) and said[-1:].isalnum() and text not in {"st", "nd", "rd", "th", "TM"}:
        return f"^{text}"
    if _NUMBERS.fullmatch(text) and said[-1:].strip():  # behind a full stop, or several: marks of references
        return f"^{text}" if text.isdigit() else f"^{text}^"
    return None


def _raised_link(text: str, link: Any) -> str | None:
    if text.startswith(("[", "(")):
        return text
    if _NUMBERS.fullmatch(text) and _TO_REFERENCE.search(link.get("href") or ""):
        return f" [{text}]"
    return "" if len(text) <= _LONGEST_MARK else None  # a tag that was left open holds more than a mark


def _image(element: Any) -> str:
    name = (element.get("class") or "").lower()
    return element.get("alt") or "" if any(sign in name for sign in ("math", "tex", "equation")) else ""


# -- tables as lines of text

_WIDEST = 100  # columns that one cell may claim
_MOST_COLUMNS = 500
_HIGHEST = 1_000  # rows that one cell may claim
_LONGEST_CELL = 1_000  # characters; a longer one is prose, and its table a way to place it on the page
_LAYOUT = frozenset("table pre h1 h2 h3 h4 h5 h6 form".split())
_ROWS = frozenset({"tr"})
_WITHIN = {
    "table": frozenset("caption colgroup col thead tbody tfoot tr".split()),
    "thead": _ROWS,
    "tbody": _ROWS,
    "tfoot": _ROWS,
    "tr": frozenset({"td", "th"}),
    "colgroup": frozenset({"col"}),
}

_DATA = ("tabular", "wikitable", "data", "table")
_Words = Callable[[Any], str]


def _is_data(table: Any) -> bool:
    """Tell whether a table holds values, rather than the parts of the page."""
    name = table.get("class") or ""
    if table.get("role") in {"presentation", "none"} or "equation" in name or "eqn" in name:
        return False
    if next((True for element in table.iter(*_LAYOUT) if element is not table), False):
        return False
    if next(table.iter("td", "th"), None) is None or not _is_sound(table):
        return False
    if next(table.iter("th", "thead", "caption"), None) is not None or any(sign in name for sign in _DATA):
        return True
    rows = list(table.iter("tr"))
    cells = list(table.iter("td"))
    shortest = all(sum(map(len, cell.itertext())) <= _LONGEST_CELL for cell in cells[:200])
    return len(rows) > 1 and len(cells) >= 2 * len(rows) and shortest


def _is_sound(element: Any) -> bool:
    """Tell whether there is nothing in a table but rows, and nothing in its rows but cells: a browser shows the rest too."""
    allowed = _WITHIN.get(element.tag)
    if allowed is None:  # a cell, or a caption
        return True
    if (element.text or "").strip():
        return False
    return all(child.tag in allowed and not (child.tail or "").strip() and _is_sound(child) for child in element)


def _lines_of(table: Any, words: _Words) -> Iterator[str]:
    """Yield a line for every row: `Header: value; ...` where the header is known, else the cells with bars between them."""
    rows = list(_grid(table, words))
    count = _header_rows(table, rows)
    header = column_names(rows[:count])
    for row in rows[count:]:
        line = line_of(row, header)
        if line:
            yield line
    if count == len(rows):  # nothing but headers
        yield from (line for row in rows if (line := line_of(row, [])))


def _grid(table: Any, words: _Words) -> Iterator[list[GridCell]]:
    """Yield the rows with every place filled, that of a wide or high cell with the cell itself."""
    hanging: dict[int, tuple[GridCell, int]] = {}  # by column: what hangs down from above, and through how many rows
    for element in table.iter("tr"):
        row: list[GridCell] = []
        _hang(row, hanging)
        for cell in element:
            if cell.tag not in {"td", "th"} or len(row) > _MOST_COLUMNS:
                continue
            width = _number(cell.get("colspan"), _WIDEST)
            height = _number(cell.get("rowspan"), _HIGHEST)
            text = words(cell)
            for place in range(width):
                filled = GridCell(text, cell.tag == "th", width, place == 0)
                if height > 1:
                    hanging[len(row)] = (filled, height - 1)
                row.append(filled)
            _hang(row, hanging)
        yield row


def _hang(row: list[GridCell], hanging: dict[int, tuple[GridCell, int]]) -> None:
    """Fill the next places with what hangs down into them."""
    while len(row) in hanging:
        place = len(row)
        cell, left = hanging.pop(place)
        if left > 1:
            hanging[place] = (cell, left - 1)
        row.append(cell)


def _number(value: str | None, most: int) -> int:
    return min(most, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 6 else 1


def _header_rows(table: Any, rows: list[list[GridCell]]) -> int:
    """Return how many rows are headers: those of the head, or the first ones that are nothing but header cells."""
    head = table.find("thead")
    count = len(head.findall("tr")) if head is not None else 0
    if not count:
        for row in rows[:3]:
            if not row or not all(cell.is_header or not cell.text for cell in row) or len(row) < 2:
                break
            count += 1
    return min(count, len(rows))


# -- the writer

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr li main nav ol p "
    "section summary table tbody td tfoot th thead tr ul caption".split()
)

_LISTS = frozenset("ul ol dl".split())
_ITEMS = frozenset("li dt dd".split())
_ONE_LINE = frozenset(
    "csl-left-margin csl-right-inline ltx_bibblock ltx_tag".split()
)  # blocks that belong to one reference

_MARKS: dict[str, RegionKind] = {
    "abstract": "abstract",
    "ltx_abstract": "abstract",
    "references": "references",
    "csl-bib-body": "references",
    "ltx_bibliography": "references",
    "doc-bibliography": "references",
    "doc-abstract": "abstract",
    "footnotes": "footnote",
    "doc-endnotes": "footnote",
    "doc-footnote": "footnote",
    "footnote": "footnote",
    "rearnotes": "footnote",
}

_NOTE = frozenset("ltx_note ltx_role_footnote".split())
_EMPTY_LINE = re.compile(r"\n\s*\n")
_SIGNS = re.compile(r"\s*[¶#§🔗]\s*$")
_NUMBERED = re.compile(r"\[|\(?\d+[.)\]]|\d+\s")
_BACK = re.compile(r"^\^\s*(?:(?:[a-z]{1,2}\s)+(?=\S))?|(?:\s*↩\ufe0e?\d*)+\s*$")


class PageWriter:
    """Writes one page, or one chapter of a book whose headings then lie `below` those of the book."""

    def __init__(self, composition: Composition, below: int = 0, known: str = "") -> None:
        """Write to `composition`; a first heading that says the `known` title again is left out."""
        self._to = composition
        self._below = below
        self._known = letters_of(known)
        self._line: list[str] = []
        self._items: list[str] | None = None  # of the list that we are in
        self._depth = 0
        self._counts: list[int] = []  # of the items of each list around, where they are numbered (else -1)
        self._notes: list[str] = []
        self._kind: RegionKind | None = None  # what the lines are gathered for
        self._gathered: list[str] = []
        self._level = 0  # of the heading that began it; 0: an element did
        self._begun: list[Any] = []  # elements that began a region

    def write(self, root: Any) -> None:
        """Write the element and all that is in it."""
        walker = etree().iterwalk(root, events=("start", "end"))
        skipped: Any = None
        for event, element in walker:
            if event == "start":
                if self._special(element):
                    walker.skip_subtree()
                    skipped = element
                    continue
                self._begin(element)
                self._line.append(element.text or "")
                continue
            if element is not skipped:
                self._end(element)
            self._line.append((element.tail or "") if element is not root else "")
        self._end_list()
        self._end_region()

    def _special(self, element: Any) -> bool:
        """Write an element that is not read by its children, and tell whether it was one."""
        tag = element.tag
        text = _special_text(element)
        if text is not None:
            self._line.append(text)
        elif tag in _HEADINGS:
            self._heading(element)
        elif tag == "pre":
            self._pre(element)
        elif tag in {"figcaption", "caption"} or "ltx_caption" in (element.get("class") or ""):
            self._apart([words_of(element)], "caption")
        elif tag == "table" and _is_data(element):
            self._table(element)
        elif _NOTE.issubset((element.get("class") or "").split()):
            self._notes.append(words_of(element))
        else:
            return False
        return True

    def _begin(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self._line.append("\n")
        if tag not in _BLOCKS or not _ONE_LINE.isdisjoint((element.get("class") or "").split()):
            return
        self._end_line(is_item=tag in _ITEMS)
        kind = self._mark(element)
        if kind is not None and kind != self._kind:
            self._end_list()
            self._end_region()
            self._kind, self._level = kind, 0
            self._begun.append(element)
        if tag in _LISTS:
            self._begin_list(element)
        if tag == "li" and self._counts and self._counts[-1] >= 0:
            self._counts[-1] += 1

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in _BLOCKS and _ONE_LINE.isdisjoint((element.get("class") or "").split()):
            self._end_line(is_item=tag in _ITEMS or tag in _LISTS)
        if tag in _LISTS and self._depth:
            self._depth -= 1
            self._counts.pop()
            if not self._depth:
                self._end_list()
        if self._begun and self._begun[-1] is element:
            self._begun.pop()
            self._end_list()
            self._end_region()

    def _begin_list(self, element: Any) -> None:
        if not self._depth:
            self._items = []
        self._depth += 1
        self._counts.append(0 if element.tag == "ol" and self._kind == "references" else -1)

    def _mark(self, element: Any) -> RegionKind | None:
        names = f"{element.get('class') or ''} {element.get('role') or ''} {element.get('epub:type') or ''}".split()
        return next((_MARKS[name] for name in names if name in _MARKS), None)

    def _heading(self, element: Any) -> None:
        self._end_list()
        title, level = _SIGNS.sub("", words_of(element)), _HEADINGS[element.tag] + self._below
        said, self._known = self._known, ""
        if not title or said == letters_of(title):
            return
        kind: RegionKind | None = (
            "references" if names_references(title) else "abstract" if names_abstract(title) else None
        )
        if kind is None and self._kind is not None and self._begun_here(level):
            kind = self._kind
        self._end_region()
        self._to.heading(level, title)
        if kind is not None:
            self._kind, self._level = kind, level

    def _begun_here(self, level: int) -> bool:
        """Tell whether what was begun goes on behind a heading of this level."""
        return bool(self._begun) or level > self._level > 0

    def _end_line(self, *, is_item: bool = False) -> None:
        """Close the open paragraph; within an item of a list it goes on unless the item ends."""
        if self._items is not None and not is_item:
            self._line.append(" ")
            return
        text = "".join(self._line).replace("\u00ad", "")
        self._line = []
        if self._items is not None:
            self._item(flowed(text))
        else:
            for part in _EMPTY_LINE.split(text) if "\n" in text else [text]:
                self._paragraph(flowed(part))
        self._end_notes()

    def _item(self, text: str) -> None:
        if self._kind in {"references", "footnote"}:
            text = _BACK.sub("", text)
        if not text or self._items is None:
            return
        number = self._counts[-1] if self._counts else -1
        self._items.append(f"[{number}] {text}" if number > 0 and not _NUMBERED.match(text) else text)

    def _paragraph(self, text: str) -> None:
        if not text:
            return
        if self._kind is not None:
            self._gathered.append(text)
        else:
            self._to.block(text)

    def _end_notes(self) -> None:
        if self._notes and self._items is None and self._kind is None:
            notes, self._notes = self._notes, []
            self._to.lines(notes, "footnote")

    def _end_list(self) -> None:
        """Write the list that is open, and what came behind its last item."""
        self._end_line(is_item=True)
        if self._items is None:
            return
        items, self._items = self._items, [] if self._depth else None
        if self._kind is not None:
            self._gathered += items
        else:
            self._to.lines(items)
        self._end_notes()

    def _end_region(self) -> None:
        gathered, kind = self._gathered, self._kind
        self._gathered, self._kind, self._level = [], None, 0
        if kind == "abstract":
            self._to.block("\n\n".join(gathered), kind)
        elif kind is not None:
            self._to.lines(gathered, kind)
        self._end_notes()

    def _apart(self, lines: list[str], kind: RegionKind | None, text: str = "") -> None:
        """Write a block of its own in the middle of whatever is open, which goes on behind it."""
        self._end_list()
        open_kind, level = self._kind, self._level
        self._end_region()
        if text:
            self._to.block(text)
        else:
            self._to.lines(lines, kind)
        self._kind, self._level = open_kind, level

    def _table(self, element: Any) -> None:
        caption = element.find("caption")
        if caption is not None:
            self._apart([words_of(caption)], "caption")
        self._apart(list(_lines_of(element, words_of)), "table")

    def _pre(self, element: Any) -> None:
        for line_break in list(element.iter("br")):
            line_break.tail = "\n" + (line_break.tail or "")
        self._apart([], None, "".join(element.itertext()))
