"""Tallies, counted in the graph of papers, as an answer shows them: one sentence, then a table or a chain, a claim for every line.

A line is verified where each of its cells stands in the passages and the metadata that prove it, or is a number that counting these gives
again; where something has another name there, which the graph took for the same, it is a paraphrase. What rests on nothing is
unsupported. Counting is code's: a sentence of a model that gives another number than was counted is not confirmed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from scholarmind.answer import Citation, Claim, Draft, Finding, Support
from scholarmind.judge.answers import asks_for_a_gain
from scholarmind.judge.claims import rule
from scholarmind.model import Evidence, Value
from scholarmind.plan import Plan
from scholarmind.ports import Material, Writer
from scholarmind.ranking import key_of
from scholarmind.relations import Form, Proof, Tally, TallyRow
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.language import HAN
from scholarmind.text.untrusted import is_order
from scholarmind.writing import evidence_sentences
from scholarmind.writing.answer_markdown import begun, cite, claimed, ended, harmless, renumbered, starting, words_for
from scholarmind.writing.answer_type import ORGANISATION_WORDS, answer_type_of
from scholarmind.writing.attribution import Attribution, citation_of, in_digits
from scholarmind.writing.evidence_sentences import titles
from scholarmind.writing.quotations import Quote, markdown_table
from scholarmind.writing.sentence_content import covered, numbers, words_of

# -- whether a cell stands in passages, or in what their documents say of themselves


class ProofText:
    """All that some passages and the metadata of their documents say; `documents` counts the latter."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        given = list(evidence)
        works = {(item.document.collection, item.document.id): item.document for item in given}
        self.documents = len(works)
        told = [item.passage.text for item in given]
        for work in works.values():
            told += [work.title, *work.authors, str(work.year or ""), work.source]
            told += [text for value in work.metadata.values() for text in _texts(value)]
        self._text = " ".join(fold("\n".join(told)).split())

    def has(self, cell: str) -> bool:
        """Tell whether a cell stands there: as it is, or word by word in any order; a number only as it is."""
        wanted = " ".join(fold(cell).split())
        if not any(map(str.isalnum, wanted)):
            return True  # it says nothing
        if HAN.search(wanted):
            return wanted in self._text or set(terms(wanted)) <= self._terms
        if re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", self._text):
            return True
        words = set(terms(cell))
        return any(map(str.isalpha, wanted)) and bool(words) and words <= self._terms

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(terms(self._text))


def _texts(value: Value) -> list[str]:
    return [str(one) for one in value] if isinstance(value, tuple) else [str(value)]


# -- sentence, table, chain, and the claims they make

