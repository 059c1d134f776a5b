"""One question about several names becomes one a name; `the X and Y of Z` becomes one an aspect."""

import re
from collections.abc import Sequence

from scholarmind.planning.draft import Draft
from scholarmind.planning.lists import Listing, name_lists
from scholarmind.planning.protected import Line
from scholarmind.planning.words import (
    ASKING,
    AUX,
    BE,
    FUNCTION,
    PLURAL_AUX,
    SINGULAR_AUX,
    WH,
    capital,
    is_plural,
    question,
    statement,
    trimmed,
)
from scholarmind.text.patterns import lazy_regex

_JOINED = lazy_regex(
    r"\b(?:between|from|married|combined?|combining|combination of|cross\w*|versus|collaborat\w+|partnership"
    r"|borders?|bordered|treaty|war"
    r"|match|game|with|starring|featuring|called|titled)\s+(?:the\s+|both\s+)?$",
    re.IGNORECASE,
)
_RESPECTIVELY = lazy_regex(r",?\s*(?:respective(?= )|respectively|each|individually|separately)\b", re.IGNORECASE)
_PLAIN = r"(?:[a-z][a-z\-'’]*[ ]){0,3}[a-z][a-z\-'’]*"
_ASPECTS = lazy_regex(
    rf"^(?P<head>[^,]{{0,40}}?\b(?:the|their|its|key|main|what are|what is|what were|what was"
    rf"|{'|'.join(sorted(ASKING))})\s+)"
    rf"(?P<list>{_PLAIN}(?:,\s+{_PLAIN}){{0,6}},?\s+(?:and|as well as)\s+(?:the\s+)?{_PLAIN})"
    rf"(?P<tail>\s+(?:of|for|behind|to|in|on|from|with|under|used in)\s+\S.{{0,300}})$",
    re.IGNORECASE,
)
_ASPECT_JOINT = lazy_regex(r",?\s+(?:and|as well as)\s+(?:the\s+)?|,\s+(?:the\s+)?")
_THINGS = lazy_regex(
    rf"^(?P<head>[^,]{{0,80}}\b(?:of|for|about|on|are|is|discuss|explain|describe"
    rf"|summarize)\s+)(?P<list>{_PLAIN},?\s+and\s+{_PLAIN})"
    rf"(?P<tail>\s+(?:in|on|for|within|during|under)\s+\S.{{0,200}})$",
    re.IGNORECASE,
)
_BARE = lazy_regex(
    rf"^(?P<head>)(?P<list>{_PLAIN}\s+and\s+{_PLAIN})(?P<tail>\s+(?:in|for)\s+\S.{{0,200}})$", re.IGNORECASE
)
_TAIL_STARTS = lazy_regex(r"\s+(?:of|for|behind|to|in|on|from|with|under|used in|within|during)\s", re.IGNORECASE)
_VERBISH = lazy_regex(r"(?:ed|ing|ly)$")


def distribute(line: Line) -> list[Draft]:
    """Return one part a name or an aspect, or nothing."""
    if is_question_of_one(line):
        return []
    return over_names(line) or _over_aspects(line)


def is_question_of_one(line: Line) -> bool:
    """Tell whether there is nothing in a line that could stand beside anything else."""
    return (
        " and " not in line.mask
        and " or " not in line.mask
        and " as well as " not in line.mask
        and " & " not in line.mask
    )


def over_names(line: Line) -> list[Draft]:
    """Return a part for each name of the last list of names, with what stands before and behind it."""
    lists = [
        listing
        for listing in name_lists(line)
        if not _JOINED.search(line.mask[: listing.start]) and listing.joint in {"and", "&", "or"}
    ]
    if not lists:
        return []
    listing = lists[0]
    if len(lists) > 1 and not _asks_first(line):
        return []  # a long statement that asks in place: its lists need not be what it asks about
    if paired := _paired(line, listing):
        return paired
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if not head.strip() and not tail.strip(" ?.!"):
        return []
    names = listing.texts(line)
    texts = [for_one(head, name, tail) for name in names]
    return [Draft(text=text, entity=name, topics=(name,)) for text, name in zip(texts, names, strict=True)]


def _asks_first(line: Line) -> bool:
    words = [token.word for token in line.tokens[:3]]
    return bool(words) and (words[0] in WH | AUX | ASKING or any(word in WH for word in words))


def for_one(head: str, name: str, tail: str) -> str:
    """Return the question about one of several names: its verb and pronouns in the singular."""
    words = head.rstrip().split(" ")
    drop = words and words[-1].lower() in {"both", "either"}
    if drop:
        words = words[:-1]
    last = words[-1].lower() if words else ""
    if last in SINGULAR_AUX:
        single = SINGULAR_AUX[last]
        words[-1] = single.capitalize() if words[-1][:1].isupper() else single
    tail = _RESPECTIVELY.sub("", re.sub(r"^\s+(?:both|each|all)\b", "", tail))
    if last in {"are", "were"} or not words or not words[-1]:
        tail = _singular_verb(tail)
    tail = re.sub(r"\btheir\b", "its", tail)
    body = " ".join(words)
    return question(
        f"{body} {name}{'' if tail[:1] in {',', '?', '.', chr(39), '’'} else ' '}{tail.lstrip()}"
        if body
        else f"{name} {tail.lstrip()}"
    )


