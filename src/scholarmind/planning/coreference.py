"""References back: the things that a text names, the words in a text that point to something named before, and what these stand for.

`salient` and `find` read a text by the words of its language that a grammar lists (`languages/*.toml`, room `coreference`);
no name of anything is listed. `resolve` knows nothing of conversations or clauses: it is given the things that were named before, the
most salient first.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scholarmind import languages
from scholarmind.languages import Language

Role = Literal["subject", "aspect", "asked", "other", "time", "answer"]
Kind = Literal["pronoun", "possessive", "noun", "pair", "rank", "place", "fact", "one", "those"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Z]\.(?= ?[A-Z])|“[^”]+”|\"[^\"]+\"|\w[\w&/+.'’-]*[\w+]|\w|[^\w\s]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+/-]*(?: [A-Z0-9][A-Za-z0-9_.+-]*)*|《[^》]+》|“[^”]+”|「[^」]+」")
_NUMERIC = re.compile(r"(?:[\d.,\s]|约|about|over|more than)*\d|(?:yes|no|none|是|否|不|有|没有)\b", re.IGNORECASE)
_CITATION = re.compile(r"\s*[\[【][^\]】]*[\]】]")
_LIST = re.compile(r"\s*(?:,\s*(?:and\s+)?|;\s*|、|，|；|\band\b|和|以及)\s*")
_LONGEST_ANSWER = 80  # characters; what is longer says something, and names nothing


def language_in(text: str) -> Language:
    """Return the language whose grammar a text follows, whatever names stand in it."""
    if not _HAN.search(text):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Words that point to something outside of their clause."""

    text: str
    start: int
    end: int
    kind: Kind
    plural: bool = False
    person: bool = False
    noun: str = ""  # `city` in "that city"


