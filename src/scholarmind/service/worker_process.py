"""The worker process: it holds the models, answers what the server calls for, and does jobs. The server starts it as a module.

Calls come as lines of JSON on standard input, their replies go as lines to standard output. When the input ends, the server is gone,
and so is the worker: what it was doing is taken up by another one, from the journal.
"""

import asyncio
import base64
import io
import json
import os
import resource
import secrets
import signal
import sys
import tempfile
import threading
import time
import traceback
import zipfile
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, cast

from scholarmind import wiring, wiring_models
from scholarmind.api import Library
from scholarmind.drafts.draft_reports import DraftReport, draft_file, draft_record
from scholarmind.drafts.whole_drafts import with_right_keys
from scholarmind.errors import (
    LibraryStorageError,
    LibraryUnreachableError,
    MissingExtraError,
    QueryError,
    ScholarMindError,
)
from scholarmind.events import Event, FileProgress, OnEvent, Progress, ignore, plain
from scholarmind.filters import Filter
from scholarmind.library.filtering import NamesWithin
from scholarmind.library.reading_list import READING_LIST_FILES
from scholarmind.library.tabulating.columns import arranged
from scholarmind.library.tabulating.table_files import WRITERS, table_record
from scholarmind.model import Mode
from scholarmind.planning.followup import stand_alone
from scholarmind.ports import Look, Turn, turn_of
from scholarmind.publishing.formats import Publication, check_format
from scholarmind.record import answer_of, answer_record, evidence_record, filter_of, plan_of, plan_record
from scholarmind.running import earlier
from scholarmind.service import telemetry
from scholarmind.service.jobs import HEARTBEAT_SECONDS, RESEARCH, Job, Jobs, Kind, State
from scholarmind.service.service_file import ServiceFile
from scholarmind.service.telemetry import RunSpans
from scholarmind.settings import Settings
from scholarmind.tables import LiteratureTable
from scholarmind.text.untrusted import escaped
from scholarmind.watching import remark_told, watched_record

_NICE = 5  # while all cores compute answers, the server still replies at once
_WAYS = ("strategy", "effort", "language")
_OPEN = 6  # libraries, one for each way of asking that is in use
_IDLE_SECONDS = 1.0  # after which the table is looked at without being told to
_PROGRESS_SECONDS = 0.3
_LONGEST_LINE = 64 * 1024 * 1024
_TURNS = 6
_DRAFT_BYTES = 6_000_000_000  # of addresses, most of which the models take without using them
_WARM = "What is this library about, and who wrote it?"
Arguments = dict[str, Any]


