"""The command line. Only click is imported before a command runs: `--help` must be there at once."""

from scholarmind.cli.main import main

__all__ = ["main"]
