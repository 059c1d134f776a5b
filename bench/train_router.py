"""Whether `export --training router` is worth something: a small classifier trained on it, against the router by rules.

python bench/train_router.py --data DIR [--most 200]

DIR holds the evaluation sets. Questions of several families are asked of real libraries, without a key, each in the ways that its
annotation knows: as one search, and where annotators gave several steps also by a plan of these steps; talk, general knowledge and
writing (made up here) also without a search. A person is played who rates a way good that has what the annotators gave, and bad
otherwise. What is exported then trains logistic regression on the question's vector, its plan, its signs and the word of the rules,
without the family that is reported; how sure it must be to overrule the rules is found in the same way among the others. Nothing of
the sets is kept. The columns: `rules` is the router by rules, `gate` the same with the classifier that is shipped, which was trained
on some of these sets and so has an advantage here.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scholarmind import Library, Plan, SubQuestion
from scholarmind.adapters.e5.question_reader import E5Gate
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.adapters.minilm import MiniLM
from scholarmind.blocking import run
from scholarmind.evaluation.training_data import WAYS
from scholarmind.planning.question_gate import QuestionGate, judge
from scholarmind.planning.rule_planner import KeylessPlanner, RulePlanner
from scholarmind.ports import Look
from scholarmind.strategies.roadmap_router import is_general, weigh

SETS = {  # those with a corpus have their own library
    "nq_open_simple": False,
    "webquestions_simple": False,
    "squad2_500": True,
    "musique_100": True,
    "hotpotqa_100": True,
    "strategyqa_tune": False,
    "break_tune": False,
}
TALK = (
    "Hello there", "Good morning!", "Thanks a lot, that helped", "How are you today?", "What is your name?", "Who made you?",
    "Can you help me?", "You are great", "I am bored", "See you tomorrow", "Do you like music?", "What can you do?", "Are you a robot?",
    "Nice to meet you", "Good night", "Sorry, my mistake", "That was not what I meant", "Do you sleep?", "Tell me something nice",
    "I feel sad today", "Haha, very funny", "Let us start over", "Okay, never mind", "What is your favourite colour?", "How old are you?",
    "Are you there?", "I love you", "Please be brief from now on", "Can we talk?", "Happy new year!",
)  # fmt: skip
COUNTRIES = "France Japan Brazil Egypt Norway Kenya Peru India Canada Greece Poland Chile".split()
THINGS = "day week hour year kilometre dozen century litre".split()
ANIMALS = "spider horse octopus dog bee crab".split()
SUBJECTS = "spring|my cat|the sea|a birthday|our new office|winter evenings|a lost umbrella|coffee".split("|")
PIECES = ("a short poem", "a limerick", "a haiku", "a polite e-mail", "a toast", "three slogans", "a two-line joke")
WORDS = "bread friend house water tomorrow library".split()
LANGUAGES = ("German", "Spanish", "French", "Italian")
ASKS_YES_OR_NO = frozenset("is are was were do does did can could will would should has have had".split())
SHAKES = 10_000
STEPS, RATE, DECAY, DIRECTIONS = 150, 0.05, 3e-3, 24
SURE = (0.0, 0.5, 0.6, 0.7, 0.8, 1.1)  # of which the last never overrules


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the steps that annotators gave; none where it needs no documents."""

    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Questions with the labels that the export gave them."""

    name: str
    questions: tuple[str, ...]
    labels: tuple[int, ...]


def questions_of(folder: Path, most: int) -> list[Question]:
    """Return some of a set's questions."""
    titles = {}
    if (folder / "corpus.jsonl").exists():
        records = map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))
        titles = {record["id"]: record.get("title") or record["id"] for record in records}
    records = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    random.Random(0).shuffle(records)  # noqa: S311  (the same ones each time)
    return [Question(record["question"], _steps(record, titles)) for record in records[:most]]


def _steps(record: dict[str, Any], titles: dict[str, str]) -> tuple[str, ...]:
    """Return the annotated steps; where only passages are annotated, there is one for each of them."""
    if record.get("decomposition"):
        return tuple(step["question"] for step in record["decomposition"])
    needed = [titles.get(item["id"], item["id"]) for item in record.get("evidence") or ()]
    return tuple(f"What is known of {title}?" for title in needed) if len(needed) > 1 else (record["question"],)


def made_up() -> dict[str, list[Question]]:
    """Return the families of questions that need no documents."""
    general = [f"What is the capital of {name}?" for name in COUNTRIES]
    general += [f"Which continent is {name} in?" for name in COUNTRIES]
    general += [f"How many {small} are there in a {large}?" for large in THINGS for small in ("minutes", "metres")]
    general += [f"How many legs does a {name} have?" for name in ANIMALS]
    general += [f"What is {one} times {one + 5}?" for one in range(3, 20)]
    general += [f"Calculate {one} + {one * 7} - 4" for one in range(3, 12)]
    writing = [f"Write {piece} about {subject}" for piece in PIECES for subject in SUBJECTS]
    writing += [f"Translate '{word}' into {language}" for word in WORDS for language in LANGUAGES]
    texts = {"talk (made up)": list(TALK), "general (made up)": general, "writing (made up)": writing}
    return {name: [Question(text, ()) for text in found] for name, found in texts.items()}


