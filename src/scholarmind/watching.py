"""Watched questions: asked again after the documents changed, what became of their answers, and that as text, feed and mail."""

import hashlib
import json
import re
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from scholarmind.answer import Citation
from scholarmind.blocking import both
from scholarmind.changes import Changes, LibraryChange, Place, compare, gone, used
from scholarmind.errors import QueryError, ScholarMindError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.filters import Filter
from scholarmind.questions import Questions
from scholarmind.record import answer_record, filter_of, filter_record
from scholarmind.remarks import (
    Remark,
    RemarkKind,
    WatchedQuestion,
    citations_of,
    compared_part,
    mark_of,
    marks_of,
    remark_record,
)
from scholarmind.running import earlier
from scholarmind.steps.journal import new_run
from scholarmind.text.language import HAN, language_of
from scholarmind.text.untrusted import check_question, disarmed, escaped, storable, uncontrolled

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from scholarmind.library_ports import LibraryChanges

# -- what an answer tells that the ones before did not

Record = Mapping[str, Any]
_MOST_QUOTES = 6
_LONGEST_WORDS = 400  # of a passage, where what cites it names no words
_NOT_FOUND = frozenset({"not in the library", "failed"})
_BETTER = {"not in the library": 0, "failed": 0, "partial": 1, "conflicting": 1, "answered": 2}

# -- what changed, row by row


def remarks_on(watched: WatchedQuestion, answer: Record, changes: Changes, new: Collection[Place]) -> list[Remark]:
    """Return what is new in an answer; `new` are the documents that came, or came anew, since the question is watched."""
    touched = {(item.collection, item.document) for item in changes.documents}
    before = {_plain(row["text"]): row for row in watched.answer["parts"]}
    counted = {_plain(item.text): (item.before, item.after) for item in changes.counted}
    found: list[Remark] = []
    for row in answer["parts"]:
        old = before.get(_plain(row["text"]))
        quotes = _quotes(answer, row)
        fresh = [quote for quote in quotes if _mark(quote) not in watched.seen]
        others = [quote for quote in quotes if quote not in fresh]
        came = [quote for quote in fresh if (quote.collection, quote.document) in new]
        lost = [quote for quote in _quotes(watched.answer, old) if _place(quote) in touched] if old else []
        statuses = (old["status"] if old else "", row["status"])
        if kind := _kind_of(statuses, fresh, came, lost):
            others = lost if kind == "lost" else others
        tally = counted.get(_plain(row["text"])) if old else None
        if tally and (came or changes.documents) and kind not in {"conflict", "answered", "lost"}:
            kind, statuses = "counted", tally
        if kind is None:
            continue
        if kind == "source" and {_place(quote) for quote in came} <= {mark[:2] for mark in watched.seen}:
            kind = "changed"
        shown = came if kind in {"source", "changed"} else fresh
        said = row["missing"] if kind in {"conflict", "lost"} else row["answer"]
        quotes = (*shown, *(quote for quote in others if kind not in {"source", "changed"}))[:_MOST_QUOTES]
        found.append(
            Remark(
                kind=kind,
                row=row["text"],
                said=str(said or ""),
                before=statuses[0],
                after=statuses[1],
                quotes=tuple(_with_words(quote, answer) if kind != "lost" else quote for quote in quotes),
                fresh=min(len(shown), _MOST_QUOTES),
            )
        )
    return list(_signed(watched, answer, _each_once(found)))


def _kind_of(
    statuses: tuple[str, str], fresh: Sequence[Citation], came: Sequence[Citation], lost: Sequence[Citation]
) -> RemarkKind | None:
    """Return what became of a row that had the one status and has the other; None for nothing that is news."""
    before, after = statuses
    if after == "conflicting" and fresh:
        return "conflict"
    if before == "conflicting" and after in {"answered", "partial"} and (fresh or lost):
        return "settled"
    if before and fresh and _BETTER[after] > _BETTER[before]:
        return "answered"
    if after in _NOT_FOUND:
        return "lost" if before and before not in _NOT_FOUND and lost else None
    return "source" if came else None


