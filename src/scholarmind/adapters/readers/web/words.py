"""The running text of an element: what its signs, formulas, marks and notes are in plain characters."""

import re
from collections.abc import Iterator
from typing import Any

from scholarmind.adapters.readers.composition import flowed
from scholarmind.adapters.readers.xml import etree

SILENT = frozenset(
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
    return flowed("".join(pieces_of(element)))


def pieces_of(element: Any) -> Iterator[str]:
    """Yield the text of an element as it comes, without the text behind it."""
    walker = etree().iterwalk(element, events=("start", "end"))
    for event, inner in walker:
        if event == "start":
            special = special_text(inner)
            if special is None:
                yield f" {inner.text or ''}" if inner.tag in _WITH_SPACE else inner.text or ""
            else:
                walker.skip_subtree()
                yield special
        else:
            yield " " if inner.tag in _WITH_SPACE else ""
            yield (inner.tail or "") if inner is not element else ""


def special_text(element: Any) -> str | None:
    """Return what stands for an element that is not read by its children: '' if nothing does. None for all others."""
    tag = element.tag.rpartition(":")[2]
    if tag == "math":
        return _math(element)
    if tag == "script" and (element.get("type") or "").startswith("math/"):
        return element.text or ""
    if tag in SILENT or not _SILENT_CLASSES.isdisjoint((element.get("class") or "").split()):
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
