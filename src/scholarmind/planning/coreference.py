"""References back: the words in a text that point to something named before, and what these stand for.

It knows nothing of conversations: `resolve` is given the things that were named before, the most salient first, as `salient` of
`noun_phrases` reads them from a question or a clause, and `answers` from what was found.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.languages import Language
from scholarmind.planning.noun_phrases import Thing, closed_words, is_verb, language_in, salient

Kind = Literal["pronoun", "possessive", "noun", "pair", "rank", "place", "fact", "one", "those"]

_NUMERIC = re.compile(r"(?:[\d.,\s]|约|about|over|more than)*\d|(?:yes|no|none|是|否|不|有|没有)\b", re.IGNORECASE)
_CITATION = re.compile(r"\s*[\[【][^\]】]*[\]】]")
_LIST = re.compile(r"\s*(?:,\s*(?:and\s+)?|;\s*|、|，|；|\band\b|和|以及)\s*")
_LONGEST_ANSWER = 80  # characters; what is longer says something, and names nothing


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
        kind: Kind = next(kind for kind in _KINDS if match[kind])
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
        return not (clause or is_verb(reference.noun, language) or reference.noun.endswith(("s", "ed")))
    after = re.match(r"\s+([a-z-]+)", text[reference.end :])
    if reference.kind != "rank" or after is None or reference.text.endswith("one"):
        return True
    return after[1] in closed_words(language) or is_verb(after[1], language)


def _bound(reference: Reference, text: str, named: Sequence[Thing], again: bool) -> bool:
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


def answers(question: str, answer: str) -> list[Thing]:
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
    found = list[Thing]()
    match reference.kind:
        case "fact" | "one":
            pass
        case "pair":
            found = sides(fitting, 3 if re.search("three|三", reference.text, re.IGNORECASE) else 2)
        case "rank":
            found = _ranked(reference, fitting)
        case "place":
            found = [thing for thing in fitting if thing.preposition == "in"][:1]
        case "noun":
            found = _of_sort(reference, fitting)
        case _ if reference.plural:
            found = _several(fitting)
        case _ if reference.person:
            found = _person(fitting)
        case _:
            found = _single(reference, fitting)
    return found


def members(thing: Thing, things: Sequence[Thing]) -> list[Thing]:
    """Return a thing with those that it is joined with, in their order."""
    group = [each for each in things if each.source == thing.source and each.group == thing.group >= 0]
    return sorted(dict.fromkeys(group), key=lambda each: each.start) or [thing]


def sides(things: Sequence[Thing], most: int = 2) -> list[Thing]:
    """Return the things that may be compared: those that are joined, or the last that stood in the same place of questions."""
    plain = [thing for thing in things if not thing.person and thing.role != "time"]
    joined = next((members(thing, plain) for thing in plain if thing.group >= 0), list[Thing]())
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
