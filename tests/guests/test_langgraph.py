"""The graph over a library: the nodes do what the engine does, stop and go on, and fit into other graphs."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from founders import CHAIN, TWO, Opened

from scholarmind import Library, ScholarMindError
from scholarmind.testing import ScriptedServer

pytest.importorskip("langgraph", reason="langgraph is not installed; `make guests` tests with it")

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from scholarmind.langgraph import build_decomposition_graph, main_agent

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


def by_id(state: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the results of a state, of which each part has one."""
    found = {result["id"]: result for result in state["sub_results"]}
    assert len(found) == len(state["sub_results"])
    return found


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteSaver]:
    """A checkpointer on disk that takes plain data only."""
    connection = sqlite3.connect(tmp_path / "checkpoints.db", check_same_thread=False)
    yield SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    connection.close()


def deep(server: ScriptedServer) -> dict[str, Any]:
    return {"llm_base_url": server.base_url, "llm_model": "m", "effort": "deep", "cache": "none"}


# -- what comes out


@pytest.mark.parametrize(
    "question", [TWO, "Who founded the company at which BERT was proposed?", "Who proposed GPT-2?"]
)
def test_the_graph_answers_as_the_library_does(library: Library, question: str) -> None:
    state = build_decomposition_graph(library).invoke({"original_query": question})
    answer = library.ask(question)
    assert state["final_answer"] == answer.text
    assert state["confidence"] == answer.review.confidence > 0.8
    assert [citation["key"] for citation in state["citations"]] == [citation.key for citation in answer.citations]
    assert [doc["text"] for doc in state["merged_docs"]] == [item.passage.text for item in answer.evidence]
    assert [result["id"] for result in state["sub_results"]] == [part.id for part in answer.plan.parts]
    json.dumps(state)


def test_each_part_has_its_own_answer_and_documents(library: Library) -> None:
    results = by_id(build_decomposition_graph(library).invoke({"original_query": TWO}))
    assert {number: result["question"] for number, result in results.items()} == {
        1: "Who proposed BERT?",
        2: "Who proposed GPT-2?",
    }
    assert "Devlin" in results[1]["answer"]
    assert "Radford" in results[2]["answer"]
    assert [results[number]["docs"][0]["title"] for number in (1, 2)] == ["BERT", "GPT-2"]
    assert {result["type"] for result in results.values()} == {"factual"}


def test_every_level_of_the_dependencies(opened: Opened, server: ScriptedServer) -> None:
    """With a model: two parts at once, then two more, each of which waits for the one before it."""
    graph = build_decomposition_graph(opened(**deep(server)))
    workers: list[Any] = []
    for update in graph.stream({"original_query": CHAIN}, stream_mode="updates"):
        workers += [update["sub_query_worker"]["sub_results"][0]["id"]] if "sub_query_worker" in update else []
        if "handle_sequential" in update:
            assert [result["id"] for result in update["handle_sequential"]["sub_results"]] == [3, 4]
    assert sorted(workers) == [1, 2]
    state = graph.invoke({"original_query": CHAIN})
    assert {number: result["question"] for number, result in by_id(state).items()} == {
        1: "At which company was BERT proposed?",
        2: "Who proposed GPT-2?",
        3: "Who founded Google?",
        4: "In which year did Larry Page and Sergey Brin found it?",
    }
    assert "Larry Page" in by_id(state)[3]["answer"]


def test_what_is_no_question_is_replied_to_at_once(library: Library) -> None:
    graph = build_decomposition_graph(library)
    assert next(iter(graph.stream({"original_query": "hello"}, stream_mode="updates"))).keys() == {"decompose"}
    assert graph.invoke({"original_query": "hello"})["final_answer"].startswith("Hello.")


@pytest.mark.parametrize("given", [{}, {"original_query": " "}, {"original_query": 7}])
def test_without_a_question_it_says_what_is_missing(library: Library, given: dict[str, Any]) -> None:
    with pytest.raises(ScholarMindError, match=r"original_query = .* is no question; give one"):
        build_decomposition_graph(library).invoke({"conversation": "", **given})


