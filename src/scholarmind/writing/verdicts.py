"""What code can read off a quotation: yes or no, a name, date or number, and which of two things has more. Silent where it is not sure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.judge.amounts import Amount, amounts
from scholarmind.judge.open_questions import leaves_open
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.language import lazy_regex
from scholarmind.writing.answer_type import answer_type_of, asked_number
from scholarmind.writing.evidence_sentences import titles
from scholarmind.writing.quotations import Quote
from scholarmind.writing.sentence_content import denied
from scholarmind.writing.short_answers import candidates

_SURE = 0.6  # of a reader that the sentence answers
_HELD, _ALL = 0.6, 0.99  # of the words of a question, in the clause that says yes or no
_LONGEST_VALUE = 60
_CLAUSE = lazy_regex(
    r"[,，;；。](?!\d)|\b(?:but|while|whereas|although|however|unless|if|when|because|since|so that)\b|但是?|如果|除非|因为|所以|而"
)
_HEDGED = lazy_regex(
    r"\b(?:may|might|can be|could|sometimes|usually|often|partly|only|unless|except|if)\b|可能|有时|通常|部分|只|仅|除非|如果",
    re.IGNORECASE,
)
_ASKS_TWO = lazy_regex(r"\b(?:and|or)\b|和|与|还是|或|、", re.IGNORECASE)
_LATER = lazy_regex(
    r"\b(?:later|latest|newer|newest|younger|after|more recent|last)\b|[更最]?[晚新]|[更最]近", re.IGNORECASE
)
_EARLIER = lazy_regex(r"\b(?:earlier|earliest|older|oldest|before|first|sooner)\b|[更最]?早|更?先", re.IGNORECASE)
_MORE = lazy_regex(
    r"\b(?:high(?:er|est)|larger|largest|big(?:ger|gest)|more|most|greater|greatest|long(?:er|est)|tall(?:er|est)|heavi(?:er|est)"
    r"|exceeds?|further|farther|(?<!less )expensive|costlier|dearer|bett?er|best|outperforms?)\b"
    r"|[更最][高大多长重贵远强]|较[高大多长重贵]|优于|超过",
    re.IGNORECASE,
)
_LESS = lazy_regex(
    r"\b(?:low(?:er|est)|small(?:er|est)|fewer|fewest|less|least|short(?:er|est)|cheap(?:er|est)|light(?:er|est)|near(?:er|est)|quieter|quietest)\b"
    r"|[更最](?:低|小|少|短|轻|近|便宜|省)|较(?:低|小|少|短|轻|便宜)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[0-9]|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """An amount that a sentence says of a thing: as it stands there, and as it can be compared."""

    entity: str
    text: str
    amount: Amount
    counted: str = ""  # the word behind an amount that has no unit which can be compared: what there are so many of


# -- yes or no


def yes_or_no(question: str, quote: Quote) -> bool | None:
    """Return what a quotation answers a yes-or-no question; None where it is not one, or code cannot tell."""
    if answer_type_of(question).kind != "yes or no" or quote.shape != "prose" or _ASKS_TWO.search(question):
        return None
    asked = frozenset(terms(question)) - frozenset(
        terms("does do is are can could will would should has have 是否 能否 可以 能不能 有没有")
    )
    clauses = [
        clause
        for start, end in sentences(quote.text)
        if not leaves_open(quote.text[start:end], question)
        for clause in _CLAUSE.split(quote.text[start:end])
        if clause.strip() and not leaves_open(clause)
    ]
    around = frozenset(terms(" ".join((*titles(quote.evidence), *quote.evidence.passage.section))))
    held = [(len(asked & (frozenset(terms(clause)) | around)) / max(1, len(asked)), clause) for clause in clauses]
    share, best = max(held, key=lambda pair: pair[0], default=(0.0, ""))
    sure = 1.0 if quote.likely is None else quote.likely
    if share < _HELD or _HEDGED.search(best) or sure < (_SURE if share < _ALL else _SURE / 3):
        return None
    return (denied(best) + denied(_statement(question))) % 2 == 0


def _statement(question: str) -> str:
    """Return a question without the forms that only ask: 是不是, 能不能, isn't it."""
    return re.sub(
        r"(\w)不\1|有没有|是否|能否|\b(?:is|are|do|does|did|has|have|can|will)n['’]t\b",
        " ",
        question,
        flags=re.IGNORECASE,
    )


# -- a name, a date, a number


