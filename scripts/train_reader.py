"""Train the reader of answers: the upper three layers of the embedder's network, and a head, on pairs of a question and a sentence.

pip install torch==2.13.0
python scripts/train_reader.py [--squad DIR] CHECKPOINT.pt && python scripts/pack_reader.py CHECKPOINT.pt

Learnt from `scripts/reader_data`: 260 texts in our own words, each with five questions that it answers, the sentences that answer them
marked, and five that it does not. With --squad also from 500 questions of SQuAD 2.0 (CC BY-SA 4.0), as `scholarmind evaluate` takes them.
A sentence that answers is a yes; the others of its text, and all sentences for a question that is not answered, are noes.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scholarmind.adapters.minilm.encoder import WEIGHTS
from scholarmind.adapters.minilm.network import DIMENSION, HEADS, LAYERS, read_safetensors
from scholarmind.adapters.minilm.wordpiece import WordPiece
from scholarmind.text.sentences import sentences

Example = tuple[str, str, float]  # a question, a sentence, and whether it answers
DATA = Path(__file__).parent / "reader_data"
TRAINED = (3, 4, 5)
EPOCHS, BATCH, NOES = 4, 24, 2
DROPPED = 0.1


class Pairs(nn.Module):
    """The embedder's network over two texts at once."""

    def __init__(self) -> None:
        super().__init__()
        arrays = read_safetensors(WEIGHTS / "model.safetensors")
        self.p = nn.ParameterDict(
            {
                name.replace(".", "|"): nn.Parameter(
                    torch.tensor(np.array(array)), requires_grad=any(f"layer.{one}." in name for one in TRAINED)
                )
                for name, array in arrays.items()
                if array.dtype.kind == "f" and "pooler" not in name
            }
        )
        self.head = nn.Linear(DIMENSION + 1, 1)
        with torch.no_grad():  # at first it goes by the likeness of the two texts alone
            self.head.weight.zero_()
            self.head.weight[0, -1] = 8.0
            self.head.bias.fill_(-6.0)

    def of(self, name: str) -> torch.Tensor:
        return self.p[name.replace(".", "|")]

    def linear(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(hidden, self.of(f"{name}.weight"), self.of(f"{name}.bias"))

    def normed(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.of(f"{name}.LayerNorm.weight"), self.of(f"{name}.LayerNorm.bias")
        return functional.layer_norm(hidden, (DIMENSION,), weight, bias, 1e-12)

    def forward(self, ids: torch.Tensor, there: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        rows, length = ids.shape
        hidden = self.of("embeddings.word_embeddings.weight")[ids]
        hidden = hidden + self.of("embeddings.position_embeddings.weight")[:length][None]
        hidden = self.normed(hidden + self.of("embeddings.token_type_embeddings.weight")[kinds], "embeddings")
        mask = torch.where(there, 0.0, -1e9)[:, None, None, :]
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            query, key, value = (
                self.linear(hidden, f"{name}.attention.self.{part}").view(rows, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = ((query @ key.transpose(-1, -2)) / query.shape[-1] ** 0.5 + mask).softmax(-1) @ value
            mixed = self.linear(seen.transpose(1, 2).reshape(rows, length, -1), f"{name}.attention.output.dense")
            hidden = self.normed(self.dropped(mixed) + hidden, f"{name}.attention.output")
            wide = functional.gelu(self.linear(hidden, f"{name}.intermediate.dense"))
            hidden = self.normed(self.dropped(self.linear(wide, f"{name}.output.dense")) + hidden, f"{name}.output")
        one, other = (self.mean(hidden, there & (kinds == kind)) for kind in (0, 1))
        likeness = functional.cosine_similarity(one, other)[:, None]
        return self.head(torch.cat([self.dropped(self.mean(hidden, there)), likeness], 1))[:, 0]

    def mean(self, hidden: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        share = which[..., None].float()
        return (hidden * share).sum(1) / share.sum(1)

    def dropped(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.dropout(hidden, DROPPED, self.training)


def with_context(title: str, told: Sequence[str], place: int) -> str:
    """Return a sentence behind the title of its text; a short one also behind the end of the sentence before."""
    before = f"{told[place - 1][-80:]} " if place and len(told[place]) < 60 else ""
    return f"{title}: {before}{told[place]}" if title else before + told[place]


def own_questions() -> Iterator[list[Example]]:
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = json.loads(line)
            shown = [with_context(text["title"], text["sentences"], place) for place in range(len(text["sentences"]))]
            for asked in text["answerable"]:
                yield [(asked["q"], one, float(place in asked["in"])) for place, one in enumerate(shown)]
            for question in text["unanswerable"]:
                yield [(question, one, 0.0) for one in shown]


def squad_questions(folder: Path) -> Iterator[list[Example]]:
    records = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {record["id"]: record for record in records}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        text = texts[query["evidence"][0]["id"]]
        told = [text["text"][start:end] for start, end in sentences(text["text"])]
        answers = [] if query["answer"]["is_impossible"] else [one for one in query["answer"]["answers"] if one]
        yield [
            (
                query["question"],
                with_context(text["title"], told, place),
                float(any(answer in told[place] for answer in answers)),
            )
            for place in range(len(told))
        ]


def batch_of(examples: Sequence[Example], tokenizer: WordPiece) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows = [(tokenizer.encode(question, 48), tokenizer.encode(text, 110)[1:]) for question, text, _ in examples]
    length = max(len(one) + len(other) for one, other in rows)
    ids, kinds = (torch.zeros(len(rows), length, dtype=torch.long) for _ in range(2))
    there = torch.zeros(len(rows), length, dtype=torch.bool)
    for row, (one, other) in enumerate(rows):
        end = len(one) + len(other)
        ids[row, :end], there[row, :end], kinds[row, len(one) : end] = torch.tensor(one + other), True, 1
    return ids, there, kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--squad", type=Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311
    questions = [*own_questions(), *(squad_questions(options.squad) if options.squad else ())]
    network, tokenizer = Pairs(), WordPiece(WEIGHTS / "vocab.txt")
    layers = [value for name, value in network.named_parameters() if value.requires_grad and "head" not in name]
    optimizer = torch.optim.AdamW(
        [{"params": layers, "lr": 4e-5}, {"params": network.head.parameters(), "lr": 3e-4}], weight_decay=0.01
    )
    network.train()
    for epoch in range(EPOCHS):
        chosen: list[Example] = []
        for examples in questions:
            noes = [one for one in examples if not one[2]]
            chosen += [*(one for one in examples if one[2]), *chance.sample(noes, min(NOES, len(noes)))]
        chosen.sort(key=lambda one: len(one[0]) + len(one[1]) + chance.random() * 40)
        batches = [chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for examples in batches:
            wanted = torch.tensor([one[2] for one in examples])
            found = network(*batch_of(examples, tokenizer))
            loss = functional.binary_cross_entropy_with_logits(found, wanted, weight=1 + wanted / 2)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(examples)
        print(f"epoch {epoch + 1}: loss {total / len(chosen):.3f} over {len(chosen)} pairs", flush=True)
    torch.save(network.state_dict(), options.checkpoint)


if __name__ == "__main__":
    main()
