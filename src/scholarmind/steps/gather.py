"""Gather the evidence for one thing that is asked: by its words, within what it names, one mention further on, and in other languages.

Names, dates and years in a question become filters. Beyond single passages the tree of summaries is asked for questions about the
whole, and the graph of papers for relations. Scores of what was gathered are places between 0 and 1 on one scale. What is asked is
`investigate`'s matter, what is kept of it `select`'s.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import isfinite
from typing import Protocol

from scholarmind.errors import ScholarMindError
from scholarmind.events import Consulted, OnEvent, ignore
from scholarmind.filters import AnyOf, Compare, Filter, both
from scholarmind.identity import IDENTIFIERS
from scholarmind.model import Evidence, Found, Name
from scholarmind.plan import SubQuestion
from scholarmind.ports import Links, Names, Overview, Relations, Retriever
from scholarmind.ranking import key_of, merged, on_scale_of
from scholarmind.relations import Related, Surveyed, Tally
from scholarmind.text.analysis import terms
from scholarmind.text.dates import Years, years
from scholarmind.text.language import language_of

# -- filters that a question asks for by the names, dates and years in it

_MOST_ENTITIES = 6
_OWN = {"title", "alias", "aliases"}  # what a document itself is called
_ITS_OWN = _OWN | set(IDENTIFIERS)  # ... and what no other has
_SAID_OF_ALL = _ITS_OWN | {"author", "source", "date"}  # true of every passage of a document alike
_SIGNS = re.compile(r"[\s'\"‘’“”「」『』《》]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """A filtered search: what to look for, and filters from the strictest to the loosest; the first that finds anything is taken."""

    text: str
    filters: tuple[Filter, ...]
    about: str  # the name that the filters are about, as the question has it


def narrowed(text: str, names: Sequence[Name], now: int) -> tuple[Narrowed, ...]:
    """Return one filtered search for each entity that the text names; names, dates and years are then known and left out of its words.

    Where the passages of one document are searched, its name tells nothing more (dragonball_tune: complete@5 .74 -> .84). What a document
    is only known to be about (a dataset, a method) stays in the words: some of its passages say it, and others do not.
    """
    spans = list(years(text, now))
    span = _all_or_any(spans)
    days = _any_of([name for name in names if name.field == "date"])
    entities, others = _entities([name for name in names if name.field != "date"])
    if not entities:
        every = (both(days, span), days, span, *map(_years, spans))
        loose = tuple(dict.fromkeys(filter for filter in every if filter is not None))
        return (Narrowed(text=text, filters=loose, about="the time asked for"),) if loose else ()
    bare = _without(text, [name for name in names if name.field in _SAID_OF_ALL])
    further = both(_any_of(others), days, span)
    return tuple(
        Narrowed(text=bare, filters=_loosening(_called(entity), further, days, span), about=entity.text)
        for entity in entities
    )


def time_asked(text: str, now: int) -> Filter | None:
    """Return the filter on the years that a text asks for, if it asks for any."""
    return _all_or_any(list(years(text, now)))


def _called(name: Name) -> Filter:
    """Return the filter on the documents that a name stands for."""
    return Compare("called" if name.field in _OWN else f"called.{name.field}", "=", name.value)


def _loosening(entity: Filter, further: Filter | None, days: Filter | None, span: Filter | None) -> tuple[Filter, ...]:
    """Years that are asked for bind more than a name, which may be the subject rather than the document."""
    every = both(entity, further), both(entity, days, span), span or both(entity, days), entity
    return tuple(dict.fromkeys(filter for filter in every if filter is not None))


def _entities(names: Sequence[Name]) -> tuple[list[Name], list[Name]]:
    """Return the names that are searched one by one, each once, and the others, which only narrow that down.

    Titles, aliases and identifiers come first; without them the field whose names the fewest documents have. The same words may be names
    in several fields.
    """
    own = [name for name in names if name.field in _ITS_OWN]
    rarest = min(names, key=lambda name: name.documents, default=None)
    chosen = own or [name for name in names if rarest and name.field == rarest.field]
    places = {(name.start, name.end) for name in chosen}
    others = [] if own else [name for name in names if (name.start, name.end) not in places]
    unique = {name.value: name for name in reversed(chosen)}
    return sorted(unique.values(), key=lambda name: name.start)[:_MOST_ENTITIES], others


def _any_of(names: Sequence[Name]) -> Filter | None:
    compares = tuple(dict.fromkeys(_called(name) for name in names))
    return AnyOf(compares) if len(compares) > 1 else (compares[0] if compares else None)


def _all_or_any(spans: Sequence[Years]) -> Filter | None:
    """Return what several spans ask for: after 2015 and before 2020 is one, 2015-2017 and 2020-2022 are two."""
    filters = tuple(dict.fromkeys(filter for filter in map(_years, spans) if filter is not None))
    first = max((span.first for span in spans if span.first is not None), default=0)
    last = min((span.last for span in spans if span.last is not None), default=first)
    return both(*filters) if first <= last else AnyOf(filters)


def _years(span: Years) -> Filter | None:
    return both(
        None if span.first is None else Compare("year", ">=", span.first),
        None if span.last is None else Compare("year", "<=", span.last),
    )


def _without(text: str, names: Sequence[Name]) -> str:
    """Return the text without the names, unless nothing would be left to look for."""
    kept, end = "", 0
    for name in sorted(names, key=lambda name: name.start):
        kept += text[end : name.start]
        end = max(end, name.end)
    kept = _SIGNS.sub(" ", kept + text[end:]).strip()
    return kept if terms(kept) else text


# -- one thing that is asked

# Added to a score between 0 and 1; measured together on four sets, `evaluate --ablate` shows what each is worth
_NAMED = 1.0  # within a document that the question names

_HEAD = 0.5  # among the first few for the question's own words
_LINKED = 0.5  # one mention away from the first few
_WHOLE = 0.2  # of its own score for the whole question, if it is in such a document
_HEADS = 2
_SEEDS = 3
_OTHER_LANGUAGE = 0.8  # a factor: who asks in English reads English first
_HIGHEST = 1 + _NAMED + _WHOLE * (1 + _HEAD + _LINKED)
UNNARROWED = 1 / _HIGHEST  # where the best passage of a search without a filter stands, but for the first few,
NARROWED = (1 + _NAMED) / _HIGHEST  # and that of a search within what the question names
_WIDE = 30
_NARROW = 20
_LINKED_KEPT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The evidence for one question, best first; `scores.fused` is its place between 0 and 1 among all that was found for it."""

    evidence: tuple[Evidence, ...]
    names: tuple[Name, ...] = ()
    notes: tuple[str, ...] = ()
    tally: Tally | None = None  # what was counted in the graph, where the question is one of counting or following


