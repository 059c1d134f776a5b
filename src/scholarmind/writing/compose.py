"""Write an answer out of quotations: part by part in the order of the plan, every sentence cited and checked. No model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from scholarmind.answer import Citation, Claim, Draft, Finding, Support
from scholarmind.model import Document, Evidence
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.writing.check import support
from scholarmind.writing.conflicts import conflicting, contradicts
from scholarmind.writing.extract import Quote, place, read
from scholarmind.writing.places import citation_of
from scholarmind.writing.quantities import numbers
from scholarmind.writing.tables import Cell, Comparison, compared, grid, is_measured, markdown_table, piece
from scholarmind.writing.wanted import wanted
from scholarmind.writing.wording import bracketed, harmless, starting, words_for

Assign = Callable[[Sequence[Document]], Mapping[tuple[str, str], str]]
_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_SENTENCES = {"factual": 2, "reasoning": 3, "global": 3}
_LONGEST_HEADING = 300
_READ = 8  # passages of a row
_COMPARED = 6  # sentences of a row among which contradictions are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One thing that is asked, with what was found for it."""

    id: str
    ask: Ask
    question: str
    quotes: tuple[Quote, ...]
    against: tuple[Quote, ...]  # of these, sentences that state different numbers for the same thing
    value: str  # its short answer, if such is wanted and one of the quotes has it
    error: str


@dataclass(slots=True, kw_only=True)
class _Sheet:
    """The answer while it is being written."""

    words: Mapping[str, str]
    keys: Mapping[tuple[str, str], str]
    blocks: list[str] = field(default_factory=list[str])
    claims: list[Claim] = field(default_factory=list[Claim])
    citations: dict[tuple[str, str, int, int], Citation] = field(
        default_factory=dict[tuple[str, str, int, int], Citation]
    )
    conflicts: dict[str, str] = field(default_factory=dict[str, str])
    written: list[tuple[Quote, str]] = field(default_factory=list[tuple[Quote, str]])

    def cite(self, quote: Quote) -> Citation:
        """Return the citation of a quote, the same one each time."""
        return self.citations.setdefault(_where(quote), _citation(quote, self.keys))

    def claim(self, text: str, quotes: Sequence[Quote], row: str, least: Support = "unsupported") -> list[Citation]:
        """Note a sentence of the answer with what it rests on."""
        cited = [self.cite(quote) for quote in quotes]
        status = support(text, [quote.text for quote in quotes])
        if status == "unsupported":
            status = least
        self.claims.append(Claim(text=text, status=status, citations=tuple(cited), row=row))
        return cited

    def before(self, quote: Quote) -> str:
        """Return the row under which these words were written already, or ''."""
        return next((row for other, row in self.written if _is_same(quote, other)), "")


def compose(plan: Plan, findings: Sequence[Finding], keys: Assign, rarity: Mapping[str, float] = _NO_RARITY) -> Draft:
    """Return the answer to a plan from what its parts found. `keys` gives the documents that are quoted their citation keys."""
    by_part = {finding.part.id: finding for finding in findings}
    answers = {number: finding.answer for number, finding in by_part.items() if finding.answer}
    rows = {part.id: list(_rows(part, by_part.get(part.id), answers, rarity)) for part in plan.parts}
    quotes = [quote for some in rows.values() for row in some for quote in row.quotes]
    sheet = _Sheet(words=words_for(plan.question), keys=keys([quote.evidence.document for quote in quotes]))
    for part in plan.parts:
        if len(plan.parts) > 1:
            text = part.resolve(answers)[:_LONGEST_HEADING]
            sheet.blocks.append(f"{'#' * min(6, 3 + plan.level(part))} {part.id}. {harmless(text)}")
        if part.role != "find" and not (part.role == "conclude" and _is_parent(plan, part)):  # its own parts follow
            _put_together(sheet, plan, part, rows)
        _write_rows(sheet, part, rows[part.id])
    text = "\n\n".join((sheet.words["label"], *sheet.blocks))
    return Draft(
        text=text,
        claims=tuple(sheet.claims),
        citations=tuple(sheet.citations.values()),
        answers={row.id: row.value or row.quotes[0].text for some in rows.values() for row in some if row.quotes},
        conflicts=sheet.conflicts,
    )


