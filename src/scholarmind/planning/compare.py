"""Comparisons in English: one part for each thing and aspect, and the comparison that depends on them."""

import re
from collections.abc import Sequence

from scholarmind.planning.distribute import for_one, shares_head
from scholarmind.planning.draft import Draft
from scholarmind.planning.lists import Listing, name_lists
from scholarmind.planning.protected import Line
from scholarmind.planning.words import FUNCTION, how_is, is_plural, question, statement, trimmed, what_is
from scholarmind.text.patterns import lazy_regex

_TASK = lazy_regex(
    r"^(?:please |can you |could you |briefly )?(?:compare and contrast|compare|contrast)\s+", re.IGNORECASE
)
_BETWEEN = lazy_regex(
    r"\b(?:differences?|similarit(?:y|ies)|distinctions?|trade-?offs?|comparisons?|contrasts?)\s+(?P<on>(?:in"
    r"|of)\s+[^?]{1,60}?\s+)?(?:between|among|of)\s+",
    re.IGNORECASE,
)
_VERSUS = lazy_regex(
    r"\s(?:vs\.?|versus|compared (?:to|with)|as compared (?:to|with)|in comparison (?:to|with))\s", re.IGNORECASE
)
_DIFFER = lazy_regex(r"\b(?:differs?|different|differed)\s+(?:from|to)\s+|\bcompares?\s+(?:to|with)\s+", re.IGNORECASE)
_DIFFER_BARE = lazy_regex(
    r"^how\s+(?:do|does|did)\s+(?P<list>\S.*?\band\b.*?)\s+(?:differ|compare|vary)\b(?P<tail>.*)$", re.IGNORECASE
)
_THAN = lazy_regex(
    r"\b(?:better|worse|more|less|fewer|(?!other|rather)[a-z]{2,}er)\b(?P<what>[^,?]{0,80}?)\s+(?:than"
    r"|compared (?:to|with))\s+(?:that of\s+|those of\s+|in\s+)?",
    re.IGNORECASE,
)
_TAIL = lazy_regex(
    r",?\s+(?P<how>in terms of|with respect to|with regard to|regarding|concerning|based on|when it comes to"
    r"|by their|by|on|for|in|at|under|across|when|as)\s+(?P<what>\S.*)$",
    re.IGNORECASE,
)
_ASPECT_WORDS = frozenset(
    {
        "in terms of",
        "with respect to",
        "with regard to",
        "regarding",
        "concerning",
        "based on",
        "when it comes to",
        "by",
        "by their",
    }
)
_JOINT = lazy_regex(
    r"\s*,\s*(?:and\s+|or\s+|versus\s+)?|\s+(?:compared to|compared with|in comparison to|in comparison with|and"
    r"|or|vs\.?|versus|with|to|against|from|than)\s+(?:that of\s+|those of\s+)?",
    re.IGNORECASE,
)
_ASPECT_JOINT = lazy_regex(r"\s*,\s*(?:and\s+)?(?:their\s+)?|\s+and\s+(?:their\s+)?", re.IGNORECASE)
_ASPECT_OF = lazy_regex(
    r"^(?:the\s+)?(?P<aspect>(?!following)[^,?]{2,80}?)\s+(?P<prep>of|between|among|for|by|at"
    r"|in)\s+(?:the\s+(?=following)|both\s+)?",
    re.IGNORECASE,
)
_LEAD = lazy_regex(r"^(?:the\s+)?(?:following\s+)?(?:[a-z\-]+\s+){0,3}?[a-z\-]+:\s*", re.IGNORECASE)
_CLAUSE = lazy_regex(r"\s(?:that|which|who|is|are|was|were|does|do|did|should|differs?)\s", re.IGNORECASE)


def compare(line: Line) -> list[Draft]:
    """Return the parts of a comparison, or nothing."""
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    for rule in (_task, _between, _versus, _differ, _advantage):
        if found := rule(cut):
            whole = Draft(
                text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))), topics=_topics(found)
            )
            return [*found, whole]
    return []


def _topics(parts: Sequence[Draft]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.entity for part in parts))


def _task(line: Line) -> list[Draft]:
    match = _TASK.match(line.mask)
    if not match:
        return []
    rest = Line(line.text[match.end() :], line.mask[match.end() :])
    if listed := _named_listing(rest):
        head = rest.mask[: listed.start]
        if _JOINT.search(_TAILLESS.sub("", head)) is None or re.match(r"^[^,A-Z]{3,60} (?:of|between|for|by) $", head):
            return _over_listing(rest, listed)
    return _over_things(rest)


