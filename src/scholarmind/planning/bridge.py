"""Descriptions that must be found out first: `the dataset that the model proposed by V was trained on` becomes a chain.

The innermost question is always `What is <the description>?`, which is grammatical whatever the description holds; the outer
question keeps its words and has a reference in the place of the description. Longer chains come about because each part that
waits for nothing is taken apart again.
"""

import re

from scholarmind.planning.description import (
    LONGEST_NOUN,
    RELATIVES,
    ROLES,
    description,
    is_finite,
    is_noun,
    is_thing,
    ranked,
    verb_end,
)
from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.protected import Line, Token
from scholarmind.planning.verbs import FINITE_VERBS, is_participle
from scholarmind.planning.words import (
    ASKING,
    AUX,
    BE,
    PREPOSITIONS,
    WH,
    capital,
    content,
    question,
    statement,
    trimmed,
    what_is,
)

_TRIVIAL = frozenset(
    "name names title called known term word type kind identity person thing full real one first another term "
    "refers refer referred "
    "example definition meaning following located found given made there".split()
)
_POSSESSIVE = re.compile(
    r"['’]s (?P<role>(?:(?:main|first|current|former|original|birth|home|parent|second) )?(?:city of birth"
    r"|place of birth|place of death|country of "
    r"citizenship|country of origin|birth country|birth place|home town|home country|alma m[a]ter|record label|"
    + "|".join(sorted(ROLES - {"birth", "death", "citizenship", "head", "lord", "brand", "country"}))
    + r"|country|performer|state|city|employer))\b(?!['’])"
)
_WHOLE = frozenset(
    "summarize summarise describe explain discuss analyze analyse outline evaluate assess compare review".split()
)


def bridge(line: Line) -> list[Draft]:
    """Return the description's question and the question that waits for its answer, or nothing."""
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    tokens = cut.tokens
    if len(tokens) < 5 or len(tokens) > 120:
        return []
    if (asker := _asker(tokens)) > 2:
        subject = description(tokens, 0) if tokens[0].word == "the" else None
        if subject and subject.end < asker and (parts := _pair(cut, 0, tokens[subject.end - 1].end)):
            return parts
        return _in_place(cut, asker) or _described(cut, asker)
    return _filtered(cut) or _possessed(cut) or _described(cut) or _both_true(cut)


def _asker(tokens: tuple[Token, ...]) -> int:
    """Return where the asking word is; behind the beginning of a statement it asks in place."""
    if tokens[0].word in AUX or tokens[0].word in {"name", "list", "give"}:
        return 0
    return next(
        (
            place
            for place, token in enumerate(tokens)
            if (token.word in WH and token.word != "where") or (token.word in WH and place < 2)
        ),
        0,
    )


def _described(line: Line, asker: int = 0) -> list[Draft]:
    tokens = line.tokens
    asked = tokens[0].word in WH or tokens[0].word in AUX
    for place, token in enumerate(tokens):
        if token.word in _WHOLE:
            return []
        if place > 1 and token.word == "where" and (parts := _placed(line, place)):
            return parts
        if (
            token.word not in {"the", "an", "a", "this"}
            or place + 2 >= len(tokens)
            or (token.capital and place)
            or (token.word != "the" and (not asked or tokens[place - 1].word in BE))
        ):
            continue
        if _is_asked_for(tokens, place):
            continue
        found = description(tokens, place) or ranked(tokens, place)
        if found and found.begin < asker < found.end:
            continue  # it asks itself
        if found and (parts := _pair(line, tokens[found.begin].start, tokens[found.end - 1].end)):
            return parts
    return []


def _is_asked_for(tokens: tuple[Token, ...], place: int) -> bool:
    """Tell whether what begins here is the very thing that is asked for: `Who is the director of X?`, `List the films of X`."""
    first = tokens[0].word
    if first in ASKING:
        return place == 1
    return (place == 2 and first in {"who", "what", "which"} and tokens[1].word in BE) or (
        place == 1 and first.endswith(("'s", "’s"))
    )


def _placed(line: Line, place: int) -> list[Draft]:
    """Take `famous athletes from where X is` apart: the place first."""
    tokens = line.tokens
    before = tokens[place - 1]
    joined = before.word in PREPOSITIONS
    if (
        not (joined or is_participle(before.word))
        or not any(token.name for token in tokens[place:])
        or not _is_finite_later(tokens, place)
    ):
        return []
    start, rest = tokens[place].start, line.piece(tokens[place].start)
    outer = f"{line.text[:start]}{'' if joined else 'in '}{reference(0)}"
    return [Draft(text=what_is(f"the place {rest}"), aspect="place"), Draft(text=question(outer), after=(0,))]


def _is_finite_later(tokens: tuple[Token, ...], place: int) -> bool:
    return any(is_finite(tokens, later) for later in range(place + 1, len(tokens)))


def _pair(line: Line, start: int, end: int) -> list[Draft]:
    """Return the chain for a description between two places, unless the outer question would ask nothing more."""
    described = line.piece(start, end)
    head, tail = line.text[:start], line.text[end:]
    outer = f"{head}\0{re.sub(r'^,(?= )', '', tail)}"
    left = [word for word in content(outer.replace("\0", " ")) if word not in _TRIVIAL]
    if not left or len(content(described)) < 2:
        return []
    inner = re.sub(r"^(?:an?|this) ", "the ", described)
    return [
        Draft(text=what_is(inner), aspect=_role(inner), topics=(inner,)),
        Draft(text=question(outer.replace("\0", reference(0))), after=(0,)),
    ]


def _role(described: str) -> str:
    return trimmed(
        re.split(r" (?:of|that|who|which|where|whose|in|by) ", described.removeprefix("the "), maxsplit=1)[0]
    )


