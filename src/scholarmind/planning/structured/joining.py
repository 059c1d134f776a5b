"""Put names together again that hold words of their own: University of Washington, mixture of experts, 混合专家, 掩码语言模型."""

from collections.abc import Sequence

from scholarmind.planning.structured.pieces import Piece
from scholarmind.text.language import lazy_regex

_PLACE = lazy_regex(
    r"(?:University|Institute|Academy|Association|Conference|Journal|Transactions|School|College|Department|Cent(?:er|re)|Bank"
    r"|Laborator(?:y|ies))$"
)
_HAN = r"[\u3400-\u9fff]"
_ENDS_HAN = lazy_regex(rf"{_HAN}$")
_BEGINS_HAN = lazy_regex(rf"^{_HAN}")
_APART = frozenset("的和与、或是被由在把将，有了过都跟及各")  # single characters that names are not made of
_LAST = frozenset("家间样位")  # that may end a name
_OF_TERMS = frozenset(("method", "institution", "task", "dataset"))  # nouns that terms end with


def joined(pieces: Sequence[Piece], text: str, *, chinese: bool) -> list[Piece]:
    """Return the pieces with such names whole."""
    return _chinese(pieces, text) if chinese else _english(pieces, text)


def _english(pieces: Sequence[Piece], text: str) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        if len(found) > 1 and piece.tag == found[-2].tag == "name" and _is_of(found[-1], found[-2], piece):
            found[-2:] = [_from(found[-2], piece, text)]
        elif not (found and _only_says_what(found[-1], piece)):
            found.append(piece)
    return found


def _only_says_what(name: Piece, piece: Piece) -> bool:
    """Tell whether a word only says of what sort the name before it is: the Transformer architecture."""
    behind = piece.tag == "kind" and name.tag == "name" and piece.start == name.end + 1
    return behind and name.text[:1].isupper() and not piece.text.endswith("s")


def _is_of(between: Piece, left: Piece, right: Piece) -> bool:
    if between.text == "of" and left.text.islower() and right.text.islower():
        return True
    return between.text in {"of", "for"} and bool(_PLACE.search(left.text))


def _chinese(pieces: Sequence[Piece], text: str) -> list[Piece]:
    found: list[Piece] = []
    others = sum(piece.tag in {"kind", "who"} for piece in pieces) > 1
    for place, piece in enumerate(pieces):
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        if found and _goes_on(found[-1], piece, following, others=others):
            found[-1] = _from(found[-1], piece, text)
        else:
            found.append(piece)
    return found


def _goes_on(name: Piece, piece: Piece, following: Piece | None, *, others: bool) -> bool:
    """Tell whether a piece belongs to the name before it."""
    if name.tag != "name" or name.value or name.end != piece.start or not _ENDS_HAN.search(name.text):
        return False
    if piece.tag == "kind":
        return others and piece.value in _OF_TERMS
    between = following is not None and following.tag == "name" and following.start == piece.end
    inner = between and bool(_BEGINS_HAN.match(following.text)) if following else False
    small = piece.tag == "quiet" and len(piece.text) == 1 and piece.text not in _APART
    return piece.tag == "name" or (small and (inner or piece.text in _LAST))


def _from(first: Piece, last: Piece, text: str) -> Piece:
    return Piece(tag="name", value="", text=text[first.start : last.end], start=first.start, end=last.end)
