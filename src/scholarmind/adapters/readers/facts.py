"""From what a file says of itself in several places to one document."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.metadata import document, identifier_of
from scholarmind.model import Document, Fact, by_field
from scholarmind.text.names import printable

FILE_NAME = 0.2  # how sure a title is that is nothing but the name of the file


def with_file_name(facts: Iterable[Fact], path: Path) -> tuple[Fact, ...]:
    """Return the facts that say something, and the file's name as the last resort for a title."""
    named = Fact(field="title", value=printable(Path(path.stem)), source="file name", sure=FILE_NAME)
    return (*(fact for fact in facts if fact.value), named)


def document_of(facts: Sequence[Fact], path: Path, kind: str) -> Document:
    """Return the document with the surest value of each field."""
    fields: dict[str, Any] = {}
    for name, (fact, *_) in by_field(facts).items():
        fields[name] = list(fact.value) if isinstance(fact.value, tuple) else fact.value
    return document(fields, path, identifier=identifier_of(path), kind=kind)
