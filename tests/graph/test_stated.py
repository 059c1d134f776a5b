"""What a model says that passages state, held against their words."""

from dataclasses import replace

import pytest

from scholarmind.graph.document_statements import paper_of, thing
from scholarmind.library.model_extraction import ModelStatement, StatementsReply, checked, joined
from scholarmind.model import Document, Passage
from scholarmind.relations import Extracted, Statement

DOCUMENT = Document(id="otter", title="Otter: a small model")
TEXT = (
    "We propose Otter, a small model. Otter outperforms Badger by two points. Otter does not outperform Weasel. "
    "On the Riverbank test set, Otter reaches 80.5 F1 and 77.1% accuracy."
)
CHINESE = "我们提出水獭模型。水獭模型在河岸数据集上的F1值达到80.5。"
PASSAGES = {
    "P1": Passage(text=TEXT, start=100, end=100 + len(TEXT), position=0),
    "P2": Passage(text=CHINESE, start=900, end=900 + len(CHINESE), position=1),
}
BETTER = ModelStatement(
    relation="IMPROVES_ON",
    source="Otter",
    target="Badger",
    passage="P1",
    quote="Otter  outperforms Badger\nby two points.",
)
RESULT = ModelStatement(
    relation="REPORTS",
    source="Otter",
    target="Riverbank",
    passage="P1",
    quote="On the Riverbank test set, Otter reaches 80.5 F1",
    metric="F1",
    value="80.5",
    setting="test set",
)


def kept(*said: ModelStatement) -> list[Statement]:
    """Return what is believed of these."""
    return checked(StatementsReply(statements=said), PASSAGES, DOCUMENT)[0]


def test_what_the_words_prove_is_kept_with_their_place() -> None:
    (found,) = kept(BETTER)
    assert (found.relation, found.source, found.target) == (
        "IMPROVES_ON",
        thing("method", "Otter"),
        thing("method", "Badger"),
    )
    assert (found.by, TEXT[found.start - 100 : found.end - 100]) == ("model", "Otter outperforms Badger by two points.")


def test_a_result_has_its_number_metric_and_setting() -> None:
    (found,) = kept(RESULT)
    assert (found.metric, found.value, found.number, found.setting) == ("F1", "80.5", 80.5, "test set")


def test_the_document_itself_is_this() -> None:
    quote = "We propose Otter, a small model."
    said = ModelStatement(relation="proposes", source="this", target="Otter", passage="P1", quote=quote)
    (found,) = kept(said)
    assert (found.source, found.target) == (paper_of(DOCUMENT), thing("method", "Otter"))


def test_chinese_words_prove_as_well() -> None:
    said = replace(RESULT, source="水獭模型", target="河岸", passage="P2", quote=CHINESE.split("。")[1], metric="F1值")
    (found,) = kept(replace(said, setting=""))
    assert (found.source.name, found.target.name, found.number, found.start) == ("水獭模型", "河岸", 80.5, 909)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (replace(BETTER, relation="LOVES"), "a relation that there is not"),
        (replace(BETTER, passage="P7"), "a passage that was not shown"),
        (replace(BETTER, quote="Otter beats Badger"), "a quote that is not in the passage"),
        (replace(BETTER, quote=""), "a quote that is not in the passage"),
        (replace(BETTER, target="Beaver"), "a name that is not in the passage"),
        (replace(BETTER, target="Badge"), "a name that is not in the passage"),
        (replace(BETTER, source="it"), "a word that is no name"),
        (replace(BETTER, target="2"), "a word that is no name"),
        (replace(BETTER, target="otter"), "a thing in relation to itself"),
        (replace(BETTER, target="Weasel", quote="Otter does not outperform Weasel."), "a quote that denies it"),
        (replace(BETTER, target="Weasel", quote="a small model"), "a quote that names neither side"),
        (
            replace(BETTER, relation="PROPOSES", source="Attention Is All You Need", target="Otter"),
            "another paper as its source",
        ),
        (replace(RESULT, value="0.5"), "a number that is not in the quote"),
        (replace(RESULT, value="80"), "a number that is not in the quote"),
        (replace(RESULT, value="77.1%"), "a number that is not in the quote"),
        (replace(RESULT, value="many"), "a number that is not in the quote"),
        (replace(RESULT, metric="BLEU"), "a metric that is not in the passage"),
        (replace(RESULT, metric=""), "a metric that is not in the passage"),
    ],
)
def test_what_they_do_not_prove_is_left_out_with_the_reason(said: ModelStatement, reason: str) -> None:
    statements, dropped = checked(StatementsReply(statements=(said, BETTER)), PASSAGES, DOCUMENT)
    assert (statements, dict(dropped)) == (kept(BETTER), {reason: 1})


def test_a_setting_that_nobody_names_is_left_away() -> None:
    (found,) = kept(replace(RESULT, setting="ensemble"))
    assert (found.value, found.setting) == ("80.5", "")


def test_what_the_rules_found_is_not_doubled() -> None:
    (better,), (result,) = kept(BETTER), kept(RESULT)
    by_rules = replace(better, source=thing("method", "the OTTER"), by="rules", confidence=0.9)
    ruled = Extracted(collection="default", document="otter", statements=(by_rules,), version="rules")
    both = joined(ruled, [better, result, result], version="rules + m")
    assert both == replace(ruled, statements=(by_rules, result), version="rules + m")
