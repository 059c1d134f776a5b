"""How sure we may be that what was said answers a question.

A reader of answers, shown what was said between its neighbours, tells how likely it answers; that every name of the question stands
somewhere in what was found raises the odds, that one stands nowhere lowers them. Nothing else was found to help on questions that it was
not made for (docs/decisions/0066-rows-are-read.md). Where no reader is at hand, or none that knows the language, it is the share of the
question's words, weighed by rarity, that the best text holds. This module knows nothing of plans, claims or models.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.judge.open_questions import asks_what_is_open, leaves_open
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import HAN, language_of

PARTIAL, ANSWERED = 0.5, 0.6  # sure at least so much
READ, NAMED_ALL = 0.34, 0.78  # logistic weights, learnt by hiding what answers (`scripts/train_answers.py`)
START = {"en": -0.95, "zh": -0.4}  # where as many are wrong on either side: the reader is less sure of Chinese
_ALL_ITS_WORDS = 0.75  # how sure that a sentence answers a yes-or-no question, with `_MOST_WORDS` of its words
_MOST_WORDS = 0.75
_BEGINS_SO = 0.9  # how sure that a sentence that begins with a thing says what it is
_GIVES_A_REASON = 0.75  # how sure that a "because" gives the reason, where all words of the question stand around it
_GIVES_THE_NUMBER = 0.85  # how sure that the number is asked for that stands at the counted thing, with most words of the question around
_MOST_AROUND = 0.66
_ALL_AROUND = 0.8
_TOLD_IN_BRACKETS = 0.9  # how sure we are that an amount in brackets behind a name is of what it names
STRANGE = 0.7  # what is left of a share of words where a name of the question stands nowhere, or a number is asked for and none given
_NEAR = 0.3  # sure at least so much, what does not answer comes near
UNSAID = 0.3  # what is left of how sure we are of a row that nothing was said of

_LONGEST_QUESTION, _LONGEST_TEXT = 2_000, 8_000
_MOST_TEXTS = 12
_MOST_READ = 6  # by a reader, which takes some ten milliseconds each
_NAMED = 3  # names in a reason
_LEAST_ODDS = 0.007  # five, as a logarithm
_RAREST = 0.05  # no word counts nothing
_NAME = re.compile(
    r"[^\W\d_a-z][\w.'’\-]*(?:[ ](?:(?:of|the|de|la|and|&|van|von|in|for)[ ])?(?:[^\W\d_a-z][\w.'’\-]*|\d[\w.]*))*"
)
_SPEAKER = re.compile(r"\bI(?:['’](?:m|d|ve|ll))?\b")
_QUOTED = re.compile(r"[《“「『\"]([^《》“”「」『』\"]{2,80})[》”」』\"]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*\d[A-Za-z0-9_.\-]*|[A-Z][A-Za-z0-9_.\-]+|[a-z][a-z0-9_.\-]{2,}[a-z0-9]")
_NUMBER = re.compile(
    r"\d|[两二三四五六七八九十百千万亿]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|[mb]illion)s?\b",
    re.IGNORECASE,
)
_ANY_NUMBER = (
    r"(?:\d[\d.,]*|[两二三四五六七八九十百千万]+"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|hundred|thousand|million)\b)"
)
_COUNTED = re.compile(
    r"\bhow many ((?:[\w'-]+ ){0,2}?[\w'-]+)"
    r"(?= (?:are|is|was|were|did|does|do|have|has|had|can|could|will|would|took|take|there|in|on|of|at)\b|\s*\?|$)"
    r"|(?:多少|几)\s*([^\W\da-z]{1,3})",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"([^\W\da-zA-Z]{2})(?:是|为|有|达|约|大约|共|共有)?多少")
_ASKS_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|often|far|large|big|old|high|tall|wide|deep|fast|heavy)\b"
    r"|\b(?:is|are|was|were|did|does|do|has|have|had|there)\b"
    r"|多少|是|为|有|[几？?]",
    re.IGNORECASE,
)
_ASKS_THE_SIZE = re.compile(r"\bhow (?:long|far|large|big|old|high|tall|wide|deep|fast|heavy)\b", re.IGNORECASE)
_DATE = re.compile(r"\b1[0-9]\d\d\b|\b20\d\d\b|\d年|[一二三四五六七八九十〇]年")
_ASKS_WHEN = re.compile(
    r"\b(?:when|in|on|(?:what|which) (?:year|date|day|month))\b|\b(?:is|are|was|were|did|does|do|has|have|had|the)\b"
    r"|何时|什么时候|哪一?[年月天]|几[年月]|是|的|在|于|了|[？?]",
    re.IGNORECASE,
)
_PROPERTY = re.compile(
    r"^(?:what|who) (?:is|are|was|were) the ([a-z][\w-]*(?: [\w-]+){0,3}?) (?:of|in|for|at) "
    r"|的([^\W\da-zA-Z的]{2,6})(?:是|为)(?:谁|什么|哪|何)",
    re.IGNORECASE,
)
_ASKING = frozenset(terms("what who is are was were the of in for at 谁 什么 哪 何 是 为 的 是谁 是什 是哪 么？"))
_PRICE = {"钱": "元"}
_ARTICLE = re.compile(r"^(?:an? |the )", re.IGNORECASE)
_SPACES = re.compile(r"[\s_-]+")
_POSSESSIVE = re.compile(r"['’]s\b")

AnswerReader = Callable[
    [str, Sequence[tuple[str, Sequence[str]]]], Sequence[Sequence[float]]
]  # how likely each sentence of each text, a title and sentences, answers a question; nothing for a text that it cannot read
Likeness = Callable[
    [str, Sequence[str]], Sequence[float | None]
]  # how much alike a question and each of some texts are in meaning, if that can be told
Kind = Literal["gain", "date", "number", "person", "place", "reason", ""]
# the question words of both languages, and what each asks for
_KINDS: Mapping[Kind, str] = {
    "gain": r"\b(?:what|how (?:much|large|big)|by how much)\b[^?]{0,40}\b(?:gains?|improvements?|improve[sd]?|speed-?ups?|faster|better)\b"
    r"|(?:提升|提高|改进|增益|加速|涨幅)[^？?，,]{0,8}(?:多少|几倍|多大|如何|怎样)|(?:快|好|强)(?:了)?多少",
    "date": r"\b(?:when|(?:what|which) (?:year|date|day|month))\b|何时|什么时候|哪一?[年月天]|哪个月|几[年月]",
    "number": r"\bwhat (?:is|are|was|were)\b[^?]{1,80}\b(?:size|amount|length|price|population)\b"
    r"|\bhow (?:much|many|long|often|far|large|big|old|high|fast|heavy)\b|多少|多[大久长高重远快贵便]|几[个种次篇人家位名天]",
    "person": r"\bwho(?:m|se)?\b|谁|何人|哪[位名]",
    "place": r"\bwhere\b|哪里|哪儿|何处|什么地方",
    "reason": r"\bwhy\b|为什么|为何|什么原因",
}


_YES_OR_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have|had)\b|了?吗[？?]?\s*$|是否|能否|可否|能不能|是不是|有没有|会不会",
    re.IGNORECASE,
)
_ASKS_FOR_A_LIST = re.compile(
    r"\b(?:what|which|list|are|is|the|there|name)\b|有?哪些|有什么|是什么|列出", re.IGNORECASE
)
_WHY = re.compile(r"\bwhy\b|为什么|为何|什么原因|很|会|\b(?:is|are|was|were|do|does|did|so)\b", re.IGNORECASE)
_BECAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|as a result of|in order to|so that)\b|因为|由于|以便|为了|所致", re.IGNORECASE
)
_STATES_A_GAIN = re.compile(
    r"\d[^.。;；]{0,60}"
    r"\b(?:times|faster|slower|cheaper|fewer|less|more|better|higher|lower|than|over|against|compared|versus|instead of|while)\b"
    r"|\b(?:gain(?:s|ed)?|improv\w+|outperform\w*|rais\w+|speed-?ups?|faster|compared|reduc\w+|cut\w*)\b[^.。;；]{0,80}\d"
    r"|\d[^。；]{0,30}(?:倍|低于|高于|优于|超过|而)|(?:比|较|相比|低于|高于|优于|超过|提升|提高|提速|降低|减少|领先)[^。；]{0,40}\d",
    re.IGNORECASE,
)


_DEFINITION_ASKED = (
    re.compile(r"^(?:what|who) (?:is|are|was|were) (?:an? |the )?(?P<subject>[^?]{1,60}?)\??$", re.IGNORECASE),
    re.compile(r"^(?:什么是|介绍一?下?|解释一?下?)(?P<subject>[^？?，。]{1,30}?)[？?。]?$"),
    re.compile(r"^(?P<subject>[^？?，。]{1,30}?)(?:是什么|是谁|指什么|是什么意思|的定义)[？?。]?$"),
)


def asks_for_a_gain(question: str) -> bool:
    """Tell whether a question asks how much better something is than something else: bare results are no answer to that."""
    return kind_of(question) == "gain"


def states_a_gain(text: str) -> bool:
    """Tell whether a text states an amount beside what it is compared with."""
    return _STATES_A_GAIN.search(text) is not None


def gives_the_number(question: str, text: str, around: str, passage: str) -> bool:
    """Tell whether a text gives the number that is asked for: at the thing that is counted or measured, and about what the question is.

    Every name of the question has to stand in the passage, and most of its other words in the text or around it.
    """
    counted, measured = _COUNTED.search(question), _MEASURED.search(question)
    thing = (counted[1] or counted[2]) if counted else ""
    if counted and counted[1]:
        stem = re.escape(thing.split()[-1][: max(3, len(thing.split()[-1]) - 2)])
        stands = re.search(
            rf"{_ANY_NUMBER}(?:[ -](?!(?:of|to|and|in|at)\b)[\w'-]+){{0,2}}[ -]{stem}", text, re.IGNORECASE
        )
    elif not counted and _ASKS_THE_SIZE.search(question):
        stands = re.search(rf"{_ANY_NUMBER}(?: ?[%°x×]| [a-z]\w*)", text, re.IGNORECASE)
    else:
        units = {_PRICE.get(thing[:size], thing[:size]) for size in (1, 2, 3) if thing}
        stands = any(re.search(rf"{_ANY_NUMBER}\s*[多余来万亿]?\s*{re.escape(unit)}", text) for unit in units) or (
            measured and re.search(rf"{measured[1]}[为是约达共有近超过：:]{{0,3}}\s*{_ANY_NUMBER}", text)
        )
    if not stands:
        return False
    known = frozenset(terms(f"{text} {around}"))
    names, folded = list(names_in(question)), fold(passage)
    wanted = frozenset(terms(_ASKS_HOW_MANY.sub(" ", question))) - frozenset(terms(f"{thing} {' '.join(names)}"))
    least = _MOST_AROUND if thing or measured else _ALL_AROUND
    return len(wanted & known) >= least * len(wanted) > 0 and all(fold(name) in folded for name in names)


def gives_the_date(question: str, text: str, around: str) -> bool:
    """Tell whether a text has a date, and with what stands around it nearly all words of a question for one."""
    wanted, known = frozenset(terms(_ASKS_WHEN.sub(" ", question))), frozenset(terms(f"{text} {around}"))
    return bool(_DATE.search(text)) and len(wanted & known) >= _ALL_AROUND * len(wanted) > 1


def gives_the_property(question: str, asked_for: re.Match[str], text: str, around: str) -> bool:
    """Tell whether a text says what a property of a thing is, in the words of the question: "the designer of the dam was ..."."""
    name = asked_for[1] or asked_for[2]
    pattern = (
        rf"{re.escape(name)}(?:是|为|：|:)"
        if asked_for[2]
        else rf"\b{re.escape(name)}\b[^.;,]{{0,60}}?(?:\b(?:is|was|are|were)\b|:)"
    )
    wanted, known = frozenset(terms(question)) - _ASKING, frozenset(terms(f"{text} {around}"))
    return re.search(pattern, text, re.IGNORECASE) is not None and len(wanted & known) >= _ALL_AROUND * len(wanted) > 1


def reading_of(question: str, sentences_of: Sequence[str], read: Sequence[float], heading: str = "") -> list[float]:
    """Return what a reader makes of sentences, put right where code knows better. The heading is a title, and below it that of a section.

    `Corpus (800 million words)` tells how large it is; a sentence with all words of a yes-or-no question, affirmed or denied, answers it; a
    "because" where all words of a question for a reason stand gives that.
    """
    if not asks_what_is_open(question):
        read = [0.0 if leaves_open(text, question) else one for one, text in zip(read, sentences_of, strict=False)]
    if _YES_OR_NO.search(question):
        wanted = frozenset(terms(_YES_OR_NO.sub(" ", question)))
        return [
            max(one, _ALL_ITS_WORDS)
            if one and len(wanted & frozenset(terms(text))) >= _MOST_WORDS * len(wanted) > 1
            else one
            for one, text in zip(read, sentences_of, strict=False)
        ]
    if property_asked := _PROPERTY.search(question):
        read = [
            max(one, _GIVES_THE_NUMBER)
            if one and gives_the_property(question, property_asked, text, f"{heading} {before}")
            else one
            for one, text, before in zip(read, sentences_of, ("", *sentences_of), strict=False)
        ]
    if thing := defined_thing(question):
        return [
            max(one, _BEGINS_SO) if begins_with(thing, text) else one
            for one, text in zip(read, sentences_of, strict=False)
        ]
    if is_headed_so(question, heading.rpartition("\n")[2]) and len(read) > 1:
        return [max(one, _GIVES_A_REASON) for one in read]
    if kind_of(question) == "reason":
        wanted = frozenset(terms(_WHY.sub(" ", question)))
        around = " ".join((heading, *sentences_of))
        known = frozenset(terms(around))
        held = (
            sum(word in known or (len(word) == 1 and word in around) for word in wanted)
            >= _MOST_WORDS * len(wanted)
            > 0
        )
        return [
            max(one, _GIVES_A_REASON) if held and _BECAUSE.search(text) else one
            for one, text in zip(read, sentences_of, strict=False)
        ]
    if kind_of(question) == "date":
        return [
            max(one, _GIVES_THE_NUMBER) if one and gives_the_date(question, text, f"{heading} {before}") else one
            for one, text, before in zip(read, sentences_of, ("", *sentences_of), strict=False)
        ]
    if kind_of(question) != "number" or not read:
        return list(read)
    read = [
        max(one, _GIVES_THE_NUMBER)
        if one and gives_the_number(question, text, f"{heading} {before}", " ".join((heading, *sentences_of)))
        else one
        for one, text, before in zip(read, sentences_of, ("", *sentences_of), strict=False)
    ]
    amount = r"[^()（）\w]{0,3}[(（][^()（）]{0,40}\d"
    named_so = [re.compile(re.escape(name) + amount, re.IGNORECASE) for name in names_in(question)]
    return [
        max(one, _TOLD_IN_BRACKETS) if any(pattern.search(text) for pattern in named_so) else one
        for one, text in zip(read, sentences_of, strict=False)
    ]


def defined_thing(question: str) -> str:
    """Return the thing that a definition is asked of; '' for any other question."""
    for pattern in _DEFINITION_ASKED:
        if match := pattern.match(question.strip()):
            subject = match["subject"].strip()
            is_long = len(subject.split()) > 4 or re.search(
                r"\b(?:of|in|on|for|by|to|at|with|from)\b|['’]s?\b|的|和|与", subject
            )
            return "" if is_long else subject
    return ""


def begins_with(thing: str, text: str) -> bool:
    """Tell whether a text begins with a thing, whatever its case and its spaces, and whatever article stands before it."""
    return _SPACES.sub("", fold(_ARTICLE.sub("", text)[: 2 * len(thing) + 8])).startswith(_SPACES.sub("", fold(thing)))


def is_headed_so(question: str, heading: str) -> bool:
    """Tell whether a section is called what a question asks for: then its list answers it."""
    named_so, wanted = frozenset(terms(heading)), frozenset(terms(_ASKS_FOR_A_LIST.sub(" ", question)))
    if not _ASKS_FOR_A_LIST.search(question) or not wanted:
        return False
    return len(named_so & wanted) >= _MOST_WORDS * len(wanted) > 1


def in_context(reader: AnswerReader, context: str) -> AnswerReader:
    """Return a reader that is shown the context of a question before it: what was told beside it, and may name what it speaks of."""
    return (lambda question, texts: reader(f"{context} {question}", texts)) if context else reader


def as_read(question: str) -> str:
    """Return a question as a reader is shown it: one for a gain in plain words, which it understands better."""
    names = list(names_in(question))
    if not names or not asks_for_a_gain(question):
        return question
    told = "、".join(names[:_NAMED]) if language_of(question) == "zh" else ", ".join(names[:_NAMED])
    return f"{told}比以前的方法好多少？" if language_of(question) == "zh" else f"How much better is {told} than before?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A text that may answer, the passage that it is from, and what its document is known by."""

    text: str
    passage: str = ""
    title: str = ""
    about: str = ""  # authors, source, date, headings
    heading: str = ""  # that it stands under, beside the title

    @property
    def named(self) -> str:
        """What a reader is told that the text is of."""
        return named(self.title, self.heading)


