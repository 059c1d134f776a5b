"""The library as Python programs use it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from scholarmind import wiring, wiring_readers
from scholarmind.answer import Answer
from scholarmind.blocking import Stream, both
from scholarmind.errors import QueryError
from scholarmind.events import Event, OnEvent, ignore
from scholarmind.filters import Filter, parse_filter
from scholarmind.layout import Box
from scholarmind.library.describing import corrected
from scholarmind.library.facts import parse_correction
from scholarmind.library.ingest import Ingestion
from scholarmind.library.match_report import MatchReport
from scholarmind.library.report import Report
from scholarmind.library.retriever import LibraryRetriever
from scholarmind.library.shelving import report_of
from scholarmind.library.watching import changes, when_free
from scholarmind.model import NO_EMBEDDER, Counts, Document, Entry, Evidence, Found, Mode
from scholarmind.plan import Plan
from scholarmind.ports import Cited, Embedder, Journal, Source
from scholarmind.running import asked, carry_out
from scholarmind.settings import Settings
from scholarmind.steps.options import Options
from scholarmind.text.names import storable

if TYPE_CHECKING:
    from scholarmind.engine import Engine  # its rules take a while to be read, and only questions need them


class Library:
    """Documents on disk that can be searched. Every method can be called or, as `library.search.aio(...)`, awaited."""

    def __init__(self, settings: Settings, *, create: bool = True, embedder: Embedder | None = None) -> None:
        """Open by settings; `embedder` takes the place of the one that they name."""
        self.settings = settings
        self._embedder = embedder or wiring.embedder(settings)
        fingerprint = self._embedder.fingerprint if self._embedder else NO_EMBEDDER
        self.store = wiring.store(settings, fingerprint, create=create)
        self.runs = wiring.runs(settings)

    @classmethod
    def open(cls, path: str | Path | None = None, *, create: bool = True, **settings: Any) -> "Library":
        """Open the library in this folder (by default the user's own), with any of the settings."""
        return cls(Settings.load(library=path, **settings), create=create)

    def close(self) -> None:
        """Let go of every file."""
        self.runs.close()
        self.store.close()

    def __enter__(self) -> "Library":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @both
    async def add(
        self,
        paths: Iterable[str | Path] | str | Path = (),
        *,
        collection: str = "default",
        bibliographies: Iterable[str | Path] | str | Path = (),
        prune: bool = False,
        on_event: OnEvent = ignore,
    ) -> Report:
        """Take in files, folders and patterns; unchanged ones cost nothing. Without paths, finish what was begun."""
        self.store.check_fingerprint()
        ingestion = Ingestion(
            store=self.store,
            embedder=self._embedder,
            reading=wiring_readers.file_reading(self.settings),
            workers=wiring.workers(self.settings),
            unknown_limit=self.settings.unknown_limit,
            enricher=wiring.enricher(self.settings),
            on_event=on_event,
        )
        return await ingestion.add(
            _several(paths), storable(collection), bibliographies=_several(bibliographies), prune=prune
        )

    @both
    async def watch(
        self,
        paths: Iterable[str | Path] | str | Path,
        *,
        collection: str = "default",
        bibliographies: Iterable[str | Path] | str | Path = (),
        every: float = 2.0,
        on_report: Callable[[Report], None] | None = None,
        on_event: OnEvent = ignore,
    ) -> None:
        """Keep the collection in step with files and folders until it is cancelled; what is gone there is removed here."""
        chosen, lists = list(_several(paths)), list(_several(bibliographies))
        async for _ in changes((*chosen, *lists), every):
            adding = partial(
                self.add.aio, chosen, collection=collection, bibliographies=lists, prune=True, on_event=on_event
            )
            report = await when_free(adding, every)
            if on_report is not None:
                on_report(report)

    @both
    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filter: Filter | str | None = None,
        per_document: int | None = None,
    ) -> Found:
        """Return the best passages for a question."""
        retrieval = wiring.retrieval(self.settings, self.store, self._embedder)
        return await retrieval.search(question, k, mode=mode, filter=_parsed(filter), per_document=per_document)

    @both
    async def ask(
        self,
        question: str = "",
        *,
        plan: Plan | None = None,
        run: str = "",
        filter: Filter | str | None = None,
        on_event: OnEvent = ignore,
    ) -> Answer:
        """Return a cited answer, checked part by part. `plan` is carried out as it is; `run` goes on with one that was cut short."""
        wanted = asked(question, plan, run, await self.runs.find(run) if run else None, _parsed(filter))
        engine = self._engine(filter=wanted.within, journal=self.runs.journal)
        return await carry_out(engine, wanted, self.runs, engine.basis.settings, on_event)

    def stream(
        self, question: str, *, plan: Plan | None = None, run: str = "", filter: Filter | str | None = None
    ) -> Stream[Event, Answer]:
        """Ask, and go through what happens with `for` or `async for`; `result` is the answer when that ends."""
        return Stream(lambda report: self.ask.aio(question, plan=plan, run=run, filter=filter, on_event=report))

    @both
    async def plan(self, question: str, *, filter: Filter | str | None = None) -> Plan:
        """Return how a question would be taken apart."""
        return await self._engine(filter=filter).plan(question)

    @both
    async def retrieve(
        self,
        question: str,
        places: Sequence[int] = (10,),
        *,
        mode: Mode = "hybrid",
        options: Options | None = None,
    ) -> dict[int, tuple[Evidence, ...]]:
        """Return the passages that an answer would be written from, for each number of places."""
        return await self._engine(mode=mode, options=options).retrieve(question, places)

    @both
    async def remove(self, ids: Iterable[str], *, collection: str = "default") -> int:
        """Remove documents by id and return how many there were."""
        return await self.store.remove(collection, list(ids))

    @both
    async def documents(self, filter: Filter | str | None = None, limit: int | None = None) -> list[Document]:
        """Return the documents that pass."""
        return await self.store.documents(_parsed(filter), limit)

    @both
    async def counts(self) -> dict[str, Counts]:
        """Return how much each collection holds."""
        return await self.store.counts()

    @both
    async def text(self, id: str, *, collection: str = "default") -> str | None:
        """Return the whole text of a document, which the offsets of its passages count in."""
        return await self.store.text(collection, id)

    @both
    async def entry(self, id: str, *, collection: str = "default") -> Entry | None:
        """Return a document with its text, passages, layout, references, and what is said of each of its fields by whom."""
        return await self.store.entry(collection, id)

    @both
    async def boxes(self, id: str, start: int, end: int, *, collection: str = "default") -> list[Box]:
        """Return where these characters of a document stand on its pages; nothing for what has no pages."""
        layout = await self.store.layout(collection, id)
        return [] if layout is None else layout.boxes(start, end)

    @both
    async def references(self, id: str, *, collection: str = "default") -> list[Cited]:
        """Return the works that a document cites, with those that are in the library."""
        return await self.store.references(collection, id)

    @both
    async def citing(self, id: str, *, collection: str = "default") -> list[str]:
        """Return the ids of the documents that cite this one."""
        return await self.store.citing(collection, id)

    @both
    async def correct(self, id: str, corrections: Iterable[str], *, collection: str = "default") -> Document:
        """Correct fields of a document by hand ("year=2019"); that survives reading it again. An empty value takes one back."""
        parsed = [parse_correction(text) for text in corrections]
        async with self.store.writing():
            entry = await self.store.entry(collection, id)
            if entry is None:
                raise QueryError(f"there is no document {id!r} in {collection!r}; 'scholarmind search' shows ids")
            for field, value in parsed:
                await self.store.correct(collection, id, field, value)
            described = corrected(entry, (await self.store.corrected(collection)).get(id, {}))
            await self.store.put([described])
        return described.document

    @both
    async def sources(self, collection: str | None = None) -> list[tuple[str, Source]]:
        """Return what became of each file, by collection."""
        return await self.store.sources(collection)

    @both
    async def matches(self, collection: str = "default") -> MatchReport | None:
        """Return how bibliographies and files went together when they were last added."""
        return report_of(await self.store.listed(collection))

    @both
    async def reembed(self, *, on_event: OnEvent = ignore) -> Report:
        """Embed every passage again, with the embedder of the settings."""
        await self.store.forget_vectors()
        return await self.add.aio(on_event=on_event)

    @both
    async def rebuild(self) -> None:
        """Make the derived indexes anew from the truth."""
        await self.store.rebuild()

    def _engine(
        self,
        *,
        filter: Filter | str | None = None,
        mode: Mode = "hybrid",
        options: Options | None = None,
        journal: Journal | None = None,
    ) -> "Engine":
        retrieval = wiring.retrieval(self.settings, self.store, self._embedder)
        retriever = LibraryRetriever(retrieval=retrieval, mode=mode, within=_parsed(filter))
        return wiring.engine(self.settings, self.store, retriever, journal=journal, chosen=options)


def _several(paths: Iterable[str | Path] | str | Path) -> Iterable[str | Path]:
    return [paths] if isinstance(paths, (str, Path)) else paths


def _parsed(filter: Filter | str | None) -> Filter | None:
    return parse_filter(filter) if isinstance(filter, str) else filter
