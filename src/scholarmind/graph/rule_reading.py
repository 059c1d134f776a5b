"""What a document states, read out of it by rules: results, and that a method improves on, uses or proposes another. Pure.

No model, and nothing from outside but the names that are known already.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import ModuleType

from scholarmind.graph import chinese_cues, cues, english_cues
from scholarmind.graph.cues import Cue
from scholarmind.graph.document_statements import (
    metadata_statements,
    own_name,
    paper_of,
    reference_statements,
    thing,
    values_of,
)
from scholarmind.graph.entity_recognition import (
    EntitySentence,
    Own,
    Spot,
    TextUnit,
    definitions,
    named_by_place,
    other_names,
    spots_in,
    stretches_of,
    topic_of,
    with_own,
)
from scholarmind.graph.gazetteer import NOTHING, DocumentNames, KnownNames, lexicon, named_in
from scholarmind.graph.result_extraction import result_statements, table_statements
from scholarmind.model import Document, Entry
from scholarmind.relations import Extracted, Relation, Statement, Thing

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
        # what a sentence says at its head of the method behind the comma: "Building on Foo, Bar ...", "与Foo相比，Bar更准"
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
        # what the part of the sentence that a name stands in is about: the first method in it, or in the sentence
        before = [
            method
            for method in methods
            if method.end <= spot.start and not _COMPARED.search(sentence.between(method.start - 16, method.start))
        ]
        parts = list(_PART.finditer(sentence.text, sentence.start, spot.start))
        begin = parts[-1].end() if parts else sentence.start
        subject = next((method for method in before if method.start >= begin), next(iter(before), None))
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


def _use_statement(
    sentence: EntitySentence, relation: Relation, source: Thing, target: Thing, confidence: float
) -> Statement:
    return Statement(
        relation=relation, source=source, target=target, confidence=confidence, start=sentence.start, end=sentence.end
    )


# -- what a document states

VERSION = "rules 3"  # stored with what was extracted; another version means that documents are read again
_MOST_STATEMENTS = 20_000  # of one document
_MOST_ALIASES = 1_000


def extract(entry: Entry, known: KnownNames = NOTHING) -> Extracted:
    """Return all that the document states, each statement with the characters of its text that prove it."""
    reading = _DocumentReading(entry, known)
    told = [*metadata_statements(entry), *reference_statements(entry)]
    told += islice(reading.statements(), max(0, _MOST_STATEMENTS - len(told)))
    return Extracted(
        collection=entry.document.collection,
        document=entry.document.id,
        statements=tuple(_once(told)),
        version=VERSION,
        aliases=tuple(reading.aliases)[:_MOST_ALIASES],
    )


class _DocumentReading:
    """One document while it is read: its sentences and tables, and the names that it defines on the way."""

    def __init__(self, entry: Entry, known: KnownNames) -> None:
        self.entry = entry
        self.aliases: dict[tuple[Thing, Thing], None] = {}  # in order, each once
        self.speaker = _speaker_of(entry.document)
        self.is_about_own = False  # the sentence before
        self.own = KnownNames.of(thing("method", name) for name in self.speaker.spelled)
        self.defined = DocumentNames()
        self.known = (self.own, known, lexicon().known, KnownNames.of(named_in(entry.document)), self.defined.known)

    def statements(self) -> Iterator[Statement]:
        """Yield what sentences and tables state, in order."""
        for stretch in stretches_of(self.entry):
            if stretch.is_table:
                yield from table_statements(self.entry.text, stretch.start, stretch.end, self._spots)
            else:
                yield from self._of_sentence(stretch)

    def _of_sentence(self, stretch: TextUnit) -> Iterator[Statement]:
        text = self.entry.text
        for long, short in definitions(text, stretch.start, stretch.end):
            # remember two names that the text defines as one thing; from here on both are known
            self.aliases[short, long] = None
            for each in (long, short):
                self.defined.add(each)
        for named in named_by_place(text, stretch.start, stretch.end, self.known):
            self.defined.add(named)
        spots = self._spots(stretch.start, stretch.end)
        if not spots and not self.is_about_own:
            return
        if self.speaker.method is not None:
            own = Own(self.speaker.method.name, self.speaker.is_own, self.is_about_own)
            spots = with_own(text, spots, (stretch.start, stretch.end), own)
        if (topic := topic_of(spots)) is not None:
            self.is_about_own = self.speaker.is_own(topic)
        self.aliases.update(dict.fromkeys(other_names(spots)))
        sentence = EntitySentence(text, stretch.start, stretch.end, spots, stretch.heading)
        results = list(result_statements(sentence))
        yield from results
        for result in results:
            yield replace(result, relation="EVALUATED_ON", metric="", value="", number=None, setting="")
        for link in link_statements(sentence, self.speaker):
            # take the first method that a document without a name says it proposes for its own
            target, name = link.target, link.target.name
            is_new = link.relation == "PROPOSES" and target.kind == "method" and not name.islower()
            if self.speaker.method is None and is_new:
                names = {other.name.casefold() for pair in self.aliases if target in pair for other in pair}
                names |= self.speaker.names | {name.casefold()}
                self.speaker = replace(self.speaker, method=target, names=frozenset(names))
                self.is_about_own = True
            yield link
        yield from use_statements(sentence, self.speaker)

    def _spots(self, start: int, end: int) -> list[Spot]:
        return spots_in(self.entry.text, start, end, self.known)


def _speaker_of(document: Document) -> Self:
    name = own_name(document)
    names = {name, *values_of(document, "aliases"), *values_of(document, "alias")} - {""}
    return Self(
        paper=paper_of(document),
        method=thing("method", name) if name else None,
        spelled=tuple(sorted(names)),
        names=frozenset(each.casefold() for each in names),
    )


def _once(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield each statement once: the one that a place of the text proves, if there is one, and the surest of several."""
    best: dict[object, Statement] = {}
    for statement in statements:
        same = (statement.relation, statement.source, statement.target, statement.metric, statement.value)
        kept = best.get(same)
        if kept is None or (kept.by == "rules" and statement.confidence > kept.confidence):
            best[same] = statement
        elif kept.end == 0 and statement.end:
            sure, setting = max(kept.confidence, statement.confidence), kept.setting or statement.setting
            best[same] = replace(statement, confidence=sure, setting=setting)
    yield from best.values()
