"""Train the gate: a small network over what multilingual-e5-small makes of each token of a question, in its lower half.

pip install torch==2.13.0
python scripts/train_gate.py --data DIR [--states FILE]

DIR holds a folder with `queries.jsonl` for each family of questions. Learnt from the families in FAMILIES, whose licences allow it, and
from our own in `scripts/gate_data`. Each question also comes without capitals and question mark. Simple ones are made composite, too:
something of the thing that is asked about, two things, two years, two questions in one. `bench/gate.py` trains without the families
that it reports. --states keeps what the tokens become for the next time.
"""

import argparse
import json
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scholarmind.adapters.bert import DIMENSION
from scholarmind.adapters.e5 import question_reader
from scholarmind.adapters.e5.reader import E5Reader

OWN = Path(__file__).parent / "gate_data"
# how much a family weighs beside others of its size; DROP, CWQ and COMQA are parts of QDMR
SIMPLE = {
    "nq_open_simple": 1.2,
    "webquestions_simple": 0.7,
    "clapnq_half": 0.7,
    "squad2_500": 1.4,
    "cmrc2018_500": 1.4,
    "drcd_500": 1.6,
    "qasper_half": 1.4,
}
COMPOSITE = {
    "hotpotqa_100": 1.0,
    "musique_100": 1.0,
    "fanoutqa_half": 1.0,
    "frames_half": 1.0,
    "bamboogle_half": 1.0,
    "morehopqa_half": 0.7,
    "strategyqa_tune": 0.3,
    "multihop_rag_tune": 0.4,
}
FAMILIES = {**SIMPLE, **COMPOSITE, "break_tune": 0.8, "own": 3.0}
MADE = 0.7  # of what a family weighs, that what is made from it weighs
USUAL = 200  # questions of a family; larger ones weigh as the root of their size
EPOCHS, SHOWN, BATCH, RATE, DECAY, DROPPED = 5, 12_000, 64, 2e-3, 0.05, 0.2
SMOOTHED = 0.02  # no label is quite sure

