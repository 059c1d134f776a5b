"""Terms: what a document and a question must have in common to be found by words."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.text.analysis import spans, terms

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)
TRICKY_TEXT = st.text(st.sampled_from(list("aBé1,.'’-@/_+# \t\n\u3000注意的谁ハンｶ한ᄒ™ﬁ²")), max_size=100)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("GPT-2", ["gpt2", "gpt", "2"], id="compound"),
        pytest.param("GPT2", ["gpt2"], id="joined compound"),
        pytest.param("state-of-the-art", ["stateoftheart", "state", "art"], id="compound with stop words"),
        pytest.param("attention_mask", ["attentionmask", "attent", "mask"], id="underscore"),
        pytest.param("TCP/IP", ["tcp", "ip"], id="slash"),
        pytest.param("C++", ["c++"], id="C++"),
        pytest.param("C++17", ["c++", "17"], id="C++17"),
        pytest.param("C#", ["c#"], id="C sharp"),
        pytest.param("a #hashtag", ["hashtag"], id="hash in front"),
        pytest.param("R@5", ["r@5", "r", "5"], id="recall at"),
        pytest.param("3.14.", ["3.14"], id="decimal at the end of a sentence"),
        pytest.param("1.2.3", ["1.2.3"], id="version"),
        pytest.param("1,000", ["1000"], id="thousand"),
        pytest.param("1,234,567.5", ["1234567.5"], id="million"),
        pytest.param("2019,2020", ["2019", "2020"], id="years without a space"),
        pytest.param("BERT's", ["bert"], id="possessive"),
        pytest.param("BERT’s", ["bert"], id="curly possessive"),
        pytest.param("authors'", ["author"], id="possessive of many"),
        pytest.param("don't", ["dont"], id="contraction"),
        pytest.param("Transformers outperformed", ["transform", "outperform"], id="stems"),
        pytest.param("bert bert", ["bert", "bert"], id="repeats stay"),
        pytest.param("What is the", [], id="stop words only"),
        pytest.param("?! ... -- ()", [], id="punctuation only"),
        pytest.param("🚀👩‍🔬", [], id="emoji only"),
        pytest.param("", [], id="nothing"),
        pytest.param("attention🚀mechanism", ["attent", "mechan"], id="emoji between"),
        pytest.param("attention\0mechanism\x1b", ["attent", "mechan"], id="control characters"),
        pytest.param("Schön naïve Ångström", ["schon", "naiv", "angstrom"], id="accents"),
        pytest.param("Straße", ["strass"], id="sharp s"),
        pytest.param("İstanbul", ["istanbul"], id="dotted capital"),
        pytest.param("ＧＰＴ－２", ["gpt2", "gpt", "2"], id="full width"),
        pytest.param("eﬃcient ﬁne", ["effici", "fine"], id="ligatures"),
        pytest.param("Привет Ελλάδα", ["привет", "ελλαδα"], id="other alphabets"),
    ],
)
def test_terms_of_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("注意力机制", ["注意", "意力", "力机", "机制"], id="Chinese"),
        pytest.param("熵", ["熵"], id="one character"),
        pytest.param("什么是注意力？", ["是注", "注意", "意力"], id="Chinese question word"),
        pytest.param("谁的模型？哪些方法？", ["模型", "方法"], id="Chinese questions"),
        pytest.param("的吗呢", [], id="Chinese stop words only"),
        pytest.param("，。！？", [], id="Chinese punctuation only"),
        pytest.param(
            "GPT-2在GLUE上表现", ["gpt2", "gpt", "2", "在", "glue", "上表", "表现"], id="mixed without spaces"
        ),
        pytest.param("自己注意とモデル", ["自己", "己注", "注意", "意と", "とモ", "モデ", "デル"], id="Japanese"),
        pytest.param("ｶﾀｶﾅ", ["カタ", "タカ", "カナ"], id="half-width kana"),
        pytest.param("어텐션 구조", ["어텐", "텐션", "구조"], id="Korean"),
        pytest.param("\u1112\u1161\u11ab\u1100\u116e\u11a8", ["한국"], id="decomposed Korean"),
        pytest.param("𠮷野家", ["𠮷野", "野家"], id="rare Han"),
    ],
)
def test_terms_of_text_without_spaces(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_words_of_an_alphabet_with_vowel_signs_stay_whole() -> None:
    assert len(terms("हिन्दी भाषा")) == 2


@pytest.mark.parametrize(
    ("document", "question", "shared"),
    [
        pytest.param("GPT-2 was trained on WebText.", "gpt2", {"gpt2"}, id="compound found joined"),
        pytest.param("GPT2 was trained on WebText.", "GPT-2", {"gpt2"}, id="joined found as compound"),
        pytest.param("GPT-2 was trained on WebText.", "GPT", {"gpt"}, id="compound found by its part"),
        pytest.param("Self‑attention layers", "self-attention", {"selfattent", "self", "attent"}, id="other hyphen"),
        pytest.param("Schön", "schon", {"schon"}, id="accent left out"),
        pytest.param("Scho\u0308n", "Schön", {"schon"}, id="composed and decomposed"),
        pytest.param("ＢＥＲＴ", "bert", {"bert"}, id="full width"),
        pytest.param("eﬃciency", "efficient", {"effici"}, id="ligature and stem"),
        pytest.param("The model’s layers", "model", {"model"}, id="possessive"),
        pytest.param("BERT™ was released", "BERT", {"bert"}, id="trade mark sign"),
        pytest.param("It has 110,000 words", "110000", {"110000"}, id="number with comma"),
        pytest.param(
            "注意力机制由Bahdanau提出", "谁提出了注意力机制？", {"注意", "意力", "力机", "机制", "提出"}, id="Chinese"
        ),
        pytest.param("カタカナ", "ｶﾀｶﾅ", {"カタ", "タカ", "カナ"}, id="kana widths"),
    ],
)
def test_document_and_question_meet(document: str, question: str, shared: set[str]) -> None:
    assert set(terms(document)) & set(terms(question)) == shared


@pytest.mark.parametrize(
    "word", [pytest.param("a" * 100_000, id="letters"), pytest.param("a-b_" * 25_000, id="joints")]
)
def test_a_very_long_word_is_cut_into_terms_of_bounded_length(word: str) -> None:
    found = terms(f"first {word} last")
    assert found[0] == "first"
    assert found[-1] == "last"
    assert max(map(len, found)) <= 64


def test_a_very_long_run_of_han_becomes_pairs() -> None:
    assert terms("注意" * 50_000)[:3] == ["注意", "意注", "注意"]
    assert len(terms("注意" * 50_000)) == 99_999


@given(st.one_of(ANY_TEXT, TRICKY_TEXT))
@settings(max_examples=300, deadline=None)
def test_every_term_is_short_and_without_white_space(text: str) -> None:
    for term in terms(text):
        assert term.split() == [term]
        assert len(term) <= 64


@given(st.one_of(ANY_TEXT, TRICKY_TEXT), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
@settings(max_examples=200, deadline=None)
def test_the_form_in_which_unicode_is_written_does_not_matter(text: str, form: str) -> None:
    text = text.translate({ord(sign): " " for sign in "™℠"})  # NFKC makes letters of them; we do not
    assert terms(unicodedata.normalize(form, text)) == terms(text)


def marked(text: str, question: str) -> list[str]:
    """Return the slices of the text that a search for the question would mark."""
    wanted = set(terms(question))
    return [text[start:end] for start, end, words in spans(text) if words & wanted]


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        pytest.param(
            "BERT's Attention, and GPT-2.", "attention gpt bert", ["BERT's", "Attention", "GPT-2"], id="words"
        ),
        pytest.param("uses C++ or C#", "c++", ["C++"], id="C++"),
        pytest.param("Größe und Maß", "grosse", ["Größe"], id="folding makes it longer"),
        pytest.param("İzmir and İstanbul", "istanbul", ["İstanbul"], id="lower case is longer"),
        pytest.param("ﬁne-tuning eﬃcient nets", "efficient", ["eﬃcient"], id="ligature"),
        pytest.param("模型用ＧＰＴ训练", "gpt", ["ＧＰＴ"], id="full width"),
        pytest.param("👩‍🔬 says attention", "attention", ["attention"], id="after emoji"),
        pytest.param("多头注意力", "注意力", ["注意", "意力"], id="Chinese pairs"),
        pytest.param("熵 is entropy", "熵", ["熵"], id="one Chinese character"),
        pytest.param("Scho\u0308n und gut", "schön", ["Scho\u0308n"], id="decomposed accent"),
        pytest.param("nothing here", "attention", [], id="no match"),
    ],
)
def test_spans_are_slices_of_the_text_as_it_stands(text: str, question: str, expected: list[str]) -> None:
    assert marked(text, question) == expected


@given(st.one_of(ANY_TEXT, TRICKY_TEXT))
@settings(max_examples=200, deadline=None)
def test_spans_are_in_order_and_within_the_text(text: str) -> None:
    found = [(start, end) for start, end, _ in spans(text)]
    assert found == sorted(found)
    assert all(0 <= start < end <= len(text) for start, end in found)
