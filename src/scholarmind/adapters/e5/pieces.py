"""Split text into the pieces that a unigram model finds likeliest, as SentencePiece does.

By hand, for the same reason as WordPiece beside it: the libraries that do it bring a hub client. Checked against the original's own
pieces in `tests/adapters/test_pieces.py`.
"""

import math
import re
import unicodedata
from array import array
from collections.abc import Iterator
from pathlib import Path

_BEGINS = "\N{LOWER ONE EIGHTH BLOCK}"  # stands before a word
_NOTHING = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_SPACE = re.compile(r"[\u200b-\u200f\u2028\u2029\ufeff\ufffd\u2581]")
_UNLIKELIER = 10.0  # than the least likely piece: a character that no piece has
_LONGEST_WORD = 400  # a run of characters without a space is cut here; Chinese has long ones
_REMEMBERED = 50_000


class Pieces:
    """The pieces with how likely they are; the split of a word is remembered."""

    start, end, unknown = 0, 2, 3

    def __init__(self, vocabulary: Path) -> None:
        self._ids: dict[str, int] = {}
        self._scores = array("d")
        with vocabulary.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines):
                piece, _, score = line.partition("\t")
                self._scores.append(float(score))
                if number > self.unknown:
                    self._ids[piece] = number
        self._longest = max(map(len, self._ids))
        self._worst = min(self._scores) - _UNLIKELIER
        self._words: dict[str, list[tuple[int, int]]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces, without marks."""
        return [number for word in _words(text) for number, _ in self._of(word)]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return where each of these pieces begins and ends in the text."""
        origins = [(start, end) for start, end, normal in _clusters(text) for letter in normal if not letter.isspace()]
        origins.append((len(text), len(text)))
        found: list[tuple[int, int]] = []
        begin = 0
        for word in _words(text):
            begins, start = int(word.startswith(_BEGINS)), 0
            for _, end in self._of(word):
                first, last = (min(begin + max(0, place - begins), len(origins) - 1) for place in (start, end))
                found.append((origins[first][0], origins[last - 1][1] if last > first else origins[first][0]))
                start = end
            begin += len(word) - begins
        return found

    def _of(self, word: str) -> list[tuple[int, int]]:
        if (known := self._words.get(word)) is None:
            known = self._split(word)
            if len(self._words) < _REMEMBERED:
                self._words[word] = known
        return known

    def _split(self, word: str) -> list[tuple[int, int]]:
        """Return the likeliest split, each piece with its end: the best way to each place, and then back along it."""
        best, back = [0.0] + [-math.inf] * len(word), [(0, self.unknown)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                total = best[start] + (self._worst if number is None else self._scores[number])
                if total > best[end]:
                    best[end], back[end] = total, (start, self.unknown if number is None else number)
        found: list[tuple[int, int]] = []
        place = len(word)
        while place:
            end = place
            place, number = back[place]
            if number != self.unknown or not found or found[-1][0] != self.unknown:  # a run of unknown ones is one
                found.append((number, end))
        return found[::-1]


def _clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each character with the marks that combine with it, as `_words` normalises it, and where it stands."""
    place = 0
    while place < len(text):
        end = place + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        yield place, end, unicodedata.normalize("NFKC", _SPACE.sub(" ", _NOTHING.sub("", text[place:end])))
        place = end


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", _SPACE.sub(" ", _NOTHING.sub("", text)))
    for word in plain.split():
        for start in range(0, len(word), _LONGEST_WORD):
            yield (_BEGINS if not start else "") + word[start : start + _LONGEST_WORD]
