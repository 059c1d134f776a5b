"""Ask the last question again of something else: what is new takes the place of what is of its sort, or is added."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.model import Name
from scholarmind.planning.earlier import Earlier, joined
from scholarmind.planning.mentions import LIST_JOINT, Mention, Sort, mentions_of
from scholarmind.planning.protected import Protector
from scholarmind.planning.words import PLURAL_AUX, SINGULAR_AUX, statement

_COMPARES = re.compile(
    r"^(?:compare|contrast)\b|\bdiffer|\bcompared? |\bbetter\b|\bwhich (?:one )?is\b|比较|对比|区别|差异|异同|不同|相比|哪个更",
    re.IGNORECASE,
)
_PREPOSITION: dict[Sort, str] = {"dataset": "on", "venue": "at", "year": "in", "person": "by", "metric": "in terms of"}
_LEADING_PREPOSITION = re.compile(
    r"^(?P<p>on|in|for|with|at|by|to|from|of|about|against|since|before|after)\s+(?P<x>\S.*)$", re.IGNORECASE
)
_GENERIC = frozenset(
    "dataset data set benchmark model paper method task corpus year version the a an in on at for of with and or to by from".split()
)
_HEAD_CHINESE = re.compile(r"(?:任务|领域|语言|场景|设置)$")
_SHARED_CHINESE = "(?<=在)[^在，。]{{1,12}}{}(?=上|中|里|下)"
VERSION_CHINESE = re.compile(r"第[一二三四五六]代|[新旧老]版本?|[中英]文版本?|基础版|大模型版|最[大小]的?(?:模型|版本)")
_HEAD = re.compile(
    r" (?:papers?|models?|datasets?|benchmarks?|architectures?|team|authors?|methods?|leaderboard|score|corpus)\b"
)
_THING: frozenset[Sort] = frozenset({"name", "person"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a follow-up names: the words, the preposition before them, the things of each sort; `old` is what it corrects."""

    text: str
    mentions: tuple[Mention, ...] = ()
    preposition: str = ""
    whole: bool = False  # there are words beside the names, which make it one thing
    correction: bool = False
    old: str = ""

    @property
    def sorts(self) -> dict[Sort, tuple[str, ...]]:
        """The names by their sort; a phrase without any is one thing."""
        found: dict[Sort, tuple[str, ...]] = {}
        for mention in self.mentions:
            found[mention.sort] = (*found.get(mention.sort, ()), mention.text)
        return found or {"name": (self.text,)}


def given_things(earlier: Earlier, things: Sequence[str]) -> Given:
    """Return names that were pointed to as what is given, each of the sort that it has in the last question."""
    sorts: dict[str, Sort] = {mention.text: mention.sort for mention in earlier.mentions}
    mentions = tuple(Mention(thing, 0, 0, sorts.get(thing, "name")) for thing in things)
    return Given(text=joined(things, chinese=earlier.chinese), mentions=mentions, correction=True)


def given_in(text: str, names: Sequence[Name], *, correction: bool = False, old: str = "") -> Given:
    """Read an English phrase: its preposition and what it names. Words beside the names make it one thing."""
    match = _LEADING_PREPOSITION.match(text.strip())
    phrase = match["x"] if match else text.strip()
    preposition = match["p"].lower() if match else ""
    phrase = re.sub(r"^the (?=[A-Z])", "", phrase)
    mentions = mentions_of(Protector(names).line(phrase), (), _placed(names, phrase))
    preposition = "" if preposition in {"of", "about"} else preposition
    given = Given(text=phrase, mentions=mentions, preposition=preposition, correction=correction, old=old)
    if not mentions or not _left_over(given):
        return given
    return replace(given, mentions=(Mention(phrase, 0, len(phrase), mentions[0].sort),), whole=True)


def _left_over(given: Given) -> bool:
    """Tell whether a phrase says more than its names."""
    rest = given.text
    for mention in given.mentions:
        rest = rest.replace(mention.text, " ", 1)
    return any(word.lower() not in _GENERIC for word in re.findall(r"[^\W_]+", rest))


def _placed(names: Sequence[Name], phrase: str) -> list[Name]:
    """Return the names with their places in a phrase."""
    places = ((name, phrase.find(name.text)) for name in names)
    return [
        Name(
            text=name.text,
            start=place,
            end=place + len(name.text),
            field=name.field,
            value=name.value,
            documents=name.documents,
        )
        for name, place in places
        if place >= 0
    ]


def shares_head(earlier: Earlier, text: str) -> bool:
    """Tell whether the last question has a place for a phrase such as 翻译任务: 在摘要任务上."""
    head = _HEAD_CHINESE.search(text)
    return bool(head and re.search(_SHARED_CHINESE.format(head[0]), earlier.question))


