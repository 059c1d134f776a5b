"""The references of a LaTeX source, and how its text points at them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_ITEM = re.compile(r"\\bibitem\s*(?:\[|(?=\{))")
_BRACKET = re.compile(r"[\]{}]")
_KEY = re.compile(r"\s*\{([^{}]*)\}")
_AUTHOR_YEAR = re.compile(r"(?P<authors>.+?)\s*\((?P<year>[^()]*\d{4}\w?|n\.?\s?d\.?|[^()]{0,30})\)")
_NUMBERS = re.compile(
    r"\\(?:usepackage|setcitestyle|PassOptionsToPackage)\s*[\[{][^\]}]*(?:numbers|super)|\\bibpunct(?:\[[^\]]*\])?(?:\{[^}]*\}){3}\{[ns]\}"
)
_LONGEST_LABEL = 2_000
_MOST = 20_000
_BARE = ("citealp", "citealt")

Plain = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Cited:
    """A reference: how the text points at it by number or label, or by author and year."""

    label: str
    authors: str = ""
    year: str = ""


@dataclass(slots=True)
class Citations:
    """The list of references, one a line, and what to write for each way of citing."""

    lines: list[str] = field(default_factory=list[str])
    by_key: dict[str, Cited] = field(default_factory=dict[str, Cited])

    def text(self, command: str, keys: Sequence[str], notes: Sequence[str]) -> str:
        """Return what the command prints for these keys, with its notes before and behind."""
        if command == "nocite":
            return ""
        before = f"{notes[0]} " if len(notes) > 1 and notes[0] else ""
        behind = f", {notes[-1]}" if notes and notes[-1] else ""
        known = [self.by_key.get(key) or Cited(key) for key in keys]
        if not any(cited.authors for cited in known):
            return f"[{before}{', '.join(cited.label for cited in known)}{behind}]"
        return _by_author(command.lower(), known, before, behind)


def citations_of(source: str, bibliography: str, plain: Plain) -> Citations:
    r"""Return the references of `\bibitem`s, wherever they are."""
    found = Citations()
    body = bibliography if r"\bibitem" in bibliography or r"\entry{" in bibliography else source
    if r"\entry{" in body and r"\bibitem" not in body:
        return _from_biblatex(body, plain)
    numbered = _NUMBERS.search(source) is not None
    items = list(_ITEM.finditer(body))[:_MOST]
    for number, item in enumerate(items, start=1):
        stop = items[number].start() if number < len(items) else _end(body, item.end())
        label, position = _label(body, item) if body[item.end() - 1] == "[" else ("", item.end())
        key = _KEY.match(body, position)
        if key is None:
            continue
        text = plain(body[key.end() : stop].replace(r"\newblock", " "))
        cited = _cited(plain(label), number, numbered=numbered)
        found.by_key[key[1].strip()] = cited
        if text:
            found.lines.append(text if cited.authors else f"[{cited.label}] {text}")
    return found


def _end(body: str, start: int) -> int:
    end = body.find(r"\end{thebibliography}", start)
    return end if end >= 0 else len(body)


def _label(body: str, item: re.Match[str]) -> tuple[str, int]:
    """Return the label in brackets, which may have brackets in braces, and where it ends."""
    depth = 0
    for found in _BRACKET.finditer(body, item.end(), item.end() + _LONGEST_LABEL):
        depth += (found[0] == "{") - (found[0] == "}")
        if found[0] == "]" and depth <= 0:
            return body[item.end() : found.start()], found.end()
    return "", item.end()


def _cited(label: str, number: int, *, numbered: bool) -> Cited:
    match = _AUTHOR_YEAR.match(label)
    if match and not numbered:
        return Cited("", match["authors"].strip(" ,"), match["year"])
    return Cited(str(number) if match or not label else label)


def _by_author(command: str, known: Sequence[Cited], before: str, behind: str) -> str:
    named = [(cited.authors or cited.label, cited.year) for cited in known]
    if "author" in command:
        return "; ".join(authors for authors, _ in named)
    if "year" in command:
        years = ", ".join(year for _, year in named)
        return f"({years})" if "par" in command else years
    told = "; ".join(f"{authors}, {year}" if year else authors for authors, year in named)
    if command.startswith(_BARE):
        return f"{before}{told}{behind}"
    if command.startswith(("citet", "textcite", "newcite", "shortcite")):
        return "; ".join(f"{authors} ({before}{year}{behind})" for authors, year in named)
    return f"({before}{told}{behind})"


def _from_biblatex(body: str, plain: Plain) -> Citations:
    r"""Return the references of biblatex's own file, which has them in fields."""
    found = Citations()
    entries = re.split(r"\\entry\{", body)[1 : _MOST + 1]
    for entry in entries:
        key = entry.split("}", 1)[0]
        fields = {
            name: plain(value)
            for name, value in re.findall(r"\\(?:field|strng)\{(\w+)\}\{(.*)\}[ \t]*$", entry, re.MULTILINE)
        }
        if key in found.by_key:
            continue
        people = entry.partition(r"\name{author}")[2].partition(r"\strng")[0]
        given, family = re.findall(r"\bgiven=\{+([^{}]*)\}", people), re.findall(r"\bfamily=\{+([^{}]*)\}", people)
        names = [plain(" ".join(pair)) for pair in zip(given, family, strict=False)] or [plain(name) for name in family]
        doi = re.search(r"\\verb\{doi\}\s*\\verb\s+(\S+)", entry)
        venue = fields.get("journaltitle") or fields.get("booktitle") or ""
        parts = [", ".join(names), fields.get("title", ""), venue, fields.get("year", ""), doi[1] if doi else ""]
        number = str(len(found.by_key) + 1)
        found.by_key[key] = Cited(number)
        found.lines.append(f"[{number}] {'. '.join(part for part in parts if part)}")
    return found
