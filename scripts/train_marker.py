"""Train the marker of questions: upper layers of multilingual-e5-small and heads for what it marks.

pip install torch==2.13.0
OMP_NUM_THREADS=1 python scripts/train_marker.py CHECKPOINT.pt [--held N] && python scripts/train_marker.py CHECKPOINT.pt --pack

Learnt from `scripts/marked_questions` (README there) without every Nth question, which `bench/marks.py` reads. A question also comes
without capitals and end mark, and two come as one. With --pack the difference to the layers as they were, brought down to RANK
directions a matrix, goes to `adapters/e5/marks.npz`.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scholarmind.adapters.bert import DIMENSION, HEADS
from scholarmind.adapters.e5 import question_reader, reader
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.ports import Span
from scholarmind.testing.marked_questions import marked

DATA = Path(__file__).parent / "marked_questions"
EPOCHS, BATCH, RATE, HEAD_RATE, DROPPED, RANK = 8, 24, 1.5e-4, 1.5e-3, 0.1, 32
PLAINER, TOGETHER = 0.4, 1 / 6  # of the questions: without capitals and end mark, two as one
LONGEST = 600  # characters
TAGS = {"joint": 1, "role": 3, "list": 4, "outer": 3, "inner": 3, "ref": 3, "gap": 1}
HAN = re.compile("[\u4e00-\u9fff]")


# -- marked questions


@dataclass
class Example:
    """A marked question by its tokens: a tag for each and for the end, and for each pointer what it points to."""

    text: str
    places: list[Span]
    tags: dict[str, np.ndarray]
    words: list[tuple[int, int, int]]  # a token, the first and the last token that it means
    answers: list[tuple[int, int]]  # a token, and which of the asks it means the answer of
    asks: list[int]  # their first tokens

    def token(self, place: int) -> int:
        """Return the first token that begins at a character or later, or goes on beyond it."""
        numbers = (number for number, (start, end) in enumerate(self.places) if start >= place or end > place)
        return next(numbers, len(self.places))

    def tokens(self, span: Span) -> Span:
        first = last = self.token(span[0])
        while last < len(self.places) and self.places[last][0] < span[1]:
            last += 1
        return first, last

    def begin(self, name: str, span: Span) -> None:
        first, last = self.tokens(span)
        self.tags[name][first:last] = 2
        self.tags[name][first : first + 1] = 1


def example_of(line: str, network: E5Reader) -> Example:
    text, marks = marked(line)
    places = network.places(text)[: question_reader.LONGEST - 2]
    made = Example(text, places, {name: np.zeros(len(places) + 1, np.int64) for name in TAGS}, [], [], [])
    made.asks = [made.token(start) for start, _ in marks.asks]
    for start, _ in (*marks.asks, *marks.background):
        made.tags["joint"][made.token(start)] = start > 0
    for role, spans in ((1, marks.courtesy), (2, marks.background)):
        for span in spans:
            made.tags["role"][slice(*made.tokens(span))] = role
    for items in marks.lists:
        made.tags["list"][made.tokens(items[0])[0] : made.tokens(items[-1])[1]] = 3
        for item in items:
            made.begin("list", item)
    for span in marks.descriptions:
        inner = any(span != other and other[0] <= span[0] and span[1] <= other[1] for other in marks.descriptions)
        made.begin("inner" if inner else "outer", span)
    for pointer in marks.pointers:
        source = made.tokens(pointer.place)[0]
        if pointer.place[0] == pointer.place[1]:
            made.tags["gap"][source] = 1
        else:
            made.begin("ref", pointer.place)
        if pointer.ask is not None:
            made.answers.append((source, pointer.ask))
        elif pointer.words:
            first, last = made.tokens(pointer.words)
            made.words.append((source, first, last - 1))
    return made


def shown(lines: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Yield the questions, some again without capitals and end mark, and some two as one."""
    yield from lines
    for line in lines:
        plain = line.rstrip("?？。.").lower()
        if plain != line and chance.random() < PLAINER:
            yield plain
    for _ in range(int(len(lines) * TOGETHER)):
        first, second = chance.sample(lines, 2)
        chinese = bool(HAN.search(first))
        if "#" in second or "％" in first + second or chinese != bool(HAN.search(second)):
            continue
        end = "" if first.rstrip().endswith(("?", "？", ".", "。")) else "？" if chinese else "?"
        yield f"{first}{end}{'' if chinese else ' '}‖{second}"


