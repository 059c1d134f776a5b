"""The languages in which questions are understood: each is one data file of words and patterns, `english.toml`, `chinese.toml`.

Code that reads language takes a `Language` and names a table of it; it never asks which language that is. What is written in a
language that has no file is read as English, for want of better, and says so (`is_known`).
"""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, cast

from scholarmind.text.language import language_of

_FILES = {"en": "english.toml", "zh": "chinese.toml"}


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The words and patterns of one language, by room (`[gate]`, `[coreference]` ...) and name; compiled when they are first used."""

    code: str
    tables: dict[str, Any]
    _compiled: dict[str, Any] = field(default_factory=dict[str, Any])

    def words(self, name: str) -> frozenset[str]:
        """Return a set of words: `words("clauses.asking")`."""
        if name not in self._compiled:
            self._compiled[name] = frozenset(self.text(name).split())
        return self._compiled[name]

    def pattern(self, name: str) -> re.Pattern[str]:
        """Return a regular expression, which never minds capitals; `{other.name}` in it stands for the words of that table, any of them."""
        if name not in self._compiled:
            self._compiled[name] = re.compile(self._expanded(self.text(name)), re.IGNORECASE)
        return self._compiled[name]

    def text(self, name: str) -> str:
        """Return what stands in the file under this name."""
        room, _, rest = name.partition(".")
        return self.tables[room][rest]

    def _expanded(self, pattern: str) -> str:
        def alternatives(match: re.Match[str]) -> str:
            words = sorted(self.text(match[1]).split(), key=len, reverse=True)
            return f"(?:{'|'.join(words)})"

        return re.sub(r"\{([a-z_]+\.[a-z_]+)\}", alternatives, pattern)


class _Lazy:
    """Stands in for a pattern of a language until something of it is needed: most questions need few of them."""

    def __init__(self, code: str, name: str) -> None:
        self._code, self._name = code, name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(language(self._code).pattern(self._name), attribute)
        setattr(self, attribute, found)
        return found


def pattern(code: str, name: str) -> re.Pattern[str]:
    """Return a pattern of a language, which is read and compiled when it is first used."""
    return cast("re.Pattern[str]", _Lazy(code, name))


@cache
def language(code: str) -> Language:
    """Return a language by its code; English for one that has no file."""
    name = _FILES.get(code, _FILES["en"])
    read = tomllib.loads(files("scholarmind.languages").joinpath(name).read_text(encoding="utf-8"))
    return Language(code if code in _FILES else "en", read)


def of(text: str) -> Language:
    """Return the language that a text is to be read in."""
    return language("zh" if language_of(text) == "zh" else "en")


def is_known(text: str) -> bool:
    """Tell whether there is a file for the language of a text, or nothing in it to tell by."""
    return language_of(text) in {*_FILES, ""}
