"""Typed replies: JSON out of what models really write, read as frozen dataclasses, and the JSON Schema that a server is given.

Three layers, each of which knows nothing of those below it: objects and lists are found in the text, whatever thoughts, fences and prose
stand around them and whatever usual slips are in them, from left to right and never back, so that the time grows with the length alone;
single values are read as they are meant ('two', '三', '80%', '否'); and shapes are filled with them.
"""

import json
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any, Literal, NoReturn, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from scholarmind.calls import PromptMessage
from scholarmind.text.untrusted import storable

# -- lenient JSON: knows no shapes

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
                self._at = mark.end()
                if mark[1]:  # all so far was a thought, also where its beginning is missing
                    self._found, self._problem, self._thinking = [], None, False
                elif self._at <= self._last_thought:
                    self._at = cast("re.Match[str]", _THOUGHT_ENDS.search(self._text, self._at)).end()
                else:
                    self._thinking = True
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
            if self.text[self.at] in _CLOSES:
                key = self._string(_ANYWHERE)
            elif word := _WORD.match(self.text, self.at):
                self.at = word.end()
                key = word[0]
            else:
                key = self._broken("a key in double quotes")
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


# -- single values that a model wrote in its own way

_LONGEST = 60  # characters of a text that may stand for a number or a choice
_LARGEST = 2**53  # all whole numbers below are exact
_ENGLISH = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)

_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth"
_WORDS = {word: number for words in (_ENGLISH, _ORDINALS) for number, word in enumerate(words.split())}
_HAN = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十]+")
_DIGITS = re.compile(r"(?:(?<![\w.])-)?(?<![\d.])\d{1,15}(?:,\d{3})*(?:\.\d+)?")
_YES = frozenset("true yes y 1 on right correct 是 是的 对 对的 有 真 正确".split())
_NO = frozenset("false no n 0 off wrong incorrect none null 否 不 不是 不对 没有 无 假 错误".split())


def _text_of(data: Any) -> str:
    """Return a text, '' for nothing; the items of a list are put behind one another."""
    if isinstance(data, str):
        return data
    if data is None or isinstance(data, (bool, int, float)):
        return "" if data is None else str(data).lower()
    items = list(cast("dict[str, Any]", data).values()) if isinstance(data, dict) else cast("list[Any]", data)
    if any(isinstance(item, (dict, list)) for item in items) or (isinstance(data, dict) and len(items) != 1):
        raise ValueError("must be a text")
    return ", ".join(_text_of(item) for item in items if item is not None)


def _number_of(data: Any) -> float:
    """Return a number; that of '80%' is 0.8."""
    data = _alone(data)
    if isinstance(data, (int, float)) and not isinstance(data, bool) and abs(data) < _LARGEST:
        return float(data)
    numbers: Sequence[float] = _numbers_of(data) if isinstance(data, str) else []
    if len(set(numbers)) != 1:
        raise ValueError(f"is {_short(data)}, must be a number")
    return numbers[0] / 100 if str(data).rstrip().endswith(("%", "％")) else float(numbers[0])


def _whole_of(data: Any) -> int:
    """Return a whole number."""
    try:
        number = _number_of(data)
    except ValueError:
        number = None
    if number is None or not number.is_integer():
        raise ValueError(f"is {_short(data)}, must be a whole number")
    return int(number)


def _truth_of(data: Any) -> bool:
    """Return True or False for what says yes or no."""
    data = _alone(data)
    word = str(data).strip().strip(".!。！").casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise ValueError(f"is {_short(data)}, must be true or false")


def _choice_of(data: Any, choices: tuple[Any, ...]) -> Any:
    """Return the choice that is meant, in whatever case; in another spelling only if it begins alike: 'unsupported' is not 'supported'."""
    data = _alone(data)
    if data in choices and type(data) is type(choices[choices.index(data)]):
        return data
    named = {_plain(str(choice)): choice for choice in choices}
    word = _plain(str(data)[: _LONGEST + 1])
    if word in named:
        return named[word]
    alike = [name for name in named if word and len(word) <= _LONGEST and name[:1] == word[0]]
    near = get_close_matches(word, alike, n=2, cutoff=0.8)
    if len(near) == 1:
        return named[near[0]]
    raise ValueError(f"is {_short(data)}, must be one of: {', '.join(map(str, choices))}")


