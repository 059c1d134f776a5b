"""The library as Python programs use it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from scholarmind import wiring
from scholarmind.answer import Answer
from scholarmind.blocking import Stream, both
from scholarmind.events import Event, OnEvent, ignore
from scholarmind.filters import Filter, parse_filter
from scholarmind.library.ingest import Ingestion, Report
from scholarmind.library.passages import Cutting
from scholarmind.library.retriever import LibraryRetriever
from scholarmind.model import NO_EMBEDDER, Counts, Document, Evidence, Found, Mode
from scholarmind.plan import Plan
from scholarmind.ports import Embedder, Journal
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
        prune: bool = False,
        on_event: OnEvent = ignore,
    ) -> Report:
        """Take in files, folders and patterns; unchanged ones cost nothing. Without paths, finish what was begun."""
        self.store.check_fingerprint()
        ingestion = Ingestion(
            store=self.store,
            embedder=self._embedder,
            readers=wiring.readers(self.settings),
            cutting=Cutting(tokens=self.settings.passage_tokens, overlap=self.settings.passage_overlap),
            unknown_limit=self.settings.unknown_limit,
            on_event=on_event,
        )
        chosen = [paths] if isinstance(paths, (str, Path)) else paths
        return await ingestion.add(chosen, storable(collection), prune=prune)

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


def _parsed(filter: Filter | str | None) -> Filter | None:
    return parse_filter(filter) if isinstance(filter, str) else filter
