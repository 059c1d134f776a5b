"""What the strategy `scored` gives to those who go on with its passages."""

from scholarmind import Document, Evidence, Passage, Plan, Scores, SubQuestion
from scholarmind.answer import Retrieved
from scholarmind.model import Judged
from scholarmind.strategies.scored_team import content_of, debug_records, formalized_content, json_record, thoughts

ASKED = ("Who proposed BERT?", "Who proposed GPT-2?")
PLAN = Plan(
    question="Who proposed BERT, and who proposed GPT-2?",
    parts=tuple(SubQuestion(id=number, text=text) for number, text in enumerate(ASKED, 1)),
    complexity="composite",
    reason="two makers",
    decided_by="model",
    strategy="scored",
)
BERT = Evidence(
    passage=Passage(text="Devlin proposed\nBERT.", start=10, end=31, position=3, section=("Intro", "Authors"), page=2),
    document=Document(
        id="bert",
        title="BERT",
        collection="papers",
        year=2019,
        authors=("J. Devlin", "M. Chang", "K. Lee", "K. Toutanova"),
    ),
    scores=Scores(fused=0.785, vector=0.75),
    found_by=frozenset(("1",)),
)
NOTE = Evidence(
    passage=Passage(text="Two models.", start=0, end=11, position=0),
    document=Document(id="notes", title=""),
    scores=Scores(fused=0.5),
    found_by=frozenset(("1", "2")),
)
RETRIEVED = Retrieved(
    question=PLAN.question,
    plan=PLAN,
    evidence=(BERT,),
    judged=(
        Judged(evidence=BERT, best=0.75, similarity=0.75, relevance=0.8, reason="direct: says who", asked=ASKED[:1]),
        Judged(evidence=NOTE, best=0.6, similarity=0.5, asked=ASKED),
    ),
    notes=("1 of 2 passages keep their similarity as their score",),
    spent={"searches": 3},
)


def test_content_for_a_prompt_is_numbered_and_says_where_it_is_from() -> None:
    assert formalized_content(RETRIEVED) == (
        "[1] BERT · J. Devlin, M. Chang, K. Lee et al. · 2019 · Intro › Authors · p. 2\nDevlin proposed\nBERT."
    )
    assert content_of((NOTE, NOTE)) == "[1] notes\nTwo models.\n\n[2] notes\nTwo models."
    assert content_of(()) == ""


def test_a_record_for_debugging_has_every_score() -> None:
    assert debug_records(RETRIEVED) == [
        {
            "chunk_id": "papers/bert#3",
            "content": "Devlin proposed\nBERT.",
            "best_single_score": 0.75,
            "llm_relevance_score": 8.0,
            "vector_similarity_score": 0.75,
            "final_fused_score": 0.785,
            "retrieved_by_sub_queries": [ASKED[0]],
            "reason": "direct: says who",
        },
        {
            "chunk_id": "default/notes#0",
            "content": "Two models.",
            "best_single_score": 0.6,
            "llm_relevance_score": None,
            "vector_similarity_score": 0.5,
            "final_fused_score": 0.5,
            "retrieved_by_sub_queries": list(ASKED),
            "reason": "",
        },
    ]


def test_json_holds_what_was_kept_and_how_it_came_to_that() -> None:
    record = json_record(RETRIEVED)
    assert (record["question"], record["strategy"], record["sub_queries"]) == (PLAN.question, "scored", list(ASKED))
    assert record["plan"]["original_query"] == PLAN.question
    assert record["chunks"] == [
        {
            "rank": 1,
            "chunk_id": "papers/bert#3",
            "content": "Devlin proposed\nBERT.",
            "score": 0.785,
            "document_id": "bert",
            "document_name": "BERT",
            "collection": "papers",
            "authors": ["J. Devlin", "M. Chang", "K. Lee", "K. Toutanova"],
            "year": 2019,
            "section": ["Intro", "Authors"],
            "page": 2,
            "start": 10,
            "end": 31,
        }
    ]
    assert record["formalized_content"] == formalized_content(RETRIEVED)
    assert record["debug"] == debug_records(RETRIEVED)
    assert (record["thoughts"], record["notes"]) == (thoughts(RETRIEVED), list(RETRIEVED.notes))
    assert record["spent"] == {"searches": 3}


def test_what_was_done_is_told_in_sentences() -> None:
    assert thoughts(RETRIEVED).splitlines() == [
        "The question was taken apart into 2 sub-questions (decided by model: two makers):",
        "  1. Who proposed BERT?",
        "  2. Who proposed GPT-2?",
        "2 passages were similar enough: 2 for 'Who proposed BERT?', 1 for 'Who proposed GPT-2?'.",
        "1 of them was found by several sub-questions; its similarity is the mean.",
        "1 was scored by the whole question, from 8.0 to 8.0 of 10.",
        "1 passage was kept, by the best final scores.",
        "Note: 1 of 2 passages keep their similarity as their score.",
    ]


def test_where_nothing_was_scored_that_is_told_too() -> None:
    one = Plan(
        question="What is BERT?",
        parts=(SubQuestion(id=1, text="What is BERT?"),),
        complexity="simple",
        reason="one thing",
        decided_by="rules",
    )
    plain = Retrieved(question=one.question, plan=one, evidence=(BERT,))
    assert thoughts(plain).splitlines() == [
        "The question was searched for as it stands: one thing.",
        "1 passage was kept; none was scored one against another.",
    ]
    assert json_record(plain)["debug"] == []
