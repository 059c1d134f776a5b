"""Sentences of evidence: which can be quoted, what list or table they belong to, and how much of a question they hold.

A sentence can be quoted if it is whole prose, not a heading, a list of works, the rest of a table, or a question. A `QuotedUnit` is what is
quoted as one: sentences, a whole list with the sentence that introduces it (with marks, or as short lines behind a colon), rows of a table.
A question and the sentences of its evidence are read once (`QuestionTerms`, `Scene`) for everything that is to be found out about them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from scholarmind.judge.answers import names_in
from scholarmind.model import Evidence, Passage
from scholarmind.text.analysis import sentences, spans, terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.writing.answer_type import CHINESE_RELATIONS, RELATIONS, AnswerType, answer_type_of, relation_as_words

# -- sentences that can be quoted

_HAN = "\u3400-\u9fff"
_LONGEST, _SHORTEST, _SHORTEST_HAN = 700, 20, 8
_FEWEST_LETTERS = 12  # of a quotation that code can verify
_ENDS = re.compile(r"[.!…。！；;:：](?:[\"'”’)\]」』）]|\[\^?\d{1,3}\]|\^\d{1,3}\^?|[⁰¹²³⁴-⁹])*$")
_ENDS_IN_A_LETTER = re.compile(r"(?:^|[\s(])[a-z]\.$")  # "c.": an abbreviation, so the sentence goes on
_ASKS = re.compile(r"[?？][\"'”’)\]」』）]*$")
_MARKUP = re.compile(r"^(?:#{1,6}\s|\|)|\|[^|]{0,200}\||\t[^\t]{0,200}\t|^(?:!\[|<)")
_WORKS = re.compile(
    r"\bet al\.,? ?(?:\(?\d{4}|[A-Z\"“])|\bpp?\. ?\d|\bdoi:|\bdoi\.org|\barXiv(?: preprint|:)|\bProceedings of\b|\b[Vv]ol\. ?\d|\bISBN\b"
)

_NUMBERED = re.compile(r"^\[\d{1,4}\]\s")
_FAMILY_FIRST = re.compile(r"\b[A-Z][a-z]+, [A-Z]\.")
_INITIALS = re.compile(r"\b[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z][a-z]+,")
_CHINESE_WORKS = re.compile(r"\[[JMCDPR](?:/OL)?\]")
_LEANS = re.compile(
    r"(?:It|They|He|She|Its|Their|His|Her|These|Those|This|That|Such|Both|However|Therefore|Thus|Moreover|Furthermore|In addition|"
    r"Consequently|Hence|The (?:former|latter|same))\b(?! (?:paper|work|article|study|report|note|chapter|section|is (?:well )?known|was "
    r"(?:announced|reported))\b)|(?:它|他|她|该|其|这|此|后者|前者|上述|因此|然而|但|同时|另外|此外|所以|不过)(?!篇|文|论文)"
)

_OPENING = re.compile(rf"[A-Z0-9{_HAN}\"'“‘(《「（\[$€£¥\u00c0-\u00de\u0391-\u042f]|[a-z]+[A-Z0-9-]")
_OF_PERSONS = re.compile(
    r"\b(?:by|from|of|at) (?:[A-Z]\w+ ){2}|\b(?:comes from|published|proposed by|written by|joint work|authors?|team)\b|作者|来自|发表"
)

_LETTER = re.compile(r"[^\W\d_]")


def is_prose(sentence: str) -> bool:
    """Tell whether a sentence is whole text and says something by itself."""
    text = sentence.strip()
    shortest = _SHORTEST_HAN if re.search(rf"[{_HAN}]{{4}}", text) else _SHORTEST
    if not (shortest <= len(text) <= _LONGEST) or _ASKS.search(text) or _MARKUP.search(text) or is_work(text):
        return False
    letters = len(_LETTER.findall(text))
    return letters >= 0.45 * len(text.replace(" ", "")) and not _is_heading(text)


def _is_heading(text: str) -> bool:
    """Take a short line without a full stop for a heading."""
    return not ends(text) and (len(text) < 60 if text.isascii() else len(text) < 16)


def ends(text: str) -> bool:
    """Tell whether the text ends as a sentence does."""
    return _ENDS.search(text[-12:]) is not None and not _ENDS_IN_A_LETTER.search(text[-4:])


def begins(text: str) -> bool:
    """Tell whether the text begins as a sentence does, not in the middle of one."""
    return _OPENING.match(text) is not None


def is_short(text: str) -> bool:
    """Tell whether the text has too few letters for a quotation that can be checked."""
    return sum(map(str.isalnum, text[:200])) < _FEWEST_LETTERS


def is_work(text: str) -> bool:
    """Tell whether this is a line of a list of works."""
    signs = len(_WORKS.findall(text)) + 2 * bool(_NUMBERED.match(text)) + bool(_INITIALS.search(text))
    signs += min(2, len(_FAMILY_FIRST.findall(text)))
    return signs >= 2 or _CHINESE_WORKS.search(text) is not None


def leans(text: str) -> bool:
    """Tell whether the sentence needs the one before it: it begins with a pronoun or a linking word."""
    return _LEANS.match(text.lstrip("\"'“‘(")) is not None


def tells_of_persons(text: str) -> bool:
    """Tell whether a sentence tells who made something, or where it appeared."""
    return _OF_PERSONS.search(text) is not None


# -- lists and tables

Shape = Literal["prose", "list", "table"]
BlockKind = Literal["prose", "line", "item", "row", "heading"]
_LONGEST_LIST, _MOST_ITEMS, _LONGEST_TABLE, _MOST_ROWS = 1_200, 14, 1_000, 10
_LONGEST_ITEM = 260  # of a paragraph that stands in a list without marks
_SHORT_LINE = 160
_FEWEST_SIGNS = 4
_LONGEST_TERM = 30  # a line that what follows it defines
_WRAPPED = 55  # a line so long goes on in the next one
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"[\s|:+=-]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·–●○▪■□◦‣►➢][ \t]*|\(?\d{1,2}[.)、）][ \t]*|\([a-z]\)[ \t]*|[a-z]\)[ \t]+)(?=\S)")
_MARK = lazy_regex(r"^[ \t]*(?:[-*+•·–●○▪■□◦‣►➢]|\(?\d{1,2}[.)、）]|\(?[a-z]\))[ \t]*")
_FULL_STOP = re.compile(r"[.!?。！？；;:：][\"'”’)\]」』）]*$")
_INTRODUCES = re.compile(r"[:：]$")
_PROMISES = lazy_regex(
    r"\b(?:following|below|these|as follows|include[sd]?|including)\b|以下|如下|下列|下面|包括|这些", re.IGNORECASE
)

_FIELD = lazy_regex(r"(?:^|; )([^:;\n]{1,60}): ")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, a heading, an item of a list, a row of a table, or a line that is no sentence, by its place in the passage."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True, slots=True)
class QuotedUnit:
    """What is quoted as one, by its place in the passage. A list that `dangles` ends in its introduction."""

    start: int
    end: int
    shape: Shape
    dangles: bool = False


def unit_at(passage: Passage, start: int, end: int) -> QuotedUnit:
    """Return the unit that a sentence, by its place in the passage, belongs to."""
    text = passage.text
    blocks = blocks_of(text, passage.kind)
    inside = [n for n, block in enumerate(blocks) if block.start < end and start < block.end]
    if not inside:
        return QuotedUnit(start, end, "prose")
    here, last = inside[0], inside[-1]
    if blocks[here].kind == "row":
        return _table(blocks, here)
    if last > here and _INTRODUCES.search(text[start : blocks[here].end]):
        return _introduced(text, blocks, here, start)
    if last > here and not (last == here + 1 and blocks[here].end - start <= _LONGEST_TERM):
        here, start = last, blocks[last].start  # lines that are no sentences stand before it
    if _INTRODUCES.search(text[start:end]) and end >= blocks[last].end:
        return _introduced(text, blocks, last, start)
    if (run := _run_around(text, blocks, here)) is not None:
        first, until = run
        begin = blocks[first].start
        if first and _INTRODUCES.search(text[: blocks[first - 1].end]):
            begin = _last_sentence(text, blocks[first - 1])
        if blocks[until].end - begin <= _LONGEST_LIST:
            return QuotedUnit(begin, blocks[until].end, "list")
        return QuotedUnit(blocks[here].start, blocks[here].end, "list")
    if mark := _MARK.match(text[start:end]):
        start += mark.end() if blocks[here].kind == "item" and start == blocks[here].start else 0
    return QuotedUnit(start, end, "prose")


def _introduced(text: str, blocks: Sequence[TextBlock], at: int, start: int) -> QuotedUnit:
    """Return the list or table behind block `at`, with the sentence from `start` on that introduces it."""
    end = blocks[at].end
    following = blocks[at + 1 :]
    if not following:
        return QuotedUnit(start, end, "list", dangles=True)
    if following[0].kind == "row":
        table = _table(blocks, at + 1)
        return (
            QuotedUnit(start, table.end, "table")
            if table.start == following[0].start
            else QuotedUnit(start, end, "list", True)
        )
    if _is_empty(text[following[0].start : following[0].end]) and not _PROMISES.search(text[start:end]):
        return QuotedUnit(start, end, "prose")  # behind it stands a picture
    if _INTRODUCES.search(text[following[0].start : following[0].end]) and following[1:]:
        return _introduced(text, blocks, at + 1, start)  # "with these steps: install the following:"
    for count, block in enumerate(following):
        is_same = block.kind == following[0].kind and _is_point(text, block)
        if not is_same or count >= _MOST_ITEMS or block.end - start > _LONGEST_LIST:
            if not count and block.kind in {"prose", "line", "item"} and block.end - start <= _LONGEST_LIST:
                end = block.end
            break
        end = block.end
    return QuotedUnit(start, end, "list", dangles=end == blocks[at].end)


def listed_first(passage: Passage) -> QuotedUnit:
    """Return the list or table that a passage begins with; one that dangles where it begins with anything else."""
    blocks = blocks_of(passage.text, passage.kind)
    first = blocks[0] if blocks else TextBlock(0, 0, "prose")
    if first.kind == "row":
        return _table(blocks, 0)
    last = 0
    while first.kind in {"item", "line"} and last + 1 < len(blocks) and blocks[last + 1].kind == first.kind:
        last += 1
    fits = last > 0 and blocks[last].end <= _LONGEST_LIST
    return QuotedUnit(first.start, blocks[last].end, "list") if fits else QuotedUnit(0, 0, "list", dangles=True)


def _is_empty(text: str) -> bool:
    return sum(map(str.isalnum, text)) < _FEWEST_SIGNS


@lru_cache(maxsize=512)
def blocks_of(text: str, kind: str) -> tuple[TextBlock, ...]:
    """Return what a passage is made of, in order."""
    return tuple(_blocks(text, kind))


def _blocks(text: str, passage_kind: str) -> Iterator[TextBlock]:
    open_block: TextBlock | None = None
    place = 0
    for line in text.split("\n"):
        start, end = place + len(line) - len(line.lstrip()), place + len(line.rstrip())
        place += len(line) + 1
        if start >= end:
            if open_block:
                yield open_block
            open_block = None
            continue
        if _HEADING.match(line):
            kind = "heading"
        elif passage_kind == "table" or _ROW.match(line):
            kind = "row"
        else:
            kind = "item" if _ITEM.match(line) else "prose"
        if open_block and kind == "prose" and _goes_on(text[open_block.start : open_block.end], open_block, line):
            open_block = TextBlock(open_block.start, end, open_block.kind)
            continue
        if open_block:
            yield open_block
        open_block = TextBlock(start, end, kind)
        if kind == "prose" and end - start <= _SHORT_LINE and not _FULL_STOP.search(text[start:end]):
            open_block = TextBlock(start, end, "line")
    if open_block:
        yield open_block


def _goes_on(before: str, block: TextBlock, line: str) -> bool:
    """Tell whether a line goes on with a paragraph or an item: it was wrapped, or is indented below its mark."""
    if block.kind not in {"prose", "item", "line"}:
        return False
    if block.kind == "item" and line.startswith((" ", "\t")):
        return True
    last = before.rpartition("\n")[2]
    width = sum(1 if character.isascii() else 2 for character in last)
    return width >= _WRAPPED and not (_FULL_STOP.search(last) and width < _WRAPPED)


def _is_point(text: str, block: TextBlock) -> bool:
    """Tell whether a block may be an item of a list that is quoted whole: one sentence or two."""
    few = len(list(sentences(text, block.start, block.end))) <= (2 if block.kind == "item" else 1)
    return few and block.end - block.start <= _LONGEST_ITEM and not _INTRODUCES.search(text[block.start : block.end])


def _run_around(text: str, blocks: Sequence[TextBlock], here: int) -> tuple[int, int] | None:
    """Return the first and the last item of the list that a block stands in; None if it stands in none."""
    kind = blocks[here].kind
    if kind not in {"prose", "line", "item"} or not _is_point(text, blocks[here]):
        return None
    first = last = here
    while first > 0 and blocks[first - 1].kind == kind and _is_point(text, blocks[first - 1]):
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1].kind == kind and _is_point(text, blocks[last + 1]):
        last += 1
    is_introduced = first > 0 and _INTRODUCES.search(text[: blocks[first - 1].end]) is not None
    if kind != "item" and not is_introduced:
        return None
    if kind == "item" and any(0 <= n < len(blocks) and blocks[n].kind == "item" for n in (first - 1, last + 1)):
        return None  # others of its items are whole paragraphs
    return (first, last) if last > first or is_introduced else None


def _last_sentence(text: str, block: TextBlock) -> int:
    return max((start for start, _ in sentences(text, block.start, block.end)), default=block.start)


def _table(blocks: Sequence[TextBlock], here: int) -> QuotedUnit:
    """Return a whole table if it is small, else the row."""
    first = last = here
    while first > 0 and blocks[first - 1].kind == "row":
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1].kind == "row":
        last += 1
    start, end = blocks[first].start, blocks[last].end
    if last - first < _MOST_ROWS and end - start <= _LONGEST_TABLE:
        return QuotedUnit(start, end, "table")
    return QuotedUnit(blocks[here].start, blocks[here].end, "table")


# -- as they are shown


def items_of_list(text: str) -> tuple[str, list[str]]:
    """Return the sentence that introduces a list, '' if there is none, and its items without marks."""
    found = [text[block.start : block.end] for block in blocks_of(text, "")]
    lead = ""
    if len(found) > 1 and _INTRODUCES.search(found[0]) and not _ITEM.match(found[0]):
        lead, found = found[0], found[1:]
    return lead, [_MARK.sub("", item) for item in found]


def rows_of_table(text: str) -> tuple[str, list[list[str]]]:
    """Return what introduces a table, '' if nothing does, and its rows with the head first.

    Rows are lines between `|`, or the fields of a record each ("Name: x; Size: y").
    """
    given = [line.strip() for line in text.split("\n") if line.strip()]
    lines = [line for line in given if not _RULE.fullmatch(line)]
    lead: list[str] = []
    while lines and not (_ROW.match(lines[0]) or _FIELD.match(lines[0]) or " | " in lines[0]):
        lead.append(lines.pop(0))
    if lines and (_ROW.match(lines[0]) or " | " in lines[0]):
        rows = [_cells(line) for line in lines]
        has_head = len(lines) < len(given) - len(lead) or _ROW.match(lines[0])
        return " ".join(lead), rows if has_head else [[""] * len(rows[0]), *rows]
    records = [dict(_fields(line)) for line in lines]
    head = list(dict.fromkeys(name for record in records for name in record))
    if not records or len(head) > 8:
        return text, []
    return " ".join(lead), [head, *([record.get(name, "") for name in head] for record in records)]


def head_of_table(passage: Passage, start: int) -> str:
    """Return the row that names the columns of the table which stands at a place; '' if it is that row, or has none."""
    blocks = blocks_of(passage.text, passage.kind)
    here = max((n for n, block in enumerate(blocks) if block.start <= start), default=0)
    first = here
    while first > 0 and blocks[first - 1].kind == "row":
        first -= 1
    text = passage.text[blocks[first].start : blocks[first].end] if blocks else ""
    return text if first != here and "|" in text else ""


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _fields(line: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a row that is written as a record."""
    found = list(_FIELD.finditer(line))
    if unnamed := line[: found[0].start()].strip(" ;") if found else "":
        yield "", unnamed
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(line)
        yield match[1].strip(), line[match.end() : end].strip(" ;")


