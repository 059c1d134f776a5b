"""What a pointing word of a follow-up points to: `it`, `they`, `the latter`, `these datasets`, 它, 前者, 这两个模型."""

import re
from typing import Literal

from scholarmind.planning.earlier import THINGS, THINGS_CHINESE, Earlier, joined
from scholarmind.planning.words import AUX, is_plural, statement
from scholarmind.text.patterns import lazy_regex

Points = Literal["one", "person", "several", "pair"]
_MOST_NAMED = 160  # characters; a longer list is described instead
_DATASET = lazy_regex(r"^(?:data ?sets?|benchmarks?|corpus|corpora|data)$|数据|语料|基准", re.IGNORECASE)
_YEAR = lazy_regex(r"^years?$|年", re.IGNORECASE)
_VENUE = lazy_regex(r"^(?:conferences?|venues?)$|会议", re.IGNORECASE)
_PERSON = lazy_regex(
    r"^(?:authors?|researchers?|people|scientists?|inventors?|creators?|teams?|groups?)$|作者|人|团队|学者",
    re.IGNORECASE,
)
_ASKED = lazy_regex(
    rf"^(?:which|what) (?P<noun>(?!(?:{'|'.join(sorted(AUX))})\b).+?) (?P<verb>{'|'.join(sorted(AUX))}) (?P<rest>.+)$",
    re.IGNORECASE,
)
_DOES = lazy_regex(
    rf"^(?:which|what) (?P<noun>(?:[a-z\-]+ ){{0,3}}?(?:{THINGS})) (?P<verb>[a-z]+) (?P<rest>.+)$", re.IGNORECASE
)
_ASKED_CHINESE = lazy_regex(
    rf"^(?P<before>.*?)(?:哪些|哪几[个种篇项]|什么)(?P<what>.*?(?:{THINGS_CHINESE}))(?P<rest>.*)$"
)
_PAPER = lazy_regex(r"^(?:paper|article|study)$|论文|文章", re.IGNORECASE)
VALUE = lazy_regex(r"^(?:scores?|numbers?|results?|values?|figures?)$|分数|得分|数字|结果|数值", re.IGNORECASE)
_MEASURED = lazy_regex(r"\b(?:results?|performance|scores?|accuracy)$|(?:结果|表现|性能|效果|分数|得分)")


def referents(earlier: Earlier, points: Points) -> tuple[str, ...]:
    """Return the names that a pronoun stands for; () where there is nothing to point to."""
    if points == "one":
        return _one(earlier)
    if points == "person":
        wanted = earlier.wanted
        return earlier.answers if wanted and wanted.person else earlier.of_sort("person")
    if points == "pair":
        return _pair(earlier)
    return _several(earlier)


def numbered(earlier: Earlier, place: int) -> tuple[str, ...]:
    """Return the first, second, ... or last (-1) of the things that were named or answered."""
    answers = () if earlier.wanted and earlier.wanted.person else earlier.answers
    things = earlier.topics if len(earlier.topics) > 1 else answers
    things = things if len(things) > 1 else earlier.together
    return (things[place],) if -len(things) <= place < len(things) and len(things) > 1 else ()


def the_other(earlier: Earlier) -> tuple[str, ...]:
    """Return the one of two things that the last question was not about."""
    others = tuple(thing for thing in earlier.together if thing not in referents(earlier, "one"))
    return others if len(others) == 1 else ()


def of_noun(earlier: Earlier, noun: str, *, several: bool) -> tuple[str, ...]:
    """Return what `this model`, `these datasets` or 该论文 stand for."""
    if VALUE.search(noun):
        return (_value(earlier, noun),) if earlier.topics else ()
    wanted = earlier.wanted
    sort = (
        "dataset" if _DATASET.search(noun) else "year" if _YEAR.search(noun) else "venue" if _VENUE.search(noun) else ""
    )
    if sort:
        asked = wanted and _same_noun(wanted.noun, noun)
        found = (earlier.answers or _described(earlier)) if asked else earlier.of_sort(sort)
        return found if several or asked else found[:1]
    if _PERSON.search(noun):
        chinese = earlier.chinese
        described = (
            f"{earlier.topics[0]}的作者"
            if chinese and earlier.topics
            else "".join(f"the authors of {topic}" for topic in earlier.topics[:1])
        )
        people = earlier.answers if wanted and wanted.person else earlier.of_sort("person")
        return people or ((described,) if described else ())
    if _PAPER.search(noun) and not several and not earlier.answers:
        paper = "{}的论文" if earlier.chinese else "the {} paper"
        return tuple(paper.format(topic) for topic in earlier.subjects[:1])
    if wanted and not _same_noun(wanted.noun, noun):  # these models, where the last question asked for data
        return earlier.together if several else earlier.subjects[:1]
    return referents(earlier, "several" if several else "one")


