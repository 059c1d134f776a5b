"""From the bytes of a web page to its tree, within bounds of memory, time and depth, and to the part of the tree that is its text.

Menus, banners, cookie notices and the like are no part of the text.
"""

import codecs
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scholarmind.adapters.readers.containers import etree
from scholarmind.adapters.readers.decode import clean, decode
from scholarmind.errors import ReadError

# -- parsing

_MOST_ROWS = 20_000
_MOST_TAGS = 1_000_000  # that are held at once: 300 MB at most
_MOST_ATTRIBUTES = 1_000  # of one element: the parser compares each with all before it
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
class WebPage:
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


def parse(text: str, *, most_rows: int = _MOST_ROWS, most_tags: int = _MOST_TAGS) -> WebPage:
    """Return the tree of a page. Of its tables only so many rows are kept; what is nested without end is read flat."""
    page = WebPage(most_rows=most_rows, most_tags=most_tags)
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


def _uncrowded(tag: re.Match[str], page: WebPage) -> str:
    """Return a tag as it is, or without its attributes if there are too many."""
    if tag.end() - tag.end(1) <= 2 * _MOST_ATTRIBUTES:
        return tag[0]
    found = sum(1 for _ in islice(_ATTRIBUTE.finditer(tag[0], len(tag[1])), _MOST_ATTRIBUTES + 1))
    if found <= _MOST_ATTRIBUTES:
        return tag[0]
    page.losses.append(
        (f"an element has more than {_MOST_ATTRIBUTES:,} attributes: they are left out", "nothing, or repair it")
    )
    return tag[1]


def _feed(text: str, page: WebPage) -> bool:
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


# -- the main part

_NEVER = "script style noscript template svg iframe object embed video audio canvas button select input textarea dialog map head".split()
_BESIDE = frozenset("nav header footer aside form menu".split())
_ROLES = frozenset("navigation banner contentinfo search dialog alertdialog complementary menu menubar toolbar".split())
_NOTES = re.compile(r"foot-?note|end-?note|reference|bibliograph|title|abstract|article|entry|post\b", re.IGNORECASE)
_JUNK = re.compile(
    r"(?:site|page|global|top|main|left|right|mw)?[-_]?"
    r"(?:cookies?|consent|gdpr|breadcrumbs?|sidebar|share|sharing|social|newsletter|subscribe|adverts?|advertisement|ads?|"
    r"sponsor(?:ed)?|promo|popup|modal|overlay|skip|skiplinks?|pagination|pager|nav|navbar|navbox|navigation|menu|masthead|footer|"
    r"comments?|related|recommended|toc|ltx_toc|editsection|noprint|headerlink|sphinxsidebar|printfooter|catlinks|jump-to-nav)"
    r"(?:[-_]?(?:bar|panel|banner|box|links?|buttons?|notice|wrapper|wrap|container|list|widget|popup|area|content|icons|policy|to-content))?",
    re.IGNORECASE,
)

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header "
    "li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)

_HOLDERS = frozenset("div section article main td tr tbody table form center span body html".split())
_JUNK_SHARE = 0.4  # what holds more of the page than this is no junk, whatever it is called
_LINK_SHARE = 0.6
_NEARLY_ALL = 0.95
_LINE = 25  # characters of a line that is prose rather than a label
_SHORT_PAGE = 500


@dataclass(slots=True)
class _Weight:
    """Characters of an element: all, in links, in its open line, in prose."""

    text: int = 0
    links: int = 0
    line: int = 0
    prose: int = 0
    anchors: int = 0


@dataclass(slots=True)
class _Survey:
    """What there is on a page."""

    weights: dict[Any, _Weight] = field(default_factory=dict[Any, _Weight])
    junk: list[Any] = field(default_factory=list[Any])
    linky: list[Any] = field(default_factory=list[Any])


def without_code(root: Any) -> Any:
    """Return the body, or whatever stands for it, without what is never text."""
    body = root.find("body")
    body = root if body is None else body
    for element in list(body.iter(*_NEVER)):
        if element is not body and not (element.get("type") or "").startswith("math/"):
            _drop(element)
    return body


def main_part(body: Any) -> Any:
    """Return the element that holds the main text, relieved of what stands beside it."""
    survey = _survey(body)
    for element in survey.junk:
        _drop(element)
    weights = survey.weights
    total = weights[body].prose
    if total < _SHORT_PAGE:
        return body
    marked = _marked(body, weights, total)
    for element in survey.linky if marked is None else ():
        _drop(element)
    return _narrowed(marked if marked is not None else body, weights)


