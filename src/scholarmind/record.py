"""Answers and plans as JSON: what `ask --json` and `plan --json` print, and what a run keeps. The schema is in docs/answer.schema.json."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from scholarmind.answer import Answer, Citation, Claim, Finding, Review, Row
from scholarmind.errors import PlanError
from scholarmind.events import plain
from scholarmind.filters import AllOf, AnyOf, Compare, Filter, Not
from scholarmind.identity import page_link, select_link
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion, Translation
from scholarmind.relations import TallyRow
from scholarmind.remarks import citations_of
from scholarmind.text.untrusted import storable

SHOWN = 10  # passages of a part


def plan_record(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON."""
    return {
        "original_query": plan.question,
        "complexity": plan.complexity,
        "shape": plan.shape,
        "execution_plan": plan.execution_plan,
        "core_intent": plan.core_intent,
        "background": plan.background,
        "known_entities": list(plan.known_entities),
        "unknown_entities": list(plan.unknown_entities),
        "reason": plan.reason,
        "decided_by": plan.decided_by,
        "milliseconds": round(plan.milliseconds, 3),
        "strategy": plan.strategy,
        "steps": plan.steps,
        "retrieval": plan.retrieval,
        "own_answer": plan.own_answer,
        "notes": list(plan.notes),
        "parts": [_part_record(part) for part in plan.parts],
        "translations": [plain(translation) for translation in plan.translations],
    }


def plan_of(record: Any, question: str = "") -> Plan:
    """Read a plan back from its JSON, which somebody may have edited; what cannot be meant is an error that says where."""
    known = _mapping(record, "a plan")
    items = known.get("parts")
    if not isinstance(items, list):
        raise PlanError("a plan is an object with a list of `parts`, as 'scholarmind plan --json' prints it")
    parts = tuple(_part(item, number) for number, item in enumerate(cast("list[Any]", items), 1))
    return Plan(
        question=storable(question or str(known.get("original_query") or "")),
        parts=parts,
        complexity="composite" if len(parts) > 1 else "simple",
        reason=str(known.get("reason") or ""),
        decided_by="user",
        core_intent=str(known.get("core_intent") or ""),
        background=str(known.get("background") or ""),
        known_entities=_texts(known, "known_entities"),
        unknown_entities=_texts(known, "unknown_entities"),
        retrieval=known.get("retrieval") is not False,
        own_answer=str(known.get("own_answer") or ""),
        strategy=str(known.get("strategy") or "plan"),
        steps=steps if isinstance(steps := known.get("steps"), int) else 0,
        translations=_translations(known),
    )


def evidence_record(item: Evidence) -> dict[str, Any]:
    """Return a passage that was found as JSON."""
    return {
        "document": item.document.id,
        "collection": item.document.collection,
        "title": item.document.title,
        "section": list(item.passage.section),
        "page": item.passage.page,
        "start": item.passage.start,
        "end": item.passage.end,
        "score": round(item.scores.fused, 4),
        "found_by": sorted(item.found_by),
        "text": item.passage.text,
    }


def filter_record(filter: Filter | None) -> dict[str, Any] | None:
    """Return a filter as JSON."""
    match filter:
        case None:
            return None
        case Compare():
            return {"field": filter.field, "operator": filter.operator, "value": filter.value}
        case Not():
            return {"not": filter_record(filter.part)}
        case AllOf():
            return {"all": [filter_record(part) for part in filter.parts]}
        case AnyOf():
            return {"any": [filter_record(part) for part in filter.parts]}


def filter_of(record: Mapping[str, Any]) -> Filter:
    """Read a filter back; what is none is a KeyError, TypeError or QueryError."""
    if "not" in record:
        return Not(filter_of(record["not"]))
    if "all" in record:
        return AllOf(tuple(filter_of(part) for part in record["all"]))
    if "any" in record:
        return AnyOf(tuple(filter_of(part) for part in record["any"]))
    return Compare(record["field"], record["operator"], record["value"])


