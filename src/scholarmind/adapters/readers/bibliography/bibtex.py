"""BibTeX and BibLaTeX files. A broken entry costs itself at most: it is told with its line, and the rest is used."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scholarmind.adapters.readers.bibliography.bibtex_blocks import Block, Fault, blocks_of
from scholarmind.adapters.readers.bibliography.bibtex_values import inherited, pointed_at
from scholarmind.adapters.readers.bibliography.files import files_of
from scholarmind.adapters.readers.bibliography.latex import decode, paragraphs, verbatim
from scholarmind.adapters.readers.bibliography.names import authors_of
from scholarmind.adapters.readers.bibliography.record import (
    LONGEST_ABSTRACT,
    Listing,
    Record,
    is_dropped,
    keywords_of,
)
from scholarmind.adapters.readers.bibliography.source import read_source
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Problem
from scholarmind.text.names import printable

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
        listing = Listing(origin=printable(path))
        found = list(blocks_of(text)) if not text.lstrip().startswith("<") or _ENTRY.search(text) else []
        if not any(isinstance(item, Block) or item.is_entry for item in found):
            raise ReadError("there is no BibTeX entry in it", "export it as BibTeX again, or leave it out")
        by_key = {item.key.casefold(): item.fields for item in reversed(found) if isinstance(item, Block)}
        for item in found:
            if isinstance(item, Fault):
                yield listing.problem(item.line, item.reason, item.advice)
            elif item.kind not in _NO_WORKS:
                yield from _complaints(item, by_key, listing)
                yield from listing.enter(_record(item, by_key))


def _complaints(block: Block, by_key: Mapping[str, Mapping[str, str]], listing: Listing) -> Iterator[Problem]:
    named = f"entry {block.key!r}" if block.key else "the entry"
    for wrong, advice in block.wrong:
        yield listing.problem(block.line, f"{named}: {wrong}", advice)
    for name in ("crossref", "xdata"):
        for key in pointed_at(block.fields, name):
            if key not in by_key:
                reason = f"the {name} of {named} points at {key!r}, which is not in this file"
                yield listing.problem(block.line, reason, "add that entry, or write its fields here")


def _record(block: Block, by_key: Mapping[str, Mapping[str, str]]) -> Record:
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
        keywords=keywords_of(decode(coded[name][:_LONGEST_CODED]) for name in ("keywords", "keyword") if name in coded),
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
            found.setdefault(_BIBLATEX.get(name, name), decode(value[:_LONGEST_CODED]))
    if "journaltitle" in coded:  # and not the short one that may stand before it
        found["journal"] = decode(coded["journaltitle"][:_LONGEST_CODED])
    return found
