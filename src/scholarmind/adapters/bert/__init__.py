"""The network that the bundled embedder and the bundled reader have in common, written in code for onnxruntime."""
