"""What a document states, read out of it by rules: no model, nothing from outside but the names that are known already. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scholarmind.graph.acronyms import definitions
from scholarmind.graph.known import NOTHING, Growing, Known, named_in
from scholarmind.graph.lexicon import lexicon
from scholarmind.graph.links import Self, link_statements
from scholarmind.graph.metadata import metadata_statements, reference_statements, values_of
from scholarmind.graph.result_tables import MOST_ROWS, table_statements
from scholarmind.graph.results import result_statements
from scholarmind.graph.sentence import Sentence
from scholarmind.graph.spotting import Spot, other_names, spots_in, with_own
from scholarmind.graph.stretches import Stretch, stretches_of
from scholarmind.graph.things import own_name, paper_of, thing
from scholarmind.graph.uses import use_statements
from scholarmind.model import Document, Entry
from scholarmind.relations import Extracted, Statement, Thing

VERSION = "rules 1"  # stored with what was extracted; another version means that documents are read again
_MOST_STATEMENTS = 20_000  # of one document
_MOST_ALIASES = 1_000


def extract(entry: Entry, known: Known = NOTHING) -> Extracted:
    """Return all that the document states, each statement with the characters of its text that prove it."""
    reading = _Reading(entry, known)
    told = [*metadata_statements(entry), *reference_statements(entry)]
    for statement in reading.statements():
        if len(told) >= _MOST_STATEMENTS:
            reading.notes.append(f"only the first {_MOST_STATEMENTS} statements are kept")
            break
        told.append(statement)
    return Extracted(
        collection=entry.document.collection,
        document=entry.document.id,
        statements=tuple(_once(told)),
        version=VERSION,
        notes=tuple(reading.notes),
        aliases=tuple(reading.aliases)[:_MOST_ALIASES],
    )


class _Reading:
    """One document while it is read: its sentences and tables, and the names that it defines on the way."""

    def __init__(self, entry: Entry, known: Known) -> None:
        self.entry = entry
        self.notes: list[str] = []
        self.aliases: dict[tuple[Thing, Thing], None] = {}  # in order, each once
        self.speaker = _speaker_of(entry.document)
        self.own = Known.of(thing("method", name) for name in self.speaker.spelled)
        self.defined = Growing()
        self.known = (self.own, known, lexicon().known, Known.of(named_in(entry.document)), self.defined.known)

    def statements(self) -> Iterator[Statement]:
        """Yield what sentences and tables state, in order."""
        for stretch in stretches_of(self.entry):
            if stretch.is_table:
                if self.entry.text.count("\n", stretch.start, stretch.end) >= MOST_ROWS:
                    self.notes.append(f"only the first {MOST_ROWS} rows of a table are read")
                yield from table_statements(self.entry.text, stretch.start, stretch.end, self._spots)
            else:
                yield from self._of_sentence(stretch)

    def _of_sentence(self, stretch: Stretch) -> Iterator[Statement]:
        text = self.entry.text
        for long, short in definitions(text, stretch.start, stretch.end):
            self._define(long, short)
        spots = self._spots(stretch.start, stretch.end)
        if not spots:
            return
        if self.speaker.method is not None:
            spots = with_own(text, spots, (stretch.start, stretch.end), self.speaker.method)
        self.aliases.update(dict.fromkeys(other_names(spots)))
        sentence = Sentence(text, stretch.start, stretch.end, spots, stretch.heading)
        results = list(result_statements(sentence))
        yield from results
        for result in results:
            yield replace(result, relation="EVALUATED_ON", metric="", value="", number=None, setting="")
        for link in link_statements(sentence, self.speaker):
            self._take_for_own(link)
            yield link
        yield from use_statements(sentence, self.speaker)

    def _take_for_own(self, statement: Statement) -> None:
        """Take the first method that a document without a name says it proposes for its own."""
        if self.speaker.method is None and statement.relation == "PROPOSES" and not statement.target.name.islower():
            name = statement.target.name
            self.speaker = replace(self.speaker, method=statement.target, names=self.speaker.names | {name.casefold()})

    def _define(self, long: Thing, short: Thing) -> None:
        """Remember two names that the text defines as one thing; from here on both are known."""
        self.aliases[short, long] = None
        for each in (long, short):
            self.defined.add(each)

    def _spots(self, start: int, end: int) -> list[Spot]:
        return spots_in(self.entry.text, start, end, self.known)


def _speaker_of(document: Document) -> Self:
    name = own_name(document)
    names = {name, *values_of(document, "aliases"), *values_of(document, "alias")} - {""}
    return Self(
        paper=paper_of(document),
        method=thing("method", name) if name else None,
        spelled=tuple(sorted(names)),
        names=frozenset(each.casefold() for each in names),
    )


def _once(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield each statement once: the one that a place of the text proves, if there is one, and the surest of several."""
    best: dict[object, Statement] = {}
    for statement in statements:
        same = (statement.relation, statement.source, statement.target, statement.metric, statement.value)
        kept = best.get(same)
        if kept is None or (kept.by == "rules" and statement.confidence > kept.confidence):
            best[same] = statement
        elif kept.end == 0 and statement.end:
            sure, setting = max(kept.confidence, statement.confidence), kept.setting or statement.setting
            best[same] = replace(statement, confidence=sure, setting=setting)
    yield from best.values()
