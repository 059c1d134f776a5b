"""What a model writes an answer from: the passages that a number of tokens holds, the parts row by row, language, form and length.

Of each row those passages are shown that count most. Measured with one search and the same number of tokens beside it
(`bench/points.py`): what a plan found is shown, not only its first five.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scholarmind.answer import Finding
from scholarmind.calls import Request
from scholarmind.llm import prompts
from scholarmind.llm.language_models import tokens_of
from scholarmind.llm.prompts import Assistant, Fenced, fenced, head_of, within
from scholarmind.model import Evidence
from scholarmind.plan import Ask, Kind, Plan, Role
from scholarmind.ranking import Key, key_of, merged, passage_id
from scholarmind.steps.execute import resolved
from scholarmind.steps.options import Form, Language, Length
from scholarmind.text.analysis import fold
from scholarmind.text.language import language_of
from scholarmind.writing.tallies import proving, tallies_of, tally_lines

# -- the passages that are shown

_ITEM = re.compile(r"\s*(?:[-*•|]|\d{1,3}[.)、])")
_LONGEST = 2_000  # characters of a passage that are shown
_PROOFS = 6  # passages of each row that was counted
_RESTED_ON = 2  # passages in which a short answer stands, where nobody said which it is from
_EACH_ROW = 2  # passages at least


def within_tokens(
    plan: Plan, findings: Sequence[Finding], ranked: Sequence[Evidence], tokens: int
) -> tuple[Evidence, ...]:
    """Return the passages to show: what answers and counts rest on, then two a row, then the best of the rest.

    `ranked` are those to choose from, best first. Every row keeps its best passage, however few tokens there are.
    """
    pool = merged((ranked, *(finding.evidence for finding in findings), *_proofs(findings).values()))
    rows = [row for part in plan.parts if part.role == "find" for row in part.row_ids]
    first = [next((key_of(item) for item in _of_row(findings, row)), None) for row in rows]
    chosen: dict[Key, None] = dict.fromkeys(key for key in first if key is not None)
    left = tokens - sum(cost(pool[key]) for key in chosen)
    for wanted in _by_need(findings, ranked, rows):
        for key in (wanted, *_goes_on(wanted, pool)):
            if key not in chosen and (own := cost(pool[key])) <= left:
                chosen[key] = None
                left -= own
    labels = {key: _rows_proved(findings, key) for key in chosen}
    shown = [pool[key].rated(pool[key].scores.fused, pool[key].found_by | labels[key]) for key in chosen]
    return tuple(shown)


def fewer(plan: Plan, findings: Sequence[Finding], shown: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the half of these passages that counts most."""
    return within_tokens(plan, findings, shown, sum(map(cost, shown)) // 2)


def cost(item: Evidence) -> int:
    """Return about how many tokens a passage takes where it is shown."""
    return tokens_of(item.passage.text[:_LONGEST]) + tokens_of(head_of(item))


def _goes_on(key: Key, pool: Mapping[Key, Evidence]) -> Iterator[Key]:
    """Yield the neighbours of a passage that breaks off, or begins, inside a list or a table."""
    collection, document, position = key
    for first, second, other in ((position, position + 1, 1), (position - 1, position, 0)):
        pair = (collection, document, first), (collection, document, second)
        if all(one in pool for one in pair):
            ends, begins = (pool[one].passage.text.strip().split("\n") for one in pair)
            if _ITEM.match(ends[-1]) and _ITEM.match(begins[0]):
                yield pair[other]


def _by_need(findings: Sequence[Finding], ranked: Sequence[Evidence], rows: Sequence[str]) -> Iterator[Key]:
    """Yield the passages in the order in which they are wanted."""
    for finding in findings:
        yield from _rested_on(finding)
    for proofs in _proofs(findings).values():
        yield from map(key_of, proofs)
    for place in range(_EACH_ROW):
        for row in rows:
            yield from map(key_of, _of_row(findings, row)[place : place + 1])
    yield from map(key_of, ranked)


def _rested_on(finding: Finding) -> Iterator[Key]:
    """Yield the passages that the short answer of a part is from."""
    if finding.rests_on:
        yield from (key_of(item) for item in finding.evidence if passage_id(item) in finding.rests_on)
    elif finding.answer:
        said = fold(finding.answer)
        holding = (key_of(item) for item in finding.evidence if said in fold(item.passage.text))
        yield from (key for key, _ in zip(holding, range(_RESTED_ON), strict=False))


def _of_row(findings: Sequence[Finding], row: str) -> list[Evidence]:
    return [
        item for finding in findings if row in finding.part.row_ids for item in finding.evidence if row in item.found_by
    ]


def _proofs(findings: Sequence[Finding]) -> Mapping[str, Sequence[Evidence]]:
    """Return for each row that was counted some of the passages that prove it."""
    return {row: [*merged([list(proving(tally))]).values()][:_PROOFS] for row, tally in tallies_of(findings).items()}


def _rows_proved(findings: Sequence[Finding], key: Key) -> frozenset[str]:
    return frozenset(row for row, proofs in _proofs(findings).items() if any(key_of(item) == key for item in proofs))


# -- the request

_WORDS = Path(prompts.__file__).with_name("prompts") / "answer.json"
_TOKENS: dict[Length, int] = {"short": 800, "medium": 2_000, "long": 5_000}
_TOKENS_OF_REPORT = 40  # that a row takes
_LONGEST_ANSWER = 600
_LATIN = frozenset(("en", "de", "fr", "es", "it", "pt", "nl"))
_ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|were|does|did|what|which|how|who|why|when|where|and|compare|explain|between|with|has|have)\b",
    re.IGNORECASE,
)

