"""How alike two titles are, and whether two lists of authors share anybody. Pure, and quick enough for many thousands of pairs.

A misprint, a lost ligature or a word broken at a line's end leaves most of a word in place; another word, another number or an
"Erratum to" makes another work, however few letters that is. So words that both have are set aside first, and what is left on both
sides has to look like misprints of each other.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scholarmind.text.language import lazy_regex

ALIKE = 0.9  # from here on two titles are the same
_OTHER_WORK = 0.85  # at most, where the numbers differ or one is about the other
_PART = 0.95  # times the likeness, where one title has a subtitle more
_MISPRINT = 0.8  # what is left over is as alike as this, or it is something else
_SHORT_MISPRINT = 0.6  # where it is only a short word
_SHORT_REST = 8
_NATIVE_WEIGHT = 4  # in Chinese, Japanese and Korean a character is a word
_LONGEST = 1_000
_MOST_NAMES = 60  # of the authors, who can be thousands
_LONGEST_LETTERS = 400
_SHORTEST_GLUED = 4
_SHORTEST_PART = 20
_SHORTEST_NATIVE_PART = 8
_WORD = lazy_regex(r"[^\W_]+")
_NATIVE = lazy_regex(
    r"[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_NUMBER = lazy_regex(r"\d+")
_FOOTNOTE_MARK = lazy_regex(r"(?<=[^\W\d_]{4})\d$")  # set high behind the last word, it is read as part of it
_JOINT = lazy_regex(r"\s*:\s+|\s*[：；–—]\s*|\s+-{1,3}\s+|(?<=[?!])\s+|(?<=[？！。])|(?<=[^\W\d_]{3})\.\s+|\s*\n\s*")
_ROMAN = frozenset("ii iii iv vi vii viii ix xi xii xiii".split())
_ABOUT = frozenset(
    "erratum errata corrigendum correction corrections retraction retracted reply rejoinder comment comments response discussion "
    "revisited supplement supplementary supplemental appendix addendum slides poster 勘误 更正 附录".split()
)
_GENERIC = frozenset(
    "introduction editorial preface foreword contents tableofcontents abstract abstracts references bibliography index appendix "
    "annualreport annualreview report finalreport technicalreport research paper article bookreview bookreviews review reviews letter "
    "letters lettertotheeditor letterstotheeditor correspondence news newsandviews obituary erratum corrigendum discussion conclusion "
    "conclusions summary executivesummary acknowledgements acknowledgments untitled supplementarymaterial supplementarymaterials "
    "supplementaryinformation supportinginformation supplement guesteditorial editorsnote fromtheeditor frontmatter backmatter "
    "proceedings thesis dissertation lecturenotes slides notes "
    "引言 前言 序言 目录 摘要 绪论 参考文献 年度报告 编者按 社论 综述 附录".split()
)
_YEAR_OF_REPORT = lazy_regex(r"\d+")


@dataclass(frozen=True, slots=True)
class Title:
    """A title made ready to be compared: its letters, its words, what tells it from its neighbours, and itself without a subtitle."""

    letters: str
    words: tuple[str, ...]
    signs: tuple[str, ...]  # numbers, and words that say that it is about another work
    native: bool
    parts: tuple["Title", ...] = ()

    @property
    def names_a_work(self) -> bool:
        """Whether the title is one work's own; "Introduction" and "Annual report 2019" are not."""
        return bool(self.letters) and _YEAR_OF_REPORT.sub("", self.letters) not in _GENERIC


@lru_cache(maxsize=20_000)
def title_of(text: str) -> Title:
    """Make a title ready."""
    text = text[:_LONGEST].strip()
    whole = _plain(text)
    joints = list(_JOINT.finditer(text))
    if not joints:
        return whole
    cuts = {(joints[0].start(), joints[0].end()), (joints[-1].start(), joints[-1].end())}
    parts = [part for start, end in sorted(cuts) for part in _halves(text[:start], text[end:])]
    return Title(whole.letters, whole.words, whole.signs, whole.native, tuple(parts))


def similarity(one: str, other: str) -> float:
    """Return how alike two titles are, from 0 to 1; a missing subtitle costs little."""
    return likeness(title_of(one), title_of(other))


def likeness(one: Title, other: Title) -> float:
    """Return the same for titles that were made ready."""
    whole = whole_likeness(one, other)
    if whole >= _PART:
        return whole
    partly = [whole_likeness(part, other) for part in one.parts] + [whole_likeness(one, part) for part in other.parts]
    return max(whole, _PART * max(partly, default=0.0))


