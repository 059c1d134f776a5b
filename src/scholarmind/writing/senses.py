"""What a sentence is about, what it denies, and which way it points; and which words turn the sense of another. English and Chinese."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import numbers

_NEGATION = lazy_regex(
    r"\b(?:not|no|never|neither|nor|none|nothing|without|cannot|hardly|barely|unable|fail(?:s|ed)?|lacks?|lacked)\b|n['’]t\b"
    r"|不(?![仅但同断久管少论只妨])|没|未(?!来)|无(?![论疑监])|(?<!除)非(?![常洲])",
    re.IGNORECASE,
)
_TURNING_WORDS = lazy_regex(
    r"\b(?:false|falsely|untrue|wrong|wrongly|incorrect|unlikely|doubtful|denied|denies|disproved|refuted|myth|rarely|seldom|almost|nearly|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|"
    r"thousand|million|billion|trillion|percent|percentage|points?|half|twice|double|triple|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|before|after|until|since|"
    r"first|second|third|last|only|except|less|more|than|if|unless)\b"
    r"|[零一二两三四五六七八九十百千万亿半倍]|错误|谣言|并非|除了|之前|之后|以前|以后|如果|除非",
    re.IGNORECASE,
)
_CLAUSE = lazy_regex(
    r"[,;:，；：。！？!?()（）\n]|\.(?=\s|$)|\b(?:but|and|while|whereas|although|though|because|which|instead)\b|但是?|而且?|因此|所以|虽然|并且"
)
# two lines an axis: words that point one way, and the other; a claim may not have one where its source has only the other
_AXES = """
higher more greater larger bigger increase increased increases exceed exceeds exceeded gain gained rise rises rose grew above highest most
lower less fewer smaller decrease decreased decreases reduce reduced reduces drop dropped falls fell declined below lowest least smallest
better improve improves improved improvement outperform outperforms outperformed best superior
worse worsen worsens worsened degrade degrades degraded underperform underperforms underperformed worst inferior
高于 大于 多于 超过 超越 提升 提高 增加 增长 上升 最高 最大 最多 更高 更多 更大
低于 小于 少于 下降 降低 减少 减小 最低 最小 最少 更低 更少 更小
优于 领先 改善 改进 最好 更好 更优
劣于 不如 不及 落后 恶化 最差 更差
later after 晚于 之后 以后
earlier before 早于 之前 以前
faster quicker quickly fastest rapid rapidly 更快 最快 快于 加快
slower slowly slowest 更慢 最慢 慢于 减慢
longer longest 更长 最长
shorter shortest 更短 最短
easy easier easily simple simpler 容易 简单
difficult harder complex 困难 复杂
cheap cheaper inexpensive 便宜
expensive costly costlier 昂贵
stable stably
unstable instability
supervised 有监督
unsupervised 无监督
positive positively 正相关 正面
negative negatively 负相关 负面
same identical equal 相同 一样
different differs differ 不同
necessary required 必须 必要
unnecessary optional 不必 不必要
maximum maximal maximise maximize
minimum minimal minimise minimize
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    latin: frozenset[str]
    native: tuple[str, ...]


def _side(text: str) -> _Side:
    words = text.split()
    return _Side(
        latin=frozenset(word for word in words if word.isascii()),
        native=tuple(word for word in words if not word.isascii()),
    )


_LINES = _AXES.strip().splitlines()
_SIDES = tuple(zip(map(_side, _LINES[::2]), map(_side, _LINES[1::2]), strict=True))
_LATIN_WORD = lazy_regex(r"[A-Za-z]+(?:-[a-z]+)*")
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
TOUCHED = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedWords:
    """The terms of a text, the single Chinese characters, the clauses that it denies, and which way it points."""

    terms: frozenset[str]
    characters: frozenset[str]
    denied: tuple[tuple[frozenset[str], int], ...]  # with how many negations they have
    directions: tuple[int, ...]  # on each axis: 1, -1, 0 for neither, 2 for both

    def agrees_with(self, near: Sequence["SignedWords"], touched: float = TOUCHED) -> bool:
        """Tell whether this denies what the others deny, and does not go down where they only go up, or the reverse.

        What they deny concerns this if it has so much of the words (`touched`) of what is denied.
        """
        theirs = [clause for words in near for clause in words.denied]
        for terms_denied, count in self.denied:
            if not any(_share(terms_denied, clause) >= 0.5 and count == number for clause, number in theirs):
                return False
        for clause, number in theirs:
            mine = (_share(clause, terms_denied) for terms_denied, count in self.denied if count == number)
            if clause and _share(clause, self.terms) >= touched and max(mine, default=0.0) < 0.5:
                return False
        return not any(
            sign in {1, -1} and all(other in {0, -sign} for other in others) and any(others)
            for sign, *others in zip(self.directions, *(words.directions for words in near), strict=True)
        )


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 1.0


@lru_cache(maxsize=2048)
def words_of(text: str) -> SignedWords:
    """Read a text once, however often it is compared."""
    return SignedWords(
        terms=frozenset(content(without_numbers(text))),
        characters=frozenset(HAN.findall(text)),
        denied=tuple(
            (frozenset(content(_NEGATION.sub(" ", clause))), count)
            for clause in _CLAUSE.split(text)
            if (count := denied(clause))
        ),
        directions=_directions(text),
    )


def _directions(text: str) -> tuple[int, ...]:
    latin = {word.lower() for word in _LATIN_WORD.findall(text)}
    signs: list[int] = []
    for one, other in _SIDES:
        up, down = (
            not side.latin.isdisjoint(latin) or any(word in text for word in side.native) for side in (one, other)
        )
        signs.append(2 if up and down else up - down)
    return tuple(signs)


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


def covered(wanted: SignedWords, given: SignedWords) -> float:
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


def missing(found: Sequence[str], given: SignedWords) -> int:
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


def _is_given(name: str, given: SignedWords) -> bool:
    found = list(content(name))
    if not found or found[0] in given.terms:
        return True
    return len(found) == len(terms(name)) and given.terms.issuperset(found[1:] or found)  # GPT-2 is not GPT


def turns(rest: str, *, replaces: bool) -> bool:
    """Tell whether what a claim has beside a quote may change its sense: added to a whole sentence, or in place of a part of one."""
    if not any(map(str.isalnum, rest)):
        return False
    if any(map(str.isdigit, rest)) or _NEGATION.search(rest) or _TURNING_WORDS.search(rest):
        return True
    words = words_of(rest)
    if any(words.directions):
        return True
    return replaces and (len(names(f"x {rest}")) > 0 or len(_LIGHT_HAN.sub("", "".join(HAN.findall(rest)))) > 1)
