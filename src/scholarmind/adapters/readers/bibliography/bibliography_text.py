"""The text of bibliographies: from bytes whose lines may have an encoding each, and from LaTeX as people write it, to plain Unicode.

Such files are pasted together from many places. Most texts have no LaTeX and are left as they are.
"""

import codecs
import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import cast

from scholarmind.adapters.readers.composition import clean, decode, read_text
from scholarmind.errors import ReadError

# -- bytes

_NAMED = re.compile(rb"%\s*Encoding:\s*([\w.-]{2,20})")  # JabRef's first line
_HEAD = 300
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAMAGED_SHARE = 0.1
_SHARE_IN_UTF8 = 0.1  # of the lines beyond ASCII; less than that happens by accident in other encodings


def read_source(path: Path, max_bytes: int) -> str:
    """Return the text of the file, its lines where they are in the file."""
    return read_text(path, max_bytes, _text)


def _text(content: bytes) -> str:
    if content.startswith(_BYTE_ORDER_MARKS):
        return decode(content)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return clean(_named(content) or _mixed(content))
    return decode(content)


def _named(content: bytes) -> str:
    """Return the text in the encoding that the file says it has, if it does and that is so."""
    found = _NAMED.search(content[:_HEAD])
    try:
        return content.decode(found[1].decode("ascii")) if found else ""
    except (LookupError, ValueError):
        return ""


def _mixed(content: bytes) -> str:
    """Read each line as UTF-8 where it is, and guess the encoding of the others together."""
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    texts: list[str | None] = [_in_utf8(line) for line in lines]
    others = [number for number, text in enumerate(texts) if text is None]
    foreign = sum(not line.isascii() for line in lines)
    if foreign - len(others) < _SHARE_IN_UTF8 * foreign:
        return decode(content)
    guessed = _guessed([lines[number] for number in others])
    for number, text in zip(others, guessed, strict=True):
        texts[number] = text
    return "\n".join(text or "" for text in texts)


