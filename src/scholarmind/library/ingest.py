"""Take documents in: find, read, describe, store; then embed what waits. Every stage can be stopped anywhere and goes on where it was.

Documents are the same work that share a key of `identity.keys_of`, or their whole text.
"""

import asyncio
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from scholarmind import identity
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import AllOf, AnyOf, Compare
from scholarmind.library.bibliographies import Shelving, documents_of
from scholarmind.library.descriptions import Describing, with_facts
from scholarmind.library.file_reading import FileReading
from scholarmind.library.report import Report
from scholarmind.library.retrieval import UNKNOWN_LIMIT
from scholarmind.library.source_files import FoundFiles, Guard, Prune, find_files, guard_of
from scholarmind.library.workers import Batch, BatchBuilder, Runner, read_here, same_content
from scholarmind.library_ports import Catalog, Enricher, Follower, Known, Shelf, Source, Store, Waiting
from scholarmind.model import Document, Entry, Fact, Problem
from scholarmind.ports import Embedder
from scholarmind.text.likeness import share_people, title_of
from scholarmind.text.untrusted import printable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# -- two documents

Kind = Literal["content", "DOI", "arXiv", "preprint", "title"]
_MOST_YEARS_APART = 2
_PREPRINT_KINDS = frozenset({"preprint", "posted-content", "submitted"})
_PREPRINT_SERVERS = (
    "arxiv",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "psyarxiv",
    "ssrn",
    "research square",
    "techrxiv",
    "corr",
)

_PREPRINT_DOIS = tuple(  # of bioRxiv, Research Square, ChemRxiv, PsyArXiv, OSF, SSRN, preprints.org, TechRxiv
    f"doi:10.{number}/" for number in (1101, 21203, 26434, 31234, 31219, 2139, 20944, 36227)
)

