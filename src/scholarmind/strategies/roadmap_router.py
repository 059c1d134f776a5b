"""The actions of the strategy `roadmap`, and its reasoning router: no retrieval, one retrieval, or a plan, for a question or a sub-goal."""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal, cast

from scholarmind.calls import PromptMessage, Reply, Request
from scholarmind.errors import BudgetError, ModelError
from scholarmind.events import Routed
from scholarmind.llm.prompts import Assistant, within
from scholarmind.llm.typed_replies import parse
from scholarmind.model import Name
from scholarmind.planning.plan_checks import points_back
from scholarmind.planning.plan_mending import plain
from scholarmind.planning.question_gate import judge, kind_of, small_talk
from scholarmind.planning.question_words import AUX, CHINESE, WH, content, is_chinese, statement
from scholarmind.text.language import HAN, language_of

# -- the grammar

Verb = Literal["No Retrieval", "Retrieval", "Planning", "LLM"]
OF_ROUTER: tuple[Verb, ...] = ("No Retrieval", "Retrieval", "Planning")
OF_DECISION_MAKER: tuple[Verb, ...] = ("Retrieval", "LLM")
_READ = 4_000  # characters of a reply: an action is one line
_LONGEST_QUERY = 400
_VERBS: dict[Verb, str] = {
    "No Retrieval": r"no[\s_-]*(?:retrieval|retrieve)|不(?:需要?|用|必)?检索|[无毋]需检索|无检索",
    "Retrieval": r"retrieval|retrieve|search|检索|搜索",
    "Planning": r"plan(?:ning)?|规划|计划",
    "LLM": r"llm|大(?:语言)?模型",
}

_ANY = "|".join(_VERBS.values())
_CLOSED = "]】］〕〗」』＞>)）}｝"
_IN_BRACKETS = re.compile(
    rf"[\[【［〔〖「『＜<(（{{｛]\s*(?P<verb>{_ANY})\s*(?:[:：,，]\s*(?P<within>[^\n{re.escape(_CLOSED)}]*))?[{re.escape(_CLOSED)}]",
    re.IGNORECASE,
)

_BARE = re.compile(
    rf"^[\s>*_`#-]*(?:(?:final\s+)?(?:action|decision)|动作|操作|行动)?\s*[:：]?[\s*_`]*(?P<verb>{_ANY})[*_`]*\s*(?P<within>$|[:：].*$)",
    re.IGNORECASE | re.MULTILINE,
)

