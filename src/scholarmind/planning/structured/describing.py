"""Descriptions that stand for the answer to a question of their own: `the models that improve on BERT`, `BERT所改进的模型`."""

import re

from scholarmind.planning.words import is_chinese
from scholarmind.text.language import lazy_regex

_METHODS = (
    r"methods?|models?|approach(?:es)?|techniques?|architectures?|algorithms?|variants?|successors?|improvements?"
    r"|predecessors?|encoders?|systems?"
)
_PAPERS = r"papers?|articles?|publications?|preprints?|studies|study|works?"
_OTHERS = r"(?:co-?)?authors?|researchers?|institutions?|groups?|labs?|teams?|data ?sets?|benchmarks?|tasks?|venues?|conferences?|journals?"
_CHINESE_METHODS = r"方法|模型|架构|算法|技术|变体|系统|编码器"
_CHINESE_PAPERS = r"论文|文章|文献|研究工作|工作|著作"
_ASKED = r"哪一?[些个几种篇位项家款本所份](?:[篇个种位项家])?|哪些|什么|何种"

_WITHIN = lazy_regex(
    rf"^(?:(?:on|in|at|by|for|with|from) )?(?:which|what|who) .*?\b(?:is|are|was|were|do|does|did|have"
    rf"|has) (?P<np>(?:all |the |those )*(?:{_METHODS}|{_PAPERS}) (?:that|which|\w+ing|based|built|evaluated|by) .+?) "
    r"(?:been )?(?:evaluated|tested|benchmarked|trained|measured|published|proposed|introduced"
    r"|written|use|report|cite)(?: on| in| with| by)?$|^(?:(?:which|what|who) (?:.+? )?(?:by|of|use|uses|cites?|citing|evaluate|proposed"
    r"|introduced|developed|published|wrote|built|invented|designed)|papers (?:citing|that cite|which cite)) "
    rf"(?P<of>(?:all |the |those )*(?:{_METHODS}|{_PAPERS}) (?:that|which) .+)$",
    re.IGNORECASE,
)
_WITHIN_CHINESE = lazy_regex(
    rf"^(?P<np>[^，。]+?(?:{_CHINESE_METHODS}|{_CHINESE_PAPERS}))(?:都|分别|曾|各自)?(?:在(?:{_ASKED})|是谁|由谁|的?作者|用了|使用了"
    rf"|采用了|引用了|发表)|^(?:是)?谁(?:写|撰写|提出|发明|设计|开发)了?(?P<of>[^，。]+的(?:{_CHINESE_METHODS}|{_CHINESE_PAPERS}))$"
)
_BEFORE = lazy_regex(
    rf"^(?:(?:all|the|those|these) )*(?:{_METHODS}|{_PAPERS})(?: (?:that|which))? (?P<x>\S.*?) "
    r"(?:builds?|improves?|extends?|relies|rely|outperforms?|refines?|(?:is|are|was|were) (?:based|built))(?: (?:up)?on)?$",
    re.IGNORECASE,
)
_AFTER = lazy_regex(
    rf"^(?:(?:all|the|those|these|any) )*(?P<noun>{_METHODS}|{_PAPERS}|{_OTHERS}) (?:(?:that|which|who) )?(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_ORDERED = lazy_regex(r"^(?:the )?(?:first|earliest|oldest|latest|newest|most recent)\b", re.IGNORECASE)
_DESCRIBED_CHINESE = lazy_regex(
    rf"^(?:所有)?(?:(?P<x>[^，。]*?[^，。被所])(?:所|是)?(?:改进|基于|扩展|依据|借鉴)的|(?:改进|优化|基于|扩展|改良)了?(?P<of>[^，。]+?)的"
    rf"|(?P<rest>[^，。]+?)的)(?:主要|重要|关键)?(?P<noun>{_CHINESE_METHODS}|{_CHINESE_PAPERS})$"
)
_ORDERS = lazy_regex(r"^(?:列出|列举|给出|找出)(?:一下)?")
_VERB = lazy_regex(r"^(?:改进|优化|基于|扩展)")


def described_within(text: str) -> str:
    """Return the description that a question is about, or ''."""
    if is_chinese(text):
        match = _WITHIN_CHINESE.match(text)
        inner = (match["np"] or match["of"]) if match else ""
        return inner if _DESCRIBED_CHINESE.match(inner) else ""
    match = _WITHIN.match(text)
    return (match["np"] or match["of"]) if match else ""


def asked_by(description: str) -> str:
    """Return the question whose answer a description stands for, or ''."""
    return _asked_in_chinese(description) if is_chinese(description) else _asked(description)


def _asked(text: str) -> str:
    if match := _BEFORE.match(text):
        return f"what does {match['x']} build on"
    if _ORDERED.match(text):
        return f"what is {text}"
    match = _AFTER.match(text)
    return f"which {match['noun']} {match['rest']}" if match else ""


def _asked_in_chinese(text: str) -> str:
    match = _DESCRIBED_CHINESE.match(_ORDERS.sub("", text))
    if match is None:
        return ""
    if match["x"] and not _VERB.match(match["x"]):
        return f"{match['x']}基于哪些模型"
    if match["of"]:
        return f"哪些{match['noun']}改进了{match['of']}"
    return f"{match['rest']}的{match['noun']}有哪些" if match["rest"] else ""
