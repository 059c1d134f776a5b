"""Comparisons and effects: what must be found of each side, in the user's words, and the question itself as the end of it.

`Compare the cost of A and B`, `Which is larger, A or B?`, `Are A and B both ...?`, `Does S say X, while T says Y?`, A和B有什么区别;
`How does X affect Y?`, `the relation between X and Y`, X对Y有什么影响.
"""

import re
from collections.abc import Sequence
from itertools import product

from scholarmind import languages
from scholarmind.languages import language, pattern
from scholarmind.planning.decomposition.clause_rewriting import in_front
from scholarmind.planning.decomposition.coordination import Enumeration, for_one, listings, put, with_shared_head
from scholarmind.planning.drafts import PartDraft
from scholarmind.planning.question_words import (
    AUX,
    BE,
    CHINESE_QUESTION,
    FUNCTION,
    SINGULAR_AUX,
    WH,
    MaskedLine,
    capital,
    is_chinese,
    is_plural,
    question,
    statement,
    trimmed,
    what_is,
)
from scholarmind.text.language import lazy_regex

# -- comparisons

_LONGEST_THING = 14  # words
_VERB = 4  # characters by which a verb in front gets shorter, at most
_LEGAL_FORM = re.compile(r"(?:Inc|Ltd|Co|Corp|LLC|PLC|Jr|Sr)\.?")


