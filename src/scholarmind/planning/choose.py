"""Comparisons that end in a choice or a yes or no: `Which is larger, A or B?`, `Are A and B both ...?`."""

import re

from scholarmind.planning.distribute import for_one
from scholarmind.planning.draft import Draft
from scholarmind.planning.lists import Listing, name_lists
from scholarmind.planning.protected import Line
from scholarmind.planning.words import AUX, FUNCTION, capital, is_plural, question, statement, trimmed
from scholarmind.text.patterns import lazy_regex

_AUX = "|".join(sorted(AUX - {"be", "been", "being", "may"}))
_MORE = lazy_regex(
    r"\b(?P<word>first|earlier|later|earliest|latest|last|sooner|more|most|less|least|fewer|fewest|better|best"
    r"|worse|worst|both|same|"
    r"(?!(?:other|whether|rather|under|over|after|number|member|order|river|paper|power|player|singer|writer"
    r"|leader|former|either|never|per)\b)"
    r"[a-z]{3,}(?:er|est))\b",
    re.IGNORECASE,
)
_CHOICE = lazy_regex(
    r"^(?P<wh>which|who|what|whose)\b(?P<noun>(?:\s+(?!(?:"
    + _AUX
    + r")\b)[^\s,]+){0,4}?)\s+(?P<rest>(?:"
    + _AUX
    + r"|[a-z]+(?:s|ed)|has|came)\b.*)$",
    re.IGNORECASE,
)
_LEADING = lazy_regex(r"^(?:between|of|among|out of|from|both)\s+", re.IGNORECASE)
_LINK = lazy_regex(r"[,:;\-–]?\s*(?:between|of|out of|among|is it|the)?\s*$", re.IGNORECASE)
_SAME = lazy_regex(r"\bthe same ([a-z]+)(?: as)?\b", re.IGNORECASE)
_COMMON = lazy_regex(r"\b(?:in common|share|shared|both)\b", re.IGNORECASE)
_ADJECTIVE = {
    "older": "old",
    "oldest": "old",
    "larger": "large",
    "largest": "large",
    "bigger": "big",
    "biggest": "big",
    "higher": "high",
    "longer": "long",
    "highest": "high",
    "longest": "long",
    "younger": "old",
    "youngest": "old",
    "taller": "tall",
    "faster": "fast",
    "smaller": "large",
    "cheaper": "expensive",
    "closer": "close",
    "deeper": "deep",
    "wider": "wide",
    "heavier": "heavy",
    "stronger": "strong",
    "fastest": "fast",
    "better": "good",
    "best": "good",
    "worse": "good",
    "worst": "good",
}
_TIME = frozenset("first earlier later earliest latest last sooner".split())


def choose(line: Line) -> list[Draft]:
    """Return what must be known of each, and the choice that depends on it; or nothing."""
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    found = _choices(cut) or _yes_or_no(cut) or _in_common(cut)
    if len(found) < 2:
        return []
    topics = tuple(dict.fromkeys(part.entity for part in found))
    return [
        *found,
        Draft(text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))), topics=topics),
    ]


def _choices(line: Line) -> list[Draft]:
    lists = [listing for listing in name_lists(line) if listing.joint in {"or", "and"}]
    listing = lists[-1] if lists else _plain_choice(line)
    if listing is None or not (listing.joint == "or" or _MORE.search(_without(line, listing))):
        return []
    if (
        listing.joint == "or"
        and len(listing.items) == 3
        and line.mask[: listing.start].rstrip().rpartition(" ")[2].lower() in AUX
    ):
        listing = Listing(
            listing.items[1][0], listing.end, listing.items[1:], "or"
        )  # Which singer is American, A or B?
    names = listing.texts(line)
    before, after = line.text[: listing.start], line.text[listing.end :]
    behind = False
    asked = trimmed(_LINK.sub("", before)) if not _LEADING.match(before + " ") or len(before.split()) > 1 else ""
    if re.match(r"^(?:which|who|what)$", asked, re.IGNORECASE):
        asked, behind = f"{asked} {trimmed(after)}", True
    elif not re.match(r"^(?:which|who|what|whose)\b", asked, re.IGNORECASE):
        asked, behind = trimmed(after), True
    match = _CHOICE.match(asked)
    if not match or (listing.joint == "and" and not behind and not re.search(r"\b(?:between|of|among)\s*$", before)):
        return []
    rest = asked[match.start("rest") :]
    rest += "" if behind else after
    return [
        Draft(text=_one(match["wh"], rest, asked, name), entity=name, aspect=_aspect(rest), topics=(name,))
        for name in names
    ]


def _without(line: Line, listing: Listing) -> str:
    return line.mask[: listing.start] + line.mask[listing.end :]


def _plain_choice(line: Line) -> Listing | None:
    """Find `..., a cheetah or a lion` behind a comma: things without capitals."""
    match = re.search(
        r"[,:]\s+((?:an? |the )?[^\s,]+(?: [^\s,]+){0,3}?) or ((?:an? |the )?[^\s,]+(?: [^\s,]+){0,4})$", line.mask
    )
    if not match or not re.match(r"^(?:which|who|what)\b", line.mask, re.IGNORECASE):
        return None
    return Listing(match.start(1), match.end(2), (match.span(1), match.span(2)), "or")


def _aspect(rest: str) -> str:
    return trimmed(re.sub(rf"^(?:{_AUX})\s+", "", rest))


