"""What a model reports of the parts that it answered, read however it wrote it; and how it says that something is missing."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from scholarmind.text.patterns import lazy_regex

State = Literal["answered", "missing", "conflicting"]

_LONGEST = 20_000
_LONGEST_DETAIL = 300
_LINE = lazy_regex(
    r"^[\s\-*•>|#\"'`{\[]*(?:(?:parts?|rows?|部分|第)\s*)?[\s*\"'`]*(?P<row>\d{1,3}(?:\.\d{1,3})?)(?!\d)\s*(?:部分)?[\s*\"'`]*"
    r"[.)、:：\-–—|=,，]*\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
# the order matters: "not answered" is not "answered"
_STATES: tuple[tuple[State, re.Pattern[str]], ...] = (
    ("conflicting", lazy_regex(r"conflict\w*|contradict\w*|disagree\w*|相?互?矛盾|冲突|不一致", re.IGNORECASE)),
    (
        "missing",
        lazy_regex(
            r"(?:not|un|in)[\s-]*(?:fully |completely )?(?:answered|found|available|covered|complete)\w*|missing|absent"
            r"|part(?:ly|ial|ially)\b(?: answered)?|lack\w*|no answer|none"
            r"|未能?(?:回答|找到|提到|提及)|没有(?:回答|找到|答案)?|缺[失少]|部分(?:回答)?|不完整",
            re.IGNORECASE,
        ),
    ),
    ("answered", lazy_regex(r"answered|complete\w*|done|yes|ok|found|已?回答了?|完整|完成|是", re.IGNORECASE)),
)
_SEPARATORS = " \t:：-–—,，.。;；|*\"'`()（）{}[]"
_ROW_NAMES = ("row", "part", "id", "number", "部分", "编号")
_STATE_NAMES = ("status", "state", "answer", "result", "状态")
_DETAIL_NAMES = (
    "missing",
    "conflicting",
    "conflict",
    "detail",
    "details",
    "reason",
    "what",
    "note",
    "缺失",
    "矛盾",
    "说明",
)

_GIVEN = r"(?:passages?|documents?|sources?|evidence|texts?|librar(?:y|ies)|papers?|material)"
_GIVEN_HAN = r"(?:段落|文档|文献|资料|来源|材料|文库|文本)"
_GAP = lazy_regex(
    rf"\b{_GIVEN}\b[^.]{{0,60}}\b(?:do(?:es)? not|don['’]t|doesn['’]t|did not|cannot|lacks?|without|contains? no\w*|gives? no|says? nothing"
    r"|mentions? no|provides? no|(?:is|are) silent)\b"
    rf"|\b(?:no|none of the|neither of the|nothing in the)\s(?:given |provided |available )?(?:{_GIVEN}|information)\b"
    r"|\b(?:is|are|was|were) not (?:stated|mentioned|given|reported|covered|specified|described|found|available|provided)\b"
    rf"|{_GIVEN_HAN}[^。]{{0,12}}(?:没有|未|不包含|不含|无法)|(?:没有|无)(?:任何)?(?:{_GIVEN_HAN}|信息)"
    r"|(?:没有|未)(?:被)?(?:提到|提及|说明|给出|找到|涉及|提供)",
    re.IGNORECASE,
)
_GOES_ON = lazy_regex(
    r"\b(?:but|however|although|though|while|whereas|except|yet)\b|但|不过|然而|虽然|而", re.IGNORECASE
)
_LONGEST_GAP = 400


@dataclass(frozen=True, slots=True)
class Reported:
    """What a model says of a row, and where it is not answered, why."""

    state: State
    detail: str = ""


def reported(text: str, rows: Sequence[str]) -> dict[str, Reported]:
    """Return what was reported of each of these rows. What is said of a part counts for all its rows."""
    found: dict[str, Reported] = {}
    given = text[:_LONGEST]
    for name, said in _of_json(given) or _of_lines(given):
        state = _state(said)
        if state is None:
            continue
        for row in (row for row in rows if row == name or row.partition(".")[0] == name):
            found.setdefault(row, state)
    return found


def tells_a_gap(sentence: str) -> bool:
    """Tell whether a sentence only says that the passages do not hold something."""
    return len(sentence) <= _LONGEST_GAP and _GAP.search(sentence) is not None and not _GOES_ON.search(sentence)


def _state(said: str) -> Reported | None:
    matches: list[tuple[State, re.Match[str]]] = []
    for state, pattern in _STATES:
        if match := pattern.search(said):
            matches.append((state, match))
    if not matches:
        return None
    state, match = min(matches, key=lambda found: found[1].start())
    if state == "answered":
        return Reported(state)
    detail = " ".join(said[match.end() :].strip(_SEPARATORS).split()) or " ".join(said.strip(_SEPARATORS).split())
    return Reported(state, detail[:_LONGEST_DETAIL])


def _of_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if match := _LINE.match(line):
            yield match["row"], match["rest"]


def _of_json(text: str) -> list[tuple[str, str]]:
    begin = next((place for place, sign in enumerate(text) if sign in "{["), -1)
    end = max(text.rfind("}"), text.rfind("]"))
    if begin < 0 or end < begin:
        return []
    try:
        value: Any = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        return []
    return [(row, said) for row, said in _entries(value) if re.fullmatch(r"\d{1,3}(?:\.\d{1,3})?", row)]


def _entries(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (row, what is said) from {"1": "answered"}, {"parts": [...]} or [{"part": 1, "status": ...}]."""
    if isinstance(value, Mapping):
        entry = {str(name).casefold(): item for name, item in cast("Mapping[object, Any]", value).items()}
        if row := next((str(entry[name]) for name in _ROW_NAMES if name in entry), ""):
            yield row, _told(entry)
            return
        for name, item in entry.items():
            if isinstance(item, Mapping):
                yield name, _told({str(key).casefold(): one for key, one in cast("Mapping[object, Any]", item).items()})
            elif isinstance(item, list):
                yield from _entries(item)
            else:
                yield name, str(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _entries(item)


def _told(entry: Mapping[str, Any]) -> str:
    state = next((str(entry[name]) for name in _STATE_NAMES if entry.get(name)), "")
    detail = next((str(entry[name]) for name in _DETAIL_NAMES if entry.get(name)), "")
    return f"{state or ('missing' if detail else '')}: {detail}"
