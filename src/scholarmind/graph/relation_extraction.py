"""What a sentence says of a method: that it improves on, uses or proposes another, what it was trained on, tested on and made for.

Pure, by rules: `cues`, `english_cues` and `chinese_cues` hold their words. Values that a sentence reports are in `result_extraction`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from scholarmind.graph import chinese_cues, cues, english_cues
from scholarmind.graph.cues import Cue
from scholarmind.graph.entity_recognition import EntitySentence, Spot
from scholarmind.relations import Relation, Statement, Thing

# -- one method and another

_SUBJECT_WITHIN = 160  # characters before the verb
_CONFIDENCE = {"IMPROVES_ON": 0.75, "USES": 0.65, "PROPOSES": 0.8}
_MOST_OBJECTS = 8
_NEXT = 10  # characters between two names, the second of which says what the first is
_COMMA = re.compile(
    r"[^,，]{0,24}[,，][ ]?(?:the[ ]|we[ ](?:propose|present|introduce|develop|design)(?:ed)?[ ](?:[\w-]+[ ]){0,4})?"
)

_ADJACENT = re.compile(r" ")  # between a technique and a method of that kind: "an encoder-decoder Transformer"
_AND = re.compile(r",?[ ](?:and|or)[ ]|,[ ]|[ ]?[、和与及][ ]?")
_BEFORE_NAME = 72  # characters between "we propose" and the name
_PART_OF = re.compile(r",|[ ](?:of|on|for|to|from|over|with|using|based|in|by)[ ]|的.|[和与对在]")
_APPOSITION = re.compile(r"[ ]?[,(（，.;:]|$")
_OTHERS_SAY = re.compile(r"\bet al\b|\b(?:19|20)\d\d\b|\b(?:previous|prior|existing|earlier)\b|等人|以往|此前")
_OTHER_WORK = re.compile(r"以往|现有|其他|另一|常见|传统|许多|很多")


@dataclass(frozen=True, slots=True)
class Self:
    """The document that speaks: itself, what it calls its own method, and the names that it goes by."""

    paper: Thing
    method: Thing | None
    spelled: tuple[str, ...]
    names: frozenset[str]  # folded

    @property
    def subject(self) -> Thing:
        """Return who does what a sentence says without naming anybody."""
        return self.method or self.paper

    def is_own(self, spot: Spot) -> bool:
        """Tell whether a name is the document's own method, or a variant of it."""
        name = spot.name.casefold()
        return name in self.names or any(name.startswith((f"{own}-", f"{own} ")) for own in self.names)


def link_statements(sentence: EntitySentence, speaker: Self) -> Iterator[Statement]:
    """Yield what the sentence says of methods among each other."""
    methods = sentence.of("method")
    language = chinese_cues if sentence.is_chinese else english_cues
    if methods:
        yield from _led(sentence, methods, speaker, language)
        yield from _of_cues(sentence, methods, speaker, language)
    yield from _proposed(sentence, methods, speaker, language)


def _of_cues(
    sentence: EntitySentence, methods: Sequence[Spot], speaker: Self, language: ModuleType
) -> Iterator[Statement]:
    found = sorted(_cues_in(sentence, language), key=lambda each: each[1].start())
    last: Spot | None = None
    for cue, match, is_reversed in found:
        if any(spot.start < match.end() and match.start() < spot.end for spot in sentence.spots):
            continue
        subject = _subject_of(sentence, methods, match, last, language)
        if subject is not None and subject is not methods[0] and _is_pronoun(sentence, subject, match, language):
            continue  # nobody knows which of several "it" is
        begin = subject.end if subject else sentence.start
        if subject is None and not _speaks_of_itself(sentence, match, speaker, language):
            continue
        if cues.NEGATION.search(sentence.between(max(begin, match.start() - 40), match.end())):
            continue
        for target in _objects_of(sentence, methods, match.end(), language):
            last = subject or last
            for one in _listed_to(sentence, methods, subject) if is_reversed else [subject]:
                yield from _linked(sentence, cue.relation, (one, target), speaker, is_reversed=is_reversed)