def _each_once(found: Sequence[Remark]) -> Iterator[Remark]:
    """Leave out a source that an earlier row tells of in the same words."""
    told: set[tuple[str, str, str]] = set()
    for remark in found:
        marks = {(*_place(quote), quote.quote) for quote in remark.quotes[: remark.fresh]}
        if remark.kind in {"source", "changed"} and marks <= told:
            continue
        told |= marks
        yield remark


def _signed(watched: WatchedQuestion, answer: Record, found: Iterator[Remark]) -> Iterator[Remark]:
    """Give each remark its question, its run, and an id that is the same however often it is made."""
    for remark in found:
        content = f"{answer['run']}\n{remark.kind}\n{remark.row}"
        yield replace(
            remark,
            id=f"urn:uuid:{uuid.uuid5(uuid.UUID(watched.id), content)}",
            name=watched.name,
            question=watched.question,
            run=str(answer["run"]),
        )


def _quotes(answer: Record, row: Record) -> list[Citation]:
    """Return what the sentences of a row cite, with the words that each rests on, once each."""
    quotes: dict[tuple[str, str, str], Citation] = {}
    for claim in answer["claims"]:
        if claim["part"] != row["id"]:
            continue
        for key in claim["citations"]:
            candidates = [item for item in answer["citations"] if item["key"] == key]
            if candidates:
                best = min(candidates, key=lambda item: (not _says(item, claim), _distance(item, claim)))
                (quote,) = citations_of([best])
                quotes.setdefault(_mark(quote), quote)
    return list(quotes.values())


def _says(citation: Record, claim: Record) -> bool:
    one, other = _plain(citation["quote"]), _plain(claim["text"])
    return bool(one) and (one in other or other in one)


def _distance(citation: Record, claim: Record) -> int:
    """Return how far the brackets of a citation stand behind a sentence; before it is farther than anything behind."""
    if citation["start"] is None or claim["end"] is None:
        return 1_000_000
    behind = citation["start"] - claim["end"]
    return behind if behind >= 0 else 1_000_000 - behind


def _with_words(quote: Citation, answer: Record) -> Citation:
    """Return a citation without words of its own, as of what was counted, with those of the passage that it stands in."""
    if quote.quote:
        return quote
    for item in (item for row in answer["parts"] for item in row["evidence"]):
        if (item["collection"], item["document"]) == _place(quote) and (
            item["start"] <= quote.document_start < item["end"]
        ):
            return replace(quote, quote=str(item["text"])[:_LONGEST_WORDS].strip())
    return quote


def _mark(quote: Citation) -> tuple[str, str, str]:
    return mark_of(quote.collection, quote.document, quote.quote)


def _place(quote: Citation) -> Place:
    return quote.collection, quote.document


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


# -- in words, English and Chinese

_ENGLISH = {
    "answered": "Answered now: {row}",
    "conflict": "Sources disagree now: {row}",
    "settled": "Sources no longer disagree: {row}",
    "source": "A new source, {sources}: {row}",
    "changed": "{sources} says something else now: {row}",
    "counted": "Counted anew: {row}",
    "lost": "No longer answered: {row}",
    "page": "p. {page}",
    "nothing": "nothing counted",
    "news": "News on watched questions",
    "about": "News on: {question}",
    "one": "{title} ({name})",
    "several": "{count} remarks on watched questions",
}

