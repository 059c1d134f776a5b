"""Amounts in text with their units, in digits and in words: 2.5 billion is 2,500 million, six weeks are 42 days, 四成 is 40 %.

A digit that belongs to a name (`GPT-2`, `KL-19b`) is no amount. Units of one kind are brought to one, so that values can be compared.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_COUNTS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = (
    {word: value for value, word in enumerate(_COUNTS.split(), 2)}
    | {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
    | {"dozen": 12, "twice": 2, "double": 2, "thrice": 3, "triple": 3}
)
_PARTS = {
    "half": 0.5,
    "halved": 0.5,
    "third": 1 / 3,
    "thirds": 1 / 3,
    "quarter": 0.25,
    "quarters": 0.25,
    "fifth": 0.2,
    "tenth": 0.1,
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "mln": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12} | {
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "B": 1e9,
    "T": 1e12,
}
_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_POWERS = {"十": 10, "百": 100, "千": 1000}
_GREAT = {"万": 1e4, "亿": 1e8}
# each unit with what it is of the first of its kind
_UNITS = (
    ("s", 1, r"s|secs?|seconds?|秒钟?"),
    ("s", 0.001, r"ms|milliseconds?|毫秒"),
    ("s", 60, r"min|minutes?|分钟"),
    ("s", 3600, r"h|hours?|个?小时"),
    ("s", 86400, r"days?|nights?|天|日"),
    ("s", 604800, r"weeks?|周|个?星期"),
    ("month", 1, r"months?|个月"),
    ("month", 3, r"个?季度"),
    ("month", 12, r"years?|周?年|岁"),
    ("month", 120, r"decades?"),
    ("month", 1200, r"century|centuries|个?世纪"),
    ("m", 1, r"m|met(?:re|er)s?|米"),
    ("m", 1000, r"km|kilomet(?:re|er)s?|公里|千米"),
    ("m", 0.01, r"cm|centimet(?:re|er)s?|厘米"),
    ("m", 0.001, r"mm|millimet(?:re|er)s?|毫米"),
    ("kg", 1, r"kg|kilograms?|kilos?|公斤|千克"),
    ("kg", 0.001, r"g|grams?|克"),
    ("kg", 1000, r"tons?|tonnes?|吨"),
    ("points", 1, r"percentage points?|个?百分点"),
    ("%", 1, r"%|percent|per cent"),
    ("%", 10, r"成"),
    ("USD", 1, r"dollars?|USD|美元"),
    ("EUR", 1, r"euros?|EUR|欧元"),
    ("CNY", 1, r"yuan|RMB|CNY|元"),
    ("times", 1, r"times|fold|倍"),
    ("°C", 1, r"° ?C|℃|degrees|摄氏度|度"),
)
_MARKS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY"}
_UNIT = "|".join(f"(?:{pattern})" for _, _, pattern in _UNITS)
_UNIT_OF = tuple((re.compile(rf"(?:{pattern})"), kind, factor) for kind, factor, pattern in _UNITS)
_WORD = "|".join(sorted(_ENGLISH, key=len, reverse=True))
# 1 268名: thousands set apart by a space, as Chinese journals do; a narrow one does so in any language
_SPACED = r"\d{1,3}(?: \d{3}){1,4}(?!\d)(?=\s?[\u3400-\u9fff])|\d{1,3}(?:[\u2009\u202f]\d{3}){1,4}(?!\d)"
_AMOUNT = re.compile(
    rf"(?P<hundredths>百分之)?(?:(?P<mark>[$€£¥])\s?)?(?<![A-Za-z0-9_.])(?<![A-Za-z]-)"
    rf"(?:(?P<digits>\d{{1,3}}(?:,\d{{3}}){{1,5}}(?!\d)(?:\.\d{{1,9}})?|{_SPACED}|\d{{1,15}}(?:\.\d{{1,9}})?)(?![\d:])(?P<decade>s\b)?"
    rf"|(?P<word>\b(?:one|{_WORD})[ -](?:hundred|thousand)\b(?:[ -](?:and )?(?:one|{_WORD}|hundred|thousand)\b)*"
    rf"|\b(?:{_WORD})\b(?:[ -](?:one|{_WORD})\b)?)"
    rf"|(?P<single>\b(?:an?|one) (?=(?:second|minute|hour|day|week|month|year|decade|century|kilomet|met(?:re|er)|dozen)))"
    rf"|(?P<part>\b(?:(?P<count>two|three) )?(?:{'|'.join(_PARTS)})\b)(?! (?:of )?(?:place|time|person|edition|week|month|day|year)\b)"
    rf"|(?P<ratio>(?P<below>[一二两三四五六七八九十百]{{1,4}})分之(?P<above>[一二两三四五六七八九十]{{1,3}}))"
    rf"|(?P<han>[零〇一二两三四五六七八九十百千万亿]{{1,12}}|半(?=[年天个数]))(?!分之))"
    rf"(?P<scale>[ -]?(?:hundred|thousand|million|mln|billion|bn|trillion)s?\b|[kKMBT]\b|\s?[十百千]?[万亿])?"
    rf"(?P<between>(?: of)? an? (?=(?:{_UNIT})\b))?(?P<unit>[ -]?(?:{_UNIT})(?![A-Za-z]))?",
    re.IGNORECASE,
)
_LONGEST_TEXT = 20_000
_MOST = 200
_TOLERANCE = 0.006


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, the kind of its unit ('' for none, 'year' for a year of the calendar), and where it stands."""

    value: float
    unit: str
    start: int
    end: int
    exact: bool  # digits, or a word that is always a number; not 一 and 两, which may be grammar

    def same(self, other: "Amount") -> bool:
        """Tell whether two amounts are the same; one that names no unit agrees with any."""
        if self.unit == "decade" or other.unit == "decade":
            return {self.unit, other.unit} <= {"decade", "year"} and self.value // 10 == other.value // 10
        if self.unit != other.unit and self.unit and other.unit and {self.unit, other.unit} != {"year", ""}:
            return False
        return math.isclose(self.value, other.value, rel_tol=1e-6)


