"""Evidence made by hand."""

from collections.abc import Iterable

from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.text.language import language_of


def passage(
    text: str,
    *,
    title: str = "",
    id: str = "",
    start: int = 0,
    position: int = 0,
    section: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    found_by: Iterable[str] = (),
) -> Evidence:
    """Return one passage of a document."""
    document = Document(id=id or title or "d", title=title, metadata={"aliases": aliases})
    piece = Passage(
        text=text, start=start, end=start + len(text), position=position, section=section, language=language_of(text)
    )
    return Evidence(passage=piece, document=document, scores=Scores(fused=1.0), found_by=frozenset(found_by))
