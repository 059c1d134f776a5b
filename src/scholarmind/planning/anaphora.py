"""Words that point back: their referent is put in their place, a name of the question or the answer of an earlier part."""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.planning.bound import asks_several, meant_place
from scholarmind.planning.draft import Draft, reference, referred
from scholarmind.planning.protected import Line
from scholarmind.planning.words import (
    ASKING,
    AUX,
    WH,
    how_is,
    is_chinese,
    question,
    statement,
    trimmed,
)
from scholarmind.text.patterns import lazy_regex

_ENGLISH = lazy_regex(
    r"\b(?P<own>its|their|his|her)\b(?=\s+[a-z0-9\ue000\ue001])|\b(?P<it>it|they|them|he|she|him|her)\b|\b(?P<these>these"
    r"|those|this|such|the two|both|each of (?:these|them|the))"
    r"(?:\s+(?P<noun>(?!is\b|are\b|was\b|were\b|in\b|of\b|and\b|[a-z]+ed\b)[a-z\-]+))?(?=\s|[?.,;]|$)"
    r"|\b(?P<each>each(?: one)?)\b(?!\s+(?!(?:have|has|had|contain|cover|use|reach|achieve|get)\b)[a-z]+)"
    r"|(?<!\bis )(?<!\bare )\b(?P<there>there)(?=\s*[?.]?$)"
    r"|\b(?P<former>the former|the latter)\b",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    r"(?P<each>各自|分别|(?:每一?[个种篇项家]|各个?)(?:方法|模型|数据集|论文|技术|算法|系统|改进|任务|机构|公司|作者|国家|城市|书|版本)|每[个种一]|两者|二者|三者)"
    r"|(?P<own>(?:它们?|他们?|她们?|其)的?)(?!中|他|余|次|实|它)|(?P<these>(?:这些|那些"
    r"|这[两三几]?[个种类项篇]|该|上述|此)(?P<noun>方法|模型|数据集|论文|技术|算法|系统|改进|应用|问题|"
    r"机制|架构|框架|工作|研究|团队|机构|公司|作者|人|国家|城市|电影|书|概念|策略|结果)?)"
)
_CHINESE_NAME = lazy_regex(r"\ue000+|[A-Z][A-Za-z0-9.\-+]*(?: [A-Z0-9][A-Za-z0-9.\-+]*)*")
_OWNER = lazy_regex(
    r"^(?:who|when|where)\b.*\b(?:of|invented|discovered|founded|created|wrote|proposed) (?:the )?(?P<x>[^?]{1,80})$",
    re.IGNORECASE,
)
_YES_NO = lazy_regex(
    r"^(?:have|has|had|is|are|was|were|can|could|do|does|did|will) (?:an? |the )?(?P<x>[^?]{2,80}?) "
    r"(?:been|be|used|able|work|[a-z]+ed)\b",
    re.IGNORECASE,
)
_PERSONAL = frozenset("he she him his her".split())
_DEFINES = lazy_regex(r"^(?:what|who) (?:is|are|was|were) (?:an? |the )?(?P<x>[^?]{1,100})$", re.IGNORECASE)
_ACTS = lazy_regex(
    r"^(?:how|why|when|where) (?:do|does|did|is|are|was|were|can|should) (?:an? "
    r"|the )?(?P<x>[^?]{1,100}?) (?:work|works|function|operate|used|important|useful|happen|perform|train|learn"
    r"|scale|[a-z]+ed)\b",
    re.IGNORECASE,
)
_TASK = lazy_regex(
    rf"^(?:{'|'.join(sorted(ASKING))})\s+(?:what |how |why )?(?:an? |the )?(?P<x>[^?]{{1,100}}?)(?: (?:is|are|work"
    rf"|works))?$",
    re.IGNORECASE,
)
_CHINESE_TOPIC = lazy_regex(
    r"^(?:请|解释|介绍|说明|描述|什么是|(?:在|从|自)?(?:最近|近|过去)[0-9一二两三几]+年(?:以?来|内|间|里)?的?)*(?P<x>[^，。？]{1,40}?)(?=是什么|是谁|是如何|是怎|如何|怎么|怎样|为什么"
    r"|有哪些|有什么|的(?!是)|有何|最早|什么时候|(?:近|最近|过去)[0-9一二两三几]+年|$|20\d\d)"
)
_THIS = lazy_regex(
    r"(?:this|that)(?: (?:effect|impact|influence|relation(?:ship)?|link|connection))?$|(?:这|该|此)", re.IGNORECASE
)
_OWNING = lazy_regex(r"its$|.*的$", re.IGNORECASE)
_STUDIES = lazy_regex(
    r"\b(?:measur|quantif|report|stud[yi]|investigat|examin|observ|analy|discuss|demonstrat|confirm|explain|show)"
    r"|测量|量化了|报告|研究|考察|观察|分析|讨论|证明|验证|解释",
    re.IGNORECASE,
)
_ASKS_ANSWER = lazy_regex(
    r"^(?:(?:in|on|for|by|at|from) )?(?:which|what|who|whose|whom)\b|^(?:list|name|identify|find|give)\b", re.IGNORECASE
)


