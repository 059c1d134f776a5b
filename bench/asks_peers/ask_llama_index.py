"""LlamaIndex' SubQuestionQueryEngine over one vector index."""

from llama_index.core import QueryBundle, Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.query_engine import SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.schema import TextNode
from llama_index.core.tools import QueryEngineTool
from llama_index.llms.openai_like import OpenAILike
from measure import Ask

from library import passages, vector

DISTRIBUTION = "llama-index-core"


class WordVectors(BaseEmbedding):
    """The vectors of the library."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


async def prepared(base_url: str) -> Ask:
    """Return what asks the engine."""
    Settings.llm = OpenAILike(
        model="scripted", api_base=base_url, api_key="none", is_chat_model=True, context_window=32_768
    )
    Settings.embed_model = WordVectors()
    index = VectorStoreIndex([TextNode(text=text, embedding=vector(text)) for text in passages()])
    tool = QueryEngineTool.from_defaults(
        index.as_query_engine(similarity_top_k=5), name="library", description="Accuracy and latency of systems"
    )
    generator = LLMQuestionGenerator.from_defaults()
    engine = SubQuestionQueryEngine.from_defaults([tool], question_gen=generator, verbose=False, use_async=True)

    async def ask(question: str) -> str:
        return str(await engine.aquery(QueryBundle(question)))

    return ask
