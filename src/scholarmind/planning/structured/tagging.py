"""Cut a question into pieces with tags: words that say what is counted, ordered or related, and between them names and topics.

Names that hold words of their own are put together again. What the tags mean for the question is no matter of this module.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from scholarmind.text.language import lazy_regex

# -- pieces, and the cutter of each language

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
_PAIRS = ("()", "（）")
_SHOUTED = 0.6  # of the letters: then capitals tell nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPiece:
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

    def cut(self, text: str) -> list[QuestionPiece]:
        """Return the pieces in their order."""
        found, reach = list[QuestionPiece](), 0
        for piece in self._known(text):
            found += [*_names(text, reach, piece.start), piece]
            reach = piece.end
        return [*found, *_names(text, reach, len(text))]

    def _known(self, text: str) -> Iterator[QuestionPiece]:
        quoted = {match.start(): match for match in _QUOTED.finditer(text)}
        shouted = sum(map(str.isupper, text)) > _SHOUTED * sum(map(str.isalpha, text))
        place = 0
        while place < len(text):
            if inner := quoted.get(place):
                yield QuestionPiece(tag="name", value="quoted", text=inner["inner"], start=place, end=inner.end())
                place = inner.end()
                continue
            match = self._said.match(text, place)
            piece = self._piece(match) if match and match.end() > place else None
            if piece and (shouted or self._is_word(piece, text)):
                yield piece
                place = piece.end
            else:
                place += 1

    def _piece(self, match: re.Match[str]) -> QuestionPiece:
        tag, value = self._meanings[int((match.lastgroup or "g0")[1:])]
        return QuestionPiece(tag=tag, value=value, text=match[0], start=match.start(), end=match.end())

    def _is_word(self, piece: QuestionPiece, text: str) -> bool:
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


def _names(text: str, start: int, end: int) -> Iterator[QuestionPiece]:
    """Yield what stands there, cut where one name owns another: RoBERTa's GLUE score."""
    for owner in _OWNER.finditer(text, start, end):
        yield from _names(text, start, owner.start())
        yield QuestionPiece(tag="of", value="", text=owner[0], start=owner.start(), end=owner.end())
        start = owner.end()
    bare = text[start:end].strip(_AROUND)
    if any(map(str.isalnum, bare)):
        begin = text.index(bare, start)
        if any(
            bare.count(opens) > bare.count(shuts) and text[begin + len(bare) :][:1] == shuts for opens, shuts in _PAIRS
        ):
            bare = text[begin : begin + len(bare) + 1]
        yield QuestionPiece(tag="name", value="", text=bare, start=begin, end=begin + len(bare))


# -- names put together again: University of Washington, mixture of experts, 混合专家, 掩码语言模型

_NAMES_WITH_OF = lazy_regex(
    r"(?:University|Institute|Academy|Association|Conference|Journal|Transactions|School|College|Department|Cent(?:er|re)|Bank"
    r"|Laborator(?:y|ies))$"
)

_HAN = r"[\u3400-\u9fff]"
_ENDS_HAN = lazy_regex(rf"{_HAN}$")
_BEGINS_HAN = lazy_regex(rf"^{_HAN}")
_APART = frozenset("的和与、或是被由在把将，有了过都跟及各")  # single characters that names are not made of
_LAST = frozenset("家间样位")  # that may end a name
_OF_TERMS = frozenset(("method", "institution", "task", "dataset"))  # nouns that terms end with


def joined(pieces: Sequence[QuestionPiece], text: str, *, chinese: bool) -> list[QuestionPiece]:
    """Return the pieces with such names whole."""
    return _joined_chinese(pieces, text) if chinese else _joined_english(pieces, text)


def _joined_english(pieces: Sequence[QuestionPiece], text: str) -> list[QuestionPiece]:
    found: list[QuestionPiece] = []
    for piece in pieces:
        if len(found) > 1 and piece.tag == found[-2].tag == "name" and _is_of(found[-1], found[-2], piece):
            found[-2:] = [_piece_from(found[-2], piece, text)]
        elif not (found and _only_says_what(found[-1], piece)):
            found.append(piece)
    return found


