"""Count nothing where somebody is asked about whom the library does not know: no node is called so, and no passage names them."""

import re

from scholarmind.library.relating.sighting import Sight
from scholarmind.planning.words import is_chinese
from scholarmind.ports import Retriever
from scholarmind.relations import Query, Relation, Tally
from scholarmind.text.analysis import fold

_NAME = re.compile(
    r"[A-Z]{2,}[\w-]*|[A-Z][\w.'’-]*[a-z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|de|la|van|der|von|of|the|for))*|[\u3400-\u9fff]{2,4}"
)
_BY: frozenset[Relation | None] = frozenset((None, "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_LOOKED_AT = 40  # passages


async def absent(query: Query, sight: Sight, retriever: Retriever) -> Tally | None:
    """Return that there is no such paper, if a question counts or lists those of a person, group or venue that is named nowhere."""
    if query.form not in {"count", "list"} or query.wanted != "paper" or query.relation not in _BY:
        return None
    for piece in query.about:
        if _NAME.fullmatch(piece) and not (await sight.subject(piece)).nodes and not await _is_named(piece, retriever):
            return Tally(
                row="",
                form="count",
                said=_said(piece, chinese=is_chinese(query.text)),
                columns=(),
                rows=(),
                items=("0",),
            )
    return None


async def _is_named(name: str, retriever: Retriever) -> bool:
    """Tell whether any passage, or what is known of its document, has the last word of a name."""
    last = fold(name).split()[-1]
    found = await retriever.search(name, _LOOKED_AT)
    texts = (
        " ".join((item.passage.text, item.document.title, *item.document.authors, item.document.source))
        for item in found.evidence
    )
    return any(last in fold(text) for text in texts)


def _said(name: str, *, chinese: bool) -> str:
    if chinese:
        return f"库中没有这样的论文：没有任何文献提到{name}。"
    return f"The library has no such papers: nothing in it names {name}."
