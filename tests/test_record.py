"""Answers and plans as JSON: what docs/*.schema.json says is what is printed, and a plan that is read back is the plan."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind import Ask, Engine, Library, Plan, SubQuestion
from scholarmind.errors import PlanError
from scholarmind.filters import parse_filter
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Translation
from scholarmind.record import answer_record, filter_of, filter_record, plan_of, plan_record
from scholarmind.relations import Form, Proof, Related, Tally, TallyRow
from scholarmind.testing import MemoryJournal

DOCS = Path(__file__).parent.parent / "docs"
KNOWN = (
    "$schema title description $defs $ref type enum properties required additionalProperties items minItems minLength "
    "minimum maximum"
)
SEVEN = """1. Who proposed BERT?
2. Who proposed GPT-2?
3. How many layers has BERT?
4. How many layers has GPT-2?
5. When was BERT proposed?
6. Where was GPT-2 proposed?
7. Why has GPT-2 more layers?"""
TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
NOTE = """---
title: BERT
authors: [Jacob Devlin, Ming-Wei Chang]
year: 2019
---
# Layers

BERT-Base has 12 layers and was proposed by Jacob Devlin at Google. GPT-2 has 48 layers and is by Alec Radford.
"""


def schema(name: str) -> dict[str, Any]:
    """Return a schema of the documentation."""
    return json.loads((DOCS / name).read_text(encoding="utf-8"))


def faults(value: Any, rule: dict[str, Any], root: dict[str, Any], place: str = "$") -> Iterator[str]:
    """Yield where a value breaks the schema; knows the few words of JSON Schema that ours use, and no others."""
    assert set(rule) <= set(KNOWN.split())
    if reference := rule.get("$ref"):
        other = root["$defs"][reference.removeprefix("#/$defs/")] if reference.startswith("#") else schema(reference)
        yield from faults(value, other, root if reference.startswith("#") else other, place)
        return
    if not fits(value, rule):
        yield f"{place}: {value!r}"
    if isinstance(value, dict):
        properties = rule.get("properties", {})
        yield from (f"{place}.{name} is missing" for name in rule.get("required", []) if name not in value)
        for name, item in value.items():
            inner = properties.get(name, rule.get("additionalProperties", {}))
            yield from faults(item, inner, root, f"{place}.{name}") if inner is not False else [f"{place}.{name}"]
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(item, rule.get("items", {}), root, f"{place}[{number}]")


def fits(value: Any, rule: dict[str, Any]) -> bool:
    """Tell whether a value by itself is what the schema allows."""
    kinds = rule.get("type", [])
    if kinds and not any(is_a(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, int | float) and not rule.get("minimum", value) <= value <= rule.get("maximum", value):
        return False
    if isinstance(value, list | str) and len(value) < rule.get("minItems", rule.get("minLength", 0)):
        return False
    return "enum" not in rule or value in rule["enum"]


def is_a(value: Any, kind: str) -> bool:
    if kind in {"integer", "number"}:
        return not isinstance(value, bool) and isinstance(value, int if kind == "integer" else int | float)
    return isinstance(value, TYPES[kind])


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.fixture
def one_note(library: Library, tmp_path: Path) -> Library:
    """A library with a note."""
    (tmp_path / "bert.md").write_text(NOTE)
    library.add(tmp_path / "bert.md")
    return library


# -- answers


@pytest.mark.parametrize(
    "question",
    [
        "How many layers does BERT-Base have?",
        "Compare BERT and GPT-2 on layers, and who proposed each?",
        "BERT有多少层，由谁提出？",
        "Who built the Eiffel tower?",
        "thanks",
        SEVEN,
    ],
)
def test_an_answer_is_what_the_schema_says(one_note: Library, question: str) -> None:
    record = as_json(answer_record(one_note.ask(question)))
    rule = schema("answer.schema.json")
    assert list(faults(record, rule, rule)) == []


def test_the_top_of_an_answer_in_order(one_note: Library) -> None:
    record = answer_record(one_note.ask("How many layers does BERT-Base have?"))
    assert list(record) == [
        "question",
        "asked",
        "answer",
        "source",
        "written_by",
        "plan",
        "parts",
        "claims",
        "citations",
        "sources",
        "verdict",
        "confidence",
        "spent",
        "calls",
        "estimate",
        "fallbacks",
        "run",
    ]
    (part,) = record["parts"]
    assert set(part) == {
        "id", "text", "kind", "depends_on", "status", "missing", "answer", "evidence", "confidence", "tallies",
    }  # fmt: skip
    assert (part["id"], part["kind"], part["depends_on"], part["status"]) == ("1", "factual", [], "answered")
    (claim,) = record["claims"]
    assert claim == {
        "text": "BERT-Base has 12 layers and was proposed by Jacob Devlin at Google.",
        "status": "verified",
        "citations": ["Devlin & Chang, 2019"],
        "part": "1",
        "start": record["answer"].index("BERT-Base has"),
        "end": record["answer"].index(" [Devlin & Chang, 2019]"),
    }
    (citation,) = record["citations"]
    assert {name: citation[name] for name in ("key", "title", "authors", "year", "section", "page", "collection")} == {
        "key": "Devlin & Chang, 2019",
        "title": "BERT",
        "authors": ["Jacob Devlin", "Ming-Wei Chang"],
        "year": 2019,
        "section": ["Layers"],
        "page": None,
        "collection": "default",
    }
    text = one_note.text(citation["document"])
    assert text is not None
    assert text[citation["document_start"] : citation["document_end"]] == citation["quote"] == claim["text"]


def test_keys_of_claims_are_those_of_citations(one_note: Library) -> None:
    record = answer_record(one_note.ask("Compare BERT and GPT-2 on layers, and who proposed each?"))
    keys = {citation["key"] for citation in record["citations"]}
    assert keys == {"Devlin & Chang, 2019"}
    assert all(f"[{key}]" in record["answer"] for key in keys)
    assert {key for claim in record["claims"] for key in claim["citations"]} <= keys
    assert {claim["part"] for claim in record["claims"]} <= {part["id"] for part in record["parts"]}


@pytest.mark.anyio
async def test_a_failed_part_is_in_the_record() -> None:
    async def search(*_: object) -> list[str]:
        raise OSError("gone")

    record = as_json(answer_record(await Engine(retriever=search).ask("Who proposed BERT?")))
    rule = schema("answer.schema.json")
    assert list(faults(record, rule, rule)) == []
    assert [(part["status"], part["evidence"]) for part in record["parts"]] == [("failed", [])]
    assert record["parts"][0]["missing"].startswith("OSError: gone")


class Counting:
    """A graph of papers in which there is one; `asked` counts how often it was looked into."""

    def __init__(self) -> None:
        self.asked = 0

    async def related(self, question: str, *_: object) -> Related:
        self.asked += 1
        document = Document(id="bert", title="BERT", authors=("Jacob Devlin",), year=2019)
        passage = Passage(text="We introduce BERT, a language model.", start=10, end=46, position=0)
        item = Evidence(passage=passage, document=document, scores=Scores(fused=0.9))
        row = TallyRow(cells=("BERT", "2019"), proofs=(Proof(evidence=item, start=13, end=27), Proof(evidence=item)))
        tally = Tally(
            row="",
            form="first",
            said="The earliest paper in the library is BERT (2019).",
            columns=("paper", "year"),
            rows=(row,),
            items=("BERT",),
            confidence=0.9,
        )
        return Related(evidence=(item,), tally=tally, relations=("PUBLISHED_IN",))


async def nothing(*_: object) -> list[str]:
    return []


@pytest.mark.anyio
async def test_what_was_counted_is_in_the_record_and_a_remembered_run_says_the_same() -> None:
    counting = Counting()
    engine = Engine(retriever=nothing, relations=counting, journal=MemoryJournal())
    question = "Which paper is the earliest?"
    first, again = [as_json(answer_record(await engine.ask(question, run="r1"))) for _ in range(2)]
    rule = schema("answer.schema.json")
    assert list(faults(first, rule, rule)) == []
    assert first["parts"][0]["tallies"] == [
        {
            "form": "first",
            "said": "The earliest paper in the library is BERT (2019).",
            "columns": ["paper", "year"],
            "rows": [{"cells": ["BERT", "2019"], "depth": 0, "citations": ["Devlin, 2019"]}],
            "items": ["BERT"],
            "confidence": 0.9,
            "notes": [],
        }
    ]
    assert [(part["status"], part["confidence"]) for part in first["parts"]] == [("answered", 0.9)]
    assert {**again, "spent": first["spent"], "plan": first["plan"]} == first
    assert counting.asked == 1


def test_the_validator_finds_faults(one_note: Library) -> None:
    rule = schema("answer.schema.json")
    record = as_json(answer_record(one_note.ask("How many layers does BERT-Base have?")))
    record["verdict"] = "fine"
    record["parts"][0]["confidence"] = 1.5
    record["plan"]["parts"][0]["more"] = 1
    del record["run"]
    assert sorted(fault.partition(":")[0].partition(" ")[0] for fault in faults(record, rule, rule)) == [
        "$.parts[0].confidence",
        "$.plan.parts[0].more",
        "$.run",
        "$.verdict",
    ]


# -- plans

texts = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())
translations = st.builds(Translation, asked=texts, language=st.sampled_from(["zh", "de"]), said=texts)
asks = st.builds(Ask, text=texts, entity=st.text(max_size=9), aspect=st.text(max_size=9))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans of up to six parts, each waiting for some of those before it."""
    numbers = draw(st.lists(st.integers(0, 50), min_size=1, max_size=6, unique=True))
    parts: list[SubQuestion] = []
    for place, number in enumerate(numbers):
        waits = draw(st.lists(st.sampled_from(numbers[:place]), unique=True)) if place else []
        parts.append(
            SubQuestion(
                id=number,
                text=draw(texts),
                kind=draw(st.sampled_from(["factual", "reasoning", "global"])),
                depends_on=tuple(waits),
                role=draw(st.sampled_from(["find", "compare", "conclude"])) if waits else "find",
                asks=tuple(draw(st.lists(asks, max_size=3))),
                known=draw(st.text(max_size=9)),
                known_from=tuple(draw(st.lists(texts, max_size=2))),
                extends=draw(st.integers(0, 9)),
                form=draw(st.sampled_from([None, *get_args(Form)])),
            )
        )
    return Plan(
        question=draw(texts),
        parts=tuple(parts),
        complexity="composite" if len(parts) > 1 else "simple",
        reason=draw(st.text(max_size=9)),
        decided_by="user",
        core_intent=draw(st.text(max_size=9)),
        known_entities=tuple(draw(st.lists(texts, max_size=3))),
        unknown_entities=tuple(draw(st.lists(texts, max_size=3))),
        retrieval=draw(st.booleans()),
        own_answer=draw(st.text(max_size=9)),
        strategy=draw(st.sampled_from(["plan", "concepts", "scored", "roadmap"])),
        steps=draw(st.integers(0, 10)),
        translations=tuple(draw(st.lists(translations, max_size=2))),
    )


