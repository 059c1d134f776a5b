"""What comes of files, gathered into batches that are stored together. Runs in a thread, ahead of the storing."""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from os.path import lexists
from pathlib import Path

from scholarmind.events import FileProgress, FileState
from scholarmind.library.descriptions import Describing
from scholarmind.library.file_reading import Begun, Ended, ReadingJob, Step
from scholarmind.library.workers import Runner
from scholarmind.library_ports import Known, Source
from scholarmind.model import BibEntry, Entry, Headway, Problem
from scholarmind.text.untrusted import printable

_FILES = 500
_SECONDS = 2.0  # what was read is searchable after about so long
_NEWS_SECONDS = 0.25


@dataclass(kw_only=True)
class Batch:
    """What is stored together: entries, the files that end with them, and what there is to tell."""

    entries: list[Entry] = field(default_factory=list[Entry])
    sources: list[Source] = field(default_factory=list[Source])
    problems: list[Problem] = field(default_factory=list[Problem])
    news: list[FileProgress] = field(default_factory=list[FileProgress])
    passages: int = 0
    replaced: int = 0
    unchanged: int = 0
    duplicates: int = 0
    ended: int = 0  # files
    begun: float = field(default_factory=time.monotonic)

    def is_full(self, passages: int) -> bool:
        """Tell whether it is time to store it: it holds so many passages, or many files, or is old."""
        late = time.monotonic() - self.begun > _SECONDS and bool(self.entries or self.sources)
        return late or len(self.sources) >= _FILES or self.passages >= passages


@dataclass(kw_only=True)
class _File:
    """What is known of a file that is being read."""

    problems: list[Problem] = field(default_factory=list[Problem])
    copy_of: str = ""  # another file with the same content


