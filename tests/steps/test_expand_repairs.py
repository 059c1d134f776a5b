"""What was searched for a row of a part that has several comes to that row alone."""

from scholarmind.answer import Finding
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, SubQuestion
from scholarmind.steps.execute import put_together

PART = SubQuestion(
    id=2,
    text="What is the size of #1?",
    depends_on=(1,),
    each=1,
    asks=(Ask(text="What is the size of GLUE?"), Ask(text="What is the size of SQuAD?")),
)
ROWS = tuple(ask.text for ask in PART.asks)


def passage(text: str, label: str) -> Evidence:
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0),
        document=Document(id=text, title=text),
        scores=Scores(fused=0.5),
        found_by=frozenset((label,)),
    )


def test_each_extension_goes_to_the_row_that_it_is_about() -> None:
    found = Finding(part=PART, question="", rows=ROWS, evidence=(passage("old", "2.1"),))
    more = [
        Finding(
            part=SubQuestion(id=number, text=text, extends=2), question=text, evidence=(passage(name, str(number)),)
        )
        for number, name, text in ((3, "squad", "What is the size of SQuAD? (tokens)"), (4, "glue", "tokens in GLUE"))
    ]
    (both, *_), news = put_together([found, *more], [3, 4])
    assert news
    assert {item.passage.text: sorted(item.found_by) for item in both.evidence} == {
        "squad": ["2.2", "3"],
        "glue": ["2.1", "4"],
        "old": ["2.1"],
    }


def test_one_that_failed_or_found_what_was_known_is_no_news() -> None:
    found = Finding(part=PART, question="", rows=ROWS, evidence=(passage("old", "2.1"),))
    extension = SubQuestion(id=3, text="size of GLUE", extends=2)
    again = Finding(part=extension, question="size of GLUE", evidence=(passage("old", "3"),))
    failed = Finding(part=extension, question="size of GLUE", error="gone")
    assert put_together([found, failed], [3]) == ([found, failed], False)
    assert put_together([found, again], [3])[1] is False
