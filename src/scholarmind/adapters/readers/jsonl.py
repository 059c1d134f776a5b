"""Records, one JSON object a line: `id`, `title`, `text` and `meta`; only `text` is needed. BEIR's `_id` and `metadata` are the same."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.metadata import document, identifier_of
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable


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
