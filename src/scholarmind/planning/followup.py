"""Make a question of a conversation stand alone, by rules: what it points back to is put in its place, and what it leaves out is added.

A question that stands alone is never changed. Where the rules find nothing to point to, the question stays as it was typed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.conversations import Turn
from scholarmind.model import Name
from scholarmind.planning import followup_chinese, followup_english
from scholarmind.planning.earlier import IN_CHINESE, IN_ENGLISH, Earlier
from scholarmind.planning.protected import cleaned
from scholarmind.planning.talk import small_talk
from scholarmind.planning.words import CHINESE, is_chinese

_LONGEST = 300  # characters; what is longer says itself what it is about


@dataclass(frozen=True, slots=True, kw_only=True)
class StoodAlone:
    """A question as it was typed, what it became to stand alone, and why; `became` is the question where nothing had to be done."""

    question: str
    became: str
    reason: str = ""


def stand_alone(question: str, turns: Sequence[Turn], names: Sequence[Name] = ()) -> StoodAlone:
    """Return a question that can be understood without the turns before it; `names` are those that the library knows in it."""
    text = cleaned(question).strip()
    if not turns or not turns[-1].question.strip() or len(text) > _LONGEST or small_talk(text):
        return StoodAlone(question=question, became=question)
    earlier = Earlier(turns)
    chinese = is_chinese(text) or (not re.search(r"[a-z]{3,}", text) and bool(CHINESE.search(text)))
    rules = followup_chinese if chinese else followup_english
    found = rules.rewritten(text, earlier, names)
    if found is None or found[0] == question:
        return StoodAlone(question=question, became=question)
    became, reason = found
    return StoodAlone(question=question, became=_in_language(became, chinese=chinese, typed=text), reason=reason)


def _in_language(became: str, *, chinese: bool, typed: str) -> str:
    """Keep the language of what was typed where the last question, which was asked again, is in the other one."""
    if chinese and not CHINESE.search(became):
        return IN_CHINESE + became
    return IN_ENGLISH + became if not chinese and is_chinese(became) and re.search(r"[a-z]{2,}", typed) else became
