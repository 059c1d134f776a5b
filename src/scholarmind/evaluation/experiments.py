"""Experiments: sets of questions, measures of what is retrieved for them, and ways of asking them side by side."""

import hashlib
import json
import os
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any, Literal, cast

from scholarmind import wiring
from scholarmind.adapters.store.database import SCHEMA
from scholarmind.api import Library
from scholarmind.calls import CallCost
from scholarmind.errors import QueryError, SettingsError
from scholarmind.events import Event, ModelCalled, OnEvent, Progress
from scholarmind.llm.language_models import Models
from scholarmind.llm.prompts import Prompts
from scholarmind.model import Evidence, Mode, Passage
from scholarmind.ports import Embedder, Rating
from scholarmind.setting_values import checked, joined
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

# -- sets of questions with their answers, and the measures of what was retrieved for them

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
    # what is needed, one name for each citation; and for every passage that holds one, the name that it counts as
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


# -- asking, and what came of it

DEPTH = 10
KEPT = 0  # among depths: as many passages as the strategy keeps by itself


class Calls:
    """Adds up what models were asked."""

    def __init__(self) -> None:
        self.made: list[CallCost] = []

    def take(self, event: Event) -> None:
        """Note a call."""
        if isinstance(event, ModelCalled):
            self.made.append(event.call)


