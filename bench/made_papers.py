"""Notes on made-up papers that read like real ones: the texts of the demo notes, each time about another method by other people.

Authors, venues and data sets recur as they do in life (Zipf), methods build on earlier ones, references lead to papers of the library and
to others, and every fifth paper has no front matter. The same number gives the same paper every time.
"""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scholarmind.model import Reference

_NOTES = Path(__file__).parents[1] / "src/scholarmind/demo/notes"
_SYLLABLES = [first + second for first in "BCDFGKLMNPRSTVZ" for second in ("a", "e", "i", "o", "u", "or", "en", "ix")]
_FAMILIES = 3_000
_WITHOUT_FRONT_MATTER = 5
_REFERENCES = 24
_AUTHORS = 5
_NEWER = 100_000  # papers that the library does not hold; they are cited all the same


@dataclass
class MadePapers:
    """Papers by number; those of smaller numbers are the older ones."""

    seed: int = 7
    _notes: list[tuple[dict[str, Any], str]] = field(init=False)

    def __post_init__(self) -> None:
        self._notes = [_parts(path.read_text(encoding="utf-8")) for path in sorted(_NOTES.glob("*.md"))]

    def write(self, folder: Path, numbers: range) -> list[Path]:
        """Write papers as Markdown files, and return these."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"paper-{number:06}.md" for number in numbers]
        for path, number in zip(paths, numbers, strict=True):
            path.write_text(self.paper(number), encoding="utf-8")
        return paths

    def paper(self, number: int) -> str:
        """Return a paper as Markdown."""
        rng = random.Random(f"{self.seed} {number}")  # noqa: S311
        front, body = self._notes[number % len(self._notes)]
        earlier = [self._method(_zipf(rng, number)) for _ in range(3)] if number else []
        body = self._about(front, body, number, earlier)
        if number % _WITHOUT_FRONT_MATTER == _WITHOUT_FRONT_MATTER - 1:
            return f"# {self._title(number)}\n\n{body.partition(chr(10))[2]}"
        given = {"title": self._title(number), "authors": self._people(rng), "year": _year(number)}
        given |= {"aliases": [self._method(number)], "builds_on": [*front.get("builds_on", [])[:2], *earlier[:1]]}
        kept = {
            name: front[name]
            for name in ("venue", "groups", "methods", "datasets", "language", "kind")
            if name in front
        }
        return f"---\n{yaml.safe_dump({**kept, **given}, allow_unicode=True, sort_keys=False)}---\n{body}"

    def references(self, number: int) -> tuple[Reference, ...]:
        """Return what a paper cites: for one half papers of the library, as far as there are any."""
        rng = random.Random(f"{self.seed} references {number}")  # noqa: S311
        cited = [
            _zipf(rng, number) if number and rng.random() < 0.5 else _NEWER + _zipf(rng, 20_000)
            for _ in range(_REFERENCES)
        ]
        titles = [self._title(each) for each in dict.fromkeys(cited)]
        return tuple(Reference(text=title, start=0, end=0, title=title) for title in titles)

    def _about(self, front: dict[str, Any], body: str, number: int, earlier: list[str]) -> str:
        """Return a note's text with its own method, and those that it speaks of most, under other names."""
        own = front.get("aliases", [])[:1]
        others = [name for name in front.get("builds_on", []) if name not in own][2:]
        renamed = dict(zip((*own, *others), (self._method(number), *earlier), strict=False))
        for name, other in renamed.items():
            body = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w])", other, body)
        return body

    def _title(self, number: int) -> str:
        front, _ = self._notes[number % len(self._notes)]
        return f"{self._method(number)}: {front['title'].rpartition(': ')[2]}, part {number}"

    def _method(self, number: int) -> str:
        rng = random.Random(f"{self.seed} method {number}")  # noqa: S311
        name = "".join(rng.sample(_SYLLABLES, 3))
        return f"{name}-{rng.randint(2, 9)}" if rng.random() < 0.2 else name

    def _people(self, rng: random.Random) -> list[str]:
        return [_person(_zipf(rng, _FAMILIES)) for _ in range(rng.randint(1, 2 * _AUTHORS))]


def _parts(text: str) -> tuple[dict[str, Any], str]:
    _, front, body = text.split("---\n", 2)
    return yaml.safe_load(front), body


def _person(number: int) -> str:
    rng = random.Random(number)  # noqa: S311
    given, middle, family = ("".join(rng.sample(_SYLLABLES, 2)).capitalize() for _ in range(3))
    return f"{given} {middle[0]}. {family}"


def _year(number: int) -> int:
    return 1995 + number % 30


def _zipf(rng: random.Random, most: int) -> int:
    """Return a number below `most`, the small ones more often."""
    return int(most ** rng.random()) - 1 if rng.random() < 0.5 else rng.randrange(most)