_VALUE = re.compile(r"[\s\d.,%％±+–-]*\d[\s\d.,%％±]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
Keys = Mapping[tuple[str, str], str]
_MOST_ROWS = 20
_MOST_BRANCHES = 60
_INDENT = "  "
_UNDER = 2  # the cell of a tree's line that says what the list shows: what it stands under
_MOST_INSIDE = 8  # names with a citation behind each in one sentence
_MOST_KEYS = 8  # behind a line; all that it was counted from is among its citations
_FEW_KEYS = 3  # behind a sentence that puts parts together
_MOST_QUOTES = 6
_CHAIN = 2  # stations
_ARROW = " → "
_CELLS = "\0"
_TOLD_IN_WORDS: frozenset[Form] = frozenset(
    ("first", "latest", "lineage", "contradictions")
)  # a number says little there


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyText:
    """What an answer says of one tally: Markdown, block by block; its sentence, and each of its lines, as claims.

    In the Markdown they are marked as that, the sentence by 0 and the lines from 1 on.
    """

    tally: Tally
    blocks: tuple[str, ...]
    said: Claim
    lines: tuple[Claim, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims that cite something: where nothing was found there is nothing to cite."""
        return tuple(claim for claim in (self.said, *self.lines) if claim.citations)

    def numbered(self, first: int) -> tuple[str, ...]:
        """Return the blocks with its claims numbered as they are among others, of which there are so many before."""
        citing = [place for place, claim in enumerate((self.said, *self.lines)) if claim.citations]
        numbers = {place: first + number for number, place in enumerate(citing)}
        return tuple(renumbered(block, numbers) for block in self.blocks)


def tallies_of(findings: Sequence[Finding]) -> dict[str, Tally]:
    """Return what was counted, by row of the review; one without any result is none, nor are results where a gain is asked for."""
    return {
        tally.row: tally
        for finding in findings
        for tally in finding.tallies
        if (tally.rows or tally.items)
        and not (tally.form == "results" and asks_for_a_gain(_asked_by(finding, tally.row)))
    }


def _asked_by(finding: Finding, row: str) -> str:
    texts = finding.rows or tuple(ask.text for ask in finding.part.rows)
    return next(
        (text for name, text in zip(finding.part.row_ids, texts, strict=False) if name == row), finding.question
    )


def proving(tally: Tally) -> Iterator[Evidence]:
    """Yield the passages that a tally rests on, those of its first line first."""
    for row in tally.rows:
        for proof in row.proofs:
            yield proof.evidence


def counted(tally: Tally, keys: Keys, words: Mapping[str, str]) -> TallyText:
    """Return what the answer says of a tally. A single line is told by its sentence alone."""
    links = _links(tally, keys) if tally.rows else []
    lines = links or [_claim(tally, row, place, keys) for place, row in enumerate(tally.rows)]
    cited = _cited([proof for row in tally.rows for proof in row.proofs], keys)
    said = Claim(text=tally.said, status=_status(tally, lines), citations=cited, row=tally.row, counted=True)
    sentence = starting(harmless(tally.said))
    notes = tuple(words["tally note"].format(text=harmless(note)) for note in tally.notes)
    if len(tally.rows) <= 1 or _is_of_one(tally):
        alone = f"{claimed(0, sentence)} {_shown(said.citations, words, _MOST_KEYS)}".rstrip()
        return TallyText(tally=tally, blocks=(alone, *notes), said=said)
    if any(row.depth for row in tally.rows):
        # a list in which each line stands below the one that it hangs on, with what proves that behind it
        shown = list(zip(tally.rows, lines, strict=True))[:_MOST_BRANCHES]
        least = min(row.depth for row, _ in shown)
        items = [
            f"{_INDENT * (row.depth - least)}- {claimed(number, harmless(row.cells[0]) + _beside(tally, row, hidden=_UNDER))}"
            f" {_shown(line.citations, words, _FEW_KEYS)}".rstrip()
            for number, (row, line) in enumerate(shown, 1)
        ]
        text = "\n".join(items)
        body = (text, *_more(len(lines) - len(shown), words))
    else:
        body = _chain(tally, links, words) if links else _table(tally, lines, words)
    inside = _line_inside(sentence, tally, body[0]) if links else _keys_inside(sentence, tally, lines, words)
    blocks = (claimed(0, inside),) if inside else (claimed(0, sentence), *body)
    return TallyText(tally=tally, blocks=(*blocks, *notes), said=said, lines=tuple(lines))


def in_one_sentence(counted: TallyText, words: Mapping[str, str]) -> str:
    """Return what was counted as a sentence for a part that puts others together."""
    return f"{claimed(0, harmless(counted.said.text))} {_shown(counted.said.citations, words, _FEW_KEYS)}".rstrip()


def quoted(tally: Tally) -> tuple[Quote, ...]:
    """Return the sentences that prove a tally, where they say more than its table does."""
    if tally.form not in _TOLD_IN_WORDS:
        return ()
    found = (_sentence(proof) for row in tally.rows for proof in row.proofs if proof.end > proof.start)
    once = {(quote.evidence.document.id, quote.text): quote for quote in found if quote}
    return tuple(once.values())[:_MOST_QUOTES]


def conflict(found: TallyText, question: str, words: Mapping[str, str]) -> str:
    """Return which documents give different values for one thing, if one value was asked for; of many each may have its own."""
    want = answer_type_of(question)
    if found.tally.form != "results" or want.many or want.kind not in ("number", "thing"):
        return ""
    values: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for row, line in zip(found.tally.rows, found.lines, strict=False):
        named = {fold(text) for proof in row.proofs for text in titles(proof.evidence)}
        thing = tuple(cell for cell in map(fold, row.cells) if cell not in named and not _VALUE.fullmatch(cell))
        value = " ".join(cell for cell in row.cells if _VALUE.fullmatch(cell) and not _YEAR.fullmatch(cell))
        values.setdefault(thing, {}).setdefault(value, set()).update(one.key for one in line.citations)
    told = [sorted(set[str]().union(*known.values())) for known in values.values() if len(known) > 1]
    told = [documents for documents in told if len(documents) > 1]
    return words["conflict"].format(keys="; ".join(dict.fromkeys(key for one in told for key in one))) if told else ""


# -- a sentence that says it all


def _is_of_one(tally: Tally) -> bool:
    """Tell whether a list is from one document, and all of it in its sentence: a table would say the same again."""
    documents = {(item.document.collection, item.document.id) for item in proving(tally)}
    named = all(row.cells[0] in tally.said for row in tally.rows)
    return tally.form == "list" and len(tally.columns) == 1 and len(documents) == 1 and named


def _keys_inside(sentence: str, tally: Tally, lines: Sequence[Claim], words: Mapping[str, str]) -> str:
    """Return the sentence of a short list with what proves each of its names behind it; '' for any other."""
    if tally.form != "list" or len(tally.columns) != 1 or len(lines) > _MOST_INSIDE:
        return ""
    before, told = sentence, ""
    numbered = list(zip(tally.rows, lines, range(1, len(lines) + 1), strict=True))
    for row, line, number in reversed(numbered):  # names stand at the end of a sentence
        before, name, behind = before.rpartition(harmless(row.cells[0]))
        if not name:
            return ""
        told = f"{claimed(number, name)} {_shown(line.citations, words, _FEW_KEYS)}".rstrip() + behind + told
    return before + told


def _line_inside(sentence: str, tally: Tally, chain: str) -> str:
    """Return the sentence of a lineage with its line as what proves its steps tells it; '' if the line does not stand there."""
    plain = _ARROW.join(harmless(row.cells[0]) for row in _stations(tally))
    before, found, behind = sentence.partition(plain)
    return f"{before}{chain}{behind}" if found else ""


# -- claims, and what they rest on


def _claim(tally: Tally, row: TallyRow, place: int, keys: Keys) -> Claim:
    named = zip(tally.columns, row.cells, strict=False)
    text = "; ".join(f"{column}: {cell}" for column, cell in named if cell.strip())
    return Claim(
        text=text, status=_status_of(row, place), citations=_cited(row.proofs, keys), row=tally.row, counted=True
    )


def _status_of(row: TallyRow, place: int) -> Support:
    """Return whether a line stands in what proves it. `place` is its own, from 0: a first cell may say it."""
    if not row.proofs:
        return "unsupported"
    source = ProofText([proof.evidence for proof in row.proofs])
    counts = {source.documents, len(row.proofs)}
    for number, cell in enumerate(row.cells):
        known = counts.union(range(1, place + 2) if number == 0 else ())
        if not source.has(cell) and not (cell.strip().isdecimal() and int(cell) in known):
            return "paraphrase"
    return "verified"


def _status(tally: Tally, lines: Sequence[Claim]) -> Support:
    """Return whether the sentence says what its lines say: a count is counted again, and any other number must stand in a line."""
    documents = {(item.document.collection, item.document.id) for item in proving(tally)}
    counts = {Decimal(len(tally.rows)), Decimal(len(documents))}
    if tally.form == "count" and not _values(tally.items) <= counts:
        return "paraphrase" if tally.notes else "unsupported"  # not all lines are there where the notes say so
    if any(line.status == "unsupported" for line in lines):
        return "unsupported"
    told = counts | _values([*tally.items, *(line.text for line in lines)])
    told |= {Decimal(len(row.proofs)) for row in tally.rows}
    told |= set(map(Decimal, range(1, len(lines))))  # "and 3 more"
    open_to_doubt = {
        value for value in _values([tally.said]) - told if not _YEAR.fullmatch(str(value))
    }  # years are asked for
    sure = not open_to_doubt and all(line.status == "verified" for line in lines)
    return "verified" if sure else "paraphrase"


def _values(texts: Iterable[str]) -> set[Decimal]:
    return {number.value for text in texts for number in numbers(text)}


def _cited(proofs: Sequence[Proof], keys: Keys) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(_citation(proof, keys) for proof in proofs))


def _citation(proof: Proof, keys: Keys) -> Citation:
    """Return the words that prove an edge; where its document's metadata do, the document from the beginning of the passage."""
    passage = proof.evidence.passage
    start, end = max(proof.start, passage.start), min(proof.end, passage.end)
    if end <= start:
        return citation_of(proof.evidence, passage.start, passage.start, "", keys)
    return citation_of(proof.evidence, start, end, passage.text[start - passage.start : end - passage.start], keys)


def _sentence(proof: Proof) -> Quote | None:
    """Return the sentence that a proof stands in, if it can be quoted."""
    passage = proof.evidence.passage
    place = proof.start - passage.start
    around = next((span for span in sentences(passage.text) if span[0] <= place < span[1]), None)
    text = passage.text[slice(*around)] if around else ""
    if around is None or not evidence_sentences.is_prose(text) or is_order(text):
        return None
    start, end = (passage.start + offset for offset in around)
    return Quote(evidence=proof.evidence, start=start, end=end, text=text, score=1.0)


# -- Markdown


def _table(tally: Tally, lines: Sequence[Claim], words: Mapping[str, str]) -> tuple[str, ...]:
    head = [*map(harmless, tally.columns), words["sources"]]
    shown = list(zip(tally.rows, lines, strict=True))[:_MOST_ROWS]
    cells = [
        [*_claimed_cells(number, row.cells), _shown(line.citations, words, _MOST_KEYS)]
        for number, (row, line) in enumerate(shown, 1)
    ]
    return (markdown_table(head, cells), *_more(len(lines) - len(shown), words))


def _claimed_cells(number: int, cells: Sequence[str]) -> list[str]:
    """Return the cells of a line, which together are its claim."""
    return claimed(number, _CELLS.join(map(harmless, cells))).split(_CELLS)


def _more(count: int, words: Mapping[str, str]) -> tuple[str, ...]:
    return (words["more"].format(count=count),) if count > 0 else ()


def _shown(citations: Sequence[Citation], words: Mapping[str, str], most: int) -> str:
    keys = list(dict.fromkeys(citation.key for citation in citations))
    return " ".join((*map(cite, keys[:most]), *_more(len(keys) - most, words)))


def _chain(tally: Tally, links: Sequence[Claim], words: Mapping[str, str]) -> tuple[str, ...]:
    """Return the line of a lineage, the oldest first, with what proves each step behind it."""
    stations = _stations(tally)
    named = [harmless(station.cells[0]) + _beside(tally, station) for station in stations]
    text = begun(1, named[0])
    for number, (name, link) in enumerate(zip(named[1:], links, strict=True), 1):
        station = ended(
            number, name if number == len(links) else begun(number + 1, name)
        )  # a step begins where one ends
        text += f"{_ARROW}{station} {_shown(link.citations, words, _FEW_KEYS)}".rstrip()
    return (text,)


def _stations(tally: Tally) -> list[TallyRow]:
    """Return the lines of a lineage, the oldest first; none where it is not told which is that."""
    if any(row.depth for row in tally.rows):
        return []
    first, last = (_year_of(row) for row in (tally.rows[0], tally.rows[-1]))
    if tally.form != "lineage" or len(tally.rows) < _CHAIN or not first or not last or first == last:
        return []
    return [*tally.rows] if first < last else [*reversed(tally.rows)]


def _year_of(row: TallyRow) -> int:
    return next((int(cell) for cell in row.cells[1:] if _YEAR.fullmatch(cell)), 0)


def _beside(tally: Tally, row: TallyRow, hidden: int = 0) -> str:
    """Return the other cells of a station, but the hidden one, in brackets."""
    named = [pair for place, pair in enumerate(zip(tally.columns, row.cells, strict=False)) if place not in {0, hidden}]
    told = [cell if _YEAR.fullmatch(cell) else f"{column}: {cell}" for column, cell in named if cell.strip()]
    return f" ({harmless('; '.join(told))})" if told else ""


def _links(tally: Tally, keys: Keys) -> list[Claim]:
    """Return each step of a lineage as a claim. A line is proven towards the next one, in the order in which they were found."""
    stations = _stations(tally)
    found: list[Claim] = []
    for earlier, later in pairwise(stations):
        proofs = (earlier if stations[0] is tally.rows[0] else later).proofs
        source = ProofText([proof.evidence for proof in proofs])
        names = (earlier.cells[0], later.cells[0])
        status: Support = "verified" if all(map(source.has, names)) else "paraphrase"
        cited = _cited(proofs, keys)
        status = status if proofs else "unsupported"
        text = _ARROW.join(names)
        found.append(Claim(text=text, status=status, citations=cited, row=tally.row, counted=True))
    return found


# -- sentences that name somebody else: metadata outweigh them, but do not hide them

_MOST = 2
_MOST_NAMES = 4  # in a question
_MADE = "proposed|introduced|developed|invented|created|designed|devised|presented"
_MADE_IN_CHINESE = "提出|发明|设计|开发|创建|推出"
_PERSON = r"(?P<who>[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+)){1,3})"
_HAN_PERSON = r"(?P<who>[\u3400-\u9fff]{2,4}|[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+)){1,3})"
_ONCE = r"(?: first| originally| initially)?"
_NAME = "<name>"  # stands for what is asked about
_SAID = (
    (
        rf"(?:^|[,;:(] ?|\b[a-z]+ )(?:The )?{_NAME}(?: \([^()]{{0,60}}\))?,?(?: (?:is|was|were|has been|had been))?"
        rf"{_ONCE} (?:{_MADE})(?: in \d{{4}})? by {_PERSON}"
    ),
    (
        rf"{_PERSON}(?: and (?:colleagues|others)| et al\.)?{_ONCE} (?:{_MADE}) (?:the )?{_NAME}"
        r"(?=[,.;:)]|$| (?:in|as|at|which|to|for|with)\b)"
    ),
    (
        rf"(?:^|[，。；：,;:]\s?){_NAME}\s?(?:最早|最初|首先)?是?由\s?{_HAN_PERSON}\s?(?:等人?)?(?:[于在]\s?\d{{4}}\s?年)?"
        rf"(?:{_MADE_IN_CHINESE})"
    ),
    rf"(?:^|[，。；：,;:]\s?){_HAN_PERSON}\s?(?:等人?)?(?:[于在]\s?\d{{4}}\s?年)?(?:{_MADE_IN_CHINESE})了?\s?{_NAME}(?=[，。；：,.]|$)",
)

_NAMED = re.compile(r"[A-Za-z]*[A-Z0-9][A-Za-z0-9.+-]*(?: [A-Za-z]*[A-Z0-9][A-Za-z0-9.+-]*)*")
_ASKING = re.compile(r"^(?:By )?(?:Who|Whom|Which|What)\b ?")


def rival_names(question: str, tally: Tally, evidence: Sequence[Evidence]) -> tuple[Quote, ...]:
    """Return sentences of other documents than those that were counted which plainly name somebody else."""
    if tally.form != "list" or answer_type_of(question).kind != "person":
        return ()
    counted = [proof.evidence for row in tally.rows for proof in row.proofs]
    known = {(item.document.collection, item.document.id) for item in counted}
    others = [item for item in evidence if (item.document.collection, item.document.id) not in known]
    said = [re.compile(pattern.replace(_NAME, re.escape(name))) for name in _names(question) for pattern in _SAID]
    source = ProofText(counted)
    found = {quote.text: quote for item in others for quote in _quotes(item, said, source)}
    return tuple(found.values())[:_MOST]


def _names(question: str) -> list[str]:
    found = (_ASKING.sub("", match[0]).strip(" .") for match in _NAMED.finditer(question))
    return [name for name in found if len(name) > 1][:_MOST_NAMES]


def _quotes(item: Evidence, said: Sequence[re.Pattern[str]], known: ProofText) -> Iterator[Quote]:
    passage = item.passage
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        named = (match["who"] for pattern in said for match in pattern.finditer(text))
        if any(_is_new(who, known) for who in named) and evidence_sentences.is_prose(text) and not is_order(text):
            yield Quote(evidence=item, start=passage.start + start, end=passage.start + end, text=text, score=1.0)


def _is_new(who: str, known: ProofText) -> bool:
    """Tell whether a name is that of somebody who is not among those that were counted, and of no group."""
    words = [word.strip(".") for word in who.split()]
    is_group = not ORGANISATION_WORDS.isdisjoint(word.lower() for word in words)
    return not is_group and not any(known.has(word) for word in words if len(word) > 1)


# -- beside a model: what it is told of tallies, whether it says the same, and what code puts below its text

_ALL_COUNTED = "all that was asked was counted in the graph of papers, so no model was asked to write"
_KEYS = 3  # that a sentence is given
_ABOUT = 0.4  # of the words of a question, or of what was counted for it: the sentence speaks of that
_COUNT_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {
    "one": 1,
    "两": 2,
    **{word: number for number, word in enumerate(_COUNT_WORDS, 2)},
    **{han: number for number, han in enumerate("一二三四五六七八九十", 1)},
}

_COUNTED = re.compile(
    rf"\b(?P<english>\d{{1,6}}|one|{'|'.join(_COUNT_WORDS)}) (?:[a-z-]+ ){{0,2}}?"
    r"(?:papers?|articles?|publications?|works?|stud(?:y|ies)|notes?|documents?|authors?|researchers?|institutions?|groups?|methods?|models?"
    r"|approach(?:es)?|techniques?|datasets?|benchmarks?|metrics?|tasks?|venues?|conferences?|journals?|times?)\b"
    r"|(?<![\d.])(?P<chinese>\d{1,6}|[一二两三四五六七八九十])\s*[篇个種种项位名家次]",
    re.IGNORECASE,
)


def tally_lines(findings: Sequence[Finding], passages: Mapping[str, Evidence]) -> str:
    """Return what was counted, a line for each row with the keys of the passages that prove it; '' if nothing was."""
    named = {key_of(item): key for key, item in passages.items()}
    return "\n".join(_line(row, tally, named) for row, tally in tallies_of(findings).items())


def _line(row: str, tally: Tally, named: Mapping[tuple[str, str, int], str]) -> str:
    keys = dict.fromkeys(named[key] for item in proving(tally) if (key := key_of(item)) in named)
    return f"{row}: {' '.join(tally.said.split())} {''.join(f'[{key}]' for key in keys)}".rstrip()


def _is_all_counted(plan: Plan, findings: Sequence[Finding]) -> bool:
    """Tell whether every row that looks something up was counted, and no part has to conclude anything from them."""
    tallies = tallies_of(findings)
    parents = {part.parent for part in plan.parts}
    return all(
        tallies.keys() >= {*part.row_ids} if part.role == "find" else part.role == "compare" or part.id in parents
        for part in plan.parts
    )


class TallyWriter:
    """Asks nobody to write where everything was counted: its sentences and tables are the answer."""

    def __init__(self, writer: Writer, keyless: Writer) -> None:
        """Take who writes all other answers, and who writes without a model."""
        self._writer = writer
        self._keyless = keyless

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        if not _is_all_counted(material.plan, material.findings):
            return await self._writer.write(material, on_piece)
        draft = await self._keyless.write(material, on_piece)
        return replace(draft, notes=(*draft.notes, _ALL_COUNTED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounter:
    """Holds sentences of a model against what was counted. `passages` are those that it was shown, by key."""

    counted: Mapping[str, TallyText]
    questions: Mapping[str, str]  # by row
    passages: Mapping[str, Evidence]

    def attach(self, text: str, keys: Sequence[str], attached: Attribution) -> Attribution | None:
        """Return what a sentence rests on, which may be what was counted; None if it counts in another way."""
        if attached.status == "verified":
            return attached
        rows = [row for row in self.counted if self._is_about(text, row)]
        if rows and not any(self._counts_alike(text, row) for row in rows):
            return None
        if attached.status != "unsupported":
            return attached
        given = [self.passages[key].passage.text for key in keys if key in self.passages]
        for row in rows or self.counted:
            said = self.counted[row]
            ruling = rule(in_digits(text), [in_digits(_facts(said)), *given])
            if ruling not in ("doubtful", "refused"):
                return Attribution(status=ruling, keys=self._keys(said, keys), citations=said.said.citations)
        return attached

    def _is_about(self, text: str, row: str) -> bool:
        said = words_of(text)
        return any(
            covered(words_of(other), said) >= _ABOUT
            for other in (self.questions.get(row, ""), self.counted[row].said.text)
        )

    def _counts_alike(self, text: str, row: str) -> bool:
        """Tell whether every number of things in a sentence is one of what was counted, or of the question."""
        said = self.counted[row]
        known = {
            number.value
            for one in (_facts(said), *said.tally.items, self.questions.get(row, ""))
            for number in numbers(one)
        }
        known |= {
            len(said.tally.rows),
            len({citation.document for citation in said.said.citations}),
            *_counts(said.said.text),
        }
        return all(count in known for count in _counts(text))

    def _keys(self, said: TallyText, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the passages behind a sentence: those of its own that prove what was counted, else the first that do."""
        proofs = {key_of(item) for item in proving(said.tally)}
        proving_keys = [key for key, item in self.passages.items() if key_of(item) in proofs]
        return tuple(key for key in keys if key in proving_keys) or tuple(proving_keys[:_KEYS])


def _facts(said: TallyText) -> str:
    return "\n\n".join((said.said.text, *(f"{line.text}." for line in said.lines)))


def _counts(text: str) -> list[int]:
    found = (match["english"] or match["chinese"] for match in _COUNTED.finditer(text))
    return [int(count) if count.isdecimal() else _COUNTS[count.lower()] for count in found]


def tally_block(question: str, counted: Mapping[str, TallyText], questions: Mapping[str, str], claims: int) -> str:
    """Return what is put below the text of a model, which makes so many claims: what was counted, row by row, marked as that."""
    blocks = [words_for(question)["beside label"]]
    for row, found in counted.items():
        blocks += [f"**{harmless(questions.get(row, ''))}**"] * (len(questions) > 1)
        blocks += found.numbered(claims)
        claims += len(found.claims)
    return "\n\n".join(blocks)


def with_counted(draft: Draft, text: str, counted: Mapping[str, TallyText], conflicts: Mapping[str, str]) -> Draft:
    """Return the draft with that below it. What a model says of these rows counts for nothing beside it."""
    claims = (*draft.claims, *(claim for found in counted.values() for claim in found.claims))
    return replace(
        draft,
        text=f"{draft.text}\n\n{text}",
        claims=claims,
        citations=tuple(dict.fromkeys(citation for claim in claims for citation in claim.citations)),
        answers={**draft.answers, **{row: found.said.text for row, found in counted.items()}},
        conflicts={**_without(draft.conflicts, counted), **conflicts},
        missing=_without(draft.missing, counted),
    )


def _without(told: Mapping[str, str], counted: Mapping[str, TallyText]) -> dict[str, str]:
    return {row: text for row, text in told.items() if row not in counted}
