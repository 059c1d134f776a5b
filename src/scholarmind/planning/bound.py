"""Which of the things asked for before a word means: `them`, behind `on which datasets were they evaluated`, are the methods still."""

import re
from collections.abc import Sequence
from typing import Literal

from scholarmind.planning.draft import Draft, reference, referred
from scholarmind.planning.protected import Line
from scholarmind.planning.structured.clauses import carried_on
from scholarmind.planning.words import content, is_chinese, is_plural, question, statement
from scholarmind.text.patterns import lazy_regex

Sort = Literal["thing", "dataset", "person", "circumstance"]
_ASKS = r"^(?:(?:in|on|for|by|at|from|with|to|list|name|identify|find|give) )?(?:which|what|whose|the)\s+(?:[a-z\-]+\s+){0,3}?"
_DATA = r"data ?sets?|benchmarks?|corpus|corpora|test sets?"
_PEOPLE = (
    r"authors?|researchers?|people|persons?|scientists?|inventors?|groups?|teams?|labs?|institutions?|compan(?:y|ies)"
)
_SORTS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("person", lazy_regex(rf"^(?:by |to )?who(?:m|se)?\b|{_ASKS}(?:{_PEOPLE})\b", re.IGNORECASE)),
    ("dataset", lazy_regex(rf"{_ASKS}(?:{_DATA}|tasks?)\b", re.IGNORECASE)),
    (
        "circumstance",
        lazy_regex(
            rf"^(?:when|where|how|why)\b|{_ASKS}(?:years?|metrics?|venues?|conferences?|journals?|scores?|results?)\b",
            re.IGNORECASE,
        ),
    ),
    ("person", lazy_regex(r"谁|(?:哪一?[些几个位]|什么)(?:主要)?(?:作者|研究者|学者|人|团队|机构|研究组|公司)")),
    ("dataset", lazy_regex(r"(?:哪一?[些几个种]?[个种]?|什么)[^，]{0,4}?(?:数据集|基准|语料|任务)")),
    ("circumstance", lazy_regex(r"何时|什么时候|哪一?年|多少|多大|多高|如何|怎么|怎样|哪里|哪些?(?:会议|期刊|指标)")),
)
_OF_DATA = lazy_regex(
    r"\bhow (?:large|big|difficult|diverse|many (?:examples|samples|questions|documents|sentences|images|languages))\b"
    r"|\b(?:sizes?|contain|consist|annotat\w*|collected|created|built|licen[sc]\w+|splits?|cover)\b"
    r"|多大|规模|大小|包含|样本|标注|收集|构建|创建|许可|划分|覆盖",
    re.IGNORECASE,
)
_OF_PEOPLE = lazy_regex(
    r"\b(?:(?:do|did|does|are|were) (?:they|these|those)(?: \w+)? (?:work(?:ing)?(?! (?:well|best|better))|live|study|teach|from|born)\b"
    r"|(?:born|affiliat\w+|universit\w+|employ\w*|educat\w+|nationalit\w+|careers?|awards?|students?|collaborat\w+|else)\b"
    r"|(?:do|did|have) they (?:also )?(?:propose|publish|write|wrote|invent|develop|introduce|found|written|proposed|published)"
    r"|their (?:other |latest |own )?(?:institutions?|countr\w+|papers?|publications?|works?|groups?|labs?))"
    r"|任职|单位|工作在|在哪里?工作|来自哪|就职|毕业|国籍|出生|学生|其他(?:工作|论文)|还(?:提出|发表)",
    re.IGNORECASE,
)
_NEAREST: dict[Sort, tuple[Sort, ...]] = {
    "thing": ("thing", "dataset"),
    "dataset": ("dataset", "thing"),
    "person": ("person",),
    "circumstance": (),
}
_ONE = lazy_regex(r"(?:it|its|这|该|此|[它其](?!们))", re.IGNORECASE)
_HIM = lazy_regex(r"(?:he|she|him|his|her|[他她]们?的?)", re.IGNORECASE)
_ASKED_NOUN = lazy_regex(
    r"^(?:(?:in|on|for|by|at|from|with|to) )?(?:which|what) (?P<noun>(?:[a-z\-]+ ){0,3}?[a-z\-]+s)\b"
)
_SUBJECT = lazy_regex(r"^(?:在?(?:最近|近|过去)[^，]{1,5}年(?:以?来|内|间)?)?哪(?:些|一?[个种篇项款]|几[个种篇项])")
_LIST = lazy_regex(r"有(?:哪些|什么)[^，。？]{1,12}$")
_BARE = lazy_regex(
    r"(?:都|分别|各自|主要|最早|首先|又|是)*(?:由|被|在(?!哪里工作)|于|使用|采用|利用|用|基于)[^，]*(?:谁|哪|什么)"
    r"|(?:都|分别|各自|又|是)*谁(?:最早|首先)?(?:提出|写|发明|开发|设计|发表|训练)"
)
_OWNED = lazy_regex(
    r"(?:作者|提出者|参数量?|准确率|性能|效果|表现)(?:分别|各自)?(?:是谁|有哪些|如何|怎样|怎么样|是多少)[？?]?$"
)
_BARE_OF_LIST = lazy_regex(r"(?:都|分别|各自|最早|首先|又|是)*(?:由|被|在|于)")


