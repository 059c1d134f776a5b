"""What is news in an answer, and what only reads differently: pure comparisons; and how news is written down."""

import email
import email.policy
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from scholarmind.changes import LibraryChange, compare, gone
from scholarmind.model import Document
from scholarmind.remarks import Remark, WatchedQuestion, compared_part, marks_of, remark_of, remark_record
from scholarmind.watching import atom, lines_of, mail, plain_text, remarks_on, title_of

ATOM = "{http://www.w3.org/2005/Atom}"
ROW = "How many layers has it?"


def answer(run: str, *quotes: tuple[str, str], status: str = "answered", missing: str = "", counted: str = "") -> Any:
    """Return an answer of one row that quotes (document, words), as it is kept."""
    citations = [
        {
            "key": f"{document.title()}, 2020",
            "document": document,
            "collection": "default",
            "title": document.upper(),
            "section": ["Model"],
            "page": 3,
            "document_start": 0,
            "document_end": 9,
            "quote": words,
            "start": 100 * place + 50,
            "end": 100 * place + 60,
        }
        for place, (document, words) in enumerate(quotes)
    ]
    claims = [
        {
            "text": words,
            "status": "verified",
            "citations": [f"{document.title()}, 2020"],
            "part": "1",
            "start": 100 * place,
            "end": 100 * place + 49,
        }
        for place, (document, words) in enumerate(quotes)
    ]
    found = [
        {"document": document, "collection": "default", "title": document.upper(), "start": 0, "end": 9, "text": words}
        for document, words in quotes
    ]
    tallies = [{"said": counted, "rows": []}] if counted else []
    row = {"id": "1", "text": ROW, "status": status, "missing": missing, "answer": "24", "tallies": tallies}
    return {
        "question": ROW,
        "asked": ROW,
        "answer": " ".join(words for _, words in quotes),
        "run": run,
        "verdict": "complete",
        "parts": [row | {"evidence": found}],
        "claims": claims,
        "citations": citations,
    }


def watched(first: Any) -> WatchedQuestion:
    """Return a question that was answered once."""
    id = "7e0be5f4-3c1c-4f0a-9b0e-0f6f4a1f2a11"
    return WatchedQuestion(
        name="layers", question=ROW, id=id, answer=compared_part(first), seen=marks_of(first), turn=1
    )


def news(before: Any, after: Any, *came: str, removed: tuple[str, ...] = (), new: tuple[str, ...] | None = None) -> Any:
    """Return the remarks on a later answer after these documents came."""
    lost = gone([("default", name) for name in removed], ())
    library = LibraryChange(came=[Document(id=name, title=name) for name in came], gone=lost)
    fresh = {("default", name) for name in (came if new is None else new)}
    return remarks_on(watched(before), after, compare(before, after, library), fresh)


OLD = ("bert", "BERT has 24 layers.")


def test_an_answer_that_only_reads_differently_tells_nothing() -> None:
    after = answer("r2", ("bert", "BERT  has 24 layers.")) | {"answer": "In other words."}
    assert news(answer("r1", OLD), after, "soup") == []


def test_a_status_that_changes_on_the_same_evidence_tells_nothing() -> None:
    assert news(answer("r1", OLD, status="partial"), answer("r2", OLD), "soup") == []


def test_a_row_that_is_answered_now() -> None:
    before = answer("r1", status="not in the library")
    (remark,) = news(before, answer("r2", OLD), "bert")
    assert (remark.kind, remark.before, remark.after) == ("answered", "not in the library", "answered")
    assert title_of(remark) == f"Answered now: {ROW}"
    assert [*lines_of(remark)] == [
        "not in the library → answered",
        "24",
        "“BERT has 24 layers.” [Bert, 2020, p. 3]",
    ]


def test_numbers_that_disagree_now_and_no_longer() -> None:
    both = answer("r2", OLD, ("other", "BERT has 48 layers."), status="conflicting", missing="24 or 48")
    (remark,) = news(answer("r1", OLD), both, "other")
    assert (remark.kind, remark.said, remark.fresh) == ("conflict", "24 or 48", 1)
    assert [quote.document for quote in remark.quotes] == ["other", "bert"]
    (settled,) = news(both, answer("r3", OLD), removed=("other",))
    assert settled.kind == "settled"


def test_a_new_source_and_one_that_says_something_else() -> None:
    after = answer("r2", OLD, ("other", "BERT-Large has 24 layers."))
    (remark,) = news(answer("r1", OLD), after, "other")
    assert (remark.kind, remark.sources) == ("source", ("Other, 2020",))
    (remark,) = news(answer("r1", OLD), answer("r2", ("bert", "BERT has 23 layers.")), "bert")
    assert (remark.kind, remark.sources) == ("changed", ("Bert, 2020",))


