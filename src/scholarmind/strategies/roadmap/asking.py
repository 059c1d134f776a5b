"""Asks a model for actions and judgements within the time that there is for them; what cannot be had is a reason, never an error."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.calls import Message, Reply, Request
from scholarmind.errors import BudgetError, ModelError
from scholarmind.llm.prompts import Assistant
from scholarmind.strategies.roadmap.actions import Action, Verb, read_action
from scholarmind.text.language import HAN

_SHOWN = 500  # characters of a reply that could not be used
_LONGEST_ERROR = 200


class Asking:
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
    messages = (*request.messages, Message("assistant", said[:_SHOWN] or "."), Message("user", told))
    return replace(request, messages=messages)
