"""Bring a collection of the library up to what Zotero holds now.

What Zotero said is written down beside the library: `zotero.json`, a bibliography like any other, and `notes.jsonl`. They and the files of
the items are then added as everything is, so that unchanged ones cost nothing and a stop costs no more than it does there. What left
Zotero is kept, and told, until somebody wants it removed.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from scholarmind.api import Library
from scholarmind.errors import LibraryStorageError, QueryError
from scholarmind.events import OnEvent, ignore
from scholarmind.filters import Compare
from scholarmind.library.report import Report
from scholarmind.library_ports import Reach
from scholarmind.wiring_readers import readers
from scholarmind.zotero.zotero_library import OWN_KEY, ZoteroContents, ZoteroDocuments, documents_of

_ITEMS, _NOTES, _STATE = "zotero.json", "notes.jsonl", "state.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What Zotero holds, what left it, and what adding did."""

    name: str
    items: int
    notes: int
    files: int
    changed: tuple[str, ...]  # titles of what is otherwise than the last time
    left: tuple[str, ...]  # titles of what was there before and is not any more
    removed: int  # documents
    report: Report
    reach: Reach | None = None  # of the second vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What was written down the last time."""

    items: Sequence[Mapping[str, Any]] = ()
    records: Sequence[Mapping[str, Any]] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def sync(
    library: Library, contents: ZoteroContents, *, into: str, remove: bool = False, on_event: OnEvent = ignore
) -> SyncReport:
    """Take in what Zotero holds; with `remove`, take out what it does not hold any more."""
    told = documents_of(contents, readers(library.settings).keys())
    place = hashlib.sha256(f"{into}\n{contents.home}\n{contents.collection}".encode("utf-8", "replace")).hexdigest()
    folder = library.settings.library / "zotero" / place[:12]
    before = _read(folder)
    gone = {key: title for key, title in before.titles.items() if key not in told.titles}
    loose = [path for path in before.files if path not in told.files and path not in told.missing]
    detached = [path for path in loose if before.files[path] not in gone and Path(path).exists()]
    moved = {path for path in loose if not Path(path).exists() and before.files[path] not in gone}
    if remove and before.titles and not told.titles:
        raise QueryError(
            f"Zotero shows nothing in {contents.name!r}, where it had {len(before.titles)}: nothing is removed; "
            f"if that is meant, remove the documents of {into!r} with: scholarmind remove"
        )
    out_of = set(moved)
    if remove:
        out_of |= {*detached, *(path for path, key in before.files.items() if key in gone)}
    removed = _remove(library, into, gone if remove else {}, out_of)
    told = told if remove else _with_kept(told, before, gone, detached)
    _write(folder, told)
    report = library.add(
        [*sorted(told.files), *([folder / _NOTES] if told.records else [])],
        collection=into,
        bibliographies=[folder / _ITEMS] if told.bibliography or before.items else [],
        on_event=on_event,
    )
    report.removed += removed
    report.problems += told.problems
    for problem in told.problems:
        on_event(problem)
    return SyncReport(
        name=contents.name,
        items=sum(_own(item) not in gone for item in told.bibliography),
        notes=sum(_own(record) not in gone for record in told.records),
        files=sum(key not in gone for key in told.files.values()),
        changed=tuple(sorted(told.titles[key] for key in _changed(told, before))),
        left=tuple(sorted((*gone.values(), *(Path(path).name for path in detached)))),
        removed=removed,
        report=report,
        reach=library.reach(),
    )


def _changed(told: ZoteroDocuments, before: _Before) -> list[str]:
    """Return the keys of the objects that were there before, and of which Zotero says something else now."""
    earlier = {_own(document): document for document in (*before.items, *before.records)}
    now = {_own(document): document for document in (*told.bibliography, *told.records)}
    return [key for key, document in now.items() if key in earlier and earlier[key] != document]


def _remove(library: Library, into: str, gone: Mapping[str, str], files: set[str]) -> int:
    """Remove the documents of these objects, and those that were read from these files."""
    if not gone and not files:
        return 0
    documents = library.documents(Compare("collection", "=", into))
    ids = [document.id for document in documents if document.origin in files or document.metadata.get(OWN_KEY) in gone]
    return library.remove(ids, collection=into) if ids else 0


def _with_kept(
    told: ZoteroDocuments, before: _Before, gone: Mapping[str, str], detached: Sequence[str]
) -> ZoteroDocuments:
    """Return what is there with what is kept of before."""
    files = {
        path: key for path, key in before.files.items() if (key in gone and Path(path).exists()) or path in detached
    }
    return ZoteroDocuments(
        bibliography=(*told.bibliography, *(dict(item) for item in before.items if _own(item) in gone)),
        records=(*told.records, *(dict(record) for record in before.records if _own(record) in gone)),
        files={**files, **told.files},
        titles={**gone, **told.titles},
        problems=told.problems,
    )


def _own(document: Mapping[str, Any]) -> str:
    fields: Any = document.get("custom") or document.get("meta") or {}
    return str(cast("dict[str, Any]", fields).get(OWN_KEY, "")) if isinstance(fields, dict) else ""


# -- what is written down


def _read(folder: Path) -> _Before:
    try:
        state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        items = json.loads((folder / _ITEMS).read_text(encoding="utf-8"))
        notes = (folder / _NOTES).read_text(encoding="utf-8").splitlines()
        return _Before(items=items, records=list(map(json.loads, notes)), titles=state["titles"], files=state["files"])
    except (OSError, ValueError, KeyError, TypeError):  # the first time, or damaged: then nothing is known to have left
        return _Before()


def _write(folder: Path, told: ZoteroDocuments) -> None:
    """Write down what there is, the state last: whatever is cut short before is done again."""
    items = json.dumps(told.bibliography, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    notes = "".join(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in told.records)
    state = json.dumps({"titles": dict(told.titles), "files": dict(told.files)}, ensure_ascii=False, indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in ((_ITEMS, items), (_NOTES, notes), (_STATE, state)):
            whole = folder / f".{name}.{os.getpid()}"
            whole.write_text(text, encoding="utf-8")
            whole.replace(folder / name)
    except OSError as error:
        raise LibraryStorageError(
            f"what Zotero holds cannot be written to {str(folder)!r}: {error.strerror}; make room there, or see who may write"
        ) from error
