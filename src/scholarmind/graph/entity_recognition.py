"""Entity recognition: where a text names methods, data sets, metrics and tasks. Pure, and without a model.

Names are found as the gazetteer knows them, by how they look, by the definitions that the text itself gives of short names, and by their
place in a sentence: what something is tested on, and what it is compared with. What sentences say of them is in `rule_reading`
and `result_extraction`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scholarmind.graph import chinese_cues, english_cues
from scholarmind.graph.document_statements import thing
from scholarmind.graph.gazetteer import HAN, KnownNames, Word, key_of, lexicon, words_of
from scholarmind.model import Entry, Passage
from scholarmind.relations import NodeKind, Thing
from scholarmind.text.analysis import sentences

# -- sentences and tables of a document's passages, each once although passages overlap

_LONGEST_SENTENCE = 1_500  # characters; what is longer is no sentence, and only so much of it is read
_TABLE = re.compile(
    r"^[ \t]*\|.*\|[ \t]*$(?:\n[ \t]*\|.*\|?[ \t]*$)+"
    r"|^[^|\n]{1,60}[^|\n ] ?(?:\|[^|\n]{0,60}){2,}$(?:\n[^|\n]{1,60}(?:\|[^|\n]{0,60}){2,}$)+",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A sentence, or a whole table, and the headings that it stands under."""

    start: int
    end: int
    heading: str = ""
    is_table: bool = False


def stretches_of(entry: Entry) -> Iterator[TextUnit]:
    """Yield the sentences and tables of what may be quoted of a document, in order."""
    done = 0
    for start, end, passage in _joined(entry):
        heading = " / ".join(passage.section[1:] or passage.section)
        if passage.kind == "table":
            yield TextUnit(max(start, done), end, heading, is_table=True)
        else:
            yield from _of_prose(entry.text, max(start, done), end, heading)
        done = max(done, end)


def _joined(entry: Entry) -> Iterator[tuple[int, int, Passage]]:
    """Yield passages with those that go on with them: of one section and kind, nothing but white space in between."""
    start, end, first = 0, 0, None
    for passage in entry.passages:
        goes_on = (
            first is not None
            and (passage.section, passage.kind) == (first.section, first.kind)
            and (passage.start <= end or not entry.text[end : passage.start].strip())
        )
        if goes_on:
            end = max(end, passage.end)
            continue
        if first is not None:
            yield start, end, first
        start, end, first = passage.start, passage.end, passage
    if first is not None:
        yield start, end, first


def _of_prose(text: str, start: int, end: int, heading: str) -> Iterator[TextUnit]:
    place = start
    for table in _TABLE.finditer(text, start, end):
        yield from _of_sentences(text, place, table.start(), heading)
        yield TextUnit(*table.span(), heading, is_table=True)
        place = table.end()
    yield from _of_sentences(text, place, end, heading)


def _of_sentences(text: str, start: int, end: int, heading: str) -> Iterator[TextUnit]:
    for begin, stop in sentences(text, start, end):
        yield TextUnit(begin, min(stop, begin + _LONGEST_SENTENCE), heading)


# -- short names that a text defines: "masked language modelling (MLM)", "旋转位置编码（RoPE）"

_BRACKET = re.compile(r"[(（]([^()（）\n]{2,60})[)）]")
_SHORT = re.compile(r"[A-Za-z][\w+-]{1,11}$")
_WORDS = re.compile(r"[^\W_]+")
_SHORT_NAME = re.compile(r"(?=.*[A-Z].*[A-Z]|[a-z]+[A-Z])[A-Za-z][A-Za-z0-9-]{1,15}$")
_TITLE = re.compile(r"\b([A-Z][\w-]*(?:[ ](?:and[ ]|of[ ]|for[ ])?[A-Z][\w-]*)*)[ ]?$")
_PROPOSED = re.compile(r"\b[Ww]e[ ](?:propose|present|introduce|develop|describe|design)d?\b|提出|引入|设计")
_METHOD_NOUN = re.compile(r"[ ](?:algorithm|model|method|network|framework|architecture|optimi[sz]er)s?\b")
_WITH_HYPHENS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_HAN_BEFORE = re.compile(rf"[{HAN}]{{2,14}}$")
# where a Chinese name begins: behind a verb, a preposition or 的
_HAN_CUT = re.compile(
    r".*(?:提出|采用|使用|沿用|引入|称为|名为|一种|增加|设计|基于|通过|利用|结合|以及|用|把|将|的|了|和|与|及|由|从|以|是|即|则)"
)