def _singular_verb(tail: str) -> str:
    verb = re.match(r"\s*(are|were|do|have)\b", tail)
    return tail.replace(verb[1], SINGULAR_AUX[verb[1]], 1) if verb else tail


def _paired(line: Line, names: Listing) -> list[Draft]:
    """Return parts for `A and B in 2017 and 2019, respectively`: first with first, second with second."""
    if "respective" not in line.mask.lower():
        return []
    others = [
        listing
        for listing in (*name_lists(line), *_number_lists(line))
        if listing.start >= names.end and len(listing.items) == len(names.items)
    ]
    if not others:
        return []
    other = others[0]
    parts: list[Draft] = []
    for name, value in zip(names.texts(line), other.texts(line), strict=True):
        middle = line.text[names.end : other.start]
        parts.append(
            Draft(
                text=for_one(line.text[: names.start], name, f"{middle}{value}{line.text[other.end :]}"),
                entity=name,
                topics=(name,),
            )
        )
    return parts


def _number_lists(line: Line) -> list[Listing]:
    return [
        Listing(
            match.start(),
            match.end(),
            tuple(piece.span() for piece in re.compile(r"\d[\d,.%]*").finditer(line.mask, *match.span())),
        )
        for match in re.finditer(r"\b\d{1,4}%?(?:, \d{1,4}%?){0,8},? and \d{1,4}%?(?!\w)", line.mask)
    ]


def _over_aspects(line: Line) -> list[Draft]:
    body = (
        Line(statement(line.text), line.mask[: len(statement(line.text))])
        if line.text.startswith(statement(line.text))
        else line
    )
    if not _may_list(body):
        return []
    bare = None if any(token.word in AUX | WH for token in body.tokens) else _BARE.match(body.mask)
    for match in (_ASPECTS.match(body.mask), _THINGS.match(body.mask), bare):
        if match and (parts := _by_aspect(body, match)):
            return parts
    return []


def _by_aspect(body: Line, match: re.Match[str]) -> list[Draft]:
    start, end = match.span("list")
    start += 4 if body.mask[start : start + 4].lower() == "the " else 0
    cut = _TAIL_STARTS.search(body.mask, start)
    joint = (
        max((found.end() for found in re.finditer(r"\s(?:and|as well as)\s", body.mask[start:end])), default=0) + start
    )
    if cut and cut.start() > joint:
        end = cut.start()
    elif cut and cut.start() < joint:
        return []
    aspects = [trimmed(body.text[first:last]) for first, last in _between(body.mask, start, end)]
    if any(not _is_noun(aspect) for aspect in aspects) or len(aspects) < 2 or shares_head(aspects):
        return []
    head, tail = body.text[:start], body.text[end:]
    topic = trimmed(re.sub(r"^\s*\S+\s+", "", tail))
    return [
        Draft(text=_aspect_question(head, aspect, tail), aspect=aspect, entity=topic, topics=(topic,))
        for aspect in aspects
    ]


def _may_list(line: Line) -> bool:
    """Tell whether a sentence asks or orders something, or is a bare phrase; `the art and science of X is called` is neither."""
    first = line.tokens[0].word
    if (first in {"how", "why", "when", "where", "who"} and line.tokens[1].word not in BE) or first in AUX:
        return False  # how did the X and Y ... is about both at once
    return first in WH | ASKING or not any(token.word in AUX for token in line.tokens)


def _between(mask: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _ASPECT_JOINT.finditer(mask, start, end):
        spans.append((begin, match.start()))
        begin = match.end()
    return [*spans, (begin, end)]


def _is_noun(text: str) -> bool:
    words = text.lower().split()
    return (
        0 < len(words) <= 4
        and not any(word in FUNCTION for word in words)
        and not _VERBISH.search(words[0] if len(words) == 1 else "")
    )


def shares_head(aspects: Sequence[str]) -> bool:
    """Tell whether the last noun belongs to all: `ethics and integrity incidents` are one thing."""
    return len(aspects) > 1 and " " in aspects[-1] and is_plural(aspects[-1]) and not is_plural(aspects[0])


def _aspect_question(head: str, aspect: str, tail: str) -> str:
    words = head.rstrip().split(" ")
    for place, word in enumerate(words[:3]):
        if word.lower() in {"are", "were"} and not aspect.endswith("s"):
            words[place] = SINGULAR_AUX[word.lower()]
        elif word.lower() in {"is", "was"} and place == 1 and aspect.endswith("s") and not aspect.endswith("ss"):
            words[place] = PLURAL_AUX[word.lower()]
    return question(f"{capital(' '.join(words))} {aspect}{tail}")
