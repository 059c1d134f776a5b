"""What serves others: `serve`, `keys`, `mcp`, and `demo`, a small library to look around in."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.service.keys import Keys

# -- serve


@click.command("serve")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at. Any but this machine's own needs a key.",
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65_535), help="0: any that is free.")
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes that answer; each holds the models.",
)
@click.option(
    "--at-once",
    default=8,
    show_default=True,
    type=click.IntRange(1, 256),
    help="Questions that each of them answers at a time.",
)
@click.option(
    "--questions",
    default=64,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Questions that may wait or be answered; more are told to try again.",
)
@click.option("--require-key", is_flag=True, help="Ask for a key from this machine, too.")
@click.option(
    "--trusted-host", "hosts", multiple=True, metavar="NAME", help="A name under which this service is reached."
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that documents may be added from, and whose files are given out.",
)
@click.option(
    "--upload-megabytes",
    default=300,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="Most that one request may carry.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in this computer's browser.")
@click.option("--quiet", is_flag=True, help="Log only what goes wrong.")
@library_option
@json_option
def serve_command(
    host: str,
    port: int,
    workers: int,
    at_once: int,
    questions: int,
    require_key: bool,
    hosts: tuple[str, ...],
    folders: tuple[Path, ...],
    upload_megabytes: int,
    opens: bool,
    quiet: bool,
    library: str | None,
    as_json: bool,
) -> None:
    """Serve the library over HTTP: a page for reading, a REST API, the protocol of OpenAI's clients, and MCP.

    Prints one line when it is ready, and a line of JSON on standard error for each request. Ends on Ctrl-C or SIGTERM: questions
    under way are finished, or left to be taken up by the next start. See docs/SERVICE.md.
    """
    from scholarmind.errors import MissingExtraError  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    try:
        from scholarmind.service.app import serve  # noqa: PLC0415
        from scholarmind.service.state import Limits, Serving  # noqa: PLC0415
        from scholarmind.service.telemetry import log_as_lines  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("serve", error) from error

    settings = Settings.load(library=library)
    limits = Limits(
        hosts=frozenset(("localhost", host.lower(), *map(str.lower, hosts))),
        upload=upload_megabytes * 1_000_000,
        questions=questions,
        folders=folders,
    )
    log_as_lines(quiet=quiet)
    serving = Serving(host=host, port=port, workers=workers, at_once=at_once, require_key=require_key, limits=limits)

    def tell(address: str) -> None:
        told = {"address": address, "library": str(settings.library)}
        echo(json.dumps(told) if as_json else f"serving {settings.library} at {address}")
        if opens:
            _open_page(address)

    serve(settings, serving, tell)


def _open_page(address: str) -> None:
    """Open the page in a browser, or say where it is. Some browsers keep who starts them waiting, so that nobody waits here."""
    import threading  # noqa: PLC0415
    import webbrowser  # noqa: PLC0415

    def work() -> None:
        if not webbrowser.open(address):
            echo(f"no browser could be started; open {address} in one", err=True)

    threading.Thread(target=work, daemon=True).start()


# -- keys


@click.group("keys")
def keys_command() -> None:
    """Make, list and revoke the keys of a service."""


@keys_command.command("create")
@click.option(
    "--scopes",
    required=True,
    metavar="LIST",
    help="What it may do: ask, search, ingest, admin; several with commas between them.",
)
@click.option("--collections", metavar="LIST", help="The only collections that are there for it.  [default: all]")
@click.option("--rate", default="", metavar="NUMBER/PERIOD", help="How many requests, such as 60/min.")
@click.option(
    "--budget",
    default="",
    metavar="AMOUNT/PERIOD",
    help="What its questions may cost in calls to models, such as 5.00/month, in the currency of the prices.",
)
@click.option("--name", default="", help="Whose it is.")
@library_option
@json_option
def create(
    scopes: str, collections: str | None, rate: str, budget: str, name: str, library: str | None, as_json: bool
) -> None:
    """Make a key, and show it this once: only a hash of it is kept."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with _keys(library) as keys:
        chosen = None if collections is None else _listed(collections)
        key = keys.create(_listed(scopes), chosen, name=name, rate=rate, budget=budget)
    if as_json:
        print_json({"key": key, "id": key.split("_")[1]})
    else:
        echo(key)


