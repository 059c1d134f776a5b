"""Whether a source says a sentence, decided by code: word for word, in other words, as a conclusion, perhaps, or not.

What is counted (`signs`) is weighed by a small forest of trees, trained by `scripts/train_claims.py`, together with what a reader of
meaning makes of text and sentence, where there is one (`Entailment`). Between two limits code does not decide: the sentence is doubtful,
and a model may be asked which words of the source say it (`words_say`).
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Literal, cast

from scholarmind.judge.alignment import Place, Stretch
from scholarmind.judge.amounts import is_derived
from scholarmind.judge.signs import Comparison
from scholarmind.ports import Entailment
from scholarmind.text.analysis import sentences, terms
from scholarmind.text.language import HAN

Ruling = Literal["verified", "paraphrase", "conclusion", "doubtful", "refused"]

_LONGEST_SENTENCE = 2_000  # what is longer is no sentence
_LONGEST_SOURCE = 20_000
_MOST_SOURCES = 12
_READ = {False: 1_100, True: 420}  # characters of sources that a reader is shown, by whether they are Chinese
_READ_ABOUT = 120
_SHORT = 40  # characters: what is shorter is not shown for being short
_IN_ONE_PIECE = 0.85
_SHORTEST = 4  # tokens of a quotation
_LEAST_SHARED = 0.3  # of the words of a sentence: what has less in common is never confirmed
_MOSTLY = 0.6
_COPIED = 0.6  # of a sentence: in what has more, a word of reserve that is left out is no matter of style
# a sign above its limit speaks against a sentence so strongly that nothing makes up for it
_SUSPECT = {
    "absent_digits": 0.0,
    "absent_names": 0.0,
    "negation_only_here": 0.0,
    "negation_left_out": 0.0,
    "up_for_down": 0.0,
    "down_for_up": 0.0,
    "before_for_after": 0.0,
    "after_for_before": 0.0,
    "universal_for_partial": 0.0,
    "misplaced": 0.2,
}
_VOUCHED = 0.15  # of the way between the limits: enough where a model points at words
_VOUCHED_BY_WORDS = 0.15  # the same, where a reader is shown just the words that a model points at
_NOT_DENIED_BY_WORDS = -0.6  # where these words fit by their signs too
_HOPELESS = -1.0  # as far below the lower limit as the limits are apart: what no words of a source can save
_LITERAL = 0.75  # of the words of a sentence: between these two, the words that a model points at must have so many, and all names
_LEAST_IN_COMMON = 0.15
_WHOLE = 0.9
_PASSAGE = 2  # sentences: what has no more may be quoted whole
_GUARDED = ("negation", "restrict", "hedge", "partial", "universal")
_PLAIN = frozenset({"function"})
_JOINED = re.compile(r"\s*(?:\.{3,}|…+)\s*")
_CITATION = re.compile(r"\s?\[[^\[\]\n]{1,200}\]")


def rule(sentence: str, sources: Sequence[str], about: str = "", entailment: Entailment | None = None) -> Ruling:
    """Say how a sentence stands to the texts that it cites. `about`, the titles, authors and years of their documents, counts as said."""
    return judge_claim(sentence, sources, about, entailment).ruling


def is_open(sentence: str, sources: Sequence[str], about: str = "", entailment: Entailment | None = None) -> bool:
    """Tell whether words of its sources that a model points at may still confirm a sentence that `rule` does not."""
    return judge_claim(sentence, sources, about, entailment).height >= _HOPELESS


def words_say(
    words: str, sentence: str, sources: Sequence[str], about: str = "", entailment: Entailment | None = None
) -> Ruling:
    """Say whether words that a model points at stand in the sources and carry the sentence. What is not open, they cannot."""
    judged = judge_claim(sentence, sources, about, entailment)
    if judged.height < _HOPELESS:
        return "refused"
    pieces = [piece for piece in _JOINED.split(words[:_LONGEST_SENTENCE].strip()) if _letters(piece)]
    found = [_sentences_with(piece, judged.comparison) for piece in pieces]
    if not all(found) or not _is_quotation(pieces, judged.comparison):
        return "doubtful"
    fits = _fits(judged, " ".join(pieces), about)
    if entailment is None and not fits:
        return "doubtful"
    around = list(_around(pieces, found, judged.comparison))
    if entailment and not _is_read(
        judged, around, about, entailment, least=_NOT_DENIED_BY_WORDS if fits else _VOUCHED_BY_WORDS
    ):
        return "doubtful"
    return "conclusion" if len({place for one in found for place in one}) > 1 else "paraphrase"


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A ruling, what it rests on, and how high above the limit of what is refused it stands."""

    comparison: Comparison
    ruling: Ruling
    height: float = 0.0  # 0 at the lower limit, 1 at the upper