def meant_place(line: Line, word: str, noun: str, earlier: Sequence[Draft], last: int) -> int:
    """Return the place of the question whose answer a word means: of the last one and those that it hangs on, the one that fits."""
    if _HIM.fullmatch(word):
        return last
    places = _family(earlier, last)
    if len(places) == 1:
        return last
    sorts = {place: _sort_asked(earlier[place]) for place in places}
    if _ONE.match(word) and not noun and sorts[last] in {"thing", "circumstance"}:
        return last
    wanted = _sort_of_noun(noun) if noun else _sort_said(line.mask)
    if noun and (named := [place for place in places if _names(noun, earlier[place].text)]):
        return named[0]
    found = (place for sort in _NEAREST[wanted] for place in places if sorts[place] == sort)
    return next(found, last)


def continued(line: Line, first: Line | None, earlier: Sequence[Draft], begin: int) -> list[Draft]:
    """Return what a clause asks of each item of the list that its sentence begins with, whatever stands between; or nothing."""
    if first is None or begin >= len(earlier) or len([one for one in earlier if one.group == earlier[begin].group]) > 1:
        return []
    joint = "，" if is_chinese(first.text) else ", "
    drafts = carried_on(f"{statement(first.text)}{joint}{line.text}")
    if len(drafts) != len((first, line)) or drafts[0].text != question(first.text):
        return []
    if any(word not in drafts[1].text.lower() for word in content(line.text)):
        return []  # it asks in words of its own, which must stay
    text = drafts[1].text.replace(reference(0), reference(begin))
    return [Draft(text=text, after=(begin,), topics=earlier[begin].topics, each=True)]


def without_subject(line: Line, earlier: Sequence[Draft]) -> list[Draft]:
    """Return a Chinese clause without a subject (由谁提出) with that of the question before: 哪些方法改进了BERT, or nothing."""
    last = len(earlier) - 1
    if not is_chinese(line.text) or last < 0 or earlier[last].role != "find":
        return []
    owned = _OWNED.match(line.mask)
    if not owned and not _BARE.match(line.mask):
        return []
    root = _family(earlier, last)[-1]
    asked = statement(earlier[root].text)
    if not _SUBJECT.match(asked) and not (_LIST.search(asked) and _BARE_OF_LIST.match(line.mask)):
        return []
    place = meant_place(line, "", "", earlier, last)
    text = question(f"{reference(place)}{'的' if owned else ''}{line.text}")
    return [Draft(text=text, after=(place,), topics=earlier[place].topics)]


def asks_several(body: str) -> bool:
    """Tell whether an English question asks for several of a kind, which `it` cannot mean."""
    match = _ASKED_NOUN.match(body[:1].lower() + body[1:])
    return bool(match and is_plural(match["noun"]))


def _family(earlier: Sequence[Draft], last: int) -> list[int]:
    """Return the last question, the others about the same list, and the one for that list, the nearest first."""
    root = last
    while (needed := referred(earlier[root].text)) and needed[0] < root:
        root = needed[0]
    kept = {root}
    for place in range(root + 1, last + 1):
        if earlier[place].role == "find" and kept & set(referred(earlier[place].text)):
            kept.add(place)
    return sorted(kept, reverse=True)


def _sort_asked(draft: Draft) -> Sort:
    body = statement(draft.text)
    for sort, pattern in _SORTS:
        if pattern.search(body):
            return sort
    return "thing"


def _sort_of_noun(noun: str) -> Sort:
    if re.search(rf"^(?:{_DATA})$|数据集|基准|语料", noun, re.IGNORECASE):
        return "dataset"
    return "person" if re.search(rf"^(?:{_PEOPLE})$|作者|人$|团队|机构|公司", noun, re.IGNORECASE) else "thing"


def _sort_said(mask: str) -> Sort:
    if _OF_PEOPLE.search(mask):
        return "person"
    return "dataset" if _OF_DATA.search(mask) else "thing"


def _names(noun: str, text: str) -> bool:
    """Tell whether a question asks for what a noun names."""
    stem = noun.lower().rstrip("s")
    chinese = rf"(?:哪|什么)[^，]{{0,5}}{re.escape(noun)}"
    return bool(
        re.search(rf"\b(?:which|what|the) (?:[a-z\-]+ ){{0,3}}?{re.escape(stem)}|{chinese}", text, re.IGNORECASE)
    )
