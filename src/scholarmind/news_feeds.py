"""Remarks on watched questions as other programs take them: text, an Atom feed (RFC 4287), and a mail as a file (RFC 5322)."""

import json
import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Literal

from scholarmind.news import lines_of, title_of, words_of
from scholarmind.remarks import Remark, WatchedQuestion, remark_record
from scholarmind.text.untrusted import disarmed, escaped, uncontrolled

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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
