"""Chains: what a question only describes is found out first, and what it asks of each item of a list, once the list is found.

`the film that ...`, `the director of ...`, `the country X is from` are such descriptions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.languages import pattern
from scholarmind.planning.decomposition.clauses import clauses
from scholarmind.planning.decomposition.coordination import listings
from scholarmind.planning.drafts import PartDraft, reference
from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    BASE_VERBS,
    BE,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    FINITE_VERBS,
    FUNCTION,
    PERSON,
    PREPOSITIONS,
    WH,
    MaskedLine,
    MaskedToken,
    capital,
    content,
    is_chinese,
    is_participle,
    is_person,
    is_plural,
    question,
    statement,
    trimmed,
    what_is,
)
from scholarmind.text.language import lazy_regex

# -- where a description in a question begins and ends

RELATIVES = frozenset("that who whom which whose where when".split())
ROLES = PERSON - {"person", "man", "woman", "people", "character", "individual"} | frozenset(
    "birthplace hometown capital headquarters publisher label team sequel prequel nationality country "
    "birth death citizenship "
    "star stars manufacturer brand creators inventors inventor discoverer mascot lyricist screenwriter narrator "
    "namesake organizer "
    "recipient winner winners conqueror ruler lord premier chancellor head commander captain dean".split()
)

_THINGS = frozenset(
    "country state city town village continent region area place location county province district island nation "
    "territory colony "
    "jurisdiction river lake mountain sea ocean film movie show series book novel song album band group company "
    "organization organisation "
    "university college school team club league network station magazine newspaper paper article dataset corpus "
    "model method system "
    "algorithm framework architecture benchmark language religion church war battle treaty party institution "
    "airport building museum "
    "museum product brand label studio sport event festival award character person man woman actor actress "
    "author writer director artist "
    "politician singer producer composer player scientist researcher president king queen founder inventor".split()
)

_NOT_THINGS = frozenset(
    "name way time year date day part end beginning number amount reason fact first last most only same result "
    "purpose process case point "
    "use kind type form term idea role percentage total rest age level majority".split()
)

_WITHIN = frozenset({"of", "the", "and", "&", ",", "in", "to", "for", "with", "on", "a", "an", "from", "at", "'s"})
LONGEST_NOUN = 6


@dataclass(frozen=True, slots=True)
class Description:
    """A description: the tokens from `begin` to `end`; `shape` says how it is made."""

    begin: int
    end: int
    shape: str


def description(tokens: tuple[MaskedToken, ...], place: int) -> Description | None:
    """Return the description that begins with the article at a place."""
    last = place + 1
    while last < len(tokens) and last - place <= LONGEST_NOUN and is_noun(tokens[last]):
        following = tokens[last + 1] if last + 1 < len(tokens) else None
        if following is None:
            return None
        shape = _shape(tokens, place, last)
        if shape:
            end = _end(tokens, place, last + 1, shape)
            described = tokens[place:end]
            telling = any(token.name or token.word.isdigit() for token in described[2:])
            if tokens[last].word in _NOT_THINGS or not (
                telling or (shape == "relative" and is_thing(tokens[last].word))
            ):
                return None
            return Description(place, end, shape) if end - last > 1 else None
        last += 1
    return None


_RANKS = frozenset("most least first second third fourth fifth sixth last top next only".split())
_NO_RANKS = frozenset(
    "interest forest request harvest contest protest conquest guest arrest invest suggest digest southwest northwest".split()
)

_TIMES = frozenset("year month week day decade century centurie hour minute".split())
_MODIFIERS = 4  # words between an article and what ranks


def ranked(tokens: tuple[MaskedToken, ...], place: int) -> Description | None:
    """Return the description by rank that begins with the article at a place: `the five largest states`, `the tallest tower in X`."""
    if tokens[place].word != "the":
        return None
    before = tokens[place - 1].word if place else ""
    if before in {"has", "have", "had", "with", "having"} or (
        before in BE and tokens[0].word in {"who", "what", "which"}
    ):
        return None  # which state has the smallest area
    for rank in range(place + 1, min(place + _MODIFIERS, len(tokens) - 1)):
        if _ranks(tokens[rank]):
            break
        if tokens[rank].word in FUNCTION or tokens[rank].name:
            return None
    else:
        return None
    while rank + 1 < len(tokens) and (_ranks(tokens[rank + 1]) or tokens[rank + 1].word.isdigit()):
        rank += 1
    if any(token.word.rstrip("s") in _TIMES for token in tokens[rank + 1 : rank + 3]):
        return None  # the last five years
    helped = any(token.word in AUX for token in tokens[:place]) and not any(
        is_finite(tokens, each) and tokens[each].word not in AUX for each in range(place)
    )
    end = (
        verb_end(tokens, place, rank + 2, "participle")
        if before in AUX or (helped and tokens[0].word != "who")
        else len(tokens)
    )
    if before in BE and end == len(tokens) and is_participle(tokens[-1].word):
        end -= 1
    end -= tokens[end - 1].word == "each"
    return (
        Description(place, end, "rank")
        if end - rank > 1 and any(is_noun(token) for token in tokens[rank + 1 : end])
        else None
    )


def _ranks(token: MaskedToken) -> bool:
    word = token.word
    superlative = (
        word.endswith(("est", "most")) and len(word) > len("best") and word not in _NO_RANKS and not token.name
    )
    return superlative or word in _RANKS


def _shape(tokens: tuple[MaskedToken, ...], article: int, last: int) -> str:
    noun, after = tokens[last], tokens[last + 1]
    following = tokens[last + 2] if last + 2 < len(tokens) else None
    if after.word in RELATIVES or (
        after.word in {"in", "for", "on", "by", "at", "from", "to", "of"}
        and following
        and following.word in {"which", "whom", "whose"}
    ):
        return "relative"
    if after.word in {"of", "for", "to"} and noun.word in ROLES and following and tokens[article].word == "the":
        return "role"
    if following is None or noun.name:
        return ""
    if (
        is_thing(noun.word)
        and is_participle(after.word)
        and (after.word.endswith("ing") or following.word in PREPOSITIONS)
    ):
        return "participle"
    if after.word in {"with", "having", "containing", "near"} and is_thing(noun.word):
        return "participle"
    # recognise `the country Signmark is from`: a thing, a name, and a verb that belongs to the name
    place = last + 1
    if tokens[place].word == "the" and place + 1 < len(tokens):
        place += 1
    if not tokens[place].name or tokens[last].word not in _THINGS:
        return ""
    while place < len(tokens) and (
        tokens[place].name
        or (tokens[place].word in {"of", "the"} and place + 1 < len(tokens) and tokens[place + 1].name)
    ):
        place += 1
    return (
        "reduced" if place < len(tokens) and tokens[place].word in FINITE_VERBS | (BE - {"be", "been", "being"}) else ""
    )


def is_thing(noun: str) -> bool:
    noun = noun.rpartition("-")[2]
    return (
        noun in _THINGS
        or noun in PERSON
        or noun in ROLES
        or (noun.endswith("s") and (noun[:-1] in _THINGS or noun[:-3] + "y" in _THINGS))
    )


def is_noun(token: MaskedToken) -> bool:
    return token.name or (token.word not in FUNCTION and token.word[:1].isalnum() and token.word not in FINITE_VERBS)


def _end(tokens: tuple[MaskedToken, ...], begin: int, rest: int, shape: str) -> int:
    """Return the end of a description: at the main verb if that comes behind it, at a comma before a question, else at the end."""
    before = tokens[begin - 1].word if begin else ""
    for place in range(rest + 1, len(tokens) - 1):
        if tokens[place].word == "," and (tokens[place + 1].word in WH | AUX or tokens[place + 1].word in BASE_VERBS):
            return place
    if shape == "role":
        return _role_end(tokens, rest)
    if before in AUX or before in WH | RELATIVES or begin == 0 or _no_verb_before(tokens, begin):
        return verb_end(tokens, begin, rest, shape)
    asked = any(token.word in BE for token in tokens[:begin]) and tokens[0].word in PREPOSITIONS | {
        "when",
        "where",
        "why",
        "how",
    }
    return len(tokens) - (
        asked and is_participle(tokens[-1].word)
    )  # in which city was the founder of the X that Y born


def _role_end(tokens: tuple[MaskedToken, ...], rest: int) -> int:
    """Return the end of `the director of NAME`, or of the description that stands in the place of the name."""
    place = rest + 1
    if tokens[place].word in {"the", "a", "an"} and not tokens[place].capital and place + 1 < len(tokens):
        inner = description(tokens, place)
        if inner:
            return inner.end
        place += 1
        while (
            place + 1 < len(tokens)
            and not tokens[place].name
            and not tokens[place].word.isdigit()
            and (is_noun(tokens[place]) or tokens[place].word in {"of", "for", "by", "to"})
        ):
            place += 1
    while place + 1 < len(tokens) and is_thing(tokens[place].word) and not tokens[place].name:
        place += 1  # director of film Solaris
    begin, led = place, tokens[place - 1].word in {"the", "a", "an"}
    while place < len(tokens) and (
        tokens[place].name
        or tokens[place].capital
        or tokens[place].word.isdigit()
        or (place > begin and _joins(tokens, place))
    ):
        place += 1
    while (
        led
        and begin < place < len(tokens)
        and is_noun(tokens[place])
        and tokens[place].word not in BASE_VERBS
        and not is_participle(tokens[place].word)
    ):
        place += 1  # the Zorbex engine
    return place if place > begin else rest


def _joins(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    """Tell whether a small word stands within a title: another capital follows it, at once or after one more."""
    following = tokens[place + 1 : place + 3]
    if tokens[place].word not in _WITHIN or not following:
        return False
    return following[0].capital or (
        following[0].word in _WITHIN - {","} and len(following) > 1 and following[1].capital
    )


def _no_verb_before(tokens: tuple[MaskedToken, ...], begin: int) -> bool:
    return (
        not any(
            token.word in AUX or token.word in FINITE_VERBS or is_participle(token.word) for token in tokens[:begin]
        )
        and tokens[0].word in WH
    )


def verb_end(tokens: tuple[MaskedToken, ...], begin: int, rest: int, shape: str) -> int:
    """Return the place of the main verb behind a description in the place of the subject."""
    if begin == 2 and tokens[0].word in {"what", "who", "which"} and tokens[1].word in BE:
        return _complement_end(tokens, rest)
    helped = any(
        token.word in {"did", "does", "do", "will", "can", "would", "could", "should"} for token in tokens[:begin]
    )
    owed = 0 if shape == "participle" else 1  # each relative word takes a verb of its own
    predicate = len(tokens)  # behind `When was`, the last participle
    for place in range(rest, len(tokens)):
        verb = is_finite(tokens, place) and tokens[place - 1].word not in AUX and place > rest - (shape != "participle")
        if place > rest and tokens[place].word in RELATIVES:
            owed += 1
        elif owed:
            owed -= verb
        elif (_is_base(tokens, place) if helped else verb) or (
            tokens[place].word == "," and shape != "participle" and place > rest + 2
        ):
            return place
        elif shape == "relative" and is_participle(tokens[place].word) and tokens[place - 1].word not in AUX:
            predicate = place
    waits = tokens[begin - 1].word in BE and tokens[0].word in {"when", "where", "why", "how"}
    return predicate if waits else len(tokens)


def _is_base(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    return tokens[place].word in BASE_VERBS and tokens[place - 1].word not in AUX | {"to"} and not tokens[place].name


def _complement_end(tokens: tuple[MaskedToken, ...], rest: int) -> int:
    """Return the end of a description behind `What is`: where a second participle or a comma comes behind its own verb."""
    seen = False
    for place in range(rest, len(tokens)):
        seen = seen or is_finite(tokens, place)
        before = tokens[place - 1].word
        if (
            seen
            and is_participle(tokens[place].word)
            and (before in PREPOSITIONS or (is_participle(before) and tokens[place - 2].word not in RELATIVES))
            and not tokens[place].name
        ):
            return place
    return len(tokens)


def is_finite(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    word = tokens[place].word
    if place + 1 < len(tokens) and tokens[place + 1].word == "by" and word.endswith("ed"):
        return False
    if place and tokens[place - 1].word in RELATIVES and word.endswith("ed") and len(word) > 4:
        return not tokens[place].name
    return not tokens[place].name and (
        word in FINITE_VERBS or (word in AUX and word not in {"be", "been", "being", "may"})
    )


# -- English descriptions

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


def english_chain(line: MaskedLine) -> list[PartDraft]:
    """Return the description's question and the question that waits for its answer, or nothing."""
    body = statement(line.text)
    cut = MaskedLine(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    tokens = cut.tokens
    if len(tokens) < 5 or len(tokens) > 120:
        return []
    if (asker := _asker(tokens)) > 2:
        subject = description(tokens, 0) if tokens[0].word == "the" else None
        if subject and subject.end < asker and (parts := _pair(cut, 0, tokens[subject.end - 1].end)):
            return parts
        return _in_place(cut, asker) or _described(cut, asker)
    return _filtered(cut) or _possessed(cut) or _described(cut) or _both_true(cut)


def _asker(tokens: tuple[MaskedToken, ...]) -> int:
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


def _described(line: MaskedLine, asker: int = 0) -> list[PartDraft]:
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


def _is_asked_for(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    """Tell whether what begins here is the very thing that is asked for: `Who is the director of X?`, `List the films of X`."""
    first = tokens[0].word
    if first in ASKING:
        return place == 1
    return (place == 2 and first in {"who", "what", "which"} and tokens[1].word in BE) or (
        place == 1 and first.endswith(("'s", "’s"))
    )


def _placed(line: MaskedLine, place: int) -> list[PartDraft]:
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
    return [PartDraft(text=what_is(f"the place {rest}"), aspect="place"), PartDraft(text=question(outer), after=(0,))]


def _is_finite_later(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    return any(is_finite(tokens, later) for later in range(place + 1, len(tokens)))


def _pair(line: MaskedLine, start: int, end: int) -> list[PartDraft]:
    """Return the chain for a description between two places, unless the outer question would ask nothing more."""
    described = line.piece(start, end)
    head, tail = line.text[:start], line.text[end:]
    outer = f"{head}\0{re.sub(r'^,(?= )', '', tail)}"
    left = [word for word in content(outer.replace("\0", " ")) if word not in _TRIVIAL]
    if not left or len(content(described)) < 2:
        return []
    inner = re.sub(r"^(?:an?|this) ", "the ", described)
    return [
        PartDraft(text=what_is(inner), aspect=_role(inner), topics=(inner,)),
        PartDraft(text=question(outer.replace("\0", reference(0))), after=(0,)),
    ]


def _role(described: str) -> str:
    return trimmed(
        re.split(r" (?:of|that|who|which|where|whose|in|by) ", described.removeprefix("the "), maxsplit=1)[0]
    )


def _possessed(line: MaskedLine) -> list[PartDraft]:
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


def _filtered(line: MaskedLine) -> list[PartDraft]:
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
            if end >= len(tokens) or not any(token.name or token.word.isdigit() for token in tokens[1:end]):
                return []
            described, rest = line.piece(tokens[1].start, tokens[end - 1].end), line.piece(tokens[end].start)
            if len(content(rest)) < 1:
                return []
            return [
                PartDraft(text=what_is(f"the {described}"), aspect=_role(described)),
                PartDraft(text=question(f"Which of {reference(0)} {rest}"), after=(0,)),
            ]
        last += 1
    return []


def _both_true(line: MaskedLine) -> list[PartDraft]:
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
            PartDraft(text=question(first)),
            PartDraft(text=question(f"Which of {reference(0)} {line.piece(tokens[verb].start)}"), after=(0,)),
        ]
    return []


def _named(tokens: tuple[MaskedToken, ...]) -> bool:
    return any(token.name or token.word.isdigit() for token in tokens)


def _in_place(line: MaskedLine, asker: int) -> list[PartDraft]:
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
                else _stated(line, place, last)
            )
    return []


def _opens(tokens: tuple[MaskedToken, ...], place: int, asker: int) -> bool:
    """Tell whether a clause about the noun begins here that the asking word belongs to."""
    if any(token.word == "," for token in tokens[place:asker]):
        return False
    word = tokens[place].word
    if word in RELATIVES:
        return True
    return (is_participle(word) or word in FINITE_VERBS) and (
        tokens[place + 1].word in PREPOSITIONS or place + 1 == asker
    )


def _stated(line: MaskedLine, article: int, last: int) -> list[PartDraft]:
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
        PartDraft(text=question(f"{capital(head)}which {noun}"), aspect=noun),
        PartDraft(text=question(f"{reference(0)}{joint}{rest}"), after=(0,)),
    ]


