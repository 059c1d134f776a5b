"""paper-qa's Docs: it summarises each of the best ten passages by a call of its own, then answers."""

from lmi import EmbeddingModel
from measure import Ask
from paperqa import Doc, Docs, Settings, Text

from library import passages, vector

DISTRIBUTION = "paper-qa"


class WordVectors(EmbeddingModel):
    """The vectors of the library."""

    name: str = "words"

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [vector(text) for text in texts]


async def prepared(base_url: str) -> Ask:
    """Return what asks the documents."""
    served = {
        "model_list": [
            {
                "model_name": "scripted",
                "litellm_params": {"model": "openai/scripted", "api_base": base_url, "api_key": "none"},
            }
        ]
    }
    settings = Settings(
        llm="scripted", llm_config=served, summary_llm="scripted", summary_llm_config=served, embedding="sparse"
    )
    embedder = WordVectors()
    docs = Docs()
    texts = passages()
    for number in range(0, len(texts), 20):
        doc = Doc(docname=f"study{number}", dockey=f"study{number}", citation=f"Study {number}, 2024")
        pages = [
            Text(text=text, name=f"study{number} pages {n}", doc=doc)
            for n, text in enumerate(texts[number : number + 20])
        ]
        await docs.aadd_texts(pages, doc, settings, embedder)

    async def ask(question: str) -> str:
        return (await docs.aquery(question, settings, embedding_model=embedder)).answer

    return ask
