"""Headings: which lines they are, how they are numbered, and how deep each is.

Signs are the numbering, size, weight and capitals; the outline that a file brings along (its bookmarks) is believed where it is
mostly true.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from scholarmind.adapters.readers.pdf.page import Printed, Style, TextLine, TextPage
from scholarmind.identity import letters_of

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]


# -- numbers of headings, and names of sections

REFERENCES = re.compile(
    r"(?:(?:(?:notes|literature|select(?:ed)?|annotated|general|further|bibliographic(?:al)?|cited)\s(?:(?:and|&)\s)?)?"
    r"(?:references?|bibliography)(?:\s(?:(?:and|&)\s(?:\w+\s){0,2}\w+|cited|list))?|"
    r"literature(?:\scited)?|works\scited|literaturverzeichnis|literatur|"
    r"参考文献|參考文獻|引用文献)",
    re.IGNORECASE,
)

CONTENTS = re.compile(
    r"(?:(?:table of )?contents|contents in brief|list of (?:figures|tables|listings|algorithms)|inhaltsverzeichnis|inhalt|"
    r"目\s*[录錄次]|图目录|表目录)",
    re.IGNORECASE,
)

ABSTRACT = re.compile(r"(?:abstract|summary|zusammenfassung|[摘概]\s*要)", re.IGNORECASE)
_APPENDIX = re.compile(r"(?:appendi(?:x|ces)|supplement(?:ary|al)\b.*|附\s*[录錄].*)", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:introduction|background|related works?|methods?|methodology|materials and methods|results?|results and discussion|"
    r"discussion|conclusions?|acknowledge?ments?|acknowledge?ments? and .*|limitations|ethics statement|funding|data availability|"
    r"author contributions|competing interests|引\s*言|绪\s*论|前\s*言|结\s*论|结\s*语|致\s*谢|讨\s*论|方\s*法|结\s*果)",
    re.IGNORECASE,
)

_NAMES = re.compile(
    "|".join(names.pattern for names in (_KNOWN, REFERENCES, ABSTRACT, _APPENDIX, CONTENTS)), re.IGNORECASE
)

_HAN_NUMBER = "一二三四五六七八九十百零〇"
_NUMBERED = (
    ("chapter", re.compile(r"(?i:chapter|part)\s+(?P<n>\d+|[IVXLC]+)\b\s*[.:：—–-]?\s*(?P<t>.*)")),
    ("chapter", re.compile(rf"第\s*(?P<n>[{_HAN_NUMBER}\d]+)\s*[章编編部篇]\s*(?P<t>.*)")),
    ("section", re.compile(rf"第\s*(?P<n>[{_HAN_NUMBER}\d]+)\s*[节節]\s*(?P<t>.*)")),
    ("han", re.compile(rf"(?P<n>[{_HAN_NUMBER}]+)\s*[、．.]\s*(?P<t>\S.*)")),
    ("hanbracket", re.compile(rf"[(（](?P<n>[{_HAN_NUMBER}]+)[)）]\s*(?P<t>\S.*)")),
    (
        "decimal",
        re.compile(
            r"§?\s?(?P<n>\d{1,2}(?:\.\d{1,2}){0,4})(?:[.．、]\s*|\s+|(?=[\u3400-\u9fff]))(?P<t>[^\s\d.,;:%)].*)"
        ),
    ),
    ("roman", re.compile(r"(?P<n>[IVX]{1,5})[.．]\s+(?P<t>[^\s\d].*)")),
    ("letter", re.compile(r"(?:Appendix\s+)?(?P<n>[A-Z](?:\.\d{1,2}){1,4})[.:]?\s+(?P<t>[^\s\d].*)")),
    (
        "appendix",
        re.compile(r"(?:Appendix|APPENDIX|Annex|附录)\s*(?P<n>[A-Z]|\d{1,2}|[IVX]{1,4})\b[.:：]?\s*(?P<t>.*)"),
    ),
    ("capital", re.compile(r"(?P<n>[A-Z])[.．]?\s+(?P<t>[A-Z\u3400-\u9fff].*)")),
)

_MAY_BE_NUMBERED = re.compile(
    rf"§|\d|[A-Z]{{1,5}}[.．\s]|[A-Z]\.\d|(?i:chapter|part|appendix|annex)|附录|第|[(（]?[{_HAN_NUMBER}]"
)

_SPACED = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Number:
    """How a heading is numbered: the kind of numbering, its parts, and what stands behind it."""

    kind: str
    parts: tuple[str, ...]
    title: str


def number_of(text: str) -> _Number | None:
    """Return the numbering that a line begins with, if it is one that headings have."""
    bare = text.strip()
    if not _MAY_BE_NUMBERED.match(bare):
        return None
    for kind, pattern in _NUMBERED:
        found = pattern.fullmatch(bare)
        if found:
            return _Number(kind, tuple(found["n"].split(".")), found["t"])
    return None


def is_known(text: str) -> bool:
    """Tell whether this is what sections of papers are called."""
    return _NAMES.fullmatch(bare_name(text)) is not None


def bare_name(text: str) -> str:
    """Return a heading without its number and signs around it, and not spaced out."""
    if _SPACED.fullmatch(text.strip()):
        text = "".join(text.split())
    number = number_of(text)
    return (number.title if number is not None and number.title else text).strip(" .:：")


def _ordinals(number: _Number) -> tuple[int, ...]:
    """Return the parts of a number as they count."""
    return tuple(_ordinal(part, number.kind) for part in number.parts)


def _ordinal(part: str, kind: str) -> int:
    if part.isdecimal():
        return int(part)
    if kind == "roman":
        values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in part]
        return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    if part and all(character in _HAN_NUMBER for character in part):
        before, ten, behind = part.rpartition("十")
        digits = "零一二三四五六七八九"
        return (max(digits.find(before or "一"), 1) * 10 if ten else 0) + max(digits.find(behind), 0)
    return ord(part[0]) - ord("A") + 1 if part else 0


# -- which lines are headings

_MATH = re.compile(r"[=<>∑∫√±≤≥∈∂∞≈→⇒∝∇×·|\\^_{}]")
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{1,}")
_CAPTION_LIKE = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|algorithm|listing|图|表)\s*(?:[A-Z]?\.?\d|[IVX]+\b)", re.IGNORECASE
)

_INNER = {
    "chapter": ("section", "han", "hanbracket", "decimal", "roman", "capital"),
    "section": ("han", "hanbracket", "decimal"),
    "han": ("hanbracket", "decimal"),
    "roman": ("capital", "decimal"),
    "capital": ("decimal",),
}

_STATEMENT = re.compile(
    r"[^\W\d_]+\s(?:\d+(?:\.\d+)*|[A-Z])\b"
)  # "Definition 3.2": the label of a statement, not of a section

_LONGEST = 180
_MOST_LINES = 4


@dataclass(slots=True)
class Finder:
    """Finds headings along a document; it remembers the numbers so far, for a plain line is a heading only if its number is next."""

    style: Style
    outline: Mapping[int, Mapping[str, int]] = field(
        default_factory=dict[int, Mapping[str, int]]
    )  # level by letters, by page
    _last: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    def length(self, block: Sequence[Printed], place: int) -> int:
        """Return how many lines from here on are one heading: 0 if it is none."""
        first = block[place]
        if not self._is_heading(block, place):
            return 0
        end = place + 1
        text = first.line.text[: first.line.lead] or first.line.text
        while (
            not first.line.lead and end < len(block) and end - place < _MOST_LINES and self._goes_on(block, end, text)
        ):
            text = f"{text} {block[end].line.text}"
            end += 1
        if end - place == _MOST_LINES and end < len(block) and self._goes_on(block, end, text):
            return 0  # a paragraph in bold or large letters
        if len(text) > _LONGEST:
            return 0
        number = number_of(text)
        if number is not None:
            self._last[number.kind] = _ordinals(number)
            for inner in _INNER.get(number.kind, ()):  # which begin anew
                self._last.pop(inner, None)
        return end - place

    def level_of(self, page: int, text: str) -> int | None:
        """Return the level that the outline of the file gives this heading."""
        names = self.outline.get(page)
        return names.get(letters_of(bare_name(text))) if names else None

    def _is_heading(self, block: Sequence[Printed], place: int) -> bool:
        entry = block[place]
        lead = entry.line.lead
        text = (entry.line.text[:lead] or entry.line.text).strip()
        named = bool(self.outline) and self.level_of(entry.page, text) is not None
        if not (named and (entry.gap > 1.1 or place == 0 or _ended(block, place))):
            named = self._looks(block, place, text) and not _ends_like_sentence(text)
        if lead and not (_title_like(text) and _STATEMENT.match(text) is None):
            return False
        return named and not _runs_on(block, place) and _may_be(entry.line, text)

    def _looks(self, block: Sequence[Printed], place: int, text: str) -> bool:
        entry = block[place]
        line, style = entry.line, self.style
        alone = entry.gap > 1.2 or place == 0
        number = number_of(text)
        bare = number.title if number is not None else text
        if REFERENCES.fullmatch(bare_name(text)):  # in whatever letters
            return _capital(bare) and (alone or _ended(block, place))
        if line.size > max(1.08 * style.size, style.size + 0.7):
            large = (line.bold or line.size > 1.15 * style.size) and (alone or _capital(bare))
            return _lettered(text) and (large or number is not None or is_known(bare))
        if line.size < 0.85 * style.size or not (alone or _ended(block, place)):
            return False
        if line.bold and not style.bold:
            return (number is not None or _title_like(text)) and _lettered(text)
        if is_known(bare):
            return _capital(bare)
        if bare.isupper() and (alone or number is not None):
            return sum(map(str.isalpha, bare)) > 4 and (alone and _ended(block, place))
        return number is not None and alone and self._is_next(number) and _plain_title(block, place, number, style.size)

    def _goes_on(self, block: Sequence[Printed], place: int, so_far: str) -> bool:
        """Tell whether the heading has another line: the same letters, right below, and no number of its own."""
        above, entry = block[place - 1], block[place]
        one, two = above.line, entry.line
        if abs(one.size - two.size) > 0.4 or one.bold != two.bold or entry.gap > 1.35:
            return False
        number = number_of(two.text)
        if (number is not None and number.kind != "capital") or _CAPTION_LIKE.match(two.text):
            return False
        loud = two.size > 1.08 * self.style.size or (two.bold and not self.style.bold)
        if loud:
            return not is_known(so_far)
        if one.italic and two.italic and above.line.right > above.left + 0.7 * (above.right - above.left):
            return place + 1 == len(block) or not block[place + 1].line.italic
        return so_far.isupper() and two.text.isupper() and above.full

    def _is_next(self, number: _Number) -> bool:
        now = _ordinals(number)
        last = self._last.get(number.kind, ())
        if not now or 0 in now:
            return False
        if len(now) > len(last):
            return now[: len(last)] == last and all(part == 1 for part in now[len(last) :])
        return now[:-1] == last[: len(now) - 1] and now[-1] == last[len(now) - 1] + 1


def _runs_on(block: Sequence[Printed], place: int) -> bool:
    """Tell a loud line in the middle of a sentence: it fills its column, and the next one goes on in small letters, set otherwise."""
    if place + 1 == len(block) or block[place].line.lead:
        return False
    entry, below = block[place], block[place + 1]
    alike = abs(entry.line.size - below.line.size) < 0.4 and entry.line.bold == below.line.bold
    return not alike and entry.full and below.gap < 1.35 and below.line.text[:1].islower()


def _may_be(line: TextLine, text: str) -> bool:
    if not 2 <= len(text) <= _LONGEST or _CAPTION_LIKE.match(text):
        return False
    if len(line.cells) > 2 or (len(line.cells) == 2 and not _is_number_cell(line)):
        return False
    return _WORD.search(text) is not None and len(_MATH.findall(text)) < 2


def _is_number_cell(line: TextLine) -> bool:
    first = line.text[: line.cells[0].end].strip()
    return len(first) < 12 and number_of(f"{first} Xx") is not None


def _lettered(text: str) -> bool:
    bare = bare_name(text)
    letters = sum(character.isalpha() or character.isspace() for character in bare)
    return letters >= 0.6 * len(bare) and (_capital(bare) or text[0].isalpha())


def _capital(text: str) -> bool:
    first = next((character for character in text if character.isalpha()), "a")
    return not first.islower()


def _title_like(text: str) -> bool:
    return _capital(text) and (text[0].isalnum() or text[0] in "“\"'(§") and len(text) < 120


def _ends_like_sentence(text: str) -> bool:
    if text.endswith((",", ";", "，", "；", "。")):
        return True
    return text.endswith((".", ":", "：")) and len(text.split()) > 8


def _ended(block: Sequence[Printed], place: int) -> bool:
    """Tell that the paragraph above is over, as far as its last line shows."""
    if place == 0:
        return True
    above = block[place - 1]
    return not above.full or above.line.text.rstrip().endswith((".", "!", "?", "。", "！", "？", ":", "”"))


def _plain_title(block: Sequence[Printed], place: int, number: _Number, size: float) -> bool:
    """Tell a numbered heading in plain letters from an item of a list: it stands apart, and does not fill its line."""
    entry = block[place]
    below = block[place + 1] if place + 1 < len(block) else None
    if not _capital(number.title) or number.title.rstrip().endswith(".") or len(number.title) > 90:
        return False
    begins = below is not None and entry.gap > 1.3 and below.indent > 4
    apart = below is None or below.gap > 1.1 or entry.line.italic or entry.line.size > size + 0.3 or begins
    return apart and (not entry.full or entry.line.italic) and (len(number.title.split()) < 12)


# -- how deep each heading is

Look = tuple[float, bool, bool, bool]  # size, bold, capitals, italic: what headings of one level have in common


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as its lines show it; `given` is its level in the outline of the file."""

    text: str
    look: Look
    given: int | None = None


