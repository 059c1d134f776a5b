"""What a worker does beside answering: tables are filled, drafts checked, watched questions asked again, and files made of all that.

Each does what a command of the same name does; what a caller may see comes as a filter, or as the collections that are his.
"""

import asyncio
import base64
import io
import json
import tempfile
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from scholarmind.api import Library
from scholarmind.drafts.draft_reports import DraftReport, draft_file, draft_record
from scholarmind.drafts.whole_drafts import with_right_keys
from scholarmind.errors import MissingExtraError, QueryError
from scholarmind.events import OnEvent, plain
from scholarmind.filters import Filter
from scholarmind.library.reading_list import READING_LIST_FILES
from scholarmind.library.tabulating.columns import arranged
from scholarmind.library.tabulating.table_files import WRITERS, table_record
from scholarmind.publishing.formats import Publication, check_format
from scholarmind.record import answer_of, filter_of
from scholarmind.running import earlier
from scholarmind.tables import LiteratureTable
from scholarmind.text.untrusted import escaped
from scholarmind.watching import remark_told, watched_record

Arguments = Mapping[str, Any]
_VAULT = ".obsidian.zip"  # the notes of an answer, as a vault
_RECORD = "record.json"  # of a checked draft, in its folder


def within_of(task: Arguments) -> Filter | None:
    """Return what a task may see, which the server wrote down; a task without it has no limits."""
    return filter_of(task["within"]) if task.get("within") else None


# -- jobs


async def fill_table(library: Library, task: Arguments, on_event: OnEvent) -> dict[str, Any]:
    """Ask of a saved table what was not asked yet."""
    found = await library.tables.fill.aio(task["table"], on_event=on_event)
    return {"papers": len(found.rows)}


async def check_draft(library: Library, task: Arguments, on_event: OnEvent) -> dict[str, Any]:
    """Check a draft that was sent, and write what was found beside it, in every form that there is for it."""
    folder = Path(task["folder"])
    draft, lists = folder / task["draft"], [folder / name for name in task["bibliographies"]]
    report = await library.check.aio(draft, bibliographies=lists, filter=within_of(task), on_event=on_event)
    forms = await asyncio.to_thread(_write_forms, report, folder)
    return {
        "counts": report.counts,
        "claims": len(report.remarks),
        "flagged": len(report.flagged),
        "forms": forms,
        "record": _RECORD,
    }


def _write_forms(report: DraftReport, folder: Path) -> list[str]:
    """Write the files of a report, the record with the text of the draft last; return the names of the forms."""
    draft = report.manuscript.path
    forms = ["html", "md", "json", *(["tex"] if draft.suffix.lower() == ".tex" else [])]
    forms += ["docx"] if draft.suffix.lower() == ".docx" else []
    for form in forms:
        (folder / f"checked.{form}").write_bytes(draft_file(report, f".{form}"))
    if draft.suffix.lower() in {".tex", ".ltx", ".md", ".markdown", ".txt"}:
        text, changed = with_right_keys(draft, report.fixes)
        if changed:
            (folder / "checked.fixed").write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
            forms.append("fixed")
    paragraphs = [
        {"text": one.text, "section": list(one.section), "page": one.page} for one in report.manuscript.paragraphs
    ]
    record = draft_record(report) | {"draft": draft.name, "paragraphs": paragraphs, "forms": forms}
    (folder / _RECORD).write_text(escaped(json.dumps(record, ensure_ascii=False, default=str)), encoding="utf-8")
    return forms


async def renew_watched(library: Library, task: Arguments, on_event: OnEvent) -> dict[str, Any]:
    """Ask watched questions again: the one that is named, or all that wait for it."""
    renewed = await library.watched.renew.aio(task["name"], on_event=on_event)
    return {"asked": renewed.asked, "news": len(renewed.remarks), "failed": dict(renewed.failed)}


# -- calls: tables


async def save_table(library: Library, given: Arguments) -> Any:
    """Save a table, or return the one that asks the same."""
    return plain(await library.tables.save.aio(given["columns"], where=given["where"], name=given["name"]))


async def widen_table(library: Library, given: Arguments) -> Any:
    """Give a table more columns."""
    return plain(await library.tables.add_columns.aio(given["table"], given["columns"]))


async def forget_table(library: Library, given: Arguments) -> bool:
    """Forget a table."""
    return await library.tables.remove.aio(given["table"])


