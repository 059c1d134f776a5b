"""Train the reader of answers: the upper layers of multilingual-e5-small and a head, on questions and texts.

pip install torch==2.13.0
python scripts/train_reader.py CHECKPOINT.pt [--set DIR ...] [--epochs N] && python scripts/train_reader.py CHECKPOINT.pt --pack

Learnt from `scripts/reader_data`: texts in our own words, English and Chinese, each with five questions that it answers, the sentences
that answer them marked, and five that it does not. A --set is one that `scholarmind evaluate` takes, whose answers are words of its
passages: SQuAD 2.0 and CMRC 2018 (500 questions of each, CC BY-SA 4.0). A text is shown in pieces of different lengths, some thinned out;
every sentence of it is a yes or a no. Half of the time one that is only like it follows, all of it noes. With --pack the difference to the
network as it was, brought down to RANK directions a matrix, goes to `adapters/e5/trained.npz`.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scholarmind.adapters.bert import DIMENSION, HEADS, read_safetensors
from scholarmind.adapters.e5 import reader
from scholarmind.adapters.e5.reader import Pieces
from scholarmind.text.analysis import sentences, terms

DATA = Path(__file__).parent / "reader_data"
FIRST = 6  # layers below it stay as they are
BATCH = 12
RATE, HEAD_RATE = 6e-5, 1e-3
LENGTHS = (45, 100, 150, 190)  # of a text, in tokens
DROPPED, LIKE, OTHER, THINNED = 0.1, 5, 0.5, 0.3
RANK = 32
MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
Text = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Example:
    """A question, a text, which of its sentences answer, and texts that are like it and do not."""

    question: str
    text: Text
    answers: tuple[float, ...]
    others: tuple[Text, ...] = ()


# -- what is learnt from


def own_examples() -> Iterator[Example]:
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            text = (found["title"], tuple(found["sentences"]))
            for asked in found["answerable"]:
                yield Example(asked["q"], text, tuple(float(place in asked["in"]) for place in range(len(text[1]))))
            for question in found["unanswerable"]:
                yield Example(question, text, (0.0,) * len(text[1]))


def examples_of(folder: Path) -> Iterator[Example]:
    records = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    texts: dict[str, Text] = {
        record["id"]: (
            record.get("title") or "",
            tuple(record["text"][start:end].strip() for start, end in sentences(record["text"])),
        )
        for record in records
    }
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        text, answer = texts[query["evidence"][0]["id"]], query["answer"]
        said = [] if answer.get("is_impossible") else [one for one in answer["answers"] if one]
        yield Example(
            query["question"], text, tuple(float(any(one in sentence for one in said)) for sentence in text[1])
        )


def with_others(examples: Sequence[Example]) -> list[Example]:
    """Add to each question the texts that share most of its rare words and are not its own."""
    texts = list(dict.fromkeys(example.text for example in examples))
    holding: dict[str, list[int]] = defaultdict(list)
    for number, (title, told) in enumerate(texts):
        for word in set(terms(" ".join((title, *told)))):
            holding[word].append(number)
    found: list[Example] = []
    for example in examples:
        shared: Counter[int] = Counter()
        for word in set(terms(example.question)):
            for number in holding.get(word, ()):
                shared[number] += np.log(len(texts) / len(holding[word]) + 0.1)
        answers = [one for one, says in zip(example.text[1], example.answers, strict=True) if says]
        near = [texts[number] for number, _ in shared.most_common(LIKE)]
        others = tuple(one for one in near if one != example.text and not set(answers) & set(one[1]))
        found.append(Example(example.question, example.text, example.answers, others))
    return found


def shown(example: Example, pieces: Pieces, chance: random.Random) -> Iterator[Example]:
    """Yield what the network is shown of an example: a piece of its text, and half of the time one of another."""
    title, told = example.text
    windows = windows_of(told, pieces, chance.choice(LENGTHS))
    places = chance.choice([one for one in windows if any(example.answers[place] for place in one)] or windows)
    if len(places) > 2 and chance.random() < THINNED:
        places = [one for one in places if example.answers[one] or chance.random() < 0.6] or places
    answers = tuple(example.answers[one] for one in places)
    yield Example(example.question, (title, tuple(told[one] for one in places)), answers)
    if example.others and chance.random() < OTHER:
        title, told = chance.choice(example.others)
        sentences = tuple(told[one] for one in chance.choice(windows_of(told, pieces, LENGTHS[-1])))
        yield Example(example.question, (title, sentences), (0.0,) * len(sentences))


def windows_of(told: Sequence[str], pieces: Pieces, most: int) -> list[list[int]]:
    """Return runs of sentences of at most so many tokens."""
    found, tokens = [[0]], 0
    for place, sentence in enumerate(told):
        length = len(pieces.encode(sentence))
        if place and tokens + length > most:
            found.append([place])
            tokens = 0
        elif place:
            found[-1].append(place)
        tokens += length
    return found


# -- the network


class Network(nn.Module):
    """The reader's network, as `adapters/e5/reader.py` runs it."""

    def __init__(self) -> None:
        super().__init__()
        self.start = reader.Layers(read_safetensors(reader.WEIGHTS / "model.safetensors"))
        self.p = nn.ParameterDict(
            {
                name.replace(".", "|"): nn.Parameter(
                    torch.tensor(np.array(array)),
                    requires_grad=name.startswith("encoder") and int(name.split(".")[2]) >= FIRST,
                )
                for name, array in self.start.items()
            }
        )
        self.head = nn.Linear(DIMENSION + 1, 1)
        self.whole = nn.Linear(DIMENSION, 1)  # whether the text answers at all
        with torch.no_grad():
            for parameter in (*self.head.parameters(), *self.whole.parameters()):
                parameter.zero_()
            self.head.weight[0, -1] = 10.0
            self.head.bias.fill_(-9.5)

    def linear(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            hidden, self.p[f"{name}.weight".replace(".", "|")], self.p[f"{name}.bias".replace(".", "|")]
        )

    def normed(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = (self.p[f"{name}.LayerNorm.{one}".replace(".", "|")] for one in ("weight", "bias"))
        return functional.layer_norm(hidden, (DIMENSION,), weight, bias, 1e-12)

    def layer(self, number: int, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows, length, _ = hidden.shape
        name = f"encoder.layer.{number}"
        query, key, value = (
            self.linear(hidden, f"{name}.attention.self.{part}").view(rows, length, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(query, key, value, mask.to(query.dtype))
        mixed = self.linear(seen.transpose(1, 2).reshape(rows, length, -1), f"{name}.attention.output.dense")
        hidden = self.normed(self.dropped(mixed) + hidden, f"{name}.attention.output")
        wide = functional.gelu(self.linear(hidden, f"{name}.intermediate.dense"))
        return self.normed(self.dropped(self.linear(wide, f"{name}.output.dense")) + hidden, f"{name}.output")

    def forward(
        self, embedded: torch.Tensor, there: torch.Tensor, asked: torch.Tensor, told: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        mask = torch.where(there, 0.0, -1e9)[:, None, None, :]
        with torch.no_grad():
            hidden = self.normed(embedded, "embeddings")
            for number in range(FIRST):
                hidden = self.layer(number, hidden, mask)
        for number in range(FIRST, reader.UPPER.stop):
            hidden = self.layer(number, hidden, mask)
        hidden = hidden.float()
        one = (hidden * asked[..., None]).sum(1) / asked.sum(1, keepdim=True)
        means = told @ hidden / told.sum(2, keepdim=True).clamp(min=1)
        likeness = functional.cosine_similarity(one[:, None], means, dim=-1)[..., None]
        return self.head(torch.cat([self.dropped(means), likeness], 2))[..., 0], self.whole(self.dropped(hidden[:, 0]))[
            :, 0
        ]

    def dropped(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.dropout(hidden, DROPPED, self.training)


def batch_of(examples: Sequence[Example], pieces: Pieces, embed: reader.E5Reader) -> tuple[torch.Tensor, ...]:
    """Return the tokens' vectors, which are there, which are the question's, and which are each sentence's; then the answers."""
    rows = [reader.laid_out(pieces, one.question, *one.text) for one in examples]
    length, most = max(len(ids) for ids, _, _ in rows), max(len(spans) for _, _, spans in rows)
    embedded = torch.zeros(len(rows), length, DIMENSION)
    there = torch.zeros(len(rows), length, dtype=torch.bool)
    asked, told, answers = (torch.zeros(len(rows), *shape) for shape in ((length,), (most, length), (most,)))
    for row, ((ids, count, spans), example) in enumerate(zip(rows, examples, strict=True)):
        embedded[row, : len(ids)] = torch.tensor(embed.embedded(ids))
        there[row, : len(ids)], asked[row, :count] = True, 1
        answers[row, : len(spans)] = torch.tensor(example.answers)
        for place, (start, end) in enumerate(spans):
            told[row, place, start:end] = 1
    return embedded, there, asked, told, answers


def train(checkpoint: Path, folders: Sequence[Path], epochs: int) -> None:
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311
    pieces, embed, network = Pieces(reader.WEIGHTS / "pieces.tsv"), reader.E5Reader(), Network()
    questions = with_others(list(own_examples()))
    questions += [one for folder in folders for one in with_others(list(examples_of(folder)))]
    plan: list[list[Example]] = []
    for _ in range(epochs):
        chosen = [one for example in questions for one in shown(example, pieces, chance)]
        chosen.sort(key=lambda one: sum(len(pieces.encode(told)) for told in one.text[1]) + chance.random() * 30)
        batches = [chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH)]
        chance.shuffle(batches)
        plan += batches
    heads = [*network.head.parameters(), *network.whole.parameters()]
    layers = [value for _, value in network.p.named_parameters() if value.requires_grad]
    groups = [{"params": layers, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    slope = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / 100) * max(0.05, 1 - step / len(plan))
    )
    network.train()
    total = 0.0
    for step, examples in enumerate(plan, 1):
        embedded, there, asked, told, answers = batch_of(examples, pieces, embed)
        with torch.autocast("cpu", torch.bfloat16):
            found, whole = network(embedded, there, asked, told)
        real = (told.sum(2) > 0).float()
        each = functional.binary_cross_entropy_with_logits(found.float(), answers, weight=1 + answers, reduction="none")
        at_all = functional.binary_cross_entropy_with_logits(whole.float(), answers.amax(1))
        loss = 2 * (each * real).sum() / real.sum() + at_all
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(layers, 1.0)
        optimizer.step()
        slope.step()
        total += loss.item()
        if step % 100 == 0:
            print(f"{step} of {len(plan)}: loss {total / 100:.3f}", flush=True)
            torch.save(network.state_dict(), checkpoint)
            total = 0.0
    torch.save(network.state_dict(), checkpoint)


def pack(checkpoint: Path) -> None:
    network = Network()
    network.load_state_dict(torch.load(checkpoint))
    heads = {
        one: (part.weight.detach().numpy(), part.bias.detach().numpy())
        for one, part in network.named_children()
        if one != "p"
    }
    kept = {
        "head.weight": np.concatenate([heads["head"][0], heads["whole"][0]], axis=1),
        "head.bias": heads["head"][1] + heads["whole"][1],
    }
    for key, value in network.p.items():
        name, after = key.replace("|", "."), value.detach().numpy()
        if not value.requires_grad:
            continue
        change = after - network.start[name]
        if name.removesuffix(".weight").split(".", 3)[-1] in MATRICES and after.ndim == 2:
            left, size, right = np.linalg.svd(change, full_matrices=False)
            root = np.sqrt(size[:RANK])
            kept[f"{name}.left"], kept[f"{name}.right"] = left[:, :RANK] * root, right[:RANK] * root[:, None]
        else:
            kept[name] = change
    np.savez_compressed(reader.TRAINED, **{name: value.astype(np.float16) for name, value in kept.items()})
    print(f"{reader.TRAINED}: {reader.TRAINED.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--set", type=Path, action="append", default=[])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--pack", action="store_true")
    options = parser.parse_args()
    if options.pack:
        pack(options.checkpoint)
    else:
        train(options.checkpoint, options.set, options.epochs)


if __name__ == "__main__":
    main()
