"""A library within LlamaIndex, and LlamaIndex' retrievers and models within ours.

`LlamaIndexRetriever` and `LlamaIndexQueryEngine` put a library where an index would stand; `as_search` and `as_models` put their parts
into an `Engine` or a `Library`.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from scholarmind.answer import Answer
from scholarmind.api import Library
from scholarmind.blocking import Series, Stream
from scholarmind.calls import PromptMessage, Usage
from scholarmind.errors import MissingExtraError, QueryError
from scholarmind.events import AnswerPiece, Event
from scholarmind.filters import Filter
from scholarmind.llm.language_models import Models, foreign_models
from scholarmind.model import Evidence
from scholarmind.record import answer_metadata, evidence_record
from scholarmind.steps.search_function import SearchFunction

try:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.base.response.schema import (
        RESPONSE_TYPE,
        AsyncStreamingResponse,
        Response,
        StreamingResponse,
    )
    from llama_index.core.llms import LLM, ChatMessage, MessageRole
    from llama_index.core.prompts.mixin import PromptMixinType
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
except ModuleNotFoundError as error:
    raise MissingExtraError("llamaindex", error) from error


# -- ours in theirs


class LlamaIndexRetriever(BaseRetriever):
    """Finds the passages that an answer would be written from: a composite question is taken apart first."""

    def __init__(self, library: Library, *, k: int = 10, filter: Filter | str | None = None) -> None:
        if k < 1:
            raise QueryError(f"k = {k!r} is not at least 1")
        self._library = library
        self._k = k
        self._filter = filter
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._library.find(query_bundle.query_str, self._k, filter=self._filter).evidence)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._library.find.aio(query_bundle.query_str, self._k, filter=self._filter)
        return _nodes(found.evidence)


class LlamaIndexQueryEngine(BaseQueryEngine):
    """Answers with citations. The `metadata` of the response tell the citations, the parts and how sure they are.

    With `streaming` the text comes as it is written, until it is begun anew, if ever; the sources and the metadata are there when it
    has come to its end.
    """

    def __init__(self, library: Library, *, filter: Filter | str | None = None, streaming: bool = False) -> None:
        self._library = library
        self._filter = filter
        self._streaming = streaming
        super().__init__(callback_manager=None)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        question = query_bundle.query_str
        if not self._streaming:
            return _response(self._library.ask(question, filter=self._filter))
        streamed = _Streamed(self._library.stream(question, filter=self._filter))
        pieces = iter(Series(streamed.pieces))
        return StreamingResponse(response_gen=pieces, source_nodes=streamed.nodes, metadata=streamed.metadata)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        question = query_bundle.query_str
        if not self._streaming:
            return _response(await self._library.ask.aio(question, filter=self._filter))
        streamed = _Streamed(self._library.stream(question, filter=self._filter))
        return AsyncStreamingResponse(
            response_gen=streamed.pieces(), source_nodes=streamed.nodes, metadata=streamed.metadata
        )


class _Streamed:
    """An answer in pieces; `nodes` and `metadata` are filled when it has come to its end."""

    def __init__(self, stream: Stream[Event, Answer]) -> None:
        self.nodes: list[NodeWithScore] = []
        self.metadata: dict[str, Any] = {}
        self._stream = stream

    async def pieces(self) -> AsyncGenerator[str, None]:
        text = ""
        async with aclosing(aiter(self._stream)) as events:
            async for event in events:
                if isinstance(event, AnswerPiece):
                    text += event.text
                    yield event.text
        answer = self._stream.result
        yield _rest(answer, text)
        self.nodes.extend(_nodes(answer.evidence))
        self.metadata.update(answer_metadata(answer))


def _rest(answer: Answer, text: str) -> str:
    """Return what is still to come after what was streamed; an answer that was written anew comes whole, below a line."""
    if answer.text.startswith(text):
        return answer.text.removeprefix(text)
    return "" if text.strip() == answer.text.strip() else f"\n\n---\n\n{answer.text}"


def _response(answer: Answer) -> Response:
    return Response(response=answer.text, source_nodes=_nodes(answer.evidence), metadata=answer_metadata(answer))


def _nodes(evidence: Sequence[Evidence]) -> list[NodeWithScore]:
    """Return passages as nodes; a model that reads them is shown their title, authors and year only."""
    nodes: list[NodeWithScore] = []
    for item in evidence:
        record = {name: value for name, value in evidence_record(item).items() if name != "text"}
        record |= {
            "file_path": item.document.origin,
            "authors": list(item.document.authors),
            "year": item.document.year,
        }
        hidden = [name for name in record if name not in {"title", "authors", "year"}]
        node = TextNode(
            id_=f"{item.document.collection}/{item.document.id}/{item.passage.position}",
            text=item.passage.text,
            metadata=record,
            excluded_llm_metadata_keys=hidden,
            excluded_embed_metadata_keys=hidden,
            start_char_idx=item.passage.start,
            end_char_idx=item.passage.end,
        )
        nodes.append(NodeWithScore(node=node, score=item.scores.fused))
    return nodes


# -- theirs in ours


def as_search(retriever: BaseRetriever) -> SearchFunction:
    """Return a retriever of LlamaIndex as what an `Engine` searches by: `Engine(retriever=as_search(...))`."""

    async def search(question: str, k: int, filter: Filter | None = None) -> list[dict[str, Any]]:
        del k, filter  # how many it finds, and among what, is the retriever's own affair
        return [_known(found) for found in await retriever.aretrieve(question)]

    return search


def _known(found: NodeWithScore) -> dict[str, Any]:
    """Return what is known of a passage: nodes of one source are of one document."""
    metadata = found.node.metadata
    name = str(metadata.get("file_name") or metadata.get("file_path") or "")
    return {
        **metadata,
        "id": metadata.get("document") or found.node.ref_doc_id or metadata.get("file_path") or found.node.node_id,
        "title": metadata.get("title") or name or found.node.node_id,
        "text": found.node.get_content(metadata_mode=MetadataMode.NONE),
        "score": found.score,
    }


def as_models(model: LLM, name: str = "") -> Models:
    """Return a model of LlamaIndex as the model of an `Engine` or a `Library`: `Library(settings, models=as_models(...))`."""

    async def say(messages: Sequence[PromptMessage]) -> AsyncIterator[str | Usage]:
        told = [ChatMessage(role=MessageRole(message.role), content=message.text) for message in messages]
        async for response in await model.astream_chat(told):
            yield response.delta or ""

    return foreign_models(say, name or model.metadata.model_name)
