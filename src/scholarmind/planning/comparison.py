"""Questions that weigh things against each other: what must be found of each, in the user's words, and the question itself as its end.

`Compare the cost of A and B`, `Which is larger, A or B?`, `Are A and B both ...?`, `Does S say X, while T says Y?`, A和B有什么区别, A比B更快吗.
"""

import re
from collections.abc import Sequence
from itertools import product

from scholarmind.planning.coordination import Listing, for_one, listings
from scholarmind.planning.draft import Draft
from scholarmind.planning.protected import Line
from scholarmind.planning.words import (
    AUX,
    BE,
    FUNCTION,
    SINGULAR_AUX,
    WH,
    capital,
    is_chinese,
    is_plural,
    question,
    statement,
    trimmed,
    what_is,
)
from scholarmind.text.patterns import lazy_regex

_AUX = "|".join(sorted(AUX - {"be", "been", "being", "may"}))
_LONGEST_THING = 14  # words


def compare(line: Line) -> list[Draft]:
    """Return what must be found of each thing, and the comparison that waits for all of it; or nothing."""
    body = statement(line.text)
    cut = Line(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    rules = (_contrast_chinese, _choice_chinese) if is_chinese(cut.text) else (_weighed, _chosen, _both, _sources)
    for rule in rules:
        if len(found := rule(cut)) > 1:
            topics = tuple(dict.fromkeys(part.entity for part in found if part.entity))
            whole = Draft(
                text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))), topics=topics
            )
            return [*found, whole]
    return []


def _cells(things: Sequence[str], aspects: Sequence[str], tail: str, *, chinese: bool = False) -> list[Draft]:
    """Return a part for each thing and aspect: `the speed of A`, else `A` with what restricts it, else `What is A?`."""
    return [
        Draft(text=_cell(thing, aspect, tail, chinese), entity=thing, aspect=aspect or tail, topics=(thing,))
        for aspect, thing in product(aspects or [""], things)
    ]


def _cell(thing: str, aspect: str, tail: str, chinese: bool) -> str:
    if chinese:
        return f"{thing}{tail}{'的' if aspect else ''}{aspect}" if aspect or tail else f"{thing}是什么？"
    if aspect:
        return capital(f"{aspect} {'' if aspect.endswith(_PREPOSITION) else 'of '}{thing}{' ' + tail if tail else ''}")
    return capital(f"{thing} {tail}") if tail else what_is(thing)


# -- English: differences

_PREPOSITION = (" of", " for", " in", " by", " at", " to", " from", " on")
_FRAMES = (
    lazy_regex(r"^(?:compare and contrast|compare|contrast)\s+(?P<region>\S.*)$", re.IGNORECASE),
    lazy_regex(
        r"\b(?:differences?|similarit(?:y|ies)|distinctions?|trade-?offs?|comparisons?|contrasts?)(?: (?:and|or) [a-z]+)?"
        r"(?:\s+(?:in|of)\s+(?P<on>[^?,]{1,60}?))?\s+(?:between|among|of)\s+(?P<region>\S.*)$",
        re.IGNORECASE,
    ),
    lazy_regex(
        r"^how\s+(?:do|does|did|is|are)\s+(?P<region>\S.*?)\s+(?:differ|compare|vary|different)\b"
        r"(?:\s+(?:from|to|with)\s+(?P<other>(?!each|one)\S.*?))?(?P<tail>\s+(?:in|on|for|with|under|when|as|regarding)\s.*)?$",
        re.IGNORECASE,
    ),
    lazy_regex(r"\b(?:distinguish(?:es)?|sets?)\s+(?P<region>\S.*?)(?: apart)? from (?P<other>\S.*)$", re.IGNORECASE),
    lazy_regex(
        rf"^(?:(?:how|what) (?:is|are|do|does|about) |(?:which|what) is better[:,]? |explain |when to use |should (?:i|we) use )?"
        rf"(?P<region>(?!(?:{_AUX}|which|who|what|how)\b)\S.*?)\s(?:vs\.?|versus|compared (?:to|with)|in comparison (?:to|with))\s(?P<other>\S.*)$",
        re.IGNORECASE,
    ),
    lazy_regex(r"\b(?:advantages?|benefits?|drawbacks?|disadvantages?|improvements?)\s+of\s+(?P<region>[^,]{2,80}?)\s+over\s+(?P<other>\S[^,]*)$",
               re.IGNORECASE),
)  # fmt: skip
_THAN = lazy_regex(
    rf"^(?:how|why)?\s*(?:{_AUX})\s+(?P<region>\S[^,]*?)\s+(?P<what>(?:(?:perform|work|run|do|score)s? )?(?:significantly |much |any )?"
    r"(?:better|worse|more|less|fewer|(?!other|rather)[a-z]{2,}er)\b[^,?]{0,60}?)\s+than\s+(?P<other>\S.*)$",
    re.IGNORECASE,
)
_TAIL = lazy_regex(
    r",?\s+(?P<how>in terms of|with (?:respect|regard) to|regarding|concerning|based on|when it comes to|by|on|for|in|at|under|across|when|as)"
    r"\s+(?P<what>\S.*)$",
    re.IGNORECASE,
)
_NAMES_ASPECTS = lazy_regex(
    r"in terms of|with (?:respect|regard) to|regarding|concerning|based on|when it comes to|by", re.IGNORECASE
)
_SPLIT = lazy_regex(
    r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus|with|to|against|from)\s+(?:(?:that|those) of\s+)?",
    re.IGNORECASE,
)
_ASPECT_OF = lazy_regex(r"^(?:the\s+)?(?P<aspect>[^,]{2,80}?)\s+(?P<preposition>of|between|among|for|by|at|in)\s+(?:both\s+|the two\s+)?(?P<thing>\S.*)$",
                        re.IGNORECASE)  # fmt: skip