class Shelves:
    """The library, opened once for each way of asking; the least used are closed. They share one embedder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._embedder: Any = None
        self._open: OrderedDict[tuple[str, ...], Library] = OrderedDict()
        self._used: Counter[Library] = Counter()

    @asynccontextmanager
    async def use(self, task: Mapping[str, Any] = MappingProxyType({})) -> AsyncGenerator[Library]:
        """Give the library that is asked as a task says, which is not closed meanwhile."""
        key = tuple(task.get(name) or "" for name in _WAYS)
        if key not in self._open:
            chosen: Any = {name: value for name, value in zip(_WAYS, key, strict=True) if value}
            self._open[key] = Library(replace(self.settings, **chosen), create=None, embedder=self._embedder)
            self._embedder = self._embedder or self._open[key].embedder
        self._open.move_to_end(key)
        library = self._open[key]
        self._used[library] += 1
        try:
            yield library
        finally:
            self._used[library] -= 1
            for old in [key for key, known in self._open.items() if not self._used[known]][
                : max(0, len(self._open) - _OPEN)
            ]:
                closed = self._open.pop(old)
                del self._used[closed]
                await closed.__aexit__()


class Worker:
    """Does jobs, several at a time, and answers calls."""

    def __init__(self, settings: Settings, kinds: Sequence[Kind], at_once: int) -> None:
        self._kinds = kinds
        self._at_once = at_once
        self._holder = secrets.token_hex(8)
        self._shelves = Shelves(settings)
        self._file = ServiceFile(settings.library / "service.db", settings.database)
        self._jobs = Jobs(self._file)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._researching: set[str] = set()
        self._most_research = max(1, at_once // 4)  # questions never wait for tables and drafts
        self._answering: dict[str, Library] = {}
        self._calls: set[asyncio.Task[None]] = set()
        self._awake = asyncio.Event()
        self._drained = False
        self._output = _own_output()
        self._traces = telemetry.provider()
        self._does: dict[str, Callable[[Arguments], Awaitable[Any]]] = {
            "warm": self._warm,
            "search": self._search,
            "plan": self._plan,
            "embed": self._embed,
            "remove": self._remove,
            "correct": self._correct,
            "graph": self._graph,
            "tree": self._tree,
            "steer": self._steer,
            "examine": self._examine,
            "since": self._since,
            "merges": self._merges,
            "merge": self._merge,
            "split": self._split,
            **{name: partial(self._called_for, call) for name, call in CALLS.items()},
        }

    async def work(self) -> None:
        """Go on until the input ends."""
        threading.Thread(target=self._hold, args=(asyncio.get_running_loop(),), daemon=True).start()
        reading = asyncio.create_task(self._read())
        while not reading.done():
            self._awake.clear()
            job = await self._next()
            if job is not None:
                self._researching |= {job.id} if job.kind in RESEARCH else set()
                self._running[job.id] = asyncio.create_task(self._do(job))
                self._running[job.id].add_done_callback(self._called)
                continue
            waiting = asyncio.create_task(self._awake.wait())
            await asyncio.wait([waiting, reading], timeout=_IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        await self._jobs.give_back(self._holder)
        if self._traces:
            self._traces.force_flush(2_000)
        os._exit(0)  # what was begun is not cancelled: it is taken up again, from where its journal ends

    async def _next(self) -> Job | None:
        if self._drained or len(self._running) >= self._at_once:
            return None
        full = len(self._researching) >= self._most_research
        kinds: Sequence[Kind] = [kind for kind in self._kinds if not (full and kind in RESEARCH)]
        try:
            return await self._jobs.take(self._holder, kinds)
        except ScholarMindError as error:
            self._tell({"trouble": str(error)})
            await asyncio.sleep(_IDLE_SECONDS)
            return None

    # -- jobs

    async def _do(self, job: Job) -> None:
        error, state, result, spent = "", cast("State", "failed"), None, None
        try:
            does = {"ask": self._ask, "propose": self._propose, "again": self._again, "add": self._add}
            state, result, spent = await does.get(job.kind, self._research)(job)
        except asyncio.CancelledError:
            state = "cancelled"
        except LibraryUnreachableError:
            state = "waiting"  # its journal knows how far it came
        except ScholarMindError as reason:
            error = str(reason).replace(
                str(self._shelves.settings.library), "library"
            )  # whose place is nobody's business
        except MemoryError:
            error = "there was not enough memory"
        finally:
            if state == "failed" and not error:
                error = f"{type(sys.exception()).__name__}: an error of ours; the log of the service has more"
                self._tell({"trouble": traceback.format_exc(), "run": job.id})
            self._running.pop(job.id, None)
            self._researching.discard(job.id)
            if state == "waiting":
                await asyncio.shield(self._jobs.give_back(self._holder, job.id))
            else:
                await asyncio.shield(
                    self._jobs.finish(self._holder, job.id, state, result=result, error=error, spent=spent)
                )
            self._awake.set()
            self._tell_idle()
            self._tell({"over": job.id, "state": state, "kind": job.kind})

    async def _ask(self, job: Job) -> tuple[State, Any, dict[str, float]]:
        task, within = job.task, within_of(job.task)
        async with self._shelves.use(task) as library:
            turns = await _turns(library, task.get("turns") or (), within)
            self._answering[job.id] = library
            try:
                answer = await library.ask.aio(
                    task["question"],
                    plan=plan_of(task["plan"]) if task.get("plan") else None,
                    run=job.id,
                    filter=within,
                    conversation=turns or task.get("conversation", ""),
                    on_event=RunSpans(self._traces, task.get("conversation", "")) if self._traces else ignore,
                )
            finally:
                del self._answering[job.id]
            if problem := library.runs.problem(job.id):
                raise LibraryStorageError(f"the question was answered, and the answer could not be kept: {problem}")
        return "done", None, dict(answer.spent)

    async def _propose(self, job: Job) -> tuple[State, Any, dict[str, float]]:
        task = job.task
        async with self._shelves.use(task) as library:
            await library.propose.aio(
                task["question"],
                plan=plan_of(task["plan"]) if task.get("plan") else None,
                run=job.id,
                filter=within_of(task),
                conversation=task.get("conversation", ""),
            )
        return "awaiting_plan", None, {}

    async def _again(self, job: Job) -> tuple[State, Any, dict[str, float]]:
        async with self._shelves.use() as library:
            answer, changes = await library.ask_again.aio(job.task["run"], filter=within_of(job.task))
        record = answer_record(answer) if answer else None
        return "done", {"changes": plain(changes), "answer": record}, dict(answer.spent) if answer else {}

    async def _add(self, job: Job) -> tuple[State, Any, None]:
        task, files = job.task, dict[str, str]()

        def noted(event: Event) -> dict[str, Any]:
            if isinstance(event, FileProgress):
                files[event.path] = event.state
            return {"files": len(files), "read": sum(state != "reading" for state in files.values())}

        async with self._shelves.use() as library:
            report = await library.add.aio(
                task["paths"],
                collection=task["collection"],
                bibliographies=task.get("bibliographies") or (),
                prune=task.get("prune", False),
                on_event=self._reporting(job, noted),
            )
            if task.get("renew") and await library.store.watched.questions_exist():
                await self._jobs.put("renew", job.owner, {"name": ""})
        return "done", json.loads(json.dumps(asdict(report), default=str)), None

    async def _research(self, job: Job) -> tuple[State, Any, None]:
        keyless = {"effort": "keyless"} if job.kind == "check" else {}  # nobody looks on while a model costs
        async with self._shelves.use(keyless) as library:
            return "done", await JOBS[job.kind](library, job.task, self._reporting(job, lambda _: {})), None

    def _reporting(self, job: Job, noted: Callable[[Event], dict[str, Any]]) -> OnEvent:
        """Return what writes down how far a job is, with what is noted of its events; not oftener than anybody looks."""
        loop, reports, told = asyncio.get_running_loop(), set[asyncio.Task[None]](), 0.0

        def take(event: Event) -> None:
            nonlocal told
            progress = noted(event)
            if isinstance(event, Progress):
                progress |= {"stage": event.stage, "done": event.done, "total": event.total}
            is_last = isinstance(event, Progress) and event.done == event.total
            if progress and (is_last or time.monotonic() - told > _PROGRESS_SECONDS):
                told = time.monotonic()
                reporting = loop.create_task(self._jobs.report(self._holder, job.id, progress))
                reports.add(reporting)
                reporting.add_done_callback(reports.discard)

        return lambda event: loop.call_soon_threadsafe(take, event) and None

    def _hold(self, loop: asyncio.AbstractEventLoop) -> None:
        """Keep the lease of what runs, from a thread: a question that computes for long must not lose it."""
        while True:
            time.sleep(HEARTBEAT_SECONDS / 4)
            running = [*self._running]
            if running:
                try:
                    cancelled, lost = self._jobs.hold(self._holder, running)
                except ScholarMindError as error:
                    self._tell({"trouble": str(error)})
                    continue
                for id in cancelled | lost:
                    if task := self._running.get(id):
                        loop.call_soon_threadsafe(task.cancel)

    # -- calls

    async def _read(self) -> None:
        reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
        )
        while line := await reader.readline():
            message = json.loads(line)
            if message.get("drain"):
                self._drained = True
                self._tell_idle()
            if "call" in message:
                task = asyncio.create_task(self._reply(message))
                self._calls.add(task)
                task.add_done_callback(self._called)
            self._awake.set()

    async def _reply(self, message: dict[str, Any]) -> None:
        try:
            self._tell({"id": message["id"], "result": await self._does[message["call"]](message["arguments"])})
        except ScholarMindError as error:
            self._tell({"id": message["id"], "error": type(error).__name__, "message": str(error)})
        except BaseException:
            self._tell({"id": message["id"], "error": "Exception", "message": ""})
            self._tell({"trouble": traceback.format_exc()})
            raise

    def _called(self, task: asyncio.Task[None]) -> None:
        self._calls.discard(task)
        _ = task.cancelled() or task.exception()  # which was told of

    def _tell_idle(self) -> None:
        if self._drained and not self._running:
            self._tell({"idle": True})

    def _tell(self, message: dict[str, Any]) -> None:
        self._output.write(json.dumps(message, default=str).encode() + b"\n")
        self._output.flush()

    async def _warm(self, arguments: Arguments) -> Any:
        """Have everything loaded that the first question would wait for."""
        del arguments
        if not self._shelves.settings.has_library:
            return {}

        async with self._shelves.use() as library:
            if not await library.counts.aio():
                return {}
            await library.search.aio(_WARM, 1)
        async with self._shelves.use({"effort": "keyless"}) as library:  # nobody pays for a model that is warmed up
            await library.ask_once.aio(_WARM)
        return {}

    async def _search(self, arguments: Arguments) -> Any:
        mode: Mode = arguments.get("mode", "hybrid")
        per_document = arguments.get("per_document")
        async with self._shelves.use() as library:
            found = await library.search.aio(
                arguments["question"], arguments["k"], mode=mode, filter=within_of(arguments), per_document=per_document
            )
        records = [
            evidence_record(item) | {"position": item.passage.position, "kind": item.passage.kind}
            for item in found.evidence
        ]
        return {"passages": records, "notices": list(found.notices)}

    async def _plan(self, arguments: Arguments) -> Any:
        async with self._shelves.use(arguments) as library:
            return plan_record(await library.plan.aio(arguments["question"], filter=within_of(arguments)))

    async def _embed(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            if library.embedder is None:
                return {"vectors": None, "model": "none"}
            found = await library.embedder.embed(arguments["texts"])
            vectors = [[round(float(x), 7) for x in vector] for vector in found.vectors]
            return {"vectors": vectors, "model": library.embedder.fingerprint}

    async def _called_for(self, call: Callable[[Library, Arguments], Awaitable[Any]], arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return await call(library, arguments)

    async def _remove(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return await library.remove.aio(arguments["ids"], collection=arguments["collection"])

    async def _correct(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return plain(
                await library.correct.aio(arguments["id"], arguments["corrections"], collection=arguments["collection"])
            )

    async def _graph(self, arguments: Arguments) -> Any:
        within = within_of(arguments)
        async with self._shelves.use() as library:
            graph = library.store.graph
            nodes = await graph.find(arguments["name"], filter=within)
            if not nodes:
                return None
            around = graph.neighbourhood(
                [nodes[0].number], hops=arguments["hops"], most=arguments["most"], filter=within
            )
            return plain(await around)

    async def _merges(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return plain(await library.graph.merges.aio(arguments["name"]))

    async def _merge(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return plain(await library.graph.merge.aio(arguments["names"], arguments["into"], kind=arguments["kind"]))

    async def _split(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            return plain(await library.graph.split.aio(arguments["name"], kind=arguments["kind"]))

    async def _examine(self, arguments: Arguments) -> Any:
        del arguments
        return plain(await wiring_models.examine_models(self._shelves.settings))

    async def _steer(self, arguments: Arguments) -> Any:
        """Stop or repeat a part of a run, if it is ours: every worker is asked."""
        if (library := self._answering.get(arguments["run"])) is None:
            return False
        library.steer(arguments["run"], arguments["part"], arguments["what"])
        return True

    async def _since(self, arguments: Arguments) -> Any:
        """Tell which documents came since a state of the library, of those that pass."""
        within = within_of(arguments)
        async with self._shelves.use() as library:
            since = await library.store.since(arguments["library"])
            seen = {(one.collection, one.id) for one in await library.documents.aio(within)} if within else None
        came = [one for one in since.documents if seen is None or (one.collection, one.id) in seen]
        told = [{"collection": one.collection, "document": one.id, "title": one.title} for one in came]
        return {"documents": told, "removed": since.removals}

    async def _tree(self, arguments: Arguments) -> Any:
        async with self._shelves.use() as library:
            tree = library.store.tree
            if not arguments.get("node"):
                return {"node": None, "children": plain(await tree.roots(arguments["collection"]))}
            node = await tree.node(arguments["node"])
            if node is None or node.collection != arguments["collection"]:
                return None
            return {"node": plain(node), "children": plain(await tree.children(node.number))}


async def _turns(library: Library, said: Sequence[Sequence[str]], within: Filter | None) -> list[Turn]:
    """Return the turns of a conversation that its client remembers, question by question and answer by answer."""
    turns: list[Turn] = []
    names = NamesWithin(library.store, within) if within else library.store
    planner = wiring.planner(library.settings)
    for question, answer in said[-_TURNS:]:
        alone = stand_alone(question, turns, (await names.names([question]))[0]).became
        plan = await planner.plan(alone, Look(names=(await names.names([alone]))[0]))
        turns.append(turn_of(question, plan, {"1": answer}))
    return turns


def _own_output() -> BinaryIO:
    """Keep standard output for ourselves: what a library prints goes to the log."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


# -- what a worker does beside answering: each does what a command of the same name does
# what a caller may see comes as a filter, or as the collections that are his

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


# -- the process


def main() -> None:
    """Work for the server that started this process."""
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes our input
    library, kinds, at_once = sys.argv[1:4]
    settings = Settings.load(library=Path(library))
    if kinds == "check":  # drafts are read here, whatever is in them
        resource.setrlimit(resource.RLIMIT_AS, (_DRAFT_BYTES, resource.RLIM_INFINITY))
    asyncio.run(Worker(settings, cast("list[Kind]", kinds.split(",")), int(at_once)).work())


if __name__ == "__main__":
    main()
