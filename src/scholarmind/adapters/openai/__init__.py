"""Any server that speaks OpenAI's protocol: chat, streams, typed replies, vectors; what one cannot do is learnt from its own words."""

from typing import TYPE_CHECKING, Any

from scholarmind.adapters.openai.client import OpenAIModel
from scholarmind.adapters.openai.connection import Endpoint, Patience

if TYPE_CHECKING:
    from scholarmind.adapters.openai.structured import probe

__all__ = ["Endpoint", "OpenAIModel", "Patience", "probe"]


def __getattr__(name: str) -> Any:
    """Load what only `doctor` needs when it is asked for."""
    if name != "probe":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from scholarmind.adapters.openai.structured import probe  # noqa: PLC0415

    return probe
