"""Where a sentence names methods, data sets, metrics and tasks: by names that are known, and by how names look. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scholarmind.graph import patterns_chinese, patterns_english
from scholarmind.graph.known import HAN, Known, Word, key_of, words_of
from scholarmind.graph.lexicon import lexicon
from scholarmind.relations import NodeKind, Thing

# what may follow a name and makes it that of a variant: GPT-3 175B, ERNIE 1.0, Llama 2 70B, Claude 3.5 Sonnet
_SIZE = r"(?:\d+(?:\.\d+)?[BMbm]|\d+x\d+[BMbm]|[vV]\d+(?:\.\d+)?)(?![\w-])"
_WORD_OF_SIZE = (
    r"(?:[Bb]ase|[Ll]arge|[Ss]mall|[Mm]edium|[Tt]iny|[Mm]ini|[Hh]uge|[Xx]{1,2}-?[Ll](?:arge)?|xlarge|xxlarge)(?![\w-])"
)
_VARIANT = re.compile(
    rf"[ ](?:{_SIZE}|\d(?:\.\d)?(?![\w.%-]|,\d)(?:[ ](?:{_SIZE}|Sonnet|Opus|Haiku))?|(?=[A-Z]){_WORD_OF_SIZE})"
)
_VARIANT_PART = re.compile(rf"[-‐‑/](?:{_WORD_OF_SIZE}|[A-Z0-9][\w.]*)(?:[-/]\w+)*$")
# a name that nobody knows, by its look: two capitals, or a capital and a digit
LOOKS_NAMED = re.compile(r"(?=.*[A-Z])(?=.*(?:[A-Z].*[A-Z]|\d|\+\+$))[A-Za-z][\w.+/@&×‐‑-]+$")
NOT_METHODS = re.compile(
    r"(?:[A-Z]?PUs?(?:v\d)?|TPUv\d.*|[VAHPT]\d{1,3}s?|[GMTK]i?B|[A-Z]?FLOPs?(?:/s)?|[FB]P?F?\d{1,2}|INT\d|[A-Z]BM|S?RAM|KV|AI|ML|NLP|API"
    r"|US|UK|EU|USA|PhD|CEO|ID|URL|PDF|HTML|JSON|XML|OK|TV|DNA|RNA|CUDA|SOTA|NO|.*-AI|X{0,2}L|[IVX]+|[A-Z]\d?|[A-Z]\w*-(?:shot|only)"
    r"|[A-Z][a-z]+-[A-Z][a-z]+(?:-[A-Z][a-z]+)*|.*-(?:style|like|based|type|only|specific|aware|driven|trained|tuned|free|level|wise|scale|days?))$"
)
_DATA_NOUN = re.compile(
    r"[ ](?:data[ ]?sets?|set(?!s|[ ](?:an?|the|new|up)\b)|corpus|corpora|benchmark|challenge|cohort|registry|database"
    r"|leaderboard|(?:test|development|dev|validation)[ ]sets?"
    r"|test[ ]server|collection)\b|[ ]?(?:数据集|测试集|验证集|语料库?|数据库|队列|基准|评测|榜单)"
)
_HAN = re.compile(rf"[{HAN}]")
_ANY_UPPER = re.compile(r"[A-Z]")
NO_NAMES = frozenset(
    "the a an on in for of all both this that these its our their each every some most we it and by with to from at as such many other"
    " english chinese german french spanish italian japanese korean russian arabic portuguese dutch american british european asian"
    " google microsoft openai meta facebook training test data large small new public final full standard common".split()
)
_BEFORE = 60  # characters in which a name of several words is looked for


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in a text, and what it is filed as, if it is known.

    A technique is a method that others use; one that is generic is used by so many that it says nothing.
    """

    kind: NodeKind
    start: int
    end: int
    name: str
    known: Thing | None = None
    technique: bool = False
    generic: bool = False
    key: str = ""
    here: bool = False  # known only from this document: its metadata, or a definition in its text

    @property
    def thing(self) -> Thing:
        """Return what is named, by the name that stands here."""
        return Thing(kind=self.kind, name=" ".join(self.name.split()))


