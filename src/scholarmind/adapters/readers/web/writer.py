"""Writes a tree out as paragraphs, sections and regions. Walks: however deep a page is, nothing calls itself."""

import re
from typing import Any

from scholarmind.adapters.readers.composition import Composition, flowed
from scholarmind.adapters.readers.landmarks import kind_of
from scholarmind.adapters.readers.web.tables import is_data, lines_of
from scholarmind.adapters.readers.web.words import special_text, words_of
from scholarmind.adapters.readers.xml import etree
from scholarmind.identity import letters_of
from scholarmind.model import RegionKind

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


class Writer:
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
        text = special_text(element)
        if text is not None:
            self._line.append(text)
        elif tag in _HEADINGS:
            self._heading(element)
        elif tag == "pre":
            self._pre(element)
        elif tag in {"figcaption", "caption"} or "ltx_caption" in (element.get("class") or ""):
            self._apart([words_of(element)], "caption")
        elif tag == "table" and is_data(element):
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
        kind = kind_of(title)
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
        self._apart(list(lines_of(element, words_of)), "table")

    def _pre(self, element: Any) -> None:
        for line_break in list(element.iter("br")):
            line_break.tail = "\n" + (line_break.tail or "")
        self._apart([], None, "".join(element.itertext()))
