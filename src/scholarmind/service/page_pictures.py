"""A page of a PDF as a picture, with places marked. Drawn in a process of its own, since a file may be made to break what draws it.

`python -m scholarmind.service.pictures` reads what to draw as JSON from standard input, and writes a PNG to standard output.
"""

import asyncio
import json
import resource
import struct
import sys
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scholarmind.layout import Box
from scholarmind.service.gate import Refused

_SECONDS = 20.0
_MEGABYTES = 1_000
_LARGEST = 12_000_000  # pixels
_MARK = (255, 226, 92)
_at_once = asyncio.Semaphore(2)


async def page_picture(path: Path, number: int, boxes: Sequence[Box], width: int) -> bytes:
    """Return a page as a PNG of this width, with these boxes marked."""
    order = {"path": str(path), "page": number, "width": width, "boxes": [asdict(box) for box in boxes]}
    async with _at_once:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "scholarmind.service.page_pictures",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            picture, _ = await asyncio.wait_for(process.communicate(json.dumps(order).encode()), _SECONDS)
        except TimeoutError:
            picture = b""
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode != 0 or not picture:
        raise Refused(422, f"page {number} cannot be drawn")
    return picture


def main() -> None:
    """Draw one page."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEGABYTES * 1_000_000, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(_SECONDS), int(_SECONDS)))
    sys.stdout.buffer.write(_drawn(json.load(sys.stdin)))


def _drawn(order: dict[str, Any]) -> bytes:
    import numpy as np  # noqa: PLC0415
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    pdf: Any = pypdfium2.PdfDocument(order["path"])
    page: Any = pdf[order["page"] - 1]
    wide, high = page.get_size()
    scale = order["width"] / max(wide, 1.0)
    scale = min(scale, (_LARGEST / max(wide * high, 1.0)) ** 0.5)
    picture = np.array(page.render(scale=scale).to_numpy()[:, :, :3][:, :, ::-1])  # it comes blue first
    for box in order["boxes"]:
        top, bottom = (max(0, round(box[side] * scale)) for side in ("top", "bottom"))
        left, right = (max(0, round(box[side] * scale)) for side in ("left", "right"))
        area = picture[top : bottom + 1, left : right + 1]
        area[:] = np.minimum(area, np.array(_MARK, np.uint8))
    return _png(picture.tobytes(), picture.shape[1], picture.shape[0])


def _png(pixels: bytes, width: int, height: int) -> bytes:
    """Return rows of red, green and blue as a PNG."""
    rows = b"".join(b"\0" + pixels[place : place + 3 * width] for place in range(0, 3 * width * height, 3 * width))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


if __name__ == "__main__":
    main()
