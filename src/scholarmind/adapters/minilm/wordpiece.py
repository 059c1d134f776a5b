"""Split text into word pieces as BERT's uncased tokenizer does.

By hand, because the library that does it brings a hub client and a download cache into the default install.
Checked against it on thousands of texts in `tests/adapters/test_wordpiece.py`.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_MARKS = re.compile(
    r"(\[(?:CLS|SEP|UNK|PAD|MASK)\])"
)  # papers write of them; the library takes them for the marks themselves
_LONGEST_WORD = 100
_REMEMBERED_WORDS = 100_000


class WordPiece:
    """The vocabulary and the two caches that make it fast: replaced characters and split words."""

    def __init__(self, vocabulary: Path) -> None:
        words = vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n")
        self._ids = {word: number for number, word in enumerate(words)}
        self.start, self.end, self.unknown = (self._ids[token] for token in ("[CLS]", "[SEP]", "[UNK]"))
        self._characters = _CharacterMap()
        self._marks = {mark: [self._ids[mark]] for mark in ("[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]")}
        self._words = dict(self._marks)

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids with start and end marks, at most `limit` of them."""
        ids = [self.start]
        for word in self._words_of(text):
            ids += self._words.get(word) or self._split(word)
            if len(ids) >= limit:
                break
        return [*ids[: limit - 1], self.end]

    def _words_of(self, text: str) -> Iterator[str]:
        for piece in _MARKS.split(text) if "[" in text else (text,):
            if piece in self._marks:
                yield piece
            else:
                yield from piece.translate(self._characters).split()

    def _split(self, word: str) -> list[int]:
        ids: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            prefix, end = "##" if start else "", len(word)
            while end > start and prefix + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                break
            ids.append(self._ids[prefix + word[start:end]])
            start = end
        if start < len(word):
            ids = [self.unknown]
        if len(self._words) < _REMEMBERED_WORDS:
            self._words[word] = ids
        return ids


class _CharacterMap(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        replaced = self[code] = _replace(chr(code))
        return replaced


def _replace(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category == "Zs":
        return " "
    if category in {"Cc", "Cf", "Co", "Cs"} or character in "\0\ufffd":
        return ""
    if any(first <= ord(character) <= last for first, last in _CHINESE):
        character = unicodedata.normalize("NFD", character)
        return f" {character} "
    plain = "".join(c for c in unicodedata.normalize("NFD", character) if unicodedata.category(c) != "Mn").lower()
    return "".join(f" {c} " if _is_punctuation(c) else c for c in plain)


def _is_punctuation(character: str) -> bool:
    # ASCII symbols such as $ and + count as punctuation for BERT, others only by their category
    return unicodedata.category(character)[0] == "P" or (
        character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    )
