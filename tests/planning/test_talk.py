"""Small talk is told from questions: only a text that is nothing else counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.planning.question_gate import small_talk

TALK = {
    "greeting": (
        "hello",
        "Hi there!",
        "Good morning everyone",
        "How's it going?",
        "What’s up?",
        "你好",
        "您好！",
        "嗨",
        "早上好，老师",
    ),
    "thanks": (
        *("thanks", "Thank you so much!", "thanks for your help, that was great", "Thank you so much, bye!", "THX"),
        *("谢谢", "非常感谢您的帮助", "好的，谢谢"),
    ),
    "farewell": ("bye", "Goodbye!", "see you later", "good night", "再见", "拜拜"),
    "about us": (
        "who are you?",
        "Hello, who are you?",
        "What can you do?",
        "Help!",
        "你是谁？",
        "你能做什么",
        "请介绍一下你自己",
    ),
    "empty": ("", "  \n", "??!", "。。。", "😀", "…", "ok", "好的"),
}
QUESTIONS = (
    *("thanks to whom was X built?", "What does hello world print?", "Bye Bye Birdie", "Hey Jude", "hi-fi", "Who is Yo-Yo Ma?", "#1"),
    *("thanks, and what is BERT?", "Hello! What dataset did BERT use?", "Who are you quoting on page 3?", "help vampires", "RAG"),
    *("你好，请问BERT是什么？", "感谢信的作者是谁？", "早安少女组", "什么是你好", "谢谢光临是什么意思？", "再见列宁的导演是谁"),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TALK.items() for text in texts])
def test_talk_is_told_by_its_kind(kind: str, text: str) -> None:
    assert small_talk(text) == kind


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_that_begin_like_talk_are_questions(question: str) -> None:
    assert small_talk(question) is None


@settings(deadline=None)
@given(st.text(alphabet="thanks hello你好谢谢!?,. ", max_size=300))
def test_a_long_text_is_no_talk(text: str) -> None:
    question = f"hello {text} transformer"
    assert small_talk(question) is None


@settings(deadline=None)
@given(st.text(alphabet=st.characters(categories=("P", "S", "Z")), max_size=500))
def test_signs_without_a_word_are_empty(text: str) -> None:
    assert small_talk(text) == "empty"


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(["hello", "谢谢", "bye"]))
def test_signs_around_talk_change_nothing(text: str, talk: str) -> None:
    signs = "".join(sign for sign in text if sign in "!?.,;:()[]-_ \n。！？，；：、…")[:50]
    assert small_talk(f"{signs} {talk} {signs}") == small_talk(talk)
