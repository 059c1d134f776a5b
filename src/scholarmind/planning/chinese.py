"""Comparison, distribution and bridges in Chinese."""

import re

from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import Line
from scholarmind.planning.times import CHINESE_TIME
from scholarmind.planning.words import CHINESE_QUESTION, question, statement, trimmed, what_is
from scholarmind.text.patterns import lazy_regex

_JOINT = lazy_regex(
    r"\s*(?:以及|、|，(?=[A-Z\ue000])|(?:，|,)?还是|和|与|跟|及|相对于|相较于|相比于?(?=[^，。有的])|(?<![A-Za-z])(?:vs\.?|VS\.?"
    r"|versus)(?![A-Za-z]))\s*"
)
_TASK = lazy_regex(
    r"^(?:请|帮我|麻烦|分析|简要|详细|试)*(?:比较|对比|对照)(?:一下|分析|以下|下列)*(?P<lead>[^：:，]{0,12}[：:])?"
)
ORDER = lazy_regex(
    r"^(?:请|帮我|麻烦|简要|详细)*(?:解释|说明|列出|列举|总结|概述|介绍|描述|分析|讨论|阐述|给出|归纳)(?:一下)?"
)
_DIFFERENCE = lazy_regex(
    r"(?:之间|两者|二者|三者)*(?:，)?(?:的|有|存在|是)?(?:着)?(?:什么|哪些|何|怎样的|多大)?(?:的)?(?:主要|本质|核心|显著|关键)?(?:的)?"
    r"(?:区别|差异|差别|不同之处|不同点|不同|异同点?|优劣势?|优势|不足|联系|相似之处|共同点|相同点|\ue001{2}(?:之处|点)?)(?:(?:和|与|及|以及)(?:联系|区别|差异|相似之处"
    r"|优劣))?(?:是什么|有哪些|在哪里?|如何|体现在哪里?)?$"
)
_WHERE = lazy_regex(
    r"在(?P<what>[^，。]{1,40}?)(?P<how>上面|上|方面|方向|领域|任务中|里|中|时)?的?(?P<rest>表现|性能|效果|应用|情况|准确率|结果)?$"
)
_PLACE = lazy_regex(r"(?:在)?[\u3400-\u9fff]{1,12}(?:上|中|里|下|方面)[，,]?(?=[A-Za-z\ue000])")
_ASPECT_WORDS = frozenset({"上", "上面", "方面"})
_WHICH = lazy_regex(
    r"^(?P<list>.{2,80}?)(?:相比|比起来|比较|之间|两者|当中|之中|中|里)?[，,]?(?P<where>在[^，。]{1,30}?(?:上|方面"
    r"|中))?[，,]?(?:哪一?[个种家款位篇]|谁|何者)(?P<more>.{1,40})$"
)
_MORE = lazy_regex(r"更|较|最|先|早|晚|好|优|强|大|多|高|快|长")
_THAN = lazy_regex(
    r"^(?P<a>[^，。比]{1,40}?)(?<![相对])比(?![赛例如较率喻重分值])(?P<b>[^，。]{1,40}?)(?P<more>(?:更|好|强|快|大|多|高|优)[^，。]{0,40})$"
)
_ALL = lazy_regex(r"^(?:是否)?(?P<list>.{2,80}?)(?:是否|是不是)?(?:都|均|皆|\ue001{2}|是\ue001{2})(?P<rest>.{1,60})$")
_EACH = lazy_regex(r"(?:分别|各自|各)(?!种)")
_OWN = lazy_regex(
    r"^(?P<lead>[^，。]{1,60}?)的(?P<list>[^的，。]{1,24}(?:、[^的，。、]{1,24}){0,6}(?:以及|和|与"
    r"|及)[^的，。]{1,30}?)(?P<tail>(?:分别|各自)?(?:是|有|为|如何|怎样|怎么样|都)[^，。]{0,12})?$"
)
_SHARED = lazy_regex(
    r"^(?P<list>[^，。的]{2,60}?)(?P<tail>(?:的|(?:都|均)?(?:使用|采用|基于|支持|需要|提出|发表|来自|属于|由))[^，。]{2,40})$"
)
_PLACED = lazy_regex(r"^(?P<list>[^，。的]{2,60})(?P<tail>在[^，。]{1,40})$")


def compare(line: Line) -> list[Draft]:
    """Return the parts of a comparison with the comparison, or nothing."""
    cut = body(line)
    for rule in (_task, _difference, _than, _which, _all):
        if len(found := rule(cut)) > 1:
            topics = tuple(dict.fromkeys(part.entity for part in found))
            return [
                *found,
                Draft(text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))), topics=topics),
            ]
    return []


def body(line: Line) -> Line:
    body = statement(line.text)
    start = line.text.find(body)
    return Line(body, line.mask[start : start + len(body)])


def _cut(line: Line, start: int, end: int | None = None) -> Line:
    return Line(line.text[start:end], line.mask[start:end])


def _task(line: Line) -> list[Draft]:
    match = _TASK.match(line.mask)
    if not match or match.end() == len(line.mask):
        return []
    rest = _cut(line, match.end())
    ending = _DIFFERENCE.search(rest.mask)
    return _over(rest if not ending else _cut(rest, 0, ending.start()))


