"""What type of answer a question asks for, by its words. English and Chinese, linear time, no model."""

import re
from dataclasses import dataclass
from typing import Literal

from scholarmind.text.analysis import STOP_WORDS
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.writing.words import KIND_OF_NOUN, NAMED_NOUNS

WantedKind = Literal[
    "person",
    "place",
    "organisation",
    "date",
    "number",
    "title",
    "thing",
    "yes or no",
    "description",
    "reason",
]
_SHORT = frozenset(("person", "place", "organisation", "date", "number", "title"))
_LONGEST = 1_000  # what comes after says nothing of the type any more
_WORD = lazy_regex(r"[a-z0-9]+(?:[-'’][a-z0-9]+)*")
_RELATION = lazy_regex(r"^(?P<subject>.{1,500}?) >> (?P<relation>[^>]{1,200})$")
_KIND_OF_WORD: dict[str, WantedKind] = {
    "who": "person",
    "whom": "person",
    "whose": "person",
    "where": "place",
    "when": "date",
    "why": "reason",
}
_ASKING = frozenset("who whom whose where when which what how why".split())
_AUXILIARIES = frozenset(
    "is are was were do does did has have had can could will would should may might must am isn't aren't wasn't".split()
)
_NOT_NOUNS = (
    _AUXILIARIES | STOP_WORDS | frozenset("most least first last main current only other many much long".split())
)
_PREPOSITIONS = frozenset(
    "of in on at by for from to with before after during since until between among about under over near".split()
)
_ENDING_A_PHRASE = _AUXILIARIES | STOP_WORDS | _PREPOSITIONS
_LISTING = frozenset("list name enumerate give".split())
_HOW_NUMBER = frozenset(
    "many much long far tall high big large old fast deep wide heavy often hot cold expensive few small accurate".split()
)
_PERSON_RELATIONS = frozenset("father mother spouse child sibling author director producer composer performer".split())
_CHINESE: tuple[tuple[str, str], ...] = (
    ("reason", "为什么|为何|原因是|何以|为啥"),
    ("person", "是谁|谁|何人|哪位|哪个人|什么人"),
    ("date", "何时|什么时候|什么时间|哪一年|哪年|哪天|几月|几号|多久以前|何年|哪一天|几几年"),
    ("number", "多少|几[个位名种次年天岁条部层座所人篇项倍间]|多[大长高远久深重宽快]|百分之几|第几"),
    ("place", "哪里|哪儿|何处|何地|什么地方|在哪"),
    ("yes or no", "吗|是否|是不是|有没有|能否|能不能"),
    ("description", "如何|怎么|怎样|什么是|介绍|解释|说明|描述"),
)
_CHINESE_CUES = tuple((kind, lazy_regex(cue)) for kind, cue in _CHINESE)
_CHINESE_NOUN = lazy_regex(
    r"(?:哪[一些个种家所座部本篇]{0,2}|什么|何种|哪)(?:类型的|样的|种类的|性质的)?(?P<noun>[\u3400-\u9fff]{1,4})"
)
_CHINESE_WHAT = lazy_regex(r"(?P<noun>[\u3400-\u9fff]{2,6})(?:是|为|叫|有|包括|分别是)(?:什么|哪|多少)")
_UNIT_AFTER = lazy_regex(r"(?:多少|几)(?P<unit>[\u3400-\u9fff]{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What would answer: the kind of thing, the noun it is asked by ("dataset"), the unit of a number, and whether several."""

    kind: WantedKind
    noun: str = ""
    unit: str = ""
    many: bool = False

    @property
    def is_short(self) -> bool:
        """Whether a name, a date or a number answers it."""
        return self.kind in _SHORT or self.noun in NAMED_NOUNS


def wanted(question: str) -> Wanted:
    """Return the type of answer that a question asks for."""
    text = question[:_LONGEST].strip()
    if match := _RELATION.match(text):
        return _of_relation(match["relation"])
    words = _WORD.findall(text.lower())
    if HAN.search(text) and not _ASKING & set(words):
        return _chinese(text)
    return _english(words)


def relation_as_words(question: str) -> str:
    """Return a question in relation notation ("Hamlet >> author") in plain words, any other as it is."""
    match = _RELATION.match(question[:_LONGEST].strip())
    return f"{match['relation']} of {match['subject']}" if match else question


def _of_relation(relation: str) -> Wanted:
    words = _WORD.findall(relation.lower())
    if not words:
        return Wanted(kind="thing")
    noun = next((word for word in words if word in _PERSON_RELATIONS), "")
    if noun:
        return Wanted(kind="person", noun=noun)
    noun = next((word for word in (words[0], *reversed(words)) if word in KIND_OF_NOUN), "")
    if noun in ("located", "location") or words[0] in ("located", "location", "place"):
        return Wanted(kind="place", noun=noun)
    if words[0] == "educated":
        return Wanted(kind="organisation", noun="university")
    return Wanted(kind=_kind(noun), noun=noun or words[-1])


def _kind(noun: str) -> WantedKind:
    return KIND_OF_NOUN.get(noun, "thing")  # pyright: ignore[reportReturnType]  # the table holds these words only


def _english(words: list[str]) -> Wanted:
    place = next((n for n, word in enumerate(words) if word in _ASKING), None)
    if place is None:
        return _without_question_word(words)
    word, after = words[place], words[place + 1 :]
    if place and words[0] in _AUXILIARIES and word not in ("how", "why"):
        return Wanted(kind="yes or no")
    if word in _KIND_OF_WORD:
        return Wanted(kind=_KIND_OF_WORD[word], many=bool({"are", "were"}.intersection(after[:1])))
    return _how(after) if word == "how" else _what(after)


def _without_question_word(words: list[str]) -> Wanted:
    if words and words[0] in _AUXILIARIES:
        return Wanted(kind="yes or no")
    noun = next((word for word in words if word in KIND_OF_NOUN), "")
    if words and words[0] in _LISTING:
        return Wanted(kind=_kind(_singular(words[-1])), many=True)
    if words and words[0] in ("explain", "describe", "discuss", "summarize", "summarise"):
        return Wanted(kind="description")
    return Wanted(kind=_kind(noun), noun=noun)


def _how(after: list[str]) -> Wanted:
    if not after or after[0] not in _HOW_NUMBER:
        return Wanted(kind="description")
    unit = next((word for word in after[1:4] if word not in _NOT_NOUNS), "") if after[0] in ("many", "few") else ""
    return Wanted(kind="number", unit=unit)


def _what(after: list[str]) -> Wanted:
    """Read the noun: right after "what", or the first one after the verb ("what is the name of the airport")."""
    nouns = _noun_phrase(after)
    if not nouns:
        return _what_is(after)
    return _by_noun(nouns)


def _noun_phrase(after: list[str]) -> list[str]:
    found: list[str] = []
    for word in after[:4]:
        if word in _AUXILIARIES or word in STOP_WORDS:
            break
        found.append(word)
    return found


def _by_noun(nouns: list[str]) -> Wanted:
    known = next((noun for noun in reversed(nouns) if _singular(noun) in KIND_OF_NOUN), "")
    noun = known or nouns[0]
    single = _singular(noun)
    kind = KIND_OF_NOUN.get(noun) or KIND_OF_NOUN.get(single, "thing")
    return Wanted(kind=kind, noun=single, many=single != noun and kind != "number")  # pyright: ignore[reportArgumentType]


def _what_is(after: list[str]) -> Wanted:
    if not after or after[0] not in _AUXILIARIES:
        return Wanted(kind="thing")
    if after[0] in ("did", "does", "do"):
        return Wanted(kind="thing")
    rest = [word for word in after[1:10] if word not in ("the", "a", "an")]
    if rest[:2] in (["term", "for"], ["word", "for"], ["acronym", "for"]):
        return Wanted(kind="thing", noun=rest[0])
    if rest[:2] in (["name", "of"], ["names", "of"], ["kind", "of"], ["type", "of"]):
        rest = rest[2:]
    head = [word.removesuffix("'s").removesuffix("’s") for word in _until_preposition(rest)]
    if len(head) > 1 and head[-1] == "name":
        head.pop()
    if not head:
        return Wanted(kind="thing")
    single = _singular(head[-1])
    kind = KIND_OF_NOUN.get(head[-1]) or KIND_OF_NOUN.get(single, "")
    if not kind and len(rest) == len(head) and len(after) <= 6:
        return Wanted(kind="description", noun=single)
    return Wanted(kind=kind or "thing", noun=single, many=after[0] in ("are", "were"))  # pyright: ignore[reportArgumentType]


def _until_preposition(words: list[str]) -> list[str]:
    stop = next((n for n, word in enumerate(words) if word in _ENDING_A_PHRASE), len(words))
    return words[:stop]


def _singular(word: str) -> str:
    if word in KIND_OF_NOUN or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _chinese(text: str) -> Wanted:
    kind, at = _first_cue(text)
    named = _CHINESE_NOUN.search(text)
    unit = _UNIT_AFTER.search(text)
    noun, typed = _chinese_noun(text, named)
    many = "哪些" in text or "分别" in text or "哪几" in text
    if kind == "number":
        return Wanted(kind="number", noun=noun, unit=unit["unit"] if unit else "")
    if kind and not (typed and named and named.start() < at) and kind != "yes or no":
        return Wanted(kind=kind, noun=noun, many=many)  # pyright: ignore[reportArgumentType]
    if typed:
        return Wanted(kind=_kind(typed), noun=typed, many=many)
    if kind:
        return Wanted(kind=kind, many=many)  # pyright: ignore[reportArgumentType]
    return Wanted(kind="thing", noun=noun, many=many)


def _first_cue(text: str) -> tuple[str, int]:
    for kind, cue in _CHINESE_CUES:
        if match := cue.search(text):
            return kind, match.start()
    return "", len(text)


def _chinese_noun(text: str, named: re.Match[str] | None) -> tuple[str, str]:
    """Return the noun that is asked by, and the known one within it: its longest ending or beginning that the table has."""
    match = named or _CHINESE_WHAT.search(text)
    if match is None:
        return "", ""
    run = match["noun"]
    pieces = [run[:n] for n in range(len(run), 0, -1)] if named else [run[n:] for n in range(len(run))]
    return run, next((piece for piece in pieces if piece in KIND_OF_NOUN), "")
