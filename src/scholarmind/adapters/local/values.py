"""Values of the domain as JSON in a column, and back. Lists become tuples again."""

import json
from collections.abc import Mapping
from typing import Any, cast

from scholarmind.model import Value
from scholarmind.text.names import storable

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def to_json(value: object) -> str:
    """Return a value as text that SQLite takes."""
    return storable(_ENCODER.encode(value))


def value_of(stored: str) -> Any:
    """Return the value that `to_json` was given: a single one, a tuple of single ones, or None."""
    return _frozen(json.loads(stored))


def metadata_of(stored: Mapping[str, Any]) -> dict[str, Value]:
    """Return metadata as a document has it."""
    return {key: _frozen(value) for key, value in stored.items()}


def _frozen(value: Any) -> Any:
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value