def _led(sentence: EntitySentence, methods: Sequence[Spot], speaker: Self, language: ModuleType) -> Iterator[Statement]:
    """Yield what a sentence says at its head of the method behind the comma: "Building on Foo, Bar ...", "与Foo相比，Bar更准"."""
    for cue in (*language.LEADING, language.COMPARED):
        head = cue.pattern.match(sentence.text, sentence.start, sentence.end)
        objects = list(_objects_of(sentence, methods, head.end(), language)) if head else []
        if not objects:
            continue
        subject = next((spot for spot in methods if spot.start > objects[-1].end), None)
        rest = sentence.between(objects[-1].end, sentence.end)
        if subject is None or not _COMMA.fullmatch(sentence.between(objects[-1].end, subject.start)):
            continue
        if cue is language.COMPARED and (not language.BETTER.search(rest) or cues.NEGATION.search(rest)):
            continue
        for target in objects:
            yield from _linked(sentence, cue.relation, (subject, target), speaker, is_reversed=False)


def _speaks_of_itself(sentence: EntitySentence, match: re.Match[str], speaker: Self, language: ModuleType) -> bool:
    """Tell whether a sentence that names nobody is about the document: "we ...", or a Chinese one that leaves its subject out."""
    ahead = sentence.between(sentence.start, match.start())
    left_out = sentence.is_chinese and speaker.method is not None and not _OTHER_WORK.search(ahead)
    return left_out or language.SELF.search(ahead) is not None


def _cues_in(sentence: EntitySentence, language: ModuleType) -> Iterator[tuple[Cue, re.Match[str], bool]]:
    for is_reversed, told in ((False, language.CUES), (True, language.REVERSED)):
        for cue in told:
            for match in cue.pattern.finditer(sentence.text, sentence.start, sentence.end):
                yield cue, match, is_reversed


def _subject_of(
    sentence: EntitySentence, methods: Sequence[Spot], match: re.Match[str], last: Spot | None, language: ModuleType
) -> Spot | None:
    """Return the method that the verb is said of: the one before it, or that of the verb before."""
    before = [spot for spot in methods if spot.end <= match.start() and match.start() - spot.end <= _SUBJECT_WITHIN]
    if not before:
        return None
    named = [spot for spot in before if not spot.technique] or before
    if language.JOINED.search(sentence.between(named[-1].end, match.start())):
        return last or named[0]
    return named[-1]


def _listed_to(sentence: EntitySentence, methods: Sequence[Spot], subject: Spot | None) -> Sequence[Spot | None]:
    """Return a method with those listed before it: "Foo and Bar were outperformed by"."""
    found = [subject]
    for spot in reversed(methods):
        if subject and spot.end < subject.start and _AND.fullmatch(sentence.between(spot.end, subject.start)):
            subject = spot
            found.append(spot)
    return found


def _is_pronoun(sentence: EntitySentence, subject: Spot, match: re.Match[str], language: ModuleType) -> bool:
    return language.PRONOUN.search(sentence.between(subject.end, match.start())) is not None


def _objects_of(sentence: EntitySentence, methods: Sequence[Spot], after: int, language: ModuleType) -> Iterator[Spot]:
    """Yield the methods that a verb is about: the first one behind it, and those listed with it."""
    end, is_technique = after, False
    for count, spot in enumerate(each for each in methods if each.start >= after):
        between = sentence.between(end, spot.start)
        allowed = _ADJACENT if is_technique and between == " " else language.LISTED if count else language.GAP
        is_technique = spot.technique
        if count >= _MOST_OBJECTS or not allowed.match(between or " ") or language.BREAK.search(between):
            return
        if cues.NEGATION.search(between) or (count and not language.AFTER_LISTED.match(sentence.text, spot.end)):
            return
        if not spot.generic:
            yield spot
        end = spot.end


