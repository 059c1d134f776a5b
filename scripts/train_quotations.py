"""Learn how much each sign of a sentence counts where quotations are chosen (`scholarmind.writing.quotations`).

python scripts/train_quotations.py [COLLECTION ...]

A COLLECTION is a folder as `bench/natural.py` takes it; ours are those of `bench/judged` but for the last two, which are kept for reading.
Of the sentences found for a question, those that the questions' author took for evidence are made likelier than the others (a softmax over
them). Prints, for each collection left out, how often the likeliest one and one of the likeliest three is evidence, and the weights of
all, with a reader and without.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scholarmind import Library
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.identity import letters_of
from scholarmind.model import Evidence
from scholarmind.text.analysis import terms
from scholarmind.writing.evidence_sentences import is_prose, read_question, scenes
from scholarmind.writing.quotations import likely_in, signs_of

Bag = tuple[list[dict[str, float]], list[bool]]  # the signs of each sentence, and whether it is evidence
READER = E5Reader()
_MOST, _LETTERS, _RIDGE, _STEPS, _RATE = 60, 40, 0.02, 600, 0.05


def bags_of(collection: Path) -> Iterator[Bag]:
    """Ask every question that can be answered, and yield what was found."""
    with tempfile.TemporaryDirectory() as place, Library.open(Path(place) / "library", effort="keyless") as library:
        library.add(collection / "documents")
        for line in (collection / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            query = json.loads(line)
            if query["answerable"]:
                found = library.ask(query["question"]).evidence
                rarity = asyncio.run(library.store.rarity(sorted(terms(query["question"]))))
                yield bag(query["question"], found, rarity, [letters_of(words) for words in query["evidence"]])


def bag(question: str, found: Sequence[Evidence], rarity: dict[str, float], wanted: Sequence[str]) -> Bag:
    ask = read_question(question, rarity, found)
    given = [scene for scene in scenes(ask, found, most=_MOST) if is_prose(scene.text)]
    likely = likely_in(question, found, given, READER)
    texts = [letters_of(scene.text) for scene in given]
    return (
        [signs_of(ask, scene, likely(scene)) for scene in given],
        [any(words[:_LETTERS] in text or text in words for words in wanted) for text in texts],
    )


def fit(bags: Sequence[Bag], names: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the weights of the signs so named, under which evidence is likeliest."""
    sets = [(table(signs, names), np.array(right)) for signs, right in bags if any(right)]
    spread = np.vstack([values for values, _ in sets]).std(axis=0) + 1e-6
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        slope = _RIDGE * weights
        for values, right in sets:
            share = np.exp(values / spread @ weights - (values / spread @ weights).max())
            share /= share.sum()
            slope -= (share * right / (share @ right) - share) @ (values / spread) / len(sets)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights = weights - _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights / spread


def table(signs: Sequence[dict[str, float]], names: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.array([[one[name] for name in names] for one in signs])


def main() -> None:
    ours = sorted((Path(__file__).parents[1] / "bench" / "judged").glob("natural_*"))
    ours = [folder for folder in ours if not folder.name.endswith("_5")]
    sets = {folder.name: list(bags_of(folder)) for folder in [Path(one) for one in sys.argv[1:]] or ours}
    names = list(next(signs[0] for bags in sets.values() for signs, _ in bags if signs))
    for left, bags in sets.items():
        weights = fit([one for name, others in sets.items() if name != left for one in others], names)
        ranks = [np.array(right)[np.argsort(-table(signs, names) @ weights)] for signs, right in bags if signs]
        first, three = (sum(bool(right[:count].any()) for right in ranks) / len(bags) for count in (1, 3))
        print(f"{left}: {len(bags)} questions, first {first:.2f}, of three {three:.2f}")
    every = [one for bags in sets.values() for one in bags]
    for told, used in (("with a reader", names), ("by words", [name for name in names if name != "odds"])):
        print(told, {name: round(float(weight), 2) for name, weight in zip(used, fit(every, used), strict=True)})


if __name__ == "__main__":
    main()
