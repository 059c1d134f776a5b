"""What tests of ScholarMind, and of programs built on it, use in place of models: real code, small and predictable.

Recording and replaying what a real server says is in `scholarmind.testing.replay`, which needs the HTTP client.
"""

from scholarmind.testing.model_servers import Call, EmbeddingServer, HashEmbedder, Logged, RerankServer, ServerReply
from scholarmind.testing.scripted import Fault, Interrupted, MemoryJournal, ScriptedModel, ScriptedServer

__all__ = [
    "Call",
    "EmbeddingServer",
    "Fault",
    "HashEmbedder",
    "Interrupted",
    "Logged",
    "MemoryJournal",
    "RerankServer",
    "ScriptedModel",
    "ScriptedServer",
    "ServerReply",
]
