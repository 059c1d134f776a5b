"""How much of a page is pictures."""

import ctypes
from typing import Any

from scholarmind.adapters.readers.pdf.native import Asked, calls, native

_MOST_OBJECTS = 20_000  # that are looked at; a drawing may have millions
_DEPTH = 3


def share_of_pictures(page: object, area: float) -> float:
    """Return the share of a page (an FPDF_PAGE) that is covered by images; those which overlap count twice, up to all of it."""
    import numpy as np  # noqa: PLC0415

    raw = native()
    count = min(max(0, raw.FPDFPage_CountObjects(page)), _MOST_OBJECTS)
    objects: list[int] = Asked(page).values("FPDFPage_GetObject", range(count), np.int64).tolist()
    kinds = zip(objects, map(calls()["FPDFPageObj_GetType"], objects), strict=True)
    closer = [found for found, kind in kinds if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)]
    covered = sum(_covered(ctypes.cast(found, raw.FPDF_PAGEOBJECT), 1.0, _DEPTH) for found in closer)
    return min(1.0, covered / area) if area > 0 else 0.0


def _covered(found: Any, scale: float, depth: int) -> float:
    """Return the area of an image, or of the images within a form, whose own measure is `scale` times smaller than the page's."""
    raw = native()
    kind = raw.FPDFPageObj_GetType(found)
    if kind == raw.FPDF_PAGEOBJ_IMAGE:
        sides = [ctypes.c_float() for _ in range(4)]
        if not raw.FPDFPageObj_GetBounds(found, *sides):
            return 0.0
        left, bottom, right, top = (side.value for side in sides)
        return scale * max(0.0, right - left) * max(0.0, top - bottom)
    if kind != raw.FPDF_PAGEOBJ_FORM or not depth:
        return 0.0
    matrix = raw.FS_MATRIX()
    if raw.FPDFPageObj_GetMatrix(found, matrix):
        scale *= abs(matrix.a * matrix.d - matrix.b * matrix.c)
    count = min(max(0, raw.FPDFFormObj_CountObjects(found)), _MOST_OBJECTS // 10)
    return sum(_covered(raw.FPDFFormObj_GetObject(found, index), scale, depth - 1) for index in range(count))