@given(plans())
def test_a_plan_that_is_read_back_is_the_plan(plan: Plan) -> None:
    record = as_json(plan_record(plan))
    rule = schema("plan.schema.json")
    assert list(faults(record, rule, rule)) == []
    assert plan_of(record) == plan


def test_a_plan_written_by_hand_needs_no_more_than_questions() -> None:
    record = {"parts": [{"text": "Who proposed BERT?"}, {"question": "What else did #1 do?", "depends_on": ["1"]}]}
    plan = plan_of(record, "Who, and what else?")
    assert plan.parts == (
        SubQuestion(id=1, text="Who proposed BERT?"),
        SubQuestion(id=2, text="What else did #1 do?", depends_on=(1,)),
    )
    assert (plan.question, plan.decided_by, plan.complexity) == ("Who, and what else?", "user", "composite")


def test_a_tree_that_is_read_back_is_the_tree() -> None:
    parts = (
        SubQuestion(id=1, text="Compare A and B", role="compare", depends_on=(2, 3)),
        SubQuestion(id=2, text="A?", parent=1),
        SubQuestion(id=3, text="B?", parent=1),
        SubQuestion(id=4, text="C?"),
    )
    plan = Plan(question="A or B, and C?", parts=parts, complexity="composite", reason="", decided_by="user")
    record = as_json(plan_record(plan))
    rule = schema("plan.schema.json")

    assert [part["parent"] for part in record["parts"]] == [0, 1, 1, 0]
    assert list(faults(record, rule, rule)) == []
    assert plan_of(record) == plan


