"""Read a dataset: records to search in, questions to ask, and what a good search would find.

`corpus.jsonl`: `id`, `title`, `text`, `meta`. `queries.jsonl`: `id`, `question`, and optionally `type`, `evidence` (a list of
`{"id": record}`, all of them needed), `references` (sentences that must be found) and `answer` (only whether there is one counts).

BEIR's layout is read as well: `_id` and `text` in `queries.jsonl`, and what is relevant in `qrels/test.tsv` (else `dev.tsv`, `train.tsv`):
every record with a score above 0 is evidence, however high; questions without a line there belong to another part and are left out.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from scholarmind.errors import QueryError
from scholarmind.model import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with what is needed to answer it."""

    id: str
    question: str
    type: str
    evidence: frozenset[str]
    references: tuple[str, ...]
    answerable: bool = True  # from the whole of its dataset
    passages: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # where passages are needed, not records: what a passage counts as, since those that overlap hold the same


def name_of(query: Query, found: Evidence) -> str:
    """Return what the evidence of a question would call a passage that was found."""
    if not query.passages:
        return found.document.id
    name = passage_name(found.document.collection, found.document.id, found.passage.position)
    return query.passages.get(name, name)


def passage_name(collection: str, document: str, position: int) -> str:
    """Return a name of a passage among all of a library."""
    return f"{collection}/{document}#{position}"


def load_queries(folder: Path) -> list[Query]:
    """Return all questions of a dataset, or say which line is wrong."""
    path = folder / "queries.jsonl"
    for needed in (path, folder / "corpus.jsonl"):
        if not needed.is_file():
            raise QueryError(f"{str(needed)!r} is missing; a dataset is a folder with corpus.jsonl and queries.jsonl")
    judgements = folder / "qrels"
    relevant = _relevant(judgements) if judgements.is_dir() else None
    queries = [query for query in _queries(path, relevant) if relevant is None or query.evidence]
    if not queries:
        raise QueryError(
            f"{str(path)!r} holds no question" + (f" that {str(judgements)!r} knows" if relevant is not None else "")
        )
    return queries


def _relevant(folder: Path) -> dict[str, set[str]]:
    """Return the relevant records of each question, from a table of BEIR's (three columns) or TREC's (four)."""
    path = next(
        (folder / f"{part}.tsv" for part in ("test", "dev", "train") if (folder / f"{part}.tsv").is_file()), None
    )
    if path is None:
        raise QueryError(f"{str(folder)!r} holds none of test.tsv, dev.tsv, train.tsv")
    relevant: dict[str, set[str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines(), 1):
        columns = line.split()
        if not columns or (number == 1 and "score" in columns):  # BEIR's tables have a heading
            continue
        try:
            question, record, score = columns[0], columns[-2], int(columns[-1])
        except (ValueError, IndexError) as error:
            raise QueryError(
                f"{str(path)!r}, line {number}: {line[:80]!r} is not a question's id, a record's id and a score, with tabs between"
            ) from error
        if score > 0:
            relevant.setdefault(question, set()).add(record)
    return relevant


def _queries(path: Path, relevant: Mapping[str, set[str]] | None) -> Iterator[Query]:
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    line.encode()  # what is not UTF-8 is a fault, not another question
                    record = json.loads(line)
                    yield _query(record if relevant is None else _of_beir(record, relevant), number)
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                    raise QueryError(
                        f"{str(path)!r}, line {number}: not a question ({error!r}); see 'scholarmind evaluate --help'"
                    ) from error


def _of_beir(record: dict[str, Any], relevant: Mapping[str, set[str]]) -> dict[str, Any]:
    """Return a question of BEIR's as one of ours."""
    evidence = [{"id": id} for id in sorted(relevant.get(str(record["_id"]), ()))]
    return {"id": record["_id"], "question": record["text"], "evidence": evidence}


def _query(record: dict[str, Any], number: int) -> Query:
    question, references = record["question"], record.get("references") or ()
    if not isinstance(question, str):
        raise TypeError(f"question = {question!r} is not text")
    if not question.strip():
        raise ValueError("the question is empty")
    if isinstance(references, str):
        raise TypeError("references is a list of sentences")
    return Query(
        id=str(record.get("id", number)),
        question=question,
        type=str(record.get("type") or "all"),
        evidence=frozenset(str(item["id"]) for item in record.get("evidence") or ()),
        references=tuple(str(reference) for reference in references),
        answerable=is_answerable(record),
    )


def is_answerable(record: Mapping[str, Any]) -> bool:
    """Tell whether a question has an answer: it is not marked as impossible, nor of a type that is called unsolvable or null."""
    answer, kind = record.get("answer"), str(record.get("type")).lower()
    impossible = isinstance(answer, Mapping) and cast("Mapping[str, Any]", answer).get("is_impossible") is True
    return not impossible and "unsolvable" not in kind and "null" not in kind
