"""Text in pieces: the terms of keyword search, where sentences end, and the items of a list that stands in one line.

Terms are the same for documents and for questions, in any mixture of languages:
* Unicode folding: compatibility forms, case and accents (`Schön` = `schon`, full-width `ＧＰＴ` = `gpt`).
* English words are stemmed and stop words left out; words of other alphabets stay as they are.
* Scripts written without spaces (Chinese, Japanese, Thai ...) and Korean become pairs of characters, between Chinese question words.
* Compounds give their parts and themselves joined: `GPT-2` -> gpt2 gpt 2, so that `GPT2` finds it and `gpt` does too.
* `C++`, `C#`, `R@5` and `3.14` stay whole; `1,000` is 1000.
"""

import importlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from scholarmind.text.language import HAN, lazy_regex

# -- terms

VERSION = 1  # stored with an index: another version means that the index is rebuilt
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and Han
    "\uac00-\ud7af\u1100-\u11ff\U00020000-\U0003ffff"  # Hangul, rarer Han
)

_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u0610-\u061a\u064b-\u065f\u0670"  # accents and vowel signs that belong to a word
)

_INDIC = "\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"(?:[^\W_{_PAIRED}]|[{_MARKS}{_INDIC}])"
_TOKEN = lazy_regex(
    rf"[{_PAIRED}]+"
    rf"|(?<!\d)\d{{1,3}}(?:,\d\d\d)+(?!\d)(?:\.\d+)?"
    rf"|{_LETTER}+(?:['’]{_LETTER}+|(?:[-‐‑@./_]|\+(?=\w)){_LETTER}+)*(?:\+\+|\#(?!\w))?",
)

_ASCII_TOKEN = lazy_regex(
    r"(?<!\d)\d{1,3}(?:,\d\d\d)+(?!\d)(?:\.\d+)?"
    r"|[a-z0-9]+(?:'[a-z0-9]+|(?:[-@./_]|\+(?=\w))[a-z0-9]+)*(?:\+\+|\#(?!\w))?"
)

_JOINTS = lazy_regex(r"[-‐‑@./_+]")
_APOSTROPHE = lazy_regex(r"['’]")
_ACCENTS = lazy_regex(r"[\u0300-\u036f]")  # not the marks of kana and of Indian scripts, which make other letters
_NOT_LETTERS = {ord(sign): " " for sign in "™℠"}  # compatibility folding would glue TM to the word
_POSSESSIVE = lazy_regex(r"['’]s$")
_DECIMAL = lazy_regex(r"\d+(?:\.\d+)+")
_LONGEST_TERM = 64
_REMEMBERED = 200_000
STOP_WORDS = frozenset(
    "a an and are as at be but by for from had has have he her his if in into is it its me my no not of on or our she so such that the "
    "their them then there these they this to was we were what when where which who whom whose why how will with you your do does "
    "did".split()
)

# 的 and the words that ask: they say nothing of what is asked about (recall@1 on Chinese questions .946 -> .978 without them)
_CHINESE_STOP = lazy_regex(
    "为什么|什么|哪个|哪些|哪里|哪儿|哪位|哪种|多少|如何|怎么|怎样|几个|何时|是谁|是否|谁|哪|吗|呢|的"
)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repeats included."""
    folded = fold(text)
    tokens = (_ASCII_TOKEN if folded.isascii() else _TOKEN).findall(folded)
    return list(chain.from_iterable(map(_known.__getitem__, tokens)))


def spans(text: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield the place of each token in the text as it stands, with its terms; for marking what matched."""
    for match in _TOKEN.finditer(text):
        if _is_paired(text[match.start()]):
            for start, end in _pairs(match[0]):
                place = match.start() + start, match.start() + end
                yield *place, frozenset((fold(text[slice(*place)]),))
        else:
            yield match.start(), match.end(), frozenset(terms(match[0]))


