"""What a question names, each with its sort: a data set takes the place of a data set, a year that of a year."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scholarmind.model import Name
from scholarmind.planning.protected import Line
from scholarmind.planning.words import FUNCTION, is_chinese
from scholarmind.text.patterns import lazy_regex

Sort = Literal["name", "dataset", "venue", "metric", "year", "person", "languages"]
_SORT_OF_FIELD: dict[str, Sort] = {"datasets": "dataset", "venue": "venue", "authors": "person", "year": "year"}
_DATASET = lazy_regex(
    r"(?<![A-Za-z0-9])(?:SQuAD(?:[ -]?v?[12]\.[01])?|(?:Super)?GLUE|[MQWX]NLI(?:-m{1,2})?|SNLI|QQP|SST-?[25]|CoLA|MRPC|RTE|STS-B"
    r"|RACE|SWAG|HellaSwag|ImageNet(?:-\d+[kK])?|CIFAR-?10{1,2}|MNIST|COCO|WMT ?\d{2,4}|XSum"
    r"|CNN/Daily ?Mail|LAMBADA|WikiText-?\d*|Wiki(?:pedia|data)|PG-?19|C4|Book(?:s)?Corpus|OpenWebText|Common ?Crawl|CC-News"
    r"|CMRC(?: ?20\d\d)?|DRCD|CJRC|CLUE|LCQMC|THUCNews|ChnSentiCorp|C-Eval|CMMLU|MMLU|GSM8K|MATH(?:-500)?|AIME(?: ?20\d\d)?"
    r"|Natural Questions|NQ|MS MARCO|FEVER|ELI5|Long[ -]Range Arena|LRA|enwik8|text8|The Pile|MuSiQue|[A-Z][A-Za-z]*(?:QA|Bench|Eval)"
    r")(?![A-Za-z0-9])"
)
_VENUE = lazy_regex(
    r"(?<![A-Za-z])(?:NA|E|AA)?ACL(?![A-Za-z])|(?<![A-Za-z])(?:EMNLP|ICLR|ICML|NeurIPS|NIPS|CVPR|ICCV|ECCV|AAAI|IJCAI|COLING|SIGIR"
    r"|KDD|TACL|JMLR|COLM|INTERSPEECH|arXiv)(?![A-Za-z])"
)
_METRIC = lazy_regex(
    r"(?<![A-Za-z0-9])(?:F1|EM|BLEU|ROUGE(?:-[12L])?|METEOR|MRR|nDCG|perplexit(?:y|ies)|accurac(?:y|ies)|recall(?:@\d+)?|precision"
    r"|exact match|error rate)(?: scores?)?(?![A-Za-z0-9])|准确率|精确率|召回率|困惑度|错误率|正确率",
)
_TONGUE = "English|German|French|Chinese|Romanian|Russian|Czech|Japanese|Spanish|Finnish|Korean|Turkish|Hindi"
_LANGUAGES = lazy_regex(
    rf"(?<![A-Za-z])(?:{_TONGUE})-(?:to-)?(?:{_TONGUE})(?![A-Za-z])|[中英德法日俄韩][译到][中英德法日俄韩]|(?:中英|英德|英法|英中)(?=翻译)"
)
_YEAR = lazy_regex(r"(?<![\w.-])(?:19|20)\d\d(?![A-Za-z0-9.-]\w|\d)")
_NAME = lazy_regex(
    r"\ue000+(?:['’]s)?|(?<![A-Za-z0-9])(?:[A-Z]\.(?= [A-Z])|[A-Z][A-Za-z0-9À-ɏ]*(?:[.+\-&/][A-Za-z0-9À-ɏ]+)*\+*|[a-z]+[A-Z][A-Za-z0-9\-]*"
    r"|[a-z]{2,}-?(?<![a-z]{9})\d[A-Za-z0-9.\-]*(?<![.\-]))"
)
_NUMBER = lazy_regex(r"[ -]v?\d{1,3}(?:\.\d+)?[BMbm]?(?![\w年])")  # the one behind a name belongs to it
_PLAIN = lazy_regex(r"[A-Z][a-zÀ-ɏ]+(?: [A-Z]\.)?(?:[- ][A-Z][a-zÀ-ɏ]+)+")
_NO_PERSON = lazy_regex(
    r"(?:Transformers?|Attention|Networks?|Models?|Learning|Encoders?|Mask(?:ing)?|Embeddings?|Machines?|Trees?|Experts|Language|Search)$"
)
LIST_JOINT = lazy_regex(r"\s*(?:,\s*(?:and\s+|or\s+)?|\s(?:and|or|vs\.?|versus)\s|、|和|与|及|以及|还是|或)\s*")
# What one asks of a thing; the head of a phrase such as `the training data`
ASPECT = lazy_regex(
    r"\b(?:sizes?|parameters?|authors?|accurac(?:y|ies)|speeds?|complexit(?:y|ies)|memory|limitations?|limits?|weaknesses|drawbacks?"
    r"|advantages?|disadvantages?|strengths?|benefits?|data|datasets?|corpus|corpora|results?|performance|code|architectures?|costs?"
    r"|latenc(?:y|ies)|layers?|heads?|vocabular(?:y|ies)|lengths?|windows?|objectives?|losses|loss|hyperparameters|hardware|batch sizes?"
    r"|gpus|steps?|scores?|tasks?|titles?|years?|venues?|applications?|contributions?|differences?|inventors?|creators?|affiliations?"
    r"|institutions?|baselines?|evaluations?|perplexit(?:y|ies)|throughput|tokeni[sz]er|optimi[sz]er|ablations?|metrics?|numbers?"
    r"|findings?|conclusions?|dimensions?|motivation|ideas?)$",
    re.IGNORECASE,
)
_ABSTRACT = lazy_regex(
    r"^(?:the )?(?:[a-z\-]+ )?[a-z\-]+(?:ness|ility|iency|ance|ence|uracy)(?: (?:to|of|on|against|in|for) [a-z\- ]+)?$",
    re.IGNORECASE,
)
ASPECT_CHINESE = lazy_regex(
    r"(?:作者|提出者|机构|单位|团队|参数量?|参数规模|规模|大小|层数|头数|维度|长度|窗口|词表|速度|延迟|复杂度|内存|显存|开销|成本|局限性?|缺点|不足|优点|优势|劣势"
    r"|贡献|数据|语料|数据集|训练集|结果|性能|效果|表现|架构|结构|原理|机制|目标|损失|任务|代码|硬件|时间|年份|会议|标题|题目|应用|区别|差异|准确率|吞吐量|方法|步数|得分|分数"
    r"|创新点|动机|结论|指标)$"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that name something, and what sort of thing that is."""

    text: str
    start: int
    end: int
    sort: Sort