async def correct_cell(library: Library, given: Arguments) -> Any:
    """Correct a cell by hand, and return its row."""
    place, collection = f"{given['document']}/{given['column']}", given["collection"]
    document, _ = await library.tables.correct.aio(given["table"], place, given["value"], collection=collection)
    table = await library.tables.read.aio(given["table"])
    rows = table_record(table)["rows"]
    for row in rows:
        if (row["collection"], row["document"]) == (document.collection, document.id):
            return row
    raise QueryError(f"the document {document.id!r} was removed this moment; what was corrected waits for its return")


async def read_table(library: Library, given: Arguments) -> Any:
    """Return a table as it stands, ordered as it is wanted, with so many of its rows."""
    record = await asyncio.to_thread(table_record, await _arranged(library, given))
    rows, start = cast("list[Any]", record.pop("rows")), given["start"]
    return record | {"papers": len(rows), "rows": rows[start : start + given["limit"]]}


async def table_file(library: Library, given: Arguments) -> str:
    """Return a table as a file."""
    made = await asyncio.to_thread(WRITERS[given["ending"]], await _arranged(library, given))
    return _packed(made if isinstance(made, bytes) else made.encode())


async def _arranged(library: Library, given: Arguments) -> LiteratureTable:
    return arranged(await library.tables.read.aio(given["table"]), given["sort"], given["columns"])


# -- calls: watched questions


async def watch_question(library: Library, given: Arguments) -> Any:
    """Answer a question, without a model, and watch it from now on."""
    kept = await library.watched.add.aio(given["question"], name=given["name"], filter=within_of(given))
    return watched_record(kept)


async def unwatch_question(library: Library, given: Arguments) -> None:
    """Watch a question no longer."""
    await library.watched.remove.aio(given["name"])


async def watched_question(library: Library, given: Arguments) -> Any:
    """Return a watched question with its latest answer and all remarks on it."""
    found = await library.watched.find.aio(given["name"])
    remarks = await library.watched.news.aio(given["name"])
    return watched_record(found) | {"answer": found.answer["answer"], "remarks": list(map(remark_told, remarks))}


# -- calls: what comes of an answer


async def next_works(library: Library, given: Arguments) -> Any:
    """Return which works to read next for the answer of a run, as data or as the text of a file."""
    found = await library.reading_list.aio(run=given["run"], limit=given["limit"])
    return READING_LIST_FILES[given["ending"]](found) if given.get("ending") else plain(found)


async def publish_answer(library: Library, given: Arguments) -> str:
    """Return the answer of a run as a file, as it was given: the library may have changed since."""
    _, record = earlier(await library.runs.find(given["run"]), given["run"])
    places = dict.fromkeys((each["collection"], each["document"]) for each in record["citations"])
    seen, ending = given.get("collections"), given["ending"]
    entries = [
        await library.entry.aio(document, collection=collection)
        for collection, document in places
        if seen is None or collection in seen
    ]
    # a file that is sent elsewhere does not say where on this machine documents lie
    documents = [replace(entry.document, origin="") for entry in entries if entry is not None]
    keys = await library.citation_keys.aio(entry.document for entry in entries if entry is not None)
    publication = Publication(answer_of(record, documents), given["style"], keys)
    try:
        check_format("" if ending == _VAULT else ending)
    except MissingExtraError as error:
        raise QueryError(f"the service cannot write {ending}: {error}") from error
    if ending == _VAULT:
        return _packed(await asyncio.to_thread(_vault, publication))
    return _packed(await asyncio.to_thread(publication.content, ending))


def _vault(publication: Publication) -> bytes:
    """Return the notes of an answer and of the works that it cites, packed; a vault is where they are unpacked."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = Path(place)
        publication.notes(folder)
        for note in sorted(folder.rglob("*.md")):
            archive.write(note, note.relative_to(folder).as_posix())
    return packed.getvalue()


def _packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


JOBS: Mapping[str, Callable[[Library, Arguments, OnEvent], Awaitable[dict[str, Any]]]] = {
    "fill": fill_table,
    "check": check_draft,
    "renew": renew_watched,
}
CALLS: Mapping[str, Callable[[Library, Arguments], Awaitable[Any]]] = {
    function.__name__: function
    for function in (
        save_table,
        widen_table,
        forget_table,
        correct_cell,
        read_table,
        table_file,
        watch_question,
        unwatch_question,
        watched_question,
        next_works,
        publish_answer,
    )
}
