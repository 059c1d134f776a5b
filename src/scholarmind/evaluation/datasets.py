"""Sets of questions with their answers, and the measures of what was retrieved for them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, cast

from scholarmind.api import Library
from scholarmind.errors import QueryError
from scholarmind.model import Evidence, Passage
from scholarmind.ports import Rating

# -- a folder with questions


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetQuery:
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


def name_of(query: DatasetQuery, found: Evidence) -> str:
    """Return what the evidence of a question would call a passage that was found."""
    if not query.passages:
        return found.document.id
    name = _passage_name(found.document.collection, found.document.id, found.passage.position)
    return query.passages.get(name, name)


def _passage_name(collection: str, document: str, position: int) -> str:
    """Return a name of a passage among all of a library."""
    return f"{collection}/{document}#{position}"


def load_queries(folder: Path) -> list[DatasetQuery]:
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


def _queries(path: Path, relevant: Mapping[str, set[str]] | None) -> Iterator[DatasetQuery]:
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


def _query(record: dict[str, Any], number: int) -> DatasetQuery:
    question, references = record["question"], record.get("references") or ()
    if not isinstance(question, str):
        raise TypeError(f"question = {question!r} is not text")
    if not question.strip():
        raise ValueError("the question is empty")
    if isinstance(references, str):
        raise TypeError("references is a list of sentences")
    return DatasetQuery(
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


# -- runs that people rated

_TYPE = "rated"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedQueries:
    """The questions, and how many rated runs gave none, by the reason."""

    queries: tuple[DatasetQuery, ...]
    left_out: Mapping[str, int]


async def rated_queries(library: Library) -> RatedQueries:
    """Return a question for each run of which something was found good and is still in the library; of one question the latest run."""
    by_run: dict[str, list[Rating]] = {}
    for rating in await library.runs.ratings():
        by_run.setdefault(rating.run, []).append(rating)
    queries: dict[str, tuple[float, DatasetQuery]] = {}
    left_out: dict[str, int] = {}
    for run, ratings in by_run.items():
        found = await _rated_query(library, run, ratings)
        if isinstance(found, str):
            left_out[found] = left_out.get(found, 0) + 1
            continue
        key = found[1].question
        if key in queries:
            left_out["asked again later"] = left_out.get("asked again later", 0) + 1
        queries[key] = max(found, queries.get(key, found), key=lambda pair: pair[0])
    ordered = sorted((query for _, query in queries.values()), key=lambda query: query.id)
    return RatedQueries(queries=tuple(ordered), left_out=left_out)


async def _rated_query(library: Library, run: str, ratings: Sequence[Rating]) -> tuple[float, DatasetQuery] | str:
    """Return what was asked with what is needed for it, and when; or why there is nothing."""
    known = await library.runs.find(run)
    if known is None or not known.answer:
        return "no answer is kept"
    answer: dict[str, Any] = json.loads(known.answer)
    # the citations of the parts that were found good; what is said of a part comes before what is said of the whole
    said = {rating.part: rating.good for rating in ratings}
    keys: set[str] = set()
    for claim in _records(answer.get("claims")):
        if said.get(_part(claim), said.get(0, False)):
            keys |= {str(key) for key in cast("list[Any]", claim.get("citations") or [])}
    cited = [citation for citation in _records(answer.get("citations")) if citation.get("key") in keys]
    if not cited:
        return (
            "nothing was found good"
            if not any(rating.good for rating in ratings)
            else "what was found good cites nothing"
        )
    evidence, passages = await _passages(library, cited)
    if not evidence:
        return "what it cites is not in the library any more"
    question = str(answer.get("question") or known.question)
    query = DatasetQuery(
        id=run, question=question, type=_TYPE, evidence=frozenset(evidence), references=(), passages=passages
    )
    return known.started, query


def _part(claim: Mapping[str, Any]) -> int:
    """Return the number of the part that a claim's row belongs to: 3 of 3.1."""
    number = str(claim.get("part") or "").partition(".")[0]
    return int(number) if number.isdecimal() else 0


async def _passages(library: Library, cited: Iterable[Mapping[str, Any]]) -> tuple[set[str], dict[str, str]]:
    """Return what is needed, one name for each citation; and for every passage that holds one, the name that it counts as."""
    evidence: set[str] = set()
    passages: dict[str, str] = {}
    for citation in cited:
        document, collection = str(citation["document"]), str(citation["collection"])
        entry = await library.entry.aio(document, collection=collection)
        holding = _holding(entry.passages, *_characters(citation)) if entry else []
        names = [_passage_name(collection, document, passage.position) for passage in holding]
        needed = next((passages[name] for name in names if name in passages), names[0] if names else "")
        evidence |= {needed} if needed else set()
        passages |= {name: passages.get(name, needed) for name in names}
    return evidence, passages