def where(earlier: Earlier, aspect: str) -> str:
    """Return `on GLUE` for what is measured on the data sets of the last question; '' for what is not."""
    names = [name for name in earlier.of_sort("dataset") if name not in earlier.subjects]
    if not names or not _MEASURED.search(aspect):
        return ""
    listed = joined(names, chinese=earlier.chinese)
    return f"在{listed}上" if earlier.chinese else f" on {listed}"


def _one(earlier: Earlier) -> tuple[str, ...]:
    wanted = earlier.wanted
    if wanted and not wanted.person and not wanted.several and earlier.answers:
        return earlier.answers[:1]
    return (
        earlier.subjects[:1]
        or earlier.topics[:1]
        or ((joined(earlier.answers, chinese=earlier.chinese),) if earlier.answers else ())
    )


def _several(earlier: Earlier) -> tuple[str, ...]:
    wanted = earlier.wanted
    if wanted and (wanted.person or wanted.several):
        if earlier.answers and sum(map(len, earlier.answers)) <= _MOST_NAMED:
            return earlier.answers
        if not wanted.person and len(earlier.topics) < 2:
            return _described(earlier)
    if len(people := earlier.of_sort("person")) > 1:
        return people
    if len(earlier.subjects) == 1 and is_plural(earlier.subjects[0]):
        return earlier.subjects
    if len(earlier.topics) > 1 or (earlier.topics and is_plural(earlier.topics[0])):
        return earlier.topics
    return earlier.together or earlier.answers


def _pair(earlier: Earlier) -> tuple[str, ...]:
    """Return all that can be laid beside each other, or ()."""
    for things in (earlier.topics, earlier.answers, earlier.together):
        if len(things) > 1:
            return things
    return ()


def _described(earlier: Earlier) -> tuple[str, ...]:
    """Return words for what was asked for and not answered by names: the datasets of RoBERTa."""
    body = statement(earlier.question)
    if earlier.chinese:
        match = _ASKED_CHINESE.match(body)
        if not match:
            return earlier.topics
        before = re.sub(r"了$", "", match["before"])
        return (f"{before}的{match['what']}" if before else f"{match['rest']}的{match['what']}",)
    match = _ASKED.match(body) or _DOES.match(body)
    if not match:
        return earlier.topics
    noun, verb, rest = match["noun"], match["verb"], match["rest"]
    subject = next((name for name in earlier.topics if rest.startswith(name)), "")
    if subject:
        return (f"the {noun} that {subject} {verb}{rest[len(subject) :]}",)
    return (f"the {noun} that {verb} {rest}",)


def _value(earlier: Earlier, noun: str) -> str:
    """Return words for the number that was asked for, with what restricts it."""
    things = joined(earlier.topics, chinese=earlier.chinese)
    datasets = [name for name in earlier.of_sort("dataset") if name not in earlier.topics]
    metric = joined(earlier.of_sort("metric")[:1], chinese=earlier.chinese)
    where = joined(datasets, chinese=earlier.chinese)
    if earlier.chinese:
        return f"{things}{f'在{where}上' if where else ''}的{metric}{noun}"
    return f"the {f'{metric} ' if metric else ''}{noun} of {things}{f' on {where}' if where else ''}"


def _same_noun(one: str, other: str) -> bool:
    return bool(_DATASET.search(one)) == bool(_DATASET.search(other)) and (
        bool(_DATASET.search(one)) or one.lower().rstrip("s") == other.lower().rstrip("s")
    )
