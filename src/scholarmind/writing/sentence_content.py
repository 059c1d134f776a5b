"""The content of a sentence, to be compared with that of another: its numbers with their units, its words, its names, its negations.

English and Chinese. 1,000 is 1000, 2.5 billion is 2,500 million, and 5 % is not 5 points. A digit that belongs to a name (`GPT-2`,
`BM25`, `F1`) is no quantity; who compares names compares those.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from scholarmind.text.analysis import sentences, terms
from scholarmind.text.language import HAN, lazy_regex

# -- quantities: numbers with their units

_LONGEST_TEXT = 100_000
# the lookbehinds refuse digits of names (GPT2, v1.5, GPT-4) and the tails of numbers that were too odd to read
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(?P<sign>[-−–－+＋]?)"
    r"(?P<number>\d{1,3}(?:,\d\d\d){1,6}(?!\d)(?:\.\d{1,30})?|\d{1,30}(?:[.．]\d{1,30})?|\.\d{1,30})(?!\d)"
)

_BEFORE_SIGN = re.compile(r"[A-Za-z0-9_%％年月日号)\])]$")
_MINUS = re.compile(r"(?:(?<![A-Za-z])minus |负)$", re.IGNORECASE)
_HUNDREDTHS = re.compile(r"百分之负?$")
_SPACE = r"[ \t\u00a0\u202f]?\n?"
_ENGLISH_SCALES = {
    "thousand": 3,
    "million": 6,
    "millions": 6,
    "mln": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "trillion": 12,
    "trillions": 12,
}

_LETTER_SCALES = {"k": 3, "K": 3, "M": 6, "B": 9, "T": 12}
_CHINESE_SCALES = {
    "万亿": 12,
    "千亿": 11,
    "百亿": 10,
    "十亿": 9,
    "亿": 8,
    "千万": 7,
    "百万": 6,
    "十万": 5,
    "万": 4,
    "千": 3,
    "億": 8,
    "萬": 4,
}

_SCALE = re.compile(
    rf"(?:(?P<letter>[kKMBT])(?![A-Za-z0-9])"
    rf"|{_SPACE}(?P<chinese>{'|'.join(_CHINESE_SCALES)})"
    rf"|(?:{_SPACE}|-)(?P<english>{'|'.join(sorted(_ENGLISH_SCALES, key=len, reverse=True))})(?![A-Za-z]))",
    re.IGNORECASE,
)

_UNITS = {
    "points": r"percentage[ -]points?|percent[ -]points?|个百分点|個百分點|百分点|points?(?![A-Za-z])|pp(?![A-Za-z])|pts?(?![A-Za-z])",
    "%": r"%|％|percent(?![A-Za-z])|per[ ]cent(?![A-Za-z])",
    "‰": r"‰|千分之",
    "USD": r"美元|US dollars?|dollars?|USD",
    "EUR": r"欧元|euros?(?![A-Za-z])|EUR(?![A-Za-z])",
    "GBP": r"英镑|pounds sterling|GBP(?![A-Za-z])",
    "JPY": r"日元|yen(?![A-Za-z])|JPY(?![A-Za-z])",
    "CNY": r"人民币|元|yuan(?![A-Za-z])|RMB(?![A-Za-z])|CNY(?![A-Za-z])",
    "times": r"倍|times(?![A-Za-z])|-?fold(?![A-Za-z])|[x×](?![A-Za-z0-9])",
    "°C": r"°C|℃|摄氏度",
    "year": r"年(?!来|内|间|前|后|以来|时间|级|多)",
    "ms": r"ms(?![A-Za-z])|milliseconds?(?![A-Za-z])|毫秒",
    "s": r"seconds?(?![A-Za-z])|秒",
    "min": r"minutes?(?![A-Za-z])|分钟",
    "h": r"hours?(?![A-Za-z])|个小时|小时",
    "day": r"days?(?![A-Za-z])|天",
    "kg": r"kg(?![A-Za-z])|kilograms?(?![A-Za-z])|公斤|千克",
    "km": r"km(?![A-Za-z0-9])|kilomet(?:er|re)s?(?![A-Za-z])|公里|千米",
    "m": r"met(?:er|re)s?(?![A-Za-z])|米",
    "GB": r"GB(?![A-Za-z])|gigabytes?(?![A-Za-z])",
    "MB": r"MB(?![A-Za-z])|megabytes?(?![A-Za-z])",
}

_UNIT_NAMES = tuple(_UNITS)
_UNIT = re.compile(rf"(?:{_SPACE}|-)(?:{'|'.join(f'({pattern})' for pattern in _UNITS.values())})", re.IGNORECASE)
_CURRENCIES = {"$": "USD", "＄": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY"}
_CURRENCY = re.compile(r"(?:US|RMB)?([$＄€£¥￥])[ ]?$")
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_AFTER_YEAR = re.compile(r"[\s,.;:!?)\]，。；：！？）、'’–—-]|$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with its unit (as one word for all its spellings, or ''), and where it stands in the text."""

    value: Decimal
    unit: str
    start: int
    end: int

    @property
    def amount(self) -> tuple[Decimal, str]:
        """What two quantities must share to be the same."""
        return self.value, self.unit


