"""Read what a server with `/rerank` says: a score for each of the texts by its index."""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from scholarmind.errors import ModelReplyError

_SCORES = ("relevance_score", "score")
_TOLD = 80


def scores(content: bytes, count: int) -> dict[int, float]:
    """Return the scores by index. What has no index of a text, comes twice, or is no number is passed over."""
    try:
        reply: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        told = content[:_TOLD].decode("utf-8", "replace")
        raise ModelReplyError(f"answered with something that is not JSON ({told!r})") from error
    rows = _rows(reply)
    if rows is None:
        told = json.dumps(reply)[:_TOLD]
        raise ModelReplyError(f"answered without results ({told}); is it a rerank endpoint?")
    found: dict[int, float] = {}
    for row in rows:
        place, score = _read(row)
        if place is not None and 0 <= place < count and score is not None:
            found.setdefault(place, score)
    return found


def _rows(reply: Any) -> Sequence[Any] | None:
    """Find the rows in {"results": [...]}, {"data": [...]} or a plain list."""
    if isinstance(reply, dict):
        fields = cast("dict[str, Any]", reply)
        reply = fields.get("results", fields.get("data"))
    return cast("list[Any]", reply) if isinstance(reply, list) else None


def _read(row: Any) -> tuple[int | None, float | None]:
    if not isinstance(row, dict):
        return None, None
    fields = cast("dict[str, Any]", row)
    score = next((fields[name] for name in _SCORES if name in fields), None)
    return _whole_number(fields.get("index")), _number(score)


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):  # a whole number with hundreds of digits
        return float(value) if math.isfinite(value) else None
    return None
