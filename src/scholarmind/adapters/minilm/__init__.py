"""all-MiniLM-L6-v2 on onnxruntime and numpy: no torch, no hub, no file but the two that the build bundled."""

from scholarmind.adapters.minilm.embedder import MiniLM

__all__ = ["MiniLM"]
