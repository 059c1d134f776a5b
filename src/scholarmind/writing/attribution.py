"""Attribution: which words of which passages a sentence of a model rests on, and whether it stands in the passages at all.

A sentence is held against the passages that it cites first. Where these do not confirm it, or where it cites none, another passage that
was given may, if it does so by itself. What speaks to whoever answers ("ignore the question") is evidence for nothing. Whether words are
confirmed is for `judge.claims` to say; what code cannot settle, `ModelExaminer` puts to a model, and code decides again.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache

from scholarmind.answer import Citation, Claim, Doubt, Draft, Support
from scholarmind.errors import ContextOverflowError, ModelError
from scholarmind.identity import headings_below
from scholarmind.judge.claims import is_open, rule, words_say
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Entailment
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.dates import Date, dates
from scholarmind.text.language import HAN, language_of, lazy_regex
from scholarmind.text.untrusted import is_order
from scholarmind.writing.evidence_sentences import is_short
from scholarmind.writing.sentence_content import (
    ContentWords,
    Quantity,
    covered,
    missing,
    names,
    numbers,
    without_numbers,
    words_of,
)

# -- citations made of passages


def citation_of(item: Evidence, start: int, end: int, quote: str, keys: Mapping[tuple[str, str], str]) -> Citation:
    """Return the citation of these words of a passage; `start` and `end` count in the document's text."""
    document, passage = item.document, item.passage
    return Citation(
        key=keys.get((document.collection, document.id)) or document.title or document.id,
        document=document.id,
        collection=document.collection,
        title=document.title,
        authors=document.authors,
        year=document.year,
        section=headings_below(document.title, passage.section),
        page=passage.page_at(start),
        document_start=start,
        document_end=end,
        quote=quote,
    )


# -- whether an answer stands in passages: its names, numbers and dates, and most of its other words

_LEAST = 0.6  # of the words that are no names: answers may be put in other words, not in other words throughout
_BETWEEN = lazy_regex(r"[,，、;；\n]|\b(?:and|or)\b|&|以及|[和与及或]")
_YES_OR_NO = lazy_regex(r"(?:yes|no|true|false|是的?|不是|否|对|不对|有|没有)(?:\s*[,，.。:：]\s*|\s*$)", re.IGNORECASE)
_QUALIFIER = lazy_regex(
    r"(?:about|approximately|around|because(?: of)?|circa|due to|roughly|since|until|约|大约|因为|由于|自)\s*\b",
    re.IGNORECASE,
)

_OPENER = lazy_regex(
    r"(?:According|Additionally|Although|Another|Because|Both|Compared|Conversely|Despite|Finally|Furthermore|However|Instead|Meanwhile|"
    r"Moreover|Neither|Notably|Other|Others|Overall|Several|Similarly|Since|Some|Specifically|Therefore|Though|Thus|Together|Unlike|"
    r"Whereas|While)\b"
)

_COUNT_WORDS = "two three four five six seven eight nine ten eleven twelve"
_COUNTS = {
    **{word: str(number) for number, word in enumerate(_COUNT_WORDS.split(), 2)},
    **{han: str(number) for number, han in enumerate("一二三四五六七八九十", 1)},
    "两": "2",
}

_COUNT = lazy_regex(
    rf"\b(?:{_COUNT_WORDS.replace(' ', '|')})\b"
    r"|(?<![第零一二两三四五六七八九十百千万亿])[一二两三四五六七八九十](?=[个种项层类次步倍篇位名组块条年月天段])",
    re.IGNORECASE,
)


def is_yes_or_no(answer: str) -> bool:
    """Tell whether an answer is no more than yes or no, of which nothing could stand in a passage."""
    return _YES_OR_NO.fullmatch(answer.strip()) is not None