class Gatherer(Protocol):
    """Finds the evidence for one thing that is asked; `hop`: also what is one mention away."""

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """A retriever, with what else is known of the library behind it; somebody's own search function has neither names nor links."""

    retriever: Retriever
    names: Names | None = None
    links: Links | None = None
    now: int = 9999  # the current year
    filters: bool = True

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the best passages for a question, marked as found by `label`."""
        names = (await self.names.names([question]))[0] if self.names else ()
        searches = narrowed(question, names, self.now) if self.filters else ()
        wide, *narrow = await asyncio.gather(
            self.retriever.search(question, _WIDE), *(self._search_within(item, question) for item in searches)
        )
        linked = await self._one_mention_on(question, wide, narrow) if hop else Found(evidence=())
        notes = dict.fromkeys(notice for found in (wide, *narrow, linked) for notice in found.notices)
        ranked = _ranked(wide.evidence, [found.evidence for found in narrow], linked.evidence, language_of(question))
        found_by = frozenset((label,))
        evidence = tuple(item.rated(score, found_by) for item, score in ranked)
        return Gathered(evidence=evidence, names=names, notes=tuple(notes))

    async def _search_within(self, search: Narrowed, question: str) -> Found:
        """Search with the strictest filter that finds anything, and say if it was not the first."""
        for place, filter in enumerate(search.filters):
            found = await self.retriever.search(search.text, _NARROW, filter)
            if found.evidence:
                dropped = (f"a filter on {search.about!r} found nothing and was loosened",) if place else ()
                return Found(evidence=found.evidence, notices=dropped)
        # beside the name there may be no word that its document has: then the name finds at least the document
        found = await self.retriever.search(question, _NARROW, search.filters[-1])
        dropped = () if found.evidence else (f"a filter on {search.about!r} found nothing and was dropped",)
        return Found(evidence=found.evidence, notices=dropped)

    async def _one_mention_on(self, question: str, wide: Found, narrow: Sequence[Found]) -> Found:
        if self.links is None:
            return Found(evidence=())
        seeds = [*(found.evidence[0] for found in narrow if found.evidence), *wide.evidence[:_HEADS]]
        unique = list({key_of(seed): seed for seed in seeds}.values())
        if not unique:
            return Found(evidence=())
        return await self.links.linked(question, unique[:_SEEDS], _LINKED_KEPT)


def _ranked(
    wide: Sequence[Evidence], narrow: Iterable[Sequence[Evidence]], linked: Sequence[Evidence], language: str
) -> list[tuple[Evidence, float]]:
    """Put all into one order, each with its score. The linked ones stand on the scale of the wide ones: they answer the same words."""
    wide, linked, *narrow = map(_within_one, (wide, linked, *narrow))
    pool = {key_of(item): item for item in (*linked, *wide)}
    scores = {key_of(item): item.scores.fused for item in on_scale_of(wide, linked)}
    scores |= {key_of(item): item.scores.fused for item in wide}
    for item in linked:
        scores[key_of(item)] += _LINKED
    for item in wide[:_HEADS]:
        scores[key_of(item)] += _HEAD
    whole = dict(scores)
    for item in chain.from_iterable(narrow):
        pool.setdefault(key_of(item), item)
        own = whole.get(key_of(item), 0.0)
        scores[key_of(item)] = max(scores.get(key_of(item), 0.0), item.scores.fused + _NAMED + _WHOLE * own)
    for key, item in pool.items():
        if language and item.passage.language and item.passage.language != language:
            scores[key] *= _OTHER_LANGUAGE
    order = sorted(pool, key=lambda key: (-scores[key], key))
    return [(pool[key], min(1.0, scores[key] / _HIGHEST)) for key in order]


def _within_one(found: Sequence[Evidence]) -> list[Evidence]:
    """Return each passage once; somebody's own scores that are not between 0 and 1 are spread over that, or made of the order."""
    unique = list(merged([found]).values())
    scores = [item.scores.fused for item in unique]
    if all(0 <= score <= 1 for score in scores):
        return unique
    low, width = min(scores), max(scores) - min(scores)
    if not all(map(isfinite, (width, *scores))) or not width:
        return [item.rated(1 / place) for place, item in enumerate(unique, 1)]
    return [item.rated((item.scores.fused - low) / width) for item in unique]


