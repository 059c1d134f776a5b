"""A LangGraph graph that plans, sends every part to a node of its own that searches and answers, and puts the answers together."""

import operator
from typing import Annotated, TypedDict

from langchain_openai import ChatOpenAI
from langchain_store import filled
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from measure import Ask
from pydantic import BaseModel

DISTRIBUTION = "langgraph"


class SubQuestions(BaseModel):
    """The parts of a question."""

    questions: list[str]


class State(TypedDict):
    """What the nodes share."""

    question: str
    parts: list[str]
    findings: Annotated[list[str], operator.add]
    answer: str


class Part(TypedDict):
    """What is sent to one node."""

    part: str


async def prepared(base_url: str) -> Ask:
    """Return what asks the graph."""
    store = filled()
    model = ChatOpenAI(base_url=base_url, api_key="none", model="scripted")
    planner = model.with_structured_output(SubQuestions)

    async def plan(state: State) -> dict[str, list[str]]:
        found = await planner.ainvoke(f"Split into sub-questions: {state['question']}")
        return {"parts": found.questions}

    def send(state: State) -> list[Send]:
        return [Send("investigate", {"part": part}) for part in state["parts"]]

    async def investigate(state: Part) -> dict[str, list[str]]:
        found = await store.asimilarity_search(state["part"], k=5)
        context = "\n\n".join(document.page_content for document in found)
        reply = await model.ainvoke(f"Answer by the context.\n{context}\nQuestion: {state['part']}")
        return {"findings": [reply.text]}

    async def write(state: State) -> dict[str, str]:
        findings = "\n".join(state["findings"])
        reply = await model.ainvoke(f"Put together an answer.\n{findings}\nQuestion: {state['question']}")
        return {"answer": reply.text}

    graph = StateGraph(State)
    for node in (plan, investigate, write):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", send, ["investigate"])
    graph.add_edge("investigate", "write")
    graph.add_edge("write", END)
    application = graph.compile()

    async def ask(question: str) -> str:
        return (await application.ainvoke({"question": question, "findings": []}))["answer"]

    return ask
