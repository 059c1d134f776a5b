"""The scripted server as a program: python -m scholarmind.testing --port 0 --latency 0.2 --rules rules.json"""

import signal
from pathlib import Path

import click

from scholarmind.testing.scripted import ScriptedServer, rules


@click.command()
@click.option("--port", default=0, help="Where to listen on 127.0.0.1; 0 takes one that is free.")
@click.option("--latency", type=float, help="Seconds before a reply starts.")
@click.option("--token-rate", type=float, help="Tokens a second of a streamed reply; all at once without it.")
@click.option(
    "--rules", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A JSON file of rules."
)
def main(port: int, latency: float | None, token_rate: float | None, path: Path | None) -> None:
    """Serve scripted answers over the OpenAI protocol, and print the address. GET /log tells what was asked."""
    try:
        told = rules(path.read_bytes()) if path else {}
    except (TypeError, ValueError) as error:
        raise click.ClickException(f"{path}: {error}") from error
    told |= {name: value for name, value in (("latency", latency), ("token_rate", token_rate)) if value is not None}
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # before the server's thread begins, which then leaves them to us
    with ScriptedServer(port=port, **told) as server:
        click.echo(server.base_url)  # noqa: TID251
        signal.sigwait(ends)


if __name__ == "__main__":
    main()
