"""A BibTeX file cut into its entries: by bibtexparser, which goes on behind an entry that is broken, and then told what it was."""

import logging
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from scholarmind.adapters.readers.bibliography.bibtex_repair import repair
from scholarmind.adapters.readers.bibliography.bibtex_values import Macros
from scholarmind.errors import ReadError

if TYPE_CHECKING:
    from bibtexparser import model

_ENTRY_LINE = re.compile(r"^[ \t]*@\w+[ \t]*[{(]", re.MULTILINE)
_HEAD = re.compile(r"@\s*(\w+)\s*[{(]\s*([^\s,={}\"]{0,200})")
_LEFT_OVER = re.compile(r"[\s,}]*[A-Za-z][\w:.+-]*\s*=\s*[{\"\w]")
_NOT_ENTRIES = frozenset({"comment", "preamble", "string"})
_REASONS = {  # by how bibtexparser begins to say it
    "Unexpected block start": "a brace or a quotation mark is not closed before the next entry begins",
    "Unexpectedly reached end of file": "a brace or a quotation mark is not closed before the file ends",
    "Expected comma after entry key": "there is no comma behind its key",
    "Expected equals sign": "there is no '=' behind its name",
    "Expected a `=`": "there is no '=' behind the name of a field",
}
_MEND = "mend it there"
_MOST_REPAIRS = 2_000  # of one file; a file with more is no bibliography


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """An entry: its fields by their names in small letters, abbreviations written out, otherwise as they stand."""

    kind: str
    key: str
    line: int
    fields: Mapping[str, str]
    wrong: tuple[tuple[str, str], ...] = ()  # what was wrong with it, and what to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that cannot be used."""

    line: int
    reason: str
    advice: str = _MEND
    is_entry: bool = True


def blocks_of(text: str) -> Iterator[Block | Fault]:
    """Yield the entries of a file in their order."""
    return _Blocks(text=text).read()


