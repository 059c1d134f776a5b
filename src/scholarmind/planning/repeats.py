"""Whether two parts of a plan ask the same, also in another order of words."""

import re

from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import REFERENCES
from scholarmind.planning.words import content
from scholarmind.text.analysis import terms

# who does it to whom counts: here another order is another question
_DIRECTED = re.compile(
    r"\b(?:affect|influenc|impact|caus|lead|led|improv|depend|cit|inspir|outperform|beat|convert|translat|teach|taught|acquir|from|than)\w*"
    r"|影响|导致|引起|改进|引用|依赖|启发|优于|翻译|收购|从.+到|比",
    re.IGNORECASE,
)
_ASKED = {
    "who": r"\b(?:who|whom|whose)\b|谁|哪位",
    "when": r"\b(?:when|what year|which year|what date)\b|何时|什么时候|哪一?年",
    "where": r"\bwhere\b|哪里|哪儿|何地|何处|在哪",
    "how many": r"\bhow (?:many|much|large|big|long|often|old|far|tall|high)\b|多少|几个|多大|多长|多久|多高",
    "why": r"\bwhy\b|为什么|为何|原因",
    "how": r"\bhow\b(?! (?:many|much|large|big|long|often|old|far|tall|high))|如何|怎么|怎样",
    "not": r"\b(?:not|no|never|without|except|\w+n't)\b|不|没|未|无",
}
_QUESTION_WORDS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _ASKED.items()}

Sameness = tuple[object, ...]


def sameness(draft: Draft) -> Sameness:
    """Return what two parts that ask the same have in common."""
    words = _words(draft.text)
    order = tuple(words) if _DIRECTED.search(draft.text) else tuple(sorted(words))
    asked = frozenset(name for name, pattern in _QUESTION_WORDS.items() if pattern.search(draft.text))
    return draft.role, order, asked, frozenset(REFERENCES.findall(draft.text))


def _words(text: str) -> list[str]:
    """Return the terms of the words that say something; where there are none, the text itself."""
    return terms(" ".join(content(text))) or [" ".join(text.lower().split())]
