"""Words of an English question that point back, and what stands in their place: `it`, `their`, `the latter`, `these datasets`."""

import re
from collections.abc import Sequence
from itertools import islice

from scholarmind.model import Name
from scholarmind.planning.earlier import THINGS, Earlier, Rewritten, in_english
from scholarmind.planning.mentions import is_aspect, mentions_of
from scholarmind.planning.pointing import Points, numbered, of_noun, referents, the_other
from scholarmind.planning.protected import Protector
from scholarmind.planning.verbs import FINITE_VERBS
from scholarmind.planning.words import ASKING, AUX, PLURAL_AUX, SINGULAR_AUX, WH, content, is_plural, question
from scholarmind.text.patterns import lazy_regex

_MODEL_NOUN = rf"(?:{THINGS}|authors?|researchers?|teams?|groups?|people|scores?|numbers?|results?|values?|ones?)"
_NO_OWNER = r"(?! (?:of|for|in|that|who|which|behind|from|on|to|with)\b|['’-])"
POINTER = lazy_regex(
    r"\b(?:(?P<pair>both(?: of (?:them|these|those))?(?= |[?.,]|$)(?! [a-zA-Z]+ and )|the two(?: of them)?(?= |[?.,]|$)"
    rf"|(?:these|those|the) two(?: {_MODEL_NOUN})?|all (?:three|of (?:them|these|those))|each(?: of them)?(?=[?.]|$))"
    rf"|the (?P<order>former|latter|(?:first|second|third|last|other)"
    rf"(?: ones?| {_MODEL_NOUN}\b|(?= of (?:them|these|those|the two)|[?.,]|$| and the )))(?: of (?:them|these|those|the two))?"
    rf"|(?P<det>this|that|these|those|the same) (?P<noun>{_MODEL_NOUN})\b(?! (?:of|as)\b)"
    rf"|the (?P<the>authors?|researchers|papers?|model|method|approach|team){_NO_OWNER}(?=[ ?.,]|$)"
    r"|(?P<own>its|their|his|her)(?= [a-zA-Z0-9])(?! (?:and|or|in|on|to|for)\b)|(?P<it>it|they|them|he|she|him|her)\b(?!['’])"
    r"|(?P<bare>(?:this|that|these|those)(?=\s*[?.;!]|$| (?:work|compare|differ|improve|help|affect|matter|scale|perform|relate"
    r"|change|happen|needed|important|useful|used|trained|different|better|faster|larger|smaller|in|on|for|with|from|to|and"
    r"|than)\b)))",
    re.IGNORECASE,
)
_MOST_POINTERS = 8
_PLACES = {"former": 0, "latter": -1, "first": 0, "second": 1, "third": 2, "last": -1}
_POINTS: dict[str, Points] = {
    **dict.fromkeys(("he", "she", "him", "his", "her"), "person"),
    **dict.fromkeys(("they", "them", "their", "these", "those"), "several"),
    "both": "pair",
}
_EXPLETIVE = lazy_regex(
    r"^it (?:(?:is|was) )?(?:(?:possible|necessary|true|important|better|clear|likely|hard|easy|known) (?:to|that|for)|worth"
    r"|mean (?:to|that|when|if)"
    r"|make sense to|take[sn]? to)\b|^it (?:is|was) that\b",
    re.IGNORECASE,
)
_BESIDE = lazy_regex(
    r"\b(?:(?:differs?|different|derived|distinct) from|with|to|than|against|over|like|as|beats?|outperforms?"
    r"|improves? (?:on|upon)|replaced?|extends?|cites?|builds? on"
    r"|uses?|used)\s*$",
    re.IGNORECASE,
)
_DOER = lazy_regex(r"^(?:who|what|which)(?: (?:also|first|of))*(?:\s[a-z\-]+){0,3}\s*$", re.IGNORECASE)
_CONDITION = lazy_regex(
    r"^(?:if|when|while|since|after|before|because|although|though|unless|once|given|considering|as)\b[^,]*,",
    re.IGNORECASE,
)
_AFTER_BE = lazy_regex(
    r"\b(?:is|was|be|would|could|might|will|make|makes|made|find|found|take|takes)\s+$", re.IGNORECASE
)
_FOR_IT_IS = lazy_regex(
    r"^it (?:be |also )?(?!\w+ed\b|able|similar|related|close|equal|identical|superior|inferior|due|specific|open|robust|sensitive"
    r"|equivalent|comparable|subject|prone|based)[a-z]+ (?:to\b|that\b|for\b.* to\b)",
    re.IGNORECASE,
)
_ASKING = "|".join(sorted(WH | ASKING | frozenset("is are was were do does did can has have".split())))
_CLAUSE = lazy_regex(rf"(?:,|;|\band|\bbut|\bor|\?)\s+(?=(?:and |then )?(?:{_ASKING})\b)|[;?.]\s", re.IGNORECASE)
_LEADING = lazy_regex(
    r"^(?:on|in|for|with|at|unlike|like|besides|compared (?:to|with)|beyond)\s[^,]{1,60},\s*", re.IGNORECASE
)
_VERB = "does|do|did|is|are|was|were|has|have|can"
_ASKED_NOUN = lazy_regex(
    rf"^(?:(?:in|on|by|with|at|for) )?(?:what|which|how many|how much)\s+(?:(?!{_VERB})\S+\s+){{1,4}}?(?={_VERB})",
    re.IGNORECASE,
)
_LAST_WORD = lazy_regex(r"(\w+)(\s+)$")
_INVERTED = lazy_regex(rf"(?:^|\b(?:{'|'.join(sorted(AUX))})\s+)$", re.IGNORECASE)


