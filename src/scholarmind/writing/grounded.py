"""Whether the answer of a model stands in the passages that it was shown: its names, numbers and dates, and most of its other words."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from scholarmind.text.analysis import fold, terms
from scholarmind.text.dates import Date, dates
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.quantities import Quantity, numbers
from scholarmind.writing.senses import covered, missing, names, without_numbers, words_of

_LEAST = 0.6  # of the words that are no names: answers may be put in other words, not in other words throughout
_BETWEEN = lazy_regex(r"[,，、;；\n]|\b(?:and|or)\b|&|以及|[和与及或]")
_YES_OR_NO = lazy_regex(r"(?:yes|no|true|false|是的?|不是|否|对|不对|有|没有)(?:\s*[,，.。:：]\s*|\s*$)", re.IGNORECASE)
_QUALIFIER = lazy_regex(
    r"(?:about|approximately|around|because(?: of)?|circa|due to|roughly|since|until|约|大约|因为|由于|自)\s*\b",
    re.IGNORECASE,
)
_OPENER = lazy_regex(
    r"(?:According|Additionally|Although|Another|Because|Both|Compared|Conversely|Despite|Finally|Furthermore|However|Instead|Meanwhile|"
    r"Moreover|Neither|Notably|Other|Others|Overall|Several|Similarly|Since|Some|Specifically|Therefore|Though|Thus|Together|Unlike|"
    r"Whereas|While)\b"
)
_COUNT_WORDS = "two three four five six seven eight nine ten eleven twelve"
_COUNTS = {
    **{word: str(number) for number, word in enumerate(_COUNT_WORDS.split(), 2)},
    **{han: str(number) for number, han in enumerate("一二三四五六七八九十", 1)},
    "两": "2",
}
_COUNT = lazy_regex(
    rf"\b(?:{_COUNT_WORDS.replace(' ', '|')})\b"
    r"|(?<![第零一二两三四五六七八九十百千万亿])[一二两三四五六七八九十](?=[个种项层类次步倍篇位名组块条年月天段])",
    re.IGNORECASE,
)


def is_yes_or_no(answer: str) -> bool:
    """Tell whether an answer is no more than yes or no, of which nothing could stand in a passage."""
    return _YES_OR_NO.fullmatch(answer.strip()) is not None


def stands_in(answer: str, passages: Sequence[str]) -> bool:
    """Tell whether a short answer stands in one of the passages; the items of a list may stand in several."""
    said = answer.strip()
    if opening := _YES_OR_NO.match(said):
        said = said[opening.end() :]
    if opening := _QUALIFIER.match(said):
        said = said[opening.end() :]
    given = list(map(in_digits, passages))
    if _is_in_one(said, given):
        return True
    items = [item for item in _BETWEEN.split(said) if item.strip()]
    return len(items) > 1 and all(_is_in_one(item, given) for item in items)


def is_drawn_from(text: str, passages: Sequence[str]) -> bool:
    """Tell whether every name, number and date of some sentences stands in the passages, wherever in them."""
    given = in_digits("\n\n".join(passages))
    return all(_has_facts(in_digits(sentence), given) for sentence in _sentences(text))


def _sentences(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        yield _OPENER.sub(lambda opener: opener[0].lower(), text[start:end], count=1)


def _is_in_one(answer: str, given: Sequence[str]) -> bool:
    wanted = in_digits(answer).strip()
    return any(_is_in(wanted, passage) for passage in given)


def _is_in(wanted: str, given: str) -> bool:
    if not any(map(str.isalnum, wanted)):
        return False
    if not any(map(str.isdigit, wanted)) and _is_literally_in(wanted, given):
        return True
    if not terms(wanted):
        return False  # words for the grammar alone, such as IT, must stand there as they are
    return _has_facts(wanted, given) and _share(_without_dates(wanted), given) >= _LEAST


def _share(text: str, given: str) -> float:
    """Return which share of the words is given; numbers are no words. In a short Chinese answer every character matters."""
    if not HAN.search(text):
        words = words_of(text)
        return covered(words, words_of(given)) if words.terms else 1.0
    wanted, known = set(terms(without_numbers(text))), _terms_of(given)
    found = sum(term in known or (len(term) == 1 and term in given) for term in wanted)
    return found / len(wanted) if wanted else 1.0


@lru_cache(maxsize=64)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _is_literally_in(wanted: str, given: str) -> bool:
    said, text = " ".join(fold(wanted).split()), " ".join(fold(given).split())
    if HAN.search(said):
        return said in text
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None


def _has_facts(wanted: str, given: str) -> bool:
    """Tell whether the names, the numbers and the dates of a text stand in another; a date may be written in another form."""
    known = list(dates(given))
    if not all(any(_is_told_by(date, other) for other in known) for date in dates(wanted)):
        return False
    rest = _without_dates(wanted)
    if missing(names(rest), words_of(given)):
        return False
    amounts, years = numbers(given), {Decimal(date.year) for date in known if date.year}
    return all(number.value in years or any(_is_same(number, other) for other in amounts) for number in numbers(rest))


def _is_told_by(date: Date, other: Date) -> bool:
    """Tell whether a date is another one, or a less exact form of it."""
    pairs = ((date.year, other.year), (date.month, other.month), (date.day, other.day))
    return all(mine is None or mine == theirs for mine, theirs in pairs)


def _is_same(number: Quantity, other: Quantity) -> bool:
    """Tell whether two numbers are one; units may be left out, as short answers and tables do."""
    units = {number.unit, other.unit} - {"", "year"}
    return number.value == other.value and len(units) <= 1


def _without_dates(text: str) -> str:
    for date in reversed(list(dates(text))):
        text = f"{text[: date.start]} {text[date.end :]}"
    return text


def in_digits(text: str) -> str:
    """Return the text with small numbers in digits that it has in words."""
    return _COUNT.sub(lambda count: _COUNTS[count[0].lower()], text)
