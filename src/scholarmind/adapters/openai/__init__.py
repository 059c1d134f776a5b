"""Any server that speaks OpenAI's protocol: chat, streams, typed replies, vectors; what one cannot do is learnt from its own words."""

from scholarmind.adapters.openai.client import OpenAIModel, probe
from scholarmind.adapters.openai.connection import Endpoint, Patience

__all__ = ["Endpoint", "OpenAIModel", "Patience", "probe"]