_CHINESE = {
    "answered": "现在有了答案：{row}",
    "conflict": "来源现在互相矛盾：{row}",
    "settled": "来源不再互相矛盾：{row}",
    "source": "新的来源（{sources}）：{row}",
    "changed": "{sources} 的说法变了：{row}",
    "counted": "重新统计的结果：{row}",
    "lost": "不再有答案：{row}",
    "page": "第 {page} 页",
    "nothing": "没有统计",
    "answered status": "已回答",
    "partial status": "部分回答",
    "conflicting status": "互相矛盾",
    "not in the library status": "文档库中没有",
    "failed status": "失败",
    "news": "关注问题的新消息",
    "about": "关注问题的新消息：{question}",
    "one": "{title}（{name}）",
    "several": "关注的问题有 {count} 条新消息",
}

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType({"en": _ENGLISH, "zh": _CHINESE})


def words_of(question: str) -> Mapping[str, str]:
    """Return the wording in the language of a question."""
    return WORDS["zh" if language_of(question) == "zh" else "en"]


def title_of(remark: Remark) -> str:
    """Return a remark as one sentence."""
    return words_of(remark.question)[remark.kind].format(row=_foreign(remark.row), sources="; ".join(remark.sources))


def lines_of(remark: Remark) -> Iterator[str]:
    """Yield what a remark says below its title: what became of the row, its answer, and each quotation with its source and page."""
    words = words_of(remark.question)
    if remark.kind == "counted":
        before, after = (_foreign(said) or words["nothing"] for said in (remark.before, remark.after))
        yield f"{before} → {after}"
    elif remark.before != remark.after and remark.before:
        before, after = (words.get(f"{status} status", status) for status in (remark.before, remark.after))
        yield f"{before} → {after}"
    if remark.said and remark.kind in {"answered", "conflict", "settled", "lost"}:
        yield _foreign(remark.said)
    for quote in remark.quotes:
        yield quoted(quote, words)


def quoted(quote: Citation, words: Mapping[str, str]) -> str:
    """Return a quotation with its key, its page if that is known, else its section."""
    place = words["page"].format(page=quote.page) if quote.page else " › ".join(quote.section)
    source = ", ".join(filter(None, (quote.key, place)))
    return f"“{_foreign(quote.quote)}” [{source}]" if quote.quote else f"[{source}]"


def _foreign(text: str) -> str:
    """Return words of others in one line, in which nothing looks like a citation of ours."""
    return disarmed(" ".join(text.split()))


# -- remarks as other programs take them

NewsForm = Literal["text", "json", "atom", "mail"]
_ATOM = "http://www.w3.org/2005/Atom"
_XHTML = "http://www.w3.org/1999/xhtml"
_NO_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DOMAIN = "scholarmind.invalid"  # a name that nobody can have (RFC 2606)
_LONGEST_TITLE = 200


# -- records


def watched_record(watched: WatchedQuestion) -> dict[str, Any]:
    """Return a watched question as JSON, with how its latest answer stands."""
    return {
        "name": watched.name,
        "id": watched.id,
        "question": watched.question,
        "settings": dict(watched.settings),
        "within": watched.within,
        "added": _iso(watched.added),
        "asked": _iso(watched.asked),
        "verdict": watched.answer["verdict"],
        "run": watched.answer["run"],
        "parts": [{"text": row["text"], "status": row["status"]} for row in watched.answer["parts"]],
    }


def remark_told(remark: Remark) -> dict[str, Any]:
    """Return a remark as JSON, with its moment as people and programs write it."""
    return remark_record(remark) | {"at": _iso(remark.at)}


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


# -- files


def news_file(
    remarks: Sequence[Remark], form: NewsForm, *, feed: str, updated: float = 0.0, question: str = ""
) -> bytes:
    """Return remarks as a file; of text and mails nothing where there is nothing to be told. The rest is for feeds, see `atom`."""
    if form == "json":
        told = json.dumps(list(map(remark_told, remarks)), ensure_ascii=False, indent=2, default=str)
        return f"{escaped(told)}\n".encode()
    if form == "atom":
        return atom(remarks, feed=feed, updated=updated, question=question).encode()
    if not remarks:
        return b""
    return mail(remarks) if form == "mail" else plain_text(remarks).encode("utf-8", "replace")


