"""What identifies a work, as it really stands in addresses, bibliographies and lists of references."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.identity import headings_below, keys, keys_of, keys_of_reference, letters_of
from scholarmind.model import Document, Reference


def found(*, doi: str = "", arxiv: str = "", title: str = "") -> list[str]:
    """The keys of these."""
    return list(keys(doi=doi, arxiv=arxiv, title=title))


class TestDoi:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("10.18653/v1/N19-1423", "10.18653/v1/n19-1423"),
            ("https://doi.org/10.1162/neco.1997.9.8.1735", "10.1162/neco.1997.9.8.1735"),
            ("http://dx.doi.org/10.1016/S0140-6736(05)67889-0", "10.1016/s0140-6736(05)67889-0"),
            ("doi:10.1000/182.", "10.1000/182"),
            ("(https://doi.org/10.1000/182).", "10.1000/182"),
            ("(see 10.1016/0004-3702(94)90023-X)", "10.1016/0004-3702(94)90023-x"),
            ("<https://doi.org/10.1000/182>", "10.1000/182"),
            ("[10.1000/182], {10.1000/182}", "10.1000/182"),
            ("https://doi.org/10.1002%2Fspe.4380211102", "10.1002/spe.4380211102"),
            ("https://link.springer.com/content/pdf/10.1007/s11263-015-0816-y.pdf", "10.1007/s11263-015-0816-y"),
            ("https://www.frontiersin.org/articles/10.3389/fpsyg.2019.01234/full", "10.3389/fpsyg.2019.01234"),
            ("https://dl.acm.org/doi/pdf/10.1145/3292500.3330701?download=true", "10.1145/3292500.3330701"),
            ("https://journals.example/10.1371/journal.pone.0000001.pdf#page=3", "10.1371/journal.pone.0000001"),
            ("文章（10.1000/182）。", "10.1000/182"),
        ],
    )
    def test_as_it_is_written(self, text: str, expected: str) -> None:
        assert found(doi=text) == [f"doi:{expected}"]

    def test_articles_of_one_issue_are_told_apart(self) -> None:
        issue = "10.1002/(SICI)1097-4571(199006)41:6<{}>3.0.CO;2-9"
        first, second = (found(doi=issue.format(place)) for place in ("391::AID-ASI1", "408::AID-ASI2"))
        assert first == ["doi:10.1002/(sici)1097-4571(199006)41:6<391::aid-asi1>3.0.co;2-9"]
        assert first != second
        assert found(doi=issue.format("391::AID-ASI1").replace("<", "&lt;").replace(">", "&gt;")) == first

    @pytest.mark.parametrize("text", ["", "none", "10.1/x", "doi.org", "10.1000/", "110.10/5", "see page 10.2000"])
    def test_what_is_none(self, text: str) -> None:
        assert found(doi=text) == []


class TestArxiv:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1706.03762", "1706.03762"),
            ("arXiv:1706.03762v7 [cs.CL]", "1706.03762"),
            ("https://arxiv.org/abs/1706.03762v1", "1706.03762"),
            ("https://arxiv.org/pdf/1706.03762.pdf", "1706.03762"),
            ("0704.0001", "0704.0001"),
            ("hep-th/9901001", "hep-th/9901001"),
            ("https://arxiv.org/abs/cond-mat/0001234v2", "cond-mat/0001234"),
            ("math.GT/0309136", "math/0309136"),
            ("math/0309136", "math/0309136"),
            ("q-bio/0701001", "q-bio/0701001"),
        ],
    )
    def test_as_it_is_written(self, text: str, expected: str) -> None:
        assert found(arxiv=text) == [f"arxiv:{expected}"]

    @pytest.mark.parametrize(
        "text", ["2019.12345", "1713.0001", "1706.037621", "1.1706.03762", "12345678", "PMC1234567", "/1234567"]
    )
    def test_what_is_none(self, text: str) -> None:
        assert found(arxiv=text) == []

    def test_its_doi_is_the_number(self) -> None:
        assert found(doi="https://doi.org/10.48550/arXiv.1706.03762") == ["arxiv:1706.03762"]
        assert found(doi="10.48550/arXiv.1706.03762v5", arxiv="1706.03762") == ["arxiv:1706.03762"]
        assert found(doi="10.1000/182", arxiv="1706.03762") == ["doi:10.1000/182", "arxiv:1706.03762"]


class TestTitle:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Attention Is All You Need", "attention is all\nyou need."),
            ("BERT: Pre-training of Deep Transformers", "{BERT}: Pretraining of deep transformers"),
            ("Über die Erzeugung von Stoßwellen", "U\u0308BER DIE ERZEUGUNG VON STOSSWELLEN"),
            ("ﬁnding eﬃcient networks", "Finding Efficient Networks"),
            ("预训练语言模型综述", "预训练 语言模型：综述"),
        ],
    )
    def test_one_work(self, one: str, other: str) -> None:
        assert found(title=one) == found(title=other) != []

    @pytest.mark.parametrize(
        "title",
        [
            "",
            "Introduction",
            "Untitled",
            "Table of Contents",
            "Supporting Information",
            "Deep nets",
            "综述",
            "Анализ",
            "?!",
        ],
    )
    def test_titles_of_many_works(self, title: str) -> None:
        assert found(title=title) == []

    def test_numbers_tell_works_apart(self) -> None:
        assert found(title="Findings of the task, part 1") != found(title="Findings of the task, part 2")

    @given(st.text())
    def test_letters_are_stable(self, text: str) -> None:
        letters = letters_of(text)
        assert letters_of(letters) == letters
        assert letters_of(f" {text}.\n") == letters


class TestDocuments:
    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"metadata": {"doi": "10.1000/182"}}, ["doi:10.1000/182"]),
            ({"metadata": {"url": "https://doi.org/10.1000/182"}}, ["doi:10.1000/182"]),
            ({"metadata": {"doi": ("10.1000/182", "10.1000/183")}}, ["doi:10.1000/182"]),
            ({"source": "https://arxiv.org/abs/1706.03762"}, ["arxiv:1706.03762"]),
            ({"source": "arXiv preprint arXiv:1706.03762"}, ["arxiv:1706.03762"]),
            ({"source": "Volume 1706.03762 of something"}, []),
            ({"metadata": {"eprint": "1706.03762", "archiveprefix": "arXiv"}}, ["arxiv:1706.03762"]),
            ({"metadata": {"arxiv": 1706.0376}}, ["arxiv:1706.03760"]),  # what YAML makes of 1706.03760
            ({"metadata": {"arxiv": 704.1}}, []),
            ({"title": "Attention Is All You Need"}, ["title:attentionisallyouneed"]),
            ({"metadata": {"doi": 5, "url": True}}, []),
            ({}, []),
        ],
    )
    def test_their_keys(self, fields: dict[str, Any], expected: list[str]) -> None:
        assert list(keys_of(Document(**{"id": "x", "title": "", **fields}))) == expected

    def test_a_reference_and_a_document_are_the_same(self) -> None:
        document = Document(id="x", title="Attention Is All You Need", metadata={"arxiv": "1706.03762"})
        reference = Reference(text="", start=0, end=0, title="Attention is all you need", arxiv="arXiv:1706.03762v5")
        assert list(keys_of(document)) == list(keys_of_reference(reference)) != []

    @given(st.text(), st.text(), st.text())
    def test_any_text(self, doi: str, arxiv: str, title: str) -> None:
        for key in found(doi=doi, arxiv=arxiv, title=title):
            assert key.partition(":")[0] in {"doi", "arxiv", "title"}
            assert key == key.strip()


def test_a_title_is_not_said_again_by_the_headings_below_it() -> None:
    assert headings_below("On Bees", ("On bees", "Results")) == ("Results",)
    assert headings_below("On Bees", ("Results", "On bees")) == ("Results", "On bees")
    assert headings_below("On Bees", ()) == ()
