"""`scholarmind mcp`."""

import json
import shlex
import shutil
import sys
from pathlib import Path

import click

from scholarmind.cli.main import echo, json_option, library_option


@click.command("mcp")
@click.option("--stdio", is_flag=True, help="Be the server, over standard input and output. Programs start it so.")
@click.option("--address", default="http://127.0.0.1:8000", show_default=True, help="Of a service that runs.")
@library_option
@json_option
def command(stdio: bool, address: str, library: str | None, as_json: bool) -> None:
    """Print what to paste into programs that speak the Model Context Protocol, so that they can ask the library."""
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    settings = Settings.load(library=library)
    if stdio:
        _serve(library)
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


def _serve(library: str | None) -> None:
    from scholarmind.errors import MissingExtraError  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415

    try:
        import asyncio  # noqa: PLC0415

        from scholarmind.service.mcp_server import over_stdio  # noqa: PLC0415
        from scholarmind.service.metrics import log_as_lines  # noqa: PLC0415
        from scholarmind.service.state import Limits, Service, Serving  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("serve", error) from error
    log_as_lines(quiet=True)
    service = Service(Settings.load(library=library), Serving(alone=False, limits=Limits(grace=1.0)))
    try:
        asyncio.run(over_stdio(service))
    finally:
        service.close()
