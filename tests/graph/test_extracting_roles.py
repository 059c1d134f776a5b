"""Names that nobody knows, recognised by where they stand: the abstracts of papers, whose data sets no list holds."""

import pytest

from scholarmind.graph.entity_recognition import names_listed
from scholarmind.graph.rule_reading import extract
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Reading
from scholarmind.relations import Statement


def stated(text: str, title: str = "Notes") -> list[Statement]:
    entry = enter(Reading(document=Document(id="d1", title=title), text=text), Cutting())
    return [each for each in extract(entry).statements if each.by == "rules"]


def told(text: str, relation: str, title: str = "Notes") -> set[tuple[str, str]]:
    """Return the pairs that the text puts into a relation."""
    return {(each.source.name, each.target.name) for each in stated(text, title) if each.relation == relation}


def results(text: str) -> set[tuple[str, str, str, str]]:
    return {
        (each.source.name, each.target.name, each.metric, each.value)
        for each in stated(text)
        if each.relation == "REPORTS"
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("FoldBank, CAsT-19 and the Lung Cell Atlas show", ["FoldBank", "CAsT-19", "Lung Cell Atlas"]),
        ("the FoldBank data set (12 GB) and eICU.", ["FoldBank", "eICU"]),
        ("220,000 scans from FoldBank, with", ["FoldBank"]),
        ("FoldBank, FooNet reaches 81.2", ["FoldBank"]),
        ("FoldBank and TearBank, FooNet reaches 81.2", ["FoldBank", "TearBank"]),
        ("FooNet (0.50) and BarNet by 2.1 points.", ["FooNet", "BarNet"]),
        ("FoldBank, beating FooNet by 1.2 points and BarNet by 3.", ["FoldBank"]),
        ("Chinese patients", []),
        ("ISIC 2018数据集和Kvasir-SEG数据集上", ["ISIC 2018", "Kvasir-SEG"]),
    ],
)
def test_a_list_of_names(text: str, names: list[str]):
    assert [text[slice(*span)] for span in names_listed(text, 0, len(text))] == names


@pytest.mark.parametrize(
    "text",
    [
        "FooNet was evaluated on FoldBank, TearBank 2 and Traffic.",
        "We test FooNet on FoldBank, TearBank 2 and Traffic.",
        "Experiments on FoldBank, TearBank 2 and Traffic show that FooNet outperforms BarNet.",
        "FooNet在FoldBank、TearBank 2和Traffic上进行了评测。",
    ],
)
def test_what_something_is_tested_on_is_a_data_set(text: str):
    found = told(f"We propose FooNet. {text}", "EVALUATED_ON")
    assert found == {("FooNet", "FoldBank"), ("FooNet", "TearBank 2"), ("FooNet", "Traffic")}


def test_a_data_set_is_known_from_where_it_is_named_on():
    text = "We propose FooNet. FooNet is tested on FoldBank. On FoldBank, FooNet reaches an accuracy of 81.2%."
    assert results(text) == {("FooNet", "FoldBank", "accuracy", "81.2%")}


def test_several_methods_are_tested_together():
    text = "We evaluate Whisper, FooNet and BarNet on FoldBank and TearBank."
    assert told(text, "EVALUATED_ON") == {
        (method, data) for method in ("Whisper", "FooNet", "BarNet") for data in ("FoldBank", "TearBank")
    }


@pytest.mark.parametrize(
    "text",
    [
        "FooNet was tested on eight A100 GPUs and on Chinese patients.",
        "The results were announced on Monday on Mason Street.",
        "FooNet runs on Kubernetes and improves on BERT by 2.1 points.",
        "The performance on Java programs rose by 3.2%, according to Table 4.",
    ],
)
def test_places_machines_and_days_are_no_data_sets(text: str):
    assert told(text, "EVALUATED_ON") == set()


def test_a_verb_is_not_the_noun_of_a_data_set():
    assert told("We propose FooNet. FooNet sets a new record on FoldBank.", "PROPOSES") == {("Notes", "FooNet")}


