"""Single values that a model wrote in its own way: 'two', '三', '#2', '80%', 'yes', '否', a choice in another spelling."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, cast

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


def text_of(data: Any) -> str:
    """Return a text, '' for nothing; the items of a list are put behind one another."""
    if isinstance(data, str):
        return data
    if data is None or isinstance(data, (bool, int, float)):
        return "" if data is None else str(data).lower()
    items = list(cast("dict[str, Any]", data).values()) if isinstance(data, dict) else cast("list[Any]", data)
    if any(isinstance(item, (dict, list)) for item in items) or (isinstance(data, dict) and len(items) != 1):
        raise ValueError("must be a text")
    return ", ".join(text_of(item) for item in items if item is not None)


def number_of(data: Any) -> float:
    """Return a number; that of '80%' is 0.8."""
    data = _alone(data)
    if isinstance(data, (int, float)) and not isinstance(data, bool) and abs(data) < _LARGEST:
        return float(data)
    numbers: Sequence[float] = numbers_of(data) if isinstance(data, str) else []
    if len(set(numbers)) != 1:
        raise ValueError(f"is {_short(data)}, must be a number")
    return numbers[0] / 100 if str(data).rstrip().endswith(("%", "％")) else float(numbers[0])


def whole_of(data: Any) -> int:
    """Return a whole number."""
    try:
        number = number_of(data)
    except ValueError:
        number = None
    if number is None or not number.is_integer():
        raise ValueError(f"is {_short(data)}, must be a whole number")
    return int(number)


def truth_of(data: Any) -> bool:
    """Return True or False for what says yes or no."""
    data = _alone(data)
    word = str(data).strip().strip(".!。！").casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise ValueError(f"is {_short(data)}, must be true or false")


def choice_of(data: Any, choices: tuple[Any, ...]) -> Any:
    """Return the choice that is meant, in whatever case; in another spelling only if it begins alike: 'unsupported' is not 'supported'."""
    data = _alone(data)
    if data in choices and type(data) is type(choices[choices.index(data)]):
        return data
    named = {plain(str(choice)): choice for choice in choices}
    word = plain(str(data)[: _LONGEST + 1])
    if word in named:
        return named[word]
    alike = [name for name in named if word and len(word) <= _LONGEST and name[:1] == word[0]]
    near = get_close_matches(word, alike, n=2, cutoff=0.8)
    if len(near) == 1:
        return named[near[0]]
    raise ValueError(f"is {_short(data)}, must be one of: {', '.join(map(str, choices))}")


def numbers_of(text: str) -> Sequence[float]:
    """Return all numbers that a short text names, in digits or in words."""
    if len(text) > _LONGEST:
        return []
    digits = [item.replace(",", "") for item in _DIGITS.findall(text)]
    if digits:
        return [float(item) if "." in item else int(item) for item in digits]
    words = [_WORDS[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in _WORDS]
    return words or [_han(found) for found in _HAN_NUMBER.findall(text)]


def plain(name: str) -> str:
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


SCALARS: dict[Any, tuple[str, Callable[[Any], Any]]] = {  # by type: what JSON Schema calls it, and how it is read
    str: ("string", text_of),
    int: ("integer", whole_of),
    float: ("number", number_of),
    bool: ("boolean", truth_of),
}
