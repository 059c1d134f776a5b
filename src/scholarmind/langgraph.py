"""A library's questions as a LangGraph graph: `build_decomposition_graph(library)`, and `main_agent` in front of it.

The work of every node is the engine's, as a run of the library: what a part found and what a model replied is journalled under its
content, so that a graph that is resumed, in whichever process, pays for nothing twice and cannot mix up answers. The state holds
plain data only, which every checkpointer can keep.
"""

import asyncio
import operator
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

from scholarmind.answer import Answer, Finding
from scholarmind.api import Library
from scholarmind.blocking import run as run_to_end
from scholarmind.errors import MissingExtraError, PlanError, QueryError
from scholarmind.events import plain, to_record
from scholarmind.filters import Filter
from scholarmind.plan import Plan
from scholarmind.questions import parsed
from scholarmind.record import SHOWN, evidence_record, plan_of, plan_record
from scholarmind.running import RunRequest
from scholarmind.staged import StagedRun, unfinished_run
from scholarmind.steps.journal import decode, encode, new_run

try:
    from langchain_core.runnables import RunnableConfig, RunnableLambda
    from langgraph.config import get_stream_writer
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Overwrite, Send, interrupt
except ModuleNotFoundError as error:
    raise MissingExtraError("langgraph", error) from error

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

Write = Callable[[Any], None]
_MOST_AT_WORK = 256
_HANDED_ON = ("original_query", "conversation", "run", "plan", "decomposition")  # to each worker
_APPROVED = ("approve", "approved", "ok", "yes")
_NOTHING: dict[str, Any] = {
    "take_up": "",
    "plan": "",
    "decomposition": {},
    "merged_docs": [],
    "final_answer": "",
    "citations": [],
    "confidence": 0.0,
    "verdict": "",
    "parts": [],
    "notes": [],
    "searched_again": [],
    "complete": False,
}
_HOW_TO_RESUME = "resume with 'approve', or with the plan as it is to be carried out: an object with `parts`"


class SubResult(TypedDict):
    """What one part of the question brought; `type` is its kind: factual, reasoning or global."""

    id: int
    question: str
    answer: str
    docs: list[dict[str, Any]]
    type: str
    error: str


class DecompositionState(TypedDict, total=False):
    """What the nodes hand on. A caller gives `original_query`, and what it likes of `conversation` and `take_up` (a run to go on with)."""

    original_query: str
    conversation: str
    take_up: str
    run: str  # under which the library keeps it
    decomposition: dict[str, Any]  # as `scholarmind plan --json` prints it
    plan: str  # the same as the journal keeps it
    sub_results: Annotated[list[SubResult], operator.add]
    merged_docs: list[dict[str, Any]]
    final_answer: str
    citations: list[dict[str, Any]]
    confidence: float
    verdict: str
    parts: list[dict[str, Any]]  # the rows of the completeness table
    notes: list[str]  # what was done in another way than asked, and why
    searched_again: list[list[int]]  # the parts that each further round was for
    complete: bool


def build_decomposition_graph(
    library: Library,
    *,
    confidence: float = 0.8,
    rounds: int | None = None,
    filter: Filter | str | None = None,
    review_plan: bool = False,
    checkpointer: Any = None,
) -> "CompiledStateGraph[DecompositionState, None, DecompositionState, DecompositionState]":
    """Return the compiled graph over a library, which stays open for as long as the graph is used.

    It ends when an answer is surer than `confidence`, or after so many `rounds` (those of the library's settings). With `review_plan`
    it interrupts itself before anything is searched for, until it is resumed with 'approve' or with another plan.
    """
    if not 0 <= confidence <= 1:
        raise QueryError(f"confidence = {confidence!r} is not between 0 and 1")
    if rounds is not None and rounds < 1:
        raise QueryError(f"rounds = {rounds!r} is not at least 1")
    rounds = library.settings.rounds if rounds is None else rounds
    nodes = _Nodes(library, parsed(filter), confidence=confidence, rounds=rounds, waits=review_plan)
    graph = StateGraph(DecompositionState)
    works = (
        nodes.decompose,
        nodes.sub_query_worker,
        nodes.handle_sequential,
        nodes.aggregate,
        nodes.completeness_check,
    )
    for work in works:
        graph.add_node(work.__name__, _node(work))
    graph.add_edge(START, "decompose")
    if review_plan:
        graph.add_node("review_plan", _review_plan)
        graph.add_conditional_edges("decompose", _over_or("review_plan"), ["review_plan", END])
        graph.add_conditional_edges("review_plan", _independent_parts, ["sub_query_worker"])
    else:
        graph.add_conditional_edges("decompose", _independent_parts, ["sub_query_worker", END])
    graph.add_edge("sub_query_worker", "handle_sequential")
    graph.add_edge("handle_sequential", "aggregate")
    graph.add_edge("aggregate", "completeness_check")
    graph.add_conditional_edges("completeness_check", _over_or("handle_sequential"), ["handle_sequential", END])
    return graph.compile(checkpointer=checkpointer, name="scholarmind")


