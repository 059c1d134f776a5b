"""Turn settings into parts. With `wiring_readers` the one place that knows adapters; each is imported only when it is wanted."""

import os
import sys
from typing import TYPE_CHECKING

from scholarmind.library.retrieval import Retrieval
from scholarmind.library.retriever import LibraryRetriever
from scholarmind.library.wire import frame
from scholarmind.library.workers import Workers
from scholarmind.ports import Embedder, Enricher, Journal, Searcher
from scholarmind.settings import Settings
from scholarmind.steps.journal import Basis
from scholarmind.steps.options import Options

if TYPE_CHECKING:
    from scholarmind.adapters.local import LocalStore
    from scholarmind.adapters.runs import Runs
    from scholarmind.engine import Engine

_KEYLESS = "1"  # the version of what answers without a model: another one has other findings
_OPTIONS = "max_parts places selection rounds confidence part_seconds run_seconds".split()
_FOR_READING = "max_file_megabytes max_pages ocr passage_tokens passage_overlap reading_megabytes".split()
_RESTS_ON = "fusion dense_weight unknown_limit glossary".split()  # what changes an answer, beside the options


def embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of these settings; its model is loaded when it is first used."""
    if settings.embedder == "openai":
        from scholarmind.adapters.openai_embedder import OpenAIEmbedder  # noqa: PLC0415

        return OpenAIEmbedder(
            base_url=settings.embedding_base_url,
            model=settings.embedding_model,
            api_key=settings.embedding_api_key,
            batch=settings.embedding_batch,
            timeout=settings.embedding_timeout,
        )
    if settings.embedder == "minilm":
        from scholarmind.adapters.minilm import MiniLM  # noqa: PLC0415

        return MiniLM(precision=settings.embedding_precision, threads=settings.embedding_threads)
    return None


def store(settings: Settings, fingerprint: str, *, create: bool) -> "LocalStore":
    """Return the store in the library's folder."""
    from scholarmind.adapters.local import LocalStore  # noqa: PLC0415

    return LocalStore(settings.library, fingerprint=fingerprint, lock_wait=settings.lock_wait, create=create)


def runs(settings: Settings) -> "Runs":
    """Return the runs of the library; their file is made by the first question."""
    from scholarmind.adapters.runs import Runs  # noqa: PLC0415

    return Runs(settings.library / "runs.db")


def options(settings: Settings) -> Options:
    """Return the options of the reading path that these settings ask for."""
    return Options(**{name: getattr(settings, name) for name in _OPTIONS})


def retrieval(settings: Settings, searcher: Searcher, embedder: Embedder | None) -> Retrieval:
    """Return the search of a library."""
    return Retrieval(
        store=searcher,
        embedder=embedder,
        unknown_limit=settings.unknown_limit,
        fusion=settings.fusion,
        dense_weight=settings.dense_weight,
        glossary=settings.glossary,
    )


def engine(
    settings: Settings,
    store: "LocalStore",
    retriever: LibraryRetriever,
    *,
    journal: Journal | None = None,
    chosen: Options | None = None,
) -> "Engine":
    """Return the engine that reads this library without a model."""
    from scholarmind.engine import Engine  # noqa: PLC0415
    from scholarmind.planning.keyless import KeylessPlanner  # noqa: PLC0415
    from scholarmind.planning.planner import RulePlanner  # noqa: PLC0415

    chosen = chosen or options(settings)
    embedder = retriever.retrieval.embedder
    rest_on = {name: getattr(settings, name) for name in _RESTS_ON} | {
        "options": chosen,
        "mode": retriever.mode,
        "within": retriever.within,
    }
    return Engine(
        retriever=retriever,
        planner=KeylessPlanner(rules=RulePlanner(cap=chosen.max_parts), embedder=embedder, decompose=chosen.decompose),
        names=store,
        links=retriever,
        lexicon=store,
        journal=journal,
        basis=Basis(
            library=str(store.database.last_change()),
            settings=rest_on,
            models={"embedder": store.fingerprint, "keyless": _KEYLESS},
        ),
        options=chosen,
    )


def workers(settings: Settings) -> Workers:
    """Return the child processes that read files with these settings."""
    return Workers(
        command=(sys.executable, "-P", "-m", "scholarmind.worker"),
        hello=frame({name: getattr(settings, name) for name in _FOR_READING}),
        count=settings.reading_processes or os.cpu_count() or 1,
        silence=settings.reading_seconds,
    )


def enricher(settings: Settings) -> Enricher | None:
    """Return the on-line catalogues, if they may be asked."""
    if not settings.online:
        return None
    from scholarmind.adapters.catalogues import Catalogues  # noqa: PLC0415

    return Catalogues(
        cache=settings.library / "catalogues.db", email=settings.online_email, openalex_key=settings.online_openalex_key
    )
