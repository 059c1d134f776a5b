"""Questions that lay two reports beside each other: each source with its own claim, then the comparison."""

import re

from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import Line
from scholarmind.planning.words import AUX, capital, question, statement, trimmed
from scholarmind.text.patterns import lazy_regex

_AUX = "|".join(sorted(AUX - {"be", "been", "being", "may"}))
_YES_NO = lazy_regex(rf"^(?P<aux>{_AUX})\s+", re.IGNORECASE)
_CONTRAST = lazy_regex(
    r",?\s+(?:while|whereas|in contrast to|as opposed to|compared (?:to|with)|in comparison (?:to|with)|unlike"
    r"|different(?:ly)? (?:from|than)|similar(?:ly)? to|"
    r"in (?:a|the) (?:similar|same) way (?:to how|as|that)|contrary to|but|than(?: that)?|versus|as(?=\sthe\s)"
    r"|(?:and|or) (?:do|does|did|is|are|was|were|has|have)|or does|or did|and|before|after|until)\s+",
    re.IGNORECASE,
)
_SOURCE = lazy_regex(
    r"\b(?:articles?|reports?|reported|reporting|stor(?:y|ies)|posts?|piece|coverage|blog|papers?|stud(?:y|ies)"
    r"|interview|review|guide|account|published|news)\b",
    re.IGNORECASE,
)
_BETWEEN = lazy_regex(r"\bbetween\s+(?=the\s|an?\s|[A-Z\ue000])", re.IGNORECASE)
_AND_THE = lazy_regex(
    r",?\s+(?:and|or)\s+(?:(?:the|a|an)\s+(?:subsequent |second |later |one|another )?|another\s|one\s|that\s"
    r"|its\s|on\s)|,?\s+(?:and|or)\s+(?=[A-Z\ue000])",
    re.IGNORECASE,
)
_ASKED = lazy_regex(rf",\s+(?=(?:{_AUX}|which|what|who|how)\b)", re.IGNORECASE)
_CHANGE = lazy_regex(
    r"^(?:is|was|were|are|has|have|did)\s+there\s+(?:been\s+)?(?:an?\s+|any\s+|no\s+)?(?:change|shift|consistency"
    r"|inconsistency|difference|contradiction|agreement)\s*(?:in|of|between|regarding|about)?\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AFTER = lazy_regex(r"^(?:after|before|following|since)\s+", re.IGNORECASE)
_VERB = lazy_regex(
    r"(?<=\s)(?P<verb>suggest|impl(?=ies)|indicate|report|claim|discuss|state|mention|attribute|show|focus"
    r"|describe|highlight|note|argue|detail|present|portray|emphasi[sz]e|say|"
    r"mention|provide|predict|explain|acknowledge|allege|recommend|feature|express|reveal|find|use|offer"
    r"|identif(?=ies)|announce)(?P<end>es|s|ies)(?=\s)",
    re.IGNORECASE,
)


def sources(line: Line) -> list[Draft]:
    """Return one part a source with its claim, and their comparison; or nothing."""
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    if len(cut.tokens) < 8 or not (_SOURCE.search(cut.mask) or len(re.findall(r"\ue000+", cut.mask)) > 1):
        return []
    for rule in (_between, _contrasted, _after):
        if len(found := rule(cut)) > 1:
            return [*found, Draft(text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))))]
    return []


def _between(line: Line) -> list[Draft]:
    """`Between the report from S and the report from T, was there a change in ...?`, or the same with the reports behind."""
    match = _BETWEEN.search(line.mask)
    if not match or not (match.start() == 0 or _YES_NO.match(line.mask)):
        return []
    asked = _ASKED.search(line.mask, match.end()) if match.start() == 0 else None
    end = asked.start() if asked else len(line.mask)
    joint = _middle(line.mask, match.end(), end)
    if joint is None or (match.start() == 0 and asked is None):
        return []
    query = line.text[asked.end() :] if asked else line.text[: match.start()]
    topic = trimmed(_CHANGE.sub("", query)) or "this"
    if not asked:
        topic = trimmed(re.sub(rf"^(?:{_AUX})\s+(?:there\s+)?", "", topic)) or topic
    spans = ((match.end(), joint.start()), (joint.start(), end))
    items = [trimmed(re.sub(r"^,?\s*(?:and|or)\s+", "", line.text[start:stop])) for start, stop in spans]
    return [
        Draft(text=question(f"What does {item} say about {topic}"), entity=item, aspect=topic, topics=(item,))
        for item in items
    ]