def find(text: str) -> list[Reference]:
    """Return the references of a text that nothing else in the text itself explains."""
    language = language_in(text)
    named = salient(text)
    empty = [match.span() for match in language.pattern("coreference.expletive").finditer(text)]
    found = list[Reference]()
    for match in language.pattern("coreference.reference").finditer(text):
        kind = next(kind for kind in _KINDS if match[kind])
        words = match[kind].lower()
        reference = Reference(
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


_KINDS: tuple[Kind, ...] = ("possessive", "pair", "rank", "noun", "fact", "place", "pronoun", "one", "those")


def _points(reference: Reference, text: str, language: Language) -> bool:
    """Tell whether words that may point do: not `that` before a verb, nor `the latter` before a noun."""
    if reference.kind == "noun" and language.code == "en":
        if not reference.text.lower().startswith("that"):
            return True
        before, after = text[: reference.start].lower().split()[-1:], text[reference.end :].lower().split()[:1]
        auxiliary = language.words("words.auxiliary")
        clause = bool(auxiliary & set(after)) and not set(before) <= auxiliary | language.words("words.preposition")
        return not (clause or _is_verb(reference.noun, language) or reference.noun.endswith(("s", "ed")))
    after = re.match(r"\s+([a-z-]+)", text[reference.end :])
    if reference.kind != "rank" or after is None or reference.text.endswith("one"):
        return True
    closed = (
        language.words("coreference.closed") | language.words("words.auxiliary") | language.words("words.preposition")
    )
    return after[1] in closed or _is_verb(after[1], language)


def _bound(reference: Reference, text: str, named: Sequence[Thing], again: bool) -> bool:
    """Tell whether something in the text itself explains a reference: its owner in the same clause, anything else in an earlier one,
    or, where it stands in front of the clause, a name after it.
    """
    if reference.kind in {"fact", "one"}:
        return False
    language = language_in(text)
    if reference.kind == "noun" and any(thing.end == reference.start for thing in named):
        return True
    clauses = [match.start() for match in language.pattern("coreference.clause").finditer(text, 0, reference.start)]
    inverted = (
        bool(re.search(rf"(?i)\b(?:{'|'.join(language.words('words.auxiliary'))})\s+$", text[: reference.start]))
        if language.code == "en"
        else False
    )
    before = [thing for thing in named if thing.end <= reference.start and thing.role != "time"]
    earlier = [thing for thing in before if clauses and thing.end <= clauses[-1]]
    before = [thing for thing in before if not (inverted and thing.role == "asked")]
    comma = re.search(r"[,，]", text[reference.end :])
    if comma and any(thing.named and thing.start > reference.end + comma.start() for thing in named) and not earlier:
        return True
    if reference.kind in {"rank", "pair"}:
        return len(earlier) > 1
    if reference.kind == "possessive":
        return again or any(not thing.plural or reference.text.lower() != "its" for thing in before)
    if any(thing.plural or thing.group >= 0 or not reference.plural for thing in earlier):
        return True
    if reference.kind == "pronoun":
        return len(before) > 1 or (reference.person and any(thing.named or language.code == "zh" for thing in before))
    return False


# -- what a text names


def salient(text: str) -> list[Thing]:
    """Return what a question names, in order: its subject, the aspect that is asked about, what else stands in it, and times."""
    language = language_in(text)
    found = list(_chinese(text, language) if language.code == "zh" else _english(text, language))
    times = language.pattern("coreference.time").finditer(text)
    found = [thing for thing in found if thing.role != "time"]
    found += [_thing(text, match.start(), match.end(), role="time") for match in times]
    return _grouped(sorted(found, key=lambda thing: thing.start), text, language)


def _thing(text: str, start: int, end: int, **more: object) -> Thing:
    return replace(Thing(text=text[start:end], source=text, start=start, end=end), **more)  # type: ignore[arg-type]


def _grouped(things: list[Thing], text: str, language: Language) -> list[Thing]:
    """Return the things with those joined that a conjunction or a comparison joins."""
    joint = language.pattern("coreference.joint")
    plain = [thing for thing in things if thing.role != "time"]
    groups, roles = dict[int, int](), dict[int, Role]()
    for index, (one, other) in enumerate(zip(plain, plain[1:], strict=False)):
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
    before: list[str]
    after: str = ""
    owner: bool = False


def _runs(text: str, language: Language) -> list[_Run]:
    closed = (
        language.words("coreference.closed") | language.words("words.auxiliary") | language.words("words.preposition")
    )
    tokens = list(_WORD.finditer(text))
    runs, before, current = list[_Run](), list[str](), None
    for index, token in enumerate(tokens):
        word = token[0].lower()
        within = (
            index > 0
            and token[0][0].isupper()
            and len(token[0]) > 1
            and tokens[index + 1 : index + 2] != []
            and tokens[index + 1][0][0].isupper()
        )
        names_on = within or word in {"of", "the"} and current is not None and _in_name(tokens, index)
        degree = bool(before) and before[-1] == "how" and current is None and word not in closed
        if (word in closed and not names_on) or not token[0][0].isalnum() and len(token[0]) == 1 or degree:
            if current is not None:
                current.after, current = word, None
                before = []
            before.append(word)
            continue
        if current is None:
            current = _Run([], before)
            runs.append(current)
        current.words.append(token)
        if word.endswith(("'s", "’s")) and len(word) > 2:
            current.owner, current, before = True, None, ["'s"]
    return runs


def _in_name(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Tell whether an `of` (the) stands within a name: Battle of Cannae, Lord of the Rings."""
    around = [token[0] for token in tokens[max(0, index - 2) : index + 3]]
    here = min(index, 2)
    before = [word for word in around[:here] if word != "of"][-1:]
    after = [word for word in around[here + 1 :] if word != "the"][:1]
    linked = tokens[index][0] == "of" or around[here - 1] == "of"
    return linked and all(word[0].isupper() for word in (*before, *after)) and bool(before and after)


def _english(text: str, language: Language) -> Iterator[Thing]:
    runs = _runs(text, language)
    be = {"is", "are", "was", "were"}
    subject = False
    for number, run in enumerate(runs):
        words = run.words
        article = run.before[-1] if run.before and run.before[-1] in language.words("coreference.article") else ""
        last = run.before[-2 if article else -1] if len(run.before) > bool(article) else ""
        role: Role = "other"
        pieces = [words]
        if last in language.words("words.wh") | {"many", "much"}:
            role = "asked"
            if last in {"where", "when", "why", "how"}:
                role = "other"
            elif (
                last in {"who", "whom", "what"}
                and (last != "what" or _is_verb(words[0][0], language))
                and len(words) > 1
            ):
                role, pieces = "other", [words[1:]]
            elif run.after not in language.words("words.auxiliary"):
                pieces = _cut(words, language, copula=False, subject=True)
        elif last in language.words("words.auxiliary") and not subject:
            role = "subject"
            pieces = _cut(words, language, copula=last in be, article=article)
            if last in be and not article and (_is_verb(words[0][0], language) or words[0][0].endswith("ed")):
                pieces = [words[1:]]
            asked = any(word in language.words("words.wh") for word in run.before)
            described = article == "the" and run.after in language.words("coreference.aspect_before")
            if asked and described and last in be and not _named(words):
                role = "aspect"
        elif last in {"to", "be", "been", "being", "not"} or last in language.words("coreference.speaker"):
            verbal = last != "to" or (not article and _is_verb(words[0][0], language))
            pieces = [words[1:] if verbal and not article else words]
        elif number == 0 and not article and words[0][0].lower() in language.words("words.order"):
            pieces = [words[1:]]
        elif run.after and len(words) > 1 and not {last, run.after} & language.words("words.preposition"):
            pieces = [words[:-1] if _is_verb(words[-1][0], language) else words]
        if "'s" in run.before:
            role, last = "aspect", "'s"
        for place, piece in enumerate(pieces):
            if not piece:
                continue
            mine: Role = role if place == 0 else "other"
            if mine == "other" and not subject:
                mine = "subject"
            if run.owner and mine == "aspect":
                mine = "subject"
            subject = subject or mine == "subject"
            yield _phrase(text, piece, mine, article if place == 0 else "", run, last)


def _phrase(text: str, words: Sequence[re.Match[str]], role: Role, article: str, run: _Run, last: str) -> Thing:
    start, end = words[0].start(), words[-1].end()
    if run.owner and words[-1] is run.words[-1]:
        end -= 2
    if article:
        start = text.lower().rindex(article, 0, start)
    head = text[words[-1].start() : end].lower()
    singular = head.endswith(("ss", "us", "is")) or not head.endswith("s")
    return _thing(
        text,
        start,
        end,
        role=role,
        named=_named(words),
        plural=(not singular and not _named(words[-1:])) or head in {"people", "men", "women", "children"},
        head=head,
        article=article,
        preposition=last,
    )


def _named(words: Sequence[re.Match[str]]) -> bool:
    return any(re.search(r"[A-Z“\"]|\d", word[0]) for word in words)


def _cut(
    words: list[re.Match[str]], language: Language, *, copula: bool, article: str = "", subject: bool = False
) -> list[list[re.Match[str]]]:
    """Cut a run after the noun phrase that it begins with: before its verb, or before what is said with `be`."""
    texts = [word[0] for word in words]
    if copula:
        said = language.words("coreference.adjective") | language.words("coreference.past")
        for place in range(1, len(words)):
            if texts[place].lower() in said or (texts[place].endswith(("ed", "er")) and place == len(words) - 1):
                return [words[:place]]
        return [words]
    for place in range(1, len(words)):
        third = (
            subject
            and texts[place].endswith(("s", "ed"))
            and not texts[place - 1].endswith("s")
            and place + 1 < len(words)
        )
        if texts[place].islower() and (third or _is_verb(texts[place], language)):
            return [words[:place], words[place + 1 :]]
    for place in range(1, len(words)):
        name_ends = not article and _named([words[place - 1]]) and not _named([words[place]])
        plural_ends = texts[place - 1].endswith("s") and not texts[place - 1].endswith("ss") and texts[place].islower()
        if name_ends or plural_ends:
            return [words[:place], words[place + 1 :]]
    return [words[:-1]] if len(words) > 1 and texts[-1].islower() else [words]


def _is_verb(word: str, language: Language) -> bool:
    if not word.islower() or language.code != "en":
        return False
    verbs, lower = language.words("coreference.verb") | language.words("words.order"), word.lower()
    stems = {
        lower,
        lower.removesuffix("s"),
        lower.removesuffix("es"),
        lower.removesuffix("ed"),
        lower.removesuffix("d"),
    }
    return bool(stems & verbs) or lower in language.words("coreference.past")


def _chinese(text: str, language: Language) -> Iterator[Thing]:
    """Yield what stands between words that Chinese builds sentences with: 比亚迪 · 净利润 in 比亚迪的净利润是多少."""
    boundary, time = language.pattern("coreference.boundary"), language.pattern("coreference.time")
    wh = language.pattern("coreference.asked_noun")
    subject, before, place, start = False, "", 0, 0
    while place <= len(text):
        match = time.match(text, place) or _NAME.match(text, place) or boundary.match(text, place)
        if match is None and place < len(text) and _HAN.match(text, place):
            place += 1
            continue
        run = text[start:place]
        if len(run) > 1 and not (before and before[-1].isascii() and before[-1].isalnum()):
            adverbial = before[-1:] if before[-1:] in "在对从用按" else ""
            role: Role = (
                "asked"
                if wh.search(before)
                else "subject"
                if not subject and not adverbial
                else "aspect"
                if before.endswith("的")
                else "other"
            )
            subject = subject or role == "subject"
            yield _thing(text, start, place, role=role, head=run[-1], preposition=adverbial)
        if match is None:
            before, place = text[max(0, start - 3) : place + 1], place + 1
            start = place
            continue
        before = text[max(0, match.start() - 3) : match.end()]
        if _NAME.fullmatch(match[0]):
            adverbial = (
                text[match.start() - 1 : match.start()] if text[: match.start()].endswith(tuple("在对从用按")) else ""
            )
            role = "other" if subject or adverbial else "subject"
            subject = subject or role == "subject"
            yield _thing(text, match.start(), match.end(), role=role, named=True, head=match[0], preposition=adverbial)
        place = start = max(match.end(), place + 1)


# -- what a short answer names


def answers(question: str, answer: str) -> list[Thing]:
    """Return what a question asked for, as its answer named it; nothing where it was a number, a yes or no, or a reason."""
    language = language_in(question)
    match = language.pattern("coreference.which").search(question)
    who, where = (bool(language.pattern(f"coreference.{name}").search(question)) for name in ("who", "where"))
    intro, _, text = _CITATION.sub("", answer).strip(" .。").rpartition("：")
    if not (match or who or where or intro) or not text:
        return []
    if len(text) > _LONGEST_ANSWER or (
        len(text.split()) > 2 and any(_is_verb(word, language) for word in text.split()[1:])
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
        Thing(
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


def resolve(reference: Reference, things: Sequence[Thing]) -> list[Thing]:
    """Return what a reference stands for, of things of which the most salient comes first; nothing where that is not sure."""
    fitting = [thing for thing in things if thing.role != "time"]
    match reference.kind:
        case "fact" | "one":
            return []
        case "pair":
            return sides(fitting, 3 if "hree" in reference.text or "三" in reference.text else 2)
        case "rank":
            return _ranked(reference, fitting)
        case "place":
            return [thing for thing in fitting if thing.preposition == "in"][:1]
        case "noun":
            return _of_sort(reference, fitting)
        case _ if reference.plural:
            return _several(fitting)
        case _ if reference.person:
            return _person(fitting)
        case _:
            return _single(reference, fitting)


def members(thing: Thing, things: Sequence[Thing]) -> list[Thing]:
    """Return a thing with those that it is joined with, in their order."""
    group = [each for each in things if each.source == thing.source and each.group == thing.group >= 0]
    return sorted(dict.fromkeys(group), key=lambda each: each.start) or [thing]


def sides(things: Sequence[Thing], most: int = 2) -> list[Thing]:
    """Return the things that may be compared: those that are joined, or the last that stood in the same place of questions."""
    plain = [thing for thing in things if not thing.person and thing.role != "time"]
    joined = next((members(thing, plain) for thing in plain if thing.group >= 0), [])
    newest = next((thing for thing in plain if any(_in_place_of(thing, other) for other in plain)), None)
    if newest is None or (joined and (_is_about(plain, joined) or plain.index(joined[0]) < plain.index(newest))):
        return joined
    older = {other.text.lower(): other for other in plain if _in_place_of(newest, other)}
    return [*reversed(list(older.values())[: most - 1]), newest]


def _in_place_of(thing: Thing, other: Thing) -> bool:
    """Tell whether a question names one thing where an older one named the other."""
    places = [(each.role, each.preposition if each.role == "other" else "", each.named) for each in (thing, other)]
    return (
        thing.source != other.source
        and places[0] == places[1]
        and thing.text.lower() != other.text.lower()
        and thing.role != "answer"
    )


def _is_about(things: Sequence[Thing], joined: Sequence[Thing]) -> bool:
    """Tell whether the last question is about one of the things that are joined, or about all of them."""
    return any(thing.text == each.text for thing in things if thing.source == things[0].source for each in joined)


def _ranked(reference: Reference, things: Sequence[Thing]) -> list[Thing]:
    ranks = language_in(reference.text).text("coreference.ranks").split()
    place = next(rank.partition("=")[2] for rank in ranks if rank.partition("=")[0] in reference.text.lower())
    listed = sides(things)
    if place == "other":
        last = next((thing.text for thing in things if any(thing.text == each.text for each in listed)), "")
        return [each for each in listed if each.text != last] if len(listed) == 2 else []
    return listed[int(place) :][:1]


def _of_sort(reference: Reference, things: Sequence[Thing]) -> list[Thing]:
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


def _several(things: Sequence[Thing]) -> list[Thing]:
    """Return what `they` are: several things that were joined, one that is plural, things that stood in the same place of questions,
    or a name such as a company's; nothing where two of one question could be meant.
    """
    fitting = [thing for thing in things if thing.plural or thing.group >= 0]
    rivals = {(thing.role, thing.group) for thing in fitting if thing.source == fitting[0].source}
    if fitting and fitting[0].role in {"answer", "subject"} and fitting[0].source in _newest(things):
        return members(fitting[0], things) if len(rivals) == 1 else []
    listed = sides(things, most=len(things))
    return listed or ([thing for thing in things if thing.named] or fitting)[:1]


def _newest(things: Sequence[Thing]) -> set[str]:
    """Return the texts of the last turn: its question, and its answer."""
    first = next((thing.source for thing in things if thing.role != "answer"), "")
    return {first, things[0].source}


def _person(things: Sequence[Thing]) -> list[Thing]:
    persons = [thing for thing in things if thing.person]
    return persons[:1] or [thing for thing in things if thing.named and not re.search(r"\d", thing.text)][:1]


def _single(reference: Reference, things: Sequence[Thing]) -> list[Thing]:
    fitting = [thing for thing in things if not (thing.plural or thing.person) and len(_equals(thing, things)) == 1]
    fitting = [thing for thing in fitting if thing.role != "answer" or thing.head] or fitting  # not where something was
    newest = [thing for thing in fitting if thing.source == fitting[0].source]
    if reference.kind == "pronoun" and _rivals(newest):
        return []
    central = [thing for thing in fitting if thing.role in {"subject", "answer"}]
    return (central or [thing for thing in fitting if thing.role != "asked"])[:1]


def _rivals(things: Sequence[Thing]) -> bool:
    """Tell whether a question is as much about an aspect as about what it is the aspect of: the notice period for a tenant."""
    aspect = any(thing.role == "aspect" and thing.preposition != "'s" for thing in things)
    return aspect and any(
        thing.role == "subject" and not thing.named and thing.preposition not in {"of", ""} for thing in things
    )


def _equals(thing: Thing, things: Sequence[Thing]) -> list[Thing]:
    return [each for each in members(thing, things) if each.role == thing.role]