def main_agent(
    query: str, session_id: str = "", *, library: Library, graph: Any = None, filter: Filter | str | None = None
) -> dict[str, Any]:
    """Answer a simple question at once and send a composite one through the graph; return the state, whose `route` tells which.

    A session is a conversation, and the thread of the graph's checkpointer: what was interrupted in it is gone on with when it is asked
    again. In a running loop call it in a thread.
    """
    graph = graph or build_decomposition_graph(library, filter=filter)
    config = {"configurable": {"thread_id": session_id or new_run()}}
    if graph.checkpointer:
        kept = graph.get_state(config)
        if kept.next and kept.values.get("original_query") == query:  # one that waits for a review goes on waiting
            return {**graph.invoke(None, config), "route": "graph"}
    name = run_to_end(unfinished_run(library.runs, session_id, "", query))
    asked = RunRequest(run=name, question=query, within=parsed(filter), conversation=session_id)
    answer = run_to_end(_simply_answered(library, asked))
    if answer is None:
        given = {"original_query": query, "take_up": name, "conversation": session_id}
        return {**graph.invoke(given, config), "route": "graph"}
    return {**_NOTHING, "original_query": query, **_answered(answer), "complete": True, "run": name, "route": "simple"}


async def _simply_answered(library: Library, asked: RunRequest) -> Answer | None:
    """Return the answer to a simple question; a composite one is planned, and its run waits."""
    work = StagedRun(library.engine(filter=asked.within), library.runs, asked)
    try:
        await work.begin()
        if work.answer is None and work.plan.complexity == "composite":
            await work.suspend()
            return None
        return await work.finish()
    except BaseException as error:
        await work.give_up(error)
        raise


# -- the nodes


class _Nodes:
    """The nodes of one graph, and the runs that are under way in this process."""

    def __init__(self, library: Library, within: Filter | None, *, confidence: float, rounds: int, waits: bool) -> None:
        self._library = library
        self._within = within
        self._confidence = confidence
        self._rounds = rounds
        self._waits = waits
        self._at_work: dict[str, StagedRun] = {}

    async def decompose(self, state: DecompositionState, config: RunnableConfig, write: Write) -> dict[str, Any]:
        """Route, look and plan; what needs no documents is answered here."""
        query: Any = state.get("original_query")
        if not isinstance(query, str) or not query.strip():
            raise QueryError(
                f"original_query = {query!r} is no question; give one: graph.invoke({{'original_query': '...'}})"
            )
        told = config.get("configurable", {})
        within = str(told.get("checkpoint_ns", "")).rpartition("|")[0]  # the graph that this one is a node of
        thread = str(told.get("thread_id") or "")
        name = state.get("take_up") or await unfinished_run(self._library.runs, thread, within, query)
        known = await self._library.runs.find(name)
        begun = known.plan if known is not None and known.status != "done" else ""
        anew: dict[str, Any] = {**_NOTHING, "sub_results": Overwrite([]), "run": name}
        async with self._working({**state, "run": name, "plan": begun, "decomposition": {}}, write) as work:
            if work.answer is not None:
                return {**anew, **_answered(work.answer), "notes": await self._finished(work), "complete": True}
            if self._waits:
                self._forget(work)
                await work.suspend()
            return {**anew, "plan": encode(work.plan), "decomposition": plan_record(work.plan)}

    async def sub_query_worker(self, state: DecompositionState, _: RunnableConfig, write: Write) -> dict[str, Any]:
        """Research a part that waits for no other; the state is what `Send` brings, with the part as its `sub_question`."""
        async with self._working(state, write) as work:
            finding = await work.part(cast("Any", state)["sub_question"]["id"])
            return {"sub_results": [_sub_result(finding)]}

    async def handle_sequential(self, state: DecompositionState, _: RunnableConfig, write: Write) -> dict[str, Any]:
        """Research all other parts, each as soon as those that it waits for are done; in a further round, the weak ones again."""
        again = state.get("searched_again", [])
        async with self._working(state, write) as work:
            findings = await work.findings(again)
            there = {result["id"] for result in state.get("sub_results", ())}
            results = [_sub_result(finding) for finding in findings if again or finding.part.id not in there]
            return {
                "sub_results": Overwrite(results) if again else results,
                "decomposition": plan_record(work.plan),
            }

    async def aggregate(self, state: DecompositionState, _: RunnableConfig, write: Write) -> dict[str, Any]:
        """Select, write, and check what was written."""
        async with self._working(state, write) as work:
            answered = _answered(await work.written(state.get("searched_again", [])))
            return {**answered, "sub_results": Overwrite(answered["sub_results"])}

    async def completeness_check(self, state: DecompositionState, _: RunnableConfig, write: Write) -> dict[str, Any]:
        """End, or name the parts that are to be searched for once more: those that are not sure enough."""
        again = state.get("searched_again", [])
        finding = {part["id"] for part in state.get("decomposition", {}).get("parts", ()) if part["role"] == "find"}
        unsure = {row["part"] for row in state.get("parts", ()) if row["confidence"] <= self._confidence}
        weak = sorted(unsure & finding)
        if state.get("confidence", 0.0) <= self._confidence and weak and len(again) + 1 < self._rounds:
            return {"searched_again": [*again, weak]}
        async with self._working(state, write) as work:
            await work.written(again)
            return {"notes": await self._finished(work), "complete": True}

    @asynccontextmanager
    async def _working(self, state: DecompositionState, write: Write) -> AsyncGenerator[StagedRun]:
        """Give the work on a run: as it stands in this process, or begun anew by what its journal knows."""
        name = state.get("run", "")
        work = self._at_work.get(name)
        if work is None or work.loop is not asyncio.get_running_loop():
            kept, question, shown = state.get("plan", ""), state.get("original_query", ""), state.get("decomposition")
            asked = RunRequest(
                run=state.get("run", ""),
                question=question,
                plan=(decode(Plan, kept) if kept else None) or (plan_of(shown, question) if shown else None),
                within=self._within,
                conversation=state.get("conversation", ""),
            )
            work = self._at_work[name] = StagedRun(self._library.engine(filter=self._within), self._library.runs, asked)
            for old in [*self._at_work][:-_MOST_AT_WORK]:
                del self._at_work[old]
        work.on_event = lambda item: write(to_record(item.event, item.number, item.at))
        try:
            await work.begin()
            yield work
        except BaseException as error:
            self._forget(work)
            await work.give_up(error)
            raise

    async def _finished(self, work: StagedRun) -> list[str]:
        self._forget(work)
        return list((await work.finish()).fallbacks)

    def _forget(self, work: StagedRun) -> None:
        if self._at_work.get(work.asked.run) is work:
            del self._at_work[work.asked.run]


