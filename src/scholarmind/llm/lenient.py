"""JSON out of what models really write: thoughts, fences and prose around it, and the usual slips in it.

Reads from left to right and never goes back, so that the time grows with the length alone. Knows no shapes; that is `typed`.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn, cast

from scholarmind.text.names import storable

LONGEST = 200_000  # characters
DEEPEST = 64  # objects and lists within each other

_THOUGHT = r"think|thinking|thought|reasoning"
_MARK = re.compile(rf"[{{\[]|<(/?)(?:{_THOUGHT})>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(rf"</(?:{_THOUGHT})>", re.IGNORECASE)
_BRACKET = re.compile(rf"[{{}}\[\]]|</(?:{_THOUGHT})>", re.IGNORECASE)
_BLANK = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*(?:.*?\*/|.*))*", re.DOTALL)
_WORD = re.compile(r"[^\W\d][\w$-]*|\d+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_CLOSES = {'"': '"', "'": "'", "“": '”“"', "”": '”"', "‘": "’‘'", "’": "’'"}
_QUOTE = {start: re.compile(rf"\\.|[{ends}]", re.DOTALL) for start, ends in _CLOSES.items()}
_STRING_ENDS = re.compile(r"\s*(?:[,:}\]#]|//|/\*|\Z)")  # any other quote stands in the middle of the text
_ANYWHERE = re.compile("")
_ESCAPE = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\'|["\\]""")
_CONSTANTS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "None": None,
    "NULL": None,
    "undefined": None,
    "NaN": None,
}
_OPEN_TEXT = re.compile(r'"(?:[^"\\]|\\.)*\\?', re.DOTALL)
_CONTENTS = "answer with one JSON object and nothing else"


class _BrokenError(ValueError):
    """What was read is no JSON."""


class _CutError(ValueError):
    """The text ends before the JSON does, and what it lacks cannot be known."""


def parse(text: str) -> Any:
    """Return the first whole object or list that a reply holds. A ValueError tells the model what is wrong with its reply."""
    if len(text) > LONGEST:
        raise ValueError(
            f"the reply has {len(text):,} characters, at most {LONGEST:,} can be read; answer in fewer words"
        )
    text = text.strip("\ufeff \t\r\n`")
    if not text:
        raise ValueError(f"the reply is empty; {_CONTENTS}")
    if text[0] not in "{[":
        try:
            return _cleaned(json.loads(text, parse_constant=lambda _: None, strict=False))
        except ValueError:
            pass  # there is more than one plain value
    if _OPEN_TEXT.fullmatch(text):  # brackets in it are part of what it says
        raise _broken_off(text, "the end of a text in quotes")
    return _Search(text).best()


