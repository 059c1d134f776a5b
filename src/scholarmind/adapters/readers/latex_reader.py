"""LaTeX sources, alone or as an archive of a folder. Nothing is run: commands that are not known are left out, their text is kept.

What a source says of itself (title, authors, date, DOI) is read from before its text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from scholarmind.adapters.readers.containers import Archive
from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.html import content_of
from scholarmind.adapters.readers.tex.tex_source import TexFolder, TexSource, expanded, load, main_file
from scholarmind.adapters.readers.tex.tex_text import Inline, citations_of, plain_text
from scholarmind.adapters.readers.tex.tex_writer import Numbers, TexWriter, compose
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading, Value
from scholarmind.text.untrusted import printable

# -- what a source says of itself

_COMMAND = re.compile(
    r"\\(title|Title|icmltitle|author|Author|name|IEEEauthorblockN|icmlauthor|date|doi|acmDOI|acmYear|copyrightyear|journal)\*?\s*(?=[\[{])"
)

_MOST = 500
_MARKS = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|IEEEauthorrefmark|IEEEauthorblockA|affil|affiliation|address|email|orcid\w*|fnmsep|"
    r"corref|fnref|authornote\w*|institute|textsubscript|samethanks|envelope|Letter|quad|qquad|hspace|vspace|url|texttt|href)\*?\s*"
)

_SEPARATOR = re.compile(r"\\(?:and|AND|And|ANDD)\b|\s+\band\b\s+|;|\n\s*\n")
_FORMULA = re.compile(r"\$[^$]*\$")
_BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:newline|linebreak)\b")
_NAME = re.compile(
    r"[^\W\d_][\w.'’‘`-]*(?:\s+[^\W\d_][\w.'’‘`-]*){1,5}|[\u3400-\u9fff·\u30a0-\u30ff\u3040-\u309f\uac00-\ud7af]{2,12}"
)

_PLACE = re.compile(
    r"universit|institut|department|laborator|school|college|faculty|research|google|microsoft|corp|inc\b|academy|center|centre|@|\bIEEE\b|"
    r"member|fellow|\{|大学|学院|研究",
    re.IGNORECASE,
)

_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")


def _facts_of(inline: Inline) -> Iterator[Fact]:
    """Yield the facts of all commands that give some, wherever in the source they stand."""
    authors: list[str] = []
    title = ""
    for number, found in enumerate(_COMMAND.finditer(inline.text)):
        _, after = inline.options(found.end(), len(inline.text))
        group = inline.argument(after, len(inline.text))
        if group is None or number > _MOST or inline.is_verbatim(found.start()):
            continue
        command, raw = found[1].lower(), inline.text[group[0] : group[1]]
        if command.endswith("title"):
            title = title or _plain(_BREAK.sub(" ", raw))
        elif command in {"author", "icmlauthor", "ieeeauthorblockn", "name"}:
            authors += _names(raw)
        else:
            yield from _dated(command, raw)
    told: list[tuple[str, Value, float]] = [("title", title, 0.9), ("authors", tuple(dict.fromkeys(authors)), 0.85)]
    yield from (Fact(field=name, value=value, source="front matter", sure=sure) for name, value, sure in told if value)


def _dated(command: str, raw: str) -> Iterator[Fact]:
    year, doi = _YEAR.search(raw), _DOI.search(raw)
    value: Value = ""
    if command in {"doi", "acmdoi"}:
        name, value, sure = "doi", doi[0].rstrip(".,") if doi and "XXXX" not in raw.upper() else "", 0.9
    elif command == "journal":
        name, value, sure = "source", _plain(raw), 0.7
    else:
        name, value, sure = "year", int(year[0]) if year else "", 0.7
    if value:
        yield Fact(field=name, value=value, source="front matter", sure=sure)


def _names(raw: str) -> Iterator[str]:
    """Yield what looks like names among authors, who are written with affiliations, marks and addresses in a hundred ways."""
    if r"\IEEEauthorblockN" in raw:  # comes again by itself
        return
    for person in _SEPARATOR.split(_FORMULA.sub(" ", _without_marks(raw))):
        first = next((line for line in _BREAK.split(person) if _plain(line)), "")
        for part in re.split(r"\s*(?:,|\\quad|\\qquad|~~+|&)\s*(?:and\s+)?", first):
            name = re.sub(r"[\d*†‡§¶∗,]+$|^\W+", "", _plain(part)).strip()
            if _NAME.fullmatch(name) and not _PLACE.search(name):
                yield name


def _without_marks(raw: str) -> str:
    """Take notes and addresses out, with all that stands in their braces."""
    inline = Inline(raw)
    kept: list[str] = []
    position = 0
    while found := _MARKS.search(raw, position):
        kept.append(raw[position : found.start()])
        _, after = inline.options(found.end(), len(raw))
        group = inline.argument(after, len(raw))
        kept.append(" , " if "quad" in found[0] else " ")
        position = max(group[2] if group else after, found.end())
    return "".join((*kept, raw[position:]))


def _plain(raw: str) -> str:
    return Inline(raw).plain()


# -- the reader

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_TOLD = 5
_DOCUMENT = b"\\documentclass"
_HEAD = 500_000
_MOST_BESIDE = 200


@dataclass(frozen=True, slots=True)
class LatexReader:
    """A broken source is read as far as it makes sense; its bibliography is what BibTeX made of it, not the database."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and what is missing or broken in its source."""
        if path.suffix.lower() == ".zip":
            with Archive(path, self.max_bytes) as archive:
                name = main_file(archive)
                source = load(archive, name, self.max_bytes)
        else:
            content_of(path, self.max_bytes)
            main = _main_beside(path)
            if main is not None:
                reason = f"it is a part of {printable(Path(main.name))}"
                yield Problem(where=printable(path), reason=reason, advice="it is read with that", lasting=True)
                return
            real = path.resolve()  # what it includes is beside the file itself, not beside a link to it
            name, source = path.name, load(TexFolder(real.parent, self.max_bytes), real.name, self.max_bytes)
        yield from _read(source, path, name if path.suffix.lower() == ".zip" else "")


