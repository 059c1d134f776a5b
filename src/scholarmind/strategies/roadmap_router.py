"""The reasoning router: whether a question, or a sub-goal, needs no retrieval, one retrieval, or a plan.

A model says so; without one, rules weigh what kind of thing is asked, how much of it, and how clearly, in English and Chinese.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.events import Routed
from scholarmind.llm.prompts import within
from scholarmind.model import Name
from scholarmind.planning.plan_checks import points_back
from scholarmind.planning.question_gate import judge, kind_of, small_talk
from scholarmind.planning.question_words import AUX, CHINESE, WH, content, is_chinese, statement
from scholarmind.strategies.roadmap_actions import OF_ROUTER, Action, TimedCalls, Verb
from scholarmind.text.language import language_of

# -- the router without a model

_CONCRETE = 2  # words that say something, with which one fact can be searched for
_ARITHMETIC = re.compile(
    r"(?:what (?:is|are)|what['’]s|how much (?:is|are)|calculate|compute|evaluate|请?(?:计算|算一下|问))?\s*"
    r"(?=[^a-z]*\d)(?:(?:[\d.,\s()（）+\-*/×÷^%=]|plus|minus|times|divided by|multiplied by|squared|cubed|the square root of|square root of"
    r"|加上?|减去?|乘以?|除以|的?平方根?|的?立方)+)(?:是多少|等于(?:多少|几)|是几|得多少|得几)?\s*[?？=.]*",
    re.IGNORECASE,
)

_OPERATES = re.compile(r"[+*/×÷^%]|\d\s*[-－]\s*\d|[a-z]{4}|[加减乘除平立]", re.IGNORECASE)
_GENERAL = re.compile(
    r"(?:what|which)(?: city)? (?:is|was) the (?:capital(?: city)?|currency|official language|continent|national language) of"
    r"(?: the)?(?: [\w'’.-]+){1,3}"
    r"|how many (?:seconds|minutes|hours|days|weeks|months|years) (?:are )?(?:there )?(?:are )?in (?:an?|one) (?:leap )?\w+"
    r"|how many (?:continents|oceans|planets)(?: are)?(?: there)?(?: in (?:the world|the solar system|our solar system))?"
    r"|(?:what is |at what temperature does )(?:the )?(?:boiling point of water|freezing point of water|water boil|water freeze)"
    r"|(?:what colou?r is|why is) the sky(?: blue)?|how many (?:legs|eyes) does an? [a-z]+ have"
    r"|(?:please )?(?:tell me a joke|write (?:me )?a (?:short )?(?:poem|joke|limerick|haiku)\b.{0,80})"
    r"|[\u4e00-\u9fff]{1,8}的?(?:首都|货币|官方语言)(?:是(?:哪里|哪儿|哪座城市|哪个城市|什么|啥)|在哪里?|叫什么)"
    r"|一(?:个?星期|周|年|天|小时|分钟|个月|个?世纪)有(?:多少|几)个?(?:秒|分钟|小时|天|周|星期|个月|月|年)"
    r"|(?:世界上?|地球上?|太阳系)?(?:一共)?有(?:多少|几)[个颗大]?(?:大洲|洲|大洋|行星)|水的?(?:沸点|冰点)是多少度?|天空为什么是蓝色?的?"
    r"|(?:请|给我)?(?:讲个?笑话|写一?首.{0,12}诗)",
    re.IGNORECASE,
)

_WORD = re.compile(r"\S+")
_SMALL_WORDS = (WH | AUX | frozenset("a an the please there".split())) - {"will", "may", "might"}
_BEFORE_NUMBER = re.compile(r"\b(?:in|on|at|by|of|during|as of|for)\s+(?=(?:the year\s+)?\d)", re.IGNORECASE)
_CHINESE_ASKED = re.compile(
    r"^(?:请问|请|帮我|麻烦|告诉我|查一下|查询|搜索)+|(?:分别)?(?:是|为|有|达到?|位于|在)?(?:多少|什么|哪些|哪里|哪儿|哪[一]?[个种位年家篇项]|几[个种位年层次]?|谁|何时|何地)"
    r"|是否|吗|呢|[？?。]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What was weighed, and what it comes to."""

    action: Action
    reason: str