@lru_cache(maxsize=2048)
def numbers(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order."""
    return tuple(_quantities(text[:_LONGEST_TEXT]))


def _quantities(text: str) -> Iterator[Quantity]:
    end = 0
    for match in _NUMBER.finditer(text):
        if match.start() < end or _begins_name(text, match.end()):
            continue
        found = _quantity(text, match)
        end = found.end
        yield found


def _begins_name(text: str, end: int) -> bool:
    """Tell 3D, 7th and 4xA100 from 7B and 5km."""
    following = text[end : end + 1]
    if not (following.isascii() and following.isalpha()):
        return False
    return not (_SCALE.match(text, end) or _UNIT.match(text, end))


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    before = text[max(0, match.start("number") - 8) : match.start("number")]
    value = Decimal(match["number"].replace(",", "").replace("．", "."))
    start, end = match.start("number"), match.end()
    signed = match["sign"] and not _BEFORE_SIGN.search(text[max(0, match.start() - 1) : match.start()])
    if signed:
        start = match.start()
        before = before[:-1]
    if (signed and match["sign"] not in "+＋") or _MINUS.search(before):
        value = -value
    scale = _SCALE.match(text, end)
    if scale and _is_scale(scale):
        value, end = value.scaleb(_power(scale)), scale.end()
    unit, end = _unit(text, before, end)
    if not unit and scale is None and _is_year(text, match, end):
        unit = "year"
    return Quantity(value=value.normalize(), unit=unit, start=start, end=end)


def _is_scale(scale: re.Match[str]) -> bool:
    """A single letter counts only as it is written: 7B and 10k, not 5 m or 3b."""
    return scale["letter"] is None or scale["letter"] in _LETTER_SCALES


def _power(scale: re.Match[str]) -> int:
    if scale["letter"]:
        return _LETTER_SCALES[scale["letter"]]
    return _CHINESE_SCALES[scale["chinese"]] if scale["chinese"] else _ENGLISH_SCALES[scale["english"].lower()]


def _unit(text: str, before: str, end: int) -> tuple[str, int]:
    if _HUNDREDTHS.search(before):
        return "%", end
    currency = _CURRENCY.search(before)
    if currency:
        return _CURRENCIES[currency[1]], end
    found = _UNIT.match(text, end)
    if found is None or found.lastindex is None:
        return "", end
    return _UNIT_NAMES[found.lastindex - 1], found.end()


def _is_year(text: str, match: re.Match[str], end: int) -> bool:
    """Take four digits in the range of years that stand alone for a year: 2019, not 2019 passages."""
    number = match["number"]
    if len(number) != 4 or not number.isdecimal() or not _FIRST_YEAR <= int(number) <= _LAST_YEAR:
        return False
    return _AFTER_YEAR.match(text, end) is not None and not text[end : end + 2].lstrip(" ").isalpha()


# -- words, names and negations

_NEGATION = lazy_regex(
    r"\b(?:not|no|never|neither|nor|none|nothing|without|cannot|hardly|barely|unable|fail(?:s|ed)?|lacks?|lacked)\b|n['’]t\b"
    r"|不(?![仅但同断久管少论只妨])|没|未(?!来)|无(?![论疑监])|(?<!除)非(?![常洲])",
    re.IGNORECASE,
)

_LETTER = r"[^\W_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_NAME = lazy_regex(rf"{_LETTER}(?:{_LETTER}|[-‐‑.@+/'’](?={_LETTER}))*")
_HAS_BOTH = lazy_regex(r"[A-Za-z].*\d|\d.*[A-Za-z]")  # top-1, float32
_COMMON = lazy_regex(r"(?:s|ing|ly|ed|ion|ance|ence|acy|ity|ement|ness|ism|ship|ive|al|ic|ous|ful)$")
_LIGHT_HAN = lazy_regex(r"[的了在是为和与及其该它这那此就也都而且并则将把被由从对于中上下]")
_LIGHT = frozenset(
    terms(
        "paper papers author authors report reports show shows find finds found according study studies work using used use also well"
    )
)

_LIGHT_WEIGHT = 0.3
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentWords:
    """The terms of a text, and the single Chinese characters."""

    terms: frozenset[str]
    characters: frozenset[str]


@lru_cache(maxsize=2048)
def words_of(text: str) -> ContentWords:
    """Read a text once, however often it is compared."""
    return ContentWords(
        terms=frozenset(content(without_numbers(text))),
        characters=frozenset(HAN.findall(text)),
    )


def without_numbers(text: str) -> str:
    """Return the text with its numbers and their units taken out."""
    pieces: list[str] = []
    begin = 0
    for number in numbers(text):
        pieces.append(text[begin : number.start])
        begin = number.end
    return " ".join((*pieces, text[begin:]))


def content(text: str) -> Iterator[str]:
    """Yield the terms of what is no number (those are compared by their values) and no Chinese word for the grammar alone."""
    return (term for term in terms(_LIGHT_HAN.sub(" ", text)) if not term.replace(".", "").isdecimal())


def covered(wanted: ContentWords, given: ContentWords) -> float:
    """Return which share of the wanted words is given. A Chinese pair counts half if only its characters are there."""
    total = found = 0.0
    for term in wanted.terms:
        weight = _LIGHT_WEIGHT if term in _LIGHT else 1.0
        total += weight
        if term in given.terms:
            found += weight
        elif HAN.match(term) and given.characters.issuperset(term):
            found += weight / 2
    return found / total if total else 0.0


def denied(text: str) -> int:
    """Return how many negations there are."""
    return sum(1 for _ in _NEGATION.finditer(text))


def missing(found: Sequence[str], given: ContentWords) -> int:
    """Return how many of these names are not given."""
    return sum(not _is_given(name, given) for name in found)


@lru_cache(maxsize=2048)
def names(text: str) -> tuple[str, ...]:
    """Return the words with capitals or digits, but for the first of a sentence if it has the ending of a common word."""
    return tuple(_names(text))


def _names(text: str) -> Iterator[str]:
    bare = without_numbers(text)
    for start, end in sentences(bare):
        first = True
        for match in _NAME.finditer(bare, start, end):
            word = match[0]
            ordinary = first and word[:1].isupper() and word[1:].islower() and _COMMON.search(word) is not None
            first = False
            if not ordinary and (any(map(str.isupper, word)) or _HAS_BOTH.search(word)):
                yield word[:_LONGEST_NAME]


def _is_given(name: str, given: ContentWords) -> bool:
    found = list(content(name))
    if not found or found[0] in given.terms:
        return True
    return len(found) == len(terms(name)) and given.terms.issuperset(found[1:] or found)  # GPT-2 is not GPT
