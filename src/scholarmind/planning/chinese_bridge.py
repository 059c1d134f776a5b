"""Chinese descriptions that must be found out first: 论文的作者在哪里工作 is asked as 论文的作者是谁, then #1 在哪里工作.

What is asked of is cut off at the last 的 in front of what is said of it. Longer chains come about because each part that waits for
nothing is taken apart again.
"""

import re

from scholarmind.languages import pattern
from scholarmind.planning.coordination import listings
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

_LEAD = pattern("zh", "bridge.lead")
_END = pattern("zh", "bridge.end")
_WH = r"什么|哪|谁|何时|何地|何处|何人|何种|多少|多[大高长久远重深快]|几|如何|怎么|怎样|为什么|为何|是否"
# where what is said begins: a copula, a small word in front of a verb, or what is asked with
_SAID = pattern("zh", "bridge.said")
_WHO_IS = pattern("zh", "bridge.who_is")
_COPULA = pattern("zh", "bridge.copula")
_HOW = re.compile("如何|怎么|怎样|为什么|为何")


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
    if not subject:
        return []  # where what is said begins is not sure
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
    if listings(Line(described, described)) or _HOW.search(rest):
        return []  # what is joined is no one thing; how or why something is, is said of it where it is
    who = "谁" if is_person(described) else "什么"
    return [
        Draft(text=f"{described}是{who}？", aspect=described.rpartition("的")[2], topics=(described,)),
        Draft(text=question(f"{head}{reference(0)}{rest}"), after=(0,)),
    ]


def _subject_end(mask: str, asked: int) -> int:
    """Return where what is asked about ends and what is said of it begins, or 0 where no word tells."""
    last = mask.rfind("的", 0, asked)
    for match in _SAID.finditer(mask, last + 3 if last >= 0 else 2):
        if match.start() >= asked:
            break
        return match.start()
    return 0
