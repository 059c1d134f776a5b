"""Sentences that name somebody else than was counted for who proposed something: metadata outweigh them, but do not hide them."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.model import Evidence
from scholarmind.relations import Tally
from scholarmind.text.orders import is_order
from scholarmind.text.sentences import sentences
from scholarmind.writing import prose
from scholarmind.writing.extract import Quote
from scholarmind.writing.standing_in import Source
from scholarmind.writing.wanted import wanted
from scholarmind.writing.words import ORGANISATION_WORDS

_MOST = 2
_MOST_NAMES = 4  # in a question
_MADE = "proposed|introduced|developed|invented|created|designed|devised|presented"
_MADE_IN_CHINESE = "提出|发明|设计|开发|创建|推出"
_PERSON = r"(?P<who>[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+)){1,3})"
_HAN_PERSON = r"(?P<who>[\u3400-\u9fff]{2,4}|[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+)){1,3})"
_ONCE = r"(?: first| originally| initially)?"
_NAME = "<name>"  # stands for what is asked about
_SAID = (
    (
        rf"(?:^|[,;:(] ?|\b[a-z]+ )(?:The )?{_NAME}(?: \([^()]{{0,60}}\))?,?(?: (?:is|was|were|has been|had been))?"
        rf"{_ONCE} (?:{_MADE})(?: in \d{{4}})? by {_PERSON}"
    ),
    (
        rf"{_PERSON}(?: and (?:colleagues|others)| et al\.)?{_ONCE} (?:{_MADE}) (?:the )?{_NAME}"
        r"(?=[,.;:)]|$| (?:in|as|at|which|to|for|with)\b)"
    ),
    (
        rf"(?:^|[，。；：,;:]\s?){_NAME}\s?(?:最早|最初|首先)?是?由\s?{_HAN_PERSON}\s?(?:等人?)?(?:[于在]\s?\d{{4}}\s?年)?"
        rf"(?:{_MADE_IN_CHINESE})"
    ),
    rf"(?:^|[，。；：,;:]\s?){_HAN_PERSON}\s?(?:等人?)?(?:[于在]\s?\d{{4}}\s?年)?(?:{_MADE_IN_CHINESE})了?\s?{_NAME}(?=[，。；：,.]|$)",
)
_NAMED = re.compile(r"[A-Za-z]*[A-Z0-9][A-Za-z0-9.+-]*(?: [A-Za-z]*[A-Z0-9][A-Za-z0-9.+-]*)*")
_ASKING = re.compile(r"^(?:By )?(?:Who|Whom|Which|What)\b ?")


def otherwise(question: str, tally: Tally, evidence: Sequence[Evidence]) -> tuple[Quote, ...]:
    """Return sentences of other documents than those that were counted which plainly name somebody else."""
    if tally.form != "list" or wanted(question).kind != "person":
        return ()
    counted = [proof.evidence for row in tally.rows for proof in row.proofs]
    known = {(item.document.collection, item.document.id) for item in counted}
    others = [item for item in evidence if (item.document.collection, item.document.id) not in known]
    said = [re.compile(pattern.replace(_NAME, re.escape(name))) for name in _names(question) for pattern in _SAID]
    source = Source(counted)
    found = {quote.text: quote for item in others for quote in _quotes(item, said, source)}
    return tuple(found.values())[:_MOST]


def _names(question: str) -> list[str]:
    found = (_ASKING.sub("", match[0]).strip(" .") for match in _NAMED.finditer(question))
    return [name for name in found if len(name) > 1][:_MOST_NAMES]


def _quotes(item: Evidence, said: Sequence[re.Pattern[str]], known: Source) -> Iterator[Quote]:
    passage = item.passage
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        named = (match["who"] for pattern in said for match in pattern.finditer(text))
        if any(_is_new(who, known) for who in named) and prose.is_prose(text) and not is_order(text):
            yield Quote(evidence=item, start=passage.start + start, end=passage.start + end, text=text, score=1.0)


def _is_new(who: str, known: Source) -> bool:
    """Tell whether a name is that of somebody who is not among those that were counted, and of no group."""
    words = [word.strip(".") for word in who.split()]
    is_group = not ORGANISATION_WORDS.isdisjoint(word.lower() for word in words)
    return not is_group and not any(known.has(word) for word in words if len(word) > 1)