def _node(
    work: Callable[[Any, RunnableConfig, Write], Coroutine[Any, Any, dict[str, Any]]],
) -> RunnableLambda[Any, Any]:
    """Return a node for `invoke` as for `ainvoke`; without a loop of its own it works on that of the library."""

    def invoked(state: Any, config: RunnableConfig) -> dict[str, Any]:
        return run_to_end(work(state, config, get_stream_writer()))

    async def awaited(state: Any, config: RunnableConfig) -> dict[str, Any]:
        return await work(state, config, get_stream_writer())

    return RunnableLambda(invoked, awaited, name=work.__name__)


# -- between the nodes


def _review_plan(state: DecompositionState) -> dict[str, Any]:
    """Wait until somebody has approved the plan or given another one; an empty answer is none."""
    asked = {"run": state.get("run"), "question": state.get("original_query"), "plan": state.get("decomposition")}
    problem = ""
    while True:
        said: Any = interrupt({**asked, "problem": problem, "resume": _HOW_TO_RESUME})
        if said is True or (isinstance(said, str) and said.strip().lower() in _APPROVED):
            return {}
        given: Any = cast("Any", said).get("plan", said) if isinstance(said, dict) else None
        if not given:
            problem = f"{said!r} is neither 'approve' nor a plan"
            continue
        try:
            plan = plan_of(given, state.get("original_query", ""))
        except PlanError as error:
            problem = str(error)
        else:
            return {"plan": encode(plan), "decomposition": plan_record(plan)}


def _independent_parts(state: DecompositionState) -> list[Send] | str:
    """Send a worker to each part that waits for no other, or end, if the answer is there."""
    if state.get("complete"):
        return END
    handed_on: dict[str, Any] = {name: value for name, value in state.items() if name in _HANDED_ON}
    parts = state.get("decomposition", {})["parts"]
    return [
        Send("sub_query_worker", {**handed_on, "sub_question": part, "prior_answers": {}})
        for part in parts
        if not part["depends_on"]
    ]


def _over_or(node: str) -> Callable[[DecompositionState], str]:
    return lambda state: END if state.get("complete") else node


# -- the state


def _sub_result(finding: Finding, answer: str = "") -> SubResult:
    return SubResult(
        id=finding.part.id,
        question=finding.question,
        answer=answer or finding.answer,
        docs=[evidence_record(item) for item in finding.evidence[:SHOWN]],
        type=finding.part.kind,
        error=finding.error,
    )


def _answered(answer: Answer) -> dict[str, Any]:
    said = {
        finding.part.id: "; ".join(filter(None, (answer.answers.get(row, "") for row in finding.part.row_ids)))
        for finding in answer.findings
    }
    return {
        "decomposition": plan_record(answer.plan),
        "sub_results": [_sub_result(finding, said[finding.part.id]) for finding in answer.findings],
        "merged_docs": [evidence_record(item) for item in answer.evidence],
        "final_answer": answer.text,
        "citations": [plain(citation) for citation in answer.citations],
        "confidence": answer.review.confidence,
        "verdict": answer.review.verdict,
        "parts": [plain(row) for row in answer.review.rows],
        "notes": list(answer.fallbacks),
    }
