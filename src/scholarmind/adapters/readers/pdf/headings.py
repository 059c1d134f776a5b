"""Which lines are headings: by numbering, size, weight and capitals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scholarmind.adapters.readers.pdf.numbering import REFERENCES, Number, bare_name, is_known, number_of, ordinals
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.adapters.readers.pdf.style import Printed, Style
from scholarmind.identity import letters_of

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
            self._count(number)
        return end - place

    def _count(self, number: Number) -> None:
        self._last[number.kind] = ordinals(number)
        for inner in _INNER.get(number.kind, ()):  # which begin anew
            self._last.pop(inner, None)

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
        if _starts_anew(two.text) or _CAPTION_LIKE.match(two.text):
            return False
        loud = two.size > 1.08 * self.style.size or (two.bold and not self.style.bold)
        if loud:
            return not is_known(so_far)
        if one.italic and two.italic and above.line.right > above.left + 0.7 * (above.right - above.left):
            return place + 1 == len(block) or not block[place + 1].line.italic
        return so_far.isupper() and two.text.isupper() and above.full

    def _is_next(self, number: Number) -> bool:
        now = ordinals(number)
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


def _starts_anew(text: str) -> bool:
    number = number_of(text)
    return number is not None and number.kind != "capital"


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


def _plain_title(block: Sequence[Printed], place: int, number: Number, size: float) -> bool:
    """Tell a numbered heading in plain letters from an item of a list: it stands apart, and does not fill its line."""
    entry = block[place]
    below = block[place + 1] if place + 1 < len(block) else None
    if not _capital(number.title) or number.title.rstrip().endswith(".") or len(number.title) > 90:
        return False
    begins = below is not None and entry.gap > 1.3 and below.indent > 4
    apart = below is None or below.gap > 1.1 or entry.line.italic or entry.line.size > size + 0.3 or begins
    return apart and (not entry.full or entry.line.italic) and (len(number.title.split()) < 12)