def judge_claim(sentence: str, sources: Sequence[str], about: str, entailment: Entailment | None) -> JudgedClaim:
    """Judge a sentence, as `rule` does, and return the signs too."""
    given = [source[:_LONGEST_SOURCE] for source in sources[:_MOST_SOURCES] if source.strip()]
    plain = _CITATION.sub("", sentence[:_LONGEST_SENTENCE])
    comparison = Comparison.of(plain, given, about)
    if not comparison.content:
        return JudgedClaim(comparison, "doubtful")
    if len(sentence) <= _LONGEST_SENTENCE and is_quoted(comparison):
        return JudgedClaim(comparison, "verified", 1.0)
    odds = entailment(shown(plain, given, about), plain) if entailment and given else None
    if given and all(one.chinese != comparison.wanted.chinese for one in comparison.given):
        return _judge_across_languages(comparison, odds)
    height = _height(comparison, odds)
    if len(sentence) <= _LONGEST_SENTENCE and is_shortened(comparison):
        return JudgedClaim(comparison, "paraphrase", max(1.0, height))
    if height < 0:
        return JudgedClaim(comparison, "refused", height)
    if is_suspect(comparison.signs, is_read=odds is not None) or len(sentence) > _LONGEST_SENTENCE or height <= 1:
        return JudgedClaim(comparison, "doubtful", height)
    return JudgedClaim(comparison, "conclusion" if _is_drawn_together(comparison) else "paraphrase", height)


def shown(sentence: str, given: Sequence[str], about: str) -> str:
    """Return what a reader is shown of the sources: all, or the sentences that have most words in common, as they follow each other."""
    texts = [source[start:end] for source in given for start, end in sentences(source)]
    most = _READ[any(map(HAN.search, texts[:1]))]
    if sum(map(len, texts)) > most:
        wanted = frozenset(terms(sentence))
        shares = [len(wanted & set(terms(text))) / (len(text) + _SHORT) ** 0.5 for text in texts]
        kept, size = set[int](), 0
        for number in sorted(range(len(texts)), key=lambda place: -shares[place]):
            size += len(texts[number])
            if kept and size > most:
                break
            kept.add(number)
        texts = [texts[number] for number in sorted(kept)]
    return " ".join((about[:_READ_ABOUT], *texts))


def _height(comparison: Comparison, odds: float | None) -> float:
    """Return how much speaks for a sentence: 0 at the lower limit of its language, 1 at the upper."""
    if not comparison.signs:
        return -math.inf
    language = "zh" if comparison.wanted.chinese else "en"
    every = weights()
    if odds is None:
        return every.unread.height(comparison.signs, language)
    trees, unread = every.unread.score(comparison.signs), every.unread.height(comparison.signs, language)
    height = every.read.height({**comparison.signs, "odds": odds, "trees": trees}, language)
    return max(height, min(unread, 0.0))  # what only one of both refuses is in doubt


def is_suspect(signs: Mapping[str, float], *, is_read: bool = False) -> bool:
    """Tell whether something keeps a sentence from being confirmed whatever speaks for it. A reader knows one word from another."""
    if is_turned(signs):
        return True
    return not is_read and (1 - signs["strange"] < _LEAST_SHARED or bool(signs["some_strange"] and _is_lone(signs)))


