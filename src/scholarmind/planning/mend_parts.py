"""The mendings of a model's plan, part by part: each function is one step over the sheet, and says in a note what it did."""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.plan import Kind, Plan, Role
from scholarmind.planning.draft import Draft, reference, referred
from scholarmind.planning.foreign import other_language
from scholarmind.planning.grounds import Grounds
from scholarmind.planning.kinds import kind_of
from scholarmind.planning.plan_reply import PlannedPart
from scholarmind.planning.protected import REFERENCES
from scholarmind.planning.repeats import sameness
from scholarmind.planning.sheet import Sheet, plain
from scholarmind.planning.vague import only_points, pointed, points_back, putting_together
from scholarmind.planning.words import CHINESE, capital, content, question
from scholarmind.text.analysis import terms

_ENDS = ("?", "？", ".", "。", "!", "！")
_LONGEST_PART = 600  # characters, or one and a half times the question
_MOST_ROWS = 12
_KINDS: dict[str, Kind] = {  # how the words begin that models have for a kind
    "fact": "factual",
    "lookup": "factual",
    "reason": "reasoning",
    "relation": "reasoning",
    "causal": "reasoning",
    "compar": "reasoning",
    "analy": "reasoning",
    "global": "global",
    "summary": "global",
    "summari": "global",
    "overview": "global",
    "survey": "global",
}


def read_kinds(sheet: Sheet, parts: Sequence[PlannedPart], grounds: Grounds) -> None:
    """Give each part its kind, and the questions that it asks of several things, where these are its own."""
    for place, draft in sheet.walk():
        part = parts[place]
        rows = [_finished(plain(row)) for row in part.rows[:_MOST_ROWS]]
        sound = len(rows) > 1 and not draft.after and all(_is_row(row, grounds) for row in rows)
        kind = _kind(part.kind, draft.text)
        sheet.put(place, replace(draft, text=_finished(draft.text), kind=kind, asks=tuple(rows) if sound else ()))


def _is_row(text: str, grounds: Grounds) -> bool:
    """Tell whether a row asks something of the question, and guesses nothing."""
    words = " ".join(content(text))
    return 0 < len(text) <= _LONGEST_PART and bool(words) and grounds.touches(words) and not grounds.guesses(text)


def _finished(text: str) -> str:
    """Return a question with its capital and its mark; one that only points at others says so in words, not by references."""
    if only_points(text):
        text = REFERENCES.sub("…", text)
    text = re.sub(r"\s+(?=[?？]$)", "", text)
    if not re.search(r"\w", text) or text.endswith(_ENDS):
        return capital(text)
    return question(text)


def _kind(told: str, text: str) -> Kind:
    word = told.strip().lower()
    for begin, kind in _KINDS.items():
        if word.startswith(begin):
            return kind
    return kind_of(REFERENCES.sub("", text))