def _aspect(head: str, tail: str) -> str:
    """Return what is compared: `the speed of`, or of `how BERT and GPT-2 are trained` what was done."""
    done = trimmed(tail).partition(" ")[2] if head.lower() == "how" else ""
    return done or head.removeprefix("the ")


_TAILLESS = lazy_regex(r"\b(?:in|to|from|with)\b", re.IGNORECASE)


def _between(line: Line) -> list[Draft]:
    match = _BETWEEN.search(line.mask)
    if not match or not re.search(r"\s(?:and|from|vs\.?|versus)\s", line.mask[match.end() :]):
        return []
    aspect = (
        trimmed(re.sub(r"^(?:in|of)\s+(?:the\s+)?", "", line.text[slice(*match.span("on"))])) if match["on"] else ""
    )
    rest = Line(line.text[match.end() :], line.mask[match.end() :])
    return _over_things(rest, aspect)


def _versus(line: Line) -> list[Draft]:
    match = _VERSUS.search(line.mask)
    if not match or re.match(r"^(?:is|was|does|did|has|do|are)\b", line.mask, re.IGNORECASE):
        return []
    head = re.match(
        r"^(?:how|what)\s+(?:is|are|do|does|about)\s+|^(?:which|what) is better[:,]?\s+|^explain\s+"
        r"|^when to use\s+|^should (?:i|we) use\s+",
        line.mask,
        re.IGNORECASE,
    )
    begin = head.end() if head else 0
    if _CLAUSE.search(line.mask, begin, match.start()):
        return []
    return _over_things(Line(line.text[begin:], line.mask[begin:]))


def _differ(line: Line) -> list[Draft]:
    if match := _DIFFER_BARE.match(line.mask):
        start = match.start("list")
        return _over_things(
            Line(
                line.text[start : match.end("list")] + line.text[match.start("tail") :],
                line.mask[start : match.end("list")] + match["tail"],
            )
        )
    match = _DIFFER.search(line.mask) or _THAN.search(line.mask)
    head = re.match(r"^(?:how|why|in what ways?)?\s*(?:is|are|do|does|did|was|were|can)\s+", line.mask, re.IGNORECASE)
    if not match or not head or head.end() >= match.start():
        return []
    first = re.sub(r"\s+(?:much|significantly|performs?|is|are)$", "", line.text[head.end() : match.start()])
    what = trimmed(line.text[slice(*match.span("what"))]) if "what" in match.groupdict() and match["what"] else ""
    if (
        not first
        or "," in first
        or " and " in first
        or re.match(r"^(?:there|it|this|that|they)\b", first, re.IGNORECASE)
    ):
        return []
    if match.re is _THAN:
        adjective = match[0].split(" ", 1)[0]
        what = what or adjective
        last, tail = _tail_cut(line.text[match.end() :])
        named = [_one(entity, "", "", tail) for entity in (trimmed(first), last)]
        return (
            named
            if last and len(last.split()) <= 10 and len(first.split()) <= 10 and set(last.lower().split()) - FUNCTION
            else []
        )
    last, tail = _tail_cut(line.text[match.end() :])
    return _grid([trimmed(first), last], "", "of", tail) if last else []


def _advantage(line: Line) -> list[Draft]:
    match = re.search(
        r"\b(?:advantages?|benefits?|improvements?)\s+of\s+(?P<a>[^,]{2,80}?)\s+over\s+(?P<b>[^,]{2,80})$", line.mask
    )
    return _grid([trimmed(line.text[slice(*match.span(side))]) for side in "ab"], "", "of", "") if match else []


def _tail_cut(text: str) -> tuple[str, str]:
    match = _TAIL.search(text)
    return (trimmed(text[: match.start()]), trimmed(match[0])) if match and match.start() > 0 else (trimmed(text), "")


def _named_listing(line: Line) -> Listing | None:
    lists = name_lists(line)
    return lists[0] if lists else None


def _over_listing(line: Line, listed: Listing) -> list[Draft]:
    """Compare names: what stands before them is the aspect, what stands behind them restricts or completes it."""
    head, tail = trimmed(line.text[: listed.start]), line.text[listed.end :]
    head = _LEAD.sub("", head) if head.endswith(":") else head
    names = listed.texts(line)
    match = re.match(
        r"^(?P<aspect>.*?)\s+(?P<prep>of|between|among|for|by|at|in|from|to)(?:\s+(?:both|the))?$", head, re.IGNORECASE
    )
    if not head or head.lower() in {"the", "both"}:
        return _grid(names, "", "of", trimmed(tail))
    if match:
        prep = "of" if match["prep"] in {"between", "among"} else match["prep"]
        return _grid(names, re.sub(r"^(?:the|how)\s+", "", match["aspect"]), prep, trimmed(tail))
    parts: list[Draft] = []
    for name in names:
        text = for_one(f"{head} ", name, tail)
        asked = text if re.match(r"^(?:how|what|when|where|which)\b", head, re.IGNORECASE) else what_is(statement(text))
        parts.append(Draft(text=how_is(asked, name), entity=name, aspect=_aspect(head, tail), topics=(name,)))
    return parts


