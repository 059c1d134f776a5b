"""Readers and an embedder over multilingual-e5-small: onnxruntime and numpy, no torch, no hub, no file but what the build bundled."""

from scholarmind.adapters.e5.entailment import E5Entailment
from scholarmind.adapters.e5.gate_network import E5Gate
from scholarmind.adapters.e5.marker import E5Marker
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.adapters.e5.second_embedder import E5Embedder

__all__ = ["E5Embedder", "E5Entailment", "E5Gate", "E5Marker", "E5Reader"]