def stands_in(answer: str, passages: Sequence[str]) -> bool:
    """Tell whether a short answer stands in one of the passages; the items of a list may stand in several."""
    said = answer.strip()
    if opening := _YES_OR_NO.match(said):
        said = said[opening.end() :]
    if opening := _QUALIFIER.match(said):
        said = said[opening.end() :]
    given = list(map(in_digits, passages))
    if _is_in_one(said, given):
        return True
    items = [item for item in _BETWEEN.split(said) if item.strip()]
    return len(items) > 1 and all(_is_in_one(item, given) for item in items)


def is_drawn_from(text: str, passages: Sequence[str]) -> bool:
    """Tell whether every name, number and date of some sentences stands in the passages, wherever in them."""
    given = in_digits("\n\n".join(passages))
    return all(_has_facts(in_digits(sentence), given) for sentence in _sentences(text))


def _sentences(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        yield _OPENER.sub(lambda opener: opener[0].lower(), text[start:end], count=1)


def _is_in_one(answer: str, given: Sequence[str]) -> bool:
    wanted = in_digits(answer).strip()
    return any(_is_in(wanted, passage) for passage in given)


def _is_in(wanted: str, given: str) -> bool:
    if not any(map(str.isalnum, wanted)):
        return False
    if not any(map(str.isdigit, wanted)) and _is_literally_in(wanted, given):
        return True
    if not terms(wanted):
        return False  # words for the grammar alone, such as IT, must stand there as they are
    return _has_facts(wanted, given) and _share(_without_dates(wanted), given) >= _LEAST


def _share(text: str, given: str) -> float:
    """Return which share of the words is given; numbers are no words. In a short Chinese answer every character matters."""
    if not HAN.search(text):
        words = words_of(text)
        return covered(words, words_of(given)) if words.terms else 1.0
    wanted, known = set(terms(without_numbers(text))), _terms_of(given)
    found = sum(term in known or (len(term) == 1 and term in given) for term in wanted)
    return found / len(wanted) if wanted else 1.0


@lru_cache(maxsize=64)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _is_literally_in(wanted: str, given: str) -> bool:
    said, text = " ".join(fold(wanted).split()), " ".join(fold(given).split())
    if HAN.search(said):
        return said in text
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None


def _has_facts(wanted: str, given: str) -> bool:
    """Tell whether the names, the numbers and the dates of a text stand in another; a date may be written in another form."""
    known = list(dates(given))
    if not all(any(_is_told_by(date, other) for other in known) for date in dates(wanted)):
        return False
    rest = _without_dates(wanted)
    if missing(names(rest), words_of(given)):
        return False
    amounts, years = numbers(given), {Decimal(date.year) for date in known if date.year}
    return all(number.value in years or any(_is_same(number, other) for other in amounts) for number in numbers(rest))


def _is_told_by(date: Date, other: Date) -> bool:
    """Tell whether a date is another one, or a less exact form of it."""
    pairs = ((date.year, other.year), (date.month, other.month), (date.day, other.day))
    return all(mine is None or mine == theirs for mine, theirs in pairs)


def _is_same(number: Quantity, other: Quantity) -> bool:
    """Tell whether two numbers are one; units may be left out, as short answers and tables do."""
    units = {number.unit, other.unit} - {"", "year"}
    return number.value == other.value and len(units) <= 1


def _without_dates(text: str) -> str:
    for date in reversed(list(dates(text))):
        text = f"{text[: date.start]} {text[date.end :]}"
    return text


def in_digits(text: str) -> str:
    """Return the text with small numbers in digits that it has in words."""
    return _COUNT.sub(lambda count: _COUNTS[count[0].lower()], text)


# -- sentences, attached to the words that they rest on

_LONGEST = 1_500  # what is longer is no sentence
_TRIED = 3  # passages that a sentence does not cite
_LEAST_ABOUT = 0.35  # of the words of a sentence: less is about something else
_SECOND = 0.08  # what a second sentence of a passage must add
_NUMBER = 0.5  # what holding all numbers counts, beside all words


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """What a sentence rests on: passages by their keys, the words in them, and whether these confirm it, or leave it in doubt."""

    status: Support
    keys: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    start: int
    end: int
    text: str
    words: ContentWords
    amounts: frozenset[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A passage: its sentences that can be evidence, all their words, and the names that its document is known by."""

    key: str
    item: Evidence
    parts: tuple[_Part, ...]
    text: str
    words: ContentWords
    about: str


class Attributor:
    """Knows the passages that were given, and remembers what it decided."""

    def __init__(
        self,
        passages: Mapping[str, Evidence],
        keys: Mapping[tuple[str, str], str],
        entailment: Entailment | None = None,
    ) -> None:
        """Take the passages by the keys that a model knows them by, and the citation keys of their documents."""
        self._keys = keys
        self._entailment = entailment
        self._passages = passages
        self._known: dict[tuple[str, tuple[str, ...]], Attribution] = {}

    @cached_property
    def _sources(self) -> Mapping[str, _Source]:
        return {key: _source(key, item) for key, item in self._passages.items()}

    def read(self) -> None:
        """Read the passages, which can be done while nothing is written yet."""
        _ = self._sources

    def has(self, text: str, cited: tuple[str, ...]) -> bool:
        """Tell whether this is decided already."""
        return (text, cited) in self._known

    def attach(self, text: str, cited: tuple[str, ...]) -> Attribution:
        """Return what a sentence rests on that cites these passages."""
        if (text, cited) not in self._known:
            self._known[text, cited] = self._attached(text, cited)
        return self._known[text, cited]

    def conclude(self, text: str, cited: tuple[str, ...]) -> Attribution | None:
        """Attach a conclusion that cites nothing to what the sentences before it cite; None if that does not confirm it."""
        own = [self._sources[key] for key in cited if key in self._sources]
        if not own or is_short(text) or not _can_be_judged(text):
            return None
        found = self._on(text, own)
        return None if found.status == "unsupported" else found

    def knows(self, text: str, question: str) -> bool:
        """Tell whether all names and numbers of a text are those of the question or of the passages."""
        return not _brings_new(text, list(self._sources.values()), question)

    def refused(self, text: str, cited: tuple[str, ...]) -> Attribution:
        """Attach a sentence to what it cites without believing it."""
        own = [self._sources[key] for key in cited if key in self._sources]
        keys = tuple(source.key for source in own)
        return Attribution(status="unsupported", keys=keys, citations=self._cited(text[:_LONGEST], own))

    def _attached(self, text: str, cited: tuple[str, ...]) -> Attribution:
        own = [self._sources[key] for key in cited if key in self._sources]
        if not _can_be_judged(text) or (not own and is_short(text) and not numbers(text)):
            return self.refused(text, cited)
        first = self._on(text, own) if own else Attribution(status="unsupported")
        if first.status != "unsupported":
            return first
        others = self._nearest(text, cited)
        together = [[*own, *others[:1]]] if own and others else []
        return self._confirmed(text, [*([other] for other in others), *together]) or first

    def _confirmed(self, text: str, choices: Iterable[Sequence[_Source]]) -> Attribution | None:
        """Return what a sentence rests on of these choices: the first that verifies it, or else that says it in other words."""
        paraphrased: Attribution | None = None
        for sources in choices:
            found = self._on(text, sources)
            if found.status == "verified":
                return found
            if found.status == "paraphrase":
                paraphrased = paraphrased or found
        return paraphrased

    def _on(self, text: str, sources: Sequence[_Source]) -> Attribution:
        """Hold a sentence against all that these passages say."""
        citations = self._cited(text, sources)
        about = " ".join(dict.fromkeys(source.about for source in sources))
        said = tuple(source.text for source in sources)
        keys = tuple(source.key for source in sources)
        ruling = rule(text, said, about, self._entailment)
        if ruling in ("refused", "doubtful"):
            doubt = Doubt(sources=said, about=about) if is_open(text, said, about, self._entailment) else None
            return Attribution(status="unsupported", keys=keys, citations=citations, doubt=doubt)
        return Attribution(status=ruling, keys=keys, citations=citations)

    def _nearest(self, text: str, cited: tuple[str, ...]) -> list[_Source]:
        wanted = words_of(text)
        rated = [
            (covered(wanted, source.words), source) for source in self._sources.values() if source.key not in cited
        ]
        near = sorted((one for one in rated if one[0] >= _LEAST_ABOUT), key=lambda one: one[0], reverse=True)
        return [source for _, source in near[:_TRIED]]

    def _cited(self, text: str, sources: Sequence[_Source]) -> tuple[Citation, ...]:
        found = [self._citation(source, *span) for source in sources for span in _best(text, source)]
        return tuple(dict.fromkeys(found))

    def _citation(self, source: _Source, start: int, end: int) -> Citation:
        passage = source.item.passage
        return citation_of(source.item, passage.start + start, passage.start + end, passage.text[start:end], self._keys)


def _source(key: str, item: Evidence) -> _Source:
    text, document = item.passage.text, item.document
    spans = [span for span in sentences(text) if not is_order(text[slice(*span)])]
    parts = tuple(
        _Part(
            start=start,
            end=end,
            text=text[start:end],
            words=words_of(text[start:end]),
            amounts=frozenset(number.amount for number in numbers(text[start:end])),
        )
        for start, end in spans
    )
    aliases = document.metadata.get("aliases", ())
    others = map(str, aliases) if isinstance(aliases, tuple) else (str(aliases),)
    named = (document.title, *document.authors, str(document.year or ""), *others)
    whole = "\n\n".join(part.text for part in parts)
    return _Source(
        key=key, item=item, parts=parts, text=whole, words=words_of(whole), about=", ".join(filter(None, named))
    )


def _can_be_judged(text: str) -> bool:
    """Tell whether a text is a sentence that may be believed, and not an order to whoever reads it."""
    return len(text) <= _LONGEST and not is_order(text)


def _best(text: str, source: _Source) -> Iterator[tuple[int, int]]:
    """Yield where the sentence stands that says most of this, and a second one if it adds to it; neighbours as one stretch."""
    wanted, amounts = words_of(text), frozenset(number.amount for number in numbers(text))
    if not source.parts:
        return

    def score(part: _Part) -> float:
        held = len(amounts & part.amounts) / len(amounts) if amounts else 0.0
        return covered(wanted, part.words) + _NUMBER * held

    ranked = sorted(source.parts, key=score, reverse=True)
    first = ranked[0]
    said = covered(wanted, first.words)
    second = max(
        ranked[1:4],
        key=lambda part: covered(wanted, _both(first, part)) + _NUMBER * len((amounts - first.amounts) & part.amounts),
        default=first,
    )
    adds = covered(wanted, _both(first, second)) - said >= _SECOND or (amounts - first.amounts) & second.amounts
    if second is first or not adds:
        yield first.start, first.end
    elif abs(source.parts.index(first) - source.parts.index(second)) == 1:
        yield min(first.start, second.start), max(first.end, second.end)
    else:
        yield first.start, first.end
        yield second.start, second.end


def _both(one: _Part, other: _Part) -> ContentWords:
    return ContentWords(
        terms=one.words.terms | other.words.terms,
        characters=one.words.characters | other.words.characters,
    )


def _brings_new(text: str, sources: Sequence[_Source], question: str = "") -> bool:
    """Tell whether a sentence has a name or a number that these passages, and the question, do not have."""
    amounts: set[object] = {amount for source in sources for part in source.parts for amount in part.amounts}
    amounts.update(number.amount for number in numbers(question))
    given = words_of("\n\n".join((question, *(f"{source.text}\n\n{source.about}" for source in sources))))
    # the first word of a sentence is big anyway
    named = names(f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text)
    return missing(named, given) > 0 or any(number.amount not in amounts for number in numbers(text))


# -- which words of the sources say this? One call for all that code could not settle

_MOST = 60  # claims
_LONGEST_CLAIM = 800
_LONGEST_SOURCE = 1_500
_TOKENS, _TOKENS_PER_CLAIM = 100, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCheck:
    """The words of its sources that a model points at for one claim."""

    claim: int
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The same for several claims."""

    checks: tuple[ClaimCheck, ...]


class ModelExaminer:
    """Asks for the words that say what is in doubt. Nothing but such words confirms anything, and what is settled stays so."""

    def __init__(self, assistant: Assistant, entailment: Entailment | None = None) -> None:
        self._assistant = assistant
        self._entailment = entailment

    async def examine(self, plan: Plan, draft: Draft) -> Draft:
        """Return the draft with the same text; what its sources were found to say is confirmed."""
        doubtful = {number: claim for number, claim in enumerate(draft.claims, 1) if claim.doubt}
        shown = dict([*doubtful.items()][:_MOST])
        if not shown:
            return draft
        try:
            words = await self.point_at(language_of(plan.question), shown)
        except ModelError as error:
            count = f"{len(doubtful)} sentence{'s' * (len(doubtful) > 1)}"
            return replace(draft, notes=(*draft.notes, f"{count} could not be checked by the model: {error}"))
        return await asyncio.to_thread(_settled, draft, words, self._entailment)

    async def point_at(self, language: str, claims: Mapping[int, Claim]) -> dict[int, str]:
        """Return by number the words that say each claim, '' where the model finds none.

        If that is too long for the model, it is asked once more, for the first half of the claims.
        """
        try:
            return await self._ask(language, claims)
        except ContextOverflowError:
            if len(claims) == 1:
                raise
            return await self._ask(language, {number: claims[number] for number in list(claims)[: len(claims) // 2]})

    async def _ask(self, language: str, claims: Mapping[int, Claim]) -> dict[int, str]:
        marker = self._assistant.marker
        request = self._assistant.request(
            ("check", language),
            purpose="check",
            max_tokens=_TOKENS + _TOKENS_PER_CLAIM * len(claims),
            values={
                "claims": "\n\n".join("\n".join(_shown(number, claim, marker)) for number, claim in claims.items())
            },
            shape=Checks,
        )
        reply = await self._assistant.model.complete(request)
        checks: Checks = reply.value
        return {check.claim: check.words for check in checks.checks if check.claim in claims}


def _shown(number: int, claim: Claim, marker: str) -> Iterator[str]:
    """Yield a claim, and of each passage that it cites the part that is nearest to it, below what its document says of itself."""
    yield within(claim.text[:_LONGEST_CLAIM], marker, f"claim {number}")
    doubt = claim.doubt or Doubt(sources=())
    if doubt.about:
        yield within(doubt.about[:_LONGEST_CLAIM], marker, f"documents of {number}")
    for source in doubt.sources:
        yield within(_nearest(source, claim), marker, f"source of {number}")


def _nearest(source: str, claim: Claim) -> str:
    if len(source) <= _LONGEST_SOURCE:
        return source
    places = [source.find(citation.quote) for citation in claim.citations if citation.quote in source]
    middle = places[0] + len(claim.citations[0].quote) // 2 if places else 0
    start = max(0, min(middle - _LONGEST_SOURCE // 2, len(source) - _LONGEST_SOURCE))
    return source[start : start + _LONGEST_SOURCE]


def _settled(draft: Draft, words: Mapping[int, str], entailment: Entailment | None) -> Draft:
    claims, answers = list(draft.claims), dict(draft.answers)
    for place, claim in enumerate(draft.claims):
        said = words.get(place + 1, "").strip()
        if claim.doubt and said:
            ruling = words_say(said, claim.text, claim.doubt.sources, claim.doubt.about, entailment)
            if ruling not in ("doubtful", "refused"):
                claims[place] = replace(claim, status=ruling, doubt=None)
                answers.setdefault(claim.row, claim.text)
    return replace(draft, claims=tuple(claims), answers=answers)
