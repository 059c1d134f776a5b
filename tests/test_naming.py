"""What documents are called, and where such names stand: quotes, scripts, possessives, capitals, and the forms that people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.identity import KEY_TOKENS, end_of, is_written_as_name, keys_in, names_of, short_name, tokens
from scholarmind.model import Document

ALPHABET = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    list("aZ 9'’s(（)）:：|–-,.#+_\"「」公司集团éİßﬁ½①㎏的🤖\u0301")
)
TEXTS = st.text(ALPHABET, max_size=80)


def words(text: str) -> list[str]:
    """Return the tokens of a text."""
    return [token.text for token in tokens(text)]


def names(**fields: object) -> set[tuple[str, str]]:
    """Return the field and the tokens of every name of a document."""
    return {(name.field, name.tokens) for name in names_of(Document(**{"id": "x", "title": "", **fields}))}  # type: ignore[arg-type]


def titles(title: str) -> set[str]:
    """Return the names that follow from a title."""
    return {name for _, name in names(title=title)}


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("GPT-2's size", ["gpt", "2", "size"]),
            ("BERT’s masks", ["bert", "masks"]),
            ("WHAT IS MOODY'S RATING", ["what", "is", "moody", "rating"]),
            ("Moody's的评级", ["moody", "的", "评", "级"]),
            ("'S&P 500' index", ["s", "p", "500", "index"]),
            ("O'Reilly", ["o", "reilly"]),
            ("C++ and C#, R", ["c++", "and", "c#", "r"]),
            ("知识增强BERT模型", ["知", "识", "增", "强", "bert", "模", "型"]),
            ("«Schön» “Größe”", ["schon", "grosse"]),
            ("ＧＰＴ－２", ["gpt", "2"]),
            ("snake_case", ["snake", "case"]),
            ("½ ﬁne", ["1", "2", "fine"]),
            ("🤖 🤗", []),
            ("", []),
        ],
    )
    def test_what_is_a_token(self, text: str, expected: list[str]) -> None:
        assert words(text) == expected

    def test_accents_may_be_characters_of_their_own(self) -> None:
        assert words("Poke\u0301mon Jose\u0301") == words("Pokémon José") == ["pokemon", "jose"]

    def test_where_they_stand(self) -> None:
        text = "Is 「BERT」's 大小 known?"
        assert [text[token.start : token.end] for token in tokens(text)] == ["Is", "BERT", "大", "小", "known"]

    def test_only_small_letters_are_not_capital(self) -> None:
        assert [token.capital for token in tokens("Bert bert 2 大 éa Éa")] == [True, False, True, True, False, True]

    @given(TEXTS)
    def test_tokens_are_made_of_themselves(self, text: str) -> None:
        found = words(text)
        assert words(" ".join(found)) == found

    @given(TEXTS)
    def test_places_are_in_order(self, text: str) -> None:
        places = [(token.start, token.end) for token in tokens(text)]
        assert all(0 <= start < end <= len(text) for start, end in places)
        assert places == sorted(places)


class TestNamesOf:
    @pytest.mark.parametrize(
        ("title", "expected"),
        [
            ("BERT", {"bert"}),
            ("BERT: Pre-training of Transformers", {"bert pre training of transformers", "bert"}),
            ("知识增强：一种方法", {"知 识 增 强 一 种 方 法", "知 识 增 强"}),
            ("Long Short-Term Memory (LSTM)", {"long short term memory lstm", "long short term memory"}),
            ("阿里巴巴集团（中国）", {"阿 里 巴 巴 集 团 中 国", "阿 里 巴 巴 集 团", "阿 里 巴 巴"}),
            ("Acme Robotics, Inc.", {"acme robotics inc", "acme robotics"}),
            ("腾讯控股有限公司", {"腾 讯 控 股 有 限 公 司", "腾 讯 控 股"}),
            ("Llama – Open Models", {"llama open models", "llama"}),
            ('"Why Should I Trust You?"', {"why should i trust you"}),
            ("🤖 Bot", {"bot"}),
            ("🤖", set()),
            ("", set()),
            ("   ", set()),
            ("1984", set()),
            ("The", set()),
            ("Who is it", set()),
            ("美", set()),
            ("x" * 121, set()),
        ],
    )
    def test_forms_of_a_title(self, title: str, expected: set[str]) -> None:
        assert titles(title) == expected

    def test_every_field_that_names(self) -> None:
        found = names(
            title="BERT",
            authors=("Jacob Devlin", "王 小明"),
            source="ACL: Long Papers",
            metadata={
                "aliases": ("BERT-Base", "word2vec"),
                "dataset": "GLUE",
                "tags": ("Encoder", "masks"),
                "pages": 16,
            },
        )
        assert found == {
            ("title", "bert"),
            ("author", "jacob devlin"),
            ("author", "王 小 明"),
            ("source", "acl long papers"),
            ("source", "acl"),
            ("aliases", "bert base"),
            ("aliases", "word2vec"),
            ("dataset", "glue"),
            ("tags", "encoder"),
        }

    @pytest.mark.parametrize("field", ["language", "DOI", "Url", "category", "abstract", "hash"])
    def test_fields_that_name_nothing(self, field: str) -> None:
        assert names(metadata={field: "Some Value"}) == set()

    def test_values_that_are_sentences_name_nothing(self) -> None:
        assert names(metadata={"summary": "A" * 61}) == set()

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"metadata": {"arxiv": "1706.03762v5"}}, ("arxiv", "1706 03762")),
            ({"metadata": {"arxiv": 1706.0376}}, ("arxiv", "1706 03760")),
            ({"metadata": {"url": "https://arxiv.org/abs/cs/0309136"}}, ("arxiv", "cs 0309136")),
            ({"metadata": {"doi": "https://doi.org/10.18653/v1/N19-1423"}}, ("doi", "10 18653 v1 n19 1423")),
        ],
    )
    def test_what_identifies_a_paper(self, fields: dict[str, object], expected: tuple[str, str]) -> None:
        assert names(**fields) == {expected}

    @pytest.mark.parametrize("field", ["date", "published"])
    def test_a_day(self, field: str) -> None:
        expected = {("date", "2023 11 24"), ("date", "2023 11"), ("date", "11 24")}
        assert names(metadata={field: "2023-11-24T10:00:00"}) == expected

    def test_a_month(self) -> None:
        assert names(metadata={"date": "2023年11月"}) == {("date", "2023 11")}

    @pytest.mark.parametrize("value", ["2023", "yesterday", "2023-02-30", "", 2023, True])
    def test_no_day(self, value: object) -> None:
        assert names(metadata={"date": value}) == set()

    def test_the_key_is_the_beginning(self) -> None:
        (name,) = names_of(Document(id="x", title="One two three four five six seven eight"))
        assert (name.key, name.tokens) == ("one two three four five six", "one two three four five six seven eight")

    @given(title=TEXTS, author=TEXTS, value=TEXTS)
    def test_any_name_is_found_in_its_own_words(self, title: str, author: str, value: str) -> None:
        document = Document(id="x", title=title, authors=(author,), metadata={"method": value})
        for name in names_of(document):
            if name.field != "date":
                assert words(name.tokens) == name.tokens.split(" ")
                assert name.key == " ".join(name.tokens.split(" ")[:KEY_TOKENS])
                assert end_of(tokens(name.tokens), 0, name.tokens) == len(name.tokens.split(" "))

    @pytest.mark.parametrize(
        "piece", [" ", "(", "（", ") ", ", ", "a:", "|", "a ", "'s", "e\u0301", "公司", "co ", "- "]
    )
    def test_endless_titles(self, piece: str) -> None:
        # this would take many minutes if the work grew with the square of the length
        assert len(titles(f"a{piece * 100_000}b")) <= 2

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"title": "BERT: Pre-training"}, "BERT"),
            ({"title": "Memory (LSTM)"}, "Memory"),
            ({"title": "Title", "metadata": {"alias": " GLUE "}}, "GLUE"),
            ({"title": "Title", "metadata": {"aliases": ("A1", "A2")}}, "A1"),
            ({"title": "Title", "metadata": {"aliases": ()}}, "Title"),
            ({"title": "(only)"}, "x"),
            ({"title": ""}, "x"),
        ],
    )
    def test_short_name(self, fields: dict[str, object], expected: str) -> None:
        assert short_name(Document(**{"id": "x", **fields})) == expected  # type: ignore[arg-type]


class TestInTexts:
    def test_keys_begin_at_every_token(self) -> None:
        assert keys_in(tokens("Is BERT is")) == {
            "is": [0, 2],
            "is bert": [0],
            "is bert is": [0],
            "bert": [1],
            "bert is": [1],
        }

    def test_keys_that_begin_with_a_capital(self) -> None:
        assert list(keys_in(tokens("the big Bert 大"), capitals=True)) == ["bert", "bert 大", "大"]

    def test_as_many_keys_as_tokens_allow(self) -> None:
        found = tokens(" ".join(f"w{number}" for number in range(5_000)))
        assert sum(map(len, keys_in(found).values())) == 5_000 * KEY_TOKENS - sum(range(KEY_TOKENS))

    def test_the_whole_name_must_stand_there(self) -> None:
        found = tokens("one two three")
        assert [end_of(found, place, "two three") for place in range(4)] == [None, 3, None, None]
        assert end_of(found, 1, "two three four") is None

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Bert", True),
            ("bert", False),
            ("BERT", True),
            ("bert2", True),
            ("gpt-2", True),
            ("c++", True),
            ("大", True),
        ],
    )
    def test_a_single_plain_word_needs_a_capital(self, text: str, expected: bool) -> None:
        found = tokens(text)
        assert is_written_as_name(found, 0, len(found)) is expected
