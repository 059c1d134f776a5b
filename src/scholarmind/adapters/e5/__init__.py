"""Readers and an embedder over multilingual-e5-small: onnxruntime and numpy, no torch, no hub, no file but what the build bundled."""
