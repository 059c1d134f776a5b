"""Text as people write it: plain, in records of JSON, in Markdown with YAML front matter, and in Jupyter notebooks.

A record is one JSON object a line: `id`, `title`, `text` and `meta`; only `text` is needed. BEIR's `_id` and `metadata` are the same. Of a
notebook is read what is written, the code, and the beginning of what it printed; pictures are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import yaml

from scholarmind.adapters.readers.composition import clean, read_text
from scholarmind.adapters.readers.file_metadata import (
    NoteHead,
    document,
    document_of,
    identifier_of,
    own_reference,
    read_below,
    read_head,
    read_titled,
    with_file_name,
)
from scholarmind.adapters.readers.file_names import file_facts
from scholarmind.errors import ReadError
from scholarmind.model import Document, Fact, Problem, Reading, Section, by_field
from scholarmind.text.untrusted import printable

# -- plain text


@dataclass(frozen=True, slots=True)
class PlainReader:
    """Its title is its first line, if that reads as one, and the name of the file else; below may stand who wrote it."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the one document that the file is."""
        text = read_text(path, self.max_bytes)
        head = read_titled(text)
        facts = with_file_name(head.facts, path)
        yield Reading(document=document_of(facts, path, "text"), text=text, regions=head.regions, facts=facts)


# -- records


@dataclass(frozen=True, slots=True)
class JsonlReader:
    """Streams: the file may be larger than memory, a line may not be larger than `max_bytes`."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield a document or a problem for every line that has something in it."""
        empty = True
        with path.open("rb") as file:
            for number, line in self._lines(file):
                empty = False
                where = f"{printable(path)}, line {number}"
                try:
                    yield self._record(line, path, number)
                except ReadError as error:
                    yield Problem(where=where, reason=error.reason, advice=error.advice)
        if empty:
            raise ReadError("it is empty", "nothing to do, unless it should not be")

    def _lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        number = 0
        while line := file.readline(self.max_bytes + 1):
            number += 1
            if line.strip():
                yield number, line
            while len(line) > self.max_bytes and not line.endswith(b"\n"):
                line = file.readline(self.max_bytes + 1)

    def _record(self, line: bytes, path: Path, number: int) -> Reading:
        if len(line) > self.max_bytes:
            raise ReadError(
                f"the line is longer than {self.max_bytes / 1e6:,.0f} MB", "raise SCHOLARMIND_MAX_FILE_MEGABYTES"
            )
        try:
            record: Any = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ReadError(f"not JSON: {error}", "write one JSON object a line, in UTF-8") from error
        if not isinstance(record, dict):
            raise ReadError(f"a {type(record).__name__}, not an object", 'write {"id": ..., "title": ..., "text": ...}')
        record = _named_as_ours(cast("dict[str, Any]", record))
        text = record.get("text")
        if not isinstance(text, str) or not text.strip():
            raise ReadError("'text' is missing or empty", "give every record a text")
        meta: Any = record.get("meta") or {}
        if not isinstance(meta, dict):
            raise ReadError(f"'meta' is a {type(meta).__name__}, not an object", 'write "meta": {"year": 2019, ...}')
        fields = {
            **cast("dict[str, Any]", meta),
            **{key: value for key, value in record.items() if key not in {"text", "meta"}},
        }
        found = document(fields, path, identifier=f"{identifier_of(path)}:{number}", kind="record")
        return Reading(document=found, text=clean(text), whole=True)


