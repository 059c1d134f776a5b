"""What a language model is asked: prompts from files, fences around documents, and an assistant that makes requests of both.

A prompt is a file, English and Chinese side by side: what the system is told, a line `---`, and what the user says; `$name` stands for a
value. A file of the same name in the user's own folder takes the place of ours. The version of a prompt is a hash of its text. Documents
are data: in a prompt each passage stands between marks that its author cannot know, under a key that it can be cited by.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

from scholarmind.calls import LanguageModel, PromptMessage, Request, Task
from scholarmind.errors import SettingsError
from scholarmind.model import Evidence

# -- prompts

_OURS = Path(__file__).parent / "prompts"
_BORDER = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Filled:
    """A prompt with its values: the messages, and which version of which file they were made from."""

    messages: tuple[PromptMessage, ...]
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
            PromptMessage("system", system.substitute(values).strip()),
            PromptMessage("user", user.substitute(values).strip()),
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


# -- fences around what is not ours

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def marker_of(run: str) -> str:
    """Return the marker of a run: no document can foresee it, and a run that is resumed has the same again."""
    return hashlib.sha256(f"fence {run}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Fenced:
    """Passages as a prompt shows them, and by key what each of them is."""

    text: str
    passages: Mapping[str, Evidence]


def fenced(
    evidence: Sequence[Evidence], marker: str, *, longest: int = 2_000, notes: Mapping[str, str] | None = None
) -> Fenced:
    """Fence passages under the keys P1, P2, ...; `notes` are put behind a key's title."""
    passages = {f"P{place}": item for place, item in enumerate(evidence, 1)}
    blocks = [_block(key, item, marker, longest, (notes or {}).get(key, "")) for key, item in passages.items()]
    return Fenced("\n".join(blocks), passages)


def within(text: str, marker: str, name: str) -> str:
    """Fence any other text that is not ours, such as the question."""
    return f"<{name} {marker}>\n{_plain(text, marker)}\n</{name} {marker}>"


def head_of(item: Evidence, note: str = "") -> str:
    """Return what stands above a passage: the title, people and year of its document."""
    document = item.document
    people = ", ".join(document.authors[:3]) + (" et al." if len(document.authors) > 3 else "")
    return "; ".join(filter(None, (document.title or document.id, people, str(document.year or ""), note)))


def _block(key: str, item: Evidence, marker: str, longest: int, note: str) -> str:
    told = head_of(item, note)
    text = item.passage.text if len(item.passage.text) <= longest else item.passage.text[:longest] + " …"
    return f"<passage {marker} {key}> {_plain(' '.join(told.split()), marker)}\n{_plain(text, marker)}\n</passage {marker}>"


def _plain(text: str, marker: str) -> str:
    return _CONTROL.sub(" ", text).replace(
        marker, " "
    )  # a space: what is left on both sides must not make the marker anew


# -- a model as the steps of one run know it: with its prompts, and the marker of the run

Prompt = Literal[
    "plan",
    "short",
    "part",
    "answer",
    "check",
    "concepts",
    "hypothetical",
    "split",
    "relevance",
    "route",
    "filter",
    "decide",
    "roadmap",
    "own",
    "translate",
    "custom",
    "summary",
    "statements",
    "cells",
]

TASK_OF: dict[Prompt, Task] = {
    "plan": "extraction",
    "short": "extraction",
    "part": "generation",
    "answer": "generation",
    "check": "routing",
    "concepts": "extraction",
    "hypothetical": "generation",
    "split": "extraction",
    "relevance": "extraction",
    "route": "routing",
    "filter": "routing",
    "decide": "routing",
    "roadmap": "generation",
    "own": "generation",
    "translate": "extraction",
    "custom": "extraction",
    "summary": "extraction",
    "statements": "extraction",
    "cells": "extraction",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """Makes requests; `model` counts what they cost and remembers what they brought."""

    model: LanguageModel
    marker: str
    prompts: Prompts = field(default_factory=Prompts)

    def request(
        self,
        prompt: tuple[Prompt, str],
        *,
        purpose: str,
        max_tokens: int,
        values: dict[str, str],
        shape: type[Any] | None = None,
        part: int | None = None,
    ) -> Request:
        """Return a request made from the prompt of this name and language; its file is given `marker` and the values."""
        name, language = prompt
        filled = self.prompts.filled(name, language, marker=self.marker, **values)
        return Request(
            purpose=purpose,
            task=TASK_OF[name],
            messages=filled.messages,
            shape=shape,
            max_tokens=max_tokens,
            part=part,
            prompt=filled.version,
            marker=self.marker,
        )
