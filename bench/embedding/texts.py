"""Texts to embed: varied ones for the reference vectors, passages of equal length for timing."""

import itertools
import re
from pathlib import Path

_NOTES = Path(__file__).parents[2] / "src/scholarmind/demo/notes"
_ODD = (
    "",
    " ",
    "a",
    "?",
    "...",
    "\t\n",
    "GPT-2 vs. C++ & C#: R@5 = 3.14 %",
    "naïve café Ångström ﬁne ＧＰＴ",
    "😀 emoji 👩‍🔬 in the middle",
    "null\0byte and \x07 bell",
    "zero\u200bwidth and soft\u00adhyphen",
    "它们的注意力机制有什么区别？",
    "日本語のテキストです。",
    "한국어 문장입니다",
    "Это предложение на русском языке.",
    "مرحبا بالعالم",
    "x" * 99,
    "x" * 101,
    "word " * 600,
    "https://example.org/a/b?c=d#e and user@example.org",
    "$E = mc^2$ and \\alpha + \\beta \\leq \\gamma",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "1,234,567.89 +-*/=<>~^`{}[]()",
    "ALL CAPITALS AND MiXeD CaSe",
    "don't can't won't it's",
)


def varied(count: int) -> list[str]:
    """Return odd texts, then sentences, passages and whole notes by turns."""
    notes = [path.read_text(encoding="utf-8") for path in sorted(_NOTES.glob("*.md"))]
    sentences = [s for note in notes for s in re.split(r"(?<=[.。])\s*", note) if 20 < len(s) < 300]
    passages = [p for note in notes for p in note.split("\n\n") if 300 < len(p) < 1500]
    turns = itertools.chain.from_iterable(zip(sentences[::7], passages[::2], itertools.cycle(notes), strict=False))
    return [*_ODD, *turns][:count]


def equal_passages(count: int) -> list[str]:
    """Return passages long enough to fill the model's 256 tokens."""
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(_NOTES.glob("*[!h].md"))).split()
    length = 230
    return [" ".join((words * 4)[n * 97 : n * 97 + length]) for n in range(count)]
