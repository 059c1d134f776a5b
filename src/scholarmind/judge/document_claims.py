"""Whether a document, as a whole, says a sentence that cites it: in its words or others, otherwise than it has it, or not at all.

`judge.claims` decides first. What it leaves open is decided by what can be pointed at: a number or a name that the document does not have,
or has in another place or of another group; a denial, or the opposite of a word, on one side only; sides of a comparison that are turned;
another word in the same place; and else by how much of the sentence its closest sentences hold. What nothing can be pointed at in, and yet
is not confirmed, is left to a reader of meaning: only where it denies clearly the document lacks the sentence, and between both it says it
perhaps. `opposites.json` has pairs of plain words, none of one field.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import Literal

from scholarmind.judge.alignment import Place, stretches
from scholarmind.judge.amounts import Amount, is_derived
from scholarmind.judge.claims import judge_claim
from scholarmind.judge.groups import given_to_another, is_reversed, is_turned
from scholarmind.judge.wording import Sentence, Token, Wording, read
from scholarmind.ports import Entailment
from scholarmind.text.analysis import sentences

VERSION = 3  # of what is decided here: a verdict of another version is made anew

Holding = Literal["says", "perhaps", "contradicts", "lacks"]
Objected = Literal["number", "name", "denial", "opposite", "other word"]

_KIN = 5  # letters that two words begin with alike
_NAMED, _SUBJECT = 2.0, 0.5  # weights of a name or number, and of what the document is called
_KIN_WEIGHT = 0.8
_PASSAGES = 6  # that `rule` is shown
_LEAST = 0.42  # of a sentence that the closest one must hold
_AS_CLOSE = 0.05  # a sentence that holds so much less than the closest one may be meant as well
_ENDING = 3
_LONGEST_UNIT = 12
_SHARED = 0.3  # of a clause, that its denials count
_BETTER = 0.2  # so much more of the sentence another document must hold
_RETOLD = 0.2  # what counts for a sentence that says little else
_CLEARLY, _APART = 0.6, 0.3  # of the rest of a sentence: held here, and how much less of it where the name stands
_FITS = 0.03
_AFFIRMED, _DENIED = 0.3, -0.9  # odds of a reader of the closest sentences alone
_MOST_READ = 3  # of the closest sentences
_READ = 120  # characters of what a document is called, that it is shown
_TURNS = ("up_for_down", "down_for_up", "negation_left_out")  # signs that count where the reader does not affirm
_ROUNDED = 0.1  # of a share in words: two thirds are 62 to 72 %
_COMPUTED = frozenset({"times", "points"})  # what may be reckoned out of two numbers of the source
_DECIMAL = re.compile(r"\d+\.\d+")
_DIGITS = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\d])|(?<=[A-Za-z\u3400-\u9fff-])\d+(?:[.,]\d+)*(?!\d)")
_SURE = frozenset({"verified", "paraphrase", "conclusion"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """What speaks against a sentence: its own words, and those of the document that stand against them ('' for none)."""

    kind: Objected
    own: str
    other: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How a document stands to a sentence: its closest sentences, by number, the closest first, and how much of it that one holds."""

    holding: Holding
    closest: tuple[int, ...] = ()
    share: float = 0.0
    objections: tuple[Objection, ...] = ()
    sure: bool = False  # `claims.rule` confirms it