@dataclass(slots=True, kw_only=True)
class _Blocks:
    text: str
    macros: Macros = field(default_factory=Macros)
    repairs: int = 0
    told: set[str] = field(default_factory=set[str])
    starts: list[int] = field(init=False)  # of the lines
    heads: list[int] = field(init=False)  # of the lines that an entry begins on

    def __post_init__(self) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        self.heads = [found.start() for found in _ENTRY_LINE.finditer(self.text)]

    def read(self) -> Iterator[Block | Fault]:
        done = -1  # what begins before this line was part of a broken entry
        blocks = _split(self.text)
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            line = block.start_line or 0
            if line < done or self._is_comment(block):
                continue
            whole = _whole(block)
            if _is_string(whole):
                self.macros.define(whole.key, whole.value)
            elif _is_entry(whole) and not _goes_on(following):
                yield from self._entry(whole)
            elif _is_entry(whole) or _is_broken(whole):
                yield from self._mended(whole)
                done = self._next_line(line)

    def _entry(self, entry: "model.Entry") -> Iterator[Block | Fault]:
        line = (entry.start_line or 0) + 1
        fields, wrong = self._fields(entry)
        if any(rest for _, rest in wrong) and (mended := self._again(entry.raw or "", line)):
            yield mended
            return
        complaints = [(told, _MEND) for told, _ in wrong]
        unknown = sorted(self.macros.unknown - self.told)
        self.told.update(unknown)
        complaints += [
            (
                f"the abbreviation {name!r} is not defined; it is used as it stands",
                "define it with @string, or write it in braces",
            )
            for name in unknown
        ]
        yield Block(kind=entry.entry_type.lower(), key=entry.key, line=line, fields=fields, wrong=tuple(complaints))

    def _fields(self, entry: "model.Entry") -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Return the fields, and what is wrong with them: the text that stands where it should not, or ''."""
        found: dict[str, str] = {}
        wrong: list[tuple[str, str]] = []
        for item in entry.fields:
            name = item.key.rpartition("\n")[2].strip().lower()  # there may be comments before it
            if name.startswith("%"):
                continue
            value, rest = self.macros.value(item.value)
            if rest:
                wrong.append(
                    (f"{rest[:40]!r} behind the field {name!r} (line {item.start_line + 1}) is not used", rest)
                )
            if name in found and value != found[name] and found[name].strip():
                wrong.append(
                    (f"the field {name!r} stands there twice; the one in line {item.start_line + 1} is not used", "")
                )
            elif not found.get(name, "").strip():
                found[name] = value
        return found, wrong

    def _mended(self, block: "model.Block") -> Iterator[Block | Fault]:
        raw, line = self._extent(block)
        head = _HEAD.match(raw)
        kind, key = (head[1].lower(), head[2]) if head else ("", "")
        if kind in {"comment", "preamble"}:
            return
        if kind == "string":
            yield Fault(line=line, reason=f"the abbreviation {key!r} is not closed", is_entry=False)
        elif mended := self._again(raw, line):
            yield mended
        else:
            named = f"entry {key!r}" if key else "the entry"
            yield Fault(
                line=line, reason=f"{named} cannot be read: {_reason(block)}; it is not used", is_entry="=" in raw
            )

    def _again(self, raw: str, line: int) -> Block | None:
        """Return the entry as it must have been meant, if that can be told."""
        self.repairs += 1
        if self.repairs > _MOST_REPAIRS:
            return None
        repaired = repair(raw, line)
        blocks = [_whole(block) for block in _split(repaired.text)] if repaired.text else []
        if len(blocks) != 1 or not _is_entry(blocks[0]):
            return None
        entry = blocks[0]
        fields, wrong = self._fields(entry)
        if any(rest for _, rest in wrong):
            return None
        told = [(f"{fault}; it was read as it must have been meant", _MEND) for fault in repaired.wrong]
        return Block(kind=entry.entry_type.lower(), key=entry.key, line=line, fields=fields, wrong=tuple(told))

    def _extent(self, block: "model.Block") -> tuple[str, int]:
        """Return the text from a block to the next line that an entry begins on, and its own line from 1."""
        line = block.start_line or 0
        start = max(self.text.find((block.raw or "@")[:40], self.starts[line]), self.starts[line])
        place = bisect_right(self.heads, start)
        end = self.heads[place] if place < len(self.heads) else len(self.text)
        return self.text[start:end], line + 1

    def _next_line(self, line: int) -> int:
        """Return the next line that an entry begins on."""
        after = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        place = bisect_right(self.heads, after - 1)
        return bisect_right(self.starts, self.heads[place]) - 1 if place < len(self.heads) else len(self.starts)

    def _is_comment(self, block: "model.Block") -> bool:
        """Tell that a `%` stands before it, or that it is part of an address such as me@home (in Utrecht)."""
        start = self.starts[block.start_line or 0]
        place = self.text.find((block.raw or "@")[:40], start)
        before = self.text[start:place] if place > start else ""
        whole = _whole(block)
        is_address = before[-1:].isalnum() and not (_is_entry(whole) and whole.fields)
        return before.lstrip().startswith("%") or is_address


def _split(text: str) -> "list[model.Block]":
    from bibtexparser.exceptions import ParserStateException  # noqa: PLC0415
    from bibtexparser.splitter import Splitter  # noqa: PLC0415

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # we tell what is broken ourselves
    try:
        return Splitter(text).split().blocks
    except ParserStateException as error:
        raise ReadError(f"it cannot be taken apart: {error.message}", "export it again, or mend its braces") from error


def _whole(block: "model.Block") -> "model.Block":
    """Return the entry or abbreviation whose key or fields are there twice, or else the block itself."""
    from bibtexparser.model import ParsingFailedBlock  # noqa: PLC0415

    inner = block.ignore_error_block if isinstance(block, ParsingFailedBlock) else None
    return block if inner is None else _whole(inner)


def _is_entry(block: "model.Block") -> "TypeGuard[model.Entry]":
    from bibtexparser.model import Entry  # noqa: PLC0415

    return isinstance(block, Entry)


def _is_string(block: "model.Block") -> "TypeGuard[model.String]":
    from bibtexparser.model import String  # noqa: PLC0415

    return isinstance(block, String)


def _is_broken(block: "model.Block") -> bool:
    from bibtexparser.model import ParsingFailedBlock  # noqa: PLC0415

    return isinstance(block, ParsingFailedBlock)


def _goes_on(block: "model.Block | None") -> bool:
    """Tell that the text behind an entry is the rest of it: a brace too much closed it early."""
    from bibtexparser.model import ImplicitComment  # noqa: PLC0415

    return isinstance(block, ImplicitComment) and bool(_LEFT_OVER.match(block.comment))


def _reason(block: "model.Block") -> str:
    from bibtexparser.exceptions import BlockAbortedException  # noqa: PLC0415
    from bibtexparser.model import ParsingFailedBlock  # noqa: PLC0415

    error = block.error if isinstance(block, ParsingFailedBlock) else None
    told = error.abort_reason if isinstance(error, BlockAbortedException) else ""
    return next((reason for begin, reason in _REASONS.items() if told.startswith(begin)), "its braces do not match")