def is_turned(signs: Mapping[str, float]) -> bool:
    """Tell whether a sentence leaves out or adds what turns the sense: a denial, a direction, and in a copied one a hedge."""
    if any(signs.get(name, 0) > limit for name, limit in _SUSPECT.items()):
        return True
    return signs["copied"] >= _COPIED and any(signs[f"{name}_left_out"] > 0 for name in _GUARDED)


def _is_lone(signs: Mapping[str, float]) -> bool:
    """Tell whether one new word stands among words of one sentence: a synonym of the word in its place, or the reverse."""
    return signs["some_strange"] <= (2 if signs["chinese"] else 1) and signs["in_one"] >= _MOSTLY


def _is_drawn_together(comparison: Comparison) -> bool:
    """Tell whether more than one sentence of the sources is needed, or a sum."""
    if comparison.signs["derived"]:
        return True
    fresh = len(comparison.fresh(1)) if len(comparison.near) > 1 else 0
    return fresh > 1 and fresh >= 0.2 * len(comparison.content)


# -- word for word


def is_quoted(comparison: Comparison) -> bool:
    """Tell whether one stretch is nearly the whole sentence, and neither what is left of it nor what it leaves out turns the sense."""
    tokens = comparison.wanted.tokens
    if len(tokens) < _SHORTEST or not comparison.near:
        return False
    longest = max(comparison.same, key=lambda one: one.length, default=None)
    if longest is None:
        return False
    rest = [*range(longest.start), *range(longest.end, len(tokens))]
    known, classes = comparison.about.forms, comparison.wanted.classes
    if any((tokens[n].content and tokens[n].form not in known) or classes.get(n, _PLAIN) - _PLAIN for n in rest):
        return False
    piece = _characters(tokens[longest.start : longest.end])
    other = _characters([tokens[n] for n in rest if not tokens[n].content])
    if piece < _IN_ONE_PIECE * (piece + other):
        return False
    return _is_whole(comparison.near[longest.place], longest) and _has_same_numbers(comparison, longest)


def _characters(tokens: Sequence[Any]) -> int:
    return sum(token.end - token.start for token in tokens)


def _is_whole(place: Place, one: Stretch) -> bool:
    """Tell whether a stretch begins and ends where clauses do, and no word of its sentence beside it qualifies it."""
    tokens = place.tokens
    if one.at and tokens[one.at - 1].clause == tokens[one.at].clause:
        return False
    if one.until < len(tokens) and tokens[one.until].clause == tokens[one.until - 1].clause:
        return False
    beside = (*place.classes[: one.at], *place.classes[one.until :])
    return all(own.isdisjoint(_GUARDED) for own in beside)


def _has_same_numbers(comparison: Comparison, one: Stretch) -> bool:
    """Tell whether the digits of a quotation are those of its source, letter by letter."""
    mine = comparison.wanted.tokens[one.start : one.end]
    place = comparison.near[one.place]
    theirs = place.tokens[one.at : one.until]
    text = comparison.given[place.source].text[theirs[0].start : theirs[-1].end]
    return _digits(comparison.wanted.text[mine[0].start : mine[-1].end]) == _digits(text)


def _digits(text: str) -> list[str]:
    return re.findall(r"[-+]?\d+(?:[.:/]\d+)*%?", text.replace(",", ""))


# -- shortened


def is_shortened(comparison: Comparison) -> bool:
    """Tell whether one sentence of the sources says this in the same order with more words, none of which turns it."""
    if not comparison.near or is_turned(comparison.signs):
        return False
    place, known = comparison.near[0], comparison.about.forms
    if any(token.form not in place.forms and token.form not in known for token in comparison.content):
        return False
    if any(comparison.signs[f"{name}_{how}"] > 0 for name in _GUARDED for how in ("left_out", "more_here")):
        return False
    own = [one for one in comparison.same if one.place == 0]
    if any(other.at < one.at or _tells_of_another(place, one, other) for one, other in pairwise(own)):
        return False
    return comparison.has_same_classes(place) and not any(_cuts_a_name(place, one) for one in own)


def _tells_of_another(place: Place, one: Stretch, other: Stretch) -> bool:
    """Tell whether what is left out between two stretches names something and says what it does: what follows may be said of that."""
    between = [token for token in place.tokens[one.until : other.at] if token.content]
    return any(token.name for token in between) and not all(token.name for token in between)


