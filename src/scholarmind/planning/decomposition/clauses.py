"""Sentences and clauses: a text is cut into its questions, and a sentence that asks several things into its clauses.

Sentences, numbered and bulleted lists, semicolons; then `..., and what ...`, `..., explain ...`, 以及, 另外, 同时. What only tells stays
as context with what follows it.
"""

import re
from dataclasses import dataclass, replace
from itertools import islice

from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    BASE_VERBS,
    CHINESE,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    FINITE_VERBS,
    FUNCTION,
    WH,
    MaskedLine,
    Protector,
    is_chinese,
    is_plural,
    statement,
    trimmed,
)
from scholarmind.text.language import lazy_regex

# -- questions of a text, with their context

_SENTENCE_END = lazy_regex(
    r"(?P<ask>[?？]+[\"”’」』）)]*)|[。！!；;]+|(?P<dot>(?<![.\s])\.(?=\s+[A-Z\ue000]))|\n+"
    r"|(?P<item>(?:(?<=[\s:：。；;?？,，])|^)"
    r"(?:\(?\d{1,2}[.)、．](?=\D)|（\d{1,2}）|[（(][a-h一二三四五六七八九十][)）]|[①-⑳]|(?<![^\n])[-*•·](?=\s)"
    r"|(?<=[:：]\s)[-*•·](?=\s)|[一二三四五六七八九十]、)\s*)"
)

_ABBREVIATION = lazy_regex(
    r"(?:^|[\s(.])(?:Inc|Ltd|Co|Corp|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|vs|al|etc|No|Fig|e\.g|i\.e|approx|[A-Za-z])$"
)

_NEXT = lazy_regex(r"\s+(?:Which|What|Who|Whose|When|Where|Why|How)\b")
_LEAD = lazy_regex(
    r"^(?:please |kindly |can you |could you |help me |hi|hello|,|\s|answer|the|following|these|questions?|below"
    r"|me|and|for|with|i have|"
    r"some|several|two|three|four|five|a few|list|also|then|next|finally|first|second|third|lastly|thanks"
    r"|thank you|in advance|"
    r"请|回答|以下|下列|下面|几个|的|问题|我有|你好|您好|谢谢|多谢|感谢|麻烦(?:您|你)?了?|辛苦了?|了|帮我|如下|并|个|[一二两三四五六七八九十0-9])+[.:：,，!！]?$",
    re.IGNORECASE,
)

_POLITE = lazy_regex(
    r"^(?:(?:please|kindly|hi|hello|hey|also|then|next|finally|firstly|secondly|thirdly|lastly|additionally"
    r"|furthermore|moreover)\b[,:]?\s+|"
    r"(?:can|could|would|will) you (?:please )?(?=(?:"
    + "|".join(sorted(ASKING))
    + r")\b)|(?:i (?:want|need|would like) to (?:know|find out)|i'd like to (?:know|find out))\s+|"
    r"(?:[^，。,！!？?]{0,4}(?:你好|您好)(?=[，,！!])|你好|您好|请问一下|请问|(?:我)?想请教(?:一下)?|帮我?(?:查|看|找)(?:查|看|找|一下)*|我?(?:想|要)(?:了解|知道|问)(?:一?下)?|另外|此外|还有(?!哪|什么)|同时|最后|其次|首先|然后|以及|并且|而且|以及)[，,：:]?)+",
    re.IGNORECASE,
)

_THANKS = lazy_regex(
    r"[,，.。!！\s]+(?:many thanks|thanks(?: a lot| in advance)?|thank you(?: very much)?"
    r"|(?:非常|十分|多)?(?:感谢|谢谢|多谢)[啦了您你]*)[.。!！？?]*$",
    re.IGNORECASE,
)

_MANNER = frozenset("with in by using briefly from at".split())
_ANY_WH = lazy_regex(rf"\b(?:{'|'.join(sorted(WH))})\b", re.IGNORECASE)
_LONGEST_CONTEXT = 400


@dataclass(frozen=True, slots=True)
class QuestionUnit:
    """One question or task of a text, with the sentences before and after it that tell what it is about, and ask nothing."""

    text: str
    context: str = ""
    behind: str = ""  # what is told after it


