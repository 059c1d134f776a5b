"""Recognise a question that the graph of papers answers by counting, sorting or following edges. Cautious: most questions are none.

Every word is accounted for: it says a form, a kind, a relation or nothing, or it belongs to a name or topic that stands where those stand.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from scholarmind.planning.decomposition.clauses import polite
from scholarmind.planning.protection import REFERENCES, cleaned
from scholarmind.planning.question_words import is_chinese, statement
from scholarmind.planning.structured.query_forms import form_said
from scholarmind.planning.structured.question_reading import QuestionReading, threshold_of, years_of
from scholarmind.planning.structured.tagging import NAMED, cutter_for, joined
from scholarmind.relations import Form, Query
from scholarmind.text.language import lazy_regex

# -- descriptions that stand for the answer to a question of their own: `the models that improve on BERT`, `BERT所改进的模型`

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


def _described_within(text: str) -> str:
    """Return the description that a question is about, or ''."""
    if is_chinese(text):
        match = _WITHIN_CHINESE.match(text)
        inner = (match["np"] or match["of"]) if match else ""
        return inner if _DESCRIBED_CHINESE.match(inner) else ""
    match = _WITHIN.match(text)
    return (match["np"] or match["of"]) if match else ""


def _question_behind(description: str) -> str:
    """Return the question whose answer a description stands for, or ''."""
    return _question_chinese(description) if is_chinese(description) else _question_english(description)


def _question_english(text: str) -> str:
    if match := _BEFORE.match(text):
        return f"what does {match['x']} build on"
    if _ORDERED.match(text):
        return f"what is {text}"
    match = _AFTER.match(text)
    return f"which {match['noun']} {match['rest']}" if match else ""


def _question_chinese(text: str) -> str:
    match = _DESCRIBED_CHINESE.match(_ORDERS.sub("", text))
    if match is None:
        return ""
    if match["x"] and not _VERB.match(match["x"]):
        return f"{match['x']}基于哪些模型"
    if match["of"]:
        return f"哪些{match['noun']}改进了{match['of']}"
    return f"{match['rest']}的{match['noun']}有哪些" if match["rest"] else ""


# -- how good one thing is, on whatever it was tried: its name is what the groups hold

_GAINS = r"(?:improvements?|gains?|increases?|boosts?)"
_BRINGS = r"(?:report|reach|achieve|obtain|get|have|show|bring)"
_ENGLISH_PERFORMANCE = lazy_regex(
    r"^how (?:much|well) (?:do|does|did|has|have|can) (?P<of>\S.{0,60}?) (?:improved?|increased?|boost(?:ed)?|raised?) "
    r"(?:the |its |their )?(?:performance|results|scores|accuracy)(?: by)?$"
    r"|^how (?:well )?(?:do|does|did) (?P<of2>\S.{0,60}?) perform$"
    rf"|^what (?:is|are|was|were) (?:the )?(?:reported )?(?:performance(?: {_GAINS})?|results|scores|{_GAINS} in performance) "
    r"(?:of|for|from) (?P<of3>\S.{0,60})$"
    rf"|^what (?:is|are|was|were) (?P<of4>\S.{{0,60}}?)['’]s? (?:performance(?: {_GAINS})?|results|scores)$"
    rf"|^(?:what|which) (?:results|scores|performance(?: {_GAINS})?) (?:do|does|did) (?P<of5>\S.{{0,60}}?) {_BRINGS}$"
    rf"|^how much (?:performance )?{_GAINS} (?:in performance )?(?:do|does|did) (?P<of6>\S.{{0,60}}?) {_BRINGS}$",
    re.IGNORECASE,
)

_PERFORMS = r"(?:性能|效果|表现|结果|成绩|得分|指标)"
_GAINED = r"(?:提升|提高|改进|改善|增益|增长)"
_CHINESE_PERFORMANCE = lazy_regex(
    rf"^(?P<of>\S.{{0,40}}?)\s?(?:各自|分别)?(?:的|将|把|使|对)?\s?{_PERFORMS}(?:的)?(?:{_GAINED})?(?:幅度)?(?:了|是|有|为|上)?"
    rf"(?:{_GAINED}了?)?(?:多少|如何|怎样|怎么样|多大|什么|哪些)$"
    rf"|^(?P<of2>\S.{{0,40}}?)\s?(?:各自|分别)?(?:报告|取得|达到|获得|带来)了?(?:哪些|什么样?的?|怎样的|多少|多大的?|何种)的?{_PERFORMS}(?:{_GAINED})?$"
    rf"|^(?P<of3>\S.{{0,40}}?)\s?(?:各自|分别)?{_GAINED}了(?:多少|多大)的?{_PERFORMS}$",
)


# -- structured questions

_LONGEST = 600  # characters
_SEVERAL = lazy_regex(r"[?？!！;；\n]|。|(?<=[a-z0-9)])\. (?=[A-Z])")
_CONTROL = lazy_regex(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_LETTERS = lazy_regex(r"[A-Za-z#]")
_EITHER = lazy_regex(r" or |或")
_YES_OR_NO = lazy_regex(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might)\b", re.IGNORECASE
)

_OF_A_SET: frozenset[Form] = frozenset(("common", "count", "ranking"))  # no list of names stands for a set
_STAND_IN = "#1"  # for a description, while the rest is read


def recognise(text: str, now: int | None = None) -> Query | None:
    """Return what the graph is asked for, or None where the question is not plainly one of its forms.

    `now` is the year that "the last three years" are counted from.
    """
    return _recognised(text, now or datetime.now(UTC).year)


def described(text: str, now: int | None = None) -> Query | None:
    """Return the query behind a description that stands for its answer: `the models that improve on BERT`, `BERT所改进的模型`."""
    asked = _question_behind(statement(text))
    return recognise(asked, now) if asked and len(asked) < _LONGEST else None


def form_of(text: str) -> Form | None:
    """Return the form of a structured question; None for any other."""
    query = recognise(text)
    return query.form if query else None


def held_together(text: str, parts: Sequence[str]) -> bool:
    """Tell whether a question that the graph answers whole would be taken apart in another way than into two steps of its own.

    What several did together, have in common, or any of them has, is one set, and so is what is counted or ranked.
    """
    query = recognise(text) if len(parts) > 1 else None
    if query is None:
        return False
    pieces = cutter_for(chinese=is_chinese(text)).cut(text)
    of_papers = query.wanted != "institution" and any(piece.tag == "kind" for piece in pieces)
    if is_chinese(text) and not (of_papers or _LETTERS.search("".join(query.about))):
        return False  # which of three dishes
    together = any(piece.tag == "together" for piece in pieces)
    if query.form in _OF_A_SET or together or any(map(_EITHER.search, query.about)):
        return True
    return len(parts) > 2 or not all(recognise(REFERENCES.sub("#1", part)) for part in parts)


@lru_cache(maxsize=256)
def _recognised(text: str, now: int) -> Query | None:
    body = statement(polite(cleaned(_CONTROL.sub(" ", text[: _LONGEST + 1])).strip()))
    if not body or len(text) > _LONGEST or _SEVERAL.search(body):
        return None
    found = _performance(body) or _of_description(body, now) or _read_whole(body, now)
    return replace(found, text=text) if found else None


def _performance(text: str) -> Query | None:
    """Return what asks how good one method is, whatever it was tried on; in Chinese too, its name has some Latin letters."""
    match = (_CHINESE_PERFORMANCE if is_chinese(text) else _ENGLISH_PERFORMANCE).search(text)
    name = next((said for said in match.groups() if said), "").strip() if match else ""
    pieces = cutter_for(chinese=is_chinese(text)).cut(name)
    if (
        not _LETTERS.search(name)
        or not NAMED.search(name)
        or [piece.tag for piece in pieces if piece.tag != "quiet"] != ["name"]
    ):
        return None
    (named,) = (piece.text for piece in pieces if piece.tag == "name")
    return Query(form="results", wanted="method", text=text, relation="REPORTS", about=(named,))


def _of_description(text: str, now: int) -> Query | None:
    """Return a question about what is only described, which must be a structured question too."""
    inner = _described_within(text)
    query = described(inner, now) if inner else None
    if query is None or not (query.about or query.without):  # one that only says from when is read as it stands
        return None
    outer = _read_whole(text.replace(inner, _STAND_IN, 1), now)
    return replace(outer, about=(inner,)) if outer and outer.about == (_STAND_IN,) else None


def _read_whole(text: str, now: int) -> Query | None:
    chinese = is_chinese(text)
    years = years_of(text, now, chinese=chinese)
    papers = threshold_of(years.text, chinese=chinese)
    pieces = joined(cutter_for(chinese=chinese).cut(papers.text), papers.text, chinese=chinese)
    reading = QuestionReading(papers.text, pieces, years, chinese, papers.least)
    return form_said(reading)(reading) if _is_one(reading) else None


def _is_one(reading: QuestionReading) -> bool:
    """Tell whether it is one question that counting may answer."""
    if _YES_OR_NO.match(reading.text) and not reading.has("asks", "conflict", "count", "who"):
        return False
    if reading.has("stop") or (reading.has("soft") and not reading.has("conflict")) or reading.questions > 1:
        return False
    if (reading.has("number") and not reading.has("most")) or (
        reading.has("each") and any(len(group) > 1 for group in reading.groups)
    ):
        return False
    if not reading.is_of_one_relation and not reading.has("conflict", "lineage"):
        return False
    return reading.is_accounted_for and reading.begins_with_what_it_asks
