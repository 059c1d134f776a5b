"""The concepts of a question by rules: the things and aspects that the rule planner asks about, as noun phrases.

"Compare Python and JavaScript for web development" is about Python, JavaScript and web development.
"""

import re
from collections import Counter
from collections.abc import Sequence

from scholarmind.model import Name
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.decomposition.decompose import decompose
from scholarmind.planning.drafts import PartDraft, referred
from scholarmind.planning.protection import REFERENCES, Protector, cleaned
from scholarmind.planning.question_words import (
    ASKING,
    CHINESE_ASKING,
    PREPOSITIONS,
    content,
    is_chinese,
    statement,
    trimmed,
)
from scholarmind.planning.rule_planner import LONGEST_QUESTION

_ASKED = re.compile(
    r"^(?:what|who|which|when|where) (?:is|are|was|were) (?P<x>\S.*)$"
    r"|^(?P<y>\S.*?)(?:是什么|是谁|有哪些|如何|怎么样|怎样)$",
    re.IGNORECASE,
)
_ORDERED = re.compile(rf"^(?:{'|'.join(sorted(ASKING))})\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LOOSE = re.compile(rf"^['’]s\s+|(?:\s+(?:{'|'.join(sorted(PREPOSITIONS))}))+$", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"^(?:for|in terms of|with respect to|regarding|when it comes to|in|on|at|under|across)\s+(?P<x>\D+)$"
    r"|^在(?P<y>\D+)$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"^(?P<thing>\S.*?) (?:in|within) (?P<where>\D{2,60})$|^(?P<place>\D{2,20}?)[中里]的(?P<what>.{2,})$"
)


def concepts_of(question: str, names: Sequence[Name] = ()) -> tuple[str, ...]:
    """Return the concepts that a question is about, in its order; none where the rules see only one thing."""
    text = cleaned(question).strip()
    if not text or len(text) > LONGEST_QUESTION:
        return ()
    protector = Protector(names)
    drafts = [draft for draft in decompose(text, protector).drafts if draft.role == "find"]
    if len(drafts) < 2:
        return _by_names(text, protector)
    linked = any(draft.after and not referred(draft.text) for draft in drafts)  # a question of effect or relation
    asked = [draft for draft in drafts if not draft.after or referred(draft.text)]
    return _with_places(_with_aspects(asked), linked=linked)


def _with_aspects(drafts: Sequence[PartDraft]) -> list[str]:
    """Return what each draft asks for; an aspect that several things share stands once, beside the things."""
    shared = Counter(draft.aspect for draft in drafts if draft.aspect and draft.entity)
    alone = {draft.entity for draft in drafts if draft.entity and not draft.aspect}
    things: list[str] = []
    aspects: list[str] = []
    for draft in drafts:
        restricts = _RESTRICTS.match(draft.aspect)
        if shared[draft.aspect] > 1 and (restricts or draft.entity in alone):
            things.append(draft.entity)
            aspects.append((restricts["x"] or restricts["y"]) if restricts else draft.aspect)
        else:
            things.append(_noun(draft.text))
    return [*things, *aspects]


def _with_places(concepts: Sequence[str], *, linked: bool) -> tuple[str, ...]:
    """Take `in RAG` off the concepts that share it, or from those of a relation: where things happen is a concept of its own."""
    found = {concept: _WITHIN.match(concept) for concept in concepts}
    where = Counter(_place(match) for match in found.values() if match)
    things: list[str] = []
    places: list[str] = []
    for concept in concepts:
        match = found[concept]
        if match and (linked or where[_place(match)] > 1):
            things.append(match["thing"] or match["what"])
            places.append(_place(match))
        else:
            things.append(concept)
    return tuple(dict.fromkeys(filter(None, (*things, *places))))


def _place(match: re.Match[str]) -> str:
    return trimmed(match["where"] or match["place"])


def _noun(text: str) -> str:
    """Return what a question asks for, without the words that only ask, and without answers that are not there yet."""
    body = " ".join(REFERENCES.sub(" ", statement(text)).split())
    if match := _ASKED.match(body):
        body = match["x"] or match["y"]
    body = (CHINESE_ASKING if is_chinese(body) else _ORDERED).sub("", body)
    body = _LOOSE.sub("", _ARTICLE.sub("", body))
    return trimmed(body) if content(body) else ""


def _by_names(text: str, protector: Protector) -> tuple[str, ...]:
    """Return each name of a question that is not taken apart, with what is asked of it."""
    names = names_in(protector.line(text))
    if len(names) < 2:
        return ()
    said = {word for name in names for word in content(name)}
    rest = " ".join(word for word in content(text) if word not in said)
    return tuple(trimmed(f"{name} {rest}") for name in names)