@keys_command.command("list")
@library_option
@json_option
def listing(library: str | None, as_json: bool) -> None:
    """List the keys, with what each has used."""
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415

    with _keys(library) as keys:
        found = keys.listed()
    if as_json:
        print_json([asdict(key) for key in found])
        return
    if not found:
        echo("no keys yet; make one with: scholarmind keys create --scopes ask,search")
    for key in found:
        where = "all collections" if key.collections is None else ", ".join(key.collections)
        limits = "".join(f" · {limit}" for limit in (key.rate, key.budget) if limit)
        made = f"{datetime.fromtimestamp(key.created, UTC):%Y-%m-%d}"
        told = f"{key.requests:,} requests, {key.questions:,} questions, {key.tokens:,} tokens, {key.cost:.2f}"
        state = " · revoked" if key.revoked else ""
        echo(safe(f"{key.id}  {made}  {','.join(key.scopes)} · {where}{limits} · {told}{state}  {key.name}"))


@keys_command.command("revoke")
@click.argument("key")
@library_option
@json_option
def revoke(key: str, library: str | None, as_json: bool) -> None:
    """Make a key worthless from this moment. KEY is its id, the eight characters behind `sm_`."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415

    with _keys(library) as keys:
        if not keys.revoke(key):
            raise click.ClickException(
                f"there is no key {key!r} that opens anything; 'scholarmind keys list' lists them"
            )
    if as_json:
        print_json({"revoked": key})
    else:
        echo(f"revoked {key}")


@contextmanager
def _keys(library: str | None) -> "Generator[Keys]":
    from scholarmind.service.keys import Keys  # noqa: PLC0415
    from scholarmind.service.service_file import ServiceFile  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    settings.library.mkdir(parents=True, exist_ok=True)
    with ServiceFile(settings.library / "service.db", settings.database) as file:
        yield Keys(file)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


# -- mcp


@click.command("mcp")
@click.option("--stdio", is_flag=True, help="Be the server, over standard input and output. Programs start it so.")
@click.option("--address", default="http://127.0.0.1:8000", show_default=True, help="Of a service that runs.")
@library_option
@json_option
def mcp_command(stdio: bool, address: str, library: str | None, as_json: bool) -> None:
    """Print what to paste into programs that speak the Model Context Protocol, so that they can ask the library."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    if stdio:
        _serve_mcp(library)
        return
    program = shutil.which("scholarmind") or str(Path(sys.executable).parent / "scholarmind")
    arguments = ["mcp", "--stdio", "--library", str(settings.library.absolute())]
    local = {"command": program, "args": arguments}
    if as_json:
        print_json({"mcpServers": {"scholarmind": local}})
        return
    echo("Claude Code:")
    echo(f"  claude mcp add scholarmind -- {shlex.join([program, *arguments])}\n")
    for name, file in (
        ("Claude Desktop", "claude_desktop_config.json"),
        ("Cursor", "~/.cursor/mcp.json"),
        ("Windsurf", "~/.codeium/windsurf/mcp_config.json"),
        ("Gemini CLI", "~/.gemini/settings.json"),
    ):
        echo(f"{name} ({file}):")
        echo(f"  {json.dumps({'mcpServers': {'scholarmind': local}})}\n")
    echo("VS Code (.vscode/mcp.json):")
    echo(f"  {json.dumps({'servers': {'scholarmind': {'type': 'stdio', **local}}})}\n")
    echo("Codex (~/.codex/config.toml):")
    echo(f"  [mcp_servers.scholarmind]\n  command = {json.dumps(program)}\n  args = {json.dumps(arguments)}\n")
    echo("Through a service that runs (scholarmind serve), for any program that speaks streamable HTTP:")
    echo(f"  {address.rstrip('/')}/mcp, from other machines with the header: Authorization: Bearer KEY")
    echo(f"  claude mcp add --transport http scholarmind {address.rstrip('/')}/mcp")