def value_of(question: str, quote: Quote, values: Sequence[str]) -> str:
    """Return the short answer that stands in a quotation, the first of `values` that surely is what is asked for; '' if none is."""
    want = answer_type_of(question)
    if quote.shape != "prose" or want.kind not in {"date", "number", "person", "place", "organisation"} or want.many:
        return ""
    if want.kind == "number":
        return _number_of(question, quote.text, values, want.noun)
    found = {fold(one.text): one for one in candidates(quote.text) if not one.part or one.kind != "name"}
    for value in values:
        one = found.get(fold(value))
        if one is None or not 0 < len(value) <= _LONGEST_VALUE or not _stands_whole(quote.text, value):
            continue
        if want.kind == "date" and one.kind == "date":
            return value
        if (
            want.kind in {"person", "place", "organisation"}
            and one.kind in {"name", "list"}
            and (quote.likely or 0) >= _SURE
        ):
            return value
    return ""


def _stands_whole(text: str, value: str) -> bool:
    """Tell whether a value begins and ends where words do."""
    edge = r"[A-Za-z0-9]"
    before = rf"(?<!{edge})(?<!{edge}[-.,])" if value[:1].isascii() else ""
    behind = rf"(?!{edge})(?![-.,]{edge})" if value[-1:].isascii() else ""
    return re.search(f"{before}{re.escape(value)}{behind}", text) is not None


def _number_of(question: str, text: str, values: Sequence[str], noun: str) -> str:
    """Return the number that is asked for as one of `values` writes it, else as it stands; '' where the text has it first elsewhere."""
    number = asked_number(question, text, noun)
    if number is None:
        return ""
    stands = text[number.start : number.end].strip(" -")
    for value in (*values, stands):
        if 0 < len(value) <= _LONGEST_VALUE and text.find(value) == number.start and _stands_whole(text, value):
            return value
    return ""


# -- which has more


def way(question: str) -> tuple[str, int] | None:
    """Return what a question compares by, "number" or "date", and whether it asks for the more or later (1) or the less (-1)."""
    found = [
        (kind, sign)
        for kind, sign, pattern in (
            ("number", -1, _LESS),
            ("number", 1, _MORE),
            ("date", 1, _LATER),
            ("date", -1, _EARLIER),
        )
        if pattern.search(question)
    ]
    return found[0] if len({kind for kind, _ in found}) == 1 else None


def measured(entity: str, others: Sequence[str], quote: Quote, kind: str, value: str = "") -> Measured | None:
    """Return the one amount that a quotation states of a thing: in the clauses that name it and none of the others."""
    text = _of_entity(entity, others, quote)
    if kind == "date":
        years = list(dict.fromkeys(_YEAR.findall(text)))
        shown = value if value and len(_YEAR.findall(value)) == 1 and value in text else "".join(years[:1])
        return (
            Measured(entity=entity, text=shown, amount=Amount(float(years[0]), "year", 0, 0, exact=True))
            if len(years) == 1
            else None
        )
    found = [amount for amount in amounts(text) if amount.unit != "year" and amount.exact]
    if value and value in text:
        inside = [amount for amount in amounts(value) if amount.exact]
        found = inside if len(inside) == 1 and any(one.value == inside[0].value for one in found) else found
    if len({(one.value, one.unit) for one in found}) != 1:
        return None
    shown = value if value and value in text and amounts(value) else text[found[0].start : found[0].end].strip()
    behind = text[text.find(shown) + len(shown) :]
    word = re.match(r"\s*([A-Za-z]+)", behind)
    return Measured(entity=entity, text=shown, amount=found[0], counted=word[1].lower().rstrip("s") if word else "")


def _of_entity(entity: str, others: Sequence[str], quote: Quote) -> str:
    """Return the part of a quotation that is about a thing, up to where another one is named."""
    text = " ".join(quote.text.split())
    low = fold(text)
    if len(low) != len(text):
        return text
    begin = low.find(fold(entity))
    named = sorted(place for other in others if other != entity and (place := low.find(fold(other))) >= 0)
    if not named:
        return text
    if begin < 0:
        return text[: named[0]] if fold(entity) in fold(quote.evidence.document.title) else ""
    end = next((place for place in named if place > begin), len(text))
    return text[begin + len(entity) : end]


def compare(cells: Sequence[Measured]) -> tuple[Measured, Measured] | None:
    """Return the more and the less of two amounts of one unit."""
    if len(cells) != 2 or cells[0].amount.unit != cells[1].amount.unit:
        return None
    one, two = cells
    if not one.amount.unit and one.counted != two.counted:
        return None
    return (one, two) if one.amount.value >= two.amount.value else (two, one)
