"""Words of a Chinese question that point back, and what stands in their place: 它, 其, 前者, 这两个模型, 该论文."""

import re
from collections.abc import Sequence
from itertools import islice

from scholarmind.model import Name
from scholarmind.planning.earlier import THINGS_CHINESE, Earlier, Rewritten, in_chinese
from scholarmind.planning.mentions import ASPECT_CHINESE, Mention, mentions_of
from scholarmind.planning.pointing import numbered, of_noun, referents, the_other
from scholarmind.planning.protected import Protector
from scholarmind.planning.words import CHINESE_FUNCTION, question
from scholarmind.text.patterns import lazy_regex

_NOUNS = rf"{THINGS_CHINESE}|作者|团队|人|学者|结果|数字|分数|得分|数值|年|会议"
_ASKED_NOUN = lazy_regex(r"(?:哪些|哪[一几]?[个篇种项家]|什么|多少)[^，]{0,8}")
_MOST_POINTERS = 8
POINTER = lazy_regex(
    rf"(?P<order>前者|后者|(?P<other>另一[个篇种](?:{_NOUNS})?)|第[一二三][个篇种项位](?:{_NOUNS}|(?=$|[的是呢在有用由和比，。？为何如怎能会更]))|最后一个(?:{_NOUNS})?)"
    rf"|(?P<pair>(?:这|那)?(?<!第)[两二三](?:者|个(?:{_NOUNS})|种(?:{_NOUNS})|篇(?:{_NOUNS})|个(?![月年人小大]))|它们[两三]个|彼此|^各自(?=的))"
    rf"|(?P<det>这些|那些|这几[个种篇]|这[个种篇一]?|那[个种篇]|该|上述|以上|此)(?P<noun>{_NOUNS})"
    r"|(?P<own>(?<!其)(?:它们|他们|她们|它|他|她))(?P<de>的)?(?!人|国)|(?P<qi>(?<![尤与极及])其)(?!中|他|余|次|实|它|间|后)"
    r"|(?P<bare>这个|那个|这些|那些)(?=$|[，。？是的有在能和与比])"
)
_BESIDE = lazy_regex(
    r"(?:和|与|跟|比|对|像|同|及|于|基于|替代|取代|超过|优于|不如|改进|借鉴|引用|使用|采用|用|提出|介绍|讨论|研究|评测|训练|优化|扩展)了?$"
)
PLACE = lazy_regex(
    r"^除了[^，]{1,30}[，,]|^(?:相比于?|比起|不同于)[A-Za-z0-9.\-+ ]+[，,]?"
    r"|^(?:在|除了|与|和|跟|相比|对(?!比)于?|比起|不同于)[^，]{1,30}?(?:上|中|里|方面|之外|相比|而言|来说|时|相比较)[，,]?"
)
_CLAUSE = lazy_regex(r"[，,；;。？?]|以及|并且|而且")
_VERBS = lazy_regex(
    r"提出|发表|发布|训练|用到?|使用|采用|需要|支持|达到|获得|取得|工作|实现|评测|评估|测试|时候|多[大快长久高]|多|大|快|最[大高好]?|主要|具体|一共|总共|共|年|由|来自|属于|哪里"
    r"|公开|开源|会|能|可以|到|了|过|个|几|层|块|收集|构建|撰写|写|创建|设计|发明|上下文|批次?|词元|预训练|推理"
)


def pointing(body: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    """Put what each pointing word points to in its place, but for those that point within the question."""
    text, why = body, ""
    for match in reversed(list(islice(POINTER.finditer(Protector(names).line(body).mask), _MOST_POINTERS))):
        things = () if _within(body, match, names) else meant(match, earlier)
        if not things:
            continue
        after = text[match.end() :]
        owns = match["de"] or (match["qi"] and not re.match(r"是|有|在|如何|怎|为什么|能|需|用|使", after))
        text = f"{text[: match.start()]}{in_chinese(things)}{'的' if owns else ''}{after}"
        why = told(match, things)
    return (question(text), why) if why else None


def meant(match: re.Match[str], earlier: Earlier) -> tuple[str, ...]:
    """Return what a pointing word stands for."""
    if match["pair"]:
        return referents(earlier, "pair")
    if match["other"]:
        return the_other(earlier)
    if order := match["order"]:
        place = {"前": 0, "后": -1, "最": -1, "第": "一二三".find(order[1])}[order[0]]
        return numbered(earlier, place)
    if match["noun"]:
        several = bool(re.match(r"这些|那些|这几|上述|以上", match["det"]))
        return of_noun(earlier, match["noun"], several=several)
    word = match["own"] or match["qi"] or match["bare"]
    if word in {"他", "她"}:
        return referents(earlier, "person")
    return referents(earlier, "several" if word.endswith(("们", "些")) else "one")


def _within(body: str, match: re.Match[str], names: Sequence[Name]) -> bool:
    """Tell whether a word points to something in its own question."""
    before = body[: match.start()]
    if match["order"] or match["pair"]:
        return len(named(before, names)) > 1
    place = PLACE.match(before)
    before = before[place.end() :] if place else before
    if _BESIDE.search(before) and not _CLAUSE.search(before):
        return False
    if named(before, names) or said(_ASKED_NOUN.sub("", before)):
        return True
    clauses = _CLAUSE.split(before)
    return len(clauses) > 1 and bool(said("".join(clauses[:-1])))


def said(text: str) -> str:
    """Return what a text says beside asking for what one asks of a thing."""
    rest = CHINESE_FUNCTION.sub(" ", text)
    words = (word for word in re.split(r"\s+", _VERBS.sub(" ", rest)) if word)
    return "".join(word for word in words if not ASPECT_CHINESE.match(word))


def named(text: str, names: Sequence[Name]) -> list[Mention]:
    """Return the models, methods and persons in a text."""
    return [mention for mention in mentions_of(Protector(names).line(text)) if mention.sort in {"name", "person"}]


def told(match: re.Match[str], things: Sequence[str]) -> str:
    """Say what a pointing word stands for."""
    return f"“{match[0]}”指{in_chinese(things)}"
