"""Questions of effect and relation: X, Y, and the link between them, which depends on both."""

import re

from scholarmind.planning.coordination import listings
from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import Line
from scholarmind.planning.words import CHINESE_QUESTION, FUNCTION, is_chinese, question, statement, trimmed, what_is
from scholarmind.text.language import lazy_regex

_VERBS = (
    "affect|affects|affected|impact|impacts|impacted|influence|influences|influenced|"
    "relate to|relates to|correlate with|interact with|shape"
)
_DOES = lazy_regex(
    rf"^(?:how|in what ways?|to what extent|why)\s+(?:do|does|did|can|could|will|would|might|may|has"
    rf"|have)\s+(?P<x>\S.{{0,200}}?)\s+(?:{_VERBS})\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)
_EFFECT = lazy_regex(
    r"^(?P<head>.{0,80}?)\b(?:effects?|impacts?|influences?)\s+(?:of|that|from)\s+(?P<x>\S.{0,200}?)\s+(?:on|upon"
    r"|has on|have on|had on|has had on)\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)
_RELATION = lazy_regex(
    r"^(?P<head>.{0,80}?)\b(?:relationships?|relations?|connections?|links?|correlations?|interactions?"
    r"|associations?|interplay)\s+between\s+(?P<x>\S.{0,200}?)\s+and\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)
_RELATED = lazy_regex(
    r"^how\s+(?:is|are|was|were)\s+(?P<x>\S.{0,200}?)\s+(?:(?:related|connected|linked)\s+to\s+(?P<y>\S.{0,200})"
    r"|and\s+(?P<z>\S.{0,200}?)\s+(?:related|connected|linked))$",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    r"^(?P<x>[^，。；？?]{1,60}?)(?:是?(?:如何|怎么|怎样)|会(?:如何|怎么|怎样)|在多大程度上|能否)(?:会|能|可以)?影响(?:了|到)?(?P<y>[^，。；？?]{1,60})$"
    r"|^(?:分析|解释|讨论|说明|阐述)?(?P<x2>[^，。；？?]{1,60}?)(?:会|能)?对(?P<y2>[^，。；？?]{1,60}?)(?:会|能)?(?:有|产生|造成"
    r"|带来)?(?:了)?(?:什么|怎样的|怎么样的|哪些|何种|多大|何)?的?(?:影响|作用)(?:是什么|有哪些|如何|有多大)?$"
    r"|^(?:分析|解释|讨论|说明|阐述)?(?P<x3>[^，。；？?]{1,60}?)(?:和|与|跟|同)(?P<y3>[^，。；？?]{1,60}?)(?:之间)?(?:到底|究竟)?(?:有没有|有无|是否有?|是不是有|的|有|存在"
    r"|是)?(?:着)?(?:什么样的|什么|怎样的|哪些|何种|何)?(?:的)?(?:关系|关联|联系|相关性)(?:是什么|有哪些|如何|怎么样|怎样)?$"
)
_PLACE = lazy_regex(r"\s+(?:in|within|during|for|under)\s+(?!(?:which|what)\b).{1,120}$", re.IGNORECASE)
_CHINESE_PLACE = lazy_regex(r"^(在[^，。]{1,30}?(?:中|里|领域|方面|时)[，,]?)")
_OWNED = lazy_regex(r"^(?:它|其|他们?|她)(?:[与和跟](?=[^的]*的)|(?=[的对在]))")
_ASKS_FOR_OTHERS = lazy_regex(  # `which papers measure the effect of X on Y`
    r"^(?:which|who|whose|where|when|what (?!(?:effects|impacts|influences|relations|links|does|was|has)\b)[a-z-]{3,}s (?!of\b))\b",
    re.IGNORECASE,
)
_BESIDE = lazy_regex(r"\s*,\s+(?:which|who|where)\b.*$", re.IGNORECASE | re.DOTALL)  # said of Y by the way
_MUTUAL = lazy_regex(
    r"\brelat|\bconnect|\blink|\bcorrelat|\binteract|\bassociat|\binterplay|关系|关联|联系|相关性", re.IGNORECASE
)
_POINTS = lazy_regex(
    r"^(?:it|its|their|they|them|this|these|those|that|his|her|you|me|us|people|we|each other|one another|what"
    r"|which|who)\b",
    re.IGNORECASE,
)


def effects(line: Line) -> list[Draft]:
    """Return X, Y and their link, or nothing."""
    size = len(statement(line.text))
    mask, text = line.mask[:size], line.text[:size]
    match = _CHINESE.match(mask)
    if _ASKS_FOR_OTHERS.match(mask) or (match and CHINESE_QUESTION.search(mask[: _end_of_first(match)])):
        return []
    if match:
        name = next(end for end in ("", "2", "3") if match[f"x{end}"])
        return _three(
            line, text[slice(*match.span(f"x{name}"))], text[slice(*match.span(f"y{name}"))], _chinese_place(text)
        )
    for pattern in (_DOES, _EFFECT, _RELATION, _RELATED):
        if match := pattern.match(mask):
            other = "y" if match["y"] else "z"
            return _three(line, text[slice(*match.span("x"))], text[slice(*match.span(other))], "")
    return []


def _end_of_first(match: re.Match[str]) -> int:
    return max(match.end(name) for name in ("x", "x2", "x3"))


def _owned(thing: str, owner: str) -> str:
    """Return `its trade with B` as `the trade of A with B`."""
    found = re.search(r"\s(?:with|in|on|to|for|towards?|over|at|from)\s", thing)
    place = found.start() if found else len(thing)
    return f"the {thing[:place]} of {owner}{thing[place:]}"


def _chinese_place(text: str) -> str:
    match = _CHINESE_PLACE.match(text)
    return match[1] if match else ""


def _says(text: str) -> bool:
    return bool(set(text.lower().split()) - FUNCTION)


def _link(line: Line, first: str, second: str) -> str:
    """Return what a question of effect or relation asks about, as a thing that is spoken of: `the effect of X on Y`."""
    mutual = bool(_MUTUAL.search(line.mask))
    if is_chinese(line.text):
        return f"{first}与{second}的关系" if mutual else f"{first}对{second}的影响"
    return f"the relation between {first} and {second}" if mutual else f"the effect of {first} on {second}"


def _three(line: Line, first: str, second: str, place: str) -> list[Draft]:
    first = trimmed(first.removeprefix(place))
    second = _OWNED.sub(
        lambda match: first.partition("的")[0] + ("对" if len(match[0]) > 1 else ""), trimmed(_BESIDE.sub("", second))
    )
    if not (_says(first) and _says(second)) or _POINTS.match(first):
        return []
    if (_POINTS.match(second) and not second.lower().startswith("its ")) or any(
        one.named for one in listings(Line(second, second))
    ):
        return []  # of several names, each is asked about first
    found = _PLACE.search(second)
    where = (
        found[0]
        if found and not second.lower().startswith("its ") and " " not in second[: found.start()].strip()
        else ""
    )
    if second.lower().startswith("its "):
        second = _owned(second[4:], first.rpartition(" of ")[2])
    one, two = what_is(place + first + where), what_is(place + second)
    return [
        Draft(text=one, entity=first, topics=(first,)),
        Draft(text=two, entity=second, topics=(second,)),
        Draft(
            text=question(line.text),
            kind="reasoning",
            after=(0, 1),
            aspect=_link(line, first, second),
            topics=(first, second),
        ),
    ]
