"""From the bytes of a web page to its tree, within bounds of memory, time and depth."""

import codecs
import contextlib
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scholarmind.adapters.readers.decode import clean, decode
from scholarmind.adapters.readers.xml import etree
from scholarmind.errors import ReadError

MOST_ROWS = 20_000
MOST_TAGS = 1_000_000  # that are held at once: 300 MB at most
MOST_ATTRIBUTES = 1_000  # of one element: the parser compares each with all before it
_HEAD = 4_096
_PIECE = 1 << 16
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
}
_ESCAPING = ("iso-2022", "hz")  # their bytes are all ASCII, so that they pass for UTF-8
_KINDS = (
    (b"%PDF", "PDF"),
    (b"PK\x03\x04", "zip archive"),
    (b"\x89PNG", "PNG image"),
    (b"GIF8", "GIF image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"\xd0\xcf\x11\xe0", "old Office document"),
    (b"{\\rtf", "RTF document"),
    (b"\x1f\x8b", "gzip archive"),
)
# what survives where a page is nested without end: none of these can hold itself
_FLAT = re.compile(r"</?(?!(?:title|meta|h[1-6]|p|br|pre|script|style|textarea)\b)[a-zA-Z][^<>]*>")
# a tag from end to end, a `>` in quotes being none; possessive, so that its time is linear whatever the page holds
_TAG = re.compile(r"""(<[a-zA-Z][^\s<>"'=/]*+)(?:[^<>"'=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|[<"'=])*+""")
_ATTRIBUTE = re.compile(r"""[^\s=/]+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"']++))?+""")
# in XHTML `<title/>` is an empty title; a parser of HTML takes all that follows for its text
_EMPTY_ELEMENT = re.compile(r"<(title|script|style|textarea|iframe|noscript|a|div|span|p)\b([^<>]*)/>")
_XHTML = "http://www.w3.org/1999/xhtml"
_TOO_DEEP = "Excessive depth"


@dataclass(slots=True)
class Page:
    """The tree of a page (None if there is nothing in it), and what of it could not be used: reason and advice."""

    most_rows: int
    most_tags: int
    root: Any = None
    losses: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def text_of(content: bytes) -> str:
    """Return the characters of a page: by its mark, as UTF-8, as it says itself, or by what it looks like."""
    for mark, kind in _KINDS:
        if content.startswith(mark):
            raise ReadError(f"it is a {kind}, not HTML", "give it the suffix of what it is, or leave it out")
    declared = _declared(content)
    if declared.startswith(_ESCAPING):
        return clean(content.decode(declared, "replace"))
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if declared and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)):
            with contextlib.suppress(UnicodeError):  # some cannot replace what they do not know
                return clean(content.decode(declared, "replace"))
    return decode(content)


def _declared(content: bytes) -> str:
    """Return the encoding that the page gives itself, if it is one for texts of one byte a letter or more."""
    found = _CHARSET.search(content[:_HEAD])
    name = found[1].decode("ascii").lower() if found else ""
    name = _SUPERSETS.get(name, name)
    try:
        is_text = bool(name) and not name.startswith("utf") and "escape" not in name and bool("a".encode(name))
    except (LookupError, UnicodeError):  # nobody knows it, or it is none of text
        return ""
    return name if is_text else ""


def parse(text: str, *, most_rows: int = MOST_ROWS, most_tags: int = MOST_TAGS) -> Page:
    """Return the tree of a page. Of its tables only so many rows are kept; what is nested without end is read flat."""
    page = Page(most_rows=most_rows, most_tags=most_tags)
    if _XHTML in text[:_HEAD]:
        text = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", text)
    text = _TAG.sub(lambda tag: _uncrowded(tag, page), text)
    crowded = page.losses[:1]
    page.losses = list(crowded)
    if not _feed(text, page):
        page.losses = [
            *crowded,
            ("it is nested deeper than 2,000 levels: lists and tables are read as plain text", "nothing, or repair it"),
        ]
        if not _feed(_FLAT.sub(" ", text), page):
            page.losses = [*crowded, ("it is nested deeper than 2,000 levels: only its beginning is read", "repair it")]
    return page


def _uncrowded(tag: re.Match[str], page: Page) -> str:
    """Return a tag as it is, or without its attributes if there are too many."""
    if tag.end() - tag.end(1) <= 2 * MOST_ATTRIBUTES:
        return tag[0]
    found = sum(1 for _ in islice(_ATTRIBUTE.finditer(tag[0], len(tag[1])), MOST_ATTRIBUTES + 1))
    if found <= MOST_ATTRIBUTES:
        return tag[0]
    page.losses.append(
        (f"an element has more than {MOST_ATTRIBUTES:,} attributes: they are left out", "nothing, or repair it")
    )
    return tag[1]


def _feed(text: str, page: Page) -> bool:
    """Parse in pieces, so that what is too much can be let go. Tell whether the parser came through."""
    parser = etree().HTMLPullParser(
        events=("end",),
        tag="tr",
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        no_network=True,
    )
    rows = dropped = tags = 0
    excess: list[Any] = []  # rows are let go one piece later: the parser may still stand in the last one
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        parser.feed(piece.encode("utf-8", "replace"))
        tags += piece.count("<")
        tags -= _let_go(excess)
        dropped += len(excess)
        ended = [row for _, row in parser.read_events()]
        excess = ended[max(0, page.most_rows - rows) :]
        rows += len(ended)
        if tags > page.most_tags:
            page.losses.append(
                (
                    f"it has more than {page.most_tags // 2:,} elements: the first {start / 1e6:.1f} MB are read",
                    "split it",
                )
            )
            break
    page.root = _closed(parser)
    _let_go(excess)
    if dropped + len(excess):
        page.losses.append(
            (
                f"its tables have {rows:,} rows: the first {page.most_rows:,} are read",
                "split it, or add the data as CSV",
            )
        )
    return not any(_TOO_DEEP in entry.message for entry in parser.feed_error_log)


def _let_go(rows: list[Any]) -> int:
    """Take rows out of the tree, and return about how many tags they had."""
    tags = 0
    for row in rows:
        tags += 2 * sum(1 for _ in row.iter())
        parent = row.getparent()
        if parent is not None:
            parent.remove(row)
    return tags


def _closed(parser: Any) -> Any:
    try:
        return parser.close()
    except etree().XMLSyntaxError:  # nothing at all in it
        return None