def compare(line: MaskedLine) -> list[PartDraft]:
    """Return what must be found of each thing, and the comparison that waits for all of it; or nothing."""
    body = statement(line.text)
    cut = MaskedLine(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    rules = (_contrast_chinese, _choice_chinese) if is_chinese(cut.text) else (_weighed, _chosen, _both, _sources)
    for rule in rules:
        if len(found := rule(cut)) > 1:
            topics = tuple(dict.fromkeys(part.entity for part in found if part.entity))
            whole = PartDraft(
                text=line.text, role="compare", kind="reasoning", after=tuple(range(len(found))), topics=topics
            )
            return [*found, whole]
    return []


def led(line: MaskedLine) -> tuple[list[PartDraft], str]:
    """Return the things and what is asked of each: `Compare A with B: what did each cost, and who made it?`; or nothing."""
    match = languages.of(line.text).pattern("comparison.led").match(line.mask)
    if match is None:
        return [], ""
    order = slice(*match.span("order"))
    things = [part for part in compare(MaskedLine(line.text[order], line.mask[order])) if part.entity]
    return things, line.text[slice(*match.span("asked"))]


def asked_of(asked: str, thing: PartDraft) -> str:
    """Return what is asked of each of several things as asked of one, which stands in the place of the words that mean it."""
    words, name, at = languages.of(asked).pattern("comparison.each_thing"), _called(thing), 0
    for _ in words.findall(asked):
        match = words.search(asked, at)
        if match is None:
            break
        before, behind = asked[: match.start()], asked[match.end() :]
        if is_chinese(asked):
            asked = f"{before}{name}{'的' if match['owner'] else ''}{behind}"
        else:
            asked = f"{before}{name}'s{behind}" if match["owner"] else put(before, name, behind)
        at = asked.index(name, max(0, match.start() - _VERB)) + len(name)  # the name itself may have such a word in it
    return asked


def side_by_side(asked: Sequence[Sequence[PartDraft]], things: Sequence[PartDraft], whole: str) -> list[PartDraft]:
    """Return what is asked of each thing, question by question, and the comparison of all."""
    cells = [
        PartDraft(
            text=_naming(one.text, thing),
            entity=thing.entity,
            aspect=statement(one.text.replace(_called(thing), "…")),
            topics=(thing.entity,),
            group=number,
        )
        for number, row in enumerate(zip(*asked, strict=True), 1)
        for one, thing in zip(row, things, strict=True)
    ]
    names = tuple(dict.fromkeys(thing.entity for thing in things))
    after = tuple(range(len(cells)))
    return [*cells, PartDraft(text=whole, role="compare", kind="reasoning", after=after, topics=names)]


def _called(thing: PartDraft) -> str:
    text = statement(thing.text) if thing.aspect else thing.entity
    if is_chinese(text) or not thing.aspect:
        return text
    return f"{'the ' if ' of ' in text else ''}{text[:1].lower()}{text[1:]}"


def _naming(asked: str, thing: PartDraft) -> str:
    """Return a question that names a thing, behind or before it where it does not yet."""
    name = _called(thing)
    if name in asked:
        return asked
    return question(f"{in_front(name, asked)}{asked}" if is_chinese(asked) else f"{statement(asked)} ({name})")


def _cells(things: Sequence[str], aspects: Sequence[str], tail: str, *, chinese: bool = False) -> list[PartDraft]:
    """Return a part for each thing and aspect: `the speed of A`, else `A` with what restricts it, else `What is A?`."""
    return [
        PartDraft(text=_cell(thing, aspect, tail, chinese), entity=thing, aspect=aspect or tail, topics=(thing,))
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

_FRAMES = tuple(
    pattern("en", f"comparison.frame_{name}") for name in ("order", "between", "differ", "apart", "versus", "advantage")
)

_DIFFER = _FRAMES[2]
_TAIL = pattern("en", "comparison.tail")
_NAMES_ASPECTS = pattern("en", "comparison.names_aspects")
_SPLIT = pattern("en", "comparison.split")
_ASPECT_OF = pattern("en", "comparison.aspect_of")
_ASPECT_OF_NAME = pattern("en", "comparison.aspect_of_name")
_THAT_OF = pattern("en", "comparison.that_of")
_INTRODUCED = pattern("en", "comparison.introduced")


def _weighed(line: MaskedLine) -> list[PartDraft]:
    """Read a question for differences: `Compare ...`, `the difference between ...`, `How does A differ from B?`, `A vs B`."""
    for frame in _FRAMES:
        if match := frame.search(line.mask):
            groups = match.groupdict()
            mask = match["region"]
            # oak and beech with deep roots differ: `with` parts no things there
            if frame is _DIFFER and " and " in mask:
                mask = re.sub(r"\s(?:with|to|from|against)\s", lambda found: "_" * len(found[0]), mask)
            region = MaskedLine(line.text[slice(*match.span("region"))], mask)
            other = line.text[slice(*match.span("other"))] if groups.get("other") else ""
            tail = trimmed(line.text[slice(*match.span("tail"))]) if groups.get("tail") else ""
            on = line.text[slice(*match.span("on"))] if groups.get("on") else ""
            return _of_region(region, other, tail, on)
    return []


def _of_region(region: MaskedLine, other: str, tail: str, on: str) -> list[PartDraft]:
    """Return the cells for what stands between the words of comparison."""
    if lead := _INTRODUCED.match(region.mask):
        region = MaskedLine(region.text[lead.end() :], region.mask[lead.end() :])
    if re.match(r"(?:how|what|which|whether)\b", region.mask, re.IGNORECASE):  # Compare how A and B are trained
        found = listings(region)
        return [
            PartDraft(
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
        region = MaskedLine(region.text[: behind.start()], region.mask[: behind.start()])
    things, aspects = _grid(region)
    if (of_both := _THAT_OF.match(other)) and (owned := _ASPECT_OF.match(region.text)):
        things, aspects, other = [trimmed(owned["thing"])], [owned["aspect"]], other[of_both.end() :]
    if other:
        last, rest = _without_tail(other) if not tail else (trimmed(other), "")
        things, tail = [*things, *_grid(MaskedLine(last, last))[0]], tail or rest
    elif not tail and things and not any(_TAIL.search(thing) for thing in things[:-1]):
        things[-1], tail = _without_tail(things[-1])
    if len(things) < 2 or not all(map(_is_thing, things)):
        return []
    things = list(with_shared_head(things))
    named = _TAIL.match(f" {tail}") if tail else None
    if named and named["what"].split()[0].lower() in WH:
        return []  # differ in how fast they turn
    if named and not aspects and _NAMES_ASPECTS.fullmatch(named["how"]):
        aspects, tail = (
            [re.sub(r"^(?:the|their) ", "", each) for each in _pieces(MaskedLine(named["what"], named["what"]))],
            "",
        )
    elif (
        named
        and not aspects
        and named["how"].lower() in {"on", "in"}
        and len(each := _pieces(MaskedLine(named["what"], named["what"]))) > 1
    ):
        pieces = (piece.removeprefix(f"{named['how']} ") for piece in each)  # in growth and in height
        return [part for piece in pieces for part in _cells(things, [], f"{named['how']} {piece}")]
    return _cells(things, aspects or ([re.sub(r"^the ", "", on)] if on else []), tail)


def _grid(region: MaskedLine) -> tuple[list[str], list[str]]:
    """Return the things and the aspects of `the cost, speed and accuracy of A, B and C`."""
    pieces = _pieces(region)
    for place, piece in enumerate(pieces):
        owned = _ASPECT_OF_NAME.match(piece) or _ASPECT_OF.match(piece)
        if owned is None or piece[:1].isupper() or place + 1 == len(pieces) or not _is_plain(owned["aspect"]):
            continue
        if any(_ASPECT_OF.match(later) and _is_plain(_ASPECT_OF.match(later)["aspect"]) and not later[:1].isupper()  # type: ignore[index]
               for later in pieces[place + 1 :] if f" {owned['preposition']} " in later):  # fmt: skip
            break  # the size of A and the depth of B: each is whole
        preposition = "" if owned["preposition"].lower() in {"of", "between", "among"} else f" {owned['preposition']}"
        before = [re.sub(r"^the ", "", each) for each in pieces[:place]]
        return [trimmed(owned["thing"]), *pieces[place + 1 :]], [
            *(f"{each}{preposition}" for each in before),
            f"{owned['aspect']}{preposition}",
        ]
    return pieces, []


def _pieces(region: MaskedLine) -> list[str]:
    begin, found = 0, list[str]()
    for joint in _SPLIT.finditer(region.mask):
        found.append(region.piece(begin, joint.start()))
        begin = joint.end()
    found.append(region.piece(begin))
    for place in reversed(range(1, len(found))):
        if _LEGAL_FORM.fullmatch(found[place]):  # Soil Systems, Inc.
            found[place - 1 : place + 1] = [f"{found[place - 1]}, {found[place]}"]
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

_WHO = pattern("en", "comparison.who")

_WHO_IS = pattern("en", "comparison.who_is")
_LED_TO = pattern("en", "comparison.led_to")
_LINK = pattern("en", "comparison.link")
_PLAIN_CHOICE = pattern("en", "comparison.plain_choice")
_TIME = pattern("en", "comparison.time")
_MORE = pattern("en", "comparison.more")
_ADJECTIVE = pattern("en", "comparison.adjective")
_SAME = pattern("en", "comparison.same")
_IN_COMMON = pattern("en", "comparison.in_common")


def _chosen(line: MaskedLine) -> list[PartDraft]:
    """Read `Which is larger, A or B?`, `Which of A and B came first?`, `Is A or B better for X?`."""
    found = [one for one in listings(line) if one.joint == "or"] or [
        one for one in listings(line) if _LED_TO.match(line.mask[: one.start])
    ]
    found = [one for one in found if one.named]
    plain = _PLAIN_CHOICE.search(line.mask)
    if plain and not found and line.mask.split(" ", 1)[0].lower() in WH:
        items = tuple(line.text[slice(*plain.span(side))] for side in "ab")
        found = [Enumeration(items=items, start=plain.start("a"), end=plain.end("b"), joint="or", named=True)]
    if not found:
        return []
    listing = found[-1]
    before, after = trimmed(_LINK.sub("", line.text[: listing.start])), trimmed(line.text[listing.end :])
    rest = _predicate(before, after, listing)
    if not rest:
        return []
    found = [_found_of(rest, item) for item in listing.items]
    if not all(found):
        return []
    return [
        PartDraft(text=text, entity=item, aspect=rest, topics=(item,))
        for text, item in zip(found, listing.items, strict=True)
    ]


def _predicate(before: str, after: str, listing: Enumeration) -> str:
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
    """Return what must be known of one thing for a choice: `How large is A?`, `When was A published?`; '' where it cannot be said."""
    verb, _, said = rest.partition(" ")
    if verb.lower() not in AUX:
        time = _TIME.search(rest)
        return capital(f"when {item} {trimmed(rest[: time.start()] + rest[time.end() :])}") if time else ""
    verb = SINGULAR_AUX.get(verb.lower(), verb.lower()) if not is_plural(item) else verb.lower()
    match = _MORE.search(said)
    if match and said[: match.start()].endswith((" a ", "a ")):
        return ""  # a more diverse career
    if match:
        noun = match["noun"]
        left = trimmed(said[: match.start()] + said[match.end() :])
        if verb in BE and not is_plural(noun.split()[-1]):  # is more accurate
            return question(
                f"How {noun.split()[0]} {verb} {item} {trimmed(said[match.end() - len(noun) + len(noun.split()[0]) :])}"
            )
        count = "many" if is_plural(noun) or is_plural(noun.split()[0]) else "much"
        if noun == "data":
            count = "much"
        return question(" ".join(f"how {count} {noun} {verb} {item} {left}".split()))
    if match := _TIME.search(said):
        left = trimmed(said[: match.start()] + said[match.end() :])
        if match[0].endswith(" to"):
            return question(f"When did {item} {left}")
        return question(f"When {verb} {item} {left}")
    if (match := _ADJECTIVE.search(said)) and verb in BE:
        return question(
            f"How {_plain_form(match['word'])} {verb} {item} {trimmed(said[: match.start()] + said[match.end() :])}"
        )
    return question(f"{capital(verb)} {item} {said}")


def _plain_form(word: str) -> str:
    """Return the adjective of a comparative: `larger` - `large`, `bigger` - `big`, `heavier` - `heavy`."""
    word, english = word.lower(), language("en")
    irregular = dict(pair.split(":") for pair in english.words("comparison.irregular"))
    if word in irregular:
        return irregular[word]
    stem = re.sub(r"(?:er|est)$", "", word)
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in "gtnmd":
        return stem[:-1]
    return (
        stem + "e"
        if re.search(r"(?:rg|[aeiou]s|[^aeiou]l|[aeiou]f|[aeiou]t|[aeiou]r|mpl|[aeiou]v|nc|ng)$", stem)
        and stem not in english.words("comparison.whole_stems")
        else stem
    )


def _both(line: MaskedLine) -> list[PartDraft]:
    """Read `Are A and B both masked language models?`, `Do A and B use the same pattern?`, `What do A and B have in common?`."""
    first = line.mask.split(" ", 1)[0].lower()
    found = [one for one in listings(line) if one.named and one.joint in {"and", "&"}]
    if not found:
        return []
    listing = found[0]
    head, tail = line.text[: listing.start], line.text[listing.end :]
    if _IN_COMMON.search(tail) and first in WH and re.search(r"\b(?:do|does|did)$", head.rstrip()):
        noun = re.match(r"^(?:what|which) (?P<noun>[a-z]+) ", head, re.IGNORECASE)
        texts = [
            f"Which {noun['noun']} {item} has" if noun and noun["noun"].lower() not in AUX else what_is(item)
            for item in listing.items
        ]
        return [
            PartDraft(text=text, entity=item, topics=(item,)) for text, item in zip(texts, listing.items, strict=True)
        ]
    goes_on = _NAME_GOES_ON.match(tail)  # Escape from the Dark
    if first not in AUX or len(head.split()) > 7 or goes_on or "," in head:
        return []
    return [
        PartDraft(text=_true_of(head, item, tail), entity=item, aspect=trimmed(tail), topics=(item,))
        for item in listing.items
    ]


_NAME_GOES_ON = re.compile(r"(?: [a-z]+){1,2} [A-Z][\w'’-]+ (?:both|each|all) ")


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

_YES_NO = pattern("en", "comparison.yes_no")

_CONTRAST = pattern("en", "comparison.contrast")
_BETWEEN = pattern("en", "comparison.between")
_AND = pattern("en", "comparison.and")
_AFTER = pattern("en", "comparison.after")
_FEWEST = 3  # words of what a source says


def _sources(line: MaskedLine) -> list[PartDraft]:
    """Read what lays two accounts side by side: each with what it says, as the question puts it."""
    if match := _BETWEEN.match(line.mask):
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
        return [PartDraft(text=f"{capital(thing)}: {what}", entity=thing, topics=(thing,)) for thing in things]
    if match := _AFTER.match(line.mask):
        texts = [capital(line.text[slice(*match.span("first"))]), question(line.text[slice(*match.span("asked"))])]
        return [PartDraft(text=text) for text in texts] if _says_much(match["first"]) else []
    if not _YES_NO.match(line.mask):
        return []
    for match in _CONTRAST.finditer(line.mask):
        first, second = line.text[: match.start()], trimmed(line.text[match.end() :])
        if _says_much(line.mask[: match.start()]) and _says_much(line.mask[match.end() :]):
            return [
                PartDraft(text=question(first)),
                PartDraft(text=question(second) if _YES_NO.match(second) else capital(second)),
            ]
    return []


def _says_much(text: str) -> bool:
    return len(text.split()) >= _FEWEST and _says_name(text)


def _says_name(text: str) -> bool:
    return bool(re.search(r"[A-Z\ue000\d]", text[1:]) or text[:1] == "\ue000")


# -- Chinese

_ORDER = pattern("zh", "comparison.order")

_DIFFERENCE = pattern("zh", "comparison.difference")
_ENDING = pattern("zh", "comparison.ending")
_WHERE = pattern("zh", "comparison.where")
_PICK = pattern("zh", "comparison.pick")
_ALL = pattern("zh", "comparison.all")


def _contrast_chinese(line: MaskedLine) -> list[PartDraft]:
    """Read 比较A和B的X, A和B在X上有什么区别."""
    order = _ORDER.match(line.mask)
    ending = _ENDING.search(line.mask)
    weighs = _DIFFERENCE.search(line.mask) or (order and re.search(r"比|对照|区分", order[0]))
    if not weighs or not ending:
        return []
    found = listings(line)
    if not found or found[0].end > (ending.start() if ending[0] else len(line.mask)):
        return []
    listing = found[0]
    head = line.text[order.end() if order and order.end() <= listing.start else 0 : listing.start]
    tail = line.text[listing.end : ending.start()] if ending[0] else line.text[listing.end :]
    tail = re.sub(r"^(?:各自|分别)", "", tail)
    aspects: list[str] = []
    owner = head.removesuffix("的")
    if where := _WHERE.match(tail):
        aspects = _split_chinese(where["what"]) if not where["rest"] and not where["what"][:1].isascii() else []
        tail = "" if aspects else tail
    elif tail.startswith("的"):
        aspects, tail = _split_chinese(tail[1:]), ""
    if head.endswith("的"):  # 提示工程的优点和缺点: aspects of one thing
        return [
            PartDraft(text=f"{owner}的{item}{tail}", entity=owner, aspect=item, topics=(owner,))
            for item in listing.items
        ]
    return [
        PartDraft(
            text=f"{head}{_cell(thing, aspect, tail, True)}", entity=thing, aspect=aspect or tail, topics=(thing,)
        )
        for aspect, thing in product(aspects or [""], listing.items)
    ]


def _split_chinese(text: str) -> list[str]:
    return [trimmed(piece) for piece in re.split(r"、|以及|和(?![平谐])|与|及", text) if trimmed(piece)]


def _choice_chinese(line: MaskedLine) -> list[PartDraft]:
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
            PartDraft(text=f"{head}{item}{said}{end}", entity=item, aspect=said, topics=(item,))
            for item in listing.items
        ]
    pick = _PICK.match(tail)
    if not pick:
        return []
    where = tail[slice(*pick.span("where"))].lstrip("的中里当之间，,")
    return [
        PartDraft(
            text=_of_one_chinese(head, item, where, pick), entity=item, aspect=where + pick["more"], topics=(item,)
        )
        for item in listing.items
    ]


def _of_one_chinese(head: str, item: str, where: str, pick: re.Match[str]) -> str:
    if re.search(r"多少|几|[？?]", where):  # it is asked already what is compared
        return f"{head}{item}{re.sub(r'^(?:各自?|分别)', '', where)}"
    noun, more = pick["noun"].strip("的"), pick["more"]
    said = re.sub(r"^(?:更|最|较|比较)", "", more)
    subject = f"{head}{item}{where}"
    if re.match(r"[先早晚]", said):
        return f"{subject}是什么时候{said.lstrip('先早晚地').strip('的') or '出现'}的？"
    if noun:
        return f"{subject}的{noun}有多{said}？"
    return f"{subject}有多{said}？" if len(said) <= 2 else f"{subject}是否{said}？"


# -- effects and relations: X, Y, and the link between them, which depends on both

_EFFECT_VERBS = (
    "affect|affects|affected|impact|impacts|impacted|influence|influences|influenced|"
    "relate to|relates to|correlate with|interact with|shape"
)

_DOES_AFFECT = lazy_regex(
    rf"^(?:how|in what ways?|to what extent|why)\s+(?:do|does|did|can|could|will|would|might|may|has"
    rf"|have)\s+(?P<x>\S.{{0,200}}?)\s+(?:{_EFFECT_VERBS})\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)

_EFFECT = lazy_regex(
    r"^(?P<head>.{0,80}?)\b(?:effects?|impacts?|influences?)\s+(?:of|that|from)\s+(?P<x>\S.{0,200}?)\s+(?:on|upon"
    r"|has on|have on|had on|has had on)\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)

_RELATION = lazy_regex(
    r"^(?P<head>.{0,80}?)\b(?:relationships?|relations?|connections?|links?|correlations?|interactions?"
    r"|associations?|interplay)\s+between\s+(?P<x>\S.{0,200}?)\s+and\s+(?P<y>\S.*)$",
    re.IGNORECASE,
)

_RELATED = lazy_regex(
    r"^how\s+(?:is|are|was|were)\s+(?P<x>\S.{0,200}?)\s+(?:(?:related|connected|linked)\s+to\s+(?P<y>\S.{0,200})"
    r"|and\s+(?P<z>\S.{0,200}?)\s+(?:related|connected|linked))$",
    re.IGNORECASE,
)

_EFFECT_CHINESE = lazy_regex(
    r"^(?P<x>[^，。；？?]{1,60}?)(?:是?(?:如何|怎么|怎样)|会(?:如何|怎么|怎样)|在多大程度上|能否)(?:会|能|可以)?影响(?:了|到)?(?P<y>[^，。；？?]{1,60})$"
    r"|^(?:分析|解释|讨论|说明|阐述)?(?P<x2>[^，。；？?]{1,60}?)(?:会|能)?对(?P<y2>[^，。；？?]{1,60}?)(?:会|能)?(?:有|产生|造成"
    r"|带来)?(?:了)?(?:什么|怎样的|怎么样的|哪些|何种|多大|何)?的?(?:影响|作用)(?:是什么|有哪些|如何|有多大)?$"
    r"|^(?:分析|解释|讨论|说明|阐述)?(?P<x3>[^，。；？?]{1,60}?)(?:和|与|跟|同)(?P<y3>[^，。；？?]{1,60}?)(?:之间)?(?:到底|究竟)?(?:有没有|有无|是否有?|是不是有|的|有|存在"
    r"|是)?(?:着)?(?:什么样的|什么|怎样的|哪些|何种|何)?(?:的)?(?:关系|关联|联系|相关性)(?:是什么|有哪些|如何|怎么样|怎样)?$"
)

_PLACE = lazy_regex(r"\s+(?:in|within|during|for|under)\s+(?!(?:which|what)\b).{1,120}$", re.IGNORECASE)
_CHINESE_PLACE = lazy_regex(r"^(在[^，。]{1,30}?(?:中|里|领域|方面|时)[，,]?)")
_OWNED = lazy_regex(r"^(?:它|其|他们?|她)(?:[与和跟](?=[^的]*的)|(?=[的对在]))")
_ASKS_FOR_OTHERS = lazy_regex(  # `which papers measure the effect of X on Y`
    r"^(?:which|who|whose|where|when|what (?!(?:effects|impacts|influences|relations|links|does|was|has)\b)[a-z-]{3,}s (?!of\b))\b",
    re.IGNORECASE,
)

_BESIDE = lazy_regex(r"\s*,\s+(?:which|who|where)\b.*$", re.IGNORECASE | re.DOTALL)  # said of Y by the way
_MUTUAL = lazy_regex(
    r"\brelat|\bconnect|\blink|\bcorrelat|\binteract|\bassociat|\binterplay|关系|关联|联系|相关性", re.IGNORECASE
)

_POINTS = lazy_regex(
    r"^(?:it|its|their|they|them|this|these|those|that|his|her|you|me|us|people|we|each other|one another|what"
    r"|which|who)\b",
    re.IGNORECASE,
)


def effects(line: MaskedLine) -> list[PartDraft]:
    """Return X, Y and their link, or nothing."""
    size = len(statement(line.text))
    mask, text = line.mask[:size], line.text[:size]
    match = _EFFECT_CHINESE.match(mask)
    if _ASKS_FOR_OTHERS.match(mask) or (
        match and CHINESE_QUESTION.search(mask[: max(match.end(name) for name in ("x", "x2", "x3"))])
    ):
        return []
    if match:
        name = next(end for end in ("", "2", "3") if match[f"x{end}"])
        return _effect_parts(
            line, text[slice(*match.span(f"x{name}"))], text[slice(*match.span(f"y{name}"))], _chinese_place(text)
        )
    for form in (_DOES_AFFECT, _EFFECT, _RELATION, _RELATED):
        if match := form.match(mask):
            other = "y" if match["y"] else "z"
            return _effect_parts(line, text[slice(*match.span("x"))], text[slice(*match.span(other))], "")
    return []


def _owned_by(thing: str, owner: str) -> str:
    """Return `its trade with B` as `the trade of A with B`."""
    found = re.search(r"\s(?:with|in|on|to|for|towards?|over|at|from)\s", thing)
    place = found.start() if found else len(thing)
    return f"the {thing[:place]} of {owner}{thing[place:]}"


def _chinese_place(text: str) -> str:
    match = _CHINESE_PLACE.match(text)
    return match[1] if match else ""


def _has_content(text: str) -> bool:
    return bool(set(text.lower().split()) - FUNCTION)


def _effect_link(line: MaskedLine, first: str, second: str) -> str:
    """Return what a question of effect or relation asks about, as a thing that is spoken of: `the effect of X on Y`."""
    mutual = bool(_MUTUAL.search(line.mask))
    if is_chinese(line.text):
        return f"{first}与{second}的关系" if mutual else f"{first}对{second}的影响"
    return f"the relation between {first} and {second}" if mutual else f"the effect of {first} on {second}"


def _effect_parts(line: MaskedLine, first: str, second: str, place: str) -> list[PartDraft]:
    first = trimmed(first.removeprefix(place))
    second = _OWNED.sub(
        lambda match: first.partition("的")[0] + ("对" if len(match[0]) > 1 else ""), trimmed(_BESIDE.sub("", second))
    )
    if not (_has_content(first) and _has_content(second)) or _POINTS.match(first):
        return []
    if (_POINTS.match(second) and not second.lower().startswith("its ")) or any(
        one.named for one in listings(MaskedLine(second, second))
    ):
        return []  # of several names, each is asked about first
    found = _PLACE.search(second)
    where = (
        found[0]
        if found and not second.lower().startswith("its ") and " " not in second[: found.start()].strip()
        else ""
    )
    if second.lower().startswith("its "):
        second = _owned_by(second[4:], first.rpartition(" of ")[2])
    one, two = what_is(place + first + where), what_is(place + second)
    return [
        PartDraft(text=one, entity=first, topics=(first,)),
        PartDraft(text=two, entity=second, topics=(second,)),
        PartDraft(
            text=question(line.text),
            kind="reasoning",
            after=(0, 1),
            aspect=_effect_link(line, first, second),
            topics=(first, second),
        ),
    ]