class DocumentText:
    """A document made ready to be compared: its sentences, and what it is called (title, authors, year, other names)."""

    def __init__(self, passages: Sequence[str], about: str, headings: frozenset[str] = frozenset()) -> None:
        """Take the passages of a document; headings that stand in them belong to no sentence."""
        self.passages = passages
        self.about = about
        self.spans = [(number, *span) for number, text in enumerate(passages) for span in _sentences(text, headings)]
        self.said = [read(passages[number][start:end]) for number, start, end in self.spans]

    def text(self, number: int) -> str:
        """Return one of its sentences."""
        passage, start, end = self.spans[number]
        return self.passages[passage][start:end]

    @cached_property
    def called(self) -> Wording:
        """What it is called."""
        return read(self.about)

    @cached_property
    def forms(self) -> frozenset[str]:
        """Every word of it, as words are compared."""
        return self.called.forms.union(*(one.forms for one in self.said))

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """How its longer words begin."""
        return frozenset(form[:_KIN] for form in self.forms if len(form) >= _KIN and form.isascii())

    @cached_property
    def digits(self) -> frozenset[str]:
        """Every number of it in digits."""
        return frozenset(_digits_of("\n".join((*self.passages, self.about))))

    @cached_property
    def letters(self) -> str:
        """All of it without case and line breaks."""
        return " ".join("\n".join((*self.passages, self.about)).casefold().split())

    @cached_property
    def amounts(self) -> list[Amount]:
        """Every amount of it."""
        return [amount for one in (*self.said, self.called) for amount in one.amounts]

    @cached_property
    def starts(self) -> list[frozenset[str]]:
        """How the longer words of each sentence begin."""
        return [frozenset(form[:_KIN] for form in one.forms if len(form) >= _KIN) for one in self.said]

    def shares(self, wanted: Wording, without: str = "", others: frozenset[str] = frozenset()) -> list[float]:
        """Return which share of a sentence each of these holds, names and numbers counted twice.

        A word of it may be left out (`without`), or stand for `others` in its place.
        """
        weighed = [(token.form, self._weight(token)) for token in wanted.tokens if token.content]
        if not others:
            weighed = [one for one in weighed if one[0] != without]
        total = sum(weight for _, weight in weighed) or 1.0
        found: list[float] = []
        for one, starts in zip(self.said, self.starts, strict=True):
            known = one.forms | self.called.forms
            if others:
                known = known | {without} if one.forms & others else known - {without}
            found.append(sum(weight * _kinship(form, known, starts) for form, weight in weighed) / total)
        return found

    def _weight(self, token: Token) -> float:
        weight = _NAMED if token.name or token.form[0].isdigit() else 1.0
        return weight * _SUBJECT if token.form in self.called.forms else weight


def hold(sentence: str, document: DocumentText, elsewhere: float = 0.0, entailment: Entailment | None = None) -> Held:
    """Say how a document stands to a sentence; `elsewhere` is the largest share of it that a sentence of another document holds."""
    wanted = read(sentence)
    shares = document.shares(wanted)
    if not shares or not any(token.content for token in wanted.tokens):
        return Held(holding="lacks")
    fitting = [share + _RETOLD * _retold(wanted, said) for share, said in zip(shares, document.said, strict=True)]
    order = sorted(range(len(shares)), key=lambda number: -fitting[number])[:_PASSAGES]
    best = max(shares)
    near = [number for number in order if fitting[number] >= fitting[order[0]] - _AS_CLOSE]
    passages = dict.fromkeys(document.spans[number][0] for number in order)
    judged = judge_claim(sentence, [document.passages[number] for number in passages], document.about, entailment)
    sure = judged.ruling in _SURE
    signs = judged.comparison.signs
    found = [*_absent(wanted, document, order), *_elsewhere(wanted, document), *_substituted(wanted, document, best)]
    found = found or _bound_otherwise(wanted, document, near)
    if not found and not sure:
        found = _turned(wanted, document, near)
    odds = _read_closely(sentence, document, order[:_MOST_READ], entailment) if entailment and not sure else 0.0
    if not found and odds < 0 and any(signs.get(name, 0) > 0 for name in _TURNS):
        found = [Objection(kind="opposite" if signs["negation_left_out"] <= 0 else "denial", own="")]
    is_foreign = not any(one.chinese == wanted.chinese for one in document.said)
    holding: Holding
    if is_foreign and not found:
        holding = "lacks" if judged.ruling == "refused" else "says" if sure else "perhaps"
    elif best < _LEAST or (best < elsewhere - _BETTER and not _has_numbers(wanted, document, near)):
        holding = "lacks"
    elif found:
        holding = "contradicts"
    elif sure or judged.ruling != "refused" or entailment is None:
        holding = "says"
    else:
        holding = "says" if odds > _AFFIRMED else "lacks" if odds < _DENIED else "perhaps"
    return Held(holding=holding, closest=tuple(near), share=best, objections=tuple(found), sure=sure and not found)


def _read_closely(sentence: str, document: DocumentText, near: Sequence[int], entailment: Entailment) -> float:
    """Return the best odds of a sentence beside one of the closest ones, alone and between its neighbours."""
    about, found = document.about[:_READ], list[float]()
    for number in near:
        passage = document.spans[number][0]
        around = [
            each
            for each in range(max(0, number - 1), min(len(document.spans), number + 2))
            if document.spans[each][0] == passage
        ]
        texts = (document.text(number), " ".join(map(document.text, around)))
        read_so = [entailment(f"{about} {text}", sentence) for text in texts]
        found += [odds for odds in read_so if odds is not None]
    return max(found, default=0.0)


