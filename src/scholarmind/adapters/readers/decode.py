"""From bytes to text, whatever the encoding; from any string to one that can be stored."""

import codecs
import re
from collections.abc import Callable
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
_WIDE_SHARE = 0.7
_MOST_ZEROS = 0.6
_LONGEST_CHARACTER = 4
_WIDE_LETTERS = frozenset(
    "big5 big5hkscs cp932 cp949 cp950 euc_jis_2004 euc_jisx0213 euc_jp euc_kr gb18030 gb2312 gbk hz iso2022_jp iso2022_kr "
    "johab shift_jis shift_jis_2004 shift_jisx0213 utf_7 utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le".split()
)
_WESTERN = frozenset("äöüÄÖÜßéèêëÉÈàâáãåÀçÇîïíìôóòõøûùúñÑœæÆØÅ“”‘’–—…€°§«»·©®²³µ")
_WESTERN_SHARE = 0.9
_FOREIGN_SHARE = 0.2
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_text(path: Path, max_bytes: int, decoded: Callable[[bytes], str] | None = None) -> str:
    """Return the text of a file, or say why it is none; `decoded` knows more of its encoding than `decode` does."""
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
    text = (decoded or decode)(content)
    if not text.strip():
        raise ReadError("it is empty", "nothing to do, unless it should not be")
    return text


def decode(content: bytes) -> str:
    """Return the text in these bytes: by its mark, as UTF-8 (perhaps a little damaged), or by what its bytes look like."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _checked(content.decode(encoding, "replace"))
    if (wide := _wide(content)) is not None:
        return _checked(content.decode(wide, "replace"))
    try:
        return _checked(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        first = error.start
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return _checked(text if damaged <= _DAMAGED_SHARE * foreign else _guess(content, first))


def _wide(content: bytes) -> str | None:
    """Recognise UTF-16 without its mark: Western text has a zero in every other byte."""
    sample = content[:_SAMPLE]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) > _WIDE_SHARE * len(zeros) and sample.count(0) < _MOST_ZEROS * len(sample):
            return encoding
    return None


def clean(text: str) -> str:
    """Return the text as it can be stored: line ends as one character, no NUL, no half characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", text.replace("\0", " "))


def _guess(content: bytes, first: int) -> str:
    """Guess from the neighbourhood of the first byte that is not UTF-8."""
    import charset_normalizer  # noqa: PLC0415  (only for files that are not UTF-8)

    start = max(0, first - _SAMPLE // 2)
    sample = content[start : start + _SAMPLE]
    for cut in range(_LONGEST_CHARACTER):  # the sample may end inside a character
        best = charset_normalizer.from_bytes(sample[: len(sample) - cut]).best()
        if best is not None:
            break
    else:
        raise ReadError("it is not text in any known encoding", "save it as UTF-8 text, or leave it out")
    # the codes of one byte a letter look alike in short texts, and most such files are Western European
    encoding = "cp1252" if best.encoding not in _WIDE_LETTERS and _is_western(sample) else best.encoding
    return content.decode(encoding, "replace")


def _is_western(sample: bytes) -> bool:
    """Tell whether the letters beyond ASCII are few, and common in Western European text."""
    text = sample.decode("cp1252", "replace")
    foreign = [letter for letter in text if not letter.isascii()]
    common = sum(letter in _WESTERN for letter in foreign)
    return len(foreign) <= _FOREIGN_SHARE * len(text) and common >= _WESTERN_SHARE * len(foreign)


def _checked(text: str) -> str:
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise ReadError("it holds binary data", "it may have the wrong suffix; convert it to text, or leave it out")
    return clean(text)
