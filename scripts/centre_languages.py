"""Measure what the vectors of all English, and of all Chinese, questions and passages have in common; write adapters/e5/languages.npz.

python scripts/centre_languages.py

From the texts and questions in scripts/reader_data, which are on all kinds of things.
"""

import json
from pathlib import Path

import numpy as np

from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.adapters.e5.second_embedder import LANGUAGES, E5Embedder

TEXTS = Path(__file__).parent / "reader_data"


def main() -> None:
    """Write the mean vector of each side in each language."""
    reader = E5Reader()
    found: dict[str, list[str]] = {
        f"{side}_{language}": [] for side in ("query", "passage") for language in ("en", "zh")
    }
    for file in sorted(TEXTS.glob("*.jsonl")):
        language, between = ("zh", "") if "_zh_" in file.name else ("en", " ")
        for text in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            found[f"passage_{language}"].append(f"{text['title']}\n{between.join(text['sentences'])}")
            found[f"query_{language}"] += [one["q"] for one in text["answerable"]]
    embedders = {side: E5Embedder(reader, side) for side in ("query", "passage")}
    means = {name: embedders[name.partition("_")[0]].plain(texts).vectors.mean(0) for name, texts in found.items()}
    np.savez(LANGUAGES, **means)
    print({name: len(texts) for name, texts in found.items()})


if __name__ == "__main__":
    main()