def _serve_mcp(library: str | None) -> None:
    from scholarmind.errors import MissingExtraError  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    try:
        import asyncio  # noqa: PLC0415

        from scholarmind.service.mcp_server import over_stdio  # noqa: PLC0415
        from scholarmind.service.state import Limits, Service, Serving  # noqa: PLC0415
        from scholarmind.service.telemetry import log_as_lines  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("serve", error) from error
    log_as_lines(quiet=True)
    service = Service(Settings.load(library=library), Serving(alone=False, limits=Limits(grace=1.0)))
    try:
        asyncio.run(over_stdio(service))
    finally:
        service.close()


# -- the demo

QUESTIONS = (
    "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?",
    "Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?",
)


@click.command("demo")
@click.option("--question", help="Ask this instead of the built-in questions.")
@click.option("--open", "opens", is_flag=True, help="Open the library on its page, in this computer's browser.")
@json_option
def demo_command(question: str | None, opens: bool, as_json: bool) -> None:
    """Ask a small library: 40 notes on language models and their attention, in English and Chinese.

    It is kept apart from your own, in scholarmind/demo in your data folder.
    """
    from importlib.resources import as_file, files  # noqa: PLC0415

    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.record import answer_record  # noqa: PLC0415

    questions = QUESTIONS if question is None else (question,)
    with as_file(files("scholarmind.demo") / "notes") as notes, _opened(notes) as library:
        with progress(quiet=as_json) as on_event:
            library.add(notes, prune=True, on_event=on_event)
        folder = library.store.folder
        if as_json and not opens:
            answers = [answer_record(library.ask(text)) for text in questions]
            print_json(answers if question is None else answers[0])
            return
        counts = library.counts()["default"]
        echo(f"The demo library holds {counts.documents} notes in {counts.passages} passages.\n", err=as_json)
        for text in () if opens else questions:
            _ask(library, text)
    if opens:
        os.environ["SCHOLARMIND_EFFORT"] = (
            "keyless"  # as everything here is asked; the processes that answer see it, too
        )
        click.get_current_context().invoke(
            serve_command, library=str(folder), port=0, opens=True, quiet=True, as_json=as_json
        )
        return
    echo("Now try:")
    echo(f'  scholarmind ask --library {folder} --details "How does Longformer differ from BigBird?"')
    echo(f'  scholarmind plan --library {folder} "Who proposed the model that RoBERTa builds on?"')
    echo('  scholarmind add FOLDER_WITH_YOUR_NOTES && scholarmind ask "your question"')


def _opened(notes: Path) -> "Library":
    """Return the demo's own library; one of another version, embedder or installation is made anew, since the notes are ours."""
    import shutil  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.errors import LibraryMismatchError  # noqa: PLC0415
    from scholarmind.settings import default_library  # noqa: PLC0415

    folder = default_library().with_name("demo")

    def opened() -> Library:
        library = Library.open(folder, create=True, effort="keyless")
        try:
            library.store.check_fingerprint()
            _check_notes(library, notes)
        except LibraryMismatchError:
            library.close()
            raise
        return library

    try:
        return opened()
    except LibraryMismatchError as error:
        echo(f"The demo library is made anew: {error}", err=True)
        shutil.rmtree(folder)
        return opened()


def _check_notes(library: "Library", notes: Path) -> None:
    """Refuse a library that has nothing but the same notes of another installation: they would be there twice."""
    from scholarmind.errors import LibraryMismatchError  # noqa: PLC0415

    names = {note.name for note in notes.iterdir()}
    places = [Path(source.path) for _, source in library.sources()]
    if any(place.parent != notes for place in places) and all(place.name in names for place in places):
        raise LibraryMismatchError(f"the library {str(library.store.folder)!r} has the notes of another installation")


def _ask(library: "Library", question: str) -> None:
    from scholarmind.cli.answer_output import print_answer  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415

    echo(f"? {question}\n", bold=True)
    with watched(quiet=False, transient=True) as shown:
        answer = library.ask(question, on_event=shown)
    print_answer(answer, "apa")
    echo()