def named(title: str, heading: str) -> str:
    """Return a title with the heading of a section behind it, as a reader is shown both."""
    return f"{title}: {heading}" if heading and heading != title else title


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether a question is answered: how sure that is (0 to 1), and if it is not, a sentence on what is missing."""

    confidence: float
    status: Literal["answered", "partial", "not in the library"]
    missing: str = ""
    is_near: bool = False  # whether what was said may be shown as what comes nearest, where it does not answer


def judge(
    question: str,
    said: Sequence[Ground],
    found: Sequence[Ground],
    rarity: Mapping[str, float],
    reader: AnswerReader | None = None,
    *,
    by_model: bool = False,
) -> Judgement:
    """Judge what was `said`, beside all that was `found`. `rarity` is that of the question's terms; one that it lacks is the rarest.
    A reader, if there is one, is shown what was said. What it cannot read, being in another language, is told by words, and so may be what
    a model wrote `by_model` for this question: they were not found by being like it.
    """
    if not any(ground.text.strip() for ground in found):
        return Judgement(confidence=0.0, status="not in the library", missing=_nothing(question))
    judged = said or found
    odds = likelihood(question, judged, reader) if reader else None
    if odds is None:
        confidence = _held(question, judged, found, rarity)
    else:
        is_named = not lacks_names(question, found)
        confidence = 1 / (
            1 + math.exp(-(START.get(language_of(question), START["en"]) + READ * odds + NAMED_ALL * is_named))
        )
        by_words = judged if by_model else [one for one in judged if language_of(one.text) != language_of(question)]
        confidence = max(confidence, _held(question, by_words, found, rarity))
    if asks_for_a_gain(question) and not any(states_a_gain(ground.text) for ground in said):
        confidence = UNSAID * confidence
    confidence = round(confidence, 4)
    if not said:
        return Judgement(
            confidence=round(UNSAID * confidence, 4), status="not in the library", missing=_unsaid(question)
        )
    if confidence >= ANSWERED:
        return Judgement(confidence=confidence, status="answered")
    if confidence >= PARTIAL and not lacks_names(question, found):
        return Judgement(confidence=confidence, status="partial", missing=_unsure(question))
    status = "partial" if confidence >= PARTIAL else "not in the library"
    is_near = confidence >= _NEAR and not lacks_names(question, found)
    missing = _not_surely(question) if is_near else lacking(question, found)
    return Judgement(confidence=confidence, status=status, missing=missing, is_near=is_near)


def likelihood(question: str, said: Sequence[Ground], reader: AnswerReader) -> float | None:
    """Return the logarithm of the odds that what was said answers: that of the likeliest sentence; None where none can be read.

    What stands so in a passage is read there, between its neighbours. What is in another language than the question is not read: the
    reader has learnt nothing of such pairs.
    """
    language = language_of(question)
    said = [ground for ground in said if language_of(ground.text) == language][:_MOST_READ]
    parted = [_parted(ground) for ground in said]
    texts = dict.fromkeys((ground.named, told) for ground, (told, _) in zip(said, parted, strict=False))
    read = dict(zip(texts, reader(as_read(question), list(texts)), strict=True))
    likely = [
        one
        for ground, (told, own) in zip(said, parted, strict=False)
        for one, is_own in zip(
            reading_of(question, told, read[ground.named, told], f"{ground.title}\n{ground.heading}"), own, strict=False
        )
        if is_own
    ]
    return math.log((max(likely) + _LEAST_ODDS) / (1 - max(likely) + _LEAST_ODDS)) if likely else None


def _parted(ground: Ground) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Return the sentences that a reader is shown of a text, and which of them were said."""
    passage = ground.passage if ground.text in ground.passage else ground.text
    start, spans = passage.find(ground.text), list(sentences(passage))
    own = tuple(first < start + len(ground.text) and start < last for first, last in spans)
    return tuple(passage[first:last] for first, last in spans), own


