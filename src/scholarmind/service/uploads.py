"""Files that people send: where they are kept, which of them are given out again, and that no name of theirs becomes a path.

A file is kept under the hash of its content, in `uploads` in the folder of the library. Only its last component is the name that it came
with, and of that only letters, digits and a few signs: readers take a title from it.
"""

import asyncio
import functools
import hashlib
import json
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from fastapi import UploadFile

from scholarmind import wiring_readers
from scholarmind.service.gate import Refused
from scholarmind.settings import Settings
from scholarmind.text.untrusted import printable

_PIECE = 1 << 20
_LONGEST_NAME = 80
_MOST_FILES = 200
_COLLECTION = re.compile(r"\w(?:[\w .-]{0,98}\w)?")
_OTHER = re.compile(r"[^\w .()\[\],+&-]|_{2,}")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def check_collection(name: str) -> None:
    """Refuse names that a new collection should not have."""
    if not _COLLECTION.fullmatch(name):
        raise Refused(422, f"{name!r} is no name for a collection; use letters, digits, and ' .-_' within")


async def keep(library: Path, collection: str, files: Sequence[UploadFile]) -> list[Path]:
    """Keep files, each once however often it comes, and return where."""
    if not files or len(files) > _MOST_FILES:
        raise Refused(422, f"{len(files)} files; send between 1 and {_MOST_FILES} at a time")
    known = suffixes()
    names = [clean_name(file.filename or "") for file in files]
    for name, file in zip(names, files, strict=True):
        if Path(name).suffix.lower() not in known:
            raise Refused(
                415, f"{(file.filename or '')[:200]!r} is of no kind that is read; known: {' '.join(sorted(known))}"
            )
    return [await _kept(library, collection, name, file) for name, file in zip(names, files, strict=True)]


async def _kept(library: Path, collection: str, name: str, file: UploadFile) -> Path:
    folder = library / "uploads"
    arriving = folder / f".{secrets.token_hex(8)}.part"
    await asyncio.to_thread(folder.mkdir, mode=0o700, exist_ok=True)
    try:
        digest = await _written(arriving, name, file)
        place = _place(library, collection, digest)
        await asyncio.to_thread(place.mkdir, mode=0o700, parents=True, exist_ok=True)
        arriving.replace(place / name)
        return place / name
    finally:
        arriving.unlink(missing_ok=True)


async def _written(path: Path, name: str, file: UploadFile) -> str:
    """Write what is sent to a new file, and return the hash of its content."""
    digest = hashlib.sha256()
    handle = await asyncio.to_thread(os.open, path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        while piece := await file.read(_PIECE):
            digest.update(piece)
            await asyncio.to_thread(out.write, piece)
        size = out.tell()
    if not size:
        raise Refused(422, f"{name!r} is empty")
    return digest.hexdigest()


def new_draft() -> str:
    """Return an id for a draft."""
    return f"draft-{secrets.token_hex(8)}"


def draft_folder(library: Path, id: str) -> Path:
    """Return where a draft and what was found in it are kept: on a shelf that no collection can have."""
    return _place(library, "/drafts", hashlib.sha256(id.encode()).hexdigest())


async def keep_draft(library: Path, id: str, files: Sequence[UploadFile]) -> tuple[str, list[str]]:
    """Keep a draft, its chapters and bibliographies side by side; return the name of the draft, which comes first, and of those."""
    if not files or len(files) > _MOST_FILES:
        raise Refused(422, f"{len(files)} files; send a draft, with its bibliographies if it has any")
    names = [clean_name(file.filename or "") for file in files]
    lists = [name for name in names if Path(name).suffix.lower() in bibliographies()]
    drafts = [name for name in names if name not in lists]
    if (
        not drafts
        or len(set(names)) != len(names)
        or (len(drafts) > 1 and {Path(one).suffix for one in drafts} != {".tex"})
    ):
        raise Refused(
            422,
            f"{len(drafts)} drafts in {len(names)} files; send one, with its chapters if it is LaTeX, and bibliographies",
        )
    if Path(drafts[0]).suffix.lower() not in suffixes():
        raise Refused(415, f"{drafts[0]!r} is of no kind that is read; send .tex, .docx, .md or .pdf")
    folder = draft_folder(library, id)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True)
    try:
        for name, file in zip(names, files, strict=True):
            await _written(folder / name, name, file)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return drafts[0], lists


