"""Where the words that an answer rests on stand: citations made of passages."""

from collections.abc import Mapping

from scholarmind.answer import Citation
from scholarmind.model import Evidence


def citation_of(item: Evidence, start: int, end: int, quote: str, keys: Mapping[tuple[str, str], str]) -> Citation:
    """Return the citation of these words of a passage; `start` and `end` count in the document's text."""
    document, passage = item.document, item.passage
    return Citation(
        key=keys.get((document.collection, document.id)) or document.title or document.id,
        document=document.id,
        collection=document.collection,
        title=document.title,
        authors=document.authors,
        year=document.year,
        section=passage.section,
        page=passage.page_at(start),
        document_start=start,
        document_end=end,
        quote=quote,
    )