def _one(asker: str, rest: str, asked: str, name: str) -> str:
    """Return the open question about one of them that the choice rests on."""
    words = rest.split()
    found = _MORE.search(rest)
    adjective = found["word"].lower() if found else ""
    verb = words[0] if words[0].lower() in AUX else ""
    if adjective in _TIME:
        body = trimmed(
            re.sub(rf"\b(?:the\s+)?{adjective}\b(?:\s+to\b)?", "", " ".join(words[1:] if verb else words), count=1)
        )
        if verb.lower() in {"was", "were", "is", "did", "does", "has"} and body:
            return (
                question(f"When {'was' if verb.lower() == 'were' else verb} {name} {body}")
                if re.match(r"\w+(?:ed|n|t|d)\b", body)
                else question(f"When did {name} {body}")
            )
        return question(f"When did {name} {_base(body)}") if body else question(f"When was {name}")
    if adjective in _ADJECTIVE and verb.lower() in {"is", "was", "are", "were"}:
        left = trimmed(re.sub(rf"\b(?:the\s+)?{adjective}\b", "", " ".join(words[1:]), count=1))
        return question(f"How {_ADJECTIVE[adjective]} {'is' if verb == 'are' else verb} {name} {left}")
    if (
        adjective in {"more", "most", "less"}
        and verb.lower() in {"is", "was"}
        and (after := rest[found.end() :].split() if found else [])
    ):
        return question(f"How {after[0]} {verb} {name} {' '.join(after[1:])}")
    if not adjective and verb:
        return question(f"{capital(verb)} {name} {' '.join(words[1:])}")
    return question(f"{capital(name)}: {statement(asked) or asker}")


_BASES = {
    "came": "come",
    "won": "win",
    "had": "have",
    "has": "have",
    "made": "make",
    "began": "begin",
    "became": "become",
    "got": "get",
    "took": "take",
    "went": "go",
    "wrote": "write",
    "built": "build",
    "died": "die",
    "moved": "move",
    "released": "release",
    "introduced": "introduce",
    "used": "use",
    "changed": "change",
    "announced": "announce",
    "experienced": "experience",
    "launched": "launch",
    "updated": "update",
}


def _base(body: str) -> str:
    verb, _, rest = body.partition(" ")
    base = _BASES.get(verb.lower()) or (verb[:-2] if verb.endswith("ed") and len(verb) > 4 else verb)
    return f"{base} {rest}".strip()


def _yes_or_no(line: Line) -> list[Draft]:
    first = line.mask.split(" ", 1)[0].lower()
    if first not in AUX:
        return []
    lists = [listing for listing in name_lists(line) if listing.joint == "and"]
    if not lists:
        return []
    listing = lists[0]
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if len(head.split()) > 6 and not _MORE.search(head + tail):
        return []
    return [
        Draft(text=_each(head, name, tail), entity=name, aspect=trimmed(tail), topics=(name,))
        for name in listing.texts(line)
    ]


def _each(head: str, name: str, tail: str) -> str:
    head = re.sub(r"\b(?:both|the two)\b(?:\s+[a-z]+,)?(?:\s+the$)?\s*", "", head)
    tail = re.sub(r"^\s*,\s*", " ", tail)
    tail = re.sub(r"\bmembers(?= of the same\b)", "a member", tail)
    if same := _SAME.search(tail):
        tail = re.sub(r"\b(both|each) ", lambda match: "\0" * len(match[0]), tail)
        body = tail[: same.start()] + "which " + same[1] + tail[same.end() :]
        return _statement_question(head, name, body.replace("\0", ""))
    tail = re.sub(r"\b(?:both|each)\s+", "", tail)
    last = tail.rpartition(" ")[2]
    if (
        is_plural(last)
        and re.match(r"^(?:are|were)\b", head, re.IGNORECASE)
        and not re.search(r"\b(?:in|of|at|by|from|on)\b", tail)
    ):
        article = (
            "" if re.match(r"\s*(?:a|an|the)\b", tail) else ("an " if trimmed(tail)[:1].lower() in "aeiou" else "a ")
        )
        tail = f" {article}{trimmed(tail)[:-1]}"
    return for_one(head, name, tail)


def _statement_question(head: str, name: str, body: str) -> str:
    verb = head.split(" ", 1)[0].lower()
    rest = re.sub(r"\b([a-z]+)s of (the )?([a-z]+)s\b", r"\1 of \2\3", head.partition(" ")[2].strip())
    name = f"{rest} {name}" if rest else name
    joint = {"are": "is", "is": "is", "were": "was", "was": "was"}.get(verb, "")
    return question(f"{name} {joint} {trimmed(body)}".replace("  ", " "))


def _in_common(line: Line) -> list[Draft]:
    if not _COMMON.search(line.mask):
        return []
    lists = [listing for listing in name_lists(line) if listing.joint == "and"]
    if not lists:
        return []
    listing = lists[0]
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if re.search(r"\bin common\b|\bshare\b$", tail) and set(head.lower().split()) <= FUNCTION:
        return [Draft(text=question(f"What is {name}"), entity=name, topics=(name,)) for name in listing.texts(line)]
    head = re.sub(r"\b[Bb]oth\s+$", "", head)
    tail = re.sub(r"\s*\b(?:in common|both)\b", "", tail)
    return [Draft(text=for_one(head, name, tail), entity=name, topics=(name,)) for name in listing.texts(line)]
