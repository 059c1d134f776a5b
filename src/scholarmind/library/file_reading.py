"""Read one file, step by step: what it holds, what is wrong with it, and how it ended. The same here and in a child process.

Between the processes jobs and steps go as bytes. What comes from a child is data, whatever the file did to it. The processes are in
`workers`; how a text is cut is in `passages`.
"""

import hashlib
import json
import os
import struct
import time
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path, PosixPath
from typing import Any, BinaryIO, cast, overload

from scholarmind.errors import ReadError
from scholarmind.layout import Layout
from scholarmind.library.passages import Cutting, enter
from scholarmind.library.references import listed_in, pointers, with_lists
from scholarmind.library_ports import BibliographyReader, Reader
from scholarmind.model import (
    BibEntry,
    Costing,
    Document,
    Entry,
    Fact,
    Headway,
    Passage,
    Pointer,
    Problem,
    Reading,
    Reference,
)
from scholarmind.text.untrusted import printable

# -- reading


class CopiedFile(PosixPath):
    """A path of another machine: named as there, opened as the copy here. Ids and origins are made from the name."""

    copy: str = ""

    @classmethod
    def of(cls, name: str, copy: str) -> "CopiedFile":
        """Return the path under this name whose bytes lie in the copy."""
        path = cls(name)
        path.copy = copy
        return path

    def __fspath__(self) -> str:
        """Return what the system opens; what is derived from this path (`parent`, `resolve()`) has no copy, and is itself."""
        return self.copy or str(self)

    def __bytes__(self) -> bytes:
        return os.fsencode(str(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingJob:
    """A file to be read; `known` is its hash from the last time, with which it need not be read again."""

    path: Path
    known: str = ""
    bibliography: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The file was opened; this is the hash that it has if it is read whole, whatever becomes of it."""

    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The file is done with. A hash of '' says that it has to be looked at again next time."""

    hash: str = ""
    unchanged: bool = False
    seconds: float = 0.0
    bytes: int = 0


Step = Begun | Headway | Entry | BibEntry | Problem | Ended


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """Everything that reading a file needs. `options` tells what else decides what a file gives in part, such as a limit of pages."""

    readers: Mapping[str, Reader]
    bibliographies: Mapping[str, BibliographyReader]
    cutting: Cutting
    options: str = ""

    def steps(self, job: ReadingJob) -> Iterator[Step]:
        """Yield what comes of a file, `Ended` last."""
        began = time.monotonic()
        try:
            state = state_of(job.path)
            whole, in_part = self.hashes(_hash_file(job.path))
            yield Begun(hash=whole)
            if job.known in {whole, in_part}:
                yield Ended(hash=job.known, unchanged=True, bytes=state[0])
                return
            sound, lasting = yield from self._read(job)
            if state_of(job.path) != state:
                yield changed(job.path)
                sound = False
        except OSError as error:
            yield unreadable(job.path, error)
            yield Ended(seconds=time.monotonic() - began)
            return
        known = (in_part if lasting else whole) if sound else ""
        yield Ended(hash=known, seconds=time.monotonic() - began, bytes=state[0])

    def hashes(self, content: str) -> tuple[str, str]:
        """Return what a file is known by: read whole, or in part, which depends on more than its content."""
        whole = hashlib.sha256(f"{content} {self.cutting!r}".encode()).hexdigest()
        return whole, hashlib.sha256(f"{whole} {self.options}".encode()).hexdigest()

    def _read(self, job: ReadingJob) -> Generator[Step, None, tuple[bool, bool]]:
        """Yield what the file holds; return whether all of it was sound, and whether some of it cannot be used for good."""
        sound, lasting = True, False
        try:
            for step in self._items(job):
                if isinstance(step, Problem):
                    sound, lasting = sound and step.lasting, lasting or step.lasting
                yield step
        except ReadError as error:
            yield Problem(where=printable(job.path), reason=error.reason, advice=error.advice)
            sound = False
        except RecursionError:
            yield Problem(
                where=printable(job.path), reason="it is nested too deeply", advice="save it in another format"
            )
            sound = False
        return sound, lasting

    def _items(self, job: ReadingJob) -> Iterator[Step]:
        suffix = job.path.suffix.lower()
        if job.bibliography:
            yield from self.bibliographies[suffix].entries(job.path)
            return
        for item in self.readers[suffix].read(job.path):
            if isinstance(item, Reading):
                yield from self._entered(item, printable(job.path))
            else:
                yield item

    def _entered(self, reading: Reading, where: str) -> Iterator[Entry | Problem]:
        problems: list[Problem] = []
        with Costing("list of references", where, problems):
            reading = with_lists(reading)
        entry = enter(reading, self.cutting)
        with Costing("list of references", where, problems):
            references = listed_in(reading)
            skip = [(region.start, region.end) for region in reading.regions if region.kind == "references"]
            found = tuple(pointers(reading.text, references, skip)) if references else ()
            entry = replace(entry, references=references, pointers=found)
        yield from problems
        yield entry


def changed(path: Path) -> Problem:
    """Return what is told of a file that somebody was writing."""
    reason, advice = "it changed while it was read", "add it again when it is no longer being written"
    return Problem(where=printable(path), reason=reason, advice=advice)


def unreadable(path: Path, error: OSError) -> Problem:
    """Return what is told of a file that cannot be opened."""
    return Problem(where=printable(path), reason=f"it cannot be read: {error.strerror}", advice="check who may read it")


def state_of(path: Path) -> tuple[int, int, int]:
    """Return what changes with a file: its size, time and number."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# -- jobs and steps as bytes

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


def frame_reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Return what `read_frame` reads with from a file."""
    return file.read


def job_frame(job: ReadingJob) -> bytes:
    """Return a job as a message."""
    copy = job.path.copy if isinstance(job.path, CopiedFile) else ""
    return frame({"path": str(job.path), "copy": copy, "known": job.known, "bibliography": job.bibliography})


def job_of(value: Mapping[str, Any]) -> ReadingJob:
    """Return the job of a message."""
    path = CopiedFile.of(value["path"], value["copy"]) if value["copy"] else Path(value["path"])
    return ReadingJob(path=path, known=value["known"], bibliography=value["bibliography"])


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
            return _bib_entry_of(value)
        return _PLAIN[kind](**value)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, zlib.error) as error:
        raise BrokenWireError(f"a {kind or 'message'} that is none: {error}") from error


def _bib_entry_of(value: Mapping[str, Any]) -> BibEntry:
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
        passages=_Cuts(text, value["passages"]),
        hash=value["hash"],
        layout=Layout.unpack(rest) if rest else None,
        facts=tuple(_of(Fact, row) for row in value["facts"]),
        references=tuple(_of(Reference, row) for row in value["references"]),
        pointers=tuple(_of(Pointer, row) for row in value["pointers"]),
    )


class _Cuts(Sequence[Passage]):
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