_HEADS = frozenset(
    "model models method network algorithm dataset corpus benchmark task".split()
)  # may lack in a short name

_KINDS: tuple[tuple[NodeKind, re.Pattern[str]], ...] = (
    (
        "dataset",
        re.compile(
            r"(?:corpus|data ?set|benchmark|challenge|treebank|questions|crawl|数据集|语料库?|基准|维基百科)$",
            re.IGNORECASE,
        ),
    ),
    ("metric", re.compile(r"(?:score|accuracy|rate|error|precision|recall|match|准确率|得分|误差)$", re.IGNORECASE)),
    (
        "task",
        re.compile(
            r"(?:translation|recognition|answering|classification|detection|segmentation|summari[sz]ation|retrieval|extraction|任务|翻译|识别|分类|检索)$",
            re.IGNORECASE,
        ),
    ),
    (
        "method",
        re.compile(
            r"(?:attention|networks?|models?|modell?ing|learning|transformers?|encod(?:er|ing|ings)|decoders?|embeddings?|tuning|training"
            r"|pre-?training|adaptation|optimi[sz]ation|hashing|masking|generation|algorithm|method|prediction|routing|experts|machines?|memory"
            r"|units?|normali[sz]ation|distillation|regression|forest|search|sampling|duality|retriever|features|spaces?"
            r"|autoencoders?|passage retrieval|注意力|编码|模型|网络|掩码|训练|微调|学习|算法|方法|预测|机制|解码|蒸馏|量化|专家|归一化)$",
            re.IGNORECASE,
        ),
    ),
)


def definitions(text: str, start: int, end: int) -> Iterator[tuple[Thing, Thing]]:
    """Yield each long name with the short one that it is given."""
    for match in _BRACKET.finditer(text, start, end):
        inside = match[1].strip().strip("\"'“”‘’")
        if _SHORT.match(inside):
            least, short = max(start, match.start() - 120), inside
            long = _long_before(text, least, match.start(), short) or _title_before(text, least, match.start(), short)
        else:
            long, short = _short_before(text, start, match.start(), inside)
        kind = _kind_of(long) or _kind_said(text, (start, end), match, long) if long else None
        if kind is not None:
            yield thing(kind, long), thing(kind, short)


def _long_before(text: str, start: int, end: int, short: str) -> str:
    """Return the words before a bracket that its letters are the beginnings of."""
    before = text[start:end].rstrip()
    if run := _HAN_BEFORE.search(before):
        return _known_end(run[0]) or _HAN_CUT.sub("", run[0])
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    if not any(map(str.isupper, short)) or before != text[start:end].rstrip(" "):
        return ""
    for parts in (_WORDS, _WITH_HYPHENS):
        words = list(parts.finditer(before))
        for count in range(1, min(len(letters) + 3, len(words)) + 1):
            if _spells([word[0].casefold() for word in words[-count:]], letters):
                return before[words[-count].start() :]
    return ""


def _known_end(run: str) -> str:
    """Return the longest well-known name that a run of Chinese characters ends in: no verb is cut off inside of it."""
    things = lexicon().known.things
    return next((run[place:] for place in range(len(run) - 2) if " ".join(run[place:]) in things), "")


def _short_before(text: str, start: int, end: int, inside: str) -> tuple[str, str]:
    """Return the long name in a bracket and the short one before it: "MLM (masked language modelling)"."""
    match = re.search(r"([A-Z][\w+-]{1,11})[ ]?$", text[max(start, end - 16) : end])
    words = [word.casefold() for word in _WORDS.findall(inside)]
    if match is None or not words or not inside[0].isalpha():
        return "", ""
    letters = [letter for letter in match[1].casefold() if letter.isalnum()]
    return (inside, match[1]) if _spells(words, letters) else ("", "")


def _spells(words: list[str], letters: list[str]) -> bool:
    """Tell whether the letters are the beginnings of the words: of each, or but for small words in between."""
    initials = [word[0] for word in words]
    big = [word[0] for word in words if word not in {"of", "the", "and", "for", "in", "on", "to", "a", "with"}]
    singular = letters[:-1] if letters and letters[-1] == "s" else letters
    told = [initials, big, big[:-1]] if words and words[-1] in _HEADS else [initials, big]
    return len(letters) > 1 and (letters in told or singular in told)