def lacking(question: str, found: Sequence[Ground]) -> str:
    """Say in a sentence what is missing: the thing that nothing speaks of, or the kind of thing that is not given."""
    names = list(dict.fromkeys(names_in(question[:_LONGEST_QUESTION])))
    return _lacking_in(language_of(question), lacks_names(question, found), names, kind_of(question))


def lacks_names(question: str, found: Sequence[Ground]) -> list[str]:
    """Return the names of a question that nothing of what was found has."""
    folded = [fold(f"{one.text} {one.passage} {one.title} {one.about}") for one in found[:_MOST_TEXTS]]
    names = dict.fromkeys(names_in(question[:_LONGEST_QUESTION]))
    return [name for name in names if not any(fold(name) in text for text in folded)]


def _held(question: str, said: Sequence[Ground], found: Sequence[Ground], rarity: Mapping[str, float]) -> float:
    """Return how sure words alone make us: by the share of the question's that the best text holds.

    Half of them are taken for three quarters sure: people rarely ask in the words of a document. Of a text in another language only names
    and what can be translated are asked for; of one that should give a number, that it has any.
    """
    question = question[:_LONGEST_QUESTION]
    most = max(rarity.values(), default=1.0)
    weights = {term: max(_RAREST, rarity.get(term, most)) for term in terms(question)}
    others = {
        term: [frozenset(terms(one)) for one in translated]
        for word, translated in translations(question)
        for term in terms(word)
    }
    language, asks_a_number = language_of(question), kind_of(question) in {"number", "date"}
    crossing = {*others, *(term for name in names_in(question) for term in terms(name))} & weights.keys()
    best = 0.0
    for ground in said[:_MOST_TEXTS]:
        held = frozenset(terms(f"{ground.text[:_LONGEST_TEXT]} {ground.title} {ground.about}"))
        asked = crossing if crossing and language_of(ground.text) != language else weights.keys()
        share = sum(
            weights[term]
            for term in asked
            if term in held or any(other and other <= held for other in others.get(term, ()))
        )
        lost = 1 - share / (sum(weights[term] for term in asked) or 1.0)
        best = max(best, (1 - lost**2) * (STRANGE if asks_a_number and not _NUMBER.search(ground.text) else 1))
    return best * (STRANGE if lacks_names(question, found) else 1)


