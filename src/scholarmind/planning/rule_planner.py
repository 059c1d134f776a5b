"""The planner that needs no language model: rules take a question apart, and gate, rules and second look decide whether it is composite.

Read `RulePlanner.plan`, then `KeylessPlanner.plan` from top to bottom. English and Chinese; any other language is searched as it stands.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from scholarmind import languages
from scholarmind.model import Name
from scholarmind.plan import Complexity, Kind, Plan, SubQuestion, described
from scholarmind.planning.decomposition.clause_rewriting import names_in, topics_of
from scholarmind.planning.decomposition.clauses import polite
from scholarmind.planning.decomposition.decompose import UNSURE, Decomposition, decompose
from scholarmind.planning.drafts import MergedParts, PartDraft, grown, merged, referred, text_and_asks
from scholarmind.planning.plan_checks import asked_more_closely, lost_words, nothing_lost
from scholarmind.planning.question_gate import (
    SURE_SIMPLE_PROBABILITY,
    GateJudgement,
    GateText,
    QuestionGate,
    SecondLook,
    Talk,
    gate_text,
    kind_of,
    second_look,
    small_talk,
)
from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    CHINESE_FUNCTION,
    FUNCTION,
    REFERENCE,
    REFERENCES,
    WH,
    Protector,
    cleaned,
    full_width,
    is_chinese,
    statement,
    trimmed,
)
from scholarmind.planning.structured.recognition import form_of, held_together
from scholarmind.ports import Look, QuestionMarker
from scholarmind.text.language import language_of, lazy_regex

# -- a plan by rules

LONGEST_QUESTION = 20_000  # characters; what is longer is a document, not a question
_READER = "reader"  # of questions: it marked what the plan is made of
_WHOLE = "one question that the graph of papers answers whole"
_NESTED = 2  # levels, and clauses, that a tree has at least
_WIDENING: tuple[Kind, ...] = ("factual", "reasoning", "global")
_MARKED = re.compile(rf"({REFERENCES.pattern})(?:(?=(\w))|)")  # a letter behind a number would hide the reference
_USER_REFERENCE = re.compile(r"#(?=\d{1,4}(?![0-9A-Za-z_]))")


@dataclass(frozen=True)
class RulePlanner:
    """Plans by rules. `cap` is the largest number of parts; beyond it the most similar are merged, each keeping its own ask.

    With a `depth` above 1, a clause that asks several things has parts of its own, where another clause asks something else. `without`
    switches ideas off, by the names that a plan's reason has.
    """

    cap: int = 5
    depth: int = 2
    without: frozenset[str] = frozenset()
    marker: QuestionMarker | None = None

    def plan(self, question: str, names: Sequence[Name] = ()) -> Plan:
        """Return the parts of a question; a simple one is one part with the whole question."""
        started = time.perf_counter()
        text = cleaned(question).strip()
        text = full_width(text) if is_chinese(text) else text
        if not text or len(text) > LONGEST_QUESTION:
            return direct(question, "nothing is asked" if not text else "too long to be taken apart", "rules")
        if not languages.is_known(text) and text.split()[0].lower() not in WH | AUX | ASKING:
            code = language_of(text)
            note = f"only questions in English and Chinese are taken apart: this one (in {code!r}) is searched as it stands"
            return replace(direct(question, "a language whose questions are not taken apart", "rules"), notes=(note,))
        protector = Protector(names)
        # 1. Questions, clauses, then what each of them compares, distributes, or must find out first
        taken = decompose(text, protector, without=self.without, marker=self.marker)
        # 2. Whatever of the question stands in no part is put back
        drafts = taken.drafts
        if not taken.marked:
            drafts = nothing_lost(polite(text), asked_more_closely(drafts), taken.background)
        if held_together(text, [draft.text for draft in drafts]):
            return replace(direct(question, _WHOLE, "rules"), milliseconds=_since(started))
        # 3. The most similar parts become one until the cap holds
        parts = merged(drafts, self.cap)
        if len(drafts) == 1 or len(parts) == 1:
            plan = direct(question, taken.reason if len(drafts) == 1 else "one part is allowed", "rules")
            asks = text_and_asks(parts[0])[1] if len(drafts) > 1 else ()
            only = replace(plan.parts[0], asks=asks)
            if taken.marked and taken.background and len(drafts) == 1:
                only = replace(only, text=drafts[0].text, form=form_of(drafts[0].text))
                plan = replace(plan, background=" ".join(taken.background))
            return replace(plan, parts=(only,), milliseconds=_since(started))
        # 4. Numbers, kinds, and the record around the parts; those of a tree, if the question is nested
        made = self._tree(text, drafts, protector) or numbered(parts)
        return replace(_record(question, made, taken, drafts), milliseconds=_since(started))

    def _tree(self, text: str, drafts: Sequence[PartDraft], protector: Protector) -> tuple[SubQuestion, ...]:
        """Return the parts of a nested question, or () where it is none."""
        if self.depth < _NESTED or len({draft.group for draft in drafts if draft.group}) < _NESTED:
            return ()
        deep = decompose(text, protector, deep=True, without=self.without, marker=self.marker)
        nested = deep.drafts if deep.marked else nothing_lost(text, asked_more_closely(deep.drafts), deep.background)
        tree = grown(text, nested, self.cap)
        if tree is None:
            return ()
        made = numbered(tree.parts)
        if not deep.marked and lost_words(
            text, [*(row.text for part in made for row in part.rows), *(part.text for part in made), *deep.background]
        ):
            return ()
        return tuple(replace(part, parent=parent + 1) for part, parent in zip(made, tree.parents, strict=True))


def direct(question: str, reason: str, decided_by: str) -> Plan:
    """Return the plan of a simple question: one part, with its kind."""
    text = question.strip() or "?"
    line = Protector().line(cleaned(text[:LONGEST_QUESTION]))
    part = SubQuestion(id=1, text=text, kind=kind_of(text), form=form_of(text))
    return Plan(
        question=question,
        parts=(part,),
        complexity="simple",
        reason=reason,
        decided_by=decided_by,
        core_intent=_short(text),
        known_entities=names_in(line) or topics_of(line)[:1],
    )


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def numbered(parts: list[MergedParts]) -> tuple[SubQuestion, ...]:
    """Return the parts with their numbers, and `#N` for every reference."""
    numbers = {place: number for number, part in enumerate(parts, 1) for place in part.places}
    made: list[SubQuestion] = []
    for number, part in enumerate(parts, 1):
        after = tuple(sorted({numbers[place] for place in part.after} - {number}))
        text, asks = text_and_asks(part)
        asks = tuple(replace(ask, text=_with_numbers(ask.text, numbers, after)) for ask in asks)
        kinds: list[Kind] = [draft.kind or kind_of(REFERENCES.sub("", draft.text)) for draft in part.drafts]
        kind = max(kinds, key=_WIDENING.index)
        lists = [numbers[referred(draft.text)[0]] for draft in part.drafts if draft.each and referred(draft.text)]
        each = next((listed for listed in lists if listed in after), 0)
        made.append(
            SubQuestion(
                id=number,
                text=_with_numbers(text, numbers, after),
                kind=kind,
                depends_on=after,
                role=part.role,
                asks=asks,
                each=each,
                form=form_of(_with_numbers(text, numbers, after)) if part.role == "find" and len(asks) < 2 else None,
            )
        )
    return tuple(made)


def _with_numbers(text: str, numbers: dict[int, int], after: tuple[int, ...]) -> str:
    """Write references as `#N`; what the user typed that way must not be taken for one."""
    if after:
        text = _USER_REFERENCE.sub("# ", text)
    return _MARKED.sub(lambda match: f"#{numbers[ord(match[1]) - REFERENCE]}{' ' if match[2] else ''}", text)


def _record(question: str, parts: tuple[SubQuestion, ...], taken: Decomposition, drafts: list[PartDraft]) -> Plan:
    complexity: Complexity = "composite"
    wanted = {place for draft in drafts for place in referred(draft.text)}
    unknown = (_description(drafts[place].text) for place in sorted(wanted) if not referred(drafts[place].text))
    final = next((part.text for part in reversed(parts) if part.role != "find"), taken.first)
    line = Protector().line(cleaned(question))
    return Plan(
        question=question,
        parts=parts,
        complexity=complexity,
        reason=taken.reason,
        decided_by=_READER if taken.marked else "rules",
        core_intent=_short(final),
        background=" ".join(taken.background),
        known_entities=tuple(dict.fromkeys((*names_in(line), *taken.entities)))[:40],
        unknown_entities=tuple(dict.fromkeys(unknown)),
    )


def _description(text: str) -> str:
    body = statement(text)
    return trimmed(described(body)) or body


def _short(text: str) -> str:
    """Return the first sentence, without its mark, as the core of what is wanted."""
    body = re.split(r"(?<=[?？。])\s*", text.strip(), maxsplit=1)[0]
    return statement(body)[:200] or text.strip()[:200]


# -- how many parts a question needs: the things that it speaks of, and what is done with them. `steps` counts every thing and every
# operation, as a decomposition into atomic steps does; `parts` counts what rules would look up, and every operation on that

MOST_STEPS = 10  # parts that anything is taken apart into
Grain = Literal["steps", "parts"]
_TOKENS = lazy_regex(r"@|[^\W_]+(?:[.\-'’][^\W_]+)*|[,;]")
_OPERATIONS = tuple(
    lazy_regex(pattern)
    for pattern in (
        # counting and reckoning
        r"\bhow (?:many|much)\b|\b(?:number|count|total|amount|average|sum|mean|percentage) of\b|\bcombined\b|\btotal\b|\baverage\b",
        # setting side by side, or in an order
        r"\b(?:more|less|fewer|most|least|same|exactly|first|last|only|than|equal|different|both|between|\w{3,}est)\b",
        # taking away
        r"\b(?:not|no|without|except|besides|never|other than)\b",
        # yes or no
        r"^(?:if|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b",
    )
)

_CHINESE_OPERATIONS = tuple(
    lazy_regex(pattern)
    for pattern in (
        r"多少|几[个种位年次项篇家]|总共|一共|总数|总和|平均|合计|占比",
        r"最|更|比较|对比|相比|差异|区别|异同|不同|相同|一样|之间|都",
        r"不(?!同|断|仅)|没有|除了|以外|之外|无需",
        r"是否|有没有|能否|吗",
    )
)

_CHINESE_BREAK = lazy_regex(r"[，。；：、？！,.;:?!\s]+")


def how_many(
    question: str,
    names: Sequence[Name] = (),
    second: SecondLook | None = None,
    *,
    grain: Grain = "steps",
    most: int = MOST_STEPS,
) -> int:
    """Return how many parts to ask for, from 1 to `most`; `names` are what the library knows in the question."""
    text = gate_text(question, names)
    things = _things(text) if grain == "steps" else _looked_up(question, names, most)
    patterns = _CHINESE_OPERATIONS if text.chinese else _OPERATIONS
    count = things + sum(len(pattern.findall(text.masked)) for pattern in patterns)
    if second is not None and second.verdict == "composite":
        count = max(2, count)
    return max(1, min(most, count))


def _things(text: GateText) -> int:
    """Count the runs of words that say something: each is a thing, a quality of one, or what is done."""
    if text.chinese:
        pieces = _CHINESE_BREAK.split(CHINESE_FUNCTION.sub(" ", text.masked))
        return sum(bool(piece) for piece in pieces)
    says = [False, *(token not in FUNCTION and token not in {",", ";"} for token in _TOKENS.findall(text.masked))]
    return sum(new and not before for before, new in pairwise(says))


def _looked_up(question: str, names: Sequence[Name], most: int) -> int:
    parts = RulePlanner(cap=most, depth=1).plan(question, names).parts
    return sum(part.role == "find" for part in parts)


# -- rules, gate and second look together

_COVERED = 0.9  # below this chance, one passage that has every word of a question makes it simple
_SPREAD = 0.2  # above this chance, passages that add to each other make a question composite
_REPLIES: dict[Talk, tuple[str, str]] = {
    "empty": ("Nothing is asked yet. Ask about your documents.", "还没有提问。请就您的文档提一个问题。"),
    "greeting": ("Hello. Ask a question about your documents.", "您好。请就您的文档提问。"),
    "thanks": ("You are welcome.", "不客气。"),
    "farewell": ("Goodbye.", "再见。"),
    "about us": (
        "ScholarMind answers questions from your own documents, cites every sentence, and shows for every part whether it was answered.",
        "ScholarMind 根据您自己的文档回答问题：拆分问题，逐项检索，每句话都附引文，并说明每一部分是否得到了回答。",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeylessPlanner:
    """Decides whether a question is composite, leaning to yes, and takes it apart by rules."""

    rules: RulePlanner = field(default_factory=RulePlanner)
    gate: QuestionGate = field(default_factory=QuestionGate)
    decompose: bool = True

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        talk = small_talk(question)
        return "" if talk is None else _REPLIES[talk][language_of(question) == "zh"]

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan of a question whose first look is known."""
        if not self.decompose:
            return direct(question, "taking apart is switched off", "setting")
        plan = self.rules.plan(question, look.names)
        judgement = await asyncio.to_thread(self.gate.judge, question, look.names)
        second = second_look(question, look.names, look.evidence, look.rarity)
        complexity, decided_by = _decision(judgement, plan, second)
        if complexity == "simple":
            covered = decided_by == "second look"
            reason = second.reason if covered else "one question about one thing, answered in one step"
            if len(plan.parts) > 1:
                plan = replace(direct(question, reason, decided_by), milliseconds=plan.milliseconds)
            return replace(plan, complexity=complexity, decided_by=decided_by, reason=reason, steps=1)
        seen = second.reason if decided_by == "second look" else judgement.reason
        reason = plan.reason if len(plan.parts) > 1 else seen
        steps = how_many(question, look.names, second)
        return replace(plan, complexity=complexity, decided_by=decided_by, reason=reason, steps=steps)


def _decision(judgement: GateJudgement, plan: Plan, second: SecondLook) -> tuple[Complexity, str]:
    """Return whether a question is composite, and who says so: the gate, the parts that rules found, or the first passages."""
    chance = judgement.probability
    if chance == 0:
        return "simple", "rules"
    if plan.decided_by == _READER:
        return "composite", _READER
    # parts that only may be right count where no reader has judged the question
    surely_apart = len(plan.parts) > 1 and (judgement.decided_by == "rules" or _has_sure_reason(plan))
    if second.verdict == "simple" and chance < _COVERED and not _has_sure_reason(plan):
        return "simple", "second look"
    if judgement.complexity == "composite":
        return "composite", judgement.decided_by
    if surely_apart and chance >= SURE_SIMPLE_PROBABILITY:
        return "composite", "planner"
    if second.verdict == "composite" and chance >= _SPREAD:
        return "composite", "second look"
    return "simple", judgement.decided_by


def _has_sure_reason(plan: Plan) -> bool:
    """Tell whether a plan rests on more than what only looks like several things."""
    found = plan.reason.removeprefix("found: ").split(", ")
    return len(plan.parts) > 1 and not UNSURE.issuperset(found)
