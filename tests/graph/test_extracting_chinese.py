"""What documents in Chinese state, read out of them by rules."""

from scholarmind.graph.document_statements import thing
from scholarmind.graph.rule_reading import extract
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Reading
from scholarmind.relations import Statement


def stated(text: str) -> list[Statement]:
    document = Document(id="d1", title="折叠网络", language="zh", metadata={"aliases": ("FooNet",)})
    found = extract(enter(Reading(document=document, text=text), Cutting()))
    return [each for each in found.statements if each.by == "rules"]


def told(text: str) -> set[tuple[str, str, str]]:
    return {(each.relation, each.source.name, each.target.name) for each in stated(text)}


def results(text: str) -> set[tuple[str, str, str, str]]:
    return {
        (each.source.name, each.target.name, each.metric, each.value)
        for each in stated(text)
        if each.relation == "REPORTS"
    }


def test_a_score_and_the_score_of_another():
    text = "DeepSeek-V3对话模型的MMLU为88.5，GPT-4o-0513为87.2。在XNLI测试集上，FooNet的准确率为78.4，BERT为77.2。"
    assert results(text) == {
        ("DeepSeek-V3", "MMLU", "", "88.5"),
        ("GPT-4o-0513", "MMLU", "", "87.2"),
        ("FooNet", "XNLI", "准确率", "78.4"),
        ("BERT", "XNLI", "准确率", "77.2"),
    }


def test_what_is_lower_than_what():
    assert results("在SST-2上，FooNet准确率为90.7，低于BERT的93.5。") == {
        ("FooNet", "SST-2", "准确率", "90.7"),
        ("BERT", "SST-2", "准确率", "93.5"),
    }


def test_numbers_that_are_no_results():
    assert results("FooNet在GLUE上训练了40个周期，比BERT高2.5个百分点，共24层。") == set()


def test_respectively():
    assert results("FooNet和BERT在GLUE上的得分分别为81.2和79.9。") == {
        ("FooNet", "GLUE", "得分", "81.2"),
        ("BERT", "GLUE", "得分", "79.9"),
    }


def test_one_builds_on_another():
    text = "FooNet建立在BERT之上。FooNet以GPT和T5为骨架。RoPE后来被LLaMA等大模型普遍采用。FooNet优于RoBERTa。"
    assert {each for each in told(text) if each[0] in {"IMPROVES_ON", "USES"}} == {
        ("IMPROVES_ON", "FooNet", "BERT"),
        ("IMPROVES_ON", "FooNet", "GPT"),
        ("IMPROVES_ON", "FooNet", "T5"),
        ("IMPROVES_ON", "FooNet", "RoBERTa"),
        ("USES", "LLaMA", "RoPE"),
    }


def test_a_denial_states_nothing():
    assert told("FooNet没有采用RoBERTa，也不优于BERT。本文并未使用ImageNet训练。") == set()


def test_what_a_paper_proposes_and_what_it_was_trained_on():
    text = "本文提出折叠注意力（FDA）。FooNet在百度百科上预训练。"
    found = told(text)
    assert ("PROPOSES", "折叠网络", "折叠注意力") in found
    assert ("USES", "FooNet", "百度百科") in found


def test_definitions_are_aliases():
    document = Document(id="d", title="T")
    found = extract(enter(Reading(document=document, text="模型用多头潜在注意力（MLA）缩小缓存。"), Cutting()))
    assert (thing("method", "MLA"), thing("method", "多头潜在注意力")) in found.aliases
