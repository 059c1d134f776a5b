"""BibTeX that other programs can read."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.citing.reference_export import export
from scholarmind.model import Document


def entries(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Read BibTeX as a program does, which counts braces whether they are escaped or not."""
    found: list[tuple[str, str, dict[str, str]]] = []
    for kind, key, body in re.findall(r"@(\w+)\{([^,\s{}]+),\n((?:  .*\n)*)\}\n", text):
        fields: dict[str, str] = {}
        for name, value in re.findall(r"  (\w+) = \{(.*)\},\n", body):
            depth = 0
            for character in value:
                depth += (character == "{") - (character == "}")
                assert depth >= 0
            assert depth == 0
            fields[name] = value
        found.append((kind, key, fields))
    return found


BERT = Document(
    id="bert",
    title="BERT: Pre-training of deep transformers",
    authors=("Jacob Devlin", "Ming-Wei Chang", "others"),
    year=2019,
    metadata={
        "booktitle": "Proceedings of NAACL",
        "pages": "4171–4186",
        "eprint": "1810.04805",
        "archivePrefix": "arXiv",
    },
)


def test_an_entry() -> None:
    assert export([BERT]) == (
        "@inproceedings{devlin2019bert,\n"
        "  author = {Devlin, Jacob and Chang, Ming-Wei and others},\n"
        "  title = {{BERT}: {Pre-training} of deep transformers},\n"
        "  booktitle = {Proceedings of NAACL},\n"
        "  pages = {4171--4186},\n"
        "  year = {2019},\n"
        "  eprint = {1810.04805},\n"
        "  archiveprefix = {arXiv},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        pytest.param("Ludwig van Beethoven", "van Beethoven, Ludwig", id="particle"),
        pytest.param("Martin Luther King, Jr.", "King, Jr., Martin Luther", id="junior"),
        pytest.param("DeepSeek-AI", "{DeepSeek-AI}", id="company"),
        pytest.param("Smith and Sons, Inc.", "{Smith and Sons, Inc.}", id="company with and"),
        pytest.param("王小明", "{王小明}", id="Chinese"),
        pytest.param("Łukasz Kaiser", "Kaiser, Łukasz", id="UTF-8"),
    ],
)
def test_authors(author: str, expected: str) -> None:
    assert entries(export([Document(id="a", title="T", authors=(author,))]))[0][2]["author"] == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("Cats & dogs: 50% of $x_1$ #2", r"Cats \& dogs: 50\% of \$x\_1\$ \#2", id="signs"),
        pytest.param("a } b { c", r"a \textbraceright{} b \textbraceleft{} c", id="unbalanced braces"),
        pytest.param("a\\b ~ ^", r"a\textbackslash{}b \textasciitilde{} \textasciicircum{}", id="backslash"),
        pytest.param("The GPT-2 (XL) model", r"The {GPT-2} ({XL}) model", id="capitals"),
        pytest.param("大模型 综述", "大模型 综述", id="Chinese"),
    ],
)
def test_titles(title: str, expected: str) -> None:
    assert entries(export([Document(id="a", title=title)]))[0][2]["title"] == expected


@pytest.mark.parametrize(
    ("kind", "metadata", "expected"),
    [
        pytest.param("", {"journal": "Nature"}, "article", id="journal"),
        pytest.param("note", {"venue": "ICML"}, "inproceedings", id="venue by its short name"),
        pytest.param("note", {"venue": "JMLR"}, "article", id="journal by its short name"),
        pytest.param("article", {"journal": "arXiv preprint arXiv:2302.13971"}, "misc", id="preprint"),
        pytest.param("book", {"publisher": "MIT Press"}, "book", id="book"),
        pytest.param("phdthesis", {"school": "River"}, "phdthesis", id="thesis"),
        pytest.param("", {"venue": "OpenAI technical report"}, "techreport", id="report"),
        pytest.param("incollection", {"booktitle": "Handbook"}, "incollection", id="chapter"),
        pytest.param("", {"url": "https://example.org"}, "misc", id="page"),
        pytest.param("", {}, "misc", id="nothing known"),
    ],
)
def test_types(kind: str, metadata: dict[str, str], expected: str) -> None:
    assert entries(export([Document(id="a", title="T", kind=kind, metadata=metadata)]))[0][0] == expected


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        pytest.param(
            Document(id="a", title="The Łódź method", authors=("Łukasz Straße",), year=2020),
            "strasse2020lodz",
            id="accents",
        ),
        pytest.param(Document(id="a", title="On the Otter"), "otter", id="no authors"),
        pytest.param(
            Document(id="a", title="Otter", authors=("van der Berg, Jan",), year=1999),
            "vanderberg1999otter",
            id="particles",
        ),
    ],
)
def test_keys(work: Document, expected: str) -> None:
    assert entries(export([work]))[0][1] == expected


def test_keys_without_latin_letters_are_stable_and_different() -> None:
    works = [Document(id=id, title="大模型", authors=("王小明",), year=2023) for id in ("a", "b")]
    keys = [key for _, key, _ in entries(export(works))]
    assert len(set(keys)) == 2
    assert [key for _, key, _ in entries(export(works[::-1]))] == keys[::-1]


def test_exactly_the_given_works_are_exported_once() -> None:
    other = Document(id="other", title="BERT again", authors=("Devlin, J.",), year=2019)
    assert [key for _, key, _ in entries(export([BERT, other, BERT]))] == ["devlin2019bert-2", "devlin2019bert"]
    assert export([]) == ""


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            Document,
            id=st.text(max_size=4),
            title=st.text(max_size=30) | st.text('{}\\"%$#&~^_@, \nA', max_size=30),
            authors=st.lists(st.text(max_size=15) | st.text("{}\\, andA", max_size=15), max_size=3).map(tuple),
            year=st.none() | st.integers(1, 3000),
            metadata=st.dictionaries(
                st.sampled_from(["venue", "journal", "doi", "url", "pages", "arxiv"]),
                st.text(max_size=15) | st.text("{}\\}", max_size=9).map("https://a.b/".__add__) | st.just("10.1234/}{"),
            ),
        ),
        max_size=4,
        unique_by=lambda work: work.id,
    )
)
def test_any_works_give_one_readable_entry_each(works: list[Document]) -> None:
    found = entries(export(works))
    assert len({key for _, key, _ in found}) == len(works)
    assert all("title" in fields for _, _, fields in found)
