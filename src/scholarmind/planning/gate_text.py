"""A question as the gate reads it: lower case, names as `@`, quotes as `@`, idioms out of the way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.model import Name
from scholarmind.text.language import HAN, lazy_regex

LONGEST = 2000  # characters; what is longer is composite anyway
_QUOTES = lazy_regex(r"“[^”]{1,200}”|「[^」]{1,200}」|『[^』]{1,200}』|《[^》]{1,200}》|‘[^’]{1,200}’|\"[^\"]{1,200}\"")
_SINGLE_QUOTES = lazy_regex(r"(?<![\w'])'[^']{1,120}'(?!\w)")
_IDIOMS = lazy_regex(
    r"\b(?:search and rescue|pros and cons|trial and error|supply and demand|research and development|retrieval and generation"
    r"|question and answer|question and answering|black and white|rock and roll|law and order|health and safety|terms and conditions"
    r"|advantages and disadvantages|strengths and weaknesses|checks and balances"
    r"|divide and conquer|command and control|rules and regulations"
    r"|nuts and bolts|back and forth|up and down|again and again"
    r"|more and more|one and only|odds and ends|profit and loss|mergers and acquisitions"
    r"|cause and effect|signal and noise|salt and pepper|bed and breakfast|track and field|arts and crafts|men and women"
    r"|first and last|north and south|east and west|day and night|husband and wife|life and death|war and peace|yes or no|more or less"
    r"|how and why|when and where|where and when|both sides|sooner or later|and so on|and so forth|and others|such and such"
    r"|greenhouse effect|side effects?|special effects?|sound effects?|domino effect|butterfly effect|placebo effect)\b",
    re.IGNORECASE,
)
_CHINESE_IDIOMS = lazy_regex(
    "优缺点|供求关系|国际关系|公共关系|人际关系|检索增强生成|搜索与救援|搜救|利与弊|与此同时|同时代|同时期|影响因子|影响力"
)
_FUNCTION = (
    "A|An|The|In|On|At|By|For|From|To|Of|With|As|And|Or|But|If|What|Who|Whom|Whose|Which|When|Where|Why|How|Is|Are|Was|Were|Do|Does|Did|Has|Have"
    "|Had|Can|Could|Will|Would|Should|May|Might|Name|List|Give|Tell|Explain|Describe|Compare|Discuss|Summarize|Summarise|Besides|After|Before"
    "|Between|During|Both|Under|Since|Until|According|Along|There|This|That|These|Those|It|He|She|They|His|Her|Their|Its|My|I|You|We|Please"
)
_LETTER = "A-Za-z0-9\u00c0-\u024f"
_WORD = rf"(?!(?:{_FUNCTION})\b)[A-Z0-9\u00c0-\u00de][{_LETTER}]*(?:[.&’'\-/](?!s\b)[{_LETTER}]+)*\.?(?![{_LETTER}])"
_BETWEEN = r"\s(?:(?:of|the|de|del|von|van|der|la|le|ap|&)\s(?:the\s)?)?"
_NAMES = lazy_regex(rf"(?<![{_LETTER}])(?=[A-Z\u00c0-\u00de]|\d+[A-Z-]){_WORD}(?:{_BETWEEN}{_WORD})*")
_NAME_OF = lazy_regex(r"\bthe (?:full |real |official )?names? (?:of|for) (?=an?\b|the\b)")  # asks for the thing itself
_SPACES = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateText:
    """`plain`: lower case with quotes and idioms taken out; `masked`: the same with every name as `@`."""

    plain: str
    masked: str
    chinese: bool


def gate_text(question: str, names: Sequence[Name] = ()) -> GateText:
    """Return the question without what may look like a cue and is none."""
    text = _without_names(question, names)[:LONGEST]
    text = _QUOTES.sub(" Quoted ", text)
    text = _SINGLE_QUOTES.sub(" Quoted ", text)
    text = _CHINESE_IDIOMS.sub("成语", _IDIOMS.sub("idiom", text))
    text = _SPACES.sub(" ", text).strip()
    cased = sum(map(str.isupper, text)) <= len(text) / 3
    masked = _NAMES.sub("@", text) if cased else text
    return GateText(plain=text.lower(), masked=_NAME_OF.sub("", masked.lower()), chinese=is_chinese(text))


def is_chinese(text: str) -> bool:
    """Tell whether a question is mostly written in Chinese: a Latin word weighs as much as two characters."""
    return len(HAN.findall(text)) > 2 * len(_LATIN.findall(text))


def _without_names(question: str, names: Sequence[Name]) -> str:
    """Put a word for each name of the library, so that `Attention and Memory` is not taken for two things."""
    pieces: list[str] = []
    end = 0
    for name in sorted(names, key=lambda name: name.start):
        if name.start >= end and name.end <= len(question):
            pieces += (question[end : name.start], "Quoted")
            end = name.end
    return "".join((*pieces, question[end:]))
