"""LaTeX sources, alone or as an archive of a folder. Nothing is run: commands that are not known are left out, their text is kept."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from scholarmind.adapters.readers.archive import Archive
from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.facts import document_of, with_file_name
from scholarmind.adapters.readers.html import content_of
from scholarmind.adapters.readers.tex.blocks import compose
from scholarmind.adapters.readers.tex.citations import citations_of
from scholarmind.adapters.readers.tex.front import facts_of
from scholarmind.adapters.readers.tex.inline import Inline, plain_text
from scholarmind.adapters.readers.tex.macros import expanded
from scholarmind.adapters.readers.tex.numbers import Numbers
from scholarmind.adapters.readers.tex.source import Folder, Source, load, main_file
from scholarmind.adapters.readers.tex.writer import Writer
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable

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
            name, source = path.name, load(Folder(real.parent, self.max_bytes), real.name, self.max_bytes)
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


def _read(source: Source, path: Path, name: str) -> Iterator[Reading | Problem]:
    macros = expanded(source.text)
    citations = citations_of(macros.text, source.bibliography, plain_text)
    numbers = Numbers(macros.text, macros.theorems)
    inline = Inline(macros.text, citations, numbers.labels)
    facts = with_file_name(facts_of(inline), path)
    inline.notes.clear()
    start, end = _body(inline, numbers)
    composition = compose(Writer(inline, numbers, macros.theorems).write(start, end))
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


def _losses(source: Source, inline: Inline) -> Iterator[tuple[str, str]]:
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