@dataclass(kw_only=True)
class BatchBuilder:
    """Turns what readers say into batches. `seen` holds the ids that are still there; `touched` those that were described anew.

    `again` holds files that were passed over as copies of one that then turned out to be unusable: under another name they may do.
    """

    collection: str
    known: Known
    describing: Describing
    stored_at_once: int = 2_000  # passages
    seen: set[str] = field(default_factory=set[str])
    touched: set[str] = field(default_factory=set[str])
    again: list[Path] = field(default_factory=list[Path])
    bibliographies: frozenset[str] = frozenset()  # which entries are from
    _files: dict[Path, _File] = field(init=False, default_factory=dict[Path, _File])
    _contents: dict[str, str] = field(init=False, default_factory=dict[str, str])
    _stored: dict[str, list[str]] = field(init=False, default_factory=dict[str, list[str]])
    _sound: set[str] = field(init=False, default_factory=set[str])
    _copies: list[tuple[Path, str, Ended]] = field(init=False, default_factory=list[tuple[Path, str, Ended]])
    _told: float = field(init=False, default=0.0)
    _stopped: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        listed = {entry.document.origin for entry in self.describing.entries}
        self.bibliographies = frozenset(listed)

    def stop(self) -> None:
        """Let `batches` come to an end soon: nobody wants what is still to come."""
        self._stopped = True

    def batches(self, files: Sequence[Path], runner: Runner) -> Generator[Batch]:
        """Yield what is to be stored, a batch at a time; one without entries where there is only news."""
        for identifier, (_, origin) in self.known.documents.items():
            self._stored.setdefault(origin, []).append(identifier)
        self._contents.update((digest, path) for path, digest in self.known.sources.items() if lexists(path))
        self._sound.update(self._contents.values())
        jobs = (ReadingJob(path=path, known=self.known.sources.get(printable(path), "")) for path in files)
        said = runner(jobs)
        batch = Batch()
        try:
            for item in said:
                if self._stopped:
                    return
                if item is not None:
                    self._take(*item, batch)
                if batch.is_full(self.stored_at_once) or (
                    batch.news and time.monotonic() - self._told > _NEWS_SECONDS and not batch.entries
                ):
                    self._told = time.monotonic()
                    yield batch
                    batch = Batch()
            self._settle_copies(batch)
            yield batch
        finally:
            said.close()

    def _take(self, job: ReadingJob, step: Step, batch: Batch) -> None:
        name = printable(job.path)
        file = self._files.setdefault(job.path, _File())
        match step:
            case Begun():
                batch.news.append(FileProgress(path=name, state="reading"))
                owner = self._contents.setdefault(step.hash, name)
                file.copy_of = owner if owner != name else ""
            case Headway():
                batch.news.append(FileProgress(path=name, state="reading", done=step.done, total=step.total))
            case Problem():
                self._object(step, file, batch)
            case Entry():
                if not file.copy_of:
                    self._enter(step, job.path, file, batch)
            case Ended():
                self._end(job.path, step, self._files.pop(job.path), batch)
            case BibEntry():
                raise TypeError("a bibliography among the documents")

    def _object(self, problem: Problem, file: _File, batch: Batch) -> None:
        if not file.copy_of:
            file.problems.append(problem)
            batch.problems.append(problem)

    def _enter(self, entry: Entry, path: Path, file: _File, batch: Batch) -> None:
        document = replace(entry.document, collection=self.collection)
        known_hash, known_origin = self.known.documents.get(document.id, ("", ""))
        mine = {"", document.origin, *self.bibliographies}  # a file takes the place of its entry
        elsewhere = known_origin not in mine and lexists(known_origin)
        if document.id in self.seen or elsewhere:
            other = known_origin if elsewhere else "an earlier record"
            reason = f"the id {document.id!r} is taken by {other}"
            problem = Problem(where=printable(path), reason=reason, advice="give every record an id of its own")
            self._object(problem, file, batch)
            return
        self.seen.add(document.id)
        self.touched.add(document.id)
        described = self.describing.describe(replace(entry, document=document), path)
        if described.hash == known_hash:
            batch.unchanged += 1
            return
        batch.entries.append(described)
        batch.passages += len(described.passages)
        batch.replaced += document.id in self.known.documents

    def _end(self, path: Path, ended: Ended, file: _File, batch: Batch) -> None:
        batch.ended += 1
        if file.copy_of:
            self._copies.append((path, file.copy_of, ended))
            return
        name = printable(path)
        stored = self._stored.get(name, ())
        sound = bool(ended.hash) and all(problem.lasting for problem in file.problems)
        state: FileState = "unchanged" if ended.unchanged else "read" if sound else "failed"
        batch.news.append(FileProgress(path=name, state=state, seconds=ended.seconds))
        if sound:
            self._sound.add(name)
        if ended.unchanged or not sound:
            self.seen.update(stored)  # not taken for gone
        if ended.unchanged:
            batch.unchanged += len(stored)
        else:
            batch.sources.append(_source(name, ended, file.problems, ended.hash if sound else None))

    def _settle_copies(self, batch: Batch) -> None:
        """Tell of each copy whose original is in the library; the others are to be read for themselves."""
        for path, owner, ended in self._copies:
            name = printable(path)
            if owner not in self._sound:
                self.again.append(path)
                continue
            advice = "it is in the library once; nothing to do"
            problem = Problem(where=name, reason=same_content(owner), advice=advice, lasting=True)
            batch.problems.append(problem)
            batch.duplicates += 1
            batch.news.append(FileProgress(path=name, state="unchanged"))
            batch.sources.append(_source(name, ended, (problem,), None))


def _source(name: str, ended: Ended, problems: Sequence[Problem], digest: str | None) -> Source:
    return Source(
        path=name,
        hash=digest,
        read=time.time(),
        seconds=ended.seconds,
        bytes=ended.bytes,
        problems=tuple(problems),
    )


def same_content(path: str) -> str:
    """Return what is told of a file that holds just what this one holds."""
    return f"it has the same content as {path}"