def look_of(lines: Sequence[Printed]) -> Look:
    """Return what headings of one level have in common."""
    line = lines[0].line
    letters = bare_name(" ".join(entry.line.text for entry in lines))
    return (round(line.size * 2) / 2, line.bold, letters.isupper(), line.italic)


def levels(headings: Sequence[Heading]) -> list[int]:
    """Return the depth of each heading from 1: by the outline, by its number, or like those that look the same."""
    numbers = [number_of(heading.text) for heading in headings]
    kinds = {number.kind for number in numbers if number is not None}
    own = [_depth(number, kinds, heading) for number, heading in zip(numbers, headings, strict=True)]
    by_look: dict[Look, Counter[int]] = defaultdict(Counter)
    for heading, depth in zip(headings, own, strict=True):
        if depth is not None:
            by_look[heading.look][depth] += 1
    looks = sorted({heading.look for heading in headings}, key=lambda look: (-look[0], -look[2], -look[1], look[3]))
    ranks = _ranks(looks, {look: count.most_common(1)[0][0] for look, count in by_look.items()})
    found = [depth if depth is not None else ranks[heading.look] for heading, depth in zip(headings, own, strict=True)]
    return [heading.given or depth for heading, depth in zip(headings, found, strict=True)]


def _ranks(looks: Sequence[Look], known: Mapping[Look, int]) -> dict[Look, int]:
    """Give each look a depth: its own by number, or one below the next louder."""
    ranks: dict[Look, int] = {}
    depth = 0
    for place, look in enumerate(looks):
        if look in known:
            depth = known[look]
        else:
            quieter = [known[other] for other in looks[place + 1 :] if other in known]
            depth = min([depth + 1, *(max(1, level - 1) for level in quieter)]) if quieter else depth + 1
        ranks[look] = min(depth, 6)
    return ranks


