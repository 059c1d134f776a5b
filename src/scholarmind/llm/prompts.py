"""Prompts are files, English and Chinese side by side. A file of the same name in the user's own folder takes the place of ours.

A file is what the system is told, a line `---`, and what the user says; `$name` stands for a value. Its version is a hash of its text.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from scholarmind.calls import Message
from scholarmind.errors import SettingsError

_OURS = Path(__file__).parent / "prompts"
_BORDER = re.compile(r"^---[ \t]*$", re.MULTILINE)
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Filled:
    """A prompt with its values: the messages, and which version of which file they were made from."""

    messages: tuple[Message, ...]
    version: str


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts in use. A file of the user's that leaves out a value or names an unknown one is an error that says so."""

    folder: Path | None = None

    def filled(self, name: str, language: str, **values: str) -> Filled:
        """Return a prompt in a language (English for all but Chinese)."""
        file = f"{name}.{'zh' if language == 'zh' else 'en'}.md"
        system, user, version = self._read(file)
        messages = (
            Message("system", system.substitute(values).strip()),
            Message("user", user.substitute(values).strip()),
        )
        return Filled(messages, version)

    def versions(self) -> dict[str, str]:
        """Return the version of each prompt by its file's name; a change of one is a change of what is answered."""
        return {file: self._read(file)[2] for file in _files()}

    def _read(self, file: str) -> tuple[Template, Template, str]:
        own = self.folder / file if self.folder else None
        if own is None or not own.is_file():
            return _parsed(_ours(file), file)
        try:
            text = own.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"the prompt {str(own)!r} cannot be read: {error}") from error
        _check(text, _ours(file), own)
        return _parsed(text, file)


def filled_in(text: str, **values: str) -> str:
    """Return a user's own prompt with each {name} replaced by its value, in one pass: a value may hold such a name itself."""
    return re.sub("|".join(rf"\{{{name}\}}" for name in values), lambda match: values[match[0][1:-1]], text)


@cache
def _files() -> tuple[str, ...]:
    return tuple(sorted(file.name for file in _OURS.glob("*.md")))


@cache
def _ours(file: str) -> str:
    return (_OURS / file).read_text(encoding="utf-8")


@cache
def _parsed(text: str, file: str) -> tuple[Template, Template, str]:
    system, user = _BORDER.split(text, maxsplit=1)
    return Template(system), Template(user), f"{file}@{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _check(text: str, ours: str, own: Path) -> None:
    if len(_BORDER.split(text, maxsplit=1)) != 2:
        raise SettingsError(
            f"the prompt {str(own)!r} needs a line '---' between what the system and what the user says"
        )
    if not Template(text).is_valid():
        raise SettingsError(f"the prompt {str(own)!r} has a lone '$'; write '$$' for the sign itself")
    wanted, found = set(Template(ours).get_identifiers()), set(Template(text).get_identifiers())
    if unknown := sorted(found - wanted):
        raise SettingsError(f"the prompt {str(own)!r} names ${unknown[0]}; known: {', '.join(sorted(wanted))}")
    if lacking := sorted(wanted - found):
        raise SettingsError(f"the prompt {str(own)!r} leaves out ${lacking[0]}, without which it cannot work")
