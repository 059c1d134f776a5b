"""From the loose fields that files carry to a Document."""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.decode import clean
from scholarmind.model import Document, Value

_NAMES = {
    "title": ("title",),
    "authors": ("authors", "author"),
    "year": ("year", "date", "published"),
    "source": ("source",),
    "language": ("language", "lang"),
    "kind": ("kind", "type"),
}
_MOST_FIELDS = 100
_LONGEST_VALUE = 2_000
_DEEPEST = 5
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")


def document(
    fields: Mapping[str, Any], path: Path, *, identifier: str = "", title: str = "", kind: str = ""
) -> Document:
    """Return the document that these fields describe; what they leave open comes from the arguments."""
    flat = dict(list(_flat(fields))[:_MOST_FIELDS])
    taken = {name: _first(flat, keys) for name, keys in _NAMES.items()}
    known = {"id", *(key for keys in _NAMES.values() for key in keys if key not in {"date", "published"})}
    return Document(
        id=clean(str(flat.get("id") or identifier)),
        title=_text(taken["title"]) or title,
        authors=_authors(taken["authors"]),
        year=_year(flat),
        source=_text(taken["source"]),
        origin=printable(path),
        language=_text(taken["language"]).lower(),
        kind=_text(taken["kind"]) or kind,
        metadata={key: value for key, value in flat.items() if key not in known},
    )


def identifier_of(path: Path) -> str:
    """Return a short id that people can type and that no two paths share."""
    name = re.sub(r"[^\w]+", "-", printable(Path(path.stem))).strip("-").lower()[:40]
    return f"{name}-{hashlib.sha256(bytes(path)).hexdigest()[:6]}".lstrip("-")


def printable(path: Path) -> str:
    """Return the path as text that can be stored and shown, even if its name is not valid UTF-8."""
    return bytes(path).decode("utf-8", "replace")


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
    if isinstance(value, Mapping) and "name" in value:  # authors written as records
        value = cast("Mapping[str, Any]", value)["name"]
    return clean(str(cast("object", value)))[:_LONGEST_VALUE]


def _first(flat: Mapping[str, Value], keys: tuple[str, ...]) -> Value:
    return next((flat[key] for key in keys if key in flat), "")


def _text(value: Value) -> str:
    return " ".join(
        str(value[0] if isinstance(value, tuple) and value else "" if isinstance(value, tuple) else value).split()
    )


def _authors(value: Value) -> tuple[str, ...]:
    names = value if isinstance(value, tuple) else re.split(r"\s*;\s*|\s+and\s+", str(value))
    return tuple(" ".join(str(name).split()) for name in names if str(name).strip())


def _year(flat: Mapping[str, Value]) -> int | None:
    for key in _NAMES["year"]:
        found = _YEAR.search(str(flat.get(key, "")))
        if found:
            return int(found[0])
    return None
