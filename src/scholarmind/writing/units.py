"""The shape of a passage, and what of it is quoted as one: sentences, a whole list with the sentence that introduces it, rows of a table.

A list may be written with marks or without them: short lines, or short paragraphs, behind a sentence that ends in a colon.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scholarmind.model import Passage
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences

Shape = Literal["prose", "list", "table"]
BlockKind = Literal["prose", "line", "item", "row", "heading"]
_LONGEST_LIST, _MOST_ITEMS, _LONGEST_TABLE, _MOST_ROWS = 1_200, 14, 1_000, 10
_LONGEST_ITEM = 260  # of a paragraph that stands in a list without marks
_SHORT_LINE = 160
_FEWEST_SIGNS = 4
_LONGEST_TERM = 30  # a line that what follows it defines
_WRAPPED = 55  # a line so long goes on in the next one
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"[\s|:+=-]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·–●○▪■□◦‣►➢][ \t]*|\(?\d{1,2}[.)、）][ \t]*|\([a-z]\)[ \t]*|[a-z]\)[ \t]+)(?=\S)")
_MARK = lazy_regex(r"^[ \t]*(?:[-*+•·–●○▪■□◦‣►➢]|\(?\d{1,2}[.)、）]|\(?[a-z]\))[ \t]*")
_FULL_STOP = re.compile(r"[.!?。！？；;:：][\"'”’)\]」』）]*$")
_INTRODUCES = re.compile(r"[:：]$")
_PROMISES = lazy_regex(
    r"\b(?:following|below|these|as follows|include[sd]?|including)\b|以下|如下|下列|下面|包括|这些", re.IGNORECASE
)
_FIELD = lazy_regex(r"(?:^|; )([^:;\n]{1,60}): ")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, an item of a list, a row of a table, or a line that is no sentence, by its place in the passage."""

    start: int
    end: int
    kind: BlockKind


@dataclass(frozen=True, slots=True)
class Unit:
    """What is quoted as one, by its place in the passage. A list that `dangles` ends in its introduction."""

    start: int
    end: int
    shape: Shape
    dangles: bool = False


def unit_at(passage: Passage, start: int, end: int) -> Unit:
    """Return the unit that a sentence, by its place in the passage, belongs to."""
    text = passage.text
    blocks = blocks_of(text, passage.kind)
    inside = [n for n, block in enumerate(blocks) if block.start < end and start < block.end]
    if not inside:
        return Unit(start, end, "prose")
    here, last = inside[0], inside[-1]
    if blocks[here].kind == "row":
        return _table(blocks, here)
    if last > here and _INTRODUCES.search(text[start : blocks[here].end]):
        return introduced(text, blocks, here, start)
    if last > here and not (last == here + 1 and blocks[here].end - start <= _LONGEST_TERM):
        here, start = last, blocks[last].start  # lines that are no sentences stand before it
    if _INTRODUCES.search(text[start:end]) and end >= blocks[last].end:
        return introduced(text, blocks, last, start)
    if (run := _run_around(text, blocks, here)) is not None:
        first, until = run
        begin = blocks[first].start
        if first and _INTRODUCES.search(text[: blocks[first - 1].end]):
            begin = _last_sentence(text, blocks[first - 1])
        if blocks[until].end - begin <= _LONGEST_LIST:
            return Unit(begin, blocks[until].end, "list")
        return Unit(blocks[here].start, blocks[here].end, "list")
    if mark := _MARK.match(text[start:end]):
        start += mark.end() if blocks[here].kind == "item" and start == blocks[here].start else 0
    return Unit(start, end, "prose")


