"""BibTeX and BibLaTeX files. A broken entry costs itself at most: it is told with its line, and the rest is used.

Files are cut into entries by bibtexparser, which goes on behind an entry that is broken.
"""

import logging
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from scholarmind.adapters.readers.bibliography.bibliography_record import (
    LONGEST_ABSTRACT,
    BibliographyEntries,
    Record,
    authors_of,
    files_of,
    is_dropped,
    keywords_of,
)
from scholarmind.adapters.readers.bibliography.bibliography_text import decode_latex, paragraphs, read_source, verbatim
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem
from scholarmind.text.untrusted import printable

if TYPE_CHECKING:
    from bibtexparser import model


# -- what is wrong with a broken entry, and what it must have meant: fields that begin on lines of their own tell

_START = re.compile(r"@\s*(\w+)\s*[{(]\s*")
_KEY = re.compile(r"[^\s,={}\"]*(?=\s*,)")
_FIELD_ON_LINE = re.compile(r"^[ \t]*([A-Za-z][\w:.+-]*)[ \t]*=[ \t]*(?=[{\"\w])", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*%.*\n?", re.MULTILINE)
_MARK = re.compile(r"(?<!\\)[{}\"]")
_TAIL = re.compile(r"[\s,]*(?:(?<!\\)%[^\n{}]*)?\Z")  # a comma, a comment
_BARE_KEY = re.compile(r"[^\s,{}()]+")
_LINES_AFTER = re.compile(r"[\s,]*\n\s*(?:[)}]|\n)")
_MOST_FIELDS = 500


@dataclass(frozen=True, slots=True)
class _Repair:
    """An entry written anew, and what was wrong with it; no text where there is nothing to go by."""

    text: str
    wrong: tuple[str, ...]


def _repair(raw: str, line: int) -> _Repair:
    """Return the entry that begins on this line with every field closed where the next one begins."""
    head = _START.match(raw)
    fields = list(_FIELD_ON_LINE.finditer(raw))[:_MOST_FIELDS]
    if head is None or not fields:
        return _Repair("", ())
    key = _KEY.match(raw, head.end())
    written: list[str] = []
    wrong: list[str] = []
    ends = [field.start() for field in fields[1:]] + [len(raw)]
    for begin, end in zip(fields, ends, strict=True):
        value, fault = _closed(_COMMENT.sub("", raw[begin.end() : end]), last=begin is fields[-1])
        if fault:
            wrong.append(f"field {begin[1]!r} (line {line + raw.count(chr(10), 0, begin.start(1))}) has {fault}")
        written.append(f"{begin[1]} = {value}")
    if not wrong and key and not _COMMENT.search(raw):  # comments within an entry are well with some programs
        # something is left behind the last field to close the entry
        value = raw[fields[-1].end() :].strip()
        wrong = [
            "a comma is missing"
            if bool(re.search("[)}]", value[len(_without_end(value)) :]))
            else "its closing brace, or that of its last field, is missing"
        ]
    body = ",\n".join(written)
    return _Repair(f"@{head[1]}{{{key[0] if key else ''},\n{body}\n}}\n", tuple(wrong))


def _closed(value: str, *, last: bool) -> tuple[str, str]:
    """Return the value of one field with as many braces as it needs, and what was wrong."""
    value = _TAIL.sub("", value.strip())
    if last:
        value = _without_end(value)
    if not value.startswith(("{", '"')):
        return value, ""
    # how many braces stay open, and how many quotation marks stand outside of braces
    depth = quotes = 0
    for mark in _MARK.findall(value):
        if mark == '"':
            quotes += depth == 0
        else:
            depth += 1 if mark == "{" else -1
    if value.startswith('"') and depth == 0:
        return (value, "") if quotes % 2 == 0 else (f'{value}"', "a quotation mark that nothing closes")
    if depth == 0:
        return value, ""
    if depth > 0 and value.startswith("{"):
        return value + "}" * depth, "a brace that nothing closes"
    return "{" + _MARK.sub(
        "", value
    ) + "}", f"a {'closing brace too much' if depth < 0 else 'brace that nothing closes'}"


def _without_end(value: str) -> str:
    """Return the last value without what closes the entry, and without what stands behind that."""
    if not value.startswith(("{", '"')):
        found = _BARE_KEY.match(value)
        return found[0] if found else ""
    depth = 0
    for mark in _MARK.finditer(value, 1):
        if depth == 0 and mark[0] == ("}" if value[0] == "{" else '"'):
            return value[: mark.end()]
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return _LINES_AFTER.split(value, maxsplit=1)[0]


# -- values: braces, quotation marks, numbers, abbreviations, and pieces put together with #

_LONGEST_VALUE = 2_000_000
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_BRACE = re.compile(r"(?<!\\)[{}]")
_BRACE_OR_QUOTE = re.compile(r"(?<!\\)[{}\"]")
_BARE_VALUE = re.compile(r"[^\s#{}\",=]+")
_JOINT = re.compile(r"\s*#\s*")


@dataclass(slots=True)
class _Macros:
    """The abbreviations that a file has defined so far; months mean themselves. `unknown` are those that it uses all the same."""

    known: dict[str, str] = field(default_factory=lambda: {month: month for month in _MONTHS})
    unknown: set[str] = field(default_factory=set[str])

    def define(self, name: str, raw: str) -> None:
        """Take in an abbreviation; it may rest on earlier ones."""
        self.known[name.casefold()] = self.value(raw)[0]

    def value(self, raw: str) -> tuple[str, str]:
        """Return the text that is meant, and what stands behind it where nothing should stand."""
        if raw.startswith("{") and raw.endswith("}") and "{" not in raw[1:]:  # nearly all of them
            return raw[1:-1], ""
        pieces: list[str] = []
        position = size = 0
        while position < len(raw):
            piece, position = self._piece(raw, position)
            size += len(piece)
            if size <= _LONGEST_VALUE:  # abbreviations of abbreviations multiply
                pieces.append(piece)
            joint = _JOINT.match(raw, position)
            if joint is None:
                break
            position = joint.end()
        return "".join(pieces), raw[position:].strip(" \t\n,")

    def _piece(self, raw: str, start: int) -> tuple[str, int]:
        if raw[start] == "{":
            end = _closing(raw, start)
            return raw[start + 1 : end], end + 1
        if raw[start] == '"':
            end = _quote(raw, start)
            return raw[start + 1 : end], end + 1
        found = _BARE_VALUE.match(raw, start)
        if found is None:
            return "", len(raw)
        return self._meaning(found[0]), found.end()

    def _meaning(self, word: str) -> str:
        if word.isdigit():
            return word
        if word.casefold() not in self.known:
            if re.match(r"[^\W\d]", word):
                self.unknown.add(word)
            return word
        return self.known[word.casefold()]


def _closing(raw: str, start: int) -> int:
    depth = 0
    for mark in _BRACE.finditer(raw, start):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return mark.start()
    return len(raw)


def _quote(raw: str, start: int) -> int:
    depth = 0
    for mark in _BRACE_OR_QUOTE.finditer(raw, start + 1):
        if mark[0] == '"' and depth <= 0:
            return mark.start()
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return len(raw)


_INHERITED_UNDER: Mapping[str, str] = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}
_OWN = frozenset(
    "abstract annote annotation author comment crossref doi eprint entryset execute file groups ids keywords key label language note "
    "options pages pdf presort related relatedtype shorthand shorttitle sortkey sortname sorttitle timestamp owner url xdata xref".split()
)

