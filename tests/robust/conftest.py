"""No process that a test started outlives it, however the test ends."""

from collections.abc import Iterator

import pytest
import robustly


@pytest.fixture(autouse=True)
def _no_process_left_behind() -> Iterator[None]:
    yield
    robustly.end_all()
