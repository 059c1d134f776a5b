"""What a source says, what it does not, and what only a model can tell; the sentences are of no set that the weights were made from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.judge.claims import rule, weights, words_say
from scholarmind.judge.signs import Comparison

FERRY = (
    "The Tolland ferry began running in 1911 and carried 38,000 passengers in its first summer. Its captain, Greta Lindqvist, had been "
    "trained by Aron Weiss. The ferry was replaced by a bridge in 1957. Most islanders opposed the bridge, although a few shopkeepers "
    "welcomed it. Repairs may take up to three weeks, unless parts are in stock."
)
RESERVOIR = (
    "青石水库建于1962年，总库容为3.4亿立方米。水库由工程师沈怀安设计，他是顾明远的学生。1998年洪水期间，水库拦蓄了约六成的来水。"
    "部分村民反对扩建，理由是耕地会被淹没。"
)
CONFIRMED = {"verified", "paraphrase", "conclusion"}


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The Tolland ferry began running in 1911 and carried 38,000 passengers in its first summer.", FERRY),
        ("The ferry was replaced by a bridge in 1957 [Tolland, 1960].", FERRY),
        ("青石水库建于1962年，总库容为3.4亿立方米。", RESERVOIR),
        ("青石水庫建於1962年，總庫容為3.4億立方米。", RESERVOIR),
    ],
)
def test_what_stands_there_word_for_word_is_verified(sentence: str, source: str) -> None:
    assert rule(sentence, [source]) == "verified"


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Some 38,000 people used the ferry in the summer of 1911, when it started.", FERRY),
        ("沈怀安是顾明远的弟子，这座水库出自他的设计。", RESERVOIR),
        ("1998年发大水时，大约60%的来水被水库拦下。", RESERVOIR),
        ("有些村民不赞成扩建，因为那样会淹掉耕地。", RESERVOIR),
    ],
)
def test_other_words_are_confirmed(sentence: str, source: str) -> None:
    assert rule(sentence, [source]) in {"paraphrase", "conclusion"}


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The Tolland ferry began running in 1911 and carried 83,000 passengers in its first summer.", FERRY),
        ("The Tolland ferry began running in 1919 and carried 38,000 passengers in its first summer.", FERRY),
        ("Aron Weiss had been trained by Greta Lindqvist.", FERRY),
        ("The bridge was replaced by a ferry in 1957.", FERRY),
        ("All islanders opposed the bridge, although a few shopkeepers welcomed it.", FERRY),
        ("Its captain, Greta Lindqvist, had been hated by Aron Weiss.", FERRY),
        ("Zorb7 was invented by aliens.", FERRY),
        ("青石水库建于1926年，总库容为3.4亿立方米。", RESERVOIR),
        ("青石水库建于1962年，总库容为4.3亿立方米。", RESERVOIR),
        ("水库由工程师顾明远设计，他是沈怀安的学生。", RESERVOIR),
        ("水庫由工程師顧明遠設計，他是沈懷安的學生。", RESERVOIR),
        ("所有村民都反对扩建，理由是耕地会被淹没。", RESERVOIR),
        ("部分村民支持扩建，理由是耕地会被淹没。", RESERVOIR),
        ("水库的水主要供给下游的造纸厂。", RESERVOIR),
    ],
)
def test_what_something_speaks_against_is_refused_and_other_words_do_not_save_it(sentence: str, source: str) -> None:
    pointed_at = source[: len(source) // 3]
    assert rule(sentence, [source]) == "refused"
    assert words_say(pointed_at, sentence, [source]) in {"refused", "doubtful"}


@pytest.mark.parametrize(
    ("sentence", "source", "words"),
    [
        ("Most islanders did not oppose the bridge.", FERRY, "Most islanders opposed the bridge"),
        ("Repairs take three weeks.", FERRY, "Repairs may take up to three weeks"),
        ("Repairs take more than three weeks.", FERRY, "Repairs may take up to three weeks"),
        (
            "The mill killed many workers in Leeds.",
            "The mill employed many workers in Leeds.",
            "employed many workers in Leeds",
        ),
        (
            "The road is less than 300 km long.",
            "The road is more than 300 km long.",
            "The road is more than 300 km long",
        ),
        (
            "Marie Curie was poisoned by radium in 1898.",
            "Radium was discovered by Marie Curie in 1898.",
            "Radium was discovered by Marie Curie",
        ),
        ("1998年洪水期间，水库没有拦蓄来水。", RESERVOIR, "水库拦蓄了约六成的来水"),
    ],
)
def test_a_turned_sense_is_not_confirmed_either_by_code_or_by_the_true_words(
    sentence: str, source: str, words: str
) -> None:
    assert rule(sentence, [source]) not in CONFIRMED
    assert words_say(words, sentence, [source]) not in CONFIRMED


def test_a_sentence_in_another_language_is_at_most_doubtful_and_another_year_refused() -> None:
    rulings = [rule(f"The reservoir was built in {year}.", [RESERVOIR]) for year in (1962, 1926)]
    assert rulings == ["doubtful", "refused"]


def test_what_the_document_is_known_by_counts_as_said() -> None:
    sentence = "Lindqvist (1960): The ferry was replaced by a bridge in 1957."
    source = "The ferry was replaced by a bridge in 1957."
    rulings = [rule(sentence, [source], about) for about in ("", "Lindqvist, Ferries, 1960")]
    assert [ruling == "verified" for ruling in rulings] == [False, True]


def test_words_that_say_it_confirm_what_code_leaves_open() -> None:
    sentence = "A bridge replaced the ferry in 1957."
    assert rule(sentence, [FERRY]) == "doubtful"
    assert words_say("“the ferry was  replaced by a bridge in 1957”", sentence, [FERRY]) == "paraphrase"


@pytest.mark.parametrize(
    "words",
    [
        "",
        "...",
        "ferry",
        "the bridge took the place of the ferry",  # stands nowhere
        "Repairs may take up to three weeks",  # stands there, of something else
        "The ferry was replaced ... by a tunnel",
        FERRY,  # the whole passage
    ],
)
def test_words_that_do_not_say_it_confirm_nothing(words: str) -> None:
    assert words_say(words, "A bridge replaced the ferry in 1957.", [FERRY]) == "doubtful"


def test_pieces_from_several_sentences_make_a_conclusion() -> None:
    sentence = (
        "Some 38,000 people used the ferry in the summer of 1911, when it started, and a bridge replaced it in 1957."
    )
    words = "carried 38,000 passengers in its first summer … The ferry was replaced by a bridge in 1957"
    assert words_say(words, sentence, [FERRY]) in {"conclusion", "doubtful"}
    assert (
        words_say("began running in 1911 ... carried 38,000 passengers", sentence, [FERRY]) == "doubtful"
    )  # 1957 is not there


@pytest.mark.parametrize(
    ("sentence", "source", "confirmed"),
    [
        ("The ferry ran to: Norby", "The ferry ran to Aldsund, Norby and West Haven.", True),
        ("The ferry ran to: West Haven", "The ferry ran to Aldsund, Norby and West Haven.", True),
        ("The ferry ran to: Norby", "The ferry never ran to Aldsund, Norby and West Haven.", False),
        ("The ferry ran to: Haven", "The ferry ran to Aldsund, Norby and West Haven.", False),
        ("The ferry ran to: Leeds", "The ferry ran to Aldsund, Norby and West Haven.", False),
    ],
)
def test_one_name_of_a_list_is_said_with_what_leads_over_to_it(sentence: str, source: str, confirmed: bool) -> None:
    assert (rule(sentence, [source]) in CONFIRMED) is confirmed


GALLERY = (
    "The gallery, opened in 1921 by the painter's widow, shows 40 of his oil paintings and lends them to schools. "
    "The Dutch master Vos taught Hartog and the Flemish master Claes taught Ruben. It may be closed in winter."
)


@pytest.mark.parametrize(
    ("sentence", "confirmed"),
    [
        ("The gallery shows 40 of his oil paintings.", True),
        ("The gallery lends them to schools.", True),
        ("The schools lend them to the gallery.", False),  # another order
        ("The Dutch master Vos taught Ruben.", False),  # somebody else between
        ("The gallery is closed in winter.", False),  # reserve left out
        ("The gallery shows 40 oil paintings of Vos.", False),  # of two sentences
    ],
)
def test_a_sentence_with_words_left_out_is_confirmed_unless_they_turn_it(sentence: str, confirmed: bool) -> None:
    assert (rule(sentence, [GALLERY]) in CONFIRMED) is confirmed


@pytest.mark.parametrize("sources", [[], [""], ["  "]])
def test_without_a_source_nothing_is_said(sources: list[str]) -> None:
    assert rule("The ferry was replaced by a bridge.", sources) == "refused"


@settings(max_examples=150, deadline=None)
@given(sentence=st.text(max_size=200), source=st.text(max_size=300), about=st.text(max_size=40))
def test_any_text_is_judged(sentence: str, source: str, about: str) -> None:
    assert rule(sentence, [source, FERRY], about) in {*CONFIRMED, "doubtful", "refused"}
    assert words_say(source, sentence, [source, RESERVOIR], about) in {
        "paraphrase",
        "conclusion",
        "doubtful",
        "refused",
    }


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="一半百分之千万两.,0159 %sA half年not被", max_size=120))
def test_odd_numbers_and_grammar_are_judged(text: str) -> None:
    assert rule(text, [f"{text[::-1]}。{text}", FERRY]) in {*CONFIRMED, "doubtful", "refused"}


@pytest.mark.parametrize("unit", ["1,", "half a ", "一", "半年", "百分之", "[", "a b. ", "two ", "。"])
def test_long_hostile_text_is_cut(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    assert rule(text, [text]) not in CONFIRMED


def test_the_weights_are_those_of_the_signs_that_are_counted() -> None:
    counted = Comparison.of("The ferry was replaced by a bridge.", [FERRY]).signs
    for forest in (weights().unread, weights().read):
        assert all(low < high for low, high in forest.limits.values())
        assert sorted(forest.limits) == ["en", "zh"]
        assert len(counted.keys() & set(forest.signs)) > 60
    assert {"odds", "trees"} <= set(weights().read.signs)


class TestWithAReaderOfMeaning:
    """`Entailment` is a function; here it says what each case needs."""

    FREE = "Schooling under Weiss preceded the command that Lindqvist held."

    def test_odds_move_a_sentence_in_other_words(self) -> None:
        assert rule(self.FREE, [FERRY], "", lambda _, __: -4.0) == "doubtful"
        assert rule(self.FREE, [FERRY], "", lambda _, __: 4.0) == "paraphrase"

    def test_no_odds_make_up_for_a_number_that_no_source_has(self) -> None:
        assert rule("The ferry began running in 1923.", [FERRY], "", lambda _, __: 9.0) not in CONFIRMED

    def test_word_for_word_needs_no_reader(self) -> None:
        def never(text: str, sentence: str) -> float:
            raise AssertionError((text, sentence))

        assert rule("The ferry was replaced by a bridge in 1957.", [FERRY], "", never) == "verified"

    def test_without_odds_signs_of_words_decide(self) -> None:
        assert rule(self.FREE, [FERRY], "", lambda _, __: None) == rule(self.FREE, [FERRY])

    def test_odds_decide_between_languages(self) -> None:
        english = "The reservoir was designed by its engineer."
        assert rule(english, [RESERVOIR], "", lambda _, __: 4.0) == "paraphrase"
        assert rule(english, [RESERVOIR], "", lambda _, __: -4.0) == "refused"

    def test_a_reader_is_shown_the_nearest_sentences_of_long_sources(self) -> None:
        seen: list[str] = []
        filling = " ".join(
            f"Line {number} of the register names a vessel, its owner and its home port." for number in range(60)
        )

        def noting(text: str, sentence: str) -> float:
            seen.append(text)
            return 0.0

        rule(self.FREE, [filling, FERRY], "Ferries of Tolland", noting)
        assert len(seen[0]) < 1_500
        assert "Greta Lindqvist" in seen[0]
        assert seen[0].startswith("Ferries of Tolland")

    def test_words_that_nobody_reads_confirm_only_by_their_signs(self) -> None:
        lie = "A storm sank two boats of the harbour company."
        words = "Repairs may take up to three weeks"
        assert words_say(words, lie, [FERRY], "", lambda _, __: None) == words_say(words, lie, [FERRY])
        assert words_say(words, lie, [FERRY], "", lambda _, __: None) not in CONFIRMED
