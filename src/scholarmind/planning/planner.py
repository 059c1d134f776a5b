"""The rule planner: takes a question apart without a model, in English and Chinese. Read `RulePlanner.plan` from top to bottom."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind import languages
from scholarmind.model import Name
from scholarmind.plan import Complexity, Kind, Plan, SubQuestion
from scholarmind.planning.complete import asked_more_closely, lost_words, nothing_lost
from scholarmind.planning.completion import names_in, topics_of
from scholarmind.planning.decompose import Decomposition, decompose
from scholarmind.planning.draft import Draft, referred
from scholarmind.planning.kinds import kind_of
from scholarmind.planning.merge import Merged, merged, told
from scholarmind.planning.protected import REFERENCE, REFERENCES, Protector, cleaned, full_width
from scholarmind.planning.split import polite
from scholarmind.planning.structured.recognition import form_of, held_together
from scholarmind.planning.tree import grown
from scholarmind.planning.words import ASKING, AUX, WH, is_chinese, statement, trimmed
from scholarmind.ports import QuestionMarker
from scholarmind.text.language import language_of

LONGEST = 20_000  # characters; what is longer is a document, not a question
READER = "reader"  # of questions: it marked what the plan is made of
WHOLE = "one question that the graph of papers answers whole"
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
        if not text or len(text) > LONGEST:
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
            return replace(direct(question, WHOLE, "rules"), milliseconds=_since(started))
        # 3. The most similar parts become one until the cap holds
        parts = merged(drafts, self.cap)
        if len(drafts) == 1 or len(parts) == 1:
            plan = direct(question, taken.reason if len(drafts) == 1 else "one part is allowed", "rules")
            asks = told(parts[0])[1] if len(drafts) > 1 else ()
            only = replace(plan.parts[0], asks=asks)
            if taken.marked and taken.background and len(drafts) == 1:
                only = replace(only, text=drafts[0].text, form=form_of(drafts[0].text))
                plan = replace(plan, background=" ".join(taken.background))
            return replace(plan, parts=(only,), milliseconds=_since(started))
        # 4. Numbers, kinds, and the record around the parts; those of a tree, if the question is nested
        made = self._tree(text, drafts, protector) or numbered(parts)
        return replace(_record(question, made, taken, drafts), milliseconds=_since(started))

    def _tree(self, text: str, drafts: Sequence[Draft], protector: Protector) -> tuple[SubQuestion, ...]:
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
    line = Protector().line(cleaned(text[:LONGEST]))
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


def numbered(parts: list[Merged]) -> tuple[SubQuestion, ...]:
    """Return the parts with their numbers, and `#N` for every reference."""
    numbers = {place: number for number, part in enumerate(parts, 1) for place in part.places}
    made: list[SubQuestion] = []
    for number, part in enumerate(parts, 1):
        after = tuple(sorted({numbers[place] for place in part.after} - {number}))
        text, asks = told(part)
        asks = tuple(replace(ask, text=_named(ask.text, numbers, after)) for ask in asks)
        kinds: list[Kind] = [draft.kind or kind_of(REFERENCES.sub("", draft.text)) for draft in part.drafts]
        kind = max(kinds, key=_WIDENING.index)
        lists = [numbers[referred(draft.text)[0]] for draft in part.drafts if draft.each and referred(draft.text)]
        each = next((listed for listed in lists if listed in after), 0)
        made.append(
            SubQuestion(
                id=number,
                text=_named(text, numbers, after),
                kind=kind,
                depends_on=after,
                role=part.role,
                asks=asks,
                each=each,
                form=form_of(_named(text, numbers, after)) if part.role == "find" and len(asks) < 2 else None,
            )
        )
    return tuple(made)


def _named(text: str, numbers: dict[int, int], after: tuple[int, ...]) -> str:
    """Write references as `#N`; what the user typed that way must not be taken for one."""
    if after:
        text = _USER_REFERENCE.sub("# ", text)
    return _MARKED.sub(lambda match: f"#{numbers[ord(match[1]) - REFERENCE]}{' ' if match[2] else ''}", text)


def _record(question: str, parts: tuple[SubQuestion, ...], taken: Decomposition, drafts: list[Draft]) -> Plan:
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
        decided_by=READER if taken.marked else "rules",
        core_intent=_short(final),
        background=" ".join(taken.background),
        known_entities=tuple(dict.fromkeys((*names_in(line), *taken.entities)))[:40],
        unknown_entities=tuple(dict.fromkeys(unknown)),
    )


def _description(text: str) -> str:
    body = statement(text)
    match = re.match(r"^(?:what|who) (?:is|are|was|were) (.+)$|^(.+?)(?:是什么|是谁|有哪些)$", body, re.IGNORECASE)
    return trimmed(match[1] or match[2]) if match else body


def _short(text: str) -> str:
    """Return the first sentence, without its mark, as the core of what is wanted."""
    body = re.split(r"(?<=[?？。])\s*", text.strip(), maxsplit=1)[0]
    return statement(body)[:200] or text.strip()[:200]