def answer_record(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON."""
    return {
        "question": answer.question,
        "asked": answer.asked or answer.question,
        "answer": answer.text,
        "source": answer.source,
        "written_by": answer.written_by,
        "plan": plan_record(answer.plan),
        "parts": _rows(answer),
        "claims": [
            {
                "text": claim.text,
                "status": claim.status,
                "citations": [item.key for item in claim.citations],
                "part": claim.row,
                "start": claim.start,
                "end": claim.end,
            }
            for claim in answer.claims
        ],
        "citations": [plain(citation) for citation in answer.citations],
        "sources": [_source(document, answer) for document in answer.sources],
        "verdict": answer.review.verdict,
        "confidence": answer.review.confidence,
        "spent": dict(answer.spent),
        "calls": [plain(call) for call in answer.calls],
        "estimate": plain(answer.estimate),
        "fallbacks": list(answer.fallbacks),
        "run": answer.run,
    }


def answer_of(record: Mapping[str, Any], documents: Iterable[Document]) -> Answer:
    """Read an answer back as far as it is shown: its text, what it rests on, how complete it is. `documents` are those that it cites."""
    plan, citations = plan_of(record["plan"], record["question"]), tuple(citations_of(record["citations"]))
    numbers = {row["id"]: int(str(row["id"]).partition(".")[0]) for row in record["parts"]}
    rows = tuple(
        Row(
            id=row["id"],
            part=numbers[row["id"]],
            text=row["text"],
            status=row["status"],
            confidence=row["confidence"],
            missing=row["missing"],
        )
        for row in record["parts"]
    )
    shown = tuple(
        Evidence(passage=Passage(text="", start=0, end=0, position=0), document=document, scores=Scores(fused=0.0))
        for document in documents
    )
    part = plan.parts[0] if plan.parts else SubQuestion(id=1, text=plan.question, kind="factual")
    return Answer(
        question=record["question"],
        asked="" if record["asked"] == record["question"] else record["asked"],
        text=record["answer"],
        plan=plan,
        review=Review(rows=rows, verdict=record["verdict"], confidence=record["confidence"]),
        findings=(Finding(part=part, question=part.text, evidence=shown),) if shown else (),
        claims=tuple(_claims(record["claims"], citations)),
        citations=citations,
        answers={row["id"]: row["answer"] for row in record["parts"]},
        source=record["source"],
        written_by=record["written_by"],
        fallbacks=tuple(record["fallbacks"]),
        spent=record["spent"],
        run=record["run"],
    )


def _claims(records: Sequence[Mapping[str, Any]], citations: Sequence[Citation]) -> Iterator[Claim]:
    """Yield claims with their citations: those whose brackets stand behind the claim and before the next, else all of their key."""
    starts = sorted(record["start"] for record in records if record["start"] is not None)
    for record in records:
        start, keys = record["start"], set(record["citations"])
        after = next((other for other in starts if start is not None and other > start), None)
        alike = [one for one in citations if one.key in keys]
        own = [
            one
            for one in alike
            if start is not None
            and one.start is not None
            and start <= one.start
            and (after is None or one.start < after)
        ]
        near = {one.key for one in own}
        yield Claim(
            text=record["text"],
            status=record["status"],
            citations=(*own, *(one for one in alike if one.key not in near)),
            row=record["part"],
            start=start,
            end=record["end"],
        )


def _source(document: Document, answer: Answer) -> dict[str, Any]:
    """Return a cited work, with the pages that are cited, and where Zotero shows it if it is from there."""
    own = [item for item in answer.citations if (item.collection, item.document) == (document.collection, document.id)]
    pages = sorted({item.page for item in own if item.page})
    return {
        "key": own[0].key if own else document.title,
        "collection": document.collection,
        "document": document.id,
        "title": document.title,
        "zotero": select_link(document),
        "pages": [{"page": page, "zotero": page_link(document, page)} for page in pages],
    }


def answer_metadata(answer: Answer) -> dict[str, Any]:
    """Return what stands beside the text of an answer in the messages and responses of other frameworks."""
    return {
        "run": answer.run,
        "verdict": answer.review.verdict,
        "confidence": answer.review.confidence,
        "parts": [plain(row) for row in answer.review.rows],
        "citations": [plain(citation) for citation in answer.citations],
        "written_by": answer.written_by,
        "notes": list(answer.fallbacks),
    }


def _part_record(part: SubQuestion) -> dict[str, Any]:
    return {
        "id": part.id,
        "text": part.text,
        "kind": part.kind,
        "depends_on": list(part.depends_on),
        "role": part.role,
        "asks": [plain(ask) for ask in part.asks],
        "known": part.known,
        "known_from": list(part.known_from),
        "extends": part.extends,
        "parent": part.parent,
        "each": part.each,
        "form": part.form,
    }


def _part(item: Any, number: int) -> SubQuestion:
    known = _mapping(item, f"part {number}")
    try:
        depends_on = tuple(_number(other) for other in _list(known, "depends_on"))
        return SubQuestion(
            id=_number(known.get("id", number)),
            text=_text(known.get("text") or known.get("question") or ""),
            kind=known.get("kind") or "factual",
            depends_on=tuple(dict.fromkeys(depends_on)),
            role=known.get("role") or "find" if depends_on else "find",  # nothing to put together: look it up
            asks=tuple(_ask(ask) for ask in _list(known, "asks")),
            known=_text(known.get("known") or ""),
            known_from=tuple(map(_text, _list(known, "known_from"))),
            extends=_number(known.get("extends") or 0),
            parent=_number(known.get("parent") or 0),
            each=_number(known.get("each") or 0),
            form=known.get("form") or None,
        )
    except (TypeError, ValueError, KeyError) as error:
        raise PlanError(
            f"part {number} cannot be read ({error!r}); compare it with what 'plan --json' prints"
        ) from error


def _number(value: Any) -> int:
    """Return a part's number: 2, "2" and "#2" are meant alike, 2.5 and true are nothing."""
    if isinstance(value, str):
        return int(value.removeprefix("#"))
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not the number of a part")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:80]!r} is not text")
    return storable(value)


