"""The language of test papers: made-up words from a seed, real-looking sentences, each with a tag of its own."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from paper_references import Truth, in_text

SYLLABLES = "ba cor den fi flo gra hal in jo ker lum mar nex of pri qua ren sol tra und ver vil yst zan ffi ste ble con ter al".split()
GLUE = "the of and to in that for with as on by which from are we is this can under".split()
HAN_WORDS = """研究 方法 模型 数据 文本 结果 表明 系统 知识 检索 训练 实验 分析 问题 语言 信息 特征 算法 网络 性能 准确 提高 提出 一种 基于
采用 同时 因此 然而 通过 比较 不同 任务 学习 结构 关系 表示 计算 过程 有效""".split()
HAN_GLUE = list("的和与在对了是为中及")
SECTIONS = (
    "Introduction|Related Work|Method|Data and Materials|Experiments|Results|Discussion|Ablation Study|Limitations|Conclusion"
).split("|")
HAN_SECTIONS = "引言 相关工作 方法 数据 实验 结果 讨论 结论".split()


@dataclass(slots=True)
class Words:
    """Made-up language with a small vocabulary, so that most words occur more than once, as in a paper."""

    chance: random.Random
    chinese: bool = False
    style: str = "ieee"
    cited: Sequence[Truth] = ()
    count: int = 0
    vocabulary: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.vocabulary = [
            "".join(self.chance.choices(SYLLABLES, k=self.chance.choice([2, 2, 3, 3, 4]))) for _ in range(500)
        ]
        self.vocabulary += ["well-formed", "long-term", "state-of-the-art", "cross-domain", "self-paced"]

    def word(self) -> str:
        return self.vocabulary[min(int(self.chance.expovariate(0.012)), len(self.vocabulary) - 1)]

    def phrase(self, words: int) -> str:
        if self.chinese:
            return "".join(self.chance.choices(HAN_WORDS, k=words))
        return " ".join(self.word() for _ in range(words))

    def tag(self, mark: str = "tag") -> str:
        self.count += 1
        letters = "".join(self.chance.choices("abcdefghkmnpqrst", k=2))
        return f"{mark}{letters}{self.count:05}x"

    def sentence(self, mark: str = "tag") -> str:
        return self._chinese_sentence(mark) if self.chinese else self._sentence(mark)

    def _sentence(self, mark: str) -> str:
        length = self.chance.randint(8, 26)
        words = [self.chance.choice(GLUE) if self.chance.random() < 0.35 else self.word() for _ in range(length)]
        words[self.chance.randint(1, length - 2)] = self.tag(mark)
        if self.chance.random() < 0.2:
            words[self.chance.randint(1, length - 2)] += ","
        if self.chance.random() < 0.12:
            words.insert(
                -1, self.chance.choice(["0.93", "41.2%", "(e.g., the first)", "“as is”", "p < 0.05", "i.e. not"])
            )
        if self.cited and self.chance.random() < 0.15:
            words.append(in_text(self.style, self.chance.choice(self.cited)))
        words[0] = words[0].capitalize()
        return " ".join(words) + "."

    def _chinese_sentence(self, mark: str) -> str:
        words = [self.chance.choice(HAN_GLUE if n % 3 == 2 else HAN_WORDS) for n in range(self.chance.randint(10, 24))]
        words.insert(self.chance.randint(2, 8), f" {self.tag(mark)} ")
        words.insert(-4, self.chance.choice(["，", "，", "，因此", "（见上文）"]))
        return "".join(words) + "。"
