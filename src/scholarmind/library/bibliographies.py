"""Bibliographies of a collection: read anew or remembered, matched with documents, and kept with what came of that."""

import asyncio
import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os.path import lexists
from pathlib import Path

from scholarmind import identity
from scholarmind.filters import Compare
from scholarmind.library.descriptions import Describing, corrected, facts_of, unlined, with_facts
from scholarmind.library.file_reading import Ended, ReadingJob
from scholarmind.library.matching import Match, Miss
from scholarmind.library.passages import Cutting, enter
from scholarmind.library.report import MatchReport, Report, outcome, remarks, without_entry
from scholarmind.library.report import report as report_on
from scholarmind.library.workers import BatchBuilder, Runner
from scholarmind.library_ports import Bibliographies as KeptBibliographies
from scholarmind.library_ports import Known, Listed, Source, Store
from scholarmind.model import BibEntry, Document, Entry, Fact, Problem, Reading, Value
from scholarmind.text.untrusted import printable

_AT_ONCE = 500
_TEXTS_AT_ONCE = 50
_SURE = 0.95
Tell = Callable[[Report, Sequence[Problem]], None]
_Name = tuple[str, int, str]


@dataclass(kw_only=True)
class Shelving:
    """The bibliographies of one collection during one `add`."""

    store: Store
    collection: str
    known: Known
    cutting: Cutting
    corrections: Mapping[str, Mapping[str, Value]]
    _shelves: dict[str, list[BibEntry]] = field(default_factory=dict[str, list[BibEntry]])
    _listed: Mapping[str, Sequence[Listed]] = field(default_factory=dict[str, list[Listed]])
    _sources: Sequence[Source] = ()
    _advice: Mapping[_Name, str] = field(default_factory=dict["_Name", str])
    _asked: Collection[str] = ()
    _gone: set[str] = field(default_factory=set[str])
    _is_changed: bool = False

    @property
    def entries(self) -> list[BibEntry]:
        """Every entry, whatever bibliography it is from; in an order that does not depend on which was read first."""
        return [entry for path in sorted(self._shelves) for entry in self._shelves[path]]

    async def read(self, paths: Iterable[Path], runner: Runner, report: Report, tell: Tell) -> None:
        """Read these bibliographies where they changed; those of earlier times are remembered."""
        self._listed = await self.store.listed(self.collection)
        self._shelves = {path: [listed.entry for listed in some] for path, some in self._listed.items()}
        every = [item for some in self._listed.values() for item in some]
        self._advice = {_name(item.entry): item.how for item in every if not item.document}
        jobs = [ReadingJob(path=path, known=self.known.sources.get(printable(path), "")) for path in paths]
        jobs = [replace(job, bibliography=True) for job in jobs]
        self._asked = {printable(job.path) for job in jobs}
        sources, problems = await asyncio.to_thread(self._read, jobs, runner)
        tell(report, problems)
        report.files += len(jobs)
        self._sources = sources

    def _read(self, jobs: Sequence[ReadingJob], runner: Runner) -> tuple[list[Source], list[Problem]]:
        found: dict[Path, list[BibEntry]] = {job.path: [] for job in jobs}
        problems: dict[Path, list[Problem]] = {job.path: [] for job in jobs}
        sources: list[Source] = []
        for item in runner(jobs) if jobs else ():
            if item is None:
                continue
            job, step = item
            if isinstance(step, BibEntry):
                found[job.path].append(replace(step, document=replace(step.document, collection=self.collection)))
            elif isinstance(step, Problem):
                problems[job.path].append(step)
            elif isinstance(step, Ended) and not step.unchanged:
                self._take(printable(job.path), found[job.path])
                sources.append(_source(job, step, problems[job.path]))
        return sources, [problem for some in problems.values() for problem in some]

    def _take(self, path: str, entries: list[BibEntry]) -> None:
        """Put what was read in place of what was known; a file that gave nothing at all keeps what it gave before."""
        if entries and entries != self._shelves.get(path):
            self._shelves[path] = entries
            self._is_changed = True

    async def forget(self, lost: Callable[[str], bool]) -> None:
        """Forget bibliographies whose files are gone."""
        for path in filter(_is_gone, [path for path in self._shelves if lost(path)]):
            del self._shelves[path]
            self._gone.add(path)
            self._is_changed = True
            await self.store.keep(self.collection, path, [])

    async def prune(self, lost: Callable[[str], bool], gathering: BatchBuilder) -> int:
        """Remove the documents of entries that are no more; return how many there were."""
        places = self._gone | {path for path in self._shelves if lost(path)}
        documents = self.known.documents.items()
        gone = [id for id, (_, origin) in documents if origin in places and id not in gathering.seen]
        return await self.store.remove(self.collection, gone) if gone else 0

    async def settle(self, describing: Describing, gathering: BatchBuilder, report: Report) -> None:
        """Describe again what was not read this time, store the entries that have no file, and keep what matched."""
        if self._shelves or self._gone:
            await self._match(describing, gathering, report)
        if self._sources:  # when everything is stored, so that a stop in between means that it is read again
            await self.store.note(self.collection, self._sources)

    async def _match(self, describing: Describing, gathering: BatchBuilder, report: Report) -> None:
        if self._is_changed:
            await self._describe_again(describing, gathering, report)
        else:
            self._remember(describing, gathering)
        matches, misses = describing.matches, describing.misses
        listed = [self._advised(item, misses) for item in outcome(self.entries, matches, misses)]
        before = self._listed
        self._listed = {path: [item for item in listed if item.entry.document.origin == path] for path in self._shelves}
        await self._take_back(set(matches) - {item.document for item in listed})
        await self._store_entries(describing, gathering, report)
        for path in [path for path, some in self._listed.items() if some != before.get(path)]:
            await self.store.keep(self.collection, path, self._listed[path])
        report.matches = report_on(listed, without=without_entry(misses.values()), remarks=remarks(matches))

    def _remember(self, describing: Describing, gathering: BatchBuilder) -> None:
        """Take over the matches of documents that were not read again."""
        for listed in (item for some in self._listed.values() for item in some):
            if listed.document in self.known.documents and listed.document not in gathering.touched and listed.how:
                path = Path(self.known.documents[listed.document][1])
                match = Match(entry=listed.entry, how=listed.how, sure=1.0, path=path)
                describing.matches.setdefault(listed.document, match)

    def _advised(self, listed: Listed, misses: Mapping[str, Miss]) -> Listed:
        """Return the entry with the advice of the last time, if no file came near it this time: most were not looked at again."""
        if listed.document or self._is_changed or any(_is_near(listed.entry, miss) for miss in misses.values()):
            return listed
        return replace(listed, how=self._advice.get(_name(listed.entry), listed.how))

    async def _describe_again(self, describing: Describing, gathering: BatchBuilder, report: Report) -> None:
        facts = await self.store.facts(self.collection)
        known = await self.store.documents(Compare(field="collection", operator="=", value=self.collection))
        changed: list[Document] = []
        for document in known:
            if document.id in gathering.touched or document.origin in self._shelves:
                continue
            said = facts.get(document.id, ())
            light = Entry(document=document, text="", passages=(), hash="", facts=said)
            described = describing.describe(light, Path(document.origin))
            if described.document != document or _values(described.facts) != _values(said):
                changed.append(document)
        for start in range(0, len(changed), _TEXTS_AT_ONCE):
            await self._put_again(changed[start : start + _TEXTS_AT_ONCE], describing, report)
        report.unchanged -= sum(document.id in gathering.seen for document in changed)

    async def _put_again(self, documents: Sequence[Document], describing: Describing, report: Report) -> None:
        found = [await self.store.entry(self.collection, document.id) for document in documents]
        entries = [describing.describe(entry, Path(entry.document.origin)) for entry in found if entry is not None]
        await self.store.put(entries)
        report.replaced += len(entries)

    async def _take_back(self, losers: Iterable[str]) -> None:
        """Describe files again that an entry fitted, but another file better: a supplement is not the paper."""
        for id in losers:
            entry = await self.store.entry(self.collection, id)
            if entry is not None and any(fact.by == "bibliography" for fact in entry.facts):
                await self.store.put([with_facts(entry, (), by="bibliography")])

    async def _store_entries(self, describing: Describing, gathering: BatchBuilder, report: Report) -> None:
        """Store entries without a file as documents, and remove those that have one by now."""
        origins = {id: origin for id, (_, origin) in self.known.documents.items()}
        own = {id for id, origin in origins.items() if origin in self._shelves} - gathering.seen
        wanted = await self._without_works_elsewhere(self._wanted((origins.keys() | gathering.seen) - own))
        looked_at = wanted if self._sources else wanted.keys() - own  # what was not read again is stored as it is
        entries = [self._as_document(wanted[id], describing) for id in wanted if id in looked_at]
        new = [entry for entry in entries if self.known.documents.get(entry.document.id, ("",))[0] != entry.hash]
        for start in range(0, len(new), _AT_ONCE):
            await self.store.put(new[start : start + _AT_ONCE])
        superseded = [id for id in own if id not in wanted and id in self._ids()]
        removed = await self.store.remove(self.collection, superseded) if superseded else 0
        replaced = min(removed, len(self._now_files(superseded, gathering)))  # they are no longer entries alone
        report.removed += removed - replaced
        report.added -= replaced
        report.replaced += replaced
        report.added += sum(entry.document.id not in own for entry in new)
        report.replaced += sum(entry.document.id in own for entry in new)
        stored = wanted.keys() - {entry.document.id for entry in new}
        report.unchanged += sum(origins.get(id) in self._asked for id in stored)
        report.passages += len(new)
        gathering.seen.update(wanted)

    def _now_files(self, superseded: Collection[str], gathering: BatchBuilder) -> set[str]:
        """Return those of these documents of entries whose file was stored for the first time."""
        new = gathering.touched - self.known.documents.keys()
        listed = [item for some in self._listed.values() for item in some if item.document in new]
        return {id for item in listed for id in documents_of(item.entry)}.intersection(superseded)

    def _wanted(self, taken: Collection[str]) -> dict[str, BibEntry]:
        """Return the entries without a file, by id; where another work has the id already, by one of their own."""
        wanted: dict[str, BibEntry] = {}
        for listed in (item for path in sorted(self._listed) for item in self._listed[path]):
            document = listed.entry.document
            if listed.document or (document.id in wanted and _is_same_work(document, wanted[document.id].document)):
                continue
            id = _other_id(document) if document.id in taken or document.id in wanted else document.id
            if id not in taken:
                wanted.setdefault(id, replace(listed.entry, document=replace(document, id=id)))
        return wanted

    async def _without_works_elsewhere(self, wanted: Mapping[str, BibEntry]) -> dict[str, BibEntry]:
        """Return the entries of which no other collection has the file: one bibliography may describe several of them."""
        others = await self.store.documents(Compare("collection", "!=", self.collection)) if wanted else []
        places = {name: await self.store.listed(name) for name in {document.collection for document in others}}
        works = {
            key
            for document in others
            if document.origin not in places[document.collection]  # more than an entry itself
            for key in identity.keys_of(document)
        }
        return {id: entry for id, entry in wanted.items() if works.isdisjoint(identity.keys_of(entry.document))}

    def _as_document(self, entry: BibEntry, describing: Describing) -> Entry:
        """Return an entry without a file as a document: its abstract, or at least its title, can be found and cited."""
        text, id = entry.abstract or entry.document.title or entry.key, entry.document.id
        facts = facts_of(entry, "file", _SURE)
        reading = Reading(document=entry.document, text=text, whole=True, facts=tuple(map(unlined, facts)))
        entered = replace(enter(reading, self.cutting), facts=facts)
        said = with_facts(entered, describing.catalogued.get(id, ()), by="catalogue")
        return corrected(said, self.corrections.get(id, {}))

    def _ids(self) -> set[str]:
        documents = [entry.document for entry in self.entries]
        return {document.id for document in documents} | {_other_id(document) for document in documents}


