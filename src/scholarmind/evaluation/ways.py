"""What a way of asking is made from: settings, the switches that are no settings, and a library made of a dataset's records."""

import hashlib
import os
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from scholarmind import wiring
from scholarmind.adapters.local.database import SCHEMA
from scholarmind.api import Library
from scholarmind.errors import QueryError, SettingsError
from scholarmind.evaluation.asking import Way
from scholarmind.events import OnEvent
from scholarmind.llm.language_models import Models
from scholarmind.llm.prompts import Prompts
from scholarmind.model import Mode
from scholarmind.ports import Embedder
from scholarmind.setting_values import checked, joined
from scholarmind.settings import Settings
from scholarmind.steps.options import Options

TABLE = "options"
_NAMES_A_MODEL = ("llm", "llm_base_url", "llm_model", "effort")
_MADE_BY = "embedder embedding_model embedding_precision passage_tokens passage_overlap".split()
_FOLDERS_AND_FILES = ("glossary", "llm_prices", "llm_prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What can be chosen beside the settings, in the table `options` of a file."""

    filters: bool = True  # search within what a question names
    hops: bool = True  # follow mentions from passage to passage
    quotas: bool = True  # reserve places for every row
    injection: bool = True  # fill the answers of earlier parts into later ones
    decompose: bool = True  # take questions apart
    plain: bool = False  # one search in place of the whole reading path
    mode: Mode = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A way of asking before its library is open."""

    name: str
    settings: Settings
    switches: Switches = field(default_factory=Switches)

    @property
    def options(self) -> Options | None:
        """The options of the reading path; None for one search in its place."""
        if self.switches.plain:
            return None
        chosen = {name: value for name, value in asdict(self.switches).items() if name not in {"plain", "mode"}}
        return replace(wiring.options(self.settings), **chosen)

    @property
    def values(self) -> dict[str, Any]:
        """Everything that was chosen, under its name; never a key."""
        told: dict[str, Any] = {}
        for setting in fields(self.settings):
            value = getattr(self.settings, setting.name)
            if setting.repr and setting.name not in {"library", "llm_key_setting"}:
                inner = {one.name: getattr(value, one.name) for one in fields(value)} if _is_table(value) else {}
                told |= {f"{setting.name}.{name}": one for name, one in inner.items()} or {setting.name: value}
        told |= {f"{TABLE}.{name}": value for name, value in asdict(self.switches).items()}
        return told | {
            f"prompt {file}": version for file, version in Prompts(self.settings.llm_prompts).versions().items()
        }


def loaded(chosen: Mapping[str, Any]) -> Settings:
    """Return the settings. No language model is asked unless what was chosen names one, or an effort."""
    by_model = any(chosen.get(name) is not None for name in _NAMES_A_MODEL)
    return Settings.load(**(chosen if by_model else {**chosen, "effort": "keyless"}))


def chosen_by(name: str, values: Mapping[str, Any], base: Mapping[str, Any], where: str = "argument") -> Choice:
    """Return what these settings, and a table of switches among them, make of the usual ones; they come first."""
    switches = values.get(TABLE, {})
    if not isinstance(switches, Mapping):
        raise SettingsError(f"{TABLE} = {switches!r} is not a table of switches, such as {TABLE}.quotas")
    table = cast("Mapping[str, Any]", switches)
    if settings := [one for one in table if one in {setting.name for setting in fields(Settings)}]:
        raise SettingsError(f"{settings[0]!r} is a setting: write it above the table {TABLE!r}, not in it")
    found = checked({one: value for one, value in values.items() if one != TABLE}, where, Settings)
    return Choice(
        name=name,
        settings=loaded(joined(dict(base), found)),
        switches=Switches(**checked(table, f"switch in the table {TABLE!r}", Switches)),
    )


def chosen_by_files(files: Sequence[Path], base: Mapping[str, Any]) -> list[Choice]:
    """Return a choice for each file, which is a scholarmind.toml that may also have a table `options`."""
    if len(files) < 2:
        raise QueryError("a comparison needs two files of settings or more, such as --compare a.toml b.toml")
    if len({file.resolve() for file in files}) < len(files):
        raise QueryError("the same file is named twice; a comparison needs different ones")
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    return [_chosen_by_file(file, name, base) for file, name in zip(files, names, strict=True)]


def _chosen_by_file(path: Path, name: str, base: Mapping[str, Any]) -> Choice:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{str(path)!r} cannot be read as TOML: {error}") from error
    for one in _FOLDERS_AND_FILES:  # as in a scholarmind.toml, which is read in its own folder
        if isinstance(values.get(one), str) and values[one]:
            values[one] = str(path.parent / Path(values[one]).expanduser())
    try:
        choice = chosen_by(name, values, base, "setting")
    except SettingsError as error:
        raise SettingsError(f"{str(path)!r}: {error}") from error
    prompts = choice.settings.llm_prompts
    if prompts is not None and not prompts.is_dir():
        raise SettingsError(f"{str(path)!r}: llm_prompts = {str(prompts)!r} is no folder")
    return choice


def differing(choices: Sequence[Choice]) -> dict[str, list[Any]]:
    """Return what was not chosen alike by all, by its name, with the value of each."""
    told = [choice.values for choice in choices]
    names = dict.fromkeys(name for values in told for name in values)
    rows = {name: [values.get(name) for values in told] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


@contextmanager
def opened(
    corpus: Path, choices: Sequence[Choice], on_event: OnEvent, models: Models | None = None
) -> Generator[tuple[list[Way], int]]:
    """Open each choice's library of the records, made now if there is none yet. Return also how many records were no good."""
    embedders: dict[tuple[Any, ...], Embedder | None] = {}
    problems: dict[tuple[Path, bool, bool], int] = {}  # a library that has all but a structure gets that, too
    ways: list[Way] = []
    with ExitStack() as stack:
        for choice in choices:
            settings = replace(choice.settings, library=cached_library(corpus, choice.settings))
            embedding = tuple(getattr(settings, one.name) for one in fields(settings) if one.name.startswith("embed"))
            if embedding not in embedders:
                embedders[embedding] = wiring.embedder(settings)
            library = stack.enter_context(Library(settings, embedder=embedders[embedding], models=models))
            if (made := (settings.library, settings.graph, settings.tree)) not in problems:
                problems[made] = _filled(library, corpus, on_event)
            ways.append(Way(name=choice.name, library=library, options=choice.options, mode=choice.switches.mode))
        yield ways, max(problems.values())


def _filled(library: Library, corpus: Path, on_event: OnEvent) -> int:
    """Take in the records; return how many were no good."""
    problems = library.add(corpus, on_event=on_event).problems
    if not library.counts():
        why = f": {problems[0].where}: {problems[0].reason}" if problems else ""
        raise QueryError(f"{str(corpus)!r} holds no record that can be searched{why}")
    return len(problems)


@contextmanager
def opened_as_it_is(choices: Sequence[Choice], models: Models | None = None) -> Generator[tuple[list[Way], int]]:
    """Open the user's own library for each choice. Nothing is read anew, so what is about reading cannot be chosen."""
    for name in _MADE_BY:
        if len({getattr(choice.settings, name) for choice in choices}) > 1:
            raise QueryError(
                f"{name} is about how documents are read, and your library is read already; tune it on a folder"
            )
    with ExitStack() as stack:
        embedder = wiring.embedder(choices[0].settings)
        libraries = [
            stack.enter_context(Library(choice.settings, create=False, embedder=embedder, models=models))
            for choice in choices
        ]
        yield (
            [
                Way(name=choice.name, library=library, options=choice.options, mode=choice.switches.mode)
                for choice, library in zip(choices, libraries, strict=True)
            ],
            0,
        )


def cached_library(corpus: Path, settings: Settings) -> Path:
    """Return the folder of the library for these records under these settings."""
    with corpus.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    made_by = tuple(getattr(settings, name) for name in _MADE_BY)
    digest.update(repr((*made_by, settings.unknown_limit, SCHEMA)).encode())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "scholarmind" / "evaluate" / digest.hexdigest()[:16]


def _is_table(value: Any) -> bool:
    return hasattr(value, "__dataclass_fields__")
