"""How a document as a whole stands to a sentence; the notes are made up, and of no set that the checker was worked on with."""

import pytest

from scholarmind.judge.document_claims import DocumentText, hold

BRIDGE = DocumentText(
    [
        "# History\nThe Arnholm bridge was designed by Inga Calder and opened in 1934. It is 412 metres long and carries two tracks.",
        "Its towers are higher than those of the Velde bridge. The engineers did not use rivets; every joint is welded.",
    ],
    "The Arnholm Bridge, Tove Brandt, 1988",
    frozenset({"History"}),
)
DAM = DocumentText(
    ["青石水库建于1962年，总库容为3.4亿立方米。水库的水位低于下游的南山水库。扩建没有得到村民的同意。"],
    "青石水库，沈怀安，1990",
)


@pytest.mark.parametrize(
    ("sentence", "document"),
    [
        ("Designed by Inga Calder, the bridge was opened in 1934.", BRIDGE),
        ("The bridge has a length of 412 metres.", BRIDGE),
        ("The towers are higher than those of the Velde bridge.", BRIDGE),
        ("The engineers welded every joint and did not use rivets.", BRIDGE),
        ("青石水库的总库容为3.4亿立方米。", DAM),
        ("水库的水位低于南山水库。", DAM),
    ],
)
def test_what_is_said_in_other_words_is_said(sentence: str, document: DocumentText) -> None:
    held = hold(sentence, document)
    assert (held.holding, held.objections) == ("says", ())


@pytest.mark.parametrize(
    ("sentence", "document", "kind", "own", "other"),
    [
        ("The bridge is 512 metres long and carries two tracks.", BRIDGE, "number", "512 metres", "412 metres"),
        ("The bridge was designed by Inga Porter and opened in 1934.", BRIDGE, "name", "Porter", ""),
        ("Its towers are lower than those of the Velde bridge.", BRIDGE, "opposite", "lower", "higher"),
        ("The engineers used rivets for the bridge.", BRIDGE, "denial", "", ""),
        ("青石水库的总库容为5.6亿立方米。", DAM, "number", "5.6亿", "3.4亿"),
        ("水库的水位高于南山水库。", DAM, "opposite", "高于", "低于"),
        ("扩建得到了村民的同意。", DAM, "denial", "", ""),
    ],
)
def test_what_is_said_otherwise_is_contradicted(
    sentence: str, document: DocumentText, kind: str, own: str, other: str
) -> None:
    held = hold(sentence, document)
    assert held.holding == "contradicts"
    assert (held.objections[0].kind, held.objections[0].own, held.objections[0].other) == (kind, own, other)


def test_what_is_about_something_else_is_lacking() -> None:
    assert hold("Ferries leave the northern harbour twice an hour in summer.", BRIDGE).holding == "lacks"


def test_what_another_document_says_much_better_is_lacking() -> None:
    sentence = "The towers are higher than the masts of most ships."
    assert (hold(sentence, BRIDGE).holding, hold(sentence, BRIDGE, elsewhere=1.0).holding) == ("says", "lacks")


def test_headings_belong_to_no_sentence() -> None:
    assert BRIDGE.text(0) == "The Arnholm bridge was designed by Inga Calder and opened in 1934."


def test_an_empty_document_says_nothing() -> None:
    assert hold("The bridge is long.", DocumentText([], "")).holding == "lacks"
