"""Take documents in: find, read, describe, store; then embed what waits. Every stage can be stopped anywhere and goes on where it was."""

import asyncio
import threading
from collections.abc import Collection, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from os.path import lexists
from pathlib import Path

from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.batches import Batch, Gathering, same_content
from scholarmind.library.describing import Describing
from scholarmind.library.enriching import Enriching
from scholarmind.library.files import Files, find_files
from scholarmind.library.kin import kin
from scholarmind.library.reading import FileReading
from scholarmind.library.report import Report
from scholarmind.library.shelving import Shelving
from scholarmind.library.workers import Runner, Workers, read_here
from scholarmind.library_ports import Enricher, Follower, Known, Source, Store
from scholarmind.model import Problem
from scholarmind.ports import Embedder

_EMBEDDED_AT_ONCE = 32
_LOOKED_AHEAD = 8  # so many batches are sorted by length together, which saves padding
_FEW_FILES = 32
_FEW_BYTES = 1_000_000  # a child process takes a tenth of a second to start


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the paths of an `add` hold now: files to be read, and bibliographies, found among them or named."""

    found: Files
    named: Files
    files: tuple[Path, ...]
    bibliographies: tuple[Path, ...]

    @property
    def is_anything(self) -> bool:
        return bool(self.found.places or self.named.places)

    def lost(self, origin: str) -> bool:
        """Tell whether a file that was not found belongs to what was asked for."""
        return self.found.lost(origin) or self.named.lost(origin)


@dataclass(kw_only=True)
class Ingestion:
    """Everything that adding documents needs. The readers of `reading` are used here only for few and harmless files."""

    store: Store
    embedder: Embedder | None
    reading: FileReading
    workers: Workers
    unknown_limit: float
    harmless: Set[str] = frozenset[str]()  # endings of files that are read by this process if they are few
    enricher: Enricher | None = None
    followers: Sequence[Follower] = ()  # what is kept over the documents, and follows every change of them
    on_event: OnEvent = ignore

    async def add(
        self,
        paths: Iterable[str | Path],
        collection: str,
        *,
        bibliographies: Iterable[str | Path] = (),
        prune: bool = False,
    ) -> Report:
        """Bring the collection up to what the paths hold now."""
        report = Report()
        asked = await asyncio.to_thread(self._asked_for, paths, bibliographies)
        report.ignored = asked.found.ignored
        self._tell(report, (*asked.found.problems, *asked.named.problems))
        async with self.store.writing():
            if asked.is_anything:
                await self._fill(asked, collection, report, prune=prune)
            await self.embed(report)
        if self.enricher is not None and asked.is_anything:
            await Enriching(self.store, self.enricher, collection, self.on_event).run(report)
            await self.embed(report)
        for follower in self.followers:
            await follower.follow(self.on_event)
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

    async def _fill(self, asked: _Asked, collection: str, report: Report, *, prune: bool) -> None:
        """Read bibliographies, then files, then bring the two together."""
        known = await self.store.known(collection)
        corrections = await self.store.corrected(collection)
        shelving = Shelving(
            store=self.store,
            collection=collection,
            known=known,
            cutting=self.reading.cutting,
            corrections=corrections,
        )
        await shelving.read(asked.bibliographies, self._runner(asked.bibliographies), report, self._tell)
        if prune:
            await shelving.forget(asked.lost)
        describing = Describing(
            entries=shelving.entries,
            corrections=corrections,
            catalogued=await self.store.facts(collection, by="catalogue"),
        )
        gathering = Gathering(collection=collection, known=known, describing=describing)
        await self._store_all(gathering, asked.files, report)
        if prune:
            shelving.known = await self._prune(asked, gathering, report)
        await shelving.settle(describing, gathering, report)
        if prune:
            report.removed += await shelving.prune(asked.lost, gathering)

    async def _store_all(self, gathering: Gathering, files: Sequence[Path], report: Report) -> None:
        """Store what the files hold, and then what copies hold of files that turned out to be unusable."""
        await self._store_texts(gathering, files, report)
        while gathering.again:
            files, gathering = sorted(gathering.again), await self._following(gathering)
            report.files -= len(files)  # they were counted when they were passed over
            await self._store_texts(gathering, files, report)

    async def _following(self, gathering: Gathering) -> Gathering:
        """Return one that goes on from what is stored by now."""
        return replace(gathering, known=await self.store.known(gathering.collection), again=[])

    async def _store_texts(self, gathering: Gathering, files: Sequence[Path], report: Report) -> None:
        batches = gathering.batches(files, self._runner(files))
        turn = threading.Lock()

        def following() -> Batch | None:
            with turn:
                return next(batches, None)

        def close() -> None:
            gathering.stop()
            with turn:
                batches.close()

        if files:
            self.on_event(Progress(stage="read", done=0, total=len(files), unit="files"))
        upcoming = asyncio.create_task(asyncio.to_thread(following))
        try:
            while batch := await upcoming:
                upcoming = asyncio.create_task(asyncio.to_thread(following))  # read on while this one is stored
                await self._store(batch, gathering, report)
                if batch.sources or batch.unchanged:
                    told = Progress(
                        stage="read", done=report.files, total=len(files), unit="files", passages=report.passages
                    )
                    self.on_event(told)
        finally:
            upcoming.cancel()
            await asyncio.shield(asyncio.to_thread(close))

    async def _store(self, batch: Batch, gathering: Gathering, report: Report) -> None:
        related: list[Problem] = []
        if batch.entries:
            await self.store.put(batch.entries)
            related = await kin(self.store, self.store, gathering.collection, batch.entries)
        if batch.sources:
            await self.store.note(gathering.collection, [_with(source, related) for source in batch.sources])
        batch.problems += related
        report.files += batch.ended
        report.added += len(batch.entries) - batch.replaced
        report.replaced += batch.replaced
        report.unchanged += batch.unchanged
        report.duplicates += batch.duplicates
        report.passages += batch.passages
        for news in batch.news:
            self.on_event(news)
        self._tell(report, batch.problems)

    async def _prune(self, asked: _Asked, gathering: Gathering, report: Report) -> Known:
        """Remove documents whose files are gone from the places given now; files of the same content take their place."""
        collection, known = gathering.collection, gathering.known
        gone = {
            identifier: origin
            for identifier, (_, origin) in known.documents.items()
            if identifier not in gathering.seen and origin not in gathering.bibliographies and asked.lost(origin)
        }
        files = [source.path for _, source in await self.store.sources(collection)]
        await self.store.forget(collection, await asyncio.to_thread(_gone, files, asked))
        if gone:
            report.removed += await self.store.remove(collection, list(gone))
            await self._take_twins(set(gone.values()), gathering, report)
        return replace(known, documents={id: some for id, some in known.documents.items() if id not in gone})

    async def _take_twins(self, gone: Collection[str], gathering: Gathering, report: Report) -> None:
        """Read files that had the content of one that is gone."""
        collection = gathering.collection
        told = {same_content(origin) for origin in gone}
        twins = [
            Path(source.path)
            for _, source in await self.store.sources(collection)
            if any(problem.reason in told for problem in source.problems)
        ]
        await self._store_all(await self._following(gathering), twins, report)

    def _runner(self, files: Sequence[Path]) -> Runner:
        """Return what reads these files: this process if they are few and harmless, children else."""
        if len(files) <= _FEW_FILES and all(path.suffix.lower() in self.harmless for path in files):
            with suppress(OSError):
                if sum(path.stat().st_size for path in files) <= _FEW_BYTES:
                    return partial(read_here, self.reading)
        return self.workers.read

    def _asked_for(self, paths: Iterable[str | Path], bibliographies: Iterable[str | Path]) -> _Asked:
        readers, lists = self.reading.readers, self.reading.bibliographies
        found = find_files(paths, {*readers, *lists} - {".json"})  # most of those are no bibliographies
        named = find_files(bibliographies, lists.keys())
        files = tuple(path for path in found.files if path.suffix.lower() in readers)
        others = (path for path in found.files if path.suffix.lower() not in readers)
        return _Asked(
            found=found, named=named, files=files, bibliographies=tuple(dict.fromkeys((*others, *named.files)))
        )

    def _tell(self, report: Report, problems: Sequence[Problem]) -> None:
        report.problems += problems
        for problem in problems:
            self.on_event(problem)


def _gone(files: Sequence[str], asked: _Asked) -> list[str]:
    """Return which files were asked for and are not there any more."""
    return [path for path in files if asked.lost(path) and not lexists(path)]


def _with(source: Source, problems: Sequence[Problem]) -> Source:
    """Return what became of a file with what is told of its document."""
    own = tuple(problem for problem in problems if problem.where == source.path)
    return replace(source, problems=(*source.problems, *own)) if own else source