def _has_numbers(wanted: Wording, document: DocumentText, near: Sequence[int]) -> bool:
    """Tell whether one of the closest sentences has all numbers of a sentence, and they are several: no other work is likelier meant."""
    own = {
        digits
        for amount in wanted.amounts
        if amount.unit != "year"
        for digits in _digits_of(wanted.text[amount.start : amount.end])
    }
    return len(own) > 1 and any(own <= _digits_of(document.text(number)) for number in near)


def _bound_otherwise(wanted: Wording, document: DocumentText, near: Sequence[int]) -> list[Objection]:
    """Return numbers that the closest sentences have of another group, or comparisons of which they turn the sides."""
    for number in near:
        said = document.said[number]
        found = [Objection(kind="number", own=own, other=other) for own, other in given_to_another(wanted, said)]
        turned = None if found else is_turned(wanted, said) or is_reversed(wanted, said)
        if turned:
            found = [Objection(kind="opposite", own=turned[0], other=turned[1])]
        if found:
            return found
    return []


def _retold(wanted: Wording, said: Wording) -> float:
    """Return which share of a sentence of the document is in the sentence that cites it."""
    content = [token.form for token in said.tokens if token.content]
    return sum(form in wanted.forms for form in content) / max(1, len(content))


# -- numbers and names that the document does not have


def _absent(wanted: Wording, document: DocumentText, ranked: Sequence[int]) -> Iterator[Objection]:
    near = [amount for number in ranked for amount in document.said[number].amounts]
    close = _digits_of(" ".join(document.text(number) for number in ranked))
    for amount in wanted.amounts:
        own = wanted.text[amount.start : amount.end].strip()
        if not amount.exact or any(map(amount.same, document.amounts)) or _is_rounded(amount, own, near):
            continue
        if amount.unit in _COMPUTED and is_derived(amount, near):
            continue
        if not _digits_of(own) or not _digits_of(own) <= close:
            yield Objection(kind="number", own=own, other=_instead(amount, wanted, document, ranked))
    for decimal in _DECIMAL.findall(wanted.text):
        if decimal not in document.digits and not any(decimal in wanted.text[a.start : a.end] for a in wanted.amounts):
            yield Objection(kind="number", own=decimal)
    for token in wanted.tokens:
        if (
            token.content
            and token.name
            and token.form not in document.forms
            and not _has_kin(token.form, document.beginnings)
        ):
            own = wanted.text[token.start : token.end]
            if not own[0].isdigit() and own.casefold().rstrip("s") not in document.letters:
                yield Objection(kind="name", own=own)


def _is_rounded(amount: Amount, own: str, near: Sequence[Amount]) -> bool:
    """Tell whether a share in words, such as two thirds, stands for one in digits."""
    if amount.unit != "%" or _digits_of(own):
        return False
    return any(other.unit == "%" and abs(other.value - amount.value) <= _ROUNDED * amount.value for other in near)


def _instead(amount: Amount, wanted: Wording, document: DocumentText, ranked: Sequence[int]) -> str:
    """Return the number that stands in the closest sentence where the sentence has another one, if only one can be meant.

    It must be of the same unit, known to `amounts` or not, and stand among some of the same words.
    """
    around = wanted.surroundings[wanted.amounts.index(amount)]
    for number in ranked[:2]:
        said = document.said[number]
        others = [
            (len(around & words), each)
            for each, words in zip(said.amounts, said.surroundings, strict=True)
            if each.exact and each.unit == amount.unit and around & words
        ]
        others = [one for one in others if not any(map(one[1].same, wanted.amounts))]
        if not amount.unit:
            others = [one for one in others if _unit_behind(said, one[1]) == _unit_behind(wanted, amount)]
        most = max((share for share, _ in others), default=0)
        likely = [each for share, each in others if share == most]
        if len(likely) == 1:
            return said.text[likely[0].start : likely[0].end].strip()
    return ""


def _unit_behind(one: Wording, amount: Amount) -> str:
    """Return what stands behind an amount of no unit that `amounts` knows: the letters of a word, or the first character."""
    behind = one.text[amount.end : amount.end + _LONGEST_UNIT].lstrip(" -")
    letters = "".join(takewhile(lambda sign: sign.isascii() and sign.isalpha(), behind))
    return (letters or behind[:1]).casefold().rstrip("s")