# -- other languages, where its own has little to say

_LOOKED_AT = 5  # passages
_ENOUGH = 0.5  # of the words of a question, in passages of its language: what they hold is worth more than what a translation finds
_MOST = 6  # passages of each other language


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """A text in other languages, by their codes, and what could not be done."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()


class Translate(Protocol):
    """Says a text in the other languages of the library. It never fails: what cannot be said is in the notes."""

    async def __call__(self, text: str) -> Translated: ...


def is_translated(item: Evidence) -> bool:
    """Tell whether a passage was found by a question in its own language, which is not that of the question."""
    return any("@" in label for label in item.found_by)


def _is_weak(question: str, evidence: Sequence[Evidence]) -> bool:
    """Tell whether the best passages in the language of a question have few of its words."""
    language, wanted = language_of(question), set(terms(question))
    own = [item for item in evidence if item.passage.language in {"", language}][:_LOOKED_AT]
    held = {term for item in own for term in terms(f"{item.document.title} {item.passage.text}")}
    return bool(wanted) and len(wanted & held) < _ENOUGH * len(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class InLanguages:
    """Gathers for a question, and where that found little in its language, for its translations."""

    gathering: Gatherer
    translate: Translate

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the best passages of all languages."""
        own = await self.gathering.gather(question, label, hop=hop)
        if not _is_weak(question, own.evidence):
            return own
        translated = await self.translate(question)
        found = await asyncio.gather(
            *(self.gathering.gather(text, label, hop=hop) for text in translated.texts.values())
        )
        pairs = zip(found, translated.texts, strict=True)
        lists = [_on_own_scale(gathered, label, language)[:_MOST] for gathered, language in pairs]
        evidence = sorted(merged([own.evidence, *lists]).values(), key=lambda item: (-item.scores.fused, key_of(item)))
        notes = tuple(dict.fromkeys((*own.notes, *translated.notes)))
        return replace(own, evidence=tuple(evidence), notes=notes)


