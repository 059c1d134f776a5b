"""Write an answer out of quotations, and of what was counted: part by part in the order of the plan, every sentence cited and checked.

No model.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from scholarmind.answer import Draft, Finding, Support
from scholarmind.judge.answers import AnswerReader
from scholarmind.model import Document, Evidence
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.relations import Tally
from scholarmind.text.quoted import disarmed
from scholarmind.writing.anchors import cite, claimed, placed
from scholarmind.writing.conflicts import conflicting, contradicts
from scholarmind.writing.extract import Quote, most_likely, place, read
from scholarmind.writing.otherwise import otherwise
from scholarmind.writing.overview import READ, overview
from scholarmind.writing.quantities import numbers
from scholarmind.writing.sheet import Sheet, where
from scholarmind.writing.tables import Cell, Comparison, compared, grid, is_measured, markdown_table, piece
from scholarmind.writing.tallied import proving, quoted, tallies_of
from scholarmind.writing.wanted import wanted
from scholarmind.writing.wording import bracketed, harmless, starting, words_for

Assign = Callable[[Sequence[Document]], Mapping[tuple[str, str], str]]
_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_SENTENCES = {"factual": 2, "reasoning": 3, "global": 6}
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
_LONGEST_HEADING = 300
_NAMED = 3  # items of an answer in a heading
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
    tally: Tally | None = None  # what was counted for it: then its quotes are what proves that
    otherwise: tuple[Quote, ...] = ()  # sentences that plainly say something else than was counted


def compose(
    plan: Plan,
    findings: Sequence[Finding],
    keys: Assign,
    rarity: Mapping[str, float] = _NO_RARITY,
    reader: AnswerReader | None = None,
) -> Draft:
    """Return the answer to a plan from what its parts found. `keys` gives the documents that are quoted their citation keys."""
    by_part = {finding.part.id: finding for finding in findings}
    answers = {number: finding.answer for number, finding in by_part.items() if finding.answer}
    rows = {part.id: list(_rows(part, by_part.get(part.id), answers, rarity, reader)) for part in plan.parts}
    every = [row for some in rows.values() for row in some]
    documents = [item.document for row in every for item in _cited_by(row)]
    tallies = {row.id: row.tally for row in every if row.tally}
    sheet = Sheet(words=words_for(plan.question), keys=keys(documents), tallies=tallies)
    few = {number: _first_of(by_part[number], answer, sheet.words) for number, answer in answers.items()}
    for part in plan.parts:
        if len(plan.parts) > 1:
            text = _BETWEEN_HAN.sub("", part.resolve(few))[:_LONGEST_HEADING]
            sheet.blocks.append(f"{'#' * min(6, 3 + plan.level(part))} {part.id}. {harmless(text)}")
        if part.role != "find" and not (part.role == "conclude" and _is_parent(plan, part)):  # its own parts follow
            _put_together(sheet, plan, part, rows)
        _write_rows(sheet, part, rows[part.id])
    quotes = any(row.quotes or row.otherwise for row in every)
    label = "label" if not tallies else "mixed label" if quotes else "counted label"
    draft = Draft(
        text="\n\n".join((sheet.words[label], *sheet.blocks)),
        claims=tuple(sheet.claims),
        citations=tuple(sheet.citations.values()),
        answers={row.id: text for row in every if (text := _in_short(row))},
        conflicts=sheet.conflicts,
    )
    return placed(draft)


def _first_of(finding: Finding, answer: str, words: Mapping[str, str]) -> str:
    """Return the answer of a part as a heading names it: of many items the first few."""
    items = finding.items
    if len(items) <= _NAMED + 1:
        return answer
    names = words["names"].join(items[:_NAMED])
    return words["names and more"].format(names=names, count=len(items) - _NAMED, all=len(items))


def _cited_by(row: _Row) -> Iterator[Evidence]:
    yield from (quote.evidence for quote in (*row.quotes, *row.otherwise))
    yield from proving(row.tally) if row.tally else ()


def _in_short(row: _Row) -> str:
    return row.tally.said if row.tally else row.value or (row.quotes[0].text if row.quotes else "")


def _is_parent(plan: Plan, part: SubQuestion) -> bool:
    return any(other.parent == part.id for other in plan.parts)


def evidence_of(row: str, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what was found for a row, then what only the original question found, for want of better."""
    own = [item for item in evidence if row in item.found_by]
    general = [item for item in evidence if row not in item.found_by and item.found_by <= {"question"}]
    return (*own, *general)


