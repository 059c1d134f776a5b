"""Noun phrases: the things that a question names, read by the words of its language that a grammar lists (room `coreference`).

No parser, and no name of anything is listed: what stands between closed-class words is a phrase, and the part that it plays is told by
what stands before and after it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from scholarmind import languages
from scholarmind.languages import Language

Role = Literal["subject", "aspect", "asked", "other", "time", "answer"]

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
class Thing:
    """Something that a text names: where it stands, and what a reference to it must agree with."""

    text: str
    source: str  # the text in which it stands
    start: int
    end: int
    role: Role = "other"
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


def salient(text: str) -> list[Thing]:
    """Return what a question names, in order: its subject, the aspect that is asked about, what else stands in it, and times."""
    language = language_in(text)
    found = list(_chinese(text, language) if language.code == "zh" else _english(text, language))
    times = [
        Thing(text=match[0], source=text, start=match.start(), end=match.end(), role="time")
        for match in language.pattern("coreference.time").finditer(text)
    ]
    found = [thing for thing in found if not any(time.start <= thing.start and thing.end <= time.end for time in times)]
    found += times
    return _grouped(sorted(found, key=lambda thing: thing.start), text, language)


def _grouped(things: list[Thing], text: str, language: Language) -> list[Thing]:
    """Return the things with those joined that a conjunction or a comparison joins."""
    joint = language.pattern("coreference.joint")
    plain = [thing for thing in things if thing.role != "time"]
    groups, roles = dict[int, int](), dict[int, Role]()
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


def closed_words(language: Language) -> frozenset[str]:
    """Return the words of a language that a grammar lists."""
    rooms = ("coreference.closed", "words.auxiliary", "words.preposition")
    return frozenset[str]().union(*(language.words(name) for name in rooms))


def _runs(text: str, language: Language) -> list[_Run]:
    closed = closed_words(language)
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


def _english(text: str, language: Language) -> Iterator[Thing]:
    subject = False
    for run in _runs(text, language):
        role, pieces = _read(run, language, subject=subject)
        for place, piece in enumerate(each for each in pieces if each):
            mine: Role = role if place == 0 else "other"
            if (mine == "other" and not subject) or (mine == "aspect" and run.owner):
                mine = "subject"
            subject = subject or mine == "subject"
            yield _phrase(text, piece, mine, run)


def _read(run: _Run, language: Language, *, subject: bool) -> tuple[Role, list[list[re.Match[str]]]]:
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


def _after_auxiliary(run: _Run, language: Language) -> tuple[Role, list[list[re.Match[str]]]]:
    """Read what follows `is`, `did`, `can` in a question: its subject, or, before `of`, an aspect of that."""
    words, first = run.words, run.words[0][0]
    if run.prior() not in _BE:
        return "subject", _cut(run, language)
    if not run.article and (is_verb(first, language) or first.endswith("ed")):
        return "subject", [words[1:]]
    described = run.article == "the" and run.after in language.words("coreference.aspect_before")
    asked = any(match[0].lower() in language.words("words.wh") for match in run.before)
    role: Role = "aspect" if described and asked and not is_named(words) else "subject"
    return role, [_subject_of_be(words, language)]


def _after_wh(run: _Run, language: Language) -> tuple[Role, list[list[re.Match[str]]]]:
    """Read what follows `which`, `what`, `how many`: what is asked for, or, after `who`, a verb and its object."""
    words, prior = run.words, run.prior()
    if prior in {"where", "when", "why", "how"}:
        return "other", [words]
    verb_first = prior in {"who", "whom"} or (prior == "what" and is_verb(words[0][0], language))
    if verb_first:
        return "other", [words[1:]]
    return "asked", [words] if run.after in language.words("words.auxiliary") else _cut(run, language, third=True)


def _phrase(text: str, words: Sequence[re.Match[str]], role: Role, run: _Run) -> Thing:
    opening = run.article if words[0] is run.words[0] else ""
    start, end = (run.before[-1] if opening else words[0]).start(), words[-1].end()
    if run.owner and words[-1] is run.words[-1]:
        end -= len("'s")
    head = text[words[-1].start() : end].lower()
    several = head.endswith("s") and not head.endswith(("ss", "us", "is")) and not is_named(words[-1:])
    return Thing(
        text=text[start:end],
        source=text,
        start=start,
        end=end,
        role=role,
        named=is_named(words),
        plural=several or head in {"people", "men", "women", "children"},
        head=head,
        article=opening,
        preposition=run.prior(),
    )


def is_named(words: Sequence[re.Match[str]]) -> bool:
    """Tell whether words are written as a name is."""
    return any(re.search(r"[A-Z“\"]|\d", word[0]) for word in words)


def _subject_of_be(words: list[re.Match[str]], language: Language) -> list[re.Match[str]]:
    """Return the words before what is said with `be`: metformin in `is metformin safe`."""
    said = language.words("coreference.adjective") | language.words("coreference.past")
    for place, word in enumerate(words[1:], 1):
        if word[0].lower() in said or (word is words[-1] and word[0].endswith(("ed", "er"))):
            return words[:place]
    return words


def _cut(run: _Run, language: Language, *, third: bool = False) -> list[list[re.Match[str]]]:
    """Cut a run at its verb, into subject and object; `third`: the verb may end with -s or -ed."""
    words, texts = run.words, [word[0] for word in run.words]
    pairs = list(enumerate(pairwise(texts), 1))
    for place, (before, word) in pairs:
        inflected = third and word.endswith(("s", "ed")) and not before.endswith("s") and place + 1 < len(words)
        if word.islower() and (inflected or is_verb(word, language)):
            return [words[:place], words[place + 1 :]]
    for place, (before, word) in pairs:
        name_ends = not run.article and is_named([words[place - 1]]) and not is_named([words[place]])
        if name_ends or (word.islower() and before.endswith("s") and not before.endswith("ss")):
            return [words[:place], words[place + 1 :]]
    return [words[:-1]] if len(words) > 1 and texts[-1].islower() else [words]


def is_verb(word: str, language: Language) -> bool:
    """Tell whether a word may be one of the verbs that every field asks with, in any form."""
    verbs = language.words("coreference.verb") | language.words("words.order")
    stems = {word.removesuffix(end) for end in ("", "s", "es", "ed", "d")}
    return word.islower() and (bool(stems & verbs) or word in language.words("coreference.past"))


def _chinese(text: str, language: Language) -> Iterator[Thing]:
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
            role = _chinese_role(text, begin, language, subject=subject)
            subject = subject or role == "subject"
            adverbial = text[begin - 1 : begin] if role == "other" else ""
            head = text[begin:end] if named else text[end - 1]
            yield Thing(
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


def _chinese_role(text: str, place: int, language: Language, *, subject: bool) -> Role:
    before = text[max(0, place - 3) : place]
    if language.pattern("coreference.asked_noun").search(before):
        return "asked"
    if not subject and not before.endswith(tuple(_ADVERBIAL)):
        return "subject"
    return "aspect" if before.endswith("的") else "other"
