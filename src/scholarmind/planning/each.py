"""What is asked of each item of a list that must be found first: `the size of each dataset used by BERT`, `BERT使用的每个数据集的规模`."""

import re
from collections.abc import Sequence

from scholarmind.planning.clauses import clauses
from scholarmind.planning.description import description, is_noun, verb_end
from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.protected import Line, Token
from scholarmind.planning.verbs import is_participle
from scholarmind.planning.words import (
    ASKING,
    AUX,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    WH,
    content,
    is_chinese,
    is_person,
    is_plural,
    question,
    statement,
    trimmed,
)
from scholarmind.text.language import lazy_regex

_EACH = frozenset(("each", "every"))
_LEAD = lazy_regex(
    rf"^(?:for|of|with) (?:each|every)(?: (?:single )?one)?(?P<of> of)? (?:the )?(?P<list>\S.{{3,300}}?),\s*"
    rf"(?P<asked>(?:(?:in|on|by|for|at|from|to|with) )?(?:{'|'.join(sorted(WH | AUX | ASKING))})\b.+)$",
    re.IGNORECASE | re.DOTALL,
)
_POINTER = lazy_regex(
    r"\b(?P<own>its|their|his|her)\b(?=\s+\w)|\b(?:it|they|them|he|she|him|each(?: one)?(?: of them)?)\b", re.IGNORECASE
)
_ASKS_OF = lazy_regex(r"^(?:what|who|which)(?:'s| is| are| was| were)\b(?!.*\b(?:for|by|in|on|with)\b)", re.IGNORECASE)
_SINGULAR = lazy_regex(r"\b(?P<relative>that|which|who) (?P<verb>is|was|has|does)\b")
_PLURAL_VERB = {"is": "are", "was": "were", "has": "have", "does": "do"}
_HEADS = (
    "数据集|模型|方法|论文|文章|算法|系统|框架|架构|任务|基准|语料库?|机构|公司|团队"
    "|作者|大学|国家|城市|地区|书|小说|电影|产品|项目|技术|实验|改进|版本"
)
_CHINESE = lazy_regex(
    rf"^(?:对于?|针对|关于)?(?P<of>[^，。；？]{{2,60}}?)的?"
    rf"(?:每一?[个种篇项部款位家本座条](?P<any>[^，。；？的]{{1,8}}?)(?=的|，|,|是|有|在|由|用|分别|各自|都|达|于)|各个?(?P<noun>{_HEADS}))"
    rf"(?P<rest>.+)$",
    re.DOTALL,
)
_CHINESE_ORDER = lazy_regex(rf"{CHINESE_ASKING.pattern}(?:一下)?")


def each_of(line: Line) -> list[Draft]:
    """Return the question for the list and the one that is asked of each of its items, or nothing."""
    return _chinese(line) if is_chinese(line.text) else _english(line)


def led_by_each(line: Line) -> list[Draft]:
    """Return the same for `For each ..., who ... and when ...?`, where several things may be asked of each."""
    match = None if is_chinese(line.text) else _LEAD.match(line.mask)
    if not match:
        return []
    tokens = Line(line.text[match.start("list") :], line.mask[match.start("list") : match.end("list")]).tokens
    listed = line.text[slice(*match.span("list"))]
    if not tokens or tokens[0].name or ":" in listed or len(content(listed)) < 2:
        return []
    head = _head(tokens, -1)
    inner = Line(line.text[match.start("asked") :], line.mask[match.start("asked") :])
    asked = [_of_one(piece, tokens[head].word) for piece in clauses(inner)]
    return [_list(listed, tokens, head), *(Draft(text=text, after=(0,), each=True) for text in asked)]


def _english(line: Line) -> list[Draft]:
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    tokens = cut.tokens
    for place, token in enumerate(tokens[:-3]):
        if token.word not in _EACH or not place:
            continue
        article = place + 2 if tokens[place + 1].word == "of" and tokens[place + 2].word in {"the", "these"} else place
        last = _end(tokens, article)
        if last <= article + 1:
            continue
        start, end = tokens[article + 1].start, tokens[last - 1].end
        asked = f"{cut.text[: token.start]}{reference(0)}{cut.text[end:]}"
        if content(asked.replace(reference(0), " ")):
            inner = tokens[article + 1 : last]
            return [
                _list(cut.text[start:end], inner, _head(inner, -1)),
                Draft(text=question(asked), after=(0,), each=True),
            ]
    return []


def _end(tokens: tuple[Token, ...], article: int) -> int:
    """Return where a description ends that begins behind this place, or 0: by what it was used or made must be named."""
    if found := description(tokens, article):
        return found.end
    noun = article + 1 + _head(tokens[article + 1 :], -1)
    after = tokens[noun + 1].word if noun + 2 < len(tokens) else ""
    if (after == "used" or is_participle(after)) and any(token.name for token in tokens[noun + 2 :]):
        return verb_end(tokens, article, noun + 1, "participle")
    return 0


def _head(tokens: Sequence[Token], place: int) -> int:
    """Return where the noun is that a description is about: the last of those that it begins with."""
    while place + 1 < len(tokens) and (place < 0 or is_noun(tokens[place + 1])):
        place += 1
        if place and is_plural(tokens[place].word):
            break
    return place


def _list(listed: str, tokens: Sequence[Token], head: int) -> Draft:
    """Return the question for the list: its noun in the plural, and the verb behind it."""
    first = tokens[0].start
    start, end = tokens[head].start - first, tokens[head].end - first
    noun = listed[start:end]
    told = f"{listed[:start]}{_plural(noun)}{_SINGULAR.sub(_agreeing, listed[end:], count=1)}"
    return Draft(text=question(f"{'Who' if is_person(noun) else 'What'} are the {told}"), aspect=noun, topics=(told,))


def _agreeing(match: re.Match[str]) -> str:
    return f"{match['relative']} {_PLURAL_VERB[match['verb']]}"


def _plural(noun: str) -> str:
    if is_plural(noun) or noun.lower() in {"data", "series", "people"}:
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _of_one(asked: str, noun: str) -> str:
    """Return what is asked of each item as a question about one."""
    pointer = _POINTER.search(asked) or re.search(
        rf"\b(?:the|that|this|each|every) {re.escape(noun.rstrip('s'))}s?\b", asked
    )
    body = statement(asked)
    if pointer is None:
        return question(f"{body} {'of' if _ASKS_OF.match(body) else 'for'} {reference(0)}")
    own = "'s" if pointer.groupdict().get("own") else ""
    return question(f"{body[: pointer.start()]}{reference(0)}{own}{body[pointer.end() :]}")


def _chinese(line: Line) -> list[Draft]:
    match = _CHINESE.match(line.mask)
    if not match:
        return []
    owner, rest = (line.text[slice(*match.span(name))] for name in ("of", "rest"))
    noun = line.text[slice(*match.span("any" if match["any"] else "noun"))]
    order = _CHINESE_ORDER.match(owner)
    lead, owner = (owner[: order.end()], owner[order.end() :]) if order else ("", owner)
    if not trimmed(owner) or not content(owner) or CHINESE_QUESTION.search(owner) or not content(rest):
        return []
    joint = "" if rest.startswith(("的", "是", "有", "在", "由", "用", "分别", "各自", "都", "达", "于")) else "的"
    listed = f"{trimmed(owner)}的{noun}"
    return [
        Draft(text=f"{listed}有哪些？", aspect=noun, topics=(listed,)),
        Draft(text=question(f"{lead}{reference(0)}{joint}{rest.lstrip('，, ')}"), after=(0,), each=True),
    ]
