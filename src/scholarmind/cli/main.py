"""The command group: common options, and errors as one line and an exit code."""

import errno
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from scholarmind.errors import ScholarMindError
from scholarmind.text.untrusted import uncontrolled

F = TypeVar("F", bound=Callable[..., Any])
_COMMANDS = {  # in the order of a first session, each with its module
    "add": "add_commands",
    "ask": "ask_command",
    "plan": "plan_command",
    "search": "library_commands",
    "check": "check_command",
    "table": "table_command",
    "show": "library_commands",
    "open": "library_commands",
    "set": "library_commands",
    "next": "library_commands",
    "watch-question": "add_commands",
    "runs": "run_commands",
    "conversations": "run_commands",
    "status": "library_commands",
    "remove": "library_commands",
    "collections": "library_commands",
    "graph": "structure_commands",
    "tree": "structure_commands",
    "zotero": "add_commands",
    "copy": "copy_command",
    "backup": "copy_command",
    "restore": "copy_command",
    "migrate": "copy_command",
    "doctor": "library_commands",
    "serve": "service_commands",
    "keys": "service_commands",
    "mcp": "service_commands",
    "evaluate": "evaluate_commands",
    "tune": "evaluate_commands",
    "export": "run_commands",
    "demo": "service_commands",
}
_INTERRUPTED = 130


class Commands(click.Group):
    """Loads a command's module when the command, or its line of help, is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of a first session."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"scholarmind.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; our own errors become one line."""
        try:
            return super().invoke(ctx)
        except ScholarMindError as error:
            raise click.ClickException(uncontrolled(str(error))) from error
        except click.ClickException as error:
            told = error.format_message()
            if (harmless := uncontrolled(told)) == told:
                raise
            if isinstance(error, click.UsageError):
                raise click.UsageError(harmless, error.ctx) from error
            raise click.ClickException(harmless) from error


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="scholarmind")
def group() -> None:
    """Ask your own documents: complete, cited, checked answers.

    \b
    First steps:
      scholarmind demo                           a small library on language models, to look around
      scholarmind add papers/ notes.md           your own documents; again, after they changed
      scholarmind ask "Compare A and B on C"     an answer: every sentence cited, every part accounted for
      scholarmind ask --llm ollama/qwen3 "..."   the same, planned and written by a language model; `doctor --llm` tries one
      scholarmind search "sparse attention"      passages that match, by words and by meaning

    The library is in your data folder unless --library or SCHOLARMIND_LIBRARY says otherwise.
    Every setting is an environment variable (SCHOLARMIND_...) or a key of scholarmind.toml; see docs/GUIDE.md.
    """


def main() -> None:
    """Entry point of the `scholarmind` command."""
    try:
        group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        echo("Error: no space is left where the output goes; make room, and give the same command again", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes once more at its end, and must not fail once more
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        echo("\nstopped; everything reported as done is stored, and the same command goes on from there", err=True)
        sys.exit(_INTERRUPTED)


def echo(text: str = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Print a text in which nothing is that a terminal would obey; only what is said here of its style."""
    harmless = uncontrolled(text)
    click.echo(click.style(harmless, **style) if style and harmless else harmless, err=err, nl=nl)  # noqa: TID251


def check_suffix(file: Path | None, *known: str) -> None:
    """Refuse a file whose name promises what is not written; a name without an ending promises nothing."""
    if file is not None and file.suffix and not file.name.lower().endswith(known):
        several = " or ".join((", ".join(known[:-1]), *known[-1:]))
        raise click.UsageError(f"{str(file)!r}: {file.suffix!r} is not written; give a name that ends in {several}")


def library_option(function: F) -> F:
    """Add --library, and --database, which all settings that are loaded from now on have from the environment."""
    database = "The library is in this PostgreSQL: postgresql://USER@HOST/NAME.  [default: SCHOLARMIND_DATABASE]"
    return library_folder_option(
        click.option(
            "--database", metavar="URL", expose_value=False, callback=_set_database, is_eager=True, help=database
        )(function)
    )


def library_folder_option(function: F) -> F:
    """Add --library alone, for commands whose --database is another one."""
    folder = "Folder of the library.  [default: SCHOLARMIND_LIBRARY, or scholarmind/library in your data folder]"
    return click.option("--library", metavar="FOLDER", type=click.Path(file_okay=False), help=folder)(function)


def _set_database(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        os.environ["SCHOLARMIND_DATABASE"] = value


def json_option(function: F) -> F:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of text for people.")(
        function
    )
