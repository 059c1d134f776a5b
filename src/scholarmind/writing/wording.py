"""The writer's own words in English and Chinese, and how words of documents are made harmless in Markdown."""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from scholarmind.text.language import HAN
from scholarmind.text.quoted import NO_BRACKETS, disarmed, unlinked

_LETTERS = re.compile(r"[A-Za-z]{2,}")
_SPACE = re.compile(r"\s+")
_SPECIAL = re.compile(r"[\\`*_\[\]|~#{}]")
_AT_START = re.compile(r"^(?:([-+=>])|(\d{1,9})([.)]))")
_ENTITY = re.compile(r"&(?=[#A-Za-z])")  # an `&` between spaces is none: Devlin & Chang
_TAGS = str.maketrans({"<": "&lt;", ">": "&gt;"})
# invisible signs that turn the direction of text or hide words in it; the joiners of Indian scripts and of emoji stay
_KEPT_FORMATS = frozenset("\u200c\u200d")

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "label": "*Quoted from your documents; no model wrote any of it.*",
            "nothing": "Nothing found.",
            "nothing but": "Nothing found: {why}.",
            "nearest": "Nearest to it, which may not answer it:",
            "failed": "This part failed: {error}",
            "see": "See above, under {row}.",
            "yes": "Yes.",
            "no": "No.",
            "table": "From a table:",
            "list": "From a list:",
            "contradict": "**Your documents contradict each other here:**",
            "conflict": "these state different numbers for the same thing: {keys}",
            "otherwise": "**Other documents say otherwise:**",
            "other names": "these name different people: {keys}",
            "absent": "–",
            "same": "By these figures, {first} and {second} are equal: {value}",
            "compared": "By these figures, {first} ({high}) is {word} {second} ({low})",
            "higher": "above",
            "lower": "below",
            "later": "later than",
            "earlier": "earlier than",
            "counted label": "*Counted in your documents by code; no model wrote any of it.*",
            "mixed label": "*Counted in your documents by code, and quoted from them; no model wrote any of it.*",
            "beside label": "**Counted in your documents** (by code, not by the model)",
            "below label": "**Most of the text above could not be confirmed (†). Your documents themselves say:**",
            "sources": "Sources",
            "more": "and {count} more",
            "names": ", ",
            "names and more": "{names} and {count} more",
            "tally note": "Note: {text}",
        },
        "zh": {
            "label": "*以下内容引自您的文档，没有一句由模型撰写。*",
            "nothing": "没有找到。",
            "nothing but": "没有找到：{why}。",
            "nearest": "最接近的一处，未必能回答：",
            "failed": "这一部分未能完成：{error}",
            "see": "见上文第 {row} 部分。",
            "yes": "是。",
            "no": "否。",
            "table": "摘自表格：",
            "list": "摘自列表：",
            "contradict": "**这里的文档互相矛盾：**",
            "conflict": "以下来源对同一事项给出了不同的数字：{keys}",
            "otherwise": "**另有文档说法不同：**",
            "other names": "以下来源说的不是同一些人：{keys}",
            "absent": "–",
            "same": "从这些数字看，{first}与{second}相同：{value}",
            "compared": "从这些数字看，{first}（{high}）{word}{second}（{low}）",
            "higher": "高于",
            "lower": "低于",
            "later": "晚于",
            "earlier": "早于",
            "counted label": "*以下结果由程序统计自您的文档，没有一句由模型撰写。*",
            "mixed label": "*以下内容由程序统计自您的文档或引自其中，没有一句由模型撰写。*",
            "beside label": "**统计自您的文档**（由程序统计，而非模型）",
            "below label": "**上文多数内容未能得到证实（†）。以下是文档中的原句：**",
            "sources": "来源",
            "more": "另有 {count} 项",
            "names": "、",
            "names and more": "{names}等{all}项",
            "tally note": "注：{text}",
        },
    }
)


def words_for(question: str) -> Mapping[str, str]:
    """Return the wording in the language of a question: Chinese if it has any to speak of, else English."""
    han, latin = len(HAN.findall(question[:2_000])), len(_LETTERS.findall(question[:2_000]))
    return WORDS["zh" if han and 2 * han >= latin else "en"]


def harmless(text: str) -> str:
    """Return words of a document as Markdown that shows them within a line, does nothing else, and looks like no citation of ours."""
    return literal(disarmed(text))


def literal(text: str) -> str:
    """Return text as Markdown that shows it within a line as it is, also citations and marks of ours that stand in it."""
    visible = "".join(
        character
        for character in _SPACE.sub(" ", text)
        if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co") or character in _KEPT_FORMATS
    )
    flat = _ENTITY.sub("&amp;", visible.strip()).translate(_TAGS)
    plain = _SPECIAL.sub(lambda match: "\\" + match[0], flat)
    return unlinked(plain)


def starting(markdown: str) -> str:
    """Return harmless Markdown that may also begin a line or a list item."""
    return _AT_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", markdown)


def bracketed(key: str) -> str:
    """Return a citation key in its brackets."""
    return f"[{harmless(key.translate(NO_BRACKETS))}]"
