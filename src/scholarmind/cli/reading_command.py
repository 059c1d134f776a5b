import click


@click.command("next")
def next_command() -> None:
    """Soon."""