_VENUES = ("journal", "journaltitle", "booktitle", "container-title", "venue", "publisher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """A document that is the same work as `other`, and by what."""

    document: Document
    other: Document
    kind: Kind

    def __str__(self) -> str:
        first, second = _called(self.document), _called(self.other)
        match self.kind:
            case "content":
                return f"{first} has the same content as {second}; one of them can go"
            case "preprint":
                preprint = (first, second) if _is_preprint(self.document) else (second, first)
                return f"{preprint[0]} is the preprint of {preprint[1]}; cite the publication"
            case "title":
                return f"{first} has the same title as {second}; they may be versions of one work"
            case _:
                return f"{first} has the same {self.kind} as {second}; they are one work"


def duplicates(
    document: Document, others: Iterable[Document], *, same_content: Collection[str] = ()
) -> tuple[Duplicate, ...]:
    """Return which of the others are the same work; `same_content` holds the ids of those with the same text."""
    return tuple(_found(document, others, same_content))


def _found(document: Document, others: Iterable[Document], same_content: Collection[str]) -> Iterator[Duplicate]:
    keys = frozenset(identity.keys_of(document))
    for other in others:
        if (other.collection, other.id) == (document.collection, document.id):
            continue
        kind = "content" if other.id in same_content else _kind(document, other, keys)
        if kind:
            yield Duplicate(document=document, other=other, kind=kind)


def _kind(document: Document, other: Document, keys: frozenset[str]) -> Kind | None:
    others = frozenset(identity.keys_of(other))
    shared = keys & others
    one_is_preprint = _is_preprint(document) != _is_preprint(other)
    if one_is_preprint and shared and (_has(shared, "arxiv:") or _titles_tell(document, other)):
        return "preprint"
    if _has(shared, "doi:"):
        return "DOI"
    if _has(shared, "arxiv:"):
        return "arXiv"
    if not _has(shared, "title:") or not _titles_tell(document, other):
        return None
    apart = _has(keys, "doi:") and _has(others, "doi:")
    return None if apart and not share_people(document.authors, other.authors) else "title"


def _titles_tell(document: Document, other: Document) -> bool:
    """Tell whether the same title means the same work: not if it is one that many have, nor if years and authors contradict."""
    if not title_of(document.title).names_a_work:
        return False
    shared = share_people(document.authors, other.authors)
    apart = abs(document.year - other.year) if document.year and other.year else 0
    return bool(shared) or apart <= _MOST_YEARS_APART


def _is_preprint(document: Document) -> bool:
    """Tell whether a document says that it is a preprint, and not that it came out since."""
    told = [str(document.metadata.get(name, "")).casefold().strip() for name in _VENUES]
    if any(venue and not venue.startswith(_PREPRINT_SERVERS) for venue in told):
        return False
    if document.kind.casefold() in _PREPRINT_KINDS or any(told):
        return True
    keys = frozenset(identity.keys_of(document))
    return any(key.startswith(_PREPRINT_DOIS) for key in keys) or (_has(keys, "arxiv:") and not _has(keys, "doi:"))


def _has(keys: Iterable[str], kind: str) -> bool:
    return any(key.startswith(kind) for key in keys)


def _called(document: Document) -> str:
    year = f", {document.year}" if document.year else ""
    return f"{document.id} ({document.title}{year})" if document.title else document.id


# -- new documents and the library

_NO_PAPERS = frozenset({"record", "note", "text", "table", "mail", "notebook"})  # many of those share a title


class _Store(Catalog, Shelf, Protocol):
    """The documents of a library, and how they hang together."""


async def duplicates_in_library(
    store: _Store, collection: str, entries: Sequence[Entry], going: Mapping[str, Collection[tuple[str, str]]]
) -> list[Problem]:
    """Return a problem for each new document that is a work of another one; nothing has to be done about it.

    `going` are for each new document the origins and ids of entries without a file that go because this is their file.
    """
    new = {entry.document.id: entry.document for entry in entries if entry.document.kind not in _NO_PAPERS}
    keys: dict[str, set[str]] = {}
    for document in new.values():
        for key in identity.keys_of(document):
            keys.setdefault(key, set()).add(document.id)
    same = await store.same(collection, list(keys)) if keys else []
    wanted = {id for key, id in same if keys[key] != {id}}
    if not wanted:
        return []
    ids = AnyOf(tuple(Compare("id", "=", id) for id in sorted(wanted)))
    others = await store.documents(AllOf((Compare("collection", "=", collection), ids)))
    known = {document.id: document for document in others if document.kind not in _NO_PAPERS}
    return [
        _problem(found)
        for found in _pairs(new, known)
        if (found.other.origin, found.other.id) not in going.get(found.document.id, ())
    ]


def _pairs(new: Mapping[str, Document], known: Mapping[str, Document]) -> Iterator[Duplicate]:
    """Yield each pair once, also where both are new."""
    for document in new.values():
        others = (other for other in known.values() if other.id not in new or other.id > document.id)
        yield from duplicates(document, others)


def _problem(found: Duplicate) -> Problem:
    advice = f"both are kept; remove one with: scholarmind remove {found.other.id}"
    return Problem(where=found.document.origin, reason=str(found), advice=advice, lasting=True)


# -- asking catalogues

_SURE = 0.9  # what is less sure than this may be asked about
_ASKED_FOR = ("title", "authors", "year")


@dataclass(frozen=True, slots=True)
class Enriching:
    """Everything that asking needs. It holds the library only to write."""

    store: Store
    enricher: Enricher
    collection: str
    on_event: OnEvent

    async def run(self, report: Report) -> None:
        """Ask about each doubtful document once, and keep what is said."""
        facts = await self.store.facts(self.collection)
        known = await self.store.documents(Compare("collection", "=", self.collection))
        doubtful = [document for document in known if _is_doubtful(document, facts.get(document.id, ()))]
        for done, document in enumerate(doubtful, 1):
            found = await self.enricher.look_up(document)
            if found:
                entry = await self.store.entry(self.collection, document.id)
                if entry is not None:
                    said = [replace(fact, by="catalogue") for fact in found]
                    await self.store.put([with_facts(entry, said, by="catalogue")])
                report.enriched += 1
            self.on_event(Progress(stage="online", done=done, total=len(doubtful), unit="works"))
        for notice in self.enricher.notices:
            problem = Problem(where="on-line catalogues", reason=notice, advice="add again with --online later")
            report.problems.append(problem)
            self.on_event(problem)


def _is_doubtful(document: Document, facts: Sequence[Fact]) -> bool:
    """Tell whether a work can be asked about, was not yet, and who wrote what when is not sure."""
    asked = any(fact.by == "catalogue" for fact in facts)
    if asked or document.kind in _NO_PAPERS or not any(identity.keys_of(document)):
        return False
    sure = {fact.field: fact.sure for fact in sorted(facts, key=lambda fact: fact.sure)}  # the surest is the last
    missing = not document.authors or document.year is None
    return missing or any(sure.get(name, 1.0) < _SURE for name in _ASKED_FOR)


# -- ingestion

EMBEDDED_AT_ONCE = 32
_LOOKED_AHEAD = 8  # so many batches are sorted by length together, which saves padding
_FEW_FILES = 32
_FEW_BYTES = 1_000_000  # a child process takes a tenth of a second to start


@dataclass(frozen=True, slots=True, kw_only=True)
class _PathContents:
    """What the paths of an `add` hold now: files to be read, and bibliographies, found among them or named."""

    found: FoundFiles
    named: FoundFiles
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
    """Everything that adding documents needs. `reading` is used in this process only for few and harmless files."""

    store: Store
    embedder: Embedder | None
    reading: FileReading
    runner: Runner  # reads all others: children of this process, or other machines
    embedding_side_by_side: int = 1  # batches that the embedder is given at once
    stored_at_once: int = 2_000  # passages
    follow_links: bool = False
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
        prune: Prune = False,
    ) -> Report:
        """Bring the collection up to what the paths hold now."""
        report = Report()
        asked = await asyncio.to_thread(self._asked_for, paths, bibliographies)
        report.ignored = asked.found.ignored
        self._tell(report, (*asked.found.problems, *asked.named.problems))
        async with self.store.writing():
            if asked.is_anything:
                # keep in mind where other disks begin: only so is it known later that one of them is not mounted
                found = {printable(folder) for folder in (*asked.found.mounts, *asked.named.mounts)}
                if found - await self.store.mounts():
                    await self.store.note_mounts(found)
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
        while waiting := await self.store.waiting(EMBEDDED_AT_ONCE * max(_LOOKED_AHEAD, self.embedding_side_by_side)):
            waiting.sort(key=lambda item: len(item.text))
            starts = range(0, len(waiting), EMBEDDED_AT_ONCE)
            batches = iter([waiting[start : start + EMBEDDED_AT_ONCE] for start in starts])
            side_by_side = [
                asyncio.create_task(self._embed_batches(self.embedder, batches, report, total))
                for _ in range(self.embedding_side_by_side)
            ]
            try:
                await asyncio.gather(*side_by_side)
            finally:
                for task in side_by_side:  # where one failed
                    task.cancel()

    async def _embed_batches(
        self, embedder: Embedder, batches: Iterator[list[Waiting]], report: Report, total: int
    ) -> None:
        """Embed and store one batch after another, of those that nobody took yet."""
        for batch in batches:
            vectors = await embed(embedder, [item.text for item in batch])
            await self.store.fill({item.number: vector for item, vector in zip(batch, vectors, strict=True)})
            report.unsuited += (unsuited := sum(vector is None for vector in vectors))
            report.embedded += len(batch) - unsuited
            self.on_event(Progress(stage="embed", done=report.embedded + report.unsuited, total=total, unit="passages"))

    async def _fill(self, asked: _PathContents, collection: str, report: Report, *, prune: Prune) -> None:
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
        guard = await self._guard(asked, known, report, prune) if prune else None
        if guard:
            await shelving.forget(guard.lost)
        describing = Describing(
            entries=shelving.entries,
            corrections=corrections,
            catalogued=await self.store.facts(collection, by="catalogue"),
        )
        gathering = BatchBuilder(
            collection=collection, known=known, describing=describing, stored_at_once=self.stored_at_once
        )
        await self._store_all(gathering, asked.files, report)
        if guard:
            shelving.known = await self._prune(guard, gathering, report)
        await shelving.settle(describing, gathering, report)
        if guard:
            report.removed += await shelving.prune(guard.lost, gathering)

    async def _guard(self, asked: _PathContents, known: Known, report: Report, prune: Prune) -> Guard:
        """Return what tells which files are gone; say which folders are suspect, and what is kept for that."""
        mounts = await self.store.mounts()
        places = (asked.found, asked.named)
        found = await asyncio.to_thread(guard_of, places, asked.lost, known, mounts, prune)
        kept = found.kept(origin for _, origin in known.documents.values())
        report.kept += sum(count for _, count in kept)
        self._tell(report, [problem for problem, _ in kept])
        return found

    async def _store_all(self, gathering: BatchBuilder, files: Sequence[Path], report: Report) -> None:
        """Store what the files hold, and then what copies hold of files that turned out to be unusable."""
        await self._store_texts(gathering, files, report)
        while gathering.again:
            files, gathering = sorted(gathering.again), await self._following(gathering)
            report.files -= len(files)  # they were counted when they were passed over
            await self._store_texts(gathering, files, report)

    async def _following(self, gathering: BatchBuilder) -> BatchBuilder:
        """Return one that goes on from what is stored by now."""
        return replace(gathering, known=await self.store.known(gathering.collection), again=[])

    async def _store_texts(self, gathering: BatchBuilder, files: Sequence[Path], report: Report) -> None:
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

    async def _store(self, batch: Batch, gathering: BatchBuilder, report: Report) -> None:
        related: list[Problem] = []
        if batch.entries:
            await self.store.put(batch.entries)
            matches = {
                id: match
                for id in (entry.document.id for entry in batch.entries)
                if (match := gathering.describing.matches.get(id))
            }
            going = {
                id: {(one.document.origin, own) for one in (match.entry, *match.also) for own in documents_of(one)}
                for id, match in matches.items()
            }
            related = await duplicates_in_library(self.store, gathering.collection, batch.entries, going)
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

    async def _prune(self, guard: Guard, gathering: BatchBuilder, report: Report) -> Known:
        """Remove documents whose files are gone from the places given now; files of the same content take their place."""
        collection, known = gathering.collection, gathering.known
        gone = {
            identifier: origin
            for identifier, (_, origin) in known.documents.items()
            if identifier not in gathering.seen and origin not in gathering.bibliographies and guard.lost(origin)
        }
        files = [source.path for _, source in await self.store.sources(collection)]
        await self.store.forget(collection, await asyncio.to_thread(_gone, files, guard))
        if gone:
            report.removed += await self.store.remove(collection, list(gone))
            await self._take_twins(set(gone.values()), gathering, report)
        return replace(known, documents={id: some for id, some in known.documents.items() if id not in gone})

    async def _take_twins(self, gone: Collection[str], gathering: BatchBuilder, report: Report) -> None:
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
        return self.runner

    def _asked_for(self, paths: Iterable[str | Path], bibliographies: Iterable[str | Path]) -> _PathContents:
        readers, lists = self.reading.readers, self.reading.bibliographies
        suffixes = {*readers, *lists} - {".json"}  # most of those are no bibliographies
        found = find_files(paths, suffixes, follow_links=self.follow_links)
        named = find_files(bibliographies, lists.keys(), follow_links=self.follow_links)
        files = tuple(path for path in found.files if path.suffix.lower() in readers)
        others = (path for path in found.files if path.suffix.lower() not in readers)
        return _PathContents(
            found=found, named=named, files=files, bibliographies=tuple(dict.fromkeys((*others, *named.files)))
        )

    def _tell(self, report: Report, problems: Sequence[Problem]) -> None:
        report.problems += problems
        for problem in problems:
            self.on_event(problem)


async def embed(
    embedder: Embedder, texts: Sequence[str], unknown_limit: float = UNKNOWN_LIMIT
) -> "list[npt.NDArray[np.float32] | None]":
    """Return the vector of each text, None for what the embedder cannot make sense of."""
    found = await embedder.embed(texts)
    return [found.vectors[row] if share <= unknown_limit else None for row, share in enumerate(found.unknown)]


def _gone(files: Sequence[str], guard: Guard) -> list[str]:
    """Return which files were asked for and are not there any more."""
    return [path for path in files if guard.lost(path) and not lexists(path)]


def _with(source: Source, problems: Sequence[Problem]) -> Source:
    """Return what became of a file with what is told of its document."""
    own = tuple(problem for problem in problems if problem.where == source.path)
    return replace(source, problems=(*source.problems, *own)) if own else source