def units(text: str, protector: Protector) -> list[QuestionUnit]:
    """Return the questions of a text in order; a text that asks nothing is one."""
    found_pieces = _sentences(protector.line(text))
    pieces = _items_joined(found_pieces)
    # the items of a list that nothing leads are what is asked: 1. the date 2. the place
    items = frozenset(body for is_item, body in found_pieces if is_item)
    led = not items or any(asks(body) for is_item, body in found_pieces if not is_item)
    found: list[QuestionUnit] = []
    context: list[str] = []
    for piece in pieces:
        if asks(piece) or (piece in items and not led):
            found.append(QuestionUnit(piece, " ".join(context)))
            if len(found[-1].context) > _LONGEST_CONTEXT:
                context = []  # stays with the first question that follows; repeating it in each would bury them
        elif not _LEAD.match(piece):
            if found and context == [] and len(piece) < 60:
                found[-1] = replace(found[-1], behind=trimmed(f"{found[-1].behind} {_with_full_stop(piece)}"))
            else:
                context.append(_with_full_stop(piece))
    if not found:
        return [QuestionUnit(trimmed(text))]
    if context and not found[-1].context.endswith(context[-1]):
        last = found[-1]
        rest = " ".join(part for part in context if part not in last.context)
        found[-1] = replace(last, behind=trimmed(f"{last.behind} {rest}"))
    return found


def asks(text: str) -> bool:
    """Tell whether a piece asks or orders something, rather than telling or naming it."""
    body = _POLITE.sub("", text)
    if text.rstrip().endswith(("?", "？")):
        return True
    if CHINESE.search(body):
        return bool(CHINESE_QUESTION.search(body) or CHINESE_ASKING.search(body))
    words = body.split(None, 3)
    first = words[0].lower().strip(",:") if words else ""
    if first in ASKING and len(words) > 1 and words[1].lower() in _MANNER and not _ANY_WH.search(body):
        return False  # Explain with examples: how to answer, not what
    return first in ASKING or (first in WH and len(words) > 1 and not body.rstrip().endswith(","))


def polite(text: str) -> str:
    """Return the question without the words of courtesy and order in front of it."""
    return trimmed(_THANKS.sub("", _POLITE.sub("", text))) or trimmed(text)


def _sentences(line: MaskedLine) -> list[tuple[bool, str]]:
    """Return the sentences, each with whether it is an item of a list."""
    found: list[tuple[bool, str]] = []
    begin, item = 0, False
    for match in (*_SENTENCE_END.finditer(line.mask), None):
        if match and match["dot"] and _is_abbreviation(line.mask, match):
            continue
        end = len(line.text) if match is None else match.end() if match["ask"] else match.start()
        body = trimmed(line.text[begin:end])
        if any(map(str.isalnum, body)):
            found.append((item, body))
            item = False
        if match:
            begin, item = match.end(), bool(match["item"])
    return found


def _is_abbreviation(mask: str, dot: re.Match[str]) -> bool:
    short = _ABBREVIATION.search(mask, max(0, dot.start() - 12), dot.start())
    return short is not None and not _NEXT.match(mask, dot.end())


def _items_joined(pieces: list[tuple[bool, str]]) -> list[str]:
    """Join a lead that ends in a colon with items that are no questions: `Compare these: - A - B`, `For LoRA: 1) rank 2) cost`."""
    joined: list[str] = []
    place = 0
    while place < len(pieces):
        _, text = pieces[place]
        after = place + 1
        while after < len(pieces) and pieces[after][0] and not asks(pieces[after][1]) and len(pieces[after][1]) < 80:
            after += 1
        names = [statement(body) for _, body in pieces[place + 1 : after]]
        place = after if names else place + 1
        if names and text.endswith((":", "：")) and asks(text):
            joined += _led(text[:-1], names)
        else:
            joined += [text, *names]
    return joined