def _middle(mask: str, start: int, end: int) -> re.Match[str] | None:
    """Return the `and` between two sources: the one with a source on each side that is nearest to the middle."""
    joints = [
        match
        for match in _AND_THE.finditer(mask, start, end)
        if _SOURCE.search(mask, start, match.start()) or _named(mask[start : match.start()])
    ]
    sided = [match for match in joints if _SOURCE.search(mask, match.start(), end) or _named(mask[match.start() : end])]
    best = [match for match in sided if re.search(r"(?:the|a|an|another|one|that)\s", match[0])] or sided
    centre = (start + end) // 2
    return min(best, key=lambda match: abs(match.start() - centre), default=None)


def _named(text: str) -> bool:
    return bool(re.search(r"[A-Z\ue000]|\d", text))


def _contrasted(line: Line) -> list[Draft]:
    """`Does S suggest X, while T implies Y?`: each clause with its own source."""
    head = _YES_NO.match(line.mask)
    if not head:
        return []
    sides = [
        match
        for match in _CONTRAST.finditer(line.mask, head.end())
        if _named(line.mask[head.end() : match.start()]) and _named(line.mask[match.end() :])
    ]
    sides = [
        match
        for match in sides
        if len(line.mask[head.end() : match.start()].split()) >= 3 and len(line.mask[match.end() :].split()) >= 3
    ]
    if not sides:
        return []
    weak = re.compile(r",?\s+(?:and|but|before|after|until|than|as)\s+", re.IGNORECASE)
    strong = [match for match in sides if not weak.fullmatch(match[0])]
    if not strong:
        sides = [
            match
            for match in sides
            if _SOURCE.search(line.mask, match.end()) or not re.fullmatch(r",?\s+(?:and|as)\s+", match[0])
        ]
    if not (strong or sides):
        return []
    cut = (strong or sides)[0] if strong else min(sides, key=lambda match: abs(match.start() - len(line.mask) // 2))
    first, second = line.text[: cut.start()], trimmed(line.text[cut.end() :])
    return [Draft(text=question(first)), Draft(text=_claim(head["aux"], second))]


def _claim(aux: str, clause: str) -> str:
    """Return a clause as a question: `T implies Y` becomes `Does T imply Y?`."""
    if _YES_NO.match(clause):
        return question(clause)
    verb = _VERB.search(clause)
    if verb and aux.lower() in {"does", "do", "did"} and len(clause[: verb.start()].split()) <= 12:
        ending = "y" if verb["end"] == "ies" and verb["verb"].lower() in {"impl", "identif"} else ""
        base = verb["verb"] + (ending or ("e" if verb["end"] == "ies" else ""))
        start = clause[: verb.start()]
        start = start[:1].lower() + start[1:] if start.lower().startswith(("the ", "an ", "a ")) else start
        return question(f"{'Did' if aux.lower() == 'did' else 'Does'} {start}{base}{clause[verb.end() :]}")
    return (
        question(f"What about {clause}")
        if not re.search(r"\b(?:is|are|was|were|has|have|had|will|[a-z]+(?:ed|s))\b", clause)
        else question(capital(clause))
    )


def _after(line: Line) -> list[Draft]:
    """`After S reported X, did T report Y?`"""
    head = _AFTER.match(line.mask)
    asked = _ASKED.search(line.mask) if head else None
    if not head or not asked or not _named(line.mask[asked.end() :]):
        return []
    first = trimmed(line.text[head.end() : asked.start()])
    inner = re.search(r",?\s+and\s+(?:again\s+)?(?=(?:on|in|the|another)\s|[A-Z\ue000])", first)
    if inner and _SOURCE.search(first, inner.end()) is None and not re.match(r"on|in", first[inner.end() :]):
        inner = None
    if inner:
        pieces = (first[: inner.start()], first[inner.end() :])
        return [
            *(Draft(text=question(capital(trimmed(piece)))) for piece in pieces),
            Draft(text=question(line.text[asked.end() :])),
        ]
    return [Draft(text=question(capital(first))), Draft(text=question(line.text[asked.end() :]))]
