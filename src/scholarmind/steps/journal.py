"""What a run remembers: every finding under an address made of all that it depends on, never of the order in which it came.

Knows nothing of where a journal is kept.
"""

import functools
import hashlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from scholarmind.answer import Finding
from scholarmind.errors import ScholarMindError
from scholarmind.events import OnEvent, ignore
from scholarmind.plan import SubQuestion
from scholarmind.ports import Journal
from scholarmind.steps.progress_events import passages_found_event

T = TypeVar("T")
Investigate = Callable[[SubQuestion, Mapping[int, Finding]], Awaitable[Finding]]
_FORMAT = 1
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # none that are mistaken for another


def new_run() -> str:
    """Return an id for a run: the time to the second (UTC), then 39 random bits. Sorted as text, runs are in their order."""
    now = datetime.fromtimestamp(time.time(), UTC)
    return f"{now:%Y%m%d-%H%M%S}-" + "".join(secrets.choice(_LETTERS) for _ in range(8))


# -- the address


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What all findings of a run rest on beside the questions: a change of any of these makes other addresses."""

    library: str  # its version: the number of its latest change
    structures: str = ""  # in which state the tree and the graph over it are: they also change by themselves
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])  # those that change what is found or answered
    models: Mapping[str, str] = field(default_factory=dict[str, str])  # name and version of each model and prompt


def address(part: SubQuestion, given: Mapping[int, Finding], basis: Basis) -> str:
    """Return the content address of a part that was given these findings.

    The part's own number is content: evidence is labelled with it.
    """
    answers = {number: finding.answer for number, finding in given.items() if finding.answer}
    content = {
        "format": _FORMAT,
        "part": part.id,
        "text": part.resolve(answers),
        "asks": [(part.resolve(answers, ask.text), ask.entity, ask.aspect) for ask in part.rows],
        "kind": part.kind,
        "role": part.role,
        "given": {number: _given(given[number]) for number in sorted(given)},
        "basis": basis,
    }
    return hashlib.sha256(_canonical(content).encode()).hexdigest()


def _given(finding: Finding) -> dict[str, Any]:
    evidence = [(item.document.collection, item.document.id, item.passage) for item in finding.evidence]
    return {
        "question": finding.question,
        "answer": finding.answer,
        "candidates": finding.candidates,
        "evidence": evidence,
    }


def _canonical(content: Any) -> str:
    """Equal data are equal text. What JSON does not know (a path among the settings) stands as its `repr`."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=lambda value: _shallow(value, repr))


# -- the codec


def encode(value: Any) -> str:
    """Return a Finding or a Plan as JSON text, in ASCII, so that any store can hold it.

    A value that JSON does not know (in the metadata of somebody's own search function) is a TypeError or ValueError.
    """
    record = {"format": _FORMAT, "type": type(value).__name__, "value": value}
    return json.dumps(record, separators=(",", ":"), default=lambda value: _shallow(value, _refuse))


def _shallow(value: Any, otherwise: Callable[[Any], Any]) -> Any:
    """Take one layer off what JSON does not know; it comes back for the next."""
    if told := _fields(cast("type[Any]", type(value))):
        names, values = told
        return dict(zip(names, values(value), strict=True))
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, Set):
        return sorted(cast("Set[Any]", value))
    return otherwise(value)


@functools.cache
def _fields(kind: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]] | None:
    """Return the names of a record's fields and what gets them all at once: most of the time of `encode` is spent there."""
    if not is_dataclass(kind):
        return None
    names = tuple(item.name for item in fields(kind))
    return names, attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


def _refuse(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__} among the metadata is not text, a number, or a list of these")


def decode(kind: type[T], text: str) -> T | None:
    """Return what was encoded, or None if the text is not a sound record of this kind, whatever else it may be."""
    try:
        record = json.loads(text)
        if record["format"] != _FORMAT or record["type"] != kind.__name__:
            return None
        return _reader(kind)(record["value"])
    except (ValueError, TypeError, KeyError, RecursionError, ScholarMindError):
        return None


