"""The smallest value that a JSON schema allows: what a model says that keeps the form and knows nothing."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
_DEEPEST = 40  # a schema that requires itself has no value at all
_PLAIN: Mapping[str, Any] = {"boolean": False, "null": None}


def minimal(schema: Schema, root: Schema | None = None, depth: int = 0) -> Any:
    """Return a minimal valid instance of a schema."""
    root = schema if root is None else root
    if depth > _DEEPEST:
        return None
    sure = [schema["enum"][0]] if schema.get("enum") else []
    sure += [schema[name] for name in ("const", "default") if name in schema]
    if sure:
        return sure[0]
    chosen = _chosen(schema, root)
    return _of_type(schema, root, depth) if chosen is None else minimal(chosen, root, depth + 1)


def _chosen(schema: Schema, root: Schema) -> Schema | None:
    """Return the schema that stands in place of this one, if another does."""
    if "$ref" in schema:
        return _named(str(schema["$ref"]), root)
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return schema[choice][0]
    return _together(schema, root) if schema.get("allOf") else None


def _of_type(schema: Schema, root: Schema, depth: int) -> Any:
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        properties = _properties(schema)
        return {name: minimal(properties.get(name, {}), root, depth + 1) for name in schema.get("required", ())}
    if kind == "array":
        return [minimal(schema.get("items") or {}, root, depth + 1) for _ in range(schema.get("minItems", 0))]
    if kind in {"integer", "number"}:
        return _number(schema)
    if kind == "string":
        return "ok".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 1_000)]
    return _PLAIN.get(kind)


def _number(schema: Schema) -> Any:
    value: Any = 0
    value = max(value, schema.get("minimum", value), schema.get("exclusiveMinimum", -1) + 1)
    return min(value, schema.get("maximum", value), schema.get("exclusiveMaximum", value + 1) - 1)


def _named(reference: str, root: Schema) -> Schema:
    """Return the schema that `#/$defs/Name` points to."""
    found: Any = root
    for name in reference.removeprefix("#").strip("/").split("/"):
        found = found[name] if name else found
    return found


def _together(schema: Schema, root: Schema) -> Schema:
    every = [_named(str(part["$ref"]), root) if "$ref" in part else part for part in schema["allOf"]]
    parts = [{name: value for name, value in schema.items() if name != "allOf"}, *every]
    merged: dict[str, Any] = {}
    for part in parts:
        merged |= part
    merged["properties"] = dict(pair for part in parts for pair in _properties(part).items())
    merged["required"] = [name for part in parts for name in part.get("required", ())]
    return merged


def _properties(schema: Schema) -> Schema:
    return schema.get("properties") or {}
