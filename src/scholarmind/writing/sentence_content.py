"""The content of a sentence: its numbers with their units, its words, names and negations; and contradictions between two sentences."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import chain, combinations, islice, pairwise

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
    if scale and (scale["letter"] is None or scale["letter"] in _LETTER_SCALES):
        value, end = value.scaleb(_power(scale)), scale.end()
    unit, end = _unit(text, before, end)
    if not unit and scale is None and _is_year(text, match, end):
        unit = "year"
    return Quantity(value=value.normalize(), unit=unit, start=start, end=end)


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


# -- comparisons and rankings in words, held against the numbers of what they compare

_LONGEST = 2_000
_MOST_NAMES = 50
_MORE = lazy_regex(
    r"\b(?:higher|more|greater|larger|bigger|later|newer|younger|above|exceeds?|exceeded|surpass(?:es|ed)?|ahead of)\b"
    r"|高于|大于|多于|超过|超越|晚于|领先于?|更高|更大|更多|更晚|[>＞]",
    re.IGNORECASE,
)

_LESS = lazy_regex(
    r"\b(?:lower|less|fewer|smaller|earlier|older|before|below|behind|predates?|predated|precedes?|preceded)\b"
    r"|低于|小于|少于|早于|先于|落后于?|不及|更低|更小|更少|更早|[<＜]",
    re.IGNORECASE,
)

_LATER = lazy_regex(r"\b(?:after|followed)\b", re.IGNORECASE)
_BETTER = lazy_regex(r"\b(?:better|outperform(?:s|ed)?|superior|beats?)\b|优于|胜过|更好|好于", re.IGNORECASE)
_WORSE = lazy_regex(r"\b(?:worse|underperform(?:s|ed)?|inferior)\b|劣于|不如|更差|差于", re.IGNORECASE)
_EQUAL = lazy_regex(
    r"\b(?:equals?|the same|identical|as (?:high|large|many|much) as)\b|等于|相同|一样|相等|持平", re.IGNORECASE
)

_LESS_IS_BETTER = lazy_regex(
    r"\b(?:perplexity|errors?|loss|latency|time|cost|costs|FLOPs|WER|distance|memory|energy|emissions?)\b|困惑度|误差|错误率|损失|延迟|耗时|成本|开销|内存",
    re.IGNORECASE,
)

_OF_ALL_MOST = lazy_regex(
    r"\b(?:highest|most|greatest|largest|biggest|latest|newest|maximum)\b|最高|最大|最多|最晚|最新", re.IGNORECASE
)

_OF_ALL_LEAST = lazy_regex(
    r"\b(?:lowest|least|fewest|smallest|earliest|oldest|minimum)\b|最低|最小|最少|最早", re.IGNORECASE
)

_CLAUSE = lazy_regex(r"[,，;；。](?!\d)|\b(?:but|while|whereas|although)\b|而(?!且)|但是?")
_NATIVE_THAN = lazy_regex(r"比(?!较)")
_NATIVE_MORE, _NATIVE_LESS = lazy_regex(r"[高大多晚]"), lazy_regex(r"[低小少早]")
_BETWEEN_TWO = lazy_regex(r"[\s,、/&]*(?:and|or|和|与|及|或)?[\s,]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    name: str
    start: int
    end: int


def contradicts(conclusion: str, values: Mapping[str, Quantity]) -> bool:
    """Tell whether a comparison or a ranking in the conclusion is the reverse of what the values (by name) say."""
    text = conclusion[:_LONGEST]
    for start, end in sentences(text):
        for clause in _CLAUSE.split(text[start:end]):
            mentions = list(_mentions(clause, values))
            if len(mentions) == 1 and _is_wrong_extreme(clause, mentions[0].name, values):
                return True
            if any(_is_wrong(clause, *pair, values) for pair in _pairs(clause, mentions)):
                return True
    return False


def _mentions(text: str, values: Mapping[str, Quantity]) -> Iterator[_Mention]:
    """Yield where the names stand; a longer name hides a shorter one within it."""
    longest_first = sorted(filter(None, values), key=len, reverse=True)[:_MOST_NAMES]
    if not longest_first:
        return
    names = {name.casefold(): name for name in reversed(longest_first)}
    pattern = "|".join(map(re.escape, longest_first))
    for match in re.finditer(
        rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-)(?:{pattern})(?![A-Za-z0-9]|-[A-Za-z0-9])", text, re.IGNORECASE
    ):
        if name := names.get(match[0].casefold()):
            yield _Mention(name=name, start=match.start(), end=match.end())


def _pairs(text: str, mentions: list[_Mention]) -> Iterator[tuple[_Mention, _Mention, str]]:
    """Yield who is compared with whom, and the words that say how: between them, and in Chinese behind them too."""
    for place, (one, other) in enumerate(pairwise(mentions)):
        following = mentions[place + 2 : place + 3]
        between = text[one.end : other.start]
        if _NATIVE_THAN.search(between):
            between += text[other.end : following[0].start if following else len(text)]
        if _BETWEEN_TWO.fullmatch(between):
            behind = text[other.end :]
            if _EQUAL.search(behind):
                yield one, other, behind
            continue
        yield one, other, between
        for more, further in zip(mentions[place + 1 :], mentions[place + 2 :], strict=False):
            if not _BETWEEN_TWO.fullmatch(text[more.end : further.start]):
                break
            yield one, further, between


def _is_wrong(text: str, one: _Mention, other: _Mention, how: str, values: Mapping[str, Quantity]) -> bool:
    first, second = values[one.name], values[other.name]
    way = _way(text, how, dates=first.unit == "year")
    if way is None or one.name == other.name or first.unit != second.unit:
        return False
    if denied(how):
        return bool(way) and (first.value - second.value) * way > 0
    if way == 0:
        return first.value != second.value
    return (first.value - second.value) * way <= 0


def _way(text: str, how: str, *, dates: bool) -> int | None:
    """Return 1 for more or later, -1 for less or earlier, 0 for the same, None for what is not said or not clear."""
    ways = {way for way, pattern in ((1, _MORE), (-1, _LESS), (0, _EQUAL)) if pattern.search(how)}
    if dates and _LATER.search(how):
        ways.add(1)
    if not ways and _NATIVE_THAN.search(how):
        ways = {way for way, pattern in ((1, _NATIVE_MORE), (-1, _NATIVE_LESS)) if pattern.search(how)}
    if not dates:
        reverse = -1 if _LESS_IS_BETTER.search(text) else 1
        ways |= {way * reverse for way, pattern in ((1, _BETTER), (-1, _WORSE)) if pattern.search(how)}
    return ways.pop() if len(ways) == 1 else None


def _is_wrong_extreme(text: str, name: str, values: Mapping[str, Quantity]) -> bool:
    mine = values[name]
    all_values = [quantity.value for quantity in values.values() if quantity.unit == mine.unit]
    if len(all_values) < 2 or denied(text):
        return False
    most, least = _OF_ALL_MOST.search(text), _OF_ALL_LEAST.search(text)
    if (most is None) == (least is None) or re.search(r"second|third|第[二三四]|one of|之一", text):
        return False
    return mine.value != (max(all_values) if most else min(all_values))


# -- different numbers for one thing

_MOST_STATEMENTS = 200
_MOST_FRAMES = 150
_MOST_SEGMENTS = 60  # of a sentence
_SPLIT = lazy_regex(r"[,，;；、](?!\d)|\b(?:and|while|whereas|but|against|versus|compared)\b|而且?|以及|相比")
_LIGHT_WORDS = frozenset(
    terms(
        "has have had having is are was were been obtain obtains obtained obtaining reach reaches reached achieve "
        "achieves achieved get gets got attain attains attained report reports reported record records recorded "
        "contain contains contained include includes included comprise comprises consist consists total totals "
        "about around approximately roughly circa exactly use uses used using show shows showed yield yields "
        "yielded give gives gave given result results model paper method system according stand stands stood "
        "amount amounts amounted come comes came make makes made"
    )
)

_REPORTING_HAN = lazy_regex(
    r"达到|取得|获得|实现|得到|包含|包括|拥有|共有|大约|左右|分别|总共|一共|具有|使用|采用|模型|方法|论文|表明|显示|报告|指出|约为|[共约达有含个名其该由时]"
)

_QUALIFIERS = frozenset(
    terms(
        "base large small tiny medium dev development test validation train training zero few shot single ensemble "
        "matched mismatched average mean median max min maximum minimum peak best worst gross net operating "
        "adjusted quarterly annual monthly weekly daily first second third fourth half total per previous former "
        "new old improved initial final original early late next last male female active additional extra without "
        "only partial full fine tuning pretrained distilled multilingual english chinese"
    )
)

_NEARLY = lazy_regex(
    r"\b(?:about|around|approximately|roughly|nearly|almost|circa|some)\b|[约近]|左右|上下|大概|~|≈", re.IGNORECASE
)

_BOUND = lazy_regex(
    r"(?:超过|至少|至多|最多|最高|不足|多于|少于|不到|[<>≤≥])[^\0]{0,4}\0|\0[^\0]{0,2}(?:以上|以下|多|余)"
    r"|\b(?:over|under|above|below|than|least|most|up to|exceed(?:s|ed|ing)?|between)\s[^\0]{0,4}\0|\0 or (?:m|l)",
    re.IGNORECASE,
)

_TO_OR_BY = lazy_regex(r"(?:\b(to|by|from)|(到|至|为)|(了))\W*$")
_NOUN = lazy_regex(r"[\s-]{0,2}([A-Za-z]{2,40})|\s?([\u3400-\u9fff])")
_DATED = lazy_regex(
    r"\b(?:propos|publish|released?|releases|found|introduc|born|died|launch|establish|present|appear)|提出|发表|发布|成立|推出|出版|创立|创办|出生|问世",
    re.IGNORECASE,
)

_VERSION = lazy_regex(r"[A-Z][\w-]{0,20}\s?$|[Vv]ersion\s?$|版本?\s?$")
_HAN_NAME = lazy_regex(
    r"(?<![\u3400-\u9fff])(?![该本这其各同两])[\u3400-\u9fff]{2,16}?(?:公司|集团|大学|医院|银行|研究院|实验室|模型|算法|系统|数据集|语料库|基金|政府|法院|[省市县])"
    r"|《[^《》]{1,40}》|“[^“”]{1,40}”"
)

_LABEL = lazy_regex(r"^[^:：\n]{1,60}[:：](?=\s)")
_MARKS = " ,.:;-–—*•>|#\n\t"
_WRITTEN = lazy_regex(r"(\d[\d,]*)?(?:\.(\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sentences that give different numbers for the same thing, with the keys of their sources."""

    keys: tuple[str, str]
    sentences: tuple[str, str]
    values: tuple[Quantity, Quantity]  # their places count from the beginning of their sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    key: str
    sentence: str
    number: Quantity
    words: frozenset[str]
    names: frozenset[str]  # their terms, which are among the words too
    subjects: frozenset[str]  # Chinese names, which no capitals tell
    others: frozenset[tuple[Decimal, str]]
    noun: str
    way: str  # a rise "to" 5 is not a rise "by" 5
    clause: str
    near: str  # what stands directly around the number, with a mark for it
    step: Decimal  # of the last digit that is written