def _marked(body: Any, weights: dict[Any, _Weight], total: int) -> Any:
    """Return what the page itself calls its main part, if there is enough in it."""
    for wanted, share in (("main", 0.3), ("article", 0.5)):
        named = [element for element in weights if wanted in (element.tag, element.get("role"))]
        found = [
            element for element in named if body in element.iterancestors()
        ]  # and was not dropped with what is around it
        best = max(found, key=lambda element: weights[element].prose, default=None)
        if best is not None and weights[best].prose >= share * total:
            return best
    return None


def _narrowed(element: Any, weights: dict[Any, _Weight]) -> Any:
    """Go down as long as one child has nearly all of the prose."""
    total = weights[element].prose
    while True:
        child = max(
            (child for child in element if child in weights and child.tag in _HOLDERS),
            key=lambda child: weights[child].prose,
            default=None,
        )
        if child is None or weights[child].prose < _NEARLY_ALL * total:
            return element
        element = child


def _survey(body: Any) -> _Survey:
    """Weigh every block, from the inside out, and list what looks like junk."""
    survey = _Survey()
    total = sum(len(text.strip()) for text in body.itertext())
    stack: list[_Weight] = []
    for event, element in etree().iterwalk(body, events=("start", "end")):
        if event == "start":
            stack.append(_Weight(line=_length(element.text), text=_length(element.text)))
            continue
        weight = stack.pop()
        is_junk = element is not body and weight.text <= _JUNK_SHARE * total and _is_junk(element)
        if is_junk:
            survey.junk.append(element)
        if element.tag in _BLOCKS or element is body:
            _settle(element, weight, survey)
        elif element.tag == "a":
            weight = _Weight(text=weight.text, links=weight.text, anchors=1)
        if stack:
            _add(stack[-1], _Weight() if is_junk else weight, _length(element.tail))
    return survey


def _settle(element: Any, weight: _Weight, survey: _Survey) -> None:
    weight.prose += weight.line if weight.line >= _LINE else 0
    weight.line = 0
    survey.weights[element] = weight
    is_list = element.tag in {"ul", "ol", "div", "section", "table"} and weight.anchors >= 3 and not weight.prose
    if is_list and weight.links > _LINK_SHARE * weight.text and not _in_references(element):
        survey.linky.append(element)


def _add(parent: _Weight, weight: _Weight, tail: int) -> None:
    parent.text += weight.text + tail
    parent.links += weight.links
    parent.prose += weight.prose
    parent.anchors += weight.anchors
    parent.line += weight.line + tail


def _length(text: str | None) -> int:
    return len(text.strip()) if text else 0


def _is_junk(element: Any) -> bool:
    tag, role = str(element.tag), element.get("role") or ""
    name = f"{element.get('class') or ''} {element.get('id') or ''} {role} {element.get('epub:type') or ''}"
    if tag in _BESIDE:
        return tag in {"nav", "menu"} or not (_NOTES.search(name) or _in_article(element, tag))
    if role in _ROLES or element.get("hidden") is not None or _HIDDEN.search(element.get("style") or ""):
        return "math" not in name
    return tag not in {"body", "main", "article"} and any(_JUNK.fullmatch(word) for word in _words(element, tag))


def _in_article(element: Any, tag: str) -> bool:
    """Tell whether a header stands in an article: then it has the title and the authors."""
    return tag == "header" and next(element.iterancestors("article", "main"), None) is not None


def _words(element: Any, tag: str) -> Iterator[str]:
    yield from (element.get("class") or "").split()
    if tag in {"div", "ul", "ol", "table", "td"}:  # the id of a section is that of its heading: "related" work
        yield from (element.get("id") or "").split()


def _in_references(element: Any) -> bool:
    for ancestor in (element, *element.iterancestors()):
        name = f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}".lower()
        if "bib" in name or "reference" in name:
            return True
    return False


def _drop(element: Any) -> None:
    """Take an element out of the tree; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    apart = " " if element.tag in _BLOCKS else ""
    tail = f"{apart}{element.tail or ''}"
    before = element.getprevious()
    if before is None:
        parent.text = (parent.text or "") + tail
    else:
        before.tail = (before.tail or "") + tail
    parent.remove(element)
