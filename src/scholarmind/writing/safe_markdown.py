"""Markdown that a model wrote, made safe: headings, bold, lists and tables stay; HTML, links, images and code do nothing.

It works on a text in pieces, as long as a piece does not end within a word.
"""

import re
import unicodedata

from scholarmind.text.quoted import unlinked

_SPECIAL = re.compile(r"[\\`_\[\]~{}]")
_ENTITY = re.compile(r"&(?=[#A-Za-z])")
_TAGS = str.maketrans({"<": "&lt;", ">": "&gt;"})
_INDENTED = re.compile(r"^[ \t]{4,}|^\t+", re.MULTILINE)  # would be code
_UNDERLINE = re.compile(r"^( {0,3})(?==)", re.MULTILINE)  # would make a heading of the line above
_KEPT_FORMATS = frozenset("\u200c\u200d")  # the joiners of Indian scripts and of emoji

_MARKERS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|\d{1,3}[.)][ \t]+|>[ \t]*)+")
_EMPHASIS = re.compile(r"(?<![\d*])\*{1,3}|\*{1,3}+(?!\d)|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|`+|~~")


def safe(markdown: str, *, begins_line: bool = True) -> str:
    """Return Markdown that formats text, and does nothing else."""
    if not begins_line:
        return safe(f"x{markdown}")[1:]
    visible = "".join(
        character
        for character in markdown.replace("\r\n", "\n").replace("\r", "\n")
        if character in "\n\t"
        or character in _KEPT_FORMATS
        or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")
    )
    flat = _ENTITY.sub("&amp;", _INDENTED.sub("   ", visible)).translate(_TAGS)
    plain = _UNDERLINE.sub(r"\1\\", _SPECIAL.sub(lambda match: "\\" + match[0], flat))
    return unlinked(plain)


def unmarked(markdown: str) -> str:
    """Return the words of a line without what formats them, to be compared with other words."""
    return " ".join(_EMPHASIS.sub("", _MARKERS.sub("", markdown)).split())
