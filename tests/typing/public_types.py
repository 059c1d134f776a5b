"""What type checkers know of the public names. `make check` reads this with basedpyright and with mypy; nothing here is ever run."""

from collections.abc import Mapping, Sequence
from typing import Any, assert_type

from scholarmind import (
    Answer,
    Citation,
    Claim,
    Document,
    Engine,
    Evidence,
    Filter,
    Found,
    Library,
    Options,
    Plan,
    Proposal,
    Report,
    Review,
    Row,
    Scored,
    SubQuestion,
    connect,
    parse_filter,
)
from scholarmind.events import AnswerPiece


def settings_have_types() -> None:
    Library.open("papers", embedder="none", max_parts=3, llm=None, scored={"top_k": 10})
    Library.open(scored=Scored(), create=False)
    Library.open("papers", max_parts="three")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Library.open("papers", embedder="word2vec")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Library.open("papers", max_part=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def methods_wait(library: Library) -> None:
    answer = library.ask("Who proposed BERT?", filter="year >= 2019")
    assert_type(answer, Answer)
    assert_type(answer.text, str)
    assert_type(answer.plan, Plan)
    assert_type(answer.plan.parts, tuple[SubQuestion, ...])
    assert_type(answer.review, Review)
    assert_type(answer.review.rows, tuple[Row, ...])
    assert_type(answer.claims, tuple[Claim, ...])
    assert_type(answer.citations, tuple[Citation, ...])
    assert_type(answer.evidence, tuple[Evidence, ...])
    assert_type(library.add(["papers"]), Report)
    assert_type(library.search("BERT", 5), Found)
    assert_type(library.propose("Who proposed BERT?"), Proposal)
    assert_type(library.documents(), list[Document])
    library.ask(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def and_can_be_awaited(library: Library) -> None:
    assert_type(await library.ask.aio("Who proposed BERT?"), Answer)
    async for event in library.stream("Who proposed BERT?"):
        if isinstance(event, AnswerPiece):
            assert_type(event.text, str)


async def search(question: str, k: int, filter: Filter | None) -> Sequence[Mapping[str, Any]]:
    return [{"id": "bert", "text": "BERT was proposed by Jacob Devlin."}]


async def an_engine_over_a_search() -> None:
    assert_type(await Engine(retriever=search, models=connect("ollama/qwen3")).ask("Who proposed BERT?"), Answer)
    Engine(retriever=search, options=Options(max_parts=3))
    assert_type(parse_filter("year >= 2019"), Filter)