# -- Chinese descriptions: what is asked of is cut off at the last 的 in front of what is said of it

_CHINESE_LEAD = pattern("zh", "bridge.lead")
_CHINESE_END = pattern("zh", "bridge.end")
_CHINESE_WH = r"什么|哪|谁|何时|何地|何处|何人|何种|多少|多[大高长久远重深快]|几|如何|怎么|怎样|为什么|为何|是否"
# where what is said begins: a copula, a small word in front of a verb, or what is asked with
_CHINESE_PREDICATE = pattern("zh", "bridge.said")

_CHINESE_WHO_IS = pattern("zh", "bridge.who_is")
_CHINESE_COPULA = pattern("zh", "bridge.copula")
_CHINESE_HOW = re.compile("如何|怎么|怎样|为什么|为何")


def chinese_chain(line: MaskedLine) -> list[PartDraft]:
    """Return the question for what is described and the one that waits for it, or nothing."""
    body = statement(line.text)
    lead = _CHINESE_LEAD.match(body) or CHINESE_ASKING.match(body)
    start = lead.end() if lead else 0
    end = _CHINESE_END.search(body)
    text, mask = body[start : end.start() if end else None], line.mask[start : end.start() if end else len(body)]
    if who := _CHINESE_WHO_IS.match(mask):  # 谁是X的Y的Z
        cut = mask.rfind("的")
        described = text[who.end() : cut]
        return (
            _two_steps_chinese(described, text[cut:], who[0]) if "的" in described and trimmed(text[cut + 1 :]) else []
        )
    asked = re.search(_CHINESE_WH, mask)
    if not asked or "，" in mask[: asked.start()] or "," in mask[: asked.start()]:
        return []
    if re.search(r"的[有是为]?$", mask[: asked.start()]):
        return []  # 做改进的有哪些
    subject = _subject_end_chinese(mask, asked.start())
    if not subject:
        return []  # where what is said begins is not sure
    cut = mask.rfind("的", 0, subject)
    while cut > 0 and CHINESE_QUESTION.search(mask[:cut]):
        cut = mask.rfind("的", 0, cut)
    if cut < 2:
        return []
    if _CHINESE_COPULA.match(mask[subject:]):  # X的Y的Z是什么: what is asked for is Z of #1
        described, rest = text[:cut], text[cut:]
        if "的" not in mask[:cut]:
            return []
    else:
        described, rest = text[:subject], text[subject:]
    if len(content(described)) < 1 or not trimmed(rest):
        return []
    return _two_steps_chinese(described, rest)


