"""Take documents in: find, read, cut, store; then embed what waits. Every stage can be stopped anywhere and goes on where it was."""

import asyncio
import hashlib
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scholarmind.errors import ReadError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.files import Files, find_files
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Entry, Problem, Reading
from scholarmind.ports import Embedder, Known, Reader, Store
from scholarmind.text.names import printable

_BATCH_PASSAGES = 2_000  # stored in one transaction
_BATCH_FILES = 500
_EMBEDDED_AT_ONCE = 32
_LOOKED_AHEAD = 8  # so many batches are sorted by length together, which saves padding


@dataclass(kw_only=True)
class Report:
    """What an `add` did."""

    files: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0
    embedded: int = 0
    unsuited: int = 0
    ignored: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])


@dataclass(kw_only=True)
class _Batch:
    """What is stored together: entries, the files that end with them, and how many files that is."""

    entries: list[Entry] = field(default_factory=list[Entry])
    finished: dict[str, str | None] = field(default_factory=dict[str, str | None])
    problems: list[Problem] = field(default_factory=list[Problem])
    files: int = 0
    passages: int = 0
    replaced: int = 0
    unchanged: int = 0

    @property
    def is_full(self) -> bool:
        return self.files >= _BATCH_FILES or self.passages >= _BATCH_PASSAGES


@dataclass(kw_only=True)
class Ingestion:
    """Everything that adding documents needs."""

    store: Store
    embedder: Embedder | None
    readers: Mapping[str, Reader]
    cutting: Cutting
    unknown_limit: float
    on_event: OnEvent = ignore

    async def add(self, paths: Iterable[str | Path], collection: str, *, prune: bool = False) -> Report:
        """Bring the collection up to what the paths hold now."""
        report = Report()
        found = await asyncio.to_thread(find_files, paths, self.readers.keys())
        report.ignored = found.ignored
        self._tell(report, found.problems)
        async with self.store.writing():
            if found.places:
                await self._store_texts(found, collection, report, prune=prune)
            await self.embed(report)
        return report

    async def embed(self, report: Report) -> None:
        """Give every waiting passage its vector."""
        if self.embedder is None:
            return
        total = sum(counts.waiting for counts in (await self.store.counts()).values())
        while waiting := await self.store.waiting(_EMBEDDED_AT_ONCE * _LOOKED_AHEAD):
            waiting.sort(key=lambda item: len(item.text))
            for start in range(0, len(waiting), _EMBEDDED_AT_ONCE):
                batch = waiting[start : start + _EMBEDDED_AT_ONCE]
                found = await self.embedder.embed([item.text for item in batch])
                suited = [share <= self.unknown_limit for share in found.unknown]
                await self.store.fill(
                    {item.number: found.vectors[row] if suited[row] else None for row, item in enumerate(batch)}
                )
                report.embedded += sum(suited)
                report.unsuited += len(batch) - sum(suited)
                self.on_event(
                    Progress(stage="embed", done=report.embedded + report.unsuited, total=total, unit="passages")
                )

    async def _store_texts(self, found: Files, collection: str, report: Report, *, prune: bool) -> None:
        known = await self.store.known(collection)
        reading = _Reading(readers=self.readers, cutting=self.cutting, collection=collection, known=known)
        batches = reading.batches(found.files)
        upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
        try:
            while batch := await upcoming:
                upcoming = asyncio.create_task(
                    asyncio.to_thread(next, batches, None)
                )  # read on while this one is stored
                await self._store(batch, collection, report)
                self.on_event(
                    Progress(
                        stage="read", done=report.files, total=len(found.files), unit="files", passages=report.passages
                    )
                )
        finally:
            upcoming.cancel()
        if prune:
            report.removed = await self._prune(found, reading.seen, known, collection)

    async def _store(self, batch: _Batch, collection: str, report: Report) -> None:
        if batch.entries:
            await self.store.put(batch.entries)
        if batch.finished:
            await self.store.note(collection, batch.finished)
        report.files += batch.files
        report.added += len(batch.entries) - batch.replaced
        report.replaced += batch.replaced
        report.unchanged += batch.unchanged
        report.passages += batch.passages
        self._tell(report, batch.problems)

    async def _prune(self, found: Files, seen: set[str], known: Known, collection: str) -> int:
        """Remove documents that came from the places given now and are no longer there."""
        gone = {
            identifier: origin
            for identifier, (_, origin) in known.documents.items()
            if identifier not in seen and found.lost(origin)
        }
        return await self.store.remove(collection, list(gone)) if gone else 0

    def _tell(self, report: Report, problems: Sequence[Problem]) -> None:
        report.problems += problems
        for problem in problems:
            self.on_event(problem)


