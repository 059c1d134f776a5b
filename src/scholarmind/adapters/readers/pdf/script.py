"""What scripts need: accents put on their letters, right-to-left lines in the order in which they are read, one form of each letter."""

import re
import unicodedata
from collections.abc import Iterator

# Accents that are drawn as characters of their own, and the combining ones that they stand for.
COMBINING = {
    0x5E: 0x302, 0x60: 0x300, 0x7E: 0x303, 0xA8: 0x308, 0xAF: 0x304, 0xB4: 0x301, 0xB8: 0x327, 0x2C6: 0x302, 0x2C7: 0x30C,
    0x2D8: 0x306, 0x2D9: 0x307, 0x2DA: 0x30A, 0x2DB: 0x328, 0x2DC: 0x303, 0x2DD: 0x30B,
}  # fmt: skip
DOTLESS = {0x131: 0x69, 0x237: 0x6A}  # take the dot away again when they carry an accent
MARKS = frozenset([*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x610, 0x61B), *range(0x64B, 0x660), 0x670])

LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FORMS = re.compile(
    "[\u2f00-\u2fd5\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]+"
)  # radicals, ligatures, shapes of Arabic letters
_RIGHTWARDS = re.compile(r"[^\W_]")
_LEFT, _RIGHT, _NEUTRAL = "R", "L", "N"


def plain(text: str) -> str:
    """Return a text with composed letters, and with letters for their shapes and ligatures."""
    text = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def is_plain(text: str) -> bool:
    """Whether `plain` would leave it as it is."""
    return text.isascii() or (unicodedata.is_normalized("NFC", text) and not _FORMS.search(text))


def runs_leftwards(text: str) -> bool:
    """Whether most of its letters belong to a script that is read from right to left."""
    letters = sum(character.isalpha() for character in text)
    return 2 * len(LEFTWARDS.findall(text)) > letters


def as_read(seen: list[str], *, leftwards: bool) -> list[str]:
    """Return characters, given as seen from left to right, in the order in which they are read.

    Each item is what stands in one place: a letter with its marks, or the letters of a ligature. Words and numbers of the other
    direction keep their own order.
    """
    runs = list(_runs([_direction(item) for item in seen], _LEFT if leftwards else _RIGHT))
    if leftwards:
        runs.reverse()
    return [
        item
        for direction, start, end in runs
        for item in (seen[start:end][::-1] if direction == _LEFT else seen[start:end])
    ]


def _direction(item: str) -> str:
    if LEFTWARDS.match(item):
        return _LEFT
    return _RIGHT if _RIGHTWARDS.match(item) else _NEUTRAL


def _runs(directions: list[str], outer: str) -> Iterator[tuple[str, int, int]]:
    """Cut a line in runs of one direction; what has none goes with its neighbours if they agree, else with the line."""
    settled = list(directions)
    strong = [place for place, direction in enumerate(directions) if direction != _NEUTRAL]
    previous = -1
    for place in [*strong, len(directions)]:
        before = directions[previous] if previous >= 0 else outer
        behind = directions[place] if place < len(directions) else outer
        settled[previous + 1 : place] = [before if before == behind else outer] * (place - previous - 1)
        previous = place
    start = 0
    for place in range(1, len(settled) + 1):
        if place == len(settled) or settled[place] != settled[start]:
            yield settled[start], start, place
            start = place
