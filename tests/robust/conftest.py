"""No process that a test started outlives it, however the test ends. What `bench/faults.py` asks, tests ask too."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import robustly

sys.path.append(str(Path(__file__).parents[2] / "bench"))


@pytest.fixture(autouse=True)
def _no_process_left_behind() -> Iterator[None]:
    yield
    robustly.end_all()
