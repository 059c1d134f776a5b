"""Read one file, step by step: what it holds, what is wrong with it, and how it ended. The same here and in a child process."""

import hashlib
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scholarmind.errors import ReadError
from scholarmind.library.passages import Cutting, enter
from scholarmind.library.references import parse, pointers
from scholarmind.library_ports import BibliographyReader, Reader
from scholarmind.model import BibEntry, Costing, Entry, Headway, Problem, Reading
from scholarmind.text.names import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
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

    def steps(self, job: Job) -> Iterator[Step]:
        """Yield what comes of a file, `Ended` last."""
        began = time.monotonic()
        try:
            state = _state(job.path)
            content = _hash_file(job.path)
            whole, in_part = self._hashes(content)
            yield Begun(hash=whole)
            if job.known in {whole, in_part}:
                yield Ended(hash=job.known, unchanged=True, bytes=state[0])
                return
            sound, lasting = yield from self._read(job)
            if _state(job.path) != state:
                yield Problem(
                    where=printable(job.path),
                    reason="it changed while it was read",
                    advice="add it again when it is no longer being written",
                )
                sound = False
        except OSError as error:
            reason = f"it cannot be read: {error.strerror}"
            yield Problem(where=printable(job.path), reason=reason, advice="check who may read it")
            yield Ended(seconds=time.monotonic() - began)
            return
        known = (in_part if lasting else whole) if sound else ""
        yield Ended(hash=known, seconds=time.monotonic() - began, bytes=state[0])

    def _hashes(self, content: str) -> tuple[str, str]:
        """Return what a file is known by: read whole, or in part, which depends on more than its content."""
        whole = hashlib.sha256(f"{content} {self.cutting!r}".encode()).hexdigest()
        return whole, hashlib.sha256(f"{whole} {self.options}".encode()).hexdigest()

    def _read(self, job: Job) -> Generator[Step, None, tuple[bool, bool]]:
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

    def _items(self, job: Job) -> Iterator[Step]:
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
        entry = enter(reading, self.cutting)
        lists = [region for region in reading.regions if region.kind == "references"]
        problems: list[Problem] = []
        with Costing("list of references", where, problems):
            references = tuple(found for region in lists for found in parse(reading.text, region.start, region.end))
            skip = [(region.start, region.end) for region in lists]
            found = tuple(pointers(reading.text, references, skip)) if references else ()
            entry = replace(entry, references=references, pointers=found)
        yield from problems
        yield entry


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
