"""Turn settings into parts. With `wiring_models`, `wiring_readers` and `wiring_structures` the one place that knows adapters."""

import functools
import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholarmind import wiring_structures
from scholarmind.calls import Budget
from scholarmind.filters import Filter
from scholarmind.library.file_reading import frame
from scholarmind.library.filtering import NamesWithin
from scholarmind.library.retrieval import UNKNOWN_LIMIT, LibraryRetriever, Retrieval
from scholarmind.library.workers import Workers
from scholarmind.library_ports import Enricher
from scholarmind.llm.language_models import Models
from scholarmind.ports import Embedder, Journal, Reranker
from scholarmind.settings import Settings
from scholarmind.steps.journal import Basis
from scholarmind.steps.options import Options

if TYPE_CHECKING:
    from scholarmind.adapters.e5.reader import E5Entailment, E5Reader
    from scholarmind.adapters.e5.second_embedder import Side
    from scholarmind.adapters.responses import Responses
    from scholarmind.adapters.runs import Runs
    from scholarmind.adapters.store import LocalStore
    from scholarmind.engine import Engine
    from scholarmind.judge.answers import Likeness
    from scholarmind.library.tabulating.cell_answers import CellFinder
    from scholarmind.planning.plan_cache import WordingCache
    from scholarmind.planning.rule_planner import KeylessPlanner

# what plans and findings do not rest on: doors, measuring, tests
_BESIDE = frozenset("cli demo evaluation testing training __pycache__".split())
_CACHE_MEGABYTES = 200  # of replies and plans; the least used go first
_WEIGHTS = 10_000_000  # bytes; of larger files, which are weights that the build checks, only the size is looked at
_OPTIONS = (
    "strategy concepts scored roadmap graph tree max_parts max_items places rounds confidence part_seconds run_seconds "
    "rerank rerank_weight rerank_seconds "
    "plan_seconds evidence_tokens form length language translate library_only"
).split()
_FOR_READING = "max_file_megabytes max_pages ocr passage_tokens passage_overlap reading_megabytes".split()
_RESTS_ON = (  # beside the options
    "dense_weight glossary rerank_model rerank_base_url"
).split()


def embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of these settings; its model is loaded when it is first used."""
    if settings.embedder == "openai":
        from scholarmind.adapters.openai.client import OpenAIEmbedder  # noqa: PLC0415

        return OpenAIEmbedder(
            base_url=settings.embedding_base_url,
            model=settings.embedding_model,
            api_key=settings.embedding_api_key,
            batch=settings.embedding_batch,
        )
    if settings.embedder == "minilm":
        from scholarmind.adapters.minilm import MiniLM  # noqa: PLC0415

        return MiniLM(precision=settings.embedding_precision)
    return None


def second_embedder(settings: Settings, side: "Side") -> Embedder | None:
    """Return the embedder for what the built-in one cannot read; an endpoint is taken to read everything."""
    return _second_embedder(side) if settings.embedder == "minilm" else None


@functools.cache
def _second_embedder(side: "Side") -> Embedder:
    from scholarmind.adapters.e5.second_embedder import E5Embedder  # noqa: PLC0415

    return E5Embedder(_answer_reader(), side)


def store(settings: Settings, fingerprint: str, *, create: bool) -> "LocalStore":
    """Return the store in the library's folder, or in its database."""
    if settings.database:
        from scholarmind.adapters.store.postgres_store import PostgresStore  # noqa: PLC0415

        return PostgresStore(
            settings.database,
            settings.library,
            fingerprint=fingerprint,
            lock_wait=settings.lock_wait,
            create=create,
            search_in=settings.search_in,
        )
    from scholarmind.adapters.store import LocalStore  # noqa: PLC0415

    return LocalStore(settings.library, fingerprint=fingerprint, lock_wait=settings.lock_wait, create=create)