def _difference(line: Line) -> list[Draft]:
    ending = _DIFFERENCE.search(line.mask)
    if not ending or (ending[0].replace("\ue001", "") == "" and not line.text[ending.start() :].startswith("不同")):
        return []
    return _over(_without_order(_cut(line, 0, ending.start())))


def _without_order(line: Line) -> Line:
    match = ORDER.match(line.mask)
    return _cut(line, match.end()) if match else line


def _over(line: Line) -> list[Draft]:
    """Compare the items of `A和B在X上` or `A和B的X`."""
    time, line = _timed(line)
    where = _WHERE.search(line.mask, _last_joint(line.mask))
    tail, aspect, aspects = "", "", [""]
    if where and where.start() > 0:
        what = line.text[slice(*where.span("what"))]
        if where["how"] in _ASPECT_WORDS and not where["rest"] and not re.match(r"^[A-Za-z]", what):
            aspects = [trimmed(piece) for piece in _JOINT.split(what) if trimmed(piece)]
        else:
            tail, aspect = line.text[where.start() :], trimmed(line.text[where.start() :])
        line = _cut(line, 0, where.start())
    elif (
        (own := re.search(r"的([^的]{1,30})$", line.mask))
        and own.start() > _last_joint(line.mask)
        and not re.search(r"的[^的]{1,30}(?:和|与)", line.mask[: own.start()])
    ) or (
        (own := re.search(r"的([^的和与]{1,20}(?:、[^的和与、]{1,20}){0,5}(?:和|与|以及)[^的]{1,20})$", line.mask))
        and _JOINT.search(line.mask[: own.start()])
    ):
        aspects = [trimmed(piece) for piece in _JOINT.split(line.text[slice(*own.span(1))]) if trimmed(piece)]
        line = _cut(line, 0, own.start())
    items = _items(line)
    return [_one(time, item, each, tail, aspect) for each in aspects for item in items] if len(items) > 1 else []


def _one(time: str, item: str, aspect: str, tail: str, named: str) -> Draft:
    if tail:
        ending = "如何？" if re.search(r"(?:表现|性能|效果|应用|情况|准确率|结果)$", tail) else "的表现如何？"
        text = f"{time}{item}{tail}{ending}"
    else:
        text = (
            f"{time}{item}的{aspect}{'有哪些' if aspect.endswith(('点', '应用', '方法', '原因')) else '是什么'}？"
            if aspect
            else what_is(time + item)
        )
        if not aspect and not text.endswith("？"):
            text = f"{time}{item}是什么？"
    return Draft(text=text, entity=item, aspect=aspect or named, topics=(item,))


def _timed(line: Line) -> tuple[str, Line]:
    """Take a time in front of the first item off: it belongs to every item."""
    match = CHINESE_TIME.match(line.mask) or _PLACE.match(line.mask)
    return (line.text[: match.end()], _cut(line, match.end())) if match else ("", line)


def _last_joint(mask: str) -> int:
    joints = [match.end() for match in _JOINT.finditer(mask)]
    placed = mask.find("在", joints[0] if joints else 0)
    return max((end for end in joints if placed < 0 or end <= placed), default=0)


def _items(line: Line) -> list[str]:
    begin = 0
    found: list[str] = []
    for match in _JOINT.finditer(line.mask):
        found.append(trimmed(line.text[begin : match.start()]))
        begin = match.end()
    found.append(re.sub(r"(?:之间|相比|两者|二者|这两[个种].{0,4}|等)$", "", trimmed(line.text[begin:])))
    good = all(0 < len(item) <= 30 and not re.search(r"什么|哪|谁|如何|怎么|多少|[，。；]", item) for item in found)
    return found if good and len(found) > 1 else []


def _which(line: Line) -> list[Draft]:
    match = _WHICH.match(line.mask)
    if not match or not _MORE.search(match["more"]):
        return []
    listed = _cut(line, 0, match.end("list"))
    time, listed = _timed(listed)
    items = _items(listed)
    where = line.text[slice(*match.span("where"))] if match["where"] else ""
    more = line.text[slice(*match.span("more"))]
    return [
        Draft(text=_how(time + item + where, more), entity=item, aspect=where + more, topics=(item,)) for item in items
    ]


def _how(subject: str, more: str) -> str:
    noun = re.match(r"^的?(?P<noun>[^更最较]{2,12})(?:更|最|较)", more)
    if re.search(r"^(?:更|最)?[先早晚]", more):
        rest = re.sub(r"^(?:更|最)?[先早晚]的?", "", more)
        return f"{subject}是什么时候{rest or '出现'}的？"
    if noun:
        return f"{subject}的{noun['noun']}如何？"
    adjective = re.sub(r"^(?:更|最|较)", "", more)
    return f"{subject}有多{adjective}？" if len(adjective) <= 2 else f"{subject}{adjective}的情况如何？"