@pytest.mark.parametrize(("name", "value"), [("confidence", 1.2), ("rounds", 0)])
def test_impossible_arguments(library: Library, name: str, value: float) -> None:
    with pytest.raises(ScholarMindError, match=f"{name} = {value}"):
        build_decomposition_graph(library, **{name: value})


def test_weak_parts_are_searched_again_as_often_as_there_are_rounds(library: Library) -> None:
    question = "Who proposed BERT, and who proposed XLNet?"
    for rounds in (1, 2, 3):
        graph = build_decomposition_graph(library, confidence=1.0, rounds=rounds)
        nodes = [
            name for update in graph.stream({"original_query": question}, stream_mode="updates") for name in update
        ]
        assert nodes.count("handle_sequential") == nodes.count("aggregate") == rounds
    state = graph.invoke({"original_query": question})
    assert by_id(state).keys() == {1, 2}
    assert len(state["searched_again"]) == 2


def test_only_what_passes_the_filter(library: Library) -> None:
    state = build_decomposition_graph(library, filter='title = "BERT"').invoke({"original_query": TWO})
    assert {doc["title"] for result in state["sub_results"] for doc in result["docs"]} == {"BERT"}


def test_the_run_is_kept_in_the_library(library: Library) -> None:
    state = build_decomposition_graph(library).invoke({"original_query": TWO})
    run = asyncio.run(library.runs.find(state["run"]))
    assert run is not None
    assert (run.status, run.question) == ("done", TWO)
    assert json.loads(run.answer)["answer"] == state["final_answer"]
    numbers = [json.loads(record)["number"] for record in asyncio.run(library.runs.events(run.id))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_failed_node_leaves_a_failed_run(library: Library) -> None:
    graph = build_decomposition_graph(library)
    library.store.close()
    with pytest.raises(RuntimeError, match="after shutdown"):
        graph.invoke({"original_query": TWO})
    assert [run.status for run in asyncio.run(library.runs.latest())] == ["failed"]


# -- on the way


def test_events_are_streamed(library: Library) -> None:
    graph = build_decomposition_graph(library)
    records = [*graph.stream({"original_query": TWO}, stream_mode="custom")]
    assert [record["number"] for record in records] == list(range(1, len(records) + 1))
    kinds = [record["type"] for record in records]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "done"
    assert kinds.count("part_answered") == 2


def test_the_answer_is_streamed_as_it_is_written(opened: Opened, server: ScriptedServer) -> None:
    graph = build_decomposition_graph(opened(**deep(server)))
    streamed = [*graph.stream({"original_query": CHAIN}, stream_mode=["custom", "values"])]
    pieces = [record["text"] for mode, record in streamed if mode == "custom" and record["type"] == "answer_piece"]
    assert len(pieces) > 1
    assert "".join(pieces).strip() == streamed[-1][1]["final_answer"]


@pytest.mark.anyio
async def test_awaited(opened: Opened, server: ScriptedServer, tmp_path: Path) -> None:
    """In the loop of the caller, with an asynchronous checkpointer, ten questions at a time."""
    library = await asyncio.to_thread(opened, **deep(server))
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "async.db")) as saver:
        graph = build_decomposition_graph(library, checkpointer=saver)
        asked = [graph.ainvoke({"original_query": CHAIN}, thread(str(number))) for number in range(10)]
        for state in await asyncio.gather(*asked):
            assert by_id(state)[3]["question"] == "Who founded Google?"
        kinds = [
            record["type"] async for record in graph.astream({"original_query": TWO}, thread("x"), stream_mode="custom")
        ]
        assert kinds[-1] == "done"
    await library.__aexit__()


# -- stopping and going on


def test_every_question_of_a_thread_begins_anew(library: Library, saver: SqliteSaver) -> None:
    graph = build_decomposition_graph(library, checkpointer=saver)
    first = graph.invoke({"original_query": TWO}, thread("a"))
    other = graph.invoke({"original_query": "Who proposed BERT, and who founded OpenAI?"}, thread("a"))
    assert by_id(first).keys() == by_id(other).keys() == {1, 2}
    assert "OpenAI" in by_id(other)[2]["question"]
    again = graph.invoke({"original_query": TWO}, thread("a"))
    assert again["final_answer"] == first["final_answer"]
    assert len({first["run"], other["run"], again["run"]}) == 3


