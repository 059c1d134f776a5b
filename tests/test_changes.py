"""What became of an answer: pure comparisons."""

from typing import Any

import pytest

from scholarmind.changes import LibraryChange, RowChange, TallyChange, compare, differing, gone
from scholarmind.model import Document


def answer(run: str, *claims: tuple[str, str], verdict: str = "complete", rows: Any = (), found: Any = ()) -> Any:
    """Return an answer as it is kept, of claims and the one document that each cites."""
    evidence = [{"collection": "default", "document": name, "title": name.upper()} for name in found]
    parts = [{"text": text, "status": status, "evidence": evidence} for text, status in rows or [("Q?", "answered")]]
    citations = [
        {"key": name, "collection": "default", "document": name, "title": name.upper()}
        for name in dict.fromkeys(name for _, name in claims)
    ]
    told = [{"text": text, "status": "verified", "citations": [name]} for text, name in claims]
    return {
        "question": "Q?",
        "run": run,
        "verdict": verdict,
        "parts": parts,
        "claims": told,
        "citations": citations,
    }


def came(*names: str) -> LibraryChange:
    """Documents that came."""
    return LibraryChange(came=[Document(id=name, title=name) for name in names])


def test_the_same_answer() -> None:
    one = answer("r1", ("BERT has 12 layers.", "bert"))
    changes = compare(one, answer("r2", ("BERT has  12 layers.", "bert")), came("soup"))
    assert (changes.any, changes.other_documents, changes.documents) == (False, 1, ())
    assert [claim.before for claim in changes.kept] == [""]


@pytest.mark.parametrize(
    ("text", "cites", "kept"),
    [
        ("BERT-Base has 12 layers in its encoder.", "bert", True),  # other words
        ("BERT-Base has 24 layers.", "bert", False),  # another number
        ("BERT-Base has 12 layers.", "book", True),  # the same sentence, from elsewhere
        ("BERT-Base has 12 encoder layers.", "book", False),  # other words, from elsewhere
        ("Nobody knows how the 12 apostles slept.", "bert", False),
    ],
)
def test_what_counts_as_the_same_claim(text: str, cites: str, kept: bool) -> None:
    before = answer("r1", ("BERT-Base has 12 layers.", "bert"))
    changes = compare(before, answer("r2", (text, cites)), LibraryChange())
    assert (len(changes.kept), len(changes.new), len(changes.gone)) == ((1, 0, 0) if kept else (0, 1, 1))


def test_a_claim_becomes_one_claim_only() -> None:
    before = answer("r1", ("BERT has 12 layers.", "bert"), ("BERT has 12 layers.", "bert"))
    changes = compare(before, answer("r2", ("BERT has 12 layers.", "bert")), LibraryChange())
    assert (len(changes.kept), len(changes.gone)) == (1, 1)


def test_rows_that_came_went_and_changed() -> None:
    before = answer("r1", rows=[("Who?", "partial"), ("When?", "answered"), ("Why?", "answered")])
    after = answer("r2", rows=[("who?", "answered"), ("Why?", "answered"), ("Where?", "failed")])
    assert compare(before, after, LibraryChange()).rows == (
        RowChange(text="who?", before="partial", after="answered"),
        RowChange(text="Where?", before="", after="failed"),
        RowChange(text="When?", before="answered", after=""),
    )


def test_which_documents_had_a_part_in_it() -> None:
    before = answer("r1", ("A.", "a"), ("B.", "b"), found=("a", "b", "c"))
    after = answer("r2", ("A.", "a"), ("D.", "d"), found=("a", "c", "d"))
    library = LibraryChange(came=came("a", "d", "e").came, gone=frozenset({("default", "b")}))
    changes = compare(before, after, library)
    assert [(item.document, item.what, item.before, item.after) for item in changes.documents] == [
        ("a", "changed", "cited", "cited"),
        ("d", "new", "", "cited"),
        ("b", "removed", "cited", ""),
    ]
    assert changes.other_documents == 1
    assert [(claim.text, claim.because) for claim in changes.gone] == [("B.", ("B",))]
    assert [(claim.text, claim.because) for claim in changes.new] == [("D.", ("D",))]
    assert (changes.cited, changes.cited_no_more) == (("d",), ("b",))


def counted(run: str, said: str, *lines: str) -> Any:
    """Return an answer whose one row was counted."""
    record = answer(run)
    tally = {"said": said, "rows": [{"cells": [line, ""], "citations": ["bert"]} for line in lines]}
    record["parts"][0]["tallies"] = [tally] if said else []
    return record


def test_what_is_counted_otherwise_now() -> None:
    before, after = counted("r1", "2 papers.", "BERT", "GPT"), counted("r2", "2 papers.", "BERT", "T5")
    changes = compare(before, after, LibraryChange())
    assert changes.counted == (
        TallyChange(text="Q?", before="2 papers.", after="2 papers.", new=("T5",), gone=("GPT",)),
    )
    assert changes.any
    assert compare(before, counted("r2", "2 papers.", "BERT", "GPT"), LibraryChange()).counted == ()


def test_what_was_never_counted_before() -> None:
    for before in (answer("r1"), counted("r1", "")):  # of an earlier version, and of now
        (change,) = compare(before, counted("r2", "1 paper.", "BERT"), LibraryChange()).counted
        assert (change.before, change.after, change.new) == ("", "1 paper.", ("BERT",))


def test_settings_that_differ_are_named() -> None:
    before = {"options": {"places": 3, "scored": {"top_n": 8}}, "within": None, "fusion": "rrf", "conversation": "a"}
    after = {
        "options": {"places": 4, "scored": {"top_n": 5}},
        "within": {"field": "year"},
        "fusion": "rrf",
        "conversation": "",
    }
    assert differing(before, after) == ("places", "scored.top_n", "filter")
    assert differing({**before, "options": "as text, of an earlier version"}, before) == ("options",)


def test_documents_that_are_gone() -> None:
    assert gone([("default", "a"), ("notes", "b")], [Document(id="a", title="A")]) == {("notes", "b")}
