"""Our WordPiece against the `tokenizers` library."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

import scholarmind.adapters.minilm as package
from scholarmind.adapters.minilm import WordPiece

VOCABULARY = Path(package.__file__).parent / "weights/vocab.txt"
NOTES = Path(package.__file__).parents[2] / "demo/notes"
OURS = WordPiece(VOCABULARY)
THEIRS = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
Reference = Callable[[str], list[int]]


@pytest.fixture(scope="module")
def theirs() -> Reference:
    return lambda text: THEIRS.encode(text).ids


def ours(text: str) -> list[int]:
    return OURS.encode(text, 1_000_000)


def test_thousands_of_real_texts(theirs: Reference) -> None:
    lines = [line for path in sorted(NOTES.glob("*.md")) for line in path.read_text(encoding="utf-8").splitlines()]
    words = [word for line in lines for word in line.split()]
    texts = [*lines, *words, *(" ".join(words[n : n + 9]) for n in range(0, len(words), 3))]
    assert len(texts) > 5_000
    assert [text for text in texts if ours(text) != theirs(text)] == []


def test_every_character_that_both_know(theirs: Reference) -> None:
    """Every code point alone and inside a word. The library's Unicode tables are older: what was added since may differ."""
    characters = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in {"Cs", "Cn", "Co"}]
    texts = [
        "".join(f"a{character}b {character} " for character in characters[n : n + 50])
        for n in range(0, len(characters), 50)
    ]
    suspects = [
        character
        for n, text in enumerate(texts)
        if ours(text) != theirs(text)
        for character in characters[n * 50 : n * 50 + 50]
    ]
    different = [
        character
        for character in suspects
        if ours(f"a{character}b {character}") != theirs(f"a{character}b {character}")
    ]
    assert len(different) < 600
    assert {unicodedata.category(character)[0] for character in different} <= {"M", "P", "C", "S"}
    assert [character for character in different if ord(character) < 0x600] == []


COMMON = st.characters(max_codepoint=0x5FF, exclude_categories=["Cs", "Cn"])
CHINESE = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
EMOJI = st.characters(min_codepoint=0x1F300, max_codepoint=0x1F64F)


@settings(max_examples=500, deadline=None)
@given(st.text(st.one_of(COMMON, CHINESE, EMOJI, st.sampled_from("\u200b\u200d\ufeff\0\u00ad\u3000，。")), max_size=80))
def test_any_text(text: str) -> None:
    assert ours(text) == THEIRS.encode(text).ids


@pytest.mark.parametrize("text", ["the [CLS] token", "a[SEP]b", "[MASK][MASK]", "[UNK]", "[cls] [ SEP ]", "[[PAD]]"])
def test_marks_that_papers_write_of(theirs: Reference, text: str) -> None:
    assert ours(text) == theirs(text)


def test_the_limit_counts_the_marks() -> None:
    assert len(OURS.encode("word " * 500, 256)) == 256
    assert OURS.encode("word " * 500, 256)[-1] == OURS.end
    assert OURS.encode("", 256) == [OURS.start, OURS.end]
