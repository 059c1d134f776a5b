"""An experiment: the same questions put to the same records in several ways of asking, by turns, so that noise hits all of them.

`Choice` is a way before its library is open (settings, and switches that are no settings), `Way` one that can be asked. What came of
it is noted question by question; how good that is, is said by `retrieval_metrics`.
"""

import hashlib
import os
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any, cast

from scholarmind import wiring
from scholarmind.adapters.store.database import SCHEMA
from scholarmind.api import Library
from scholarmind.calls import CallCost
from scholarmind.errors import QueryError, SettingsError
from scholarmind.evaluation.datasets import DatasetQuery, Values, kept, means, measure, name_of, present
from scholarmind.events import Event, ModelCalled, OnEvent, Progress
from scholarmind.llm.language_models import Models
from scholarmind.llm.prompts import Prompts
from scholarmind.model import Evidence, Mode
from scholarmind.ports import Embedder
from scholarmind.setting_values import checked, joined
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

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