def _than(line: Line) -> list[Draft]:
    match = _THAN.match(line.mask)
    if not match:
        return []
    more = re.sub(r"吗$", "", line.text[slice(*match.span("more"))])
    items = [
        trimmed(re.sub(r"^(?:为什么|为何|是否)|(?:为什么|为何|是否)$", "", line.text[slice(*match.span(side))]))
        for side in "ab"
    ]
    if not all(items):
        return []
    where = "" if len(more) < 3 else f"（{more}）"
    return [Draft(text=f"{item}的表现如何{where}？", entity=item, aspect=more, topics=(item,)) for item in items]


def _all(line: Line) -> list[Draft]:
    match = _ALL.match(line.mask)
    if not match or not re.search(r"吗$|是否|是不是", line.mask):
        return []
    time, listed = _timed(_cut(line, *match.span("list")))
    rest = re.sub(r"吗$", "", line.text[match.end("list") :])
    rest = re.sub(r"^(?:是否|是不是)?(?:都|均|皆)?", "", rest)
    rest = re.sub(r"(?:同一|相同的?)[个家种所座]?", "哪个", rest)
    ending = "？" if "哪个" in rest else "吗？"
    return [
        Draft(text=f"{time}{item}{rest}{ending}", entity=item, aspect=rest, topics=(item,)) for item in _items(listed)
    ]


def distribute(line: Line) -> list[Draft]:
    """Return one part a thing or an aspect, or nothing."""
    cut = body(line)
    return _own(cut) or _each(cut) or _placed(cut)


def _each(line: Line) -> list[Draft]:
    order = ORDER.match(line.mask)
    lead = line.text[: order.end()] if order else ""
    rest = _without_order(line)
    match = _EACH.search(rest.mask)
    if not match:
        return []
    time, listed = _timed(_cut(rest, 0, match.start()))
    tail = rest.text[match.end() :]
    own = re.search(r"的([^的和与、]{1,20})$", listed.mask)
    if own and own.start() > _last_joint(listed.mask):
        tail = listed.text[own.start() :] + tail
        listed = _cut(listed, 0, own.start())
    items = _items(listed)
    if paired := _zipped(listed, time, tail):
        return paired
    return [
        Draft(text=question(f"{lead}{time}{item}{tail}"), entity=item, aspect=tail, topics=(item,)) for item in items
    ]


def _zipped(listed: Line, time: str, tail: str) -> list[Draft]:
    """Pair `A和B在2017年和2019年分别...`: first with first."""
    match = re.match(r"^(?P<names>[^在]{2,60})在(?P<values>[^在]{2,40})$", listed.mask)
    if not match:
        return []
    names, values = _items(_cut(listed, *match.span("names"))), _items(_cut(listed, *match.span("values")))
    if not names or len(names) != len(values):
        return []
    unit = "年" if values[-1].endswith("年") else ""
    return [
        Draft(
            text=question(f"{time}{name}在{value.removesuffix('年')}{unit}{tail}"),
            entity=name,
            aspect=tail,
            topics=(name,),
        )
        for name, value in zip(names, values, strict=True)
    ]


def _own(line: Line) -> list[Draft]:
    """Take `E的X、Y和Z是什么` or `A和B的X是什么` apart."""
    order = ORDER.match(line.mask)
    lead = line.text[: order.end()] if order else ""
    rest = _without_order(line)
    time, rest = _timed(rest)
    match = _OWN.match(rest.mask)
    if match:
        owner = rest.text[: match.end("lead")]
        aspects = _items(_cut(rest, *match.span("list")))
        tail = rest.text[match.start("tail") :] if match["tail"] else ""
        owners = _items(_cut(rest, 0, match.end("lead"))) or [owner]
        if aspects and not CHINESE_QUESTION.search(owner) and (tail or lead):
            tail = re.sub(r"^(?:分别|各自|都)", "", tail)
            return [
                Draft(text=question(f"{lead}{time}{each}的{aspect}{tail}"), entity=each, aspect=aspect, topics=(each,))
                for each in owners
                for aspect in aspects
            ]
    match = _SHARED.match(rest.mask)
    if (
        match
        and (items := _items(_cut(rest, *match.span("list"))))
        and all(re.search(r"[A-Z\ue000]", rest.mask[rest.text.find(item) :][: len(item)]) for item in items)
    ):
        tail = re.sub(r"分别|各自", "", rest.text[match.start("tail") :])
        return [
            Draft(text=question(f"{lead}{time}{item}{tail}"), entity=item, aspect=tail, topics=(item,))
            for item in items
        ]
    return []


def _placed(line: Line) -> list[Draft]:
    """Take `X和Y在Z中...` apart."""
    order = ORDER.match(line.mask)
    lead = line.text[: order.end()] if order else ""
    time, rest = _timed(_without_order(line))
    match = _PLACED.match(rest.mask)
    if not match or not (
        lead or CHINESE_QUESTION.search(match["tail"]) or re.search(r"应用|作用|表现|用途", match["tail"])
    ):
        return []
    items = _items(_cut(rest, *match.span("list")))
    tail = rest.text[match.start("tail") :]
    return [
        Draft(text=question(f"{lead}{time}{item}{tail}"), entity=item, aspect=tail, topics=(item,)) for item in items
    ]