def _elsewhere(wanted: Wording, document: DocumentText) -> Iterator[Objection]:
    """Yield a name that the document has where it speaks of something else."""
    for form in dict.fromkeys(token.form for token in wanted.tokens if token.name):
        if form in document.called.forms or form not in document.forms:
            continue
        rest = document.shares(wanted, without=form)
        here = [number for number, one in enumerate(document.said) if form in one.forms]
        beside = {number + step for number in here for step in (-1, 0, 1)} & set(range(len(rest)))
        best = max(range(len(rest)), key=lambda number: rest[number])
        if rest[best] >= _CLEARLY and max((rest[number] for number in beside), default=0.0) < rest[best] - _APART:
            token = next(token for token in wanted.tokens if token.form == form)
            yield Objection(kind="name", own=wanted.text[token.start : token.end])


def _substituted(wanted: Wording, document: DocumentText, best: float) -> Iterator[Objection]:
    """Yield a word whose opposite makes the sentence fit better."""
    for token in wanted.tokens:
        others = _opposite_words().english.get(token.form, frozenset()) - wanted.forms
        if not others or any("negation" in own for own in wanted.classes.values()):
            continue
        shares = document.shares(wanted, without=token.form, others=others)
        number = max(range(len(shares)), key=lambda number: shares[number])
        if shares[number] > best + _FITS and token.form not in document.said[number].forms:
            said = document.said[number]
            other = next(each for each in said.tokens if each.form in others)
            yield Objection(
                kind="opposite", own=wanted.text[token.start : token.end], other=said.text[other.start : other.end]
            )


# -- denials, opposites, and other words in the same place


def _turned(wanted: Wording, document: DocumentText, near: Sequence[int]) -> list[Objection]:
    """Return what turns the sense against the closest sentence; nothing if one that is as close says it as the sentence does."""
    against: list[list[Objection]] = []
    for number in near:
        found = [*_denied(wanted, document.said[number]), *_replaced(wanted, document.said[number], document)]
        if not found:
            return []
        against.append(found)
    return against[0] if against else []


def _denied(wanted: Wording, said: Wording) -> Iterator[Objection]:
    """Yield a denial or an opposite that stands on one side only; two of them make up for each other."""
    focus = _shared_clauses(said, wanted)
    opposite = list(_opposites(wanted, said, focus))
    mine = _denials(wanted, frozenset(token.clause for token in wanted.tokens))
    theirs = _denials(said, focus) | _denials(said, _closest_clause(said, wanted))
    if {one % 2 for one in mine} & {(one + len(opposite)) % 2 for one in theirs}:
        return
    if opposite:
        yield Objection(kind="opposite", own=opposite[0][0], other=opposite[0][1])
    else:
        yield Objection(kind="denial", own="")


def _shared_clauses(said: Wording, wanted: Wording) -> frozenset[int]:
    """Return the clauses of a sentence that have much in common with another one; all of them where none has."""
    clauses: dict[int, list[bool]] = {}
    for token in said.tokens:
        held = clauses.setdefault(token.clause, [])
        if token.content:
            held.append(token.form in wanted.forms)
    return frozenset(
        clause for clause, held in clauses.items() if held and sum(held) >= _SHARED * len(held)
    ) or frozenset(clauses)


def _closest_clause(said: Wording, wanted: Wording) -> frozenset[int]:
    held = Counter(token.clause for token in said.tokens if token.content and token.form in wanted.forms)
    return frozenset(clause for clause, _ in held.most_common(1))


def _denials(one: Wording, clauses: frozenset[int]) -> set[int]:
    """Return how many denials there are in these clauses, without and with words that take away as a denial does."""
    words, strong, weak = _opposite_words(), 0, 0
    for number, token in enumerate(one.tokens):
        own = one.text[token.start : token.end].casefold()
        if token.clause not in clauses or one.text.startswith(words.no_denials, token.start):
            continue
        if own in words.without or one.text.startswith(words.native_without, token.start):
            weak += 1
        elif "negation" in one.classes.get(number, ()):
            strong += 1
    return {strong, strong + weak}


def _opposites(wanted: Wording, said: Wording, focus: frozenset[int]) -> Iterator[tuple[str, str]]:
    """Yield words of the sentence with their opposites, where the other sentence has only the opposite."""
    pairs = _opposite_words()
    for token in wanted.tokens:
        others = pairs.english.get(token.form, frozenset())
        if others and token.form not in said.forms:
            for each in said.tokens:
                if each.form in others and each.clause in focus and each.form not in wanted.forms:
                    yield wanted.text[token.start : token.end], said.text[each.start : each.end]
                    break
    if wanted.chinese and said.chinese:
        clauses = [[token for token in said.tokens if token.clause == clause] for clause in sorted(focus)]
        yield from _native_opposites(wanted.text, " ".join(said.text[one[0].start : one[-1].end] for one in clauses))


