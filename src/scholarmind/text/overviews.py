"""Questions about the whole: what an overview is of, whether it is about time, and whether about what is missing. English and Chinese."""

import re
from datetime import UTC, datetime

from scholarmind.text.analysis import terms
from scholarmind.text.dates import years
from scholarmind.text.language import lazy_regex

_OF_TIME = lazy_regex(
    r"\b(?:trends?|over (?:the years|time|the decades)|evol(?:ve[sd]?|ving|ution)|(?:history|development|timeline|chronology) of"
    r"|how (?:has|have) .{1,80} (?:changed|developed|progressed|shifted|moved)|year by year|so far|since|recent(?:ly)?|decades?|years)\b"
    r"|趋势|演变|演进|演化|发展历程|发展脉络|历程|变迁|历年|逐年|以来|年来|近[\d一二两三四五六七八九十几]+年|动向|走向",
    re.IGNORECASE,
)
_OF_GAPS = lazy_regex(
    r"\b(?:missing|lacking|lacks?|gaps?|open (?:problems?|questions?|issues?)|unsolved|unanswered|unexplored|understudied|remains? to be"
    r"|limits|limitations?|weaknesses|weak points|shortcomings?|future work)\b"
    r"|缺少|缺乏|还缺|欠缺|空白|不足|局限|未解决|尚未|开放(?:性)?问题|待解决",
    re.IGNORECASE,
)
_FRAME = lazy_regex(
    r"\b(?:what|which|how|where|is|are|were|was|be|been|has|have|do|does|can|could|you|please|give|me|write|provide|show|tell|us"
    r"|see|seen|an?|the|of|in"
    r"|on|from|about|across|short|brief|overall|general|main|major|key|important|recent|latest|notable|current|new|emerging"
    r"|common|dominant"
    r"|overviews?|surveys?|summary|summaries|summari[sz]e|trends?|directions?|developments?|advances?|landscape"
    r"|state[- ]of[- ]the[- ]art|sota"
    r"|literature|history|evolution|evolved?|changed?|shifted?|moved?|progressed|themes?|topics?|subjects?|areas?|lines?|work"
    r"|research|there|it|they"
    r"|that|this|these|my|our|your|all|whole|entire|library|collection|corpus|papers|documents|notes|field|discipline|cover(?:s"
    r"|ed)?|contains?"
    r"|missing|lacking|lacks?|gaps?|open|problems?|questions?|issues?|unsolved|unanswered|unexplored|understudied|remains?"
    r"|remaining|still|future"
    r"|limitations?|shortcomings?)\b"
    r"|(?<=\w)['’]s\b"
    r"|请|给出|写|一下|对于|而言|来说|有哪些|有什么|哪些|什么|是什么|是怎样的|怎么样|怎样|如何|主要|重要|关键|最新|近期|目前|当前|综述|总结|概述|概括|概览|整体|趋势"
    r"|研究方向|发展方向|方向|研究现状|现状|发展历程|发展|近年来?|近[\d一二两三四五六七八九十几]+年来?|以来|演变|演进|历程|进展|研究|领域|方面|相关|主题|新?动向|走向|在?哪里|在哪|讲的?是?|说的?是?"
    r"|这个|这批|这些|本|我的|该|文献|论文|资料|库|笔记|里|中|还|缺少|缺乏|欠缺|缺|空白|不足|局限性?|未解决|尚未|开放性?问题|待解决|问题|有|是|的|了|呢",
    re.IGNORECASE,
)


def is_of_time(question: str) -> bool:
    """Tell whether a question asks how something went over the years."""
    return bool(_OF_TIME.search(question))


def is_of_gaps(question: str) -> bool:
    """Tell whether a question asks what is missing, or still open."""
    return bool(_OF_GAPS.search(question))


def subject_of(question: str) -> str:
    """Return what an overview is of: the question without its years and the words that only ask for one; '' where it is of all there is."""
    for span in reversed(list(years(question, datetime.now(UTC).year))):
        question = f"{question[: span.start]} {question[span.end :]}"
    subject = " ".join(_FRAME.sub(" ", question).split()).strip(" ,;:.?!，。；：？！")
    return subject if terms(subject) else ""
