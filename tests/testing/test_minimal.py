"""The smallest values that schemas allow, as the scripted server says them."""

from typing import Any

import pytest

from scholarmind.testing.model_servers import minimal


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "ok"),
        ({"type": "string", "minLength": 4}, "ok.."),
        ({"type": "string", "maxLength": 1}, "o"),
        ({"type": "string", "enum": ["yes", "no"]}, "yes"),
        ({"const": 7}, 7),
        ({"type": "integer", "default": 3}, 3),
        ({"type": "integer"}, 0),
        ({"type": "integer", "minimum": 2, "maximum": 9}, 2),
        ({"type": "integer", "exclusiveMinimum": 2}, 3),
        ({"type": "number", "maximum": -1}, -1),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "boolean"}, False),
        ({"type": ["null", "string"]}, None),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [False, False]),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, []),
        ({"properties": {"a": {}, "b": {}}, "required": ["a"]}, {"a": "ok"}),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {}),
        (
            {
                "allOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]}, {"required": ["b"]}],
                "type": "object",
            },
            {"a": None, "b": "ok"},
        ),
        (
            {
                "$ref": "#/$defs/P",
                "$defs": {"P": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Q"}}, "Q": {"enum": [5]}},
            },
            [5],
        ),
    ],
)
def test_a_minimal_value_is_valid(schema: dict[str, Any], value: Any) -> None:
    assert minimal(schema) == value


def test_a_schema_that_requires_itself_ends() -> None:
    schema = {"$ref": "#/$defs/P", "$defs": {"P": {"properties": {"p": {"$ref": "#/$defs/P"}}, "required": ["p"]}}}
    assert '"p": null' not in str(minimal(schema))
