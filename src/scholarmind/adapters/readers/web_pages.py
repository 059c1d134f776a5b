"""HTML as text: a page as a tree, and what of it is written out as paragraphs, sections and regions."""

import codecs
import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scholarmind.adapters.readers.composition import Composition, GridCell, clean, column_names, decode, flowed, line_of
from scholarmind.adapters.readers.containers import etree
from scholarmind.errors import ReadError
from scholarmind.identity import letters_of
from scholarmind.model import RegionKind
from scholarmind.text.section_names import names_abstract, names_references

# -- from the bytes of a web page to its tree, within bounds of memory, time and depth, and to the part of the tree that is its text

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
    # go down as long as one child has nearly all of the prose
    element = marked if marked is not None else body
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
            weight.prose += weight.line if weight.line >= _LINE else 0
            weight.line = 0
            survey.weights[element] = weight
            is_list = (
                element.tag in {"ul", "ol", "div", "section", "table"} and weight.anchors >= 3 and not weight.prose
            )
            if is_list and weight.links > _LINK_SHARE * weight.text and not _in_references(element):
                survey.linky.append(element)
        elif element.tag == "a":
            weight = _Weight(text=weight.text, links=weight.text, anchors=1)
        if stack:
            _add(stack[-1], _Weight() if is_junk else weight, _length(element.tail))
    return survey


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


# -- writes the tree of a page out as paragraphs, sections and regions. Walks: however deep a page is, nothing calls itself

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
        # the formula as its author wrote it, where the page still knows that
        text = element.get("alttext") or ""
        if not text:
            for note in element.iter("annotation", "m:annotation"):
                if "tex" in (note.get("encoding") or "").lower():
                    text = note.text or ""
        text = flowed(text.replace("%\n", "")) or " ".join("".join(element.itertext()).split())
        display = _DISPLAY_STYLE.fullmatch(text)
        return display[1].strip() if display else text
    if tag == "script" and (element.get("type") or "").startswith("math/"):
        return element.text or ""
    if tag in _SILENT or not _SILENT_CLASSES.isdisjoint((element.get("class") or "").split()):
        return ""
    if tag == "sup":
        return _raised(element)
    if tag == "img":
        name = (element.get("class") or "").lower()
        return element.get("alt") or "" if any(sign in name for sign in ("math", "tex", "equation")) else ""
    return None


def _raised(element: Any) -> str | None:
    """Return a power with its sign, a mark of a reference in brackets, and no mark of a footnote."""
    text = "".join(element.itertext()).strip()
    link = next(element.iter("a"), None)
    if link is not None:
        if text.startswith(("[", "(")):
            return text
        if _NUMBERS.fullmatch(text) and _TO_REFERENCE.search(link.get("href") or ""):
            return f" [{text}]"
        return "" if len(text) <= _LONGEST_MARK else None  # a tag that was left open holds more than a mark
    before = element.getprevious()
    said = (
        (element.getparent().text if before is None else before.tail) or "" if element.getparent() is not None else ""
    )
    if _POWER.fullmatch(text) and said[-1:].isalnum() and text not in {"st", "nd", "rd", "th", "TM"}:
        return f"^{text}"
    if _NUMBERS.fullmatch(text) and said[-1:].strip():  # behind a full stop, or several: marks of references
        return f"^{text}" if text.isdigit() else f"^{text}^"
    return None


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
_WRITTEN_BLOCKS = frozenset(
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
                tag = element.tag
                if tag == "br":
                    self._line.append("\n")
                if tag in _WRITTEN_BLOCKS and _ONE_LINE.isdisjoint((element.get("class") or "").split()):
                    self._end_line(is_item=tag in _ITEMS)
                    kind = self._mark(element)
                    if kind is not None and kind != self._kind:
                        self._end_list()
                        self._end_region()
                        self._kind, self._level = kind, 0
                        self._begun.append(element)
                    if tag in _LISTS:
                        if not self._depth:
                            self._items = []
                        self._depth += 1
                        self._counts.append(0 if element.tag == "ol" and self._kind == "references" else -1)
                    if tag == "li" and self._counts and self._counts[-1] >= 0:
                        self._counts[-1] += 1
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
            self._end_list()
            title, level = _SIGNS.sub("", words_of(element)), _HEADINGS[element.tag] + self._below
            said, self._known = self._known, ""
            if title and said != letters_of(title):
                kind: RegionKind | None = (
                    "references" if names_references(title) else "abstract" if names_abstract(title) else None
                )
                # whether what was begun goes on behind a heading of this level
                if kind is None and self._kind is not None and (bool(self._begun) or level > self._level > 0):
                    kind = self._kind
                self._end_region()
                self._to.heading(level, title)
                if kind is not None:
                    self._kind, self._level = kind, level
        elif tag == "pre":
            for line_break in list(element.iter("br")):
                line_break.tail = "\n" + (line_break.tail or "")
            self._apart([], None, "".join(element.itertext()))
        elif tag in {"figcaption", "caption"} or "ltx_caption" in (element.get("class") or ""):
            self._apart([words_of(element)], "caption")
        elif tag == "table" and _is_data(element):
            self._table(element)
        elif _NOTE.issubset((element.get("class") or "").split()):
            self._notes.append(words_of(element))
        else:
            return False
        return True

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in _WRITTEN_BLOCKS and _ONE_LINE.isdisjoint((element.get("class") or "").split()):
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

    def _mark(self, element: Any) -> RegionKind | None:
        names = f"{element.get('class') or ''} {element.get('role') or ''} {element.get('epub:type') or ''}".split()
        return next((_MARKS[name] for name in names if name in _MARKS), None)

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
