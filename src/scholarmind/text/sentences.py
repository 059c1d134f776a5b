"""Where sentences end. Linear in the length of the text, whatever it holds."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"(?P<stop>(?<![.!?])[.!?]++[\"'”’)\]]*+)(?=\s)"  # a full stop counts only before white space
    r"|[。！？；…]+[”’」』）]*"
    r"|\n[ \t]*\n\s*"  # an empty line
    r"|\n(?=[ \t]*(?:[-*+•|>]|\d{1,3}[.)]|#{1,6}[ \t]))"  # a new list item, table row, quote or heading
)
_ABBREVIATIONS = frozenset(
    "al approx ca cf ch chap co corp dept dr ed eds eq eqs esp est etc fig figs inc jr ltd mr mrs ms no nos nr op p pp prof ref refs "
    "resp sec sect sr st tab univ vol vols vs".split()
)
_LOOK_BACK = 24


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences between `start` and `end`, trimmed of white space, none empty."""
    stop = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, stop):
        if match["stop"] == "." and not _ends_sentence(text, match.start(), match.end(), stop):
            continue
        yield from _trimmed(text, begin, match.end())
        begin = match.end()
    yield from _trimmed(text, begin, stop)


def _ends_sentence(text: str, dot: int, after: int, stop: int) -> bool:
    """Tell a full stop from the dot of an abbreviation, an initial or a list number."""
    following = text[after : min(after + 8, stop)].lstrip()[:1]
    if following.islower():
        return False
    word = text[max(0, dot - _LOOK_BACK) : dot].rpartition(" ")[2].lstrip("([\"'“‘\n\t")
    if not word.replace(".", "").isalpha():
        return True
    return not (word.lower() in _ABBREVIATIONS or "." in word or (len(word) == 1 and word.isupper() and word.isascii()))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    body = piece.strip()
    if body:
        first = start + len(piece) - len(piece.lstrip())
        yield first, first + len(body)
