"""The actions of the strategy `roadmap`, `[No Retrieval]`, `[Retrieval] query`, `[Planning]`, `[LLM]`, and asking a model for one.

They are read from whatever a model wrote around them. All calls of a step share the time that there is for it; what cannot be had is a
reason, never an error.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal, cast

from scholarmind.calls import PromptMessage, Reply, Request
from scholarmind.errors import BudgetError, ModelError
from scholarmind.llm.prompts import Assistant
from scholarmind.llm.typed_replies import parse
from scholarmind.planning.plan_reply import plain
from scholarmind.text.language import HAN

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
    said = _said(text, marker)
    leading = [each for each in said if each.starts_a_line] or said
    if not leading:
        return f"there is no action in it; write one of {_told(allowed)}"
    verbs: list[Verb] = list(dict.fromkeys(each.verb for each in leading))
    if len(verbs) > 1:
        return f"it names {_told(verbs)}; choose one"
    first = leading[0]
    if first.verb not in allowed:
        return f"[{first.verb}] is not for you to say; write one of {_told(allowed)}"
    return _with_query(first)


def _with_query(said: _Said) -> Action | str:
    if said.verb != "Retrieval":
        return Action(said.verb)
    if not re.search(r"\w", said.query) or _PLACEHOLDER.fullmatch(said.query):
        return "[Retrieval] lacks its query; write what to search for behind it"
    if len(said.query) > _LONGEST_QUERY:
        return f"the query has {len(said.query)} characters, at most {_LONGEST_QUERY} can be searched for"
    return Action("Retrieval", said.query)


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


def _said(text: str, marker: str) -> list[_Said]:
    """Return all actions of a text in their order; those without brackets only if there are none with them."""
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
    return said


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
        second = await self.reply(_told_what_is_wrong(request, first.text, action))
        if isinstance(second, str):
            return second
        mended = read_action(second.text, allowed, self.assistant.marker)
        return (
            mended
            if isinstance(mended, Action)
            else f"its action could not be used, nor could the mended one: {mended}"
        )


def _told_what_is_wrong(request: Request, said: str, wrong: str) -> Request:
    chinese = HAN.search(request.messages[0].text) is not None
    told = f"That cannot be used: {wrong}. Reply with one line, the action alone."
    if chinese:
        told = f"这样无法使用：{wrong}。只回复一行，即动作本身。"
    messages = (*request.messages, PromptMessage("assistant", said[:_SHOWN] or "."), PromptMessage("user", told))
    return replace(request, messages=messages)