def runs(settings: Settings) -> "Runs":
    """Return the runs of the library; their file is made by the first question."""
    from scholarmind.adapters.runs import RunLimits, Runs  # noqa: PLC0415

    limits = RunLimits(days=settings.runs_days, megabytes=settings.runs_megabytes)
    if settings.database:
        from scholarmind.adapters.runs.database_runs import DatabaseRuns  # noqa: PLC0415

        return Runs(settings.library / "runs.db", limits, file=DatabaseRuns(settings.database, settings.library))
    return Runs(settings.library / "runs.db", limits)


def options(settings: Settings) -> Options:
    """Return the options of the reading path that these settings ask for."""
    budget = Budget(
        calls=settings.max_calls or None, tokens=settings.max_tokens or None, cost=settings.max_cost or None
    )
    effort = "standard" if settings.effort == "auto" else settings.effort
    return Options(effort=effort, budget=budget, **{name: getattr(settings, name) for name in _OPTIONS})


def cache(settings: Settings) -> "Responses | None":
    """Return what keeps replies and plans for questions to come."""
    if settings.cache == "none":
        return None
    from scholarmind.adapters.responses import Responses  # noqa: PLC0415

    return Responses(settings.library / "responses.db", _CACHE_MEGABYTES)


def asked_before(
    settings: Settings, embedder: Embedder | None, cache: "Responses | None", within: Filter | None
) -> "WordingCache | None":
    """Return what knows a question again that comes in other words, where that is wished."""
    if settings.cache != "semantic" or embedder is None or cache is None:
        return None
    from scholarmind.planning.plan_cache import WordingCache  # noqa: PLC0415

    return WordingCache(cache=cache.of("questions"), embedder=embedder, scope=f"{embedder.fingerprint} {within!r}")


def _given(settings: Settings, names: Sequence[str]) -> dict[str, Any]:
    """Return these settings; a file by what is in it, since it may be edited in its place."""
    return {name: _content(value) if isinstance(value := getattr(settings, name), Path) else value for name in names}


