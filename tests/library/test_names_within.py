"""What is heard of names, of what changed, and of how follow-ups are understood, by who may see a part of the library."""

from pathlib import Path

import pytest

from scholarmind import Compare, Library, Turn
from scholarmind.library.filtering import NamesWithin

OURS = "---\ntitle: The Lutra Report\naliases: [Lutra]\nauthors: [Ada Otter]\n---\nLutra was proposed by Ada Otter. It has 12 layers."
THEIRS = "---\ntitle: The Meles Papers\naliases: [Meles]\nauthors: [Ada Otter, Bo Badger]\n---\nMeles was proposed by Bo Badger."


@pytest.fixture
def shared(library: Library, tmp_path: Path) -> Library:
    """A library with a document of ours and one of theirs."""
    for name, text in (("ours", OURS), ("theirs", THEIRS)):
        (tmp_path / f"{name}.md").write_text(text)
        library.add(tmp_path / f"{name}.md", collection=name)
    return library


@pytest.mark.anyio
async def test_names_are_those_of_documents_that_may_be_seen(shared: Library) -> None:
    text = "Did Ada Otter write Lutra, or Bo Badger Meles?"
    (every,) = await shared.store.names([text])
    (ours,) = await NamesWithin(shared.store, Compare("collection", "=", "ours")).names([text])
    assert {name.text for name in every} == {"Ada Otter", "Lutra", "Bo Badger", "Meles"}
    assert {name.text for name in ours} == {"Ada Otter", "Lutra"}


@pytest.mark.anyio
async def test_documents_are_listed_from_a_place_on(shared: Library) -> None:
    assert [each.collection for each in await shared.documents.aio(start=1)] == ["theirs"]
    assert [each.collection for each in await shared.documents.aio(limit=1, start=1)] == ["theirs"]
    assert await shared.documents.aio("collection = ours", 1, start=1) == []


def test_what_changed_is_told_of_what_may_be_seen(shared: Library, tmp_path: Path) -> None:
    run = shared.ask("How many layers does Lutra have?", filter="collection = ours").run
    (tmp_path / "more.md").write_text("# More of theirs\n\nMeles digs.")
    shared.add(tmp_path / "more.md", collection="theirs")
    _, changes = shared.ask_again(run)
    assert (changes.documents, changes.other_documents) == ((), 0)


def test_a_follow_up_is_understood_from_turns_that_are_given(shared: Library) -> None:
    turn = Turn(question="Who proposed Lutra?", asked="Who proposed Lutra?", entities=("Lutra",), aspects=("proposed",))
    answer = shared.ask("And Meles?", conversation=[turn])
    assert answer.question == "Who proposed Meles?"
    assert answer.asked == "And Meles?"
