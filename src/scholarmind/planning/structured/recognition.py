"""Recognise a question that the graph of papers answers by counting, sorting or following edges. Cautious: most questions are none.

Every word is accounted for: it says a form, a kind, a relation or nothing, or it belongs to a name or topic that stands where those stand.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from scholarmind.planning.decomposition.clauses import polite
from scholarmind.planning.question_words import REFERENCES, cleaned, is_chinese, statement
from scholarmind.planning.structured.question_reading import (
    NAMED,
    OF_PERSONS,
    QuestionPiece,
    QuestionReading,
    Tag,
    cutter_for,
    joined,
    kind_of,
    threshold_of,
    years_of,
)
from scholarmind.relations import Form, NodeKind, Query, Relation
from scholarmind.text.language import lazy_regex

# -- the forms of structured questions, each by what plainly says it. The first that is said decides, whether it makes a query or not


_BY_PAPERS: frozenset[NodeKind] = frozenset(("author", "institution", "venue"))
_COUNTED: frozenset[NodeKind] = frozenset(("paper", "author", "institution", "method", "dataset", "venue"))
_ORDERED_KINDS: frozenset[NodeKind] = frozenset(("paper", "method", "dataset"))
_DATED: frozenset[NodeKind] = frozenset(("paper", "method"))
_OF_A_WORK: frozenset[Relation] = frozenset(("PROPOSES", "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_TESTED: frozenset[Relation | None] = frozenset((None, "EVALUATED_ON", "USES", "PROPOSES", "PUBLISHED_IN"))
_ASKS_A_VERB = lazy_regex(r"\b(?:do|does|did|is|are|was|were|have|has)$", re.IGNORECASE)
_ACTIVE = lazy_regex(r"cites?$|citing$", re.IGNORECASE)
_BEATS = lazy_regex(r"beat|outper|surpass|based", re.IGNORECASE)
_OFTEN = lazy_regex(
    r"active|prolific|productive|leading|busiest|often|frequent|top|活跃|高产|发文|论文|频繁|前", re.IGNORECASE
)


def _contradictions(reading: QuestionReading) -> Query | None:
    if not (reading.has("result", "metric") or "paper" in reading.kinds):
        return None
    return reading.query("contradictions", "paper", "REPORTS", metric=reading.metric, without=())


def _lineage(reading: QuestionReading) -> Query | None:
    if not reading.is_named or len(reading.about) != 1 or reading.relation not in {None, "IMPROVES_ON"}:
        return None
    after = any(piece.value == "after" for piece in reading.all("lineage"))
    return reading.query("lineage", "method", "IMPROVES_ON", inverse=not after)


def _common(reading: QuestionReading) -> Query | None:
    """Return what several have in common: which works of theirs, or which persons."""
    if len(reading.each) < 2 or not all(map(NAMED.search, reading.each)) or not reading.asks:
        return None
    relation, wanted, about = reading.relation, reading.wanted, tuple(reading.each)
    if wanted == "author" or reading.has("who"):
        return (
            reading.query("common", "author", "AUTHORED_BY", about=about) if relation in _OF_A_WORK | {None} else None
        )
    wanted = wanted or ("paper" if relation == "CITES" else None)
    back = reading.has("lineage")
    if back or (relation == "IMPROVES_ON" and wanted in {None, "method", "paper"}):
        return reading.query("common", "method", "IMPROVES_ON", about=about, inverse=back)
    return reading.query("common", wanted or "paper", "CITES" if wanted == "paper" else relation, about=about)


def _count(reading: QuestionReading) -> Query | None:
    asked, relation = reading.first("count"), reading.relation
    if asked is None or not _is_noun_counted(reading):
        return None
    works = relation in {"AUTHORED_BY", "PUBLISHED_IN", "CITES"}
    wanted = reading.wanted or ("paper" if works else None)
    if wanted is None or wanted not in _COUNTED or (relation == "CITES" and reading.is_backwards):
        return None
    if wanted in _BY_PAPERS and reading.about and relation is None and not reading.has("topic"):
        return None  # how many authors a paper has is left to its text
    return reading.query("count", wanted, reading.restricting, inverse=reading.is_backwards)


def _is_noun_counted(reading: QuestionReading) -> bool:
    """Tell whether what stands right behind `how many` is a noun that is known: parameters are not counted."""
    if reading.chinese:
        return True
    behind = [piece for piece in reading.pieces if piece.start >= reading.all("count")[0].end]
    noun = next((place for place, piece in enumerate(behind) if piece.tag in {"kind", "says"}), None)
    return noun is not None and not any(_ASKS_A_VERB.search(piece.text) for piece in behind[:noun])


def _ranking(reading: QuestionReading) -> Query | None:
    wanted, relation = _ranked(reading), reading.relation
    if wanted is None or (relation == "CITES" and reading.says and _ACTIVE.match(reading.says.text)):
        return None
    if wanted in _BY_PAPERS:
        often = " ".join(piece.text for piece in reading.all("most"))
        if relation is None and "paper" not in reading.kinds and not _OFTEN.search(often):
            return None
        relation = relation if relation == "CITES" else None
    elif wanted == "year":
        if relation not in OF_PERSONS | {None}:
            return None
        relation = None
    elif relation is None:
        return None
    return reading.query("ranking", wanted, relation, most=reading.top)


def _ranked(reading: QuestionReading) -> NodeKind | None:
    """Return what is ranked. What it has most of must be papers: authors of a paper, or pages, are not counted."""
    most, wanted = reading.first("most"), reading.wanted
    behind = [piece for piece in reading.all("kind") if most and piece.start >= most.end]
    if wanted is None or wanted == "paper":
        others: list[NodeKind] = [kind for kind in reading.kinds if kind != "paper"]
        if reading.has("who"):
            wrote = reading.relation in {"AUTHORED_BY", "PUBLISHED_IN", "PROPOSES"} or "paper" in reading.kinds
            return "author" if wrote or reading.has("together") else None
        if wanted == "paper" and reading.relation == "CITES":
            return "paper"
        return others[0] if others and (wanted is None or others[0] != _kind_behind(behind)) else None
    measured = _kind_behind(behind)
    return wanted if measured in {None, wanted, "paper"} else None


def _kind_behind(behind: Sequence[QuestionPiece]) -> NodeKind | None:
    return kind_of(behind[0]) if behind else None


def _often(reading: QuestionReading) -> Query | None:
    """Return what asks for those that have some number of papers at least."""
    wanted = reading.wanted
    if wanted is None or wanted == "paper" or "paper" not in reading.kinds or not reading.asks:
        return None
    by = reading.relation if wanted not in _BY_PAPERS or reading.relation == "CITES" else None
    if wanted in {"method", "dataset", "task"} and by is None:
        return None
    return reading.query("count" if reading.has("count") else "ranking", wanted, by)


def _years(reading: QuestionReading) -> Query | None:
    """Return what asks for the papers of each year."""
    return reading.query("ranking", "year", least=1) if reading.kinds[:1] == ["paper"] else None


def _order(reading: QuestionReading) -> Query | None:
    orders = {piece.value for piece in reading.all("first")}
    if len(orders) > 1 or reading.has("or", "who"):
        return None  # the first and the last are two questions
    spoken: tuple[NodeKind | None, ...] = (reading.wanted, *reading.kinds)
    wanted: NodeKind | None = next((kind for kind in spoken if kind and kind in _ORDERED_KINDS), None)
    if wanted is None or (wanted != "paper" and not reading.relation and not reading.is_named):
        return None
    form: Form = "first" if orders == {"first"} else "latest"
    return reading.query(form, wanted, reading.restricting)


def _results(reading: QuestionReading) -> Query | None:
    """Return what asks for results: all of them, or the best."""
    if not reading.is_named or reading.has("who") or reading.denied or reading.relation not in _TESTED:
        return None
    if reading.wanted not in {None, "method", "dataset", "paper", "task"} or not reading.asks:
        return None
    best = reading.first("best")
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best=best.value if best else "")


def _best(reading: QuestionReading) -> Query | None:
    if not (reading.chinese or reading.has("result", "metric")) or "author" in reading.kinds or not reading.is_named:
        return None
    if reading.has("who") and not reading.chinese:
        return None
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best=reading.all("best")[0].value)


def _rank(reading: QuestionReading) -> Query | None:
    if not reading.is_named or reading.wanted not in {None, "method"}:
        return None
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best="highest")


def _who(reading: QuestionReading) -> Query | None:
    """Return whom or whose works a question with `who` wants: who cites it are papers."""
    relation = reading.relation
    if not reading.is_named or (relation == "IMPROVES_ON" and reading.says and _BEATS.match(reading.says.text)):
        return None
    if relation in _OF_A_WORK or (relation is None and "author" in reading.kinds):
        return reading.query("list", "author", "AFFILIATED_WITH" if relation == "AFFILIATED_WITH" else "PROPOSES")
    if relation in {"CITES", "USES", "IMPROVES_ON", "EVALUATED_ON"}:
        return reading.query("list", "paper", relation, inverse=reading.is_backwards)
    return None


def _where(reading: QuestionReading) -> Query | None:
    if not reading.is_named:
        return None
    if reading.relation == "PUBLISHED_IN":
        return reading.query("list", "venue", "PUBLISHED_IN")
    return reading.query("list", "institution", "AFFILIATED_WITH") if reading.relation == "AFFILIATED_WITH" else None


def _list(reading: QuestionReading) -> Query | None:
    relation = reading.relation
    if reading.wanted is None and relation == "IMPROVES_ON":
        # what asks what one thing builds on, or what came of it: all of that, where nothing is said of what it is
        if len(reading.about) != 1 or not reading.is_named or not reading.asks or reading.says is None:
            return None
        if reading.is_backwards or not reading.says.text.lower().startswith("buil"):
            return reading.query("list", "method", "IMPROVES_ON", inverse=reading.is_backwards)
        return reading.query("lineage", "method", "IMPROVES_ON")
    wanted = reading.wanted or ("paper" if relation in {"AUTHORED_BY", "PUBLISHED_IN", "CITES"} else None)
    if reading.wanted == "year" and reading.has("asks") and not reading.about:
        return reading.query("ranking", "year", least=1)  # what years there are
    relation = relation or ("REPORTS" if reading.has("result", "metric") else None)
    if wanted is None or wanted in {"year", "metric"} or not reading.asks:
        return None
    if not reading.about and not reading.denied:
        restricted = reading.years.is_span or reading.least is not None
        return (
            reading.query("list", wanted, None if wanted == "paper" else relation)
            if restricted and wanted in _DATED
            else None
        )
    if not _is_related(reading, wanted):
        return None
    return reading.query("list", wanted, relation, inverse=reading.is_backwards)


def _is_related(reading: QuestionReading, wanted: NodeKind) -> bool:
    """Tell whether a question says what the names have to do with what it wants."""
    if reading.has("result", "metric"):
        return reading.is_named and wanted in {"paper", "method"}
    if not reading.is_named and wanted not in {"paper", "method", "dataset"}:
        return False
    if reading.relation is not None:
        return True
    if reading.chinese:
        return wanted in {"paper", "author"} and _are_owners(reading)
    if wanted not in {"paper", "author"}:
        return reading.is_named and reading.has("topic", "of", "by")
    return reading.has("topic", "of", "by") or reading.is_named or bool(reading.denied)


def _are_owners(reading: QuestionReading) -> bool:
    """Tell whether all names stand before the noun, or behind what says that they are topics: 崔一鸣的论文, 关于检索的论文."""
    loud = [piece for piece in reading.pieces if piece.tag != "quiet" or piece.text == "的"]
    joins: frozenset[Tag] = frozenset(("topic", "and", "or"))
    for place, piece in enumerate(loud):
        if piece.tag != "name":
            continue
        before, behind = loud[max(0, place - 1) : place], loud[place + 1 : place + 2]
        owns = behind and (behind[0].text == "的" or behind[0].tag == "kind" or behind[0].tag in joins)
        if not (owns or (before and before[0].tag in joins)):
            return False
    return True


def form_said(reading: QuestionReading) -> Callable[[QuestionReading], Query | None]:
    """Return what makes a query of a question of this form."""
    named = [name for group in reading.groups for name in group]
    shared = reading.has("both") and reading.says is not None and _is_subject(reading)
    said: tuple[tuple[bool, Callable[[QuestionReading], Query | None]], ...] = (
        (reading.has("conflict"), _contradictions),
        (reading.has("common") and not reading.has("together"), _common),
        (shared and len(named) > 1, _common),
        (reading.has("lineage"), _lineage),
        (reading.has("yearly"), _years),
        (reading.least is not None, _often),
        (reading.has("most"), _ranking),
        (reading.has("count"), _count),
        (reading.has("first"), _order),
        (reading.has("best"), _best),
        (reading.has("rank"), _rank),
        (reading.has("where"), _where),
        (reading.has("who"), _who),
        (
            reading.has("result", "metric") and reading.is_named and not reading.names_what_it_asks,
            _results,
        ),
    )
    return next((make for is_said, make in said if is_said), _list)


def _is_subject(reading: QuestionReading) -> bool:
    """Tell whether all the names do something, rather than have it done to them: X and Y both cite; or one person did both."""
    says = reading.says
    if says is None:
        return False
    before, behind = reading.around(says)
    if any(piece.text == "在" for piece in reading.all("topic")):
        return False  # 既在GLUE又在RACE上评测
    of_persons = reading.wanted == "author" or reading.has("who")
    return (before and not behind) or (of_persons and reading.relation in _OF_A_WORK)


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

# a citation by authors and year; what brackets or quotes there are may have been cut off
CITATION = lazy_regex(
    r"[\s\[(（]*(?P<names>[^\d()（）\[\]]{1,120}?)[\s,，]*[(（\[]?\s*(?P<year>(?:1[5-9]|20)\d\d)[a-z]?[\s)）\]]*"
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
    if query.relation == "CITES" and any(map(CITATION.fullmatch, query.about)):
        return True  # Okafor and Lind (2018) are one work
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