def text_lines(remarks: Sequence[Remark]) -> Iterator[tuple[int, str]]:
    """Yield the lines of remarks, each with how deep it stands: a question with its name and day, its remarks, and what they rest on."""
    before = ("", "")
    for remark in remarks:
        day = f"{datetime.fromtimestamp(remark.at, UTC).astimezone():%Y-%m-%d %H:%M}"
        if (remark.name, day) != before:
            yield 0, _line(f"{disarmed(remark.question)} · {remark.name} · {day}")
            before = (remark.name, day)
        yield 2, _line(title_of(remark))
        for line in lines_of(remark):
            yield 4, _line(line)


def plain_text(remarks: Sequence[Remark]) -> str:
    """Return remarks as text."""
    return "".join(f"{' ' * depth}{line}\n" for depth, line in text_lines(remarks))


def atom(remarks: Sequence[Remark], *, feed: str, updated: float, question: str = "") -> str:
    """Return a feed of remarks, the latest first, on one question or on all. `feed` is its UUID; `updated` counts where it is empty."""
    from xml.etree import ElementTree  # noqa: PLC0415

    words = words_of(question or next((remark.question for remark in remarks), ""))
    root = ElementTree.Element("feed", {"xmlns": _ATOM})
    _add(root, "id", f"urn:uuid:{feed}")
    _add(root, "title", words["about"].format(question=question) if question else words["news"])
    _add(root, "updated", _moment(max((remark.at for remark in remarks), default=updated)))
    _add(_add(root, "author"), "name", "ScholarMind")
    _add(root, "generator", "ScholarMind")
    for remark in remarks:
        entry = _add(root, "entry")
        _add(entry, "id", remark.id)
        _add(entry, "title", _titled(remark))
        _add(entry, "published", _moment(remark.at))
        _add(entry, "updated", _moment(remark.at))
        _add(entry, "category").set("term", remark.kind)
        content = _add(entry, "content")
        content.set("type", "xhtml")
        body = _add(content, "div")
        body.set("xmlns", _XHTML)
        _add(body, "p", remark.question)
        for line in lines_of(remark):
            _add(body, "blockquote" if line.startswith("“") else "p", line)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def mail(remarks: Sequence[Remark]) -> bytes:
    """Return remarks, of which there is one at least, as a mail that can be opened or sent."""
    words = words_of(remarks[0].question)
    message = EmailMessage(policy=SMTP)
    message["From"] = f"ScholarMind <news@{_DOMAIN}>"
    message["To"] = "undisclosed-recipients:;"
    message["Date"] = format_datetime(datetime.fromtimestamp(max(remark.at for remark in remarks), UTC))
    alone = len(remarks) == 1
    message["Subject"] = _titled(remarks[0]) if alone else words["several"].format(count=len(remarks))
    content = uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(remark.id for remark in remarks))
    message["Message-ID"] = f"<{content}@{_DOMAIN}>"
    message.set_content(plain_text(remarks), cte="quoted-printable")
    return message.as_bytes()


def _titled(remark: Remark) -> str:
    """Return a remark's title with the name of its question, in one line that is not too long for a list."""
    title = _line(title_of(remark))
    title = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
    return words_of(remark.question)["one"].format(title=title, name=_line(remark.name))


def _line(text: str) -> str:
    """Return text in one line, with nothing in it that a terminal would obey."""
    return uncontrolled(" ".join(text.split()))


def _add(parent: "Element", tag: str, text: str = "") -> "Element":
    from xml.etree.ElementTree import SubElement  # noqa: PLC0415

    made = SubElement(parent, tag)
    made.text = _NO_XML.sub("\ufffd", uncontrolled(text)) or None
    return made


