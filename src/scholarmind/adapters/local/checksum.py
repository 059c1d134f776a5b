"""Is a file as it was written? Fast enough to be asked at every opening: for flipped and missing bytes, not for malice."""

import json
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1


def sum_of(array: npt.NDArray[Any]) -> int:
    """Return the sum of the array's bytes, taken as 64-bit numbers. Sums of two arrays add up to that of both in a row."""
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    whole = len(raw) - len(raw) % 8
    total = int(raw[:whole].view(np.uint64).sum(dtype=np.uint64))
    return (total + int.from_bytes(raw[whole:].tobytes(), "little")) & _MASK


def add(first: int, second: int) -> int:
    """Return the sum of two sums."""
    return (first + second) & _MASK


def of_file(path: Path) -> int:
    """Return the checksum of a whole file."""
    return zlib.crc32(path.read_bytes())


def read_record(path: Path) -> dict[str, Any]:
    """Return the JSON object in a small file of ours; whatever else is there is a ValueError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} cannot be read") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} cannot be read")  # noqa: TRY004  (damage, whatever its type)
    return cast("dict[str, Any]", found)
