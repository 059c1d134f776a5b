"""A library within LangChain, and LangChain's retrievers and chat models within ours.

`LangChainRetriever` and `LangChainAnswer` put a library into chains; `as_search` and `as_models` put their parts into an `Engine`
or a `Library`.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import PurePath
from typing import Any, cast

from scholarmind.answer import Answer
from scholarmind.api import Library
from scholarmind.blocking import Series
from scholarmind.calls import PromptMessage, Usage
from scholarmind.errors import MissingExtraError, QueryError
from scholarmind.events import AnswerPiece, Event, RunStarted
from scholarmind.filters import Filter
from scholarmind.llm.language_models import Models, foreign_models
from scholarmind.model import Evidence
from scholarmind.record import answer_metadata, evidence_record
from scholarmind.steps.search_function import SearchFunction

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
    from langchain_core.prompt_values import PromptValue
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableConfig
except ModuleNotFoundError as error:
    raise MissingExtraError("langchain", error) from error

_NAMES = ("question", "input", "query")  # of the question in a mapping
_ROLES = {"assistant": "ai", "user": "human"}


# -- ours in theirs


class LangChainRetriever(BaseRetriever):
    """Finds the passages that an answer would be written from: a composite question is taken apart first."""

    library: Any
    k: int = 10
    filter: Any = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        del run_manager
        return _documents(
            cast("Library", self.library).find(query, _at_least_one(k or self.k), filter=self.filter).evidence
        )

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        del run_manager
        library = cast("Library", self.library)
        return _documents((await library.find.aio(query, _at_least_one(k or self.k), filter=self.filter)).evidence)


class LangChainAnswer(Runnable[Any, AIMessage]):
    """Answers as a message: its content is the answer, its `response_metadata` the citations, the parts and how sure they are.

    It takes a question as text, as messages (the last one counts), or as a mapping with `question` and perhaps `conversation`. A stream
    has the text as it is written; a draft that is begun anew comes under another message id.
    """

    def __init__(self, library: Library, *, filter: Filter | str | None = None) -> None:
        self._library = library
        self._filter = filter

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        del kwargs
        return self._call_with_config(
            lambda asked: _message(self._library.ask(filter=self._filter, **_asked(asked))), input, config
        )

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        del kwargs

        async def answered(asked: Any) -> AIMessage:
            return _message(await self._library.ask.aio(filter=self._filter, **_asked(asked)))

        return await self._acall_with_config(answered, input, config)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[AIMessage]:
        del kwargs

        def pieces(inputs: Iterator[Any]) -> Iterator[AIMessage]:
            for asked in inputs:
                yield from Series(partial(self._pieces, asked))

        yield from self._transform_stream_with_config(iter([input]), pieces, config)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessage]:
        del kwargs

        async def pieces(inputs: AsyncIterator[Any]) -> AsyncIterator[AIMessage]:
            async for asked in inputs:
                async for piece in self._pieces(asked):
                    yield piece

        async def inputs() -> AsyncIterator[Any]:
            yield input

        async for piece in self._atransform_stream_with_config(inputs(), pieces, config):
            yield piece

    async def _pieces(self, asked: Any) -> AsyncGenerator[AIMessageChunk]:
        stream, sofar = self._library.stream(filter=self._filter, **_asked(asked)), _SoFar()
        async with aclosing(aiter(stream)) as events:
            async for event in events:
                for piece in sofar.take(event):
                    yield piece
        yield sofar.rest(stream.result)


class _SoFar:
    """What was streamed of an answer."""

    def __init__(self) -> None:
        self._run = ""
        self._draft = 1
        self._text = ""

    def take(self, event: Event) -> Iterator[AIMessageChunk]:
        """Give the piece that an event brings."""
        if isinstance(event, RunStarted):
            self._run = event.run
        elif isinstance(event, AnswerPiece):
            self._text = event.text if event.draft != self._draft else self._text + event.text
            self._draft = event.draft
            yield AIMessageChunk(content=event.text, id=self._id)

    def rest(self, answer: Answer) -> AIMessageChunk:
        """Give what is still to come, with all that is known of the answer; what was streamed otherwise comes again, whole."""
        text = answer.text.removeprefix(self._text)
        if self._text and text == answer.text:
            text = "" if self._text.strip() == answer.text.strip() else text
            self._draft += bool(text)
        return AIMessageChunk(
            content=text, id=self._id, response_metadata=answer_metadata(answer), chunk_position="last"
        )

    @property
    def _id(self) -> str:
        return f"{self._run}-{self._draft}"


def _asked(given: Any) -> dict[str, Any]:
    """Return the arguments of `Library.ask` for what a chain hands on."""
    if isinstance(given, PromptValue):
        given = given.to_messages()
    if isinstance(given, Mapping):
        known = cast("Mapping[str, Any]", given)
        name = next((name for name in _NAMES if known.get(name)), "")
        return {"conversation": str(known.get("conversation") or ""), **_asked(known.get(name))}
    if isinstance(given, Sequence) and not isinstance(given, str) and given:
        given = cast("Sequence[Any]", given)[-1]
    if isinstance(given, BaseMessage):
        given = str(given.text)
    if not isinstance(given, str) or not given.strip():
        raise QueryError(
            f"{str(cast('Any', given))[:80]!r} is no question; give text, messages, or a mapping with `question`"
        )
    return {"question": given}


def _message(answer: Answer) -> AIMessage:
    return AIMessage(content=answer.text, id=f"{answer.run}-1", response_metadata=answer_metadata(answer))


def _documents(evidence: Sequence[Evidence]) -> list[Document]:
    return [
        Document(
            page_content=item.passage.text,
            id=f"{item.document.collection}/{item.document.id}/{item.passage.position}",
            metadata={
                "source": item.document.origin or item.document.source,
                "authors": list(item.document.authors),
                "year": item.document.year,
                **{name: value for name, value in evidence_record(item).items() if name != "text"},
            },
        )
        for item in evidence
    ]


def _at_least_one(k: int) -> int:
    if k < 1:
        raise QueryError(f"k = {k!r} is not at least 1")
    return k


# -- theirs in ours


def as_search(retriever: Runnable[str, list[Document]]) -> SearchFunction:
    """Return a retriever of LangChain as what an `Engine` searches by: `Engine(retriever=as_search(...))`."""

    async def search(question: str, k: int, filter: Filter | None = None) -> list[dict[str, Any]]:
        del k, filter  # how many it finds, and among what, is the retriever's own affair
        return [_known(document) for document in await retriever.ainvoke(question)]

    return search


def _known(document: Document) -> dict[str, Any]:
    """Return what is known of a passage: pieces of one source are of one document."""
    metadata = cast("dict[str, Any]", document.metadata)
    source = str(metadata.get("source") or "")
    return {
        **metadata,
        "id": metadata.get("document") or source or document.id,
        "title": metadata.get("title") or PurePath(source).name or document.id,
        "text": document.page_content,
    }


def as_models(model: BaseChatModel, name: str = "") -> Models:
    """Return a chat model of LangChain as the model of an `Engine` or a `Library`: `Library(settings, models=as_models(...))`."""

    async def say(messages: Sequence[PromptMessage]) -> AsyncIterator[str | Usage]:
        told = [(_ROLES.get(message.role, message.role), message.text) for message in messages]
        async for chunk in model.astream(told):
            if chunk.text:
                yield str(chunk.text)
            if usage := chunk.usage_metadata:
                yield Usage(usage["input_tokens"], usage["output_tokens"])

    known = getattr(model, "model_name", "") or getattr(model, "model", "") or type(model).__name__
    return foreign_models(say, name or str(known))
