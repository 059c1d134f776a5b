"""A library within LangChain, by its own standard tests, and LangChain's parts within ours."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from founders import CHAIN, NOTES, PURPOSES, TWO, Opened, said

from scholarmind import Engine, Library, ScholarMindError, Settings
from scholarmind.testing import Call, HashEmbedder, ScriptedServer

pytest.importorskip("langchain_core", reason="langchain-core is not installed; `make guests` tests with it")
pytest.importorskip("langchain_tests", reason="langchain-tests is not installed; `make guests` tests with it")

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests

from scholarmind.langchain import LangChainAnswer, LangChainRetriever, as_models, as_search

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


class TestLangChainRetriever(RetrieversIntegrationTests):
    """The standard tests of a retriever; the question has two parts, each of which would have a place of its own."""

    @pytest.fixture(autouse=True)
    def _filled(self, library: Library) -> None:
        self._library = library

    @property
    def retriever_constructor(self) -> type[LangChainRetriever]:
        return LangChainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": self._library}

    @property
    def retriever_query_example(self) -> str:
        return TWO


def test_what_a_document_tells(library: Library) -> None:
    first = LangChainRetriever(library=library, k=1).invoke("Who proposed BERT?")[0]
    assert first.page_content.endswith(NOTES["BERT"])
    assert (first.metadata["title"], first.metadata["page"]) == ("BERT", None)
    assert first.metadata["source"].endswith("BERT.md")
    found = LangChainRetriever(library=library, filter='title = "OpenAI"').invoke(TWO)
    assert {document.metadata["title"] for document in found} == {"OpenAI"}
    with pytest.raises(ScholarMindError, match="k = -1 is not at least 1"):
        LangChainRetriever(library=library, k=-1).invoke(TWO)


# -- the answer in a chain


def test_the_answer_in_a_chain(library: Library) -> None:
    expected = library.ask(TWO)
    answer = LangChainAnswer(library)
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), ("human", "{question}")])
    for chain, given in (
        (answer, TWO),
        (answer, {"question": TWO}),
        (answer, [HumanMessage("hello"), HumanMessage(TWO)]),
        (prompt | answer, {"question": TWO}),
        (RunnableLambda(lambda text: text + TWO[3:]) | answer, TWO[:3]),
    ):
        message = chain.invoke(given)
        assert isinstance(message, AIMessage)
        assert message.content == expected.text
        assert [citation["key"] for citation in message.response_metadata["citations"]] == ["BERT", "GPT-2"]
    assert (answer | StrOutputParser()).batch([TWO, TWO]) == [expected.text] * 2


@pytest.mark.parametrize("nothing", ["", " ", [], {}, {"question": None}, 7])
def test_what_is_no_question(library: Library, nothing: Any) -> None:
    with pytest.raises(ScholarMindError, match="is no question; give text, messages"):
        LangChainAnswer(library).invoke(nothing)


def test_a_conversation(library: Library) -> None:
    answer = LangChainAnswer(library)
    answer.invoke({"question": "Who proposed GPT-2?", "conversation": "c"})
    assert "Devlin" in str(answer.invoke({"question": "And who proposed BERT?", "conversation": "c"}).content)


@pytest.mark.parametrize("model", [False, True])
def test_the_answer_is_streamed(opened: Opened, server: ScriptedServer, model: bool) -> None:
    library = opened(llm_base_url=server.base_url, llm_model="m", effort="deep", cache="none") if model else opened()
    answer = LangChainAnswer(library)
    whole = library.ask(CHAIN).text
    pieces = list(answer.stream(CHAIN))
    assert len(pieces) > (2 if model else 0)
    assert sum(pieces[1:], pieces[0]).text.strip() == whole
    assert pieces[-1].response_metadata["parts"]
    assert "".join((answer | StrOutputParser()).stream(CHAIN)).strip() == whole

    async def awaited() -> tuple[str, str]:
        streamed = [piece async for piece in answer.astream(CHAIN)]
        return "".join(str(piece.text) for piece in streamed), str((await answer.ainvoke(CHAIN)).text)

    assert [text.strip() for text in asyncio.run(awaited())] == [whole, whole]


# -- theirs in ours


class Four(BaseRetriever):
    """Finds the notes that share words with the question, as anybody's retriever would."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        asked = set(query.rstrip("?").split())
        ranked = sorted(NOTES.items(), key=lambda note: -len(asked & set(note[1].split())))
        return [Document(page_content=text, metadata={"source": f"notes/{name}.md"}) for name, text in ranked]


@pytest.mark.anyio
async def test_an_engine_over_their_retriever() -> None:
    answer = await Engine(retriever=as_search(Four())).ask(TWO)
    assert [citation.title for citation in answer.citations] == ["BERT.md", "GPT-2.md"]
    assert answer.review.verdict == "complete"
    first = await Engine(retriever=as_search(Four())).retrieve(TWO, [1, 2])
    assert [len(evidence) for evidence in first.values()] == [1, 2]


class Scripted(BaseChatModel):
    """A chat model that says what `founders.said` makes of the messages; some replies are spoiled."""

    spoiled: int = 0
    error: Any = None
    asked: list[str] = []  # noqa: RUF012  (pydantic copies it)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _text(self, messages: list[BaseMessage]) -> str:
        import json

        if self.error:
            raise self.error
        roles = {"human": "user", "ai": "assistant"}
        told = [{"role": roles.get(message.type, message.type), "content": str(message.text)} for message in messages]
        call = Call(number=1, path="/chat/completions", body={"messages": told}, purposes=PURPOSES)
        self.asked.append(call.purpose)
        if self.spoiled and call.purpose == "plan":
            self.spoiled -= 1
            return "I would rather not."
        reply = said(call)
        return reply if isinstance(reply, str) else json.dumps(reply)

    def _generate(self, messages: list[BaseMessage], *arguments: Any, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._text(messages)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: Any = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **more: Any,
    ) -> Iterator[ChatGenerationChunk]:
        text = self._text(messages)
        for start in range(0, len(text), 7):
            yield ChatGenerationChunk(message=AIMessageChunk(text[start : start + 7]))


def test_their_chat_model_as_ours(library: Library, opened: Opened, server: ScriptedServer) -> None:
    """It plans, answers and writes as the same model does on a server, and what it replies badly is repaired."""
    expected = opened(llm_base_url=server.base_url, llm_model="m", effort="deep", cache="none").ask(CHAIN)
    model = Scripted(spoiled=1)
    settings = Settings(library=library.settings.library, effort="deep", cache="none")
    with Library(settings, embedder=HashEmbedder(), models=as_models(model)) as ours:
        answer = ours.ask(CHAIN)
    assert answer.text == expected.text
    assert answer.written_by == "Scripted"
    assert model.asked.count("plan") == 2
    assert set(model.asked) == {call.purpose for call in server.log}
    assert all(call.usage.estimated for call in answer.calls)


def test_what_their_model_raises(library: Library, server: ScriptedServer) -> None:
    """The rules answer in its place, and it is said why."""
    settings = Settings(library=library.settings.library, effort="deep", cache="none")
    with Library(settings, embedder=HashEmbedder(), models=as_models(Scripted(error=OSError("no route")))) as ours:
        answer = ours.ask(TWO)
    assert "Devlin" in answer.text
    assert any("model 'Scripted' did not reply (OSError: no route)" in note for note in answer.fallbacks)