def test_what_is_beaten_is_a_method_and_its_value_stands_in_brackets():
    text = "We propose FooNet. On the FoldBank benchmark, FooNet has an F1 of 0.58, outperforming Clean (0.50) and Seurat v4 (0.31)."
    assert told(text, "IMPROVES_ON") == {("FooNet", "Clean"), ("FooNet", "Seurat v4")}
    assert results(text) == {
        ("FooNet", "FoldBank", "F1", "0.58"),
        ("Clean", "FoldBank", "F1", "0.50"),
        ("Seurat v4", "FoldBank", "F1", "0.31"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "We present FooNet.",
        "This paper describes a deep network for folding, FooNet, which is small.",
        "We call our architecture FooNet.",
        "Our method, FooNet, is small.",
        "A recurrent model called FooNet was trained.",
        "In this study, a network termed FooNet is proposed.",
        "We design and implement FooNet, a cache.",
        "本文提出了一种名为FooNet的方法。",
    ],
)
def test_ways_to_propose(text: str):
    assert [name for _, name in told(text, "PROPOSES")] == ["FooNet"]


@pytest.mark.parametrize(
    "text",
    [
        "We present an extension of FooNet.",
        "We introduce a new way to train on FoldBank.",
        "Li et al. (2021) presented a model called FooNet.",
        "METHODS: a small network was trained.",
    ],
)
def test_what_is_not_proposed(text: str):
    assert told(text, "PROPOSES") == set()


def test_a_data_set_is_proposed_and_is_not_the_model_of_the_paper():
    text = "We describe FoldBank, a new data set of 900 scans. On FoldBank, our model reaches 81.2 F1."
    assert told(text, "PROPOSES") == {("Notes", "FoldBank")}
    assert results(text) == set()


def test_a_name_whose_letters_are_no_initials_is_defined_where_it_is_proposed():
    text = "We propose a framework Memory-augmented Folding (MemFold). MemFold extends BERT."
    assert told(text, "IMPROVES_ON") == {("MemFold", "BERT")}
    assert {(long.name, short.name) for short, long in extract(_entry(text)).aliases} == {
        ("Memory-augmented Folding", "MemFold")
    }


def test_it_is_what_the_sentence_before_is_about():
    text = "We propose FooNet. FooNet is small. It outperforms BERT. With few layers it reaches 81.2 F1 on FoldBank."
    assert told(text, "IMPROVES_ON") == {("FooNet", "BERT")}
    assert results(text) == {("FooNet", "FoldBank", "F1", "81.2")}


def test_it_is_nobody_where_it_may_be_several():
    text = "We propose FooNet. Tests of T5 on MNLI and BERT on RTE show that it outperforms GPT."
    assert told(text, "IMPROVES_ON") == set()


def test_what_a_sentence_says_at_its_head_is_said_of_what_follows():
    text = (
        "Building on CLIP and ViT, FooNet matches regions. Compared with BERT, FooNet is more accurate. "
        "Compared with T5, FooNet needs no labels. GPT and BART perform worse than FooNet."
    )
    assert told(text, "IMPROVES_ON") == {("FooNet", each) for each in ("CLIP", "ViT", "BERT", "GPT", "BART")}


def test_a_technique_that_nobody_is_said_to_use_is_not_used():
    assert told("Sampling from diffusion models is slow.", "USES") == set()


def test_a_value_with_its_spread_or_interval_is_a_result():
    text = (
        "FooNet obtains accuracies of 73.1 ± 0.2 on FoldBank and 82.4 ± 0.3 on TearBank. "
        "BarNet achieved an AUC of 0.93 (95% CI 0.91-0.95) on FoldBank."
    )
    assert results(text) == {
        ("FooNet", "FoldBank", "accuracies", "73.1"),
        ("FooNet", "TearBank", "accuracies", "82.4"),
        ("BarNet", "FoldBank", "AUC", "0.93"),
    }


def _entry(text: str):
    return enter(Reading(document=Document(id="d1", title="Notes"), text=text), Cutting())