def documents_of(entry: BibEntry) -> tuple[str, str]:
    """Return the ids that an entry without a file may be stored under."""
    return entry.document.id, _other_id(entry.document)


def report_of(listed: Mapping[str, Sequence[Listed]]) -> MatchReport | None:
    """Return how the bibliographies of a collection and its files went together; None without bibliographies."""
    return report_on([item for some in listed.values() for item in some]) if listed else None


def cited_as(documents: Iterable[Document], listed: Mapping[str, Sequence[Listed]]) -> dict[str, str]:
    """Return the keys that the user's bibliographies have for documents of one collection, by their ids."""
    entries = [item for path in sorted(listed) for item in listed[path]]
    matched: dict[str, str] = {}
    without_file: dict[tuple[str, str], str] = {}
    for item in entries:
        document = item.entry.document
        if item.document:
            matched.setdefault(item.document, item.entry.key)
        else:
            for id in reversed(documents_of(item.entry)):
                without_file.setdefault((document.origin, id), item.entry.key)
    keys = {one.id: matched.get(one.id) or without_file.get((one.origin, one.id), "") for one in documents}
    return {id: key for id, key in keys.items() if key}


async def citation_keys(store: KeptBibliographies, documents: Iterable[Document]) -> dict[tuple[str, str], str]:
    """Return the keys that the user's bibliographies have for documents, by collection and id; not all have one."""
    works = list(documents)
    found: dict[tuple[str, str], str] = {}
    for collection in {work.collection for work in works}:
        within = [work for work in works if work.collection == collection]
        keys = cited_as(within, await store.listed(collection))
        found |= {(collection, id): key for id, key in keys.items()}
    return found


