"""Take one sentence apart where it asks several things: `..., and what ...`, `..., explain ...`, 以及, 另外, 同时."""

import re
from itertools import islice

from scholarmind.planning.protected import Line
from scholarmind.planning.split import polite
from scholarmind.planning.verbs import BASE_VERBS, FINITE_VERBS
from scholarmind.planning.words import (
    ASKING,
    AUX,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    FUNCTION,
    WH,
    is_chinese,
    is_plural,
    trimmed,
)
from scholarmind.text.language import lazy_regex

_WH = "|".join(sorted(WH | {"whether"}))
_AUX = "|".join(sorted(AUX - {"be", "been", "being", "may"}))
_ASKING = (
    "|".join(sorted(ASKING - {"name", "state", "review", "show", "give", "find", "introduce"}))
    + rf"|say(?=\s+(?:{_WH})\b)"
)
_PRONOUN = "it|they|he|she|these|those|this|that|there|each"
_JOINT = lazy_regex(
    rf"(?P<comma>[,;，；])?\s+(?P<and>(?:and also|and then|and if so|as well as|and|but also|but|plus|then|or)\s+(?:also\s+"
    rf"|,\s+|then\s+|finally\s+)?)?"
    rf"(?P<next>(?:(?:in|on|to|by|for|with|from|at|under|of)\s+)?(?P<wh>{_WH})\b(?=\s+\S|\s*[?.]?$)"
    rf"|(?P<task>(?:{_ASKING}))\s+(?=\S)"
    rf"|(?P<aux>{_AUX})\s+(?:{_PRONOUN})\b|(?P<does>do|does|did|is|are|was|were|can|should|will|has|have)\s+(?:(?:the|an?|this|these|those|any|there)\s|(?-i:[A-Z\ue000])))",
    re.IGNORECASE,
)
_STARTS = lazy_regex(
    rf"^(?:(?:in|on|to|by|for|with|from|at|under|of)\s+)?(?:{_WH})\b|^(?:{'|'.join(sorted(ASKING))})\b|^(?:{_AUX})\b",
    re.IGNORECASE,
)
_NEAR = 200  # characters before and behind a joint that are looked at
_RELATIVE = frozenset("who which where whose when whom".split())
_INNER_TASK = lazy_regex(rf"^({'|'.join(sorted(ASKING))})(?: me)?\s+(?:{_WH})\b", re.IGNORECASE)
_INVERTED = lazy_regex(
    rf"^(?:(?:in|on|to|by|for|with|from|at|under|of)\s+)?(?:{_WH})\s+(?:(?:many|much|long|large|big|old|high|well"
    rf"|often|far|fast|good|else)\b"
    rf"|(?:\S+\s+){{0,5}}(?:{_AUX})\b)",
    re.IGNORECASE,
)
_ASKED_BEFORE = lazy_regex(rf",\s+(?:and\s+)?(?:which|whose)\s+[a-z]{{3,}}s\s+(?:{_AUX})\b", re.IGNORECASE)
_OF_THEM = lazy_regex(r"^which (?:of (?:all )?(?:the|these|those) )?", re.IGNORECASE)
_OF_IT = lazy_regex(r"^(?:how|why|what|when|where|who) (?:it|they|this|that|he|she)\b", re.IGNORECASE)
_ADVERBS = frozenset(
    "later often now still never always soon once already today first last only even just ever usually".split()
)
_OBJECTS = frozenset("it them him her this that these those the a an its their his".split())
_MOST_IN_A_NOUN = 4  # words
_SEPARATOR = lazy_regex(
    r"[，,；;。]\s*(?=还有(?:哪|什么))|(?:[，,；;。]\s*)?(?P<word>以及|并且|而且|另外|此外|同时|还有|然后|其次|最后|并(?=[解说列总介描分讨阐给指评])|且(?=[它其哪谁])|和(?=哪|谁|什么|如何"
    r"|怎))[，,]?|[，,；;。]\s*"
)


def clauses(line: Line) -> list[str]:
    """Return the questions of a sentence, one or more."""
    return _chinese(line) if is_chinese(line.text) else _english(line)


def _english(line: Line) -> list[str]:
    if not _STARTS.match(polite(line.mask)):
        return _after_lead(line)
    joints = list(_JOINT.finditer(line.mask))
    listed = any(joint["and"] and (joint["wh"] or joint["aux"]) for joint in joints)
    return _finished(
        line, [(joint.start(), joint.start("next")) for joint in joints if _cuts_here(line, joint, listed)]
    )


def _cuts_here(line: Line, joint: re.Match[str], listed: bool) -> bool:
    """Tell whether a joint stands between two questions; only its surroundings are looked at."""
    before = line.mask[max(0, joint.start() - _NEAR) : joint.start()]
    after = line.mask[joint.start("next") : joint.start("next") + _NEAR]
    joined, comma = (joint["and"] or "").strip(), joint["comma"]
    if len(before.split()) < 2 or not (joined or comma) or (joined in {"or", "then"} and not comma):
        return False
    if joint["task"]:
        return True
    if joint["aux"] or joint["does"]:
        return (bool(joined) or listed) and (
            bool(joint["aux"]) or (joined == "and" and comma == ",") or (listed and not joined)
        )
    word = joint["wh"].lower()
    return _asks_beside(before, after, word, bool(comma)) if joined else _asks_next(after, word, listed)


