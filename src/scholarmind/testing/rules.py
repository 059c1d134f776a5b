"""The rules of a scripted server as JSON, for those who start it as a program.

{"canned": [{"match": "capital", "reply": {"answer": "Rome"}}], "faults": [{"kind": "rate_limit", "times": 2}], "fault_rate": 0.3,
 "seed": 1, "latency": 0.2, "token_rate": 50, "purposes": {"^Plan": "plan"}, "models": ["m"], "key": "secret"}
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from scholarmind.testing.faults import Fault

_PLAIN = ("fault_rate", "seed", "latency", "token_rate", "purposes", "models", "key")
_KNOWN = ("canned", "faults", *_PLAIN)


def rules(text: str | bytes) -> dict[str, Any]:
    """Return the rules that a JSON text tells, as arguments of a ScriptedServer. A ValueError says what is wrong with it."""
    told = _object(json.loads(text), _KNOWN)
    found = {name: told[name] for name in _PLAIN if name in told}
    if "faults" in told:
        found["faults"] = [_fault(fault) for fault in told["faults"]]
    if "canned" in told:
        found["canned"] = [_canned(one) for one in told["canned"]]
    return found


def _fault(told: Any) -> Fault:
    known = dict(_object(told, tuple(field.name for field in fields(Fault))))
    return Fault(known.pop("kind", ""), **known)  # a kind that is missing is refused as any that is unknown


def _canned(told: Any) -> tuple[str, Any]:
    known = _object(told, ("match", "reply"))
    return known.get("match", ""), known.get("reply", "")


def _object(told: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(told, dict):
        raise TypeError(f"{told!r} should be an object of {', '.join(known)}")
    found = cast("Mapping[str, Any]", told)
    for name in found:
        if name not in known:
            raise ValueError(f"there is no rule {name!r}; known: {', '.join(known)}")
    return found
