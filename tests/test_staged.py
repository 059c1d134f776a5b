"""The stages of a run, carried out by somebody else: in any order of parts, and by several programs in turn."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from scholarmind import Library, Settings
from scholarmind.running import RunRequest
from scholarmind.staged import StagedRun, unfinished_run
from scholarmind.testing import HashEmbedder

pytestmark = pytest.mark.anyio

TWO = "Who proposed BERT, and who proposed GPT-2?"
NOTES = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019.",
}


@pytest.fixture
def filled(library: Library, tmp_path: Path) -> Library:
    """The library with two notes."""
    for name, text in NOTES.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    library.add([tmp_path / f"{name}.md" for name in NOTES])
    return library


async def staged(library: Library, run: str = "run", question: str = TWO) -> StagedRun:
    """Begin the stages of a run, or go on with them."""
    work = StagedRun(library.engine(), library.runs, RunRequest(run=run, question=question))
    await work.begin()
    return work


@pytest.mark.parametrize("order", [(1, 2), (2, 1), ()])
async def test_stage_by_stage_it_is_the_same_answer(filled: Library, order: Sequence[int]) -> None:
    work = await staged(filled)
    await asyncio.gather(*(work.part(number) for number in order))
    answer = await work.finish()
    whole = await filled.ask.aio(TWO)
    assert (answer.text, answer.review) == (whole.text, whole.review)
    known = await filled.runs.find("run")
    assert known is not None
    assert (known.status, known.question) == ("done", TWO)


async def test_another_program_goes_on_by_the_journal(filled: Library, tmp_path: Path) -> None:
    """It searches for nothing that the first one found."""
    first = await staged(filled)
    found = await first.part(1)
    await first.give_up(asyncio.CancelledError())
    with Library(Settings(library=tmp_path / "library"), embedder=HashEmbedder()) as other:
        work = await staged(other)
        remembered: list[object] = []
        work.on_event = lambda item: remembered.append(getattr(item.event, "remembered", None))
        findings = await work.findings()
        assert remembered.count(True) == 1  # part 1; part 2 was not begun
        assert [item.passage for item in findings[0].evidence] == [item.passage for item in found.evidence]
        assert (await work.finish()).text == (await other.ask.aio(TWO)).text


async def test_what_is_no_question_has_its_answer_at_once(filled: Library) -> None:
    work = await staged(filled, question="hello")
    assert work.answer is not None
    assert (await work.finish()).source == "talk"


async def test_a_run_is_taken_up_until_it_has_ended(filled: Library) -> None:
    runs = filled.runs
    names = {thread: await unfinished_run(runs, thread, TWO) for thread in ("a", "b")}
    assert len({*names.values(), await unfinished_run(runs, "a", "Who proposed BERT?")}) == 3
    work = await staged(filled, names["a"])
    await work.suspend()
    assert await unfinished_run(runs, "a", TWO) == names["a"]
    await (await staged(filled, names["a"])).finish()
    assert await unfinished_run(runs, "a", TWO) not in names.values()
    assert await unfinished_run(runs, "", TWO) != await unfinished_run(runs, "", TWO)


async def test_a_stage_before_the_beginning(filled: Library) -> None:
    work = StagedRun(filled.engine(), filled.runs, RunRequest(run="run", question=TWO))
    with pytest.raises(RuntimeError, match="`begin` comes before"):
        _ = work.inquiry