_TELLING_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRow:
    """One thing that is asked, with the answers that it waited for filled in."""

    id: str
    part: int
    role: Role
    kind: Kind
    ask: Ask
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How an answer shall be written. `language` is a code, or '' where the question does not tell."""

    form: Form
    length: Length
    language: str


def rows_of(plan: Plan, findings: Sequence[Finding]) -> tuple[AskedRow, ...]:
    """Return the rows of a plan in order."""
    by_part = {finding.part.id: finding for finding in findings}
    found: list[AskedRow] = []
    for part in plan.parts:
        given = {number: by_part[number] for number in part.depends_on if number in by_part}
        for name, ask in zip(part.row_ids, part.rows, strict=True):
            question = resolved(part, given, ask.text)
            found.append(AskedRow(id=name, part=part.id, role=part.role, kind=part.kind, ask=ask, question=question))
    return tuple(found)


def language_for(question: str, language: Language) -> str:
    """Return the code of the language to write in, or '' where a short question does not tell: 'LA Confidential' is not Spanish."""
    if language != "question":
        return language
    code = language_of(question)
    if code in _LATIN and not (code == "en" and _ENGLISH.search(question)) and len(question.split()) < _TELLING_WORDS:
        return ""
    return code


def answer_request(
    assistant: Assistant,
    plan: Plan,
    findings: Sequence[Finding],
    evidence: Sequence[Evidence],
    manner: Manner,
    *,
    again: bool,
) -> tuple[Request, Mapping[str, Evidence]]:
    """Return the call that writes an answer, and the passages by their keys; `again` if the last one was in another language."""
    language = "zh" if manner.language == "zh" else "en"
    words, rows = _words()[language], rows_of(plan, findings)
    shown = _passages(evidence, rows, assistant.marker, words)
    named = words.get(f"of {manner.language}", "")
    values = {
        "question": within(plan.question, assistant.marker, "question"),
        "parts": "\n\n".join(_to_answer(plan, findings, shown, assistant.marker, words)),
        "passages": shown.text,
        "tongue": words["language"].format(language=named) if named else words["same"],
        "form": words[manner.form],
        "length": words[manner.length],
        "again": (words["again"].format(language=named) if named else words["again same"]) if again else "",
    }
    most = _TOKENS[manner.length] + _TOKENS_OF_REPORT * len(rows)
    return assistant.request(("answer", language), purpose="answer", max_tokens=most, values=values), shown.passages


def _to_answer(
    plan: Plan, findings: Sequence[Finding], shown: Fenced, marker: str, words: Mapping[str, str]
) -> Iterator[str]:
    """Yield the rows to answer, and what was counted for them, if anything was."""
    yield f"{words['parts']}\n{within(_listed(plan, findings, shown, words), marker, 'parts')}"
    if counted := tally_lines(findings, shown.passages):
        yield f"{words['counted']}\n{within(counted, marker, 'counted')}"


def _listed(plan: Plan, findings: Sequence[Finding], shown: Fenced, words: Mapping[str, str]) -> str:
    by_part = {finding.part.id: finding for finding in findings}
    keys = {passage_id(item): key for key, item in shown.passages.items()}
    lines: list[str] = []
    for row in rows_of(plan, findings):
        part, finding = plan.part(row.part), by_part.get(row.part)
        known: list[str] = []
        if part.role != "find":
            known.append(words[part.role].format(parts=", ".join(map(str, part.depends_on))))
        if finding and finding.error:
            known.append(words["failed"])
        if finding and finding.answer and row.id == part.row_ids[0]:
            cited = "".join(f"[{keys[one]}]" for one in finding.rests_on if one in keys)
            answer = f"{finding.answer[:_LONGEST_ANSWER]} {cited}".rstrip()
            known.append(words["short answer"].format(answer=answer))
        if finding and finding.lacks:
            known.append(words["lacks"].format(lacks=finding.lacks[:_LONGEST_ANSWER]))
        text = " ".join(row.question.split())
        lines.append(f"{row.id}: {text}" + (f" ({'; '.join(known)})" if known else ""))
    return "\n".join(lines)


def _passages(evidence: Sequence[Evidence], rows: Sequence[AskedRow], marker: str, words: Mapping[str, str]) -> Fenced:
    known = [row.id for row in rows]
    evidence = _grouped(evidence, rows)
    found_for = {
        f"P{place}": words["found for"].format(rows=", ".join(own))
        for place, item in enumerate(evidence, 1)
        if (own := [row for row in known if row in item.found_by])
    }
    return fenced(evidence, marker, notes=found_for)


def _grouped(evidence: Sequence[Evidence], rows: Sequence[AskedRow]) -> list[Evidence]:
    """Return the passages row by row, each at the first row that it serves; those of an overview in the order of years.

    What serves no row comes last.
    """

    def place(item: Evidence) -> tuple[int, int]:
        found = next(((number, row) for number, row in enumerate(rows) if row.id in item.found_by), None)
        if found is None:
            return len(rows), 0
        number, row = found
        return number, (item.document.year or 0) if row.kind == "global" else 0

    return sorted(evidence, key=place)


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return json.loads(_WORDS.read_text(encoding="utf-8"))
