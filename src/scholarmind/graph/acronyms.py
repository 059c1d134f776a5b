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
_SHORT_NAME = re.compile(r"(?=.*[A-Z].*[A-Z]|[a-z]+[A-Z])[A-Za-z][A-Za-z0-9-]{1,15}$")
_TITLE = re.compile(r"\b([A-Z][\w-]*(?:[ ](?:and[ ]|of[ ]|for[ ])?[A-Z][\w-]*)*)[ ]?$")
_PROPOSED = re.compile(r"\b[Ww]e[ ](?:propose|present|introduce|develop|describe|design)d?\b|提出|引入|设计")
_METHOD_NOUN = re.compile(r"[ ](?:algorithm|model|method|network|framework|architecture|optimi[sz]er)s?\b")
_WITH_HYPHENS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
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
            least, short = max(start, match.start() - 120), inside
            long = _long_before(text, least, match.start(), short) or _title_before(text, least, match.start(), short)
        else:
            long, short = _short_before(text, start, match.start(), inside)
        kind = _kind_of(long) or _kind_said(text, (start, end), match, long) if long else None
        if kind is not None:
            yield thing(kind, long), thing(kind, short)


def _long_before(text: str, start: int, end: int, short: str) -> str:
    """Return the words before a bracket that its letters are the beginnings of."""
    before = text[start:end].rstrip()
    if run := _HAN_BEFORE.search(before):
        return _known_end(run[0]) or _HAN_CUT.sub("", run[0])
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    if not any(map(str.isupper, short)) or before != text[start:end].rstrip(" "):
        return ""
    for parts in (_WORDS, _WITH_HYPHENS):
        words = list(parts.finditer(before))
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


def _title_before(text: str, start: int, bracket: int, short: str) -> str:
    """Return the words with capitals before a bracket, whose first letter the short name has: "Memory-augmented Coding (MemC)"."""
    title = _TITLE.search(text[start:bracket]) if _SHORT_NAME.match(short) else None
    return title[1] if title and title[1][0].casefold() == short[0].casefold() else ""


def _kind_said(text: str, sentence: tuple[int, int], bracket: re.Match[str], long: str) -> NodeKind | None:
    """Return that something is a method, where the sentence says so: "we propose Shared Folds (SF)", "Shared Folds (SF) algorithm"."""
    start, end = sentence
    place = text.rfind(long, start, bracket.start())
    proposed = _PROPOSED.search(text, start, place)
    is_said = proposed is not None or _METHOD_NOUN.match(text, bracket.end(), end)
    return "method" if is_said and "," not in text[proposed.end() if proposed else place : place].rstrip(", ") else None


def _kind_of(long: str) -> NodeKind | None:
    return next((kind for kind, pattern in _KINDS if pattern.search(long)), None)
