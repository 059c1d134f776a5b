"""Values as files, the environment and programs give them: put together, and turned into what a record holds."""

import difflib
import shlex
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from scholarmind.errors import LibraryError, SettingsError


def joined(values: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return both; what comes later counts, in each table setting by setting."""
    together: dict[str, Any] = dict(more)
    for name, value in more.items():
        if isinstance(value, dict) and isinstance(known := values.get(name), dict):
            together[name] = {**cast("dict[str, Any]", known), **cast("dict[str, Any]", value)}
    return values | together


def checked(found: Mapping[str, Any], where: str, kind: type[Any], table: str = "") -> dict[str, Any]:
    """Return the values of a record with their proper types; an unknown name is an error that tells the nearest known one.

    In an error, a setting of a `table` has the name that it is set by.
    """
    types = get_type_hints(kind)
    known = [setting.name for setting in fields(kind)]
    for name in found:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            raise SettingsError(
                f"unknown {where} {name!r}"
                + (f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}")
            )
    before = f"{table}." if table else ""
    return {name: _converted(before + name, value, types[name]) for name, value in found.items()}


def _converted(name: str, value: Any, kind: Any) -> Any:
    kind = Path if kind == Path | None else kind
    if is_dataclass(kind):
        return _table(name, value, kind)
    if get_origin(kind) is tuple:
        return _several(name, value)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise SettingsError(f"{name} = {value!r} is not one of {', '.join(map(repr, get_args(kind)))}")
        return value
    if kind is bool:
        return _switch(name, value)
    try:
        # Settings come from TOML, the environment and programs: 199.5 must not become 199
        return Path(value).expanduser() if kind is Path else kind(str(value) if kind is int else value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise SettingsError(f"{name} = {value!r} is not a {kind.__name__}") from error


def _table(name: str, value: Any, kind: Any) -> Any:
    """Return a record as it is, and the settings of a table with their proper types."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise SettingsError(f"{name} = {value!r} is not a table of settings, such as {name}.{fields(kind)[0].name}")
    return checked(cast("Mapping[str, Any]", value), f"setting of {name!r}", kind, name)


def _several(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of names, which the environment holds with commas between them."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise SettingsError(f"{name} = {value!r} is not a list of names")
    return tuple(str(item).strip() for item in cast("list[Any]", items) if str(item).strip())


def _switch(name: str, value: Any) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    told = str(value).strip().lower()
    if told not in known:
        raise SettingsError(f"{name} = {value!r} is not one of true, false")
    return known[told]


def check_library(folder: Path) -> None:
    """Refuse a folder without a library, and name the library that may be meant."""
    if (folder / "library.db").is_file():
        return
    above = next((place for place in folder.absolute().parents if place.is_dir()), folder.absolute())
    there = {place.parent.name: place.parent for place in _libraries(above)}
    near = difflib.get_close_matches(folder.name, there, n=1, cutoff=0.0)
    told = f"the nearest one is in {str(there[near[0]])!r}" if near else f"nor is one in {str(above)!r}"
    raise LibraryError(
        f"there is no library in {str(folder)!r}; {told}; make one with 'scholarmind add FILES --library {shlex.quote(str(folder))}'"
    )


def _libraries(folder: Path) -> list[Path]:
    try:
        return sorted([*folder.glob("library.db"), *folder.glob("*/library.db")])
    except OSError:
        return []
