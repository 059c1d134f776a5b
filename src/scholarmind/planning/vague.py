"""Parts that point at something outside of them: `it` without a name before it, `the above`, `compare the results`."""

import re

from scholarmind.plan import Role
from scholarmind.planning.completion import completed
from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import REFERENCES, Line, Protector
from scholarmind.planning.words import CHINESE, CHINESE_FUNCTION, content, question
from scholarmind.text.language import lazy_regex

_POINTER = lazy_regex(
    r"\b(?:(?P<own>its|their|his|her)\b(?=\s+[a-z0-9])|(?:it|they|them|he|she|him|(?:this|these|those|such"
    r"|the (?:above(?:-mentioned)?|aforementioned|said|same|previous|preceding))"
    r"(?: (?!year|century|day|week|month|is\b|are\b|was\b|were\b)[a-z\-]+)?)(?=\s|[?.,;]|$))"
    r"(?! (?:is |was )?(?:possible|necessary|true|important|better|common|easy|hard|difficult|worth|likely|used to|means?|takes?)\b)",
    re.IGNORECASE,
)
_CHINESE_POINTER = lazy_regex(
    r"(?P<own>(?:它们?|他们?|她们?|其)的?)(?!中|他|余|次|实|人)"
    r"|(?:这些|那些|这[两三几]?[个种类项篇]|(?<!应)该|上述|以上|前述|前面的?|此)"
    r"(?:方法|模型|数据集|论文|技术|算法|系统|问题|机制|研究|机构|公司|作者|人|国家|城市)?"
)
_COMPARES = lazy_regex(
    r"\b(?:compar|contrast|differ|versus|vs\b|similarit)|比较|对比|对照|区别|差异|异同|不同", re.IGNORECASE
)
_PUTS = lazy_regex(
    r"\b(?:compar|contrast|differ|synthes|summary|summari|conclu|combine|combining|integrate|integrating|above|results?\b|findings?\b|answers?\b"
    r"|relationship|together|overall)|比较|对比|对照|区别|差异|异同|综合|总结|归纳|汇总|结论|上述|以上|结果|答案|整合|概括|概述",
    re.IGNORECASE,
)
_SEVERAL = lazy_regex(r" and |, |、|和")
_GENERIC = frozenset(
    "above result results answer answers finding findings part parts step steps previous preceding earlier following two three four "
    "information synthesize synthesise synthesis combine combined integrate conclude conclusion conclusions draw final overall summary "
    "similarities similarity sub-question sub-questions subquestion subquestions question questions based together aspect aspects "
    "entities entity sides side everything obtained retrieved collected gathered aforementioned them relationship write report".split()
)
_CHINESE_GENERIC = lazy_regex(
    r"上述|以上|前面|前述|之前|前[两三几]个|[两三几]个|[一二三四五]|各|部分|步骤|结果|答案|结论|综合|整合|归纳|汇总|总体|信息|内容|子?问题|得出"
    r"|给出|最终|根据|基于|进行|结合|所有|二者|两者|者|相似|点|做|将|把|得到|之处|性"
)


def points_back(text: str) -> re.Match[str] | None:
    """Return the word that points at something which the text has not named before it, if there is one."""
    pattern = _CHINESE_POINTER if CHINESE.search(text) else _POINTER
    match = pattern.search(text)
    if match is None:
        return None
    before = text[: match.start()]
    return None if content(before) or REFERENCES.search(before) else match


def only_points(text: str) -> bool:
    """Tell whether a part asks nothing but to put others together: `Compare the above`."""
    if not _PUTS.search(text):
        return False
    if CHINESE.search(text):
        left = CHINESE_FUNCTION.sub("", _CHINESE_GENERIC.sub("", REFERENCES.sub("", text)))
        return not re.search(r"\w", left)
    return all(word in _GENERIC or word.isdigit() for word in content(REFERENCES.sub(" ", text)))


def putting_together(text: str) -> Role:
    """Return which way of putting other parts together a text asks for."""
    return "compare" if _COMPARES.search(text) else "conclude"


def pointed(text: str, referent: str) -> str:
    """Return the text with the referent in the place of the word that points to it."""
    several = bool(_SEVERAL.search(referent))
    first = Draft(text="", entity=referent, topics=(referent,))
    found = [] if several else completed(Protector().line(text), [first], None)
    if len(found) == 1 and not found[0].after and points_back(found[0].text) is None:
        return found[0].text
    return question(_put(Protector().line(text), referent))


def _put(line: Line, referent: str) -> str:
    match = points_back(line.text)
    if match is None:
        return line.text
    owner = "的" if CHINESE.search(line.text) else "'s"
    owns = match["own"] and (owner == "'s" or match[0].endswith("的"))
    return f"{line.text[: match.start()]}{referent}{owner if owns else ''}{line.text[match.end() :]}"