def _title_before(text: str, start: int, bracket: int, short: str) -> str:
    """Return the words with capitals before a bracket, whose first letter the short name has: "Memory-augmented Coding (MemC)"."""
    title = _TITLE.search(text[start:bracket]) if _SHORT_NAME.match(short) else None
    return title[1] if title and title[1][0].casefold() == short[0].casefold() else ""


def _kind_said(text: str, sentence: tuple[int, int], bracket: re.Match[str], long: str) -> NodeKind | None:
    """Return that something is a method, where the sentence says so: "we propose Shared Folds (SF)", "Shared Folds (SF) algorithm"."""
    start, end = sentence
    place = text.rfind(long, start, bracket.start())
    proposed = _PROPOSED.search(text, start, place)
    is_said = proposed is not None or _METHOD_NOUN.match(text, bracket.end(), end)
    return "method" if is_said and "," not in text[proposed.end() if proposed else place : place].rstrip(", ") else None


def _kind_of(long: str) -> NodeKind | None:
    return next((kind for kind, pattern in _KINDS if pattern.search(long)), None)


# -- names that are known, and how names look

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
_LOOKS_NAMED = re.compile(r"(?=.*[A-Z])(?=.*(?:[A-Z].*[A-Z]|\d|\+\+$))[A-Za-z][\w.+/@&×‐‑-]+$")

