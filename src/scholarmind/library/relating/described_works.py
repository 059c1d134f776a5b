"""The one document that a question describes without naming it: "who wrote the paper on mason bees in apple orchards?"

It is told only where it is surely meant: the title of one found document alone holds all words of the description. What a passage
says in passing is no description of its document.
"""

from scholarmind import languages
from scholarmind.model import Evidence
from scholarmind.ports import Retriever
from scholarmind.relations import Query
from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN

_LOOKED_AT = 40  # passages
_LONGEST = 500
_MOST = 0.5


def description_in(question: str) -> str:
    """Return how a question for the authors of a work describes that; '' for any other question."""
    found = languages.of(question).pattern("statement.authors_of").search(question[:_LONGEST].strip())
    return next((text.strip() for text in found.groups() if text), "") if found else ""


async def authors_query(question: str, retriever: Retriever) -> Query | None:
    """Return the query for the authors of the document that a question describes; None where it is not sure which that is."""
    description = description_in(question)
    if not terms(description):
        return None
    found = (await retriever.search(description, _LOOKED_AT)).evidence
    titled = {_place(item): item.document.title for item in found if _holds(item.document.title, description)}
    if len(titled) != 1:
        return None
    return Query(form="list", wanted="author", text=question, relation="AUTHORED_BY", about=tuple(titled.values()))


def _holds(text: str, description: str) -> bool:
    """Tell whether a text has all words of a description; of Chinese, where words are not parted, all its signs and most pairs of them."""
    wanted, own = frozenset(terms(description)), frozenset(terms(text))
    if not HAN.search(description):
        return wanted <= own
    return set(HAN.findall(description)) <= set(text) and len(wanted & own) >= _MOST * len(wanted)


def _place(item: Evidence) -> tuple[str, str]:
    return item.document.collection, item.document.id
