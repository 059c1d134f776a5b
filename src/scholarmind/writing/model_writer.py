"""The writer that asks a language model: one streamed call, of which only what passages confirm counts.

Nothing that a model does is an error here: where it fails, the keyless writer behind it quotes, and the answer says why. What it wrote
stays as it is, however little of it is confirmed: every sentence becomes a claim that says what it rests on, if on anything. Its report
on the parts is read however it wrote it.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from scholarmind.answer import Claim, Draft
from scholarmind.calls import Reply, Request
from scholarmind.citing.citation_styles import assign
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError
from scholarmind.llm.prompts import Assistant
from scholarmind.model import Evidence
from scholarmind.ports import Entailment, Material, Writer
from scholarmind.text.language import lazy_regex
from scholarmind.text.untrusted import is_order
from scholarmind.writing.answer_markdown import bracketed, cite, harmless, placed, unanchored, words_for
from scholarmind.writing.answer_prompt import (
    AskedRow,
    Form,
    Language,
    Length,
    Manner,
    answer_request,
    fewer,
    language_for,
    rows_of,
)
from scholarmind.writing.answer_stream import (
    CLOSE,
    MARK,
    OPEN,
    IncomingText,
    MarkedLine,
    MarkedSentence,
    OnPiece,
    is_heading,
    lines,
    rendered,
    sentence_claimed,
)
from scholarmind.writing.attribution import Attribution, Attributor
from scholarmind.writing.contradictions import conflicting, contradicts
from scholarmind.writing.evidence_sentences import is_short
from scholarmind.writing.sentence_content import Quantity, covered, numbers, words_of
from scholarmind.writing.tallies import (
    Recounter,
    TallyText,
    conflict,
    counted,
    proving,
    tallies_of,
    tally_block,
    with_counted,
)

# -- what a model reports of the parts, and how it says that something is missing

State = Literal["answered", "missing", "conflicting"]
_LONGEST = 20_000
_LONGEST_DETAIL = 300
_LINE = lazy_regex(
    r"^[\s\-*•>|#\"'`{\[]*(?:(?:parts?|rows?|部分|第)\s*)?[\s*\"'`]*(?P<row>\d{1,3}(?:\.\d{1,3})?)(?!\d)\s*(?:部分)?[\s*\"'`]*"
    r"[.)、:：\-–—|=,，]*\s*(?P<rest>.*)$",
    re.IGNORECASE,
)

# the order matters: "not answered" is not "answered"
_STATES: tuple[tuple[State, re.Pattern[str]], ...] = (
    ("conflicting", lazy_regex(r"conflict\w*|contradict\w*|disagree\w*|相?互?矛盾|冲突|不一致", re.IGNORECASE)),
    (
        "missing",
        lazy_regex(
            r"(?:not|un|in)[\s-]*(?:fully |completely )?(?:answered|found|available|covered|complete)\w*|missing|absent"
            r"|part(?:ly|ial|ially)\b(?: answered)?|lack\w*|no answer|none"
            r"|未能?(?:回答|找到|提到|提及)|没有(?:回答|找到|答案)?|缺[失少]|部分(?:回答)?|不完整",
            re.IGNORECASE,
        ),
    ),
    ("answered", lazy_regex(r"answered|complete\w*|done|yes|ok|found|已?回答了?|完整|完成|是", re.IGNORECASE)),
)

_SEPARATORS = " \t:：-–—,，.。;；|*\"'`()（）{}[]"
_ROW_NAMES = ("row", "part", "id", "number", "部分", "编号")
_STATE_NAMES = ("status", "state", "answer", "result", "状态")
_DETAIL_NAMES = (
    "missing",
    "conflicting",
    "conflict",
    "detail",
    "details",
    "reason",
    "what",
    "note",
    "缺失",
    "矛盾",
    "说明",
)

_GIVEN = r"(?:passages?|documents?|sources?|evidence|texts?|librar(?:y|ies)|papers?|material)"
_GIVEN_HAN = r"(?:段落|文档|文献|资料|来源|材料|文库|文本)"
_GAP = lazy_regex(
    rf"\b{_GIVEN}\b[^.]{{0,60}}\b(?:do(?:es)? not|don['’]t|doesn['’]t|did not|cannot|lacks?|without|contains? no\w*|gives? no|says? nothing"
    r"|mentions? no|provides? no|(?:is|are) silent)\b"
    rf"|\b(?:no|none of the|neither of the|nothing in the)\s(?:given |provided |available )?(?:{_GIVEN}|information)\b"
    r"|\b(?:is|are|was|were) not (?:stated|mentioned|given|reported|covered|specified|described|found|available|provided)\b"
    rf"|{_GIVEN_HAN}[^。]{{0,12}}(?:没有|未|不包含|不含|无法)|(?:没有|无)(?:任何)?(?:{_GIVEN_HAN}|信息)"
    r"|(?:没有|未)(?:被)?(?:提到|提及|说明|给出|找到|涉及|提供)",
    re.IGNORECASE,
)

_GOES_ON = lazy_regex(
    r"\b(?:but|however|although|though|while|whereas|except|yet)\b|但|不过|然而|虽然|而", re.IGNORECASE
)

_LONGEST_GAP = 400


@dataclass(frozen=True, slots=True)
class Reported:
    """What a model says of a row, and where it is not answered, why."""

    state: State
    detail: str = ""


def reported(text: str, rows: Sequence[str]) -> dict[str, Reported]:
    """Return what was reported of each of these rows. What is said of a part counts for all its rows."""
    found: dict[str, Reported] = {}
    given = text[:_LONGEST]
    for name, said in _of_json(given) or _of_lines(given):
        state = _state(said)
        if state is None:
            continue
        for row in (row for row in rows if row == name or row.partition(".")[0] == name):
            found.setdefault(row, state)
    return found


def tells_a_gap(sentence: str) -> bool:
    """Tell whether a sentence only says that the passages do not hold something."""
    return len(sentence) <= _LONGEST_GAP and _GAP.search(sentence) is not None and not _GOES_ON.search(sentence)


def _state(said: str) -> Reported | None:
    matches: list[tuple[State, re.Match[str]]] = []
    for state, pattern in _STATES:
        if match := pattern.search(said):
            matches.append((state, match))
    if not matches:
        return None
    state, match = min(matches, key=lambda found: found[1].start())
    if state == "answered":
        return Reported(state)
    detail = " ".join(said[match.end() :].strip(_SEPARATORS).split()) or " ".join(said.strip(_SEPARATORS).split())
    return Reported(state, detail[:_LONGEST_DETAIL])


def _of_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if match := _LINE.match(line):
            yield match["row"], match["rest"]


def _of_json(text: str) -> list[tuple[str, str]]:
    begin = next((place for place, sign in enumerate(text) if sign in "{["), -1)
    end = max(text.rfind("}"), text.rfind("]"))
    if begin < 0 or end < begin:
        return []
    try:
        value: Any = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        return []
    return [(row, said) for row, said in _entries(value) if re.fullmatch(r"\d{1,3}(?:\.\d{1,3})?", row)]


def _entries(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (row, what is said) from {"1": "answered"}, {"parts": [...]} or [{"part": 1, "status": ...}]."""
    if isinstance(value, Mapping):
        entry = {str(name).casefold(): item for name, item in cast("Mapping[object, Any]", value).items()}
        if row := next((str(entry[name]) for name in _ROW_NAMES if name in entry), ""):
            yield row, _told(entry)
            return
        for name, item in entry.items():
            if isinstance(item, Mapping):
                yield name, _told({str(key).casefold(): one for key, one in cast("Mapping[object, Any]", item).items()})
            elif isinstance(item, list):
                yield from _entries(item)
            else:
                yield name, str(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _entries(item)


def _told(entry: Mapping[str, Any]) -> str:
    state = next((str(entry[name]) for name in _STATE_NAMES if entry.get(name)), "")
    detail = next((str(entry[name]) for name in _DETAIL_NAMES if entry.get(name)), "")
    return f"{state or ('missing' if detail else '')}: {detail}"


# -- the draft that its text makes

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
    counted: Mapping[str, TallyText] = field(default_factory=dict[str, TallyText])  # by row


@dataclass(slots=True, kw_only=True)
class _CheckedDraft:
    given: Given
    attacher: Attributor
    claims: list[Claim] = field(default_factory=list[Claim])
    seen: int = 0
    lead: str = ""  # what the items of a list go on with
    recent: list[str] = field(default_factory=list[str])  # passages that confirmed something in this paragraph
    cited: list[str] = field(default_factory=list[str])  # passages that did so at all


def _assembled(marked: str, given: Given, attacher: Attributor, report: Mapping[str, Reported]) -> Draft:
    """Return the draft of a text with marks for citations."""
    sheet = _CheckedDraft(given=given, attacher=attacher)
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
        ).strip(),  # with marks: see `answer_markdown`
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