def keep_text(library: Path, collection: str, title: str, text: str) -> Path:
    """Keep a text as a Markdown file of this title; another text of the same title is another file."""
    heading = " ".join(title.split())
    content = f"---\ntitle: {json.dumps(heading, ensure_ascii=False)}\n---\n{text}\n".encode("utf-8", "replace")
    place = _place(library, collection, hashlib.sha256(content).hexdigest())
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    arriving = place / f".{secrets.token_hex(8)}.part"
    arriving.write_bytes(content)
    return arriving.replace(place / clean_name(f"{heading.replace('/', ' ')}.md"))


def _place(library: Path, collection: str, digest: str) -> Path:
    shelf = hashlib.sha256(collection.encode("utf-8", "replace")).hexdigest()[:16]
    return library / "uploads" / shelf / digest[:32]


@functools.cache
def bibliographies() -> frozenset[str]:
    """Return the endings of bibliographies that can be read."""
    return frozenset(wiring_readers.bibliographies(Settings()))


@functools.cache
def suffixes() -> frozenset[str]:
    """Return the endings of files that can be read."""
    return bibliographies() | frozenset(wiring_readers.readers(Settings()))


def clean_name(name: str) -> str:
    """Return a name that is one harmless component of a path, whatever it was."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    stem, dot, suffix = last.rpartition(".")
    stem = _OTHER.sub("_", stem).strip(" ._") or "document"
    if _RESERVED.fullmatch(stem):
        stem = f"document {stem}"
    while len(stem.encode()) > _LONGEST_NAME:
        stem = stem[:-1]
    return f"{stem}{dot}{re.sub(r'[^a-z0-9]', '', suffix.lower())[:10]}"


def original(library: Path, origin: str, folders: Iterable[Path]) -> Path | None:
    """Return the file of a document, if it is one that was sent to us, or is in a folder that we may give out."""
    if not origin:
        return None
    path = Path(origin)
    try:
        real = path.resolve(strict=True)
    except OSError:
        return None
    homes = [(library / "uploads").resolve(), *(folder.resolve() for folder in folders)]
    return real if real.is_file() and any(real.is_relative_to(home) for home in homes) else None


def allowed(path: str, folders: Sequence[Path]) -> Path:
    """Return a folder, if it is within one of those that may be added from."""
    if "\0" in path:
        raise Refused(422, "a path has no zero bytes")
    real = Path(path).resolve()
    if not any(real.is_relative_to(folder.resolve()) for folder in folders):
        raise Refused(403, "documents are not added from there; start the service with --folder to allow a folder")
    if not real.exists():
        raise Refused(404, "there is no such folder")
    return real


def forget(library: Path, origin: str) -> None:
    """Remove a file that was sent to us; what only was read where it stands is left alone."""
    path = original(library, origin, ())
    if path is not None:
        path.unlink(missing_ok=True)
        if not any(path.parent.iterdir()):
            path.parent.rmdir()


def without_places(told: Any, library: Path) -> Any:
    """Return data in which no path into our folders stands: of a file that was sent, its name."""
    if isinstance(told, str):
        home = re.escape(printable(library / "uploads"))
        told = re.sub(rf"(?:{home}|library/uploads)/[0-9a-f]{{16}}/[0-9a-f]{{32}}/", "", told)
        return told.replace(printable(library), "library")
    if isinstance(told, dict):
        return {name: without_places(value, library) for name, value in cast("dict[str, Any]", told).items()}
    if isinstance(told, list):
        return [without_places(value, library) for value in cast("list[Any]", told)]
    return told


def find_words(text: str, quote: str) -> tuple[int, int] | None:
    """Return where quoted words stand in a text, whatever spaces and line breaks are between them."""
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text) or re.search(
        r"\s+".join(map(re.escape, words)), text, re.IGNORECASE
    )
    return found.span() if found else None
