"""RTF files, as far as their text goes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.composition import Composition
from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading

_TITLE = re.compile(r"\{\\title ([^{}\\]{1,300})\}")
_AUTHOR = re.compile(r"\{\\author ([^{}\\]{1,300})\}")
_DAMAGE = (
    ValueError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    LookupError,
)  # striprtf's, of a broken file
_SURE = 0.6
_HEAD = 20_000


@dataclass(frozen=True, slots=True)
class RtfReader:
    """Paragraphs and cells; headings are not marked in RTF in any way that lasts."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document."""
        from striprtf import striprtf  # noqa: PLC0415

        size = path.stat().st_size
        if size > self.max_bytes:
            raise ReadError(
                f"it has {size / 1e6:,.0f} MB, the limit is {self.max_bytes / 1e6:,.0f} MB",
                "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
            )
        source = path.read_bytes().decode("latin-1")
        if not source.lstrip().startswith("{\\rtf"):
            raise ReadError("it is not RTF", "it may have the wrong suffix; save it again as RTF or DOCX")
        try:
            text = clean(str(cast("Any", striprtf).rtf_to_text(source, errors="replace")))
        except _DAMAGE as error:
            reason = f"it is broken: {type(error).__name__}: {str(error)[:200]}"
            raise ReadError(reason, "save it again with the program that made it, or as DOCX") from error
        composition = Composition()
        for line in text.split("\n"):
            composition.paragraph(line.strip("| ").replace("|", " | "))
        if not len(composition):
            raise ReadError("it has no text", "nothing to do, unless it should not be")
        facts = with_file_name(_facts(source), path)
        yield Reading(document=document_of(facts, path, "document"), text=composition.text, facts=facts)


def _facts(source: str) -> Iterator[Fact]:
    head = source[:_HEAD]
    if title := _TITLE.search(head):
        yield Fact(field="title", value=title[1].strip(), source="document properties", sure=_SURE)
    if author := _AUTHOR.search(head):
        yield Fact(field="authors", value=(author[1].strip(),), source="document properties", sure=_SURE)