@pytest.mark.parametrize("at", ["sub_query_worker", "handle_sequential", "aggregate", "completeness_check"])
def test_stopped_before_each_node_and_gone_on_with_by_another_program(
    opened: Opened, server: ScriptedServer, saver: SqliteSaver, at: str
) -> None:
    """A graph of another library object knows nothing but the checkpoint and the journal; it pays for the rest only."""
    settings = deep(server)
    graph = build_decomposition_graph(opened(**settings), checkpointer=saver)
    graph.invoke({"original_query": CHAIN}, thread("a"), interrupt_before=[at], durability="sync")
    before = [call.purpose for call in server.log]
    server.clear()
    other = build_decomposition_graph(opened(**settings), checkpointer=saver)
    assert other.get_state(thread("a")).next[0] == at
    state = other.invoke(None, thread("a"))
    paid = before + [call.purpose for call in server.log]
    assert sorted(paid) == sorted(set(paid))
    assert {"plan", "part 1", "part 2", "part 3", "part 4", "answer"} <= set(paid)
    assert "Larry Page" in by_id(state)[3]["answer"]


def test_further_rounds_in_another_program(opened: Opened, server: ScriptedServer, saver: SqliteSaver) -> None:
    """The rounds before are done again from the journal, with the plan and the answers that they had."""
    settings = deep(server)
    arguments: dict[str, Any] = {"checkpointer": saver, "confidence": 1.0, "rounds": 3}
    whole = build_decomposition_graph(opened(**settings), **arguments).invoke({"original_query": CHAIN}, thread("a"))
    paid = len(server.log)
    assert paid == len({call.purpose for call in server.log})  # rounds that bring nothing new cost nothing
    server.clear()
    given: Any = {"original_query": CHAIN}
    for _ in range(12):
        graph = build_decomposition_graph(opened(**settings), **arguments)
        state = graph.invoke(given, thread("b"), interrupt_after="*", durability="sync")
        given = None
        if not graph.get_state(thread("b")).next:
            break
    assert len(whole["searched_again"]) == 2
    ignored = {"run", "notes", "plan", "decomposition"}  # these tell of how long things took
    assert {name: value for name, value in state.items() if name not in ignored} == {
        name: value for name, value in whole.items() if name not in ignored
    }
    assert len(server.log) == paid


def test_a_failing_model_is_asked_again_for_nothing_that_it_answered(
    opened: Opened, server: ScriptedServer, saver: SqliteSaver
) -> None:
    graph = build_decomposition_graph(opened(**deep(server)), checkpointer=saver)
    first = graph.invoke({"original_query": CHAIN}, thread("a"), interrupt_after=["sub_query_worker"])
    asked = [call.purpose for call in server.log]
    assert asked.count("plan") == 1
    again = graph.invoke({"original_query": CHAIN}, thread("a"))  # the question once more, instead of None
    assert again["run"] == first["run"]
    paid = [call.purpose for call in server.log]
    assert sorted(paid) == sorted(set(paid))


# -- looking at the plan


def test_a_plan_waits_for_its_review(library: Library, saver: SqliteSaver) -> None:
    graph = build_decomposition_graph(library, checkpointer=saver, review_plan=True)
    state = graph.invoke({"original_query": TWO}, thread("a"))
    (asked,) = state["__interrupt__"]
    assert [part["text"] for part in asked.value["plan"]["parts"]] == ["Who proposed BERT?", "Who proposed GPT-2?"]
    assert asyncio.run(library.runs.find(state["run"])).status == "awaiting_plan"
    for empty in (
        "",
        " ",
        {},
        [],
        False,
        "perhaps",
        {"plan": None},
        {"plan": {}},
        {"parts": []},
        {"parts": [{"text": ""}]},
    ):
        (asked,) = graph.invoke(Command(resume=empty), thread("a"))["__interrupt__"]
        assert asked.value["problem"]
    assert graph.invoke(None, thread("a"))["__interrupt__"]
    other = build_decomposition_graph(library, checkpointer=saver, review_plan=True)
    done = other.invoke(Command(resume="approve"), thread("a"))
    assert done["final_answer"] == library.ask(TWO).text
    assert asyncio.run(library.runs.find(state["run"])).status == "done"