def _in_utf8(line: bytes) -> str | None:
    """Return the line as UTF-8, perhaps with a character that was cut; None if it is something else."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = sum(not character.isascii() for character in text) - damaged
    return text if damaged <= _DAMAGED_SHARE * foreign else None


def _guessed(lines: list[bytes]) -> list[str]:
    try:
        texts = decode(b"\n".join(lines)).split("\n")
    except ReadError:
        texts = []
    return texts if len(texts) == len(lines) else [line.decode("cp1252", "replace") for line in lines]


# -- LaTeX

_SPECIAL = re.compile(r"[\\${}~&<]|--|``|''|[?!]`")
_ACCENTS = dict(zip("`'^~=u.\"rHvdckbhGU", map(chr, (
    0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C, 0x323, 0x327, 0x328, 0x331, 0x309, 0x30F, 0x30E,
)), strict=True))  # fmt: skip

_BASE = r"[^\W\d_][\u0300-\u036f]*"
_ACCENT = re.compile(
    rf"\\(?:([\"'`^~=.])\s*|([bcdGhHkruvU])(?=[\s{{])\s*)(?:\{{\s*\{{?({_BASE}|)\}}?([^{{}}\\]*)\}}|({_BASE}))"
)

_ACCENTS_ON_ACCENTS = 4
_LETTERS = {
    "ss": "ß", "SS": "ẞ", "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip

_LETTER = re.compile(r"\\(" + "|".join(sorted(_LETTERS, key=len, reverse=True)) + r")(?![A-Za-z])(?:\{\}|\s*)")
_DOTTED = str.maketrans("ıȷ", "ij")
# signs that have a meaning of their own stand aside under control characters until the end
_ASIDE = {"{": "\1", "}": "\2", "$": "\3", " ": "\4", "~": "\5", "-": "\6", "'": "\x0e", "`": "\x0f", "\\": "\x10"}

_BACK = {ord(mark): sign for sign, mark in _ASIDE.items()}
_CONTROL_MARKS = re.compile("[\1-\6\x0e-\x10]")
_ESCAPE = re.compile(r"\\([{}$%&_#\\ ,;:!/@\n-])")
_ESCAPED = {
    **{sign: _ASIDE[sign] for sign in "{}$ "},
    **{sign: sign for sign in "%&_#"},
    **dict.fromkeys("\\,;:\n", _ASIDE[" "]),
    **dict.fromkeys("!/@-", ""),
}

_MATH = re.compile(r"\$\$?([^$]{1,1000})\$\$?(?!\d)")
_MATH_MARK = re.compile(r"\\[()\[\]]")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_RAISED = re.compile(r"([\^_])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))")
_HIGH = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOW = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_RAISED_TEXT = re.compile(r"\\text(super|sub)script\s*\{([^{}]*)\}")
_VERBATIM = re.compile(r"\\(?:url|path|nolinkurl)\s*\{([^{}]*)\}")
_LINK = re.compile(r"\\href\s*\{[^{}]*\}")
_UNSEEN = re.compile(r"\\(?:footnote|thanks|cite[pt]?|label|noopsort|sortnoop|vspace|hspace)\*?\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(\{\}|(?=\s*\{)|\s*)")
_SWITCHES = frozenset(
    "bf bfseries displaystyle em emph it itshape left limits mathbb mathbf mathcal mathfrak mathit mathrm mathsf mathtt mbox mdseries "
    "normalfont operatorname protect relax right rm rmfamily sc scshape sf sffamily sl slshape small text textbf textit textmd textnormal "
    "textrm textsc textsf textsl texttt textup tt ttfamily underline upshape".split()
)

_KNOWN = {name: name for name in "BibTeX LaTeX LuaTeX TeX XeTeX".split()} | {
    "textasciicircum": "^",
    "textasciitilde": _ASIDE["~"],
    "textbraceleft": _ASIDE["{"],
    "textbraceright": _ASIDE["}"],
}

_SPACES = frozenset("newline linebreak par quad qquad space thinspace".split())
_LONGEST_COMMAND = 40
_SIGNS = (
    ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("?`", "¿"), ("!`", "¡"), ("~", " "), ("{", ""), ("}", ""),
)  # fmt: skip

_TAG = re.compile(
    r"</?(?:i|b|em|strong|su[bp]|span|scp?|p|div|br|tt|u|inf|(?:jats|mml):[\w-]+)(?:\s[^<>]*)?/?>", re.IGNORECASE
)

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*|\\par(?![A-Za-z])|</?(?:jats:)?p(?:\s[^<>]*)?>", re.IGNORECASE)
_ESCAPED_VERBATIM = re.compile(r"\\([_%&#${}~^-])(?:\{\})?")


def decode_latex(text: str) -> str:
    """Return the text in one line, without commands, braces and tags."""
    if _SPECIAL.search(text):
        text = untagged(_plain(text))
    return " ".join(text.split())


def paragraphs(text: str, decoded: Callable[[str], str] = decode_latex) -> str:
    """Return a longer text, its paragraphs one line each with a blank line between them."""
    return "\n\n".join(filter(None, (" ".join(decoded(part).split()) for part in _PARAGRAPH.split(text))))


def verbatim(text: str) -> str:
    """Return an address or a path, in which only escaped signs are LaTeX."""
    if "\\" in text or "{" in text or "$" in text:
        text = re.sub(r"\{?\\textasciitilde(?:\{\}|\s*)\}?", "~", text.replace(r"$\sim$", "~"))
        text = _VERBATIM.sub(r"\1", text)
        text = re.sub(r"\\textunderscore(?:\{\}|\s*)", "_", text)
        text = _ESCAPED_VERBATIM.sub(r"\1", text).replace("{", "").replace("}", "")
    return text.strip()


def untagged(text: str) -> str:
    """Return the text without the tags and character references that catalogues on the web put into titles."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return _TAG.sub("", text) if "<" in text else text


def accented(text: str) -> str:
    """Return the text with letters for the commands that write letters: accents in all their spellings, ß, ø ..."""
    text = _LETTER.sub(lambda found: _LETTERS[found[1]], text)
    for _ in range(_ACCENTS_ON_ACCENTS):
        text, changed = _ACCENT.subn(_composed, text)
        if not changed:
            break
    return text


