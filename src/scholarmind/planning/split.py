"""Take a text apart into its questions: sentences, numbered and bulleted lists, semicolons; context stays with what follows."""

import re
from dataclasses import dataclass, replace

from scholarmind.planning.protected import Line, Protector
from scholarmind.planning.words import ASKING, CHINESE, CHINESE_ASKING, CHINESE_QUESTION, WH, statement, trimmed
from scholarmind.text.language import lazy_regex

_END = lazy_regex(
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
class Unit:
    """One question or task of a text, with the sentences before and after it that tell what it is about, and ask nothing."""

    text: str
    context: str = ""
    behind: str = ""  # what is told after it


def units(text: str, protector: Protector) -> list[Unit]:
    """Return the questions of a text in order; a text that asks nothing is one."""
    found_pieces = _pieces(protector.line(text))
    pieces = _items_joined(found_pieces)
    # the items of a list that nothing leads are what is asked: 1. the date 2. the place
    items = frozenset(body for is_item, body in found_pieces if is_item)
    led = not items or any(asks(body) for is_item, body in found_pieces if not is_item)
    found: list[Unit] = []
    context: list[str] = []
    for piece in pieces:
        if asks(piece) or (piece in items and not led):
            found.append(Unit(piece, " ".join(context)))
            if len(found[-1].context) > _LONGEST_CONTEXT:
                context = []  # stays with the first question that follows; repeating it in each would bury them
        elif not _LEAD.match(piece):
            if found and context == [] and len(piece) < 60:
                found[-1] = replace(found[-1], behind=trimmed(f"{found[-1].behind} {_sentence(piece)}"))
            else:
                context.append(_sentence(piece))
    if not found:
        return [Unit(trimmed(text))]
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


def _pieces(line: Line) -> list[tuple[bool, str]]:
    """Return the sentences, each with whether it is an item of a list."""
    found: list[tuple[bool, str]] = []
    begin, item = 0, False
    for match in (*_END.finditer(line.mask), None):
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


def _sentence(text: str) -> str:
    if text[-1:] in ".!:：。！,，":
        return text
    return text + ("。" if CHINESE.search(text) else ".")