def test_a_source_that_the_library_had_all_along_is_no_news() -> None:
    after = answer("r2", OLD, ("other", "BERT-Large has 24 layers."))
    assert news(answer("r1", OLD), after, "soup") == []


def test_a_source_that_came_earlier_and_is_found_only_now_is_news() -> None:
    after = answer("r2", OLD, ("other", "BERT-Large has 24 layers."))
    assert [one.kind for one in news(answer("r1", OLD), after, "soup", new=("soup", "other"))] == ["source"]


def test_a_row_that_lost_its_source() -> None:
    (remark,) = news(answer("r1", OLD), answer("r2", status="not in the library"), removed=("bert",))
    assert (remark.kind, [quote.quote for quote in remark.quotes]) == ("lost", ["BERT has 24 layers."])
    assert news(answer("r1", OLD), answer("r2", status="not in the library"), "soup") == []


def test_another_count() -> None:
    before = answer("r1", ("bert", ""), counted="2 papers.")
    (remark,) = news(before, answer("r2", ("bert", ""), ("other", ""), counted="3 papers."), "other")
    assert (remark.kind, next(lines_of(remark))) == ("counted", "2 papers. → 3 papers.")


def test_ids_stay_and_remarks_survive_their_json() -> None:
    after = answer("r2", OLD, ("other", "BERT-Large has 24 layers."))
    one, other = (news(answer("r1", OLD), after, "other")[0] for _ in range(2))
    assert one.id == other.id
    assert one.id.startswith("urn:uuid:")
    assert remark_of(remark_record(one)) == one
    with pytest.raises(ValueError, match="no kind"):
        remark_of(remark_record(one) | {"kind": "rumour"})


@pytest.fixture
def told() -> list[Remark]:
    """Two remarks, the words of one of which are hostile."""
    after = answer("r2", OLD, ("other", "48 layers <b>\x1b[31m & \x00 [Realman, 1901]"))
    (one,) = news(answer("r1", OLD), after, "other")
    chinese = replace(one, id="urn:uuid:2", question="BERT 有多少层？", name="层", row="BERT 有多少层？")
    return [replace(one, at=1_700_000_000.5), replace(chinese, at=1_600_000_000.0)]


def test_a_feed_has_what_rfc_4287_asks_for(told: list[Remark]) -> None:
    text = atom(told, feed="7e0be5f4-3c1c-4f0a-9b0e-0f6f4a1f2a11", updated=0.0)
    root = ElementTree.fromstring(text)  # noqa: S314 - ours
    assert root.tag == f"{ATOM}feed"
    assert root.findtext(f"{ATOM}id") == "urn:uuid:7e0be5f4-3c1c-4f0a-9b0e-0f6f4a1f2a11"
    assert root.findtext(f"{ATOM}updated") == "2023-11-14T22:13:20.500Z"
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "ScholarMind"
    entries = root.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == [remark.id for remark in told]
    assert [entry.findtext(f"{ATOM}updated") for entry in entries] == [
        "2023-11-14T22:13:20.500Z",
        "2020-09-13T12:26:40.000Z",
    ]
    assert entries[1].findtext(f"{ATOM}title") == "新的来源（Other, 2020）：BERT 有多少层？（层）"
    assert "\x1b" not in text
    assert "‹Realman, 1901›" in text


def test_a_feed_of_nothing_is_a_feed() -> None:
    root = ElementTree.fromstring(atom([], feed="1", updated=1_600_000_000.0, question=ROW))  # noqa: S314 - ours
    assert root.findtext(f"{ATOM}updated") == "2020-09-13T12:26:40.000Z"
    assert root.findtext(f"{ATOM}title") == f"News on: {ROW}"
    assert root.findall(f"{ATOM}entry") == []


def test_a_mail_can_be_read_by_mail_programs(told: list[Remark]) -> None:
    raw = mail(told)
    assert b"\r\n\r\n" in raw
    read = email.message_from_bytes(raw, policy=email.policy.default)
    assert read["Subject"] == "2 remarks on watched questions"
    assert read["Date"] == "Tue, 14 Nov 2023 22:13:20 +0000"
    assert read["Message-ID"] == email.message_from_bytes(mail(told), policy=email.policy.default)["Message-ID"]
    content = read.get_content().replace("\r\n", "\n")
    assert content == plain_text(told)
    assert "BERT 有多少层？ · 层 · 2020-09-13" in content