def _depth(number: _Number | None, kinds: set[str], heading: Heading) -> int | None:
    if number is None:
        name = bare_name(heading.text)
        return 1 if REFERENCES.fullmatch(name) or ABSTRACT.fullmatch(name) or _APPENDIX.fullmatch(name) else None
    chapters = int("chapter" in kinds)
    base = {
        "chapter": 1,
        "appendix": 1,
        "section": 1 + chapters,
        "roman": 1,
        "han": 1 + chapters + ("section" in kinds),
    }
    if number.kind in base:
        return base[number.kind]
    if number.kind == "hanbracket":
        return base["han"] + ("han" in kinds)
    if number.kind == "capital":
        return 2 if "roman" in kinds else 1
    if number.kind == "decimal" and "roman" in kinds and len(number.parts) == 1:
        return 3
    return len(number.parts)


# -- the outline of the file

Outline = dict[int, dict[str, int]]  # level by the letters of a heading, by page
_MOST = 10_000
_DEEPEST = 8
_FEWEST = 3
_SANE = 0.5  # share of its entries that stand on their pages


def outline_of(document: "pypdfium2.PdfDocument", pages: Sequence[TextPage]) -> Outline:
    """Return the outline if what it says is mostly true."""
    entries = _entries(document)
    texts = {
        page.number: letters_of(" ".join(line.text for line in page.lines)) for page in pages if page.number in entries
    }
    found = [name in texts.get(number, "") for number, names in entries.items() for name in names]
    if len(found) < _FEWEST or sum(found) < _SANE * len(found):
        return {}
    # the entries without an uppermost level that has only the document's name
    levels = [level for names in entries.values() for level in names.values()]
    shift = 1 if levels.count(1) == 1 and len(levels) > _FEWEST else 0
    return {
        number: {name: level - shift for name, level in names.items() if level > shift}
        for number, names in entries.items()
    }


def _entries(document: "pypdfium2.PdfDocument") -> Outline:
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    entries: Outline = defaultdict(dict)
    try:
        bookmarks = cast("Iterator[Any]", document.get_toc(max_depth=_DEEPEST))  # pyright: ignore[reportUnknownMemberType]
        for bookmark in islice(bookmarks, _MOST):
            target = bookmark.get_dest()
            index = None if target is None else target.get_index()
            name = letters_of(bare_name(bookmark.get_title()))
            if index is not None and name:
                entries[index + 1][name] = bookmark.level + 1
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return {}
    return dict(entries)
