"""What a sentence says that a method was trained on, tested on, made of, and made for. Pure."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.graph import cues
from scholarmind.graph.links import Self
from scholarmind.graph.sentence import Sentence
from scholarmind.graph.spotting import Spot
from scholarmind.relations import Relation, Statement, Thing

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


def use_statements(sentence: Sentence, speaker: Self) -> Iterator[Statement]:
    """Yield what the sentence says of data sets, techniques and tasks."""
    methods = [spot for spot in sentence.of("method") if not spot.technique]
    for spot in sentence.spots:
        if not (spot.technique or spot.kind in {"dataset", "task"}) or spot.generic or _denied_at(sentence, spot):
            continue
        subject = _subject_of(sentence, methods, spot)
        if spot.kind == "dataset":
            yield from _of_dataset(sentence, spot, subject, speaker)
        elif spot.technique and _is_about_own(sentence, subject, speaker):
            yield _statement(sentence, "USES", speaker.subject if subject is None else subject.thing, spot.thing, 0.55)
        elif spot.kind == "task" and _is_addressed(sentence, spot, subject, speaker):
            yield _statement(sentence, "ADDRESSES", speaker.subject, spot.thing, 0.5)


def _is_addressed(sentence: Sentence, spot: Spot, subject: Spot | None, speaker: Self) -> bool:
    """Tell whether a task is what the document's own method is for."""
    own = subject is None or speaker.is_own(subject)
    return own and _TASK.search(sentence.between(spot.start - 48, spot.start)) is not None


def _of_dataset(sentence: Sentence, spot: Spot, subject: Spot | None, speaker: Self) -> Iterator[Statement]:
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
        yield _statement(sentence, relation, source, spot.thing, sure)


def _listed_from(sentence: Sentence, subject: Spot | None, end: int) -> Sequence[Thing]:
    """Return a method with those that are listed behind it: "Foo, Bar and Baz were evaluated on"."""
    found: list[Spot] = []
    for spot in sentence.of("method"):
        follows = (
            found and found[-1].end <= spot.start and _LISTED.fullmatch(sentence.between(found[-1].end, spot.start))
        )
        if spot is subject or (follows and spot.end <= end):
            found.append(spot)
    return [spot.thing for spot in found]


def _is_about_own(sentence: Sentence, subject: Spot | None, speaker: Self) -> bool:
    """Tell whether a technique is said of the document's own method, and not of what it is compared with."""
    if _OTHERS_WORK.search(sentence.between(sentence.start, sentence.end)) or _RELATED_HEADING.search(sentence.heading):
        return False
    return speaker.method is not None if subject is None else speaker.is_own(subject)


def _denied_at(sentence: Sentence, spot: Spot) -> bool:
    """Tell whether the part of the sentence that a name stands in is denied."""
    before = re.split(r"[,;，；:：]", sentence.between(spot.start - 80, spot.start))[-1]
    return bool(cues.NEGATION.search(before) or _SET_ASIDE.search(before) or _TAKEN_OUT.match(sentence.text, spot.end))


def _subject_of(sentence: Sentence, methods: list[Spot], spot: Spot) -> Spot | None:
    """Return what the part of the sentence that a name stands in is about: the first method in it, or in the sentence."""
    before = [
        method
        for method in methods
        if method.end <= spot.start and not _COMPARED.search(sentence.between(method.start - 16, method.start))
    ]
    parts = list(_PART.finditer(sentence.text, sentence.start, spot.start))
    begin = parts[-1].end() if parts else sentence.start
    return next((method for method in before if method.start >= begin), next(iter(before), None))


def _statement(sentence: Sentence, relation: Relation, source: Thing, target: Thing, confidence: float) -> Statement:
    return Statement(
        relation=relation, source=source, target=target, confidence=confidence, start=sentence.start, end=sentence.end
    )