def _rows(
    part: SubQuestion,
    finding: Finding | None,
    answers: Mapping[int, str],
    rarity: Mapping[str, float],
    reader: AnswerReader | None,
) -> Iterator[_Row]:
    evidence = finding.evidence if finding else ()
    error = finding.error if finding else ""
    known = {number: answer for number, answer in answers.items() if number in part.depends_on}
    tallies = tallies_of([finding]) if finding else {}
    for name, ask in zip(part.row_ids, part.rows, strict=True):
        question = part.resolve(known, ask.text)
        if tally := tallies.get(name):
            yield _counted(name, ask, question, tally, evidence)
            continue
        given = evidence_of(name, evidence)
        found = read(question, given[:_READ], rarity, _COMPARED)
        quotes, values = found.quotes[: _SENTENCES[part.kind]], found.answers
        if reader and part.kind != "global":
            quotes = most_likely(question, given, quotes, reader)[: _SENTENCES[part.kind]]
        if part.kind == "global" and not wanted(question).is_short:
            quotes = overview(question, given[:READ], rarity) or quotes
        against = _against(quotes, (*found.quotes, *found.rivals))
        if finding and len(part.rows) == 1:
            values = (*finding.candidates, *values)
        values = values if wanted(question).is_short else ()
        value = next((value for value in values if any(value in quote.text for quote in quotes)), "")
        yield _Row(id=name, ask=ask, question=question, quotes=quotes, against=against, value=value, error=error)


def _counted(name: str, ask: Ask, question: str, tally: Tally, evidence: Sequence[Evidence]) -> _Row:
    value = tally.items[0] if len(tally.items) == 1 else ""
    row = _Row(id=name, ask=ask, question=question, quotes=quoted(tally), against=(), value=value, error="")
    return replace(row, tally=tally, otherwise=otherwise(question, tally, evidence_of(name, evidence)))


