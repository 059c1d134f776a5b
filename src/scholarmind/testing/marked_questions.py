"""Questions with marks that say how they come apart, as `scripts/marked_questions/README.md` describes them."""

import re
from itertools import pairwise

from scholarmind.ports import Anaphor, Marks, Span

_ANSWER = re.compile(r"#(\d+)")


class _MarkedLine:
    """What has been read of a line: the question so far, and what was opened in it."""

    def __init__(self) -> None:
        self.text = ""
        self.joints: list[int] = []
        self.telling: list[int] = []
        self.courtesy: list[Span] = []
        self.lists: list[list[Span]] = []
        self.descriptions: list[Span] = []
        self.pointers: list[tuple[Span, str]] = []
        self._opened: dict[str, list[int]] = {"~": [], "[": [], "{": []}

    def read(self, mark: str) -> None:
        """Take one character of the line."""
        at = len(self.text)
        if mark == "‖":
            self.joints.append(at)
        elif mark == "％":
            self.telling.append(at)
        elif mark == "~" and self._opened["~"]:
            self.courtesy.append((self._opened["~"].pop(), at))
        elif mark in self._opened:
            self._opened[mark].append(at)
        elif mark == "<":
            self.lists.append([])
        elif mark == "]":
            self.lists[-1].append((self._opened["["].pop(), at))
        elif mark == "}":
            self.descriptions.append((self._opened["{"].pop(), at))
        elif mark != ">":
            self.text += mark

    def point(self, said: str, meant: str) -> None:
        """Take words that point back, or none, and what they mean."""
        at = len(self.text)
        self.text += said
        self.pointers.append(((at, len(self.text)), meant))


def marked(line: str) -> tuple[str, Marks]:
    """Return the question of a marked line, and its marks."""
    reading = _MarkedLine()
    place = 0
    while place < len(line):
        if line[place] == "(":
            end = line.index(")", place)
            said, _, meant = line[place + 1 : end].partition("=")
            reading.point(said, meant.strip(" ，,"))
            place = end
        else:
            reading.read(line[place])
        place += 1
    ends = [0, *reading.joints, len(reading.text)]
    stretches = [(start, end) for start, end in pairwise(ends) if start < end]
    told = tuple(span for span in stretches if span[0] in reading.telling)
    asks = tuple(span for span in stretches if span not in told) or ((0, len(reading.text)),)
    return reading.text, Marks(
        asks=asks,
        background=told if len(told) < len(stretches) else (),
        courtesy=tuple(reading.courtesy),
        lists=tuple(map(tuple, reading.lists)),
        descriptions=tuple(sorted(reading.descriptions)),
        pointers=tuple(_pointer(reading.text, span, meant, len(asks)) for span, meant in reading.pointers),
    )


def _pointer(text: str, span: Span, meant: str, asks: int) -> Anaphor:
    """Return what a pointer means: an ask, words of the question, or neither."""
    if answer := _ANSWER.match(meant):
        return Anaphor(place=span, ask=int(answer[1]) - 1 if int(answer[1]) <= asks else None)
    at = text.rfind(meant, 0, span[0])
    at = text.find(meant) if at < 0 else at
    return Anaphor(place=span, words=(at, at + len(meant)) if meant and at >= 0 else None)