def spent(models: Models, calls: Sequence[CallCost]) -> dict[str, Any]:
    """Return calls, tokens and money by what they were; a cost of None is unknown."""
    paid = [call for call in calls if not call.remembered]
    costs = [call.cost for call in paid if call.cost is not None]
    return {
        "names": dict(models.names),
        "calls": sum(call.calls for call in paid),
        "remembered": len(calls) - len(paid),
        "failed": sum(bool(call.error) for call in paid),
        "tokens": sum(call.usage.prompt + call.usage.completion for call in paid),
        "cost": sum(costs) if len(costs) == len(paid) else None,
        "currency": models.prices.currency,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of asking a library: through the reading path with these options, or without options by one search."""

    name: str
    library: Library
    options: Options | None
    mode: Mode = "hybrid"
    calls: Calls = field(default_factory=Calls)

    def ranked(self, question: str, depths: Sequence[int], notices: Counter[str]) -> dict[int, tuple[Evidence, ...]]:
        """Return the passages found for each number of places."""
        if self.options is None:
            found = self.library.search(question, max(depths), mode=self.mode)
            notices.update(notice.partition(":")[0] for notice in found.notices)
            return dict.fromkeys(depths, found.evidence)
        places = {depth: depth or places_of(self.options) for depth in depths}
        found = self.library.retrieve(
            question, list(places.values()), mode=self.mode, options=self.options, on_event=self.calls.take
        )
        return {depth: found[number] for depth, number in places.items()}

    def warm_up(self, question: str) -> None:
        """Load what the first question would have to wait for; no model is asked."""
        warm = self.options and replace(self.options, effort="keyless")
        replace(self, options=warm, calls=Calls()).ranked(question, (DEPTH,), Counter())


@dataclass(slots=True, kw_only=True)
class WayResult:
    """What came of asking every question in one way."""

    rows: list[Values] = field(default_factory=list[Values])
    seconds: list[float] = field(default_factory=list[float])
    notices: Counter[str] = field(default_factory=Counter[str])
    found: list[dict[int, frozenset[str]]] = field(default_factory=list[dict[int, frozenset[str]]])  # of what is needed
    titles: dict[str, str] = field(default_factory=dict[str, str])  # of the needed records that were found


def places_of(options: Options) -> int:
    """Return how many passages a strategy keeps by itself."""
    own = {"concepts": options.concepts.top_k, "scored": options.scored.top_n}
    return own.get(options.strategy, options.places)


def ask_by_turns(
    ways: Sequence[Way], queries: Sequence[DatasetQuery], at: Sequence[int], on_event: OnEvent, stage: str = "ask"
) -> list[WayResult]:
    """Ask every question in all of the ways before the next one; each time another way is the first."""
    asked = [WayResult() for _ in ways]
    if len(ways) > 1:
        for way in ways:
            way.warm_up(queries[0].question)
    for done, query in enumerate(queries):
        for turn in range(len(ways)):
            place = (done + turn) % len(ways)
            _ask(ways[place], query, at, asked[place])
        on_event(Progress(stage=stage, done=done + 1, total=len(queries), unit="questions"))
    return asked


def _ask(way: Way, query: DatasetQuery, at: Sequence[int], asked: WayResult) -> None:
    start = time.perf_counter()
    ranked = way.ranked(query.question, (*at, DEPTH), asked.notices)
    asked.seconds.append(time.perf_counter() - start)
    asked.rows.append(_values(query, ranked, at))
    asked.found.append({depth: _found(query, evidence, depth or None) for depth, evidence in ranked.items()})
    for item in ranked[DEPTH]:
        if (name := name_of(query, item)) in query.evidence:
            asked.titles[name] = item.document.title


def _values(query: DatasetQuery, ranked: Mapping[int, Sequence[Evidence]], at: Sequence[int]) -> Values:
    """Measure each number of places on the ranking that was made for it, and what depends on ranks on that for ten."""

    def measured(places: int, depths: Sequence[int]) -> Values:
        evidence = ranked[places]
        ids, texts = [name_of(query, item) for item in evidence], [item.passage.text for item in evidence]
        return measure(query, ids, texts, depths) if places else kept(query, ids)

    by_rank = measured(DEPTH, ())
    values: Values = {}
    for places in at:
        values |= {name: value for name, value in measured(places, (places,)).items() if name not in by_rank}
    return values | by_rank


def _found(query: DatasetQuery, evidence: Sequence[Evidence], depth: int | None) -> frozenset[str]:
    """Return the needed records, and the needed sentences, that are among the first passages."""
    first = evidence[:depth]
    records = query.evidence & {name_of(query, item) for item in first}
    return records | frozenset(present(query.references, [item.passage.text for item in first]))


def figures(queries: Sequence[DatasetQuery], asked: WayResult) -> dict[str, Any]:
    """Return the means over the questions that could be measured, in all and by type, and how long a question took."""
    measured = [(query, values) for query, values in zip(queries, asked.rows, strict=True) if values]
    types: dict[str, list[Values]] = defaultdict(list)
    for query, values in measured:
        types[query.type].append(values)
    seconds = asked.seconds
    p95 = quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
    return {
        "n": len(measured),
        "without_evidence": len(queries) - len(measured),
        "metrics": means(values for _, values in measured),
        "by_type": {name: {"n": len(rows), "metrics": means(rows)} for name, rows in sorted(types.items())},
        "latency": {"p50_ms": round(median(seconds) * 1e3, 2), "p95_ms": round(p95 * 1e3, 2)},
        "notices": dict(asked.notices),
    }


# -- what a way of asking is made from: settings, switches, and a library made of a dataset's records

TABLE = "options"
_NAMES_A_MODEL = ("llm", "llm_base_url", "llm_model", "effort")
_MADE_BY = "embedder embedding_model embedding_precision passage_tokens passage_overlap".split()
_FOLDERS_AND_FILES = ("glossary", "llm_prices", "llm_prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What can be chosen beside the settings, in the table `options` of a file."""

    filters: bool = True  # search within what a question names
    hops: bool = True  # follow mentions from passage to passage
    quotas: bool = True  # reserve places for every row
    injection: bool = True  # fill the answers of earlier parts into later ones
    decompose: bool = True  # take questions apart
    plain: bool = False  # one search in place of the whole reading path
    mode: Mode = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A way of asking before its library is open."""

    name: str
    settings: Settings
    switches: Switches = field(default_factory=Switches)

    @property
    def options(self) -> Options | None:
        """The options of the reading path; None for one search in its place."""
        if self.switches.plain:
            return None
        chosen = {name: value for name, value in asdict(self.switches).items() if name not in {"plain", "mode"}}
        return replace(wiring.options(self.settings), **chosen)

    @property
    def values(self) -> dict[str, Any]:
        """Everything that was chosen, under its name; never a key."""
        told: dict[str, Any] = {}
        for setting in fields(self.settings):
            value = getattr(self.settings, setting.name)
            if setting.repr and setting.name not in {"library", "llm_key_setting"}:
                inner = {one.name: getattr(value, one.name) for one in fields(value)} if is_dataclass(value) else {}
                told |= {f"{setting.name}.{name}": one for name, one in inner.items()} or {setting.name: value}
        told |= {f"{TABLE}.{name}": value for name, value in asdict(self.switches).items()}
        return told | {
            f"prompt {file}": version for file, version in Prompts(self.settings.llm_prompts).versions().items()
        }


def loaded(chosen: Mapping[str, Any]) -> Settings:
    """Return the settings. No language model is asked unless what was chosen names one, or an effort."""
    by_model = any(chosen.get(name) is not None for name in _NAMES_A_MODEL)
    return Settings.load(**(chosen if by_model else {**chosen, "effort": "keyless"}))


def chosen_by(name: str, values: Mapping[str, Any], base: Mapping[str, Any], where: str = "argument") -> Choice:
    """Return what these settings, and a table of switches among them, make of the usual ones; they come first."""
    switches = values.get(TABLE, {})
    if not isinstance(switches, Mapping):
        raise SettingsError(f"{TABLE} = {switches!r} is not a table of switches, such as {TABLE}.quotas")
    table = cast("Mapping[str, Any]", switches)
    if settings := [one for one in table if one in {setting.name for setting in fields(Settings)}]:
        raise SettingsError(f"{settings[0]!r} is a setting: write it above the table {TABLE!r}, not in it")
    found = checked({one: value for one, value in values.items() if one != TABLE}, where, Settings)
    return Choice(
        name=name,
        settings=loaded(joined(dict(base), found)),
        switches=Switches(**checked(table, f"switch in the table {TABLE!r}", Switches)),
    )


def chosen_by_files(files: Sequence[Path], base: Mapping[str, Any]) -> list[Choice]:
    """Return a choice for each file, which is a scholarmind.toml that may also have a table `options`."""
    if len(files) < 2:
        raise QueryError("a comparison needs two files of settings or more, such as --compare a.toml b.toml")
    if len({file.resolve() for file in files}) < len(files):
        raise QueryError("the same file is named twice; a comparison needs different ones")
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    return [_chosen_by_file(file, name, base) for file, name in zip(files, names, strict=True)]


def _chosen_by_file(path: Path, name: str, base: Mapping[str, Any]) -> Choice:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{str(path)!r} cannot be read as TOML: {error}") from error
    for one in _FOLDERS_AND_FILES:  # as in a scholarmind.toml, which is read in its own folder
        if isinstance(values.get(one), str) and values[one]:
            values[one] = str(path.parent / Path(values[one]).expanduser())
    try:
        choice = chosen_by(name, values, base, "setting")
    except SettingsError as error:
        raise SettingsError(f"{str(path)!r}: {error}") from error
    prompts = choice.settings.llm_prompts
    if prompts is not None and not prompts.is_dir():
        raise SettingsError(f"{str(path)!r}: llm_prompts = {str(prompts)!r} is no folder")
    return choice


def differing(choices: Sequence[Choice]) -> dict[str, list[Any]]:
    """Return what was not chosen alike by all, by its name, with the value of each."""
    told = [choice.values for choice in choices]
    names = dict.fromkeys(name for values in told for name in values)
    rows = {name: [values.get(name) for values in told] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


@contextmanager
def opened(
    corpus: Path, choices: Sequence[Choice], on_event: OnEvent, models: Models | None = None
) -> Generator[tuple[list[Way], int]]:
    """Open each choice's library of the records, made now if there is none yet. Return also how many records were no good."""
    embedders: dict[tuple[Any, ...], Embedder | None] = {}
    problems: dict[tuple[Path, bool, bool], int] = {}  # a library that has all but a structure gets that, too
    ways: list[Way] = []
    with ExitStack() as stack:
        for choice in choices:
            settings = replace(choice.settings, library=cached_library(corpus, choice.settings))
            embedding = tuple(getattr(settings, one.name) for one in fields(settings) if one.name.startswith("embed"))
            if embedding not in embedders:
                embedders[embedding] = wiring.embedder(settings)
            library = stack.enter_context(Library(settings, embedder=embedders[embedding], models=models))
            if (made := (settings.library, settings.graph, settings.tree)) not in problems:
                problems[made] = _filled(library, corpus, on_event)
            ways.append(Way(name=choice.name, library=library, options=choice.options, mode=choice.switches.mode))
        yield ways, max(problems.values())


def _filled(library: Library, corpus: Path, on_event: OnEvent) -> int:
    """Take in the records; return how many were no good."""
    problems = library.add(corpus, on_event=on_event).problems
    if not library.counts():
        why = f": {problems[0].where}: {problems[0].reason}" if problems else ""
        raise QueryError(f"{str(corpus)!r} holds no record that can be searched{why}")
    return len(problems)


@contextmanager
def opened_as_it_is(choices: Sequence[Choice], models: Models | None = None) -> Generator[tuple[list[Way], int]]:
    """Open the user's own library for each choice. Nothing is read anew, so what is about reading cannot be chosen."""
    for name in _MADE_BY:
        if len({getattr(choice.settings, name) for choice in choices}) > 1:
            raise QueryError(
                f"{name} is about how documents are read, and your library is read already; tune it on a folder"
            )
    with ExitStack() as stack:
        embedder = wiring.embedder(choices[0].settings)
        libraries = [
            stack.enter_context(Library(choice.settings, create=False, embedder=embedder, models=models))
            for choice in choices
        ]
        yield (
            [
                Way(name=choice.name, library=library, options=choice.options, mode=choice.switches.mode)
                for choice, library in zip(choices, libraries, strict=True)
            ],
            0,
        )


def cached_library(corpus: Path, settings: Settings) -> Path:
    """Return the folder of the library for these records under these settings."""
    with corpus.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    made_by = tuple(getattr(settings, name) for name in _MADE_BY)
    digest.update(repr((*made_by, SCHEMA)).encode())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "scholarmind" / "evaluate" / digest.hexdigest()[:16]
