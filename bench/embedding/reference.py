"""Make tests/data/minilm_reference.jsonl with sentence-transformers itself. Run by bench/embedding.sh; needs its venv.

The first line says how the file was made; each other line holds a text and its vector as base64 of little-endian float16.
"""

import base64
import importlib.metadata
import json
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from texts import varied

OUTPUT = Path(__file__).parents[2] / "tests/data/minilm_reference.jsonl"


def main() -> None:
    model = SentenceTransformer(sys.argv[1], device="cpu")
    texts = varied(200)
    vectors = model.encode(texts, normalize_embeddings=True, batch_size=1)
    parts = {name: importlib.metadata.version(name) for name in ("sentence-transformers", "transformers", "torch")}
    lines = [{"made_by": "bench/embedding.sh reference", "model": "all-MiniLM-L6-v2", "with": parts, "dtype": "<f2"}]
    for text, vector in zip(texts, vectors, strict=True):
        lines.append({"text": text, "vector": base64.b64encode(vector.astype("<f2").tobytes()).decode()})
    with OUTPUT.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{len(texts)} vectors of {np.shape(vectors)[1]} numbers written to {OUTPUT.name}")


if __name__ == "__main__":
    main()
