"""An answer made of what a model wrote: every sentence stays, and becomes a claim that says what it rests on, if on anything."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scholarmind.answer import Claim, Draft
from scholarmind.model import Evidence
from scholarmind.text.orders import is_order
from scholarmind.writing.anchors import cite
from scholarmind.writing.attaching import Attached, Attacher
from scholarmind.writing.briefing import AskedRow
from scholarmind.writing.citing_stream import CLOSE, OPEN, rendered, sentence_claimed
from scholarmind.writing.conflicts import conflicting, contradicts
from scholarmind.writing.marked_text import Line, Sentence, is_heading, lines
from scholarmind.writing.prose import is_short
from scholarmind.writing.quantities import Quantity, numbers
from scholarmind.writing.recounting import Recounter
from scholarmind.writing.reporting import Reported, tells_a_gap
from scholarmind.writing.senses import covered, words_of
from scholarmind.writing.tallied import Counted
from scholarmind.writing.wording import bracketed, harmless, words_for

_FOUND_FOR = 0.3  # what it counts that a passage was found for a row, beside all words of its question
_CONCLUDED_FROM = 4  # passages at most that a conclusion without citations is given
_MOST_SENTENCES = 150
_LONGEST_LEAD = 160
_LONGEST_ASIDE = 400  # that claims nothing
_LONGEST_SAID = 1_500  # of a sentence, by which its row is told
_BETWEEN = re.compile(rf"{CLOSE}[ \t]*{OPEN}")  # two passages of one document are one citation
_PASSAGE_KEY = re.compile(r"[\[(【（]?\b(P\d{1,3})\b[\])】）]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What was given to the model: its rows, its passages by key, and the citation keys of documents and of passages."""

    question: str
    rows: Sequence[AskedRow]
    passages: Mapping[str, Evidence]
    keys: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict[str, str])  # by row: its short answer
    counted: Mapping[str, Counted] = field(default_factory=dict[str, Counted])  # by row


@dataclass(slots=True, kw_only=True)
class _Sheet:
    given: Given
    attacher: Attacher
    claims: list[Claim] = field(default_factory=list[Claim])
    seen: int = 0
    lead: str = ""  # what the items of a list go on with
    recent: list[str] = field(default_factory=list[str])  # passages that confirmed something in this paragraph
    cited: list[str] = field(default_factory=list[str])  # passages that did so at all


def assembled(marked: str, given: Given, attacher: Attacher, report: Mapping[str, Reported]) -> Draft:
    """Return the draft of a text with marks for citations."""
    sheet = _Sheet(given=given, attacher=attacher)
    kept = [written for line in lines(marked) if (written := _written(sheet, line)) is not None]
    while kept and (is_heading(kept[-1]) or not kept[-1].strip()):  # where the text was cut
        kept.pop()
    claims = tuple(_uncontradicted(claim, given) for claim in sheet.claims)
    by_row = {
        row.id: [claim for claim in claims if claim.row == row.id and claim.status != "unsupported"]
        for row in given.rows
    }
    find = {row.id for row in given.rows if row.role == "find"}
    return Draft(
        text=rendered(
            _BETWEEN.sub(",", "\n".join(kept)), given.keys, bracket=cite
        ).strip(),  # with marks: see `anchors`
        claims=claims,
        citations=tuple(dict.fromkeys(citation for claim in claims for citation in claim.citations)),
        answers={row.id: _best(row, by_row[row.id]).text for row in given.rows if by_row[row.id]},
        conflicts=_conflicts(given, claims, report),
        missing={
            row: _keyed(said.detail, given) for row, said in report.items() if said.state == "missing" and row in find
        },
        notes=(f"the answer was cut after {_MOST_SENTENCES} sentences",) if sheet.seen > _MOST_SENTENCES else (),
        by_model=True,
    )


def _written(sheet: _Sheet, line: Line) -> str | None:
    """Return a line with the citations of its sentences, and note what they claim; None behind the last one that is read."""
    if sheet.seen > _MOST_SENTENCES:
        return None
    if line.kind == "empty" or line.is_heading:
        sheet.recent.clear()
    if line.is_heading or (line.kind == "text" and not line.is_item):
        sheet.lead = ""
    return line.written([_cited(sheet, sentence) for sentence in line.sentences])


def _cited(sheet: _Sheet, sentence: Sentence) -> str | None:
    """Return a sentence with the citations that it has or is given, and note what it claims; None if there were enough before."""
    sheet.seen += 1
    if sheet.seen > _MOST_SENTENCES:
        return None
    claims_nothing = _claims_nothing(sheet, sentence)
    if sentence.text.endswith((":", "：")) and len(sentence.text) <= _LONGEST_LEAD:
        sheet.lead = sentence.text
    elif is_short(sentence.text) and sheet.lead:  # "BERT was trained on:", and then its data sets one by one
        sentence = replace(sentence, text=f"{sheet.lead} {sentence.text}")
    if claims_nothing:
        return sentence.marked
    attached = _attached(sheet, sentence)
    row = _row(sheet.given, sentence.text[:_LONGEST_SAID], attached)
    sheet.claims.append(
        Claim(text=sentence.text, status=attached.status, citations=attached.citations, row=row, doubt=attached.doubt)
    )
    if attached.status != "unsupported":
        for cited in (sheet.recent, sheet.cited):
            cited.extend(key for key in attached.keys if key not in cited)
    return sentence_claimed(len(sheet.claims) - 1, sentence.with_keys(attached.keys))


