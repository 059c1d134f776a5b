"""What an answer to a watched question tells that the ones before did not: remarks, row by row, and their wording.

A remark needs evidence that no earlier answer cited, or that an earlier one cited and that is gone. What only reads differently is no news.
Knows answers as JSON (`record.answer_record`), and what changed in the library from `changes`.
"""

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from scholarmind.answer import Citation
from scholarmind.changes import Changes, Place
from scholarmind.remarks import Remark, RemarkKind, WatchedQuestion, citations_of, mark_of
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import disarmed

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
