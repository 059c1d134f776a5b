"""A file of what was asked of a server and what it replied: one exchange a line, as JSON, without headers and without keys."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

from scholarmind.errors import ModelUnavailableError

_MARKER = re.compile(r"</?\w+ ([0-9a-f]{12})\b")  # of the fences around documents: another one in every run
_ANY_MARKER = "MARKER"
_SECRET = re.compile(r"key|token|secret|signature", re.IGNORECASE)
_SHOWN = 60  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request by what its reply depends on. Two that are alike are the same."""

    method: str
    path: str  # with what follows a question mark
    body: str  # JSON in one spelling, or any other text

    @classmethod
    def of(cls, method: str, target: str, content: str, secrets: Sequence[str] = ()) -> "Asked":
        """Return a request without its secrets and without the marker of its run."""
        path, _, query = target.partition("?")
        named = [(name, value) for name, value in parse_qsl(query) if not _SECRET.search(name)]
        body = without(_one_spelling(content), secrets)
        for marker in set(_MARKER.findall(body)):
            body = body.replace(marker, _ANY_MARKER)
        return cls(method=method, path=f"{path}?{urlencode(named)}" if named else path, body=body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A reply. One that is not whole ended before its end: it broke, or who had asked read no further."""

    status: int
    headers: Mapping[str, str]
    body: str
    whole: bool = True


class Cassette:
    """The exchanges of one file. A request that was made several times gets its replies in order, the last of them ever after."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges: dict[Asked, list[Told]] = {}
        for number, line in enumerate(_lines(path), 1):
            try:
                asked, told = _exchange(json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                raise ModelUnavailableError(
                    f"line {number} of {str(path)!r} is no recorded exchange ({error!r}); record it anew"
                ) from error
            self._exchanges.setdefault(asked, []).append(told)

    def next(self, asked: Asked) -> Told:
        """Return the reply to a request. One that was not recorded is an error that shows the nearest that was."""
        told = self._exchanges.get(asked)
        if told is None:
            raise ModelUnavailableError(
                f"{str(self._path)!r} has no reply to {asked.method} {asked.path} ({self._nearest(asked)}); record it with "
                f"scholarmind.testing.replay.Recording({str(self._path)!r}) as the transport"
            )
        return told.pop(0) if len(told) > 1 else told[0]

    def _nearest(self, asked: Asked) -> str:
        bodies = [other.body for other in self._exchanges if (other.method, other.path) == (asked.method, asked.path)]
        if not bodies:
            return "nothing was asked there"
        same, nearest = max((_same(body, asked.body), body) for body in bodies)
        start = max(0, same - _SHOWN // 3)
        shown = [body[start : start + _SHOWN] for body in (nearest, asked.body)]
        return f"the nearest differs at character {same}: recorded {shown[0]!r}, asked {shown[1]!r}"


def line_of(asked: Asked, told: Told) -> bytes:
    """Return an exchange as a line of the file."""
    exchange: dict[str, Any] = {
        "request": {"method": asked.method, "path": asked.path, "body": _as_value(asked.body)},
        "reply": {"status": told.status, "headers": dict(told.headers), "body": told.body},
    }
    if not told.whole:
        exchange["reply"]["whole"] = False
    return json.dumps(exchange, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def without(text: str, secrets: Sequence[str]) -> str:
    """Return a text in which each secret is blotted out."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return text


def _same(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError as error:
        raise ModelUnavailableError(
            f"there is no recording {str(path)!r} ({error.strerror}); make it with scholarmind.testing.replay.Recording"
        ) from error


def _exchange(line: Any) -> tuple[Asked, Told]:
    request, reply = line["request"], line["reply"]
    body = request["body"]
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return Asked.of(request["method"], request["path"], text), Told(**cast("dict[str, Any]", reply))


def _one_spelling(text: str) -> str:
    value = _as_value(text)
    return text if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_value(text: str) -> Any:
    """Return what a text is as JSON; text that is none stays what it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