def _over_things(line: Line, aspect: str = "") -> list[Draft]:
    """Compare what need not be names: `machine learning and deep learning in healthcare`."""
    text, mask = line.text, line.mask
    if lead := _LEAD.match(mask):
        text, mask = text[lead.end() :], mask[lead.end() :]
    prep = "of"
    if (
        not aspect
        and (of := _ASPECT_OF.match(mask))
        and _JOINT.search(mask, of.end())
        and not _JOINT.search(of["aspect"])
    ):
        aspect, prep = text[slice(*of.span("aspect"))], of["prep"].lower()
        prep = "of" if prep in {"between", "among"} else prep
        text, mask = text[of.end() :], mask[of.end() :]
    items = _items(text, mask)
    if len(items) < 2 or any(len(item.split()) > 12 for item in items):
        return []
    last, tail = _tail_cut(items[-1]) if not any(_TAIL.search(item) for item in items[:-1]) else (items[-1], "")
    if not last:
        return []
    return _grid([*items[:-1], last], aspect, prep, tail)


def _items(text: str, mask: str) -> list[str]:
    tail = _TAIL.search(mask)
    joints = list(_JOINT.finditer(mask))
    if tail and joints and tail.start() > joints[0].start():
        inner = [joint for joint in joints if joint.start() < tail.start()]
        between = any(_TAIL.search(mask[: joints[0].start()]) for _ in (0,))
        joints = joints if between else inner
    begin = 0
    spans: list[str] = []
    for joint in joints:
        spans.append(trimmed(text[begin : joint.start()]))
        begin = joint.end()
    spans.append(trimmed(text[begin:]))
    items = [re.sub(r"^(?:both|either|between)\s+", "", item) for item in spans]
    return [] if any(not item for item in items) else items


def _grid(things: Sequence[str], aspect: str, prep: str, tail: str) -> list[Draft]:
    """Return a part for each thing and aspect; a tail such as `in terms of speed and cost` names aspects, another restricts."""
    match = _TAIL.match(f" {tail}") if tail else None
    aspects = [aspect] if aspect else [""]
    if match and not aspect and (match["how"].lower() in _ASPECT_WORDS or match["how"].lower() in {"on", "in"}):
        pieces = [trimmed(piece) for piece in _ASPECT_JOINT.split(match["what"]) if trimmed(piece)]
        if match["how"].lower() in _ASPECT_WORDS:
            return [
                _one(thing, re.sub(r"^(?:the|their)\s+", "", piece), "of", "") for piece in pieces for thing in things
            ]
        return [_one(thing, "", "of", f"{match['how']} {piece}") for piece in pieces for thing in things]
    if aspect and not tail and not shares_head(_ASPECT_JOINT.split(aspect)):
        aspects = [trimmed(re.sub(r"^the\s+", "", piece)) for piece in _ASPECT_JOINT.split(aspect) if trimmed(piece)]
    return [_one(thing, each, prep, tail) for each in aspects for thing in things]


def _one(thing: str, aspect: str, prep: str, tail: str) -> Draft:
    rest = f" {tail}" if tail else ""
    if aspect:
        verb = (
            "are"
            if is_plural(aspect.split(" of ", maxsplit=1)[0].split(" for ", maxsplit=1)[0])
            or aspect.startswith("times ")
            else "is"
        )
        text = f"What {verb} the {re.sub(r'^the ', '', aspect)} {prep} {thing}{rest}?"
    elif tail:
        text = _with_tail(thing, tail)
        aspect = tail
    else:
        text = what_is(thing)
    return Draft(text=text, entity=thing, aspect=aspect, topics=(thing,))


def _with_tail(thing: str, tail: str) -> str:
    verb = "do" if is_plural(thing) else "does"
    if tail.lower().startswith(("on ", "at ", "across ", "under ", "when ")):
        return question(f"How {verb} {thing} perform {tail}")
    return question(f"What {'are' if verb == 'do' else 'is'} {thing} like {tail}")
