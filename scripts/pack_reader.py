"""Pack what was learnt of the reader of answers into `adapters/minilm/reader.npz`: eight bits a weight, with a scale for each row.

python scripts/pack_reader.py CHECKPOINT.pt      (as `scripts/train_reader.py` writes it; needs torch)
"""

import sys
from pathlib import Path

import numpy as np
import torch

from scholarmind.adapters.minilm import reader

LAYERS = ("layer.3.", "layer.4.", "layer.5.")


def main() -> None:
    state = torch.load(sys.argv[1], map_location="cpu")
    kept: dict[str, np.ndarray] = {}
    for name, value in state.items():
        plain = name.removeprefix("p.").replace("|", ".")
        array = value.numpy().astype(np.float32)
        if plain.startswith("head") or (any(layer in plain for layer in LAYERS) and array.ndim == 1):
            kept[plain] = array.astype(np.float16) if array.ndim == 1 and not plain.startswith("head") else array
        elif any(layer in plain for layer in LAYERS):
            scale = np.maximum(np.abs(array).max(axis=1, keepdims=True), 1e-8) / 127
            kept[plain] = np.clip(np.rint(array / scale), -127, 127).astype(np.int8)
            kept[f"{plain}.scale"] = scale.astype(np.float32)
    np.savez_compressed(Path(reader.__file__).with_name("reader.npz"), **kept)


if __name__ == "__main__":
    main()