def _native_opposites(mine: str, theirs: str) -> Iterator[tuple[str, str]]:
    for word, others in _opposite_words().chinese:
        if word in mine and word not in theirs:
            other = next((other for other in others if other in theirs and other not in mine), "")
            if other:
                yield word, other
                mine, theirs = mine.replace(word, " "), theirs.replace(other, " ")


def _replaced(wanted: Wording, said: Wording, document: DocumentText) -> Iterator[Objection]:
    """Yield a word in whose place the other sentence has one of the same kind, though the document knows both."""
    if not said.tokens:
        return
    place = Place(0, Sentence(said.tokens, tuple(said.classes.get(n, frozenset()) for n in range(len(said.tokens)))))
    same = stretches(wanted, [place])
    gaps = [((one.end, other.start), (one.until, other.at)) for one, other in pairwise(same)]
    if same:
        gaps.insert(0, ((0, same[0].start), (0, same[0].at)))
    for mine, theirs in gaps:
        own = [token for token in wanted.tokens[slice(*mine)] if token.content]
        other = [token for token in said.tokens[slice(*theirs)] if token.content]
        if len(own) == len(other) == 1 and own[0].form in document.forms and other[0].form not in wanted.forms:
            words = wanted.text[own[0].start : own[0].end], said.text[other[0].start : other[0].end]
            if (own[0].name and other[0].name) or _same_ending(*words):
                yield Objection(kind="other word", own=words[0], other=words[1])


# -- words


def _same_ending(one: str, other: str) -> bool:
    """Tell whether two long words end alike and do not begin alike: generator and discriminator, and not model and models."""
    return (
        one.isascii()
        and one[-_ENDING:] == other[-_ENDING:]
        and min(len(one), len(other)) > _KIN
        and one[:_KIN] != other[:_KIN]
    )


def _digits_of(text: str) -> set[str]:
    return {found.replace(",", "") for found in _DIGITS.findall(text)}


def _has_kin(form: str, beginnings: frozenset[str]) -> bool:
    return len(form) >= _KIN and form.isascii() and form[:_KIN] in beginnings


def _kinship(form: str, known: frozenset[str], starts: frozenset[str]) -> float:
    """Return how well a word is known: 1 as it stands, less by a word that begins alike."""
    if form in known:
        return 1.0
    return _KIN_WEIGHT if len(form) >= _KIN and form.isascii() and form[:_KIN] in starts else 0.0


def _sentences(text: str, headings: frozenset[str]) -> Iterator[tuple[int, int]]:
    for start, end in sentences(text):
        line, _, rest = text[start:end].partition("\n")
        begin = start
        while rest.strip() and line.strip("# ").strip() in headings:
            begin = end - len(rest)
            line, _, rest = text[begin:end].partition("\n")
        yield begin, end


@dataclass(frozen=True, slots=True)
class _OppositeWords:
    english: Mapping[str, frozenset[str]]
    chinese: Sequence[tuple[str, tuple[str, ...]]]  # the longest words first
    without: frozenset[str]
    native_without: tuple[str, ...]
    no_denials: tuple[str, ...]  # words that a denial is a part of, and that deny nothing


@cache
def _opposite_words() -> _OppositeWords:
    """Return the opposites, each word with those of it, and the words that take away as a denial does."""
    told = json.loads(files("scholarmind.judge").joinpath("opposites.json").read_text(encoding="utf-8"))
    english: dict[str, set[str]] = {}
    native: dict[str, list[str]] = {}
    for line in told["en"]:
        first, *others = (read(word).tokens[0].form for word in line.split())
        for other in others:
            english.setdefault(first, set()).add(other)
            english.setdefault(other, set()).add(first)
    for line in told["zh"]:
        first, *others = line.split()
        for other in others:
            native.setdefault(first, []).append(other)
            native.setdefault(other, []).append(first)
    longest = sorted(
        ((word, tuple(sorted(others, key=len, reverse=True))) for word, others in native.items()),
        key=lambda one: -len(one[0]),
    )
    without = frozenset(" ".join(told["without"].values()).split())
    return _OppositeWords(
        english={word: frozenset(others) for word, others in english.items()},
        chinese=longest,
        without=without,
        native_without=tuple(word for word in without if not word.isascii()),
        no_denials=tuple(told["no_denials"].split()),
    )
