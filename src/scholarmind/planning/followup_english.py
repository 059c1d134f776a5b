"""Follow-ups in English, made to stand alone: `and on SQuAD?`, `why?`, `how large are they?`, `no, I meant RoBERTa`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from scholarmind.model import Name
from scholarmind.planning.earlier import Earlier, Rewritten, in_english
from scholarmind.planning.incomplete_english import asks, incomplete
from scholarmind.planning.mentions import is_aspect
from scholarmind.planning.pointers_english import POINTER, meant, pointing, put, told
from scholarmind.planning.pointing import Points, referents, where
from scholarmind.planning.replacing import asked_again, given_in, given_things
from scholarmind.planning.words import is_person, is_plural, question, small, statement
from scholarmind.text.patterns import lazy_regex

_LEAD = lazy_regex(
    r"^(?:(?:and|but|ok(?:ay)?|so|then|also|now|or|well|thanks|thank you|great|hmm)\b[,.!]*\s+)+", re.IGNORECASE
)
_NO = lazy_regex(
    r"^(?:(?:no|nope|sorry|oops|wait|actually|not (?:that|this)(?: one)?)\b[,.!:;]*\s+)*"
    r"(?:(?:i (?:meant?|was asking about|am asking about|wanted)|i'm asking about|rather)\b[,:]?\s+|(?P<no>))(?P<x>.+)$",
    re.IGNORECASE,
)
_DENIES = lazy_regex(
    r"^(?:no|nope|sorry|oops|wait|actually)\b[,.!:;]*\s+\S|\bi (?:meant?|was asking about)\b", re.IGNORECASE
)
_NOT = lazy_regex(
    r"^(?P<x>.+?)(?:,? (?:and )?not|,? (?:instead of|rather than)) (?P<old>.+)$|^not (?P<old2>.+?)[,;] (?:but )?(?P<x2>.+)$",
    re.IGNORECASE,
)
_ABOUT = lazy_regex(
    r"^(?:(?:what|how) about|what of|(?:and )?(?:do |ask )?the same(?: question| thing)?(?=\s+(?:for|on|with|in|at|about))"
    r"|same(?: question| thing)?(?=\s+(?:for|on|with|in|at|about))"
    r"|(?:is|was|does|do|did|would) (?:that|this|it|the same) (?:also |still )?(?:true|so|hold|apply|the case|valid)(?: true)?"
    r"(?=\s+(?:for|on|with|in|at|to|of))|how is (?:it|that)(?=\s+(?:for|on|with|in|at)))\s+",
    re.IGNORECASE,
)
_PREPOSITION = lazy_regex(
    r"^(?P<p>on|in|for|with|at|by|to|from|of|about|against|since|before|after)\s+(?P<x>\S.*)$", re.IGNORECASE
)
_TAIL = lazy_regex(r"[,\s]+(?:then|instead|too|as well|though|please)$", re.IGNORECASE)
_BARE = lazy_regex(
    r"^(?:(?:(?:please )?(?:explain|tell me) )?(?:why|how)|when|where|how so|how come|by how much|to what extent|how often"
    r"|how (?:many|much)(?: (?:are|were) there)?|why (?:not|so)|why (?:(?:is|was) (?:it|that) |are they )?so [a-z]+"
    r"|why (?:is|was) (?:that|this|it)(?: so| the case)?|by whom|since when"
    r"|(?:in|on|by|for|with|from|at|to) (?:which|what|whose) [a-z]+(?: [a-z]+)?)$",
    re.IGNORECASE,
)
_WHY = lazy_regex(r"^(?:why|how come)\b|\bwhy$", re.IGNORECASE)
_COMPARE = lazy_regex(
    r"^(?:(?:can|could) you )?(?P<verb>compare|contrast)(?: (?:them|these|those|both|all|the two|the three|all three|these two"
    r"|the (?:two |three )?models|all of them))?(?P<rest> (?:on|in|by|with respect to|in terms of|for) .+)?$",
    re.IGNORECASE,
)
_LONGEST_ASPECT = 3  # words
_LONGEST_PHRASE = 12  # words
_BESIDE = lazy_regex(r"^compared (?:to|with) (?P<x>.+)$", re.IGNORECASE)
_OWNED = lazy_regex(r"^(?:(?P<own>its|their|his|her)|the)\s+(?P<aspect>[a-z].*)$", re.IGNORECASE)
_OWNERS: dict[str, Points] = {"its": "one", "their": "several", "his": "person", "her": "person"}
_VERSION = lazy_regex(r"^((?:the )?(?:[a-z\-]+ )+)(?:versions?|variants?|models?|ones?|checkpoints?)$", re.IGNORECASE)
_ORDINAL = lazy_regex(r"(?:and )?the (?:former|latter|first|second|third|last|other)(?: one)?", re.IGNORECASE)
_WISH = lazy_regex(
    r"^(?:a bit |much )?(?:short|long|brief|simpl)(?:er|ly)\b|^more (?:detail|briefly|simply)"
    r"|^in (?:chinese|english|german|french|spanish|japanese|short|brief|detail|simple|plain|one|a few|more|other)\b",
    re.IGNORECASE,
)


def rewritten(text: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    """Return a follow-up as a question of its own, or None where it is one already."""
    if _WISH.match(statement(text)):
        return None
    if _DENIES.search(text) and (found := _correction(statement(text), earlier, names)):
        return found
    body = statement(_LEAD.sub("", text.strip()))
    led = len(body) < len(statement(text))
    rules: tuple[Callable[[], Rewritten | None], ...] = (
        lambda: _bare(body, earlier),
        lambda: _compared(body, earlier),
        lambda: _elliptic(body, earlier, names, led=led),
        lambda: pointing(body, earlier, names),
        lambda: incomplete(body, earlier),
    )
    return next((found for rule in rules if (found := rule())), None)


def _correction(body: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    match = _NO.match(body)
    if not match or asks(match["x"]):
        return None
    new, old = match["x"], ""
    if denied := _NOT.match(new):
        new, old = denied["x"] or denied["x2"], denied["old"] or denied["old2"]
    new = re.sub(r"^(?:the (?:one|result) )?(?=on |in |for )", "", new)
    given = given_in(new, names, correction=True, old=old)
    return asked_again(earlier, given), f"a correction: {given.text}"


def _bare(body: str, earlier: Earlier) -> Rewritten | None:
    if not _BARE.match(body):
        return None
    word = "why" if _WHY.search(body) and " so " not in body else "how" if body.lower() == "how so" else body.lower()
    last = statement(earlier.question)
    became = f"{last}?" if last.lower().endswith(f"and {word}") else f"{last}, and {word}?"
    return became, f"{word!r} asks about the last question"


def _compared(body: str, earlier: Earlier) -> Rewritten | None:
    match = _COMPARE.match(body)
    things = referents(earlier, "pair") if match else ()
    if not match or not things:
        return None
    return (
        f"{match['verb'].capitalize()} {in_english(things)}{match['rest'] or ''}.",
        f"to be compared: {in_english(things)}",
    )


def _elliptic(body: str, earlier: Earlier, names: Sequence[Name], *, led: bool) -> Rewritten | None:
    """Read what has no verb: `what about its size?`, `and the second one?`, `on SQuAD?`."""
    about = _ABOUT.match(body)
    rest = _TAIL.sub("", body[about.end() :] if about else body)
    if asks(rest) or len(rest.split()) > _LONGEST_PHRASE:
        return None
    introduced = bool(about) or led
    owned = _OWNED.match(rest)
    if owned and is_aspect(owned["aspect"]) and (owned["own"] or len(owned["aspect"].split()) <= _LONGEST_ASPECT):
        return _aspect(owned["aspect"], owned["own"] or "", earlier)
    if POINTER.search(rest):
        return _pointed_again(rest, earlier) if introduced or _ORDINAL.fullmatch(rest) else None
    if introduced and (beside := _BESIDE.match(rest)):
        return f"Compared with {beside['x']}, {small(earlier.question)}", f"beside {beside['x']}"
    return _of_another(rest, earlier, names, introduced=introduced)


def _of_another(rest: str, earlier: Earlier, names: Sequence[Name], *, introduced: bool) -> Rewritten | None:
    """Ask the last question again of what a phrase names; without an `and` before it, it must be names and nothing else."""
    given = given_in(rest, names)
    if not introduced and not (given.mentions and (given.preposition or not given.whole)):
        return None
    if not given.mentions and not given.preposition and is_aspect(rest):
        return _aspect(rest, "", earlier)
    if not given.mentions and _VERSION.search(given.text) and earlier.subjects:
        version = _VERSION.sub(r"\1version", given.text)
        given = replace(given, text=f"{version} of {earlier.subjects[0]}")
    return asked_again(earlier, given), f"the last question again, for {given.text}"


def _pointed_again(rest: str, earlier: Earlier) -> Rewritten | None:
    """Read `what about the second one?`: the last question again, of what is pointed to."""
    match = POINTER.search(rest)
    things = meant(match, earlier) if match else ()
    if not match or not things:
        return None
    if match.span() != (0, len(rest)) and not _PREPOSITION.match(rest):
        return question(f"What is {rest[: match.start()]}{put(match, things)}{rest[match.end() :]}"), told(
            match, things
        )
    return asked_again(earlier, given_things(earlier, things)), told(match, things)


def _aspect(aspect: str, own: str, earlier: Earlier) -> Rewritten | None:
    """Ask for something of what the last question was about."""
    things = (
        referents(earlier, _OWNERS[own.lower()]) if own else (earlier.subjects or earlier.topics or earlier.answers)
    )
    given = given_in(aspect, ())
    if not own and given.mentions and earlier.of_sort(given.mentions[0].sort):
        return asked_again(earlier, given), f"the last question again, for {aspect}"
    if not things:
        return None
    head = re.split(r" (?:of|for|in|on|with|by) ", aspect, maxsplit=1)[0]
    verb = "are" if is_plural(head) or " and " in head else "is"
    asked = f"{'Who' if is_person(head) else 'What'} {verb} the {small(aspect)}"
    return f"{asked} of {in_english(things)}{where(earlier, aspect)}?", f"{aspect} of {in_english(things)}"