def _led(lead: str, names: list[str]) -> list[str]:
    chinese = bool(CHINESE.search(lead))
    if any(
        word in lead.lower() for word in ("compare", "contrast", "difference", "versus", "比较", "对比", "区别", "异同")
    ):
        listed = "、".join(names[:-1]) + "和" + names[-1] if chinese else ", ".join(names[:-1]) + " and " + names[-1]
        return [f"{lead}：{listed}" if chinese else f"{lead}: {listed}"]
    return [f"{lead}：{name}" if chinese else f"{lead}: {name}" for name in names]


def _with_full_stop(text: str) -> str:
    if text[-1:] in ".!:：。！,，":
        return text
    return text + ("。" if CHINESE.search(text) else ".")


# -- clauses of a sentence

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

_NEAR_JOINT = 200  # characters before and behind a joint that are looked at
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


def clauses(line: MaskedLine) -> list[str]:
    """Return the questions of a sentence, one or more."""
    return _clauses_chinese(line) if is_chinese(line.text) else _clauses_english(line)


def _clauses_english(line: MaskedLine) -> list[str]:
    if not _STARTS.match(polite(line.mask)):
        # cut a sentence that begins with a restriction: `Since 2022, which ... and which ...?` keeps it in each.
        match = re.search(rf",\s+(?=(?:{_WH}|{_ASKING}|{_AUX})\b)", line.mask, re.IGNORECASE)
        if not match or len(line.mask[: match.start()].split()) > 12:
            return [line.text]
        inner = _clauses_english(MaskedLine(line.text[match.end() :], line.mask[match.end() :]))
        lead = line.text[: match.end()]
        return (
            [lead + part[:1].lower() + part[1:] if part[:2].istitle() else lead + part for part in inner]
            if len(inner) > 1
            else [line.text]
        )
    joints = list(_JOINT.finditer(line.mask))
    listed = any(joint["and"] and (joint["wh"] or joint["aux"]) for joint in joints)
    cuts = [(joint.start(), joint.start("next")) for joint in joints if _cuts_here(line, joint, listed)]
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


def _cuts_here(line: MaskedLine, joint: re.Match[str], listed: bool) -> bool:
    """Tell whether a joint stands between two questions; only its surroundings are looked at."""
    before = line.mask[max(0, joint.start() - _NEAR_JOINT) : joint.start()]
    after = line.mask[joint.start("next") : joint.start("next") + _NEAR_JOINT]
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


_STARTS_WH = lazy_regex(rf"^(?:{_WH})\b", re.IGNORECASE)
_INVERTED_MAIN = lazy_regex(rf"^(?:who|what|which)\s+\S+|^(?:{_WH})\s+(?:{_AUX})\b", re.IGNORECASE)


def _clauses_chinese(line: MaskedLine) -> list[str]:
    groups: list[tuple[int, int]] = []  # where each clause begins and ends
    begin = last = 0
    asking = False
    for match in _SEPARATOR.finditer(line.mask):
        asking = asking or _asks_in_chinese(line.mask[last : match.start()])
        last = match.end()
        if asking and _asks_later(line.mask[match.end() : match.end() + _NEAR_JOINT]):
            groups.append((begin, match.start()))
            begin, asking = match.end(), False
    groups = _closed(groups, begin, len(line.mask), asking or _asks_in_chinese(line.mask[last:]))
    return [piece for start, end in groups if (piece := trimmed(line.text[start:end]))] or [line.text]


def _closed(groups: list[tuple[int, int]], begin: int, end: int, asking: bool) -> list[tuple[int, int]]:
    if groups and not asking:  # what follows the last question belongs to it
        return [*groups[:-1], (groups[-1][0], end)]
    return [*groups, (begin, end)]


def _asks_in_chinese(text: str) -> bool:
    return bool(CHINESE_QUESTION.search(text) or CHINESE_ASKING.search(trimmed(text)))


def _asks_later(rest: str) -> bool:
    """Tell whether what follows a separator is a question of its own, up to the next separator or two."""
    stops = [match.start() for match in islice(_SEPARATOR.finditer(rest, 1), 2)]
    head = rest[: stops[-1]] if stops else rest
    return _asks_in_chinese(head)
