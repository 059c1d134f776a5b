"""What a document states, read out of it by rules: no model, nothing from outside but the names that are known already. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from scholarmind.graph.document_statements import (
    metadata_statements,
    own_name,
    paper_of,
    reference_statements,
    thing,
    values_of,
)
from scholarmind.graph.entity_recognition import (
    EntitySentence,
    Own,
    Spot,
    TextUnit,
    definitions,
    named_by_place,
    other_names,
    spots_in,
    stretches_of,
    topic_of,
    with_own,
)
from scholarmind.graph.gazetteer import NOTHING, DocumentNames, KnownNames, lexicon, named_in
from scholarmind.graph.relation_extraction import Self, link_statements, use_statements
from scholarmind.graph.result_extraction import result_statements, table_statements
from scholarmind.model import Document, Entry
from scholarmind.relations import Extracted, Statement, Thing

VERSION = "rules 3"  # stored with what was extracted; another version means that documents are read again
_MOST_STATEMENTS = 20_000  # of one document
_MOST_ALIASES = 1_000


def extract(entry: Entry, known: KnownNames = NOTHING) -> Extracted:
    """Return all that the document states, each statement with the characters of its text that prove it."""
    reading = _DocumentReading(entry, known)
    told = [*metadata_statements(entry), *reference_statements(entry)]
    told += islice(reading.statements(), max(0, _MOST_STATEMENTS - len(told)))
    return Extracted(
        collection=entry.document.collection,
        document=entry.document.id,
        statements=tuple(_once(told)),
        version=VERSION,
        aliases=tuple(reading.aliases)[:_MOST_ALIASES],
    )


class _DocumentReading:
    """One document while it is read: its sentences and tables, and the names that it defines on the way."""

    def __init__(self, entry: Entry, known: KnownNames) -> None:
        self.entry = entry
        self.aliases: dict[tuple[Thing, Thing], None] = {}  # in order, each once
        self.speaker = _speaker_of(entry.document)
        self.is_about_own = False  # the sentence before
        self.own = KnownNames.of(thing("method", name) for name in self.speaker.spelled)
        self.defined = DocumentNames()
        self.known = (self.own, known, lexicon().known, KnownNames.of(named_in(entry.document)), self.defined.known)

    def statements(self) -> Iterator[Statement]:
        """Yield what sentences and tables state, in order."""
        for stretch in stretches_of(self.entry):
            if stretch.is_table:
                yield from table_statements(self.entry.text, stretch.start, stretch.end, self._spots)
            else:
                yield from self._of_sentence(stretch)

    def _of_sentence(self, stretch: TextUnit) -> Iterator[Statement]:
        text = self.entry.text
        for long, short in definitions(text, stretch.start, stretch.end):
            self._define(long, short)
        for named in named_by_place(text, stretch.start, stretch.end, self.known):
            self.defined.add(named)
        spots = self._spots(stretch.start, stretch.end)
        if not spots and not self.is_about_own:
            return
        if self.speaker.method is not None:
            own = Own(self.speaker.method.name, self.speaker.is_own, self.is_about_own)
            spots = with_own(text, spots, (stretch.start, stretch.end), own)
        if (topic := topic_of(spots)) is not None:
            self.is_about_own = self.speaker.is_own(topic)
        self.aliases.update(dict.fromkeys(other_names(spots)))
        sentence = EntitySentence(text, stretch.start, stretch.end, spots, stretch.heading)
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
        target, name = statement.target, statement.target.name
        is_new = statement.relation == "PROPOSES" and target.kind == "method" and not name.islower()
        if self.speaker.method is None and is_new:
            names = {other.name.casefold() for pair in self.aliases if target in pair for other in pair}
            names |= self.speaker.names | {name.casefold()}
            self.speaker = replace(self.speaker, method=target, names=frozenset(names))
            self.is_about_own = True

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
