"""Notes of a vault: links both ways, quotations as blocks, and what the user wrote."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from scholarmind.answer import Answer
from scholarmind.errors import QueryError
from scholarmind.publishing.formats import Publication

OWN = {("default", "tides"): "bergTides2021", ("default", "harbours"): "wang1998"}


def written(answer: Answer, vault: Path) -> Path:
    return Publication(answer, "apa", OWN).notes(vault)


def test_an_answer_and_its_works_link_to_each_other(answer: Answer, tmp_path: Path) -> None:
    note = written(answer, tmp_path)
    assert note == tmp_path / "Answers" / "How high are tides, & why.md"
    text, work = note.read_text(), (tmp_path / "Works" / "bergTides2021.md").read_text()
    assert 'question: "How high are tides, & why?"\nverdict: "with caveats"\n' in text
    linked = re.findall(r"\[\[Works/bergTides2021#\^(q-\w+)\\?\|Berg & Moor, 2021, p\. (\d)\]\]", text)
    assert [page for _, page in linked] == ["4", "7", "4"]
    assert (
        f"“The highest tide was 11.3 m \\<script\\>” ([p. 4](zotero://open-pdf/library/items/TIDESPDF?page=4)) ^{linked[0][0]}"
        in work
    )
    assert "- [[Answers/How high are tides, & why]]" in work
    assert 'citekey: "bergTides2021"\n' in work


def test_every_block_that_is_linked_to_is_there(answer: Answer, tmp_path: Path) -> None:
    text = written(answer, tmp_path).read_text()
    for note, block in re.findall(r"\[\[([^\]#|]+)#\^(q-\w+)", text):
        assert f"^{block}\n" in (tmp_path / f"{note}.md").read_text()


def test_the_same_again_changes_nothing(answer: Answer, tmp_path: Path) -> None:
    note = written(answer, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.md")}
    assert written(answer, tmp_path) == note
    assert {file: file.read_bytes() for file in tmp_path.rglob("*.md")} == before


def test_what_the_user_wrote_stays(answer: Answer, tmp_path: Path) -> None:
    written(answer, tmp_path)
    work = tmp_path / "Works" / "bergTides2021.md"
    mine = "\r\nMine: read chapter 2 first.\r\n"
    work.write_bytes(work.read_bytes() + mine.encode())
    other = replace(answer, question="And how low?", plan=replace(answer.plan, question="And how low?"))
    written(other, tmp_path)
    text = work.read_bytes().decode()
    assert text.endswith(mine)
    assert "- [[Answers/How high are tides, & why]]\n- [[Answers/And how low]]" in text


def test_a_note_of_the_users_own_is_the_note_of_the_work(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "Papers").mkdir()
    own = tmp_path / "Papers" / "@bergTides2021.md"
    own.write_text("My thoughts on tides.\n")
    text = written(answer, tmp_path).read_text()
    assert "[[Papers/@bergTides2021#^q-" in text
    assert own.read_text().startswith("My thoughts on tides.\n\n%% scholarmind begins")
    assert not (tmp_path / "Works" / "bergTides2021.md").exists()


def test_another_question_of_the_same_name_gets_a_note_of_its_own(answer: Answer, tmp_path: Path) -> None:
    first = written(answer, tmp_path)
    second = written(replace(answer, question="How high are tides, & why"), tmp_path)
    assert first != second
    assert first.is_file()
    assert second.is_file()


def test_strange_names(answer: Answer, tmp_path: Path) -> None:
    note = written(replace(answer, question="../[[潮汐]]#有多高|为什么？" * 20), tmp_path)
    assert note.parent == tmp_path / "Answers"
    assert len(note.name.encode()) < 200


def test_a_folder_that_is_not_there(answer: Answer, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="there is no folder"):
        written(answer, tmp_path / "nowhere")
