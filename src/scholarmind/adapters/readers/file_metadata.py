"""From the loose fields that files carry, and from what a file says of itself in several places, to a Document."""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.front_authors import names_in
from scholarmind.model import Document, Fact, Value, by_field
from scholarmind.text.untrusted import printable

# -- loose fields

_NAMES = {
    "title": ("title",),
    "authors": ("authors", "author"),
    "year": ("year", "date", "published"),
    "source": ("source",),
    "language": ("language", "lang"),
    "kind": ("kind", "type"),
}

_MOST_FIELDS = 100
_MOST_NAMES = 5_000
_LONGEST_VALUE = 2_000
_DEEPEST = 5
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")


def document(
    fields: Mapping[str, Any], path: Path, *, identifier: str = "", title: str = "", kind: str = ""
) -> Document:
    """Return the document that these fields describe; what they leave open comes from the arguments."""
    authors = _names(next((fields[key] for key in _NAMES["authors"] if fields.get(key)), ()))
    flat = dict(_flat({key: value for key, value in fields.items() if key not in _NAMES["authors"]}))
    year = _year(flat)
    used = {"id", *(key for name in ("title", "source", "language", "kind") for key in _NAMES[name])}
    used |= {"year"} if year is not None and str(flat.get("year")) == str(year) else set()
    own = flat.get("id", "")
    return Document(
        id=str(own) if own != "" else identifier,
        title=_text(flat, "title") or title,
        authors=authors,
        year=year,
        source=_text(flat, "source"),
        origin=printable(path),
        language=_text(flat, "language").lower(),
        kind=_text(flat, "kind") or kind,
        metadata=dict(islice(((key, value) for key, value in flat.items() if key not in used), _MOST_FIELDS)),
    )


def identifier_of(path: Path) -> str:
    """Return a short id that people can type and that no two paths share."""
    name = re.sub(r"[^\w]+", "-", printable(Path(path.stem))).strip("-").lower()[:40]
    return f"{name}-{hashlib.sha256(bytes(path)).hexdigest()[:6]}".lstrip("-")


def _flat(fields: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    for key, value in fields.items():
        name = clean(f"{prefix}{key}")[:_LONGEST_VALUE]
        if isinstance(value, Mapping) and depth < _DEEPEST:
            yield from _flat(cast("Mapping[str, Any]", value), f"{name}.", depth + 1)
        elif isinstance(value, (list, tuple)):
            yield name, tuple(_scalar(item) for item in cast("list[Any]", value)[:_MOST_FIELDS] if item is not None)
        elif value is not None:
            yield name, _scalar(value)


def _scalar(value: Any) -> str | int | float | bool:
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 1 << 63):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and value.bit_length() > _LONGEST_VALUE:
        return "a number of many digits"  # Python refuses to write it out
    return clean(str(value))[:_LONGEST_VALUE]


def _names(value: Any) -> tuple[str, ...]:
    """Return names from a text, a list, or records with `name` or `given` and `family`."""
    if isinstance(value, str):
        found: list[Any] = re.split(r"\s*[;；、]\s*|\s*,?\s+and\s+", value)
        pieces = [piece.strip() for part in found for piece in re.split("[,，]", part)]
        if len(pieces) > len(found) and all(len(names_in(piece)) == 1 for piece in pieces):
            found = pieces  # "Anna Ito, Ben Cole"; "Ito, Anna" is one person
    else:
        found = cast("list[Any]", value) if isinstance(value, list) else [value]
    names = (
        " ".join(clean(_name(item)).strip("[] ").split())[:_LONGEST_VALUE]
        for item in found[:_MOST_NAMES]
        if item is not None
    )
    return tuple(name for name in names if name)


def _name(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value) if value != () else ""
    record = cast("Mapping[str, Any]", value)
    return str(record.get("name") or " ".join(str(record[key]) for key in ("given", "family") if record.get(key)))


def _text(flat: Mapping[str, Value], name: str) -> str:
    value = next((flat[key] for key in _NAMES[name] if key in flat), "")
    single = (value[0] if value else "") if isinstance(value, tuple) else value
    return " ".join(str(single).split())


def _year(flat: Mapping[str, Value]) -> int | None:
    for key in _NAMES["year"]:
        found = _YEAR.search(str(flat.get(key, "")))
        if found:
            return int(found[0])
    return None


# -- facts

_FILE_NAME = 0.2  # how sure a title is that is nothing but the name of the file


def with_file_name(facts: Iterable[Fact], path: Path) -> tuple[Fact, ...]:
    """Return the facts that say something, and the file's name as the last resort for a title."""
    named = Fact(field="title", value=printable(Path(path.stem)), source="file name", sure=_FILE_NAME)
    return (*(fact for fact in facts if fact.value), named)


def document_of(facts: Sequence[Fact], path: Path, kind: str) -> Document:
    """Return the document with the surest value of each field."""
    fields: dict[str, Any] = {}
    for name, (fact, *_) in by_field(facts).items():
        fields[name] = list(fact.value) if isinstance(fact.value, tuple) else fact.value
    return document(fields, path, identifier=identifier_of(path), kind=kind)
