"""A clause that names nothing (`what are the trends?`, 有哪些挑战) gets the topic and the years of the question that it stands in."""

import re
from collections.abc import Sequence

from scholarmind.planning.anaphora import meant, names_in, topics_of
from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import Line
from scholarmind.planning.times import time_of
from scholarmind.planning.words import (
    ASKING,
    AUX,
    CHINESE_ASKING,
    FUNCTION,
    is_chinese,
    question,
    small,
    statement,
    trimmed,
)
from scholarmind.text.patterns import lazy_regex

_WANTED = lazy_regex(
    r"^(?:in |by |on )?(?:which|who|whose|what [a-z]+ [a-z]+ [a-z]+ (?:most|best))\b|\bmost\b|\bfirst\b|哪|最|谁",
    re.IGNORECASE,
)
_ASPECTS = frozenset(  # what only something else can have
    "trend trends challenge challenges problem problems issue issues limitation limitations drawback drawbacks "
    "shortcoming shortcomings weakness weaknesses strength strengths advantage advantages disadvantage disadvantages "
    "benefit benefits direction directions application applications use-cases outlook dataset datasets benchmark "
    "benchmarks metric metrics result results obstacle obstacles bottleneck bottlenecks gap gaps risk risks prospect "
    "prospects alternative alternatives development developments advance advances finding findings state-of-the-art".split()
)
_BESIDE_ASPECTS = frozenset(  # what may stand beside those without naming anything
    "main major key current recent latest present open unsolved unresolved remaining future emerging common typical "
    "important biggest greatest largest principal practical potential promising known existing available standard "
    "popular new next critical essential technical research remain remains exist exists emerge used faced there "
    "today now still seen expected ahead left work questions data sets use cases art state".split()
)
_OF_ALL = lazy_regex(
    r"^summari[sz]e (?:the|all|your) (?:findings|results)\b", re.IGNORECASE
)  # that the other parts come to
_BACK = frozenset("it its they them their this that these those each both he she his her him such".split())
_COMPLEMENT = lazy_regex(
    r"^(?:what|which|how|why|list|name|identify|give|summari[sz]e|describe|discuss)\b(?! (?:is|was) (?!the\b)).*?"
    r" (?:of|in|for|to|on|about|behind|with) (?P<x>(?!which\b|what\b)[^,?]{2,80})$",
    re.IGNORECASE,
)
_CHINESE_ASPECT = lazy_regex(
    r"^(?P<task>(?:请|再|并)?(?:说明|分析|讨论|介绍|总结|阐述|解释|描述|概述|列出|给出|指出)(?:一下)?)?"
    r"(?P<has>(?:目前|当前|现在|主要|仍然?|还|尚|又|都)*(?:有|存在|面临|遇到)着?)?(?P<which>哪些|什么|怎样的|何)?"
    r"(?:主要|未来|今后|下一步|发展|研究|技术|实际|常用|常见|典型|公开|开放|未解决|待解决|关键|核心|潜在|最新|当前|目前|评价|评测|的)*"
    r"(?:趋势|走向|展望|前景|挑战|难点|难题|瓶颈|问题|局限性?|不足|优缺点|缺点|优点|优势|劣势|风险|方向|应用(?:场景|领域)?|用途|场景"
    r"|数据集|基准|指标|进展)(?:之处)?"
    r"(?P<asked>是什么|是哪些|有哪些|有什么|如何|怎样|怎么样|在哪里?|呢)?$"
)
_LED_BY = lazy_regex(rf"{CHINESE_ASKING.pattern}(?:一下)?(?:对|关于|有关)?")
_LONGEST_CHINESE = 16
_MOST_WORDS = 5


def shared_topic(line: Line, first: Line, earlier: Sequence[Draft]) -> str:
    """Return a short question with the topic and time of the first one of its sentence, where it has none of its own; or ''."""
    if asked := with_topic(line, first, earlier):
        return asked
    topics = topics_of(first)[:1]
    if not topics or any(token.name for token in line.tokens[1:]) or not _WANTED.search(line.mask):
        return ""
    if is_chinese(line.text):
        if len(line.text) > _LONGEST_CHINESE or re.search(r"[A-Za-z\ue000]{2,}", line.mask) or topics[0] in line.text:
            return ""
        return question(_timed_chinese(topics[0], line, first) + line.text)
    words = [token.word for token in line.tokens if token.word not in FUNCTION]
    if len(words) > _MOST_WORDS or re.match(r"^what (?:is|are)\b", line.mask, re.IGNORECASE):
        return ""
    return _for(_timed(topics[0], line, first), line)


def lacks_topic(line: Line) -> bool:
    """Tell whether a question asks for trends, challenges, datasets ... and does not say of what."""
    if is_chinese(line.text):
        match = _CHINESE_ASPECT.match(statement(line.text))
        return bool(match and (match["task"] or match["which"] or match["asked"]))
    return _is_aspect(line)


def with_topic(line: Line, first: Line, earlier: Sequence[Draft] = ()) -> str:
    """Return a question for trends, challenges, datasets ... of nothing as one of what the first question is about; or ''."""
    match = _CHINESE_ASPECT.match(statement(line.text)) if is_chinese(line.text) else None
    if not lacks_topic(line):
        return ""
    several = meant(earlier)
    topics = several if len(several) > 1 else _topic(first)
    if not topics:
        return ""
    if match is None:
        return _for(_timed(" and ".join(topics), line, first), line)
    topic = _timed_chinese("和".join(topics), line, first)
    task = match["task"] or ""
    owns = "" if match["has"] or match["which"] or "的" in line.text else "的"
    return question(f"{task}{topic}{owns}{line.text[len(task) :]}")


def _topic(first: Line) -> tuple[str, ...]:
    """Return what a question is about: a name in it, else what its methods, datasets, challenges ... are of."""
    if is_chinese(first.text):
        return tuple(_LED_BY.sub("", topic) for topic in topics_of(first)[:1])
    if names_in(first):
        return topics_of(first)[:1]
    body = statement(first.text)
    time = time_of(body)
    match = _COMPLEMENT.match(trimmed(body.replace(time, "", 1)) if time else body)
    return (trimmed(match["x"]),) if match else topics_of(first)[:1]


def _is_aspect(line: Line) -> bool:
    words = [word for token in line.tokens if (word := token.word.rstrip(".")).isalpha() or "-" in word]
    if not words or any(token.name for token in line.tokens[1:]) or any(word in _BACK for word in words):
        return False
    if _OF_ALL.match(line.mask):
        return False
    said = [word for word in words if word not in FUNCTION]
    phrase = re.search(
        r"\b(?:use cases|data sets|open questions|future work|state of the art|remains? (?:open|unsolved))\b",
        line.mask,
        re.IGNORECASE,
    )
    return bool(phrase or any(word in _ASPECTS for word in said)) and all(
        word in _ASPECTS or word in _BESIDE_ASPECTS for word in said
    )


def _for(topic: str, line: Line) -> str:
    body = line.text[:1].lower() + line.text[1:]
    if line.tokens[0].word in ASKING - AUX:
        return question(f"{statement(line.text)} for {topic}")
    return question(f"For {topic}, {small(body)}")


def _timed(topic: str, line: Line, first: Line) -> str:
    time = time_of(first.text)
    return f"{topic} {time}" if time and not time_of(line.text) and time not in topic else topic


def _timed_chinese(topic: str, line: Line, first: Line) -> str:
    time = time_of(first.text).removesuffix("的")
    return topic + (time if time and time not in topic and not time_of(line.text) else "")
