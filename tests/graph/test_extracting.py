"""What documents in English state, read out of them by rules."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.graph.document_statements import own_name, reported, thing
from scholarmind.graph.gazetteer import NOTHING, KnownNames, named_in
from scholarmind.graph.rule_reading import extract
from scholarmind.identity import names_of
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Entry, Reading, Reference, Value
from scholarmind.relations import Extracted, Statement


def entry_of(text: str, title: str = "Notes", /, **metadata: Value) -> Entry:
    document = Document(id="d1", title=title, authors=("Ada Li",), year=2024, metadata=metadata)
    return enter(Reading(document=document, text=text), Cutting())


def told(text: str, known: KnownNames = NOTHING, **metadata: Value) -> set[tuple[str, str, str]]:
    """Return what the text states, as relation, source and target, without what its metadata do."""
    return {
        (each.relation, each.source.name, each.target.name)
        for each in extract(entry_of(text, **metadata), known).statements
        if each.by == "rules"
    }


def results(text: str, **metadata: Value) -> set[tuple[str, str, str, str]]:
    """Return the results that the text reports: method, data set, metric, value."""
    return {
        (each.source.name, each.target.name, each.metric, each.value)
        for each in extract(entry_of(text, **metadata)).statements
        if each.relation == "REPORTS"
    }


def test_what_metadata_state():
    entry = entry_of(
        "Text.",
        "FooNet: Folding images",
        venue="ICML",
        groups=("Institute of Folding",),
        datasets=("FoldBank",),
        builds_on=("BarNet",),
        results=("FooNet | FoldBank | F1 | 80.5 | test set", "no result"),
    )
    expected = {
        ("AUTHORED_BY", "FooNet: Folding images", "Ada Li"),
        ("AFFILIATED_WITH", "FooNet: Folding images", "Institute of Folding"),
        ("PUBLISHED_IN", "FooNet: Folding images", "ICML"),
        ("PUBLISHED_IN", "FooNet: Folding images", "2024"),
        ("PROPOSES", "FooNet: Folding images", "FooNet"),
        ("USES", "FooNet: Folding images", "FoldBank"),
        ("IMPROVES_ON", "FooNet", "BarNet"),
        ("REPORTS", "FooNet", "FoldBank"),
    }
    assert {(each.relation, each.source.name, each.target.name) for each in extract(entry).statements} == expected


def test_a_line_of_results_is_taken_apart():
    statement = reported("BERT-Large | SQuAD 1.1 | F1 | 1,093.2% | test set | ensemble")
    assert statement is not None
    assert (statement.metric, statement.value, statement.number) == ("F1", "1,093.2%", 1093.2)
    assert statement.setting == "test set, ensemble"
    assert reported("BERT | GLUE | 80.5") is None


def test_results_are_metadata_and_no_names():
    line = "FooNet | GLUE | F1 | 80.5"
    document = Document(id="d", title="On folding", metadata={"results": (line,), "datasets": ("GLUE",)})
    assert {filed.value for filed in names_of(document)} == {"On folding", "GLUE"}


def test_references_are_cited_where_they_stand():
    text = "As shown before.\n\n[1] A. Writer. On folding. 2019."
    reference = Reference(text=text[18:], start=18, end=len(text), title="On folding")
    entry = entry_of(text)
    cited = [
        each
        for each in extract(
            Entry(document=entry.document, text=text, passages=entry.passages, hash="h", references=(reference,))
        ).statements
        if each.relation == "CITES"
    ]
    assert [(each.target.name, each.target.scope, each.start, each.by) for each in cited] == [
        ("On folding", "", 18, "references")
    ]


def test_titles_that_name_a_method_and_those_that_do_not():
    titles = {
        "DistilFold: a small one": "DistilFold",
        "Mamba: Linear-Time Sequence Modeling": "Mamba",
        "Review: what we know": "",
        "What we know: a story": "",
        "Attention Is All You Need": "",
    }
    assert {title: own_name(Document(id="d", title=title)) for title in titles} == titles


def test_a_second_score_belongs_to_whom_it_is_said_of():
    text = "BERT-Large obtains a GLUE score of 80.5 on the official leaderboard, against 72.8 for GPT."
    assert results(text) == {("BERT-Large", "GLUE", "score", "80.5"), ("GPT", "GLUE", "score", "72.8")}


def test_scores_that_go_on_to_other_metrics_and_data_sets():
    text = (
        "On XSum, BART reaches 45.14 ROUGE-1 and 22.27 ROUGE-2. "
        "RAG-Sequence scored 45.2 exact match on WebQuestions, and on CuratedTrec 52.2. "
        "RoBERTa-Large moves to 94.0 F1 on SQuAD 1.1 and 87.7 F1 on SQuAD 2.0."
    )
    assert results(text) == {
        ("BART", "XSum", "ROUGE-1", "45.14"),
        ("BART", "XSum", "ROUGE-2", "22.27"),
        ("RAG-Sequence", "WebQuestions", "exact match", "45.2"),
        ("RAG-Sequence", "CuratedTrec", "exact match", "52.2"),
        ("RoBERTa-Large", "SQuAD 1.1", "F1", "94.0"),
        ("RoBERTa-Large", "SQuAD 2.0", "F1", "87.7"),
    }


def test_respectively():
    text = "FooNet and BarNet reach an accuracy of 81.2% and 79.9% on ImageNet, respectively."
    assert results(text) == {
        ("FooNet", "ImageNet", "accuracy", "81.2%"),
        ("BarNet", "ImageNet", "accuracy", "79.9%"),
    }


def test_the_setting_of_a_result_is_kept():
    text = "On the SQuAD 1.1 development set, a single model of FooNet reaches 90.9 F1."
    statement = next(each for each in extract(entry_of(text)).statements if each.relation == "REPORTS")
    assert (statement.number, statement.setting) == (90.9, "development set, single model")


def test_numbers_that_are_no_results():
    text = (
        "BERT has 24 layers and was trained on GLUE for 40 epochs. On SQuAD 1.1, BERT is 2.6 F1 points above GPT. "
        "BERT keeps 97% of the performance on RACE. On GLUE, BERT was released in 2019, and no score of GPT is known. "
        "Averaged over SST-2 and QNLI, BERT scores 91.9."
    )
    assert results(text) == set()


def test_the_best_of_nobody_is_not_a_result_of_the_method():
    text = "On MNLI, FooNet reaches an accuracy of 90.1%, where the best earlier system had 88.0%."
    assert results(text) == {("FooNet", "MNLI", "accuracy", "90.1%")}


def test_one_improves_on_another_whichever_stands_first():
    text = "FooNet outperforms BERT on most tasks. GPT is outperformed by BarNet. FooNet builds on the recipe of T5 and BART."
    assert {each for each in told(text) if each[0] == "IMPROVES_ON"} == {
        ("IMPROVES_ON", "FooNet", "BERT"),
        ("IMPROVES_ON", "BarNet", "GPT"),
        ("IMPROVES_ON", "FooNet", "T5"),
        ("IMPROVES_ON", "FooNet", "BART"),
    }


def test_a_kind_of_a_method_is_used_with_it():
    assert told("FooNet uses an encoder-decoder Transformer.") == {
        ("USES", "FooNet", "encoder-decoder"),
        ("USES", "FooNet", "Transformer"),
    }


def test_a_denial_states_nothing():
    text = (
        "FooNet does not outperform BERT. FooNet never uses RoBERTa. FooNet was not trained on ImageNet. "
        "We propose no FooNet."
    )
    assert told(text) == set()


def test_what_the_authors_propose_and_use():
    text = "We propose FooNet, a network for folding. We use masked language modelling. FooNet was pre-trained on BookCorpus."
    assert told(text) == {
        ("PROPOSES", "Notes", "FooNet"),
        ("USES", "FooNet", "masked language modelling"),
        ("USES", "FooNet", "BookCorpus"),
    }


def test_what_others_proposed_is_not_proposed_here():
    assert (
        told("Miller introduced FooNet in 2019. Earlier, BarNet was proposed by Miller. LoRA was proposed in 2021.")
        == set()
    )


def test_our_model_is_the_one_that_the_text_proposes():
    text = "We propose FooNet. Our model outperforms BERT. We obtain 81.5 F1 on SQuAD 1.1."
    assert told(text) == {
        ("PROPOSES", "Notes", "FooNet"),
        ("IMPROVES_ON", "FooNet", "BERT"),
        ("REPORTS", "FooNet", "SQuAD 1.1"),
        ("EVALUATED_ON", "FooNet", "SQuAD 1.1"),
    }


def test_a_data_set_that_nobody_knows_is_known_by_the_word_behind_it():
    text = "FooNet was trained on the Protein Folding Bank dataset. FooNet reaches 71.3 F1 on the OpenFold benchmark."
    assert told(text) == {
        ("USES", "FooNet", "Protein Folding Bank"),
        ("REPORTS", "FooNet", "OpenFold"),
        ("EVALUATED_ON", "FooNet", "OpenFold"),
    }


def test_names_that_the_library_knows_are_found_in_any_field():
    cells = Document(id="c", title="T", metadata={"aliases": ("Organ Chips",), "datasets": ("Liver Atlas",)})
    known = KnownNames.of(named_in(cells))
    text = "Spheroid wells improve on Organ Chips. Organ Chips were trained on Liver Atlas."
    assert told(text, known) == {("USES", "Organ Chips", "Liver Atlas")}
    assert told("The organ chips were small.", known) == set()


def test_a_word_in_lower_case_is_not_a_name_with_capitals():
    known = KnownNames.of((thing("method", "CLIP"), thing("method", "Adam")))
    assert told("We clip gradients. We use adam.", known) == set()


def test_definitions_are_aliases_and_known_from_then_on():
    text = "We introduce Protein Folding Attention (PFA). PFA extends BERT. The World Health Organization (WHO) helped."
    found = extract(entry_of(text))
    assert (thing("method", "PFA"), thing("method", "Protein Folding Attention")) in found.aliases
    assert all(short.name != long.name for short, long in found.aliases)
    assert not any("WHO" in pair[0].name for pair in found.aliases)
    assert ("IMPROVES_ON", "PFA", "BERT") in told(text)


def test_what_proves_a_statement_stands_in_the_text():
    text = "Intro.\n\nFooNet outperforms BERT on GLUE with a score of 81.0."
    for statement in extract(entry_of(text)).statements:
        if statement.by == "rules":
            said = text[statement.start : statement.end]
            assert said == "FooNet outperforms BERT on GLUE with a score of 81.0."


def test_what_is_said_twice_is_stated_once_with_the_place_that_proves_it():
    text = "FooNet obtains a GLUE score of 80.5."
    found = extract(entry_of(text, aliases=("FooNet",), results=("FooNet | GLUE | score | 80.5",))).statements
    reports = [each for each in found if each.relation == "REPORTS"]
    assert [(each.start, each.end, each.by) for each in reports] == [(0, len(text), "rules")]


def test_a_paper_of_many_authors_and_a_sentence_without_end():
    document = Document(id="d", title="T", authors=tuple(f"Author {number}" for number in range(5000)))
    text = "BERT uses GPT and " * 20_000
    found = extract(enter(Reading(document=document, text=text), Cutting()))
    assert sum(each.relation == "AUTHORED_BY" for each in found.statements) == 5000
    assert all(0 <= each.start <= each.end <= len(text) for each in found.statements)


_PIECES = st.sampled_from(
    [
        *(
            "BERT",
            "GPT-2",
            "FooNet",
            "SQuAD 1.1",
            "F1",
            "80.5",
            "91%",
            "GLUE",
            "outperforms",
            "on",
            "of",
            "against",
            "respectively",
        ),
        *(
            "(",
            ")",
            "（",
            "）",
            "|",
            "\n",
            "\n\n",
            "---",
            ":",
            ";",
            "。",
            "，",
            "为",
            "优于",
            "提出",
            "在",
            "上",
            "数据集",
            "多头注意力",
        ),
        *("not", "uses", "dataset", "𝔘", "İ", "ß", "e\u0301", "\u200b", "ไทย", "한국", "🙂", "\ud800", "№"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_PIECES | st.text(max_size=6), max_size=60), st.sampled_from(["", " "]))
def test_whatever_a_text_holds_its_statements_stand_in_it(pieces: list[str], joint: str):
    text = joint.join(pieces) or "x"
    found = extract(entry_of(text, "FooNet: a title"))
    for statement in found.statements:
        if statement.by == "rules":
            assert 0 <= statement.start < statement.end <= len(text)
            assert all(_is_said(name, text[statement.start : statement.end]) for name in _names(statement, found))


def _names(statement: Statement, found: Extracted) -> list[str]:
    """Return the names that a statement must prove: not that of the document itself."""
    own = {"FooNet: a title", "FooNet"}
    return [name for name in (statement.source.name, statement.target.name, statement.value) if name not in own]


def _is_said(name: str, words: str) -> bool:
    return re.sub(r"\s+", " ", name) in re.sub(r"\s+", " ", words)