def introduced(text: str, blocks: Sequence[Block], at: int, start: int) -> Unit:
    """Return the list or table behind block `at`, with the sentence from `start` on that introduces it."""
    end = blocks[at].end
    following = blocks[at + 1 :]
    if not following:
        return Unit(start, end, "list", dangles=True)
    if following[0].kind == "row":
        table = _table(blocks, at + 1)
        return Unit(start, table.end, "table") if table.start == following[0].start else Unit(start, end, "list", True)
    if _is_empty(text[following[0].start : following[0].end]) and not _PROMISES.search(text[start:end]):
        return Unit(start, end, "prose")  # behind it stands a picture
    if _INTRODUCES.search(text[following[0].start : following[0].end]) and following[1:]:
        return introduced(text, blocks, at + 1, start)  # "with these steps: install the following:"
    for count, block in enumerate(following):
        is_same = block.kind == following[0].kind and _is_point(text, block)
        if not is_same or count >= _MOST_ITEMS or block.end - start > _LONGEST_LIST:
            if not count and block.kind in {"prose", "line", "item"} and block.end - start <= _LONGEST_LIST:
                end = block.end
            break
        end = block.end
    return Unit(start, end, "list", dangles=end == blocks[at].end)


def listed_first(passage: Passage) -> Unit:
    """Return the list or table that a passage begins with; one that dangles where it begins with anything else."""
    blocks = blocks_of(passage.text, passage.kind)
    first = blocks[0] if blocks else Block(0, 0, "prose")
    if first.kind == "row":
        return _table(blocks, 0)
    last = 0
    while first.kind in {"item", "line"} and last + 1 < len(blocks) and blocks[last + 1].kind == first.kind:
        last += 1
    fits = last > 0 and blocks[last].end <= _LONGEST_LIST
    return Unit(first.start, blocks[last].end, "list") if fits else Unit(0, 0, "list", dangles=True)


def _is_empty(text: str) -> bool:
    return sum(map(str.isalnum, text)) < _FEWEST_SIGNS


@lru_cache(maxsize=512)
def blocks_of(text: str, kind: str) -> tuple[Block, ...]:
    """Return what a passage is made of, in order."""
    return tuple(_blocks(text, kind))


def _blocks(text: str, passage_kind: str) -> Iterator[Block]:
    open_block: Block | None = None
    place = 0
    for line in text.split("\n"):
        start, end = place + len(line) - len(line.lstrip()), place + len(line.rstrip())
        place += len(line) + 1
        if start >= end:
            if open_block:
                yield open_block
            open_block = None
            continue
        kind = _kind(line, passage_kind)
        if open_block and kind == "prose" and _goes_on(text[open_block.start : open_block.end], open_block, line):
            open_block = Block(open_block.start, end, open_block.kind)
            continue
        if open_block:
            yield open_block
        open_block = Block(start, end, kind)
        if kind == "prose" and end - start <= _SHORT_LINE and not _FULL_STOP.search(text[start:end]):
            open_block = Block(start, end, "line")
    if open_block:
        yield open_block


def _kind(line: str, passage_kind: str) -> BlockKind:
    if _HEADING.match(line):
        return "heading"
    if passage_kind == "table" or _ROW.match(line):
        return "row"
    return "item" if _ITEM.match(line) else "prose"


def _goes_on(before: str, block: Block, line: str) -> bool:
    """Tell whether a line goes on with a paragraph or an item: it was wrapped, or is indented below its mark."""
    if block.kind not in {"prose", "item", "line"}:
        return False
    if block.kind == "item" and line.startswith((" ", "\t")):
        return True
    last = before.rpartition("\n")[2]
    width = sum(1 if character.isascii() else 2 for character in last)
    return width >= _WRAPPED and not (_FULL_STOP.search(last) and width < _WRAPPED)


def _is_point(text: str, block: Block) -> bool:
    """Tell whether a block may be an item of a list that is quoted whole: one sentence or two."""
    few = len(list(sentences(text, block.start, block.end))) <= (2 if block.kind == "item" else 1)
    return few and block.end - block.start <= _LONGEST_ITEM and not _INTRODUCES.search(text[block.start : block.end])


