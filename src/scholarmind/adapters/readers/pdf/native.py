"""pdfium itself, as pypdfium2 gives it: C functions without types; and a quick way to call one of them for each of many characters.

A call through pypdfium2's own wrappers takes a microsecond, most of it to make Python's numbers into C's, and a dense page needs
twenty thousand. So the functions are bound once more without types, and given what needs no making: the address of the page's text
is made once, those of the rows that are filled are made once for all pages, and small numbers pass as they are.
"""

import ctypes
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int
_UNTYPED = {
    "FPDFText_GetUnicode": ctypes.c_uint,
    "FPDFText_GetTextObject": ctypes.c_ssize_t,
    "FPDFText_GetLooseCharBox": _NUMBER,
    "FPDFText_GetCharBox": _NUMBER,
    "FPDFText_GetCharOrigin": _NUMBER,
    "FPDFText_GetMatrix": _NUMBER,
    "FPDFText_GetFontSize": ctypes.c_double,
    "FPDFText_IsGenerated": _NUMBER,
    "FPDFText_HasUnicodeMapError": _NUMBER,
    "FPDFPage_GetObject": ctypes.c_ssize_t,
}
_TYPED: dict[str, tuple[Any, ...]] = {
    "FPDFTextObj_GetFont": (_POINTER, _POINTER),
    "FPDFTextObj_GetTextRenderMode": (_NUMBER, _POINTER),
    "FPDFFont_GetBaseFontName": (ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_size_t),
    "FPDFFont_GetFlags": (_NUMBER, _POINTER),
    "FPDFFont_GetGlyphWidth": (_NUMBER, _POINTER, ctypes.c_uint, ctypes.c_float, _POINTER),
    "FPDFPageObj_GetType": (_NUMBER, _POINTER),
}
_ROWS, _WIDTH = 4096, 32  # rows that are filled at once, and their bytes: the longest has four doubles


def native() -> Any:
    """Return pdfium's functions, which are loaded when the first PDF is read."""
    from pypdfium2 import raw  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return raw


@cache
def calls() -> dict[str, Callable[..., Any]]:
    """Return the functions that are called often: those of objects and fonts take plain numbers for pointers."""
    raw = native()
    kinds: dict[str, tuple[Any, ...]] = {name: (kind,) for name, kind in _UNTYPED.items()}
    # A prototype of nothing but a result leaves the arguments as they are given.
    return {
        name: ctypes.PYFUNCTYPE(*kind)(ctypes.cast(getattr(raw, name), _POINTER).value or 0)
        for name, kind in (kinds | _TYPED).items()
    }


class _Rows(threading.local):
    """Room that functions write to, one for each thread, and the addresses of its rows."""

    def __init__(self) -> None:
        self.room = ctypes.create_string_buffer(_ROWS * _WIDTH)
        self.addresses = [
            [ctypes.byref(self.room, _WIDTH * row + shift) for row in range(_ROWS)] for shift in (0, 8, 16, 24)
        ]


_rows = cache(_Rows)


class Asked:
    """A page (an FPDF_PAGE) that is asked about many of its objects at once, or its text (an FPDF_TEXTPAGE) about its characters."""

    def __init__(self, whole: object) -> None:
        self.whole = whole
        self._handle: Any = _POINTER.from_param(ctypes.cast(whole, _POINTER).value)  # pyright: ignore[reportArgumentType]

    def values(self, name: str, indices: Sequence[int], kind: "npt.DTypeLike") -> Any:
        """Return what a function returns for each of them."""
        import numpy as np  # noqa: PLC0415

        return np.fromiter(map(calls()[name], repeat(self._handle), indices), kind, len(indices))

    def rows(self, name: str, indices: Sequence[int], kind: "npt.DTypeLike", shape: tuple[int, int]) -> Any:
        """Return what a function writes for each of them; `shape`: to how many places, and how many numbers in all."""
        import numpy as np  # noqa: PLC0415

        pointers, numbers = shape
        rows, function = _rows(), calls()[name]
        room: Any = np.frombuffer(memoryview(rows.room), kind).reshape(_ROWS, -1)
        found = np.empty((len(indices), numbers), kind)
        for start in range(0, len(indices), _ROWS):
            some = indices[start : start + _ROWS]
            room[: len(some)] = 0
            deque(map(function, repeat(self._handle), some, *rows.addresses[:pointers]), maxlen=0)
            found[start : start + len(some)] = room[: len(some), :numbers]
        return found