_THOUGHT = re.compile(r"^.*</(?:think|thinking|thought|reasoning)>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
_TAG = re.compile(r"</?\s*(?:sub-?)?(?:query|question)\s*>", re.IGNORECASE)
_AT_THE_START = re.compile(
    r"[\s>*_`#-]*(?:(?:final\s+)?(?:action|decision)|动作|操作|行动)?\s*[:：]?[\s*_`]*", re.IGNORECASE
)

_EDGES = " \t:：*_`\"'“”‘’「」-—<>"
_PLACEHOLDER = re.compile(r"(?:the |your |a )?(?:sub-?)?(?:query|question)|\.{3}|…+|查询|子?问题", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Action:
    """What is to be done next; only a retrieval has a query."""

    verb: Verb
    query: str = ""

    def __str__(self) -> str:
        return f"[{self.verb}] {self.query}".rstrip()


@dataclass(frozen=True, slots=True)
class _Said:
    """An action as it stands in a reply."""

    verb: Verb
    query: str
    starts_a_line: bool


def read_action(reply: str, allowed: Sequence[Verb], marker: str = "") -> Action | str:
    """Return the action that a reply says, or why it says none; `marker` never gets into a query."""
    text = _unwrapped(reply)
    # all actions of a text in their order; those without brackets only if there are none with them
    found = [*_IN_BRACKETS.finditer(text)] or [*_BARE.finditer(text)]
    said: list[_Said] = []
    end = 0
    for match, following in zip_longest(found, found[1:]):
        line = max(end, text.rfind("\n", 0, match.start()) + 1)
        end = match.end()
        rest = text[match.end() : following.start() if following else len(text)]
        lines = [each for each in rest.split("\n") if each.strip(_EDGES)]
        query = _TAG.sub(" ", (match["within"] or "").strip(_EDGES) or (lines[0] if lines else ""))
        starts = match.re is _BARE or _AT_THE_START.fullmatch(text[line : match.start()]) is not None
        said.append(_Said(_verb(match["verb"]), plain(query, marker).strip(_EDGES), starts))
    leading = [each for each in said if each.starts_a_line] or said
    if not leading:
        return f"there is no action in it; write one of {_told(allowed)}"
    verbs: list[Verb] = list(dict.fromkeys(each.verb for each in leading))
    if len(verbs) > 1:
        return f"it names {_told(verbs)}; choose one"
    first = leading[0]
    if first.verb not in allowed:
        return f"[{first.verb}] is not for you to say; write one of {_told(allowed)}"
    if first.verb != "Retrieval":
        return Action(first.verb)
    if not re.search(r"\w", first.query) or _PLACEHOLDER.fullmatch(first.query):
        return "[Retrieval] lacks its query; write what to search for behind it"
    if len(first.query) > _LONGEST_QUERY:
        return f"the query has {len(first.query)} characters, at most {_LONGEST_QUERY} can be searched for"
    return Action("Retrieval", first.query)


def _told(verbs: Sequence[Verb]) -> str:
    return ", ".join("[Retrieval] query" if verb == "Retrieval" else f"[{verb}]" for verb in verbs)


def _unwrapped(reply: str) -> str:
    """Return a reply without thoughts and code fences; JSON that holds an action as the line that it stands for."""
    text = _FENCE.sub("", _THOUGHT.sub("", reply[:_READ])).strip()
    if not text.startswith("{") or _IN_BRACKETS.match(text):
        return text
    try:
        record = parse(text)
    except ValueError:
        return text
    if not isinstance(record, dict):
        return text
    told = {str(name).lower(): str(value) for name, value in cast("dict[Any, Any]", record).items() if value}
    action = told.get("action", told.get("decision", ""))
    query = told.get("query", "")
    return f"{action if _IN_BRACKETS.search(action) else f'[{action}]'} {query}" if action else text


def _verb(text: str) -> Verb:
    return next(verb for verb, pattern in _VERBS.items() if re.fullmatch(pattern, text, re.IGNORECASE))


# -- asking a model

_SHOWN = 500  # characters of a reply that could not be used
_LONGEST_ERROR = 200


class TimedCalls:
    """All calls of one step together have so many seconds; after one that used them up, or a spent budget, nobody is asked again."""

    def __init__(self, assistant: Assistant, seconds: float) -> None:
        self.assistant = assistant
        self.over = ""  # why nobody is asked any more
        self.is_spent = False  # ... that being the budget
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    async def reply(self, request: Request) -> Reply | str:
        """Return what the model says, or why it says nothing."""
        if self.over:
            return self.over
        try:
            async with asyncio.timeout(max(0.0, self._until - time.monotonic())):
                return await self.assistant.model.complete(request)
        except TimeoutError:
            self.over = f"the model did not answer within {self._seconds:g} s"
        except BudgetError as error:
            self.over, self.is_spent = str(error), True
        except ModelError as error:
            return " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__
        return self.over

    async def action(self, request: Request, allowed: Sequence[Verb]) -> Action | str:
        """Return the action that the model chooses, or why there is none: a malformed one may be mended once."""
        first = await self.reply(request)
        if isinstance(first, str):
            return first
        action = read_action(first.text, allowed, self.assistant.marker)
        if isinstance(action, Action):
            return action
        chinese = HAN.search(request.messages[0].text) is not None
        told = f"That cannot be used: {action}. Reply with one line, the action alone."
        if chinese:
            told = f"这样无法使用：{action}。只回复一行，即动作本身。"
        messages = (
            *request.messages,
            PromptMessage("assistant", first.text[:_SHOWN] or "."),
            PromptMessage("user", told),
        )
        second = await self.reply(replace(request, messages=messages))
        if isinstance(second, str):
            return second
        mended = read_action(second.text, allowed, self.assistant.marker)
        return (
            mended
            if isinstance(mended, Action)
            else f"its action could not be used, nor could the mended one: {mended}"
        )


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
    action = await asking.action(request, OF_ROUTER)
    if isinstance(action, Action):
        return Route(action=action, by="model", reason="")
    return Route(
        action=weighed.action,
        by="rules",
        reason=weighed.reason,
        notes=(f"{asked.called} was routed by rules: {action}",),
    )
