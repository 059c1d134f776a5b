"""From bytes to text, whatever the encoding; from any string to one that can be stored."""

import codecs
import re
from pathlib import Path

from scholarmind.errors import ReadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY_SHARE = 0.02
_DAMAGED_SHARE = 0.1
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file, or say why it is none."""
    size = path.stat().st_size
    if size > max_bytes:
        raise ReadError(
            f"it has {size / 1e6:,.0f} MB, the limit is {max_bytes / 1e6:,.0f} MB",
            "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", "check who may read it") from error
    text = decode(content)
    if not text.strip():
        raise ReadError("it is empty", "nothing to do, unless it should not be")
    return text


def decode(content: bytes) -> str:
    """Return the text in these bytes: by its mark, as UTF-8, as UTF-8 with a few damaged bytes, or by what its bytes look like."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _checked(content.decode(encoding, "replace"))
    try:
        return _checked(content.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = sum(not character.isascii() for character in text[:_SAMPLE]) - text.count("\ufffd", 0, _SAMPLE)
    return _checked(text if damaged <= _DAMAGED_SHARE * foreign else _guess(content))


def clean(text: str) -> str:
    """Return the text as it can be stored: line ends as one character, no NUL, no half characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", text.replace("\0", " "))


def _guess(content: bytes) -> str:
    import charset_normalizer  # noqa: PLC0415  (only for files that are not UTF-8)

    best = charset_normalizer.from_bytes(content[:_SAMPLE]).best()
    if best is None:
        raise ReadError("it is not text in any known encoding", "save it as UTF-8 text, or leave it out")
    return content.decode(best.encoding, "replace")


def _checked(text: str) -> str:
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise ReadError("it holds binary data", "it may have the wrong suffix; convert it to text, or leave it out")
    return clean(text)
