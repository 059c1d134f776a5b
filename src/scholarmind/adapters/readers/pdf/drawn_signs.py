"""Signs that a font draws under the codes of others, told by their shapes.

Old typesetting systems keep "<", "≥", "~", "−", "°" in fonts of their own, at the places of ",", "$", "2", "u". Such a file says
everywhere (glyph names, encoding, Unicode) that it means a comma; but no comma is as wide as it is high, and none is an angle. A
character is looked at only if its width is none that this character has, and changed only if its outline is that of a sign.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# the widths, in sizes of the type, that these characters have in fonts for text, from condensed to extended ones
_USUAL = {
    **dict.fromkeys(map(ord, ",."), (0.15, 0.64)),
    **dict.fromkeys(map(ord, "023456789"), (0.37, 0.72)),
    ord("1"): (0.2, 0.72),
    **dict.fromkeys(map(ord, "$#&"), (0.37, 0.95)),
    ord("?"): (0.34, 0.72),
    ord("m"): (0.64, 1.2),
    ord("u"): (0.4, 0.75),
}
_ALWAYS = frozenset(map(ord, "$#"))  # whose widths are those of signs, too

Point = tuple[float, float]


def may_be_other(code: int, width: float) -> bool:
    """Tell whether a character of this width may be another than its code says."""
    usual = _USUAL.get(code)
    return usual is not None and (code in _ALWAYS or not usual[0] <= width <= usual[1])


def drawn_sign(raw: Any, font: int, code: int) -> int:
    """Return the code of the sign that a font (the address of an FPDF_FONT) draws for a code; the code itself if it is no sign."""
    path = raw.FPDFFont_GetGlyphPath(ctypes.cast(font, raw.FPDF_FONT), code, ctypes.c_float(1.0))
    count: int = raw.FPDFGlyphPath_CountGlyphSegments(path) if path else 0
    if not 0 < count <= _MOST_SEGMENTS:
        return code
    x, y = ctypes.c_float(), ctypes.c_float()
    contours: list[_Contour] = []
    for place in range(count):
        segment = raw.FPDFGlyphPath_GetGlyphPathSegment(path, place)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        kind: int = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO or not contours:
            contours.append(_Contour([], straight=True))
        contours[-1].points.append((x.value, y.value))
        contours[-1].straight &= kind != raw.FPDF_SEGMENT_BEZIERTO
    if code == ord("m"):  # there is one Greek letter that looks like a Latin one and has a stem below the line
        return ord("μ") if len(contours) == 1 and contours[0].bottom < _STEM else code
    for contour in contours:
        if len(contour.points) > 1 and contour.points[0] == contour.points[-1]:
            contour.points.pop()
    contours.sort(key=lambda contour: -contour.top)
    return next((ord(sign) for sign, is_it in _SHAPES if is_it(contours)), code)


_MOST_SEGMENTS = 80
_STEM = -0.15
_THIN = 0.12
_WIDE = 0.3
_NEAR = 0.15  # of the width or height


@dataclass(slots=True)
class _Contour:
    """One closed line of an outline, in sizes of the type."""

    points: list[Point]
    straight: bool

    @property
    def left(self) -> float:
        return min(x for x, _ in self.points)

    @property
    def right(self) -> float:
        return max(x for x, _ in self.points)

    @property
    def bottom(self) -> float:
        return min(y for _, y in self.points)

    @property
    def top(self) -> float:
        return max(y for _, y in self.points)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom


def _is_bar(it: _Contour) -> bool:
    return it.straight and len(it.points) == 4 and it.height < _THIN and it.width > _WIDE


def _is_stroke(it: _Contour) -> bool:
    return it.straight and len(it.points) == 4 and it.width > _WIDE


def _is_wave(it: _Contour) -> bool:
    return not it.straight and it.width > _WIDE and it.height < 0.5 * it.width and it.bottom > 0.1 and it.top < 0.55


def _is_angle(it: _Contour, *, leftwards: bool) -> bool:
    """Tell an angle by its ends: one tip at half its height, and on the other side one end at the top and one at the bottom."""
    if not it.straight or not 6 <= len(it.points) <= 8 or it.width < _WIDE or it.height < _WIDE:
        return False
    tip = [y for x, y in it.points if abs(x - (it.left if leftwards else it.right)) < _NEAR * it.width]
    ends = [y for x, y in it.points if abs(x - (it.right if leftwards else it.left)) < _NEAR * it.width]
    middle, slack = (it.top + it.bottom) / 2, _NEAR * it.height
    one_tip = bool(tip) and all(abs(y - middle) < slack for y in tip)
    return one_tip and any(y > it.top - slack for y in ends) and any(y < it.bottom + slack for y in ends)


def _is_cross(it: _Contour, *, upright: bool) -> bool:
    """Tell a cross of twelve corners: the highest of them are in the middle of an upright one."""
    if not it.straight or len(it.points) != 12 or it.width < _WIDE or it.height < _WIDE:
        return False
    middle = (it.left + it.right) / 2
    highest = [abs(x - middle) < 0.2 * it.width for x, y in it.points if it.top - y < 0.01]
    return all(highest) if upright else not any(highest)


def _is_ring(those: Sequence[_Contour]) -> bool:
    outer = max(those, key=lambda contour: contour.width)
    round_ = not any(contour.straight for contour in those) and abs(outer.width - outer.height) < 0.1
    return len(those) == 2 and round_ and outer.width < 0.45 and outer.bottom > 0.25


def _is_dot(it: _Contour) -> bool:
    return not it.straight and it.width < 0.25 and it.height < 0.25 and it.bottom > 0.15


def _is_prime(it: _Contour) -> bool:
    return it.width < 0.25 and 0.2 < it.height < 0.45 and it.bottom > 0.3


def _one(is_it: Callable[[_Contour], bool]) -> Callable[[Sequence[_Contour]], bool]:
    return lambda those: len(those) == 1 and is_it(those[0])


def _two(above: Callable[[_Contour], bool], below: Callable[[_Contour], bool]) -> Callable[[Sequence[_Contour]], bool]:
    return lambda those: len(those) == 2 and above(those[0]) and below(those[1])


def _less(it: _Contour) -> bool:
    return _is_angle(it, leftwards=True)


def _more(it: _Contour) -> bool:
    return _is_angle(it, leftwards=False)


def _plus(it: _Contour) -> bool:
    return _is_cross(it, upright=True)


_SHAPES: tuple[tuple[str, Callable[[Sequence[_Contour]], bool]], ...] = (
    ("<", _one(_less)),
    (">", _one(_more)),
    ("≤", _two(_less, _is_stroke)),
    ("≥", _two(_more, _is_stroke)),
    ("−", _one(_is_bar)),
    ("=", _two(_is_bar, _is_bar)),
    ("+", _one(_plus)),
    ("±", _two(_plus, _is_bar)),
    ("×", _one(lambda it: _is_cross(it, upright=False))),
    ("~", _one(_is_wave)),
    ("≈", _two(_is_wave, _is_wave)),
    ("°", _is_ring),
    ("·", _one(_is_dot)),
    ("′", _one(_is_prime)),
)