def _characters(citation: Mapping[str, Any]) -> tuple[int, int]:
    """Return which characters of the document are cited. Answers of earlier versions have them under shorter names."""
    place = "document_" if "document_start" in citation else ""
    return int(citation[f"{place}start"]), int(citation[f"{place}end"])


def _holding(passages: Iterable[Passage], start: int, end: int) -> list[Passage]:
    """Return the passages that hold all of these characters; they overlap, so there may be two; else those that hold the first."""
    known = list(passages)
    whole = [passage for passage in known if passage.start <= start and end <= passage.end]
    return whole or [passage for passage in known if passage.start <= start < passage.end]


def _records(value: Any) -> list[Mapping[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]


# -- metrics of one ranking, and means

Values = dict[str, float]
_DEPTH = 10
_HITS = 4


def measure(query: DatasetQuery, ids: Sequence[str], texts: Sequence[str], at: Iterable[int]) -> Values:
    """Return every measure that applies to the question. `ids` are those of the records that the passages are from."""
    values: Values = {}
    for k in at:
        if query.evidence:
            found = len(query.evidence & set(ids[:k])) / len(query.evidence)
            values |= {f"recall@{k}": found, f"all@{k}": float(found == 1)}
        if query.references:
            values[f"complete@{k}"] = float(len(present(query.references, texts[:k])) == len(query.references))
    if query.evidence:
        first = {identifier: rank for rank, identifier in reversed(list(enumerate(ids[:_DEPTH], 1)))}
        ranks = sorted(rank for identifier, rank in first.items() if identifier in query.evidence)
        values["hits@4"] = float(bool(ranks) and ranks[0] <= _HITS)
        values["mrr@10"] = 1 / ranks[0] if ranks else 0.0
        precision = sum(found / rank for found, rank in enumerate(ranks, 1))
        values["map@10"] = precision / min(len(query.evidence), _DEPTH)
    return values


def kept(query: DatasetQuery, ids: Sequence[str]) -> Values:
    """Return the measures that say whether the number of passages that are kept is a good one."""
    if not query.evidence:
        return {}
    recall = len(query.evidence & set(ids)) / len(query.evidence)
    precision = sum(one in query.evidence for one in ids) / len(ids) if ids else 0.0
    together = 2 * recall * precision / (recall + precision) if recall and precision else 0.0
    return {
        "recall@kept": recall,
        "all@kept": float(recall == 1),
        "precision@kept": precision,
        "f1@kept": together,
    }


def means(rows: Iterable[Mapping[str, float]]) -> Values:
    """Return the mean of each measure over the questions that have it."""
    gathered: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            gathered.setdefault(name, []).append(value)
    return {name: round(fmean(values), 4) for name, values in gathered.items()}


def present(references: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return the sentences that occur, by their letters and digits alone, in one of the passages."""
    passages = [_letters(text) for text in texts]
    return [one for one in references if any(_letters(one) in passage for passage in passages)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


# -- two rankings of the same questions: who was helped, who was hurt, and how sure that is

SEED = 7
RESAMPLES = 2_000
Verdict = Literal["better", "worse", "unsure", "same"]
_LEAST = 1e-9
_FEWEST = 6  # questions that changed: of five that all went one way chance is the reason once in sixteen times


def difference(
    off: Sequence[Mapping[str, float]], on: Sequence[Mapping[str, float]], seed: int = SEED
) -> dict[str, Any]:
    """Return for each measure the mean difference, its paired bootstrap 95 % interval, and how many questions changed which way."""
    changes: dict[str, list[float]] = {}
    for before, after in zip(off, on, strict=True):
        for name in before.keys() & after.keys():
            changes.setdefault(name, []).append(after[name] - before[name])
    names = dict.fromkeys(name for row in off for name in row)
    return {name: _paired(changes[name], seed) for name in names if name in changes}


def verdict(changed: Mapping[str, float]) -> Verdict:
    """Return what a difference allows to say: nothing, while its interval holds 0 or too few questions changed at all."""
    touched = changed["helped"] + changed["hurt"]
    if not touched:
        return "same"
    if touched < _FEWEST or changed["low"] <= 0 <= changed["high"]:
        return "unsure"
    return "better" if changed["mean"] > 0 else "worse"


def interval(values: Sequence[float], seed: int = SEED) -> tuple[float, float]:
    """Return the bootstrap 95 % interval of the mean."""
    import numpy as np  # noqa: PLC0415

    known = np.asarray(values)
    drawn = np.random.default_rng(seed).integers(0, len(known), (RESAMPLES, len(known)))
    low, high = np.percentile(known[drawn].mean(axis=1), (2.5, 97.5))
    return round(float(low), 4) + 0.0, round(float(high), 4) + 0.0  # never -0.0


def _paired(changes: Sequence[float], seed: int) -> dict[str, float]:
    low, high = interval(changes, seed)
    return {
        "mean": round(sum(changes) / len(changes), 4),
        "low": low,
        "high": high,
        "helped": sum(change > _LEAST for change in changes),
        "hurt": sum(change < -_LEAST for change in changes),
    }