def _possessed(line: Line) -> list[Draft]:
    """Take `Big Eye's main director` out of a question that asks something more of it."""
    for match in _POSSESSIVE.finditer(line.mask):
        tokens = [token for token in line.tokens if token.start < match.start()]
        begin = len(tokens) - 1
        if begin < 0 or not tokens[begin].name:
            continue
        while begin > 0 and (
            tokens[begin - 1].name
            or (tokens[begin - 1].word in {"of", "de", "von", "van"} and begin > 1 and tokens[begin - 2].name)
        ):
            begin -= 1
        if begin > 0 and tokens[begin - 1].word == "the":
            begin -= 1
        if parts := _pair(line, tokens[begin].start, match.end()):
            return parts
    return []


def _filtered(line: Line) -> list[Draft]:
    """Take `What country bordering Argentina has Brasilia as its capital?` as two steps: those bordering, then which of them."""
    tokens = line.tokens
    if tokens[0].word not in {"what", "which"}:
        return []
    last = 1
    while last + 2 < len(tokens) and last < LONGEST_NOUN and is_noun(tokens[last]):
        after, following = tokens[last + 1], tokens[last + 2]
        relative = after.word in RELATIVES - {"when"} or after.word in {"with", "having"}
        if relative or (is_participle(after.word) and (after.word.endswith("ing") or following.word in {"by", "in"})):
            end = verb_end(tokens, 1, last + 1, "participle" if after.word not in RELATIVES else "relative")
            return _two_steps(line, tokens, end)
        last += 1
    return []


def _both_true(line: Line) -> list[Draft]:
    """Take `What city has X and is home to Y?` as two steps: those that have X, then which of them is home to Y."""
    tokens = line.tokens
    if tokens[0].word not in {"what", "which", "who"}:
        return []
    for place in range(4, len(tokens) - 2):
        verb = place + 1 + (tokens[place + 1].word in {"also", "who", "which", "that"})
        if (
            tokens[place].word != "and"
            or not is_finite(tokens, verb)
            or not _named(tokens[1:place])
            or not _named(tokens[verb:])
        ):
            continue
        start = place - (tokens[place - 1].word == ",")
        first = re.sub(r"\bboth ", "", line.piece(0, tokens[start - 1].end), count=1)
        return [
            Draft(text=question(first)),
            Draft(text=question(f"Which of {reference(0)} {line.piece(tokens[verb].start)}"), after=(0,)),
        ]
    return []


def _named(tokens: tuple[Token, ...]) -> bool:
    return any(token.name or token.word.isdigit() for token in tokens)


def _two_steps(line: Line, tokens: tuple[Token, ...], end: int) -> list[Draft]:
    if end >= len(tokens) or not any(token.name or token.word.isdigit() for token in tokens[1:end]):
        return []
    described, rest = line.piece(tokens[1].start, tokens[end - 1].end), line.piece(tokens[end].start)
    if len(content(rest)) < 1:
        return []
    return [
        Draft(text=what_is(f"the {described}"), aspect=_role(described)),
        Draft(text=question(f"Which of {reference(0)} {rest}"), after=(0,)),
    ]


def _in_place(line: Line, asker: int) -> list[Draft]:
    """Take `X was the chairman of a company headquartered in what city?` apart at the last description before the asking word."""
    tokens = line.tokens
    for place in range(asker - 2, 0, -1):
        if tokens[place].word not in {"the", "a", "an"} or tokens[place].capital:
            continue
        last = place + 1
        while (
            last < asker - 1
            and last - place < LONGEST_NOUN
            and (is_noun(tokens[last]) or is_participle(tokens[last].word))
            and not _opens(tokens, last + 1, asker)
        ):
            last += 1
        if last < asker and is_noun(tokens[last]) and _opens(tokens, last + 1, asker):
            told_of = tokens[place - 1].word in BE
            return (
                []
                if told_of or (tokens[last + 1].word in PREPOSITIONS and not is_thing(tokens[last].word))
                else _told(line, place, last)
            )
    return []


def _opens(tokens: tuple[Token, ...], place: int, asker: int) -> bool:
    """Tell whether a clause about the noun begins here that the asking word belongs to."""
    if any(token.word == "," for token in tokens[place:asker]):
        return False
    word = tokens[place].word
    if word in RELATIVES:
        return True
    return (is_participle(word) or word in FINITE_VERBS) and (
        tokens[place + 1].word in PREPOSITIONS or place + 1 == asker
    )


def _told(line: Line, article: int, last: int) -> list[Draft]:
    tokens = line.tokens
    noun = line.piece(tokens[article + 1].start, tokens[last].end)
    head = line.text[: tokens[article].start]
    after = tokens[last + 1]
    if last + 2 >= len(tokens):
        return []
    rest = line.piece(tokens[last + 2].start if after.word in {"that", "who", "which"} else after.start)
    if after.word in PREPOSITIONS:
        rest = f"is the {noun} {rest}"
    elif (is_participle(after.word) and after.word not in FINITE_VERBS | BE) or (
        after.word.endswith("ed") and last + 2 < len(tokens) and tokens[last + 2].word in PREPOSITIONS
    ):
        rest = f"is {rest}"
    elif after.word == "whose":
        rest = f"'s {line.piece(tokens[last + 2].start)}"
    if len(content(head)) < 1:
        return []
    joint = "" if rest.startswith("'s") else " "
    return [
        Draft(text=question(f"{capital(head)}which {noun}"), aspect=noun),
        Draft(text=question(f"{reference(0)}{joint}{rest}"), after=(0,)),
    ]