def _run_around(text: str, blocks: Sequence[Block], here: int) -> tuple[int, int] | None:
    """Return the first and the last item of the list that a block stands in; None if it stands in none."""
    kind = blocks[here].kind
    if kind not in {"prose", "line", "item"} or not _is_point(text, blocks[here]):
        return None
    first = last = here
    while first > 0 and blocks[first - 1].kind == kind and _is_point(text, blocks[first - 1]):
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1].kind == kind and _is_point(text, blocks[last + 1]):
        last += 1
    is_introduced = first > 0 and _INTRODUCES.search(text[: blocks[first - 1].end]) is not None
    if kind != "item" and not is_introduced:
        return None
    if kind == "item" and any(0 <= n < len(blocks) and blocks[n].kind == "item" for n in (first - 1, last + 1)):
        return None  # others of its items are whole paragraphs
    return (first, last) if last > first or is_introduced else None


def _last_sentence(text: str, block: Block) -> int:
    return max((start for start, _ in sentences(text, block.start, block.end)), default=block.start)


def _table(blocks: Sequence[Block], here: int) -> Unit:
    """Return a whole table if it is small, else the row."""
    first = last = here
    while first > 0 and blocks[first - 1].kind == "row":
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1].kind == "row":
        last += 1
    start, end = blocks[first].start, blocks[last].end
    if last - first < _MOST_ROWS and end - start <= _LONGEST_TABLE:
        return Unit(start, end, "table")
    return Unit(blocks[here].start, blocks[here].end, "table")


# -- as they are shown


def items_of_list(text: str) -> tuple[str, list[str]]:
    """Return the sentence that introduces a list, '' if there is none, and its items without marks."""
    found = [text[block.start : block.end] for block in blocks_of(text, "")]
    lead = ""
    if len(found) > 1 and _INTRODUCES.search(found[0]) and not _ITEM.match(found[0]):
        lead, found = found[0], found[1:]
    return lead, [_MARK.sub("", item) for item in found]


def rows_of_table(text: str) -> tuple[str, list[list[str]]]:
    """Return what introduces a table, '' if nothing does, and its rows with the head first.

    Rows are lines between `|`, or the fields of a record each ("Name: x; Size: y").
    """
    given = [line.strip() for line in text.split("\n") if line.strip()]
    lines = [line for line in given if not _RULE.fullmatch(line)]
    lead: list[str] = []
    while lines and not (_ROW.match(lines[0]) or _FIELD.match(lines[0]) or " | " in lines[0]):
        lead.append(lines.pop(0))
    if lines and (_ROW.match(lines[0]) or " | " in lines[0]):
        rows = [_cells(line) for line in lines]
        has_head = len(lines) < len(given) - len(lead) or _ROW.match(lines[0])
        return " ".join(lead), rows if has_head else [[""] * len(rows[0]), *rows]
    records = [dict(_fields(line)) for line in lines]
    head = list(dict.fromkeys(name for record in records for name in record))
    if not records or len(head) > 8:
        return text, []
    return " ".join(lead), [head, *([record.get(name, "") for name in head] for record in records)]


def head_of_table(passage: Passage, start: int) -> str:
    """Return the row that names the columns of the table which stands at a place; '' if it is that row, or has none."""
    blocks = blocks_of(passage.text, passage.kind)
    here = max((n for n, block in enumerate(blocks) if block.start <= start), default=0)
    first = here
    while first > 0 and blocks[first - 1].kind == "row":
        first -= 1
    text = passage.text[blocks[first].start : blocks[first].end] if blocks else ""
    return text if first != here and "|" in text else ""


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _fields(line: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a row that is written as a record."""
    found = list(_FIELD.finditer(line))
    if unnamed := line[: found[0].start()].strip(" ;") if found else "":
        yield "", unnamed
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(line)
        yield match[1].strip(), line[match.end() : end].strip(" ;")