def conflicting(statements: Sequence[tuple[str, str]]) -> list[Conflict]:
    """Return the pairs of (source key, sentence) that give different numbers for one thing; each pair of sentences once."""
    kept = list(dict.fromkeys((key, text[:_LONGEST]) for key, text in statements[:_MOST_STATEMENTS]))
    frames = list(islice(chain.from_iterable(_frames(key, text) for key, text in kept), _MOST_FRAMES))
    found: dict[tuple[str, str, str, str], Conflict] = {}
    for one, other in combinations(frames, 2):
        if one.number.unit == other.number.unit and _conflict(one, other):
            pair = (one.key, one.sentence, other.key, other.sentence)
            found.setdefault(
                pair,
                Conflict(
                    keys=(one.key, other.key),
                    sentences=(one.sentence, other.sentence),
                    values=(one.number, other.number),
                ),
            )
    return list(found.values())


def _frames(key: str, text: str) -> Iterator[_Frame]:
    """Yield a frame for each number of each sentence."""
    for start, end in sentences(text):
        sentence = text[start:end]
        lead, head = "", None
        for begin, stop in _segments(sentence):
            stated = [
                number for number in numbers(sentence) if begin <= number.start < stop and _is_stated(sentence, number)
            ]
            for number in stated:
                yield _frame(key, sentence, number, f"{lead} , {head or ''}", (begin, stop))
            first = next((number.start for number in stated if number.unit != "year"), None)
            if head is None and first is not None:
                head = sentence[begin:first]
            elif head is None:
                lead = f"{lead} , {sentence[begin:stop]}"


