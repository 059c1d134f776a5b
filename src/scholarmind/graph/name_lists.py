"""Lists of names as they stand in sentences: "Foo, the Bar 2 benchmark and Baz", "Foo（91.2%）和Bar". Pure."""

import re

from scholarmind.graph.known import HAN

DATA_NOUN = r"(?:data ?sets?|benchmarks?|corpus|corpora|collections?|database|registry|suite|challenge|leaderboard|cohorts?|tasks?|traces)"
# Foo, eICU, CAsT-19, wav2vec: what has a capital near its beginning, or letters and a digit
_WORD = (
    r"(?:(?:[A-Z]|[a-z]{1,5}(?=[A-Z]))[A-Za-z0-9_+@×-]*(?:[./][A-Za-z][A-Za-z0-9_-]*)*(?:['’]\d\d)?"
    r"|[a-z]{3,}(?=\d)[a-z0-9-]+|[a-z]\d[a-z]\d)"
)
_NUMBER = r"(?:\d{4}|v\d+(?:\.\d)?|\d(?:\.\d)?|\d{1,3}[kKMB])(?![A-Za-z0-9%]|[.,]\d)"
# what may stand before a name: "the", "both", "220,000 proteins from", "the test-clean and test-other sets of"
_LEADING = (
    r"(?:(?!(?:which|that|who|how|what|when|where|it|we|is|are|was|were|has|have|shows?|with|by|than|while|compared|(?:outperform|surpass"
    r"|beat|exceed|improv|achiev|reach|obtain|us)ing)\b)"
    r"(?:[a-z][a-z-]*|\d[\d,.]*[kKMB]?)[ ]){0,6}?"
)
_ITEM = re.compile(rf"{_LEADING}(?P<name>{_WORD}(?:[ ](?:{_WORD}|{_NUMBER}))*)")
_TRAILING = re.compile(
    rf"(?:[ ](?:(?:test|dev|development|validation|training)[ ])?(?:{DATA_NOUN}|sets?|splits?|data))?"
    r"(?:[ ]?(?:数据集|测试集|验证集|语料库?))?(?:[ ]?[(（][^()（）]{1,60}[)）])?(?:[ ]by[ ][\d.]+(?:[ ]?[%x×])?(?:[ ][a-zA-Z]+)?)?"
)
_AND = re.compile(r",?[ ](?:and|or|as well as|&)[ ](?:(?:also[ ])?(?:on|over|to)[ ])?|[ ]?(?:和|与|及|以及|或)[ ]?")
_COMMA = re.compile(r",[ ]|、[ ]?")
_CLOSED = re.compile(r"\s*$|[ ]?[.;:()（）。；：—]|[ ]?[\u4e00-\u9fff]")
# where a name is said by itself; before another noun it only says of what kind that is: "Chinese patients", "Java programs"
_ALONE = re.compile(
    r"\s*$|[ ]?[,.;:()（），。；：、!?\]”\"’—]|[ ][(（±&]|[ ](?:and|or|as|with|by|in|for|from|at|on|of|to|over|under|using|where|when"
    r"|while|which|that|whereas|shows?|demonstrates?|indicates?|confirms?|reveals?|suggests?|but|than|without|after|before|both"
    r"|against|respectively|compared|via|through)\b"
    rf"|[ ]?[{HAN}]"
)
# behind a list it is that of the sentence: "on Foo, Bar and Baz are ..."
_VERB = re.compile(r"[ ](?:is|are|was|were|has|have)\b")
_MOST = 12


def names_listed(
    text: str, start: int, end: int, *, ends_before: re.Pattern[str] | None = None
) -> list[tuple[int, int]]:
    """Return where the names stand of a list that begins here; of what does not end like a list only the first."""
    spans: list[tuple[int, int]] = []
    place, is_last = start, False
    while len(spans) < _MOST and (item := _ITEM.match(text, place, end)):
        after = _end_of(text, item.end(), end)
        if not (_ALONE.match(text, after, end) or (len(spans) < 2 and _VERB.match(text, after, end))):
            break
        if spans and ends_before and ends_before.match(text, after, end):
            break
        spans.append(item.span("name"))
        joint = None if is_last else _AND.match(text, after, end)
        is_last = is_last or joint is not None
        joint = joint or (None if is_last else _COMMA.match(text, after, end))
        if joint is None:
            return spans if is_last or _CLOSED.match(text, after, end) else spans[:1]
        place = joint.end()
    return spans[:1]


def _end_of(text: str, place: int, end: int) -> int:
    """Return where a name ends with all that belongs to it: a noun, a bracket, "by 1.2 points"."""
    trailing = _TRAILING.match(text, place, end)
    return trailing.end() if trailing else place