def _two_steps_chinese(described: str, rest: str, head: str = "") -> list[PartDraft]:
    described = trimmed(described)
    if listings(MaskedLine(described, described)) or _CHINESE_HOW.search(rest):
        return []  # what is joined is no one thing; how or why something is, is said of it where it is
    who = "谁" if is_person(described) else "什么"
    return [
        PartDraft(text=f"{described}是{who}？", aspect=described.rpartition("的")[2], topics=(described,)),
        PartDraft(text=question(f"{head}{reference(0)}{rest}"), after=(0,)),
    ]


def _subject_end_chinese(mask: str, asked: int) -> int:
    """Return where what is asked about ends and what is said of it begins, or 0 where no word tells."""
    last = mask.rfind("的", 0, asked)
    for match in _CHINESE_PREDICATE.finditer(mask, last + 3 if last >= 0 else 2):
        if match.start() >= asked:
            break
        return match.start()
    return 0


# -- something of each item of a list

_EACH = frozenset(("each", "every"))
_FOR_EACH = lazy_regex(
    rf"^(?:for|of|with) (?:each|every)(?: (?:single )?one)?(?P<of> of)? (?:the )?(?P<list>\S.{{3,300}}?),\s*"
    rf"(?P<asked>(?:(?:in|on|by|for|at|from|to|with) )?(?:{'|'.join(sorted(WH | AUX | ASKING))})\b.+)$",
    re.IGNORECASE | re.DOTALL,
)