def documents_with_key(
    key: str, documents: Sequence[Document], listed: Mapping[str, Sequence[Listed]], *, exactly: bool = True
) -> list[str]:
    """Return the ids of the documents of a collection that some bibliography of the user's has under this key."""
    here, found = {(one.origin, one.id) for one in documents}, dict[str, None]()
    ids = {id for _, id in here}
    for item in (item for path in sorted(listed) for item in listed[path]):
        if item.entry.key != key and (exactly or item.entry.key.casefold() != key.casefold()):
            continue
        entry = item.entry.document
        if item.document:
            found |= dict.fromkeys({item.document} & ids)
        else:
            found |= dict.fromkeys(id for id in documents_of(item.entry) if (entry.origin, id) in here)
    return list(found)


def _is_gone(path: str) -> bool:
    return not lexists(path)


def _name(entry: BibEntry) -> _Name:
    return entry.document.origin, entry.line, entry.key


def _values(facts: Iterable[Fact]) -> set[tuple[str, object, str]]:
    """Return what is said by whom, but not in which line: one entry more would shift all below it."""
    return {(fact.field, fact.value, fact.by) for fact in facts}


def _is_near(entry: BibEntry, miss: Miss) -> bool:
    return any(_name(near.entry) == _name(entry) for near in miss.near)


def _is_same_work(one: Document, other: Document) -> bool:
    return bool({*identity.keys_of(one)} & {*identity.keys_of(other)}) or one.title == other.title


def _other_id(document: Document) -> str:
    """Return an id for an entry whose key is taken: it hangs on the bibliography, so that it stays the same."""
    place = hashlib.sha256(document.origin.encode("utf-8", "replace")).hexdigest()
    return f"{document.id}-{place[:6]}"


def _source(job: ReadingJob, ended: Ended, problems: Sequence[Problem]) -> Source:
    return Source(
        path=printable(job.path),
        hash=ended.hash or None,
        seconds=ended.seconds,
        bytes=ended.bytes,
        problems=tuple(problems),
    )