def refuse_unusable(sheet: Sheet, asked: str, grounds: Grounds) -> None:
    """Take out what is empty, too long, in another language, or about something else."""
    longest = max(_LONGEST_PART, len(asked) * 3 // 2)
    for place, draft in sheet.walk():
        if why := _unusable(draft, asked, grounds, longest):
            sheet.refuse(place, why)
    sheet.prune()


def _unusable(draft: Draft, asked: str, grounds: Grounds, longest: int) -> str:
    text = REFERENCES.sub(" ", draft.text)
    if not re.search(r"\w", text):
        return "was empty"
    if len(text) > longest:
        return "was too long"
    if other_language(text, asked):
        return "was not in the language of the question"
    tied = bool(draft.after) or only_points(text) or points_back(text) is not None
    if not tied and not grounds.touches(" ".join(content(text))):
        return "had nothing to do with the question"
    return ""


def refuse_repeats(sheet: Sheet, asked: str) -> None:
    """Take out parts that ask what another one asks, also in another order of words, or what the whole question asks."""
    first: dict[object, int] = {}
    for place, _ in sheet.walk():
        same = sameness(sheet.drafts[place])
        if same in first:
            sheet.repeat(place, first[same])
        else:
            first[same] = place
    whole = first.get(sameness(Draft(text=asked)))
    others = [place for place, draft in sheet.drafts.items() if draft.role == "find" and place != whole]
    if whole is not None and whole in sheet.drafts and len(others) > 1 and _is_free(sheet, whole):
        sheet.note(f"{sheet.name(whole)} repeated the whole question and was left out")
        del sheet.drafts[whole]
    sheet.prune()


def _is_free(sheet: Sheet, place: int) -> bool:
    """Tell whether a part waits for none and none is built on its answer."""
    return not sheet.drafts[place].after and not any(place in referred(draft.text) for draft in sheet.drafts.values())


def break_circles(sheet: Sheet) -> None:
    """Drop each dependency that closes a circle; where the text names it, its words are put there instead."""
    waits = [(place, each) for place, draft in sheet.walk() for each in draft.after]
    for place, draft in sheet.walk():
        sheet.put(place, replace(draft, after=()))
    for place, each in sorted(waits, key=lambda pair: pair[1] > pair[0]):  # those that point forward come last
        if place not in sheet.drafts or each not in sheet.drafts:
            continue
        draft = sheet.drafts[place]
        if not sheet.reaches(each, place):
            sheet.put(place, replace(draft, after=(*draft.after, each)))
            continue
        sheet.note(f"{sheet.name(place)} waited for a part that waits for it: it waits no more")
        if each in referred(draft.text):
            _say_instead(sheet, place, each)
    sheet.prune()


def _say_instead(sheet: Sheet, place: int, each: int) -> None:
    draft, other = sheet.drafts[place], sheet.drafts[each]
    if referred(other.text):
        sheet.refuse(place, "needed an answer that needs its own")
    else:
        sheet.put(place, replace(draft, text=draft.text.replace(reference(each), sheet.described(each))))


def mend_roles(sheet: Sheet, parts: Sequence[PlannedPart], entities: Sequence[str]) -> None:
    """Tell parts that look something up from those that put others together; the latter speak of the others in words."""
    wanted = {place for draft in sheet.drafts.values() for place in referred(draft.text)}
    for place, draft in sheet.walk():
        sheet.put(place, replace(draft, role="find" if place in wanted else _role(parts[place].kind, draft)))
    _name_sides(sheet, entities)
    for place, draft in sheet.walk():
        if draft.role != "find":
            text = REFERENCES.sub(lambda match: sheet.described(ord(match[0]) - ord(reference(0))), draft.text)
            kind: Kind | None = "reasoning" if draft.role == "compare" else draft.kind
            sheet.put(place, replace(draft, text=text, kind=kind, entity="", aspect=""))
    tie_together(sheet)


def _name_sides(sheet: Sheet, entities: Sequence[str]) -> None:
    """Say of each part of a comparison which side it is about, where its text names one that not all of them name."""
    finds = {place: draft for place, draft in sheet.drafts.items() if draft.role == "find"}
    if len(finds) == len(sheet.drafts) or len(finds) < 2:
        return
    apart = [name for name in dict.fromkeys(entities) if not all(name in draft.text for draft in finds.values())]
    for place, draft in finds.items():
        named = [name for name in apart if name in draft.text]
        if not draft.entity and len(named) == 1:
            sheet.put(place, replace(draft, entity=named[0]))


def _role(told: str, draft: Draft) -> Role:
    if only_points(draft.text):
        return putting_together(draft.text)
    compares = putting_together(draft.text) == "compare"
    word = told.strip().lower()
    if word.startswith("compar") or (compares and len(draft.after) > 1):
        return "compare" if compares or len(draft.after) > 1 else "find"
    if word.startswith(("conclu", "synth", "summa")) and (
        len(draft.after) > 1 or (draft.after and not referred(draft.text))
    ):
        return "conclude"
    return "find"


def tie_together(sheet: Sheet) -> None:
    """Let a part that puts others together wait for them: for those that it named, or for all."""
    finds = [place for place, draft in sheet.drafts.items() if draft.role == "find"]
    for place, draft in sheet.walk():
        if draft.role == "find" or draft.after:
            continue
        if after := tuple(each for each in finds if not sheet.reaches(each, place)):
            sheet.put(place, replace(draft, after=after))
        elif only_points(draft.text):
            sheet.refuse(place, "had nothing to put together")
        else:
            sheet.put(place, replace(draft, role="find"))


def mend_pointers(sheet: Sheet, asked: str, entities: Sequence[str], ruled: Plan) -> None:
    """Say what `it` is in a part that begins with it: the answer that the part waits for, or what the question is about."""
    if points_back(asked) is not None:
        return  # the question does not say it either
    for place, draft in sheet.walk():
        match = points_back(REFERENCES.sub("\u2060", draft.text)) if not only_points(draft.text) else None
        if match is None:
            continue
        text = _said_in_full(sheet, draft, entities) or _of_the_rules(draft, ruled)
        if not text:
            sheet.refuse(place, f"began with {match[0]!r} and did not say what that is")
            continue
        sheet.put(place, replace(draft, text=text, after=tuple(dict.fromkeys((*draft.after, *referred(text))))))
        sheet.note(f"{sheet.name(place)} did not say what {match[0]!r} is: it was filled in")
    sheet.prune()


def _said_in_full(sheet: Sheet, draft: Draft, entities: Sequence[str]) -> str:
    free = [each for each in draft.after if each not in referred(draft.text) and each in sheet.drafts]
    if draft.role != "find" and free:
        both = [sheet.described(each) for each in free]
        return pointed(draft.text, listed(both, chinese=bool(CHINESE.search(draft.text))))
    if len(free) == 1:
        return pointed(draft.text, reference(free[0]))
    if draft.entity or len(entities) == 1:
        return pointed(draft.text, draft.entity or entities[0])
    return ""


def listed(things: Sequence[str], *, chinese: bool) -> str:
    """Return several things in a row as one would say them."""
    comma, joint = ("、", "和") if chinese else (", ", " and ")
    each = list(dict.fromkeys(things))
    return joint.join(filter(None, (comma.join(each[:-1]), each[-1])))


def _of_the_rules(draft: Draft, ruled: Plan) -> str:
    """Return the part of the rule plan that is most like this one."""
    words = set(terms(draft.text))
    free = [part for part in ruled.parts if len(ruled.parts) > 1 and part.role == "find" and not part.depends_on]
    best = max(free, key=lambda part: len(words & set(terms(part.text))), default=None)
    return best.text if best and words & set(terms(best.text)) else ""