@lru_cache(maxsize=1024)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts of a text in order, the first two hundred of them."""
    found: list[Amount] = []
    for match in _AMOUNT.finditer(text[:_LONGEST_TEXT]):
        if match.end() < len(text) and match["digits"] and _goes_on(text, match):
            continue
        found.append(_amount(match))
        if len(found) == _MOST:
            break
    return tuple(found)


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Tell whether letters go on where the number ends: 3D, 7th, 19b."""
    following = text[match.end()]
    return following.isascii() and following.isalpha() and not match["unit"] and not match["scale"]


def _amount(match: re.Match[str]) -> Amount:
    value, unit, exact = _value(match)
    if scale := match["scale"]:
        value *= _scale(scale.strip(" -"))
    if match["unit"]:
        kind, factor = _unit(match["unit"].strip(" -"))
        if not unit or (match["part"] and match["between"]):
            value = value / 100 if unit == "%" else value
            unit, value = ("year", value) if match["unit"] == "年" and value >= 1000 else (kind, value * factor)
        elif unit == "year" and kind != "month":
            unit, value = kind, value * factor
    elif match["mark"]:
        unit = _MARKS[match["mark"]]
    return Amount(float(f"{value:.9g}"), unit, match.start(), match.end(), exact)


def _value(match: re.Match[str]) -> tuple[float, str, bool]:
    """Return the number, the unit that its own form gives it, and whether it surely is one."""
    hundredths = "%" if match["hundredths"] else ""
    if match["digits"]:
        value = float(re.sub(r"[,\s]", "", match["digits"]))
        calendar = (
            len(match["digits"]) == 4 and match["digits"].isdigit() and 1000 <= value <= 2999 and not match["scale"]
        )
        return value, hundredths or (("decade" if match["decade"] else "year") if calendar else ""), True
    if match["word"]:
        return _spelled(match["word"]), "", True
    if match["part"]:
        count = _ENGLISH.get((match["count"] or "").lower(), 1)
        return 100 * count * _PARTS[match["part"].lower().split()[-1]], "%", False
    if match["ratio"]:
        return 100 * _han(match["above"]) / max(1, _han(match["below"])), "%", True
    if match["han"] and match["han"] != "半":
        return _han(match["han"]), hundredths, len(match["han"]) > 1
    return (0.5 if match["han"] else 1), "", False


def _spelled(words: str) -> float:
    """Read an English numeral: forty-three, one hundred and forty-three, two thousand five hundred."""
    total = group = 0.0
    for word in re.split("[ -]", words.lower()):
        if word == "hundred":
            group *= 100
        elif word == "thousand":
            total, group = total + 1000 * group, 0
        elif word != "and":
            group += _ENGLISH.get(word, 1)
    return total + group


def _scale(word: str) -> float:
    if word[-1] in _GREAT:
        return _GREAT[word[-1]] * (_POWERS[word[0]] if len(word) > 1 else 1)
    return _SCALES.get(word) or _SCALES.get(word.lower().removesuffix("s"), 1)


def _unit(word: str) -> tuple[str, float]:
    for pattern, kind, factor in _UNIT_OF:
        if pattern.fullmatch(word) or pattern.fullmatch(word.lower()):
            return kind, factor
    return "", 1


def _han(numeral: str) -> float:
    """Read a Chinese numeral: 一百二十八, 两万三千, or digits in a row (一九八四)."""
    if not any(sign in _POWERS or sign in _GREAT for sign in numeral):
        return float("".join(str(_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0.0
    for sign in numeral:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _POWERS:
            section += (digit or 1) * _POWERS[sign]
            digit = 0
        else:
            total += (section + digit or 1) * _GREAT[sign]
            section = digit = 0
    return total + section + digit


def is_derived(wanted: Amount, given: Sequence[Amount]) -> bool:
    """Tell whether an amount is the difference, sum, product or ratio of two that are given."""
    return any(math.isclose(wanted.value, value, rel_tol=_TOLERANCE) for value in _derived(wanted, given))


def _derived(wanted: Amount, given: Sequence[Amount]) -> Iterator[float]:
    for place, one in enumerate(given[:40]):
        for other in given[place + 1 : 40]:
            small, large = sorted((one.value, other.value))
            if one.unit == other.unit == "year":
                if wanted.unit in {"", "month"}:
                    yield 12 * (large - small) if wanted.unit else large - small
            elif one.unit == other.unit:
                if wanted.unit in {one.unit, "", "points"}:
                    yield large - small
                    yield large + small
                if small and wanted.unit in {"", "times", "%"}:
                    ratio = large / small
                    yield from (100 / ratio, 100 - 100 / ratio, 100 * ratio - 100) if wanted.unit == "%" else (ratio,)
            elif "year" in {one.unit, other.unit} and "month" in {one.unit, other.unit} and wanted.unit == "year":
                year, span = (one, other) if one.unit == "year" else (other, one)
                yield from (year.value + span.value / 12, year.value - span.value / 12)
            elif wanted.unit in {one.unit, other.unit, ""} and "year" not in {one.unit, other.unit}:
                yield large * small
        if wanted.unit == "%" and one.unit == "%":
            yield 100 - one.value