def _on_own_scale(found: Gathered, label: str, language: str) -> list[Evidence]:
    """Return the passages in this language, the best of which has the score of the best that its search found at all.

    Names are written alike in many languages: passages in the question's own that hold them would stand above all of these.
    """
    own = [item for item in found.evidence if item.passage.language == language]
    highest = max((item.scores.fused for item in own), default=0.0)
    if not highest:
        return []
    factor = found.evidence[0].scores.fused / highest
    # the mark of what a row found in another language, in `Evidence.found_by` beside the row's own
    labels = frozenset((label, f"{label}@{language}"))
    return [item.rated(min(1.0, item.scores.fused * factor), labels) for item in own]


# -- beyond single passages: the tree of summaries, and the graph of papers

_FROM_TREE = 20  # passages
_FROM_GRAPH = 20
_FIRST = 5  # passages of a row that no edge moves
_NEXT = 1 - 1e-9  # a factor: behind the first


@dataclass(frozen=True, slots=True, kw_only=True)
class Widening:
    """The structures over a library; without either it changes nothing."""

    overview: Overview | None = None
    relations: Relations | None = None
    on_event: OnEvent = ignore

    async def widen(self, part: SubQuestion, question: str, label: str, gathered: Gathered) -> Gathered:
        """Return what was gathered for a row, with what the structures know of it. One that fails is told of, and costs nothing else."""
        surveyed, related = await asyncio.gather(
            self._survey(part, question, label, gathered.evidence), self._relate(part, question, label)
        )
        # all passages in one order; all scores are places between 0 and 1. The first place is the search's own. What
        # a count rests on comes next, and what the tree read by its own score. What only proves an edge answers no
        # word of the question: it moves nothing of the first few, and shares the places behind them.
        if not surveyed.evidence and not related.evidence:
            evidence = tuple(gathered.evidence)
        else:
            found_by = frozenset((label,))
            counted, proofs = (related.evidence, ()) if related.tally else ((), related.evidence)
            below = gathered.evidence[0].scores.fused * _NEXT if gathered.evidence else 1.0
            structures = [
                *(item.rated(item.scores.fused, found_by) for item in surveyed.evidence),
                *(item.rated(min(item.scores.fused, below), found_by) for item in counted),
            ]
            ranked = _best_first(merged([gathered.evidence, structures]).values())
            known, later = set(map(key_of, ranked)), [item.scores.fused for item in ranked[_FIRST:]] or [0.0]
            new = [item for item in proofs if key_of(item) not in known]
            shared = [
                item.rated(min(item.scores.fused, later[min(place, len(later) - 1)]), found_by)
                for place, item in enumerate(new)
            ]
            evidence = _best_first((*ranked, *shared))
        tally = replace(related.tally, row=label) if related.tally else None
        notes = tuple(dict.fromkeys((*gathered.notes, *surveyed.notices, *related.notices)))
        return replace(gathered, evidence=evidence, tally=tally, notes=notes)

    async def _survey(self, part: SubQuestion, question: str, label: str, gathered: Sequence[Evidence]) -> Surveyed:
        if self.overview is None or part.kind != "global":
            return Surveyed()
        began = time.monotonic()
        try:
            found = await self.overview.survey(question, _FROM_TREE, gathered)
        except ScholarMindError as error:
            return Surveyed(notices=(f"the tree of summaries could not be asked: {error}",))
        if found.levels:
            told = Consulted(part=part.id, row=label, structure="tree", levels=found.levels, nodes=found.nodes)
            seconds = time.monotonic() - began
            self.on_event(replace(told, passages=len(found.evidence), seconds=seconds, notes=found.notices))
        return found

    async def _relate(self, part: SubQuestion, question: str, label: str) -> Related:
        if self.relations is None:
            return Related()
        began = time.monotonic()
        try:
            found = await self.relations.related(question, part.kind, _FROM_GRAPH)
        except ScholarMindError as error:
            return Related(notices=(f"the graph of papers could not be asked: {error}",))
        if found.relations:
            counted = found.tally.said if found.tally else ""
            told = Consulted(part=part.id, row=label, structure="graph", relations=found.relations, nodes=found.nodes)
            seconds = time.monotonic() - began
            told = replace(told, passages=len(found.evidence), counted=counted, seconds=seconds, notes=found.notices)
            self.on_event(told)
        return found


def _best_first(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(evidence, key=lambda item: (-item.scores.fused, key_of(item))))
