"""A whole library in one file, and back: a copy into a folder, packed with the sums of its tables."""

import json
import shutil
import tarfile
import tempfile
import uuid
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scholarmind.adapters.store.database import errors_of
from scholarmind.errors import LibraryError, LibraryStorageError
from scholarmind.events import OnEvent, ignore
from scholarmind.service.library_copy import Copied, Home, copy_library

_MANIFEST = "backup.json"  # the first of the file, so that it is told what it is without unpacking it
_LITTLE_PACKED = 1  # vectors hardly get smaller, and texts do at once
_FORMAT = 1


def back_up(source: Home, file: Path, *, on_event: OnEvent = ignore) -> list[Copied]:
    """Write the library as it is at this moment into a file, whole or not at all."""
    if file.exists():
        raise LibraryError(f"{str(file)!r} is there already; name another file, or remove it")
    with errors_of(file), tempfile.TemporaryDirectory(prefix=".backup-", dir=file.absolute().parent) as made:
        folder, packed = Path(made) / "library", Path(made) / "packed"
        copied = copy_library(source, Home(folder=folder), on_event=on_event)
        (folder / "writer.lock").unlink()
        manifest = {
            "format": _FORMAT,
            "id": str(uuid.uuid4()),
            "made_by": version("scholarmind"),
            "from": source.shown,
            "tables": [asdict(table) for table in copied],
        }
        (Path(made) / _MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
        with tarfile.open(packed, "w:gz", compresslevel=_LITTLE_PACKED) as archive:
            archive.add(Path(made) / _MANIFEST, _MANIFEST)
            archive.add(folder, "library")
        packed.replace(file)
    return copied


def restore(file: Path, target: Home, *, on_event: OnEvent = ignore) -> list[Copied]:
    """Make a library of what was backed up, and hold it against what was written down then; interrupted, it goes on."""
    with errors_of(target.folder / "library.db"):
        target.folder.mkdir(parents=True, exist_ok=True)
    with errors_of(file), tempfile.TemporaryDirectory(prefix=".restore-", dir=target.folder) as made:
        manifest = _unpacked(file, Path(made))
        source = Home(folder=Path(made) / "library")
        copied = copy_library(source, target, origin=f"backup {manifest['id']}", on_event=on_event)
        shutil.rmtree(source.folder)
    if [asdict(table) for table in copied] != manifest["tables"]:
        raise LibraryStorageError(
            f"what was restored from {str(file)!r} is not what was backed up: the file is damaged; take another backup"
        )
    return copied


def _unpacked(file: Path, folder: Path) -> dict[str, Any]:
    try:
        with tarfile.open(file, "r:gz") as archive:
            archive.extractall(folder, filter="data")
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        known = (
            manifest["format"] == _FORMAT and isinstance(manifest["id"], str) and isinstance(manifest["tables"], list)
        )
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, FileNotFoundError) as error:
        raise LibraryStorageError(f"{str(file)!r} is no backup of a library, or is damaged ({error})") from error
    if not known:
        raise LibraryStorageError(
            f"{str(file)!r} was made by another version ({manifest.get('made_by')!r}); restore it with that one"
        )
    return manifest