_ASPECT_OF_NAME = lazy_regex(
    r"^(?:the\s+)?(?P<aspect>[^,A-Z\d\ue000]{2,80})\s+(?P<preposition>of|between|among|for|by|at|in)\s+(?:both\s+|the two\s+)?(?P<thing>(?:the )?[A-Z\d\ue000].*)$"
)
_THAT_OF = lazy_regex(r"^(?:that|those) (?:of|for|in)\s+", re.IGNORECASE)
_INTRODUCED = lazy_regex(r"^(?:the\s+)?(?:following\s+)?(?:[a-z\-]+\s+){0,3}?[a-z\-]+:\s*", re.IGNORECASE)


def _weighed(line: Line) -> list[Draft]:
    """Read a question for differences: `Compare ...`, `the difference between ...`, `How does A differ from B?`, `A vs B`."""
    for frame in _FRAMES:
        if match := frame.search(line.mask):
            groups = match.groupdict()
            region = Line(line.text[slice(*match.span("region"))], match["region"])
            other = line.text[slice(*match.span("other"))] if groups.get("other") else ""
            tail = trimmed(line.text[slice(*match.span("tail"))]) if groups.get("tail") else ""
            on = line.text[slice(*match.span("on"))] if groups.get("on") else ""
            return _of_region(region, other, tail, on)
    match = _THAN.match(line.mask)
    if not match or re.match(r"(?:there|it|this|that|they)\b", match["region"], re.IGNORECASE):
        return []
    region, other = (line.text[slice(*match.span(name))] for name in ("region", "other"))
    other, tail = _without_tail(other)
    return _cells([trimmed(region), other], [], tail) if _is_thing(region) and _is_thing(other) else []


def _of_region(region: Line, other: str, tail: str, on: str) -> list[Draft]:
    """Return the cells for what stands between the words of comparison."""
    if lead := _INTRODUCED.match(region.mask):
        region = Line(region.text[lead.end() :], region.mask[lead.end() :])
    if re.match(r"(?:how|what|which|whether)\b", region.mask, re.IGNORECASE):  # Compare how A and B are trained
        found = listings(region)
        return [
            Draft(
                text=capital(for_one(region.text[: one.start], item, region.text[one.end :])),
                entity=item,
                topics=(item,),
            )
            for one in found[:1]
            for item in one.items
        ]
    joint = None if other or tail else _SPLIT.search(region.mask)
    behind = _TAIL.search(region.mask, joint.end()) if joint else None
    if joint and behind and not _TAIL.search(region.mask[: joint.start()]):
        tail = trimmed(region.text[behind.start() :])
        region = Line(region.text[: behind.start()], region.mask[: behind.start()])
    things, aspects = _grid(region)
    if (of_both := _THAT_OF.match(other)) and (owned := _ASPECT_OF.match(region.text)):
        things, aspects, other = [trimmed(owned["thing"])], [owned["aspect"]], other[of_both.end() :]
    if other:
        last, rest = _without_tail(other) if not tail else (trimmed(other), "")
        things, tail = [*things, *_grid(Line(last, last))[0]], tail or rest
    elif not tail and things and not any(_TAIL.search(thing) for thing in things[:-1]):
        things[-1], tail = _without_tail(things[-1])
    if len(things) < 2 or not all(map(_is_thing, things)):
        return []
    named = _TAIL.match(f" {tail}") if tail else None
    if named and not aspects and _NAMES_ASPECTS.fullmatch(named["how"]):
        aspects, tail = (
            [re.sub(r"^(?:the|their) ", "", each) for each in _pieces(Line(named["what"], named["what"]))],
            "",
        )
    elif (
        named
        and not aspects
        and named["how"].lower() in {"on", "in"}
        and len(each := _pieces(Line(named["what"], named["what"]))) > 1
    ):
        return [part for piece in each for part in _cells(things, [], f"{named['how']} {piece}")]
    return _cells(things, aspects or ([re.sub(r"^the ", "", on)] if on else []), tail)


