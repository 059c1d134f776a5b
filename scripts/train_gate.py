"""Train the gate's classifier: logistic regression on what is counted in a question and on its vector, with numpy only.

python scripts/train_gate.py --data DIR

DIR holds a folder with `queries.jsonl` for each family of questions. Writes the weights beside `gate_model.py` and prints which
families they were made from. Composite families that the gate is judged by are never among them; for the simple ones `bench/gate.py`
trains again without the family that it reports. What is learnt of vectors is held down hard: on families held out, they carry the
topics of a set rather than how many things are asked.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.minilm import MiniLM
from scholarmind.planning import gate_model
from scholarmind.planning.gate_features import features
from scholarmind.planning.gate_model import GateModel, Head
from scholarmind.planning.gate_text import gate_text

Array = npt.NDArray[np.float64]
SIMPLE = {"webquestions_simple": 1.0, "nq_open_simple": 1.0, "squad2_500": 1.0, "cmrc2018_500": 0.3}
COMPOSITE = {
    "break_tune/CWQ": 1.0,
    "break_tune/DROP": 0.6,
    "strategyqa_tune": 0.3,
    "break_tune/SPIDER": 0.15,
    "scholarqa_cs_tune": 0.15,
}
REAL_STEPS = (
    3  # of QDMR: what selects and what filters is one look-up; other parts of it ask about pictures and flights
)
DIRECTIONS = 32  # of the vectors, those along which the questions differ most
HOLD_WORDS, HOLD_VECTOR = (
    1_000.0,
    10_000.0,
)  # strength of the pull towards nothing; with less, sets are told apart by their style
WEIGHT = 1_000.0  # of each side, whatever the number of its questions
UNKNOWN_LIMIT = 0.2  # a question with more unknown tokens has no sensible vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Questions of one origin: what is counted in them, and their vectors (rows of zeros where there is no sensible one)."""

    counted: Array
    vectors: Array
    sensible: npt.NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the question sets")
    parser.add_argument("--output", type=Path, default=Path(gate_model.__file__).with_name(gate_model.WEIGHTS))
    arguments = parser.parse_args()
    model = train({name: load(arguments.data, name) for name in (*SIMPLE, *COMPOSITE)})
    arguments.output.write_text(model.dump(), encoding="utf-8")
    sys.stdout.write(f"{arguments.output.name}: {arguments.output.stat().st_size} bytes, trained on\n")
    for side, families in (("simple", SIMPLE), ("composite", COMPOSITE)):
        sys.stdout.writelines(f"  {side}: {name} (weight {weight})\n" for name, weight in families.items())


def load(data: Path, name: str) -> Family:
    """Read a family; `break_tune/CWQ` is the part of that origin, of which only questions of several real steps are taken."""
    folder, _, origin = name.partition("/")
    lines = (data / folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return family([row["question"] for row in map(json.loads, lines) if not origin or taken(row, origin)])


def taken(row: Mapping[str, object], origin: str) -> bool:
    """Tell whether a question of QDMR is of this origin and needs several real steps."""
    steps = row["n_steps"]
    return row["origin"] == origin and isinstance(steps, int) and steps >= (2 if origin == "CWQ" else REAL_STEPS)


def family(questions: Iterable[str]) -> Family:
    """Count and embed questions, each also without capitals: that users write them, or not, must not matter."""
    both = [form for question in questions for form in (question, question.lower())]
    made = asyncio.run(MiniLM().embed(both))
    return Family(
        counted=np.array([features(gate_text(question)) for question in both]),
        vectors=made.vectors.astype(np.float64),
        sensible=np.array(made.unknown) <= UNKNOWN_LIMIT,
    )


def train(families: Mapping[str, Family], without: Collection[str] = ()) -> GateModel:
    """Return a model made from all the families but these."""
    used = [name for name in families if name not in without]
    sides = {name: SIMPLE.get(name, COMPOSITE.get(name, 0.0)) for name in used}
    composite = np.concatenate([np.full(len(families[name].counted), float(name in COMPOSITE)) for name in used])
    share = np.concatenate(
        [np.full(len(families[name].counted), sides[name] / len(families[name].counted)) for name in used]
    )
    counted = np.vstack([families[name].counted for name in used])
    sensible = np.concatenate([families[name].sensible for name in used])
    vectors = np.vstack([families[name].vectors for name in used])[sensible]
    words = _regress(counted, np.zeros((len(counted), 0)), composite, share)
    meaning = _regress(counted[sensible], vectors, composite[sensible], share[sensible])
    return GateModel(words=words, meaning=meaning, fingerprint=MiniLM().fingerprint, families=tuple(used))


def _regress(counted: Array, vectors: Array, composite: Array, share: Array) -> Head:
    """Return the weights of a regression, written for numbers as they come."""
    directions = _directions(vectors)
    raw = np.hstack([counted, vectors @ directions])
    center, spread = raw.mean(0), np.maximum(raw.std(0), 0.05)
    count = counted.shape[1]
    if directions.shape[1]:
        spread[count:] = spread[count:].mean()
    held = np.full(raw.shape[1], HOLD_WORDS)
    held[count:] = HOLD_VECTOR
    fitted = _newton((raw - center) / spread, composite, _balanced(composite, share), held)
    weights = fitted[:-1] / spread
    vector = directions @ weights[count:]
    scale = float(np.abs(vector).max() / 127) if vector.any() else 0.0
    return Head(
        counted=tuple(round(float(weight), 5) for weight in weights[:count]),
        bias=round(float(fitted[-1] - center @ weights), 5),
        vector=tuple(int(value) for value in np.rint(vector / scale)) if scale else (),
        scale=scale,
    )


def _directions(vectors: Array) -> Array:
    if not vectors.shape[1]:
        return np.zeros((0, 0))
    return np.linalg.svd(vectors - vectors.mean(0), full_matrices=False)[2][:DIRECTIONS].T


def _balanced(composite: Array, share: Array) -> Array:
    sides = partial(np.where, composite == 1)
    return WEIGHT * share / sides(share[composite == 1].sum(), share[composite == 0].sum())


def _newton(points: Array, wanted: Array, weights: Array, held: Array) -> Array:
    """Fit by Newton's method; the last weight is the bias, which nothing holds."""
    points = np.hstack([points, np.ones((len(points), 1))])
    pull = np.append(held, 1e-6)
    fitted = np.zeros(points.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-points @ fitted))
        slope = points.T @ (weights * (chance - wanted)) + pull * fitted
        bend = (points * (weights * np.maximum(chance * (1 - chance), 1e-6))[:, None]).T @ points + np.diag(pull)
        step = np.linalg.solve(bend, slope)
        fitted -= step
        if np.abs(step).max() < 1e-6:
            break
    return fitted


if __name__ == "__main__":
    main()
