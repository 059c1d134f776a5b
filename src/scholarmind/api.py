"""The library as Python programs use it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from scholarmind import nodes, wiring, wiring_readers, wiring_structures
from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.errors import QueryError
from scholarmind.events import OnEvent, ignore
from scholarmind.filters import Filter, written
from scholarmind.filters import both as narrowed
from scholarmind.layout import Box
from scholarmind.library.bibliographies import citation_keys, report_of
from scholarmind.library.descriptions import corrected, parse_correction
from scholarmind.library.filtering import check_correction, emptied, resolve, resolve_anywhere
from scholarmind.library.ingest import EMBEDDED_AT_ONCE, Ingestion, embed
from scholarmind.library.report import MatchReport, Report
from scholarmind.library.source_files import Prune, changes, when_free
from scholarmind.library_ports import Cited, Follower, Reach, Source
from scholarmind.llm.language_models import Models
from scholarmind.model import NO_EMBEDDER, Counts, Document, Entry, Found, Mode, Problem, text_to_embed
from scholarmind.ports import Embedder
from scholarmind.questions import Questions
from scholarmind.settings import Settings, SettingsArguments
from scholarmind.steps.run_caches import Nothing
from scholarmind.text.untrusted import check_question, storable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from scholarmind.adapters.store import LocalStore
    from scholarmind.drafts.cited_documents import CitedWork
    from scholarmind.drafts.draft_reports import DraftReport
    from scholarmind.drafts.whole_drafts import DraftCheck, DraftReading
    from scholarmind.library.paper_graph import LibraryGraph
    from scholarmind.library.summary_tree import LibraryTree
    from scholarmind.library.tabulating.cell_answers import CellFinder
    from scholarmind.library.tabulating.paper_tables import LibraryTables
    from scholarmind.watching import WatchedQuestions

_OF_THE_LIBRARY = ("library", "lock_wait", *(item.name for item in fields(Settings) if item.name.startswith("embed")))


class Library(Questions):
    """Documents on disk that can be searched. Every method can be called or, as `library.search.aio(...)`, awaited."""

    def __init__(
        self,
        settings: Settings,
        *,
        create: bool | None = True,
        embedder: Embedder | None = None,
        models: Models | None = None,
    ) -> None:
        """Open by settings; `embedder` and `models` take the place of those that they name. Models are closed with the library.

        A library that is not there yet is made now (`create=True`), by what adds documents (None), or is an error (False).
        """
        self.settings = settings
        built_in = wiring.embedder(settings)
        self._embedder = embedder or built_in
        self._has_second = embedder is None or (built_in is not None and embedder.fingerprint == built_in.fingerprint)
        self._create = create
        self._steered = {}
        if create is not None or (settings.library / "library.db").exists():
            _ = self.store
        self.runs = wiring.runs(settings)
        if models is not None:
            self.models = models

    @classmethod
    def open(
        cls, path: str | Path | None = None, *, create: bool | None = None, **settings: Unpack[SettingsArguments]
    ) -> "Library":
        """Open the library in this folder (by default the user's own), with any of the settings.

        Where there is none, `add` makes it, and asking it for anything is an error; `create=True` makes it at once, and with False
        opening it is an error already.
        """
        return cls(Settings.load(library=path, **settings), create=create)

    @cached_property
    def store(self) -> "LocalStore":
        """The documents on disk."""
        fingerprint = self._embedder.fingerprint if self._embedder else NO_EMBEDDER
        return wiring.store(self.settings, fingerprint, create=bool(self._create))

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors, which other libraries of this process may share."""
        return self._embedder

    def close(self) -> None:
        """Let go of every file and connection."""
        if {"models", "cache"} & vars(self).keys():  # nothing was opened for what was never asked
            self._disconnect()
        self.runs.close()
        if "store" in vars(self):
            self.store.close()

    def __enter__(self) -> "Library":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> "Library":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close, and wait for the connections of this loop: `with` cannot, where the loop ends right after it."""
        await self._disconnect.aio()
        self.close()

    @both
    async def add(
        self,
        paths: Iterable[str | Path] | str | Path = (),
        *,
        collection: str = "default",
        bibliographies: Iterable[str | Path] | str | Path = (),
        prune: Prune = False,
        follow_links: bool | None = None,
        on_event: OnEvent = ignore,
    ) -> Report:
        """Take in files, folders and patterns; unchanged ones cost nothing. Without paths, finish what was begun.

        `prune` removes documents whose files are gone, but nothing of a folder that is missing, empty or nearly so, as where a drive is
        not mounted: `prune="really"` does that too. `follow_links` reads also what links lead to outside of the folders given.
        """
        self._create = True
        self.store.check_fingerprint()
        workforce = nodes.workforce(self.settings, self._embedder)
        ingestion = Ingestion(
            store=self.store,
            embedder=workforce.embedder,
            reading=wiring_readers.file_reading(self.settings),
            runner=workforce.runner,
            embedding_side_by_side=workforce.embedding_side_by_side,
            stored_at_once=self.settings.stored_at_once,
            follow_links=self.settings.follow_links if follow_links is None else follow_links,
            harmless=frozenset(self.settings.reading_here.split()),
            enricher=wiring.enricher(self.settings),
            followers=self._followers(),
            on_event=on_event,
        )
        try:
            return await ingestion.add(
                _several(paths), storable(collection), bibliographies=_several(bibliographies), prune=prune
            )
        finally:
            await workforce.close()

    @both
    async def watch(
        self,
        paths: Iterable[str | Path] | str | Path,
        *,
        collection: str = "default",
        bibliographies: Iterable[str | Path] | str | Path = (),
        every: float = 2.0,
        on_report: Callable[[Report], Awaitable[None] | None] | None = None,
        on_event: OnEvent = ignore,
    ) -> None:
        """Keep the collection in step with files and folders until it is cancelled; what is gone there is removed here.

        What came from a folder that has vanished or become empty is kept. Whatever cannot be used is reported when it begins to be so.
        """
        chosen, lists = list(_several(paths)), list(_several(bibliographies))
        told: list[Problem] = []
        async for _ in changes((*chosen, *lists), every, follow_links=self.settings.follow_links):
            adding = partial(
                self.add.aio, chosen, collection=collection, bibliographies=lists, prune=True, on_event=on_event
            )
            report = await when_free(adding, every)
            told, report.problems = report.problems, [problem for problem in report.problems if problem not in told]
            if on_report is not None and (rest := on_report(report)) is not None:
                await rest

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
        check_question(question)
        retrieval = wiring.retrieval(self.settings, self.store, self._embedder, self._second("query"))
        wanted = await self._checked(filter)
        found = await retrieval.search(question, k, mode=mode, filter=wanted, per_document=per_document)
        why = "" if found.evidence or wanted is None else await emptied(self.store, wanted, question)
        told = (*found.notices, *(() if mode == "keyword" else await self._standing(question)), *([why] if why else ()))
        return replace(found, notices=told)

    @both
    async def check(
        self,
        draft: str | Path,
        *,
        bibliographies: Iterable[str | Path] | str | Path = (),
        filter: Filter | str | None = None,
        budget: Budget | None = None,
        on_event: OnEvent = ignore,
    ) -> "DraftReport":
        """Hold every sentence of a draft of yours against what it cites, and return a remark on each.

        Keys are looked up in these bibliographies, or those that the draft names. With a language model what code is not sure of is put
        to it. Only documents that pass the filter count.
        """
        check = await self._draft_check(budget, await self._checked(filter))
        return await check.run(Path(draft), [Path(path) for path in _several(bibliographies)], on_event)

    @both
    async def unknown_keys(
        self, draft: str | Path, *, bibliographies: Iterable[str | Path] | str | Path = ()
    ) -> "Mapping[str, CitedWork]":
        """Return the keys of a draft that no bibliography has, each with the nearest right one."""
        from scholarmind.drafts.whole_drafts import unknown_keys  # noqa: PLC0415

        files = [Path(path) for path in _several(bibliographies)]
        documents = await self.store.documents()
        return await asyncio.to_thread(unknown_keys, self._draft_reading(), Path(draft), files, documents)

    @both
    async def remove(self, ids: Iterable[str], *, collection: str = "default") -> int:
        """Remove documents by id and return how many there were."""
        removed = await self.store.remove(collection, list(ids))
        await self._follow()
        return removed

    @both
    async def documents(
        self, filter: Filter | str | None = None, limit: int | None = None, *, start: int = 0
    ) -> list[Document]:
        """Return the documents that pass, in the order in which they came: so many, after leaving out those before `start`."""
        return await self.store.documents(await self._checked(filter), limit, start=start)

    @both
    async def counts(self) -> dict[str, Counts]:
        """Return how much each collection holds."""
        return await self.store.counts()

    @both
    async def reach(self) -> Reach | None:
        """Return how far the second vectors are, for questions in several languages; None where the settings want none."""
        second = self._second("passage")
        return None if second is None else await self.store.multilingual.reach(second.fingerprint)

    @both
    async def text(self, id: str, *, collection: str = "default") -> str | None:
        """Return the whole text of a document, which the offsets of its passages count in."""
        return await self.store.text(collection, id)

    @both
    async def entry(self, id: str, *, collection: str = "default") -> Entry | None:
        """Return a document with its text, passages, layout, references, and what is said of each of its fields by whom."""
        return await self.store.entry(collection, id)

    @both
    async def resolve(self, named: str, *, collection: str = "default") -> str:
        """Return the id of the one document that is meant: by its id or its beginning, the user's citation key, its title or an alias."""
        return await resolve(self.store, named, collection)

    @both
    async def locate(self, named: str) -> tuple[str, str]:
        """Return the collection and the id of the one document that is meant: in "default", else in the only collection that has it."""
        return await resolve_anywhere(self.store, named)

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
        id, stored = await resolve(self.store, id, collection), await self.store.fields()
        for field, _ in parsed:
            check_correction(field, stored)
        async with self.store.writing():
            entry = await self.store.entry(collection, id)
            if entry is None:
                raise QueryError(f"the document {id!r} was removed from {collection!r} this moment")
            by_hand = (await self.store.corrected(collection)).get(id, {}) | dict(parsed)
            described = corrected(entry, {field: value for field, value in by_hand.items() if value is not None})
            vectors = await self._embed_anew(entry, described)
            for field, value in parsed:
                await self.store.correct(collection, id, field, value)
            await self.store.put([described], vectors)
        await self._follow()
        return described.document

    @property
    def graph(self) -> "LibraryGraph":
        """The graph of papers: what documents state of methods, data sets, authors and each other."""
        from scholarmind.library.paper_graph import LibraryGraph  # noqa: PLC0415

        return LibraryGraph(self.store, self.store.graph, lambda: self.models, self.settings.llm_concurrency)

    @property
    def tables(self) -> "LibraryTables":
        """The literature tables: a row a paper, a column a question, each cell with its place."""
        from scholarmind.library.tabulating.paper_tables import LibraryTables  # noqa: PLC0415

        def finder() -> "CellFinder":
            retrieval = wiring.retrieval(self.settings, self.store, self._embedder, self._second("query"))
            return wiring.cell_finder(self.settings, self.store, retrieval)

        return LibraryTables(self.store, self.store.tables, finder, lambda: self.models, self.settings.llm_concurrency)

    @property
    def tree(self) -> "LibraryTree":
        """The trees of summaries: what passages have in common, from the smallest groups up."""
        from scholarmind.library.summary_tree import LibraryTree  # noqa: PLC0415

        tree, concurrency = self.store.tree, self.settings.llm_concurrency
        return LibraryTree(store=self.store, tree=tree, models=lambda: self.models, concurrency=concurrency)

    @property
    def watched(self) -> "WatchedQuestions":
        """The questions that are asked again after each change of the documents, and what became of their answers."""
        from scholarmind.watching import WatchedQuestions  # noqa: PLC0415

        return WatchedQuestions(self, self._asked_with)

    @asynccontextmanager
    async def _asked_with(self, chosen: Mapping[str, Any]) -> AsyncGenerator[Questions]:
        """Give this library with some other settings: the same documents, embedder and runs, and models of its own if others are chosen."""
        _ = self.store, self.cache, self.models  # what is shared is opened, and closed, by this one
        other = copy(self)
        if chosen.keys() <= {"effort"}:
            other.settings = replace(self.settings, **chosen)
        else:
            own = {name: getattr(self.settings, name) for name in _OF_THE_LIBRARY}
            other.settings = replace(Settings.load(library=self.settings.library, **chosen), **own)
        for name in ("reranker", *(("models", "cache") if "llm" in chosen else ())):
            vars(other).pop(name, None)
        if other.settings.cache == "none":
            vars(other)["cache"] = None
        try:
            yield other
        finally:
            for opened in (vars(other).get(name) for name in ("models", "cache")):
                if opened is not None and opened is not self.models and opened is not self.cache:
                    await opened.close()

    @both
    async def sources(self, collection: str | None = None) -> list[tuple[str, Source]]:
        """Return what became of each file, by collection."""
        return await self.store.sources(collection)

    @both
    async def matches(self, collection: str = "default") -> MatchReport | None:
        """Return how bibliographies and files went together when they were last added."""
        return report_of(await self.store.listed(collection))

    @both
    async def citation_keys(self, documents: Iterable[Document]) -> dict[tuple[str, str], str]:
        """Return the keys by which the user's own bibliographies cite these documents, by collection and id; not all have one."""
        return await citation_keys(self.store, documents)

    @both
    async def reembed(self, *, on_event: OnEvent = ignore) -> Report:
        """Embed every passage again, with the embedder of the settings."""
        await self.store.forget_vectors()
        return await self.add.aio(on_event=on_event)

    @both
    async def rebuild(self) -> None:
        """Make the derived indexes anew from the truth, and bring up what is kept over the documents."""
        await self.store.rebuild()
        await self._follow()

    async def _embed_anew(self, before: Entry, now: Entry) -> "dict[str, npt.NDArray[np.float32] | None]":
        """Return the vectors of what an embedder is shown otherwise now: they come with the change, not some time after it."""
        old, new = ({text_to_embed(entry.document.title, each) for each in entry.passages} for entry in (before, now))
        texts = sorted(new - old)
        if self._embedder is None or not texts:
            return {}
        self.store.check_fingerprint()
        vectors: dict[str, npt.NDArray[np.float32] | None] = {}
        for start in range(0, len(texts), EMBEDDED_AT_ONCE):
            some = texts[start : start + EMBEDDED_AT_ONCE]
            vectors |= zip(some, await embed(self._embedder, some), strict=True)
        return vectors

    def _draft_reading(self) -> "DraftReading":
        from scholarmind.drafts.whole_drafts import DraftReading  # noqa: PLC0415

        settings = self.settings
        return DraftReading(
            readers=wiring_readers.readers(settings),
            bibliographies=wiring_readers.bibliographies(settings),
            max_bytes=settings.max_file_megabytes * 1_000_000,
        )

    async def _draft_check(self, budget: Budget | None, within: Filter | None) -> "DraftCheck":
        from scholarmind.drafts.whole_drafts import DraftCheck  # noqa: PLC0415

        models = self.models if self.settings.effort != "keyless" else None
        if models is not None:
            await models.named()
        documents = await self.store.documents(within)
        if within is not None and not documents:
            raise QueryError(f"no document passes {written(within)!r}, so nothing can be checked; widen the filter")
        return DraftCheck(
            library=_Checked(self, within),
            cache=self.cache.of("drafts") if self.cache else Nothing(),
            state=repr((await self.store.last_change(), self.store.fingerprint, *([within] if within else []))),
            reading=self._draft_reading(),
            documents=documents,
            models=models,
            budget=budget or Budget(),
            entailment=wiring.entailment(self.settings),
        )

    def _followers(self) -> tuple[Follower, ...]:
        return wiring_structures.followers(self.settings, self.store, self._second("passage"))

    async def _follow(self) -> None:
        """Bring what is kept over the documents up to a change of them."""
        for follower in self._followers():
            await follower.follow()

    @both
    async def _disconnect(self) -> None:
        for opened in (vars(self).get("models"), vars(self).pop("cache", None)):
            if opened is not None:
                await opened.close()


def _several(paths: Iterable[str | Path] | str | Path) -> Iterable[str | Path]:
    return [paths] if isinstance(paths, (str, Path)) else paths


@dataclass(frozen=True, slots=True)
class _Checked:
    """A library as the check of a draft asks it: all of it, or what passes a filter."""

    library: Library
    within: Filter | None = None

    async def search(self, question: str, k: int, filter: Filter | None, per_document: int | None) -> Found:
        return await self.library.search.aio(
            question, k, filter=narrowed(filter, self.within), per_document=per_document
        )

    async def entry(self, id: str, collection: str) -> Entry | None:
        return await self.library.entry.aio(id, collection=collection)