def _content(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else str(file)


@functools.cache
def release(package: Path = Path(__file__).parent) -> str:
    """Return our own version, down to the rules and data that plans and findings rest on: what others found or planned is not ours."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name not in _BESIDE)
        for name in sorted(names):
            file = Path(folder, name)
            size = file.stat().st_size
            content = file.read_bytes() if size < _WEIGHTS else b""
            digest.update(f"{file.relative_to(package).as_posix()}\n{size}\n".encode() + content)
    return f"{version('scholarmind')} {digest.hexdigest()[:16]}"


def retrieval(
    settings: Settings, store: "LocalStore", embedder: Embedder | None, second: Embedder | None = None
) -> Retrieval:
    """Return the search of a library; `second` embeds what the embedder cannot read."""
    return Retrieval(
        store=store,
        embedder=embedder,
        second=second,
        space=store.multilingual,
        dense_weight=settings.dense_weight,
        glossary=settings.glossary,
    )


def reranker(settings: Settings) -> Reranker | None:
    """Return who scores passages anew, if anybody but the language model does; what it needs is loaded when it is first used."""
    if settings.rerank in {"none", "llm"}:
        return None
    from scholarmind.reranking import TimedReranker  # noqa: PLC0415

    if settings.rerank == "cross-encoder":
        from scholarmind.adapters.rerankers import CrossEncoder  # noqa: PLC0415

        made = CrossEncoder(settings.rerank_model)
    else:
        from scholarmind.adapters.rerankers import HttpReranker  # noqa: PLC0415

        made = HttpReranker(
            base_url=settings.rerank_base_url,
            model=settings.rerank_model,
            api_key=settings.rerank_api_key,
            seconds=settings.rerank_seconds,
        )
    return TimedReranker(made, seconds=settings.rerank_seconds)


def engine(
    settings: Settings,
    store: "LocalStore",
    retriever: LibraryRetriever,
    *,
    models: Models | None = None,
    journal: Journal | None = None,
    chosen: Options | None = None,
) -> "Engine":
    """Return the engine that reads this library, with a language model if there is one."""
    from scholarmind.engine import Engine  # noqa: PLC0415
    from scholarmind.writing.extractive import ExtractiveWriter  # noqa: PLC0415
    from scholarmind.writing.text_review import TextReviewer  # noqa: PLC0415

    chosen = chosen or options(settings)
    retriever = replace(retriever, every_score=chosen.strategy == "scored")
    embedder = retriever.retrieval.embedder
    reader = _answer_reader() if settings.embedder != "none" else None
    rest_on = _given(settings, _RESTS_ON) | {
        "options": chosen,
        "mode": retriever.mode,
        "within": retriever.within,
    }
    return Engine(
        retriever=retriever,
        meaning=replace(retriever, mode="vector") if embedder and retriever.mode != "keyword" else None,
        planner=planner(settings, chosen),
        writer=ExtractiveWriter(reader, _likeness(embedder)),
        reviewer=TextReviewer(reader),
        entailment=entailment(settings),
        models=models,
        names=NamesWithin(store, retriever.within) if retriever.within else store,
        links=retriever,
        relations=wiring_structures.relations(settings, store, retriever),
        overview=wiring_structures.overview(settings, store, retriever),
        lexicon=store,
        languages=store,
        journal=journal,
        basis=Basis(
            library=str(store.database.last_change()),
            structures=wiring_structures.states(settings, store),
            settings=rest_on,
            models={"embedder": store.fingerprint, "keyless": release()},
        ),
        options=chosen,
    )


def _likeness(embedder: "Embedder | None") -> "Likeness | None":
    """Return what tells how alike a question and sentences are, where the embedder is at hand; it says nothing of what it does not know."""
    from scholarmind.adapters.minilm import MiniLM  # noqa: PLC0415

    if not isinstance(embedder, MiniLM):
        return None

    def alike(question: str, texts: Sequence[str]) -> list[float | None]:
        made = embedder.encode([question, *texts])
        known = [max(share, made.unknown[0]) <= UNKNOWN_LIMIT for share in made.unknown]
        pairs = zip(made.vectors[1:], known[1:], strict=True)
        return [float(vector @ made.vectors[0]) if is_known else None for vector, is_known in pairs]

    return alike


def cell_finder(settings: Settings, store: "LocalStore", retrieval: Retrieval) -> "CellFinder":
    """Return what fills the cells of literature tables without a model."""
    from scholarmind.library.tabulating.cell_answers import CellFinder  # noqa: PLC0415

    reader = _answer_reader() if settings.embedder != "none" else None
    return CellFinder(retriever=LibraryRetriever(retrieval=retrieval), lexicon=store, shelf=store, reader=reader)


def planner(settings: Settings, chosen: Options | None = None) -> "KeylessPlanner":
    """Return the planner that asks no language model; it needs no library."""
    from scholarmind.adapters.e5.question_reader import E5Gate, E5Marker  # noqa: PLC0415
    from scholarmind.planning.question_gate import QuestionGate  # noqa: PLC0415
    from scholarmind.planning.rule_planner import KeylessPlanner, RulePlanner  # noqa: PLC0415

    chosen = chosen or options(settings)
    reader = _answer_reader() if settings.embedder != "none" else None
    return KeylessPlanner(
        rules=RulePlanner(cap=chosen.max_parts, marker=E5Marker(reader) if reader else None),
        gate=QuestionGate(reader=E5Gate(reader) if reader else None),
        decompose=chosen.decompose,
    )


@functools.cache
def _answer_reader() -> "E5Reader":
    """Return the reader of answers, which all libraries of this process share."""
    from scholarmind.adapters.e5.reader import E5Reader  # noqa: PLC0415

    return E5Reader()


def entailment(settings: Settings) -> "E5Entailment | None":
    """Return who tells whether a text says a sentence, if anything here knows meaning."""
    return _entailment() if settings.embedder != "none" else None


@functools.cache
def _entailment() -> "E5Entailment":
    from scholarmind.adapters.e5.reader import E5Entailment  # noqa: PLC0415

    return E5Entailment(_answer_reader())


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