def topics_of(line: Line) -> tuple[str, ...]:
    """Return what a plain question is about: the names in it, or what it defines or explains."""
    if is_chinese(line.text):
        match = _CHINESE_TOPIC.match(statement(line.text))
        found = trimmed(match["x"]) if match else ""
        return (found,) if found and not re.search(r"哪|什么|谁|多少|如何", found) else names_in(line)
    if names := names_in(line):
        return names
    body = statement(line.text)
    for pattern in (_DEFINES, _ACTS, _TASK, _OWNER, _YES_NO):
        if (match := pattern.match(body)) and (pattern is not _DEFINES or " of " not in match["x"]):
            return (trimmed(match["x"]),)
    return ()


def names_in(line: Line) -> tuple[str, ...]:
    if is_chinese(line.text):
        return tuple(
            dict.fromkeys(line.text[match.start() : match.end()] for match in _CHINESE_NAME.finditer(line.mask))
        )
    found: list[tuple[int, int]] = []
    for place, token in enumerate(line.tokens):
        if not token.name or (place == 0 and token.word in WH | AUX):
            continue
        if found and found[-1][1] + 1 >= token.start and line.text[found[-1][1] : token.start].isspace():
            found[-1] = (found[-1][0], token.end)
        else:
            found.append((token.start, token.end))
    names = [re.sub(r"['’]s?$", "", trimmed(line.text[start:end]).rstrip(".?!？。")) for start, end in found]
    return tuple(dict.fromkeys(name for name in names if name))


def resolved(line: Line, earlier: Sequence[Draft]) -> list[Draft]:
    """Return the question with its pointing word replaced: one draft, or one for each thing that several are meant by it."""
    if not earlier:
        return []
    chinese = is_chinese(line.text)
    match = _pointer(line, chinese)
    if match is None:
        return []
    topics, groups = meant(earlier), match.groupdict()
    last = meant_place(line, match[0], match["noun"] or "", earlier, _last_asking(earlier))
    several = bool(
        groups.get("each") or groups.get("these") or re.match(r"their|they|them|它们|他们|其", match[0], re.IGNORECASE)
    )
    if text := _of_link(line, match, earlier[last]):
        return [replace(_put(line, match, text), entity=text, topics=(text,))]
    if not groups.get("former") and several and len(topics) > 1:
        return _for_each(line, match, earlier, topics)
    if len(topics) == 1 and not _answer_meant(match, earlier[last], chinese):
        return [replace(_put(line, match, topics[0]), entity=topics[0], topics=topics)]
    return [
        replace(
            _put(line, match, reference(last)), after=(last,), topics=earlier[last].topics, each=_says_each(match[0])
        )
    ]


def _of_link(line: Line, match: re.Match[str], last: Draft) -> str:
    """Return what a word means behind a question of effect: what has the effect, or the effect where that can be studied."""
    if last.entity or not last.aspect or len(last.topics) < 2 or match.groupdict().get("former"):
        return ""
    noun = match["noun"] or ""
    own = [topic for topic in last.topics if noun and topic.lower().endswith(noun.lower())]
    if own:
        return own[0]
    if _THIS.match(match[0]):
        return last.aspect
    single = match[0].lower() in {"it", "its"} or ("们" not in match[0] and match[0].startswith(("它", "其")))
    if not single:
        return ""
    return last.aspect if not _OWNING.match(match[0]) and _STUDIES.search(line.mask) else last.topics[0]


def _for_each(line: Line, match: re.Match[str], earlier: Sequence[Draft], topics: tuple[str, ...]) -> list[Draft]:
    """Return the question about each of several things, or about each of the answers where those are meant."""
    row = [place for place, draft in enumerate(earlier) if draft.entity in topics and draft.role == "find"]
    row, chinese, aspect = row[-len(topics) :], is_chinese(line.text), _aspect(line, match)
    if earlier[-1].role == "find" and all(_answer_meant(match, earlier[place], chinese) for place in row):
        put = ((_put(line, match, reference(place)), (place,), earlier[place].entity) for place in row)
        each = _says_each(match[0])
        return [replace(draft, after=after, entity=entity, aspect=aspect, each=each) for draft, after, entity in put]
    asked = ((topic, _put(line, match, topic)) for topic in topics)
    return [
        replace(draft, text=how_is(draft.text, topic), entity=topic, aspect=aspect, topics=(topic,))
        for topic, draft in asked
    ]


def _says_each(word: str) -> bool:
    return bool(re.match(r"each\b|各|分别|每", word, re.IGNORECASE))


