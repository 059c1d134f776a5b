"""What a document's metadata and its list of references state, and how documents, authors and what they name are called in statements.

Pure. What its text states is in `rule_reading` and `result_extraction`.
"""

import re
from collections.abc import Iterator

from scholarmind.citing.citation_styles import person
from scholarmind.identity import short_name
from scholarmind.model import Document, Entry
from scholarmind.relations import NodeKind, Relation, Statement, Thing

# -- things that statements are about

LONGEST_NAME = 120  # characters; what is longer is no name
_MARKED = re.compile(r"[A-Z].*[A-Z]|[A-Za-z].*\d|\d.*[A-Za-z]")  # DistilBERT, GPT-2, S4
_PLAIN = re.compile(r"[A-Z][a-z]{3,19}$")  # Mamba
_HEADLINES = frozenset(
    "analysis announcement answer comment commentary conclusion correction corrigendum editorial erratum exclusive explained explainer"
    " foreword guide interview introduction letter live news notes obituary opinion overview perspective podcast preface preview primer"
    " proceedings question reply report response retraction review roundup summary survey tutorial update video watch week why".split()
)


def paper_of(document: Document) -> Thing:
    """Return the document itself. Its scope is its id, so that two of one title stay two."""
    return Thing(kind="paper", name=document.title or document.id, scope=document.id)


def author_of(document: Document, name: str) -> Thing:
    """Return an author of the document, who is nobody else until that is proven."""
    return Thing(kind="author", name=name, scope=document.id)


def thing(kind: NodeKind, name: str) -> Thing:
    """Return a thing whose name says all: a method, a data set, a metric, a task, a venue, a year, an institution."""
    return Thing(kind=kind, name=" ".join(name.split()))


def own_name(document: Document) -> str:
    """Return what a document calls its own contribution, by an alias or by a title such as "BERT: ..."; '' where it has none."""
    name = short_name(document)
    if name in {document.title, document.id} or len(name) > LONGEST_NAME or name.isdigit():
        return ""
    is_alias = any(document.metadata.get(field) for field in ("aliases", "alias"))
    return name if is_alias or _is_coined(name) else ""


def _is_coined(head: str) -> bool:
    """Tell whether what stands before the colon of a title is a name: "DistilBERT", "Mamba", not "Review" or "What we know"."""
    words = head.split()
    if len(words) == 1 and _PLAIN.match(head):
        return head.casefold() not in _HEADLINES
    return len(words) <= 3 and any(map(_MARKED.search, words)) and not any(map(str.islower, words))


# -- statements of metadata and references

_SAID = 0.98  # metadata are written by people, and wrong now and then
_TITLE_SAYS = 0.9
_GROUPS = ("groups", "group", "affiliations", "affiliation", "institutions", "institution", "school", "organization")
_VENUES = ("venue", "journal", "journaltitle", "booktitle", "container-title", "conference")
_NAMED: tuple[tuple[str, Relation, NodeKind], ...] = (
    ("methods", "USES", "method"),
    ("datasets", "USES", "dataset"),
    ("tasks", "ADDRESSES", "task"),
    ("task", "ADDRESSES", "task"),
)

_NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?|[-+]?\.\d+")
_MOST_AUTHORS = 10_000  # a list longer than any paper's is not one
_OTHERS = frozenset({"others", "et al", "et al.", "等"})


def metadata_statements(entry: Entry) -> Iterator[Statement]:
    """Yield what the fields of the document state of it, and of its method."""
    document = entry.document
    paper = paper_of(document)
    yield from _people(document, paper)
    venue = next((name for field in _VENUES for name in _names(document, field)), "")
    if venue:
        yield _stated("PUBLISHED_IN", paper, thing("venue", venue))
    if document.year is not None:
        yield _stated("PUBLISHED_IN", paper, thing("year", str(document.year)))
    yield from _contents(document, paper)
    for line in values_of(document, "results"):
        if statement := reported(line):
            yield statement


def reference_statements(entry: Entry) -> Iterator[Statement]:
    """Yield the works that the document's list of references names, with where it does."""
    paper = paper_of(entry.document)
    for reference in entry.references:
        if 0 < len(reference.title) <= 3 * LONGEST_NAME:
            cited = thing("paper", reference.title)
            yield _stated("CITES", paper, cited, 0.9, (reference.start, reference.end))


def values_of(document: Document, field: str) -> tuple[str, ...]:
    """Return the texts of a metadata field, one or several, each trimmed and not too long."""
    value = document.metadata.get(field)
    told = value if isinstance(value, tuple) else () if value is None else (value,)
    return tuple(text for text in (" ".join(str(each).split()) for each in told) if text)


def number_of(value: str) -> float | None:
    """Return the number of a value as it is written: 86.7 of "86.7%"."""
    match = _NUMBER.search(value)
    return float(match[0].replace(",", "")) if match else None


def reported(line: str) -> Statement | None:
    """Return what a line "method | data set | metric | value | setting" reports; nothing where a part of it is missing."""
    parts = [part.strip() for part in line.split("|")]
    if len(parts) < 4 or not all((*parts[:2], parts[3])):
        return None
    method, dataset, metric, value, *rest = parts
    return Statement(
        relation="REPORTS",
        source=thing("method", method),
        target=thing("dataset", dataset),
        confidence=_SAID,
        by="metadata",
        metric=metric,
        value=value,
        number=number_of(value),
        setting=", ".join(filter(None, rest)),
    )


def _people(document: Document, paper: Thing) -> Iterator[Statement]:
    for name in dict.fromkeys(document.authors[:_MOST_AUTHORS]):
        if name.strip() and name.strip().casefold() not in _OTHERS:
            yield _stated("AUTHORED_BY", paper, author_of(document, person(name).full))
    for field in _GROUPS:
        for name in _names(document, field):
            yield _stated("AFFILIATED_WITH", paper, thing("institution", name))


def _contents(document: Document, paper: Thing) -> Iterator[Statement]:
    name = own_name(document)
    if name:
        yield _stated("PROPOSES", paper, thing("method", name), _TITLE_SAYS)
    for field, relation, kind in _NAMED:
        for named in _names(document, field):
            yield _stated(relation, paper, thing(kind, named))
    source = thing("method", name) if name else paper
    for base in _names(document, "builds_on"):
        if base != name:
            # what is built on is improved on where a method of this paper's own can be named; else it is only used
            yield _stated("IMPROVES_ON" if name else "USES", source, thing("method", base), _TITLE_SAYS)


def _names(document: Document, field: str) -> Iterator[str]:
    return (name for name in values_of(document, field) if len(name) <= LONGEST_NAME)


def _stated(
    relation: Relation, source: Thing, target: Thing, confidence: float = _SAID, span: tuple[int, int] = (0, 0)
) -> Statement:
    by = "references" if relation == "CITES" else "metadata"
    start, end = span
    return Statement(
        relation=relation, source=source, target=target, confidence=confidence, by=by, start=start, end=end
    )
