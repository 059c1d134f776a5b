"""Train what tells whether a text says a sentence: the upper layers of multilingual-e5-small, and what holds tokens against tokens.

pip install torch==2.13.0
python scripts/train_entailment.py CHECKPOINT.pt [--minutes N] [--start CHECKPOINT.pt]
python scripts/train_entailment.py CHECKPOINT.pt --pack

Learnt from `scripts/entailment_data`: texts in our own words, English and Chinese, with statements in other words that they make and that
they do not, some in the other language (`texts_*.jsonl`), and sentences on the texts of `scripts/reader_data` in which single words are
right or wrong (`places/*.txt`). Of the latter it is known which tokens are wrong, and so it is of sentences of the texts themselves in
which code has put one number, name or word in the place of another. A sentence is taken out of a third of the texts, and what rested on it
is said no more. A thirteenth of the texts is held out (`is_held_out`): `scripts/fit_claims.py` sets the limits on them.
"""

import argparse
import json
import random
import re
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scholarmind.adapters.bert import DIMENSION, HEADS, read_safetensors
from scholarmind.adapters.e5 import reader
from scholarmind.adapters.e5.reader import Pieces

HERE = Path(__file__).parent
DATA, TEXTS = HERE / "entailment_data", HERE / "reader_data"
FIRST = reader.UPPER.start
RATE, HEAD_RATE, WARM_UP, DROPPED = 2e-4, 1e-3, 100, 0.1
TOKENS, TOGETHER, CHUNK = 3_200, 20, 400  # of a step; claims on one text; texts sorted by length at a time
WIDTH, FEATURES = 128, 96
CUT, RANK = 0.35, 64
PREFIX = len("claim: ")
PLACE, CHOICE = re.compile(r"\{([^{}]*)\}"), re.compile(r"\[([^\[\]]*)\]")
NUMBER, CAPITAL = re.compile(r"\d+(?:[.,]\d+)*"), re.compile(r"(?<![.!?。] )(?<!^)\b[A-Z][a-z]{2,}\b")
EXCHANGED = (NUMBER, CAPITAL, re.compile(r"\b[a-z]{4,}\b"), NUMBER, re.compile(r"[一-鿿]{2}"))
Text = tuple[str, tuple[str, ...]]  # title and sentences
Span = tuple[int, int]


@dataclass(frozen=True)
class Statement:
    """A sentence beside a text: whether the text says it, by which of its sentences, and which characters are known to be wrong."""

    sentence: str
    text: Text
    right: bool
    rests_on: frozenset[int] = frozenset()
    wrong: tuple[Span, ...] | None = None


# -- what is learnt from