# -- made from simple questions: what may stand between a thing and what is asked of it
ENGLISH_RELATIONS = (
    "father|mother|wife|husband|son|daughter|brother|teacher|author|director|composer|producer|protagonist|founder|inventor|designer"
    "|owner|publisher|predecessor|successor|manufacturer|capital|birthplace|hometown|employer|rival|coach|team|parent company"
    "|headquarters|main tributary|neighbour|sponsor|chairman|translator|narrator|record label|host city|patron"
).split("|")
CHINESE_RELATIONS = (
    "父亲 母亲 妻子 丈夫 儿子 女儿 弟弟 老师 学生 搭档 对手 作者 主演 导演 编剧 主角 原型 创始人 发明者 设计者 提出者 前身 母公司 子公司"
    " 出版社 制作公司 主办方 合作方 总部所在地 所在城市 所在国家 出生地 故乡 毕业院校 首都 邻国 发源地 支流 主峰 别名 英文名 中文名 全称"
    " 代表作 成名曲 续集 主要成分 原料 上级单位 现任主席 前任队长 教练 所属球队 守护神 坐骑 宿主 近亲 所属的属 流行地区 使用者 继任者"
    " 研究对象 应用领域 主要功能 经营范围 创作背景"
).split()
TRADITIONAL = str.maketrans(
    "亲儿师学对编剧发设计办总书现队长练属续护驱国区视专创营围后继应领务关系",
    "親兒師學對編劇發設計辦總書現隊長練屬續護驅國區視專創營圍後繼應領務關係",
)
CHINESE_THING = re.compile(
    "^([^，,。？?的是在于於有由从從為为何哪誰谁什甚怎最現现曾一与與和及被把以]{2,14})"
    "(?:的|是|在|于|於|有|由|从|從|为什么|為什麼|何|哪|什么|什麼|最|现在|現在|曾)"
)
CHINESE_PLAIN = re.compile("是谁|是誰|是什么|是什麼|是哪|的意思|在哪|有哪|有什|是何|是甚")
CHINESE_YEAR = re.compile("(1[5-9]|20)[0-9][0-9](?=年)")
ENGLISH_THING = re.compile(r"(?<=[a-z,] )(?:the )?([A-Z][\w'’-]+(?: (?:of (?:the )?)?[A-Z][\w'’-]+)*)(?!['’]s)")
ENGLISH_YEAR = re.compile(r"\b(1[5-9]|20)\d\d\b")
HAN = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Family:
    """Questions of one origin, with whether each is composite."""

    questions: tuple[str, ...]
    composite: tuple[bool, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the question sets")
    parser.add_argument("--states", type=Path, help="a file for what the tokens become, kept for the next time")
    parser.add_argument("--output", type=Path, default=question_reader.GATE_WEIGHTS)
    arguments = parser.parse_args()
    families = load(arguments.data)
    weights = packed(train(families, States(families, arguments.states)))
    np.savez_compressed(arguments.output, **weights)
    print(f"{arguments.output.name}: {arguments.output.stat().st_size} bytes, trained on")
    for name, family in families.items():
        print(f"  {name}: {len(family.questions)} questions, {sum(family.composite)} composite")


# -- what is learnt from


def load(data: Path) -> dict[str, Family]:
    """Read the families; what is made from the simple ones stands under the name of its family and `/made`."""
    families: dict[str, Family] = {}
    for name in FAMILIES:
        files = sorted(OWN.glob("*.jsonl")) if name == "own" else [data / name / "queries.jsonl"]
        rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        labelled = [(row["question"].strip(), label) for row in rows if (label := _label(name, row)) is not None]
        families[name] = _in_two_forms(labelled)
        if name in SIMPLE:
            families[f"{name}/made"] = _in_two_forms(
                [(made, True) for made in made_composite([q for q, _ in labelled])]
            )
    return families


def _label(name: str, row: Mapping[str, Any]) -> bool | None:
    """Tell whether a question is composite; None where nobody can say."""
    if name == "own":
        return row["composite"]
    if name == "multihop_rag_tune":
        return None if row["type"] == "null_query" else True
    return _label_of_qdmr(row) if name == "break_tune" else name in COMPOSITE


def _label_of_qdmr(row: Mapping[str, Any]) -> bool | None:
    """Read the steps of QDMR: what selects and what filters is one look-up, so only many steps, or few, tell."""
    steps, origin = row["n_steps"], row["origin"]
    if origin == "CWQ":
        return True if steps > 2 or (steps == 2 and row["type"] == "qdmr_high") else None
    starts = sum(not step["depends_on"] for step in row["decomposition"])
    if origin == "DROP" and steps > 3 and starts > 1:
        return True
    return False if (origin == "DROP" and steps < 3) or (origin == "COMQA" and steps == 2) else None


def _in_two_forms(labelled: Sequence[tuple[str, bool]]) -> Family:
    """Give each question also as others would have typed it."""
    both = [(form, label) for question, label in labelled for form in (question, _typed_otherwise(question))]
    return Family(tuple(question for question, _ in both), tuple(label for _, label in both))


def _typed_otherwise(question: str) -> str:
    bare = question.rstrip("?？。. ").lower()
    if bare != question:
        return bare
    return question[:1].upper() + question[1:] + ("？" if HAN.search(question) else "?")


def made_composite(questions: Sequence[str]) -> Iterator[str]:
    """Make composite questions of simple ones."""
    chance = random.Random(0)  # noqa: S311  (the same ones each time)
    chinese = bool(HAN.search(questions[0]))
    pattern = CHINESE_THING if chinese else ENGLISH_THING
    things = [found[1] for question in questions if (found := pattern.search(question))]
    for question in questions:
        yield from (_more_chinese if chinese else _more_english)(question, things, chance)
    short = [question for question in questions if len(question) < (22 if chinese else 60)]
    joints = ("，", "，", "？", "，另外", "，以及") if chinese else (" and ", ", and ", "? ", " and ")
    for _ in range(120 if chinese else 60):
        first, second = chance.sample(short, 2)
        yield first.rstrip("?？") + chance.choice(joints) + second[0].lower() + second[1:]


def _more_chinese(question: str, things: Sequence[str], chance: random.Random) -> Iterator[str]:
    if found := CHINESE_THING.match(question):
        thing, rest = found[1], question[found.end(1) :]
        relations = chance.sample(CHINESE_RELATIONS, 2)
        if question.translate(TRADITIONAL) == question:
            relations = [relation.translate(TRADITIONAL) for relation in relations]
        # "X的作者是谁" is simple, "X的作者的故乡是哪里" is not
        yield f"{thing}的{'的'.join(relations if CHINESE_PLAIN.match(rest) else relations[:1])}{rest}"
        yield f"{thing}{chance.choice('和与及、')}{chance.choice(things)}{rest}"
    if year := CHINESE_YEAR.search(question):
        yield f"{question[: year.end()]}年{chance.choice('和与')}{int(year[0]) + chance.randint(1, 9)}{question[year.end() :]}"


def _more_english(question: str, things: Sequence[str], chance: random.Random) -> Iterator[str]:
    if found := ENGLISH_THING.search(question):
        before, thing, after = question[: found.start()], found[0], question[found.end() :]
        relation = chance.choice(ENGLISH_RELATIONS)
        yield before + chance.choice((f"the {relation} of {thing}", f"{found[1]}'s {relation}")) + after
        yield f"{before}{thing} and {chance.choice(things)}{after}"
    if year := ENGLISH_YEAR.search(question):
        yield f"{question[: year.end()]} and {int(year[0]) + chance.randint(1, 9)}{question[year.end() :]}"


class States:
    """What the tokens of each question become."""

    def __init__(self, families: Mapping[str, Family], file: Path | None = None) -> None:
        self._of = dict[str, Any]()
        if file and file.exists():
            with np.load(file) as kept:
                self._of = dict(
                    zip(kept["questions"].tolist(), np.split(kept["states"], kept["ends"][:-1]), strict=True)
                )
        missing = {q for family in families.values() for q in family.questions} - self._of.keys()
        read = E5Reader().states
        with ThreadPoolExecutor(2) as workers:
            for question, states in zip(missing, workers.map(read, missing), strict=True):
                self._of[question] = (np.zeros((1, DIMENSION)) if states is None else states).astype(np.float16)
        if file and missing:
            ends = np.cumsum([len(states) for states in self._of.values()])
            np.savez(file, questions=list(self._of), states=np.concatenate(list(self._of.values())), ends=ends)

    def batch(self, questions: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the states of questions, and where there are any."""
        found = [self._of[question] for question in questions]
        states = torch.zeros(len(found), max(map(len, found)), DIMENSION)
        there = torch.zeros(states.shape[:2], dtype=torch.bool)
        for row, each in enumerate(found):
            states[row, : len(each)] = torch.from_numpy(each.astype(np.float32))
            there[row, : len(each)] = True
        return states, there


# -- learning


class Network(nn.Module):
    """The network of `adapters/e5/question_reader.py`, to be trained."""

    def __init__(self) -> None:
        super().__init__()
        self.centred = nn.LayerNorm(DIMENSION, elementwise_affine=False)
        self.narrow = nn.Linear(DIMENSION, question_reader.GATE_WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                question_reader.GATE_WIDTH,
                question_reader.GATE_HEADS,
                2 * question_reader.GATE_WIDTH,
                0.1,
                batch_first=True,
                norm_first=True,
            )
            for _ in range(question_reader.GATE_LAYERS)
        )
        self.norm = nn.LayerNorm(question_reader.GATE_WIDTH)
        self.head = nn.Linear(2 * question_reader.GATE_WIDTH, 1)
        self.dropped = nn.Dropout(DROPPED)

    def forward(self, states: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        hidden = self.narrow(self.dropped(self.centred(states)))
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=~there)
        hidden, there = self.norm(hidden), there[..., None]
        mean = (hidden * there).sum(1) / there.sum(1)
        largest = hidden.masked_fill(~there, -1e4).max(1).values
        return self.head(self.dropped(torch.cat([mean, largest], 1)))[:, 0]


def train(families: Mapping[str, Family], states: States, without: Collection[str] = ()) -> Network:
    """Return a network that learnt from all families but these, and from what was made of them."""
    torch.manual_seed(0)
    chance = np.random.default_rng(0)
    used = [name for name in families if name.removesuffix("/made") not in without]
    questions = [question for name in used for question in families[name].questions]
    labels = np.concatenate([families[name].composite for name in used]).astype(np.float32)
    weights = np.concatenate([_weights(name, len(families[name].questions)) for name in used])
    weights[labels == 1] *= weights[labels == 0].sum() / weights[labels == 1].sum()
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    count = EPOCHS * -(-SHOWN // BATCH)
    slope = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=count + 1, pct_start=0.1)
    for _ in range(EPOCHS):
        shown = chance.choice(len(labels), SHOWN, p=weights / weights.sum())
        for batch in _batches(shown, lambda place: len(questions[place]) + chance.random() * 20, chance):
            scores = network(*states.batch([questions[place] for place in batch]))
            wanted = torch.from_numpy(labels[batch]) * (1 - 2 * SMOOTHED) + SMOOTHED
            loss = nn.functional.binary_cross_entropy_with_logits(scores, wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            slope.step()
    return network.eval()


def _weights(name: str, count: int) -> np.ndarray:
    family, _, made = name.partition("/")
    return np.full(count, FAMILIES[family] * (MADE if made else 1.0) / np.sqrt(count / USUAL))


def _batches(places: np.ndarray, length: Callable[[int], float], chance: np.random.Generator) -> list[np.ndarray]:
    """Put questions of like length together, and show the batches in any order."""
    ordered = sorted(places.tolist(), key=length)
    batches = [np.array(ordered[start : start + BATCH]) for start in range(0, len(ordered), BATCH)]
    random.Random(int(chance.integers(1 << 30))).shuffle(batches)  # noqa: S311
    return batches


@torch.no_grad()
def probabilities(network: Network, states: States, questions: Sequence[str]) -> list[float]:
    """Return how likely each question is composite."""
    return [float(torch.sigmoid(network(*states.batch([question]))[0])) for question in questions]


def packed(network: Network) -> dict[str, np.ndarray]:
    return {name: array.numpy().astype(np.float16) for name, array in network.state_dict().items()}


if __name__ == "__main__":
    main()
