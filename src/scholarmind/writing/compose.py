"""Write an answer out of quotations, and of what was counted: part by part in the order of the plan, every sentence cited and checked.

No model. A row is judged before anything is written for it: where its passages do not answer it, nothing is quoted. What answers two
rows is written once, and a comparison stands in the place of the parts that it compares. An `AnswerSheet` is the answer while it is
written.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from scholarmind.answer import Citation, Claim, Draft, Finding, Support
from scholarmind.judge.amounts import amounts
from scholarmind.judge.answers import AnswerReader, Judgement, Likeness, judge
from scholarmind.judge.claims import rule
from scholarmind.model import Document, Evidence
from scholarmind.plan import Ask, Plan, SubQuestion, is_open
from scholarmind.ranking import key_of
from scholarmind.relations import Tally
from scholarmind.text.analysis import terms
from scholarmind.text.untrusted import disarmed
from scholarmind.writing.answer_markdown import cite, claimed, harmless, placed, renumbered, starting, words_for
from scholarmind.writing.answer_type import answer_type_of
from scholarmind.writing.attribution import citation_of
from scholarmind.writing.evidence_sentences import head_of_table, items_of_list, rows_of_table
from scholarmind.writing.overview import READ, overview
from scholarmind.writing.quotations import (
    Quote,
    SentenceReading,
    found_elsewhere,
    is_named,
    is_of_row,
    markdown_table,
    naming_all,
    overlap,
    piece,
    place,
    read,
    shortened,
    tables_in,
)
from scholarmind.writing.sentence_content import conflicting
from scholarmind.writing.tallies import (
    TallyText,
    conflict,
    counted,
    in_one_sentence,
    proving,
    quoted,
    rival_names,
    tallies_of,
)
from scholarmind.writing.text_review import ground_of
from scholarmind.writing.verdicts import Measured, compare, measured, value_of, way, yes_or_no

# -- the sheet: blocks, claims, and every citation once

Where = tuple[str, str, int, int]


@dataclass(slots=True, kw_only=True)
class AnswerSheet:
    """The answer so far. `tallies` are what was counted, by row."""

    words: Mapping[str, str]
    keys: Mapping[tuple[str, str], str]
    tallies: Mapping[str, Tally]
    blocks: list[str] = field(default_factory=list[str])
    claims: list[Claim] = field(default_factory=list[Claim])
    citations: dict[Where, Citation] = field(default_factory=dict[Where, Citation])
    conflicts: dict[str, str] = field(default_factory=dict[str, str])
    written: list[tuple[Quote, str]] = field(default_factory=list[tuple[Quote, str]])
    _counted: dict[str, TallyText] = field(default_factory=dict[str, TallyText])

    def cite(self, quote: Quote) -> Citation:
        """Return the citation of a quote, the same one each time."""
        return self.citations.setdefault(_where(quote), self.citation(quote))

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

    def counted(self, row: str) -> TallyText:
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


def _where(quote: Quote) -> Where:
    """Return which characters of which document a quote is."""
    return (*place(quote), quote.start, quote.end)


def _is_same(one: Quote, two: Quote) -> bool:
    """Tell whether most of one quote's characters are also the other's."""
    if place(one) != place(two):
        return one.text == two.text
    shared = min(one.end, two.end) - max(one.start, two.start)
    return shared > 0.6 * min(one.end - one.start, two.end - two.start)


# -- rows, lists, tables and comparisons

Assign = Callable[[Sequence[Document]], Mapping[tuple[str, str], str]]
_NO_RARITY: Mapping[str, float] = MappingProxyType({})
_SENTENCES = {"factual": 2, "reasoning": 3, "global": 6}
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
_LONGEST_HEADING = 300
_NAMED = 3  # items of an answer in a heading
_READ = 8  # passages of a row
_JUDGED = 10
_TOGETHER, _TOGETHER_LIKELY = (
    6,
    0.4,
)  # sentences on all compared things that are read; how sure a reader has to be of one

_LONGEST_CELL, _LONGEST_IN_LIST = 90, 280
_MOST_COLUMNS = 3  # of a table that a screen has room for, beside that of its aspects
_CELLS = "\0"
_NUMBERED = re.compile(r"^[\d.]+\s+")
_EMPHASIS = re.compile(r"\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__|(?<!`)`([^`\n]{1,200})`(?!`)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One thing that is asked, with what was found for it."""

    id: str
    ask: Ask
    question: str
    quotes: tuple[Quote, ...]
    against: tuple[Quote, ...] = ()  # of these, sentences that state different numbers for the same thing
    value: str = ""  # its short answer, if such is wanted and one of the quotes surely has it
    error: str = ""
    missing: str = ""  # what the passages that were found do not say; then there are no quotes
    nearest: tuple[Quote, ...] = ()  # what comes nearest to an answer then, and may still be none
    tally: Tally | None = None  # what was counted for it: then its quotes are what proves that
    otherwise: tuple[Quote, ...] = ()  # sentences that plainly say something else than was counted
    evidence: tuple[Evidence, ...] = ()  # the first that was read for it