def _attached(sheet: _Sheet, sentence: Sentence) -> Attached:
    """Return what a sentence rests on: passages, those before it, or what was counted; nothing confirms what counts otherwise."""
    attached, given = sheet.attacher.attach(sentence.text, sentence.keys), sheet.given
    if attached.status == "unsupported" and not sentence.keys:
        before = (sheet.recent or sheet.cited)[-_CONCLUDED_FROM:]
        attached = sheet.attacher.conclude(sentence.text, tuple(before)) or attached
    if not given.counted:
        return attached
    questions = {row.id: row.question for row in given.rows}
    recounter = Recounter(counted=given.counted, questions=questions, passages=given.passages)
    return recounter.attach(sentence.text, sentence.keys, attached) or sheet.attacher.refused(
        sentence.text, sentence.keys
    )


def _claims_nothing(sheet: _Sheet, sentence: Sentence) -> bool:
    """Tell whether a sentence says that something is missing, or leads over to a list."""
    text = sentence.text
    if len(text) > _LONGEST_ASIDE or is_order(text):
        return False
    asked = {number.amount for number in numbers(sheet.given.question)}
    if any(number.amount not in asked for number in numbers(text)):
        return False
    leads = text.endswith((":", "：")) and len(text) <= _LONGEST_LEAD and not sentence.keys
    return tells_a_gap(text) or (leads and sheet.attacher.knows(text, sheet.given.question))


def _row(given: Given, text: str, attached: Attached) -> str:
    """Return the row that a sentence answers: by its words, and by what its passages were found for."""
    concluding = [row for row in given.rows if row.role != "find"]
    documents = {citation.document for citation in attached.citations}
    if len(given.rows) == 1:
        return given.rows[0].id
    said = words_of(text)
    found_for = frozenset[str]().union(
        *(given.passages[key].found_by for key in attached.keys if key in given.passages)
    )

    def score(row: AskedRow) -> float:
        together = row.role != "find" and len(documents) > 1
        return covered(words_of(row.question), said) + _FOUND_FOR * (row.id in found_for or together)

    looked_up = [row for row in given.rows if row.role == "find"]
    pool = [*looked_up, *concluding] if len(documents) > 1 or not looked_up else looked_up
    return max(pool, key=score).id


def _best(row: AskedRow, claims: Sequence[Claim]) -> Claim:
    wanted = words_of(row.question)
    return max(claims, key=lambda claim: covered(wanted, words_of(claim.text)))


def _uncontradicted(claim: Claim, given: Given) -> Claim:
    """A comparison that is the reverse of what the short answers of its parts say is not confirmed."""
    by_aspect: dict[str, dict[str, Quantity]] = {}
    for row in given.rows:
        found = numbers(given.values.get(row.id, ""))
        if row.ask.entity and len(found) == 1:
            by_aspect.setdefault(row.ask.aspect, {})[row.ask.entity] = found[0]
    said = words_of(claim.text)
    for aspect, values in by_aspect.items():
        meant = len(by_aspect) == 1 or covered(words_of(aspect), said) > 0
        if meant and len(values) > 1 and contradicts(claim.text, values):
            return replace(claim, status="unsupported", doubt=None)
    return claim


def _conflicts(given: Given, claims: Sequence[Claim], report: Mapping[str, Reported]) -> dict[str, str]:
    """Return by row what contradicts each other: as code finds it in the quotes, else as the model reports it."""
    words = words_for(given.question)
    found: dict[str, str] = {}
    for row in given.rows:
        cited = {citation for claim in claims if claim.row == row.id for citation in claim.citations}
        by_place = {f"{citation.collection}|{citation.document}": citation.key for citation in cited}
        statements = [(f"{citation.collection}|{citation.document}", citation.quote) for citation in cited]
        pairs = [pair.keys for pair in conflicting(sorted(statements)) if pair.keys[0] != pair.keys[1]]
        if pairs:
            keys = dict.fromkeys(by_place[place] for pair in pairs for place in pair)
            found[row.id] = words["conflict"].format(keys="; ".join(keys))
        elif (said := report.get(row.id)) and said.state == "conflicting" and row.role == "find" and len(by_place) > 1:
            found[row.id] = _keyed(said.detail, given)
    return found


def _keyed(text: str, given: Given) -> str:
    """Return a line of the report with authors and years in the place of the keys of passages."""
    return _PASSAGE_KEY.sub(lambda match: bracketed(given.keys.get(match[1], "?")), harmless(text).replace("\\", ""))