def fold(text: str) -> str:
    """Return the text without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(_NOT_LETTERS)).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def _pairs(run: str) -> Iterator[tuple[int, int]]:
    """Yield where the pairs of a run without spaces are, and where a single character is left alone."""
    begin = 0
    for stop in (*_CHINESE_STOP.finditer(run), None):
        end = stop.start() if stop else len(run)
        if end - begin == 1:
            yield begin, end
        yield from ((start, start + 2) for start in range(begin, end - 1))
        begin = stop.end() if stop else end


class _Known(dict[str, Sequence[str]]):
    """The terms of each token, worked out when it is first met: text repeats itself."""

    def __missing__(self, token: str) -> Sequence[str]:
        if _is_paired(token[0]):
            return tuple(token[start:end] for start, end in _pairs(token))
        if len(token) > _LONGEST_TERM:
            return tuple(_long(token))
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[token] = _terms_of(token)
        return found


_known = _Known()


def _terms_of(token: str) -> tuple[str, ...]:
    if token[0].isdigit():
        token = token.replace(",", "")
    token = _APOSTROPHE.sub("", _POSSESSIVE.sub("", token))
    if token.endswith(("++", "#")) or _DECIMAL.fullmatch(token) or not _JOINTS.search(token):
        return _word(token)
    parts = [term for part in _JOINTS.split(token) for term in _word(part)]
    if "@" in token:
        return (token, *parts)
    joined = () if "/" in token else _word(_JOINTS.sub("", token))
    return (*joined, *parts)


def _word(word: str) -> tuple[str, ...]:
    if not word or word in STOP_WORDS:
        return ()
    return (_stemmer().stemWord(word) if word.isascii() and word.isalpha() else word,)


def _long(token: str) -> Iterator[str]:
    """Cut what no word is: encoded data, or a text without spaces."""
    for part in _JOINTS.split(token):
        if len(part) <= _LONGEST_TERM:
            yield from _word(part)
        else:
            yield from (part[n : n + _LONGEST_TERM] for n in range(0, len(part), _LONGEST_TERM))


@lru_cache(maxsize=4096)
def _is_paired(character: str) -> bool:
    return re.match(rf"[{_PAIRED}]", character) is not None


@cache
def _stemmer() -> Any:
    module: Any = importlib.import_module("Stemmer")  # compiled, and without types
    return module.Stemmer("english")


# -- sentences: linear in the length of the text, whatever it holds

_CITED = (  # what a sentence cites may stand behind its full stop: [3], ^3^, [^3]
    r"(?:\[[\d\^][\w,; –-]{0,20}\]|\^\[?\d[\d,–-]{0,12}\]?\^?|<sup>\[?\d[\d,–-]{0,12}\]?</sup>|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,6})"
)
_SENTENCE_END = re.compile(
    rf"(?P<stop>(?<![.!?])[.!?]++[\"'”’)\]]*+){_CITED}{{0,4}}(?=\s)"  # a full stop counts only before white space
    rf"|[。！？；…]+[”’」』）]*{_CITED}{{0,4}}"
    r"|\n[ \t]*\n\s*"  # an empty line
    r"|\n(?=[ \t]*(?:[-*+•|>]|\d{1,3}[.)]|#{1,6}[ \t]))"  # a new list item, table row, quote or heading
)

_ABBREVIATIONS = frozenset(
    "al approx ca cf ch chap co corp dept dr ed eds eq eqs esp est etc fig figs inc jr ltd mr mrs ms no nos nr op p pp prof ref refs "
    "resp sec sect sr st tab univ vol vols vs".split()
)

_LOOK_BACK = 24


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences between `start` and `end`, trimmed of white space, none empty."""
    stop = len(text) if end is None else end
    begin = start
    for match in _SENTENCE_END.finditer(text, start, stop):
        if match["stop"] == "." and not _ends_sentence(text, match.start(), match.end(), stop):
            continue
        yield from _trimmed(text, begin, match.end())
        begin = match.end()
    yield from _trimmed(text, begin, stop)


def _ends_sentence(text: str, dot: int, after: int, stop: int) -> bool:
    """Tell a full stop from the dot of an abbreviation, an initial or a list number."""
    following = text[after : min(after + 8, stop)].lstrip()[:1]
    if following.islower():
        return False
    word = text[max(0, dot - _LOOK_BACK) : dot].rpartition(" ")[2].lstrip("([\"'“‘\n\t")
    if not word.replace(".", "").isalpha():
        return True
    return not (word.lower() in _ABBREVIATIONS or "." in word or (len(word) == 1 and word.isupper() and word.isascii()))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    body = piece.strip()
    if body:
        first = start + len(piece) - len(piece.lstrip())
        yield first, first + len(body)


# -- the items of a list that stands in one line: "A, B and C", "A、B和C"

_MOST_ITEMS = 200
_BRACKETED = re.compile(r"[(（\[【][^()（）\[\]【】]*[)）\]】]")
_COMMA = re.compile(r"\s*(?:[,，](?!\d{3}(?!\d))|[、;；\n])\s*")
_LAST_JOINT = re.compile(r"\s+(?:and|or|as well as|&)\s+|\s*(?:以及|[和与及或])\s*", re.IGNORECASE)
_JOINT_IN_FRONT = re.compile(r"^(?:and|or|both|as well as|also|以及|[和与及或])\s+", re.IGNORECASE)
_ITEM_EDGES = " \t\r\"'“”‘’.。;；"


def items_of(text: str) -> tuple[str, ...]:
    """Return the items of a list, each once and without what stands in brackets behind it; a single thing is a list of one.

    Where commas divide the list, only the last two items may be joined by "and": "Bosnia and Herzegovina, Serbia" are two.
    """
    masked = _BRACKETED.sub(lambda match: "\ue000" * len(match[0]), text)
    cuts = [match.span() for match in _COMMA.finditer(masked)][:_MOST_ITEMS]
    begin = cuts[-1][1] if cuts else 0
    last = list(_LAST_JOINT.finditer(masked, begin))
    if last and masked[begin : last[-1].start()].strip() and (not cuts or len(last) == 1):
        cuts += [match.span() for match in last]
    ends = [start for start, _ in cuts] + [len(text)]
    found = [text[start:end] for start, end in zip([0, *(end for _, end in cuts)], ends, strict=True)]
    return each_once(map(_tidy_item, found))


def each_once(items: Iterable[str]) -> tuple[str, ...]:
    """Return the items in order without those that only write an earlier one in another way."""
    unique: dict[str, str] = {}
    for item in items:
        unique.setdefault(normal(item), item)
    return tuple(item for key, item in unique.items() if key)


def normal(item: str) -> str:
    """Return an item as it is compared with others: case, spaces and the article do not count."""
    return " ".join(fold(item).split()).removeprefix("the ")


def enumerated(items: Sequence[str]) -> str:
    """Return items as a list in a sentence."""
    if len(items) < 2:
        return "".join(items)
    chinese = any(HAN.search(item) for item in items)
    return ("、" if chinese else ", ").join(items[:-1]) + ("和" if chinese else " and ") + items[-1]


def _tidy_item(item: str) -> str:
    return _JOINT_IN_FRONT.sub("", _BRACKETED.sub(" ", item).strip(_ITEM_EDGES)).strip(_ITEM_EDGES)
