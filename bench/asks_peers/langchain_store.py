"""The passages in LangChain's store in memory, for both peers that build on it."""

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from library import passages, vector


class WordVectors(Embeddings):
    """The vectors of the library."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of passages."""
        return [vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        return vector(text)


def filled() -> InMemoryVectorStore:
    """Return the store with all passages in it."""
    store = InMemoryVectorStore(WordVectors())
    store.add_documents([Document(text) for text in passages()])
    return store