def _plain(text: str) -> str:
    if "\\" in text or "$" in text:
        text = _ESCAPE.sub(lambda found: _ESCAPED[found[1]], _CONTROL_MARKS.sub(" ", text))
        text = _MATH.sub(_readable, _MATH_MARK.sub("$", text))
        text = accented(text)
        if "\\" in text:
            text = _without_commands(text)
    for sign, meant in _SIGNS:
        if sign in text:
            text = text.replace(sign, meant)
    return text.translate(_BACK) if _CONTROL_MARKS.search(text) else text


def _composed(found: re.Match[str]) -> str:
    accent = found[1] or found[2]
    base, rest = found[3] if found[5] is None else found[5], found[4] or ""
    if not base:  # `\~{}` is the sign itself
        return (_ASIDE.get(accent, accent) if found[1] else "") + rest
    letter = _letter(base, _ACCENTS[accent])
    if (
        accent == "'" and base.isascii() and (len(letter) > 1 or _is_irish(found))
    ):  # an apostrophe that a program escaped
        return f"'{base}{rest}"
    return letter + rest


def _letter(base: str, accent: str) -> str:
    """Return the letter with this accent, which may stand below others that it has already."""
    parts = unicodedata.normalize("NFD", base.translate(_DOTTED))
    above, below = (unicodedata.normalize("NFC", text) for text in (parts + accent, parts[0] + accent + parts[1:]))
    return min(above, below, key=len)


def _is_irish(found: re.Match[str]) -> bool:
    return (
        found[5] is not None
        and found[5].isupper()
        and found.string[max(0, found.start() - 1) : found.start()] in {"O", "D"}
    )


def _readable(found: re.Match[str]) -> str:
    """Return a formula as people would type it: `$\\mathcal{O}(n^2)$` as O(n²). Prices are no formulas."""
    inner = found[1]
    if inner != inner.strip() and "\\" not in inner:
        return found[0]
    if "\\" in inner:
        inner = _ROOT.sub(r"√\1", _FRACTION.sub(r"\1/\2", inner))
    inner = _RAISED.sub(_raised, inner)
    inner = _without_commands(inner) if "\\" in inner else inner
    return inner.replace("'", _ASIDE["'"]).replace("-", _ASIDE["-"]).replace("~", " ")


def _raised(found: re.Match[str]) -> str:
    sign, inner = found[1], found[2] if found[3] is None else found[3]
    moved = inner.translate(_HIGH if sign == "^" else _LOW)
    if moved != inner and not any(character in inner for character in moved if character not in "()"):
        return moved
    return f"{sign}{inner}"


def _without_commands(text: str) -> str:
    text = _VERBATIM.sub(_kept, text)
    text = _UNSEEN.sub("", _LINK.sub("", text))
    text = _RAISED_TEXT.sub(lambda found: found[2].translate(_HIGH if found[1] == "super" else _LOW), text)
    return _COMMAND.sub(_meant, text).replace("\\", "")


def _kept(found: re.Match[str]) -> str:
    return found[1].replace("-", _ASIDE["-"]).replace("~", _ASIDE["~"])


def _meant(found: re.Match[str]) -> str:
    name = found[1]
    if name in _SWITCHES:
        return ""
    if name in _SPACES:
        return _ASIDE[" "]
    sign = _KNOWN.get(name) or (_sign(name) if len(name) <= _LONGEST_COMMAND else "")
    if sign:
        return sign + ("" if found[2] == "{}" or name.startswith("text") else found[2])  # `\log n`, `\textquoteright s`
    takes_text = found.string[found.end() : found.end() + 1] == "{" or found[2] == "{}"
    return "" if takes_text else name + found[2]


@lru_cache(maxsize=4096)
def _sign(name: str) -> str:
    """Return the sign that a command stands for, which pylatexenc knows for some thousand of them; one at a time, for it is slow."""
    from pylatexenc.latex2text import (  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]
        LatexNodes2Text,
    )

    meant = cast("str", LatexNodes2Text().latex_to_text(f"\\{name}")).strip()  # pyright: ignore[reportUnknownMemberType]
    return "".join(_ASIDE.get(character, character) for character in meant) if meant.isprintable() else ""
