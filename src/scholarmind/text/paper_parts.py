"""The parts of a paper: which of them each of its sentences stands in, told from headings, labels in front of text, and numbers.

Headings need not be marked as such: `2. MATERIAL AND METHODS` in a line of its own is one, `**Abstract.** Savings groups ...` begins with
one, and so does `方法 选取...` within a structured abstract. A section within another that is called like no part is of that part.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, cast

from scholarmind.text.analysis import fold, sentences
from scholarmind.text.section_names import names_abstract, names_references, names_thanks

Part = Literal[
    "front",
    "abstract",
    "keywords",
    "introduction",
    "related",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "limitations",
    "thanks",
    "references",
    "body",
]
_FILE = Path(__file__).with_name("paper_parts.toml")
_LONGEST_NAME, _MOST_WORDS = 70, 9
_ENDS = tuple("。；;！？!?,，、")
_BEFORE_TEXT = frozenset(("front", "abstract", "keywords"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSentence:
    """A sentence of a paper without the label in front of it, and where in the paper it stands."""

    text: str
    start: int
    end: int
    part: Part
    within: Part  # a part of the abstract that is labelled so; else the same
    heading: str = ""
    share: float = 0.0  # of its block that stands before it

    @property
    def own(self) -> bool:
        """Whether the authors speak of themselves or of their work."""
        return _pattern("own").search(self.text) is not None

    @property
    def cites(self) -> bool:
        """Whether it tells of another work, and not of the paper's own."""
        return _pattern("cited").search(self.text) is not None and not self.own


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a walk through a paper has come to: the part, its heading, and how deep that lies."""

    part: Part = "front"
    heading: str = ""
    level: int = 0


@cache
def _told() -> dict[str, dict[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    told = _told()["patterns"]
    return re.compile(told[name].replace("{number}", told["number"]))


@cache
def _names() -> tuple[tuple[Part, re.Pattern[str]], ...]:
    return tuple((cast("Part", part), re.compile(names, re.IGNORECASE)) for part, names in _told()["names"].items())


def without_citations(text: str) -> str:
    """Return a text with spaces where it names other works, so that their years are none of its own."""
    return _pattern("cited").sub(lambda match: " " * len(match[0]), text)


@cache
def part_named(heading: str) -> Part | None:
    """Return the part of a paper that a heading names; None if it names none."""
    if names_references(heading):
        return "references"
    if names_abstract(heading):
        return "abstract"
    if names_thanks(heading) or re.search(_pattern("paid").pattern, heading, re.IGNORECASE):
        return "thanks"
    if re.fullmatch(_pattern("both").pattern, heading.strip(), re.IGNORECASE):
        return "body"
    return next((part for part, names in _names() if names.search(heading)), None)


def paper_sentences(text: str, spans: Sequence[tuple[int, int]], title: str = "") -> list[PaperSentence]:
    """Return the sentences of a paper that lie in these spans of its text, in order; its title names no part of it."""
    found: list[PaperSentence] = []
    place, begin, name = _Place(), 0, re.sub(r"\W+", "", fold(title))
    for line in re.finditer(r"[^\n]+\n?|\n", text):
        heading = _heading(line[0].strip())
        is_text = bool(line[0].strip()) and heading is None
        if is_text and _pattern("label").match(line[0]) is None:
            continue
        # a block ends at a heading, at an empty line, and where a line begins with a label
        place = _read(text, (begin, line.start()), place, found)
        begin = line.start() if is_text else line.end()
        if heading and re.sub(r"\W+", "", fold(heading[0])) == name:
            place = _Place("front", title)
        elif heading:
            place = _moved(place, *heading)
    _read(text, (begin, len(text)), place, found)
    if all(one.part == "front" for one in found):  # no part has a name
        found = [replace(one, part="body", within="body") for one in found]
    return [one for one in found if any(start <= one.start < end for start, end in spans)]


def _heading(line: str) -> tuple[str, int, bool] | None:
    """Return the name of a heading, its level, and whether it is marked as one; None if a line is none."""
    match = _pattern("heading").match(line) if line and not line.endswith(_ENDS) else None
    label = _pattern("label").match(line)
    if match is None or (label and label.end() < len(line)):
        return None
    name, number = match["name"].strip(), match["number"]
    if match["marks"]:
        return name, len(match["marks"]), True
    is_one = any(match.group("bold", "number", "counted", "inner")) or name.isupper() or part_named(name) is not None
    fits = len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS and any(map(str.isalpha, name))
    if not is_one or not fits or (line.endswith(".") and not match["bold"]):
        return None
    return name, 2 if match["inner"] else number.count(".") + 1 if number else 1, False


def _moved(place: _Place, name: str, level: int, marked: bool) -> _Place:
    """Return the place below a heading; what is called like no part belongs to the part that it is within."""
    part = part_named(name)
    is_inside = level > place.level and place.part not in _BEFORE_TEXT
    if part is None:
        is_title = marked and place == _Place()
        return _Place(
            place.part if is_inside else "front" if is_title else "body", name, place.level if is_inside else level
        )
    if is_inside and place.part in {"methods", "results"}:  # "Results of the pilot" within the methods
        return replace(place, heading=name)
    return _Place(part, name, level)


def _read(text: str, block: tuple[int, int], place: _Place, found: list[PaperSentence]) -> _Place:
    """Add the sentences of a block to those that were found, and return the place that goes on behind it."""
    start, end = block
    goes_on = place
    is_inner = place.part == "abstract" and _pattern("in_abstract").match(text[start:end].lstrip())
    if not is_inner and (label := _pattern("label").match(text[start:end])):
        name = next(filter(None, label.group("bold", "boxed", "han", "inner_han", "plain"))).strip()
        part = part_named(name)
        if part or label["bold"] or label["inner_han"]:
            start += label.end()
            place = _Place(part or ("body" if place.part in _BEFORE_TEXT else place.part), name, place.level)
            goes_on = _Place("body", "", place.level) if part in {"abstract", "keywords", "thanks"} else place
    within = place.part
    for first, last in sentences(text, start, end):
        begin = first
        if place.part == "abstract" and (named := _pattern("in_abstract").match(f"{text[first:last]} -")):
            is_aim = re.fullmatch(_pattern("aim").pattern, named["name"])
            within = "introduction" if is_aim else part_named(named["name"]) or "abstract"
            begin = first + named.end()
            if begin >= last:  # "Methods." before the sentences of that part
                continue
        found.append(
            PaperSentence(
                text=text[begin:last].replace("\n", " "),
                start=begin,
                end=last,
                part=place.part,
                within=within,
                heading=place.heading,
                share=(first - start) / max(1, end - start),
            )
        )
    return goes_on