def _grid(region: Line) -> tuple[list[str], list[str]]:
    """Return the things and the aspects of `the cost, speed and accuracy of A, B and C`."""
    pieces = _pieces(region)
    for place, piece in enumerate(pieces):
        owned = _ASPECT_OF_NAME.match(piece) or _ASPECT_OF.match(piece)
        if owned is None or piece[:1].isupper() or place + 1 == len(pieces) or not _is_plain(owned["aspect"]):
            continue
        if any(_ASPECT_OF.match(later) and _is_plain(_ASPECT_OF.match(later)["aspect"]) and not later[:1].isupper()  # type: ignore[index]
               for later in pieces[place + 1 :] if " of " in later):  # fmt: skip
            break  # the size of A and the depth of B: each is whole
        preposition = "" if owned["preposition"].lower() in {"of", "between", "among"} else f" {owned['preposition']}"
        before = [re.sub(r"^the ", "", each) for each in pieces[:place]]
        return [trimmed(owned["thing"]), *pieces[place + 1 :]], [
            *(f"{each}{preposition}" for each in before),
            f"{owned['aspect']}{preposition}",
        ]
    return pieces, []


def _pieces(region: Line) -> list[str]:
    begin, found = 0, list[str]()
    for joint in _SPLIT.finditer(region.mask):
        found.append(region.piece(begin, joint.start()))
        begin = joint.end()
    found.append(region.piece(begin))
    return [re.sub(r"^(?:both|either|between)\s+", "", each) for each in found if each]


def _is_plain(text: str) -> bool:
    return not any(character.isupper() or character.isdigit() for character in text)


def _is_thing(text: str) -> bool:
    words = text.lower().split()
    return (
        0 < len(words) <= _LONGEST_THING
        and bool(set(words) - FUNCTION)
        and not set(words) & (WH | {"is", "are", "was", "were"})
    )


def _without_tail(text: str) -> tuple[str, str]:
    match = _TAIL.search(text)
    return (trimmed(text[: match.start()]), trimmed(match[0])) if match and match.start() > 0 else (trimmed(text), "")


# -- English: choices, and what is true of both

_WHO = lazy_regex(rf"^(?:which|who|what|whose)\b(?P<noun>(?:\s+(?!(?:{_AUX})\b)[^\s,]+){{0,4}}?)\s+(?P<rest>(?:{_AUX}|[a-z]+(?:s|ed)|had|came|won)\b.*)$",
                  re.IGNORECASE)  # fmt: skip
_WHO_IS = lazy_regex(
    rf"^(?:which|who|what|whose)\b(?P<noun>(?:\s+(?!(?:{_AUX})\b)[^\s,]+){{0,7}}?)\s+(?P<rest>(?:{_AUX})\b.*)$",
    re.IGNORECASE,
)
_LINK = lazy_regex(r"[,:;\-–]?\s*(?:(?:is it )?(?:between|of|out of|among|for|in)(?: the)?)?\s*$", re.IGNORECASE)
_PLAIN_CHOICE = lazy_regex(
    r"[,:]\s+(?P<a>(?:an? |the )?[^\s,]+(?: [^\s,]+){0,4}?),? or (?P<b>(?:an? |the )?[^\s,]+(?: [^\s,]+){0,5})$",
    re.IGNORECASE,
)
_TIME = lazy_regex(
    r"\s*\b(?:the\s+)?(?:first|earlier|later|earliest|latest|last|sooner|more recently|most recently)\b(?:\s+to\b)?",
    re.IGNORECASE,
)
_MORE = lazy_regex(
    r"\b(?:the\s+)?(?P<word>more|most|fewer|fewest|less|least)\s+(?P<noun>[a-z\-]+(?: [a-z\-]+)?)", re.IGNORECASE
)
_ADJECTIVE = lazy_regex(
    r"\b(?:the\s+)?(?P<word>(?!other|rather|over|under|after|number|per\b)[a-z]{3,}(?:er|est)|better|best|worse|worst)\b",
    re.IGNORECASE,
)
_IRREGULAR = {"better": "good", "best": "good", "worse": "good", "worst": "good", "younger": "old", "youngest": "old", "later": "late", "latest": "late",
              "farther": "far", "further": "far", "elder": "old", "eldest": "old"}  # fmt: skip
