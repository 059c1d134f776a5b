"""What tests of ScholarMind, and of programs built on it, use in place of models: real code, small and predictable.

Recording and replaying what a real server says is in `scholarmind.testing.replay`, which needs the HTTP client.
"""

from scholarmind.testing.call_log import Logged
from scholarmind.testing.chat import Call
from scholarmind.testing.embedders import HashEmbedder
from scholarmind.testing.embedding_server import EmbeddingServer
from scholarmind.testing.faults import Fault
from scholarmind.testing.journals import MemoryJournal
from scholarmind.testing.local_server import Reply
from scholarmind.testing.models import Interrupted, ScriptedModel
from scholarmind.testing.rerank_server import RerankServer
from scholarmind.testing.scripted import ScriptedServer

__all__ = [
    "Call",
    "EmbeddingServer",
    "Fault",
    "HashEmbedder",
    "Interrupted",
    "Logged",
    "MemoryJournal",
    "Reply",
    "RerankServer",
    "ScriptedModel",
    "ScriptedServer",
]
