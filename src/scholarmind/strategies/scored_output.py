"""What retrieval brought back, for those who go on with it: text for a prompt, JSON, records for debugging, and a plain account."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from scholarmind.answer import Retrieved
from scholarmind.identity import headings_below
from scholarmind.model import Evidence, Judged
from scholarmind.ranking import key_of
from scholarmind.record import plan_record
from scholarmind.reranking import HIGHEST


def formalized_content(retrieved: Retrieved) -> str:
    """Return the passages as text for a prompt, numbered, each under what it is from."""
    return content_of(retrieved.evidence)


def content_of(evidence: Sequence[Evidence]) -> str:
    """Return any passages as such text."""
    return "\n\n".join(f"[{place}] {_origin(item)}\n{item.passage.text}" for place, item in enumerate(evidence, 1))


def json_record(retrieved: Retrieved) -> dict[str, Any]:
    """Return everything as JSON: the plan, the passages that were kept, a record of each that was scored, and how it went."""
    return {
        "question": retrieved.question,
        "strategy": retrieved.plan.strategy,
        "sub_queries": [part.text for part in retrieved.plan.parts if part.role == "find"],
        "plan": plan_record(retrieved.plan),
        "chunks": [_chunk(rank, item) for rank, item in enumerate(retrieved.evidence, 1)],
        "formalized_content": formalized_content(retrieved),
        "debug": debug_records(retrieved),
        "thoughts": thoughts(retrieved),
        "notes": list(retrieved.notes),
        "spent": dict(retrieved.spent),
    }


def debug_records(retrieved: Retrieved) -> list[dict[str, Any]]:
    """Return how each passage that was scored came by its place, the best first, also those that were not kept."""
    return [debug_record(item) for item in retrieved.judged]


def debug_record(judged: Judged) -> dict[str, Any]:
    """Return the scores of one passage: that of the model from 1 to 10, all others from 0 to 1."""
    return {
        "chunk_id": chunk_id(judged.evidence),
        "content": judged.evidence.passage.text,
        "best_single_score": round(judged.best, 4),
        "llm_relevance_score": None if judged.relevance is None else round(judged.relevance * HIGHEST, 2),
        "vector_similarity_score": round(judged.similarity, 4),
        "final_fused_score": round(judged.evidence.scores.fused, 4),
        "retrieved_by_sub_queries": list(judged.asked),
        "reason": judged.reason,
    }


def chunk_id(item: Evidence) -> str:
    """Return a name for a passage that no other one of the library has."""
    collection, document, position = key_of(item)
    return f"{collection}/{document}#{position}"


def thoughts(retrieved: Retrieved) -> str:
    """Return in plain sentences what was done, and what was done in another way than asked."""
    return "\n".join((*_of_plan(retrieved), *_of_scores(retrieved), *(f"Note: {note}." for note in retrieved.notes)))


def _of_plan(retrieved: Retrieved) -> Iterator[str]:
    plan = retrieved.plan
    asked = [part.text for part in plan.parts if part.role == "find"]
    if len(asked) == 1:
        yield f"The question was searched for as it stands: {plan.reason or plan.complexity}."
        return
    yield f"The question was taken apart into {len(asked)} sub-questions (decided by {plan.decided_by}: {plan.reason}):"
    yield from (f"  {number}. {text}" for number, text in enumerate(asked, 1))


def _of_scores(retrieved: Retrieved) -> Iterator[str]:
    judged, kept = retrieved.judged, len(retrieved.evidence)
    if not judged:
        yield f"{_passages(kept)} kept; none was scored one against another."
        return
    found = Counter(text for item in judged for text in item.asked)
    told = ", ".join(f"{count} for {text!r}" for text, count in found.items())
    yield f"{_passages(len(judged))} similar enough: {told}."
    if several := sum(len(item.asked) > 1 for item in judged):
        yield f"{several} of them {_were(several)} found by several sub-questions; {_its(several)} similarity is the mean."
    scores = [item.relevance * HIGHEST for item in judged if item.relevance is not None]
    ends = f", from {min(scores):.1f} to {max(scores):.1f} of {HIGHEST}" if scores else ""
    yield f"{len(scores)} {_were(len(scores))} scored by the whole question{ends}."
    yield f"{_passages(kept)} kept, by the best final scores."


def _passages(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'} {_were(count)}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _its(count: int) -> str:
    return "its" if count == 1 else "their"


def _chunk(rank: int, item: Evidence) -> dict[str, Any]:
    document, passage = item.document, item.passage
    return {
        "rank": rank,
        "chunk_id": chunk_id(item),
        "content": passage.text,
        "score": round(item.scores.fused, 4),
        "document_id": document.id,
        "document_name": document.title,
        "collection": document.collection,
        "authors": list(document.authors),
        "year": document.year,
        "section": list(passage.section),
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
    }


def _origin(item: Evidence) -> str:
    """Return what a passage is from, in one line."""
    document, passage = item.document, item.passage
    people = ", ".join(document.authors[:3]) + (" et al." if len(document.authors) > 3 else "")
    place = (" › ".join(headings_below(document.title, passage.section)), f"p. {passage.page}" if passage.page else "")
    told = (document.title or document.id, people, str(document.year or ""), *place)
    return " ".join(" · ".join(part for part in told if part).split())