_POINTER = lazy_regex(
    r"\b(?P<own>its|their|his|her)\b(?=\s+\w)|\b(?:it|they|them|he|she|him|each(?: one)?(?: of them)?)\b", re.IGNORECASE
)

_ASKS_OF = lazy_regex(r"^(?:what|who|which)(?:'s| is| are| was| were)\b(?!.*\b(?:for|by|in|on|with)\b)", re.IGNORECASE)
_SINGULAR = lazy_regex(r"\b(?P<relative>that|which|who) (?P<verb>is|was|has|does)\b")
_PLURAL_VERB = {"is": "are", "was": "were", "has": "have", "does": "do"}
_HEADS = (
    "数据集|模型|方法|论文|文章|算法|系统|框架|架构|任务|基准|语料库?|机构|公司|团队"
    "|作者|大学|国家|城市|地区|书|小说|电影|产品|项目|技术|实验|改进|版本"
)

_EACH_CHINESE = lazy_regex(
    rf"^(?:对于?|针对|关于)?(?P<of>[^，。；？]{{2,60}}?)的?"
    rf"(?:每一?[个种篇项部款位家本座条](?P<any>[^，。；？的]{{1,8}}?)(?=的|，|,|是|有|在|由|用|分别|各自|都|达|于)|各个?(?P<noun>{_HEADS}))"
    rf"(?P<rest>.+)$",
    re.DOTALL,
)

