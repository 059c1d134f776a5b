"""The noun behind `which` and `哪些` that names the kind of the answer: which datasets, 哪些模型.

A source that answers need not say it: it says the rest of the question, and names something.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.writing.asked import Word
from scholarmind.writing.candidates import Candidate, candidates

SHOWN = "\ue0ff"  # a term that no text holds: here something is named, beside the rest of what is asked
_COUNTS = 0.8  # what a name counts in the place of the noun
# kinds whose names do not say what they are; a newspaper or an award is called one where it is first spoken of
_NOUNS = (
    "dataset corpus corpora benchmark testbed model method approach technique algorithm architecture framework library tool system "
    "optimizer optimiser tokenizer encoder decoder task metric measure language paper article study work publication author writer "
    "researcher scientist inventor founder creator developer designer person people company organization organisation institution "
    "institute lab laboratory group team firm "
    "数据集 语料库 语料 基准测试 基准 测试集 评测集 模型 方法 技术 算法 框架 架构 系统 工具 优化器 任务 指标 语言 论文 文章 研究 工作 "
    "作者 学者 研究者 科学家 发明者 提出者 创始人 开发者 公司 机构 组织 单位 企业 团队 实验室"
).split()
_ENGLISH_NOUNS = "|".join(noun for noun in sorted(_NOUNS, key=len, reverse=True) if noun.isascii())
_CHINESE_NOUNS = "|".join(noun for noun in sorted(_NOUNS, key=len, reverse=True) if not noun.isascii())
_NOUN = rf"(?:data[ -]set|study|library|company|{_ENGLISH_NOUNS})"
_NOUN_MANY = rf"(?:data[ -]sets|studies|libraries|companies|corpora|people|(?:{_ENGLISH_NOUNS})s)"
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|of|in|on|for|by|that|which|who|to)\b"
_BEFORE = rf"(?: (?!{_VERB})[\w-]+){{0,3}}?"
_ENGLISH = lazy_regex(
    rf"\b(?:which|what)(?: of(?: the| these| those)?)?{_BEFORE} (?P<noun>{_NOUN_MANY}|{_NOUN}(?! {_NOUN}))(?![\w-])"
    r"|(?:\b(?:which|what) (?:are|were)|^(?:please )?(?:list|name|identify|give))(?: all)?(?: (?:the|some|these))?"
    rf"{_BEFORE} (?P<listed>{_NOUN_MANY})(?![\w-])",
    re.IGNORECASE,
)
_CHINESE = lazy_regex(
    rf"(?:哪一?[些个种几篇家位类项部款]?|什么|何种)(?:其他|类型的|样的)?(?P<noun>{_CHINESE_NOUNS})"
    rf"|(?P<listed>{_CHINESE_NOUNS})(?:都|分别)?(?:有哪|是哪|包括哪|为哪)"
)


def category(question: str, words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words that name the kind of the answer, if the question asks by such a noun."""
    match = _CHINESE.search(question) or _ENGLISH.search(question)
    if match is None:
        return ()
    start, end = match.span(match.lastgroup or "noun")
    return tuple(word for word in words if word.start < end and start < word.end)


def may_be_shown(word: Word) -> Word:
    """Return such a word so that a name in its place counts."""
    return replace(word, others=(*word.others, (frozenset((SHOWN,)), _COUNTS)))


def names_something(sentence: str, question: frozenset[str]) -> bool:
    """Return whether a sentence holds a name or quotation of which the question, as terms, does not tell."""
    return any(_is_name(one) and not question.issuperset(terms(one.text)) for one in candidates(sentence))


def _is_name(one: Candidate) -> bool:
    if one.kind != "name":
        return one.kind == "quoted"
    begins = one.start == 0 and one.text[1:].islower()  # the first word of a sentence
    return not begins and (not HAN.search(one.text) or not one.part)