def test_another_plan_is_carried_out_in_its_place(library: Library, saver: SqliteSaver) -> None:
    graph = build_decomposition_graph(library, checkpointer=saver, review_plan=True)
    (asked,) = graph.invoke({"original_query": TWO}, thread("a"))["__interrupt__"]
    plan = asked.value["plan"]
    plan["parts"][1]["text"] = "Who founded OpenAI?"
    circle = {**plan, "parts": [{"text": "Who founded #2?", "depends_on": [2]}, {"text": "Of #1?", "depends_on": [1]}]}
    (asked,) = graph.invoke(Command(resume=circle), thread("a"))["__interrupt__"]
    assert "wait for each other" in asked.value["problem"]
    state = graph.invoke(Command(resume={"plan": plan}), thread("a"))
    assert "Sam Altman" in by_id(state)[2]["answer"]
    assert state["decomposition"]["decided_by"] == "user"


# -- within other graphs


class Parent(TypedDict, total=False):
    original_query: str
    final_answer: str
    shouted: str


def test_as_a_node_of_somebody_elses_graph(library: Library, saver: SqliteSaver) -> None:
    parent = StateGraph(Parent)
    parent.add_node("research", build_decomposition_graph(library, review_plan=True))
    parent.add_node("shout", lambda state: {"shouted": state["final_answer"].upper()})
    parent.add_edge(START, "research")
    parent.add_edge("research", "shout")
    parent.add_edge("shout", END)
    graph = parent.compile(checkpointer=saver)
    assert graph.invoke({"original_query": TWO}, thread("a"))["__interrupt__"]
    state = graph.invoke(Command(resume="approve"), thread("a"))
    assert state["shouted"] == library.ask(TWO).text.upper()
    records = [
        record
        for _, record in graph.stream({"original_query": "hello"}, thread("b"), stream_mode="custom", subgraphs=True)
    ]
    assert records[-1]["type"] == "done"


# -- the agent before it


def test_the_agent_takes_the_simple_path_or_the_graph(opened: Opened, server: ScriptedServer) -> None:
    library = opened()
    graph = build_decomposition_graph(library, checkpointer=InMemorySaver())
    simple = main_agent("Who proposed GPT-2?", "s", library=library, graph=graph)
    assert (simple["route"], simple["complete"]) == ("simple", True)
    assert "Radford" in by_id(simple)[1]["answer"]
    both = main_agent(TWO, "s", library=library, graph=graph)
    assert both["route"] == "graph"
    assert simple.keys() <= both.keys() | {"route"}
    followed = main_agent("And who proposed BERT?", "s", library=library, graph=graph)
    assert "Devlin" in followed["final_answer"]
    assert [turn.asked for turn in asyncio.run(library.runs.conversations.turns("s"))] == [
        "Who proposed GPT-2?",
        TWO,
        "And who proposed BERT?",
    ]
    greeted = main_agent("hello", "s", library=library, graph=graph)
    assert greeted["route"] == "simple"
    assert greeted["final_answer"].startswith("Hello.")


def test_the_agent_plans_once(opened: Opened, server: ScriptedServer) -> None:
    library = opened(**deep(server))
    state = main_agent(CHAIN, library=library)
    assert state["route"] == "graph"
    assert [call.purpose for call in server.log].count("plan") == 1


def test_the_agent_goes_on_with_what_was_interrupted(
    opened: Opened, server: ScriptedServer, saver: SqliteSaver
) -> None:
    library = opened(**deep(server))
    graph = build_decomposition_graph(library, checkpointer=saver)
    graph.invoke({"original_query": CHAIN, "conversation": "s"}, thread("s"), interrupt_before=["aggregate"])
    state = main_agent(CHAIN, "s", library=opened(**deep(server)), graph=graph)
    assert state["complete"]
    paid = [call.purpose for call in server.log]
    assert sorted(paid) == sorted(set(paid))
