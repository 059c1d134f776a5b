"""Frozen dataclasses as the shapes of replies: the JSON Schema that a server is given, and values read from what came back."""

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from scholarmind.calls import Message
from scholarmind.llm.scalars import SCALARS, choice_of, numbers_of, plain

T = TypeVar("T")
_MOST_KEYS = 50  # of an object, that are looked at for a field in another spelling
_NOTHING = frozenset(("", "none", "null", "nil", "na", "无", "没有"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """One field of a shape; without a default it has to be there."""

    name: str
    hint: Any
    told: str
    default: Any

    @property
    def is_required(self) -> bool:
        return self.default is MISSING


@cache
def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass, within what strict servers and grammars accept. It is shared: do not change it."""
    return _schema(kind, ())


def told_schema(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    """Return the messages with the schema at the end of the first. Some servers take one message of the system, and only first."""
    told = (
        f"Answer with one JSON object only, which follows this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    first, *rest = messages
    return [replace(first, text=f"{first.text}\n\n{told}"), *rest]


def read(kind: type[T], data: Any) -> T:
    """Return data as a value of this shape, lenient where the meaning is clear. A ValueError tells the model what to mend."""
    return _value(kind, data, "")


# -- the schema


def _schema(hint: Any, within: tuple[Any, ...]) -> dict[str, Any]:
    if hint in SCALARS:
        return {"type": SCALARS[hint][0]}
    if hint in within:
        raise TypeError(f"the shape {hint.__name__} holds itself, which grammars cannot tell")
    if is_dataclass(hint):
        return _object_schema(cast("type[Any]", hint), (*within, hint))
    if get_origin(hint) is Literal:
        choices = list(get_args(hint))
        return {"type": SCALARS[type(choices[0])][0], "enum": choices}
    if (item := _item_of(hint)) is not None:
        return {"type": "array", "items": _schema(item, within)}
    if (inner := _inner_of(hint)) is not None:
        return {"anyOf": [_schema(inner, within), {"type": "null"}]}
    raise TypeError(
        f"a shape cannot hold {hint!r}; known: str, int, float, bool, Literal, tuple[X, ...], X | None, dataclasses"
    )


def _object_schema(kind: type[Any], within: tuple[Any, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for item in _fields_of(kind):
        described = {"description": item.told} if item.told else {}
        properties[item.name] = _schema(item.hint, within) | described
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def _fields_of(kind: type[Any]) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    return tuple(
        _Field(
            name=item.name,
            hint=hints[item.name],
            told=item.metadata.get("told", ""),
            default=_default(item.default, item.default_factory, hints[item.name]),
        )
        for item in fields(kind)
        if item.init
    )


def _default(default: Any, make: Any, hint: Any) -> Any:
    if make is not MISSING:
        return make()
    return None if default is MISSING and _inner_of(hint) is not None else default


def _item_of(hint: Any) -> Any:
    """Return X of tuple[X, ...]."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and len(inner) == 2 and inner[1] is Ellipsis else None


def _inner_of(hint: Any) -> Any:
    """Return X of X | None."""
    inner = [item for item in get_args(hint) if item is not types.NoneType]
    return inner[0] if get_origin(hint) in (Union, types.UnionType) and len(inner) == 1 else None


# -- values


def _value(hint: Any, data: Any, place: str) -> Any:
    if is_dataclass(hint):
        return _object(cast("type[Any]", hint), data, place)
    if (item := _item_of(hint)) is not None:
        return tuple(
            _value(item, one, f"{place}[{number}]")
            for number, one in enumerate(_items(item, data, place))
            if one is not None
        )
    if (inner := _inner_of(hint)) is not None:
        nothing = data is None or (inner is not str and isinstance(data, str) and plain(data) in _NOTHING)
        return None if nothing else _value(inner, data, place)
    try:
        if get_origin(hint) is Literal:
            return choice_of(data, get_args(hint))
        return SCALARS[hint][1](data)
    except ValueError as error:
        raise ValueError(f"{place or 'the reply'} {error}") from error


def _object(kind: type[Any], data: Any, place: str) -> Any:
    known = _fields_of(kind)
    found = _spelled(known, _as_object(kind, data, place))
    values: dict[str, Any] = {}
    for item in known:
        given = found.get(item.name)
        if item.name not in found or (not item.is_required and _is_nothing(item.hint, given)):
            if item.is_required:
                raise ValueError(f"{_inside(place, item.name)} is missing")
            values[item.name] = item.default
        else:
            values[item.name] = _value(item.hint, given, _inside(place, item.name))
    return kind(**values)


def _is_nothing(hint: Any, given: Any) -> bool:
    return given is None or (given == "" and hint is not str)


def _as_object(kind: type[Any], data: Any, place: str) -> Mapping[str, Any]:
    """Return the object that is meant: the only one of a list, the only field that is a list, one in a wrapping of its own."""
    known = _fields_of(kind)
    if isinstance(data, dict):
        named = cast("dict[str, Any]", data)
        if not named or _spelled(known, named):
            return named
        inner: list[Any] = [item for item in named.values() if isinstance(item, (dict, list))]
        if len(inner) == 1:
            return _as_object(kind, inner[0], place)
    if isinstance(data, list):
        return _object_of_list(kind, cast("list[Any]", data), place)
    required = [item for item in known if item.is_required]
    if isinstance(data, (str, int)) and len(required) == 1 and required[0].hint is str:
        return {required[0].name: data}
    raise _no_object(known, place)


def _object_of_list(kind: type[Any], items: list[Any], place: str) -> Mapping[str, Any]:
    known = _fields_of(kind)
    if len(items) == 1 and _is_whole(known, items[0]):
        return items[0]
    of_objects = any(isinstance(item, dict) for item in items)
    lists = [field for field in known if (item := _item_of(field.hint)) and is_dataclass(item) is of_objects]
    if len(lists) == 1:
        return {lists[0].name: items}
    if len(items) == 1:
        return _as_object(kind, items[0], place)
    raise _no_object(known, place)


def _no_object(known: tuple[_Field, ...], place: str) -> ValueError:
    names = ", ".join(item.name for item in known)
    return ValueError(f"{place or 'the reply'} must be an object with the fields {names}")


def _spelled(known: tuple[_Field, ...], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the object says by the right names of its fields: first those that are exact, then those that are near."""
    found = {item.name: data[item.name] for item in known if item.name in data}
    if len(found) == len(known) or len(found) == len(data):
        return found
    others = {plain(str(key)): value for key, value in [*data.items()][:_MOST_KEYS] if key not in found}
    lacking = [item.name for item in known if item.name not in found]
    for nearest in (_same, _nearest):
        for name in lacking:
            if name not in found and (key := nearest(plain(name), tuple(others))):
                found[name] = others.pop(key)
    return found


def _same(name: str, offered: tuple[str, ...]) -> str:
    return name if name in offered else ""


@lru_cache(maxsize=1_000)
def _nearest(name: str, offered: tuple[str, ...]) -> str:
    near = get_close_matches(name, [key for key in offered if key[:1] == name[0]], n=1, cutoff=0.8)
    return near[0] if near else ""


def _is_whole(known: tuple[_Field, ...], data: Any) -> bool:
    """Tell whether data is an object with all the fields that have to be there."""
    if not isinstance(data, dict):
        return False
    found = _spelled(known, cast("dict[str, Any]", data))
    return bool(found) and all(item.name in found for item in known if item.is_required)


def _items(item: Any, data: Any, place: str) -> list[Any]:
    """Return the list that is meant: of one object, of the values of an object, of the numbers that a text names."""
    if data is None or (isinstance(data, str) and plain(data) in (_NOTHING if item is not str else {""})):
        return []
    if isinstance(data, list):
        return cast("list[Any]", data)
    if isinstance(data, dict):
        return _items_of_object(item, cast("dict[str, Any]", data))
    if isinstance(data, str) and item is int:
        return list(numbers_of(data)) or [data]
    if isinstance(data, (str, int, float)):
        return [data]
    raise ValueError(f"{place} must be a list")


def _items_of_object(item: Any, data: dict[str, Any]) -> list[Any]:
    values = list(data.values())
    if is_dataclass(item):
        if _is_whole(_fields_of(cast("type[Any]", item)), data):
            return [data]
        if len(values) == 1 and isinstance(values[0], list):
            return cast("list[Any]", values[0])
        return values if values and all(isinstance(value, dict) for value in values) else [data]
    return cast("list[Any]", values[0]) if len(values) == 1 and isinstance(values[0], list) else values


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