def _written(sheet: _CheckedDraft, line: MarkedLine) -> str | None:
    """Return a line with the citations of its sentences, and note what they claim; None behind the last one that is read."""
    if sheet.seen > _MOST_SENTENCES:
        return None
    if line.kind == "empty" or line.is_heading:
        sheet.recent.clear()
    if line.is_heading or (line.kind == "text" and not line.is_item):
        sheet.lead = ""
    return line.written([_cited(sheet, sentence) for sentence in line.sentences])


def _cited(sheet: _CheckedDraft, sentence: MarkedSentence) -> str | None:
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


def _attached(sheet: _CheckedDraft, sentence: MarkedSentence) -> Attribution:
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


def _claims_nothing(sheet: _CheckedDraft, sentence: MarkedSentence) -> bool:
    """Tell whether a sentence says that something is missing, or leads over to a list."""
    text = sentence.text
    if len(text) > _LONGEST_ASIDE or is_order(text):
        return False
    asked = {number.amount for number in numbers(sheet.given.question)}
    if any(number.amount not in asked for number in numbers(text)):
        return False
    leads = text.endswith((":", "：")) and len(text) <= _LONGEST_LEAD and not sentence.keys
    return tells_a_gap(text) or (leads and sheet.attacher.knows(text, sheet.given.question))