def _is_parent(plan: Plan, part: SubQuestion) -> bool:
    return any(other.parent == part.id for other in plan.parts)


def evidence_of(row: str, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what was found for a row, then what only the original question found, for want of better."""
    own = [item for item in evidence if row in item.found_by]
    general = [item for item in evidence if row not in item.found_by and item.found_by <= {"question"}]
    return (*own, *general)


def _rows(
    part: SubQuestion, finding: Finding | None, answers: Mapping[int, str], rarity: Mapping[str, float]
) -> Iterator[_Row]:
    evidence = finding.evidence if finding else ()
    error = finding.error if finding else ""
    known = {number: answer for number, answer in answers.items() if number in part.depends_on}
    for name, ask in zip(part.row_ids, part.rows, strict=True):
        question = part.resolve(known, ask.text)
        given = evidence_of(name, evidence)[:_READ]
        found = read(question, given, rarity, _COMPARED)
        quotes, values = found.quotes[: _SENTENCES[part.kind]], found.answers
        against = _against(quotes, (*found.quotes, *found.rivals))
        if finding and len(part.rows) == 1:
            values = (*finding.candidates, *values)
        values = values if wanted(question).is_short else ()
        value = next((value for value in values if any(value in quote.text for quote in quotes)), "")
        yield _Row(id=name, ask=ask, question=question, quotes=quotes, against=against, value=value, error=error)


def _against(quotes: Sequence[Quote], rivals: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return what the answer quotes and a sentence of another document contradicts in a number, together with that sentence."""
    by_place = {"|".join(map(str, _where(quote))): quote for quote in rivals}
    found = conflicting([(name, quote.text) for name, quote in by_place.items()])
    written = {_where(quote) for quote in quotes}
    pairs = [[by_place[name] for name in conflict.keys] for conflict in found]
    pairs = [pair for pair in pairs if place(pair[0]) != place(pair[1]) and written & set(map(_where, pair))]
    return tuple({_where(quote): quote for pair in pairs for quote in pair}.values())


def _where(quote: Quote) -> tuple[str, str, int, int]:
    return (*place(quote), quote.start, quote.end)


# -- parts that look something up


def _write_rows(sheet: _Sheet, part: SubQuestion, rows: Sequence[_Row]) -> None:
    for row in rows:
        if len(rows) > 1:
            sheet.blocks.append(f"**{harmless(row.question[:_LONGEST_HEADING])}**")
        if row.against:
            sheet.blocks.append(_side_by_side(sheet, row))
        lines = list(_lines(sheet, row))
        if lines:
            sheet.blocks.append("\n".join(f"- {line}" for line in lines))
        elif row.against:
            continue
        elif row.error:
            sheet.blocks.append(sheet.words["failed"].format(error=harmless(row.error[:_LONGEST_HEADING])))
        elif part.role == "find":
            sheet.blocks.append(sheet.words["nothing"])


def _lines(sheet: _Sheet, row: _Row) -> Iterator[str]:
    for quote in sorted(row.quotes, key=lambda quote: row.value not in quote.text):
        if above := sheet.before(quote):
            if above != row.id:
                yield sheet.words["see"].format(row=above, key=bracketed(_citation(quote, sheet.keys).key)[1:-1])
            continue
        sheet.written.append((quote, row.id))
        (cited,) = sheet.claim(quote.text, [quote], row.id)
        yield f"{starting(_marked(quote.text, row.value))} {bracketed(cited.key)}"


def _side_by_side(sheet: _Sheet, row: _Row) -> str:
    """Show what contradicts each other, and note it for the review; nothing is merged."""
    lines: list[str] = []
    for quote in row.against:
        (cited,) = sheet.claim(quote.text, [quote], row.id)
        sheet.written.append((quote, row.id))
        lines.append(f"- {starting(harmless(quote.text))} {bracketed(cited.key)}")
    keys = dict.fromkeys(_citation(quote, sheet.keys).key for quote in row.against)
    sheet.conflicts[row.id] = sheet.words["conflict"].format(keys="; ".join(keys))
    return "\n".join((f"{sheet.words['contradict']}\n", *lines))


def _marked(text: str, value: str) -> str:
    """Return the words of a document with the short answer in bold."""
    before, found, after = text.partition(value) if value[:1].isalnum() and value[-1:].isalnum() else (text, "", "")
    if not found:
        return harmless(text)
    spaces = " " * before.endswith(" "), " " * after.startswith(" ")
    return f"{harmless(before)}{spaces[0]}**{harmless(found)}**{spaces[1]}{harmless(after)}".strip()


def _is_same(one: Quote, two: Quote) -> bool:
    """Tell whether most of one quote's characters are also the other's."""
    if place(one) != place(two):
        return one.text == two.text
    shared = min(one.end, two.end) - max(one.start, two.start)
    return shared > 0.6 * min(one.end - one.start, two.end - two.start)


def _citation(quote: Quote, keys: Mapping[tuple[str, str], str]) -> Citation:
    return citation_of(quote.evidence, quote.start, quote.end, quote.text, keys)


# -- parts that put others together


def _put_together(sheet: _Sheet, plan: Plan, part: SubQuestion, rows: Mapping[int, Sequence[_Row]]) -> None:
    """Write a table or a list of what the parts say that this one waits for, and what their numbers come to."""
    given = [row for number in part.depends_on for row in rows.get(number, ())]
    cells = [_cell(row) for row in given]
    name = part.row_ids[0]
    if part.role == "compare" and len({cell.entity for cell in cells if cell.entity}) > 1:
        sheet.blocks.append(_table(sheet, [cell for cell in cells if cell.entity], name))
    elif cells:
        lines = [
            f"- {sheet.words['found'].format(text=harmless(row.question[:_LONGEST_HEADING]))}{_cell_text(sheet, cell, name)}"
            for row, cell in zip(given, cells, strict=True)
        ]
        sheet.blocks.append("\n".join(lines))
    for comparison in compared(f"{part.text} {plan.question}", cells):
        sheet.blocks.append(_conclusion(sheet, comparison, name))


def _cell(row: _Row) -> Cell:
    quote = next((quote for quote in row.quotes if row.value in quote.text), None)
    comparable = quote is not None and is_measured(row.question, row.ask.entity, quote, row.value)
    return Cell(
        row=row.id,
        entity=row.ask.entity,
        aspect=row.ask.aspect,
        quote=piece(quote, row.value) if quote else None,
        value=row.value,
        comparable=comparable,
    )


def _table(sheet: _Sheet, cells: Sequence[Cell], row: str) -> str:
    entities, aspects, known = grid(cells)
    head = ["", *(harmless(aspect) or sheet.words["aspect"] for aspect in aspects)]
    lines = [
        [harmless(entity), *(_cell_text(sheet, known.get((entity, aspect)), row) for aspect in aspects)]
        for entity in entities
    ]
    return markdown_table(head, lines)


def _cell_text(sheet: _Sheet, cell: Cell | None, row: str) -> str:
    if cell is None or cell.quote is None:
        return sheet.words["absent"]
    (cited,) = sheet.claim(cell.quote.text, [cell.quote], row)
    return f"{_marked(cell.quote.text, cell.value)} {bracketed(cited.key)}"


def _conclusion(sheet: _Sheet, comparison: Comparison, row: str) -> str:
    """Say which number is larger, or which date later; it was computed, so its words need not stand in the quotes."""
    high, low = comparison.high, comparison.low
    quotes = [cell.quote for cell in (high, low) if cell.quote]
    template = sheet.words["same" if comparison.equal else "compared"]
    told = {"high": high.value, "low": low.value, "value": high.value, "word": sheet.words[comparison.word]}
    named = {"first": high.entity or high.value, "second": low.entity or low.value}
    plain = template.format(**told, **named, keys="").strip()
    values = {cell.entity: found[0] for cell in (high, low) if cell.entity and (found := numbers(cell.value))}
    cited = sheet.claim(plain, quotes, row, least="unsupported" if contradicts(plain, values) else "paraphrase")
    keys = " ".join(bracketed(citation.key) for citation in cited)
    return template.format(**{name: harmless(text) for name, text in (told | named).items()}, keys=keys)