def test_a_comparison_of_nothing_looks_for_itself() -> None:
    plan = plan_of({"parts": [{"text": "Compare A and B", "role": "compare"}]}, "A or B?")
    assert plan.parts[0].role == "find"


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ([], "a plan is '[]', not an object"),
        (None, "a plan is 'None', not an object"),
        ("plan", "a plan is 'plan', not an object"),
        ({}, "a plan is an object with a list of `parts`"),
        ({"parts": {}}, "a plan is an object with a list of `parts`"),
        ({"parts": []}, "a plan needs at least one part"),
        ({"parts": ["Who?"]}, "part 1 is 'Who?', not an object"),
        ({"parts": [{}]}, "part 1 asks nothing"),
        ({"parts": [{"text": "  "}]}, "part 1 asks nothing"),
        ({"parts": [{"text": ["Who?"]}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "Who?", "id": 1.5}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "Who?", "id": True}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "Who?", "id": float("inf")}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "Who?", "id": None}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "Who?", "kind": "fact"}]}, "part 1: kind = 'fact' is not one of factual"),
        ({"parts": [{"text": "Who?", "depends_on": "12"}]}, "depends_on = '12' is not a list"),
        ({"parts": [{"text": "Who?", "depends_on": [9]}]}, "part 1 depends on part 9, which there is not"),
        ({"parts": [{"text": "Who?", "depends_on": [1]}]}, "parts wait for each other: 1 -> 1"),
        ({"parts": [{"text": "A?", "depends_on": [2]}, {"text": "B?", "depends_on": [1]}]}, "parts wait for each other"),
        ({"parts": [{"text": "A?", "id": 1}, {"text": "B?", "id": 1}]}, "two parts have the number 1"),
        ({"parts": [{"text": "A?", "asks": "abc"}]}, "asks = 'abc' is not a list"),
        ({"parts": [{"text": "A?", "asks": [{}]}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "A?", "parent": "x"}]}, "part 1 cannot be read"),
        ({"parts": [{"text": "A?", "parent": 7}]}, "part 1 is a part of part 7, which there is not"),
        ({"parts": [{"text": "A?", "parent": 1}]}, "part 1 is a part of part 1, which there is not"),
        ({"parts": [{"text": "A?"}, {"text": "B?", "parent": 1}]}, "part of part 1, which looks something up"),
        ({"parts": [{"text": "A?", "depends_on": [2], "role": "conclude"}, {"text": "B?"}, {"text": "C?", "parent": 1}]},
         "part 3 is a part of part 1, which does not wait for it; write 3 into"),
        ({"parts": [{"text": "A?", "depends_on": [2], "role": "conclude", "parent": 2},
                    {"text": "B?", "depends_on": [1], "role": "conclude", "parent": 1}]}, "parts wait for each other"),
        ({"parts": [{"text": "A?", "form": "sum"}]}, "part 1: form = 'sum' is not one of count, ranking"),
        ({"parts": [{"text": "A?", "form": ["count"]}]}, "part 1: form = ['count'] is not one of count, ranking"),
        ({"parts": [{"text": "A?"}], "known_entities": "BERT"}, "known_entities = 'BERT' is not a list"),
        ({"parts": [{"text": "A?"}], "unknown_entities": 5}, "unknown_entities = '5' is not a list"),
    ],
)  # fmt: skip
def test_what_is_no_plan_is_an_error_that_says_where(record: Any, told: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan_of(record, "Who?")
    assert told in str(caught.value)


# -- filters


@pytest.mark.parametrize(
    "text",
    [
        "year >= 2019",
        'not (author = "O\'Neil \\"x\\"" or title ~ attention) and language != zh',
        "a = 1 or b = 2 and not not c = 3 or (d < 4.5 or e > -1)",
    ],
)
def test_a_filter_that_is_read_back_is_the_filter(text: str) -> None:
    filter = parse_filter(text)
    record = filter_record(filter)
    assert record is not None
    assert filter_of(as_json(record)) == filter
    assert filter_record(None) is None
