"""The writer that asks a language model: which passages it is shown, one streamed call, and of the reply only what passages confirm.

Of each row those passages are shown that count most. Measured with one search and the same number of tokens beside it
(`bench/points.py`): what a plan found is shown, not only its first five.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from scholarmind.answer import Claim, Draft, Finding
from scholarmind.calls import Reply, Request
from scholarmind.citing.citation_styles import assign
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError
from scholarmind.llm import prompts
from scholarmind.llm.language_models import tokens_of
from scholarmind.llm.prompts import Assistant, Fenced, fenced, head_of, within
from scholarmind.model import Evidence
from scholarmind.plan import Ask, Kind, Plan, Role
from scholarmind.ports import Entailment, Material, Writer
from scholarmind.ranking import Key, key_of, merged, passage_id
from scholarmind.steps.execute import resolved
from scholarmind.steps.options import Form, Language, Length
from scholarmind.text.analysis import fold
from scholarmind.text.language import language_of, lazy_regex
from scholarmind.text.untrusted import is_order
from scholarmind.writing.answer_markdown import bracketed, cite, harmless, placed, unanchored, words_for
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
from scholarmind.writing.evidence_sentences import is_short
from scholarmind.writing.sentence_content import Quantity, conflicting, contradicts, covered, numbers, words_of
from scholarmind.writing.tallies import (
    Recounter,
    TallyText,
    conflict,
    counted,
    proving,
    tallies_of,
    tally_block,
    tally_lines,
    with_counted,
)

# -- the passages that are shown

_ITEM = re.compile(r"\s*(?:[-*•|]|\d{1,3}[.)、])")
_LONGEST_PASSAGE = 2_000  # characters of a passage that are shown
_PROOFS = 6  # passages of each row that was counted
_RESTED_ON = 2  # passages in which a short answer stands, where nobody said which it is from
_EACH_ROW = 2  # passages at least


def within_tokens(
    plan: Plan, findings: Sequence[Finding], ranked: Sequence[Evidence], tokens: int
) -> tuple[Evidence, ...]:
    """Return the passages to show: what answers and counts rest on, then two a row, then the best of the rest.

    `ranked` are those to choose from, best first. Every row keeps its best passage, however few tokens there are.
    """
    pool = merged((ranked, *(finding.evidence for finding in findings), *_proofs(findings).values()))
    rows = [row for part in plan.parts if part.role == "find" for row in part.row_ids]
    first = [next((key_of(item) for item in _of_row(findings, row)), None) for row in rows]
    chosen: dict[Key, None] = dict.fromkeys(key for key in first if key is not None)
    left = tokens - sum(cost(pool[key]) for key in chosen)
    for wanted in _by_need(findings, ranked, rows):
        for key in (wanted, *_goes_on(wanted, pool)):
            if key not in chosen and (own := cost(pool[key])) <= left:
                chosen[key] = None
                left -= own
    labels = {key: _rows_proved(findings, key) for key in chosen}
    shown = [pool[key].rated(pool[key].scores.fused, pool[key].found_by | labels[key]) for key in chosen]
    return tuple(shown)


def fewer(plan: Plan, findings: Sequence[Finding], shown: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the half of these passages that counts most."""
    return within_tokens(plan, findings, shown, sum(map(cost, shown)) // 2)


def cost(item: Evidence) -> int:
    """Return about how many tokens a passage takes where it is shown."""
    return tokens_of(item.passage.text[:_LONGEST_PASSAGE]) + tokens_of(head_of(item))


def _goes_on(key: Key, pool: Mapping[Key, Evidence]) -> Iterator[Key]:
    """Yield the neighbours of a passage that breaks off, or begins, inside a list or a table."""
    collection, document, position = key
    for first, second, other in ((position, position + 1, 1), (position - 1, position, 0)):
        pair = (collection, document, first), (collection, document, second)
        if all(one in pool for one in pair):
            ends, begins = (pool[one].passage.text.strip().split("\n") for one in pair)
            if _ITEM.match(ends[-1]) and _ITEM.match(begins[0]):
                yield pair[other]


def _by_need(findings: Sequence[Finding], ranked: Sequence[Evidence], rows: Sequence[str]) -> Iterator[Key]:
    """Yield the passages in the order in which they are wanted."""
    for finding in findings:
        # the passages that the short answer of a part is from
        if finding.rests_on:
            yield from (key_of(item) for item in finding.evidence if passage_id(item) in finding.rests_on)
        elif finding.answer:
            said = fold(finding.answer)
            holding = (key_of(item) for item in finding.evidence if said in fold(item.passage.text))
            yield from (key for key, _ in zip(holding, range(_RESTED_ON), strict=False))
    for proofs in _proofs(findings).values():
        yield from map(key_of, proofs)
    for place in range(_EACH_ROW):
        for row in rows:
            yield from map(key_of, _of_row(findings, row)[place : place + 1])
    yield from map(key_of, ranked)


def _of_row(findings: Sequence[Finding], row: str) -> list[Evidence]:
    return [
        item for finding in findings if row in finding.part.row_ids for item in finding.evidence if row in item.found_by
    ]


def _proofs(findings: Sequence[Finding]) -> Mapping[str, Sequence[Evidence]]:
    """Return for each row that was counted some of the passages that prove it."""
    return {row: [*merged([list(proving(tally))]).values()][:_PROOFS] for row, tally in tallies_of(findings).items()}


def _rows_proved(findings: Sequence[Finding], key: Key) -> frozenset[str]:
    return frozenset(row for row, proofs in _proofs(findings).items() if any(key_of(item) == key for item in proofs))


# -- the request

_WORDS = Path(prompts.__file__).with_name("prompts") / "answer.json"
_TOKENS: dict[Length, int] = {"short": 800, "medium": 2_000, "long": 5_000}
_TOKENS_OF_REPORT = 40  # that a row takes
_LONGEST_ANSWER = 600
_LATIN = frozenset(("en", "de", "fr", "es", "it", "pt", "nl"))
_ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|were|does|did|what|which|how|who|why|when|where|and|compare|explain|between|with|has|have)\b",
    re.IGNORECASE,
)

