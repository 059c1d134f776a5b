"""`scholarmind serve`."""

import json
from pathlib import Path

import click

from scholarmind.cli.main import echo, json_option, library_option


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
def command(
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
        from scholarmind.service.metrics import log_as_lines  # noqa: PLC0415
        from scholarmind.service.state import Limits, Serving  # noqa: PLC0415
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
            open_page(address)

    serve(settings, serving, tell)


def open_page(address: str) -> None:
    """Open the page in a browser, or say where it is. Some browsers keep who starts them waiting, so that nobody waits here."""
    import threading  # noqa: PLC0415
    import webbrowser  # noqa: PLC0415

    def work() -> None:
        if not webbrowser.open(address):
            echo(f"no browser could be started; open {address} in one", err=True)

    threading.Thread(target=work, daemon=True).start()
