"""Short names that a text itself defines: "masked language modelling (MLM)", "旋转位置编码（RoPE）". Pure."""

import re
from collections.abc import Iterator

from scholarmind.graph.known import HAN
from scholarmind.graph.lexicon import lexicon
from scholarmind.graph.things import thing
from scholarmind.relations import NodeKind, Thing

_BRACKET = re.compile(r"[(（]([^()（）\n]{2,60})[)）]")
_SHORT = re.compile(r"[A-Za-z][\w+-]{1,11}$")
_WORDS = re.compile(r"[^\W_]+")
_HAN_BEFORE = re.compile(rf"[{HAN}]{{2,14}}$")
# where a Chinese name begins: behind a verb, a preposition or 的
_HAN_CUT = re.compile(
    r".*(?:提出|采用|使用|沿用|引入|称为|名为|一种|增加|设计|基于|通过|利用|结合|以及|用|把|将|的|了|和|与|及|由|从|以|是|即|则)"
)
_HEADS = frozenset(
    "model models method network algorithm dataset corpus benchmark task".split()
)  # may lack in a short name
_KINDS: tuple[tuple[NodeKind, re.Pattern[str]], ...] = (
    (
        "dataset",
        re.compile(
            r"(?:corpus|data ?set|benchmark|challenge|treebank|questions|crawl|数据集|语料库?|基准|维基百科)$",
            re.IGNORECASE,
        ),
    ),
    ("metric", re.compile(r"(?:score|accuracy|rate|error|precision|recall|match|准确率|得分|误差)$", re.IGNORECASE)),
    (
        "task",
        re.compile(
            r"(?:translation|recognition|answering|classification|detection|segmentation|summari[sz]ation|retrieval|extraction|任务|翻译|识别|分类|检索)$",
            re.IGNORECASE,
        ),
    ),
    (
        "method",
        re.compile(
            r"(?:attention|networks?|models?|modell?ing|learning|transformers?|encod(?:er|ing|ings)|decoders?|embeddings?|tuning|training"
            r"|pre-?training|adaptation|optimi[sz]ation|hashing|masking|generation|algorithm|method|prediction|routing|experts|machines?|memory"
            r"|units?|normali[sz]ation|distillation|regression|forest|search|sampling|duality|retriever|features|spaces?"
            r"|autoencoders?|passage retrieval|注意力|编码|模型|网络|掩码|训练|微调|学习|算法|方法|预测|机制|解码|蒸馏|量化|专家|归一化)$",
            re.IGNORECASE,
        ),
    ),
)


def definitions(text: str, start: int, end: int) -> Iterator[tuple[Thing, Thing]]:
    """Yield each long name with the short one that it is given."""
    for match in _BRACKET.finditer(text, start, end):
        inside = match[1].strip().strip("\"'“”‘’")
        if _SHORT.match(inside):
            long = _long_before(text, max(start, match.start() - 120), match.start(), inside)
            short = inside
        else:
            long, short = _short_before(text, start, match.start(), inside)
        if long and (kind := _kind_of(long)):
            yield thing(kind, long), thing(kind, short)


def _long_before(text: str, start: int, end: int, short: str) -> str:
    """Return the words before a bracket that its letters are the beginnings of."""
    before = text[start:end].rstrip()
    if run := _HAN_BEFORE.search(before):
        return _known_end(run[0]) or _HAN_CUT.sub("", run[0])
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    if not any(map(str.isupper, short)) or before != text[start:end].rstrip(" "):
        return ""
    words = list(_WORDS.finditer(before))
    for count in range(1, min(len(letters) + 3, len(words)) + 1):
        if _spells([word[0].casefold() for word in words[-count:]], letters):
            return before[words[-count].start() :]
    return ""


def _known_end(run: str) -> str:
    """Return the longest well-known name that a run of Chinese characters ends in: no verb is cut off inside of it."""
    things = lexicon().known.things
    return next((run[place:] for place in range(len(run) - 2) if " ".join(run[place:]) in things), "")


def _short_before(text: str, start: int, end: int, inside: str) -> tuple[str, str]:
    """Return the long name in a bracket and the short one before it: "MLM (masked language modelling)"."""
    match = re.search(r"([A-Z][\w+-]{1,11})[ ]?$", text[max(start, end - 16) : end])
    words = [word.casefold() for word in _WORDS.findall(inside)]
    if match is None or not words or not inside[0].isalpha():
        return "", ""
    letters = [letter for letter in match[1].casefold() if letter.isalnum()]
    return (inside, match[1]) if _spells(words, letters) else ("", "")


def _spells(words: list[str], letters: list[str]) -> bool:
    """Tell whether the letters are the beginnings of the words: of each, or but for small words in between."""
    initials = [word[0] for word in words]
    big = [word[0] for word in words if word not in {"of", "the", "and", "for", "in", "on", "to", "a", "with"}]
    singular = letters[:-1] if letters and letters[-1] == "s" else letters
    told = [initials, big, big[:-1]] if words and words[-1] in _HEADS else [initials, big]
    return len(letters) > 1 and (letters in told or singular in told)


def _kind_of(long: str) -> NodeKind | None:
    return next((kind for kind, pattern in _KINDS if pattern.search(long)), None)
