"""Addresses tell apart what must be told apart, the codec loses nothing, and what is remembered belongs to its own question."""

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.answer import Finding
from scholarmind.errors import LibraryStorageError
from scholarmind.events import Event, PartEvidence, ignore
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.steps.execute import execute, resolved
from scholarmind.steps.journal import Basis, address, decode, encode, new_run, remembered
from scholarmind.testing import MemoryJournal

pytestmark = pytest.mark.anyio
Given = Mapping[int, Finding]

any_text = st.text(st.characters(codec=None), max_size=20)  # with halves of characters, too
numbers = st.floats(allow_nan=False) | st.integers(-(2**60), 2**60)
scalars = any_text | st.booleans() | numbers
documents = st.builds(
    Document,
    id=any_text,
    title=any_text,
    authors=st.lists(any_text, max_size=2).map(tuple),
    year=st.none() | st.integers(0, 3000),
    metadata=st.dictionaries(any_text, scalars | st.lists(scalars, max_size=2).map(tuple), max_size=2),
)
passages = st.builds(
    Passage,
    text=any_text,
    start=st.integers(0),
    end=st.integers(0),
    position=st.integers(0),
    section=st.lists(any_text, max_size=2).map(tuple),
)
scores = st.builds(Scores, fused=st.floats(allow_nan=False), vector=st.none() | st.floats(allow_nan=False))
evidence = st.builds(
    Evidence, passage=passages, document=documents, scores=scores, found_by=st.frozensets(any_text, max_size=3)
)
asks = st.builds(Ask, text=any_text, entity=any_text, aspect=any_text)
parts = st.builds(
    SubQuestion,
    id=st.integers(),
    text=any_text,
    kind=st.sampled_from(["factual", "reasoning", "global"]),
    depends_on=st.lists(st.integers(), max_size=2).map(tuple),
    role=st.sampled_from(["find", "compare", "conclude"]),
    asks=st.lists(asks, max_size=2).map(tuple),
)
findings = st.builds(
    Finding,
    part=parts,
    question=any_text,
    evidence=st.lists(evidence, max_size=2).map(tuple),
    answer=any_text,
    candidates=st.lists(any_text, max_size=3).map(tuple),
    notes=st.lists(any_text, max_size=2).map(tuple),
    seconds=st.floats(0, 1e6),
)
FOUND = Evidence(
    passage=Passage(text="BERT was trained on BookCorpus.", start=3, end=34, position=0, section=("Data",)),
    document=Document(id="bert", title="BERT", authors=("Devlin",), year=2019, metadata={"tags": ("a", 1, True)}),
    scores=Scores(fused=0.5, keyword=1.0, keyword_rank=1),
    found_by=frozenset({"part 1", "question"}),
)
FIRST = SubQuestion(id=1, text="What dataset did BERT use?")
SECOND = SubQuestion(id=2, text="What is the size of #1?", depends_on=(1,), asks=(Ask(text="What is the size of #1?"),))
ANSWERED = Finding(part=FIRST, question=FIRST.text, answer="BookCorpus", candidates=("BookCorpus",), evidence=(FOUND,))
BASIS = Basis(library="7", settings={"k": 10, "fusion": "convex"}, models={"embedder": "minilm/1"})


class TestCodec:
    @settings(max_examples=200, deadline=None)
    @given(finding=findings)
    def test_nothing_is_lost(self, finding: Finding) -> None:
        text = encode(finding)
        assert decode(Finding, text) == finding
        assert text.isascii()

    def test_types_are_kept(self) -> None:
        told = decode(Finding, encode(ANSWERED))
        assert told == ANSWERED
        (found,) = told.evidence
        assert [type(value) for value in found.document.metadata["tags"]] == [str, int, bool]
        assert hash(found.passage) == hash(FOUND.passage)

    def test_metadata_that_only_somebody_elses_search_gives(self) -> None:
        strange = replace(FOUND, document=replace(FOUND.document, metadata={"url": None, "more": {"pages": ((1, 2),)}}))
        finding = replace(ANSWERED, evidence=(strange,))
        told = decode(Finding, encode(finding))
        assert told is not None
        assert told.evidence[0].document.metadata == {"url": None, "more": {"pages": [[1, 2]]}}

    def test_a_plan(self) -> None:
        plan = Plan(
            question="Q?",
            parts=(FIRST, SECOND),
            complexity="composite",
            reason="two hops",
            decided_by="rules",
            known_entities=("BERT",),
            milliseconds=1.5,
        )
        assert decode(Plan, encode(plan)) == plan

    @settings(max_examples=200, deadline=None)
    @given(
        value=st.recursive(
            st.none() | scalars,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        )
    )
    def test_any_other_json_is_nothing(self, value: Any) -> None:
        assert decode(Finding, json.dumps(value)) is None

    @pytest.mark.parametrize("text", ["", "{", "null", "[" * 100_000, '{"format": 1}', "\x00", "注意力"])
    def test_any_other_text_is_nothing(self, text: str) -> None:
        assert decode(Finding, text) is None

    def test_every_single_damage_to_a_record_is_seen_or_harmless(self) -> None:
        """A changed letter may give another text, but never a value of a wrong type."""
        sound, seeded = encode(ANSWERED), random.Random(5)
        for _ in range(2000):
            place = seeded.randrange(len(sound))
            damaged = sound[:place] + seeded.choice(["", "x", "0", '"', "}", "[", "null"]) + sound[place + 1 :]
            told = decode(Finding, damaged)
            assert told is None or decode(Finding, encode(told)) == told

    @pytest.mark.parametrize(
        "change",
        [
            {"format": 2},
            {"type": "Plan"},
            {"value": {"question": "x"}},
            {"answer": None},
            {"answer": 7},
            {"seconds": True},
            {"notes": "text"},
            {"part": []},
            {"more": ""},
        ],
        ids=str,
    )
    def test_a_record_of_another_version_is_nothing(self, change: dict[str, Any]) -> None:
        record = json.loads(encode(ANSWERED))
        inner = {name: value for name, value in change.items() if name not in record}
        record |= {name: value for name, value in change.items() if name in record}
        record["value"] |= inner
        assert decode(Finding, json.dumps(record)) is None

    def test_a_plan_that_cannot_be_is_nothing(self) -> None:
        plan = Plan(question="Q?", parts=(FIRST,), complexity="simple", reason="", decided_by="rules")
        record = json.loads(encode(plan))
        record["value"]["parts"][0]["depends_on"] = [9]
        assert decode(Plan, json.dumps(record)) is None