# -- a question and the sentences of its evidence, read once

_MOST_PASSAGES = 10
MOST_SENTENCES = 14  # of all passages together; the rest hold too little of the question
_LONGEST_PASSAGE = 8_000
_LONGEST_QUESTION = 2_000
_NOUN_SHARE = 0.4  # "which country": an answer rarely stands beside the word country
_VERB_SHARE = 0.4
_VERBS = "use have do make get contain include take become call name 使用 采用"
_ASKING_SHARE = 0.1  # no source has to say "explain" or "compare"
# words that ask or compare: no source has to say them
_ASKING = """
much many compare compared comparison summarize summarise summary describe explain explained list tell give name based according
following respectively between difference versus vs outline please define discuss identify state mention mentioned some any one
same either whether higher lower earlier later greater larger smaller more fewer less longer better worse first many kind type
number amount name names person people often usually called considered known does through along also around during per end all
each both own within among while about most
"""

_FRAMING = frozenset(terms("perform performance fare"))
_HEADING_NUMBER = re.compile(r"^[\d.]+\s*")
_GENERAL_ASKING = frozenset("many much name type kind term".split())
Tokens = tuple[tuple[int, int, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question as the scoring needs it."""

    wanted: AnswerType
    weights: Mapping[str, float]  # by term: what the evidence should hold
    related: frozenset[str]  # other words for the relation that is asked about
    han: tuple[str, ...]  # the same in Chinese, as pieces of text
    noun: frozenset[str]
    unit: frozenset[str]
    text: str
    names: frozenset[str]  # the terms of the names in it


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence with what is around it."""

    text: str
    evidence: Evidence
    rank: int
    number: int  # of the sentence within its passage
    start: int  # in the passage
    tokens: Tokens
    hits: tuple[int, ...]  # which tokens are of the question
    title: frozenset[str]
    named: bool  # the question names the document
    heading: frozenset[str]  # the terms of the headings above it
    own_heading: frozenset[str]  # those of the last of them
    before: frozenset[str]  # the terms of the sentence before
    before_text: str  # that sentence, where this one leans on it
    coverage: float


def read_question(
    question: str, rarity: Mapping[str, float], evidence: Sequence[Evidence] = (), context: str = ""
) -> QuestionTerms:
    """Read a question once for all candidates. Words that the evidence has only in translation are looked for in that.

    Those of its context count like its own; what kind of answer is wanted, it alone says.
    """
    want = answer_type_of(question[:_LONGEST_QUESTION])
    question = f"{context} {question[:_LONGEST_QUESTION]}".lstrip()
    text = relation_as_words(question)
    noun = frozenset(terms(want.noun))
    unit = frozenset(terms(want.unit))
    words = [term for term in terms(text) if term not in _GENERAL_ASKING]
    unknown = max(rarity.values(), default=1.0)
    weights = {word: max(0.05, rarity.get(word, unknown)) * _share(word, noun) for word in words}
    _translate(question, weights, evidence[:_MOST_PASSAGES])
    total = sum(weights.values()) or 1.0
    related = frozenset[str]().union(*(group for group in _relations() if not group.isdisjoint(words)))
    groups = [line.split() for line in CHINESE_RELATIONS.splitlines()]
    han = tuple(cue for group in groups if any(word in text for word in group) for cue in group)
    shares = {word: weight / total for word, weight in weights.items()}
    related |= {word for word in words if word in related}
    names = frozenset(term for name in names_in(question) for term in terms(name))
    return QuestionTerms(want, shares, related, han, noun, unit, text.lower(), names)


def _translate(question: str, weights: dict[str, float], evidence: Sequence[Evidence]) -> None:
    """Hand the weight of a word on to its translation where the evidence has that and not the word."""
    language = "zh" if HAN.search(question) else "en"
    if all(item.passage.language in ("", language) for item in evidence):
        return
    held = frozenset(term for item in evidence for term in terms(item.passage.text[:_LONGEST_PASSAGE]))
    for word, others in translations(question):
        own = [term for term in terms(word) if term in weights and term not in held]
        other = next((found for text in others if (found := terms(text)) and held.issuperset(found)), None)
        if own and other:
            weight = sum(weights.pop(term) for term in set(own))
            for term in set(other):
                weights[term] = max(weights.get(term, 0.0), weight / len(set(other)))


@cache
def _relations() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(terms(line)) for line in RELATIONS.strip().splitlines())


@cache
def _asking() -> frozenset[str]:
    return frozenset(terms(_ASKING))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(terms(_VERBS))


def _share(word: str, noun: frozenset[str]) -> float:
    if word in _asking():
        return _ASKING_SHARE
    return _NOUN_SHARE if word in noun else _VERB_SHARE if word in _verbs() or word in _FRAMING else 1.0


def scenes(asked: QuestionTerms, evidence: Sequence[Evidence], most: int = MOST_SENTENCES) -> list[Scene]:
    """Return the sentences that hold most of the question, best first."""
    found = [scene for rank, item in enumerate(evidence[:_MOST_PASSAGES]) for scene in _scenes(asked, item, rank)]
    found.sort(key=lambda scene: scene.coverage - 0.03 * scene.rank, reverse=True)
    return found[:most]


def _scenes(asked: QuestionTerms, item: Evidence, rank: int) -> Iterator[Scene]:
    text = item.passage.text[:_LONGEST_PASSAGE]
    title = frozenset(terms_of(" ".join(titles(item))))
    known = named(asked, item)
    heading = frozenset(terms_of(" ".join(item.passage.section[1:]))) - title
    own = item.passage.section[-1] if item.passage.section[1:] else ""
    own_heading = frozenset(terms_of(_HEADING_NUMBER.sub("", own)))
    before: frozenset[str] = frozenset()
    last = ""
    for number, (start, end) in enumerate(sentences(text)):
        sentence = text[start:end]
        tokens = _tokens(sentence)
        hits = tuple(place for place, token in enumerate(tokens) if not token[2].isdisjoint(asked.weights))
        inside = frozenset[str]().union(*(token[2] for token in tokens))
        held = inside | title
        around = before | heading
        coverage = sum(w * (1.0 if t in held else 0.4 if t in around else 0) for t, w in asked.weights.items())
        coverage += 0.15 * bool(asked.related & inside) + 0.15 * bool((asked.related | asked.noun) & heading)
        leant_on = last if leans(sentence) else ""
        yield Scene(
            sentence,
            item,
            rank,
            number,
            start,
            tokens,
            hits,
            title,
            known,
            heading,
            own_heading,
            before,
            leant_on,
            coverage,
        )
        before, last = inside, f"{leant_on} {sentence}"


@lru_cache(maxsize=4096)
def _tokens(sentence: str) -> Tokens:
    return tuple(spans(sentence))


@lru_cache(maxsize=8192)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the terms of a short text that comes again."""
    return tuple(terms(text))


def titles(item: Evidence) -> tuple[str, ...]:
    """Return the names of the evidence's document."""
    aliases = item.document.metadata.get("aliases", ())
    names = aliases if isinstance(aliases, tuple) else (aliases,)
    return (item.document.title, *map(str, names[:20]))


def named(asked: QuestionTerms, item: Evidence) -> bool:
    """Tell whether the question names the document, so that its title cannot be the answer."""
    return any(own and own <= asked.weights.keys() for own in (set(terms_of(name)) for name in titles(item)))