class _Search:
    """Goes through a reply for objects and lists; those in a thought do not count, unless they end a thought without an end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Any] = []
        self._problem: ValueError | None = None
        self._at = 0
        self._thinking = False
        self._last_thought = max((match.start() for match in _THOUGHT_ENDS.finditer(text)), default=-1)

    def best(self) -> Any:
        """Return the first object; lists without objects, which prose has too, are the second choice."""
        while mark := _MARK.search(self._text, self._at):
            if mark[0] in "{[":
                self._take(mark.start())
            else:
                self._pass(mark)
        best = max(self._found, key=_weight, default=None)
        if best is None or (self._problem and _weight(best) < 2):
            raise ValueError(str(self._problem or f"there is no JSON in the reply; {_CONTENTS}"))
        return best

    def _take(self, start: int) -> None:
        reader = _Reader(self._text, start)
        try:
            value = reader.value()
        except (_BrokenError, _CutError) as error:
            if self._text[start] == "{" or reader.is_json:  # prose has square brackets of its own
                self._problem = self._problem or error
            self._at = self._place_after(error, reader, start)
            return
        self._at = reader.at
        if not self._thinking or reader.at == len(self._text):
            self._found.append(value)

    def _place_after(self, error: ValueError, reader: "_Reader", start: int) -> int:
        """Return where to go on. What stands inside of a broken object must not pass for the whole."""
        if isinstance(error, _CutError):  # it goes on to the end, unless all of it was but a thought
            return self._last_thought if self._last_thought > start else len(self._text)
        return _end_of_object(self._text, start, reader.at) if reader.is_json else reader.at

    def _pass(self, mark: re.Match[str]) -> None:
        self._at = mark.end()
        if mark[1]:  # all so far was a thought, also where its beginning is missing
            self._found, self._problem, self._thinking = [], None, False
        elif self._at <= self._last_thought:
            self._at = cast("re.Match[str]", _THOUGHT_ENDS.search(self._text, self._at)).end()
        else:
            self._thinking = True


def _end_of_object(text: str, start: int, broken: int) -> int:
    depth = 0
    for sign in _BRACKET.finditer(text, start):
        if sign[0][0] == "<":
            return sign.start()
        depth += 1 if sign[0] in "{[" else -1
        if not depth:
            return max(sign.end(), broken)
    return len(text)


def _weight(value: Any) -> int:
    if isinstance(value, dict):
        return 2 if value else 0
    items = cast("list[Any]", value)
    return 2 if any(isinstance(item, dict) for item in items) else min(len(items), 1)


def _cleaned(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


class _Reader:
    """Reads one object or list; `at` is how far it came."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.is_json = False  # a key with its colon has been read: this is no bracket of some prose
        self._depth = 0
        self._values: dict[str, Callable[[], Any]] = {"{": self._object, "[": self._list}
        self._values |= dict.fromkeys(_CLOSES, self._string)

    def value(self) -> Any:
        """Read one value."""
        sign = self._next()
        return self._values.get(sign, self._plain)()

    def _object(self) -> dict[str, Any]:
        self._deeper()
        found: dict[str, Any] = {}
        while self._goes_on("}", bool(found)):
            key = self._key()
            if self._next() != ":":
                self._broken("':' and a value", after=f"the key {key[:40]!r}")
            self.is_json = True
            self.at += 1
            found[key] = self.value()
        return found

    def _list(self) -> list[Any]:
        self._deeper()
        found: list[Any] = []
        while self._goes_on("]", bool(found)):
            found.append(self.value())
        return found

    def _deeper(self) -> None:
        self.at += 1
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(f"the JSON is nested more than {DEEPEST} deep; {_CONTENTS}")

    def _goes_on(self, closing: str, begun: bool) -> bool:
        """Tell whether another item follows, having read the comma before it; read the closing bracket if none does."""
        sign = self._next()
        if begun and sign == "":  # after a whole value: nothing but brackets is missing
            return False
        while begun and sign == ",":
            self.at += 1
            sign, begun = self._next(), False
        if sign == closing:
            self.at += 1
            self._depth -= 1
            return False
        if begun:
            self._broken(f"',' or '{closing}'")
        if not sign:
            self._cut("another item")
        return True

    def _next(self) -> str:
        """Return the next sign that means something, '' at the end."""
        blank = cast("re.Match[str]", _BLANK.match(self.text, self.at))
        self.at = blank.end()
        return self.text[self.at : self.at + 1]

    def _key(self) -> str:
        if self.text[self.at] in _CLOSES:
            return self._string(_ANYWHERE)
        if word := _WORD.match(self.text, self.at):
            self.at = word.end()
            return word[0]
        return self._broken("a key in double quotes")

    def _string(self, ends: re.Pattern[str] = _STRING_ENDS) -> str:
        quote = _QUOTE[self.text[self.at]]
        begin = place = self.at + 1
        while mark := quote.search(self.text, place):
            place = mark.end()
            if mark[0][0] != "\\" and ends.match(self.text, place):
                self.at = place
                return _unescaped(self.text[begin : mark.start()])
        return self._cut("the end of a text in quotes")

    def _plain(self) -> Any:
        if self.at == len(self.text):
            self._cut("a value")
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return self._number(number[0])
        word = _WORD.match(self.text, self.at)
        if word and word[0] in _CONSTANTS:
            self.at = word.end()
            return _CONSTANTS[word[0]]
        if word and word.end() == len(self.text):
            self._cut("the rest of a value")
        return self._broken("a value (text needs double quotes)")

    def _number(self, digits: str) -> float:
        if self.at == len(self.text):
            self._cut("the rest of a number")
        try:
            return float(digits) if set(digits) & set(".eE") else int(digits)
        except ValueError:
            return self._broken("a number of fewer digits")

    def _broken(self, wanted: str, after: str = "") -> NoReturn:
        near = self.text[max(0, self.at - 30) : self.at + 30]
        where = f"after {after}" if after else "there"
        raise _BrokenError(f"the JSON is broken near {near!r}: {where} should be {wanted}; {_CONTENTS}")

    def _cut(self, lacking: str) -> NoReturn:
        raise _broken_off(self.text, lacking)


def _broken_off(text: str, lacking: str) -> _CutError:
    return _CutError(
        f"the JSON breaks off after {text[-30:]!r}: {lacking} is missing; answer again, shorter and to the end"
    )


def _unescaped(text: str) -> str:
    """Return what a text in quotes stands for; a backslash that means nothing stands for itself."""

    def escaped(match: re.Match[str]) -> str:
        return {'"': '\\"', "\\": "\\\\", "\\'": "'"}.get(match[0], match[0])

    return storable(json.loads(f'"{_ESCAPE.sub(escaped, text)}"', strict=False))