_SAME = lazy_regex(
    r"\b(?:the same|a common|the identical) (?P<noun>[a-z]+(?: (?!as\b|for\b|in\b|at\b|of\b|on\b)[a-z]+)?)(?: as)?\b",
    re.IGNORECASE,
)
_IN_COMMON = lazy_regex(r"\bin common\b|\bshare\b", re.IGNORECASE)


def _chosen(line: Line) -> list[Draft]:
    """Read `Which is larger, A or B?`, `Which of A and B came first?`, `Is A or B better for X?`."""
    found = [one for one in listings(line) if one.joint == "or"] or [
        one
        for one in listings(line)
        if re.search(r"\b(?:between|of|among)\s+(?:the\s+)?$", line.mask[: one.start], re.IGNORECASE)
    ]
    found = [one for one in found if one.named]
    plain = _PLAIN_CHOICE.search(line.mask)
    if plain and not found and line.mask.split(" ", 1)[0].lower() in WH:
        items = tuple(line.text[slice(*plain.span(side))] for side in "ab")
        found = [Listing(items=items, start=plain.start("a"), end=plain.end("b"), joint="or", named=True)]
    if not found:
        return []
    listing = found[-1]
    before, after = trimmed(_LINK.sub("", line.text[: listing.start])), trimmed(line.text[listing.end :])
    rest = _predicate(before, after, listing)
    if not rest:
        return []
    return [Draft(text=_found_of(rest, item), entity=item, aspect=rest, topics=(item,)) for item in listing.items]


def _predicate(before: str, after: str, listing: Listing) -> str:
    """Return what is said of the one that is chosen: `is larger`, `was published first`."""
    weighs = (
        _ADJECTIVE.search(f"{before} {after}") or _TIME.search(f"{before} {after}") or _MORE.search(f"{before} {after}")
    )
    first = before.split(" ", 1)[0].lower()
    if first in AUX and listing.joint == "or" and len(before.split()) == 1:
        return f"{before.lower()} {after}" if weighs or after else ""
    for text in (f"{before} {after}" if before.lower() in WH else before, after):
        if match := _WHO_IS.match(text) or _WHO.match(text):
            rest = text[match.start("rest") :]
            behind = f" {after}" if text == before and after else ""
            return rest + behind if listing.joint == "or" or weighs else ""
    return ""


def _found_of(rest: str, item: str) -> str:
    """Return what must be known of one thing for a choice: `How large is A?`, `When was A published?`, `How many layers A has`."""
    verb, _, said = rest.partition(" ")
    if verb.lower() not in AUX:
        verb, said = "", rest
    verb = SINGULAR_AUX.get(verb.lower(), verb.lower()) if not is_plural(item) else verb.lower()
    match = _MORE.search(said)
    if match and said[: match.start()].endswith((" a ", "a ")):
        return f"{capital(item)}: {rest}"  # a more diverse career
    if match:
        noun = match["noun"]
        left = trimmed(said[: match.start()] + said[match.end() :])
        if verb in BE and not is_plural(noun.split()[-1]):  # is more accurate
            return question(
                f"How {noun.split()[0]} {verb} {item} {trimmed(said[match.end() - len(noun) + len(noun.split()[0]) :])}"
            )
        count = "many" if is_plural(noun) or is_plural(noun.split()[0]) else "much"
        return capital(f"how {count} {noun} {item} {verb} {left}".strip()).replace("  ", " ")
    if match := _TIME.search(said):
        left = trimmed(said[: match.start()] + said[match.end() :])
        if match[0].endswith(" to"):
            return question(f"When did {item} {left}")
        return question(f"When {verb} {item} {left}") if verb else capital(f"when {item} {left}")
    if (match := _ADJECTIVE.search(said)) and verb in BE:
        return question(
            f"How {_plain_form(match['word'])} {verb} {item} {trimmed(said[: match.start()] + said[match.end() :])}"
        )
    return question(f"{capital(verb)} {item} {said}") if verb else capital(f"whether {item} {said}")


