"""What a LaTeX source is written out as, before it is one text: floats and notes can still change places."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from scholarmind.adapters.readers.composition import Composition
from scholarmind.model import RegionKind

Kind = Literal["heading", "paragraph", "lines", "block", "open", "close"]


@dataclass(frozen=True, slots=True)
class Block:
    """Something to be written: what, its lines, and what region it is or how high a heading."""

    kind: Kind
    lines: tuple[str, ...] = ()
    region: RegionKind | None = None
    level: int = 0


def compose(blocks: list[Block]) -> Composition:
    """Return the text that the blocks make up."""
    composition = Composition()
    ways: dict[Kind, Callable[[Block], None]] = {
        "heading": lambda block: composition.heading(block.level, block.lines[0]),
        "paragraph": lambda block: composition.block(block.lines[0]),
        "lines": lambda block: composition.lines(block.lines, block.region),
        "block": lambda block: composition.block(block.lines[0]),
        "open": lambda block: composition.open(block.region or "abstract"),
        "close": lambda _: composition.close(),
    }
    for block in blocks:
        ways[block.kind](block)
    return composition
