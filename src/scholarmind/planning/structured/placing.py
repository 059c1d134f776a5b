"""Where names and topics may stand in a question: what stands elsewhere is half a sentence that nothing accounts for."""

from collections.abc import Sequence

from scholarmind.planning.structured.pieces import Piece, Tag
from scholarmind.text.language import lazy_regex

NAMED = lazy_regex(r"[A-Z#]|[^\x00-\x7f]|[A-Za-z][\w\- ]*\d|\d\S*[A-Za-z]")  # there may be a name in it
_NO_PLACE: frozenset[Tag] = frozenset(
    ("asks", "who", "kind", "count", "name", "where", "result", "library", "most", "first")
)  # behind which no topic stands
_LEADS_TO_THE_END: frozenset[Tag] = frozenset(
    ("says", "topic", "conflict", "lineage", "common", "both", "and", "or", "unless", "by")
)  # in Chinese


def stands(loud: Sequence[Piece], place: int, *, chinese: bool) -> bool:
    """Tell whether the name or topic at a place among the pieces that say something stands where those may stand."""
    return _stands_in_chinese(loud, place) if chinese else _stands_in_english(loud, place)


def _stands_in_english(loud: Sequence[Piece], place: int) -> bool:
    """Tell whether an English topic stands behind a preposition or verb, or before a noun or verb; names may stand anywhere."""
    before, behind = loud[place - 1] if place else None, loud[place + 1 : place + 3]
    if all(map(NAMED.search, loud[place].text.split())):
        return True
    if before and before.value == "wh" and not (behind and behind[0].tag == "kind"):
        return False  # which composer
    if (before and before.tag not in _NO_PLACE) or (behind and behind[0].tag in {"says", "kind", "common", "result"}):
        return True
    return len(behind) > 1 and behind[0].tag in {"and", "or"} and behind[1].tag == "name"


def _stands_in_chinese(loud: Sequence[Piece], place: int) -> bool:
    """Tell the same of a Chinese one: at the end it is the object of a verb that is known."""
    before = next((piece for piece in reversed(loud[:place]) if piece.text != "的"), None)
    return place + 1 < len(loud) or before is None or before.tag in _LEADS_TO_THE_END