def _numbers_of(text: str) -> Sequence[float]:
    """Return all numbers that a short text names, in digits or in words."""
    if len(text) > _LONGEST:
        return []
    digits = [item.replace(",", "") for item in _DIGITS.findall(text)]
    if digits:
        return [float(item) if "." in item else int(item) for item in digits]
    words = [_WORDS[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in _WORDS]
    return words or [_han(found) for found in _HAN_NUMBER.findall(text)]


def _plain(name: str) -> str:
    """Return a name without case, spaces and signs: 'knownFrom', 'known-from' and 'Known from' are one."""
    return re.sub(r"[\W_]+", "", name).casefold()


def _han(signs: str) -> int:
    tens, ten, ones = signs.rpartition("十")
    if not ten:
        return int("".join(str(_HAN[sign]) for sign in signs))
    return 10 * (_HAN.get(tens, 1)) + _HAN.get(ones, 0)


def _alone(data: Any) -> Any:
    """Return the only item of a list, anything else as it is."""
    if isinstance(data, list):
        items = cast("list[Any]", data)
        return items[0] if len(items) == 1 else items
    return data


def _short(data: Any) -> str:
    told = repr(data)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]} …"


_SCALARS: dict[Any, tuple[str, Callable[[Any], Any]]] = {  # by type: what JSON Schema calls it, and how it is read
    str: ("string", _text_of),
    int: ("integer", _whole_of),
    float: ("number", _number_of),
    bool: ("boolean", _truth_of),
}


# -- shapes: schemas, and values of dataclasses

