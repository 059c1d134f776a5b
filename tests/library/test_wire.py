"""Messages between this process and one that reads files come out as they went in, and nonsense is recognised."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.layout import Box, Layout, Line, Page
from scholarmind.library.file_reading import (
    Begun,
    BrokenWireError,
    Ended,
    ReadingJob,
    Step,
    frame,
    frame_reader,
    job_frame,
    job_of,
    read_frame,
    step_frame,
    step_of,
)
from scholarmind.model import BibEntry, Document, Entry, Fact, Headway, Passage, Pointer, Problem, Reference

LAYOUT = Layout(
    pages=(Page(number=1, width=612, height=792.3, start=0), Page(number=2, width=792, height=612, start=5)),
    lines=(
        Line(start=0, end=4, box=Box(page=1, left=72.1, top=-3.5, right=300, bottom=84.2)),
        Line(start=5, end=9, box=Box(page=2, left=72, top=72, right=300, bottom=84)),
    ),
)
ENTRY = Entry(
    document=Document(
        id="a",
        title="A",
        authors=("张伟", "Ada Lovelace"),
        year=2019,
        metadata={"tags": ("x", 1), "n": 0.5, "ok": True},
    ),
    text="One.\nTwo.",
    passages=(
        Passage(text="One.", start=0, end=4, position=0, section=("A", "B"), language="en", page=1),
        Passage(text="Two.", start=5, end=9, position=1, kind="table", page=1, turns=(5,)),
    ),
    hash="abc",
    layout=LAYOUT,
    facts=(
        Fact(field="authors", value=("A", "B"), source="first page", sure=0.8),
        Fact(field="year", value=None, source="by hand", sure=1.0, by="hand"),
    ),
    references=(Reference(text="B. 2018.", start=0, end=4, label="1", authors=("B",), year=2018, title="T", doi="d"),),
    pointers=(Pointer(start=0, end=2, references=(0,)),),
)
STEPS = (
    Begun(hash="x"),
    Headway(done=1, total=2),
    Problem(where="a", reason="b", advice="c", lasting=True),
    Ended(hash="h", unchanged=True, seconds=0.5, bytes=3),
    ENTRY,
    BibEntry(
        key="k", line=3, document=Document(id="k", title="T", authors=("A",)), abstract="Abs", files=("a.pdf", "b.pdf")
    ),
)


def through(step: Step) -> Step:
    """Return the step after it was sent and received."""
    message = read_frame(frame_reader(io.BytesIO(step_frame(step))))
    assert message is not None
    return step_of(*message)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_a_step_comes_out_as_it_went_in(step: Step) -> None:
    assert through(step) == step


@given(st.text(), st.text(alphabet=st.characters(categories=("Cs", "Lu", "Lo"))))
def test_any_text_comes_through(reason: str, where: str) -> None:
    problem = Problem(where=where, reason=reason, advice="")
    assert through(problem) == problem


def test_a_message_that_was_cut_off_is_none_any_more() -> None:
    message = frame({"a": 1}, b"blob")
    assert [read_frame(frame_reader(io.BytesIO(message[:-cut]))) for cut in (1, 5, len(message))] == [None, None, None]


def test_a_job_comes_out_as_it_went_in() -> None:
    job = ReadingJob(path=Path("/papers/caf\udce9.pdf"), known="abc", bibliography=True)
    message = read_frame(frame_reader(io.BytesIO(job_frame(job))))
    assert message is not None
    assert job_of(message[0]) == job


def test_messages_follow_each_other_and_end() -> None:
    wire = frame_reader(io.BytesIO(frame({"a": 1}) + frame({"b": 2}, b"blob")))
    assert [read_frame(wire), read_frame(wire), read_frame(wire)] == [({"a": 1}, b""), ({"b": 2}, b"blob"), None]


@pytest.mark.parametrize(
    "content",
    [b"\xff" * 100, b"\0\0\0\3\0\0\0\0abc", b"\0\0\0\1\0\0\0\0{"],
    ids=["far too long", "no JSON", "cut off"],
)
def test_nonsense_is_recognised(content: bytes) -> None:
    with pytest.raises(BrokenWireError):
        read_frame(frame_reader(io.BytesIO(content)))


@pytest.mark.parametrize(
    "value",
    [{}, {"is": "Path"}, {"is": "Headway", "done": 1}, {"is": "Entry", "document": {}}, {"is": "Ended", "extra": 1}],
)
def test_a_message_that_is_no_step_is_recognised(value: dict[str, object]) -> None:
    with pytest.raises(BrokenWireError):
        step_of(value, b"")