def meant(earlier: Sequence[Draft]) -> tuple[str, ...]:
    if not earlier:
        return ()
    last = earlier[-1]
    if last.role == "compare" or not last.entity or last.after:
        return last.topics
    row: list[str] = []
    for draft in reversed(earlier):  # the row of drafts that ask the same of several things
        if draft.after or not draft.entity or draft.aspect != last.aspect:
            break
        row.insert(0, draft.entity)
    things = tuple(dict.fromkeys(row))
    return things if len(things) > 1 else last.topics


def _last_asking(earlier: Sequence[Draft]) -> int:
    return next((place for place in range(len(earlier) - 1, -1, -1) if earlier[place].role == "find"), len(earlier) - 1)


def _answer_meant(match: re.Match[str], last: Draft, chinese: bool) -> bool:
    """Tell whether a word points to the answer of the question before it, rather than to what that question is about."""
    body = statement(last.text)
    if last.after and referred(last.text):
        return True
    return _chinese_answer_meant(match, body) if chinese else _english_answer_meant(match[0].lower(), body)


def _chinese_answer_meant(match: re.Match[str], body: str) -> bool:
    if body.startswith("什么是"):
        return False
    if match["each"] or (match["own"] and "们" in match["own"]) or match["these"]:
        return bool(re.search(r"哪|谁|有什么|什么(?!是)", body)) and not re.search(r"[^有]是什么$", body)
    if "它" in match[0] and re.search(r"谁|哪一?位", body) and not re.search(r"哪一?[个篇种家部些]|什么", body):
        return False  # 它 is no person
    return bool(re.search(r"哪一?[个篇种位家部些]|谁|什么(?=[^，。？是])", body))


def _english_answer_meant(word: str, body: str) -> bool:
    if word in _PERSONAL:
        defines = _DEFINES.match(body)
        return body.lower().startswith("who") and not (defines and " of " not in defines["x"])
    if re.match(r"^(?:who|when|where|why|how)\b", body, re.IGNORECASE):
        return word in {"they", "them", "their"} and body.lower().startswith("who")
    defines = _DEFINES.match(body)
    if defines and " of " not in defines["x"] and not re.search(r"\b(?:to|for|in|by|used|proposed)\b", defines["x"]):
        return False
    return bool(_ASKS_ANSWER.match(body)) and not (word in {"it", "its"} and asks_several(body))


def _pointer(line: Line, chinese: bool) -> re.Match[str] | None:
    if chinese:
        match = _CHINESE.search(line.mask)
        if match and (match["each"] or "").startswith("分别") and match.start() > 0:
            return None
        return None if match and re.search(r"[A-Za-z\ue000]{2,}", line.mask[: match.start()]) else match
    match = _ENGLISH.search(line.mask)
    if match is None:
        return None
    own = any(token.name for token in line.tokens if token.end <= match.start() and token.start > 0)
    if own and (match["it"] or "").lower() not in {"them", "him", "it"}:
        return None
    if match["it"] and re.match(
        r"\s+(?:possible|necessary|true|important|better)\b", line.mask[match.end() :].removeprefix(" is")
    ):
        return None
    return match


def _put(line: Line, match: re.Match[str], referent: str) -> Draft:
    """Return the draft with the referent in the place of the word that points to it."""
    before, after = line.text[: match.start()], line.text[match.end() :]
    if is_chinese(line.text):
        return Draft(text=question(before + _chinese_put(match, referent, after) + after))
    if match["there"]:
        return Draft(text=question(f"{before}in {referent}{after}"))
    if match["own"]:
        return Draft(text=question(f"{before}{referent}{chr(39) if referent.endswith('s') else chr(39) + 's'}{after}"))
    if not match["these"] or not match["noun"]:
        before = _agreeing(before, referent)
    return Draft(text=question(f"{before}{referent}{after}"))


def _chinese_put(match: re.Match[str], referent: str, after: str) -> str:
    if match["own"]:
        owns = match[0].endswith("的") or (match[0] == "其" and not re.match(r"^(?:是|有|在|如何|怎|为什么)", after))
        return referent + ("的" if owns else "")
    if match["each"] and match["each"] in {"各自", "分别"}:
        return referent + (
            ""
            if after.startswith("的")
            or re.match(
                r"^(?:是|有|在|由|使用|采用|用|如何|怎|提[出升高供]|[达取]到|取得|支持|需要|改[进善]|包含|带来)", after
            )
            else "的"
        )
    return referent


def _agreeing(before: str, referent: str) -> str:
    head, _, verb = before.rstrip().rpartition(" ")
    single = {"are": "is", "were": "was", "do": "does", "have": "has"}.get(verb.lower())
    return f"{head} {single} ".lstrip() if single and len(referent) > 1 and not referent.endswith("s") else before


def _aspect(line: Line, match: re.Match[str]) -> str:
    rest = trimmed(line.text[match.end() :].rstrip("?？.。!")) or trimmed(line.text[: match.start()])
    return re.sub(r"^(?:的|are |is )", "", rest)