def _linked(
    sentence: EntitySentence, relation: Relation, ends: tuple[Spot | None, Spot], speaker: Self, *, is_reversed: bool
) -> Iterator[Statement]:
    subject, target = ends
    source = subject.thing if subject else speaker.subject
    if subject is not None and _is_same(subject, target, speaker):
        return
    if subject is None and (target.known is None or speaker.is_own(target)):
        return  # nobody known does something with something unknown
    pair = (target.thing, source) if is_reversed else (source, target.thing)
    if relation == "IMPROVES_ON" and (target.technique or (subject and subject.technique)):
        relation = "USES"
    yield _link_statement(sentence, relation, *pair)


def _is_same(subject: Spot, target: Spot, speaker: Self) -> bool:
    one, other = subject.name.casefold(), target.name.casefold()
    return one == other or (speaker.is_own(subject) and speaker.is_own(target))


def _proposed(
    sentence: EntitySentence, methods: Sequence[Spot], speaker: Self, language: ModuleType
) -> Iterator[Statement]:
    """Yield what the document itself says that it proposes."""
    for match in language.PROPOSES.finditer(sentence.text, sentence.start, sentence.end):
        target = _first_named([spot for spot in sentence.of("method", "dataset") if spot.start >= match.end()])
        if target is None or target.generic or not _follows(sentence, match.end(), target, language):
            continue
        subject = next((spot for spot in reversed(methods) if spot.end <= match.start() and not spot.technique), None)
        if not _may_be_new(target, speaker):
            continue  # what is known from elsewhere is not proposed here
        said_by = sentence.between(sentence.start, match.end())
        if subject is None and _OTHERS_SAY.search(said_by) and not language.SELF.search(said_by):
            continue
        if not (language.AUTHORS.search(said_by) if subject is None else speaker.is_own(subject)):
            continue
        if not cues.NEGATION.search(sentence.between(match.start() - 24, target.start)):
            yield _link_statement(sentence, "PROPOSES", speaker.paper, target.thing)


def _may_be_new(target: Spot, speaker: Self) -> bool:
    """Tell whether a name may be that of something new: it is not known from elsewhere, or it is a technique."""
    return target.known is None or target.technique or target.here or speaker.is_own(target)


def _first_named(spots: Sequence[Spot]) -> Spot | None:
    """Return the first name of some, or the one right behind it that says more: "a contrastive learning method FooNet"."""
    if len(spots) > 1 and spots[0].technique and not spots[1].technique and spots[1].start - spots[0].end <= _NEXT:
        return spots[1]
    return spots[0] if spots else None


def _follows(sentence: EntitySentence, end: int, target: Spot, language: ModuleType) -> bool:
    """Tell whether a name is what is proposed, and not a part of it: "an extension of FooNet"."""
    words = sentence.between(end, target.start).rstrip()
    if len(words) > _BEFORE_NAME or language.BREAK.search(words):
        return False
    if words.endswith((",", "，")):  # "a network for folding, FooNet, that"
        return "," not in words[:-1] and _APPOSITION.match(sentence.text, target.end) is not None
    return not _PART_OF.search(f" {words} ")


def _link_statement(sentence: EntitySentence, relation: Relation, source: Thing, target: Thing) -> Statement:
    return Statement(
        relation=relation,
        source=source,
        target=target,
        confidence=_CONFIDENCE[relation],
        start=sentence.start,
        end=sentence.end,
    )


# -- a method and its data sets, parts and tasks

_TESTED = re.compile(
    r"\b(?:evaluat\w+|test(?:s|ed|ing)?|benchmark\w*|accuracy|scores?|scored|results?|experiments?|reach(?:es|ed)|F1|on[ ]the)\b"
    r"|评测|评估|测试|实验|结果|准确率|为\d|上"
)

_CLEARLY_TESTED = re.compile(
    r"\b(?:evaluat\w+|tested|tests?(?= [A-Z]| it\b| our\b)|experiments?|benchmark(?:ed|ing)"
    r"|we[ ](?:benchmark|audit|compare|probe|measure)d?|validated|assessed)\b"
    r"|评测|测试|实验",
    re.IGNORECASE,
)

_TRAINED = re.compile(
    r"\b(?:(?:pre-?|fine-?|warm-)?(?:train|tun)\w*|corpus|corpora|collection|mixture|pool|tokens|words[ ]of|text|data|crawl\w*|filter\w*"
    r"|index|uses?|used|using|covers|examples|sources?|learn\w*)\b|训练|语料|微调|来自|采用|使用|用|词元|数据"
)

