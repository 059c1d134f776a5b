"""Which part of a page is its text: without menus, banners, cookie notices and the like."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scholarmind.adapters.readers.xml import etree

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
