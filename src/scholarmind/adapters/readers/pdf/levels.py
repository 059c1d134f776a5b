"""How deep each heading is."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.adapters.readers.pdf.numbering import ABSTRACT, APPENDIX, REFERENCES, Number, bare_name, number_of
from scholarmind.adapters.readers.pdf.style import Printed

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


def _depth(number: Number | None, kinds: set[str], heading: Heading) -> int | None:
    if number is None:
        name = bare_name(heading.text)
        return 1 if REFERENCES.fullmatch(name) or ABSTRACT.fullmatch(name) or APPENDIX.fullmatch(name) else None
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