_TRAINED_BEHIND = re.compile(
    r"(?:[、和与及][^，。；]{1,30}?|[^，。；]{0,6})(?:上|中|里)[^，。；]{0,3}(?:预训练|训练|微调)|[ ]pre-?training\b"
)

_TASK = re.compile(
    r"\b(?:for|to|task[ ]of|problem[ ]of|on|address\w*|solv\w*|tackl\w*|appl\w+|evaluat\w*)[ ](?:[\w-]+[ ]){0,4}$"
    r"|用于|面向|针对|任务|解决|在[^，。]{0,8}$"
)

_OTHERS_WORK = re.compile(
    r"\b(?:earlier|previous(?:ly)?|prior|existing|others|later[ ]work|most[ ](?:efficient|earlier)|such[ ]as|contrast|comparison|outside)\b"
    r"|以往|此前|现有|后来|早期|其后|后者|同名"
)

_RESULT_HEADING = re.compile(r"result|experiment|evaluat|结果|实验|评测", re.IGNORECASE)
_DATA_HEADING = re.compile(r"data|corpus|training|数据|语料|训练", re.IGNORECASE)
_RELATED_HEADING = re.compile(
    r"relat|other work|neighbou?r|context|family|limits|critic|weak|open points|caveats|where .* stands|before and after|later|links|succ"
    r"|局限|与其他|相关工作|不足",
    re.IGNORECASE,
)

_PART = re.compile(r"[;；]|\b(?:while|whereas|but)\b|而(?!非|且)")
_SET_ASIDE = re.compile(
    r"\breplac\w+\b(?![^,;]*\b(?:with|by)\b)|\b(?:contrast|compar(?:ed|ing|able)|compet\w+|than|like|beyond|alternative)\b|相比|取代|代替|相当于"
)

_TAKEN_OUT = re.compile(
    r"[ ](?:was|were|is|are|has[ ]been)[ ](?:removed|excluded|dropped|left[ ]out|not|later)\b|(?:被|则)(?:去掉|排除|移除)"
)

_ON_DATA = re.compile(r"\b(?:[Oo]n|[Aa]cross)[ ](?:[\w.,'%/-]+[ ]){0,10}(?:the[ ])?$|在[^，。；]{0,40}$")
_MEASURED = re.compile(
    r"\b(?:out-?perform\w*|surpass\w*|beats?|exceed\w*|improv\w*|achiev\w*|attain\w*|obtain\w*|reach(?:es|ed)?|state[ -]of[ -]the[ -]art"
    r"|ranks?|wins?|perform\w*|match(?:es|ed)|yields?|scor(?:es?|ed)|results|compared[ ](?:with|to|against))\b"
    r"|优于|超过|超越|达到|取得|获得|提升|准确率"
)

_COMPARED = re.compile(r"\b(?:[Cc]ompared[ ](?:to|with)|[Uu]nlike|[Rr]elative[ ]to|[Bb]uilding[ ](?:up)?on)[ ]$")
_LISTED = re.compile(r"(?:,|,?[ ](?:and|or|as well as|&)|[ ]?[、和与及])[ ]?(?:the[ ])?$")
_LEAST_DATA = 0.55
_CLEAR_DATA = 0.7
_NEAR_ON = 80


def use_statements(sentence: EntitySentence, speaker: Self) -> Iterator[Statement]:
    """Yield what the sentence says of data sets, techniques and tasks."""
    methods = [spot for spot in sentence.of("method") if not spot.technique]
    for spot in sentence.spots:
        if not (spot.technique or spot.kind in {"dataset", "task"}) or spot.generic or _denied_at(sentence, spot):
            continue
        subject = _user_of(sentence, methods, spot)
        if spot.kind == "dataset":
            yield from _of_dataset(sentence, spot, subject, speaker)
        elif spot.technique and _is_about_own(sentence, subject, speaker):
            yield _use_statement(
                sentence, "USES", speaker.subject if subject is None else subject.thing, spot.thing, 0.55
            )
        elif spot.kind == "task" and _is_addressed(sentence, spot, subject, speaker):
            yield _use_statement(sentence, "ADDRESSES", speaker.subject, spot.thing, 0.5)