def _asks_beside(before: str, after: str, word: str, comma: bool) -> bool:
    """Tell whether `and who ...` asks anew, rather than going on with a relative clause."""
    if _OF_IT.match(after) or (
        word == "which" and re.match(r"which (?:one )?of (?:them|these|those)\b", after, re.IGNORECASE)
    ):
        return True
    own = word == "which" and _has_a_subject(after)
    if not (comma or own or any(token in AUX | FINITE_VERBS for token in re.findall(r"[a-z']+", after.lower()))):
        return False  # `and in what year`: nothing that could stand alone
    if word == "whose" and not comma:
        return False
    if word in _RELATIVE and re.search(rf"\s{word}\b", _ASKED_BEFORE.sub("", before), re.IGNORECASE):
        return False
    return word != "which" or own or bool(_INVERTED.match(after))


def _has_a_subject(after: str) -> bool:
    """Tell whether a noun and its verb stand behind `which`, as in `which models use it`; in a relative clause it is the verb."""
    words = _OF_THEM.sub("", after).rstrip("?.").split()[: _MOST_IN_A_NOUN + 2]
    for place, word in enumerate(words[: _MOST_IN_A_NOUN + 1]):
        if place and _is_verb_of(words, place):
            return True
        if not word.isalpha() or not word.islower() or word in FUNCTION | FINITE_VERBS | BASE_VERBS | _ADVERBS:
            return False
    return False


def _is_verb_of(words: list[str], place: int) -> bool:
    """Tell whether the word here is the verb of the noun before it: one that is known, or any with an object behind it."""
    noun, word = words[place - 1], words[place]
    if noun.endswith("ly"):
        return False
    if word in FINITE_VERBS or (is_plural(noun) and word in BASE_VERBS):
        return True
    behind = words[place + 1] if place + 1 < len(words) else "it"
    return is_plural(noun) and word.isalpha() and word not in FUNCTION and not is_plural(word) and behind in _OBJECTS


def _asks_next(after: str, word: str, listed: bool) -> bool:
    """Tell whether `, what ...` asks anew; `, who was ...` goes on with a name."""
    if word in {"what", "how", "why"}:
        return listed or bool(_INVERTED.match(after))
    goes_on = re.match(rf"(?:who|which) (?:{_AUX})\b", after)
    return listed and bool(_INVERTED.match(after)) and len(after.split()) > 3 and not goes_on


def _after_lead(line: Line) -> list[str]:
    """Cut a sentence that begins with a restriction: `Since 2022, which ... and which ...?` keeps it in each."""
    match = re.search(rf",\s+(?=(?:{_WH}|{_ASKING}|{_AUX})\b)", line.mask, re.IGNORECASE)
    if not match or len(line.mask[: match.start()].split()) > 12:
        return [line.text]
    inner = _english(Line(line.text[match.end() :], line.mask[match.end() :]))
    lead = line.text[: match.end()]
    return (
        [lead + part[:1].lower() + part[1:] if part[:2].istitle() else lead + part for part in inner]
        if len(inner) > 1
        else [line.text]
    )


def _finished(line: Line, cuts: list[tuple[int, int]]) -> list[str]:
    begin = 0
    found: list[str] = []
    for end, restart in cuts:
        found.append(trimmed(line.text[begin:end]))
        begin = restart
    found.append(trimmed(line.text[begin:]))
    task = _INNER_TASK.match(polite(found[0]))
    if task:  # Explain what X is and how it works: each part is a task
        found = [found[0]] + [
            part if _INVERTED_MAIN.match(part) or not _STARTS_WH.match(part) else f"{task[1]} {part}"
            for part in found[1:]
        ]
    return [part for part in found if part]


_STARTS_WH = lazy_regex(rf"^(?:{_WH})\b", re.IGNORECASE)
_INVERTED_MAIN = lazy_regex(rf"^(?:who|what|which)\s+\S+|^(?:{_WH})\s+(?:{_AUX})\b", re.IGNORECASE)


def _chinese(line: Line) -> list[str]:
    groups: list[tuple[int, int]] = []  # where each clause begins and ends
    begin = last = 0
    asking = False
    for match in _SEPARATOR.finditer(line.mask):
        asking = asking or _asks(line.mask[last : match.start()])
        last = match.end()
        if asking and _asks_later(line.mask[match.end() : match.end() + _NEAR]):
            groups.append((begin, match.start()))
            begin, asking = match.end(), False
    groups = _closed(groups, begin, len(line.mask), asking or _asks(line.mask[last:]))
    return [piece for start, end in groups if (piece := trimmed(line.text[start:end]))] or [line.text]


def _closed(groups: list[tuple[int, int]], begin: int, end: int, asking: bool) -> list[tuple[int, int]]:
    if groups and not asking:  # what follows the last question belongs to it
        return [*groups[:-1], (groups[-1][0], end)]
    return [*groups, (begin, end)]


def _asks(text: str) -> bool:
    return bool(CHINESE_QUESTION.search(text) or CHINESE_ASKING.search(trimmed(text)))


def _asks_later(rest: str) -> bool:
    """Tell whether what follows a separator is a question of its own, up to the next separator or two."""
    stops = [match.start() for match in islice(_SEPARATOR.finditer(rest, 1), 2)]
    head = rest[: stops[-1]] if stops else rest
    return _asks(head)
