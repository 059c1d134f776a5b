"""Coreference: the words in a text that point to something named before, and the noun phrases that they may stand for.

It knows nothing of conversations: `resolve` is given the things that were named before, the most salient first, as `salient` reads them
from a question or a clause, and `answers` from what was found. No parser, and no name of anything is listed: what stands between words of
closed classes is a phrase, and the part that it plays is told by what stands before and after it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from scholarmind import languages
from scholarmind.languages import Language

# -- noun phrases: the things that a question names, by the words of its language (room `coreference`)

PhraseRole = Literal["subject", "aspect", "asked", "other", "time", "answer"]
HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Z]\.(?= ?[A-Z])|“[^”]+”|\"[^\"]+\"|\w[\w&/+.'’-]*[\w+]|\w|[^\w\s]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+/-]*(?: [A-Z0-9][A-Za-z0-9_.+-]*)*|《[^》]+》|“[^”]+”|「[^」]+」")
_BE = frozenset(("is", "are", "was", "were"))
_ADVERBIAL = "在对从用按"  # what follows one of these is not what a sentence is about


def language_in(text: str) -> Language:
    """Return the language whose grammar a text follows, whatever names stand in it."""
    if not HAN.search(text):
        return languages.language("en")
    english = languages.language("en").words("words.wh") | languages.language("en").words("words.auxiliary")
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", text)}
    return languages.language("en" if words & english else "zh")


@dataclass(frozen=True, slots=True, kw_only=True)
class NounPhrase:
    """Something that a text names: where it stands, and what a reference to it must agree with."""

    text: str
    source: str  # the text in which it stands
    start: int
    end: int
    role: PhraseRole = "other"
    named: bool = False  # written as a name is
    plural: bool = False
    person: bool = False
    head: str = ""  # the word that says what sort of thing it is
    article: str = ""
    preposition: str = ""
    group: int = -1  # things of one text that are joined (A and B) have the same

    @property
    def whole(self) -> str:
        """What it is called where it stands, with what is said of it by `of`: `the filter of the X200`."""
        tail = language_in(self.source).pattern("coreference.complement").match(self.source, self.end)
        return self.text + tail[0].rstrip() if tail and self.role != "answer" else self.text


def salient(text: str) -> list[NounPhrase]:
    """Return what a question names, in order: its subject, the aspect that is asked about, what else stands in it, and times."""
    language = language_in(text)
    found = list(_phrases_chinese(text, language) if language.code == "zh" else _phrases_english(text, language))
    times = [
        NounPhrase(text=match[0], source=text, start=match.start(), end=match.end(), role="time")
        for match in language.pattern("coreference.time").finditer(text)
    ]
    found = [thing for thing in found if not any(time.start <= thing.start and thing.end <= time.end for time in times)]
    found += times
    return _grouped(sorted(found, key=lambda thing: thing.start), text, language)


def _grouped(things: list[NounPhrase], text: str, language: Language) -> list[NounPhrase]:
    """Return the things with those joined that a conjunction or a comparison joins."""
    joint = language.pattern("coreference.joint")
    plain = [thing for thing in things if thing.role != "time"]
    groups, roles = dict[int, int](), dict[int, PhraseRole]()
    for index, (one, other) in enumerate(pairwise(plain)):
        if link := joint.match(text[one.end : other.start]):
            groups[one.start] = groups.get(one.start, index)
            groups[other.start] = groups[one.start]
            if link["and"]:
                roles[other.start] = roles.get(one.start, one.role)
    return [
        replace(thing, group=groups.get(thing.start, -1), role=roles.get(thing.start, thing.role)) for thing in things
    ]


@dataclass(slots=True)
class _Run:
    """Words that follow each other with no closed-class word between, what stood before them, and what comes next."""

    words: list[re.Match[str]]
    before: list[re.Match[str]]
    closed: frozenset[str]
    after: str = ""
    owner: bool = False  # it ends with 's
    owned: bool = False  # what stands before it does

    def prior(self, place: int = -1) -> str:
        """Return a word that stood before, its article not counted; `'s` behind an owner."""
        if self.owned:
            return "'s"
        words = [match[0].lower() for match in self.before]
        words = words[:-1] if self.article else words
        return words[place] if len(words) >= -place else ""

    @property
    def article(self) -> str:
        last = self.before[-1][0].lower() if self.before else ""
        return last if last in {"a", "an", "the"} else ""


def _closed_words(language: Language) -> frozenset[str]:
    """Return the words of a language that a grammar lists."""
    rooms = ("coreference.closed", "words.auxiliary", "words.preposition")
    return frozenset[str]().union(*(language.words(name) for name in rooms))


def _runs(text: str, language: Language) -> list[_Run]:
    closed = _closed_words(language)
    tokens = list(_WORD.finditer(text))
    runs, before, current = list[_Run](), list[re.Match[str]](), None
    owned = False
    for index, token in enumerate(tokens):
        word = token[0].lower()
        sign = len(word) == 1 and not word.isalnum()
        degree = current is None and bool(before) and before[-1][0].lower() == "how"  # how fast, how old
        if sign or (word in closed and not _in_name(tokens, index, inside=current is not None)) or degree:
            if current is not None:
                current.after, current, before = word, None, []
            before.append(token)
            owned = False
            continue
        if current is None:
            current = _Run([], before, closed, owned=owned)
            runs.append(current)
        current.words.append(token)
        if word.endswith(("'s", "’s")) and len(word) > 2:
            current.owner, owned, current, before = True, True, None, []
    return runs


def _in_name(tokens: Sequence[re.Match[str]], index: int, *, inside: bool) -> bool:
    """Tell whether a closed-class word stands within a name: Battle of Cannae, One Hundred Years."""
    around = [token[0] for token in tokens[max(0, index - 2) : index + 3]]
    here = min(index, 2)
    after = [word for word in around[here + 1 :] if word != "the"][:1]
    if not after or not after[0][0].isupper():
        return False
    word = tokens[index][0]
    if word not in {"of", "the"}:
        return index > 0 and len(word) > 1 and word[0].isupper()
    before = [each for each in around[:here] if each != "of"][-1:]
    return inside and "of" in {word, around[here - 1]} and bool(before) and before[0][0].isupper()


def _phrases_english(text: str, language: Language) -> Iterator[NounPhrase]:
    subject = False
    for run in _runs(text, language):
        role, pieces = _read_run(run, language, subject=subject)
        for place, piece in enumerate(each for each in pieces if each):
            mine: PhraseRole = role if place == 0 else "other"
            if (mine == "other" and not subject) or (mine == "aspect" and run.owner):
                mine = "subject"
            subject = subject or mine == "subject"
            yield _phrase(text, piece, mine, run)


def _read_run(run: _Run, language: Language, *, subject: bool) -> tuple[PhraseRole, list[list[re.Match[str]]]]:
    """Return the part that a run plays, and the noun phrases in it, by what stands before and after it."""
    words, prior, first = run.words, run.prior(), run.words[0][0]
    wh, auxiliary = language.words("words.wh"), language.words("words.auxiliary")
    if run.owned:
        return "aspect", [words]
    if prior in wh | {"many", "much"}:
        return _after_wh(run, language)
    if prior in auxiliary and not subject:
        return _after_auxiliary(run, language)
    if prior in {"be", "been", "being", "not"} or prior in language.words("coreference.speaker"):
        return "other", [words if run.article else words[1:]]
    ordered = not run.before and first.lower() in language.words("words.order")
    if ordered or (prior == "to" and not run.article and is_verb(first, language)):
        return "other", [words[1:]]
    prepositions = language.words("words.preposition")
    verbal = run.after and len(words) > 1 and not {prior, run.after} & prepositions and is_verb(words[-1][0], language)
    return "other", [words[:-1] if verbal else words]


def _after_auxiliary(run: _Run, language: Language) -> tuple[PhraseRole, list[list[re.Match[str]]]]:
    """Read what follows `is`, `did`, `can` in a question: its subject, or, before `of`, an aspect of that."""
    words, first = run.words, run.words[0][0]
    if run.prior() not in _BE:
        return "subject", _cut_run(run, language)
    if not run.article and (is_verb(first, language) or first.endswith("ed")):
        return "subject", [words[1:]]
    described = run.article == "the" and run.after in language.words("coreference.aspect_before")
    asked = any(match[0].lower() in language.words("words.wh") for match in run.before)
    role: PhraseRole = "aspect" if described and asked and not _is_named(words) else "subject"
    return role, [_subject_of_be(words, language)]


def _after_wh(run: _Run, language: Language) -> tuple[PhraseRole, list[list[re.Match[str]]]]:
    """Read what follows `which`, `what`, `how many`: what is asked for, or, after `who`, a verb and its object."""
    words, prior = run.words, run.prior()
    if prior in {"where", "when", "why", "how"}:
        return "other", [words]
    verb_first = prior in {"who", "whom"} or (prior == "what" and is_verb(words[0][0], language))
    if verb_first:
        return "other", [words[1:]]
    return "asked", [words] if run.after in language.words("words.auxiliary") else _cut_run(run, language, third=True)


def _phrase(text: str, words: Sequence[re.Match[str]], role: PhraseRole, run: _Run) -> NounPhrase:
    opening = run.article if words[0] is run.words[0] else ""
    start, end = (run.before[-1] if opening else words[0]).start(), words[-1].end()
    if run.owner and words[-1] is run.words[-1]:
        end -= len("'s")
    head = text[words[-1].start() : end].lower()
    several = head.endswith("s") and not head.endswith(("ss", "us", "is")) and not _is_named(words[-1:])
    return NounPhrase(
        text=text[start:end],
        source=text,
        start=start,
        end=end,
        role=role,
        named=_is_named(words),
        plural=several or head in {"people", "men", "women", "children"},
        head=head,
        article=opening,
        preposition=run.prior(),
    )


def _is_named(words: Sequence[re.Match[str]]) -> bool:
    """Tell whether words are written as a name is."""
    return any(re.search(r"[A-Z“\"]|\d", word[0]) for word in words)


def _subject_of_be(words: list[re.Match[str]], language: Language) -> list[re.Match[str]]:
    """Return the words before what is said with `be`: metformin in `is metformin safe`."""
    said = language.words("coreference.adjective") | language.words("coreference.past")
    for place, word in enumerate(words[1:], 1):
        if word[0].lower() in said or (word is words[-1] and word[0].endswith(("ed", "er"))):
            return words[:place]
    return words


def _cut_run(run: _Run, language: Language, *, third: bool = False) -> list[list[re.Match[str]]]:
    """Cut a run at its verb, into subject and object; `third`: the verb may end with -s or -ed."""
    words, texts = run.words, [word[0] for word in run.words]
    pairs = list(enumerate(pairwise(texts), 1))
    for place, (before, word) in pairs:
        inflected = third and word.endswith(("s", "ed")) and not before.endswith("s") and place + 1 < len(words)
        if word.islower() and (inflected or is_verb(word, language)):
            return [words[:place], words[place + 1 :]]
    for place, (before, word) in pairs:
        name_ends = not run.article and _is_named([words[place - 1]]) and not _is_named([words[place]])
        if name_ends or (word.islower() and before.endswith("s") and not before.endswith("ss")):
            return [words[:place], words[place + 1 :]]
    return [words[:-1]] if len(words) > 1 and texts[-1].islower() else [words]


def is_verb(word: str, language: Language) -> bool:
    """Tell whether a word may be one of the verbs that every field asks with, in any form."""
    verbs = language.words("coreference.verb") | language.words("words.order")
    stems = {word.removesuffix(end) for end in ("", "s", "es", "ed", "d")}
    return word.islower() and (bool(stems & verbs) or word in language.words("coreference.past"))


def _phrases_chinese(text: str, language: Language) -> Iterator[NounPhrase]:
    """Yield what stands between the words that Chinese builds sentences with: 比亚迪 · 净利润 in 比亚迪的净利润是多少."""
    boundary, time = language.pattern("coreference.boundary"), language.pattern("coreference.time")
    subject, start, place = False, 0, 0
    while place <= len(text):
        match = time.match(text, place) or _NAME.match(text, place) or boundary.match(text, place)
        if match is None and place < len(text) and HAN.match(text, place):
            place += 1
            continue
        spans = [(start, place, False)] if place - start > 1 and not _goes_on(text, start) else []
        if match and _NAME.fullmatch(match[0]):
            spans.append((*match.span(), True))
        for begin, end, named in spans:
            before = text[max(0, begin - 3) : begin]
            if language.pattern("coreference.asked_noun").search(before):
                role = "asked"
            elif not subject and not before.endswith(tuple(_ADVERBIAL)):
                role = "subject"
            else:
                role = "aspect" if before.endswith("的") else "other"
            subject = subject or role == "subject"
            adverbial = text[begin - 1 : begin] if role == "other" else ""
            head = text[begin:end] if named else text[end - 1]
            yield NounPhrase(
                text=text[begin:end],
                source=text,
                start=begin,
                end=end,
                role=role,
                named=named,
                head=head,
                preposition=adverbial,
            )
        place = start = max(match.end(), place + 1) if match else place + 1


def _goes_on(text: str, place: int) -> bool:
    """Tell whether Chinese words belong to a name in Latin letters before them: 模型 in BERT模型."""
    return place > 0 and text[place - 1].isascii() and text[place - 1].isalnum()


# -- references back

ReferenceKind = Literal["pronoun", "possessive", "noun", "pair", "rank", "place", "fact", "one", "those"]
_NUMERIC = re.compile(r"(?:[\d.,\s]|约|about|over|more than)*\d|(?:yes|no|none|是|否|不|有|没有)\b", re.IGNORECASE)
_CITATION = re.compile(r"\s*[\[【][^\]】]*[\]】]")
_LIST = re.compile(r"\s*(?:,\s*(?:and\s+)?|;\s*|、|，|；|\band\b|和|以及)\s*")
_LONGEST_ANSWER = 80  # characters; what is longer says something, and names nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class BackReference:
    """Words that point to something outside of their clause."""

    text: str
    start: int
    end: int
    kind: ReferenceKind
    plural: bool = False
    person: bool = False
    noun: str = ""  # `city` in "that city"


def find_references(text: str) -> list[BackReference]:
    """Return the references of a text that nothing else in the text itself explains."""
    language = language_in(text)
    named = salient(text)
    empty = [match.span() for match in language.pattern("coreference.expletive").finditer(text)]
    found = list[BackReference]()
    for match in language.pattern("coreference.reference").finditer(text):
        kind: ReferenceKind = next(kind for kind in _KINDS if match[kind])
        words = match[kind].lower()
        reference = BackReference(
            text=match[kind],
            start=match.start(kind),
            end=match.end(kind),
            kind=kind,
            plural=bool(language.pattern("coreference.several").match(words)),
            person=bool(language.pattern("coreference.person").match(words)),
            noun=(match["named"] or match["kind"] or "").lower(),
        )
        expletive = kind == "pronoun" and any(start <= reference.start < end for start, end in empty)
        if not expletive and _points(reference, text, language) and not _bound(reference, text, named, bool(found)):
            found.append(reference)
    return found


_KINDS: tuple[ReferenceKind, ...] = ("possessive", "pair", "rank", "noun", "fact", "place", "pronoun", "one", "those")


def _points(reference: BackReference, text: str, language: Language) -> bool:
    """Tell whether words that may point do: not `that` before a verb, nor `the latter` before a noun."""
    if reference.kind == "noun" and language.code == "en":
        if not reference.text.lower().startswith("that"):
            return True
        before, after = text[: reference.start].lower().split()[-1:], text[reference.end :].lower().split()[:1]
        auxiliary = language.words("words.auxiliary")
        clause = bool(auxiliary & set(after)) and not set(before) <= auxiliary | language.words("words.preposition")
        return not (clause or is_verb(reference.noun, language) or reference.noun.endswith(("s", "ed")))
    after = re.match(r"\s+([a-z-]+)", text[reference.end :])
    if reference.kind != "rank" or after is None or reference.text.endswith("one"):
        return True
    return after[1] in _closed_words(language) or is_verb(after[1], language)


def _bound(reference: BackReference, text: str, named: Sequence[NounPhrase], again: bool) -> bool:
    """Tell whether something in the text itself explains a reference: its owner in the same clause, anything else in an earlier one,
    or, where it stands in front of the clause, a name after it.
    """
    language = language_in(text)
    starts = [match.start() for match in language.pattern("coreference.clause").finditer(text)]
    clauses = [start for start in starts if start < reference.start]
    before = [thing for thing in named if thing.end <= reference.start and thing.role != "time"]
    earlier = [thing for thing in before if clauses and thing.end <= clauses[-1]]
    if language.pattern("coreference.inverted").search(text, 0, reference.start):  # what tools do its makers use
        before = [thing for thing in before if thing.role != "asked"]
    front = re.search(r"[,，]", text[reference.end :])
    if front and not earlier and any(each.named and each.start > reference.end + front.start() for each in named):
        return True
    match reference.kind:
        case "fact" | "one":
            return False
        case "rank" | "pair":
            return len(earlier) > 1
        case "possessive":
            return again or any(not thing.plural or reference.text.lower() != "its" for thing in before)
        case _:
            fitting = any((thing.plural or thing.group >= 0) == reference.plural for thing in earlier)
            apposed = reference.kind == "noun" and any(thing.end == reference.start for thing in named)
            owner = reference.person and any(thing.named or language.code == "zh" for thing in before)
            return fitting or apposed or (reference.kind == "pronoun" and (len(before) > 1 or owner))


# -- what a short answer names


def answers(question: str, answer: str) -> list[NounPhrase]:
    """Return what a question asked for, as its answer named it; nothing where it was a number, a yes or no, or a reason."""
    language = language_in(question)
    match = language.pattern("coreference.which").search(question)
    who, where = (bool(language.pattern(f"coreference.{name}").search(question)) for name in ("who", "where"))
    intro, _, text = _CITATION.sub("", answer).strip(" .。").rpartition("：")
    if not (match or who or where or intro) or not text:
        return []
    if len(text) > _LONGEST_ANSWER or (
        len(text.split()) > 2 and any(is_verb(word, language) for word in text.split()[1:])
    ):
        names = [thing.text for thing in salient(text) if thing.named and thing.text not in question]
        listed = names[:1]
    else:
        listed = [each for each in _LIST.split(text) if each]
    if match and match["asked"] and not any(re.search(r"[A-Z]", each) for each in listed):
        return []  # the price of a thing, its purpose: what is spoken of is the thing
    listed = [each for each in listed if not _NUMERIC.match(each)]
    sort = (next(filter(None, match.groups()), "") if match else "").lower()
    return [
        NounPhrase(
            text=each,
            source=answer,
            start=number,
            end=number,
            role="answer",
            named=bool(re.search(r"[A-Z]", each)),
            person=who,
            head=sort,
            preposition="in" if where else "",
            group=0 if len(listed) > 1 else -1,
        )
        for number, each in enumerate(listed)
    ]


# -- what a reference stands for


def resolve(reference: BackReference, things: Sequence[NounPhrase]) -> list[NounPhrase]:
    """Return what a reference stands for, of things of which the most salient comes first; nothing where that is not sure."""
    fitting = [thing for thing in things if thing.role != "time"]
    found = list[NounPhrase]()
    match reference.kind:
        case "fact" | "one":
            pass
        case "pair":
            found = sides(fitting, 3 if re.search("three|三", reference.text, re.IGNORECASE) else 2)
        case "rank":
            ranks = language_in(reference.text).text("coreference.ranks").split()
            place = next(rank.partition("=")[2] for rank in ranks if rank.partition("=")[0] in reference.text.lower())
            listed = sides(fitting)
            if place == "other":
                last = next((thing.text for thing in fitting if any(thing.text == each.text for each in listed)), "")
                found = [each for each in listed if each.text != last] if len(listed) == 2 else []
            else:
                found = listed[int(place) :][:1]
        case "place":
            found = [thing for thing in fitting if thing.preposition == "in"][:1]
        case "noun":
            found = _of_sort(reference, fitting)
        case _ if reference.plural:
            found = _several(fitting)
        case _ if reference.person:
            persons = [thing for thing in fitting if thing.person]
            found = persons[:1] or [thing for thing in fitting if thing.named and not re.search(r"\d", thing.text)][:1]
        case _:
            found = _single(reference, fitting)
    return found


def members(thing: NounPhrase, things: Sequence[NounPhrase]) -> list[NounPhrase]:
    """Return a thing with those that it is joined with, in their order."""
    group = [each for each in things if each.source == thing.source and each.group == thing.group >= 0]
    return sorted(dict.fromkeys(group), key=lambda each: each.start) or [thing]


def sides(things: Sequence[NounPhrase], most: int = 2) -> list[NounPhrase]:
    """Return the things that may be compared: those that are joined, or the last that stood in the same place of questions."""
    plain = [thing for thing in things if not thing.person and thing.role != "time"]
    joined = next((members(thing, plain) for thing in plain if thing.group >= 0), list[NounPhrase]())
    newest = next((thing for thing in plain if any(_in_place_of(thing, other) for other in plain)), None)
    if newest is None or (joined and (_is_about(plain, joined) or plain.index(joined[0]) < plain.index(newest))):
        return joined
    older = {other.text.lower(): other for other in plain if _in_place_of(newest, other)}
    return [*reversed(list(older.values())[: most - 1]), newest]


def _in_place_of(thing: NounPhrase, other: NounPhrase) -> bool:
    """Tell whether a question names one thing where an older one named the other."""
    places = [(each.role, each.preposition if each.role == "other" else "", each.named) for each in (thing, other)]
    return (
        thing.source != other.source
        and places[0] == places[1]
        and thing.text.lower() != other.text.lower()
        and thing.role != "answer"
    )


def _is_about(things: Sequence[NounPhrase], joined: Sequence[NounPhrase]) -> bool:
    """Tell whether the last question is about one of the things that are joined, or about all of them."""
    return any(thing.text == each.text for thing in things if thing.source == things[0].source for each in joined)


def _of_sort(reference: BackReference, things: Sequence[NounPhrase]) -> list[NounPhrase]:
    """Return the things of the sort that is named, or the only name that was given last."""
    things = [thing for thing in things if thing.role != "asked"]
    same = [thing for thing in things if thing.head == reference.noun or thing.text.lower().endswith(reference.noun)]
    if same:
        return members(same[0], things)
    if reference.plural:
        return _several(things)
    chinese = language_in(reference.text).code == "zh"
    names = [
        thing
        for thing in things
        if (thing.named or (chinese and thing.role == "subject")) and not thing.person and thing.group < 0
    ]
    return names[:1] if len({name.text for name in names if name.source == names[0].source}) == 1 else []


def _several(things: Sequence[NounPhrase]) -> list[NounPhrase]:
    """Return what `they` are: several things that were joined, one that is plural, things that stood in the same place of questions,
    or a name such as a company's; nothing where two of one question could be meant.
    """
    fitting = [thing for thing in things if thing.plural or thing.group >= 0]
    rivals = {(thing.role, thing.group) for thing in fitting if thing.source == fitting[0].source}
    if fitting and fitting[0].role in {"answer", "subject"} and fitting[0].source in _newest(things):
        return members(fitting[0], things) if len(rivals) == 1 else []
    listed = sides(things, most=len(things))
    return listed or ([thing for thing in things if thing.named] or fitting)[:1]


def _newest(things: Sequence[NounPhrase]) -> set[str]:
    """Return the texts of the last turn: its question, and its answer."""
    first = next((thing.source for thing in things if thing.role != "answer"), "")
    return {first, things[0].source}


def _single(reference: BackReference, things: Sequence[NounPhrase]) -> list[NounPhrase]:
    fitting = [thing for thing in things if not (thing.plural or thing.person) and len(_equals(thing, things)) == 1]
    fitting = [thing for thing in fitting if thing.role != "answer" or thing.head] or fitting  # not where something was
    newest = [thing for thing in fitting if thing.source == fitting[0].source]
    if reference.kind == "pronoun" and _rivals(newest):
        return []
    central = [thing for thing in fitting if thing.role in {"subject", "answer"}]
    return (central or [thing for thing in fitting if thing.role != "asked"])[:1]


def _rivals(things: Sequence[NounPhrase]) -> bool:
    """Tell whether a question is as much about an aspect as about what it is the aspect of: the notice period for a tenant."""
    aspect = any(thing.role == "aspect" and thing.preposition != "'s" for thing in things)
    return aspect and any(
        thing.role == "subject" and not thing.named and thing.preposition not in {"of", ""} for thing in things
    )


def _equals(thing: NounPhrase, things: Sequence[NounPhrase]) -> list[NounPhrase]:
    return [each for each in members(thing, things) if each.role == thing.role]
