"""The sentences of a model, attached to the words of passages that they rest on; whether they do is for the judge to say.

A sentence is held against the passages that it cites first. Where these do not confirm it, or where it cites none, another passage that
was given may, if it does so by itself. What speaks to whoever answers ("ignore the question") is evidence for nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scholarmind.answer import Citation, Doubt, Support
from scholarmind.judge.claims import is_open, rule
from scholarmind.model import Evidence
from scholarmind.text.orders import is_order
from scholarmind.text.sentences import sentences
from scholarmind.writing.places import citation_of
from scholarmind.writing.prose import is_short
from scholarmind.writing.quantities import numbers
from scholarmind.writing.senses import ContentWords, covered, missing, names, words_of

_LONGEST = 1_500  # what is longer is no sentence
_TRIED = 3  # passages that a sentence does not cite
_LEAST = 0.35  # of the words of a sentence: less is about something else
_SECOND = 0.08  # what a second sentence of a passage must add
_NUMBER = 0.5  # what holding all numbers counts, beside all words


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
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


class Attacher:
    """Knows the passages that were given, and remembers what it decided."""

    def __init__(self, passages: Mapping[str, Evidence], keys: Mapping[tuple[str, str], str]) -> None:
        """Take the passages by the keys that a model knows them by, and the citation keys of their documents."""
        self._keys = keys
        self._passages = passages
        self._known: dict[tuple[str, tuple[str, ...]], Attached] = {}

    @cached_property
    def _sources(self) -> Mapping[str, _Source]:
        return {key: _source(key, item) for key, item in self._passages.items()}

    def read(self) -> None:
        """Read the passages, which can be done while nothing is written yet."""
        _ = self._sources

    def has(self, text: str, cited: tuple[str, ...]) -> bool:
        """Tell whether this is decided already."""
        return (text, cited) in self._known

    def attach(self, text: str, cited: tuple[str, ...]) -> Attached:
        """Return what a sentence rests on that cites these passages."""
        if (text, cited) not in self._known:
            self._known[text, cited] = self._attached(text, cited)
        return self._known[text, cited]

    def conclude(self, text: str, cited: tuple[str, ...]) -> Attached | None:
        """Attach a conclusion that cites nothing to what the sentences before it cite; None if that does not confirm it."""
        own = [self._sources[key] for key in cited if key in self._sources]
        if not own or is_short(text) or not _can_be_judged(text):
            return None
        found = self._on(text, own)
        return None if found.status == "unsupported" else found

    def knows(self, text: str, question: str) -> bool:
        """Tell whether all names and numbers of a text are those of the question or of the passages."""
        return not _brings_new(text, list(self._sources.values()), question)

    def refused(self, text: str, cited: tuple[str, ...]) -> Attached:
        """Attach a sentence to what it cites without believing it."""
        own = [self._sources[key] for key in cited if key in self._sources]
        keys = tuple(source.key for source in own)
        return Attached(status="unsupported", keys=keys, citations=self._cited(text[:_LONGEST], own))

    def _attached(self, text: str, cited: tuple[str, ...]) -> Attached:
        own = [self._sources[key] for key in cited if key in self._sources]
        if not _can_be_judged(text) or (not own and is_short(text) and not numbers(text)):
            return self.refused(text, cited)
        first = self._on(text, own) if own else Attached(status="unsupported")
        if first.status != "unsupported":
            return first
        others = self._nearest(text, cited)
        together = [[*own, *others[:1]]] if own and others else []
        return self._confirmed(text, [*([other] for other in others), *together]) or first

    def _confirmed(self, text: str, choices: Iterable[Sequence[_Source]]) -> Attached | None:
        """Return what a sentence rests on of these choices: the first that verifies it, or else that says it in other words."""
        paraphrased: Attached | None = None
        for sources in choices:
            found = self._on(text, sources)
            if found.status == "verified":
                return found
            if found.status == "paraphrase":
                paraphrased = paraphrased or found
        return paraphrased

    def _on(self, text: str, sources: Sequence[_Source]) -> Attached:
        """Hold a sentence against all that these passages say."""
        citations = self._cited(text, sources)
        about = " ".join(dict.fromkeys(source.about for source in sources))
        said = tuple(source.text for source in sources)
        keys = tuple(source.key for source in sources)
        ruling = rule(text, said, about)
        if ruling in ("refused", "doubtful"):
            doubt = Doubt(sources=said, about=about) if is_open(text, said, about) else None
            return Attached(status="unsupported", keys=keys, citations=citations, doubt=doubt)
        return Attached(status=ruling, keys=keys, citations=citations)

    def _nearest(self, text: str, cited: tuple[str, ...]) -> list[_Source]:
        wanted = words_of(text)
        rated = [
            (covered(wanted, source.words), source) for source in self._sources.values() if source.key not in cited
        ]
        near = sorted((one for one in rated if one[0] >= _LEAST), key=lambda one: one[0], reverse=True)
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