def asked(library: Library, question: Question) -> None:
    """Ask in the ways that the annotation knows, and rate each."""
    whole = (SubQuestion(id=1, text=question.text),)
    ways: list[tuple[Plan, bool]] = []
    if not question.steps:
        ways.append((_plan(question.text, whole, own="I know that."), True))
    elif len(question.steps) == 1:
        ways.append((_plan(question.text, whole), True))
    else:
        ways = [(_plan(question.text, whole), False), (_plan(question.text, _parts(question.steps)), True)]
    for plan, good in ways:
        answer = library.ask(plan=plan)
        run(library.runs.rate(answer.run, good=good))


def _plan(text: str, parts: tuple[SubQuestion, ...], own: str = "") -> Plan:
    complexity = "composite" if len(parts) > 1 else "simple"
    return Plan(
        question=text,
        parts=parts,
        complexity=complexity,
        reason="",
        decided_by="user",
        retrieval=not own,
        own_answer=own,
    )


def _parts(steps: Sequence[str]) -> tuple[SubQuestion, ...]:
    return tuple(SubQuestion(id=number, text=text) for number, text in enumerate(steps, 1))


def family(name: str, questions: Sequence[Question], corpus: Path | None) -> Family:
    """Ask a family's questions of a library of its own, and return what the export makes of them."""
    with tempfile.TemporaryDirectory(prefix="scholarmind-router-") as folder:
        place = Path(folder) / "library"
        note = Path(folder) / "note.md"
        note.write_text("A library of notes on many things, all of them short.\n")
        with Library.open(place, embedder="none", effort="keyless") as library:
            library.add(corpus or note)
            for question in questions:
                asked(library, question)
        command = [Path(sys.executable).with_name("scholarmind"), "export", "--training", "router", "--library", place]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    texts = tuple(line["messages"][1]["content"].rpartition("<question ")[2].split("\n")[1] for line in lines)
    return Family(name, texts, tuple(WAYS.index(line["label"]) for line in lines))


@dataclass(frozen=True, slots=True)
class Seen:
    """What the classifier sees of a family's questions: their vectors, their signs, and what the rules say."""

    vectors: npt.NDArray[np.float64]
    signs: npt.NDArray[np.float64]
    ruled: npt.NDArray[np.int64]


def seen(questions: Sequence[str], embedder: MiniLM, ruled: Sequence[int]) -> Seen:
    """Look at questions."""
    vectors = np.concatenate([embedder.encode([text]).vectors for text in questions]).astype(float)
    signs = np.array([_signs(text) for text in questions])
    return Seen(vectors, signs, np.array(ruled))


def _signs(text: str) -> list[float]:
    plan = RulePlanner().plan(text, ())
    parts = [min(len(plan.parts), 5), any(part.depends_on for part in plan.parts), judge(text, ()).probability]
    return [
        *parts,
        is_general(text),
        text.rstrip().endswith(("?", "？")),
        text.split(" ", maxsplit=1)[0].lower() in ASKS_YES_OR_NO,
    ]


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression on the main directions of the vectors, the signs, and the word of the rules."""

    middle: npt.NDArray[np.float64]
    directions: npt.NDArray[np.float64]
    scale: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    weights: npt.NDArray[np.float64]

    def says(self, family: Seen, sure: float) -> npt.NDArray[np.int64]:
        """Return the way of each question: what the rules say, unless the model is as sure as this of another."""
        chances = _chances(_inputs(family, self) @ self.weights)
        return np.where(chances.max(1) >= sure, chances.argmax(1), family.ruled)


def _inputs(family: Seen, model: Model) -> npt.NDArray[np.float64]:
    middle, spread = model.scale
    signs = np.clip((family.signs - middle) / spread, -3, 3) / 2
    along = (family.vectors - model.middle) @ model.directions * 3
    return np.hstack([along, signs, np.eye(len(WAYS))[family.ruled], np.ones((len(along), 1))])


def _chances(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    raised = np.exp(scores - scores.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def trained(families: Sequence[Family], looks: Sequence[Seen]) -> Model:
    """Return the model of these families."""
    vectors, signs = (np.vstack([getattr(look, name) for look in looks]) for name in ("vectors", "signs"))
    middle = vectors.mean(0)
    directions = np.linalg.eigh(np.cov(vectors.T))[1][:, ::-1][:, :DIRECTIONS]
    scale = (signs.mean(0), signs.std(0) + 1e-6)
    model = Model(middle, directions, scale, np.zeros(0))
    x = np.vstack([_inputs(look, model) for look in looks])
    wanted = np.eye(len(WAYS))[[label for member in families for label in member.labels]]
    weights = _descend(x, wanted, balanced(families))
    return Model(middle, directions, scale, weights)


def _descend(
    x: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the weights of logistic regression, by Adam."""
    found = np.zeros((x.shape[1], wanted.shape[1]))
    first, second = found.copy(), found.copy()
    for step in range(1, STEPS + 1):
        slope = x.T @ ((_chances(x @ found) - wanted) * weight[:, None]) + DECAY * found
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        found -= RATE * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return found