def _against(quotes: Sequence[Quote], rivals: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return what the answer quotes and a sentence of another document contradicts in a number, together with that sentence."""
    by_place = {"|".join(map(str, where(quote))): quote for quote in rivals}
    found = conflicting([(name, quote.text) for name, quote in by_place.items()])
    written = {where(quote) for quote in quotes}
    pairs = [[by_place[name] for name in conflict.keys] for conflict in found]
    pairs = [pair for pair in pairs if place(pair[0]) != place(pair[1]) and written & set(map(where, pair))]
    return tuple({where(quote): quote for pair in pairs for quote in pair}.values())


# -- parts that look something up


def _write_rows(sheet: Sheet, part: SubQuestion, rows: Sequence[_Row]) -> None:
    for row in rows:
        if len(rows) > 1:
            sheet.blocks.append(f"**{harmless(row.question[:_LONGEST_HEADING])}**")
        if row.tally:
            sheet.write_counted(row.id, row.question)
        if row.otherwise and row.tally:
            _say_otherwise(sheet, row)
        if row.against:
            sheet.blocks.append(_side_by_side(sheet, row))
        if lines := list(_lines(sheet, row)):
            sheet.blocks.append("\n".join(f"- {line}" for line in lines))
        elif not row.against and not row.tally:
            sheet.blocks.extend(_without(sheet, part, row))


def _without(sheet: Sheet, part: SubQuestion, row: _Row) -> Iterator[str]:
    """Yield what is said of a row that nothing can be said about."""
    if row.error:
        yield sheet.words["failed"].format(error=harmless(row.error[:_LONGEST_HEADING]))
    elif part.role == "find":
        yield sheet.words["nothing"]


def _lines(sheet: Sheet, row: _Row) -> Iterator[str]:
    for quote in sorted(row.quotes, key=lambda quote: row.value not in quote.text):
        if above := sheet.before(quote):
            if above != row.id:
                yield sheet.words["see"].format(row=above, key=bracketed(sheet.citation(quote).key)[1:-1])
            continue
        sheet.written.append((quote, row.id))
        number, (citation,) = sheet.claim(quote.text, [quote], row.id)
        yield f"{claimed(number, starting(_marked(quote.text, row.value)))} {cite(citation.key)}"


def _side_by_side(sheet: Sheet, row: _Row) -> str:
    """Show what contradicts each other, and note it for the review; nothing is merged."""
    keys = dict.fromkeys(sheet.citation(quote).key for quote in row.against)
    sheet.conflicts[row.id] = sheet.words["conflict"].format(keys="; ".join(keys))
    return "\n".join((f"{sheet.words['contradict']}\n", *_quoted(sheet, row.against, row.id)))


def _say_otherwise(sheet: Sheet, row: _Row) -> None:
    """Show who else is named for what was counted, and note it for the review: the counting stands."""
    lines = _quoted(sheet, row.otherwise, row.id)
    sheet.blocks.append("\n".join((f"{sheet.words['otherwise']}\n", *lines)))
    counted = [citation.key for citation in sheet.counted(row.id).said.citations]
    keys = dict.fromkeys((*counted, *(sheet.citation(quote).key for quote in row.otherwise)))
    sheet.conflicts[row.id] = sheet.words["other names"].format(keys="; ".join(keys))


def _quoted(sheet: Sheet, quotes: Sequence[Quote], row: str) -> list[str]:
    """Return quotes as a list, each as a claim of its row."""
    lines: list[str] = []
    for quote in quotes:
        number, (citation,) = sheet.claim(quote.text, [quote], row)
        sheet.written.append((quote, row))
        lines.append(f"- {claimed(number, starting(harmless(quote.text)))} {cite(citation.key)}")
    return lines


def _marked(text: str, value: str) -> str:
    """Return the words of a document with the short answer in bold."""
    text, value = disarmed(text), disarmed(value)  # as a whole: what is cut in pieces looks like nothing
    before, found, after = text.partition(value) if value[:1].isalnum() and value[-1:].isalnum() else (text, "", "")
    if not found:
        return harmless(text)
    spaces = " " * before.endswith(" "), " " * after.startswith(" ")
    return f"{harmless(before)}{spaces[0]}**{harmless(found)}**{spaces[1]}{harmless(after)}".strip()


# -- parts that put others together


def _put_together(sheet: Sheet, plan: Plan, part: SubQuestion, rows: Mapping[int, Sequence[_Row]]) -> None:
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
    if row.tally:
        counts = row.tally.form == "count" and bool(row.value)
        return Cell(
            row=row.id,
            entity=row.ask.entity,
            aspect=row.ask.aspect,
            value=row.value,
            comparable=counts,
            counted=True,
        )
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


def _table(sheet: Sheet, cells: Sequence[Cell], row: str) -> str:
    entities, aspects, known = grid(cells)
    head = ["", *(harmless(aspect) or sheet.words["aspect"] for aspect in aspects)]
    lines = [
        [harmless(entity), *(_cell_text(sheet, known.get((entity, aspect)), row) for aspect in aspects)]
        for entity in entities
    ]
    return markdown_table(head, lines)


def _cell_text(sheet: Sheet, cell: Cell | None, row: str) -> str:
    if cell and cell.counted:
        return sheet.counted_sentence(cell.row, row)
    if cell is None or cell.quote is None:
        return sheet.words["absent"]
    number, (citation,) = sheet.claim(cell.quote.text, [cell.quote], row)
    return f"{claimed(number, _marked(cell.quote.text, cell.value))} {cite(citation.key)}"


def _conclusion(sheet: Sheet, comparison: Comparison, row: str) -> str:
    """Say which number is larger, or which date later; it was computed, so its words need not stand in the quotes."""
    high, low = comparison.high, comparison.low
    quotes = [cell.quote for cell in (high, low) if cell.quote]
    beside = [one for cell in (high, low) if cell.counted for one in sheet.counted(cell.row).said.citations]
    template = sheet.words["same" if comparison.equal else "compared"]
    told = {"high": high.value, "low": low.value, "value": high.value, "word": sheet.words[comparison.word]}
    named = {"first": high.entity or high.value, "second": low.entity or low.value}
    plain = template.format(**told, **named, keys="").strip()
    values = {cell.entity: found[0] for cell in (high, low) if cell.entity and (found := numbers(cell.value))}
    least: Support = "unsupported" if contradicts(plain, values) else "paraphrase"
    number, citations = sheet.claim(plain, quotes, row, least, beside)
    keys = " ".join(dict.fromkeys(cite(citation.key) for citation in citations))
    said = template.format(**{name: harmless(text) for name, text in (told | named).items()}, keys="")
    return f"{claimed(number, said.strip())} {keys}".rstrip()
