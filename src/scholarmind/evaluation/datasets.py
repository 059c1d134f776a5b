"""Read a dataset: records to search in, questions to ask, and what a good search would find.

`corpus.jsonl`: `id`, `title`, `text`, `meta`. `queries.jsonl`: `id`, `question`, and optionally `type`, `evidence` (a list of
`{"id": record}`, all of them needed) and `references` (sentences that must be found).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholarmind.errors import QueryError


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with what is needed to answer it."""

    id: str
    question: str
    type: str
    evidence: frozenset[str]
    references: tuple[str, ...]


def load_queries(folder: Path) -> list[Query]:
    """Return all questions of a dataset, or say which line is wrong."""
    path = folder / "queries.jsonl"
    for needed in (path, folder / "corpus.jsonl"):
        if not needed.is_file():
            raise QueryError(f"{str(needed)!r} is missing; a dataset is a folder with corpus.jsonl and queries.jsonl")
    return list(_queries(path))


def _queries(path: Path) -> Iterator[Query]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield _query(json.loads(line), number)
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    raise QueryError(
                        f"{str(path)!r}, line {number}: not a question ({error!r}); see 'scholarmind evaluate --help'"
                    ) from error


def _query(record: dict[str, Any], number: int) -> Query:
    return Query(
        id=str(record.get("id", number)),
        question=str(record["question"]),
        type=str(record.get("type") or "all"),
        evidence=frozenset(str(item["id"]) for item in record.get("evidence") or ()),
        references=tuple(str(reference) for reference in record.get("references") or ()),
    )