def balanced(families: Sequence[Family]) -> npt.NDArray[np.float64]:
    """Return weights by which each way, and in it each family, counts as much as another; together 1."""
    names = [(label, member.name) for member in families for label in member.labels]
    several = Counter(names)
    with_label = Counter(label for label, _ in several)
    weights = np.array([1 / (several[name] * with_label[name[0]]) for name in names])
    return weights / weights.sum()


def how_sure(families: Sequence[Family], looks: Sequence[Seen]) -> float:
    """Return how sure the model has to be to overrule the rules: what is best for each of these families without itself."""
    right = dict.fromkeys(SURE, 0.0)
    for held, member in enumerate(families):
        model = trained(*(_without(items, held) for items in (families, looks)))
        for sure in SURE:
            right[sure] += float((model.says(looks[held], sure) == member.labels).mean())
    return max(SURE, key=lambda sure: right[sure])


def _without(items: Sequence[Any], held: int) -> list[Any]:
    return [item for place, item in enumerate(items) if place != held]


def by_rules(questions: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return what the router by rules says: by rules alone, and with the gate that is shipped (it knows some of these sets)."""

    def way(text: str, *, composite: bool) -> int:
        return WAYS.index(weigh(text, composite=composite).action.verb)

    shipped = KeylessPlanner(gate=QuestionGate(reader=E5Gate(E5Reader())))
    plans = [RulePlanner().plan(text, ()) for text in questions]
    alone = [
        way(text, composite=len(plan.parts) > 1 or judge(text, ()).complexity == "composite")
        for text, plan in zip(questions, plans, strict=True)
    ]
    gated = [way(text, composite=run(shipped.plan(text, Look())).complexity == "composite") for text in questions]
    return alone, gated


def told_of(hits: Sequence[npt.NDArray[np.float64]]) -> str:
    """Return the mean over families, its 95 % interval for other questions of these families, and that for other families."""
    random_numbers = np.random.default_rng(0)
    means = np.stack([random_numbers.choice(each, (SHAKES, len(each))).mean(1) for each in hits], 1)
    chosen = random_numbers.integers(0, len(hits), means.shape)
    others = np.take_along_axis(means, chosen, 1)
    low, high = np.percentile(means.mean(1), [2.5, 97.5])
    lowest, highest = np.percentile(others.mean(1), [2.5, 97.5])
    mean = np.mean([each.mean() for each in hits])
    return f"{mean:+.3f}  questions [{low:+.3f}, {high:+.3f}]  families [{lowest:+.3f}, {highest:+.3f}]"


def main() -> None:
    """Ask, export, train without each family in turn, and print what was right."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--most", type=int, default=200, help="questions of each family")
    chosen = arguments.parse_args()
    families = list(_families(chosen.data, chosen.most))
    embedder = MiniLM()
    ruled = [by_rules(member.questions) for member in families]
    looks = [seen(member.questions, embedder, words[0]) for member, words in zip(families, ruled, strict=True)]
    print(f"{'family':<22}{'n':>5}{'needs a plan':>14}{'sure':>6}{'trained':>9}{'rules':>7}{'gate':>7}")
    right: dict[str, list[npt.NDArray[np.float64]]] = {"trained": [], "rules": [], "gate": []}
    for held, member in enumerate(families):
        others = [_without(items, held) for items in (families, looks)]
        sure = how_sure(*others)
        said = trained(*others).says(looks[held], sure)
        gold = np.array(member.labels)
        for name, words in zip(right, (said, *ruled[held]), strict=True):
            right[name].append((np.array(words) == gold).astype(float))
        told = "".join(
            f"{right[name][-1].mean():>{width}.3f}" for name, width in (("trained", 9), ("rules", 7), ("gate", 7))
        )
        print(
            f"{member.name:<22}{len(gold):>5}{(gold == WAYS.index('Planning')).mean():>14.2f}{sure:>6.1f}{told}",
            flush=True,
        )
    for name, hits in right.items():
        print(f"{name:<16} {told_of(hits)}")
    for other in ("rules", "gate"):
        pairs = [mine - theirs for mine, theirs in zip(right["trained"], right[other], strict=True)]
        print(f"trained - {other:<6} {told_of(pairs)}")


def _families(data: Path, most: int) -> Iterator[Family]:
    for name, has_corpus in SETS.items():
        corpus = data / name / "corpus.jsonl" if has_corpus else None
        yield family(name, questions_of(data / name, most), corpus)
    for name, questions in made_up().items():
        yield family(name, questions[:most], None)


if __name__ == "__main__":
    main()