def compose(
    plan: Plan,
    findings: Sequence[Finding],
    keys: Assign,
    rarity: Mapping[str, float] = _NO_RARITY,
    reader: AnswerReader | None = None,
    likeness: Likeness | None = None,
) -> Draft:
    """Return the answer to a plan from what its parts found. `keys` gives the documents that are quoted their citation keys."""
    by_part = {finding.part.id: finding for finding in findings}
    answers = {number: finding.answer for number, finding in by_part.items() if finding.answer}
    every_part = _EveryPart(
        pool=[item for finding in findings for item in finding.evidence],
        of_part={finding.part.id: [*finding.evidence, *_proofs(finding)] for finding in findings},
        beside={number for part in plan.parts if part.role == "compare" for number in part.depends_on},
    )
    reading = SentenceReading(rarity=rarity, reader=reader, likeness=likeness, context=plan.context)
    rows = {part.id: list(_rows(part, by_part.get(part.id), answers, every_part, reading)) for part in plan.parts}
    every = [row for some in rows.values() for row in some]
    documents = [item.document for row in every for item in _cited_by(row)]
    tallies = {row.id: row.tally for row in every if row.tally}
    sheet = AnswerSheet(words=words_for(plan.question), keys=keys(documents), tallies=tallies)
    few = {number: _first_of(by_part[number], answer, sheet.words) for number, answer in answers.items()}
    compared = {part.id: _compared(part, rows) for part in plan.parts if part.role == "compare"}
    inside = {row.id for some in compared.values() for row in some if not _has_a_table(row)}
    sections: list[tuple[str, list[str]]] = []
    for part in plan.parts:
        blocks = [
            *(_comparison(sheet, plan, part, compared[part.id], reader) if compared.get(part.id) else ()),
            *_row_blocks(sheet, part, [row for row in rows[part.id] if row.id not in inside]),
        ]
        if blocks:
            text = rows[part.id][0].question if len(part.rows) == 1 else ""
            if not text or is_open(text) or text == part.resolve(answers):
                text = part.resolve(few)
            text = _BETWEEN_HAN.sub("", text)[:_LONGEST_HEADING]
            sections.append((f"{'#' * min(6, 3 + plan.level(part))} {part.id}. {harmless(text)}", blocks))
    for heading, blocks in sections:
        sheet.blocks += [heading, *blocks] if len(sections) > 1 else blocks
    quotes = any(row.quotes or row.otherwise for row in every)
    label = "label" if not tallies else "mixed label" if quotes else "counted label"
    above = (sheet.words[label],) if sheet.claims or tallies else ()
    draft = Draft(
        text="\n\n".join((*above, *sheet.blocks)),
        claims=tuple(sheet.claims),
        citations=tuple(sheet.citations.values()),
        answers={row.id: text for row in every if (text := _in_short(row))},
        conflicts=sheet.conflicts,
        missing={row.id: row.missing for row in every if row.missing},
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
    yield from (quote.evidence for quote in (*row.quotes, *row.against, *row.otherwise, *row.nearest))
    yield from proving(row.tally) if row.tally else ()


def _has_a_table(row: _Row) -> bool:
    """Tell whether what was counted for a row has lines that its sentence alone does not tell."""
    tally = row.tally
    if tally is None or tally.form == "count" or len(tally.rows) < 2:
        return False
    return len(tally.columns) > 1 or not all(line.cells[0] in tally.said for line in tally.rows)


def _proofs(finding: Finding) -> Iterator[Evidence]:
    for tally in finding.tallies:
        yield from proving(tally)


def _in_short(row: _Row) -> str:
    return row.tally.said if row.tally else row.value or (row.quotes[0].text if row.quotes else "")


def evidence_of(row: str, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what was found for a row, then what only the original question found, for want of better."""
    own = [item for item in evidence if row in item.found_by]
    general = [item for item in evidence if row not in item.found_by and item.found_by <= {"question"}]
    return (*own, *general)


# -- what there is to say


@dataclass(frozen=True, slots=True, kw_only=True)
class _EveryPart:
    """What was found for the rows of all parts."""

    pool: Sequence[Evidence]  # all that was found, for whatever row
    of_part: Mapping[int, Sequence[Evidence]]  # the same by part
    beside: AbstractSet[int]  # the parts of which one quote each is put side by side


def _rows(
    part: SubQuestion,
    finding: Finding | None,
    answers: Mapping[int, str],
    every_part: _EveryPart,
    reading: SentenceReading,
) -> Iterator[_Row]:
    evidence = finding.evidence if finding else ()
    error = finding.error if finding else ""
    known = {number: answer for number, answer in answers.items() if number in part.depends_on}
    tallies = tallies_of([finding]) if finding else {}
    asked = [part.resolve(known, ask.text) for ask in part.rows]
    if finding and len(finding.rows) == len(asked):
        asked = finding.rows
    for name, ask, question in zip(part.row_ids, part.rows, asked, strict=True):
        if tally := tallies.get(name):
            yield _counted(name, ask, question, tally, evidence)
            continue
        if not evidence or error or part.role != "find":
            yield _Row(id=name, ask=ask, question=question, quotes=(), error=error)
            continue
        given = evidence_of(name, evidence)
        limit = 1 if ask.entity and part.id in every_part.beside else _SENTENCES[part.kind]
        before = [item for number in part.depends_on for item in every_part.of_part.get(number, ())]
        others = found_elsewhere(question, every_part.pool, before, given[:_READ])
        shown = (*given[:_READ], *others)
        found = read(question, shown, reading, limit, ask.entity)
        quotes = found.quotes
        if part.kind == "global" and not answer_type_of(question).is_short:
            quotes = overview(question, given[:READ], reading.rarity) or quotes
        given_before = finding.candidates if finding and len(part.rows) == 1 else ()
        value = value_of(question, quotes[0], (*given_before, *found.answers)) if quotes else ""
        if limit == 1 and quotes:
            quotes = (_in_a_cell(quotes[0], ask.entity, value),)
        own = [item for item in evidence if name in item.found_by][:_JUDGED] or given[:_JUDGED]
        judged = _judged(question, quotes, [*own, *others], reading)
        if quotes and part.kind != "global" and judged.status == "not in the library":
            nearest = quotes[:1] if judged.is_near else ()
            row = _Row(id=name, ask=ask, question=question, quotes=(), missing=judged.missing, nearest=nearest)
            yield replace(row, evidence=given[:_READ])
            continue
        against = _against(quotes, (*quotes, *found.rivals))
        row = _Row(id=name, ask=ask, question=question, quotes=quotes, against=against, value=value)
        yield replace(row, evidence=given[:_READ])


def _in_a_cell(quote: Quote, entity: str, value: str) -> Quote:
    """Return what a cell has room for: of a table the row of the thing, of a long quote the clauses around what is asked."""
    if quote.shape == "table":
        lines = [line for line in re.finditer(r"[^\n]+", quote.text) if any(map(str.isalnum, line[0]))]
        head = quote.head or head_of_table(
            quote.evidence.passage, quote.start + lines[-1].start() - quote.evidence.passage.start
        )
        named = _cells_of(head)
        own = [line for line in lines if line[0] != head and is_of_row(entity, named, _cells_of(line[0]))]
        return replace(shortened(quote, own[0].start(), own[0].end()), head=head) if own and lines[1:] else quote
    return quote if len(quote.text) <= _LONGEST_IN_LIST else piece(quote, value)


def _cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")] if "|" in row else re.split(r"; |\t", row)


def _judged(question: str, quotes: Sequence[Quote], found: Sequence[Evidence], reading: SentenceReading) -> Judgement:
    said = [
        ground_of(one.evidence, f"{one.head}\n{one.text}" if one.head else one.text)
        for quote in quotes
        for one in (quote.lead, quote)
        if one
    ]
    return judge(question, said, [ground_of(item) for item in found], reading.rarity, reading.in_context)


def _counted(name: str, ask: Ask, question: str, tally: Tally, evidence: Sequence[Evidence]) -> _Row:
    value = tally.items[0] if len(tally.items) == 1 else ""
    row = _Row(id=name, ask=ask, question=question, quotes=quoted(tally), value=value)
    return replace(row, tally=tally, otherwise=rival_names(question, tally, evidence_of(name, evidence)))


def _against(quotes: Sequence[Quote], rivals: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return what the answer quotes and a sentence of another document contradicts in a number, together with that sentence."""
    by_place = {"|".join(map(str, _where(quote))): quote for quote in rivals if quote.shape == "prose"}
    found = conflicting([(name, quote.text) for name, quote in by_place.items()])
    written = {_where(quote) for quote in quotes}
    pairs = [[by_place[name] for name in conflict.keys] for conflict in found]
    pairs = [pair for pair in pairs if place(pair[0]) != place(pair[1]) and written & set(map(_where, pair))]
    return tuple({_where(quote): quote for pair in pairs for quote in pair}.values())


# -- parts that look something up


def _row_blocks(sheet: AnswerSheet, part: SubQuestion, rows: Sequence[_Row]) -> list[str]:
    blocks: list[str] = []
    for row in rows:
        written = [*_row_block(sheet, part, row)]
        if written and len(part.rows) > 1:
            blocks.append(f"**{harmless(row.question[:_LONGEST_HEADING])}**")
        blocks += written
    return blocks


def _row_block(sheet: AnswerSheet, part: SubQuestion, row: _Row) -> Iterator[str]:
    if row.tally:
        yield from sheet.counted_blocks(row.id, row.question)
    if row.otherwise and row.tally:
        # show who else is named for what was counted, and note it for the review: the counting stands
        lines = _quoted(sheet, row.otherwise, row.id)
        sheet.written += [(quote, row.id) for quote in row.otherwise]
        counted = [citation.key for citation in sheet.counted(row.id).said.citations]
        keys = dict.fromkeys((*counted, *(sheet.citation(quote).key for quote in row.otherwise)))
        sheet.conflicts[row.id] = sheet.words["other names"].format(keys="; ".join(keys))
        yield "\n".join((f"{sheet.words['otherwise']}\n", *lines))
    if row.against:
        yield _side_by_side(sheet, row)
    quotes = [quote for quote in row.quotes if quote not in row.against]
    if quotes:
        yield from _written(sheet, row, quotes)
    elif row.error:
        yield sheet.words["failed"].format(error=harmless(row.error[:_LONGEST_HEADING]))
    elif part.role == "find" and not row.against and not row.tally:
        yield from _nothing(sheet, row)


def _nothing(sheet: AnswerSheet, row: _Row) -> Iterator[str]:
    """Yield that nothing was found, and why; and what comes nearest, called that."""
    said = sheet.words["nothing but"].format(why=harmless(row.missing)) if row.missing else sheet.words["nothing"]
    if not row.nearest or any(map(sheet.before, row.nearest)):
        yield said
        return
    # not noted as written: where it answers another row it is said there again
    yield "\n".join((f"{said} {sheet.words['nearest']}\n", *_quoted(sheet, row.nearest, row.id)))


def _written(sheet: AnswerSheet, row: _Row, quotes: Sequence[Quote]) -> Iterator[str]:
    """Yield the quotes of a row, the verdict that code reads off them first; what stands above already is pointed to."""
    verdict = _verdict(sheet, row)
    new = [quote for quote in quotes if not sheet.before(quote)]
    for quote in quotes:
        if quote not in new:
            sheet.claim(quote.text, [quote], row.id)  # it counts for this row too
    if quotes[0] not in new:  # the best is there already
        above = sheet.before(quotes[0])
        see = sheet.words["see"].format(row=above) if above != row.id else ""
        if see or verdict:
            yield f"- {verdict}{see} {cite(sheet.citation(quotes[0]).key)}"
        return
    lines: list[str] = []
    for number, quote in enumerate(new):
        sheet.written.append((quote, row.id))
        lead = verdict if not number else ""
        if quote.shape == "table" and (table := _table_of(sheet, quote, row.id)):
            if lines:
                yield "\n".join(lines)
                lines = []
            yield from table
        elif quote.shape == "list":
            lines.append(_list_of(sheet, quote, row.id, lead))
        else:
            claim, (citation,) = sheet.claim(quote.text, [quote], row.id)
            lines.append(f"- {lead}{claimed(claim, _begun(lead, _marked(quote.text, row.value)))} {cite(citation.key)}")
    if lines:
        yield "\n".join(lines)


def _begun(lead: str, markdown: str) -> str:
    return markdown if lead else starting(markdown)


def _verdict(sheet: AnswerSheet, row: _Row) -> str:
    """Return what code reads off the first quote, in bold, to stand before it; '' where that is too little to be sure."""
    said = yes_or_no(row.question, row.quotes[0])
    if said is not None:
        return f"**{sheet.words['yes' if said else 'no']}** "
    return ""


def _list_of(sheet: AnswerSheet, quote: Quote, row: str, verdict: str) -> str:
    """Return a list with the sentence that introduces it."""
    lead, items = items_of_list(quote.text)
    number, (citation,) = sheet.claim(quote.text, [quote], row)
    if not lead and not quote.lead and len(items) == 1:
        return f"- {verdict}{claimed(number, _begun(verdict, _shown(items[0])))} {cite(citation.key)}"
    told = "\n".join(f"  - {starting(_shown(item))}" for item in items)
    if lead:
        body = claimed(number, f"{starting(_shown(lead))} {cite(citation.key)}\n{told}")
        return f"- {verdict}{body}"
    return f"- {verdict}{_introduction(sheet, quote, row)} {cite(citation.key)}\n{claimed(number, told)}"


def _introduction(sheet: AnswerSheet, quote: Quote, row: str) -> str:
    """Return what introduces a list or table: the sentence in the passage before it, else the heading that it stands under."""
    if quote.lead:
        number, _ = sheet.claim(quote.lead.text, [quote.lead], row)
        return claimed(number, starting(_shown(quote.lead.text)))
    section = quote.evidence.passage.section
    heading = _NUMBERED.sub("", section[-1]) if section else ""
    return starting(harmless(heading)) if heading else sheet.words["table" if quote.shape == "table" else "list"]


def _table_of(sheet: AnswerSheet, quote: Quote, row: str) -> list[str]:
    """Return a table, or rows of one with its head; nothing where it cannot be read."""
    lead, rows = rows_of_table(_with_head(quote))
    if len(rows) < 2 or len(rows[0]) < 2:
        return []
    width = max(map(len, rows))
    if not any(rows[0]):
        number, (citation,) = sheet.claim(quote.text, [quote], row)
        lines = [": ".join(filter(None, map(_shown, line))) for line in rows[1:]]
        body = claimed(number, "\n".join(f"  - {starting(line)}" for line in lines))
        return [f"- {_introduction(sheet, quote, row)} {cite(citation.key)}\n{body}"]
    number, (citation,) = sheet.claim(quote.text, [quote], row)
    flat = claimed(number, _CELLS.join(_shown(cell) for line in rows for cell in [*line, *[""] * (width - len(line))]))
    cells = flat.split(_CELLS)
    lines = [cells[at : at + width] for at in range(0, len(cells), width)]
    told = starting(_shown(lead)) if lead else _introduction(sheet, quote, row)
    return [f"{told} {cite(citation.key)}", markdown_table(lines[0], lines[1:])]


def _with_head(quote: Quote) -> str:
    """Return rows of a table below the row that names their columns."""
    return f"{quote.head}\n|---|\n{quote.text}" if quote.head else quote.text


def _side_by_side(sheet: AnswerSheet, row: _Row) -> str:
    """Show what contradicts each other, and note it for the review; nothing is merged."""
    keys = dict.fromkeys(sheet.citation(quote).key for quote in row.against)
    sheet.conflicts[row.id] = sheet.words["conflict"].format(keys="; ".join(keys))
    sheet.written += [(quote, row.id) for quote in row.against]
    return "\n".join((f"{sheet.words['contradict']}\n", *_quoted(sheet, row.against, row.id)))


def _quoted(sheet: AnswerSheet, quotes: Sequence[Quote], row: str) -> list[str]:
    """Return quotes as a list, each as a claim of its row."""
    lines: list[str] = []
    for quote in quotes:
        number, (citation,) = sheet.claim(quote.text, [quote], row)
        lines.append(f"- {claimed(number, starting(_shown(quote.text)))} {cite(citation.key)}")
    return lines


def _shown(text: str) -> str:
    """Return the words of a document without the signs by which it makes them bold or sets them as code."""
    return harmless(_EMPHASIS.sub(lambda match: match[1] or match[2] or match[3], text))


def _marked(text: str, value: str) -> str:
    """Return the words of a document with the short answer in bold."""
    if not value:
        return _shown(text)
    text, value = disarmed(text), disarmed(value)  # as a whole: what is cut in pieces looks like nothing
    before, found, after = text.partition(value) if value[:1].isalnum() and value[-1:].isalnum() else (text, "", "")
    if not found:
        return _shown(text)
    spaces = " " * before.endswith(" "), " " * after.startswith(" ")
    return f"{_shown(before)}{spaces[0]}**{harmless(found)}**{spaces[1]}{_shown(after)}".strip()


# -- comparisons


def _compared(part: SubQuestion, rows: Mapping[int, Sequence[_Row]]) -> list[_Row]:
    """Return the rows that a part puts side by side: of several things, each under the same aspects, one row a cell."""
    given = [row for number in part.depends_on for row in rows.get(number, ()) if row.ask.entity]
    cells = {(row.ask.entity, row.ask.aspect): row for row in reversed(given)}
    shown = [row for row in given if cells[row.ask.entity, row.ask.aspect] is row]
    return shown if len({row.ask.entity for row in shown}) > 1 else []


def _comparison(
    sheet: AnswerSheet, plan: Plan, part: SubQuestion, rows: Sequence[_Row], reader: AnswerReader | None
) -> Iterator[str]:
    """Yield what the amounts come to, and then what is said of each thing under each aspect; or a table of the documents that has it."""
    entities = list(dict.fromkeys(row.ask.entity for row in rows))
    if (table := _ready_made(plan, rows, entities)) and (blocks := _table_of(sheet, table, rows[0].id)):
        sheet.written.append((table, rows[0].id))
        for row in rows[1:]:
            sheet.claim(table.text, [table], row.id)
        yield from blocks
        return
    aspects = list(dict.fromkeys(row.ask.aspect for row in rows))
    known = {(row.ask.entity, row.ask.aspect): row for row in rows}
    if (together := _said_of_all(plan.question, rows, entities, reader)) is not None:
        number, (citation,) = sheet.claim(together.text, [together], part.row_ids[0])
        sheet.written.append((together, part.row_ids[0]))
        yield f"- {claimed(number, starting(_shown(together.text)))} {cite(citation.key)}"
    for aspect in aspects:
        yield from _conclusion(
            sheet, part, plan.question, [known[one, aspect] for one in entities if (one, aspect) in known]
        )
    longest = max((len(row.quotes[0].text) for row in rows if row.quotes), default=0)
    if len(aspects) > 1 and len(entities) <= _MOST_COLUMNS and longest <= _LONGEST_CELL:
        head = ["", *map(harmless, entities)]
        lines = [
            [harmless(aspect), *(_cell(sheet, known.get((entity, aspect))) for entity in entities)]
            for aspect in aspects
        ]
        yield markdown_table(head, lines)
        return
    for aspect in aspects:
        title = [f"**{harmless(aspect)}**\n"] if len(aspects) > 1 and aspect else []
        yield "\n".join((*title, *_beside(sheet, [known.get((entity, aspect)) for entity in entities], entities)))


def _said_of_all(
    question: str, rows: Sequence[_Row], entities: Sequence[str], reader: AnswerReader | None
) -> Quote | None:
    """Return the sentence in which all of these things are named and which a reader takes for the answer; None if there is none.

    What stands in the cells already is not said twice.
    """
    if reader is None or any(row.ask.aspect for row in rows):
        return None
    every = {key_of(item): item for row in rows for item in row.evidence}
    quotes = [quote for item in every.values() for quote in naming_all(entities, item)]
    quotes = [quote for quote in quotes if not any(overlap(quote, other) for row in rows for other in row.quotes)]
    texts = [(quote.evidence.document.title, (quote.text,)) for quote in quotes[:_TOGETHER]]
    read = [one[0] if one else 0.0 for one in reader(question, texts)] if texts else []
    likely, best = max(zip(read, quotes, strict=False), key=lambda pair: pair[0], default=(0.0, None))
    return best if likely >= _TOGETHER_LIKELY else None


def _ready_made(plan: Plan, rows: Sequence[_Row], entities: Sequence[str]) -> Quote | None:
    """Return a table of the documents in which all of these things stand, and words of what is asked of them."""
    asked = frozenset(terms(plan.question)).difference(*map(terms, entities))
    best: tuple[int, Quote | None] = (0, None)
    every = {key_of(item): item for row in rows for item in row.evidence}
    for item in every.values():
        for table in tables_in(item):
            if all(is_named(entity, table.text) for entity in entities):
                best = max(best, (len(asked.intersection(terms(table.text))), table), key=lambda pair: pair[0])
    return best[1]


def _beside(sheet: AnswerSheet, rows: Sequence[_Row | None], entities: Sequence[str]) -> Iterator[str]:
    """Yield a line for each thing; one for several of which the same is said."""
    together: dict[object, list[tuple[str, _Row | None]]] = {}
    for entity, row in zip(entities, rows, strict=True):
        same = _where(row.quotes[0]) if row and row.quotes else entity
        together.setdefault(same, []).append((entity, row))
    for group in together.values():
        names = sheet.words["names"].join(harmless(entity) for entity, _ in group)
        for _, row in group[1:]:
            if row and row.quotes:
                sheet.claim(row.quotes[0].text, row.quotes[:1], row.id)
        row = group[0][1]
        yield f"- **{names}**: {_cell(sheet, replace(row, value='') if row and group[1:] else row)}"


def _cell(sheet: AnswerSheet, row: _Row | None) -> str:
    """Return what is said of one thing under one aspect, in a line; a dash where nothing is."""
    if row and row.tally:
        return sheet.counted_sentence(row.id, row.id)
    if row is None or not row.quotes:
        return sheet.words["absent"]
    quote = row.quotes[0]
    number, (citation,) = sheet.claim(quote.text, [quote], row.id)
    sheet.written.append((quote, row.id))
    text = _flat(quote) if quote.shape != "prose" else _marked(quote.text, row.value)
    return f"{claimed(number, text)} {cite(citation.key)}"


def _flat(quote: Quote) -> str:
    """Return a list or rows of a table in one line."""
    if quote.shape == "table":
        _, rows = rows_of_table(_with_head(quote))
        named = [zip(rows[0], row, strict=False) for row in rows[1:]]
        told = ["; ".join(f"{name}: {cell}" if name else cell for name, cell in row if cell) for row in named]
        return _shown(" / ".join(told) or quote.text)
    lead, items = items_of_list(quote.text)
    return _shown(" ".join(filter(None, (lead, "; ".join(items)))))


def _conclusion(sheet: AnswerSheet, part: SubQuestion, question: str, rows: Sequence[_Row]) -> Iterator[str]:
    """Say which of two has more, or is later; it was computed, so its words need not stand in the quotes."""
    asks = way(f"{part.text} {question}")
    names = [row.ask.entity for row in rows]
    if asks is None or len(rows) != 2:
        return
    found = [_amount_of(row, names, asks[0]) for row in rows]
    cells = [cell for cell in found if cell]
    pair = compare(cells)
    if pair is None:
        return
    high, low = pair
    equal = high.amount.value == low.amount.value
    first, second = pair if asks[1] > 0 else (low, high)
    words = {("number", 1): "higher", ("number", -1): "lower", ("date", 1): "later", ("date", -1): "earlier"}
    template = sheet.words["same" if equal else "compared"]
    told = {"first": first.entity, "second": second.entity, "high": first.text, "low": second.text, "value": first.text}
    told["word"] = sheet.words[words[asks]]
    by_name = {row.ask.entity: row for row in rows}
    quotes = [quote for one in (first, second) for quote in by_name[one.entity].quotes[:1]]
    beside = [
        one
        for each in (first, second)
        if by_name[each.entity].tally
        for one in sheet.counted(by_name[each.entity].id).said.citations
    ]
    plain = template.format(**told).strip()
    number, citations = sheet.claim(plain, quotes, part.row_ids[0], "paraphrase", beside)
    keys = " ".join(dict.fromkeys(cite(citation.key) for citation in citations))
    said = template.format(**{name: harmless(text) for name, text in told.items()}).strip()
    yield f"**{claimed(number, said)}** {keys}".rstrip()


def _amount_of(row: _Row, names: Sequence[str], kind: str) -> Measured | None:
    if row.tally:
        counts = row.tally.form == "count" and bool(row.value)
        return _counted_amount(row) if counts and kind == "number" else None
    return measured(row.ask.entity, names, row.quotes[0], kind, row.value) if row.quotes else None


def _counted_amount(row: _Row) -> Measured | None:
    found = amounts(row.value)
    return Measured(entity=row.ask.entity, text=row.value, amount=found[0]) if len(found) == 1 else None
