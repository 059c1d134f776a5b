"""E-mails as programs save them (.eml): the text of the message, without attachments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.composition import Composition, clean, decode, flowed
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.html import content_of, write_fragment
from scholarmind.adapters.readers.web_pages import PageWriter, text_of
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading, Value
from scholarmind.text.untrusted import printable

_MOST_PARTS = 1_000
_DEEPEST = 50
_TOLD = 20
_LONG_LINE = 50  # characters; a line that long was broken by the program, a shorter one by the writer
_HEADER = re.compile(rb"^[!-9;-~]{1,80}:[ \t]*\S", re.MULTILINE)
_BOUNDARY = re.compile(rb"boundary\s*=", re.IGNORECASE)
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_OWN_LINE = re.compile(r"[-*•+–]\s|\d{1,3}[.)]\s|--\s*$|\s{2,}|[-=_*]{3,}|[A-Z][\w-]*:\s")
# the parser of headers stumbles over some that are broken, in all of these ways
_STUMBLES = (
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    TypeError,
    LookupError,
    RecursionError,
    HeaderParseError,
    MessageError,
)


@dataclass(slots=True)
class _Body:
    """The parts of a message that are read, and the names of those that are not."""

    plain: list[str] = field(default_factory=list[str])
    html: list[str] = field(default_factory=list[str])
    attached: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class MailReader:
    """Plain text is preferred to HTML, quoted replies stay, attachments are named."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the message, and the names of what is attached to it."""
        content = content_of(path, self.max_bytes)
        if not _HEADER.search(content[:10_000]):
            raise ReadError(
                "it is no e-mail: it has no headers",
                "it may have the wrong suffix; save it from the mail program as .eml",
            )
        message = _parsed(content)
        body = _Body()
        _collect(message, body)
        composition = Composition()
        losses: list[tuple[str, str]] = []
        for text in body.plain:
            for paragraph in _paragraphs(text):
                composition.block(paragraph)
        for text in body.html:
            losses += write_fragment(text, PageWriter(composition))
        facts = with_file_name(_facts(message), path)
        if not len(composition):
            raise ReadError("it has no text", "add its attachments by themselves" if body.attached else "nothing to do")
        yield Reading(
            document=document_of(facts, path, "mail"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts,
        )
        if body.attached:
            names = ", ".join(body.attached[:_TOLD]) + (" ..." if len(body.attached) > _TOLD else "")
            losses.append((f"attachments not read: {names}", "save them beside it, and add them too"))
        for reason, advice in losses:
            yield Problem(where=printable(path), reason=reason, advice=advice, lasting=True)


def _parsed(content: bytes) -> EmailMessage:
    nested = ReadError("its parts are nested without end", "open it in a mail program, and save its text by itself")
    if len(_BOUNDARY.findall(content)) > _MOST_PARTS:
        raise nested
    try:
        return BytesParser(policy=policy.default).parsebytes(content)
    except RecursionError as error:
        raise nested from error
    except _STUMBLES as error:
        raise ReadError(
            f"its headers cannot be read: {error}", "open it in a mail program, and save it again"
        ) from error


def _collect(message: Message, body: _Body) -> None:
    """Sort the parts in order. Where one says the same in several ways, the plain one is taken."""
    stack: list[tuple[Message, bool, int]] = [(message, False, 0)]
    count = 0
    while stack:
        part, skips_html, depth = stack.pop()
        count += 1
        if count > _MOST_PARTS or depth > _DEEPEST:
            continue
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            parts = _parts(part)
            has_plain = part.get_content_subtype() == "alternative" and any(_is_plain(inner) for inner in parts)
            stack += [(inner, skips_html or has_plain, depth + 1) for inner in reversed(parts)]
        else:
            name = _name(part)
            kind = part.get_content_type()
            if kind.startswith("multipart/"):  # it says so, and has no parts
                kind, name = "text/plain", ""
            if _disposition(part) == "attachment" or (name and kind != "text/plain") or not kind.startswith("text/"):
                body.attached.append(repr(name) if name else kind)
            elif kind == "text/html":
                if not skips_html:
                    body.html.append(_text(part))
            else:
                body.plain.append(_text(part))


def _parts(part: Message) -> list[Message]:
    payload = cast("list[Message | str]", part.get_payload())
    return [inner for inner in payload if not isinstance(inner, str)]


def _is_plain(part: Message) -> bool:
    """Tell whether a way to say it, or what it is made of, is plain text that says something."""
    leaves = (
        [part] if not part.is_multipart() else [inner for inner in _parts(part)[:_DEEPEST] if not inner.is_multipart()]
    )
    return any(leaf.get_content_type() == "text/plain" and bool(_text(leaf).strip()) for leaf in leaves)


def _name(part: Message) -> str:
    try:
        return flowed(clean(part.get_filename() or ""))[:200]
    except _STUMBLES:
        return "a file without a readable name"


def _disposition(part: Message) -> str:
    try:
        return part.get_content_disposition() or ""
    except _STUMBLES:
        return ""


def _text(part: Message) -> str:
    """Return the text of a part, in the encoding that it claims if that fits."""
    try:
        content: Any = part.get_payload(decode=True)
        charset = str(part.get_content_charset() or "")
    except _STUMBLES:
        content, charset = None, ""
    if not isinstance(content, bytes):
        content = str(cast("Any", part.get_payload())).encode("utf-8", "surrogateescape")
    try:
        if part.get_content_type() == "text/html":
            return text_of(content) if not charset else content.decode(charset, "strict")
        return clean(content.decode(charset or "utf-8"))
    except (LookupError, UnicodeError):
        pass
    try:
        return decode(content)
    except ReadError:  # neither what it claims to be, nor any text
        return ""


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a plain message, with the lines joined that only the width of a screen had parted."""
    for part in re.split(r"\n(?:[ \t>]*\n)+", clean(text).replace("\u00a0", " ")):
        lines: list[str] = []
        previous = mark = ""
        for line in part.split("\n"):
            quote = _QUOTE.match(line)
            level, said = (quote[0].count(">"), line[quote.end() :]) if quote else (0, line)
            goes_on = lines and len(previous) >= _LONG_LINE and ">" * level == mark and not _OWN_LINE.match(said)
            if goes_on:
                lines[-1] = flowed(f"{lines[-1]}\n{said.strip()}")
            elif said.strip():
                lines.append(f"{'>' * level} {said.strip()}" if level else said.rstrip())
            previous, mark = said.rstrip(), ">" * level
        yield "\n".join(lines)


def _header(message: Message, name: str) -> str:
    """Return a header in plain characters, however it is written."""
    try:
        return flowed(clean(str(message.get(name) or "")))
    except _STUMBLES:
        raw = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    try:
        return flowed(clean(str(make_header(decode_header(raw)))))
    except _STUMBLES:
        return flowed(clean(raw.encode("utf-8", "replace").decode()))


def _facts(message: Message) -> Iterator[Fact]:
    """Yield what the headers say."""
    told: list[tuple[str, Value]] = [
        ("title", _header(message, "subject")),
        ("authors", tuple(_people(_header(message, "from")))),
    ]
    try:
        date = parsedate_to_datetime(_header(message, "date"))
        told += [("year", date.year), ("date", date.date().isoformat())]
    except _STUMBLES:  # then nobody knows when
        pass
    told.append(("to", tuple(_people(f"{_header(message, 'to')}, {_header(message, 'cc')}"))))
    told.append(("message_id", _header(message, "message-id").strip("<>")))
    yield from (Fact(field=name, value=value, source="front matter", sure=0.9) for name, value in told if value)


def _people(header: str) -> Iterator[str]:
    """Yield the names in a list of addresses; the address where there is no name."""
    for name, address in getaddresses([header])[:_MOST_PARTS]:
        if name or address:
            yield flowed(name or address)
