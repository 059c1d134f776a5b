"""Words of others, shown so that they cannot be taken for what this program says: no citation and no status mark of ours stands in them.

Ours are `[Author, year]`, `[Title]`, `[P1]` and ✓ ✗ † ~ – before or behind what they judge. Where a document, a question, a title or a
model has such a thing, its brackets become ‹ › and the mark stands in them: `‹Realman, 1901› ‹✓› verified`. What is no citation stays:
[12], [CLS], arr[i]. In Markdown nothing of them becomes a link by itself.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

_OPENING = "[［【〔〖〘〚⟦❲﹝⁅⦋⦍⦏⌊⌈⎡⎣"  # what looks like a square bracket
_CLOSING = "]］】〕〗〙〛⟧❳﹞⁆⦌⦎⦐⌋⌉⎤⎦"
NO_BRACKETS = str.maketrans(dict.fromkeys(_OPENING, "(") | dict.fromkeys(_CLOSING, ")"))
_SQUARE = "[［"  # in which titles stand; lenticular ones are headings of Chinese texts
_BRACKET = re.compile(f"[{re.escape(_OPENING + _CLOSING)}]")
BRACKETS = re.compile(rf"[{re.escape(_OPENING)}]([^{re.escape(_OPENING + _CLOSING)}]{{1,300}})[{re.escape(_CLOSING)}]")
_LONGEST, _LONGEST_OPEN = 300, 60  # characters in brackets; behind one that is not closed

_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0*_`\\")  # blank letters, and what Markdown takes away
_PASSAGE = re.compile(r"\W*P\s?\d{1,4}(?:\W+(?:P\s?)?\d{1,4})*\W*", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_DATED = re.compile(r"(?<!\d)\d{4}(?!\d)|\bn\.?\s?d\b|\bet al\b|等[，,]", re.IGNORECASE)
_TITLE = re.compile(r"[^\W\d_]{2,}\W+(?:\w+\W+)*?[^\W\d_]{2,}|[\u3400-\u9fff]{2}")
_INDEX = re.compile(r"[A-Za-z0-9_)\]]\Z")  # arr[row, column]

_ADDRESS = re.compile(r"(?<=[A-Za-z])://")
_HOST = re.compile(r"\b(www)\.", re.IGNORECASE)
_MAIL = re.compile(r"(?<=[\w.+-])@(?=[\w-]+\.)")

_SIGNS = "✓✔☑✅🗸🗹✗✘☒❌❎✕✖🗴🗵🗶🗷†‡✝"
_STATUS = (
    r"(?:verified|answered|partial|paraphrase|conflicting|not in the library|not confirmed|failed|unsupported|conclusion)\b"
    r"|(?:已核实|已验证|已证实|已回答|部分|改写|矛盾|资料库中没有|文档库中没有|未证实|未经证实|失败|结论)(?![\u3400-\u9fff])"
)
_STATUS_ALONE = re.compile(rf"\W*(?:{_STATUS})\W*", re.IGNORECASE)
_MARK = re.compile(
    rf"‹[{_SIGNS}]\ufe0f?›"  # shown so already
    rf"|(?P<sign>[{_SIGNS}]\ufe0f?)"
    rf"|(?<![^\s|\]］›)）。.!?！？])(?P<before>[~～∼〜≈≠–−])(?=\s*(?:{_STATUS}))"
    r"|(?<=[.!?。！？\]］›)）])(?P<behind>[~～∼〜])(?=\s|\Z)",
    re.IGNORECASE,
)


def disarmed(text: str) -> str:
    """Return the text of others without anything that looks like a citation or a status mark of ours. Twice is as good as once."""
    return _apply(text, list(_changes(text)), 0, len(text))


def disarmed_pieces(text: str, places: Sequence[int]) -> list[str]:
    """Return the same cut at these places of the text, in their order: what stands across one of them is changed as well."""
    changes = list(_changes(text))
    return [_apply(text, changes, start, end) for start, end in pairwise((0, *places, len(text)))]


def unlinked(markdown: str) -> str:
    """Return Markdown in which no address becomes a link by itself."""
    return _MAIL.sub("&#64;", _HOST.sub(r"\1&#46;", _ADDRESS.sub("&#58;//", markdown)))


def _apply(text: str, changes: Sequence[tuple[int, int, str]], start: int, end: int) -> str:
    pieces: list[str] = []
    for begin, stop, other in changes:
        if start <= begin < end:
            pieces += (text[start:begin], other)
            start = min(stop, end)
    return "".join((*pieces, text[start:end]))


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what has to be replaced, in order."""
    found: list[tuple[int, int, str]] = []
    for start, end in _pairs(text):
        if _is_like_ours(text, start, end):
            found.append((start, start + 1, "‹"))
            found += [(end, end + 1, "›")] if end < len(text) else []
    marks = ((mark, mark.lastgroup) for mark in _MARK.finditer(text))
    found += [(*mark.span(kind), f"‹{mark[kind]}›") for mark, kind in marks if kind]
    yield from sorted(found)


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where brackets open and close; one that is cut off at the end of the text closes there."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text):
        if match[0] in _OPENING:
            opened.append(match.start())
        elif opened and match.start() - (start := opened.pop()) <= _LONGEST:
            yield start, match.start()
    for start in opened:
        if len(text) - start <= _LONGEST_OPEN and text[start + 1 : start + 2].isalpha():
            yield start, len(text)


def _is_like_ours(text: str, start: int, end: int) -> bool:
    """Tell whether a bracket could be read as a citation, by what is to be seen of it."""
    inside = "".join(
        character
        for character in unicodedata.normalize("NFKC", text[start + 1 : end])
        if character not in _UNSEEN and (character.isspace() or unicodedata.category(character)[0] not in "MC")
    )
    if _PASSAGE.fullmatch(inside) or _STATUS_ALONE.fullmatch(inside):
        return True
    if _LETTER.search(inside) and _DATED.search(inside):
        return True
    is_title = end < len(text) and text[start] in _SQUARE and not _INDEX.search(text[max(0, start - 1) : start])
    return is_title and _TITLE.search(inside) is not None
