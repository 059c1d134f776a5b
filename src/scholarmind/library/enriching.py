"""Ask catalogues about documents whose description is doubtful. A stage of its own, after everything is stored: it holds up nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind import identity
from scholarmind.events import OnEvent, Progress
from scholarmind.filters import Compare
from scholarmind.library.describing import with_facts
from scholarmind.library.report import Report
from scholarmind.library_ports import Enricher, Store
from scholarmind.model import Document, Fact, Problem

_SURE = 0.9  # what is less sure than this may be asked about
_ASKED_FOR = ("title", "authors", "year")
_NO_PAPERS = frozenset({"record", "note", "text", "table", "mail", "notebook"})


@dataclass(frozen=True, slots=True)
class Enriching:
    """Everything that asking needs. It holds the library only to write."""

    store: Store
    enricher: Enricher
    collection: str
    on_event: OnEvent

    async def run(self, report: Report) -> None:
        """Ask about each doubtful document once, and keep what is said."""
        facts = await self.store.facts(self.collection)
        known = await self.store.documents(Compare("collection", "=", self.collection))
        doubtful = [document for document in known if _is_doubtful(document, facts.get(document.id, ()))]
        for done, document in enumerate(doubtful, 1):
            found = await self.enricher.look_up(document)
            if found:
                await self._keep(document.id, found)
                report.enriched += 1
            self.on_event(Progress(stage="online", done=done, total=len(doubtful), unit="works"))
        for notice in self.enricher.notices:
            problem = Problem(where="on-line catalogues", reason=notice, advice="add again with --online later")
            report.problems.append(problem)
            self.on_event(problem)

    async def _keep(self, id: str, found: Sequence[Fact]) -> None:
        entry = await self.store.entry(self.collection, id)
        if entry is not None:
            said = [replace(fact, by="catalogue") for fact in found]
            await self.store.put([with_facts(entry, said, by="catalogue")])


def _is_doubtful(document: Document, facts: Sequence[Fact]) -> bool:
    """Tell whether a work can be asked about, was not yet, and who wrote what when is not sure."""
    asked = any(fact.by == "catalogue" for fact in facts)
    if asked or document.kind in _NO_PAPERS or not any(identity.keys_of(document)):
        return False
    sure = {fact.field: fact.sure for fact in sorted(facts, key=lambda fact: fact.sure)}  # the surest is the last
    missing = not document.authors or document.year is None
    return missing or any(sure.get(name, 1.0) < _SURE for name in _ASKED_FOR)
