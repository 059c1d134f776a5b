"""Readers over multilingual-e5-small: onnxruntime and numpy, no torch, no hub, no file but what the build bundled."""

from scholarmind.adapters.e5.gate import E5Gate
from scholarmind.adapters.e5.reader import E5Reader

__all__ = ["E5Gate", "E5Reader"]