def _plain_form(word: str) -> str:
    """Return the adjective of a comparative: `larger` - `large`, `bigger` - `big`, `heavier` - `heavy`."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    stem = re.sub(r"(?:er|est)$", "", word)
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in "gtnmd":
        return stem[:-1]
    return (
        stem + "e"
        if re.search(r"(?:rg|[aeiou]s|[^aeiou]l|[aeiou]f|[aeiou]t|[aeiou]r|mpl|[aeiou]v|nc|ng)$", stem)
        and stem not in _WHOLE
        else stem
    )


_WHOLE = frozenset(
    "great sweet strong long young fat near dear clear poor old cool full small tall soft deep cheap clean short smart dark light fast".split()
)


def _both(line: Line) -> list[Draft]:
    """Read `Are A and B both masked language models?`, `Do A and B use the same pattern?`, `What do A and B have in common?`."""
    first = line.mask.split(" ", 1)[0].lower()
    found = [one for one in listings(line) if one.named and one.joint in {"and", "&"}]
    if not found:
        return []
    listing = found[0]
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if _IN_COMMON.search(tail) and first in WH:
        noun = re.match(r"^(?:what|which) (?P<noun>[a-z]+) ", head, re.IGNORECASE)
        texts = [
            f"Which {noun['noun']} {item} has" if noun and noun["noun"].lower() not in AUX else what_is(item)
            for item in listing.items
        ]
        return [Draft(text=text, entity=item, topics=(item,)) for text, item in zip(texts, listing.items, strict=True)]
    if first not in AUX or len(head.split()) > 7:
        return []
    return [
        Draft(text=_true_of(head, item, tail), entity=item, aspect=trimmed(tail), topics=(item,))
        for item in listing.items
    ]


def _true_of(head: str, item: str, tail: str) -> str:
    """Return the question about one of two that something is true of, or that are the same in something."""
    head = re.sub(r"\b(?:both|the two)\b\s*(?:of\s+)?(?:the\s+)?", "", head)
    tail = re.sub(r"\b(?:both|each)\s+", "", tail)
    verb = head.split(" ", 1)[0].lower()
    single = SINGULAR_AUX.get(verb, verb) if not is_plural(item) else verb
    noun = " ".join(_singular(word) if is_plural(word) else word for word in head.split()[1:])  # director of film
    if same := _SAME.search(tail):
        before, after = trimmed(tail[: same.start()]), trimmed(tail[same.end() :])
        if verb in BE and is_plural(before.split(" ", 1)[0]):
            before = before.partition(" ")[2]  # airports in the same state
        return question(" ".join(f"Which {same['noun']} {single} {noun} {item} {before} {after}".split()))
    last = tail.rpartition(" ")[2]
    if (
        verb in {"are", "were"}
        and not noun
        and is_plural(last)
        and not re.search(r"\b(?:in|of|at|by|from|on|for|with)\b", tail)
    ):
        said = f"{trimmed(tail)[: -len(last)]}{_singular(last)}"
        article = "" if re.match(r"(?:an?|the)\b", said) else "an " if said[:1].lower() in "aeiou" else "a "
        tail = f" {article}{said}"
    return question(for_one(head, item, tail))


def _singular(noun: str) -> str:
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-2] if re.search(r"(?:ss|x|ch|sh)es$", noun) else noun[:-1]


# -- English: what two sources say

_YES_NO = lazy_regex(rf"^(?:{_AUX})\s+", re.IGNORECASE)
_CONTRAST = lazy_regex(
    r",?\s+(?:while|whereas|in contrast to|as opposed to|contrary to|unlike|in comparison (?:to|with)|compared (?:to|with)|different(?:ly)? from"
    r"|similar(?:ly)? to|in (?:a|the) (?:similar|same) way (?:to how|as|that)|,\s+(?:and|or) (?=(?:do|does|did|is|are|was|were|has|have)\b))\s*",
    re.IGNORECASE,
)
_BETWEEN = lazy_regex(
    rf"^between\s+(?P<list>.+),\s+(?P<asked>(?:{_AUX}|which|what|who|how)\b.+)$|^(?P<before>(?:{_AUX})\b.+?)\s+between\s+(?P<behind>.+)$",
    re.IGNORECASE,
)
_AND = lazy_regex(r",?\s+and\s+(?=(?:the|a|an|another|one|that|its|on)\s|[A-Z\ue000])", re.IGNORECASE)
_AFTER = lazy_regex(
    rf"^(?:after|before|following|since|given(?: that)?|considering)\s+(?P<first>.+?),\s+(?P<asked>(?:{_AUX})\s.+)$",
    re.IGNORECASE,
)
_FEWEST = 3  # words of what a source says


def _sources(line: Line) -> list[Draft]:
    """Read what lays two accounts side by side: each with what it says, as the question puts it."""
    if match := _BETWEEN.match(line.mask):
        return _between(line, match)
    if match := _AFTER.match(line.mask):
        texts = [capital(line.text[slice(*match.span("first"))]), question(line.text[slice(*match.span("asked"))])]
        return [Draft(text=text) for text in texts] if _says_much(match["first"]) else []
    if not _YES_NO.match(line.mask):
        return []
    for match in _CONTRAST.finditer(line.mask):
        first, second = line.text[: match.start()], trimmed(line.text[match.end() :])
        if _says_much(line.mask[: match.start()]) and _says_much(line.mask[match.end() :]):
            return [
                Draft(text=question(first)),
                Draft(text=question(second) if _YES_NO.match(second) else capital(second)),
            ]
    return []


def _between(line: Line, match: re.Match[str]) -> list[Draft]:
    name, asked = ("list", "asked") if match["list"] else ("behind", "before")
    start, end = match.span(name)
    joints = [
        joint
        for joint in _AND.finditer(line.mask, start, end)
        if _says_name(line.mask[start : joint.start()]) and _says_name(line.mask[joint.end() : end])
    ]
    if not joints:
        return []
    middle = min(joints, key=lambda joint: abs(joint.start() - (start + end) // 2))
    things = (line.piece(start, middle.start()), line.piece(middle.end(), end))
    what = question(line.text[slice(*match.span(asked))])
    return [Draft(text=f"{capital(thing)}: {what}", entity=thing, topics=(thing,)) for thing in things]


def _says_much(text: str) -> bool:
    return len(text.split()) >= _FEWEST and _says_name(text)


def _says_name(text: str) -> bool:
    return bool(re.search(r"[A-Z\ue000\d]", text[1:]) or text[:1] == "\ue000")


# -- Chinese

_ORDER = lazy_regex(
    r"^(?:请|帮我)?(?:简要|详细|分别)?(?:比较|对比|对照|区分|说明|分析|解释|讨论|谈谈|阐述|总结)(?:一下|说明|分析)?"
)
_DIFFERENCE = r"(?:(?:主要|本质|具体|关键|各自)?(?:的)?(?:区别|差异|差别|异同|不同(?:之处|点)?|相同(?:之处|点)?|共同点|优劣|优缺点|联系|分歧|相似之处)(?:与|和|及|以及)?){1,3}"
_ENDING = lazy_regex(
    rf"(?:之间|两者|二者|这两[个种者]?)?(?:的|存在|有)*(?:什么|哪些|何|怎样的|多大)?(?:的)?{_DIFFERENCE}(?:是?什么|是?有?哪些|在哪里?|如何|怎么样|有多大)?(?:呢|吗)?$"
    r"|(?:之间)?(?:相比|比较起来)?(?:如何|怎么样|怎样)?$"
)
_SIDES = lazy_regex(
    r"^(?P<a>[^，,。；？]{1,30}?)(?:相比于?|相较于?|比起|与[^，]{0,2}相比|较之)(?P<b>[^，,。；？有的更]{1,24}?)[，,]?(?P<tail>(?:有|的|更|在|存在|具有).*)$"
)
_THAN_CHINESE = lazy_regex(
    r"^(?P<a>[^，,。；？]{1,30}?)比(?P<b>[^，,。；？]{1,24}?)(?P<more>更|还|要)(?P<tail>.{1,16}?)(?:吗|么)?$"
)
_WHERE = lazy_regex(r"^在(?P<what>[^，。；？]{1,30}?)(?:上|方面|中|里|时|领域)(?P<rest>.*)$")
_PICK = lazy_regex(
    r"^(?P<where>[^哪谁]{0,30}?)[，,]?(?P<pick>(?:哪一?(?:个|家|种|款|部|座|位|篇|项|所|支|者|国|省|市)?|谁|何者)(?:的)?(?P<noun>[^更最较先早晚]{0,12}?))(?P<more>(?:更|最|较|先|早|晚|比较).{0,16}?)$"
)
_ALL = lazy_regex(r"^(?P<said>(?:都|均|皆|是否都?|是不是都?).{1,40}?)(?:吗|么)?$")


def _contrast_chinese(line: Line) -> list[Draft]:
    """Read 比较A和B的X, A和B在X上有什么区别, A相比B有哪些优势, A比B更快吗."""
    for frame in (_SIDES, _THAN_CHINESE):
        if match := frame.match(line.mask):
            things = [trimmed(line.text[slice(*match.span(side))]) for side in "ab"]
            quality = f"（{trimmed(line.text[slice(*match.span('tail'))])}）" if frame is _THAN_CHINESE else ""
            return [
                Draft(text=f"{thing}{quality}" if quality else what_is(thing), entity=thing, topics=(thing,))
                for thing in things
            ]
    order = _ORDER.match(line.mask)
    ending = _ENDING.search(line.mask)
    weighs = re.search(_DIFFERENCE, line.mask) or (order and re.search(r"比|对照|区分", order[0]))
    if not weighs or not ending:
        return []
    found = listings(line)
    if not found or found[0].end > (ending.start() if ending[0] else len(line.mask)):
        return []
    listing = found[0]
    head = line.text[order.end() if order and order.end() <= listing.start else 0 : listing.start]
    tail = line.text[listing.end : ending.start()] if ending[0] else line.text[listing.end :]
    aspects: list[str] = []
    owner = head.removesuffix("的")
    if where := _WHERE.match(tail):
        aspects = _split_chinese(where["what"]) if not where["rest"] and not where["what"][:1].isascii() else []
        tail = "" if aspects else tail
    elif tail.startswith("的"):
        aspects, tail = _split_chinese(tail[1:]), ""
    if head.endswith("的"):  # 提示工程的优点和缺点: aspects of one thing
        return [
            Draft(text=f"{owner}的{item}{tail}", entity=owner, aspect=item, topics=(owner,)) for item in listing.items
        ]
    return [
        Draft(text=f"{head}{_cell(thing, aspect, tail, True)}", entity=thing, aspect=aspect or tail, topics=(thing,))
        for aspect, thing in product(aspects or [""], listing.items)
    ]


def _split_chinese(text: str) -> list[str]:
    return [trimmed(piece) for piece in re.split(r"、|以及|和(?![平谐])|与|及", text) if trimmed(piece)]


def _choice_chinese(line: Line) -> list[Draft]:
    """Read A和B哪个更大, A和B谁先发表, A和B都是X吗."""
    found = listings(line)
    if not found:
        return []
    listing = found[0]
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if every := _ALL.match(tail):
        if not line.mask.endswith(("吗", "么")) and "是否" not in tail and "是不是" not in tail:
            return []
        said = re.sub(r"^(?:是否|是不是)?(?:都|均|皆)?", "", every["said"])
        said = re.sub(r"(?:同一|相同的?)[个家种所座]?", "哪个", said)
        end = "？" if "哪个" in said else "吗？"
        return [
            Draft(text=f"{head}{item}{said}{end}", entity=item, aspect=said, topics=(item,)) for item in listing.items
        ]
    pick = _PICK.match(tail)
    if not pick:
        return []
    where = tail[slice(*pick.span("where"))].lstrip("的中里当之间，,")
    return [
        Draft(text=_of_one_chinese(head, item, where, pick), entity=item, aspect=where + pick["more"], topics=(item,))
        for item in listing.items
    ]


def _of_one_chinese(head: str, item: str, where: str, pick: re.Match[str]) -> str:
    noun, more = pick["noun"].strip("的"), pick["more"]
    said = re.sub(r"^(?:更|最|较|比较)", "", more)
    subject = f"{head}{item}{where}"
    if re.match(r"[先早晚]", said):
        return f"{subject}是什么时候{said.lstrip('先早晚地').strip('的') or '出现'}的？"
    if noun:
        return f"{subject}的{noun}有多{said}？"
    return f"{subject}有多{said}？" if len(said) <= 2 else f"{subject}是否{said}？"
