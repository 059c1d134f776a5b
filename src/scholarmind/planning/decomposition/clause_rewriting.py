"""A clause made to stand alone: what a word in it points to is put in its place, and what it leaves out is taken from the clause before.

A word may mean a thing that was named before, or the answer of an earlier part, which then stands as a reference. Where a clause only
lacks what it is about, that is put beside it in brackets (in Chinese in front), so that every part names its subject.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind import languages
from scholarmind.languages import language, pattern
from scholarmind.planning.coreference import NounPhrase, is_verb, members, salient
from scholarmind.planning.decomposition.coordination import listings, put
from scholarmind.planning.drafts import PartDraft, reference, referred
from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    BASE_VERBS,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    FINITE_VERBS,
    FUNCTION,
    PREPOSITIONS,
    WH,
    MaskedLine,
    content,
    is_chinese,
    is_plural,
    question,
    statement,
    time_of,
    trimmed,
)

ENGLISH = language("en")
_DEMONSTRATIVE = pattern("en", "completion.demonstrative")
_SHORT, _SHORT_CHINESE = 4, 16  # words that say something, and characters, of a clause that may lack what it is about
_COMPLETE = pattern("en", "completion.complete")
_POINTER = pattern("en", "completion.pointer")
_CHINESE_POINTER = pattern("zh", "completion.pointer")
_COMPARED = pattern("en", "completion.compared")
_PERSONAL = frozenset("he she him his her".split())
_PLURAL = frozenset("they them their these those both".split())
_DEFINES = pattern("en", "completion.defines")
_ACTS = pattern("en", "completion.acts")
_MEASURES = pattern("en", "completion.measures")
_MAY_BE = pattern("en", "completion.may_be")
_DOER = pattern("en", "completion.doer")
_ORDERED = pattern("en", "completion.ordered")
_WHOLE_OF = pattern("en", "completion.whole_of")
_WHOLE = frozenset("of in for to on about behind".split())
_ARE_THE = pattern("en", "completion.are_the")
_ASKS_FOR = pattern("en", "completion.asks_for")
_CHINESE_TOPIC = pattern("zh", "completion.chinese_topic")
_CHINESE_NAME = pattern("en", "completion.chinese_name")
_ELLIPTIC = pattern("en", "completion.elliptic")
_HEAD = pattern("en", "completion.head")
_NO_SUBJECT = pattern("zh", "completion.no_subject")
_COUNTED = pattern("zh", "completion.counted")
_BARE_ASPECT = pattern("zh", "completion.bare_aspect")
_LISTS_CHINESE = pattern("zh", "completion.lists")
_WITHIN = re.compile(r"(.{2,}?(?:[里内]|中(?![心国文学医央等期毒间层小])))(?=.{2})")
_CHINESE_SCOPE = pattern("zh", "completion.scope")


@dataclass(frozen=True, slots=True)
class _Referent:
    """What a word means: things by name, or answers of earlier parts by their places."""

    things: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    each: bool = False


def completed(clause: MaskedLine, earlier: Sequence[PartDraft], first: MaskedLine | None) -> list[PartDraft]:
    """Return what a clause asks, standing alone: a draft for each thing that it is asked of; [] for one that lacks nothing."""
    if not earlier:
        return []
    chinese = is_chinese(clause.text)
    if seeds := _without_pointers(clause, earlier, chinese):
        return seeds
    if chinese and (seeds := _without_subject(clause, earlier)):
        return seeds
    last = _context_of(earlier)
    begins = languages.of(clause.text).pattern("decompose.goes_on").match(clause.text)
    points = not chinese and _DEMONSTRATIVE.search(clause.text)
    if begins or points or any(not match["each"] for match in _pointers(clause, chinese)):
        # what it points to is not sure: it is asked after the question before, and of what that finds
        return [PartDraft(text=question(clause.text), after=(last,))]
    if first is None:
        return []
    if not chinese and (elliptic := _filled(clause, first)):
        return [PartDraft(text=elliptic)]
    things = things_meant(earlier)
    if any(thing.lower() in clause.text.lower() for thing in things):
        return []
    names = () if chinese else _named(first)
    if names_something(clause) and not (names and _is_definite(clause)):
        return []
    things = tuple(thing for thing in things if not time_of(thing) and not thing.isdigit())
    joint = ("和" if len(things) == 2 else "、") if chinese else ", "
    topic = joint.join(things) if len(things) > 1 else ", ".join(names[:2]) or topic_of(first)
    text = with_topic(clause, topic, _only_time(first.text)) if content(clause.text) else ""
    # whether a question asks which one of its sort something is, of which what follows may be said
    body = statement(earlier[last].text)
    one = (
        (body.lower().startswith("who ") or bool(_ASKS_FOR.match(body)))
        and not chinese
        and f"({topic}" not in earlier[last].text
    )
    after = (last,) if one or not text else ()
    return [PartDraft(text=text or question(clause.text), topics=things, after=after)]


def _only_time(text: str) -> str:
    """Return the time that restricts a text, or '' where it has several."""
    time = time_of(text)
    return "" if time and time_of(text.replace(time, "", 1)) else time


def _named(line: MaskedLine) -> tuple[str, ...]:
    """Return what a line names, with the noun that says of what sort it is: the Hartley lease."""
    found = [thing for thing in _things(line) if thing.named and not time_of(thing.text)]
    names = [thing.text if thing.article else re.sub(r"^(?:[a-z'’-]+ )+(?=[A-Z\d])", "", thing.text) for thing in found]
    return tuple(dict.fromkeys(names))


def _is_definite(clause: MaskedLine) -> bool:
    """Tell whether a clause speaks of what is known already (the roof), and names nothing itself."""
    things = _things(clause)
    known = any(thing.article == "the" and not clause.text[thing.end :].startswith(" of ") for thing in things)
    return known and not any(thing.named for thing in things)


def _things(line: MaskedLine) -> list[NounPhrase]:
    """Return the noun phrases of a line, but those that only ask, or are times."""
    found = [thing for thing in salient(statement(line.text)) if thing.role not in {"asked", "time"}]
    return [thing for thing in found if thing.start or thing.text.split()[0].lower() not in FUNCTION]


def _chinese_scope(line: MaskedLine) -> str:
    """Return what stands in front of the first 的, or of the first word that asks: a name, or a noun with nothing done in it."""
    body = statement(line.text)
    if counted := _COUNTED.match(body):  # 2023年一共数到多少只普氏原羚
        return counted["x"]
    match = _CHINESE_SCOPE.match(body)
    found = match["x"] if match and not CHINESE_QUESTION.search(match["x"]) else ""
    time = time_of(found)
    found = found.replace(time, "", 1) if time else found
    if place := _WITHIN.match(found):  # 租房合同里押金
        return place[1]
    if names := names_in(line):
        name = re.escape(names[0])
        leads = re.search(rf"^[^，的]{{0,3}}{name}|{name}\s*(?:的|[是在有能会]|哪|什么|谁|如何|怎)", body)
        if leads:
            whole = found if re.match(rf"{name}[\u3400-\u9fff]{{1,4}}$", found) else names[0]
            return whole if len(names) == 1 else ""
    if not match or "的" in match["rest"].removesuffix("的"):
        return ""
    things = salient(body)
    noun = next((thing for thing in things if thing.role == "subject"), None)
    return found if noun and found and _with_joined(noun, things).endswith(found) else ""


def with_topic(clause: MaskedLine, topic: str, time: str = "") -> str:
    """Return a short clause that does not say what it is about, with that; or ''."""
    chinese = is_chinese(clause.text)
    body = statement(clause.text)
    if not topic or topic[:1].isdigit() or topic.lower() in body.lower():
        return ""
    time = time if time and time not in topic and not time_of(clause.text) else ""
    if chinese:
        task = CHINESE_ASKING.match(body)
        lead, rest = (body[: task.end()], body[task.end() :]) if task else ("", body)
        return question(f"{lead}{in_front(topic + time.removesuffix('的'), rest)}{rest}")
    return question(f"{body} ({', '.join(filter(None, (topic, time)))})")


def in_front(topic: str, rest: str) -> str:
    """Return what a Chinese clause is about as it stands in front of it: 的 behind an owner, a comma before a clause with a subject."""
    body = statement(rest)
    if _BARE_ASPECT.fullmatch(body) or not CHINESE_QUESTION.search(body):
        return topic if topic.endswith("的") else f"{topic}的"
    chinese = languages.language("zh")
    does = any(chinese.pattern(f"followup.{name}").match(body) for name in ("predicate", "adverbial"))
    return topic if does or _NO_SUBJECT.match(body) else f"{topic}，"


def names_something(clause: MaskedLine) -> bool:
    """Tell whether a clause says what it is about: by a name, by what stands behind a preposition, or by being long."""
    body = clause.mask[: len(statement(clause.text))]
    if is_chinese(clause.text):
        owned = re.match(r"(?![对给跟和与从向把被没]|当[年时月天])([^，的]{2,})的[^，。？]", body)
        return (
            len(body) > _SHORT_CHINESE
            or bool(re.search(r"[A-Za-z\ue000]{2,}|《", body))
            or bool(owned and not CHINESE_QUESTION.search(owned[1]))
        )
    tokens = [token for token in clause.tokens if token.end <= len(body)]
    if len(tokens) == 0 or listings(clause):
        return True
    if (defines := _DEFINES.match(body)) and not re.match(r"\w+ \w+ (?:the|an?|its|their)\b", body):
        return body.split()[1].lower() in {"is", "was"} or " " not in defines["x"]  # what is osmosis
    numbered = any(token.word.isdigit() for token in tokens[1:]) and any(thing.named for thing in _things(clause))
    if (
        numbered
        or any(token.name for token in tokens[1:])
        or (tokens[0].word in {"who", "whose"} and len(tokens) > _SHORT)
    ):
        return True
    return len([token for token in tokens if token.word not in FUNCTION]) > _SHORT or bool(_COMPLETE.search(body))


def names_in(line: MaskedLine) -> tuple[str, ...]:
    """Return the names in a line."""
    if is_chinese(line.text):
        return tuple(
            dict.fromkeys(line.text[match.start() : match.end()] for match in _CHINESE_NAME.finditer(line.mask))
        )
    found: list[tuple[int, int]] = []
    for place, token in enumerate(line.tokens):
        number = bool(found) and token.word[:1].isdigit() and found[-1][1] + 1 == token.start
        if not (token.name or number) or (place == 0 and token.word in FUNCTION | ASKING):
            continue
        if found and found[-1][1] + 1 >= token.start and line.text[found[-1][1] : token.start].isspace():
            found[-1] = (found[-1][0], token.end)
        else:
            found.append((token.start, token.end))
    names = [re.sub(r"['’]s?$", "", trimmed(line.text[start:end]).rstrip(".?!？。")) for start, end in found]
    return tuple(dict.fromkeys(name for name in names if name))


def topics_of(line: MaskedLine) -> tuple[str, ...]:
    """Return what a plain question is about: the names in it, or what it defines or explains."""
    body = statement(line.text)
    if is_chinese(line.text):
        if counted := _COUNTED.match(body):
            return (counted["x"],)
        names, match = names_in(line), _CHINESE_TOPIC.match(body)
        found = trimmed(match["x"]) if match else ""
        time = time_of(found)
        found = trimmed(found.replace(time, "", 1)) if time else found
        found = re.sub(r"..[过了着]$", "", found)  # what was done
        if names and (
            any(name not in found for name in names) or len(names) > 1 or re.search(r"的|和|与|哪|什么|谁", found)
        ):
            return names
        return (found,) if found and not re.search(r"哪|什么|谁|多少|如何|[吗么呢的]$|的是$", found) else ()
    if names := names_in(line):
        return names
    things = _things(line)
    for form in (_DOER, _DEFINES, _MEASURES, _MAY_BE, _ACTS, _ORDERED):
        match = form.match(body)
        noun = re.sub(r"^(?:the|this|an?) ", "", trimmed(match["x"])) if match else ""
        if noun and not FUNCTION.intersection(noun.split()) and any(_ends_alike(noun, thing) for thing in things):
            return (noun,)
    return (things[0].text,) if len({thing.text for thing in things}) == 1 else ()


def _ends_alike(noun: str, thing: NounPhrase) -> bool:
    """Tell whether a noun is a thing, whatever describes it: retrieval-augmented generation."""
    bare = re.sub(r"^(?:the|an?) ", "", thing.text)
    return noun == bare or noun.endswith(f" {bare}")


def topic_of(line: MaskedLine) -> str:
    """Return the one thing that a question is about, in its own words, or ''."""
    if is_chinese(line.text):
        return _chinese_scope(line)
    if names := names_in(line):
        return names[0]
    things = _things(line)
    whole = next((_with_joined(thing, things) for thing in things if thing.preposition in _WHOLE), "")
    return whole or next(iter(topics_of(line)), "")


def _with_joined(thing: NounPhrase, things: Sequence[NounPhrase]) -> str:
    """Return a noun phrase with those that it is joined with, as they stand: lentils or spinach."""
    group = members(thing, things)
    return thing.source[group[0].start : group[-1].end]


def things_meant(earlier: Sequence[PartDraft]) -> tuple[str, ...]:
    """Return the things that the last question, with its likes, was asked of."""
    if not earlier:
        return ()
    last = earlier[-1]
    if last.role != "find" or not last.entity or last.after:
        return last.topics
    row = [
        draft.entity
        for draft in earlier
        if draft.group == last.group and draft.role == "find" and draft.entity and not draft.after
    ]
    things = tuple(dict.fromkeys(row or [last.entity]))
    return things if len(things) > 1 else last.topics


# -- words that point back


def _without_pointers(clause: MaskedLine, earlier: Sequence[PartDraft], chinese: bool) -> list[PartDraft]:
    pointers = _pointers(clause, chinese)
    if not pointers:
        return []
    meant = [_referent(match, earlier, chinese) for match in pointers]
    if not any(one.things or one.places for one in meant):
        return []
    meant = [_owner(one, meant, earlier) for one in meant]
    if len(meant) > 1 and meant[0] == meant[1]:  # two words of a clause do not mean the same, but `it` and `its`
        pointers, meant = (pointers, meant) if pointers[1]["own"] or pointers[0]["own"] else (pointers[:1], meant[:1])
    many = max((one.things or one.places for one in meant), key=len)
    seeds: list[PartDraft] = []
    for number in range(len(many)):
        put = [
            (match, one, number if len(one.things or one.places) == len(many) else 0)
            for match, one in zip(pointers, meant, strict=True)
        ]
        seeds.append(_put(clause, put, earlier, chinese))
    if len(many) < 2:
        return seeds
    seeds = [replace(seed, text=_COMPARED.sub("", seed.text)) for seed in seeds]
    aspect = _aspect(clause, pointers[0])
    return [replace(seed, entity=seed.entity or next(iter(seed.topics), ""), aspect=aspect) for seed in seeds]


def _owner(one: _Referent, meant: Sequence[_Referent], earlier: Sequence[PartDraft]) -> _Referent:
    """Return what `its` means beside `each`: not each of the list, but what the list is of."""
    others = [other for other in meant if other is not one and other.each and other.places == one.places]
    if not others or one.each or not one.places:
        return one
    things = tuple(earlier[place].entity or next(iter(earlier[place].topics), "") for place in one.places)
    return _Referent(things=things) if all(things) else one


def _aspect(clause: MaskedLine, match: re.Match[str]) -> str:
    body = statement(clause.text)
    return re.sub(r"^(?:的|are |is )", "", trimmed(body[match.end() :]) or trimmed(body[: match.start()]))


def _pointers(clause: MaskedLine, chinese: bool) -> list[re.Match[str]]:
    mask = clause.mask[: len(statement(clause.text))]
    if chinese:
        found = list(_CHINESE_POINTER.finditer(mask))
        own = re.search(r"[A-Za-z\ue000]{2,}|《", mask)
        found = [
            match
            for match in found
            if not (own and own.start() < match.start()) and not (match["each"] == "分别" and match.start() > 0)
        ]
        return found[:2]
    found: list[re.Match[str]] = []
    for match in _POINTER.finditer(mask):
        word = match[0].lower()
        named = any(token.name for token in clause.tokens if token.start > 0 and token.end <= match.start())
        if named and word in {"its", "their", "his", "her", "they", "he", "she", "both"}:
            continue
        if mask[match.end() : match.end() + 1] in {"'", "’"} and not match["own"]:
            continue  # they're
        if match["each"] and found and not mask[found[-1].end() : match.start()].strip():
            continue  # they each
        if word == "it" and re.match(
            r"\s+(?:is |was |be )?(?:possible|necessary|true|important|better|that)\b", mask[match.end() :]
        ):
            continue
        if word in {"that", "this"} or (
            word.split()[0] in {"that", "this", "those", "these"} and not _points(mask, match)
        ):
            continue
        if word == "both" and re.search(r"\band\b", mask[match.end() :]):
            continue
        found.append(match)
    return found[:2]


def _points(mask: str, match: re.Match[str]) -> bool:
    """Tell whether `that` points to something, rather than beginning a relative clause."""
    before = mask[: match.start()].split()[-1:]
    if re.match(r"\s+of\b", mask[match.end() :]):
        return False  # those of paracetamol
    if not match["noun"]:
        return not mask[match.end() :].strip() or match[0].lower() in {"these", "those"}
    begins = PREPOSITIONS | WH | {"and", "or", "but"}
    return not before or before[0].lower() in (begins if match[0].lower().startswith("that") else begins | AUX)


def _referent(match: re.Match[str], earlier: Sequence[PartDraft], chinese: bool) -> _Referent:
    """Return what a word means."""
    word = match[0].lower()
    groups = match.groupdict()
    noun = (groups.get("noun") or groups.get("every") or "").lower()
    noun = noun or (groups.get("one") or "").lower()
    topics, last = things_meant(earlier), _last_found(earlier)
    lists = _list_places(earlier, last)
    named = [place for place in lists if noun and _asks_for(earlier[place].text, noun)]
    several = (
        bool(groups.get("each"))
        or word.split()[0] in _PLURAL
        or "们" in word
        or bool(re.match(r"这些|那些|这[两三几]", word))
    )
    if groups.get("order"):
        listed = topics if len(topics) == 2 else ()
        return _Referent(things=listed[:1] if "former" in word else listed[-1:])
    if named:
        row = _row(earlier, named[0])
        return _Referent(places=row, each=bool(groups.get("each")))
    if groups.get("each") and noun:
        return _Referent()  # each class: of something of its own
    if len(topics) > 1 and earlier[last].kind == "reasoning" and not referred(earlier[last].text):
        return _Referent(
            things=topics if several and "他" not in word else topics[: not several]
        )  # behind a question of effect
    if (
        several
        and len(topics) > 1
        and not (lists and all(_is_list(earlier[place].text) for place in _row(earlier, last)))
    ):
        return _Referent(things=topics)
    if _means_answer(match, earlier, last, several=several, chinese=chinese):
        place = _root(match, earlier, last, chinese)
        return _Referent(places=_row(earlier, place), each=bool(groups.get("each")))
    topics = topics or tuple(filter(None, (topic_of(MaskedLine(earlier[last].text, earlier[last].text)),)))
    topics = tuple(topic for topic in topics if not set(topic.lower().split()[:2]) & WH)
    if not chinese and len(topics) == 1 and not _may_be(topics[0], earlier[last].text, several=several):
        return _Referent()
    return _Referent(things=topics[:1] if len(topics) == 1 or not several else topics)


def _may_be(topic: str, text: str, *, several: bool) -> bool:
    """Tell whether a pronoun surely means a thing: it agrees in number, and the thing is the subject, what the subject is of, or alone."""
    things = _things(MaskedLine(text, text))
    meant = next((thing for thing in things if topic in thing.text or thing.text in topic), None)
    if meant is None:
        return True
    if several:
        return meant.plural or meant.named
    central = meant.role == "subject" or meant.preposition == "of"
    return not meant.plural and (central or len({thing.text for thing in things if not thing.plural}) == 1)


def _context_of(earlier: Sequence[PartDraft]) -> int:
    """Return the question that a clause goes on from: the last one that stands alone, or goes on by a `#N`."""
    last = _last_found(earlier)
    standing = (
        place
        for place in range(last, -1, -1)
        if earlier[place].role == "find"
        and (not earlier[place].after or earlier[place].aspect or referred(earlier[place].text))
    )
    return next(standing, last)


def _last_found(earlier: Sequence[PartDraft]) -> int:
    return next((place for place in range(len(earlier) - 1, -1, -1) if earlier[place].role == "find"), len(earlier) - 1)


def _list_places(earlier: Sequence[PartDraft], last: int) -> list[int]:
    """Return the last question and those whose answers it names, that ask for things, the nearest first."""
    places = [last]
    while (needed := referred(earlier[places[-1]].text)) and needed[0] < places[-1]:
        places.append(needed[0])
    places += [place for place in range(last - 1, -1, -1) if place not in places and earlier[place].role == "find"]
    return [place for place in places if _is_list(earlier[place].text)]


def _row(earlier: Sequence[PartDraft], place: int) -> tuple[int, ...]:
    """Return a question with the ones that its clause asks of other things."""
    one = earlier[place]
    if not one.entity or not one.group:
        return (place,)
    return tuple(
        each
        for each, draft in enumerate(earlier)
        if draft.group == one.group and draft.role == "find" and bool(draft.after) == bool(one.after)
    )


def _is_list(text: str) -> bool:
    """Tell whether a question asks for things, which words after it may mean."""
    body = statement(text)
    return (
        bool(_LISTS_CHINESE.search(body) or "谁" in body)
        if is_chinese(text)
        else bool(_ASKS_FOR.match(body) or body.lower().startswith("who") or _asks_which(body))
    )


def _asks_which(body: str) -> bool:
    """Tell whether a question asks which the members of some set are: `Who are the five largest ...?`, `What are the causes of X?`."""
    match = _ARE_THE.match(body)
    return bool(match and len(match["noun"].split()) > 1 and re.match(r"^\S+ \S+ (?:the|all|some|\d|\S+['’]s?) ", body))


def _asks_for(text: str, noun: str) -> bool:
    if is_chinese(text):
        return bool(re.search(rf"(?:哪|什么)[^，。？]{{0,5}}{re.escape(noun)}|{re.escape(noun)}(?:是什么|有哪)", text))
    stem = noun.removesuffix("y") if noun.endswith("y") else noun.removesuffix("ies").removesuffix("s")
    match = _ASKS_FOR.match(statement(text))
    return bool(match and re.search(rf"\b{re.escape(stem)}", match["noun"], re.IGNORECASE))


def _means_answer(
    match: re.Match[str], earlier: Sequence[PartDraft], last: int, *, several: bool, chinese: bool
) -> bool:
    """Tell whether a word means the answer of the question before it, rather than what that question is about."""
    draft, word = earlier[last], match[0].lower()
    body = statement(draft.text)
    if (draft.after and referred(draft.text)) or (word in {"it", "its"} and body.lower().startswith("who")):
        return bool(referred(draft.text))
    if chinese:
        if "他" in word or "她" in word:
            described = "的" in body or not body.endswith("是谁")
            return (described and bool(re.search(r"谁|哪一?位", body))) or not draft.topics
        if body.startswith("什么是") or (not several and draft.topics and re.search(r"[^有]是(?:什么|哪|谁)", body)):
            return False
        singular = re.search(r"哪一?[个篇种位家部]|什么(?=[^，。？是的])", body)
        return (
            bool(_LISTS_CHINESE.search(body))
            if several or match["these"]
            else bool(singular or re.search(r"哪些|有什么", body)) or not draft.topics
        )
    if several and _asks_which(body):
        return True
    if word in _PERSONAL or (word == "they" and body.lower().startswith("who")):
        defines = _DEFINES.match(body)
        return body.lower().startswith("who") and not (defines and " of " not in defines["x"])
    if body.lower().startswith(("who", "when", "where", "why", "how")):
        return body.lower().startswith("who") and not draft.topics
    asks = _ASKS_FOR.match(body)
    if not asks or is_verb(asks["noun"].split()[0], ENGLISH):  # what caused the outage
        found = _DEFINES.match(body)
        return several and bool(found and _WHOLE_OF.search(found["x"]))
    if several:
        return is_plural(_head(asks["noun"]))
    return (
        not is_plural(asks["noun"].split()[0] if " " not in asks["noun"] else _head(asks["noun"])) or not draft.topics
    )


def _head(noun: str) -> str:
    """Return the noun that a phrase asks for: the first plural word, else the last before a verb."""
    words = noun.split()
    return next((word for word in words if is_plural(word)), words[0])


def _root(match: re.Match[str], earlier: Sequence[PartDraft], last: int, chinese: bool) -> int:
    """Return the question whose answer a word means: who acts is a person that was asked for, else what the first of them asked for."""
    body = statement(earlier[last].text).lower()
    person = match[0].lower() in {"he", "she", "they", "him", "his", "her"} and body.startswith("who")
    if person or (chinese and ("他" in match[0] or "她" in match[0]) and "谁" in body):
        return last
    place = last
    while (
        (needed := referred(earlier[place].text))
        and needed[0] < place
        and not (match[0].lower() in {"it", "its"} or match[0] in {"它", "它的"})
    ):
        place = needed[0]
    return place


def _put(
    clause: MaskedLine, put: Sequence[tuple[re.Match[str], _Referent, int]], earlier: Sequence[PartDraft], chinese: bool
) -> PartDraft:
    """Return the clause with what its words mean in their places."""
    text, after, each = statement(clause.text), list[int](), False
    topics: list[str] = []
    entity = ""
    for match, meant, number in sorted(put, key=lambda one: one[0].start(), reverse=True):
        if meant.places:
            place = meant.places[number]
            after.append(place)
            each = each or meant.each
            topics += earlier[place].topics
            entity = earlier[place].entity if len(meant.places) > 1 else entity
            text = _replaced(text, match, reference(place), chinese)
        elif meant.things:
            thing = meant.things[number]
            topics.append(thing)
            entity = thing
            article = any(re.search(rf"\bthe {re.escape(thing)}\b", draft.text) for draft in earlier)
            text = _replaced(text, match, f"the {thing}" if article else thing, chinese)
    if chinese and text.startswith("在") and each and topics:
        text = f"{topics[0]}{text}"
    return PartDraft(
        text=question(text),
        after=tuple(dict.fromkeys(after)),
        each=each,
        topics=tuple(dict.fromkeys(topics)),
        entity=entity,
    )


def _replaced(text: str, match: re.Match[str], referent: str, chinese: bool) -> str:
    before, after = text[: match.start()], text[match.end() :]
    groups = match.groupdict()
    if chinese:
        owns = match[0].endswith("的") or (
            match[0] == "其" and not re.match(r"^(?:是|有|在|如何|怎|为什么|会|能)", after)
        )
        owned = _BARE_ASPECT.fullmatch(after) or not CHINESE_QUESTION.search(after)
        each = groups.get("each") in {"各自", "分别"} and owned and not after.startswith("的")
        return f"{before}{referent}{'的' if owns or each else ''}{after}"
    if groups.get("there"):
        return f"{before}in {referent}{after}"
    if groups.get("own"):
        return f"{before}{referent}{chr(39) if referent.endswith('s') else chr(39) + 's'}{after}"
    return put(before, referent, after) if len(referent) > 1 else f"{before}{referent}{after}"


# -- what is left out


def _filled(clause: MaskedLine, first: MaskedLine) -> str:
    """Return `how many heads` behind `How many layers does BERT have` as `How many heads does BERT have?`."""
    head = _HEAD.match(statement(first.text))
    match = _ELLIPTIC.match(statement(clause.text))
    if match and any(word in BASE_VERBS | FINITE_VERBS for word in match["wh"].lower().split()[2:]):
        return ""
    return question(f"{match['wh']} {head['rest']}") if match and head else ""


def _without_subject(clause: MaskedLine, earlier: Sequence[PartDraft]) -> list[PartDraft]:
    """Return a Chinese clause without a subject (由谁提出) with that of the question before, where this asks for things."""
    last = _last_found(earlier)
    body = statement(clause.text)
    owned = _BARE_ASPECT.fullmatch(body)
    if (
        not (owned or _NO_SUBJECT.match(clause.mask))
        or earlier[last].role != "find"
        or re.search(r"[A-Za-z\ue000]{2,}", clause.mask[:6])
    ):
        return []
    root = _list_places(earlier, last)
    asked = statement(earlier[root[-1]].text).lstrip("0123456789年近最过去以来三五一二两几，") if root else ""
    there_are = (
        re.search(r"有(?:哪些|什么)[^，。？]{1,8}$", asked)
        and not body.startswith("有")
        and (not owned or "谁" in body)
    )
    if not (_LISTS_CHINESE.match(asked) or there_are):
        return []
    place = root[-1]
    return [
        PartDraft(
            text=question(f"{reference(place)}{'的' if owned else ''}{body}"),
            after=(place,),
            topics=earlier[place].topics,
        )
    ]
