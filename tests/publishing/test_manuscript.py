"""An answer as blocks, with citations that know their work, pages and quoted words."""

from scholarmind.answer import Answer
from scholarmind.publishing.manuscript import CitationGroup, CitedPlace, Manuscript, StyledText, manuscript_of


def groups(manuscript: Manuscript) -> list[tuple[CitedPlace, ...]]:
    contents = [block.content for block in manuscript.blocks]
    contents += [cell for block in manuscript.blocks for row in block.rows for cell in row]
    return [piece.items for content in contents for piece in content if isinstance(piece, CitationGroup)]


def test_blocks(manuscript: Manuscript) -> None:
    assert [(block.kind, block.level) for block in manuscript.blocks] == [
        ("heading", 3),
        ("item", 1),
        ("item", 1),
        ("heading", 3),
        ("table", 0),
        ("paragraph", 0),
    ]
    assert manuscript.blocks[1].content[:2] == (
        StyledText("North", bold=True),
        StyledText(": 11.3 m, x_1 [12] and 5 % of A&B "),
    )


def test_each_citation_has_the_page_of_its_own_sentence(manuscript: Manuscript) -> None:
    first, second, last, cell = groups(manuscript)
    assert [(item.shown, item.pages) for item in first] == [("Berg & Moor, 2021", (4,))]
    assert [(item.shown, item.pages) for item in second] == [("Berg & Moor, 2021", (7,)), ("王, 1998", ())]
    assert [item.quotes for item in second] == [("The lowest was 2 m",), ("港口很古老",)]
    assert [(item.work, item.pages) for item in cell] == [(("default", "tides"), (4,))]
    assert last[0].work == ("default", "harbours")


def test_what_is_not_confirmed_is_marked_and_said(manuscript: Manuscript) -> None:
    [paragraph] = [block for block in manuscript.blocks if block.kind == "paragraph"]
    assert paragraph.content[-1] == StyledText("†")
    assert manuscript.doubts[0].startswith("† not confirmed")


def test_keys_links_and_the_table(manuscript: Manuscript) -> None:
    assert [(source.key, source.zotero) for source in manuscript.sources] == [
        ("bergTides2021", "zotero://select/library/items/TIDES001"),
        (manuscript.sources[1].key, ""),  # what is no link of Zotero is none
    ]
    assert manuscript.table[1] == ("1", "How high?", "partial", "0.50", "why | how")
    assert manuscript.notes == ("the search was loosened",)


def test_an_own_key_that_latex_cannot_cite_gives_way(answer: Answer) -> None:
    keys = {("default", "tides"): "berg, 2021", ("default", "harbours"): "港口1998"}
    assert [source.key for source in manuscript_of(answer, "apa", keys).sources] == ["berg2021tides", "港口1998"]


def test_two_works_never_share_a_key(answer: Answer) -> None:
    keys = {("default", "tides"): "same", ("default", "harbours"): "same"}
    found = [source.key for source in manuscript_of(answer, "apa", keys).sources]
    assert found[0] == "same"
    assert len(set(found)) == 2
