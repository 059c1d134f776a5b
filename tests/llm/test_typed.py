"""Shapes of replies: the schema that a server is given, and values read from what models make of it."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.llm.typed_replies import read, schema_of

Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "text", "kind", "dependsOn", "parts", "score", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part as a model is to give it."""

    id: int
    text: str = field(metadata={"told": "the question, complete in itself"})
    kind: Literal["factual", "reasoning", "global"] = "factual"
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Something with every type in it."""

    parts: tuple[Part, ...]
    core_intent: str = ""
    needs_documents: bool = True
    score: float | None
    first: Part | None = None
    entities: tuple[str, ...] = field(default_factory=tuple)
    level: Literal[1, 2] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """Like the answer to a bridge."""

    answer: str
    passages: tuple[str, ...] = ()
    nothing_found: bool = False


PART_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "text": {"type": "string", "description": "the question, complete in itself"},
        "kind": {"type": "string", "enum": ["factual", "reasoning", "global"]},
        "depends_on": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["id", "text", "kind", "depends_on"],
    "additionalProperties": False,
}


def part(**given: Any) -> dict[str, Any]:
    return {"id": 1, "text": "q", **given}


class TestSchema:
    def test_it_says_all_that_strict_servers_ask_for(self) -> None:
        assert schema_of(Part) == PART_SCHEMA

    def test_it_knows_every_type(self) -> None:
        assert schema_of(Sheet) == {
            "type": "object",
            "properties": {
                "parts": {"type": "array", "items": PART_SCHEMA},
                "core_intent": {"type": "string"},
                "needs_documents": {"type": "boolean"},
                "score": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "first": {"anyOf": [PART_SCHEMA, {"type": "null"}]},
                "entities": {"type": "array", "items": {"type": "string"}},
                "level": {"type": "integer", "enum": [1, 2]},
            },
            "required": ["parts", "core_intent", "needs_documents", "score", "first", "entities", "level"],
            "additionalProperties": False,
        }
        assert json.loads(json.dumps(schema_of(Sheet))) == schema_of(Sheet)

    def test_it_is_made_once(self) -> None:
        assert schema_of(Sheet) is schema_of(Sheet)

    def test_what_no_grammar_can_tell_is_refused(self) -> None:
        @dataclass(frozen=True)
        class Free:
            anything: dict[str, int]

        with pytest.raises(TypeError, match=r"a shape cannot hold dict\[str, int\]; known: str"):
            schema_of(Free)

    def test_a_shape_that_holds_itself_is_refused(self) -> None:
        with pytest.raises(TypeError, match="the shape Tree holds itself"):
            schema_of(Tree)


@dataclass(frozen=True)
class Tree:
    """It has no end."""

    branches: "tuple[Tree, ...]"


class TestRead:
    def test_what_is_right_is_read_as_it_is(self) -> None:
        data = {
            "parts": [part(), part(id=2, text="of #1?", kind="reasoning", depends_on=[1])],
            "core_intent": "c",
            "needs_documents": False,
            "score": 0.5,
            "first": part(),
            "entities": ["a", "b"],
            "level": 2,
        }
        one = Part(id=1, text="q")
        assert read(Sheet, data) == Sheet(
            parts=(one, Part(id=2, text="of #1?", kind="reasoning", depends_on=(1,))),
            core_intent="c",
            needs_documents=False,
            score=0.5,
            first=one,
            entities=("a", "b"),
            level=2,
        )

    def test_what_is_missing_has_its_default_and_what_is_unknown_is_left_out(self) -> None:
        assert read(Sheet, {"parts": [], "comment": "well"}) == Sheet(parts=(), score=None)

    @pytest.mark.parametrize("keys", ["dependsOn", "depends on", "Depends-On", "DEPENDS_ON", "depend_on", "dependson"])
    def test_a_key_may_be_spelled_otherwise(self, keys: str) -> None:
        assert read(Part, part(**{keys: [3]})) == Part(id=1, text="q", depends_on=(3,))

    def test_the_exact_key_goes_before_one_that_is_near(self) -> None:
        assert read(Short, {"answers": "no", "answer": "yes", "Answer": "neither"}) == Short(answer="yes")

    @pytest.mark.parametrize(
        "data",
        [
            [{"answer": "Paris", "passages": ["P1"]}],
            {"result": {"answer": "Paris", "passages": ["P1"]}},
            {"result": [{"answer": "Paris", "passages": "P1"}]},
            {"answer": ["Paris"], "passages": {"passages": ["P1"]}, "nothing_found": ""},
            {"answer": {"text": "Paris"}, "passages": ["P1", None], "nothing_found": None},
        ],
    )
    def test_an_answer_in_another_frame_is_the_same(self, data: Any) -> None:
        assert read(Short, data) == Short(answer="Paris", passages=("P1",))

    @pytest.mark.parametrize(
        "data",
        [
            [part(), part(id=2)],
            {"parts": {"1": part(), "2": part(id=2)}},
            {"parts": {"items": [part(), part(id=2)]}},
            {"plan": {"parts": [part(), part(id=2)]}},
            {"sub_questions": [part(), part(id=2)]},
        ],
    )
    def test_a_list_in_another_frame_is_the_same(self, data: Any) -> None:
        assert read(Sheet, data).parts == (Part(id=1, text="q"), Part(id=2, text="q"))

    def test_one_object_where_a_list_was_asked(self) -> None:
        assert read(Sheet, {"parts": part()}).parts == (Part(id=1, text="q"),)
        assert read(Sheet, [part()]).parts == (Part(id=1, text="q"),)

    def test_a_text_is_an_object_that_needs_nothing_but_a_text(self) -> None:
        assert read(Short, "Paris") == Short(answer="Paris")

    @pytest.mark.parametrize(
        "number", [2, 2.0, "2", "2.", "#2", "part 2", "Part two", "second", "二", "第二部分", "两", "２", ["2"]]
    )
    def test_a_number_may_be_a_word(self, number: Any) -> None:
        assert read(Part, part(id=number)).id == 2

    @pytest.mark.parametrize(
        ("word", "number"), [("十", 10), ("十二", 12), ("二十三", 23), ("一〇", 10), ("1,200", 1200)]
    )
    def test_larger_numbers_too(self, word: str, number: int) -> None:
        assert read(Part, part(id=word)).id == number

    @pytest.mark.parametrize(
        ("given_as", "numbers"),
        [
            ("#1 and #2", (1, 2)),
            ("1, 2", (1, 2)),
            (1, (1,)),
            (["#1", "two"], (1, 2)),
            ("none", ()),
            ("", ()),
            (None, ()),
            ("无", ()),
        ],
    )
    def test_numbers_may_stand_in_one_text(self, given_as: Any, numbers: tuple[int, ...]) -> None:
        assert read(Part, part(depends_on=given_as)).depends_on == numbers

    @pytest.mark.parametrize(
        ("given_as", "score"), [("0.8", 0.8), ("80%", 0.8), (1, 1.0), (None, None), ("null", None), ("about 0.5", 0.5)]
    )
    def test_a_number_with_a_fraction(self, given_as: Any, score: float | None) -> None:
        assert read(Sheet, {"parts": [], "score": given_as}).score == score

    @pytest.mark.parametrize(
        ("given_as", "truth"),
        [
            ("yes", True),
            ("True", True),
            (1, True),
            ("是", True),
            ("no.", False),
            ("false", False),
            (0, False),
            ("否", False),
        ],
    )
    def test_yes_and_no_in_many_words(self, given_as: Any, truth: bool) -> None:
        assert read(Short, {"answer": "a", "nothing_found": given_as}).nothing_found is truth

    @pytest.mark.parametrize(
        "kind", ["reasoning", "Reasoning", "REASONING ", "reasonning", "reason-ing", ["reasoning"]]
    )
    def test_a_choice_may_be_spelled_otherwise(self, kind: Any) -> None:
        assert read(Part, part(kind=kind)).kind == "reasoning"

    def test_a_choice_among_numbers(self) -> None:
        assert read(Sheet, {"parts": [], "level": "2"}).level == 2

    def test_texts_from_other_values(self) -> None:
        assert read(Short, {"answer": 1998}).answer == "1998"
        assert read(Short, {"answer": ["BookCorpus", "Wikipedia"]}).answer == "BookCorpus, Wikipedia"
        assert read(Short, {"answer": None}).answer == ""
        assert read(Short, {"answer": True, "passages": [1, "P2"]}) == Short(answer="true", passages=("1", "P2"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """Its choices are near to their opposites."""

    verdict: Literal["supported", "complete"]


class TestErrors:
    @pytest.mark.parametrize(
        ("kind", "data", "told"),
        [
            (Part, {"id": 1}, "text is missing"),
            (Sheet, {"parts": [part(), {"id": 2}]}, r"parts\[1\].text is missing"),
            (Sheet, {"score": 1}, "parts is missing"),
            (Part, part(id="some"), "id is 'some', must be a whole number"),
            (Part, part(id=1.5), "id is 1.5, must be a whole number"),
            (Part, part(id="2-3"), "id is '2-3', must be a whole number"),
            (Part, part(id=10**400), "id is 10+ …, must be a whole number"),
            (Part, part(id=True), "id is True, must be a whole number"),
            (Sheet, {"parts": [], "score": "high"}, "score is 'high', must be a number"),
            (Short, {"answer": "a", "nothing_found": "perhaps"}, "nothing_found is 'perhaps', must be true or false"),
            (Part, part(kind="odd"), "kind is 'odd', must be one of: factual, reasoning, global"),
            (Part, part(text={"a": {}}), "text must be a text"),
            (Sheet, {"parts": 5}, r"parts\[0\] must be an object with the fields id, text, kind, depends_on"),
            (Short, {"error": "I cannot"}, "the reply must be an object with the fields answer"),
            (Short, 3.5, "the reply must be an object with the fields answer, passages, nothing_found"),
            (Short, [{"answer": "a"}, {"answer": "b"}], "the reply must be an object with the fields answer"),
        ],
    )
    def test_they_name_what_to_mend(self, kind: type[Any], data: Any, told: str) -> None:
        with pytest.raises(ValueError, match=told):
            read(kind, data)

    @pytest.mark.parametrize("verdict", ["unsupported", "incomplete", "not supported"])
    def test_the_opposite_of_a_choice_is_no_spelling_of_it(self, verdict: str) -> None:
        with pytest.raises(ValueError, match="must be one of: supported, complete"):
            read(Opinion, {"verdict": verdict})

    @given(Json)
    def test_nothing_makes_another_error(self, data: Any) -> None:
        try:
            found = read(Sheet, data)
        except ValueError:
            return
        assert type(found.parts) is tuple
        assert all(type(one.id) is int and type(one.text) is str for one in found.parts)
        assert found.score is None or type(found.score) is float
