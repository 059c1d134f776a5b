"""Where a description in a question begins and ends: `the film that ...`, `the director of ...`, `the country X is from`."""

from dataclasses import dataclass

from scholarmind.planning.protection import MaskedToken
from scholarmind.planning.question_words import (
    AUX,
    BASE_VERBS,
    BE,
    FINITE_VERBS,
    FUNCTION,
    PERSON,
    PREPOSITIONS,
    WH,
    is_participle,
)

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
    return _reduced(tokens, last)


def is_thing(noun: str) -> bool:
    noun = noun.rpartition("-")[2]
    return (
        noun in _THINGS
        or noun in PERSON
        or noun in ROLES
        or (noun.endswith("s") and (noun[:-1] in _THINGS or noun[:-3] + "y" in _THINGS))
    )


def _reduced(tokens: tuple[MaskedToken, ...], last: int) -> str:
    """Recognise `the country Signmark is from`: a thing, a name, and a verb that belongs to the name."""
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
