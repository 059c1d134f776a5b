"""A sentence of a document with the names in it: what the rules read. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.graph.known import HAN
from scholarmind.graph.spotting import Spot

_HAN_CHARACTER = re.compile(rf"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z][\w.-]*")
_SAMPLE = 120


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence within a text, the names in it, and the heading that it stands under."""

    text: str
    start: int
    end: int
    spots: Sequence[Spot]
    heading: str = ""

    def between(self, start: int, end: int) -> str:
        """Return the characters of the sentence between two places of the text."""
        return self.text[max(start, self.start) : min(end, self.end)]

    def of(self, *kinds: str) -> list[Spot]:
        """Return the names of these kinds, in order."""
        return [spot for spot in self.spots if spot.kind in kinds]

    @property
    def is_chinese(self) -> bool:
        """Whether it is a Chinese sentence, whatever names stand in it, and not an English one with a Chinese name."""
        sample = self.text[self.start : min(self.end, self.start + _SAMPLE)]
        return len(_HAN_CHARACTER.findall(sample)) >= max(1, len(_LATIN_WORD.findall(sample)))
