"""JSON out of what models write: whatever stands around it and whatever slips are in it, or a ValueError in words for the model."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from scholarmind.llm.typed_replies import DEEPEST, LONGEST, parse

SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=4)
BEFORE = [
    "",
    "\ufeff",
    "```json\n",
    "```\n",
    "Here is the JSON that you asked for [1]:\n\n",
    '<think>Maybe {"a": 1}? No: {"b": </think>',
    'the thought whose beginning is missing: {"draft": true} </think>\n',
    "As said in [Devlin et al., 2019] and {elsewhere}: ",
    "// the plan\n",
]
AFTER = [
    "",
    "\n```",
    "\n```\nI hope that this helps {smile}!",
    "<think>Was that right? {}</think>",
    " [1] Devlin, 2019.",
]


@given(OBJECTS, st.sampled_from(BEFORE), st.sampled_from(AFTER), st.sampled_from([None, 2]), st.booleans())
@example({"</think>": "```", "a": '{"b": "<think>"}'}, BEFORE[6], AFTER[3], None, False)
def test_an_object_comes_back_whatever_stands_around_it(
    value: Any, before: str, after: str, indent: int | None, ascii_only: bool
) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse(before + written + after) == value


@given(VALUES)
def test_any_value_comes_back_that_stands_alone(value: Any) -> None:
    assert parse(json.dumps(value)) == value


@given(st.text() | st.text(alphabet="{}[]\"',:\\ \n/*#<>think`0.a“”") | VALUES.map(lambda value: repr(value)[:-1]))
def test_no_text_makes_anything_but_a_value_error(text: str) -> None:
    with suppress(ValueError):
        parse(text)


@given(VALUES.map(json.dumps), st.floats(0, 1))
@example('"0000\\\\{}"', 0.9)
@example('"[1]"', 0.8)
def test_half_a_value_is_the_same_value_or_an_error(written: str, share: float) -> None:
    """What is cut off may lack its brackets, and nothing else."""
    assume(not isinstance(json.loads(written), int | float))  # half a number by itself is a number
    cut = written[: round(share * len(written))]
    try:
        found = parse(cut)
    except ValueError:
        return
    assert json.dumps(found).rstrip("]}") == cut.strip().rstrip("]}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,], "b": {},}', {"a": [1, 2], "b": {}}),
        ("{'a': 'it's so', 'b': 'say \"hi\"'}", {"a": "it's so", "b": 'say "hi"'}),
        ('{a: 1, long_name: "x", 2: "y"}', {"a": 1, "long_name": "x", "2": "y"}),
        ('{"a": True, "b": False, "c": None, "d": NaN}', {"a": True, "b": False, "c": None, "d": None}),
        ('{// one\n"a": 1, # two\n"b": /* three */ 2}', {"a": 1, "b": 2}),
        ("{“a”: “b, “c” d”, ‘e’: 'f'}", {"a": "b, “c” d", "e": "f"}),
        ('{"a": "line\nbreak\tand \x07"}', {"a": "line\nbreak\tand \x07"}),
        ('{"a": "he said "yes" to it"}', {"a": 'he said "yes" to it'}),
        ('{"a": "C:\\dir \\alpha \\u00e9 \\\\"}', {"a": "C:\\dir \\alpha é \\"}),
        ('{"a": "half \\ud800"}', {"a": "half ?"}),
        ('{"a": +1, "b": .5, "c": 2., "d": -1e3}', {"a": 1, "b": 0.5, "c": 2.0, "d": -1000.0}),
        ('{"问题": "是什么？"，', None),
    ],
)
def test_the_usual_slips_are_read_as_they_are_meant(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(ValueError, match=r"broken|breaks off"):
            parse(text)
    else:
        assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} or else {"a": 2}', {"a": 1}),
        ("{} and then {'a': 1}", {"a": 1}),
        ("as [1] and [2] say: {'a': 1}", {"a": 1}),
        ("as [1, 2] says: [{'a': 1}]", [{"a": 1}]),
        ("the parts are ['a', 'b']", ["a", "b"]),
        ('Write {"a": ..., "b": [...]}, so: {"a": 1, "b": []}', {"a": 1, "b": []}),
        ('<thinking>I know</thinking>{"a": 1}<think>that was it', {"a": 1}),
        ('<think>so the answer is {"a": 1}', {"a": 1}),
        ('<think>first {"a": 1}</think> then <think>{"a": 2}</think> {"a": 3}', {"a": 3}),
    ],
)
def test_of_several_the_first_counts_that_is_meant(text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, {"b": "x"}', {"a": [1, {"b": "x"}]}),
        ('{"a": true', {"a": True}),
        ('```json\n{"a": ["x", "y"]\n```', {"a": ["x", "y"]}),
    ],
)
def test_only_brackets_may_be_missing_at_the_end(text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "half a sen',
        '{"a": 12',
        '{"a": [1, 2,',
        '{"a": tr',
        '{"a"',
        '{"a": ',
        '{"a": 1, "b',
        '{"parts": [{"id": 1}, {"id": 2, "te',
    ],
)
def test_an_end_that_loses_something_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"breaks off|should be"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"parts": [{"id": 1}, {"id" 2}, {"id": 3}]}',
        '{"parts": [{"id": 1} {"id": 2}]}',
        '{"a": {"b": 1}, oops} [1, 2]',
        '{"a": yes}',
    ],
)
def test_a_piece_of_a_broken_object_does_not_pass_for_the_whole(text: str) -> None:
    with pytest.raises(ValueError, match=r"the JSON is broken near .* should be"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the reply is empty"),
        ("  \n```\n```", "the reply is empty"),
        ("I cannot answer that.", "there is no JSON in the reply; answer with one JSON object"),
        ('<think>perhaps {"a": 1}, but', "there is no JSON in the reply"),
        ('{"a": ' * (DEEPEST + 1), f"nested more than {DEEPEST} deep"),
        ("[" * 100_000, f"nested more than {DEEPEST} deep"),
        ("x" * (LONGEST + 1), "has 200,001 characters, at most 200,000"),
        ('{"a": ' + "9" * 5_000 + "}", "a number of fewer digits"),
    ],
)
def test_an_error_says_what_to_mend(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("end", ["", '"}'])
@pytest.mark.parametrize(
    "unit", ['{"a', '{"a": ', '["a", ', "[/*", "<think>", '{"a</think>', "{'", "{ ", "[}", '{"b":x ', "\\"]
)
def test_the_longest_text_is_read_in_time_however_it_is_made(unit: str, end: str) -> None:
    """Each of these would take minutes if the reading went back: the limit of the test is far from what it takes."""
    with suppress(ValueError):
        parse((unit * LONGEST)[: LONGEST - len(end)] + end)