def _is_addressed(sentence: EntitySentence, spot: Spot, subject: Spot | None, speaker: Self) -> bool:
    """Tell whether a task is what the document's own method is for."""
    own = subject is None or speaker.is_own(subject)
    return own and _TASK.search(sentence.between(spot.start - 48, spot.start)) is not None


def _of_dataset(sentence: EntitySentence, spot: Spot, subject: Spot | None, speaker: Self) -> Iterator[Statement]:
    if spot.name.casefold() in speaker.names:
        return  # a data set of its own
    told = sentence.between(sentence.start, sentence.end)
    heading = sentence.heading
    trained = cues.TRAINED.search(sentence.between(spot.start - 48, spot.start))
    if (
        trained
        or _TRAINED_BEHIND.match(sentence.text, spot.end, sentence.end)
        or (_TRAINED.search(told) and _DATA_HEADING.search(heading))
    ):
        relation: Relation = "USES"
        sure = _CLEAR_DATA
    elif _TESTED.search(told) and (_RESULT_HEADING.search(heading) or _CLEARLY_TESTED.search(told)):
        relation, sure = "EVALUATED_ON", _CLEAR_DATA
    elif _MEASURED.search(told) and _ON_DATA.search(sentence.between(spot.start - _NEAR_ON, spot.start)):
        relation, sure = "EVALUATED_ON", _LEAST_DATA
    elif _DATA_HEADING.search(heading) or _RESULT_HEADING.search(heading):
        relation, sure = "USES", _LEAST_DATA
    else:
        return
    for source in _listed_from(sentence, subject, spot.start) or (speaker.subject,):
        yield _use_statement(sentence, relation, source, spot.thing, sure)


def _listed_from(sentence: EntitySentence, subject: Spot | None, end: int) -> Sequence[Thing]:
    """Return a method with those that are listed behind it: "Foo, Bar and Baz were evaluated on"."""
    found: list[Spot] = []
    for spot in sentence.of("method"):
        follows = (
            found and found[-1].end <= spot.start and _LISTED.fullmatch(sentence.between(found[-1].end, spot.start))
        )
        if spot is subject or (follows and spot.end <= end):
            found.append(spot)
    return [spot.thing for spot in found]


def _is_about_own(sentence: EntitySentence, subject: Spot | None, speaker: Self) -> bool:
    """Tell whether a technique is said of the document's own method, and not of what it is compared with."""
    if _OTHERS_WORK.search(sentence.between(sentence.start, sentence.end)) or _RELATED_HEADING.search(sentence.heading):
        return False
    return speaker.method is not None if subject is None else speaker.is_own(subject)


def _denied_at(sentence: EntitySentence, spot: Spot) -> bool:
    """Tell whether the part of the sentence that a name stands in is denied."""
    before = re.split(r"[,;，；:：]", sentence.between(spot.start - 80, spot.start))[-1]
    return bool(cues.NEGATION.search(before) or _SET_ASIDE.search(before) or _TAKEN_OUT.match(sentence.text, spot.end))


def _user_of(sentence: EntitySentence, methods: list[Spot], spot: Spot) -> Spot | None:
    """Return what the part of the sentence that a name stands in is about: the first method in it, or in the sentence."""
    before = [
        method
        for method in methods
        if method.end <= spot.start and not _COMPARED.search(sentence.between(method.start - 16, method.start))
    ]
    parts = list(_PART.finditer(sentence.text, sentence.start, spot.start))
    begin = parts[-1].end() if parts else sentence.start
    return next((method for method in before if method.start >= begin), next(iter(before), None))


def _use_statement(
    sentence: EntitySentence, relation: Relation, source: Thing, target: Thing, confidence: float
) -> Statement:
    return Statement(
        relation=relation, source=source, target=target, confidence=confidence, start=sentence.start, end=sentence.end
    )
