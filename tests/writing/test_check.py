"""Support: what code can confirm of a sentence, and what it must never confirm."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scholarmind.answer import Support
from scholarmind.text.sentences import sentences
from scholarmind.writing.check import support

ENGLISH = """\
Otter-Large has 24 layers, 1,024 hidden units and 340 million parameters; Otter-Base has 12 layers and 110 million parameters. \
On the public River benchmark, Otter-Large obtains a score of 80.5, against 72.8 for Heron. \
It was trained for four days on 2,500 million words. \
The results changed by -3.5% after pruning, and accuracy rose by 2.3 percentage points on Delta 2.0. \
Otter has no natural way to generate text. Each step of Otter is updated more slowly than a step of Heron. \
The code was released on 2019-05-01 under a free licence. A smaller network is not able to learn the task without supervision. \
Heron, which Mira Falk proposed in May 2018, reaches 93.2 F1.

The price fell from $5 million to $4.2 million; nobody noticed."""
CHINESE = """水獭模型由北京的李雷团队于2021年5月提出，共有24层、16个注意力头，参数量为3.4亿。\
在河流测试集上，水獭模型的准确率为78.4%，苍鹭模型为77.2%。剪枝以后误差下降了2.3个百分点。\
水獭模型没有改动自注意力，也不支持文本生成。训练语料共有1,730万句，训练耗时4天。ＯＴＴＥＲ在XNLI上比Heron高1.2个百分点。"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param(
            "On the public River benchmark, Otter-Large obtains a score of 80.5, against 72.8 for Heron.",
            "verified",
            id="quote",
        ),
        pytest.param(
            "on the PUBLIC river benchmark “Otter-Large” obtains a score of 80.5 against 72.8 for Heron",
            "verified",
            id="case, signs",
        ),
        pytest.param(
            "Otter-Large has 24 layers, 1024 hidden units and 340 million parameters", "verified", id="1,024 is 1024"
        ),
        pytest.param("Ｏｔｔｅｒ has no natural way to generate text.", "verified", id="full width"),
        pytest.param(
            "Indeed, Otter-Large has 24 layers, 1,024 hidden units and 340 million parameters",
            "verified",
            id="a word in front",
        ),
        pytest.param("trained for four days on 2,500 million words", "verified", id="piece"),
        pytest.param(
            "It was trained for four days on 2,500 million words [Falk et al., 2019a].", "verified", id="citation"
        ),
        pytest.param(
            "On the public River benchmark, Otter-Large obtains a score of 80.6, against 72.8 for Heron.",
            "unsupported",
            id="number",
        ),
        pytest.param(
            "On the public River benchmark, Otter-Large obtains a score of 80.5, against 80.5 for Heron.",
            "paraphrase",
            id="repeated number",
        ),
        pytest.param(
            "On the public River benchmark, Otter-Large obtains a score of 8.05, against 72.8 for Heron.",
            "unsupported",
            id="decimal point",
        ),
        pytest.param("The results changed by 3.5% after pruning", "unsupported", id="sign"),
        pytest.param("The results changed by -3.5% after pruning", "verified", id="same sign"),
        pytest.param("The results changed by −3.5 % after pruning", "verified", id="other minus"),
        pytest.param("The results changed by -3.5 points after pruning", "unsupported", id="points for percent"),
        pytest.param("accuracy rose by 2.3% on Delta 2.0", "unsupported", id="percent for points"),
        pytest.param("accuracy rose by 2.3 percentage points on Delta 2.0", "verified", id="points"),
        pytest.param("accuracy fell by 2.3 percentage points on Delta 2.0", "unsupported", id="other direction"),
        pytest.param("accuracy rose by 2.3 percentage points on Delta 2.1", "unsupported", id="other version"),
        pytest.param("Otter has a natural way to generate text.", "unsupported", id="negation taken out"),
        pytest.param(
            "A smaller network is notable to learn the task without supervision.",
            "unsupported",
            id="letters alone are the same",
        ),
        pytest.param("A smaller network is able to learn the task without supervision.", "unsupported", id="not able"),
        pytest.param(
            "It is not true that Otter-Large has 24 layers, 1,024 hidden units and 340 million parameters",
            "unsupported",
            id="denied",
        ),
        pytest.param("Each step of Otter is updated more quickly than a step of Heron.", "unsupported", id="opposite"),
        pytest.param("The code was released on 2019-05-01 under a free licence.", "verified", id="date"),
        pytest.param("The code was released on 2019-06-01 under a free licence.", "unsupported", id="other month"),
        pytest.param("The code was released on 2018-05-01 under a free licence.", "unsupported", id="other year"),
        pytest.param(
            "Heron, which Mira Falk proposed in June 2018, reaches 93.2 F1.", "unsupported", id="other month by name"
        ),
        pytest.param("Heron, which Anna Falk proposed in May 2018, reaches 93.2 F1.", "unsupported", id="other name"),
        pytest.param(
            "Raven, which Mira Falk proposed in May 2018, reaches 93.2 F1.", "unsupported", id="other subject"
        ),
        pytest.param(
            "Heron, which Mira Falk proposed in May 2018, reaches 93.2 F2.", "unsupported", id="other measure"
        ),
        pytest.param("Mira Falk proposed Heron in May 2018.", "paraphrase", id="paraphrase"),
        pytest.param("On River, Otter-Large scores 80.5 and Heron 72.8.", "paraphrase", id="paraphrase with numbers"),
        pytest.param("Otter-Base has 110M parameters.", "paraphrase", id="110 million is 110M"),
        pytest.param("Otter-Base has 24 layers.", "unsupported", id="number of another of the family"),
        pytest.param("Otter was trained on 2.5 billion words.", "paraphrase", id="2,500 million is 2.5 billion"),
        pytest.param("It was trained for five days on 2,500 million words.", "unsupported", id="number word"),
        pytest.param("The price fell from $5 million to $4.2 million", "verified", id="money"),
        pytest.param("The price fell from $5 million to $4.2 billion", "unsupported", id="other scale"),
        pytest.param("The price fell from €5 million to €4.2 million", "unsupported", id="other money"),
        pytest.param("Otters live in rivers and eat fish.", "unsupported", id="something else"),
        pytest.param("93.2 F1", "paraphrase", id="too short for a quote"),
        pytest.param("93.3", "unsupported", id="only a number, another one"),
        pytest.param("", "unsupported", id="nothing"),
        pytest.param("的了吗", "unsupported", id="no content"),
    ],
)
def test_support_of_english_claims(claim: str, expected: Support) -> None:
    assert support(claim, [ENGLISH]) == expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("在河流测试集上，水獭模型的准确率为78.4%，苍鹭模型为77.2%。", "verified", id="quote"),
        pytest.param(
            "在河流测试集上水獭模型的准确率为７８．４％苍鹭模型为７７．２％", "verified", id="full width, no signs"
        ),
        pytest.param("在河流测试集上，水獭模型的准确率为78.5%，苍鹭模型为77.2%。", "unsupported", id="number"),
        pytest.param("在河流测试集上，水獭模型的准确率为78.4个百分点，苍鹭模型为77.2%。", "unsupported", id="unit"),
        pytest.param("剪枝以后误差下降了2.3个百分点。", "verified", id="points"),
        pytest.param("剪枝以后误差下降了2.3%。", "unsupported", id="percent for points"),
        pytest.param("剪枝以后误差上升了2.3个百分点。", "unsupported", id="other direction"),
        pytest.param("水獭模型没有改动自注意力，也不支持文本生成。", "verified", id="negation"),
        pytest.param("水獭模型改动了自注意力，也支持文本生成。", "unsupported", id="negation taken out"),
        pytest.param("水獭模型由北京的李雷团队于2021年5月提出，共有24层", "verified", id="date"),
        pytest.param("水獭模型由北京的李雷团队于2021年6月提出，共有24层", "unsupported", id="other month"),
        pytest.param("水獭模型由上海的韩梅团队于2021年5月提出，共有24层", "unsupported", id="other people"),
        pytest.param("训练语料共有1730万句，训练耗时4天。", "verified", id="1,730 is 1730"),
        pytest.param("训练语料共有0.173亿句", "paraphrase", id="another scale"),
        pytest.param("训练语料共有1730亿句，训练耗时4天。", "unsupported", id="other scale"),
        pytest.param("水獭模型的参数量是3.4亿", "paraphrase", id="paraphrase"),
        pytest.param("OTTER在XNLI上比Heron高1.2个百分点", "verified", id="Latin names"),
        pytest.param("OTTER在MNLI上比Heron高1.2个百分点", "unsupported", id="other data set"),
        pytest.param("今天天气很好，我们去公园散步。", "unsupported", id="something else"),
    ],
)
def test_support_of_chinese_claims(claim: str, expected: Support) -> None:
    assert support(claim, [CHINESE]) == expected