# -- the question


def kind_of(question: str) -> Kind:
    """Return what kind of thing is asked for, if a question word tells."""
    first: Kind = ""
    begins = len(question)
    for kind, pattern in _KINDS.items():
        match = re.search(pattern, question, re.IGNORECASE)
        if match and match.start() < begins:
            first, begins = kind, match.start()
    return first


def names_in(question: str) -> Iterator[str]:
    """Yield what must stand whole: names with capitals (not the first word of an English question), and what is in quotes."""
    for match in _QUOTED.finditer(question):
        yield match[1].strip()
    if HAN.search(question):
        yield from _LATIN.findall(question)
        return
    bare = _SPEAKER.sub("i", _POSSESSIVE.sub("", question[:1].lower() + question[1:]))
    for match in _NAME.finditer(bare):
        if len(name := match[0].strip(" .'’-")) > 1:
            yield name


# -- in words


def _nothing(question: str) -> str:
    return "没有找到任何段落" if language_of(question) == "zh" else "no passage was found"


def _unsaid(question: str) -> str:
    return (
        "回答中没有一句得到证实的话谈到这一点"
        if language_of(question) == "zh"
        else "no confirmed sentence of the answer is about this"
    )


def _unsure(question: str) -> str:
    return "不能确定这是否回答了问题" if language_of(question) == "zh" else "it is not sure that this answers it"


def _not_surely(question: str) -> str:
    return "没有段落确定回答了这一点" if language_of(question) == "zh" else "no passage surely answers this"


_GIVES: Mapping[Kind, tuple[str, str]] = {
    "date": ("no date", "时间"),
    "number": ("no number", "数字"),
    "gain": ("no gain over anything else", "与其他方法相比的提升"),
    "person": ("no name", "是谁"),
    "place": ("no place", "地点"),
    "reason": ("no reason", "原因"),
    "": ("no answer to this", "答案"),
}


def _lacking_in(language: str, strange: Sequence[str], names: Sequence[str], kind: Kind) -> str:
    english, chinese = _GIVES[kind]
    if language == "zh":
        about = f"关于{'、'.join(names[:_NAMED])}的段落" if names else "找到的段落"
        return f"没有段落提到{'、'.join(strange[:_NAMED])}" if strange else f"{about}没有给出{chinese}"
    about = f"passages on {', '.join(names[:_NAMED])}" if names else "passages that were found"
    return f"no passage speaks of {', '.join(strange[:_NAMED])}" if strange else f"the {about} give {english}"
