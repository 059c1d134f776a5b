"""Titles among thousands that may be like a given one: by their letters, else by the rare words that they share. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from scholarmind.text.likeness import Title

_RARE_WORDS = 8
_MOST_PLACES = 400  # that are looked through for one word
_MOST_FOUND = 12
_MOST_SAME = 50
_SHORTEST_WORD = 4
_END = 12  # letters at either end, for titles whose words are glued together


class TitleIndex:
    """Finds the titles that are worth comparing; `likeness` decides."""

    def __init__(self, titles: Sequence[Title]) -> None:
        self._letters: dict[str, list[int]] = {}
        self._words: dict[str, list[int]] = {}
        for place, title in enumerate(titles):
            for form in {title.letters, *(part.letters for part in title.parts)}:
                self._letters.setdefault(form, []).append(place)
            for word in _words(title):
                self._words.setdefault(word, []).append(place)

    def same(self, title: Title) -> list[int]:
        """Return the titles that are the same but for signs, case, and a subtitle."""
        forms = {title.letters, *(part.letters for part in title.parts)} - {""}
        return sorted({place for form in forms for place in self._letters.get(form, ())[:_MOST_SAME]})

    def near(self, title: Title) -> list[int]:
        """Return the titles that share the rarest words, those first that share the most."""
        rare = sorted((word for word in _words(title) if word in self._words), key=lambda word: len(self._words[word]))
        shared = Counter(_placed(self._words[word] for word in rare[:_RARE_WORDS]))
        return [place for place, _ in shared.most_common(_MOST_FOUND)]


def _placed(lists: Iterable[Sequence[int]]) -> Iterator[int]:
    for places in lists:
        yield from islice(places, _MOST_PLACES)


def _words(title: Title) -> set[str]:
    letters = title.letters
    if title.native:
        return {letters[place : place + 2] for place in range(len(letters) - 1)}
    words = {word for word in title.words if len(word) >= _SHORTEST_WORD}
    if len(letters) >= _END:
        words |= {f"<{letters[:_END]}", f"{letters[-_END:]}>"}
    return words or set(title.words)
