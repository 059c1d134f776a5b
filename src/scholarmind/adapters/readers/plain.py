"""Plain text in any encoding."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scholarmind.adapters.readers.decode import read_text
from scholarmind.adapters.readers.metadata import document, identifier_of
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable


@dataclass(frozen=True, slots=True)
class PlainReader:
    """The file's name is its title."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the one document that the file is."""
        text = read_text(path, self.max_bytes)
        yield Reading(
            document=document({}, path, identifier=identifier_of(path), title=printable(Path(path.stem)), kind="text"),
            text=text,
        )
