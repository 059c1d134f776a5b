"""LangChain's MultiQueryRetriever, and an answer from what it found."""

from langchain_classic.retrievers.multi_query import MultiQueryRetriever
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI
from langchain_store import filled
from measure import Ask

DISTRIBUTION = "langchain-classic"


async def prepared(base_url: str) -> Ask:
    """Return what asks the chain."""
    model = ChatOpenAI(base_url=base_url, api_key="none", model="scripted")
    retriever = MultiQueryRetriever.from_llm(filled().as_retriever(search_kwargs={"k": 5}), model)
    prompt = ChatPromptTemplate.from_template("Answer by the context.\n{context}\nQuestion: {question}")
    joined = retriever | (lambda found: "\n\n".join(document.page_content for document in found))
    chain = {"context": joined, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

    async def ask(question: str) -> str:
        return await chain.ainvoke(question)

    return ask
