"""What stands behind the `=` of a BibTeX field: braces, quotation marks, numbers, abbreviations, and pieces put together with #."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_VALUE = 2_000_000
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_BRACE = re.compile(r"(?<!\\)[{}]")
_BRACE_OR_QUOTE = re.compile(r"(?<!\\)[{}\"]")
_BARE = re.compile(r"[^\s#{}\",=]+")
_JOINT = re.compile(r"\s*#\s*")


@dataclass(slots=True)
class Macros:
    """The abbreviations that a file has defined so far; months mean themselves. `unknown` are those that it uses all the same."""

    known: dict[str, str] = field(default_factory=lambda: {month: month for month in _MONTHS})
    unknown: set[str] = field(default_factory=set[str])

    def define(self, name: str, raw: str) -> None:
        """Take in an abbreviation; it may rest on earlier ones."""
        self.known[name.casefold()] = self.value(raw)[0]

    def value(self, raw: str) -> tuple[str, str]:
        """Return the text that is meant, and what stands behind it where nothing should stand."""
        if raw.startswith("{") and raw.endswith("}") and "{" not in raw[1:]:  # nearly all of them
            return raw[1:-1], ""
        pieces: list[str] = []
        position = size = 0
        while position < len(raw):
            piece, position = self._piece(raw, position)
            size += len(piece)
            if size <= LONGEST_VALUE:  # abbreviations of abbreviations multiply
                pieces.append(piece)
            joint = _JOINT.match(raw, position)
            if joint is None:
                break
            position = joint.end()
        return "".join(pieces), raw[position:].strip(" \t\n,")

    def _piece(self, raw: str, start: int) -> tuple[str, int]:
        if raw[start] == "{":
            end = _closing(raw, start)
            return raw[start + 1 : end], end + 1
        if raw[start] == '"':
            end = _quote(raw, start)
            return raw[start + 1 : end], end + 1
        found = _BARE.match(raw, start)
        if found is None:
            return "", len(raw)
        return self._meaning(found[0]), found.end()

    def _meaning(self, word: str) -> str:
        if word.isdigit():
            return word
        if word.casefold() not in self.known:
            if re.match(r"[^\W\d]", word):
                self.unknown.add(word)
            return word
        return self.known[word.casefold()]


def _closing(raw: str, start: int) -> int:
    depth = 0
    for mark in _BRACE.finditer(raw, start):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return mark.start()
    return len(raw)


def _quote(raw: str, start: int) -> int:
    depth = 0
    for mark in _BRACE_OR_QUOTE.finditer(raw, start + 1):
        if mark[0] == '"' and depth <= 0:
            return mark.start()
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return len(raw)


_INHERITED_UNDER: Mapping[str, str] = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}
_OWN = frozenset(
    "abstract annote annotation author comment crossref doi eprint entryset execute file groups ids keywords key label language note "
    "options pages pdf presort related relatedtype shorthand shorttitle sortkey sortname sorttitle timestamp owner url xdata xref".split()
)
_MOST_STEPS = 5
_MOST_POINTERS = 50


def inherited(fields: Mapping[str, str], entries: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the fields with those of other entries: all of an `xdata`, and of a `crossref` what a part has of its whole."""
    return _inherited(fields, entries, set(), 0)


def _inherited(
    fields: Mapping[str, str], entries: Mapping[str, Mapping[str, str]], seen: set[str], steps: int
) -> dict[str, str]:
    found = dict(fields)
    for name in ("xdata", "crossref"):
        for key in pointed_at(found, name)[:_MOST_POINTERS]:
            if key in seen or key not in entries or steps == _MOST_STEPS:  # they may point at each other
                continue
            seen.add(key)
            _take(found, fields, _inherited(entries[key], entries, seen, steps + 1), whole=name == "crossref")
    return found


def _take(found: dict[str, str], fields: Mapping[str, str], other: Mapping[str, str], *, whole: bool) -> None:
    for name, value in other.items():
        if not whole:
            found.setdefault(name, value)
        elif name not in _OWN:
            found.setdefault(_INHERITED_UNDER.get(name, name), value)
    if whole and "booktitle" in other:  # BibTeX wants a book to say its title twice
        found["booktitle"] = fields.get("booktitle", other["booktitle"])


def pointed_at(fields: Mapping[str, str], name: str) -> list[str]:
    """Return the keys, in small letters, in a field that points at other entries."""
    keys = (key.strip().casefold() for key in fields.get(name, "").strip('{}" ').split(","))
    return [key for key in keys if key]