def _segments(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in islice(_SPLIT.finditer(sentence), _MOST_SEGMENTS):
        yield begin, match.start()
        begin = match.end()
    yield begin, len(sentence)


def _is_stated(sentence: str, number: Quantity) -> bool:
    """Tell what a sentence states from the years that it only mentions and the versions of what it names (SQuAD 1.1)."""
    if number.unit == "year":
        return _DATED.search(sentence) is not None
    return bool(number.unit) or _VERSION.search(sentence[max(0, number.start - 24) : number.start]) is None


def _frame(key: str, sentence: str, number: Quantity, leading: str, clause: tuple[int, int]) -> _Frame:
    start, end = clause
    own = sentence[start:end]
    context = f"{leading} , {sentence[start : number.start]} {sentence[number.end : end]}"
    named = frozenset(term for name in _names_around(context) for term in terms(name))
    before = _TO_OR_BY.search(sentence[max(start, number.start - 12) : number.start])
    return _Frame(
        key=key,
        sentence=sentence,
        number=number,
        words=frozenset(content(_REPORTING_HAN.sub(" ", without_numbers(context)))) - _LIGHT_WORDS | named,
        names=named,
        subjects=frozenset(_HAN_NAME.findall(context)),
        others=frozenset(other.amount for other in numbers(context)),
        noun=_noun(sentence[number.end : end]),
        way=("" if before is None else "by" if before[3] or before[1] == "by" else before[1] or "to"),
        clause=own,
        near=f"{sentence[max(start, number.start - 20) : number.start]}\0{sentence[number.end : end][:4]}",
        step=_step(sentence[number.start : number.end], number.value),
    )


def _names_around(context: str) -> Iterator[str]:
    """Yield the names, without a label (`Age: 12`) and a first word that may be any word."""
    text = _LABEL.sub("", context, count=1).lstrip(_MARKS)
    first = text.partition(" ")[0].strip(_MARKS)
    return (name for name in names(text) if name != first or not name[1:].islower())


def _noun(following: str) -> str:
    found = _NOUN.match(following)
    if found is None:
        return ""
    return found[2] or next(iter(terms(found[1])), "")


def _step(written: str, value: Decimal) -> Decimal:
    found = next((match for match in _WRITTEN.finditer(written) if match[0]), None)
    if found is None:
        return Decimal(0)
    whole, decimals = (found[1] or "0").replace(",", ""), found[2] or ""
    shown = Decimal(f"{whole}.{decimals or 0}")
    scale = abs(value) / shown if shown else Decimal(1)
    return scale.scaleb(-len(decimals))


def _conflict(one: _Frame, other: _Frame) -> bool:
    if one.number.value == other.number.value or one.sentence == other.sentence or one.others != other.others:
        return False
    if one.noun and other.noun and one.noun != other.noun:
        return False
    if one.way != other.way and {one.way, other.way} != {"", "to"}:
        return False
    if not _is_same_thing(one, other) or denied(one.clause) != denied(other.clause):
        return False
    # whether two values cannot be one value that was rounded, estimated or bounded
    if _BOUND.search(one.near) or _BOUND.search(other.near):
        return False
    difference = abs(one.number.value - other.number.value)
    if difference <= max(one.step, other.step) / 2:
        return False
    largest = max(abs(one.number.value), abs(other.number.value))
    return difference > largest / 10 or not (_NEARLY.search(one.near) or _NEARLY.search(other.near))


def _is_same_thing(one: _Frame, other: _Frame) -> bool:
    shared, extra = one.words & other.words, one.words ^ other.words
    if len(shared) < 2 or not extra.isdisjoint(one.names | other.names):
        return False
    named = shared & (one.names | other.names)
    if not named and one.subjects.isdisjoint(other.subjects):
        return False  # "net profit was 5 million": of whom?
    if not extra:
        return True
    if one.number.unit == "year" or one.key == other.key or len(named) < 2:
        return False
    one_sided = one.words <= other.words or other.words <= one.words
    return one_sided and len(extra) <= 2 and extra.isdisjoint(_QUALIFIERS)