@dataclass(frozen=True, kw_only=True)
class _Unchanged:
    """So many documents that are stored as they are."""

    documents: int


@dataclass(frozen=True, kw_only=True)
class _Finished:
    """A file was read to its end; a hash of None says that it has to be looked at again next time."""

    path: str
    hash: str | None


_Step = Entry | Problem | _Unchanged | _Finished


@dataclass(kw_only=True)
class _Reading:
    """Reads files into batches, in a thread. `seen` holds the ids that are still there."""

    readers: Mapping[str, Reader]
    cutting: Cutting
    collection: str
    known: Known
    seen: set[str] = field(default_factory=set[str])

    def batches(self, files: Sequence[Path]) -> Iterator[_Batch]:
        """Yield what is to be stored, a batch at a time."""
        batch = _Batch()
        for step in self._steps(files):
            self._take(step, batch)
            if batch.is_full:
                yield batch
                batch = _Batch()
        if batch.files or batch.entries or batch.problems:
            yield batch

    def _take(self, step: _Step, batch: _Batch) -> None:
        match step:
            case Entry():
                batch.entries.append(step)
                batch.passages += len(step.passages)
                batch.replaced += step.document.id in self.known.documents
            case Problem():
                batch.problems.append(step)
            case _Unchanged():
                batch.unchanged += step.documents
            case _Finished():
                batch.files += 1
                batch.finished[step.path] = step.hash

    def _steps(self, files: Sequence[Path]) -> Iterator[_Step]:
        stored: dict[str, list[str]] = {}
        for identifier, (_, origin) in self.known.documents.items():
            stored.setdefault(origin, []).append(identifier)
        for path in files:
            name = printable(path)
            try:
                digest = _hash_file(path, self.cutting)
                if self.known.sources.get(name) == digest:
                    self.seen.update(stored.get(name, ()))
                    yield _Unchanged(documents=len(stored.get(name, ())))
                else:
                    sound = yield from self._read(path, stored.get(name, ()))
                    digest = digest if sound else None
            except OSError as error:
                digest = None
                self.seen.update(stored.get(name, ()))
                yield Problem(where=name, reason=f"it cannot be read: {error.strerror}", advice="check who may read it")
            yield _Finished(path=name, hash=digest)

    def _read(self, path: Path, stored: Sequence[str]) -> Generator[_Step, None, bool]:
        """Yield what the file holds; return whether all of it was sound. What cannot be read now is not taken for gone."""
        sound = True
        try:
            for item in self.readers[path.suffix.lower()].read(path):
                step = item if isinstance(item, Problem) else self._enter(item, path)
                sound = sound and not isinstance(step, Problem)
                yield step
        except ReadError as error:
            sound = False
            yield Problem(where=printable(path), reason=error.reason, advice=error.advice)
        if not sound:
            self.seen.update(stored)
        return sound

    def _enter(self, reading: Reading, path: Path) -> _Step:
        document = replace(reading.document, collection=self.collection)
        known_hash, known_origin = self.known.documents.get(document.id, ("", ""))
        elsewhere = known_origin not in {"", document.origin} and os.path.lexists(known_origin)
        if document.id in self.seen or elsewhere:
            other = known_origin if elsewhere else "an earlier record"
            return Problem(
                where=printable(path),
                reason=f"the id {document.id!r} is taken by {other}",
                advice="give every record an id of its own",
            )
        self.seen.add(document.id)
        entry = enter(replace(reading, document=document), self.cutting)
        return _Unchanged(documents=1) if entry.hash == known_hash else entry


def _hash_file(path: Path, cutting: Cutting) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(repr(cutting).encode())
    return digest.hexdigest()