_NOT_METHODS = re.compile(
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
_NO_NAMES = frozenset(
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


def spots_in(text: str, start: int, end: int, known: Sequence[KnownNames]) -> list[Spot]:
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


def _known_at(text: str, words: Sequence[Word], place: int, known: Sequence[KnownNames]) -> tuple[Spot | None, int]:
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


def _unknown_at(text: str, word: Word, within: tuple[int, int], known: Sequence[KnownNames]) -> Spot | None:
    """Return the name that a word is by its look, or by what stands behind it: a data set, or a method."""
    surface = text[word.start : word.end]
    if surface.islower() or len(surface) < 2 or not surface.isascii():
        return None
    kind = _kind_of_base(surface, known)
    if kind == "dataset":
        return Spot("dataset", word.start, word.end, surface)
    start, end = within
    if kind is None and _DATA_NOUN.match(text, word.end, end):
        begin = _title_start(text, start, word.start)
        if (
            begin < word.start
            or _LOOKS_NAMED.match(surface)
            or (surface[0].isupper() and surface.casefold() not in _NO_NAMES)
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
    return not is_heading and _LOOKS_NAMED.match(surface) is not None and not _NOT_METHODS.match(surface)


def _kind_of_base(surface: str, known: Sequence[KnownNames]) -> NodeKind | None:
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
        if not follows or not word[0].isupper() or word.casefold() in _NO_NAMES or not word[-1].isalnum():
            break
        begin = start - len(window) + match.start()
    return begin


def with_own(text: str, spots: Sequence[Spot], within: tuple[int, int], own: Own) -> list[Spot]:
    """Return names with the places where a document speaks of its own method without its name: "our model", "it", "本文方法"."""
    language = chinese_cues if _HAN.search(text, *within) else english_cues
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


# -- a sentence with the names in it: what the rules read

_HAN_CHARACTER = re.compile(rf"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z][\w.-]*")
_SAMPLE = 120


@dataclass(frozen=True, slots=True)
class EntitySentence:
    """A sentence within a text, the names in it, and the heading that it stands under."""

    text: str
    start: int
    end: int
    spots: Sequence[Spot]
    heading: str = ""

    def between(self, start: int, end: int) -> str:
        """Return the characters of the sentence between two places of the text."""
        return self.text[max(start, self.start) : min(end, self.end)]

    def of(self, *kinds: str) -> list[Spot]:
        """Return the names of these kinds, in order."""
        return [spot for spot in self.spots if spot.kind in kinds]

    @property
    def is_chinese(self) -> bool:
        """Whether it is a Chinese sentence, whatever names stand in it, and not an English one with a Chinese name."""
        sample = self.text[self.start : min(self.end, self.start + _SAMPLE)]
        return len(_HAN_CHARACTER.findall(sample)) >= max(1, len(_LATIN_WORD.findall(sample)))


# -- lists: "Foo, the Bar 2 benchmark and Baz", "Foo（91.2%）和Bar"

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


# -- names by their place in a sentence

Span = tuple[int, int]
_TESTING = re.compile(
    r"\b(?:evaluat|test|experiment|benchmark|validat|result|assess|audit|prob(?:e|ing)|measur|state[ -]of[ -]the[ -]art"
    r"|scor|error|achiev|obtain|attain|reach|outperform|surpass|beat|exceed|improv|accurac|precision"
    r"|recall|perplexity|perform|pre-?train|train|fine-?tun|tun(?:ed|ing)|yield|gain|win|rank"
    r"|point|match|compared)|\d\.\d|\d[ ]?%"
)

_ON = re.compile(r"\b(?:[Oo]n|[Aa]cross)[ ]")
# words before "on" that do not tell where something was measured
_NOT_WHERE = re.compile(
    r"\b(?:buil\w+|based|rel(?:y|ies|ied)|depend\w*|focus\w*|runs?|running|implemented|deployed|improv(?:es?|ed|ing)|updates?|work\w*"
    r"|papers?|survey|drawing|draws|condition\w*|rests?|stands?|information|attention|effects?|impact|research|stud(?:y|ies)|hosted)[ ]$"
)

# words right before "on" by which even a plain word behind it is a data set: "was evaluated only on Traffic", "an AUC of 0.9 on"
_SURELY_TESTED = re.compile(
    r"(?:\b(?:evaluat\w+|test(?:ed|s)?|experiment\w*|benchmark\w*|(?:pre-?|fine-?)?(?:train|tun)(?:ed|ing)"
    r"|state[ -]of[ -]the[ -]art|accuracy|F1|precision|recall|results|first|best)(?:[ ][\w-]+){0,2}"
    r"|\b[A-Z]\w*[A-Z0-9]\w*[ ](?:score[ ])?(?:of[ ])?\d[\d.]*%?|\d[\d.]*%?[ ][A-Z]\w*[A-Z0-9]\w*"
    r"|\b(?:outperform\w*|surpass\w*|beats?)[ ][^,;.]{1,60})[ ]$"
)

_DATA_OF = re.compile(
    r"\b(?:data ?sets?|benchmarks?|corpora|corpus|test sets)"
    r"(?:,?[ ](?:such as|including|like|namely|called|named|dubbed|termed)|[ ]?[:(]|[ ]?—)[ ]?"
)

_IS_DATA = re.compile(
    r"(?:,[ ]|[ ](?:is|are)[ ])(?:an?|our|the)[ ](?:[\w-]+[ ]){0,5}?(?:data ?set|benchmark|corpus)\b(?![ ](?:for|server|method|model))"
)

_AGAINST = re.compile(
    r"\b(?:outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|exceed(?:s|ed|ing)?(?:[ ]th(?:at|ose)[ ]of)?|beat(?:s|ing)?"
    r"|(?:better|faster|higher|lower|stronger|smaller|more[ ][a-z]+)[ ]than|(?:[Cc]ompared|[Rr]elative)[ ](?:with|to)|[Uu]nlike"
    r"|(?:buil(?:d|ds|t|ding)|improv(?:e|es|ed|ing))[ ](?:up)?on|over|extend(?:s|ed|ing)?|refin(?:es|ed|ing)"
    r"|[Ww]e[ ](?:evaluate|benchmark|compare|test|assess|audit|probe|measure)(?:e?d)?(?=[^.;]*[ ]on[ ]))[ ]"
)

_PART = re.compile(r"[ ](?:of|to|from|in|for)[ ]")
_ON_ANOTHER = re.compile(r"[ ]on\b")  # "on Foo and Bar on Baz": Bar is no data set
_HAN_ON = re.compile(
    r"[在于](?:[两三四五六七八九\d]?个?(?:公开|标准|基准|中文|英文|主流)*(?:数据集|基准|任务))?(?=[A-Za-z])"
)

_HAN_ON_ENDS = re.compile(r"[ ]?(?:等)?(?:(?!的?基础)[^，。；、]){0,12}?(?:上|中|里|数据集|测试集|基准|语料)")
_HAN_AGAINST = re.compile(
    r"(?:优于|超过了?|超越了?|胜过|好于|强于|高于|基于|采用了?|使用了?|改进了?|扩展了?|相比于?|与(?=[^，。；]{1,30}相比)"
    r"|以(?=[^，。；]{1,30}为(?:骨|基|起|底|主))|在(?=[^，。；]{1,30}的?基础上))(?=[A-Za-z])"
)

_LIKE_A_METHOD = re.compile(r"(?:LM|GPT|BERT|[Ff]ormer|LLaMA|Llama)(?:[-v\d].*)?$")
_TWO_NAMES = re.compile(r"[A-Z][a-z]+-[A-Z][a-z]+$")  # Swiss-Prot, in a place where a name must stand
_NO_THING = _NO_NAMES | frozenset(
    "table figure fig section appendix equation algorithm theorem lemma chapter step monday tuesday wednesday thursday friday saturday"
    " sunday january february march april may june july august september october november december python java windows linux".split()
)


def named_by_place(text: str, start: int, end: int, known: Sequence[KnownNames]) -> Iterator[Thing]:
    """Yield the data sets and methods that a sentence names, where names of such must stand."""
    is_chinese = _HAN.search(text, start, end) is not None
    data_sets = (_han_data_sets if is_chinese else _data_sets)(text, start, end)
    methods = (_han_methods if is_chinese else _methods)(text, start, end)
    kinds: tuple[tuple[NodeKind, Iterator[Span]], ...] = (("dataset", data_sets), ("method", methods))
    for kind, spans in kinds:
        for begin, stop in spans:
            if _may_be(text[begin:stop], kind, known):
                yield thing(kind, text[begin:stop])


def _data_sets(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _IS_DATA.finditer(text, start, end):
        name = text[max(start, match.start() - 40) : match.start()].rpartition(" ")[2]
        yield match.start() - len(name), match.start()
    for match in _DATA_OF.finditer(text, start, end):
        yield from _if_sure(text, names_listed(text, match.end(), end))
    tested = [match for match in _ON.finditer(text, start, end) if not _NOT_WHERE.search(_ahead(text, start, match))]
    if tested and _TESTING.search(text, start, end):
        for match in tested:
            yield from _measured_on(text, match, (start, end))


def _measured_on(text: str, on: re.Match[str], within: Span) -> list[Span]:
    """Return the names behind "on". At the head of a sentence they end with a comma: "On Foo, Bar and Baz win" is about one."""
    start, end = within
    spans = names_listed(text, on.end(), end, ends_before=_ON_ANOTHER)
    is_head = not text[start : on.start()].strip(" \n*_([")
    if is_head and len(spans) > 1 and "," not in text[spans[-1][1] : spans[-1][1] + 12]:
        spans = spans[:1]
    return spans if _SURELY_TESTED.search(_ahead(text, start, on)) else _if_sure(text, spans)


def _ahead(text: str, start: int, match: re.Match[str]) -> str:
    return text[max(start, match.start() - 72) : match.start()]


def _if_sure(text: str, spans: list[Span]) -> list[Span]:
    """Return names of which one at least looks like that of a data set, and not only like that of anything: "on Mason Street"."""
    return spans if any(_LOOKS_NAMED.match(word) for span in spans for word in text[slice(*span)].split()) else []


def _methods(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _AGAINST.finditer(text, start, end):
        spans = names_listed(text, match.end(), end)
        if spans and not _PART.search(f" {text[match.end() : spans[0][0]]} "):
            yield from spans


def _han_data_sets(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _HAN_ON.finditer(text, start, end):
        spans = names_listed(text, match.end(), end)
        if spans and _HAN_ON_ENDS.match(text, spans[-1][1], end):
            yield from spans


def _han_methods(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _HAN_AGAINST.finditer(text, start, end):
        yield from names_listed(text, match.end(), end)


def _may_be(name: str, kind: NodeKind, known: Sequence[KnownNames]) -> bool:
    """Tell whether a name may be one of this kind: no machine, no language, no firm, and nothing that is known to be another."""
    words = name.split()
    if len(name) < 2 or not any(map(str.isalpha, name)) or any(map(_is_no_name, words)):
        return False
    if kind == "dataset" and (_LIKE_A_METHOD.search(words[-1]) or _kind_of_base(words[0], known) == "method"):
        return False
    whole, first = key_of(name), key_of(words[0])
    if any(whole in names.things for names in known):
        return False
    return all(names.things[first].kind == kind for names in known if first in names.things)


def _is_no_name(word: str) -> bool:
    return word.casefold() in _NO_THING or (_NOT_METHODS.match(word) is not None and not _TWO_NAMES.match(word))