_MOST_STEPS = 5
_MOST_POINTERS = 50


def inherited(fields: Mapping[str, str], entries: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the fields with those of other entries: all of an `xdata`, and of a `crossref` what a part has of its whole."""
    return _inherited(fields, entries, set(), 0)


def _inherited(
    fields: Mapping[str, str], entries: Mapping[str, Mapping[str, str]], seen: set[str], steps: int
) -> dict[str, str]:
    found = dict(fields)
    for name in ("xdata", "crossref"):
        for key in _pointed_at(found, name)[:_MOST_POINTERS]:
            if key in seen or key not in entries or steps == _MOST_STEPS:  # they may point at each other
                continue
            seen.add(key)
            _take(found, fields, _inherited(entries[key], entries, seen, steps + 1), whole=name == "crossref")
    return found


def _take(found: dict[str, str], fields: Mapping[str, str], other: Mapping[str, str], *, whole: bool) -> None:
    for name, value in other.items():
        if not whole:
            found.setdefault(name, value)
        elif name not in _OWN:
            found.setdefault(_INHERITED_UNDER.get(name, name), value)
    if whole and "booktitle" in other:  # BibTeX wants a book to say its title twice
        found["booktitle"] = fields.get("booktitle", other["booktitle"])


def _pointed_at(fields: Mapping[str, str], name: str) -> list[str]:
    """Return the keys, in small letters, in a field that points at other entries."""
    keys = (key.strip().casefold() for key in fields.get(name, "").strip('{}" ').split(","))
    return [key for key in keys if key]


# -- entries

_ENTRY_LINE = re.compile(r"^[ \t]*@\w+[ \t]*[{(]", re.MULTILINE)
_HEAD = re.compile(r"@\s*(\w+)\s*[{(]\s*([^\s,={}\"]{0,200})")
_LEFT_OVER = re.compile(r"[\s,}]*[A-Za-z][\w:.+-]*\s*=\s*[{\"\w]")
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
class _Block:
    """An entry: its fields by their names in small letters, abbreviations written out, otherwise as they stand."""

    kind: str
    key: str
    line: int
    fields: Mapping[str, str]
    wrong: tuple[tuple[str, str], ...] = ()  # what was wrong with it, and what to do


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """Something that cannot be used."""

    line: int
    reason: str
    advice: str = _MEND
    is_entry: bool = True


@dataclass(slots=True, kw_only=True)
class _Blocks:
    text: str
    macros: _Macros = field(default_factory=_Macros)
    repairs: int = 0
    told: set[str] = field(default_factory=set[str])
    starts: list[int] = field(init=False)  # of the lines
    heads: list[int] = field(init=False)  # of the lines that an entry begins on

    def __post_init__(self) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        self.heads = [found.start() for found in _ENTRY_LINE.finditer(self.text)]

    def read(self) -> Iterator[_Block | _Fault]:
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
                # the next line that an entry begins on
                after = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
                place = bisect_right(self.heads, after - 1)
                done = bisect_right(self.starts, self.heads[place]) - 1 if place < len(self.heads) else len(self.starts)

    def _entry(self, entry: "model.Entry") -> Iterator[_Block | _Fault]:
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
        yield _Block(kind=entry.entry_type.lower(), key=entry.key, line=line, fields=fields, wrong=tuple(complaints))

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

    def _mended(self, block: "model.Block") -> Iterator[_Block | _Fault]:
        raw, line = self._extent(block)
        head = _HEAD.match(raw)
        kind, key = (head[1].lower(), head[2]) if head else ("", "")
        if kind in {"comment", "preamble"}:
            return
        if kind == "string":
            yield _Fault(line=line, reason=f"the abbreviation {key!r} is not closed", is_entry=False)
        elif mended := self._again(raw, line):
            yield mended
        else:
            named = f"entry {key!r}" if key else "the entry"
            yield _Fault(
                line=line, reason=f"{named} cannot be read: {_reason(block)}; it is not used", is_entry="=" in raw
            )

    def _again(self, raw: str, line: int) -> _Block | None:
        """Return the entry as it must have been meant, if that can be told."""
        self.repairs += 1
        if self.repairs > _MOST_REPAIRS:
            return None
        repaired = _repair(raw, line)
        blocks = [_whole(block) for block in _split(repaired.text)] if repaired.text else []
        if len(blocks) != 1 or not _is_entry(blocks[0]):
            return None
        entry = blocks[0]
        fields, wrong = self._fields(entry)
        if any(rest for _, rest in wrong):
            return None
        told = [(f"{fault}; it was read as it must have been meant", _MEND) for fault in repaired.wrong]
        return _Block(kind=entry.entry_type.lower(), key=entry.key, line=line, fields=fields, wrong=tuple(told))

    def _extent(self, block: "model.Block") -> tuple[str, int]:
        """Return the text from a block to the next line that an entry begins on, and its own line from 1."""
        line = block.start_line or 0
        start = max(self.text.find((block.raw or "@")[:40], self.starts[line]), self.starts[line])
        place = bisect_right(self.heads, start)
        end = self.heads[place] if place < len(self.heads) else len(self.text)
        return self.text[start:end], line + 1

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


# -- the reader

_LATEX_SHARE = 4  # so many times longer may a text be while it is LaTeX
_LONGEST_CODED = 20_000
_NO_WORKS = frozenset("xdata set control ieeetranbstctl bibnote footnote".split())
_BOOKS = frozenset(
    "book mvbook proceedings mvproceedings collection mvcollection reference mvreference periodical booklet".split()
)

_ENTRY = re.compile(r"(?:^|>)[ \t]*@\w+[ \t]*[{(]\s*[^\s,={}]+\s*,", re.MULTILINE)  # in a page of the web too
_BIBLATEX = {
    "journaltitle": "journal",
    "location": "address",
    "eprinttype": "archiveprefix",
    "eprintclass": "primaryclass",
    "shortjournal": "journal",
}

_VERBATIM = frozenset({"doi", "url", "eprint"})
_NEEDED = frozenset("title subtitle year date language langid hyphenation".split())


@dataclass(frozen=True, slots=True)
class BibtexReader:
    """Reads `.bib` files."""

    max_bytes: int

    def entries(self, path: Path) -> Iterator[BibEntry | Problem]:
        """Yield the entries in their order, and what is wrong with them."""
        text = read_source(path, self.max_bytes)
        listing = BibliographyEntries(origin=printable(path))
        # the entries of a file in their order
        found = list(_Blocks(text=text).read()) if not text.lstrip().startswith("<") or _ENTRY.search(text) else []
        if not any(isinstance(item, _Block) or item.is_entry for item in found):
            raise ReadError("there is no BibTeX entry in it", "export it as BibTeX again, or leave it out")
        by_key = {item.key.casefold(): item.fields for item in reversed(found) if isinstance(item, _Block)}
        for item in found:
            if isinstance(item, _Fault):
                yield listing.problem(item.line, item.reason, item.advice)
            elif item.kind not in _NO_WORKS:
                named = f"entry {item.key!r}" if item.key else "the entry"
                for wrong, advice in item.wrong:
                    yield listing.problem(item.line, f"{named}: {wrong}", advice)
                for name in ("crossref", "xdata"):
                    for key in _pointed_at(item.fields, name):
                        if key not in by_key:
                            reason = f"the {name} of {named} points at {key!r}, which is not in this file"
                            yield listing.problem(item.line, reason, "add that entry, or write its fields here")
                yield from listing.enter(_record(item, by_key))


def _record(block: _Block, by_key: Mapping[str, Mapping[str, str]]) -> Record:
    coded = block.fields
    if "crossref" in coded or "xdata" in coded:
        coded = inherited(coded, by_key)
    editors = authors_of(coded["editor"]) if "editor" in coded else ()
    authors = authors_of(coded.get("author", ""))
    fields = _fields(coded)
    if editors:
        fields["editor"] = "; ".join(name.strip("{}") for name in editors)
    return Record(
        key=block.key,
        line=block.line,
        kind=block.kind,
        fields=fields,
        authors=editors if not authors and block.kind in _BOOKS else authors,
        keywords=keywords_of(
            decode_latex(coded[name][:_LONGEST_CODED]) for name in ("keywords", "keyword") if name in coded
        ),
        abstract=paragraphs(coded.get("abstract", "")[: _LATEX_SHARE * LONGEST_ABSTRACT]),
        files=files_of(coded),
    )


def _fields(coded: Mapping[str, str]) -> dict[str, str]:
    """Return the fields as plain text, those of BibLaTeX under their names in BibTeX."""
    found: dict[str, str] = {}
    for name, value in coded.items():
        if name in _VERBATIM:
            found[name] = verbatim(value[:_LONGEST_CODED])
        elif name != "editor" and (name in _NEEDED or not is_dropped(name)):
            found.setdefault(_BIBLATEX.get(name, name), decode_latex(value[:_LONGEST_CODED]))
    if "journaltitle" in coded:  # and not the short one that may stand before it
        found["journal"] = decode_latex(coded["journaltitle"][:_LONGEST_CODED])
    return found