def test_a_quote_that_repeats_itself_is_searched_to_the_place_with_the_right_number() -> None:
    quote = "The score of the model is 8.05 here. The score of the model is 80.5 here."
    assert support("The score of the model is 80.5 here.", [quote]) == "verified"


def test_numbers_of_two_quotes_make_no_quote_but_a_paraphrase() -> None:
    quotes = ["Otter scores 80.5 on River.", "Heron scores 72.8 on River."]
    assert support("On River, Otter scores 80.5, and Heron scores 72.8.", quotes) == "paraphrase"


def test_an_attribution_in_front_of_a_whole_sentence_may_name_somebody() -> None:
    quote = "Pruning removes the weights that matter least, and training goes on with those that are left, so that accuracy recovers."
    assert support(f"Falk says: {quote}", [quote]) == "verified"


def test_a_name_in_place_of_another_is_not_verified() -> None:
    quote = "Otter removes the weights that matter little, and training goes on with those that are left, so that accuracy recovers."
    assert support(quote.replace("Otter", "Heron"), [quote]) == "unsupported"


def test_no_quotes_support_nothing() -> None:
    assert support("Otter has no natural way to generate text.", []) == "unsupported"
    assert support("Otter has no natural way to generate text.", ["", " \n"]) == "unsupported"