_TELLING_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRow:
    """One thing that is asked, with the answers that it waited for filled in."""

    id: str
    part: int
    role: Role
    kind: Kind
    ask: Ask
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How an answer shall be written. `language` is a code, or '' where the question does not tell."""

    form: Form
    length: Length
    language: str


def rows_of(plan: Plan, findings: Sequence[Finding]) -> tuple[AskedRow, ...]:
    """Return the rows of a plan in order."""
    by_part = {finding.part.id: finding for finding in findings}
    found: list[AskedRow] = []
    for part in plan.parts:
        given = {number: by_part[number] for number in part.depends_on if number in by_part}
        for name, ask in zip(part.row_ids, part.rows, strict=True):
            question = resolved(part, given, ask.text)
            found.append(AskedRow(id=name, part=part.id, role=part.role, kind=part.kind, ask=ask, question=question))
    return tuple(found)


def language_for(question: str, language: Language) -> str:
    """Return the code of the language to write in, or '' where a short question does not tell: 'LA Confidential' is not Spanish."""
    if language != "question":
        return language
    code = language_of(question)
    if code in _LATIN and not (code == "en" and _ENGLISH.search(question)) and len(question.split()) < _TELLING_WORDS:
        return ""
    return code


def answer_request(
    assistant: Assistant,
    plan: Plan,
    findings: Sequence[Finding],
    evidence: Sequence[Evidence],
    manner: Manner,
    *,
    again: bool,
) -> tuple[Request, Mapping[str, Evidence]]:
    """Return the call that writes an answer, and the passages by their keys; `again` if the last one was in another language."""
    language = "zh" if manner.language == "zh" else "en"
    words, rows = _words()[language], rows_of(plan, findings)
    shown = _passages(evidence, rows, assistant.marker, words)
    named = words.get(f"of {manner.language}", "")
    values = {
        "question": within(plan.question, assistant.marker, "question"),
        "parts": "\n\n".join(_to_answer(plan, findings, shown, assistant.marker, words)),
        "passages": shown.text,
        "tongue": words["language"].format(language=named) if named else words["same"],
        "form": words[manner.form],
        "length": words[manner.length],
        "again": (words["again"].format(language=named) if named else words["again same"]) if again else "",
    }
    most = _TOKENS[manner.length] + _TOKENS_OF_REPORT * len(rows)
    return assistant.request(("answer", language), purpose="answer", max_tokens=most, values=values), shown.passages


def _to_answer(
    plan: Plan, findings: Sequence[Finding], shown: Fenced, marker: str, words: Mapping[str, str]
) -> Iterator[str]:
    """Yield the rows to answer, and what was counted for them, if anything was."""
    yield f"{words['parts']}\n{within(_listed(plan, findings, shown, words), marker, 'parts')}"
    if counted := tally_lines(findings, shown.passages):
        yield f"{words['counted']}\n{within(counted, marker, 'counted')}"


def _listed(plan: Plan, findings: Sequence[Finding], shown: Fenced, words: Mapping[str, str]) -> str:
    by_part = {finding.part.id: finding for finding in findings}
    keys = {passage_id(item): key for key, item in shown.passages.items()}
    lines: list[str] = []
    for row in rows_of(plan, findings):
        part, finding = plan.part(row.part), by_part.get(row.part)
        known: list[str] = []
        if part.role != "find":
            known.append(words[part.role].format(parts=", ".join(map(str, part.depends_on))))
        if finding and finding.error:
            known.append(words["failed"])
        if finding and finding.answer and row.id == part.row_ids[0]:
            cited = "".join(f"[{keys[one]}]" for one in finding.rests_on if one in keys)
            answer = f"{finding.answer[:_LONGEST_ANSWER]} {cited}".rstrip()
            known.append(words["short answer"].format(answer=answer))
        if finding and finding.lacks:
            known.append(words["lacks"].format(lacks=finding.lacks[:_LONGEST_ANSWER]))
        text = " ".join(row.question.split())
        lines.append(f"{row.id}: {text}" + (f" ({'; '.join(known)})" if known else ""))
    return "\n".join(lines)


def _passages(evidence: Sequence[Evidence], rows: Sequence[AskedRow], marker: str, words: Mapping[str, str]) -> Fenced:
    known = [row.id for row in rows]
    evidence = _grouped(evidence, rows)
    found_for = {
        f"P{place}": words["found for"].format(rows=", ".join(own))
        for place, item in enumerate(evidence, 1)
        if (own := [row for row in known if row in item.found_by])
    }
    return fenced(evidence, marker, notes=found_for)


def _grouped(evidence: Sequence[Evidence], rows: Sequence[AskedRow]) -> list[Evidence]:
    """Return the passages row by row, each at the first row that it serves; those of an overview in the order of years.

    What serves no row comes last.
    """

    def place(item: Evidence) -> tuple[int, int]:
        found = next(((number, row) for number, row in enumerate(rows) if row.id in item.found_by), None)
        if found is None:
            return len(rows), 0
        number, row = found
        return number, (item.document.year or 0) if row.kind == "global" else 0

    return sorted(evidence, key=place)


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return json.loads(_WORDS.read_text(encoding="utf-8"))


# -- what a model reports of the parts, and how it says that something is missing

State = Literal["answered", "missing", "conflicting"]
_LONGEST_READ = 20_000
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
    given = text[:_LONGEST_READ]
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
        words = words_for(material.plan.question)
        tallies = tallies_of(material.findings)
        given = Given(
            counted={row: counted(tally, keys, words) for row, tally in tallies.items()},
            question=material.plan.question,
            rows=rows_of(material.plan, material.findings),
            passages=passages,
            keys={key: keys[item.document.collection, item.document.id] for key, item in passages.items()},
            values={one.part.row_ids[0]: one.answer for one in material.findings if len(one.part.rows) == 1},
        )
        attacher = Attributor(passages, keys, self._entailment)
        text = IncomingText(attacher, given.keys, language, draft=draft, on_piece=on_piece, longest=_LONGEST_TEXT)
        reading = asyncio.create_task(asyncio.to_thread(attacher.read))  # while the model thinks
        try:
            # take what the model says until there is enough of it; then the connection is closed
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
        except (ModelError, TimeoutError) as error:
            if not text.marked.strip():
                raise
            text.cut(f"the model broke off ({str(error) or _LATE})")
        finally:
            await asyncio.wait([reading])
        return _WrittenReply(given=given, attacher=attacher, text=text)

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
    gap = "\n" * max(0, 2 - (len(asked.text.marked) - len(asked.text.marked.rstrip("\n"))))
    on_piece(f"{gap}{unanchored(below)}", asked.text.draft)
    return with_counted(draft, below, given.counted, conflicts)


def _problem(draft: Draft, given: Given, text: IncomingText) -> str:
    """Return why a draft cannot be used: nothing is in it, or it broke off too early."""
    looked_up = {row.id for row in given.rows if row.role == "find"}
    if not any(map(str.isalnum, MARK.sub("", text.marked))):
        return text.broken or "the model wrote nothing"
    spoken_of = {claim.row for claim in draft.claims if claim.status != "unsupported" or claim.doubt}
    if text.broken and 2 * len(looked_up & (spoken_of | given.counted.keys())) < len(looked_up):
        return text.broken
    return ""