_CHINESE_ORDER = lazy_regex(rf"{CHINESE_ASKING.pattern}(?:一下)?")


def each_of(line: MaskedLine) -> list[PartDraft]:
    """Return the question for the list and the one that is asked of each of its items, or nothing."""
    return _each_chinese(line) if is_chinese(line.text) else _each_english(line)


def led_by_each(line: MaskedLine) -> list[PartDraft]:
    """Return the same for `For each ..., who ... and when ...?`, where several things may be asked of each."""
    match = None if is_chinese(line.text) else _FOR_EACH.match(line.mask)
    if not match:
        return []
    tokens = MaskedLine(line.text[match.start("list") :], line.mask[match.start("list") : match.end("list")]).tokens
    listed = line.text[slice(*match.span("list"))]
    if not tokens or tokens[0].name or ":" in listed or len(content(listed)) < 2:
        return []
    head = _head_noun(tokens, -1)
    inner = MaskedLine(line.text[match.start("asked") :], line.mask[match.start("asked") :])
    asked = [_of_one(piece, tokens[head].word) for piece in clauses(inner)]
    return [_list_question(listed, tokens, head), *(PartDraft(text=text, after=(0,), each=True) for text in asked)]


def _each_english(line: MaskedLine) -> list[PartDraft]:
    body = statement(line.text)
    cut = MaskedLine(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    tokens = cut.tokens
    for place, token in enumerate(tokens[:-3]):
        if token.word not in _EACH or not place:
            continue
        article = place + 2 if tokens[place + 1].word == "of" and tokens[place + 2].word in {"the", "these"} else place
        last = _list_end(tokens, article)
        if last <= article + 1:
            continue
        start, end = tokens[article + 1].start, tokens[last - 1].end
        asked = f"{cut.text[: token.start]}{reference(0)}{cut.text[end:]}"
        if content(asked.replace(reference(0), " ")):
            inner = tokens[article + 1 : last]
            return [
                _list_question(cut.text[start:end], inner, _head_noun(inner, -1)),
                PartDraft(text=question(asked), after=(0,), each=True),
            ]
    return []


def _list_end(tokens: tuple[MaskedToken, ...], article: int) -> int:
    """Return where a description ends that begins behind this place, or 0: by what it was used or made must be named."""
    if found := description(tokens, article):
        return found.end
    noun = article + 1 + _head_noun(tokens[article + 1 :], -1)
    after = tokens[noun + 1].word if noun + 2 < len(tokens) else ""
    if (after == "used" or is_participle(after)) and any(token.name for token in tokens[noun + 2 :]):
        return verb_end(tokens, article, noun + 1, "participle")
    return 0


def _head_noun(tokens: Sequence[MaskedToken], place: int) -> int:
    """Return where the noun is that a description is about: the last of those that it begins with."""
    while place + 1 < len(tokens) and (place < 0 or is_noun(tokens[place + 1])):
        place += 1
        if place and is_plural(tokens[place].word):
            break
    return place


def _list_question(listed: str, tokens: Sequence[MaskedToken], head: int) -> PartDraft:
    """Return the question for the list: its noun in the plural, and the verb behind it."""
    first = tokens[0].start
    start, end = tokens[head].start - first, tokens[head].end - first
    noun = listed[start:end]
    told = f"{listed[:start]}{_plural(noun)}{_SINGULAR.sub(_agreeing, listed[end:], count=1)}"
    return PartDraft(
        text=question(f"{'Who' if is_person(noun) else 'What'} are the {told}"), aspect=noun, topics=(told,)
    )


def _agreeing(match: re.Match[str]) -> str:
    return f"{match['relative']} {_PLURAL_VERB[match['verb']]}"


def _plural(noun: str) -> str:
    if is_plural(noun) or noun.lower() in {"data", "series", "people"}:
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _of_one(asked: str, noun: str) -> str:
    """Return what is asked of each item as a question about one."""
    pointer = _POINTER.search(asked) or re.search(
        rf"\b(?:the|that|this|each|every) {re.escape(noun.rstrip('s'))}s?\b", asked
    )
    body = statement(asked)
    if pointer is None:
        return question(f"{body} {'of' if _ASKS_OF.match(body) else 'for'} {reference(0)}")
    own = "'s" if pointer.groupdict().get("own") else ""
    return question(f"{body[: pointer.start()]}{reference(0)}{own}{body[pointer.end() :]}")


def _each_chinese(line: MaskedLine) -> list[PartDraft]:
    match = _EACH_CHINESE.match(line.mask)
    if not match:
        return []
    owner, rest = (line.text[slice(*match.span(name))] for name in ("of", "rest"))
    noun = line.text[slice(*match.span("any" if match["any"] else "noun"))]
    order = _CHINESE_ORDER.match(owner)
    lead, owner = (owner[: order.end()], owner[order.end() :]) if order else ("", owner)
    if not trimmed(owner) or not content(owner) or CHINESE_QUESTION.search(owner) or not content(rest):
        return []
    joint = "" if rest.startswith(("的", "是", "有", "在", "由", "用", "分别", "各自", "都", "达", "于")) else "的"
    listed = f"{trimmed(owner)}的{noun}"
    return [
        PartDraft(text=f"{listed}有哪些？", aspect=noun, topics=(listed,)),
        PartDraft(text=question(f"{lead}{reference(0)}{joint}{rest.lstrip('，, ')}"), after=(0,), each=True),
    ]
