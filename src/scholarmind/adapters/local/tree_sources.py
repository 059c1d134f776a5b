"""What is known of the documents below a node of the tree, for its title: names, headings, key words, and who wrote them where."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scholarmind.adapters.local import records
from scholarmind.adapters.local.access import look_up
from scholarmind.adapters.local.database import Database
from scholarmind.model import Document
from scholarmind.naming import short_name
from scholarmind.relations import SummarySources
from scholarmind.text.analysis import terms

_MOST = 40  # documents, those with the most passages
_SECTIONS = "SELECT number, section FROM passages WHERE number IN ({})"
_DOCUMENTS = (
    f"SELECT {records.DOCUMENT_COLUMNS}, d.number FROM documents d "  # noqa: S608
    "JOIN collections c ON c.number = d.collection WHERE d.number IN ({})"
)
_SUBJECTS = ("keywords", "methods", "topics", "subjects", "tags")
_PLACES = ("groups", "institution", "institutions", "affiliation", "affiliations", "publisher")
_VENUES = ("venue", "journal", "booktitle")
_LONGEST_VENUE = 3  # words: the name of a conference in full has words that tell of subjects


def sources(database: Database, documents: Sequence[int], passages: Iterable[int]) -> SummarySources:
    """Return what is known of documents, each given once for each of its passages, and of the headings over some passages."""
    most = dict(Counter(documents).most_common(_MOST))
    known = {row[-1]: records.document_of(row) for row in look_up(database, _DOCUMENTS, sorted(most))}
    names, subjects, aside = Counter[str](), dict[str, frozenset[int]](), set[str]()
    for number, count in most.items():
        if number in known:
            names[short_name(known[number])] += count
            for subject in _values(known[number], _SUBJECTS):
                subjects[subject] = subjects.get(subject, frozenset()) | {number}
            aside.update(_people_and_places(known[number]))
    aside.difference_update(term for text in (*names, *subjects) for term in terms(text))
    headings = _headings(database, sorted(set(passages)), {document.title for document in known.values()} | set(names))
    return SummarySources(names=names, headings=headings, subjects=subjects, aside=frozenset(aside))


def _headings(database: Database, passages: Sequence[int], names: set[str]) -> Counter[str]:
    """Count the innermost headings; the name of a document is none."""
    paths = (json.loads(section) for _, section in look_up(database, _SECTIONS, passages))
    return Counter(path[-1] for path in paths if path and path[-1] not in names)


def _people_and_places(document: Document) -> Iterator[str]:
    for value in (*document.authors, *_values(document, _PLACES)):
        yield from terms(value)
    for value in (document.source, *_values(document, _VENUES)):
        if len(value.split()) <= _LONGEST_VENUE:
            yield from terms(value)


def _values(document: Document, fields: Sequence[str]) -> Iterator[str]:
    for field in fields:
        value = document.metadata.get(field)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str):
                yield one