def pointing(body: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    """Put what each pointing word points to in its place, but for those that point within the question."""
    text, why = body, ""
    matches = list(islice(POINTER.finditer(Protector(names).line(body).mask), _MOST_POINTERS))
    for match in reversed(matches):
        if _within(body, match, names) or (match["bare"] and len(matches) > 1):
            continue
        things = meant(match, earlier)
        if not things:
            continue
        before = text[: match.start()]
        if not (match["own"] or match["noun"] or match["the"]):
            before = _agreeing(before, things, match[0])
        text = _joined(before, match, things, text[match.end() :])
        why = told(match, things)
    return (question(text), why) if why else None


def _joined(before: str, match: re.Match[str], things: tuple[str, ...], after: str) -> str:
    """Return the question with what is pointed to; what belongs to a phrase stands before it: the size of the second model."""
    phrase = match["own"] and re.fullmatch(r" (?P<what>[a-z][a-z\- ]*)", after)
    if phrase and any(thing.islower() or " of " in thing or " that " in thing for thing in things):
        return f"{before}the {phrase['what']} of {in_english(things)}"
    return before + put(match, things) + after


def meant(match: re.Match[str], earlier: Earlier) -> tuple[str, ...]:
    """Return what a pointing word stands for."""
    if match["order"]:
        place = _PLACES.get(match["order"].split()[0].lower())
        return the_other(earlier) if place is None else numbered(earlier, place)
    if owned := match["the"]:
        return _owned(owned.lower(), earlier)
    if noun := match["noun"]:
        several = match["det"].lower() in {"these", "those"} or is_plural(noun.lower())
        return of_noun(earlier, noun, several=several)
    word = "both" if match["pair"] else (match["own"] or match["it"] or match["bare"]).lower()
    if word == "it" and match.string[: match.start()].endswith("on ") and (datasets := earlier.of_sort("dataset")):
        return datasets[:1]
    things = referents(earlier, _POINTS.get(word, "one"))
    alone = len(things) == 1 and _POINTS.get(word) == "several" and things[0][:1].isupper()
    return () if alone and not is_plural(things[0]) else things  # `they` is not one model


def _owned(noun: str, earlier: Earlier) -> tuple[str, ...]:
    """Return `the authors` or `the paper` with what they belong to."""
    if noun in {"model", "method", "approach"}:
        return earlier.subjects if len(earlier.subjects) == 1 else ()
    if noun.startswith("paper"):
        return of_noun(earlier, noun, several=noun == "papers")
    return (f"the {noun} of {in_english(earlier.subjects)}",) if earlier.subjects else ()


def _within(body: str, match: re.Match[str], names: Sequence[Name]) -> bool:
    """Tell whether a word points to something in its own question, or to nothing at all."""
    if match["it"] and _says_nothing(body[: match.start()], body[match.start() :]):
        return True
    condition = _CONDITION.match(body)
    if condition and condition.end() <= match.start() and _nouns(condition[0]):
        return True
    lead = _LEADING.match(body)
    before = body[lead.end() if lead and lead.end() <= match.start() else 0 : match.start()]
    clauses = [found.end() for found in _CLAUSE.finditer(before)]
    if clauses and content(before[: clauses[-1]]) and not POINTER.search(before[: clauses[-1]]):
        return True
    if match["the"]:
        return _named(body, names)
    pronoun = bool(match["it"] or match["own"])
    return pronoun and _named_before(before[clauses[-1] if clauses else 0 :], match, names)


def _says_nothing(before: str, rest: str) -> bool:
    """Tell whether `it` stands for what follows: is it possible to ..., what makes it easier to ..."""
    return bool(_EXPLETIVE.match(rest) or (_AFTER_BE.search(before) and _FOR_IT_IS.match(rest)))


def _named_before(clause: str, match: re.Match[str], names: Sequence[Name]) -> bool:
    """Tell whether what stands before a pronoun in its clause is what it points to: a name, or a noun that does something."""
    asked = _ASKED_NOUN.match(clause)
    subject = clause[asked.end() :] if asked else clause
    beside = bool(match["it"] and _BESIDE.search(subject))
    if _named(subject, names):
        return not beside
    if beside or _DOER.match(subject) or (match["it"] and _INVERTED.search(subject)):
        return False
    return _nouns(subject)


def _nouns(text: str) -> bool:
    """Tell whether there is a word in a text that a pronoun could stand for."""
    return any(word not in FINITE_VERBS and not is_aspect(word) and not word.endswith("ed") for word in content(text))


def _named(text: str, names: Sequence[Name]) -> bool:
    return any(mention.sort in {"name", "person"} for mention in mentions_of(Protector(names).line(text)))


def put(match: re.Match[str], things: Sequence[str]) -> str:
    """Return what a pointing word stands for as it is written in its place."""
    if not match["own"]:
        return in_english(things)
    owners = [f"{thing}'" if thing.endswith("s") else f"{thing}'s" for thing in things]
    return in_english(owners if len(things) < 4 else [*things[:-1], owners[-1]])


def _agreeing(before: str, things: Sequence[str], word: str) -> str:
    """Return the words before a name with their verb in its number."""
    many = len(things) > 1 or " and " in things[0] or is_plural(things[0])
    match = _LAST_WORD.search(before)
    verbs = PLURAL_AUX if many else {} if word.lower() == "it" else SINGULAR_AUX
    if not match or match[1].lower() not in verbs:
        return before
    verb = verbs[match[1].lower()]
    return before[: match.start()] + (verb.capitalize() if match[1].istitle() else verb) + match[2]


def told(match: re.Match[str], things: Sequence[str]) -> str:
    """Say what a pointing word stands for."""
    return f"{match[0].lower()!r} stands for {in_english(things)}"
