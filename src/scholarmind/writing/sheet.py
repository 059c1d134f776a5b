"""An answer while it is written out of quotations: its blocks, its claims, and every citation once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scholarmind.answer import Citation, Claim, Support
from scholarmind.judge.claims import rule
from scholarmind.relations import Tally
from scholarmind.writing.anchors import renumbered
from scholarmind.writing.extract import Quote, place
from scholarmind.writing.places import citation_of
from scholarmind.writing.tallied import Counted, conflict, counted, in_one_sentence

Where = tuple[str, str, int, int]


@dataclass(slots=True, kw_only=True)
class Sheet:
    """The answer so far. `tallies` are what was counted, by row."""

    words: Mapping[str, str]
    keys: Mapping[tuple[str, str], str]
    tallies: Mapping[str, Tally]
    blocks: list[str] = field(default_factory=list[str])
    claims: list[Claim] = field(default_factory=list[Claim])
    citations: dict[Where, Citation] = field(default_factory=dict[Where, Citation])
    conflicts: dict[str, str] = field(default_factory=dict[str, str])
    written: list[tuple[Quote, str]] = field(default_factory=list[tuple[Quote, str]])
    _counted: dict[str, Counted] = field(default_factory=dict[str, Counted])

    def cite(self, quote: Quote) -> Citation:
        """Return the citation of a quote, the same one each time."""
        return self.citations.setdefault(where(quote), self.citation(quote))

    def citation(self, quote: Quote) -> Citation:
        """Return the citation that a quote would have."""
        return citation_of(quote.evidence, quote.start, quote.end, quote.text, self.keys)

    def claim(
        self,
        text: str,
        quotes: Sequence[Quote],
        row: str,
        least: Support = "unsupported",
        beside: Sequence[Citation] = (),
    ) -> tuple[int, list[Citation]]:
        """Note a sentence of the answer with what it rests on: quotes, and `beside` them what was counted. Return its number, and that."""
        cited = [*(self.cite(quote) for quote in quotes), *beside]
        is_quotation = any(text == quote.text for quote in quotes)
        ruling = "verified" if is_quotation else rule(text, [quote.text for quote in quotes])
        status = least if ruling in ("doubtful", "refused") else ruling
        self.claims.append(Claim(text=text, status=status, citations=tuple(cited), row=row))
        return len(self.claims) - 1, cited

    def before(self, quote: Quote) -> str:
        """Return the row under which these words were written already, or ''."""
        return next((row for other, row in self.written if _is_same(quote, other)), "")

    def counted(self, row: str) -> Counted:
        """Return what is written of the tally of a row."""
        if row not in self._counted:
            self._counted[row] = counted(self.tallies[row], self.keys, self.words)
        return self._counted[row]

    def counted_blocks(self, row: str, question: str) -> tuple[str, ...]:
        """Return what was counted for a row, and note for the review what contradicts each other in it."""
        found = self.counted(row)
        if told := conflict(found, question, self.words):
            self.conflicts[row] = told
        blocks = found.numbered(len(self.claims))
        for claim in found.claims:
            self._take(claim)
        return blocks

    def counted_sentence(self, row: str, above: str) -> str:
        """Return what was counted for a row in one sentence of the row `above`, that puts several together."""
        found = self.counted(row)
        text = renumbered(in_one_sentence(found, self.words), {0: len(self.claims)} if found.said.citations else {})
        if found.said.citations:
            self._take(replace(found.said, row=above))
        return text

    def _take(self, claim: Claim) -> None:
        self.claims.append(claim)
        for cited in claim.citations:
            self.citations.setdefault(
                (cited.collection, cited.document, cited.document_start, cited.document_end), cited
            )


def where(quote: Quote) -> Where:
    """Return which characters of which document a quote is."""
    return (*place(quote), quote.start, quote.end)


def _is_same(one: Quote, two: Quote) -> bool:
    """Tell whether most of one quote's characters are also the other's."""
    if place(one) != place(two):
        return one.text == two.text
    shared = min(one.end, two.end) - max(one.start, two.start)
    return shared > 0.6 * min(one.end - one.start, two.end - two.start)
