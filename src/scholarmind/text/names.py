"""Text that can be stored and shown: names of files, what people type, and what must not steer a terminal."""

import re
from pathlib import Path

from scholarmind.errors import QueryError

# C0 but for tab and line feed, DEL, C1, what turns or marks the direction of text, other line ends, annotations, half characters
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff]"
)
_LONGEST_QUESTION = 100_000  # characters; what is longer is a document, and would be kept with every run


def check_question(question: str) -> None:
    """Refuse a question that asks nothing, or that is as long as a book."""
    if not question.strip():
        raise QueryError(
            f"the question {question[:40]!r} is empty; ask something, such as 'How do BERT and GPT-2 differ?'"
        )
    if len(question) > _LONGEST_QUESTION:
        raise QueryError(
            f"the question has {len(question):,} characters, and {_LONGEST_QUESTION:,} at most can be asked; "
            f"add the text to the library as a document, and ask about it: {question[:40]!r} ..."
        )


def printable(path: Path) -> str:
    """Return the path as text that can be stored and shown, even if its name is not valid UTF-8."""
    return bytes(path).decode("utf-8", "backslashreplace")


def storable(text: str) -> str:
    """Return the text without half characters, which come from arguments and names that are not valid UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text  # itself: a book need not be in memory twice


def uncontrolled(text: str) -> str:
    """Return the text without anything that moves a cursor, colours a screen, rings a bell, or turns the order of letters around."""
    return _STEERING.sub("\ufffd", text)


def escaped(json: str) -> str:
    r"""Return JSON text in which all of that is written as \uXXXX: it says the same, and can be looked at in a terminal."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", storable(json))
