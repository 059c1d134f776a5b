"""What a sentence says of one method and another: that it improves on it, uses it, proposes it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from scholarmind.graph import cues, patterns_chinese, patterns_english
from scholarmind.graph.patterns import Cue
from scholarmind.graph.sentence import Sentence
from scholarmind.graph.spotting import Spot
from scholarmind.relations import Relation, Statement, Thing

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


def link_statements(sentence: Sentence, speaker: Self) -> Iterator[Statement]:
    """Yield what the sentence says of methods among each other."""
    methods = sentence.of("method")
    language = patterns_chinese if sentence.is_chinese else patterns_english
    if methods:
        yield from _led(sentence, methods, speaker, language)
        yield from _of_cues(sentence, methods, speaker, language)
    yield from _proposed(sentence, methods, speaker, language)


def _of_cues(sentence: Sentence, methods: Sequence[Spot], speaker: Self, language: ModuleType) -> Iterator[Statement]:
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


def _led(sentence: Sentence, methods: Sequence[Spot], speaker: Self, language: ModuleType) -> Iterator[Statement]:
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


def _speaks_of_itself(sentence: Sentence, match: re.Match[str], speaker: Self, language: ModuleType) -> bool:
    """Tell whether a sentence that names nobody is about the document: "we ...", or a Chinese one that leaves its subject out."""
    ahead = sentence.between(sentence.start, match.start())
    left_out = sentence.is_chinese and speaker.method is not None and not _OTHER_WORK.search(ahead)
    return left_out or language.SELF.search(ahead) is not None


def _cues_in(sentence: Sentence, language: ModuleType) -> Iterator[tuple[Cue, re.Match[str], bool]]:
    for is_reversed, told in ((False, language.CUES), (True, language.REVERSED)):
        for cue in told:
            for match in cue.pattern.finditer(sentence.text, sentence.start, sentence.end):
                yield cue, match, is_reversed


def _subject_of(
    sentence: Sentence, methods: Sequence[Spot], match: re.Match[str], last: Spot | None, language: ModuleType
) -> Spot | None:
    """Return the method that the verb is said of: the one before it, or that of the verb before."""
    before = [spot for spot in methods if spot.end <= match.start() and match.start() - spot.end <= _SUBJECT_WITHIN]
    if not before:
        return None
    named = [spot for spot in before if not spot.technique] or before
    if language.JOINED.search(sentence.between(named[-1].end, match.start())):
        return last or named[0]
    return named[-1]


def _listed_to(sentence: Sentence, methods: Sequence[Spot], subject: Spot | None) -> Sequence[Spot | None]:
    """Return a method with those listed before it: "Foo and Bar were outperformed by"."""
    found = [subject]
    for spot in reversed(methods):
        if subject and spot.end < subject.start and _AND.fullmatch(sentence.between(spot.end, subject.start)):
            subject = spot
            found.append(spot)
    return found


def _is_pronoun(sentence: Sentence, subject: Spot, match: re.Match[str], language: ModuleType) -> bool:
    return language.PRONOUN.search(sentence.between(subject.end, match.start())) is not None


def _objects_of(sentence: Sentence, methods: Sequence[Spot], after: int, language: ModuleType) -> Iterator[Spot]:
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
    sentence: Sentence, relation: Relation, ends: tuple[Spot | None, Spot], speaker: Self, *, is_reversed: bool
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
    yield _statement(sentence, relation, *pair)


def _is_same(subject: Spot, target: Spot, speaker: Self) -> bool:
    one, other = subject.name.casefold(), target.name.casefold()
    return one == other or (speaker.is_own(subject) and speaker.is_own(target))


def _proposed(sentence: Sentence, methods: Sequence[Spot], speaker: Self, language: ModuleType) -> Iterator[Statement]:
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
            yield _statement(sentence, "PROPOSES", speaker.paper, target.thing)


def _may_be_new(target: Spot, speaker: Self) -> bool:
    """Tell whether a name may be that of something new: it is not known from elsewhere, or it is a technique."""
    return target.known is None or target.technique or target.here or speaker.is_own(target)


def _first_named(spots: Sequence[Spot]) -> Spot | None:
    """Return the first name of some, or the one right behind it that says more: "a contrastive learning method FooNet"."""
    if len(spots) > 1 and spots[0].technique and not spots[1].technique and spots[1].start - spots[0].end <= _NEXT:
        return spots[1]
    return spots[0] if spots else None


def _follows(sentence: Sentence, end: int, target: Spot, language: ModuleType) -> bool:
    """Tell whether a name is what is proposed, and not a part of it: "an extension of FooNet"."""
    words = sentence.between(end, target.start).rstrip()
    if len(words) > _BEFORE_NAME or language.BREAK.search(words):
        return False
    if words.endswith((",", "，")):  # "a network for folding, FooNet, that"
        return "," not in words[:-1] and _APPOSITION.match(sentence.text, target.end) is not None
    return not _PART_OF.search(f" {words} ")


def _statement(sentence: Sentence, relation: Relation, source: Thing, target: Thing) -> Statement:
    return Statement(
        relation=relation,
        source=source,
        target=target,
        confidence=_CONFIDENCE[relation],
        start=sentence.start,
        end=sentence.end,
    )
