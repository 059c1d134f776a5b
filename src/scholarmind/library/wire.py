"""Jobs and steps as bytes between this process and one that reads files. What comes from there is data, whatever the file did to it."""

import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, BinaryIO, cast, overload

from scholarmind.layout import Layout
from scholarmind.library.reading import Begun, Ended, Job, Step
from scholarmind.model import BibEntry, Document, Entry, Fact, Headway, Passage, Pointer, Problem, Reference

_HEAD = struct.Struct(">II")
_LONGEST = 1 << 30
_PLAIN: Mapping[str, type[Any]] = {kind.__name__: kind for kind in (Begun, Headway, Problem, Ended)}
_NAMES: Mapping[type[Any], tuple[str, ...]] = {  # a paper has hundreds of these
    kind: tuple(field.name for field in fields(kind)) for kind in (Fact, Reference, Pointer)
}


class BrokenWireError(Exception):
    """The other side sent what it never would if it were well."""


def frame(value: Mapping[str, Any], blob: bytes = b"") -> bytes:
    """Return one message: a JSON object, and bytes beside it."""
    body = json.dumps(value).encode("ascii")
    return _HEAD.pack(len(body), len(blob)) + body + blob


def read_frame(read: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, or None where there is none any more. `read(n)` gives exactly `n` bytes, or b''."""
    head = read(_HEAD.size)
    if not head:
        return None
    body, blob = _HEAD.unpack(head)
    if body + blob > _LONGEST:
        raise BrokenWireError(f"a message of {body + blob} bytes")
    content, beside = read(body), read(blob) if blob else b""
    if len(content) + len(beside) < body + blob:  # the other side is gone
        return None
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BrokenWireError(str(error)) from error
    if not isinstance(value, dict):
        raise BrokenWireError(f"a message that is a {type(value).__name__}")
    return cast("dict[str, Any]", value), beside


def of_file(file: BinaryIO) -> Callable[[int], bytes]:
    """Return what `read_frame` reads with from a file."""
    return file.read


def job_frame(job: Job) -> bytes:
    """Return a job as a message."""
    return frame({"path": str(job.path), "known": job.known, "bibliography": job.bibliography})


def job_of(value: Mapping[str, Any]) -> Job:
    """Return the job of a message."""
    return Job(path=Path(value["path"]), known=value["known"], bibliography=value["bibliography"])


def step_frame(step: Step) -> bytes:
    """Return a step as a message."""
    if isinstance(step, Entry):
        return _entry_frame(step)
    return frame({"is": type(step).__name__, **asdict(step)})


def step_of(value: dict[str, Any], blob: bytes) -> Step:
    """Return the step of a message."""
    kind = value.pop("is", "")
    try:
        if kind == "Entry":
            return _entry(value, blob)
        if kind == "BibEntry":
            return bib_entry_of(value)
        return _PLAIN[kind](**value)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, zlib.error) as error:
        raise BrokenWireError(f"a {kind or 'message'} that is none: {error}") from error


def bib_entry_of(value: Mapping[str, Any]) -> BibEntry:
    """Return the entry of a bibliography that these fields are."""
    fields: dict[str, Any] = dict(value)
    fields["document"] = _document(value["document"])
    fields["files"] = tuple(value["files"])
    return BibEntry(**fields)


def _entry_frame(entry: Entry) -> bytes:
    text = entry.text.encode("utf-8", "surrogatepass")
    value = {
        "is": "Entry",
        "document": asdict(entry.document),
        "text": len(text),  # bytes of what is beside it; the rest of that is the layout
        "passages": [(p.start, p.end, p.section, p.language, p.kind, p.page, p.turns) for p in entry.passages],
        "hash": entry.hash,
        "facts": [_values(fact) for fact in entry.facts],
        "references": [_values(reference) for reference in entry.references],
        "pointers": [_values(pointer) for pointer in entry.pointers],
    }
    return frame(value, text if entry.layout is None else text + entry.layout.pack())


def _entry(value: Mapping[str, Any], blob: bytes) -> Entry:
    size = value["text"]
    with memoryview(blob) as view:
        text, rest = str(view[:size], "utf-8", "surrogatepass"), bytes(view[size:])
    return Entry(
        document=_document(value["document"]),
        text=text,
        passages=Cuts(text, value["passages"]),
        hash=value["hash"],
        layout=Layout.unpack(rest) if rest else None,
        facts=tuple(_of(Fact, row) for row in value["facts"]),
        references=tuple(_of(Reference, row) for row in value["references"]),
        pointers=tuple(_of(Pointer, row) for row in value["pointers"]),
    )


class Cuts(Sequence[Passage]):
    """The passages of a text, each made when it is looked at: all at once they take as much room as the text, and more."""

    def __init__(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        self._text, self._rows = text, rows
        for _ in self:  # what is none must be noticed here
            pass

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Passage, ...]: ...
    def __getitem__(self, index: int | slice) -> Passage | tuple[Passage, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        return _passage(self._text, index % len(self) if index < 0 else index, self._rows[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash((self._text, len(self._rows)))

    def __repr__(self) -> str:
        return repr(tuple(self))


def _passage(text: str, position: int, row: Sequence[Any]) -> Passage:
    start, end, section, language, kind, page, turns = row
    return Passage(
        text=text[start:end],
        start=start,
        end=end,
        position=position,
        section=tuple(section),
        language=language,
        kind=kind,
        page=page,
        turns=tuple(turns),
    )


def _values(item: Fact | Reference | Pointer) -> list[Any]:
    return [getattr(item, name) for name in _NAMES[type(item)]]


def _of(kind: type[Any], row: Sequence[Any]) -> Any:
    return kind(**{name: _tuple(item) for name, item in zip(_NAMES[kind], row, strict=True)})


def _document(value: Mapping[str, Any]) -> Document:
    fields: dict[str, Any] = dict(value)
    fields["authors"] = tuple(value["authors"])
    fields["metadata"] = {key: _tuple(item) for key, item in value["metadata"].items()}
    return Document(**fields)


def _tuple(item: Any) -> Any:
    return tuple(cast("list[Any]", item)) if isinstance(item, list) else item