def _list(known: Mapping[str, Any], name: str) -> list[Any]:
    value: Any = known.get(name) or []
    if not isinstance(value, list):
        raise TypeError(f"{name} = {str(value)[:80]!r} is not a list")
    return cast("list[Any]", value)


def _texts(known: Mapping[str, Any], name: str) -> tuple[str, ...]:
    try:
        return tuple(map(_text, _list(known, name)))
    except TypeError as error:
        raise PlanError(f"{error}; compare it with what 'plan --json' prints") from error


def _ask(item: Any) -> Ask:
    known = _mapping(item, "what a part asks")
    return Ask(
        text=_text(known["text"]), entity=_text(known.get("entity") or ""), aspect=_text(known.get("aspect") or "")
    )


def _translations(known: Mapping[str, Any]) -> tuple[Translation, ...]:
    names = ("asked", "language", "said")
    try:
        items = [_mapping(item, "a translation") for item in _list(known, "translations")]
        return tuple(Translation(**{name: _text(item.get(name) or "") for name in names}) for item in items)
    except TypeError as error:
        raise PlanError(f"{error}; compare it with what 'plan --json' prints") from error


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PlanError(f"{what} is {str(value)[:80]!r}, not an object as 'scholarmind plan --json' prints it")
    return cast("Mapping[str, Any]", value)


def _rows(answer: Answer) -> list[dict[str, Any]]:
    """Return the completeness table: a record for each row, with its part's kind and dependencies."""
    findings = {finding.part.id: finding for finding in answer.findings}
    parts = {part.id: part for part in answer.plan.parts}
    keys = {(citation.collection, citation.document): citation.key for citation in answer.citations}
    return [
        {
            "id": row.id,
            "text": row.text,
            "kind": parts[row.part].kind,
            "depends_on": list(parts[row.part].depends_on),
            "status": row.status,
            "missing": row.missing,
            "confidence": row.confidence,
            "answer": answer.answers.get(row.id, ""),
            "evidence": _evidence(findings.get(row.part), row.id),
            "tallies": _tallies(findings.get(row.part), row.id, keys),
        }
        for row in answer.review.rows
    ]


def _tallies(finding: Finding | None, row: str, keys: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    return [
        {
            "form": tally.form,
            "said": tally.said,
            "columns": list(tally.columns),
            "rows": [
                {"cells": list(line.cells), "depth": line.depth, "citations": _keys(line, keys)} for line in tally.rows
            ],
            "items": list(tally.items),
            "confidence": round(tally.confidence, 4),
            "notes": list(tally.notes),
        }
        for tally in (finding.tallies if finding else ())
        if tally.row == row
    ]


def _keys(line: TallyRow, keys: Mapping[tuple[str, str], str]) -> list[str]:
    """Return the citation keys of the works that a line was counted from, each once."""
    works = (proof.evidence.document for proof in line.proofs)
    return list(dict.fromkeys(keys.get((work.collection, work.id), work.title) for work in works))


def _evidence(finding: Finding | None, row: str) -> list[dict[str, Any]]:
    found = [item for item in finding.evidence if row in item.found_by] if finding else []
    return [evidence_record(item) for item in found[:SHOWN]]
