"""Drafts as files: LaTeX in its own source, and everything that the library reads (Word, Markdown, PDF ...) by its text.

A citation is `\\cite{key}`, `[@key, p. 4]`, `[12]` with a list of references, or `(Devlin et al., 2019)`. What a key is follows from where
it is looked up: in a bibliography, in the draft's own list (`#3` is its third reference), or among the documents of the library.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scholarmind.adapters.readers.draft_files import TexManuscript, read_tex
from scholarmind.errors import QueryError, ReadError
from scholarmind.library.references import listed_in, parse, pointers, with_lists
from scholarmind.library.references.reference_pointers import CITED_KEY, CITED_KEYS, KEY_OF_GROUP
from scholarmind.library_ports import Reader
from scholarmind.model import DraftCitation, Paragraph, Problem, Reading, Reference
from scholarmind.text.untrusted import printable

_TEX = (".tex", ".ltx")
_APART = frozenset({"table", "caption", "references", "contents", "footnote", "front"})
_GAP = re.compile(r"\n[ \t]*\n\s*")
_MARKUP = re.compile(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)")
_NO_PROSE = re.compile(r"\s*(?:```|~~~|\||<!--|---\s*$|!\[|\$\$)")
_NUMBERED = re.compile(r"[\[［【](\d{1,3}(?:\s?[,;，、–-]\s?\d{1,3})*)[\]］】]")
_NAMED = re.compile(
    r"[(（\[](?:(?:see|e\.g\.,?|cf\.)\s+)?[A-Z][\w'’-]+(?:\s(?:et al\.?|(?:and|&)\s[A-Z][\w'’-]+)|等人?)?,?\s(?:19|20)\d\d[a-z]?[)）\]]"
    r"|[(（][\u3400-\u9fff]{2,4}(?:等人?)?[,，]\s?(?:19|20)\d\d[)）]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftManuscript:
    """A draft that was read: its paragraphs, its own list of references by key, and the bibliographies that it names."""

    path: Path
    paragraphs: tuple[Paragraph, ...]
    references: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    bibliographies: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = ()
    tex: TexManuscript | None = None


def read_manuscript(
    path: Path, readers: Mapping[str, Reader], max_bytes: int, known: Sequence[tuple[str, Reference]] = ()
) -> DraftManuscript:
    """Read a draft. `known` are works by their keys that it may cite by author and year."""
    if not path.is_file():
        raise QueryError(
            f"there is no draft {str(path)!r}; give a file, such as paper.tex, paper.docx, paper.md or paper.pdf"
        )
    suffix = path.suffix.lower()
    try:
        if suffix in _TEX:
            return _tex(path, max_bytes, known)
        if suffix not in readers:
            raise QueryError(
                f"{str(path)!r}: {suffix or 'a file without an ending'!r} is not read; give .tex, .docx, .md or .pdf"
            )
        return _by_text(path, readers[suffix], known)
    except ReadError as error:
        raise QueryError(f"the draft {str(path)!r} cannot be read: {error}") from error
    except OSError as error:
        raise QueryError(f"the draft {str(path)!r} cannot be read: {error.strerror}; check who may read it") from error


def _tex(path: Path, max_bytes: int, known: Sequence[tuple[str, Reference]]) -> DraftManuscript:
    tex = read_tex(path, max_bytes)
    references = {key: found for key, text in tex.items.items() for found in parse(text, 0, len(text))[:1]}
    bibliographies = (path.parent / (name if Path(name).suffix else f"{name}.bib") for name in tex.bibliographies)
    missing = [
        Problem(
            where=printable(path),
            reason=f"it includes {name!r}, which is not there",
            advice="put it beside the draft",
            lasting=True,
        )
        for name in tex.missing
    ]
    every = [*known, *references.items()]
    return DraftManuscript(
        path=path,
        paragraphs=tuple(_with_named(paragraph, every) for paragraph in tex.paragraphs),
        references=references,
        bibliographies=tuple(one for one in bibliographies if one.is_file()),
        problems=tuple(missing),
        tex=tex,
    )


def _with_named(paragraph: Paragraph, known: Sequence[tuple[str, Reference]]) -> Paragraph:
    """Add what a source cites by author and year in plain words."""
    if paragraph.mentions or not known:
        return paragraph
    found = tuple(_pointers(paragraph.text, 0, known))
    return Paragraph(
        text=paragraph.text, mentions=found, section=paragraph.section, places=paragraph.places, inline=paragraph.inline
    )


# -- what has no source to write into


def _by_text(path: Path, reader: Reader, known: Sequence[tuple[str, Reference]]) -> DraftManuscript:
    readings: list[Reading] = []
    problems: list[Problem] = []
    for item in reader.read(path):
        if isinstance(item, Reading):
            readings.append(item)
        elif isinstance(item, Problem):
            problems.append(item)
    if not readings:
        told = f": {problems[0].reason}" if problems else ""
        raise QueryError(f"nothing could be read in the draft {str(path)!r}{told}; open it, and save it again")
    reading = with_lists(readings[0])
    lists = [(region.start, region.end) for region in reading.regions if region.kind == "references"]
    references = {f"#{number}": found for number, found in enumerate(listed_in(reading), 1)}
    every = [*references.items(), *known]
    return DraftManuscript(
        path=path,
        paragraphs=tuple(_paragraphs(reading, lists, every)),
        references=references,
        problems=tuple(problems),
    )


def _paragraphs(
    reading: Reading, lists: Sequence[tuple[int, int]], known: Sequence[tuple[str, Reference]]
) -> Iterator[Paragraph]:
    text, cuts = reading.text, [region for region in reading.regions if region.kind in _APART]
    borders = sorted((section.heading, section.start, section.path) for section in reading.sections)
    skipped = [(region.start, region.end) for region in cuts]
    skipped += [*lists, *((heading, start) for heading, start, _ in borders)]
    fenced = False
    for start, end in _between(text, sorted(skipped)):
        fences = text.count("```", start, end) % 2
        if not fenced and not _NO_PROSE.match(text, start, end) and any(map(str.isalnum, text[start:end])):
            path = next((path for _, begin, path in reversed(borders) if begin <= start), ())
            page = reading.layout.page_at(start) if reading.layout else None
            marked = _MARKUP.match(text[start:end])
            begins = start + (marked.end() if marked else 0)
            own = text[begins:end].replace("\n", " ")
            yield Paragraph(text=own, mentions=tuple(_mentions(own, known)), section=path, page=page)
        fenced ^= bool(fences)


def _between(text: str, skipped: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs outside of what is skipped."""
    position = 0
    for start, stop in (*skipped, (len(text), len(text))):
        begin = position
        for gap in _GAP.finditer(text, position, max(position, start)):
            yield begin, gap.start()
            begin = gap.end()
        if begin < start:
            yield begin, start
        position = max(position, stop)