def written() -> dict[str, dict[str, Any]]:
    """Return the texts with statements in other words, by file and line."""
    return {
        f"{path.stem}:{number}": json.loads(line)
        for path in sorted(DATA.glob("texts_*.jsonl"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
    }


def is_held_out(found: Mapping[str, Any]) -> bool:
    return zlib.crc32(found["title"].encode()) % 14 == 5


def statements(found: Mapping[str, Any]) -> Iterator[Statement]:
    text = (found["title"], tuple(found["sentences"]))
    for one in found["true"]:
        yield Statement(one["s"], text, right=True, rests_on=frozenset(one["from"]))
    for one in found["false"]:
        yield Statement(one["s"], text, right=False)


def placed(texts: Mapping[str, Mapping[str, Any]], chance: random.Random) -> Iterator[Statement]:
    """Yield what the lines of `places` come to.

    `# FILE:LINE` names the text of what follows, or several joined by `+`; `=` stands before one that is told there. {right|wrong|wrong}
    is a place: one is changed at a time, or two at once that have each other's words. [one/other] is the same either way; `-` stands
    before what is false.
    """
    for file in sorted((DATA / "places").glob("*.txt")):
        text: Text = ("", ())
        for line in filter(None, file.read_text(encoding="utf-8").splitlines()):
            mark, rest = line[:2], line[2:]
            if mark == "# ":
                some = [texts[name] for name in rest.split("+")]
                text = (some[0]["title"], tuple(sentence for one in some for sentence in one["sentences"]))
            elif mark == "= ":
                text = ("", (rest,))
            elif mark == "- ":
                yield Statement(rest, text, right=False)
            else:
                for sentence, wrong in filled(line, chance):
                    yield Statement(sentence, text, right=not wrong, wrong=wrong)


def filled(line: str, chance: random.Random) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the sentence with the right words, and one or two with wrong ones, and where these stand."""
    line = CHOICE.sub(lambda found: chance.choice(found[1].split("/")), line)
    parts, words = PLACE.sub("{}", line).split("{}"), [found.split("|") for found in PLACE.findall(line)]
    right = [some[0] for some in words]
    changes: list[dict[int, str]] = []
    joined: set[int] = set()
    for one, mine in enumerate(right):
        for other, theirs in enumerate(right[one + 1 :], one + 1):
            if mine != theirs and mine in words[other][1:] and theirs in words[one][1:]:
                joined |= {one, other}
                changes.append({one: theirs, other: mine})
    changes += [{place: word} for place, some in enumerate(words) if place not in joined for word in some[1:]]
    chance.shuffle(changes)
    for changed in ({}, *changes[: chance.randint(1, 2)]):
        told, wrong = parts[0], list[Span]()
        for place, word in enumerate(right):
            if place in changed:
                wrong.append((len(told), len(told) + len(changed[place])))
            told += changed.get(place, word) + parts[place + 1]
        yield told[:1].upper() + told[1:], tuple(wrong)


def exchanged(found: Mapping[str, Any], chance: random.Random) -> Iterator[Statement]:
    """Yield a sentence of a text as it stands, or with a number, name or word in the place of another."""
    text = (found["title"], tuple(found["sentences"]))
    place = chance.randrange(len(text[1]))
    sentence = text[1][place].strip()
    if not 15 < len(sentence) < 220:
        return
    if chance.random() < 0.4:
        yield Statement(sentence, text, right=True, rests_on=frozenset({place}), wrong=())
        return
    pattern = chance.choice(EXCHANGED)
    if not (own := list(pattern.finditer(sentence))):
        return
    match = chance.choice(own)
    others = [word for word in pattern.findall(" ".join(text[1])) if word.casefold() != match[0].casefold()]
    if pattern is NUMBER and chance.random() < 0.5:
        digits = list(match[0])
        changed = chance.choice([at for at, digit in enumerate(digits) if digit.isdigit()])
        digits[changed] = chance.choice([digit for digit in "123456789" if digit != digits[changed]])
        others = ["".join(digits)]
    if others:
        word = chance.choice(others)
        told = sentence[: match.start()] + word + sentence[match.end() :]
        yield Statement(told, text, right=False, wrong=((match.start(), match.start() + len(word)),))


def groups(
    train: Mapping[str, Mapping[str, Any]], old: Mapping[str, Mapping[str, Any]], chance: random.Random
) -> list[list[Statement]]:
    """Return statements by text, twenty at most."""
    by_text: dict[Text, list[Statement]] = defaultdict(list)
    for one in (
        *(each for found in train.values() for each in statements(found)),
        *placed(old, chance),
        *(each for found in (*old.values(), *train.values(), *train.values()) for each in exchanged(found, chance)),
    ):
        by_text[one.text].append(one)
    right = [one for some in by_text.values() for one in some if one.right]
    found: list[list[Statement]] = []
    for text, own in by_text.items():
        some, other = own, chance.choice(right)
        if len(own) > 4 and len(text[1]) > 3 and chance.random() < CUT and all(s.rests_on or not s.right for s in own):
            some = without(own, chance.randrange(len(text[1])))
        elif other.text != text:
            some = [*own, Statement(other.sentence, text, right=False)]
        chance.shuffle(some)
        found += [some[start : start + TOGETHER] for start in range(0, len(some), TOGETHER)]
    return found


def without(some: Sequence[Statement], gone: int) -> list[Statement]:
    """Return statements beside their text without one sentence; what rests on that is said no more."""
    title, told = some[0].text
    text = (title, told[:gone] + told[gone + 1 :])
    return [
        Statement(one.sentence, text, right=False)
        if one.right and gone in one.rests_on
        else replace(one, text=text, rests_on=frozenset(place - (place > gone) for place in one.rests_on))
        for one in some
    ]


def shown(text: Text) -> str:
    return f"passage: {text[0]} " + " ".join(text[1])


# -- the network


class Network(nn.Module):
    """What `adapters/e5/reader.py` runs."""

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
        self.aq, self.ak = nn.Linear(DIMENSION, WIDTH), nn.Linear(DIMENSION, WIDTH)
        self.c1, self.c2 = nn.Linear(4 * DIMENSION, FEATURES), nn.Linear(FEATURES, 1)
        self.whole, self.mean = nn.Linear(DIMENSION, 1), nn.Linear(FEATURES, 1)
        with torch.no_grad():  # at first each token looks for what is most like it
            directions, _ = torch.linalg.qr(torch.randn(DIMENSION, WIDTH))
            for part in (self.aq, self.ak):
                part.weight.copy_(directions.T * 4)
            for part in (self.aq, self.ak, self.whole, self.c2, self.mean):
                part.bias.zero_()
            self.whole.weight.zero_()
            self.mean.weight.zero_()

    def linear(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(hidden, self.p[f"{name}|weight"], self.p[f"{name}|bias"])

    def normed(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = (self.p[f"{name}|LayerNorm|{one}"] for one in ("weight", "bias"))
        return functional.layer_norm(hidden, (DIMENSION,), weight, bias, 1e-12)

    def dropped(self, hidden: torch.Tensor) -> torch.Tensor:
        if not self.training:  # one mask for the whole batch: drawing one for each row took a tenth of the time
            return hidden
        return hidden * ((torch.rand(hidden.shape[1:]) > DROPPED).to(hidden.dtype) / (1 - DROPPED))

    def parts(self, hidden: torch.Tensor, name: str) -> list[torch.Tensor]:
        rows, length, _ = hidden.shape
        return [
            self.linear(hidden, f"{name}|attention|self|{part}").view(rows, length, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        ]

    def attended(self, parts: Sequence[torch.Tensor], mask: torch.Tensor) -> torch.Tensor:
        query, key, value = parts
        rows, heads, length, size = query.shape
        seen = key.shape[2]
        # by hand: the fused attention's way back takes several times as long on a CPU
        hidden = mask.to(query.dtype)[:, None, None, :].expand(rows, heads, length, seen).reshape(-1, length, seen)
        likeness = torch.baddbmm(
            hidden,
            query.reshape(-1, length, size),
            key.reshape(-1, seen, size).transpose(1, 2),
            alpha=size**-0.5,
        )
        mixed = torch.softmax(likeness, -1) @ value.reshape(-1, seen, size)
        return mixed.view(rows, heads, length, size).transpose(1, 2).reshape(rows, length, -1)

    def after(self, hidden: torch.Tensor, attended: torch.Tensor, name: str) -> torch.Tensor:
        mixed = self.dropped(self.linear(attended, f"{name}|attention|output|dense"))
        hidden = self.normed(mixed + hidden, f"{name}|attention|output")
        wide = functional.gelu(self.linear(hidden, f"{name}|intermediate|dense"))
        return self.normed(self.dropped(self.linear(wide, f"{name}|output|dense")) + hidden, f"{name}|output")

    def lower(self, embedded: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        mask, hidden = torch.where(there, 0.0, -1e9), self.normed(embedded, "embeddings")
        for number in range(FIRST):
            name = f"encoder|layer|{number}"
            hidden = self.after(hidden, self.attended(self.parts(hidden, name), mask), name)
        return hidden

    def forward(
        self, text: torch.Tensor, text_there: torch.Tensor, own: torch.Tensor, own_there: torch.Tensor, each: int
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return a score of each statement, of each of its tokens, and which tokens of its text it looks at; `each` are on one text."""
        text_mask, own_mask = (torch.where(one, 0.0, -1e9) for one in (text_there, own_there))
        both = torch.cat([text_mask.repeat_interleave(each, 0), own_mask], 1)
        for number in range(FIRST, reader.UPPER.stop):
            name = f"encoder|layer|{number}"
            told, (query, key, value) = self.parts(text, name), self.parts(own, name)
            seen = [
                torch.cat([one.repeat_interleave(each, 0), other], 2)
                for one, other in ((told[1], key), (told[2], value))
            ]
            attended = self.attended((query, *seen), both)
            text, own = (
                self.after(text, self.attended(told, text_mask), name),
                self.after(own, attended, name),
            )
        text = text.repeat_interleave(each, 0)
        alike = self.aq(own) @ self.ak(text).transpose(1, 2) / WIDTH**0.5
        shares = torch.softmax((alike + text_mask.repeat_interleave(each, 0)[:, None]).float(), -1)
        nearest = shares.to(own.dtype) @ text.to(own.dtype)
        features = torch.cat([own, nearest, (own - nearest).abs(), own * nearest], -1)
        features = functional.gelu(self.c1(self.dropped(features))).float()
        tokens, count = self.c2(features)[..., 0], own_there.float().sum(1, keepdim=True)
        sharp = reader.SHARPNESS
        least = torch.logsumexp(-sharp * tokens.masked_fill(~own_there, 1e4), 1) - torch.log(count[:, 0])
        pooled = (features * own_there[..., None]).sum(1) / count
        score = -least / sharp + self.mean(pooled)[:, 0] + self.whole(self.dropped(own.float()[:, 0]))[:, 0]
        return score, tokens, (shares * own_there[..., None]).sum(1) / count


class Lower:
    """The states of texts after the lower layers, which stay as they are: remembered in half precision."""

    def __init__(self, network: Network, pieces: Pieces) -> None:
        self.network, self.pieces, self.embed = network, pieces, reader.E5Reader()
        self.kept: dict[tuple[str, int], torch.Tensor] = {}

    def __call__(self, texts: Sequence[str], most: int) -> tuple[torch.Tensor, torch.Tensor]:
        fresh = {text: self.ids(text, most) for text in texts if (text, most) not in self.kept}
        order = sorted(fresh, key=lambda text: len(fresh[text]))
        for start in range(0, len(order), 64):
            rows = [fresh[text] for text in order[start : start + 64]]
            embedded, there = padded([torch.tensor(self.embed.embedded(row)) for row in rows])
            was, self.network.training = self.network.training, False
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                hidden = self.network.lower(embedded, there)
            self.network.training = was
            for text, states, row in zip(order[start : start + 64], hidden, rows, strict=True):
                self.kept[text, most] = states[: len(row)].bfloat16().clone()
        return padded([self.kept[text, most].float() for text in texts])

    def ids(self, text: str, most: int) -> list[int]:
        return [self.pieces.start, *self.pieces.encode(text)[:most], self.pieces.end]


def padded(rows: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    length = max(map(len, rows))
    values, there = torch.zeros(len(rows), length, DIMENSION), torch.zeros(len(rows), length, dtype=torch.bool)
    for number, row in enumerate(rows):
        values[number, : len(row)], there[number, : len(row)] = row, True
    return values, there


# -- training


def batches(some: list[list[Statement]], pieces: Pieces, chance: random.Random) -> list[list[list[Statement]]]:
    """Return texts of like lengths together, shuffled."""

    def size(group: Sequence[Statement]) -> tuple[int, int, int]:
        longest = max(len(pieces.encode(one.sentence)) for one in group) + PREFIX
        return len(pieces.encode(shown(group[0].text))), len(group), longest

    chance.shuffle(some)
    found: list[list[list[Statement]]] = []
    for start in range(0, len(some), CHUNK):
        sized = sorted(((size(group), group) for group in some[start : start + CHUNK]), key=lambda one: one[0][1::-1])
        batch, most = list[list[Statement]](), (0, 0, 0)
        for own, group in sized:
            wide = (max(most[0], own[0]), max(most[1], own[1]), max(most[2], own[2]))
            if batch and (wide[0] + wide[1] * wide[2]) * (len(batch) + 1) > TOKENS:
                found.append(batch)
                batch, wide = [], own
            batch.append(group)
            most = wide
        found.append(batch)
    chance.shuffle(found)
    return found


def known_tokens(one: Statement, pieces: Pieces, length: int) -> torch.Tensor:
    """Return 1 for each token of a statement that is right, 0 for one that is wrong, -1 where that is not known."""
    known = torch.full((length,), -1.0)
    if one.wrong is None and not one.right:
        return known
    places = pieces.places(f"claim: {one.sentence}")[: reader.CLAIM_TOKENS]
    for number, (start, end) in enumerate(places, 1):
        if end > PREFIX:
            wrong = any(start - PREFIX < last and first < end - PREFIX for first, last in one.wrong or ())
            known[number] = float(not wrong)
    return known


def rested_on(one: Statement, pieces: Pieces, length: int) -> torch.Tensor:
    """Return 1 for the tokens of the sentences of its text that a statement rests on."""
    mask, end = torch.zeros(length), 1 + len(pieces.encode(f"passage: {one.text[0]}"))
    for place, sentence in enumerate(one.text[1]):
        start, end = end, end + len(pieces.encode(sentence))
        mask[start:end] = float(place in one.rests_on)
    return mask


def loss_of(network: Network, lower: Lower, batch: Sequence[Sequence[Statement]], pieces: Pieces) -> torch.Tensor:
    each = max(map(len, batch))
    flat = [one for group in batch for one in (*group, *[group[0]] * (each - len(group)))]
    real = torch.tensor([float(number < len(group)) for group in batch for number in range(each)])
    text = lower([shown(group[0].text) for group in batch], reader.CLAIM_TEXT_TOKENS)
    own = lower([f"claim: {one.sentence}" for one in flat], reader.CLAIM_TOKENS)
    with torch.autocast("cpu", torch.bfloat16):
        score, tokens, looked = network(*text, *own, each)
    right = torch.tensor([float(one.right) for one in flat])
    entropy = functional.binary_cross_entropy_with_logits
    whole = entropy(score, right, weight=1 + 0.6 * right, reduction="none") * real
    known = torch.stack([known_tokens(one, pieces, tokens.shape[1]) for one in flat])
    told = entropy(tokens, known.clamp(min=0), reduction="none")
    good, bad = ((known == wanted).float() * real[:, None] for wanted in (1, 0))
    by_token = 0.5 * (told * good).sum(1) / good.sum(1).clamp(min=1) + (told * bad).sum(1) / bad.sum(1).clamp(min=1)
    masks = [
        (rested_on(one, pieces, looked.shape[1]), looked[row])
        for row, one in enumerate(flat)
        if real[row] and one.rests_on
    ]
    places = [-torch.log((shares * mask).sum() + 1e-4) for mask, shares in masks if mask.any()]
    total = (1.5 * whole.sum() + 0.7 * by_token.sum()) / real.sum()
    return total + 0.3 * torch.stack(places).mean() if places else total


def train(checkpoint: Path, start: Path | None, minutes: float) -> None:
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311
    pieces, network = Pieces(reader.WEIGHTS / "pieces.tsv"), Network()
    if start:
        network.load_state_dict(torch.load(start))
    lower = Lower(network, pieces)
    old = {
        f"{path.stem}:{number}": json.loads(line)
        for path in sorted(TEXTS.glob("*.jsonl"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
    }
    own = {name: found for name, found in written().items() if not is_held_out(found)}
    heads = [value for name, value in network.named_parameters() if not name.startswith("p.")]
    layers = [value for value in network.p.parameters() if value.requires_grad]
    groups_of_rates = [{"params": layers, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups_of_rates, weight_decay=0.01)
    began, step, total, left = time.monotonic(), 0, 0.0, 1.0
    network.train()
    while left > 0:
        for batch in batches(groups(own, old, chance), pieces, chance):
            left = 1 - (time.monotonic() - began) / (60 * minutes)
            if left <= 0:
                break
            step += 1
            for group, rate in zip(optimizer.param_groups, (RATE, HEAD_RATE), strict=True):
                group["lr"] = rate * min(1, step / WARM_UP) * max(0.02, left)
            loss = loss_of(network, lower, batch, pieces)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*layers, *heads], 1.0)
            optimizer.step()
            total += loss.item()
            if step % 100 == 0:
                print(f"{step}: {left:.0%} of the time left, loss {total / 100:.3f}", flush=True)
                torch.save(network.state_dict(), checkpoint)
                total = 0.0
    torch.save(network.state_dict(), checkpoint)


def pack(checkpoint: Path) -> None:
    """Write what training added: of each matrix `RANK` directions, all else as it is, in half precision."""
    network = Network()
    network.load_state_dict(torch.load(checkpoint))
    kept = {name: value.detach().numpy() for name, value in network.named_parameters() if not name.startswith("p.")}
    for key, value in network.p.items():
        if not value.requires_grad:
            continue
        name = key.replace("|", ".")
        change = value.detach().numpy() - network.start[name]
        if change.ndim == 2:
            left, size, right = np.linalg.svd(change, full_matrices=False)
            root = np.sqrt(size[:RANK])
            kept[f"{name}.left"], kept[f"{name}.right"] = left[:, :RANK] * root, right[:RANK] * root[:, None]
        else:
            kept[name] = change
    np.savez_compressed(reader.ENTAILMENT_WEIGHTS, **{name: value.astype(np.float16) for name, value in kept.items()})
    print(f"{reader.ENTAILMENT_WEIGHTS}: {reader.ENTAILMENT_WEIGHTS.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--start", type=Path, help="a checkpoint to go on from")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pack", action="store_true")
    options = parser.parse_args()
    if options.pack:
        pack(options.checkpoint)
    else:
        train(options.checkpoint, options.start, options.minutes)


if __name__ == "__main__":
    main()
