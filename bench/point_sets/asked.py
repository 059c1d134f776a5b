"""The questions with their points, and what the reader knows of each, read from the files beside this one.

`*.points` and `*.reader` were written from the documents, each without a look at the other and at the program. "@" names a field of a
made document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

import scholarmind.demo
from point_sets import tea, valley
from point_sets.made import Made

_NOTES = Path(scholarmind.demo.__file__).with_name("notes")
_FRONT = re.compile(r"^---\n(?P<front>.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a full answer says: the words of the passage that says it, and what a sentence must hold that does."""

    aspect: str
    title: str
    words: str
    holds: tuple[tuple[str, ...], ...]  # one of each

    def is_said_by(self, sentence: str) -> bool:
        """Tell whether a sentence says it."""
        folded = sentence.casefold()
        return all(any(word.casefold() in folded for word in words) for words in self.holds)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its points, and how many of its aspects the library cannot answer."""

    kind: str
    text: str
    points: tuple[Point, ...]
    absent: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a source; without a title they stand in one document only."""

    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence that a reader writes where all these words are shown, and the part of its plan that it answers."""

    part: int
    text: str
    sources: tuple[Words, ...]


@dataclass(slots=True)
class Reading:
    """All that a reader has for one question."""

    parts: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list[tuple[str, str, tuple[int, ...]]])
    bridges: list[tuple[int, str, Words]] = field(default_factory=list[tuple[int, str, Words]])
    sentences: list[Read] = field(default_factory=list[Read])


@dataclass(frozen=True, slots=True)
class Collection:
    """A library and what is asked of it: its texts by the name of the file, their titles, the questions, what is read."""

    name: str
    texts: Mapping[str, str]
    titles: Mapping[str, str]
    asked: tuple[Asked, ...]
    readings: Mapping[str, Reading]


def collections() -> Iterator[Collection]:
    """Yield the demo notes and the two made libraries."""
    notes = {path.name: path.read_text(encoding="utf-8") for path in sorted(_NOTES.glob("*.md"))}
    fronts = {name: yaml.safe_load(_front(text)) for name, text in notes.items()}
    yield _collection("demo", notes, {name: str(front["title"]) for name, front in fronts.items()}, None)
    for name, made in (("valley", valley.library()), ("tea", tea.library())):
        texts = made.documents()
        yield _collection(name, {f"{title}.md": text for title, text in texts.items()}, dict(zip(texts, texts)), made)  # noqa: B905


def _front(text: str) -> str:
    found = _FRONT.match(text)
    return found["front"] if found else ""


def _collection(name: str, texts: Mapping[str, str], titles: Mapping[str, str], made: Made | None) -> Collection:
    folder = Path(__file__).parent
    asked = tuple(_asked(folder / f"{name}.points", titles, made))
    readings = _readings(folder / f"{name}.reader", made)
    if missing := [one.text for one in asked if one.text not in readings]:
        raise ValueError(f"the reader of {name!r} knows nothing of {missing[0]!r}")
    whole = "\n".join(texts.values())
    for one in asked:
        for point in one.points:
            if point.words not in whole:
                raise ValueError(f"no document of {name!r} says {point.words!r}")
        for sentence in readings[one.text].sentences:
            for source in sentence.sources:
                if source.words not in whole:
                    raise ValueError(f"no document of {name!r} says {source.words!r}")
    return Collection(name, texts, titles, asked, readings)


def _blocks(path: Path) -> Iterator[tuple[str, list[str]]]:
    question, lines = "", list[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("?"):
            if question:
                yield question, lines
            question, lines = line[1:].strip(), []
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    yield question, lines


def _asked(path: Path, titles: Mapping[str, str], made: Made | None) -> Iterator[Asked]:
    for head, lines in _blocks(path):
        kind, _, text = head.partition(":")
        told = [line.partition("|") for line in lines]
        points = tuple(_point(aspect, rest.strip(), titles, made) for aspect, _, rest in told if aspect != "x")
        yield Asked(kind.strip(), text.strip(), points, sum(aspect == "x" for aspect, _, _ in told))


def _point(aspect: str, told: str, titles: Mapping[str, str], made: Made | None) -> Point:
    if told.startswith("@") and made:
        name, _, of = told[1:].rpartition(".")
        subject = made.by_name[name]
        return Point(aspect, name, _said(subject.words(of)), _holds(subject.holds(of)))
    name, words, holds = (piece.strip() for piece in told.split(" | "))
    return Point(aspect, titles[name], words, _holds(holds))


def _holds(told: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(word.strip() for word in words.split("/")) for words in told.split(" & "))


def _said(words: str) -> str:
    """Return the words as they stand in a made document: a sentence begins with a capital."""
    return words[:1].upper() + words[1:]


def _readings(path: Path, made: Made | None) -> dict[str, Reading]:
    return {question: _reading(lines, made) for question, lines in _blocks(path)}


def _reading(lines: list[str], made: Made | None) -> Reading:
    reading = Reading()

    def words(told: str) -> Words:
        if told.startswith("@") and made:
            name, _, of = told[1:].rpartition(".")
            return Words(name, _said(made.by_name[name].words(of)))
        return Words("", told)

    def part(rest: str) -> None:
        text, kind, *needs = (piece.strip() for piece in rest.split(" | "))
        waits = tuple(int(number) for number in (needs[0].split(",") if needs else ()))
        reading.parts.append((text, kind, waits))

    def bridge(rest: str) -> None:
        number, answer, told = (piece.strip() for piece in rest.split(" | "))
        reading.bridges.append((int(number), answer, words(told)))

    readers: dict[str, Callable[[str], None]] = {"=": part, "~": bridge}
    for line in lines:
        if reader := readers.get(line[0]):
            reader(line[1:].strip())
            continue
        number, _, told = line.partition(">")
        text, *sources = (piece.strip() for piece in told.split(" | "))
        if text.startswith("@") and made:
            name, _, of = text[1:].rpartition(".")
            sentence = Read(int(number), made.by_name[name].read(of), (words(text),))
        else:
            sentence = Read(int(number), text, tuple(map(words, sources)))
        reading.sentences.append(sentence)
    return reading