# -- the network


class Network(nn.Module):
    """The layers and heads that `adapters/e5/question_reader.py` runs."""

    def __init__(self) -> None:
        super().__init__()
        numbers = tuple(f"encoder.layer.{number}." for number in question_reader.TRAINED_LAYERS)
        self.start = {name: array for name, array in reader.untrained().items() if name.startswith(numbers)}
        self.p = nn.ParameterDict(
            {name.replace(".", "|"): nn.Parameter(torch.tensor(np.array(array))) for name, array in self.start.items()}
        )
        self.heads = nn.ModuleDict({name: nn.Linear(DIMENSION, count) for name, count in {**TAGS, "kind": 2}.items()})
        views = ("start", "end", "ask")
        self.q = nn.ModuleDict({view: nn.Linear(DIMENSION, question_reader.WIDTH) for view in views})
        self.k = nn.ModuleDict({view: nn.Linear(DIMENSION, question_reader.WIDTH) for view in views})

    def linear(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = (self.p[f"{name}.{one}".replace(".", "|")] for one in ("weight", "bias"))
        return functional.linear(hidden, weight, bias)

    def normed(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = (self.p[f"{name}.LayerNorm.{one}".replace(".", "|")] for one in ("weight", "bias"))
        return functional.layer_norm(hidden, (DIMENSION,), weight, bias, 1e-12)

    def forward(self, hidden: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        rows, length, _ = hidden.shape
        mask = torch.where(there, 0.0, -1e9)[:, None, None, :]
        for number in question_reader.TRAINED_LAYERS:
            name = f"encoder.layer.{number}"
            query, key, value = (
                self.linear(hidden, f"{name}.attention.self.{part}").view(rows, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(query, key, value, mask)
            mixed = self.linear(seen.transpose(1, 2).reshape(rows, length, -1), f"{name}.attention.output.dense")
            hidden = self.normed(self.dropped(mixed) + hidden, f"{name}.attention.output")
            wide = functional.gelu(self.linear(hidden, f"{name}.intermediate.dense"))
            hidden = self.normed(self.dropped(self.linear(wide, f"{name}.output.dense")) + hidden, f"{name}.output")
        return self.dropped(hidden)

    def alike(self, hidden: torch.Tensor, view: str, token: int) -> torch.Tensor:
        return self.k[view](hidden) @ self.q[view](hidden[token]) / 8

    def dropped(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.dropout(hidden, DROPPED, self.training)


def loss_of(network: Network, examples: Sequence[Example], states: dict[str, np.ndarray]) -> torch.Tensor:
    length = max(len(one.places) for one in examples) + 1
    given = torch.zeros(len(examples), length, DIMENSION)
    there = torch.zeros(len(examples), length, dtype=torch.bool)
    tags = {name: torch.full((len(examples), length), -1) for name in TAGS}
    for row, one in enumerate(examples):
        count = len(one.places) + 1
        given[row, :count] = torch.tensor(states[one.text][-count:].astype(np.float32))
        there[row, :count] = True
        for name, array in one.tags.items():
            tags[name][row, :count] = torch.tensor(array)
    hidden = network(given, there)
    total = torch.zeros(())
    for name, all_wanted in tags.items():
        scores, wanted = network.heads[name](hidden)[there], all_wanted[there]
        if TAGS[name] == 1:
            weight = torch.tensor(2.0)  # they are rare
            total = total + functional.binary_cross_entropy_with_logits(scores[:, 0], wanted.float(), pos_weight=weight)
        else:
            total = total + functional.cross_entropy(scores, wanted)
    pointed: list[torch.Tensor] = []
    for row, one in enumerate(examples):
        own = hidden[row, : len(one.places) + 1]
        for source, first, last in one.words:
            pointed.append(functional.cross_entropy(network.heads["kind"](own[source]), torch.tensor(0)))
            for view, wanted in (("start", first), ("end", last)):
                pointed.append(functional.cross_entropy(network.alike(own, view, source), torch.tensor(wanted)))
        for source, ask in one.answers:
            pointed.append(functional.cross_entropy(network.heads["kind"](own[source]), torch.tensor(1)))
            scores = network.alike(own, "ask", source)[torch.tensor(one.asks)]
            pointed.append(functional.cross_entropy(scores, torch.tensor(ask)))
    return total + torch.stack(pointed).mean() / 2 if pointed else total


def train(checkpoint: Path, lines: Sequence[str]) -> None:
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311
    lower = E5Reader()
    examples = [example_of(line, lower) for line in shown(lines, chance)]
    states = {one.text: states_of(lower, one.text) for one in examples}
    network = Network()
    layers = [value for name, value in network.named_parameters() if name.startswith("p.")]
    heads = [value for name, value in network.named_parameters() if not name.startswith("p.")]
    optimizer = torch.optim.AdamW(
        [{"params": layers, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}], weight_decay=0.01
    )
    steps = EPOCHS * -(-len(examples) // BATCH)
    slope = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 80) * max(0.03, 1 - step / steps)
    )
    for epoch in range(EPOCHS):
        ordered = sorted(examples, key=lambda one: len(one.places) + chance.random() * 10)
        batches = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            loss = loss_of(network, batch, states)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            slope.step()
            total += loss.item()
        print(f"{epoch + 1} of {EPOCHS}: loss {total / len(batches):.3f}", flush=True)
        torch.save(network.state_dict(), checkpoint)


def states_of(lower: E5Reader, text: str) -> np.ndarray:
    states = lower.states(text, question_reader.LONGEST)
    if states is None:
        raise SystemExit(f"cannot be read: {text!r}")
    return states.astype(np.float16)


# -- what came of it


def packed(checkpoint: Path) -> dict[str, np.ndarray]:
    network = Network()
    network.load_state_dict(torch.load(checkpoint))
    kept: dict[str, np.ndarray] = {}
    for key, value in network.named_parameters():
        after = value.detach().numpy()
        if not key.startswith("p."):
            kept[key] = after
            continue
        name = key.removeprefix("p.").replace("|", ".")
        change = after - network.start[name]
        if change.ndim == 2:
            left, size, right = np.linalg.svd(change, full_matrices=False)
            root = np.sqrt(size[:RANK])
            kept[f"{name}.left"], kept[f"{name}.right"] = left[:, :RANK] * root, right[:RANK] * root[:, None]
        else:
            kept[name] = change
    return {name: array.astype(np.float16) for name, array in kept.items()}


def learnt(held: int) -> list[str]:
    """Return what is learnt from: of each file all questions but every so manieth, which `bench/marks.py` reads."""
    lines = [
        line
        for path in sorted(DATA.glob("*.txt"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if not held or number % held
    ]
    return [line for line in lines if 0 < len(marked(line)[0]) < LONGEST]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--held", type=int, default=6, help="keep every Nth question back; 0 for none")
    parser.add_argument("--pack", action="store_true")
    options = parser.parse_args()
    if options.pack:
        np.savez_compressed(question_reader.WEIGHTS, **packed(options.checkpoint))
        print(f"{question_reader.WEIGHTS}: {question_reader.WEIGHTS.stat().st_size / 1e6:.1f} MB")
    else:
        train(options.checkpoint, learnt(options.held))


if __name__ == "__main__":
    main()