class TestAddress:
    def test_equal_content_has_one_address_whatever_the_order(self) -> None:
        other = {1: ANSWERED, 3: replace(ANSWERED, answer="Wikipedia")}
        turned = dict(reversed(other.items()))
        basis = Basis(library="7", settings=dict(reversed(BASIS.settings.items())), models={"embedder": "minilm/1"})
        assert address(SECOND, turned, basis) == address(SECOND, other, BASIS)
        assert len(address(SECOND, other, BASIS)) == 64

    def test_what_has_no_influence_on_the_answer_is_left_out(self) -> None:
        slower = replace(ANSWERED, seconds=9.0, notes=("slow",), evidence=(replace(FOUND, scores=Scores(fused=0.1)),))
        assert address(SECOND, {1: slower}, BASIS) == address(SECOND, {1: ANSWERED}, BASIS)

    def test_everything_that_the_answer_depends_on_makes_another_address(self) -> None:
        moved = replace(FOUND, passage=replace(FOUND.passage, start=4))
        reworded = replace(FOUND, passage=replace(FOUND.passage, text="BERT was not."))
        elsewhere = replace(FOUND, document=replace(FOUND.document, id="gpt"))
        found = [
            address(part, {1: told}, basis)
            for part, told, basis in [
                (SECOND, ANSWERED, BASIS),
                (replace(SECOND, text="What is the size of  #1?"), ANSWERED, BASIS),
                (replace(SECOND, id=3), ANSWERED, BASIS),
                (replace(SECOND, kind="global"), ANSWERED, BASIS),
                (replace(SECOND, role="conclude"), ANSWERED, BASIS),
                (replace(SECOND, asks=(Ask(text="How large is #1?"),)), ANSWERED, BASIS),
                (replace(SECOND, asks=(replace(SECOND.asks[0], aspect="size"),)), ANSWERED, BASIS),
                (SECOND, replace(ANSWERED, answer="Wikipedia"), BASIS),
                (SECOND, replace(ANSWERED, candidates=("BookCorpus", "Wikipedia")), BASIS),
                (SECOND, replace(ANSWERED, question="What did BERT read?"), BASIS),
                (SECOND, replace(ANSWERED, evidence=()), BASIS),
                (SECOND, replace(ANSWERED, evidence=(moved,)), BASIS),
                (SECOND, replace(ANSWERED, evidence=(reworded,)), BASIS),
                (SECOND, replace(ANSWERED, evidence=(elsewhere,)), BASIS),
                (SECOND, ANSWERED, replace(BASIS, library="8")),
                (SECOND, ANSWERED, replace(BASIS, structures="tree 1.2")),
                (SECOND, ANSWERED, replace(BASIS, settings={"k": 11, "fusion": "convex"})),
                (SECOND, ANSWERED, replace(BASIS, settings={})),
                (SECOND, ANSWERED, replace(BASIS, models={"embedder": "minilm/2"})),
            ]
        ]
        assert len(set(found)) == len(found)

    @settings(max_examples=200, deadline=None)
    @given(one=findings, other=findings)
    def test_no_two_questions_share_an_address(self, one: Finding, other: Finding) -> None:
        first, second = (address(finding.part, {}, BASIS) for finding in (one, other))
        same = replace(one.part, depends_on=()) == replace(other.part, depends_on=())
        rows = one.part.rows == other.part.rows and replace(one.part, asks=(), depends_on=()) == replace(
            other.part, asks=(), depends_on=()
        )
        assert (first == second) == (same or rows)


