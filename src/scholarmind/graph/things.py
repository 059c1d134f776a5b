"""The things that statements are about: how a document, its authors and what it names are called. Pure."""

import re

from scholarmind.model import Document
from scholarmind.naming import short_name
from scholarmind.relations import NodeKind, Thing

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
