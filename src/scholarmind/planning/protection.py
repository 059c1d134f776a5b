"""What must not be cut: quotes, titles, names, idioms, code. They are masked, character by character, before any rule looks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from scholarmind.model import Name
from scholarmind.planning.question_words import FUNCTION, MONTHS
from scholarmind.text.language import lazy_regex

NAME_MARK = "\ue000"  # stands for a character of a name, title or quote
QUIET_MARK = "\ue001"  # stands for a character of an idiom, of code, of what is in brackets
REFERENCE = 0xE100  # the first of the characters that stand for the answer of another part
REFERENCES = lazy_regex(r"[\ue100-\uf8ff]")
_OURS = lazy_regex(r"[\ue000-\uf8ff]")
_MOST_NAMES = 60
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HALF_WIDTH = lazy_regex(rf"(?<=[{_HAN}]) ?[,;:?!](?!\d)\s?|[,;:?](?=[{_HAN}])")
_FULL_WIDTH = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
_CHINESE_SPACE = lazy_regex(rf"(?<=[{_HAN}]{{2}}) +(?=[{_HAN}]{{2}})")
_QUOTES = lazy_regex(
    r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|(?<!\w)‘[^’\n]{1,200}’(?!\w)|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
    r"|《[^》\n]{1,100}》|「[^」\n]{1,100}」|『[^』\n]{1,100}』"
)

_CODE = lazy_regex(
    r"`[^`\n]{1,200}`|https?://[^\s，。；？]{1,400}|<[^<>\n]{1,100}>|\$[^$\n]{1,100}\$|\((?!\d{1,2}\)"
    r"|[a-h]\))[^()\n]{1,160}\)|（(?!\d{1,2}）|[一二三四五六七八九十]）)[^（）\n]{1,160}）|\[[^\[\]\n]{3,160}\]"
)

_SHOUTED = lazy_regex(r"[A-Z]+(?![A-Z0-9-])")  # where all is in capitals, small words are small again
_CHINESE_WORDS = lazy_regex(
    r"共和国|共和党|饱和|总和|温和|和平|和谐|缓和|中和|和解|柔和|求和|和弦|和声|大和|昭和|亲和|和服|和尚|与否|与其|参与|给与|赋与|与会|与时俱进|与众不同|及时|及格|普及|涉及|以及其|埃及|危及|来不及|波及|触及|跟踪|跟随|脚跟"
)


@dataclass(frozen=True)
class MaskedLine:
    """A piece of a question beside its masked copy of the same length: rules match on `mask` and take their words from `text`."""

    text: str
    mask: str

    def piece(self, start: int, end: int | None = None) -> str:
        """Return the words between two places, trimmed."""
        return self.text[start:end].strip(" ,;，；、\n\t")

    @cached_property
    def tokens(self) -> tuple["MaskedToken", ...]:
        """The words of the masked text, with punctuation apart."""
        return tuple(_token(match) for match in _TOKEN.finditer(self.mask))


@dataclass(frozen=True, slots=True)
class MaskedToken:
    """A word of a line: its place, itself in small letters, and whether it looks like (part of) a name."""

    start: int
    end: int
    word: str
    name: bool
    capital: bool


_TOKEN = lazy_regex(r"[^\s,;:?!，；：？！、]+|[,;:?!，；：？！、]")


def _token(match: re.Match[str]) -> MaskedToken:
    return MaskedToken(match.start(), match.end(), *_look(match[0]))


@lru_cache(maxsize=4096)
def _look(found: str) -> tuple[str, bool, bool]:
    """Return a word in small letters, whether it looks like a name, and whether it is capital."""
    word = found.lower()
    bare = word.strip(".()'’\"")
    plain = bare in FUNCTION or re.split("['’]", bare, maxsplit=1)[0] in FUNCTION or (bare in MONTHS and bare != "may")
    mixed = any(character.isupper() for character in found[1:]) or (found[:1].isupper())
    digits = any(map(str.isdigit, found)) and any(map(str.isalpha, found)) and not found[:-2].isdigit()
    marked = NAME_MARK in found or bool(REFERENCES.search(found))
    return word, marked or ((mixed or digits) and not plain), marked or found[:1].isupper()


def cleaned(text: str) -> str:
    """Return the text without the characters that the rules use as marks."""
    return _OURS.sub(" ", text)


def full_width(text: str) -> str:
    """Return a Chinese text with the marks between its clauses as they are printed: a space or `,` there is `，`."""
    marked = _HALF_WIDTH.sub(lambda match: _FULL_WIDTH[match[0].strip()], text)
    return _CHINESE_SPACE.sub("，", marked)


class Protector:
    """Makes the masked copy of any piece of one question; knows the names that the library has for it."""

    def __init__(self, names: Sequence[Name] = ()) -> None:
        given = sorted({name.text for name in names if len(name.text) > 1}, key=len, reverse=True)[:_MOST_NAMES]
        self._lines: dict[str, MaskedLine] = {}
        self._names = re.compile("|".join(map(_whole, given))) if given else None

    def line(self, text: str) -> MaskedLine:
        """Return the text with its masked copy; asked again, the same."""
        if text not in self._lines:
            self._lines[text] = self._masked(text)
        return self._lines[text]

    def _masked(self, text: str) -> MaskedLine:
        mask = _SHOUTED.sub(_lowered, text) if text.isupper() and " " in text else text
        if self._names:
            mask = self._names.sub(_named, mask)
        mask = _CODE.sub(_quiet, _QUOTES.sub(_named, mask))
        if not mask.isascii():
            mask = _CHINESE_WORDS.sub(_quiet, mask)
        return MaskedLine(text, mask)


def _whole(name: str) -> str:
    escaped = re.escape(name)
    return rf"(?<!\w){escaped}(?!\w)" if name.isascii() else escaped


def _named(match: re.Match[str]) -> str:
    return NAME_MARK * len(match[0])


def _quiet(match: re.Match[str]) -> str:
    return QUIET_MARK * len(match[0])


def _lowered(match: re.Match[str]) -> str:
    return match[0].lower() if match[0].lower() in FUNCTION else match[0]