def _main_beside(path: Path) -> Path | None:
    """Return the document that this file is a part of: one beside it, or one folder up, that includes it by name."""
    if _DOCUMENT in _head(path):
        return None
    included = re.compile(
        rf"\\(?:input|include|subfile)\s*\{{?\s*(?:[\w./-]*/)?{re.escape(path.stem)}(?:\.tex)?\s*\}}?\s".encode()
    )
    others = (
        other for folder in (path.parent, path.parent.parent) for other in islice(folder.glob("*.tex"), _MOST_BESIDE)
    )
    return next((other for other in others if _DOCUMENT in (head := _head(other)) and included.search(head)), None)


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():  # opening a pipe would wait for ever
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _read(source: TexSource, path: Path, name: str) -> Iterator[Reading | Problem]:
    macros = expanded(source.text)
    citations = citations_of(macros.text, source.bibliography, plain_text)
    numbers = Numbers(macros.text, macros.theorems)
    inline = Inline(macros.text, citations, numbers.labels)
    facts = with_file_name(_facts_of(inline), path)
    inline.notes.clear()
    start, end = _body(inline, numbers)
    composition = compose(TexWriter(inline, numbers, macros.theorems).write(start, end))
    if not len(composition):
        raise ReadError("it has no text, only commands", "add the document that it belongs to")
    yield Reading(
        document=document_of(facts, path, "paper"),
        text=composition.text,
        sections=tuple(composition.sections),
        regions=tuple(composition.regions),
        facts=facts,
    )
    where = printable(path) + (f", {clean(name)}" if name else "")
    for reason, advice in _losses(source, inline):
        yield Problem(where=where, reason=reason, advice=advice, lasting=True)


def _body(inline: Inline, numbers: Numbers) -> tuple[int, int]:
    """Return where the text begins and ends; a source without a document, other than in an example, is all text."""
    text = inline.text
    begin = next(
        (found for found in islice(_BEGIN.finditer(text), _TOLD) if not _is_example(found.start(), inline, numbers)),
        None,
    )
    start = begin.end() if begin else 0
    end = numbers.ends.get(start) if begin else None
    return start, end[0] if end else len(text)


def _is_example(position: int, inline: Inline, numbers: Numbers) -> bool:
    """Tell whether a place is inside of an environment, or verbatim."""
    return inline.is_verbatim(position) or any(start <= position < stop for start, (stop, _) in numbers.ends.items())


def _losses(source: TexSource, inline: Inline) -> Iterator[tuple[str, str]]:
    if source.missing:
        names = ", ".join(repr(clean(name)) for name in dict.fromkeys(source.missing[:_TOLD]))
        more = f" and {len(source.missing) - _TOLD} more" if len(source.missing) > _TOLD else ""
        yield f"files that it includes are not there: {names}{more}", "put them beside it, and add it again"
    if inline.unbalanced:
        at = inline.unbalanced[0]
        near = " ".join(inline.text[max(0, at - 20) : at + 20].split())
        count = len(inline.unbalanced)
        yield (
            f"{count} of its braces have no partner, the first near {near!r}: read as well as it goes",
            "repair the source, or nothing",
        )