def _row(given: Given, text: str, attached: Attribution) -> str:
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


# -- the writer

_LATE = "the model took too long"
_NO_REPORT = "the model gave no account of the parts; they are judged by code alone"
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _WrittenReply:
    """One call and what came of it."""

    given: Given
    attacher: Attributor
    text: IncomingText


_LONGEST_TEXT = 60_000  # characters that are read of a model's text


class ModelWriter:
    """Writes with a language model, and quotes where that fails."""

    def __init__(
        self,
        assistant: Assistant,
        keyless: Writer,
        entailment: Entailment | None = None,
        *,
        form: Form = "prose",
        length: Length = "medium",
        language: Language = "question",
    ) -> None:
        """Take who is asked, who writes otherwise, and who tells whether passages say a sentence."""
        self._assistant = assistant
        self._keyless = keyless
        self._entailment = entailment
        self._form: Form = form
        self._length: Length = length
        self._language: Language = language

    async def write(self, material: Material, on_piece: OnPiece) -> Draft:
        """Return the answer."""
        try:
            if not material.evidence:
                raise ModelReplyError("there is no passage to write from, so no model was asked")
            return await self._written(material, on_piece)
        except (ModelError, TimeoutError) as error:
            why = " ".join(str(error).split())[:_LONGEST_REASON] or _LATE
            draft = await self._keyless.write(material, on_piece)
            return replace(draft, notes=(*draft.notes, f"the answer is quoted, not written: {why}"))

    async def _written(self, material: Material, on_piece: OnPiece) -> Draft:
        """Ask; again with half of the passages while they are too many, and once more for the right language."""
        evidence, notes, again, draft = material.evidence, tuple[str, ...](), False, 1
        while True:
            try:
                asked = await self._asked(material, evidence, on_piece, draft=draft, again=again)
            except ContextOverflowError:
                half = fewer(material.plan, material.findings, evidence)
                if len(half) == len(evidence):
                    raise
                notes = (f"the model cannot read {len(material.evidence)} passages at once; it was shown {len(half)}",)
                evidence, draft = half, draft + 1
                continue
            if not asked.text.is_foreign():
                return await self._finished(asked, notes, on_piece)
            if again:
                raise ModelReplyError("the model wrote in another language than it was asked for, twice")
            again, draft = True, asked.text.draft + 1

    async def _asked(
        self, material: Material, evidence: Sequence[Evidence], on_piece: OnPiece, *, draft: int, again: bool
    ) -> _WrittenReply:
        """Return what one call brought."""
        language = language_for(material.plan.question, self._language)
        manner = Manner(form=self._form, length=self._length, language=language)
        request, passages = answer_request(
            self._assistant, material.plan, material.findings, evidence, manner, again=again
        )
        proofs = [item for tally in tallies_of(material.findings).values() for item in proving(tally)]
        keys = assign([item.document for item in (*evidence, *proofs)])
        given = _given(material, passages, keys)
        attacher = Attributor(passages, keys, self._entailment)
        text = IncomingText(attacher, given.keys, language, draft=draft, on_piece=on_piece, longest=_LONGEST_TEXT)
        reading = asyncio.create_task(asyncio.to_thread(attacher.read))  # while the model thinks
        try:
            await self._stream(request, text)
        except (ModelError, TimeoutError) as error:
            if not text.marked.strip():
                raise
            text.cut(f"the model broke off ({str(error) or _LATE})")
        finally:
            await asyncio.wait([reading])
        return _WrittenReply(given=given, attacher=attacher, text=text)

    async def _stream(self, request: Request, text: IncomingText) -> None:
        """Take what the model says until there is enough of it; then the connection is closed."""
        stream, reply = self._assistant.model.stream(request), None
        try:
            async for piece in stream:
                if isinstance(piece, Reply):
                    reply = piece
                    continue
                await text.take(piece)
                if text.broken or text.is_foreign(so_far=True):
                    break
            await text.end(reply)
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def _finished(self, asked: _WrittenReply, notes: tuple[str, ...], on_piece: OnPiece) -> Draft:
        """Return the draft with what was counted below it, or raise if there is too little of it."""
        text, rows = asked.text, asked.given.rows
        report = reported(text.report, [row.id for row in rows])
        draft = await asyncio.to_thread(_assembled, text.marked, asked.given, asked.attacher, report)
        if problem := _problem(draft, asked.given, text):
            raise ModelReplyError(problem)
        draft = placed(_with_counted(draft, asked, on_piece))
        told = (f"{text.broken}; what came whole is kept",) if text.broken else (_NO_REPORT,) if not report else ()
        return replace(draft, notes=(*notes, *told, *text.notes, *draft.notes))