def mentions_of(line: Line, known: Sequence[str] = (), names: Sequence[Name] = ()) -> tuple[Mention, ...]:
    """Return what a question names, in order: by the library's metadata, by well-known names, by what was known of it, by its look."""
    text = line.text
    found: list[Mention] = [
        Mention(name.text, name.start, name.end, sort)
        for name in names
        if text[name.start : name.end] == name.text and (sort := _SORT_OF_FIELD.get(name.field))
    ]
    patterns: tuple[tuple[re.Pattern[str], Sort], ...] = (
        (_DATASET, "dataset"),
        (_VENUE, "venue"),
        (_METRIC, "metric"),
        (_YEAR, "year"),
        (_LANGUAGES, "languages"),
    )
    for pattern, sort in patterns:
        _add(found, [Mention(match[0], *match.span(), sort) for match in pattern.finditer(text)])
    _add(found, _looking_like_names(line))
    _add(found, _known(text, known))
    return _alike(text, sorted(found, key=lambda mention: mention.start))


def is_aspect(phrase: str) -> bool:
    """Tell whether a phrase is what one asks of a thing (`training data`), rather than a thing."""
    bare = phrase.strip()
    if is_chinese(bare):
        return bool(ASPECT_CHINESE.search(bare))
    return bool(ASPECT.search(bare) or _ABSTRACT.match(bare)) and not any(map(str.isupper, bare[1:]))


def _alike(text: str, found: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions; what stands in one list with a data set is one too."""
    alike = list(found)
    for place in [*range(1, len(alike)), *range(len(alike) - 2, -1, -1)]:
        for other in (place - 1, place + 1):
            one, two = sorted((place, other))
            listed = one >= 0 and two < len(alike) and LIST_JOINT.fullmatch(text[alike[one].end : alike[two].start])
            if listed and alike[other].sort == "dataset" and alike[place].sort == "name":
                alike[place] = replace(alike[place], sort="dataset")
    return tuple(alike)


def _add(found: list[Mention], more: Sequence[Mention]) -> None:
    """Add what does not overlap with what is there."""
    found += [mention for mention in more if all(mention.end <= old.start or mention.start >= old.end for old in found)]


def _known(text: str, known: Sequence[str]) -> list[Mention]:
    places = (
        (entity, text.lower().find(entity.lower()))
        for entity in known
        if len(entity) > 1 and entity.lower() not in FUNCTION
    )
    return [
        Mention(text[place : place + len(entity)], place, place + len(entity), "name")
        for entity, place in places
        if place >= 0
    ]


def _looking_like_names(line: Line) -> list[Mention]:
    found: list[Mention] = []
    for match in _NAME.finditer(line.mask):
        start, end = match.span()
        if _is_word(line, start, end):
            continue
        number = _NUMBER.match(line.mask, end)
        end = number.end() if number else end
        text = re.sub(r"['’]s$", "", line.text[start:end])
        if found and line.text[found[-1].end : start] in {" ", "的"}:
            start, text = found[-1].start, line.text[found.pop().start : start] + text
        person = _PLAIN.fullmatch(text) and not _NO_PERSON.search(text) and not is_chinese(line.text)
        found.append(Mention(text, start, start + len(text), "person" if person else "name"))
    return found


def _is_word(line: Line, start: int, end: int) -> bool:
    """Tell whether what looks like a name is a word of the language: the first of the sentence, or `I`."""
    word = line.text[start:end]
    first = not line.text[:start].strip(" (\"'“‘")
    return (
        word.lower() in FUNCTION
        or word in _UNITS
        or (first and word.istitle() and (is_aspect(word) or word.lower() in _OPENERS))
    )


_UNITS = frozenset("GPU GPUs TPU TPUs CPU CPUs FLOPs GFLOPs GB TB MB API NLP AI".split())
_OPENERS = frozenset(
    "no ok okay sure sorry actually well hmm yes right great thanks also still again really only just first now here maybe or nope oh "
    "i'm i".split()
)
