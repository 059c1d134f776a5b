"""The planner of the strategy `concepts`: a gate by rules, then one small call to a model, or rules where there is none.

The concepts of a question are its things and aspects: "Compare Python and JavaScript for web development" is about Python, JavaScript
and web development. How they are searched for is in `concepts_team`.
"""

import asyncio
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scholarmind.calls import ResponseCache
from scholarmind.errors import ModelError, ScholarMindError
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Name
from scholarmind.plan import Plan, SubQuestion, is_open
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.decomposition.decompose import decompose
from scholarmind.planning.drafts import PartDraft, referred
from scholarmind.planning.plan_reply import plain
from scholarmind.planning.protection import REFERENCES, Protector, cleaned
from scholarmind.planning.question_gate import gate_text, judge
from scholarmind.planning.question_words import (
    ASKING,
    CHINESE_ASKING,
    PREPOSITIONS,
    content,
    is_chinese,
    statement,
    trimmed,
)
from scholarmind.planning.rule_planner import LONGEST_QUESTION, direct
from scholarmind.ports import Look, Planner
from scholarmind.steps.journal import decode, encode
from scholarmind.steps.options import Concepts
from scholarmind.text.language import language_of

# -- the gate: whether a question may be about several concepts

_JOINING = re.compile(
    r"\b(?P<english>vs|versus|compared (?:to|with)|and|or|with|affect(?:s|ed|ing)?|impact(?:s|ed|ing)?|influence[sd]?"
    r"|differences?|relationships?|relations?|interactions?|trade-?offs?)\b"
    r"|(?P<chinese>以及|还是|相比|对比|比较|影响|区别|差异|不同|关系|联系|同时|另外|[和与跟及或、])"
)

_ONE_THING = re.compile(r"^(?:what are (?:the |some )?|list )?(?:the )?best practices (?:for|of|in|to)\b|最佳实践")


def several(question: str, names: Sequence[Name] = ()) -> tuple[bool, str]:
    """Tell whether a question looks like one about several concepts, and why; who is wrong here loses one call."""
    judgement = judge(question, names)
    if judgement.complexity == "composite":
        return True, judgement.reason
    text = gate_text(question, names).masked
    if judgement.probability == 0 or _ONE_THING.search(text):
        return False, "asks for one thing"
    found = _JOINING.search(text)
    return (True, f"joins several things with {found[0]!r}") if found else (False, judgement.reason)


# -- concepts by rules, as noun phrases

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


# -- concepts that a language model names

_MOST_TOKENS = 400  # of the reply
_LONGEST = 200  # characters of a concept, of the reason, or of an error


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptReply:
    """What a model is asked to reply."""

    reason: str = ""
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The concepts of a question, and why it is about these."""

    concepts: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Unnamed:
    """Why no concepts came."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Namer:
    """Names concepts with one call, unless the same question was asked before. `rests_on` is what the reply depends on beside it."""

    assistant: Assistant
    memory: ResponseCache
    most: int
    seconds: float
    rests_on: tuple[str, ...] = ()

    async def name(self, question: str) -> Named | Unnamed:
        """Return the concepts, or why there are none: then the question is searched for as it stands."""
        address = self._address(question)
        if kept := await self._recalled(address):
            return kept
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self._asked(question)
        except TimeoutError:
            return _without(f"no concepts came from the model within {self.seconds:g} s")
        except ModelError as error:
            return _without(" ".join(str(error).split())[:_LONGEST] or type(error).__name__)
        if not isinstance(reply, ConceptReply):
            return _without("the model's reply named no concepts")
        marker = self.assistant.marker
        concepts = (plain(concept, marker)[:_LONGEST] for concept in reply.concepts)
        named = Named(concepts=tuple(filter(None, concepts)), reason=plain(reply.reason, marker)[:_LONGEST])
        await self._remember(address, named)
        return named

    async def _asked(self, question: str) -> object:
        request = self.assistant.request(
            ("concepts", _language(question)),
            purpose="concepts",
            max_tokens=_MOST_TOKENS,
            shape=ConceptReply,
            values={"most": str(self.most), "question": within(question, self.assistant.marker, "question")},
        )
        return (await self.assistant.model.complete(request)).value

    def _address(self, question: str) -> str:
        prompt = self.assistant.prompts.filled("concepts", _language(question), marker="", most="", question="")
        content = ["concepts", question.strip().lower(), self.most, prompt.version, *self.rests_on]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    async def _recalled(self, address: str) -> Named | None:
        """Return what was named before; a memory that fails costs a call and nothing else."""
        try:
            kept = await self.memory.get(address)
        except ScholarMindError:
            return None
        return decode(Named, kept) if kept else None

    async def _remember(self, address: str, named: Named) -> None:
        try:
            await self.memory.put(address, encode(named))
        except ScholarMindError:
            return  # the next question asks again


def _without(why: str) -> Unnamed:
    return Unnamed(f"the question was searched for as it stands: {why}")


def _language(question: str) -> str:
    return "zh" if language_of(question) == "zh" else "en"


# -- the planner

_MOST = 5  # concepts of one question, whoever finds them
_ONE_STEP = "one question about one thing, answered in one step"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptPlanner:
    """Plans a part for each concept; the parts wait for nothing. None or one concept: the question as it stands."""

    talker: Planner
    options: Concepts
    namer: Namer | None = None  # a model; without one the concepts are found by rules
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.talker.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the concepts of a question as the parts of a plan."""
        started = time.perf_counter()
        plan = await self._plan(question, look)
        return replace(plan, strategy="concepts", milliseconds=round((time.perf_counter() - started) * 1000, 3))

    async def _plan(self, question: str, look: Look) -> Plan:
        if not self.decompose or self.options.max_concepts == 1:
            return direct(question, "taking apart is switched off", "setting")
        composite, reason = several(question, look.names)
        if not composite:
            return direct(question, reason, "rules")
        if self.namer is None:
            found = Named(concepts=concepts_of(question, look.names), reason=reason)
        else:
            named = await self.namer.name(question)
            if isinstance(named, Unnamed):
                return replace(direct(question, reason, "rules"), notes=(named.why,))
            found = named
        return self._of(question, found, "rules" if self.namer is None else "model")

    def _of(self, question: str, found: Named, decided_by: str) -> Plan:
        """Return the plan that these concepts make."""
        closed = [concept for concept in found.concepts if not is_open(concept) or is_open(question)]
        concepts = _distinct(question, closed)
        most = min(_MOST, self.options.max_concepts + 1)
        kept, cut = concepts[:most], concepts[most:]
        notes = [f"only {most} concepts are searched for; left out: {', '.join(cut)}"] if cut else []
        if waiting := [concept for concept in found.concepts if concept not in closed]:
            notes.append(f"concepts wait for nothing; left out: {', '.join(waiting)}")
        if len(kept) < 2:
            return replace(direct(question, found.reason or _ONE_STEP, decided_by), notes=tuple(notes))
        return replace(
            direct(question, found.reason or "about several concepts", decided_by),
            parts=tuple(SubQuestion(id=number, text=concept) for number, concept in enumerate(kept, 1)),
            complexity="composite",
            known_entities=kept,
            notes=tuple(notes),
        )


def _distinct(question: str, concepts: Iterable[str]) -> list[str]:
    """Return each concept once, without one that is the question itself."""
    kept: dict[Sequence[str], str] = {}
    for concept in concepts:
        words = content(concept) or (concept.lower(),)
        if words != content(question):
            kept.setdefault(words, concept)
    return list(kept.values())