Read = Callable[[Any], Any]


@functools.cache
def _reader(kind: Any) -> Read:
    """Return what makes a value of this type; it raises a ValueError for what is not one."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return functools.partial(_read_record, cast("type[Any]", kind))
    if origin in {Union, UnionType}:
        return functools.partial(_read_first, tuple(_reader(argument) for argument in arguments))
    if origin is Literal:
        return lambda value: arguments[arguments.index(value)]
    if origin is Mapping:
        return _read_metadata
    if origin is not None:  # a tuple or a frozenset
        return functools.partial(_read_items, origin, _reader(arguments[0]))
    return functools.partial(_read_plain, (int, float) if kind is float else (kind,))


def _read_plain(kinds: tuple[type, ...], value: Any) -> Any:
    if type(value) not in kinds:
        raise ValueError(f"{value!r} is not one of {kinds}")
    return value


def _read_items(origin: Callable[[list[Any]], Any], read: Read, value: Any) -> Any:
    return origin([read(item) for item in _read_plain((list,), value)])


def _read_metadata(value: Any) -> Any:
    """Somebody's own search function may put there whatever it likes: all that JSON holds is kept."""
    return {name: _frozen(item) for name, item in _read_plain((dict,), value).items()}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in cast("list[Any]", value)) if isinstance(value, list) else value


def _read_record(kind: type[Any], value: Any) -> Any:
    readers = _readers(kind)
    if _read_plain((dict,), value).keys() != readers.keys():
        raise ValueError(f"a {kind.__name__} has other fields than {sorted(value)}")
    return kind(**{name: readers[name](item) for name, item in value.items()})


def _read_first(reads: tuple[Read, ...], value: Any) -> Any:
    """Of the types of a union only one fits a JSON value: none of ours has two that look alike."""
    for read in reads:
        try:
            return read(value)
        except ValueError:
            continue
    raise ValueError(f"{value!r} fits nowhere")


@functools.cache
def _readers(kind: type[Any]) -> dict[str, Read]:
    return {name: _reader(told) for name, told in get_type_hints(kind).items()}


# -- remembering


def remembered(
    investigate: Investigate, journal: Journal, run: str, *, basis: Basis, on_event: OnEvent = ignore
) -> Investigate:
    """Return `investigate` with a memory: what this run has answered under the same address is not asked again.

    A failure is not remembered, so that the next attempt is a new one. A journal that fails is told of in the notes and costs nothing else.
    """

    async def recall(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        began = time.monotonic()
        key = address(part, given, basis)
        kept, notes = await _looked_up(journal, run, key)
        if kept is not None:
            on_event(passages_found_event(kept, remembered=True, seconds=time.monotonic() - began))
            return replace(kept, part=part)
        finding = await investigate(part, given)
        if not finding.error:
            finding = replace(finding, seconds=finding.seconds or time.monotonic() - began)
            notes += await _kept(journal, run, key, finding)
        return replace(finding, notes=finding.notes + notes) if notes else finding

    return recall


async def _looked_up(journal: Journal, run: str, key: str) -> tuple[Finding | None, tuple[str, ...]]:
    try:
        text = await journal.get(run, key)
    except ScholarMindError as error:
        return None, (f"the journal could not be read: {error}",)
    finding = None if text is None else decode(Finding, text)
    if finding is None and text is not None:
        return None, ("what the journal held for this part is damaged, or of another version; it was researched again",)
    return finding, ()


async def _kept(journal: Journal, run: str, key: str, finding: Finding) -> tuple[str, ...]:
    try:
        await journal.put(run, key, f"part {finding.part.id}", encode(finding))
    except ScholarMindError as error:
        return (f"the journal could not be written: {error}",)
    except (TypeError, ValueError) as error:
        return (f"the journal cannot hold what was found ({error}); a resumed run asks again",)
    return ()