def _mentions(text: str, known: Sequence[tuple[str, Reference]]) -> Iterator[DraftCitation]:
    found: list[DraftCitation] = []
    for group in CITED_KEYS.finditer(text):
        keys = [(key, rest.strip(" ,;")) for key, rest in KEY_OF_GROUP.findall(group[0][:-1])]
        locator = "; ".join(rest for _, rest in keys if rest)
        found.append(
            DraftCitation(start=group.start(), end=group.end(), keys=tuple(key for key, _ in keys), locator=locator)
        )
    taken = [(one.start, one.end) for one in found]
    found += [
        DraftCitation(start=at.start(), end=at.end(), keys=(at[1],), locator=at[2] or "", textual=True)
        for at in CITED_KEY.finditer(text)
        if not any(start <= at.start() < end for start, end in taken)
    ]
    taken = [(one.start, one.end) for one in found]
    found += [
        one for one in _pointers(text, 0, known) if not any(one.start < end and start < one.end for start, end in taken)
    ]
    yield from sorted(found, key=lambda one: one.start)


def _pointers(text: str, start: int, known: Sequence[tuple[str, Reference]]) -> Iterator[DraftCitation]:
    """Yield what points at works by number, or by author and year; also what looks so and points at none that is known."""
    keys = [key for key, _ in known]
    found = [
        DraftCitation(
            start=start + one.start,
            end=start + one.end,
            keys=tuple(keys[number] for number in one.references),
            textual=text[one.start : one.start + 1] not in "([（［【",
        )
        for one in pointers(text, [reference for _, reference in known], ())
    ]
    yield from found
    taken = [(one.start, one.end) for one in found]
    numbered = any(reference.label.isdigit() for _, reference in known)
    for lost in (*_NAMED.finditer(text), *(_NUMBERED.finditer(text) if numbered else ())):
        if not any(lost.start() < end and begin < lost.end() for begin, end in taken):
            yield DraftCitation(start=lost.start(), end=lost.end(), keys=(lost[0].strip("()[]（）［］【】"),))
