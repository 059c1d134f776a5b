"""How captions, items of lists, footnotes, entries of a table of contents, code and abstracts begin."""

import re
from collections.abc import Sequence

from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.adapters.readers.pdf.style import Printed, Style

_KINDS = (
    r"(?P<kind>(?:supplementary |extended data |online )?"
    r"(?:fig(?:ure|s?\.|\b)|table|tab\.|algorithm|listing|scheme|chart|plate|exhibit)|[图圖表]|算法)"
)
_CAPTION = re.compile(
    rf"{_KINDS}\s*(?P<number>[A-Z]?\.?\d{{1,3}}(?:[.\-–]\d{{1,3}})*[a-z]?|[IVXL]{{1,6}}|[A-Z]\b)(?:\s*(?P<sign>[:.．：|—–\-]|\)|$))?(?P<rest>.*)",
    re.IGNORECASE,
)
FIGURE = re.compile(r"(?:supplementary |extended data )?(?:fig|scheme|chart|plate|图|圖)", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff–—*\-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]|[（(](?:\d{1,2}|[a-zA-Z]|[ivx]{1,5})[)）]|[①-⑳]|\d{1,2}[、）])(?:\s+\S|(?=[\u3400-\u9fff]))"
)
_BULLET = re.compile(r"[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff]\s*\S")
MARKER = re.compile(
    r"[•·▪▫◦‣∙●○■□◆◇►▶➢✓\x80-\x9f\uf000-\uf0ff–—*\-]|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)）、]|\[\w{1,8}\]"
)
_NOTE = re.compile(r"(?:[*†‡§¶‖#∗⋆]{1,3}|[¹²³⁴-⁹⁰]{1,2}|\d{1,3}|[①-⑳])\s*(?=[A-Z\"“(（\u3400-\u9fffh])")
_SIGN_NOTE = re.compile(r"[*†‡§¶‖∗⋆¹²³⁴-⁹⁰]")
_LEADER = re.compile(r"(?:[.．·•]\s?){3,}|…{1,}|_{4,}")
_ENTRY_END = re.compile(r"(?:(?<=\s)|(?<=[.…·]))(?:[A-Z]?-?\d{1,4}|[ivxlc]{1,8})\s*$")
_ABSTRACT = re.compile(
    r"(?:(?i:a\s*b\s*s\s*t\s*r\s*a\s*c\s*t)(?:\s*[.:：—–\-]+\s*|\s+(?=[A-Z]))|[【\[]?\s*[摘概]\s*要\s*[】\]]?\s*[:：—]?\s*|"
    r"(?i:summary)\s*[:—–]\s*)(?=\S)"
)
_CODE = re.compile(
    r"(?:\d{1,3}\s*:\s)|.*[;{}]\s*$|(?:for|while|if|else|elif|return|def|class|import|from|end|function|procedure|repeat|until|input|output|require|ensure)\b"
    r"(?:.*(?:do|then|[:({])\s*$|:|\s*$)|return\b.{0,60}$|[\w.\[\]]+\s*(?:=|←|:=|\+=)\s*\S|(?:\$|>>>|#!?)\s?\S"
)
_EQUATION_NUMBER = re.compile(r"[(（]\s*[A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?\s*[)）]")


def begins_caption(text: str) -> bool:
    """Tell whether the words are those of a caption, with a sign behind the number."""
    found = _CAPTION.match(text)
    return found is not None and bool(found["sign"])


def is_caption(entry: Printed, style: Style) -> bool:
    """Tell a caption from a sentence that begins with "Figure 3": by the sign after the number, or by its letters."""
    found = _CAPTION.match(entry.line.text)
    if found is None:
        return False
    rest = found["rest"]
    if found["sign"] or not rest.strip():
        return not rest or rest[0].isspace() or found["kind"] in "图圖表" or not rest[0].isascii() or rest[0].isupper()
    other = abs(entry.line.size - style.size) > 0.4 or entry.line.bold != style.bold
    if found["kind"] in "图圖表":
        return rest[:1].isspace() and (other or not entry.full)
    return other and rest.lstrip()[:1].isupper() and entry.gap > 1.2


def is_item(text: str) -> bool:
    """Tell whether a list's item begins here."""
    return _ITEM.match(text) is not None or _BULLET.match(text) is not None


def is_note(line: TextLine) -> bool:
    """Tell whether a footnote begins here: with a raised mark, a sign, or a number before a capital."""
    if any(start == 0 for start, _ in line.raised):
        return True
    return _NOTE.match(line.text) is not None


def is_signed(line: TextLine) -> bool:
    """Tell whether the line begins with what only footnotes begin with."""
    return any(start == 0 for start, _ in line.raised) or _SIGN_NOTE.match(line.text) is not None


def has_leader(text: str) -> bool:
    """Tell whether dots lead to a page number."""
    return _may_end_entry(text) and _LEADER.search(text) is not None and _ENTRY_END.search(text) is not None


def is_entry(line: TextLine) -> bool:
    """Tell whether a line of a table of contents ends here: with a page number."""
    return _may_end_entry(line.text) and _ENTRY_END.search(line.text) is not None


def _may_end_entry(text: str) -> bool:
    """Tell quickly that no page number ends the line: few lines are looked at longer."""
    last = text.rstrip()[-1:]
    return last.isdecimal() or last in "ivxlc"


def is_set_off(line: TextLine) -> bool:
    """Tell whether the page number at the end stands apart from the words: behind dots or a gap."""
    return is_entry(line) and (len(line.cells) > 1 or has_leader(line.text))


def abstract_start(text: str) -> int:
    """Return where the abstract begins behind its name in the same line, or 0."""
    found = _ABSTRACT.match(text)
    return found.end() if found else 0


def code_lines(block: Sequence[Printed], place: int) -> int:
    """Return how many lines from here on are a program: three or more that mostly look like one."""
    if _CODE.match(block[place].line.text) is None:
        return 0
    end, good = place, 0
    while end < len(block) and (end == place or block[end].gap < 1.6):
        like = _CODE.match(block[end].line.text) is not None and not block[end].line.text.endswith((".", "。"))
        if not like and (end == place or _CODE.match(block[end - 1].line.text) is None or block[end].full):
            break
        good += like
        end += 1
    while end > place and _CODE.match(block[end - 1].line.text) is None:
        end -= 1
    return end - place if good > 3 and good >= 0.6 * (end - place) else 0


def is_equation(line: TextLine) -> bool:
    """Tell whether the cells of a line are a formula and its number."""
    return len(line.cells) > 1 and _EQUATION_NUMBER.fullmatch(line.text[line.cells[-1].start :].strip()) is not None