def test_ids_of_runs_are_short_sorted_and_differ() -> None:
    ids = [new_run() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {len(run) for run in ids} == {24}
    assert [run[:15] for run in ids] == sorted(run[:15] for run in ids)
    assert all(run.replace("-", "").isalnum() for run in ids)


class FailingJournal:
    """A journal on a disk that is no more."""

    async def get(self, run: str, address: str) -> str | None:
        """Fail."""
        raise LibraryStorageError("the disk is gone")

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Fail."""
        raise LibraryStorageError("the disk is full")


class Researcher:
    """Answers with the question itself, and counts what it was asked."""

    def __init__(self, *, failing: int = 0) -> None:
        self.asked: list[int] = []
        self.failing = failing

    async def __call__(self, part: SubQuestion, given: Given) -> Finding:
        """Answer a part."""
        self.asked.append(part.id)
        await asyncio.sleep(0)
        question = resolved(part, given)
        if part.id == self.failing:
            return Finding(part=part, question=question, error="no answer")
        return Finding(part=part, question=question, answer=f"<{question}>", evidence=(FOUND,))


PLAN = Plan(question="Q?", parts=(FIRST, SECOND), complexity="composite", reason="", decided_by="test")


async def run(journal: Any, researcher: Researcher, *, run: str = "run", basis: Basis = BASIS) -> list[Finding]:
    """Execute the plan with a memory."""
    return await execute(PLAN, remembered(researcher, journal, run, basis=basis, on_event=ignore))


class TestRemembered:
    async def test_what_was_answered_is_not_asked_again_and_comes_back_as_it_was(self) -> None:
        journal, first, second = MemoryJournal(), Researcher(), Researcher()
        before = await run(journal, first)
        assert await run(journal, second) == before
        assert (first.asked, second.asked) == ([1, 2], [])
        assert journal.steps == [("run", "part 1"), ("run", "part 2")]

    async def test_another_run_library_or_setting_asks_again(self) -> None:
        journal = MemoryJournal()
        await run(journal, Researcher())
        for options in (
            {"run": "other"},
            {"basis": replace(BASIS, library="8")},
            {"basis": replace(BASIS, settings={"k": 5})},
        ):
            again = Researcher()
            await run(journal, again, **options)
            assert again.asked == [1, 2]

    async def test_a_failure_is_tried_again_and_so_is_what_went_on_without_its_answer(self) -> None:
        journal, failing, working = MemoryJournal(), Researcher(failing=1), Researcher()
        before = await run(journal, failing)
        assert before[1].question == "What is the size of (What dataset did BERT use)?"
        after = await run(journal, working)
        assert working.asked == [1, 2]
        assert after[1].question == "What is the size of <What dataset did BERT use?>?"
        assert after[1].notes == ()

    async def test_a_damaged_value_is_as_if_it_were_not_there_and_told(self) -> None:
        journal = MemoryJournal()
        key = address(FIRST, {}, BASIS)
        await journal.put("run", key, "part 1", '{"format": 0}')
        researcher = Researcher()
        first, second = await run(journal, researcher)
        assert researcher.asked == [1, 2]
        told = "what the journal held for this part is damaged, or of another version; it was researched again"
        assert (first.notes, second.notes) == ((told,), ())
        again = Researcher()
        await run(journal, again)
        assert again.asked == []

    async def test_a_journal_that_fails_costs_nothing_but_the_memory(self) -> None:
        first, second = await run(FailingJournal(), Researcher())
        told = ("the journal could not be read: the disk is gone", "the journal could not be written: the disk is full")
        assert (first.notes, first.answer) == (told, "<What dataset did BERT use?>")
        assert (second.notes, second.answer) == (told, "<What is the size of <What dataset did BERT use?>?>")

    async def test_what_json_does_not_know_is_not_remembered(self) -> None:
        strange = replace(FOUND, document=replace(FOUND.document, metadata={"when": object()}))

        async def investigate(part: SubQuestion, given: Given) -> Finding:
            return Finding(part=part, question=part.text, answer="A", evidence=(strange,))

        journal = MemoryJournal()
        (only,) = await execute(
            replace(PLAN, parts=(FIRST,)), remembered(investigate, journal, "run", basis=BASIS, on_event=ignore)
        )
        assert (only.answer, only.evidence, journal.steps) == ("A", (strange,), [])
        assert "the journal cannot hold what was found" in only.notes[0]

    async def test_an_event_tells_what_is_from_the_journal(self) -> None:
        journal, seen = MemoryJournal(), list[Event]()
        await run(journal, Researcher())
        recall = remembered(Researcher(), journal, "run", basis=BASIS, on_event=seen.append)
        await recall(FIRST, {})
        (event,) = seen
        assert isinstance(event, PartEvidence)
        assert replace(event, seconds=0.0, best=()) == PartEvidence(
            part=1, question="What dataset did BERT use?", passages=1, documents=("BERT",), remembered=True
        )
        assert [item.text for item in event.best] == ["BERT was trained on BookCorpus."]
