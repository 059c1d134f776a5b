"""Turn settings into parts. The one module that knows every adapter; each is imported only when it is wanted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scholarmind.ports import Embedder, Reader
from scholarmind.settings import Settings

if TYPE_CHECKING:
    from scholarmind.adapters.local import LocalStore


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


def readers(settings: Settings) -> Mapping[str, Reader]:
    """Return the reader for each suffix."""
    from scholarmind.adapters.readers.jsonl import JsonlReader  # noqa: PLC0415
    from scholarmind.adapters.readers.markdown import MarkdownReader  # noqa: PLC0415
    from scholarmind.adapters.readers.plain import PlainReader  # noqa: PLC0415

    limit = settings.max_file_megabytes * 1_000_000
    markdown, plain, jsonl = MarkdownReader(limit), PlainReader(limit), JsonlReader(limit)
    by_reader = ((markdown, ".md .markdown"), (plain, ".txt .text .rst"), (jsonl, ".jsonl .ndjson"))
    return {suffix: reader for reader, suffixes in by_reader for suffix in suffixes.split()}