def _only_says_what(name: QuestionPiece, piece: QuestionPiece) -> bool:
    """Tell whether a word only says of what sort the name before it is: the Transformer architecture."""
    behind = piece.tag == "kind" and name.tag == "name" and piece.start == name.end + 1
    return behind and name.text[:1].isupper() and not piece.text.endswith("s")


def _is_of(between: QuestionPiece, left: QuestionPiece, right: QuestionPiece) -> bool:
    if between.text == "of" and left.text.islower() and right.text.islower():
        return True
    return between.text in {"of", "for"} and bool(_NAMES_WITH_OF.search(left.text))


def _joined_chinese(pieces: Sequence[QuestionPiece], text: str) -> list[QuestionPiece]:
    found: list[QuestionPiece] = []
    others = sum(piece.tag in {"kind", "who"} for piece in pieces) > 1
    for place, piece in enumerate(pieces):
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        if found and _goes_on(found[-1], piece, following, others=others):
            found[-1] = _piece_from(found[-1], piece, text)
        else:
            found.append(piece)
    return found


def _goes_on(name: QuestionPiece, piece: QuestionPiece, following: QuestionPiece | None, *, others: bool) -> bool:
    """Tell whether a piece belongs to the name before it."""
    if name.tag != "name" or name.value or name.end != piece.start or not _ENDS_HAN.search(name.text):
        return False
    if piece.tag == "kind":
        return others and piece.value in _OF_TERMS
    between = following is not None and following.tag == "name" and following.start == piece.end
    inner = between and bool(_BEGINS_HAN.match(following.text)) if following else False
    small = piece.tag == "quiet" and len(piece.text) == 1 and piece.text not in _APART
    return piece.tag == "name" or (small and (inner or piece.text in _LAST))


def _piece_from(first: QuestionPiece, last: QuestionPiece, text: str) -> QuestionPiece:
    return QuestionPiece(tag="name", value="", text=text[first.start : last.end], start=first.start, end=last.end)


# -- where names and topics may stand: what stands elsewhere is half a sentence that nothing accounts for

NAMED = lazy_regex(r"[A-Z#]|[^\x00-\x7f]|[A-Za-z][\w\- ]*\d|\d\S*[A-Za-z]")  # there may be a name in it
_NO_PLACE: frozenset[Tag] = frozenset(
    ("asks", "who", "kind", "count", "name", "where", "result", "library", "most", "first")
)  # behind which no topic stands

_LEADS_TO_THE_END: frozenset[Tag] = frozenset(
    ("says", "topic", "conflict", "lineage", "common", "both", "and", "or", "unless", "by")
)  # in Chinese


def stands(loud: Sequence[QuestionPiece], place: int, *, chinese: bool) -> bool:
    """Tell whether the name or topic at a place among the pieces that say something stands where those may stand."""
    return _stands_in_chinese(loud, place) if chinese else _stands_in_english(loud, place)


def _stands_in_english(loud: Sequence[QuestionPiece], place: int) -> bool:
    """Tell whether an English topic stands behind a preposition or verb, or before a noun or verb; names may stand anywhere."""
    before, behind = loud[place - 1] if place else None, loud[place + 1 : place + 3]
    if all(map(NAMED.search, loud[place].text.split())):
        return True
    if before and before.value == "wh" and not (behind and behind[0].tag == "kind"):
        return False  # which composer
    if (before and before.tag not in _NO_PLACE) or (behind and behind[0].tag in {"says", "kind", "common", "result"}):
        return True
    return len(behind) > 1 and behind[0].tag in {"and", "or"} and behind[1].tag == "name"


def _stands_in_chinese(loud: Sequence[QuestionPiece], place: int) -> bool:
    """Tell the same of a Chinese one: at the end it is the object of a verb that is known."""
    before = next((piece for piece in reversed(loud[:place]) if piece.text != "的"), None)
    return place + 1 < len(loud) or before is None or before.tag in _LEADS_TO_THE_END