def whole_likeness(one: Title, other: Title) -> float:
    """Return how alike the titles are with all that they have."""
    if not one.letters or not other.letters:
        return 0.0
    if one.letters == other.letters:
        return 1.0
    score = _native_ratio(one, other) if one.native or other.native else _word_ratio(one, other)
    return score if one.signs == other.signs else min(score, _OTHER_WORK)


def share_people(some: Sequence[str], others: Sequence[str]) -> bool | None:
    """Tell whether a family name of one list is in the other; None where one of them names nobody."""
    here, there = tuple(some[:_MOST_NAMES]), tuple(others[:_MOST_NAMES])
    first, second = _family_names(here), _family_names(there)
    if not first or not second:
        return None
    return bool(first & _words_of_names(there) or second & _words_of_names(here))


def _plain(text: str) -> Title:
    folded = text.lower() if text.isascii() else _folded(text)
    words = tuple(_WORD.findall(folded))
    letters = "".join(words)[:_LONGEST_LETTERS]
    counted = (*words[:-1], _FOOTNOTE_MARK.sub("", words[-1])) if words else ()
    signs = [number for word in counted for number in _NUMBER.findall(word)]
    signs += [word for word in counted if word in _ROMAN or word in _ABOUT]
    native = not letters.isascii() and 2 * len(_NATIVE.findall(letters)) > len(letters)
    return Title(letters, words, tuple(sorted(signs)), native)


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in folded if not unicodedata.combining(character))


def _halves(head: str, tail: str) -> Iterator[Title]:
    """Yield the half that could stand for the whole: what is left out must not be what tells it from another work."""
    first, second = _plain(head), _plain(tail)
    for kept, left_out in ((first, second), (second, first)):
        shortest = _SHORTEST_NATIVE_PART if kept.native else _SHORTEST_PART
        if len(kept.letters) >= shortest and not left_out.signs:
            yield kept


def _native_ratio(one: Title, other: Title) -> float:
    length = len(one.letters) + len(other.letters)
    return max(0.0, 1 - _NATIVE_WEIGHT * (1 - 2 * _common(one.letters, other.letters) / length))


def _word_ratio(one: Title, other: Title) -> float:
    more, fewer = (one, other) if len(one.words) >= len(other.words) else (other, one)
    rest, left = _left_over(more, fewer)
    length = len(one.letters) + len(other.letters)
    remaining = len(rest) + len(left)
    common = 2 * _common(rest, left)
    if common >= (_SHORT_MISPRINT if remaining <= _SHORT_REST else _MISPRINT) * remaining:
        return 1 - (remaining - common) / length
    replaced = 2 if rest and left else 1
    return max(0.0, 1 - replaced * remaining / length)


def _left_over(more: Title, fewer: Title) -> tuple[str, str]:
    """Return the letters of both that are in no word that both have; the words of one may be glued together."""
    shared = Counter(more.words) & Counter(fewer.words)
    rest, others = _without(more.words, shared), _without(fewer.words, shared)
    left = " ".join(others)
    glued: Counter[str] = Counter()
    for word in sorted((word for word in rest if len(word) >= _SHORTEST_GLUED), key=len, reverse=True):
        if word in left:
            left = left.replace(word, " ", 1)
            glued[word] += 1
    return "".join(_without(rest, glued))[:_LONGEST_LETTERS], left.replace(" ", "")[:_LONGEST_LETTERS]


def _without(words: Iterable[str], taken: Counter[str]) -> list[str]:
    remaining = Counter(taken)
    kept: list[str] = []
    for word in words:
        if remaining[word] > 0:
            remaining[word] -= 1
        else:
            kept.append(word)
    return kept


def _common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, a row of the table at a time in the bits of a number (Hyyrö 2004)."""
    if not one or not other:
        return 0
    places: dict[str, int] = {}
    for place, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << place
    every = row = (1 << len(one)) - 1
    for character in other:
        hits = row & places.get(character, 0)
        row = (row + hits | row - hits) & every
    return len(one) - row.bit_count()


@lru_cache(maxsize=4_096)
def _family_names(names: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for name in names:
        words = [word for word in _WORD.findall(_folded(name.partition(",")[0])) if len(word) > 1]
        found.update(words[-1:])
    return found


@lru_cache(maxsize=4_096)
def _words_of_names(names: tuple[str, ...]) -> set[str]:
    return {word for name in names for word in _WORD.findall(_folded(name)) if len(word) > 1}