def _cuts_a_name(place: Place, one: Stretch) -> bool:
    """Tell whether a stretch begins or ends between two words of a name."""
    borders = ((at - 1, at) for at in (one.at, one.until) if 0 < at < len(place.tokens))
    tokens = place.tokens
    return any(
        tokens[last].name and tokens[first].name and tokens[last].clause == tokens[first].clause
        for last, first in borders
    )


# -- across languages


def _judge_across_languages(comparison: Comparison, odds: float | None) -> JudgedClaim:
    ruling = _translated(comparison)
    if odds is None or ruling == "refused":
        return JudgedClaim(comparison, ruling, -math.inf if ruling == "refused" else _VOUCHED)
    height = _height_across(odds)
    if ruling == "doubtful":
        ruling = "refused" if height < 0 else "paraphrase" if height > 1 else "doubtful"
    return JudgedClaim(comparison, ruling, height)


def _height_across(odds: float) -> float:
    low, high = weights().crossing
    return (odds - low) / (high - low)


def _translated(comparison: Comparison) -> Ruling:
    """Names and numbers are written alike in both languages: without them nothing is refused, and with few of them nothing is confirmed."""
    mine = [amount for amount in comparison.wanted.amounts if amount.exact]
    names = {token.form for token in comparison.content if token.name}
    given = [amount for one in comparison.given for amount in one.amounts]
    if any(not any(map(amount.same, given)) for amount in mine) or (names and names.isdisjoint(comparison.known)):
        return "refused"
    together = any(
        names <= place.forms | comparison.about.forms
        and all(any(map(amount.same, comparison.amounts_of(place))) for amount in mine)
        and comparison.has_same_classes(place)
        for place in comparison.places
    )
    return "paraphrase" if together and len(mine) > 1 and len(names) > 1 else "doubtful"


# -- words that a model points at


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


def _is_quotation(pieces: Sequence[str], comparison: Comparison) -> bool:
    """Tell whether there are at least a few words, and not those of a whole passage."""
    size = sum(len(_letters(piece)) for piece in pieces)
    latin = sum(len(piece.split()) for piece in pieces)
    if size < 6 or (latin < 3 and all(piece.isascii() for piece in pieces)):
        return False
    return not any(
        len(source.sentences) > _PASSAGE and size > _WHOLE * len(_letters(source.text)) for source in comparison.given
    )


def _sentences_with(piece: str, comparison: Comparison) -> frozenset[tuple[int, int]]:
    """Return which sentences of which source a piece stands in, as a source and the number of a sentence."""
    wanted = _letters(piece)
    for number, source in enumerate(comparison.given):
        if wanted in _letters(source.text):
            own = [place for place in comparison.places if place.source == number]
            texts = [
                (place.tokens[0].sentence, source.text[place.tokens[0].start : place.tokens[-1].end]) for place in own
            ]
            found = {(number, index) for index, text in texts if wanted in _letters(text)}
            within = {(number, index) for index, text in texts if len(_letters(text)) > 3 and _letters(text) in wanted}
            return frozenset(sorted(found)[:1] or within or {(number, -1)})
    return frozenset()


def _around(
    pieces: Sequence[str], found: Sequence[frozenset[tuple[int, int]]], comparison: Comparison
) -> Iterator[str]:
    """Yield the sentences that pieces stand in, as they follow each other; of a piece that stands in none, itself."""
    own = frozenset[tuple[int, int]]().union(*found)
    for place in comparison.places:
        if (place.source, place.tokens[0].sentence) in own:
            yield comparison.given[place.source].text[place.tokens[0].start : place.tokens[-1].end]
    yield from (piece for piece, places in zip(pieces, found, strict=True) if any(index < 0 for _, index in places))


