"""Chinese descriptions that must be found out first: 提出LoRA的论文的作者在哪里工作 is asked as 提出LoRA的论文的作者是谁, then #1 在哪里工作.

What is asked of is cut off at the last 的 in front of what is said of it. Longer chains come about because each part that waits for
nothing is taken apart again.
"""

import re

from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.protected import Line
from scholarmind.planning.words import (
    CHINESE_ASKING,
    CHINESE_QUESTION,
    content,
    is_person,
    question,
    statement,
    trimmed,
)
from scholarmind.text.patterns import lazy_regex

_LEAD = lazy_regex(
    r"^(?:请问(?:一下)?|你?(?:知道|觉得|记得|认为|了解|晓得)|求问|有人知道|谁知道|想问(?:一下)?|我想知道|告诉我|麻烦问下|大家|那么?|(?:[^，,]{2,8}(?:们|大神|朋友|专家)[，,]))+[，,]?"
)
_END = lazy_regex(r"(?:吗|呢|啊|呀|吧|(?<![什怎那多])么|嘛)+$")
_WH = r"什么|哪|谁|何时|何地|何处|何人|何种|多少|多[大高长久远重深快]|几|如何|怎么|怎样|为什么|为何|是否"
# where what is said begins: a copula, a small word in front of a verb, or what is asked with
_SAID = lazy_regex(
    rf"是|为(?!什么|何)|叫|有(?!限|关)|在|由|被|会(?!议)|能(?!力)|用(?!途|户|品)|可以|属于|来自|位于|拥有|包含|包括(?!的)|指|[^的属位]{{2}}于|{_WH}"
)
_WHO_IS = lazy_regex(rf"^(?:{_WH})[些个位种]?(?:人|国家|地方|公司|城市)?是")
_SHORT_NOUN, _LONG = 2, 5
_COPULA = lazy_regex(
    rf"^(?:都|分别|具体|又|一共|究竟|到底|现在|目前)*(?:是|为|叫做?|有|指的?是|名叫)?(?:{_WH})?(?:一?[些个位种里儿]|人|年|国|样|时候|地方|名字|东西)*$"
)
_VERB = 2  # characters of a verb in front of what is asked with


def bridge(line: Line) -> list[Draft]:
    """Return the question for what is described and the one that waits for it, or nothing."""
    body = statement(line.text)
    lead = _LEAD.match(body) or CHINESE_ASKING.match(body)
    start = lead.end() if lead else 0
    end = _END.search(body)
    text, mask = body[start : end.start() if end else None], line.mask[start : end.start() if end else len(body)]
    if who := _WHO_IS.match(mask):  # 谁是X的Y的Z
        cut = mask.rfind("的")
        described = text[who.end() : cut]
        return _chain(described, text[cut:], who[0]) if "的" in described and trimmed(text[cut + 1 :]) else []
    asked = re.search(_WH, mask)
    if not asked or "，" in mask[: asked.start()] or "," in mask[: asked.start()]:
        return []
    if re.search(r"的[有是为]?$", mask[: asked.start()]):
        return []  # 做改进的有哪些
    subject = _subject_end(mask, asked.start())
    cut = mask.rfind("的", 0, subject)
    while cut > 0 and CHINESE_QUESTION.search(mask[:cut]):
        cut = mask.rfind("的", 0, cut)
    if cut < 2:
        return []
    if _COPULA.match(mask[subject:]):  # X的Y的Z是什么: what is asked for is Z of #1
        described, rest = text[:cut], text[cut:]
        if "的" not in mask[:cut]:
            return []
    else:
        described, rest = text[:subject], text[subject:]
    if len(content(described)) < 1 or not trimmed(rest):
        return []
    return _chain(described, rest)


def _chain(described: str, rest: str, head: str = "") -> list[Draft]:
    described = trimmed(described)
    who = "谁" if is_person(described) else "什么"
    return [
        Draft(text=f"{described}是{who}？", aspect=described.rpartition("的")[2], topics=(described,)),
        Draft(text=question(f"{head}{reference(0)}{rest}"), after=(0,)),
    ]


def _subject_end(mask: str, asked: int) -> int:
    """Return where what is asked about ends and what is said of it begins."""
    last = mask.rfind("的", 0, asked)
    for match in _SAID.finditer(mask, last + 3 if last >= 0 else 2):
        if match.start() >= asked:
            break
        return match.start()
    left = asked - (last + 1)
    if left <= _SHORT_NOUN:
        return asked
    return last + 1 + _SHORT_NOUN if left <= _LONG else asked - _VERB - (mask[asked - 1] in "了过着到")