@dataclass(frozen=True, slots=True)
class Own:
    """A document's own method, and whether the sentences before are about it."""

    name: str
    is_own: Callable[[Spot], bool]
    is_topic: bool

    def meant(self, place: int, spots: Sequence[Spot]) -> str:
        """Return what "it" means here: the own method if the sentence, or else the one before, is first of all about that."""
        before = [spot for spot in spots if spot.end <= place and spot.kind == "method" and not spot.technique]
        if not before:
            return self.name if self.is_topic else ""
        return next(spot.name for spot in reversed(before) if self.is_own(spot)) if self.is_own(before[0]) else ""


def topic_of(spots: Sequence[Spot]) -> Spot | None:
    """Return the method that a sentence names first."""
    return next((spot for spot in spots if spot.kind == "method" and not spot.technique), None)


def spots_in(text: str, start: int, end: int, known: Sequence[Known]) -> list[Spot]:
    """Return the names between two places in order, none within another. The names known first are the document's own."""
    words = list(words_of(text, start, end))
    told = {word.text for word in words}
    begins = set[str]().union(*(told & names.lengths.keys() for names in known))  # words that known names begin with
    found: list[Spot] = []
    place = 0
    while place < len(words):
        spot, used = _known_at(text, words, place, known) if words[place].text in begins else (None, 1)
        if spot is None:
            spot = _unknown_at(text, words[place], (start, end), known)
        if spot is not None:
            found.append(spot)
        place += used
        while spot is not None and place < len(words) and words[place].start < spot.end:
            place += 1
    return found


def _known_at(text: str, words: Sequence[Word], place: int, known: Sequence[Known]) -> tuple[Spot | None, int]:
    """Return the longest known name that begins at a word, and how many words it has."""
    first = words[place].text
    lengths = {length for names in known if first in names.lengths for length in names.lengths[first]}
    for length in sorted(lengths, reverse=True):
        if length > len(words) - place:
            continue
        key = " ".join([word.text for word in words[place : place + length]])
        begin, stop = words[place].start, words[place + length - 1].end
        for number, names in enumerate(known):
            named = names.things.get(key)
            if named and _is_written_so(text[begin:stop], named.name) and not _is_inside(text, begin, stop):
                return _spot(text, named, (begin, stop), key, number), length
    return None, 1


def _spot(text: str, named: Thing, span: tuple[int, int], key: str, number: int) -> Spot:
    """Return a name that is known. Those known first are the document's own, the last only known from it."""
    begin, stop = span
    if named.kind == "method" and (variant := _VARIANT.match(text, stop)):
        stop = variant.end()
    generic = key in lexicon().generic
    technique = (
        number > 0 and named.kind == "method" and (generic or key in lexicon().techniques or _is_words(named.name))
    )
    return Spot(named.kind, begin, stop, text[begin:stop], named, technique, generic, key, here=number > 2)


def _is_words(name: str) -> bool:
    """Tell "sparse attention" from a name that has no capital: "wav2vec 2.0"."""
    return name.islower() and not any(map(str.isdigit, name))


def _is_written_so(surface: str, name: str) -> bool:
    """Tell "CLIP" from "clip": a name that has capitals is one only where it is written with some."""
    if surface == name or not _ANY_UPPER.search(name):
        return True
    if " " in name or "-" in name:
        return bool(_ANY_UPPER.search(surface)) or name[1:].islower()
    capitals = sum(map(str.isupper, name))
    return bool(_ANY_UPPER.search(surface)) and (capitals < 2 or sum(map(str.isupper, surface)) > 1)