WORDS = st.sampled_from(
    "the Otter model Heron score of is not 80.5 72.8% 1,024 2019 -3.5 $5 million 12 layers BM25 GPT-2 R@5 v1.5 2019-05-01 and on 3.4亿 "
    "准确率为 没有 提升了 2.3个百分点 模型 百分之 ７８．４ . , ; 。 ， \n\n - ( ) “ Ⅳ ² é ﬁ ½ e\u0301".split(" ")
)
PASSAGES = st.lists(WORDS, min_size=5, max_size=80).map(" ".join) | st.lists(WORDS, min_size=5, max_size=80).map(
    "".join
)
TEXTS = st.text(max_size=300) | PASSAGES


def letters(text: str) -> int:
    return sum(map(str.isalnum, text))


@settings(deadline=None)
@given(PASSAGES | st.sampled_from([ENGLISH, CHINESE]), st.data())
def test_a_sentence_cut_out_of_a_passage_is_verified(passage: str, data: st.DataObject) -> None:
    spans = [span for span in sentences(passage) if letters(passage[slice(*span)]) >= 12]
    assume(spans)
    start, end = data.draw(st.sampled_from(spans))
    assert support(passage[start:end], ["Something else.", passage]) == "verified"


@settings(deadline=None)
@given(PASSAGES | st.sampled_from([ENGLISH, CHINESE]), st.data())
def test_a_changed_digit_is_never_verified(passage: str, data: st.DataObject) -> None:
    spans = [span for span in sentences(passage) if re.search("[0-9]", passage[slice(*span)])]
    assume(spans)
    start, end = data.draw(st.sampled_from(spans))
    claim = passage[start:end]
    place = data.draw(st.sampled_from([match.start() for match in re.finditer("[0-9]", claim)]))
    digit = data.draw(st.sampled_from("0123456789").filter(lambda digit: digit != claim[place]))
    changed = claim[:place] + digit + claim[place + 1 :]
    figures = [re.findall(r"\d+", passage[slice(*span)]) for span in sentences(passage) if span != (start, end)]
    assume(re.findall(r"\d+", changed) not in figures and changed not in passage)  # it may be true of another sentence
    assert support(changed, [claim]) != "verified"
    assert support(changed, [passage]) != "verified"


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_support_never_raises(claim: str, quotes: list[str]) -> None:
    assert support(claim, quotes) in {"verified", "paraphrase", "unsupported"}


@pytest.mark.parametrize("unit", ["a", "a b ", "1.", "1,000 ", "不", "[", "not ", "80.5% ", "。", "(", "-", "A-"])
def test_long_repetitive_texts_are_checked(unit: str) -> None:
    text = unit * (8_000 // len(unit))
    assert support(text[:2_000] + " x", [text, text + "!"]) in {"verified", "paraphrase", "unsupported"}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        pytest.param(
            "Dense products run on tensor cores, which the scan of Heron could use.",
            "Dense products run on tensor cores, which the scan of Heron could not use.",
            id="negation left out near the end",
        ),
        pytest.param(
            "On River, Otter scores 72.8, against 80.5 for Heron.",
            "On River, Otter scores 80.5, against 72.8 for Heron.",
            id="numbers swapped",
        ),
        pytest.param(
            "在河流上，水獭为72.8，苍鹭为80.5。", "在河流上，水獭为80.5，苍鹭为72.8。", id="numbers swapped, Chinese"
        ),
        pytest.param(
            "实验在四个数据集上比较了两种方法。", "实验在三个数据集上比较了两种方法。", id="number word, Chinese"
        ),
    ],
)
def test_small_changes_that_turn_the_sense_are_unsupported(claim: str, quote: str) -> None:
    assert support(quote, [quote]) == "verified"
    assert support(claim, [quote]) == "unsupported"


def test_a_citation_that_the_passage_itself_has_is_part_of_the_quote() -> None:
    quote = "As shown before [Falk, 2019], the score of the model is 80.5 on River."
    assert support(quote, [quote]) == "verified"
    assert support("As shown before, the score of the model is 80.5 on River.", [quote]) == "paraphrase"