def weigh(question: str, names: Sequence[Name] = (), *, composite: bool | None = None, step: bool = False) -> Weighed:
    """Return where a question goes; `names` are what the library knows in it, `composite` is what a planner saw, if one looked.

    A `step` of a roadmap was put into words to be searched for, and is searched for as it stands (musique_100: recall@5 .742 -> .759).
    """
    if is_general(question, names):
        return Weighed(
            action=Action("No Retrieval"), reason="general knowledge, arithmetic or talk: no document is needed"
        )
    judgement = judge(question, names)
    if composite or (composite is None and judgement.complexity == "composite"):
        return Weighed(action=Action("Planning"), reason=f"complex: {judgement.reason}")
    if points_back(question) is not None or (len(content(question)) < _CONCRETE and not names):
        return Weighed(action=Action("Planning"), reason="unclear: it does not say enough of what is looked for")
    if kind_of(question) == "global":
        return Weighed(action=Action("Planning"), reason="broad: an overview is made of many things")
    query = question if step else query_of(question)
    return Weighed(action=Action("Retrieval", query), reason="specific: one thing is asked, and clearly")


def is_general(question: str, names: Sequence[Name] = ()) -> bool:
    """Tell whether a question is small talk, arithmetic, or what everybody knows and the library has no name of."""
    text = " ".join(question.split())
    if small_talk(text) or (_ARITHMETIC.fullmatch(text) and _OPERATES.search(_asked(text))):
        return True
    return not names and _GENERAL.fullmatch(text.rstrip(" ?？.。!！")) is not None


def query_of(question: str) -> str:
    """Return what to search for: the question without the words that only ask."""
    body = " ".join(statement(question).split())
    if CHINESE.search(body) and is_chinese(body):
        kept = _CHINESE_ASKED.sub("", body).strip(" ，,、的")
    else:
        words = _WORD.findall(_BEFORE_NUMBER.sub("", body))
        kept = " ".join(word for place, word in enumerate(words) if not _only_asks(word, first=place == 0))
    return kept if content(kept) else body


def _only_asks(word: str, *, first: bool) -> bool:
    """Tell whether a word says nothing of what is looked for; a capital makes it a part of a name: The Who."""
    return word.lower() in _SMALL_WORDS and (first or word.islower())


def _asked(text: str) -> str:
    return re.sub(
        r"^(?:what (?:is|are)|how much (?:is|are)|calculate|compute|evaluate)\s*", "", text, flags=re.IGNORECASE
    )


# -- the router

_WAYS: dict[Verb, str] = {"No Retrieval": "Direct Answering", "Retrieval": "Single-pass", "Planning": "Multi-Step"}
_TOKENS = 200
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedQuestion:
    """What is to be routed: a question, or a sub-goal of a whole one; `composite` is what a planner saw in it, if one looked."""

    question: str
    names: Sequence[Name] = ()
    composite: bool | None = None
    whole: str = ""
    part: int = 0

    @property
    def called(self) -> str:
        """What to call it in a note."""
        return f"part {self.part}" if self.part else "the question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where it goes, who says so, and why."""

    action: Action
    by: str  # model, rules
    reason: str
    notes: tuple[str, ...] = ()

    def event(self, asked: RoutedQuestion, seconds: float) -> Routed:
        """Return the route as those who watch are told of it."""
        return Routed(
            route=_WAYS[self.action.verb],
            reason=self.reason,
            part=asked.part,
            question=asked.question,
            action=str(self.action),
            by=self.by,
            seconds=seconds,
        )


async def route(asked: RoutedQuestion, asking: TimedCalls | None) -> Route:
    """Return where it goes: a model says, and where it has no word of use, rules."""
    weighed = weigh(asked.question, asked.names, composite=asked.composite, step=bool(asked.part))
    if asking is None:
        return Route(action=weighed.action, by="rules", reason=weighed.reason)
    action = await _said(asked, asking)
    if isinstance(action, Action):
        return Route(action=action, by="model", reason="")
    return Route(
        action=weighed.action,
        by="rules",
        reason=weighed.reason,
        notes=(f"{asked.called} was routed by rules: {action}",),
    )


async def _said(asked: RoutedQuestion, asking: TimedCalls) -> Action | str:
    marker, language = asking.assistant.marker, "zh" if language_of(asked.question) == "zh" else "en"
    nothing = "（无）" if language == "zh" else "(none)"
    names = ", ".join(dict.fromkeys(name.text for name in asked.names[:_MOST_NAMES]))
    request = asking.assistant.request(
        ("route", language),
        purpose=f"route of part {asked.part}" if asked.part else "route",
        max_tokens=_TOKENS,
        values={
            "names": within(names, marker, "names") if names else nothing,
            "whole": within(asked.whole, marker, "whole") if asked.whole else nothing,
            "question": within(asked.question, marker, "question"),
        },
        part=asked.part or None,
    )
    return await asking.action(request, OF_ROUTER)