def _is_read(judged: JudgedClaim, around: Sequence[str], about: str, entailment: Entailment, *, least: float) -> bool:
    """Tell whether a reader finds a sentence, its names and its numbers in the sentences that a model points into."""
    sentence = judged.comparison.wanted.text
    if (odds := entailment(shown(sentence, around, about), sentence)) is None:
        return least < 0  # only the signs of words can tell
    quoted = Comparison.of(sentence, around, about)
    given = [amount for one in (*quoted.given, quoted.about) for amount in one.amounts]
    exact = [amount for amount in quoted.wanted.amounts if amount.exact]
    if not all(any(map(amount.same, given)) or is_derived(amount, given) for amount in exact):
        return False
    if not {token.form for token in quoted.content if token.name} <= judged.comparison.known:
        return False
    across = quoted.given[0].chinese != quoted.wanted.chinese
    return (_height_across(odds) if across else _height(quoted, odds)) >= least


def _fits(judged: JudgedClaim, words: str, about: str) -> bool:
    """Tell whether the quoted words are about what the sentence says, and nothing in them speaks against it."""
    wanted = judged.comparison
    quoted = Comparison.of(wanted.wanted.text, [words], about)
    given = [amount for one in (*quoted.given, quoted.about) for amount in one.amounts]
    names = {token.form for token in wanted.content if token.name}
    exact = [amount for amount in wanted.wanted.amounts if amount.exact]
    if not names <= wanted.known or not all(
        any(map(amount.same, given)) or is_derived(amount, given) for amount in exact
    ):
        return False
    if judged.ruling in {"verified", "paraphrase", "conclusion"}:
        return quoted.given[0].chinese != wanted.wanted.chinese or _shared(quoted) >= _LEAST_IN_COMMON
    if not quoted.places or not quoted.has_same_classes(quoted.places[0]):
        return False
    if judged.height < _VOUCHED and not (names <= quoted.known and _shared(quoted) >= _LITERAL):
        return False
    if quoted.given[0].chinese != wanted.wanted.chinese:
        return bool(names or exact)
    # a hedge that the weights may take for a matter of style counts where only a model vouches
    turned = is_turned(wanted.signs) or wanted.signs["hedge_left_out"] > 0
    return not turned and _shared(quoted) >= _LEAST_IN_COMMON


def _shared(comparison: Comparison) -> float:
    """Return which share of the words of a sentence its source has, or words that begin alike."""
    return 1 - comparison.signs["strange"] if comparison.signs else 0.0


# -- the weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Trees whose leaves are added up: a node is the number of a sign, its limit, and what follows below and above it."""

    signs: tuple[str, ...]
    limits: Mapping[str, tuple[float, float]]  # by language: what is lower is refused, what is higher confirmed
    start: float
    trees: tuple[Any, ...]

    @classmethod
    def of(cls, read: Mapping[str, Any]) -> "Forest":
        """Take what `scripts/train_claims.py` writes."""
        limits = {language: (float(low), float(high)) for language, (low, high) in read["limits"].items()}
        return cls(signs=tuple(read["signs"]), limits=limits, start=float(read["start"]), trees=tuple(read["trees"]))

    def height(self, signs: Mapping[str, float], language: str) -> float:
        """Return how much speaks for a sentence: 0 at the lower limit of its language, 1 at the upper."""
        low, high = self.limits[language]
        return (self.score(signs) - low) / (high - low)

    def score(self, signs: Mapping[str, float]) -> float:
        """Return how much speaks for a sentence: the logarithm of its odds, as far as they can be trusted."""
        values = [float(signs.get(name, 0)) for name in self.signs]
        return self.start + sum(_leaf(tree, values) for tree in self.trees)


def _leaf(tree: Any, values: Sequence[float]) -> float:
    while isinstance(tree, list):
        sign, limit, below, above = cast("list[Any]", tree)
        tree = below if values[sign] <= limit else above
    return float(tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The trees for what nobody read, those that weigh a reader's odds too, and the limits of odds alone where languages differ."""

    unread: Forest
    read: Forest
    crossing: tuple[float, float]


@cache
def weights() -> Weights:
    """Return the weights that ship."""
    read = json.loads(files("scholarmind.judge").joinpath("claims.json").read_text(encoding="utf-8"))
    low, high = read["crossing"]
    return Weights(unread=Forest.of(read["unread"]), read=Forest.of(read["read"]), crossing=(low, high))