T = TypeVar("T")
_MOST_KEYS = 50  # of an object, that are looked at for a field in another spelling
_NOTHING = frozenset(("", "none", "null", "nil", "na", "无", "没有"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """One field of a shape; without a default it has to be there."""

    name: str
    hint: Any
    told: str
    default: Any

    @property
    def is_required(self) -> bool:
        return self.default is MISSING


@cache
def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass, within what strict servers and grammars accept. It is shared: do not change it."""
    return _schema(kind, ())


def told_schema(messages: Sequence[PromptMessage], schema: Mapping[str, Any]) -> list[PromptMessage]:
    """Return the messages with the schema at the end of the first. Some servers take one message of the system, and only first."""
    told = (
        f"Answer with one JSON object only, which follows this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    first, *rest = messages
    return [replace(first, text=f"{first.text}\n\n{told}"), *rest]


def read(kind: type[T], data: Any) -> T:
    """Return data as a value of this shape, lenient where the meaning is clear. A ValueError tells the model what to mend."""
    return _value(kind, data, "")


# -- the schema


def _schema(hint: Any, within: tuple[Any, ...]) -> dict[str, Any]:
    if hint in _SCALARS:
        return {"type": _SCALARS[hint][0]}
    if hint in within:
        raise TypeError(f"the shape {hint.__name__} holds itself, which grammars cannot tell")
    if is_dataclass(hint):
        return _object_schema(cast("type[Any]", hint), (*within, hint))
    if get_origin(hint) is Literal:
        choices = list(get_args(hint))
        return {"type": _SCALARS[type(choices[0])][0], "enum": choices}
    if (item := _item_of(hint)) is not None:
        return {"type": "array", "items": _schema(item, within)}
    if (inner := _inner_of(hint)) is not None:
        return {"anyOf": [_schema(inner, within), {"type": "null"}]}
    raise TypeError(
        f"a shape cannot hold {hint!r}; known: str, int, float, bool, Literal, tuple[X, ...], X | None, dataclasses"
    )


def _object_schema(kind: type[Any], within: tuple[Any, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for item in _fields_of(kind):
        described = {"description": item.told} if item.told else {}
        properties[item.name] = _schema(item.hint, within) | described
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def _fields_of(kind: type[Any]) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    return tuple(
        _Field(
            name=item.name,
            hint=hints[item.name],
            told=item.metadata.get("told", ""),
            default=_default(item.default, item.default_factory, hints[item.name]),
        )
        for item in fields(kind)
        if item.init
    )


def _default(default: Any, make: Any, hint: Any) -> Any:
    if make is not MISSING:
        return make()
    return None if default is MISSING and _inner_of(hint) is not None else default


def _item_of(hint: Any) -> Any:
    """Return X of tuple[X, ...]."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and len(inner) == 2 and inner[1] is Ellipsis else None


def _inner_of(hint: Any) -> Any:
    """Return X of X | None."""
    inner = [item for item in get_args(hint) if item is not types.NoneType]
    return inner[0] if get_origin(hint) in (Union, types.UnionType) and len(inner) == 1 else None


# -- values


def _value(hint: Any, data: Any, place: str) -> Any:
    if is_dataclass(hint):
        return _object(cast("type[Any]", hint), data, place)
    if (item := _item_of(hint)) is not None:
        return tuple(
            _value(item, one, f"{place}[{number}]")
            for number, one in enumerate(_items(item, data, place))
            if one is not None
        )
    if (inner := _inner_of(hint)) is not None:
        nothing = data is None or (inner is not str and isinstance(data, str) and _plain(data) in _NOTHING)
        return None if nothing else _value(inner, data, place)
    try:
        if get_origin(hint) is Literal:
            return _choice_of(data, get_args(hint))
        return _SCALARS[hint][1](data)
    except ValueError as error:
        raise ValueError(f"{place or 'the reply'} {error}") from error


def _object(kind: type[Any], data: Any, place: str) -> Any:
    known = _fields_of(kind)
    found = _spelled(known, _as_object(kind, data, place))
    values: dict[str, Any] = {}
    for item in known:
        given = found.get(item.name)
        if item.name not in found or (
            not item.is_required and (given is None or (given == "" and item.hint is not str))
        ):
            if item.is_required:
                raise ValueError(f"{_inside(place, item.name)} is missing")
            values[item.name] = item.default
        else:
            values[item.name] = _value(item.hint, given, _inside(place, item.name))
    return kind(**values)


def _as_object(kind: type[Any], data: Any, place: str) -> Mapping[str, Any]:
    """Return the object that is meant: the only one of a list, the only field that is a list, one in a wrapping of its own."""
    known = _fields_of(kind)
    if isinstance(data, dict):
        named = cast("dict[str, Any]", data)
        if not named or _spelled(known, named):
            return named
        inner: list[Any] = [item for item in named.values() if isinstance(item, (dict, list))]
        if len(inner) == 1:
            return _as_object(kind, inner[0], place)
    if isinstance(data, list):
        items = cast("list[Any]", data)
        known = _fields_of(kind)
        if len(items) == 1 and _is_whole(known, items[0]):
            return items[0]
        of_objects = any(isinstance(item, dict) for item in items)
        lists = [field for field in known if (item := _item_of(field.hint)) and is_dataclass(item) is of_objects]
        if len(lists) == 1:
            return {lists[0].name: items}
        if len(items) == 1:
            return _as_object(kind, items[0], place)
        raise _no_object(known, place)
    required = [item for item in known if item.is_required]
    if isinstance(data, (str, int)) and len(required) == 1 and required[0].hint is str:
        return {required[0].name: data}
    raise _no_object(known, place)


def _no_object(known: tuple[_Field, ...], place: str) -> ValueError:
    names = ", ".join(item.name for item in known)
    return ValueError(f"{place or 'the reply'} must be an object with the fields {names}")


def _spelled(known: tuple[_Field, ...], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the object says by the right names of its fields: first those that are exact, then those that are near."""
    found = {item.name: data[item.name] for item in known if item.name in data}
    if len(found) == len(known) or len(found) == len(data):
        return found
    others = {_plain(str(key)): value for key, value in [*data.items()][:_MOST_KEYS] if key not in found}
    lacking = [item.name for item in known if item.name not in found]
    for nearest in (_same, _nearest):
        for name in lacking:
            if name not in found and (key := nearest(_plain(name), tuple(others))):
                found[name] = others.pop(key)
    return found


def _same(name: str, offered: tuple[str, ...]) -> str:
    return name if name in offered else ""


@lru_cache(maxsize=1_000)
def _nearest(name: str, offered: tuple[str, ...]) -> str:
    near = get_close_matches(name, [key for key in offered if key[:1] == name[0]], n=1, cutoff=0.8)
    return near[0] if near else ""


def _is_whole(known: tuple[_Field, ...], data: Any) -> bool:
    """Tell whether data is an object with all the fields that have to be there."""
    if not isinstance(data, dict):
        return False
    found = _spelled(known, cast("dict[str, Any]", data))
    return bool(found) and all(item.name in found for item in known if item.is_required)


def _items(item: Any, data: Any, place: str) -> list[Any]:
    """Return the list that is meant: of one object, of the values of an object, of the numbers that a text names."""
    if data is None or (isinstance(data, str) and _plain(data) in (_NOTHING if item is not str else {""})):
        return []
    if isinstance(data, list):
        return cast("list[Any]", data)
    if isinstance(data, dict):
        data = cast("dict[str, Any]", data)
        values = list(data.values())
        if is_dataclass(item):
            if _is_whole(_fields_of(cast("type[Any]", item)), data):
                return [data]
            if len(values) == 1 and isinstance(values[0], list):
                return cast("list[Any]", values[0])
            return values if values and all(isinstance(value, dict) for value in values) else [data]
        return cast("list[Any]", values[0]) if len(values) == 1 and isinstance(values[0], list) else values
    if isinstance(data, str) and item is int:
        return list(_numbers_of(data)) or [data]
    if isinstance(data, (str, int, float)):
        return [data]
    raise ValueError(f"{place} must be a list")


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
