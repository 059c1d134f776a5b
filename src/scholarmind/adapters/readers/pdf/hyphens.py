"""How lines are joined: what becomes of a hyphen at the end of a line, and where no space belongs."""

import re
from collections import Counter
from collections.abc import Iterable

from scholarmind.adapters.readers.pdf.page import TextLine

_SOFT = "\u00ad\x02\ufffe"
_HYPHENS = "-\u2010" + _SOFT
_HYPHENED = tuple(_HYPHENS)
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_PLAIN = re.compile(r"[a-z]+(?:-[a-z]+)*")  # the same in ASCII, and quicker
_LAST = re.compile(r"([^\W_]+(?:[-\u2010][^\W_]+)*)[-\u2010\u00ad\x02\ufffe]+$")
_FIRST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_WIDE = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_ADDRESS = re.compile(r"(?:https?://|www\.|[\w\-]+\.[a-z]{2,}/|10\.\d{4,9}/)\S*$", re.IGNORECASE)
_MANY = 10_000
_LONGEST = 80  # letters of a word that is broken
_LONG = 4  # letters of a part that is a word by itself
_PREFIXES = frozenset(
    "non semi multi pre post co re anti real end fine large small all ex self well high low cross long short state".split()
)
_FRONT = frozenset("self well high low cross long short state".split())  # rarely the beginning of a longer word
_ENDINGS = ("ing", "en", "er", "ed", "ly", "est", "light", "itud", "land", "ward")
_SMALL_WORDS = frozenset("to of the in on at by and or a up out off".split())


class Words:
    """The words of a document: what a broken word is when it is whole shows elsewhere."""

    def __init__(self, lines: Iterable[TextLine]) -> None:
        self._seen: Counter[str] = Counter()
        words: list[str] = []
        for line in lines:
            text = line.text.casefold()
            found = _PLAIN.findall(text) if text.isascii() else _WORD.findall(text.replace("\u2010", "-"))
            # the last word may be half of one, and so may the first
            words += found[1:-1] if line.text.endswith(_HYPHENED) else found[1:]
            if len(words) > _MANY:  # not all at once: a long document has millions
                self._seen.update(words)
                words.clear()
        self._seen.update(words)

    def joint(self, above: str, below: str) -> tuple[int, str]:
        """Return how many characters the upper line loses at its end, and what stands between the two."""
        if not above or not below:
            return 0, ""
        if above[-1] in _HYPHENS:
            return self._hyphen(above, below)
        if above[-1] in "/_=&%.~" and not below[:1].isupper() and _is_address(above):
            return 0, ""
        if above[-1] in "—–" and not above[-2:-1].isspace():
            return 0, ""
        return 0, "" if _is_tight(above[-1], below[0]) else " "

    def _hyphen(self, above: str, below: str) -> tuple[int, str]:
        marks = len(above) - len(above.rstrip(_HYPHENS))
        if above[-1] in _SOFT:
            return marks, ""
        last, first = _LAST.search(above, max(0, len(above) - _LONGEST)), _FIRST.match(below)
        if last is None or first is None:
            return 0, " " if above[-2:-1].isspace() or not above[:-1] else ""
        if marks > 1 or _is_address(above):
            return 0, ""
        return (0 if self._is_real(last[1], first[0]) else marks), ""

    def _is_real(self, last: str, first: str) -> bool:
        """Tell whether the hyphen is part of the word."""
        if not first[0].islower() or not last[-1].islower():
            return first[0].isupper() or first[0].isdigit() or not last[-1].isalpha() or last.isupper()
        left, right = last.casefold().replace("\u2010", "-"), first.casefold().replace("\u2010", "-")
        compound, whole = self._seen[f"{left}-{right}"], self._seen[left + right]
        if compound or whole:
            return compound > whole
        part, rest = left.rpartition("-")[2], right.partition("-")[0]
        if self._seen[part + rest]:
            return False
        if part != left and (self._seen[part] or part in _SMALL_WORDS):  # "end-to-", "state-of-the-"
            return True
        if part in _FRONT and len(rest) >= _LONG and not rest.startswith(_ENDINGS):
            return True
        known = self._seen[rest] and (part in _PREFIXES or (self._seen[part] and min(len(part), len(rest)) >= _LONG))
        return bool(known)


def _is_address(text: str) -> bool:
    """Tell whether the last word of a line is one of the web, or a DOI."""
    return _ADDRESS.search(text.rsplit(maxsplit=1)[-1]) is not None


def _is_tight(last: str, first: str) -> bool:
    """Tell that no space belongs between two characters: between Chinese ones, and between these and brackets."""
    if last.isascii() and first.isascii():
        return False
    before, behind = bool(_WIDE.match(last)), bool(_WIDE.match(first))
    if before and behind:
        return True
    return (before and not first.isalnum()) or (behind and last in "/([<-)]>")
