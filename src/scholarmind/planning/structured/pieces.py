"""Cut a question into pieces: words that say what is counted, ordered or related, and between them names and topics."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Tag = Literal[
    "stop",  # asks for what no counting answers
    "soft",  # the same, but where numbers that contradict each other are asked for
    "unless",  # what follows is excepted, and what stands in `value` ends that
    "count",
    "most",
    "first",  # value: first, latest
    "best",  # value: highest, lowest
    "rank",
    "lineage",  # value: after, for what came later
    "common",
    "both",
    "together",
    "each",
    "yearly",
    "conflict",
    "result",
    "metric",
    "who",
    "where",
    "asks",
    "kind",  # value: a kind of node
    "says",  # value: a relation
    "number",
    "and",
    "or",
    "topic",  # what stands before a topic
    "by",
    "of",  # any other preposition
    "library",
    "quiet",  # says nothing of what is asked
    "name",
]
_FOLDER = "scholarmind.planning.structured"
_LINE = re.compile(r"(?P<tag>[a-z]+)(?: (?P<value>\S+))?\s{2,}(?P<said>\S.*)")
_QUOTED = re.compile(r"[“\"「『《](?P<inner>[^”\"」』》]{2,200})[”\"」』》]")
_OWNER = re.compile(r"['’]s(?!\w)")
_AROUND = " \t\r\n,;:.?!，。；：、？！'’()（）"
_SHOUTED = 0.6  # of the letters: then capitals tell nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a question, and what it says; of a name the value is `quoted` where it stands in quotation marks."""

    tag: Tag
    value: str
    text: str
    start: int
    end: int


class Cutter:
    """Cuts questions of one language by what its words say, which stands in a file beside this one, the first before the next."""

    def __init__(self, name: str, *, spaced: bool) -> None:
        """Read the file; words of a `spaced` language have white space around them."""
        lines = (files(_FOLDER) / name).read_text(encoding="utf-8").splitlines()
        said = [match for line in lines if (match := _LINE.fullmatch(line)) and not line.startswith("#")]
        self._meanings: list[tuple[Tag, str]] = [(_tag(match), match["value"] or "") for match in said]
        before, behind = (r"(?<![\w#\-])(?:", r")(?![\w\-]|['’][a-rt-z])") if spaced else ("(?:", ")")
        patterns = "|".join(f"(?P<g{number}>{match['said']})" for number, match in enumerate(said))
        self._said = re.compile(f"{before}{patterns}{behind}", re.IGNORECASE)
        self._spaced = spaced

    def cut(self, text: str) -> list[Piece]:
        """Return the pieces in their order."""
        found, reach = list[Piece](), 0
        for piece in self._known(text):
            found += [*_names(text, reach, piece.start), piece]
            reach = piece.end
        return [*found, *_names(text, reach, len(text))]

    def _known(self, text: str) -> Iterator[Piece]:
        quoted = {match.start(): match for match in _QUOTED.finditer(text)}
        shouted = sum(map(str.isupper, text)) > _SHOUTED * sum(map(str.isalpha, text))
        place = 0
        while place < len(text):
            if inner := quoted.get(place):
                yield Piece(tag="name", value="quoted", text=inner["inner"], start=place, end=inner.end())
                place = inner.end()
                continue
            match = self._said.match(text, place)
            piece = self._piece(match) if match and match.end() > place else None
            if piece and (shouted or self._is_word(piece, text)):
                yield piece
                place = piece.end
            else:
                place += 1

    def _piece(self, match: re.Match[str]) -> Piece:
        tag, value = self._meanings[int((match.lastgroup or "g0")[1:])]
        return Piece(tag=tag, value=value, text=match[0], start=match.start(), end=match.end())

    def _is_word(self, piece: Piece, text: str) -> bool:
        """Tell whether it is not part of a name: a capital within a sentence is one's, and so are letters beside letters."""
        if self._spaced:
            named = piece.text[0].isupper() and bool(text[: piece.start].strip(_AROUND))
            return not named or piece.tag == "metric" or (piece.tag == "unless" and piece.text.isupper())
        before, behind = text[: piece.start][-1:], text[piece.end :][:1]
        glued = (_is_letter(before) and _is_letter(piece.text[0])) or (
            _is_letter(behind) and _is_letter(piece.text[-1])
        )
        return not glued


@cache
def cutter_for(*, chinese: bool) -> Cutter:
    """Return the cutter of a language."""
    return Cutter("chinese.txt", spaced=False) if chinese else Cutter("english.txt", spaced=True)


def _tag(match: re.Match[str]) -> Tag:
    return match["tag"]  # pyright: ignore[reportReturnType]


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _names(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yield what stands there, cut where one name owns another: RoBERTa's GLUE score."""
    for owner in _OWNER.finditer(text, start, end):
        yield from _names(text, start, owner.start())
        yield Piece(tag="of", value="", text=owner[0], start=owner.start(), end=owner.end())
        start = owner.end()
    bare = text[start:end].strip(_AROUND)
    if any(map(str.isalnum, bare)):
        begin = text.index(bare, start)
        yield Piece(tag="name", value="", text=bare, start=begin, end=begin + len(bare))