def _with_counted(draft: Draft, asked: _WrittenReply, on_piece: OnPiece) -> Draft:
    """Put the tables that code made below the text, and show them as the last piece of it."""
    given = asked.given
    if not given.counted:
        return draft
    questions = {row.id: row.question for row in given.rows if row.role == "find"}
    words = words_for(given.question)
    found = {row: conflict(one, questions.get(row, ""), words) for row, one in given.counted.items()}
    conflicts = {row: told for row, told in found.items() if told}
    below = tally_block(given.question, given.counted, questions, len(draft.claims))
    gap = "\n" * max(0, 2 - _line_breaks(asked.text.marked))
    on_piece(f"{gap}{unanchored(below)}", asked.text.draft)
    return with_counted(draft, below, given.counted, conflicts)


def _line_breaks(text: str) -> int:
    """Return how many line breaks a text ends with."""
    return len(text) - len(text.rstrip("\n"))


def _given(material: Material, passages: Mapping[str, Evidence], keys: Mapping[tuple[str, str], str]) -> Given:
    words = words_for(material.plan.question)
    tallies = tallies_of(material.findings)
    return Given(
        counted={row: counted(tally, keys, words) for row, tally in tallies.items()},
        question=material.plan.question,
        rows=rows_of(material.plan, material.findings),
        passages=passages,
        keys={key: keys[item.document.collection, item.document.id] for key, item in passages.items()},
        values={one.part.row_ids[0]: one.answer for one in material.findings if len(one.part.rows) == 1},
    )


def _problem(draft: Draft, given: Given, text: IncomingText) -> str:
    """Return why a draft cannot be used: nothing is in it, or it broke off too early."""
    looked_up = {row.id for row in given.rows if row.role == "find"}
    if not any(map(str.isalnum, MARK.sub("", text.marked))):
        return text.broken or "the model wrote nothing"
    spoken_of = {claim.row for claim in draft.claims if claim.status != "unsupported" or claim.doubt}
    if text.broken and 2 * len(looked_up & (spoken_of | given.counted.keys())) < len(looked_up):
        return text.broken
    return ""