def _moment(at: float) -> str:
    """Return a moment as RFC 3339 writes it, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# -- the watched questions of a library

AskedWith = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Questions]]
_LONGEST_NAME = 60
_WORDS_OF_NAME = 5
_WORD = re.compile(r"[^\W_]+")
_MOST_TRIES = 5  # of a question that others answer at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """What asking again brought: the remarks that were stored, how many questions were asked, and why others could not be."""

    remarks: tuple[Remark, ...] = ()
    asked: int = 0
    failed: Mapping[str, str]  # by name


class WatchedQuestions:
    """The questions of one library that are asked again. Every method can be called or, as `watched.renew.aio(...)`, awaited."""

    def __init__(self, library: Questions, asked_with: AskedWith) -> None:
        """Take the library, and what gives it with other settings for as long as a question is asked."""
        self._library = library
        self._asked_with = asked_with

    @both
    async def add(
        self,
        question: str,
        *,
        name: str = "",
        filter: Filter | str | None = None,
        settings: Mapping[str, Any] | None = None,
        on_event: OnEvent = ignore,
    ) -> WatchedQuestion:
        """Answer a question and watch it from now on. Without a model or an effort in its settings it is asked keyless."""
        question = storable(" ".join(question.split()))
        check_question(question)
        taken = {known.name for known in await self.all.aio()}
        name = storable(" ".join(name.split())) or _name_for(question, taken)
        if len(name) > _LONGEST_NAME:
            raise QueryError(f"the name {name!r} has {len(name)} characters; {_LONGEST_NAME} are the most")
        if name in taken:
            raise QueryError(f"a question {name!r} is watched already; give another --name, or remove that one first")
        within = filter_record(await self._library.checked_filter(filter))
        watched = WatchedQuestion(
            name=name, question=question, id=str(uuid.uuid4()), settings=_kept(settings or {}), within=within
        )
        change, answer = await self._answer(watched, on_event)
        if answer["source"] == "talk":
            raise QueryError(f"{question!r} asks nothing of the documents, so that nothing can change in its answer")
        now = time.time()
        watched = replace(watched, added=now, asked=now, first=change, change=change, turn=1, seen=marks_of(answer))
        watched = replace(watched, answer=compared_part(answer))
        await self._library.store.watched.watch(watched)
        return watched

    @both
    async def all(self) -> list[WatchedQuestion]:
        """Return the questions that are watched, the oldest first."""
        return await self._library.store.watched.questions()

    @both
    async def find(self, name: str) -> WatchedQuestion:
        """Return the question of this name."""
        found = await self._library.store.watched.questions(name)
        if not found:
            raise _unknown(name)
        return found[0]

    @both
    async def remove(self, name: str) -> None:
        """Forget a question, and all that was remarked on it."""
        if not await self._library.store.watched.unwatch(name):
            raise _unknown(name)

    @both
    async def waiting(self) -> list[WatchedQuestion]:
        """Return the questions whose answers do not know the latest changes of the documents."""
        return [one for one in await self.all.aio() if await self._since(one.change)]

    @both
    async def renew(self, name: str = "", *, on_event: OnEvent = ignore) -> Renewed:
        """Ask again what waits for it, or the question of this name in any case, and store what became of its answer.

        Stopped anywhere it goes on there the next time. A question that cannot be answered waits, and the others are asked.
        """
        chosen = [await self.find.aio(name)] if name else await self.waiting.aio()
        remarks: list[Remark] = []
        failed: dict[str, str] = {}
        for done, watched in enumerate(chosen):
            on_event(Progress(stage="watch", done=done, total=len(chosen), unit="questions"))
            try:
                remarks += await self._renewed(watched, on_event, always=bool(name))
            except ScholarMindError as error:
                failed[watched.name] = str(error)
        if chosen:
            on_event(Progress(stage="watch", done=len(chosen), total=len(chosen), unit="questions"))
        return Renewed(remarks=tuple(remarks), asked=len(chosen) - len(failed), failed=failed)

    @both
    async def news(self, name: str = "", *, since: float = 0.0, limit: int = 100) -> list[Remark]:
        """Return what was remarked on a question, or on all, since a moment; the latest first."""
        if name:
            await self.find.aio(name)
        return await self._library.store.watched.remarks(name, since, limit)

    @both
    async def feed(self, name: str = "") -> str:
        """Return the UUID by which readers of feeds know the remarks on a question, or on all."""
        if name:
            return (await self.find.aio(name)).id
        return await self._library.store.watched.feed() or str(uuid.uuid5(uuid.NAMESPACE_URL, "scholarmind:news"))

    async def _renewed(self, watched: WatchedQuestion, on_event: OnEvent, *, always: bool) -> list[Remark]:
        """Answer a question until the answer is of the library as it is, and return the remarks that were stored by us."""
        stored: list[Remark] = []
        for _ in range(_MOST_TRIES):
            since = await self._since(watched.change)
            if since is None and not always:
                break
            always = False
            change, answer = await self._answer(watched, on_event)
            new = await self._library.store.since(watched.first)
            there = await self._library.store.documents() if since and since.removals else ()
            lost = gone(used(watched.answer), there) if since and since.removals else frozenset[Place]()
            changes = compare(watched.answer, answer, LibraryChange(came=since.documents if since else (), gone=lost))
            came = {(document.collection, document.id) for document in new.documents}
            now = time.time()
            remarks = [replace(one, at=now) for one in remarks_on(watched, answer, changes, came)]
            renewed = replace(watched, asked=now, change=change, turn=watched.turn + 1, answer=compared_part(answer))
            renewed = replace(renewed, seen=watched.seen | marks_of(answer))
            if await self._library.store.watched.renew(renewed, remarks):
                stored += remarks
            known = await self._library.store.watched.questions(watched.name)
            if not known:  # removed meanwhile
                break
            watched = known[0]
        return stored

    async def _answer(self, watched: WatchedQuestion, on_event: OnEvent) -> tuple[int, dict[str, Any]]:
        """Return an answer as JSON, and the change of the library that it knows; what a killed process asked is not asked again."""
        change = await self._library.store.last_change()
        content = f"{watched.id}\n{watched.turn}\n{change}\n{watched.question}"
        run = f"watch-{hashlib.sha256(content.encode()).hexdigest()[:16]}"
        known = await self._library.runs.find(run)
        if known is not None and known.status == "done":
            return change, dict(earlier(known, run)[1])
        if known is not None and known.status == "running":  # by another process: both ask, and one of them tells
            run = new_run()
        within = filter_of(watched.within) if watched.within else None
        async with self._asked_with(watched.settings) as library:
            answer = await library.ask.aio(watched.question, run=run, filter=within, on_event=on_event)
        return change, answer_record(answer)

    async def _since(self, change: int) -> "LibraryChanges | None":
        """Return what changed since then that an answer may rest on; None for nothing."""
        since = await self._library.store.since(change)
        return since if since.documents or since.removals or since.vectors else None


def _kept(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a question is kept with: no keys, and nothing that belongs to the library."""
    given = {name: value for name, value in settings.items() if value is not None}
    for name in given:
        if name.endswith("_key"):
            raise QueryError(f"{name} is not kept in a library; set SCHOLARMIND_{name.upper()} where `add` is run")
        if name == "library" or name.startswith("embed"):
            raise QueryError(f"{name} is the library's own, and cannot be set for one question")
    return given if "llm" in given or "effort" in given else given | {"effort": "keyless"}


def _name_for(question: str, taken: set[str]) -> str:
    """Return a name made of the first words of a question, with a number if it is taken."""
    words = _WORD.findall(question.casefold())
    base = "-".join(words[:_WORDS_OF_NAME])
    if HAN.search(base):  # words are not told apart there
        base = "".join(words)[:12]
    base = base[: _LONGEST_NAME - 4].strip("-") or "question"
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(name for name in numbered if name not in taken)


def _unknown(name: str) -> QueryError:
    return QueryError(f"no question {name!r} is watched; 'scholarmind watch-question list' names those that are")