def asked_again(earlier: Earlier, given: Given) -> str:
    """Return the last question with what is given in it."""
    changes: list[tuple[int, int, str]] = []
    missing: list[tuple[Sort, str]] = []
    for sort, things in given.sorts.items():
        span = _corrected(earlier, given) or _place(earlier, sort, given.text, given.preposition)
        if span is None:
            missing.append((sort, joined(things, chinese=earlier.chinese)))
            continue
        old = _listed(earlier, span)
        adds = sort in _THING and len(old) > 1 and not given.correction and bool(_COMPARES.search(earlier.question))
        new = (*(name for name in old if name not in things), *things) if adds else things
        changes.append((*span, joined(new, chinese=earlier.chinese)))
    text = earlier.question
    for start, end, new in sorted(changes, reverse=True):
        before = text[:start] if earlier.chinese else _agreeing(text[:start], text[start:end], new)
        if before.endswith(" the ") and not new.islower() and not _HEAD.match(text[end:]):
            before = before[:-4]
        text = before + new + text[end:]
    return _with_missing(text, missing, given.preposition, chinese=earlier.chinese)


def _corrected(earlier: Earlier, given: Given) -> tuple[int, int] | None:
    """Return where that stands which is taken back."""
    same = (mention for mention in earlier.mentions if mention.text.lower() == given.old.lower())
    if taken := next(same, None):
        return taken.start, taken.end
    start = earlier.question.lower().find(given.old.lower()) if given.old else -1
    if start < 0:
        return None
    end = start + len(given.old)
    return next(((each.start, each.end) for each in earlier.mentions if each.start <= start < each.end), (start, end))


def _place(earlier: Earlier, sort: Sort, text: str, preposition: str) -> tuple[int, int] | None:
    """Return where the last question names things of a sort: behind the same preposition, or else first."""
    thing = sort in _THING
    if (head := _HEAD_CHINESE.search(text)) and (match := re.search(_SHARED_CHINESE.format(head[0]), earlier.question)):
        return match.span()
    if VERSION_CHINESE.fullmatch(text) and (match := VERSION_CHINESE.search(earlier.question)):
        return match.span()
    same = [mention for mention in earlier.mentions if mention.sort == sort or (thing and mention.sort in _THING)]
    behind = [mention for mention in earlier.mentions if preposition and _stands_behind(earlier, mention, preposition)]
    if chosen := next((mention for mention in behind if mention in same), None):
        return _run(earlier, chosen, same)
    if thing and behind:
        return behind[0].start, behind[0].end
    if same:
        return _run(earlier, same[0], same)
    return _topic(earlier, preposition) if thing else None


def _stands_behind(earlier: Earlier, mention: Mention, preposition: str) -> bool:
    before = earlier.question[: mention.start].lower().rstrip()
    if earlier.chinese:
        return before.endswith(preposition)
    return re.search(rf"\b{re.escape(preposition.lower())}(?: the)?$", before) is not None


def _topic(earlier: Earlier, preposition: str) -> tuple[int, int] | None:
    """Return where the plain words stand that the last question is about, or those behind the same preposition."""
    phrase = rf"\b{re.escape(preposition)} (?:the |an? )?(?P<x>[^,?.]+?)(?=[,?.]|$)"
    if preposition and (match := re.search(phrase, earlier.question, re.IGNORECASE)):
        return match.span("x")
    for topic in earlier.topics[:1]:
        start = earlier.question.lower().find(topic.lower())
        if not preposition and start >= 0 and topic not in earlier.of_sort("dataset"):
            return start, start + len(topic)
    only = len(earlier.mentions) == 1 and not earlier.wanted
    return (earlier.mentions[0].start, earlier.mentions[0].end) if only and not preposition else None


def _run(earlier: Earlier, first: Mention, same: Sequence[Mention]) -> tuple[int, int]:
    """Return where a list of names begins and ends."""
    start, end = first.start, first.end
    for mention in same:
        if mention.start >= end and LIST_JOINT.fullmatch(earlier.question[end : mention.start]):
            end = mention.end
    return start, end


def _listed(earlier: Earlier, span: tuple[int, int]) -> list[str]:
    return [mention.text for mention in earlier.mentions if span[0] <= mention.start and mention.end <= span[1]]


def _agreeing(before: str, old: str, new: str) -> str:
    """Return the words before a list of names with their verb in its number."""
    many, were = " and " in new, bool(LIST_JOINT.search(old))
    verbs = PLURAL_AUX if many and not were else SINGULAR_AUX if were and not many else {}
    match = re.search(r"(\w+)(\s+(?:both )?(?:the )?)$", before)
    if not match or match[1].lower() not in verbs:
        return before
    verb = verbs[match[1].lower()]
    return before[: match.start()] + (verb.capitalize() if match[1].istitle() else verb) + match[2].replace("both ", "")


def _with_missing(text: str, missing: Sequence[tuple[Sort, str]], preposition: str, *, chinese: bool) -> str:
    """Add what the last question had no place for."""
    for sort, things in missing:
        if chinese:
            unit = "年" if sort == "year" else ""
            lead = f"在{things}上，" if sort in {"dataset", "venue"} else f"就{things}{unit}而言，"
            text = lead + text
        else:
            body = statement(text)
            text = f"{body} {preposition or _PREPOSITION.get(sort, 'for')} {things}{text[len(body) :] or '?'}"
    return text
