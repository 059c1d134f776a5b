"""A library within LlamaIndex, and LlamaIndex' parts within ours."""

import asyncio
import json
from typing import Any

import pytest
from founders import CHAIN, NOTES, PURPOSES, TWO, Opened, said

from scholarmind import Engine, Library, ScholarMindError, Settings
from scholarmind.testing import Call, HashEmbedder, ScriptedServer

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed; `make guests` tests with it")

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from scholarmind.llamaindex import LlamaIndexQueryEngine, LlamaIndexRetriever, as_models, as_search

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


@pytest.mark.parametrize("k", [1, 3])
def test_as_many_nodes_as_asked_for(library: Library, k: int) -> None:
    retriever = LlamaIndexRetriever(library, k=k)
    for found in (retriever.retrieve(TWO), asyncio.run(retriever.aretrieve(QueryBundle(TWO)))):
        assert len(found) == k
        assert found[0].text.endswith(NOTES[found[0].metadata["title"]])
        assert found[0].node.get_content().count("score") == 0
    with pytest.raises(ScholarMindError, match="k = 0 is not at least 1"):
        LlamaIndexRetriever(library, k=0)


def test_in_a_query_engine_of_theirs(library: Library) -> None:
    """Their synthesizer writes from our passages, and their model is shown titles, no numbers of ours."""
    model = Scripted()
    synthesizer = get_response_synthesizer(llm=model)
    engine = RetrieverQueryEngine(LlamaIndexRetriever(library, k=2), response_synthesizer=synthesizer)
    response = engine.query(TWO)
    assert {node.metadata["title"] for node in response.source_nodes} == {"BERT", "GPT-2"}
    assert "title: BERT" in model.shown[-1]
    assert "found_by" not in model.shown[-1]


def test_the_answer_as_a_query_engine(library: Library) -> None:
    expected = library.ask(TWO)
    engine = LlamaIndexQueryEngine(library)
    for response in (engine.query(TWO), asyncio.run(engine.aquery(TWO))):
        assert str(response) == expected.text
        assert [citation["key"] for citation in response.metadata["citations"]] == ["BERT", "GPT-2"]
        assert [node.text for node in response.source_nodes] == [item.passage.text for item in expected.evidence]
    within = LlamaIndexQueryEngine(library, filter='title = "OpenAI"').query(TWO)
    assert {node.metadata["title"] for node in within.source_nodes} <= {"OpenAI"}


@pytest.mark.parametrize("model", [False, True])
def test_the_answer_is_streamed(opened: Opened, server: ScriptedServer, model: bool) -> None:
    settings: dict[str, Any] = {"llm_base_url": server.base_url, "llm_model": "m", "effort": "deep", "cache": "none"}
    library = opened(**settings) if model else opened()
    whole = library.ask(CHAIN).text
    engine = LlamaIndexQueryEngine(library, streaming=True)
    response = engine.query(CHAIN)
    pieces = list(response.response_gen)
    assert len(pieces) > (2 if model else 0)
    assert "".join(pieces).strip() == whole
    assert response.source_nodes
    assert response.metadata["parts"]

    async def awaited() -> str:
        streamed = await engine.aquery(CHAIN)
        return "".join([piece async for piece in streamed.async_response_gen()])

    assert asyncio.run(awaited()).strip() == whole


# -- theirs in ours


class Ranked(BaseRetriever):
    """Finds the notes that share words with the question, as anybody's retriever would."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        asked = set(query_bundle.query_str.rstrip("?").split())
        found = [
            NodeWithScore(
                node=TextNode(text=text, metadata={"file_name": f"{name}.md", "file_path": f"notes/{name}.md"}),
                score=float(len(asked & set(text.split()))),
            )
            for name, text in NOTES.items()
        ]
        return sorted(found, key=lambda node: -(node.score or 0.0))


@pytest.mark.anyio
async def test_an_engine_over_their_retriever() -> None:
    answer = await Engine(retriever=as_search(Ranked())).ask(TWO)
    assert [citation.title for citation in answer.citations] == ["BERT.md", "GPT-2.md"]
    assert answer.review.verdict == "complete"


class Scripted(CustomLLM):
    """A model that says what `founders.said` makes of what it is shown."""

    shown: list[str] = []  # noqa: RUF012  (pydantic copies it)
    asked: list[str] = []  # noqa: RUF012

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted", is_chat_model=True)

    def complete(self, prompt: str, formatted: bool = False, **more: Any) -> CompletionResponse:
        self.shown.append(prompt)
        prompt = prompt.removeprefix("system: ")  # so are messages put together that were one text each
        call = Call(
            number=1,
            path="/chat/completions",
            body={"messages": [{"role": "user", "content": prompt}]},
            purposes=PURPOSES,
        )
        self.asked.append(call.purpose)
        reply = said(call)
        return CompletionResponse(text=reply if isinstance(reply, str) else json.dumps(reply))

    def stream_complete(self, prompt: str, formatted: bool = False, **more: Any) -> Any:
        text = self.complete(prompt).text
        for end in range(7, len(text) + 7, 7):
            yield CompletionResponse(text=text[:end], delta=text[end - 7 : end])


def test_their_model_as_ours(library: Library, opened: Opened, server: ScriptedServer) -> None:
    """It plans, answers and writes as the same model does on a server."""
    expected = opened(llm_base_url=server.base_url, llm_model="m", effort="deep", cache="none").ask(CHAIN)
    model = Scripted()
    settings = Settings(library=library.settings.library, effort="deep", cache="none")
    with Library(settings, embedder=HashEmbedder(), models=as_models(model)) as ours:
        answer = ours.ask(CHAIN)
    assert answer.text == expected.text
    assert answer.written_by == "scripted"
    assert sorted(model.asked) == sorted(call.purpose for call in server.log)
