"""Which file name means which format, and an answer in it. The last endings of a name decide: `answer.pandoc.md`, `answer.csl.json`."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scholarmind.answer import Answer
from scholarmind.citing.citation_styles import Place, Style
from scholarmind.errors import MissingExtraError
from scholarmind.publishing.manuscript import Manuscript, manuscript_of

_LONGEST_ENDING_FIRST = (".pandoc.md", ".csl.json", ".tex", ".html", ".htm", ".docx", ".pdf", ".ris", ".bib")
_PACKAGES = {".docx": "docx", ".pdf": "reportlab"}  # of the extra `documents`


@dataclass(frozen=True, slots=True)
class Publication:
    """An answer ready to be written: in which style its sources are listed, and the keys that the user has for works."""

    answer: Answer
    style: Style
    keys: Mapping[Place, str]

    def content(self, ending: str) -> bytes:
        """Return the file of this ending."""
        if ending in _REFERENCES:
            return _REFERENCES[ending](self).encode("utf-8", "replace")
        written = _WRITERS[ending](manuscript_of(self.answer, self.style, self.keys), self.style)
        return written if isinstance(written, bytes) else written.encode("utf-8", "replace")

    def notes(self, vault: Path) -> Path:
        """Write it into an Obsidian vault, and return the note of the answer."""
        from scholarmind.publishing.obsidian_notes import write_notes  # noqa: PLC0415

        return write_notes(manuscript_of(self.answer, self.style, self.keys), vault)


def format_of(file: Path) -> str:
    """Return the ending that decides how this file is written, '' where none of this module's does."""
    name = file.name.lower()
    return next((ending for ending in _LONGEST_ENDING_FIRST if name.endswith(ending) and name != ending), "")


def check_format(ending: str) -> None:
    """Find out whether what writes this format is installed."""
    package = _PACKAGES.get(ending, "")
    if package and importlib.util.find_spec(package) is None:
        raise MissingExtraError("documents", ImportError(f"No module named {package!r}", name=package))


def _tex(manuscript: Manuscript, style: Style) -> str:
    from scholarmind.publishing.markup import latex  # noqa: PLC0415

    return latex(manuscript, style)


def _pandoc(manuscript: Manuscript, _: Style) -> str:
    from scholarmind.publishing.markup import pandoc_markdown  # noqa: PLC0415

    return pandoc_markdown(manuscript)


def _html(manuscript: Manuscript, _: Style) -> str:
    from scholarmind.publishing.markup import html_page  # noqa: PLC0415

    return html_page(manuscript)


def _docx(manuscript: Manuscript, _: Style) -> bytes:
    from scholarmind.publishing.word_and_pdf import word_document  # noqa: PLC0415

    return word_document(manuscript)


def _pdf(manuscript: Manuscript, _: Style) -> bytes:
    from scholarmind.publishing.word_and_pdf import pdf_document  # noqa: PLC0415

    return pdf_document(manuscript)


def _bib(publication: Publication) -> str:
    from scholarmind.citing.reference_export import export  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415

    return uncontrolled(export(publication.answer.sources, publication.keys))


def _ris(publication: Publication) -> str:
    from scholarmind.citing.reference_export import ris  # noqa: PLC0415

    return ris(publication.answer.sources, publication.keys)


def _csl(publication: Publication) -> str:
    import json  # noqa: PLC0415

    from scholarmind.citing.reference_export import csl  # noqa: PLC0415

    return json.dumps(csl(publication.answer.sources, publication.keys), ensure_ascii=False, indent=2) + "\n"


_WRITERS: Mapping[str, Callable[[Manuscript, Style], str | bytes]] = {
    ".tex": _tex,
    ".pandoc.md": _pandoc,
    ".html": _html,
    ".htm": _html,
    ".docx": _docx,
    ".pdf": _pdf,
}
_REFERENCES: Mapping[str, Callable[[Publication], str]] = {".bib": _bib, ".ris": _ris, ".csl.json": _csl}
FORMATS = (".md", ".markdown", ".json", *_LONGEST_ENDING_FIRST)
