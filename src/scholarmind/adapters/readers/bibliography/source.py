"""The text of a bibliography. Such files are pasted together from many places, so each line may have an encoding of its own."""

import codecs
import re
from pathlib import Path

from scholarmind.adapters.readers.decode import clean, decode, read_text
from scholarmind.errors import ReadError

_NAMED = re.compile(rb"%\s*Encoding:\s*([\w.-]{2,20})")  # JabRef's first line
_HEAD = 300
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAMAGED_SHARE = 0.1
_SHARE_IN_UTF8 = 0.1  # of the lines beyond ASCII; less than that happens by accident in other encodings


def read_source(path: Path, max_bytes: int) -> str:
    """Return the text of the file, its lines where they are in the file."""
    return read_text(path, max_bytes, _text)


def _text(content: bytes) -> str:
    if content.startswith(_MARKS):
        return decode(content)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return clean(_named(content) or _mixed(content))
    return decode(content)


def _named(content: bytes) -> str:
    """Return the text in the encoding that the file says it has, if it does and that is so."""
    found = _NAMED.search(content[:_HEAD])
    try:
        return content.decode(found[1].decode("ascii")) if found else ""
    except (LookupError, ValueError):
        return ""


def _mixed(content: bytes) -> str:
    """Read each line as UTF-8 where it is, and guess the encoding of the others together."""
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    texts: list[str | None] = [_in_utf8(line) for line in lines]
    others = [number for number, text in enumerate(texts) if text is None]
    foreign = sum(not line.isascii() for line in lines)
    if foreign - len(others) < _SHARE_IN_UTF8 * foreign:
        return decode(content)
    guessed = _guessed([lines[number] for number in others])
    for number, text in zip(others, guessed, strict=True):
        texts[number] = text
    return "\n".join(text or "" for text in texts)


def _in_utf8(line: bytes) -> str | None:
    """Return the line as UTF-8, perhaps with a character that was cut; None if it is something else."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = sum(not character.isascii() for character in text) - damaged
    return text if damaged <= _DAMAGED_SHARE * foreign else None


def _guessed(lines: list[bytes]) -> list[str]:
    try:
        texts = decode(b"\n".join(lines)).split("\n")
    except ReadError:
        texts = []
    return texts if len(texts) == len(lines) else [line.decode("cp1252", "replace") for line in lines]
