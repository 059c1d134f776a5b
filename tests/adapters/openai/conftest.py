"""Every test of the client talks to a real server on this machine."""

import pytest

from scholarmind.adapters.openai.connection import Endpoint, Patience
from scholarmind.calls import PromptMessage, Request


@pytest.fixture
def patience() -> Patience:
    """Short pauses; time enough for everything else."""
    return Patience(first_pause=0.01, longest_pause=0.05)


@pytest.fixture
def endpoint(patience: Patience):
    """Make an endpoint of a base URL."""

    def made(base_url: str, **options: object) -> Endpoint:
        return Endpoint(**{"base_url": base_url, "model": "m", "patience": patience, **options})  # type: ignore[arg-type]

    return made


@pytest.fixture
def request_of():
    """Make a request."""

    def made(text: str = "How are you?", **options: object) -> Request:
        messages = (PromptMessage("system", "Be kind."), PromptMessage("user", text))
        return Request(**{"purpose": "answer", "task": "generation", "messages": messages, **options})  # type: ignore[arg-type]

    return made