def _named_as_ours(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the names of ours where it has BEIR's."""
    theirs = {"_id": "id", "metadata": "meta"}
    return {
        theirs[name] if name in theirs and theirs[name] not in record else name: value for name, value in record.items()
    }


# -- Markdown

_IDENTIFIER = re.compile(r"(?:doi|arxiv|issn|isbn)\b.*|10\.\d{4,9}/.*|https?://\S+", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"abstract|summary|(?:table of )?contents|overview|[摘提]\s*要|目\s*录|前\s*言|引\s*言", re.IGNORECASE
)
# a formula whose digits stand apart, as text recognition writes them, or with commands; "$5 and $10" is none
_MATH = re.compile(r"\$(?=\S)([^$\n]{1,400}?)(?<=\S)\$(?!\d)")
_OF_MATH = re.compile(r"\d \d|\d \. ?\d|\\[a-zA-Z%]")
_WITHIN_NUMBER = re.compile(r"(?<=\d) (?=\d)|(?<=\d) (?=\.\s?\d)|(?<=\d\.) (?=\d)|(?<=\d \.) (?=\d)| (?=,)")
_UPRIGHT = re.compile(r"\\(?:mathrm|mathbf|text|rm|bf)\s*\{([^{}]*)\}")
_SIGNS = {
    "%": "%", "sim": "~", "circ": "°", "times": "×", "cdot": "·", "pm": "±", "mu": "μ", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
}  # fmt: skip
_SIGN = re.compile(rf"(?:\^\s*\{{\s*)?\\(circ)\s*\}}|\\({'|'.join(_SIGNS)})(?![a-zA-Z])|\\([ ,;])")
_BRACED_SIGN = re.compile(r"\{\s*([~·×±≤≥<>=])\s*\}")
_BESIDE_SIGN = re.compile(r"(?<=\d) (?=[%°~])|(?<=~) (?=\d)|(?<=°) (?=C)")
_LATEX = re.compile(r"[\\{}^_&]")


def _read_math(match: re.Match[str]) -> str:
    """Return a formula with its numbers whole, and as plain text where nothing of LaTeX is left in it."""
    if not _OF_MATH.search(match[1]):
        return match[0]
    text = _WITHIN_NUMBER.sub("", match[1])
    plain = _SIGN.sub(lambda sign: _SIGNS.get(sign[1] or sign[2] or "", " "), text)
    plain = _BRACED_SIGN.sub(r"\1", _UPRIGHT.sub(lambda upright: upright[1].replace(" ", ""), plain))
    plain = " ".join(_BESIDE_SIGN.sub("", plain).split())
    return f"${text}$" if _LATEX.search(plain) else plain


_FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT_MATTER = 64_000
_DEEPEST = 20
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_REFERENCE_OR_NEST = re.compile(rf"[&*?]|-[ \t]+-|^[ \t]{{{_DEEPEST},}}|[-:][ \t]+[-\w\"']+:", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```+|~~~+)(?P<info>[^\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+")
_CLOSING = re.compile(r"(?<![^ \t])#+$")  # `# C#` ends in a name, `# C #` in a mark
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_ATTRIBUTES = re.compile(r"(?<=\S)[ \t]*\{[#.-][^{}\n]*\}$")  # of Pandoc: `# Title {#title}`
_TITLE_BLOCK = re.compile(  # of Pandoc, too: lines may go on indented
    r"%[ \t]+(?P<title>\S[^\n]*(?:\n[ \t]+[^\n]+)*)\n(?:%[ \t]*(?P<author>[^\n]*(?:\n[ \t]+[^\n]+)*)\n)?(?:%[ \t]*(?P<date>[^\n]*)\n)?"
)


@dataclass(frozen=True, slots=True)
class MarkdownReader:
    """Headings become sections; the text stays as it is, so that offsets hold."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, after a problem if its front matter is unusable."""
        text = read_text(path, self.max_bytes)
        fields: dict[str, Any] = {}
        start = body = 0
        matter = _FRONT_MATTER.match(text)
        if matter is not None:
            body = matter.end()
            try:
                fields, start = _front_matter(matter["fields"]), matter.end()
            except ReadError as error:  # then it stays in the text, but nothing in it is a heading
                where = printable(path)
                yield Problem(where=where, reason=f"front matter not used: {error.reason}", advice=error.advice)
        if block := _TITLE_BLOCK.match(text) if matter is None else None:
            said = {name: value for name, value in block.groupdict(default="").items() if value.strip()}
            fields, start, body = (
                said | {"author": said.get("author", "").replace("\n", "; ")},
                block.end(),
                block.end(),
            )
        text = text[start:body] + _MATH.sub(_read_math, text[body:])
        if not text.strip():
            raise ReadError("it has front matter and no text", "add the text, or leave it out")
        sections = tuple(_sections_of(text, body - start))
        place = _titled(sections)
        name = sections[place].path[-1] if sections else ""
        title = name if name and not _NO_TITLE.fullmatch(name) else printable(Path(path.stem))
        known = document(fields, path, identifier=identifier_of(path), title=title, kind="note")
        head = _head(text, sections, place) if sections or fields else read_titled(text)
        dated = (fact for fact in file_facts(path) if fact.field == "year")
        cited = own_reference(text[: sections[place].heading], title) if place else ()
        head = replace(head, facts=(*cited, *head.facts, *dated))
        facts = tuple(
            fact for fact in head.facts if not _says(known, fact.field) or (fact.field == "title" and not fields)
        )
        told = {
            name: list(fact.value) if isinstance(fact.value, tuple) else fact.value
            for name, (fact, *_) in by_field(facts).items()
        }
        found = document({**fields, **told}, path, identifier=identifier_of(path), title=title, kind="note")
        yield Reading(document=found, text=text, sections=sections, regions=head.regions, facts=facts)


def _titled(sections: Sequence[Section]) -> int:
    """Return which heading may be the title: the first that is no identifier, which text recognition finds above it."""
    named = (place for place, section in enumerate(sections) if not _IDENTIFIER.fullmatch(section.path[-1]))
    return next(named, 0)


def _head(text: str, sections: Sequence[Section], place: int) -> NoteHead:
    if not place:
        return read_below(text, sections)
    stop = sections[place + 1].heading if place + 1 < len(sections) else None
    return read_head(text, sections[place].start, sections[place].path[-1], stop)


def _says(known: Document, field: str) -> bool:
    """Tell whether front matter gives a field, which nothing below the title outweighs."""
    return bool(getattr(known, field) if field in {"title", "authors", "year", "source"} else known.metadata.get(field))


def _front_matter(text: str) -> dict[str, Any]:
    """Read YAML that nobody vouches for: bounded in length and depth, and without references that multiply."""
    advice = "write it as 'key: value' lines between two lines of '---'"
    if len(text) > _LONGEST_FRONT_MATTER:
        raise ReadError(f"it has {len(text):,} characters", f"at most {_LONGEST_FRONT_MATTER:,} are read")
    try:
        depth = 0
        # plain lines need no look at their structure, which costs as much as reading them
        events = cast("Iterator[yaml.Event]", yaml.parse("" if _is_plain(text) else text, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]
        for event in events:
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
                raise ReadError("it uses references or deep nesting", advice)
        found = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        told = str(getattr(error, "problem", None) or error)
        mark = getattr(error, "problem_mark", None)
        raise ReadError(f"not YAML ({told}{f', line {mark.line + 2}' if mark else ''})", advice) from error
    if found is None:  # nothing, or comments only
        return {}
    if not isinstance(found, dict):
        raise ReadError(f"a {type(found).__name__} where fields were expected", advice)
    return cast("dict[str, Any]", found)


def _is_plain(text: str) -> bool:
    """Tell that there can be neither references nor deep nesting."""
    brackets = text.count("[") + text.count("{")
    return brackets < _DEEPEST and not _REFERENCE_OR_NEST.search(text)


def _sections_of(text: str, position: int) -> Iterator[Section]:
    """Yield headings in `#` and underlined style from this position on, outside of code."""
    path: dict[int, str] = {}
    fence = ""
    previous_start = position
    previous = ""
    for line in _LINE.findall(text, position):
        end = position + len(line)
        found = None if fence else _heading(line.strip(), line, previous)
        fence = _fence(line, fence)
        if found is not None:
            level, title, underlined = found
            path = {depth: name for depth, name in path.items() if depth < level} | {level: title}
            heading = previous_start if underlined else position
            yield Section(heading=heading, start=end, path=tuple(path.values()))
        previous, previous_start, position = line.strip(), position, end


def _open_fence(text: str) -> str:
    """Return the mark that would close the code that the text leaves open, or ''."""
    fence = ""
    for line in _LINE.findall(text):
        fence = _fence(line, fence)
    return fence


def _fence(line: str, fence: str) -> str:
    """Return the mark that closes the code that we are in after this line, or ''."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if fence:
        return "" if mark[1].startswith(fence) and not mark["info"].strip() else fence
    return "" if mark[1][0] == "`" and "`" in mark["info"] else mark[1]


def _heading(bare: str, line: str, previous: str) -> tuple[int, str, bool] | None:
    match = _HEADING.match(line)
    if match:
        title = _ATTRIBUTES.sub("", _CLOSING.sub("", bare.lstrip("#").strip()).strip())
        return (len(match[1]), title, False) if title else None
    match = _UNDERLINE.match(line)
    if match and previous and not _HEADING.match(previous) and not previous.startswith(("-", "*", ">", "|", "#")):
        return (1 if match[1][0] == "=" else 2), previous, True
    return None


# -- notebooks

_MOST_OUTPUT = 2_000  # characters of what one cell printed
_MOST_CELLS = 20_000
_ADVICE = "open it in Jupyter and save it again"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\]\n]{0,500})\]\((?:data:|attachment:)[^)\n]*\)")
_TEXTS = ("text/plain", "text/markdown", "text/latex")


@dataclass(frozen=True, slots=True)
class NotebookReader:
    """The text is the notebook as Markdown, code in fences with its language, so that its headings are sections."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the notebook."""
        notebook = _record(read_text(path, self.max_bytes))
        cells = list(_cells(notebook))
        language = _language(notebook)
        parts = [part for cell in cells[:_MOST_CELLS] for part in _parts(cell, language)]
        text = clean("\n\n".join(parts))
        if not text.strip():
            raise ReadError("none of its cells has text", "nothing to do, unless one should have")
        found = tuple(_sections_of(text, 0))
        facts = with_file_name(_facts(notebook, found[0].path[0] if found else ""), path)
        yield Reading(document=document_of(facts, path, "notebook"), text=text, sections=found, facts=facts)
        if len(cells) > _MOST_CELLS:
            reason = f"it has {len(cells):,} cells: the first {_MOST_CELLS:,} are read"
            yield Problem(where=printable(path), reason=reason, advice="split it", lasting=True)


def _record(text: str) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"not a notebook: {error}", _ADVICE) from error
    if not isinstance(found, dict) or not ("cells" in found or "worksheets" in found):
        raise ReadError("not a notebook: it has no cells", "it may have the wrong suffix, or be a file of data")
    return cast("dict[str, Any]", found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the cells; before version 4 they were on worksheets."""
    for cell in _listed(notebook.get("cells")):
        yield _mapping(cell)
    for sheet in _listed(notebook.get("worksheets")):
        for cell in _listed(_mapping(sheet).get("cells")):
            yield _mapping(cell)


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    told = (_mapping(metadata.get("language_info")).get("name"), _mapping(metadata.get("kernelspec")).get("language"))
    return next((name for name in told if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name)), "python")


def _joined(value: Any) -> str:
    """Return a text that may come as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in _listed(value) if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _parts(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield the source of a cell and what it printed, as Markdown."""
    kind = cell.get("cell_type")
    source = clean(_joined(cell.get("source") if "source" in cell else cell.get("input"))).strip("\n").rstrip()
    if kind == "heading" and source:  # of version 3
        level = cell.get("level")
        yield f"{'#' * min(6, level if isinstance(level, int) and level > 0 else 1)} {' '.join(source.split())}"
    elif kind == "code":
        own = cell.get("language")
        if source.strip():
            yield _fenced(source, own if isinstance(own, str) and own.isalnum() else language)
        printed = clean(_COLOURS.sub("", "".join(_printed(cell)))).strip("\n").rstrip()
        if printed.strip():
            more = " …" if len(printed) > _MOST_OUTPUT else ""
            yield _fenced(f"{printed[:_MOST_OUTPUT].rstrip()}{more}", "")
    elif source.strip():
        source = _IMAGE.sub(r"\1", source)
        mark = _open_fence(source)  # else it would swallow all cells behind it
        yield f"{source}\n{mark}" if mark else source


def _fenced(text: str, language: str) -> str:
    longest = max((len(mark) for mark in _FENCES.findall(text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def _printed(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a cell printed, with what it returned in plain text; errors by their last line."""
    for output in map(_mapping, _listed(cell.get("outputs"))):
        kind = output.get("output_type")
        if kind == "stream":
            text = _joined(output.get("text"))
        elif kind in {"error", "pyerr"}:
            text = f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
        else:
            data = _mapping(output.get("data"))
            text = next((told for name in _TEXTS if (told := _joined(data.get(name)))), _joined(output.get("text")))
        if text:
            yield text[: _MOST_OUTPUT + 1] + ("" if text.endswith("\n") else "\n")


def _facts(notebook: Mapping[str, Any], heading: str) -> Iterator[Fact]:
    metadata = _mapping(notebook.get("metadata"))
    title = _joined(metadata.get("title")) or _joined(metadata.get("name"))
    authors = [
        author if isinstance(author, str) else _joined(_mapping(author).get("name"))
        for author in _listed(metadata.get("authors"))
    ]
    yield Fact(field="title", value=" ".join(clean(title).split()), source="document properties", sure=0.8)
    yield Fact(field="title", value=heading, source="first page", sure=0.7)
    names = tuple(" ".join(clean(author).split()) for author in authors if author.strip())
    yield Fact(field="authors", value=names, source="document properties", sure=0.8)
