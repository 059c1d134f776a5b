"""Text that can be stored: names of files, and what people type."""

from pathlib import Path


def printable(path: Path) -> str:
    """Return the path as text that can be stored and shown, even if its name is not valid UTF-8."""
    return bytes(path).decode("utf-8", "backslashreplace")


def storable(text: str) -> str:
    """Return the text without half characters, which come from arguments and names that are not valid UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