def _is_inside(text: str, begin: int, stop: int) -> bool:
    """Tell the "BERT" of "BERT-wwm" or "BERT-style", which is another name or none, from the name itself."""
    after = text[stop : stop + 2]
    return len(after) == 2 and after[0] in "-‐‑" and after[1].isalnum() and text[begin].isascii()


def _unknown_at(text: str, word: Word, within: tuple[int, int], known: Sequence[Known]) -> Spot | None:
    """Return the name that a word is by its look, or by what stands behind it: a data set, or a method."""
    surface = text[word.start : word.end]
    if surface.islower() or len(surface) < 2 or not surface.isascii():
        return None
    kind = kind_of_base(surface, known)
    if kind == "dataset":
        return Spot("dataset", word.start, word.end, surface)
    start, end = within
    if kind is None and _DATA_NOUN.match(text, word.end, end):
        begin = _title_start(text, start, word.start)
        if (
            begin < word.start
            or LOOKS_NAMED.match(surface)
            or (surface[0].isupper() and surface.casefold() not in NO_NAMES)
        ):
            return Spot("dataset", begin, word.end, text[begin : word.end])
        return None
    if kind is None and not _may_be_method(surface, text[word.end : word.end + 1]):
        return None
    variant = _VARIANT.match(text, word.end, end)
    stop = variant.end() if variant else word.end
    return Spot("method", word.start, stop, text[word.start : stop])


def _may_be_method(surface: str, after: str) -> bool:
    """Tell whether a word looks like the name of a method, and is no heading within an abstract: "METHODS: ..."."""
    is_heading = after == ":" and surface.isupper() and surface.isalpha() and len(surface) > 4
    return not is_heading and LOOKS_NAMED.match(surface) is not None and not NOT_METHODS.match(surface)


def kind_of_base(surface: str, known: Sequence[Known]) -> NodeKind | None:
    """Return what the name is that this is a variant of: a method for "Switch-Large" or "BERT-Large-uncased"."""
    part = _VARIANT_PART.search(surface)
    if part is None:
        return None
    base = surface[: part.start()]
    named = next(filter(None, (names.things.get(base.casefold()) for names in known)), None)
    if named is not None and named.kind in {"method", "dataset"} and _ANY_UPPER.search(named.name):
        return named.kind
    return "method" if re.match(rf"[-‐‑/]{_WORD_OF_SIZE}", surface[part.start() :]) and base[:1].isupper() else None


def _title_start(text: str, least: int, start: int) -> int:
    """Return where a name of several words with capitals begins: "Story Cloze Test"."""
    window = text[max(least, start - _BEFORE) : start]
    begin = start
    for match in reversed(list(re.finditer(r"[^ \n]+ ", window))):
        word = match[0].strip()
        follows = start - len(window) + match.end() == begin
        if not follows or not word[0].isupper() or word.casefold() in NO_NAMES or not word[-1].isalnum():
            break
        begin = start - len(window) + match.start()
    return begin


def with_own(text: str, spots: Sequence[Spot], within: tuple[int, int], own: Own) -> list[Spot]:
    """Return names with the places where a document speaks of its own method without its name: "our model", "it", "本文方法"."""
    language = patterns_chinese if _HAN.search(text, *within) else patterns_english
    found = [
        Spot("method", match.start(), match.end(), name)
        for pattern in (language.OURS, language.IT)
        for match in pattern.finditer(text, *within)
        if (name := own.name if pattern is language.OURS else own.meant(match.start(), spots))
        and not any(spot.start < match.end() and match.start() < spot.end for spot in spots)
    ]
    return sorted((*spots, *found), key=lambda spot: spot.start)


def other_names(spots: Sequence[Spot]) -> Iterator[tuple[Thing, Thing]]:
    """Yield the names that the lexicon knows to be another name of something, with its usual one."""
    firsts = lexicon().first_names
    for spot in spots:
        if (first := firsts.get(spot.key)) is not None and first.kind == spot.kind and key_of(first.name) != spot.key:
            yield spot.thing, first
